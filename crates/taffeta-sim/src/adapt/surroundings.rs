//! The obstacles as they stand while the cloths are remeshed.

use glam::DVec3;
use taffeta_contact::boxes::{Aabb, MovingBox};
use taffeta_contact::bvh::BoxTree;
use taffeta_contact::shape::WorldShape;
use taffeta_core::geometry::closest_point_on_triangle;
use taffeta_remesh::{Plane, Surroundings};

/// The first distance within which faces are looked for, relative to the reach.
const FIRST_REACH: f64 = 1.0 / 64.0;

/// All obstacles at one time.
#[derive(Debug)]
pub(crate) struct FixedObstacles {
    /// The obstacles in closed form.
    pub shapes: Vec<WorldShape>,
    /// The corners of the faces of the others \[m\], and a tree over them.
    faces: Vec<[DVec3; 3]>,
    tree: BoxTree,
}

impl FixedObstacles {
    pub(crate) fn new(shapes: Vec<WorldShape>, faces: Vec<[DVec3; 3]>) -> Self {
        let boxes: Vec<_> = faces.iter().map(|x| MovingBox::still(Aabb::around(*x))).collect();
        Self { shapes, faces, tree: BoxTree::build(&boxes) }
    }

    /// The faces whose boxes meet one.
    pub(crate) fn faces_in(&self, area: &Aabb) -> Vec<[DVec3; 3]> {
        let mut found = Vec::new();
        self.tree.query(&MovingBox::still(*area), |number| found.push(self.faces[number as usize]));
        found
    }

    /// The nearest point of a face within `reach` \[m\] of a point, with its distance. The search widens until it finds one,
    /// so that it costs as much as what is near.
    fn nearest_on_faces(&self, point: DVec3, reach: f64) -> Option<(f64, DVec3)> {
        let mut radius = reach * FIRST_REACH;
        loop {
            let area = Aabb::around([point]).inflated(radius);
            let on_face = |x: [DVec3; 3]| {
                let [a, b, c] = closest_point_on_triangle(point, x);
                let nearest = x[0] * a + x[1] * b + x[2] * c;
                (point.distance(nearest), nearest)
            };
            let nearer =
                |best: (f64, DVec3), found: (f64, DVec3)| if found.0 < best.0 { found } else { best };
            let found = self.faces_in(&area).into_iter().map(on_face).reduce(nearer);
            if let Some(nearest) = found.filter(|(distance, _)| *distance <= radius) {
                return Some(nearest);
            }
            if radius >= reach {
                return None;
            }
            radius = (2.0 * radius).min(reach);
        }
    }
}

impl Surroundings for FixedObstacles {
    fn nearest(&self, point: DVec3, reach: f64) -> Option<Plane> {
        let of_shape = |shape: &WorldShape| {
            let (distance, normal) = shape.signed_distance(point);
            (distance.abs(), Plane { normal, point: point - normal * distance })
        };
        let on_faces = self.nearest_on_faces(point, reach).map(|(distance, nearest)| {
            (distance, Plane { normal: (point - nearest).normalize_or_zero(), point: nearest })
        });
        let found = self.shapes.iter().map(of_shape).chain(on_faces);
        let nearest = found.reduce(|best, found| if found.0 < best.0 { found } else { best });
        nearest.filter(|(distance, _)| *distance <= reach).map(|(_, plane)| plane)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use taffeta_core::random::SplitMix64;

    #[test]
    fn the_nearest_face_is_that_of_a_search_over_all() {
        let mut random = SplitMix64(9);
        let mut point = |size: f64| DVec3::from_array([0; 3].map(|_| size * (random.next_unit() - 0.5)));
        let faces: Vec<_> = (0..200)
            .map(|_| {
                let center = point(1.0);
                [center + point(0.2), center + point(0.2), center + point(0.2)]
            })
            .collect();
        let obstacles = FixedObstacles::new(Vec::new(), faces.clone());
        let (mut near, mut far) = (0, 0);
        for _ in 0..500 {
            let x = point(2.0);
            let distance = |face: &[DVec3; 3]| {
                let [a, b, c] = closest_point_on_triangle(x, *face);
                x.distance(face[0] * a + face[1] * b + face[2] * c)
            };
            let least = faces.iter().map(distance).fold(f64::INFINITY, f64::min);
            match obstacles.nearest(x, 0.2) {
                Some(plane) => assert!((plane.height(x) - least).abs() < 1e-14 && least <= 0.2),
                None => assert!(least > 0.2, "{least}"),
            }
            near += usize::from(least <= 0.2);
            far += usize::from(least > 0.2);
        }
        assert!(near > 50 && far > 50, "{near} {far}");
    }

    #[test]
    fn of_a_ball_and_a_face_the_nearer_one_counts() {
        let ball = WorldShape::Sphere { center: DVec3::ZERO, radius: 0.5 };
        let face = [DVec3::new(-1.0, -1.0, 1.0), DVec3::new(1.0, -1.0, 1.0), DVec3::new(0.0, 2.0, 1.0)];
        let obstacles = FixedObstacles::new(vec![ball], vec![face]);
        let over_ball = obstacles.nearest(DVec3::new(0.0, 0.0, 0.6), 0.3).unwrap();
        assert!((over_ball.height(DVec3::new(0.3, 0.0, 0.6)) - 0.1).abs() < 1e-15);
        let below_face = obstacles.nearest(DVec3::new(0.0, 0.0, 0.9), 0.3).unwrap();
        assert!((below_face.normal + DVec3::Z).length() < 1e-14, "{}", below_face.normal);
        assert_eq!(obstacles.nearest(DVec3::new(0.0, 0.0, 2.0), 0.3), None);
    }
}
