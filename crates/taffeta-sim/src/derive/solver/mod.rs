//! The solver in use, and its answers to questions besides solving. Every answer names all solvers: a new one does not compile before
//! each question has its answer. The stage of the solve hands the driver itself on.

pub(crate) mod build;

use glam::DVec3;
use taffeta_core::lanes::Row;
use taffeta_core::{EdgeIndex, IndexVec, VertexIndex};
use taffeta_solve::block::Stitch;
use taffeta_solve::drivers::newton::{ContactState, KeptGrids, NewtonDriver};
use taffeta_solve::{
    Blocks, ElasticEnergy, Plate, PlateState, ProjectiveDriver, ProjectiveTimes, RowForce, Sweeping,
};

/// The solver in use.
#[derive(Debug)]
pub(crate) enum Solver {
    /// None: the bodies of this world are stepped in groups, which have solvers of their own.
    Idle,
    /// Sweeps over blocks or single rows.
    Sweeping(Box<dyn Sweeping>),
    /// Projective dynamics.
    Projective(Box<ProjectiveDriver>),
    /// Newton, with conjugate gradients or a factorization.
    Newton(Box<NewtonDriver>),
}

impl Solver {
    /// Begins a frame, or another step of a search: Newton's method forgets the grids that only its steps share.
    pub(crate) fn begin_frame(&mut self) {
        match self {
            Self::Newton(driver) => driver.begin_frame(),
            Self::Idle | Self::Sweeping(_) | Self::Projective(_) => {}
        }
    }

    /// Takes springs that have broken, by their edges, out of the rows. No other solver has any.
    pub(crate) fn switch_off(&mut self, broken: &IndexVec<EdgeIndex, bool>) {
        match self {
            Self::Sweeping(driver) => driver.switch_off(broken),
            Self::Idle | Self::Projective(_) | Self::Newton(_) => {}
        }
    }

    /// Takes over the threads of seams, in their order. Projections know no seams.
    pub(crate) fn set_stitches(&mut self, stitches: &[Stitch]) {
        match self {
            Self::Sweeping(driver) => driver.set_stitches(stitches),
            Self::Newton(driver) => driver.stitches_mut().clone_from_slice(stitches),
            Self::Idle | Self::Projective(_) => {}
        }
    }

    /// Takes over the rest state of a plate whose faces have yielded. Projections know no folds.
    pub(crate) fn set_rest(&mut self, plate: &Plate) {
        match self {
            Self::Sweeping(driver) => driver.set_rest(plate),
            Self::Newton(driver) => driver.set_rest(plate),
            Self::Idle | Self::Projective(_) => {}
        }
    }

    /// Takes over scalars and clamps of the plate. Newton's method is given them with every solve.
    pub(crate) fn set_plate_state(&mut self, state: &PlateState) {
        match self {
            Self::Sweeping(driver) => driver.set_plate_state(state),
            Self::Idle | Self::Projective(_) | Self::Newton(_) => {}
        }
    }

    /// Angles of the plate's edges \[rad\] that the solver has followed through its substeps; `None`: it follows none.
    pub(crate) fn plate_angles(&self) -> Option<Vec<f64>> {
        match self {
            Self::Sweeping(driver) => driver.plate_angles(),
            Self::Newton(driver) => Some(driver.reference_angles()),
            Self::Idle | Self::Projective(_) => None,
        }
    }

    /// Scalars of the plate's edges \[rad\], if the solver keeps its own.
    pub(crate) fn plate_scalars(&self) -> Option<Vec<f64>> {
        match self {
            Self::Sweeping(driver) => driver.plate_scalars(),
            Self::Idle | Self::Projective(_) | Self::Newton(_) => None,
        }
    }

    /// Angles of hinges \[rad\] by their edges, if the solver keeps its own. `hinges` are those of the blocks.
    pub(crate) fn hinge_angles(
        &self,
        hinges: &[EdgeIndex],
        x: &IndexVec<VertexIndex, DVec3>,
    ) -> Vec<(EdgeIndex, f64)> {
        match self {
            Self::Sweeping(driver) => driver.hinge_angles(hinges, x),
            Self::Idle | Self::Projective(_) | Self::Newton(_) => Vec::new(),
        }
    }

    /// Forces along edges in a substep of length `h` \[s\] by their springs \[N\], which only rows have.
    pub(crate) fn edge_forces(&self, h: f64) -> Vec<(EdgeIndex, f64)> {
        match self {
            Self::Sweeping(driver) => driver.edge_forces(h),
            Self::Idle | Self::Projective(_) | Self::Newton(_) => Vec::new(),
        }
    }

    /// Forces of scalar rows in a substep of length `h` \[s\] that has ended with these rows of vertices.
    pub(crate) fn row_forces(&self, rows: &[Row], h: f64) -> Vec<RowForce> {
        match self {
            Self::Sweeping(driver) => driver.row_forces(rows, h),
            Self::Idle | Self::Projective(_) | Self::Newton(_) => Vec::new(),
        }
    }

    /// Elastic energies \[J\] at positions `x` \[m\]. Those of projective dynamics are of its own constraints.
    pub(crate) fn energy(&self, blocks: &Blocks, x: &[DVec3], plate: &PlateState) -> ElasticEnergy {
        match self {
            Self::Projective(driver) => {
                let energy = driver.energy(x);
                let enclosed: f64 = blocks.enclosed.iter().map(|block| block.energy(x)).sum();
                ElasticEnergy { stretch: energy.stretch + enclosed, bend: energy.bend }
            }
            Self::Idle | Self::Sweeping(_) | Self::Newton(_) => blocks.energy(x, plate),
        }
    }

    /// Gradient of the elastic energy \[N\] at positions `x` \[m\].
    pub(crate) fn gradient(&self, blocks: &Blocks, x: &[DVec3], plate: &PlateState) -> Vec<DVec3> {
        match self {
            Self::Projective(driver) => {
                let mut gradient = driver.energy(x).gradient;
                blocks.enclosed.iter().for_each(|block| block.add_gradient(x, &mut gradient));
                gradient
            }
            Self::Idle | Self::Sweeping(_) | Self::Newton(_) => {
                let mut gradient = vec![DVec3::ZERO; x.len()];
                blocks.add_gradient(x, plate, &mut gradient);
                gradient
            }
        }
    }

    /// The contacts at the end of the last solve of Newton's method, in their order; it alone has them in its equations.
    pub(crate) fn contact_states(&self) -> &[ContactState] {
        match self {
            Self::Newton(driver) => driver.contact_states(),
            Self::Idle | Self::Sweeping(_) | Self::Projective(_) => &[],
        }
    }

    /// Grids of Newton's method that outlive the topology they were made for.
    pub(crate) fn grids(&self) -> Option<KeptGrids> {
        match self {
            Self::Newton(driver) => driver.grids(),
            Self::Idle | Self::Sweeping(_) | Self::Projective(_) => None,
        }
    }

    /// Number of times that projective dynamics has factorized its constant system.
    pub(crate) fn factorizations(&self) -> usize {
        match self {
            Self::Projective(driver) => driver.factorizations(),
            Self::Idle | Self::Sweeping(_) | Self::Newton(_) => 0,
        }
    }

    /// Times of projective dynamics since its constant system was built.
    pub(crate) fn times(&self) -> Option<ProjectiveTimes> {
        match self {
            Self::Projective(driver) => Some(driver.times()),
            Self::Idle | Self::Sweeping(_) | Self::Newton(_) => None,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::Solver;
    use crate::model::description::capabilities::{CAPABILITIES, ContactLaw};
    use crate::{ClothDescription, World, WorldDescription};
    use glam::{DVec2, DVec3};
    use taffeta_core::TriangleMesh;
    use taffeta_solve::Material;

    /// The table says how contact acts to stages that do not see the solver. It must be what the solver does.
    #[test]
    fn contact_acts_as_the_table_says() {
        let coords = [DVec2::ZERO, DVec2::X, DVec2::Y];
        let mut mesh = TriangleMesh {
            positions: coords.map(|u| DVec3::new(u.x, u.y, 0.0)).to_vec(),
            faces: vec![[0, 1, 2]],
            ..TriangleMesh::default()
        };
        mesh.set_vertex_material(&coords);
        let material = Material::isotropic(0.2, 2000.0, 0.3, 1e-5);
        for (choice, capabilities) in CAPABILITIES {
            let cloth = ClothDescription::new("sheet", mesh.clone(), material.clone()).under(choice);
            let mut description = WorldDescription { cloths: vec![cloth], ..WorldDescription::bare() };
            description.simulation.solver = choice;
            let world = World::build(&description).expect("a good description");
            let law = match &world.derived.solver {
                Solver::Idle => unreachable!("a world is built with a solver"),
                Solver::Sweeping(_) => ContactLaw::Passes,
                Solver::Projective(_) => ContactLaw::Forces,
                Solver::Newton(_) => ContactLaw::Equations,
            };
            assert_eq!(law, capabilities.contact, "{}", capabilities.name);
        }
    }
}
