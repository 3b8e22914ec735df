//! Handles on arrays, which insist that the mesh stays the same.

use crate::errors::error_with;
use crate::handle::{ClothHandle, Quantity};
use pyo3::prelude::*;

/// A handle on an array of a cloth as long as its mesh stays the same.
#[pyclass(frozen, module = "taffeta")]
pub(crate) struct View {
    pub cloth: ClothHandle,
    pub quantity: Quantity,
    pub version: u64,
}

#[pymethods]
impl View {
    /// The array as it is now.
    fn get<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        let cloth = &self.cloth;
        let current = cloth.version(py)?;
        if current == self.version {
            return cloth.array(py, self.quantity);
        }
        let (quantity, name, version) = (self.quantity.name(), &cloth.name, self.version);
        let text = format!(
            "the view of the {quantity} of cloth {name:?} is of topology version {version}, but the mesh has changed to \
             version {current}: take the view again with view({quantity:?}), and renumber what refers to the old vertices"
        );
        Err(error_with(py, "StaleViewError", text, |fields| {
            fields.set_item("cloth", name)?;
            fields.set_item("taken", version)?;
            fields.set_item("current", current)
        }))
    }

    #[pyo3(signature = (dtype = None, copy = None))]
    fn __array__<'py>(
        &self,
        py: Python<'py>,
        dtype: Option<Bound<'py, PyAny>>,
        copy: Option<bool>,
    ) -> PyResult<Bound<'py, PyAny>> {
        let array = self.get(py)?;
        let array = match dtype {
            Some(dtype) => array.call_method1("astype", (dtype,))?,
            None => array,
        };
        if copy == Some(true) { array.call_method0("copy") } else { Ok(array) }
    }

    /// Name of the cloth.
    #[getter]
    fn cloth(&self) -> &str {
        &self.cloth.name
    }

    /// Name of what it shows.
    #[getter]
    fn name(&self) -> &'static str {
        self.quantity.name()
    }

    /// The version of the mesh that it is of.
    #[getter]
    fn topology_version(&self) -> u64 {
        self.version
    }

    fn __repr__(&self) -> String {
        let (quantity, cloth, version) = (self.quantity.name(), &self.cloth.name, self.version);
        format!("<View of the {quantity} of cloth {cloth:?}, topology version {version}>")
    }
}
