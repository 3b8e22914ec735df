//! From a scene text and what varies to variants that are ready to run.

use super::points::{LATTICE, Locator, PointOnCloth, StudyPoint, lattice, material_bounds};
use super::simulate::last_frame;
use super::variation::{Assignment, Axis, ShortNames, combine, parse_assignments, starts_with_key};
use super::{Reference, Study, StudyError, StudyOptions, TrackedPoint, Variant};
use glam::DVec2;
use std::path::Path;
use taffeta_scene::{BuiltScene, Override, PlacedProbe, RopeProbe, Scene, SceneError};
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
    let (points, tracked) = choose_points(&meshes)?;
    let mut warnings: Vec<String> = meshes.into_iter().flat_map(|built| built.warnings).collect();
    warnings.sort();
    warnings.dedup();
    let name = path.file_stem().map_or("scene".to_owned(), |name| name.to_string_lossy().into_owned());
    Ok(Study { name, axes, variants, points, tracked, warnings, names, reference })
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

/// The lattices and probes that lie on the sheets of all variants.
fn choose_points(built: &[BuiltScene]) -> Result<(Vec<StudyPoint>, Vec<TrackedPoint>), StudyError> {
    let cloth_count = built.iter().map(|scene| scene.world.cloths.len()).min().unwrap_or(0);
    let mut points: Vec<PointOnCloth> = Vec::new();
    let mut tracked = Vec::new();
    for cloth in 0..cloth_count {
        let bounds: Option<Vec<[DVec2; 2]>> =
            built.iter().map(|scene| material_bounds(&scene.world.cloths[cloth].mesh)).collect();
        let locators: Option<Vec<Locator>> =
            built.iter().map(|scene| Locator::build(&scene.world.cloths[cloth].mesh)).collect();
        let (Some(bounds), Some(locators)) = (bounds, locators) else { continue };
        let common = bounds.into_iter().reduce(|[a, b], [low, high]| [a.max(low), b.min(high)]);
        let Some(common) = common.filter(|[low, high]| low.cmple(*high).all()) else { continue };
        let on_all = |point: &DVec2| locators.iter().all(|l| l.find_on_sheet(*point).is_some());
        let first = points.len();
        points.extend(lattice(common).filter(on_all).map(|material| PointOnCloth { cloth, material }));
        let name = &built[0].world.cloths[cloth].name;
        tracked.extend(landmarks(&points, first, common, (cloth_count > 1).then_some(name)));
    }
    let probes = &built[0].probes;
    let same = |a: &PlacedProbe, b: &PlacedProbe| a.name == b.name && a.cloth == b.cloth;
    let is_common =
        |probe: &&PlacedProbe| built.iter().all(|scene| scene.probes.iter().any(|other| same(other, probe)));
    let probes: Vec<&PlacedProbe> = probes.iter().filter(is_common).collect();
    if !probes.is_empty() {
        tracked.clear();
    }
    for probe in probes {
        tracked.push(TrackedPoint { name: probe.name.clone(), point: points.len() });
        points.push(PointOnCloth { cloth: probe.cloth, material: probe.material });
    }
    let mut all: Vec<StudyPoint> = points.into_iter().map(StudyPoint::OnCloth).collect();
    add_rope_points(built, &mut all, &mut tracked);
    if all.is_empty() { Err(StudyError::NoPoints) } else { Ok((all, tracked)) }
}

/// The points of the ropes that all variants have, and the probes on them.
fn add_rope_points(built: &[BuiltScene], points: &mut Vec<StudyPoint>, tracked: &mut Vec<TrackedPoint>) {
    let rope_count = built.iter().map(|scene| scene.world.ropes.len()).min().unwrap_or(0);
    let has_probes = built.iter().any(|scene| !scene.rope_probes.is_empty());
    for rope in 0..rope_count {
        let first = points.len();
        let at = |k: usize| k as f64 / (LATTICE - 1) as f64;
        points.extend((0..LATTICE).map(|k| StudyPoint::OnRope { rope, at: at(k) }));
        let name = &built[0].world.ropes[rope].name;
        let landmarks = [("first end", 0), ("middle", LATTICE / 2), ("last end", LATTICE - 1)];
        for (place, k) in landmarks.into_iter().filter(|_| !has_probes) {
            let name = if rope_count > 1 { format!("{name}, {place}") } else { place.to_owned() };
            tracked.push(TrackedPoint { name, point: first + k });
        }
    }
    let is_common = |probe: &&RopeProbe| built.iter().all(|scene| scene.rope_probes.contains(probe));
    for probe in built[0].rope_probes.iter().filter(is_common) {
        tracked.push(TrackedPoint { name: probe.name.clone(), point: points.len() });
        points.push(StudyPoint::OnRope { rope: probe.rope, at: probe.at });
    }
}

/// The points nearest to the corners and the middle of a box in material space, each once.
fn landmarks(
    points: &[PointOnCloth],
    first: usize,
    [low, high]: [DVec2; 2],
    cloth: Option<&String>,
) -> Vec<TrackedPoint> {
    let places = [
        ("lower left", DVec2::new(0.0, 0.0)),
        ("lower right", DVec2::new(1.0, 0.0)),
        ("middle", DVec2::new(0.5, 0.5)),
        ("upper left", DVec2::new(0.0, 1.0)),
        ("upper right", DVec2::new(1.0, 1.0)),
    ];
    let mut found: Vec<TrackedPoint> = Vec::new();
    for (name, at) in places {
        let wanted = low + (high - low) * at;
        let distance = |number: &usize| points[*number].material.distance(wanted);
        let nearest = (first..points.len()).min_by(|a, b| distance(a).total_cmp(&distance(b)));
        if let Some(point) = nearest.filter(|point| found.iter().all(|other| other.point != *point)) {
            let name = cloth.map_or(name.to_owned(), |cloth| format!("{cloth}, {name}"));
            found.push(TrackedPoint { name, point });
        }
    }
    found
}
