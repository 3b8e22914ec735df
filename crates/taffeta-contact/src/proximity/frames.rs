//! The frames in which motions are shortened.
//!
//! A vertex that is stopped goes on with the bodies that it meets. If it stayed at a point of space, a body at 30 m/s would hit it
//! at that speed. Cloths that can meet share a frame, their mean motion.
//! If they can meet what cannot be stopped, it is the motion of that.

use crate::guard::{GuardedFace, MovingShape};
use crate::pair::Pair;
use crate::proximity::Step;
use glam::DVec3;

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

/// Groups of bodies that can meet over a substep. Of bodies that cannot be stopped only what is near counts.
pub(super) struct Groups {
    /// For each body one of those in its group.
    leaders: Vec<u32>,
}

impl Groups {
    /// The groups of so many bodies. `body_of` gives the body of a vertex, `is_held` tells which cannot be stopped.
    pub(super) fn new(
        count: usize,
        pairs: &[Pair],
        (body_of, is_held): (impl Fn(u32) -> u32, impl Fn(u32) -> bool),
    ) -> Self {
        let mut groups = Self { leaders: (0..count as u32).collect() };
        for pair in pairs {
            let [a, b] = [0, pair.split()].map(|k| pair.vertices[k]);
            if !is_held(a) && !is_held(b) {
                groups.unite(body_of(a), body_of(b));
            }
        }
        groups
    }

    fn unite(&mut self, a: u32, b: u32) {
        let [a, b] = [self.leader(a), self.leader(b)];
        self.leaders[a.max(b) as usize] = a.min(b);
    }

    fn leader(&self, mut body: u32) -> u32 {
        while self.leaders[body as usize] != body {
            body = self.leaders[body as usize];
        }
        body
    }

    /// The frame of each vertex \[m\]. `faces` are those that may run into obstacles in closed form.
    pub(super) fn frames(
        &self,
        step: Step<'_>,
        (pairs, faces): (&[Pair], &[GuardedFace]),
        body_of: impl Fn(u32) -> u32,
    ) -> Vec<DVec3> {
        let moved = |v: u32| step.end[v as usize] - step.start[v as usize];
        let is_held = |v: &u32| step.prescribed[*v as usize];
        let mut free = vec![Mean::default(); self.leaders.len()];
        let mut held = free.clone();
        let group = |v: u32| self.leader(body_of(v)) as usize;
        for v in (0..step.start.len() as u32).filter(|v| !is_held(v)) {
            free[group(v)].add(moved(v));
        }
        for pair in pairs {
            let Some(stopped) = pair.vertices.iter().find(|v| !is_held(v)) else { continue };
            let mean = &mut held[group(*stopped)];
            pair.vertices.iter().filter(|v| is_held(v)).for_each(|v| mean.add(moved(*v)));
        }
        for face in faces {
            let Some(stopped) = face.corners.iter().find(|v| !is_held(v)) else { continue };
            let middle = face.corners.map(|v| step.start[v as usize]).iter().sum::<DVec3>() / 3.0;
            held[group(*stopped)].add(face.shape(step.shapes).displacement(middle));
        }
        let frame = |v: u32| {
            let group = group(v);
            held[group].value().or(free[group].value()).unwrap_or_default()
        };
        (0..step.start.len() as u32).map(frame).collect()
    }
}

impl GuardedFace {
    fn shape<'a, 'b>(&self, shapes: &'a [MovingShape<'b>]) -> &'a MovingShape<'b> {
        &shapes[self.name().shape as usize]
    }
}
