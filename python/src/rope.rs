//! Ropes of a world, and their arrays.

use crate::arrays::{Vectors, show_vectors};
use crate::slot::World;
use numpy::PyArrayDyn;
use pyo3::prelude::*;
use std::sync::Arc;
use taffeta_sim::{DenseState, queries};

/// A rope of a world.
#[pyclass(frozen, module = "taffeta")]
pub(crate) struct Rope {
    world: Py<World>,
    body: usize,
    name: String,
}

impl Rope {
    pub(crate) fn new(world: Py<World>, body: usize, name: String) -> Self {
        Self { world, body, name }
    }

    /// Its number among the loose bodies, if it is in a world.
    pub(crate) fn body_in(&self, world: &Py<World>) -> Option<usize> {
        self.world.is(world).then_some(self.body)
    }

    fn vectors<'py>(
        &self,
        py: Python<'py>,
        choose: impl FnOnce(&DenseState) -> &Vectors,
    ) -> PyResult<Bound<'py, PyArrayDyn<f64>>> {
        let vectors = self.world.get().with(py, |world| {
            (Arc::clone(choose(world.motion())), queries::loose_vertices(world, self.body))
        })?;
        show_vectors(py, vectors)
    }
}

#[pymethods]
impl Rope {
    /// Its name in the scene.
    #[getter]
    fn name(&self) -> &str {
        &self.name
    }

    /// Positions of the vertices along the rope [m].
    #[getter]
    fn positions<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyArrayDyn<f64>>> {
        self.vectors(py, |motion| &motion.positions)
    }

    /// Velocities of the vertices [m/s].
    #[getter]
    fn velocities<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyArrayDyn<f64>>> {
        self.vectors(py, |motion| &motion.velocities)
    }

    fn __repr__(&self) -> String {
        format!("<Rope {:?}>", self.name)
    }
}
