//! The edits of one pass: splits with flips, longest edge first, then collapses with flips, shortest edge first.

use crate::attributes::rest::span;
use crate::attributes::space::starts;
use crate::attributes::{SheetAttributes, VertexAttributes};
use crate::conserve::momentum::{MomentumDrift, SpinRule};
use crate::edit::check::{Checker, Replacement, split_stays_unfolded};
use crate::edit::refusal::CollapseRefusal;
use crate::edit::report::{EditRecord, Proposal, ProposedEdit, RemeshReport};
use crate::edit::rules::EditRules;
use crate::input::seams::SeamPoint;
use crate::input::surface::InputTracker;
use crate::sizing::working::{EdgeRow, PER_TASK, Working};
use crate::transfer::popping::{Displacement, DisplacementBudget};
use crate::transfer::{collapse_with_spin, flip_with_spin, split_with_adjustment};
use glam::DVec2;
use std::cmp::Reverse;
use std::collections::{BTreeSet, BinaryHeap};
use taffeta_core::Region;
use taffeta_core::geometry::doubled_area;
use taffeta_core::tasks::map;
use taffeta_mesh::{EdgeKey, FlipRecord, Halfedge, HalfedgeMesh, Side, SplitRecord, VertexKey, slot_of};

/// Flips after one split or collapse: far more than ever follow one.
const MAX_FLIPS: usize = 1000;

/// Why a split cannot fail.
const CAN_SPLIT: &str = "an edge of the mesh can be split";

/// Edges in the order of their size. Sizes are positive, so their bits sort like the numbers.
type Longest = BinaryHeap<(u64, Reverse<EdgeKey>)>;
type Shortest = BinaryHeap<Reverse<(u64, EdgeKey)>>;

/// A pass under way.
pub(crate) struct Editor<'a> {
    pub mesh: &'a mut HalfedgeMesh,
    pub attributes: &'a mut SheetAttributes,
    pub rules: &'a EditRules<'a>,
    /// Knows where the new vertices are on the input of a fixed field.
    pub tracker: Option<&'a mut InputTracker>,
    pub veto: &'a mut dyn FnMut(&Proposal) -> bool,
    pub working: Working,
    pub report: RemeshReport,
    /// Edits that may still be made: of each cloth by number, or of all together if there is one number.
    pub budgets: Vec<usize>,
    /// The cloths that have wanted more.
    pub spent: BTreeSet<u32>,
    /// Receiver of the angular momentum that edits change.
    pub spin: SpinRule<'a>,
    /// By cloth number.
    pub drifts: Vec<MomentumDrift>,
    /// Displacement that the pass may still make, by cloth number.
    pub allowance: Vec<DisplacementBudget>,
    /// While edges are split: those of bent quads, to be flipped when all that is too long has been split.
    pub waiting: Option<Vec<EdgeKey>>,
}

impl Editor<'_> {
    fn checker(&self) -> Checker<'_> {
        let Self { mesh, attributes, working, rules, tracker, .. } = self;
        let samples = tracker.as_ref().and_then(|tracker| tracker.samples.as_ref());
        Checker { mesh, attributes, working, rules, samples }
    }

    fn size_of(&self, e: EdgeKey) -> f64 {
        self.working.size_of(self.mesh, self.attributes, e)
    }

    /// The sizes of the edges that have rows.
    fn edge_sizes(&self) -> Vec<f64> {
        let (working, mesh, attributes) = (&self.working, &*self.mesh, &*self.attributes);
        map(&working.edges, PER_TASK, |row| working.size_of_row(mesh, attributes, row))
    }

    /// One unit of the budget of a cloth; `false`: there is none left.
    fn spend(&mut self, cloth: u32) -> bool {
        let place = (cloth as usize).min(self.budgets.len() - 1);
        let has_left = self.budgets[place] > 0;
        self.budgets[place] -= usize::from(has_left);
        if !has_left {
            self.report.unfinished = true;
            self.spent.insert(cloth);
        }
        has_left
    }

    /// Returns whether a cloth has wanted more edits than it may have.
    fn is_spent(&self, e: EdgeKey) -> bool {
        !self.spent.is_empty() && self.spent.contains(&self.cloth_of(e))
    }

    /// Returns whether an entry of a heap still holds: the edge exists and has not changed since.
    fn is_current(&self, e: EdgeKey, bits: u64) -> bool {
        self.mesh.contains_edge(e) && self.size_of(e).to_bits() == bits
    }

    /// Splits until no edge is too long.
    pub(crate) fn split_long_edges(&mut self) {
        let long_edge = |(row, size): (&EdgeRow, f64)| {
            (size > self.rules.split_size).then_some((size.to_bits(), Reverse(row.key)))
        };
        let mut queue: Longest =
            self.working.edges.iter().zip(self.edge_sizes()).filter_map(long_edge).collect();
        while let Some((bits, Reverse(e))) = queue.pop() {
            if !self.is_current(e, bits) || self.is_spent(e) || self.is_to_be_sewn(e) || self.is_cloth_full(e)
            {
                continue;
            }
            if self.spend(self.cloth_of(e)) {
                self.split(e, &mut queue);
            }
        }
        self.spent.clear();
        self.flip_waiting_edges();
    }

    /// Returns whether an edge lies on a run that is being sewn. Its vertices have partners on the other side, and a
    /// new one would have none.
    fn is_to_be_sewn(&self, e: EdgeKey) -> bool {
        let is_stitched = |v: &VertexKey| self.attributes.vertices[*v].is_stitched;
        self.mesh.is_boundary_edge(e) && self.mesh.edge_ends(e).iter().all(is_stitched)
    }

    fn push_long(&self, queue: &mut Longest, e: EdgeKey) {
        let size = self.size_of(e);
        if size > self.rules.split_size {
            queue.push((size.to_bits(), Reverse(e)));
        }
    }

    fn is_cloth_full(&mut self, e: EdgeKey) -> bool {
        let cloth = self.cloth_of(e);
        let limit =
            self.rules.max_vertices[cloth as usize].expect("only cloths that are touched are gathered");
        let is_full = self.working.vertex_counts[cloth as usize] >= limit;
        // Once for every run of edges; the end of the pass removes what is doubled.
        if is_full && self.report.at_vertex_limit.last() != Some(&cloth) {
            self.report.at_vertex_limit.push(cloth);
        }
        is_full
    }

    fn cloth_of(&self, e: EdgeKey) -> u32 {
        let [v, _] = self.mesh.edge_ends(e);
        self.working.cloths[slot_of(v)].expect("edits stay within the gathered cloths")
    }

    fn add_drift(&mut self, cloth: u32, drift: &MomentumDrift) {
        let sum = &mut self.drifts[cloth as usize];
        *sum = sum.plus(drift);
    }

    fn split(&mut self, e: EdgeKey, queue: &mut Longest) {
        let cloth = self.cloth_of(e);
        let record = self.split_with_placement(e, cloth);
        self.report.add(EditRecord::Split(record));
        let v = record.vertex;
        let material = self.attributes.material_of(self.mesh.halfedge_from(v));
        self.working.add_vertex(v, material, self.attributes.vertices[v].metric, cloth);
        for he in self.mesh.halfedges_around(v) {
            self.push_long(queue, he.edge);
        }
        for flipped in self.restore_delaunay(v, f64::INFINITY) {
            self.push_long(queue, flipped);
        }
    }

    /// Splits an edge; of a fixed field the new vertex takes its place on the input.
    fn split_with_placement(&mut self, e: EdgeKey, cloth: u32) -> SplitRecord {
        let (mesh, attributes, pins) = (&mut *self.mesh, &mut *self.attributes, self.rules.pins);
        let Some(tracker) = &mut self.tracker else {
            let split = split_with_adjustment(mesh, attributes, e, 0.5, pins, self.spin, |_, _| {});
            let (record, drift) = split.expect(CAN_SPLIT);
            self.add_drift(cloth, &drift);
            return record;
        };
        let (record, drift) = if tracker.surface.chart.is_in_space() {
            split_in_space(mesh, attributes, tracker, e, pins)
        } else if let Some(point) = tracker.seams.middle_of(e, &tracker.surface.chart) {
            split_on_seam(mesh, attributes, tracker, e, &point, pins)
        } else {
            split_in_chart(mesh, attributes, tracker, e, cloth, pins)
        };
        self.add_drift(cloth, &drift);
        record
    }

    /// Flips edges around a vertex whose faces changed until they are Delaunay again (Lawson 1977); the flipped edges.
    fn restore_delaunay(&mut self, v: VertexKey, size_limit: f64) -> Vec<EdgeKey> {
        let stack = self
            .mesh
            .halfedges_around(v)
            .flat_map(|he| [Some(he.edge), self.mesh.face(he).map(|_| self.mesh.next(he).edge)])
            .flatten()
            .collect();
        self.flip_onward(stack, size_limit)
    }

    /// Flips what of some edges is not Delaunay, and what is not anymore after that; the flipped edges.
    fn flip_onward(&mut self, mut stack: Vec<EdgeKey>, size_limit: f64) -> Vec<EdgeKey> {
        let mut flipped = Vec::new();
        if !self.rules.flips {
            return flipped;
        }
        // In a uniform metric every flip approaches the Delaunay mesh by the margin, so this ends. The limit is for metrics
        // that differ from quad to quad, which could send edges around in circles.
        while let Some(e) = stack.pop().filter(|_| flipped.len() < MAX_FLIPS) {
            let Some(record) = self.flip_if_due(e, size_limit) else { continue };
            flipped.push(e);
            for he in [record.halfedge, record.halfedge.twin()] {
                stack.extend([self.mesh.next(he).edge, self.mesh.prev(he).edge]);
            }
        }
        flipped
    }

    /// Flips an edge that is not Delaunay, unless it waits or something speaks against it.
    fn flip_if_due(&mut self, e: EdgeKey, size_limit: f64) -> Option<FlipRecord> {
        if !self.checker().should_flip(e, size_limit) {
            return None;
        }
        let replacement = self.checker().flip_replacement(e);
        let (cloth, moved) = (self.cloth_of(e), self.checker().displacement(&replacement));
        let is_bent = moved.squared > self.allowance[cloth as usize].at_once * moved.area;
        if let Some(waiting) = self.waiting.as_mut().filter(|_| is_bent) {
            waiting.push(e);
            return None;
        }
        if !self.can_afford(cloth, moved) || self.is_vetoed(ProposedEdit::Flip(e), &replacement) {
            return None;
        }
        let (record, drift) =
            flip_with_spin(self.mesh, self.attributes, e, self.spin).expect("the flip was checked");
        if let Some(samples) = self.tracker.as_mut().and_then(|tracker| tracker.samples.as_mut()) {
            samples.record_flip(self.mesh, self.attributes, e);
        }
        self.add_drift(cloth, &drift);
        self.record_displacement(cloth, moved);
        self.report.add(EditRecord::Flip(record));
        Some(record)
    }

    /// Flips what is not Delaunay of the edges that wait. Most of those that were too bent when it was their turn are split
    /// by now, and their halves move far less.
    fn flip_waiting_edges(&mut self) {
        let mut waiting = self.waiting.take().unwrap_or_default();
        waiting.sort_unstable();
        waiting.dedup();
        for e in waiting {
            self.flip_onward(vec![e], f64::INFINITY);
        }
    }

    /// Returns whether the displacement of an edit is within what the pass may still move; if not, counts it as
    /// postponed.
    fn can_afford(&mut self, cloth: u32, moved: Displacement) -> bool {
        let can = moved.squared <= self.allowance[cloth as usize].left;
        self.report.postponed += usize::from(!can);
        can
    }

    fn record_displacement(&mut self, cloth: u32, moved: Displacement) {
        self.allowance[cloth as usize].left -= moved.squared;
        self.report.displacements[cloth as usize] += moved.squared;
    }

    fn is_vetoed(&mut self, edit: ProposedEdit, replacement: &Replacement) -> bool {
        let Replacement { before, after, layout: _ } = replacement;
        let (mesh, attributes, log) = (&*self.mesh, &*self.attributes, &self.report.log[..]);
        let vetoed = (self.veto)(&Proposal { edit, before, after, mesh, attributes, log });
        self.report.vetoed += usize::from(vetoed);
        vetoed
    }

    /// Collapses until no edge can go.
    pub(crate) fn collapse_short_edges(&mut self) {
        let mut queue = self.find_short_edges();
        while let Some(Reverse((bits, e))) = queue.pop() {
            if !self.is_current(e, bits) || self.is_spent(e) {
                continue;
            }
            let Some(he) = self.find_collapse(e) else { continue };
            if self.tracker.as_ref().is_some_and(|tracker| !tracker.seams.can_collapse(self.mesh, he)) {
                continue;
            }
            let replacement = self.checker().collapse_replacement(he);
            let (cloth, moved) = (self.cloth_of(e), self.checker().displacement(&replacement));
            if !self.can_afford(cloth, moved) || self.is_vetoed(ProposedEdit::Collapse(he), &replacement) {
                continue;
            }
            if !self.spend(cloth) {
                continue;
            }
            self.record_displacement(cloth, moved);
            self.collapse(he, &mut queue);
        }
    }

    /// The edges that may be collapsed, found with as little work as possible: at rest there are none.
    ///
    /// Of the neighbors of an inner vertex `i`, one lies behind it as seen from `j`. The new edge to it has a size of at
    /// least `√(s_ij² + s²)`, with `s` the smallest around `i`, as far as the metric is uniform.
    fn find_short_edges(&mut self) -> Shortest {
        let changed = self.report.log.iter().filter_map(|record| match record {
            EditRecord::Split(record) => Some(record.kept.edge),
            EditRecord::Flip(record) => Some(record.halfedge.edge),
            EditRecord::Collapse(_) => None,
        });
        self.working.update_ends(self.mesh, changed);
        let sizes = self.edge_sizes();
        let rows = &self.working.edges;
        let mut around = vec![(f64::INFINITY, 0u32); self.working.cloths.len()];
        for (row, &size) in rows.iter().zip(&sizes) {
            for slot in row.ends {
                let (smallest, valence) = &mut around[slot as usize];
                *smallest = smallest.min(size);
                *valence += 1;
            }
        }
        let limit = self.rules.collapse_size;
        let checker = self.checker();
        let mut queue = Shortest::new();
        for (&EdgeRow { key, ends, .. }, size) in rows.iter().zip(sizes) {
            let may_go = |slot: u32| {
                let (smallest, valence) = around[slot as usize];
                // With three neighbors the one behind is joined to `j` already.
                valence <= 3 || size * size + smallest * smallest <= self.rules.nonuniform * limit * limit
            };
            if size <= limit && (may_go(ends[0]) || may_go(ends[1])) {
                push_short(&mut queue, &checker, key);
            }
        }
        queue
    }

    /// The direction of an edge in which it can be collapsed; the one with the better triangles if there are two.
    fn find_collapse(&mut self, e: EdgeKey) -> Option<Halfedge> {
        let checker = self.checker();
        let results = Side::BOTH.map(|side| checker.check_collapse(Halfedge::new(e, side)));
        match results {
            [Ok(first), Ok(second)] => {
                Some(Halfedge::new(e, if first >= second { Side::First } else { Side::Second }))
            }
            [Ok(_), Err(_)] => Some(Halfedge::new(e, Side::First)),
            [Err(_), Ok(_)] => Some(Halfedge::new(e, Side::Second)),
            [Err(first), Err(second)] => {
                let is_short = CollapseRefusal::count([first, second], &mut self.report.refusals);
                self.report.refused += usize::from(is_short);
                None
            }
        }
    }

    fn collapse(&mut self, he: Halfedge, queue: &mut Shortest) {
        let cloth = self.cloth_of(he.edge);
        let beyond = self.tracker.as_ref().and_then(|tracker| tracker.seams.edge_beyond(self.mesh, he));
        if let Some(samples) = self.tracker.as_mut().and_then(|tracker| tracker.samples.as_mut()) {
            samples.record_collapse(self.mesh, self.attributes, he);
        }
        let (record, drift) =
            collapse_with_spin(self.mesh, self.attributes, he, self.spin).expect("the collapse was checked");
        self.add_drift(cloth, &drift);
        self.report.add(EditRecord::Collapse(record));
        if let Some(tracker) = &mut self.tracker {
            tracker.seams.record_collapse(&record, beyond);
        }
        self.working.remove_vertex(record.removed_vertex);
        // An edge that is flipped here must not be one that the next pass splits.
        let flipped = self.restore_delaunay(record.kept_vertex, self.rules.split_size);
        let checker = self.checker();
        for around in self.mesh.halfedges_around(record.kept_vertex) {
            push_short(queue, &checker, around.edge);
            if self.rules.looks_around {
                for beyond in self.mesh.halfedges_around(self.mesh.tip(around)) {
                    push_short(queue, &checker, beyond.edge);
                }
            }
        }
        for e in flipped {
            push_short(queue, &checker, e);
        }
    }
}

/// The ends of an edge and the corners opposite to it; an end again where there is none.
fn vertices_near(mesh: &HalfedgeMesh, e: EdgeKey) -> [VertexKey; 4] {
    let [a, b] = mesh.edge_ends(e);
    let [c, d] = Side::BOTH.map(|side| mesh.opposite(Halfedge::new(e, side)).unwrap_or(a));
    [a, b, c, d]
}

/// Splits an edge on a seam at a point of the seam of the input.
fn split_on_seam(
    mesh: &mut HalfedgeMesh,
    attributes: &mut SheetAttributes,
    tracker: &mut InputTracker,
    e: EdgeKey,
    point: &SeamPoint,
    pins: &[Region],
) -> (SplitRecord, MomentumDrift) {
    let is_upright = split_stays_upright(mesh, attributes, e, point.coords);
    let place = |coords: &mut [DVec2; 2], vertex: &mut VertexAttributes| {
        // A line that is straight within its tolerance only may turn a needle over.
        *coords = if is_upright { point.coords } else { *coords };
        tracker.surface.put(&point.origins[0], vertex);
    };
    let (record, drift) =
        split_with_adjustment(mesh, attributes, e, 0.5, pins, SpinRule::OnRing, place).expect(CAN_SPLIT);
    tracker.remember(record.vertex, &point.origins);
    tracker.seams.record_split(&record, point);
    (record, drift)
}

/// Splits an edge of a sheet with material coordinates; the new vertex has what the input has there.
fn split_in_chart(
    mesh: &mut HalfedgeMesh,
    attributes: &mut SheetAttributes,
    tracker: &mut InputTracker,
    e: EdgeKey,
    cloth: u32,
    pins: &[Region],
) -> (SplitRecord, MomentumDrift) {
    let f = mesh.edge_faces(e).into_iter().flatten().next().expect("an edge has a face");
    let panel = tracker.surface.chart.panels.starts[cloth as usize] + attributes.faces[f].panel;
    let near = vertices_near(mesh, e);
    let mut origin = None;
    let place = |[material, _]: &mut [DVec2; 2], vertex: &mut VertexAttributes| {
        origin = Some(tracker.place(&near, panel, *material, vertex));
    };
    let (record, drift) =
        split_with_adjustment(mesh, attributes, e, 0.5, pins, SpinRule::OnRing, place).expect(CAN_SPLIT);
    tracker.remember(record.vertex, &[origin.expect("a split places its vertex")]);
    (record, drift)
}

/// Splits an edge of a rest shape in space; the new vertex lies on the input, as near to the middle as it gets.
fn split_in_space(
    mesh: &mut HalfedgeMesh,
    attributes: &mut SheetAttributes,
    tracker: &mut InputTracker,
    e: EdgeKey,
    pins: &[Region],
) -> (SplitRecord, MomentumDrift) {
    let near = vertices_near(mesh, e);
    let [a, b] = starts(attributes, [near[0], near[1]]);
    let middle = 0.5 * (a + b);
    let origin = tracker.nearest(&near, middle);
    let on_input = tracker.surface.position_at(&origin);
    // What a sharp fold of the input would turn over stays on the edge.
    let x = if split_stays_unfolded(mesh, attributes, e, on_input) { on_input } else { middle };
    let place = |_: &mut [DVec2; 2], vertex: &mut VertexAttributes| {
        tracker.surface.put(&origin, vertex);
        (vertex.position, vertex.start) = (x, x);
    };
    let (record, drift) =
        split_with_adjustment(mesh, attributes, e, 0.5, pins, SpinRule::OnRing, place).expect(CAN_SPLIT);
    tracker.remember(record.vertex, &[origin]);
    if let Some(samples) = &mut tracker.samples {
        samples.record_split(mesh, attributes, &record);
    }
    (record, drift)
}

/// Returns whether the faces that a split makes are upright with the new vertex at these coordinates on the two sides
/// \[m\].
fn split_stays_upright(
    mesh: &HalfedgeMesh,
    attributes: &SheetAttributes,
    e: EdgeKey,
    coords: [DVec2; 2],
) -> bool {
    Side::BOTH.into_iter().zip(coords).all(|(side, u)| {
        let he = Halfedge::new(e, side);
        let [tail, tip] = span(mesh, attributes, he);
        let opposite = attributes.material_of(mesh.prev(he));
        doubled_area([tail, u, opposite]) > 0.0 && doubled_area([u, tip, opposite]) > 0.0
    })
}

fn push_short(queue: &mut Shortest, checker: &Checker, e: EdgeKey) {
    let size = checker.working.size_of(checker.mesh, checker.attributes, e);
    // A collapse replaces an edge by at least one that is as long, within a uniform metric.
    if size <= checker.rules.collapse_size
        && Side::BOTH.into_iter().any(|side| checker.may_collapse(Halfedge::new(e, side)))
    {
        queue.push(Reverse((size.to_bits(), e)));
    }
}
