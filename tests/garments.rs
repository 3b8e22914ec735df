//! Garments from sewing patterns on the mannequin.

use std::path::Path;
use taffeta::scene::{Override, Scene};
use taffeta::sim::{StepInputs, World, ask};
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
    while world.time() < time && ask::seams(&world).iter().any(|seam| seam.closed.is_none()) {
        world.step(&StepInputs::default(), scene.simulation.frame_time()).unwrap();
        assert_eq!(world.crossings().map(|found| found.len()), Some(0), "{name} at {} s", world.time());
    }
    let open: Vec<_> = ask::seams(&world).into_iter().filter(|seam| seam.closed.is_none()).collect();
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
