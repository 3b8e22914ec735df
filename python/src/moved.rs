//! Obstacles and pins, which Python code moves.

use crate::arrays::show;
use crate::errors::error;
use crate::input::{pose, vectors};
use crate::slot::World;
use glam::{DQuat, DVec3};
use numpy::PyArrayDyn;
use pyo3::prelude::*;
use std::sync::Arc;
use taffeta_contact::{MeshObstacle, Obstacle as Closed};
use taffeta_core::index::DenseIndex;
use taffeta_core::{Pose, VertexIndex};
use taffeta_sim::{BuildError, ObstacleId, PinId, World as SimWorld, queries};

/// A position and a quaternion (w, x, y, z).
type PoseTuple = ((f64, f64, f64), (f64, f64, f64, f64));

fn describe_pose(pose: Pose) -> PoseTuple {
    let turn = DQuat::from_mat3(&pose.rotation);
    (pose.translation.into(), (turn.w, turn.x, turn.y, turn.z))
}

/// Lets `change` change the world; a refusal of it becomes an exception.
fn change(
    world: &Py<World>,
    py: Python<'_>,
    change: impl FnOnce(&mut SimWorld) -> Result<(), BuildError>,
) -> PyResult<()> {
    world.get().with(py, change)?.map_err(|cause| error(py, "ArrayError", cause.to_string()))
}

fn show_points<'py>(py: Python<'py>, list: Vec<DVec3>) -> PyResult<Bound<'py, PyArrayDyn<f64>>> {
    let (count, memory) = (list.len(), Arc::new(list));
    show(py, &memory, |list: &Vec<DVec3>| bytemuck::cast_slice(list), &[count, 3])
}

/// The number of a vertex in its cloth or rope; `None`: it is inside of a solid.
fn number_in_body(world: &SimWorld, vi: VertexIndex) -> Option<usize> {
    let name = world.sheet().vertex_name(vi);
    let in_cloth = world.cloth_ids().iter().find_map(|id| world.cloth(*id).find(name));
    let mut ropes = queries::rope_bodies(world).map(|(body, _)| queries::loose_vertices(world, body));
    in_cloth.or_else(|| Some(vi.to_usize() - ropes.find(|range| range.contains(&vi.to_usize()))?.start))
}

/// A name, or what a body without one is called by its number.
pub(crate) fn call_by(kind: &str, number: usize, name: &str) -> String {
    if name.is_empty() { format!("{kind} {number}") } else { name.to_owned() }
}

/// Names of the obstacles, in the order of their handles.
pub(crate) fn obstacle_names(world: &SimWorld) -> Vec<String> {
    let closed = world.obstacles().iter().map(|obstacle| &obstacle.name);
    let names = closed.chain(world.mesh_obstacles().iter().map(|mesh| &mesh.name));
    names.enumerate().map(|(number, name)| call_by("obstacle", number, name)).collect()
}

/// An obstacle of a world.
#[pyclass(frozen, module = "taffeta")]
pub(crate) struct Obstacle {
    world: Py<World>,
    id: ObstacleId,
    name: String,
}

/// An obstacle as it is stored.
enum Stored<'a> {
    Closed(&'a Closed),
    Mesh(&'a MeshObstacle),
}

impl Obstacle {
    pub(crate) fn new(world: Py<World>, id: ObstacleId, name: String) -> Self {
        Self { world, id, name }
    }

    /// Its handle, if it is in a world.
    pub(crate) fn id_in(&self, world: &Py<World>) -> Option<ObstacleId> {
        self.world.is(world).then_some(self.id)
    }

    fn find<'a>(&self, world: &'a SimWorld) -> Option<Stored<'a>> {
        let place = world.obstacle_ids().position(|id| id == self.id)?;
        let closed = world.obstacles();
        Some(match closed.get(place) {
            Some(obstacle) => Stored::Closed(obstacle),
            None => Stored::Mesh(&world.mesh_obstacles()[place - closed.len()]),
        })
    }

    /// Looks at the obstacle and at the time [s].
    fn with<R>(&self, py: Python<'_>, look: impl FnOnce(Stored<'_>, f64) -> R) -> PyResult<R> {
        let found = self.world.get().with(py, |world| Some(look(self.find(world)?, world.time())))?;
        found.ok_or_else(|| {
            error(py, "ArrayError", format!("obstacle {:?} was removed from the world", self.name))
        })
    }

    /// One of the velocities of what moves by itself; `None` for others.
    fn motion(
        &self,
        py: Python<'_>,
        pick: impl Fn((DVec3, DVec3)) -> DVec3,
    ) -> PyResult<Option<(f64, f64, f64)>> {
        self.with(py, |_, _| ())?;
        let found = self.world.get().with(py, |world| queries::rigid_motion(world, self.id))?;
        Ok(found.map(|motion| pick(motion).into()))
    }
}

#[pymethods]
impl Obstacle {
    /// Its name in the scene, or its number.
    #[getter]
    fn name(&self) -> &str {
        &self.name
    }

    /// Its kind: sphere, plane, capsule, box or mesh.
    #[getter]
    fn kind(&self, py: Python<'_>) -> PyResult<&'static str> {
        self.with(py, |obstacle, _| match obstacle {
            Stored::Closed(obstacle) => obstacle.shape.name(),
            Stored::Mesh(_) => "mesh",
        })
    }

    /// Its pose.
    #[getter]
    fn get_pose(&self, py: Python<'_>) -> PyResult<PoseTuple> {
        self.with(py, |obstacle, time| {
            describe_pose(match obstacle {
                Stored::Closed(obstacle) => obstacle.pose_at(time),
                Stored::Mesh(mesh) => mesh.pose_at(time),
            })
        })
    }

    #[setter]
    fn set_pose(&self, value: &Bound<'_, PyAny>) -> PyResult<()> {
        let (position, rotation) = pose(value, &format!("obstacle {:?}", self.name))?;
        let pose = Pose::new(rotation, position);
        change(&self.world, value.py(), |world| world.set_obstacle_pose(self.id, pose))
    }

    /// The velocity of its origin, if it moves by itself.
    #[getter]
    fn velocity(&self, py: Python<'_>) -> PyResult<Option<(f64, f64, f64)>> {
        self.motion(py, |(velocity, _)| velocity)
    }

    /// Its angular velocity, if it moves by itself.
    #[getter]
    fn angular_velocity(&self, py: Python<'_>) -> PyResult<Option<(f64, f64, f64)>> {
        self.motion(py, |(_, spin)| spin)
    }

    /// Sets it to a pose at once, without a way there.
    fn teleport(&self, value: &Bound<'_, PyAny>) -> PyResult<()> {
        let (position, rotation) = pose(value, &format!("obstacle {:?}", self.name))?;
        let mut away = self.world.get().take(value.py(), "teleport an obstacle")?;
        let world = away.world();
        let done = value.py().detach(|| world.teleport_obstacle(self.id, Pose::new(rotation, position)));
        done.map_err(|cause| error(value.py(), "ArrayError", cause.to_string()))
    }

    /// Positions of the vertices of a mesh [m].
    #[getter]
    fn get_positions<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyArrayDyn<f64>>> {
        let found = self.with(py, |obstacle, time| match obstacle {
            Stored::Closed(_) => None,
            Stored::Mesh(mesh) => Some(mesh.positions_at(time)),
        })?;
        let text = || format!("obstacle {:?} is no mesh: it has a pose, but no positions", self.name);
        show_points(py, found.ok_or_else(|| error(py, "ArrayError", text()))?)
    }

    #[setter]
    fn set_positions(&self, positions: &Bound<'_, PyAny>) -> PyResult<()> {
        let list = vectors(positions, &format!("the positions of obstacle {:?}", self.name))?;
        change(&self.world, positions.py(), |world| world.set_obstacle_mesh(self.id, &list))
    }

    /// Corners of the faces of a mesh.
    #[getter]
    fn faces<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyArrayDyn<u32>>> {
        let found = self.with(py, |obstacle, _| match obstacle {
            Stored::Closed(_) => None,
            Stored::Mesh(mesh) => Some(Arc::new(mesh.faces.clone())),
        })?;
        let text = || format!("obstacle {:?} is no mesh: it has a pose, but no faces", self.name);
        let faces = found.ok_or_else(|| error(py, "ArrayError", text()))?;
        show(py, &faces, |list: &Vec<[u32; 3]>| list.as_flattened(), &[faces.len(), 3])
    }

    /// Removes the obstacle from the world.
    fn remove(&self, py: Python<'_>) -> PyResult<()> {
        change(&self.world, py, |world| world.remove_obstacle(self.id))
    }

    fn __repr__(&self) -> String {
        format!("<Obstacle {:?}>", self.name)
    }
}

/// A pin of a world.
#[pyclass(frozen, module = "taffeta")]
pub(crate) struct Pin {
    world: Py<World>,
    id: PinId,
    name: String,
}

impl Pin {
    pub(crate) fn new(world: Py<World>, id: PinId, name: String) -> Self {
        Self { world, id, name }
    }
}

#[pymethods]
impl Pin {
    /// Its name in the scene, or its number.
    #[getter]
    fn name(&self) -> &str {
        &self.name
    }

    /// Returns whether it has let go.
    #[getter]
    fn is_released(&self, py: Python<'_>) -> PyResult<bool> {
        self.world.get().with(py, |world| world.has_released(self.id))
    }

    /// Numbers of the held vertices in the arrays of their cloth or rope; -1 for those inside of a solid.
    #[getter]
    fn vertices<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyArrayDyn<i64>>> {
        let list: Vec<i64> = self.world.get().with(py, |world| {
            let number = |vi| number_in_body(world, vi).map_or(-1, |number| number as i64);
            queries::pin_vertices(world, self.id).into_iter().map(number).collect()
        })?;
        let memory = Arc::new(list);
        show(py, &memory, |list: &Vec<i64>| list, &[memory.len()])
    }

    /// Positions of the vertices that it holds [m].
    #[getter]
    fn positions<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyArrayDyn<f64>>> {
        let list = self.world.get().with(py, |world| {
            let positions = &world.motion().positions;
            queries::pin_vertices(world, self.id).into_iter().map(|vi| positions[vi]).collect()
        })?;
        show_points(py, list)
    }

    /// Moves the vertices as a rigid body: the pose takes them from where they were at time 0.
    fn set_pose(&self, value: &Bound<'_, PyAny>) -> PyResult<()> {
        let (position, rotation) = pose(value, &format!("pin {:?}", self.name))?;
        let pose = Pose::new(rotation, position);
        change(&self.world, value.py(), |world| world.set_pin_pose(self.id, pose))
    }

    /// Targets of the vertices in the next step [m]; their positions until it is set.
    #[getter]
    fn get_targets<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyArrayDyn<f64>>> {
        self.positions(py)
    }

    #[setter]
    fn set_targets(&self, targets: &Bound<'_, PyAny>) -> PyResult<()> {
        let list = vectors(targets, &format!("the targets of pin {:?}", self.name))?;
        change(&self.world, targets.py(), |world| world.set_pin_targets(self.id, &list))
    }

    /// Lets go of the vertices.
    fn release(&self, py: Python<'_>) -> PyResult<()> {
        change(&self.world, py, |world| world.release_pin(self.id))
    }

    fn __repr__(&self) -> String {
        format!("<Pin {:?}>", self.name)
    }
}
