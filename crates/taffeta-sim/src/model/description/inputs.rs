//! Inputs of a step.

use crate::model::description::grabs::Grab;
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
    /// Wall time that the step may take \[s\]. Where steps take longer, the next ones may err more, and the edges of cloths that are
    /// remeshed are longer, until steps fit: [`StepReport::rough`](crate::StepReport::rough). Solvers that sweep only get longer
    /// edges. A single step may still take longer. Results then depend on the machine. `None`: steps are as exact as the world asks.
    pub budget: Option<f64>,
}
