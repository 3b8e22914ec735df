//! Snapshots for a caller: a state to return to within the same program, as a planner or a game that rewinds needs it.

use crate::change::refuse;
use crate::derive::world::World;
use crate::model::drives::Drives;
use crate::model::error::BuildError;
use crate::model::ids::BodyIds;
use crate::step::snapshot::{Snapshot, go_back, note};

/// See [`World::snapshot`].
#[derive(Clone, Debug)]
pub struct WorldSnapshot {
    snapshot: Snapshot,
    drives: Drives,
    ids: BodyIds,
}

/// See [`World::snapshot`].
pub(crate) fn take(world: &World) -> WorldSnapshot {
    let ids = world.setup.ids.clone();
    WorldSnapshot { snapshot: note(world), drives: Drives::of(&world.setup), ids }
}

/// See [`World::return_to`].
pub(crate) fn return_to(world: &mut World, from: &WorldSnapshot) -> Result<(), BuildError> {
    let WorldSnapshot { snapshot, drives, ids } = from.clone();
    let reason = (ids != world.setup.ids)
        .then(|| "cloths or obstacles were added or removed since, or it is of another world".to_owned());
    refuse("the snapshot", reason.or_else(|| drives.find_defect(&world.setup)))?;
    drives.put(&mut world.setup);
    world.scratch.placed.forget();
    go_back(world, snapshot);
    Ok(())
}
