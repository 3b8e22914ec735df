//! Open seams in a keyed sheet.

use crate::model::setup::seams::{SeamLaw, SeamState, Sewing};
use crate::model::state::sheet::KeyedSheet;
use glam::DVec3;
use taffeta_mesh::VertexKey;

impl Sewing {
    /// The vertices that threads join: those of open seams, and those that they hold for ever.
    pub(crate) fn pairs_with_threads(&self) -> impl Iterator<Item = &[VertexKey; 2]> {
        self.seams.iter().flat_map(|seam| &seam.pairs)
    }

    /// Tells remeshing which vertices to leave alone.
    pub(crate) fn mark(&self, keyed: &mut KeyedSheet) {
        for v in self.pairs_with_threads().flatten() {
            keyed.attributes.vertices[*v].is_stitched = true;
        }
    }

    /// Describes what is wrong with the seams of a checkpoint; `None` if they are valid.
    pub(crate) fn find_defect(&self, laws: &[SeamLaw], keyed: &KeyedSheet) -> Option<String> {
        if self.seams.len() != laws.len() {
            return Some(format!("it has {} seams, but the world has {}", self.seams.len(), laws.len()));
        }
        let is_odd = |(seam, law): (&SeamState, &SeamLaw)| {
            let count = if seam.closed.is_some() { law.lasting_count() } else { law.pair_count() };
            let is_sound = |gap: &DVec3| gap.is_finite();
            seam.pairs.len() != count || seam.gaps.len() != count || !seam.gaps.iter().all(is_sound)
        };
        let bad = self.seams.iter().zip(laws).position(is_odd);
        let is_gone = |pair: &[VertexKey; 2]| pair.iter().any(|v| !keyed.mesh.contains_vertex(*v));
        bad.or_else(|| self.seams.iter().position(|seam| seam.pairs.iter().any(is_gone)))
            .map(|seam| format!("its seam {seam} is not that of the world"))
    }
}
