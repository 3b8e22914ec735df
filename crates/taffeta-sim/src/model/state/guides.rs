//! Vertices beyond clamped ends of ropes.

use crate::model::setup::Setup;
use crate::model::state::sheet::Sheet;
use glam::DVec3;
use taffeta_core::VertexIndex;
use taffeta_core::index::DenseIndex;

/// A vertex beyond a clamped end of a rope, with the end and the vertex after it. It only holds a direction: nothing meets it,
/// and no caller sees it.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct RopeGuide {
    pub vertex: VertexIndex,
    pub end: VertexIndex,
    pub second: VertexIndex,
}

impl RopeGuide {
    /// The guide where it is in line with the rope, for places or velocities of the end and the vertex after it.
    pub(crate) fn in_line([end, second]: [DVec3; 2]) -> DVec3 {
        2.0 * end - second
    }
}

/// The guides of all ropes.
pub(crate) fn rope_guides(setup: &Setup, sheet: &Sheet) -> Vec<RopeGuide> {
    let mut guides = Vec::new();
    for (number, body) in setup.bodies.iter().enumerate() {
        let Some(model) = &body.rope else { continue };
        let range = sheet.vertex_range((setup.cloths.len() + number) as u32);
        let guide = |places: [usize; 3]| {
            let [vertex, end, second] = places.map(VertexIndex::from_usize);
            RopeGuide { vertex, end, second }
        };
        if model.has_guide[0] {
            guides.push(guide([0, 1, 2].map(|k| range.start + k)));
        }
        if model.has_guide[1] {
            guides.push(guide([1, 2, 3].map(|k| range.end - k)));
        }
    }
    guides
}
