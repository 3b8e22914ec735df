//! The equilibrium: where the cloth comes to rest.

use crate::pins::along_held;
use crate::report::{StepReport, SubstepPlan};
use crate::stage::{Stage, StageTimes};
use crate::step::StepError;
use crate::world::World;
use glam::DVec3;

/// Unbalanced force that counts as none, relative to the weight of the cloth.
const TOLERANCE: f64 = 1e-6;
/// Gravity that the weight is measured with at least \[m/s²\]: without any, round-off would count.
const LEAST_GRAVITY: f64 = 1.0;

impl World {
    /// Moves the cloths from where they are to an equilibrium of gravity, pressure, elasticity, pins and obstacles. They
    /// are at rest then. Counts as one step, in which no time passes.
    ///
    /// This version recognizes an equilibrium and does not search for one yet.
    ///
    /// # Errors
    /// If no equilibrium is found; the world is then as it was before.
    pub fn equilibrate(&mut self) -> Result<StepReport, StepError> {
        let mut times = StageTimes::default();
        let last_good = self.note_state();
        self.release_pins();
        let (residual, tolerance) = times.run(Stage::Solve, || self.static_residual());
        if residual > tolerance {
            self.go_back(last_good);
            let reason = "the search for it is not supported yet".to_owned();
            return Err(StepError::NoEquilibrium { residual, tolerance, reason });
        }
        self.sheet.state.velocities.iter_mut().for_each(|v| *v = DVec3::ZERO);
        self.frame += 1;
        let metrics = times.run(Stage::Measure, || self.measure());
        let state_hash = times.run(Stage::Measure, || self.state_hash());
        Ok(StepReport {
            time: self.time,
            plan: SubstepPlan::default(),
            vertices: self.sheet.topology.vertex_count,
            faces: self.sheet.topology.face_count(),
            contacts: self.active_contacts(),
            remesh: Default::default(),
            metrics,
            state_hash,
            times,
        })
    }

    /// Norm of the forces that are unbalanced at rest, without contact, and what it may be at most \[N\].
    fn static_residual(&self) -> (f64, f64) {
        let state = &self.sheet.state;
        let gravity = self.settings.gravity;
        let mut forces = self.elastic_gradient();
        for (force, m) in forces.iter_mut().zip(state.masses.iter()) {
            *force -= gravity * *m;
        }
        self.add_pressure(&state.positions, -1.0, &mut forces);
        let free = forces.iter().zip(state.held.iter()).map(|(f, held)| along_held(*held, DVec3::ZERO, *f));
        let weight = state.masses.iter().sum::<f64>() * gravity.length().max(LEAST_GRAVITY);
        (free.map(|f| f.length_squared()).sum::<f64>().sqrt(), TOLERANCE * weight)
    }
}
