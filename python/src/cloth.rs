//! Cloths of a world as Python code has them.

use crate::arrays::show;
use crate::errors::error;
use crate::handle::{ClothHandle, Quantity};
use crate::input::{buffer, given_point, selection};
use crate::moved::Pin;
use crate::slot::World;
use crate::view::View;
use numpy::{PyArray1, PyArray2, PyArrayDyn, PyArrayMethods};
use pyo3::prelude::*;
use std::sync::Arc;
use taffeta_sim::{ClothId, ClothView, PinDescription, World as SimWorld, queries};

/// A cloth of a world.
#[pyclass(frozen, module = "taffeta")]
pub(crate) struct Cloth {
    cloth: ClothHandle,
}

impl Cloth {
    pub(crate) fn new(world: Py<World>, id: ClothId, name: String) -> Self {
        Self { cloth: ClothHandle { world, id, name } }
    }

    /// Its handle, if it is in a world.
    pub(crate) fn id_in(&self, world: &Py<World>) -> Option<ClothId> {
        self.cloth.world.is(world).then_some(self.cloth.id)
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
        self.cloth.with(py, |cloth, _| write(cloth, rows))
    }

    fn per_element<'py>(
        &self,
        py: Python<'py>,
        compute: impl FnOnce(&SimWorld, usize) -> Vec<f64>,
    ) -> PyResult<Bound<'py, PyArrayDyn<f64>>> {
        let memory = Arc::new(self.cloth.with(py, |cloth, world| compute(world, cloth.number()))?);
        let count = memory.len();
        show(py, &memory, |list: &Vec<f64>| list, &[count])
    }
}

#[pymethods]
impl Cloth {
    /// Its name in the scene.
    #[getter]
    fn name(&self) -> &str {
        &self.cloth.name
    }

    /// Number of vertices.
    #[getter]
    fn vertex_count(&self, py: Python<'_>) -> PyResult<usize> {
        self.cloth.with(py, |cloth, _| cloth.vertex_count())
    }

    /// Number of faces.
    #[getter]
    fn face_count(&self, py: Python<'_>) -> PyResult<usize> {
        self.cloth.with(py, |cloth, _| cloth.faces().len())
    }

    /// Positions [m].
    #[getter]
    fn positions<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyArrayDyn<f64>>> {
        self.cloth.vectors(py, Quantity::Positions)
    }

    /// For each vertex its number in the file or grid that the cloth was made from; -1: it was added since.
    #[getter]
    fn vertex_names<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyArrayDyn<i32>>> {
        let names = self.cloth.with(py, |cloth, _| cloth.vertex_names())?;
        let names: Vec<i32> = names.into_iter().map(|name| name.map_or(-1, |name| name as i32)).collect();
        let (count, memory) = (names.len(), Arc::new(names));
        show(py, &memory, |list: &Vec<i32>| list, &[count])
    }

    /// Velocities [m/s].
    #[getter]
    fn velocities<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyArrayDyn<f64>>> {
        self.cloth.vectors(py, Quantity::Velocities)
    }

    /// Corners of the faces.
    #[getter]
    fn faces<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyArrayDyn<u32>>> {
        self.cloth.faces(py)
    }

    /// Material coordinates of the corners of the faces [m]; `None`: the cloth has none.
    #[getter]
    fn material<'py>(&self, py: Python<'py>) -> PyResult<Option<Bound<'py, PyArrayDyn<f64>>>> {
        self.cloth.material(py)
    }

    /// The panel of each face.
    #[getter]
    fn panels<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyArray1<u32>>> {
        let panels = self.cloth.with(py, |cloth, _| cloth.panels())?;
        Ok(PyArray1::from_vec(py, panels))
    }

    /// Position of a material point [m].
    #[pyo3(signature = (point, *, panel = None))]
    fn position_of<'py>(
        &self,
        py: Python<'py>,
        point: &Bound<'_, PyAny>,
        panel: Option<u32>,
    ) -> PyResult<Bound<'py, PyArray1<f64>>> {
        let point = given_point(point, panel, "the point")?;
        let found = self.cloth.with(py, |cloth, world| {
            let point = point.on_body(world, cloth.number())?;
            queries::material_point(world, cloth.number(), point).map_err(|cause| cause.to_string())
        })?;
        let name = &self.cloth.name;
        let found =
            found.map_err(|reason| error(py, "ArrayError", format!("a point of {name:?}: {reason}")))?;
        Ok(PyArray1::from_vec(py, found.position.to_array().to_vec()))
    }

    /// Material coordinates of the vertices [m]; `None`: the cloth has none.
    #[getter]
    fn vertex_material<'py>(&self, py: Python<'py>) -> PyResult<Option<Bound<'py, PyArrayDyn<f64>>>> {
        self.cloth.vertex_material(py)
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
        self.per_element(py, queries::face_strains)
    }

    /// The edge length wanted at each vertex [m].
    #[getter]
    fn sizes<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyArrayDyn<f64>>> {
        self.per_element(py, queries::vertex_sizes)
    }

    /// The tensor that remeshing asked for at each vertex of the mesh before the last step: m00, m01, m11 [1/m²].
    #[getter]
    fn asked_sizing<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyArray2<f64>>> {
        let asked = self.cloth.with(py, |cloth, _| cloth.asked_metrics())?;
        let rows: Vec<f64> = asked.iter().flat_map(|metric| [metric.xx, metric.xy, metric.yy]).collect();
        PyArray1::from_vec(py, rows).reshape([asked.len(), 3])
    }

    /// Counts changes of the meshes.
    #[getter]
    fn topology_version(&self, py: Python<'_>) -> PyResult<u64> {
        self.cloth.version(py)
    }

    /// Places of the vertices on the mesh before its topology last changed.
    #[getter]
    fn origins<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        let origins = self.cloth.with(py, |cloth, _| cloth.origins())?;
        let faces: Vec<u32> = origins.iter().map(|origin| origin.face).collect();
        let weights: Vec<f64> = origins.iter().flat_map(|origin| origin.weights).collect();
        let weights = PyArray1::from_vec(py, weights).reshape([faces.len(), 3])?;
        py.import("taffeta._bodies")?.getattr("Origins")?.call1((PyArray1::from_vec(py, faces), weights))
    }

    /// Holds vertices by a new pin: where they are, or relative to the obstacle that they follow.
    #[pyo3(
        signature = (vertices, *, name = String::new(), axes = [true; 3], follow = None),
        text_signature = "($self, vertices, *, name='', axes=(True, True, True), follow=None)"
    )]
    fn add_pin(
        &self,
        vertices: &Bound<'_, PyAny>,
        name: String,
        axes: [bool; 3],
        follow: Option<String>,
    ) -> PyResult<Pin> {
        let py = vertices.py();
        let chosen = selection(vertices, "vertices", self.vertex_count(py)?)?;
        let description = PinDescription { name: name.clone(), axes, follow, ..PinDescription::default() };
        let mut away = self.cloth.world.get().take(py, "add a pin")?;
        let world = away.world();
        let list = {
            let cloth = world.cloth(self.cloth.id);
            let numbers = (0..chosen.len()).filter(|number| chosen[*number]);
            numbers.map(|number| cloth.vertex(number)).collect::<Vec<_>>()
        };
        let pin = world.add_pin(&list, &description);
        let pin = pin.map_err(|cause| error(py, "ArrayError", cause.to_string()))?;
        Ok(Pin::new(self.cloth.world.clone_ref(py), pin, name))
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
    fn view(&self, py: Python<'_>, name: &str) -> PyResult<View> {
        let quantity = Quantity::named(py, name)?;
        self.cloth.array(py, quantity)?;
        Ok(View { version: self.cloth.version(py)?, cloth: self.cloth.copy(py), quantity })
    }

    /// Removes the cloth from the world, with its seams. Pins that hold nothing else let go.
    fn remove(&self, py: Python<'_>) -> PyResult<()> {
        let mut away = self.cloth.world.get().take(py, "remove a cloth")?;
        let removed = away.world().remove_cloth(self.cloth.id);
        removed.map_err(|cause| error(py, "ArrayError", cause.to_string()))
    }

    fn __repr__(&self, py: Python<'_>) -> String {
        match (self.vertex_count(py), self.face_count(py)) {
            (Ok(vertices), Ok(faces)) => {
                format!("<Cloth {:?}, {vertices} vertices, {faces} faces>", self.cloth.name)
            }
            _ => format!("<Cloth {:?} of a world in use by another thread>", self.cloth.name),
        }
    }
}
