//! Obstacles that are read from files.

use super::{expect, read, replace_line};
use std::fs;
use std::path::Path;
use taffeta_scene::{ObstacleShape, Scene};
use tempfile::TempDir;

const SQUARE: &str = "v 0 0 0\nv 1 0 0\nv 1 1 0\nv 0 1 0\nf 1 2 3 4\n";

/// A folder with files.
fn folder(files: &[(&str, &str)]) -> TempDir {
    let folder = tempfile::tempdir().unwrap();
    for (name, text) in files {
        fs::write(folder.path().join(name), text).unwrap();
    }
    folder
}

/// Expects one problem of an obstacle with this shape, in which `DIR` stands for the folder.
#[track_caller]
fn expect_shape(folder: &TempDir, shape: &str, at: &str, parts: &[&str]) {
    let dir = folder.path().to_str().unwrap();
    let (shape, at) = (shape.replace("DIR", dir), at.replace("DIR", dir));
    expect("shape", &format!("shape = {{ {shape} }}"), &at, parts);
}

/// The good scene with this shape.
fn with_shape(folder: &TempDir, shape: &str) -> Scene {
    let shape = shape.replace("DIR", folder.path().to_str().unwrap());
    let (text, _) = replace_line("shape", &format!("shape = {{ {shape} }}"));
    read(&text).unwrap()
}

#[test]
fn a_shape_of_files_says_what_it_needs() {
    let none = folder(&[]);
    expect_shape(&none, "frames = \"DIR/b_%04d.obj\"", "{", &["`frame_rate` is missing", "frame_rate = 30"]);
    expect_shape(&none, "frames = \"b.obj\", frame_rate = 30", "\"b.obj\"", &["one %d or %04d", "body_%04d"]);
    expect_shape(&none, "mesh = \"b.obj\", frame_rate = 30", "30", &["needs frames"]);
    expect_shape(&none, "frames = \"DIR/b_%d.obj\", frame_rate = 0", "0 }", &["greater than 0"]);
    expect_shape(&none, "mesh = \"\"", "\"\"", &["is empty"]);
    expect_shape(&none, "mesh = 3", "3", &["must be a string"]);
    expect_shape(
        &none,
        "mesh = \"b.obj\", sphere = { radius = 1 }",
        "{",
        &["exactly one shape", "sphere and mesh", "body_%04d.obj"],
    );
}

#[test]
fn solvers_that_do_not_know_meshes_are_refused_at_the_obstacle() {
    for solver in ["projective"] {
        let (text, _) = replace_line("shape", "shape = { mesh = \"b.obj\" }");
        let text = text.replace("\"auto\"", &format!("{solver:?}"));
        let report = read(&text).unwrap_err().to_string();
        for part in ["does not know contact with meshes", "mesh = \"b.obj\"", solver, "take global"] {
            assert!(report.contains(part), "{part:?} missing in:\n{report}");
        }
    }
}

#[test]
fn files_that_are_no_obstacles_are_named() {
    let files = folder(&[
        ("empty.obj", ""),
        ("points.obj", "v 0 0 0\n"),
        ("range.obj", "v 0 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 4\n"),
        ("nan.obj", "v 0 0 0\nv nan 0 0\nv 0 1 0\nf 1 2 3\n"),
        ("flat.obj", "v 0 0 0\nv 1 0 0\nv 2 0 0\nf 1 2 3\nf 1 1 2\n"),
        ("far.obj", "v 0 0 0\nv 1e300 0 0\nv 0 1e300 0\nf 1 2 3\n"),
    ]);
    let bad = |name: &str, parts: &[&str]| {
        let shape = format!("mesh = \"DIR/{name}\"");
        expect_shape(&files, &shape, "\"DIR", &[&[name], parts].concat());
    };
    bad("absent.obj", &["cannot read the mesh"]);
    bad("empty.obj", &["the file is empty"]);
    bad("points.obj", &["no faces"]);
    bad("range.obj", &["range.obj:4", "vertex 4 is out of range", "3 vertices"]);
    bad("nan.obj", &["nan.obj:2", "not a finite number"]);
    bad("flat.obj", &["none of its 2 triangles has an area"]);
    bad("far.obj", &["none of its 1 triangles has an area"]);
}

#[test]
fn sequences_with_gaps_or_other_meshes_are_refused_with_the_file() {
    let other = SQUARE.replace("f 1 2 3 4", "f 1 2 4 3");
    let more = format!("v 9 9 9\n{SQUARE}");
    let triangles = SQUARE.replace("f 1 2 3 4", "f 1 2 3\nf 1 3 4");
    let files = folder(&[
        ("gap_0001.obj", SQUARE),
        ("gap_0003.obj", SQUARE),
        ("other_0.obj", SQUARE),
        ("other_1.obj", &other),
        ("more_0.obj", SQUARE),
        ("more_1.obj", &more),
        ("cut_0.obj", SQUARE),
        ("cut_1.obj", &triangles),
        ("bad_0.obj", SQUARE),
        ("bad_1.obj", "v 0 0\n"),
    ]);
    let bad = |pattern: &str, parts: &[&str]| {
        let shape = format!("frames = \"DIR/{pattern}\", frame_rate = 30");
        expect_shape(&files, &shape, "\"DIR", parts);
    };
    bad("gap_%04d.obj", &["gap_0002.obj: the file is missing, but gap_0003.obj is there", "consecutive"]);
    bad("absent_%04d.obj", &["absent_0000.obj: there is no file of the sequence, as absent_1001.obj"]);
    bad("other_%d.obj", &["other_1.obj: its faces are not those of other_0.obj"]);
    bad("more_%d.obj", &["more_1.obj: it has 5 vertices, but more_0.obj", "has 4"]);
    bad("cut_%d.obj", &["cut_1.obj: its faces are not those of cut_0.obj"]);
    bad("bad_%d.obj", &["bad_1.obj:1", "three numbers"]);
}

#[test]
fn meshes_are_read_without_what_has_no_area() {
    // A vertex of its own, a face without area, a fin: an edge with three faces.
    let mesh = format!("v 5 5 5\n{SQUARE}v 0 0 1\nf 2 3 6\nf 2 3 2\n").replace("f 1 2 3 4", "f 2 3 4 5");
    let files = folder(&[("fin.obj", &mesh)]);
    let built = with_shape(&files, "mesh = \"DIR/fin.obj\"").assemble().unwrap();
    let [obstacle] = built.world.mesh_obstacles.as_slice() else { panic!("one mesh") };
    assert_eq!((obstacle.vertex_count(), obstacle.faces.len()), (5, 3));
    assert_eq!(
        built.warnings[built.warnings.len() - 2..],
        [
            "obstacle.0.shape.mesh: 1 vertices that belong to no face are left out of the obstacle",
            "obstacle.0.shape.mesh: 1 triangles without area are left out of the obstacle",
        ]
    );
    assert!(built.world.obstacles.is_empty());
}

#[test]
fn a_sequence_is_read_from_its_first_file_to_its_last_with_the_polygons_of_the_first() {
    // Of the second square another diagonal would be cut.
    let bent = SQUARE.replace("v 1 1 0", "v 0.3 0.3 0");
    let files = folder(&[("b_01.obj", SQUARE), ("b_02.obj", &bent), ("b_2.obj", "other"), ("b_x.obj", "")]);
    let scene = with_shape(&files, "frames = \"DIR/b_%02d.obj\", frame_rate = 25");
    assert!(matches!(&scene.obstacles[0].shape, ObstacleShape::Frames { rate: 25.0, .. }));
    let obstacle = &scene.build().unwrap().mesh_obstacles[0];
    assert_eq!((obstacle.shapes.len(), obstacle.shape_rate, obstacle.faces.len()), (2, 25.0, 2));
    assert_eq!(obstacle.shapes[1][2].x, 0.3);
    // The identity of the scene is that of what the files contain.
    let before = scene.hash().unwrap();
    assert_eq!(scene.hash().unwrap(), before);
    fs::write(files.path().join("b_02.obj"), SQUARE).unwrap();
    assert_ne!(scene.hash().unwrap(), before);
    let json = scene.to_json().to_string();
    let again = Scene::from_str(&json, Path::new("elsewhere/scene.json"), &[]).unwrap();
    assert_eq!(again.obstacles, scene.obstacles);
}

#[test]
fn a_sequence_starts_with_the_lowest_number_that_there_is() {
    let bent = SQUARE.replace("v 1 1 0", "v 0.3 0.3 0");
    for [first, second] in [["1001", "1002"], ["0000", "0001"], ["0009", "0010"], ["9999", "10000"]] {
        let names = [first, second].map(|number| format!("b_{number}.obj"));
        let files = folder(&[(&names[0], SQUARE), (&names[1], &bent)]);
        let scene = with_shape(&files, "frames = \"DIR/b_%04d.obj\", frame_rate = 25");
        let obstacle = &scene.build().unwrap().mesh_obstacles[0];
        assert_eq!((obstacle.shapes.len(), obstacle.shapes[0][2].x, obstacle.shapes[1][2].x), (2, 1.0, 0.3));
    }
    let gap = folder(&[("b_1001.obj", SQUARE), ("b_1003.obj", SQUARE)]);
    let shape = "frames = \"DIR/b_%d.obj\", frame_rate = 25";
    expect_shape(&gap, shape, "\"DIR", &["b_1002.obj: the file is missing", "b_1003.obj is there"]);
}

#[test]
fn meshes_of_unknown_formats_are_refused_with_those_that_are_read() {
    let none = folder(&[("a.off", "OFF\n")]);
    for name in ["a.off", "a.fbx"] {
        let ending = name[2..].to_uppercase();
        let expected = format!("{ending} is not read: OBJ, STL, PLY");
        expect_shape(&none, &format!("mesh = \"DIR/{name}\""), "\"DIR", &[&expected]);
    }
    let shape = "frames = \"DIR/a_%d.ply\", frame_rate = 25";
    expect_shape(&none, shape, "\"DIR", &["a sequence must be OBJ files"]);
}

#[test]
fn bodies_come_from_animated_gltf_files() {
    let walk = taffeta_fixtures::walk::walk_glb();
    let files = folder(&[("square.obj", SQUARE)]);
    fs::write(files.path().join("walk.glb"), &walk).unwrap();
    fs::write(files.path().join("broken.glb"), &walk[..1000]).unwrap();
    let scene = with_shape(&files, "mesh = \"DIR/walk.glb\", frame_rate = 5");
    let shape = &scene.obstacles[0].shape;
    assert!(matches!(shape, ObstacleShape::Animated { rate: 5.0, animation: None, .. }), "{shape:?}");
    let obstacle = &scene.build().unwrap().mesh_obstacles[0];
    assert_eq!((obstacle.shapes.len(), obstacle.shape_rate), (21, 5.0));
    let again =
        Scene::from_str(&scene.to_json().to_string(), Path::new("elsewhere/scene.json"), &[]).unwrap();
    assert_eq!(again.obstacles, scene.obstacles);
    let before = scene.hash().unwrap();
    // Without a rate it is that of the frames.
    let scene = with_shape(&files, "mesh = \"DIR/walk.glb\", animation = \"walk\"");
    let rate = scene.simulation.frame_rate;
    assert_eq!(scene.build().unwrap().mesh_obstacles[0].shape_rate, rate);
    assert_ne!(scene.hash().unwrap(), before);
    let refuse = |shape: &str, place: &str, parts: &[&str]| expect_shape(&files, shape, place, parts);
    refuse(
        "mesh = \"DIR/walk.glb\", animation = \"run\"",
        "\"DIR/walk",
        &["no animation \"run\"; there are \"walk\""],
    );
    refuse("mesh = \"DIR/broken.glb\"", "\"DIR/broken", &["broken.glb: ", "cut off"]);
    refuse("mesh = \"DIR/absent.glb\"", "\"DIR/absent", &["cannot read the mesh"]);
    refuse("mesh = \"DIR/square.obj\", frame_rate = 5", "5", &["needs frames, or a glTF file"]);
    refuse("mesh = \"DIR/square.obj\", animation = \"run\"", "\"run\"", &["animation` needs a glTF file"]);
}

const STL: &str = "solid s\nfacet normal 0 0 1\nouter loop\nvertex 0 0 0\nvertex 1 0 0\nvertex 0 1 0\nendloop\nendfacet\nendsolid\n";
const PLY: &str = "ply\nformat ascii 1.0\nelement vertex 4\nproperty float x\nproperty float y\nproperty float z\n\
                   element face 1\nproperty list uchar int vertex_indices\nend_header\n0 0 0\n1 0 0\n1 1 0\n0 1 0\n4 0 1 2 3\n";

#[test]
fn obstacles_come_from_stl_and_ply_files_too() {
    let files = folder(&[("a.stl", STL), ("b.PLY", PLY), ("c.stl", PLY), ("d.ply", STL), ("e.stl", "")]);
    for (name, faces) in [("a.stl", 1), ("b.PLY", 2)] {
        let scene = with_shape(&files, &format!("mesh = \"DIR/{name}\""));
        assert_eq!(scene.build().unwrap().mesh_obstacles[0].faces.len(), faces, "{name}");
        let hash = scene.hash().unwrap();
        assert_eq!(hash, scene.hash().unwrap());
    }
    for (name, part) in [("c.stl", "as STL"), ("d.ply", "as PLY"), ("e.stl", "0 bytes")] {
        let shape = format!("mesh = \"DIR/{name}\"");
        expect_shape(&files, &shape, &format!("\"DIR/{name}\""), &[name, part]);
    }
}
