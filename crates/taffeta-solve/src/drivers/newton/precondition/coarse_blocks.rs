//! Places of the blocks of a matrix over the nodes of a grid, and the window of nodes that one of its rows touches.

use super::grid::{Grid, Place};

/// Nodes that couple are at most this far apart, in cells.
const REACH: i32 = 2;
/// Nodes along each axis that a row can touch: its own cell and one more on either side.
const WINDOW: i32 = 4;
/// Nodes that a row can touch in space.
pub(super) const WINDOW_NODES: usize = 64;

/// Places of the blocks of a grid.
#[derive(Clone, Copy, Debug)]
pub(crate) struct GridBlocks {
    pub grid: Grid,
    pub first: usize,
    /// True if windows and offsets have one layer only.
    pub is_flat: bool,
}

/// The nodes that an element touches, in a window around a cell.
#[derive(Clone, Debug)]
pub(crate) struct Touched<T> {
    values: [T; WINDOW_NODES],
    /// One bit per node of the window.
    nodes: u64,
}

impl GridBlocks {
    /// Offsets of the nodes that a node couples to.
    pub(super) fn offset_count(&self) -> usize {
        if self.is_flat { 25 } else { 125 }
    }

    /// The number of an offset, of which the negative one has the mirrored number; `None` if it is out of reach.
    #[inline(always)]
    pub(super) fn offset_number(&self, [x, y, z]: [i32; 3]) -> Option<usize> {
        if x.abs() > REACH || y.abs() > REACH || z.abs() > REACH {
            return None;
        }
        let layer = if self.is_flat { 0 } else { z + REACH };
        Some((layer * 25 + (y + REACH) * 5 + x + REACH) as usize)
    }

    /// The offset of a number, with what it adds to the number of a node.
    fn offset(&self, number: usize) -> ([i64; 3], i64) {
        let number = number as i64;
        let z = if self.is_flat { 0 } else { number / 25 - i64::from(REACH) };
        let at = [number % 5 - i64::from(REACH), number / 5 % 5 - i64::from(REACH), z];
        let strides = self.grid.strides().map(|stride| stride as i64);
        (at, (0..3).map(|axis| at[axis] * strides[axis]).sum())
    }

    /// The corners of a cell.
    pub(super) fn corner_count(&self) -> usize {
        if self.is_flat { 4 } else { 8 }
    }

    /// Place of the block of a node and an offset.
    #[inline(always)]
    pub(crate) fn slot(&self, node: usize, offset: usize) -> usize {
        self.first + (node - self.grid.first) * self.offset_count() + offset
    }

    /// The number of a node, given by its place in the window around a cell.
    #[inline(always)]
    pub(crate) fn node(&self, place: &Place, window: usize) -> usize {
        let strides = self.grid.strides();
        let at = window_place(window);
        let z = if self.is_flat { 1 } else { at[2] };
        let offset =
            (at[0] - 1) * strides[0] as i32 + (at[1] - 1) * strides[1] as i32 + (z - 1) * strides[2] as i32;
        (place.node as i32 + offset) as usize
    }

    /// The node at an offset from a node, if there is one.
    pub(super) fn neighbor(&self, node: usize, cell: [usize; 3], number: usize) -> Option<usize> {
        let (at, stride) = self.offset(number);
        let is_inside = (0..3).all(|axis| {
            let k = cell[axis] as i64 + at[axis];
            (0..self.grid.nodes[axis] as i64).contains(&k)
        });
        is_inside.then(|| (node as i64 + stride) as usize)
    }
}

/// The coordinates of a node in the window.
#[inline(always)]
pub(super) fn window_place(window: usize) -> [i32; 3] {
    let window = window as i32;
    [window % WINDOW, window / WINDOW % WINDOW, window / (WINDOW * WINDOW)]
}

impl<T: Copy> Touched<T> {
    /// No nodes; `zero` is what every value starts from.
    pub(crate) fn new(zero: T) -> Self {
        Self { values: [zero; WINDOW_NODES], nodes: 0 }
    }

    /// Forgets all nodes.
    pub(crate) fn clear(&mut self, zero: T) {
        let mut nodes = std::mem::take(&mut self.nodes);
        while nodes != 0 {
            self.values[nodes.trailing_zeros() as usize] = zero;
            nodes &= nodes - 1;
        }
    }

    /// Adds to the corners of the cell of `other`, seen from the cell of `place`: `add(value, weight)`. Nothing happens
    /// and `false` is returned if they are too far apart.
    #[inline(always)]
    pub(crate) fn interpolate(
        &mut self,
        place: &Place,
        other: &Place,
        corners: usize,
        mut add: impl FnMut(&mut T, f64),
    ) -> bool {
        let step = |axis: usize| i32::from(other.cell[axis]) - i32::from(place.cell[axis]);
        let [x, y, z] = [step(0), step(1), step(2)];
        if x.abs() > 1 || y.abs() > 1 || z.abs() > 1 || other.grid != place.grid {
            return false;
        }
        let layer = if corners == 4 { 0 } else { z + 1 };
        let first = ((layer * WINDOW + y + 1) * WINDOW + x + 1) as usize;
        for (corner, weight) in other.weights().iter().enumerate().take(corners) {
            if *weight != 0.0 {
                let node = first + (corner & 1) + 4 * (corner >> 1 & 1) + 16 * (corner >> 2);
                self.nodes |= 1 << node;
                add(&mut self.values[node], *weight);
            }
        }
        true
    }

    /// The nodes and their values.
    #[inline(always)]
    pub(crate) fn iter(&self) -> impl Iterator<Item = (usize, &T)> {
        let mut nodes = self.nodes;
        std::iter::from_fn(move || {
            if nodes == 0 {
                return None;
            }
            let node = nodes.trailing_zeros() as usize;
            nodes &= nodes - 1;
            Some((node, &self.values[node]))
        })
    }
}
