//! Volumes that closed cloths enclose and keep: cushions and balloons.
//!
//! The target of every closed component is its volume when its cloth came into the world, times a ratio that is reached in
//! the course of the inflation. It follows from the time and from when the cloth came.

use crate::derive::elements::volumes::EnclosedLaw;
use crate::derive::world::World;
use glam::DVec3;
use taffeta_solve::block::EnclosedVolume;

/// Gives the enclosed volumes among the blocks the targets at the end of the substep, which is a time \[s\].
pub(crate) fn set_volume_targets(laws: &[EnclosedLaw], volumes: &mut [EnclosedVolume], time: f64) {
    for (law, volume) in laws.iter().zip(volumes) {
        volume.target = law.target(time);
    }
}

/// Returns whether a volume is to change between two times \[s\].
pub(crate) fn inflates_between(world: &World, start: f64, end: f64) -> bool {
    world.derived.enclosed.iter().any(|law| law.target(start) != law.target(end))
}

/// State of the closed components of cloths that keep a volume: cloth, volume now and volume asked for \[m³\], pressure
/// above that outside \[Pa\]. The pressure is that of the last substep, and as exact as the substep has converged. With too
/// few substeps for the stiffness of the cloth it is too small, as if the cloth were softer.
pub fn enclosed_volumes(world: &World) -> Vec<EnclosedState> {
    let x: &[DVec3] = &world.state.motion.positions.raw;
    let each = world.derived.enclosed.iter().zip(&world.derived.blocks.enclosed);
    let state = |(law, block): (&EnclosedLaw, &EnclosedVolume)| {
        let side = law.start.signum();
        EnclosedState {
            cloth: law.cloth,
            volume: side * block.volume(&block.gather(x)),
            target: side * block.target,
            pressure: side * block.pressure,
        }
    };
    each.map(state).collect()
}

/// State of the inside of a closed component of a cloth.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct EnclosedState {
    /// The number of the cloth.
    pub cloth: usize,
    /// The volume \[m³\].
    pub volume: f64,
    /// The volume asked for \[m³\].
    pub target: f64,
    /// Pressure inside above that outside \[Pa\].
    pub pressure: f64,
}
