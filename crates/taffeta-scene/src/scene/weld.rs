//! Vertices of a mesh file at one place become one.

use taffeta_core::TriangleMesh;
use taffeta_core::components::Components;
use taffeta_io::obj::ObjMesh;

/// Vertices at one place, up to round-off, relative to the mesh.
const SAME_PLACE: f64 = 1e-9;

/// For each vertex the first one at its place: within a distance \[m\] of it, or in a chain of such.
fn find_firsts(mesh: &TriangleMesh, distance: f64) -> Vec<u32> {
    let x = |v: u32| mesh.positions[v as usize];
    let mut order: Vec<u32> = (0..mesh.positions.len() as u32).collect();
    order.sort_by(|a, b| x(*a).x.total_cmp(&x(*b).x).then(a.cmp(b)));
    let mut joined = Components::new(order.len());
    for (k, v) in order.iter().enumerate() {
        let beside = order[k + 1..].iter().take_while(|w| x(**w).x - x(*v).x <= distance);
        beside.filter(|w| x(*v).distance(x(**w)) <= distance).for_each(|w| joined.join(*v, *w));
    }
    let mut firsts = vec![0; order.len()];
    for list in joined.lists() {
        let first = list.iter().min().copied().unwrap_or_default();
        list.into_iter().for_each(|v| firsts[v as usize] = first);
    }
    firsts
}

/// Makes vertices within a distance \[m\] one. It has the place and the number of the first. Returns how many went.
pub(super) fn weld(file: &mut ObjMesh, distance: f64) -> usize {
    let firsts = find_firsts(&file.mesh, distance);
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
    gone
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
