//! How many substeps a step takes, and how many iterations each.

use crate::derive::air::exposed;
use crate::derive::pressure::{has_pressure, mean_pressure_acceleration};
use crate::derive::solver_facts::knows_its_error;
use crate::derive::world::World;
use crate::features::seams::threads::is_sewing;
use crate::model::capabilities::{Capabilities, SubstepRule};
use crate::model::description::SolverChoice;
use crate::model::error::StepError;
use crate::model::report::SubstepPlan;
use crate::model::setup::Cloth;
use crate::model::state::State;
use crate::step::accuracy::next_substep;
use glam::DVec3;
use taffeta_solve::substeps::{
    EXCESS_TOLERANCE, LONGEST_SUBSTEP, SHORTEST_SUBSTEP, SubstepDemand, effective_sweeps,
};

/// Substeps of a local solver while something is sewn, relative to those that the load path asks for: threads move whole
/// edges of panels. A tunic was strained by a fifth with 11 to 14 substeps, by a sixtieth with 24.
const SEWING_PART: u32 = 3;

/// Time in which substeps that tension has shortened may double \[s\], if there are many; of a few, one may go in each frame.
const RELAXATION: f64 = 0.25;

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
        exposed(world, air, &motion.positions).mean_acceleration(&motion.velocities)
    });
    let ropes = world.derived.blocks.ropes.stretch.iter().map(|segment| segment.damping);
    let cloths = world.setup.cloths.iter().map(|c| c.model.material.stretch_damping);
    let solids = world.setup.solids.iter().map(|solid| solid.material.damping);
    let damping = cloths.chain(ropes).chain(solids).fold(0.0, f64::max);
    let pressure = if has_pressure(world) { mean_pressure_acceleration(world) } else { 0.0 };
    let acceleration = world.state.gravity.length() + drag + pressure + spin_acceleration(world);
    let turn = world.derived.choice == SolverChoice::Block;
    let demand = SubstepDemand { dt, acceleration, iterations, turn, damping };
    let choice = world.derived.load_path.choose(&demand);
    let part = if is_sewing(world) { SEWING_PART } else { 1 };
    if f64::from(choice.count) * f64::from(part) > MAX_SUBSTEPS {
        return Err(StepError::BadTimeStep { dt });
    }
    Ok(SubstepPlan { substeps: part * choice.count, capped_excess: choice.capped_excess, ..plan })
}

/// Into how many substeps the accuracy asked for cuts a time \[s\].
pub(crate) fn substeps_in(world: &World, time: f64) -> u32 {
    (time / next_substep(world) - 1e-9).ceil().max(1.0) as u32
}

/// Into how many substeps a time \[s\] is cut so that sweeps hold the tension of the cloths.
///
/// Unconverged sweeps give way to a force like a membrane of stiffness `K = ρ I s²/h²` (the law of [`taffeta_solve::substeps`]).
/// `ρ` is the areal density, `I` the number of sweeps, and `s` the length of the edges. In series with the stiffness `k` of the material,
/// it has the tension `T = ε k K/(k + K)` at a strain `ε`. The part `T/K` of that strain is false, and comes out as motion
/// when contact asks for more substeps. The load path knows the weight that a cloth carries; a taut one bears many times of it.
pub(crate) fn substeps_for_tension(world: &World, (time, sweeps): (f64, u32)) -> u32 {
    let h = world.state.last_substep;
    let sweeps = effective_sweeps(sweeps, world.derived.choice == SolverChoice::Block);
    let of_cloth = |(cloth, [strain, length]): (&Cloth, [f64; 2])| {
        let stiffness = cloth.model.material.stretch.into_iter().fold(0.0, f64::max);
        let held = cloth.model.material.density * sweeps * length * length;
        let tension = strain / (1.0 / stiffness + h * h / held);
        (EXCESS_TOLERANCE * held / tension).sqrt()
    };
    let cloths = world.setup.cloths.iter().zip(mean_strains(world));
    let substep = cloths.map(of_cloth).fold(f64::INFINITY, f64::min).max(SHORTEST_SUBSTEP);
    let asked = (time / substep - 1e-9).ceil().max(1.0);
    // Rounded down, or a number of substeps would last for ever.
    let slowly = if h > 0.0 { (time / (h * (1.0 + h / RELAXATION))).floor() } else { 0.0 };
    asked.max(slowly) as u32
}

/// The root mean square of the strain of the edges of each cloth where they are longer than at rest, and their mean length at rest \[m\].
fn mean_strains(world: &World) -> Vec<[f64; 2]> {
    let State { sheet, motion, .. } = &world.state;
    let mut sums = vec![[0.0; 3]; world.setup.cloths.len()];
    for (fi, face) in sheet.topology.faces.iter_indexed() {
        let Some(sum) = sums.get_mut(motion.rest.cloths[fi] as usize) else { continue };
        for k in 0..3 {
            let rest = motion.rest.corners[fi][k].distance(motion.rest.corners[fi][(k + 1) % 3]);
            let length = motion.positions[face[k]].distance(motion.positions[face[(k + 1) % 3]]);
            let strain = (length / rest - 1.0).max(0.0);
            *sum = [sum[0] + strain * strain, sum[1] + rest, sum[2] + 1.0];
        }
    }
    sums.into_iter().map(|[strain, length, count]| [(strain / count).sqrt(), length / count]).collect()
}

/// Returns whether the error decides on the number of substeps within a step.
pub(crate) fn adapts_substeps(world: &World) -> bool {
    world.setup.settings.substeps.is_none() && knows_its_error(world)
}

/// Acceleration that keeps a cloth together while it turns \[m/s²\], of the cloth where it is greatest: `v²/r`, with the mean
/// squares of its velocities and distances relative to its center of mass. For a rigid motion it is `ω² r`.
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
