//! The dense form of a mesh depends on the mesh alone.

use crate::common::{Random, lattice, together};
use taffeta_core::{SurfaceTopology, TopologyEpoch};
use taffeta_mesh::{BuiltMesh, DenseTopology, HalfedgeMesh, slot_of};

fn build(vertex_count: usize, faces: &[[u32; 3]]) -> BuiltMesh {
    HalfedgeMesh::from_triangles(vertex_count, faces).expect("a good mesh")
}

/// A scrambled code for each input vertex, all different.
fn code_of(number: usize) -> u64 {
    Random(number as u64).next()
}

fn dense_with_codes(built: &BuiltMesh, code_of: impl Fn(usize) -> u64) -> DenseTopology {
    let mut codes = vec![0; built.mesh.vertex_slot_limit()];
    for (number, &v) in built.vertices.iter().enumerate() {
        codes[slot_of(v)] = code_of(number);
    }
    built.mesh.dense_topology(|v| (0, codes[slot_of(v)]), TopologyEpoch(3))
}

fn shuffle<T>(items: &mut [T], random: &mut Random) {
    for i in (1..items.len()).rev() {
        items.swap(i, random.below(i + 1));
    }
}

#[test]
fn dense_form_agrees_with_the_one_built_by_sorting() {
    for sample in crate::common::samples() {
        let built = build(sample.vertex_count, &sample.faces);
        let dense = dense_with_codes(&built, code_of);
        let mut oracle = SurfaceTopology::from_faces(sample.vertex_count, dense.topology.faces.raw.clone());
        oracle.epoch = TopologyEpoch(3);
        assert_eq!(dense.topology, oracle, "{}", sample.name);
    }
}

#[test]
fn order_is_as_written_down() {
    let (vertex_count, faces) = together(lattice(4, 3, [false; 2]), lattice(3, 3, [false; 2]));
    let built = build(vertex_count, &faces);
    let group_of = |v| u32::from(slot_of(v) <= 20);
    let code_of = |v| code_of(slot_of(v)) % 7;
    let dense = built.mesh.dense_topology(|v| (group_of(v), code_of(v)), TopologyEpoch(0));
    let DenseTopology { topology, keys } = dense;
    assert!(keys.vertices.is_sorted_by_key(|&v| (group_of(v), code_of(v), slot_of(v))));
    assert!(topology.faces.is_sorted());
    assert!(topology.faces.iter().all(|corners| corners[0] < corners[1] && corners[0] < corners[2]));
    assert!(topology.edges.is_sorted_by_key(|edge| edge.vertices));
    let dense =
        |v| keys.vertices.iter_indexed().find(|&(_, &key)| key == v).expect("every vertex has a place").0;
    for (ei, edge) in topology.edges.iter_indexed() {
        let he = taffeta_mesh::Halfedge::new(keys.edges[ei], keys.edge_sides[ei]);
        assert_eq!(built.mesh.ends(he).map(dense), edge.vertices);
        let faces = [he, he.twin()].map(|he| built.mesh.face(he));
        assert_eq!(edge.faces.map(|fi| fi.map(|fi| keys.faces[fi])), faces);
    }
}

#[test]
fn dense_form_does_not_depend_on_the_order_of_the_input() {
    let (vertex_count, faces) = lattice(9, 7, [true, false]);
    let original = dense_with_codes(&build(vertex_count, &faces), code_of);
    let mut random = Random(1);
    for _ in 0..20 {
        let mut numbers: Vec<u32> = (0..vertex_count as u32).collect();
        shuffle(&mut numbers, &mut random);
        let mut shuffled: Vec<[u32; 3]> = faces.iter().map(|f| f.map(|v| numbers[v as usize])).collect();
        shuffle(&mut shuffled, &mut random);
        for corners in &mut shuffled {
            corners.rotate_left(random.below(3));
        }
        let mut old_from_new = vec![0; vertex_count];
        for (old, &new) in numbers.iter().enumerate() {
            old_from_new[new as usize] = old;
        }
        let dense = dense_with_codes(&build(vertex_count, &shuffled), |new| code_of(old_from_new[new]));
        assert_eq!(dense.topology, original.topology);
    }
}

#[test]
fn dense_form_forgets_edits_that_were_undone() {
    let (vertex_count, faces) = lattice(6, 6, [false; 2]);
    let mut built = build(vertex_count, &faces);
    let before = dense_with_codes(&built, code_of);
    let mut edges: Vec<_> = built.mesh.edge_keys().filter(|&e| !built.mesh.is_boundary_edge(e)).collect();
    edges.sort_unstable();
    for e in edges {
        // Four quarter turns are the identity; an edge that can turn once can turn on.
        let turns = (0..4).filter(|_| built.mesh.flip_edge(e).is_ok()).count();
        assert!(turns == 0 || turns == 4);
    }
    built.mesh.validate().expect("valid after the edits");
    let after = dense_with_codes(&built, code_of);
    assert_eq!(before.topology, after.topology);
}
