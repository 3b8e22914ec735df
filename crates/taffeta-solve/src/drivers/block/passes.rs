//! The passes of the block driver over the list of kinds.

use super::plate::PlateSweeps;
use super::sets::SweptSet;
use crate::block::EnclosedVolume;
use crate::drivers::enclosed::EnclosedSweeps;
use crate::drivers::lanes::SweepStep;
use crate::kinds::{Build, Kind, Storage, VisitorMut};
use crate::plate::Plate;
use taffeta_core::lanes::Row;

/// Every kind colored and packed.
#[derive(Clone, Copy, Debug)]
pub(super) struct Sweeps;

impl Storage for Sweeps {
    type Of<const R: usize, const V: usize, B: Kind<R, V>> = B::Swept;
    type Plate = PlateSweeps;
    type Volumes = EnclosedSweeps;
}

/// Colors and packs, and finds out what the sets do.
pub(super) struct Packing {
    pub vertex_count: usize,
    /// True if any set has something to note at the start of a substep.
    pub notes_start: bool,
    /// True if any set shares out work.
    pub sweeps_in_parallel: bool,
}

impl Build<Sweeps> for Packing {
    fn build<const R: usize, const V: usize, B: Kind<R, V>>(&mut self, blocks: &[B]) -> B::Swept {
        let set = B::Swept::build(blocks, self.vertex_count);
        self.notes_start |= set.notes_start();
        self.sweeps_in_parallel |= set.sweeps_in_parallel();
        set
    }

    fn plate(&mut self, plate: &Plate) -> PlateSweeps {
        let sweeps = PlateSweeps::build(plate, self.vertex_count);
        self.notes_start |= sweeps.is_damped;
        self.sweeps_in_parallel |= sweeps.sweeps_in_parallel();
        sweeps
    }

    fn volumes(&mut self, volumes: &[EnclosedVolume]) -> EnclosedSweeps {
        EnclosedSweeps::new(volumes)
    }
}

/// Notes the start of a substep.
pub(super) struct Begin<'a> {
    pub rows: &'a [Row],
}

impl VisitorMut<Sweeps> for Begin<'_> {
    fn visit<const R: usize, const V: usize, B: Kind<R, V>>(&mut self, set: &mut B::Swept) {
        set.begin_substep(self.rows);
    }

    fn plate(&mut self, plate: &mut PlateSweeps) {
        plate.begin_substep(self.rows);
    }
}

/// Sweeps over all but the enclosed volumes.
pub(super) struct Sweep<'a> {
    pub rows: &'a mut [Row],
    pub step: &'a SweepStep,
}

impl VisitorMut<Sweeps> for Sweep<'_> {
    fn visit<const R: usize, const V: usize, B: Kind<R, V>>(&mut self, set: &mut B::Swept) {
        set.sweep(self.rows, self.step);
    }

    fn plate(&mut self, plate: &mut PlateSweeps) {
        plate.sweep(self.rows, self.step);
    }
}
