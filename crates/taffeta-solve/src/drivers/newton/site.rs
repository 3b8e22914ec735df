//! Where the sheets of a driver lie.

use super::precondition::grid::Charts;
use glam::DVec3;

/// Where a sheet is and what presses on it.
#[derive(Clone, Copy, Debug)]
pub struct Site<'a> {
    /// A point of every vertex in material space, or at rest \[m\]: for the order of elimination.
    pub points: &'a [DVec3],
    /// Where the vertices of cloths of several panels lie on the charts of these, for the coarse grids; `None`: as `points`.
    pub charts: Option<Charts<'a>>,
    /// Pressure on every face \[Pa\]; empty: none.
    pub face_pressures: &'a [f64],
    /// Number of rigid bodies that move by themselves, see [`Carrier`](super::Carrier).
    pub bodies: usize,
}
