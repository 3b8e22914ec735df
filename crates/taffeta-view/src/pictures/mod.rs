//! Bodies as the browser draws them.

pub(crate) mod bodies;
pub(crate) mod ground;
pub(crate) mod snapshot;
