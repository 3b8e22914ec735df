//! Solids and volumes of closed cloths: shape, material, pins, probes, and what of the simulation they do not go with.

use super::{expect_in, read};

/// A valid scene. Bad ones replace one of its lines.
const GOOD: &str = r#"[simulation]
duration = 4.0
solver = "auto"
mode = "dynamic"
time = "auto"

[[solid]]
name = "block"
box = { size = [0.2, 0.1, 0.1], cells = [4, 2, 2] }
material = { density = 1000.0, young = 1e5, poisson = 0.3, damping = 0.01 }
volume_stiffness = 1e4
place = { translate = [0, 1, 0] }

[[solid.pin]]
where = { box = [[-0.01, 0.9, -1], [0.01, 1.2, 1]] }

[[cloth]]
name = "balloon"
ball = { radius = [0.2, 0.1, 0.2], level = 2 }
volume = { ratio = 1.5, inflation = 0.5, bulk = 1e4 }

[[probe]]
name = "tip"
solid = "block"
point = [0.2, 0.05, 0.05]
"#;

fn expect(old: &str, new: &str, at: &str, parts: &[&str]) {
    expect_in(GOOD, (old, new), at, parts);
}

#[test]
fn a_scene_of_a_solid_and_a_balloon_is_good_and_reads_back() {
    let scene = read(GOOD).unwrap();
    let world = scene.build().unwrap();
    assert_eq!((world.solids[0].positions.len(), world.solids[0].tetrahedra.len()), (45, 80));
    assert_eq!(world.solids[0].material.volume_stiffness, 1e4);
    let built = scene.assemble().unwrap();
    assert_eq!(built.solid_probes[0].point.to_array(), [0.2, 1.05, 0.05]);
    assert_eq!(world.cloths[0].volume.unwrap().ratio, 1.5);
    let again =
        taffeta_scene::Scene::from_str(&scene.to_json().to_string(), std::path::Path::new("scene.json"), &[]);
    assert_eq!(again.unwrap().to_json(), scene.to_json());
}

#[test]
fn impossible_shapes_are_refused() {
    let cells = "box = { size = [0.2, 0.1, 0.1], cells = [0, 2, 2] }";
    expect("box", cells, "0, 2, 2", &["`solid.0.box.cells.0` is 0", "from 1"]);
    let flat = "box = { size = [0.2, 0.0, 0.1], cells = [4, 2, 2] }";
    expect("box", flat, "0.0", &["`solid.0.box.size.1` is 0", "greater than 0"]);
    let thin = "box = { size = [0.2, 1e-12, 0.1], cells = [4, 2, 2] }";
    expect("box", thin, "{ size", &["tetrahedron 0 is flat"]);
    let many = "box = { size = [0.2, 0.1, 0.1], cells = [4000, 4000, 2] }";
    expect("box", many, "[4000", &["32000000 cells", "at most"]);
    expect("box", "", "[[solid]]", &["`box` is missing in `solid.0`"]);
    expect(
        "box",
        "boxes = {}\nbox = { size = [0.2, 0.1, 0.1], cells = [4, 2, 2] }",
        "boxes",
        &["unknown key"],
    );
    expect("volume_stiffness", "remesh = {}", "{}", &["`solid.0.remesh` is not supported"]);
}

#[test]
fn impossible_materials_are_refused() {
    let material = |text: &str| format!("material = {{ {text} }}");
    let cases = [
        ("density = 0.0, young = 1e5, poisson = 0.3", "0.0", "`solid.0.material.density` is 0"),
        ("density = 1.0, young = -1e5, poisson = 0.3", "-1e5", "greater than 0"),
        ("density = 1.0, young = 1e5, poisson = 0.5", "0.5", "less than 0.5"),
        ("density = 1.0, young = 1e5, poisson = 0.3, damping = -1", "-1", "at least 0"),
        ("density = 1.0, young = 1e5, poisson = 0.3, bend = 1", "bend", "unknown key"),
    ];
    for (text, at, part) in cases {
        expect("material", &material(text), at, &[part]);
    }
    expect(
        "material",
        &material("density = 1.0, young = 1e5"),
        "{",
        &["`poisson` is missing in `solid.0.material`"],
    );
}

#[test]
fn pins_and_probes_must_find_something() {
    let nowhere = "where = { box = [[5, 5, 5], [6, 6, 6]] }";
    expect("where", nowhere, "{ box", &["pin 0: it selects no vertex"]);
    expect("where", "where = { vertices = [99] }", "{ vertices", &["vertex 99 is out of range"]);
    let clamped = "where = { boundary = true }\nclamp = true";
    expect("where", clamped, "clamp", &["unknown key"]);
    expect("solid = ", "solid = \"blok\"", "\"blok\"", &["unknown solid \"blok\"", "\"block\""]);
    expect("point", "", "[[probe]]", &["`point` is missing in `probe.0`"]);
    expect(
        "point",
        "point = [0, 0, 0]\ncloth = \"balloon\"",
        "\"balloon\"",
        &["does not go with a probe on a solid"],
    );
}

#[test]
fn volumes_belong_to_closed_cloths_of_fixed_topology() {
    let grid = "grid = { size = [1, 1], cells = [2, 2] }";
    expect("ball", grid, "volume", &["the cloth \"balloon\" can keep no volume", "it is open"]);
    let ratio = "volume = { ratio = 0.0 }";
    expect("volume = ", ratio, "0.0", &["`cloth.0.volume.ratio` is 0", "greater than 0"]);
    expect("volume = ", "volume = { rate = 1.0 }", "rate", &["unknown key", "ratio, inflation"]);
    expect("ball", "ball = { level = 2 }", "{ level", &["`radius` is missing in `cloth.0.ball`"]);
    expect("ball", "ball = { radius = 0.2, level = 40 }", "40", &["`cloth.0.ball.level` is 40"]);
}

#[test]
fn only_some_solvers_know_solids_and_volumes() {
    for solver in ["global", "direct", "pbd"] {
        let text = format!("solver = \"{solver}\"");
        expect("solver", &text, "\"", &["does not know solids", "\"xpbd\" or \"projective\""]);
        let (solid, cloth) = (GOOD.find("[[solid]]").unwrap(), GOOD.find("[[cloth]]").unwrap());
        let balloon = format!("{}{}", &GOOD[..solid], &GOOD[cloth..GOOD.find("[[probe]]").unwrap()]);
        expect_in(
            &balloon,
            ("solver", &text),
            "\"",
            &["does not know volumes of closed cloths", "`pressure`"],
        );
    }
    expect("time", "time = \"bdf2\"", "\"bdf2\"", &["implicit Euler"]);
    expect("mode", "mode = \"static\"", "\"static\"", &["follow motions only"]);
    let text = GOOD.replace("[[solid]]", "[[ropes]]");
    assert!(read(&text).is_err());
}

#[test]
fn projective_dynamics_warns_of_what_it_leaves_out_of_a_solid() {
    let scene = read(&GOOD.replace("\"auto\"\nmode", "\"projective\"\nmode")).unwrap();
    let warned =
        |scene: &taffeta_scene::Scene, part: &str| scene.warnings.iter().any(|text| text.contains(part));
    assert!(warned(&scene, "`solid.0.material.damping`"), "{:?}", scene.warnings);
    assert!(!warned(&scene, "negative ratio"));
    scene.build().unwrap();
    let auxetic =
        GOOD.replace("\"auto\"\nmode", "\"projective\"\nmode").replace("poisson = 0.3", "poisson = -0.2");
    assert!(warned(&read(&auxetic).unwrap(), "knows no negative ratio and takes 0"));
    assert!(!warned(&read(GOOD).unwrap(), "leaves it out"), "the other solvers know damping");
}
