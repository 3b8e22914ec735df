//! Holds of pins on vertices: they go through every edit with their vertices.

use glam::DVec3;
use serde::{Deserialize, Serialize};
use taffeta_core::{Drive, Pose};

/// Hold of a pin on a vertex.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct Hold {
    /// Number of the pin.
    pub pin: u32,
    /// Point that the motion of the pin carries \[m\]: place of the vertex at time 0, or when the pin was added.
    pub rest: DVec3,
    /// Unit normal of the sheet when the pin was added, for a pin that clamps; `None`: the normal at time 0.
    pub normal: Option<DVec3>,
    /// Places between which a caller moves the vertex \[m\]; `None`: the vertex follows the motion of the pin.
    pub path: Option<Drive<DVec3>>,
}

impl Hold {
    /// Hold of a pin whose motion carries the vertex from a point \[m\].
    pub fn new(pin: u32, rest: DVec3) -> Self {
        Self { pin, rest, normal: None, path: None }
    }

    /// Place of the vertex \[m\] at a time \[s\] at which the motion of the pin has reached `pose`.
    pub fn target_at(&self, time: f64, pose: &Pose) -> DVec3 {
        self.path.map_or_else(|| pose.apply(self.rest), |path| path.at(time))
    }

    /// Hold of the same pin at a part of the edge from this vertex to another one.
    pub(crate) fn toward(&self, other: &Self, part: f64) -> Self {
        let Self { pin, rest, normal, path } = *self;
        let between = |a: DVec3, b: DVec3| (1.0 - part) * a + part * b;
        let paths = path.zip(other.path);
        Self {
            pin,
            rest: between(rest, other.rest),
            normal: normal.zip(other.normal).map(|(a, b)| between(a, b).normalize_or(a)),
            path: paths.map(|(a, b)| Drive { from: between(a.from, b.from), to: between(a.to, b.to), ..a }),
        }
    }

    /// Returns whether the pin holds a vertex as it was at time 0: it was not added later, and no caller moves the vertex by
    /// itself.
    pub(crate) fn is_original(&self, start: DVec3) -> bool {
        self.rest == start && self.path.is_none()
    }

    /// Returns whether all numbers make sense.
    pub fn is_sound(&self) -> bool {
        let is_path = |path: &Drive<DVec3>| {
            path.begin.is_finite() && path.end > path.begin && path.from.is_finite() && path.to.is_finite()
        };
        self.rest.is_finite()
            && self.normal.is_none_or(DVec3::is_finite)
            && self.path.as_ref().is_none_or(is_path)
    }
}
