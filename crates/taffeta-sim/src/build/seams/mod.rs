//! Pairing of seams.

pub(crate) mod laws;
pub(crate) mod near;
pub(crate) mod pair;
pub(crate) mod pairing;
pub(crate) mod runs;
