//! Which variants may be the reference where none is named.
//!
//! A fine mesh or many substeps make nothing true by themselves: a solver that sweeps a fixed number of times stretches the
//! cloth the more, the finer its mesh is. So solvers count first, by how exactly they solve the equations of a step, then
//! vertices, then substeps. Where solvers are all that differs, which of them is right is the question and no answer; where
//! none is exact there is no answer. Then the reference has to be named.

use super::Variant;
use taffeta_scene::{ClothShape, RopeShape, Scene, SolidShape};
use taffeta_sim::SolverChoice;

/// Exactness with which a solver solves the equations of a step, the most exact one first.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Exactness {
    /// Newton's method with a factorization.
    Direct,
    /// Newton's method with conjugate gradients, to a tolerance.
    Iterative,
    /// Sweeps or projections, as many as there is time for.
    Limited,
}

impl Exactness {
    /// Of a solver by its name.
    fn of(solver: &str) -> Self {
        if solver == SolverChoice::Direct.name() {
            Self::Direct
        } else if solver == SolverChoice::Global.name() {
            Self::Iterative
        } else {
            Self::Limited
        }
    }
}

/// Why no variant can be taken for the truth.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum NoCandidate {
    /// No solver is exact.
    Inexact,
    /// The variants differ in their solvers and not in their meshes.
    SolversVary,
}

/// The variants of which the one with the finest mesh is the reference. `solvers` are those in use, by variant.
pub(super) fn find_candidates(
    variants: &[Variant],
    solvers: &[&'static str],
) -> Result<Vec<usize>, NoCandidate> {
    let best = solvers.iter().map(|solver| Exactness::of(solver)).min().unwrap_or(Exactness::Limited);
    if best == Exactness::Limited {
        return Err(NoCandidate::Inexact);
    }
    let solvers_differ = solvers.iter().any(|solver| *solver != solvers[0]);
    let meshes_differ = variants.iter().any(|v| Meshing::of(&v.scene) != Meshing::of(&variants[0].scene));
    if solvers_differ && !meshes_differ {
        return Err(NoCandidate::SolversVary);
    }
    Ok((0..solvers.len()).filter(|&number| Exactness::of(solvers[number]) == best).collect())
}

/// Settings that meshes follow from.
#[derive(PartialEq)]
struct Meshing<'a> {
    cloths: Vec<(&'a ClothShape, Option<taffeta_remesh::RemeshSettings>)>,
    ropes: Vec<&'a RopeShape>,
    solids: Vec<&'a SolidShape>,
}

impl<'a> Meshing<'a> {
    fn of(scene: &'a Scene) -> Self {
        Self {
            cloths: scene.cloths.iter().map(|cloth| (&cloth.shape, cloth.remesh)).collect(),
            ropes: scene.ropes.iter().map(|rope| &rope.shape).collect(),
            solids: scene.solids.iter().map(|solid| &solid.shape).collect(),
        }
    }
}
