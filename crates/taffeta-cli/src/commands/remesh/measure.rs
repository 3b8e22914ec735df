//! Shape of the result, for the report.

use super::input::Input;
use glam::{DVec2, DVec3};
use taffeta_mesh::HalfedgeMesh;
use taffeta_remesh::OutputArrays;

/// The smallest angle of a face \[rad\], in material space or, where there is none, in space.
pub(super) fn smallest_angle(arrays: &OutputArrays) -> f64 {
    let corners: Vec<[DVec3; 3]> = if arrays.material.is_empty() {
        arrays.faces.iter().map(|face| face.map(|v| arrays.positions[v as usize].into())).collect()
    } else {
        let place = |point: u32| DVec2::from(arrays.material[point as usize]).extend(0.0);
        arrays.material_faces.iter().map(|face| face.map(place)).collect()
    };
    let angles = corners.iter().flat_map(|x| {
        [0, 1, 2].map(|k| {
            let (p, q) = (x[(k + 1) % 3] - x[k], x[(k + 2) % 3] - x[k]);
            p.angle_between(q)
        })
    });
    angles.fold(f64::INFINITY, f64::min)
}

/// By how much the area has changed, and the volume of a closed surface.
pub(super) fn changes(arrays: &OutputArrays, input: &Input) -> String {
    let before: Vec<[DVec3; 3]> =
        input.mesh.faces.iter().map(|face| face.map(|v| input.mesh.positions[v as usize])).collect();
    let after: Vec<[DVec3; 3]> =
        arrays.faces.iter().map(|face| face.map(|v| arrays.positions[v as usize].into())).collect();
    let percent = |of: fn(&[[DVec3; 3]]) -> f64| 100.0 * (of(&after) / of(&before) - 1.0);
    let built = HalfedgeMesh::from_triangles(arrays.positions.len(), &arrays.faces);
    let is_closed = built.is_ok_and(|built| built.mesh.edge_keys().all(|e| !built.mesh.is_boundary_edge(e)));
    let area = format!("area {:+.2} %, ", percent(area));
    if is_closed { format!("{area}volume {:+.2} %, ", percent(volume)) } else { area }
}

fn area(faces: &[[DVec3; 3]]) -> f64 {
    faces.iter().map(|[a, b, c]| 0.5 * (*b - *a).cross(*c - *a).length()).sum()
}

/// Enclosed by a closed surface; about a corner of it, as a surface far from the origin would have no digits left.
fn volume(faces: &[[DVec3; 3]]) -> f64 {
    let origin = faces.first().map_or(DVec3::ZERO, |[a, ..]| *a);
    faces.iter().map(|x| x.map(|x| x - origin)).map(|[a, b, c]| a.dot(b.cross(c)) / 6.0).sum()
}
