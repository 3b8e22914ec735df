//! Frames in the formats of other programs.

use crate::common::{Desk, REMESH, SCENE};
use std::collections::BTreeMap;
use std::process::Stdio;
use std::time::{Duration, Instant};

pub(crate) const ALL: &str = "output.formats=[\"obj\", \"ply\", \"vtp\", \"usda\", \"glb\", \"npz\"]";

/// The scene of all tests with a ball that moves, a floor made of triangles, a cord that falls, and a second cloth without
/// remeshing and without material coordinates.
pub(crate) fn full_scene(desk: &Desk) {
    let bodies = r#"
[[cloth]]
name = "bubble-2"
ball = { radius = 0.1, level = 1 }
place = { translate = [1.5, 0.5, 0] }

[[rope]]
name = "cord"
length = 0.5
segments = 10
place = { translate = [-2, 1, 0] }
material = { density = 0.05, stretch = 1e4, bend = 1e-4 }

[[obstacle]]
shape = { mesh = "floor.obj" }
"#;
    let motion = "radius = 0.2 } }\nmotion = [{ t = 0.0 }, { t = 1.0, translate = [0.1, 0.2, 0] }]";
    let scene = SCENE.replace("duration = 0.1", "duration = 0.2").replace("radius = 0.2 } }", motion);
    desk.write("scene.toml", &(scene + bodies));
    desk.write("floor.obj", "v -3 -1 -3\nv 3 -1 -3\nv 3 -1 3\nv -3 -1 3\nf 4 3 2 1\n");
}

/// All files that hold frames, with their bytes.
fn files(desk: &Desk, folder: &str) -> BTreeMap<String, Vec<u8>> {
    let holds_frames = |name: &String| {
        let is_frame = name.starts_with("frames/");
        is_frame || [".usda", ".glb", ".pvd"].iter().any(|ending| name.ends_with(ending))
    };
    let names = desk.list(folder).into_iter().filter(holds_frames);
    names.map(|name| (name.clone(), std::fs::read(desk.path(&format!("{folder}/{name}"))).unwrap())).collect()
}

#[track_caller]
fn expect_same_files(desk: &Desk, a: &str, b: &str) {
    let (a, b) = (files(desk, a), files(desk, b));
    assert_eq!(a.keys().collect::<Vec<_>>(), b.keys().collect::<Vec<_>>());
    for (name, bytes) in &a {
        assert!(bytes == &b[name], "{name} differs");
    }
}

#[test]
fn the_files_do_not_depend_on_threads_and_interruptions() {
    let desk = Desk::new();
    full_scene(&desk);
    let run = |folder: &'static str, more: &[&str]| {
        let words = ["run", "scene.toml", "--out", folder, "--quiet", "--set", ALL, REMESH];
        desk.done(&[&words[..], more].concat());
    };
    run("whole", &["--threads", "1"]);
    run("parts", &["--threads", "2", "--frames", "5"]);
    assert!(desk.path("parts/scene.glb").exists() && desk.path("parts/sheet.usda").exists());
    run("parts", &["--threads", "2", "--resume"]);
    expect_same_files(&desk, "whole", "parts");
    let names: Vec<String> = files(&desk, "whole").into_keys().filter(|name| !name.contains('/')).collect();
    let expected =
        ["bubble-2.usda", "cord.usda", "scene.glb", "scene.obstacles.usda", "scene.pvd", "sheet.usda"];
    assert_eq!(names, expected);
    // What is lost can be put together again, and other formats made from any that hold everything.
    for name in expected {
        std::fs::remove_file(desk.path(&format!("whole/{name}"))).unwrap();
    }
    for name in files(&desk, "whole").into_keys().filter(|name| !name.ends_with(".ply")) {
        std::fs::remove_file(desk.path(&format!("whole/{name}"))).unwrap();
    }
    let formats = ["obj", "vtp", "usda", "glb", "npz"].map(|format| ["--format", format]);
    let reply = desk.done(&[&["export", "whole"], formats.concat().as_slice()].concat());
    assert!(reply.out.contains("39 obj files") && reply.out.contains("scene.glb"), "{}", reply.out);
    expect_same_files(&desk, "whole", "parts");
}

#[test]
#[cfg(unix)]
fn a_run_that_is_killed_loses_no_finished_frame() {
    let desk = Desk::new();
    let words =
        ["run", "scene.toml", "--out", "a", "--quiet", "--set", REMESH, "output.formats=[\"usda\",\"glb\"]"];
    let mut child = desk
        .command(&[&words[..], &["simulation.duration=600.0"]].concat())
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .spawn()
        .unwrap();
    let start = Instant::now();
    while !desk.path("a/frames/sheet_00003.npz").exists() {
        assert!(start.elapsed() < Duration::from_secs(60), "no frame within a minute");
        std::thread::sleep(Duration::from_millis(5));
    }
    child.kill().unwrap();
    child.wait().unwrap();
    assert!(!desk.path("a/scene.glb").exists());
    desk.done(&["export", "a", "--format", "glb", "--format", "usda"]);
    let frames = files(&desk, "a").into_keys().filter(|name| name.ends_with(".npz")).count();
    let usda = desk.read("a/sheet.usda");
    assert!(
        frames >= 4 && usda.contains(&format!("endTimeCode = {}\n", frames - 1)),
        "{frames}\n{}",
        &usda[..300]
    );
    assert_eq!(usda.matches(&format!("\n            {}: [", frames - 1)).count(), 11);
}

#[test]
fn pictures_are_drawn_from_any_format_that_is_read_back() {
    let desk = Desk::new();
    full_scene(&desk);
    let picture = |folder: &str| -> Vec<u8> {
        desk.done(&["render", folder, "--width", "160", "--height", "120", "--out", "a.png"]);
        std::fs::read(desk.path("a.png")).unwrap()
    };
    let run = |folder: &'static str, format: &str| {
        let formats = format!("output.formats=[\"{format}\"]");
        let words = ["run", "scene.toml", "--out", folder, "--quiet", "--frames", "2", "--set", &formats];
        desk.done(&words);
    };
    for (folder, format) in [("obj", "obj"), ("ply", "ply"), ("npz", "npz"), ("usda", "usda"), ("vtp", "vtp")]
    {
        run(folder, format);
    }
    let drawn = picture("obj");
    for folder in ["ply", "npz", "usda"] {
        assert!(picture(folder) == drawn, "{folder}");
    }
    let parts = ["vtp only", "obj, ply or npz", "output.formats"];
    desk.refused(&["render", "vtp"], &parts);
    desk.refused(&["export", "vtp", "--format", "obj"], &["no frames to convert", "npz, ply and obj"]);
    desk.refused(&["export", "obj", "--format", "stl"], &["obj, ply, vtp, usda, glb, npz"]);
    desk.refused(
        &["export", "nowhere", "--format", "glb"],
        &["nowhere", "the folder that `taffeta run` wrote"],
    );
    // From OBJ frames come the formats with what OBJ files hold.
    let reply = desk.done(&["export", "obj", "--format", "npz", "--format", "glb"]);
    assert!(reply.out.contains("9 npz files"), "{}", reply.out);
    assert!(picture("obj") == drawn);
    let frame =
        taffeta_io::read_npz(&std::fs::read(desk.path("obj/frames/sheet_00002.npz")).unwrap()).unwrap();
    assert_eq!((frame.number, frame.time), (Some(2), Some(2.0 / 60.0)));
    assert!(reply.err.starts_with("warning: 9 frames have no velocities,"), "{}", reply.err);
    assert!(
        reply.err.contains("the npz and glb files lack them")
            && reply.err.contains("output.formats=[\"npz\"]")
    );
    // The files that came of it are no fuller than those that they came from.
    let again = desk.done(&["export", "obj", "--format", "usda"]);
    assert!(again.err.starts_with("warning: 9 frames have no velocities,"), "{}", again.err);
    for (folder, format) in [("npz", "usda"), ("ply", "npz"), ("npz", "obj"), ("obj", "obj")] {
        assert_eq!(desk.done(&["export", folder, "--format", format]).err, "", "{folder} to {format}");
    }
    let notes = desk.summary("usda")["notes"].to_string();
    assert!(notes.contains("usda files have numbers of 32 bits"), "{notes}");
}

#[test]
fn obstacles_have_their_names_in_other_programs() {
    let desk = Desk::new();
    let mut scene = SCENE.to_owned();
    for name in ["left-hand", "left_hand", "sheet", "obstacle_0"] {
        scene += &format!(
            "\n[[obstacle]]\nname = \"{name}\"\nshape = {{ sphere = {{ radius = 0.1 }} }}\nplace = {{ translate = [9, 9, 9] }}\n"
        );
    }
    desk.write("scene.toml", &scene);
    let formats = "output.formats=[\"usda\", \"glb\"]";
    desk.done(&["run", "scene.toml", "--out", "a", "--quiet", "--frames", "1", "--set", formats]);
    let glb = String::from_utf8_lossy(&std::fs::read(desk.path("a/scene.glb")).unwrap()).into_owned();
    let usda = desk.read("a/scene.obstacles.usda");
    let count = usda.matches("def Mesh ").count();
    assert_eq!(count, 5);
    // The first one has no name. What has the name of a cloth or, for USD, that of an earlier obstacle gets a number.
    for (node, prim) in [
        ("obstacle.0", "obstacle_0"),
        ("left-hand", "left_hand"),
        ("left_hand.1", "left_hand_1"),
        ("sheet.1", "sheet_1"),
        ("obstacle_0.1", "obstacle_0_1"),
    ] {
        assert!(glb.contains(&format!("\"name\":\"{node}\"")), "{node}");
        assert!(usda.contains(&format!("def Mesh \"{prim}\"")), "{prim}");
    }
}
