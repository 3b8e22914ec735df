//! A clamped strip under its own weight: a heavy elastica of length .2 m with `Γ = ρ g L³/D = 1`.
//!
//! Block updates with one sweep per substep overestimate the drop by about `(h n²)²`, for `n` cells along the strip and
//! substeps of `h`. That is 0.6 % for 16 cells with the step below, and for 32 cells with a quarter of it.

use super::plate::{bent, blocks_with, rectangle, rows_of};
use crate::drivers::block::*;
use crate::material::Material;
use crate::model::BendingModel;
use crate::testing::Sheet;
use taffeta_core::VertexIndex;

/// Drop over reach of the elastica.
const TRUTH: f64 = 0.124562;
/// Length of a substep \[s\].
const STEP: f64 = 4e-5;

/// Support that clamps a strip.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Support {
    /// Two held rows: the clamp is in the middle between them.
    HeldCell,
    /// One held row, at which the direction is prescribed.
    Clamp,
}

/// Drop over reach of the tip of a strip.
fn cantilever(n: u32, alternating: bool, bending: BendingModel, support: Support) -> f64 {
    let (length, width, density) = (0.2, 0.05, 0.2);
    let side = match support {
        Support::HeldCell => length / (f64::from(n) + 0.5),
        Support::Clamp => length / f64::from(n),
    };
    let start = match support {
        Support::HeldCell => 0.5 * side,
        Support::Clamp => 0.0,
    };
    let across = (width / side).round() as u32;
    let cells = [n + u32::from(support == Support::HeldCell), across];
    let (coords, faces) = rectangle(cells, side, alternating);
    let mut model = bent(bending);
    model.material = Material::isotropic(density, 2000.0, 0.0, density * 9.81 * length.powi(3));
    let mut sheet = Sheet::of_triangles(coords, faces, model);
    sheet = sheet.pin(|u| u.x < start + 0.75 * side && (support == Support::HeldCell || u.x == 0.0));
    let is_start = |vi: &VertexIndex| sheet.material_coords[vi.0 as usize].x == 0.0;
    let edges = sheet.topology.edges.iter_indexed();
    let ends: Vec<_> =
        edges.filter(|(_, edge)| edge.vertices.iter().all(is_start)).map(|(ei, _)| ei).collect();
    let clamps = if let Support::Clamp = support { ends } else { Vec::new() };
    let blocks = blocks_with(&sheet, &clamps);
    let mut driver = BlockDriver::build(&sheet.topology, &blocks);
    driver.set_clamps(&vec![DVec3::Z; clamps.len()]);
    settle(&mut sheet, &mut driver, STEP, 0.5);
    let reach = |x: &DVec3| x.x - start;
    let end = sheet.material_coords.iter().map(|u| u.x).fold(0.0, f64::max);
    let tip: Vec<_> =
        (0..sheet.material_coords.len()).filter(|i| sheet.material_coords[*i].x == end).collect();
    let mean = tip.iter().map(|i| sheet.state.positions.raw[*i]).sum::<DVec3>() / tip.len() as f64;
    -mean.z / reach(&mean)
}

/// Steps of `h` \[s\] under gravity along −z with strong velocity damping.
fn settle(sheet: &mut Sheet, driver: &mut BlockDriver, h: f64, time: f64) {
    let decay = taffeta_core::math::exp(-50.0 * h);
    let mut rows = rows_of(sheet);
    let state = &mut sheet.state;
    for _ in 0..(time / h) as u32 {
        for (row, v) in rows.iter_mut().zip(state.velocities.iter_mut()) {
            if row.inverse_mass > 0.0 {
                *v = *v * decay - DVec3::Z * (9.81 * h);
                row.position = (row.position() + *v * h).to_array();
            }
        }
        driver.sweep(&mut rows, Substep::forward(h, 0));
        for ((row, v), x) in rows.iter().zip(state.velocities.iter_mut()).zip(state.positions.iter_mut()) {
            *v = (row.position() - *x) / h;
            *x = row.position();
        }
    }
}

#[test]
fn a_strip_bends_like_the_elastica_on_every_mesh() {
    for support in [Support::HeldCell, Support::Clamp] {
        for alternating in [true, false] {
            let drop = cantilever(16, alternating, BendingModel::Curvature, support);
            assert!((drop / TRUTH - 1.0).abs() < 0.02, "{support:?}, alternating {alternating}: {drop}");
        }
    }
}

#[test]
fn clamped_hinges_bend_like_hinges_behind_a_held_cell() {
    let drops = [Support::HeldCell, Support::Clamp].map(|s| cantilever(16, false, BendingModel::Hinge, s));
    assert!((drops[1] / drops[0] - 1.0).abs() < 0.03, "{drops:?}");
}
