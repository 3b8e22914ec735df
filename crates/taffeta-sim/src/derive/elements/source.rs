//! Source of everything derived.

use crate::model::description::SolverChoice;
use crate::model::setup::Setup;
use crate::model::state::dense::DenseState;
use crate::model::state::sheet::Sheet;

/// Source of everything derived.
#[derive(Clone, Copy)]
pub(crate) struct Source<'a> {
    pub setup: &'a Setup,
    pub sheet: &'a Sheet,
    pub motion: &'a DenseState,
    /// Time \[s\].
    pub time: f64,
    pub choice: SolverChoice,
    /// False if its groups are stepped by themselves, and have solvers of their own.
    pub solves: bool,
}
