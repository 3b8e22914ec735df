//! The slow oracle of the plate's sweeps.

use super::plate::{bent, blocks_with, bottom_edges, face_blocks, pricked, rows_of};
use super::{Oracle, let_down};
use crate::block::{Block, FaceCurvature, UpdateStep, block_update, gather};
use crate::drivers::block::plate::{fits_lanes, lane_vertices};
use crate::drivers::block::*;
use crate::model::BendingModel;
use crate::plate::angle;
use crate::testing::{Sheet, disturb};
use nalgebra::Vector3;
use taffeta_core::color::color_elements;

/// The slow oracle: faces one by one in the order of the colors, then `φ` edge by edge.
struct PlateOracle {
    plate: Plate,
    state: PlateState,
    angles: Vec<f64>,
    blocks: Vec<FaceCurvature>,
    lambda: Vec<Vector3<f64>>,
    start: Vec<Vector3<f64>>,
    edge_order: Vec<usize>,
}

impl PlateOracle {
    fn new(plate: &Plate, state: &PlateState, x: &[DVec3]) -> Self {
        let all = face_blocks(plate);
        let mut blocks = in_order::<6>(&all, x.len());
        blocks.extend(in_order::<5>(&all, x.len()));
        blocks.extend(in_order::<4>(&all, x.len()));
        blocks.extend(all.iter().filter(|block| !block.is_regular()).cloned());
        let (odd, even): (Vec<_>, Vec<_>) =
            (0..plate.edges.len()).partition(|e| plate.edges[*e].clamp.is_some());
        let vertices: Vec<_> = even.iter().map(|e| plate.edges[*e].vertices).collect();
        let colors = color_elements(&vertices, x.len()).concat();
        let mut oracle = Self {
            angles: plate.edges.iter().map(|edge| edge.reference).collect(),
            lambda: vec![Vector3::zeros(); blocks.len()],
            start: Vec::new(),
            edge_order: colors.iter().map(|k| even[*k as usize]).chain(odd).collect(),
            plate: plate.clone(),
            state: state.clone(),
            blocks,
        };
        oracle.start = (0..oracle.blocks.len())
            .map(|k| {
                oracle.refresh(k);
                oracle.blocks[k].constraint(&gather(oracle.blocks[k].vertices, x))
            })
            .collect();
        oracle
    }

    fn refresh(&mut self, k: usize) {
        let block = &mut self.blocks[k];
        for row in 0..block.row_count() {
            let e = block.numbers[row] as usize;
            block.scalars[row] = self.state.scalars[e];
            block.edges[row].as_mut().unwrap().reference = self.angles[e];
            if let Some(clamp) = self.plate.edges[e].clamp {
                block.normals[row] = self.state.clamps[clamp as usize];
            }
        }
    }

    fn sweep(&mut self, x: &mut [DVec3], w: &[f64], h: f64) {
        for k in 0..self.blocks.len() {
            self.refresh(k);
            let vertices = self.blocks[k].vertices;
            let step = UpdateStep { h, lambda: self.lambda[k], start: self.start[k] };
            let masses = vertices.map(|vi| w[vi.0 as usize]);
            let (delta, moves) = block_update(&self.blocks[k], &gather(vertices, x), &masses, &step);
            self.lambda[k] += delta;
            vertices.iter().zip(moves).for_each(|(vi, d)| x[vi.0 as usize] += d);
        }
        for (edge, last) in self.plate.edges.iter_mut().zip(&mut self.angles) {
            edge.reference = *last;
            *last = angle(edge, x, &self.state.clamps);
        }
        for &e in self.edge_order.iter().filter(|e| self.plate.edges[**e].has_scalar) {
            let (mut moment, mut stiffness) = (0.0, 0.0);
            for (face, k) in self.plate.edges[e].sides.iter().flatten() {
                let (face, k) = (&self.plate.faces[*face as usize], *k as usize);
                let eta = face.eta(&self.plate.edges, &self.angles, &self.state.scalars);
                moment += face.signs[k] * (face.stiffness * (eta - face.rest))[k];
                stiffness += face.stiffness[(k, k)];
            }
            self.state.scalars[e] -= moment / stiffness;
        }
    }
}

/// The blocks of one kind of lanes in the order of their colors.
fn in_order<const V: usize>(all: &[FaceCurvature], vertex_count: usize) -> Vec<FaceCurvature> {
    let blocks: Vec<_> = all.iter().filter(|block| fits_lanes::<V>(block)).collect();
    let vertices: Vec<[_; V]> = blocks.iter().map(|block| lane_vertices(block)).collect();
    color_elements(&vertices, vertex_count).concat().iter().map(|k| blocks[*k as usize].clone()).collect()
}

fn assert_lanes_agree_with_the_oracle(mut sheet: Sheet) {
    let clamps = bottom_edges(&sheet);
    disturb(&mut sheet.state.positions, 0.002);
    let blocks = blocks_with(&sheet, &clamps);
    let rows_by_kind = [6, 5, 4]
        .map(|v| face_blocks(&blocks.plate).iter().filter(|b| b.is_regular() && b.vertex_count == v).count());
    let mut state = PlateState::new(&blocks.plate, vec![DVec3::new(0.0, 0.6, 0.8); clamps.len()]);
    for (e, scalar) in state.scalars.iter_mut().enumerate() {
        *scalar = if blocks.plate.edges[e].has_scalar { 0.03 * (e as f64).sin() } else { 0.0 };
    }
    let x0 = sheet.state.positions.raw.clone();
    let w = sheet.state.inverse_masses.raw.clone();
    let mut rows = rows_of(&sheet);
    let mut driver = BlockDriver::build(&sheet.topology, &blocks);
    driver.set_plate_state(&state);
    driver.begin_substep(&rows);
    let mut x = x0.clone();
    let mut strain = Oracle::new(&blocks.strain, &x);
    let mut hinges = Oracle::new(&without_clamped(&blocks.hinges, &blocks.plate), &x);
    let mut plate = PlateOracle::new(&blocks.plate, &state, &x);
    let_down(&mut rows, (&mut x, &w));
    let h = 1.0 / 240.0;
    for sweep in 0..3 {
        driver.sweep(&mut rows, Substep::forward(h, sweep));
        strain.sweep(&mut x, &w, h);
        hinges.sweep(&mut x, &w, h);
        plate.sweep(&mut x, &w, h);
    }
    let moved = x.iter().zip(&x0).map(|(a, b)| a.distance(*b)).fold(0.0, f64::max);
    assert!(moved > 1e-3, "the sheet moved: {moved}");
    let error = rows.iter().zip(&x).map(|(row, x)| row.position().distance(*x)).fold(0.0, f64::max);
    assert!(error < 1e-11, "{error}, {rows_by_kind:?}");
    for (scalar, expected) in driver.scalars().iter().zip(&plate.state.scalars) {
        assert!((scalar - expected).abs() < 1e-8, "{scalar} against {expected}");
    }
    for ((angle, expected), edge) in driver.plate_angles().iter().zip(&plate.angles).zip(&blocks.plate.edges)
    {
        let is_hinge = sheet.cloths[0].bending == BendingModel::Hinge && edge.clamp.is_none();
        assert!(is_hinge || (angle - expected).abs() < 1e-8, "{angle} against {expected}");
    }
}

#[test]
fn lanes_agree_with_the_scalar_updates() {
    for bending in [BendingModel::Curvature, BendingModel::Averaged, BendingModel::Hinge] {
        for damping in [0.0, 0.01] {
            let mut model = bent(bending);
            model.material.bend = [3e-3, 1e-3];
            model.material.bend_damping = damping;
            model.rest_curvature = [0.7, -0.2, 0.1];
            assert_lanes_agree_with_the_oracle(Sheet::square(7, 0.5, model.clone()).pin(|u| u.y == 0.5));
            assert_lanes_agree_with_the_oracle(pricked(7, model).pin(|u| u.y > 0.4 || u.y == 0.0));
        }
    }
}
