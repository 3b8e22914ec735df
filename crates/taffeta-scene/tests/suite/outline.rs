//! Scenes whose cloth is a drawing.

use glam::DVec2;
use std::path::Path;
use taffeta_core::TriangleMesh;
use taffeta_core::geometry::doubled_area;
use taffeta_scene::{Override, Scene};

fn corners(mesh: &TriangleMesh) -> &[[DVec2; 3]] {
    mesh.material.as_deref().unwrap()
}

fn area(mesh: &TriangleMesh) -> f64 {
    corners(mesh).iter().map(|face| 0.5 * doubled_area(*face)).sum()
}

/// The smallest angle \[degrees\].
fn smallest_angle(mesh: &TriangleMesh) -> f64 {
    let angle = |[a, b, c]: [DVec2; 3]| (b - a).angle_to(c - a).abs().to_degrees();
    let of_face = |[a, b, c]: [DVec2; 3]| angle([a, b, c]).min(angle([b, c, a])).min(angle([c, a, b]));
    corners(mesh).iter().map(|face| of_face(*face)).fold(180.0, f64::min)
}

fn count_panels(mesh: &TriangleMesh) -> u32 {
    mesh.panels().into_iter().max().map_or(0, |last| last + 1)
}

#[test]
fn the_scene_of_a_drawing_is_read_written_and_built() {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../scenes/outline.toml");
    let scene = Scene::from_file(&path, &[]).unwrap();
    let again = Scene::from_str(&scene.to_json().to_string(), Path::new("/else/scene.json"), &[]).unwrap();
    assert_eq!((scene.to_json(), scene.hash().unwrap()), (again.to_json(), again.hash().unwrap()));
    let world = scene.build().unwrap();
    let mesh = &world.cloths[0].mesh;
    assert_eq!(count_panels(mesh), 2);
    assert!(smallest_angle(mesh) > 25.0);
    let other = |change: &str| Scene::from_file(&path, &[Override::parse(change).unwrap()]).unwrap();
    assert_ne!(other("cloth.0.edge_length=0.03").hash().unwrap(), scene.hash().unwrap());
    let twice = other("cloth.0.outline_scale=0.002").build().unwrap();
    assert!((area(&twice.cloths[0].mesh) / area(mesh) - 4.0).abs() < 1e-2);
}
