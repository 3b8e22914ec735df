//! Scenes that are odd, though not wrong, run; what no solver can do fails with a reason.

use crate::common::Desk;

/// A sheet that hangs by its upper edge, with lines for `[simulation]`, the grid's cells, and lines for cloth and pin.
fn scene(simulation: &str, cells: [u32; 2], cloth: &str, pin: &str) -> String {
    format!(
        r#"
[simulation]
duration = 0.05
{simulation}
[[cloth]]
name = "sheet"
grid = {{ size = [1.0, 1.0], cells = {cells:?} }}
material = {{ density = 0.2, stretch = [1000.0, 1000.0], bend = [1e-5, 1e-5] }}
place = {{ rotate_deg = [-90, 0, 0] }}
{cloth}
{pin}
"#
    )
}

const UPPER_EDGE: &str = "[[cloth.pin]]\nwhere = { material_box = [[0, 1], [1, 1]] }";

/// Runs a scene and expects finite metrics at the end.
#[track_caller]
fn expect_run(text: &str) {
    let desk = Desk::new();
    desk.write("scene.toml", text);
    desk.done(&["run", "scene.toml", "--out", "a", "--quiet"]);
    let metrics = desk.read("a/metrics.csv");
    assert!(!metrics.contains("NaN") && !metrics.contains("inf"), "{metrics}");
}

#[test]
fn a_cloth_of_two_triangles_has_an_empty_coarse_grid_and_runs() {
    for mode in ["dynamic", "static"] {
        for cells in [[1, 1], [1, 2], [1, 40]] {
            let settings = format!("solver = \"global\"\nmode = \"{mode}\"");
            expect_run(&scene(&settings, cells, "", UPPER_EDGE));
        }
    }
    expect_run(&scene("solver = \"global\"", [1, 1], "", ""));
}

#[test]
fn loads_and_clamps_of_all_kinds_run() {
    for pressure in ["5.0", "-5.0"] {
        expect_run(&scene("", [6, 6], &format!("pressure = {pressure}"), UPPER_EDGE));
    }
    // A clamped vertex without a held neighbor has no direction to hold.
    expect_run(&scene("", [6, 6], "", "[[cloth.pin]]\nwhere = { vertices = [0] }\nclamp = true"));
    for bending in ["hinge", "none"] {
        let clamp = format!("{UPPER_EDGE}\nclamp = true");
        expect_run(&scene("", [6, 6], &format!("bending = \"{bending}\""), &clamp));
    }
}

/// A sheet of 30 cm at a height \[m\], without pins, and more tables.
fn loose_sheet(height: f64, more: &str) -> String {
    let place = format!("place = {{ translate = [-0.15, {height}, 0.15], rotate_deg = [-90, 0, 0] }}");
    let scene = scene("", [6, 6], "", more).replace("place = { rotate_deg = [-90, 0, 0] }", &place);
    scene.replace("size = [1.0, 1.0]", "size = [0.3, 0.3]")
}

#[test]
fn a_cloth_that_starts_inside_an_obstacle_is_told_and_pushed_out() {
    for shape in [
        "sphere = { radius = 0.1 }",
        "sphere = { radius = 0.4 }",
        "box = { half_size = [0.1, 0.1, 0.1] }",
        "capsule = { radius = 0.1, half_length = 0.1 }",
        "plane = {}",
    ] {
        let height = if shape.starts_with("plane") { -0.01 } else { 0.05 };
        let desk = Desk::new();
        desk.write("scene.toml", &loose_sheet(height, &format!("[[obstacle]]\nshape = {{ {shape} }}")));
        let reply = desk.done(&["run", "scene.toml", "--out", "a", "--quiet"]);
        for part in ["\"sheet\" reaches into obstacle.0 at the start", "pushed out", "`place`"] {
            assert!(reply.err.contains(part), "{shape}: {part:?} is not in:\n{}", reply.err);
        }
        let metrics = desk.read("a/metrics.csv");
        assert!(!metrics.contains("NaN") && !metrics.contains("inf"), "{shape}: {metrics}");
        let crossings = |row: usize| desk.timeless_metrics("a")[row][17].parse::<u64>().unwrap();
        assert!(crossings(1) > 0, "{shape}: the faces that reach into it are counted");
        let starts = &desk.summary("a")["starts_inside"];
        assert_eq!(starts[0]["cloth"], "sheet", "{shape}: {starts}");
        assert!(starts[0]["faces"].as_u64().unwrap() > 0, "{shape}: {starts}");
    }
}

/// A closed cube with sides of 1 m around the origin.
const CUBE: &str = "v -0.5 -0.5 -0.5\nv 0.5 -0.5 -0.5\nv 0.5 0.5 -0.5\nv -0.5 0.5 -0.5\nv -0.5 -0.5 0.5\nv 0.5 -0.5 0.5\n\
    v 0.5 0.5 0.5\nv -0.5 0.5 0.5\nf 1 4 3 2\nf 5 6 7 8\nf 1 2 6 5\nf 4 8 7 3\nf 1 5 8 4\nf 2 3 7 6\n";

#[test]
fn a_cloth_that_starts_inside_a_closed_mesh_is_told_and_one_outside_is_not() {
    let desk = Desk::new();
    desk.write("cube.obj", CUBE);
    let start = |height: f64, folder: &str| {
        let mesh = "[[obstacle]]\nshape = { mesh = \"cube.obj\" }";
        desk.write("scene.toml", &loose_sheet(height, mesh));
        let reply = desk.done(&["run", "scene.toml", "--out", folder, "--quiet"]);
        (reply.err, desk.summary(folder)["starts_inside"].clone())
    };
    let (said, listed) = start(0.05, "inside");
    for part in ["\"sheet\" starts inside obstacle.0 (near", "stays inside", "`place`"] {
        assert!(said.contains(part), "{part:?} is not in:\n{said}");
    }
    assert_eq!(listed[0]["obstacle"], 0);
    let (said, listed) = start(0.55, "outside");
    assert!(!said.contains("inside"), "{said}");
    assert_eq!(listed, serde_json::json!([]));
}

#[test]
fn contact_thicker_than_the_cells_runs_with_a_warning() {
    let desk = Desk::new();
    let floor = "[[obstacle]]\nshape = { plane = {} }\n[contact]\nthickness = 0.1";
    desk.write("scene.toml", &loose_sheet(0.06, floor));
    let reply = desk.done(&["run", "scene.toml", "--out", "a", "--quiet"]);
    assert!(
        reply.err.contains("contact.thickness: the thickness of contact, 0.1 m, is more than the mean edge")
    );
    assert!(desk.timeless_metrics("a")[1..].iter().all(|row| row[17] == "0"));
}

#[test]
fn friction_beyond_all_measure_holds() {
    let rough = "[[obstacle]]\nshape = { plane = {} }\nfriction = { static = 1e30, kinetic = 1e30 }";
    expect_run(&loose_sheet(0.001, rough));
}

#[test]
fn cloths_that_start_across_each_other_are_listed() {
    let desk = Desk::new();
    let other = "[[cloth]]\nname = \"other\"\ngrid = { size = [0.2, 0.2], cells = [5, 5] }\n\
                 place = { translate = [-0.1, -0.1, 0.03], rotate_deg = [10, 5, 0] }";
    desk.write("scene.toml", &loose_sheet(0.0, other));
    let reply = desk.done(&["run", "scene.toml", "--out", "a", "--quiet"]);
    assert!(reply.err.contains("cross themselves, each other or obstacles at the start"), "{}", reply.err);
    let summary = desk.summary("a");
    let pairs = summary["quarantine"].as_array().unwrap();
    assert!(!pairs.is_empty() && summary["totals"]["frames_with_crossings"].as_u64() > Some(0));
    for pair in pairs {
        let mut bodies = [0, 1].map(|k| pair["bodies"][k].as_str().unwrap());
        bodies.sort_unstable();
        assert_eq!(bodies, ["cloth 'other'", "cloth 'sheet'"]);
        assert!(
            pair["position"].as_array().unwrap().iter().all(|x| x.as_f64().unwrap().abs() < 0.5),
            "{pair}"
        );
    }
}

#[test]
fn a_cloth_that_floats_has_no_equilibrium_and_is_named() {
    let desk = Desk::new();
    desk.write("scene.toml", &scene("mode = \"static\"", [4, 4], "", ""));
    let reply = desk.call(&["run", "scene.toml", "--out", "a"]);
    assert_eq!(reply.status, 1, "{}", reply.err);
    for part in ["no equilibrium", "cloth 'sheet' floats", "no pin holds it against its load"] {
        assert!(reply.err.contains(part), "{part:?} is not in:\n{}", reply.err);
    }
}
