//! Time of a frame of a swinging sheet with the global solver, by bending model and number of faces, and of building
//! its driver. One thread; a frame is one implicit step of 1/60 s with two Newton iterations.
//!
//! Prints the iterations of the conjugate gradients as well: they must not grow with the mesh.

use criterion::{Criterion, criterion_group, criterion_main};
use glam::{DVec2, DVec3};
use std::hint::black_box;
use taffeta_core::morton::morton_code;
use taffeta_core::{SurfaceTopology, VertexIndex};
use taffeta_solve::drivers::newton::{
    Contacts, Drags, KeptGrids, LinearSolver, NewtonDriver, NewtonLimits, NewtonProblem, NewtonReport, Site,
};
use taffeta_solve::{
    BendingModel, Blocks, ClothModel, Compression, Material, MembraneModel, MembraneScaling, PlateState,
    RestShape, Supports,
};

/// Cells along each side: 8 192, 32 768 and 131 072 faces.
const CELLS: [u32; 3] = [64, 128, 256];
/// Length of a frame \[s\].
const FRAME: f64 = 1.0 / 60.0;
/// Frames before the measured one: the sheet is then in full swing.
const FRAMES: usize = 12;
const LIMITS: NewtonLimits =
    NewtonLimits { iterations: 2, tolerance: 1e-9, linear_tolerance: 1e-2, linear_iterations: u32::MAX };

/// A square meter of cloth, held at two of its corners.
struct Swing {
    topology: SurfaceTopology,
    points: Vec<DVec3>,
    blocks: Blocks,
    held: Vec<[bool; 3]>,
    /// Mass over the square of the frame \[N/m\].
    inertia: Vec<f64>,
}

/// Positions and velocities.
#[derive(Clone)]
struct State {
    driver: NewtonDriver,
    plate: PlateState,
    positions: Vec<DVec3>,
    velocities: Vec<DVec3>,
}

/// Material coordinates and faces of a square with alternating diagonals, in Morton order.
fn square(cells: u32) -> (Vec<DVec2>, Vec<[VertexIndex; 3]>) {
    let side = cells + 1;
    let point = |i: u32| DVec2::new(f64::from(i % side), f64::from(i / side)) / f64::from(cells);
    let mut order: Vec<u32> = (0..side * side).collect();
    order.sort_by_key(|i| morton_code(point(*i).extend(0.0), DVec3::ZERO, DVec3::new(1.0, 1.0, 0.0)));
    let mut numbers = vec![VertexIndex(0); order.len()];
    (0..).zip(&order).for_each(|(number, i)| numbers[*i as usize] = VertexIndex(number));
    let mut faces: Vec<[VertexIndex; 3]> = (0..cells * cells)
        .map(|cell| (cell % cells, cell / cells))
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

impl Swing {
    fn new(cells: u32, bending: BendingModel) -> Self {
        let (coords, faces) = square(cells);
        let topology = SurfaceTopology::from_faces(coords.len(), faces);
        let rest = RestShape::flat(&topology, &coords);
        let cloths = [ClothModel {
            material: Material::isotropic(0.2, 2000.0, 0.3, 5e-5),
            membrane: MembraneModel::Strain,
            scaling: MembraneScaling::ByArea,
            compression: Compression::Full,
            bending,
            rest_curvature: [0.0; 3],
        }];
        let masses = rest.lumped_masses(&topology, &cloths);
        let held: Vec<[bool; 3]> =
            coords.iter().map(|u| [u.y > 0.8999 && !(0.1001..0.8999).contains(&u.x); 3]).collect();
        let inverse_masses: Vec<f64> =
            masses.iter().zip(&held).map(|(mass, held)| if held[0] { 0.0 } else { 1.0 / mass }).collect();
        Self {
            blocks: Blocks::build(&topology, &rest, &cloths, &Supports::new(&inverse_masses)),
            points: coords.iter().map(|u| u.extend(0.0)).collect(),
            inertia: masses.iter().map(|mass| mass / (FRAME * FRAME)).collect(),
            topology,
            held,
        }
    }

    fn build(&self, before: Option<&KeptGrids>) -> NewtonDriver {
        let site = Site { points: &self.points, charts: None, face_pressures: &[], bodies: 0 };
        NewtonDriver::build(&self.topology, &self.blocks, site, LinearSolver::Conjugate, before)
    }

    fn start(&self) -> State {
        State {
            driver: self.build(None),
            plate: PlateState::new(&self.blocks.plate, Vec::new()),
            positions: self.points.iter().map(|p| DVec3::new(p.x, 0.0, -p.y)).collect(),
            velocities: vec![DVec3::ZERO; self.points.len()],
        }
    }

    fn step(&self, state: &mut State) -> NewtonReport {
        let start = state.positions.clone();
        let mut predicted = start.clone();
        for (i, velocity) in state.velocities.iter().enumerate().filter(|(i, _)| !self.held[*i][0]) {
            state.positions[i] += *velocity * FRAME;
            predicted[i] = state.positions[i] + DVec3::new(0.0, -9.81 * FRAME * FRAME, 0.0);
        }
        let problem = NewtonProblem {
            inertia: &self.inertia,
            predicted: &predicted,
            held: &self.held,
            damping_rate: 0.0,
            drag: Drags::default(),
            contacts: Contacts::default(),
            clamps: &[],
        };
        state.driver.begin_step(&start, &state.plate);
        let report = state
            .driver
            .solve(&mut state.positions, &mut state.plate, &problem, LIMITS)
            .expect("the energy is finite");
        let moved = state.positions.iter().zip(&start).map(|(x, start)| (*x - *start) / FRAME);
        state.velocities.iter_mut().zip(moved).for_each(|(velocity, moved)| *velocity = moved);
        report
    }
}

fn bench(criterion: &mut Criterion) {
    rayon::ThreadPoolBuilder::new().num_threads(1).build_global().expect("the first pool");
    for bending in [BendingModel::Hinge, BendingModel::Curvature] {
        let mut group = criterion.benchmark_group(format!("{bending:?}"));
        group.sample_size(10);
        for cells in CELLS {
            let swing = Swing::new(cells, bending);
            let mut state = swing.start();
            let iterations: u32 = (0..FRAMES).map(|_| swing.step(&mut state).linear_iterations).sum();
            let faces = swing.topology.face_count();
            println!("{bending:?}, {faces} faces: {} iterations per frame", iterations as usize / FRAMES);
            group.bench_function(format!("frame, {faces} faces"), |bencher| {
                bencher.iter_batched_ref(
                    || state.clone(),
                    |state| swing.step(state),
                    criterion::BatchSize::LargeInput,
                );
            });
            group.bench_function(format!("build, {faces} faces"), |bencher| {
                bencher.iter(|| black_box(swing.build(state.driver.grids().as_ref())));
            });
        }
    }
}

criterion_group!(benches, bench);
criterion_main!(benches);
