//! Time of making a dense topology and of building a mesh, on a square grid of 32 768 faces.

use criterion::{Criterion, criterion_group, criterion_main};
use glam::DVec3;
use std::hint::black_box;
use taffeta_core::TopologyEpoch;
use taffeta_core::morton::morton_code;
use taffeta_mesh::{HalfedgeMesh, slot_of};

const CELLS: u32 = 128;

fn grid() -> Vec<[u32; 3]> {
    let at = |i: u32, j: u32| j * (CELLS + 1) + i;
    (0..CELLS * CELLS)
        .map(|cell| (cell % CELLS, cell / CELLS))
        .flat_map(|(i, j)| {
            let [a, b, c, d] = [at(i, j), at(i + 1, j), at(i + 1, j + 1), at(i, j + 1)];
            if (i + j) % 2 == 0 { [[a, b, c], [a, c, d]] } else { [[a, b, d], [b, c, d]] }
        })
        .collect()
}

fn bench(criterion: &mut Criterion) {
    let faces = grid();
    let vertex_count = ((CELLS + 1) * (CELLS + 1)) as usize;
    let built = HalfedgeMesh::from_triangles(vertex_count, &faces).expect("a good mesh");
    let mut codes = vec![0; built.mesh.vertex_slot_limit()];
    for (number, &v) in (0u32..).zip(&built.vertices) {
        let point = DVec3::new(f64::from(number % (CELLS + 1)), f64::from(number / (CELLS + 1)), 0.0);
        codes[slot_of(v)] = morton_code(point, DVec3::ZERO, DVec3::splat(f64::from(CELLS)));
    }
    criterion.bench_function("dense topology, 32768 faces", |bencher| {
        bencher.iter(|| black_box(&built.mesh).dense_topology(|v| (0, codes[slot_of(v)]), TopologyEpoch(0)))
    });
    criterion.bench_function("build 32768 faces", |bencher| {
        bencher.iter(|| HalfedgeMesh::from_triangles(vertex_count, black_box(&faces)))
    });
}

criterion_group!(benches, bench);
criterion_main!(benches);
