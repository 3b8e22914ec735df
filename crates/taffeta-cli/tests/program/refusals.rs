//! Bad input: exit status 2, a message that says what, where and what to do, and nothing is written.

use crate::common::{Desk, SCENE};

/// Runs [`SCENE`] with a line replaced.
#[track_caller]
fn expect_refusal(old: &str, new: &str, parts: &[&str]) {
    let desk = Desk::new();
    assert!(SCENE.contains(old), "{old}");
    desk.write("scene.toml", &SCENE.replace(old, new));
    desk.refused(&["run", "scene.toml"], parts);
}

/// Runs [`SCENE`] with a mesh file instead of the grid, without pins and probes.
#[track_caller]
fn expect_mesh_refusal(obj: &str, parts: &[&str]) {
    let desk = Desk::new();
    desk.write("mesh.obj", obj);
    let start = SCENE.split("[[cloth.pin]]").next().unwrap();
    desk.write("scene.toml", &start.replace(GRID, "mesh = \"mesh.obj\""));
    desk.refused(&["run", "scene.toml"], parts);
}

const GRID: &str = "grid = { size = [1.0, 1.0], cells = [8, 8] }";
const MATERIAL: &str = "material = \"cotton\"";

#[test]
fn scenes_that_cannot_be_read() {
    let desk = Desk::new();
    desk.refused(&["run", "none.toml"], &["none.toml", "cannot read the scene", "taffeta new"]);
    desk.refused(&["run", "."], &["is a folder", "scene file"]);
    desk.write("scene.toml", "[simulation\n");
    desk.refused(&["run", "scene.toml"], &["scene.toml:1:", "^"]);
    desk.write("scene.toml", "");
    desk.refused(&["run", "scene.toml"], &["simulation.duration"]);
}

#[test]
fn keys_and_values() {
    expect_refusal(
        "frame_rate",
        "framerate",
        &["scene.toml:3:1", "unknown key", "did you mean `frame_rate`?"],
    );
    expect_refusal(
        "duration = 0.1",
        "duration = \"long\"",
        &["scene.toml:2:12", "the string \"long\"", "number"],
    );
    expect_refusal("cells = [8, 8]", "cells = [8, 0]", &["scene.toml:7:41", "is 0", "from 1"]);
    expect_refusal(MATERIAL, "material = \"coton\"", &["scene.toml:8:12", "coton", "cotton"]);
    let negative = "material = { density = -0.2, stretch = [1e3, 1e3], bend = [1e-5, 1e-5] }";
    expect_refusal(MATERIAL, negative, &["scene.toml:8:", "density", "-0.2"]);
    let sizes = "material = \"cotton\"\nremesh = { size_min = 0.2, size_max = 0.1 }";
    expect_refusal(MATERIAL, sizes, &["scene.toml:9:", "size_min", "0.2", "size_max", "0.1"]);
    expect_refusal(
        "material = [0.5, 0.5]",
        "material = [0.5, 1.5]",
        &["probe", "not on the cloth", "[0.5, 1]"],
    );
}

#[test]
fn what_is_not_supported_yet() {
    expect_refusal(
        "duration",
        "time = \"tr_bdf2\"\nsolver = \"projective\"\nduration",
        &["scene.toml:2:", "projective", "implicit Euler", "global"],
    );
    expect_refusal(
        MATERIAL,
        "material = \"cotton\"\nconstraint = \"energy\"",
        &["constraint", "the solver \"auto\"", "constraint = \"strain\" has the same energy"],
    );
    expect_refusal(
        "[[probe]]",
        "[output]\nformats = [\"stl\"]\n[[probe]]",
        &["stl", "must be one of", "\"obj\", \"ply\""],
    );
    expect_refusal("sphere = { radius = 0.2 }", "mesh = \"body.obj\"", &["mesh", "cannot read", "body.obj"]);
}

#[test]
fn what_the_block_solver_cannot_do() {
    let parts = ["scene.toml:3:", "tr_bdf2", "global and direct"];
    expect_refusal("duration", "solver = \"block\"\ntime = \"tr_bdf2\"\nduration", &parts);
    let parts = ["scene.toml:3:", "static", "global and direct"];
    expect_refusal("duration", "solver = \"block\"\nmode = \"static\"\nduration", &parts);
}

#[test]
fn thickness_of_contact() {
    for bad in ["0", "-0.001", "nan", "inf"] {
        let table = format!("[contact]\nthickness = {bad}\n[[probe]]");
        expect_refusal(
            "[[probe]]",
            &table,
            &["scene.toml:18:13", "contact.thickness", "finite and greater than 0"],
        );
    }
    let parts = ["scene.toml:18:13", "2 m, is more than the size of the cloth \"sheet\", 1.4142 m"];
    expect_refusal("[[probe]]", "[contact]\nthickness = 2.0\n[[probe]]", &parts);
    let thick = "material = { density = 0.2, thickness = 2.0, stretch = [1e3, 1e3], bend = [1e-5, 1e-5] }";
    expect_refusal(MATERIAL, thick, &["scene.toml:8:", "2 m, is more than the size"]);
}

#[test]
fn friction_of_an_obstacle() {
    for (bad, parts) in [
        ("{ static = -0.1, kinetic = 0.1 }", ["obstacle.0.friction.static", "is -0.1"]),
        ("{ static = nan, kinetic = 0.1 }", ["obstacle.0.friction.static", "is NaN"]),
        ("{ static = 0.1, kinetic = 0.3 }", ["kinetic friction 0.3 is greater", "at most the static one"]),
    ] {
        expect_refusal("[[probe]]", &format!("friction = {bad}\n[[probe]]"), &parts);
    }
}

#[test]
fn contact_between_cloths_under_projective() {
    let table = "[contact]\nself = true\n[[probe]]";
    let desk = Desk::new();
    desk.write("scene.toml", &SCENE.replace("[[probe]]", table));
    let run = ["run", "scene.toml", "--set", "simulation.solver=projective"];
    desk.refused(
        &run,
        &[
            "scene.toml:",
            "\"projective\" does not know contact between cloths",
            "global, direct, block, xpbd or pbd",
        ],
    );
}

#[test]
fn pins_that_hold_nothing() {
    let parts = ["scene.toml:12:", "holds nothing", "the cloth extends from [-0.5, 0.22, "];
    expect_refusal("[[-0.51, 0.0, -0.51], [0.51, 0.5, -0.49]]", "[[5, 5, 5], [6, 6, 6]]", &parts);
    let parts = ["vertex 500 is out of range", "0 to 80"];
    expect_refusal("box = [[-0.51, 0.0, -0.51], [0.51, 0.5, -0.49]]", "vertices = [0, 500]", &parts);
    let axes = "axes = [false, false, false]\n\n[[obstacle]]";
    expect_refusal("\n[[obstacle]]", axes, &["scene.toml:13:8", "holds nothing", "at least one"]);
}

#[test]
fn meshes_that_are_no_cloth() {
    expect_mesh_refusal("", &["scene.toml:7:8", "mesh.obj", "empty"]);
    expect_mesh_refusal("v 0 0 0\nv 1 0 0\nv 0 1 0\n", &["mesh.obj", "no faces"]);
    expect_mesh_refusal("v 0 0 nan\nv 1 0 0\nv 0 1 0\nf 1 2 3\n", &["mesh.obj:1", "nan", "finite"]);
    expect_mesh_refusal(
        "v 0 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 4\n",
        &["mesh.obj:4", "vertex 4", "out of range", "3 vertices"],
    );
    expect_mesh_refusal("v 0 0 0\nv 1 0 0\nv 0 1 0\nf 0 1 2\n", &["mesh.obj:4", "start at 1"]);
    expect_mesh_refusal("v 0 0 0\nv 1 0 0\nv 2 0 0\nf 1 2 3\n", &["without area", "line 4"]);
    let fin = "v 0 0 0\nv 1 0 0\nv 1 1 0\nv 0 1 0\nv 0 0 1\nf 1 2 3\nf 1 3 4\nf 1 3 5\n";
    expect_mesh_refusal(fin, &["scene.toml:7:8", "branches", "line 8", "sheet"]);
    let bow_tie = "v 0 0 0\nv 1 0 0\nv 0 1 0\nv -1 0 0\nv 0 -1 0\nf 1 2 3\nf 1 4 5\n";
    expect_mesh_refusal(bow_tie, &["scene.toml", "cloth 'sheet'", "meet at vertex", "taffeta inspect"]);
}

#[test]
fn a_missing_mesh_is_named() {
    expect_refusal(GRID, "mesh = \"none.obj\"", &["scene.toml:7:8", "none.obj", "No such file"]);
}

#[test]
fn overrides() {
    let desk = Desk::new();
    let refused =
        |setting: &str, parts: &[&str]| desk.refused(&["run", "scene.toml", "--set", setting], parts);
    refused("cloth.0.grid.cells", &["--set cloth.0.grid.cells", "key.path=value"]);
    refused("cloth.0.grid.sells=3", &["--set cloth.0.grid.sells=3", "unknown key"]);
    refused("cloth.0.grid.cells=many", &["--set cloth.0.grid.cells=many", "array"]);
    refused("cloth.7.name=a", &["--set cloth.7.name=a", "no number 7"]);
}

#[test]
fn output_folders() {
    let desk = Desk::new();
    desk.done(&["run", "scene.toml", "--out", "a", "--frames", "1", "--quiet"]);
    let parts = ["a already exists and is not empty", "--out", "delete"];
    desk.refused(&["run", "scene.toml", "--out", "a"], &parts);
    desk.refused(&["run", "scene.toml", "--out", "scene.toml"], &["scene.toml is a file", "--out"]);
    desk.refused(
        &["run", "scene.toml", "--out", "scene.toml/b"],
        &["cannot make the output folder", "scene.toml/b"],
    );
    desk.refused(&["run", "scene.toml", "--out", "/proc/none/b"], &["/proc/none/b"]);
}

#[test]
fn unknown_commands_are_taken_for_the_nearest() {
    let desk = Desk::new();
    for (word, command) in [("rn", "run"), ("runn", "run"), ("rendr", "render"), ("studi", "study")] {
        desk.refused(&[word, "scene.toml"], &[&format!("a similar subcommand exists: '{command}'")]);
    }
}

#[test]
fn warnings_come_before_the_error_that_ends_the_run() {
    let desk = Desk::new();
    let wide = "cloth.0.grid.size=[100.0,100.0]";
    let unused = "materials.rare={ density = 1, stretch = [1, 1], bend = [0, 0] }";
    let pins = "cloth.0.pin=[{ where = { boundary = true } }, { where = { boundary = true }, \
                motion = [{ t = 0 }, { t = 1, translate = [1, 0, 0] }] }]";
    // Refused when the scene is read, when its meshes are made, and when its world is built.
    let cases: [(&str, &[&str], &[&str]); 5] = [
        ("run", &[unused, "cloth.0.material=velvett"], &["rare is used by no cloth", "velvett"]),
        ("study", &[unused, "cloth.0.material=velvett"], &["rare is used by no cloth", "velvett"]),
        (
            "run",
            &[unused, wide, "cloth.0.pin.0.where={ vertices = [999] }"],
            &["rare is", "is 100 m wide", "vertex 999"],
        ),
        (
            "study",
            &[unused, wide, "cloth.0.pin.0.where={ vertices = [999] }"],
            &["rare is", "is 100 m wide", "vertex 999"],
        ),
        ("run", &[unused, wide, "obstacle=[]", pins], &["rare is", "is 100 m wide", "both hold vertex"]),
    ];
    for (command, changes, parts) in cases {
        let mut arguments = vec![command, "scene.toml", "--set"];
        arguments.extend_from_slice(changes);
        if command == "study" {
            arguments.extend(["--vary", "simulation.seed=1,2"]);
        }
        desk.refused(&arguments, parts);
        let text = desk.call(&arguments).err;
        let places: Vec<Option<usize>> = parts.iter().map(|part| text.find(part)).collect();
        assert!(places.is_sorted() && text.starts_with("warning: "), "{text}");
        assert!(text.lines().any(|line| line.starts_with("error: ")), "{text}");
    }
}

#[test]
fn a_draft_without_effect_says_so() {
    let desk = Desk::new();
    let warned = |changes: &[&str]| {
        let arguments = ["run", "scene.toml", "--draft", "--frames", "0", "--quiet", "--set", "probe=[]"];
        let text = desk.done(&[&arguments[..], changes].concat()).err;
        std::fs::remove_dir_all(desk.path("out")).unwrap();
        text
    };
    assert_eq!(warned(&[]), "");
    // Sheets of paper do not stiffen, which `block` does not know.
    assert_eq!(warned(&["simulation.solver=block", "cloth.0.material=paper", crate::common::REMESH]), "");
    assert!(warned(&["simulation.solver=block"]).contains("--draft changes nothing: the solver block"));
    assert!(warned(&["simulation.accuracy=draft"]).contains("is as rough already, and no cloth is remeshed"));
    assert!(warned(&["simulation.mode=static"]).contains("--draft changes nothing: an equilibrium"));
}
