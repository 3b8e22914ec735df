//! Rest: where nothing moves any more and nothing outside acts, a step leaves everything as it is.
//!
//! A world rests if, at its speeds at both ends of the last substep, each body would need [`PATIENCE`] to move by the error that
//! a substep may have (root mean square), and each of its vertices [`LEAST_PATIENCE`]. At both ends, for a pendulum that turns is
//! slow at one of them only.

use crate::description::{Air, SolverChoice};
use crate::newton::extent;
use crate::report::{Metrics, RemeshCounts, RemeshJumps, StepReport, SubstepPlan, TearCounts};
use crate::safeguard::SafeguardReport;
use crate::stage::{Stage, StageTimes};
use crate::state::State;
use crate::step::StepInputs;
use crate::world::World;
use glam::DVec3;
use serde::{Deserialize, Serialize};

/// How long a body at rest would need to move by the error that is allowed, and each of its vertices \[s\]. Cloth that comes to
/// rest slows down within a second or two.
const PATIENCE: f64 = 10.0;
const LEAST_PATIENCE: f64 = 1.0;

/// What is known at the end of a step, and stays true as long as the world rests.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub(crate) struct Still {
    metrics: Metrics,
    /// Contacts that carry a force.
    contacts: usize,
    /// Whether a remeshing pass over all cloths has found nothing to do.
    is_adapted: bool,
}

impl World {
    /// Notes what a step has ended with, if its remeshing pass has changed nothing.
    pub(crate) fn note_stillness(&mut self, metrics: Metrics, contacts: usize, pass: &RemeshCounts) {
        let is_unchanged = pass.splits + pass.collapses + pass.flips == 0;
        // What was refused would be again.
        let is_adapted =
            (0..self.cloths.len()).all(|cloth| self.cloths[cloth].remesh.is_none() || self.is_due(cloth));
        self.state.still = is_unchanged.then_some(Still { metrics, contacts, is_adapted });
    }

    /// What is known of the world if it rests for the whole of a step of length `dt` \[s\].
    pub(crate) fn find_rest(&self, inputs: &StepInputs, dt: f64) -> Option<Still> {
        let gravity = inputs.gravity.unwrap_or(self.settings.gravity);
        let wind = |air: Air| inputs.wind.unwrap_or(air.wind);
        let is_left_alone = inputs.grabs.is_empty()
            && gravity == self.state.gravity
            && self.air.is_none_or(|air| wind(air) == DVec3::ZERO)
            && !self.has_pressure()
            && !self.is_sewing()
            && !self.can_tear()
            && self.stand_still(self.state.time + dt)
            && self.view_motion.stands_between(self.state.time, self.state.time + dt)
            && !self.is_release_due(self.state.time + dt);
        // Who says how many substeps or iterations there are wants them made; the direct solver is the reference of others.
        let may_skip = self.adapts_substeps()
            && self.settings.iterations.is_none()
            && self.caches.choice != SolverChoice::Direct;
        self.state.still.filter(|_| may_skip && is_left_alone && self.is_slow())
    }

    /// Makes a step of a world at rest: time passes, and meshes are adapted as long as that changes something.
    pub(crate) fn rest(&mut self, still: Still, dt: f64) -> StepReport {
        let mut times = StageTimes::default();
        self.safeguard = SafeguardReport::default();
        self.state.time += dt;
        self.state.frame += 1;
        let (mut remesh, mut popping) = (RemeshCounts::default(), 0.0);
        if still.is_adapted {
            self.note_passes();
        } else {
            (remesh, popping) = times.run(Stage::Remesh, || self.remesh_if_due());
            self.note_stillness(still.metrics, still.contacts, &remesh);
        }
        let jumps = match self.state.still {
            Some(_) => RemeshJumps::default(),
            None => times.run(Stage::Measure, || self.measure_jumps(&still.metrics, (&remesh, popping))),
        };
        StepReport {
            time: self.state.time,
            plan: SubstepPlan::default(),
            vertices: self.state.sheet.topology.vertex_count,
            faces: self.state.sheet.topology.face_count(),
            contacts: still.contacts,
            broken_edges: 0,
            tears: TearCounts::default(),
            safeguard: SafeguardReport::default(),
            remesh,
            jumps,
            metrics: Metrics { max_strain: self.max_strain(), ..still.metrics },
            state_hash: times.run(Stage::Measure, || self.state_hash()),
            times,
        }
    }

    /// Whether every body is slow, and what nothing holds was so at the start of the last substep as well.
    fn is_slow(&self) -> bool {
        let State { sheet, motion, .. } = &self.state;
        let speed_before = |i: usize| match &motion.history.raw[i] {
            Some(last) => last.velocity.length(),
            None if motion.grips.raw[i] != DVec3::ZERO || motion.held.raw[i] == [true; 3] => 0.0,
            None => f64::INFINITY,
        };
        let is_slow = |body: usize| {
            let range = sheet.vertex_range(body as u32);
            let error = self.settings.accuracy * extent(&sheet.layout.raw[range.clone()]);
            let (mut mass, mut square, mut fastest) = (0.0, 0.0, 0.0_f64);
            for i in range {
                let speed = motion.velocities.raw[i].length().max(speed_before(i));
                let m = motion.masses.raw[i];
                (mass, square, fastest) = (mass + m, square + m * speed * speed, fastest.max(speed));
            }
            fastest * LEAST_PATIENCE <= error && square.sqrt() * PATIENCE <= error * mass.sqrt()
        };
        self.state.last_substep > 0.0 && (0..self.body_count()).all(is_slow)
    }
}
