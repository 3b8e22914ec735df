//! Cloths by their handles, and the arrays of which there are views.

use crate::arrays::show;
use crate::errors::error;
use crate::slot::World;
use crate::topology::Topology;
use glam::{DVec2, DVec3};
use numpy::PyArrayDyn;
use pyo3::prelude::*;
use std::sync::Arc;
use taffeta_sim::{ClothId, ClothView, World as SimWorld};

/// A quantity with an array of its own.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Quantity {
    Positions,
    Velocities,
    Faces,
    Material,
}

impl Quantity {
    const ALL: [(&'static str, Self); 4] = [
        ("positions", Self::Positions),
        ("velocities", Self::Velocities),
        ("faces", Self::Faces),
        ("material", Self::Material),
    ];

    pub(crate) fn named(py: Python<'_>, name: &str) -> PyResult<Self> {
        let found = Self::ALL.into_iter().find(|(known, _)| *known == name);
        found.map(|(_, quantity)| quantity).ok_or_else(|| {
            let names: Vec<&str> = Self::ALL.iter().map(|(name, _)| *name).collect();
            error(py, "ArrayError", format!("there is no view of {name:?}; there are {}", names.join(", ")))
        })
    }

    pub(crate) fn name(self) -> &'static str {
        Self::ALL.iter().find(|(_, quantity)| *quantity == self).map_or("", |(name, _)| name)
    }
}

/// A cloth of a world, by its handle.
pub(crate) struct ClothHandle {
    pub world: Py<World>,
    pub id: ClothId,
    pub name: String,
}

impl ClothHandle {
    /// Another handle on the same cloth.
    pub(crate) fn copy(&self, py: Python<'_>) -> Self {
        Self { world: self.world.clone_ref(py), id: self.id, name: self.name.clone() }
    }

    /// Looks at the cloth, without calling Python.
    pub(crate) fn with<R>(
        &self,
        py: Python<'_>,
        look: impl FnOnce(ClothView<'_>, &SimWorld) -> R,
    ) -> PyResult<R> {
        let found = self.world.get().with(py, |world| {
            world.cloth_ids().contains(&self.id).then(|| look(world.cloth(self.id), world))
        })?;
        found.ok_or_else(|| {
            error(py, "ArrayError", format!("cloth {:?} was removed from the world", self.name))
        })
    }

    /// Count of the changes of its mesh.
    pub(crate) fn version(&self, py: Python<'_>) -> PyResult<u64> {
        self.with(py, |cloth, _| cloth.topology_version())
    }

    fn topology(&self, py: Python<'_>) -> PyResult<Topology> {
        let kept = self.world.get().topologies();
        self.with(py, |cloth, _| kept.find(self.id, &cloth))
    }

    /// Positions [m] or velocities [m/s].
    pub(crate) fn vectors<'py>(
        &self,
        py: Python<'py>,
        quantity: Quantity,
    ) -> PyResult<Bound<'py, PyArrayDyn<f64>>> {
        let list = self.with(py, |cloth, _| match quantity {
            Quantity::Velocities => cloth.velocities(),
            _ => cloth.positions(),
        })?;
        let (count, memory) = (list.len(), Arc::new(list));
        show(py, &memory, |list: &Vec<DVec3>| bytemuck::cast_slice(list), &[count, 3])
    }

    /// Corners of the faces.
    pub(crate) fn faces<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyArrayDyn<u32>>> {
        let faces = self.topology(py)?.faces;
        let count = faces.len();
        show(py, &faces, |list: &Vec<[u32; 3]>| list.as_flattened(), &[count, 3])
    }

    /// Material coordinates of the corners of the faces [m].
    pub(crate) fn material<'py>(&self, py: Python<'py>) -> PyResult<Option<Bound<'py, PyArrayDyn<f64>>>> {
        let Some(material) = self.topology(py)?.material else { return Ok(None) };
        let count = material.len();
        show(
            py,
            &material,
            |list: &Vec<[DVec2; 3]>| bytemuck::cast_slice(list.as_flattened()),
            &[count, 3, 2],
        )
        .map(Some)
    }

    /// Material coordinates of the vertices \[m\].
    pub(crate) fn vertex_material<'py>(
        &self,
        py: Python<'py>,
    ) -> PyResult<Option<Bound<'py, PyArrayDyn<f64>>>> {
        let Some(material) = self.topology(py)?.vertex_material else { return Ok(None) };
        let count = material.len();
        show(py, &material, |list: &Vec<DVec2>| bytemuck::cast_slice(list), &[count, 2]).map(Some)
    }

    /// The array of a quantity.
    pub(crate) fn array<'py>(&self, py: Python<'py>, quantity: Quantity) -> PyResult<Bound<'py, PyAny>> {
        match quantity {
            Quantity::Positions | Quantity::Velocities => Ok(self.vectors(py, quantity)?.into_any()),
            Quantity::Faces => Ok(self.faces(py)?.into_any()),
            Quantity::Material => {
                let text = || format!("cloth {:?} has no material coordinates", self.name);
                let material = self.material(py)?.map(Bound::into_any);
                material.ok_or_else(|| error(py, "ArrayError", text()))
            }
        }
    }
}
