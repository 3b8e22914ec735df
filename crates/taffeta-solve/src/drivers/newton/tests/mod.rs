mod drag;
mod friction;
mod hessian;
mod wrinkle;

use super::*;
use crate::block::Curvature;
use crate::model::{BendingModel, ClothModel, MembraneModel};
use crate::testing::{Sheet, disturb, stiff};
use taffeta_core::{ContactRow, Friction, VertexIndex};

fn driver(sheet: &Sheet, pressure: f64, solver: LinearSolver) -> NewtonDriver {
    sewn_driver(sheet, (pressure, Vec::new()), solver)
}

fn sewn_driver(
    sheet: &Sheet,
    (pressure, stitches): (f64, Vec<Stitch>),
    solver: LinearSolver,
) -> NewtonDriver {
    let points: Vec<DVec3> = sheet.material_coords.iter().map(|u| u.extend(0.0)).collect();
    let pressures = vec![pressure; sheet.topology.face_count()];
    let site = Site { points: &points, charts: None, face_pressures: &pressures, bodies: 0 };
    let blocks = Blocks { stitches, ..sheet.blocks() };
    NewtonDriver::build(&sheet.topology, &blocks, site, solver, None)
}

pub(super) fn models() -> Vec<ClothModel> {
    let mut out = Vec::new();
    for bending in
        [BendingModel::Hinge, BendingModel::Averaged, BendingModel::Curvature, BendingModel::Quadratic]
    {
        for membrane in [MembraneModel::Strain, MembraneModel::Edges] {
            let mut model = ClothModel { membrane, bending, ..stiff() };
            (model.material.stretch_damping, model.material.bend_damping) = (0.01, 0.02);
            model.material.bend = [2e-3, 1e-3];
            out.push(model);
        }
    }
    out
}

/// A closed contact of such vertices.
pub(super) fn contact(vertices: [VertexIndex; 4], weights: [f64; 4]) -> ContactRow {
    ContactRow {
        vertices,
        weights,
        normal: DVec3::new(0.0, 0.6, 0.8),
        offset: 0.2,
        thickness: 1e-3,
        body_displacement: DVec3::ZERO,
        friction: Friction { static_: 0.5, kinetic: 0.4 },
    }
}

/// Gradient against differences of the energy, product against differences of the gradient.
#[test]
fn gradient_and_product_agree_with_finite_differences() {
    for model in models() {
        let mut sheet = Sheet::square(4, 0.3, model.clone()).pin(|u| u.y == 0.3);
        let start = sheet.state.positions.raw.clone();
        disturb(&mut sheet.state.positions, 0.01);
        let mut driver = driver(&sheet, 40.0, LinearSolver::Conjugate);
        let mut plate = PlateState::new(&sheet.blocks().plate, Vec::new());
        driver.begin_step(&start, &plate);
        for (e, scalar) in plate.scalars.iter_mut().enumerate() {
            *scalar = if sheet.blocks().plate.edges[e].has_scalar { 0.1 * (e as f64).sin() } else { 0.0 };
        }
        let inertia: Vec<f64> = sheet.state.masses.iter().map(|m| m * 1e4).collect();
        let [a, b, c] = sheet.topology.faces.raw[0];
        let rows = [contact([a, b, c, a], [0.5, 0.3, 0.2, 0.0]), contact([b; 4], [1.0, 0.0, 0.0, 0.0])];
        // One sticks and has borne friction before; the other one slides.
        let origins = rows.map(|row| row.interpolate(|vi| start[vi.0 as usize]));
        let carried = DVec3::new(0.01, 0.02, 0.03);
        let sticking = FrictionSpring { origin: origins[0], carried, stiffness: 40.0, left: 1e-3 };
        let away = DVec3::new(0.3, 0.1, 0.0);
        let sliding = FrictionSpring { origin: origins[1] - away, left: -1e-3, ..sticking };
        let problem = NewtonProblem {
            inertia: &inertia,
            predicted: &start,
            held: &sheet.state.held,
            damping_rate: 100.0,
            drag: Drags::default(),
            contacts: Contacts {
                rows: &rows,
                springs: &[sticking, sliding],
                stiffnesses: &[30.0; 2],
                ..Contacts::default()
            },
            clamps: &[],
        };
        driver.load(&sheet.state.positions, &plate);
        let z = driver.point.clone();
        let mut base = Evaluation::default();
        driver.system.grip(&z, &problem, &vec![0.0; z.len()], None);
        driver.system.evaluate(&z, &problem, Curvature::Exact, &mut base);
        assert!(driver.contact_states().iter().all(ContactState::is_closed));
        assert_eq!(
            [0, 1].map(|k| (driver.contact_states()[k].holds, driver.contact_states()[k].slides)),
            [(true, false), (false, true)]
        );
        let unknowns = 3 * start.len() + plate.scalars.len();
        let is_free = |i: usize| {
            if i < 3 * start.len() {
                !sheet.state.held.raw[i / 3][i % 3]
            } else {
                sheet.blocks().plate.edges[i - 3 * start.len()].has_scalar
            }
        };
        let scale = base.gradient.iter().map(|g| g.abs()).fold(0.0, f64::max);
        let mut direction = vec![0.0; z.len()];
        for i in (0..unknowns).filter(|i| is_free(*i)) {
            direction[i] = (1.3 * i as f64).sin();
            let mut shifted = |d: f64| {
                let mut y = z.clone();
                y[i] += d;
                let mut out = Evaluation::default();
                driver.system.evaluate(&y, &problem, Curvature::Exact, &mut out);
                out.energy
            };
            let difference = (shifted(1e-7) - shifted(-1e-7)) / 2e-7;
            // The rim's forces have no energy.
            let expected = base.gradient[i] + base.rim.get(i).copied().unwrap_or(0.0);
            assert!((difference - expected).abs() < 2e-6 * scale, "{model:?}: {i}: {difference} {expected}");
        }
        let mut gradients = [1e-7, -1e-7].map(|d| {
            let y: Vec<f64> = z.iter().zip(&direction).map(|(z, p)| z + d * p).collect();
            let mut out = Evaluation::default();
            driver.system.evaluate(&y, &problem, Curvature::Exact, &mut out);
            let rim = out.rim.iter().chain(std::iter::repeat(&0.0));
            out.gradient.iter().zip(rim).map(|(g, f)| g + f).collect::<Vec<f64>>()
        });
        driver.system.evaluate(&z, &problem, Curvature::Exact, &mut base);
        let mut product = vec![0.0; z.len()];
        let Linear::Conjugate(solver) = &mut driver.linear else { panic!("not conjugate gradients") };
        let hessian = &mut solver.hessian;
        hessian.update(&driver.system, &problem);
        let mut work = hessian.new_work(&driver.system);
        hessian.product(&driver.system, &z, &direction, &problem, &mut product, &mut work);
        let bends = model.bending != BendingModel::Quadratic;
        let [plus, minus] = &mut gradients;
        let size = product.iter().map(|p| p.abs()).fold(0.0, f64::max);
        // Bending is Gauss-Newton: its product is not the derivative away from the rest state.
        let tolerance = if bends { 0.05 } else { 1e-6 };
        for i in (0..unknowns).filter(|i| is_free(*i)) {
            let difference = (plus[i] - minus[i]) / 2e-7;
            assert!(
                (difference - product[i]).abs() < tolerance * size,
                "{model:?}: {i}: {difference} {}",
                product[i]
            );
        }
    }
}

/// The equilibrium by a few long steps: with s = 1 s inertia is negligible.
#[test]
fn settled_drop_is_the_same_at_every_resolution() {
    for (bending, solver) in [BendingModel::Hinge, BendingModel::Curvature]
        .into_iter()
        .flat_map(|b| [(b, LinearSolver::Conjugate), (b, LinearSolver::Factorized)])
    {
        for n in [8, 16, 32, 64] {
            let mut sheet = Sheet::square(n, 1.0, ClothModel { bending, ..stiff() }).pin(|u| u.y == 1.0);
            let mut driver = driver(&sheet, 0.0, solver);
            let mut plate = PlateState::new(&sheet.blocks().plate, Vec::new());
            let s = 1.0;
            for _ in 0..3 {
                let x = &mut sheet.state.positions.raw;
                let predicted: Vec<_> = x.iter().map(|x| *x + DVec3::new(0.0, -9.81 * s * s, 0.0)).collect();
                let inertia: Vec<f64> = sheet.state.masses.iter().map(|m| m / (s * s)).collect();
                let problem = NewtonProblem {
                    inertia: &inertia,
                    predicted: &predicted,
                    held: &sheet.state.held,
                    damping_rate: 0.0,
                    drag: Drags::default(),
                    contacts: Contacts::default(),
                    clamps: &[],
                };
                driver.begin_step(x, &plate);
                let limits = NewtonLimits {
                    iterations: 50,
                    tolerance: 1e-6,
                    linear_tolerance: 1e-2,
                    linear_iterations: u32::MAX,
                };
                let report = driver.solve(x, &mut plate, &problem, limits).unwrap();
                println!("{solver:?} {bending:?} {n}: {report:?}");
                assert!(report.converged, "{report:?}");
            }
            let drop = -sheet.mean_bottom();
            println!("{bending:?} {n}: drop {drop}");
            assert!((drop / 0.48e-3 - 1.0).abs() < 0.01, "{n} cells: {drop}");
        }
    }
}

/// A falling sheet after some steps of a frame, with grids that are computed by every step or shared.
fn fall(sheet: &Sheet, driver: &mut NewtonDriver, are_grids_shared: bool) -> (Vec<DVec3>, u32) {
    let h = 1.0 / 240.0;
    let mut plate = PlateState::new(&sheet.blocks().plate, Vec::new());
    let mut x = sheet.state.positions.raw.clone();
    let mut velocities = vec![DVec3::ZERO; x.len()];
    let inertia: Vec<f64> = sheet.state.masses.iter().map(|m| m / (h * h)).collect();
    let mut iterations = 0;
    driver.begin_frame();
    for _ in 0..4 {
        if !are_grids_shared {
            driver.begin_frame();
        }
        let start = x.clone();
        let predict = |(x, v): (&DVec3, &DVec3)| *x + *v * h + DVec3::new(0.0, -9.81, 5.0) * (h * h);
        let predicted: Vec<_> = x.iter().zip(&velocities).map(predict).collect();
        let problem = NewtonProblem {
            inertia: &inertia,
            predicted: &predicted,
            held: &sheet.state.held,
            damping_rate: 1.0 / h,
            drag: Drags::default(),
            contacts: Contacts::default(),
            clamps: &[],
        };
        driver.begin_step(&start, &plate);
        let limits = NewtonLimits {
            iterations: 20,
            tolerance: 1e-9,
            linear_tolerance: 1e-2,
            linear_iterations: u32::MAX,
        };
        let report = driver.solve(&mut x, &mut plate, &problem, limits).unwrap();
        assert!(report.converged, "{report:?}");
        iterations += report.linear_iterations;
        velocities.iter_mut().zip(x.iter().zip(&start)).for_each(|(v, (x, start))| *v = (*x - *start) / h);
    }
    (x, iterations)
}

#[test]
fn steps_of_a_frame_share_grids_and_find_the_same() {
    let model = ClothModel { bending: BendingModel::Curvature, ..stiff() };
    let mut sheet = Sheet::square(24, 1.0, model).pin(|u| u.y == 1.0);
    for (i, x) in sheet.state.positions.raw.iter_mut().enumerate().filter(|(_, x)| x.y < 1.0) {
        x.z += 1e-4 * (7.3 * i as f64).sin();
    }
    let mut used = driver(&sheet, 0.0, LinearSolver::Conjugate);
    let (shared, shared_iterations) = fall(&sheet, &mut used, true);
    let (own, own_iterations) = fall(&sheet, &mut used, false);
    let (_, again) = fall(&sheet, &mut driver(&sheet, 0.0, LinearSolver::Conjugate), true);
    let farthest = shared.iter().zip(&own).map(|(a, b)| a.distance(*b)).fold(0.0, f64::max);
    println!("{farthest:e} m apart, {shared_iterations} and {own_iterations} iterations");
    assert!(farthest < 1e-7, "{farthest}");
    assert!(shared_iterations * 4 < own_iterations * 5, "{shared_iterations} of {own_iterations}");
    assert_eq!(again, shared_iterations);
    // A frame that begins knows of none before: a driver that is used finds the same bits as a new one.
    assert_eq!(fall(&sheet, &mut used, true).0, shared);
}

/// Panels that threads join are one cloth to conjugate gradients, however fine they are: 9, 11 and 19 iterations.
#[test]
fn sewing_takes_few_iterations_of_conjugate_gradients_on_any_mesh() {
    let iterations = |n: u32| {
        let mut sheet = Sheet::row_of_squares(4, n, 0.3, stiff()).pin(|u| u.x == 0.0);
        let side = n + 1;
        let pair = |number: u32, row: u32| {
            let right = number * side * side + row * side + n;
            [right, (number + 1) * side * side + row * side].map(VertexIndex)
        };
        let pairs = (0..3).flat_map(|number| (0..side).map(move |row| pair(number, row)));
        let thread = |vertices| Stitch { vertices, gap: DVec3::X * 0.029, stiffness: 8000.0, reach: 1.0 };
        let stitches: Vec<Stitch> = pairs.map(thread).collect();
        let mut driver = sewn_driver(&sheet, (0.0, stitches), LinearSolver::Conjugate);
        let mut plate = PlateState::new(&sheet.blocks().plate, Vec::new());
        let (h, x) = (1.0 / 240.0, &mut sheet.state.positions.raw);
        let predicted: Vec<_> = x.iter().map(|x| *x + DVec3::new(0.0, -9.81 * h * h, 1e-4)).collect();
        let inertia: Vec<f64> = sheet.state.masses.iter().map(|m| m / (h * h)).collect();
        let problem = NewtonProblem {
            inertia: &inertia,
            predicted: &predicted,
            held: &sheet.state.held,
            damping_rate: 0.0,
            drag: Drags::default(),
            contacts: Contacts::default(),
            clamps: &[],
        };
        driver.begin_step(x, &plate);
        let limits = NewtonLimits {
            iterations: 4,
            tolerance: 0.0,
            linear_tolerance: 1e-2,
            linear_iterations: u32::MAX,
        };
        let report = driver.solve(x, &mut plate, &problem, limits).unwrap();
        report.linear_iterations / report.iterations
    };
    let found = [20, 40, 80].map(iterations);
    println!("{found:?}");
    // The last four of each solve only tell that those before them were enough.
    assert!(found.iter().all(|count| *count <= 24 + 4), "{found:?}");
}
