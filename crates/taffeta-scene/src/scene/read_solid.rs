//! One solid: its shape, material, pins. And what both solids and enclosed volumes ask of the simulation.

use super::read_cloth::{Surroundings, absolute, read_axes, read_body_name, read_region, read_strength};
use super::read_material::report_material;
use super::read_motion::{read_friction, read_motion, read_place};
use super::read_projective::warn_of_projective_solid;
use super::{SceneSolid, Simulation, SolidShape};
use crate::reader::{Item, Range, TableReader};
use glam::DVec3;
use std::path::Path;
use taffeta_core::Friction;
use taffeta_sim::{EnclosedDescription, Mode, PinDescription, SolidMaterial, SolverChoice, TimeIntegration};

const SOLID_KEYS: &[&str] = &[
    "name",
    "box",
    "mesh",
    "material",
    "volume_stiffness",
    "place",
    "velocity",
    "angular_velocity",
    "pin",
    "remesh",
];
const MATERIAL_KEYS: &[&str] = &["density", "young", "poisson", "damping", "friction"];
const PIN_KEYS: &[&str] = &["where", "axes", "motion", "release", "strength"];
const REGIONS: [&str; 3] = ["box", "boundary", "vertices"];
/// Cells of a box: more need over 10 GB and are taken for a mistake.
const MAX_CELLS: u64 = 4_000_000;

/// Reads a solid.
pub(super) fn read_solid(
    item: &Item<'_>,
    surroundings: Surroundings<'_>,
    warnings: &mut Vec<String>,
) -> Option<SceneSolid> {
    let table = item.table(SOLID_KEYS)?;
    if let Some(remesh) = table.get("remesh") {
        let help = "choose the `cells` of its box".to_owned();
        remesh.report(format!("`{}` is not supported: a solid keeps its tetrahedra", remesh.key), Some(help));
    }
    let name = match table.get("name") {
        Some(name) => read_body_name(&name),
        None => Some("solid".to_owned()),
    };
    let shape = read_shape(&table, surroundings.folder);
    let material = table.require("material", "material = { density = 1000, young = 1e5, poisson = 0.3 }");
    let material = material.and_then(|item| read_material(&item));
    let volume_stiffness = table.number("volume_stiffness", 0.0, Range::NotNegative);
    let pins: Vec<Option<PinDescription>> =
        table.tables("pin").iter().map(|item| read_pin(item, surroundings)).collect();
    let pins: Option<Vec<PinDescription>> = pins.into_iter().collect();
    let solid = SceneSolid {
        name: name?,
        shape: shape?,
        material: SolidMaterial { volume_stiffness, ..material? },
        place: read_place(&table),
        velocity: table.vec3("velocity", DVec3::ZERO),
        angular_velocity: table.vec3("angular_velocity", DVec3::ZERO),
        pins: pins.unwrap_or_default(),
    };
    if surroundings.solver == Some(SolverChoice::Projective) {
        warn_of_projective_solid(&table, &solid.material, warnings);
    }
    Some(solid)
}

fn read_shape(table: &TableReader<'_>, folder: &Path) -> Option<SolidShape> {
    let (shape, mesh) = (table.get("box"), table.get("mesh"));
    if shape.is_some() == mesh.is_some() {
        let found = if shape.is_some() { "both" } else { "none" };
        let message = format!("`{}` must have exactly one of box, mesh, but has {found}", table.item.key);
        let help = "box = { size = [0.2, 0.2, 0.2], cells = [4, 4, 4] }, or mesh = \"file.msh\"".to_owned();
        table.item.report(message, Some(help));
        return None;
    }
    match mesh {
        Some(mesh) => read_mesh_path(&mesh, folder),
        None => read_box(&shape?),
    }
}

fn read_mesh_path(item: &Item<'_>, folder: &Path) -> Option<SolidShape> {
    let path = item.string()?;
    if !Path::new(path).extension().is_some_and(|ending| ending.eq_ignore_ascii_case("msh")) {
        let message =
            format!("`{}` is {path:?}, but the mesh of a solid must be a Gmsh file, .msh", item.key);
        let help = "surfaces (OBJ, STL, PLY) have no tetrahedra: mesh their inside with Gmsh or fTetWild; `meshio \
                    convert --ascii --output-format gmsh22` makes .msh files from other files of tetrahedra";
        item.report(message, Some(help.to_owned()));
        return None;
    }
    Some(SolidShape::Mesh { path: absolute(&folder.join(path)) })
}

fn read_box(item: &Item<'_>) -> Option<SolidShape> {
    let table = item.table(&["size", "cells"])?;
    let size = table.require("size", "size = [0.2, 0.2, 0.2]").and_then(|item| item.numbers(Range::Positive));
    let cells = table.require("cells", "cells = [4, 4, 4]").and_then(|item| read_cells(&item));
    Some(SolidShape::Box { size: DVec3::from_array(size?), cells: cells? })
}

fn read_cells(item: &Item<'_>) -> Option<[u32; 3]> {
    let read = item.array_of::<3>("whole numbers")?.map(|item| item.integer(1, MAX_CELLS));
    let [Some(x), Some(y), Some(z)] = read else { return None };
    let count = x.saturating_mul(y).saturating_mul(z);
    if count > MAX_CELLS {
        let help = format!("at most {MAX_CELLS} cells");
        item.report(format!("`{}` makes {count} cells", item.key), Some(help));
        return None;
    }
    Some([x as u32, y as u32, z as u32])
}

/// Reads the material of a solid: a table of its own, since a solid has other quantities than cloth.
fn read_material(item: &Item<'_>) -> Option<SolidMaterial> {
    let table = item.table(MATERIAL_KEYS)?;
    let required =
        |key: &str, example: &str| table.require(key, example).and_then(|item| item.number(Range::Finite));
    let density = required("density", "density = 1000 (kg/m³)");
    let young = required("young", "young = 1e5 (Pa)");
    let poisson = required("poisson", "poisson = 0.3");
    let material = SolidMaterial {
        damping: table.number("damping", 0.0, Range::Finite),
        friction: read_friction(&table, Friction::default()),
        ..SolidMaterial::new(density?, young?, poisson?)
    };
    report_material(item, material.validate()).then_some(material)
}

fn read_pin(item: &Item<'_>, surroundings: Surroundings<'_>) -> Option<PinDescription> {
    let table = item.table(PIN_KEYS)?;
    let axes = table.get("axes").and_then(|item| read_axes(&item));
    let region = table.require("where", "where = { box = [[0, 0, 0], [0, 1, 1]] }");
    let region = region.and_then(|item| read_region(&item, &REGIONS));
    Some(PinDescription {
        region: region?,
        motion: read_motion(&table),
        axes: axes.unwrap_or([true; 3]),
        clamp: false,
        release: table.get("release").and_then(|item| item.number(Range::NotNegative)),
        strength: table.get("strength").and_then(|item| read_strength(&item, surroundings)),
    })
}

/// Reads the volume that a cloth keeps.
pub(super) fn read_volume(item: &Item<'_>) -> Option<EnclosedDescription> {
    let table = item.table(&["ratio", "inflation", "bulk"])?;
    Some(EnclosedDescription {
        ratio: table.number("ratio", 1.0, Range::Positive),
        inflation: table.number("inflation", 0.0, Range::NotNegative),
        bulk: table.get("bulk").and_then(|item| item.number(Range::Positive)),
    })
}

/// Refuses a simulation that does not go with solids or enclosed volumes: `what`, the first of which is at `key`.
pub(super) fn check_sweeping(item: &Item<'_>, simulation: &Simulation, (what, key): (&str, &str)) {
    let settings = &simulation.settings;
    let refuse = |at: &str, message: String, help: &str| {
        item.context.report(&format!("simulation.{at}"), message, Some(help.to_owned()));
    };
    if !settings.solver.capabilities().solids {
        let name = settings.solver.name();
        let message = format!("`simulation.solver` is {name:?}, which does not know {what} (`{key}`)");
        let mut help =
            "solver = \"block\", \"xpbd\" or \"projective\", or \"auto\", which takes \"block\"".to_owned();
        if what != "solids" {
            help += "; `pressure` instead of `volume` goes with other solvers";
        }
        refuse("solver", message, &help);
    }
    // The others have been refused with the solver that the scene names.
    if settings.solver != SolverChoice::Auto {
        return;
    }
    if settings.time == TimeIntegration::Bdf2 {
        let message =
            format!("`simulation.time` is \"bdf2\", but the solvers that know {what} use implicit Euler");
        refuse("time", message, "time = \"euler\" or \"auto\"");
    }
    if settings.mode == Mode::Static {
        let message = format!(
            "`simulation.mode` is \"static\", but the solvers that know {what} (`{key}`) follow motions only"
        );
        refuse("mode", message, "mode = \"dynamic\" with damping in the material and some seconds of time");
    }
}
