//! Cloths and ropes of a world, and their arrays.

use crate::arrays::show;
use crate::errors::{error, error_with};
use crate::input::buffer;
use crate::normals::compute_normals;
use crate::world::World;
use glam::{DVec2, DVec3, Vec3};
use numpy::{PyArray2, PyArrayDyn, PyArrayMethods};
use pyo3::prelude::*;
use std::ops::Range;
use std::sync::Arc;
use taffeta_core::TriangleMesh;
use taffeta_sim::{World as SimWorld, ask};

/// Faces and material coordinates of a cloth, which stay the same until its mesh changes.
#[derive(Clone)]
pub(crate) struct Topology {
    pub version: u64,
    faces: Arc<Vec<[u32; 3]>>,
    material: Option<Arc<Vec<[DVec2; 3]>>>,
}

impl Topology {
    pub(crate) fn of(world: &SimWorld, cloth: usize) -> Self {
        let TriangleMesh { faces, material, .. } = world.mesh(cloth);
        let version = world.sheet().topology.epoch.0;
        Self { version, faces: Arc::new(faces), material: material.map(Arc::new) }
    }
}

/// The vertices of a cloth among those of the world.
fn vertex_range(world: &SimWorld, cloth: usize) -> Range<usize> {
    let bodies = &world.sheet().vertex_cloths.raw;
    let number = cloth as u32;
    bodies.partition_point(|body| *body < number)..bodies.partition_point(|body| *body <= number)
}

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

    fn named(py: Python<'_>, name: &str) -> PyResult<Self> {
        let found = Self::ALL.into_iter().find(|(known, _)| *known == name);
        found.map(|(_, quantity)| quantity).ok_or_else(|| {
            let names: Vec<&str> = Self::ALL.iter().map(|(name, _)| *name).collect();
            error(py, "ArrayError", format!("there is no view of {name:?}; there are {}", names.join(", ")))
        })
    }

    fn name(self) -> &'static str {
        Self::ALL.iter().find(|(_, quantity)| *quantity == self).map_or("", |(name, _)| name)
    }
}

/// A cloth of a world.
#[pyclass(frozen, module = "taffeta")]
pub(crate) struct Cloth {
    world: Py<World>,
    number: usize,
    name: String,
}

impl Cloth {
    pub(crate) fn new(world: Py<World>, number: usize, name: String) -> Self {
        Self { world, number, name }
    }

    fn vectors<'py>(&self, py: Python<'py>, quantity: Quantity) -> PyResult<Bound<'py, PyArrayDyn<f64>>> {
        let memory = self.world.get().with(py, |world| {
            let motion = world.motion();
            let list = if quantity == Quantity::Velocities { &motion.velocities } else { &motion.positions };
            Arc::new(list.raw[vertex_range(world, self.number)].to_vec())
        })?;
        let count = memory.len();
        show(py, &memory, |list: &Vec<DVec3>| bytemuck::cast_slice(list), &[count, 3])
    }

    fn array<'py>(&self, py: Python<'py>, quantity: Quantity) -> PyResult<Bound<'py, PyAny>> {
        match quantity {
            Quantity::Positions | Quantity::Velocities => Ok(self.vectors(py, quantity)?.into_any()),
            Quantity::Faces => Ok(self.faces(py)?.into_any()),
            Quantity::Material => {
                let material = self.material(py)?;
                material.map(Bound::into_any).ok_or_else(|| {
                    let text = format!("cloth {:?} has no material coordinates", self.name);
                    error(py, "ArrayError", text)
                })
            }
        }
    }

    /// Lets `write` write a row per vertex into a buffer.
    fn write_rows(
        &self,
        py: Python<'_>,
        out: &Bound<'_, PyAny>,
        write: impl FnOnce(&[DVec3], &[DVec3], &mut [Vec3]),
    ) -> PyResult<()> {
        let count = self.vertex_count(py)?;
        let mut out = buffer(out, count)?;
        let rows: &mut [Vec3] = bytemuck::cast_slice_mut(out.as_slice_mut()?);
        self.world.get().with(py, |world| {
            let (motion, range) = (world.motion(), vertex_range(world, self.number));
            write(&motion.positions.raw[range.clone()], &motion.velocities.raw[range], rows);
        })
    }

    fn per_element<'py>(
        &self,
        py: Python<'py>,
        compute: impl FnOnce(&SimWorld, usize) -> Vec<f64>,
    ) -> PyResult<Bound<'py, PyArrayDyn<f64>>> {
        let memory = Arc::new(self.world.get().with(py, |world| compute(world, self.number))?);
        let count = memory.len();
        show(py, &memory, |list: &Vec<f64>| list, &[count])
    }
}

#[pymethods]
impl Cloth {
    /// Its name in the scene.
    #[getter]
    fn name(&self) -> &str {
        &self.name
    }

    /// Number of vertices.
    #[getter]
    fn vertex_count(&self, py: Python<'_>) -> PyResult<usize> {
        self.world.get().with(py, |world| vertex_range(world, self.number).len())
    }

    /// Number of faces.
    #[getter]
    fn face_count(&self, py: Python<'_>) -> PyResult<usize> {
        Ok(self.world.get().topology(py, self.number)?.faces.len())
    }

    /// Positions [m].
    #[getter]
    fn positions<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyArrayDyn<f64>>> {
        self.vectors(py, Quantity::Positions)
    }

    /// Velocities [m/s].
    #[getter]
    fn velocities<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyArrayDyn<f64>>> {
        self.vectors(py, Quantity::Velocities)
    }

    /// Corners of the faces.
    #[getter]
    fn faces<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyArrayDyn<u32>>> {
        let faces = self.world.get().topology(py, self.number)?.faces;
        let count = faces.len();
        show(py, &faces, |list: &Vec<[u32; 3]>| list.as_flattened(), &[count, 3])
    }

    /// Material coordinates of the corners of the faces [m]; `None`: the cloth has none.
    #[getter]
    fn material<'py>(&self, py: Python<'py>) -> PyResult<Option<Bound<'py, PyArrayDyn<f64>>>> {
        let Some(material) = self.world.get().topology(py, self.number)?.material else { return Ok(None) };
        let count = material.len();
        show(
            py,
            &material,
            |list: &Vec<[DVec2; 3]>| bytemuck::cast_slice(list.as_flattened()),
            &[count, 3, 2],
        )
        .map(Some)
    }

    /// Unit normals at the vertices.
    #[getter]
    fn normals<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyArray2<f32>>> {
        let faces = self.world.get().topology(py, self.number)?.faces;
        let array = PyArray2::<f32>::zeros(py, [self.vertex_count(py)?, 3], false);
        self.write_rows(py, array.as_any(), |x, _, rows| compute_normals(x, &faces, rows))?;
        array.readwrite().make_nonwriteable();
        Ok(array)
    }

    /// Largest principal Green strain of each face by its absolute value.
    #[getter]
    fn strains<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyArrayDyn<f64>>> {
        self.per_element(py, ask::face_strains)
    }

    /// The edge length wanted at each vertex [m].
    #[getter]
    fn sizes<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyArrayDyn<f64>>> {
        self.per_element(py, ask::vertex_sizes)
    }

    /// Counts changes of the meshes.
    #[getter]
    fn topology_version(&self, py: Python<'_>) -> PyResult<u64> {
        self.world.get().with(py, |world| world.sheet().topology.epoch.0)
    }

    /// Writes the positions into a buffer [m].
    fn positions_into(&self, py: Python<'_>, out: &Bound<'_, PyAny>) -> PyResult<()> {
        self.write_rows(py, out, |x, _, rows| rows.iter_mut().zip(x).for_each(|(row, x)| *row = x.as_vec3()))
    }

    /// Writes the velocities into a buffer [m/s].
    fn velocities_into(&self, py: Python<'_>, out: &Bound<'_, PyAny>) -> PyResult<()> {
        self.write_rows(py, out, |_, v, rows| rows.iter_mut().zip(v).for_each(|(row, v)| *row = v.as_vec3()))
    }

    /// Writes the unit normals at the vertices into a buffer.
    fn normals_into(&self, py: Python<'_>, out: &Bound<'_, PyAny>) -> PyResult<()> {
        let faces = self.world.get().topology(py, self.number)?.faces;
        self.write_rows(py, out, |x, _, rows| compute_normals(x, &faces, rows))
    }

    /// A handle on an array of the present mesh, which refuses to be read when the mesh has changed.
    fn view(slf: &Bound<'_, Self>, name: &str) -> PyResult<View> {
        let py = slf.py();
        let quantity = Quantity::named(py, name)?;
        slf.get().array(py, quantity)?;
        Ok(View { version: slf.get().topology_version(py)?, cloth: slf.clone().unbind(), quantity })
    }

    fn __repr__(&self, py: Python<'_>) -> String {
        match (self.vertex_count(py), self.face_count(py)) {
            (Ok(vertices), Ok(faces)) => {
                format!("<Cloth {:?}, {vertices} vertices, {faces} faces>", self.name)
            }
            _ => format!("<Cloth {:?} of a world in use by another thread>", self.name),
        }
    }
}

/// A handle on an array of a cloth as long as its mesh stays the same.
#[pyclass(frozen, module = "taffeta")]
pub(crate) struct View {
    cloth: Py<Cloth>,
    quantity: Quantity,
    version: u64,
}

#[pymethods]
impl View {
    /// The array as it is now.
    fn get<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        let cloth = self.cloth.get();
        let current = cloth.topology_version(py)?;
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

    /// The cloth.
    #[getter]
    fn cloth(&self, py: Python<'_>) -> Py<Cloth> {
        self.cloth.clone_ref(py)
    }

    /// What it is of.
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
        let (quantity, cloth, version) = (self.quantity.name(), &self.cloth.get().name, self.version);
        format!("<View of the {quantity} of cloth {cloth:?}, topology version {version}>")
    }
}

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

    fn vectors<'py>(
        &self,
        py: Python<'py>,
        choose: impl FnOnce((&[DVec3], &[DVec3])) -> Vec<DVec3>,
    ) -> PyResult<Bound<'py, PyArrayDyn<f64>>> {
        let memory = Arc::new(self.world.get().with(py, |world| choose(world.loose_state(self.body)))?);
        let count = memory.len();
        show(py, &memory, |list: &Vec<DVec3>| bytemuck::cast_slice(list), &[count, 3])
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
        self.vectors(py, |(positions, _)| positions.to_vec())
    }

    /// Velocities of the vertices [m/s].
    #[getter]
    fn velocities<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyArrayDyn<f64>>> {
        self.vectors(py, |(_, velocities)| velocities.to_vec())
    }

    fn __repr__(&self) -> String {
        format!("<Rope {:?}>", self.name)
    }
}
