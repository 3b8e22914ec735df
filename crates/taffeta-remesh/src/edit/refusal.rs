//! Why collapses are refused, and how refusals are counted.

use crate::edit::report::Refusals;
use taffeta_mesh::CollapseBlocked;

/// Why a half-edge is not collapsed.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum CollapseRefusal {
    /// A pin holds the tail.
    Pinned,
    /// The tail is about to be sewn to another vertex.
    Stitched,
    /// The tail is a corner of the outline or of seams.
    Corner,
    /// The tail lies on the outline or a seam, and the edge does not.
    LeavesOutline,
    /// It would make an edge that is too long.
    TooLong,
    /// It would move a rest shape in space too far.
    RestShape,
    /// It would make a bad triangle.
    Quality,
    /// It would turn a face too far.
    TurnsNormal,
    /// The mesh refuses.
    Blocked(CollapseBlocked),
}

impl CollapseRefusal {
    /// Number of the check that failed: of two refusals the one with the higher rank says more.
    fn rank(&self) -> usize {
        match self {
            Self::TooLong => 0,
            Self::LeavesOutline => 1,
            Self::Corner => 2,
            Self::Stitched => 3,
            Self::Pinned => 4,
            Self::RestShape => 5,
            Self::TurnsNormal => 6,
            Self::Quality => 7,
            Self::Blocked(_) => 8,
        }
    }

    /// Counts an edge that could be collapsed in neither direction, by what speaks against the direction that came
    /// further; `false`: it is not short enough.
    pub(crate) fn count([first, second]: [Self; 2], refusals: &mut Refusals) -> bool {
        if first == Self::TooLong || second == Self::TooLong {
            return false;
        }
        let count = match if first.rank() >= second.rank() { first } else { second } {
            Self::TooLong => unreachable!("checked above"),
            Self::Pinned => &mut refusals.pinned,
            Self::LeavesOutline | Self::Corner | Self::Stitched => &mut refusals.outline,
            Self::RestShape => &mut refusals.rest_shape,
            Self::TurnsNormal => &mut refusals.turns_normal,
            Self::Quality => &mut refusals.quality,
            Self::Blocked(_) => &mut refusals.topology,
        };
        *count += 1;
        true
    }
}
