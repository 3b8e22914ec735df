//! Drivers: solvers that run over the blocks.

pub mod block;
mod enclosed;
pub mod newton;
pub mod projective;
pub mod rows;

use glam::DVec3;
use taffeta_core::lanes::Vec3x4;

/// The positions of one lane.
#[inline]
pub(crate) fn lane_of<const V: usize>(x: &[Vec3x4; V], lane: usize) -> [DVec3; V] {
    x.map(|x| DVec3::new(x.x.0[lane], x.y.0[lane], x.z.0[lane]))
}
