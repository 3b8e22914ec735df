//! The stages of a step: order, timers and names in one place.

use std::time::{Duration, Instant};

/// The stages of [`World::step`](crate::World::step), in their order.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Stage {
    /// Motion without elasticity and contact; pins follow their keyframes.
    Predict,
    /// Contacts with obstacles and between cloths.
    Detect,
    /// Elasticity and contact response.
    Solve,
    /// CCD: motions are shortened before anything intersects.
    Secure,
    /// Velocities from positions.
    Finish,
    /// Adapts the mesh: keyed form, edits, dense form.
    Remesh,
    /// Energies, momenta, residual, hash.
    Measure,
}

impl Stage {
    /// All stages in order.
    pub const ALL: [Stage; 7] = [
        Stage::Predict,
        Stage::Detect,
        Stage::Solve,
        Stage::Secure,
        Stage::Finish,
        Stage::Remesh,
        Stage::Measure,
    ];
}

/// Wall time of each stage.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct StageTimes {
    times: [Duration; Stage::ALL.len()],
}

impl StageTimes {
    /// Runs `work` and adds its time to a stage.
    pub(crate) fn run<T>(&mut self, stage: Stage, work: impl FnOnce() -> T) -> T {
        let start = Instant::now();
        let result = work();
        self.times[stage as usize] += start.elapsed();
        result
    }

    /// Time spent in a stage.
    pub fn of(&self, stage: Stage) -> Duration {
        self.times[stage as usize]
    }

    /// Time spent in all stages.
    pub fn total(&self) -> Duration {
        self.times.iter().sum()
    }

    /// Adds the times of another step.
    pub fn add(&mut self, other: &Self) {
        self.times.iter_mut().zip(other.times).for_each(|(a, b)| *a += b);
    }
}
