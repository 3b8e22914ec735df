//! Runs of the boundary that are near each other.
//!
//! Vertices that are the nearest of each other begin a pair of runs. It goes on in both directions as long as the two sides
//! stay within the distance and run side by side. So it goes round the corners where several seams meet, where the nearest
//! vertex is not always the one that is meant.

use crate::build::seams::runs::{Outline, Run};
use crate::model::report::seam_error::SeamDefect;
use glam::DVec3;
use taffeta_core::TriangleMesh;

/// Cosine of the largest angle between two edges that run side by side (60°).
const SIDE_BY_SIDE: f64 = 0.5;

/// Two boundary vertices count as different places if the way along the boundary is longer than this many times the
/// distance.
const OTHER_PLACE: f64 = 3.0;

/// The pairs of runs that are within a distance \[m\], each along the boundary.
pub(crate) fn find_near_runs(
    mesh: &TriangleMesh,
    outline: &Outline,
    distance: f64,
) -> Result<Vec<[Run; 2]>, SeamDefect> {
    if !(distance.is_finite() && distance > 0.0) {
        return Err(SeamDefect::Distance { distance });
    }
    let search = Search { mesh, outline, distance };
    let nearest = search.find_nearest();
    let mut is_sewn = vec![false; mesh.positions.len()];
    let mut found: Vec<[Run; 2]> = Vec::new();
    for v in outline.vertices() {
        let Some(w) = nearest[v as usize].filter(|w| nearest[*w as usize] == Some(v)) else { continue };
        let is_known = |runs: &[Run; 2]| {
            let has = |k: usize, v: u32| runs[k].vertices.contains(&v);
            has(0, v) && has(1, w) || has(1, v) && has(0, w)
        };
        if is_sewn[v as usize] || is_sewn[w as usize] || found.iter().any(is_known) {
            continue;
        }
        let runs = search.follow(v, w);
        if runs.iter().any(|run| run.len() < 2) {
            continue;
        }
        // The ends may belong to other runs as well.
        for run in &runs {
            run[1..run.len() - 1].iter().for_each(|v| is_sewn[*v as usize] = true);
        }
        (is_sewn[v as usize], is_sewn[w as usize]) = (true, true);
        found.push(
            runs.map(|vertices| Run { is_closed: vertices[0] == vertices[vertices.len() - 1], vertices }),
        );
    }
    if found.is_empty() { Err(SeamDefect::NothingNear { distance }) } else { Ok(found) }
}

struct Search<'a> {
    mesh: &'a TriangleMesh,
    outline: &'a Outline,
    distance: f64,
}

impl Search<'_> {
    fn at(&self, v: u32) -> DVec3 {
        self.mesh.positions[v as usize]
    }

    /// The nearest vertex at another place of the boundary for every vertex, within the distance.
    fn find_nearest(&self) -> Vec<Option<u32>> {
        let mut nearest = vec![None; self.mesh.positions.len()];
        let mut order: Vec<u32> = self.outline.vertices().collect();
        order.sort_by(|a, b| self.at(*a).x.total_cmp(&self.at(*b).x).then(a.cmp(b)));
        for (k, v) in order.iter().enumerate() {
            let is_close = |w: &&u32| (self.at(**w).x - self.at(*v).x).abs() <= self.distance;
            let beside = order[..k].iter().rev().take_while(is_close);
            let others = beside.chain(order[k + 1..].iter().take_while(is_close));
            let measured = others.map(|w| (self.at(*v).distance(self.at(*w)), *w));
            let mut within: Vec<(f64, u32)> = measured.filter(|(d, _)| *d <= self.distance).collect();
            within.sort_by(|a, b| a.0.total_cmp(&b.0).then(a.1.cmp(&b.1)));
            nearest[*v as usize] = within.into_iter().map(|(_, w)| w).find(|w| self.is_elsewhere(*v, *w));
        }
        nearest
    }

    /// Returns whether two vertices are at different places of the boundary.
    fn is_elsewhere(&self, v: u32, w: u32) -> bool {
        if !self.outline.share_loop(v, w) {
            return true;
        }
        let limit = OTHER_PLACE * self.distance;
        let is_far = |from: u32, to: u32| {
            let (mut sum, mut at) = (0.0, from);
            while sum <= limit {
                if at == to {
                    return false;
                }
                sum += self.outline.length_after(self.mesh, at);
                at = self.outline.next(at);
            }
            true
        };
        is_far(v, w) && is_far(w, v)
    }

    /// The runs through two vertices, the first in the direction of the boundary, and so the second.
    fn follow(&self, v: u32, w: u32) -> [Vec<u32>; 2] {
        let (outline, mut ahead, mut behind) = (self.outline, [vec![v], vec![w]], [Vec::new(), Vec::new()]);
        self.extend(&mut ahead, |v| outline.next(v), |w| outline.previous(w), [v, w]);
        let is_closed = ahead[0].len() > 1 && ahead[0][ahead[0].len() - 1] == v;
        if !is_closed {
            self.extend(&mut behind, |v| outline.previous(v), |w| outline.next(w), [v, w]);
        }
        let [mut a, mut b] = behind;
        a.reverse();
        b.reverse();
        a.extend(&ahead[0]);
        b.extend(&ahead[1]);
        b.reverse();
        [a, b]
    }

    /// The distance of a vertex from an edge \[m\].
    fn distance_to(&self, v: u32, ends: [u32; 2]) -> f64 {
        let [a, b] = ends.map(|end| self.at(end));
        let along = b - a;
        let part = ((self.at(v) - a).dot(along) / along.length_squared()).clamp(0.0, 1.0);
        self.at(v).distance(a + along * part)
    }

    /// Goes on from the last vertices of two runs, on the side that lies behind, or on both.
    fn extend(
        &self,
        runs: &mut [Vec<u32>; 2],
        step_a: impl Fn(u32) -> u32,
        step_b: impl Fn(u32) -> u32,
        from: [u32; 2],
    ) {
        let [mut v, mut w] = from;
        loop {
            let (next_v, next_w) = (step_a(v), step_b(w));
            if v == w || next_v == w && next_w == v {
                return;
            }
            let (way_v, way_w) = (self.at(next_v) - self.at(v), self.at(next_w) - self.at(w));
            let apart = |a: u32, b: u32| self.at(a).distance(self.at(b));
            let steps = [(next_v, next_w), (next_v, w), (v, next_w)];
            let [both, first, second] = steps.map(|(a, b)| apart(a, b));
            let mut best = if both <= first && both <= second { 0 } else { 1 + usize::from(second < first) };
            let is_beside = way_v.dot(way_w) >= SIDE_BY_SIDE * way_v.length() * way_w.length();
            // What counts is how far the edges are apart, not their vertices.
            let to_w = self.distance_to(next_v, [w, next_w]);
            let to_v = self.distance_to(next_w, [v, next_v]);
            if !is_beside || [to_w.min(to_v), to_w, to_v][best] > self.distance {
                // One side is at its corner, the other may have a vertex left.
                best = 1 + usize::from(second < first);
                if first.min(second) >= apart(v, w) {
                    return;
                }
            }
            let (a, b) = steps[best];
            if a != v {
                runs[0].push(a);
            }
            if b != w {
                runs[1].push(b);
            }
            let is_back = a != v && a == from[0] || b != w && b == from[1];
            (v, w) = (a, b);
            if is_back {
                return self.close(runs, [v, w], from);
            }
        }
    }

    /// Both runs have come back to where they began, or one has, and the other goes on until it does.
    fn close(&self, runs: &mut [Vec<u32>; 2], [v, w]: [u32; 2], from: [u32; 2]) {
        if v == from[0] && w != from[1] && self.outline.previous(w) == from[1] {
            runs[1].push(from[1]);
        }
        if w == from[1] && v != from[0] && self.outline.next(v) == from[0] {
            runs[0].push(from[0]);
        }
    }
}
