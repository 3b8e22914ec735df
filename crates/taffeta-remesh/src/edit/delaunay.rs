//! Flips of edges that are not Delaunay, where no metric asks for anything else.

use crate::attributes::SheetAttributes;
use crate::attributes::rest::{is_feature, is_in_space, span};
use crate::conserve::momentum::MomentumDrift;
use crate::edit::check::flip_improves;
use crate::metric::frame::MetricFrame;
use crate::transfer::flip_with_transfer;
use taffeta_core::math::Sym2;
use taffeta_mesh::{EdgeKey, FaceKey, Halfedge, HalfedgeMesh, Side, VertexKey};

/// Flips around one vertex: far more than ever follow one.
const MAX_FLIPS: usize = 1000;

/// Flips edges around a vertex until they are Delaunay in material space (Lawson 1977), except for seams and creases.
///
/// For edits that a [`Pass`](crate::Pass) does not make, such as tears: slivers beside the new vertex go away. Faces that are
/// folded for good stay as they are, and so does cloth whose rest shape is in space.
pub fn restore_delaunay(
    mesh: &mut HalfedgeMesh,
    attributes: &mut SheetAttributes,
    v: VertexKey,
) -> MomentumDrift {
    let around = mesh.halfedges_around(v);
    let mut stack: Vec<EdgeKey> = around.flat_map(|he| [he.edge, mesh.next(he).edge]).collect();
    let (mut drift, mut flips) = (MomentumDrift::default(), 0);
    // Each flip approaches the Delaunay mesh by the margin of the rule, so this ends by itself.
    while let Some(e) = stack.pop().filter(|_| flips < MAX_FLIPS) {
        if !should_flip(mesh, attributes, e) {
            continue;
        }
        let (record, more) = flip_with_transfer(mesh, attributes, e).expect("the flip was checked");
        drift = drift.plus(&more);
        flips += 1;
        for he in [record.halfedge, record.halfedge.twin()] {
            stack.extend([mesh.next(he).edge, mesh.prev(he).edge]);
        }
    }
    drift
}

fn should_flip(mesh: &HalfedgeMesh, attributes: &SheetAttributes, e: EdgeKey) -> bool {
    if is_feature(mesh, attributes, e) || mesh.can_flip_edge(e).is_err() {
        return false;
    }
    let he = Halfedge::new(e, Side::First);
    let stays =
        |f: FaceKey| is_in_space(attributes, f) || attributes.faces[f].plastic_curvature != Sym2::default();
    if mesh.edge_faces(e).into_iter().flatten().any(stays) {
        return false;
    }
    let [a, b] = span(mesh, attributes, he);
    let [c, d] = [he, he.twin()].map(|he| attributes.material_of(mesh.prev(he)));
    let [tail, tip] = mesh.ends(he);
    let [left, right] = [he, he.twin()].map(|he| mesh.tail(mesh.prev(he)));
    let x = [tail, tip, left, right].map(|v| attributes.vertices[v].position);
    flip_improves(&MetricFrame::ISOTROPIC, [a, b, c, d], x)
}
