//! Products with the stiffness `K` of all faces, and the sums over the faces of an edge that go with them.

#![allow(clippy::needless_range_loop, reason = "a lane is read from many arrays at once")]

use super::bending::Bending;
use super::bending_rest::MomentTile;
use super::tiles::{Lane, TILE, ZERO, for_tiles, multiply, set_vector, vector};

impl Bending {
    /// `K η'`, damping included, for `η'` of every edge in both of its faces; `rate` is `1/h`.
    pub(crate) fn multiply(&self, eta: &[f64], rate: f64, out: &mut [MomentTile]) {
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
                    set_vector(out, lane, multiply(&rest.stiffness, vector(&here, lane), lane, damping));
                }
            },
        );
    }

    /// The sums of the moments that the edges of some tiles have in their faces.
    pub(crate) fn add_moments(&self, faces: &[f64], first_tile: usize, out: &mut [Lane]) {
        for (rest, out) in self.edges[first_tile..].iter().zip(out) {
            (0..TILE).for_each(|k| out[k] = rest.sum(faces, k));
        }
    }

    /// The differences; zero for edges without a scalar, and beyond the last one.
    pub(crate) fn subtract_moments(&self, faces: &[f64], first_tile: usize, out: &mut [Lane]) {
        for (rest, out) in self.edges[first_tile..].iter().zip(out) {
            for k in 0..TILE {
                out[k] = if rest.scalar[k] != 0 { rest.difference(faces, k) } else { 0.0 };
            }
        }
    }

    /// The inverses of the diagonal of `K_φφ` \[1/(N·m)\], damping included, as a vector of scalars; 0 for edges without one. `rate` is
    /// `1/h`.
    pub(crate) fn invert_scalar_diagonal(&self, rate: f64, out: &mut Vec<f64>) {
        out.clear();
        out.resize(self.scalar_count(), 0.0);
        if out.is_empty() {
            return;
        }
        for rest in &self.faces {
            for lane in 0..TILE {
                let damping = 1.0 + rest.tau[lane] * rate;
                for (k, entry) in [0, 3, 5].into_iter().enumerate() {
                    out[rest.edges[k][lane] as usize / 2] += damping * rest.stiffness[entry][lane];
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
}
