//! Cloths that are being sewn.

use crate::derive::elements::open_seams::{sewn_at, weightless_at};
use crate::derive::facts::Facts;
use crate::derive::world::World;
use crate::model::setup::seams::SeamLaw;

/// The age of the cloth of a seam \[s\], from which the times of its law count.
pub(crate) fn age(world: &World, law: &SeamLaw) -> f64 {
    world.setup.cloths[law.cloth].age(world.state.time)
}

/// The cloths that are being sewn now.
pub(crate) fn sewn_cloths(facts: Facts<'_>) -> Vec<bool> {
    sewn_at(facts.setup, &facts.state.sheet, facts.state.time)
}

/// Those of them that are sewn without gravity.
pub(crate) fn weightless_cloths(world: &World) -> Vec<bool> {
    weightless_at(&world.setup, &world.state.sheet, world.state.time)
}
