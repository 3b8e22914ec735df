//! From a scene text and what varies to variants that are ready to run.

use super::choose::choose_points;
use super::simulate::last_frame;
use super::variation::{Assignment, Axis, ShortNames, combine, parse_assignments, starts_with_key};
use super::{Reference, Study, StudyError, StudyOptions, Variant};
use std::path::Path;
use taffeta_scene::{BuiltScene, Override, Scene, SceneError};
use taffeta_sim::World;

/// The word for the variant with the most vertices.
const FINEST: &str = "finest";

/// Reads and checks everything.
pub(super) fn prepare(text: &str, path: &Path, options: &StudyOptions) -> Result<Study, StudyError> {
    let axes = read_axes(&options.vary)?;
    let reader = Reader { text, path, options, overrides: read_overrides(&options.overrides)? };
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
    let mut meshes: Vec<BuiltScene> = Vec::new();
    let mut add = |assignments: Vec<Assignment>, choices| {
        let (variant, built) = reader.read(names.label(&assignments), assignments, choices)?;
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
    let reference = match find_reference(&variants, options.reference.as_deref(), extra.as_deref(), &names)? {
        Some(reference) => reference,
        None => {
            let (variant, built) = reader.read_reference(extra.unwrap_or_default(), &names)?;
            variants.push(variant);
            meshes.push(built);
            Reference::Variant(variants.len() - 1)
        }
    };
    if let [only] = variants.as_slice() {
        return Err(StudyError::OneVariant { label: only.label.clone() });
    }
    let (points, tracked) = choose_points(&variants, &meshes)?;
    let mut warnings: Vec<String> = meshes.into_iter().flat_map(|built| built.warnings).collect();
    warnings.sort();
    warnings.dedup();
    let name = path.file_stem().map_or("scene".to_owned(), |name| name.to_string_lossy().into_owned());
    let rounds = options.repeat.max(1);
    Ok(Study { name, axes, variants, points, tracked, warnings, rounds, names, reference })
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
    text: Option<&str>,
    assignments: Option<&[Assignment]>,
    names: &ShortNames,
) -> Result<Option<Reference>, StudyError> {
    let Some(text) = text.filter(|text| *text != FINEST) else { return Ok(Some(Reference::Finest)) };
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

/// Reads variants.
struct Reader<'a> {
    text: &'a str,
    path: &'a Path,
    options: &'a StudyOptions,
    overrides: Vec<Override>,
}

impl Reader<'_> {
    fn read(
        &self,
        label: String,
        assignments: Vec<Assignment>,
        choices: Option<Vec<usize>>,
    ) -> Result<(Variant, BuiltScene), StudyError> {
        let mut overrides = self.overrides.clone();
        for assignment in &assignments {
            let text = assignment.to_string();
            overrides.push(Override::parse(&text).map_err(|error| match error {
                SceneError::Override { text, reason } => StudyError::Vary { text, reason },
                source => StudyError::Scene { label: label.clone(), source },
            })?);
        }
        let in_variant = |source| StudyError::Scene { label: label.clone(), source };
        let mut scene = Scene::from_str(self.text, self.path, &overrides).map_err(in_variant)?;
        if let Some(threads) = self.options.threads {
            scene.simulation.settings.threads = threads;
        }
        let built = scene.assemble().map_err(in_variant)?;
        World::build(&built.world).map_err(|source| StudyError::Build { label: label.clone(), source })?;
        let last_frame = last_frame(&scene, self.options.frames);
        Ok((Variant { label, assignments, choices, scene, last_frame }, built))
    }

    /// Reads a reference that is none of the variants.
    fn read_reference(
        &self,
        assignments: Vec<Assignment>,
        names: &ShortNames,
    ) -> Result<(Variant, BuiltScene), StudyError> {
        let label = names.label(&assignments);
        self.read(label, assignments, None).map_err(|error| match error {
            StudyError::Vary { text, reason } => StudyError::Reference { text, reason },
            other => other,
        })
    }
}
