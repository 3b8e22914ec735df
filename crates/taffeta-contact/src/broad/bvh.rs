//! A tree of boxes over items in Morton order.
//!
//! Node `i` of a level covers the nodes `2i` and `2i + 1` of the level below. The lowest level consists of the items
//! themselves, in the order of the Morton codes of their centers when the tree was built. There are no pointers: building
//! is a sort, refitting one pass over the boxes. The order of the pairs depends on the boxes alone.

use crate::broad::boxes::{Aabb, MovingBox};
use rayon::slice::ParallelSliceMut;
use taffeta_core::morton::morton_code;
use taffeta_core::tasks::{collect, map, map_numbers};

/// A tree over the boxes of items that are numbered from 0, which may move.
#[derive(Clone, Debug, Default)]
pub struct BoxTree {
    /// The items in Morton order, and the place of each item there.
    order: Vec<u32>,
    places: Vec<u32>,
    /// The boxes of each level, the items' first, the root's last.
    levels: Vec<Vec<MovingBox>>,
}

/// Boxes that one task makes.
const BOXES_PER_TASK: usize = 1024;
/// Pairs of top-level nodes that one task takes.
const PAIRS_PER_TASK: usize = 4;
/// Nodes of the level whose pairs are shared out over threads.
const WIDE: usize = 64;

impl BoxTree {
    /// Builds a tree over the boxes of all items.
    pub fn build(boxes: &[MovingBox]) -> Self {
        Self::build_over(boxes.len(), |i| boxes[i as usize])
    }

    /// Builds a tree over `count` items, whose boxes are made when they are asked for.
    pub fn build_over(count: usize, area: impl Fn(u32) -> MovingBox + Sync) -> Self {
        let center = |i: u32| area(i).at.center();
        let all = Aabb::around((0..count as u32).map(center));
        let code = |i: u32| (morton_code(center(i), all.low, all.high), i);
        let mut codes = map_numbers(count, BOXES_PER_TASK, |i| code(i as u32));
        codes.par_sort_unstable();
        let order: Vec<u32> = codes.into_iter().map(|(_, i)| i).collect();
        let mut places = vec![0; order.len()];
        order.iter().enumerate().for_each(|(place, i)| places[*i as usize] = place as u32);
        let mut tree = Self { order, places, levels: Vec::new() };
        tree.refit_over(area);
        tree
    }

    /// Makes the box of an item contain another one.
    ///
    /// # Panics
    /// If there is no such item.
    pub fn grow(&mut self, item: u32, area: MovingBox) {
        let mut node = self.places[item as usize] as usize;
        for level in &mut self.levels {
            level[node] = level[node].union(area);
            node /= 2;
        }
    }

    /// Takes over new boxes for the same items, which are made when they are asked for.
    pub fn refit_over(&mut self, area: impl Fn(u32) -> MovingBox + Sync) {
        self.levels.clear();
        self.levels.push(map(&self.order, BOXES_PER_TASK, |i| area(*i)));
        while let Some(last) = self.levels.last().filter(|level| level.len() > 1) {
            let join = |pair: &[MovingBox]| pair.iter().copied().fold(MovingBox::EMPTY, MovingBox::union);
            let next = last.chunks(2).map(join).collect();
            self.levels.push(next);
        }
    }

    /// Forgets all boxes, of which there are twice as many as items, until the next refit.
    pub fn forget_boxes(&mut self) {
        self.levels = Vec::new();
    }

    /// Calls `found` with every item whose box meets `query`.
    pub fn query(&self, query: &MovingBox, mut found: impl FnMut(u32)) {
        if self.order.is_empty() {
            return;
        }
        let mut stack = vec![(self.levels.len() - 1, 0)];
        while let Some((level, node)) = stack.pop() {
            if !self.levels[level][node].meets(query) {
                continue;
            }
            if level == 0 {
                found(self.order[node]);
                continue;
            }
            self.push_children(level, node, |child| stack.push((level - 1, child)));
        }
    }

    /// All pairs of different items `[i, j]`, `i < j`, whose boxes meet and which `accept` takes.
    pub fn pairs(&self, accept: impl Fn(u32, u32) -> bool + Sync) -> Vec<[u32; 2]> {
        if self.order.len() < 2 {
            return Vec::new();
        }
        let level = (0..self.levels.len()).rev().find(|l| self.levels[*l].len() >= WIDE).unwrap_or(0);
        let nodes = &self.levels[level];
        let starts: Vec<[usize; 2]> = (0..nodes.len())
            .flat_map(|a| (a..nodes.len()).map(move |b| [a, b]))
            .filter(|[a, b]| nodes[*a].meets(&nodes[*b]))
            .collect();
        collect(starts.len(), PAIRS_PER_TASK, |range, out| {
            let mut stack = Vec::new();
            for start in &starts[range] {
                stack.push((level, *start));
                while let Some((level, nodes)) = stack.pop() {
                    self.split_pair(level, nodes, &mut stack, |i, j| {
                        let (i, j) = (i.min(j), i.max(j));
                        if accept(i, j) {
                            out.push([i, j]);
                        }
                    });
                }
            }
        })
    }

    /// Replaces two nodes of a level by those of their children that meet.
    fn split_pair(
        &self,
        level: usize,
        [a, b]: [usize; 2],
        stack: &mut Vec<(usize, [usize; 2])>,
        mut found: impl FnMut(u32, u32),
    ) {
        if level == 0 {
            if a != b {
                found(self.order[a], self.order[b]);
            }
            return;
        }
        let below = &self.levels[level - 1];
        self.push_children(level, a, |left| {
            self.push_children(level, b, |right| {
                let is_new = a != b || left <= right;
                if is_new && (left == right || below[left].meets(&below[right])) {
                    stack.push((level - 1, [left, right]));
                }
            });
        });
    }

    fn push_children(&self, level: usize, node: usize, mut push: impl FnMut(usize)) {
        let below = self.levels[level - 1].len();
        (2 * node..(2 * node + 2).min(below)).for_each(&mut push);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use glam::DVec3;
    use taffeta_core::random::SplitMix64;

    fn random_boxes(count: usize, seed: u64) -> Vec<MovingBox> {
        let mut random = SplitMix64(seed);
        let mut point = || DVec3::new(random.next_unit(), random.next_unit(), random.next_unit());
        (0..count)
            .map(|_| {
                let (corner, size, way, turn) = (point(), point() * 0.15, point() * 0.3, point() * 0.05);
                let at = Aabb { low: corner, high: corner + size };
                MovingBox { at, moves: Aabb { low: way, high: way + turn } }
            })
            .collect()
    }

    fn brute_force(boxes: &[MovingBox]) -> Vec<[u32; 2]> {
        let pairs = (0..boxes.len()).flat_map(|i| (i + 1..boxes.len()).map(move |j| [i, j]));
        pairs.filter(|[i, j]| boxes[*i].meets(&boxes[*j])).map(|pair| pair.map(|i| i as u32)).collect()
    }

    #[test]
    fn pairs_are_those_of_a_search_over_all() {
        for count in [0, 1, 2, 3, 7, 64, 65, 500] {
            let boxes = random_boxes(count, count as u64);
            let mut pairs = BoxTree::build(&boxes).pairs(|_, _| true);
            pairs.sort_unstable();
            assert_eq!(pairs, brute_force(&boxes), "{count} boxes");
        }
    }

    #[test]
    fn a_refitted_tree_finds_what_a_new_one_finds() {
        let mut tree = BoxTree::build(&random_boxes(300, 1));
        let boxes = random_boxes(300, 2);
        tree.refit_over(|i| boxes[i as usize]);
        let mut pairs = tree.pairs(|_, _| true);
        pairs.sort_unstable();
        assert_eq!(pairs, brute_force(&boxes));
        let mut boxes = boxes;
        for i in (0..300).step_by(7) {
            let wider = boxes[(i + 1) % 300];
            boxes[i] = boxes[i].union(wider);
            tree.grow(i as u32, wider);
        }
        for query in &boxes {
            let mut found = Vec::new();
            tree.query(query, |i| found.push(i));
            found.sort_unstable();
            let all = (0..boxes.len() as u32).filter(|i| boxes[*i as usize].meets(query));
            assert_eq!(found, all.collect::<Vec<_>>());
        }
    }
}
