//! Nodes that couple though no window holds both: what is sewn together, or meets at a seam, lies in two grids.

use super::grid::{Grid, Place};
use crate::drivers::newton::linear::block_rows::count_offsets;
use std::ops::Range;

/// Pairs of nodes, each once, at the one with the smaller number.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct Links {
    /// The first link of each node, and of the one after the last; empty if there are none at all.
    offsets: Vec<u32>,
    /// The later node of each link, in order for each first one.
    ends: Vec<u32>,
}

impl Links {
    /// The links of elements that couple pairs of places. `is_near` tells which nodes have a block already: by the number
    /// of the grid, and the step from the one to the other.
    pub(crate) fn find<'a>(
        grids: &[Grid],
        pairs: impl Iterator<Item = [&'a Place; 2]>,
        is_near: impl Fn(u32, [i32; 3]) -> bool,
    ) -> Self {
        let mut links: Vec<[u32; 2]> = Vec::new();
        for [a, b] in pairs {
            for (node, cell, _) in grids[a.grid as usize].corners(a) {
                for (other, to, _) in grids[b.grid as usize].corners(b) {
                    let step = [0, 1, 2].map(|axis| to[axis] - cell[axis]);
                    if a.grid != b.grid || !is_near(a.grid, step) {
                        links.push([node.min(other) as u32, node.max(other) as u32]);
                    }
                }
            }
        }
        links.sort_unstable();
        links.dedup();
        if links.is_empty() {
            return Self::default();
        }
        let count = grids.iter().map(Grid::node_count).sum();
        let offsets = count_offsets(count, links.iter().map(|link| link[0]));
        Self { offsets, ends: links.iter().map(|link| link[1]).collect() }
    }

    /// Returns whether there are none.
    pub(crate) fn is_empty(&self) -> bool {
        self.offsets.is_empty()
    }

    /// Number of links.
    pub(crate) fn len(&self) -> usize {
        self.ends.len()
    }

    /// The links of a node to later ones.
    pub(crate) fn of(&self, node: usize) -> Range<usize> {
        if self.is_empty() {
            return 0..0;
        }
        self.offsets[node] as usize..self.offsets[node + 1] as usize
    }

    /// The later node of a link.
    pub(crate) fn end(&self, link: usize) -> usize {
        self.ends[link] as usize
    }

    /// The nodes of all links.
    pub(crate) fn nodes(&self) -> impl Iterator<Item = [usize; 2]> {
        let count = self.offsets.len().saturating_sub(1);
        (0..count).flat_map(move |node| self.of(node).map(move |link| [node, self.end(link)]))
    }

    /// The link of two nodes.
    pub(crate) fn number(&self, [a, b]: [usize; 2]) -> Option<usize> {
        let range = self.of(a.min(b));
        let place = self.ends[range.clone()].binary_search(&(a.max(b) as u32)).ok()?;
        Some(range.start + place)
    }
}
