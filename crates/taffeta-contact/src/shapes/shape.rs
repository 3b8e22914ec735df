//! Convex shapes in closed form: as they are described, and placed in the world. A new shape is an arm of each `match` here, a table
//! of the scene file and a mesh for pictures.

use glam::DVec3;
use serde::{Deserialize, Serialize};
use taffeta_core::Pose;
use taffeta_core::geometry::closest_point_on_triangle;

use crate::broad::pair::closest_points_of_segments;

/// The shape of an obstacle in its own frame.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub enum Shape {
    /// A ball around the origin.
    Sphere {
        /// Radius \[m\].
        radius: f64,
    },
    /// The half-space below the plane through the origin.
    Plane {
        /// Unit normal, out of the half-space.
        normal: DVec3,
    },
    /// All points near a segment along the y axis, centered at the origin.
    Capsule {
        /// Radius \[m\].
        radius: f64,
        /// Half the length of the segment \[m\].
        half_length: f64,
    },
    /// A box along the axes, centered at the origin.
    Box {
        /// Half its sides \[m\].
        half_size: DVec3,
    },
}

impl Shape {
    /// Name of the shape in messages.
    pub fn name(&self) -> &'static str {
        match self {
            Shape::Sphere { .. } => "sphere",
            Shape::Plane { .. } => "plane",
            Shape::Capsule { .. } => "capsule",
            Shape::Box { .. } => "box",
        }
    }

    /// Describes what is wrong with the shape at a scale; `None` if it is valid.
    pub fn find_defect(&self, scale: f64) -> Option<String> {
        let is_size = |size: f64| size.is_finite() && size > 0.0;
        match *self {
            Shape::Sphere { radius } => (!is_size(radius * scale))
                .then(|| format!("the sphere's radius is {radius} at scale {scale}; it must be positive")),
            Shape::Plane { normal } => (!normal.is_finite() || normal.length() == 0.0)
                .then(|| format!("the plane's normal is {normal}; it must have a direction")),
            Shape::Capsule { radius, half_length } => {
                let is_fine = [radius, half_length].iter().all(|r| is_size(r * scale));
                (!is_fine).then(|| {
                    format!(
                        "the capsule has a radius of {radius} and a half length of {half_length} at scale {scale}; \
                         both must be positive"
                    )
                })
            }
            Shape::Box { half_size } => {
                let is_fine = half_size.to_array().iter().all(|r| is_size(r * scale));
                (!is_fine).then(|| {
                    format!(
                        "half the sides of the box are {half_size} at scale {scale}; all must be positive"
                    )
                })
            }
        }
    }

    /// Half the sides of the box around the shape in its own frame \[m\]; `None`: it has no end.
    pub fn half_size(&self) -> Option<DVec3> {
        match *self {
            Shape::Sphere { radius } => Some(DVec3::splat(radius)),
            Shape::Plane { .. } => None,
            Shape::Capsule { radius, half_length } => Some(DVec3::new(radius, half_length + radius, radius)),
            Shape::Box { half_size } => Some(half_size),
        }
    }

    /// Moments of inertia of a solid of even density and of this mass \[kg\] about the shape's own axes, at a scale \[kg·m²\]; infinite
    /// for a plane.
    pub fn moments(&self, mass: f64, scale: f64) -> DVec3 {
        match *self {
            Shape::Sphere { radius } => DVec3::splat(0.4 * mass * (radius * scale).powi(2)),
            Shape::Plane { .. } => DVec3::INFINITY,
            Shape::Box { half_size } => {
                let square = (half_size * scale) * (half_size * scale);
                (DVec3::splat(square.element_sum()) - square) * (mass / 3.0)
            }
            Shape::Capsule { radius, half_length } => {
                let (r, l) = (radius * scale, half_length * scale);
                // A cylinder and two half balls, whose centers of mass are 3/8 of the radius from their planes.
                let (tube, caps) = (2.0 * l, 4.0 / 3.0 * r);
                let (tube, caps) = (mass * tube / (tube + caps), mass * caps / (tube + caps));
                let across =
                    tube * (0.25 * r * r + l * l / 3.0) + caps * (0.4 * r * r + l * l + 0.75 * l * r);
                DVec3::new(across, tube * 0.5 * r * r + caps * 0.4 * r * r, across)
            }
        }
    }

    /// Points of the shape in its own frame and their distance from the surface \[m\], at a scale. Another body first touches the shape
    /// over one of them, unless edges of both cross.
    pub fn feelers(&self, scale: f64) -> Vec<(DVec3, f64)> {
        match *self {
            Shape::Sphere { radius } => vec![(DVec3::ZERO, radius * scale)],
            Shape::Plane { .. } => Vec::new(),
            Shape::Capsule { radius, half_length } => {
                [-1.0, 1.0].map(|side| (DVec3::Y * (side * half_length * scale), radius * scale)).into()
            }
            Shape::Box { half_size } => {
                // Corners, and the middles of edges and sides: between boxes of one size no corner is inside the other.
                let part = |k: u32, axis: u32| (f64::from(k / 3_u32.pow(axis) % 3) - 1.0) * scale;
                let points = (0..27).filter(|k| *k != 13);
                points.map(|k| (half_size * DVec3::new(part(k, 0), part(k, 1), part(k, 2)), 0.0)).collect()
            }
        }
    }

    /// The shape in the world, scaled and at a pose.
    pub fn placed(&self, pose: &Pose, scale: f64) -> WorldShape {
        match *self {
            Shape::Sphere { radius } => {
                WorldShape::Sphere { center: pose.translation, radius: radius * scale }
            }
            Shape::Plane { normal } => {
                let normal = (pose.rotation * normal).normalize();
                WorldShape::Plane { normal, offset: normal.dot(pose.translation) }
            }
            Shape::Capsule { radius, half_length } => {
                let arm = DVec3::Y * (half_length * scale);
                WorldShape::Capsule { ends: [pose.apply(-arm), pose.apply(arm)], radius: radius * scale }
            }
            Shape::Box { half_size } => WorldShape::Box { pose: *pose, half_size: half_size * scale },
        }
    }
}

/// A shape in world space.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum WorldShape {
    /// A ball.
    Sphere {
        /// Center \[m\].
        center: DVec3,
        /// Radius \[m\].
        radius: f64,
    },
    /// The half-space `n · x ≤ offset`.
    Plane {
        /// Unit normal.
        normal: DVec3,
        /// Distance of the plane from the origin along the normal \[m\].
        offset: f64,
    },
    /// All points near a segment.
    Capsule {
        /// The ends of the segment \[m\].
        ends: [DVec3; 2],
        /// Radius \[m\].
        radius: f64,
    },
    /// A box.
    Box {
        /// From the box's own axes to the world.
        pose: Pose,
        /// Half its sides \[m\].
        half_size: DVec3,
    },
}

impl WorldShape {
    /// Signed distance of a point from the surface \[m\], negative inside, and the unit normal there.
    pub fn signed_distance(&self, point: DVec3) -> (f64, DVec3) {
        match *self {
            WorldShape::Sphere { center, radius } => distance_from_point(point, center, radius),
            WorldShape::Plane { normal, offset } => (normal.dot(point) - offset, normal),
            WorldShape::Capsule { ends: [a, b], radius } => {
                let along = b - a;
                let t = ((point - a).dot(along) / along.length_squared()).clamp(0.0, 1.0);
                let (distance, normal) = distance_from_point(point, a + along * t, radius);
                // On the very axis any direction across it is as good.
                let is_on_axis = distance == -radius;
                (distance, if is_on_axis { along.any_orthonormal_vector() } else { normal })
            }
            WorldShape::Box { pose, half_size } => {
                let (distance, normal) = distance_from_box(pose.apply_inverse(point), half_size);
                (distance, pose.rotation * normal)
            }
        }
    }

    /// The least signed distance of the points of a face from the surface \[m\]. Inside a box it may be less deep than
    /// the deepest point, but it is negative.
    pub fn distance_of_face(&self, corners: [DVec3; 3]) -> f64 {
        self.nearest_of_face(&self.skeleton(), corners).0
    }

    /// The least signed distance of the points of a face from the surface \[m\], and its point. `skeleton` is that of
    /// the shape.
    pub fn nearest_of_face(&self, skeleton: &Skeleton, corners: [DVec3; 3]) -> (f64, DVec3) {
        let at = |x: DVec3| (self.signed_distance(x).0, x);
        let sides = (0..3).filter_map(|k| {
            let side = [corners[k], corners[(k + 1) % 3]];
            self.nearest_on_edge(skeleton, side).map(|t| at(side[0].lerp(side[1], t)))
        });
        let inside = self.nearest_on_face(skeleton, corners);
        let inside = inside.map(|[u, v, w]| at(corners[0] * u + corners[1] * v + corners[2] * w));
        let lower = |best: (f64, DVec3), next: (f64, DVec3)| if next.0 < best.0 { next } else { best };
        let [a, b, c] = corners.map(at);
        sides.chain(inside).fold(lower(lower(a, b), c), lower)
    }

    /// The least signed distance of the points of an edge from the surface \[m\].
    pub(crate) fn distance_of_edge(&self, skeleton: &Skeleton, [p, q]: [DVec3; 2]) -> f64 {
        let distance = |x: DVec3| self.signed_distance(x).0;
        let inside = self.nearest_on_edge(skeleton, [p, q]).map_or(f64::INFINITY, |t| distance(p.lerp(q, t)));
        distance(p).min(distance(q)).min(inside)
    }

    /// The farthest that the shape reaches along a unit vector \[m\]; infinite where a half-space has no end.
    pub fn support(&self, normal: DVec3) -> f64 {
        match *self {
            WorldShape::Sphere { center, radius } => normal.dot(center) + radius,
            WorldShape::Plane { normal: own, offset } if own == normal => offset,
            WorldShape::Plane { .. } => f64::INFINITY,
            WorldShape::Capsule { ends: [a, b], radius } => normal.dot(a).max(normal.dot(b)) + radius,
            WorldShape::Box { pose, half_size } => {
                let along = pose.rotation.transpose() * normal;
                normal.dot(pose.translation) + along.abs().dot(half_size)
            }
        }
    }

    /// The radius by which the shape is rounded \[m\]; 0 for one with sharp edges, infinite for a plane.
    pub fn rounding(&self) -> f64 {
        match *self {
            WorldShape::Sphere { radius, .. } | WorldShape::Capsule { radius, .. } => radius,
            WorldShape::Plane { .. } => f64::INFINITY,
            WorldShape::Box { .. } => 0.0,
        }
    }

    /// Distance that the surface has moved since it was `then` \[m\]; infinite if that is not known.
    pub fn moved_since(&self, then: &Self) -> f64 {
        let farthest =
            |a: &[DVec3], b: &[DVec3]| a.iter().zip(b).map(|(a, b)| a.distance(*b)).fold(0.0, f64::max);
        match (then, self) {
            (WorldShape::Plane { normal: m, offset: a }, WorldShape::Plane { normal: n, offset: b })
                if m == n =>
            {
                (a - b).abs()
            }
            (WorldShape::Plane { .. }, _) | (_, WorldShape::Plane { .. }) => f64::INFINITY,
            // A rigid motion moves no point of a convex body farther than one of its corners.
            _ => {
                let (then, now) = (then.skeleton(), self.skeleton());
                if then.points.len() == now.points.len() {
                    farthest(&then.points, &now.points)
                } else {
                    f64::INFINITY
                }
            }
        }
    }

    /// The points and segments that come nearest to an edge or to the inside of a face before the shape touches it.
    pub fn skeleton(&self) -> Skeleton {
        match *self {
            WorldShape::Sphere { center, .. } => Skeleton { points: vec![center], segments: Vec::new() },
            WorldShape::Plane { .. } => Skeleton::default(),
            WorldShape::Capsule { ends, .. } => Skeleton { points: ends.to_vec(), segments: vec![ends] },
            WorldShape::Box { pose, half_size } => {
                let corner = |k: usize| {
                    let sign = |axis: usize| if k >> axis & 1 == 0 { -1.0 } else { 1.0 };
                    pose.apply(half_size * DVec3::new(sign(0), sign(1), sign(2)))
                };
                let points: Vec<_> = (0..8).map(corner).collect();
                let sides = (0..8).flat_map(|k| [1, 2, 4].map(|bit| (k, k | bit))).filter(|(k, j)| k != j);
                let segments = sides.map(|(k, j)| [points[k], points[j]]).collect();
                Skeleton { points, segments }
            }
        }
    }

    /// The parameter in `(0, 1)` of the point of an edge that is deepest in the shape or nearest to it; `None` if that is
    /// an end.
    pub fn nearest_on_edge(&self, skeleton: &Skeleton, [p, q]: [DVec3; 2]) -> Option<f64> {
        let along = q - p;
        let of_point = |c: &DVec3| (*c - p).dot(along) / along.length_squared();
        let of_segment = |s: &[DVec3; 2]| closest_points_of_segments([p, q], *s)[0];
        let found = skeleton.points.iter().map(of_point).chain(skeleton.segments.iter().map(of_segment));
        let inside = found.filter(|t| *t > 0.0 && *t < 1.0);
        let distance = |t: f64| self.signed_distance(p + along * t).0;
        least(inside.map(|t| (distance(t), t)))
    }

    /// The weights, all positive, of the point of a face that is deepest in the shape or nearest to it; `None` if that
    /// lies on its boundary.
    pub fn nearest_on_face(&self, skeleton: &Skeleton, corners: [DVec3; 3]) -> Option<[f64; 3]> {
        let of_point = |c: &DVec3| closest_point_on_triangle(*c, corners);
        let [a, b, c] = corners;
        let normal = (b - a).cross(c - a);
        let of_segment = |[s, t]: &[DVec3; 2]| {
            let (above, below) = (normal.dot(*s - a), normal.dot(*t - a));
            let crosses = above * below < 0.0;
            crosses.then(|| closest_point_on_triangle(s.lerp(*t, above / (above - below)), corners))
        };
        let found =
            skeleton.points.iter().map(of_point).chain(skeleton.segments.iter().filter_map(of_segment));
        let inside = found.filter(|weights| weights.iter().all(|s| *s > 0.0));
        let distance = |[u, v, w]: [f64; 3]| self.signed_distance(a * u + b * v + c * w).0;
        least(inside.map(|weights| (distance(weights), weights)))
    }
}

/// Points and segments that a shape is built around.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Skeleton {
    /// Corners, or the center.
    pub points: Vec<DVec3>,
    /// Edges, or the axis.
    pub segments: Vec<[DVec3; 2]>,
}

/// The first of the candidates with the least distance.
fn least<T: Copy>(candidates: impl Iterator<Item = (f64, T)>) -> Option<T> {
    let pick = |best: (f64, T), next: (f64, T)| if next.0 < best.0 { next } else { best };
    candidates.reduce(pick).map(|(_, found)| found)
}

/// Signed distance of a point from a ball, and its normal.
fn distance_from_point(point: DVec3, center: DVec3, radius: f64) -> (f64, DVec3) {
    let arm = point - center;
    let length = arm.length();
    // At the very center every direction is as good; up is predictable.
    let normal = if length > 0.0 { arm / length } else { DVec3::Y };
    (length - radius, normal)
}

/// Signed distance of a point from a box around the origin, and its normal.
fn distance_from_box(point: DVec3, half_size: DVec3) -> (f64, DVec3) {
    let beyond = point.abs() - half_size;
    let signs = DVec3::from_array(point.to_array().map(|c| if c < 0.0 { -1.0 } else { 1.0 }));
    if beyond.max_element() <= 0.0 {
        // Inside: out through the nearest side, the first of those that are equally near.
        let axis = (0..3).fold(0, |best, k| if beyond[k] > beyond[best] { k } else { best });
        let mut normal = DVec3::ZERO;
        normal[axis] = signs[axis];
        return (beyond[axis], normal);
    }
    let arm = beyond.max(DVec3::ZERO);
    let length = arm.length();
    (length, signs * arm / length)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::shapes::obstacle::Obstacle;
    use taffeta_core::Placement;
    use taffeta_core::random::SplitMix64;

    fn shapes() -> [WorldShape; 3] {
        let place = Placement {
            translate: DVec3::new(0.1, -0.2, 0.05),
            rotate_deg: DVec3::new(20.0, 50.0, -35.0),
            scale: 1.5,
        };
        [
            Shape::Sphere { radius: 0.3 },
            Shape::Capsule { radius: 0.2, half_length: 0.3 },
            Shape::Box { half_size: DVec3::new(0.2, 0.3, 0.1) },
        ]
        .map(|shape| Obstacle::new(shape, place).over_substep(0.0, 0.01).shape)
    }

    fn point(random: &mut SplitMix64) -> DVec3 {
        DVec3::from_array([0; 3].map(|_| 2.0 * random.next_unit() - 1.0))
    }

    #[test]
    fn the_normal_is_the_gradient_of_the_distance() {
        let mut random = SplitMix64(1);
        for shape in shapes() {
            for _ in 0..200 {
                let (x, step) = (point(&mut random), 1e-6);
                let (_, normal) = shape.signed_distance(x);
                let along = |axis: DVec3| {
                    (shape.signed_distance(x + axis * step).0 - shape.signed_distance(x - axis * step).0)
                        / (2.0 * step)
                };
                let gradient = DVec3::new(along(DVec3::X), along(DVec3::Y), along(DVec3::Z));
                // Where the nearest side changes the distance has a kink.
                let is_smooth = (gradient.length() - 1.0).abs() < 1e-6;
                assert!(
                    !is_smooth || gradient.distance(normal) < 1e-6,
                    "{shape:?} at {x}: {gradient} {normal}"
                );
            }
        }
    }

    /// The least distance over the whole edge or face, by a dense search.
    fn dense(shape: &WorldShape, corners: [DVec3; 3]) -> f64 {
        let steps = 120;
        let mut best = f64::INFINITY;
        for i in 0..=steps {
            for j in 0..=(steps - i) {
                let (v, w) = (f64::from(i) / f64::from(steps), f64::from(j) / f64::from(steps));
                let x = corners[0] * (1.0 - v - w) + corners[1] * v + corners[2] * w;
                best = best.min(shape.signed_distance(x).0);
            }
        }
        best
    }

    #[test]
    fn the_nearest_points_of_faces_and_edges_are_those_of_a_dense_search() {
        let mut random = SplitMix64(2);
        for shape in shapes() {
            for _ in 0..150 {
                let corners = [point(&mut random), point(&mut random), point(&mut random)];
                let found = shape.distance_of_face(corners);
                let expected = dense(&shape, corners);
                // Deep inside a box a better point may lie between; what counts is that it is deep enough to push.
                let is_outside = expected > 0.0;
                assert!(
                    found <= expected + 0.02 || !is_outside && found < 0.0,
                    "{shape:?}: {found} {expected}"
                );
                assert!(found >= expected - 1e-2, "{shape:?}: {found} {expected}");
            }
        }
    }
}
