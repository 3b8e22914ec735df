//! The rows in plain scalar form, one element after the other: the oracle of the lanes.

use super::element::RowElement;
use super::law::{RowStep, RowValue};
use crate::block::Block;
use glam::DVec3;
use taffeta_core::color::color_elements;
use taffeta_core::lanes::Row;

/// A block with its multipliers.
struct ScalarRows<B, const R: usize, const V: usize> {
    element: RowElement<B, R>,
    lambda: [f64; R],
    /// Positions at the start of the substep \[m\].
    start: [DVec3; V],
}

impl<const R: usize, const V: usize, B: Block<R, V>> ScalarRows<B, R, V> {
    /// Constraint and gradients of one row.
    fn row(&self, row: usize, x: &[DVec3; V]) -> (f64, [DVec3; V]) {
        let RowElement { block, basis, .. } = &self.element;
        let (c, j) = (block.constraint(x), block.jacobian(x));
        let gradient = |v: usize| (0..R).map(|r| j[r][v] * basis[(r, row)]).sum::<DVec3>();
        ((0..R).map(|r| c[r] * basis[(r, row)]).sum(), std::array::from_fn(gradient))
    }

    /// Updates every row once, each at the positions that the one before it has left.
    fn project(&mut self, x: &mut [DVec3; V], inverse_masses: &[f64; V], step: &RowStep) {
        for row in 0..R {
            let (constraint, gradients) = self.row(row, x);
            let mut value = RowValue { constraint, weight: 0.0, motion: 0.0 };
            for (v, gradient) in gradients.iter().enumerate() {
                value.weight += inverse_masses[v] * gradient.length_squared();
                value.motion += gradient.dot(x[v] - self.start[v]);
            }
            let change = self.element.laws[row].change(&value, self.lambda[row], step);
            self.lambda[row] += change;
            for (v, gradient) in gradients.iter().enumerate() {
                x[v] += *gradient * (inverse_masses[v] * change);
            }
        }
    }
}

/// Makes all sweeps of a substep over one kind of element, in the order of the colors; returns the multipliers of the
/// elements.
pub(super) fn run_oracle<const R: usize, const V: usize, B: Block<R, V> + Clone>(
    elements: &[RowElement<B, R>],
    rows: &mut [Row],
    start: &[Row],
    (h, sweeps): (f64, u32),
) -> Vec<[f64; R]> {
    let places = |element: &RowElement<B, R>| element.block.vertices().map(|vi| vi.0 as usize);
    let scalar = |element: &RowElement<B, R>| {
        let start = places(element).map(|i| start[i].position());
        let mut element = element.clone();
        element.block.begin_step(&start);
        ScalarRows { element, lambda: [0.0; R], start }
    };
    let mut scalars: Vec<_> = elements.iter().map(scalar).collect();
    let vertices: Vec<_> = elements.iter().map(|element| element.block.vertices()).collect();
    let order: Vec<u32> = color_elements(&vertices, rows.len()).concat();
    for sweep in 0..sweeps {
        for e in &order {
            let scalar = &mut scalars[*e as usize];
            let places = places(&scalar.element);
            let mut x = places.map(|i| rows[i].position());
            scalar.project(&mut x, &places.map(|i| rows[i].inverse_mass), &RowStep { h, sweep, sweeps });
            for (i, x) in places.into_iter().zip(x) {
                rows[i].position = x.to_array();
            }
        }
    }
    scalars.iter().map(|scalar| scalar.lambda).collect()
}
