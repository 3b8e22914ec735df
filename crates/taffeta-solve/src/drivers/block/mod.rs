//! The block driver: 3×3 Newton updates of the multipliers, colored Gauss-Seidel over dense arrays.
//!
//! A substep sets `λ = 0`, then each sweep updates every triangle and whatever bends once, color by color. λ is never
//! carried over to the next substep: that was measured to blow up. Local updates spread a correction by one element
//! per sweep, so the error of a hanging sheet grows with the square of the element count ([`crate::substeps`]).
//!
//! Bending by curvature has a massless scalar per edge, which each sweep sets to its value of least energy; it is kept
//! from substep to substep.
//!
//! The result has the same bits for any number of threads.

pub mod curvature;
mod edges;
mod elements;
pub(crate) mod energy;
pub mod kernels;
mod plate;
pub mod quadratic;
mod scalar_dual;
mod wrinkles;

use crate::block::{EnclosedVolume, Hinge, Stitch};
use crate::blocks::Blocks;
use crate::drivers::enclosed::EnclosedSweeps;
use crate::plate::{Plate, PlateEdge, PlateState};
use elements::{RopeSweeps, SolidSweeps, StitchSweeps};
use energy::EnergyLanes;
use glam::DVec3;
use kernels::{HingeLanes, LengthLanes, StrainLanes, SweepStep};
use plate::PlateSweeps;
use quadratic::QuadraticLanes;
use std::hint::black_box;
use taffeta_core::lanes::{F64x4, LANES, LaneBatches, Row, Vec3x4};
use taffeta_core::{SurfaceTopology, TopologyEpoch, VertexIndex};
use wrinkles::WrinkleLanes;

/// Colored and packed blocks of one topology.
#[derive(Clone, Debug)]
pub struct BlockDriver {
    epoch: TopologyEpoch,
    strain: Packed<3, StrainLanes>,
    /// Those of which compression is bounded.
    wrinkles: Packed<3, WrinkleLanes>,
    lengths: Packed<3, LengthLanes>,
    energies: Packed<3, EnergyLanes>,
    hinges: Packed<4, HingeLanes>,
    quadratic: Packed<4, QuadraticLanes>,
    plate: PlateSweeps,
    ropes: RopeSweeps,
    solids: SolidSweeps,
    stitches: StitchSweeps,
    enclosed: EnclosedSweeps,
    /// Who knows the angle of each edge of the plate.
    angle_sources: Vec<AngleSource>,
    hinge_count: usize,
    membrane_damped: bool,
    bending_damped: bool,
}

/// Batches of one kind of block with their data.
#[derive(Clone, Debug)]
pub(super) struct Packed<const V: usize, D> {
    pub batches: LaneBatches<V>,
    pub data: Vec<D>,
}

/// Who knows the unwrapped angle of an edge of the plate.
#[derive(Clone, Copy, Debug)]
enum AngleSource {
    /// The edges of the plate.
    Plate,
    /// The hinge of this number.
    Hinge(usize),
    /// Nobody, since nothing resists bending there; as it was at the start \[rad\].
    Nobody(f64),
}

/// One substep of the driver.
#[derive(Clone, Copy, Debug)]
pub struct Substep {
    /// Length \[s\].
    pub h: f64,
    /// Number of the sweep within the substep; in sweep 0 every λ is zero.
    pub sweep: u32,
}

impl<const V: usize, D> Packed<V, D> {
    /// Colors and packs the blocks.
    pub(super) fn build<B>(
        blocks: &[B],
        vertices: impl Fn(&B) -> [VertexIndex; V],
        vertex_count: usize,
        pack: impl Fn([&B; LANES]) -> D,
    ) -> Self {
        let batches = LaneBatches::build(&blocks.iter().map(vertices).collect::<Vec<_>>(), vertex_count);
        Self { data: batches.pack(|lanes| pack(lanes.map(|k| &blocks[k]))), batches }
    }

    /// One sweep of a kernel over all batches.
    #[inline(always)]
    pub(super) fn sweep(
        &mut self,
        rows: &mut [Row],
        kernel: impl Fn(&mut D, &[Vec3x4; V], &[F64x4; V]) -> [Vec3x4; V] + Sync,
    ) where
        D: Send,
    {
        self.batches.sweep(
            rows,
            &mut self.data,
            #[inline(always)]
            |data, x, w| {
                // Lanes that pass through memory: if the compiler sees where the coordinates come from and go to, row
                // by row, it follows the rows instead of the lanes and leaves half of the kernel scalar.
                let mut moved = kernel(data, black_box(x), black_box(w));
                black_box(&mut moved);
                moved
            },
        );
    }
}

impl BlockDriver {
    /// Colors and packs the blocks. All scalars of the plate are zero, and its clamps do not act until
    /// [`BlockDriver::set_clamps`] tells where they point.
    pub fn build(topology: &SurfaceTopology, blocks: &Blocks) -> Self {
        let n = topology.vertex_count;
        let hinges = without_clamped(&blocks.hinges, &blocks.plate);
        let stretch_damping = blocks.strain.iter().map(|b| b.damping);
        let length_damping = blocks.lengths.iter().map(|b| b.damping);
        let energy_damping = blocks.energies.iter().map(|b| b.strain.damping);
        let mut membrane_damping = stretch_damping.chain(length_damping).chain(energy_damping);
        let quadratic_damping = blocks.quadratic.iter().map(|b| b.damping);
        let mut bend_damping = hinges.iter().map(|b| b.damping).chain(quadratic_damping);
        let (bounded, strain): (Vec<_>, Vec<_>) =
            blocks.strain.iter().cloned().partition(|block| block.critical.is_some());
        let plate = PlateSweeps::build(&blocks.plate, n);
        let edges = blocks.plate.edges.iter().enumerate();
        let source = |(number, edge): (usize, &PlateEdge)| match plate.edge_state(number) {
            Some(_) => AngleSource::Plate,
            None => find_hinge(&hinges, edge).map_or(AngleSource::Nobody(edge.reference), AngleSource::Hinge),
        };
        Self {
            epoch: topology.epoch,
            membrane_damped: membrane_damping.any(|tau| tau > 0.0),
            bending_damped: bend_damping.any(|tau| tau > 0.0) || plate.is_damped,
            strain: Packed::build(&strain, |b| b.vertices, n, StrainLanes::pack),
            wrinkles: Packed::build(&bounded, |b| b.vertices, n, WrinkleLanes::pack),
            lengths: Packed::build(&blocks.lengths, |b| b.vertices, n, LengthLanes::pack),
            energies: Packed::build(&blocks.energies, |b| b.strain.vertices, n, EnergyLanes::pack),
            hinges: Packed::build(&hinges, |b| b.vertices, n, HingeLanes::pack),
            quadratic: Packed::build(&blocks.quadratic, |b| b.vertices, n, QuadraticLanes::pack),
            angle_sources: edges.map(source).collect(),
            hinge_count: hinges.len(),
            plate,
            ropes: RopeSweeps::build(&blocks.ropes, n),
            solids: SolidSweeps::build(&blocks.solids, n),
            stitches: StitchSweeps::build(&blocks.stitches, n),
            enclosed: EnclosedSweeps::new(&blocks.enclosed),
        }
    }

    /// Sets the scalars and clamps of the plate.
    ///
    /// # Panics
    /// If the state does not have one scalar per edge of the plate, or fewer normals than clamps.
    pub fn set_plate_state(&mut self, state: &PlateState) {
        self.plate.set_state(state);
    }

    /// Takes over `η₀` of the faces of the plate, which is the one that the driver was built from but for that.
    ///
    /// # Panics
    /// If the plate has other faces.
    pub fn set_rest(&mut self, plate: &Plate) {
        self.plate.set_rest(plate);
    }

    /// Sets the unit normals beyond the clamped edges, in the order of the clamps: where they point at the end of the
    /// substep. To be called after [`BlockDriver::begin_substep`], which notes the angles against the normals before.
    ///
    /// # Panics
    /// If there are fewer normals than clamps.
    pub fn set_clamps(&mut self, normals: &[DVec3]) {
        self.plate.set_clamps(normals);
    }

    /// The scalars `φ` \[rad\], in the order of the edges of the plate.
    pub fn scalars(&self) -> Vec<f64> {
        let scalar = |number| self.plate.edge_state(number).map_or(0.0, |(_, scalar)| scalar);
        (0..self.angle_sources.len()).map(scalar).collect()
    }

    /// The unwrapped angles \[rad\] last seen, in the order of the edges of the plate, hinges included.
    pub fn plate_angles(&self) -> Vec<f64> {
        let hinges = self.hinge_angles(self.hinge_count);
        let angle = |(number, source): (usize, &AngleSource)| match *source {
            AngleSource::Plate => self.plate.edge_state(number).map_or(0.0, |(angle, _)| angle),
            AngleSource::Hinge(hinge) => hinges[hinge],
            AngleSource::Nobody(reference) => reference,
        };
        self.angle_sources.iter().enumerate().map(angle).collect()
    }

    /// Whether a sweep on more than one thread shares out work; small sheets are swept by one.
    pub fn sweeps_in_parallel(&self) -> bool {
        self.strain.batches.sweeps_in_parallel()
            || self.wrinkles.batches.sweeps_in_parallel()
            || self.lengths.batches.sweeps_in_parallel()
            || self.energies.batches.sweeps_in_parallel()
            || self.hinges.batches.sweeps_in_parallel()
            || self.quadratic.batches.sweeps_in_parallel()
            || self.plate.sweeps_in_parallel()
    }

    /// Whether [`BlockDriver::begin_substep`] has something to note: anything is damped, or there are ropes, whose angles
    /// are continued from there.
    pub fn is_damped(&self) -> bool {
        self.membrane_damped || self.bending_damped || !self.ropes.is_empty || self.solids.is_damped
    }

    /// The topology that the driver was built for.
    pub fn epoch(&self) -> TopologyEpoch {
        self.epoch
    }

    /// Notes the constraints at the start of a substep, if anything is damped. `rows` holds the positions then.
    pub fn begin_substep(&mut self, rows: &[Row]) {
        if self.membrane_damped {
            self.strain.batches.visit(rows, &mut self.strain.data, |d, x| d.note_start(x));
            self.wrinkles.batches.visit(rows, &mut self.wrinkles.data, |d, x| d.note_start(x));
            self.lengths.batches.visit(rows, &mut self.lengths.data, |d, x| d.note_start(x));
            self.energies.batches.visit(rows, &mut self.energies.data, |d, x| d.note_start(x));
        }
        if self.bending_damped {
            self.hinges.batches.visit(rows, &mut self.hinges.data, |d, x| d.note_start(x));
            self.quadratic.batches.visit(rows, &mut self.quadratic.data, |d, x| d.note_start(x));
            self.plate.note_start(rows);
        }
        self.ropes.begin_substep(rows);
        self.solids.begin_substep(rows);
    }

    /// One Gauss-Seidel sweep over all blocks: membrane, bending, ropes, solids, stitches, then the volumes
    /// inside closed cloths.
    pub fn sweep(&mut self, rows: &mut [Row], substep: Substep) {
        let step = SweepStep {
            inverse_h2: F64x4::splat(1.0 / (substep.h * substep.h)),
            inverse_h: F64x4::splat(1.0 / substep.h),
            first: substep.sweep == 0,
        };
        if self.membrane_damped {
            self.sweep_membrane::<true>(rows, &step);
        } else {
            self.sweep_membrane::<false>(rows, &step);
        }
        if self.bending_damped {
            self.sweep_bending::<true>(rows, &step);
            self.plate.sweep::<true>(rows, &step, substep);
        } else {
            self.sweep_bending::<false>(rows, &step);
            self.plate.sweep::<false>(rows, &step, substep);
        }
        self.ropes.sweep(rows, substep);
        self.solids.sweep(rows, substep);
        self.stitches.sweep(rows, substep);
        self.enclosed.sweep(rows, (substep.h, substep.sweep));
    }

    /// Takes over the gaps that the stitches want and how far they pull, in the order of the blocks.
    ///
    /// # Panics
    /// If there are fewer than the driver was built from.
    pub fn set_stitches(&mut self, stitches: &[Stitch]) {
        self.stitches.set(stitches);
    }

    /// The volumes inside closed cloths, which know their pressure after a substep. Their targets can be changed between
    /// substeps.
    pub fn enclosed_mut(&mut self) -> &mut [EnclosedVolume] {
        self.enclosed.volumes_mut()
    }

    fn sweep_bending<const DAMPED: bool>(&mut self, rows: &mut [Row], step: &SweepStep) {
        self.hinges.sweep(
            rows,
            #[inline(always)]
            |d, x, w| d.update::<DAMPED>(x, w, step),
        );
        self.quadratic.sweep(
            rows,
            #[inline(always)]
            |d, x, w| d.update::<DAMPED>(x, w, step),
        );
    }

    fn sweep_membrane<const DAMPED: bool>(&mut self, rows: &mut [Row], step: &SweepStep) {
        self.strain.sweep(
            rows,
            #[inline(always)]
            |d, x, w| d.update::<DAMPED>(x, w, step),
        );
        self.wrinkles.sweep(
            rows,
            #[inline(always)]
            |d, x, w| d.update::<DAMPED>(x, w, step),
        );
        self.lengths.sweep(
            rows,
            #[inline(always)]
            |d, x, w| d.update::<DAMPED>(x, w, step),
        );
        self.energies.sweep(
            rows,
            #[inline(always)]
            |d, x, w| d.update::<DAMPED>(x, w, step),
        );
    }

    /// The unwrapped hinge angles \[rad\], in the order of [`Blocks::hinges`].
    pub fn hinge_angles(&self, count: usize) -> Vec<f64> {
        self.hinges.batches.unpack(count, |batch, lane| self.hinges.data[batch].angle(lane))
    }
}

/// The hinges, of which those at clamped edges do nothing but measure their angle: the clamp takes their place.
fn without_clamped(hinges: &[Hinge], plate: &Plate) -> Vec<Hinge> {
    let mut hinges = hinges.to_vec();
    for edge in plate.edges.iter().filter(|edge| edge.clamp.is_some()) {
        if let Some(k) = find_hinge(&hinges, edge) {
            hinges[k].scale = 0.0;
        }
    }
    hinges
}

/// The number of the hinge at an edge of the plate.
fn find_hinge(hinges: &[Hinge], edge: &PlateEdge) -> Option<usize> {
    hinges.binary_search_by_key(&edge.edge, |hinge| hinge.edge).ok()
}

#[cfg(test)]
mod cantilever_tests;
#[cfg(test)]
mod plate_oracle;
#[cfg(test)]
mod plate_tests;
#[cfg(test)]
mod tests;
