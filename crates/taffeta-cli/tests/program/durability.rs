//! Whatever befalls a run (signals, kills, a full disk, a log that nobody reads) it can go on to the same bits.

use crate::common::{Desk, REMESH, Reply, SCENE};
use std::fs::OpenOptions;
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

/// Waits until a file of a desk is there, while a process runs.
#[track_caller]
fn wait_for(desk: &Desk, name: &str, child: &mut Child) {
    let start = Instant::now();
    while !desk.path(name).exists() {
        assert!(child.try_wait().unwrap().is_none(), "the run has ended without {name}");
        assert!(start.elapsed() < Duration::from_secs(60), "no {name} within a minute");
        std::thread::sleep(Duration::from_millis(2));
    }
}

/// Sends a signal to a process.
fn send(signal: &str, child: &Child) {
    let status = Command::new("kill").args([signal, &child.id().to_string()]).status().unwrap();
    assert!(status.success(), "kill {signal}");
}

/// A run that goes on until something ends it, into the folder `a`.
fn endless<'a>(more: &[&'a str]) -> Vec<&'a str> {
    [&["run", "scene.toml", "--out", "a", "--set", "simulation.duration=600.0"], more].concat()
}

/// Continues the run in `a` for two more frames and compares it with one that nothing has befallen.
#[track_caller]
fn expect_to_go_on(desk: &Desk, more: &[&str]) -> Reply {
    let frames = desk.list("a/frames").iter().filter(|name| !name.ends_with(".tmp")).count() + 2;
    let (frames, scene) = (frames.to_string(), ["run", "scene.toml", "--quiet", "--frames"]);
    let arguments = |folder| [&scene[..], &[&frames, "--out", folder], more].concat();
    let reply = desk.done(&[&arguments("a")[..], &["--resume"]].concat());
    desk.done(&arguments("b"));
    desk.expect_same_results("a", "b");
    std::fs::remove_dir_all(desk.path("b")).unwrap();
    reply
}

#[test]
#[cfg(unix)]
fn a_log_that_cannot_be_written_changes_nothing() {
    let closed = || {
        let (reader, writer) = std::io::pipe().unwrap();
        drop(reader);
        Stdio::from(writer)
    };
    let full = || OpenOptions::new().write(true).open("/dev/full").map_or(Stdio::null(), Stdio::from);
    let cases: [(&[&str], i32); 3] = [
        (&["run", "scene.toml", "--set", "simulation.threads=9999"], 0),
        (&["run", "scene.toml", "--set", "simulation.threads=x"], 2),
        (&["run", "scene.toml", "--set", "simulation.mode=static", "obstacle=[]", "cloth.0.pin=[]"], 1),
    ];
    for (number, (arguments, expected)) in cases.into_iter().enumerate() {
        let desk = Desk::new();
        for (name, log) in [("closed", closed as fn() -> Stdio), ("full", full)] {
            let mut command = desk.command(&[arguments, &["--out", name][..]].concat());
            let status = command.stdout(log()).stderr(log()).status().unwrap();
            assert_eq!(status.code(), Some(expected), "case {number}, {name}");
        }
    }
}

#[test]
#[cfg(unix)]
fn signals_end_a_run_with_a_checkpoint_and_it_goes_on() {
    // A process that is started with SIGHUP ignored, as these tests may be, leaves it so.
    let ignored = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    let ignored =
        ignored.lines().find_map(|line| line.strip_prefix("SigIgn:")).map(|mask| mask.trim().to_owned());
    let hears_hang_up = ignored.is_none_or(|mask| u64::from_str_radix(&mask, 16).unwrap() & 1 == 0);
    let signals = [Some("-TERM"), hears_hang_up.then_some("-HUP")];
    for signal in signals.into_iter().flatten() {
        let desk = Desk::new();
        let mut command = desk.command(&endless(&["--set", REMESH]));
        let mut child = command.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
        wait_for(&desk, "a/frames/sheet_00002.obj", &mut child);
        send(signal, &child);
        let reply = Reply::of(&child.wait_with_output().unwrap());
        assert_eq!(reply.status, 130, "{signal}: {}", reply.err);
        assert!(
            reply.err.contains("interrupted after frame") && reply.err.contains("--resume"),
            "{}",
            reply.err
        );
        assert!(desk.path("a/checkpoint/checkpoint.json").exists());
        expect_to_go_on(&desk, &["--set", REMESH]);
    }
}

#[test]
#[cfg(unix)]
fn a_run_ends_between_substeps_and_not_only_between_frames() {
    let desk = Desk::new();
    // A frame of minutes.
    let long = ["--set", "simulation.frame_rate=1.0", "simulation.substeps=100000"];
    let mut child = desk.command(&endless(&long)).stderr(Stdio::piped()).spawn().unwrap();
    wait_for(&desk, "a/frames/sheet_00000.obj", &mut child);
    std::thread::sleep(Duration::from_millis(100));
    send("-INT", &child);
    let reply = Reply::of(&child.wait_with_output().unwrap());
    assert_eq!(reply.status, 130, "{}", reply.err);
    assert!(reply.err.contains("interrupted after frame 0 "), "{}", reply.err);
    assert!(desk.path("a/checkpoint/state_00000.gz").exists());
}

#[test]
#[cfg(unix)]
fn a_run_under_nohup_outlives_its_terminal() {
    let desk = Desk::new();
    let mut shell = Command::new("nohup");
    shell.arg(env!("CARGO_BIN_EXE_taffeta")).args(endless(&[])).current_dir(desk.path(""));
    let mut child = shell.stdout(Stdio::null()).stderr(Stdio::null()).spawn().unwrap();
    wait_for(&desk, "a/frames/sheet_00001.obj", &mut child);
    send("-HUP", &child);
    wait_for(&desk, "a/frames/sheet_00005.obj", &mut child);
    send("-TERM", &child);
    assert_eq!(child.wait().unwrap().code(), Some(130));
}

#[test]
#[cfg(unix)]
fn a_killed_run_starts_over_without_a_checkpoint_and_goes_on_from_one() {
    let remark = "has not left a checkpoint yet: it starts over";
    for (every, is_over) in [("1e6", true), ("0", false)] {
        let desk = Desk::new();
        let every = format!("output.checkpoint_every={every}");
        let mut child = desk.command(&endless(&["--quiet", "--set", &every])).spawn().unwrap();
        wait_for(&desk, "a/frames/sheet_00003.obj", &mut child);
        send("-KILL", &child);
        child.wait().unwrap();
        let reply = expect_to_go_on(&desk, &[]);
        assert_eq!(reply.err.contains(remark), is_over, "{}", reply.err);
    }
}

#[test]
fn a_run_to_be_resumed_that_never_began_begins() {
    let desk = Desk::new();
    let reply = desk.done(&["run", "scene.toml", "--out", "a", "--frames", "1", "--quiet", "--resume"]);
    assert!(reply.err.contains("a holds no run yet: this one begins"), "{}", reply.err);
    desk.write("b", "");
    desk.refused(&["run", "scene.toml", "--out", "b", "--resume"], &["is a file"]);
    std::fs::create_dir(desk.path("c")).unwrap();
    desk.write("c/letter.txt", "");
    desk.refused(&["run", "scene.toml", "--out", "c", "--resume"], &["not empty"]);
}

#[test]
#[cfg(unix)]
fn a_folder_is_written_by_one_run_at_a_time() {
    let desk = Desk::new();
    let mut child =
        desk.command(&endless(&["--quiet", "--set", "output.formats=[\"none\"]"])).spawn().unwrap();
    wait_for(&desk, "a/metrics.csv", &mut child);
    let holder = format!("a is being written by process {}", child.id());
    for more in [&[][..], &["--resume"]] {
        let reply = desk.call(&[&["run", "scene.toml", "--out", "a"], more].concat());
        assert_eq!(reply.status, 2, "{}", reply.err);
        assert!(reply.err.contains(&holder) && reply.err.contains("--out"), "{}", reply.err);
    }
    send("-KILL", &child);
    child.wait().unwrap();
    // The lock that is left behind is nobody's.
    let formats = ["--set", "output.formats=[\"none\"]"];
    desk.done(&[&["run", "scene.toml", "--out", "a", "--quiet", "--resume"][..], &formats].concat());
}

#[test]
#[cfg(unix)]
fn a_run_that_fills_the_disk_goes_on_from_its_last_frame() {
    let desk = Desk::new();
    desk.write("scene.toml", &SCENE.replace("cells = [8, 8]", "cells = [1, 1]"));
    let more = "--set 'output.formats=[\"none\"]' simulation.duration=2.0";
    // No file may have more than 4 KiB: the table of metrics comes to it after some ten frames.
    let program = env!("CARGO_BIN_EXE_taffeta");
    let limited =
        format!("trap '' XFSZ; ulimit -f 8; exec '{program}' run scene.toml --out a --quiet {more}");
    let output = Command::new("sh").args(["-c", &limited]).current_dir(desk.path("")).output().unwrap();
    let reply = Reply::of(&output);
    assert_eq!(reply.status, 1, "{}", reply.err);
    for part in ["cannot write a/metrics.csv", "nothing is lost; make room on the disk", "--resume"] {
        assert!(reply.err.contains(part), "{part:?} is not in:\n{}", reply.err);
    }
    let last = desk.summary("a")["totals"]["last_frame"].as_u64().unwrap();
    let state = format!("a/checkpoint/state_{:05}.gz", last + 1);
    assert!(last > 5 && desk.path(&state).exists(), "{state}");
    let more = ["--set", "output.formats=[\"none\"]", "simulation.duration=2.0"];
    let scene = ["run", "scene.toml", "--quiet", "--out"];
    desk.done(&[&scene[..], &["a"], &more, &["--resume"]].concat());
    desk.done(&[&scene[..], &["b"], &more].concat());
    assert_eq!(desk.timeless_metrics("a"), desk.timeless_metrics("b"));
    assert_eq!(desk.read("a/probes.csv"), desk.read("b/probes.csv"));
    assert_eq!(desk.summary("a")["final_state_hash"], desk.summary("b")["final_state_hash"]);
    assert_eq!(desk.summary("a")["totals"], desk.summary("b")["totals"]);
}
