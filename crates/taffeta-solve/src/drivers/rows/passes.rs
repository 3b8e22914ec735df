//! The passes of the row driver over the list of kinds.

use super::batches::RowSet;
use super::element::{RowElement, RowForce};
use super::law::{RowLaw, RowStep};
use crate::block::EnclosedVolume;
use crate::drivers::enclosed::EnclosedSweeps;
use crate::kinds::{Build, Kind, Part, Storage, Visitor, VisitorMut};
use crate::plate::Plate;
use taffeta_core::lanes::Row;
use taffeta_core::{EdgeIndex, VertexIndex};

/// Every kind as scalar rows.
#[derive(Clone, Copy, Debug)]
pub(super) struct ScalarRowSets;

impl Storage for ScalarRowSets {
    type Of<const R: usize, const V: usize, B: Kind<R, V>> = B::Rows;
    type Plate = ();
    type Volumes = EnclosedSweeps;
}

/// Group of a block, for the choice of its law.
pub(super) struct Owner {
    pub edge: Option<EdgeIndex>,
    pub vertex: VertexIndex,
    pub part: Part,
}

/// Makes rows of all blocks. `law` gives that of projections; `None`: springs.
pub(super) struct Packing<L> {
    pub law: L,
    pub vertex_count: usize,
    /// True if any set shares out work.
    pub sweeps_in_parallel: bool,
}

impl<L: Fn(Owner) -> Option<RowLaw>> Build<ScalarRowSets> for Packing<L> {
    fn build<const R: usize, const V: usize, B: Kind<R, V>>(&mut self, blocks: &[B]) -> B::Rows {
        let row = |block: &B| {
            let owner = Owner { edge: block.edge(), vertex: block.vertices()[0], part: B::PART };
            match (self.law)(owner) {
                Some(law) => RowElement::new(block.clone(), law),
                None => RowElement::compliant(block.clone()),
            }
        };
        let elements: Vec<_> = blocks.iter().map(row).collect();
        let set = B::Rows::build(&elements, self.vertex_count);
        self.sweeps_in_parallel |= set.sweeps_in_parallel();
        set
    }

    fn plate(&mut self, _: &Plate) {}

    fn volumes(&mut self, volumes: &[EnclosedVolume]) -> EnclosedSweeps {
        EnclosedSweeps::new(volumes)
    }
}

/// Notes the start of a substep.
pub(super) struct Begin<'a> {
    pub rows: &'a [Row],
}

impl VisitorMut<ScalarRowSets> for Begin<'_> {
    fn visit<const R: usize, const V: usize, B: Kind<R, V>>(&mut self, set: &mut B::Rows) {
        set.begin_substep(self.rows);
    }
}

/// One sweep.
pub(super) struct Sweep<'a> {
    pub rows: &'a mut [Row],
    pub step: &'a RowStep,
}

impl VisitorMut<ScalarRowSets> for Sweep<'_> {
    fn visit<const R: usize, const V: usize, B: Kind<R, V>>(&mut self, set: &mut B::Rows) {
        set.sweep(self.rows, self.step);
    }

    fn volumes(&mut self, volumes: &mut EnclosedSweeps) {
        volumes.sweep(self.rows, self.step.h, self.step.sweep == 0);
    }
}

/// Lists the forces of all rows.
pub(super) struct Forces<'a> {
    pub rows: &'a [Row],
    /// Length of the substep \[s\].
    pub h: f64,
    pub out: Vec<RowForce>,
}

impl Visitor<ScalarRowSets> for Forces<'_> {
    fn visit<const R: usize, const V: usize, B: Kind<R, V>>(&mut self, set: &B::Rows) {
        self.out.extend(set.forces(self.rows, self.h));
    }
}
