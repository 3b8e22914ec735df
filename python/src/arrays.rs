//! Read-only NumPy arrays that show memory of a state without a copy.
//!
//! The only module with unsafe code. An array has an [`Owner`] as its base, which shares the memory; a world that goes on
//! writes into other memory as long as somebody shares the old one. So an array keeps the values of the moment when it was
//! taken, however long it is kept.

#![allow(unsafe_code)]

use glam::DVec3;
use numpy::ndarray::{ArrayViewD, IxDyn};
use numpy::{Element, PyArrayDyn, PyArrayMethods};
use pyo3::prelude::*;
use std::any::Any;
use std::ops::Range;
use std::sync::Arc;
use taffeta_core::{IndexVec, VertexIndex};

/// Keeps alive what an array shows.
#[pyclass(frozen, module = "taffeta._taffeta")]
pub(crate) struct Owner {
    _memory: Arc<dyn Any + Send + Sync>,
}

/// A read-only array of a shape that shows what `part` selects of shared memory.
///
/// # Panics
/// If the part has another number of elements than the shape.
pub(crate) fn show<'py, T: Element, M: Send + Sync + 'static>(
    py: Python<'py>,
    memory: &Arc<M>,
    part: impl for<'a> Fn(&'a M) -> &'a [T],
    shape: &[usize],
) -> PyResult<Bound<'py, PyArrayDyn<T>>> {
    let view = ArrayViewD::from_shape(IxDyn(shape), part(memory)).expect("the shape is that of the part");
    let owner = Bound::new(py, Owner { _memory: Arc::<M>::clone(memory) })?;
    // SAFETY: `part` borrows from the memory, which stays where it is and is not written to while the owner shares it: who
    // writes does so through `Arc::make_mut`. The owner is the base of the array, so it lives at least as long. The next line
    // makes the array read-only, before Python code gets hold of it. NumPy refuses to make it writeable again because its base
    // offers no writeable buffer.
    let array = unsafe { PyArrayDyn::borrow_from_array(&view, owner.into_any()) };
    let shown = array.clone();
    array.readwrite().make_nonwriteable();
    Ok(shown)
}

/// Vectors of all vertices of a world, as states share them.
pub(crate) type Vectors = Arc<IndexVec<VertexIndex, DVec3>>;

/// An array of the vectors of some vertices, without a copy.
pub(crate) fn show_vectors<'py>(
    py: Python<'py>,
    (memory, range): (Vectors, Range<usize>),
) -> PyResult<Bound<'py, PyArrayDyn<f64>>> {
    let count = range.len();
    show(
        py,
        &memory,
        |all: &IndexVec<VertexIndex, DVec3>| bytemuck::cast_slice(&all.raw[range.clone()]),
        &[count, 3],
    )
}
