//! Continuing a run.

use crate::common::{Desk, REMESH, SCENE};

/// The arguments of a run of [`SCENE`], `more` included.
fn run<'a>(folder: &'a str, more: &[&'a str]) -> Vec<&'a str> {
    [&["run", "scene.toml", "--out", folder, "--quiet"], more].concat()
}

#[test]
fn a_run_in_two_parts_has_the_bits_of_one() {
    for setting in [REMESH, "simulation.solver=block", "simulation.solver=direct"] {
        let desk = Desk::new();
        desk.done(&run("whole", &["--set", setting]));
        desk.done(&run("parts", &["--set", setting, "--frames", "3"]));
        assert_eq!(desk.list("parts/frames").len(), 4);
        desk.done(&run("parts", &["--set", setting, "--resume", "--threads", "1"]));
        desk.expect_same_results("whole", "parts");
        let totals = |folder: &str| desk.summary(folder)["totals"].clone();
        assert_eq!(totals("whole"), totals("parts"), "{setting}");
        assert!(desk.list("parts").contains(&"checkpoint/state_00006.gz".to_owned()));
    }
}

#[test]
fn edges_that_have_let_go_stay_so_when_a_run_is_continued() {
    let desk = Desk::new();
    let springs = [
        "--set",
        "simulation.solver=xpbd",
        "cloth.0.constraint=distance",
        "cloth.0.break_force=0.02",
        "simulation.substeps=10",
    ];
    desk.done(&run("whole", &springs));
    desk.done(&run("parts", &[&springs[..], &["--frames", "3"]].concat()));
    let broken = |folder: &str| desk.summary(folder)["totals"]["broken_edges"].as_u64().unwrap();
    let early = broken("parts");
    desk.done(&run("parts", &[&springs[..], &["--resume"]].concat()));
    desk.expect_same_results("whole", "parts");
    assert!(early > 0 && broken("whole") >= early, "{early}, {}", broken("whole"));
    assert_eq!(broken("whole"), broken("parts"));
}

#[test]
fn what_was_written_after_the_checkpoint_is_written_again() {
    let desk = Desk::new();
    desk.done(&run("whole", &[]));
    desk.done(&run("parts", &["--frames", "3"]));
    desk.write("parts/frames/sheet_00004.obj", "half a frame");
    desk.write("parts/frames/.taffeta-x.tmp", "");
    let metrics = desk.read("parts/metrics.csv");
    desk.write("parts/metrics.csv", &format!("{metrics}4,0.0666,81,1"));
    desk.done(&run("parts", &["--resume"]));
    desk.expect_same_results("whole", "parts");
}

#[test]
fn frames_that_are_gone_when_a_run_goes_on_are_told() {
    let desk = Desk::new();
    let arguments = ["run", "scene.toml", "--out", "parts"];
    desk.done(&[&arguments[..], &["--frames", "3"]].concat());
    std::fs::remove_file(desk.path("parts/frames/sheet_00001.obj")).unwrap();
    let told = desk.done(&[&arguments[..], &["--resume"]].concat()).err;
    assert!(told.contains("files in frames that are missing: 1") && told.contains("up to frame 3"), "{told}");
    let told = desk.done(&[&arguments[..], &["--set", "simulation.duration=0.2", "--resume"]].concat()).err;
    assert!(told.contains("up to frame 6"), "{told}");
}

#[test]
fn a_finished_run_can_be_made_longer() {
    let desk = Desk::new();
    desk.done(&run("short", &[]));
    desk.done(&run("short", &["--set", "simulation.duration=0.15", "--resume"]));
    desk.done(&run("long", &["--set", "simulation.duration=0.15"]));
    desk.expect_same_results("short", "long");
    assert_eq!(desk.summary("short")["scene_hash"], desk.summary("long")["scene_hash"]);
    desk.done(&run("short", &["--frames", "9", "--resume"]));
    desk.expect_same_results("short", "long");
}

#[test]
fn resuming_is_refused_where_the_checkpoint_is_of_another_scene_or_damaged() {
    let desk = Desk::new();
    desk.done(&run("a", &["--frames", "1"]));
    desk.refused(
        &run("a", &["--resume", "--set", "cloth.0.grid.cells=[4,4]", "simulation.gravity=[0,-1,0]"]),
        &["another scene", "simulation.gravity.1", "cloth.0.grid.cells.0", "another --out"],
    );
    let saved = std::fs::read(desk.path("a/checkpoint/state_00001.gz")).unwrap();
    std::fs::write(desk.path("a/checkpoint/state_00001.gz"), &saved[..saved.len() / 2]).unwrap();
    desk.refused(&run("a", &["--resume"]), &["cannot be used", "state_00001.gz"]);
    desk.write("a/checkpoint/checkpoint.json", "{}");
    desk.refused(&run("a", &["--resume"]), &["cannot be used", "checkpoint.json"]);
}

#[test]
fn a_changed_mesh_file_is_noticed() {
    let desk = Desk::new();
    desk.write("square.obj", "v 0 0 0\nv 1 0 0\nv 1 1 0\nv 0 1 0\nf 1 2 3 4\n");
    let scene = SCENE.split("[[probe]]").next().unwrap();
    let scene = scene.replace("grid = { size = [1.0, 1.0], cells = [8, 8] }", "mesh = \"square.obj\"");
    desk.write("scene.toml", &scene);
    desk.done(&run("a", &["--frames", "1"]));
    desk.write("square.obj", "v 0 0 0\nv 1 0 0\nv 1 1.5 0\nv 0 1 0\nf 1 2 3 4\n");
    desk.refused(&run("a", &["--resume"]), &["another scene: a mesh file has changed"]);
}
