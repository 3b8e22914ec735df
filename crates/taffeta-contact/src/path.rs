//! A motion over a substep, and how much of its distance a pair keeps on the way.

use glam::DVec3;

/// The share of its distance, at most, that a pair may use up that is closer than the separation asked for.
const SPENT_SHARE: f64 = 0.5;

/// The motion of all vertices over a substep.
#[derive(Clone, Copy, Debug)]
pub struct Path<'a> {
    /// Positions at its start \[m\], where no pair may cross.
    pub start: &'a [DVec3],
    /// Displacements over it \[m\], relative to a common one of all bodies that can meet.
    pub moves: &'a [DVec3],
    /// Vertices that cannot be stopped: pins and obstacles.
    pub prescribed: &'a [bool],
}

/// The distance that a pair keeps that should keep `separation` \[m\]. One that is nearer may still move, but less and
/// less: if it could always go half the way, round-off would be all that is left after a few dozen substeps.
pub(crate) fn keep(separation: f64, distance: f64) -> f64 {
    let spent = SPENT_SHARE * distance * distance / (distance + separation);
    if distance > 0.0 { separation.min(distance - spent) } else { 0.0 }
}
