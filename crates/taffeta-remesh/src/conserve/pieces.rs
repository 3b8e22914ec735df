//! The kinetic energy of whole pieces of cloth over a pass.
//!
//! Every edit keeps the energy of its one-ring down (`momentum`), but not that of the cloth. A one-ring that turns rigidly
//! gains energy as it loses inertia, and many such one-rings do not turn together. So after all edits the non-rigid motion of
//! each connected piece is scaled down until the piece has no more kinetic energy than before. Neither linear nor angular
//! momentum knows of that.
//!
//! This cannot keep down the energy of a motion that is rigid already. With lumped masses a finer mesh has less
//! inertia, and with the same angular momentum it turns faster. Motion that is not rigid pays for that as long as
//! there is any. Where a sheet that turns is coarsened and refined by a factor of ten again and again, it is spent
//! after some ten passes.

use crate::attributes::SheetAttributes;
use crate::conserve::momentum::RingMotion;
use taffeta_core::components::Components;
use taffeta_mesh::{HalfedgeMesh, VertexKey, slot_of};

/// The motion of connected pieces before a pass.
pub(crate) struct Pieces {
    /// Vertices in key order, with the numbers of their pieces.
    vertices: Vec<(VertexKey, u32)>,
    /// By number.
    motions: Vec<RingMotion>,
}

impl Pieces {
    /// Measures the pieces that some vertices make up, which are given in key order.
    pub(crate) fn measure(mesh: &HalfedgeMesh, attributes: &SheetAttributes, vertices: &[VertexKey]) -> Self {
        let pieces = find_pieces(mesh, vertices);
        let numbered = (0..).zip(&pieces).flat_map(|(number, piece)| piece.iter().map(move |v| (*v, number)));
        let mut numbered: Vec<_> = numbered.collect();
        numbered.sort_unstable();
        let motion = |piece: &Vec<VertexKey>| RingMotion::measure(mesh, attributes, piece);
        Self { vertices: numbered, motions: pieces.iter().map(motion).collect() }
    }

    /// Scales the motion within each piece down until it has no more kinetic energy than it had. `vertices` are those of
    /// after the pass, in key order. A piece that has kept no vertex is left alone: nothing tells which one it was.
    pub(crate) fn limit_energy(
        &self,
        mesh: &HalfedgeMesh,
        attributes: &mut SheetAttributes,
        vertices: &[VertexKey],
    ) {
        let number_of = |v: &VertexKey| {
            let place = self.vertices.binary_search_by_key(v, |(old, _)| *old).ok()?;
            Some(self.vertices[place].1 as usize)
        };
        for piece in find_pieces(mesh, vertices) {
            if let Some(number) = piece.iter().find_map(number_of) {
                self.motions[number].limit(mesh, attributes, &piece);
            }
        }
    }
}

/// The connected pieces that some vertices make up, in the order of their first ones.
fn find_pieces(mesh: &HalfedgeMesh, vertices: &[VertexKey]) -> Vec<Vec<VertexKey>> {
    let mut components = Components::new(mesh.vertex_slot_limit());
    for &v in vertices {
        for neighbor in mesh.neighbors(v) {
            components.join(slot_of(v) as u32, slot_of(neighbor) as u32);
        }
    }
    let labels = components.labels();
    let mut numbers: Vec<Option<usize>> = vec![None; labels.len()];
    let mut pieces: Vec<Vec<VertexKey>> = Vec::new();
    for &v in vertices {
        let number = *numbers[labels[slot_of(v)] as usize].get_or_insert_with(|| {
            pieces.push(Vec::new());
            pieces.len() - 1
        });
        pieces[number].push(v);
    }
    pieces
}
