//! Surroundings of the vertices and edges of a surface: they tell whether the surface is nearest at a point on one of
//! them.
//!
//! A pair of primitives knows nothing of their neighbors. A vertex that lies on a flat mesh, beside one of its edges, is
//! near that edge too, in a slanted direction. A contact there would hold up cloth that slides over the mesh, like a bump.
//! Contact acts where the distance has a local minimum over the surface.

use crate::broad::elements::Elements;
use crate::contacts::points::Point;
use glam::DVec3;

/// Cosine from which a direction counts as one of approach, or still does: below round-off of positions, above that of
/// their differences.
const SLACK: f64 = 1e-6;

/// Criterion for a nearest point.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Nearest {
    /// No neighboring point is nearer.
    Weakly,
    /// All neighboring points are farther.
    Strictly,
}

/// The elements around each vertex.
#[derive(Clone, Debug, Default)]
pub(crate) struct FeatureNeighborhoods {
    offsets: Vec<u32>,
    corners: Vec<[u32; 3]>,
}

impl FeatureNeighborhoods {
    pub(crate) fn build(elements: &Elements) -> Self {
        let mut offsets = vec![0; elements.vertex_count + 1];
        let each = || elements.list.iter().flat_map(|e| e.corners.map(|v| (v as usize, e.corners)));
        each().for_each(|(v, _)| offsets[v + 1] += 1);
        (0..elements.vertex_count).for_each(|v| offsets[v + 1] += offsets[v]);
        let mut places: Vec<u32> = offsets.clone();
        let mut corners = vec![[0; 3]; offsets[elements.vertex_count] as usize];
        each().for_each(|(v, face)| {
            corners[places[v] as usize] = face;
            places[v] += 1;
        });
        Self { offsets, corners }
    }

    fn around(&self, v: u32) -> &[[u32; 3]] {
        let range = self.offsets[v as usize] as usize..self.offsets[v as usize + 1] as usize;
        &self.corners[range]
    }

    /// The first element at a vertex.
    pub(crate) fn first_at(&self, v: u32) -> Option<[u32; 3]> {
        self.around(v).first().copied()
    }

    /// The direction in the normal cone of a point that is next to a unit vector `toward`: in no direction from there does the
    /// surface come closer that way. `None` if that lies farther outside than by an angle of which `lean` is the sine. Inside of
    /// a face it is the vector itself.
    pub(crate) fn clamp(
        &self,
        point: &Point,
        toward: DVec3,
        lean: f64,
        at: impl Fn(u32) -> DVec3,
    ) -> Option<DVec3> {
        let [a, b, _] = point.vertices;
        let mut clamped = toward;
        let mut cut = |way: DVec3| {
            let way = way.normalize_or_zero();
            clamped -= way * clamped.dot(way).max(0.0);
            toward.dot(way) <= lean.max(SLACK)
        };
        let is_inside = match point.count {
            1 => self.around(a).iter().flatten().filter(|v| **v != a).all(|v| cut(at(*v) - at(a))),
            2 => {
                let along = (at(b) - at(a)).normalize_or_zero();
                let faces = self.around(a).iter().filter(|corners| corners.contains(&b));
                let mut apexes = faces.filter_map(|corners| corners.iter().find(|v| **v != a && **v != b));
                apexes.all(|v| cut((at(*v) - at(a)).reject_from(along)))
            }
            _ => true,
        };
        is_inside.then(|| clamped.try_normalize()).flatten()
    }

    /// Returns whether a point on a vertex or edge is nearest to another point, which lies off it by `gap` \[m\],
    /// among the points of the surface around it. One inside a face always is.
    pub(crate) fn is_nearest(
        &self,
        point: &Point,
        gap: DVec3,
        how: Nearest,
        at: impl Fn(u32) -> DVec3,
    ) -> bool {
        let slack = if how == Nearest::Strictly { -SLACK } else { SLACK };
        let is_nearer = |way: DVec3| gap.dot(way) > slack * gap.length() * way.length();
        let [a, b, _] = point.vertices;
        match point.count {
            1 => {
                let neighbors = self.around(a).iter().flatten().filter(|v| **v != a);
                !neighbors.into_iter().any(|v| is_nearer(at(*v) - at(a)))
            }
            2 => {
                let Some(along) = (at(b) - at(a)).try_normalize() else { return true };
                let faces = self.around(a).iter().filter(|corners| corners.contains(&b));
                let mut apexes = faces.filter_map(|corners| corners.iter().find(|v| **v != a && **v != b));
                !apexes.any(|v| is_nearer((at(*v) - at(a)).reject_from_normalized(along)))
            }
            _ => true,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn point(vertices: &[u32]) -> Point {
        let mut point = Point { vertices: [vertices[0]; 3], weights: [0.0; 3], count: vertices.len() };
        point.vertices[..vertices.len()].copy_from_slice(vertices);
        point
    }

    /// A roof: two faces on both sides of a ridge along z, whose feet are at a height \[m\].
    fn roof(height: f64) -> (FeatureNeighborhoods, [DVec3; 4]) {
        let mut elements = Elements::default();
        elements.add_triangles(4, &[[0, 1, 2], [1, 0, 3]], |_| 0);
        let feet = [1.0, -1.0].map(|x| DVec3::new(x, height, 0.5));
        (FeatureNeighborhoods::build(&elements), [DVec3::ZERO, DVec3::Z, feet[0], feet[1]])
    }

    #[test]
    fn over_a_ridge_the_edge_is_nearest_and_beside_a_flat_edge_it_is_not() {
        let nearest = |height: f64, gap: DVec3, how| {
            let (fans, x) = roof(height);
            fans.is_nearest(&point(&[0, 1]), gap, how, |v| x[v as usize])
        };
        let (up, slanted) = (DVec3::Y, DVec3::new(0.3, 1.0, 0.0));
        for how in [Nearest::Weakly, Nearest::Strictly] {
            assert!(nearest(-0.5, up, how) && nearest(-0.5, slanted, how), "{how:?}");
            assert!(!nearest(-0.1, slanted, how) && !nearest(0.2, up, how), "{how:?}");
            assert!(!nearest(0.0, slanted, how) && !nearest(0.0, -slanted, how), "{how:?}");
        }
        assert!(nearest(0.0, up, Nearest::Weakly) && !nearest(0.0, up, Nearest::Strictly));
    }

    #[test]
    fn a_direction_is_clamped_to_the_normal_cone_if_it_leans_a_little() {
        let clamped = |height: f64, toward: DVec3, lean| {
            let (fans, x) = roof(height);
            fans.clamp(&point(&[0, 1]), toward.normalize(), lean, |v| x[v as usize])
        };
        let slanted = DVec3::new(0.03, 1.0, 0.0);
        assert_eq!(clamped(-0.5, slanted, 0.0), Some(slanted.normalize()), "within the cone of a ridge");
        assert_eq!(clamped(0.0, slanted, 0.0), None);
        let up = clamped(0.0, slanted, 0.05).unwrap();
        assert!(up.distance(DVec3::Y) < 1e-15, "{up}");
        assert_eq!(clamped(0.0, DVec3::new(0.06, 1.0, 0.0), 0.05), None);
        // Over a hollow no direction is within the cone; one that is about as far from both sides is kept.
        assert_eq!(clamped(0.2, DVec3::Y, 0.05), None);
        assert!(clamped(0.02, DVec3::Y, 0.05).unwrap().distance(DVec3::Y) < 0.05);
    }

    #[test]
    fn a_corner_is_nearest_where_all_its_edges_lead_away() {
        let (fans, x) = roof(-0.5);
        let at = |v: u32| x[v as usize];
        let tip = point(&[0]);
        assert!(fans.is_nearest(&tip, DVec3::new(0.0, 1.0, -0.5), Nearest::Strictly, at));
        assert!(
            !fans.is_nearest(&tip, DVec3::new(0.0, 1.0, 0.5), Nearest::Weakly, at),
            "the ridge is nearer"
        );
        assert!(fans.is_nearest(&point(&[0, 1, 2]), DVec3::X, Nearest::Strictly, at), "inside a face");
    }
}
