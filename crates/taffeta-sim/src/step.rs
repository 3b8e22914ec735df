//! A step: its inputs, its course, its failure.

use crate::accuracy::{knows_its_error, local_error};
use crate::bound::run_yielding_substep;
use crate::breaking::broken_edge_count;
use crate::collide::{resume_pairs, rooms, secure};
use crate::description::Air;
use crate::effort::{Effort, HURRIED_SUBSTEPS};
use crate::follow::follow_obstacles;
use crate::grab::{Grab, Leader};
use crate::grab::{find_grabbed, lead_grabs};
use crate::integrate::forget_history;
use crate::measure::{max_strain, measure, measure_jumps, state_hash};
use crate::outlook::{adapt_to_outlook, begins};
use crate::plastic::yields_in_every_substep;
use crate::rebuild::rebuild;
use crate::report::{Metrics, StepReport, SubstepPlan, TearCounts};
use crate::rest::{find_rest, note_stillness, rest};
use crate::safeguard::SafeguardReport;
use crate::safeguard::check_strides;
use crate::schedule::{adapts_substeps, plan, remesh_if_due, substeps_in};
use crate::scratch::Inputs;
use crate::seams::close::close_seams;
use crate::stage::{Stage, StageTimes};
use crate::stages::{detect, finish, predict, solve};
use crate::state::State;
use crate::tearing::is_time_to_tear;
use crate::tearing::tear_overloaded;
use crate::world::World;
use glam::{DVec2, DVec3};
use taffeta_contact::Rooms;
use taffeta_core::tasks::stand_by;
use taffeta_solve::PlateState;
use taffeta_solve::drivers::newton::{FactorError, NewtonError};

/// What may change from step to step.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct StepInputs {
    /// Gravity \[m/s²\] instead of the world's.
    pub gravity: Option<DVec3>,
    /// Wind velocity \[m/s\] instead of the world's. No effect without air.
    pub wind: Option<DVec3>,
    /// Pulls on material points in this step. Not under the solver `projective`.
    pub grabs: Vec<Grab>,
}

/// Why a step failed. The world is then as it was before the step.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
pub enum StepError {
    /// A position is not a number.
    #[error(
        "at {time} s a vertex of {body} that was at {last_position}{} is not at a finite position any more; \
         try more substeps, or look for huge stiffness, speed or pressure",
        at_material(material)
    )]
    NotFinite {
        /// What the body is and its name, for example "cloth 'sheet'".
        body: String,
        /// The vertex's material point \[m\], if the cloth has material coordinates.
        material: Option<DVec2>,
        /// Its position at the start of the step \[m\].
        last_position: DVec3,
        /// Time of the failed substep \[s\].
        time: f64,
    },
    /// A figure is beyond all numbers though the positions are not.
    #[error(
        "at {time} s the {what} is not finite any more; look for huge stiffness, speed or pressure, and for lengths that are \
         not in meters"
    )]
    Overflow {
        /// What it is, for example "kinetic energy".
        what: &'static str,
        /// Time at the end of the step \[s\].
        time: f64,
    },
    /// Something moves so far in a substep that nobody can tell what it meets on its way.
    #[error(
        "at {time} s {body} moves by {distance:.3e} m in a substep of {substep:.3e} s; contact is found on ways of up to \
         {limit:.0e} m: take more substeps, a higher frame rate or a slower motion"
    )]
    TooFar {
        /// What moves, for example "cloth 'sheet'" or "sphere obstacle 0".
        body: String,
        /// How far \[m\].
        distance: f64,
        /// How far it may move \[m\].
        limit: f64,
        /// The length of the substep \[s\].
        substep: f64,
        /// Time at the start of the substep \[s\].
        time: f64,
    },
    /// Contact is thinner than what numbers tell apart so far from the origin.
    #[error(
        "at {time} s {body} is {distance:.3e} m from the origin, where positions are told apart by {resolution:.1e} m only: \
         too little for contact that keeps {separation:.1e} m; move the scene to the origin or take a larger thickness"
    )]
    TooFarOut {
        /// The body, for example "cloth 'sheet'".
        body: String,
        /// How far it is from the origin \[m\].
        distance: f64,
        /// The distance of two numbers there \[m\].
        resolution: f64,
        /// The distance that contact keeps \[m\].
        separation: f64,
        /// Time \[s\].
        time: f64,
    },
    /// The time step is not a positive number, or so long that no number of substeps makes sense.
    #[error("the time step is {dt} s; it must be positive and at most about an hour")]
    BadTimeStep {
        /// The time step \[s\].
        dt: f64,
    },
    /// Gravity or wind is not finite.
    #[error("{name} is {value}; it must be finite")]
    BadInput {
        /// `gravity` or `wind`.
        name: &'static str,
        /// Its value \[m/s²\] or \[m/s\].
        value: DVec3,
    },
    /// A grab makes no sense.
    #[error("grab {number}: {reason}")]
    BadGrab {
        /// Its number in the inputs.
        number: usize,
        /// What is wrong with it.
        reason: String,
    },
    /// A [`Watch`](crate::Watch) has asked the step to end.
    #[error("interrupted at {time} s")]
    Interrupted {
        /// Time of the substep that was not made \[s\].
        time: f64,
    },
    /// Newton's method failed.
    #[error("at {time} s the solver failed: {source}")]
    Newton {
        /// Time of the failed substep \[s\].
        time: f64,
        /// What went wrong.
        source: NewtonError,
    },
    /// The system of projective dynamics cannot be factorized.
    #[error("at {time} s the system of the solver projective cannot be factorized: {source}")]
    Factorization {
        /// Time of the failed substep \[s\].
        time: f64,
        /// What went wrong.
        source: FactorError,
    },
    /// No equilibrium was found.
    #[error(
        "no equilibrium was found: {reason}; forces of {residual:.3e} N are left unbalanced, {tolerance:.3e} N would do"
    )]
    NoEquilibrium {
        /// Norm of the unbalanced forces \[N\].
        residual: f64,
        /// What it may be at most \[N\].
        tolerance: f64,
        /// Why the search ended.
        reason: String,
    },
}

fn at_material(material: &Option<DVec2>) -> String {
    material.map_or(String::new(), |u| format!(" (material point {u})"))
}

/// All that a step or a substep changes before it can still fail.
pub(crate) struct Snapshot {
    state: State,
    inputs: Inputs,
    safeguard: SafeguardReport,
    /// Of the solver; the state has the scalars of the start of the step only.
    plate: PlateState,
    rooms: Option<Rooms>,
}

/// See [`World::step_led`].
pub(crate) fn step(
    world: &mut World,
    inputs: &StepInputs,
    dt: f64,
    lead: &mut Leader<'_>,
) -> Result<StepReport, StepError> {
    if !(dt.is_finite() && dt > 0.0) {
        return Err(StepError::BadTimeStep { dt });
    }
    let changed = [("gravity", inputs.gravity), ("wind", inputs.wind)];
    for (name, value) in changed.into_iter().filter_map(|(name, value)| Some((name, value?))) {
        if !value.is_finite() {
            return Err(StepError::BadInput { name, value });
        }
    }
    find_grabbed(world, &inputs.grabs)?;
    if let Some(still) = find_rest(world, inputs, dt) {
        world.watch.pass(world.state.time)?;
        return Ok(rest(world, still, dt));
    }
    let mut times = StageTimes::default();
    world.safeguard = SafeguardReport::default();
    let broken_before = broken_edge_count(world);
    let begins = begins(world);
    let last_good = note(world);
    take_forces(world, inputs);
    let early = if begins { adapt_to_outlook(world, dt, &mut times) } else { Ok(Default::default()) };
    let outcome = early.and_then(|early| {
        world.inputs.grabbed = find_grabbed(world, &inputs.grabs)?;
        let done = make_substeps(world, dt, (&inputs.grabs, lead), &mut times)?;
        let measured = times.run(Stage::Measure, || measure(world));
        check_overflow(world, &measured).map(|()| (done, measured, early))
    });
    let ((plan, tears), measured, early) = match outcome {
        Ok(done) => done,
        Err(error) => {
            go_back(world, last_good);
            return Err(error);
        }
    };
    world.state.frame += 1;
    world.derived.keep_bending(&world.state.sheet, &mut world.state.motion);
    let contacts = world.state.last.active_contacts();
    let broken_edges = broken_edge_count(world) - broken_before;
    let before_pass = if close_seams(world) { measure(world) } else { measured };
    let (remesh, popping) = times.run(Stage::Remesh, || remesh_if_due(world));
    let (remesh, popping) = (remesh.plus(early.0), popping.max(early.1));
    let jumps = times.run(Stage::Measure, || measure_jumps(world, &before_pass, (&remesh, popping)));
    let state_hash = times.run(Stage::Measure, || state_hash(world));
    note_stillness(world, measured, contacts, &remesh);
    Ok(StepReport {
        time: world.state.time,
        plan,
        vertices: world.state.sheet.topology.vertex_count,
        faces: world.state.sheet.topology.face_count(),
        contacts,
        broken_edges,
        tears,
        safeguard: world.safeguard.clone(),
        remesh,
        jumps,
        metrics: Metrics { max_strain: max_strain(world), ..measured },
        state_hash,
        times,
    })
}

/// Takes over gravity and wind for a step, without grabs.
fn take_forces(world: &mut World, inputs: &StepInputs) {
    let gravity = inputs.gravity.unwrap_or(world.setup.settings.gravity);
    if gravity != world.state.gravity {
        forget_history(world);
    }
    world.state.gravity = gravity;
    world.inputs.grabbed.clear();
    world.inputs.air = world.setup.air.map(|air| Air { wind: inputs.wind.unwrap_or(air.wind), ..air });
}

/// All substeps of a step, however many they come to.
pub(crate) fn make_substeps(
    world: &mut World,
    dt: f64,
    grabs: (&[Grab], &mut Leader<'_>),
    times: &mut StageTimes,
) -> Result<(SubstepPlan, TearCounts), StepError> {
    let effort = Effort::new(world.state.sheet.topology.vertex_count);
    world.scratch.effort = effort.with_substeps(world.setup.settings.substeps.unwrap_or(1));
    world.derived.begin_frame();
    let plan = plan(world, dt).map(|plan| follow_obstacles(world, plan, dt))?;
    run_substeps(world, (plan, dt), grabs, times)
}

fn check_overflow(world: &World, measured: &Metrics) -> Result<(), StepError> {
    let figures = [
        ("kinetic energy", measured.kinetic_energy),
        ("elastic energy", measured.stretch_energy + measured.bend_energy),
        ("energy in the field of gravity", measured.gravity_energy),
        ("momentum", (measured.momentum + measured.angular_momentum).element_sum()),
        ("strain", measured.max_strain),
        ("residual", measured.residual),
    ];
    let beyond = figures.into_iter().find(|(_, figure)| !figure.is_finite());
    beyond.map_or(Ok(()), |(what, _)| Err(StepError::Overflow { what, time: world.state.time }))
}

fn run_substeps(
    world: &mut World,
    ((mut plan, least), dt): ((SubstepPlan, u32), f64),
    (grabs, lead): (&[Grab], &mut Leader<'_>),
    times: &mut StageTimes,
) -> Result<(SubstepPlan, TearCounts), StepError> {
    debug_assert_eq!(world.derived.epoch, world.state.sheet.topology.epoch, "caches of another topology");
    let (end, mut energy, mut tears) = (world.state.time + dt, None, TearCounts::default());
    let mut grabs = grabs.to_vec();
    // The substeps of equal length that are to come, or to go on with.
    let begin = world.state.time;
    let (mut start, mut h, mut count) = (begin, dt / f64::from(plan.substeps), plan.substeps);
    let (mut substep, mut last_part) = (0, None);
    while substep < count {
        // Multiplied, not added up: the last substep ends exactly at the frame.
        world.state.time = start + h * f64::from(substep);
        let wanted =
            choose_substeps(world, (end - world.state.time, count - substep), (&mut plan, least, dt));
        if wanted != count - substep {
            plan.substeps = plan.substeps - (count - substep) + wanted;
            (start, count, substep) = (world.state.time, wanted, 0);
            h = (end - start) / f64::from(count);
        }
        let part = (world.state.time - begin) / dt;
        let is_due = is_time_to_tear((last_part.replace(part), part), dt);
        let epoch = world.state.sheet.topology.epoch;
        let tear = || if is_due { tear_overloaded(world, substep > 0) } else { TearCounts::default() };
        tears = tears.plus(times.run(Stage::Remesh, tear));
        let is_edited = world.state.sheet.topology.epoch != epoch;
        if is_edited {
            world.inputs.grabbed = find_grabbed(world, &grabs)?;
            energy = None;
        }
        lead_grabs(world, h, &mut grabs, lead)?;
        // The kinks of new splits must not become folds.
        world.inputs.lets_yield = !is_edited && (substep + 1 == count || yields_in_every_substep(world));
        run_yielding_substep(world, (h, 0), (&mut plan, &mut energy), times)?;
        if knows_its_error(world) {
            plan.error = plan.error.max(local_error(world));
        }
        substep += 1;
    }
    world.state.time = end;
    Ok((plan, tears))
}

/// How many substeps are to make what is left of a step \[s\], of the length `dt` \[s\], for which so many are planned; the
/// obstacles ask for `least` in all of it.
fn choose_substeps(
    world: &World,
    (left, planned): (f64, u32),
    (plan, least, dt): (&mut SubstepPlan, u32, f64),
) -> u32 {
    if world.scratch.effort.is_spent() {
        if planned > HURRIED_SUBSTEPS {
            plan.hurried_since.get_or_insert(world.state.time);
        }
        return planned.min(HURRIED_SUBSTEPS);
    }
    if !adapts_substeps(world) {
        return planned;
    }
    let least = (f64::from(least) * left / dt - 1e-9).ceil() as u32;
    let asked = substeps_in(world, left).max(least);
    // Substeps of one length are cheaper than those that change: what is kept for one need not be made anew.
    if asked > planned || 2 * asked <= planned { asked } else { planned }
}

/// One substep, stage by stage.
pub(crate) fn run_substep(
    world: &mut World,
    h: f64,
    plan: &mut SubstepPlan,
    times: &mut StageTimes,
) -> Result<(), StepError> {
    world.watch.pass(world.state.time)?;
    world.scratch.error = local_error(world);
    times.run(Stage::Predict, || predict(world, h));
    check_strides(world, h)?;
    // Not all of the time: what remeshes is one thread.
    stand_by(world.state.sheet.topology.vertex_count, || {
        times.run(Stage::Detect, || detect(world, h));
        times.run(Stage::Solve, || solve(world, h, plan))?;
        times.run(Stage::Secure, || secure(world, h));
        times.run(Stage::Finish, || finish(world, h))
    })
}

/// What [`World::go_back`] needs to undo a step.
pub(crate) fn note(world: &World) -> Snapshot {
    Snapshot {
        state: world.state.clone(),
        inputs: world.inputs.clone(),
        safeguard: world.safeguard.clone(),
        plate: world.derived.plate.clone(),
        rooms: rooms(world),
    }
}

/// What [`World::go_back`] needs to undo a substep, which finds its contacts by itself: those of the last one are not kept.
pub(crate) fn note_substep(world: &mut World) -> Snapshot {
    let contacts = std::mem::take(&mut world.state.last.contacts);
    let snapshot = note(world);
    world.state.last.contacts = contacts;
    snapshot
}

/// Puts back what a failed step has changed.
pub(crate) fn go_back(world: &mut World, snapshot: Snapshot) {
    let Snapshot { mut state, inputs, safeguard, plate, rooms } = snapshot;
    let last = std::mem::take(&mut state.last);
    (world.state, world.inputs, world.safeguard) = (state, inputs, safeguard);
    // Solver and detector have memories of their own, which the failed step has touched.
    rebuild(world);
    world.derived.plate = plate;
    resume_pairs(world, rooms);
    world.state.last = last;
}
