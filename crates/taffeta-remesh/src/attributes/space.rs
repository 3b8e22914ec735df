//! Edits of a rest shape in space: that of a cloth without material coordinates, which is at rest as it starts.
//!
//! The start positions carry the rest shape. A split puts a vertex on the surface that is there, so the rest shape stays what
//! it was. A flip or a collapse replaces faces by others through the same vertices. The lengths and angles at rest are those of
//! the new faces, so a shape at rest stays at rest, exactly.
//!
//! The surface itself moves, by the distance of the two diagonals in a flip, by the height of the removed vertex over the new
//! faces in a collapse. Faces add up their displacements, and an edit beyond a limit is refused: passes that undo each other
//! cannot wear the shape away. On flat parts, along straight creases and at flat boundaries nothing moves.
//!
//! Laying the one-ring of a vertex out in the plane instead was rejected. It needs no positions, but a curved one-ring has no
//! plane layout, and nothing remembers how far the shape has drifted.
//!
//! The frame of a face is in space the direction of its first material axis, the warp. A face that an edit changes keeps
//! the warp that it had, turned into its new plane; the two faces of a flip take the mean of both.

use crate::attributes::SheetAttributes;
use crate::attributes::rest::rest_angle;
use glam::{DVec2, DVec3};
use taffeta_core::geometry::flatten_triangle;
use taffeta_mesh::{EdgeKey, FaceKey, Halfedge, HalfedgeMesh, Side, VertexKey};

/// A warp whose part in the new plane is shorter than this is replaced by the direction of an edge.
const WARP_MIN: f64 = 1e-3;

/// Data that an edit of a rest shape in space leaves behind: the warp of each face that stays, and how far the shape
/// has moved.
#[derive(Clone, Debug)]
pub(crate) struct Relay {
    warps: Vec<(FaceKey, DVec3)>,
    error: f64,
}

/// Start positions of some vertices \[m\].
#[inline]
pub(crate) fn starts<const N: usize>(attributes: &SheetAttributes, vertices: [VertexKey; N]) -> [DVec3; N] {
    vertices.map(|v| attributes.vertices[v].start)
}

/// The first material axis of a face in space, times its area \[m²\].
pub(crate) fn weighted_warp(mesh: &HalfedgeMesh, attributes: &SheetAttributes, f: FaceKey) -> DVec3 {
    let u = attributes.face_material(mesh, f);
    let [x0, x1, x2] = starts(attributes, mesh.face_vertices(f));
    let (e1, e2) = (u[1] - u[0], u[2] - u[0]);
    0.5 * (e2.y * (x1 - x0) - e1.y * (x2 - x0))
}

fn error_of(attributes: &SheetAttributes, f: FaceKey) -> f64 {
    attributes.faces[f].rest_error.unwrap_or(0.0)
}

/// Distance of the rest shape from the input around an edge if it is flipped \[m\].
pub(crate) fn flip_error(mesh: &HalfedgeMesh, attributes: &SheetAttributes, e: EdgeKey) -> f64 {
    let before = mesh.edge_faces(e).into_iter().flatten().map(|f| error_of(attributes, f));
    before.fold(0.0, f64::max) + flip_move(mesh, attributes, e)
}

/// Displacement of the surface by a flip: the distance of the two diagonals \[m\].
pub(crate) fn flip_move(mesh: &HalfedgeMesh, attributes: &SheetAttributes, e: EdgeKey) -> f64 {
    let he = Halfedge::new(e, Side::First);
    let [Some(c), Some(d)] = [mesh.opposite(he), mesh.opposite(he.twin())] else { return f64::INFINITY };
    let [a, b] = mesh.ends(he);
    let [a, b, c, d] = starts(attributes, [a, b, c, d]);
    let across = (b - a).cross(d - c);
    let length = across.length();
    if length > 0.0 { (c - a).dot(across).abs() / length } else { f64::INFINITY }
}

/// Distance of the rest shape from the input around a tail if it is merged into its tip \[m\].
pub(crate) fn collapse_error(mesh: &HalfedgeMesh, attributes: &SheetAttributes, he: Halfedge) -> f64 {
    let [i, j] = mesh.ends(he);
    let [x_i, x_j] = starts(attributes, [i, j]);
    let (mut before, mut moved) = (0.0_f64, 0.0_f64);
    for out in mesh.halfedges_around(i) {
        let Some(f) = mesh.face(out) else { continue };
        before = before.max(error_of(attributes, f));
        let [a, b] = mesh.ends(mesh.next(out));
        if a == j || b == j {
            continue;
        }
        let [x_a, x_b] = starts(attributes, [a, b]);
        let normal = (x_a - x_j).cross(x_b - x_j);
        let length = normal.length();
        moved = moved.max(if length > 0.0 { (x_i - x_j).dot(normal).abs() / length } else { f64::INFINITY });
    }
    before + moved.max(outline_move(mesh, attributes, i))
}

/// Displacement of the outline if a vertex of it is removed: the distance to the line through its two neighbors \[m\]; 0 off
/// the outline.
pub(crate) fn outline_move(mesh: &HalfedgeMesh, attributes: &SheetAttributes, i: VertexKey) -> f64 {
    if !mesh.is_boundary_vertex(i) {
        return 0.0;
    }
    let out = mesh.halfedge_from(i);
    let [x_i, x_0, x_1] = starts(attributes, [i, mesh.tip(out), mesh.tail(mesh.prev(out))]);
    (x_i - x_0).cross(x_1 - x_0).length() / x_0.distance(x_1)
}

/// Relay that a flip is to leave behind; read before the flip.
pub(crate) fn relay_of_flip(mesh: &HalfedgeMesh, attributes: &SheetAttributes, e: EdgeKey) -> Relay {
    let faces = || mesh.edge_faces(e).into_iter().flatten();
    let mean: DVec3 = faces().map(|f| weighted_warp(mesh, attributes, f)).sum();
    Relay { warps: faces().map(|f| (f, mean)).collect(), error: flip_error(mesh, attributes, e) }
}

/// Relay that a collapse is to leave behind; read before the collapse.
pub(crate) fn relay_of_collapse(mesh: &HalfedgeMesh, attributes: &SheetAttributes, he: Halfedge) -> Relay {
    let removed = mesh.edge_faces(he.edge);
    let kept = mesh.faces_around(mesh.tail(he)).filter(|&f| !removed.contains(&Some(f)));
    let warps = kept.map(|f| (f, weighted_warp(mesh, attributes, f))).collect();
    Relay { warps, error: collapse_error(mesh, attributes, he) }
}

/// Relay that a split leaves behind whose vertex was moved off the edge; read after the split.
pub(crate) fn relay_of_split(mesh: &HalfedgeMesh, attributes: &SheetAttributes, v: VertexKey) -> Relay {
    let faces = || mesh.faces_around(v);
    Relay {
        warps: faces().map(|f| (f, weighted_warp(mesh, attributes, f))).collect(),
        error: faces().map(|f| error_of(attributes, f)).fold(0.0, f64::max),
    }
}

impl Relay {
    /// Lays the faces flat again after the edit, and gives them and their edges the rest shape that they have now.
    pub(crate) fn apply(&self, mesh: &HalfedgeMesh, attributes: &mut SheetAttributes) {
        for &(f, warp) in &self.warps {
            lay_flat(mesh, attributes, f, warp);
            attributes.faces[f].rest_error = Some(self.error);
        }
        for &(f, _) in &self.warps {
            for he in mesh.face_halfedges(f) {
                attributes.edges[he.edge].rest_angle = rest_angle(mesh, attributes, he.edge);
            }
        }
    }
}

/// Gives the corners of a face their places in its own plane, with the warp along the first axis.
fn lay_flat(mesh: &HalfedgeMesh, attributes: &mut SheetAttributes, f: FaceKey, warp: DVec3) {
    let halfedges = mesh.face_halfedges(f);
    let x = starts(attributes, halfedges.map(|he| mesh.tail(he)));
    let normal = (x[1] - x[0]).cross(x[2] - x[0]).normalize_or_zero();
    let along = warp - normal * warp.dot(normal);
    let is_clear = along.length() > WARP_MIN * warp.length() && along.length() > 0.0;
    let first = if is_clear { along.normalize() } else { (x[1] - x[0]).normalize_or_zero() };
    let second = normal.cross(first);
    let corners = x.map(|x_k| DVec2::new((x_k - x[0]).dot(first), (x_k - x[0]).dot(second)));
    for (k, he) in halfedges.into_iter().enumerate() {
        let sides = &mut attributes.edges[he.edge].corners;
        sides[he.side.index()] = corners[k];
        if mesh.is_boundary_halfedge(he.twin()) {
            sides[he.twin().side.index()] = corners[(k + 1) % 3];
        }
    }
}

/// The two faces of an edge laid out side by side in the plane \[m\]: tail and tip of its first side, then the opposite corners
/// on left and right. `None` on the boundary.
pub(crate) fn unfold(mesh: &HalfedgeMesh, attributes: &SheetAttributes, e: EdgeKey) -> Option<[DVec2; 4]> {
    let he = Halfedge::new(e, Side::First);
    let (c, d) = (mesh.opposite(he)?, mesh.opposite(he.twin())?);
    let [a, b] = mesh.ends(he);
    let [a, b, c, d] = starts(attributes, [a, b, c, d]);
    let length = a.distance(b);
    let place = |x: DVec3| {
        let along = (x - a).dot(b - a) / length;
        DVec2::new(along, (x - a).cross(b - a).length() / length)
    };
    let (left, right) = (place(c), place(d));
    Some([DVec2::ZERO, DVec2::new(length, 0.0), left, DVec2::new(right.x, -right.y)])
}

/// A face through given start positions, laid flat; clockwise if its normal turns by more than a right angle against
/// that of the face it takes the place of.
pub(crate) fn lay_against(before: [DVec3; 3], after: [DVec3; 3]) -> [DVec2; 3] {
    let normal = |[a, b, c]: [DVec3; 3]| (b - a).cross(c - a);
    let flat = flatten_triangle(after);
    if normal(before).dot(normal(after)) > 0.0 { flat } else { flat.map(|u| DVec2::new(u.x, -u.y)) }
}
