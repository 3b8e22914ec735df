//! The safeguard: shortens motions until no pair of primitives can cross, at any speed.
//!
//! Every vertex moves along a segment, `x + τ (f + t (δ − f))` with `τ` from 0 to 1; its fraction `t` starts at 1 and only falls.
//! The frame `f` is common to all vertices that can meet, so that nothing is stopped relative to a point of space. Seen from the
//! frame, a vertex moves by `t (δ − f)`. A pair that is apart at `x` stays apart on the whole path if one of these holds:
//!
//! * the boxes around the paths of its two primitives are disjoint;
//! * the *bound*: the motions of the two relative to that of the pair are shorter together than the distance between them;
//! * they can be followed to the end of their paths by strides that are shorter than the distance between them;
//! * a *plane* lies between them throughout: one that stands still, or one that moves along with the pair;
//! * they are stopped, where they are so close that no plane has room.
//!
//! Boxes and a standing plane hold for shorter motions too. The others do not: a vertex that is stopped may be run into
//! by the others. So they are tested again when a fraction has fallen. Each pair changes from none to a moving plane to
//! a standing plane at most, so the search ends.

pub use crate::ccd::path::Path;

use crate::broad::boxes::Aabb;
use crate::broad::pair::{PAIRS_PER_TASK, Pair, closest};
use crate::ccd::advance::{Pursuit, STRIDE_SHARE, advance};
use crate::ccd::path::keep;
use crate::ccd::shape_limits::{FaceAtShape, GuardedFace, MovingShape, Verdict};
use glam::DVec3;
use taffeta_core::tasks::collect;

/// Part of its distance that a pair that cannot keep its separation must be left with on its path to count as apart.
const SPARED_SHARE: f64 = 1e-6;
/// Part of its distance by which what cannot be stopped may move relative to the frame of a pair and count as standing still there.
const STILL_SHARE: f64 = 1e-3;
/// Result of truncating a motion.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct StepLimits {
    /// The fraction of its motion that each vertex may make.
    pub fractions: Vec<f64>,
    /// Pairs whose motion was shortened, sorted.
    pub stopped: Vec<Pair>,
    /// Pairs, by their numbers, that nothing can keep apart: they touch already, or are forced together by vertices
    /// that cannot be stopped. Nothing is said about them.
    pub forced: Vec<u32>,
    /// The faces that are forced into obstacles in closed form by what cannot be stopped, in order.
    pub forced_faces: Vec<FaceAtShape>,
    /// Number of measurements of the distance of a pair on its path: the cost of the search.
    pub looks: u64,
}

impl StepLimits {
    /// Returns whether everything moves as proposed, and nothing meets.
    pub fn is_whole(&self) -> bool {
        self.forced_count() == 0 && self.fractions.iter().all(|t| *t == 1.0)
    }

    /// Number of pairs and faces that nothing can keep apart.
    pub fn forced_count(&self) -> usize {
        self.forced.len() + self.forced_faces.len()
    }
}

/// The fractions of their motion after which no pair crosses on the way. `separation` gives the distance \[m\] that a
/// pair, by its number, is to keep if it has it.
pub fn truncate(pairs: &[Pair], separation: impl Fn(usize) -> f64 + Sync, path: Path<'_>) -> StepLimits {
    truncate_among(pairs, separation, path, &[], Vec::new())
}

/// Like [`truncate`], among obstacles in closed form, with the faces that may meet them.
pub(crate) fn truncate_among(
    pairs: &[Pair],
    separation: impl Fn(usize) -> f64 + Sync,
    path: Path<'_>,
    shapes: &[MovingShape<'_>],
    mut faces: Vec<GuardedFace>,
) -> StepLimits {
    let mut search = Search {
        looks: 0,
        path,
        fractions: vec![1.0; path.start.len()],
        changed: vec![0; path.start.len()],
        pass: 1,
        stopped: Vec::new(),
        forced: Vec::new(),
        forced_faces: Vec::new(),
    };
    let mut watched = watch_pairs(pairs, separation, path);
    loop {
        let mut is_done = true;
        for watched in &mut watched {
            if search.secure(watched) {
                is_done = false;
                search.stopped.push(watched.pair);
            }
        }
        for face in &mut faces {
            is_done &= !search.secure_face(face, shapes);
        }
        if is_done {
            break;
        }
        search.pass += 1;
    }
    search.stopped.sort_unstable();
    search.stopped.dedup();
    search.forced.sort_unstable();
    search.forced_faces.sort_unstable();
    let Search { fractions, stopped, forced, forced_faces, looks, .. } = search;
    StepLimits { fractions, stopped, forced, forced_faces, looks }
}

/// A pair whose paths may meet.
struct Watched {
    number: u32,
    pair: Pair,
    /// The distance to keep \[m\].
    separation: f64,
    /// Across the closest points at the start, or where the plane has been put that guards the pair.
    slab: Slab,
    guard: Guard,
    /// The frame from which the pair is seen \[m\].
    frame: DVec3,
}

/// The space between two primitives at the start.
#[derive(Clone, Copy, Debug)]
struct Slab {
    /// From the second primitive to the first, of unit length, and their distance along it \[m\].
    normal: DVec3,
    width: f64,
    /// The ends of both along the normal \[m\], the first primitive's lower one and the second one's upper one.
    ends: [f64; 2],
}

impl Slab {
    /// The slab across a direction of any length, at positions `x` of a pair.
    fn across(pair: &Pair, x: &[DVec3; 4], direction: DVec3) -> Self {
        let normal = direction.normalize_or_zero();
        let along = x.map(|x| normal.dot(x));
        let (first, second) = along.split_at(pair.split());
        let low = first.iter().copied().fold(f64::INFINITY, f64::min);
        let high = second.iter().copied().fold(f64::NEG_INFINITY, f64::max);
        Self { normal, width: low - high, ends: [low, high] }
    }
}

/// Guard that keeps a pair apart, if not the bound.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Guard {
    None,
    /// A plane that moves by so much along the normal \[m\], and how far each primitive may go beyond its end.
    Moving {
        shift: f64,
        bounds: [f64; 2],
    },
    /// A plane that stands still, or nothing at all: there is no more to do.
    Settled,
}

/// The pairs whose paths are not separated by boxes, in the order of their numbers.
fn watch_pairs(pairs: &[Pair], separation: impl Fn(usize) -> f64 + Sync, path: Path<'_>) -> Vec<Watched> {
    let watch = |(number, pair): (usize, &Pair)| {
        let frame = path.frame(&pair.vertices)?;
        let (x, moves) = (pair.gather(path.start), pair.gather(path.moves).map(|m| m - frame));
        let split = pair.split();
        let swept = |range: std::ops::Range<usize>| {
            range.fold(Aabb::EMPTY, |all, k| all.with(x[k]).with(x[k] + moves[k]))
        };
        if !swept(0..split).overlaps(&swept(split..4)) {
            return None;
        }
        let slab = Slab::across(pair, &x, closest(pair.kind, x).gap);
        let separation = keep(separation(number), slab.width);
        Some(Watched { number: number as u32, pair: *pair, separation, slab, guard: Guard::None, frame })
    };
    collect(pairs.len(), PAIRS_PER_TASK, |range, out| {
        out.extend(range.clone().zip(&pairs[range]).filter_map(watch));
    })
}

/// Motions of a pair \[m\] as they are seen from a plane across a slab that moves by `shift` along its normal \[m\].
#[derive(Clone, Copy)]
struct Walk<'a> {
    slab: &'a Slab,
    moves: &'a [DVec3; 4],
    shift: f64,
}

/// Fractions and bounds that a separating plane demands.
#[derive(Clone, Copy, Debug)]
struct Plane {
    /// Of the four vertices.
    fractions: [f64; 4],
    /// Distance that each primitive may go beyond its end \[m\].
    bounds: [f64; 2],
}

/// The fractions as the search has them.
struct Search<'a> {
    path: Path<'a>,
    fractions: Vec<f64>,
    /// The pass in which the fraction of each vertex has fallen last.
    changed: Vec<u32>,
    pass: u32,
    stopped: Vec<Pair>,
    forced: Vec<u32>,
    forced_faces: Vec<FaceAtShape>,
    looks: u64,
}

impl Search<'_> {
    /// Sees to it that a face stays out of an obstacle; returns whether that took a fraction down.
    fn secure_face(&mut self, face: &mut GuardedFace, shapes: &[MovingShape<'_>]) -> bool {
        let [a, b, c] = face.corners;
        if self.pass > 1 && !face.corners.iter().any(|v| self.changed[*v as usize] + 1 >= self.pass) {
            return false;
        }
        match face.judge(shapes, &self.fractions, self.path) {
            Verdict::Clear => false,
            Verdict::Lower([r, s, t]) => self.lower([a, b, c, c], [r, s, t, t]),
            Verdict::Forced => {
                self.forced_faces.push(face.name());
                false
            }
        }
    }

    /// Sees to it that a pair stays apart; returns whether that took a fraction down.
    fn secure(&mut self, watched: &mut Watched) -> bool {
        let vertices = watched.pair.vertices;
        let is_new = self.pass == 1 || vertices.iter().any(|v| self.changed[*v as usize] + 1 >= self.pass);
        if watched.guard == Guard::Settled || !is_new {
            return false;
        }
        let moves = self.moves(watched);
        let way = watched.pair.relative_way(&moves);
        let free = watched.slab.width - watched.separation;
        if free > 0.0 && way <= STRIDE_SHARE * free {
            return false;
        }
        if let Guard::Moving { shift, bounds } = watched.guard {
            let walk = Walk { slab: &watched.slab, moves: &moves, shift };
            if (0..4).all(|k| self.overshoot(watched, k, walk) <= bounds[watched.side(k)]) {
                return false;
            }
        }
        // Half of the separation is left even if all of a stride goes toward the other primitive.
        let kept = Pursuit { way, limit: watched.separation, floor: 0.5 * watched.separation };
        let Some(blocked) = self.follow(watched, &moves, kept) else { return false };
        self.place_plane(watched, blocked, &moves, way)
    }

    /// The motions of the four vertices with their fractions as they are, seen from their frame \[m\].
    fn moves(&self, watched: &Watched) -> [DVec3; 4] {
        watched
            .pair
            .vertices
            .map(|v| (self.path.moves[v as usize] - watched.frame) * self.fractions[v as usize])
    }

    /// Follows a pair to the end of its path; the direction from the second primitive to the first where they come closer
    /// than the limit of the pursuit.
    fn follow(&mut self, watched: &Watched, moves: &[DVec3; 4], pursuit: Pursuit) -> Option<DVec3> {
        let x = watched.pair.gather(self.path.start);
        advance(pursuit, (watched.slab.width, watched.slab.normal), |t| {
            self.looks += 1;
            let gap = closest(watched.pair.kind, std::array::from_fn(|k| x[k] + moves[k] * t)).gap;
            (gap.length(), gap)
        })
    }

    /// Distance that a vertex goes beyond the end of its primitive toward the other one \[m\], seen from the plane.
    fn overshoot(&self, watched: &Watched, k: usize, walk: Walk<'_>) -> f64 {
        let Slab { normal, ends, .. } = *walk.slab;
        let from = normal.dot(self.path.start[watched.pair.vertices[k] as usize]);
        let to = from + (normal.dot(walk.moves[k]) - walk.shift);
        if watched.side(k) == 0 { ends[0] - to } else { to - ends[1] }
    }

    /// Puts a plane between the primitives: of up to four candidates the one that keeps most of their motion. The plane lies
    /// across the closest points at the start or where the primitives would meet, and either moves or stands.
    fn place_plane(&mut self, watched: &mut Watched, blocked: DVec3, moves: &[DVec3; 4], way: f64) -> bool {
        let x = watched.pair.gather(self.path.start);
        let slabs = [watched.slab, Slab::across(&watched.pair, &x, blocked)];
        let mut best: Option<(f64, Slab, Plane, Guard)> = None;
        for slab in slabs {
            let walk = Walk { slab: &slab, moves, shift: 0.0 };
            let shift = 0.25 * moves.iter().map(|m| slab.normal.dot(*m)).sum::<f64>();
            let standing = self.try_plane(watched, walk).map(|plane| (plane, Guard::Settled));
            let moving = match watched.guard {
                Guard::None => self.try_plane(watched, Walk { shift, ..walk }),
                _ => None,
            };
            let moving = moving.map(|plane| (plane, Guard::Moving { shift, bounds: plane.bounds }));
            for (plane, guard) in [standing, moving].into_iter().flatten() {
                let kept = plane.fractions.iter().sum::<f64>();
                if best.as_ref().is_none_or(|(most, ..)| kept > *most) {
                    best = Some((kept, slab, plane, guard));
                }
            }
        }
        let Some((_, slab, plane, guard)) = best else {
            if self.can_stop(watched) {
                watched.guard = Guard::Settled;
                return self.lower(watched.pair.vertices, [0.0; 4]);
            }
            // Nothing keeps its separation. It may pass all the same, as long as nobody else is stopped.
            let limit = SPARED_SHARE * watched.slab.width;
            let nearest = Pursuit { way, limit, floor: 0.5 * limit };
            let can_follow = limit > 0.0;
            if !can_follow || self.follow(watched, moves, nearest).is_some() {
                watched.guard = Guard::Settled;
                self.forced.push(watched.number);
            }
            return false;
        };
        (watched.slab, watched.guard) = (slab, guard);
        self.lower(watched.pair.vertices, plane.fractions)
    }

    /// Returns whether all vertices of a separated pair stand still in their frame once those that can be stopped are stopped.
    fn can_stop(&self, watched: &Watched) -> bool {
        let stands = |v: u32| {
            let v = v as usize;
            // Of those that only round-off keeps apart the width may be negative.
            let still = STILL_SHARE * watched.slab.width.max(0.0);
            !self.path.prescribed[v] || self.path.moves[v].distance(watched.frame) <= still
        };
        watched.slab.normal != DVec3::ZERO && watched.pair.vertices.into_iter().all(stands)
    }

    /// Takes fractions down; returns whether one was higher.
    fn lower(&mut self, vertices: [u32; 4], fractions: [f64; 4]) -> bool {
        let mut has_fallen = false;
        for (v, fraction) in vertices.into_iter().zip(fractions) {
            // What cannot be stopped gets all the room it takes, but for round-off.
            if fraction < self.fractions[v as usize] && !self.path.prescribed[v as usize] {
                self.fractions[v as usize] = fraction;
                self.changed[v as usize] = self.pass;
                has_fallen = true;
            }
        }
        has_fallen
    }

    /// Fractions and bounds that a plane demands if it moves by the shift of the walk; `None` if no fractions will
    /// do.
    fn try_plane(&self, watched: &Watched, walk: Walk<'_>) -> Option<Plane> {
        let room = walk.slab.width - watched.separation;
        if room.is_nan() || room <= 0.0 {
            return None;
        }
        let still = Walk { moves: &[DVec3::ZERO; 4], ..walk };
        // What each side wants, and what it takes in any case.
        let (mut wanted, mut forced) = ([0.0_f64; 2], [0.0_f64; 2]);
        for k in 0..4 {
            let side = watched.side(k);
            let beyond = self.overshoot(watched, k, walk);
            wanted[side] = wanted[side].max(beyond);
            // With any smaller fraction it goes less far, down to where the plane comes to meet it.
            let least = if self.is_prescribed(watched, k) {
                beyond
            } else {
                beyond.min(self.overshoot(watched, k, still))
            };
            forced[side] = forced[side].max(least);
        }
        if forced[0] + forced[1] > room {
            return None;
        }
        let bounds = share(room, wanted, forced);
        let mut fractions = [1.0; 4];
        for k in 0..4 {
            let v = watched.pair.vertices[k] as usize;
            fractions[k] = self.fractions[v];
            let beyond = self.overshoot(watched, k, walk);
            let allowed = bounds[watched.side(k)];
            if beyond > allowed {
                let at_rest = self.overshoot(watched, k, still);
                // Between rest and the motion as it is the overshoot grows in proportion.
                fractions[k] *= ((allowed - at_rest) / (beyond - at_rest)).clamp(0.0, 1.0);
            }
        }
        Some(Plane { fractions, bounds })
    }

    fn is_prescribed(&self, watched: &Watched, k: usize) -> bool {
        self.path.prescribed[watched.pair.vertices[k] as usize]
    }
}

impl Watched {
    /// 0 for the vertices of the first primitive, 1 for those of the second.
    fn side(&self, k: usize) -> usize {
        usize::from(k >= self.pair.split())
    }
}

/// Shares out the room between two sides in proportion to what they want; each gets at least what it takes in any case.
fn share(room: f64, wanted: [f64; 2], forced: [f64; 2]) -> [f64; 2] {
    let total = wanted[0] + wanted[1];
    let first = if total > 0.0 { room * (wanted[0] / total) } else { 0.5 * room };
    let first = first.max(forced[0]).min(room - forced[1]);
    [first, room - first]
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::broad::pair::PairKind;
    use taffeta_core::random::SplitMix64;

    #[test]
    fn a_vertex_that_is_too_close_for_a_plane_is_stopped_before_what_stands() {
        let pair = Pair { kind: PairKind::VertexFace, vertices: [0, 1, 2, 3] };
        let prescribed = [false, true, true, true];
        let mut random = SplitMix64(1);
        let mut lost = 0;
        for _ in 0..300 {
            let mut point = || DVec3::from_array([0; 3].map(|_| random.next_unit()));
            let [a, b, c] = [point(), point(), point()];
            let normal = (b - a).cross(c - a).normalize();
            // As near as the numbers allow: across the closest points there is hardly any room, or none by round-off.
            let start = [(a + b + c) / 3.0 + normal * 2e-16, a, b, c];
            let run = |moves: [DVec3; 4]| {
                truncate(
                    &[pair],
                    |_| 1e-3,
                    Path { start: &start, moves: &moves, frames: &[], prescribed: &prescribed },
                )
            };
            let is_apart = closest(pair.kind, start).gap != DVec3::ZERO;
            let still = DVec3::ZERO;
            let kept = run([-0.01 * normal, still, still, still]);
            assert_eq!(kept.forced.is_empty(), is_apart, "{start:?}");
            assert_eq!(kept.fractions[1..], [1.0; 3]);
            // What comes toward it cannot be escaped.
            let shift = 0.01 * normal;
            lost += usize::from(!run([-shift, shift, shift, shift]).forced.is_empty());
        }
        assert!(lost > 200, "{lost}");
    }
}
