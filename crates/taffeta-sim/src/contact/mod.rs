//! Contact within a substep: paths, contacts, CCD and its reports.

pub(crate) mod forced;
pub(crate) mod loads;
pub(crate) mod meet;
pub(crate) mod memory;
pub(crate) mod path;
pub(crate) mod secure;
pub(crate) mod stiffness;
