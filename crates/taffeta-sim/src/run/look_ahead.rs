//! Look-ahead: before the first step the mesh is adapted to the first moments of the motion.
//!
//! A pass after a step comes too late for what begins in that step. A sheet that is let go bends first in a narrow strip along
//! its pins. On coarse faces the pins hold back a whole row of them. No later refinement gives back the lost momentum: the
//! error stays, however fine the mesh gets.
//!
//! So the program looks ahead: it makes a few steps, notes the finest sizes that they ask for, and rolls back. Then it adapts
//! the mesh in its given shape, where splits put vertices on the surface.

use crate::adapt::schedule::remesh_wanted;
use crate::adapt::surroundings::FixedObstacles;
use crate::derive::clock::current_view;
use crate::derive::crossings::{mesh_faces, shapes};
use crate::derive::snapshot::{go_back, note};
use crate::derive::solver_facts::can_tear;
use crate::derive::world::World;
use crate::model::report::RemeshCounts;
use crate::model::report::error::StepError;
use crate::model::report::stage::{Stage, StageTimes};
use crate::run::groups::make_grouped_substeps;
use std::collections::BTreeMap;
use taffeta_mesh::VertexKey;
use taffeta_remesh::{Metric, Pass, dominate, find_lacks};

/// Duration of the look-ahead \[s\]: half of it is too short for a sheet of 1 m that begins to swing, twice as long gains nothing.
const OUTLOOK: f64 = 0.1;

/// Steps of that, at most.
const STEPS: u32 = 24;

/// Factor by which an edge may be longer than asked for without a pass.
const LACK: f64 = 1.1;

/// Metrics that the cloths ask for, by vertex.
type Wanted = BTreeMap<VertexKey, Metric>;

/// Returns whether a mesh is to be adapted before the next step. Never where cloth can tear: the metric is then fine
/// along tears that are taken back, and the next ones follow the mesh.
pub(crate) fn begins(world: &World) -> bool {
    world.state.frame == 0
        && !can_tear(world.facts())
        && world.setup.cloths.iter().any(|cloth| cloth.remesh.is_some())
}

/// Adapts the meshes to what comes. Returns what was done, and its popping.
///
/// # Errors
/// If a [`StopToken`](crate::StopToken) has asked for an end. Other errors are left to the step that is to be made.
pub(crate) fn adapt_to_outlook(
    world: &mut World,
    dt: f64,
    times: &mut StageTimes,
) -> Result<(RemeshCounts, f64), StepError> {
    let wanted: Vec<_> = look_ahead(world, dt, times)?.into_iter().collect();
    if wanted.is_empty() {
        return Ok((RemeshCounts::default(), 0.0));
    }
    Ok(times.run(Stage::Remesh, || remesh_wanted(world, &wanted)))
}

/// Makes the first steps and takes them back; what they have asked for, if the mesh was too coarse.
fn look_ahead(world: &mut World, dt: f64, times: &mut StageTimes) -> Result<Wanted, StepError> {
    let last_good = note(world);
    let steps = (OUTLOOK / dt).ceil().clamp(1.0, f64::from(STEPS)) as u32;
    let (mut wanted, mut failure) = (Wanted::new(), None);
    for _ in 0..steps {
        if let Err(error) = make_grouped_substeps(world, dt, &[], &mut |_| (), times) {
            failure = matches!(error, StepError::Interrupted { .. }).then_some(error);
            break;
        }
        for (v, metric) in times.run(Stage::Remesh, || find_lacking(world)) {
            let before = wanted.entry(v).or_default();
            *before = dominate([*before, metric]);
        }
    }
    go_back(world, last_good);
    failure.map_or(Ok(wanted), Err)
}

/// Metrics that the shapes ask for, by vertex, if the mesh is too coarse for them; otherwise empty.
fn find_lacking(world: &World) -> Vec<(VertexKey, Metric)> {
    let settings: Vec<_> = world.setup.cloths.iter().map(|cloth| cloth.remesh).collect();
    let regions: Vec<_> = world.setup.pins.iter().map(|pin| pin.description.region.clone()).collect();
    let obstacles = FixedObstacles::new(shapes(&world.setup, world.state.time), mesh_faces(world));
    let view = current_view(world);
    let pass = Pass {
        settings: &settings,
        pins: &regions,
        elapsed: 0.0,
        surroundings: Some(&obstacles),
        view: view.as_ref(),
        displacements: &[],
        asked: &[],
        is_paid_for: false,
    };
    let keyed = world.state.sheet.to_keyed(&world.state.motion);
    find_lacks(&keyed.mesh, &keyed.attributes, &pass, LACK)
}

#[cfg(test)]
mod tests {
    use crate::measure::points::material_point;
    use crate::run::look_ahead::begins;
    use crate::{ClothDescription, PinDescription, StepInputs, World, WorldDescription};
    use glam::{DVec2, DVec3};
    use taffeta_core::{Region, TriangleMesh};
    use taffeta_remesh::RemeshSettings;
    use taffeta_solve::Material;

    /// A flat sheet of 1 m on so many cells, held at one edge.
    fn sheet(cells: u32, remesh: Option<RemeshSettings>) -> World {
        let mut mesh = TriangleMesh::default();
        let corners =
            (0..=cells).flat_map(|j| (0..=cells).map(move |i| DVec2::new(f64::from(i), f64::from(j))));
        let coords: Vec<DVec2> = corners.map(|corner| corner / f64::from(cells)).collect();
        mesh.positions = coords.iter().map(|u| DVec3::new(u.x, 0.0, u.y)).collect();
        for (j, i) in (0..cells).flat_map(|j| (0..cells).map(move |i| (j, i))) {
            let [a, b] = [j, j + 1].map(|j| j * (cells + 1) + i);
            mesh.faces.extend([[a, a + 1, b + 1], [a, b + 1, b]]);
        }
        mesh.set_vertex_material(&coords);
        let mut cloth = ClothDescription::new("sheet", mesh, Material::isotropic(0.2, 2000.0, 0.3, 1e-4));
        let edge = Region::MaterialBox([DVec2::splat(-1.0), DVec2::new(2.0, 1e-6)]);
        cloth.pins.push(PinDescription::new(edge));
        cloth.remesh = remesh;
        World::build(&WorldDescription { cloths: vec![cloth], ..WorldDescription::bare() }).expect("a world")
    }

    fn settings() -> RemeshSettings {
        RemeshSettings {
            size_max: 0.5,
            refine_error: Some(2e-3),
            anisotropic: true,
            ..RemeshSettings::by_thresholds()
        }
    }

    /// The heights of a line from the pinned edge to the free one after four frames \[m\].
    fn fall(mut world: World) -> (Vec<f64>, usize) {
        for _ in 0..4 {
            world.step(&StepInputs::default(), 1.0 / 60.0).expect("a step");
        }
        let at = |k: u32| {
            let point = material_point(&world, 0, DVec2::new(0.45, f64::from(k) / 20.0)).expect("a place");
            point.position.y
        };
        ((0..=20).map(at).collect(), world.vertex_count())
    }

    #[test]
    fn the_first_mesh_fits_what_begins() {
        let (exact, _) = fall(sheet(40, None));
        let error = |(heights, vertices): (Vec<f64>, usize)| {
            let largest = heights.iter().zip(&exact).map(|(a, b)| (a - b).abs()).fold(0.0, f64::max);
            (largest, vertices)
        };
        let (coarse, few) = error(fall(sheet(4, None)));
        let (adaptive, some) = error(fall(sheet(4, Some(settings()))));
        let (uniform, many) = error(fall(sheet(16, None)));
        assert!(adaptive < 0.25 * coarse && adaptive < 1.5 * uniform, "{coarse} {adaptive} {uniform}");
        assert!(some > 2 * few && 2 * some < many, "{few} {some} {many}");
    }

    #[test]
    fn only_the_first_step_looks_ahead_and_a_mesh_that_is_fine_enough_stays() {
        let mut world = sheet(4, Some(settings()));
        let first = world.step(&StepInputs::default(), 1.0 / 60.0).expect("a step");
        assert!(first.remesh.splits > 10 && first.time == 1.0 / 60.0, "{:?}", first.remesh);
        assert!(!begins(&world));
        world.state.sheet.to_keyed(&world.state.motion).mesh.validate().expect("a mesh");
        let mut world = sheet(4, Some(RemeshSettings { refine_error: Some(0.5), ..settings() }));
        assert_eq!(world.step(&StepInputs::default(), 1.0 / 60.0).expect("a step").remesh.splits, 0);
    }

    #[test]
    fn a_first_step_that_fails_leaves_the_mesh_as_it_was() {
        let mut world = sheet(4, Some(settings()));
        let before = world.state_hash();
        let gravity = Some(DVec3::new(0.0, -1e300, 0.0));
        let failed = world.step(&StepInputs { gravity, ..StepInputs::default() }, 1.0 / 60.0);
        assert!(failed.is_err() && world.state_hash() == before && begins(&world));
        // And the next one goes on as if nothing had been.
        let mut other = sheet(4, Some(settings()));
        for world in [&mut world, &mut other] {
            world.step(&StepInputs::default(), 1.0 / 60.0).expect("a step");
        }
        assert_eq!(world.state_hash(), other.state_hash());
    }
}
