//! Values in other units are told of, with the likely cure; numbers that overflow are refused.

use crate::common::{Desk, SCENE};

/// A square of 4 × 4 cells as OBJ, with its side and that of its material coordinates.
fn square(side: f64, material: [f64; 2]) -> String {
    let mut text = String::new();
    let grid = || (0..25).map(|k| (f64::from(k % 5) / 4.0, f64::from(k / 5) / 4.0));
    grid().for_each(|(s, t)| text += &format!("v {} {} 0\n", side * s, side * t));
    grid().for_each(|(s, t)| text += &format!("vt {} {}\n", material[0] * s, material[1] * t));
    for k in (0..20).filter(|k| k % 5 != 4) {
        let corners = [k + 1, k + 2, k + 7, k + 6].map(|n| format!("{n}/{n}"));
        text += &format!("f {}\n", corners.join(" "));
    }
    text
}

/// Warnings of `run` for a scene with changes, one frame.
fn warnings(desk: &Desk, changes: &[&str]) -> String {
    let arguments = ["run", "scene.toml", "--out", "a", "--frames", "0", "--quiet", "--set"];
    let reply = desk.done(&[&arguments[..], changes].concat());
    std::fs::remove_dir_all(desk.path("a")).unwrap();
    reply.err
}

#[track_caller]
fn expect_once(text: &str, parts: &[&str]) {
    for part in parts {
        assert_eq!(text.matches(part).count(), 1, "{part:?} is not once in:\n{text}");
    }
}

#[test]
fn a_scene_in_meters_has_nothing_to_be_told_of() {
    assert_eq!(warnings(&Desk::new(), &["simulation.seed=1"]), "");
}

#[test]
fn values_in_other_units_are_told_of_once_with_a_cure() {
    let desk = Desk::new();
    let cases: [(&str, &[&str]); 7] = [
        (
            "cloth.0.material={ density = 0.15, stretch = [1000.0, 1000.0], bend = [10.0, 5.0] }",
            &["has a bend of [10.0, 5.0] N·m, more than any cardboard: µN·m? bend = [1e-5, 5e-6] then"],
        ),
        (
            "cloth.0.material={ density = 0.15, thickness = 0.001, stretch = [1e9, 1e9], bend = [1e-5, 1e-5] }",
            &["more than sheet steel: Pa?", "stretch = [1000000.0, 1000000.0] then, for 0.001 m"],
        ),
        ("cloth.0.grid.size=[100.0,100.0]", &["is 100 m wide: `cloth.0.grid.size` is in m"]),
        ("cloth.0.grid.size=[0.001,0.001]", &["is 0.001 m small"]),
        (
            "cloth.0.material={ density = 150.0, stretch = [1000.0, 1000.0], bend = [1e-5, 1e-5] }",
            &["has 150 kg/m², more than any carpet: g/m²? density = 0.15"],
        ),
        (
            "simulation.gravity=[0.0,-981.0,0.0]",
            &["simulation.gravity: 981.0 m/s² is more than three times that of the earth"],
        ),
        ("contact.thickness=0.2", &["the thickness of contact, 0.2 m, is more than the mean edge"]),
    ];
    for (change, parts) in cases {
        // Without the probe, which is beside the smallest sheet, and without the pin.
        let more = ["probe=[]", "cloth.0.pin=[]", "contact.self=false"];
        expect_once(&warnings(&desk, &[&[change], &more[..]].concat()), parts);
    }
}

#[test]
fn solvers_that_do_not_know_how_cloth_stiffens_are_told_of() {
    let desk = Desk::new();
    let with = |solver: &str, material: &str| {
        let changes = [format!("simulation.solver={solver:?}"), format!("cloth.0.material={material}")];
        warnings(&desk, &[&changes[0], &changes[1], "cloth.0.bending=\"hinge\""])
    };
    for solver in ["block", "xpbd"] {
        expect_once(
            &with(solver, "\"cotton\""),
            &[&format!("simulation.solver: {solver:?} has no linearity")],
        );
        assert_eq!(with(solver, "\"paper\""), "");
    }
    assert_eq!(with("global", "\"cotton\""), "");
}

#[test]
fn meshes_in_other_units_are_told_of_by_run_and_inspect() {
    let desk = Desk::new();
    let head = SCENE.split("[[cloth.pin]]").next().unwrap();
    let grid = "grid = { size = [1.0, 1.0], cells = [8, 8] }";
    desk.write("scene.toml", &head.replace(grid, "mesh = \"a.obj\""));
    let cases: [(String, &[&str], &[&str]); 5] = [
        (
            square(70.0, [70.0, 70.0]),
            &["is 70 m wide: centimeters? `cloth.0.place.scale = 0.01`, `cloth.0.uv_scale = 0.01`"],
            &["it is 70 m wide: centimeters? As cloth it needs `place.scale = 0.01`, `uv_scale = 0.01`"],
        ),
        (square(700.0, [700.0, 700.0]), &["is 700 m wide: centimeters?"], &["is 700 m wide: centimeters?"]),
        (square(1700.0, [1700.0, 1700.0]), &["is 1700 m wide: millimeters?"], &["wide: millimeters?"]),
        (
            square(1.7, [1.0, 1.0]),
            &[
                "is strained by 70 % at the start: material coordinates are not meters: `uv_scale = 1.7` would fit",
            ],
            &[
                "strained by 70 % at the start: material coordinates are not meters: `uv_scale = 1.7` would fit",
            ],
        ),
        (
            square(1.0, [2.0, 0.5]),
            &["strained by 100 % at the start: its material coordinates are another shape"],
            &["its material coordinates are another shape"],
        ),
    ];
    for (text, by_run, by_inspect) in cases {
        desk.write("a.obj", &text);
        expect_once(&warnings(&desk, &["obstacle=[]"]), by_run);
        expect_once(&desk.done(&["inspect", "a.obj"]).out, by_inspect);
    }
    desk.write("a.obj", &square(1.0, [1.1, 1.1]));
    assert_eq!(warnings(&desk, &["obstacle=[]"]), "");
    assert!(!desk.done(&["inspect", "a.obj"]).out.contains("warning"));
}

#[test]
fn numbers_that_overflow_are_refused_where_they_are() {
    let desk = Desk::new();
    for (key, value) in [
        ("cloth.0.material", "{ density = 0.2, stretch = [1e300, 1e300], bend = [1e-5, 1e-5] }"),
        ("cloth.0.pressure", "1e200"),
        ("simulation.gravity", "[0, -1e160, 0]"),
        ("cloth.0.velocity", "[1e300, 0, 0]"),
    ] {
        let change = format!("{key}={value}");
        desk.refused(&["run", "scene.toml", "--out", "a", "--set", &change], &[key, "at most 1e30"]);
    }
}

#[test]
fn needles_are_refused_or_told_of_with_the_face() {
    let desk = Desk::new();
    let head = SCENE.split("[[cloth.pin]]").next().unwrap();
    let grid = "grid = { size = [1.0, 1.0], cells = [8, 8] }";
    desk.write("scene.toml", &head.replace(grid, "mesh = \"a.obj\""));
    let strip =
        |height: f64| format!("v 0 0 0\nv 1 0 0\nv 1 1 0\nv 0.5 {height} 0\nf 1 2 4\nf 1 4 3\nf 4 2 3\n");
    desk.write("a.obj", &strip(-1e-7));
    desk.refused(&["run", "scene.toml", "--out", "a"], &["triangles without area", "face 0 (line 5)"]);
    desk.write("a.obj", &strip(1e-4));
    expect_once(
        &warnings(&desk, &["obstacle=[]"]),
        &["face 0 of the cloth \"sheet\" is a needle, 1.0e-4 times"],
    );
}

#[test]
fn a_vertex_of_two_pins_that_go_apart_is_refused_with_both() {
    let desk = Desk::new();
    let pin = |to: f64, more: &str| {
        format!(
            "[[cloth.pin]]\nwhere = {{ material_box = [[0, 1], [1, 1]] }}\nmotion = [{{ t = 0.0 }}, {{ t = 0.5, \
             translate = [{to}, 0, 0] }}]\n{more}\n"
        )
    };
    let with = |pins: &str| {
        let (head, tail) = SCENE.split_once("[[obstacle]]").unwrap();
        desk.write(
            "scene.toml",
            &format!("{}{pins}\n[[obstacle]]{tail}", head.split("[[cloth.pin]]").next().unwrap()),
        );
    };
    with(&(pin(0.1, "") + &pin(-0.1, "")));
    let parts = ["cloth 'sheet': pin 0 and pin 1 both hold vertex 72", "at 0.25 s", "1.000e-1 m apart"];
    desk.refused(&["run", "scene.toml", "--out", "a"], &parts);
    // Together, along other axes, and one after the other there is no contradiction.
    for pins in [
        pin(0.1, "") + &pin(0.1, ""),
        pin(0.1, "") + &pin(-0.1, "axes = [false, true, true]"),
        pin(0.1, "release = 0.0") + &pin(-0.1, ""),
    ] {
        with(&pins);
        desk.done(&["run", "scene.toml", "--out", "a", "--frames", "1", "--quiet"]);
        std::fs::remove_dir_all(desk.path("a")).unwrap();
    }
}
