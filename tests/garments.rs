//! Garments from sewing patterns on the mannequin.

use glam::DVec3;
use std::path::Path;
use taffeta::contact::MeshObstacle;
use taffeta::core::geometry::closest_point_on_triangle;
use taffeta::scene::{Override, Scene};
use taffeta::sim::{StepInputs, World, queries};
use taffeta_fixtures::garments::{t_shirt, variations};
use taffeta_fixtures::mannequin::mannequin;
use taffeta_fixtures::tier;

fn project_path(name: &str) -> std::path::PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..").join(name)
}

/// A scene of the project as `--draft` simulates it, with changes.
fn draft(name: &str, changes: &[String]) -> Scene {
    let changes: Vec<Override> = changes.iter().map(|change| Override::parse(change).unwrap()).collect();
    let mut scene = Scene::from_file(&project_path(name), &changes).unwrap();
    scene.make_draft();
    scene
}

/// Steps a world until its seams are closed, at most for some time [s]. Nothing may cross in any frame.
#[track_caller]
fn sew(scene: &Scene, time: f64, name: &str) -> World {
    let mut world = World::build(&scene.build().unwrap()).unwrap();
    while world.time() < time && queries::seams(&world).iter().any(|seam| seam.closed.is_none()) {
        world.step(&StepInputs::default(), scene.simulation.frame_time()).unwrap();
        assert_eq!(world.crossings().map(|found| found.len()), Some(0), "{name} at {} s", world.time());
    }
    let open: Vec<_> = queries::seams(&world).into_iter().filter(|seam| seam.closed.is_none()).collect();
    assert!(open.is_empty(), "{name}: {open:?}");
    world
}

#[test]
fn t_shirts_of_random_sizes_are_sewn_without_crossings() {
    let folder = tempfile::tempdir().unwrap();
    for (number, shirt) in variations().iter().enumerate().take(tier(1, 20)) {
        let path = folder.path().join(format!("{number}.json"));
        std::fs::write(&path, t_shirt(shirt)).unwrap();
        let changes = [format!("cloth.0.garment={}", path.display()), "cloth.0.edge_length=0.035".to_owned()];
        let world = sew(&draft("scenes/garments/t_shirt.toml", &changes), 2.0, &format!("{shirt:?}"));
        let cloth = world.cloth(world.cloth_ids()[0]);
        assert_eq!(cloth.cloth().panel_names.len(), 6);
        assert!(cloth.panels().iter().all(|panel| *panel < 6));
    }
}

/// Depth of a point inside of a closed surface \[m\]; negative: it is outside.
fn depth(faces: &[[u32; 3]], x: &[DVec3], body: &MeshObstacle, point: DVec3) -> f64 {
    let distance = |face: &[u32; 3]| {
        let corners = face.map(|v| x[v as usize]);
        let weights = closest_point_on_triangle(point, corners);
        (0..3).map(|k| corners[k] * weights[k]).sum::<DVec3>().distance(point)
    };
    let nearest = faces.iter().map(distance).fold(f64::INFINITY, f64::min);
    // Far outside nobody asks.
    if nearest < 0.2 && body.winding_number(x, point) > 0.5 { nearest } else { -nearest }
}

#[test]
fn a_skirt_on_a_walking_figure_crosses_nothing_and_stays_outside() {
    let scene = draft("scenes/garments/walk.toml", &[format!("cloth.0.edge_length={}", tier(0.055, 0.04))]);
    let mut world = World::build(&scene.build().unwrap()).unwrap();
    let body = world.mesh_obstacles()[0].clone();
    assert_eq!((body.shapes.len(), body.shape_rate), (121, 30.0));
    for frame in 1..=tier(75, 120) {
        world.step(&StepInputs::default(), scene.simulation.frame_time()).unwrap();
        assert_eq!(world.crossings().map(|found| found.len()), Some(0), "frame {frame}");
        if frame % tier(8, 1) == 0 {
            let x = body.positions_at(world.time());
            let deepest =
                world.motion().positions.raw.iter().map(|point| depth(&body.faces, &x, &body, *point));
            let deepest = deepest.fold(f64::NEG_INFINITY, f64::max);
            assert!(deepest <= 0.02, "frame {frame}: {deepest} m inside of the body");
        }
    }
    // It is still where it was put on: around the hips.
    let hips: f64 =
        body.positions_at(world.time()).iter().map(|x| x.z).sum::<f64>() / body.vertex_count() as f64;
    let points = &world.motion().positions.raw;
    let middle = points.iter().sum::<DVec3>() / points.len() as f64;
    assert!(
        (middle.z - hips).abs() < 0.15 && (0.6..0.95).contains(&middle.y),
        "{middle}, the body at {hips}"
    );
    assert!(queries::cloths_left_behind(&world).is_empty());
}

#[test]
fn a_tunic_falls_when_it_is_sewn_and_not_before() {
    let scene = draft("scenes/garments/tunic.toml", &["cloth.0.edge_length=0.06".to_owned()]);
    let mut world = World::build(&scene.build().unwrap()).unwrap();
    let fall = |world: &World| {
        world.velocities(0).iter().map(|v| v.y).sum::<f64>() / world.velocities(0).len() as f64
    };
    // Far from the body panels would have a speed of 1 m/s.
    for _ in 0..3 {
        world.step(&StepInputs::default(), scene.simulation.frame_time()).unwrap();
    }
    assert!(fall(&world).abs() < 0.05, "{}", fall(&world));
    let heavy = draft("scenes/garments/tunic.toml", &["simulation.gravity_while_sewing=true".to_owned()]);
    let mut world = World::build(&heavy.build().unwrap()).unwrap();
    for _ in 0..3 {
        world.step(&StepInputs::default(), heavy.simulation.frame_time()).unwrap();
    }
    assert!(fall(&world) < -0.9, "{}", fall(&world));
}

#[test]
fn the_files_of_the_scenes_are_those_that_the_example_writes() {
    let read = |name: &str| std::fs::read_to_string(project_path(&format!("meshes/{name}"))).unwrap();
    assert_eq!(read("t_shirt.json"), t_shirt(&Default::default()));
    assert_eq!(read("tunic.json"), taffeta_fixtures::garments::tunic());
    assert_eq!(read("skirt.json"), taffeta_fixtures::garments::skirt());
    assert_eq!(std::fs::read(project_path("meshes/walk.glb")).unwrap(), taffeta_fixtures::walk::walk_glb());
    let (vertices, faces) = mannequin();
    assert!(faces.len() <= 5000 && vertices.len() < faces.len());
    // Closed, with its outside out: the volume of a person of that height.
    let volume: f64 = faces
        .iter()
        .map(|face| {
            let [a, b, c] = face.map(|v| glam::DVec3::from_array(vertices[v as usize]));
            a.dot(b.cross(c)) / 6.0
        })
        .sum();
    assert!((0.03..0.09).contains(&volume), "{volume} m³");
}
