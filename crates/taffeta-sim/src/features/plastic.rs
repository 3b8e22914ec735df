//! Folds that stay: when faces yield, and what can be told about it.
//!
//! The law is that of [`taffeta_solve::plate`]. Here it is applied after every substep, to the angles and scalars that the
//! solver has left, and the solver is told the new rest state of its blocks. So the sheet is elastic within a substep, and a
//! face bears more than its yield moment for no longer than that.
//!
//! Where such a cloth is remeshed the law waits for the last substep of a step. A split puts its vertex on the chord of a bend
//! and so makes two kinks of it. The next substeps smooth them out, but faces that had yielded to them would keep them. So it
//! does under the block solver, whose substeps are short, for then the scalars have to be found exactly.

use crate::derive::derived::Derived;
use crate::derive::world::World;
use crate::model::setup::Setup;
use crate::model::state::dense::DenseState;
use std::sync::Arc;
use taffeta_core::FaceIndex;
use taffeta_core::math::Sym2;
use taffeta_solve::ClothModel;

/// Lets the faces yield that the substep has bent too far.
pub(crate) fn yield_folds(Setup { cloths, .. }: &Setup, motion: &mut DenseState, derived: &mut Derived) {
    if !cloths.iter().any(|cloth| cloth.model().yields()) {
        return;
    }
    let models: Vec<ClothModel> = cloths.iter().map(|cloth| cloth.model()).collect();
    let plate = &mut derived.blocks.plate;
    // What the solver has followed from substep to substep: in a step a fold may turn by more than half a turn.
    let solver = &mut derived.solver;
    let followed = solver.plate_angles().unwrap_or_default();
    plate.edges.iter_mut().zip(followed).for_each(|(edge, angle)| edge.reference = angle);
    plate.begin_step(&motion.positions, &derived.plate.clamps);
    let angles: Vec<f64> = plate.edges.iter().map(|edge| edge.reference).collect();
    if let Some(scalars) = solver.plate_scalars() {
        // One pass per sweep leaves them behind where a sheet bends fast, and the difference would be taken for curvature.
        derived.plate.scalars = scalars;
        plate.minimize_scalars(&angles, &mut derived.plate.scalars);
    }
    let flow = plate.yield_faces(Arc::make_mut(&mut motion.rest), &models, &angles, &derived.plate.scalars);
    if flow.faces == 0 {
        return;
    }
    solver.set_rest(plate);
    solver.set_plate_state(&derived.plate);
}

/// Returns whether folds yield after every substep, and not only after the last one of a step.
pub(crate) fn yields_in_every_substep(world: &World) -> bool {
    let is_remeshed = world.setup.cloths.iter().any(|cloth| cloth.remesh.is_some() && cloth.model().yields());
    !is_remeshed && world.derived.choice.capabilities().second_order
}

/// The plastic curvature of each face of a cloth \[1/m\], as the Frobenius norm, in the order of [`World::mesh`]; `None`:
/// all bending of this cloth is elastic.
///
/// # Panics
/// If there is no cloth of that number.
pub fn plastic_curvatures(world: &World, cloth: usize) -> Option<Vec<f64>> {
    let norm = |fi: FaceIndex| {
        let Sym2 { xx, xy, yy } = world.state.motion.rest.plastic_curvatures[fi];
        (xx * xx + 2.0 * xy * xy + yy * yy).sqrt()
    };
    let yields = world.setup.cloths[cloth].model().yields();
    yields.then(|| {
        let norms: Vec<f64> = world.state.motion.faces_of(cloth as u32).map(norm).collect();
        world.state.sheet.numbering(cloth).sort_faces(&norms)
    })
}
