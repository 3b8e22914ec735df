//! Tearing: edges open, with the attributes of what comes apart.
//!
//! The copies of a vertex get its velocity, and the mass of the faces that they have: mass, momentum and material area are
//! kept exactly. They would lie in one place, and what only touches counts as crossing; so each goes a little toward the middle
//! of its own faces. Their center of mass stays where it was, and because all move alike angular momentum does not change.

use crate::attributes::rest::span;
use crate::attributes::{EdgeAttributes, SheetAttributes, VertexAttributes, lumped_mass};
use glam::DVec3;
use taffeta_mesh::{EdgeKey, Halfedge, HalfedgeMesh, OpenBlocked, OpenRecord, OpenedEdge, Side, VertexKey};

/// Displacement of the copies toward the middle of their faces, as a part of the way. It is small enough to change the strain
/// by less than the tolerance of solvers. It is large enough for the normals between the two sides to be exact to 1 in a
/// million.
const GAP: f64 = 1e-3;

/// Opens inner edges all together, of cloths with or without material coordinates.
///
/// # Errors
/// As [`HalfedgeMesh::open_edges`]; nothing has changed then.
pub fn open_with_transfer(
    mesh: &mut HalfedgeMesh,
    attributes: &mut SheetAttributes,
    edges: &[EdgeKey],
) -> Result<OpenRecord, OpenBlocked> {
    let record = mesh.open_edges(edges)?;
    for OpenedEdge { kept, created } in &record.edges {
        let outsides = [Halfedge::new(*kept, Side::Second), Halfedge::new(*created, Side::First)];
        let EdgeAttributes { corners, rest_angle: _, angle: _, scalar: _, broken: _ } =
            attributes.edges[*kept];
        let bare = EdgeAttributes::flat(corners);
        attributes.edges.insert(*kept, bare);
        attributes.edges.insert(*created, bare);
        for outside in outsides {
            let [_, tip] = span(mesh, attributes, outside.twin());
            attributes.edges[outside.edge].corners[outside.side.index()] = tip;
        }
    }
    for (v, created) in &record.copies {
        let original = attributes.vertices[*v];
        for copy in created {
            attributes.vertices.insert(*copy, copy_of(&original));
        }
    }
    for (v, created) in &record.copies {
        let copies: Vec<VertexKey> = [*v].into_iter().chain(created.iter().copied()).collect();
        set_apart(mesh, attributes, &copies);
    }
    Ok(record)
}

/// A vertex with the state of another one.
fn copy_of(original: &VertexAttributes) -> VertexAttributes {
    let VertexAttributes { position, velocity, start, hold, input: _, metric, is_stitched: _ } = *original;
    VertexAttributes { position, velocity, start, hold, input: None, metric, is_stitched: false }
}

/// Moves the copies of a vertex toward the middles of their faces, and all of them so that their center of mass stays. What
/// a pin holds stays where it is.
fn set_apart(mesh: &HalfedgeMesh, attributes: &mut SheetAttributes, copies: &[VertexKey]) {
    if copies.iter().any(|v| attributes.vertices[*v].hold.is_some()) {
        return;
    }
    let toward_middle = |v: &VertexKey| {
        let at = attributes.vertices[*v].position;
        let (count, sum) = mesh.neighbors(*v).fold((0.0, DVec3::ZERO), |(count, sum), w| {
            (count + 1.0, sum + (attributes.vertices[w].position - at))
        });
        GAP * sum / count
    };
    let shifts: Vec<DVec3> = copies.iter().map(toward_middle).collect();
    // Within a cloth the density is the same everywhere, so that areas will do for masses.
    let areas: Vec<f64> = copies.iter().map(|v| lumped_mass(mesh, attributes, *v, 1.0)).collect();
    let moment: DVec3 = shifts.iter().zip(&areas).map(|(shift, area)| *shift * *area).sum();
    let mean = moment / areas.iter().sum::<f64>();
    for (v, shift) in copies.iter().zip(shifts) {
        attributes.vertices[*v].position += shift - mean;
    }
}
