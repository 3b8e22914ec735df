//! Blocks of ropes.

use crate::derive::elements::source::Source;
use crate::model::setup::Setup;
use taffeta_core::VertexIndex;
use taffeta_solve::{PlacedRope, RopeBlocks};

/// The blocks of all ropes.
pub(crate) fn build_ropes(source: &Source<'_>) -> RopeBlocks {
    let Source { setup: Setup { cloths, bodies, .. }, sheet, motion, .. } = *source;
    let first_loose = sheet.topology.surface_vertex_count();
    let mut blocks = RopeBlocks::default();
    for (number, body) in bodies.iter().enumerate() {
        let Some(model) = &body.rope else { continue };
        let range = sheet.vertex_range((cloths.len() + number) as u32);
        let is_held = |i: usize| motion.inverse_masses.raw[i] == 0.0;
        let guides_act =
            [model.has_guide[0] && is_held(range.start), model.has_guide[1] && is_held(range.end - 1)];
        let last_angles = &motion.loose_angles[range.start - first_loose..range.end - first_loose];
        let first = VertexIndex(range.start as u32);
        blocks.push(&PlacedRope { model, first, guides_act, last_angles });
    }
    blocks
}
