//! The plate in the block driver: faces that bend by curvature, and what they share with their neighbors.
//!
//! A sweep updates the faces, with the scalars `φ` as given numbers. Then it measures the angles of all edges and gives
//! each `φ` its value of least energy ([`super::edges`]). Faces with three, two or one row go to lanes with six, five and
//! four vertices. Other faces are few, and the vertices of each are not all different. They are those at a clamp, and those
//! of which two neighbors share their third vertex (around a vertex of valence 3). The driver updates them one by one.

use super::curvature::{CurvatureLanes, EdgeLanes};
use super::edges::Edges;
use super::elements::Element;
use crate::block::FaceCurvature;
use crate::drivers::lanes::{Packed, SweepStep};
use crate::plate::{Plate, PlateState};
use glam::DVec3;
use nalgebra::Vector3;
use taffeta_core::VertexIndex;
use taffeta_core::lanes::{LaneBatches, Order, Row};

/// The faces and edges of the plate, colored and packed.
#[derive(Clone, Debug)]
pub(super) struct PlateSweeps {
    three_rows: Faces<6>,
    two_rows: Faces<5>,
    one_row: Faces<4>,
    odd: Vec<OddFace>,
    edges: Edges,
    /// True if a face is damped.
    pub is_damped: bool,
}

/// Faces with `V − 3` rows, in lanes.
#[derive(Clone, Debug)]
struct Faces<const V: usize> {
    packed: Packed<V, CurvatureLanes<V>>,
    /// The faces in the order in which they were packed.
    places: Vec<PlaceInPlate>,
}

/// Source of the rows of a block.
#[derive(Clone, Copy, Debug)]
struct PlaceInPlate {
    /// Number in [`Plate::faces`].
    face: usize,
    /// The row of the face that is the block's first.
    first: usize,
}

impl PlaceInPlate {
    /// `η₀` of the rows \[rad\].
    fn rest(self, plate: &Plate) -> Vector3<f64> {
        let rest = &plate.faces[self.face].rest;
        Vector3::from_fn(|row, _| rest[(self.first + row) % 3])
    }
}

/// A face that the lanes cannot take.
#[derive(Clone, Debug)]
struct OddFace {
    element: Element<FaceCurvature, 3>,
    place: PlaceInPlate,
    /// The clamps of its edges.
    clamps: [Option<u32>; 3],
}

impl PlateSweeps {
    pub(super) fn build(plate: &Plate, vertex_count: usize) -> Self {
        let edges = Edges::build(plate, vertex_count);
        let faces = plate.faces.iter().enumerate();
        let block = |(number, face)| Some((number, FaceCurvature::new(plate, face)?));
        let blocks: Vec<_> = faces.filter_map(block).collect();
        let odd = blocks.iter().filter(|(_, b)| !b.is_regular());
        Self {
            three_rows: Faces::pack(&blocks, vertex_count, &edges.slots),
            two_rows: Faces::pack(&blocks, vertex_count, &edges.slots),
            one_row: Faces::pack(&blocks, vertex_count, &edges.slots),
            odd: odd.map(|(number, block)| OddFace::new(plate, *number, block)).collect(),
            is_damped: blocks.iter().any(|(_, block)| block.damping > 0.0),
            edges,
        }
    }

    pub(super) fn sweeps_in_parallel(&self) -> bool {
        self.three_rows.packed.batches.sweeps_in_parallel()
    }

    pub(super) fn set_state(&mut self, plate: &PlateState) {
        self.edges.set(plate);
    }

    pub(super) fn set_clamps(&mut self, normals: &[DVec3]) {
        self.edges.set_clamps(normals);
    }

    /// Takes over `η₀` of the faces.
    pub(super) fn set_rest(&mut self, plate: &Plate) {
        self.three_rows.set_rest(plate);
        self.two_rows.set_rest(plate);
        self.one_row.set_rest(plate);
        for face in &mut self.odd {
            face.element.block.rest = face.place.rest(plate);
        }
        self.edges.set_rest(plate);
    }

    /// Angle and scalar of an edge of the plate \[rad\]; `None`: a hinge.
    pub(super) fn edge_state(&self, number: usize) -> Option<(f64, f64)> {
        self.edges.state(number)
    }

    /// Notes the constraints at the start of a substep, if anything is damped.
    pub(super) fn begin_substep(&mut self, rows: &[Row]) {
        if !self.is_damped {
            return;
        }
        self.three_rows.record_start(rows, &self.edges.states);
        self.two_rows.record_start(rows, &self.edges.states);
        self.one_row.record_start(rows, &self.edges.states);
        for face in &mut self.odd {
            face.read(&self.edges);
            face.element.record_start(&face.positions(rows));
        }
    }

    /// One sweep over the faces and one pass over the scalars.
    pub(super) fn sweep(&mut self, rows: &mut [Row], step: &SweepStep) {
        match self.is_damped {
            true => self.sweep_faces::<true>(rows, step),
            false => self.sweep_faces::<false>(rows, step),
        }
    }

    fn sweep_faces<const DAMPED: bool>(&mut self, rows: &mut [Row], step: &SweepStep) {
        if self.edges.states.is_empty() {
            return;
        }
        if step.order == Order::Forward {
            self.three_rows.sweep::<DAMPED>(rows, step, &self.edges.states);
            self.two_rows.sweep::<DAMPED>(rows, step, &self.edges.states);
            self.one_row.sweep::<DAMPED>(rows, step, &self.edges.states);
            self.odd.iter_mut().for_each(|face| face.sweep(&self.edges, rows, step));
        } else {
            self.odd.iter_mut().rev().for_each(|face| face.sweep(&self.edges, rows, step));
            self.one_row.sweep::<DAMPED>(rows, step, &self.edges.states);
            self.two_rows.sweep::<DAMPED>(rows, step, &self.edges.states);
            self.three_rows.sweep::<DAMPED>(rows, step, &self.edges.states);
        }
        self.edges.measure(rows);
        self.edges.update_scalars();
    }
}

impl<const V: usize> Faces<V> {
    /// Packs the numbered blocks with `V − 3` rows that lanes can take.
    fn pack(blocks: &[(usize, FaceCurvature)], vertex_count: usize, slots: &[u32]) -> Self {
        let regular = blocks.iter().filter(|(_, block)| fits_lanes::<V>(block));
        let (places, faces): (Vec<_>, Vec<_>) =
            regular.map(|(face, block)| (PlaceInPlate { face: *face, first: block.first }, block)).unzip();
        let vertices: Vec<_> = faces.iter().map(|block| lane_vertices(block)).collect();
        let batches = LaneBatches::build(&vertices, vertex_count);
        let data = batches.pack(|lanes| CurvatureLanes::pack(lanes.map(|k| faces[k]), slots));
        Self { packed: Packed { batches, data }, places }
    }

    fn record_start(&mut self, rows: &[Row], states: &[EdgeLanes]) {
        let Packed { batches, data } = &mut self.packed;
        batches.visit(rows, data, |lanes, x| lanes.record_start(x, states));
    }

    fn sweep<const DAMPED: bool>(&mut self, rows: &mut [Row], step: &SweepStep, states: &[EdgeLanes]) {
        self.packed.sweep(
            rows,
            step.order,
            #[inline(always)]
            |lanes, x, w| lanes.update::<DAMPED>(x, w, step, states),
        );
    }

    fn set_rest(&mut self, plate: &Plate) {
        let rest = self.packed.batches.pack(|lanes| lanes.map(|k| self.places[k].rest(plate)));
        self.packed.data.iter_mut().zip(rest).for_each(|(lanes, rest)| lanes.set_rest(rest));
    }
}

/// Returns whether a block goes to lanes with `V` vertices.
pub(super) fn fits_lanes<const V: usize>(block: &FaceCurvature) -> bool {
    block.is_regular() && block.vertex_count == V
}

/// The vertices that are used.
pub(super) fn lane_vertices<const V: usize>(block: &FaceCurvature) -> [VertexIndex; V] {
    std::array::from_fn(|k| block.vertices[k])
}

impl OddFace {
    fn new(plate: &Plate, face: usize, block: &FaceCurvature) -> Self {
        let clamp = |k: usize| block.edges[k].as_ref().and(plate.edges[block.numbers[k] as usize].clamp);
        Self {
            clamps: [0, 1, 2].map(clamp),
            element: Element::new(block.clone()),
            place: PlaceInPlate { face, first: block.first },
        }
    }

    fn positions(&self, rows: &[Row]) -> [DVec3; 6] {
        self.element.block.vertices.map(|vi| rows[vi.0 as usize].position())
    }

    /// Takes over what the edges know.
    fn read(&mut self, edges: &Edges) {
        let FaceCurvature { edges: own, numbers, scalars, normals, .. } = &mut self.element.block;
        for k in 0..3 {
            let Some(edge) = &mut own[k] else { continue };
            if let Some((angle, scalar)) = edges.state(numbers[k] as usize) {
                (edge.reference, scalars[k]) = (angle, scalar);
            }
            if let Some(clamp) = self.clamps[k] {
                normals[k] = edges.clamps[clamp as usize];
            }
        }
    }

    fn sweep(&mut self, edges: &Edges, rows: &mut [Row], step: &SweepStep) {
        self.read(edges);
        let vertices = self.element.block.vertices;
        let masses = vertices.map(|vi| rows[vi.0 as usize].inverse_mass);
        let moves = self.element.update(&self.positions(rows), &masses, step);
        for (vi, d) in vertices.iter().zip(moves) {
            let row = &mut rows[vi.0 as usize];
            row.position = (row.position() + d).to_array();
        }
    }
}
