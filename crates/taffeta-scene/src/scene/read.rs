//! From a document to a scene: simulation, contact, air, probes, output.

use super::read_cloth::Surroundings;
use super::read_material::MaterialLibrary;
use super::{
    ContactSettings, DEFAULT_CHECKPOINT_EVERY, OutputSettings, Probe, RopeProbe, Scene, SceneCloth,
    SceneRope, SceneSolid, Simulation, SolidProbe, camera, read_cloth, read_obstacle, read_rope, read_solid,
};
use crate::document::Document;
use crate::error::SceneError;
use crate::reader::{Context, Item, Range, TableReader, quoted_list};
use glam::DVec2;
use std::path::Path;
use taffeta_io::Format;
use taffeta_sim::{ACCURACIES, ACCURACY_RANGE, Air, Mode, SimulationSettings, SolverChoice, TimeIntegration};

const TOP_KEYS: &[&str] = &[
    "$schema",
    "simulation",
    "cloth",
    "rope",
    "solid",
    "materials",
    "obstacle",
    "contact",
    "air",
    "probe",
    "camera",
    "output",
];
const SIMULATION_KEYS: &[&str] = &[
    "mode",
    "duration",
    "frame_rate",
    "solver",
    "accuracy",
    "substeps",
    "iterations",
    "time",
    "gravity",
    "velocity_damping",
    "threads",
    "seed",
];
/// The solvers, in the order in which messages name them.
pub(crate) const SOLVERS: [SolverChoice; 7] = [
    SolverChoice::Auto,
    SolverChoice::Global,
    SolverChoice::Block,
    SolverChoice::Direct,
    SolverChoice::Xpbd,
    SolverChoice::Pbd,
    SolverChoice::Projective,
];
/// More frames than this are taken for a mistake: five days at 24 frames per second.
const MAX_FRAMES: u64 = 10_000_000;
/// Longest frame \[s\]: no number of substeps makes sense of a longer one.
const LONGEST_FRAME: f64 = 3600.0;
/// Substeps of a frame and iterations of a substep that a scene may ask for: more is a mistake, and would run for days.
pub(crate) const MAX_REPEATS: u64 = 1_000_000;
/// More threads than this are taken for a mistake.
pub(crate) const MAX_THREADS: u64 = 65_536;

/// Reads a whole scene.
pub(super) fn read_scene(document: Document) -> Result<Scene, SceneError> {
    let context = Context::new(&document);
    let mut warnings = Vec::new();
    let scene = read_parts(&context, &mut warnings);
    context.finish()?;
    let Some(mut scene) = scene else { unreachable!("a scene that cannot be read has a problem") };
    scene.warnings = warnings;
    Ok(scene)
}

/// Reads all parts, for those who look at the context afterwards.
#[cfg(test)]
pub(crate) fn read_with(context: &Context<'_>) {
    read_parts(context, &mut Vec::new());
}

fn read_parts(context: &Context<'_>, warnings: &mut Vec<String>) -> Option<Scene> {
    let top = context.root().table(TOP_KEYS)?;
    let simulation = read_simulation(&top);
    let materials = MaterialLibrary::read(&top);
    let items = top.tables("cloth");
    let rope_items = top.tables("rope");
    let is_empty = |key: &str| top.get(key).is_none_or(|item| item.array().is_some());
    let solid_items = top.tables("solid");
    let nothing = items.is_empty() && rope_items.is_empty() && solid_items.is_empty();
    if nothing && ["cloth", "rope", "solid"].into_iter().all(is_empty) {
        let help = "for example [[cloth]] with name, grid and material, [[rope]] or [[solid]]".to_owned();
        top.item.report("the scene has no cloth, no rope and no solid".to_owned(), Some(help));
    }
    let folder = context.document.path.parent().unwrap_or(Path::new(""));
    let solver = simulation.as_ref().map(|simulation| simulation.settings.solver);
    let is_static = simulation.as_ref().is_some_and(|simulation| simulation.is_static());
    let surroundings = Surroundings { folder, materials: &materials, solver, is_static };
    let cloths: Vec<SceneCloth> =
        items.iter().filter_map(|item| read_cloth::read_cloth(item, surroundings, warnings)).collect();
    let ropes: Vec<SceneRope> =
        rope_items.iter().filter_map(|item| read_rope::read_rope(item, surroundings, warnings)).collect();
    let solids: Vec<SceneSolid> =
        solid_items.iter().filter_map(|item| read_solid::read_solid(item, surroundings, warnings)).collect();
    if let Some(simulation) = &simulation {
        let closed = cloths.iter().position(|cloth| cloth.volume.is_some());
        let closed = closed.map(|number| ("volumes of closed cloths", format!("cloth.{number}.volume")));
        let solid = (!solids.is_empty()).then(|| ("solids", "solid.0".to_owned()));
        if let Some((what, key)) = solid.or(closed) {
            read_solid::check_sweeping(&top.item, simulation, (what, &key));
        }
    }
    let bodies: Vec<Item<'_>> = items.iter().chain(&rope_items).chain(&solid_items).cloned().collect();
    let names = cloths.iter().map(|cloth| cloth.name.as_str());
    let names = names.chain(ropes.iter().map(|rope| rope.name.as_str()));
    note_duplicates(context, &bodies, names.chain(solids.iter().map(|solid| solid.name.as_str())));
    let known = Known {
        cloths: cloths.iter().map(|cloth| cloth.name.as_str()).collect(),
        ropes: ropes.iter().map(|rope| rope.name.as_str()).collect(),
        solids: solids.iter().map(|solid| solid.name.as_str()).collect(),
        is_complete: cloths.len() == items.len()
            && ropes.len() == rope_items.len()
            && solids.len() == solid_items.len(),
    };
    let AllProbes { probes, rope_probes, solid_probes } = read_probes(&top, &known);
    let (obstacles, jumps) = read_obstacle::read_obstacles(&top, surroundings);
    warnings.extend(jumps);
    warnings.extend(materials.unused());
    let has_all_cloths = cloths.len() == items.len();
    let scene = Scene {
        simulation: simulation?,
        cloths,
        ropes,
        solids,
        obstacles,
        contact: read_contact(&top),
        air: read_air(&top),
        probes,
        rope_probes,
        solid_probes,
        camera: camera::read_camera(&top),
        output: read_output(&top),
        warnings: Vec::new(),
        document: context.document.clone(),
    };
    if has_all_cloths {
        scene.check_view(&items);
    }
    Some(scene)
}

fn read_simulation(top: &TableReader<'_>) -> Option<Simulation> {
    let Some(item) = top.get("simulation") else {
        let help = "for example [simulation] with duration = 4.0".to_owned();
        top.item.report("`simulation.duration` is missing".to_owned(), Some(help));
        return None;
    };
    let table = item.table(SIMULATION_KEYS)?;
    let settings = read_settings(&table);
    check_solver(&table, &settings);
    let is_static = settings.mode == Mode::Static;
    let duration = match is_static {
        true => table.get("duration"),
        false => table.require("duration", "duration = 4.0"),
    };
    let duration = duration.and_then(|item| item.number(Range::Positive));
    let simulation = Simulation {
        // A duration does no harm in a static scene, where no time passes.
        duration: if is_static { 0.0 } else { duration? },
        frame_rate: table.number("frame_rate", 60.0, Range::Positive),
        seed: table.integer("seed", 0, 0, u64::MAX),
        settings,
    };
    if simulation.frame_time() > LONGEST_FRAME {
        let message = format!(
            "`simulation.frame_rate` is {}, but a frame may last {LONGEST_FRAME} s at most",
            simulation.frame_rate
        );
        table.item.context.report("simulation.frame_rate", message, None);
    } else {
        check_frames(&table, &simulation);
    }
    Some(simulation)
}

/// Refuses what solvers other than Newton's method cannot do where the scene insists on it.
fn check_solver(table: &TableReader<'_>, settings: &SimulationSettings) {
    if settings.solver.capabilities().second_order {
        return;
    }
    let name = settings.solver.name();
    let others = "solver = \"global\" or \"direct\"";
    if settings.time == TimeIntegration::Bdf2 {
        let message = format!(
            "`simulation.time` is \"bdf2\", but the solver is {name:?}, which knows implicit Euler only"
        );
        let help = format!("BDF2 belongs to the global and direct solvers: {others}, or time = \"euler\"");
        table.item.context.report("simulation.time", message, Some(help));
    }
    if settings.mode == Mode::Static {
        let message = format!(
            "`simulation.mode` is \"static\", but the solver is {name:?}, which follows motions only"
        );
        let help = format!("equilibria belong to the global and direct solvers: {others}");
        table.item.context.report("simulation.mode", message, Some(help));
    }
}

fn check_frames(table: &TableReader<'_>, simulation: &Simulation) {
    let frames = simulation.last_frame();
    if (1..=MAX_FRAMES).contains(&frames) {
        return;
    }
    let size = if frames == 0 { "less than one frame".to_owned() } else { format!("{frames} frames") };
    let message = format!(
        "`simulation.duration` of {} s at {} frames per second is {size}",
        simulation.duration, simulation.frame_rate
    );
    let help = format!("allowed: 1 to {MAX_FRAMES} frames");
    table.item.context.report("simulation.duration", message, Some(help));
}

fn read_settings(table: &TableReader<'_>) -> SimulationSettings {
    let default = SimulationSettings::default();
    let mode = table
        .get("mode")
        .and_then(|item| item.choice(&[("dynamic", Mode::Dynamic), ("static", Mode::Static)]));
    let solver = table.get("solver").and_then(|item| item.choice(&SOLVERS.map(|s| (s.name(), s))));
    let time = table.get("time").and_then(|item| {
        item.choice(&[
            ("auto", TimeIntegration::Auto),
            ("euler", TimeIntegration::Euler),
            ("bdf2", TimeIntegration::Bdf2),
        ])
    });
    SimulationSettings {
        mode: mode.unwrap_or_default(),
        solver: solver.unwrap_or_default(),
        time: time.unwrap_or_default(),
        accuracy: table.get("accuracy").and_then(|item| read_accuracy(&item)).unwrap_or(default.accuracy),
        substeps: table.get("substeps").and_then(|item| read_auto_count(&item)),
        iterations: table.get("iterations").and_then(|item| read_auto_count(&item)),
        gravity: table.vec3("gravity", default.gravity),
        velocity_damping: table.number("velocity_damping", default.velocity_damping, Range::NotNegative),
        threads: table.integer("threads", 0, 0, MAX_THREADS) as usize,
    }
}

/// The name of an accuracy, or a number.
fn read_accuracy(item: &Item<'_>) -> Option<f64> {
    if let crate::document::Kind::String(_) = item.value.kind {
        return item.choice(&ACCURACIES);
    }
    let (least, most) = ACCURACY_RANGE;
    let number = item.number(Range::Finite)?;
    if (least..=most).contains(&number) {
        return Some(number);
    }
    let names = ACCURACIES.map(|(name, _)| format!("{name:?}")).join(", ");
    item.report(format!("`{}` is {number}, but must be {names} or from {least} to {most}", item.key), None);
    None
}

/// `"auto"` or a whole number of at least 1.
fn read_auto_count(item: &Item<'_>) -> Option<u32> {
    if item.value.kind == crate::document::Kind::String("auto".to_owned()) {
        return None;
    }
    if let crate::document::Kind::Integer(_) = item.value.kind {
        return item.integer(1, MAX_REPEATS).map(|count| count as u32);
    }
    let found = item.value.describe();
    item.report(
        format!("`{}` is {found}, but must be \"auto\" or a whole number of at least 1", item.key),
        None,
    );
    None
}

fn read_contact(top: &TableReader<'_>) -> ContactSettings {
    let table = top.get("contact").and_then(|item| item.table(&["self", "thickness"]));
    let get = |key: &str| table.as_ref().and_then(|table| table.get(key));
    ContactSettings {
        self_contact: get("self").and_then(|item| item.boolean()),
        thickness: get("thickness").and_then(|item| item.number(Range::Positive)),
    }
}

fn read_air(top: &TableReader<'_>) -> Air {
    let default = Air::default();
    let Some(table) = top.get("air").and_then(|item| item.table(&["density", "wind", "drag"])) else {
        return default;
    };
    Air {
        density: table.number("density", default.density, Range::NotNegative),
        wind: table.vec3("wind", default.wind),
        drag: table.number("drag", default.drag, Range::NotNegative),
    }
}

/// The bodies that probes can name. With a broken one the names are incomplete: then only the other keys are checked.
struct Known<'a> {
    cloths: Vec<&'a str>,
    ropes: Vec<&'a str>,
    solids: Vec<&'a str>,
    is_complete: bool,
}

/// A probe on a cloth, a rope or a solid.
enum AnyProbe {
    Cloth(Probe),
    Rope(RopeProbe),
    Solid(SolidProbe),
}

/// All probes by kind.
#[derive(Default)]
struct AllProbes {
    probes: Vec<Probe>,
    rope_probes: Vec<RopeProbe>,
    solid_probes: Vec<SolidProbe>,
}

fn read_probes(top: &TableReader<'_>, known: &Known<'_>) -> AllProbes {
    let items = top.tables("probe");
    let read: Vec<AnyProbe> = items.iter().filter_map(|item| read_probe(item, known)).collect();
    let name = |probe: &AnyProbe| match probe {
        AnyProbe::Cloth(probe) => probe.name.clone(),
        AnyProbe::Rope(probe) => probe.name.clone(),
        AnyProbe::Solid(probe) => probe.name.clone(),
    };
    let names: Vec<String> = read.iter().map(name).collect();
    note_duplicates(top.item.context, &items, names.iter().map(String::as_str));
    let mut all = AllProbes::default();
    for probe in read {
        match probe {
            AnyProbe::Cloth(probe) => all.probes.push(probe),
            AnyProbe::Rope(probe) => all.rope_probes.push(probe),
            AnyProbe::Solid(probe) => all.solid_probes.push(probe),
        }
    }
    all
}

fn read_probe(item: &Item<'_>, known: &Known<'_>) -> Option<AnyProbe> {
    let table = item.table(&["name", "cloth", "material", "panel", "rope", "at", "solid", "point"])?;
    let name = table.require("name", "name = \"center\"").and_then(|item| read_name(&item));
    let is_on_solid = table.get("solid").is_some();
    let is_on_rope = !is_on_solid && table.get("rope").is_some();
    let others = match (is_on_rope, is_on_solid) {
        (true, _) => &["cloth", "material", "panel", "solid", "point"][..],
        (_, true) => &["cloth", "material", "panel", "rope", "at"],
        _ => &["rope", "at", "solid", "point"],
    };
    for foreign in others.iter().filter_map(|key| table.get(key)) {
        let message = format!(
            "`{}` does not go with a probe on a {}",
            foreign.key,
            match (is_on_rope, is_on_solid) {
                (true, _) => "rope",
                (_, true) => "solid",
                _ => "cloth",
            }
        );
        let help =
            "a probe has cloth and material = [u, v], rope and at = 0 to 1, or solid and point = [x, y, z]";
        foreign.report(message, Some(help.to_owned()));
    }
    if is_on_solid {
        let solid = table.require("solid", "solid = \"solid\"");
        let solid = solid.and_then(|item| find_body(&item, ("solid", &known.solids), known.is_complete));
        let point = table.require("point", "point = [0.1, 0.1, 0.1]").and_then(|item| item.vec3());
        return Some(AnyProbe::Solid(SolidProbe { name: name?.to_owned(), solid: solid?, point: point? }));
    }
    if is_on_rope {
        let rope = table.require("rope", "rope = \"rope\"");
        let rope = rope.and_then(|item| find_body(&item, ("rope", &known.ropes), known.is_complete));
        let at = table.require("at", "at = 0.5").and_then(|item| item.number(Range::Part));
        return Some(AnyProbe::Rope(RopeProbe { name: name?.to_owned(), rope: rope?, at: at? }));
    }
    let cloth = table.require("cloth", "cloth = \"sheet\"");
    let cloth = cloth.and_then(|item| find_body(&item, ("cloth", &known.cloths), known.is_complete));
    let material = table.require("material", "material = [0.5, 0.5]").and_then(|item| item.vec2());
    let (name, material) = (name?.to_owned(), material.unwrap_or(DVec2::ZERO));
    let panel = table.get("panel").and_then(|item| item.integer(0, u64::from(u32::MAX)));
    let panel = panel.and_then(|panel| u32::try_from(panel).ok());
    Some(AnyProbe::Cloth(Probe { name, cloth: cloth?, panel, material }))
}

fn find_body(item: &Item<'_>, (kind, names): (&str, &[&str]), is_complete: bool) -> Option<usize> {
    let name = item.string()?;
    let found = names.iter().position(|other| *other == name);
    if found.is_none() && is_complete {
        let message = format!("`{}` names the unknown {kind} {name:?}", item.key);
        item.report(message, Some(format!("{kind}s of the scene: {}", quoted_list(names))));
    }
    found
}

/// A name that is not empty and has no control characters.
pub(super) fn read_name<'a>(item: &Item<'a>) -> Option<&'a str> {
    let name = item.string()?;
    if name.trim().is_empty() || name.chars().any(char::is_control) {
        item.report(format!("`{}` is {name:?}, but must be a readable name", item.key), None);
        return None;
    }
    Some(name)
}

/// Notes every table whose `name` an earlier one has. `names` are those of the readable tables.
fn note_duplicates<'n>(context: &Context<'_>, items: &[Item<'_>], names: impl Iterator<Item = &'n str>) {
    let names: Vec<&str> = names.collect();
    if names.len() != items.len() {
        return;
    }
    for (index, name) in names.iter().enumerate() {
        if names[..index].contains(name) {
            let key = format!("{}.name", items[index].key);
            let message = format!("the name {name:?} is used twice");
            context.report(&key, message, Some("every name must be given once".to_owned()));
        }
    }
}

fn read_output(top: &TableReader<'_>) -> OutputSettings {
    let default =
        OutputSettings { formats: vec![Format::Obj], every: 1, checkpoint_every: DEFAULT_CHECKPOINT_EVERY };
    let keys = ["formats", "every", "checkpoint_every"];
    let Some(table) = top.get("output").and_then(|item| item.table(&keys)) else {
        return default;
    };
    let formats = table.get("formats").and_then(|item| read_formats(&item));
    OutputSettings {
        formats: formats.unwrap_or(default.formats),
        every: table.integer("every", 1, 1, u64::from(u32::MAX)) as u32,
        checkpoint_every: table.number("checkpoint_every", default.checkpoint_every, Range::NotNegative),
    }
}

fn read_formats(item: &Item<'_>) -> Option<Vec<Format>> {
    let named = Format::ALL.map(|format| (format.name(), Some(format)));
    let words: Vec<(&str, Option<Format>)> = named.into_iter().chain([("none", None)]).collect();
    let mut formats = Vec::new();
    let items = item.array()?;
    for word in &items {
        if let Some(format) = word.choice(&words)? {
            if !formats.contains(&format) {
                formats.push(format);
            }
        } else if items.len() > 1 {
            word.report("`none` excludes other formats".to_owned(), None);
            return None;
        }
    }
    Some(formats)
}
