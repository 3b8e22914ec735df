//! A run that is killed.

use crate::common::Desk;
use std::fs;
use std::process::{Child, Stdio};
use std::time::{Duration, Instant};
use taffeta_core::random::SplitMix64;

/// Number of times that the run is killed.
const KILLS: u64 = 40;

/// The arguments of a run of a second or so into a folder, with checkpoints several times a second.
fn arguments(folder: &str) -> [&str; 10] {
    [
        "run",
        "scene.toml",
        "--out",
        folder,
        "--quiet",
        "--set",
        "cloth.0.remesh={ size_min = 0.1, size_max = 0.3 }",
        "simulation.duration=0.5",
        "output.formats=[\"obj\",\"npz\",\"vtp\",\"glb\"]",
        "output.checkpoint_every=0.1",
    ]
}

fn start(desk: &Desk, arguments: &[&str]) -> Child {
    let mut command = desk.command(arguments);
    command.stdout(Stdio::null()).stderr(Stdio::null()).spawn().expect("the program starts")
}

/// All files that depend on nothing but the scene, with their bytes.
fn results(desk: &Desk, folder: &str) -> Vec<(String, Vec<u8>)> {
    let is_timed =
        |name: &str| name.starts_with("checkpoint") || name == "metrics.csv" || name == "summary.json";
    let names = desk.list(folder).into_iter().filter(|name| !is_timed(name));
    let paths = names.map(|name| (desk.path(&format!("{folder}/{name}")), name));
    paths.filter(|(path, _)| path.is_file()).map(|(path, name)| (name, fs::read(path).unwrap())).collect()
}

/// Some are killed again when they have been resumed.
#[test]
#[cfg(unix)]
#[ignore = "second tier: runs are killed 40 times"]
fn a_run_that_is_killed_at_any_instant_can_be_resumed_to_the_same_files() {
    let desk = Desk::new();
    let begun = Instant::now();
    desk.done(&arguments("whole"));
    let time = begun.elapsed().as_secs_f64();
    let expected = results(&desk, "whole");
    let mut random = SplitMix64(7);
    let mut killed = 0;
    while killed < KILLS {
        let folder = format!("killed_{killed}");
        let fresh = arguments(&folder);
        let resumed = [&fresh[..], &["--resume"]].concat();
        // A folder without a checkpoint is started over by `--resume`, one that is not there yet is not.
        for round in 0..=killed % 3 {
            let next = if desk.path(&folder).exists() && round > 0 { &resumed[..] } else { &fresh[..] };
            let mut child = start(&desk, next);
            std::thread::sleep(Duration::from_secs_f64(time * random.next_unit()));
            child.kill().expect("a child can be killed");
            child.wait().expect("a child ends");
            killed += 1;
        }
        desk.done(if desk.path(&folder).exists() { &resumed } else { &fresh });
        let found = results(&desk, &folder);
        let names =
            |results: &[(String, Vec<u8>)]| results.iter().map(|(name, _)| name.clone()).collect::<Vec<_>>();
        assert_eq!(names(&found), names(&expected), "{folder}");
        for ((name, found), (_, expected)) in found.iter().zip(&expected) {
            assert!(found == expected, "{folder}/{name} differs");
        }
        assert_eq!(desk.timeless_metrics(&folder), desk.timeless_metrics("whole"), "{folder}");
        assert_eq!(
            desk.summary(&folder)["final_state_hash"],
            desk.summary("whole")["final_state_hash"],
            "{folder}"
        );
        fs::remove_dir_all(desk.path(&folder)).unwrap();
    }
}
