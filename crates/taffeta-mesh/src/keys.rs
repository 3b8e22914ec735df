//! Keys of the elements of a mesh, and the half-edge.

use serde::{Deserialize, Serialize};
use slotmap::{Key, new_key_type};

new_key_type! {
    /// Names a vertex of a [`HalfedgeMesh`](crate::HalfedgeMesh). Never re-used for another vertex.
    pub struct VertexKey;
    /// Names an edge of a [`HalfedgeMesh`](crate::HalfedgeMesh). Never re-used for another edge.
    pub struct EdgeKey;
    /// Names a face of a [`HalfedgeMesh`](crate::HalfedgeMesh). Never re-used for another face.
    pub struct FaceKey;
}

/// The slot of a key: small, unique among the elements that live at the same time, re-used after a removal. Use it to
/// index plain arrays while no edit happens; a mesh has `slot < slot_limit`.
#[inline]
pub fn slot_of(key: impl Key) -> usize {
    // slotmap has no accessor; the low half of the foreign-function form is the slot. A test holds it to that.
    (key.data().as_ffi() & 0xffff_ffff) as usize
}

/// Number of times that the slot of a key had been filled or emptied when the key was made; 1 for the first element of a slot.
pub(crate) fn version_of(key: impl Key) -> u64 {
    key.data().as_ffi() >> 32
}

/// One of the two directions of an edge.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub enum Side {
    /// The direction in which the edge was made.
    First,
    /// The opposite direction.
    Second,
}

impl Side {
    /// Both sides.
    pub const BOTH: [Self; 2] = [Self::First, Self::Second];

    /// The other side.
    #[inline]
    pub fn opposite(self) -> Self {
        match self {
            Self::First => Self::Second,
            Self::Second => Self::First,
        }
    }

    /// 0 for the first side and 1 for the second, to index arrays that hold one element per side.
    #[inline]
    pub fn index(self) -> usize {
        self as usize
    }
}

/// A half-edge: one direction of one edge.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub struct Halfedge {
    /// The edge.
    pub edge: EdgeKey,
    /// Its direction.
    pub side: Side,
}

impl Halfedge {
    /// The half-edge on the given side of an edge.
    #[inline]
    pub fn new(edge: EdgeKey, side: Side) -> Self {
        Self { edge, side }
    }

    /// The edge in the other direction.
    #[inline]
    pub fn twin(self) -> Self {
        Self { edge: self.edge, side: self.side.opposite() }
    }

    /// Stands in a new element until it is linked.
    pub(crate) fn null() -> Self {
        Self { edge: EdgeKey::null(), side: Side::First }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use slotmap::SlotMap;

    #[test]
    fn slots_are_consecutive_and_used_again() {
        let mut map: SlotMap<VertexKey, ()> = SlotMap::with_key();
        let keys = [(); 4].map(|()| map.insert(()));
        assert_eq!(keys.map(slot_of), [1, 2, 3, 4]);
        assert_eq!(keys.map(version_of), [1; 4]);
        map.remove(keys[1]);
        let again = map.insert(());
        assert_eq!((slot_of(again), version_of(again)), (2, 3));
        assert_ne!(again, keys[1]);
    }

    #[test]
    fn twin_of_the_twin_is_the_half_edge() {
        let halfedge = Halfedge::null();
        assert_ne!(halfedge.twin(), halfedge);
        assert_eq!(halfedge.twin().twin(), halfedge);
    }
}
