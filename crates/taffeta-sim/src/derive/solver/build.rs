//! Construction of the solver that a world has chosen.

use crate::derive::elements::solids::add_projected_solids;
use crate::derive::elements::source::Source;
use crate::derive::solver::Solver;
use crate::model::description::SolverChoice;
use crate::model::setup::Cloth;
use crate::model::state::dense::DenseState;
use crate::model::state::rigid::rigid_count;
use crate::model::state::sheet::Sheet;
use glam::DVec3;
use taffeta_core::index::DenseIndex;
use taffeta_solve::drivers::newton::{Charts, KeptGrids, LinearSolver, NewtonDriver, Site};
use taffeta_solve::drivers::projective::{
    ProjectiveDriver, ProjectiveProblem, RestPlaces, cloth_constraints,
};
use taffeta_solve::{BlockDriver, Blocks, ClothModel, PlateState, ProjectedCloth, RowDriver};

/// The solver chosen, over these blocks. Conjugate gradients begin with the grids that an earlier one has left.
pub(crate) fn build_solver(
    source: Source<'_>,
    blocks: &Blocks,
    models: &[ClothModel],
    plate: &PlateState,
    grids: Option<KeptGrids>,
) -> Solver {
    let topology = &source.sheet.topology;
    match source.choice {
        _ if !source.solves => Solver::Idle,
        SolverChoice::Block => {
            let mut driver = BlockDriver::build(topology, blocks);
            driver.set_plate_state(plate);
            Solver::Sweeping(Box::new(driver))
        }
        SolverChoice::Xpbd => Solver::Sweeping(Box::new(RowDriver::xpbd(topology, blocks))),
        SolverChoice::Pbd => Solver::Sweeping(Box::new(build_pbd(source, blocks, models))),
        SolverChoice::Projective => Solver::Projective(Box::new(build_projective(source, models))),
        SolverChoice::Auto | SolverChoice::Global => {
            build_newton(source, blocks, LinearSolver::Conjugate, grids)
        }
        SolverChoice::Direct => build_newton(source, blocks, LinearSolver::Factorized, None),
    }
}

/// Position-based dynamics of all cloths and ropes, by their stiffnesses.
fn build_pbd(source: Source<'_>, blocks: &Blocks, models: &[ClothModel]) -> RowDriver {
    let Source { setup, sheet, motion, .. } = source;
    let pairs = models.iter().zip(&setup.cloths);
    let projected: Vec<_> =
        pairs.map(|(model, cloth)| ProjectedCloth { model, stiffness: cloth.projection }).collect();
    let ropes = setup.bodies.iter().filter_map(|body| body.rope.as_ref());
    let stiffnesses: Vec<_> = ropes.map(|model| model.projection).collect();
    RowDriver::pbd(&sheet.topology, &motion.rest, &projected, &blocks.ropes, &stiffnesses)
}

/// Projective dynamics of all cloths and solids. Cloths without material coordinates are at rest as they start.
fn build_projective(source: Source<'_>, models: &[ClothModel]) -> ProjectiveDriver {
    let Source { setup, sheet, motion, .. } = source;
    let cloths = &setup.cloths;
    let is_curved: Vec<bool> = cloths.iter().map(|cloth| !cloth.has_material).collect();
    let places = RestPlaces { positions: &sheet.starts.raw, is_curved: &is_curved };
    let problem =
        ProjectiveProblem { masses: &motion.masses.raw, held: &motion.held.raw, points: &sheet.layout.raw };
    let mut constraints = cloth_constraints(&sheet.topology, &motion.rest, models, places);
    add_projected_solids(&source, &mut constraints);
    ProjectiveDriver::build(problem, constraints)
}

/// Newton's method with a linear solver.
fn build_newton(
    source: Source<'_>,
    blocks: &Blocks,
    linear: LinearSolver,
    grids: Option<KeptGrids>,
) -> Solver {
    let Source { setup, sheet, motion, .. } = source;
    let cloths = &setup.cloths;
    let pressure = |cloth: &u32| cloths[*cloth as usize].pressure;
    let pressures: Vec<f64> = motion.rest.cloths.iter().map(pressure).collect();
    let has_panels = cloths.iter().any(|cloth| cloth.has_material && !cloth.has_one_chart);
    let places = has_panels.then(|| find_chart_points(sheet, motion, cloths));
    let charts = places.as_ref().map(|(points, charts)| Charts { points, charts });
    let site = Site {
        points: &sheet.layout,
        charts,
        face_pressures: &pressures,
        bodies: rigid_count(&setup.obstacles),
    };
    Solver::Newton(Box::new(NewtonDriver::build(&sheet.topology, blocks, site, linear, grids.as_ref())))
}

/// Place of every vertex on the chart of its panel, and the number of the panel: the first one for a vertex on a seam. A cloth
/// with one chart, or without a chart, is one panel.
fn find_chart_points(sheet: &Sheet, motion: &DenseState, cloths: &[Cloth]) -> (Vec<DVec3>, Vec<u32>) {
    let (mut points, mut charts) = (sheet.layout.raw.clone(), vec![u32::MAX; sheet.layout.len()]);
    for (fi, face) in sheet.topology.faces.iter_indexed() {
        let cloth = &cloths[motion.rest.cloths[fi] as usize];
        let has_panels = cloth.has_material && !cloth.has_one_chart;
        let panel = if has_panels { sheet.panels[fi] } else { 0 };
        for (k, vi) in face.iter().enumerate() {
            if panel < charts[vi.to_usize()] {
                charts[vi.to_usize()] = panel;
                if has_panels {
                    points[vi.to_usize()] = motion.rest.corners[fi][k].extend(0.0);
                }
            }
        }
    }
    (points, charts)
}
