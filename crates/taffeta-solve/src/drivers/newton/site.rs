//! Layout of the sheets of a driver.

use super::precondition::grid::Charts;
use glam::DVec3;

/// Layout of a sheet, and the pressure on it.
#[derive(Clone, Copy, Debug)]
pub struct Site<'a> {
    /// A point of every vertex in material space, or at rest \[m\]: for the order of elimination.
    pub points: &'a [DVec3],
    /// Positions of the vertices of cloths of several panels on the charts of these, for the coarse grids; `None`: as `points`.
    pub charts: Option<Charts<'a>>,
    /// Pressure on every face \[Pa\]; empty: none.
    pub face_pressures: &'a [f64],
    /// Number of rigid bodies that move by themselves, see [`Carrier`](super::Carrier).
    pub bodies: usize,
}
