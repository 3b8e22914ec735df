//! Cost of a frame: the program is run on sheets of several sizes and on one thread and two, if asked beside another
//! version of itself, in turns. Prints a table and draws the cost of a vertex.

use crate::project;
use plotters::prelude::*;
use std::fmt::Write as _;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

/// Folder of scenes and results, below that of the project.
const FOLDER: &str = "target/performance";
/// The plot, below the folder of the project.
const PLOT: &str = "docs/cost.svg";

/// A scene and how many frames of it are run.
struct Case {
    name: String,
    scene: String,
    vertices: usize,
    frames: u32,
    /// The line of the plot that it is a point of.
    line: Option<&'static str>,
}

/// A measured run.
struct Cost {
    /// Mean of a frame \[ms\], all stages.
    frame: f64,
    /// CPU time of the whole run \[s\].
    cpu: f64,
}

/// Measures; whether every run ended.
pub(crate) fn run(against: Option<&Path>) -> bool {
    let folder = project().join(FOLDER);
    fs::create_dir_all(&folder).expect("target/performance can be written to");
    let built = Command::new(env!("CARGO")).args(["build", "--release"]).current_dir(project()).status();
    if !built.expect("cargo runs").success() {
        return false;
    }
    let program = project().join("target/release/taffeta");
    println!("| | threads | a frame, mean [ms] | CPU of the run [s] | before | times less |");
    println!("|---|---|---|---|---|---|");
    let mut points: Vec<(String, f64, f64)> = Vec::new();
    for case in cases() {
        for threads in [1, 2] {
            let Some(now) = measure(&program, &case, threads, &folder) else { return false };
            let before = against.and_then(|program| measure(program, &case, threads, &folder));
            let [then, ratio] = before.map_or([String::new(), String::new()], |before| {
                [
                    format!("{:.1} ms, {:.1} s", before.frame, before.cpu),
                    format!("{:.2}", before.frame / now.frame),
                ]
            });
            println!("| {} | {threads} | {:.1} | {:.1} | {then} | {ratio} |", case.name, now.frame, now.cpu);
            let cost = 1e3 * now.frame / case.vertices as f64;
            points.extend(case.line.map(|line| (format!("{line}, {threads}"), case.vertices as f64, cost)));
        }
    }
    draw(&points, &project().join(PLOT));
    println!("\nThe plot is {PLOT}.");
    true
}

/// Everything that is measured.
fn cases() -> Vec<Case> {
    let swing = [(32, 48), (64, 24), (128, 12), (256, 4)].map(|(cells, frames)| Case {
        name: format!("swing, {} triangles", 2 * cells * cells),
        scene: sheet("sheet", cells, 0.0)
            + "[[cloth.pin]]\nwhere = { material_box = [[0.0, 0.9], [0.1, 1.0]] }\n\
               [[cloth.pin]]\nwhere = { material_box = [[0.9, 0.9], [1.0, 1.0]] }\n",
        vertices: (cells + 1) * (cells + 1),
        frames,
        line: Some("swing"),
    });
    let ball = [32, 64, 128].map(|cells| Case {
        name: format!("on a ball, {} triangles", 2 * cells * cells),
        scene: sheet("sheet", cells, 0.01) + BALL,
        vertices: (cells + 1) * (cells + 1),
        frames: 24,
        line: Some("on a ball"),
    });
    let layers = Case {
        name: "six layers on a ball, 10 092 triangles".to_owned(),
        scene: (0..6).map(|k| sheet(&format!("layer{k}"), 29, 0.01 * f64::from(k + 1))).collect::<String>()
            + BALL,
        vertices: 6 * 900,
        frames: 24,
        line: None,
    };
    swing.into_iter().chain(ball).chain([layers]).collect()
}

/// A ball of 20 cm whose top is at the height of a sheet.
const BALL: &str =
    "[[obstacle]]\nshape = { sphere = { radius = 0.2 } }\nplace = { translate = [0.0, -0.2, 0.0] }\n";

/// A flat sheet of cotton, 1 m wide, at a height \[m\].
fn sheet(name: &str, cells: usize, height: f64) -> String {
    format!(
        "[[cloth]]\nname = \"{name}\"\nmaterial = \"cotton\"\n\
         grid = {{ size = [1.0, 1.0], cells = [{cells}, {cells}], pattern = \"alternating\" }}\n\
         place = {{ translate = [-0.5, {height:.3}, 0.5], rotate_deg = [-90, 0, 0] }}\n"
    )
}

/// Runs a program on a case; nothing if it failed, which it has then said.
fn measure(program: &Path, case: &Case, threads: usize, folder: &Path) -> Option<Cost> {
    let scene: PathBuf = folder.join("scene.toml");
    let out = folder.join("out");
    fs::write(&scene, &case.scene).expect("target/performance can be written to");
    if out.exists() {
        fs::remove_dir_all(&out).expect("results of before can be removed");
    }
    let duration = format!("simulation.duration={}", f64::from(case.frames) / 60.0);
    let status = Command::new(program)
        .arg("run")
        .arg(&scene)
        .args(["--quiet", "--threads", &threads.to_string(), "--set", &duration, "--out"])
        .arg(&out)
        .status();
    status.expect("the program runs").success().then(|| {
        let summary = fs::read(out.join("summary.json")).expect("a run writes it");
        let summary: serde_json::Value = serde_json::from_slice(&summary).expect("it is JSON");
        let stages = summary["stage_times"].as_object().expect("times of the stages");
        let is_step = |(name, _): &(&String, _)| *name != "write";
        let seconds: f64 = stages.iter().filter(is_step).filter_map(|(_, time)| time.as_f64()).sum();
        Cost {
            frame: 1e3 * seconds / f64::from(case.frames),
            cpu: summary["cpu_time"].as_f64().expect("a time"),
        }
    })
}

/// Draws the cost of a vertex \[µs\] in a frame against their number, a line for each name.
fn draw(points: &[(String, f64, f64)], file: &Path) {
    let mut names: Vec<&String> = points.iter().map(|(name, ..)| name).collect();
    names.dedup();
    names.sort();
    names.dedup();
    let highest = points.iter().map(|(.., cost)| *cost).fold(0.0, f64::max);
    let mut svg = String::new();
    {
        let root = SVGBackend::with_string(&mut svg, (640, 400)).into_drawing_area();
        root.fill(&WHITE).expect("a string takes all that is drawn");
        let mut chart = ChartBuilder::on(&root)
            .margin(12)
            .x_label_area_size(40)
            .y_label_area_size(56)
            .build_cartesian_2d((900.0..80_000.0).log_scale(), 0.0..1.1 * highest)
            .expect("ranges that are not empty");
        chart
            .configure_mesh()
            .x_desc("vertices")
            .x_labels(4)
            .light_line_style(TRANSPARENT)
            .y_desc("a vertex in a frame of 1/60 s [µs]")
            .x_label_formatter(&|x| format!("{x:.0}"))
            .draw()
            .expect("a string takes all that is drawn");
        for (k, name) in names.into_iter().enumerate() {
            let color = Palette99::pick(k).to_rgba();
            let line: Vec<(f64, f64)> =
                points.iter().filter(|point| point.0 == *name).map(|(_, x, y)| (*x, *y)).collect();
            let mut label = String::new();
            write!(label, "{name} thread{}", if name.ends_with('1') { "" } else { "s" }).expect("a string");
            chart
                .draw_series(LineSeries::new(line, color.stroke_width(2)).point_size(3))
                .expect("a string takes all that is drawn")
                .label(label)
                .legend(move |(x, y)| PathElement::new([(x, y), (x + 20, y)], color.stroke_width(2)));
        }
        chart
            .configure_series_labels()
            .position(SeriesLabelPosition::UpperLeft)
            .background_style(WHITE.mix(0.8))
            .draw()
            .expect("a string takes all that is drawn");
    }
    fs::write(file, svg).expect("docs can be written to");
}
