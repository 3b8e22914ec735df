//! Ctrl-C.

use crate::common::{Desk, REMESH, Reply};
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

#[test]
#[cfg(unix)]
fn an_interrupted_run_leaves_a_checkpoint_and_can_be_resumed() {
    let desk = Desk::new();
    let arguments = ["run", "scene.toml", "--out", "a", "--set", REMESH, "simulation.duration=600.0"];
    let child = desk.command(&arguments).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
    let start = Instant::now();
    while !desk.path("a/frames/sheet_00002.obj").exists() {
        assert!(start.elapsed() < Duration::from_secs(60), "no frame within a minute");
        std::thread::sleep(Duration::from_millis(5));
    }
    assert!(Command::new("kill").args(["-INT", &child.id().to_string()]).status().unwrap().success());
    let reply = Reply::of(&child.wait_with_output().unwrap());
    assert_eq!(reply.status, 130, "{}", reply.err);
    let command = "taffeta run scene.toml --out a --set 'cloth.0.remesh={ size_min = 0.04, size_max = 0.3 }' --set \
                   simulation.duration=600.0 --resume";
    assert!(reply.err.contains("interrupted after frame") && reply.err.contains(command), "{}", reply.err);
    let summary = desk.summary("a");
    assert_eq!(summary["outcome"], "interrupted");
    let last = summary["totals"]["last_frame"].as_u64().unwrap();
    assert!(last >= 2 && desk.path(&format!("a/checkpoint/state_{last:05}.gz")).exists());
    assert_eq!(desk.list("a/frames").len() as u64, last + 1);

    let (more, scene) = ((last + 2).to_string(), ["run", "scene.toml", "--quiet", "--set", REMESH]);
    desk.done(&[&scene[..], &["--out", "a", "--frames", &more, "--resume"]].concat());
    desk.done(&[&scene[..], &["--out", "b", "--frames", &more]].concat());
    desk.expect_same_results("a", "b");
}
