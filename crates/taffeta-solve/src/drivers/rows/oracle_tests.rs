//! The rows in plain scalar form, in the order of the colors: the oracle of the lanes.

use super::element::RowElement;
use super::law::RowStep;
use super::scalar::ScalarRows;
use crate::block::Block;
use taffeta_core::color::color_elements;
use taffeta_core::lanes::Row;

/// Makes all sweeps of a substep over one kind of element, in the order of the colors; returns the multipliers of the
/// elements.
pub(super) fn run_oracle<const R: usize, const V: usize, B: Block<R, V> + Clone>(
    elements: &[RowElement<B, R>],
    rows: &mut [Row],
    start: &[Row],
    h: f64,
    sweeps: u32,
) -> Vec<[f64; R]> {
    let places = |element: &RowElement<B, R>| element.block.vertices().map(|vi| vi.0 as usize);
    let scalar = |element: &RowElement<B, R>| {
        let mut scalar = ScalarRows::new(element.clone());
        scalar.begin_substep(&places(element).map(|i| start[i].position()));
        scalar
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
