//! The stages of a substep. [`World::step`] calls them in order; they are public so that the order can be read and
//! instrumented. Each takes what the one before it has left: called in another order they compute nothing of use.

use crate::air::{densities, exposed};
use crate::breaking::break_overloaded_edges;
use crate::caches::Solver;
use crate::collide::meet_cloths;
use crate::enclosed::{keep_pressures, set_volume_targets};
use crate::grab::{forget_grabbed, pull_grabbed, settle_grabbed};
use crate::grips::{carry_slip, note_slip};
use crate::integrate::coast;
use crate::integrate::{collect_inertia, note_history, restart_at_contacts};
use crate::loose::body_name;
use crate::newton::{clamp_normals, solve_newton};
use crate::pins::{Guided, Pin, along_held, put_back, put_back_starts};
use crate::pins::{mark_overloaded_pins, note_inertia, release_pins};
use crate::plastic::yield_folds;
use crate::pressure::{add_pressure, has_pressure, is_pressure_explicit};
use crate::projective::solve_projective;
use crate::report::SubstepPlan;
use crate::scratch::Scratch;
use crate::seams::sewing::{let_slide, set_threads};
use crate::state::State;
use crate::step::StepError;
use crate::world::World;
use glam::DVec3;
use taffeta_contact::SubstepView;
use taffeta_contact::response::{ease, project, stabilize};
use taffeta_core::VertexIndex;
use taffeta_core::index::DenseIndex;
use taffeta_core::lanes::Row;
use taffeta_solve::{RowStep, Substep};

/// Distance from the origin beyond which a position is taken for a blow-up \[m\]: there f64 resolves tenths of a
/// micrometer and no solver converges any more.
const FARTHEST: f64 = 1e9;

/// Lets go of the pins whose time has come. Moves the free vertices by inertia, gravity, drag, pressure and grabs, and
/// the held ones, along the axes that are held, to where their pin's motion takes them.
///
/// Reads: positions, velocities, pins, air, grabs. Writes: velocities, the rows and the start of the substep; everything
/// that depends on who is held if a pin lets go.
pub(crate) fn predict(world: &mut World, h: f64) {
    release_pins(world);
    forget_grabbed(world);
    let inertia = collect_inertia(world, h);
    let outside = (world.state.gravity, world.setup.settings.velocity_damping);
    let State { motion: state, last, .. } = &mut world.state;
    let work = &mut world.scratch;
    work.start.clone_from(&state.positions.raw);
    work.start_velocities.clone_from(&state.velocities.raw);
    work.bases = inertia.iter().map(|inertia| inertia.position).collect();
    last.scales = inertia.iter().map(|inertia| inertia.scale).collect();
    work.stopped = vec![false; inertia.len()];
    for ((v, w), inertia) in state.velocities.iter_mut().zip(state.inverse_masses.iter()).zip(&inertia) {
        *v = if *w > 0.0 { coast(*inertia, outside) } else { *v };
    }
    // Those without history take longer strides, and the same share of what acts from outside.
    work.impulse_time = last.scales.iter().copied().fold(h, f64::min);
    let impulses = outer_impulses(world, world.scratch.impulse_time);
    let state = &mut world.state.motion;
    for (i, impulse) in impulses.iter().enumerate() {
        let share = world.state.last.scales[i] / world.scratch.impulse_time;
        state.velocities.raw[i] += *impulse * (state.inverse_masses.raw[i] * share);
    }
    world.scratch.impulses = impulses;
    note_inertia(world, &inertia, outside);
    world.state.last.h = h;
    place_vertices(world, h);
    pull_grabbed(world);
}

/// Impulses of drag and pressure over a time `h` \[N·s\]; empty if there is neither.
fn outer_impulses(world: &World, h: f64) -> Vec<DVec3> {
    let pressed = has_pressure(world) && is_pressure_explicit(world);
    if world.inputs.air.is_none() && !pressed {
        return Vec::new();
    }
    let state = &world.state.motion;
    let mut impulses = vec![DVec3::ZERO; state.positions.len()];
    if let Some(air) = world.inputs.air {
        exposed(world, &densities(world)).add_drag(&air, &state.velocities, h, &mut impulses);
    }
    if pressed {
        add_pressure(world, &state.positions, h, &mut impulses);
    }
    impulses
}

/// Puts the vertices where their velocities and their pins take them by the end of the substep.
fn place_vertices(world: &mut World, h: f64) {
    let State { sheet, motion, last, .. } = &world.state;
    let end = end_of_substep(world, h);
    let pose = |pin: &Pin| pin.description.motion.pose_at(end, pin.center);
    let poses: Vec<_> = world.setup.pins.iter().map(pose).collect();
    world.scratch.guided.clear();
    for vi in sheet.topology.vertices() {
        let start = motion.positions[vi];
        let i = vi.to_usize();
        let mut position = world.scratch.bases[i] + motion.velocities[vi] * last.scales[i];
        if let Some(pin) = motion.vertex_pins[vi] {
            let (held, target) = (motion.held[vi], poses[pin as usize].apply(sheet.starts[vi]));
            position = along_held(held, target, position);
            if held.contains(&false) {
                world.scratch.guided.push(Guided { vertex: vi, held, start, target });
            }
        }
        world.scratch.rows[vi.to_usize()].position = position.to_array();
    }
}

/// The time for which pins and obstacles are placed at the end of a substep \[s\].
pub(crate) fn end_of_substep(world: &World, h: f64) -> f64 {
    if world.inputs.stands_still { world.state.time } else { world.state.time + h }
}

/// Finds the contacts of the substep. Those that were violated before it are separated under a local solver, and
/// asked for less under Newton's method.
///
/// Reads: rows, start, obstacles. Writes: contacts; under a local solver rows and start where one was violated.
pub(crate) fn detect(world: &mut World, h: f64) {
    let (work, last) = (&mut world.scratch, &mut world.state.last);
    // Pins and obstacles that stand still are those of a substep without length.
    let moved = if world.inputs.stands_still { 0.0 } else { h };
    // The few iterations of projective dynamics find the forces of one point sooner than those of several.
    let rests = !matches!(world.derived.solver, Solver::Projective(_));
    let view = SubstepView { start: &work.start, rows: &work.rows, rests, time: world.state.time, h: moved };
    let found = world.derived.detector.detect(&world.state.sheet.topology, &world.setup.obstacles, view);
    // Its memory is used again: contacts of folded cloth take tens of megabytes.
    last.contacts.clear();
    last.contacts.extend(found);
    last.has_forgotten_contacts = false;
    meet_cloths(world, h);
    let_slide(world);
    restart_at_contacts(world, h);
    let (work, last) = (&mut world.scratch, &mut world.state.last);
    match world.derived.solver {
        Solver::Block(_) | Solver::Rows(_) | Solver::Projective(_) => {
            stabilize(&last.contacts, &mut work.start, &mut work.rows, h)
        }
        // Its contacts are springs, which carry their load by their depth.
        Solver::Newton(_) => ease(&mut last.contacts, &work.start, h),
    }
    put_back(&work.guided, &mut work.rows);
    put_back_starts(&work.guided, &mut work.start);
    last.predicted.clear();
    last.predicted.extend(work.rows.iter().map(Row::position));
}

/// Elasticity and contact: after it in every sweep of a local solver, together in Newton's method.
///
/// Reads: start, predicted, contacts. Writes: rows, the multipliers of the contacts, the counts of the plan.
///
/// # Errors
/// If the energy is not finite or a solver cannot factorize its system.
pub(crate) fn solve(world: &mut World, h: f64, plan: &mut SubstepPlan) -> Result<(), StepError> {
    set_threads(world, h);
    if world.derived.solver.is_local() || matches!(world.derived.solver, Solver::Projective(_)) {
        world
            .scratch
            .effort
            .add_local(world.scratch.rows.len() + world.state.last.contacts.len(), plan.iterations);
    }
    if matches!(world.derived.solver, Solver::Projective(_)) {
        return solve_projective(world, h, plan.iterations);
    }
    if world.derived.solver.is_local() {
        sweep_locally(world, h, plan.iterations);
        return Ok(());
    }
    let report = solve_newton(world, h)?;
    plan.iterations = plan.iterations.max(report.iterations);
    plan.linear_iterations += report.linear_iterations;
    plan.not_converged += u32::from(!report.converged);
    Ok(())
}

/// The sweeps of a local solver, each followed by contact.
fn sweep_locally(world: &mut World, h: f64, sweeps: u32) {
    let normals = clamp_normals(world, end_of_substep(world, h));
    carry_slip(world);
    set_volume_targets(world, h);
    let World { derived: caches, scratch: work, state: State { last, .. }, .. } = world;
    // Noted here and not before: a contact that was pushed apart has moved the start.
    match &mut caches.solver {
        Solver::Block(driver) => {
            if driver.is_damped() {
                driver.begin_substep(&rows_at_start(work));
            }
            driver.set_clamps(&normals);
        }
        Solver::Rows(driver) => driver.begin_substep(&rows_at_start(work)),
        Solver::Projective(_) | Solver::Newton(_) => {}
    }
    caches.plate.clamps = normals;
    for sweep in 0..sweeps {
        match &mut caches.solver {
            Solver::Block(driver) => driver.sweep(&mut work.rows, Substep { h, sweep }),
            Solver::Rows(driver) => driver.sweep(&mut work.rows, RowStep { h, sweep, sweeps }),
            Solver::Projective(_) | Solver::Newton(_) => {}
        }
        put_back(&work.guided, &mut work.rows);
        project(&mut last.contacts, &work.start, &mut work.rows);
        put_back(&work.guided, &mut work.rows);
    }
    keep_pressures(world);
    note_slip(world);
}

/// Velocities from the change of position; the guard against numbers that are none; the load of the pins, edges and
/// folds that can be overloaded.
///
/// Reads: rows, start. Writes: positions, velocities, which pins are to let go, which edges have, plastic curvatures.
///
/// # Errors
/// If a position is not finite: the error names the vertex.
pub(crate) fn finish(world: &mut World, h: f64) -> Result<(), StepError> {
    settle_grabbed(world);
    let state = &mut world.state.motion;
    let (work, last) = (&world.scratch, &world.state.last);
    let mut bad = None;
    for (i, row) in work.rows.iter().enumerate() {
        let position = row.position();
        if !position.is_finite() || position.abs().max_element() > FARTHEST {
            bad = bad.or(Some(i));
        }
        // Contacts that were pushed apart have moved the start of an Euler step. What sticks has no velocity from
        // before, in which backward differences would let it swing back.
        let is_euler = last.scales[i] == h || work.stopped[i] || state.inverse_masses.raw[i] == 0.0;
        let (base, scale) = if is_euler { (work.start[i], h) } else { (work.bases[i], last.scales[i]) };
        state.velocities.raw[i] = (position - base) * (1.0 / scale);
        state.positions.raw[i] = position;
    }
    match bad {
        Some(i) => Err(not_finite(world, i, h)),
        None => {
            mark_overloaded_pins(world);
            break_overloaded_edges(world, h);
            yield_folds(world);
            note_history(world, h);
            Ok(())
        }
    }
}

pub(crate) fn not_finite(world: &World, i: usize, h: f64) -> StepError {
    let vi = VertexIndex::from_usize(i);
    let body = world.state.sheet.vertex_cloths[vi] as usize;
    let has_material = world.setup.cloths.get(body).is_some_and(|cloth| cloth.has_material);
    let corner = world.state.sheet.topology.faces_around(vi).first().map(|fi| {
        let k = world.state.sheet.topology.faces[*fi].iter().position(|v| *v == vi).unwrap_or(0);
        world.state.motion.rest.corners[*fi][k]
    });
    StepError::NotFinite {
        body: body_name(world, body),
        material: corner.filter(|_| has_material),
        last_position: world.scratch.start[i],
        time: world.state.time + h,
    }
}

/// The rows with the positions of the start of the substep.
fn rows_at_start(work: &Scratch) -> Vec<Row> {
    let at = |(row, x): (&Row, &DVec3)| Row { position: x.to_array(), ..*row };
    work.rows.iter().zip(&work.start).map(at).collect()
}
