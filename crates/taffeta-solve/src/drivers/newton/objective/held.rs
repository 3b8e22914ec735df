//! Vectors and blocks without the components that are held.

use crate::matrices::Mat3;
use glam::{DMat3, DVec3};

/// Zeros at held components.
pub(crate) fn mask(held: &[[bool; 3]], values: &mut [f64]) {
    for (held, values) in held.iter().zip(values.chunks_exact_mut(3)) {
        for axis in 0..3 {
            // A select, not a branch: most vertices are free.
            values[axis] = if held[axis] { 0.0 } else { values[axis] };
        }
    }
}

/// A block with ones for the held axes.
pub(crate) fn hold(mut block: DMat3, held: [bool; 3]) -> DMat3 {
    for axis in (0..3).filter(|axis| held[*axis]) {
        for other in 0..3 {
            block.col_mut(axis)[other] = 0.0;
            block.col_mut(other)[axis] = 0.0;
        }
        block.col_mut(axis)[axis] = 1.0;
    }
    block
}

/// A block with zeros in the rows and columns of held axes.
#[inline(always)]
pub(crate) fn release(mut block: Mat3, rows: [bool; 3], columns: [bool; 3]) -> Mat3 {
    if rows != [false; 3] || columns != [false; 3] {
        for c in 0..3 {
            for r in (0..3).filter(|r| rows[*r] || columns[c]) {
                block[3 * c + r] = 0.0;
            }
        }
    }
    block
}

/// Ones along the axes that are not held, zeros along the others.
pub(crate) fn free_axes(held: [bool; 3]) -> DVec3 {
    DVec3::from_array(held.map(|held| if held { 0.0 } else { 1.0 }))
}
