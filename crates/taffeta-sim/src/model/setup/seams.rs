//! Seams as a state: what is being sewn, and the law by which its threads grow shorter.

use glam::DVec3;
use serde::{Deserialize, Serialize};
use taffeta_mesh::VertexKey;

/// Stiffness of a thread relative to that of the cloth along its stiffer axis: enough to keep the gap to a small part of what
/// can be closed. More makes the equations harder to solve.
pub(crate) const STIFFNESS: f64 = 0.5;

/// Stiffness of the threads that hold a third layer for ever, relative to the others: their gap stays below the thickness of
/// cloth under its weight.
pub(crate) const HELD: f64 = 10.0;

/// Gap that can be closed at last, relative to the shortest edge of the seam, if contact is not thicker.
pub(crate) const LOOSE_PART: f64 = 0.25;

/// Growth of the gap that can be closed while the seam is late, relative to the length that a pair stands for, for each further
/// time of the seam. The second one is that of a gentle pull. Threads give way, and keep a gap where the cloth is strained.
pub(crate) const LOOSENING: f64 = 0.25;
pub(crate) const GENTLE_LOOSENING: f64 = 1.5;
/// Its largest value.
const LOOSEST_PART: f64 = 0.5;

/// Limits relative to the loose gap, each with room for the next one. They are the largest gap that closes before the
/// time of the seam is over, the shortest thread, and how near the two sides may come elsewhere.
const TIGHT: f64 = 0.2;
const SHORTEST: f64 = 0.1;
const CONTACT: f64 = 0.05;

/// The seams of a world with the vertices that they sew together, by keys: what changes while a world is simulated.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Sewing {
    /// The seams, through all cloths in their order.
    pub(crate) seams: Vec<SeamState>,
}

/// A seam now.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub(crate) struct SeamState {
    /// The vertices that are sewn together, in the order of the pairs; none once the seam is closed, unless threads hold some.
    /// Two that have become one through another seam stay in the list.
    pub pairs: Vec<[VertexKey; 2]>,
    /// The gap of each pair at the start, from the first to the second \[m\].
    pub gaps: Vec<DVec3>,
    /// When it was closed \[s\]; `None`: it is open.
    pub closed: Option<f64>,
}

/// Properties of a seam that do not change.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct SeamLaw {
    pub cloth: usize,
    /// Its number in the cloth.
    pub number: usize,
    /// Time over which the gap closes, from when the cloth came into the world \[s\].
    pub time: f64,
    /// Stiffness of a thread \[N/m\].
    pub stiffness: f64,
    /// Length of the seam that each pair stands for \[m\].
    pub(crate) shares: Vec<f64>,
    /// The gap that can be closed when the time is over \[m\].
    pub loose: f64,
    /// Its growth for each further time, relative to the length that a pair stands for.
    pub loosening: f64,
    /// True for each pair that threads hold for ever, for another seam makes a surface there already: a third layer.
    pub holds: Vec<bool>,
}

impl SeamLaw {
    /// The gap at which a thread keeps its pair at an age of the cloth \[s\], for one at the start \[m\].
    pub(crate) fn thread(&self, gap: DVec3, age: f64) -> DVec3 {
        // It begins and ends slowly: at a constant speed both sides would have to jump to it, and bump into each other.
        let part = (age / self.time).clamp(0.0, 1.0);
        let size = gap.length();
        let wanted = size * (1.0 - part * part * (3.0 - 2.0 * part));
        // Not nothing: the two sides touch then, and contact keeps them apart.
        gap.normalize_or_zero() * wanted.max(self.shortest().min(size))
    }

    /// The miss \[m\] beyond which a thread pulls no harder, if it may pull the cloth to a strain. `share` is the length of the
    /// seam that it stands for \[m\].
    pub(crate) fn reach(&self, strain: f64, share: f64) -> f64 {
        (strain / STIFFNESS * share).max(self.shortest())
    }

    /// The shortest thread \[m\].
    pub(crate) fn shortest(&self) -> f64 {
        SHORTEST * self.loose
    }

    /// Returns whether nothing is left to weld of pairs, all of this seam.
    pub(crate) fn is_welded<V: PartialEq>(&self, pairs: &[[V; 2]]) -> bool {
        pairs.iter().zip(&self.holds).all(|([a, b], is_held)| a == b || *is_held)
    }

    /// The number of pairs that it keeps when it is closed.
    pub(crate) fn lasting_count(&self) -> usize {
        if self.holds.contains(&true) { self.pair_count() } else { 0 }
    }

    /// Smallest distance of its two sides while it is open \[m\].
    pub(crate) fn contact(&self) -> f64 {
        CONTACT * self.loose
    }

    /// Returns whether the gap of a pair can be closed at an age of the cloth \[s\].
    pub(crate) fn closes(&self, pair: usize, gap: f64, age: f64) -> bool {
        let share = self.shares[pair];
        let late = self.loose + self.loosening * self.lateness(age).max(0.0) * share;
        let loosest = self.loose.max(LOOSEST_PART * share);
        gap <= TIGHT * self.loose || self.is_late(age) && gap <= late.min(loosest)
    }

    /// By how much its time is over at an age of the cloth \[s\], relative to it.
    pub(crate) fn lateness(&self, age: f64) -> f64 {
        age / self.time - 1.0
    }

    /// Returns whether the time of the seam is over at an age of the cloth \[s\].
    pub(crate) fn is_late(&self, age: f64) -> bool {
        // The last step of the time ends there up to round-off.
        age >= self.time * (1.0 - 1e-9)
    }

    pub(crate) fn pair_count(&self) -> usize {
        self.shares.len()
    }
}
