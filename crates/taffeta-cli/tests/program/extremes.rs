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
