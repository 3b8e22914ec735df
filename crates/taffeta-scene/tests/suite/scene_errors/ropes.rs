//! Ropes: shape, material, pins, probes.

use super::{expect_in, read};

/// A valid scene of ropes alone. Bad ones replace one of its lines.
const GOOD: &str = r#"[simulation]
duration = 4.0

[[rope]]
name = "line"
length = 1.0
segments = 20
radius = 0.004
material = { density = 0.05, stretch = 1e4, bend = 1e-4 }
place = { translate = [0, 2, 0] }

[[rope.pin]]
where = { ends = "first" }
clamp = true

[[rope]]
name = "wire"
points = [[0, 0, 0], [0.1, 0, 0], [0.2, 0.1, 0]]
plane = [0, 0, 1]
material = { density = 0.05, stretch = 1e4, bend = 1e-4 }

[[probe]]
name = "middle"
rope = "line"
at = 0.5
"#;

fn expect(old: &str, new: &str, at: &str, parts: &[&str]) {
    expect_in(GOOD, (old, new), at, parts);
}

#[test]
fn a_scene_of_ropes_alone_is_good() {
    let scene = read(GOOD).unwrap();
    let world = scene.build().unwrap();
    assert!(world.cloths.is_empty() && world.ropes.len() == 2);
    assert_eq!((world.ropes[0].points.len(), world.ropes[0].points[20].to_array()), (21, [1.0, 2.0, 0.0]));
    assert_eq!((scene.rope_probes[0].rope, scene.rope_probes[0].at), (0, 0.5));
    let again =
        taffeta_scene::Scene::from_str(&scene.to_json().to_string(), std::path::Path::new("scene.json"), &[]);
    assert_eq!(again.unwrap().to_json(), scene.to_json());
}

#[test]
fn impossible_shapes_are_refused() {
    expect("length", "length = 0.0", "0.0", &["`rope.0.length` is 0", "greater than 0"]);
    expect("segments", "segments = 1", "1", &["`rope.0.segments` is 1", "from 2"]);
    expect("segments", "", "[[rope]]", &["`segments` is missing"]);
    expect("length", "length = 1.0\npoints = [[0,0,0],[1,0,0],[2,0,0]]", "[[rope]]", &["length and points"]);
    expect("points", "", "[[rope]]", &["exactly one of length, points, but has none"]);
    expect("points", "points = [[0,0,0],[nan,0,0],[1,0,0]]", "nan", &["finite"]);
    expect("points", "points = [[0,0,0],[1,0,0],[1,0,0]]", "[[0", &["points 1 and 2 coincide"]);
    expect("points", "points = [[0,0,0],[1,0,0]]", "[[0", &["has 2 points", "at least 2 segments"]);
    expect("points", "points = [[0,0,0],[1,0,0],[2,0,0.5]]", "plane", &["point 2 is", "out of the plane"]);
    expect("plane", "plane = [0, 0, 0]", "[0, 0, 0]", &["no direction"]);
    expect("plane", "rest_curvature = 2.0", "2.0", &["needs a plane"]);
    expect("plane", "bending = \"acos\"", "\"acos\"", &["needs a plane"]);
    expect("plane", "remedy = false", "false", &["means nothing without bending = \"acos\""]);
    expect("radius", "radius = -1", "-1", &["`rope.0.radius` is -1"]);
    expect("radius", "remesh = { size_min = 0.01 }", "{", &["not supported: a rope keeps its segments"]);
    expect("radius", "grid = {}", "grid", &["unknown key `grid`", "segments"]);
}

#[test]
fn impossible_materials_pins_and_probes_are_refused() {
    expect("material", "material = \"cotton\"", "\"cotton\"", &["a table with the keys density, stretch"]);
    let unknown = "material = { density = 0.05, stretch = 1e4, shear = 1.0 }";
    expect("material", unknown, "shear", &["unknown key `shear`", "allowed keys in `rope.0.material`"]);
    let negative = "material = { density = 0.05, stretch = -2.0 }";
    expect("material", negative, "-2.0", &["`rope.0.material.stretch` is -2", "greater than 0"]);
    expect("where", "where = { ends = \"middle\" }", "\"middle\"", &["\"first\", \"last\", \"both\""]);
    expect("where", "where = { vertices = [21] }", "{", &["vertex 21 is out of range", "0 to 20"]);
    expect("where", "where = { box = [[5, 5, 5], [6, 6, 6]] }", "{", &["selects no vertex"]);
    expect(
        "where",
        "where = { ends = \"first\", boundary = true }",
        "boundary",
        &["unknown key", "ends, vertices, box"],
    );
    expect("where", "where = { vertices = [3] }", "clamp", &["must hold an end"]);
    expect("name = \"wire\"", "name = \"line\"", "\"line\"", &["used twice"]);
    expect("rope = ", "rope = \"lime\"", "\"lime\"", &["the unknown rope", "\"line\", \"wire\""]);
    expect("at = ", "at = 1.5", "1.5", &["from 0 to 1"]);
    expect("at = ", "at = 0.5\nmaterial = [0, 0]", "[0, 0]", &["does not go with a probe on a rope"]);
}
