//! Vertices of a mesh file at one place become one.

use std::collections::HashMap;
use taffeta_core::TriangleMesh;
use taffeta_core::components::Components;
use taffeta_io::obj::ObjMesh;

/// Vertices at one place, up to round-off, relative to the mesh.
const SAME_PLACE: f64 = 1e-9;

/// Smallest side of a cell, relative to the coordinates: their last digit.
const LAST_DIGIT: f64 = 1e-15;

/// For each vertex the first one at its place: within a distance \[m\] of it, or in a chain of such.
fn find_firsts(mesh: &TriangleMesh, distance: f64) -> Vec<u32> {
    let positions = &mesh.positions;
    let largest = positions.iter().map(|p| p.abs().max_element()).fold(0.0, f64::max);
    let side = distance.max(LAST_DIGIT * largest).max(f64::MIN_POSITIVE);
    let mut joined = Components::new(positions.len());
    // Cells of that side, each with the distinct places in it: what is near lies in a cell or in one beside it.
    let mut cells: HashMap<[i64; 3], Vec<u32>> = HashMap::new();
    for (v, p) in (0..).zip(positions) {
        let cell = (*p / side).to_array().map(|coord| coord.floor() as i64);
        for beside in 0..27 {
            let step = [beside % 3 - 1, beside / 3 % 3 - 1, beside / 9 - 1];
            let near = cells.get(&[0, 1, 2].map(|axis| cell[axis].saturating_add(step[axis])));
            for w in near.into_iter().flatten() {
                if positions[*w as usize].distance(*p) <= distance {
                    joined.join(v, *w);
                }
            }
        }
        let own = cells.entry(cell).or_default();
        if own.iter().all(|w| positions[*w as usize] != *p) {
            own.push(v);
        }
    }
    joined.labels()
}

/// Makes vertices within a distance \[m\] one. It has the place and the number of the first. Returns how many went.
///
/// # Errors
/// The first face, by its number, that would lose an edge.
pub(crate) fn weld(file: &mut ObjMesh, distance: f64) -> Result<usize, usize> {
    let firsts = find_firsts(&file.mesh, distance);
    let collapses = |face: &[u32; 3]| {
        let [a, b, c] = face.map(|v| firsts[v as usize]);
        a == b || b == c || c == a
    };
    if let Some(face) = file.mesh.faces.iter().position(collapses) {
        return Err(face);
    }
    let mut new_from_old = vec![0; firsts.len()];
    let (mut positions, mut sources) = (Vec::new(), Vec::new());
    for (old, first) in firsts.iter().enumerate() {
        if *first as usize == old {
            new_from_old[old] = positions.len() as u32;
            positions.push(file.mesh.positions[old]);
            sources.push(file.source_vertices[old]);
        } else {
            new_from_old[old] = new_from_old[*first as usize];
        }
    }
    let gone = firsts.len() - positions.len();
    file.mesh.faces.iter_mut().flatten().for_each(|v| *v = new_from_old[*v as usize]);
    (file.mesh.positions, file.source_vertices) = (positions, sources);
    Ok(gone)
}

/// Returns whether every face has vertices of its own although some are at one place.
pub(super) fn is_cut_everywhere(mesh: &TriangleMesh) -> bool {
    if mesh.faces.len() < 2 || mesh.positions.len() != 3 * mesh.faces.len() {
        return false;
    }
    let size = mesh.bounds().map_or(0.0, |[low, high]| (high - low).length());
    let firsts = find_firsts(mesh, SAME_PLACE * size);
    (0..).zip(&firsts).any(|(v, first): (u32, &u32)| v != *first)
}

#[cfg(test)]
mod tests {
    use super::*;
    use glam::DVec3;

    #[test]
    fn many_vertices_in_one_plane_are_joined_quickly() {
        // Two lattices of 300 by 300 vertices in the plane x = 0, 1 µm apart; each vertex meets its twin.
        let lattice = |shift: f64| {
            (0..90_000).map(move |k| 1e-3 * DVec3::new(0.0, f64::from(k % 300), f64::from(k / 300) + shift))
        };
        let positions: Vec<DVec3> = lattice(0.0).chain(lattice(1e-3)).collect();
        let mesh = TriangleMesh { positions, ..TriangleMesh::default() };
        let start = std::time::Instant::now();
        let firsts = find_firsts(&mesh, 1e-5);
        assert!((0..90_000).all(|k| firsts[k] == k as u32 && firsts[90_000 + k] == k as u32));
        assert!(start.elapsed().as_secs() < 20, "all pairs take minutes");
    }

    #[test]
    fn chains_are_joined_at_any_distance_and_place() {
        for far in [0.0, 1e12] {
            let place = |x: f64| DVec3::new(far + x, -far, 0.5);
            let mesh = |x: &[f64]| TriangleMesh {
                positions: x.iter().map(|x| place(*x)).collect(),
                ..TriangleMesh::default()
            };
            // Steps of 1 m, then one of 3 m.
            assert_eq!(find_firsts(&mesh(&[2.0, 5.0, 0.0, 1.0, -0.5]), 1.0), [0, 1, 0, 0, 0]);
            assert_eq!(find_firsts(&mesh(&[0.0, 2.0, 0.0, 4.0]), f64::MIN_POSITIVE), [0, 1, 0, 3]);
            assert_eq!(find_firsts(&mesh(&[0.0, 2.0, 0.0, 4.0]), f64::MAX), [0; 4]);
        }
    }
}
