//! The contacts that the solver is to keep: where and in which direction pairs of primitives come within reach.

use super::{HARD_SHARE, Proximity, Step};
use crate::broad::pair::{Closest, PAIRS_PER_TASK, Pair, PairKind, closest};
use crate::contacts::encounter::{Encounter, Passage};
use crate::contacts::neighborhoods::Nearest;
use crate::contacts::points::{ContactPoints, Feature, Point};
use crate::contacts::response::{Contact, ContactName};
use crate::shapes::obstacle::displacement_under;
use glam::{DMat3, DVec3};
use rayon::slice::ParallelSliceMut;
use taffeta_core::tasks::collect;
use taffeta_core::{ContactRow, Friction, VertexIndex};

/// Speed at which the curve along which surfaces cross is made shorter \[m/s\].
const PULL_SPEED: f64 = 1.0;
/// Angle \[rad\] and part of the thickness below which contacts of a vertex are one: round-off of where it is over an edge.
const TWIN_ANGLE: f64 = 1e-5;
const TWIN_SHARE: f64 = 1e-3;
/// Part of a distance that round-off may take.
const ROUND_OFF: f64 = 1e-9;
/// Which contacts are taken.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ContactFilter<'a> {
    /// Contacts where the distance of the surfaces has a local minimum, those inside of edges and faces that bear
    /// a load, and those of pairs that the safeguard has stopped.
    Nearest {
        /// The names of those that have borne a load in the last substep, sorted.
        bearing: &'a [ContactName],
        /// Pairs that would cross without a contact of their own, sorted. In a sharp fold the distance is least toward the crease,
        /// where two primitives share a vertex and are no pair.
        stopped: &'a [Pair],
    },
    /// Contacts of all pairs within reach. These are more than needed, and bumps to whatever slides over them. But a
    /// small motion never swaps one for another.
    All,
}

/// Sine of the angle by which the normal of a contact that has borne a load may lie outside of a normal cone. Without it
/// the least motion would make contacts of flat surfaces come and go. More would slow down sliding: 0.05 from the start
/// takes a tenth of a degree from each swing in a valley of cloth.
const LEAN: f64 = 0.05;

/// Returns whether the contact of two points has borne a load in the last substep.
fn has_borne(sides: &ContactPoints, bearing: &[ContactName]) -> bool {
    bearing.binary_search(&ContactName::Pair(sides.feature())).is_ok()
}

/// The contact of a pair.
struct Meeting {
    pair: Pair,
    passage: Passage,
    feature: Feature,
    contact: Contact,
}

/// Drops the contacts of vertices that go through one face and end beyond others: there they would be kept.
fn drop_beyond(found: &mut Vec<Meeting>) {
    let crossing =
        found.iter().filter(|meeting| meeting.passage == Passage::Crosses).map(|meeting| meeting.pair);
    let passing = |pair: Pair| pair.vertices.into_iter().take(if pair.split() == 1 { 1 } else { 4 });
    let mut through: Vec<u32> = crossing.flat_map(passing).collect();
    through.sort_unstable();
    through.dedup();
    found.retain(|Meeting { passage, pair, .. }| {
        *passage != Passage::GoesAround || through.binary_search(&pair.vertices[0]).is_err()
    });
}

/// Returns whether the boxes of a pair show that it does not come within reach on a way \[m\], as for most pairs.
fn is_far(pair: &Pair, x: &[DVec3; 4], way: f64, offset: f64) -> bool {
    pair.box_distance(x) > (1.0 + ROUND_OFF) * (offset + way.max(offset))
}

impl Proximity {
    /// Adds the contacts of a substep, of pairs that come within reach by the motion as predicted. Sorted by what touches:
    /// two faces that share the edge that touches give one contact.
    pub fn add_contacts(&self, step: Step<'_>, which: ContactFilter<'_>, contacts: &mut Vec<Contact>) {
        let mut found = collect(self.pairs.len(), PAIRS_PER_TASK, |range, found| {
            let near = self.pairs[range.clone()].iter().zip(&self.offsets[range]);
            found.extend(near.filter_map(|(pair, offset)| self.meet(pair, *offset, step, which)));
        });
        drop_beyond(&mut found);
        // Contacts are long: their names are sorted, each with its place.
        let mut order: Vec<(Feature, u32)> =
            (0..).zip(&found).map(|(i, meeting)| (meeting.feature, i)).collect();
        order.par_sort_unstable();
        order.dedup_by_key(|(feature, _)| *feature);
        let first = contacts.len();
        contacts.reserve(order.len());
        for (_, i) in order {
            let contact = found[i as usize].contact;
            let vertex = contact.row.vertex();
            let mut near = contacts[first..].iter().rev().take_while(|other| other.row.vertex() == vertex);
            if vertex.is_none() || !near.any(|other| is_twin(&other.row, &contact.row, step.start)) {
                contacts.push(contact);
            }
        }
    }

    /// Adds contacts without friction that pull crossing elements apart. Each contact asks a vertex to go to the other side
    /// of a face, or a little along the way that shortens the crossing. The speed is up to the response to deep contacts,
    /// which gives no velocity.
    pub fn add_pulls(&self, step: Step<'_>, contacts: &mut Vec<Contact>) {
        for pull in self.quarantine.pulls(&self.elements, step.start) {
            let [a, b, c] = pull.face;
            let pair = Pair { kind: PairKind::VertexFace, vertices: [pull.end, a, b, c] };
            let [u, v, w] = pull.weights;
            let sides = ContactPoints::new(&pair, &Closest { weights: [1.0, u, v, w], gap: DVec3::ZERO });
            let thickness = self.offset(&pair);
            let [end, point] = sides.points;
            let at = |point: &Point| point.interpolate(|v| step.start[v as usize]);
            let now = pull.normal.dot(at(&end) - at(&point));
            let wanted = if pull.is_through { thickness } else { now + PULL_SPEED * step.h };
            let mut contact = self.contact(sides, pull.normal, wanted, step);
            contact.row.thickness = thickness;
            contact.row.friction = Friction::NONE;
            contacts.push(contact);
        }
    }

    /// The contact of a pair: where it is at the end of the motion as predicted if elasticity could still close the gap that is
    /// left, or where it crosses.
    fn meet(&self, pair: &Pair, offset: f64, step: Step<'_>, which: ContactFilter<'_>) -> Option<Meeting> {
        let x = pair.gather(step.start);
        let moves = pair.vertices.map(|v| step.end[v as usize] - step.start[v as usize]);
        if is_far(pair, &x, pair.relative_way(&moves), offset) || self.quarantine.holds(pair) {
            return None;
        }
        let met = Encounter::of(pair, &x, &moves, HARD_SHARE * offset)?;
        let sides = ContactPoints::new(pair, &met.found);
        let crosses = met.passage == Passage::Crosses;
        if met.passage == Passage::GoesAround && pair.kind == PairKind::EdgeEdge {
            return None;
        }
        let depth = offset - closest(pair.kind, x).gap.length();
        let left = met.found.gap.length() - offset;
        if !crosses && left > 0.0 {
            // What elasticity can take back of the motion is the part of it along the gap. On the way back, what was apart at
            // the start must not be held up.
            let between = |x: &[DVec3]| {
                let [first, second] = sides.points.map(|point| point.interpolate(|v| x[v as usize]));
                met.normal.dot(first - second)
            };
            let begun = between(step.start);
            let approach = (between(step.end) - begun).abs();
            if left > approach.max(offset) || begun + depth.max(0.0) < (1.0 - HARD_SHARE) * offset {
                return None;
            }
        }
        let at = |v: u32| step.start[v as usize].lerp(step.end[v as usize], met.time);
        let is_mover = |v: u32| (v as usize) < self.moving_vertices;
        let is_through_face = crosses && pair.kind == PairKind::VertexFace && is_mover(pair.vertices[0]);
        let normal = match which {
            ContactFilter::All => met.normal,
            ContactFilter::Nearest { bearing, stopped } => {
                let is_stopped = stopped.binary_search(pair).is_ok();
                let is_kept = is_stopped || is_through_face || self.has_borne_inside(&sides, bearing);
                if is_kept { met.normal } else { self.nearest(&sides, met.normal, bearing, at)? }
            }
        };
        let mut contact = Contact { depth, ..self.contact(sides, normal, offset, step) };
        if self.joints.gap(pair).is_some() {
            contact.row.friction = Friction::NONE;
        }
        Some(Meeting { pair: *pair, passage: met.passage, feature: sides.feature(), contact })
    }

    /// The normal of a contact whose closest points are also closest among the points around them. Against an obstacle its
    /// own surface decides. Where it is flat, or the cloth lies in a hollow, the vertices of the cloth are enough. Between
    /// two cloths the normal is in the normal cones of both, except for a vertex over the inside of a face. The normal of a
    /// contact that has borne a load may lean a little.
    fn nearest(
        &self,
        sides: &ContactPoints,
        normal: DVec3,
        bearing: &[ContactName],
        at: impl Fn(u32) -> DVec3,
    ) -> Option<DVec3> {
        let [first, second] = &sides.points;
        let is_obstacle = |point: &Point| point.vertices[0] as usize >= self.moving_vertices;
        if is_obstacle(first) || is_obstacle(second) {
            let toward = [-normal, normal];
            let is = |k: usize, how: Nearest| self.fans.is_nearest(&sides.points[k], toward[k], how, &at);
            let (ours, theirs) = if is_obstacle(first) { (1, 0) } else { (0, 1) };
            let is_nearest = if sides.points[ours].count == 1 {
                is(theirs, Nearest::Weakly)
            } else {
                // Inside an edge or face of the cloth: above an edge or corner of the obstacle, or beside it.
                is(theirs, Nearest::Strictly) && (sides.points[theirs].count > 1 || is(ours, Nearest::Weakly))
            };
            return is_nearest.then_some(normal);
        }
        if first.count == 3 || second.count == 3 {
            return Some(normal);
        }
        let lean = if has_borne(sides, bearing) { LEAN } else { 0.0 };
        let normal = -self.fans.clamp(first, -normal, lean, &at)?;
        self.fans.clamp(second, normal, lean, &at)
    }

    /// Returns whether a contact of an obstacle with the inside of a face or of an edge has borne a load. Where a
    /// cloth lies on a mesh about as flat as itself, the least tilt moves the minimum of the distance from one such
    /// contact to another. They would hand each other load and friction for ever, and the cloth would not come to
    /// rest. They are no bumps, for their normals are those of the primitives, wherever the minimum is.
    fn has_borne_inside(&self, sides: &ContactPoints, bearing: &[ContactName]) -> bool {
        let is_obstacle = |point: &Point| point.vertices[0] as usize >= self.moving_vertices;
        let [first, second] = &sides.points;
        let are_inside = first.count + second.count == 4;
        are_inside && is_obstacle(first) != is_obstacle(second) && has_borne(sides, bearing)
    }

    /// The rotation of a body at a point of it over a substep; its elements tell how it turns.
    fn turn_at(&self, point: &Point, step: Step<'_>) -> DMat3 {
        let corners =
            if point.count == 3 { Some(point.vertices) } else { self.fans.first_at(point.vertices[0]) };
        let place = |x: &[DVec3]| corners.map(|corners| corners.map(|v| x[v as usize]));
        let (start, end) = (place(step.start), place(step.end));
        if start == end {
            return DMat3::IDENTITY;
        }
        match (start.and_then(axes), end.and_then(axes)) {
            (Some(start), Some(end)) => end * start.transpose(),
            _ => DMat3::IDENTITY,
        }
    }

    /// The contact of two points that are to keep a distance along a normal; a point of an obstacle moves as it does.
    fn contact(&self, sides: ContactPoints, normal: DVec3, offset: f64, step: Step<'_>) -> Contact {
        let body = |k: usize| {
            self.bodies[self.elements.vertex_bodies[sides.points[k].vertices[0] as usize] as usize]
        };
        let bodies = [body(0), body(1)];
        let friction = bodies[0].surface.friction.pair(bodies[1].surface.friction);
        let at = |x: &[DVec3], k: usize| sides.points[k].interpolate(|v| x[v as usize]);
        let mut row = ContactRow {
            vertices: [VertexIndex(sides.points[0].vertices[0]); 4],
            weights: [0.0; 4],
            normal,
            offset,
            thickness: offset,
            body_displacement: DVec3::ZERO,
            friction,
        };
        let side = usize::from(bodies[0].is_cloth);
        let turn = self.turn_at(&sides.points[side], step);
        let is_obstacle_first = !bodies[0].is_cloth;
        let mut count = 0;
        for (k, sign) in [(0, 1.0), (1, -1.0)] {
            let point = &sides.points[k];
            if bodies[k].is_cloth {
                let sign = if is_obstacle_first { -sign } else { sign };
                for i in 0..point.count {
                    row.vertices[count] = VertexIndex(point.vertices[i]);
                    row.weights[count] = sign * point.weights[i];
                    count += 1;
                }
                continue;
            }
            // The other point is the one that moves by itself: seen from the body.
            let outward = -sign * normal;
            row.normal = outward;
            row.offset = offset + outward.dot(at(step.end, k));
            let moved = at(step.end, k) - at(step.start, k);
            // What sticks to it at a distance goes farther than its surface, and need not be where the motion was to end.
            let (arm, arm_at_end) = (at(step.start, 1 - k) - at(step.start, k), outward * offset);
            let [along, across] = [turn * arm - arm, arm_at_end - turn.transpose() * arm_at_end];
            row.body_displacement = moved + displacement_under(outward, along, across);
        }
        if bodies.iter().all(|body| body.is_cloth) {
            let arm = at(step.start, 0) - at(step.start, 1);
            let along = turn * arm - arm;
            row.body_displacement = displacement_under(normal, along, DVec3::ZERO);
        }
        let first = row.vertices[0];
        (0..4).filter(|i| row.weights[*i] == 0.0).for_each(|i| row.vertices[i] = first);
        Contact { turn, ..Contact::new(ContactName::Pair(sides.feature()), row) }
    }
}

/// The axes of a triangle: along a side, across it, and its normal; `None` if it has no area.
fn axes([a, b, c]: [DVec3; 3]) -> Option<DMat3> {
    let along = (b - a).try_normalize()?;
    let normal = along.cross(c - a).try_normalize()?;
    Some(DMat3::from_cols(along, normal.cross(along), normal))
}

/// Returns whether two contacts of a vertex are equal but for round-off: it lies over an edge, and inside a face
/// beside it. Twice the springs would bear twice the share of friction under the same weight.
fn is_twin(a: &ContactRow, b: &ContactRow, x: &[DVec3]) -> bool {
    let gap = |row: &ContactRow| row.gap(row.interpolate(|vi| x[vi.0 as usize]));
    a.normal.distance(b.normal) < TWIN_ANGLE && (gap(a) - gap(b)).abs() < TWIN_SHARE * a.thickness
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::broad::elements::Elements;
    use crate::contacts::detect::ContactSurface;
    use crate::contacts::proximity::MeshBody;
    use taffeta_core::random::SplitMix64;

    #[test]
    fn what_sticks_to_a_mesh_turns_with_it_as_a_whole() {
        let (offset, friction) = (1e-3, taffeta_core::Friction::default());
        let mut elements = Elements::default();
        elements.add_triangles(3, &[[0, 1, 2]], |_| 0);
        elements.add_triangles(3, &[[0, 1, 2]], |_| 1);
        let cloth = MeshBody::cloth(ContactSurface { offset, friction }, false);
        let mut proximity =
            Proximity::new(elements, vec![cloth, MeshBody::obstacle(friction)], vec![DVec3::ZERO; 6]);
        let flat = [[0.0, 0.0], [0.1, 0.0], [0.0, 0.1], [-1.0, -1.0], [2.0, -1.0], [-1.0, 2.0]];
        let start: Vec<DVec3> =
            (0..).zip(flat).map(|(i, [x, z])| DVec3::new(x, if i < 3 { offset } else { 0.0 }, z)).collect();
        let turn = glam::DQuat::from_axis_angle(DVec3::new(0.6, 0.0, 0.8), 0.01);
        let end: Vec<DVec3> = start.iter().map(|x| turn * *x).collect();
        let prescribed = [false, false, false, true, true, true];
        let velocities = vec![DVec3::ZERO; 6];
        let step = Step {
            start: &start,
            end: &end,
            velocities: &velocities,
            prescribed: &prescribed,
            time: 0.0,
            h: 0.01,
            shapes: &[],
        };
        proximity.follow(step);
        let mut contacts = Vec::new();
        proximity.add_contacts(step, ContactFilter::Nearest { bearing: &[], stopped: &[] }, &mut contacts);
        assert_eq!(contacts.len(), 3);
        let rotation = DMat3::from_quat(turn);
        for Contact { row, turn: turned, .. } in contacts {
            assert!(turned.abs_diff_eq(rotation, 1e-14), "friction turns with the mesh: {turned}");
            let moved = row.interpolate(|vi| end[vi.0 as usize] - start[vi.0 as usize]);
            assert!(row.body_displacement.distance(moved) < 1e-14, "{row:?}");
            let of_surface = moved - (turn * (row.normal * offset) - row.normal * offset);
            assert!(of_surface.distance(moved) > 9e-6, "the surface below it moves less");
        }
    }

    #[test]
    fn what_boxes_tell_to_be_far_comes_within_reach_nowhere_on_its_way() {
        let mut random = SplitMix64(23);
        let mut counts = [0; 2];
        for kind in [PairKind::VertexFace, PairKind::EdgeEdge].repeat(500) {
            let pair = Pair { kind, vertices: [0, 1, 2, 3] };
            let mut points =
                |size: f64| [0; 4].map(|_| DVec3::from_array([0; 3].map(|_| size * random.next_unit())));
            let (x, moves) = (points(1.0), points(0.4));
            let offset = 0.02;
            let way = pair.relative_way(&moves);
            let is_far = is_far(&pair, &x, way, offset);
            counts[usize::from(is_far)] += 1;
            if !is_far {
                continue;
            }
            let distance = |t: f64| closest(kind, std::array::from_fn(|k| x[k] + moves[k] * t)).gap.length();
            assert!(distance(0.0) - offset > way.max(offset), "elasticity could close the gap");
            assert!((0..=50).all(|step| distance(f64::from(step) / 50.0) > offset));
        }
        assert!(counts.iter().all(|count| *count > 100), "{counts:?}");
    }
}
