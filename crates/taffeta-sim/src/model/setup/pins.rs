//! Pins as they are described, and the vertices that they hold.

use crate::model::description::PinDescription;
use crate::model::setup::follow::Followed;
use glam::{BVec3, DVec3};
use taffeta_core::index::DenseIndex;
use taffeta_core::lanes::Row;
use taffeta_core::{Pose, VertexIndex};

/// Part of the release time by which a substep may start too early and still count as at that time: round-off of times.
const TIME_SLACK: f64 = 1e-9;

/// Distance of two targets that counts as none, relative to how far they are away.
const SAME_PLACE: f64 = 1e-9;

/// A pin with what it needs to move.
#[derive(Clone, Debug)]
pub(crate) struct Pin {
    /// As described. `clamp` is only carried along: the solvers that know the direction of the sheet act on it.
    pub description: PinDescription,
    /// Centroid of the pinned vertices at time 0, or when it was added \[m\].
    pub center: DVec3,
    /// The obstacle that its vertices follow; `None`: they follow the motion of the pin.
    pub followed: Option<Followed>,
}

impl Pin {
    /// A pin with the centroid of its vertices \[m\].
    pub(crate) fn new(description: PinDescription, center: DVec3) -> Self {
        Self { description, center, followed: None }
    }

    /// Its name in messages; its number, if it has none.
    pub(crate) fn name(&self, number: usize) -> String {
        let name = &self.description.name;
        if name.is_empty() { format!("pin {number}") } else { format!("pin '{name}'") }
    }

    /// The transformation of its motion at a time \[s\].
    pub(crate) fn pose_at(&self, time: f64) -> Pose {
        self.description.motion.pose_at(time, self.center)
    }

    /// Time at which it lets go \[s\]; `None`: never.
    pub(crate) fn release_time(&self) -> Option<f64> {
        Some(self.description.release? + self.description.motion.anchor.time)
    }

    /// Returns whether the pin lets go in a substep that starts at a time \[s\].
    pub(crate) fn is_due(&self, time: f64) -> bool {
        let PinDescription { release, motion, .. } = &self.description;
        release.is_some_and(|release| motion.own_time(time) >= release * (1.0 - TIME_SLACK))
    }
}

/// Vertex at which two pins contradict each other.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Contradiction {
    /// When they first take a vertex to different places \[s\].
    pub time: f64,
    /// Distance between them \[m\].
    pub distance: f64,
}

/// First contradiction between two pins that both select a vertex at `x` \[m\]; `None` if there is none. They
/// contradict if they take it to different places along an axis that both hold, while neither has let go. Checks their
/// keys and the times halfway between.
pub(crate) fn find_contradiction(pins: [&Pin; 2], x: DVec3) -> Option<Contradiction> {
    let descriptions = pins.map(|pin| &pin.description);
    let end = descriptions.iter().filter_map(|pin| pin.release).fold(f64::INFINITY, f64::min);
    let keys = descriptions.iter().flat_map(|pin| pin.motion.keys.iter().map(|key| key.time));
    let mut times: Vec<f64> = keys.chain([0.0]).filter(|time| *time >= 0.0 && *time < end).collect();
    times.sort_unstable_by(f64::total_cmp);
    let halves: Vec<f64> = times.windows(2).map(|pair| 0.5 * (pair[0] + pair[1])).collect();
    times.extend(halves);
    times.sort_unstable_by(f64::total_cmp);
    times.into_iter().find_map(|time| {
        let [a, b] = pins.map(|pin| pin.pose_at(time).apply(x));
        let both: [bool; 3] = std::array::from_fn(|axis| descriptions.iter().all(|pin| pin.axes[axis]));
        let distance = along_held(both, a - b, DVec3::ZERO).length();
        let slack = SAME_PLACE * a.distance(x).max(b.distance(x)).max(x.length());
        (distance > slack).then_some(Contradiction { time, distance })
    })
}

/// `given` along the held axes, `free` along the others.
pub(crate) fn along_held(held: [bool; 3], given: DVec3, free: DVec3) -> DVec3 {
    DVec3::select(BVec3::from_array(held), given, free)
}

/// A vertex that is held along some axes only. Solvers that know nothing of axes move it; it is then put back.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct PartlyHeld {
    pub vertex: VertexIndex,
    pub held: [bool; 3],
    /// Position at the start of the substep \[m\]; counts along the held axes.
    pub start: DVec3,
    /// Position at the end \[m\]; counts along the held axes.
    pub target: DVec3,
}

/// Puts vertices back to where they are held.
pub(crate) fn restore_held(guided: &[PartlyHeld], rows: &mut [Row]) {
    for PartlyHeld { vertex, held, target, .. } in guided {
        let row = &mut rows[vertex.to_usize()];
        row.position = along_held(*held, *target, row.position()).to_array();
    }
}

/// Puts the starts of vertices back along their held axes.
pub(crate) fn restore_held_starts(guided: &[PartlyHeld], starts: &mut [DVec3]) {
    for PartlyHeld { vertex, held, start, .. } in guided {
        let x = &mut starts[vertex.to_usize()];
        *x = along_held(*held, *start, *x);
    }
}
