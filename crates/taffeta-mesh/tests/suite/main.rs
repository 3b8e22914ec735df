//! Connectivity: edits keep every invariant, and the dense form follows from the mesh alone.

mod common;
mod freeze;
mod random_edits;
