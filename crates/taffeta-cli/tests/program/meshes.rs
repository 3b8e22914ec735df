//! Obstacles that are read from files.

use crate::common::{Desk, SCENE};
use std::fs;

/// A pyramid with a square base, with its top at a height.
fn pyramid(top: f64) -> String {
    format!(
        "v -0.2 0 -0.2\nv 0.2 0 -0.2\nv 0.2 0 0.2\nv -0.2 0 0.2\nv 0 {top} 0\nf 1 2 3 4\nf 1 5 2\nf 2 5 3\nf 3 5 4\n\
         f 4 5 1\nf 1 2 2\n"
    )
}

/// The scene over a pyramid, and over one that rises.
fn desk() -> Desk {
    let desk = Desk::new();
    fs::create_dir(desk.path("bodies")).unwrap();
    desk.write("bodies/still.obj", &pyramid(0.2));
    for (number, top) in [(1, 0.15), (2, 0.18), (3, 0.25)] {
        desk.write(&format!("bodies/rising_{number:02}.obj"), &pyramid(top));
    }
    let shape = "shape = { sphere = { radius = 0.2 } }";
    desk.write("still.toml", &SCENE.replace(shape, "shape = { mesh = \"bodies/still.obj\" }"));
    let rising = "shape = { frames = \"bodies/rising_%02d.obj\", frame_rate = 30 }";
    desk.write("rising.toml", &SCENE.replace(shape, rising));
    desk
}

const SMALL: [&str; 4] = ["--width", "160", "--height", "90"];

#[test]
fn a_run_over_a_mesh_counts_crossings_and_warns_of_what_is_left_out() {
    let desk = desk();
    let reply = desk.done(&["run", "still.toml", "--out", "a", "--quiet"]);
    assert!(reply.err.contains("1 triangles without area"), "{}", reply.err);
    for row in &desk.timeless_metrics("a")[1..] {
        assert_eq!(row[17], "0", "crossings");
    }
    assert_eq!(desk.summary("a")["notes"].as_array().map(Vec::len), Some(0));
}

#[test]
fn a_folder_is_drawn_wherever_it_is_and_without_the_files_of_the_obstacles() {
    let desk = desk();
    desk.done(&["run", "still.toml", "--out", "still", "--quiet"]);
    desk.done(&["run", "rising.toml", "--out", "rising", "--quiet"]);
    assert!(desk.list("still").contains(&"obstacles/obstacle_0.obj".to_owned()));
    assert!(desk.list("rising").contains(&"obstacles/obstacle_0_00002.obj".to_owned()));
    let picture = |folder: &str, frame: &str| {
        desk.done(&[&["render", folder, "--frame", frame, "--out", "p.png"], &SMALL[..]].concat());
        fs::read(desk.path("p.png")).unwrap()
    };
    let before = ["0", "6"].map(|frame| [picture("still", frame), picture("rising", frame)]);
    fs::remove_dir_all(desk.path("bodies")).unwrap();
    fs::rename(desk.path("still"), desk.path("moved")).unwrap();
    fs::rename(desk.path("rising"), desk.path("moved_too")).unwrap();
    let after = ["0", "6"].map(|frame| [picture("moved", frame), picture("moved_too", frame)]);
    assert!(before == after);
    assert!(before[1][0] != before[1][1], "the two obstacles must be seen");
    fs::remove_dir_all(desk.path("moved/obstacles")).unwrap();
    desk.refused(&["render", "moved"], &["obstacles/obstacle_0.obj", "cannot read the mesh"]);
}

#[test]
fn a_run_over_meshes_in_two_parts_has_the_bits_of_one() {
    let desk = desk();
    let run = |folder: &str, more: &[&str]| {
        desk.done(&[&["run", "rising.toml", "--out", folder, "--quiet"], more].concat());
    };
    run("whole", &[]);
    run("parts", &["--frames", "3"]);
    run("parts", &["--resume", "--threads", "1"]);
    desk.expect_same_results("whole", "parts");
    desk.write("bodies/rising_02.obj", &pyramid(0.19));
    let resume = ["run", "rising.toml", "--out", "parts", "--resume"];
    desk.refused(&resume, &["another scene", "a mesh file has changed"]);
}

#[test]
fn a_missing_file_is_refused_before_anything_is_written() {
    let desk = desk();
    fs::remove_file(desk.path("bodies/rising_02.obj")).unwrap();
    let run = ["run", "rising.toml"];
    desk.refused(&run, &["rising.toml:15:", "rising_02.obj", "rising_03.obj is there"]);
    let projective = ["run", "still.toml", "--set", "simulation.solver=projective"];
    desk.refused(&projective, &["still.toml:", "does not know contact with meshes"]);
}

#[test]
fn meshes_with_holes_fins_turned_and_doubled_faces_are_met() {
    let desk = desk();
    let whole = pyramid(0.2).replace("f 1 2 2\n", "");
    let meshes = [
        ("holes", whole.replace("f 3 5 4\n", "")),
        ("turned", whole.replace("f 2 5 3\n", "f 3 5 2\n")),
        ("doubled", format!("{whole}f 1 5 2\n")),
        ("fin", format!("{whole}v 0 0.1 0\nf 1 2 6\n")),
    ];
    for (name, text) in meshes {
        desk.write("bodies/still.obj", &text);
        let reply = desk.done(&["run", "still.toml", "--out", name, "--quiet"]);
        assert_eq!(reply.err, "", "{name}");
        assert!(desk.timeless_metrics(name)[1..].iter().all(|row| row[17] == "0"), "{name}: crossings");
    }
}

#[test]
fn what_starts_across_a_mesh_is_told() {
    let desk = desk();
    let scene = "obstacle.0.place={ translate = [0, 0.05, 0] }";
    let reply = desk.done(&["run", "still.toml", "--out", "a", "--quiet", "--set", scene]);
    assert!(reply.err.contains("cross themselves, each other or obstacles at the start"), "{}", reply.err);
    let crossings: u64 = desk.timeless_metrics("a")[1][17].parse().unwrap();
    assert!(crossings > 0);
    let pair = &desk.summary("a")["quarantine"][0];
    assert_eq!(pair["bodies"][1], "mesh obstacle 0", "{pair}");
}
