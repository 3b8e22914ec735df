//! From a keyed sheet to a dense one and all that is derived from it.

use crate::derive::clock::clamp_normals;
use crate::derive::crossings::record_crossings;
use crate::derive::derived::Derived;
use crate::derive::elements::source::Source;
use crate::derive::world::World;
use crate::model::description::ids::ClothId;
use crate::model::description::{Mode, SimulationSettings, SolverChoice};
use crate::model::setup::{Cloth, Setup};
use crate::model::state::State;
use crate::model::state::asked::Asked;
use crate::model::state::dense::DenseState;
use crate::model::state::sheet::{DenseRules, KeyedSheet, Sheet};
use crate::model::workspace::Workspace;
use std::sync::Arc;
use taffeta_core::lanes::fill_rows;
use taffeta_core::{IndexVec, TopologyEpoch, VertexIndex};
use taffeta_mesh::VertexKey;

/// Makes the keyed form of the sheet, lets `change` edit it and makes the dense form anew.
pub(crate) fn edit(world: &mut World, change: impl FnOnce(&mut KeyedSheet)) {
    let before = world.state.sheet.vertex_keys().clone();
    let mut keyed = world.state.sheet.to_keyed(&world.state.motion);
    change(&mut keyed);
    replace_mesh(world, keyed, &before);
    record_crossings(&world.setup, &world.state, &mut world.derived);
    world.derived.minimize_scalars(&world.state.sheet, &mut world.state.motion);
}

/// Puts the dense form of a mesh in place of the one whose vertices had these keys.
pub(crate) fn replace_mesh(world: &mut World, keyed: KeyedSheet, before: &IndexVec<VertexIndex, VertexKey>) {
    world.state.still = None;
    put_sheet(&world.setup, &mut world.state, &mut world.epoch, keyed);
    keep_grasps(&mut world.state, before);
    derive(&world.setup, &mut world.state, &mut world.derived, &mut world.workspace);
}

/// Takes over a sheet and its motion in place of one that has been edited elsewhere.
pub(crate) fn succeed(world: &mut World, sheet: Sheet, motion: DenseState, epoch: TopologyEpoch) {
    let before = world.state.sheet.vertex_keys().clone();
    world.state.still = None;
    (world.state.sheet, world.state.motion, world.epoch) = (Arc::new(sheet), motion, epoch);
    keep_grasps(&mut world.state, &before);
    derive(&world.setup, &mut world.state, &mut world.derived, &mut world.workspace);
    record_crossings(&world.setup, &world.state, &mut world.derived);
}

/// Takes over a keyed sheet with other cloths than before; `old_place` is where each had its place, if it was there.
pub(crate) fn put_sheet_at(world: &mut World, keyed: KeyedSheet, old_place: impl Fn(usize) -> Option<usize>) {
    let before = world.state.sheet.vertex_keys().clone();
    world.state.wake();
    put_sheet_from(&world.setup, &mut world.state, &mut world.epoch, keyed, old_place);
    world.state.before_change = None;
    world.state.asked = Asked::default();
    world.state.join_groups();
    keep_grasps(&mut world.state, &before);
    rebuild(world);
    world.derived.minimize_scalars(&world.state.sheet, &mut world.state.motion);
}

/// Puts the dense form of a keyed sheet in place of the present one.
pub(crate) fn put_sheet(setup: &Setup, state: &mut State, epoch: &mut TopologyEpoch, keyed: KeyedSheet) {
    put_sheet_from(setup, state, epoch, keyed, Some);
}

fn put_sheet_from(
    setup: &Setup,
    state: &mut State,
    epoch: &mut TopologyEpoch,
    keyed: KeyedSheet,
    old_place: impl Fn(usize) -> Option<usize>,
) {
    *epoch = epoch.next();
    state.looks.clear();
    let (mut sheet, motion) = into_dense(keyed, setup, *epoch);
    sheet.succeed(&state.sheet, *epoch, old_place);
    (state.sheet, state.motion) = (Arc::new(sheet), motion);
}

/// Notes the sheet that was before if cloths have other topologies now; returns their handles.
pub(crate) fn record_changes(setup: &Setup, state: &mut State, before: Arc<Sheet>) -> Vec<ClothId> {
    let now = &state.sheet;
    let has_changed = |cloth: &usize| !now.has_same_mesh(*cloth, &before, *cloth);
    if Arc::ptr_eq(now, &before) {
        return Vec::new();
    }
    let changed = (0..now.cloth_count()).filter(has_changed);
    let changed: Vec<_> = changed.map(|cloth| setup.ids.cloths[cloth]).collect();
    if !changed.is_empty() {
        state.before_change = Some(before);
    }
    changed
}

/// Lets contacts go by the present numbers of the vertices of the mesh, which had these keys.
fn keep_grasps(state: &mut State, before: &IndexVec<VertexIndex, VertexKey>) {
    let after = state.sheet.vertex_keys();
    if state.friction.is_empty() || *before == *after {
        return;
    }
    let mut numbers: Vec<(VertexKey, u32)> = after.iter_indexed().map(|(vi, key)| (*key, vi.0)).collect();
    numbers.sort_unstable();
    let number = |key: VertexKey| {
        let place = numbers.binary_search_by_key(&key, |(key, _)| *key);
        place.ok().map(|place| numbers[place].1)
    };
    let (count_before, count) = (before.len() as u32, after.len() as u32);
    // Loose vertices and those of mesh obstacles come after those of the mesh.
    state.friction.renumber(|vertex| match before.raw.get(vertex as usize) {
        Some(key) => number(*key),
        None => Some(vertex - count_before + count),
    });
}

/// Derives everything anew from the sheet.
pub(crate) fn rebuild(world: &mut World) {
    world.parts.clear();
    world.bounds_of_parts.clear();
    derive(&world.setup, &mut world.state, &mut world.derived, &mut world.workspace);
    record_crossings(&world.setup, &world.state, &mut world.derived);
}

/// Gives cloths with another mesh than in a sheet that they had at some time a number that no topology had before.
pub(crate) fn renumber_topologies(state: &mut State, epoch: &mut TopologyEpoch, present: &Arc<Sheet>) {
    if !Arc::ptr_eq(&state.sheet, present) {
        *epoch = epoch.next();
        Arc::make_mut(&mut state.sheet).succeed(present, *epoch, Some);
    }
}

/// Derives everything anew without looking for crossings: none are known afterwards.
fn derive(setup: &Setup, state: &mut State, derived: &mut Derived, workspace: &mut Workspace) {
    debug_assert_eq!(state.motion.find_misfit(&state.sheet.topology), None);
    let choice = resolve_solver(&setup.settings, state.sheet.topology.vertex_count);
    let kept = derived.retire();
    let source = Source {
        setup,
        sheet: &state.sheet,
        motion: &state.motion,
        time: state.time,
        choice,
        solves: state.groups.is_empty(),
    };
    *derived = Derived::build(source, kept);
    // Those of pins that turn.
    derived.plate.clamps = clamp_normals(setup, &derived.clamps, state.time);
    refill(state, workspace);
}

/// Brings the rows of the workspace in line with the state.
pub(crate) fn refill(state: &mut State, workspace: &mut Workspace) {
    let motion = &state.motion;
    fill_rows(&mut workspace.rows, &motion.positions, &motion.inverse_masses);
    state.last.forget();
}

/// Vertices up to which an equilibrium is searched with a factorization: without inertia, conjugate gradients need many
/// iterations for a stiff cloth that bends.
const MAX_FACTORIZED: usize = 20_000;

/// The solver for a scene: its choice, or what suits it best.
pub(crate) fn resolve_solver(settings: &SimulationSettings, vertices: usize) -> SolverChoice {
    match (settings.solver, settings.mode) {
        // The plain factorization is slower than conjugate gradients.
        (SolverChoice::Auto, Mode::Static) if cfg!(feature = "faer") && vertices <= MAX_FACTORIZED => {
            SolverChoice::Direct
        }
        (SolverChoice::Auto, _) => SolverChoice::Global,
        (choice, _) => choice,
    }
}

/// Makes the dense form by the rules of the cloths and the pins.
pub(crate) fn into_dense(keyed: KeyedSheet, setup: &Setup, epoch: TopologyEpoch) -> (Sheet, DenseState) {
    let Setup { cloths, solids, pins, .. } = setup;
    let models: Vec<_> = cloths.iter().map(Cloth::model).collect();
    let has_one_chart: Vec<_> = cloths.iter().map(|c| c.has_one_chart).collect();
    let axes: Vec<_> = pins.iter().map(|pin| pin.description.axes).collect();
    let rules = DenseRules { models: &models, has_one_chart: &has_one_chart, axes: &axes, solids };
    keyed.into_dense(rules, epoch)
}
