//! A motion over a substep, and how much of its distance a pair keeps on the way.

use glam::DVec3;

/// The share of its distance, at most, that a pair may use up that is closer than the separation asked for.
const SPENT_SHARE: f64 = 0.5;

/// The motion of all vertices over a substep.
#[derive(Clone, Copy, Debug)]
pub struct Path<'a> {
    /// Positions at its start \[m\], where no pair may cross.
    pub start: &'a [DVec3],
    /// Displacements over it \[m\].
    pub moves: &'a [DVec3],
    /// The part of its displacement \[m\] that each vertex keeps however much it is shortened; empty: none.
    pub frames: &'a [DVec3],
    /// Vertices that cannot be stopped: pins and obstacles.
    pub prescribed: &'a [bool],
}

impl Path<'_> {
    /// The displacement of a vertex that is shortened as far as can be \[m\].
    pub(crate) fn kept(&self, v: u32) -> DVec3 {
        let v = v as usize;
        if self.prescribed[v] { self.moves[v] } else { self.frames.get(v).copied().unwrap_or_default() }
    }

    /// The frame of an element or a pair: that of its vertices that can be stopped \[m\]. `None` if they have several: such a pair
    /// cannot meet.
    pub(crate) fn frame(&self, vertices: &[u32]) -> Option<DVec3> {
        let mut free = vertices.iter().filter(|v| !self.prescribed[**v as usize]);
        let first = free.next().map_or(DVec3::ZERO, |v| self.kept(*v));
        free.all(|v| self.kept(*v) == first).then_some(first)
    }
}

/// The distance that a pair keeps that should keep `separation` \[m\]. A pair that is nearer may still move, but less and
/// less. If it could always go half the way, only round-off would be left of the distance after a few dozen substeps.
pub(crate) fn keep(separation: f64, distance: f64) -> f64 {
    let spent = SPENT_SHARE * distance * distance / (distance + separation);
    if distance > 0.0 { separation.min(distance - spent) } else { 0.0 }
}
