//! Snapshots: what a step or a substep that fails goes back to.

use crate::derive::crossings::{bounds, resume_pairs};
use crate::derive::rebuild::rebuild;
use crate::derive::world::World;
use crate::model::report::SafeguardReport;
use crate::model::scratch::Inputs;
use crate::model::state::State;
use taffeta_contact::MotionBounds;
use taffeta_solve::PlateState;

/// All that a step or a substep changes before it can still fail.
#[derive(Clone, Debug)]
pub(crate) struct Snapshot {
    state: State,
    inputs: Inputs,
    safeguard: SafeguardReport,
    /// Of the solver; the state has the scalars of the start of the step only.
    plate: PlateState,
    bounds: Option<MotionBounds>,
}

/// Snapshot from which [`go_back`] undoes a step.
pub(crate) fn note(world: &World) -> Snapshot {
    Snapshot {
        state: world.state.clone(),
        inputs: world.inputs.clone(),
        safeguard: world.safeguard.clone(),
        plate: world.derived.plate.clone(),
        bounds: bounds(world),
    }
}

/// Snapshot from which [`go_back`] undoes a substep. The contacts of the last substep are not kept: the next one
/// finds its own.
pub(crate) fn note_substep(world: &mut World) -> Snapshot {
    let contacts = std::mem::take(&mut world.state.last.contacts);
    let snapshot = note(world);
    world.state.last.contacts = contacts;
    snapshot
}

/// Puts back what a failed step has changed.
pub(crate) fn go_back(world: &mut World, snapshot: Snapshot) {
    let Snapshot { mut state, inputs, safeguard, plate, bounds } = snapshot;
    let last = std::mem::take(&mut state.last);
    (world.state, world.inputs, world.safeguard) = (state, inputs, safeguard);
    // Solver and detector have memories of their own, which the failed step has touched.
    rebuild(world);
    world.derived.plate = plate;
    resume_pairs(world, bounds);
    world.state.last = last;
}
