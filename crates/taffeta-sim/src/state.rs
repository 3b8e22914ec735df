//! What a run has that its scene has not, beside the sheet: all of it is part of a checkpoint, and of what is noted to be put back.

use crate::description::WorldDescription;
use crate::grips::Grasps;
use crate::rest::Still;
use glam::DVec3;
use serde::{Deserialize, Serialize};

/// See the module page.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub(crate) struct State {
    /// Time \[s\].
    pub time: f64,
    /// Number of steps made.
    pub frame: u64,
    /// Time of the last remeshing pass of each cloth \[s\].
    pub last_passes: Vec<f64>,
    /// Energy that passes have taken from each cloth, and may give back \[J\]; see [`crate::ledger`].
    pub credits: Vec<f64>,
    /// Which pins have let go. Their vertices are freed at the start of the next substep.
    pub released: Vec<bool>,
    /// Length of the last substep \[s\]; 0 before the first.
    pub last_substep: f64,
    /// Whether a contact carried a force in it.
    pub was_touched: bool,
    /// What is known if the world is about to rest.
    pub still: Option<Still>,
    /// Gravity in the last step \[m/s²\].
    pub gravity: DVec3,
    /// What contacts remember.
    pub grasps: Grasps,
}

impl State {
    /// That of a world that has not begun.
    pub(crate) fn new(description: &WorldDescription, pins: usize) -> Self {
        Self {
            last_passes: vec![0.0; description.cloths.len()],
            credits: vec![0.0; description.cloths.len()],
            released: vec![false; pins],
            gravity: description.simulation.gravity,
            ..Self::default()
        }
    }

    /// Why it cannot be that of a world with so many cloths and pins, if it cannot.
    pub(crate) fn find_defect(&self, cloths: usize, pins: usize) -> Option<String> {
        let is_magnitude = |value: f64| value.is_finite() && value >= 0.0;
        if self.last_passes.len() != cloths {
            return Some(format!("it has {} times of remeshing", self.last_passes.len()));
        }
        if self.credits.len() != cloths || !self.credits.iter().copied().all(is_magnitude) {
            return Some("what passes have taken is not of its cloths, or not an energy".to_owned());
        }
        if !self.grasps.are_sound() {
            return Some("what its contacts remember is out of order or not finite".to_owned());
        }
        if !self.gravity.is_finite() {
            return Some(format!("its gravity is {} m/s²", self.gravity));
        }
        if !is_magnitude(self.last_substep) {
            return Some(format!("its last substep is {} s", self.last_substep));
        }
        (self.released.len() != pins)
            .then(|| format!("it has {} pins, but the world has {pins}", self.released.len()))
    }
}
