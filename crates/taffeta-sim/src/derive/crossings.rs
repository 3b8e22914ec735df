//! Present crossings, and bodies that can cross.

use crate::derive::derived::Derived;
use crate::derive::world::{ExpectedBounds, Part, Versions, World};
use crate::model::setup::Setup;
use crate::model::state::State;
use crate::model::state::sheet::Sheet;
use glam::DVec3;
use serde::{Deserialize, Serialize};
use taffeta_contact::crossings::Crossing;
use taffeta_contact::proximity::Proximity;
use taffeta_contact::shape::WorldShape;
use taffeta_contact::{MeshObstacle, MotionBounds};
use taffeta_core::VertexIndex;

/// The faces of all mesh obstacles at the present time \[m\].
pub(crate) fn mesh_faces(world: &World) -> Vec<[DVec3; 3]> {
    let of_mesh = |mesh: &MeshObstacle| {
        let x = mesh.positions_at(world.state.time);
        mesh.faces.iter().map(|face| face.map(|v| x[v as usize])).collect::<Vec<_>>()
    };
    world.setup.meshes.iter().flat_map(of_mesh).collect()
}

/// Returns whether there is any obstacle for cloths to come to rest on.
pub(crate) fn has_obstacles(world: &World) -> bool {
    !world.setup.obstacles.is_empty() || !world.setup.meshes.is_empty()
}

/// Positions of the vertices of the sheet, then of those of the mesh obstacles, at the present time \[m\]: what the
/// vertices of crossings refer to.
pub fn contact_positions(world: &World) -> Vec<DVec3> {
    positions_in_contact(&world.setup, &world.state)
}

/// Those of a setup and a state.
fn positions_in_contact(setup: &Setup, state: &State) -> Vec<DVec3> {
    let mut positions = state.motion.positions.raw.clone();
    positions.extend(setup.meshes.iter().flat_map(|mesh| mesh.positions_at(state.time)));
    positions
}

/// Returns whether anything in this world can cross something else: cloths each other, or an obstacle.
pub fn counts_crossings(world: &World) -> bool {
    world.derived.proximity.is_some()
}

/// Returns whether edges can go through faces: cloths meet each other, or mesh obstacles.
pub(crate) fn pairs_meet(world: &World) -> bool {
    world.setup.self_contact && !world.state.sheet.topology.faces.is_empty() || !world.setup.meshes.is_empty()
}

/// Edges that go through faces, exactly; `None` if neither cloths nor meshes meet in this world. Obstacles do not
/// cross each other. Vertices are those of [`contact_positions`].
pub(crate) fn crossings(world: &World) -> Option<Vec<Crossing>> {
    let proximity = world.derived.proximity.as_ref().filter(|_| pairs_meet(world))?;
    Some(proximity.count_crossings(&contact_positions(world)))
}

/// Notes what crosses before the first step and after an edit: it is not kept apart.
pub(crate) fn record_crossings(setup: &Setup, state: &State, derived: &mut Derived) {
    if let Some(proximity) = &mut derived.proximity {
        let masses = &state.motion.inverse_masses.raw;
        proximity.record_crossings(&positions_in_contact(setup, state), |v| masses[v as usize] == 0.0);
    }
}

/// For which motion the pairs that are near each other were collected.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub(crate) struct PairBounds {
    /// Those of a world that is stepped as a whole; `None`: the next substep collects them.
    pub whole: Option<MotionBounds>,
    /// Those of groups of bodies that are stepped by themselves.
    pub parts: Vec<(Vec<usize>, MotionBounds)>,
}

impl PairBounds {
    /// Returns whether these are bounds of bodies of so many vertices each, and of all vertices of obstacles.
    pub(crate) fn are_sound(&self, counts: &[usize], obstacles: usize) -> bool {
        let all: Vec<usize> = (0..counts.len()).collect();
        let whole = self.whole.iter().map(|bounds| (&all, bounds));
        let each = whole.chain(self.parts.iter().map(|(bodies, bounds)| (bodies, bounds)));
        let is_sound = |(bodies, bounds): (&Vec<usize>, &MotionBounds)| {
            let count: Option<usize> = bodies.iter().map(|body| counts.get(*body)).sum::<Option<usize>>();
            count.is_some_and(|count| bounds.are_sound(count + obstacles))
        };
        each.into_iter().all(is_sound)
    }
}

/// The present bounds.
pub(crate) fn bounds(world: &World) -> PairBounds {
    let bounds_in = |world: &World| world.derived.proximity.as_ref().and_then(Proximity::bounds).cloned();
    let of_part = |part: &Part| {
        let bounds = bounds_in(&part.world).filter(|_| part.is_of(&world.state.sheet))?;
        Some((part.selection.bodies.clone(), bounds))
    };
    let expected = world.bounds_of_parts.iter().filter(|known| known.versions.is_of(&world.state.sheet));
    let expected = expected.map(|known| (known.versions.bodies.clone(), known.bounds.clone()));
    PairBounds {
        whole: bounds_in(world).filter(|_| world.parts.is_empty()),
        parts: world.parts.iter().filter_map(of_part).chain(expected).collect(),
    }
}

/// Collects the pairs that were collected for these bounds; those of groups when they are stepped again.
pub(crate) fn resume_pairs(
    sheet: &Sheet,
    proximity: &mut Option<Proximity>,
    bounds_of_parts: &mut Vec<ExpectedBounds>,
    bounds: PairBounds,
) {
    let expected = bounds
        .parts
        .into_iter()
        .map(|(bodies, bounds)| ExpectedBounds { versions: Versions::of(&bodies, sheet), bounds });
    *bounds_of_parts = expected.collect();
    if let Some(bounds) = bounds.whole {
        collect_pairs(proximity, bounds);
    }
}

/// Collects the pairs for these bounds.
pub(crate) fn collect_pairs(proximity: &mut Option<Proximity>, bounds: MotionBounds) {
    proximity.iter_mut().for_each(|proximity| proximity.resume(bounds.clone()));
}

/// Number of intersections when they were last counted.
pub(crate) fn crossing_count(derived: &Derived) -> usize {
    derived.proximity.as_ref().map_or(0, |proximity| proximity.crossings().len())
}

/// The obstacles in closed form as they are now.
pub(crate) fn shapes(setup: &Setup, time: f64) -> Vec<WorldShape> {
    setup.obstacles.iter().map(|obstacle| obstacle.over_substep(time, 0.0).shape).collect()
}

/// Part of its thickness by which a vertex may go deeper without being told: round-off must not decide.
const UNTOLD_DEPTH: f64 = 1e-3;

/// Returns whether a vertex moved from one place to another \[m\] comes nearer to an obstacle than contact allows, or
/// goes deeper into it.
pub(crate) fn goes_deeper(
    setup: &Setup,
    sheet: &Sheet,
    shapes: &[WorldShape],
    vi: VertexIndex,
    [from, to]: [DVec3; 2],
) -> bool {
    let offset = setup.cloths[sheet.vertex_cloths[vi] as usize].surface.offset;
    let distance = |shape: &WorldShape, x: DVec3| shape.signed_distance(x).0;
    shapes.iter().any(|shape| distance(shape, to) < distance(shape, from).min(offset) - UNTOLD_DEPTH * offset)
}
