//! Sewing: boundary vertices become one, with their attributes.
//!
//! ```text
//!      panel a                    panel a
//!   ───a₀────a₁────a₂───       ───v₀════v₁════v₂───    v: one place in the world, a material coordinate per side
//!      ┆     ┆     ┆       →
//!   ───b₀────b₁────b₂───          panel b
//!      panel b
//! ```
//!
//! The vertices that become one meet in their center of mass and move with its velocity, so that mass, linear momentum and
//! material area are kept exactly. What is lost is the motion of the sides against each other.

use crate::attributes::{EdgeAttributes, SheetAttributes, VertexAttributes, lumped_mass};
use crate::transfer::split_with_transfer;
use glam::DVec3;
use slotmap::SecondaryMap;
use taffeta_core::Region;
use taffeta_core::geometry::hinge_angle;
use taffeta_core::math::Sym2;
use taffeta_mesh::{Halfedge, HalfedgeMesh, Side, VertexKey, WeldBlocked, WeldRecord};

/// Makes the vertices of each pair one, of cloths with material coordinates. Inner edges that would be in the way are split
/// before; `pins` are the regions of the pins by number. A vertex that a pin holds stays where it is; of several the first
/// by key does.
///
/// # Errors
/// As [`HalfedgeMesh::weld`]; at most some edges have been split then.
///
/// # Panics
/// If a vertex refers to a pin that does not exist.
pub fn weld_with_transfer(
    mesh: &mut HalfedgeMesh,
    attributes: &mut SheetAttributes,
    pairs: &[[VertexKey; 2]],
    pins: &[Region],
) -> Result<WeldRecord, WeldBlocked> {
    for e in mesh.find_doubled_edges(pairs)? {
        split_with_transfer(mesh, attributes, e, pins).expect("an edge of the mesh can be split");
    }
    // Within a cloth the density is the same everywhere, so that areas will do for masses.
    let mut areas = SecondaryMap::new();
    for v in pairs.iter().flatten() {
        if mesh.contains_vertex(*v) {
            areas.insert(*v, lumped_mass(mesh, attributes, *v, 1.0));
        }
    }
    let record = mesh.weld(pairs)?;
    for (kept, removed) in &record.merged {
        let mut sum = attributes.vertices[*kept];
        let mut area = areas[*kept];
        for v in removed {
            let other = attributes.vertices.remove(*v).expect("every vertex has attributes");
            sum = merge(sum, area, other, areas[*v]);
            area += areas[*v];
        }
        attributes.vertices.insert(*kept, sum);
    }
    for glued in &record.glued {
        let removed = attributes.edges.remove(glued.removed.edge).expect("every edge has attributes");
        let EdgeAttributes { corners, .. } = &mut attributes.edges[glued.outside.edge];
        corners[glued.outside.side.index()] = removed.corners[glued.removed.side.index()];
    }
    for glued in &record.glued {
        let angle = angle_of(mesh, attributes, glued.outside);
        let EdgeAttributes { corners: _, rest_angle, angle: last, scalar, broken } =
            &mut attributes.edges[glued.outside.edge];
        (*rest_angle, *last, *scalar, *broken) = (0.0, angle, 0.0, false);
    }
    Ok(record)
}

/// Two vertices as one. `a` and `b` come with the areas that they stand for \[m²\].
fn merge(a: VertexAttributes, of_a: f64, b: VertexAttributes, of_b: f64) -> VertexAttributes {
    let VertexAttributes { position, velocity, start, hold, input, metric, is_stitched: _ } = a;
    let (share_a, share_b) = (of_a / (of_a + of_b), of_b / (of_a + of_b));
    let choose = |of_a: DVec3, of_b: DVec3| match (hold, b.hold) {
        (Some(_), _) => of_a,
        (None, Some(_)) => of_b,
        (None, None) => of_a * share_a + of_b * share_b,
    };
    VertexAttributes {
        position: choose(position, b.position),
        velocity: choose(velocity, b.velocity),
        start: choose(start, b.start),
        hold: hold.or(b.hold),
        input: input.or(b.input),
        metric: Sym2::default().plus(share_a, &metric).plus(share_b, &b.metric),
        is_stitched: false,
    }
}

/// The hinge angle of an inner edge as it is \[rad\].
fn angle_of(mesh: &HalfedgeMesh, attributes: &SheetAttributes, he: Halfedge) -> f64 {
    let he = Halfedge::new(he.edge, Side::First);
    let [p, q] = mesh.ends(he);
    let opposite = |he: Halfedge| mesh.opposite(he).expect("a glued edge has two faces");
    hinge_angle([p, q, opposite(he), opposite(he.twin())].map(|v| attributes.vertices[v].position))
}
