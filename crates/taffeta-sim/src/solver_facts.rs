//! Which solver a world uses, why, and what it can tell.

use crate::caches::Solver;
use crate::description::SolverChoice;
use crate::world::World;
use taffeta_solve::RowForce;

/// The solver in use: `global`, `direct`, `block`, `xpbd`, `pbd` or `projective`.
pub(crate) fn solver_name(world: &World) -> &'static str {
    match world.derived.choice {
        SolverChoice::Auto => SolverChoice::Global.name(),
        choice => choice.name(),
    }
}

/// Why that solver is in use.
pub fn solver_reason(world: &World) -> String {
    if let Some(what) = world.setup.sweeps_for {
        return format!(
            "auto: {what} belong to solvers that sweep over the blocks, and block is the fastest of them"
        );
    }
    let reason = match world.setup.settings.solver {
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
    match &world.derived.solver {
        Solver::Rows(driver) if world.state.last.h > 0.0 => {
            driver.forces(&world.scratch.rows, world.state.last.h)
        }
        _ => Vec::new(),
    }
}

/// How many times projective dynamics has factorized its system: once, and again whenever the topology, what is held
/// or the length of the substep has changed. 0 under other solvers.
pub fn factorizations(world: &World) -> usize {
    world.derived.factorizations()
}
