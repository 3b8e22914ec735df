//! Some bodies of a world, and their places in its dense arrays.
//!
//! Every body is a contiguous range of vertices, edges and faces. A part of a world has the ranges of its bodies in the same
//! order, so that its arrays are those of a world of these bodies alone.

use crate::model::setup::Setup;
use crate::model::state::dense::DenseState;
use std::ops::Range;
use std::sync::Arc;
use taffeta_core::index::DenseIndex;
use taffeta_core::{IndexVec, SurfaceTopology, VertexIndex};
use taffeta_solve::RestShape;

/// Ranges of a dense array, one after another: an array by itself.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Runs {
    /// The ranges in the whole array, in its order; none is empty.
    ranges: Vec<Range<usize>>,
    /// Start of each of them in the array of the part.
    firsts: Vec<usize>,
    len: usize,
}

impl Runs {
    /// The ranges that are not empty, which must be in order.
    fn new(ranges: impl Iterator<Item = Range<usize>>) -> Self {
        let mut runs = Self::default();
        for range in ranges.filter(|range| !range.is_empty()) {
            runs.firsts.push(runs.len);
            runs.len += range.len();
            runs.ranges.push(range);
        }
        runs
    }

    /// Length of the array of the part.
    pub(crate) fn len(&self) -> usize {
        self.len
    }

    /// The entries of the part.
    pub(crate) fn take<T: Clone>(&self, whole: &[T]) -> Vec<T> {
        self.ranges.iter().flat_map(|range| &whole[range.clone()]).cloned().collect()
    }

    /// The entries of the part, by the same kind of index.
    pub(crate) fn pick<I: DenseIndex, T: Clone>(&self, whole: &IndexVec<I, T>) -> IndexVec<I, T> {
        IndexVec::from(self.take(&whole.raw))
    }

    /// Puts the entries of the part back to their places.
    pub(crate) fn put<T: Clone>(&self, whole: &mut [T], part: &[T]) {
        for (range, first) in self.ranges.iter().zip(&self.firsts) {
            whole[range.clone()].clone_from_slice(&part[*first..first + range.len()]);
        }
    }

    /// The place in the part of an entry of the whole; `None`: it is not of the part.
    pub(crate) fn own(&self, whole: usize) -> Option<usize> {
        let k = self.ranges.partition_point(|range| range.end <= whole);
        let range = self.ranges.get(k).filter(|range| range.start <= whole)?;
        Some(self.firsts[k] + whole - range.start)
    }

    /// The place in the whole of an entry of the part.
    pub(crate) fn whole(&self, own: usize) -> usize {
        let k = self.firsts.partition_point(|first| *first <= own) - 1;
        self.ranges[k].start + own - self.firsts[k]
    }

    /// The places, in a list in the order of these entries of the whole, of what belongs to the part.
    pub(crate) fn places_in<T>(&self, list: &[T], entry: impl Fn(&T) -> usize) -> Vec<usize> {
        let of_range = |range: &Range<usize>| {
            let start = list.partition_point(|item| entry(item) < range.start);
            start..list.partition_point(|item| entry(item) < range.end)
        };
        self.ranges.iter().flat_map(of_range).collect()
    }
}

/// Some bodies of a world.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Selection {
    /// The bodies, in order: cloths, then loose bodies.
    pub bodies: Vec<usize>,
    /// Those that are cloths.
    pub cloths: Vec<usize>,
    /// The solids and the seams that belong to them.
    pub solids: Vec<usize>,
    pub seams: Vec<usize>,
    /// Their vertices; those of surfaces, and the others among the loose vertices.
    pub vertices: Runs,
    pub surface: Runs,
    pub loose: Runs,
    pub edges: Runs,
    pub faces: Runs,
    /// Number of cloths and of vertices in the world.
    whole_cloths: usize,
    whole_vertices: usize,
}

impl Selection {
    /// Selects bodies of a world with this topology, whose vertices and faces are of these bodies.
    pub(crate) fn new(
        bodies: &[usize],
        setup: &Setup,
        topology: &SurfaceTopology,
        vertex_cloths: &[u32],
        face_cloths: &[u32],
    ) -> Self {
        let whole_cloths = setup.cloths.len();
        let cloths: Vec<usize> = bodies.iter().copied().filter(|body| *body < whole_cloths).collect();
        let range_in = |list: &[u32], body: usize| {
            list.partition_point(|own| (*own as usize) < body)
                ..list.partition_point(|own| *own as usize <= body)
        };
        let body_of_edge = |body: usize, is_end: bool| {
            let is_before = |own: u32| (own as usize) < body + usize::from(is_end);
            topology.edges.partition_point(|edge| is_before(vertex_cloths[edge.vertices[0].to_usize()]))
        };
        let first_loose = topology.surface_vertex_count();
        let loose = bodies.iter().filter(|body| **body >= whole_cloths);
        let moved = |range: Range<usize>| range.start - first_loose..range.end - first_loose;
        let places =
            |count: usize, is_own: &dyn Fn(usize) -> bool| (0..count).filter(|k| is_own(*k)).collect();
        Self {
            vertices: Runs::new(bodies.iter().map(|body| range_in(vertex_cloths, *body))),
            surface: Runs::new(cloths.iter().map(|body| range_in(vertex_cloths, *body))),
            loose: Runs::new(loose.map(|body| moved(range_in(vertex_cloths, *body)))),
            edges: Runs::new(cloths.iter().map(|body| body_of_edge(*body, false)..body_of_edge(*body, true))),
            faces: Runs::new(cloths.iter().map(|body| range_in(face_cloths, *body))),
            solids: places(setup.solids.len(), &|k| cloths.contains(&setup.solids[k].cloth)),
            seams: places(setup.seams.len(), &|k| cloths.contains(&setup.seams[k].cloth)),
            whole_vertices: topology.vertex_count,
            whole_cloths,
            bodies: bodies.to_vec(),
            cloths,
        }
    }

    /// The number that a body of the world has in the part; `None`: it is not of the part.
    pub(crate) fn body(&self, whole: usize) -> Option<usize> {
        self.bodies.iter().position(|body| *body == whole)
    }

    /// The number that a loose body of the world has in the part, among the loose bodies.
    pub(crate) fn loose_body(&self, whole: usize) -> Option<usize> {
        self.body(self.whole_cloths + whole).map(|body| body - self.cloths.len())
    }

    /// The numbers of the loose bodies, among those of the world.
    pub(crate) fn loose_bodies(&self) -> impl Iterator<Item = usize> + '_ {
        self.bodies[self.cloths.len()..].iter().map(|body| body - self.whole_cloths)
    }

    /// The number that a vertex of the world has in the part; those of mesh obstacles come after all others.
    pub(crate) fn own_vertex(&self, whole: u32) -> Option<u32> {
        match (whole as usize).checked_sub(self.whole_vertices) {
            Some(of_mesh) => Some((self.vertices.len() + of_mesh) as u32),
            None => self.vertices.own(whole as usize).map(|own| own as u32),
        }
    }

    /// The number that a vertex of the part has in the world.
    pub(crate) fn whole_vertex(&self, own: u32) -> u32 {
        match (own as usize).checked_sub(self.vertices.len()) {
            Some(of_mesh) => (self.whole_vertices + of_mesh) as u32,
            None => self.vertices.whole(own as usize) as u32,
        }
    }

    /// The dense arrays of the part.
    pub(crate) fn pick_motion(&self, whole: &DenseState) -> DenseState {
        let Self { vertices, surface, edges, faces, loose, .. } = self;
        let rest = &whole.rest;
        let cloth = |cloth: &u32| self.body(*cloth as usize).expect("its faces are of its cloths") as u32;
        let held = whole.holds.iter().filter_map(|(vi, hold)| {
            let own = self.own_vertex(vi.0)?;
            Some((VertexIndex(own), *hold))
        });
        DenseState {
            positions: Arc::new(vertices.pick(&whole.positions)),
            velocities: Arc::new(vertices.pick(&whole.velocities)),
            masses: Arc::new(vertices.pick(&whole.masses)),
            inverse_masses: Arc::new(vertices.pick(&whole.inverse_masses)),
            held: Arc::new(vertices.pick(&whole.held)),
            holds: Arc::new(held.collect()),
            vertex_pins: Arc::new(vertices.pick(&whole.vertex_pins)),
            rest: Arc::new(RestShape {
                corners: Arc::new(faces.pick(&rest.corners)),
                areas: Arc::new(faces.pick(&rest.areas)),
                cloths: Arc::new(faces.pick(&rest.cloths).iter().map(cloth).collect()),
                angles: Arc::new(edges.pick(&rest.angles)),
                plastic_curvatures: faces.pick(&rest.plastic_curvatures),
                last_angles: edges.pick(&rest.last_angles),
            }),
            scalars: Arc::new(edges.pick(&whole.scalars)),
            broken: Arc::new(edges.pick(&whole.broken)),
            loose_angles: Arc::new(loose.take(&whole.loose_angles)),
            metrics: Arc::new(surface.pick(&whole.metrics)),
        }
    }

    /// Puts what substeps have changed of the part back into the world.
    pub(crate) fn put_motion(&self, whole: &mut DenseState, part: &DenseState) {
        let Self { vertices, edges, faces, .. } = self;
        vertices.put(&mut Arc::make_mut(&mut whole.positions).raw, &part.positions);
        vertices.put(&mut Arc::make_mut(&mut whole.velocities).raw, &part.velocities);
        edges.put(&mut Arc::make_mut(&mut whole.broken).raw, &part.broken);
        faces.put(&mut Arc::make_mut(&mut whole.rest).plastic_curvatures, &part.rest.plastic_curvatures);
        self.put_angles(whole, part);
    }

    /// Puts the angles and scalars that the part remembers back into the world.
    pub(crate) fn put_angles(&self, whole: &mut DenseState, part: &DenseState) {
        self.edges.put(&mut Arc::make_mut(&mut whole.scalars).raw, &part.scalars);
        self.edges.put(&mut Arc::make_mut(&mut whole.rest).last_angles, &part.rest.last_angles);
        self.loose.put(Arc::make_mut(&mut whole.loose_angles).as_mut_slice(), &part.loose_angles);
    }
}
