//! A step: its inputs, its course, its failure.

use crate::description::Air;
use crate::effort::{Effort, HURRIED_SUBSTEPS};
use crate::grab::{Grab, Lead, Leader};
use crate::report::{Metrics, StepReport, SubstepPlan, TearCounts};
use crate::safeguard::SafeguardReport;
use crate::stage::{Stage, StageTimes};
use crate::state::State;
use crate::tearing::is_time_to_tear;
use crate::world::{Inputs, World};
use glam::{DVec2, DVec3};
use taffeta_contact::Rooms;
use taffeta_core::tasks::stand_by;
use taffeta_solve::PlateState;
use taffeta_solve::drivers::newton::{FactorError, NewtonError};

/// What may change from step to step.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct StepInputs {
    /// Gravity \[m/s²\] instead of the world's.
    pub gravity: Option<DVec3>,
    /// Wind velocity \[m/s\] instead of the world's. No effect without air.
    pub wind: Option<DVec3>,
    /// Pulls on material points in this step. Not under the solver `projective`.
    pub grabs: Vec<Grab>,
}

/// Why a step failed. The world is then as it was before the step.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
pub enum StepError {
    /// A position is not a number.
    #[error(
        "at {time} s a vertex of {body} that was at {last_position}{} is not at a finite position any more; \
         try more substeps, or look for huge stiffness, speed or pressure",
        at_material(material)
    )]
    NotFinite {
        /// What the body is and its name, for example "cloth 'sheet'".
        body: String,
        /// The vertex's material point \[m\], if the cloth has material coordinates.
        material: Option<DVec2>,
        /// Its position at the start of the step \[m\].
        last_position: DVec3,
        /// Time of the failed substep \[s\].
        time: f64,
    },
    /// A figure is beyond all numbers though the positions are not.
    #[error(
        "at {time} s the {what} is not finite any more; look for huge stiffness, speed or pressure, and for lengths that are \
         not in meters"
    )]
    Overflow {
        /// What it is, for example "kinetic energy".
        what: &'static str,
        /// Time at the end of the step \[s\].
        time: f64,
    },
    /// Something moves so far in a substep that nobody can tell what it meets on its way.
    #[error(
        "at {time} s {body} moves by {distance:.3e} m in a substep of {substep:.3e} s; contact is found on ways of up to \
         {limit:.0e} m: take more substeps, a higher frame rate or a slower motion"
    )]
    TooFar {
        /// What moves, for example "cloth 'sheet'" or "sphere obstacle 0".
        body: String,
        /// How far \[m\].
        distance: f64,
        /// How far it may move \[m\].
        limit: f64,
        /// The length of the substep \[s\].
        substep: f64,
        /// Time at the start of the substep \[s\].
        time: f64,
    },
    /// Contact is thinner than what numbers tell apart so far from the origin.
    #[error(
        "at {time} s {body} is {distance:.3e} m from the origin, where positions are told apart by {resolution:.1e} m only: \
         too little for contact that keeps {separation:.1e} m; move the scene to the origin or take a larger thickness"
    )]
    TooFarOut {
        /// The body, for example "cloth 'sheet'".
        body: String,
        /// How far it is from the origin \[m\].
        distance: f64,
        /// The distance of two numbers there \[m\].
        resolution: f64,
        /// The distance that contact keeps \[m\].
        separation: f64,
        /// Time \[s\].
        time: f64,
    },
    /// The time step is not a positive number, or so long that no number of substeps makes sense.
    #[error("the time step is {dt} s; it must be positive and at most about an hour")]
    BadTimeStep {
        /// The time step \[s\].
        dt: f64,
    },
    /// Gravity or wind is not finite.
    #[error("{name} is {value}; it must be finite")]
    BadInput {
        /// `gravity` or `wind`.
        name: &'static str,
        /// Its value \[m/s²\] or \[m/s\].
        value: DVec3,
    },
    /// A grab makes no sense.
    #[error("grab {number}: {reason}")]
    BadGrab {
        /// Its number in the inputs.
        number: usize,
        /// What is wrong with it.
        reason: String,
    },
    /// A [`Watch`](crate::Watch) has asked the step to end.
    #[error("interrupted at {time} s")]
    Interrupted {
        /// Time of the substep that was not made \[s\].
        time: f64,
    },
    /// Newton's method failed.
    #[error("at {time} s the solver failed: {source}")]
    Newton {
        /// Time of the failed substep \[s\].
        time: f64,
        /// What went wrong.
        source: NewtonError,
    },
    /// The system of projective dynamics cannot be factorized.
    #[error("at {time} s the system of the solver projective cannot be factorized: {source}")]
    Factorization {
        /// Time of the failed substep \[s\].
        time: f64,
        /// What went wrong.
        source: FactorError,
    },
    /// No equilibrium was found.
    #[error(
        "no equilibrium was found: {reason}; forces of {residual:.3e} N are left unbalanced, {tolerance:.3e} N would do"
    )]
    NoEquilibrium {
        /// Norm of the unbalanced forces \[N\].
        residual: f64,
        /// What it may be at most \[N\].
        tolerance: f64,
        /// Why the search ended.
        reason: String,
    },
}

fn at_material(material: &Option<DVec2>) -> String {
    material.map_or(String::new(), |u| format!(" (material point {u})"))
}

/// All that a step or a substep changes before it can still fail.
pub(crate) struct Snapshot {
    state: State,
    inputs: Inputs,
    safeguard: SafeguardReport,
    /// Of the solver; the state has the scalars of the start of the step only.
    plate: PlateState,
    rooms: Option<Rooms>,
}

impl World {
    /// Advances the world by `dt` seconds, then adapts the meshes that are due.
    ///
    /// # Errors
    /// If the time step is not positive, gravity or wind is not finite, a grab makes no sense, the solver fails, a position is
    /// not finite, or a [`Watch`](crate::Watch) asks for an end. The world is then as it was before the step.
    pub fn step(&mut self, inputs: &StepInputs, dt: f64) -> Result<StepReport, StepError> {
        self.step_led(inputs, dt, &mut |_| ())
    }

    /// The same with somebody who moves the targets of the grabs on the way: `lead` is asked before every substep, on one of
    /// the world's threads, so that a hand is felt sooner than by the next step. One that moves nothing makes the step that
    /// [`step`](Self::step) makes.
    ///
    /// # Errors
    /// As those of [`step`](Self::step), also for a target that makes no sense.
    pub fn step_led(
        &mut self,
        inputs: &StepInputs,
        dt: f64,
        lead: &mut (dyn FnMut(Lead<'_>) + Send),
    ) -> Result<StepReport, StepError> {
        // As a whole on the world's own threads: to hand each stage over to them takes longer than a stage of a small cloth.
        let threads = self.threads();
        threads.install(|| self.make_step(inputs, dt, lead))
    }

    fn make_step(
        &mut self,
        inputs: &StepInputs,
        dt: f64,
        lead: &mut Leader<'_>,
    ) -> Result<StepReport, StepError> {
        if !(dt.is_finite() && dt > 0.0) {
            return Err(StepError::BadTimeStep { dt });
        }
        let changed = [("gravity", inputs.gravity), ("wind", inputs.wind)];
        for (name, value) in changed.into_iter().filter_map(|(name, value)| Some((name, value?))) {
            if !value.is_finite() {
                return Err(StepError::BadInput { name, value });
            }
        }
        self.find_grabbed(&inputs.grabs)?;
        if let Some(still) = self.find_rest(inputs, dt) {
            self.watch.pass(self.state.time)?;
            return Ok(self.rest(still, dt));
        }
        let mut times = StageTimes::default();
        self.safeguard = SafeguardReport::default();
        let broken_before = self.broken_edge_count();
        let begins = self.begins();
        let last_good = self.note();
        self.take_forces(inputs);
        let early = if begins { self.adapt_to_outlook(dt, &mut times) } else { Ok(Default::default()) };
        let outcome = early.and_then(|early| {
            self.inputs.grabbed = self.find_grabbed(&inputs.grabs)?;
            let done = self.make_substeps(dt, (&inputs.grabs, lead), &mut times)?;
            let measured = times.run(Stage::Measure, || self.measure());
            self.check_overflow(&measured).map(|()| (done, measured, early))
        });
        let ((plan, tears), measured, early) = match outcome {
            Ok(done) => done,
            Err(error) => {
                self.go_back(last_good);
                return Err(error);
            }
        };
        self.state.frame += 1;
        self.caches.keep_bending(&self.state.sheet, &mut self.state.motion);
        let contacts = self.state.last.active_contacts();
        let broken_edges = self.broken_edge_count() - broken_before;
        let before_pass = if self.close_seams() { self.measure() } else { measured };
        let (remesh, popping) = times.run(Stage::Remesh, || self.remesh_if_due());
        let (remesh, popping) = (remesh.plus(early.0), popping.max(early.1));
        let jumps = times.run(Stage::Measure, || self.measure_jumps(&before_pass, (&remesh, popping)));
        let state_hash = times.run(Stage::Measure, || self.state_hash());
        self.note_stillness(measured, contacts, &remesh);
        Ok(StepReport {
            time: self.state.time,
            plan,
            vertices: self.state.sheet.topology.vertex_count,
            faces: self.state.sheet.topology.face_count(),
            contacts,
            broken_edges,
            tears,
            safeguard: self.safeguard.clone(),
            remesh,
            jumps,
            metrics: Metrics { max_strain: self.max_strain(), ..measured },
            state_hash,
            times,
        })
    }

    /// Takes over gravity and wind for a step, without grabs.
    fn take_forces(&mut self, inputs: &StepInputs) {
        let gravity = inputs.gravity.unwrap_or(self.settings.gravity);
        if gravity != self.state.gravity {
            self.forget_history();
        }
        self.state.gravity = gravity;
        self.inputs.grabbed.clear();
        self.inputs.air = self.air.map(|air| Air { wind: inputs.wind.unwrap_or(air.wind), ..air });
    }

    /// All substeps of a step, however many they come to.
    pub(crate) fn make_substeps(
        &mut self,
        dt: f64,
        grabs: (&[Grab], &mut Leader<'_>),
        times: &mut StageTimes,
    ) -> Result<(SubstepPlan, TearCounts), StepError> {
        let effort = Effort::new(self.state.sheet.topology.vertex_count);
        self.effort = effort.with_substeps(self.settings.substeps.unwrap_or(1));
        self.caches.begin_frame();
        let plan = self.plan(dt).map(|plan| self.follow_obstacles(plan, dt))?;
        self.run_substeps((plan, dt), grabs, times)
    }

    fn check_overflow(&self, measured: &Metrics) -> Result<(), StepError> {
        let figures = [
            ("kinetic energy", measured.kinetic_energy),
            ("elastic energy", measured.stretch_energy + measured.bend_energy),
            ("energy in the field of gravity", measured.gravity_energy),
            ("momentum", (measured.momentum + measured.angular_momentum).element_sum()),
            ("strain", measured.max_strain),
            ("residual", measured.residual),
        ];
        let beyond = figures.into_iter().find(|(_, figure)| !figure.is_finite());
        beyond.map_or(Ok(()), |(what, _)| Err(StepError::Overflow { what, time: self.state.time }))
    }

    fn run_substeps(
        &mut self,
        ((mut plan, least), dt): ((SubstepPlan, u32), f64),
        (grabs, lead): (&[Grab], &mut Leader<'_>),
        times: &mut StageTimes,
    ) -> Result<(SubstepPlan, TearCounts), StepError> {
        debug_assert_eq!(self.caches.epoch, self.state.sheet.topology.epoch, "caches of another topology");
        let (end, mut energy, mut tears) = (self.state.time + dt, None, TearCounts::default());
        let mut grabs = grabs.to_vec();
        // The substeps of equal length that are to come, or to go on with.
        let begin = self.state.time;
        let (mut start, mut h, mut count) = (begin, dt / f64::from(plan.substeps), plan.substeps);
        let (mut substep, mut last_part) = (0, None);
        while substep < count {
            // Multiplied, not added up: the last substep ends exactly at the frame.
            self.state.time = start + h * f64::from(substep);
            let wanted =
                self.choose_substeps((end - self.state.time, count - substep), (&mut plan, least, dt));
            if wanted != count - substep {
                plan.substeps = plan.substeps - (count - substep) + wanted;
                (start, count, substep) = (self.state.time, wanted, 0);
                h = (end - start) / f64::from(count);
            }
            let part = (self.state.time - begin) / dt;
            let is_due = is_time_to_tear((last_part.replace(part), part), dt);
            let epoch = self.state.sheet.topology.epoch;
            let tear = || if is_due { self.tear_overloaded(substep > 0) } else { TearCounts::default() };
            tears = tears.plus(times.run(Stage::Remesh, tear));
            let is_edited = self.state.sheet.topology.epoch != epoch;
            if is_edited {
                self.inputs.grabbed = self.find_grabbed(&grabs)?;
                energy = None;
            }
            self.lead_grabs(h, &mut grabs, lead)?;
            // The kinks of new splits must not become folds.
            self.inputs.lets_yield = !is_edited && (substep + 1 == count || self.yields_in_every_substep());
            self.run_yielding_substep((h, 0), (&mut plan, &mut energy), times)?;
            if self.knows_its_error() {
                plan.error = plan.error.max(self.local_error());
            }
            substep += 1;
        }
        self.state.time = end;
        Ok((plan, tears))
    }

    /// How many substeps are to make what is left of a step \[s\], of the length `dt` \[s\], for which so many are planned; the
    /// obstacles ask for `least` in all of it.
    fn choose_substeps(
        &self,
        (left, planned): (f64, u32),
        (plan, least, dt): (&mut SubstepPlan, u32, f64),
    ) -> u32 {
        if self.effort.is_spent() {
            if planned > HURRIED_SUBSTEPS {
                plan.hurried_since.get_or_insert(self.state.time);
            }
            return planned.min(HURRIED_SUBSTEPS);
        }
        if !self.adapts_substeps() {
            return planned;
        }
        let least = (f64::from(least) * left / dt - 1e-9).ceil() as u32;
        let asked = self.substeps_in(left).max(least);
        // Substeps of one length are cheaper than those that change: what is kept for one need not be made anew.
        if asked > planned || 2 * asked <= planned { asked } else { planned }
    }

    /// One substep, stage by stage.
    pub(crate) fn run_substep(
        &mut self,
        h: f64,
        plan: &mut SubstepPlan,
        times: &mut StageTimes,
    ) -> Result<(), StepError> {
        self.watch.pass(self.state.time)?;
        self.work.error = self.local_error();
        times.run(Stage::Predict, || self.predict(h));
        self.check_strides(h)?;
        // Not all of the time: what remeshes is one thread.
        stand_by(self.state.sheet.topology.vertex_count, || {
            times.run(Stage::Detect, || self.detect(h));
            times.run(Stage::Solve, || self.solve(h, plan))?;
            times.run(Stage::Secure, || self.secure(h));
            times.run(Stage::Finish, || self.finish(h))
        })
    }

    /// What [`World::go_back`] needs to undo a step.
    pub(crate) fn note(&self) -> Snapshot {
        Snapshot {
            state: self.state.clone(),
            inputs: self.inputs.clone(),
            safeguard: self.safeguard.clone(),
            plate: self.caches.plate.clone(),
            rooms: self.rooms(),
        }
    }

    /// What [`World::go_back`] needs to undo a substep, which finds its contacts by itself: those of the last one are not kept.
    pub(crate) fn note_substep(&mut self) -> Snapshot {
        let contacts = std::mem::take(&mut self.state.last.contacts);
        let snapshot = self.note();
        self.state.last.contacts = contacts;
        snapshot
    }

    /// Puts back what a failed step has changed.
    pub(crate) fn go_back(&mut self, snapshot: Snapshot) {
        let Snapshot { mut state, inputs, safeguard, plate, rooms } = snapshot;
        let last = std::mem::take(&mut state.last);
        (self.state, self.inputs, self.safeguard) = (state, inputs, safeguard);
        // Solver and detector have memories of their own, which the failed step has touched.
        self.rebuild();
        self.caches.plate = plate;
        self.resume_pairs(rooms);
        self.state.last = last;
    }
}
