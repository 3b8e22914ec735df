//! Pieces of a substep in which pins and obstacles move straight.
//!
//! Contacts and safeguard take the motion of a body over a substep for the straight one between its ends: a line, at
//! constant angular velocity. A body that comes back within the substep, or makes a whole turn, would not have moved. So a
//! substep is cut into pieces in which no body turns far:
//!
//! * at keys and shapes of a sequence at which a body is off that straight way by more than half the thickness of the
//!   cloth;
//! * where a pin lets go.

use crate::derive::bodies::{body_count, contact_body_name, offset_of_body, scene_extent, shape_name};
use crate::derive::world::World;
use crate::model::report::error::StepError;
use crate::model::setup::pins::Pin;
use std::f64::consts::{FRAC_PI_6, TAU};
use taffeta_contact::boxes::Aabb;
use taffeta_contact::{MeshObstacle, Obstacle};

/// Displacement from the straight way that is never followed, relative to the size of the scene: round-off.
const LEAST_BEND: f64 = 1e-6;

/// Way that the cloth may go beyond its velocity in a substep, relative to the size of the scene.
const LEAST_REACH: f64 = 0.01;

/// Angle by which a body turns in a piece, at most \[rad\]: the chords of its points are then straight up to 1/30 of their
/// distance from the axis.
const TURN: f64 = FRAC_PI_6;

/// Turns of a body within a substep that are followed.
const MOST_TURNS: f64 = 1000.0;

/// Length of a piece, relative to the substep, at least: in shorter ones velocities are round-off. Keys that are closer to each
/// other are one.
const TIME_SLACK: f64 = 1e-6;

/// Something that moves as prescribed.
#[derive(Clone, Copy)]
enum Mover<'a> {
    Closed(u32, &'a Obstacle),
    Mesh(u32, &'a MeshObstacle),
    Pin(u32, &'a Pin),
}

/// All obstacles, and the pins that hold something, but for those whose vertices a caller moves one by one: on straight lines.
fn movers(world: &World) -> impl Iterator<Item = Mover<'_>> {
    let (setup, released) = (&world.setup, &world.state.released);
    let mut is_led = vec![false; setup.pins.len()];
    world.state.motion.holds.iter().for_each(|(_, hold)| is_led[hold.pin as usize] |= hold.path.is_some());
    let closed = (0..).zip(&setup.obstacles).map(|(number, obstacle)| Mover::Closed(number, obstacle));
    let meshes = (0..).zip(setup.meshes.iter()).map(|(number, mesh)| Mover::Mesh(number, mesh));
    let pins = (0..).zip(&setup.pins).zip(released.iter().zip(is_led));
    let pins = pins.filter(|(_, (released, is_led))| !**released && !is_led);
    closed.chain(meshes).chain(pins.map(|((number, pin), _)| Mover::Pin(number, pin)))
}

impl Mover<'_> {
    fn stands_between(self, start: f64, end: f64) -> bool {
        match self {
            Mover::Closed(_, obstacle) => obstacle.motion.stands_between(start, end),
            Mover::Mesh(_, mesh) => mesh.stands_between(start, end),
            Mover::Pin(_, pin) => pin.description.motion.stands_between(start, end),
        }
    }

    /// Times between two others \[s\] at which its motion may change.
    fn keys_between(self, start: f64, end: f64) -> Vec<f64> {
        match self {
            Mover::Closed(_, obstacle) => obstacle.motion.keys_between(start, end).collect(),
            Mover::Mesh(_, mesh) => mesh.keys_between(start, end).collect(),
            Mover::Pin(_, pin) => pin.description.motion.keys_between(start, end).collect(),
        }
    }

    /// Distance at a time from the straight way between two others \[s\], at most \[m\].
    fn bend_at(self, world: &World, time: f64, ends: [f64; 2]) -> f64 {
        match self {
            Mover::Closed(_, obstacle) => {
                obstacle.motion.bend_at(time, ends, || reach_of_closed(world, obstacle))
            }
            Mover::Mesh(_, mesh) => mesh.bend_at(time, ends),
            Mover::Pin(number, pin) => {
                pin.description.motion.bend_at(time, ends, || reach_of_pin(world, number, pin))
            }
        }
    }

    /// Angle by which it turns between two times \[s\], at most \[rad\].
    fn turn_between(self, start: f64, end: f64) -> f64 {
        match self {
            Mover::Closed(_, obstacle) => obstacle.motion.turn_between(start, end),
            Mover::Mesh(_, mesh) => mesh.turn_between(start, end),
            Mover::Pin(_, pin) => pin.description.motion.turn_between(start, end),
        }
    }

    /// The area in which it is between two times \[s\]; `None`: it has no bounds, or holds cloth.
    fn area(self, [start, end]: [f64; 2]) -> Option<Aabb> {
        let times = || std::iter::once(start).chain(self.keys_between(start, end)).chain([end]);
        match self {
            Mover::Closed(_, obstacle) => {
                let radius = obstacle.shape.half_size()?.length() * obstacle.place.scale;
                let centers = times().map(|time| obstacle.pose_at(time).translation);
                Some(Aabb::around(centers).inflated(radius))
            }
            Mover::Mesh(_, mesh) => {
                let area = Aabb::around(times().flat_map(|time| mesh.positions_at(time)));
                // Where it turns it leaves the box around where it is at these times.
                let turns = mesh.turn_between(start, end) > 0.0;
                Some(if turns { area.inflated((area.high - area.low).length()) } else { area })
            }
            Mover::Pin(..) => None,
        }
    }

    /// Its name in messages.
    fn name(self, world: &World) -> String {
        match self {
            Mover::Closed(number, _) => shape_name(&world.setup, number),
            Mover::Mesh(number, _) => {
                contact_body_name(&world.setup, body_count(&world.setup) as u32 + number)
            }
            Mover::Pin(number, _) => format!("pin {number}"),
        }
    }
}

/// Box that the bodies of the world cannot leave within a time \[s\]. What moves elsewhere changes nothing.
fn reached_area(world: &World, h: f64) -> Aabb {
    let motion = &world.state.motion;
    let speed = motion.velocities.iter().map(|v| v.length()).fold(0.0, f64::max);
    let thickness =
        (0..body_count(&world.setup)).map(|body| offset_of_body(&world.setup, body)).fold(0.0, f64::max);
    let reach =
        (speed + world.state.gravity.length() * h) * h + thickness + LEAST_REACH * scene_extent(&world.state);
    Aabb::around(motion.positions.iter().copied()).inflated(reach)
}

/// The farthest that a point of an obstacle is from the center of its rotations \[m\]; of a plane, that a vertex is.
fn reach_of_closed(world: &World, obstacle: &Obstacle) -> f64 {
    let vertices = world.state.motion.positions.iter();
    let farthest = || vertices.map(|x| x.distance(obstacle.place.translate)).fold(0.0, f64::max);
    obstacle.shape.half_size().map_or_else(farthest, |half| half.length() * obstacle.place.scale)
}

/// The farthest that a vertex of a pin is from the center of its rotations \[m\].
fn reach_of_pin(world: &World, number: u32, pin: &Pin) -> f64 {
    let own = world.state.motion.holds.iter().filter(|(_, hold)| hold.pin == number);
    own.map(|(_, hold)| hold.rest.distance(pin.center)).fold(0.0, f64::max)
}

/// Returns the pieces of a substep of length `h` \[s\] that begins now: when each begins, and its length \[s\].
///
/// # Errors
/// If a body turns too often.
pub(crate) fn pieces(world: &World, h: f64) -> Result<Vec<(f64, f64)>, StepError> {
    let start = world.state.time;
    let cuts = cuts(world, start, h)?;
    if cuts.is_empty() {
        return Ok(vec![(start, h)]);
    }
    let begins = std::iter::once(start).chain(cuts.iter().copied());
    Ok(begins.zip(cuts.iter().copied().chain([start + h])).map(|(begin, end)| (begin, end - begin)).collect())
}

/// Returns the times \[s\] within a stretch of time of length `h` \[s\] at which it is to be cut, in order: none
/// if everything moves straight.
///
/// # Errors
/// If a body turns too often.
pub(crate) fn cuts(world: &World, start: f64, h: f64) -> Result<Vec<f64>, StepError> {
    let end = start + h;
    let mut movers: Vec<Mover<'_>> =
        movers(world).filter(|mover| !mover.stands_between(start, end)).collect();
    if !movers.is_empty() {
        let reached = reached_area(world, h);
        movers.retain(|mover| mover.area([start, end]).is_none_or(|area| area.overlaps(&reached)));
    }
    let (mut ends, slack) = (vec![start], TIME_SLACK * h);
    cut_at_bends(world, &movers, [start, end], slack, &mut ends);
    let releases = world.setup.pins.iter().zip(&world.state.released).filter(|(_, released)| !**released);
    let releases = releases.filter_map(|(pin, _)| pin.release_time());
    ends.extend(releases.filter(|time| start + slack < *time && *time < end - slack));
    ends.sort_unstable_by(f64::total_cmp);
    ends.dedup_by(|next, time| *next - *time <= slack);
    ends.push(end);
    let mut cuts = Vec::new();
    for pair in ends.windows(2) {
        let count = count_turns(world, &movers, [pair[0], pair[1]])?;
        let part = |k: u32| pair[0] + (pair[1] - pair[0]) * (f64::from(k) / f64::from(count));
        cuts.extend((1..count).map(part).chain([pair[1]]));
    }
    cuts.pop();
    Ok(cuts)
}

/// Into how many parts a stretch of time is cut so that nothing turns far in any of them.
fn count_turns(world: &World, movers: &[Mover<'_>], [start, end]: [f64; 2]) -> Result<u32, StepError> {
    let mut count = 1;
    for mover in movers {
        let turn = mover.turn_between(start, end);
        if turn > MOST_TURNS * TAU {
            return Err(StepError::TurnsTooOften {
                body: mover.name(world),
                turns: turn / TAU,
                limit: MOST_TURNS,
                substep: end - start,
                time: start,
            });
        }
        count = count.max((turn / TURN - TIME_SLACK).ceil() as u32);
    }
    Ok(count)
}

/// Cuts a stretch of time at the key at which something is farthest from its straight way, and so on, until all are near
/// it.
fn cut_at_bends(
    world: &World,
    movers: &[Mover<'_>],
    [start, end]: [f64; 2],
    slack: f64,
    cuts: &mut Vec<f64>,
) {
    let keys_of = |mover| Mover::keys_between(mover, start + slack, end - slack);
    let keys = movers.iter().flat_map(|mover| keys_of(*mover).into_iter().map(move |time| (mover, time)));
    let bends = keys.map(|(mover, time)| (mover.bend_at(world, time, [start, end]), time));
    let farthest = bends.max_by(|a, b| a.0.total_cmp(&b.0));
    let Some((_, time)) = farthest.filter(|(bend, _)| *bend > tolerance(world)) else { return };
    cut_at_bends(world, movers, [start, time], slack, cuts);
    cuts.push(time);
    cut_at_bends(world, movers, [time, end], slack, cuts);
}

/// Limit of the distance from a straight way \[m\]: no farther than the smallest distance that a body keeps from obstacles.
fn tolerance(world: &World) -> f64 {
    let offsets = (0..body_count(&world.setup)).map(|body| offset_of_body(&world.setup, body));
    offsets.fold(f64::INFINITY, f64::min).max(LEAST_BEND * scene_extent(&world.state))
}
