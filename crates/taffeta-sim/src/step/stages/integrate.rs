//! Time integration: TR-BDF2, in which contacts act by impulses.
//!
//! A substep of length `h` has two stages, both with the effective step `γh`, `γ = 1 − 1/√2`. The first is the trapezoidal rule over
//! `2γh`, with the acceleration at the start. The second is BDF2 from there to the end. The method is of second order, damps the
//! stiffest motions at once (L-stable), and remembers nothing from substep to substep (M. E. Hosea and L. F. Shampine, Analysis and
//! implementation of TR-BDF2, 1996).
//!
//! Its stages are of second order too. Where stiff cloth turns, a stage of first order leaves velocities that are wrong by a part of
//! `ωh`, and the cloth slows down (order reduction).
//!
//! Stiff elements may be far off their equilibrium: at the start of a run, after edits of the mesh and impacts. Their forces at the
//! start would throw vertices past each other. A substep in which they would, as all while cloth is sewn, begins with implicit Euler over
//! `γh` instead, and is SDIRK2 (R. Alexander, Diagonally implicit Runge–Kutta methods for stiff O.D.E.'s, 1977). Either method begins
//! the second stage with what the first comes to at `(1 − γ) h`.
//!
//! A contact can stop the cloth with a jolt. The trapezoidal rule and BDF2 would take that for an acceleration that goes on, and let the
//! cloth bounce. The acceleration at the start is therefore without contacts. Those of the first stage act by an impulse over all
//! of it, and the second begins without what they did to velocities. Its own act by an impulse over the whole substep.
//! [`is_second_order`](crate::derive::solver_facts::is_second_order) says which worlds are integrated by implicit Euler instead.

use crate::derive::air::exposed;
use crate::derive::clock::clamp_normals;
use crate::derive::derived::Derived;
use crate::derive::facts::Facts;
use crate::derive::sewing::sewn_cloths;
use crate::derive::solver::Solver;
use crate::derive::stages::first_share;
use crate::model::setup::pins::along_held;
use crate::model::state::dense::DenseState;
use crate::model::state::inertia::{GAMMA, Inertia, Moving};
use crate::model::state::sheet::Sheet;
use crate::model::state::{LastSubstep, State};
use crate::model::workspace::{FirstStage, Workspace};
use glam::DVec3;
use taffeta_contact::Contact;
use taffeta_core::index::DenseIndex;
use taffeta_core::{IndexVec, VertexIndex};
use taffeta_solve::drivers::newton::{ContactState, Drags, NewtonDriver};
use taffeta_solve::{Blocks, PlateState};

/// Part of the way to its nearest neighbor by which the acceleration at the start may move a vertex. Two that move by half of it meet.
const SMOOTH: f64 = 0.5;

/// Inertial state of every vertex in a stage that ends after a time `h` \[s\].
pub(crate) fn collect_inertia(motion: &DenseState, work: &Workspace, h: f64) -> Vec<Inertia> {
    let moving = motion.positions.iter().copied().zip(work.start_velocities.iter().copied());
    if !work.first_stage.is_empty() {
        let share = first_share(work);
        let inertia = |((position, velocity), stage): ((DVec3, DVec3), &FirstStage)| {
            let middle = Moving { position: stage.position, velocity: stage.free };
            Inertia::second_stage(Moving { position, velocity }, middle, h, share)
        };
        return moving.zip(&work.first_stage).map(inertia).collect();
    }
    if !work.accelerations.is_empty() {
        let inertia = |((x, v), a): ((DVec3, DVec3), &DVec3)| Inertia::first_stage(x, v, *a, h);
        return moving.zip(&work.accelerations).map(inertia).collect();
    }
    moving.map(|(x, v)| Inertia::euler(x, v, h)).collect()
}

/// The place \[m\] to which the velocity of a vertex leads by the end of the present one of two stages. It is the velocity at the start, or
/// what the first stage has found, contacts included.
pub(crate) fn led(last: &LastSubstep, work: &Workspace, i: usize) -> DVec3 {
    let velocity = work.first_stage.get(i).map_or(work.start_velocities[i], |stage| stage.velocity);
    work.bases[i] + velocity * last.scales[i]
}

/// Notes the accelerations at the start of a substep of length `h` \[s\] and the forces of the air, which are a part of them. Notes
/// nothing if the substep begins with implicit Euler. Contacts and damping of elements are not part of them: they act in the stages alone.
pub(crate) fn record_accelerations(facts: Facts<'_>, derived: &mut Derived, work: &mut Workspace, h: f64) {
    // What threads ask for is the gap at the end of a stage. They have no force at the start.
    if sewn_cloths(facts).contains(&true) {
        return;
    }
    let Derived { solver, plate, clamps, blocks, .. } = derived;
    let driver = match solver {
        Solver::Newton(driver) => driver,
        Solver::Idle | Solver::Sweeping(_) | Solver::Projective(_) => {
            unreachable!("only Newton's method has two stages")
        }
    };
    let clamps = clamp_normals(facts.setup, clamps, facts.state.time);
    let (accelerations, air) = start_accelerations(facts, &work.start_velocities, driver, plate, &clamps, h);
    let State { sheet, motion, .. } = facts.state;
    if is_smooth(springy_pairs(sheet, blocks), &motion.positions, &accelerations, GAMMA * h) {
        (work.accelerations, work.start_outer) = (accelerations, air);
    }
}

/// Returns whether a stage with the effective step `s` \[s\] can begin with these accelerations. Stiff elements off their equilibrium
/// would throw their vertices past each other.
fn is_smooth(
    pairs: impl Iterator<Item = [VertexIndex; 2]>,
    x: &IndexVec<VertexIndex, DVec3>,
    accelerations: &[DVec3],
    s: f64,
) -> bool {
    let mut nearest = vec![f64::INFINITY; accelerations.len()];
    for [a, b] in pairs {
        let length = (x[a] - x[b]).length();
        for vi in [a, b] {
            nearest[vi.to_usize()] = nearest[vi.to_usize()].min(length);
        }
    }
    accelerations.iter().zip(nearest).all(|(a, length)| a.length() * s * s <= SMOOTH * length)
}

/// Pairs of vertices that an element holds apart: of the edges, the ropes and the solids.
fn springy_pairs(sheet: &Sheet, blocks: &Blocks) -> impl Iterator<Item = [VertexIndex; 2]> {
    let edges = sheet.topology.edges.iter().map(|edge| edge.vertices);
    let ropes = blocks.ropes.stretch.iter().map(|block| block.vertices);
    let solids = blocks.solids.normal.iter().flat_map(|block| {
        let [a, b, c, d] = block.shape.vertices;
        [[a, b], [b, c], [c, a], [a, d], [b, d], [c, d]]
    });
    edges.chain(ropes).chain(solids)
}

/// The accelerations at the start of a substep of length `h` \[s\] \[m/s²\], and the forces of the air \[N\].
fn start_accelerations(
    facts: Facts<'_>,
    v: &[DVec3],
    driver: &mut NewtonDriver,
    plate: &PlateState,
    clamps: &[DVec3],
    h: f64,
) -> (Vec<DVec3>, Vec<DVec3>) {
    let Facts { setup, inputs, state, .. } = facts;
    let motion = &state.motion;
    let x = &motion.positions.raw;
    let bases: Vec<_> = x.iter().zip(v).map(|(x, v)| *x - *v * h).collect();
    let surfaces = inputs.air.map(|air| exposed(setup, state, air, x));
    let (faces, segments) =
        surfaces.map(|surfaces| surfaces.terms(&bases, &vec![h; x.len()])).unwrap_or_default();
    let drag = Drags { faces: &faces, segments: &segments };
    let mut air = vec![DVec3::ZERO; x.len()];
    drag.add_forces(x, &mut air);
    let forces = driver.forces(x, plate, drag, clamps);
    let acceleration = |((force, w), v): ((DVec3, &f64), &DVec3)| match *w > 0.0 {
        true => force * *w + state.gravity - *v * inputs.damping,
        false => DVec3::ZERO,
    };
    (forces.into_iter().zip(&motion.inverse_masses.raw).zip(v).map(acceleration).collect(), air)
}

/// Notes how the vertices move at the end of the first stage, with these contacts.
pub(crate) fn record_first_stage(touches: &[ContactState], state: &State, work: &mut Workspace) {
    let share = first_share(work);
    let mut jolts = vec![DVec3::ZERO; work.rows.len()];
    for (contact, touch) in state.last.contacts.iter().zip(touches) {
        if touch.force != DVec3::ZERO {
            work.first_borne.push(contact.name);
        }
        let corners = contact.row.vertices.into_iter().zip(contact.row.weights);
        corners.for_each(|(vi, weight)| jolts[vi.to_usize()] += touch.force * weight);
    }
    work.first_borne.sort_unstable();
    let motion = |(i, jolt): (usize, DVec3)| {
        let (position, scale) = (work.rows[i].position(), state.last.scales[i]);
        let velocity = (position - work.bases[i]) / scale;
        let free = velocity - jolt * (state.motion.inverse_masses.raw[i] * scale);
        let air = |forces: &[DVec3]| forces.get(i).copied().unwrap_or(DVec3::ZERO);
        let mean = |start: DVec3, end: DVec3| start + (end - start) * share;
        let outer = mean(air(&work.start_outer), air(&state.last.outer));
        FirstStage { position, velocity, free, outer, drift: mean(work.start_velocities[i], velocity) }
    };
    work.first_stage = jolts.into_iter().enumerate().map(motion).collect();
}

/// Moves the prediction of the second stage of a substep of length `h` \[s\] by what contacts that last do while their normals turn.
/// Their impulse acts along the normal of the end alone; to second order it is half along that of the start, which the load of
/// the last substep stands for. Without it, what slides over a curve loses velocity with every degree that it turns. Between cloths
/// normals follow the ripples of both, from contact to contact.
pub(crate) fn turn_loads(State { last, motion, .. }: &mut State, work: &Workspace, h: f64) {
    if work.first_stage.is_empty() {
        return;
    }
    let lasts = |contact: &&Contact| contact.borne.load() > 0.0 && !contact.row.is_mutual();
    for Contact { row, borne, .. } in last.contacts.iter().filter(lasts) {
        let impulse = (borne.push - row.normal * borne.load()) * (0.5 * h);
        for (vi, s) in row.vertices.into_iter().zip(row.weights).filter(|(_, s)| *s != 0.0) {
            let i = vi.to_usize();
            let shift = impulse * (s * work.rows[i].inverse_mass * last.scales[i]);
            last.predicted[i] = along_held(motion.held.raw[i], last.predicted[i], last.predicted[i] + shift);
        }
    }
}

/// Moves the bases of both stages that lie deeper in a body than the substep began out of it: that is no velocity. `share` is the effective step,
/// relative to the length of the stage. Pushes of several
/// contacts of a vertex in one direction count once.
pub(crate) fn keep_bases_out(last: &LastSubstep, work: &mut Workspace, share: f64) {
    let mut pushes: Vec<(VertexIndex, DVec3)> = Vec::new();
    for contact in &last.contacts {
        let row = &contact.row;
        let corners = || row.vertices.into_iter().zip(row.weights).filter(|(_, s)| *s != 0.0);
        let weight: f64 = corners().map(|(vi, s)| work.rows[vi.to_usize()].inverse_mass * s * s).sum();
        let base = row.gap(row.interpolate(|vi| work.bases[vi.to_usize()]) + row.body_displacement * share);
        let begun = row.interpolate(|vi| work.start[vi.to_usize()]) + row.body_displacement;
        let push = -base - contact.violation(begun);
        if push > 0.0 && weight > 0.0 {
            pushes.extend(corners().map(|(vi, s)| {
                let shift = row.normal * (work.rows[vi.to_usize()].inverse_mass * s * push / weight);
                (vi, shift)
            }));
        }
    }
    let size = |push: &DVec3| push.length_squared();
    pushes.sort_by(|(a, p), (b, q)| a.cmp(b).then(size(q).total_cmp(&size(p))));
    for of_vertex in pushes.chunk_by(|a, b| a.0 == b.0) {
        let i = of_vertex[0].0.to_usize();
        let mut sum = DVec3::ZERO;
        for (_, push) in of_vertex {
            // What earlier ones have done along this one need not be done again; those from opposite sides cancel.
            let done = if size(push) > 0.0 { (sum.dot(*push) / size(push)).clamp(0.0, 1.0) } else { 1.0 };
            sum += *push * (1.0 - done);
        }
        work.bases[i] += sum;
        work.rows[i].position = (work.rows[i].position() + sum).to_array();
    }
}
