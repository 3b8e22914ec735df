//! Which elements are near each other: what moves by itself against itself, and against obstacles.
//!
//! Two trees, so that what stands still costs nothing: that of the movers is refitted in every search, that of the
//! obstacles when one of them has moved. Obstacles do not meet each other, so theirs is only asked.

use crate::broad::boxes::MovingBox;
use crate::broad::bvh::BoxTree;
use crate::broad::elements::Element;
use taffeta_core::tasks::collect;

/// Elements that one task looks up.
const QUERIES_PER_TASK: usize = 64;

/// The elements of some bodies, movers first, with the boxes of their vertices.
#[derive(Clone, Copy, Debug)]
pub struct BoxedElements<'a> {
    /// The elements.
    pub list: &'a [Element],
    /// The boxes of all vertices, by number.
    pub boxes: &'a [MovingBox],
    /// The number of elements that move by themselves.
    pub movers: usize,
}

impl BoxedElements<'_> {
    fn area(&self, i: u32) -> MovingBox {
        self.list[i as usize].area(|v| self.boxes[v as usize])
    }

    fn has_obstacles(&self) -> bool {
        self.movers < self.list.len()
    }

    fn fit_obstacles<'t>(&self, tree: &'t mut Option<BoxTree>) -> &'t BoxTree {
        fit(tree, self.list.len() - self.movers, |i| self.area(i + self.movers as u32))
    }

    /// Returns whether the movers can touch each other.
    fn meet_each_other(&self, meets: impl Fn(u32, u32) -> bool) -> bool {
        let mut bodies: Vec<u32> = self.list[..self.movers].iter().map(|element| element.body).collect();
        bodies.sort_unstable();
        bodies.dedup();
        bodies.iter().any(|a| bodies.iter().any(|b| meets(*a, *b)))
    }
}

/// The trees over the elements of some bodies, movers first.
#[derive(Clone, Debug, Default)]
pub struct NearSearch {
    movers: Option<BoxTree>,
    obstacles: Option<BoxTree>,
}

impl NearSearch {
    /// The pairs of elements whose boxes meet, one of them a mover, sorted. The boxes of obstacles are as in the last search
    /// if `moved` is false. `meets` tells whether two bodies, or a body and itself, can touch.
    pub fn find(
        &mut self,
        elements: BoxedElements<'_>,
        moved: bool,
        meets: impl Fn(u32, u32) -> bool + Sync,
    ) -> Vec<[u32; 2]> {
        let near = combine(elements, self.update(elements, moved, &meets), meets);
        // The boxes of the next search are others.
        self.movers.iter_mut().for_each(BoxTree::forget_boxes);
        near
    }

    /// Pairs that contain one of the chosen movers, in increasing order.
    pub fn find_around(
        &mut self,
        elements: BoxedElements<'_>,
        moved: bool,
        chosen: &[u32],
        meets: impl Fn(u32, u32) -> bool + Sync,
    ) -> Vec<[u32; 2]> {
        let BoxedElements { list, movers, .. } = elements;
        let [itself, obstacles] = self.update(elements, moved, &meets);
        let accept = |i: u32, j: u32| meets(list[i as usize].body, list[j as usize].body);
        let mut near = Vec::new();
        for i in chosen {
            let mut add = |j: u32| {
                let is_new = j != *i && (j > *i || chosen.binary_search(&j).is_err());
                if is_new && accept(*i, j) {
                    near.push([*i.min(&j), *i.max(&j)]);
                }
            };
            let area = elements.area(*i);
            itself.into_iter().for_each(|tree| tree.query(&area, &mut add));
            let beyond = obstacles.into_iter();
            beyond.for_each(|tree| tree.query(&area, |j| near.push([*i, movers as u32 + j])));
        }
        self.movers.iter_mut().for_each(BoxTree::forget_boxes);
        sort(near, movers)
    }

    /// Like [`find`](Self::find), without updating the search. `known` tells that the boxes of obstacles in the last
    /// search contain the given ones.
    pub fn look(
        &self,
        elements: BoxedElements<'_>,
        known: bool,
        meets: impl Fn(u32, u32) -> bool + Sync,
    ) -> Vec<[u32; 2]> {
        let mut fresh = None;
        let obstacles = match self.obstacles.as_ref().filter(|_| known) {
            None if elements.has_obstacles() => Some(elements.fit_obstacles(&mut fresh)),
            known => known,
        };
        let tree = || BoxTree::build_over(elements.movers, |i| elements.area(i));
        let itself = elements.meet_each_other(&meets).then(tree);
        combine(elements, [itself.as_ref(), obstacles], meets)
    }

    /// Takes over new boxes, those of obstacles if they have moved. The trees of the movers, if they can touch each other, and of the
    /// obstacles.
    fn update(
        &mut self,
        elements: BoxedElements<'_>,
        moved: bool,
        meets: impl Fn(u32, u32) -> bool,
    ) -> [Option<&BoxTree>; 2] {
        let Self { movers, obstacles } = self;
        if elements.has_obstacles() && (moved || obstacles.is_none()) {
            elements.fit_obstacles(obstacles);
        }
        let can_meet = elements.meet_each_other(meets);
        let movers = can_meet.then(|| fit(movers, elements.movers, |i| elements.area(i)));
        [movers, obstacles.as_ref()]
    }
}

/// The pairs of movers, and those of movers and obstacles, whose boxes meet.
fn combine(
    elements: BoxedElements<'_>,
    [movers, obstacles]: [Option<&BoxTree>; 2],
    meets: impl Fn(u32, u32) -> bool + Sync,
) -> Vec<[u32; 2]> {
    let accept = |i: u32, j: u32| meets(elements.list[i as usize].body, elements.list[j as usize].body);
    let mut near = movers.map_or_else(Vec::new, |tree| tree.pairs(accept));
    near.extend(obstacles.into_iter().flat_map(|tree| ask(tree, elements)));
    sort(near, elements.movers)
}

/// Sorts pairs whose first numbers are less than `count`. The order in which trees find them depends on when those were
/// built. Linear: pairs are counted into the places of their first numbers.
fn sort(pairs: Vec<[u32; 2]>, count: usize) -> Vec<[u32; 2]> {
    let mut ends = vec![0; count + 1];
    pairs.iter().for_each(|[i, _]| ends[*i as usize + 1] += 1);
    (0..count).for_each(|i| ends[i + 1] += ends[i]);
    let mut sorted = vec![[0; 2]; pairs.len()];
    for pair in pairs {
        let place = &mut ends[pair[0] as usize];
        sorted[*place] = pair;
        *place += 1;
    }
    // Now each entry is the end of the pairs with that number.
    let mut first = 0;
    for end in &ends[..count] {
        sorted[first..*end].sort_unstable();
        first = *end;
    }
    sorted
}

/// Takes over new boxes; builds the tree if there is none.
fn fit(tree: &mut Option<BoxTree>, count: usize, area: impl Fn(u32) -> MovingBox + Sync) -> &BoxTree {
    match tree {
        Some(tree) => {
            tree.refit_over(area);
            tree
        }
        None => tree.insert(BoxTree::build_over(count, area)),
    }
}

/// The pairs of movers and the obstacles of the tree, which are numbered after them, whose boxes meet.
fn ask(tree: &BoxTree, elements: BoxedElements<'_>) -> Vec<[u32; 2]> {
    collect(elements.movers, QUERIES_PER_TASK, |range, found| {
        for i in range {
            let add = |j| found.push([i as u32, elements.movers as u32 + j]);
            tree.query(&elements.area(i as u32), add);
        }
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::broad::boxes::Aabb;
    use crate::broad::elements::element_boxes;
    use glam::DVec3;
    use taffeta_core::random::SplitMix64;

    /// `count` edges without common vertices, those from `movers` on of the body 2, the others by turns of 0 and 1.
    fn edges(count: u32, movers: u32) -> Vec<Element> {
        let edge = |i: u32| Element {
            corners: [2 * i, 2 * i + 1, 2 * i + 1],
            is_face: false,
            owns_corner: [true, true, false],
            owns_edge: [true, false, false],
            body: if i < movers { i % 2 } else { 2 },
        };
        (0..count).map(edge).collect()
    }

    #[test]
    fn near_elements_are_those_of_a_search_over_all() {
        let (count, movers) = (150, 60);
        let list = edges(count, movers);
        let mut random = SplitMix64(11);
        let mut search = NearSearch::default();
        let mut boxes: Vec<MovingBox> = Vec::new();
        for round in 0..6 {
            // Obstacles move every other time.
            let moved = round % 2 == 0;
            let mut point = || DVec3::from_array([0; 3].map(|_| random.next_unit()));
            let mut vertex = || MovingBox {
                at: Aabb::around([point()]).inflated(0.02),
                moves: Aabb::around([0.1 * point()]),
            };
            let fresh: Vec<_> = (0..2 * count).map(|_| vertex()).collect();
            let kept = if moved { &fresh } else { &boxes }[2 * movers as usize..].to_vec();
            boxes = fresh[..2 * movers as usize].iter().copied().chain(kept).collect();
            for is_open in [true, false] {
                let meets = |a: u32, b: u32| (a == 2) != (b == 2) || is_open && a != 2;
                let elements = BoxedElements { list: &list, boxes: &boxes, movers: movers as usize };
                let near = search.find(elements, moved, meets);
                assert!(near.is_sorted());
                let areas = element_boxes(&list, |v| boxes[v as usize]);
                let all = (0..count).flat_map(|i| (i + 1..count).map(move |j| [i, j]));
                let is_near = |[i, j]: &[u32; 2]| {
                    let bodies = [*i, *j].map(|k| list[k as usize].body);
                    meets(bodies[0], bodies[1]) && areas[*i as usize].meets(&areas[*j as usize])
                };
                assert_eq!(near, all.filter(is_near).collect::<Vec<_>>());
                assert!(near.iter().any(|[_, j]| *j >= movers));
                assert_eq!(search.look(elements, true, meets), near);
                let chosen: Vec<u32> = (0..movers).filter(|i| i % 5 == 1).collect();
                let around = search.find_around(elements, false, &chosen, meets);
                let is_chosen = |[i, j]: &&[u32; 2]| chosen.contains(i) || chosen.contains(j);
                assert_eq!(around, near.iter().filter(is_chosen).copied().collect::<Vec<_>>());
            }
        }
    }
}
