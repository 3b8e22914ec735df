//! Questions of a simulation to a solver besides solving: one trait, with an answer of its own where a driver has
//! one.

use crate::block::{EnclosedVolume, Stitch};
use crate::drivers::block::{BlockDriver, Substep};
use crate::drivers::newton::{KeptGrids, NewtonDriver};
use crate::drivers::projective::{ProjectiveDriver, ProjectiveTimes};
use crate::drivers::rows::{RowDriver, RowForce, RowStep};
use crate::energy::ElasticEnergy;
use crate::kinds::Blocks;
use crate::plate::{Plate, PlateState};
use glam::DVec3;
use std::fmt::Debug;
use taffeta_core::lanes::Row;
use taffeta_core::{EdgeIndex, IndexVec, VertexIndex};

/// The sweeps of a substep.
#[derive(Clone, Copy, Debug)]
pub struct Sweeps<'a> {
    /// Length of the substep \[s\].
    pub h: f64,
    /// How many.
    pub count: u32,
    /// Positions at the start of the substep \[m\].
    pub start: &'a [DVec3],
    /// Directions of the sheet beyond clamped edges.
    pub clamps: &'a [DVec3],
}

impl Sweeps<'_> {
    /// The rows with the positions of the start.
    fn rows_at_start(&self, rows: &[Row]) -> Vec<Row> {
        let at = |(row, x): (&Row, &DVec3)| Row { position: x.to_array(), ..*row };
        rows.iter().zip(self.start).map(at).collect()
    }
}

/// A solver with its copy of the elements and what it remembers from substep to substep.
pub trait Driver: Debug + Send + Sync {
    /// Begins a frame, or another step of a search: forgets what only its substeps share.
    fn begin_frame(&mut self) {}

    /// Takes what belongs to broken edges out of its elements.
    fn switch_off(&mut self, _broken: &IndexVec<EdgeIndex, bool>) {}

    /// Takes over the threads of seams, in their order.
    fn set_stitches(&mut self, _stitches: &[Stitch]) {}

    /// Takes over the rest state of a plate whose faces have yielded.
    fn set_rest(&mut self, _plate: &Plate) {}

    /// Takes over scalars and clamps of the plate.
    fn set_plate_state(&mut self, _state: &PlateState) {}

    /// Makes the sweeps of a substep, or all together, followed by `contact`, which may move the rows. Drivers that do not
    /// sweep leave both alone.
    fn make_sweeps(&mut self, _rows: &mut [Row], _sweeps: Sweeps<'_>, _contact: &mut dyn FnMut(&mut [Row])) {}

    /// Enclosed volumes as the driver keeps them; none if it works on those among the blocks.
    fn enclosed_mut(&mut self) -> &mut [EnclosedVolume] {
        &mut []
    }

    /// Angles of the plate's edges \[rad\] that the driver has followed through its substeps; `None`: it follows none.
    fn plate_angles(&self) -> Option<Vec<f64>> {
        None
    }

    /// Scalars of the plate's edges \[rad\], if the driver keeps its own.
    fn plate_scalars(&self) -> Option<Vec<f64>> {
        None
    }

    /// Angles of hinges \[rad\] by their edges, if the driver keeps its own. `hinges` are those of the blocks.
    fn hinge_angles(
        &self,
        _hinges: &[EdgeIndex],
        _x: &IndexVec<VertexIndex, DVec3>,
    ) -> Vec<(EdgeIndex, f64)> {
        Vec::new()
    }

    /// Forces along edges in a substep of length `h` \[s\] by their springs \[N\].
    fn edge_forces(&self, _h: f64) -> Vec<(EdgeIndex, f64)> {
        Vec::new()
    }

    /// Forces of scalar rows in a substep of length `h` \[s\] that has ended with these rows.
    fn row_forces(&self, _rows: &[Row], _h: f64) -> Vec<RowForce> {
        Vec::new()
    }

    /// Elastic energies \[J\] at positions `x` \[m\].
    fn energy(&self, blocks: &Blocks, x: &[DVec3], plate: &PlateState) -> ElasticEnergy {
        blocks.energy(x, plate)
    }

    /// Gradient of the elastic energy \[N\] at positions `x` \[m\].
    fn gradient(&self, blocks: &Blocks, x: &[DVec3], plate: &PlateState) -> Vec<DVec3> {
        let mut gradient = vec![DVec3::ZERO; x.len()];
        blocks.add_gradient(x, plate, &mut gradient);
        gradient
    }

    /// Grids that outlive the topology they were made for.
    fn grids(&self) -> Option<KeptGrids> {
        None
    }

    /// How many times a constant system was factorized.
    fn factorizations(&self) -> usize {
        0
    }

    /// Where the time of a constant system has gone since it was built.
    fn times(&self) -> Option<ProjectiveTimes> {
        None
    }
}

impl Driver for BlockDriver {
    fn make_sweeps(&mut self, rows: &mut [Row], sweeps: Sweeps<'_>, contact: &mut dyn FnMut(&mut [Row])) {
        if self.is_damped() {
            self.begin_substep(&sweeps.rows_at_start(rows));
        }
        self.set_clamps(sweeps.clamps);
        for sweep in 0..sweeps.count {
            self.sweep(rows, Substep::of_count(sweeps.h, sweep, sweeps.count));
            contact(rows);
        }
    }

    fn set_stitches(&mut self, stitches: &[Stitch]) {
        Self::set_stitches(self, stitches);
    }

    fn set_rest(&mut self, plate: &Plate) {
        Self::set_rest(self, plate);
    }

    fn set_plate_state(&mut self, state: &PlateState) {
        Self::set_plate_state(self, state);
    }

    fn enclosed_mut(&mut self) -> &mut [EnclosedVolume] {
        Self::enclosed_mut(self)
    }

    fn plate_angles(&self) -> Option<Vec<f64>> {
        Some(Self::plate_angles(self))
    }

    fn plate_scalars(&self) -> Option<Vec<f64>> {
        Some(self.scalars())
    }

    fn hinge_angles(&self, hinges: &[EdgeIndex], _: &IndexVec<VertexIndex, DVec3>) -> Vec<(EdgeIndex, f64)> {
        hinges.iter().copied().zip(Self::hinge_angles(self, hinges.len())).collect()
    }
}

impl Driver for RowDriver {
    fn make_sweeps(&mut self, rows: &mut [Row], sweeps: Sweeps<'_>, contact: &mut dyn FnMut(&mut [Row])) {
        self.begin_substep(&sweeps.rows_at_start(rows));
        for sweep in 0..sweeps.count {
            self.sweep(rows, RowStep { h: sweeps.h, sweep, sweeps: sweeps.count });
            contact(rows);
        }
    }

    fn switch_off(&mut self, broken: &IndexVec<EdgeIndex, bool>) {
        Self::switch_off(self, broken);
    }

    fn enclosed_mut(&mut self) -> &mut [EnclosedVolume] {
        Self::enclosed_mut(self)
    }

    fn hinge_angles(&self, _: &[EdgeIndex], x: &IndexVec<VertexIndex, DVec3>) -> Vec<(EdgeIndex, f64)> {
        self.angles(x)
    }

    fn edge_forces(&self, h: f64) -> Vec<(EdgeIndex, f64)> {
        Self::edge_forces(self, h)
    }

    fn row_forces(&self, rows: &[Row], h: f64) -> Vec<RowForce> {
        self.forces(rows, h)
    }
}

impl Driver for ProjectiveDriver {
    fn energy(&self, blocks: &Blocks, x: &[DVec3], _: &PlateState) -> ElasticEnergy {
        let energy = Self::energy(self, x);
        let enclosed: f64 = blocks.enclosed.iter().map(|block| block.energy(x)).sum();
        ElasticEnergy { stretch: energy.stretch + enclosed, bend: energy.bend }
    }

    fn gradient(&self, blocks: &Blocks, x: &[DVec3], _: &PlateState) -> Vec<DVec3> {
        let mut gradient = Self::energy(self, x).gradient;
        blocks.enclosed.iter().for_each(|block| block.add_gradient(x, &mut gradient));
        gradient
    }

    fn factorizations(&self) -> usize {
        Self::factorizations(self)
    }

    fn times(&self) -> Option<ProjectiveTimes> {
        Some(Self::times(self))
    }
}

impl Driver for NewtonDriver {
    fn begin_frame(&mut self) {
        Self::begin_frame(self);
    }

    fn set_stitches(&mut self, stitches: &[Stitch]) {
        self.stitches_mut().clone_from_slice(stitches);
    }

    fn set_rest(&mut self, plate: &Plate) {
        Self::set_rest(self, plate);
    }

    fn plate_angles(&self) -> Option<Vec<f64>> {
        Some(self.reference_angles())
    }

    fn grids(&self) -> Option<KeptGrids> {
        Self::grids(self)
    }
}
