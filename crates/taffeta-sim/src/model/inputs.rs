//! Inputs of a step.

use crate::model::grabs::Grab;
use glam::DVec3;

/// Inputs that may change from step to step.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct StepInputs {
    /// Gravity \[m/s²\] instead of the world's.
    pub gravity: Option<DVec3>,
    /// Wind velocity \[m/s\] instead of the world's. Refused in a vacuum, if it is not zero.
    pub wind: Option<DVec3>,
    /// Pulls on material points in this step. Not under the solver `projective`.
    pub grabs: Vec<Grab>,
}
