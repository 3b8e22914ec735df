use super::*;
use crate::drivers::block::{BlockDriver, Substep};
use crate::drivers::newton::{
    Contacts, Drags, LinearSolver, NewtonDriver, NewtonLimits, NewtonProblem, Site,
};
use crate::kinds::Blocks;
use crate::material::Material;
use crate::model::{BendingModel, ClothModel};
use crate::testing::{Sheet, disturb, stiff};
use glam::DVec3;
use taffeta_core::lanes::{Row, fill_rows};
use taffeta_core::math::Sym2;

/// Radius of curvature 10 cm, and what of it is elastic at most.
const KAPPA: f64 = 10.0;
const LIMIT: f64 = 6.0;

fn yielding(bending: BendingModel) -> ClothModel {
    let mut model = ClothModel { bending, ..stiff() };
    model.material.yield_curvature = Some(LIMIT);
    model.material.yield_hardening = 0.0;
    model
}

/// A sheet of 10 cm rolled onto a cylinder about an axis in its plane.
fn rolled(model: ClothModel, axis: f64) -> Sheet {
    let mut sheet = Sheet::square(10, 0.1, model);
    let (s, c) = axis.sin_cos();
    for (x, u) in sheet.state.positions.iter_mut().zip(&sheet.material_coords) {
        let (along, across) = (u.x * c + u.y * s, -u.x * s + u.y * c);
        let (sin, cos) = (KAPPA * across).sin_cos();
        let (y, z) = (sin / KAPPA, (1.0 - cos) / KAPPA);
        *x = DVec3::new(along * c - y * s, along * s + y * c, z);
    }
    sheet
}

/// Lets a sheet yield where it is, with the scalars of least energy; the blocks, their state, and what has happened.
fn let_yield(sheet: &mut Sheet) -> (Blocks, PlateState, PlasticFlow) {
    let mut blocks = sheet.blocks();
    let plate = &mut blocks.plate;
    let angles = plate.angles(&sheet.state.positions, &[]);
    let mut state = PlateState::new(plate, Vec::new());
    plate.minimize_scalars(&angles, &mut state.scalars);
    let flow = plate.yield_faces(&mut sheet.rest, &sheet.cloths, &angles, &state.scalars);
    (blocks, state, flow)
}

/// Returns whether all material coordinates of a face are at least so far from the outline \[m\].
fn is_inner(sheet: &Sheet, face: usize, margin: f64) -> bool {
    let corners = &sheet.rest.corners.raw[face];
    corners.iter().all(|u| u.min_element() > margin && u.max_element() < 0.1 - margin)
}

#[test]
fn a_rolled_sheet_keeps_the_curvature_beyond_its_limit_in_every_direction() {
    let mut model = yielding(BendingModel::Curvature);
    for bend in [[5e-5, 5e-5], [5e-5, 1e-5]] {
        model.material.bend = bend;
        // Of a plate of two stiffnesses the axes; in between Poisson's ratio mixes them.
        let axes: &[f64] =
            if bend[0] == bend[1] { &[0.0, 0.4, 0.8, 1.2] } else { &[0.0, std::f64::consts::FRAC_PI_2] };
        for axis in axes {
            let mut sheet = rolled(model.clone(), *axis);
            let (_, _, flow) = let_yield(&mut sheet);
            assert!(flow.faces > 150, "{} faces", flow.faces);
            let (s, c) = axis.sin_cos();
            let expected = KAPPA - LIMIT;
            for (face, plastic) in sheet.rest.plastic_curvatures.iter().enumerate() {
                if is_inner(&sheet, face, 0.025) {
                    // About the axis, whose normal in the plane is (−s, c).
                    let along = plastic.quadratic_form(glam::DVec2::new(-s, c));
                    let across = plastic.quadratic_form(glam::DVec2::new(c, s));
                    assert!((along / expected - 1.0).abs() < 0.02, "axis {axis}: {along}");
                    assert!(across.abs() < 0.03 * expected, "axis {axis}: {across}");
                }
            }
        }
    }
}

#[test]
fn what_hardens_keeps_less_and_sharp_folds_open_by_themselves() {
    let mut model = yielding(BendingModel::Curvature);
    model.material.yield_hardening = 0.25;
    let mut sheet = rolled(model, 0.0);
    let_yield(&mut sheet);
    let about_axis = |sheet: &Sheet| {
        let inner: Vec<f64> = (0..sheet.topology.face_count())
            .filter(|face| is_inner(sheet, *face, 0.025))
            .map(|face| sheet.rest.plastic_curvatures.raw[face].yy)
            .collect();
        inner.iter().sum::<f64>() / inner.len() as f64
    };
    let expected = (KAPPA - LIMIT) / 1.25;
    assert!((about_axis(&sheet) / expected - 1.0).abs() < 0.02, "{}", about_axis(&sheet));
    // Twice as sharp as what stays: H κ_p = κ_Y.
    let sharp = Sym2 { xx: 0.0, xy: 0.0, yy: 2.0 * LIMIT / 0.25 };
    sheet.rest.plastic_curvatures.iter_mut().for_each(|plastic| *plastic = sharp);
    let (blocks, ..) = let_yield(&mut sheet);
    assert!(blocks.plate.can_yield());
    // Still bent to KAPPA, with κ_e = KAPPA − κ_p: −κ_e + H κ_p = κ_Y.
    let expected = (KAPPA + LIMIT) / 1.25;
    assert!((about_axis(&sheet) / expected - 1.0).abs() < 0.02, "{}", about_axis(&sheet));
}

#[test]
fn a_sheet_that_is_rolled_less_stays_elastic() {
    let mut model = yielding(BendingModel::Curvature);
    model.material.yield_curvature = Some(1.05 * KAPPA);
    let mut sheet = rolled(model, 0.3);
    let (_, _, flow) = let_yield(&mut sheet);
    assert_eq!(flow, PlasticFlow::default());
    assert!(sheet.rest.plastic_curvatures.iter().all(|plastic| *plastic == Sym2::default()));
}

#[test]
fn yielding_lowers_the_energy_by_what_it_releases_and_happens_once() {
    for bending in [BendingModel::Curvature, BendingModel::Averaged] {
        let mut model = yielding(bending);
        model.material.yield_hardening = 0.2;
        let mut sheet = rolled(model, 0.7);
        disturb(&mut sheet.state.positions, 1e-3);
        let before = sheet.blocks();
        let (after, state, flow) = let_yield(&mut sheet);
        let x = &sheet.state.positions;
        let [before, after] = [before, after].map(|blocks| blocks.energy(x, &state).bend);
        assert!(flow.released > 0.1 * before, "{} of {before}", flow.released);
        assert!((before - after - flow.released).abs() < 1e-12 * before, "{before} {after}");
        // What bears its limit bears it: with the same scalars nothing flows on.
        let mut blocks = sheet.blocks();
        let angles = blocks.plate.angles(&sheet.state.positions, &[]);
        let again = blocks.plate.yield_faces(&mut sheet.rest, &sheet.cloths, &angles, &state.scalars);
        assert_eq!(again.faces, 0);
    }
}

#[test]
fn what_is_held_does_not_yield() {
    let mut sheet = rolled(yielding(BendingModel::Curvature), 0.0).pin(|_| true);
    assert!(!sheet.blocks().plate.can_yield());
    assert_eq!(let_yield(&mut sheet).2.faces, 0);
    let elastic = Sheet::square(3, 0.1, ClothModel { bending: BendingModel::Curvature, ..stiff() });
    assert!(!elastic.blocks().plate.can_yield());
    let hinges = Sheet::square(3, 0.1, yielding(BendingModel::Hinge));
    assert!(!hinges.blocks().plate.can_yield());
}

#[test]
fn the_norm_is_that_of_the_curvature_about_one_line_and_turns_with_it() {
    let of = |material: &Material, kappa: Sym2| {
        let voigt = Vector3::new(kappa.xx, kappa.yy, 2.0 * kappa.xy);
        voigt.dot(&(material.fold_norm() * voigt)).sqrt()
    };
    let isotropic = Material::isotropic(0.2, 1000.0, 0.3, 1e-5);
    for k in 0..16 {
        let (s, c) = (0.3 * f64::from(k)).sin_cos();
        let about_one_line = Sym2 { xx: 3.0 * c * c, xy: 3.0 * s * c, yy: 3.0 * s * s };
        assert!((of(&isotropic, about_one_line) - 3.0).abs() < 1e-14);
    }
    let mut orthotropic = isotropic.clone();
    orthotropic.bend = [4e-5, 1e-5];
    assert!((of(&orthotropic, Sym2 { xx: -2.0, xy: 0.0, yy: 0.0 }) - 2.0).abs() < 1e-14);
    assert!((of(&orthotropic, Sym2 { xx: 0.0, xy: 0.0, yy: 2.0 }) - 2.0).abs() < 1e-14);
    // Of an isotropic one the energy: D/2 (κ₁² + κ₂² + 2ν κ₁κ₂).
    assert!((of(&isotropic, Sym2::diagonal(1.0)) - (2.0 + 0.6_f64).sqrt()).abs() < 1e-14);
    // No stiffness along weft: the other direction still yields.
    orthotropic.bend = [4e-5, 0.0];
    assert!((of(&orthotropic, Sym2 { xx: 2.0, xy: 0.0, yy: 0.0 }) - 2.0).abs() < 1e-12);
}

/// Sheets with faces of all kinds: at the outline, around a vertex of valence 3, with two bending models.
fn samples() -> Vec<Sheet> {
    let mut sheets: Vec<Sheet> = [BendingModel::Curvature, BendingModel::Averaged]
        .map(|bending| rolled(yielding(bending), 0.5).pin(|u| u.x == 0.0))
        .into();
    for sheet in &mut sheets {
        disturb(&mut sheet.state.positions, 2e-3);
    }
    sheets
}

fn rows_of(sheet: &Sheet) -> Vec<Row> {
    let mut rows = Vec::new();
    fill_rows(&mut rows, &sheet.state.positions.raw, &sheet.state.inverse_masses.raw);
    rows
}

#[test]
fn a_block_driver_that_is_told_is_one_that_is_built_anew() {
    for mut sheet in samples() {
        let mut told = BlockDriver::build(&sheet.topology, &sheet.blocks());
        let (blocks, state, flow) = let_yield(&mut sheet);
        assert!(flow.faces > 50);
        told.set_rest(&blocks.plate);
        let mut anew = BlockDriver::build(&sheet.topology, &sheet.blocks());
        let [told, anew] = [&mut told, &mut anew].map(|driver| {
            driver.set_plate_state(&state);
            let mut rows = rows_of(&sheet);
            for sweep in 0..3 {
                driver.sweep(&mut rows, Substep::forward(1e-3, sweep));
            }
            (rows.iter().map(|row| row.position).collect::<Vec<_>>(), driver.scalars())
        });
        assert_eq!(told, anew);
    }
}

#[test]
fn a_newton_driver_that_is_told_is_one_that_is_built_anew() {
    for (mut sheet, linear) in samples().into_iter().zip([LinearSolver::Conjugate, LinearSolver::Factorized])
    {
        let points: Vec<DVec3> = sheet.material_coords.iter().map(|u| u.extend(0.0)).collect();
        let pressures = vec![0.0; sheet.topology.face_count()];
        let build = |sheet: &Sheet| {
            let site = Site { points: &points, charts: None, face_pressures: &pressures, bodies: 0 };
            NewtonDriver::build(&sheet.topology, &sheet.blocks(), site, linear, None)
        };
        let mut told = build(&sheet);
        let (blocks, state, flow) = let_yield(&mut sheet);
        assert!(flow.faces > 50);
        told.set_rest(&blocks.plate);
        let mut anew = build(&sheet);
        let start = sheet.state.positions.raw.clone();
        let inertia: Vec<f64> = sheet.state.masses.iter().map(|m| m / 1e-6).collect();
        let problem = NewtonProblem {
            inertia: &inertia,
            predicted: &start,
            held: &sheet.state.held.raw,
            damping_rate: 1e3,
            drag: Drags::default(),
            contacts: Contacts::default(),
            clamps: &[],
        };
        let limits = NewtonLimits {
            iterations: 3,
            tolerance: 1e-9,
            linear_tolerance: 1e-2,
            linear_iterations: u32::MAX,
        };
        let [told, anew] = [&mut told, &mut anew].map(|driver| {
            let (mut x, mut plate) = (start.clone(), state.clone());
            driver.begin_step(&x, &plate);
            driver.solve(&mut x, &mut plate, &problem, limits).unwrap();
            (x, plate)
        });
        assert!(told == anew && told.0 != start);
    }
}
