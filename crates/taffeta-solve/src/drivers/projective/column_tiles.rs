//! The triangular solves, for three right-hand sides at once.
//!
//! The columns of the factor come in tiles of up to four that share their rows below. A tile updates the rows below it with
//! four columns at a time. Each row is one vector of the three coordinates, so a solve reads each entry of the factor once
//! for all coordinates. Everything runs in one fixed order.

use taffeta_core::lanes::{F64x4, vectorized};

/// Columns per tile.
const WIDTH: usize = 4;

/// Up to four consecutive columns.
#[derive(Clone, Debug)]
struct ColumnTile {
    /// The first column.
    start: u32,
    width: u32,
    /// The block on the diagonal, row by row: below the diagonal the factor, on it the reciprocals.
    block: [[f64; WIDTH]; WIDTH],
    /// The first row below in `rows` and `values`.
    below: u32,
    count: u32,
}

/// The factor `L` of `A = L Lᵀ`.
#[derive(Clone, Debug, Default)]
pub(super) struct ColumnTiles {
    tiles: Vec<ColumnTile>,
    rows: Vec<u32>,
    values: Vec<[f64; WIDTH]>,
}

impl ColumnTiles {
    /// Adds the columns `start..start + width` of a dense block: `entry(i, j)` is the factor in row `start + i` for
    /// `i < width`, in row `below[i − width]` else.
    pub(super) fn push_columns(
        &mut self,
        start: usize,
        width: usize,
        below: &[usize],
        entry: impl Fn(usize, usize) -> f64,
    ) {
        for first in (0..width).step_by(WIDTH) {
            let count = WIDTH.min(width - first);
            let mut block = [[0.0; WIDTH]; WIDTH];
            for (i, row) in block.iter_mut().enumerate().take(count) {
                for (j, value) in row.iter_mut().enumerate().take(i) {
                    *value = entry(first + i, first + j);
                }
                row[i] = 1.0 / entry(first + i, first + i);
            }
            let end = first + count;
            let begun = self.rows.len();
            self.rows.extend((end..width).map(|i| (start + i) as u32));
            self.rows.extend(below.iter().map(|row| *row as u32));
            let row = |i: usize| std::array::from_fn(|c| if c < count { entry(i, first + c) } else { 0.0 });
            self.values.extend((end..width + below.len()).map(row));
            self.tiles.push(ColumnTile {
                start: (start + first) as u32,
                width: count as u32,
                block,
                below: begun as u32,
                count: (self.rows.len() - begun) as u32,
            });
        }
    }

    /// Number of entries of the factor that are stored, fill-up included.
    pub(super) fn entry_count(&self) -> usize {
        WIDTH * self.values.len() + self.tiles.len() * (WIDTH * (WIDTH + 1) / 2)
    }

    /// Replaces the right-hand sides by the solutions.
    pub(super) fn solve(&self, y: &mut [F64x4]) {
        vectorized(|| {
            self.tiles.iter().for_each(|tile| self.forward(tile, y));
            self.tiles.iter().rev().for_each(|tile| self.backward(tile, y));
        });
    }

    #[inline(always)]
    fn rows_below(&self, tile: &ColumnTile) -> impl Iterator<Item = (&u32, &[f64; WIDTH])> {
        let span = tile.below as usize..(tile.below + tile.count) as usize;
        self.rows[span.clone()].iter().zip(&self.values[span])
    }

    #[inline(always)]
    fn forward(&self, tile: &ColumnTile, y: &mut [F64x4]) {
        let (start, width) = (tile.start as usize, tile.width as usize);
        let mut x = [F64x4::default(); WIDTH];
        for i in 0..width {
            let mut value = y[start + i];
            for (left, l) in x.iter().zip(&tile.block[i]).take(i) {
                value = value - *left * F64x4::splat(*l);
            }
            x[i] = value * F64x4::splat(tile.block[i][i]);
            y[start + i] = x[i];
        }
        for (row, l) in self.rows_below(tile) {
            let slot = &mut y[*row as usize];
            let pair = |a: usize, b: usize| x[a] * F64x4::splat(l[a]) + x[b] * F64x4::splat(l[b]);
            *slot = *slot - (pair(0, 1) + pair(2, 3));
        }
    }

    #[inline(always)]
    fn backward(&self, tile: &ColumnTile, y: &mut [F64x4]) {
        let (start, width) = (tile.start as usize, tile.width as usize);
        let mut x = [F64x4::default(); WIDTH];
        for (row, l) in self.rows_below(tile) {
            let value = y[*row as usize];
            for c in 0..WIDTH {
                x[c] = x[c] + value * F64x4::splat(l[c]);
            }
        }
        for i in (0..width).rev() {
            let mut value = y[start + i] - x[i];
            for (below, row) in x.iter().zip(&tile.block).take(width).skip(i + 1) {
                value = value - *below * F64x4::splat(row[i]);
            }
            x[i] = value * F64x4::splat(tile.block[i][i]);
            y[start + i] = x[i];
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A full lower triangle of 11 columns, pushed as blocks of 3, 6 and 2 columns.
    #[test]
    fn the_solution_fulfils_the_equations() {
        const N: usize = 11;
        let l = |i: usize, j: usize| {
            if i == j { 2.0 + 0.1 * i as f64 } else { ((3 * i + 7 * j) as f64).sin() * 0.3 }
        };
        let mut tiles = ColumnTiles::default();
        for (start, width) in [(0, 3), (3, 6), (9, 2)] {
            let below: Vec<usize> = (start + width..N).collect();
            tiles.push_columns(start, width, &below, |i, j| l(start + i, start + j));
        }
        let exact: Vec<F64x4> = (0..N).map(|i| F64x4([i as f64, 1.0, (i as f64).cos(), 0.0])).collect();
        let times = |x: &[F64x4], entry: &dyn Fn(usize, usize) -> f64| -> Vec<F64x4> {
            let row =
                |i: usize| (0..N).fold(F64x4::default(), |sum, j| sum + x[j] * F64x4::splat(entry(i, j)));
            (0..N).map(row).collect()
        };
        let upper = times(&exact, &|i, j| if j >= i { l(j, i) } else { 0.0 });
        let mut y = times(&upper, &|i, j| if j <= i { l(i, j) } else { 0.0 });
        tiles.solve(&mut y);
        for (y, exact) in y.iter().zip(&exact) {
            let error = (*y - *exact).abs().0.iter().fold(0.0, |m: f64, e| m.max(*e));
            assert!(error < 1e-12, "{error}");
        }
    }
}
