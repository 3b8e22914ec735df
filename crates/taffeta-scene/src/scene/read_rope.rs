//! One rope: its shape, material, pins.

use super::read_cloth::{
    Surroundings, read_axes, read_body_name, read_projection, read_strength, read_vertices,
};
use super::read_material::{report_body, report_material};
use super::read_motion::{read_friction, read_motion, read_place};
use super::{RopeShape, SceneRope};
use crate::reader::{Item, Range, TableReader};
use glam::DVec3;
use taffeta_core::{Friction, Region};
use taffeta_sim::{PinDescription, RopeBending, RopeMaterial, SolverChoice};

const ROPE_KEYS: &[&str] = &[
    "name",
    "length",
    "segments",
    "points",
    "radius",
    "material",
    "place",
    "velocity",
    "angular_velocity",
    "bending",
    "remedy",
    "plane",
    "rest_curvature",
    "stiffness",
    "bend_stiffness",
    "stiffness_correction",
    "pin",
    "remesh",
];
const MATERIAL_KEYS: &[&str] = &["density", "stretch", "bend", "stretch_damping", "bend_damping", "friction"];
const PIN_KEYS: &[&str] = &["where", "axes", "clamp", "motion", "release", "strength"];
/// The bending models by name; `remedy` says which form of the published one.
pub(crate) const ROPE_MODELS: [(&str, RopeBending); 3] = [
    ("curvature", RopeBending::Curvature),
    ("acos", RopeBending::Acos { has_remedy: true }),
    ("none", RopeBending::None),
];
/// Segments of a rope: more are taken for a mistake.
const MAX_SEGMENTS: u64 = 1_000_000;
/// Radius of a rope that names none \[m\].
pub(crate) const DEFAULT_RADIUS: f64 = 0.005;

/// The name of a bending model.
pub(super) fn rope_bending_name(bending: RopeBending) -> &'static str {
    match bending {
        RopeBending::Curvature => "curvature",
        RopeBending::Acos { .. } => "acos",
        RopeBending::None => "none",
    }
}

/// Reads a rope.
pub(super) fn read_rope(
    item: &Item<'_>,
    surroundings: Surroundings<'_>,
    warnings: &mut Vec<String>,
) -> Option<SceneRope> {
    let table = item.table(ROPE_KEYS)?;
    if surroundings.solver == Some(SolverChoice::Projective) {
        let help = "solver = \"global\", \"block\", \"direct\", \"xpbd\" or \"pbd\"".to_owned();
        item.report(format!("`{}`: the solver \"projective\" knows no ropes", item.key), Some(help));
    }
    if let Some(remesh) = table.get("remesh") {
        let help = "choose the number of `segments`, or give more `points`".to_owned();
        remesh.report(format!("`{}` is not supported: a rope keeps its segments", remesh.key), Some(help));
    }
    let name = match table.get("name") {
        Some(name) => read_body_name(&name),
        None => Some("rope".to_owned()),
    };
    let shape = read_shape(&table);
    let material = table
        .require("material", "material = { density = 0.05, stretch = 1e4, bend = 1e-4 }")
        .and_then(|item| read_material(&item));
    let radius = table.number("radius", DEFAULT_RADIUS, Range::Positive);
    let bending = read_bending(&table);
    let plane = table.get("plane").and_then(|item| read_plane(&item));
    let rest_curvature = table.get("rest_curvature").and_then(|item| item.number(Range::Finite));
    let projection = read_projection(&table, surroundings, warnings);
    let last = shape.as_ref().map(RopeShape::segment_count);
    let pins: Vec<PinDescription> =
        table.tables("pin").iter().filter_map(|item| read_pin(item, surroundings, last?)).collect();
    let rope = SceneRope {
        name: name?,
        shape: shape?,
        material: material?,
        radius,
        place: read_place(&table),
        velocity: table.vec3("velocity", DVec3::ZERO),
        angular_velocity: table.vec3("angular_velocity", DVec3::ZERO),
        bending,
        plane,
        rest_curvature,
        projection,
        pins,
    };
    check(&table, &rope);
    Some(rope)
}

/// Checks that the rope is one and that its pins hold something.
fn check(table: &TableReader<'_>, rope: &SceneRope) {
    let description = rope.describe();
    let report = |key: &str, reason: String| report_body(table, ("rope", &rope.name), key, &reason);
    if let Some(reason) = description.find_shape_defect() {
        let is_of_plane = reason.contains("plane");
        let given = |key: &str| table.get(key).is_some();
        let key = match is_of_plane {
            true if given("plane") => "plane",
            true if given("rest_curvature") => "rest_curvature",
            true => "bending",
            false if given("points") => "points",
            false => "length",
        };
        return report(key, reason);
    }
    for (number, pin) in description.pins.iter().enumerate() {
        if let Some(reason) = description.find_pin_defect(pin) {
            let key = if reason.contains("clamp") { "clamp" } else { "where" };
            report(&format!("pin.{number}.{key}"), format!("pin {number}: {reason}"));
        }
    }
}

fn read_shape(table: &TableReader<'_>) -> Option<RopeShape> {
    let segments = table.get("segments");
    let count = segments.as_ref().map(|item| item.integer(2, MAX_SEGMENTS).map(|count| count as u32));
    match (table.get("length"), table.get("points")) {
        (Some(length), None) => {
            let length = length.number(Range::Positive);
            if segments.is_none() {
                table.require("segments", "segments = 40");
            }
            Some(RopeShape::Straight { length: length?, segments: count?? })
        }
        (None, Some(points)) => {
            let items = points.array()?;
            let least = if segments.is_some() { 2 } else { 3 };
            if items.len() < least {
                let message =
                    format!("`{}` has {} points, but needs at least {least}", points.key, items.len());
                points.report(message, Some("a rope has at least 2 segments".to_owned()));
                return None;
            }
            let read: Vec<Option<DVec3>> = items.iter().map(Item::vec3).collect();
            let points = read.into_iter().collect::<Option<Vec<_>>>()?;
            let segments = match count {
                None => None,
                Some(count) => Some(count?),
            };
            Some(RopeShape::Points { points, segments })
        }
        (length, _) => {
            let found = if length.is_some() { "length and points" } else { "none" };
            let message =
                format!("`{}` must have exactly one of length, points, but has {found}", table.item.key);
            let help =
                "for example length = 2.0 and segments = 40, or points = [[0, 0, 0], [1, 0, 0], [1, 1, 0]]";
            table.item.report(message, Some(help.to_owned()));
            None
        }
    }
}

/// Reads the material of a rope: a table of its own, since a rope has other quantities than cloth.
fn read_material(item: &Item<'_>) -> Option<RopeMaterial> {
    let table = item.table(MATERIAL_KEYS)?;
    let density =
        table.require("density", "density = 0.05 (kg/m)").and_then(|item| item.number(Range::Finite));
    let stretch =
        table.require("stretch", "stretch = 1e4 (EA in N)").and_then(|item| item.number(Range::Finite));
    let material = RopeMaterial {
        density: density?,
        stretch: stretch?,
        bend: table.number("bend", 0.0, Range::Finite),
        stretch_damping: table.number("stretch_damping", 0.0, Range::Finite),
        bend_damping: table.number("bend_damping", 0.0, Range::Finite),
        friction: read_friction(&table, Friction::default()),
    };
    report_material(item, material.validate()).then_some(material)
}

fn read_bending(table: &TableReader<'_>) -> RopeBending {
    let bending = table.get("bending").and_then(|item| item.choice(&ROPE_MODELS)).unwrap_or_default();
    let Some(item) = table.get("remedy") else { return bending };
    match (bending, item.boolean()) {
        (RopeBending::Acos { .. }, Some(has_remedy)) => RopeBending::Acos { has_remedy },
        (RopeBending::Acos { .. }, None) => bending,
        _ => {
            let message = format!("`{}` means nothing without bending = \"acos\"", item.key);
            item.report(message, Some("other models tell left from right turns without it".to_owned()));
            bending
        }
    }
}

fn read_plane(item: &Item<'_>) -> Option<DVec3> {
    let normal = item.vec3()?;
    if normal.length() == 0.0 {
        let message = format!("`{}` is [0, 0, 0], which is no direction", item.key);
        item.report(message, Some("the normal of the plane, for example [0, 0, 1]".to_owned()));
        return None;
    }
    Some(normal)
}

fn read_pin(item: &Item<'_>, surroundings: Surroundings<'_>, last: usize) -> Option<PinDescription> {
    let table = item.table(PIN_KEYS)?;
    let axes = table.get("axes").and_then(|item| read_axes(&item));
    let clamp = table.get("clamp").and_then(|item| item.boolean());
    let release = table.get("release").and_then(|item| item.number(Range::NotNegative));
    let strength = table.get("strength").and_then(|item| read_strength(&item, surroundings));
    let motion = read_motion(&table);
    let region = table.require("where", "where = { ends = \"first\" }");
    let region = region.and_then(|item| read_region(&item, last));
    Some(PinDescription {
        region: region?,
        motion,
        axes: axes.unwrap_or([true; 3]),
        clamp: clamp.unwrap_or(false),
        release,
        strength,
    })
}

fn read_region(item: &Item<'_>, last: usize) -> Option<Region> {
    const REGIONS: [&str; 3] = ["ends", "vertices", "box"];
    let table = item.table(&REGIONS)?;
    let given: Vec<&str> = REGIONS.into_iter().filter(|key| table.get(key).is_some()).collect();
    let [key] = given.as_slice() else {
        let found = if given.is_empty() { "none".to_owned() } else { given.join(" and ") };
        let message =
            format!("`{}` must have exactly one of {}, but has {found}", item.key, REGIONS.join(", "));
        item.report(message, None);
        return None;
    };
    let region = table.get(key)?;
    match *key {
        "ends" => {
            let last = last as u32;
            let ends = [("first", vec![0]), ("last", vec![last]), ("both", vec![0, last])];
            region.choice(&ends).map(Region::Vertices)
        }
        "box" => {
            let [a, b] = region.array_of::<2>("corners [x, y, z]")?.map(|corner| corner.vec3());
            Some(Region::Box([a?, b?]))
        }
        _ => read_vertices(&region),
    }
}
