//! The parts of bending that stay as long as the topology does: stiffness, rest shape and places of faces and edges.

#![allow(clippy::needless_range_loop, reason = "a lane is read from many arrays at once")]

use super::tiles::{IndexLane, Lane, Lane3, SmallLane, TILE, ZERO, split};
use crate::block::hinge::AREA_FLOOR;
use crate::matrices::UPPER;
use crate::plate::{Plate, PlateEdge, PlateFace};
use taffeta_core::{FaceIndex, SurfaceTopology};

/// Stiffness and rest shape of the faces of a tile, and their places among the edges.
#[derive(Clone, Debug)]
pub(crate) struct FaceRest {
    /// The edges by twice their numbers in the plate, and one more if the face is the second of the edge. Where there is no
    /// angle, it is twice the first number beyond all edges.
    pub edges: [IndexLane; 3],
    /// Twice `∂η/∂θ`, 0 where there is no angle.
    pub doubled_shares: [SmallLane; 3],
    /// `s`, 0 where there is no scalar.
    pub signs: [SmallLane; 3],
    /// `K` \[N·m\]: entries 00, 01, 02, 11, 12, 22.
    pub stiffness: [Lane; 6],
    pub rest: Lane3,
    /// Damping time constant \[s\].
    pub tau: Lane,
    /// Smallest squared doubled area \[m⁴\].
    pub floor: Lane,
}

/// Stiffness of the edges of a tile, and their places among faces and vertices.
#[derive(Clone, Debug)]
pub(crate) struct EdgeRest {
    /// Offsets of the coordinates of the ends.
    pub ends: [IndexLane; 2],
    /// Places of the faces' first components in the normals.
    pub normals: [IndexLane; 2],
    /// Places of the edge in values of its faces.
    pub slots: [IndexLane; 2],
    /// Twice `∂η/∂θ`.
    pub doubled_share: SmallLane,
    /// 1 if the edge has a scalar.
    pub scalar: SmallLane,
    /// Stiffness `Σ share² K_kk` \[N·m\], and the damping time constant \[s\].
    pub stiffness: Lane,
    pub tau: Lane,
}

/// Values of a face in a [`MomentTile`].
pub(crate) const FACE_VALUES: usize = 4;

/// Moments of the three edges of the faces of a tile, and the energy or nothing.
pub(crate) type MomentTile = [Lane; FACE_VALUES];

impl FaceRest {
    pub(super) fn pack(&mut self, plate: &Plate, face: &PlateFace) {
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
        for (k, entry) in UPPER.into_iter().enumerate() {
            self.stiffness[k][lane] = face.stiffness[entry];
        }
        self.tau[lane] = face.damping;
    }
}

impl EdgeRest {
    pub(super) fn pack(topology: &SurfaceTopology, plate: &Plate, tile: usize, face_tiles: usize) -> Self {
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

    /// The sum of the values that an edge has in its two faces.
    #[inline(always)]
    pub(crate) fn sum(&self, faces: &[f64], k: usize) -> f64 {
        faces[self.slots[0][k] as usize] + faces[self.slots[1][k] as usize]
    }

    /// The difference of the values that an edge has in its two faces.
    #[inline(always)]
    pub(crate) fn difference(&self, faces: &[f64], k: usize) -> f64 {
        faces[self.slots[0][k] as usize] - faces[self.slots[1][k] as usize]
    }
}

/// `η` of the faces of a tile for values of all edges and, unless there are none, of the scalars.
#[inline(always)]
pub(crate) fn eta(face: &FaceRest, edges: &[f64], scalars: &[f64]) -> Lane3 {
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

/// Values of the three edges of the faces of a tile.
#[inline(always)]
pub(super) fn load_edges(edges: &[IndexLane; 3], values: &[f64]) -> Lane3 {
    let mut out = [ZERO; 3];
    for k in 0..3 {
        for lane in 0..TILE {
            out[k][lane] = values[edges[k][lane] as usize / 2];
        }
    }
    out
}

/// Twice the share of an edge: 1 between two faces, 2 at a clamp.
fn double_share(edge: &PlateEdge) -> i8 {
    if edge.clamp.is_some() { 2 } else { 1 }
}
