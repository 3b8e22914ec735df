//! The scalars that minimize the energy for given angles.

use super::Plate;

/// Conjugate gradients stop when the residual is this part of that of no scalars at all: then the energy is off by the square of it,
/// which is far below round-off.
const TOLERANCE: f64 = 1e-10;
/// Iterations after which the search is given up; about 21 are usual at any mesh size.
const MAX_ITERATIONS: u32 = 500;

impl Plate {
    /// Replaces the scalars \[rad\] by those of least energy for the given angles \[rad\]: conjugate gradients with
    /// the diagonal as preconditioner, whose condition does not depend on the size of the mesh.
    pub fn minimize_scalars(&self, angles: &[f64], scalars: &mut [f64]) {
        let diagonal = self.scalar_diagonal();
        let (_, gradient) = self.moments(angles, scalars);
        let mut residual: Vec<f64> = self.mask(gradient.iter().map(|g| -g).collect());
        let precondition = |r: &[f64]| -> Vec<f64> { r.iter().zip(&diagonal).map(|(r, d)| r / d).collect() };
        let mut z = precondition(&residual);
        let mut direction = z.clone();
        let mut rho = dot(&residual, &z);
        let (_, initial) = self.moments(angles, &vec![0.0; scalars.len()]);
        let initial = self.mask(initial);
        let stop = TOLERANCE * TOLERANCE * dot(&initial, &precondition(&initial));
        for _ in 0..MAX_ITERATIONS {
            if rho <= stop {
                return;
            }
            let product = self.mask(self.scalar_product(&direction));
            let bend = dot(&direction, &product);
            // A flat sheet leaves numbers so small that their squares vanish.
            if bend < f64::MIN_POSITIVE {
                return;
            }
            let alpha = rho / bend;
            for (k, scalar) in scalars.iter_mut().enumerate() {
                *scalar += alpha * direction[k];
                residual[k] -= alpha * product[k];
            }
            z = precondition(&residual);
            let next = dot(&residual, &z);
            let beta = next / rho;
            rho = next;
            direction.iter_mut().zip(&z).for_each(|(d, z)| *d = z + beta * *d);
        }
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

    /// `K_φφ p`.
    fn scalar_product(&self, p: &[f64]) -> Vec<f64> {
        let mut out = vec![0.0; p.len()];
        for face in &self.faces {
            let at = |k: usize| face.edges[k].map_or(0.0, |e| face.signs[k] * p[e as usize]);
            let moment = face.stiffness * nalgebra::Vector3::new(at(0), at(1), at(2));
            for k in 0..3 {
                if let Some(e) = face.edges[k] {
                    out[e as usize] += face.signs[k] * moment[k];
                }
            }
        }
        out
    }

    /// Zeros at edges without a scalar.
    fn mask(&self, mut values: Vec<f64>) -> Vec<f64> {
        for (edge, value) in self.edges.iter().zip(&mut values) {
            if !edge.has_scalar {
                *value = 0.0;
            }
        }
        values
    }
}

fn dot(a: &[f64], b: &[f64]) -> f64 {
    a.iter().zip(b).map(|(a, b)| a * b).sum()
}
