//! A scene with twice the substeps, or on a mesh twice as fine, as assignments that a user could write.

use super::Assignment;
use super::simulate::Run;
use taffeta_remesh::RemeshSettings;
use taffeta_scene::{ClothShape, Scene, SolidShape};

/// Faces of a cloth that is twice as fine, for one.
const CLOTH_FACTOR: f64 = 4.0;
/// Tetrahedra of a solid that is twice as fine, for one.
const SOLID_FACTOR: f64 = 8.0;
/// Segments of a rope that is twice as fine, for one.
const ROPE_FACTOR: f64 = 2.0;

/// Changes that make a scene finer.
#[derive(Clone, Debug, Default, PartialEq)]
pub(super) struct Finer {
    pub changes: Vec<Assignment>,
    /// By how much it takes longer, about.
    pub factor: f64,
    /// Names of the bodies that stay as they are: their meshes come from files and do not adapt.
    pub unrefined: Vec<String>,
}

impl Finer {
    fn set(&mut self, key: String, value: impl std::fmt::Display) {
        self.changes.push(Assignment { key, value: value.to_string() });
    }
}

/// Twice the substeps of a run; where they follow from the motion, twice the most that a step took. `None` for an equilibrium,
/// and if no step was made.
pub(super) fn more_substeps(scene: &Scene, run: &Run) -> Option<Finer> {
    let most = run.frames.iter().map(|frame| frame.cost.substeps).max().filter(|&most| most > 0)?;
    if scene.simulation.is_static() {
        return None;
    }
    let substeps = 2 * scene.simulation.settings.substeps.unwrap_or(most);
    let made = run.total(|cost| f64::from(cost.substeps));
    let mut finer = Finer { factor: f64::from(substeps) * run.steps() as f64 / made, ..Finer::default() };
    finer.set("simulation.substeps".to_owned(), substeps);
    Some(finer)
}

/// Meshes with edges half as long. `None` if there is no body whose mesh can be made finer.
pub(super) fn finer_mesh(scene: &Scene) -> Option<Finer> {
    let mut finer = Finer { factor: 1.0, ..Finer::default() };
    for (number, cloth) in scene.cloths.iter().enumerate() {
        let key = |rest: &str| format!("cloth.{number}.{rest}");
        let before = finer.changes.len();
        match &cloth.shape {
            ClothShape::Grid { cells: [a, b], .. } => {
                finer.set(key("grid.cells"), format!("[{}, {}]", 2 * a, 2 * b));
            }
            ClothShape::Ball { level, .. } => finer.set(key("ball.level"), level + 1),
            ClothShape::Outline { edge_length, .. } | ClothShape::Garment { edge_length, .. } => {
                finer.set(key("edge_length"), 0.5 * edge_length);
            }
            ClothShape::Mesh { .. } => {}
        }
        if let Some(settings) = &cloth.remesh {
            halve_sizes(&mut finer, &key("remesh"), settings);
        }
        note(&mut finer, before, &cloth.name, CLOTH_FACTOR);
    }
    for (number, rope) in scene.ropes.iter().enumerate() {
        let before = finer.changes.len();
        finer.set(format!("rope.{number}.segments"), 2 * rope.shape.segment_count());
        note(&mut finer, before, &rope.name, ROPE_FACTOR);
    }
    for (number, solid) in scene.solids.iter().enumerate() {
        let before = finer.changes.len();
        if let SolidShape::Box { cells: [a, b, c], .. } = &solid.shape {
            finer.set(format!("solid.{number}.box.cells"), format!("[{}, {}, {}]", 2 * a, 2 * b, 2 * c));
        }
        note(&mut finer, before, &solid.name, SOLID_FACTOR);
    }
    (!finer.changes.is_empty()).then_some(finer)
}

/// Notes a body: how much longer it takes, or that it stays as it is.
fn note(finer: &mut Finer, before: usize, name: &str, factor: f64) {
    if finer.changes.len() == before {
        finer.unrefined.push(name.to_owned());
    } else {
        finer.factor = finer.factor.max(factor);
    }
}

/// Sizes that make the edges of an adaptive cloth half as long. Thresholds are differences along an edge; the one error goes
/// with the square of the length.
fn halve_sizes(finer: &mut Finer, key: &str, settings: &RemeshSettings) {
    let RemeshSettings { size_min, size_max, refine_angle, refine_strain, max_vertices, .. } = settings;
    let mut set = |name: &str, value: f64| finer.set(format!("{key}.{name}"), value);
    set("size_min", 0.5 * size_min);
    set("size_max", 0.5 * size_max);
    match settings.refine_error {
        Some(error) => set("refine_error", 0.25 * error),
        None => {
            set("refine_angle", 0.5 * refine_angle);
            set("refine_strain", 0.5 * refine_strain);
            let thresholds = [
                ("refine_compression", settings.refine_compression),
                ("refine_velocity", settings.refine_velocity),
                ("refine_obstacle", settings.refine_obstacle),
            ];
            for (name, value) in thresholds {
                value.into_iter().for_each(|value| set(name, 0.5 * value));
            }
        }
    }
    finer.set(format!("{key}.max_vertices"), max_vertices.saturating_mul(4));
}

/// Assignments with others on top of them, in the place of those of the same key.
pub(super) fn assign_over(base: &[Assignment], changes: &[Assignment]) -> Vec<Assignment> {
    let is_kept = |old: &&Assignment| changes.iter().all(|new| new.key != old.key);
    base.iter().filter(is_kept).chain(changes).cloned().collect()
}
