//! When the iteration of a substep stops: one place, for every solver with equations, mode, and cloth that is sewn.

use crate::derive::bodies::{body_count, scene_extent};
use crate::derive::facts::Facts;
use crate::derive::sewing::sewn_cloths;
use crate::derive::solver_facts::is_first_stage;
use crate::model::description::SolverChoice;
use crate::model::setup::Setup;
use crate::model::state::State;
use crate::model::workspace::Workspace;
use crate::step::plan::accuracy::solution_error;
use taffeta_contact::Contact;
use taffeta_core::index::DenseIndex;
use taffeta_solve::drivers::newton::NewtonLimits;

/// Part of the size of the scene by which a Newton step may promise to still move it, and count as converged. This one is
/// for the direct solver, which is the reference of all others. Without a fixed part the error of the substep decides
/// (`accuracy`).
const DIRECT_TOLERANCE: f64 = 1e-10;
/// The part where a scene says how many iterations there are, and wants them made.
const CONVERGED_TOLERANCE: f64 = 1e-9;
/// The part in the search for an equilibrium.
const STATIC_TOLERANCE: f64 = 1e-7;

/// Tolerance of the global solver while cloth is sewn: the motion before the final fit is not shown. Without it most
/// substeps of the trial garment ended at the limit of iterations, with the same shape.
const SEWING_TOLERANCE: f64 = 1e-4;

/// Newton iterations at most, unless the scene says how many.
const GLOBAL_ITERATIONS: u32 = 40;
const SEWING_ITERATIONS: u32 = 8;
const STATIC_ITERATIONS: u32 = 40;
const DIRECT_ITERATIONS: u32 = 100;

/// The part of a Newton step that conjugate gradients may leave where the scene says how many steps there are.
const LINEAR_TOLERANCE: f64 = 1e-2;
/// The part where steps go on until they are small: half as many iterations then come to the same.
const ROUGH_LINEAR_TOLERANCE: f64 = 1e-1;
/// The part in the search for an equilibrium.
const STATIC_LINEAR_TOLERANCE: f64 = 1e-2;

/// Part of the way of gravity in a substep to which the solution goes where all of a cloth bears a load. Contact forces count in place of
/// the weight where they are larger. An error of the normal forces moves the cloth little in one substep. In many it slows the cloth down or
/// drags it along, with friction or without. Contacts are 50 times as stiff as inertia, so that the normal forces are then right to
/// about one part in a hundred.
const LOAD_PART: f64 = 2e-3;

/// Part of the error that loads allow to which the first stage goes. The second goes on from there, by 2.4 times as far.
const FIRST_LOAD_PART: f64 = 0.5;

/// Error that the solution of a substep of length `h` \[s\] may leave where contacts bear loads, relative to the size of the scene. The
/// body that allows least decides. A contact of a small part of the mass of a body carries a small part of its weight. It may err by
/// more of it: in energy, by the root of that part.
fn load_error(setup: &Setup, state: &State, h: f64) -> f64 {
    let (motion, gravity) = (&state.motion, state.gravity.length());
    let mut loads = vec![0.0; motion.masses.len()];
    for Contact { row, borne, .. } in &state.last.contacts {
        row.vertices
            .into_iter()
            .zip(row.weights)
            .for_each(|(vi, s)| loads[vi.to_usize()] += s.abs() * borne.load());
    }
    let acceleration = |body: usize| {
        let (mut touching, mut all, mut load) = (0.0, 0.0, 0.0);
        let moves = |i: &usize| motion.inverse_masses.raw[*i] > 0.0;
        for i in state.sheet.vertex_range(body as u32).filter(moves) {
            let mass = motion.masses.raw[i];
            (touching, all, load) =
                (touching + if loads[i] > 0.0 { mass } else { 0.0 }, all + mass, load + loads[i]);
        }
        if touching > 0.0 { gravity.max(load / touching) * (all / touching).sqrt() } else { f64::INFINITY }
    };
    let least = (0..body_count(setup)).map(acceleration).fold(f64::INFINITY, f64::min);
    if gravity == 0.0 { f64::INFINITY } else { LOAD_PART * least * h * h / scene_extent(state) }
}

/// When the Newton iteration of a substep of length `h` \[s\] stops.
pub(crate) fn newton_limits(facts: Facts<'_>, work: &Workspace, h: f64) -> NewtonLimits {
    let Facts { setup, inputs, state, choice } = facts;
    let is_direct = choice == SolverChoice::Direct;
    let (part, most, linear_tolerance) = match setup.settings.iterations {
        _ if is_direct => (DIRECT_TOLERANCE, DIRECT_ITERATIONS, LINEAR_TOLERANCE),
        // Who says how many iterations wants them made.
        Some(_) => (CONVERGED_TOLERANCE, GLOBAL_ITERATIONS, LINEAR_TOLERANCE),
        None if inputs.stands_still => (STATIC_TOLERANCE, STATIC_ITERATIONS, STATIC_LINEAR_TOLERANCE),
        None if sewn_cloths(facts).contains(&true) => {
            (SEWING_TOLERANCE, SEWING_ITERATIONS, ROUGH_LINEAR_TOLERANCE)
        }
        None => {
            let loaded = if is_first_stage(facts, work) { FIRST_LOAD_PART } else { 1.0 };
            let error = solution_error(setup, work, h).min(loaded * load_error(setup, state, h));
            (error, GLOBAL_ITERATIONS, ROUGH_LINEAR_TOLERANCE)
        }
    };
    NewtonLimits {
        iterations: setup.settings.iterations.unwrap_or(most),
        tolerance: part * scene_extent(state),
        linear_tolerance,
        linear_iterations: u32::MAX,
    }
}
