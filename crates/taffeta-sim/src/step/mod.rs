//! Substeps: stages, time integration, accuracy, and what is done again.

pub(crate) mod accuracy;
pub(crate) mod detect;
pub(crate) mod finish;
pub(crate) mod guard;
pub(crate) mod integrate;
pub(crate) mod newton;
pub(crate) mod obstacle_substeps;
pub(crate) mod outside;
pub(crate) mod pieces;
pub(crate) mod plan;
pub(crate) mod policy;
pub(crate) mod predict;
pub(crate) mod projective;
pub(crate) mod retry;
pub(crate) mod rigid;
pub(crate) mod rigid_terms;
pub(crate) mod solve;
pub(crate) mod substep;
pub(crate) mod substeps;
pub(crate) mod tension;
