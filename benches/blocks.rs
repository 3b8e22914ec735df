//! Throughput of the block updates and the cost of a into_dense.
//!
//! `cargo bench --bench blocks`

use criterion::{Criterion, Throughput, criterion_group, criterion_main};
use glam::DVec2;
use std::hint::black_box;
use taffeta::core::lanes::{Row, fill_rows};
use taffeta::core::{SurfaceTopology, VertexIndex};
use taffeta::io::{GridPattern, grid};
use taffeta::sim::{
    BendingModel, ClothDescription, Material, MembraneModel, MembraneScaling, World, WorldDescription,
};
use taffeta::solve::{BlockDriver, Blocks, ClothModel, Compression, RestShape, Substep, Supports};

/// A driver over a slightly wavy sheet, and its rows.
fn sheet(cells: u32, bending: BendingModel) -> (BlockDriver, Vec<Row>, usize) {
    let mesh = grid(DVec2::ONE, [cells, cells], GridPattern::Alternating, 0);
    let faces: Vec<_> = mesh.faces.iter().map(|f| f.map(VertexIndex)).collect();
    let topology = SurfaceTopology::from_faces(mesh.positions.len(), faces);
    let coords: Vec<_> = mesh.positions.iter().map(|x| DVec2::new(x.x, x.y)).collect();
    let rest = RestShape::flat(&topology, &coords);
    let material = Material::isotropic(0.2, 2000.0, 0.3, 5e-5);
    let cloths = [ClothModel {
        material,
        membrane: MembraneModel::Strain,
        scaling: MembraneScaling::ByArea,
        compression: Compression::Full,
        bending,
        rest_curvature: [0.0; 3],
    }];
    let inverse: Vec<_> = rest.lumped_masses(&topology, &cloths).iter().map(|m| 1.0 / m).collect();
    let blocks = Blocks::build(&topology, &rest, &cloths, &Supports::new(&inverse));
    let driver = BlockDriver::build(&topology, &blocks);
    let x: Vec<_> = coords.iter().map(|u| u.extend(0.01 * (9.0 * u.x).sin())).collect();
    let mut rows = Vec::new();
    fill_rows(&mut rows, &x, &inverse);
    (driver, rows, topology.face_count())
}

fn sweeps(c: &mut Criterion) {
    let one_thread = rayon::ThreadPoolBuilder::new().num_threads(1).build().expect("a thread starts");
    let models = [
        ("strain", BendingModel::None),
        ("strain and hinges", BendingModel::Hinge),
        ("strain and quadratic bending", BendingModel::Quadratic),
        ("strain and curvature", BendingModel::Curvature),
    ];
    for (name, bending) in models {
        let mut group = c.benchmark_group(format!("sweep, {name}, one thread"));
        for cells in [64, 128, 256] {
            let (mut driver, mut rows, faces) = sheet(cells, bending);
            group.throughput(Throughput::Elements(faces as u64));
            group.bench_function(format!("{faces} triangles"), |b| {
                one_thread.install(|| {
                    b.iter(|| driver.sweep(black_box(&mut rows), Substep::forward(1.0 / 960.0, 0)));
                });
            });
        }
    }
}

/// Thaw and into_dense of a whole world: topology, state, rest shape, coloring, packing, load path.
fn into_dense(c: &mut Criterion) {
    let mesh = grid(DVec2::ONE, [128, 128], GridPattern::Alternating, 0);
    let cloth = ClothDescription::new("sheet", mesh, Material::isotropic(0.2, 2000.0, 0.3, 5e-5));
    let description = WorldDescription { cloths: vec![cloth], ..WorldDescription::bare() };
    let world = World::build(&description).expect("the description is complete");
    let keyed = world.keyed();
    c.bench_function("into_dense of the topology, 32768 faces", |b| {
        let order = |v| (0, taffeta::mesh::slot_of(v) as u64);
        b.iter(|| black_box(keyed.mesh.dense_topology(order, taffeta::core::TopologyEpoch(1))));
    });
    let sheet = world.sheet();
    let models: Vec<_> = world.cloths().iter().map(|cloth| cloth.model()).collect();
    let supports = Supports::new(&world.motion().inverse_masses);
    let blocks = Blocks::build(&sheet.topology, &world.motion().rest, &models, &supports);
    c.bench_function("coloring and packing, 32768 faces", |b| {
        b.iter(|| black_box(BlockDriver::build(&sheet.topology, &blocks)));
    });
    let mut world = world;
    c.bench_function("thaw, into_dense and all caches, 32768 faces", |b| b.iter(|| world.edit(|_| ())));
}

criterion_group!(benches, sweeps, into_dense);
criterion_main!(benches);
