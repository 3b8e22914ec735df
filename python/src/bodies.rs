//! Cloths and ropes of a world, and their arrays.

use crate::arrays::show;
use crate::errors::{error, error_with};
use crate::input::{buffer, selection};
use crate::moved::Pin;
use crate::world::World;
use glam::{DVec2, DVec3};
use numpy::{PyArray1, PyArray2, PyArrayDyn, PyArrayMethods};
use pyo3::prelude::*;
use std::collections::BTreeMap;
use std::ops::Range;
use std::sync::{Arc, Mutex, PoisonError};
use taffeta_core::{IndexVec, VertexIndex};
use taffeta_sim::{ClothId, ClothView, Motion, PinDescription, World as SimWorld, ask};

/// Faces and material coordinates of a cloth, which stay the same until its mesh changes.
#[derive(Clone)]
pub(crate) struct Topology {
    version: u64,
    faces: Arc<Vec<[u32; 3]>>,
    material: Option<Arc<Vec<[DVec2; 3]>>>,
}

impl Topology {
    pub(crate) fn of(cloth: &ClothView<'_>) -> Self {
        let material = cloth.cloth().has_material.then(|| Arc::new(cloth.corners().to_vec()));
        Self { version: cloth.topology_version(), faces: Arc::new(cloth.faces().to_vec()), material }
    }
}

/// The topologies of the cloths of a world, as they were last asked for.
#[derive(Default)]
pub(crate) struct Topologies {
    kept: Mutex<BTreeMap<ClothId, Topology>>,
}

impl Topologies {
    /// That of a cloth as it is now.
    fn find(&self, id: ClothId, cloth: &ClothView<'_>) -> Topology {
        let mut kept = self.kept.lock().unwrap_or_else(PoisonError::into_inner);
        match kept.get(&id).filter(|topology| topology.version == cloth.topology_version()) {
            Some(topology) => topology.clone(),
            None => {
                let topology = Topology::of(cloth);
                kept.insert(id, topology.clone());
                topology
            }
        }
    }
}

/// Vectors of all vertices of a world, as states share them.
type Vectors = Arc<IndexVec<VertexIndex, DVec3>>;

/// An array of the vectors of some vertices, without a copy.
fn show_vectors<'py>(
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
    id: ClothId,
    name: String,
}

impl Cloth {
    pub(crate) fn new(world: Py<World>, id: ClothId, name: String) -> Self {
        Self { world, id, name }
    }

    /// Looks at the cloth, without calling Python.
    fn with<R>(&self, py: Python<'_>, look: impl FnOnce(ClothView<'_>, &SimWorld) -> R) -> PyResult<R> {
        let found = self.world.get().with(py, |world| {
            world.cloth_ids().contains(&self.id).then(|| look(world.cloth(self.id), world))
        })?;
        found.ok_or_else(|| {
            error(py, "ArrayError", format!("cloth {:?} was removed from the world", self.name))
        })
    }

    fn topology(&self, py: Python<'_>) -> PyResult<Topology> {
        let kept = self.world.get().topologies();
        self.with(py, |cloth, _| kept.find(self.id, &cloth))
    }

    fn vectors<'py>(&self, py: Python<'py>, quantity: Quantity) -> PyResult<Bound<'py, PyArrayDyn<f64>>> {
        let vectors = self.with(py, |cloth, world| {
            let motion = world.motion();
            let all = if quantity == Quantity::Velocities { &motion.velocities } else { &motion.positions };
            (Arc::clone(all), cloth.vertex_range())
        })?;
        show_vectors(py, vectors)
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
        write: impl FnOnce(ClothView<'_>, &mut [[f32; 3]]),
    ) -> PyResult<()> {
        let count = self.vertex_count(py)?;
        let mut out = buffer(out, count)?;
        let rows = out.as_slice_mut()?.as_chunks_mut().0;
        self.with(py, |cloth, _| write(cloth, rows))
    }

    fn per_element<'py>(
        &self,
        py: Python<'py>,
        compute: impl FnOnce(&SimWorld, usize) -> Vec<f64>,
    ) -> PyResult<Bound<'py, PyArrayDyn<f64>>> {
        let memory = Arc::new(self.with(py, |cloth, world| compute(world, cloth.number()))?);
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
        self.with(py, |cloth, _| cloth.vertex_range().len())
    }

    /// Number of faces.
    #[getter]
    fn face_count(&self, py: Python<'_>) -> PyResult<usize> {
        self.with(py, |cloth, _| cloth.faces().len())
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
        let faces = self.topology(py)?.faces;
        let count = faces.len();
        show(py, &faces, |list: &Vec<[u32; 3]>| list.as_flattened(), &[count, 3])
    }

    /// Material coordinates of the corners of the faces [m]; `None`: the cloth has none.
    #[getter]
    fn material<'py>(&self, py: Python<'py>) -> PyResult<Option<Bound<'py, PyArrayDyn<f64>>>> {
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

    /// Unit normals at the vertices.
    #[getter]
    fn normals<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyArray2<f32>>> {
        let array = PyArray2::<f32>::zeros(py, [self.vertex_count(py)?, 3], false);
        self.write_rows(py, array.as_any(), |cloth, rows| cloth.fill_normals(rows))?;
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
        self.with(py, |cloth, _| cloth.topology_version())
    }

    /// Where the vertices lie on the mesh before its topology last changed.
    #[getter]
    fn origins<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        let origins = self.with(py, |cloth, _| cloth.origins())?;
        let faces: Vec<u32> = origins.iter().map(|origin| origin.face).collect();
        let weights: Vec<f64> = origins.iter().flat_map(|origin| origin.weights).collect();
        let weights = PyArray1::from_vec(py, weights).reshape([faces.len(), 3])?;
        py.import("taffeta._bodies")?.getattr("Origins")?.call1((PyArray1::from_vec(py, faces), weights))
    }

    /// Holds vertices where they are by a new pin.
    #[pyo3(signature = (vertices, *, name = String::new(), axes = [true; 3]))]
    fn add_pin(&self, vertices: &Bound<'_, PyAny>, name: String, axes: [bool; 3]) -> PyResult<Pin> {
        let py = vertices.py();
        let chosen = selection(vertices, "vertices", self.vertex_count(py)?)?;
        let description = PinDescription { name: name.clone(), axes, ..PinDescription::default() };
        let mut away = self.world.get().take(py, "add a pin")?;
        let world = away.world();
        let list = {
            let cloth = world.cloth(self.id);
            let numbers = (0..chosen.len()).filter(|number| chosen[*number]);
            numbers.map(|number| cloth.vertex(number)).collect::<Vec<_>>()
        };
        let pin = world.add_pin(&list, &description);
        let pin = pin.map_err(|cause| error(py, "ArrayError", cause.to_string()))?;
        Ok(Pin::new(self.world.clone_ref(py), pin, name))
    }

    /// Writes the positions into a buffer [m].
    fn positions_into(&self, py: Python<'_>, out: &Bound<'_, PyAny>) -> PyResult<()> {
        self.write_rows(py, out, |cloth, rows| cloth.fill_positions(rows))
    }

    /// Writes the velocities into a buffer [m/s].
    fn velocities_into(&self, py: Python<'_>, out: &Bound<'_, PyAny>) -> PyResult<()> {
        self.write_rows(py, out, |cloth, rows| {
            rows.iter_mut().zip(cloth.velocities()).for_each(|(row, v)| *row = v.as_vec3().to_array());
        })
    }

    /// Writes the unit normals at the vertices into a buffer.
    fn normals_into(&self, py: Python<'_>, out: &Bound<'_, PyAny>) -> PyResult<()> {
        self.write_rows(py, out, |cloth, rows| cloth.fill_normals(rows))
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
        choose: impl FnOnce(&Motion) -> &Vectors,
    ) -> PyResult<Bound<'py, PyArrayDyn<f64>>> {
        let vectors = self.world.get().with(py, |world| {
            // Loose bodies are numbered after the cloths, and their vertices come in this order.
            let (bodies, number) =
                (&world.sheet().vertex_cloths.raw, (world.cloths().len() + self.body) as u32);
            let first = bodies.partition_point(|body| *body < number);
            let end = bodies.partition_point(|body| *body <= number);
            (Arc::clone(choose(world.motion())), first..end)
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
