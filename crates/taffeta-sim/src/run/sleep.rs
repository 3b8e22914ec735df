//! Sleeping: if nothing moves any more and no external force acts, a step leaves everything as it is.
//!
//! A world falls asleep if, at its speeds at both ends of the last substep, each body would need [`PATIENCE`] to move by the
//! error tolerance of a substep (RMS). Each of its vertices would need [`LEAST_PATIENCE`]. At both ends, for a pendulum that
//! turns is slow at one of them only.

use crate::adapt::calm::was_looked_at;
use crate::adapt::schedule::{record_passes, remesh_if_due};
use crate::contact::loads::{received_at_rest, record_obstacle_loads, take_loads};
use crate::derive::bodies::{body_count, extent};
use crate::derive::clock::stand_still;
use crate::derive::pressure::has_pressure;
use crate::derive::solver_facts::can_tear;
use crate::derive::world::{Part, World};
use crate::features::pins::is_release_due;
use crate::features::seams::threads::has_open_seam;
use crate::features::volumes::inflates_between;
use crate::measure::energy::{max_strain, measure_jumps, state_hash};
use crate::model::description::inputs::StepInputs;
use crate::model::description::{Air, SolverChoice};
use crate::model::report::stage::{Stage, StageTimes};
use crate::model::report::{
    Metrics, RemeshCounts, RemeshJumps, SafeguardReport, StepReport, SubstepPlan, TearCounts,
};
use crate::model::setup::Setup;
use crate::model::state::{SleepState, Speeds, State, StillGroup};
use crate::step::plan::adapts_substeps;
use glam::DVec3;

/// Time that a body at rest, and each of its vertices, would need to move by the allowed error \[s\]. Cloth that comes to rest
/// slows down within a second or two.
const PATIENCE: f64 = 10.0;
const LEAST_PATIENCE: f64 = 1.0;

/// Notes what a step has ended with, if its remeshing pass has changed nothing.
pub(crate) fn record_stillness(
    setup: &Setup,
    parts: &[Part],
    state: &mut State,
    metrics: Metrics,
    contacts: usize,
    pass: &RemeshCounts,
) {
    let is_unchanged = pass.splits + pass.collapses + pass.flips == 0;
    // What was refused would be again.
    let is_adapted = (0..setup.cloths.len())
        .all(|cloth| setup.cloths[cloth].remesh.is_none() || was_looked_at(state, cloth));
    state.still = is_unchanged.then_some(SleepState { metrics, contacts, is_adapted });
    record_still_groups(setup, parts, state);
}

/// Notes what groups have ended the step with, where it has changed no mesh of theirs. Those that rest, and on which passes have
/// found nothing to do, were not looked at.
fn record_still_groups(setup: &Setup, parts: &[Part], state: &mut State) {
    let mut groups = std::mem::take(&mut state.groups);
    for (group, part) in groups.iter_mut().zip(parts) {
        let is_looked_at =
            |cloth: &usize| setup.cloths[*cloth].remesh.is_none() || was_looked_at(state, *cloth);
        let contacts = match group.still {
            Some(still) if still.is_adapted => continue,
            Some(still) => still.contacts,
            None => part.world.state.last.active_contacts(),
        };
        let is_adapted = part.selection.cloths.iter().all(is_looked_at);
        group.still = part.is_of(&state.sheet).then_some(StillGroup { contacts, is_adapted });
    }
    state.groups = groups;
}

/// Facts about the world if it rests for a whole step of length `dt` \[s\]; `None` if it does not.
pub(crate) fn find_rest(world: &World, inputs: &StepInputs, dt: f64) -> Option<SleepState> {
    let gravity = inputs.gravity.unwrap_or(world.setup.settings.gravity);
    let wind = |air: Air| inputs.wind.unwrap_or(air.wind);
    let is_left_alone = inputs.grabs.is_empty()
        && world.state.rigid.is_empty()
        && gravity == world.state.gravity
        && world.setup.air.is_none_or(|air| wind(air) == DVec3::ZERO)
        && !has_pressure(&world.setup)
        && !has_open_seam(world)
        && !inflates_between(world, world.state.time, world.state.time + dt)
        && !can_tear(world.facts())
        && stand_still(world, world.state.time + dt)
        && world.setup.view_motion.stands_between(world.state.time, world.state.time + dt)
        && !is_release_due(world, world.state.time + dt);
    // Who says how many substeps or iterations there are wants them made; the direct solver is the reference of others.
    let may_skip = adapts_substeps(world)
        && world.setup.settings.iterations.is_none()
        && world.derived.choice != SolverChoice::Direct;
    world.state.still.filter(|_| may_skip && is_left_alone && is_slow(world))
}

/// Makes a step of a world at rest: time passes, and meshes are adapted as long as that changes something.
pub(crate) fn rest(world: &mut World, still: SleepState, dt: f64) -> StepReport {
    let mut times = StageTimes::default();
    world.safeguard = SafeguardReport::default();
    world.state.frame += 1;
    pass_time(&world.setup, &mut world.state, world.derived.choice, dt);
    let (mut remesh, mut popping) = (RemeshCounts::default(), 0.0);
    if still.is_adapted {
        record_passes(&world.setup, &mut world.state);
    } else {
        (remesh, popping) = times.run(Stage::Remesh, || remesh_if_due(world));
        let World { setup, parts, state, .. } = &mut *world;
        record_stillness(setup, parts, state, still.metrics, still.contacts, &remesh);
    }
    let jumps = match world.state.still {
        Some(_) => RemeshJumps::default(),
        None => times.run(Stage::Measure, || measure_jumps(world, &still.metrics, &remesh, popping)),
    };
    StepReport {
        time: world.state.time,
        plan: SubstepPlan::default(),
        vertices: world.state.sheet.topology.vertex_count,
        faces: world.state.sheet.topology.face_count(),
        contacts: still.contacts,
        obstacle_loads: take_loads(&world.setup, &mut world.state, dt),
        broken_edges: 0,
        tears: TearCounts::default(),
        safeguard: SafeguardReport::default(),
        remesh,
        remeshed: Vec::new(),
        jumps,
        metrics: Metrics { max_strain: max_strain(world), ..still.metrics },
        rough: None,
        state_hash: times.run(Stage::Measure, || state_hash(world)),
        times,
    }
}

/// Lets time pass for a world at rest.
pub(crate) fn pass_time(setup: &Setup, state: &mut State, choice: SolverChoice, dt: f64) {
    state.time += dt;
    if let Some(received) = received_at_rest(setup, state, choice, dt) {
        record_obstacle_loads(&mut state.loads, received);
    }
}

/// Returns whether every body is slow now, and was so at the start of the last substep.
fn is_slow(world: &World) -> bool {
    let (sheet, velocities) = (&world.state.sheet, &world.state.motion.velocities.raw);
    let before = &world.state.start_speeds;
    let is_slow = |body: usize| {
        let range = sheet.vertex_range(body as u32);
        let error = world.setup.settings.accuracy * extent(&sheet.layout.raw[range]);
        [Speeds::of(&world.state, body, velocities), before[body]]
            .iter()
            .all(|speeds| speeds.fastest * LEAST_PATIENCE <= error && speeds.mean * PATIENCE <= error)
    };
    let count = body_count(&world.setup);
    world.state.last_substep > 0.0 && before.len() == count && (0..count).all(is_slow)
}
