//! Points of the input that faces stand for, where the rest shape is in space and the input is at hand.
//!
//! ```text
//!        x                 The collapse of i into j removes a vertex that lies on the input. From then on the nearest of
//!       ╱ ╲     ╱╲         the faces that fill its ring answers for the point x where it was, and so on through the edits
//!   ───i───j ──╱──╲─j      that replace that face. An edit after which a point would be farther from its faces than the
//!                          tolerance is refused.
//! ```
//!
//! This bounds the distance of what was removed from the result (R. Klein, G. Liebich, W. Straßer, Mesh reduction with
//! error control, 1996). Vertices of the result lie on the input, so nothing adds up. In a simulation no input is at hand
//! and the moves of single edits are added instead (`space`), which says many times as much where a mesh becomes much
//! coarser.

use crate::attributes::SheetAttributes;
use crate::attributes::space::{flip_move, outline_move, starts};
use glam::DVec3;
use slotmap::SecondaryMap;
use taffeta_core::geometry::closest_point_on_triangle;
use taffeta_mesh::{EdgeKey, FaceKey, Halfedge, HalfedgeMesh, SplitRecord};

/// A face with the start positions of its corners \[m\].
type Placed = (FaceKey, [DVec3; 3]);

/// See the module page.
#[derive(Clone, Debug, Default)]
pub(crate) struct InputSamples {
    /// Points \[m\] by the face that stands for them; faces without any have no entry.
    points: SecondaryMap<FaceKey, Vec<DVec3>>,
}

impl InputSamples {
    /// Returns whether merging the tail of a half-edge into its tip keeps all points within a tolerance \[m\].
    pub(crate) fn allow_collapse(
        &self,
        mesh: &HalfedgeMesh,
        attributes: &SheetAttributes,
        he: Halfedge,
        tolerance: f64,
    ) -> bool {
        let i = mesh.tail(he);
        let after = faces_after_collapse(mesh, attributes, he);
        let is_near =
            |x: DVec3| nearest(&after, x).is_some_and(|(_, squared)| squared <= tolerance * tolerance);
        let [x_i] = starts(attributes, [i]);
        is_near(x_i)
            && outline_move(mesh, attributes, i) <= tolerance
            && mesh.faces_around(i).all(|f| self.of_face(f).iter().all(|&x| is_near(x)))
    }

    /// Returns whether a flip keeps all points, and the surface between the two diagonals, within a tolerance \[m\].
    pub(crate) fn allow_flip(
        &self,
        mesh: &HalfedgeMesh,
        attributes: &SheetAttributes,
        e: EdgeKey,
        tolerance: f64,
    ) -> bool {
        let he = Halfedge::new(e, taffeta_mesh::Side::First);
        let [Some(c), Some(d)] = [mesh.opposite(he), mesh.opposite(he.twin())] else { return false };
        if flip_move(mesh, attributes, e) > tolerance {
            return false;
        }
        let [a, b] = mesh.ends(he);
        let after = [[d, c, a], [c, d, b]].map(|corners| starts(attributes, corners));
        let is_near =
            |x: &DVec3| after.iter().any(|face| distance_squared(*face, *x) <= tolerance * tolerance);
        mesh.edge_faces(e).into_iter().flatten().all(|f| self.of_face(f).iter().all(is_near))
    }

    fn of_face(&self, f: FaceKey) -> &[DVec3] {
        self.points.get(f).map_or(&[], Vec::as_slice)
    }

    /// Hands the points over in a collapse that is about to be made, that of the removed vertex with them.
    pub(crate) fn record_collapse(
        &mut self,
        mesh: &HalfedgeMesh,
        attributes: &SheetAttributes,
        he: Halfedge,
    ) {
        let i = mesh.tail(he);
        let after = faces_after_collapse(mesh, attributes, he);
        self.pass_on(mesh.faces_around(i), starts(attributes, [i]).to_vec(), &after);
    }

    /// Hands the points over in a flip that was made.
    pub(crate) fn record_flip(&mut self, mesh: &HalfedgeMesh, attributes: &SheetAttributes, e: EdgeKey) {
        let faces: Vec<FaceKey> = mesh.edge_faces(e).into_iter().flatten().collect();
        let after: Vec<Placed> = faces.iter().map(|&f| placed(mesh, attributes, f)).collect();
        self.pass_on(faces.into_iter(), Vec::new(), &after);
    }

    /// Hands the points over in a split that was made.
    pub(crate) fn record_split(
        &mut self,
        mesh: &HalfedgeMesh,
        attributes: &SheetAttributes,
        record: &SplitRecord,
    ) {
        for side in record.sides.iter().flatten() {
            let halves = [side.kept_face, side.created_face].map(|f| placed(mesh, attributes, f));
            self.pass_on([side.kept_face].into_iter(), Vec::new(), &halves);
        }
    }

    /// Takes the points of some faces, adds others, and gives each to the nearest of the faces that stay.
    fn pass_on(&mut self, before: impl Iterator<Item = FaceKey>, mut points: Vec<DVec3>, after: &[Placed]) {
        for f in before {
            points.extend(self.points.remove(f).unwrap_or_default());
        }
        for x in points {
            let (f, _) = nearest(after, x).expect("an edit leaves faces");
            match self.points.get_mut(f) {
                Some(list) => list.push(x),
                None => {
                    self.points.insert(f, vec![x]);
                }
            }
        }
    }
}

fn placed(mesh: &HalfedgeMesh, attributes: &SheetAttributes, f: FaceKey) -> Placed {
    (f, starts(attributes, mesh.face_vertices(f)))
}

/// The faces around the tail of a half-edge that stay, as they are with the tip in its place.
fn faces_after_collapse(mesh: &HalfedgeMesh, attributes: &SheetAttributes, he: Halfedge) -> Vec<Placed> {
    let [i, j] = mesh.ends(he);
    let after = |f: FaceKey| {
        let corners = mesh.face_vertices(f);
        let moved = corners.map(|v| if v == i { j } else { v });
        (!corners.contains(&j)).then(|| (f, starts(attributes, moved)))
    };
    mesh.faces_around(i).filter_map(after).collect()
}

fn distance_squared(corners: [DVec3; 3], x: DVec3) -> f64 {
    let [u, v, w] = closest_point_on_triangle(x, corners);
    (u * corners[0] + v * corners[1] + w * corners[2]).distance_squared(x)
}

/// The nearest of some faces, the first of several, and the square of the distance \[m²\].
fn nearest(faces: &[Placed], x: DVec3) -> Option<(FaceKey, f64)> {
    let distances = faces.iter().map(|&(f, corners)| (f, distance_squared(corners, x)));
    distances.min_by(|(_, a), (_, b)| a.total_cmp(b))
}
