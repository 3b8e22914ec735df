//! Connectivity: edits keep every invariant, and the dense form follows from the mesh alone.

mod common;
mod dense_topology;
mod random_edits;
