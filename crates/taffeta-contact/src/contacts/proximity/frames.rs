//! The frames in which motions are shortened.
//!
//! A vertex that is stopped goes on with what it meets. If it stayed at a point of space, a body at 30 m/s would hit it at that
//! speed. The cloth around it, which moves on, would tear at it. Where primitives may meet, all of their vertices that can be
//! stopped form a patch and share a frame, their mean motion. If they can meet what cannot be stopped, it is the motion of that.

use crate::broad::boxes::Aabb;
use crate::broad::pair::Pair;
use crate::ccd::path::Path;
use crate::ccd::shape_limits::{GuardedFace, MovingShape};
use crate::contacts::proximity::Step;
use glam::DVec3;
use std::collections::BTreeSet;
use taffeta_core::components::Components;

/// A mean of displacements that are exact where all are the same.
#[derive(Clone, Copy, Default)]
struct Mean {
    first: Option<DVec3>,
    /// Of the differences from the first.
    sum: DVec3,
    count: f64,
}

impl Mean {
    fn add(&mut self, displacement: DVec3) {
        let first = *self.first.get_or_insert(displacement);
        self.sum += displacement - first;
        self.count += 1.0;
    }

    fn value(self) -> Option<DVec3> {
        self.first.map(|first| first + self.sum / self.count)
    }
}

/// The frame of each vertex over a substep with these displacements \[m\]. `offset` is the distance that a pair is to keep \[m\],
/// `watch` gives the faces that may run into obstacles in closed form.
///
/// Patches grow until no primitives can meet that are parts of two: in other frames what is stopped goes other ways.
pub(super) fn find_frames(
    step: Step<'_>,
    moves: &[DVec3],
    pairs: &[Pair],
    offset: impl Fn(usize) -> f64,
    watch: impl Fn(Path<'_>) -> Vec<GuardedFace>,
) -> Vec<DVec3> {
    let mut patches = Components::new(moves.len());
    let join = |patches: &mut Components, vertices: &[u32]| {
        let mut free = vertices.iter().filter(|v| !step.prescribed[**v as usize]);
        if let Some(first) = free.next() {
            free.for_each(|v| patches.join(*first, *v));
        }
    };
    let mut far: Vec<u32> = (0..pairs.len() as u32).collect();
    let (mut near, mut faces, mut names) = (Vec::new(), Vec::new(), BTreeSet::new());
    let mut frames = moves.to_vec();
    // Only pairs of which a frame has changed need another look.
    let mut has_changed = vec![true; moves.len()];
    loop {
        let path = step.path(moves, &frames);
        let known = (near.len(), faces.len());
        far.retain(|number| {
            let pair = &pairs[*number as usize];
            let is_near = pair.vertices.iter().any(|v| has_changed[*v as usize])
                && may_meet(pair, offset(*number as usize), path);
            if is_near {
                join(&mut patches, &pair.vertices);
                near.push(*pair);
            }
            !is_near
        });
        for face in watch(path) {
            if names.insert(face.name()) {
                join(&mut patches, &face.corners);
                faces.push(face);
            }
        }
        if known == (near.len(), faces.len()) {
            return frames;
        }
        let found = mean_motions(step, moves, &near, &faces, &patches.clone().labels());
        has_changed = found.iter().zip(&frames).map(|(found, frame)| found != frame).collect();
        frames = found;
    }
}

/// Returns whether the primitives of a pair can come closer than a distance \[m\] wherever between their frames and their whole
/// motions its vertices are stopped.
fn may_meet(pair: &Pair, distance: f64, path: Path<'_>) -> bool {
    let (start, moves) = (pair.gather(path.start), pair.gather(path.moves));
    // The frame of the test is that in which they move least.
    let mean = moves.iter().sum::<DVec3>() / 4.0;
    let around = |all: Aabb, k: usize| {
        let kept = path.kept(pair.vertices[k]);
        [DVec3::ZERO, moves[k] - mean, kept - mean].iter().fold(all, |all, way| all.with(start[k] + *way))
    };
    let [first, second] = [0..pair.split(), pair.split()..4]
        .map(|side| side.fold(Aabb::EMPTY, around).inflated(0.5 * distance));
    first.overlaps(&second)
}

/// The mean motion \[m\] of the patch of each vertex, which is named by its first vertex, or of what cannot be stopped and is near it.
fn mean_motions(
    step: Step<'_>,
    moves: &[DVec3],
    pairs: &[Pair],
    faces: &[GuardedFace],
    patches: &[u32],
) -> Vec<DVec3> {
    let is_held = |v: &u32| step.prescribed[*v as usize];
    let mut free = vec![Mean::default(); moves.len()];
    let mut held = free.clone();
    let patch = |v: u32| patches[v as usize] as usize;
    for v in (0..moves.len() as u32).filter(|v| !is_held(v)) {
        free[patch(v)].add(moves[v as usize]);
    }
    for pair in pairs {
        let Some(stopped) = pair.vertices.iter().find(|v| !is_held(v)) else { continue };
        let mean = &mut held[patch(*stopped)];
        pair.vertices.iter().filter(|v| is_held(v)).for_each(|v| mean.add(moves[*v as usize]));
    }
    for face in faces {
        let Some(stopped) = face.corners.iter().find(|v| !is_held(v)) else { continue };
        let middle = face.corners.map(|v| step.start[v as usize]).iter().sum::<DVec3>() / 3.0;
        held[patch(*stopped)].add(face.shape(step.shapes).displacement(middle));
    }
    let frame = |v: u32| held[patch(v)].value().or(free[patch(v)].value()).unwrap_or_default();
    (0..moves.len() as u32).map(frame).collect()
}

impl GuardedFace {
    fn shape<'a, 'b>(&self, shapes: &'a [MovingShape<'b>]) -> &'a MovingShape<'b> {
        &shapes[self.name().shape as usize]
    }
}
