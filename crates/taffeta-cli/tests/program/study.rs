//! Studies and checks.

use crate::common::Desk;

#[test]
fn a_study_writes_tables_and_a_page() {
    let desk = Desk::new();
    let arguments = ["study", "scene.toml", "--vary", "cloth.0.grid.cells=[4,4],[6,6]", "--frames", "2"];
    let reply = desk.done(&arguments);
    assert!(
        reply.out.contains("out/scene-study/report.html") && reply.out.contains("`cells=[6,6]`"),
        "{}",
        reply.out
    );
    assert!(reply.err.contains("1/2 cells=[4,4]: 2 frames, 25 vertices"), "{}", reply.err);
    for part in [
        "checking cells=[6,6] with twice the substeps: about ",
        "--no-check",
        "with a mesh twice as fine: 2 frames",
    ] {
        assert!(reply.err.contains(part), "{part}: {}", reply.err);
    }
    assert_eq!(desk.read("out/scene-study/check.csv").lines().count(), 3);
    let (figures, others): (Vec<String>, Vec<String>) =
        desk.list("out/scene-study").into_iter().partition(|path| path.starts_with("figures/"));
    assert_eq!(
        others,
        ["check.csv", "figures", "frames.csv", "report.html", "study.csv", "trajectories.csv"]
    );
    assert!(figures.iter().all(|path| path.ends_with(".svg")) && figures.len() > 4, "{figures:?}");
    assert_eq!(desk.read("out/scene-study/study.csv").lines().count(), 3);
    for table in ["check.csv", "frames.csv", "trajectories.csv"] {
        let (written, documented) = desk.columns("out/scene-study", table);
        assert_eq!(written, documented, "{table}");
    }
    let (mut written, documented) = desk.columns("out/scene-study", "study.csv");
    assert_eq!(written.remove(2), "cloth.0.grid.cells");
    assert_eq!(written, documented);
    desk.refused(&arguments, &["out/scene-study", "not empty", "--out"]);
    let mut quiet = arguments.to_vec();
    quiet.extend(["--out", "b", "--quiet", "--no-check", "--set", "simulation.substeps=2"]);
    let reply = desk.done(&quiet);
    assert!(reply.out.is_empty() && reply.err.is_empty(), "{}{}", reply.out, reply.err);
    assert!(!desk.list("b").contains(&"check.csv".to_owned()));
}

#[test]
fn a_reference_that_is_not_converged_is_a_warning_and_one_that_cannot_be_chosen_is_refused() {
    let desk = Desk::new();
    let vary = [
        "study",
        "scene.toml",
        "--frames",
        "2",
        "--vary",
        "simulation.substeps=2,3",
        "--quiet",
        "--out",
        "a",
    ];
    let reply = desk.done(&vary);
    assert!(reply.err.starts_with("warning: The reference is not converged: 1 of 1"), "{}", reply.err);
    let solvers = "simulation.solver=block/simulation.substeps=20,simulation.solver=global";
    desk.refused(
        &["study", "scene.toml", "--vary", solvers],
        &[
            "--reference is needed",
            "differ in their solvers (block, global)",
            "--reference 'simulation.substeps=20/simulation.solver=global'",
        ],
    );
}

#[test]
fn a_variant_that_fails_is_told_by_the_exit_status() {
    let desk = Desk::new();
    let vary = "cloth.0.velocity=[1e20,0,0],[0,0,0],[0,1,0]";
    let reply = desk.call(&["study", "scene.toml", "--vary", vary, "--frames", "2", "--quiet", "--out", "a"]);
    assert_eq!(reply.status, 1, "{}", reply.err);
    assert!(reply.err.contains("1 of 3 variants failed") && reply.err.contains("1/3"), "{}", reply.err);
    assert!(desk.read("a/study.csv").contains("failed"));
}

#[test]
fn bad_studies_are_refused() {
    let desk = Desk::new();
    let refused = |arguments: &[&str], parts: &[&str]| {
        desk.refused(&[&["study"], arguments].concat(), parts);
    };
    refused(&[], &["SCENE"]);
    refused(&["scene.toml"], &["nothing varies", "--vary"]);
    refused(&["none.toml", "--vary", "simulation.substeps=1,2"], &["none.toml", "cannot read the scene"]);
    refused(&["scene.toml", "--vary", "simulation.substeps=1"], &["only variant"]);
    refused(&["scene.toml", "--vary", "simulation.substops=1,2"], &["unknown key", "substeps"]);
    refused(&["scene.toml", "--vary", "simulation.substeps=1,x"], &["variant `substeps=x`", "whole number"]);
    let reference = ["scene.toml", "--vary", "simulation.substeps=1,2", "--reference", "best"];
    refused(&reference, &["--reference best", "finest", "substeps=2"]);
}

#[test]
fn checks_are_listed_run_and_told_by_the_exit_status() {
    let desk = Desk::new();
    let reply = desk.done(&["validate", "--list"]);
    for name in ["patch", "plate", "resolution"] {
        assert!(reply.out.contains(name), "{name}: {}", reply.out);
    }
    let reply = desk.done(&["validate", "refinement-invariance", "patch"]);
    assert!(
        reply.out.contains("tolerance") && reply.out.contains("pass") && reply.err.contains("2/2"),
        "{}",
        reply.out
    );
    desk.refused(&["validate", "patch", "hung"], &["no check \"hung\"", "hanging-strip"]);
    desk.refused(&["validate", "patch", "--set", "x"], &["--set x"]);
    let reply = desk.call(&["validate", "incline", "--set", "simulation.solver=magic"]);
    assert_eq!(reply.status, 1, "{}", reply.err);
    assert!(
        reply.out.contains("no result") && reply.err.contains("1 of 1 checks"),
        "{}{}",
        reply.out,
        reply.err
    );
}
