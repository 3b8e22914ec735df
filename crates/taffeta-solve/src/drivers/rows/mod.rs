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

pub(crate) mod batches;
mod element;
pub(crate) mod kernels;
mod law;
#[cfg(test)]
mod oracle_tests;
mod passes;
pub(crate) mod scalar;
#[cfg(test)]
mod tests;

pub use element::{RowElement, RowForce};
pub use law::{RowLaw, RowStep, RowValue};

use crate::block::Stitch;
use crate::block::{Distance, EnclosedVolume, Hinge, gather};
use crate::blocks::{hinge_of_edge, rest_length};
use crate::kinds::{Blocks, ElementSet, Part, RopeBlocks};
use crate::model::{BendingModel, ClothModel, ProjectionStiffness};
use crate::plate::{Plate, PlateState};
use crate::state::RestShape;
use crate::sweeping::{Sweeping, Sweeps};
use glam::DVec3;
use passes::{Begin, Forces, Owner, Packing, ScalarRowSets, Sweep};
use taffeta_core::index::DenseIndex;
use taffeta_core::lanes::Row;
use taffeta_core::{EdgeIndex, IndexVec, SurfaceTopology, TopologyEpoch};

/// Colored and packed rows of one topology.
#[derive(Clone, Debug)]
pub struct RowDriver {
    epoch: TopologyEpoch,
    sets: ElementSet<ScalarRowSets>,
    /// The edges of the springs.
    edges: Vec<EdgeIndex>,
    /// The hinges, which know their edges and vertices.
    hinges: Vec<Hinge>,
    sweeps_in_parallel: bool,
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
        Self::pack(topology, blocks, |_| None)
    }

    /// PBD: the lengths of all edges, then the angles of the inner edges of cloths that bend by hinges, then ropes, each
    /// with its stiffness.
    pub fn pbd(
        topology: &SurfaceTopology,
        rest: &RestShape,
        cloths: &[ProjectedCloth<'_>],
        ropes: &RopeBlocks,
        stiffnesses: &[ProjectionStiffness],
    ) -> Self {
        let mut blocks = projections(topology, rest, cloths);
        blocks.ropes = ropes.clone();
        Self::pack(topology, &blocks, |owner| {
            let stiffness = match owner.edge {
                Some(ei) => cloth_beside(topology, rest, cloths, ei)?.stiffness,
                None => {
                    let vertex = owner.vertex.to_usize();
                    stiffnesses[ropes.chains.iter().position(|chain| chain.contains(&vertex))?]
                }
            };
            Some(project(stiffness, owner.part))
        })
    }

    fn pack(topology: &SurfaceTopology, blocks: &Blocks, law: impl Fn(Owner) -> Option<RowLaw>) -> Self {
        let vertex_count = topology.vertex_count;
        let mut packing = Packing { law, vertex_count, sweeps_in_parallel: false };
        Self {
            epoch: topology.epoch,
            sets: ElementSet::build_from(blocks, &mut packing),
            edges: blocks.distances.iter().map(|block| block.edge).collect(),
            hinges: blocks.hinges.clone(),
            sweeps_in_parallel: packing.sweeps_in_parallel,
        }
    }

    /// The topology that the driver was built for.
    pub fn epoch(&self) -> TopologyEpoch {
        self.epoch
    }

    /// Returns whether a sweep on more than one thread shares out work; small sheets are swept by one.
    pub fn sweeps_in_parallel(&self) -> bool {
        self.sweeps_in_parallel
    }

    /// Notes the positions at the start of a substep: damping refers to them.
    pub fn begin_substep(&mut self, rows: &[Row]) {
        self.sets.visit_mut(&mut Begin { rows });
    }

    /// One Gauss-Seidel sweep over all rows: membrane, bending, ropes, solids, then the volumes inside closed cloths.
    pub fn sweep(&mut self, rows: &mut [Row], step: RowStep) {
        self.sets.visit_mut(&mut Sweep { rows, step: &step });
    }

    /// The force of every scalar row on its vertices after a substep of length `h` \[s\] that ended at `rows`. The order
    /// is:
    ///
    /// * the edges, the faces with three rows each (one for the strain energy), and the hinges, each in dense order;
    /// * the segments and joints of ropes;
    /// * the tetrahedra.
    ///
    /// The volumes inside closed cloths are left out.
    ///
    /// `f = ∇C λ / h²` (Macklin et al. 2016, section 4.2). It is as exact as the substep has converged. It errs by the turn
    /// of `∇C` since the predicted positions: by the square of the substep. Under PBD it is the force that amounts to the
    /// projections of the substep.
    pub fn forces(&self, rows: &[Row], h: f64) -> Vec<RowForce> {
        let mut forces = Forces { rows, h, out: Vec::new() };
        self.sets.visit(&mut forces);
        forces.out
    }

    /// The volumes inside closed cloths, which know their pressure after a substep. Their targets can be changed between
    /// substeps.
    pub fn enclosed_mut(&mut self) -> &mut [EnclosedVolume] {
        self.sets.enclosed.volumes_mut()
    }

    /// The force \[N\] along each edge with a row after a substep of length `h` \[s\], `|λ|/h²`, that of damping included.
    pub fn edge_forces(&self, h: f64) -> Vec<(EdgeIndex, f64)> {
        let force = |(edge, lambda): (&EdgeIndex, f64)| (*edge, lambda.abs() / (h * h));
        self.edges.iter().zip(self.sets.distances.multipliers(0)).map(force).collect()
    }

    /// Takes the rows of edges and their hinges out of all later sweeps.
    pub fn switch_off(&mut self, edges: &IndexVec<EdgeIndex, bool>) {
        let numbers = |edges_of: Vec<EdgeIndex>| {
            let numbered = edges_of.into_iter().enumerate();
            numbered.filter(|(_, edge)| edges[*edge]).map(|(number, _)| number)
        };
        self.sets.distances.switch_off(numbers(self.edges.clone()));
        self.sets.hinges.switch_off(numbers(self.hinges.iter().map(|hinge| hinge.edge).collect()));
    }

    /// The angles of the hinges at positions `x` \[m\], continued from the last sweep \[rad\].
    pub fn angles(&self, x: &[DVec3]) -> Vec<(EdgeIndex, f64)> {
        let seen = self.sets.hinges.kernels(|hinge, lane| hinge.angle(lane));
        let angle = |(hinge, reference): (&Hinge, f64)| {
            let hinge = Hinge { reference, ..hinge.clone() };
            (hinge.edge, hinge.angle(&gather(hinge.vertices, x)))
        };
        self.hinges.iter().zip(seen).map(angle).collect()
    }
}

impl Sweeping for RowDriver {
    fn make_sweeps(&mut self, rows: &mut [Row], sweeps: Sweeps<'_>, contact: &mut dyn FnMut(&mut [Row])) {
        self.begin_substep(&sweeps.rows_at_start(rows));
        for sweep in 0..sweeps.count {
            self.sweep(rows, RowStep { h: sweeps.h, sweep, sweeps: sweeps.count });
            contact(rows);
        }
    }

    fn enclosed_mut(&mut self) -> &mut [EnclosedVolume] {
        Self::enclosed_mut(self)
    }

    fn switch_off(&mut self, broken: &IndexVec<EdgeIndex, bool>) {
        Self::switch_off(self, broken);
    }

    /// Rows know no seams.
    fn set_stitches(&mut self, _: &[Stitch]) {}

    /// Nor folds.
    fn set_rest(&mut self, _: &Plate) {}

    fn set_plate_state(&mut self, _: &PlateState) {}

    fn plate_scalars(&self) -> Option<Vec<f64>> {
        None
    }

    fn plate_angles(&self) -> Option<Vec<f64>> {
        None
    }

    fn hinge_angles(&self, _: &[EdgeIndex], x: &[DVec3]) -> Vec<(EdgeIndex, f64)> {
        self.angles(x)
    }

    fn edge_forces(&self, h: f64) -> Vec<(EdgeIndex, f64)> {
        Self::edge_forces(self, h)
    }

    fn row_forces(&self, rows: &[Row], h: f64) -> Vec<RowForce> {
        self.forces(rows, h)
    }
}

/// The lengths of all edges, and the hinges of the inner edges of cloths that bend by hinges.
fn projections(topology: &SurfaceTopology, rest: &RestShape, cloths: &[ProjectedCloth<'_>]) -> Blocks {
    let mut blocks = Blocks::default();
    for (ei, edge) in topology.edges.iter_indexed() {
        let Some(cloth) = cloth_beside(topology, rest, cloths, ei) else { continue };
        let length = rest_length(topology, rest, edge);
        let vertices = edge.vertices;
        blocks.distances.push(Distance { edge: ei, vertices, length, compliance: 0.0, damping: 0.0 });
        if cloth.model.bending == BendingModel::Hinge && cloth.stiffness.bend > 0.0 {
            blocks.hinges.extend(hinge_of_edge(topology, rest, cloth.model, ei));
        }
    }
    blocks
}

/// The cloth of the first face of an edge.
fn cloth_beside<'a>(
    topology: &SurfaceTopology,
    rest: &RestShape,
    cloths: &[ProjectedCloth<'a>],
    ei: EdgeIndex,
) -> Option<ProjectedCloth<'a>> {
    let face = topology.edges[ei].faces.into_iter().flatten().next()?;
    Some(cloths[rest.cloths[face] as usize])
}

/// The law of a projection.
fn project(stiffness: ProjectionStiffness, part: Part) -> RowLaw {
    let ProjectionStiffness { stretch, bend, correction } = stiffness;
    let stiffness = match part {
        Part::Stretch => stretch,
        Part::Bend => bend,
    };
    RowLaw::Projection { stiffness, correction }
}
