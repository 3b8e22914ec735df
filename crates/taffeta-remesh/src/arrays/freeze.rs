//! From the keyed mesh back to arrays, in dense order.

use super::{FieldRemesher, OutputArrays, Remeshed, sample_at};
use crate::background::Origin;
use glam::{DVec2, DVec3};
use taffeta_core::morton::morton_code;
use taffeta_core::{TopologyEpoch, VertexIndex};
use taffeta_mesh::{VertexKey, slot_of};

impl FieldRemesher {
    /// The sheet as it is now, and where its vertices came from.
    pub fn finish(&self) -> Remeshed {
        let Self { mesh, attributes, tracker, .. } = self;
        let places = self.places();
        let frozen = mesh.freeze_topology(|v| places[slot_of(v)].0, TopologyEpoch(0));
        let keys: &[VertexKey] = &frozen.keys.vertices.raw;
        let vertex = |v: &VertexKey| &attributes.vertices[*v];
        let origins: Vec<Origin> = keys.iter().map(|&v| *tracker.origin_of(v)).collect();
        let mut output_of_input = vec![None; self.vertices.len()];
        for (output, v) in (0u32..).zip(keys) {
            if let Some(input) = vertex(v).input {
                output_of_input[input as usize] = Some(output);
            }
        }
        let background = &tracker.background;
        let (fields, width) = &self.fields;
        let velocities =
            background.velocities.as_ref().map(|_| keys.iter().map(|v| vertex(v).velocity.into()));
        let arrays = OutputArrays {
            material: keys.iter().map(|&v| places[slot_of(v)].1.into()).collect(),
            positions: keys.iter().map(|v| vertex(v).position.into()).collect(),
            faces: frozen.topology.faces.iter().map(|corners| corners.map(|VertexIndex(v)| v)).collect(),
            pinned: keys.iter().map(|v| vertex(v).pin.is_some()).collect(),
            velocities: velocities.map(Iterator::collect),
            attributes: sample_at(&origins, &background.chart.faces, fields, *width),
        };
        Remeshed { arrays, origins, output_of_input, report: self.report }
    }

    /// Piece and Morton code of every vertex, and its material coordinate \[m\], by slot.
    fn places(&self) -> Vec<((u32, u64), DVec2)> {
        let Self { mesh, attributes, tracker, .. } = self;
        let chart = &tracker.background.chart;
        let mut bounds = vec![[DVec2::INFINITY, DVec2::NEG_INFINITY]; chart.piece_count()];
        for (face, piece) in (0u32..).zip(&chart.pieces) {
            let [low, high] = &mut bounds[*piece as usize];
            for u in chart.corners(face) {
                (*low, *high) = (low.min(u), high.max(u));
            }
        }
        let mut places = vec![((0, 0), DVec2::ZERO); mesh.vertex_slot_limit()];
        for v in mesh.vertex_keys() {
            let piece = chart.pieces[tracker.origin_of(v).face as usize];
            let [low, high] = bounds[piece as usize].map(flat);
            let u = attributes.material_of(mesh.halfedge_from(v));
            places[slot_of(v)] = ((piece, morton_code(flat(u), low, high)), u);
        }
        places
    }
}

fn flat(u: DVec2) -> DVec3 {
    u.extend(0.0)
}
