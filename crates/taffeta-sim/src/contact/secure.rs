//! Cloths that meet themselves, each other and mesh obstacles: contacts before the solve, the safeguard (CCD) after it.
//!
//! The response makes contact look right, CCD makes it true: after every substep, motions are shortened until no pair of
//! primitives crosses on the way. Both see the positions at the start of the substep, where only earlier crossings exist.

use crate::contact::forced::{Secured, note_forced};
use crate::contact::meet::LOOKS_TO_MEET;
use crate::contact::path::{ContactPath, contact_path, moving_shapes};
use crate::derive::sewing::sewn_cloths;
use crate::derive::world::World;
use crate::model::capabilities::ContactLaw;
use crate::model::pins::put_back;
use glam::DVec3;
use taffeta_contact::certificate::Truncation;
use taffeta_contact::proximity::{Proximity, Which};
use taffeta_contact::response::project;
use taffeta_contact::{Contact, SubstepView};
use taffeta_core::ContactRow;

/// Number of times that cloth is moved out of the way of pins and obstacles before an intersection counts as forced, and of
/// sweeps over the contacts each time. Each time other primitives may come to be in the way.
const PUSH_OUT_ROUNDS: u32 = 16;
const PUSH_OUT_PASSES: u32 = 16;

/// Rounds in a row, at most, in which no less is forced than before: where pins and obstacles leave no room, no round helps.
const IDLE_ROUNDS: u32 = 4;

/// Number of times that cloth which is sewn slides on before its motion is shortened. Threads press it against what is in the way,
/// where it would be stopped for ever. Other cloth would gain energy by it. Each contact then keeps a part of its thickness that is a
/// little more than CCD asks for.
const SLIDE_ROUNDS: u32 = 4;
const SLIDE_SHARE: f64 = 0.2;

/// Moves cloth out of the way of what it meets, without friction, to where there is room along its way. `share` is the part of its
/// thickness that each contact is to keep.
fn push_out(world: &mut World, proximity: &Proximity, path: &ContactPath, (share, h): (f64, f64)) {
    let moved = if world.inputs.stands_still { 0.0 } else { h };
    let work = &world.scratch;
    let view =
        SubstepView { start: &work.start, rows: &work.rows, rests: false, time: world.state.time, h: moved };
    let mut contacts =
        world.derived.detector.detect(&world.state.sheet.topology, &world.setup.obstacles, view);
    let shapes = moving_shapes(world, h);
    let bearing = world.state.friction.names();
    let step = path.step(&shapes);
    let which = Which::Nearest { bearing: &bearing, stopped: &[] };
    proximity.add_contacts(step, which, &mut contacts);
    world.scratch.effort.add_pairs(LOOKS_TO_MEET * proximity.pairs().len() as u64);
    for Contact { row, .. } in &mut contacts {
        *row = ContactRow { static_friction: 0.0, kinetic_friction: 0.0, ..*row };
        row.offset -= (1.0 - share) * row.thickness;
    }
    let work = &mut world.scratch;
    (0..PUSH_OUT_PASSES).for_each(|_| project(&mut contacts, &work.start, &mut work.rows));
    put_back(&work.guided, &mut work.rows);
}

/// The motion of a substep, and what would cross on it.
pub(crate) struct Checked {
    pub truncation: Truncation,
    path: ContactPath,
}

/// Looks for what would cross on the motion of the substep; `None` if nothing can meet.
///
/// Reads: rows, the positions at the start.
pub(crate) fn check_motion(world: &mut World, h: f64) -> Option<Checked> {
    let mut proximity = world.derived.proximity.take()?;
    let mut path = contact_path(world);
    if world.derived.choice.capabilities().contact == ContactLaw::Forces {
        // Under projective dynamics contact is a force that gives way: nothing is stopped, but told.
        path.hold_all();
    }
    let shapes = moving_shapes(world, h);
    proximity.follow(path.step(&shapes));
    let truncation = proximity.check(path.step(&shapes));
    world.scratch.effort.add_pairs(proximity.take_work());
    world.derived.proximity = Some(proximity);
    Some(Checked { truncation, path })
}

/// Shortens the motion of the substep where something would cross.
///
/// Reads: rows, the positions at the start. Writes: rows, what the safeguard had to do.
pub(crate) fn secure(world: &mut World, h: f64, checked: Option<Checked>) {
    world.scratch.displaced.clear();
    world.scratch.secured = DVec3::ZERO;
    let (Some(checked), Some(mut proximity)) = (checked, world.derived.proximity.take()) else { return };
    let solved: Vec<DVec3> = world.scratch.rows.iter().map(|row| row.position()).collect();
    let before = center_of_rows(world);
    let Checked { truncation, path } = checked;
    let (found, truncation) = match truncation.is_whole() {
        true => (path.step(&[]).end.to_vec(), truncation),
        false => keep_apart(world, &mut proximity, &path, h),
    };
    let mut secured = Secured { found, truncation, path };
    if world.derived.choice.capabilities().contact != ContactLaw::Forces {
        secured = give_way(world, &mut proximity, (secured, h));
    }
    if !secured.truncation.forced.is_empty() || !proximity.crossings().is_empty() {
        let masses = &world.state.motion.inverse_masses.raw;
        proximity.note_crossings(&secured.found, |v| masses[v as usize] == 0.0);
    }
    note_forced(world, &proximity, &secured, h);
    world.derived.proximity = Some(proximity);
    let Secured { found, truncation, path } = secured;
    let work = &mut world.scratch;
    for (i, fraction) in truncation.fractions.iter().enumerate().filter(|(_, t)| **t < 1.0) {
        let lost = path.end(i).distance(found[i]) / h;
        if lost > 0.0 && *fraction < 1.0 {
            world.safeguard.shortened += 1;
            world.safeguard.lost_impulse += world.state.motion.masses.raw[i] * lost;
            work.rows[i].position = found[i].to_array();
        }
    }
    let shift = |(i, solved): (usize, &DVec3)| (i, work.rows[i].position() - *solved);
    work.displaced = solved.iter().enumerate().map(shift).filter(|(_, by)| *by != DVec3::ZERO).collect();
    world.scratch.secured = (center_of_rows(world) - before) / h;
}

/// Mass times position of all that is not held, over the rows \[kg·m\].
fn center_of_rows(world: &World) -> DVec3 {
    let rows = world.scratch.rows.iter().zip(world.state.motion.masses.iter());
    rows.filter(|(row, _)| row.inverse_mass > 0.0).map(|(row, m)| row.position() * *m).sum()
}

/// Lets cloth give way to what forces it, as long as that helps, and slide if it is sewn.
fn give_way(world: &mut World, proximity: &mut Proximity, (mut secured, h): (Secured, f64)) -> Secured {
    let slides = sewn_cloths(world).contains(&true);
    let (mut least_forced, mut idle) = (usize::MAX, 0);
    for round in 0..PUSH_OUT_ROUNDS {
        let Secured { truncation, path, .. } = &secured;
        let is_forced =
            !truncation.forced_faces.is_empty() || !truncation.forced.is_empty() && path.is_pushed();
        let is_stopped = slides && round < SLIDE_ROUNDS && truncation.fractions.iter().any(|t| *t < 1.0);
        if !(is_forced || is_stopped) || world.scratch.effort.is_spent() {
            break;
        }
        if is_forced {
            idle = if truncation.forced_count() < least_forced { 0 } else { idle + 1 };
            least_forced = least_forced.min(truncation.forced_count());
        }
        if idle == IDLE_ROUNDS {
            break;
        }
        push_out(world, proximity, path, (if is_forced { 1.0 } else { SLIDE_SHARE }, h));
        let path = contact_path(world);
        let (found, truncation) = keep_apart(world, proximity, &path, h);
        secured = Secured { found, truncation, path };
    }
    secured
}

/// The end of a motion after which nothing crosses; the pairs are made complete for it before.
pub(crate) fn keep_apart(
    world: &mut World,
    proximity: &mut Proximity,
    path: &ContactPath,
    h: f64,
) -> (Vec<DVec3>, Truncation) {
    let shapes = moving_shapes(world, h);
    let secured = {
        proximity.follow(path.step(&shapes));
        proximity.secure(path.step(&shapes))
    };
    world.scratch.effort.add_pairs(proximity.take_work());
    secured
}

/// Like [`keep_apart`], for a motion of a few vertices, before which all others are held.
pub(crate) fn keep_few_apart(
    world: &mut World,
    proximity: &mut Proximity,
    path: &ContactPath,
    h: f64,
) -> Vec<DVec3> {
    let shapes = moving_shapes(world, h);
    let (ends, _) = proximity.secure_few(path.step(&shapes));
    world.scratch.effort.add_pairs(proximity.take_work());
    ends
}
