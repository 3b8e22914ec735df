//! `summary.json`, and what a run says when it is done.

use super::prepare::Prepared;
use super::summary_file::{
    Accuracy, Counts, Groups, Iterations, SeamEntry, SolverFacts, Span, StageSeconds, Substeps, SummaryFile,
    Tolerance, Units, seconds,
};
use super::totals::Totals;
use crate::files::shell_word;
use serde_json::Value;
use taffeta_scene::OutputFolder;
use taffeta_sim::{SeamReport, queries};

/// End of a run.
pub(super) enum Outcome {
    /// At its last frame.
    Finished,
    /// By a signal.
    Interrupted,
    /// By an error of the simulation.
    Failed(String),
    /// Because a result could not be written, as on a full disk.
    Unwritten(String),
}

impl Outcome {
    /// Notes that a result could not be written, unless something went wrong before.
    pub(super) fn record_unwritten(&mut self, reason: String) {
        if matches!(self, Outcome::Finished | Outcome::Interrupted) {
            *self = Outcome::Unwritten(reason);
        }
    }
}

/// Summary of a run.
pub(super) struct Summary<'a> {
    pub prepared: &'a Prepared,
    pub totals: &'a Totals,
    pub outcome: &'a Outcome,
    /// The hash of the whole state.
    pub state_hash: &'a str,
}

impl Summary<'_> {
    /// The content of `summary.json`.
    pub(super) fn to_json(&self) -> Value {
        let (prepared, totals) = (self.prepared, self.totals);
        let outcome = match self.outcome {
            Outcome::Finished => "finished",
            Outcome::Interrupted => "interrupted",
            Outcome::Failed(_) | Outcome::Unwritten(_) => "failed",
        };
        let error = match self.outcome {
            Outcome::Failed(reason) | Outcome::Unwritten(reason) => Some(reason.clone()),
            Outcome::Finished | Outcome::Interrupted => None,
        };
        let mut sessions = totals.sessions.iter().cloned();
        let file = SummaryFile {
            scene: prepared.path.to_string_lossy().into_owned(),
            scene_hash: prepared.scene_hash.clone(),
            // The session in which the run has begun; those that went on with it are in `resumed`.
            session: sessions.next(),
            resumed: sessions.collect(),
            outcome,
            error,
            mode: if prepared.scene.simulation.is_static() { "static" } else { "dynamic" },
            solver: self.solver(),
            totals: self.counts(),
            forced: totals.forced.clone(),
            quarantine: totals.quarantine.clone(),
            seams: queries::seams(&prepared.world).into_iter().map(seam_entry).collect(),
            starts_inside: prepared.starts_inside.clone(),
            wall_time: seconds(totals.wall),
            cpu_time: seconds(totals.cpu),
            stage_times: StageSeconds::of(totals),
            peak_memory: totals.peak_memory,
            units: Units::default(),
            final_state_hash: self.state_hash.to_owned(),
            warnings: self.warnings(),
            notes: self.notes(),
        };
        serde_json::to_value(file).expect("a summary has plain fields")
    }

    fn counts(&self) -> Counts {
        let (world, sums) = (&self.prepared.world, self.totals.sums.clone());
        Counts {
            last_frame: sums.frames.checked_sub(1),
            steps: world.frame(),
            simulated_time: world.time(),
            sums,
        }
    }

    /// Describes the seams that are still open though their time is over; `None` if there are none.
    pub(super) fn open_seams(&self) -> Option<String> {
        let late: Vec<SeamReport> =
            queries::seams(&self.prepared.world).into_iter().filter(|seam| seam.is_late).collect();
        let widest = late.iter().map(|seam| seam.gap).fold(0.0, f64::max);
        let names: Vec<String> =
            late.iter().map(|seam| format!("{} of {:?}", seam.seam, seam.cloth)).collect();
        (!late.is_empty()).then(|| {
            format!(
                "seams are open though their time is over, the widest by {widest:.4} m: {}; something is in the way, or \
                 the panels do not reach that far",
                names.join(", ")
            )
        })
    }

    fn notes(&self) -> Vec<String> {
        let is_measured = queries::counts_crossings(&self.prepared.world);
        let note = "crossings are measured where cloths meet each other or an obstacle; elsewhere their column in metrics.csv is empty";
        let mut notes = if is_measured { Vec::new() } else { vec![note.to_owned()] };
        let formats = self.prepared.scene.output.formats.iter();
        notes.extend(formats.filter_map(|format| format.loss()).map(str::to_owned));
        notes
    }

    fn solver(&self) -> SolverFacts {
        let (prepared, totals) = (self.prepared, self.totals);
        let settings = &prepared.scene.simulation.settings;
        SolverFacts {
            name: prepared.world.solver_name(),
            why: queries::solver_reason(&prepared.world),
            accuracy: self.accuracy(),
            tolerance: self.tolerance(),
            substeps: Substeps {
                setting: settings.substeps.into(),
                per_frame: totals.substeps_per_frame.map(Span::from),
            },
            groups: Groups { per_frame: totals.groups_per_frame.map(Span::from) },
            iterations: Iterations {
                setting: settings.iterations.into(),
                per_substep: totals.iterations.map(Span::from),
            },
            time_integration: queries::time_integration_name(&prepared.world),
            threads: prepared.threads,
        }
    }

    /// The error of a substep that is allowed, and what it was: the largest, and the mean over the frames of the largest of
    /// each. Local solvers do not know theirs.
    fn accuracy(&self) -> Option<Accuracy> {
        let world = &self.prepared.world;
        let steps = world.frame();
        queries::knows_its_error(world).then(|| Accuracy {
            allowed: queries::accuracy(world),
            largest: self.totals.largest_error,
            mean: (steps > 0).then(|| self.totals.summed_errors / steps as f64),
        })
    }

    fn tolerance(&self) -> Tolerance {
        let world = &self.prepared.world;
        let is_known = queries::knows_its_error(world);
        Tolerance {
            asked: self.prepared.scene.simulation.settings.tolerance,
            mesh: queries::mesh_error(world),
            time: is_known.then(|| queries::position_error(world, self.totals.largest_error)),
            solver: is_known.then_some(self.totals.solution_error),
        }
    }

    fn warnings(&self) -> Vec<String> {
        let during = self.totals.warnings();
        let during = during.into_iter().map(|warning| warning.text);
        self.prepared.warnings.iter().cloned().chain(during).chain(self.open_seams()).collect()
    }

    /// Text to print when the run is finished.
    pub(super) fn to_text(&self, folder: &OutputFolder) -> String {
        let (world, totals) = (&self.prepared.world, self.totals);
        let root = folder.root().to_string_lossy();
        let reached = match (self.prepared.scene.simulation.is_static(), world.frame()) {
            (true, 0) => "frame 0, the initial state".to_owned(),
            (true, _) => "frame 0, the initial state, and frame 1, the equilibrium".to_owned(),
            (false, frame) => format!("frames 0 to {frame}, {:.4} s", world.time()),
        };
        let (vertices, wall) = (world.vertex_count(), totals.wall.as_secs_f64());
        let mut text = format!("{root}: {reached}, {vertices} vertices at the end; {wall:.2} s");
        if !self.prepared.scene.output.formats.is_empty() {
            text += &format!("\nto see the last frame: taffeta render {}", shell_word(&root));
        }
        text
    }
}

/// A seam as the summary lists it.
fn seam_entry(SeamReport { cloth, seam, pairs, gap, closed, .. }: SeamReport) -> SeamEntry {
    SeamEntry { cloth, seam, pairs, gap, closed }
}
