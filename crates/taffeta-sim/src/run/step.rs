//! A step, from its inputs to its report.

use crate::adapt::schedule::remesh_if_due;
use crate::contact::loads::take_loads;
use crate::derive::clock::schedule_drives;
use crate::derive::parts::{active_contacts, keep_bending};
use crate::derive::rebuild::{rebuild, record_changes};
use crate::derive::sewing::weightless_cloths;
use crate::derive::snapshot::{go_back, note};
use crate::derive::world::World;
use crate::features::grabs::{SubstepCallback, find_grabbed};
use crate::features::seams::weld::close_seams;
use crate::features::springs::broken_edge_count;
use crate::measure::energy::{max_strain, measure, measure_jumps, state_hash};
use crate::model::description::Air;
use crate::model::description::inputs::StepInputs;
use crate::model::report::error::StepError;
use crate::model::report::stage::{Stage, StageTimes};
use crate::model::report::{Metrics, SafeguardReport, StepReport};
use crate::model::setup::Setup;
use crate::model::state::State;
use crate::model::state::asked::Asked;
use crate::model::workspace::Inputs;
use crate::run::groups::make_grouped_substeps;
use crate::run::look_ahead::{adapt_to_outlook, begins};
use crate::run::sleep::{find_rest, record_stillness, rest};
use glam::DVec3;
use std::sync::Arc;

/// Rate at which velocities decay at least while cloth is sewn without gravity \[1/s\]: the threads pull panels over tens of
/// centimeters, and these would swing past each other.
const SEWING_DAMPING: f64 = 20.0;

/// See [`World::step_with`].
pub(crate) fn step(
    world: &mut World,
    inputs: &StepInputs,
    dt: f64,
    lead: &mut SubstepCallback<'_>,
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
    let blows = inputs.wind.filter(|wind| *wind != DVec3::ZERO);
    if let Some(wind) = blows.filter(|_| world.setup.air.is_none_or(|air| air.is_vacuum())) {
        return Err(StepError::WindInVacuum { wind });
    }
    find_grabbed(world, &inputs.grabs)?;
    let end = world.state.time + dt;
    schedule_drives(&mut world.setup, &mut world.state, end);
    let before = Arc::clone(&world.state.sheet);
    world.state.asked = Asked::begin(&world.state.sheet, &world.state.motion.metrics);
    let report = make_step(world, inputs, dt, lead)?;
    Ok(StepReport { remeshed: record_changes(&world.setup, &mut world.state, before), ..report })
}

/// A step whose inputs are sound.
fn make_step(
    world: &mut World,
    inputs: &StepInputs,
    dt: f64,
    lead: &mut SubstepCallback<'_>,
) -> Result<StepReport, StepError> {
    if let Some(still) = find_rest(world, inputs, dt) {
        world.stop_token.pass(world.state.time)?;
        return Ok(rest(world, still, dt));
    }
    let mut times = StageTimes::default();
    world.safeguard = SafeguardReport::default();
    let broken_before = broken_edge_count(world);
    let begins = begins(world);
    let last_good = note(world);
    let weightless = weightless_cloths(world);
    if weightless != world.derived.weightless {
        // A seam that does not close is given up.
        rebuild(world);
    }
    take_forces(&world.setup, &mut world.state, &mut world.inputs, inputs, weightless.contains(&true));
    let early = if begins { adapt_to_outlook(world, dt, &mut times) } else { Ok(Default::default()) };
    let outcome = early.and_then(|early| {
        world.inputs.grabbed = find_grabbed(world, &inputs.grabs)?;
        let done = make_grouped_substeps(world, dt, &inputs.grabs, lead, &mut times)?;
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
    keep_bending(&mut world.state, &mut world.derived, &mut world.parts);
    let contacts = active_contacts(world);
    let broken_edges = broken_edge_count(world) - broken_before;
    let before_pass = if close_seams(world) { measure(world) } else { measured };
    let (remesh, popping) = times.run(Stage::Remesh, || remesh_if_due(world));
    let (remesh, popping) = (remesh.plus(early.0), popping.max(early.1));
    let jumps = times.run(Stage::Measure, || measure_jumps(world, &before_pass, &remesh, popping));
    let state_hash = times.run(Stage::Measure, || state_hash(world));
    record_stillness(&world.setup, &world.parts, &mut world.state, measured, contacts, &remesh);
    Ok(StepReport {
        time: world.state.time,
        plan,
        vertices: world.state.sheet.topology.vertex_count,
        faces: world.state.sheet.topology.face_count(),
        contacts,
        obstacle_loads: take_loads(&world.setup, &mut world.state, dt),
        broken_edges,
        tears,
        safeguard: world.safeguard.clone(),
        remesh,
        remeshed: Vec::new(),
        jumps,
        metrics: Metrics { max_strain: max_strain(world), ..measured },
        rough: None,
        state_hash,
        times,
    })
}

/// Takes over gravity and wind for a step, without grabs.
fn take_forces(
    setup: &Setup,
    state: &mut State,
    taken: &mut Inputs,
    inputs: &StepInputs,
    is_weightless: bool,
) {
    let settings = &setup.settings;
    let gravity = inputs.gravity.unwrap_or(if is_weightless { DVec3::ZERO } else { settings.gravity });
    if gravity != state.gravity {
        state.forget_substep();
    }
    state.gravity = gravity;
    taken.grabbed.clear();
    let damping = setup.settings.velocity_damping;
    taken.damping = if is_weightless { damping.max(SEWING_DAMPING) } else { damping };
    taken.air = setup.air.map(|air| Air { wind: inputs.wind.unwrap_or(air.wind), ..air });
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
