//! The safeguard: shortens motions until no pair of primitives can cross, at any speed.
//!
//! Every vertex moves along a segment, `x + τ t δ` with `τ` from 0 to 1; its fraction `t` starts at 1 and only falls. A
//! pair that is apart at `x` stays apart on the whole path if one of these holds:
//!
//! * the boxes around the paths of its two primitives are disjoint;
//! * the *bound*: the motions of the two relative to that of the pair are shorter together than the distance between them;
//! * a *plane* lies between them throughout: one that stands still, or one that moves along with the pair.
//!
//! Boxes and a standing plane hold for shorter motions too. The bound and a moving plane do not: a vertex that is
//! stopped may be run into by the others. So they are tested again when a fraction has fallen. Each pair changes from
//! the bound to a moving plane to a standing plane at most, so the search ends.

use crate::boxes::Aabb;
use crate::pair::{Pair, closest};
use glam::DVec3;
use rayon::prelude::*;

/// The share of the free distance that the bound may use up.
const BOUND_SHARE: f64 = 0.9;
/// The share of their distance that two primitives keep where they are closer than the separation asked for.
const KEPT_SHARE: f64 = 0.5;
/// Pairs that one task takes.
const PAIRS_PER_TASK: usize = 1024;

/// The motion of all vertices over a substep.
#[derive(Clone, Copy, Debug)]
pub struct Path<'a> {
    /// Positions at its start \[m\], where no pair may cross.
    pub start: &'a [DVec3],
    /// Displacements over it \[m\], relative to a common one of all bodies that can meet.
    pub moves: &'a [DVec3],
    /// Vertices that cannot be stopped: pins and obstacles.
    pub prescribed: &'a [bool],
}

/// What became of a motion.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Truncation {
    /// The fraction of its motion that each vertex may make.
    pub fractions: Vec<f64>,
    /// Pairs, by their numbers, that nothing can keep apart: they touch already, or are forced together by vertices
    /// that cannot be stopped. Nothing is said about them.
    pub forced: Vec<u32>,
}

/// The fractions of their motion after which no pair crosses on the way. `separation` gives the distance \[m\] that a
/// pair, by its number, is to keep if it has it.
pub fn truncate(pairs: &[Pair], separation: impl Fn(usize) -> f64 + Sync, path: Path<'_>) -> Truncation {
    let mut search = Search {
        path,
        fractions: vec![1.0; path.start.len()],
        changed: vec![0; path.start.len()],
        pass: 1,
        forced: Vec::new(),
    };
    let mut watched = watch_pairs(pairs, separation, path);
    loop {
        let mut is_done = true;
        for pair in &mut watched {
            is_done &= !search.secure(pair);
        }
        if is_done {
            break;
        }
        search.pass += 1;
    }
    search.forced.sort_unstable();
    Truncation { fractions: search.fractions, forced: search.forced }
}

/// A pair whose paths may meet.
struct Watched {
    number: u32,
    pair: Pair,
    /// The distance to keep \[m\].
    separation: f64,
    /// From the second primitive to the first, of unit length, and their distance along it \[m\].
    normal: DVec3,
    width: f64,
    /// The ends of both along the normal \[m\], the first primitive's lower one and the second one's upper one.
    ends: [f64; 2],
    guard: Guard,
}

/// What keeps a pair apart, if not the bound.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Guard {
    None,
    /// A plane that moves by so much along the normal \[m\], and how far each primitive may go beyond its end.
    Moving {
        shift: f64,
        rooms: [f64; 2],
    },
    /// A plane that stands still, or nothing at all: there is no more to do.
    Settled,
}

/// The pairs whose paths are not separated by boxes, in the order of their numbers.
fn watch_pairs(pairs: &[Pair], separation: impl Fn(usize) -> f64 + Sync, path: Path<'_>) -> Vec<Watched> {
    let watch = |(number, pair): (usize, &Pair)| {
        let (x, moves) = (pair.gather(path.start), pair.gather(path.moves));
        let split = pair.split();
        let swept = |range: std::ops::Range<usize>| {
            range.fold(Aabb::EMPTY, |all, k| all.with(x[k]).with(x[k] + moves[k]))
        };
        if !swept(0..split).overlaps(&swept(split..4)) {
            return None;
        }
        let gap = closest(pair.kind, x).gap;
        let distance = gap.length();
        let normal = if distance > 0.0 { gap / distance } else { DVec3::ZERO };
        let along = x.map(|x| normal.dot(x));
        let low = along[..split].iter().copied().fold(f64::INFINITY, f64::min);
        let high = along[split..].iter().copied().fold(f64::NEG_INFINITY, f64::max);
        let separation = separation(number);
        let (number, pair, width) = (number as u32, *pair, low - high);
        Some(Watched { number, pair, separation, normal, width, ends: [low, high], guard: Guard::None })
    };
    let tasks = pairs.par_chunks(PAIRS_PER_TASK).enumerate();
    let found = tasks.map(|(task, chunk)| {
        let numbers = task * PAIRS_PER_TASK..;
        numbers.zip(chunk).filter_map(watch).collect::<Vec<_>>()
    });
    found.collect::<Vec<_>>().into_iter().flatten().collect()
}

/// The fractions as the search has them.
struct Search<'a> {
    path: Path<'a>,
    fractions: Vec<f64>,
    /// The pass in which the fraction of each vertex has fallen last.
    changed: Vec<u32>,
    pass: u32,
    forced: Vec<u32>,
}

impl Search<'_> {
    /// Sees to it that a pair stays apart; returns whether that took a fraction down.
    fn secure(&mut self, watched: &mut Watched) -> bool {
        let vertices = watched.pair.vertices;
        let is_new = self.pass == 1 || vertices.iter().any(|v| self.changed[*v as usize] + 1 >= self.pass);
        if watched.guard == Guard::Settled || !is_new {
            return false;
        }
        let moves = self.moves(watched);
        if is_bounded(watched, &moves) {
            return false;
        }
        let along = moves.map(|m| watched.normal.dot(m));
        if let Guard::Moving { shift, rooms } = watched.guard
            && (0..4).all(|k| self.overshoot(watched, k, along[k], shift) <= rooms[watched.side(k)])
        {
            return false;
        }
        self.place_plane(watched, along)
    }

    /// The motions of the four vertices with their fractions as they are \[m\].
    fn moves(&self, watched: &Watched) -> [DVec3; 4] {
        watched.pair.vertices.map(|v| self.path.moves[v as usize] * self.fractions[v as usize])
    }

    /// How far a vertex goes beyond the end of its primitive toward the other one \[m\], seen from the plane.
    fn overshoot(&self, watched: &Watched, k: usize, along: f64, shift: f64) -> f64 {
        let from = watched.normal.dot(self.path.start[watched.pair.vertices[k] as usize]);
        let to = from + (along - shift);
        if watched.side(k) == 0 { watched.ends[0] - to } else { to - watched.ends[1] }
    }

    /// Puts a plane between the primitives, one that moves if that costs less motion than one that stands.
    fn place_plane(&mut self, watched: &mut Watched, along: [f64; 4]) -> bool {
        let standing = self.try_plane(watched, along, 0.0);
        let shift = 0.25 * along.iter().sum::<f64>();
        let moving = match watched.guard {
            Guard::None => self.try_plane(watched, along, shift),
            _ => None,
        };
        let moving = moving.map(|(fractions, rooms)| (fractions, Guard::Moving { shift, rooms }));
        let standing = standing.map(|(fractions, _)| (fractions, Guard::Settled));
        let Some((fractions, guard)) = better(moving, standing) else {
            self.forced.push(watched.number);
            watched.guard = Guard::Settled;
            return false;
        };
        watched.guard = guard;
        let mut has_fallen = false;
        for (v, fraction) in watched.pair.vertices.into_iter().zip(fractions) {
            if fraction < self.fractions[v as usize] {
                self.fractions[v as usize] = fraction;
                self.changed[v as usize] = self.pass;
                has_fallen = true;
            }
        }
        has_fallen
    }

    /// The fractions that a plane asks for, which moves by `shift`, and how far each primitive may go beyond its end;
    /// `None` if no fractions will do.
    fn try_plane(&self, watched: &Watched, along: [f64; 4], shift: f64) -> Option<([f64; 4], [f64; 2])> {
        let room = watched.width - watched.separation.min(KEPT_SHARE * watched.width);
        if room.is_nan() || room <= 0.0 {
            return None;
        }
        // What each side wants, and what it takes in any case.
        let (mut wanted, mut forced) = ([0.0_f64; 2], [0.0_f64; 2]);
        for k in 0..4 {
            let side = watched.side(k);
            let beyond = self.overshoot(watched, k, along[k], shift);
            wanted[side] = wanted[side].max(beyond);
            // With any smaller fraction it goes less far, down to where the plane comes to meet it.
            let least = if self.is_prescribed(watched, k) {
                beyond
            } else {
                beyond.min(self.overshoot(watched, k, 0.0, shift))
            };
            forced[side] = forced[side].max(least);
        }
        if forced[0] + forced[1] > room {
            return None;
        }
        let rooms = share(room, wanted, forced);
        let mut fractions = [1.0; 4];
        for k in 0..4 {
            let v = watched.pair.vertices[k] as usize;
            fractions[k] = self.fractions[v];
            let beyond = self.overshoot(watched, k, along[k], shift);
            let allowed = rooms[watched.side(k)];
            if beyond > allowed {
                let at_rest = self.overshoot(watched, k, 0.0, shift);
                // Between rest and the motion as it is the overshoot grows in proportion.
                fractions[k] *= ((allowed - at_rest) / (beyond - at_rest)).clamp(0.0, 1.0);
            }
        }
        Some((fractions, rooms))
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

/// Whether the motions relative to that of the pair are too short for the primitives to meet.
fn is_bounded(watched: &Watched, moves: &[DVec3; 4]) -> bool {
    let (a, b) = moves.split_at(watched.pair.split());
    let mean = |moves: &[DVec3]| moves.iter().sum::<DVec3>() / moves.len() as f64;
    let middle = 0.5 * (mean(a) + mean(b));
    let longest =
        |moves: &[DVec3]| moves.iter().map(|m| m.distance_squared(middle)).fold(0.0, f64::max).sqrt();
    let free = watched.width - watched.separation;
    free > 0.0 && longest(a) + longest(b) <= BOUND_SHARE * free
}

/// Shares out the room between two sides in proportion to what they want; each gets at least what it takes in any case.
fn share(room: f64, wanted: [f64; 2], forced: [f64; 2]) -> [f64; 2] {
    let total = wanted[0] + wanted[1];
    let first = if total > 0.0 { room * (wanted[0] / total) } else { 0.5 * room };
    let first = first.max(forced[0]).min(room - forced[1]);
    [first, room - first]
}

/// Of two offers the one that keeps more motion; the second if they keep the same.
fn better(first: Option<([f64; 4], Guard)>, second: Option<([f64; 4], Guard)>) -> Option<([f64; 4], Guard)> {
    let kept = |offer: &([f64; 4], Guard)| offer.0.iter().sum::<f64>();
    match (first, second) {
        (Some(a), Some(b)) => Some(if kept(&a) > kept(&b) { a } else { b }),
        (a, b) => b.or(a),
    }
}
