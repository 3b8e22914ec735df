//! One variant, from its first frame to its last.

use super::Variant;
use super::points::{StudyPoint, Tracker};
use cpu_time::ProcessTime;
use glam::DVec3;
use std::ops::ControlFlow;
use std::time::Instant;
use taffeta_scene::Scene;
use taffeta_sim::{Metrics, Stage, StepError, StepInputs, StepReport, StopToken, World};

/// Record of a frame.
#[derive(Clone, Debug, PartialEq)]
pub struct FrameRecord {
    /// Time \[s\].
    pub time: f64,
    /// Vertices of all cloths.
    pub vertices: usize,
    /// Faces of all cloths.
    pub faces: usize,
    /// Energies and strain.
    pub metrics: Metrics,
    /// World positions of the material points \[m\], in the order of the study.
    pub points: Vec<DVec3>,
    /// Cost of the step to this frame; zero for frame 0.
    pub cost: StepCost,
}

/// Cost of a step.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct StepCost {
    /// Substeps.
    pub substeps: u32,
    /// Iterations per substep.
    pub iterations: u32,
    /// Wall time \[s\].
    pub wall: f64,
    /// CPU time of all threads \[s\].
    pub cpu: f64,
    /// Wall time of the solver alone \[s\].
    pub solve: f64,
}

/// End of a variant.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Outcome {
    /// At its last frame.
    Done,
    /// By an error.
    Failed(String),
    /// It was asked to stop, or never started.
    Stopped,
}

/// A variant that was simulated, as far as it came.
#[derive(Clone, Debug, PartialEq)]
pub struct Run {
    /// The frames from 0.
    pub frames: Vec<FrameRecord>,
    /// Its end.
    pub outcome: Outcome,
    /// The solver that was used; empty if it never started.
    pub solver: String,
    /// True if the frames are a start and an equilibrium, and not a motion.
    pub is_equilibrium: bool,
    /// The CPU time \[s\] of all steps, of each time that it ran to its end. The costs of the frames are those of the least.
    pub cpu_times: Vec<f64>,
}

impl Run {
    /// A variant that never started.
    pub(super) fn stopped() -> Self {
        Self {
            frames: Vec::new(),
            outcome: Outcome::Stopped,
            solver: String::new(),
            is_equilibrium: false,
            cpu_times: Vec::new(),
        }
    }

    pub(super) fn failed(reason: String) -> Self {
        Self { outcome: Outcome::Failed(reason), ..Self::stopped() }
    }

    /// Returns whether it came to its last frame.
    pub fn is_done(&self) -> bool {
        self.outcome == Outcome::Done
    }

    /// The sum of a cost over all steps.
    pub fn total(&self, cost: impl Fn(&StepCost) -> f64) -> f64 {
        self.frames.iter().map(|frame| cost(&frame.cost)).sum()
    }

    /// Takes what a repeated run has cost, if that is less. One that did not come to its end says nothing.
    pub(super) fn take_less(&mut self, again: Run) {
        if !again.is_done() || !self.is_done() {
            return;
        }
        let mut cpu_times = std::mem::take(&mut self.cpu_times);
        cpu_times.extend(&again.cpu_times);
        if again.total(|cost| cost.cpu) < self.total(|cost| cost.cpu) {
            *self = again;
        }
        self.cpu_times = cpu_times;
    }

    /// Number of steps made.
    pub fn steps(&self) -> usize {
        self.frames.len().saturating_sub(1)
    }
}

/// The last frame of a scene, unless `frames` says otherwise. An equilibrium is frame 1 and the last.
pub(super) fn last_frame(scene: &Scene, frames: Option<u64>) -> u64 {
    let last = scene.last_frame();
    match frames {
        Some(frames) if scene.simulation.is_static() => frames.min(last),
        Some(frames) => frames,
        None => last,
    }
}

/// Simulates a variant. `observe` is called after every frame with its number and may ask to stop; so may the watch, at once.
pub(super) fn simulate(
    variant: &Variant,
    points: &[StudyPoint],
    stop_token: &StopToken,
    observe: &mut dyn FnMut(u64, &World) -> ControlFlow<()>,
) -> Run {
    let scene = &variant.scene;
    let built = match scene.build() {
        Ok(description) => World::build(&description).map_err(|error| error.to_string()),
        Err(error) => Err(error.to_string()),
    };
    let mut world = match built {
        Ok(world) => world,
        Err(reason) => return Run::failed(reason),
    };
    world.set_stop_token(stop_token.clone());
    let mut tracker = Tracker::new(points, scene.solids.iter().map(|solid| solid.place).collect());
    let is_equilibrium = scene.simulation.is_static();
    let mut run = Run { solver: world.solver_name().to_owned(), is_equilibrium, ..Run::stopped() };
    run.frames.push(record(&world, world.measure(), &mut tracker, StepCost::default()));
    for frame in 1..=variant.last_frame {
        let (wall, cpu) = (Instant::now(), ProcessTime::now());
        let step = match is_equilibrium {
            true => world.equilibrate(),
            false => world.step(&StepInputs::default(), scene.simulation.frame_time()),
        };
        let report = match step {
            Ok(report) => report,
            Err(StepError::Interrupted { .. }) => return run,
            Err(error) => {
                run.outcome = Outcome::Failed(error.to_string());
                return run;
            }
        };
        let spent = [wall.elapsed(), cpu.elapsed()].map(|time| time.as_secs_f64());
        run.frames.push(record(&world, report.metrics, &mut tracker, cost_of(&report, spent)));
        if observe(frame, &world).is_break() {
            return run;
        }
    }
    run.outcome = Outcome::Done;
    run.cpu_times = vec![run.total(|cost| cost.cpu)];
    run
}

fn cost_of(report: &StepReport, [wall, cpu]: [f64; 2]) -> StepCost {
    let solve = report.times.of(Stage::Solve).as_secs_f64();
    StepCost { substeps: report.plan.substeps, iterations: report.plan.iterations, wall, cpu, solve }
}

fn record(world: &World, metrics: Metrics, tracker: &mut Tracker, cost: StepCost) -> FrameRecord {
    FrameRecord {
        time: world.time(),
        vertices: world.vertex_count(),
        faces: world.face_count(),
        metrics,
        points: tracker.positions(world),
        cost,
    }
}
