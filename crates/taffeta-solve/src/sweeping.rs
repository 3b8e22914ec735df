//! Sweeps of a substep, and the drivers that make them.
//!
//! In a substep a world sets the threads and the targets of volumes, makes the sweeps, and reads the pressures. After it, a world asks for
//! forces of springs that may break and for angles of faces that may yield. Before an edit it asks for the scalars and angles that
//! are to outlive the driver, and gives them to the one that is built afterwards.

use crate::block::{EnclosedVolume, Stitch};
use crate::drivers::rows::RowForce;
use crate::plate::{Plate, PlateState};
use glam::DVec3;
use std::fmt::Debug;
use taffeta_core::lanes::Row;
use taffeta_core::{EdgeIndex, IndexVec};

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
    pub(crate) fn rows_at_start(&self, rows: &[Row]) -> Vec<Row> {
        let at = |(row, x): (&Row, &DVec3)| Row { position: x.to_array(), ..*row };
        rows.iter().zip(self.start).map(at).collect()
    }
}

/// A driver that sweeps over its elements one after the other, with contact in between. Who sweeps answers every question here: a new
/// driver does not compile before it does.
pub trait Sweeping: Debug + Send + Sync {
    /// Makes the sweeps of a substep, each followed by `contact`, which may move the rows.
    fn make_sweeps(&mut self, rows: &mut [Row], sweeps: Sweeps<'_>, contact: &mut dyn FnMut(&mut [Row]));

    /// Enclosed volumes as the driver keeps them: their targets are set before the sweeps, their pressures known after them.
    fn enclosed_mut(&mut self) -> &mut [EnclosedVolume];

    /// Takes springs that have broken, by their edges, out of all later sweeps.
    fn switch_off(&mut self, broken: &IndexVec<EdgeIndex, bool>);

    /// Takes over the threads of seams, in their order.
    fn set_stitches(&mut self, stitches: &[Stitch]);

    /// Takes over the rest state of a plate whose faces have yielded.
    fn set_rest(&mut self, plate: &Plate);

    /// Takes over scalars and clamps of the plate.
    fn set_plate_state(&mut self, state: &PlateState);

    /// Scalars of the plate's edges \[rad\]; `None`: the driver knows no plate.
    fn plate_scalars(&self) -> Option<Vec<f64>>;

    /// Unwrapped angles of the plate's edges that the driver has followed through its substeps, hinges included \[rad\]; `None` as before.
    fn plate_angles(&self) -> Option<Vec<f64>>;

    /// Angles of hinges at positions `x` \[m\], continued from the last sweep \[rad\], by their edges. `hinges` are those of the blocks.
    fn hinge_angles(&self, hinges: &[EdgeIndex], x: &[DVec3]) -> Vec<(EdgeIndex, f64)>;

    /// Forces \[N\] along edges in a substep of length `h` \[s\] by their springs.
    fn edge_forces(&self, h: f64) -> Vec<(EdgeIndex, f64)>;

    /// Forces of scalar rows in a substep of length `h` \[s\] that has ended with these rows of vertices.
    fn row_forces(&self, rows: &[Row], h: f64) -> Vec<RowForce>;
}
