//! The seams of an input as lines, and where the edges of a mesh that is being edited lie on them.
//!
//! ```text
//!   panel 0   │ ─┬─ vertex of the input      A line runs from one vertex where lines meet, end or leave to the next.
//!             ║  │  ╱  an edge of the mesh    Edges on it know the stretch that they cover, so that what a split makes
//!   panel 1   ║  ├─╳   covers a stretch      is on the seam of the input in the charts of both sides at once, however
//!             │ ─┴─ ╲                        unevenly they are sewn.
//! ```
//!
//! Along a line places are measured by the mean length of its two sides.

use crate::attributes::SheetAttributes;
use crate::attributes::rest::{is_feature, is_seam};
use crate::input::chart::Chart;
use crate::input::origin::Origin;
use glam::DVec2;
use slotmap::SecondaryMap;
use taffeta_mesh::{
    BuiltMesh, CollapseRecord, EdgeKey, Halfedge, HalfedgeMesh, Side, SplitRecord, VertexKey, slot_of,
};

/// Parts of an edge closer to its ends than this are at them.
const SNAP: f64 = 1e-12;

/// A side of an input face: the face, and the corner where it starts.
#[derive(Clone, Copy, Debug)]
struct FaceSide {
    face: u32,
    corner: usize,
}

impl FaceSide {
    fn ends(self, chart: &Chart) -> [DVec2; 2] {
        let corners = chart.corners(self.face);
        [corners[self.corner], corners[(self.corner + 1) % 3]]
    }

    /// A point at a part of its length.
    fn point_at(self, part: f64, chart: &Chart) -> (Origin, DVec2) {
        let mut weights = [0.0; 3];
        weights[self.corner] = 1.0 - part;
        weights[(self.corner + 1) % 3] = part;
        let [start, end] = self.ends(chart);
        (Origin { face: self.face, weights }, (1.0 - part) * start + part * end)
    }
}

#[derive(Clone, Debug, Default)]
struct Line {
    /// The faces on both sides of each edge of the input: that along the line, and that against it.
    edges: Vec<[FaceSide; 2]>,
    /// Start of each edge, and end of the last one \[m\].
    places: Vec<f64>,
}

/// Part of a line that an edge of the mesh covers.
#[derive(Clone, Copy, Debug)]
struct Stretch {
    line: u32,
    /// From and to \[m\].
    places: [f64; 2],
    /// True if the first side of the edge runs along the line.
    forward: bool,
}

/// A point of a seam: where it is on the first and on the second side of an edge.
#[derive(Clone, Copy, Debug)]
pub(crate) struct SeamPoint {
    pub origins: [Origin; 2],
    /// Material coordinates \[m\].
    pub coords: [DVec2; 2],
    place: f64,
}

/// See the module page.
#[derive(Clone, Debug, Default)]
pub(crate) struct SeamLines {
    lines: Vec<Line>,
    stretches: SecondaryMap<EdgeKey, Stretch>,
}

impl SeamLines {
    /// The seams of the input.
    pub(crate) fn of_built(built: &BuiltMesh, attributes: &SheetAttributes, chart: &Chart) -> Self {
        let mesh = &built.mesh;
        let mut seams: Vec<EdgeKey> = mesh.edge_keys().filter(|&e| is_seam(mesh, attributes, e)).collect();
        let mut lines = Self::default();
        if seams.is_empty() {
            return lines;
        }
        seams.sort_unstable();
        let mut face_numbers = vec![0u32; mesh.face_slot_limit()];
        (0u32..).zip(&built.faces).for_each(|(number, &f)| face_numbers[slot_of(f)] = number);
        let input = Input { mesh, attributes, chart, face_numbers };
        // First the lines that have ends, then the closed ones.
        let starts = seams.iter().flat_map(|&e| Side::BOTH.map(|side| Halfedge::new(e, side)));
        let (at_ends, others): (Vec<_>, Vec<_>) = starts.partition(|&he| input.is_end(mesh.tail(he)));
        for start in at_ends.into_iter().chain(others) {
            if !lines.stretches.contains_key(start.edge) {
                lines.add_line(&input, start);
            }
        }
        lines
    }

    /// Follows a seam up to its end.
    fn add_line(&mut self, input: &Input, start: Halfedge) {
        let number = self.lines.len() as u32;
        let mut line = Line { edges: Vec::new(), places: vec![0.0] };
        let (mut next, mut place) = (Some(start), 0.0);
        while let Some(he) = next {
            let sides = [he, he.twin()].map(|he| input.side_of(he));
            let end = place + 0.5 * sides.map(|side| input.length_of(side)).iter().sum::<f64>();
            let stretch = Stretch { line: number, places: [place, end], forward: he.side == Side::First };
            self.stretches.insert(he.edge, stretch);
            line.edges.push(sides);
            line.places.push(end);
            place = end;
            next = input.next_on_line(he).filter(|next| !self.stretches.contains_key(next.edge));
        }
        self.lines.push(line);
    }

    /// Returns whether there are no seams.
    pub(crate) fn is_empty(&self) -> bool {
        self.lines.is_empty()
    }

    /// Returns whether a vertex is on a seam.
    pub(crate) fn touches(&self, mesh: &HalfedgeMesh, v: VertexKey) -> bool {
        mesh.halfedges_around(v).any(|out| self.stretches.contains_key(out.edge))
    }

    /// The middle of an edge on the seam of the input that it covers; `None`: it is no seam.
    pub(crate) fn middle_of(&self, e: EdgeKey, chart: &Chart) -> Option<SeamPoint> {
        let Stretch { line, places: [from, to], forward } = *self.stretches.get(e)?;
        let Line { edges, places } = &self.lines[line as usize];
        let place = 0.5 * (from + to);
        let number = places.partition_point(|&start| start <= place).clamp(1, edges.len()) - 1;
        let [start, end] = [places[number], places[number + 1]];
        let part = (place - start) / (end - start);
        let part = if part < SNAP {
            0.0
        } else if part > 1.0 - SNAP {
            1.0
        } else {
            part
        };
        let [along, against] = edges[number];
        let ends = [along.point_at(part, chart), against.point_at(1.0 - part, chart)];
        let [first, second] = if forward { ends } else { [ends[1], ends[0]] };
        Some(SeamPoint { origins: [first.0, second.0], coords: [first.1, second.1], place })
    }

    /// Notes that an edge was split at a point of its seam.
    pub(crate) fn record_split(&mut self, record: &SplitRecord, point: &SeamPoint) {
        let whole = self.stretches[record.kept.edge];
        let [from, to] = whole.places;
        let halves = [[from, point.place], [point.place, to]];
        let [kept, created] = if whole.forward { halves } else { [halves[1], halves[0]] };
        self.stretches[record.kept.edge].places = kept;
        // It has the direction of the whole.
        self.stretches.insert(record.created.edge, Stretch { places: created, ..whole });
    }

    /// The other edge of the seam at the tail of a half-edge on it, which a collapse makes longer; `None`: it is no seam.
    pub(crate) fn edge_beyond(&self, mesh: &HalfedgeMesh, he: Halfedge) -> Option<EdgeKey> {
        self.stretches.get(he.edge)?;
        let mut around = mesh.halfedges_around(mesh.tail(he)).map(|out| out.edge);
        around.find(|&e| e != he.edge && self.stretches.contains_key(e))
    }

    /// Returns whether the lines allow the tail of a half-edge to be merged into its tip: not at the vertex where a
    /// closed line starts.
    pub(crate) fn can_collapse(&self, mesh: &HalfedgeMesh, he: Halfedge) -> bool {
        let Some(removed) = self.stretches.get(he.edge) else { return true };
        let beyond = self.edge_beyond(mesh, he).and_then(|e| self.stretches.get(e));
        beyond.is_some_and(|beyond| join(removed, beyond).is_some())
    }

    /// Notes a collapse; `beyond` is what [`edge_beyond`](Self::edge_beyond) said before it.
    pub(crate) fn record_collapse(&mut self, record: &CollapseRecord, beyond: Option<EdgeKey>) {
        let removed = self.stretches.remove(record.removed_edge);
        if let (Some(removed), Some(longer)) = (removed, beyond.and_then(|e| self.stretches.get_mut(e))) {
            longer.places = join(&removed, longer).expect("only edges of a line are joined");
        }
    }
}

/// The part that two consecutive stretches of a line cover together; `None` if they are not consecutive.
fn join(a: &Stretch, b: &Stretch) -> Option<[f64; 2]> {
    let ([a_from, a_to], [b_from, b_to]) = (a.places, b.places);
    match a.line == b.line {
        true if a_to == b_from => Some([a_from, b_to]),
        true if b_to == a_from => Some([b_from, a_to]),
        _ => None,
    }
}

/// The input while its lines are followed.
struct Input<'a> {
    mesh: &'a HalfedgeMesh,
    attributes: &'a SheetAttributes,
    chart: &'a Chart,
    /// By slot.
    face_numbers: Vec<u32>,
}

impl Input<'_> {
    /// Returns whether a line ends at a vertex of a seam.
    fn is_end(&self, v: VertexKey) -> bool {
        let is_line = |out: &Halfedge| is_feature(self.mesh, self.attributes, out.edge);
        self.mesh.halfedges_around(v).filter(is_line).count() != 2
    }

    fn side_of(&self, he: Halfedge) -> FaceSide {
        let f = self.mesh.face(he).expect("a seam has two faces");
        let sides = self.mesh.face_halfedges(f);
        let corner = sides.iter().position(|side| *side == he).expect("a half-edge of its face");
        FaceSide { face: self.face_numbers[slot_of(f)], corner }
    }

    /// Rest length \[m\].
    fn length_of(&self, side: FaceSide) -> f64 {
        let [start, end] = side.ends(self.chart);
        start.distance(end)
    }

    /// The next half-edge of a line; `None`: it ends.
    fn next_on_line(&self, he: Halfedge) -> Option<Halfedge> {
        let tip = self.mesh.tip(he);
        let is_next = |out: &Halfedge| out.edge != he.edge && is_seam(self.mesh, self.attributes, out.edge);
        if self.is_end(tip) { None } else { self.mesh.halfedges_around(tip).find(is_next) }
    }
}
