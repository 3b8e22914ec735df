//! Bodies that come while a world is under way, described by the tables of scene files.

use crate::convert::{Syntax, write_value};
use crate::errors::{error, table_error};
use crate::scene::warn_all;
use crate::slot::World;
use pyo3::prelude::*;
use pyo3::types::PyDict;
use taffeta_scene::{BuiltObstacle, SceneError};
use taffeta_sim::{BuildError, ClothId, ObstacleId};

fn refuse_body(py: Python<'_>, cause: &BuildError) -> PyErr {
    error(py, "BuildError", cause.to_string())
}

/// Returns what a scene makes of a table, after the warnings about it were given. `call` is the method that took the table, and
/// the key of the table in messages.
fn describe<T: Send>(
    py: Python<'_>,
    world: &World,
    call: (&str, &str),
    read: impl FnOnce() -> Result<(T, Vec<String>), SceneError> + Send,
) -> PyResult<T> {
    let (body, warnings) =
        py.detach(read).map_err(|cause| table_error(py, world.scene_of().path(), &cause, call))?;
    warn_all(py, &warnings)?;
    Ok(body)
}

/// Adds an obstacle.
pub(crate) fn add_obstacle(py: Python<'_>, world: &World, table: &Bound<'_, PyDict>) -> PyResult<ObstacleId> {
    let (scene, table) = (world.scene_of(), write_value(table, "obstacle.0", Syntax::Toml)?);
    let obstacle = describe(py, world, ("add_obstacle", "obstacle.0"), || scene.describe_obstacle(&table))?;
    let mut away = world.take(py, "add an obstacle")?;
    let world = away.world();
    let added = py.detach(|| match obstacle {
        BuiltObstacle::Closed(closed) => world.add_obstacle(closed),
        BuiltObstacle::Mesh(mesh) => world.add_mesh_obstacle(mesh),
    });
    added.map_err(|cause| refuse_body(py, &cause))
}

/// Adds a cloth.
pub(crate) fn add_cloth(py: Python<'_>, world: &World, table: &Bound<'_, PyDict>) -> PyResult<ClothId> {
    let (scene, table) = (world.scene_of(), write_value(table, "cloth.0", Syntax::Toml)?);
    let faces = world.with(py, |world| world.face_count())?;
    let cloth = describe(py, world, ("add_cloth", "cloth.0"), || scene.describe_cloth(&table, faces))?;
    let mut away = world.take(py, "add a cloth")?;
    let world = away.world();
    py.detach(|| world.add_cloth(&cloth)).map_err(|cause| refuse_body(py, &cause))
}
