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

fn tunic(changes: &[&str]) -> Result<taffeta_scene::BuiltScene, String> {
    let changes: Vec<Override> = changes.iter().map(|change| Override::parse(change).unwrap()).collect();
    let scene = Scene::from_file(&project_path("scenes/sewn_tunic.toml"), &changes);
    scene.and_then(|scene| scene.assemble()).map_err(|error| error.to_string())
}

#[test]
fn seams_by_edges_and_by_points_are_those_by_vertices() {
    // The whole sides, and the left shoulder by its points.
    let by_number = tunic(&[
        "cloth.0.seam.0={a={vertices=[0,195]},b={vertices=[216,324]}}",
        "cloth.0.seam.1={a={vertices=[12,207]},b={vertices=[208,316]}}",
    ]);
    let by_name = tunic(&[
        "cloth.0.seam.0={a={panel=\"front\",edge=3},b={panel=\"back\",edge=1}}",
        "cloth.0.seam.1={a={panel=\"front\",edge=1},b={panel=1,edge=3}}",
        "cloth.0.seam.2.a={panel=\"front\",from=[-0.23,0.78],to=[-0.115,0.78]}",
    ]);
    assert_eq!(by_name.unwrap().world, by_number.unwrap().world);
}

#[test]
fn a_seam_of_an_unknown_panel_edge_or_point_is_refused() {
    let refuse = |run: &str, parts: &[&str]| {
        let message = tunic(&[&format!("cloth.0.seam.0.a={run}")]).unwrap_err();
        for part in parts {
            assert!(message.contains(part), "{part:?} is not in {message}");
        }
    };
    refuse("{panel=\"side\",edge=0}", &["no panel \"side\"", "\"front\", \"back\"", "seam 0"]);
    refuse("{panel=\"front\",edge=4}", &["has no edge 4", "0 to 3"]);
    refuse(
        "{panel=\"front\",from=[0,0.4],to=[0,0]}",
        &["[0, 0.4] is", "from the boundary of panel \"front\""],
    );
    refuse("{panel=\"front\"}", &["panel and edge", "taffeta inspect"]);
    refuse("{edge=2}", &["panel and edge"]);
}

#[test]
fn a_scene_with_named_seams_is_written_and_read_again() {
    let change =
        "cloth.0.seam.0={a={panel=\"front\",edge=3},b={panel=\"back\",from=[0.31,0],to=[0.23,0.78]}}";
    let changes = [Override::parse(change).unwrap()];
    let scene = Scene::from_file(&project_path("scenes/sewn_tunic.toml"), &changes).unwrap();
    let again = Scene::from_str(&scene.to_json().to_string(), Path::new("/else/scene.json"), &[]).unwrap();
    assert_eq!(again.cloths, scene.cloths);
}

#[test]
fn a_seam_by_distance_says_what_it_pairs() {
    let built =
        tunic(&["cloth.0.seam=[{distance=0.35}]", "cloth.0.mesh=../meshes/tunic_panels.obj"]).unwrap();
    assert!(
        built.notes[0].contains("seam 0") && built.notes[0].contains("\"front\" and \"back\""),
        "{:?}",
        built.notes
    );
}
