//! The surroundings of the substeps of a world, which may be a part of another one.

use crate::derive::world::World;
use crate::features::grabs::{SubstepCallback, SubstepStart};
use crate::features::tearing::tear::tear_overloaded;
use crate::model::report::TearCounts;

/// Somebody who has substeps made, and does what they cannot.
pub(crate) trait Outside: Send {
    /// Moves the targets of the grabs before a substep.
    fn lead(&mut self, grabs: SubstepStart<'_>);

    /// Lets cloth tear where it is overloaded before a substep; `has_moved`: solvers have gone on since the last edit.
    fn tear(&mut self, world: &mut World, has_moved: bool) -> TearCounts;
}

/// The outside of a whole world: somebody who leads its grabs.
pub(crate) struct Whole<'a, 'b>(pub &'a mut SubstepCallback<'b>);

impl Outside for Whole<'_, '_> {
    fn lead(&mut self, grabs: SubstepStart<'_>) {
        (self.0)(grabs);
    }

    fn tear(&mut self, world: &mut World, has_moved: bool) -> TearCounts {
        tear_overloaded(world, has_moved)
    }
}
