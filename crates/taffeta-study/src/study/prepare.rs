//! From a scene text and what varies to variants that are ready to run.

use super::choose::choose_points;
use super::elect::{NoCandidate, find_candidates};
use super::refine::assign_over;
use super::simulate::last_frame;
use super::variation::{Assignment, Axis, ShortNames, combine, parse_assignments, starts_with_key};
use super::{Reference, Study, StudyError, StudyOptions, Variant};
use std::path::{Path, PathBuf};
use taffeta_scene::{BuiltScene, Override, Scene, SceneError};
use taffeta_sim::{StopToken, World};

/// The word for the finest one of the variants with the most exact solver.
const FINEST: &str = "finest";

/// Solvers that can be a reference, the one first whose cost grows less with the mesh.
const EXACT: [&str; 2] = ["global", "direct"];

/// Reads and checks everything.
pub(super) fn prepare(text: &str, path: &Path, options: &StudyOptions) -> Result<Study, StudyError> {
    let axes = read_axes(&options.vary)?;
    let source = Source {
        text: text.to_owned(),
        path: path.to_owned(),
        overrides: read_overrides(&options.overrides)?,
        frames: options.frames,
        threads: options.threads,
    };
    let sets: Vec<(Vec<Assignment>, Option<Vec<usize>>)> = combine(&axes)
        .into_iter()
        .map(|choices| {
            let entries = axes.iter().zip(&choices).flat_map(|(axis, entry)| axis.entries[*entry].clone());
            (entries.collect(), Some(choices))
        })
        .collect();
    let extra = read_reference_assignments(options.reference.as_deref())?;
    let mut keys: Vec<String> = axes.iter().flat_map(Axis::keys).map(str::to_owned).collect();
    for assignment in extra.iter().flatten() {
        if !keys.contains(&assignment.key) {
            keys.push(assignment.key.clone());
        }
    }
    let names = ShortNames::of(&keys);
    let mut variants: Vec<Variant> = Vec::new();
    let mut meshes: Vec<Assembled> = Vec::new();
    let mut add = |assignments: Vec<Assignment>, choices| {
        let (variant, built) = source.read(names.label(&assignments), assignments, choices)?;
        if variants.iter().any(|other| other.label == variant.label) {
            return Err(StudyError::SameVariant { label: variant.label });
        }
        variants.push(variant);
        meshes.push(built);
        Ok(())
    };
    for (assignments, choices) in sets {
        add(assignments, choices)?;
    }
    let named = options.reference.as_deref().filter(|text| *text != FINEST);
    let found = match named {
        Some(text) => find_reference(&variants, text, extra.as_deref(), &names)?,
        // A single variant is refused below.
        None if variants.len() < 2 => Some(Reference::FinestOf(vec![0])),
        None => Some(Reference::FinestOf(elect(&source, &variants, &meshes, &names)?)),
    };
    let reference = match found {
        Some(reference) => reference,
        None => {
            let (variant, built) = source.read_reference(extra.unwrap_or_default(), &names)?;
            variants.push(variant);
            meshes.push(built);
            Reference::Variant(variants.len() - 1)
        }
    };
    if let [only] = variants.as_slice() {
        return Err(StudyError::OneVariant { label: only.label.clone() });
    }
    let scenes: Vec<BuiltScene> = meshes.into_iter().map(|assembled| assembled.scene).collect();
    let (points, tracked) = choose_points(&variants, &scenes)?;
    let mut warnings: Vec<String> = scenes.into_iter().flat_map(|built| built.warnings).collect();
    warnings.sort();
    warnings.dedup();
    let name = path.file_stem().map_or("scene".to_owned(), |name| name.to_string_lossy().into_owned());
    let rounds = options.repeat.max(1);
    let is_checked = !options.skip_check;
    Ok(Study {
        stop_token: StopToken::default(),
        name,
        axes,
        variants,
        points,
        tracked,
        warnings,
        rounds,
        names,
        reference,
        source,
        is_checked,
    })
}

/// The variants that may be the reference, or what to write where none may.
fn elect(
    source: &Source,
    variants: &[Variant],
    meshes: &[Assembled],
    names: &ShortNames,
) -> Result<Vec<usize>, StudyError> {
    let solvers: Vec<&str> = meshes.iter().map(|assembled| assembled.solver).collect();
    let why = match find_candidates(variants, &solvers) {
        Ok(candidates) => return Ok(candidates),
        Err(why) => why,
    };
    let mut distinct = solvers.clone();
    distinct.sort_unstable();
    distinct.dedup();
    let reason = match why {
        NoCandidate::Inexact => format!(
            "no solver among the variants is exact ({}), so that the finest of them need not be the nearest to the truth",
            distinct.join(", ")
        ),
        NoCandidate::SolversVary => format!(
            "the variants differ in their solvers ({}) and not in their meshes, and which of them is right is what is asked",
            distinct.join(", ")
        ),
    };
    let finest = (0..variants.len()).max_by_key(|&n| (meshes[n].vertices, std::cmp::Reverse(n))).unwrap_or(0);
    let exact = EXACT.into_iter().find_map(|solver| {
        let solver = Assignment { key: "simulation.solver".to_owned(), value: solver.to_owned() };
        let assignments = assign_over(&variants[finest].assignments, &[solver]);
        source.read(names.label(&assignments), assignments.clone(), None).ok()?;
        let words: Vec<String> = assignments.iter().map(Assignment::to_string).collect();
        Some(words.join("/"))
    });
    Err(StudyError::NoReference { reason, exact, label: variants[finest].label.clone() })
}

fn read_axes(texts: &[String]) -> Result<Vec<Axis>, StudyError> {
    let axes = texts.iter().map(|text| Axis::parse(text)).collect::<Result<Vec<_>, _>>()?;
    if axes.is_empty() {
        return Err(StudyError::NothingVaries);
    }
    for (number, axis) in axes.iter().enumerate() {
        let earlier: Vec<&str> = axes[..number].iter().flat_map(Axis::keys).collect();
        if let Some(key) = axis.keys().into_iter().find(|key| earlier.contains(key)) {
            return Err(StudyError::TwoAxes { key: key.to_owned() });
        }
    }
    Ok(axes)
}

fn read_overrides(texts: &[String]) -> Result<Vec<Override>, StudyError> {
    texts.iter().map(|text| Override::parse(text)).collect::<Result<_, _>>().map_err(StudyError::Setting)
}

/// The reference as assignments with whole key paths; `None` if it is a name.
fn read_reference_assignments(text: Option<&str>) -> Result<Option<Vec<Assignment>>, StudyError> {
    let Some(text) = text.filter(|text| starts_with_key(text)) else { return Ok(None) };
    let fail = |reason| StudyError::Reference { text: text.to_owned(), reason };
    let assignments = parse_assignments(text).map_err(fail)?;
    // A key path has two words at least; a single word is the short name in a label.
    Ok(assignments.iter().all(|a| a.key.contains('.')).then_some(assignments))
}

/// The variant that is meant; `None` if the assignments are those of no variant.
fn find_reference(
    variants: &[Variant],
    text: &str,
    assignments: Option<&[Assignment]>,
    names: &ShortNames,
) -> Result<Option<Reference>, StudyError> {
    // In any order, with whole or short keys; or the label as it is printed.
    let words = |assignments: &[Assignment]| {
        let mut words: Vec<String> =
            assignments.iter().map(|a| names.label(std::slice::from_ref(a))).collect();
        words.sort();
        words
    };
    let wanted = assignments.map(words).or_else(|| parse_assignments(text).ok().map(|a| words(&a)));
    let is_meant = |variant: &Variant| variant.label == text || wanted == Some(words(&variant.assignments));
    let found = variants.iter().position(is_meant);
    if found.is_none() && assignments.is_none() {
        let labels: Vec<String> = variants.iter().map(|variant| format!("\n    {}", variant.label)).collect();
        let reason = format!(
            "no variant has this name\n  = allowed: {FINEST}, values as in simulation.solver=direct/simulation.substeps=16, \
             or a variant:{}",
            labels.concat()
        );
        return Err(StudyError::Reference { text: text.to_owned(), reason });
    }
    Ok(found.map(Reference::Variant))
}

/// Source from which variants are read.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Source {
    text: String,
    path: PathBuf,
    overrides: Vec<Override>,
    frames: Option<u64>,
    threads: Option<usize>,
}

/// A variant as it starts.
pub(super) struct Assembled {
    scene: BuiltScene,
    /// The solver in use.
    solver: &'static str,
    /// Vertices of all bodies.
    vertices: usize,
}

impl Source {
    /// Reads a variant and checks it.
    pub(super) fn read(
        &self,
        label: String,
        assignments: Vec<Assignment>,
        choices: Option<Vec<usize>>,
    ) -> Result<(Variant, Assembled), StudyError> {
        let mut overrides = self.overrides.clone();
        for assignment in &assignments {
            let text = assignment.to_string();
            overrides.push(Override::parse(&text).map_err(|error| match error {
                SceneError::Override { text, reason } => StudyError::Vary { text, reason },
                source => StudyError::Scene { label: label.clone(), source },
            })?);
        }
        let in_variant = |source| StudyError::Scene { label: label.clone(), source };
        let mut scene = Scene::from_str(&self.text, &self.path, &overrides).map_err(in_variant)?;
        if let Some(threads) = self.threads {
            scene.simulation.settings.threads = threads;
        }
        let built = scene.assemble().map_err(in_variant)?;
        let world = World::build(&built.world)
            .map_err(|source| StudyError::Build { label: label.clone(), source })?;
        let assembled =
            Assembled { scene: built, solver: world.solver_name(), vertices: world.vertex_count() };
        let last_frame = last_frame(&scene, self.frames);
        Ok((Variant { label, assignments, choices, scene, last_frame }, assembled))
    }

    /// Reads a reference that is none of the variants.
    fn read_reference(
        &self,
        assignments: Vec<Assignment>,
        names: &ShortNames,
    ) -> Result<(Variant, Assembled), StudyError> {
        let label = names.label(&assignments);
        self.read(label, assignments, None).map_err(|error| match error {
            StudyError::Vary { text, reason } => StudyError::Reference { text, reason },
            other => other,
        })
    }
}
