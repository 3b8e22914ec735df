//! `summary.json`, and what a run says when it is done.

use super::prepare::Prepared;
use super::totals::Totals;
use crate::files::shell_word;
use serde_json::{Map, Value, json};
use std::time::Duration;
use taffeta_scene::OutputFolder;
use taffeta_sim::{SeamReport, ask};

/// How a run ended.
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
    pub(super) fn note_unwritten(&mut self, reason: String) {
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
        let mut stages: Map<String, Value> =
            totals.stages.iter().map(|(name, time)| (name.clone(), seconds(*time))).collect();
        stages.insert("write".to_owned(), seconds(totals.writing));
        let mut summary = json!({
            "scene": prepared.path.to_string_lossy(),
            "scene_hash": prepared.scene_hash,
            "resumed": totals.sessions.get(1..),
            "outcome": match self.outcome {
                Outcome::Finished => "finished",
                Outcome::Interrupted => "interrupted",
                Outcome::Failed(_) | Outcome::Unwritten(_) => "failed",
            },
            "mode": if prepared.scene.simulation.is_static() { "static" } else { "dynamic" },
            "solver": self.solver_json(),
            "totals": {
                "frames": totals.frames,
                "last_frame": totals.frames.checked_sub(1),
                "steps": prepared.world.frame(),
                "substeps": totals.substeps,
                "simulated_time": prepared.world.time(),
                "splits": totals.splits,
                "collapses": totals.collapses,
                "flips": totals.flips,
                "refused_edits": totals.refused_edits,
                "broken_edges": totals.broken_edges,
                "tears": totals.tears,
                "torn_length": totals.torn_length,
                "shortened_motions": totals.shortened,
                "lost_impulse": totals.lost_impulse,
                "forced_pairs": totals.forced_pairs,
                "passed_pairs": totals.passed_pairs,
                "given_up": totals.given_up,
                "hurried_steps": totals.hurried_steps,
                "frames_with_crossings": totals.frames_with_crossings,
                "vertices": totals.vertices,
                "faces": totals.faces,
            },
            "forced": totals.forced,
            "quarantine": totals.quarantine,
            "seams": self.seams_json(),
            "starts_inside": prepared.starts_inside,
            "wall_time": seconds(totals.wall),
            "cpu_time": seconds(totals.cpu),
            "stage_times": stages,
            "peak_memory": totals.peak_memory,
            "units": { "time": "s", "memory": "bytes" },
            "final_state_hash": self.state_hash,
            "warnings": self.warnings(),
            "notes": self.notes(),
        });
        // The session in which the run has begun; those that went on with it are in `resumed`.
        if let (Some(table), Value::Object(session)) =
            (summary.as_object_mut(), json!(totals.sessions.first()))
        {
            table.extend(session);
        }
        if let Outcome::Failed(reason) | Outcome::Unwritten(reason) = self.outcome {
            summary["error"] = json!(reason);
        }
        summary
    }

    /// The seams: whether they are closed, and when.
    fn seams_json(&self) -> Value {
        let seam = |seam: SeamReport| json!({ "cloth": seam.cloth, "seam": seam.seam, "pairs": seam.pairs, "closed": seam.closed, "gap": seam.gap });
        ask::seams(&self.prepared.world).into_iter().map(seam).collect()
    }

    /// Describes the seams that are still open though their time is over; `None` if there are none.
    pub(super) fn open_seams(&self) -> Option<String> {
        let late: Vec<SeamReport> =
            ask::seams(&self.prepared.world).into_iter().filter(|seam| seam.is_late).collect();
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
        let is_measured = ask::counts_crossings(&self.prepared.world);
        let note = "crossings are measured where cloths meet each other or an obstacle; elsewhere their column in metrics.csv is empty";
        let mut notes = if is_measured { Vec::new() } else { vec![note.to_owned()] };
        let formats = self.prepared.scene.output.formats.iter();
        notes.extend(formats.filter_map(|format| format.loss()).map(str::to_owned));
        notes
    }

    fn solver_json(&self) -> Value {
        let settings = &self.prepared.scene.simulation.settings;
        let setting = |count: Option<u32>| count.map_or(json!("auto"), |count| json!(count));
        let extent = |extent: Option<super::totals::Extent>| match extent {
            Some(extent) => json!({ "min": extent.min, "max": extent.max }),
            None => Value::Null,
        };
        json!({
            "name": self.prepared.world.solver_name(),
            "why": ask::solver_reason(&self.prepared.world),
            "accuracy": self.accuracy_json(),
            "substeps": { "setting": setting(settings.substeps), "per_frame": extent(self.totals.substeps_per_frame) },
            "groups": { "per_frame": extent(self.totals.groups_per_frame) },
            "iterations": { "setting": setting(settings.iterations), "per_substep": extent(self.totals.iterations) },
            "time_integration": ask::time_integration_name(&self.prepared.world),
            "threads": self.prepared.threads,
        })
    }

    /// The error of a substep that is allowed, and what it was: the largest, and the mean over the frames of the largest of
    /// each. Local solvers do not know theirs.
    fn accuracy_json(&self) -> Value {
        let world = &self.prepared.world;
        if !ask::knows_its_error(world) {
            return Value::Null;
        }
        let steps = world.frame();
        json!({
            "allowed": self.prepared.scene.simulation.settings.accuracy,
            "largest": self.totals.largest_error,
            "mean": (steps > 0).then(|| self.totals.summed_errors / steps as f64),
        })
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

/// A time \[s\], to the microsecond.
fn seconds(time: Duration) -> Value {
    json!((time.as_secs_f64() * 1e6).round() / 1e6)
}
