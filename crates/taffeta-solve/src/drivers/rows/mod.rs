//! The driver of scalar rows: position-based dynamics and its extension, one row at a time, colored Gauss-Seidel.
//!
//! * **PBD** (Müller et al. 2007): the lengths of all edges and the angles of all inner edges. Each sweep takes back a part
//!   `k` of every violation, `Δx_v = −k w_v ∇_v C · C/Σ w|∇C|²`. There is no material: how stiff the cloth is depends on
//!   `k`, on the number of sweeps, on the substep and on the mesh.
//! * **XPBD** (Macklin et al. 2016): the rows of the membrane blocks and the hinges, each a spring with a multiplier `λ`
//!   that is 0 at the start of a substep. The three rows of a triangle are taken along the eigenvectors of its compliance,
//!   where they are independent springs; the block driver solves the three together instead. With `α = 0` a row is that
//!   of PBD with `k = 1`.
//!
//! Where the membrane of a cloth is springs along its edges ([`crate::MembraneModel::Distance`]), XPBD has one row per
//! edge, as published. Such an edge can be switched off for good, and its hinge with it: the force of its row, `λ/h²`,
//! tells when.
//!
//! Both spread a correction by one element per sweep, so the excess of a hanging sheet grows with the square of the
//! element count as under the block driver ([`crate::substeps`]). Clamps of the sheet's direction are not known here.
//!
//! The result has the same bits for any number of threads.

mod batches;
mod diagonal;
mod element;
mod kernels;
mod law;
#[cfg(test)]
mod oracle;
mod ropes;
mod scalar;
mod solids;
#[cfg(test)]
mod tests;

pub(crate) use diagonal::diagonalize;
pub use element::RowForce;
pub use law::{RowLaw, RowStep, RowValue};

use crate::block::{Block, Distance, EnclosedVolume, Hinge, gather};
use crate::blocks::{Blocks, hinge_of_edge, rest_length};
use crate::drivers::block::energy::EnergyLanes;
use crate::drivers::block::kernels::HingeLanes;
use crate::drivers::enclosed::EnclosedSweeps;
use crate::model::{BendingModel, ClothModel, ProjectionStiffness};
use crate::rope::RopeBlocks;
use crate::solid::SolidBlocks;
use crate::state::RestShape;
use batches::RowBatches;
use element::RowElement;
use glam::DVec3;
use kernels::{DistanceRows, LengthRows, StrainRows};
use ropes::RopeRows;
use solids::SolidRows;
use taffeta_core::lanes::Row;
use taffeta_core::{EdgeIndex, IndexVec, SurfaceTopology, TopologyEpoch};

/// Colored and packed rows of one topology.
#[derive(Clone, Debug)]
pub struct RowDriver {
    epoch: TopologyEpoch,
    distances: RowBatches<DistanceRows, 1, 2>,
    /// The edges of `distances`.
    edges: Vec<EdgeIndex>,
    strain: RowBatches<StrainRows, 3, 3>,
    lengths: RowBatches<LengthRows, 3, 3>,
    energies: RowBatches<EnergyLanes, 1, 3>,
    hinges: RowBatches<HingeLanes, 1, 4>,
    /// The blocks of `hinges`, which know their edges and vertices.
    hinge_blocks: Vec<Hinge>,
    ropes: RopeRows,
    solids: SolidRows,
    enclosed: EnclosedSweeps,
}

/// A cloth as position-based dynamics sees it.
#[derive(Clone, Copy, Debug)]
pub struct ProjectedCloth<'a> {
    /// Which blocks it has. Of the material nothing but the masses counts.
    pub model: &'a ClothModel,
    /// Its stiffness.
    pub stiffness: ProjectionStiffness,
}

impl RowDriver {
    /// XPBD: the rows of the membrane blocks, then the hinges. Other bending than by hinges is left out.
    pub fn xpbd(topology: &SurfaceTopology, blocks: &Blocks) -> Self {
        let mut driver =
            Self::pack(topology, &compliant(&blocks.distances), blocks, &compliant(&blocks.hinges));
        driver.ropes = RopeRows::xpbd(&blocks.ropes, topology.vertex_count);
        driver.solids = SolidRows::xpbd(&blocks.solids, topology.vertex_count);
        driver.enclosed = EnclosedSweeps::new(&blocks.enclosed);
        driver
    }

    /// PBD: the lengths of all edges, then the angles of the inner edges of cloths that bend by hinges, then ropes, each
    /// with its stiffness.
    pub fn pbd(
        topology: &SurfaceTopology,
        rest: &RestShape,
        cloths: &[ProjectedCloth<'_>],
        ropes: &[(RopeBlocks, ProjectionStiffness)],
    ) -> Self {
        let (distances, hinges) = projections(topology, rest, cloths);
        let mut driver = Self::pack(topology, &distances, &Blocks::default(), &hinges);
        driver.ropes = RopeRows::pbd(ropes, topology.vertex_count);
        driver
    }

    fn pack(
        topology: &SurfaceTopology,
        distances: &[RowElement<Distance, 1>],
        blocks: &Blocks,
        hinges: &[RowElement<Hinge, 1>],
    ) -> Self {
        let n = topology.vertex_count;
        Self {
            epoch: topology.epoch,
            distances: RowBatches::build(distances, n),
            edges: distances.iter().map(|element| element.block.edge).collect(),
            strain: RowBatches::build(&compliant(&blocks.strain), n),
            lengths: RowBatches::build(&compliant(&blocks.lengths), n),
            energies: RowBatches::build(&compliant(&blocks.energies), n),
            hinges: RowBatches::build(hinges, n),
            hinge_blocks: hinges.iter().map(|element| element.block.clone()).collect(),
            ropes: RopeRows::xpbd(&RopeBlocks::default(), n),
            solids: SolidRows::xpbd(&SolidBlocks::default(), n),
            enclosed: EnclosedSweeps::default(),
        }
    }

    /// The topology that the driver was built for.
    pub fn epoch(&self) -> TopologyEpoch {
        self.epoch
    }

    /// Whether a sweep on more than one thread shares out work; small sheets are swept by one.
    pub fn sweeps_in_parallel(&self) -> bool {
        self.distances.sweeps_in_parallel()
            || self.strain.sweeps_in_parallel()
            || self.lengths.sweeps_in_parallel()
            || self.energies.sweeps_in_parallel()
            || self.hinges.sweeps_in_parallel()
    }

    /// Notes the positions at the start of a substep: damping refers to them.
    pub fn begin_substep(&mut self, rows: &[Row]) {
        self.distances.begin_substep(rows);
        self.strain.begin_substep(rows);
        self.lengths.begin_substep(rows);
        self.energies.begin_substep(rows);
        self.hinges.begin_substep(rows);
        self.ropes.begin_substep(rows);
        self.solids.begin_substep(rows);
    }

    /// One Gauss-Seidel sweep over all rows: membrane, bending, ropes, solids, then the volumes inside closed cloths.
    pub fn sweep(&mut self, rows: &mut [Row], step: RowStep) {
        self.distances.sweep(rows, &step);
        self.strain.sweep(rows, &step);
        self.lengths.sweep(rows, &step);
        self.energies.sweep(rows, &step);
        self.hinges.sweep(rows, &step);
        self.ropes.sweep(rows, &step);
        self.solids.sweep(rows, &step);
        self.enclosed.sweep(rows, (step.h, step.sweep));
    }

    /// The force of every scalar row on its vertices after a substep of length `h` \[s\] that ended at `rows`: first the
    /// edges, then the faces with three rows each (one for the strain energy), then the hinges, each in dense order; then
    /// the segments and joints of ropes; then the tetrahedra. The volumes inside closed cloths are left out.
    ///
    /// `f = ∇C λ / h²` (Macklin et al. 2016, section 4.2). It is as exact as the substep has converged, and errs by how much
    /// `∇C` has turned since the predicted positions: by the square of the substep. Under PBD it is the
    /// force that amounts to the projections of the substep.
    pub fn forces(&self, rows: &[Row], h: f64) -> Vec<RowForce> {
        let mut forces = self.distances.forces(rows, h);
        forces.extend(self.strain.forces(rows, h));
        forces.extend(self.lengths.forces(rows, h));
        forces.extend(self.energies.forces(rows, h));
        forces.extend(self.hinges.forces(rows, h));
        forces.extend(self.ropes.forces(rows, h));
        forces.extend(self.solids.forces(rows, h));
        forces
    }

    /// The volumes inside closed cloths, which know their pressure after a substep. Their targets can be changed between
    /// substeps.
    pub fn enclosed_mut(&mut self) -> &mut [EnclosedVolume] {
        self.enclosed.volumes_mut()
    }

    /// The force \[N\] along each edge with a row after a substep of length `h` \[s\], `|λ|/h²`, that of damping included.
    pub fn edge_forces(&self, h: f64) -> Vec<(EdgeIndex, f64)> {
        let force = |(edge, lambda): (&EdgeIndex, f64)| (*edge, lambda.abs() / (h * h));
        self.edges.iter().zip(self.distances.multipliers(0)).map(force).collect()
    }

    /// Takes the rows of edges and their hinges out of all later sweeps.
    pub fn switch_off(&mut self, edges: &IndexVec<EdgeIndex, bool>) {
        let numbers = |edges_of: Vec<EdgeIndex>| {
            let numbered = edges_of.into_iter().enumerate();
            numbered.filter(|(_, edge)| edges[*edge]).map(|(number, _)| number)
        };
        self.distances.switch_off(numbers(self.edges.clone()));
        self.hinges.switch_off(numbers(self.hinge_blocks.iter().map(|hinge| hinge.edge).collect()));
    }

    /// The angles of the hinges at positions `x` \[m\], continued from the last sweep \[rad\].
    pub fn angles(&self, x: &[DVec3]) -> Vec<(EdgeIndex, f64)> {
        let seen = self.hinges.kernels(|hinge, lane| hinge.angle(lane));
        let angle = |(hinge, reference): (&Hinge, f64)| {
            let hinge = Hinge { reference, ..hinge.clone() };
            (hinge.edge, hinge.angle(&gather(hinge.vertices, x)))
        };
        self.hinge_blocks.iter().zip(seen).map(angle).collect()
    }
}

/// The lengths of all edges, and the angles of the inner edges of cloths that bend by hinges.
fn projections(
    topology: &SurfaceTopology,
    rest: &RestShape,
    cloths: &[ProjectedCloth<'_>],
) -> (Vec<RowElement<Distance, 1>>, Vec<RowElement<Hinge, 1>>) {
    let (mut distances, mut hinges) = (Vec::new(), Vec::new());
    for (ei, edge) in topology.edges.iter_indexed() {
        let Some(face) = edge.faces.into_iter().flatten().next() else { continue };
        let ProjectedCloth { model, stiffness } = cloths[rest.cloths[face] as usize];
        let law = |k: f64| RowLaw::Projection { stiffness: k, correction: stiffness.correction };
        let length = rest_length(topology, rest, edge);
        let block = Distance { edge: ei, vertices: edge.vertices, length, compliance: 0.0, damping: 0.0 };
        distances.push(RowElement::new(block, law(stiffness.stretch)));
        if model.bending == BendingModel::Hinge && stiffness.bend > 0.0 {
            let hinge = hinge_of_edge(topology, rest, model, (ei, edge));
            hinges.extend(hinge.map(|hinge| RowElement::new(hinge, law(stiffness.bend))));
        }
    }
    (distances, hinges)
}

/// Every block as springs.
fn compliant<const R: usize, const V: usize, B: Block<R, V> + Clone>(blocks: &[B]) -> Vec<RowElement<B, R>> {
    blocks.iter().cloned().map(RowElement::compliant).collect()
}
