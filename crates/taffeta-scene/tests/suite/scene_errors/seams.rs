//! Seams: what is sewn together.

use super::{expect, read, replace_line};
use std::fs;
use taffeta_scene::Scene;

/// The good scene's sheet with one seam that has these keys; vertices 0 to 80, nine to a row.
#[track_caller]
fn expect_seam(keys: &str, at: &str, parts: &[&str]) {
    let place = "place = { translate = [0, 0, 1], rotate_deg = [90, 0, 0], scale = 1.0 }";
    expect("place", &format!("seam = [{{ {keys} }}]\n{place}"), at, parts);
}

const A: &str = "a = { vertices = [0, 72] }";
const B: &str = "b = { vertices = [8, 80] }";

#[test]
fn a_seam_has_two_runs_or_a_distance() {
    let help = "a = { panel = \"front\", edge = 1 }";
    expect_seam(A, "{ a", &["`cloth.0.seam.0` must have a and b, or distance, but has a", help]);
    expect_seam("time = 1.0", "{ time", &["but has none of them"]);
    expect_seam(&format!("{A}, {B}, distance = 0.1"), "{ a", &["but has a and b and distance"]);
    expect_seam("distance = 0", "0", &["`cloth.0.seam.0.distance` is 0", "greater than 0"]);
    expect_seam("distance = 0.1, ease = true", "true", &["belongs to a seam of two runs"]);
    expect_seam(&format!("{A}, {B}, time = 0"), "0 }]", &["`cloth.0.seam.0.time` is 0", "greater than 0"]);
    expect_seam(&format!("{A}, {B}, ease = 1"), "1 }]", &["true or false"]);
    expect_seam(
        &format!("{A}, {B}, turn = 1"),
        "turn",
        &["unknown key `turn`", "a, b, distance, time, ease"],
    );
    expect("place", "seam = { distance = 1 }", "{", &["must be an array of tables", "[[cloth.seam]]"]);
}

#[test]
fn runs_name_vertices_of_the_boundary() {
    let run = |a: &str| format!("a = {a}, {B}");
    expect_seam(&run("{}"), "{}", &["`cloth.0.seam.0.a` must have vertices, or panel and edge"]);
    expect_seam(&run("{ vertices = [0] }"), "[0]", &["names 1 vertices", "at least 2"]);
    expect_seam(&run("{ vertices = [0, -1] }"), "-1", &["is -1"]);
    expect_seam(
        &run("{ vertices = [0, 81] }"),
        "[0, 81]",
        &["seam 0 of the cloth \"sheet\", run a", "vertex 81 is out of range"],
    );
    expect_seam(
        &run("{ vertices = [0, 40] }"),
        "{ vertices = [0, 40]",
        &["vertex 40 of run a is not on the boundary"],
    );
    expect_seam(&run("{ vertices = [0, 27, 18] }"), "{ vertices = [0, 27", &["run a passes vertex 18 twice"]);
    expect_seam(
        &run("{ vertices = [0, 0] }"),
        "{ vertices = [0, 0]",
        &["run a is a whole loop and the other one is not"],
    );
    expect_seam(
        &run("{ vertices = [0, 54] }"),
        "{ a",
        &[
            "run a (panel 0, vertices 54 to 0) is 0.7500 m long",
            "is 1.0000 m long",
            "25.0 %, more than 5 %",
            "ease = true",
        ],
    );
    expect_seam("distance = 0.01", "{ distance", &["no two runs of the boundary are within 0.01 m"]);
}

#[test]
fn sewing_needs_time_and_a_solver_that_can() {
    let seam = format!("seam = [{{ {A}, {B} }}]");
    let refuse = |old: &str, new: &str| {
        let (text, _) = replace_line("place", &seam);
        let text = text.replace(old, new);
        assert!(text.contains(new), "{new}");
        read(&text).unwrap_err().to_string()
    };
    for solver in ["xpbd", "pbd", "projective"] {
        let report = refuse("solver = \"auto\"", &format!("solver = \"{solver}\""));
        assert!(report.contains(&format!("the solver \"{solver}\" cannot sew")), "{report}");
    }
    let report = refuse("duration = 4.0", "mode = \"static\"");
    assert!(report.contains("sewing takes time"), "{report}");
    let report = refuse("size_max = 0.10", "size_max = 0.10\nanisotropic = true");
    assert!(report.contains("knows one chart"), "{report}");
}

#[test]
fn panels_need_material_coordinates_and_keep_the_numbers_of_their_file() {
    let folder = tempfile::tempdir().unwrap();
    // The first vertex belongs to no face.
    let positions = "v 9 9 9\nv 0 0 0\nv 1 0 0\nv 1 1 0\nv 0 1 0\nv 1.1 0 0\nv 2.1 0 0\nv 2.1 1 0\nv 1.1 1 0\nv 0.5 0.5 0\n";
    let coords = "vt 0 0\nvt 1 0\nvt 1 1\nvt 0 1\nvt 0.5 0.5\n";
    let bare = "f 2 3 10\nf 3 4 10\nf 4 5 10\nf 5 2 10\nf 6 7 8 9\n";
    let laid = "f 2/1 3/2 10/5\nf 3/2 4/3 10/5\nf 4/3 5/4 10/5\nf 5/4 2/1 10/5\nf 6/1 7/2 8/3 9/4\n";
    fs::write(folder.path().join("bare.obj"), format!("{positions}{bare}")).unwrap();
    fs::write(folder.path().join("laid.obj"), format!("{positions}{coords}{laid}")).unwrap();
    let scene = |file: &str, a: &str| -> Scene {
        let path = folder.path().join(file);
        let text = format!(
            "[simulation]\nduration = 1\n[[cloth]]\nmesh = {:?}\n[[cloth.seam]]\na = {{ vertices = {a} }}\nb = {{ vertices = [5, 8] }}\n",
            path.to_str().unwrap()
        );
        read(&text).unwrap()
    };
    let report = scene("bare.obj", "[2, 3]").build().unwrap_err().to_string();
    assert!(report.contains("its panels have no material coordinates (vt)"), "{report}");
    let report = scene("laid.obj", "[2, 9]").build().unwrap_err().to_string();
    assert!(
        report.contains("vertex 9 of run a is not on the boundary") && report.contains("test.toml:6"),
        "{report}"
    );
    let report = scene("laid.obj", "[2, 0]").build().unwrap_err().to_string();
    assert!(report.contains("vertex 0 belongs to no face"), "{report}");
    scene("laid.obj", "[2, 3]").build().unwrap();
}
