//! What is derived from one topology: blocks, solver, contact candidates, load path.

use crate::description::SolverChoice;
use crate::frozen::Frozen;
use crate::world::Cloth;
use taffeta_contact::Detector;
use taffeta_core::TopologyEpoch;
use taffeta_solve::drivers::direct::DirectDriver;
use taffeta_solve::substeps::LoadPath;
use taffeta_solve::{BlockDriver, Blocks, DenseState, PlateState, Supports};

/// What is derived from one topology.
#[derive(Debug)]
pub(crate) struct Caches {
    /// The topology that everything here was made for.
    pub epoch: TopologyEpoch,
    pub blocks: Blocks,
    pub plate: PlateState,
    pub solver: Solver,
    pub detector: Detector,
    pub load_path: LoadPath,
}

/// The solver in use.
#[derive(Debug)]
pub(crate) enum Solver {
    /// Block updates.
    Block(Box<BlockDriver>),
    /// Newton.
    Direct(Box<DirectDriver>),
}

impl Caches {
    /// Builds everything. Hinge angles continue from those that the sheet remembers.
    pub fn build(sheet: &Frozen, cloths: &[Cloth], choice: SolverChoice) -> Self {
        let models: Vec<_> = cloths.iter().map(|c| c.model.clone()).collect();
        let supports = Supports::new(&sheet.state.inverse_masses);
        let blocks = Blocks::build(&sheet.topology, &sheet.rest, &models, &supports);
        let solver = match choice {
            SolverChoice::Auto | SolverChoice::Block => {
                Solver::Block(Box::new(BlockDriver::build(&sheet.topology, &blocks)))
            }
            SolverChoice::Global | SolverChoice::Direct => {
                Solver::Direct(Box::new(DirectDriver::build(&sheet.topology, &blocks)))
            }
        };
        let surfaces = cloths.iter().map(|c| c.surface).collect();
        Self {
            epoch: sheet.topology.epoch,
            plate: PlateState::new(&blocks.plate, Vec::new()),
            blocks,
            solver,
            detector: Detector::new(surfaces, sheet.vertex_cloths.clone()),
            load_path: measure_load_path(sheet),
        }
    }

    /// Notes the unwrapped hinge angles at the end of a step, in the blocks, which measure energies with them, and in
    /// the sheet, which remembers them when the blocks are gone.
    pub fn keep_hinge_angles(&mut self, sheet: &mut Frozen) {
        let angles = match &mut self.solver {
            Solver::Block(driver) => driver.hinge_angles(self.blocks.hinges.len()),
            Solver::Direct(driver) => {
                driver.begin_step(&sheet.state.positions);
                driver.hinge_angles()
            }
        };
        for (hinge, angle) in self.blocks.hinges.iter_mut().zip(angles) {
            hinge.reference = angle;
            sheet.rest.last_angles[hinge.edge] = angle;
        }
        let plate = &mut self.blocks.plate;
        plate.edges.iter_mut().for_each(|edge| edge.reference = sheet.rest.last_angles[edge.edge]);
        plate.begin_step(&sheet.state.positions, &self.plate.clamps);
        plate.edges.iter().for_each(|edge| sheet.rest.last_angles[edge.edge] = edge.reference);
    }
}

/// The load path of a sheet. What is held along any axis carries: along which axes the load acts is not known.
fn measure_load_path(sheet: &Frozen) -> LoadPath {
    let Frozen { topology, rest, state, .. } = sheet;
    let is_partly_held = |held: &[bool; 3]| held.contains(&true) && held.contains(&false);
    if !state.held.iter().any(is_partly_held) {
        return LoadPath::compute(topology, rest, state);
    }
    let carried = |(w, held): (&f64, &[bool; 3])| if held.contains(&true) { 0.0 } else { *w };
    let inverse_masses = state.inverse_masses.iter().zip(state.held.iter()).map(carried).collect();
    LoadPath::compute(topology, rest, &DenseState { inverse_masses, ..state.clone() })
}
