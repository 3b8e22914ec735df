//! The equilibrium: where the cloth comes to rest.
//!
//! Pseudo-time: implicit Euler steps from rest, `min ½ (x−xᵏ)ᵀ M (x−xᵏ)/s² + U(x) − gᵀ M x`, whose inertia keeps Newton's
//! method from jumping, with a step `s` that grows while Newton converges easily. The inertia that remains at the end of a step
//! is the force that is still unbalanced. For long `s` the steps are those of Newton's method itself.

use crate::contact::loads::loads_at_rest;
use crate::contact::secure::{check_motion, secure};
use crate::derive::bodies::{body_count, body_name};
use crate::derive::crossings::has_obstacles;
use crate::derive::parts::join_parts;
use crate::derive::rebuild::rebuild;
use crate::derive::snapshot::{go_back, note, take_snapshot};
use crate::derive::world::World;
use crate::features::pins::release_pins;
use crate::features::springs::broken_edge_count;
use crate::measure::energy::{measure, state_hash};
use crate::model::report::error::StepError;
use crate::model::report::stage::{Stage, StageTimes};
use crate::model::report::{SafeguardReport, StepReport, SubstepPlan, TearCounts};
use crate::model::setup::pins::along_held;
use crate::model::workspace::work_budget::WorkBudget;
use crate::step::stages::detect::detect;
use crate::step::stages::equations::Start;
use crate::step::stages::finish::finish;
use crate::step::stages::predict::{begin_substep, predict};
use crate::step::stages::solve::solve;
use glam::DVec3;
use std::sync::Arc;
use taffeta_core::index::DenseIndex;

/// Unbalanced force that counts as none, relative to the load: weight and pressure.
const TOLERANCE: f64 = 1e-6;

/// Gravity that the load is measured with at least \[m/s²\]: without any, round-off would count.
const LEAST_GRAVITY: f64 = 1.0;

/// First pseudo-time step \[s\], and the shortest before the search is given up.
const FIRST_STEP: f64 = 1.0 / 60.0;
const SHORTEST_STEP: f64 = 1e-6;

/// Longest pseudo-time step \[s\]: with obstacles one in which a falling cloth does not pass them.
const LONGEST_STEP: f64 = 100.0;
const LONGEST_STEP_NEAR_OBSTACLES: f64 = 1.0 / 30.0;

/// Factor by which the step grows and shrinks.
const GROWTH: f64 = 3.0;

/// Newton iterations up to which a step counts as easy.
const EASY: u32 = 12;

/// Pseudo-time steps after which the search is given up.
const MAX_STEPS: u32 = 1000;

/// Moves the cloths from where they are to an equilibrium of gravity, pressure, elasticity, pins and obstacles. They
/// are at rest then. Counts as one step, in which no time passes; pins and obstacles stand where they are.
///
/// # Errors
/// If a cloth floats, with nothing to hold it, no equilibrium is found, or a [`StopToken`](crate::StopToken) asks for an end; the
/// world is then as it was before.
pub(crate) fn equilibrate(world: &mut World) -> Result<StepReport, StepError> {
    let mut times = StageTimes::default();
    let last_good = note(world);
    join_parts(world);
    world.safeguard = SafeguardReport::default();
    let broken_before = broken_edge_count(world);
    if release_pins(&world.setup, &mut world.state, &mut world.derived) {
        rebuild(world);
    }
    world.state.gravity = world.setup.settings.gravity;
    world.inputs.air = None;
    world.inputs.damping = 0.0;
    world.inputs.grabbed.clear();
    world.inputs.stands_still = true;
    // Folds that stay depend on the way to them, and the search for an equilibrium goes any.
    world.inputs.lets_yield = false;
    let outcome = check_support(world).and_then(|()| relax(world, &mut times));
    world.inputs.stands_still = false;
    let (plan, residual) = match outcome {
        Ok(found) => found,
        Err(error) => {
            go_back(world, last_good);
            return Err(error);
        }
    };
    Arc::make_mut(&mut world.state.motion.velocities).iter_mut().for_each(|v| *v = DVec3::ZERO);
    world.state.forget_substep();
    world.state.wake();
    world.state.frame += 1;
    world.derived.keep_bending(&world.state.sheet, &mut world.state.motion);
    let mut metrics = times.run(Stage::Measure, || measure(world));
    metrics.residual = residual;
    let state_hash = times.run(Stage::Measure, || state_hash(world));
    Ok(StepReport {
        time: world.state.time,
        plan,
        vertices: world.state.sheet.topology.vertex_count,
        faces: world.state.sheet.topology.face_count(),
        contacts: world.state.last.active_contacts(),
        obstacle_loads: loads_at_rest(&world.setup, &mut world.state),
        broken_edges: broken_edge_count(world) - broken_before,
        tears: TearCounts::default(),
        safeguard: world.safeguard.clone(),
        remesh: Default::default(),
        remeshed: Vec::new(),
        jumps: Default::default(),
        metrics,
        rough: None,
        state_hash,
        times,
    })
}

/// Pseudo-time steps until nothing is left unbalanced; the residual \[N\].
fn relax(world: &mut World, times: &mut StageTimes) -> Result<(SubstepPlan, f64), StepError> {
    let mut plan = SubstepPlan::default();
    let longest = if has_obstacles(world) { LONGEST_STEP_NEAR_OBSTACLES } else { LONGEST_STEP };
    let mut step = FIRST_STEP.min(longest);
    let tolerance = TOLERANCE * load(world);
    let mut residual = f64::INFINITY;
    world.workspace.work_budget = WorkBudget::of_search(world.state.sheet.topology.vertex_count);
    while plan.substeps < MAX_STEPS && !world.workspace.work_budget.is_spent() {
        world.stop_token.pass(world.state.time)?;
        let before = take_snapshot(world);
        Arc::make_mut(&mut world.state.motion.velocities).iter_mut().for_each(|v| *v = DVec3::ZERO);
        world.state.forget_substep();
        world.derived.begin_frame();
        if release_pins(&world.setup, &mut world.state, &mut world.derived) {
            rebuild(world);
        }
        begin_substep(&world.state, &mut world.workspace);
        let World { setup, inputs, state, derived, workspace, .. } = &mut *world;
        times.run(Stage::Predict, || predict(setup, inputs, state, derived.choice, workspace, step));
        times.run(Stage::Detect, || detect(setup, inputs, state, derived, workspace));
        let mut this = SubstepPlan::default();
        let (parts, derived) = world.changing_and_derived();
        let solved = times.run(Stage::Solve, || solve(parts, derived, step, Start::Inertia, &mut this));
        if solved.is_ok() {
            times.run(Stage::Secure, || {
                let checked = check_motion(world.split(), step);
                secure(world.split(), checked);
            });
        }
        let World { setup, inputs, state, derived, workspace, .. } = &mut *world;
        let finish = || finish(setup, inputs, state, derived, workspace);
        let finished = solved.and_then(|()| times.run(Stage::Finish, finish));
        plan.substeps += 1;
        plan.iterations = plan.iterations.max(this.iterations);
        plan.linear_iterations += this.linear_iterations;
        if finished.is_err() || this.not_converged > 0 {
            go_back(world, before);
            step /= GROWTH * GROWTH;
            if step < SHORTEST_STEP {
                let reason = "Newton's method does not converge, however small the step".to_owned();
                return Err(StepError::NoEquilibrium { residual, tolerance, reason });
            }
            continue;
        }
        residual = left_over(world, step);
        if residual <= tolerance {
            return Ok((plan, residual));
        }
        if this.iterations <= EASY {
            step = (step * GROWTH).min(longest);
        }
    }
    let most = if plan.substeps < MAX_STEPS { ", all the work that the search may do" } else { "" };
    let reason = format!(
        "the cloth still moves after {} steps{most}; simulate the motion instead, and take its end",
        plan.substeps
    );
    Err(StepError::NoEquilibrium { residual, tolerance, reason })
}

/// Norm of the force that a pseudo-time step has left unbalanced \[N\]: its inertia.
fn left_over(world: &World, step: f64) -> f64 {
    let state = &world.state.motion;
    let mut sum = 0.0;
    for (vi, x) in state.positions.iter_indexed() {
        let moved = (*x - world.workspace.start[vi.to_usize()]) * (state.masses[vi] / (step * step));
        sum += along_held(state.held[vi], DVec3::ZERO, moved).length_squared();
    }
    sum.sqrt()
}

/// The size of the load \[N\]: weight and pressure.
fn load(world: &World) -> f64 {
    let state = &world.state.motion;
    let weight = state.masses.iter().sum::<f64>() * world.setup.settings.gravity.length().max(LEAST_GRAVITY);
    let rest = &world.state.motion.rest;
    let pressed = rest.areas.iter().zip(rest.cloths.iter());
    let pressure: f64 =
        pressed.map(|(area, cloth)| area * world.setup.cloths[*cloth as usize].pressure.abs()).sum();
    weight.max(pressure)
}

/// Refuses a cloth that nothing can hold against its load: no pin along an axis of gravity, or none at all under
/// pressure, and no obstacle to fall upon.
fn check_support(world: &World) -> Result<(), StepError> {
    if has_obstacles(world) {
        return Ok(());
    }
    for number in 0..body_count(&world.setup) {
        let pressure = world.setup.cloths.get(number).map_or(0.0, |cloth| cloth.pressure);
        let range = world.state.sheet.vertex_range(number as u32);
        let held = |axis: usize| range.clone().any(|i| world.state.motion.held.raw[i][axis]);
        let gravity = world.setup.settings.gravity.to_array();
        let falls = (0..3).any(|axis| gravity[axis] != 0.0 && !held(axis));
        if falls || pressure != 0.0 && !(0..3).any(held) {
            let reason = format!(
                "{} floats: no pin holds it against its load, and there is no obstacle",
                body_name(&world.setup, number)
            );
            let residual = load(world);
            return Err(StepError::NoEquilibrium { residual, tolerance: TOLERANCE * residual, reason });
        }
    }
    Ok(())
}
