//! Which solver a world uses, why, and what it can tell.

use crate::derive::bodies::{body_count, extent};
use crate::derive::facts::Facts;
use crate::derive::world::{Part, World};
use crate::model::description::{SolverChoice, TimeIntegration, tolerance_of};
use crate::model::workspace::Workspace;
use taffeta_core::VertexIndex;
use taffeta_solve::{ProjectiveTimes, RowForce};

/// The solver in use: `global`, `direct`, `block`, `xpbd`, `pbd` or `projective`.
pub(crate) fn solver_name(world: &World) -> &'static str {
    match world.derived.choice {
        SolverChoice::Auto => SolverChoice::Global.name(),
        choice => choice.name(),
    }
}

/// Why that solver is in use.
pub fn solver_reason(world: &World) -> String {
    let reason = match world.setup.settings.solver {
        _ if world.setup.sweeps_for_volumes => {
            "auto: volumes inside closed cloths belong to solvers that sweep over the blocks, and block is the fastest of them"
        }
        SolverChoice::Auto if world.derived.choice == SolverChoice::Direct => {
            "auto: an equilibrium of a mesh of this size is found fastest with a factorization"
        }
        SolverChoice::Auto => {
            "auto: Newton with conjugate gradients on several grids, whose result does not depend on the mesh and \
             whose cost grows linearly with it"
        }
        _ => "the scene asks for it",
    };
    reason.to_owned()
}

/// The forces of the scalar rows in the last substep, under the solvers `xpbd` and `pbd`; none under others, after
/// remeshing and before the first step. Vertices are numbered in dense order, see [`World::sheet`].
pub fn row_forces(world: &World) -> Vec<RowForce> {
    let own_forces = |world: &World| match world.state.last.h {
        0.0 => Vec::new(),
        h => world.derived.solver.row_forces(&world.workspace.rows, h),
    };
    if world.parts.is_empty() {
        return own_forces(world);
    }
    let of_part = |Part { selection, world: own, .. }: &Part| {
        let vertex = |vi: VertexIndex| VertexIndex(selection.whole_vertex(vi.0));
        let whole = |force: RowForce| RowForce {
            vertices: force.vertices.into_iter().map(vertex).collect(),
            ..force
        };
        own_forces(own).into_iter().map(whole).collect::<Vec<_>>()
    };
    let current = world.parts.iter().filter(|part| part.is_of(&world.state.sheet));
    current.flat_map(of_part).collect()
}

/// Number of times that projective dynamics has factorized its system: once, and again after each change of the topology, of
/// the held vertices or of the length of the substep. 0 under other solvers.
pub fn factorizations(world: &World) -> usize {
    world.derived.factorizations()
}

/// Returns whether the solver in use integrates to second order. Implicit Euler takes what jumps. The target
/// of a grab jumps from step to step. Where cloth can tear, the stress waves of each cut would tear it elsewhere. The search
/// for an equilibrium looks for no motion.
pub(crate) fn is_second_order(facts: Facts<'_>) -> bool {
    if facts.inputs.stands_still
        || facts.inputs.is_rough
        || !facts.inputs.grabbed.is_empty()
        || can_tear(facts)
    {
        return false;
    }
    match facts.setup.settings.time {
        TimeIntegration::Euler => false,
        TimeIntegration::Auto | TimeIntegration::TrBdf2 => facts.choice.capabilities().second_order,
    }
}

/// Returns whether a stage is the first of two.
pub(crate) fn is_first_stage(facts: Facts<'_>, work: &Workspace) -> bool {
    is_second_order(facts) && work.first_stage.is_empty()
}

/// The time integration in use: `euler` or `tr_bdf2`. Where a cloth can tear, that of its group.
pub fn time_integration_name(world: &World) -> &'static str {
    if is_second_order(world.facts()) { "tr_bdf2" } else { "euler" }
}

/// Returns whether the solver in use estimates its error and adapts to the requested accuracy.
pub fn knows_its_error(world: &World) -> bool {
    !world.derived.choice.capabilities().is_local()
}

/// The error that a substep may have, relative to the size of a body.
pub fn accuracy(world: &World) -> f64 {
    world.setup.settings.accuracy
}

/// Error of positions in the largest body \[m\] at a local error, relative to the size of a body.
pub fn position_error(world: &World, local_error: f64) -> f64 {
    let size = |body| extent(&world.state.sheet.layout.raw[world.state.sheet.vertex_range(body as u32)]);
    tolerance_of(local_error, (0..body_count(&world.setup)).map(size).fold(0.0, f64::max))
}

/// Times that projective dynamics has spent since its system was built, which happens at the start and after every change of
/// mesh or pins. `None` under another solver.
pub fn projective_times(world: &World) -> Option<ProjectiveTimes> {
    world.derived.solver.times()
}

/// Returns whether the elements of the solver store an energy that they keep, so that passes can be paid for.
pub(crate) fn stores_energy(world: &World) -> bool {
    world.derived.choice.capabilities().stored_energy
}

/// Returns whether any cloth can tear.
pub(crate) fn can_tear(facts: Facts<'_>) -> bool {
    facts.choice.capabilities().seams && facts.setup.cloths.iter().any(|cloth| cloth.tearing().is_some())
}
