//! Pins as they are described, and the vertices that they hold.

use crate::model::description::PinDescription;
use crate::model::sheet::VertexName;
use glam::{BVec3, DVec3};
use serde::{Deserialize, Serialize};
use taffeta_core::index::DenseIndex;
use taffeta_core::lanes::Row;
use taffeta_core::{Drive, Pose, Skin, VertexIndex, drive_points};

/// Part of the release time by which a substep may start too early and still count as at that time: round-off of times.
const TIME_SLACK: f64 = 1e-9;

/// Distance of two targets that counts as none, relative to how far they are away.
const SAME_PLACE: f64 = 1e-9;

/// A pin with what it needs to move.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Pin {
    /// As described. `clamp` is only carried along: the solvers that know the direction of the sheet act on it.
    pub description: PinDescription,
    /// Centroid of the pinned vertices at time 0 \[m\].
    pub center: DVec3,
    /// Points of its own, for a pin that was added later or whose vertices a caller moves one by one.
    pub points: Option<PinPoints>,
}

/// Points of a pin by the names of its vertices.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub(crate) struct PinPoints {
    /// Names, in increasing order.
    pub names: Vec<VertexName>,
    /// Where the motion of the pin finds each vertex \[m\]: in its place at time 0, or where it was when the pin was added.
    pub rest: Vec<DVec3>,
    /// Places that a caller has given \[m\], instead of the motion.
    pub skin: Option<Skin>,
}

impl Pin {
    /// A pin that holds its vertices by where they are at time 0.
    pub(crate) fn new(description: PinDescription, center: DVec3) -> Self {
        Self { description, center, points: None }
    }

    /// The transformation of its motion at a time \[s\].
    pub(crate) fn pose_at(&self, time: f64) -> Pose {
        self.description.motion.pose_at(time, self.center)
    }

    /// Where it takes a vertex by a time \[s\] at which its motion has reached `pose`; with the vertex's name, where it was at
    /// time 0, and where it is now \[m\], which is where one stays of which its points know nothing.
    pub(crate) fn target_at(
        &self,
        (time, pose): (f64, &Pose),
        name: impl FnOnce() -> VertexName,
        [start, now]: [DVec3; 2],
    ) -> DVec3 {
        let Some(points) = &self.points else { return pose.apply(start) };
        match (points.names.binary_search(&name()), &points.skin) {
            (Ok(number), Some(skin)) => skin.point_at(number, time),
            (Ok(number), None) => pose.apply(points.rest[number]),
            (Err(_), _) => now,
        }
    }

    /// Returns whether the pin stands still from one time \[s\] to another.
    pub(crate) fn stands_between(&self, start: f64, end: f64) -> bool {
        let skin = self.points.as_ref().and_then(|points| points.skin.as_ref());
        skin.is_none_or(|skin| skin.stands_between(start, end))
            && self.description.motion.stands_between(start, end)
    }

    /// Returns whether a caller has given places of its own to its vertices.
    pub(crate) fn has_skin(&self) -> bool {
        self.points.as_ref().is_some_and(|points| points.skin.is_some())
    }

    /// Moves it from where it is at a time \[s\] to another transformation within the step that begins then.
    pub(crate) fn drive_to(&mut self, time: f64, pose: Pose) {
        let Self { description, center, points } = self;
        match points {
            None => description.motion.drive_to(time, *center, pose),
            Some(PinPoints { rest, skin, .. }) => {
                let place = |pose: &Pose| rest.iter().map(|x| pose.apply(*x)).collect();
                drive_points((&mut description.motion, skin), (time, *center, pose), place);
            }
        }
    }

    /// Moves its vertices from where they are to places of their own \[m\] within the step that begins at a time \[s\]. `held`
    /// has the name of each vertex, where it was at time 0, and where it is; `targets` follow its order.
    pub(crate) fn skin_to(&mut self, time: f64, held: &[(VertexName, [DVec3; 2])], targets: &[DVec3]) {
        let pose = self.pose_at(time);
        let mut order: Vec<usize> = (0..held.len()).collect();
        order.sort_unstable_by_key(|k| held[*k].0);
        let from = |k: &usize| {
            let (name, places) = held[*k];
            self.target_at((time, &pose), || name, places)
        };
        let rest = |k: &usize| {
            let (name, [start, _]) = held[*k];
            let known = self.points.as_ref().and_then(|points| {
                let number = points.names.binary_search(&name).ok()?;
                Some(points.rest[number])
            });
            known.unwrap_or(start)
        };
        self.points = Some(PinPoints {
            names: order.iter().map(|k| held[*k].0).collect(),
            rest: order.iter().map(rest).collect(),
            skin: Some(Drive::new(
                time,
                order.iter().map(from).collect(),
                order.iter().map(|k| targets[*k]).collect(),
            )),
        });
    }

    /// Lets what its caller moves in the step from one time to another \[s\] arrive at its end.
    pub(crate) fn schedule(&mut self, now: f64, end: f64) {
        self.description.motion.schedule(now, end);
        if let Some(skin) = self.points.as_mut().and_then(|points| points.skin.as_mut()) {
            skin.schedule(now, end);
        }
    }

    /// Returns whether the pin lets go in a substep that starts at a time \[s\].
    pub(crate) fn is_due(&self, time: f64) -> bool {
        self.description.release.is_some_and(|release| time >= release * (1.0 - TIME_SLACK))
    }
}

/// Where two pins contradict each other.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Contradiction {
    /// When they first take a vertex to different places \[s\].
    pub time: f64,
    /// How far apart these are \[m\].
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
pub(crate) struct Guided {
    pub vertex: VertexIndex,
    pub held: [bool; 3],
    /// Where it was at the start of the substep \[m\]; counts along the held axes.
    pub start: DVec3,
    /// Where it goes \[m\]; counts along the held axes.
    pub target: DVec3,
}

/// Puts vertices back to where they are held.
pub(crate) fn put_back(guided: &[Guided], rows: &mut [Row]) {
    for Guided { vertex, held, target, .. } in guided {
        let row = &mut rows[vertex.to_usize()];
        row.position = along_held(*held, *target, row.position()).to_array();
    }
}

/// Puts the starts of vertices back along their held axes.
pub(crate) fn put_back_starts(guided: &[Guided], starts: &mut [DVec3]) {
    for Guided { vertex, held, start, .. } in guided {
        let x = &mut starts[vertex.to_usize()];
        *x = along_held(*held, *start, *x);
    }
}
