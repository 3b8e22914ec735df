//! One cloth: its shape, pins, remeshing.

use super::read_material::{MaterialLibrary, refuse_folds};
use super::read_membrane::{read_break_force, read_buckling, read_membrane, read_scaling, warn_of_pressure};
use super::read_motion::{read_motion, read_place};
use super::read_projective::warn_of_projective;
use super::read_seam::read_seams;
use super::read_solid::read_volume;
use super::read_tearing::{TearingParts, check_tearing};
use super::{ClothShape, SceneCloth};
use crate::output::is_safe_name;
use crate::reader::{Item, Range, TableReader};
use crate::{materials, reader};
use glam::{DVec2, DVec3};
use std::path::{Path, PathBuf};
use taffeta_core::Region;
use taffeta_io::{grid::GridPattern, mesh_file::MeshFormat};
use taffeta_remesh::RemeshSettings;
use taffeta_sim::{
    BendingModel, PinDescription, ProjectionStiffness, SolverChoice, StiffnessCorrection,
    knows_rest_curvature,
};

/// What a pin of a cloth selects by.
const REGIONS: [&str; 4] = ["box", "material_box", "boundary", "vertices"];
const CLOTH_KEYS: &[&str] = &[
    "name",
    "grid",
    "mesh",
    "ball",
    "outline",
    "edge_length",
    "outline_scale",
    "uv_scale",
    "material",
    "place",
    "velocity",
    "angular_velocity",
    "pressure",
    "volume",
    "rest_curvature",
    "constraint",
    "scaling",
    "scaling_area",
    "buckling",
    "break_force",
    "bending",
    "stiffness",
    "bend_stiffness",
    "stiffness_correction",
    "pin",
    "seam",
    "remesh",
];
const PIN_KEYS: &[&str] = &["where", "axes", "clamp", "motion", "release", "strength"];
const REMESH_KEYS: &[&str] = &[
    "size_min",
    "size_max",
    "refine_angle",
    "refine_strain",
    "refine_compression",
    "refine_velocity",
    "refine_obstacle",
    "refine_error",
    "coarsen_unseen",
    "popping",
    "anisotropic",
    "interval",
    "max_vertices",
];
/// What one `refine_error` takes the place of.
const THRESHOLD_KEYS: [&str; 5] =
    ["refine_angle", "refine_strain", "refine_compression", "refine_velocity", "refine_obstacle"];
/// The bending models by name.
pub(crate) const BENDING_MODELS: [(&str, BendingModel); 6] = [
    ("curvature", BendingModel::Curvature),
    ("hinge", BendingModel::Hinge),
    ("quadratic", BendingModel::Quadratic),
    ("averaged", BendingModel::Averaged),
    ("mean_curvature", BendingModel::MeanCurvature),
    ("none", BendingModel::None),
];
/// Cells of a grid: more need over 10 GB and are taken for a mistake.
const MAX_CELLS: u64 = 20_000_000;
/// Level of a ball: 1.3 million faces.
pub(crate) const MAX_LEVEL: u64 = 8;
/// The material of a cloth that names none.
pub(crate) const DEFAULT_MATERIAL: &str = "cotton";

/// What the meaning of a cloth's keys depends on.
#[derive(Clone, Copy)]
pub(super) struct Surroundings<'a> {
    /// The folder of the scene.
    pub folder: &'a Path,
    pub materials: &'a MaterialLibrary,
    /// The solver of the scene; `None` if the scene's simulation cannot be read.
    pub solver: Option<SolverChoice>,
    /// Whether the scene asks for an equilibrium.
    pub is_static: bool,
}

impl Surroundings<'_> {
    /// The solver, if it is one of the older methods, with the bending model that it has.
    fn older_solver(&self) -> Option<(SolverChoice, BendingModel)> {
        match self.solver? {
            SolverChoice::Projective => Some((SolverChoice::Projective, BendingModel::MeanCurvature)),
            solver => solver.capabilities().rows.then_some((solver, BendingModel::Hinge)),
        }
    }
}

/// The name of a bending model.
pub(super) fn bending_name(bending: BendingModel) -> &'static str {
    let found = BENDING_MODELS.iter().find(|(_, model)| *model == bending);
    found.expect("every model has a name").0
}

/// Reads a cloth.
pub(super) fn read_cloth(
    item: &Item<'_>,
    surroundings: Surroundings<'_>,
    warnings: &mut Vec<String>,
) -> Option<SceneCloth> {
    let Surroundings { folder, materials, .. } = surroundings;
    let table = item.table(CLOTH_KEYS)?;
    let name = match table.get("name") {
        Some(name) => read_body_name(&name),
        None => Some("sheet".to_owned()),
    };
    let shape = read_shape(&table, folder);
    let material = match table.get("material") {
        Some(material) => materials.resolve(&material),
        None => materials::preset(DEFAULT_MATERIAL).map(|preset| preset.material),
    };
    let membrane = read_membrane(&table, surroundings, warnings);
    let bending = read_bending(&table, surroundings);
    if let Some(material) = &material {
        refuse_folds(&table, (material, bending), surroundings);
    }
    let rest_curvature =
        table.get("rest_curvature").and_then(|item| read_rest_curvature(&item, bending, surroundings));
    let pins: Vec<Option<PinDescription>> =
        table.tables("pin").iter().map(|item| read_pin(item, surroundings)).collect();
    let pins: Option<Vec<PinDescription>> = pins.into_iter().collect();
    // Fewer vertices for the same error, where neither hinges nor seams ask for well-shaped triangles.
    let may_stretch = bending == BendingModel::Curvature && table.get("seam").is_none();
    let remesh = table.get("remesh").and_then(|item| read_remesh(&item, may_stretch));
    let parts = (membrane, table.get("remesh").is_some());
    let break_force = table.get("break_force").and_then(|item| read_break_force(&item, parts, surroundings));
    let pressure = table.number("pressure", 0.0, Range::Finite);
    let volume = table.get("volume").and_then(|item| read_volume(&item));
    if let (Some(item), Some(_)) = (table.get("volume"), remesh) {
        let message =
            format!("`{}` and `remesh` exclude each other: a closed cloth keeps its mesh", item.key);
        item.report(message, Some("leave one of them out".to_owned()));
    }
    let seams = read_seams(&table, surroundings);
    if let (false, Some(item)) = (seams.is_empty(), table.get("remesh"))
        && remesh.is_some_and(|settings| settings.anisotropic)
    {
        let message =
            format!("`{}.anisotropic` knows one chart, but a cloth that is sewn has seams", item.key);
        item.report(message, Some("leave it out".to_owned()));
    }
    if let Some(material) = &material {
        check_tearing(&table, TearingParts { material, membrane, remesh }, surroundings, warnings);
    }
    if pressure != 0.0 {
        warn_of_pressure(&table, surroundings, warnings);
    }
    if surroundings.solver == Some(SolverChoice::Projective) {
        warn_of_projective(&table, (material.as_ref(), remesh.is_some()), warnings);
    }
    Some(SceneCloth {
        place: read_place(&table),
        velocity: table.vec3("velocity", DVec3::ZERO),
        angular_velocity: table.vec3("angular_velocity", DVec3::ZERO),
        pressure,
        volume,
        rest_curvature: rest_curvature.unwrap_or_default(),
        // Problems with pins are noted; the names of the cloths stay known for the probes.
        pins: pins.unwrap_or_default(),
        seams,
        remesh,
        membrane,
        scaling: read_scaling(&table, surroundings),
        compression: read_buckling(&table, membrane, surroundings),
        bending,
        break_force,
        projection: read_projection(&table, surroundings, warnings),
        name: name?,
        shape: shape?,
        material: material?,
    })
}

/// The bending model. The older methods have one each, unless the scene says that nothing bends.
fn read_bending(table: &TableReader<'_>, surroundings: Surroundings<'_>) -> BendingModel {
    let given = table.get("bending");
    let read = given.as_ref().and_then(|item| item.choice(&BENDING_MODELS));
    let Some((solver, own)) = surroundings.older_solver() else {
        if let (Some(item), Some(BendingModel::MeanCurvature)) = (given, read) {
            let message =
                format!("`{}` is \"mean_curvature\", which belongs to projective dynamics", item.key);
            item.report(message, Some("bending = \"curvature\", or solver = \"projective\"".to_owned()));
        }
        return read.unwrap_or_default();
    };
    if let (Some(item), Some(model)) = (given, read)
        && !solver.capabilities().bends_by(model)
    {
        let (solver, model, own) = (solver.name(), bending_name(model), bending_name(own));
        let kind = if own == "hinge" { "hinges" } else { "the mean curvature at vertices" };
        let message = format!("`{}` is {model:?}, but the solver {solver:?} bends by {kind} only", item.key);
        let help = format!("bending = {own:?} or \"none\", or solver = \"block\", \"global\" or \"direct\"");
        item.report(message, Some(help));
    }
    if read == Some(BendingModel::None) { BendingModel::None } else { own }
}

/// Refuses what the older methods do not know.
fn refuse_under_older(item: &Item<'_>, surroundings: Surroundings<'_>) {
    if let Some((solver, _)) = surroundings.older_solver() {
        let name = solver.name();
        let message = format!("`{}` means nothing to the solver {name:?}", item.key);
        let help = "it belongs to solver = \"block\", \"global\" or \"direct\"";
        item.report(message, Some(help.to_owned()));
    }
}

/// The stiffness of a cloth or a rope under PBD; under other solvers the keys are checked, and a warning says where it comes from.
pub(super) fn read_projection(
    table: &TableReader<'_>,
    surroundings: Surroundings<'_>,
    warnings: &mut Vec<String>,
) -> ProjectionStiffness {
    let default = ProjectionStiffness::default();
    let correction = match table.get("stiffness_correction").and_then(|item| item.boolean()) {
        Some(true) => StiffnessCorrection::PerSubstep,
        Some(false) | None => default.correction,
    };
    let read = ProjectionStiffness {
        stretch: table.number("stiffness", default.stretch, Range::Part),
        bend: table.number("bend_stiffness", default.bend, Range::Part),
        correction,
    };
    if surroundings.solver.is_none_or(|solver| solver == SolverChoice::Pbd) {
        return read;
    }
    for key in ["stiffness", "bend_stiffness", "stiffness_correction"] {
        if let Some(item) = table.get(key) {
            warnings.push(format!(
                "`{}` belongs to the solver \"pbd\" and has no effect here: stiffness comes from the material",
                item.key
            ));
        }
    }
    default
}

fn read_rest_curvature(
    item: &Item<'_>,
    bending: BendingModel,
    surroundings: Surroundings<'_>,
) -> Option<[f64; 3]> {
    let curvature = item.numbers::<3>(Range::Finite)?;
    if curvature != [0.0; 3] && surroundings.older_solver().is_some() {
        refuse_under_older(item, surroundings);
        return None;
    }
    if curvature != [0.0; 3] && !knows_rest_curvature(bending) {
        let name = bending_name(bending);
        let message = format!("`{}` means nothing to the bending model {name:?}", item.key);
        item.report(message, Some("for example bending = \"curvature\"".to_owned()));
        return None;
    }
    Some(curvature)
}

/// The name of a cloth or a rope.
pub(super) fn read_body_name(item: &Item<'_>) -> Option<String> {
    let name = item.string()?;
    if !is_safe_name(name) {
        let help = "allowed: letters, digits, - and _, because files are named after it".to_owned();
        item.report(format!("the name {name:?} cannot be part of a file name"), Some(help));
        return None;
    }
    Some(name.to_owned())
}

fn read_shape(table: &TableReader<'_>, folder: &Path) -> Option<ClothShape> {
    let given: Vec<&str> =
        ["grid", "mesh", "ball", "outline"].into_iter().filter(|key| table.get(key).is_some()).collect();
    if given.len() != 1 {
        let found = if given.is_empty() { "none".to_owned() } else { given.join(" and ") };
        let message = format!(
            "`{}` must have exactly one of grid, mesh, ball, outline, but has {found}",
            table.item.key
        );
        table
            .item
            .report(message, Some("for example grid = { size = [1.0, 1.0], cells = [32, 32] }".to_owned()));
        return None;
    }
    let uv_scale = table.get("uv_scale");
    if let Some(outline) = table.get("outline") {
        refuse_foreign(table, "uv_scale", "a mesh", "it scales the vt coordinates of `mesh`");
        return read_outline(table, &outline, folder);
    }
    for key in ["edge_length", "outline_scale"] {
        refuse_foreign(table, key, "an outline", "it belongs to `outline`, an SVG file with closed paths");
    }
    if let Some(mesh) = table.get("mesh") {
        let path = mesh.string()?;
        if path.is_empty() {
            mesh.report(format!("`{}` is empty", mesh.key), None);
            return None;
        }
        if MeshFormat::of(Path::new(path)) != MeshFormat::Obj {
            let message = format!("`{}` is {path:?}, but the mesh of a cloth must be an OBJ file", mesh.key);
            let help = "STL and PLY files have no material coordinates; they are for obstacles".to_owned();
            mesh.report(message, Some(help));
            return None;
        }
        let uv_scale = uv_scale.and_then(|item| item.number(Range::Positive)).unwrap_or(1.0);
        return Some(ClothShape::Mesh { path: absolute(&folder.join(path)), uv_scale });
    }
    refuse_foreign(table, "uv_scale", "a mesh", "it scales the vt coordinates of `mesh`");
    if let Some(ball) = table.get("ball") {
        return read_ball(&ball);
    }
    read_grid(&table.get("grid")?)
}

/// Refuses a key that belongs to another shape.
fn refuse_foreign(table: &TableReader<'_>, key: &str, needed: &str, help: &str) {
    if let Some(item) = table.get(key) {
        item.report(format!("`{}` needs {needed}", item.key), Some(help.to_owned()));
    }
}

fn read_outline(table: &TableReader<'_>, item: &Item<'_>, folder: &Path) -> Option<ClothShape> {
    let edge_length =
        table.require("edge_length", "edge_length = 0.02").and_then(|item| item.number(Range::Positive));
    let scale = match table.get("outline_scale") {
        Some(item) => Some(item.number(Range::Positive)?),
        None => None,
    };
    let path = item.string()?;
    if path.is_empty() {
        item.report(format!("`{}` is empty", item.key), None);
        return None;
    }
    Some(ClothShape::Outline { path: absolute(&folder.join(path)), edge_length: edge_length?, scale })
}

/// The path from the root of the file system; the path as it is if there is no current folder.
pub(super) fn absolute(path: &Path) -> PathBuf {
    std::path::absolute(path).unwrap_or_else(|_| path.to_owned())
}

fn read_grid(item: &Item<'_>) -> Option<ClothShape> {
    let table = item.table(&["size", "cells", "pattern"])?;
    let size = table.positive_pair("size", [1.0, 1.0]);
    let pattern = table.get("pattern").map_or(Some(GridPattern::Alternating), |item| {
        item.choice(&GridPattern::ALL.map(|pattern| (pattern.name(), pattern)))
    });
    let cells = match table.get("cells") {
        None => [32, 32],
        Some(item) => read_cells(&item)?,
    };
    Some(ClothShape::Grid { size: DVec2::from_array(size), cells, pattern: pattern? })
}

/// A radius, or three half axes; and how often the faces are divided.
fn read_ball(item: &Item<'_>) -> Option<ClothShape> {
    let table = item.table(&["radius", "level"])?;
    let radius = table.require("radius", "radius = 0.2, or [0.2, 0.1, 0.2]")?;
    let radius = match radius.value.kind {
        crate::document::Kind::Array(_) => DVec3::from_array(radius.numbers(Range::Positive)?),
        _ => DVec3::splat(radius.number(Range::Positive)?),
    };
    Some(ClothShape::Ball { radius, level: table.integer("level", 3, 0, MAX_LEVEL) as u32 })
}

fn read_cells(item: &Item<'_>) -> Option<[u32; 2]> {
    let read = item.array_of::<2>("whole numbers")?.map(|item| item.integer(1, u64::from(u32::MAX)));
    let [Some(u), Some(v)] = read else { return None };
    let count = u.saturating_mul(v);
    if count > MAX_CELLS {
        let help = format!("at most {MAX_CELLS} cells");
        item.report(format!("`{}` makes {count} cells", item.key), Some(help));
        return None;
    }
    Some([u as u32, v as u32])
}

fn read_pin(item: &Item<'_>, surroundings: Surroundings<'_>) -> Option<PinDescription> {
    let table = item.table(PIN_KEYS)?;
    let axes = table.get("axes").and_then(|item| read_axes(&item));
    let clamp = table.get("clamp").and_then(|item| read_clamp(&item, surroundings));
    let release = table.get("release").and_then(|item| item.number(Range::NotNegative));
    let strength = table.get("strength").and_then(|item| read_strength(&item, surroundings));
    let motion = read_motion(&table);
    let region =
        table.require("where", "where = { vertices = [0] }").and_then(|item| read_region(&item, &REGIONS));
    Some(PinDescription {
        region: region?,
        motion,
        axes: axes.unwrap_or([true; 3]),
        clamp: clamp.unwrap_or(false),
        release,
        strength,
    })
}

fn read_clamp(item: &Item<'_>, surroundings: Surroundings<'_>) -> Option<bool> {
    let clamp = item.boolean()?;
    if clamp {
        refuse_under_older(item, surroundings);
    }
    Some(clamp)
}

/// A force, which must be one that the solver knows: under PBD nothing pulls, and the material has no say.
pub(super) fn read_strength(item: &Item<'_>, surroundings: Surroundings<'_>) -> Option<f64> {
    let strength = item.number(Range::Positive)?;
    if surroundings.solver == Some(SolverChoice::Pbd) {
        let message = format!("`{}` is a force, but the solver \"pbd\" knows no forces", item.key);
        let help = "let go at a time with `release`, or take another solver, for example \"xpbd\"";
        item.report(message, Some(help.to_owned()));
    }
    Some(strength)
}

pub(super) fn read_axes(item: &Item<'_>) -> Option<[bool; 3]> {
    let [Some(x), Some(y), Some(z)] = item.array_of::<3>("booleans")?.map(|axis| axis.boolean()) else {
        return None;
    };
    if [x, y, z] == [false; 3] {
        let message = format!("`{}` has no axis that is true: the pin holds nothing", item.key);
        item.report(message, Some("at least one of the axes x, y, z must be true".to_owned()));
        return None;
    }
    Some([x, y, z])
}

/// Reads where a pin holds: by exactly one of the given `regions`.
pub(super) fn read_region(item: &Item<'_>, regions: &[&'static str]) -> Option<Region> {
    let table = item.table(regions)?;
    let given: Vec<&str> = regions.iter().copied().filter(|key| table.get(key).is_some()).collect();
    let [key] = given.as_slice() else {
        let found = if given.is_empty() { "none".to_owned() } else { given.join(" and ") };
        let message =
            format!("`{}` must have exactly one of {}, but has {found}", item.key, regions.join(", "));
        item.report(message, None);
        return None;
    };
    let region = table.get(key)?;
    match *key {
        "box" => {
            let [a, b] = region.array_of::<2>("corners [x, y, z]")?.map(|corner| corner.vec3());
            Some(Region::Box([a?, b?]))
        }
        "material_box" => {
            let [a, b] = region.array_of::<2>("corners [u, v]")?.map(|corner| corner.vec2());
            Some(Region::MaterialBox([a?, b?]))
        }
        "boundary" => {
            if !region.boolean()? {
                region.report(format!("`{}` is false, but must be true", region.key), None);
                return None;
            }
            Some(Region::Boundary)
        }
        _ => read_vertices(&region),
    }
}

pub(super) fn read_vertices(item: &Item<'_>) -> Option<Region> {
    let items = item.array()?;
    if items.is_empty() {
        item.report(format!("`{}` is empty: the pin would hold nothing", item.key), None);
        return None;
    }
    let numbers: Vec<Option<u64>> = items.iter().map(|item| item.integer(0, u64::from(u32::MAX))).collect();
    let numbers: Option<Vec<u64>> = numbers.into_iter().collect();
    Some(Region::Vertices(numbers?.into_iter().map(|number| number as u32).collect()))
}

/// Reads how a cloth is remeshed; `may_stretch` says whether one error makes the mesh anisotropic if the scene does not say.
fn read_remesh(item: &Item<'_>, may_stretch: bool) -> Option<RemeshSettings> {
    let table = item.table(REMESH_KEYS)?;
    let default = RemeshSettings::default();
    // Who gives thresholds wants them.
    let has_thresholds = THRESHOLD_KEYS.iter().any(|key| table.get(key).is_some());
    let unless_given = default.refine_error.filter(|_| !has_thresholds);
    let refine_error = table.number_or_off("refine_error", unless_given, Range::Positive);
    let settings = RemeshSettings {
        size_min: table.number("size_min", default.size_min, Range::Positive),
        size_max: table.number("size_max", default.size_max, Range::Positive),
        refine_angle: table.number("refine_angle", default.refine_angle, Range::Positive),
        refine_strain: table.number("refine_strain", default.refine_strain, Range::Positive),
        refine_compression: table.number_or_off(
            "refine_compression",
            default.refine_compression,
            Range::Positive,
        ),
        refine_velocity: table.number_or_off("refine_velocity", default.refine_velocity, Range::Positive),
        refine_obstacle: table.number_or_off("refine_obstacle", default.refine_obstacle, Range::Positive),
        refine_error,
        coarsen_unseen: table.number_or_off("coarsen_unseen", default.coarsen_unseen, Range::AtLeastOne),
        popping: table.number_or_off("popping", default.popping, Range::Positive),
        anisotropic: table.boolean("anisotropic", refine_error.is_some() && may_stretch),
        interval: table.integer("interval", u64::from(default.interval), 1, u64::from(u32::MAX)) as u32,
        max_vertices: table.integer("max_vertices", default.max_vertices as u64, 1, u64::from(u32::MAX))
            as usize,
    };
    if settings.refine_error.is_some() {
        for key in THRESHOLD_KEYS.iter().filter(|key| table.get(key).is_some()) {
            item.context.report(
                &reader::join_key(&item.key, key),
                format!("`{key}` is given, but `refine_error` takes its place"),
                Some("one of the two".to_owned()),
            );
        }
    }
    if settings.size_min > settings.size_max {
        let at = if table.get("size_min").is_some() { "size_min" } else { "size_max" };
        let message = format!(
            "size_min is {} m, which is greater than size_max, {} m",
            settings.size_min, settings.size_max
        );
        item.context.report(
            &reader::join_key(&item.key, at),
            message,
            Some("size_min ≤ size_max".to_owned()),
        );
    }
    Some(settings)
}
