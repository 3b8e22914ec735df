//! Cloths that meet themselves, each other and mesh obstacles: contacts before the solve, the safeguard (CCD) after it.
//!
//! The response makes contact look right, CCD makes it true: after every substep, motions are shortened until no pair of
//! primitives crosses on the way. Both see the positions at the start of the substep, where only earlier crossings exist.

use crate::contact::forced::{Secured, record_forced};
use crate::contact::meet::LOOKS_TO_MEET;
use crate::contact::path::{ContactPath, contact_path, moving_shapes};
use crate::derive::derived::Derived;
use crate::derive::facts::{Facts, Split};
use crate::derive::sewing::sewn_cloths;
use crate::model::description::capabilities::ContactLaw;
use crate::model::setup::pins::restore_held;
use crate::model::state::dense::DenseState;
use crate::model::workspace::Workspace;
use crate::model::workspace::work_budget::WorkBudget;
use glam::DVec3;
use taffeta_contact::pair_limits::StepLimits;
use taffeta_contact::proximity::{ContactFilter, Proximity, Step};
use taffeta_contact::response::project;
use taffeta_contact::{Contact, Detector, SubstepView};
use taffeta_core::ContactRow;
use taffeta_core::Friction;
use taffeta_core::lanes::Row;

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

/// The motion of a substep, and what would cross on it.
pub(crate) struct Checked {
    pub step_limits: StepLimits,
    path: ContactPath,
    /// Length \[s\].
    h: f64,
}

/// Looks for what would cross on the motion of the substep; `None` if nothing can meet.
///
/// Reads: rows, the positions at the start.
pub(crate) fn check_motion(
    Split { facts, derived, workspace: work, .. }: Split<'_>,
    h: f64,
) -> Option<Checked> {
    let proximity = derived.proximity.as_mut()?;
    let mut path = contact_path(facts, work, h);
    if facts.choice.capabilities().contact == ContactLaw::Forces {
        // Under projective dynamics contact is a force that gives way: nothing is stopped, but told.
        path.hold_all();
    }
    let shapes = moving_shapes(facts, h);
    proximity.follow(path.step(&shapes));
    let step_limits = proximity.check(path.step(&shapes));
    work.work_budget.add_pairs(proximity.take_pair_count());
    Some(Checked { step_limits, path, h })
}

/// Shortens the motion of the substep where something would cross.
///
/// Reads: rows, the positions at the start. Writes: rows, what the safeguard had to do.
pub(crate) fn secure(
    Split { facts, derived, workspace: work, safeguard }: Split<'_>,
    checked: Option<Checked>,
) {
    work.displaced.clear();
    work.forcing.clear();
    work.secured = DVec3::ZERO;
    let Derived { proximity: Some(proximity), detector, .. } = derived else { return };
    let Some(Checked { step_limits, path, h }) = checked else { return };
    let motion = &facts.state.motion;
    let solved: Vec<DVec3> = work.rows.iter().map(|row| row.position()).collect();
    let before = center_of_rows(&work.rows, motion);
    let mut clearing = Clearing { facts, detector, proximity, work, h };
    let (found, step_limits) = match step_limits.is_whole() {
        true => (path.step(&[]).end.to_vec(), step_limits),
        false => clearing.keep_apart(&path),
    };
    let mut secured = Secured { found, step_limits, path };
    if facts.choice.capabilities().contact != ContactLaw::Forces {
        secured = clearing.give_way(secured);
    }
    if !secured.step_limits.forced.is_empty() || !proximity.crossings().is_empty() {
        let masses = &motion.inverse_masses.raw;
        proximity.record_crossings(&secured.found, |v| masses[v as usize] == 0.0);
    }
    record_forced(facts, safeguard, proximity, &secured, h);
    let Secured { found, step_limits, path } = secured;
    work.forcing.extend(step_limits.forced_faces.iter().map(|face| face.shape as usize));
    for (i, fraction) in step_limits.fractions.iter().enumerate().filter(|(_, t)| **t < 1.0) {
        let lost = path.end(i).distance(found[i]) / h;
        if lost > 0.0 && *fraction < 1.0 {
            safeguard.shortened += 1;
            safeguard.lost_impulse += motion.masses.raw[i] * lost;
            work.rows[i].position = found[i].to_array();
        }
    }
    let shift = |(i, solved): (usize, &DVec3)| (i, work.rows[i].position() - *solved);
    work.displaced = solved.iter().enumerate().map(shift).filter(|(_, by)| *by != DVec3::ZERO).collect();
    work.secured = (center_of_rows(&work.rows, motion) - before) / h;
}

/// Mass times position of all that is not held, over the rows \[kg·m\].
fn center_of_rows(rows: &[Row], motion: &DenseState) -> DVec3 {
    let rows = rows.iter().zip(motion.masses.iter());
    rows.filter(|(row, _)| row.inverse_mass > 0.0).map(|(row, m)| row.position() * *m).sum()
}

/// Cloth that gets out of the way of what forces it, in a substep of length `h` \[s\].
struct Clearing<'a> {
    facts: Facts<'a>,
    detector: &'a mut Detector,
    proximity: &'a mut Proximity,
    work: &'a mut Workspace,
    h: f64,
}

impl Clearing<'_> {
    /// Moves cloth out of the way of what it meets, without friction, to where there is room along its way. `share` is the part of its
    /// thickness that each contact is to keep.
    fn depenetrate(&mut self, path: &ContactPath, share: f64) {
        let Facts { setup, inputs, state, .. } = self.facts;
        let moved = if inputs.stands_still { 0.0 } else { self.h };
        let view = SubstepView {
            start: &self.work.start,
            rows: &self.work.rows,
            rests: false,
            time: state.time,
            h: moved,
        };
        let mut contacts = self.detector.detect(&state.sheet.topology, &setup.obstacles, view);
        let shapes = moving_shapes(self.facts, self.h);
        let bearing = state.friction.names();
        let step = path.step(&shapes);
        let which = ContactFilter::Nearest { bearing: &bearing, stopped: &[] };
        self.proximity.add_contacts(step, which, &mut contacts);
        self.work.work_budget.add_pairs(LOOKS_TO_MEET * self.proximity.pairs().len() as u64);
        for Contact { row, .. } in &mut contacts {
            *row = ContactRow { friction: Friction::NONE, ..*row };
            row.offset -= (1.0 - share) * row.thickness;
        }
        let Workspace { start, rows, guided, .. } = &mut *self.work;
        (0..PUSH_OUT_PASSES).for_each(|_| project(&mut contacts, start, rows));
        restore_held(guided, rows);
    }

    /// Lets cloth give way to what forces it, as long as that helps, and slide if it is sewn.
    fn give_way(&mut self, mut secured: Secured) -> Secured {
        let slides = sewn_cloths(self.facts).contains(&true);
        let (mut least_forced, mut idle) = (usize::MAX, 0);
        for round in 0..PUSH_OUT_ROUNDS {
            let Secured { step_limits, path, .. } = &secured;
            let is_forced =
                !step_limits.forced_faces.is_empty() || !step_limits.forced.is_empty() && path.is_pushed();
            let is_stopped = slides && round < SLIDE_ROUNDS && step_limits.fractions.iter().any(|t| *t < 1.0);
            if !(is_forced || is_stopped) || self.work.work_budget.is_spent() {
                break;
            }
            if is_forced {
                idle = if step_limits.forced_count() < least_forced { 0 } else { idle + 1 };
                least_forced = least_forced.min(step_limits.forced_count());
            }
            if idle == IDLE_ROUNDS {
                break;
            }
            self.depenetrate(path, if is_forced { 1.0 } else { SLIDE_SHARE });
            let path = contact_path(self.facts, self.work, self.h);
            let (found, step_limits) = self.keep_apart(&path);
            secured = Secured { found, step_limits, path };
        }
        secured
    }

    /// The end of a motion after which nothing crosses; the pairs are made complete for it before.
    fn keep_apart(&mut self, path: &ContactPath) -> (Vec<DVec3>, StepLimits) {
        let shapes = moving_shapes(self.facts, self.h);
        self.proximity.follow(path.step(&shapes));
        let secured = self.proximity.secure(path.step(&shapes));
        self.work.work_budget.add_pairs(self.proximity.take_pair_count());
        secured
    }
}

/// The end of a motion of a few vertices after which nothing crosses, before which all others are held.
pub(crate) fn keep_few_apart(
    proximity: &mut Proximity,
    work_budget: &mut WorkBudget,
    step: Step<'_>,
) -> Vec<DVec3> {
    let (ends, _) = proximity.secure_few(step);
    work_budget.add_pairs(proximity.take_pair_count());
    ends
}
