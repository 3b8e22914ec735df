//! Duration, frames, solver.

use crate::keys::{Auto, Choice, Count, NotNegative, Number, Plain, Positive, Vector, Words};
use crate::place::Place;
use crate::words::quoted_list;
use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde::{Deserialize, Serialize, Serializer};
use serde_json::json;
use taffeta_sim::rules::simulation_mismatches;
use taffeta_sim::{
    ACCURACIES, ACCURACY_RANGE, CAPABILITIES, Mode, SimulationSettings, SolverChoice, TimeIntegration,
};

/// More frames than this are taken for a mistake: five days at 24 frames per second.
const MAX_FRAMES: u64 = 10_000_000;
/// Longest frame \[s\]: no number of substeps makes sense of a longer one.
const LONGEST_FRAME: f64 = 3600.0;
/// Substeps of a frame and iterations of a substep that a scene may ask for: more is a mistake, and would run for days.
const MAX_REPEATS: u64 = 1_000_000;
/// More threads than this are taken for a mistake.
const MAX_THREADS: u64 = 65_536;

/// Duration, frames, and how to simulate.
#[derive(Clone, Debug, PartialEq)]
pub struct Simulation {
    /// Simulated time \[s\]; 0 in a static scene, where no time passes.
    pub duration: f64,
    /// Output frames per second \[1/s\].
    pub frame_rate: f64,
    /// Seed of everything random.
    pub seed: u64,
    /// Mode, solver, time integration, substeps, gravity, threads.
    pub settings: SimulationSettings,
}

impl Simulation {
    /// Returns whether the equilibrium is asked for and not the motion.
    pub fn is_static(&self) -> bool {
        self.settings.mode == Mode::Static
    }

    /// Time from frame to frame \[s\].
    pub fn frame_time(&self) -> f64 {
        1.0 / self.frame_rate
    }

    /// The last frame that is not later than the duration; 1 in a static scene.
    pub fn last_frame(&self) -> u64 {
        if self.is_static() {
            return 1;
        }
        // The slack makes 0.1 s at 30 frames per second three frames, whatever the round-off.
        (self.duration * self.frame_rate * (1.0 + 1e-9)).floor() as u64
    }
}

/// Duration, frames, solver.
#[derive(Debug, Serialize, Deserialize, JsonSchema)]
#[serde(rename = "simulation", default, deny_unknown_fields)]
#[schemars(inline, extend(
    "if" = json!({ "properties": { "mode": { "const": "static" } }, "required": ["mode"] }),
    "else" = json!({ "required": ["duration"] })
))]
pub(crate) struct SimulationTable {
    /// The motion, or the equilibrium as frame 1.
    mode: Choice<Mode>,
    /// Simulated time \[s\]. Required unless mode is "static".
    duration: Option<Positive>,
    /// Output frames per second \[1/s\]. Frame 0 is the initial state.
    frame_rate: Positive,
    /// Solver of the equations; "auto" takes "global".
    solver: Choice<SolverChoice>,
    /// The error that positions may have \[m\]: of the mesh, where a cloth that is remeshed says nothing else, and of the steps, where
    /// accuracy says nothing else. Absent: 0.004 for meshes, and 0.004 of the size of the cloth for steps.
    tolerance: Option<Positive>,
    /// The error that a step may have, relative to the size of the cloth; chooses substeps, iterations and tolerances
    /// together. For the solvers "global" and "direct". Absent: by tolerance.
    #[schemars(extend("default" = "standard"))]
    accuracy: Option<Accuracy>,
    /// Substeps per frame. One in which a body turns back, or by more than 30°, or a pin lets go, is cut there.
    substeps: Auto<MAX_REPEATS>,
    /// Iterations per substep.
    iterations: Auto<MAX_REPEATS>,
    /// Time integration; "tr_bdf2", of second order, for the solvers "global" and "direct".
    time: Choice<TimeIntegration>,
    /// Gravity \[m/s²\].
    gravity: Vector,
    /// Gravity acts while cloth is sewn; if not, the motion is damped until the seams have closed. Absent: false if a cloth is a
    /// garment.
    #[schemars(extend("default" = true))]
    pub gravity_while_sewing: Option<bool>,
    /// Velocities decay as e^(−ct), c in \[1/s\]; for settling, not physics.
    velocity_damping: NotNegative,
    /// Threads; 0: all cores. The result does not depend on it.
    threads: Count<0, MAX_THREADS>,
    /// Seed of everything random.
    seed: Count<0, { u64::MAX }>,
}

impl Default for SimulationTable {
    fn default() -> Self {
        let settings = SimulationSettings::default();
        let default = Simulation { duration: 0.0, frame_rate: 60.0, seed: 0, settings };
        Self { duration: None, accuracy: None, gravity_while_sewing: None, ..Self::from(&default) }
    }
}

impl From<&Simulation> for SimulationTable {
    fn from(simulation: &Simulation) -> Self {
        let Simulation { duration, frame_rate, seed, settings } = simulation;
        let SimulationSettings {
            mode,
            solver,
            time,
            accuracy,
            tolerance,
            substeps,
            iterations,
            gravity,
            gravity_while_sewing,
            velocity_damping,
            threads,
        } = *settings;
        Self {
            mode: Choice(mode),
            duration: (mode != Mode::Static).then_some(Number(*duration)),
            frame_rate: Number(*frame_rate),
            solver: Choice(solver),
            tolerance: tolerance.map(Number),
            accuracy: tolerance.is_none().then_some(Accuracy(accuracy)),
            substeps: Auto(substeps),
            iterations: Auto(iterations),
            time: Choice(time),
            gravity: gravity.into(),
            gravity_while_sewing: Some(gravity_while_sewing),
            velocity_damping: Number(velocity_damping),
            threads: Count(threads as u64),
            seed: Count(*seed),
        }
    }
}

impl SimulationTable {
    /// The simulation of a scene with or without a garment, checked.
    pub(crate) fn resolve(&self, has_garment: bool, at: &Place<'_>) -> Simulation {
        let settings = SimulationSettings {
            mode: self.mode.0,
            solver: self.solver.0,
            time: self.time.0,
            accuracy: self.accuracy.map_or(SimulationSettings::default().accuracy, |accuracy| accuracy.0),
            tolerance: self.tolerance.map(f64::from),
            substeps: self.substeps.0,
            iterations: self.iterations.0,
            gravity: self.gravity.get(),
            gravity_while_sewing: self.gravity_while_sewing.unwrap_or(!has_garment),
            velocity_damping: self.velocity_damping.0,
            threads: self.threads.0 as usize,
        };
        simulation_mismatches(&settings).iter().for_each(|found| at.refuse_mismatch(found));
        warn_of_accuracy(&settings, at);
        let is_static = settings.mode == Mode::Static;
        // A duration does no harm in a static scene, where no time passes.
        let duration = self.duration.filter(|_| !is_static);
        let simulation = Simulation {
            duration: duration.map_or(0.0, f64::from),
            frame_rate: self.frame_rate.0,
            seed: self.seed.0,
            settings,
        };
        if duration.is_none() && !is_static {
            at.miss("duration", "duration = 4.0");
        } else if simulation.frame_time() > LONGEST_FRAME {
            let rate = simulation.frame_rate;
            at.at("frame_rate").refuse(
                format!("`{at}.frame_rate` is {rate}, but a frame may last {LONGEST_FRAME} s at most"),
                None,
            );
        } else {
            check_frames(&simulation, at);
        }
        simulation
    }
}

fn check_frames(simulation: &Simulation, at: &Place<'_>) {
    let frames = simulation.last_frame();
    if (1..=MAX_FRAMES).contains(&frames) {
        let end = frames as f64 * simulation.frame_time();
        if simulation.duration - end > 1e-6 * simulation.frame_time() {
            let Simulation { duration, frame_rate, .. } = simulation;
            at.warn(format!(
                "`{at}.duration` of {duration} s is no whole number of frames at {frame_rate} per second: the run ends at {end:.4} s"
            ));
        }
        return;
    }
    let size = if frames == 0 { "less than one frame".to_owned() } else { format!("{frames} frames") };
    let (duration, rate) = (simulation.duration, simulation.frame_rate);
    at.at("duration").refuse(
        format!("`{at}.duration` of {duration} s at {rate} frames per second is {size}"),
        format!("allowed: 1 to {MAX_FRAMES} frames").as_str(),
    );
}

impl Words for Mode {
    fn words() -> Vec<(&'static str, Self)> {
        vec![("dynamic", Self::Dynamic), ("static", Self::Static)]
    }
}

impl Words for TimeIntegration {
    fn words() -> Vec<(&'static str, Self)> {
        vec![("auto", Self::Auto), ("euler", Self::Euler), ("tr_bdf2", Self::TrBdf2)]
    }

    fn replaced() -> &'static [(&'static str, &'static str)] {
        &[("bdf2", "tr_bdf2"), ("sdirk2", "tr_bdf2")]
    }
}

impl Words for SolverChoice {
    fn words() -> Vec<(&'static str, Self)> {
        CAPABILITIES.map(|(solver, knows)| (knows.name, solver)).to_vec()
    }
}

/// Warns of an accuracy, other than the usual one, that nothing follows.
fn warn_of_accuracy(settings: &SimulationSettings, at: &Place<'_>) {
    let name = settings.solver.name();
    let reason = match settings {
        _ if settings.accuracy == SimulationSettings::default().accuracy || settings.tolerance.is_some() => {
            return;
        }
        _ if !settings.solver.capabilities().second_order => {
            format!("the solver {name:?} does not know its error; use `substeps`, or solver = \"global\"")
        }
        _ if settings.mode == Mode::Static => "mode is \"static\", in which no time passes".to_owned(),
        SimulationSettings { substeps: Some(_), iterations: Some(_), .. } => {
            "`substeps` and `iterations` are given; leave one of them out".to_owned()
        }
        _ => return,
    };
    at.warn(format!("`{at}.accuracy` is ignored: {reason}"));
}

/// The name of an accuracy, or a number.
#[derive(Clone, Copy, Debug, PartialEq, Deserialize, JsonSchema)]
#[serde(try_from = "Plain")]
#[schemars(inline, description = "", schema_with = "accuracy_schema")]
struct Accuracy(f64);

impl TryFrom<Plain> for Accuracy {
    type Error = String;

    fn try_from(plain: Plain) -> Result<Self, String> {
        if let Plain::Text(_) = plain {
            return Choice::try_from(plain).map(|Choice(accuracy)| accuracy);
        }
        let (least, most) = ACCURACY_RANGE;
        let names = quoted_list(&ACCURACIES.map(|(name, _)| name));
        let allowed = format!("{names} or a number from {least:e} to {most}");
        match plain.number() {
            Some(number) if (least..=most).contains(&number) => Ok(Self(number)),
            Some(number) => Err(format!("is {number}, but must be {allowed}")),
            None => plain.refuse(&allowed),
        }
    }
}

/// Accuracies as far as they have names.
impl Words for Accuracy {
    fn words() -> Vec<(&'static str, Self)> {
        ACCURACIES.map(|(name, value)| (name, Self(value))).to_vec()
    }
}

impl Serialize for Accuracy {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match Self::words().into_iter().find(|(_, value)| value == self) {
            Some((name, _)) => serializer.serialize_str(name),
            None => serializer.serialize_f64(self.0),
        }
    }
}

fn accuracy_schema(_: &mut SchemaGenerator) -> Schema {
    let (least, most) = ACCURACY_RANGE;
    let names = ACCURACIES.map(|(name, _)| name);
    json_schema!({ "anyOf": [{ "enum": names }, { "type": "number", "minimum": least, "maximum": most }] })
}
