//! Bodies that come while a world is under way, described by the tables of scene files.

use crate::convert::{Syntax, write_value};
use crate::errors::{error, table_error};
use crate::slot::World;
use pyo3::prelude::*;
use pyo3::types::PyDict;
use taffeta_io::obj::ObjError;
use taffeta_scene::{Override, Scene};
use taffeta_sim::{BuildError, ClothId, ObstacleId};

/// The scene of a world with one more table at the end of a list. `method` is what took the table.
fn extend(
    py: Python<'_>,
    scene: &Scene,
    (method, key): (&str, &str),
    table: &Bound<'_, PyDict>,
) -> PyResult<Scene> {
    let refuse = |cause| table_error(py, scene.path(), &cause, (method, key));
    let change =
        Override::parse(&format!("{key}={}", write_value(table, key, Syntax::Toml)?)).map_err(refuse)?;
    scene.with_overrides(&[change]).map_err(refuse)
}

fn refuse_body(py: Python<'_>, cause: &BuildError) -> PyErr {
    error(py, "BuildError", cause.to_string())
}

/// Adds an obstacle.
pub(crate) fn add_obstacle(py: Python<'_>, world: &World, table: &Bound<'_, PyDict>) -> PyResult<ObstacleId> {
    let scene = world.scene_of();
    let extended =
        extend(py, scene, ("add_obstacle", &format!("obstacle.{}", scene.obstacles.len())), table)?;
    let obstacle = extended.obstacles.last().expect("one was added");
    let mesh = || obstacle.read_mesh().map_err(|cause: ObjError| error(py, "BuildError", cause.to_string()));
    let mut away = world.take(py, "add an obstacle")?;
    let added = match obstacle.closed_form() {
        Some(closed) => away.world().add_obstacle(closed),
        None => {
            let (mesh, _) = mesh()?.expect("what is not in closed form is a mesh");
            away.world().add_mesh_obstacle(mesh)
        }
    };
    added.map_err(|cause| refuse_body(py, &cause))
}

/// Adds a cloth.
pub(crate) fn add_cloth(py: Python<'_>, world: &World, table: &Bound<'_, PyDict>) -> PyResult<ClothId> {
    let scene = world.scene_of();
    let number = scene.cloths.len();
    let extended = extend(py, scene, ("add_cloth", &format!("cloth.{number}")), table)?;
    let refuse = |cause| table_error(py, scene.path(), &cause, ("add_cloth", &format!("cloth.{number}")));
    let description = py.detach(|| extended.build()).map_err(refuse)?;
    let mut away = world.take(py, "add a cloth")?;
    let world = away.world();
    py.detach(|| world.add_cloth(&description.cloths[number])).map_err(|cause| refuse_body(py, &cause))
}
