//! Which pairs of a seam can become one, and where they meet.
//!
//! ```text
//!   pairs that are near ──► places ──► crossings if they were one ──► none: weld
//!          ▲                  ▲                     │
//!          │ or stays open    └─ another place ◄────┘ of those that cross, and of no other
//! ```
//!
//! Two vertices that become one take the cloth around them along, and where it is folded at the seam there may be no room for
//! that in the middle. So other places between the two are tried, pair by pair, and what would cross everywhere waits.
//! Crossings are counted as after the weld, without making it. Weld, count and rollback would cost as much as a few substeps,
//! in every step in which a seam was refused.

use crate::derive::crossings::{contact_positions, goes_deeper, shapes};
use crate::derive::world::World;
use glam::{DMat3, DVec3};
use std::cmp::Reverse;
use std::collections::{BTreeMap, BTreeSet};
use taffeta_contact::crossings::Crossing;
use taffeta_contact::proximity::Proximity;
use taffeta_core::components::Components;
use taffeta_core::index::DenseIndex;
use taffeta_core::{FaceIndex, IndexVec, VertexIndex};
use taffeta_mesh::VertexKey;

/// Parts of the way from the first vertex to the second at which a pair may meet, if there is no room at their center of mass.
const PLACES: [f64; 4] = [0.0, 1.0, 0.25, 0.75];

/// Largest distance from the middle of that way at which a pair may meet, relative to the length of the seam that it stands
/// for. If both sides are folded at the seam, each may reach through the gap past the other, and only beyond that is there
/// room.
const BESIDE: [f64; 3] = [0.1, 0.25, 0.5];

/// The directions of these places: across the cloth, along the way and along the seam.
const DIRECTIONS: [DVec3; 14] = [
    DVec3::new(1.0, 0.0, 0.0),
    DVec3::new(-1.0, 0.0, 0.0),
    DVec3::new(0.0, 1.0, 0.0),
    DVec3::new(0.0, -1.0, 0.0),
    DVec3::new(0.0, 0.0, 1.0),
    DVec3::new(0.0, 0.0, -1.0),
    DVec3::new(0.6, 0.6, 0.5),
    DVec3::new(0.6, 0.6, -0.5),
    DVec3::new(0.6, -0.6, 0.5),
    DVec3::new(0.6, -0.6, -0.5),
    DVec3::new(-0.6, 0.6, 0.5),
    DVec3::new(-0.6, 0.6, -0.5),
    DVec3::new(-0.6, -0.6, 0.5),
    DVec3::new(-0.6, -0.6, -0.5),
];

/// Rounds after which all that still crosses waits for another step.
const MOST_ROUNDS: usize = 160;

/// Plan of the pairs that a seam welds.
#[derive(Clone, Debug, Default)]
pub(crate) struct Plan {
    /// The numbers of the pairs in their seam.
    pub numbers: Vec<usize>,
    /// Vertices that are to be moved before, and whereto \[m\].
    pub places: Vec<(VertexKey, DVec3)>,
}

/// Which pairs may be left out.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum Extent {
    /// None: the seam closes as a whole.
    Whole,
    /// Pairs that are not near enough, or would make something cross between their vertices.
    Part,
    /// Pairs that are not near enough, or would make something cross also at places beside that.
    Beside,
}

impl Extent {
    /// At how many places pairs may meet besides their center of mass.
    fn place_count(self) -> usize {
        let beside = if self == Self::Beside { DIRECTIONS.len() * BESIDE.len() } else { 0 };
        PLACES.len() + beside
    }
}

/// Vertices that become one.
struct Meeting {
    members: Vec<VertexIndex>,
    /// The length of the seam that they stand for \[m\], the shortest of their pairs.
    share: f64,
    /// Where; `None`: at their center of mass, or at what a pin holds.
    place: Option<DVec3>,
}

impl Meeting {
    /// Number of times that its vertices are among some.
    fn count_in(&self, found: &BTreeMap<VertexIndex, usize>) -> usize {
        self.members.iter().filter_map(|v| found.get(v)).sum()
    }
}

/// Which of these pairs of a seam can become one without making something cross; `None`: none of them, or not all if it
/// has to be all.
pub(crate) fn plan_weld(world: &World, seam: usize, mut numbers: Vec<usize>, extent: Extent) -> Option<Plan> {
    let index = world.state.sheet.vertex_indices();
    let pairs: Vec<[VertexIndex; 2]> =
        world.state.sheet.sewing.seams[seam].pairs.iter().map(|pair| pair.map(|v| index[v])).collect();
    let mut tried: IndexVec<VertexIndex, usize> =
        IndexVec::from(vec![0; world.state.sheet.topology.vertex_count]);
    // In each of the rounds something goes on to another place; they end when nothing crosses or all has been tried.
    let mut rounds = 0;
    loop {
        if extent != Extent::Whole {
            drop_lonely(&pairs, &mut numbers);
        }
        if numbers.is_empty() {
            // Other seams may have left nothing to do.
            return world.setup.seams[seam].is_welded(&pairs).then(Plan::default);
        }
        let shares = &world.setup.seams[seam].shares;
        let meetings =
            meetings(world, numbers.iter().map(|number| (pairs[*number], shares[*number])), &tried);
        let crossed = crossed_by(world, &meetings);
        if crossed.is_empty() {
            return Some(Plan { numbers, places: moves(world, &meetings) });
        }
        rounds += 1;
        let mut exhausted: Vec<&Meeting> = Vec::new();
        for meeting in meetings.iter().filter(|meeting| meeting.count_in(&crossed) > 0) {
            meeting.members.iter().for_each(|v| tried[*v] += 1);
            if meeting.members.iter().any(|v| tried[*v] > extent.place_count()) {
                exhausted.push(meeting);
            }
        }
        // What one pair has to do with a crossing, its neighbor has as well: the worst goes first, and the others begin anew.
        exhausted.sort_by_key(|meeting| Reverse(meeting.count_in(&crossed)));
        let dropped = if rounds < MOST_ROUNDS { exhausted.len().min(1) } else { exhausted.len() };
        if dropped > 0 && extent == Extent::Whole {
            return None;
        }
        exhausted[dropped..].iter().flat_map(|meeting| &meeting.members).for_each(|v| tried[*v] = 0);
        let leaves = |v: &VertexIndex| exhausted[..dropped].iter().any(|meeting| meeting.members.contains(v));
        numbers.retain(|number| !pairs[*number].iter().any(leaves));
    }
}

/// The vertices that become one, in the order of the pairs, and where. `tried` tells how many places were in vain.
fn meetings(
    world: &World,
    pairs: impl Iterator<Item = ([VertexIndex; 2], f64)>,
    tried: &IndexVec<VertexIndex, usize>,
) -> Vec<Meeting> {
    let pairs: Vec<_> = pairs.collect();
    let mut joined = Components::new(tried.len());
    pairs.iter().for_each(|([a, b], _)| joined.join(a.0, b.0));
    let mut meetings: Vec<Meeting> = Vec::new();
    let mut number_of = vec![None; tried.len()];
    for (v, share) in pairs.iter().flat_map(|(pair, share)| pair.iter().map(move |v| (v, *share))) {
        let first = joined.find(v.0) as usize;
        let number = *number_of[first].get_or_insert_with(|| {
            meetings.push(Meeting { members: Vec::new(), share, place: None });
            meetings.len() - 1
        });
        let meeting = &mut meetings[number];
        meeting.share = meeting.share.min(share);
        if !meeting.members.contains(v) {
            meeting.members.push(*v);
        }
    }
    for meeting in &mut meetings {
        meeting.place = meeting_place(world, meeting, tried);
    }
    meetings
}

/// Next meeting place of vertices that have been tried at some places. Pinned vertices stay.
fn meeting_place(world: &World, meeting: &Meeting, tried: &IndexVec<VertexIndex, usize>) -> Option<DVec3> {
    let members = &meeting.members;
    let most = members.iter().map(|v| tried[*v]).max()?;
    let is_pinned = |v: &VertexIndex| world.state.motion.vertex_pins[*v].is_some();
    if most == 0 || members.iter().any(is_pinned) {
        return None;
    }
    let x = &world.state.motion.positions;
    let (first, last) = (x[members[0]], x[members[members.len() - 1]]);
    if let Some(part) = PLACES.get(most - 1) {
        return Some(first.lerp(last, *part));
    }
    let number = most - 1 - PLACES.len();
    let along = (last - first).normalize_or_zero();
    let across = mean_normal(world, members).reject_from(along).normalize_or_zero();
    let direction =
        DMat3::from_cols(across, along, across.cross(along)) * DIRECTIONS[number % DIRECTIONS.len()];
    let far = BESIDE[(number / DIRECTIONS.len()).min(BESIDE.len() - 1)];
    Some(0.5 * (first + last) + direction * (far * meeting.share))
}

/// The direction across the cloth around some vertices.
fn mean_normal(world: &World, vertices: &[VertexIndex]) -> DVec3 {
    let (topology, x) = (&world.state.sheet.topology, &world.state.motion.positions);
    let normal = |fi: &FaceIndex| {
        let [a, b, c] = topology.faces[*fi].map(|vi| x[vi]);
        (b - a).cross(c - a)
    };
    let around = vertices.iter().flat_map(|vi| topology.faces_around(*vi));
    around.map(normal).sum::<DVec3>().normalize_or_zero()
}

/// Default meeting place of vertices in a weld.
fn natural_place(world: &World, members: &[VertexIndex]) -> DVec3 {
    let (state, keys) = (&world.state.motion, world.state.sheet.vertex_keys());
    let pinned = members.iter().filter(|v| world.state.motion.vertex_pins[**v].is_some());
    if let Some(v) = pinned.min_by_key(|v| keys[**v]) {
        return state.positions[*v];
    }
    let mass: f64 = members.iter().map(|v| state.masses[*v]).sum();
    members.iter().map(|v| state.positions[*v] * state.masses[*v]).sum::<DVec3>() / mass
}

/// The first vertices of the meetings that would make something cross that does not cross now or go into an obstacle in
/// closed form, and in how many crossings.
fn crossed_by(world: &World, meetings: &[Meeting]) -> BTreeMap<VertexIndex, usize> {
    let mut found = BTreeMap::new();
    let Some(proximity) = world.derived.proximity.as_ref() else { return found };
    let mut x = contact_positions(world);
    let mut joined: Vec<u32> = (0..x.len() as u32).collect();
    for meeting in meetings {
        let place = meeting.place.unwrap_or_else(|| natural_place(world, &meeting.members));
        let kept = meeting.members[0].0;
        for v in &meeting.members {
            (x[v.to_usize()], joined[v.to_usize()]) = (place, kept);
        }
        found.insert(meeting.members[0], 0);
    }
    let crossings = proximity.count_crossings_if_joined(&x, &joined);
    let shapes = shapes(&world.setup, world.state.time);
    for meeting in meetings {
        let sinks = |v: &VertexIndex, place| {
            goes_deeper(
                &world.setup,
                &world.state.sheet,
                &shapes,
                *v,
                [world.state.motion.positions[*v], place],
            )
        };
        // Where a weld puts them by itself contact takes them out again; other places are chosen, and not inside of something.
        if meeting.place.is_some_and(|place| meeting.members.iter().all(|v| sinks(v, place))) {
            found.entry(meeting.members[0]).and_modify(|count| *count += 1);
        }
    }
    for crossing in new_crossings(proximity, crossings, &joined) {
        for v in crossing.edge.into_iter().chain(crossing.face) {
            found.entry(VertexIndex(v)).and_modify(|count| *count += 1);
        }
    }
    found.retain(|_, count| *count > 0);
    found
}

/// The vertices that a plan has to move, for a weld would let them meet elsewhere.
fn moves(world: &World, meetings: &[Meeting]) -> Vec<(VertexKey, DVec3)> {
    let keys = world.state.sheet.vertex_keys();
    let of = |meeting: &Meeting| {
        let place = meeting.place;
        meeting.members.iter().filter_map(|v| Some((keys[*v], place?))).collect::<Vec<_>>()
    };
    meetings.iter().flat_map(of).collect()
}

/// Crossings that are not there now.
fn new_crossings(proximity: &Proximity, mut crossings: Vec<Crossing>, joined: &[u32]) -> Vec<Crossing> {
    let rename = |crossing: &Crossing| {
        let name = |v: u32| joined[v as usize];
        let mut named = Crossing { edge: crossing.edge.map(name), face: crossing.face.map(name) };
        named.edge.sort_unstable();
        named
    };
    let known: BTreeSet<Crossing> = proximity.crossings().iter().map(rename).collect();
    crossings.retain(|crossing| !known.contains(crossing));
    crossings
}

/// Leaves out the pairs beside which nothing becomes one: two faces would meet in a vertex alone.
fn drop_lonely(pairs: &[[VertexIndex; 2]], numbers: &mut Vec<usize>) {
    let mut is_one: Vec<bool> = pairs.iter().map(|[a, b]| a == b).collect();
    numbers.iter().for_each(|number| is_one[*number] = true);
    let has_neighbor = |number: &usize| {
        let count = pairs.len();
        is_one[(number + 1) % count] || is_one[(number + count - 1) % count]
    };
    numbers.retain(has_neighbor);
}
