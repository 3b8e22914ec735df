mod cantilever;
mod plate;
mod plate_oracle;

use super::*;
use crate::block::{Block, UpdateStep, block_update, gather};
use crate::drivers::newton::{LinearSolver, NewtonLimits};
use crate::model::{BendingModel, ClothModel, Compression, MembraneModel, MembraneScaling};
use crate::testing::{Sheet, disturb, newton_step, stiff};
use glam::DVec3;
use nalgebra::SVector;
use taffeta_core::color::color_elements;
use taffeta_core::lanes::fill_rows;

/// The slow oracle: the same sweeps by scalar block updates, one block after the other in the order of the colors.
pub(super) struct Oracle<const R: usize, const V: usize, B> {
    blocks: Vec<B>,
    order: Vec<u32>,
    lambda: Vec<SVector<f64, R>>,
    start: Vec<SVector<f64, R>>,
}

impl<const R: usize, const V: usize, B: Block<R, V> + Clone> Oracle<R, V, B> {
    pub(super) fn new(blocks: &[B], x: &[DVec3]) -> Self {
        let vertices: Vec<_> = blocks.iter().map(Block::vertices).collect();
        Self {
            order: color_elements(&vertices, x.len()).concat(),
            lambda: vec![SVector::zeros(); blocks.len()],
            start: blocks.iter().map(|b| b.constraint(&gather(b.vertices(), x))).collect(),
            blocks: blocks.to_vec(),
        }
    }

    pub(super) fn sweep(&mut self, x: &mut [DVec3], w: &[f64], h: f64) {
        for &e in &self.order {
            let e = e as usize;
            let block = &self.blocks[e];
            let vertices = block.vertices();
            let step = UpdateStep { h, lambda: self.lambda[e], start: self.start[e] };
            let masses = vertices.map(|vi| w[vi.0 as usize]);
            let (delta, moves) = block_update(block, &gather(vertices, x), &masses, &step);
            self.lambda[e] += delta;
            vertices.iter().zip(moves).for_each(|(vi, d)| x[vi.0 as usize] += d);
        }
    }
}

fn assert_lanes_agree_with_the_oracle(model: ClothModel) {
    let mut sheet = Sheet::square(7, 0.5, model).pin(|u| u.y == 0.5);
    disturb(&mut sheet.state.positions, 0.004);
    let blocks = sheet.blocks();
    let x0 = sheet.state.positions.raw.clone();
    let w = sheet.state.inverse_masses.raw.clone();
    let mut rows = Vec::new();
    fill_rows(&mut rows, &x0, &w);
    let mut driver = BlockDriver::build(&sheet.topology, &blocks);
    driver.begin_substep(&rows);
    let mut x = x0.clone();
    let mut strain = Oracle::new(&blocks.strain, &x);
    let mut lengths = Oracle::new(&blocks.lengths, &x);
    let mut energies = Oracle::new(&blocks.energies, &x);
    let mut hinges = Oracle::new(&blocks.hinges, &x);
    let mut quadratic = Oracle::new(&blocks.quadratic, &x);
    let_down(&mut rows, (&mut x, &w));
    let h = 1.0 / 240.0;
    for sweep in 0..3 {
        driver.sweep(&mut rows, Substep::forward(h, sweep));
        strain.sweep(&mut x, &w, h);
        lengths.sweep(&mut x, &w, h);
        energies.sweep(&mut x, &w, h);
        hinges.sweep(&mut x, &w, h);
        quadratic.sweep(&mut x, &w, h);
    }
    let moved = x.iter().zip(&x0).map(|(a, b)| a.distance(*b)).fold(0.0, f64::max);
    assert!(moved > 1e-3, "the sheet moved: {moved}");
    for (row, expected) in rows.iter().zip(&x) {
        assert!(row.position().distance(*expected) < 1e-12, "{:?} against {expected}", row.position());
    }
}

/// Lets all that is not held down by a centimeter, in the rows and in the positions of an oracle.
pub(super) fn let_down(rows: &mut [Row], (x, w): (&mut [DVec3], &[f64])) {
    for row in rows {
        row.position[1] -= 0.01 * row.inverse_mass.min(1.0);
    }
    x.iter_mut().zip(w).for_each(|(x, w)| x.y -= 0.01 * w.min(1.0));
}

#[test]
fn lanes_agree_with_the_scalar_updates() {
    let models = [
        (MembraneModel::Strain, BendingModel::Hinge),
        (MembraneModel::Edges, BendingModel::Hinge),
        (MembraneModel::Energy, BendingModel::Hinge),
        (MembraneModel::EnergyPublished, BendingModel::Hinge),
        (MembraneModel::Strain, BendingModel::Quadratic),
    ];
    let scalings = [MembraneScaling::ByArea, MembraneScaling::Fixed(1e-3)];
    for ((membrane, bending), scaling) in models.into_iter().flat_map(|m| scalings.map(|s| (m, s))) {
        for damping in [0.0, 0.02] {
            let mut model = ClothModel { membrane, scaling, bending, ..stiff() };
            model.material.stretch = [900.0, 400.0];
            model.material.stretch_damping = damping;
            model.material.bend_damping = 0.5 * damping;
            model.material.bend = [3e-3, 1e-3];
            assert_lanes_agree_with_the_oracle(model);
        }
    }
}

#[test]
fn sweeps_keep_linear_momentum() {
    let mut sheet = Sheet::square(6, 0.4, stiff());
    disturb(&mut sheet.state.positions, 0.003);
    let mut driver = BlockDriver::build(&sheet.topology, &sheet.blocks());
    let mut rows = Vec::new();
    fill_rows(&mut rows, &sheet.state.positions, &sheet.state.inverse_masses);
    let moment = |rows: &[Row]| {
        rows.iter().zip(sheet.state.masses.iter()).map(|(r, m)| r.position() * *m).sum::<DVec3>()
    };
    let before = moment(&rows);
    for sweep in 0..5 {
        driver.sweep(&mut rows, Substep::forward(0.01, sweep));
    }
    assert!((moment(&rows) - before).length() < 1e-14 * sheet.state.masses.iter().sum::<f64>());
}

/// `substeps` steps of length `1/60 s / substeps` under gravity with strong velocity damping.
fn settled_drop(n: u32, substeps: u32, frames: u32) -> f64 {
    let mut sheet = Sheet::square(n, 1.0, stiff()).pin(|u| u.y == 1.0);
    let mut driver = BlockDriver::build(&sheet.topology, &sheet.blocks());
    let h = 1.0 / 60.0 / f64::from(substeps);
    let decay = taffeta_core::math::exp(-20.0 * h);
    let mut rows = Vec::new();
    let state = &mut sheet.state;
    fill_rows(&mut rows, &state.positions, &state.inverse_masses);
    for _ in 0..frames * substeps {
        for (row, v) in rows.iter_mut().zip(state.velocities.iter_mut()) {
            if row.inverse_mass > 0.0 {
                *v = *v * decay + DVec3::new(0.0, -9.81 * h, 0.0);
                row.position = (row.position() + *v * h).to_array();
            }
        }
        driver.sweep(&mut rows, Substep::forward(h, 0));
        for ((row, v), x) in rows.iter().zip(state.velocities.iter_mut()).zip(state.positions.iter_mut()) {
            *v = (row.position() - *x) / h;
            *x = row.position();
        }
    }
    -sheet.mean_bottom()
}

#[test]
fn settled_drop_approaches_the_truth_as_substeps_grow() {
    let drops = [1, 2, 4].map(|k| settled_drop(16, 16 * k, 30));
    println!("{drops:?}");
    let excess = drops.map(|d| d - 0.48e-3);
    assert!((excess[0] / excess[1] - 4.0).abs() < 0.8, "{excess:?}");
    let fine = settled_drop(16, 96, 30);
    assert!((fine / 0.48e-3 - 1.0).abs() < 0.1, "{fine}");
}

/// The largest distance between many block sweeps and the direct solution of a step whose forces are scaled, and the
/// largest motion of the step.
fn distance_to_direct(membrane: MembraneModel, scale: f64) -> [f64; 2] {
    let mut model = stiff();
    model.material.stretch = [40.0; 2];
    let swept = ClothModel { membrane, ..model.clone() };
    distance_of_models([swept, model], DVec3::new(0.0, -0.003, 0.01), scale)
}

/// Distance between a model that is swept over and one that is solved directly. The push is a displacement \[m\], to
/// the side in proportion to the place.
fn distance_of_models([swept, direct]: [ClothModel; 2], push: DVec3, scale: f64) -> [f64; 2] {
    let swept = Sheet::square(5, 0.5, swept).pin(|u| u.y == 0.5);
    let sheet = Sheet::square(5, 0.5, direct).pin(|u| u.y == 0.5);
    let start = sheet.state.positions.raw.clone();
    let free = |i: usize| f64::from(u8::from(sheet.state.inverse_masses.raw[i] > 0.0));
    let push = |(i, x): (usize, &DVec3)| *x + DVec3::new(push.x, push.y, push.z * x.x) * (scale * free(i));
    let predicted: Vec<_> = start.iter().enumerate().map(push).collect();
    let h = 1.0 / 60.0;
    let exact = solve_directly(&sheet, &predicted, h);
    let mut rows = Vec::new();
    fill_rows(&mut rows, &predicted, &sheet.state.inverse_masses);
    let mut block = BlockDriver::build(&swept.topology, &swept.blocks());
    for sweep in 0..1000 {
        block.sweep(&mut rows, Substep::forward(h, sweep));
    }
    let swept: Vec<_> = rows.iter().map(|row| row.position()).collect();
    [swept, start].map(|a| exact.iter().zip(&a).map(|(e, a)| e.distance(*a)).fold(0.0, f64::max))
}

/// The positions \[m\] at the end of a step of length `h` \[s\] by the factorizing Newton driver.
fn solve_directly(sheet: &Sheet, predicted: &[DVec3], h: f64) -> Vec<DVec3> {
    let limits = NewtonLimits {
        iterations: 100,
        tolerance: 1e-12,
        linear_tolerance: 1e-2,
        linear_iterations: u32::MAX,
    };
    let (x, report) = newton_step(sheet, &sheet.blocks(), predicted, h, LinearSolver::Factorized, limits);
    assert!(report.converged, "{report:?}");
    x
}

/// The sweeps add up `M⁻¹ Jᵀ Δλ` with the Jacobian of each moment, so they miss the minimizer of `W` by the square of the
/// step's motion. The distance falls faster than the motion.
#[test]
fn sweeps_approach_the_direct_solution_as_the_step_gets_smaller() {
    let [[far, motion], [near, _]] =
        [1.0, 0.25].map(|scale| distance_to_direct(MembraneModel::Strain, scale));
    assert!(far < 0.02 * motion, "{far} of {motion}");
    assert!(near < far / 10.0, "{near} against {far}");
}

/// A sheet that is pushed up against its pins, and bears less of that than the full law has.
#[test]
fn sweeps_over_faces_that_buckle_approach_the_direct_solution() {
    let push = DVec3::new(0.001, 0.006, 0.004);
    let mut model = ClothModel { compression: Compression::BUCKLING, ..stiff() };
    model.material.stretch = [40.0, 25.0];
    model.material.bend = [2e-4, 1e-4];
    for damping in [0.0, 0.02] {
        model.material.stretch_damping = damping;
        let full = ClothModel { compression: Compression::Full, ..model.clone() };
        let near = |scale: f64| distance_of_models([model.clone(), model.clone()], push, scale);
        let [[far, motion], [near, _]] = [1.0, 0.25].map(near);
        println!("{far} of {motion}, {near}");
        assert!(far < 0.002 * motion, "{far} of {motion}");
        assert!(near < far / 2.0, "{near} against {far}");
        let [apart, _] = distance_of_models([full, model.clone()], push, 1.0);
        assert!(apart > 10.0 * far, "the full law is another: {apart}");
    }
}

/// The row of the energy turns its gradient as the strain turns, however small the strain is. So the displacements that it
/// adds up over many sweeps of one step are not along the last gradient. It stops at another place than the minimizer of
/// `W`, and the distance falls only as the motion does. Small steps have the gradient of the strain that is already there.
#[test]
fn many_sweeps_over_energies_in_one_step_miss_the_direct_solution() {
    let [[far, motion], [near, _]] =
        [1.0, 0.25].map(|scale| distance_to_direct(MembraneModel::Energy, scale));
    println!("{far} of {motion}, {near}");
    assert!(far > 1e-3 * motion && near > far / 10.0, "{far} of {motion}, {near}");
}

#[test]
fn a_cloth_without_bending_has_no_hinges() {
    let sheet = Sheet::square(3, 1.0, ClothModel { bending: BendingModel::None, ..stiff() });
    assert!(sheet.blocks().hinges.is_empty());
}
