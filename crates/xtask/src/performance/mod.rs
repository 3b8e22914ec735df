//! Cost of a frame: the program is run on sheets of several sizes, scenes and numbers of threads, if asked beside another
//! version of itself, in turns. Prints a table and draws the cost of a vertex.

mod cases;
mod plot;

use crate::project;
use cases::{Case, Scene};
use std::fs;
use std::path::Path;
use std::process::Command;
use std::time::{Duration, Instant};

/// Folder of scenes and results, below that of the project.
const FOLDER: &str = "target/performance";
/// The plot, below the folder of the project.
const PLOT: &str = "docs/cost.svg";
/// Runs of a case at most, of which the median counts, and the time after which no other one begins.
const ROUNDS: usize = 3;
const ENOUGH: Duration = Duration::from_secs(30);

/// A measured run.
#[derive(Clone, Copy)]
struct Cost {
    /// Mean of the frames that count \[ms\], with remeshing.
    frame: f64,
    /// Most memory \[MB\].
    memory: f64,
}

/// Measures the cases whose names contain `only`, or all; whether every run ended.
pub(crate) fn run(against: Option<&Path>, only: Option<&str>) -> bool {
    fs::create_dir_all(project().join(FOLDER)).expect("target/performance can be written to");
    let built = Command::new(env!("CARGO")).args(["build", "--release"]).current_dir(project()).status();
    if !built.expect("cargo runs").success() {
        return false;
    }
    let now = project().join("target/release/taffeta");
    let programs: Vec<&Path> = std::iter::once(now.as_path()).chain(against).collect();
    println!("| | threads | a frame | memory | before | times less |");
    println!("|---|---|---|---|---|---|");
    let mut points = Vec::new();
    for case in cases::cases().into_iter().filter(|case| only.is_none_or(|part| case.name.contains(part))) {
        for threads in case.threads {
            let Some(costs) = measure_in_turns(&programs, &case, *threads) else { return false };
            let [now, before] = [costs[0], *costs.last().expect("one of each program")];
            let beside = match against {
                Some(_) => format!(
                    "{:.1} ms, {:.0} MB | {:.2}",
                    before.frame,
                    before.memory,
                    before.frame / now.frame
                ),
                None => " | ".to_owned(),
            };
            println!("| {} | {threads} | {:.1} ms | {:.0} MB | {beside} |", case.name, now.frame, now.memory);
            points.extend(case.point.map(|(line, vertices)| {
                (format!("{line}, {threads}"), vertices as f64, 1e3 * now.frame / vertices as f64)
            }));
        }
    }
    if only.is_none() {
        plot::draw(&points, &project().join(PLOT));
        println!("\nThe plot is {PLOT}.");
    }
    true
}

/// Runs the programs in turns on a case; the median cost with each.
fn measure_in_turns(programs: &[&Path], case: &Case, threads: usize) -> Option<Vec<Cost>> {
    let begun = Instant::now();
    let mut costs: Vec<Vec<Cost>> = vec![Vec::new(); programs.len()];
    while costs[0].len() < ROUNDS && (costs[0].is_empty() || begun.elapsed() < ENOUGH) {
        for (program, costs) in programs.iter().zip(&mut costs) {
            costs.push(measure(program, case, threads)?);
        }
    }
    let median = |mut costs: Vec<Cost>| {
        costs.sort_by(|a, b| a.frame.total_cmp(&b.frame));
        costs[costs.len() / 2]
    };
    Some(costs.into_iter().map(median).collect())
}

/// Runs a program on a case; nothing if it failed, which it has then said.
fn measure(program: &Path, case: &Case, threads: usize) -> Option<Cost> {
    let folder = project().join(FOLDER);
    let out = folder.join("out");
    if out.exists() {
        fs::remove_dir_all(&out).expect("results of before can be removed");
    }
    let scene = match &case.scene {
        Scene::Text(text) => {
            let scene = folder.join("scene.toml");
            fs::write(&scene, text).expect("target/performance can be written to");
            scene
        }
        Scene::File(file) => project().join(file),
    };
    let mut command = Command::new(program);
    command.arg("run").arg(scene).args(["--quiet", "--set", "output.formats=[\"none\"]"]);
    for value in &case.set {
        command.args(["--set", value]);
    }
    command
        .args(["--threads", &threads.to_string(), "--frames", &case.frames.to_string(), "--out"])
        .arg(&out);
    let is_done = command.status().expect("the program runs").success();
    is_done.then(|| Cost { frame: mean_of_frames(&out, case.counted), memory: peak_memory(&out) })
}

/// Mean time of the last frames of a run \[ms\], the work of steps and remeshing.
fn mean_of_frames(out: &Path, counted: u32) -> f64 {
    let table = fs::read_to_string(out.join("metrics.csv")).expect("a run writes it");
    let mut lines = table.lines();
    let names: Vec<&str> = lines.next().expect("names of columns").split(',').collect();
    let place = |name: &str| names.iter().position(|other| *other == name).expect("a column of times");
    let columns = ["step_ms", "remesh_ms"].map(place);
    let time = |line: &str| -> f64 {
        let values: Vec<&str> = line.split(',').collect();
        columns.iter().map(|column| values[*column].parse::<f64>().expect("a number")).sum()
    };
    let times: Vec<f64> = lines.map(time).collect();
    times.iter().rev().take(counted as usize).sum::<f64>() / f64::from(counted)
}

/// Most memory that a run took \[MB\].
fn peak_memory(out: &Path) -> f64 {
    let summary = fs::read(out.join("summary.json")).expect("a run writes it");
    let summary: serde_json::Value = serde_json::from_slice(&summary).expect("it is JSON");
    1e-6 * summary["peak_memory"].as_f64().expect("bytes")
}
