//! Curvature of a face: `C = η − η₀`, `α = K⁻¹`, on the rows of its edges that are not free.
//!
//! ```text
//!        5 ───── 2 ───── 4        corners 0, 1, 2 counter-clockwise; row k is the edge from corner k to k + 1, and the
//!          \   /   \   /          vertex 3 + k lies across it
//!            0 ───── 1
//!             \     /             η_k = θ_k/2 ± φ_k;   θ and its gradients: [`crate::plate`]
//!                3
//! ```
//!
//! This is the form in which the block driver takes [`crate::plate`]. The scalars `φ` are given numbers here: they have
//! no mass and no multiplier of their own.

use super::{Block, Jacobian};
use crate::model::BendingModel;
use crate::plate::{Plate, PlateEdge, PlateFace, angle, angle_gradients};
use glam::DVec3;
use nalgebra::{Matrix3, Vector3};
use taffeta_core::VertexIndex;

/// Part of the trace of `K` that is added to its diagonal before it is inverted. Without it a sliver, whose `K` is
/// singular to round-off, would have no compliance; with more, the energy would differ from the plate's.
const RIDGE: f64 = 1e-12;

/// The bending block of a face.
#[derive(Clone, Debug)]
pub struct FaceCurvature {
    /// The corners, then the vertices across the edges, each once: where two faces across an edge share their third
    /// vertex, the gradients add up in one place. Places that are not used repeat the first corner and have none.
    pub vertices: [VertexIndex; 6],
    /// Number of places that are used.
    pub vertex_count: usize,
    /// The edge of the face that is the first row; the others follow around the face.
    pub first: usize,
    /// The edges that bend, first; their `vertices` are places in [`FaceCurvature::vertices`].
    pub edges: [Option<PlateEdge>; 3],
    /// Their numbers in [`Plate::edges`].
    pub numbers: [u32; 3],
    /// `s` of each edge in this face.
    pub signs: [f64; 3],
    /// `φ` of each edge \[rad\].
    pub scalars: [f64; 3],
    /// The unit normals beyond the clamped ones among the edges.
    pub normals: [DVec3; 3],
    /// `η₀` \[rad\].
    pub rest: Vector3<f64>,
    /// Inverse of `K` \[1/(N·m)\]; 1 on the diagonal of rows without an edge.
    pub compliance: Matrix3<f64>,
    /// `K` \[N·m\]; 0 in rows without an edge.
    pub stiffness: Matrix3<f64>,
    /// Damping time constant \[s\].
    pub damping: f64,
    /// Doubled rest area of the face \[m²\].
    pub doubled_area: f64,
}

impl FaceCurvature {
    /// The block of a face of the plate with all scalars zero; `None` if it has none. Of hinges only those at clamps
    /// are here: the others are [`super::Hinge`].
    pub fn new(plate: &Plate, face: &PlateFace) -> Option<Self> {
        let number = |k: usize| {
            let e = face.edges[k]?;
            let here = face.model != BendingModel::Hinge || plate.edges[e as usize].clamp.is_some();
            (here && face.stiffness[(k, k)] > 0.0).then_some(e)
        };
        let present = [0, 1, 2].map(|k| number(k).is_some());
        // The first of the rows that follow each other around the face.
        let first = match present.iter().filter(|p| **p).count() {
            0 => return None,
            3 => 0,
            _ => (0..3).find(|k| present[*k] && !present[(k + 2) % 3])?,
        };
        let turned = [0, 1, 2].map(|k| (first + k) % 3);
        let numbers = turned.map(number);
        let corners = turned.map(|k| face.vertices[k]);
        let mut block = Self {
            vertices: [corners[0], corners[1], corners[2], corners[0], corners[0], corners[0]],
            vertex_count: 3,
            first,
            edges: [None, None, None],
            numbers: numbers.map(|e| e.unwrap_or(0)),
            signs: turned.map(|k| face.signs[k]),
            scalars: [0.0; 3],
            normals: [DVec3::ZERO; 3],
            rest: Vector3::from_fn(|k, _| face.rest[turned[k]]),
            compliance: Matrix3::identity(),
            stiffness: Matrix3::zeros(),
            damping: face.damping,
            doubled_area: 0.0,
        };
        for row in 0..3 {
            if let Some(e) = numbers[row] {
                block.add_edge(row, &plate.edges[e as usize]);
                for column in (0..3).filter(|column| numbers[*column].is_some()) {
                    block.stiffness[(row, column)] = face.stiffness[(turned[row], turned[column])];
                }
            }
        }
        block.invert();
        Some(block)
    }

    /// Number of rows that are used.
    pub fn row_count(&self) -> usize {
        self.edges.iter().flatten().count()
    }

    /// Returns whether every row has a vertex of its own across its edge, so that the lanes can take the block.
    pub fn is_regular(&self) -> bool {
        self.vertex_count == 3 + self.row_count() && self.edges.iter().flatten().all(|e| e.clamp.is_none())
    }

    /// Doubled rest area of the face across an edge \[m²\].
    pub fn doubled_area_across(&self, row: usize) -> f64 {
        self.edges[row].as_ref().map_or(0.0, |edge| edge.doubled_areas[usize::from(self.signs[row] > 0.0)])
    }

    fn add_edge(&mut self, row: usize, edge: &PlateEdge) {
        let is_first = self.signs[row] > 0.0;
        self.doubled_area = edge.doubled_areas[usize::from(!is_first)];
        let across = edge.vertices[if is_first { 3 } else { 2 }];
        if !self.vertices[..self.vertex_count].contains(&across) {
            self.vertices[self.vertex_count] = across;
            self.vertex_count += 1;
        }
        let place = |vi: VertexIndex| {
            let place = self.vertices[..self.vertex_count].iter().position(|v| *v == vi);
            VertexIndex(place.expect("the ends of an edge are corners of its faces") as u32)
        };
        let vertices = edge.vertices.map(place);
        let clamp = edge.clamp.map(|_| row as u32);
        self.edges[row] = Some(PlateEdge { vertices, clamp, ..edge.clone() });
    }

    fn invert(&mut self) {
        let ridge = RIDGE * self.stiffness.trace();
        let mut matrix = self.stiffness;
        for row in 0..3 {
            matrix[(row, row)] = if self.edges[row].is_some() { matrix[(row, row)] + ridge } else { 1.0 };
        }
        self.compliance = nalgebra::Cholesky::new(matrix).expect("K is positive semidefinite").inverse();
    }
}

/// No geometric stiffness, as for hinges.
impl Block<3, 6> for FaceCurvature {
    fn vertices(&self) -> [VertexIndex; 6] {
        self.vertices
    }

    fn constraint(&self, x: &[DVec3; 6]) -> Vector3<f64> {
        Vector3::from_fn(|row, _| {
            self.edges[row].as_ref().map_or(0.0, |edge| {
                let eta = edge.share * angle(edge, x, &self.normals) + self.signs[row] * self.scalars[row];
                eta - self.rest[row]
            })
        })
    }

    fn jacobian(&self, x: &[DVec3; 6]) -> Jacobian<3, 6> {
        let mut out = [[DVec3::ZERO; 6]; 3];
        for (row, edge) in self.edges.iter().enumerate() {
            let Some(edge) = edge else { continue };
            for (place, gradient) in edge.vertices.iter().zip(angle_gradients(edge, x)) {
                out[row][place.0 as usize] += gradient * edge.share;
            }
        }
        out
    }

    fn compliance(&self) -> Matrix3<f64> {
        self.compliance
    }

    fn stiffness(&self) -> Matrix3<f64> {
        self.stiffness
    }

    fn damping(&self) -> f64 {
        self.damping
    }

    fn begin_step(&mut self, x: &[DVec3; 6]) {
        for edge in self.edges.iter_mut().flatten() {
            edge.reference = angle(edge, x, &self.normals);
        }
    }
}
