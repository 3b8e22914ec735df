//! Static scenes: the equilibrium instead of the motion.

use crate::common::{Desk, SCENE};

/// [`SCENE`] as a static one: without gravity the sheet is in equilibrium as it comes, beside the ball.
fn weightless() -> Desk {
    let desk = Desk::new();
    let start = "mode = \"static\"\ngravity = [0.0, 0.0, 0.0]";
    desk.write("scene.toml", &SCENE.replace("duration = 0.1", start));
    desk
}

#[test]
fn a_static_run_writes_the_start_and_the_equilibrium() {
    let desk = weightless();
    let reply = desk.done(&["run", "scene.toml", "--out", "a"]);
    assert!(reply.out.contains("frame 1, the equilibrium"), "{}", reply.out);
    assert_eq!(desk.list("a/frames"), ["sheet_00000.obj", "sheet_00001.obj"]);
    let metrics = desk.timeless_metrics("a");
    assert_eq!(metrics.len(), 3);
    assert_eq!((metrics[1][0].as_str(), metrics[1][1].as_str()), ("0", "0.0"));
    assert_eq!((metrics[2][0].as_str(), metrics[2][1].as_str()), ("1", "0.0"), "no time passes");
    let probes = desk.read("a/probes.csv");
    let rows: Vec<&str> = probes.lines().collect();
    assert_eq!(rows.len(), 3);
    assert!(rows[1].starts_with("0,0.0,center,") && rows[2].starts_with("1,0.0,center,"), "{probes}");
    let summary = desk.summary("a");
    assert_eq!((&summary["mode"], &summary["outcome"]), (&"static".into(), &"finished".into()));
    assert_eq!(summary["totals"]["simulated_time"], 0.0);
    assert_eq!((&summary["totals"]["frames"], &summary["totals"]["last_frame"]), (&2.into(), &1.into()));
    assert!(summary["solver"]["why"].as_str().is_some_and(|why| !why.is_empty()));
    assert!(summary["solver"]["time_integration"].is_string());
}

#[test]
fn a_finished_static_run_resumes_as_finished() {
    let desk = weightless();
    desk.done(&["run", "scene.toml", "--out", "whole", "--quiet"]);
    desk.done(&["run", "scene.toml", "--out", "parts", "--quiet", "--frames", "0"]);
    assert_eq!(desk.list("parts/frames"), ["sheet_00000.obj"]);
    // No frame comes after the equilibrium, whatever the command line asks for.
    for _ in 0..2 {
        desk.done(&["run", "scene.toml", "--out", "parts", "--quiet", "--frames", "5", "--resume"]);
        desk.expect_same_results("whole", "parts");
        assert_eq!(desk.summary("parts")["outcome"], "finished");
    }
}

#[test]
fn a_scene_without_equilibrium_fails_and_keeps_its_start() {
    let desk = Desk::new();
    // Nothing holds the sheet, and nothing is below it.
    let falling = SCENE.split("[[cloth.pin]]").next().unwrap();
    desk.write("scene.toml", &falling.replace("duration = 0.1", "mode = \"static\""));
    let reply = desk.call(&["run", "scene.toml", "--out", "a"]);
    assert_eq!(reply.status, 1, "{}{}", reply.out, reply.err);
    for part in ["no equilibrium", "unbalanced", "frame 0, the initial state, stays in"] {
        assert!(reply.err.contains(part), "{part:?} is not in:\n{}", reply.err);
    }
    assert_eq!(desk.list("a/frames"), ["sheet_00000.obj"]);
    assert_eq!(desk.read("a/metrics.csv").lines().count(), 2);
    let summary = desk.summary("a");
    assert_eq!((&summary["outcome"], &summary["mode"]), (&"failed".into(), &"static".into()));
    assert!(summary["error"].as_str().unwrap().contains("no equilibrium"));
    let again = desk.call(&["run", "scene.toml", "--out", "a", "--resume"]);
    assert!(again.status == 1 && again.err.contains("no equilibrium"), "the same again: {}", again.err);
}
