//! The scalars that minimize the energy for given angles.

use super::Plate;
use taffeta_core::components::Components;

/// Conjugate gradients stop when the residual is this part of the residual without any scalars. Then the energy is off by
/// the square of it, which is far below round-off.
const TOLERANCE: f64 = 1e-10;
/// Iterations after which the search is given up; about 21 are usual at any mesh size.
const MAX_ITERATIONS: u32 = 500;

impl Plate {
    /// Replaces the scalars \[rad\] by those of least energy for the given angles \[rad\], each connected piece by itself.
    /// It uses conjugate gradients with the diagonal as preconditioner; their condition does not depend on the size of the
    /// mesh.
    pub fn minimize_scalars(&self, angles: &[f64], scalars: &mut [f64]) {
        let diagonal = self.scalar_diagonal();
        let is_free: Vec<bool> = self.edges.iter().map(|edge| edge.has_scalar).collect();
        // What is zero here stays so: edges without a scalar take no part.
        let precondition = |r: &[f64], z: &mut [f64]| {
            for (k, z) in z.iter_mut().enumerate() {
                *z = if is_free[k] { r[k] / diagonal[k] } else { 0.0 };
            }
        };
        let (mut z, mut product) = (vec![0.0; scalars.len()], vec![0.0; scalars.len()]);
        let (pieces, count) = self.pieces();
        let dot = |a: &[f64], b: &[f64]| {
            let mut sums = vec![0.0; count];
            pieces.iter().zip(a.iter().zip(b)).for_each(|(piece, (a, b))| sums[*piece] += a * b);
            sums
        };
        let (_, initial) = self.moments(angles, &product);
        precondition(&initial, &mut z);
        let stops: Vec<f64> = dot(&initial, &z).iter().map(|rho| TOLERANCE * TOLERANCE * rho).collect();
        let (_, gradient) = self.moments(angles, scalars);
        let mut residual: Vec<f64> = gradient.into_iter().map(|g| -g).collect();
        precondition(&residual, &mut z);
        let mut direction = z.clone();
        let mut rho = dot(&residual, &z);
        let mut is_done = vec![false; count];
        for _ in 0..MAX_ITERATIONS {
            self.multiply_scalars(&direction, &mut product);
            let bends = dot(&direction, &product);
            for piece in 0..count {
                // A flat sheet leaves numbers so small that their squares vanish.
                is_done[piece] |= rho[piece] <= stops[piece] || bends[piece] < f64::MIN_POSITIVE;
            }
            if !is_done.contains(&false) {
                return;
            }
            for (k, piece) in pieces.iter().enumerate().filter(|(_, piece)| !is_done[**piece]) {
                let alpha = rho[*piece] / bends[*piece];
                scalars[k] += alpha * direction[k];
                residual[k] -= alpha * product[k];
            }
            precondition(&residual, &mut z);
            let next = dot(&residual, &z);
            for (k, piece) in pieces.iter().enumerate().filter(|(_, piece)| !is_done[**piece]) {
                direction[k] = z[k] + next[*piece] / rho[*piece] * direction[k];
            }
            rho = next;
        }
    }

    /// The number of the connected piece of each edge, and how many pieces there are: none knows of the others.
    fn pieces(&self) -> (Vec<usize>, usize) {
        let mut joined = Components::new(self.edges.len());
        for face in &self.faces {
            let mut own = face.edges.iter().flatten();
            if let Some(first) = own.next() {
                own.for_each(|edge| joined.join(*first, *edge));
            }
        }
        let pieces: Vec<usize> = joined.numbers().into_iter().map(|number| number as usize).collect();
        let count = pieces.iter().max().map_or(0, |last| last + 1);
        (pieces, count)
    }

    /// The diagonal of `K_φφ` \[N·m\]; 1 for edges without a scalar.
    pub fn scalar_diagonal(&self) -> Vec<f64> {
        let mut diagonal = vec![0.0; self.edges.len()];
        for face in &self.faces {
            for k in 0..3 {
                if let Some(e) = face.edges[k] {
                    diagonal[e as usize] += face.stiffness[(k, k)];
                }
            }
        }
        for (edge, value) in self.edges.iter().zip(&mut diagonal) {
            if !edge.has_scalar {
                *value = 1.0;
            }
        }
        diagonal
    }

    /// `K_φφ p`; at edges without a scalar some number.
    fn multiply_scalars(&self, p: &[f64], out: &mut [f64]) {
        out.fill(0.0);
        for face in &self.faces {
            let at = |k: usize| face.edges[k].map_or(0.0, |e| face.signs[k] * p[e as usize]);
            let moment = face.stiffness * nalgebra::Vector3::new(at(0), at(1), at(2));
            for k in 0..3 {
                if let Some(e) = face.edges[k] {
                    out[e as usize] += face.signs[k] * moment[k];
                }
            }
        }
    }
}
