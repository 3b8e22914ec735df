//! The sheets of a pass in plain arrays, so that sizing and the choice of edits do not chase keys.
//!
//! Rows of faces and edges are in key order; vertex arrays are indexed by slot. Nothing here outlives the pass.

use crate::attributes::rest::span;
use crate::attributes::space::starts;
use crate::attributes::{EdgeAttributes, FaceAttributes, SheetAttributes};
use crate::metric::{Metric, edge_size};
use glam::{DVec2, DVec3};
use taffeta_core::geometry::doubled_area;
use taffeta_core::math::Sym2;
use taffeta_mesh::{EdgeKey, Halfedge, HalfedgeMesh, Side, VertexKey, slot_of};

/// Entries of a list that one task takes: what is done for one takes a tenth of a microsecond or more.
pub(crate) const PER_TASK: usize = 2048;

/// A face of a cloth that is remeshed.
#[derive(Clone, Copy, Debug)]
pub(crate) struct FaceRow {
    /// Slots of the corners, counter-clockwise.
    pub corners: [u32; 3],
    /// Material coordinates of the corners in the chart of the face \[m\].
    pub material: [DVec2; 3],
    /// Number of the cloth.
    pub cloth: u32,
    /// Plastic curvature in the chart of the face \[1/m\].
    pub plastic_curvature: Sym2,
}

impl FaceRow {
    /// Adds one half-edge of the face, with the coordinate of its tail. Any two of the three give all corners in order.
    fn add_side(&mut self, tail: u32, tip: u32, coord: DVec2) {
        let [a, b, _] = self.corners;
        if a == b {
            self.corners = [tail, tip, tip];
            self.material[0] = coord;
        } else if tail == b {
            self.corners[2] = tip;
            self.material[1] = coord;
        } else {
            self.corners[2] = tail;
            self.material[2] = coord;
        }
    }

    /// From one corner to another in the chart of the face \[m\].
    pub(crate) fn span(&self, [tail, tip]: [u32; 2]) -> DVec2 {
        let at =
            |slot| self.material[self.corners.iter().position(|&c| c == slot).expect("a corner of the face")];
        at(tip) - at(tail)
    }
}

/// Kind of the rest shape of a cloth.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) enum RestKind {
    /// One chart: a material coordinate per vertex.
    #[default]
    Flat,
    /// Charts that meet along seams: coordinates belong to the corners of faces.
    Panels,
    /// Start positions; each face is a chart.
    Space,
}

/// An edge of a cloth that is remeshed.
#[derive(Clone, Copy, Debug)]
pub(crate) struct EdgeRow {
    pub key: EdgeKey,
    /// Slots of tail and tip of the first side.
    pub ends: [u32; 2],
    /// Rows of the faces on the first and the second side.
    pub faces: [Option<u32>; 2],
    /// Hinge angle at rest \[rad\].
    pub rest_angle: f64,
}

/// See the module page.
#[derive(Debug, Default)]
pub(crate) struct Working {
    pub faces: Vec<FaceRow>,
    pub edges: Vec<EdgeRow>,
    /// The vertices of the faces, in key order.
    pub vertices: Vec<VertexKey>,
    /// Material coordinate of each vertex \[m\], by slot; one of several in a cloth of more than one chart.
    pub material: Vec<DVec2>,
    /// The kind of rest shape of each cloth.
    pub kinds: Vec<RestKind>,
    /// World position of each vertex \[m\], by slot. Not kept up during edits: they move nothing.
    pub positions: Vec<DVec3>,
    /// World velocity of each vertex \[m/s\], by slot. Not kept up either.
    pub velocities: Vec<DVec3>,
    /// Start position of each vertex \[m\], by slot; empty unless a rest shape is in space.
    pub starts: Vec<DVec3>,
    /// Sizing metric of each vertex \[1/m²\], by slot.
    pub metrics: Vec<Metric>,
    /// Metric asked for from outside, by slot; zero where there is none.
    pub asked: Vec<Metric>,
    /// Cloth of each vertex, by slot; `None`: not to be touched.
    pub cloths: Vec<Option<u32>>,
    /// Number of vertices of each cloth.
    pub vertex_counts: Vec<usize>,
}

impl Working {
    /// Gathers the cloths that are touched, by number.
    pub(crate) fn gather(mesh: &HalfedgeMesh, attributes: &SheetAttributes, touched: &[bool]) -> Self {
        let mut working = Self {
            vertex_counts: vec![0; touched.len()],
            kinds: vec![RestKind::Flat; touched.len()],
            ..Self::default()
        };
        let row_of_face = working.gather_faces(mesh, attributes, touched);
        working.gather_edges(mesh, attributes, &row_of_face);
        working.gather_vertices(mesh, attributes);
        working
    }

    /// The faces, still without corners; their rows by slot.
    fn gather_faces(
        &mut self,
        mesh: &HalfedgeMesh,
        attributes: &SheetAttributes,
        touched: &[bool],
    ) -> Vec<Option<u32>> {
        let mut row_of_face = vec![None; mesh.face_slot_limit()];
        self.faces.reserve(mesh.face_count());
        for f in sorted(mesh.face_keys()) {
            let FaceAttributes { cloth, panel: _, rest_error, plastic_curvature } = attributes.faces[f];
            if touched[cloth as usize] {
                row_of_face[slot_of(f)] = Some(self.faces.len() as u32);
                let material = [DVec2::ZERO; 3];
                self.faces.push(FaceRow { corners: [0; 3], material, cloth, plastic_curvature });
                if rest_error.is_some() {
                    self.kinds[cloth as usize] = RestKind::Space;
                }
            }
        }
        row_of_face
    }

    /// The edges, the corners of the faces and the material coordinates in one walk: asking each face for its corners
    /// takes as long as everything else here together.
    fn gather_edges(
        &mut self,
        mesh: &HalfedgeMesh,
        attributes: &SheetAttributes,
        row_of_face: &[Option<u32>],
    ) {
        let slot_limit = mesh.vertex_slot_limit();
        self.cloths = with_room(slot_limit, None);
        self.material = with_room(slot_limit, DVec2::ZERO);
        self.edges.reserve(mesh.edge_count());
        for key in sorted(mesh.edge_keys()) {
            let faces = mesh.edge_faces(key).map(|f| f.and_then(|f| row_of_face[slot_of(f)]));
            let Some(row) = faces[0].or(faces[1]) else { continue };
            let cloth = self.faces[row as usize].cloth;
            let ends = mesh.edge_ends(key).map(|v| slot_of(v) as u32);
            let EdgeAttributes { corners: coords, rest_angle, .. } = attributes.edges[key];
            let sides = faces.into_iter().zip([ends, [ends[1], ends[0]]]).zip(coords);
            for ((row, [tail, tip]), coord) in sides {
                if let Some(row) = row {
                    self.faces[row as usize].add_side(tail, tip, coord);
                }
            }
            for (slot, coord) in ends.into_iter().zip(coords) {
                let slot = slot as usize;
                if self.cloths[slot].replace(cloth).is_none() {
                    self.material[slot] = coord;
                } else if self.material[slot] != coord && self.kinds[cloth as usize] == RestKind::Flat {
                    self.kinds[cloth as usize] = RestKind::Panels;
                }
            }
            self.edges.push(EdgeRow { key, ends, faces, rest_angle });
        }
    }

    fn gather_vertices(&mut self, mesh: &HalfedgeMesh, attributes: &SheetAttributes) {
        self.positions = vec![DVec3::ZERO; self.cloths.len()];
        self.velocities = vec![DVec3::ZERO; self.cloths.len()];
        if self.kinds.contains(&RestKind::Space) {
            self.starts = vec![DVec3::ZERO; self.cloths.len()];
        }
        self.metrics = with_room(self.cloths.len(), Sym2::default());
        self.asked = vec![Metric::default(); self.cloths.len()];
        self.vertices = self.current_vertices(mesh);
        for &v in &self.vertices {
            let slot = slot_of(v);
            let vertex = &attributes.vertices[v];
            self.positions[slot] = vertex.position;
            self.velocities[slot] = vertex.velocity;
            if let Some(start) = self.starts.get_mut(slot) {
                *start = vertex.start;
            }
            self.metrics[slot] = vertex.metric;
            if let Some(cloth) = self.cloths[slot] {
                self.vertex_counts[cloth as usize] += 1;
            }
        }
    }

    /// Rest area of each cloth \[m²\].
    pub(crate) fn areas(&self) -> Vec<f64> {
        let mut areas = vec![0.0; self.kinds.len()];
        for row in &self.faces {
            areas[row.cloth as usize] += 0.5 * doubled_area(row.material);
        }
        areas
    }

    /// Adds a vertex that a split made on an edge.
    pub(crate) fn add_vertex(&mut self, v: VertexKey, material: DVec2, metric: Metric, cloth: u32) {
        let slot = slot_of(v);
        if slot >= self.cloths.len() {
            self.material.resize(slot + 1, DVec2::ZERO);
            self.metrics.resize(slot + 1, Sym2::default());
            self.cloths.resize(slot + 1, None);
        }
        self.material[slot] = material;
        self.metrics[slot] = metric;
        self.cloths[slot] = Some(cloth);
        self.vertex_counts[cloth as usize] += 1;
    }

    /// Brings the ends of some edges up to date. No edge may have been removed.
    pub(crate) fn update_ends(&mut self, mesh: &HalfedgeMesh, changed: impl Iterator<Item = EdgeKey>) {
        for key in changed {
            // New edges have no row: the next pass gathers them.
            if let Ok(row) = self.edges.binary_search_by_key(&key, |row| row.key) {
                self.edges[row].ends = mesh.edge_ends(key).map(|v| slot_of(v) as u32);
            }
        }
    }

    /// Removes a vertex that a collapse merged away.
    pub(crate) fn remove_vertex(&mut self, v: VertexKey) {
        if let Some(cloth) = self.cloths[slot_of(v)].take() {
            self.vertex_counts[cloth as usize] -= 1;
        }
    }

    /// The vertices that there are now, in key order.
    pub(crate) fn current_vertices(&self, mesh: &HalfedgeMesh) -> Vec<VertexKey> {
        let mut vertices = sorted(mesh.vertex_keys());
        vertices.retain(|&v| self.cloths[slot_of(v)].is_some());
        vertices
    }

    /// The kind of rest shape around a vertex.
    #[inline]
    pub(crate) fn kind_of(&self, v: VertexKey) -> RestKind {
        self.kinds[self.cloths[slot_of(v)].expect("edits stay within the gathered cloths") as usize]
    }

    /// Sizing metric of a vertex \[1/m²\].
    #[inline]
    pub(crate) fn metric_of(&self, v: VertexKey) -> Metric {
        self.metrics[slot_of(v)]
    }

    /// Material coordinate of a vertex \[m\] of a cloth of one chart.
    #[inline]
    pub(crate) fn material_of(&self, v: VertexKey) -> DVec2 {
        self.material[slot_of(v)]
    }

    /// The distance of two vertices of a cloth of one chart in wanted edge lengths.
    #[inline]
    pub(crate) fn size_between(&self, a: VertexKey, b: VertexKey) -> f64 {
        self.size_of_slots([slot_of(a) as u32, slot_of(b) as u32])
    }

    #[inline]
    fn size_of_slots(&self, ends: [u32; 2]) -> f64 {
        let [a, b] = ends.map(|slot| slot as usize);
        edge_size(self.material[b] - self.material[a], &self.metrics[a], &self.metrics[b])
    }

    /// [`size_of`](Self::size_of) of an edge whose row is up to date.
    pub(crate) fn size_of_row(
        &self,
        mesh: &HalfedgeMesh,
        attributes: &SheetAttributes,
        row: &EdgeRow,
    ) -> f64 {
        match self.cloths[row.ends[0] as usize].map(|cloth| self.kinds[cloth as usize]) {
            Some(RestKind::Panels | RestKind::Space) => self.size_of(mesh, attributes, row.key),
            Some(RestKind::Flat) | None => self.size_of_slots(row.ends),
        }
    }

    /// The size of a vector between two vertices in a chart \[m\].
    #[inline]
    pub(crate) fn size_in_chart(&self, u: DVec2, a: VertexKey, b: VertexKey) -> f64 {
        edge_size(u, &self.metric_of(a), &self.metric_of(b))
    }

    /// The distance of two vertices of a rest shape in space in wanted edge lengths.
    #[inline]
    pub(crate) fn size_in_space(&self, attributes: &SheetAttributes, a: VertexKey, b: VertexKey) -> f64 {
        let [x, y] = starts(attributes, [a, b]);
        // Metrics are isotropic there, so any direction will do.
        self.size_in_chart(DVec2::new(x.distance(y), 0.0), a, b)
    }

    /// The size of an edge in wanted edge lengths; along a seam the larger one of its sides.
    #[inline]
    pub(crate) fn size_of(&self, mesh: &HalfedgeMesh, attributes: &SheetAttributes, e: EdgeKey) -> f64 {
        let [a, b] = mesh.edge_ends(e);
        match self.kind_of(a) {
            RestKind::Flat => self.size_between(a, b),
            RestKind::Space => self.size_in_space(attributes, a, b),
            RestKind::Panels => {
                let sides = Side::BOTH.map(|side| Halfedge::new(e, side)).into_iter();
                let size = |he| {
                    let [tail, tip] = span(mesh, attributes, he);
                    self.size_in_chart(tip - tail, a, b)
                };
                sides.filter(|he| !mesh.is_boundary_halfedge(*he)).map(size).fold(0.0, f64::max)
            }
        }
    }

    /// The vector along an edge \[m\] in the charts of its faces; the shorter one where they differ.
    pub(crate) fn shorter_span(&self, edge: &EdgeRow) -> DVec2 {
        let spans = edge.faces.iter().flatten().map(|row| self.faces[*row as usize].span(edge.ends));
        let shorter = |a: DVec2, b: DVec2| if b.length_squared() < a.length_squared() { b } else { a };
        spans.reduce(shorter).expect("an edge has a face")
    }
}

/// So many copies of a value, with room for the vertices that splits make.
fn with_room<T: Clone>(count: usize, value: T) -> Vec<T> {
    let mut values = Vec::with_capacity(count + count / 4);
    values.resize(count, value);
    values
}

fn sorted<K: Ord>(keys: impl Iterator<Item = K>) -> Vec<K> {
    let mut keys: Vec<K> = keys.collect();
    keys.sort_unstable();
    keys
}
