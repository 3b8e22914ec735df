//! Obstacles.

use super::read_cloth::{Surroundings, absolute};
use super::read_motion::{read_friction, read_motion, read_place};
use super::{ObstacleShape, SceneObstacle};
use crate::reader::{Item, Range, TableReader};
use glam::DVec3;
use taffeta_contact::Shape;
use taffeta_core::Friction;
use taffeta_io::obj::FileSequence;

/// Reads all obstacles, and warnings about them.
pub(super) fn read_obstacles(
    top: &TableReader<'_>,
    surroundings: Surroundings<'_>,
) -> (Vec<SceneObstacle>, Vec<String>) {
    let items = top.tables("obstacle");
    let read = |item: &Item<'_>| read_obstacle(item, surroundings);
    let obstacles: Vec<SceneObstacle> = items.iter().filter_map(read).collect();
    let late = |obstacle: &SceneObstacle| obstacle.motion.keys.first().is_some_and(|key| key.time < 0.0);
    let warnings = obstacles.iter().enumerate().filter(|(_, obstacle)| late(obstacle));
    let warnings = warnings.map(|(index, _)| format!("obstacle.{index}.motion has keyframes before time 0"));
    let warnings = warnings.collect();
    (obstacles, warnings)
}

fn read_obstacle(item: &Item<'_>, surroundings: Surroundings<'_>) -> Option<SceneObstacle> {
    let table = item.table(&["shape", "place", "motion", "friction"])?;
    let shape = table.require("shape", "shape = { sphere = { radius = 0.2 } }");
    let shape = shape.and_then(|item| read_shape(&item, surroundings));
    // Everything is read, so that all problems are noted.
    let (place, motion) = (read_place(&table), read_motion(&table));
    let friction = read_friction(&table, Friction::default());
    shape.map(|shape| SceneObstacle { shape, place, motion, friction })
}

fn read_capsule(item: &Item<'_>) -> Option<Shape> {
    let table = item.table(&["radius", "half_length"])?;
    let radius = table.require("radius", "radius = 0.1").and_then(|item| item.number(Range::Positive));
    let half_length =
        table.require("half_length", "half_length = 0.2").and_then(|item| item.number(Range::Positive));
    Some(Shape::Capsule { radius: radius?, half_length: half_length? })
}

fn read_box(item: &Item<'_>) -> Option<Shape> {
    let given = item.table(&["half_size"])?.require("half_size", "half_size = [0.1, 0.1, 0.1]")?;
    let half_size = given.vec3()?;
    if !(half_size.min_element() > 0.0 && half_size.is_finite()) {
        let found = half_size.to_array();
        given.report(
            format!("`{}` is {found:?}", given.key),
            Some("all three must be positive: half the sides of the box in m".to_owned()),
        );
        return None;
    }
    Some(Shape::Box { half_size })
}

fn read_shape(item: &Item<'_>, surroundings: Surroundings<'_>) -> Option<ObstacleShape> {
    const SHAPES: [&str; 6] = ["sphere", "plane", "capsule", "box", "mesh", "frames"];
    let table = item.table(&["sphere", "plane", "capsule", "box", "mesh", "frames", "frame_rate"])?;
    let given: Vec<&str> = SHAPES.into_iter().filter(|key| table.get(key).is_some()).collect();
    if given.len() != 1 {
        let found = if given.is_empty() { "none".to_owned() } else { given.join(" and ") };
        let help = "supported: sphere = { radius = 0.2 }, plane = { normal = [0, 1, 0] }, \
                    capsule = { radius = 0.1, half_length = 0.2 }, box = { half_size = [0.1, 0.1, 0.1] }, \
                    mesh = \"body.obj\", frames = \"body_%04d.obj\" with frame_rate";
        let help = help.to_owned();
        item.report(format!("`{}` must have exactly one shape, but has {found}", item.key), Some(help));
        return None;
    }
    if let Some(rate) = table.get("frame_rate").filter(|_| given != ["frames"]) {
        let help =
            "it tells how many files of a sequence, frames = \"body_%04d.obj\", go into a second".to_owned();
        rate.report(format!("`{}` needs frames", rate.key), Some(help));
        return None;
    }
    match given[0] {
        "mesh" | "frames" => read_files(&table, given[0], surroundings),
        _ => read_closed(&table).map(ObstacleShape::Closed),
    }
}

/// A shape that is read from one or several files.
fn read_files(table: &TableReader<'_>, key: &str, surroundings: Surroundings<'_>) -> Option<ObstacleShape> {
    let item = table.get(key)?;
    let rate = match key {
        "frames" => {
            table.require("frame_rate", "frame_rate = 30").and_then(|rate| rate.number(Range::Positive))
        }
        _ => None,
    };
    let text = item.string()?;
    if text.is_empty() {
        item.report(format!("`{}` is empty", item.key), None);
        return None;
    }
    let solver = surroundings.solver.filter(|solver| !solver.capabilities().meetings);
    if let Some(solver) = solver {
        let message = format!("the solver {:?} does not know contact with meshes", solver.name());
        let help =
            "take global, direct, block, xpbd or pbd, or an obstacle that is a sphere, plane, capsule or box";
        item.report(message, Some(help.to_owned()));
        return None;
    }
    let path = absolute(&surroundings.folder.join(text));
    if key == "mesh" {
        return Some(ObstacleShape::Mesh { path });
    }
    if let Err(message) = FileSequence::parse(&path) {
        let help = "for example frames = \"body_%04d.obj\" for body_0000.obj, body_0001.obj, …".to_owned();
        item.report(format!("`{}`: {message}", item.key), Some(help));
        return None;
    }
    Some(ObstacleShape::Frames { pattern: path, rate: rate? })
}

/// A shape in closed form.
fn read_closed(table: &TableReader<'_>) -> Option<Shape> {
    if let Some(sphere) = table.get("sphere") {
        let radius = sphere.table(&["radius"])?.require("radius", "radius = 0.2")?.number(Range::Positive)?;
        return Some(Shape::Sphere { radius });
    }
    if let Some(capsule) = table.get("capsule") {
        return read_capsule(&capsule);
    }
    if let Some(block) = table.get("box") {
        return read_box(&block);
    }
    let plane = table.get("plane")?.table(&["normal"])?;
    let Some(given) = plane.get("normal") else { return Some(Shape::Plane { normal: DVec3::Y }) };
    let normal = given.vec3()?;
    let length = normal.length();
    if !(length > 1e-12 && length.is_finite()) {
        given.report(format!("`{}` has no direction", given.key), Some("must not be zero".to_owned()));
        return None;
    }
    // A unit normal keeps its bits, so that a scene that is written and read again stays the same.
    let unit = (length - 1.0).abs() < 1e-15;
    Some(Shape::Plane { normal: if unit { normal } else { normal / length } })
}
