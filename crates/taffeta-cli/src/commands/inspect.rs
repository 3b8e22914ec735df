//! `taffeta inspect`: contents and defects of an OBJ, STL or PLY file.
//!
//! Vertices are named by their numbers in the file, counted from 1 as in the file. Faces are named by their lines, in STL and
//! PLY files by their numbers from 1.

mod measure;
mod names;
mod seams;
mod surface;

use crate::failure::Failure;
use glam::DVec3;
use measure::{Spread, describe_box, describe_quality};
use names::{NAMED, count_and_name, name_faces};
use std::collections::BTreeSet;
use std::path::Path;
use surface::Surface;
use taffeta_contact::crossings::{edge_pierces_face, find_crossings};
use taffeta_contact::elements::Elements;
use taffeta_core::TriangleMesh;
use taffeta_io::{MeshFormat, ObjMesh, read_mesh, read_polyline};
use taffeta_scene::scene::{doubt_mesh_layout, doubt_mesh_size};

/// Width of the first column.
const LABEL_WIDTH: usize = 22;

/// Describes an OBJ, STL or PLY file.
///
/// # Errors
/// If the file cannot be read as a mesh.
pub fn inspect(path: &Path) -> Result<String, Failure> {
    if MeshFormat::of(path) == Ok(MeshFormat::Obj)
        && let Some(lines) = read_polyline(path).map_err(|error| Failure::usage(&error))?
    {
        return Ok(format!("{}\n{}", path.display(), describe_lines(&lines)));
    }
    let file = read_mesh(path).map_err(|error| Failure::usage(&error))?;
    Ok(format!("{}\n{}", path.display(), describe(&file)))
}

/// Describes the panels of an OBJ file, an SVG drawing or a sewing pattern, meshed at an edge length \[m\], and draws them into a file.
///
/// # Errors
/// If the file cannot be read, the length is not positive, or the picture cannot be written.
pub fn inspect_seams(path: &Path, edge_length: f64, picture: Option<&Path>) -> Result<String, Failure> {
    if !(edge_length.is_finite() && edge_length > 0.0) {
        return Err(Failure::Usage(format!("--edge-length is {edge_length}, but must be greater than 0")));
    }
    seams::inspect_seams(path, edge_length, picture)
}

/// The report on a mesh, a line per property.
pub fn describe(file: &ObjMesh) -> String {
    let mesh = &file.mesh;
    let surface = Surface::measure(mesh);
    let mut report = Report::default();
    report.add("vertices", mesh.positions.len().to_string());
    report.add("isolated vertices", describe_isolated(file));
    if !file.other_elements.is_empty() {
        report.add("other elements", format!("{}; they are left out", file.other_elements.join(", ")));
    }
    report.add("faces", mesh.faces.len().to_string());
    report.add("edges", surface.edge_count.to_string());
    report.add("components", surface.components.to_string());
    report.add("boundary edges", surface.boundary_edges.to_string());
    report.add("boundary loops", surface.describe_loops());
    report.add("manifold", surface.describe_manifoldness(file));
    report.add("material coordinates", measure::describe_material(file));
    report.add("area, world", format!("{:.6} m²", measure::world_area(mesh)));
    if let Some(area) = measure::material_area(mesh) {
        report.add("area, material", format!("{area:.6} m² (vt in meters)"));
    }
    report.add("edge lengths, world", Spread::of(&surface.edge_lengths(mesh)).describe(" m"));
    if let Some(lengths) = surface.material_lengths(mesh) {
        report.add("edge lengths, material", Spread::of(&lengths).describe(" m"));
    }
    report.add("quality, world", describe_quality(file, &measure::world_qualities(mesh)));
    if let Some(qualities) = measure::material_qualities(mesh) {
        report.add("quality, material", describe_quality(file, &qualities));
    }
    report.add("degenerate faces", name_faces(file, &measure::degenerate_faces(mesh)));
    report.add("bounding box", describe_box(mesh));
    report.add("self-crossings", describe_crossings(file));
    for doubt in doubt_mesh_size(mesh).into_iter().chain(doubt_mesh_layout(mesh)) {
        report.add("warning", doubt);
    }
    report.text
}

/// Describes the intersections of edges with faces with which they share no vertex, by exact predicates. An edge that meets the
/// rim of a face, or ends on it, counts once for each face there: a mesh must not touch itself when a run starts.
fn describe_crossings(file: &ObjMesh) -> String {
    let mesh = &file.mesh;
    let mut elements = Elements::default();
    elements.add_triangles(mesh.positions.len(), &mesh.faces, |_| 0);
    let crossings = find_crossings(&elements, &mesh.positions, |_, _| true);
    if crossings.is_empty() {
        return "none".to_owned();
    }
    let crossed: BTreeSet<_> = crossings.iter().map(|crossing| crossing.face).collect();
    let faces: Vec<_> = (0..mesh.faces.len()).filter(|face| crossed.contains(&mesh.faces[*face])).collect();
    let x = |v: u32| mesh.positions[v as usize];
    let through = crossings.iter().filter(|c| edge_pierces_face(c.edge.map(x), c.face.map(x))).count();
    let touching = match crossings.len() - through {
        0 => String::new(),
        touching => format!(" ({through} go through its inside, {touching} only touch its rim or end on it)"),
    };
    format!("{} of an edge and a face{touching}; faces: {}", crossings.len(), name_faces(file, &faces))
}

/// The report on polylines: ropes, which have no faces.
fn describe_lines(lines: &[Vec<DVec3>]) -> String {
    let segments = lines.iter().flat_map(|line| line.windows(2).map(|pair| pair[0].distance(pair[1])));
    let lengths: Vec<f64> = segments.collect();
    let mut report = Report::default();
    let closed = lines.iter().filter(|line| line.first() == line.last()).count();
    report.add("polylines", format!("{} ({closed} closed); no faces", lines.len()));
    report.add("vertices", lines.iter().map(Vec::len).sum::<usize>().to_string());
    report.add("segments", lengths.len().to_string());
    report.add("length, world", format!("{:.6} m", lengths.iter().sum::<f64>()));
    report.add("segment lengths, world", Spread::of(&lengths).describe(" m"));
    let turns: Vec<f64> = lines.iter().flat_map(|line| line.windows(3).map(turn)).collect();
    let sharpest = turns.iter().copied().fold(0.0, f64::max);
    report.add("sharpest turn", format!("{:.1}°", sharpest.to_degrees()));
    let degenerate = lengths.iter().filter(|length| **length == 0.0).count();
    report
        .add("degenerate segments", if degenerate == 0 { "none".to_owned() } else { degenerate.to_string() });
    let positions = lines.iter().flatten().copied().collect();
    report.add("bounding box", describe_box(&TriangleMesh { positions, ..TriangleMesh::default() }));
    report.text
}

/// The angle by which a polyline turns at the middle of three points \[rad\].
fn turn(points: &[DVec3]) -> f64 {
    let (a, b) = (points[1] - points[0], points[2] - points[1]);
    a.cross(b).length().atan2(a.dot(b))
}

/// Lines with a label and a value.
#[derive(Default)]
struct Report {
    text: String,
}

impl Report {
    fn add(&mut self, label: &str, value: String) {
        self.text += &format!("  {label:LABEL_WIDTH$}  {value}\n");
    }
}

fn describe_isolated(file: &ObjMesh) -> String {
    if file.dropped_vertices == 0 {
        return "none".to_owned();
    }
    let total = file.source_vertices.len() + file.dropped_vertices;
    let isolated = (0..total as u32).filter(|number| file.source_vertices.binary_search(number).is_err());
    let names: Vec<String> = isolated.take(NAMED).map(|number| format!("vertex {}", number + 1)).collect();
    format!("{}; they are left out", count_and_name(file.dropped_vertices, &names))
}

#[cfg(test)]
mod tests {
    use super::*;
    use taffeta_io::parse_obj;

    fn report(text: &str) -> String {
        describe(&parse_obj(text, Path::new("a.obj")).unwrap())
    }

    #[track_caller]
    fn expect(report: &str, label: &str, value: &str) {
        let line = report.lines().find(|line| line.trim_start().starts_with(label));
        let line = line.unwrap_or_else(|| panic!("no {label} in\n{report}"));
        assert!(line.contains(value), "{value:?} is not in {line:?}");
    }

    const SQUARE: &str = "v 0 0 0\nv 1 0 0\nv 1 1 0\nv 0 1 0\n";

    #[test]
    fn a_square_is_described() {
        let report = report(&format!("{SQUARE}v 9 9 9\nf 1 2 3\nf 1 3 4\n"));
        expect(&report, "vertices", " 4");
        expect(&report, "isolated vertices", "1 (vertex 5)");
        expect(&report, "faces", " 2");
        expect(&report, "edges", " 5");
        expect(&report, "components", " 1");
        expect(&report, "boundary loops", "1 (4 edges)");
        expect(&report, "manifold", "yes");
        expect(&report, "material coordinates", "no");
        expect(&report, "area, world", "1.000000 m²");
        expect(&report, "edge lengths, world", "min 1, mean 1.08284, max 1.41421");
        expect(&report, "degenerate faces", "none");
        expect(&report, "self-crossings", "none");
    }

    #[test]
    fn a_fin_is_named_by_its_lines() {
        let report = report(&format!("{SQUARE}f 1 2 3\nf 1 3 4\nv 0.5 0.5 1\nf 1 3 5\n"));
        expect(&report, "manifold", "no: 1 edge has more than two faces");
        expect(&report, "manifold", "vertex 1");
        expect(&report, "manifold", "line 8");
        expect(&report, "boundary loops", "not defined");
    }

    #[test]
    fn turned_faces_bow_ties_and_flat_faces_are_found() {
        let turned = report(&format!("{SQUARE}f 1 2 3\nf 1 4 3\n"));
        expect(&turned, "manifold", "no: the faces of line 5 and line 6");
        let bow_tie = report("v 0 0 0\nv 1 0 0\nv 0 1 0\nv -1 0 0\nv 0 -1 0\nf 1 2 3\nf 1 4 5\n");
        expect(&bow_tie, "manifold", "meet only at vertex 1");
        expect(&bow_tie, "components", " 2");
        let flat = report(&format!("{SQUARE}f 1 2 3\nf 1 3 4\nv 2 0 0\nf 1 2 5\n"));
        expect(&flat, "degenerate faces", "1 (line 8)");
    }

    #[test]
    fn crossings_are_counted_and_named() {
        let report =
            report(&format!("{SQUARE}f 1 2 3\nf 1 3 4\nv 0.6 0.3 1\nv 0.6 0.3 -1\nv 3 0.3 0\nf 5 6 7\n"));
        // Its long side goes through the first face, and the side of that face between 2 and 3 through it.
        expect(&report, "self-crossings", "2 of an edge and a face; faces: 2 (line 5, line 10)");
    }

    #[test]
    fn seams_and_mirrored_faces_are_counted() {
        let vt = "vt 0 0\nvt 1 0\nvt 1 1\nvt 5 5\nvt 4 5\nvt 5 4\n";
        let report = report(&format!("{SQUARE}{vt}f 1/1 2/2 3/3\nf 1/4 3/5 4/6\n"));
        expect(&report, "material coordinates", "yes; 2 panels; 1 seam edge with 2 vertices");
        expect(&report, "area, material", "1.000000");
    }
}
