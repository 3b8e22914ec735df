//! Rigid bodies that the cloth meets.

use crate::shapes::shape::{Shape, WorldShape};
use glam::{DMat3, DVec3};
use serde::{Deserialize, Serialize};
use taffeta_core::{Friction, KeyframedMotion, Placement, Pose};

/// A rigid obstacle with a keyframed motion.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Obstacle {
    /// Name; empty: it has none.
    pub name: String,
    /// The shape in the obstacle's frame.
    pub shape: Shape,
    /// Placement at rest. Its scale multiplies lengths of the shape.
    pub place: Placement,
    /// Motion from there; rotations are about the placed origin.
    pub motion: KeyframedMotion,
    /// Friction of the surface.
    pub friction: Friction,
    /// Freedom to move otherwise than as its motion says.
    #[serde(default)]
    pub freedom: Freedom,
}

/// Freedom of an obstacle to move otherwise than as its motion says.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub enum Freedom {
    /// Its motion, whatever is in its way.
    #[default]
    Prescribed,
    /// Its motion, with a force of no more than a limit: it stops where cloth resists more.
    Limited(Limit),
    /// Gravity and what it touches. It has no motion of its own.
    Free(RigidBody),
}

/// The largest force with which an obstacle follows a path.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Limit {
    /// The force \[N\].
    pub force: f64,
    /// The motion that it follows; the motion of the obstacle is then where it has really come to.
    #[serde(skip)]
    pub path: Option<Box<KeyframedMotion>>,
}

impl Limit {
    /// A largest force \[N\].
    pub fn new(force: f64) -> Self {
        Self { force, path: None }
    }
}

/// Mass and first motion of an obstacle that moves by itself. Its center of mass is its origin.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct RigidBody {
    /// Mass \[kg\].
    pub mass: f64,
    /// Moments of inertia about its own axes \[kg·m²\], which are its principal axes; `None`: those of a solid of even density.
    pub inertia: Option<DVec3>,
    /// Velocity at the start \[m/s\].
    pub velocity: DVec3,
    /// Angular velocity at the start \[rad/s\].
    pub angular_velocity: DVec3,
}

impl RigidBody {
    /// A body at rest, of even density.
    pub fn new(mass: f64) -> Self {
        Self { mass, inertia: None, velocity: DVec3::ZERO, angular_velocity: DVec3::ZERO }
    }

    /// Its moments of inertia, those of a shape at a scale if it has none of its own \[kg·m²\].
    pub fn moments(&self, shape: &Shape, scale: f64) -> DVec3 {
        self.inertia.unwrap_or_else(|| shape.moments(self.mass, scale))
    }

    fn find_defect(&self, shape: &Shape, motion: &KeyframedMotion, scale: f64) -> Option<String> {
        let Self { mass, inertia, velocity, angular_velocity } = self;
        if !(mass.is_finite() && *mass > 0.0) {
            return Some(format!("its mass is {mass} kg; it must be positive"));
        }
        if matches!(shape, Shape::Plane { .. }) {
            return Some("a plane has no end, and can have no mass".into());
        }
        if !motion.is_still() {
            return Some("it has a mass and a motion; what has a mass moves by itself".into());
        }
        if !velocity.is_finite() || !angular_velocity.is_finite() {
            return Some(format!("its velocity is {velocity}, its angular velocity {angular_velocity}"));
        }
        let moments = self.moments(shape, scale);
        let is_body = moments.is_finite()
            && moments.min_element() > 0.0
            && 2.0 * moments.max_element() <= moments.element_sum() * (1.0 + 1e-9);
        (!is_body).then(|| {
            let own = inertia.unwrap_or(moments);
            format!("its moments of inertia are {own} kg·m²; all must be positive, and none more than the others together")
        })
    }
}

impl Obstacle {
    /// An obstacle at rest with the default friction.
    pub fn new(shape: Shape, place: Placement) -> Self {
        Self {
            name: String::new(),
            shape,
            place,
            motion: KeyframedMotion::default(),
            friction: Friction::default(),
            freedom: Freedom::default(),
        }
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
        let of_freedom = match &self.freedom {
            Freedom::Prescribed => None,
            Freedom::Limited(Limit { force, .. }) if !(force.is_finite() && *force > 0.0) => {
                Some(format!("its largest force is {force} N; it must be positive"))
            }
            Freedom::Limited(_) => (!self.motion.jumps.is_empty())
                .then(|| "it jumps, which takes no force: leave its largest force out".to_owned()),
            Freedom::Free(body) => body.find_defect(&self.shape, &self.motion, scale),
        };
        self.motion.find_defect().or(of_freedom)
    }

    /// The motion that a caller moves, and keys: its path, if it follows one with a largest force.
    pub fn path_mut(&mut self) -> &mut KeyframedMotion {
        match &mut self.freedom {
            Freedom::Limited(Limit { path: Some(path), .. }) => path,
            _ => &mut self.motion,
        }
    }

    /// Begins at a time \[s\].
    pub fn begin(&mut self, time: f64) {
        self.motion.begin(time);
        if let Freedom::Limited(limit) = &mut self.freedom {
            limit.path = Some(Box::new(self.motion.clone()));
        }
    }

    /// Moves the obstacle from where it is at a time \[s\] to another pose, which is that of [`pose_at`](Self::pose_at), within
    /// the step that begins then.
    pub fn drive_to(&mut self, time: f64, pose: Pose) {
        let motion = pose.after(&self.place.pose().inverse());
        let center = self.place.translate;
        self.path_mut().drive_to(time, center, motion);
    }

    /// The rigid transformation from the obstacle's frame (already scaled) to world space at a time \[s\].
    pub fn pose_at(&self, time: f64) -> Pose {
        self.motion.pose_at(time, self.place.translate).after(&self.place.pose())
    }

    /// The pose to which its path leads by a time \[s\]. With a largest force it may lag behind.
    pub fn path_pose_at(&self, time: f64) -> Pose {
        match &self.freedom {
            Freedom::Limited(Limit { path: Some(path), .. }) => {
                path.pose_at(time, self.place.translate).after(&self.place.pose())
            }
            _ => self.pose_at(time),
        }
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
    /// Position of a point that moves along with the body at the start of the substep \[m\].
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

    /// Position to which the body's motion over the substep takes a point that moves along \[m\].
    pub fn carry(&self, point: DVec3) -> DVec3 {
        if self.start == self.end { point } else { self.end.apply(self.start.apply_inverse(point)) }
    }
}

/// Displacement of a body under a contact \[m\]. Along the surface it is that of the body's point `from`, where the contact
/// was at the start. So a sticking point goes with the body exactly. Across the surface it is that of its point `to`, where
/// the contact is now.
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
