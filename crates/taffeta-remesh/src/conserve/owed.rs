//! Momenta that edits owe to vertices until [`redistribution`](super::redistribution) gives them back.

use glam::DVec3;
use std::cell::RefCell;
use taffeta_mesh::VertexKey;

/// Momenta that vertices are to get, per unit of areal density \[m³/s\].
#[derive(Debug, Default)]
pub(crate) struct OwedMomenta(RefCell<Vec<(VertexKey, DVec3)>>);

impl OwedMomenta {
    /// Adds momenta but those that are zero.
    pub(crate) fn add(&self, momenta: impl Iterator<Item = (VertexKey, DVec3)>) {
        self.0.borrow_mut().extend(momenta.filter(|(_, momentum)| *momentum != DVec3::ZERO));
    }

    /// All of them, in the order in which they were added.
    pub(crate) fn into_list(self) -> Vec<(VertexKey, DVec3)> {
        self.0.into_inner()
    }
}
