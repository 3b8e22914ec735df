//! Cloths that are being sewn.

use crate::derive::world::World;
use crate::model::seams::SeamLaw;

/// Time after that of a seam, relative to it, for which a seam that does not close counts as being sewn. Such cloth slides
/// without friction and is computed with a looser tolerance, which must not go on forever.
const PATIENCE: f64 = 2.0;

/// The age of the cloth of a seam \[s\], from which the times of its law count.
pub(crate) fn age(world: &World, law: &SeamLaw) -> f64 {
    world.setup.cloths[law.cloth].age(world.state.time)
}

/// The cloths that are being sewn: one of their seams is open, and not late by far.
pub(crate) fn sewn_cloths(world: &World) -> Vec<bool> {
    let mut are_sewn = vec![false; world.setup.cloths.len()];
    for (law, state) in world.setup.seams.iter().zip(&world.state.sheet.sewing.seams) {
        are_sewn[law.cloth] |= state.closed.is_none() && law.lateness(age(world, law)) < PATIENCE;
    }
    are_sewn
}
