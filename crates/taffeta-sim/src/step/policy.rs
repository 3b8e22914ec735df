//! When the iteration of a substep stops: one place, for every solver with equations, mode, and cloth that is sewn.

use crate::derive::bodies::{body_count, scene_extent};
use crate::derive::sewing::sewn_cloths;
use crate::derive::solver_facts::is_first_stage;
use crate::derive::world::World;
use crate::model::description::SolverChoice;
use crate::step::accuracy::solution_error;
use glam::DVec3;
use taffeta_contact::Contact;
use taffeta_core::index::DenseIndex;
use taffeta_solve::drivers::newton::NewtonLimits;

/// Part of the size of the scene that a Newton step may promise to still move it, and count as converged: of the direct
/// solver, which is the reference of all others; where a scene says how many iterations there are, and wants them made;
/// and in the search for an equilibrium. Otherwise the error of the substep tells (`accuracy`).
const DIRECT_TOLERANCE: f64 = 1e-10;
const CONVERGED_TOLERANCE: f64 = 1e-9;
const STATIC_TOLERANCE: f64 = 1e-7;

/// Tolerance of the global solver while cloth is sewn: the motion before the final fit is not shown. Without it most
/// substeps of the trial garment ended at the limit of iterations, with the same shape.
const SEWING_TOLERANCE: f64 = 1e-4;

/// Newton iterations at most, unless the scene says how many.
const GLOBAL_ITERATIONS: u32 = 40;
const SEWING_ITERATIONS: u32 = 8;
const STATIC_ITERATIONS: u32 = 40;
const DIRECT_ITERATIONS: u32 = 100;

/// The part of a Newton step that conjugate gradients may leave: where the scene says how many steps there are; where
/// they go on until they are small, when half as many iterations come to the same; and in the search for an equilibrium.
const LINEAR_TOLERANCE: f64 = 1e-2;
const ROUGH_LINEAR_TOLERANCE: f64 = 1e-1;
const STATIC_LINEAR_TOLERANCE: f64 = 1e-2;

/// Part of the way of gravity in a substep to which the solution goes where all of a cloth bears a load. An error of the normal
/// forces moves the cloth little in one substep, and slows it down or drags it along in many, with friction or without. Contacts are 50 times as
/// stiff as inertia, so that the normal forces are then right to about one part in a hundred of the weight.
const LOAD_PART: f64 = 2e-3;

/// Part of the error that loads allow to which the first stage goes. The second goes on from there, by 2.4 times as far.
const FIRST_LOAD_PART: f64 = 0.5;

/// Error that the solution of a substep of length `h` \[s\] may leave where contacts bear loads, relative to the size of the scene. A contact
/// of a small part of the mass of a body carries a small part of its weight. It may err by more of it: in energy, by the root of that
/// part.
fn load_error(world: &World, h: f64) -> f64 {
    let motion = &world.state.motion;
    let bears = |contact: &&Contact| contact.borne.load() > 0.0;
    let corners = |contact: &Contact| contact.row.vertices.into_iter().zip(contact.row.weights);
    let mut is_touching = vec![false; motion.masses.len()];
    let bearing = world.state.last.contacts.iter().filter(bears).flat_map(corners);
    bearing.filter(|(_, s)| *s != 0.0).for_each(|(vi, _)| is_touching[vi.to_usize()] = true);
    let ratio = |body: usize| {
        let (mut touching, mut all) = (0.0, 0.0);
        let moves = |i: &usize| motion.inverse_masses.raw[*i] > 0.0;
        for i in world.state.sheet.vertex_range(body as u32).filter(moves) {
            let mass = motion.masses.raw[i];
            (touching, all) = (touching + if is_touching[i] { mass } else { 0.0 }, all + mass);
        }
        if touching > 0.0 { all / touching } else { f64::INFINITY }
    };
    let least = (0..body_count(world)).map(ratio).fold(f64::INFINITY, f64::min);
    if world.state.gravity == DVec3::ZERO {
        return f64::INFINITY;
    }
    LOAD_PART * least.sqrt() * world.state.gravity.length() * h * h / scene_extent(world)
}

/// When the Newton iteration of a substep of length `h` \[s\] stops.
pub(crate) fn newton_limits(world: &World, h: f64) -> NewtonLimits {
    let is_direct = world.derived.choice == SolverChoice::Direct;
    let (part, most, linear_tolerance) = match world.setup.settings.iterations {
        _ if is_direct => (DIRECT_TOLERANCE, DIRECT_ITERATIONS, LINEAR_TOLERANCE),
        // Who says how many iterations wants them made.
        Some(_) => (CONVERGED_TOLERANCE, GLOBAL_ITERATIONS, LINEAR_TOLERANCE),
        None if world.inputs.stands_still => (STATIC_TOLERANCE, STATIC_ITERATIONS, STATIC_LINEAR_TOLERANCE),
        None if sewn_cloths(world).contains(&true) => {
            (SEWING_TOLERANCE, SEWING_ITERATIONS, ROUGH_LINEAR_TOLERANCE)
        }
        None => {
            let loaded = if is_first_stage(world) { FIRST_LOAD_PART } else { 1.0 };
            let error = solution_error(world, h).min(loaded * load_error(world, h));
            (error, GLOBAL_ITERATIONS, ROUGH_LINEAR_TOLERANCE)
        }
    };
    NewtonLimits {
        iterations: world.setup.settings.iterations.unwrap_or(most),
        tolerance: part * scene_extent(world),
        linear_tolerance,
        linear_iterations: u32::MAX,
    }
}
