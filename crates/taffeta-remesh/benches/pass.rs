//! Time of a pass over a mesh of ten thousand and of a hundred thousand vertices: at rest, and while it changes. On as many
//! threads as there are cores; `RAYON_NUM_THREADS=1` for one.

use criterion::{BatchSize, BenchmarkId, Criterion, criterion_group, criterion_main};
use glam::{DVec2, DVec3};
use taffeta_mesh::HalfedgeMesh;
use taffeta_remesh::{Pass, RemeshReport, RemeshSettings, SheetAttributes, remesh};

type Sheet = (HalfedgeMesh, SheetAttributes);

fn waves(u: DVec2, phase: f64) -> DVec3 {
    DVec3::new(u.x, u.y, 0.02 * (20.0 * u.x + 6.0 * u.y + phase).sin())
}

fn flat_sheet(cells: u32) -> Sheet {
    let at = |i: u32, j: u32| j * (cells + 1) + i;
    let faces: Vec<[u32; 3]> = (0..cells * cells)
        .map(|cell| (cell % cells, cell / cells))
        .flat_map(|(i, j)| {
            [[at(i, j), at(i + 1, j), at(i + 1, j + 1)], [at(i, j), at(i + 1, j + 1), at(i, j + 1)]]
        })
        .collect();
    let coords: Vec<DVec2> = (0..(cells + 1) * (cells + 1))
        .map(|v| DVec2::new(f64::from(v % (cells + 1)), f64::from(v / (cells + 1))) / f64::from(cells))
        .collect();
    let built = HalfedgeMesh::from_triangles(coords.len(), &faces).expect("a good mesh");
    let corners: Vec<[DVec2; 3]> = faces.iter().map(|f| f.map(|v| coords[v as usize])).collect();
    let positions: Vec<DVec3> = coords.iter().map(|&u| waves(u, 0.0)).collect();
    let attributes = SheetAttributes::from_built(&built, &positions, &corners, &vec![0; faces.len()]);
    (built.mesh, attributes)
}

fn put_on((mesh, attributes): &mut Sheet, phase: f64) {
    for v in mesh.vertex_keys() {
        let u = attributes.material_of(mesh.halfedge_from(v));
        attributes.vertices[v].position = waves(u, phase);
    }
}

/// A pass toward edges that are shorter by a factor than those of the mesh of ten thousand.
fn pass((mesh, attributes): &mut Sheet, factor: f64) -> RemeshReport {
    let settings = [Some(RemeshSettings {
        size_min: 0.002 * factor,
        size_max: 0.05 * factor,
        refine_angle: 0.15 * factor,
        ..RemeshSettings::by_thresholds()
    })];
    let pass = Pass { settings: &settings, elapsed: 1.0 / 60.0, ..Pass::default() };
    remesh(mesh, attributes, &pass, &mut |_| false)
}

fn bench_with(criterion: &mut Criterion, cells: u32, factor: f64) {
    let mut sheet = flat_sheet(cells);
    for _ in 0..200 {
        let report = pass(&mut sheet, factor);
        put_on(&mut sheet, 0.0);
        if report.edit_count() == 0 {
            break;
        }
    }
    let count = sheet.0.vertex_count();
    let report = pass(&mut sheet, factor);
    println!("at rest: {count} vertices, {} edits", report.edit_count());
    let mut group = criterion.benchmark_group("pass");
    group.bench_function(BenchmarkId::new("at rest", count), |bencher| {
        bencher.iter_batched_ref(|| sheet.clone(), |sheet| pass(sheet, factor), BatchSize::LargeInput)
    });
    let mut moving = sheet.clone();
    put_on(&mut moving, 0.5 * factor);
    let report = pass(&mut moving.clone(), factor);
    println!("moving: {} splits, {} collapses, {} flips", report.splits, report.collapses, report.flips);
    group.bench_function(BenchmarkId::new("over moving waves", count), |bencher| {
        bencher.iter_batched_ref(|| moving.clone(), |sheet| pass(sheet, factor), BatchSize::LargeInput)
    });
}

fn bench(criterion: &mut Criterion) {
    bench_with(criterion, 40, 1.0);
    bench_with(criterion, 126, 0.316);
}

criterion_group!(benches, bench);
criterion_main!(benches);
