//! Areas, lengths and shapes of the faces of a mesh.

use super::names::name_face;
use glam::{DVec2, DVec3};
use taffeta_core::TriangleMesh;
use taffeta_core::geometry::{doubled_area, flatten_triangle, triangle_quality};
use taffeta_io::ObjMesh;

/// A face whose height is below this part of its longest edge counts as degenerate. Scenes refuse such faces.
const DEGENERATE_HEIGHT: f64 = 1e-12;

/// The corners of every face in world space \[m\].
fn world_corners(mesh: &TriangleMesh) -> impl Iterator<Item = [DVec3; 3]> + '_ {
    mesh.faces.iter().map(|face| face.map(|v| mesh.positions[v as usize]))
}

/// The area in world space \[m²\].
pub(super) fn world_area(mesh: &TriangleMesh) -> f64 {
    world_corners(mesh).map(|[a, b, c]| 0.5 * (b - a).cross(c - a).length()).sum()
}

/// The area in material space \[m²\]; `None` without material coordinates.
pub(super) fn material_area(mesh: &TriangleMesh) -> Option<f64> {
    mesh.material.as_ref().map(|faces| faces.iter().map(|face| 0.5 * doubled_area(*face).abs()).sum())
}

/// The quality of every face in world space.
pub(super) fn world_qualities(mesh: &TriangleMesh) -> Vec<f64> {
    world_corners(mesh).map(|corners| quality(flatten_triangle(corners))).collect()
}

/// The quality of every face in material space; `None` without material coordinates.
pub(super) fn material_qualities(mesh: &TriangleMesh) -> Option<Vec<f64>> {
    mesh.material.as_ref().map(|faces| faces.iter().map(|face| quality(*face)).collect())
}

/// The quality of a face however it is turned; 0 for one that is a point.
fn quality(corners: [DVec2; 3]) -> f64 {
    let quality = triangle_quality(corners).abs();
    if quality.is_finite() { quality } else { 0.0 }
}

/// The faces without area in world or material space.
pub(super) fn degenerate_faces(mesh: &TriangleMesh) -> Vec<usize> {
    let in_world = world_corners(mesh).map(flatten_triangle).map(is_degenerate).collect::<Vec<_>>();
    let in_material = |face: usize| mesh.material.as_ref().is_some_and(|faces| is_degenerate(faces[face]));
    (0..mesh.faces.len()).filter(|face| in_world[*face] || in_material(*face)).collect()
}

fn is_degenerate(corners: [DVec2; 3]) -> bool {
    let [a, b, c] = corners;
    let longest = a.distance(b).max(b.distance(c)).max(c.distance(a));
    let doubled = doubled_area(corners).abs();
    doubled.is_nan() || doubled <= DEGENERATE_HEIGHT * longest * longest
}

/// Some faces of a panel: how many, and the first.
#[derive(Clone, Copy, Default)]
struct Side {
    count: usize,
    first: Option<usize>,
}

/// For each panel its faces that are as they should be in material space, and those that are mirrored.
fn count_sides(panels: &[u32], mirrored: &[bool], count: u32) -> Vec<[Side; 2]> {
    let mut sides = vec![[Side::default(); 2]; count as usize];
    for (face, (panel, mirrored)) in panels.iter().zip(mirrored).enumerate() {
        let side = &mut sides[*panel as usize][usize::from(*mirrored)];
        side.count += 1;
        side.first.get_or_insert(face);
    }
    sides
}

/// Describes the material coordinates, or says that there are none.
pub(super) fn describe_material(file: &ObjMesh) -> String {
    let mesh = &file.mesh;
    let Some(material) = &mesh.material else {
        return "no: the mesh is at rest as it is".to_owned();
    };
    let mut first: Vec<Option<DVec2>> = vec![None; mesh.positions.len()];
    let mut on_seam = vec![false; mesh.positions.len()];
    for (face, corners) in mesh.faces.iter().zip(material) {
        for (vertex, u) in face.iter().zip(corners) {
            let vertex = *vertex as usize;
            on_seam[vertex] |= *first[vertex].get_or_insert(*u) != *u;
        }
    }
    let seams = on_seam.iter().filter(|on_seam| **on_seam).count();
    let mirrored: Vec<bool> = material.iter().map(|corners| doubled_area(*corners) < 0.0).collect();
    let panels = mesh.panels();
    let count = panels.iter().max().map_or(0, |last| last + 1);
    let mut text = format!("yes; {count} {}", if count == 1 { "panel" } else { "panels" });
    text += &match seams {
        0 => "; no seams".to_owned(),
        _ => {
            let edges = mesh.seam_edge_count();
            let [edge, vertex] = [(edges, "edge", "edges"), (seams, "vertex", "vertices")]
                .map(|(n, one, many)| if n == 1 { one } else { many });
            format!("; {edges} seam {edge} with {seams} {vertex}")
        }
    };
    for (panel, sides) in count_sides(&panels, &mirrored, count).into_iter().enumerate() {
        // Most faces are as they should be; one of the others shows where the panel is folded.
        let [straight, turned] = sides;
        let folded = if turned.count < straight.count { turned.first } else { straight.first };
        if let Some(face) = folded.filter(|_| straight.count > 0 && turned.count > 0) {
            text += &format!("; panel {panel} is folded over (face of {})", name_face(file, face));
        }
    }
    let mirrored = mirrored.iter().filter(|mirrored| **mirrored).count();
    if mirrored > 0 {
        text += &format!("; {mirrored} faces are mirrored in material space");
    }
    text
}

/// Smallest, mean and largest of some numbers.
pub(super) struct Spread {
    min: f64,
    mean: f64,
    max: f64,
}

impl Spread {
    /// Spread of at least one number.
    pub(super) fn of(values: &[f64]) -> Self {
        Self {
            min: values.iter().copied().fold(f64::INFINITY, f64::min),
            mean: values.iter().sum::<f64>() / values.len() as f64,
            max: values.iter().copied().fold(f64::NEG_INFINITY, f64::max),
        }
    }

    /// In words, with a unit.
    pub(super) fn describe(&self, unit: &str) -> String {
        let Self { min, mean, max } = *self;
        format!("min {}, mean {}, max {}{unit}", short(min), short(mean), short(max))
    }
}

/// The worst and the mean quality.
pub(super) fn describe_quality(file: &ObjMesh, qualities: &[f64]) -> String {
    let mean = qualities.iter().sum::<f64>() / qualities.len() as f64;
    let worst = (0..qualities.len()).min_by(|a, b| qualities[*a].total_cmp(&qualities[*b])).unwrap_or(0);
    let (min, place) = (qualities.get(worst).copied().unwrap_or(0.0), name_face(file, worst));
    format!("min {} ({place}), mean {}; 1: equilateral, 0: flat", short(min), short(mean))
}

/// The box around the mesh.
pub(super) fn describe_box(mesh: &TriangleMesh) -> String {
    let [low, high] = mesh.bounds().unwrap_or_default();
    let triple = |p: DVec3| format!("[{}, {}, {}]", short(p.x), short(p.y), short(p.z));
    format!("{} to {} m, size {} m", triple(low), triple(high), triple(high - low))
}

/// A number with six significant digits, without trailing zeros.
fn short(value: f64) -> String {
    let rounded: f64 = format!("{value:.5e}").parse().unwrap_or(value);
    let size = rounded.abs();
    if size != 0.0 && !(1e-4..1e7).contains(&size) { format!("{rounded:e}") } else { rounded.to_string() }
}
