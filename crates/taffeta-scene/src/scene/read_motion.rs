//! Placements, motions, friction, obstacles.

use crate::reader::{Item, Range, TableReader};
use glam::DVec3;
use taffeta_contact::{Obstacle, Shape};
use taffeta_core::{Friction, Keyframe, Motion, Placement};

/// Reads `place`, or the default.
pub(super) fn read_place(table: &TableReader<'_>) -> Placement {
    let default = Placement::default();
    let Some(place) = table.get("place").and_then(|item| item.table(&["translate", "rotate_deg", "scale"]))
    else {
        return default;
    };
    Placement {
        translate: place.vec3("translate", default.translate),
        rotate_deg: place.vec3("rotate_deg", default.rotate_deg),
        scale: place.number("scale", default.scale, Range::Positive),
    }
}

/// Reads `motion`, or rest.
pub(super) fn read_motion(table: &TableReader<'_>) -> Motion {
    let Some(items) = table.get("motion").and_then(|item| item.array()) else { return Motion::default() };
    let keys: Vec<Keyframe> = items.iter().filter_map(read_keyframe).collect();
    if keys.len() == items.len() {
        for (pair, item) in keys.windows(2).zip(items.iter().skip(1)) {
            if pair[1].time <= pair[0].time {
                let message = format!(
                    "keyframe times must increase, but t = {} follows t = {}",
                    pair[1].time, pair[0].time
                );
                item.context.report(&format!("{}.t", item.key), message, None);
                break;
            }
        }
    }
    Motion { keys }
}

fn read_keyframe(item: &Item<'_>) -> Option<Keyframe> {
    let table = item.table(&["t", "translate", "rotate_deg"])?;
    let time = table.require("t", "t = 0.0").and_then(|item| item.number(Range::Finite))?;
    Some(Keyframe {
        time,
        translate: table.vec3("translate", DVec3::ZERO),
        rotate_deg: table.vec3("rotate_deg", DVec3::ZERO),
    })
}

/// Reads `friction`; what is absent is taken from the default, such that the static coefficient is not the smaller.
pub(super) fn read_friction(table: &TableReader<'_>, default: Friction) -> Friction {
    let Some(friction) = table.get("friction").and_then(|item| item.table(&["static", "kinetic"])) else {
        return default;
    };
    let read = |key: &str| friction.get(key).and_then(|item| item.number(Range::NotNegative));
    match (read("static"), read("kinetic")) {
        (Some(static_), Some(kinetic)) => {
            if kinetic > static_ {
                let message = format!("kinetic friction {kinetic} is greater than static friction {static_}");
                let help = "must be at most the static one".to_owned();
                let key = format!("{}.kinetic", friction.item.key);
                friction.item.context.report(&key, message, Some(help));
            }
            // Reported once is enough: what follows goes on with a possible pair.
            Friction { static_, kinetic: kinetic.min(static_) }
        }
        (Some(static_), None) => Friction { static_, kinetic: default.kinetic.min(static_) },
        (None, Some(kinetic)) => Friction { static_: default.static_.max(kinetic), kinetic },
        (None, None) => default,
    }
}

/// Reads all obstacles, and warnings about them.
pub(super) fn read_obstacles(top: &TableReader<'_>) -> (Vec<Obstacle>, Vec<String>) {
    let items = top.tables("obstacle");
    let obstacles: Vec<Obstacle> = items.iter().filter_map(read_obstacle).collect();
    let late = |obstacle: &Obstacle| obstacle.motion.keys.first().is_some_and(|key| key.time < 0.0);
    let warnings = obstacles.iter().enumerate().filter(|(_, obstacle)| late(obstacle));
    let warnings = warnings.map(|(index, _)| format!("obstacle.{index}.motion has keyframes before time 0"));
    let warnings = warnings.collect();
    (obstacles, warnings)
}

fn read_obstacle(item: &Item<'_>) -> Option<Obstacle> {
    let table = item.table(&["shape", "place", "motion", "friction"])?;
    let shape =
        table.require("shape", "shape = { sphere = { radius = 0.2 } }").and_then(|item| read_shape(&item));
    let obstacle = Obstacle {
        shape: shape.unwrap_or(Shape::Sphere { radius: 1.0 }),
        place: read_place(&table),
        motion: read_motion(&table),
        friction: read_friction(&table, Friction::default()),
    };
    shape.map(|_| obstacle)
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

fn read_shape(item: &Item<'_>) -> Option<Shape> {
    const SHAPES: [&str; 6] = ["sphere", "plane", "capsule", "box", "mesh", "frames"];
    let table = item.table(&["sphere", "plane", "capsule", "box", "mesh", "frames", "frame_rate"])?;
    let given: Vec<&str> = SHAPES.into_iter().filter(|key| table.get_any(key).is_some()).collect();
    if given.len() != 1 {
        let found = if given.is_empty() { "none".to_owned() } else { given.join(" and ") };
        let help = "supported: sphere = { radius = 0.2 }, plane = { normal = [0, 1, 0] }, \
                    capsule = { radius = 0.1, half_length = 0.2 }, box = { half_size = [0.1, 0.1, 0.1] }";
        let help = help.to_owned();
        item.report(format!("`{}` must have exactly one shape, but has {found}", item.key), Some(help));
        return None;
    }
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
