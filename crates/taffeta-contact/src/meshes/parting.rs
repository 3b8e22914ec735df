//! Room for cloth where parts of a body pass into each other.
//!
//! Skinned bodies overlap at elbows, armpits and thighs. Cloth there would have to be in two places at once. So the parts of a
//! body give way to each other before cloth meets them.
//!
//! A shape in which nothing overlaps stays as it is. Any other one is approached from its neighbor in the sequence: vertices go
//! to their places as far as no two parts come nearer to each other than a gap. The offsets `u` from those places minimize
//! `Σ |u|² + α Σ |u − ū|²`, where `ū` is the mean over the neighbors. So both parts give way alike, and the surface between them is
//! smooth. Offsets go on from one shape to the next, so that what stands still stays.
//!
//! The minimum is found by proximal gradient steps (N. Parikh, S. Boyd, Proximal algorithms, 2014): each eases the offsets,
//! then projects them onto what keeps pairs of primitives apart. Continuous collision detection truncates what remains.
//!
//! A shape that cannot be parted without being torn stays as it is.
//!
//! What crosses in the shape from which the sequence is followed counts as one, and is not kept apart.

use crate::broad::boxes::{Aabb, MovingBox};
use crate::broad::bvh::BoxTree;
use crate::broad::candidates::collect_pairs;
use crate::broad::elements::Elements;
use crate::broad::near::{BoxedElements, NearSearch};
use crate::broad::pair::{Pair, closest};
use crate::ccd::pair_limits::{Path, truncate};
use crate::intersections::crossings::{find_crossings, find_crossings_among};
use glam::DVec3;
use std::collections::BTreeMap;
use std::sync::Arc;
use taffeta_core::components::Components;
use taffeta_core::tasks::map;

/// Rounds in which a shape is approached, at most; each finds the pairs anew.
const ROUNDS: usize = 24;
/// A round is the last one if no vertex moves by more than this part of the gap, …
const SETTLED: f64 = 0.1;
/// … or if it changes the squared distance to the target by less than this part.
const STEADY: f64 = 0.003;
/// Least weight `α` of smooth offsets, and the greatest. In between it is the square of the largest offset in edges, so that offsets are
/// smooth over the depth of the overlap on every mesh.
const SMOOTHNESS: [f64; 2] = [4.0, 100.0];
/// Least and greatest gap, in mean edges. A wider one would make pairs of half of the body; a narrower one is lost in its facets.
const GAP_IN_EDGES: [f64; 2] = [0.05, 1.0];
/// Vertices that are nearer to each other in every shape than this part of a mean edge are one.
const WELD_SHARE: f64 = 1e-3;
/// An edge may get so many times as long as in the shape that is wanted, besides the gap. Beyond that a shape is not parted.
const STRETCH: f64 = 4.0;
/// Proximal gradient steps of a round, and sweeps over the pairs in each.
const GRADIENT_STEPS: usize = 2;
const SWEEPS: usize = 30;
/// The part of its separation that a pair keeps on the way. Projections are not exact, and must not stop what is nearly right.
const SAFE_SHARE: f64 = 0.3;
/// A pair that is nearer than the gap in the first shape keeps this part of its distance there.
const KEPT_SHARE: f64 = 0.5;
/// A shape overlaps if a pair has less than this part of its separation.
const CLEAR_SHARE: f64 = 0.5;

/// The rule by which parts of a body are kept apart.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Parting {
    /// Distance between parts that would overlap \[m\]; 0: they may.
    pub gap: f64,
    /// Made when it is first needed.
    skin: Option<Arc<Skin>>,
}

impl Parting {
    /// Parts that would overlap keep so much distance from each other \[m\].
    pub fn new(gap: f64) -> Self {
        Self { gap, skin: None }
    }

    /// Changes the shapes whose parts overlap. `scale` times their positions are in meters.
    pub(crate) fn part_shapes(&mut self, faces: &[[u32; 3]], shapes: &mut [Vec<DVec3>], scale: f64) {
        if self.gap <= 0.0 || shapes.len() < 2 {
            return;
        }
        let scaled = |shape: &Vec<DVec3>| shape.iter().map(|x| *x * scale).collect();
        let parted: Vec<Vec<DVec3>> = shapes.iter().map(scaled).collect();
        let mut skin = Skin::new(faces, &parted, self.gap);
        let faults = map(&parted, 1, |shape| skin.count_faults(shape));
        let begin = (0..parted.len()).min_by_key(|k| faults[*k]).unwrap_or(0);
        skin.begin_at(&parted[begin]);
        let rest = Shape { x: parted[begin].clone(), offsets: vec![DVec3::ZERO; parted[begin].len()] };
        for way in [(begin + 1..parted.len()).collect(), (0..begin).rev().collect::<Vec<_>>()] {
            let mut last = rest.clone();
            for k in way {
                match skin.follow(&last, &parted[k]) {
                    Followed::Clear => last = Shape { x: parted[k].clone(), ..rest.clone() },
                    Followed::Torn => {}
                    Followed::Parted(shape) => {
                        shapes[k].iter_mut().zip(&shape.offsets).for_each(|(x, u)| *x += *u / scale);
                        last = shape;
                    }
                }
            }
        }
        self.skin = Some(Arc::new(skin));
    }

    /// The positions that a body reaches that a caller wants at a target \[m\]. `start` are the positions where it is, and `rest` those of its first
    /// shape.
    pub(crate) fn part_skin(
        &mut self,
        faces: &[[u32; 3]],
        rest: impl FnOnce() -> Vec<DVec3>,
        start: &[DVec3],
        target: Vec<DVec3>,
    ) -> Vec<DVec3> {
        if self.gap <= 0.0 {
            return target;
        }
        let skin = self.skin.get_or_insert_with(|| {
            let rest = rest();
            let mut skin = Skin::new(faces, std::slice::from_ref(&rest), self.gap);
            skin.begin_at(&rest);
            Arc::new(skin)
        });
        let start = Shape { x: start.to_vec(), offsets: vec![DVec3::ZERO; start.len()] };
        match skin.follow(&start, &target) {
            Followed::Parted(shape) => shape.x,
            Followed::Clear | Followed::Torn => target,
        }
    }
}

/// A shape in which nothing overlaps.
#[derive(Clone, Debug)]
struct Shape {
    /// Positions \[m\].
    x: Vec<DVec3>,
    /// Offsets from where the vertices are wanted \[m\].
    offsets: Vec<DVec3>,
}

/// Outcome of following a body to a shape.
enum Followed {
    /// Nothing overlaps there.
    Clear,
    /// The shape with its offsets.
    Parted(Shape),
    /// Parts overlap so deeply that the surface would be torn. The shape stays as it is.
    Torn,
}

/// A surface whose parts are kept apart.
#[derive(Clone, Debug, PartialEq)]
struct Skin {
    elements: Elements,
    /// The vertex that stands for each: the first of those that are in one place.
    names: Vec<u32>,
    /// Mean length of edges in the first shape \[m\].
    edge: f64,
    /// Distance to keep \[m\].
    gap: f64,
    /// Positions from which the sequence is followed \[m\].
    first: Vec<DVec3>,
    /// Vertices of what crosses there: they go to their places whatever they meet.
    is_free: Vec<bool>,
}

impl Skin {
    /// The surface of some faces, at the first of some shapes.
    fn new(faces: &[[u32; 3]], shapes: &[Vec<DVec3>], gap: f64) -> Self {
        let edge = mean_edge(faces, shapes.first().map_or(&[], Vec::as_slice));
        let gap = gap.clamp(GAP_IN_EDGES[0] * edge, GAP_IN_EDGES[1] * edge);
        let names = weld(shapes, WELD_SHARE * edge);
        let is_whole = |[a, b, c]: &[u32; 3]| a != b && b != c && c != a;
        let faces = faces.iter().map(|face| face.map(|v| names[v as usize]));
        let faces: Vec<[u32; 3]> = faces.filter(is_whole).collect();
        let mut elements = Elements::default();
        elements.add_triangles(names.len(), &faces, |_| 0);
        let first = shapes.first().cloned().unwrap_or_default();
        Self { elements, edge, gap, is_free: vec![false; first.len()], first, names }
    }

    /// Takes the shape from which the sequence is followed. What crosses there, and what is cut off by that, is free.
    fn begin_at(&mut self, shape: &[DVec3]) {
        self.first.copy_from_slice(shape);
        for crossing in find_crossings(&self.elements, shape, |_, _| true) {
            crossing.edge.iter().chain(&crossing.face).for_each(|v| self.is_free[*v as usize] = true);
        }
        if self.is_free.contains(&true) {
            self.free_what_is_cut_off();
        }
    }

    /// Frees all but the largest of the parts into which free vertices cut each connected piece.
    fn free_what_is_cut_off(&mut self) {
        let count = self.is_free.len();
        let (mut pieces, mut parts) = (Components::new(count), Components::new(count));
        for [a, b, c] in self.elements.list.iter().map(|element| element.corners) {
            for (p, q) in [(a, b), (b, c), (c, a)] {
                pieces.join(p, q);
                if self.is_kept(&[p, q]) {
                    parts.join(p, q);
                }
            }
        }
        let (pieces, parts) = (pieces.labels(), parts.lists());
        let mut largest: BTreeMap<u32, &[u32]> = BTreeMap::new();
        for part in &parts {
            let found = largest.entry(pieces[part[0] as usize]).or_default();
            if part.len() > found.len() {
                *found = part;
            }
        }
        let mut is_free = vec![true; count];
        largest
            .values()
            .flat_map(|part| part.iter())
            .for_each(|v| is_free[*v as usize] = self.is_free[*v as usize]);
        self.is_free = is_free;
    }

    /// Returns whether none of some vertices is free.
    fn is_kept(&self, vertices: &[u32]) -> bool {
        !vertices.iter().any(|v| self.is_free[*v as usize])
    }

    /// Boxes around the vertices on straight ways from some positions \[m\], and the elements that may come nearer to each other
    /// there than the gap.
    fn near(&self, x: &[DVec3], moves: &[DVec3]) -> (Vec<MovingBox>, Vec<[u32; 2]>) {
        // Whoever is stopped still moves with all of the body.
        let (reach, frame) = (0.5 * self.gap, mean(moves));
        let around = |(x, m): (&DVec3, &DVec3)| MovingBox {
            at: Aabb::around([*x]).inflated(reach),
            moves: Aabb::around([frame, *m]),
        };
        let boxes: Vec<MovingBox> = x.iter().zip(moves).map(around).collect();
        let list = &self.elements.list;
        let near = NearSearch::default().find(
            BoxedElements { list, boxes: &boxes, movers: list.len() },
            true,
            |_, _| true,
        );
        (boxes, near)
    }

    /// The pairs that may come nearer to each other than the gap on the way.
    fn near_pairs(&self, x: &[DVec3], moves: &[DVec3]) -> Vec<Pair> {
        let (boxes, near) = self.near(x, moves);
        collect_pairs(&self.elements.list, &near, &boxes, |pair| self.is_kept(&pair.vertices))
    }

    /// The distance that a pair keeps \[m\].
    fn separation(&self, pair: &Pair) -> f64 {
        let first = closest(pair.kind, pair.gather(&self.first)).gap.length();
        self.gap.min(KEPT_SHARE * first)
    }

    /// Counts edges that go through faces at some positions \[m\], and pairs that are too near to each other.
    fn count_faults(&self, x: &[DVec3]) -> usize {
        let list = &self.elements.list;
        let (boxes, near) = self.near(x, &vec![DVec3::ZERO; x.len()]);
        let crossings = find_crossings_among(list, &near, x);
        let crossings = crossings.iter().filter(|c| self.is_kept(&c.edge) && self.is_kept(&c.face)).count();
        let is_near = |pair: &Pair| {
            let distance = closest(pair.kind, pair.gather(x)).gap.length();
            let is_candidate = distance < CLEAR_SHARE * self.gap && self.is_kept(&pair.vertices);
            is_candidate && distance < CLEAR_SHARE * self.separation(pair)
        };
        crossings + collect_pairs(list, &near, &boxes, is_near).len()
    }

    /// Follows a body from its last shape to a target \[m\].
    fn follow(&self, last: &Shape, target: &[DVec3]) -> Followed {
        if self.count_faults(target) == 0 {
            return Followed::Clear;
        }
        let found = self.approach(last, target);
        if self.is_torn(&found, target) {
            return Followed::Torn;
        }
        let offset = |v: &u32| found[*v as usize] - target[*v as usize];
        let offsets: Vec<DVec3> = self.names.iter().map(offset).collect();
        Followed::Parted(Shape { x: target.iter().zip(&offsets).map(|(x, u)| *x + *u).collect(), offsets })
    }

    /// Returns whether edges of a surface go through it, or are far longer than in the shape that is wanted.
    fn is_torn(&self, x: &[DVec3], target: &[DVec3]) -> bool {
        let length = |y: &[DVec3], a: u32, b: u32| y[a as usize].distance(y[b as usize]);
        let is_long = |[a, b, c]: [u32; 3]| {
            [(a, b), (b, c), (c, a)]
                .iter()
                .any(|(p, q)| length(x, *p, *q) > STRETCH * (length(target, *p, *q) + self.gap))
        };
        let crossings = find_crossings(&self.elements, x, |_, _| true);
        crossings.iter().any(|c| self.is_kept(&c.edge) && self.is_kept(&c.face))
            || self
                .elements
                .list
                .iter()
                .any(|element| self.is_kept(&element.corners) && is_long(element.corners))
    }

    /// The positions next to a target that can be reached from a shape \[m\] without two parts coming nearer than the gap.
    fn approach(&self, last: &Shape, target: &[DVec3]) -> Vec<DVec3> {
        let Shape { mut x, mut offsets } = last.clone();
        let mut left = squared_distance(&x, target);
        for _ in 0..ROUNDS {
            let moves = self.propose(&x, target, &mut offsets);
            let longest = self.advance(&mut x, &moves);
            let now = squared_distance(&x, target);
            if longest < SETTLED * self.gap || (left - now).abs() < STEADY * left {
                break;
            }
            left = now;
        }
        x
    }

    /// Improves the offsets from a target, and returns the motions from some positions \[m\] to there.
    fn propose(&self, x: &[DVec3], target: &[DVec3], offsets: &mut Vec<DVec3>) -> Vec<DVec3> {
        let to = |offsets: &[DVec3]| -> Vec<DVec3> {
            x.iter().zip(target).zip(offsets).map(|((x, target), u)| *target + *u - *x).collect()
        };
        let mut moves = to(offsets);
        let pairs = self.near_pairs(x, &moves);
        let rows: Vec<Row> =
            pairs.iter().filter_map(|pair| Row::of(pair, self.separation(pair), x)).collect();
        for _ in 0..GRADIENT_STEPS {
            moves = to(&self.ease(offsets));
            project(&rows, &mut moves);
            *offsets = x.iter().zip(target).zip(&moves).map(|((x, target), m)| *x + *m - *target).collect();
        }
        moves
    }

    /// Offsets after a gradient step, by the inverse of the diagonal of the second derivative.
    fn ease(&self, offsets: &[DVec3]) -> Vec<DVec3> {
        let mut sums = vec![(DVec3::ZERO, 0.0); offsets.len()];
        for corners in self.elements.list.iter().map(|element| element.corners.map(|v| v as usize)) {
            for k in 0..3 {
                let (sum, count) = &mut sums[corners[k]];
                *sum += offsets[corners[(k + 1) % 3]] + offsets[corners[(k + 2) % 3]];
                *count += 2.0;
            }
        }
        let depth = offsets.iter().map(|u| u.length_squared()).fold(0.0, f64::max) / (self.edge * self.edge);
        let smoothness = depth.clamp(SMOOTHNESS[0], SMOOTHNESS[1]);
        let share = smoothness / (1.0 + 2.0 * smoothness);
        let eased = |(own, (sum, count)): (&DVec3, &(DVec3, f64))| (*own + *sum / count.max(1.0)) * share;
        offsets.iter().zip(&sums).map(eased).collect()
    }

    /// Moves a body as far as its parts stay apart, and returns the longest way of a vertex \[m\].
    fn advance(&self, x: &mut [DVec3], moves: &[DVec3]) -> f64 {
        let pairs = self.near_pairs(x, moves);
        let frame = mean(moves);
        let (frames, prescribed) = (vec![frame; x.len()], vec![false; x.len()]);
        let path = Path { start: x, moves, frames: &frames, prescribed: &prescribed };
        let kept = truncate(&pairs, |k| SAFE_SHARE * self.separation(&pairs[k]), path);
        let mut longest = 0.0_f64;
        for ((x, m), part) in x.iter_mut().zip(moves).zip(&kept.fractions) {
            let way = frame + (*m - frame) * *part;
            *x += way;
            longest = longest.max(way.length());
        }
        longest
    }
}

/// The mean length of the edges of faces \[m\].
fn mean_edge(faces: &[[u32; 3]], x: &[DVec3]) -> f64 {
    let around = |[a, b, c]: [DVec3; 3]| a.distance(b) + b.distance(c) + c.distance(a);
    let sum: f64 = faces.iter().map(|face| around(face.map(|v| x[v as usize]))).sum();
    sum / (3 * faces.len()).max(1) as f64
}

/// The first vertex of all those that are in one place in every shape, up to a tolerance \[m\]: texture coordinates split vertices.
fn weld(shapes: &[Vec<DVec3>], tolerance: f64) -> Vec<u32> {
    let Some(first) = shapes.first() else { return Vec::new() };
    let around = |x: &DVec3| MovingBox::still(Aabb::around([*x]).inflated(0.5 * tolerance));
    let boxes: Vec<MovingBox> = first.iter().map(around).collect();
    let is_one = |[a, b]: &[u32; 2]| {
        shapes.iter().all(|shape| shape[*a as usize].distance(shape[*b as usize]) <= tolerance)
    };
    let mut components = Components::new(first.len());
    BoxTree::build(&boxes)
        .pairs(|_, _| true)
        .iter()
        .filter(|pair| is_one(pair))
        .for_each(|[a, b]| components.join(*a, *b));
    components.labels()
}

/// The mean of displacements \[m\].
fn mean(moves: &[DVec3]) -> DVec3 {
    moves.iter().sum::<DVec3>() / moves.len() as f64
}

/// The squared distance between two sets of positions \[m²\].
fn squared_distance(x: &[DVec3], y: &[DVec3]) -> f64 {
    x.iter().zip(y).map(|(x, y)| x.distance_squared(*y)).sum()
}

/// A pair that keeps its separation across the plane of its closest points.
struct Row {
    vertices: [u32; 4],
    /// By what the distance changes with motions of the vertices along the normal.
    weights: [f64; 4],
    normal: DVec3,
    /// By what the distance may fall \[m\].
    free: f64,
}

impl Row {
    /// The row of a pair at some positions \[m\]; `None` if it touches.
    fn of(pair: &Pair, separation: f64, x: &[DVec3]) -> Option<Self> {
        let found = closest(pair.kind, pair.gather(x));
        let distance = found.gap.length();
        let mut weights = found.weights;
        weights[pair.split()..].iter_mut().for_each(|w| *w = -*w);
        let (vertices, normal) = (pair.vertices, found.gap / distance);
        (distance > 0.0).then_some(Self { vertices, weights, normal, free: distance - separation })
    }
}

/// Changes motions \[m\] as little as need be, in the sense of least squares, so that all rows hold: projected Gauss-Seidel for the
/// multipliers.
fn project(rows: &[Row], moves: &mut [DVec3]) {
    let mut pushes = vec![0.0; rows.len()];
    for _ in 0..SWEEPS {
        for (row, push) in rows.iter().zip(&mut pushes) {
            let along = |(v, w): (&u32, &f64)| *w * row.normal.dot(moves[*v as usize]);
            let opening: f64 = row.vertices.iter().zip(&row.weights).map(along).sum();
            let square: f64 = row.weights.iter().map(|w| w * w).sum();
            let whole = (*push - (row.free + opening) / square).max(0.0);
            let by = whole - *push;
            if by != 0.0 {
                row.vertices
                    .iter()
                    .zip(&row.weights)
                    .for_each(|(v, w)| moves[*v as usize] += row.normal * (by * w));
                *push = whole;
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use glam::DQuat;
    use std::f64::consts::TAU;

    /// An open tube along x with so many sides and rings: radius 5 cm, length 60 cm.
    fn tube((sides, rings): (u32, u32)) -> (Vec<DVec3>, Vec<[u32; 3]>) {
        let at = |i: u32, j: u32| j * sides + i % sides;
        let place = |k: u32| {
            let (angle, along) =
                (TAU * f64::from(k % sides) / f64::from(sides), f64::from(k / sides) / f64::from(rings));
            DVec3::new(0.6 * (along - 0.5), 0.05 * angle.cos(), 0.05 * angle.sin())
        };
        let square = |k: u32| {
            let (i, j) = (k % sides, k / sides);
            [[at(i, j), at(i + 1, j), at(i + 1, j + 1)], [at(i, j), at(i + 1, j + 1), at(i, j + 1)]]
        };
        ((0..sides * (rings + 1)).map(place).collect(), (0..sides * rings).flat_map(square).collect())
    }

    /// Two tubes whose axes have some distances, shape by shape \[m\].
    fn two_tubes(size: (u32, u32), distances: &[f64]) -> (Vec<[u32; 3]>, Vec<Vec<DVec3>>) {
        let (x, mut faces) = tube(size);
        let own = faces.clone();
        faces.extend(own.iter().map(|face| face.map(|v| v + x.len() as u32)));
        let turn = DQuat::from_rotation_y(0.3);
        let shape = |distance: &f64| {
            let [below, above] = [-0.5, 0.5].map(|part| DVec3::Y * (part * distance));
            x.iter().map(|x| *x + below).chain(x.iter().map(|x| turn * *x + above)).collect()
        };
        (faces, distances.iter().map(shape).collect())
    }

    fn crossings(faces: &[[u32; 3]], x: &[DVec3]) -> usize {
        let mut elements = Elements::default();
        elements.add_triangles(x.len(), faces, |_| 0);
        find_crossings(&elements, x, |_, _| true).len()
    }

    fn part(faces: &[[u32; 3]], shapes: &[Vec<DVec3>], gap: f64) -> Vec<Vec<DVec3>> {
        let mut parted = shapes.to_vec();
        Parting::new(gap).part_shapes(faces, &mut parted, 1.0);
        parted
    }

    fn farthest(x: &[DVec3], y: &[DVec3]) -> f64 {
        x.iter().zip(y).map(|(x, y)| x.distance(*y)).fold(0.0, f64::max)
    }

    #[test]
    fn parts_that_overlap_give_way_by_half_of_the_depth_each() {
        let gap = 0.002;
        for size in [(16, 20), (32, 40), (64, 60)] {
            for depth in [0.005, 0.02, 0.04] {
                let deep = 0.1 - depth;
                let distances = [0.12, 0.1 - 0.5 * depth, deep, deep, deep, deep, 0.11];
                let (faces, shapes) = two_tubes(size, &distances);
                let parted = part(&faces, &shapes, gap);
                assert_eq!((&parted[0], &parted[6]), (&shapes[0], &shapes[6]), "they are clear");
                for k in 1..6 {
                    assert!(crossings(&faces, &shapes[k]) > 0);
                    assert_eq!(crossings(&faces, &parted[k]), 0, "{size:?} {depth} {k}");
                    let (overlap, off) = (0.1 - distances[k], farthest(&parted[k], &shapes[k]));
                    assert!(
                        (off - 0.5 * (overlap + gap)).abs() < 5e-4 + 0.05 * overlap,
                        "{off} for {overlap}"
                    );
                }
                let drift = farthest(&parted[4], &parted[5]);
                assert!(drift < 5e-4, "what stands still stays where it is: {drift}");
            }
        }
    }

    #[test]
    fn an_elbow_bends_without_crossing_itself() {
        let size = (32, 60);
        let (straight, faces) = tube(size);
        let bent = |degrees: u32| -> Vec<DVec3> {
            let turn = DQuat::from_rotation_z(f64::from(degrees).to_radians());
            let place = |x: &DVec3| {
                let part = ((x.x + 0.06) / 0.12).clamp(0.0, 1.0);
                x.lerp(turn * *x, part * part * (3.0 - 2.0 * part))
            };
            straight.iter().map(place).collect()
        };
        let shapes: Vec<Vec<DVec3>> = (0..=150).step_by(30).map(bent).collect();
        let parted = part(&faces, &shapes, 0.002);
        assert!(crossings(&faces, &shapes[5]) > 100);
        for (parted, shape) in parted.iter().zip(&shapes) {
            assert_eq!(crossings(&faces, parted), 0);
            assert!(farthest(parted, shape) < 0.036, "{}", farthest(parted, shape));
        }
        // Backward is as good.
        let back: Vec<Vec<DVec3>> = shapes.iter().rev().cloned().collect();
        assert!(part(&faces, &back, 0.002).iter().all(|shape| crossings(&faces, shape) == 0));
    }

    #[test]
    fn what_overlaps_in_every_shape_is_one_and_moves_as_it_is_told() {
        let (faces, shapes) = two_tubes((16, 20), &[0.08, 0.075, 0.07, 0.08]);
        let parted = part(&faces, &shapes, 0.002);
        assert_eq!(parted[0], shapes[0]);
        let most = parted.iter().zip(&shapes).map(|(x, y)| farthest(x, y)).fold(0.0, f64::max);
        assert!(most < 0.01, "{most}");
    }

    #[test]
    fn vertices_in_one_place_are_one() {
        let (faces, shapes) = two_tubes((16, 20), &[0.12, 0.09]);
        // Every face with vertices of its own, as if cut by texture coordinates.
        let split = |x: &Vec<DVec3>| faces.iter().flatten().map(|v| x[*v as usize]).collect();
        let own: Vec<[u32; 3]> = (0..faces.len() as u32).map(|f| [3 * f, 3 * f + 1, 3 * f + 2]).collect();
        let cut = part(&own, &shapes.iter().map(split).collect::<Vec<_>>(), 0.002);
        let whole = part(&faces, &shapes, 0.002);
        assert_ne!(whole[1], shapes[1]);
        assert!(farthest(&cut[1], &split(&whole[1])) < 1e-3);
        assert_eq!(crossings(&faces, &whole[1]), 0);
        // Nor do copies matter that are not quite there.
        let nudged = |x: &Vec<DVec3>| x.iter().enumerate().map(|(i, x)| *x + 1e-7 * (i % 7) as f64).collect();
        let off = part(&own, &shapes.iter().map(split).map(|x| nudged(&x)).collect::<Vec<_>>(), 0.002);
        assert!(farthest(&off[1], &cut[1]) < 1e-3 && farthest(&off[0], &split(&shapes[0])) < 1e-5);
        // No vertex has left the others in its place.
        let mut places = BTreeMap::new();
        for (v, x) in faces.iter().flatten().zip(&cut[1]) {
            assert_eq!(places.insert(v, *x).unwrap_or(*x), *x);
        }
    }

    #[test]
    fn a_shape_is_parted_without_crossings_or_stays_as_it_is() {
        // Through each other, and out on the other side; with gaps of any size.
        let (faces, shapes) = two_tubes((16, 20), &[0.12, 0.08, 0.03, -0.02, -0.07, -0.12]);
        for gap in [1e-9, 0.002, 1.0] {
            let parted = part(&faces, &shapes, gap);
            assert_eq!(parted[5], shapes[5], "clear again");
            for (parted, shape) in parted.iter().zip(&shapes) {
                assert!(parted == shape || crossings(&faces, parted) == 0);
            }
            assert_ne!(parted[1], shapes[1]);
        }
    }

    #[test]
    fn positions_that_a_caller_gives_are_parted_too() {
        let (faces, shapes) = two_tubes((16, 20), &[0.12, 0.09, 0.085]);
        let mut parting = Parting::new(0.002);
        let mut x = shapes[0].clone();
        for shape in &shapes[1..] {
            x = parting.part_skin(&faces, || shapes[0].clone(), &x, shape.clone());
            assert_eq!(crossings(&faces, &x), 0);
        }
        assert_eq!(parting.part_skin(&faces, Vec::new, &x, shapes[0].clone()), shapes[0], "clear again");
        let mut none = Parting::default();
        assert_eq!(none.part_skin(&faces, Vec::new, &shapes[0], shapes[1].clone()), shapes[1]);
    }
}
