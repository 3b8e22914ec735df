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
fn obstacles_that_close_on_a_cloth_are_warned_about_and_listed() {
    let desk = Desk::new();
    let plane = |normal: i32| {
        format!(
            "[[obstacle]]\nshape = {{ plane = {{ normal = [0, {normal}, 0] }} }}\nmotion = [ {{ t = 0, translate = \
             [0, {}, 0] }}, {{ t = 0.03, translate = [0, {}, 0] }} ]\n",
            -0.02 * f64::from(normal),
            0.01 * f64::from(normal)
        )
    };
    for meets in [true, false] {
        let more = format!("{}{}[contact]\nself = {meets}", plane(1), plane(-1));
        desk.write("scene.toml", &loose_sheet(0.0, &more));
        let folder = format!("self_{meets}");
        let reply = desk.done(&["run", "scene.toml", "--out", &folder, "--quiet"]);
        for part in [
            "have forced cloths through something",
            "plane obstacle 0 and cloth 'sheet' at 0.0",
            "no way was found to keep apart",
            "something crosses in frame",
        ] {
            assert!(reply.err.contains(part), "{part:?} is not in:\n{}", reply.err);
        }
        let summary = desk.summary(&folder);
        assert_eq!(summary["outcome"], "finished", "the run goes on");
        assert!(summary["totals"]["given_up"].as_u64() > Some(0));
        assert_eq!(summary["forced"][0]["bodies"][1], "cloth 'sheet'");
        let pair = &summary["quarantine"][0];
        assert_eq!((&pair["edge"], &pair["bodies"][1]), (&serde_json::Value::Null, &"cloth 'sheet'".into()));
        let crossings: u64 = desk.timeless_metrics(&folder).last().unwrap()[17].parse().unwrap();
        assert!(crossings >= 72, "all faces are in a plane: {crossings}");
    }
}

#[test]
fn an_obstacle_that_goes_through_within_a_substep_is_counted() {
    let desk = Desk::new();
    let ball = "[[obstacle]]\nshape = { sphere = { radius = 0.05 } }\nmotion = [ { t = 0, translate = [0, -50, 0] }, \
                { t = 0.03, translate = [0, 50, 0] } ]\n[[cloth.pin]]\nwhere = { boundary = true }";
    let text = loose_sheet(0.0, ball).replace("[simulation]", "[simulation]\nsubsteps = 1");
    desk.write("scene.toml", &text);
    let reply = desk.done(&["run", "scene.toml", "--out", "a", "--quiet"]);
    for part in ["have gone through", "sphere obstacle 0 and cloth 'sheet'"] {
        assert!(reply.err.contains(part), "{part:?} is not in:\n{}", reply.err);
    }
    let crossings = |row: usize| desk.timeless_metrics("a")[row][17].parse::<u64>().unwrap();
    assert!((1..=3).any(|row| crossings(row + 1) > 0), "the frame in which it goes through");
}

#[test]
fn an_obstacle_that_moves_farther_than_can_be_followed_ends_the_run_with_a_reason() {
    let desk = Desk::new();
    let ball = "[[obstacle]]\nshape = { sphere = { radius = 0.05 } }\nmotion = [ { t = 0, translate = [0, -1, 0] }, \
                { t = 0.03, translate = [0, 1e9, 0] } ]";
    desk.write("scene.toml", &loose_sheet(0.0, ball));
    let reply = desk.call(&["run", "scene.toml", "--out", "a"]);
    assert_eq!(reply.status, 1, "{}", reply.err);
    for part in ["sphere obstacle 0 moves by", "take more substeps"] {
        assert!(reply.err.contains(part), "{part:?} is not in:\n{}", reply.err);
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

#[test]
#[ignore = "second tier: a step does all the work that it may do"]
fn a_step_in_which_nothing_helps_has_an_end() {
    let desk = Desk::new();
    let text = "[simulation]\nduration = 0.05\n[[cloth]]\nname = \"sheet\"\nmaterial = \"cotton\"\ngrid = { size = [1, 1], \
                cells = [16, 16] }\nplace = { translate = [-0.5, 0.25, 0.5], rotate_deg = [-90, 0, 0] }\n[[cloth.pin]]\nwhere = { \
                material_box = [[0, 1], [1, 1]] }\n[[obstacle]]\nshape = { plane = { normal = [0, 1, 0] } }\nplace = { translate = \
                [0, -0.3, 0] }\nmotion = [ { t = 0 }, { t = 0.05, translate = [0, 5e4, 0] } ]";
    desk.write("scene.toml", text);
    let reply = desk.done(&["run", "scene.toml", "--out", "a", "--quiet", "--frames", "1"]);
    assert!(reply.err.contains("all the work was done that a step may do"), "{}", reply.err);
    assert!(desk.summary("a")["totals"]["hurried_steps"].as_u64() > Some(0));
}
