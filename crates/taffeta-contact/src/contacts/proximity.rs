//! Cloths against cloths and meshes: which pairs of primitives are near, the contacts between them, and the safeguard
//! that keeps them apart.
//!
//! Pairs are collected around the motion that is expected, with a margin, and stay complete until a vertex leaves its
//! room. Contacts are measured at the end of the motion, or where a pair crosses; the safeguard begins at the start, where
//! nothing crosses.

mod frames;
mod meetings;

pub use crate::contacts::step::Step;
pub use meetings::ContactFilter;

use frames::find_frames;

use crate::broad::boxes::{Aabb, MovingBox};
use crate::broad::candidates::collect_pairs;
use crate::broad::elements::{ELEMENTS_PER_TASK, Element, Elements};
use crate::broad::near::{BoxedElements, NearSearch};
use crate::broad::pair::{PAIRS_PER_TASK, Pair, closest};
use crate::ccd::pair_limits::{StepLimits, truncate_among};
use crate::ccd::path::Path;
use crate::ccd::shape_limits::{FaceAtShape, GuardedFace, MovingShape, is_sunken, watch_faces};
use crate::contacts::detect::ContactSurface;
use crate::contacts::exempt::ExemptPairs;
use crate::contacts::motion_bounds::MotionBounds;
use crate::contacts::neighborhoods::FeatureNeighborhoods;
use crate::intersections::crossings::{Crossing, find_crossings_among};
use crate::intersections::quarantine::Quarantine;
use crate::shapes::shape::WorldShape;
use glam::DVec3;
use taffeta_core::Friction;
use taffeta_core::tasks::{collect, map};

/// Part of the rest distance of a pair that its offset may reach: cloth does not push itself apart at rest.
const REST_SHARE: f64 = 0.9;
/// Part of the sum of the offsets that a pair keeps in any case: the two sides of a tear have no distance at rest. Less than
/// the distance at which they start as long as edges are longer than the cloth is thick.
const LEAST_SHARE: f64 = 1e-3;
/// The separation that the safeguard keeps, relative to the offset.
pub const HARD_SHARE: f64 = 0.1;
/// Least number of substeps for which a search expects the motion to go on as in one. A search costs as much as some ten
/// substeps with the pairs that it found. Where the cloth is calm it serves more ([`MotionBounds`]).
const AHEAD: f64 = 4.0;
/// Time \[s\] for which a search expects that if it is longer than so many substeps.
const AHEAD_TIME: f64 = 0.008;
/// Most substeps for which a search expects that.
const AHEAD_MOST: f64 = 64.0;
/// Distance from there up to which the pairs stay complete, relative to the widest offset; by up to how much more if they are
/// to serve more substeps. Wider ones are more pairs to measure in each of them.
const MARGIN: f64 = 2.0;
const MARGIN_GROWTH: f64 = 2.0;
/// Number of times, at most, that pairs are collected anew around what is stopped, as groups grow by it.
const COLLECTIONS: u32 = 3;

/// A body made of triangles or segments.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct MeshBody {
    /// Half its thickness, and its friction.
    pub surface: ContactSurface,
    /// True if it moves by itself. Bodies that do not are obstacles: they do not meet each other.
    pub is_cloth: bool,
    /// True if it meets itself and others that move by themselves; obstacles it meets in any case.
    pub meets_cloths: bool,
}

impl MeshBody {
    /// A body that moves by itself.
    pub fn cloth(surface: ContactSurface, meets_cloths: bool) -> Self {
        Self { surface, is_cloth: true, meets_cloths }
    }

    /// A body that moves as prescribed; its surface is where its faces are.
    pub fn obstacle(friction: Friction) -> Self {
        Self { surface: ContactSurface { offset: 0.0, friction }, is_cloth: false, meets_cloths: false }
    }
}

/// Finds the pairs of cloths and meshes that are near each other.
#[derive(Clone, Debug, Default)]
pub struct Proximity {
    elements: Elements,
    fans: FeatureNeighborhoods,
    bodies: Vec<MeshBody>,
    /// A point of each vertex in material space \[m\]; distances there limit the offsets within a cloth.
    layout: Vec<DVec3>,
    search: NearSearch,
    /// The number of elements and of vertices of bodies that move by themselves: they come first.
    movers: usize,
    moving_vertices: usize,
    /// The boxes of the vertices of obstacles for which the pairs were collected.
    obstacle_boxes: Vec<MovingBox>,
    bounds: MotionBounds,
    /// True if the pairs are to be collected whatever the bounds of the motion say.
    is_stale: bool,
    pairs: Vec<Pair>,
    /// The distance that each pair is to keep \[m\].
    offsets: Vec<f64>,
    /// Pairs that are about to be joined.
    joints: ExemptPairs,
    /// Present crossings, which cannot be kept apart.
    quarantine: Quarantine,
    /// Looks at pairs of elements and of primitives that nobody has asked for yet.
    work: u64,
}

impl Proximity {
    /// A detector for the elements of some bodies. `layout` gives a point of each vertex in material space \[m\].
    ///
    /// # Panics
    /// If obstacles do not come last.
    pub fn new(elements: Elements, bodies: Vec<MeshBody>, layout: Vec<DVec3>) -> Self {
        let is_mover = |body: u32| bodies[body as usize].is_cloth;
        let movers = elements.list.partition_point(|element| is_mover(element.body));
        let moving_vertices = elements.vertex_bodies.partition_point(|body| is_mover(*body));
        let is_last = !elements.list[movers..].iter().any(|element| is_mover(element.body));
        assert!(is_last, "obstacles must come after what moves by itself");
        let fans = FeatureNeighborhoods::build(&elements);
        Self { elements, fans, bodies, layout, movers, moving_vertices, ..Self::default() }
    }

    /// Sets the pairs of vertices that are about to become one, with the distance \[m\] that each pair keeps until then. It
    /// takes the place of the contact distance. These vertices and the faces around them slide along each other without
    /// friction, but do not cross.
    pub fn sew(&mut self, pairs: impl Iterator<Item = ([u32; 2], f64)>) {
        self.joints = ExemptPairs::build(&self.elements, pairs);
        self.is_stale = true;
    }

    /// Returns a predicate that tells whether two bodies, or a body and itself, can meet.
    fn meets(bodies: &[MeshBody]) -> impl Fn(u32, u32) -> bool + Sync + '_ {
        |a, b| {
            let (a, b) = (&bodies[a as usize], &bodies[b as usize]);
            a.is_cloth != b.is_cloth || a.meets_cloths && b.meets_cloths
        }
    }

    /// The pairs that may be near each other.
    pub fn pairs(&self) -> &[Pair] {
        &self.pairs
    }

    /// The crossings at positions `x` \[m\], exactly.
    pub fn count_crossings(&self, x: &[DVec3]) -> Vec<Crossing> {
        self.crossings_among(&self.elements.list, x)
    }

    fn crossings_among(&self, list: &[Element], x: &[DVec3]) -> Vec<Crossing> {
        let boxes: Vec<_> = x.iter().map(|x| MovingBox::still(Aabb::around([*x]))).collect();
        let obstacles = &x[self.moving_vertices.min(x.len())..];
        let is_known = self.obstacle_boxes.len() == obstacles.len()
            && self.obstacle_boxes.iter().zip(obstacles).all(|(area, x)| area.swept().contains(*x));
        let elements = BoxedElements { list, boxes: &boxes, movers: self.movers };
        let near = self.search.look(elements, is_known, Self::meets(&self.bodies));
        find_crossings_among(list, &near, x)
    }

    /// The crossings at positions `x` \[m\] if vertices became one: `joined` tells for each which it is then.
    pub fn count_crossings_if_joined(&self, x: &[DVec3], joined: &[u32]) -> Vec<Crossing> {
        let mut list = self.elements.list.clone();
        for corner in list.iter_mut().flat_map(|element| &mut element.corners) {
            *corner = joined[*corner as usize];
        }
        self.crossings_among(&list, x)
    }

    /// The faces of cloths that reach into obstacles in closed form at positions `x` \[m\], obstacle by obstacle.
    pub fn find_sunken(&self, x: &[DVec3], shapes: &[WorldShape]) -> Vec<FaceAtShape> {
        let of_shape = |(number, shape): (u32, &WorldShape)| {
            let skeleton = shape.skeleton();
            let sunken = |element: &Element| {
                let is_ours = element.is_face && self.bodies[element.body as usize].is_cloth;
                let is_in = || is_sunken(shape, &skeleton, element.corners.map(|v| x[v as usize]));
                (is_ours && is_in()).then_some(FaceAtShape { corners: element.corners, shape: number })
            };
            let list = &self.elements.list;
            collect(list.len(), ELEMENTS_PER_TASK, |range, out| {
                out.extend(list[range].iter().filter_map(sunken))
            })
        };
        (0..).zip(shapes).flat_map(of_shape).collect()
    }

    /// The body of a vertex.
    pub fn body_of(&self, vertex: u32) -> u32 {
        self.elements.vertex_bodies[vertex as usize]
    }

    /// Forced pairs, given by their numbers, at which no crossing is known: one side has gone through the other.
    pub fn find_passed(&self, forced: &[u32]) -> Vec<Pair> {
        let pairs = forced.iter().map(|number| self.pairs[*number as usize]);
        pairs.filter(|pair| !self.quarantine.holds(pair)).collect()
    }

    /// Notes what crosses at positions `x` \[m\]: the pairs around it are not kept apart. `is_held` tells of the vertices of
    /// cloths which of them cannot move. Returns what crosses.
    pub fn record_crossings(&mut self, x: &[DVec3], is_held: impl Fn(u32) -> bool) -> &[Crossing] {
        let moving = self.moving_vertices as u32;
        let is_fixed = |v: u32| v >= moving || is_held(v);
        self.quarantine = Quarantine::new(&self.elements, self.count_crossings(x), is_fixed);
        self.quarantine.crossings()
    }

    /// Crossings, as noted last.
    pub fn crossings(&self) -> &[Crossing] {
        self.quarantine.crossings()
    }

    /// Sees to it that the pairs are complete for a motion; returns whether they had to be collected anew.
    pub fn follow(&mut self, step: Step<'_>) -> bool {
        self.follow_ahead(step, step)
    }

    /// Like [`follow`](Self::follow), for a motion that is the beginning of another one: those that are collected are for that.
    pub fn follow_ahead(&mut self, step: Step<'_>, whole: Step<'_>) -> bool {
        if !self.is_stale && self.bounds.hold(step) {
            return false;
        }
        self.collect_expected(whole);
        true
    }

    /// Number of pairs of elements and of primitives that have been looked at since the last call: a measure of time
    /// that does not depend on the machine.
    pub fn take_pair_count(&mut self) -> u64 {
        std::mem::take(&mut self.work)
    }

    /// Lets the next step collect all pairs anew.
    pub fn forget(&mut self) {
        self.is_stale = true;
    }

    /// Bounds of the vertices when the pairs were collected; `None`: the next step collects them anew.
    pub fn bounds(&self) -> Option<&MotionBounds> {
        (!self.is_stale).then_some(&self.bounds)
    }

    /// Collects the pairs that were collected for these bounds: with them what follows is the same, bit by bit.
    ///
    /// # Panics
    /// If the bounds are not of the vertices at hand.
    pub fn resume(&mut self, bounds: MotionBounds) {
        assert!(bounds.are_sound(self.elements.vertex_count), "bounds of other vertices");
        self.collect_for(bounds);
    }

    /// Collects the pairs for a motion that goes on as in a substep.
    fn collect_expected(&mut self, step: Step<'_>) {
        let widest = self.bodies.iter().map(|body| body.surface.offset).fold(0.0, f64::max);
        let moving = self.moving_vertices;
        // What stands still needs no bounds: a box that is the same as before costs nothing.
        let is_still = |v: usize| v >= moving && step.start[v] == step.end[v];
        let ahead = expect_ahead(step.h);
        let margin = MARGIN * widest * (ahead / AHEAD).min(MARGIN_GROWTH);
        self.collect_for(MotionBounds::new(step, ahead, |v| if is_still(v) { 0.0 } else { margin }));
    }

    /// Collects the pairs for vertices in their bounds.
    fn collect_for(&mut self, bounds: MotionBounds) {
        let boxes = bounds.boxes(|v| self.reach(v));
        self.collect(boxes, |pair| bounds.relative_way(pair), bounds.centers(), None);
        self.bounds = bounds;
        self.is_stale = false;
    }

    /// Collects the pairs for a substep in which each vertex may be stopped anywhere on its way. They hold for that alone. Only
    /// those around the movers of `few`, if these are all that move.
    fn collect_stopped(&mut self, path: Path<'_>, few: Option<&[u32]>) {
        let around = |(v, x): (usize, &DVec3)| {
            let ways = [DVec3::ZERO, path.kept(v as u32), path.moves[v]];
            MovingBox::still(Aabb::around(ways.map(|way| *x + way)).inflated(self.reach(v)))
        };
        let boxes = path.start.iter().enumerate().map(around).collect();
        let way = |pair: &Pair| {
            let (first, second) = pair.vertices.split_at(pair.split());
            let length = |v: &u32| path.kept(*v).length().max(path.moves[*v as usize].length());
            let longest = |side: &[u32]| side.iter().map(length).fold(0.0, f64::max);
            longest(first) + longest(second)
        };
        self.collect(boxes, way, path.start, few);
        self.is_stale = true;
    }

    /// The distance from a vertex at which its surface is \[m\].
    fn reach(&self, v: usize) -> f64 {
        self.bodies[self.elements.vertex_bodies[v] as usize].surface.offset
    }

    /// Collects the pairs whose boxes meet and which come within reach if they come closer by their `way` \[m\].
    /// Only those of the movers of `few`, if there are such.
    fn collect(
        &mut self,
        boxes: Vec<MovingBox>,
        way: impl Fn(&Pair) -> f64 + Sync,
        start: &[DVec3],
        few: Option<&[u32]>,
    ) {
        let first = self.moving_vertices;
        let moved = self.obstacle_boxes != boxes[first..];
        self.obstacle_boxes = boxes[first..].to_vec();
        let list = &self.elements.list;
        let elements = BoxedElements { list, boxes: &boxes, movers: self.movers };
        let meets = Self::meets(&self.bodies);
        let near = match few {
            None => self.search.find(elements, moved, meets),
            Some(few) => self.search.find_around(elements, moved, few, meets),
        };
        let may_meet = |pair: &Pair| {
            let reach =
                self.reach(pair.vertices[0] as usize) + self.reach(pair.vertices[pair.split()] as usize);
            closest(pair.kind, pair.gather(start)).gap.length() <= way(pair) + reach
        };
        self.pairs = collect_pairs(list, &near, &boxes, may_meet);
        self.work += near.len() as u64;
        self.offsets = map(&self.pairs, PAIRS_PER_TASK, |pair| self.offset(pair));
    }

    /// The distance that a pair is to keep \[m\]: both offsets, but within a cloth not more than the material allows.
    fn offset(&self, pair: &Pair) -> f64 {
        let [a, b] = [0, pair.split()].map(|k| pair.vertices[k] as usize);
        let sum = self.reach(a) + self.reach(b);
        if self.elements.vertex_bodies[a] != self.elements.vertex_bodies[b] {
            return sum;
        }
        let gap = self.joints.gap(pair).unwrap_or(sum);
        let rest = REST_SHARE * closest(pair.kind, pair.gather(&self.layout)).gap.length();
        sum.min(gap).min(rest.max(LEAST_SHARE * sum))
    }

    /// Finds what would cross on the motion of a substep. Nothing does if the result is whole. Otherwise it tells which pairs are in the
    /// way, but not what else would meet the vertices that are stopped; [`secure`](Self::secure) does. Call
    /// [`follow`](Self::follow) before, for the same step.
    pub fn check(&mut self, step: Step<'_>) -> StepLimits {
        self.shorten_in_frames(step, &moves_of(step)).0
    }

    /// The fractions of a motion among the pairs at hand, and the frames in which they are.
    fn shorten_in_frames(&mut self, step: Step<'_>, moves: &[DVec3]) -> (StepLimits, Vec<DVec3>) {
        let still = vec![DVec3::ZERO; moves.len()];
        let found = self.shorten(step, moves, &still);
        if found.is_whole() {
            return (found, still);
        }
        let frames = self.frames(step, moves);
        (self.shorten(step, moves, &frames), frames)
    }

    /// Shortens the motion of a substep so that no pair crosses; `end` is what was proposed. Call
    /// [`follow`](Self::follow) before, for the same step.
    pub fn secure(&mut self, step: Step<'_>) -> (Vec<DVec3>, StepLimits) {
        let moves = moves_of(step);
        let (mut found, mut frames) = self.shorten_in_frames(step, &moves);
        for round in 1..=COLLECTIONS {
            let path = step.path(&moves, &frames);
            let is_lost = |v: usize| {
                let fraction = found.fractions[v];
                fraction < 1.0 && !self.bounds.hold_at_end(v, step.stop(v, fraction, path), step)
            };
            if !(0..moves.len()).any(is_lost) {
                break;
            }
            // What is stopped far from where it was expected is in the way of others, and its group may be larger.
            self.collect_stopped(path, None);
            let grown = self.frames(step, &moves);
            let is_last = grown == frames;
            if !is_last {
                frames = if round == COLLECTIONS { vec![DVec3::ZERO; moves.len()] } else { grown };
                self.collect_stopped(step.path(&moves, &frames), None);
            }
            found = self.shorten(step, &moves, &frames);
            if is_last {
                break;
            }
        }
        let path = step.path(&moves, &frames);
        let end = |v: usize| step.stop(v, found.fractions[v], path);
        ((0..moves.len()).map(end).collect(), found)
    }

    /// The frame of each vertex in a substep \[m\], see [`frames`].
    fn frames(&self, step: Step<'_>, moves: &[DVec3]) -> Vec<DVec3> {
        let watch = |path: Path<'_>| self.watch_faces(path, step.shapes);
        find_frames(step, moves, &self.pairs, |i| HARD_SHARE * self.offsets[i], watch)
    }

    /// The fractions of a motion in its frames.
    fn shorten(&mut self, step: Step<'_>, moves: &[DVec3], frames: &[DVec3]) -> StepLimits {
        let found = self.truncate(step.path(moves, frames), step.shapes);
        self.work += self.pairs.len() as u64 + found.looks;
        found
    }

    /// Like [`secure`](Self::secure), for a motion of a few vertices while all others are held. The pairs around them
    /// are collected for it alone.
    pub fn secure_few(&mut self, step: Step<'_>) -> (Vec<DVec3>, StepLimits) {
        let moves = moves_of(step);
        let moves_with =
            |element: &Element| element.corners.iter().any(|v| moves[*v as usize] != DVec3::ZERO);
        let movers = (0..).zip(&self.elements.list[..self.movers]);
        let few: Vec<u32> = movers.filter(|(_, element)| moves_with(element)).map(|(i, _)| i).collect();
        let frames = vec![DVec3::ZERO; moves.len()];
        self.collect_stopped(step.path(&moves, &frames), Some(&few));
        let found = self.shorten(step, &moves, &frames);
        let path = step.path(&moves, &frames);
        let end = |v: usize| step.stop(v, found.fractions[v], path);
        ((0..moves.len()).map(end).collect(), found)
    }

    /// The faces of cloths whose motion may take them to obstacles in closed form.
    fn watch_faces(&self, path: Path<'_>, shapes: &[MovingShape<'_>]) -> Vec<GuardedFace> {
        if shapes.is_empty() {
            return Vec::new();
        }
        let faces = self.elements.list.iter().filter(|e| e.is_face && self.bodies[e.body as usize].is_cloth);
        let faces: Vec<_> = faces.map(|element| element.corners).collect();
        watch_faces(shapes, &faces, |v| HARD_SHARE * self.reach(v as usize), path)
    }

    /// The fractions of a motion after which nothing crosses that was collected and crossed nothing before.
    fn truncate(&self, path: Path<'_>, shapes: &[MovingShape<'_>]) -> StepLimits {
        let faces = self.watch_faces(path, shapes);
        if self.quarantine.is_empty() {
            return truncate_among(&self.pairs, |i| HARD_SHARE * self.offsets[i], path, shapes, faces);
        }
        let kept: Vec<usize> =
            (0..self.pairs.len()).filter(|i| !self.quarantine.holds(&self.pairs[*i])).collect();
        let pairs: Vec<_> = kept.iter().map(|i| self.pairs[*i]).collect();
        let mut found = truncate_among(&pairs, |i| HARD_SHARE * self.offsets[kept[i]], path, shapes, faces);
        // By their numbers among all pairs.
        found.forced.iter_mut().for_each(|number| *number = kept[*number as usize] as u32);
        found
    }
}

/// The motions of all vertices as proposed \[m\].
fn moves_of(step: Step<'_>) -> Vec<DVec3> {
    step.start.iter().zip(step.end).map(|(x, y)| *y - *x).collect()
}

/// Number of substeps of a length \[s\] that a search is to serve.
fn expect_ahead(h: f64) -> f64 {
    if h > 0.0 { (AHEAD_TIME / h).floor().clamp(AHEAD, AHEAD_MOST) } else { AHEAD }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::contacts::response::Contact;
    use taffeta_core::random::SplitMix64;

    const OFFSET: f64 = 1e-3;
    const REST: [DVec3; 250] = [DVec3::ZERO; 250];

    /// Sheets of 1 m² with `n × n` squares, one above the other, and the distance between them \[m\].
    fn stack(n: u32, count: u32, distance: f64) -> (Proximity, Vec<DVec3>) {
        let at = |i: u32, j: u32| j * (n + 1) + i;
        let square = |k: u32| {
            let (i, j) = (k % n, k / n);
            let [a, b, c, d] = [at(i, j), at(i + 1, j), at(i + 1, j + 1), at(i, j + 1)];
            [[a, b, c], [a, c, d]]
        };
        let vertices = (n + 1) * (n + 1);
        let faces: Vec<_> = (0..n * n).flat_map(square).collect();
        let (mut elements, mut x) = (Elements::default(), Vec::new());
        for sheet in 0..count {
            elements.add_triangles(vertices as usize, &faces, |_| sheet);
            let place = |v: u32| {
                let (i, j) = (f64::from(v % (n + 1)), f64::from(v / (n + 1)));
                DVec3::new(i / f64::from(n), distance * f64::from(sheet), j / f64::from(n))
            };
            x.extend((0..vertices).map(place));
        }
        let surface = ContactSurface { offset: OFFSET, friction: Friction::default() };
        let bodies = vec![MeshBody::cloth(surface, true); count as usize];
        (Proximity::new(elements, bodies, x.clone()), x)
    }

    #[test]
    fn a_flat_sheet_at_rest_has_no_contacts() {
        let (mut proximity, x) = stack(12, 1, 0.0);
        let prescribed = vec![false; x.len()];
        let step = still(&x, &prescribed);
        proximity.follow(step);
        assert!(contacts_of(&proximity, step).is_empty());
        assert!(!proximity.follow(step), "nothing has moved");
    }

    #[test]
    fn sheets_on_top_of_each_other_meet_at_the_sum_of_their_offsets() {
        let (mut proximity, x) = stack(4, 2, 2.5 * OFFSET);
        let mut end = x.clone();
        end[25..].iter_mut().for_each(|y| y.y -= 1e-3);
        let prescribed = vec![false; x.len()];
        let step = Step { end: &end, ..still(&x, &prescribed) };
        proximity.follow(step);
        let rows = contacts_of(&proximity, step);
        assert!(rows.len() >= 25);
        for Contact { row, .. } in rows {
            let gap = row.gap(row.interpolate(|vi| end[vi.0 as usize]));
            assert!((gap - (2.5e-3 - 1e-3 - 2.0 * OFFSET)).abs() < 1e-12, "{gap}");
            assert!(row.weights.iter().sum::<f64>().abs() < 1e-12);
        }
    }

    /// The contacts of the second of two sheets, and the positions at the end. The second sheet is turned by an angle
    /// \[rad\] in its plane, lies at a distance \[m\] from the first, and moves by `way` \[m\].
    fn slide(angle: f64, distance: f64, way: DVec3) -> (Vec<Contact>, Vec<DVec3>) {
        let (mut proximity, mut x) = stack(4, 2, distance);
        let turn = glam::DQuat::from_rotation_y(angle);
        x[25..].iter_mut().for_each(|x| *x = turn * *x);
        let end: Vec<_> = (0..).zip(&x).map(|(v, x)| if v < 25 { *x } else { *x + way }).collect();
        let prescribed = vec![false; x.len()];
        let step = Step { end: &end, ..still(&x, &prescribed) };
        proximity.follow(step);
        (contacts_of(&proximity, step), end)
    }

    #[test]
    fn what_slides_over_a_flat_sheet_is_pushed_across_it_only() {
        // By several edges, and with edges that are nearly parallel to those below.
        for angle in [0.0, 1e-4, 0.01, 0.3] {
            for (drop, way) in [(0.0, 0.7), (0.0, 0.02), (1e-3, 0.3), (6e-3, 0.1)] {
                let (contacts, end) = slide(angle, 2.0 * OFFSET, DVec3::new(way, -drop, 0.3 * way));
                assert!(contacts.len() > 10, "{}", contacts.len());
                for Contact { row, .. } in contacts {
                    assert!(row.normal.y.abs() > 1.0 - 1e-12, "{angle} {way} {drop} {row:?}");
                    let gap = row.gap(row.interpolate(|vi| end[vi.0 as usize]));
                    assert!((gap + drop).abs() < 1e-12, "{gap} {drop}");
                }
            }
        }
    }

    #[test]
    fn what_passes_outside_of_the_thickness_is_not_held_up() {
        for angle in [0.0, 0.01, 0.3] {
            let (contacts, end) = slide(angle, 6.0 * OFFSET, DVec3::new(0.09, 0.0, 0.01));
            for Contact { row, .. } in contacts {
                let gap = row.gap(row.interpolate(|vi| end[vi.0 as usize]));
                assert!(gap > 0.0, "{row:?}");
            }
        }
    }

    fn contacts_of(proximity: &Proximity, step: Step<'_>) -> Vec<Contact> {
        let mut found = Vec::new();
        proximity.add_contacts(step, ContactFilter::Nearest { bearing: &[], stopped: &[] }, &mut found);
        found
    }

    /// A step of things that were at rest, from `x` to `x`.
    fn still<'a>(x: &'a [DVec3], prescribed: &'a [bool]) -> Step<'a> {
        Step { start: x, end: x, velocities: &REST[..x.len()], prescribed, time: 0.0, h: 0.01, shapes: &[] }
    }

    /// A crumpled sheet that crosses itself nowhere: the identity, pushed about at random by the safeguard itself.
    fn crumple(proximity: &mut Proximity, mut x: Vec<DVec3>, random: &mut SplitMix64) -> Vec<DVec3> {
        let prescribed = vec![false; x.len()];
        for _ in 0..30 {
            let mut push = || DVec3::from_array([0; 3].map(|_| 0.1 * (random.next_unit() - 0.5)));
            let end: Vec<_> = x.iter().map(|x| *x * 0.97 + push()).collect();
            let step = Step { end: &end, ..still(&x, &prescribed) };
            proximity.follow(step);
            let (next, truncation) = proximity.secure(step);
            assert!(truncation.forced.is_empty());
            x = next;
            assert_eq!(proximity.count_crossings(&x), []);
        }
        x
    }

    #[test]
    fn nothing_crosses_however_it_is_pushed() {
        let mut random = SplitMix64(7);
        let (mut proximity, x) = stack(8, 3, 0.02);
        let crumpled = crumple(&mut proximity, x, &mut random);
        let mean = crumpled.iter().sum::<DVec3>() / crumpled.len() as f64;
        let size = crumpled.iter().map(|x| x.distance(mean)).fold(0.0, f64::max);
        assert!(size < 0.6, "the sheets must have been crumpled: {size}");
    }

    #[test]
    fn free_fall_is_not_shortened() {
        let mut random = SplitMix64(9);
        let (mut proximity, x) = stack(8, 2, 0.02);
        let x = crumple(&mut proximity, x, &mut random);
        let fall = DVec3::new(0.1, -0.25, 0.05);
        assert!(fall.length() > 2.0 / 8.0, "two edge lengths");
        let end: Vec<_> = x.iter().map(|x| *x + fall).collect();
        for held in [false, true] {
            // With one vertex that cannot be stopped there is no common frame; it happens to fall along.
            let mut prescribed = vec![false; x.len()];
            prescribed[0] = held;
            let step = Step { end: &end, ..still(&x, &prescribed) };
            proximity.follow(step);
            let (found, truncation) = proximity.secure(step);
            assert!(truncation.fractions.iter().all(|t| *t == 1.0));
            assert_eq!(found, end);
        }
    }

    #[test]
    fn what_follows_something_that_is_stopped_is_stopped_too() {
        let (mut proximity, x) = stack(4, 3, 0.02);
        let prescribed: Vec<_> = (0..75).map(|v| v < 25).collect();
        let mut end = x.clone();
        end[25..].iter_mut().for_each(|y| y.y -= 0.1);
        let step = Step { end: &end, ..still(&x, &prescribed) };
        proximity.follow(step);
        let are_near = |pair: &Pair| {
            pair.vertices.iter().any(|v| (25..50).contains(v)) && pair.vertices.iter().any(|v| *v >= 50)
        };
        assert!(!proximity.pairs().iter().any(are_near), "what moves alike is not near");
        let (found, truncation) = proximity.secure(step);
        assert!(truncation.forced.is_empty());
        assert_eq!(proximity.count_crossings(&found), []);
        assert!(found[25..].iter().all(|y| y.y > 0.0), "{found:?}");
    }

    #[test]
    fn what_is_stopped_goes_on_with_the_obstacle_that_it_meets() {
        let (mut proximity, x) = below_an_obstacle();
        let prescribed: Vec<_> = (0..50).map(|v| v >= 25).collect();
        // The obstacle comes down upon a sheet that gives way too slowly.
        let moved = |v: usize| DVec3::Y * if prescribed[v] { -0.5 } else { -0.3 };
        let end: Vec<_> = x.iter().enumerate().map(|(v, x)| *x + moved(v)).collect();
        let step = Step { end: &end, ..still(&x, &prescribed) };
        proximity.follow(step);
        let (found, truncation) = proximity.secure(step);
        assert!(truncation.forced.is_empty() && truncation.fractions[..25].iter().all(|t| *t < 1.0));
        assert_eq!(proximity.count_crossings(&found), []);
        assert!((0..25).all(|v| found[v].y < found[v + 25].y && found[v].y > found[v + 25].y - 0.02));
    }

    #[test]
    fn what_an_unrelated_cloth_does_changes_nothing_where_something_is_stopped() {
        let (_, x) = stack(4, 2, 0.02);
        let count = x.len();
        let alone = |speed: Option<f64>| {
            let bodies = if speed.is_some() { 3 } else { 2 };
            let (mut proximity, mut x) = stack(4, bodies, 0.02);
            x[count..].iter_mut().for_each(|x| x.x += 100.0);
            let moved = |v: usize| match v / 25 {
                0 => DVec3::ZERO,
                1 => DVec3::Y * -0.1,
                _ => DVec3::X * speed.unwrap_or_default(),
            };
            let end: Vec<_> = x.iter().enumerate().map(|(v, x)| *x + moved(v)).collect();
            let prescribed = vec![false; x.len()];
            let step = Step { end: &end, ..still(&x, &prescribed) };
            proximity.follow(step);
            let (found, truncation) = proximity.secure(step);
            assert!(truncation.fractions[..count].iter().any(|t| *t < 1.0));
            found[..count].to_vec()
        };
        assert_eq!(alone(None), alone(Some(0.0)));
        assert_eq!(alone(None), alone(Some(3.0)));
    }

    #[test]
    fn an_obstacle_that_is_forced_into_a_cloth_is_reported() {
        let (mut proximity, x) = stack(3, 2, 0.01);
        let mut end = x.clone();
        end[16..].iter_mut().for_each(|y| y.y -= 0.02);
        let prescribed: Vec<_> = (0..x.len()).map(|_| true).collect();
        let step = Step { end: &end, ..still(&x, &prescribed) };
        proximity.follow(step);
        let (found, truncation) = proximity.secure(step);
        assert!(!truncation.forced.is_empty());
        assert_eq!(found, end, "what cannot be stopped is not stopped");
    }

    #[test]
    fn pairs_that_serve_many_short_substeps_give_what_a_search_in_each_of_them_gives() {
        let mut random = SplitMix64(17);
        let (mut kept, mut x) = stack(8, 2, 0.006);
        let mut fresh = kept.clone();
        let prescribed = vec![false; x.len()];
        let h = 2e-4;
        let (mut met, mut searched) = (0, 0);
        for substep in 0..60 {
            let mut push = || DVec3::from_array([0; 3].map(|_| 1e-5 * (random.next_unit() - 0.5)));
            // The upper sheet falls upon the lower one.
            let fall = |v: usize| if v < 81 { DVec3::ZERO } else { DVec3::Y * -0.4 };
            let velocities: Vec<_> = (0..x.len()).map(fall).collect();
            let end: Vec<_> = x.iter().zip(&velocities).map(|(x, v)| *x + *v * h + push()).collect();
            let time = h * f64::from(substep);
            let step = Step {
                start: &x,
                end: &end,
                velocities: &velocities,
                prescribed: &prescribed,
                time,
                h,
                shapes: &[],
            };
            fresh.forget();
            searched += usize::from(kept.follow(step));
            assert!(fresh.follow(step));
            let contacts = contacts_of(&kept, step);
            assert_eq!(contacts, contacts_of(&fresh, step));
            let (next, truncation) = kept.secure(step);
            assert_eq!((&next, &truncation), (&fresh.secure(step).0, &fresh.secure(step).1));
            met += contacts.len();
            x = next;
        }
        assert!(met > 100 && searched < 15, "{met} {searched}");
    }

    #[test]
    fn cloth_at_rest_is_not_searched_again_and_what_is_resumed_finds_the_same() {
        let (mut proximity, mut x) = stack(4, 2, 1.5 * OFFSET);
        let prescribed = vec![false; x.len()];
        let searches = |proximity: &mut Proximity, x: &mut [DVec3], step_by: f64| {
            let count = (0..64).filter(|substep| {
                x.iter_mut().for_each(|x| x.y += step_by);
                proximity.follow(Step { time: 0.01 * f64::from(*substep), ..still(x, &prescribed) })
            });
            count.count()
        };
        assert_eq!(searches(&mut proximity, &mut x, 0.0), 1);
        let mut resumed = stack(4, 2, 1.5 * OFFSET).0;
        resumed.resume(proximity.bounds().unwrap().clone());
        assert!(resumed.pairs() == proximity.pairs() && !resumed.pairs().is_empty());
        let step = Step { time: 0.63, ..still(&x, &prescribed) };
        assert!(!resumed.follow(step));
        assert_eq!(contacts_of(&resumed, step), contacts_of(&proximity, step));
        // What was said to be at rest and is not leaves its bounds.
        proximity.forget();
        let count = searches(&mut proximity, &mut x, 0.2 * OFFSET);
        assert!((4..=16).contains(&count), "{count}");
        proximity.forget();
        assert_eq!(proximity.bounds(), None);
    }

    /// A sheet of 5 × 5 vertices below an obstacle of the same shape.
    fn below_an_obstacle() -> (Proximity, Vec<DVec3>) {
        let (both, x) = stack(4, 2, 0.02);
        let bodies = vec![both.bodies[0], MeshBody::obstacle(Friction::default())];
        (Proximity::new(both.elements, bodies, x.clone()), x)
    }

    #[test]
    fn what_is_kept_of_the_obstacles_gives_the_contacts_of_a_fresh_search() {
        let mut random = SplitMix64(13);
        let (fresh, mut x) = below_an_obstacle();
        let mut kept = fresh.clone();
        let prescribed: Vec<_> = (0..50).map(|v| v >= 25).collect();
        let mut met = 0;
        for round in 0..20 {
            let mut push = || DVec3::from_array([0; 3].map(|_| 0.02 * (random.next_unit() - 0.4)));
            let mut end: Vec<_> = x.iter().map(|x| *x + push()).collect();
            let rise = DVec3::Y * if round % 3 == 0 { 0.01 } else { 0.0 };
            (25..50).for_each(|v| end[v] = x[v] + rise);
            let step = Step { end: &end, ..still(&x, &prescribed) };
            let mut new = fresh.clone();
            kept.forget();
            assert!(kept.follow(step) && new.follow(step));
            assert_eq!(contacts_of(&kept, step), contacts_of(&new, step));
            assert!(kept.pairs() == new.pairs());
            met += contacts_of(&kept, step).len();
            x = kept.secure(step).0;
            assert_eq!(kept.count_crossings(&x), new.count_crossings(&x));
            assert_eq!(kept.count_crossings(&x), []);
        }
        assert!(met > 10, "{met}");
    }
}
