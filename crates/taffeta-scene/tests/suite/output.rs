//! Result folders are written completely or not at all, resumed, and read back.

use glam::DVec2;
use std::fs;
use std::path::Path;
use taffeta_io::{Format, FrameData, GridPattern, grid};
use taffeta_scene::{MetricsRow, OutputFolder, ProbeRow, ResultFolder, Scene};
use taffeta_sim::columns::Value;

fn frame_files(root: &Path) -> Vec<String> {
    let entries = fs::read_dir(root.join("frames")).unwrap();
    let mut names: Vec<String> = entries.map(|e| e.unwrap().file_name().into_string().unwrap()).collect();
    names.sort();
    names
}

fn probe_row(frame: u64) -> ProbeRow {
    ProbeRow {
        frame,
        time: frame as f64 / 60.0,
        name: "a, \"b\"".to_owned(),
        x: 0.1,
        vz: -1e-9,
        ..ProbeRow::default()
    }
}

/// Writes frames 0 to `last` of one cloth, with both tables.
fn write_run(folder: &OutputFolder, frames: std::ops::RangeInclusive<u64>) {
    let mesh = grid(DVec2::ONE, [2, 2], GridPattern::Crossed, 0);
    let (mut probes, mut metrics) = (folder.probes().unwrap(), folder.metrics().unwrap());
    for frame in frames {
        folder.write_frame("my_sheet", frame, Format::Obj, &FrameData::surface(mesh.clone())).unwrap();
        probes.write(&probe_row(frame)).unwrap();
        let mut row = MetricsRow::default();
        for (name, value) in [("frame", frame), ("vertices", 13)] {
            row.set(name, Some(Value::Count(value)));
        }
        metrics.write(&row).unwrap();
    }
}

#[test]
fn a_run_is_written_and_read_back() {
    let folder = tempfile::tempdir().unwrap();
    let root = folder.path().join("new/out");
    let output = OutputFolder::create(&root).unwrap();
    write_run(&output, 0..=2);
    output.write_summary(&serde_json::json!({ "version": "0.1.0" })).unwrap();
    let scene =
        Scene::from_str("[simulation]\nduration = 1\n[[cloth]]\ngrid = {}\n", Path::new("a.toml"), &[]);
    output.write_scene_json(scene.as_ref().unwrap()).unwrap();

    assert_eq!(frame_files(&root), ["my_sheet_00000.obj", "my_sheet_00001.obj", "my_sheet_00002.obj"]);
    let result = ResultFolder::open(&root).unwrap();
    assert_eq!((result.cloth_names(), result.frames("my_sheet")), (vec!["my_sheet"], &[0, 1, 2][..]));
    assert_eq!(result.all_frames(), [0, 1, 2]);
    let mesh = result.read_frame("my_sheet", 1).unwrap().mesh;
    assert_eq!(mesh, grid(DVec2::ONE, [2, 2], GridPattern::Crossed, 0));
    assert_eq!(result.read_probes().unwrap()[2], probe_row(2));
    assert_eq!(result.read_metrics().unwrap()[1].get("vertices"), Some(13.0));
    assert_eq!(result.read_scene().unwrap().to_json(), scene.unwrap().to_json());
    assert!(result.read_frame("my_sheet", 9).is_err());
}

#[test]
fn rows_that_are_none_are_refused() {
    let folder = tempfile::tempdir().unwrap();
    let output = OutputFolder::create(folder.path()).unwrap();
    write_run(&output, 0..=0);
    let read = |text: &str| {
        fs::write(folder.path().join("metrics.csv"), text).unwrap();
        ResultFolder::open(folder.path()).unwrap().read_metrics().map_err(|error| error.to_string())
    };
    let rows = read("frame,time,vertices,of_another_version\n3,0.5,13,1\n4,0.6,,\n").unwrap();
    assert_eq!((rows[0].frame(), rows[0].time(), rows[0].get("vertices")), (3, 0.5, Some(13.0)));
    // A missing value is none, and a column that an older version did not write is zero.
    assert_eq!((rows[1].get("vertices"), rows[1].get("popping")), (None, Some(0.0)));
    assert!(read("time,vertices\n0.5,13\n").unwrap_err().contains("no number in the column `frame`"));
    assert!(read("frame,time\n,0.5\n").unwrap_err().contains("`frame`"));
    assert!(read("frame,time\n1,later\n").unwrap_err().contains("metrics.csv"));
    assert_eq!(read("").unwrap(), []);
}

#[test]
fn the_tables_have_the_promised_columns() {
    let folder = tempfile::tempdir().unwrap();
    let output = OutputFolder::create(folder.path()).unwrap();
    write_run(&output, 0..=0);
    let header =
        |file: &str| fs::read_to_string(folder.path().join(file)).unwrap().lines().next().unwrap().to_owned();
    assert_eq!(header("probes.csv"), "frame,time,name,x,y,z,vx,vy,vz");
    assert_eq!(
        header("metrics.csv"),
        "frame,time,vertices,faces,kinetic_energy,stretch_energy,bend_energy,gravity_energy,momentum_x,momentum_y,\
         momentum_z,angular_x,angular_y,angular_z,max_strain,residual,contacts,crossings,splits,collapses,flips,\
         step_ms,solve_ms,contact_ms,remesh_ms,io_ms,popping,kinetic_jump,elastic_jump,tears,torn_length"
    );
}

#[test]
fn a_folder_with_files_in_it_is_refused_and_left_alone() {
    let folder = tempfile::tempdir().unwrap();
    fs::write(folder.path().join("precious.txt"), "x").unwrap();
    let report = OutputFolder::create(folder.path()).unwrap_err().to_string();
    assert!(report.contains("not empty") && report.contains("--out"), "{report}");
    assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 1);
    let report = OutputFolder::create(&folder.path().join("precious.txt")).unwrap_err().to_string();
    assert!(report.contains("is a file"), "{report}");
    let report = OutputFolder::create(&folder.path().join("precious.txt/out")).unwrap_err().to_string();
    assert!(report.contains("cannot make the output folder"), "{report}");
}

#[test]
fn unsafe_names_and_failed_frames_leave_nothing_behind() {
    let folder = tempfile::tempdir().unwrap();
    let output = OutputFolder::create(folder.path()).unwrap();
    let part = FrameData::default();
    for name in ["", "a/b", "../x", "ü", "a b"] {
        let report = output.write_frame(name, 0, Format::Obj, &part).unwrap_err().to_string();
        assert!(report.contains("file name"), "{report}");
    }
    fs::create_dir(folder.path().join("frames/taken_00000.obj")).unwrap();
    assert!(output.write_frame("taken", 0, Format::Obj, &part).is_err());
    assert_eq!(frame_files(folder.path()), ["taken_00000.obj"]);
}

#[test]
fn a_run_resumes_after_its_last_good_frame() {
    let folder = tempfile::tempdir().unwrap();
    write_run(&OutputFolder::create(folder.path()).unwrap(), 0..=5);
    // As a crash leaves it: half a row and half a file.
    let table = folder.path().join("metrics.csv");
    let torn = fs::read_to_string(&table).unwrap() + "6,0.5,1";
    fs::write(&table, torn).unwrap();
    fs::write(folder.path().join("frames/.taffeta-abc.tmp"), "v 0").unwrap();

    let output = OutputFolder::reopen(folder.path(), Some(3)).unwrap();
    assert_eq!(ResultFolder::open(folder.path()).unwrap().all_frames(), [0, 1, 2, 3]);
    assert_eq!(frame_files(folder.path()).len(), 4);
    write_run(&output, 4..=6);
    let result = ResultFolder::open(folder.path()).unwrap();
    let frames: Vec<u64> = result.read_metrics().unwrap().iter().map(|row| row.frame()).collect();
    assert_eq!(frames, [0, 1, 2, 3, 4, 5, 6]);
    assert_eq!(result.read_probes().unwrap(), (0..=6).map(probe_row).collect::<Vec<_>>());
    assert_eq!(output.missing_rows(6).unwrap(), 0);
    assert!(OutputFolder::reopen(&folder.path().join("missing"), Some(3)).is_err());

    // Rows that somebody has removed.
    let text = fs::read_to_string(&table).unwrap();
    fs::write(&table, text.lines().take(3).map(|line| format!("{line}\n")).collect::<String>()).unwrap();
    assert_eq!(output.missing_rows(6).unwrap(), 5);
    fs::remove_file(&table).unwrap();
    assert_eq!(output.missing_rows(6).unwrap(), 7);
}
