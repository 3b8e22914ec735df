//! Sweeps of a substep, and the drivers that make them.

use crate::block::EnclosedVolume;
use crate::drivers::block::{BlockDriver, Substep};
use crate::drivers::rows::{RowDriver, RowStep};
use glam::DVec3;
use taffeta_core::lanes::Row;

/// The sweeps of a substep.
#[derive(Clone, Copy, Debug)]
pub struct Sweeps<'a> {
    /// Length of the substep \[s\].
    pub h: f64,
    /// Number of sweeps.
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

/// A driver that sweeps over its elements one after the other, with contact in between.
pub trait Sweeping {
    /// Makes the sweeps of a substep, each followed by `contact`, which may move the rows.
    fn make_sweeps(&mut self, rows: &mut [Row], sweeps: Sweeps<'_>, contact: &mut dyn FnMut(&mut [Row]));

    /// Enclosed volumes as the driver keeps them: their targets are set before the sweeps, their pressures known after them.
    fn enclosed_mut(&mut self) -> &mut [EnclosedVolume];
}

impl Sweeping for BlockDriver {
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

    fn enclosed_mut(&mut self) -> &mut [EnclosedVolume] {
        Self::enclosed_mut(self)
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
}
