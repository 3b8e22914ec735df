//! Faces and edges sixteen at a time: one array per quantity, so that a plain loop over a tile becomes vector code.
//!
//! Each value has one owner, which writes it. A pass over faces writes values of faces and of their corners. A pass over
//! vertices adds up the corners around each vertex in a fixed order. So the result has the same bits for any number of
//! threads.

use glam::DVec3;
use taffeta_core::SurfaceTopology;
use taffeta_core::lanes::vectorized;
use taffeta_core::tasks::share_out;

/// Elements of a tile.
pub(crate) const TILE: usize = 16;
/// One number per element of a tile.
pub(crate) type Lane = [f64; TILE];
/// One index per element of a tile.
pub(crate) type IndexLane = [u32; TILE];
/// A number of a few per element of a tile.
pub(crate) type SmallLane = [i8; TILE];
/// A vector per element of a tile, axis by axis.
pub(crate) type Lane3 = [Lane; 3];

/// Tiles that one task takes.
const TILES_PER_TASK: usize = 64;
/// Vertices that one task takes.
const VERTICES_PER_TASK: usize = 2048;

/// A zero per element.
pub(crate) const ZERO: Lane = [0.0; TILE];

/// Values at the three corners of the faces of a tile: corner 0 along x, y, z, then corner 1, then corner 2.
pub(crate) type CornerTile = [Lane; 9];

/// The corners of all faces, tile by tile, and the way back from corners to vertices.
#[derive(Clone, Debug)]
pub(crate) struct FaceTiles {
    /// Offset of the first coordinate of each corner in a flat vector of coordinates. Unused lanes repeat vertex 0.
    pub corners: Vec<[IndexLane; 3]>,
    /// Places of the corners around each vertex, compressed; the three axes are `TILE` apart.
    ring_offsets: Vec<u32>,
    ring_slots: Vec<u32>,
}

impl FaceTiles {
    /// Packs the faces of a topology in their order.
    pub(crate) fn build(topology: &SurfaceTopology) -> Self {
        let face_count = topology.face_count();
        let mut corners = vec![[[0; TILE]; 3]; face_count.div_ceil(TILE)];
        for (fi, face) in topology.faces.iter_indexed() {
            let (tile, lane) = split(fi.0 as usize);
            for k in 0..3 {
                corners[tile][k][lane] = 3 * face[k].0;
            }
        }
        let mut ring_offsets = vec![0];
        let mut ring_slots = Vec::with_capacity(3 * face_count);
        for vi in topology.vertices() {
            for fi in topology.faces_around(vi) {
                let corner = topology.faces[*fi].iter().position(|v| *v == vi).unwrap_or(0);
                let (tile, lane) = split(fi.0 as usize);
                ring_slots.push(((tile * 9 + corner * 3) * TILE + lane) as u32);
            }
            ring_offsets.push(ring_slots.len() as u32);
        }
        Self { corners, ring_offsets, ring_slots }
    }

    /// Number of tiles.
    pub(crate) fn tile_count(&self) -> usize {
        self.corners.len()
    }

    /// Adds the corners around each vertex to `out`, a flat vector of coordinates.
    pub(crate) fn gather(&self, corners: &[CornerTile], out: &mut [f64]) {
        let values = corners.as_flattened().as_flattened();
        let one = |first: usize, out: &mut [[f64; 3]]| {
            for (k, x) in out.iter_mut().enumerate() {
                let vertex = first + k;
                let range = self.ring_offsets[vertex] as usize..self.ring_offsets[vertex + 1] as usize;
                let mut sum = *x;
                for slot in &self.ring_slots[range] {
                    let axes = &values[*slot as usize..*slot as usize + 2 * TILE + 1];
                    sum[0] += axes[0];
                    sum[1] += axes[TILE];
                    sum[2] += axes[2 * TILE];
                }
                *x = sum;
            }
        };
        share_out(out.as_chunks_mut::<3>().0, VERTICES_PER_TASK, one);
    }
}

/// Calls `work` for every tile with its number and what it writes.
pub(super) fn for_tiles<W: Send>(write: &mut [W], work: impl Fn(usize, &mut W) + Sync) {
    let run = |first: usize, write: &mut [W]| {
        vectorized(
            #[inline(always)]
            || write.iter_mut().enumerate().for_each(|(k, write)| work(first + k, write)),
        );
    };
    share_out(write, TILES_PER_TASK, run);
}

/// Loads the coordinates at the three corners of a tile.
#[inline(always)]
pub(super) fn load_corners(corners: &[IndexLane; 3], x: &[f64]) -> [Lane3; 3] {
    let mut out = [[ZERO; 3]; 3];
    for k in 0..3 {
        for lane in 0..TILE {
            let offset = corners[k][lane] as usize;
            let at = &x[offset..offset + 3];
            out[k][0][lane] = at[0];
            out[k][1][lane] = at[1];
            out[k][2][lane] = at[2];
        }
    }
    out
}

/// The vector of one lane.
#[inline(always)]
pub(crate) fn vector(lanes: &Lane3, lane: usize) -> DVec3 {
    DVec3::new(lanes[0][lane], lanes[1][lane], lanes[2][lane])
}

/// Moves values on from what they were before, by a part of the way since then.
pub(super) fn lead(values: &mut [Lane3], before: &[Lane3], part: f64) {
    for (value, before) in
        values.as_flattened_mut().as_flattened_mut().iter_mut().zip(before.as_flattened().as_flattened())
    {
        *value = before + (*value - before) * part;
    }
}

/// Sets the vector of one lane.
#[inline(always)]
pub(super) fn set_vector(lanes: &mut [Lane], lane: usize, value: DVec3) {
    lanes[0][lane] = value.x;
    lanes[1][lane] = value.y;
    lanes[2][lane] = value.z;
}

/// The product of a vector with the symmetric matrix of one lane, all of whose entries are scaled by a factor.
#[inline(always)]
pub(crate) fn multiply(matrix: &[Lane; 6], x: DVec3, lane: usize, factor: f64) -> DVec3 {
    let [k00, k01, k02, k11, k12, k22] = matrix;
    let (k00, k01, k02) = (k00[lane] * factor, k01[lane] * factor, k02[lane] * factor);
    let (k11, k12, k22) = (k11[lane] * factor, k12[lane] * factor, k22[lane] * factor);
    DVec3::new(
        k00 * x.x + k01 * x.y + k02 * x.z,
        k01 * x.x + k11 * x.y + k12 * x.z,
        k02 * x.x + k12 * x.y + k22 * x.z,
    )
}

/// Tile and lane of a face or edge.
pub(super) fn split(number: usize) -> (usize, usize) {
    (number / TILE, number % TILE)
}
