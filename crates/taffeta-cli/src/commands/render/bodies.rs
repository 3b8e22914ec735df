//! The bodies that are drawn.

use super::colors::ColorBy;
use super::source::{Bounds, Source};
use crate::failure::Failure;
use taffeta_render::tube::{SIDES, tube_mesh};
use taffeta_render::{Body, BodyKind};

/// A body of the scene that deforms, as it is drawn: cloths and solids as they are, ropes as tubes.
fn draw_body(
    source: &Source,
    place: usize,
    name: &str,
    frame: u64,
    color: Option<&ColorBy>,
) -> Result<Body, Failure> {
    let data = source.read(name, frame)?;
    let values = match color {
        Some(color) => color.compute_values(source, name, frame, &data)?,
        None => None,
    };
    if let Some(number) = source.scene.ropes.iter().position(|rope| rope.name == name) {
        let mesh = tube_mesh(&data.mesh.positions, source.scene.ropes[number].radius);
        let rings = |values: Vec<f64>| values.iter().flat_map(|value| [*value; SIDES]).collect();
        let values = values.map(rings).filter(|values: &Vec<f64>| values.len() == mesh.positions.len());
        let index = source.scene.cloths.len() + number;
        return Ok(Body { values, ..Body::new(mesh, BodyKind::Cloth { index }) });
    }
    let index = source.scene.cloths.iter().position(|cloth| cloth.name == name).unwrap_or(place);
    Ok(Body { values, ..Body::new(data.mesh, BodyKind::Cloth { index }) })
}

/// Cloths, ropes and solids in a frame.
pub(super) fn read_cloths(
    source: &Source,
    frame: u64,
    color: Option<&ColorBy>,
) -> Result<Vec<Body>, Failure> {
    let names = source.cloths_in(frame).into_iter().enumerate();
    names.map(|(place, name)| draw_body(source, place, name, frame, color)).collect()
}

/// All bodies in a frame; `bounds` is the box that is framed \[m\].
pub(super) fn read_bodies(
    source: &Source,
    frame: u64,
    bounds: Option<Bounds>,
    color: Option<&ColorBy>,
) -> Result<Vec<Body>, Failure> {
    let mut bodies = read_cloths(source, frame, color)?;
    let obstacles = source.obstacle_bodies(source.time_of(frame), bounds.unwrap_or_default());
    bodies.extend(obstacles);
    Ok(bodies)
}
