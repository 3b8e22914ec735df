//! Output of a run.

use crate::common::{Desk, REMESH, SCENE};

const METRICS: &str = "frame,time,vertices,faces,kinetic_energy,stretch_energy,bend_energy,gravity_energy,momentum_x,\
     momentum_y,momentum_z,angular_x,angular_y,angular_z,max_strain,residual,contacts,crossings,splits,collapses,flips,\
     step_ms,solve_ms,contact_ms,remesh_ms,io_ms,popping,kinetic_jump,elastic_jump,tears,torn_length";

#[test]
fn a_run_writes_the_files_of_the_contract() {
    let desk = Desk::new();
    let reply = desk.done(&["run", "scene.toml", "--set", REMESH]);
    assert!(reply.out.contains("taffeta render out/scene"), "{}", reply.out);
    let frames: Vec<String> = (0..=6).map(|frame| format!("sheet_{frame:05}.obj")).collect();
    assert_eq!(desk.list("out/scene/frames"), frames);
    let state = "checkpoint/state_00006.gz".to_owned();
    assert_eq!(
        desk.list("out/scene").into_iter().filter(|name| !name.starts_with("frames")).collect::<Vec<_>>(),
        [
            "checkpoint",
            "checkpoint/checkpoint.json",
            "checkpoint/lock",
            &state,
            "metrics.csv",
            "probes.csv",
            "scene.json",
            "summary.json"
        ]
    );
    let obj = desk.read("out/scene/frames/sheet_00000.obj");
    let count = |start: &str| obj.lines().filter(|line| line.starts_with(start)).count();
    assert_eq!((count("v "), count("vt "), count("f ")), (81, 81, 128));
}

#[test]
fn the_tables_have_their_columns_and_a_row_per_frame() {
    let desk = Desk::new();
    desk.done(&["run", "scene.toml", "--out", "a", "--set", REMESH]);
    let metrics = desk.read("a/metrics.csv");
    let rows: Vec<Vec<&str>> = metrics.lines().map(|line| line.split(',').collect()).collect();
    assert_eq!(metrics.lines().next(), Some(METRICS));
    assert_eq!(rows.len(), 8);
    for (frame, row) in rows[1..].iter().enumerate() {
        assert_eq!(row[0], frame.to_string());
        assert!((row[1].parse::<f64>().unwrap() - frame as f64 / 60.0).abs() < 1e-12);
        assert_eq!(row[17], "0", "crossings");
        assert!(row.iter().all(|field| field.parse::<f64>().unwrap().is_finite()), "{row:?}");
    }
    assert_eq!((rows[1][2], rows[1][3]), ("81", "128"));
    let last = &rows[7];
    let vertices =
        desk.read("a/frames/sheet_00006.obj").lines().filter(|line| line.starts_with("v ")).count();
    assert_eq!(last[2], vertices.to_string());
    assert!(last[16].parse::<u64>().unwrap() > 0, "the sheet touches the ball");
    assert!(last[21].parse::<f64>().unwrap() > 0.0 && last[22].parse::<f64>().unwrap() > 0.0);

    for table in ["metrics.csv", "probes.csv"] {
        let (written, documented) = desk.columns("a", table);
        assert_eq!(written, documented, "{table}");
    }

    let probes = desk.read("a/probes.csv");
    let rows: Vec<&str> = probes.lines().collect();
    assert_eq!((rows[0], rows.len()), ("frame,time,name,x,y,z,vx,vy,vz", 8));
    assert!(rows[1].starts_with("0,0.0,center,0.0,0.22,"), "{}", rows[1]);
}

#[test]
fn the_summary_says_what_was_done() {
    let desk = Desk::new();
    desk.done(&["run", "scene.toml", "--out", "a", "--threads", "2", "--set", REMESH]);
    let summary = desk.summary("a");
    assert_eq!((&summary["outcome"], &summary["mode"]), (&"finished".into(), &"dynamic".into()));
    assert_eq!(summary["version"], env!("CARGO_PKG_VERSION"));
    assert_eq!(summary["scene_hash"].as_str().unwrap().len(), 64);
    assert_eq!(summary["final_state_hash"].as_str().unwrap().len(), 64);
    let solver = &summary["solver"];
    assert_eq!((solver["name"].as_str(), solver["threads"].as_u64()), (Some("global"), Some(2)));
    assert!(solver["substeps"]["per_frame"]["min"].as_u64().unwrap() >= 1);
    let accuracy = &solver["accuracy"];
    let error = |key: &str| accuracy[key].as_f64().unwrap();
    assert_eq!(error("allowed"), 1e-4);
    assert!(error("mean") > 0.0 && error("mean") <= error("largest"), "{accuracy}");
    assert_eq!(
        (&solver["time_integration"], &solver["substeps"]["setting"]),
        (&"tr_bdf2".into(), &"auto".into())
    );
    let totals = &summary["totals"];
    assert_eq!((totals["frames"].as_u64(), totals["steps"].as_u64()), (Some(7), Some(6)));
    assert!((totals["simulated_time"].as_f64().unwrap() - 0.1).abs() < 1e-12);
    assert!(totals["vertices"]["max"].as_u64() >= totals["vertices"]["min"].as_u64());
    assert!(summary["wall_time"].as_f64().unwrap() > 0.0 && summary["cpu_time"].as_f64().unwrap() > 0.0);
    assert!(summary["stage_times"]["solve"].as_f64().unwrap() > 0.0);
    #[cfg(target_os = "linux")]
    assert!(summary["peak_memory"].as_u64().unwrap() > 1_000_000);
    assert!(summary.get("error").is_none());
}

#[test]
fn the_summary_says_by_what_when_and_where_it_was_made() {
    let desk = Desk::new();
    desk.done(&["run", "scene.toml", "--out", "a b", "--frames", "2", "--quiet"]);
    desk.done(&["run", "scene.toml", "--out", "a b", "--frames", "3", "--quiet", "--resume"]);
    let summary = desk.summary("a b");
    let text = |session: &serde_json::Value, key: &str| session[key].as_str().unwrap().to_owned();
    let [second] = summary["resumed"].as_array().unwrap().as_slice() else { panic!("{summary}") };
    for (session, more) in [(&summary, "--frames 2 --quiet"), (second, "--frames 3 --quiet --resume")] {
        assert_eq!(text(session, "version"), env!("CARGO_PKG_VERSION"));
        let commit = text(session, "commit");
        let is_hash =
            commit.trim_end_matches("-dirty").bytes().all(|b| b.is_ascii_hexdigit()) && commit.len() >= 40;
        assert!(commit == "unknown" || is_hash, "{commit}");
        let date = text(session, "date");
        let shape: String = date.chars().map(|c| if c.is_ascii_digit() { '0' } else { c }).collect();
        assert_eq!(shape, "0000-00-00T00:00:00Z");
        assert!(date.as_str() > "2026-01-01", "{date}");
        assert!(!text(session, "host").is_empty());
        let command = text(session, "command_line");
        assert!(command.ends_with(&format!("run scene.toml --out 'a b' {more}")), "{command}");
    }
    assert!(text(&summary, "date") <= text(second, "date"));
}

#[test]
fn overrides_and_output_settings_are_obeyed() {
    let desk = Desk::new();
    desk.done(&[
        "run",
        "scene.toml",
        "--out",
        "a",
        "--frames",
        "4",
        "--quiet",
        "--set",
        "cloth.0.grid.cells=[4,6]",
        "cloth.0.material=denim",
        "--set",
        "output.every=2",
    ]);
    assert_eq!(desk.list("a/frames"), ["sheet_00000.obj", "sheet_00002.obj", "sheet_00004.obj"]);
    assert_eq!(desk.read("a/metrics.csv").lines().count(), 6);
    assert_eq!(desk.timeless_metrics("a")[1][2], "35");
    let scene: serde_json::Value = serde_json::from_str(&desk.read("a/scene.json")).unwrap();
    assert_eq!(scene["cloth"][0]["material"]["density"], 0.4);
    desk.done(&["run", "scene.toml", "--out", "b", "--frames", "2", "--set", "output.formats=[\"none\"]"]);
    assert!(desk.list("b/frames").is_empty());
    assert_eq!(desk.read("b/probes.csv").lines().count(), 4);
}

#[test]
fn quiet_runs_keep_warnings_and_print_nothing_else() {
    let desk = Desk::new();
    let reply = desk.done(&[
        "run",
        "scene.toml",
        "--frames",
        "1",
        "--quiet",
        "--set",
        "simulation.solver=projective",
    ]);
    assert_eq!(reply.out, "");
    assert!(reply.err.lines().all(|line| line.starts_with("warning: ")), "{}", reply.err);
    assert_eq!(reply.err.lines().count(), 2, "{}", reply.err);
    assert_eq!(desk.summary("out/scene")["warnings"].as_array().unwrap().len(), 2);
}

#[test]
fn warnings_that_come_up_on_the_way_are_printed_once_and_summed_up() {
    let desk = Desk::new();
    let limit = "cloth.0.remesh={ size_min = 0.02, size_max = 0.1, max_vertices = 90 }";
    let reply = desk.done(&["run", "scene.toml", "--out", "a", "--set", limit]);
    assert_eq!(reply.err.matches("max_vertices").count(), 2, "one warning names it twice: {}", reply.err);
    let warnings = desk.summary("a")["warnings"].to_string();
    assert!(warnings.contains("larger max_vertices"), "{warnings}");
    let reply = desk.done(&[
        "run",
        "scene.toml",
        "--out",
        "b",
        "--set",
        "cloth.0.grid.cells=[1,500]",
        "simulation.gravity=[0,-200,0]",
        "simulation.solver=block",
        "--frames",
        "1",
    ]);
    let capped = "most that `auto` takes";
    assert_eq!(reply.err.matches(capped).count(), 1, "{}", reply.err);
    for part in [capped, "% of its size", "fewer cells", "size_min", "direct"] {
        assert!(desk.summary("b")["warnings"].to_string().contains(part), "{part}");
    }
}

#[test]
fn rough_forces_on_pins_are_warned_about() {
    let desk = Desk::new();
    let strong = "cloth.0.pin.0.strength=1e6";
    for (folder, solver, expected) in [("a", "block", 1), ("b", "direct", 0)] {
        let solver = format!("simulation.solver={solver}");
        let reply =
            desk.done(&["run", "scene.toml", "--out", folder, "--frames", "1", "--set", strong, &solver]);
        assert_eq!(reply.err.matches("overestimates the forces on pins").count(), expected, "{}", reply.err);
    }
}

#[test]
fn the_result_does_not_depend_on_threads() {
    let desk = Desk::new();
    for (folder, threads) in [("a", "1"), ("b", "2")] {
        desk.done(&["run", "scene.toml", "--out", folder, "--threads", threads, "--set", REMESH]);
    }
    desk.expect_same_results("a", "b");
    assert_eq!(desk.summary("a")["scene_hash"], desk.summary("b")["scene_hash"]);
    let vertices = &desk.summary("a")["totals"]["vertices"];
    assert_ne!(vertices["min"], vertices["max"], "the mesh adapts");
}

#[test]
fn a_failed_simulation_keeps_the_good_frames_and_says_why() {
    let desk = Desk::new();
    // A sheet that is shot away farther than can be resolved.
    let scene = SCENE.replace("material = \"cotton\"", "material = \"cotton\"\nvelocity = [0, 0, 1e30]");
    desk.write("wild.toml", &scene.replace("duration = 0.1", "duration = 100.0\nsubsteps = 1"));
    let reply = desk.call(&["run", "wild.toml", "--out", "a", "--set", "simulation.frame_rate=0.1"]);
    assert_eq!(reply.status, 1, "{}", reply.err);
    assert!(reply.err.contains("sheet") && reply.err.contains("moves by"), "{}", reply.err);
    let summary = desk.summary("a");
    assert_eq!(summary["outcome"], "failed");
    assert!(summary["error"].as_str().unwrap().contains("moves by"));
    let frames = summary["totals"]["frames"].as_u64().unwrap();
    assert_eq!(desk.list("a/frames").len() as u64, frames);
    assert_eq!(desk.read("a/metrics.csv").lines().count() as u64, frames + 1);
}
