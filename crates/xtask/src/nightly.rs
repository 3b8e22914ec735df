//! The second tier: every part runs, whatever became of the others, and what they print is kept.

use crate::parts::{PARTS, Part};
use crate::project;
use std::fmt::Write as _;
use std::fs::{self, File};
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Instant;

/// Folder of all results, below that of the project.
const FOLDER: &str = "target/nightly";

/// Result of a part.
struct Outcome {
    part: &'static Part,
    seconds: f64,
    failed: Vec<String>,
    printed: String,
}

/// Runs the named parts, or all; whether none failed.
pub(crate) fn run(names: &[String]) -> bool {
    let folder = project().join(FOLDER);
    fs::create_dir_all(&folder).expect("target/nightly can be written to");
    let is_wanted = |part: &&Part| names.is_empty() || names.iter().any(|name| name == part.name);
    let outcomes: Vec<_> = PARTS.iter().filter(is_wanted).map(|part| run_part(part, &folder)).collect();
    let figures = write_figures(&outcomes, &folder);
    println!("\n{:18} {:>8}  outcome", "part", "time");
    for Outcome { part, seconds, failed, .. } in &outcomes {
        let outcome =
            if failed.is_empty() { "done".to_owned() } else { format!("FAILED: {}", failed.join("; ")) };
        println!("{:18} {:>8}  {outcome}", part.name, clock(*seconds));
    }
    println!("What was printed is in {FOLDER}/NAME.log{figures}.");
    outcomes.iter().all(|outcome| outcome.failed.is_empty())
}

/// Runs the commands of a part; what they print goes to its log.
fn run_part(part: &'static Part, folder: &Path) -> Outcome {
    println!("{}: {}", part.name, part.purpose);
    let path = folder.join(part.name).with_extension("log");
    let start = Instant::now();
    let mut failed = Vec::new();
    let mut printed = String::new();
    for line in part.lines {
        let begin = Instant::now();
        let log = File::create(&path).expect("a log can be written");
        let errors = log.try_clone().expect("a file handle can be copied");
        let status = Command::new(line[0])
            .args(&line[1..])
            .env("TAFFETA_SECOND_TIER", "1")
            .current_dir(project())
            .stdout(log)
            .stderr(errors)
            .status();
        if !status.is_ok_and(|status| status.success()) {
            failed.push(line.join(" "));
        }
        let text = String::from_utf8_lossy(&fs::read(&path).unwrap_or_default()).into_owned();
        let time = clock(begin.elapsed().as_secs_f64());
        writeln!(printed, "$ {}\n{}\n({time})\n", line.join(" "), text.trim_end()).expect("a string grows");
    }
    fs::write(&path, &printed).expect("a log can be written");
    Outcome { part, seconds: start.elapsed().as_secs_f64(), failed, printed }
}

/// Writes the figures of all parts that have some into one file; what to say of it.
fn write_figures(outcomes: &[Outcome], folder: &Path) -> String {
    let parts: Vec<_> = outcomes.iter().filter(|outcome| outcome.part.has_figures).collect();
    if parts.is_empty() {
        return String::new();
    }
    let mut text = format!("# Figures\n\nMeasured on {}.\n", describe_machine());
    for Outcome { part, printed, .. } in parts {
        let figures: Vec<_> = printed.lines().filter(|line| is_figure(line)).collect();
        write!(text, "\n## {}\n\n```text\n{}\n```\n", part.purpose, figures.join("\n"))
            .expect("a string grows");
    }
    fs::write(folder.join("figures.md"), text).expect("the figures can be written");
    format!(", figures in {FOLDER}/figures.md")
}

/// Returns whether a line says more than that something is compiled or warmed up.
fn is_figure(line: &str) -> bool {
    let noise = [
        "Compiling",
        "Finished",
        "Running",
        "Benchmarking",
        "Downloaded",
        "Downloading",
        "Gnuplot",
        "Found",
        "change:",
    ];
    !line.trim().is_empty() && !noise.iter().any(|word| line.trim_start().starts_with(word))
}

/// Processor and number of cores.
fn describe_machine() -> String {
    let cores = std::thread::available_parallelism().map_or(1, usize::from);
    let information = fs::read_to_string(PathBuf::from("/proc/cpuinfo")).unwrap_or_default();
    let model = information.lines().find_map(|line| line.strip_prefix("model name")?.split_once(':'));
    format!("{} with {cores} cores", model.map_or(std::env::consts::ARCH, |(_, name)| name.trim()))
}

/// Minutes and seconds.
fn clock(seconds: f64) -> String {
    format!("{}:{:04.1}", (seconds / 60.0).floor(), seconds % 60.0)
}
