//! Bodies that Python code sets elsewhere at once.

use crate::cloth::Cloth;
use crate::errors::error;
use crate::input::{quaternion, vector};
use crate::moved::{Obstacle, obstacle_names};
use crate::rope::Rope;
use crate::slot::World;
use glam::{DQuat, DVec3};
use pyo3::prelude::*;
use taffeta_core::Pose;
use taffeta_sim::{BodyId, World as SimWorld, queries};

/// Sets bodies elsewhere: each point goes where the rotation about the origin takes it, and then by the position.
pub(crate) fn teleport(
    world: &Bound<'_, World>,
    bodies: &Bound<'_, PyAny>,
    (position, rotation): (Option<&Bound<'_, PyAny>>, Option<&Bound<'_, PyAny>>),
    keep_velocities: bool,
) -> PyResult<()> {
    let py = world.py();
    let position = position.map_or(Ok(DVec3::ZERO), |value| vector(value, "the position of a teleport"))?;
    let what = "the rotation of a teleport";
    let rotation = rotation.map_or(Ok(DQuat::IDENTITY), |value| quaternion(value, what))?;
    let bodies = list_bodies(world, bodies)?;
    let mut away = world.get().take(py, "teleport bodies")?;
    let world = away.world();
    let done = py.detach(|| world.teleport(&bodies, Pose::new(rotation, position), keep_velocities));
    done.map_err(|cause| error(py, "ArrayError", cause.to_string()))
}

/// The bodies that are meant: one, or several, each by its name or its handle.
fn list_bodies(world: &Bound<'_, World>, bodies: &Bound<'_, PyAny>) -> PyResult<Vec<BodyId>> {
    if let Some(one) = find_body(world, bodies)? {
        return Ok(vec![one]);
    }
    let each = |body: Bound<'_, PyAny>| {
        let found = find_body(world, &body)?;
        found.ok_or_else(|| refuse_body(&body))
    };
    let Ok(list) = bodies.try_iter() else { return Err(refuse_body(bodies)) };
    list.map(|body| each(body?)).collect()
}

fn refuse_body(body: &Bound<'_, PyAny>) -> PyErr {
    let kind = body.get_type().name().map_or_else(|_| "unknown".to_owned(), |name| name.to_string());
    let text =
        format!("a body to teleport is of type {kind}, but must be a cloth, a rope, an obstacle or a name");
    error(body.py(), "ArrayTypeError", text)
}

/// A body by its name or its handle; `None`: it is neither.
fn find_body(world: &Bound<'_, World>, body: &Bound<'_, PyAny>) -> PyResult<Option<BodyId>> {
    let (py, own) = (world.py(), world.as_unbound());
    let foreign = |what: &str| error(py, "ArrayError", format!("the {what} is of another world"));
    if let Ok(cloth) = body.cast::<Cloth>() {
        return cloth.get().id_in(own).ok_or_else(|| foreign("cloth")).map(|id| Some(id.into()));
    }
    if let Ok(obstacle) = body.cast::<Obstacle>() {
        return obstacle.get().id_in(own).ok_or_else(|| foreign("obstacle")).map(|id| Some(id.into()));
    }
    if let Ok(rope) = body.cast::<Rope>() {
        return rope.get().body_in(own).ok_or_else(|| foreign("rope")).map(|body| Some(BodyId::Loose(body)));
    }
    let Ok(name) = body.extract::<String>() else { return Ok(None) };
    let found = world.get().with(py, |world| find_named(world, &name))?;
    found.map(Some).map_err(|text| error(py, "ArrayError", text))
}

/// The body of a name. Cloths and ropes have different names, obstacles may have those of both.
fn find_named(world: &SimWorld, name: &str) -> Result<BodyId, String> {
    let place = obstacle_names(world).iter().position(|own| own == name);
    let obstacle = place.and_then(|place| world.obstacle_ids().nth(place));
    let rope = queries::rope_bodies(world).find(|(_, rope)| rope.name == name);
    let body = world.find_cloth(name).map(BodyId::from).or(rope.map(|(number, _)| BodyId::Loose(number)));
    match (body, obstacle) {
        (Some(body), None) => Ok(body),
        (None, Some(obstacle)) => Ok(obstacle.into()),
        (Some(_), Some(_)) => Err(format!(
            "{name:?} is the name of an obstacle and of another body: say world.obstacles[{name:?}] or, for example, \
             world.cloths[{name:?}]"
        )),
        (None, None) => {
            let cloths = world.cloths().iter().map(|cloth| cloth.name.clone());
            let ropes = queries::rope_bodies(world).map(|(_, rope)| rope.name.clone());
            let names: Vec<String> = cloths.chain(ropes).chain(obstacle_names(world)).collect();
            Err(format!("there is no body {name:?}; there are {}", names.join(", ")))
        }
    }
}
