//! When which cloths are remeshed, and which have to wait.

use crate::adapt::calm::{is_calm, record_looks};
use crate::adapt::energy::{pay_energies, record_energies};
use crate::adapt::pass::remesh_cloths;
use crate::derive::rebuild::record_changes;
use crate::derive::snapshot::{go_back, note};
use crate::derive::solver_facts::stores_energy;
use crate::derive::world::World;
use crate::measure::energy::{measure, measure_jumps};
use crate::model::report::{RemeshCounts, RemeshJumps};
use crate::model::setup::Setup;
use crate::model::state::State;
use crate::model::state::asked::Asked;
use std::sync::Arc;
use taffeta_mesh::VertexKey;
use taffeta_remesh::Metric;

/// Remeshes the cloths whose interval is over, one pass for each interval, on the world's own threads. With the
/// [popping](crate::report::RemeshJumps::popping).
pub(crate) fn remesh_if_due(world: &mut World) -> (RemeshCounts, f64) {
    world.pool.clone().install(|| remesh_due_cloths(world))
}

/// Makes a pass over every cloth that is remeshed, also if none is due. `elapsed` stands for the time since the last pass
/// \[s\]: wanted sizes grow back with it. Returns the edits, and what they did to the state.
pub(crate) fn remesh_now(world: &mut World, elapsed: f64) -> (RemeshCounts, RemeshJumps) {
    let chosen: Vec<bool> = world.setup.cloths.iter().map(|cloth| cloth.remesh.is_some()).collect();
    let (before, sheet) = (measure(world), Arc::clone(&world.state.sheet));
    let passed = world.state.last_passes.iter_mut().zip(&chosen).filter(|(_, chosen)| **chosen);
    passed.for_each(|(last, _)| *last = world.state.time - elapsed);
    world.state.asked = Asked::begin(&world.state.sheet, &world.state.motion.metrics);
    let (counts, popping) = world.pool.clone().install(|| remesh_or_wait(world, chosen, &[]));
    let jumps = measure_jumps(world, &before, &counts, popping);
    world.state.wake();
    record_changes(&world.setup, &mut world.state, sheet);
    (counts, jumps)
}

/// Returns whether a cloth is due for remeshing after this frame.
fn is_due(setup: &Setup, state: &State, cloth: usize) -> bool {
    let settings = setup.cloths[cloth].remesh;
    settings.is_some_and(|settings| state.frame.is_multiple_of(u64::from(settings.interval.max(1))))
}

/// Notes that the cloths that are due have been looked at: none is to be changed.
pub(crate) fn record_passes(setup: &Setup, state: &mut State) {
    for cloth in 0..setup.cloths.len() {
        if is_due(setup, state, cloth) {
            state.last_passes[cloth] = state.time;
        }
    }
}

/// Makes a pass over the cloths that are due, and neither asleep nor [calm](crate::adapt::calm); again without those that would have to
/// [wait](crate::adapt::energy).
fn remesh_due_cloths(world: &mut World) -> (RemeshCounts, f64) {
    let due: Vec<bool> =
        (0..world.setup.cloths.len()).map(|cloth| is_due(&world.setup, &world.state, cloth)).collect();
    let asleep: Vec<bool> = (0..due.len()).map(|cloth| due[cloth] && world.state.sleeps(cloth)).collect();
    let time = world.state.time;
    let passed = world.state.last_passes.iter_mut().zip(&asleep).filter(|(_, asleep)| **asleep);
    passed.for_each(|(last, _)| *last = time);
    let is_due = (0..due.len()).map(|cloth| due[cloth] && !asleep[cloth] && !is_calm(world, cloth)).collect();
    remesh_or_wait(world, is_due, &[])
}

/// Makes a pass over the cloths that are due and have any of the vertices for which metrics are wanted, as their shapes and these
/// ask for it.
pub(crate) fn remesh_wanted(world: &mut World, wanted: &[(VertexKey, Metric)]) -> (RemeshCounts, f64) {
    let numbers = world.state.sheet.vertex_indices();
    let mut is_due = vec![false; world.setup.cloths.len()];
    for vi in wanted.iter().filter_map(|(v, _)| numbers.get(*v)) {
        let cloth = world.state.sheet.vertex_cloths[*vi] as usize;
        is_due[cloth] = is_due[cloth] || self::is_due(&world.setup, &world.state, cloth);
    }
    remesh_or_wait(world, is_due, wanted)
}

/// Makes a pass over some of the cloths; again without those that would have to wait.
fn remesh_or_wait(
    world: &mut World,
    mut is_due: Vec<bool>,
    wanted: &[(VertexKey, Metric)],
) -> (RemeshCounts, f64) {
    let looked_at = is_due.clone();
    let mut waiting = vec![false; is_due.len()];
    while is_due.contains(&true) {
        let budget = record_energies(world);
        let free = budget.find_free(world.setup.cloths.len());
        let may_wait = stores_energy(world) && is_due.iter().zip(&free).any(|(due, free)| *due && *free);
        let before = may_wait.then(|| note(world));
        let outcome = remesh_cloths(world, &is_due, &budget, wanted);
        if outcome.0.splits + outcome.0.collapses + outcome.0.flips == 0 {
            record_looks(&mut world.state, &looked_at, &waiting);
            return outcome;
        }
        if !stores_energy(world) {
            return outcome;
        }
        let is_unpaid = pay_energies(&world.setup, &mut world.state, &world.derived, &budget, &is_due);
        let waits: Vec<bool> = is_unpaid.iter().zip(&free).map(|(unpaid, free)| *unpaid && *free).collect();
        let Some(before) = before.filter(|_| waits.contains(&true)) else { return outcome };
        is_due.iter_mut().zip(&waits).for_each(|(due, waits)| *due &= !waits);
        waiting.iter_mut().zip(&waits).for_each(|(waiting, waits)| *waiting |= waits);
        go_back(world, before);
    }
    record_looks(&mut world.state, &looked_at, &waiting);
    (RemeshCounts::default(), 0.0)
}
