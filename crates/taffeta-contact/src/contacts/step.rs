//! A substep as contact sees it.

use crate::ccd::path::Path;
use crate::ccd::shape_limits::MovingShape;
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

impl<'a> Step<'a> {
    /// The motion of all vertices by these displacements, in frames \[m\].
    pub(crate) fn path(self, moves: &'a [DVec3], frames: &'a [DVec3]) -> Path<'a> {
        Path { start: self.start, moves, frames, prescribed: self.prescribed }
    }

    /// The end of a vertex that makes a fraction of its motion in its frame \[m\]; all of it, bit by bit.
    pub(crate) fn stop(self, v: usize, fraction: f64, Path { start, moves, frames, .. }: Path<'_>) -> DVec3 {
        if fraction == 1.0 { self.end[v] } else { start[v] + (frames[v] + (moves[v] - frames[v]) * fraction) }
    }
}
