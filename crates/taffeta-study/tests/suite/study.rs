//! Studies of a small sheet that falls and swings.

use std::collections::BTreeMap;
use std::ops::ControlFlow;
use std::path::Path;
use taffeta_sim::queries;
use taffeta_study::study::{Event, LATTICE, Outcome, SOLID_LATTICE, StudyFolder, StudyPoint};
use taffeta_study::{Study, StudyError, StudyOptions, StudyReport};

const SCENE: &str = r#"
[simulation]
duration = 0.05
solver = "global"
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

/// Without the check of the reference, which takes longer than the variants.
fn options(vary: &[&str]) -> StudyOptions {
    let vary = vary.iter().map(|text| text.to_string()).collect();
    StudyOptions { vary, skip_check: true, ..StudyOptions::default() }
}

fn checked(vary: &[&str]) -> StudyOptions {
    StudyOptions { skip_check: false, ..options(vary) }
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
    let report = run(&options(&["cloth.0.velocity=[1e20,0,0],[0,0,0],[1,0,0]"]));
    assert_eq!(report.failures(), 1);
    assert!(matches!(&report.runs[0].outcome, Outcome::Failed(reason) if !reason.is_empty()));
    assert!(report.runs[1..].iter().all(|run| run.is_done()));
    assert_ne!(report.reference, 0, "a variant that failed is no reference");
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

/// The label of the reference that the program chooses.
fn elected(vary: &[&str]) -> Result<String, StudyError> {
    let report = prepare(&options(vary))?.run(&mut |_| ControlFlow::Continue(()));
    Ok(report.label(report.reference).to_owned())
}

#[test]
fn the_most_exact_solver_is_the_reference_before_substeps_and_resolution() {
    let cells = "cloth.0.grid.cells=[3,3],[5,5]";
    let block_or_global = "simulation.solver=block/simulation.substeps=20,simulation.solver=global";
    assert_eq!(elected(&[cells, block_or_global]).unwrap(), "cells=[5,5] solver=global");
    let coarse_but_exact =
        "cloth.0.grid.cells=[3,3]/simulation.solver=direct,cloth.0.grid.cells=[5,5]/simulation.solver=global";
    assert_eq!(elected(&[coarse_but_exact]).unwrap(), "cells=[3,3] solver=direct");
    let auto =
        "cloth.0.grid.cells=[3,3]/simulation.solver=auto,cloth.0.grid.cells=[5,5]/simulation.solver=xpbd";
    assert_eq!(elected(&[auto]).unwrap(), "cells=[3,3] solver=auto");
    // A variant that failed is no reference, unless it is the only one that could be.
    let failing = "cloth.0.velocity=[1e20,0,0],[0,0,0]";
    assert_eq!(elected(&[failing]).unwrap(), "velocity=[0,0,0]");
}

#[test]
fn where_no_variant_can_be_the_truth_the_reference_has_to_be_named() {
    let refused = |vary: &[&str], parts: &[&str]| {
        let error = prepare(&options(vary)).unwrap_err();
        let StudyError::NoReference { exact: Some(exact), .. } = &error else { panic!("{error}") };
        let text = error.to_string();
        parts.iter().for_each(|part| assert!(text.contains(part), "{part:?} is not in:\n{text}"));
        // What the message says to write works.
        let named = StudyOptions { reference: Some(exact.clone()), ..options(vary) };
        prepare(&named).expect("an exact reference");
    };
    let solvers =
        "simulation.solver=block/simulation.substeps=20,simulation.solver=global,simulation.solver=direct";
    refused(
        &[solvers],
        &[
            "--reference is needed",
            "differ in their solvers (block, direct, global)",
            "simulation.solver=global",
        ],
    );
    refused(
        &["cloth.0.grid.cells=[3,3],[5,5]", "simulation.solver=block,xpbd"],
        &[
            "no solver among the variants is exact (block, xpbd)",
            "'simulation.solver=global",
            "'cells=[5,5] solver=block'",
        ]
        .map(|part| {
            if part.starts_with("'sim") {
                "'cloth.0.grid.cells=[5,5]/simulation.solver=global'"
            } else {
                part
            }
        }),
    );
    // A named reference is taken whatever it is.
    let named =
        StudyOptions { reference: Some("substeps=2".to_owned()), ..options(&["simulation.substeps=1,2"]) };
    let block = StudyOptions { overrides: vec!["simulation.solver=block".to_owned()], ..named };
    assert!(prepare(&block).is_ok());
}

#[test]
fn a_reference_that_moves_more_than_the_variants_differ_is_called_not_converged() {
    let study = prepare(&checked(&["simulation.substeps=2,3"])).unwrap();
    let mut events = Vec::new();
    let report = study.run(&mut |event| {
        match event {
            Event::Checking { variant, seconds } => events.push((variant.label.clone(), seconds > 0.0)),
            Event::Ended { number, .. } if number > 1 => events.push((number.to_string(), true)),
            Event::Frame { .. } | Event::Ended { .. } => {}
        }
        ControlFlow::Continue(())
    });
    let names = ["substeps=3 with twice the substeps", "2", "substeps=3 with a mesh twice as fine", "3"];
    assert_eq!(events, names.map(|name| (name.to_owned(), true)));
    let check = report.check.as_ref().expect("it was checked");
    let sets: Vec<String> = check.refinements.iter().map(|r| r.changes[0].to_string()).collect();
    assert_eq!(sets, ["simulation.substeps=6", "cloth.0.grid.cells=[6, 6]"]);
    assert_eq!(check.refinements[0].run.total(|cost| f64::from(cost.substeps)), 18.0);
    let moved: Vec<f64> = check.refinements.iter().map(|r| r.comparison.last.unwrap().rms).collect();
    assert!(moved.iter().all(|&moved| moved > 0.0) && check.moves() == Some(moved.iter().sum()));
    assert_eq!(report.doubtful(), [0], "{moved:?} and {:?}", report.comparisons[0].last);

    let scratch = tempfile::tempdir().unwrap();
    let page = StudyFolder::create(scratch.path()).unwrap().write(&report).unwrap();
    let html = std::fs::read_to_string(page).unwrap();
    let (top, _) = html.split_once("<table>").unwrap();
    for part in
        ["check warning", "not converged", "1 of 1 other", "simulation.substeps=6/cloth.0.grid.cells=[6, 6]"]
    {
        assert!(top.contains(part), "{part}: {top}");
    }
    let rows = read_table(scratch.path(), "check.csv");
    assert_eq!(rows.len(), 2);
    assert_eq!(rows[1]["rms_last_m"].parse::<f64>().unwrap(), moved[1]);
    let doubtful: Vec<String> =
        read_table(scratch.path(), "study.csv").iter().map(|row| row["doubtful"].clone()).collect();
    assert_eq!(doubtful, ["true", "false"]);
}

#[test]
fn a_reference_that_moves_less_than_the_variants_differ_is_converged() {
    let report = prepare(&checked(&[
        "cloth.0.pin.0.axes=[true,true,true],[false,true,true]",
        "cloth.0.velocity=[0,0,0],[4,0,0]",
    ]))
    .unwrap()
    .run(&mut |_| ControlFlow::Continue(()));
    let words = report.check_words();
    assert!(words.iter().all(|sentence| !sentence.is_warning), "{words:?}");
    assert!(words.last().unwrap().text.contains("It is converged"), "{words:?}");
    // Without the check nothing is claimed.
    let report = run(&options(&["simulation.substeps=1,2"]));
    assert!(report.check.is_none() && report.doubtful().is_empty());
    let scratch = tempfile::tempdir().unwrap();
    let page = StudyFolder::create(scratch.path()).unwrap().write(&report).unwrap();
    assert!(std::fs::read_to_string(page).unwrap().contains("was not compared with its own refinement"));
    assert!(!scratch.path().join("check.csv").exists());
    assert!(read_table(scratch.path(), "study.csv").iter().all(|row| row["doubtful"].is_empty()));
}

#[test]
fn a_solver_that_sweeps_is_told_from_an_exact_one_by_its_own_refinement() {
    let stiff =
        "cloth.0.material={ density = 0.2, stretch = [2000.0, 2000.0], poisson = 0.3, bend = [5e-5, 5e-5] }";
    let moves = |reference: &str| {
        let options = StudyOptions {
            reference: Some(reference.to_owned()),
            overrides: vec![stiff.to_owned(), "cloth.0.place.rotate_deg=[0,0,0]".to_owned()],
            frames: Some(6),
            ..checked(&[
                "simulation.solver=block/simulation.substeps=4,simulation.solver=global/simulation.substeps=8",
            ])
        };
        let report = prepare(&options).unwrap().run(&mut |_| ControlFlow::Continue(()));
        report.check.unwrap().moves().unwrap()
    };
    let [block, global] = ["solver=block substeps=4", "solver=global substeps=8"].map(moves);
    assert!(block > 4.0 * global, "{block} and {global}");
}

#[test]
fn a_check_that_is_stopped_or_impossible_claims_nothing() {
    let study = prepare(&checked(&["simulation.substeps=1,2"])).unwrap();
    let report = study.run(&mut |event| match event {
        Event::Checking { .. } => ControlFlow::Break(()),
        Event::Frame { .. } | Event::Ended { .. } => ControlFlow::Continue(()),
    });
    assert!(report.runs.iter().all(|run| run.is_done()));
    let check = report.check.as_ref().unwrap();
    assert_eq!((check.refinements.len(), check.moves()), (1, None));
    assert!(report.check_words()[0].text.contains("was stopped") && report.doubtful().is_empty());

    // An equilibrium has no substeps, and a mesh from a file no cells.
    let scratch = tempfile::tempdir().unwrap();
    let square = "v 0 0 0\nv 1 0 0\nv 1 0 1\nv 0 0 1\nv 0.5 0 0.5\nvt 0 0\nvt 1 0\nvt 1 1\nvt 0 1\nvt 0.5 0.5\n\
                  f 1/1 2/2 5/5\nf 2/2 3/3 5/5\nf 3/3 4/4 5/5\nf 4/4 1/1 5/5\n";
    std::fs::write(scratch.path().join("square.obj"), square).unwrap();
    let text = "[simulation]\nmode = \"static\"\n[[cloth]]\nname = \"sheet\"\nmesh = \"square.obj\"\nmaterial = \
                \"cotton\"\n[[cloth.pin]]\nwhere = { boundary = true }\n";
    let path = scratch.path().join("rest.toml");
    let study = Study::prepare(text, &path, &checked(&["simulation.gravity=[0,-9.81,0],[0,-5,0]"])).unwrap();
    let report = study.run(&mut |_| ControlFlow::Continue(()));
    let words = report.check_words();
    assert!(
        words.len() == 1 && words[0].is_warning && words[0].text.contains("cannot be refined"),
        "{words:?}"
    );
}

#[test]
fn adaptive_meshes_ropes_and_meshes_from_files_are_refined_as_far_as_they_can_be() {
    let text = format!(
        "{SCENE}\n[[rope]]\nname = \"line\"\nlength = 1.0\nsegments = 6\nradius = 0.005\nmaterial = {{ density = 0.05, stretch = \
         1e3, bend = 1e-5 }}\n"
    );
    let changes = |vary: &[&str]| {
        let study = Study::prepare(&text, Path::new("fall.toml"), &checked(vary)).unwrap();
        let report = study.run(&mut |_| ControlFlow::Continue(()));
        let check = report.check.clone().unwrap();
        assert!(
            check.refinements.iter().all(|refinement| refinement.run.is_done()),
            "{:?}",
            report.check_words()
        );
        let mesh = &check.refinements[1];
        mesh.changes.iter().map(|assignment| assignment.to_string()).collect::<Vec<_>>()
    };
    let adaptive = changes(&[
        "cloth.0.remesh={size_min=0.1,size_max=0.4,refine_error=0.02},{size_min=0.05,refine_error=0.02}",
    ]);
    for part in ["cloth.0.remesh.size_min=", "cloth.0.remesh.refine_error=0.005", "rope.0.segments=12"] {
        assert!(adaptive.iter().any(|change| change.starts_with(part)), "{part}: {adaptive:?}");
    }
    let thresholds =
        changes(&["cloth.0.remesh={size_min=0.1,refine_angle=0.25},{size_min=0.1,refine_angle=0.2}"]);
    assert!(
        thresholds.iter().any(|change| change.starts_with("cloth.0.remesh.refine_angle=0.1")),
        "{thresholds:?}"
    );
}

#[test]
fn a_study_that_is_repeated_keeps_the_quickest_runs_and_tells_the_slowest() {
    let vary = ["simulation.substeps=1,2"];
    let once = run(&options(&vary));
    let mut ended = Vec::new();
    let study = prepare(&StudyOptions { repeat: 3, ..options(&vary) }).unwrap();
    let report = study.run(&mut |event| {
        if let Event::Ended { number, round, .. } = event {
            ended.push((round, number));
        }
        ControlFlow::Continue(())
    });
    // All variants by turns, so that what else the machine does meets all of them.
    assert_eq!(ended, [(0, 0), (0, 1), (1, 0), (1, 1), (2, 0), (2, 1)]);
    for (run, single) in report.runs.iter().zip(&once.runs) {
        assert_eq!(run.cpu_times.len(), 3);
        let least = run.cpu_times.iter().copied().fold(f64::INFINITY, f64::min);
        assert_eq!(run.total(|cost| cost.cpu), least);
        let points = |run: &taffeta_study::study::Run| run.frames.last().unwrap().points.clone();
        assert_eq!(points(run), points(single));
    }
    let scratch = tempfile::tempdir().unwrap();
    StudyFolder::create(scratch.path()).unwrap().write(&report).unwrap();
    for row in read_table(scratch.path(), "study.csv") {
        assert_eq!(row["runs"], "3");
        let [least, most] = ["cpu_s", "cpu_most_s"].map(|column| row[column].parse::<f64>().unwrap());
        assert!(least <= most, "{row:?}");
    }
    // Stopped in a later round: what the first one found is kept.
    let mut frames = 0;
    let study = prepare(&StudyOptions { repeat: 2, ..options(&vary) }).unwrap();
    let report = study.run(&mut |event| {
        frames += u32::from(matches!(event, Event::Frame { .. }));
        if frames < 8 { ControlFlow::Continue(()) } else { ControlFlow::Break(()) }
    });
    assert!(report.runs.iter().all(|run| run.is_done() && run.cpu_times.len() == 1));
    let never = prepare(&StudyOptions { repeat: 0, ..options(&vary) }).unwrap();
    assert!(never.run(&mut |_| ControlFlow::Continue(())).runs.iter().all(|run| run.is_done()));
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

/// The beam of the gallery, put elsewhere and turned.
fn beam(text_of: impl Fn(&str) -> String, vary: &[&str], reference: &str) -> Result<Study, StudyError> {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../scenes/methods/solid_beam.toml");
    let text = text_of(&std::fs::read_to_string(&path).unwrap());
    let overrides = vec!["simulation.substeps=8".to_owned(), "simulation.iterations=2".to_owned()];
    let vary = vary.iter().map(|text| (*text).to_owned()).collect();
    // The beam is for solvers that sweep: which of them is right has to be said.
    let reference = Some(reference.to_owned());
    let options = StudyOptions {
        vary,
        overrides,
        reference,
        frames: Some(8),
        skip_check: true,
        ..StudyOptions::default()
    };
    Study::prepare(&text, &path, &options)
}

#[test]
fn solids_are_compared_by_points_of_their_boxes() {
    let cells = "solid.0.box.cells=[4,1,1],[8,2,2],[16,4,4]";
    let turned = |text: &str| text.replace("[0.0, 0.6, 0.0] }", "[0.0, 0.6, 0.0], rotate_deg = [0, 20, 0] }");
    let study = beam(
        |text| turned(text).replace("box = [[-0.001, 0.0, -1.0], [0.001,", "box = [[-0.1, 0.0, -1.0], [0.1,"),
        &[cells],
        "cells=[16,4,4]",
    );
    let report = study.unwrap().run(&mut |_| ControlFlow::Continue(()));
    let lattice = SOLID_LATTICE * SOLID_LATTICE * SOLID_LATTICE;
    assert_eq!(report.study.points.len(), lattice + 1, "the lattice and the probe");
    let errors: Vec<f64> = report.comparisons.iter().map(|c| c.last.unwrap().rms).collect();
    assert!(errors[1] > 0.0 && errors[1] < 0.75 * errors[0] && errors[2] == 0.0, "{errors:?}");
    // At the start all are where they are at rest.
    assert!(report.comparisons[0].frames[0].unwrap().max < 1e-14);

    let scratch = tempfile::tempdir().unwrap();
    let page = StudyFolder::create(scratch.path()).unwrap().write(&report).unwrap();
    let rows = read_table(scratch.path(), "trajectories.csv");
    assert_eq!(rows.len(), 3 * 9);
    let field = |column: &str| rows[0][column].as_str();
    assert_eq!([field("point"), field("u"), field("v"), field("w")], ["tip", "0.8", "0.06", "0.06"]);
    let html = std::fs::read_to_string(page).unwrap();
    for part in ["Trajectory: tip", "at rest at (0.8000, 0.0600, 0.0600) m", "error-vertices"] {
        assert!(html.contains(part), "{part}");
    }
}

#[test]
fn points_of_solids_are_where_a_search_through_all_tetrahedra_finds_them() {
    let turned = |text: &str| {
        text.replace("[0.0, 0.6, 0.0] }", "[0.0, 0.6, 0.0], rotate_deg = [10, 20, 0], scale = 0.5 }")
    };
    let free = |text: &str| {
        turned(text).replace("box = [[-0.001, 0.0, -1.0], [0.001,", "box = [[-0.1, 0.0, -1.0], [0.1,")
    };
    let study = beam(free, &["solid.0.box.cells=[5,2,1],[7,3,2]"], "cells=[7,3,2]").unwrap();
    let (points, variants) = (study.points.clone(), study.variants.clone());
    let mut compared = 0;
    let mut expected = Vec::new();
    let report = study.run(&mut |event| {
        if let Event::Frame { number, variant, world, .. } = event {
            let place = variant.scene.solids[0].place;
            let find = |point: &StudyPoint| match point {
                StudyPoint::InSolid { solid, material } => {
                    queries::solid_point(world, *solid, place.apply(*material)).position
                }
                other => panic!("{other:?}"),
            };
            expected.push((number, points.iter().map(find).collect::<Vec<_>>()));
        }
        ControlFlow::Continue(())
    });
    for number in 0..variants.len() {
        let frames = report.runs[number].frames[1..].iter();
        for (frame, (_, expected)) in frames.zip(expected.iter().filter(|(of, _)| *of == number)) {
            let worst = frame.points.iter().zip(expected).map(|(a, b)| a.distance(*b)).fold(0.0, f64::max);
            assert!(worst < 1e-12, "{worst}");
            compared += frame.points.len();
        }
    }
    assert_eq!(compared, 2 * 8 * points.len());
}

#[test]
fn solids_without_probes_are_followed_by_their_sides() {
    let without_probe = |text: &str| text.replace("[[probe]]", "[[ignored]]");
    let cut = |text: &str| {
        let (before, rest) = text.split_once("[[probe]]").unwrap();
        let obstacle = rest.find("[[obstacle]]").unwrap();
        format!("{before}{}", &rest[obstacle..])
    };
    assert!(beam(without_probe, &["simulation.substeps=4,8"], "substeps=8").is_err());
    // A box that is shorter has points in common with the other as far as it goes.
    let study =
        beam(cut, &["solid.0.box.size=[0.8,0.12,0.12],[0.4,0.12,0.12]"], "size=[0.8,0.12,0.12]").unwrap();
    let names: Vec<&str> = study.tracked.iter().map(|point| point.name.as_str()).collect();
    assert_eq!(names[..3], ["middle", "side of least x", "side of greatest x"]);
    assert_eq!(names.len(), 7);
    let at = |number: usize| match study.points[study.tracked[number].point] {
        StudyPoint::InSolid { solid, material } => (solid, material.to_array()),
        other => panic!("{other:?}"),
    };
    assert_eq!((at(0), at(2)), ((0, [0.2, 0.06, 0.06]), (0, [0.4, 0.06, 0.06])));
}

/// Two squares of so many cells with the same material coordinates, the second 2 m above the first, as an OBJ file.
fn atlas(cells: usize) -> String {
    let at = |k: usize| k as f64 / cells as f64;
    let rows = || (0..=cells).flat_map(|j| (0..=cells).map(move |i| (i, j)));
    let mut text = String::new();
    for height in [0, 2] {
        rows().for_each(|(i, j)| text += &format!("v {} {} {height}\n", at(i), at(j)));
    }
    rows().for_each(|(i, j)| text += &format!("vt {} {}\n", at(i), at(j)));
    let count = (cells + 1) * (cells + 1);
    for first in [0, count] {
        for (i, j) in rows().filter(|(i, j)| *i < cells && *j < cells) {
            let v = j * (cells + 1) + i + 1;
            for face in [[v, v + 1, v + cells + 2], [v, v + cells + 2, v + cells + 1]] {
                let corners = face.map(|v| format!("{}/{v}", first + v));
                text += &format!("f {}\n", corners.join(" "));
            }
        }
    }
    text
}

#[test]
fn points_are_on_the_same_panel_in_all_variants_where_panels_overlap() {
    let scratch = tempfile::tempdir().unwrap();
    for cells in [4, 7] {
        std::fs::write(scratch.path().join(format!("atlas{cells}.obj")), atlas(cells)).unwrap();
    }
    let scene = |probe: &str| {
        format!(
            "[simulation]\nduration = 0.05\n[[cloth]]\nname = \"sheet\"\nmesh = \"atlas4.obj\"\n[cloth.remesh]\n\
             size_min = 0.1\nsize_max = 0.3\n{probe}"
        )
    };
    let probe = "[[probe]]\nname = \"above\"\ncloth = \"sheet\"\nmaterial = [0.3, 0.45]\npanel = 1\n";
    let vary = options(&["cloth.0.mesh=atlas4.obj,atlas7.obj"]);
    let prepare = |text: &str| Study::prepare(text, &scratch.path().join("atlas.toml"), &vary).unwrap();

    let study = prepare(&scene(probe));
    assert_eq!(study.points.len(), 2 * LATTICE * LATTICE + 1);
    let panel_of = |point: &StudyPoint| match point {
        StudyPoint::OnCloth(on) => on.point.panel.unwrap(),
        other => panic!("{other:?}"),
    };
    let panels: Vec<u32> = study.points.iter().map(panel_of).collect();
    assert_eq!(panels.iter().filter(|panel| **panel == 1).count(), LATTICE * LATTICE + 1);
    let report = study.run(&mut |_| ControlFlow::Continue(()));
    for run in &report.runs {
        assert!(run.is_done());
        for frame in &run.frames {
            for (point, panel) in frame.points.iter().zip(&panels) {
                assert!((point.z - 2.0 * f64::from(*panel)).abs() < 1e-9, "{point} on panel {panel}");
            }
        }
    }
    let folder = StudyFolder::create(&scratch.path().join("out")).unwrap();
    folder.write(&report).unwrap();
    let rows = read_table(folder.root(), "trajectories.csv");
    for row in &rows {
        let height: f64 = row["z"].parse().unwrap();
        assert_eq!((&row["point"][..], &row["panel"][..]), ("above", "1"));
        assert!((height - 2.0).abs() < 1e-9, "{height}");
    }

    // Without probes there is a corner on each.
    let names: Vec<String> = prepare(&scene("")).tracked.into_iter().map(|tracked| tracked.name).collect();
    assert_eq!(
        (names.len(), &names[0][..], &names[1][..]),
        (10, "lower left of panel 0", "lower left of panel 1")
    );
}
