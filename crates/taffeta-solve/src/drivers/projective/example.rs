//! A tetrahedron that likes to look like one of several examples.

use super::constraint::Constraint;
use super::singular::closest_rotation;
use super::tetrahedron::{RestTetrahedron, columns};
use glam::{DMat3, DVec3};
use nalgebra::{DMatrix, DVector};
use taffeta_core::VertexIndex;

/// Rounds of rotation and weights at most.
const MAX_ROUNDS: usize = 30;
/// Change of the weights at which the rounds end.
const SETTLED: f64 = 1e-13;
/// Eigenvalues of the Gram matrix of the examples below this part of the largest belong to examples that repeat others.
const DEPENDENT: f64 = 1e-12;

/// Example-based elasticity of a tetrahedron (Bouaziz et al. 2014, section 5.3, after Martin et al. 2011): the closest
/// `R (I + Σ wᵢ (Gᵢ − I))` with a rotation `R` and free weights `wᵢ`, where `Gᵢ` takes the rest shape to example `i`,
/// without its rotation. Rotation and weights are found in turns, from those that were found last.
#[derive(Clone, Debug)]
pub struct TetrahedronExample {
    /// The tetrahedron.
    pub rest: RestTetrahedron,
    /// `w = k V` \[J\].
    pub weight: f64,
    /// `Gᵢ − I`.
    examples: Vec<DMat3>,
    /// Takes the products of the examples with a matrix to the best weights.
    inverse_gram: DMatrix<f64>,
    weights: Vec<f64>,
}

impl TetrahedronExample {
    /// A tetrahedron with the corners of its examples \[m\] and `w = k V` \[J\].
    pub fn new(rest: RestTetrahedron, examples: &[[DVec3; 4]], weight: f64) -> Self {
        let shape = |x: &[DVec3; 4]| {
            let f = rest.deformation(*x);
            // Of the rotations of an example, the one that takes it closest to the rest shape.
            closest_rotation(f).transpose() * f - DMat3::IDENTITY
        };
        let examples: Vec<DMat3> = examples.iter().map(shape).collect();
        let count = examples.len();
        let gram = DMatrix::from_fn(count, count, |i, j| dot(&examples[i], &examples[j]));
        Self { rest, weight, inverse_gram: pseudo_inverse(gram), weights: vec![0.0; count], examples }
    }

    /// The weights of the examples as last found; all zero is the rest shape.
    pub fn weights(&self) -> &[f64] {
        &self.weights
    }

    /// The shape that the weights make of the rest shape.
    fn shape(&self) -> DMat3 {
        self.examples.iter().zip(&self.weights).fold(DMat3::IDENTITY, |sum, (d, w)| sum + *d * *w)
    }
}

/// The sum of the products of the entries.
fn dot(a: &DMat3, b: &DMat3) -> f64 {
    columns(*a).iter().zip(columns(*b)).map(|(a, b)| a.dot(b)).sum()
}

/// The inverse on the space that the examples span.
fn pseudo_inverse(gram: DMatrix<f64>) -> DMatrix<f64> {
    let count = gram.nrows();
    let eigen = gram.symmetric_eigen();
    let largest = eigen.eigenvalues.iter().fold(0.0, |m: f64, v| m.max(v.abs()));
    let mut inverse = DMatrix::zeros(count, count);
    for (value, vector) in eigen.eigenvalues.iter().zip(eigen.eigenvectors.column_iter()) {
        if *value > DEPENDENT * largest {
            inverse += vector * vector.transpose() / *value;
        }
    }
    inverse
}

impl Constraint<3, 4> for TetrahedronExample {
    fn vertices(&self) -> [VertexIndex; 4] {
        self.rest.vertices
    }

    fn weight(&self) -> f64 {
        self.weight
    }

    fn map(&self) -> [[f64; 4]; 3] {
        self.rest.map()
    }

    fn project(&mut self, z: &[DVec3; 3]) -> [DVec3; 3] {
        let f = DMat3::from_cols(z[0], z[1], z[2]);
        let mut rotation = closest_rotation(f * self.shape().transpose());
        for _ in 0..MAX_ROUNDS {
            let difference = rotation.transpose() * f - DMat3::IDENTITY;
            let products = self.examples.iter().map(|d| dot(d, &difference));
            let products = DVector::from_iterator(self.examples.len(), products);
            let weights = &self.inverse_gram * products;
            let moved = weights.iter().zip(&self.weights).map(|(a, b)| (a - b).abs()).fold(0.0, f64::max);
            self.weights = weights.iter().copied().collect();
            rotation = closest_rotation(f * self.shape().transpose());
            if moved <= SETTLED {
                break;
            }
        }
        columns(rotation * self.shape())
    }
}
