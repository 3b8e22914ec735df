//! The smaller commands.

use crate::common::Desk;

#[test]
fn the_starter_scene_runs_as_it_is() {
    let desk = Desk::new();
    let reply = desk.done(&["new", "drape"]);
    assert!(
        reply.out.contains("drape.toml") && reply.out.contains("taffeta run drape.toml"),
        "{}",
        reply.out
    );
    desk.done(&["run", "drape.toml", "--frames", "3", "--quiet"]);
    assert_eq!(desk.list("out/drape/frames").len(), 4);
    desk.refused(&["new", "drape"], &["drape.toml exists already", "another name"]);
    desk.refused(&["new", "none/drape"], &["none/drape.toml", "make the folder"]);
}

#[test]
fn the_presets_are_listed_with_units_and_sources() {
    let desk = Desk::new();
    let reply = desk.done(&["materials"]);
    for part in [
        "cotton", "silk", "denim", "paper", "rubber", "leather", "jersey", "estimate", "kg/m²", "N/m", "N·m",
        "KES",
    ] {
        assert!(reply.out.contains(part), "{part}");
    }
}

#[test]
fn a_mesh_is_inspected() {
    let desk = Desk::new();
    desk.write("square.obj", "v 0 0 0\nv 1 0 0\nv 1 1 0\nv 0 1 0\nf 1 2 3 4\n");
    let reply = desk.done(&["inspect", "square.obj"]);
    for part in ["square.obj", "manifold", "yes", "bounding box", "self-crossings          none"] {
        assert!(reply.out.contains(part), "{part}: {}", reply.out);
    }
    desk.write("fin.obj", "v 0 0 0\nv 1 0 0\nv 1 1 0\nv 0 1 0\nv 0 0 1\nf 1 2 3\nf 1 3 4\nf 1 3 5\n");
    let reply = desk.done(&["inspect", "fin.obj"]);
    assert!(reply.out.contains("no: 1 edge has more than two faces"), "{}", reply.out);
    desk.refused(&["inspect", "none.obj"], &["none.obj"]);
    desk.write("bad.obj", "v 0 0 x\n");
    desk.refused(&["inspect", "bad.obj"], &["bad.obj:1", "\"x\""]);
}

#[test]
fn panels_are_listed_with_seams_to_paste_and_drawn() {
    let desk = Desk::new();
    // Two squares one above the other; one of them is a group.
    let square = |z: u32, u: u32, first: u32| {
        let corners = [[0, 0], [1, 0], [1, 2], [0, 2]];
        let vertices: String =
            corners.iter().map(|[x, y]| format!("v {x} {y} {z}\nvt {} {y}\n", x + u)).collect();
        let face: Vec<String> = (first..first + 4).map(|n| format!("{n}/{n}")).collect();
        format!("{vertices}f {}\n", face.join(" "))
    };
    desk.write("bag.obj", &format!("g front\n{}g back & rear\n{}", square(0, 0, 1), square(1, 5, 5)));
    let reply = desk.done(&["inspect", "bag.obj", "--seams", "--picture", "bag.svg"]);
    for part in [
        "panel \"front\": 4 edges",
        "edge 1: 2.0000 m, 2 vertices, from [1.0000, 0.0000] to [1.0000, 2.0000]",
        "[[cloth.seam]]",
        "b = { panel = \"back & rear\", edge = ",
    ] {
        assert!(reply.out.contains(part), "{part}: {}", reply.out);
    }
    let picture = std::fs::read_to_string(desk.path("bag.svg")).unwrap();
    assert_eq!(picture.matches("<polyline").count(), 8);
    assert!(picture.contains(">front</text>") && picture.contains(">back &amp; rear</text>"), "{picture}");
    // What it proposes is a scene.
    let seams =
        reply.out.split_once("[[cloth.seam]]").map(|(_, rest)| format!("[[cloth.seam]]{rest}")).unwrap();
    let head = "[simulation]\nduration = 0.02\n[[cloth]]\nmesh = \"bag.obj\"\nmaterial = \"cotton\"\n";
    desk.write("bag.toml", &format!("{head}{}", seams.split("\n\n").next().unwrap()));
    desk.done(&["run", "bag.toml", "--quiet"]);
    desk.refused(&["inspect", "bag.obj", "--picture", "a.svg"], &["--seams"]);
    desk.refused(&["inspect", "bag.obj", "--seams", "--edge-length", "0"], &["greater than 0"]);
}

#[test]
fn editors_shells_and_manuals_get_what_they_read() {
    let desk = Desk::new();
    let schema: serde_json::Value = serde_json::from_str(&desk.done(&["schema"]).out).unwrap();
    assert_eq!(schema["$schema"], "https://json-schema.org/draft/2020-12/schema");
    assert_eq!(schema["properties"]["simulation"]["properties"]["duration"]["type"], "number");
    let keys = include_str!("../../../../docs/keys.md");
    assert!(desk.done(&["schema", "--markdown"]).out == keys, "docs/keys.md is another page");
    let outputs = include_str!("../../../../docs/outputs.md");
    assert!(
        desk.done(&["schema", "--outputs", "--markdown"]).out == outputs,
        "write docs/outputs.md anew: `taffeta schema --outputs --markdown > docs/outputs.md`"
    );
    let schema: serde_json::Value = serde_json::from_str(&desk.done(&["schema", "--outputs"]).out).unwrap();
    assert_eq!(schema["metrics.csv"]["properties"]["step_ms"]["type"], "number");
    for shell in ["bash", "zsh", "fish", "powershell"] {
        assert!(desk.done(&["completions", shell]).out.contains("taffeta"), "{shell}");
    }
    desk.refused(&["completions", "cmd"], &["bash", "zsh", "fish", "powershell"]);
    assert!(desk.done(&["man"]).out.contains(".SH NAME"));
}

#[test]
fn bad_usage_is_refused_and_help_is_not() {
    let desk = Desk::new();
    desk.refused(&[], &["Usage"]);
    desk.refused(&["dance"], &["dance"]);
    desk.refused(&["run"], &["SCENE"]);
    desk.refused(&["run", "scene.toml", "other.toml"], &["other.toml", "one scene"]);
    desk.refused(&["run", "scene.toml", "--frames", "-1"], &["-1"]);
    desk.refused(&["run", "scene.toml", "--threads", "many"], &["many"]);
    assert!(desk.done(&["--help"]).out.contains("inspect"));
    assert!(desk.done(&["run", "--help"]).out.contains("--resume"));
    assert!(desk.done(&["--version"]).out.starts_with("taffeta "));
}
