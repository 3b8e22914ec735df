//! Rigid bodies that the cloth meets.

use glam::DVec3;
use serde::{Deserialize, Serialize};
use taffeta_core::{Friction, Motion, Placement, Pose};

/// The shape of an obstacle in its own frame.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub enum Shape {
    /// A ball around the origin.
    Sphere {
        /// Radius [m].
        radius: f64,
    },
    /// The half-space below the plane through the origin.
    Plane {
        /// Unit normal, out of the half-space.
        normal: DVec3,
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

    /// The rigid transformation from the obstacle's frame (already scaled) to world space at a time [s].
    pub fn pose_at(&self, time: f64) -> Pose {
        self.motion.pose_at(time, self.place.translate).after(&self.place.pose())
    }
}
