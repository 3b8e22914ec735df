//! The stages of a substep.

pub(crate) mod detect;
pub(crate) mod equations;
pub(crate) mod finish;
pub(crate) mod guard;
pub(crate) mod integrate;
pub(crate) mod newton;
pub(crate) mod policy;
pub(crate) mod predict;
pub(crate) mod projective;
pub(crate) mod rigid;
pub(crate) mod rigid_terms;
pub(crate) mod solve;
