//! Checks of elastic bodies against closed forms.

pub(crate) mod chain;
pub(crate) mod disk;
pub(crate) mod patch;
pub(crate) mod plate;
pub(crate) mod rope;
pub(crate) mod strips;
