//! Time of a frame of a swinging sheet by projective dynamics: one step of 1/60 s with 15 iterations, one thread. Also the cost
//! of a change of the topology: analysis and factorization.
//!
//! By kind of the membrane and by number of faces. The groups without bending are the constraints of the membrane alone.

use criterion::{Criterion, criterion_group, criterion_main};
use glam::{DVec2, DVec3};
use std::hint::black_box;
use taffeta_core::morton::morton_code;
use taffeta_core::{SurfaceTopology, VertexIndex};
use taffeta_solve::drivers::projective::{RestPlaces, cloth_constraints};
use taffeta_solve::{
    BendingModel, ClothModel, Compression, Material, MembraneModel, MembraneScaling, ProjectiveDriver,
    ProjectiveProblem, RestShape,
};

/// Cells along each side: 16 384 and 65 536 triangles (of two halves of each cell, four cells per 8 triangles).
const CELLS: [[u32; 2]; 2] = [[64, 128], [128, 256]];
/// Length of a frame \[s\].
const FRAME: f64 = 1.0 / 60.0;
/// Frames before the measured ones.
const FRAMES: usize = 12;
const ITERATIONS: u32 = 15;

struct Sheet {
    topology: SurfaceTopology,
    points: Vec<DVec3>,
    masses: Vec<f64>,
    held: Vec<[bool; 3]>,
    rest: RestShape,
    cloths: [ClothModel; 1],
}

/// Material coordinates and faces of a rectangle of 1 m by 2 m with alternating diagonals, in Morton order.
fn rectangle([nu, nv]: [u32; 2]) -> (Vec<DVec2>, Vec<[VertexIndex; 3]>) {
    let side = nu + 1;
    let point = |i: u32| DVec2::new(f64::from(i % side), f64::from(i / side)) / f64::from(nu);
    let mut order: Vec<u32> = (0..side * (nv + 1)).collect();
    order.sort_by_key(|i| morton_code(point(*i).extend(0.0), DVec3::ZERO, DVec3::new(1.0, 2.0, 0.0)));
    let mut numbers = vec![VertexIndex(0); order.len()];
    (0..).zip(&order).for_each(|(number, i)| numbers[*i as usize] = VertexIndex(number));
    let mut faces: Vec<[VertexIndex; 3]> = (0..nu * nv)
        .map(|cell| (cell % nu, cell / nu))
        .flat_map(|(i, j)| {
            let at = |i: u32, j: u32| numbers[(j * side + i) as usize];
            let [a, b, c, d] = [at(i, j), at(i + 1, j), at(i + 1, j + 1), at(i, j + 1)];
            if (i + j) % 2 == 0 { [[a, b, c], [a, c, d]] } else { [[a, b, d], [b, c, d]] }
        })
        .collect();
    faces.sort_by_key(|face| {
        let mut sorted = *face;
        sorted.sort_unstable();
        sorted
    });
    (order.into_iter().map(point).collect(), faces)
}

impl Sheet {
    fn new(cells: [u32; 2], membrane: MembraneModel, bending: BendingModel) -> Self {
        let (coords, faces) = rectangle(cells);
        let topology = SurfaceTopology::from_faces(coords.len(), faces);
        let rest = RestShape::flat(&topology, &coords);
        let material = Material::isotropic(0.2, 2000.0, 0.0, 5e-5);
        let cloths = [ClothModel {
            material,
            membrane,
            bending,
            rest_curvature: [0.0; 3],
            scaling: MembraneScaling::ByArea,
            compression: Compression::Full,
        }];
        let held = coords.iter().map(|u| [u.y > 1.8999 && !(0.1001..0.8999).contains(&u.x); 3]).collect();
        let masses = rest.lumped_masses(&topology, &cloths).raw;
        let points = coords.iter().map(|u| u.extend(0.0)).collect();
        Self { topology, points, masses, held, rest, cloths }
    }

    fn build(&self) -> ProjectiveDriver {
        let places = RestPlaces { positions: &self.points, is_curved: &[false] };
        let constraints = cloth_constraints(&self.topology, &self.rest, &self.cloths, places);
        let problem = ProjectiveProblem { masses: &self.masses, held: &self.held, points: &self.points };
        ProjectiveDriver::build(problem, constraints)
    }

    /// A frame from positions [m] and velocities [m/s].
    fn step(&self, driver: &mut ProjectiveDriver, x: &mut [DVec3], v: &mut [DVec3]) {
        let coast = |((x, v), held): ((&DVec3, &DVec3), &[bool; 3])| {
            let fall = DVec3::new(0.0, -9.81 * FRAME * FRAME, 0.0);
            if held[0] { *x } else { *x + *v * FRAME + fall }
        };
        let predicted: Vec<DVec3> = x.iter().zip(v.iter()).zip(&self.held).map(coast).collect();
        driver.begin_step(&predicted, FRAME).expect("the system is positive definite");
        (0..ITERATIONS).for_each(|_| driver.iterate());
        for ((x, v), after) in x.iter_mut().zip(v.iter_mut()).zip(driver.positions()) {
            (*v, *x) = ((after - *x) / FRAME, after);
        }
    }
}

fn bench(criterion: &mut Criterion) {
    rayon::ThreadPoolBuilder::new().num_threads(1).build_global().expect("the first pool");
    for (membrane, bending) in [
        (MembraneModel::Strain, BendingModel::None),
        (MembraneModel::Edges, BendingModel::None),
        (MembraneModel::Strain, BendingModel::MeanCurvature),
    ] {
        let mut group = criterion.benchmark_group(format!("{membrane:?}, bending {bending:?}"));
        group.sample_size(10);
        for cells in CELLS {
            let sheet = Sheet::new(cells, membrane, bending);
            let mut driver = sheet.build();
            let mut x: Vec<DVec3> = sheet.points.iter().map(|p| DVec3::new(p.x, 0.0, -p.y)).collect();
            let mut v = vec![DVec3::ZERO; x.len()];
            (0..FRAMES).for_each(|_| sheet.step(&mut driver, &mut x, &mut v));
            let faces = sheet.topology.face_count();
            println!("{membrane:?}, {bending:?}, {faces} faces: {} entries", driver.factor_entries());
            group.bench_function(format!("frame, {faces} faces"), |bencher| {
                bencher.iter(|| sheet.step(&mut driver, &mut x, &mut v));
            });
            group.bench_function(format!("build, {faces} faces"), |bencher| {
                bencher.iter(|| {
                    let mut driver = sheet.build();
                    driver.begin_step(&sheet.points, FRAME).expect("positive definite");
                    black_box(driver)
                });
            });
        }
    }
}

criterion_group!(benches, bench);
criterion_main!(benches);
