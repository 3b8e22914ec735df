//! The membrane where its law is not linear, against the scalar blocks and against differences: bounded compression, stiffening in
//! tension, and both.

use super::super::linear::vectors::dot;
use super::super::objective::membrane::Membrane;
use super::super::objective::tiles::{FaceTiles, ZERO};
use super::super::objective::{Evaluation, NewtonProblem, System};
use super::super::*;
use crate::block::Curvature;
use crate::drivers::newton::objective::held;
use crate::model::{BendingModel, ClothModel, Compression};
use crate::testing::{Sheet, disturb, newton_step, stiff};
use taffeta_core::math::Sym2;

const RATE: f64 = 100.0;

fn buckling() -> ClothModel {
    let mut model = ClothModel { compression: Compression::BUCKLING, ..stiff() };
    model.material.bend = [2e-3, 1e-3];
    model.material.stretch = [2000.0, 900.0];
    model
}

/// A cloth that stiffens where it is stretched, by ten times over the strains of these tests.
fn stiffening(mut model: ClothModel) -> ClothModel {
    model.material.linearity = 0.7;
    // The curve ends at strains of a few percent.
    model.material.stretch = [20_000.0, 9000.0];
    model
}

/// A sheet with faces that are taut, wrinkled and slack.
fn disturbed(cells: u32, model: ClothModel) -> Sheet {
    let mut sheet = Sheet::square(cells, 0.3, model).pin(|u| u.y == 0.3);
    sheet.state.positions.iter_mut().for_each(|x| x.x *= 0.98);
    disturb(&mut sheet.state.positions, 0.1 / f64::from(cells));
    sheet
}

fn flat(x: &[DVec3]) -> Vec<f64> {
    x.iter().flat_map(|x| x.to_array()).collect()
}

/// Energy and gradient of the membrane at the positions of a sheet.
fn evaluate(sheet: &Sheet, blocks: &Blocks, rate: f64) -> (f64, Vec<f64>) {
    let tiles = FaceTiles::build(&sheet.topology);
    let mut membrane = Membrane::build(&tiles, &sheet.topology, &blocks.strain);
    let rest: Vec<DVec3> = sheet.material_coords.iter().map(|u| u.extend(0.0)).collect();
    membrane.begin_step(&tiles.corners, &flat(&rest));
    let mut corners = vec![[ZERO; 9]; tiles.tile_count()];
    let x = flat(&sheet.state.positions);
    let energy = membrane.evaluate(&tiles.corners, &x, rate, Curvature::Clamped, &mut corners);
    let mut gradient = vec![0.0; 3 * sheet.topology.vertex_count];
    tiles.gather(&corners, &mut gradient);
    (energy, gradient)
}

#[test]
fn energy_and_gradient_are_those_of_the_scalar_blocks() {
    for model in [
        buckling(),
        ClothModel { bending: BendingModel::None, ..buckling() },
        stiffening(stiff()),
        stiffening(buckling()),
    ] {
        let is_bounded = model.compression != Compression::Full;
        let full = ClothModel { compression: Compression::Full, ..model.clone() };
        let sheet = disturbed(7, model);
        let blocks = sheet.blocks();
        let (energy, gradient) = evaluate(&sheet, &blocks, 0.0);
        let only = Blocks { strain: blocks.strain.clone(), ..Blocks::default() };
        let (x, plate) = (&sheet.state.positions.raw, PlateState::default());
        let expected = only.energy(x, &plate).stretch;
        assert!((energy / expected - 1.0).abs() < 1e-9, "{energy} {expected}");
        let mut forces = vec![DVec3::ZERO; x.len()];
        only.add_gradient(x, &plate, &mut forces);
        let scale = forces.iter().fold(0.0, |most: f64, force| most.max(force.length()));
        for (found, expected) in gradient.iter().zip(flat(&forces)) {
            assert!((found - expected).abs() < 1e-8 * scale, "{found} {expected}");
        }
        // The full law is far stiffer.
        let full = Sheet { cloths: vec![full], ..sheet };
        let of_full = evaluate(&full, &full.blocks(), 0.0).0;
        assert!(!is_bounded || of_full > 1.05 * energy, "{of_full} {energy}");
    }
}

#[test]
fn faces_that_bear_any_compression_have_the_bits_of_the_full_law() {
    let run = |critical: Option<Sym2>| {
        let sheet = disturbed(6, ClothModel { compression: Compression::Full, ..buckling() });
        let mut blocks = sheet.blocks();
        blocks.strain.iter_mut().for_each(|block| block.critical = critical);
        let (energy, gradient) = evaluate(&sheet, &blocks, RATE);
        (energy, gradient, solve(&sheet, &blocks, LinearSolver::Conjugate).0)
    };
    let full = run(None);
    assert!(run(Some(Sym2::diagonal(1e300))) == full);
    assert!(run(Some(Sym2::diagonal(f64::INFINITY))) == full);
    assert!(run(Some(Sym2::diagonal(1.0))) != full);
}

/// A step of 1/60 s from the disturbed state, and its report.
fn solve(sheet: &Sheet, blocks: &Blocks, solver: LinearSolver) -> (Vec<DVec3>, NewtonReport) {
    let limits = NewtonLimits {
        iterations: 60,
        tolerance: 1e-10,
        linear_tolerance: 1e-2,
        linear_iterations: u32::MAX,
    };
    newton_step(sheet, blocks, &sheet.state.positions.raw, 1.0 / 60.0, solver, limits)
}

#[test]
fn both_linear_solvers_find_the_same_step() {
    check_both_linear_solvers(Sheet::square(8, 0.3, buckling()).pin(|u| u.y == 0.3), 0.98);
    // Taut: slack sheets of this stiffness take more iterations than there are, with a linear law too.
    let taut = Sheet::square(8, 0.3, stiffening(stiff())).pin(|u| u.x == 0.0 || u.x == 0.3);
    check_both_linear_solvers(taut, 1.03);
}

/// On a sheet whose width is changed by a factor.
fn check_both_linear_solvers(mut sheet: Sheet, width: f64) {
    sheet.state.positions.iter_mut().for_each(|x| x.x *= width);
    disturb(&mut sheet.state.positions, 1e-3);
    let blocks = sheet.blocks();
    let [(exact, direct), (found, conjugate)] =
        [LinearSolver::Factorized, LinearSolver::Conjugate].map(|solver| solve(&sheet, &blocks, solver));
    println!("{direct:?} {conjugate:?}");
    assert!(direct.converged && conjugate.converged, "{direct:?} {conjugate:?}");
    let apart = exact.iter().zip(&found).map(|(a, b)| a.distance(*b)).fold(0.0, f64::max);
    assert!(apart < 1e-6, "{apart}");
}

#[test]
fn steps_have_the_same_bits_for_any_number_of_threads() {
    let run = |threads: usize| {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
        pool.install(|| {
            let sheet = disturbed(40, buckling());
            solve(&sheet, &sheet.blocks(), LinearSolver::Conjugate).0
        })
    };
    let reference = run(1);
    assert!([2, 3].into_iter().all(|threads| run(threads) == reference));
}

/// Gradient against differences of the energy and, with damping, the product with the Hessian against those of the gradient.
#[test]
fn gradient_and_product_agree_with_finite_differences_where_faces_wrinkle_and_stiffen() {
    let models = [buckling(), stiffening(buckling())];
    for (damping, model) in [0.0, 0.01].into_iter().flat_map(|d| models.clone().map(|model| (d, model))) {
        let mut model = ClothModel { bending: BendingModel::None, ..model };
        model.material.stretch_damping = damping;
        let sheet = disturbed(4, model.clone());
        // Without bending: what is left is the exact Hessian of the membrane.
        let mut blocks = sheet.blocks();
        blocks.strain.iter_mut().for_each(|block| block.critical = Some(Sym2::diagonal(30.0)));
        let rest: Vec<DVec3> = sheet.material_coords.iter().map(|u| u.extend(0.0)).collect();
        let inertia: Vec<f64> = sheet.state.masses.iter().map(|m| m * 1e4).collect();
        let problem = NewtonProblem {
            inertia: &inertia,
            predicted: &rest,
            held: &sheet.state.held,
            damping_rate: RATE,
            drag: Drags::default(),
            contacts: Contacts::default(),
            clamps: &[],
        };
        let mut system = System::build(&sheet.topology, &blocks, |_| 0.0);
        // Stretched already, so that what stiffens has a stress at the start.
        let begun: Vec<DVec3> = rest.iter().map(|x| *x * 1.01).collect();
        system.begin_step(&flat(&begun), &[]);
        let z = flat(&sheet.state.positions);
        let at = |system: &mut System, z: &[f64]| {
            let mut out = Evaluation::default();
            system.evaluate(z, &problem, Curvature::Exact, &mut out);
            out
        };
        let base = at(&mut system, &z);
        let mut hessian = Hessian::build(&sheet.topology, &system);
        hessian.update(&system, &problem);
        let scale = base.gradient.iter().fold(0.0, |most: f64, g| most.max(g.abs()));
        let mut direction: Vec<f64> = (0..z.len()).map(|i| (1.3 * i as f64).sin()).collect();
        held::mask(&sheet.state.held, &mut direction);
        let along = |d: f64| z.iter().zip(&direction).map(|(z, p)| z + d * p).collect::<Vec<f64>>();
        let step = 1e-7;
        let (plus, minus) = (at(&mut system, &along(step)), at(&mut system, &along(-step)));
        let slope = (plus.energy - minus.energy) / (2.0 * step);
        let expected = dot(&base.gradient, &direction);
        assert!((slope - expected).abs() < 1e-6 * scale, "{slope} {expected}");
        at(&mut system, &z);
        let (mut product, mut work) = (vec![0.0; z.len()], hessian.new_work(&system));
        hessian.product(&system, &z, &direction, &problem, &mut product, &mut work);
        let size = product.iter().fold(0.0, |most: f64, p| most.max(p.abs()));
        for (i, expected) in product.iter().enumerate() {
            let difference = (plus.gradient[i] - minus.gradient[i]) / (2.0 * step);
            // The floor of the tangent is a ten-thousandth.
            assert!((difference - expected).abs() < 1e-3 * size, "{i}: {difference} {expected}");
        }
    }
}

/// A strip pushed together in its plane by a tenth bears what the cloth in a cell does, times its width; fine enough, it is the
/// full law again.
#[test]
fn a_strip_pushed_together_bears_the_buckling_stress_of_its_cells() {
    let size = 0.3;
    let force = |cells: u32, model: ClothModel| {
        let mut sheet = Sheet::square(cells, size, model);
        sheet.state.positions.iter_mut().for_each(|x| x.x *= 0.9);
        let (_, gradient) = evaluate(&sheet, &sheet.blocks(), 0.0);
        let ends = sheet.material_coords.iter().enumerate().filter(|(_, u)| u.x == size);
        ends.map(|(i, _)| -gradient[3 * i]).sum::<f64>()
    };
    let full = |cells: u32| force(cells, ClothModel { compression: Compression::Full, ..buckling() });
    for cells in [2, 4, 8] {
        let critical = 2e-3 * (std::f64::consts::PI * f64::from(cells) / size).powi(2);
        let found = force(cells, buckling());
        // Green's strain is one of squares: force per width is 0.9 times the stress.
        let most = 0.9 * critical * size;
        assert!(found < most * (1.0 + 1e-12) && found > 0.95 * most, "{cells}: {found} {most}");
        assert!(found < 0.2 * full(cells), "{cells}: {found} {}", full(cells));
    }
    assert!(force(40, buckling()) == full(40));
}
