//! Rigid bodies that the cloth meets.

use crate::shape::WorldShape;
use glam::DVec3;
use serde::{Deserialize, Serialize};
use taffeta_core::{Friction, Motion, Placement, Pose};

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

/// A rigid obstacle with a keyframed motion.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Obstacle {
    /// The shape in the obstacle's frame.
    pub shape: Shape,
    /// Where the obstacle stands at rest. Its scale multiplies lengths of the shape.
    pub place: Placement,
    /// How it moves from there; rotations are about the placed origin.
    pub motion: Motion,
    /// Friction of the surface.
    pub friction: Friction,
}

impl Obstacle {
    /// An obstacle at rest with the default friction.
    pub fn new(shape: Shape, place: Placement) -> Self {
        Self { shape, place, motion: Motion::default(), friction: Friction::default() }
    }

    /// What is wrong with the obstacle, in words; `None`: nothing.
    pub fn find_defect(&self) -> Option<String> {
        let Placement { translate, rotate_deg, scale } = self.place;
        let is_size = |size: f64| size.is_finite() && size > 0.0;
        match self.shape {
            Shape::Sphere { radius } if !is_size(radius * scale) => {
                return Some(format!(
                    "the sphere's radius is {radius} at scale {scale}; it must be positive"
                ));
            }
            Shape::Plane { normal } if !normal.is_finite() || normal.length() == 0.0 => {
                return Some(format!("the plane's normal is {normal}; it must have a direction"));
            }
            Shape::Capsule { radius, half_length }
                if ![radius, half_length].iter().all(|r| is_size(r * scale)) =>
            {
                return Some(format!(
                    "the capsule has a radius of {radius} and a half length of {half_length} at scale {scale}; \
                     both must be positive"
                ));
            }
            Shape::Box { half_size } if !half_size.to_array().iter().all(|r| is_size(r * scale)) => {
                return Some(format!(
                    "half the sides of the box are {half_size} at scale {scale}; all must be positive"
                ));
            }
            _ => {}
        }
        if !translate.is_finite() || !rotate_deg.is_finite() {
            return Some(format!("it is placed at {translate}, turned by {rotate_deg}"));
        }
        self.motion.find_defect()
    }

    /// The rigid transformation from the obstacle's frame (already scaled) to world space at a time \[s\].
    pub fn pose_at(&self, time: f64) -> Pose {
        self.motion.pose_at(time, self.place.translate).after(&self.place.pose())
    }

    /// The obstacle as it stands over a substep, with the shape at the substep's end.
    pub fn over_substep(&self, time: f64, h: f64) -> PlacedShape {
        let (start, end) = (self.pose_at(time), self.pose_at(time + h));
        let shape = match self.shape {
            Shape::Sphere { radius } => {
                WorldShape::Sphere { center: end.translation, radius: radius * self.place.scale }
            }
            Shape::Plane { normal } => {
                let normal = (end.rotation * normal).normalize();
                WorldShape::Plane { normal, offset: normal.dot(end.translation) }
            }
            Shape::Capsule { radius, half_length } => {
                let arm = DVec3::Y * (half_length * self.place.scale);
                WorldShape::Capsule {
                    ends: [end.apply(-arm), end.apply(arm)],
                    radius: radius * self.place.scale,
                }
            }
            Shape::Box { half_size } => {
                WorldShape::Box { pose: end, half_size: half_size * self.place.scale }
            }
        };
        PlacedShape { shape, start, end }
    }
}

/// A shape over one substep.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct PlacedShape {
    /// The shape at the end of the substep.
    pub shape: WorldShape,
    start: Pose,
    end: Pose,
}

impl PlacedShape {
    /// Displacement over the substep \[m\] of the body's point that ends at `point`.
    pub fn displacement(&self, point: DVec3) -> DVec3 {
        if self.start == self.end {
            return DVec3::ZERO;
        }
        point - self.start.apply(self.end.apply_inverse(point))
    }

    /// Where the body's motion over the substep takes a point that moves along with it \[m\].
    pub fn carry(&self, point: DVec3) -> DVec3 {
        if self.start == self.end { point } else { self.end.apply(self.start.apply_inverse(point)) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use taffeta_core::Keyframe;

    #[test]
    fn a_turning_sphere_carries_its_surface_along() {
        let mut ball = Obstacle::new(Shape::Sphere { radius: 0.5 }, Placement::at(DVec3::X));
        let key = |time, degrees| Keyframe {
            time,
            translate: DVec3::ZERO,
            rotate_deg: DVec3::new(0.0, degrees, 0.0),
        };
        ball.motion.keys = vec![key(0.0, 0.0), key(1.0, 90.0)];
        let placed = ball.over_substep(0.5, 0.001);
        let point = DVec3::new(1.5, 0.0, 0.0);
        let (distance, normal) = placed.shape.signed_distance(point);
        assert!(distance.abs() < 1e-12 && normal.distance(DVec3::X) < 1e-12);
        let speed = placed.displacement(point) / 0.001;
        // 90°/s about +y takes +x towards −z.
        assert!(speed.distance(DVec3::new(0.0, 0.0, -0.5 * std::f64::consts::FRAC_PI_2)) < 1e-3, "{speed}");
        let moved = DVec3::new(1.2, 0.7, -0.3);
        let began = moved - placed.displacement(moved);
        assert!(placed.carry(began).distance(moved) < 1e-15);
    }

    #[test]
    fn a_placed_plane_turns_with_its_placement() {
        let place = Placement { translate: DVec3::Y, rotate_deg: DVec3::new(0.0, 0.0, 90.0), scale: 1.0 };
        let plane = Obstacle::new(Shape::Plane { normal: DVec3::Y }, place).over_substep(0.0, 0.1);
        let (distance, normal) = plane.shape.signed_distance(DVec3::new(-2.0, 5.0, 0.0));
        assert!((distance - 2.0).abs() < 1e-12 && normal.distance(-DVec3::X) < 1e-12);
    }
}
