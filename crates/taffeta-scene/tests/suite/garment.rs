//! Scenes whose cloth is a sewing pattern.

use std::path::{Path, PathBuf};
use taffeta_io::garment::read_garment;
use taffeta_scene::{Override, Scene};
use taffeta_sim::SeamSides;

fn project_path(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..").join(name)
}

fn scene(changes: &[&str]) -> Scene {
    let changes: Vec<Override> = changes.iter().map(|change| Override::parse(change).unwrap()).collect();
    Scene::from_file(&project_path("scenes/garments/t_shirt.toml"), &changes).unwrap()
}

fn refusal(changes: &[&str]) -> String {
    let changes: Vec<Override> = changes.iter().map(|change| Override::parse(change).unwrap()).collect();
    let scene = Scene::from_file(&project_path("scenes/garments/t_shirt.toml"), &changes);
    scene.and_then(|scene| scene.build().map(drop)).unwrap_err().to_string()
}

#[test]
fn every_stitch_of_a_garment_becomes_a_seam() {
    let scene = scene(&[]);
    let world = scene.build().unwrap();
    let cloth = &world.cloths[0];
    let garment = read_garment(&project_path("meshes/t_shirt.json"), 0.04).unwrap();
    assert_eq!((cloth.seams.len(), garment.stitches.len()), (12, 12));
    for (seam, stitch) in cloth.seams.iter().zip(&garment.stitches) {
        let SeamSides::Pairs(pairs) = &seam.sides else { panic!("seams are paired") };
        let [[a, first], [b, second]] = stitch.sides;
        let [a, b] = [&garment.panels[a].edges[first], &garment.panels[b].edges[second]];
        // Against each other's direction.
        assert_eq!(pairs.len(), a.len());
        assert!(pairs.iter().zip(a.iter().zip(b.iter().rev())).all(|(pair, (a, b))| *pair == [*a, *b]));
        assert_eq!((seam.time, seam.ease), (1.0, true));
    }
    let names: Vec<&str> = garment.panels.iter().map(|panel| panel.name.as_str()).collect();
    assert_eq!(cloth.panel_names, names);
    assert_eq!(cloth.mesh, garment.mesh);
}

#[test]
fn a_garment_is_sewn_without_gravity_unless_the_scene_says_otherwise() {
    let heavy = |changes: &[&str]| scene(changes).build().unwrap().simulation.gravity_while_sewing;
    assert!(!heavy(&[]));
    assert!(heavy(&["simulation.gravity_while_sewing=true"]));
    let drape = Scene::from_file(&project_path("scenes/drape.toml"), &[]).unwrap();
    assert!(drape.build().unwrap().simulation.gravity_while_sewing);
}

#[test]
fn the_scene_of_a_garment_is_written_and_read_again() {
    let scene = scene(&["cloth.0.sewing_time=0.7"]);
    let again = Scene::from_str(&scene.to_json().to_string(), Path::new("/else/scene.json"), &[]).unwrap();
    assert_eq!((scene.to_json(), scene.hash().unwrap()), (again.to_json(), again.hash().unwrap()));
    assert_eq!(again.build().unwrap(), scene.build().unwrap());
    assert_eq!(again.build().unwrap().cloths[0].seams[0].time, 0.7);
}

#[test]
fn keys_of_garments_belong_to_garments() {
    let message = |change: &str| refusal(&[change]);
    assert!(message("cloth.0.outline=a.svg").contains("but has outline and garment"));
    assert!(message("cloth.0.uv_scale=2").contains("needs a mesh"));
    assert!(message("cloth.0.sewing_time=0").contains("greater than 0"));
    let missing = message("cloth.0.garment=nothing.json");
    assert!(missing.contains("cannot read the garment") && missing.contains("nothing.json"), "{missing}");
    assert!(message("simulation.solver=xpbd").contains("cannot sew"));
    assert!(message("simulation.mode=static").contains("sewing takes time"));
    let wrong = message("cloth.0.garment=../../meshes/skirt.obj");
    assert!(wrong.contains("skirt.obj") && wrong.contains("GarmentCode"), "{wrong}");
}
