//! Elements of the sheet, ropes, solids, seams and enclosed volumes, for solvers and for the search for pairs.

pub(crate) mod open_seams;
pub(crate) mod proximity;
pub(crate) mod ropes;
pub(crate) mod solids;
pub(crate) mod source;
pub(crate) mod stitches;
pub(crate) mod volumes;
