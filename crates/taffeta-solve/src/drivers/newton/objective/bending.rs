//! Bending of all faces at once: energy, gradient, and what the Hessian is made of.
//!
//! ```text
//! faces:    N = n/|n|²,  ∂θ_k/∂x_j = c_kj N         a part from each of the edge's two faces
//! edges:    θ from the normals of both faces
//! faces:    μ = K (share θ + s φ − η₀)
//! edges:    τ = share (μ₁ + μ₂),                    for φ: s (μ₁ + μ₂)
//! faces:    Σ_k c_kj τ_k N on corner j
//! ```
//!
//! [`crate::plate`] is the oracle.

#![allow(clippy::needless_range_loop, reason = "a lane is read from many arrays at once")]

use super::bending_rest::{EdgeRest, FACE_VALUES, FaceRest, MomentTile, eta, load_edges};
use super::bending_shape::{FaceShape, angles_of, measure_face, scale_normal, slopes_of};
use super::tiles::{
    CornerTile, FaceTiles, IndexLane, Lane, Lane3, TILE, ZERO, for_tiles, lead, load_corners, multiply,
    set_vector, split, vector,
};
use crate::plate::{Plate, PlateEdge, angle};
use glam::DVec3;
use nalgebra::Matrix3;
use taffeta_core::{FaceIndex, SurfaceTopology};

/// Bending of all faces.
#[derive(Clone, Debug)]
pub(crate) struct Bending {
    pub faces: Vec<FaceRest>,
    pub edges: Vec<EdgeRest>,
    /// `a, b, c, d` of every edge.
    vertices: Vec<[u32; 4]>,
    /// The clamped edges and their numbers.
    clamped: Vec<(u32, PlateEdge)>,
    shapes: Vec<FaceShape>,
    /// Normals with the length of twice the area, one tile more than there are.
    normals: Vec<Lane3>,
    /// Angles at the last evaluation, one tile more than there are.
    angles: Vec<Lane>,
    /// Angles up to which later ones are unwrapped.
    references: Vec<Lane>,
    /// `η` of every face at the start of the step; empty if nothing is damped.
    start: Vec<Lane3>,
    work: BendingWork,
    /// True if any edge has a scalar.
    has_scalars: bool,
    /// True if every `K` is diagonal.
    is_diagonal: bool,
}

/// Scratch: values of faces and of edges, one tile more than there are; the last stays zero.
#[derive(Clone, Debug)]
struct BendingWork {
    faces: Vec<MomentTile>,
    edges: Vec<Lane>,
}

/// One edge with the gradients of its angle at its vertices.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct EdgeGradients {
    /// `a, b, c, d`.
    pub vertices: [u32; 4],
    /// `∂θ/∂x` \[rad/m\].
    pub gradients: [DVec3; 4],
    /// `Σ share² K_kk` \[N·m\], damping included.
    pub stiffness: f64,
}

impl Bending {
    /// Packs a plate.
    pub(crate) fn build(topology: &SurfaceTopology, tiles: &FaceTiles, plate: &Plate) -> Self {
        let edge_tiles = plate.edges.len().div_ceil(TILE);
        let zero_face = FaceRest {
            edges: [[2 * (edge_tiles * TILE) as u32; TILE]; 3],
            doubled_shares: [[0; TILE]; 3],
            signs: [[0; TILE]; 3],
            stiffness: [ZERO; 6],
            rest: [ZERO; 3],
            tau: ZERO,
            floor: [1.0; TILE],
        };
        let mut faces = vec![zero_face; if plate.edges.is_empty() { 0 } else { tiles.tile_count() }];
        for face in &plate.faces {
            if let Some(tile) = faces.get_mut(split(face.face.0 as usize).0) {
                tile.pack(plate, face);
            }
        }
        let edges = (0..edge_tiles).map(|tile| EdgeRest::pack(topology, plate, tile, faces.len())).collect();
        let is_damped = plate.faces.iter().any(|face| face.damping > 0.0);
        let numbered = || (0..).zip(&plate.edges);
        let mut bending = Self {
            vertices: plate.edges.iter().map(|edge| edge.vertices.map(|vi| vi.0)).collect(),
            clamped: numbered().filter(|(_, e)| e.clamp.is_some()).map(|(n, e)| (n, e.clone())).collect(),
            shapes: vec![FaceShape { dots: [ZERO; 3], lengths: [ZERO; 3] }; faces.len()],
            normals: vec![[ZERO; 3]; faces.len() + 1],
            angles: vec![ZERO; edge_tiles + 1],
            references: vec![ZERO; edge_tiles],
            start: vec![[ZERO; 3]; if is_damped { faces.len() } else { 0 }],
            work: BendingWork {
                faces: vec![[ZERO; FACE_VALUES]; faces.len() + 1],
                edges: vec![ZERO; edge_tiles + 1],
            },
            has_scalars: plate.edges.iter().any(|edge| edge.has_scalar),
            is_diagonal: plate.faces.iter().all(|face| is_diagonal(&face.stiffness)),
            faces,
            edges,
        };
        for (number, edge) in plate.edges.iter().enumerate() {
            let (tile, lane) = split(number);
            bending.references[tile][lane] = edge.reference;
        }
        bending
    }

    /// Number of edges.
    pub(crate) fn edge_count(&self) -> usize {
        self.vertices.len()
    }

    /// The vertices `a, b, c, d` of all edges.
    pub(crate) fn vertices(&self) -> &[[u32; 4]] {
        &self.vertices
    }

    /// The edges about which a face bends, in the order of its own, each with the side on which the face lies.
    pub(crate) fn edges_of(&self, fi: FaceIndex) -> [Option<(u32, usize)>; 3] {
        let (tile, lane) = split(fi.0 as usize);
        let edge = |rest: &FaceRest, k: usize| {
            let edge = rest.edges[k][lane];
            (rest.doubled_shares[k][lane] != 0).then_some((edge / 2, edge as usize % 2))
        };
        self.faces.get(tile).map_or([None; 3], |rest| [0, 1, 2].map(|k| edge(rest, k)))
    }

    /// `∂η/∂θ` of an edge.
    pub(crate) fn share(&self, number: usize) -> f64 {
        let (tile, lane) = split(number);
        0.5 * f64::from(self.edges[tile].doubled_share[lane])
    }

    /// The number of tiles of faces.
    pub(crate) fn face_tile_count(&self) -> usize {
        self.faces.len()
    }

    /// The number of tiles of edges.
    pub(crate) fn edge_tile_count(&self) -> usize {
        self.edges.len()
    }

    /// Takes over `η₀` of the faces of a plate, which is the one that it was built from but for that.
    pub(crate) fn set_rest(&mut self, plate: &Plate) {
        for face in &plate.faces {
            let (tile, lane) = split(face.face.0 as usize);
            if let Some(tile) = self.faces.get_mut(tile) {
                for k in (0..3).filter(|k| face.edges[*k].is_some()) {
                    tile.rest[k][lane] = face.rest[k];
                }
            }
        }
    }

    /// Returns whether every `K` is diagonal, as that of hinges is.
    pub(crate) fn is_diagonal(&self) -> bool {
        self.is_diagonal
    }

    /// Length of a vector of scalars: all edges and a tile of zeros, or nothing if no edge has a scalar.
    pub(super) fn scalar_count(&self) -> usize {
        if self.has_scalars { (self.edges.len() + 1) * TILE } else { 0 }
    }

    /// Notes angles and `η` at the start of a step.
    pub(crate) fn begin_step(
        &mut self,
        corners: &[[IndexLane; 3]],
        x: &[f64],
        scalars: &[f64],
        clamps: &[DVec3],
    ) {
        self.measure_shape(corners, x);
        self.measure_angles(x, clamps);
        let count = self.references.len();
        self.references.copy_from_slice(&self.angles[..count]);
        let (faces, angles) = (&self.faces, self.angles.as_flattened());
        for_tiles(
            &mut self.start,
            #[inline(always)]
            |tile, start| *start = eta(&faces[tile], angles, scalars),
        );
    }

    /// Moves `η` at the start on to what it comes to if it goes on as it has changed until `x`, by a part of that. The angles stay.
    pub(crate) fn continue_step(
        &mut self,
        corners: &[[IndexLane; 3]],
        x: &[f64],
        scalars: &[f64],
        clamps: &[DVec3],
        part: f64,
    ) {
        let (before, references) = (self.start.clone(), self.references.clone());
        self.begin_step(corners, x, scalars, clamps);
        self.references = references;
        lead(&mut self.start, &before, part);
    }

    /// The angles at the start of the step, in the order of the plate's edges.
    pub(crate) fn reference_angles(&self) -> Vec<f64> {
        self.references.as_flattened()[..self.edge_count()].to_vec()
    }

    /// Evaluates energy, gradient and the state of the Hessian at positions `x` \[m\] and scalars \[rad\]. Adds the
    /// gradient to `out` \[N\], without that of the scalars, and returns the energy \[J\].
    pub(crate) fn evaluate(
        &mut self,
        corners: &[[IndexLane; 3]],
        x: &[f64],
        scalars: &[f64],
        clamps: &[DVec3],
        rate: f64,
        out: &mut [CornerTile],
    ) -> f64 {
        if self.faces.is_empty() {
            return 0.0;
        }
        self.measure_shape(corners, x);
        self.measure_angles(x, clamps);
        match self.start.is_empty() {
            true => self.measure_moments::<false>(scalars, rate),
            false => self.measure_moments::<true>(scalars, rate),
        }
        let energy = self.work.faces.iter().map(|tile| tile[3].iter().sum::<f64>()).sum();
        self.collect_moments();
        self.add_forces(out);
        energy
    }

    /// One edge with the gradients of its angle at the last evaluation.
    pub(crate) fn edge(&self, number: usize, rate: f64) -> EdgeGradients {
        let (tile, lane) = split(number);
        let rest = &self.edges[tile];
        let mut gradients = [DVec3::ZERO; 4];
        for side in 0..2 {
            let (row, lane) = split(rest.slots[side][lane] as usize);
            let (tile, k) = (row / FACE_VALUES, row % FACE_VALUES);
            // No second face at a clamp.
            let Some(shape) = self.shapes.get(tile) else { continue };
            let normal = scale_normal(vector(&self.normals[tile], lane), self.faces[tile].floor[lane]);
            let [at_tail, at_tip, at_apex] = slopes_of(shape, k, lane);
            // The second face runs along the edge the other way.
            let (tail, tip) = (side, 1 - side);
            gradients[tail] += normal * at_tail;
            gradients[tip] += normal * at_tip;
            gradients[2 + side] = normal * at_apex;
        }
        EdgeGradients {
            vertices: self.vertices[number],
            gradients,
            stiffness: rest.stiffness[lane] * (1.0 + rest.tau[lane] * rate),
        }
    }

    /// Normals and shapes of all faces.
    fn measure_shape(&mut self, corners: &[[IndexLane; 3]], x: &[f64]) {
        let count = self.faces.len();
        for_tiles(
            &mut self.normals[..count],
            #[inline(always)]
            |tile, normals| {
                let x = load_corners(&corners[tile], x);
                for k in 0..TILE {
                    let [a, b, c] = [vector(&x[0], k), vector(&x[1], k), vector(&x[2], k)];
                    set_vector(normals, k, (b - a).cross(c - a));
                }
            },
        );
        for_tiles(
            &mut self.shapes,
            #[inline(always)]
            |tile, shape| {
                let x = load_corners(&corners[tile], x);
                for k in 0..TILE {
                    measure_face(shape, &x, k);
                }
            },
        );
    }

    /// The unwrapped angles of all edges.
    fn measure_angles(&mut self, x: &[f64], clamps: &[DVec3]) {
        let (edges, references) = (&self.edges, &self.references);
        let normals = self.normals.as_flattened().as_flattened();
        let count = edges.len();
        for_tiles(
            &mut self.angles[..count],
            #[inline(always)]
            |tile, angles| angles_of(angles, &edges[tile], x, normals, &references[tile]),
        );
        if clamps.is_empty() {
            return;
        }
        let positions: Vec<DVec3> = x.chunks_exact(3).map(|c| DVec3::new(c[0], c[1], c[2])).collect();
        for (number, edge) in &self.clamped {
            let (tile, lane) = split(*number as usize);
            let unwrapped = PlateEdge { reference: references[tile][lane], ..edge.clone() };
            self.angles[tile][lane] = angle(&unwrapped, &positions, clamps);
        }
    }

    /// Moments and energies of all faces for the present angles.
    fn measure_moments<const DAMPED: bool>(&mut self, scalars: &[f64], rate: f64) {
        let (faces, start) = (&self.faces, &self.start);
        let angles = self.angles.as_flattened();
        let count = faces.len();
        for_tiles(
            &mut self.work.faces[..count],
            #[inline(always)]
            |tile, values| {
                let rest = &faces[tile];
                let now = eta(rest, angles, scalars);
                for k in 0..TILE {
                    let bent = vector(&now, k) - vector(&rest.rest, k);
                    let mut moment = multiply(&rest.stiffness, bent, k, 1.0);
                    values[3][k] = 0.5 * bent.dot(moment);
                    if DAMPED {
                        let change = vector(&now, k) - vector(&start[tile], k);
                        let viscous = multiply(&rest.stiffness, change, k, 1.0) * (rest.tau[k] * rate);
                        values[3][k] = 0.5 * (bent.dot(moment) + change.dot(viscous));
                        moment += viscous;
                    }
                    set_vector(values, k, moment);
                }
            },
        );
    }

    /// Moments of edges from those of their faces.
    fn collect_moments(&mut self) {
        let edges = &self.edges;
        let values = self.work.faces.as_flattened().as_flattened();
        for_tiles(
            &mut self.work.edges[..edges.len()],
            #[inline(always)]
            |tile, out| {
                let rest = &edges[tile];
                for k in 0..TILE {
                    out[k] = 0.5 * f64::from(rest.doubled_share[k]) * rest.sum(values, k);
                }
            },
        );
    }

    /// Writes the gradient of the scalars at the last evaluation \[N·m\].
    pub(super) fn write_scalar_gradient(&self, out: &mut [f64]) {
        if !self.has_scalars {
            return;
        }
        let (edges, values) = (&self.edges, self.work.faces.as_flattened().as_flattened());
        for_tiles(
            &mut out.as_chunks_mut::<TILE>().0[..edges.len()],
            #[inline(always)]
            |tile, out| {
                let rest = &edges[tile];
                for k in 0..TILE {
                    out[k] = f64::from(rest.scalar[k]) * rest.difference(values, k);
                }
            },
        );
    }

    /// Forces on the corners from the moments of the edges.
    fn add_forces(&self, out: &mut [CornerTile]) {
        let (faces, shapes, normals) = (&self.faces, &self.shapes, &self.normals);
        let edges = self.work.edges.as_flattened();
        for_tiles(
            out,
            #[inline(always)]
            |tile, out| {
                let (rest, shape, normals) = (&faces[tile], &shapes[tile], &normals[tile]);
                let moments = load_edges(&rest.edges, edges);
                for k in 0..TILE {
                    let normal = scale_normal(vector(normals, k), rest.floor[k]);
                    let slopes = [0, 1, 2].map(|e| slopes_of(shape, e, k));
                    for j in 0..3 {
                        // The slope of edge e at corner j.
                        let slope = |e: usize| slopes[e][(3 + j - e) % 3];
                        let weight =
                            slope(0) * moments[0][k] + slope(1) * moments[1][k] + slope(2) * moments[2][k];
                        out[3 * j][k] += normal.x * weight;
                        out[3 * j + 1][k] += normal.y * weight;
                        out[3 * j + 2][k] += normal.z * weight;
                    }
                }
            },
        );
    }
}

fn is_diagonal(matrix: &Matrix3<f64>) -> bool {
    (0..3).all(|r| (0..3).all(|c| r == c || matrix[(r, c)] == 0.0))
}
