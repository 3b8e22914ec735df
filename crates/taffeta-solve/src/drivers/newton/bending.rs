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

use super::tiles::{
    CornerTile, FaceTiles, IndexLane, Lane, Lane3, SmallLane, TILE, ZERO, for_tiles, load_corners,
    set_vector, split, vector,
};
use crate::block::hinge::AREA_FLOOR;
use crate::plate::{Plate, PlateEdge, PlateFace, angle};
use glam::DVec3;
use nalgebra::Matrix3;
use std::f64::consts::TAU;
use taffeta_core::lanes::{F64x4, LANES};
use taffeta_core::{FaceIndex, SurfaceTopology};

/// Bending of all faces.
#[derive(Clone, Debug)]
pub(super) struct Bending {
    faces: Vec<FaceRest>,
    edges: Vec<EdgeRest>,
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
    /// Whether any edge has a scalar.
    has_scalars: bool,
    /// Whether every `K` is diagonal.
    is_diagonal: bool,
}

/// What does not change about the faces of a tile.
#[derive(Clone, Debug)]
struct FaceRest {
    /// The edges by twice their numbers in the plate, and one more if the face is the second of the edge; twice the first
    /// number beyond all edges where there is no angle.
    edges: [IndexLane; 3],
    /// Twice `∂η/∂θ`, 0 where there is no angle.
    doubled_shares: [SmallLane; 3],
    /// `s`, 0 where there is no scalar.
    signs: [SmallLane; 3],
    /// `K` \[N·m\]: entries 00, 01, 02, 11, 12, 22.
    stiffness: [Lane; 6],
    rest: Lane3,
    /// Damping time constant \[s\].
    tau: Lane,
    /// Smallest squared doubled area \[m⁴\].
    floor: Lane,
}

/// The shape of the faces of a tile at the last evaluation, from which [`slopes_of`] makes the `c_kj`.
#[derive(Clone, Debug)]
struct FaceShape {
    /// The dot product of each edge with the next \[m²\].
    dots: Lane3,
    /// The length of each edge \[m\].
    lengths: Lane3,
}

/// What does not change about the edges of a tile.
#[derive(Clone, Debug)]
struct EdgeRest {
    /// Offsets of the coordinates of the ends.
    ends: [IndexLane; 2],
    /// Places of the faces' first components in the normals.
    normals: [IndexLane; 2],
    /// Places of the edge in values of its faces.
    slots: [IndexLane; 2],
    /// Twice `∂η/∂θ`.
    doubled_share: SmallLane,
    /// 1 if the edge has a scalar.
    scalar: SmallLane,
    /// Stiffness `Σ share² K_kk` \[N·m\], and the damping time constant \[s\].
    stiffness: Lane,
    tau: Lane,
}

/// Scratch: values of faces and of edges, one tile more than there are; the last stays zero.
#[derive(Clone, Debug, Default)]
struct BendingWork {
    faces: Vec<MomentTile>,
    edges: Vec<Lane>,
}

/// Values of a face in a [`MomentTile`].
pub(super) const FACE_VALUES: usize = 4;

/// Moments of the three edges of the faces of a tile, and the energy or nothing.
pub(super) type MomentTile = [Lane; FACE_VALUES];

/// One edge with the gradients of its angle at its vertices.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct EdgeGradients {
    /// `a, b, c, d`.
    pub vertices: [u32; 4],
    /// `∂θ/∂x` \[rad/m\].
    pub gradients: [DVec3; 4],
    /// `Σ share² K_kk` \[N·m\], damping included.
    pub stiffness: f64,
}

impl Bending {
    /// Packs a plate.
    pub(super) fn build(topology: &SurfaceTopology, tiles: &FaceTiles, plate: &Plate) -> Self {
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
        let edges =
            (0..edge_tiles).map(|tile| EdgeRest::pack(topology, plate, (tile, faces.len()))).collect();
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
            work: BendingWork::default(),
            has_scalars: plate.edges.iter().any(|edge| edge.has_scalar),
            is_diagonal: plate.faces.iter().all(|face| is_diagonal(&face.stiffness)),
            faces,
            edges,
        };
        bending.work = bending.new_work();
        for (number, edge) in plate.edges.iter().enumerate() {
            let (tile, lane) = split(number);
            bending.references[tile][lane] = edge.reference;
        }
        bending
    }

    /// Number of edges.
    pub(super) fn edge_count(&self) -> usize {
        self.vertices.len()
    }

    /// The vertices `a, b, c, d` of all edges.
    pub(super) fn vertices(&self) -> &[[u32; 4]] {
        &self.vertices
    }

    /// The edges about which a face bends, in the order of its own, each with the side on which the face lies.
    pub(super) fn edges_of(&self, fi: FaceIndex) -> [Option<(u32, usize)>; 3] {
        let (tile, lane) = split(fi.0 as usize);
        let edge = |rest: &FaceRest, k: usize| {
            let edge = rest.edges[k][lane];
            (rest.doubled_shares[k][lane] != 0).then_some((edge / 2, edge as usize % 2))
        };
        self.faces.get(tile).map_or([None; 3], |rest| [0, 1, 2].map(|k| edge(rest, k)))
    }

    /// `∂η/∂θ` of an edge.
    pub(super) fn share(&self, number: usize) -> f64 {
        let (tile, lane) = split(number);
        0.5 * f64::from(self.edges[tile].doubled_share[lane])
    }

    /// The number of tiles of faces.
    pub(super) fn face_tile_count(&self) -> usize {
        self.faces.len()
    }

    /// The number of tiles of edges.
    pub(super) fn edge_tile_count(&self) -> usize {
        self.edges.len()
    }

    /// `K η'`, damping included, for `η'` of every edge in both of its faces; `rate` is `1/h`.
    pub(super) fn multiply(&self, eta: &[f64], rate: f64, out: &mut [MomentTile]) {
        let faces = &self.faces;
        for_tiles(
            out,
            #[inline(always)]
            |tile, out| {
                let rest = &faces[tile];
                let mut here = [ZERO; 3];
                for k in 0..3 {
                    for lane in 0..TILE {
                        here[k][lane] = eta[rest.edges[k][lane] as usize];
                    }
                }
                for lane in 0..TILE {
                    let damping = 1.0 + rest.tau[lane] * rate;
                    set_vector(out, lane, moment_of(rest, vector(&here, lane), (lane, damping)));
                }
            },
        );
    }

    /// The sums of the moments that the edges of some tiles have in their faces.
    pub(super) fn add_moments(&self, faces: &[f64], (first_tile, out): (usize, &mut [Lane])) {
        for (rest, out) in self.edges[first_tile..].iter().zip(out) {
            for k in 0..TILE {
                out[k] = faces[rest.slots[0][k] as usize] + faces[rest.slots[1][k] as usize];
            }
        }
    }

    /// The differences; zero for edges without a scalar, and beyond the last one.
    pub(super) fn subtract_moments(&self, faces: &[f64], (first_tile, out): (usize, &mut [Lane])) {
        for (rest, out) in self.edges[first_tile..].iter().zip(out) {
            for k in 0..TILE {
                let difference = faces[rest.slots[0][k] as usize] - faces[rest.slots[1][k] as usize];
                out[k] = if rest.scalar[k] != 0 { difference } else { 0.0 };
            }
        }
    }

    /// The inverses of the diagonal of `K_φφ` \[1/(N·m)\], as a vector of scalars; 0 for edges without one.
    pub(super) fn invert_scalar_diagonal(&self, out: &mut Vec<f64>) {
        out.clear();
        out.resize(self.scalar_count(), 0.0);
        if out.is_empty() {
            return;
        }
        for rest in &self.faces {
            for lane in 0..TILE {
                for (k, entry) in [0, 3, 5].into_iter().enumerate() {
                    out[rest.edges[k][lane] as usize / 2] += rest.stiffness[entry][lane];
                }
            }
        }
        let count = self.edges.len() * TILE;
        let has_scalar = self.edges.iter().flat_map(|rest| &rest.scalar);
        for (out, has_scalar) in out[..count].iter_mut().zip(has_scalar) {
            *out = if *has_scalar != 0 { 1.0 / *out } else { 0.0 };
        }
        out[count..].fill(0.0);
    }

    /// Takes over `η₀` of the faces of a plate, which is the one that it was built from but for that.
    pub(super) fn set_rest(&mut self, plate: &Plate) {
        for face in &plate.faces {
            let (tile, lane) = split(face.face.0 as usize);
            if let Some(tile) = self.faces.get_mut(tile) {
                for k in (0..3).filter(|k| face.edges[*k].is_some()) {
                    tile.rest[k][lane] = face.rest[k];
                }
            }
        }
    }

    /// Whether all of it are hinges.
    pub(super) fn is_diagonal(&self) -> bool {
        self.is_diagonal
    }

    /// Length of a vector of scalars: all edges and a tile of zeros, or nothing if no edge has a scalar.
    pub(super) fn scalar_count(&self) -> usize {
        if self.has_scalars { (self.edges.len() + 1) * TILE } else { 0 }
    }

    fn new_work(&self) -> BendingWork {
        BendingWork {
            faces: vec![[ZERO; FACE_VALUES]; self.faces.len() + 1],
            edges: vec![ZERO; self.edges.len() + 1],
        }
    }

    /// Notes angles and `η` at the start of a step.
    pub(super) fn begin_step(
        &mut self,
        corners: &[[IndexLane; 3]],
        x: &[f64],
        (scalars, clamps): (&[f64], &[DVec3]),
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

    /// The angles at the start of the step, in the order of the plate's edges.
    pub(super) fn reference_angles(&self) -> Vec<f64> {
        self.references.as_flattened()[..self.edge_count()].to_vec()
    }

    /// Evaluates energy, gradient and the state of the Hessian at positions `x` \[m\] and scalars \[rad\]; adds the
    /// gradient to `out` \[N\] and writes that of the scalars to `scalars_out` \[N·m\]; returns the energy \[J\].
    pub(super) fn evaluate(
        &mut self,
        corners: &[[IndexLane; 3]],
        (x, scalars, clamps): (&[f64], &[f64], &[DVec3]),
        rate: f64,
        (out, scalars_out): (&mut [CornerTile], &mut [f64]),
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
        let mut work = std::mem::take(&mut self.work);
        self.collect_moments(&mut work, scalars_out);
        self.add_forces(&work, out);
        self.work = work;
        energy
    }

    /// One edge with the gradients of its angle at the last evaluation.
    pub(super) fn edge(&self, number: usize, rate: f64) -> EdgeGradients {
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
            |tile, angles| angles_of(angles, &edges[tile], (x, normals), &references[tile]),
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
                    let mut moment = moment_of(rest, bent, (k, 1.0));
                    values[3][k] = 0.5 * bent.dot(moment);
                    if DAMPED {
                        let change = vector(&now, k) - vector(&start[tile], k);
                        let viscous = moment_of(rest, change, (k, 1.0)) * (rest.tau[k] * rate);
                        values[3][k] = 0.5 * (bent.dot(moment) + change.dot(viscous));
                        moment += viscous;
                    }
                    set_vector(values, k, moment);
                }
            },
        );
    }

    /// Moments of edges from those of their faces, and the part of the scalars.
    fn collect_moments(&self, work: &mut BendingWork, scalars_out: &mut [f64]) {
        let edges = &self.edges;
        let values = work.faces.as_flattened().as_flattened();
        let count = edges.len();
        for_tiles(
            &mut work.edges[..count],
            #[inline(always)]
            |tile, out| {
                let rest = &edges[tile];
                for k in 0..TILE {
                    let sum = values[rest.slots[0][k] as usize] + values[rest.slots[1][k] as usize];
                    out[k] = 0.5 * f64::from(rest.doubled_share[k]) * sum;
                }
            },
        );
        if self.has_scalars {
            for_tiles(
                scalars_out.as_chunks_mut::<TILE>().0.split_at_mut(count).0,
                #[inline(always)]
                |tile, out| {
                    let rest = &edges[tile];
                    for k in 0..TILE {
                        let difference =
                            values[rest.slots[0][k] as usize] - values[rest.slots[1][k] as usize];
                        out[k] = f64::from(rest.scalar[k]) * difference;
                    }
                },
            );
        }
    }

    /// Forces on the corners from the moments of the edges.
    fn add_forces(&self, work: &BendingWork, out: &mut [CornerTile]) {
        let (faces, shapes, normals) = (&self.faces, &self.shapes, &self.normals);
        let edges = work.edges.as_flattened();
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

impl FaceRest {
    fn pack(&mut self, plate: &Plate, face: &PlateFace) {
        let (_, lane) = split(face.face.0 as usize);
        for k in 0..3 {
            let Some(e) = face.edges[k] else { continue };
            let edge = &plate.edges[e as usize];
            let is_second = face.signs[k] < 0.0;
            self.edges[k][lane] = 2 * e + u32::from(is_second);
            self.doubled_shares[k][lane] = double_share(edge);
            self.signs[k][lane] = match edge.has_scalar {
                true if is_second => -1,
                true => 1,
                false => 0,
            };
            self.rest[k][lane] = face.rest[k];
            let side = usize::from(face.signs[k] < 0.0);
            self.floor[lane] = (AREA_FLOOR * edge.doubled_areas[side]).powi(2);
        }
        for (k, entry) in [(0, 0), (0, 1), (0, 2), (1, 1), (1, 2), (2, 2)].into_iter().enumerate() {
            self.stiffness[k][lane] = face.stiffness[entry];
        }
        self.tau[lane] = face.damping;
    }
}

impl EdgeRest {
    fn pack(topology: &SurfaceTopology, plate: &Plate, (tile, face_tiles): (usize, usize)) -> Self {
        // Where there is no edge, and no second face, everything points into the tile of zeros.
        let zeros = |values: usize| (face_tiles * values * TILE) as u32;
        let mut out = Self {
            ends: [[0; TILE]; 2],
            normals: [[zeros(3); TILE]; 2],
            slots: [[zeros(FACE_VALUES); TILE]; 2],
            doubled_share: [0; TILE],
            scalar: [0; TILE],
            stiffness: ZERO,
            tau: ZERO,
        };
        let place = |fi: FaceIndex, (values, k): (usize, usize)| {
            let (tile, lane) = split(fi.0 as usize);
            ((tile * values + k) * TILE + lane) as u32
        };
        debug_assert!(face_tiles * TILE >= topology.face_count());
        for lane in 0..TILE {
            let Some(edge) = plate.edges.get(tile * TILE + lane) else { break };
            out.ends[0][lane] = 3 * edge.vertices[0].0;
            out.ends[1][lane] = 3 * edge.vertices[1].0;
            out.doubled_share[lane] = double_share(edge);
            out.scalar[lane] = i8::from(edge.has_scalar);
            for (side, face) in edge.sides.iter().enumerate() {
                let Some((face, k)) = *face else { continue };
                let face = &plate.faces[face as usize];
                out.normals[side][lane] = place(face.face, (3, 0));
                out.slots[side][lane] = place(face.face, (FACE_VALUES, k as usize));
                out.stiffness[lane] += edge.share * edge.share * face.stiffness[(k as usize, k as usize)];
                out.tau[lane] = face.damping;
            }
        }
        out
    }
}

/// `η` of the faces of a tile for values of all edges and, unless there are none, of the scalars.
#[inline(always)]
fn eta(face: &FaceRest, edges: &[f64], scalars: &[f64]) -> Lane3 {
    let mut out = load_edges(&face.edges, edges);
    for k in 0..3 {
        for lane in 0..TILE {
            out[k][lane] *= 0.5 * f64::from(face.doubled_shares[k][lane]);
        }
    }
    if !scalars.is_empty() {
        let scalars = load_edges(&face.edges, scalars);
        for k in 0..3 {
            for lane in 0..TILE {
                out[k][lane] += f64::from(face.signs[k][lane]) * scalars[k][lane];
            }
        }
    }
    out
}

#[inline(always)]
fn load_edges(edges: &[IndexLane; 3], values: &[f64]) -> Lane3 {
    let mut out = [ZERO; 3];
    for k in 0..3 {
        for lane in 0..TILE {
            out[k][lane] = values[edges[k][lane] as usize / 2];
        }
    }
    out
}

/// `K η` of one face, with all entries of `K` scaled by a factor.
#[inline(always)]
fn moment_of(face: &FaceRest, eta: DVec3, (k, factor): (usize, f64)) -> DVec3 {
    let [k00, k01, k02, k11, k12, k22] = &face.stiffness;
    let (k00, k01, k02) = (k00[k] * factor, k01[k] * factor, k02[k] * factor);
    let (k11, k12, k22) = (k11[k] * factor, k12[k] * factor, k22[k] * factor);
    DVec3::new(
        k00 * eta.x + k01 * eta.y + k02 * eta.z,
        k01 * eta.x + k11 * eta.y + k12 * eta.z,
        k02 * eta.x + k12 * eta.y + k22 * eta.z,
    )
}

#[inline(always)]
fn measure_face(shape: &mut FaceShape, x: &[Lane3; 3], k: usize) {
    let [a, b, c] = [vector(&x[0], k), vector(&x[1], k), vector(&x[2], k)];
    let edges = [b - a, c - b, a - c];
    for e in 0..3 {
        shape.dots[e][k] = edges[e].dot(edges[(e + 1) % 3]);
        shape.lengths[e][k] = edges[e].dot(edges[e]).sqrt();
    }
}

/// `N = n/|n|²` \[1/m²\] from a normal \[m²\]; its square does not fall below a floor \[m⁴\].
#[inline(always)]
fn scale_normal(normal: DVec3, floor: f64) -> DVec3 {
    let square = normal.dot(normal);
    normal * (1.0 / if square > floor { square } else { floor })
}

/// The `c_kj` of edge `k` \[m\]: at its tail, its tip and the opposite corner.
#[inline(always)]
fn slopes_of(shape: &FaceShape, k: usize, lane: usize) -> [f64; 3] {
    let length = shape.lengths[k][lane];
    let inverse = 1.0 / (length + f64::MIN_POSITIVE);
    // The slope at the tail is the projection of the next edge, the tip's that of the one before.
    [shape.dots[k][lane] * inverse, shape.dots[(k + 2) % 3][lane] * inverse, length]
}

/// Twice the share of an edge: 1 between two faces, 2 at a clamp.
fn double_share(edge: &PlateEdge) -> i8 {
    if edge.clamp.is_some() { 2 } else { 1 }
}

/// The unwrapped angles of the edges of a tile.
#[inline(always)]
fn angles_of(out: &mut Lane, rest: &EdgeRest, (x, normals): (&[f64], &[f64]), reference: &Lane) {
    let normal = |place: u32| {
        let at = &normals[place as usize..place as usize + 2 * TILE + 1];
        DVec3::new(at[0], at[TILE], at[2 * TILE])
    };
    let point = |offset: u32| {
        let at = &x[offset as usize..offset as usize + 3];
        DVec3::new(at[0], at[1], at[2])
    };
    let (mut sine, mut cosine) = (ZERO, ZERO);
    for k in 0..TILE {
        let (n1, n2) = (normal(rest.normals[0][k]), normal(rest.normals[1][k]));
        let edge = point(rest.ends[1][k]) - point(rest.ends[0][k]);
        let length = edge.dot(edge).sqrt();
        sine[k] = edge.dot(n2.cross(n1)) / (length + f64::MIN_POSITIVE);
        cosine[k] = n1.dot(n2);
    }
    for first in (0..TILE).step_by(LANES) {
        let four =
            |values: &Lane| F64x4([values[first], values[first + 1], values[first + 2], values[first + 3]]);
        let wrapped = F64x4::atan2(four(&sine), four(&cosine));
        let turns = ((four(reference) - wrapped) * F64x4::splat(1.0 / TAU)).round();
        out[first..first + LANES].copy_from_slice(&(wrapped + F64x4::splat(TAU) * turns).0);
    }
}

fn is_diagonal(matrix: &Matrix3<f64>) -> bool {
    (0..3).all(|r| (0..3).all(|c| r == c || matrix[(r, c)] == 0.0))
}
