//! Facts of a world that stages only read.

use crate::derive::world::derived::Derived;
use crate::model::description::SolverChoice;
use crate::model::report::SafeguardReport;
use crate::model::setup::Setup;
use crate::model::state::State;
use crate::model::workspace::{Inputs, Workspace};

/// Facts of a world for those who change nothing but what is derived, the workspace, or their own.
#[derive(Clone, Copy)]
pub(crate) struct Facts<'a> {
    pub setup: &'a Setup,
    pub inputs: &'a Inputs,
    pub state: &'a State,
    /// The solver in use.
    pub choice: SolverChoice,
}

/// Parts of a world, for those who leave its state as it is.
pub(crate) struct Split<'a> {
    pub facts: Facts<'a>,
    pub derived: &'a mut Derived,
    pub workspace: &'a mut Workspace,
    pub safeguard: &'a mut SafeguardReport,
}

/// Parts of a world that a stage changes; what is derived stands beside them.
pub(crate) struct Changing<'a> {
    pub setup: &'a mut Setup,
    pub inputs: &'a Inputs,
    pub state: &'a mut State,
    /// The solver in use.
    pub choice: SolverChoice,
    pub workspace: &'a mut Workspace,
}

impl Changing<'_> {
    /// Facts for those who only read them.
    pub(crate) fn facts(&self) -> Facts<'_> {
        Facts { setup: self.setup, inputs: self.inputs, state: self.state, choice: self.choice }
    }
}
