//! Checks of contact and friction.

pub(crate) mod capstan;
pub(crate) mod contact;
pub(crate) mod friction;
pub(crate) mod glide;
pub(crate) mod grip;
pub(crate) mod unrelated;
