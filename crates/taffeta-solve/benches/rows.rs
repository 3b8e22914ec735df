//! Time of a frame of the older position-based methods: prediction, ten sweeps over the scalar rows, velocities. One
//! thread; the sheet swings by two corners. "distance" is a cloth of one row per edge without bending.
//!
//! `cargo bench -p taffeta-solve --bench rows`

use criterion::{Criterion, Throughput, criterion_group, criterion_main};
use glam::{DVec2, DVec3};
use taffeta_core::lanes::{Row, fill_rows};
use taffeta_core::morton::morton_code;
use taffeta_core::{SurfaceTopology, VertexIndex};
use taffeta_solve::{
    BendingModel, BlockDriver, Blocks, ClothModel, Compression, Material, MembraneModel, MembraneScaling,
    ProjectedCloth, ProjectionStiffness, RestShape, RopeBlocks, RowDriver, RowStep, Substep, Supports,
};

/// Cells along each side: 8 192 and 32 768 faces.
const CELLS: [u32; 2] = [64, 128];
/// Sweeps of a frame.
const SWEEPS: u32 = 10;
/// Length of a frame \[s\].
const FRAME: f64 = 1.0 / 60.0;

/// A square meter of cloth, held at two of its corners.
struct Swing {
    topology: SurfaceTopology,
    rest: RestShape,
    coords: Vec<DVec2>,
    inverse_masses: Vec<f64>,
    cloth: ClothModel,
}

/// Positions and velocities.
#[derive(Clone)]
struct State {
    rows: Vec<Row>,
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
    let faces = (0..cells * cells).map(|cell| (cell % cells, cell / cells)).flat_map(|(i, j)| {
        let at = |i: u32, j: u32| numbers[(j * side + i) as usize];
        let [a, b, c, d] = [at(i, j), at(i + 1, j), at(i + 1, j + 1), at(i, j + 1)];
        if (i + j) % 2 == 0 { [[a, b, c], [a, c, d]] } else { [[a, b, d], [b, c, d]] }
    });
    let mut faces: Vec<_> = faces.collect();
    faces.sort_by_key(|face| face.iter().copied().min());
    (order.into_iter().map(point).collect(), faces)
}

impl Swing {
    fn new(cells: u32, membrane: MembraneModel, bending: BendingModel) -> Self {
        let (coords, faces) = square(cells);
        let topology = SurfaceTopology::from_faces(coords.len(), faces);
        let rest = RestShape::flat(&topology, &coords);
        let material = Material::isotropic(0.2, 2000.0, 0.3, 5e-5);
        let cloth = ClothModel {
            material,
            membrane,
            bending,
            rest_curvature: [0.0; 3],
            scaling: MembraneScaling::ByArea,
            compression: Compression::Full,
        };
        let masses = rest.lumped_masses(&topology, std::slice::from_ref(&cloth));
        let is_held = |u: &DVec2| u.y > 0.8999 && !(0.1001..0.8999).contains(&u.x);
        let inverse_masses =
            masses.iter().zip(&coords).map(|(m, u)| if is_held(u) { 0.0 } else { 1.0 / m }).collect();
        Self { topology, rest, coords, inverse_masses, cloth }
    }

    fn blocks(&self) -> Blocks {
        let cloths = std::slice::from_ref(&self.cloth);
        Blocks::build(&self.topology, &self.rest, cloths, &Supports::new(&self.inverse_masses))
    }

    fn xpbd(&self) -> RowDriver {
        RowDriver::xpbd(&self.topology, &self.blocks())
    }

    fn pbd(&self) -> RowDriver {
        let cloths = [ProjectedCloth { model: &self.cloth, stiffness: ProjectionStiffness::default() }];
        RowDriver::pbd(&self.topology, &self.rest, &cloths, &RopeBlocks::default(), &[])
    }

    fn start(&self) -> State {
        let x: Vec<_> = self.coords.iter().map(|u| DVec3::new(u.x, 0.0, -u.y)).collect();
        let mut rows = Vec::new();
        fill_rows(&mut rows, &x, &self.inverse_masses);
        State { rows, velocities: vec![DVec3::ZERO; x.len()] }
    }
}

/// One frame, of which `sweeps` makes the sweeps; it gets the rows at the start of the frame as well.
fn frame(state: &mut State, sweeps: impl FnOnce(&mut [Row], &[Row])) {
    let start = state.rows.clone();
    for (row, v) in state.rows.iter_mut().zip(&mut state.velocities).filter(|(row, _)| row.inverse_mass > 0.0)
    {
        *v -= DVec3::Y * (9.81 * FRAME);
        row.position = (row.position() + *v * FRAME).to_array();
    }
    sweeps(&mut state.rows, &start);
    for ((row, v), start) in state.rows.iter().zip(&mut state.velocities).zip(&start) {
        *v = (row.position() - start.position()) * (1.0 / FRAME);
    }
}

fn row_frame(driver: &mut RowDriver, state: &mut State) {
    frame(state, |rows, start| {
        driver.begin_substep(start);
        for sweep in 0..SWEEPS {
            driver.sweep(rows, RowStep { h: FRAME, sweep, sweeps: SWEEPS });
        }
    });
}

fn block_frame(driver: &mut BlockDriver, state: &mut State) {
    frame(state, |rows, _| (0..SWEEPS).for_each(|sweep| driver.sweep(rows, Substep::forward(FRAME, sweep))));
}

fn bench(criterion: &mut Criterion) {
    rayon::ThreadPoolBuilder::new().num_threads(1).build_global().expect("the first pool");
    for cells in CELLS {
        let faces = 2 * cells * cells;
        let mut group = criterion.benchmark_group(format!("frame of {SWEEPS} sweeps, {faces} faces"));
        group.sample_size(20);
        let distance = Swing::new(cells, MembraneModel::Distance, BendingModel::None);
        group.throughput(Throughput::Elements(distance.topology.edge_count() as u64 * u64::from(SWEEPS)));
        for (name, mut driver) in [("pbd, distance", distance.pbd()), ("xpbd, distance", distance.xpbd())] {
            let mut state = distance.start();
            group.bench_function(name, |bencher| bencher.iter(|| row_frame(&mut driver, &mut state)));
        }
        for (name, membrane, bending) in [
            ("strain", MembraneModel::Strain, BendingModel::None),
            ("edges", MembraneModel::Edges, BendingModel::None),
            ("strain and hinges", MembraneModel::Strain, BendingModel::Hinge),
        ] {
            let swing = Swing::new(cells, membrane, bending);
            group.throughput(Throughput::Elements(u64::from(faces * SWEEPS)));
            let (mut driver, mut state) = (swing.xpbd(), swing.start());
            group.bench_function(format!("xpbd, {name}"), |bencher| {
                bencher.iter(|| row_frame(&mut driver, &mut state));
            });
            let mut driver = BlockDriver::build(&swing.topology, &swing.blocks());
            let mut state = swing.start();
            group.bench_function(format!("block, {name}"), |bencher| {
                bencher.iter(|| block_frame(&mut driver, &mut state));
            });
        }
    }
}

criterion_group!(benches, bench);
criterion_main!(benches);
