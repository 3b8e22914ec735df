//! Snapshots: rollback of an edit, a substep or a step that is refused or fails.

use crate::derive::crossings::{PairBounds, bounds, resume_pairs};
use crate::derive::rebuild::rebuild;
use crate::derive::world::World;
use crate::model::report::SafeguardReport;
use crate::model::state::State;
use crate::model::workspace::Inputs;
use taffeta_solve::PlateState;
use taffeta_solve::block::Stitch;

/// All that an edit, a substep or a step changes before it can still fail.
#[derive(Clone, Debug)]
pub(crate) struct Snapshot {
    state: State,
    inputs: Inputs,
    safeguard: SafeguardReport,
    /// Of the solver; the state has the scalars of the start of the step only.
    plate: PlateState,
    /// Threads of the open seams with their present reach.
    threads: Vec<Stitch>,
    bounds: PairBounds,
}

/// Snapshot to which [`go_back`] returns.
pub(crate) fn note(world: &World) -> Snapshot {
    Snapshot {
        state: world.state.clone(),
        inputs: world.inputs.clone(),
        safeguard: world.safeguard.clone(),
        plate: world.derived.plate.clone(),
        threads: world.derived.blocks.stitches.clone(),
        bounds: bounds(world),
    }
}

/// Snapshot from which [`go_back`] undoes a substep. The contacts of the last substep are not kept: the next one
/// finds its own.
pub(crate) fn take_snapshot(world: &mut World) -> Snapshot {
    let contacts = std::mem::take(&mut world.state.last.contacts);
    let snapshot = note(world);
    world.state.last.contacts = contacts;
    snapshot
}

/// Puts back the whole state and derives everything anew: no part of what has failed stays.
pub(crate) fn go_back(world: &mut World, snapshot: Snapshot) {
    let Snapshot { mut state, inputs, safeguard, plate, threads, bounds } = snapshot;
    let last = std::mem::take(&mut state.last);
    (world.state, world.inputs, world.safeguard) = (state, inputs, safeguard);
    // Solver and detector have memories of their own, which the failed step has touched.
    resume(world, bounds);
    world.derived.plate = plate;
    put_threads(&mut world.derived.blocks.stitches, &threads);
    world.state.last = last;
}

/// Derives everything anew from a state that is put in place; the search for pairs goes on from these bounds.
pub(crate) fn resume(world: &mut World, bounds: PairBounds) {
    rebuild(world);
    let World { state, derived, bounds_of_parts, .. } = world;
    resume_pairs(&state.sheet, &mut derived.proximity, bounds_of_parts, bounds);
}

/// Lets the threads of seams reach as far as before.
pub(crate) fn put_threads(stitches: &mut [Stitch], threads: &[Stitch]) {
    stitches.iter_mut().zip(threads).for_each(|(stitch, before)| stitch.reach = before.reach);
}
