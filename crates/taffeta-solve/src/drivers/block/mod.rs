//! The block driver: 3×3 Newton updates of the multipliers, colored Gauss-Seidel over dense arrays.
//!
//! A substep sets `λ = 0`. Each sweep then updates every triangle and whatever bends once, color by color. λ is never carried
//! over to the next substep: that was measured to blow up. Local updates spread a correction by one element
//! per sweep, so the error of a hanging sheet grows with the square of the element count ([`crate::substeps`]).
//! Half of the sweeps go backward ([`Substep::of_count`]): only then are small steps stable.
//!
//! Bending by curvature has a massless scalar per edge, which each sweep sets to its value of least energy; it is kept
//! from substep to substep.
//!
//! The result has the same bits for any number of threads.

pub mod curvature;
mod edges;
pub(crate) mod elements;
pub(crate) mod energy;
pub mod kernels;
mod passes;
mod plate;
pub mod quadratic;
mod scalar_dual;
pub(crate) mod sets;
pub(crate) mod wrinkles;

use crate::block::{EnclosedVolume, Hinge, Stitch};
use crate::drivers::lanes::SweepStep;
use crate::drivers::rows::RowForce;
use crate::kinds::{Blocks, ElementSet};
use crate::plate::{Plate, PlateEdge, PlateState};
use crate::sweeping::{self, Sweeping};
use glam::DVec3;
use passes::{Begin, Packing, Sweep, Sweeps};
use sets::SweptSet;
use taffeta_core::lanes::{Order, Row};
use taffeta_core::{EdgeIndex, IndexVec, SurfaceTopology, TopologyEpoch};

/// Colored and packed blocks of one topology.
#[derive(Clone, Debug)]
pub struct BlockDriver {
    epoch: TopologyEpoch,
    sets: ElementSet<Sweeps>,
    /// Source of the angle of each edge of the plate.
    angle_sources: Vec<AngleSource>,
    hinge_count: usize,
    notes_start: bool,
    sweeps_in_parallel: bool,
}

/// Source of the unwrapped angle of an edge of the plate.
#[derive(Clone, Copy, Debug)]
enum AngleSource {
    /// The edges of the plate.
    Plate,
    /// The hinge of this number.
    Hinge(usize),
    /// Nobody, since nothing resists bending there; as it was at the start \[rad\].
    Nobody(f64),
}

/// One sweep of a substep of the driver.
#[derive(Clone, Copy, Debug)]
pub struct Substep {
    /// Length of the substep \[s\].
    pub h: f64,
    /// Number of the sweep within the substep; in sweep 0 every λ is zero.
    pub sweep: u32,
    /// The order of the blocks.
    pub order: Order,
}

impl Substep {
    /// A sweep in the order of the blocks.
    pub fn forward(h: f64, sweep: u32) -> Self {
        Self { h, sweep, order: Order::Forward }
    }

    /// A sweep of so many: the first half goes forward, the others go backward.
    ///
    /// For linear constraints they are a map of the error that is symmetric in the metric of the masses. Its eigenvalues `λ`
    /// are real and in `[0, 1]`. Sweeps that all go forward have complex ones.
    ///
    /// The momentum of `x̃ = 2x − x'` makes the roots of `z² − 2λz + λ` the factors by which errors grow. They lie within the unit
    /// circle for real `λ` only.
    pub fn of_count(h: f64, sweep: u32, count: u32) -> Self {
        let order = if 2 * sweep < count { Order::Forward } else { Order::Backward };
        Self { h, sweep, order }
    }
}

impl BlockDriver {
    /// Colors and packs the blocks. All scalars of the plate are zero, and its clamps do not act until
    /// [`BlockDriver::set_clamps`] tells where they point.
    pub fn build(topology: &SurfaceTopology, blocks: &Blocks) -> Self {
        let vertex_count = topology.vertex_count;
        let mut packing = Packing { vertex_count, notes_start: false, sweeps_in_parallel: false };
        let mut sets = ElementSet::build_from(blocks, &mut packing);
        if blocks.plate.edges.iter().any(|edge| edge.clamp.is_some()) {
            sets.hinges = SweptSet::build(&without_clamped(&blocks.hinges, &blocks.plate), vertex_count);
        }
        let source = |(number, edge): (usize, &PlateEdge)| match sets.plate.edge_state(number) {
            Some(_) => AngleSource::Plate,
            None => find_hinge(&blocks.hinges, edge)
                .map_or(AngleSource::Nobody(edge.reference), AngleSource::Hinge),
        };
        Self {
            epoch: topology.epoch,
            angle_sources: blocks.plate.edges.iter().enumerate().map(source).collect(),
            hinge_count: blocks.hinges.len(),
            notes_start: packing.notes_start,
            sweeps_in_parallel: packing.sweeps_in_parallel,
            sets,
        }
    }

    /// Sets the scalars and clamps of the plate.
    ///
    /// # Panics
    /// If the state does not have one scalar per edge of the plate, or fewer normals than clamps.
    pub fn set_plate_state(&mut self, state: &PlateState) {
        self.sets.plate.set_state(state);
    }

    /// Takes over `η₀` of the faces of the plate, which is the one that the driver was built from but for that.
    ///
    /// # Panics
    /// If the plate has other faces.
    pub fn set_rest(&mut self, plate: &Plate) {
        self.sets.plate.set_rest(plate);
    }

    /// Sets the unit normals beyond the clamped edges, in the order of the clamps: where they point at the end of the
    /// substep. To be called after [`BlockDriver::begin_substep`], which notes the angles against the normals before.
    ///
    /// # Panics
    /// If there are fewer normals than clamps.
    pub fn set_clamps(&mut self, normals: &[DVec3]) {
        self.sets.plate.set_clamps(normals);
    }

    /// The scalars `φ` \[rad\], in the order of the edges of the plate.
    pub fn scalars(&self) -> Vec<f64> {
        let scalar = |number| self.sets.plate.edge_state(number).map_or(0.0, |(_, scalar)| scalar);
        (0..self.angle_sources.len()).map(scalar).collect()
    }

    /// The unwrapped angles \[rad\] last seen, in the order of the edges of the plate, hinges included.
    pub fn plate_angles(&self) -> Vec<f64> {
        let hinges = self.hinge_angles(self.hinge_count);
        let angle = |(number, source): (usize, &AngleSource)| match *source {
            AngleSource::Plate => self.sets.plate.edge_state(number).map_or(0.0, |(angle, _)| angle),
            AngleSource::Hinge(hinge) => hinges[hinge],
            AngleSource::Nobody(reference) => reference,
        };
        self.angle_sources.iter().enumerate().map(angle).collect()
    }

    /// Returns whether a sweep on more than one thread shares out work; small sheets are swept by one.
    pub fn sweeps_in_parallel(&self) -> bool {
        self.sweeps_in_parallel
    }

    /// Returns whether [`BlockDriver::begin_substep`] has something to note: anything is damped, or angles of ropes
    /// are continued from there.
    pub fn is_damped(&self) -> bool {
        self.notes_start
    }

    /// The topology that the driver was built for.
    pub fn epoch(&self) -> TopologyEpoch {
        self.epoch
    }

    /// Notes the constraints at the start of a substep, if anything is damped. `rows` holds the positions then.
    pub fn begin_substep(&mut self, rows: &[Row]) {
        self.sets.visit_mut(&mut Begin { rows });
    }

    /// One Gauss-Seidel sweep over all blocks: membrane, bending, ropes, solids, stitches, then the volumes
    /// inside closed cloths.
    pub fn sweep(&mut self, rows: &mut [Row], substep: Substep) {
        let step = SweepStep { order: substep.order, ..SweepStep::new(substep.h, substep.sweep) };
        if step.order == Order::Forward {
            self.sets.visit_mut(&mut Sweep { rows, step: &step });
            self.sets.enclosed.sweep(rows, step.h, step.first);
        } else {
            self.sets.enclosed.sweep(rows, step.h, step.first);
            self.sets.visit_mut_backward(&mut Sweep { rows, step: &step });
        }
    }

    /// Takes over the gaps that the stitches want and how far they pull, in the order of the blocks.
    ///
    /// # Panics
    /// If there are fewer than the driver was built from.
    pub fn set_stitches(&mut self, stitches: &[Stitch]) {
        self.sets.stitches.update_blocks(stitches, |block, stitch| {
            (block.gap, block.reach) = (stitch.gap, stitch.reach);
        });
    }

    /// The volumes inside closed cloths, which know their pressure after a substep. Their targets can be changed between
    /// substeps.
    pub fn enclosed_mut(&mut self) -> &mut [EnclosedVolume] {
        self.sets.enclosed.volumes_mut()
    }

    /// The unwrapped hinge angles \[rad\], in the order of [`Blocks::hinges`].
    pub fn hinge_angles(&self, count: usize) -> Vec<f64> {
        self.sets.hinges.read(count, |lanes, lane| lanes.angle(lane))
    }
}

impl Sweeping for BlockDriver {
    fn make_sweeps(
        &mut self,
        rows: &mut [Row],
        sweeps: sweeping::Sweeps<'_>,
        contact: &mut dyn FnMut(&mut [Row]),
    ) {
        if self.is_damped() {
            self.begin_substep(&sweeps.rows_at_start(rows));
        }
        self.set_clamps(sweeps.clamps);
        for sweep in 0..sweeps.count {
            self.sweep(rows, Substep::of_count(sweeps.h, sweep, sweeps.count));
            contact(rows);
        }
    }

    fn enclosed_mut(&mut self) -> &mut [EnclosedVolume] {
        Self::enclosed_mut(self)
    }

    /// It has no springs along edges.
    fn switch_off(&mut self, _: &IndexVec<EdgeIndex, bool>) {}

    fn set_stitches(&mut self, stitches: &[Stitch]) {
        Self::set_stitches(self, stitches);
    }

    fn set_rest(&mut self, plate: &Plate) {
        Self::set_rest(self, plate);
    }

    fn set_plate_state(&mut self, state: &PlateState) {
        Self::set_plate_state(self, state);
    }

    fn plate_scalars(&self) -> Option<Vec<f64>> {
        Some(self.scalars())
    }

    fn plate_angles(&self) -> Option<Vec<f64>> {
        Some(Self::plate_angles(self))
    }

    fn hinge_angles(&self, hinges: &[EdgeIndex], _: &[DVec3]) -> Vec<(EdgeIndex, f64)> {
        hinges.iter().copied().zip(Self::hinge_angles(self, hinges.len())).collect()
    }

    fn edge_forces(&self, _: f64) -> Vec<(EdgeIndex, f64)> {
        Vec::new()
    }

    /// Its blocks have up to three rows each.
    fn row_forces(&self, _: &[Row], _: f64) -> Vec<RowForce> {
        Vec::new()
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
mod tests;
