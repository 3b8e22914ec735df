//! Studies of a small sheet that falls and swings.

use std::collections::BTreeMap;
use std::ops::ControlFlow;
use std::path::Path;
use taffeta_study::study::{Event, LATTICE, Outcome, StudyFolder};
use taffeta_study::{Study, StudyError, StudyOptions, StudyReport};

const SCENE: &str = r#"
[simulation]
duration = 0.05
solver = "block"
[[cloth]]
grid = { cells = [3, 3] }
material = "cotton"
place = { rotate_deg = [-90, 0, 0] }
[[cloth.pin]]
where = { material_box = [[0, 0.9], [1, 1]] }
[[probe]]
name = "tip"
cloth = "sheet"
material = [0.25, 0.0]
"#;

fn options(vary: &[&str]) -> StudyOptions {
    StudyOptions { vary: vary.iter().map(|text| text.to_string()).collect(), ..StudyOptions::default() }
}

fn prepare(options: &StudyOptions) -> Result<Study, StudyError> {
    Study::prepare(SCENE, Path::new("scenes/fall.toml"), options)
}

fn run(options: &StudyOptions) -> StudyReport {
    prepare(options).unwrap().run(&mut |_| ControlFlow::Continue(()))
}

/// The rows of a table by column.
fn read_table(folder: &Path, name: &str) -> Vec<BTreeMap<String, String>> {
    let mut reader = csv::Reader::from_path(folder.join(name)).unwrap();
    reader.deserialize().map(|row| row.unwrap()).collect()
}

#[test]
fn two_by_two_variants_are_compared_with_the_finest() {
    let report = run(&options(&["cloth.0.grid.cells=[3,3],[5,5]", "simulation.substeps=2,8"]));
    assert_eq!(report.label(report.reference), "cells=[5,5] substeps=8");
    assert_eq!(report.study.points.len(), LATTICE * LATTICE + 1);
    let scratch = tempfile::tempdir().unwrap();
    let folder = StudyFolder::create(&scratch.path().join("out/fall")).unwrap();
    let page = folder.write(&report).unwrap();

    let rows = read_table(folder.root(), "study.csv");
    assert_eq!(rows.len(), 4);
    assert_eq!(
        (rows[2]["cloth.0.grid.cells"].as_str(), rows[2]["simulation.substeps"].as_str()),
        ("[5,5]", "2")
    );
    let number = |row: usize, column: &str| rows[row][column].parse::<f64>().unwrap();
    assert_eq!((number(3, "rms_last_m"), rows[3]["reference"].as_str()), (0.0, "true"));
    assert!((0..3).all(|row| number(row, "rms_last_m") > 0.0 && rows[row]["outcome"] == "done"));
    assert!((0..4).all(|row| number(row, "max_last_m") >= number(row, "rms_last_m")));
    assert_eq!((number(0, "vertices_final"), number(3, "vertices_final")), (16.0, 36.0));
    assert_eq!((number(0, "steps"), number(1, "substeps")), (3.0, 24.0));

    assert_eq!(read_table(folder.root(), "frames.csv").len(), 4 * 4);
    let path = read_table(folder.root(), "trajectories.csv");
    assert_eq!(path.len(), 4 * 4);
    assert_eq!(path[0]["point"], "tip");
    assert!(path[3]["y"].parse::<f64>().unwrap() < 0.0, "it falls: {:?}", path[3]);

    let html = std::fs::read_to_string(page).unwrap();
    for part in ["error-vertices", "error-time", "error-over-time", "Trajectory: tip", "energies", "vertices"]
    {
        assert!(html.contains(part), "{part}");
    }
    // Two scatter plots, error and energy against sweeps, where the tip ends, the error, three coordinates, four energies, the vertices.
    assert_eq!(html.matches("<svg class=\"plot\"").count(), 14);
    assert!(!html.contains("NaN") && !html.contains("http-equiv") && !html.contains("<script"));
    let links: Vec<&str> =
        html.split("http").skip(1).filter(|rest| !rest.starts_with("://www.w3.org/")).collect();
    assert!(links.is_empty(), "{links:?}");
}

#[test]
fn every_figure_has_an_anchor_of_its_own() {
    // Without probes the corners and the middle are shown.
    let scene = SCENE.split("[[probe]]").next().unwrap();
    let study =
        Study::prepare(scene, Path::new("fall.toml"), &options(&["simulation.substeps=1,2"])).unwrap();
    let report = study.run(&mut |_| ControlFlow::Continue(()));
    let scratch = tempfile::tempdir().unwrap();
    let page = StudyFolder::create(scratch.path()).unwrap().write(&report).unwrap();
    let html = std::fs::read_to_string(page).unwrap();
    let anchors: Vec<&str> =
        html.split("<h2 id=\"").skip(1).filter_map(|rest| rest.split('"').next()).collect();
    assert!(anchors.len() > 6, "{anchors:?}");
    for anchor in &anchors {
        let path = scratch.path().join("figures").join(format!("{anchor}.svg"));
        let Ok(svg) = std::fs::read_to_string(&path) else { continue };
        assert!(svg.starts_with("<svg xmlns") && svg.ends_with("</svg>\n"), "{anchor}");
        assert_eq!(svg.matches("<svg").count(), svg.matches("</svg>").count(), "{anchor}");
    }
    for wanted in ["error-sweeps", "energy-sweeps", "end-0", "error-vertices", "energies"] {
        assert!(anchors.contains(&wanted), "{wanted}: {anchors:?}");
        assert!(scratch.path().join("figures").join(format!("{wanted}.svg")).is_file(), "{wanted}");
    }
    let unique: std::collections::BTreeSet<&str> = anchors.iter().copied().collect();
    assert_eq!(unique.len(), anchors.len(), "{anchors:?}");
}

#[test]
fn a_variant_that_fails_does_not_stop_the_others() {
    let report = run(&options(&["cloth.0.velocity=[1e200,0,0],[0,0,0],[1,0,0]"]));
    assert_eq!(report.failures(), 1);
    assert!(matches!(&report.runs[0].outcome, Outcome::Failed(reason) if !reason.is_empty()));
    assert!(report.runs[1..].iter().all(|run| run.is_done()));
    assert_eq!(report.reference, 1, "a variant that failed is no reference");
    let scratch = tempfile::tempdir().unwrap();
    let page = StudyFolder::create(scratch.path()).unwrap().write(&report).unwrap();
    let rows = read_table(scratch.path(), "study.csv");
    assert_eq!((rows[0]["outcome"].as_str(), rows[0]["rms_last_m"].as_str()), ("failed", ""));
    assert!(!rows[0]["message"].is_empty());
    assert!(std::fs::read_to_string(page).unwrap().contains("<tr class=\"failed\">"));
}

#[test]
fn the_reference_may_be_any_variant_or_none_of_them() {
    let label = |reference: &str| {
        let options = StudyOptions {
            reference: Some(reference.to_owned()),
            ..options(&["cloth.0.grid.cells=[3,3],[4,4]", "simulation.substeps=2,3"])
        };
        let report = prepare(&options)?.run(&mut |_| ControlFlow::Break(()));
        Ok((report.label(report.reference).to_owned(), report.runs.len()))
    };
    let found = |reference: &str| label(reference).map_err(|error: StudyError| error.to_string()).unwrap();
    assert_eq!(found("cells=[3,3] substeps=3"), ("cells=[3,3] substeps=3".to_owned(), 4));
    assert_eq!(found("substeps=2/cells=[4,4]"), ("cells=[4,4] substeps=2".to_owned(), 4));
    let whole = "simulation.substeps=3/cloth.0.grid.cells=[4,4]";
    assert_eq!(found(whole), ("cells=[4,4] substeps=3".to_owned(), 4));
    let other = "simulation.solver=direct/simulation.substeps=16";
    assert_eq!(found(other), ("solver=direct substeps=16".to_owned(), 5));
    let error = label("coarse").unwrap_err().to_string();
    assert!(error.contains("--reference coarse") && error.contains("cells=[3,3] substeps=2"), "{error}");
    let error = label("simulation.solver=magic").unwrap_err().to_string();
    assert!(error.contains("magic") && error.contains("\"direct\""), "{error}");
}

#[test]
fn bad_input_is_refused_before_anything_runs() {
    let refused = |vary: &[&str], parts: &[&str]| {
        let error = prepare(&options(vary)).unwrap_err().to_string();
        parts.iter().for_each(|part| assert!(error.contains(part), "{part:?} is not in:\n{error}"));
    };
    refused(&[], &["nothing varies", "--vary"]);
    refused(&["simulation.substeps=2"], &["only variant is `substeps=2`", "--reference"]);
    refused(&["simulation.substeps=2,2"], &["`substeps=2` appears twice"]);
    refused(
        &["simulation.substeps=1,2", "simulation.substeps=3,4"],
        &["`simulation.substeps`", "two --vary"],
    );
    refused(&["simulation.supsteps=1,2"], &["unknown key `supsteps`", "`substeps`"]);
    refused(&["simulation.substeps=1,many"], &["substeps=many", "many", "whole number"]);
    refused(&["cloth.0.grid.cells=[1"], &["--vary cloth.0.grid.cells=[1", "malformed"]);
    refused(&["cloth.3.name=a,b"], &["no number 3"]);
}

#[test]
fn a_study_that_is_stopped_says_so() {
    let mut frames = 0;
    let study = prepare(&options(&["simulation.substeps=1,2,3"])).unwrap();
    let report = study.run(&mut |event| {
        frames += u32::from(matches!(event, Event::Frame { .. }));
        if frames < 4 { ControlFlow::Continue(()) } else { ControlFlow::Break(()) }
    });
    assert!(report.runs[0].is_done());
    assert_eq!(report.runs[1].outcome, Outcome::Stopped);
    assert_eq!((report.runs[1].steps(), report.runs[2].frames.len()), (1, 0));
    let scratch = tempfile::tempdir().unwrap();
    StudyFolder::create(scratch.path()).unwrap().write(&report).unwrap();
    assert!(StudyFolder::create(scratch.path()).unwrap_err().to_string().contains("not empty"));
}
