//! Ropes in the preconditioner: their part of the Hessian is a narrow band and is factorized exactly.
//!
//! Elimination along the rope solves it at once, at a cost that grows linearly with the segments. A block-diagonal
//! preconditioner takes as many iterations as a rope has segments, and grids help only where there is a surface.
//! `H = L D Lᵀ` without exchange of rows; a rope whose band is not positive definite keeps its diagonal blocks.

use crate::drivers::newton::linear::block_rows::BlockRows;
use crate::matrices::Mat3;
use std::ops::Range;

/// Vertices that couple are at most this far apart along a rope.
const REACH: usize = 3;
/// Entries of a row below the diagonal.
const BAND: usize = 3 * REACH + 2;
/// Pivots below this part of their diagonal entry are taken for round-off of an indefinite band.
const LEAST_PIVOT: f64 = 1e-14;

/// The factors of all ropes.
#[derive(Clone, Debug, Default)]
pub(crate) struct Chains {
    chains: Vec<Chain>,
}

/// The factors of one rope: row by row the `BAND` entries before the diagonal, nearest last, and the pivot.
#[derive(Clone, Debug)]
struct Chain {
    vertices: Range<usize>,
    rows: Vec<[f64; BAND + 1]>,
    is_definite: bool,
}

impl Chains {
    /// Room for the ropes with the given vertices.
    pub(crate) fn new(ranges: &[Range<usize>]) -> Self {
        let chain = |vertices: &Range<usize>| Chain {
            rows: vec![[0.0; BAND + 1]; 3 * vertices.len()],
            vertices: vertices.clone(),
            is_definite: false,
        };
        Self { chains: ranges.iter().map(chain).collect() }
    }

    /// Factorizes the Hessian over each rope: its pairs are those of `rows`, its diagonal blocks are given by `diagonal`.
    pub(crate) fn update(&mut self, rows: &BlockRows, diagonal: impl Fn(usize) -> Mat3, held: &[[bool; 3]]) {
        for chain in &mut self.chains {
            chain.rows.iter_mut().for_each(|row| *row = [0.0; BAND + 1]);
            for i in chain.vertices.clone() {
                chain.add(i, i, &diagonal(i), held);
                for (j, block) in rows.row(i) {
                    // Stored once, in the row of the earlier vertex: below the diagonal it is transposed.
                    chain.add(j as usize, i, &transpose(block), held);
                }
            }
            chain.is_definite = chain.factorize();
        }
    }

    /// Writes `H⁻¹ r` over the vertices of the ropes to `z`.
    pub(crate) fn apply(&self, r: &[f64], z: &mut [f64]) {
        for chain in self.chains.iter().filter(|chain| chain.is_definite) {
            let range = 3 * chain.vertices.start..3 * chain.vertices.end;
            z[range.clone()].copy_from_slice(&r[range.clone()]);
            chain.solve(&mut z[range]);
        }
    }
}

fn transpose(block: &Mat3) -> Mat3 {
    std::array::from_fn(|e| block[3 * (e % 3) + e / 3])
}

impl Chain {
    /// Adds the block of two vertices, the later one first; rows and columns of held components are those of the identity.
    fn add(&mut self, later: usize, earlier: usize, block: &Mat3, held: &[[bool; 3]]) {
        if !self.vertices.contains(&later) || later - earlier > REACH {
            return;
        }
        let (row, column) = (3 * (later - self.vertices.start), 3 * (earlier - self.vertices.start));
        for c in 0..3 {
            for r in (0..3).filter(|r| row + r >= column + c) {
                let is_held = held[later][r] || held[earlier][c];
                let is_pivot = row + r == column + c;
                let value = if is_held { f64::from(u8::from(is_pivot)) } else { block[3 * c + r] };
                self.rows[row + r][BAND - (row + r - column - c)] += value;
            }
        }
    }

    /// `L D Lᵀ` in place; whether it is positive definite.
    fn factorize(&mut self) -> bool {
        for i in 0..self.rows.len() {
            let mut row = self.rows[i];
            let diagonal = row[BAND];
            // Entry k of the row belongs to column i + k − BAND.
            for k in BAND.saturating_sub(i)..BAND {
                let column = i + k - BAND;
                let other = &self.rows[column];
                let first = BAND.saturating_sub(column).max(BAND - k);
                let sum: f64 = (first..BAND).map(|m| row[m + k - BAND] * other[m]).sum();
                row[k] -= sum;
            }
            for k in BAND.saturating_sub(i)..BAND {
                let scaled = row[k] / self.rows[i + k - BAND][BAND];
                row[BAND] -= row[k] * scaled;
                row[k] = scaled;
            }
            self.rows[i] = row;
            if !(row[BAND] > LEAST_PIVOT * diagonal && row[BAND].is_finite()) {
                return false;
            }
        }
        true
    }

    fn solve(&self, x: &mut [f64]) {
        for i in 0..x.len() {
            let below = (BAND.saturating_sub(i)..BAND).map(|k| self.rows[i][k] * x[i + k - BAND]);
            x[i] -= below.sum::<f64>();
        }
        for (x, row) in x.iter_mut().zip(&self.rows) {
            *x /= row[BAND];
        }
        for i in (0..x.len()).rev() {
            for k in BAND.saturating_sub(i)..BAND {
                x[i + k - BAND] -= self.rows[i][k] * x[i];
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use glam::DMat3;

    /// A chain with random couplings over three vertices, one component held: the product with the solution is the right
    /// side.
    #[test]
    fn the_factors_solve_the_system() {
        const COUNT: usize = 9;
        let pairs: Vec<[u32; 2]> =
            (0..COUNT as u32).flat_map(|i| (i + 1..(i + 4).min(COUNT as u32)).map(move |j| [i, j])).collect();
        let mut rows = BlockRows::build(COUNT, &pairs);
        let mut seed = 1.0_f64;
        let mut random = || {
            seed = (seed * 12.9898).sin() * 43_758.547;
            seed - seed.floor() - 0.5
        };
        for [i, j] in &pairs {
            let block = DMat3::from_cols_array(&std::array::from_fn(|_| random()));
            rows.add(*i, *j, &block);
        }
        let diagonal = |_| DMat3::from_diagonal(glam::DVec3::splat(9.0)).to_cols_array();
        let mut held = vec![[false; 3]; COUNT];
        held[2] = [false, true, false];
        let rope = 1..COUNT;
        let mut chains = Chains::new(std::slice::from_ref(&rope));
        chains.update(&rows, diagonal, &held);
        assert!(chains.chains[0].is_definite);
        let mut r: Vec<f64> = (0..3 * COUNT).map(|_| random()).collect();
        r[7] = 0.0;
        let mut z = vec![0.0; r.len()];
        chains.apply(&r, &mut z);
        assert_eq!(z[7], 0.0);
        // The first vertex is not part of the chain.
        let mut product: Vec<f64> = z.iter().map(|z| 9.0 * z).collect();
        for i in 0..COUNT {
            for (j, block) in rows.row(i) {
                for c in 0..3 {
                    for r in 0..3 {
                        product[3 * i + r] += block[3 * c + r] * z[3 * j as usize + c];
                        product[3 * j as usize + c] += block[3 * c + r] * z[3 * i + r];
                    }
                }
            }
        }
        for k in (3..3 * COUNT).filter(|k| *k != 7) {
            assert!((product[k] - r[k]).abs() < 1e-12, "{k}: {} of {}", product[k], r[k]);
        }
    }
}
