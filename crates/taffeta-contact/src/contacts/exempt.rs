//! Pairs that are about to be joined, and so may come nearer than contact allows.
//!
//! A pair of primitives is joint if one of them has a vertex that is to become one with a vertex of the other, or of the
//! faces around that. Such pairs may still not cross: the distance that they keep is only much smaller, and they slide
//! along each other without friction.

use crate::broad::elements::Elements;
use crate::broad::pair::Pair;
use taffeta_core::components::Components;

/// The vertices that are to become one.
#[derive(Clone, Debug, Default)]
pub(crate) struct ExemptPairs {
    /// The group of each vertex: the first vertex with which it becomes one; itself for the others. Empty: there are none.
    groups: Vec<u32>,
    /// The distance that the vertices of a group keep \[m\], by group.
    gaps: Vec<f64>,
    /// For each vertex those at it and around it that become one with others: where the list of each begins.
    offsets: Vec<u32>,
    near: Vec<u32>,
}

impl ExemptPairs {
    /// Vertices that become one, pair by pair, with the distance \[m\] that they keep until then.
    pub(crate) fn build(elements: &Elements, pairs: impl Iterator<Item = ([u32; 2], f64)>) -> Self {
        let pairs: Vec<_> = pairs.collect();
        if pairs.is_empty() {
            return Self::default();
        }
        let count = elements.vertex_count;
        let mut joined = Components::new(count);
        let mut is_joint = vec![false; count];
        for ([a, b], _) in &pairs {
            joined.join(*a, *b);
            (is_joint[*a as usize], is_joint[*b as usize]) = (true, true);
        }
        let groups = joined.labels();
        let mut gaps = vec![f64::INFINITY; count];
        for ([a, _], gap) in &pairs {
            let of_group = &mut gaps[groups[*a as usize] as usize];
            *of_group = of_group.min(*gap);
        }
        let mut entries: Vec<[u32; 2]> = Vec::new();
        for corners in elements.list.iter().filter(|element| element.is_face).map(|element| element.corners) {
            for at in corners.into_iter().filter(|v| is_joint[*v as usize]) {
                entries.extend(corners.map(|v| [v, at]));
            }
        }
        entries.sort_unstable();
        entries.dedup();
        let mut offsets = vec![0; count + 1];
        entries.iter().for_each(|[v, _]| offsets[*v as usize + 1] += 1);
        (0..count).for_each(|v| offsets[v + 1] += offsets[v]);
        Self { groups, gaps, offsets, near: entries.into_iter().map(|[_, at]| at).collect() }
    }

    /// The distance that a pair keeps \[m\] if it is joint.
    pub(crate) fn gap(&self, pair: &Pair) -> Option<f64> {
        if self.groups.is_empty() {
            return None;
        }
        let (first, second) = pair.vertices.split_at(pair.split());
        let meeting = |v: u32, w: u32| {
            let group = self.groups[v as usize];
            let range = self.offsets[w as usize] as usize..self.offsets[w as usize + 1] as usize;
            // Around itself there is the cloth, not the other side.
            let is_other = |u: &u32| *u != v && self.groups[*u as usize] == group;
            self.near[range].iter().any(is_other).then(|| self.gaps[group as usize])
        };
        let both = |v: &u32, w: &u32| meeting(*v, *w).or_else(|| meeting(*w, *v));
        let gaps = first.iter().flat_map(|v| second.iter().filter_map(move |w| both(v, w)));
        gaps.fold(None, |least: Option<f64>, gap| Some(least.map_or(gap, |least| least.min(gap))))
    }
}
