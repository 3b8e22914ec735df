//! A substep as contact sees it.

use crate::ccd::guard::MovingShape;
use glam::DVec3;

/// The positions of all vertices over a substep \[m\]: cloths first, then obstacles.
#[derive(Clone, Copy, Debug)]
pub struct Step<'a> {
    /// At its start.
    pub start: &'a [DVec3],
    /// At its end, as predicted or as proposed.
    pub end: &'a [DVec3],
    /// Velocities at its start \[m/s\].
    pub velocities: &'a [DVec3],
    /// True for each vertex that cannot be stopped.
    pub prescribed: &'a [bool],
    /// Time at the start \[s\].
    pub time: f64,
    /// Length \[s\].
    pub h: f64,
    /// Obstacles in closed form.
    pub shapes: &'a [MovingShape<'a>],
}
