//! The rest shape around a vertex or an edge, as edits see it: charts, seams and lines that must stay.
//!
//! ```text
//!            k                 a seam: the faces on its two sides disagree in the coordinates of its ends.
//!     panel  ║  panel          A vertex on it has a coordinate per side. Going around it counter-clockwise
//!       1    i    0            from one of its seam edges, faces belong to the one panel up to the other seam
//!            ║                 edge, and to the other panel from there on.
//!            j
//! ```

use crate::attributes::SheetAttributes;
use glam::DVec2;
use std::f64::consts::{PI, TAU};
use taffeta_core::geometry::hinge_angle;
use taffeta_core::math::{atan2, sin_cos};
use taffeta_mesh::{EdgeKey, FaceKey, Halfedge, HalfedgeMesh, Side, VertexKey};

/// Rest angles closer to a full fold than this are not used \[rad\]: the sign of such an angle is not reliable.
const REST_ANGLE_MARGIN: f64 = 0.1;

/// Material coordinates \[m\] of tail and tip of a half-edge, as its face sees them.
#[inline]
pub(crate) fn span(mesh: &HalfedgeMesh, attributes: &SheetAttributes, he: Halfedge) -> [DVec2; 2] {
    [attributes.material_of(he), attributes.material_of(mesh.next(he))]
}

/// Returns whether the rest shape of the cloth of a face is in space: every face is then a chart of its own, and no
/// edge a seam.
#[inline]
pub(crate) fn is_in_space(attributes: &SheetAttributes, f: FaceKey) -> bool {
    attributes.faces[f].rest_error.is_some()
}

/// Returns whether the two faces of an edge disagree in the material coordinates of its ends.
pub fn is_seam(mesh: &HalfedgeMesh, attributes: &SheetAttributes, e: EdgeKey) -> bool {
    let [Some(f), Some(_)] = mesh.edge_faces(e) else { return false };
    let he = Halfedge::new(e, Side::First);
    let ([a, b], [c, d]) = (span(mesh, attributes, he), span(mesh, attributes, he.twin()));
    (a, b) != (d, c) && !is_in_space(attributes, f)
}

/// Returns whether an edge is to stay where it is: one of the boundary or of a seam.
pub(crate) fn is_feature(mesh: &HalfedgeMesh, attributes: &SheetAttributes, e: EdgeKey) -> bool {
    mesh.is_boundary_edge(e) || is_seam(mesh, attributes, e)
}

/// A face at the tail of a half-edge.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Wedge {
    /// The side of the face that leaves the tail.
    pub out: Halfedge,
    /// The material coordinate of the half-edge's tip in the chart of the face \[m\].
    pub tip: DVec2,
}

/// The faces around the tail of a half-edge of a cloth with material coordinates, counter-clockwise from it.
///
/// A seam or the boundary must lead through the tail only if the half-edge lies on it. With more lines than that the charts of
/// some faces do not know the tip.
pub(crate) fn wedges(mesh: &HalfedgeMesh, attributes: &SheetAttributes, he: Halfedge) -> Vec<Wedge> {
    let beyond = (!mesh.is_boundary_halfedge(he.twin())).then(|| attributes.material_of(he.twin()));
    let ahead = (!mesh.is_boundary_halfedge(he)).then(|| attributes.material_of(mesh.next(he)));
    let mut tip = ahead.or(beyond).expect("an edge has a face");
    // One chart all around, unless the two sides of the half-edge disagree.
    let has_charts = beyond.is_some_and(|beyond| beyond != tip) || is_seam(mesh, attributes, he.edge);
    let mut wedges = Vec::with_capacity(8);
    for out in mesh.halfedges_around_from(he) {
        if has_charts && out != he && is_seam(mesh, attributes, out.edge) {
            tip = beyond.unwrap_or(tip);
        }
        if !mesh.is_boundary_halfedge(out) {
            wedges.push(Wedge { out, tip });
        }
    }
    wedges
}

/// Why a vertex may not move along an edge.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum OffLine {
    /// The edge leaves the line.
    Leaves,
    /// The vertex is where lines meet, end or turn.
    Corner,
}

/// Checks whether boundary and seams allow the tail of a half-edge to move to its tip. It may off them. It also may
/// along the only one, where that is straight up to a sine, in the charts of both sides of a seam.
pub(crate) fn check_line(
    mesh: &HalfedgeMesh,
    attributes: &SheetAttributes,
    he: Halfedge,
    straight_sine: f64,
) -> Result<(), OffLine> {
    let i = mesh.tail(he);
    let lines: Vec<Halfedge> =
        mesh.halfedges_around(i).filter(|out| is_feature(mesh, attributes, out.edge)).collect();
    if lines.is_empty() {
        return Ok(());
    }
    if !lines.contains(&he) {
        return Err(OffLine::Leaves);
    }
    let [a, b] = lines[..] else { return Err(OffLine::Corner) };
    let on = if a == he { b } else { a };
    if attributes.faces[mesh.faces_around(i).next().expect("a vertex has a face")].rest_error.is_some() {
        let turn = PI - angle_sum(mesh, attributes, i);
        return if turn.abs() <= straight_sine { Ok(()) } else { Err(OffLine::Corner) };
    }
    // From each of the two to the other, counter-clockwise, lies the chart of one side.
    let is_straight = [(he, on), (on, he)]
        .into_iter()
        .filter(|(start, _)| !mesh.is_boundary_halfedge(*start))
        .all(|(start, end)| {
            let [u_i, u_start] = span(mesh, attributes, start);
            let (ahead, behind) = (u_start - u_i, u_i - attributes.material_of(end.twin()));
            ahead.dot(behind) > 0.0
                && ahead.perp_dot(behind).abs() <= straight_sine * ahead.length() * behind.length()
        });
    if is_straight { Ok(()) } else { Err(OffLine::Corner) }
}

/// The sum of the rest angles of the faces at a vertex \[rad\].
fn angle_sum(mesh: &HalfedgeMesh, attributes: &SheetAttributes, v: VertexKey) -> f64 {
    let faces = mesh.halfedges_around(v).filter(|&out| !mesh.is_boundary_halfedge(out));
    faces.map(|out| angle_at(mesh, attributes, out)).sum()
}

/// The rest angle at the tail of a half-edge in its face \[rad\].
fn angle_at(mesh: &HalfedgeMesh, attributes: &SheetAttributes, out: Halfedge) -> f64 {
    let [u, a] = span(mesh, attributes, out);
    let b = attributes.material_of(mesh.prev(out));
    atan2((a - u).perp_dot(b - u), (a - u).dot(b - u))
}

/// The ring of a vertex laid out in the plane around it \[m\]: edges as long as they are at rest, angles in proportion to
/// those of the faces. Exact where the ring is flat; where a seam or the shape has a cone they share what is missing.
pub(crate) fn unroll(
    mesh: &HalfedgeMesh,
    attributes: &SheetAttributes,
    i: VertexKey,
) -> Vec<(VertexKey, DVec2)> {
    let sum = angle_sum(mesh, attributes, i);
    let (scale, gap) = if mesh.is_boundary_vertex(i) { (1.0, TAU - sum) } else { (TAU / sum, 0.0) };
    let mut angle = 0.0;
    let mut ring = vec![(i, DVec2::ZERO)];
    for out in mesh.halfedges_around(i) {
        let is_outside = mesh.is_boundary_halfedge(out);
        let [tail, tip] = span(mesh, attributes, if is_outside { out.twin() } else { out });
        let (sine, cosine) = sin_cos(angle);
        ring.push((mesh.tip(out), tail.distance(tip) * DVec2::new(cosine, sine)));
        angle += if is_outside { gap } else { scale * angle_at(mesh, attributes, out) };
    }
    ring
}

/// The hinge angle of an edge in the rest shape in space \[rad\], kept away from full folds; 0 on the boundary.
pub(crate) fn rest_angle(mesh: &HalfedgeMesh, attributes: &SheetAttributes, e: EdgeKey) -> f64 {
    let he = Halfedge::new(e, Side::First);
    let (Some(a), Some(b)) = (mesh.opposite(he), mesh.opposite(he.twin())) else { return 0.0 };
    let [p, q] = mesh.ends(he);
    let limit = PI - REST_ANGLE_MARGIN;
    hinge_angle([p, q, a, b].map(|v| attributes.vertices[v].start)).clamp(-limit, limit)
}
