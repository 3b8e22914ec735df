//! From candidates to contacts.
//!
//! Candidates are collected with a margin and measured again in every substep. They are collected anew when the cloth or an
//! obstacle has moved by a quarter of the margin since. Together the two have then moved by half of it.
//!
//! A contact is at a vertex, or at the point of an edge or face that is nearest to the obstacle, if it is nearer than the corners. An edge
//! or face that rests on something round has two or three contacts around that point. At boxes normals are those of the time of
//! impact, seen from the moving obstacle.

use crate::contacts::response::{Contact, ContactName};
use crate::shapes::obstacle::{Freedom, Obstacle, PlacedShape, displacement_under};
use crate::shapes::shape::{Skeleton, WorldShape};
use glam::DVec3;
use taffeta_core::geometry::closest_point_on_triangle;
use taffeta_core::index::DenseIndex;
use taffeta_core::lanes::Row;
use taffeta_core::{ContactRow, EdgeIndex, FaceIndex, Friction, IndexVec, SurfaceTopology, VertexIndex};

/// Thickness, friction and meeting partners of a cloth.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct ContactSurface {
    /// Distance that the mid-surface keeps from an obstacle \[m\]: half the thickness.
    pub offset: f64,
    /// Friction of the cloth.
    pub friction: Friction,
}

/// The state of a substep as detection needs it.
#[derive(Clone, Copy, Debug)]
pub struct SubstepView<'a> {
    /// Positions at the start \[m\].
    pub start: &'a [DVec3],
    /// Predicted positions \[m\] and inverse masses.
    pub rows: &'a [Row],
    /// True if the positions at the start count where something touches there. Otherwise contacts are wanted where
    /// the rows are.
    pub rests: bool,
    /// Time at the start \[s\].
    pub time: f64,
    /// Length \[s\].
    pub h: f64,
}

/// Number of a body, instead of that of a cloth, for vertices that meet nothing.
pub const MEETS_NOTHING: u32 = u32::MAX;

/// Finds the contacts of a cloth with the obstacles.
#[derive(Clone, Debug)]
pub struct Detector {
    surfaces: Vec<ContactSurface>,
    vertex_cloths: IndexVec<VertexIndex, u32>,
    candidates: Vec<Candidates>,
    /// Positions \[m\] and obstacles when the candidates were collected, and how far things may move before that is too old.
    collected_at: Vec<DVec3>,
    collected_shapes: Vec<WorldShape>,
    margin: f64,
}

/// Primitives that may touch one obstacle.
#[derive(Clone, Debug, Default)]
struct Candidates {
    vertices: Vec<VertexIndex>,
    edges: Vec<EdgeIndex>,
    faces: Vec<FaceIndex>,
}

/// Margin around the obstacles within which candidates are kept, relative to the extent of the cloth. Wider collects
/// more candidates, narrower collects more often.
const RELATIVE_MARGIN: f64 = 0.05;

/// The weights of a contact at a vertex.
const AT_FIRST: [f64; 4] = [1.0, 0.0, 0.0, 0.0];

/// Sagitta of an edge over a sphere, relative to the contact offset, below which its vertices alone keep it outside.
const NEGLIGIBLE_SAGITTA: f64 = 0.25;

/// Height of the points that an edge or face rests on above the point between them, over a curved body, relative to the
/// contact offset. It is several times the depth to which contacts are pressed in, so that the load shifts between all of
/// them. With five times as much, cloth rocked from one to another.
const REST_RISE: f64 = 0.02;

/// Distance, relative to the offset of the cloth, from which on the nearest side of a body with edges is sure.
const CLEAR: f64 = 0.25;

/// Halvings of the way to a body until it is known where it meets it.
const HALVINGS: u32 = 40;

/// Distance of a corner of a body from its place on a face, relative to that of the body, beyond which it is on the far side.
const FAR_SIDE: f64 = 2.0;

/// Part of the way to the nearest side of a face, or end of an edge, that these points may be apart.
const INSIDE: f64 = 0.9;

impl Detector {
    /// A detector for a world of cloths with the given surfaces; `vertex_cloths` tells which cloth a vertex belongs to, or that
    /// it [meets nothing](MEETS_NOTHING).
    pub fn new(surfaces: Vec<ContactSurface>, vertex_cloths: IndexVec<VertexIndex, u32>) -> Self {
        Self {
            surfaces,
            vertex_cloths,
            candidates: Vec::new(),
            collected_at: Vec::new(),
            collected_shapes: Vec::new(),
            margin: 0.0,
        }
    }

    /// The contacts of a substep, in the order obstacle; vertices, edges, faces; dense index.
    pub fn detect(
        &mut self,
        topology: &SurfaceTopology,
        obstacles: &[Obstacle],
        view: SubstepView<'_>,
    ) -> Vec<Contact> {
        let mut contacts = Vec::new();
        if obstacles.is_empty() {
            return contacts;
        }
        if self.is_stale(obstacles, &view) {
            self.collect(topology, obstacles, &view);
        }
        let mut clearances = vec![f64::INFINITY; topology.vertex_count];
        for (number, (obstacle, candidates)) in (0..).zip(obstacles.iter().zip(&self.candidates)) {
            let placed = obstacle.over_substep(view.time, view.h);
            let skeleton = placed.shape.skeleton();
            let clearances = &mut clearances;
            let mut probe = Probe { detector: self, placed, skeleton, number, obstacle, view, clearances };
            probe.measure_clearances(&candidates.vertices);
            let probe = &probe;
            let vertices = candidates.vertices.iter();
            contacts.extend(vertices.filter_map(|vi| probe.meet_vertex(*vi)));
            let edges = candidates.edges.iter();
            edges.for_each(|ei| probe.meet_edge(topology.edges[*ei].vertices, &mut contacts));
            candidates.faces.iter().for_each(|fi| probe.meet_face(topology.faces[*fi], &mut contacts));
        }
        contacts
    }

    /// Returns whether the candidates are out of date: something has moved by a quarter of the margin since they were
    /// collected, or is not a number.
    fn is_stale(&self, obstacles: &[Obstacle], view: &SubstepView<'_>) -> bool {
        if self.collected_at.len() != view.rows.len() || self.candidates.len() != obstacles.len() {
            return true;
        }
        let limit = 0.25 * self.margin;
        let pairs = self.collected_at.iter().zip(view.rows);
        let cloth_moved = pairs.map(|(x, row)| x.distance_squared(row.position())).fold(0.0, f64::max);
        let mut moving = obstacles.iter().zip(&self.collected_shapes).filter(|(o, _)| !o.motion.is_still());
        let body_moved = moving.any(|(obstacle, then)| {
            // Only where the surface is matters: a sphere that turns does not move.
            let now = obstacle.over_substep(view.time + view.h, 0.0).shape;
            now.moved_since(then) > limit
        });
        let lost = view.rows.iter().any(|row| !row.position().is_finite());
        body_moved || lost || cloth_moved > limit * limit
    }

    /// Collects everything near each obstacle.
    fn collect(&mut self, topology: &SurfaceTopology, obstacles: &[Obstacle], view: &SubstepView<'_>) {
        self.collected_at = view.rows.iter().map(|row| row.position()).collect();
        let placed = |obstacle: &Obstacle| obstacle.over_substep(view.time + view.h, 0.0);
        let placed: Vec<PlacedShape> = obstacles.iter().map(placed).collect();
        self.collected_shapes = placed.iter().map(|placed| placed.shape).collect();
        let low = self.collected_at.iter().copied().reduce(DVec3::min).unwrap_or_default();
        let high = self.collected_at.iter().copied().reduce(DVec3::max).unwrap_or_default();
        let widest = self.surfaces.iter().map(|s| s.offset).fold(0.0, f64::max);
        self.margin = (RELATIVE_MARGIN * (high - low).max_element()).max(4.0 * widest);
        let reach = self.margin + widest;
        let x = &self.collected_at;
        let meets = |vi: &VertexIndex| self.vertex_cloths[*vi] != MEETS_NOTHING;
        let around = |placed| {
            let mut candidates = collect_around(topology, x, placed, reach);
            candidates.vertices.retain(meets);
            candidates
        };
        self.candidates = placed.iter().map(around).collect();
    }
}

/// Sagitta: depth of a chord of half length `half` below an arc of this radius \[m\].
fn sagitta(radius: f64, half: f64) -> f64 {
    if half >= radius { radius } else { radius - (radius * radius - half * half).sqrt() }
}

/// The vertices, edges and faces within `reach` \[m\] of an obstacle.
fn collect_around(topology: &SurfaceTopology, x: &[DVec3], placed: &PlacedShape, reach: f64) -> Candidates {
    let at = |vi: VertexIndex| x[vi.to_usize()];
    let near = |point: DVec3| placed.shape.signed_distance(point).0 <= reach;
    let mut candidates = Candidates {
        vertices: topology.vertices().filter(|vi| near(at(*vi))).collect(),
        ..Candidates::default()
    };
    // A flat face touches a half-space with a corner first.
    if !matches!(placed.shape, WorldShape::Plane { .. }) {
        let close = |(fi, corners): (FaceIndex, &[VertexIndex; 3])| {
            let corners = corners.map(at);
            let middle = (corners[0] + corners[1] + corners[2]) / 3.0;
            let half = corners.map(|x| x.distance(middle)).into_iter().fold(0.0, f64::max);
            (placed.shape.signed_distance(middle).0 <= reach + half).then_some(fi)
        };
        candidates.faces = topology.faces.iter_indexed().filter_map(close).collect();
        candidates.edges = candidates.faces.iter().flat_map(|fi| topology.face_edges[*fi]).collect();
        candidates.edges.sort_unstable();
        candidates.edges.dedup();
        // The corners of a near face may be far; their clearances are needed all the same.
        candidates.vertices.extend(candidates.faces.iter().flat_map(|fi| topology.faces[*fi]));
        candidates.vertices.sort_unstable();
        candidates.vertices.dedup();
    }
    candidates
}

/// One obstacle against the cloth in one substep.
struct Probe<'a> {
    detector: &'a Detector,
    placed: PlacedShape,
    skeleton: Skeleton,
    number: u32,
    obstacle: &'a Obstacle,
    view: SubstepView<'a>,
    /// Distance of each vertex from where a contact begins \[m\]; negative: it has one. Only candidates are up to date.
    clearances: &'a mut [f64],
}

impl Probe<'_> {
    /// Measures the clearances of the candidate vertices.
    fn measure_clearances(&mut self, vertices: &[VertexIndex]) {
        for vi in vertices {
            let (distance, _) = self.placed.shape.signed_distance(self.position(*vi));
            self.clearances[vi.to_usize()] = distance - self.reach(&[*vi; 4], AT_FIRST);
        }
    }

    /// Returns whether points on a chord or face come within reach of the obstacle. They lie below the nearest corner
    /// by no more than the sagitta of an arc whose half chord is `half` \[m\].
    fn may_reach(&self, vertices: &[VertexIndex], half: f64) -> bool {
        let nearest = vertices.iter().map(|vi| self.clearances[vi.to_usize()]).fold(f64::INFINITY, f64::min);
        nearest <= sagitta(self.placed.shape.rounding() + nearest.max(0.0), half)
    }

    /// The distance from the obstacle at which a point of a face gets a contact \[m\]. Elasticity may still push the point
    /// towards the body in this substep, by about the length of its predicted motion. A point at rest keeps its contact
    /// within another offset, so that it does not lose and regain it.
    fn reach(&self, vertices: &[VertexIndex; 4], weights: [f64; 4]) -> f64 {
        let moved = |vi: VertexIndex| self.position(vi) - self.view.start[vi.to_usize()];
        let moves = vertices.iter().zip(weights).map(|(vi, s)| moved(*vi) * s);
        2.0 * self.surface(vertices[0]).offset + moves.sum::<DVec3>().length()
    }

    fn meet_vertex(&self, vi: VertexIndex) -> Option<Contact> {
        if self.clearances[vi.to_usize()] > 0.0 {
            return None;
        }
        let met = self.when_met(&[vi], |[x]| self.placed.shape.signed_distance(x).0);
        self.measure([vi; 4], AT_FIRST, met)
    }

    fn position(&self, vi: VertexIndex) -> DVec3 {
        self.view.rows[vi.to_usize()].position()
    }

    fn surface(&self, vi: VertexIndex) -> ContactSurface {
        self.detector.surfaces[self.detector.vertex_cloths[vi] as usize]
    }

    /// A contact at the given point of a face, if it is within what one substep can close. Its normal is that at a part `met` of the way.
    fn measure(&self, vertices: [VertexIndex; 4], weights: [f64; 4], met: f64) -> Option<Contact> {
        let surface = self.surface(vertices[0]);
        let sum = |x: &dyn Fn(VertexIndex) -> DVec3| -> DVec3 {
            vertices.iter().zip(weights).map(|(vi, s)| x(*vi) * s).sum()
        };
        let point = sum(&|vi| self.position(vi));
        let begun = sum(&|vi| self.carried(vi));
        if self.placed.shape.signed_distance(point).0 > self.reach(&vertices, weights) {
            return None;
        }
        let met = if met == 1.0 { point } else { begun.lerp(point, met) };
        let (distance, normal) = self.placed.shape.signed_distance(met);
        let foot = met - normal * distance;
        let friction = surface.friction.pair(self.obstacle.friction);
        // Of the point and not of the foot: what sticks turns with the body as a whole.
        let along = begun - sum(&|vi| self.view.start[vi.to_usize()]);
        let across = point - self.placed.carry_back(point);
        let row = ContactRow {
            vertices,
            weights,
            normal,
            offset: normal.dot(foot) + surface.offset,
            thickness: surface.offset,
            body_displacement: displacement_under(normal, along, across),
            friction,
        };
        let depth = surface.offset - self.placed.shape.signed_distance(begun).0;
        let turn = self.placed.turn();
        Some(Contact { depth, turn, ..Contact::new(ContactName::Body(vertices, self.number), row) })
    }

    /// The part of the way at which a vertex, an edge or a face meets the body. At a body with edges to which it comes closer, it is where
    /// contact first keeps it off; else all of the way. The way is straight, from where the body would carry the corners. `distance` is
    /// that of the corners on it.
    ///
    /// Beyond a rim, another side may be nearest to the end than the one where it goes in. Cloth between two jaws would be pushed out
    /// along its plane, and a face along itself by the corner that it meets.
    fn when_met<const N: usize>(
        &self,
        vertices: &[VertexIndex; N],
        distance: impl Fn([DVec3; N]) -> f64,
    ) -> f64 {
        if !matches!(self.placed.shape, WorldShape::Box { .. }) {
            return 1.0;
        }
        let offset = self.surface(vertices[0]).offset;
        let distance_at = |part: f64| distance(self.on_way(vertices, part));
        let (begun, end) = (distance_at(0.0), distance_at(1.0));
        if begun <= 0.0 || end >= begun.min(CLEAR * offset) {
            return 1.0;
        }
        if begun <= offset {
            return 0.0;
        }
        // The shape is convex: the way comes in once.
        let (mut outside, mut inside) = (0.0, 1.0);
        for _ in 0..HALVINGS {
            let middle = 0.5 * (outside + inside);
            let nearer = if distance_at(middle) > offset { &mut outside } else { &mut inside };
            *nearer = middle;
        }
        outside
    }

    /// The corners at a part of their way, as the body sees them.
    fn on_way<const N: usize>(&self, vertices: &[VertexIndex; N], part: f64) -> [DVec3; N] {
        vertices.map(|vi| {
            let end = self.position(vi);
            if part == 1.0 { end } else { self.carried(vi).lerp(end, part) }
        })
    }

    /// Position of a vertex at the end of the substep if it stuck to the body.
    fn carried(&self, vi: VertexIndex) -> DVec3 {
        self.placed.carry(self.view.start[vi.to_usize()])
    }

    /// Returns whether elements of a vertex's cloth may rest on the body with several points. On a curved body their one
    /// nearest point rolls. What slips on one that turns far is not where the body would carry it.
    fn bears(&self, vi: VertexIndex) -> bool {
        let rounding = self.placed.shape.rounding();
        self.view.rests && rounding > 0.0 && rounding * self.placed.versine() <= self.surface(vi).offset
    }

    /// Returns whether an edge or face touches the body at the start of the substep with the point of these weights.
    /// `corners` are its vertices as the body carries them along.
    fn touches<const N: usize>(&self, vi: VertexIndex, corners: &[DVec3; N], weights: &[f64; N]) -> bool {
        let point: DVec3 = corners.iter().zip(weights).map(|(x, s)| *x * *s).sum();
        self.placed.shape.signed_distance(point).0 <= self.surface(vi).offset
    }

    /// Returns whether a point inside of an edge or face is deeper in the shape than its corners. Over the flat side of a box all
    /// points are as deep but for round-off, and the corners bear what presses there.
    fn stands_out<const N: usize>(
        &self,
        vertices: &[VertexIndex; N],
        corners: &[DVec3; N],
        weights: &[f64; N],
    ) -> bool {
        let depth = |x: DVec3| self.placed.shape.signed_distance(x).0;
        let inside = depth(corners.iter().zip(weights).map(|(x, s)| *x * *s).sum());
        let least = corners.iter().map(|x| depth(*x)).fold(f64::INFINITY, f64::min);
        inside < least - REST_RISE * self.surface(vertices[0]).offset
    }

    /// The contacts of an edge or face that touches already. Its nearest point rolls with the least tilt. A contact there
    /// would not know of the tilt until the next substep, and loaded edges and faces would rock to and fro for ever.
    /// Between contacts a little apart the load shifts while the solver tilts the edge or face.
    fn rest_on<const N: usize>(
        &self,
        vertices: [VertexIndex; N],
        corners: &[DVec3; N],
        weights: &[f64; N],
        contacts: &mut Vec<Contact>,
    ) {
        let middle = corners.iter().sum::<DVec3>() / N as f64;
        let size = corners.iter().map(|x| x.distance(middle)).fold(0.0, f64::max);
        let least = weights.iter().copied().fold(1.0, f64::min);
        let rise = REST_RISE * self.surface(vertices[0]).offset;
        let spread = (2.0 * self.placed.shape.rounding() * rise).sqrt() / size;
        // All of them inside: one that came to lie on a vertex would be that vertex's contact a second time.
        let spread = spread.min(INSIDE * N as f64 * least);
        for k in 0..N {
            let mut named = [vertices[k]; 4];
            let mut shares = [0.0; 4];
            for j in 0..N {
                named[j] = vertices[(k + j) % N];
                shares[j] = weights[(k + j) % N] - spread / N as f64;
            }
            shares[0] += spread;
            contacts.extend(self.measure(named, shares, 1.0));
            if spread == 0.0 {
                break;
            }
        }
    }

    /// Returns whether a chord of this length \[m\] sags into the shape by an amount that matters. The length is
    /// given squared.
    fn sags(&self, vi: VertexIndex, squared_length: f64) -> bool {
        squared_length > 8.0 * self.placed.shape.rounding() * NEGLIGIBLE_SAGITTA * self.surface(vi).offset
    }

    /// The contact of an edge that is nearest to the shape between its ends.
    fn meet_edge(&self, [a, b]: [VertexIndex; 2], contacts: &mut Vec<Contact>) {
        let ends = [self.position(a), self.position(b)];
        let squared_length = ends[0].distance_squared(ends[1]);
        if !self.may_reach(&[a, b], 0.5 * squared_length.sqrt()) || !self.sags(a, squared_length) {
            return;
        }
        let shape = &self.placed.shape;
        let nearest = |ends| shape.nearest_on_edge(&self.skeleton, ends).map(|t| [1.0 - t, t]);
        self.meet_inside([a, b], nearest, |ends| shape.distance_of_edge(&self.skeleton, ends), contacts);
    }

    /// The contact of a face that is nearest to the shape inside it.
    fn meet_face(&self, vertices: [VertexIndex; 3], contacts: &mut Vec<Contact>) {
        let corners = vertices.map(|vi| self.position(vi));
        let longest = (0..3).map(|k| corners[k].distance_squared(corners[(k + 1) % 3])).fold(0.0, f64::max);
        // No point of a triangle is farther from its nearest corner than longest/√3.
        let half = (longest / 3.0).sqrt();
        if !self.may_reach(&vertices, half) || !self.sags(vertices[0], longest) {
            return;
        }
        let shape = &self.placed.shape;
        let nearest = |corners| shape.nearest_on_face(&self.skeleton, corners);
        let distance = |corners| shape.nearest_of_face(&self.skeleton, corners).0;
        let first = contacts.len();
        self.meet_inside(vertices, nearest, distance, contacts);
        if self.obstacle.freedom != Freedom::Prescribed && self.skeleton.points.len() > 1 {
            self.meet_corners(vertices, first, contacts);
        }
    }

    /// The contacts of an edge or face inside of it: at the weights that `nearest` gives for its corners, as far as its `distance` is not
    /// that of its boundary.
    fn meet_inside<const N: usize>(
        &self,
        vertices: [VertexIndex; N],
        nearest: impl Fn([DVec3; N]) -> Option<[f64; N]>,
        distance: impl Fn([DVec3; N]) -> f64,
        contacts: &mut Vec<Contact>,
    ) {
        let carried = vertices.map(|vi| self.carried(vi));
        let touching = || nearest(carried).filter(|weights| self.touches(vertices[0], &carried, weights));
        if let Some(weights) = self.bears(vertices[0]).then(touching).flatten() {
            return self.rest_on(vertices, &carried, &weights, contacts);
        }
        let end = self.on_way(&vertices, 1.0);
        let Some(found) = nearest(end) else { return };
        // Most are not deep, and need no time of impact.
        let point: DVec3 = end.iter().zip(found).map(|(x, s)| *x * s).sum();
        let is_deep = self.placed.shape.signed_distance(point).0 < CLEAR * self.surface(vertices[0]).offset;
        let met = if is_deep { self.when_met(&vertices, distance) } else { 1.0 };
        let corners = self.on_way(&vertices, met);
        let found = if met == 1.0 { Some(found) } else { nearest(corners) };
        let found = found.filter(|weights| self.stands_out(&vertices, &corners, weights));
        contacts.extend(found.and_then(|weights| {
            let (mut named, mut shares) = ([vertices[0]; 4], [0.0; 4]);
            named[..N].copy_from_slice(&vertices);
            shares[..N].copy_from_slice(&weights);
            self.measure(named, shares, met)
        }));
    }

    /// The contacts of a face with corners, or ends, of a body that moves by itself. They replace the one that is nearest, the `first` of the
    /// face, if it is one of them. Where the cloth is held, the body alone gives way: with one contact to a face it would turn about it,
    /// and its other corners would go through.
    fn meet_corners(&self, vertices: [VertexIndex; 3], first: usize, contacts: &mut Vec<Contact>) {
        let shape = &self.placed.shape;
        let met = self.when_met(&vertices, |corners| shape.nearest_of_face(&self.skeleton, corners).0);
        let corners = self.on_way(&vertices, met);
        let offset = self.surface(vertices[0]).offset;
        let nearest = contacts.get(first).map(|nearest| nearest.row.weights);
        let [a, b, c] = vertices;
        // Each has a name of its own, by which its load is remembered.
        let orders = [[a, b, c], [b, c, a], [c, a, b], [b, a, c], [a, c, b], [c, b, a]];
        let (mut found, mut replaces_nearest) = (Vec::new(), false);
        for (k, point) in self.skeleton.points.iter().enumerate() {
            let weights = closest_point_on_triangle(*point, corners);
            let place: DVec3 = corners.iter().zip(weights).map(|(x, s)| *x * s).sum();
            // A corner on the far side of the body has the place of another one.
            let reach = self.placed.shape.rounding() + FAR_SIDE * shape.signed_distance(place).0.max(offset);
            if weights.iter().any(|s| *s <= 0.0) || place.distance(*point) > reach {
                continue;
            }
            replaces_nearest |= nearest.is_some_and(|nearest| nearest[..3] == weights);
            let named = orders[k % orders.len()];
            let share = |vi: VertexIndex| weights[(0..3).find(|j| vertices[*j] == vi).unwrap_or_default()];
            let [s, t, u] = named.map(share);
            let [last, _, _] = orders[k / orders.len() + 1];
            found.extend(self.measure([named[0], named[1], named[2], last], [s, t, u, 0.0], met));
        }
        if replaces_nearest {
            contacts.remove(first);
        }
        contacts.append(&mut found);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::contacts::response::project;
    use crate::shapes::shape::Shape;
    use taffeta_core::Placement;

    fn detector(vertex_count: usize) -> Detector {
        let surface = ContactSurface { offset: 0.001, friction: Friction::NONE };
        Detector::new(vec![surface], IndexVec::filled(0, vertex_count))
    }

    fn rows(x: &[DVec3]) -> Vec<Row> {
        x.iter().map(|x| Row { position: x.to_array(), inverse_mass: 1.0 }).collect()
    }

    /// A point above the rim of a box that is predicted in it nearer to its side than to its top.
    #[test]
    fn what_goes_in_beside_a_rim_meets_the_side_where_it_goes_in() {
        let topology = SurfaceTopology::from_faces(1, vec![]);
        let block = Obstacle::new(Shape::Box { half_size: DVec3::ONE }, Placement::at(DVec3::ZERO));
        let normal_from = |start: DVec3| {
            let moved = rows(&[DVec3::new(0.9999, 0.999, 0.0)]);
            let view = SubstepView { start: &[start], rows: &moved, rests: true, time: 0.0, h: 0.01 };
            let contacts = detector(1).detect(&topology, std::slice::from_ref(&block), view);
            assert_eq!(contacts.len(), 1);
            (contacts[0].row.normal, contacts[0].row.offset)
        };
        // Within its offset of 1 mm, and from farther.
        assert_eq!(normal_from(DVec3::new(0.9999, 1.0005, 0.0)), (DVec3::Y, 1.001));
        let (normal, offset) = normal_from(DVec3::new(0.9999, 1.01, 0.0));
        assert!(normal == DVec3::Y && (offset - 1.001).abs() < 1e-9, "{normal} {offset}");
        // From the side it meets that.
        assert_eq!(normal_from(DVec3::new(1.0005, 0.999, 0.0)).0, DVec3::X);
    }

    /// A corner of an oblique box that is predicted far below a face, and beside where it goes in. Inside the box its sides are nearest.
    #[test]
    fn a_corner_that_goes_through_a_face_meets_it_along_the_normal_of_the_face() {
        let topology = SurfaceTopology::from_faces(3, vec![[0, 1, 2].map(VertexIndex)]);
        let place = Placement { rotate_deg: DVec3::new(40.0, 15.0, 50.0), ..Placement::default() };
        let block = Obstacle::new(Shape::Box { half_size: DVec3::splat(0.1) }, place);
        let shape = block.over_substep(0.0, 0.0).shape;
        let lowest = -shape.support(DVec3::NEG_Y);
        let at = |height: f64, along: f64| {
            let corner = |x: f64, z: f64| DVec3::new(x + along, lowest - height, z);
            [corner(-1.0, -1.0), corner(1.0, -1.0), corner(0.0, 1.5)]
        };
        // From farther away, and from within its offset.
        for (begun, corners) in [(0.01, 3), (0.0005, 3)] {
            let (start, moved) = (at(begun, -0.004), rows(&at(-0.03, 0.004)));
            let view = SubstepView { start: &start, rows: &moved, rests: true, time: 0.0, h: 0.01 };
            let contacts = detector(3).detect(&topology, std::slice::from_ref(&block), view);
            assert_eq!(contacts.len(), 1, "its three corners are far away");
            let row = &contacts[0].row;
            assert_eq!(row.weights.iter().filter(|s| **s > 0.0).count(), corners);
            assert!(row.normal.distance(DVec3::NEG_Y) < 1e-6, "{}", row.normal);
            assert!((row.offset - (0.001 - lowest)).abs() < 1e-9, "{} {lowest}", row.offset);
        }
    }

    #[test]
    fn a_coarse_face_does_not_sink_over_a_small_ball() {
        let topology = SurfaceTopology::from_faces(3, vec![[0, 1, 2].map(VertexIndex)]);
        let start = [DVec3::new(-1.0, 0.12, -1.0), DVec3::new(1.0, 0.12, -1.0), DVec3::new(0.0, 0.12, 1.5)];
        let ball = Obstacle::new(Shape::Sphere { radius: 0.1 }, Placement::at(DVec3::ZERO));
        let mut moved = rows(&start.map(|x| x - DVec3::new(0.0, 0.05, 0.0)));
        let view = SubstepView { start: &start, rows: &moved, rests: true, time: 0.0, h: 0.01 };
        let mut contacts = detector(3).detect(&topology, std::slice::from_ref(&ball), view);
        assert_eq!(contacts.len(), 1);
        project(&mut contacts, &start, &mut moved);
        let corners = [0, 1, 2].map(|i| moved[i].position());
        let s = closest_point_on_triangle(DVec3::ZERO, corners);
        let distance = (corners[0] * s[0] + corners[1] * s[1] + corners[2] * s[2]).length();
        assert!((distance - 0.101).abs() < 1e-4, "{distance}");
    }

    #[test]
    fn an_edge_meets_a_ball_between_its_ends() {
        let topology = SurfaceTopology::from_faces(3, vec![[0, 1, 2].map(VertexIndex)]);
        // The face stands upright over the ball, its lower edge horizontal.
        let start = [DVec3::new(-1.0, 0.1005, 0.0), DVec3::new(1.0, 0.1005, 0.0), DVec3::new(0.0, 1.0, 0.0)];
        let ball = Obstacle::new(Shape::Sphere { radius: 0.1 }, Placement::at(DVec3::ZERO));
        let moved = rows(&start);
        let view = SubstepView { start: &start, rows: &moved, rests: true, time: 0.0, h: 0.01 };
        let contacts = detector(3).detect(&topology, std::slice::from_ref(&ball), view);
        // It rests there: on two points, one on each side of the nearest one.
        assert_eq!(contacts.len(), 2);
        let [first, second] = [0, 1].map(|k| contacts[k].row);
        assert_eq!(
            [first.vertices[..2].to_vec(), second.vertices[..2].to_vec()],
            [[0, 1], [1, 0]].map(|v| v.map(VertexIndex).to_vec())
        );
        assert_eq!(first.weights, second.weights);
        assert!(first.weights[0] > 0.5 && (first.weights[0] + first.weights[1] - 1.0).abs() < 1e-15);
        let apart = first.weights[0] - first.weights[1];
        let rise = (0.1005_f64.powi(2) + apart * apart).sqrt() - 0.1005;
        assert!((rise / (REST_RISE * 0.001) - 1.0).abs() < 0.01, "{rise}");
        // On its way there it meets the ball in one.
        let above = start.map(|x| x + DVec3::Y * 0.01);
        let view = SubstepView { start: &above, ..view };
        let contacts = detector(3).detect(&topology, std::slice::from_ref(&ball), view);
        assert_eq!(contacts.len(), 1);
        assert_eq!(contacts[0].row.weights, [0.5, 0.5, 0.0, 0.0]);
    }

    #[test]
    fn candidates_are_collected_again_when_an_obstacle_comes_near() {
        let topology = SurfaceTopology::from_faces(3, vec![[0, 1, 2].map(VertexIndex)]);
        let start = [DVec3::ZERO, DVec3::X, DVec3::Z];
        let mut floor =
            Obstacle::new(Shape::Plane { normal: DVec3::Y }, Placement::at(DVec3::new(0.0, -1.0, 0.0)));
        let key = |time, y| taffeta_core::Keyframe {
            time,
            translate: DVec3::new(0.0, y, 0.0),
            rotate_deg: DVec3::ZERO,
        };
        floor.motion.keys = vec![key(0.0, 0.0), key(1.0, 1.5)];
        let still = rows(&start);
        let mut detector = detector(3);
        let mut count = |time| {
            let view = SubstepView { start: &start, rows: &still, rests: true, time, h: 0.01 };
            detector.detect(&topology, std::slice::from_ref(&floor), view).len()
        };
        assert_eq!([count(0.0), count(0.5), count(0.7)], [0, 0, 3]);
    }
}
