//! Number of substeps of a step, and of iterations in each.

pub(crate) mod accuracy;
pub(crate) mod obstacle_substeps;
pub(crate) mod pieces;
pub(crate) mod tension;

use crate::derive::air::exposed;
use crate::derive::pressure::{has_pressure, mean_pressure_acceleration};
use crate::derive::solver_facts::knows_its_error;
use crate::derive::world::World;
use crate::model::description::SolverChoice;
use crate::model::description::capabilities::{Capabilities, SubstepRule};
use crate::model::report::SubstepPlan;
use crate::model::report::error::StepError;
use crate::model::state::State;
use crate::step::plan::accuracy::next_substep;
use glam::DVec3;
use taffeta_solve::substeps::{LONGEST_SUBSTEP, SubstepDemand};

/// Substeps of a local solver while something is sewn, relative to those that the load path asks for: threads move whole
/// edges of panels. A tunic was strained by a fifth with 11 to 14 substeps, by a sixtieth with 24.
const SEWING_PART: u32 = 3;

/// Longest substep of projective dynamics \[s\]: a frame is one, as it is published.
const PROJECTIVE_SUBSTEP: f64 = 1.0 / 60.0;

/// Substeps that one step may take: a step that asks for more is a mistake in its length, not a simulation.
const MAX_SUBSTEPS: f64 = 1e6;

/// Chooses the substeps of a step.
pub(crate) fn plan(world: &World, dt: f64) -> Result<SubstepPlan, StepError> {
    let Capabilities { substeps: rule, iterations, .. } = *world.derived.choice.capabilities();
    // Newton's method counts those that it makes.
    let iterations = match rule {
        SubstepRule::Error => 0,
        SubstepRule::LoadPath | SubstepRule::Frame => world.setup.settings.iterations.unwrap_or(iterations),
    };
    let plan = SubstepPlan { iterations, ..SubstepPlan::default() };
    if let Some(substeps) = world.setup.settings.substeps {
        return Ok(SubstepPlan { substeps, ..plan });
    }
    if rule == SubstepRule::Frame {
        let count = (dt / PROJECTIVE_SUBSTEP - 1e-9).ceil().max(1.0);
        let too_many = Err(StepError::BadTimeStep { dt });
        return if count > MAX_SUBSTEPS {
            too_many
        } else {
            Ok(SubstepPlan { substeps: count as u32, ..plan })
        };
    }
    if dt / LONGEST_SUBSTEP > MAX_SUBSTEPS {
        return Err(StepError::BadTimeStep { dt });
    }
    if rule == SubstepRule::Error {
        // Newton's method converges at any step: the motion decides, not the mesh.
        return Ok(SubstepPlan { substeps: substeps_in(world, dt), ..plan });
    }
    let drag = world.inputs.air.map_or(0.0, |air| {
        let motion = &world.state.motion;
        exposed(&world.setup, &world.state, air, &motion.positions).mean_acceleration(&motion.velocities)
    });
    let ropes = world.derived.blocks.ropes.stretch.iter().map(|segment| segment.damping);
    let cloths = world.setup.cloths.iter().map(|c| c.material.stretch_damping);
    let solids = world.setup.solids.iter().map(|solid| solid.material.damping);
    let damping = cloths.chain(ropes).chain(solids).fold(0.0, f64::max);
    let pressure = if has_pressure(&world.setup) { mean_pressure_acceleration(world) } else { 0.0 };
    let acceleration = world.state.gravity.length() + drag + pressure + spin_acceleration(world);
    let turn = world.derived.choice == SolverChoice::Block;
    let demand = SubstepDemand { dt, acceleration, iterations, turn, damping };
    let choice = world.derived.load_path.choose(&demand);
    let part = if world.derived.blocks.stitches.is_empty() { 1 } else { SEWING_PART };
    if f64::from(choice.count) * f64::from(part) > MAX_SUBSTEPS {
        return Err(StepError::BadTimeStep { dt });
    }
    Ok(SubstepPlan { substeps: part * choice.count, capped_excess: choice.capped_excess, ..plan })
}

/// Into how many substeps the accuracy asked for cuts a time \[s\].
pub(crate) fn substeps_in(world: &World, time: f64) -> u32 {
    (time / next_substep(world) - 1e-9).ceil().max(1.0) as u32
}

/// Returns whether the error decides on the number of substeps within a step.
pub(crate) fn adapts_substeps(world: &World) -> bool {
    world.setup.settings.substeps.is_none() && knows_its_error(world)
}

/// The greatest acceleration that keeps a cloth together while it turns \[m/s²\]: `v²/r`, with the mean squares of its
/// velocities and distances relative to its center of mass. For a rigid motion it is `ω² r`.
fn spin_acceleration(world: &World) -> f64 {
    let State { sheet, motion, .. } = &world.state;
    let of_cloth = |cloth: usize| {
        let range = sheet.vertex_range(cloth as u32);
        let (x, v) = (&motion.positions.raw[range.clone()], &motion.velocities.raw[range.clone()]);
        let masses = &motion.masses.raw[range];
        let total: f64 = masses.iter().sum();
        let mean = |of: &[DVec3]| of.iter().zip(masses).map(|(a, m)| *a * *m).sum::<DVec3>() / total;
        let spread = |of: &[DVec3]| {
            let center = mean(of);
            of.iter().zip(masses).map(|(a, m)| a.distance_squared(center) * m).sum::<f64>() / total
        };
        let radius = spread(x).sqrt();
        if radius > 0.0 { spread(v) / radius } else { 0.0 }
    };
    (0..world.setup.cloths.len()).map(of_cloth).fold(0.0, f64::max)
}
