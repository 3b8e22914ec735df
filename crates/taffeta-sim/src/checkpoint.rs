//! Checkpoints: the state to resume from.
//!
//! A checkpoint holds what a run has that its scene has not: the keyed meshes with their attributes, the time, and the
//! unwrapped hinge angles. A run that is resumed from it gives the same bits as one that was not interrupted.

use crate::frozen::Thawed;
use crate::world::{Caches, Solver, World, freeze};
use serde::{Deserialize, Serialize};
use taffeta_solve::{BlockDriver, drivers::direct::DirectDriver};

/// Format of checkpoints; a change of the format changes it.
const VERSION: u32 = 1;

/// The state of a world.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Checkpoint {
    version: u32,
    time: f64,
    frame: u64,
    cloths: Vec<String>,
    sheet: Thawed,
    /// Unwrapped hinge angles in dense order \[rad\].
    hinge_angles: Vec<f64>,
}

/// Why a checkpoint cannot be used.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum CheckpointError {
    /// The bytes are no checkpoint.
    #[error("the checkpoint is damaged: {0}")]
    Damaged(String),
    /// It was written by another version.
    #[error("the checkpoint has format {found}, but this program reads format {expected}")]
    Version {
        /// Format found.
        found: u32,
        /// Format expected.
        expected: u32,
    },
    /// It belongs to another world.
    #[error("the checkpoint is of cloths [{}], but the scene has [{}]", found.join(", "), expected.join(", "))]
    OtherWorld {
        /// Cloths of the checkpoint.
        found: Vec<String>,
        /// Cloths of the world.
        expected: Vec<String>,
    },
}

impl Checkpoint {
    /// Number of steps made when the checkpoint was taken.
    pub fn frame(&self) -> u64 {
        self.frame
    }

    /// The checkpoint as bytes.
    pub fn to_bytes(&self) -> Vec<u8> {
        postcard::to_stdvec(self).expect("a checkpoint has no unbounded or borrowed parts")
    }

    /// Reads a checkpoint back.
    ///
    /// # Errors
    /// If the bytes are damaged or of another format.
    pub fn from_bytes(bytes: &[u8]) -> Result<Self, CheckpointError> {
        let (found, _) = postcard::take_from_bytes::<u32>(bytes).map_err(damaged)?;
        if found != VERSION {
            return Err(CheckpointError::Version { found, expected: VERSION });
        }
        postcard::from_bytes(bytes).map_err(damaged)
    }
}

fn damaged(error: postcard::Error) -> CheckpointError {
    CheckpointError::Damaged(error.to_string())
}

impl World {
    /// The state to resume from.
    pub fn checkpoint(&self) -> Checkpoint {
        let hinge_angles = match &self.caches.solver {
            Solver::Block(driver) => driver.hinge_angles(self.caches.blocks.hinges.len()),
            Solver::Direct(driver) => driver.hinge_angles(),
        };
        let cloths = self.cloths.iter().map(|c| c.name.clone()).collect();
        let (time, frame) = (self.time, self.frame);
        Checkpoint { version: VERSION, time, frame, cloths, sheet: self.sheet.to_thawed(), hinge_angles }
    }

    /// Takes over the state of a checkpoint of the same scene.
    ///
    /// # Errors
    /// If the checkpoint is of other cloths; the world is then unchanged.
    pub fn restore(&mut self, checkpoint: Checkpoint) -> Result<(), CheckpointError> {
        let expected: Vec<_> = self.cloths.iter().map(|c| c.name.clone()).collect();
        if checkpoint.cloths != expected {
            return Err(CheckpointError::OtherWorld { found: checkpoint.cloths, expected });
        }
        checkpoint.sheet.mesh.validate().map_err(|e| CheckpointError::Damaged(e.to_string()))?;
        (self.time, self.frame) = (checkpoint.time, checkpoint.frame);
        self.sheet = freeze(checkpoint.sheet, &self.cloths);
        self.caches = Caches::build(&self.sheet, &self.cloths, self.settings.solver);
        if checkpoint.hinge_angles.len() == self.caches.blocks.hinges.len() {
            for (hinge, angle) in self.caches.blocks.hinges.iter_mut().zip(&checkpoint.hinge_angles) {
                hinge.reference = *angle;
            }
            self.caches.solver = match self.caches.solver {
                Solver::Block(_) => {
                    Solver::Block(Box::new(BlockDriver::build(&self.sheet.topology, &self.caches.blocks)))
                }
                Solver::Direct(_) => {
                    Solver::Direct(Box::new(DirectDriver::build(&self.sheet.topology, &self.caches.blocks)))
                }
            };
        }
        self.refill();
        Ok(())
    }
}
