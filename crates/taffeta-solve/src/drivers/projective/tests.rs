//! Tests of the whole driver.

use super::singular::{SignedSingularValues, change_singular_values_2, clamp_product};
use super::*;
use crate::block::Tetrahedron;
use crate::model::{BendingModel, ClothModel, MembraneModel};
use crate::testing::{Sheet, disturb, stiff};
use glam::{DMat3, DVec2};
use taffeta_core::VertexIndex;
use taffeta_core::index::DenseIndex;
use taffeta_core::random::SplitMix64;

const H: f64 = 1.0 / 60.0;

fn model(membrane: MembraneModel) -> ClothModel {
    ClothModel { membrane, ..stiff() }
}

fn constraints_of(sheet: &Sheet) -> ProjectiveConstraints {
    let places = RestPlaces { positions: &sheet.state.positions.raw, is_curved: &[false] };
    cloth_constraints(&sheet.topology, &sheet.rest, &sheet.cloths, places)
}

fn driver_of(sheet: &Sheet, constraints: ProjectiveConstraints) -> ProjectiveDriver {
    let points: Vec<DVec3> = sheet.material_coords.iter().map(|u| u.extend(0.0)).collect();
    let problem =
        ProjectiveProblem { masses: &sheet.state.masses.raw, held: &sheet.state.held.raw, points: &points };
    ProjectiveDriver::build(problem, constraints)
}

/// A vector of numbers from −1 to 1.
fn noise(random: &mut SplitMix64) -> DVec3 {
    let mut number = || 2.0 * random.next_unit() - 1.0;
    DVec3::new(number(), number(), number())
}

/// Everything that the library has, on one tetrahedron and a triangle beside it.
fn all_kinds() -> (ProjectiveConstraints, Vec<DVec3>) {
    let rest = [DVec3::ZERO, DVec3::X, DVec3::new(0.1, 0.9, 0.0), DVec3::new(0.2, 0.1, 1.1)];
    let tetrahedron = Tetrahedron::new([0, 1, 2, 3].map(VertexIndex), rest);
    let limit =
        |measure, limits, weight| TetrahedronLimits { rest: tetrahedron.clone(), measure, limits, weight };
    let gradients = [DVec2::new(-1.0, -0.8), DVec2::new(1.0, 0.0), DVec2::new(0.0, 0.8)];
    let vertices = [1, 2, 3].map(VertexIndex);
    let constraints = ProjectiveConstraints {
        edges: vec![EdgeStrain {
            vertices: [0, 2].map(VertexIndex),
            length: 0.8,
            limits: [0.9, 1.1],
            weight: 40.0,
        }],
        triangles: vec![TriangleStrain { vertices, gradients, limits: [0.9, 1.05], weight: 30.0 }],
        tetrahedra: vec![limit(TetrahedronMeasure::Strain, [0.95, 1.05], 25.0)],
        volumes: vec![limit(TetrahedronMeasure::Volume, [0.9, 1.1], 35.0)],
        rings: vec![RingBend {
            vertices: [3, 0, 1, 2].map(VertexIndex).to_vec(),
            coefficients: vec![-1.5, 0.4, 0.5, 0.6],
            length: 0.3,
            weight: 12.0,
        }],
    };
    (constraints, rest.to_vec())
}

fn small_driver() -> (ProjectiveDriver, Vec<DVec3>) {
    let (constraints, rest) = all_kinds();
    let problem = ProjectiveProblem { masses: &[0.3, 0.2, 0.4, 0.1], held: &[[false; 3]; 4], points: &rest };
    (ProjectiveDriver::build(problem, constraints), rest)
}

#[test]
fn forces_agree_with_finite_differences_of_the_energy() {
    let (driver, rest) = small_driver();
    let mut random = SplitMix64(5);
    for _ in 0..20 {
        let x: Vec<DVec3> = rest.iter().map(|x| *x + noise(&mut random) * 0.15).collect();
        let gradient = driver.energy(&x).gradient;
        for i in 0..x.len() {
            for axis in [DVec3::X, DVec3::Y, DVec3::Z] {
                let at = |step: f64| {
                    let mut moved = x.clone();
                    moved[i] += axis * step;
                    let energy = driver.energy(&moved);
                    energy.stretch + energy.bend
                };
                let slope = (at(1e-6) - at(-1e-6)) / 2e-6;
                let error = (slope - gradient[i].dot(axis)).abs();
                assert!(error < 2e-5 * (1.0 + slope.abs()), "{i} {axis}: {slope}, off by {error}");
            }
        }
    }
}

/// No admissible value is closer than the projection: of many near it and many anywhere.
fn assert_closest<const R: usize, const V: usize>(
    constraint: &impl Constraint<R, V>,
    (z, slack): ([DVec3; R], f64),
    admissible: &mut dyn FnMut() -> [DVec3; R],
) {
    let p = constraint.clone().project(&z);
    let distance = |q: &[DVec3; R]| q.iter().zip(&z).map(|(q, z)| q.distance_squared(*z)).sum::<f64>().sqrt();
    let again = constraint.clone().project(&p);
    let moved = again.iter().zip(&p).map(|(a, b)| a.distance(*b)).fold(0.0, f64::max);
    assert!(moved < 1e-9, "the projection is admissible: {moved}");
    for _ in 0..300 {
        let q = admissible();
        assert!(distance(&p) <= distance(&q) + slack, "{p:?} for {z:?}, but {q:?} is closer");
    }
}

#[test]
fn projections_are_closest_points() {
    let (all, _) = all_kinds();
    let mut random = SplitMix64(11);
    let mut other = SplitMix64(12);
    for round in 0..60 {
        let near = if round % 2 == 0 { 0.02 } else { 1.0 };
        let z = [noise(&mut random), noise(&mut random), noise(&mut random)];
        macro_rules! check {
            ($kind:expr, $rows:expr) => {{
                let constraint = $kind.clone();
                let z = std::array::from_fn::<_, $rows, _>(|r| z[r]);
                let p = constraint.clone().project(&z);
                // Admissible values: projections of what lies around the projection, or anywhere.
                assert_closest(&constraint, (z, 1e-9), &mut || {
                    constraint.clone().project(&p.map(|p| p + noise(&mut other) * near))
                });
            }};
        }
        check!(all.edges[0], 1);
        check!(all.triangles[0], 2);
        check!(all.tetrahedra[0], 3);
        check!(all.volumes[0], 3);
    }
}

#[test]
fn the_product_of_singular_values_is_met_by_the_closest_ones() {
    let mut random = SplitMix64(3);
    for _ in 0..200 {
        let sigma: [f64; 2] = [0.2 + 2.0 * random.next_unit(), 0.1 + random.next_unit()];
        let target = 0.3 + random.next_unit();
        let s = clamp_product(sigma, [target; 2]);
        assert!((s[0] * s[1] - target).abs() < 1e-12);
        let square = |s: [f64; 2]| (s[0] - sigma[0]).powi(2) + (s[1] - sigma[1]).powi(2);
        let best = (1..4000).map(|i| f64::from(i) * 1e-3).map(|a| square([a, target / a]));
        let best = best.fold(f64::INFINITY, f64::min);
        assert!(square(s) <= best + 1e-9, "{sigma:?} {target}: {} against {best}", square(s));
    }
}

#[test]
fn matrices_are_decomposed_and_put_together_again() {
    let mut random = SplitMix64(21);
    let mut matrices: Vec<DMat3> = (0..300)
        .map(|_| DMat3::from_cols(noise(&mut random), noise(&mut random), noise(&mut random)))
        .collect();
    matrices.push(DMat3::ZERO);
    matrices.push(DMat3::from_cols(DVec3::X, DVec3::X, DVec3::X * 2.0));
    matrices.push(DMat3::from_cols(DVec3::X, DVec3::Y, DVec3::ZERO));
    matrices.push(DMat3::from_diagonal(DVec3::new(1.0, -1.0, 1.0)));
    for f in matrices {
        let values = SignedSingularValues::of(f);
        let error = columns_distance(values.with(values.sigma), f);
        assert!(error < 1e-12, "{f}: {error}");
        for rotation in [values.u, values.v] {
            assert!((rotation.determinant() - 1.0).abs() < 1e-12, "{f}: {rotation}");
            assert!(columns_distance(rotation * rotation.transpose(), DMat3::IDENTITY) < 1e-12, "{f}");
        }
        let [a, b, c] = values.sigma;
        assert!(a >= b && b >= c.abs() - 1e-12, "{:?}", values.sigma);
    }
}

fn columns_distance(a: DMat3, b: DMat3) -> f64 {
    let d = a - b;
    d.x_axis.length() + d.y_axis.length() + d.z_axis.length()
}

#[test]
fn a_triangle_without_area_gets_its_shape_back() {
    for f in [[DVec3::ZERO; 2], [DVec3::X, DVec3::X * 2.0], [DVec3::ZERO, DVec3::Y * 1e-3]] {
        let t = change_singular_values_2(f, |_| [1.0; 2]);
        let gram = [t[0].dot(t[0]), t[0].dot(t[1]), t[1].dot(t[1])];
        let error = gram.iter().zip([1.0, 0.0, 1.0]).map(|(a, b)| (a - b).abs()).fold(0.0, f64::max);
        assert!(error < 1e-12, "{f:?}: {t:?}");
    }
}

/// `w (z − p)` by lanes against one element at a time, degenerate triangles among them.
#[test]
fn lanes_pull_as_single_constraints_do() {
    for membrane in [MembraneModel::Strain, MembraneModel::Edges] {
        let sheet = Sheet::square(5, 1.0, model(membrane));
        let mut driver = driver_of(&sheet, constraints_of(&sheet));
        let mut x = sheet.state.positions.raw.clone();
        disturb(&mut x, 0.05);
        x[7] = x[8];
        driver.begin_step(&x, H).unwrap();
        driver.find_forces();
        let reference = driver.energy(&x).gradient;
        for (vertex, expected) in reference.iter().enumerate() {
            let force = narrow(driver.work.forces[driver.places[vertex] as usize]);
            let scale = 1.0 + expected.length();
            assert!((force - *expected).length() < 1e-10 * scale, "{vertex}: {force} {expected}");
        }
    }
}

#[test]
fn no_iteration_raises_the_objective() {
    let sheets = [MembraneModel::Strain, MembraneModel::Edges].map(|membrane| {
        let sheet = Sheet::square(6, 1.0, model(membrane)).pin(|u| u.y > 0.99);
        let mut x = sheet.state.positions.raw.clone();
        disturb(&mut x, 0.1);
        (driver_of(&sheet, constraints_of(&sheet)), x)
    });
    let (driver, rest) = small_driver();
    let mut random = SplitMix64(9);
    let crumpled = rest.iter().map(|x| *x + noise(&mut random) * 0.8).collect();
    for (mut driver, x) in sheets.into_iter().chain([(driver, crumpled)]) {
        driver.begin_step(&x, H).unwrap();
        let mut last = driver.objective();
        let first = last;
        for iteration in 0..60 {
            driver.iterate();
            let now = driver.objective();
            assert!(now <= last * (1.0 + 1e-12), "iteration {iteration}: {now} after {last}");
            last = now;
        }
        assert!(last < first, "{last} of {first}");
    }
}

/// Gradient descent with halved steps on the objective of the same step, by the energies alone.
#[test]
fn it_converges_to_the_minimum_of_the_objective() {
    let (mut driver, rest) = small_driver();
    let mut random = SplitMix64(2);
    let predicted: Vec<DVec3> = rest.iter().map(|x| *x + noise(&mut random) * 0.1).collect();
    // A long step, in which elasticity decides and not inertia.
    let h = 0.2;
    driver.begin_step(&predicted, h).unwrap();
    (0..3000).for_each(|_| driver.iterate());
    let masses = [0.3, 0.2, 0.4, 0.1];
    let evaluate = |x: &[DVec3]| {
        let mut energy = driver.energy(x);
        let mut value = energy.stretch + energy.bend;
        for i in 0..x.len() {
            value += 0.5 * masses[i] / (h * h) * x[i].distance_squared(predicted[i]);
            energy.gradient[i] += (x[i] - predicted[i]) * (masses[i] / (h * h));
        }
        (value, energy.gradient)
    };
    let mut x = predicted.clone();
    let mut stride = 1e-2;
    for _ in 0..20_000 {
        let (value, gradient) = evaluate(&x);
        let moved: Vec<DVec3> = x.iter().zip(&gradient).map(|(x, g)| *x - *g * stride).collect();
        let square: f64 = gradient.iter().map(|g| g.length_squared()).sum();
        if evaluate(&moved).0 <= value - 0.25 * stride * square {
            x = moved;
            stride *= 1.5;
        } else {
            stride *= 0.5;
        }
    }
    let apart = driver.positions().iter().zip(&x).map(|(a, b)| a.distance(*b)).fold(0.0, f64::max);
    let moved = x.iter().zip(&predicted).map(|(a, b)| a.distance(*b)).fold(0.0, f64::max);
    assert!(moved > 0.02 && apart < 1e-6, "{apart} apart, {moved} moved");
}

#[test]
fn refactored_only_when_the_step_changes() {
    let sheet = Sheet::square(6, 1.0, model(MembraneModel::Strain)).pin(|u| u.y > 0.99);
    let mut driver = driver_of(&sheet, constraints_of(&sheet));
    assert_eq!(driver.factorizations(), 0);
    let x = &sheet.state.positions.raw;
    for (h, expected) in [(H, 1), (H, 1), (0.5 * H, 2), (0.5 * H, 2), (H, 3)] {
        driver.begin_step(x, h).unwrap();
        (0..3).for_each(|_| driver.iterate());
        assert_eq!(driver.factorizations(), expected);
    }
}

#[test]
fn held_axes_stay_and_the_others_move() {
    let mut sheet = Sheet::square(4, 1.0, model(MembraneModel::Strain));
    sheet.state.held.raw[3] = [true, false, true];
    sheet.state.held.raw[9] = [true; 3];
    let mut x = sheet.state.positions.raw.clone();
    disturb(&mut x, 0.1);
    let mut driver = driver_of(&sheet, constraints_of(&sheet));
    driver.begin_step(&x, H).unwrap();
    (0..4000).for_each(|_| driver.iterate());
    let (y, forces) = (driver.positions(), driver.energy(&driver.positions()).gradient);
    assert_eq!((y[3].x, y[3].z, y[9]), (x[3].x, x[3].z, x[9]));
    assert!((y[3].y - x[3].y).abs() > 1e-3);
    // What is free is in balance.
    for (i, held) in sheet.state.held.iter().enumerate() {
        let force = forces[i] + (y[i] - x[i]) * (sheet.state.masses.raw[i] / (H * H));
        for axis in (0..3).filter(|axis| !held[*axis]) {
            assert!(force[axis].abs() < 1e-4, "{i}, axis {axis}: {force}");
        }
    }
}

/// Bending of a cylinder: `½ D κ²` times the area of the vertices inside, on every pattern that has right angles.
#[test]
fn a_cylinder_has_the_energy_of_the_plate() {
    for cells in [8, 16, 32] {
        let sheet = Sheet::square(cells, 1.0, model(MembraneModel::Strain));
        let driver = driver_of(&sheet, constraints_of(&sheet));
        let curvature = 0.2;
        for turned in [false, true] {
            let bent = |u: &DVec2| {
                let (along, across) = if turned { (u.y, u.x) } else { (u.x, u.y) };
                let angle = curvature * along;
                DVec3::new(angle.sin() / curvature, across, (1.0 - angle.cos()) / curvature)
            };
            let x: Vec<DVec3> = sheet.material_coords.iter().map(bent).collect();
            let inside = (f64::from(cells - 1) / f64::from(cells)).powi(2);
            let exact = 0.5 * 5e-5 * curvature * curvature * inside;
            let energy = driver.energy(&x).bend;
            assert!((energy / exact - 1.0).abs() < 1e-3, "{cells}, {turned}: {}", energy / exact);
        }
    }
}

/// Edges of exact length are the springs of the block of edge lengths with a diagonal compliance.
#[test]
fn a_converged_step_by_edges_is_that_of_newtons_method() {
    use crate::drivers::newton::{
        Contacts, Drags, LinearSolver, NewtonDriver, NewtonLimits, NewtonProblem, Site,
    };
    use crate::plate::PlateState;
    use nalgebra::{Matrix3, Vector3};
    let bare = ClothModel { bending: BendingModel::None, ..model(MembraneModel::Edges) };
    let sheet = Sheet::square(4, 1.0, bare).pin(|u| u.y > 0.99 && (u.x < 0.01 || u.x > 0.99));
    let mut blocks = sheet.blocks();
    for (block, area) in blocks.lengths.iter_mut().zip(sheet.rest.areas.iter()) {
        let weights = block.lengths.map(|l| 2000.0 * area / (l * l));
        block.stiffness = Matrix3::from_diagonal(&Vector3::from(weights));
        block.compliance = Matrix3::from_diagonal(&Vector3::from(weights.map(|w| 1.0 / w)));
    }
    let start = sheet.state.positions.raw.clone();
    let mut predicted = start.clone();
    for (i, held) in sheet.state.held.iter().enumerate().filter(|(_, held)| !held[0]) {
        assert!(!held[1]);
        let t = i as f64;
        predicted[i] += DVec3::new(0.0, -9.81 * H * H, 0.01 * (t * 0.7).sin());
    }
    let points: Vec<DVec3> = sheet.material_coords.iter().map(|u| u.extend(0.0)).collect();
    let inertia: Vec<f64> = sheet.state.masses.iter().map(|m| m / (H * H)).collect();
    let problem = NewtonProblem {
        inertia: &inertia,
        predicted: &predicted,
        held: &sheet.state.held.raw,
        damping_rate: 0.0,
        drag: Drags::default(),
        contacts: Contacts::default(),
        clamps: &[],
    };
    let site = Site { points: &points, charts: None, face_pressures: &[], bodies: 0 };
    let mut newton = NewtonDriver::build(&sheet.topology, &blocks, site, LinearSolver::Factorized, None);
    let mut plate = PlateState::new(&blocks.plate, Vec::new());
    let mut exact = predicted.clone();
    newton.begin_step(&start, &plate);
    let limits = NewtonLimits {
        iterations: 200,
        tolerance: 1e-13,
        linear_tolerance: 1e-10,
        linear_iterations: u32::MAX,
    };
    newton.solve(&mut exact, &mut plate, &problem, limits).unwrap();
    let mut driver = driver_of(&sheet, constraints_of(&sheet));
    driver.begin_step(&predicted, H).unwrap();
    (0..5000).for_each(|_| driver.iterate());
    let apart = driver.positions().iter().zip(&exact).map(|(a, b)| a.distance(*b)).fold(0.0, f64::max);
    let moved = exact.iter().zip(&predicted).map(|(a, b)| a.distance(*b)).fold(0.0, f64::max);
    assert!(moved > 1e-3 && apart < 1e-7, "{apart} apart, {moved} moved");
}

/// A block of tetrahedra that starts flat and inside out takes its shape again in free flight, and keeps its momentum.
#[test]
fn a_solid_that_was_flattened_gets_up() {
    let n = 2u32;
    let at = |i: u32, j: u32, k: u32| VertexIndex((k * (n + 1) + j) * (n + 1) + i);
    let count = ((n + 1) * (n + 1) * (n + 1)) as usize;
    let mut rest = vec![DVec3::ZERO; count];
    for (i, j, k) in grid_points(n + 1) {
        rest[at(i, j, k).to_usize()] = DVec3::new(f64::from(i), f64::from(j), f64::from(k)) * 0.1;
    }
    let mut constraints = ProjectiveConstraints::default();
    for (i, j, k) in grid_points(n) {
        let steps = [[0, 1, 2], [1, 2, 0], [2, 0, 1], [0, 2, 1], [2, 1, 0], [1, 0, 2]];
        for axes in steps {
            let mut place = [i, j, k];
            let mut corners = [at(i, j, k); 4];
            for (corner, axis) in corners[1..].iter_mut().zip(axes) {
                place[axis] += 1;
                *corner = at(place[0], place[1], place[2]);
            }
            // Half of them are left-handed, with a negative volume.
            let rest = Tetrahedron::new(corners, corners.map(|vi| rest[vi.to_usize()]));
            let (weight, limits) = (1e4 * rest.volume.abs(), [1.0; 2]);
            let measure = TetrahedronMeasure::Strain;
            let strain = TetrahedronLimits { rest, measure, limits, weight };
            constraints
                .volumes
                .push(TetrahedronLimits { measure: TetrahedronMeasure::Volume, ..strain.clone() });
            constraints.tetrahedra.push(strain);
        }
    }
    let masses = vec![0.01; count];
    let problem = ProjectiveProblem { masses: &masses, held: &vec![[false; 3]; count], points: &rest };
    let mut driver = ProjectiveDriver::build(problem, constraints);
    // Flat and inside out.
    let mut x: Vec<DVec3> = rest.iter().map(|x| DVec3::new(x.x, -0.1 * x.y, x.z)).collect();
    let mut v = vec![DVec3::new(0.3, 0.0, -0.1); count];
    for _ in 0..300 {
        let predicted: Vec<DVec3> = x.iter().zip(&v).map(|(x, v)| *x + *v * H).collect();
        driver.begin_step(&predicted, H).unwrap();
        (0..10).for_each(|_| driver.iterate());
        let y = driver.positions();
        v = y.iter().zip(&x).map(|(y, x)| (*y - *x) / H).collect();
        x = y;
    }
    let momentum: DVec3 = v.iter().sum::<DVec3>() / count as f64;
    assert!((momentum - DVec3::new(0.3, 0.0, -0.1)).length() < 1e-9, "{momentum}");
    let energy = driver.energy(&x);
    assert!(energy.stretch < 1e-4, "the shape is back: {}", energy.stretch);
    assert_eq!(driver.factorizations(), 1);
}

fn grid_points(n: u32) -> impl Iterator<Item = (u32, u32, u32)> {
    (0..n * n * n).map(move |c| (c % n, c / n % n, c / (n * n)))
}
