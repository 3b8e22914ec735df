//! Reading, checking and building a scene, before anything is written.

use super::starts::{StartInside, find_starts_inside};
use crate::args::{RunOptions, SceneChanges};
use crate::failure::Failure;
use crate::log::{self, warn};
use std::path::{Path, PathBuf};
use taffeta_contact::crossings::Crossing;
use taffeta_scene::{ClothShape, Override, PlacedProbe, Scene, SceneError, SolidProbe};
use taffeta_sim::{BuildError, MAX_THREADS, SimulationSettings, World, queries};

/// Warning for runs of a solver without contact between cloths, unless the scene says that it wants none.
const NO_SELF_CONTACT: &str = "the solver projective knows obstacles only: a cloth can pass through itself and other cloths; \
     `contact.self = false` says that this is wanted";

/// Crossings at the start that a warning names.
const NAMED_CROSSINGS: usize = 3;

/// Warning for runs with pins of limited strength if the solver is local.
const ROUGH_FORCES: &str = "this solver overestimates the forces on pins, several times in a stiff cloth, so that \
     pins with a `strength` let go too early; use solver = \"direct\" or \"global\", or many more substeps";

/// A scene that is ready to be simulated.
pub(super) struct Prepared {
    /// The scene file as given.
    pub path: PathBuf,
    /// The scene.
    pub scene: Scene,
    /// Identity of the scene.
    pub scene_hash: String,
    /// Identity of the scene apart from its duration: what a run that is continued must share.
    pub motion_hash: String,
    /// The probes on their meshes.
    pub probes: Vec<PlacedProbe>,
    /// The probes on solids, at points of the placed rest shapes.
    pub solid_probes: Vec<SolidProbe>,
    /// Warnings about the scene.
    pub warnings: Vec<String>,
    /// The cloths that start inside obstacles.
    pub starts_inside: Vec<StartInside>,
    /// The world at time 0.
    pub world: World,
    /// Threads of the solver.
    pub threads: usize,
    /// The last frame of the run.
    pub last_frame: u64,
    /// The result folder.
    pub root: PathBuf,
    /// True if frames are written in a format that holds everything of them.
    pub complete: bool,
}

impl Prepared {
    /// Checks everything and builds the world. `warnings` gets those of a scene that is refused.
    pub(super) fn build(
        mut scene: Scene,
        options: &RunOptions,
        warnings: &mut Vec<String>,
    ) -> Result<Self, Failure> {
        let before = scene.simulation.settings.clone();
        if options.draft {
            scene.make_draft();
        }
        let built = scene.assemble().map_err(|error| {
            warnings.extend_from_slice(error.warnings());
            Failure::usage(&error)
        })?;
        warnings.extend(built.warnings);
        if !options.quiet {
            built.notes.iter().for_each(|note| log::say(note.clone()));
        }
        let scene_hash = scene.hash().map_err(|error| Failure::usage(&error))?;
        let motion_hash = hash_motion(&scene).map_err(|error| Failure::usage(&error))?;
        let mut description = built.world;
        description.simulation.threads = choose_threads(description.simulation.threads, warnings);
        let world =
            World::build(&description).map_err(|error| refuse_world(&options.scene, &scene, &error))?;
        if scene.contact.self_contact.is_none() && !world.capabilities().meetings {
            warnings.push(NO_SELF_CONTACT.to_owned());
        }
        warnings.extend(describe_crossings(&world));
        let starts_inside = find_starts_inside(&scene, &world);
        warnings.extend(starts_inside.iter().map(|start| start.warning.clone()));
        if world.capabilities().is_local() && has_weak_pins(&scene) {
            warnings.push(ROUGH_FORCES.to_owned());
        }
        if options.draft {
            warnings.extend(describe_vain_draft(&scene, &before, &world));
        }
        warnings.dedup();
        Ok(Self {
            path: options.scene.clone(),
            scene_hash,
            motion_hash,
            probes: built.probes,
            solid_probes: built.solid_probes,
            warnings: std::mem::take(warnings),
            starts_inside,
            world,
            threads: description.simulation.threads,
            last_frame: choose_last_frame(options.frames, &scene),
            complete: options.complete,
            root: options.out.clone().unwrap_or_else(|| default_folder(&options.scene)),
            scene,
        })
    }
}

/// A warning of a draft that is the scene itself, whose settings were others `before`.
fn describe_vain_draft(scene: &Scene, before: &SimulationSettings, world: &World) -> Option<String> {
    let reason = if !queries::knows_its_error(world) {
        format!("the solver {} takes its substeps from the mesh and not from `accuracy`", world.solver_name())
    } else if scene.simulation.is_static() {
        "an equilibrium is found without `accuracy`".to_owned()
    } else if scene.simulation.settings == *before {
        "the `accuracy` of the scene is as rough already".to_owned()
    } else {
        return None;
    };
    let is_remeshed = scene.cloths.iter().any(|cloth| cloth.remesh.is_some());
    (!is_remeshed).then(|| {
        format!(
            "--draft changes nothing: {reason}, and no cloth is remeshed; a coarser mesh makes the run faster"
        )
    })
}

/// The last frame of the run: what the command line asks for, but no frame comes after an equilibrium.
fn choose_last_frame(asked: Option<u64>, scene: &Scene) -> u64 {
    let last = scene.last_frame();
    match asked {
        Some(frames) if scene.simulation.is_static() => frames.min(last),
        Some(frames) => frames,
        None => last,
    }
}

/// The number of threads for what the scene asks. Chosen here and not by the world, so that the summary can tell it.
pub fn choose_threads(asked: usize, warnings: &mut Vec<String>) -> usize {
    if asked > MAX_THREADS {
        warnings.push(format!("{asked} threads are too many: the run takes {MAX_THREADS}"));
    }
    match asked {
        0 => std::thread::available_parallelism().map_or(1, usize::from).min(MAX_THREADS),
        _ => asked.min(MAX_THREADS),
    }
}

/// `out/` and the name of the scene file without its ending.
fn default_folder(scene: &Path) -> PathBuf {
    Path::new("out").join(scene.file_stem().unwrap_or("scene".as_ref()))
}

/// Describes oddities at the start of a scene.
pub fn describe_start(scene: &Scene, world: &World) -> Vec<String> {
    let starts = find_starts_inside(scene, world).into_iter().map(|start| start.warning);
    describe_crossings(world).into_iter().chain(starts).collect()
}

/// Reads and checks a scene file, with what the command line changes of it.
pub(crate) fn read_scene(path: &Path, changes: &SceneChanges) -> Result<Scene, Failure> {
    let overrides = changes.overrides().map(|text| Override::parse(text)).collect::<Result<Vec<_>, _>>();
    let overrides = overrides.map_err(|error| Failure::usage(&error))?;
    if path.is_dir() {
        return Err(Failure::Usage(format!(
            "{} is a folder, but must be a scene file; `taffeta new NAME` writes one",
            path.display()
        )));
    }
    let mut scene = Scene::from_file(path, &overrides).map_err(|error| {
        warn(error.warnings());
        refuse_scene(path, &error)
    })?;
    if let Some(threads) = changes.threads {
        scene.simulation.settings.threads = usize::from(threads);
    }
    Ok(scene)
}

/// Refusal of a scene that was read from a file.
pub fn refuse_scene(path: &Path, error: &SceneError) -> Failure {
    match error {
        SceneError::File { .. } if !path.exists() => {
            Failure::Usage(format!("{error}\n  = `taffeta new NAME` writes a starter scene"))
        }
        _ => Failure::usage(error),
    }
}

/// Returns whether a pin can be overloaded.
fn has_weak_pins(scene: &Scene) -> bool {
    let of_cloths = scene.cloths.iter().flat_map(|cloth| &cloth.pins);
    let of_solids = scene.solids.iter().flat_map(|solid| &solid.pins);
    let mut pins = of_cloths.chain(scene.ropes.iter().flat_map(|rope| &rope.pins)).chain(of_solids);
    pins.any(|pin| pin.strength.is_some())
}

/// The hash of all that decides how the cloth moves from frame to frame, and what is written about it.
fn hash_motion(scene: &Scene) -> Result<String, SceneError> {
    let mut timeless = scene.clone();
    timeless.simulation.duration = 1.0;
    timeless.hash()
}

/// The refusal of a world, with the mesh file to look at.
pub fn refuse_world(path: &Path, scene: &Scene, error: &BuildError) -> Failure {
    let mut text = format!("{}: {error}", path.display());
    if let BuildError::Mesh { cloth, .. } = error {
        let shape = scene.cloths.iter().find(|c| c.name == *cloth).map(|c| &c.shape);
        if let Some(ClothShape::Mesh { path, .. }) = shape {
            text += &format!("\n  = `taffeta inspect {}` says more about the mesh", path.display());
        }
    }
    Failure::Usage(text)
}

/// A warning of what crosses at the start.
fn describe_crossings(world: &World) -> Option<String> {
    let crossings = world.crossings().filter(|crossings| !crossings.is_empty())?;
    let x = queries::contact_positions(world);
    let place = |crossing: &Crossing| {
        let [p, q] = crossing.edge.map(|v| x[v as usize]);
        let middle = 0.5 * (p + q);
        format!("[{:.4}, {:.4}, {:.4}]", middle.x, middle.y, middle.z)
    };
    let named: Vec<String> = crossings.iter().take(NAMED_CROSSINGS).map(place).collect();
    let more = if crossings.len() > named.len() { ", …" } else { "" };
    Some(format!(
        "cloths cross themselves, each other or obstacles at the start, in {} places where an edge meets a face (near {}{more}); what crosses is not kept apart",
        crossings.len(),
        named.join(", ")
    ))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn absurd_numbers_of_threads_are_cut_with_a_warning() {
        let mut warnings = Vec::new();
        assert_eq!(choose_threads(3, &mut warnings), 3);
        assert!(choose_threads(0, &mut warnings) >= 1 && warnings.is_empty());
        assert_eq!(choose_threads(60_000, &mut warnings), MAX_THREADS);
        assert!(warnings[0].contains("60000 threads"));
    }

    #[test]
    fn results_go_to_a_folder_named_after_the_scene() {
        assert_eq!(default_folder(Path::new("scenes/drape.toml")), Path::new("out/drape"));
    }
}
