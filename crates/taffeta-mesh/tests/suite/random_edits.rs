//! Random splits, collapses, flips and openings on a dozen meshes, with every invariant checked after each.
//!
//! 100 000 edits in all, a million in the second tier.

use crate::common::{Random, Sample, samples};
use taffeta_mesh::{CollapseBlocked, EdgeKey, FlipBlocked, Halfedge, HalfedgeMesh, OpenBlocked, Side};

/// Topological invariants that no edit may change.
#[derive(Debug, PartialEq)]
struct Shape {
    euler_characteristic: i64,
    boundary_loops: usize,
    components: usize,
}

fn shape_of(mesh: &HalfedgeMesh) -> Shape {
    Shape {
        euler_characteristic: mesh.euler_characteristic(),
        boundary_loops: mesh.boundary_loops().len(),
        components: mesh.components().len(),
    }
}

fn edit_count() -> usize {
    taffeta_fixtures::tier(100_000, 1_000_000)
}

/// Number of times that each edit was made and refused.
#[derive(Debug, Default)]
struct Tally {
    made: [usize; 3],
    refused: [usize; 3],
}

/// Tries one random edit. Below 20 faces it leans towards splits and above 80 towards collapses, so that the mesh
/// neither vanishes nor grows.
fn edit(mesh: &mut HalfedgeMesh, random: &mut Random, tally: &mut Tally) {
    let mut edges: Vec<EdgeKey> = mesh.edge_keys().collect();
    edges.sort_unstable();
    let edge = edges[random.below(edges.len())];
    let side = Side::BOTH[random.below(2)];
    let kind = match (random.below(6), mesh.face_count()) {
        (0 | 1, _) => 2,
        (2..=4, ..20) => 0,
        (2..=4, 80..) => 1,
        (die, _) => die % 2,
    };
    let made = match kind {
        0 => mesh.split_edge(edge).is_ok(),
        1 => try_collapse(mesh, Halfedge::new(edge, side)),
        _ => try_flip(mesh, edge),
    };
    let counts = if made { &mut tally.made } else { &mut tally.refused };
    counts[kind] += 1;
}

fn try_collapse(mesh: &mut HalfedgeMesh, he: Halfedge) -> bool {
    let allowed = mesh.can_collapse_edge(he);
    let counts = [mesh.vertex_count(), mesh.edge_count(), mesh.face_count()];
    let result = mesh.collapse_edge(he);
    assert_eq!(allowed.err(), result.err());
    match result {
        Ok(record) => {
            assert!(!mesh.contains_vertex(record.removed_vertex) && mesh.contains_vertex(record.kept_vertex));
            let faces = record.removed_faces.iter().flatten().count();
            assert_eq!(
                [mesh.vertex_count() + 1, mesh.edge_count() + 1 + faces, mesh.face_count() + faces],
                counts
            );
        }
        Err(reason) => {
            assert_ne!(reason, CollapseBlocked::Missing);
            assert_eq!([mesh.vertex_count(), mesh.edge_count(), mesh.face_count()], counts);
        }
    }
    result.is_ok()
}

fn try_flip(mesh: &mut HalfedgeMesh, edge: EdgeKey) -> bool {
    let allowed = mesh.can_flip_edge(edge);
    let result = mesh.flip_edge(edge);
    assert_eq!(allowed.err(), result.err());
    if let Ok(record) = result {
        assert_eq!(mesh.ends(record.halfedge), record.new_ends);
        assert!(mesh.find_halfedge(record.old_ends[0], record.old_ends[1]).is_none());
    }
    assert_ne!(result.err(), Some(FlipBlocked::Missing));
    result.is_ok()
}

#[test]
fn random_edits_keep_every_invariant_and_the_shape() {
    let samples = samples();
    let per_sample = edit_count().div_ceil(samples.len());
    let mut tally = Tally::default();
    for (number, Sample { name, vertex_count, faces }) in samples.into_iter().enumerate() {
        let mut mesh = HalfedgeMesh::from_triangles(vertex_count, &faces).expect("a good mesh").mesh;
        let shape = shape_of(&mesh);
        let mut random = Random(number as u64);
        for step in 0..per_sample {
            if step % 100 == 0 {
                mesh.sort_free_slots();
            }
            edit(&mut mesh, &mut random, &mut tally);
            if let Err(broken) = mesh.validate() {
                panic!("{name}, edit {step}: {broken}");
            }
            assert_eq!(shape_of(&mesh), shape, "{name}, edit {step}");
        }
    }
    let enough = per_sample;
    assert!(tally.made.iter().all(|&count| count > enough), "each kind of edit must occur: {tally:?}");
    assert!(tally.refused[1] > 0 && tally.refused[2] > 0, "refusals must occur: {tally:?}");
}

/// Tries to open one or two edges that meet, and says whether it was done.
fn try_open(mesh: &mut HalfedgeMesh, random: &mut Random) -> bool {
    let mut edges: Vec<EdgeKey> = mesh.edge_keys().collect();
    edges.sort_unstable();
    let first = edges[random.below(edges.len())];
    let [v, _] = mesh.edge_ends(first);
    let around: Vec<EdgeKey> = mesh.halfedges_around(v).map(|he| he.edge).collect();
    let opening = [first, around[random.below(around.len())]];
    let opening = &opening[..1 + random.below(2)];
    let counts = [mesh.vertex_count(), mesh.edge_count(), mesh.face_count()];
    let before: Vec<_> = opening.iter().map(|e| (mesh.edge_ends(*e), mesh.edge_faces(*e))).collect();
    let allowed = mesh.can_open_edges(opening);
    let result = mesh.open_edges(opening);
    assert_eq!(allowed.err(), result.as_ref().err().copied());
    match &result {
        Ok(record) => {
            let copies: usize = record.copies.iter().map(|(_, copies)| copies.len()).sum();
            assert!(copies > 0);
            assert_eq!(
                [mesh.vertex_count(), mesh.edge_count(), mesh.face_count()],
                [counts[0] + copies, counts[1] + record.edges.len(), counts[2]]
            );
            for (e, (_, [first, second])) in opening.iter().zip(before) {
                let opened = record.edges.iter().find(|opened| opened.kept == *e).expect("in the record");
                assert_eq!(mesh.edge_faces(opened.kept), [first, None]);
                assert_eq!(mesh.edge_faces(opened.created), [None, second]);
            }
        }
        Err(reason) => {
            assert!(!matches!(reason, OpenBlocked::Missing(_)));
            assert_eq!([mesh.vertex_count(), mesh.edge_count(), mesh.face_count()], counts);
        }
    }
    result.is_ok()
}

/// Openings among splits, collapses and flips, until nothing but crumbs is left, and again.
fn tear_at_random(count: usize) {
    let samples = samples();
    let per_sample = count.div_ceil(samples.len());
    let (mut tally, mut opened, mut refused) = (Tally::default(), 0, 0);
    for (number, Sample { name, vertex_count, faces }) in samples.iter().enumerate() {
        let whole = HalfedgeMesh::from_triangles(*vertex_count, faces).expect("a good mesh").mesh;
        let mut mesh = whole.clone();
        let mut random = Random(100 + number as u64);
        for step in 0..per_sample {
            // Whoever has nothing but corners left cannot be torn any more.
            if step % 60 == 0 {
                mesh = whole.clone();
            }
            if random.below(3) == 0 {
                let was_opened = try_open(&mut mesh, &mut random);
                opened += usize::from(was_opened);
                refused += usize::from(!was_opened);
            } else {
                edit(&mut mesh, &mut random, &mut tally);
            }
            if let Err(broken) = mesh.validate() {
                panic!("{name}, edit {step}: {broken}");
            }
        }
    }
    assert!(opened > count / 20 && refused > count / 20, "{opened} openings, {refused} refused");
    assert!(tally.made.iter().all(|&made| made > count / 40), "each kind of edit must occur: {tally:?}");
}

#[test]
fn random_openings_among_other_edits_keep_every_invariant() {
    tear_at_random(edit_count());
}

#[test]
#[ignore = "second tier: a million edits"]
fn a_million_openings_and_other_edits_keep_every_invariant() {
    tear_at_random(1_000_000);
}

#[test]
fn sorted_free_slots_make_a_restored_mesh_continue_alike() {
    let (vertex_count, faces) = crate::common::lattice(6, 6, [false; 2]);
    let mut mesh = HalfedgeMesh::from_triangles(vertex_count, &faces).expect("a good mesh").mesh;
    let mut random = Random(7);
    let mut tally = Tally::default();
    for _ in 0..300 {
        edit(&mut mesh, &mut random, &mut tally);
    }
    let written = postcard::to_stdvec(&mesh).expect("a mesh can be written");
    let mut restored: HalfedgeMesh = postcard::from_bytes(&written).expect("and read");
    restored.validate().expect("a restored mesh is valid");
    for copy in [&mut mesh, &mut restored] {
        copy.sort_free_slots();
        let mut random = Random(8);
        for _ in 0..300 {
            edit(copy, &mut random, &mut tally);
        }
        copy.validate().expect("valid after the edits");
    }
    let ends = |mesh: &HalfedgeMesh| {
        let mut edges: Vec<_> =
            mesh.edge_keys().map(|e| (e, mesh.edge_ends(e), mesh.edge_faces(e))).collect();
        edges.sort_unstable();
        edges
    };
    assert_eq!(ends(&mesh), ends(&restored));
}
