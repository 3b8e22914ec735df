//! Rigid bodies that the cloth meets.

use crate::shape::{Shape, WorldShape};
use glam::{DMat3, DVec3};
use serde::{Deserialize, Serialize};
use taffeta_core::{Friction, Motion, Placement, Pose};

/// A rigid obstacle with a keyframed motion.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Obstacle {
    /// Name; empty: it has none.
    pub name: String,
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
        Self { name: String::new(), shape, place, motion: Motion::default(), friction: Friction::default() }
    }

    /// Describes what is wrong with the obstacle; `None` if it is valid.
    pub fn find_defect(&self) -> Option<String> {
        let Placement { translate, rotate_deg, scale } = self.place;
        if let Some(reason) = self.shape.find_defect(scale) {
            return Some(reason);
        }
        if !translate.is_finite() || !rotate_deg.is_finite() {
            return Some(format!("it is placed at {translate}, turned by {rotate_deg}"));
        }
        self.motion.find_defect()
    }

    /// Moves the obstacle from where it is at a time \[s\] to another pose, which is that of [`pose_at`](Self::pose_at), within
    /// the step that begins then.
    pub fn drive_to(&mut self, time: f64, pose: Pose) {
        let motion = pose.after(&self.place.pose().inverse());
        self.motion.drive_to(time, self.place.translate, motion);
    }

    /// The rigid transformation from the obstacle's frame (already scaled) to world space at a time \[s\].
    pub fn pose_at(&self, time: f64) -> Pose {
        self.motion.pose_at(time, self.place.translate).after(&self.place.pose())
    }

    /// The obstacle as it stands over a substep, with the shape at the substep's end.
    pub fn over_substep(&self, time: f64, h: f64) -> PlacedShape {
        let (start, end) = (self.pose_at(time), self.pose_at(time + h));
        let shape = self.shape.placed(&end, self.place.scale);
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
    /// Where a point that moves along with the body was at the start of the substep \[m\].
    pub fn carry_back(&self, point: DVec3) -> DVec3 {
        if self.start == self.end { point } else { self.start.apply(self.end.apply_inverse(point)) }
    }

    /// Rotation of the body over the substep.
    pub fn turn(&self) -> DMat3 {
        if self.start == self.end {
            DMat3::IDENTITY
        } else {
            self.end.rotation * self.start.rotation.transpose()
        }
    }

    /// Versine of the angle by which the body turns over the substep: 1 less its cosine.
    pub fn versine(&self) -> f64 {
        let turned = self.end.rotation - self.start.rotation;
        0.25 * turned.to_cols_array().iter().map(|r| r * r).sum::<f64>()
    }

    /// Where the body's motion over the substep takes a point that moves along with it \[m\].
    pub fn carry(&self, point: DVec3) -> DVec3 {
        if self.start == self.end { point } else { self.end.apply(self.start.apply_inverse(point)) }
    }
}

/// Displacement of a body under a contact \[m\]: along the surface that of its point `from` where the contact was at the start, so
/// that what sticks goes with the body exactly; across the surface that of its point `to` where the contact is now.
pub(crate) fn displacement_under(normal: DVec3, from: DVec3, to: DVec3) -> DVec3 {
    from + normal * normal.dot(to - from)
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
        let arm = placed.carry(point) - placed.carry(DVec3::ZERO);
        assert!((placed.turn() * point).distance(arm) < 1e-12, "it turns by as much as it carries");
        let speed = (placed.carry(point) - point) / 0.001;
        // 90°/s about +y takes +x towards −z.
        assert!(speed.distance(DVec3::new(0.0, 0.0, -0.5 * std::f64::consts::FRAC_PI_2)) < 1e-3, "{speed}");
    }

    #[test]
    fn a_placed_plane_turns_with_its_placement() {
        let place = Placement { translate: DVec3::Y, rotate_deg: DVec3::new(0.0, 0.0, 90.0), scale: 1.0 };
        let plane = Obstacle::new(Shape::Plane { normal: DVec3::Y }, place).over_substep(0.0, 0.1);
        let (distance, normal) = plane.shape.signed_distance(DVec3::new(-2.0, 5.0, 0.0));
        assert!((distance - 2.0).abs() < 1e-12 && normal.distance(-DVec3::X) < 1e-12);
    }
}
