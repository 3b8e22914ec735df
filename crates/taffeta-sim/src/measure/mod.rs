//! Measurements: energies, strains, jumps, points of the material.

pub(crate) mod asked;
pub(crate) mod body_points;
pub(crate) mod cloth_view;
pub(crate) mod energy;
pub(crate) mod fields;
pub(crate) mod jumps;
pub(crate) mod left_behind;
pub(crate) mod origins;
pub(crate) mod points;
pub(crate) mod rigid;
pub(crate) mod starts;
