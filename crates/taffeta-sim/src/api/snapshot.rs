//! Snapshots for a caller: a state to return to within the same program, as a planner or a game that rewinds needs it.

use crate::api::settings::{refuse, weigh_anew};
use crate::derive::rebuild::renumber_topologies;
use crate::derive::snapshot::{Snapshot, go_back, note};
use crate::derive::world::World;
use crate::model::description::ids::BodyIds;
use crate::model::report::error::BuildError;
use crate::model::setup::Cloth;
use crate::model::setup::drives::Drives;
use std::sync::Arc;
use taffeta_solve::ClothModel;

/// See [`World::snapshot`].
#[derive(Clone, Debug)]
pub struct WorldSnapshot {
    snapshot: Snapshot,
    drives: Drives,
    ids: BodyIds,
    /// Models of the cloths, which settle the masses in the state.
    models: Vec<ClothModel>,
}

/// See [`World::snapshot`].
pub(crate) fn take(world: &World) -> WorldSnapshot {
    let ids = world.setup.ids.clone();
    WorldSnapshot { snapshot: note(world), drives: Drives::of(&world.setup), ids, models: models(world) }
}

/// See [`World::return_to`].
pub(crate) fn return_to(world: &mut World, from: &WorldSnapshot) -> Result<(), BuildError> {
    let WorldSnapshot { snapshot, drives, ids, models: models_then } = from.clone();
    let reason = (ids != world.setup.ids)
        .then(|| "cloths or obstacles were added or removed since, or it is of another world".to_owned());
    refuse("the snapshot", reason.or_else(|| drives.find_defect(&world.setup)))?;
    drives.put(&mut world.setup);
    world.workspace.placed.forget();
    let present = Arc::clone(&world.state.sheet);
    go_back(world, snapshot);
    renumber_topologies(&mut world.state, &mut world.epoch, &present);
    if models_then != models(world) {
        weigh_anew(world);
    }
    Ok(())
}

fn models(world: &World) -> Vec<ClothModel> {
    world.setup.cloths.iter().map(Cloth::model).collect()
}
