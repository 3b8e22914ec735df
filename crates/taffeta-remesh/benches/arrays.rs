//! Time of the stand-alone remesher, in one thread: a pass with about 2 % edits on 2 500, 10 000 and 40 000 vertices. It is
//! measured by itself and from arrays to arrays.

use criterion::{BatchSize, BenchmarkId, Criterion, criterion_group, criterion_main};
use taffeta_remesh::{
    FieldOptions, FieldRemesher, MaterialCoords, OutputArrays, SheetArrays, SizingField, remesh_arrays,
};

/// Half a wavelength of the field \[m\], so that every mesh has a detail and space around it.
const PERIOD: f64 = 3.0;

fn sizes(arrays: &OutputArrays, scale: f64, phase: f64) -> Vec<f64> {
    let size = |u: &[f64; 2]| scale * (1.5 + (PERIOD * u[0] + phase).sin() * (PERIOD * u[1]).cos());
    arrays.material.iter().map(size).collect()
}

fn sheet_of(arrays: &OutputArrays) -> SheetArrays<'_> {
    SheetArrays {
        velocities: arrays.velocities.as_deref(),
        ..SheetArrays::new(MaterialCoords::PerVertex(&arrays.material), &arrays.positions, &arrays.faces)
    }
}

/// A square sheet with waves that has its sizes, of about so many vertices.
fn settled(vertices: usize) -> (OutputArrays, f64) {
    let scale = 1.46 / (vertices as f64).sqrt();
    let material = vec![[0.0, 0.0], [1.0, 0.0], [1.0, 1.0], [0.0, 1.0]];
    let positions = vec![[0.0, 0.0, 0.0], [1.0, 0.0, 0.0], [1.0, 1.0, 0.0], [0.0, 1.0, 0.0]];
    let faces = vec![[0, 1, 2], [0, 2, 3]];
    let mut arrays = OutputArrays { material, positions, faces, ..OutputArrays::default() };
    loop {
        let before = arrays.positions.len();
        let field = sizes(&arrays, scale, 0.0);
        let options = FieldOptions { gradation: None, ..FieldOptions::default() };
        let result = remesh_arrays(&sheet_of(&arrays), SizingField::Sizes(&field), &options, &mut |_| false);
        arrays = result.expect("a good sheet").arrays;
        if arrays.positions.len() == before {
            break;
        }
    }
    for (x, u) in arrays.positions.iter_mut().zip(&arrays.material) {
        x[2] = 0.02 * (20.0 * u[0] + 6.0 * u[1]).sin();
    }
    arrays.velocities = Some(arrays.positions.iter().map(|x| [x[2], -x[0], x[1]]).collect());
    (arrays, scale)
}

fn bench(criterion: &mut Criterion) {
    let options = FieldOptions { passes: 1, ..FieldOptions::default() };
    let mut group = criterion.benchmark_group("arrays");
    for target in [2_500, 10_000, 40_000] {
        let (arrays, scale) = settled(target);
        let sheet = sheet_of(&arrays);
        let field = sizes(&arrays, scale, 0.07);
        let field = SizingField::Sizes(&field);
        let remesher = FieldRemesher::new(&sheet, field, &options).expect("a good sheet");
        let report = remesher.clone().pass(&mut |_| false);
        let count = arrays.positions.len();
        println!(
            "{count} vertices: {} splits, {} collapses, {} flips",
            report.splits, report.collapses, report.flips
        );
        group.bench_function(BenchmarkId::new("pass", count), |bencher| {
            let pass = |remesher: &mut FieldRemesher| remesher.pass(&mut |_| false);
            let start = || FieldRemesher::new(&sheet, field, &options).expect("a good sheet");
            bencher.iter_batched_ref(start, pass, BatchSize::PerIteration)
        });
        group.bench_function(BenchmarkId::new("checks and mesh", count), |bencher| {
            bencher
                .iter_with_large_drop(|| FieldRemesher::new(&sheet, field, &options).expect("a good sheet"))
        });
        group.bench_function(BenchmarkId::new("back to arrays", count), |bencher| {
            bencher.iter_with_large_drop(|| remesher.finish())
        });
    }
    group.finish();
}

criterion_group!(benches, bench);
criterion_main!(benches);
