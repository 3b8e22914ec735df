//! `taffeta study`: variants of a scene, compared.

use crate::args::StudyOptions;
use crate::bar::Bar;
use crate::failure::Failure;
use crate::log::{say, warn, warnings_before};
use crate::run::interrupt::listen;
use std::ops::ControlFlow;
use std::path::{Path, PathBuf};
use taffeta_study::study::{Event, Outcome, Run, StudyFolder, Variant};
use taffeta_study::{Study, StudyReport};

/// Runs the variants, writes tables and a page, and says where they are.
///
/// # Errors
/// Bad usage, a bad scene or folder, before anything is written; a variant that failed; an interruption.
pub fn study(options: &StudyOptions) -> Result<String, Failure> {
    let study = Study::read(&options.scene, &wanted(options)).map_err(|error| {
        warn(warnings_before(&error));
        Failure::usage(&error)
    })?;
    let root = options.out.clone().unwrap_or_else(|| default_folder(&options.scene));
    let folder = StudyFolder::create(&root).map_err(|error| Failure::usage(&error))?;
    warn(&study.warnings);
    let progress = Progress::new(study.variants.len(), options.quiet);
    let stop_token = study.stop_token.clone();
    listen(&stop_token.stop_flag());
    let report = study.run(&mut |event| {
        progress.show(&event);
        if stop_token.is_stop_requested() { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
    });
    progress.finish();
    if report.check.is_some() {
        let warnings = report.check_words().into_iter().filter(|words| words.is_warning);
        warnings.for_each(|words| say(format!("warning: {}", words.text)));
    }
    let page = folder.write(&report).map_err(|error| Failure::failed(&error))?;
    conclude(&report, &page, options.quiet)
}

/// The options as the library knows them.
fn wanted(options: &StudyOptions) -> taffeta_study::StudyOptions {
    taffeta_study::StudyOptions {
        vary: options.vary.clone(),
        reference: Some(options.reference.clone()),
        overrides: options.changes.overrides().cloned().collect(),
        frames: options.frames,
        threads: options.changes.threads.map(usize::from),
        repeat: options.repeat,
        skip_check: options.no_check,
    }
}

/// `out/` and the name of the scene file without its ending, and `-study`.
fn default_folder(scene: &Path) -> PathBuf {
    let name = scene.file_stem().unwrap_or("scene".as_ref()).to_string_lossy();
    Path::new("out").join(format!("{name}-study"))
}

fn conclude(report: &StudyReport, page: &Path, quiet: bool) -> Result<String, Failure> {
    let (count, failures) = (report.runs.len(), report.failures());
    let page = page.display();
    let done = report.runs.iter().filter(|run| run.is_done()).count();
    let refinements = report.check.iter().flat_map(|check| &check.refinements);
    if done == count && refinements.clone().any(|r| r.run.outcome == Outcome::Stopped) {
        return Err(Failure::Interrupted(format!("interrupted while the reference was checked: {page}")));
    }
    if report.runs.iter().any(|run| run.outcome == Outcome::Stopped) {
        return Err(Failure::Interrupted(format!("interrupted after {done} of {count} variants: {page}")));
    }
    let is_cut = |run: &Run| run.is_done() && run.cpu_times.len() < report.study.rounds as usize;
    if failures == 0 && report.runs.iter().any(is_cut) {
        return Err(Failure::Interrupted(format!("interrupted while runs were repeated: {page}")));
    }
    if failures > 0 {
        return Err(Failure::Failed(format!(
            "{failures} of {count} variants failed; the others are in {page}"
        )));
    }
    let reference = report.label(report.reference);
    Ok(if quiet { String::new() } else { format!("{count} variants, compared with `{reference}`: {page}") })
}

/// Messages of a study on standard error while it runs: a line for each variant, and on a terminal a bar.
struct Progress {
    count: usize,
    bar: Option<Bar>,
    quiet: bool,
}

impl Progress {
    fn new(count: usize, quiet: bool) -> Self {
        let bar = if quiet { None } else { Bar::on_terminal() };
        Self { count, bar, quiet }
    }

    fn show(&self, event: &Event<'_>) {
        match event {
            Event::Frame { number, variant, frame, world } => {
                let Some(bar) = &self.bar else { return };
                let text = format!("{}, {} vertices", self.name(*number, variant), world.vertex_count());
                bar.show(*frame, variant.last_frame, &text);
            }
            Event::Checking { variant, seconds } => {
                let text =
                    format!("checking {}: about {seconds:.1} s; --no-check leaves it out", variant.label);
                match &self.bar {
                    Some(bar) => bar.suspend(|| say(&text)),
                    None if !self.quiet => say(&text),
                    None => {}
                }
            }
            Event::Ended { number, variant, round, run } => {
                let again = if *round > 0 { format!(", run {}", round + 1) } else { String::new() };
                self.show_end(&format!("{}{again}", self.name(*number, variant)), run);
            }
        }
    }

    fn show_end(&self, name: &str, run: &Run) {
        let line = match &run.outcome {
            Outcome::Failed(reason) => format!("{name}: failed: {reason}"),
            Outcome::Done | Outcome::Stopped => {
                let vertices = run.frames.last().map_or(0, |frame| frame.vertices);
                let time = run.total(|cost| cost.wall);
                format!("{name}: {} frames, {vertices} vertices, {time:.2} s", run.steps())
            }
        };
        let is_failure = matches!(run.outcome, Outcome::Failed(_));
        let print = || say(&line);
        match &self.bar {
            Some(bar) => bar.suspend(print),
            None if is_failure || !self.quiet => print(),
            None => {}
        }
    }

    /// The refined reference is none of those that are counted.
    fn name(&self, number: usize, variant: &Variant) -> String {
        let place =
            if number < self.count { format!("{}/{}", number + 1, self.count) } else { "check".to_owned() };
        format!("{place} {}", variant.label)
    }

    fn finish(&self) {
        if let Some(bar) = &self.bar {
            bar.clear();
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn results_go_to_a_folder_named_after_the_scene() {
        assert_eq!(default_folder(Path::new("scenes/swing.toml")), Path::new("out/swing-study"));
    }
}
