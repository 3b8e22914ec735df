//! From a scene to canonical JSON, and its hash.
//!
//! Canonical: every value explicit, keys in alphabetical order, numbers in their shortest form that reads back to the
//! same bits.

use super::camera::camera_json;
use super::read_cloth::bending_name;
use super::read_membrane::membrane_name;
use super::read_rope::rope_bending_name;
use super::{
    ClothShape, ObstacleShape, RopeShape, Scene, SceneCloth, SceneObstacle, SceneRope, SceneSolid, SolidShape,
};
use crate::error::SceneError;
use glam::DVec3;
use serde_json::{Map, Value, json};
use std::path::Path;
use taffeta_contact::Shape;
use taffeta_core::{Friction, Motion, Placement, Region};
use taffeta_io::read_file;
use taffeta_remesh::RemeshSettings;
use taffeta_sim::{
    ACCURACIES, Compression, MembraneScaling, Mode, PinDescription, ProjectionStiffness, RopeBending,
    RopeMaterial, SolidMaterial, SolverChoice, StiffnessCorrection, TimeIntegration,
};
use taffeta_sim::{SeamDescription, SeamSides};
use taffeta_solve::Material;

/// The whole scene.
pub(super) fn scene_json(scene: &Scene) -> Value {
    let probes = scene.probes.iter().map(|probe| {
        let mut row = json!({
            "name": probe.name,
            "cloth": scene.cloths[probe.cloth].name,
            "material": probe.material.to_array(),
        });
        if let Some(panel) = probe.panel {
            row["panel"] = json!(panel);
        }
        row
    });
    let probes =
        probes.chain(scene.rope_probes.iter().map(
            |probe| json!({ "name": probe.name, "rope": scene.ropes[probe.rope].name, "at": probe.at }),
        ));
    let solid_probes = scene.solid_probes.iter().map(|probe| {
        json!({
            "name": probe.name,
            "solid": scene.solids[probe.solid].name,
            "point": probe.point.to_array(),
        })
    });
    let probes = probes.chain(solid_probes);
    let mut contact = json!({});
    put(&mut contact, "self", scene.contact.self_contact.map(Value::from));
    put(&mut contact, "thickness", scene.contact.thickness.map(Value::from));
    let mut formats: Vec<&str> = scene.output.formats.iter().map(|format| format.name()).collect();
    if formats.is_empty() {
        formats.push("none");
    }
    let mut json = json!({
        "simulation": simulation_json(scene),
        "cloth": scene.cloths.iter().map(|cloth| cloth_json(scene, cloth)).collect::<Vec<_>>(),
        "obstacle": scene.obstacles.iter().map(obstacle_json).collect::<Vec<_>>(),
        "contact": contact,
        "air": {
            "density": scene.air.density,
            "wind": scene.air.wind.to_array(),
            "drag": scene.air.drag,
        },
        "probe": probes.collect::<Vec<_>>(),
        "output": {
            "formats": formats,
            "every": scene.output.every,
            "checkpoint_every": scene.output.checkpoint_every,
        },
    });
    put(&mut json, "camera", scene.camera.as_ref().map(camera_json));
    let is_pbd = scene.simulation.settings.solver == SolverChoice::Pbd;
    let ropes: Vec<Value> = scene.ropes.iter().map(|rope| rope_json(rope, is_pbd)).collect();
    put(&mut json, "rope", (!ropes.is_empty()).then(|| Value::from(ropes)));
    let solids: Vec<Value> = scene.solids.iter().map(solid_json).collect();
    put(&mut json, "solid", (!solids.is_empty()).then(|| Value::from(solids)));
    json
}

fn solid_json(solid: &SceneSolid) -> Value {
    let SolidMaterial { density, young, poisson, damping, volume_stiffness, friction } = solid.material;
    let mut json = json!({
        "name": solid.name,
        "material": {
            "density": density,
            "young": young,
            "poisson": poisson,
            "damping": damping,
            "friction": friction_json(friction),
        },
        "volume_stiffness": volume_stiffness,
        "place": place_json(&solid.place),
        "velocity": solid.velocity.to_array(),
        "angular_velocity": solid.angular_velocity.to_array(),
        "pin": solid.pins.iter().map(solid_pin_json).collect::<Vec<_>>(),
    });
    json[solid.shape.key()] = match &solid.shape {
        SolidShape::Box { size, cells } => json!({ "size": size.to_array(), "cells": cells }),
        SolidShape::Mesh { path } => Value::from(path.to_string_lossy()),
    };
    json
}

/// The pin of a solid, which has no direction to hold.
fn solid_pin_json(pin: &PinDescription) -> Value {
    let mut json = pin_json(pin);
    if let Some(table) = json.as_object_mut() {
        table.remove("clamp");
    }
    json
}

fn rope_json(rope: &SceneRope, is_pbd: bool) -> Value {
    let RopeMaterial { density, stretch, bend, stretch_damping, bend_damping, friction } = rope.material;
    let mut json = json!({
        "name": rope.name,
        "material": {
            "density": density,
            "stretch": stretch,
            "bend": bend,
            "stretch_damping": stretch_damping,
            "bend_damping": bend_damping,
            "friction": friction_json(friction),
        },
        "radius": rope.radius,
        "place": place_json(&rope.place),
        "velocity": rope.velocity.to_array(),
        "angular_velocity": rope.angular_velocity.to_array(),
        "bending": rope_bending_name(rope.bending),
        "pin": rope.pins.iter().map(pin_json).collect::<Vec<_>>(),
    });
    match &rope.shape {
        RopeShape::Straight { length, segments } => {
            json["length"] = json!(length);
            json["segments"] = json!(segments);
        }
        RopeShape::Points { points, segments } => {
            json["points"] = points.iter().map(|point| Value::from(point.to_array().to_vec())).collect();
            put(&mut json, "segments", segments.map(Value::from));
        }
    }
    if let RopeBending::Acos { has_remedy } = rope.bending {
        json["remedy"] = json!(has_remedy);
    }
    put(&mut json, "plane", rope.plane.map(|normal| Value::from(normal.to_array().to_vec())));
    put(&mut json, "rest_curvature", rope.rest_curvature.map(Value::from));
    if is_pbd {
        put_projection(&mut json, rope.projection);
    }
    json
}

/// The stiffness under position-based dynamics, which other solvers have no keys for.
fn put_projection(json: &mut Value, projection: ProjectionStiffness) {
    let ProjectionStiffness { stretch, bend, correction } = projection;
    json["stiffness"] = json!(stretch);
    json["bend_stiffness"] = json!(bend);
    json["stiffness_correction"] = json!(correction == StiffnessCorrection::PerSubstep);
}

/// The hash of a scene.
pub(super) fn scene_hash(scene: &Scene) -> Result<String, SceneError> {
    let mut canonical = scene_json(scene);
    canonical["simulation"]["threads"] = Value::Null;
    canonical["output"].as_object_mut().map(|table| table.remove("checkpoint_every"));
    let is_looked_at =
        |cloth: &SceneCloth| cloth.remesh.is_some_and(|remesh| remesh.coarsen_unseen.is_some());
    if let Some(table) = canonical.as_object_mut().filter(|_| !scene.cloths.iter().any(is_looked_at)) {
        table.remove("camera");
    }
    for (cloth, json) in scene.cloths.iter().zip(canonical["cloth"].as_array_mut().into_iter().flatten()) {
        let (path, key) = match &cloth.shape {
            ClothShape::Mesh { path, .. } => (path, "mesh"),
            ClothShape::Outline { path, .. } => (path, "outline"),
            ClothShape::Grid { .. } | ClothShape::Ball { .. } => continue,
        };
        json[key] = hash_file(path, key, &cloth.name)?;
    }
    for (solid, json) in scene.solids.iter().zip(canonical["solid"].as_array_mut().into_iter().flatten()) {
        if let SolidShape::Mesh { path } = &solid.shape {
            json["mesh"] = hash_file(path, "mesh", &solid.name)?;
        }
    }
    for (number, obstacle) in scene.obstacles.iter().enumerate() {
        if let Some(key) = obstacle.shape.file_key() {
            canonical["obstacle"][number]["shape"][key] = Value::String(hash_files(obstacle)?);
        }
    }
    Ok(blake3::hash(canonical.to_string().as_bytes()).to_hex().to_string())
}

/// The hash of the file of a body.
fn hash_file(path: &Path, key: &str, name: &str) -> Result<Value, SceneError> {
    let bytes = read_file(path).map_err(|error| SceneError::File {
        path: path.to_owned(),
        reason: format!("cannot read the {key} of {name:?}: {error}"),
    })?;
    Ok(Value::String(blake3::hash(&bytes).to_hex().to_string()))
}

/// The hash of the files of an obstacle, one after the other.
fn hash_files(obstacle: &SceneObstacle) -> Result<String, SceneError> {
    let error = |path: &Path, reason| SceneError::File { path: path.to_owned(), reason };
    let files = obstacle.shape.files().map_err(|e| error(Path::new("obstacle"), e.to_string()))?;
    let mut hasher = blake3::Hasher::new();
    for path in &files {
        let bytes =
            read_file(path).map_err(|e| error(path, format!("cannot read the mesh of an obstacle: {e}")))?;
        hasher.update(blake3::hash(&bytes).as_bytes());
    }
    Ok(hasher.finalize().to_hex().to_string())
}

fn put(table: &mut Value, key: &str, value: Option<Value>) {
    if let Some(value) = value {
        table[key] = value;
    }
}

/// An accuracy by its name, if it has one.
fn accuracy_json(accuracy: f64) -> Value {
    let named = ACCURACIES.iter().find(|(_, value)| *value == accuracy);
    named.map_or(Value::from(accuracy), |(name, _)| Value::from(*name))
}

fn simulation_json(scene: &Scene) -> Value {
    let settings = &scene.simulation.settings;
    let count = |count: Option<u32>| count.map_or(Value::from("auto"), Value::from);
    let mut json = json!({
        "mode": match settings.mode {
            Mode::Dynamic => "dynamic",
            Mode::Static => "static",
        },
        "frame_rate": scene.simulation.frame_rate,
        "solver": settings.solver.name(),
        "accuracy": accuracy_json(settings.accuracy),
        "substeps": count(settings.substeps),
        "iterations": count(settings.iterations),
        "time": match settings.time {
            TimeIntegration::Auto => "auto",
            TimeIntegration::Euler => "euler",
            TimeIntegration::Bdf2 => "bdf2",
        },
        "gravity": settings.gravity.to_array(),
        "velocity_damping": settings.velocity_damping,
        "threads": settings.threads,
        "seed": scene.simulation.seed,
    });
    let duration = (!scene.simulation.is_static()).then_some(scene.simulation.duration);
    put(&mut json, "duration", duration.map(Value::from));
    json
}

fn cloth_json(scene: &Scene, cloth: &SceneCloth) -> Value {
    let mut json = json!({
        "name": cloth.name,
        "material": material_json(&cloth.material),
        "place": place_json(&cloth.place),
        "velocity": cloth.velocity.to_array(),
        "angular_velocity": cloth.angular_velocity.to_array(),
        "pressure": cloth.pressure,
        "rest_curvature": cloth.rest_curvature,
        "constraint": membrane_name(cloth.membrane),
        "bending": bending_name(cloth.bending),
        "pin": cloth.pins.iter().map(pin_json).collect::<Vec<_>>(),
    });
    if !cloth.seams.is_empty() {
        json["seam"] = cloth.seams.iter().map(seam_json).collect();
    }
    let volume = cloth.volume.map(|volume| {
        let mut json = json!({ "ratio": volume.ratio, "inflation": volume.inflation });
        put(&mut json, "bulk", volume.bulk.map(Value::from));
        json
    });
    put(&mut json, "volume", volume);
    put(&mut json, "break_force", cloth.break_force.map(Value::from));
    match &cloth.shape {
        ClothShape::Grid { size, cells, pattern } => {
            json["grid"] = json!({ "size": size.to_array(), "cells": cells, "pattern": pattern.name() });
        }
        ClothShape::Ball { radius, level } => {
            json["ball"] = json!({ "radius": radius.to_array(), "level": level });
        }
        ClothShape::Mesh { path, uv_scale } => {
            json["mesh"] = json!(path.to_string_lossy());
            json["uv_scale"] = json!(uv_scale);
        }
        ClothShape::Outline { path, edge_length, scale } => {
            json["outline"] = json!(path.to_string_lossy());
            json["edge_length"] = json!(edge_length);
            put(&mut json, "outline_scale", scale.map(Value::from));
        }
    }
    if let MembraneScaling::Fixed(area) = cloth.scaling {
        json["scaling"] = json!(false);
        json["scaling_area"] = json!(area);
    }
    if let Compression::Buckling { factor } = cloth.compression {
        json["buckling"] = if factor == 1.0 { json!(true) } else { json!(factor) };
    }
    if scene.simulation.settings.solver == SolverChoice::Pbd {
        put_projection(&mut json, cloth.projection);
    }
    put(&mut json, "remesh", cloth.remesh.as_ref().map(remesh_json));
    json
}

fn remesh_json(remesh: &RemeshSettings) -> Value {
    let mut json = json!({
        "size_min": remesh.size_min,
        "size_max": remesh.size_max,
        "anisotropic": remesh.anisotropic,
        "interval": remesh.interval,
        "max_vertices": remesh.max_vertices,
    });
    json["coarsen_unseen"] = tolerance_json(remesh.coarsen_unseen);
    json["popping"] = tolerance_json(remesh.popping);
    if let Some(error) = remesh.refine_error {
        json["refine_error"] = json!(error);
        return json;
    }
    json["refine_angle"] = json!(remesh.refine_angle);
    json["refine_strain"] = json!(remesh.refine_strain);
    json["refine_compression"] = tolerance_json(remesh.refine_compression);
    json["refine_velocity"] = tolerance_json(remesh.refine_velocity);
    json["refine_obstacle"] = tolerance_json(remesh.refine_obstacle);
    json
}

/// The number, or `false` where a term of the sizing field is switched off.
fn tolerance_json(tolerance: Option<f64>) -> Value {
    tolerance.map_or(Value::Bool(false), Value::from)
}

/// A material as a table of the scene format.
pub(crate) fn material_json(material: &Material) -> Value {
    let mut json = json!({
        "density": material.density,
        "thickness": material.thickness,
        "stretch": material.stretch,
        "poisson": material.poisson,
        "bend": material.bend,
        "stretch_damping": material.stretch_damping,
        "bend_damping": material.bend_damping,
        "friction": friction_json(material.friction),
    });
    put(&mut json, "shear", material.shear.map(Value::from));
    put(&mut json, "bend_poisson", material.bend_poisson.map(Value::from));
    put(&mut json, "tear_strength", material.tearing.map(|tearing| json!(tearing.strength)));
    put(&mut json, "tear_length", material.tearing.map(|tearing| json!(tearing.length)));
    put(&mut json, "yield_curvature", material.yield_curvature.map(Value::from));
    let hardening = material.yield_curvature.map(|_| Value::from(material.yield_hardening));
    put(&mut json, "yield_hardening", hardening);
    json
}

fn friction_json(friction: Friction) -> Value {
    json!({ "static": friction.static_, "kinetic": friction.kinetic })
}

fn place_json(place: &Placement) -> Value {
    json!({
        "translate": place.translate.to_array(),
        "rotate_deg": place.rotate_deg.to_array(),
        "scale": place.scale,
    })
}

pub(super) fn motion_json(motion: &Motion) -> Value {
    let keys = motion.keys.iter().map(|key| {
        json!({
            "t": key.time,
            "translate": key.translate.to_array(),
            "rotate_deg": key.rotate_deg.to_array(),
        })
    });
    keys.collect()
}

/// A region as a table of the scene format.
pub(super) fn region_json(region: &Region) -> Value {
    match region {
        Region::Box(corners) => json!({ "box": corners.map(|corner: DVec3| corner.to_array()) }),
        Region::MaterialBox(corners) => json!({ "material_box": corners.map(|corner| corner.to_array()) }),
        Region::Boundary => json!({ "boundary": true }),
        Region::Vertices(vertices) => json!({ "vertices": vertices }),
    }
}

fn seam_json(seam: &SeamDescription) -> Value {
    let mut json = json!({ "time": seam.time });
    match &seam.sides {
        SeamSides::Runs([a, b]) => {
            json["a"] = json!({ "vertices": a });
            json["b"] = json!({ "vertices": b });
            json["ease"] = json!(seam.ease);
        }
        SeamSides::Near(distance) => json["distance"] = json!(distance),
        SeamSides::Pairs(_) => unreachable!("a scene names runs or a distance"),
    }
    json
}

fn pin_json(pin: &PinDescription) -> Value {
    let mut json = json!({
        "where": region_json(&pin.region),
        "axes": pin.axes,
        "clamp": pin.clamp,
        "motion": motion_json(&pin.motion),
    });
    put(&mut json, "release", pin.release.map(Value::from));
    put(&mut json, "strength", pin.strength.map(Value::from));
    json
}

fn obstacle_json(obstacle: &SceneObstacle) -> Value {
    let mut shape = Map::new();
    match &obstacle.shape {
        ObstacleShape::Mesh { path } => shape.insert("mesh".to_owned(), json!(path.to_string_lossy())),
        ObstacleShape::Frames { pattern, rate } => {
            shape.insert("frame_rate".to_owned(), json!(rate));
            shape.insert("frames".to_owned(), json!(pattern.to_string_lossy()))
        }
        ObstacleShape::Closed(closed) => closed_json(closed, &mut shape),
    };
    json!({
        "shape": shape,
        "place": place_json(&obstacle.place),
        "motion": motion_json(&obstacle.motion),
        "friction": friction_json(obstacle.friction),
    })
}

/// The keys of a shape in closed form.
fn closed_json(closed: &Shape, shape: &mut Map<String, Value>) -> Option<Value> {
    match *closed {
        Shape::Sphere { radius } => shape.insert("sphere".to_owned(), json!({ "radius": radius })),
        Shape::Plane { normal } => shape.insert("plane".to_owned(), json!({ "normal": normal.to_array() })),
        Shape::Capsule { radius, half_length } => {
            shape.insert("capsule".to_owned(), json!({ "radius": radius, "half_length": half_length }))
        }
        Shape::Box { half_size } => {
            shape.insert("box".to_owned(), json!({ "half_size": half_size.to_array() }))
        }
    }
}
