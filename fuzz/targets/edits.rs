//! Edits of the half-edge mesh, three bytes each: every invariant holds after each.
#![no_main]

use libfuzzer_sys::fuzz_target;
use taffeta::mesh::{EdgeKey, Halfedge, HalfedgeMesh, Side};

/// Faces beyond which edges are not split.
const MAX_FACES: usize = 200;

/// A grid, a ring, a tetrahedron and a fan.
fn start(number: u8) -> (usize, Vec<[u32; 3]>) {
    match number % 4 {
        0 => lattice(3, 3, false),
        1 => lattice(4, 1, true),
        2 => (4, vec![[0, 1, 2], [0, 2, 3], [0, 3, 1], [1, 3, 2]]),
        _ => (7, (0..6).map(|k| [0, 1 + k, 1 + (k + 1) % 6]).collect()),
    }
}

/// A grid of quads in two triangles each, closed to a ring or not.
fn lattice(columns: u32, rows: u32, is_ring: bool) -> (usize, Vec<[u32; 3]>) {
    let width = if is_ring { columns } else { columns + 1 };
    let at = |i: u32, j: u32| j * width + i % width;
    let cells = (0..rows).flat_map(|j| (0..columns).map(move |i| (i, j)));
    let faces = cells.flat_map(|(i, j)| {
        let [a, b, c, d] = [at(i, j), at(i + 1, j), at(i + 1, j + 1), at(i, j + 1)];
        [[a, b, c], [a, c, d]]
    });
    ((width * (rows + 1)) as usize, faces.collect())
}

fuzz_target!(|data: &[u8]| {
    let Some((first, edits)) = data.split_first() else { return };
    let (vertex_count, faces) = start(*first);
    let mut mesh = HalfedgeMesh::from_triangles(vertex_count, &faces).expect("a good mesh").mesh;
    for [kind, low, high] in edits.as_chunks::<3>().0 {
        let mut edges: Vec<EdgeKey> = mesh.edge_keys().collect();
        edges.sort_unstable();
        if edges.is_empty() {
            break;
        }
        let edge = edges[usize::from(u16::from_le_bytes([*low, *high])) % edges.len()];
        match kind % 4 {
            0 if mesh.face_count() < MAX_FACES => _ = mesh.split_edge(edge),
            0 | 1 => {
                let he = Halfedge::new(edge, Side::BOTH[usize::from(kind >> 7)]);
                let allowed = mesh.can_collapse_edge(he);
                assert_eq!(mesh.collapse_edge(he).err(), allowed.err());
            }
            2 => {
                let allowed = mesh.can_flip_edge(edge);
                assert_eq!(mesh.flip_edge(edge).err(), allowed.err());
            }
            _ => {
                let allowed = mesh.can_open_edges(&[edge]);
                assert_eq!(mesh.open_edges(&[edge]).err(), allowed.err());
            }
        }
        mesh.validate().unwrap_or_else(|broken| panic!("{broken}"));
    }
});
