//! Runs that do not fit in memory are refused before they begin, by an estimate that is about right.

use crate::common::Desk;
use std::path::Path;
use std::time::{Duration, Instant};
use taffeta_fixtures::tier;
use taffeta_scene::{Override, Scene, available_memory};

/// A square sheet that hangs by one edge.
const SHEET: &str = r#"[simulation]
duration = 1.0
[[cloth]]
name = "sheet"
grid = { size = [1.0, 1.0], cells = [8, 8] }
material = "cotton"
[[cloth.pin]]
where = { material_box = [[0, 1], [1, 1]] }
"#;

#[test]
fn a_scene_that_does_not_fit_is_refused_at_once() {
    let desk = Desk::new();
    desk.write("sheet.toml", SHEET);
    let huge = "cloth.0.grid.cells=[4400, 4400]";
    let scene = Scene::from_str(SHEET, Path::new("a.toml"), &[Override::parse(huge).unwrap()]).unwrap();
    let needed = scene.memory_model().estimate(2 * 4400 * 4400);
    // Beyond what a scene may have at all, on any machine; and beyond what this machine has.
    let mut refused = vec![("cloth.0.grid.cells=[10000, 10000]", vec!["100000000 cells"])];
    if available_memory().is_some_and(|available| needed > available as f64) {
        refused.push((huge, vec!["38720000 faces", "GB of memory", "are available", "faces fit: cells = ["]));
    }
    for (setting, parts) in refused {
        for command in [&["run", "sheet.toml"][..], &["view", "sheet.toml"]] {
            let start = Instant::now();
            desk.refused(&[command, &["--set", setting]].concat(), &parts);
            assert!(start.elapsed() < Duration::from_secs(1), "{:?}", start.elapsed());
        }
        let variants = format!("{}=[8, 8],{}", "cloth.0.grid.cells", setting.split_once('=').unwrap().1);
        desk.refused(&["study", "sheet.toml", "--vary", &variants], &parts);
    }
    desk.done(&["run", "sheet.toml", "--frames", "1", "--quiet"]);
}

#[test]
fn the_estimate_is_about_what_a_run_needs() {
    let cells = tier(80, 400);
    let cases = [
        ("global", "", true),
        ("global", "contact.self=false", true),
        ("block", "", true),
        ("direct", "contact.self=false", false),
        ("xpbd", "", true),
        ("projective", "", true),
    ];
    for (solver, setting, is_linear) in cases {
        // The factors of a large sheet take minutes.
        let cells = if is_linear { cells } else { 40 };
        let desk = Desk::new();
        desk.write("sheet.toml", SHEET);
        let settings = [
            format!("cloth.0.grid.cells=[{cells}, {cells}]"),
            format!("simulation.solver={solver}"),
            "simulation.substeps=2".to_owned(),
            (if setting.is_empty() { "simulation.seed=0" } else { setting }).to_owned(),
        ];
        let mut arguments = vec!["run", "sheet.toml", "--out", "a", "--frames", "1", "--quiet"];
        settings.iter().for_each(|setting| arguments.extend(["--set", setting]));
        desk.done(&arguments);
        let Some(peak) = desk.summary("a")["peak_memory"].as_f64() else { return };
        let overrides: Vec<_> = settings.iter().map(|text| Override::parse(text).unwrap()).collect();
        let scene = Scene::from_str(SHEET, Path::new("sheet.toml"), &overrides).unwrap();
        let estimate = scene.memory_model().estimate(2 * cells * cells);
        let ratio = estimate / peak;
        println!("{solver} {setting}: {:.0} MB, estimated {:.0} MB", 1e-6 * peak, 1e-6 * estimate);
        assert!((0.7..1.6).contains(&ratio), "{solver} {setting}: {peak} bytes, estimated {estimate}");
    }
}
