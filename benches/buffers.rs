//! Buffers for a renderer: positions and normals of 10 000 vertices in single precision, which a frame must not feel.

use criterion::{Criterion, criterion_group, criterion_main};
use glam::DVec2;
use std::hint::black_box;
use taffeta::io::{GridPattern, grid};
use taffeta::sim::{ClothDescription, Material, World, WorldDescription};

fn fill(criterion: &mut Criterion) {
    let mesh = grid(DVec2::ONE, [99, 99], GridPattern::Alternating, 0);
    let cloth = ClothDescription::new("sheet", mesh, Material::isotropic(0.2, 1000.0, 0.3, 1e-5));
    let description = WorldDescription { cloths: vec![cloth], ..WorldDescription::bare() };
    let world = World::build(&description).expect("the description is complete");
    let view = world.cloth(world.cloth_ids()[0]);
    let mut positions = vec![[0.0; 3]; view.positions().len()];
    let mut normals = positions.clone();
    criterion.bench_function("buffers/positions and normals of 10 000 vertices", |bencher| {
        bencher.iter(|| {
            view.fill_positions(black_box(&mut positions));
            view.fill_normals(black_box(&mut normals));
        });
    });
}

criterion_group!(benches, fill);
criterion_main!(benches);
