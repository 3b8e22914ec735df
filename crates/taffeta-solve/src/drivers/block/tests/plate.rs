use crate::block::testing::{assert_gradients_sum_to_zero, assert_jacobian};
use crate::block::{Block, FaceCurvature, gather};
use crate::drivers::block::*;
use crate::model::{BendingModel, ClothModel};
use crate::plate::Supports;
use crate::testing::{Sheet, disturb, stiff};
use glam::{DVec2, DVec3};
use taffeta_core::lanes::fill_rows;
use taffeta_core::{EdgeIndex, VertexIndex};

pub(super) fn bent(bending: BendingModel) -> ClothModel {
    ClothModel { bending, ..stiff() }
}

/// A rectangle of `cells` of equal sides \[m\] with diagonals that alternate or are all alike.
pub(super) fn rectangle(cells: [u32; 2], side: f64, alternating: bool) -> (Vec<DVec2>, Vec<[u32; 3]>) {
    let [m, n] = cells;
    let coords =
        (0..(m + 1) * (n + 1)).map(|i| DVec2::new(f64::from(i % (m + 1)), f64::from(i / (m + 1))) * side);
    let mut faces = Vec::new();
    for (i, j) in (0..n).flat_map(|j| (0..m).map(move |i| (i, j))) {
        let a = j * (m + 1) + i;
        let [b, c, d] = [a + 1, a + m + 2, a + m + 1];
        let odd = alternating && (i + j) % 2 == 1;
        faces.extend(if odd { [[a, b, d], [b, c, d]] } else { [[a, b, c], [a, c, d]] });
    }
    (coords.collect(), faces)
}

/// A square of which every fifth triangle is split in three, so that there are vertices of valence 3.
pub(super) fn pricked(n: u32, model: ClothModel) -> Sheet {
    let (mut coords, faces) = rectangle([n, n], 0.5 / f64::from(n), true);
    let mut split = Vec::new();
    for (k, [a, b, c]) in faces.into_iter().enumerate() {
        if k % 5 != 0 {
            split.push([a, b, c]);
            continue;
        }
        let p = coords.len() as u32;
        coords.push([a, b, c].iter().map(|v| coords[*v as usize]).sum::<DVec2>() / 3.0);
        split.extend([[a, b, p], [b, c, p], [c, a, p]]);
    }
    Sheet::of_triangles(coords, split, model)
}

/// The edges along the bottom of a sheet.
pub(super) fn bottom_edges(sheet: &Sheet) -> Vec<EdgeIndex> {
    let is_low = |vi: &VertexIndex| sheet.material_coords[vi.0 as usize].y == 0.0;
    let edges = sheet.topology.edges.iter_indexed();
    edges.filter(|(_, edge)| edge.vertices.iter().all(is_low)).map(|(ei, _)| ei).collect()
}

pub(super) fn blocks_with(sheet: &Sheet, clamps: &[EdgeIndex]) -> Blocks {
    let supports = Supports { inverse_masses: &sheet.state.inverse_masses, clamps };
    Blocks::build(&sheet.topology, &sheet.rest, &sheet.cloths, &supports)
}

pub(super) fn face_blocks(plate: &Plate) -> Vec<FaceCurvature> {
    plate.faces.iter().filter_map(|face| FaceCurvature::new(plate, face)).collect()
}

pub(super) fn rows_of(sheet: &Sheet) -> Vec<Row> {
    let mut rows = Vec::new();
    fill_rows(&mut rows, &sheet.state.positions, &sheet.state.inverse_masses);
    rows
}

#[test]
fn gradients_of_a_face_agree_with_finite_differences() {
    for mut sheet in
        [Sheet::square(3, 0.3, bent(BendingModel::Curvature)), pricked(3, bent(BendingModel::Curvature))]
    {
        disturb(&mut sheet.state.positions, 0.02);
        let clamps = bottom_edges(&sheet);
        let blocks = face_blocks(&blocks_with(&sheet, &clamps).plate);
        assert!(blocks.iter().any(|block| !block.is_regular()));
        for mut block in blocks {
            let x = gather(block.vertices, &sheet.state.positions);
            for k in 0..block.row_count() {
                // The gradients are those for a clamp that stands at a right angle to its edge.
                let [a, b, ..] = gather(block.edges[k].as_ref().unwrap().vertices, &x);
                block.normals[k] = (b - a).cross(DVec3::new(0.3, 0.9, -0.2)).normalize();
            }
            assert_jacobian(&block, x);
            if block.row_count() == 3 {
                assert_gradients_sum_to_zero(&block, x);
            }
        }
    }
}

#[test]
fn sweeps_keep_linear_momentum() {
    for sheet in
        [Sheet::square(6, 0.4, bent(BendingModel::Curvature)), pricked(6, bent(BendingModel::Curvature))]
    {
        let mut sheet = sheet;
        disturb(&mut sheet.state.positions, 0.003);
        let mut driver = BlockDriver::build(&sheet.topology, &sheet.blocks());
        let mut rows = rows_of(&sheet);
        let masses = &sheet.state.masses;
        let moment =
            |rows: &[Row]| rows.iter().zip(masses.iter()).map(|(r, m)| r.position() * *m).sum::<DVec3>();
        let before = moment(&rows);
        for sweep in 0..5 {
            driver.sweep(&mut rows, Substep::forward(0.01, sweep));
        }
        assert!((moment(&rows) - before).length() < 1e-14 * masses.iter().sum::<f64>());
    }
}

#[test]
fn blocks_and_hinges_have_the_energy_of_the_plate() {
    for bending in [BendingModel::Curvature, BendingModel::Averaged, BendingModel::Hinge] {
        let mut sheet = pricked(5, bent(bending)).pin(|u| u.y > 0.45);
        disturb(&mut sheet.state.positions, 0.01);
        let clamps = bottom_edges(&sheet);
        let blocks = blocks_with(&sheet, &clamps);
        let x = &sheet.state.positions;
        let mut state = PlateState::new(&blocks.plate, vec![DVec3::new(0.6, 0.0, 0.8); clamps.len()]);
        for (scalar, edge) in state.scalars.iter_mut().zip(&blocks.plate.edges).filter(|(_, e)| e.has_scalar)
        {
            *scalar = 0.1 * f64::from(edge.edge.0).sin();
        }
        let mut energy = 0.0;
        for mut block in face_blocks(&blocks.plate) {
            for row in 0..block.row_count() {
                block.scalars[row] = state.scalars[block.numbers[row] as usize];
                block.normals[row] = state.clamps[0];
            }
            energy += block.energy(&gather(block.vertices, x));
        }
        let hinges = without_clamped(&blocks.hinges, &blocks.plate);
        energy += hinges.iter().map(|b| b.energy(&gather(b.vertices, x))).sum::<f64>();
        let expected = blocks.plate.energy(&blocks.plate.angles(x, &state.clamps), &state.scalars);
        assert!((energy / expected - 1.0).abs() < 1e-11, "{bending:?}: {energy} against {expected}");
    }
}

/// Rolls a sheet onto a cylinder of curvature `kappa` \[1/m\] about an axis in its plane.
fn roll(sheet: &mut Sheet, kappa: f64, axis: f64) {
    let (s, c) = axis.sin_cos();
    for (x, u) in sheet.state.positions.iter_mut().zip(&sheet.material_coords) {
        let (along, across) = (u.x * c + u.y * s, -u.x * s + u.y * c);
        let (sin, cos) = (kappa * across).sin_cos();
        let (y, z) = (sin / kappa, (1.0 - cos) / kappa);
        *x = DVec3::new(along * c - y * s, along * s + y * c, z);
    }
}

/// The driver of a sheet after sweeps in which nothing moves.
fn still(sheet: &Sheet, blocks: &Blocks, sweeps: u32) -> BlockDriver {
    let mut driver = BlockDriver::build(&sheet.topology, blocks);
    let mut rows = rows_of(sheet);
    rows.iter_mut().for_each(|row| row.inverse_mass = 0.0);
    for sweep in 0..sweeps {
        driver.sweep(&mut rows, Substep::forward(0.001, sweep));
    }
    assert_eq!(rows.iter().map(Row::position).collect::<Vec<_>>(), sheet.state.positions.raw);
    driver
}

#[test]
fn the_energy_of_a_rolled_sheet_falls_to_the_truth() {
    for alternating in [true, false] {
        let (coords, faces) = rectangle([24, 24], 1.0 / 24.0, alternating);
        let mut sheet = Sheet::of_triangles(coords, faces, bent(BendingModel::Curvature));
        let blocks = blocks_with(&sheet, &[]);
        for k in 0..5 {
            let (kappa, axis) = (0.8, 0.4 * f64::from(k));
            roll(&mut sheet, kappa, axis);
            let energies = [1, 2, 4, 16].map(|sweeps| {
                let driver = still(&sheet, &blocks, sweeps);
                blocks.plate.energy(&driver.plate_angles(), &driver.scalars())
            });
            assert!(energies.windows(2).all(|pair| pair[1] <= pair[0]), "{energies:?}");
            // Free edges relax the curvature across them, in a margin of about one cell.
            let ratio = energies[3] / (0.5 * 5e-5 * kappa * kappa);
            assert!((0.9..1.005).contains(&ratio), "axis {axis}: {ratio}");
        }
    }
}

/// Greatest error of the scalars after sweeps over a still sheet, relative to the greatest scalar.
fn scalar_error(sheet: &Sheet, sweeps: u32) -> f64 {
    let clamps = bottom_edges(sheet);
    let blocks = blocks_with(sheet, &clamps);
    let driver = still(sheet, &blocks, sweeps);
    let angles = blocks.plate.angles(&sheet.state.positions, &vec![DVec3::ZERO; clamps.len()]);
    for (angle, expected) in driver.plate_angles().iter().zip(&angles) {
        assert!((angle - expected).abs() < 1e-12);
    }
    let mut expected = vec![0.0; angles.len()];
    blocks.plate.minimize_scalars(&angles, &mut expected);
    let size = expected.iter().fold(0.0f64, |a, b| a.max(b.abs()));
    driver.scalars().iter().zip(&expected).map(|(a, b)| (a - b).abs()).fold(0.0, f64::max) / size
}

#[test]
fn scalars_of_a_still_sheet_converge_to_those_of_least_energy() {
    let mut sheet = Sheet::square(8, 0.5, bent(BendingModel::Curvature)).pin(|u| u.y >= 0.4);
    disturb(&mut sheet.state.positions, 0.005);
    let mut slivers = pricked(8, bent(BendingModel::Curvature)).pin(|u| u.y >= 0.4);
    disturb(&mut slivers.state.positions, 0.005);
    // Around vertices of valence 3 the faces are slivers, and the pass converges more slowly.
    let errors = [(&sheet, 10), (&slivers, 30)].map(|(sheet, sweeps)| scalar_error(sheet, sweeps));
    assert!(errors.iter().all(|error| *error < 1e-3), "{errors:?}");
    assert!(scalar_error(&slivers, 80) < 1e-7);
}

#[test]
fn scalars_are_kept_and_can_be_set() {
    let sheet = Sheet::square(5, 0.5, bent(BendingModel::Curvature));
    let blocks = sheet.blocks();
    let mut driver = BlockDriver::build(&sheet.topology, &blocks);
    let mut state = PlateState::new(&blocks.plate, Vec::new());
    state.scalars.iter_mut().enumerate().for_each(|(e, scalar)| *scalar = e as f64);
    driver.set_plate_state(&state);
    assert_eq!(driver.scalars(), state.scalars);
}

/// A square folded about its middle line, which runs along y.
fn folded(sheet: &Sheet, middle: f64, angle: f64) -> Vec<DVec3> {
    let (s, c) = angle.sin_cos();
    let place = |u: &DVec2| {
        let d = u.x - middle;
        if d > 0.0 { DVec3::new(middle + d * c, u.y, d * s) } else { u.extend(0.0) }
    };
    sheet.material_coords.iter().map(place).collect()
}

#[test]
fn folds_through_a_half_turn_stay_finite_and_continue() {
    let (coords, faces) = rectangle([8, 8], 0.0625, true);
    let mut model = bent(BendingModel::Curvature);
    model.material.bend = [1e-6; 2];
    let sheet = Sheet::of_triangles(coords, faces, model);
    let blocks = sheet.blocks();
    let mut driver = BlockDriver::build(&sheet.topology, &blocks);
    let on_line = |edge: &&PlateEdge| {
        edge.vertices[..2].iter().all(|vi| sheet.material_coords[vi.0 as usize].x == 0.25)
    };
    let number = blocks.plate.edges.iter().position(|edge| on_line(&edge)).unwrap();
    for k in 0..=90 {
        let fold = f64::from(k) * 0.05;
        let mut rows = Vec::new();
        fill_rows(&mut rows, &folded(&sheet, 0.25, fold), &sheet.state.inverse_masses);
        let before: Vec<_> = rows.iter().map(Row::position).collect();
        driver.sweep(&mut rows, Substep::forward(1e-3, 0));
        let moved = rows.iter().zip(&before).map(|(row, x)| row.position().distance(*x)).fold(0.0, f64::max);
        assert!(moved < 0.01, "{fold}: moved by {moved}");
        assert!(driver.scalars().iter().all(|scalar| scalar.is_finite()));
        let angle = driver.plate_angles()[number];
        assert!((angle - fold).abs() < 0.05, "{fold}: {angle}");
    }
}

#[test]
fn the_result_has_the_same_bits_for_any_number_of_threads() {
    let mut sheet = Sheet::square(110, 1.0, bent(BendingModel::Curvature)).pin(|u| u.y == 1.0);
    disturb(&mut sheet.state.positions, 1e-4);
    let blocks = sheet.blocks();
    let run = |threads| {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
        let mut driver = BlockDriver::build(&sheet.topology, &blocks);
        let mut rows = rows_of(&sheet);
        pool.install(|| (0..3).for_each(|sweep| driver.sweep(&mut rows, Substep::forward(1e-3, sweep))));
        assert!(driver.sweeps_in_parallel());
        (rows, driver.scalars())
    };
    let reference = run(1);
    for threads in [2, 3] {
        assert_eq!(run(threads), reference);
    }
}
