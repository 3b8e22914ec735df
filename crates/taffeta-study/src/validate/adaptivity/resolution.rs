//! One sheet at several resolutions: rest and motion must not depend on the mesh.

use crate::study::Deviation;
use crate::validate::bench::context::{CheckError, Context, mean_position};
use crate::validate::bench::row::Row;
use crate::validate::bench::swing::{MATERIAL, Support, swing_scene};
use glam::{DVec2, DVec3};

/// Mean drop of the lower edge \[mm\], converged.
const DROP: f64 = 0.48;
/// Frames of the swing.
const FRAMES: u32 = 24;
/// Cells along a side of the swing that the others are compared with.
const FINEST: u32 = 128;
/// Newton iterations per substep with which the swing counts as solved: one more changes nothing.
const SOLVED: &str = "iterations = 40";

/// Time integrations of the swing, as lines of `[simulation]` and in words.
const INTEGRATIONS: [(&str, &str); 2] =
    [("time = \"euler\"\nsubsteps = 1", "euler, 1/60 s"), ("", "default")];
/// Substeps per frame of the default, and 16 times as many.
const DEFAULT_SUBSTEPS: u32 = 4;

/// The mean drop of a hung sheet, and the path of material points of a swinging one.
pub(crate) fn check_resolution(context: &Context<'_>) -> Result<Vec<Row>, CheckError> {
    let mut rows = check_drops(context)?;
    for support in [Support::Edges, Support::Patches] {
        for (settings, name) in INTEGRATIONS {
            rows.extend(check_swing(context, settings, name, support)?);
        }
    }
    rows.push(check_time_step(context)?);
    Ok(rows)
}

fn check_drops(context: &Context<'_>) -> Result<Vec<Row>, CheckError> {
    let mut rows = Vec::new();
    for cells in [16, 32, 64, 128] {
        context.note(&format!("resolution: hung sheet, {cells} × {cells} cells"));
        let drop = settle(context, cells, "")?;
        rows.push(Row::relative(format!("mean drop, {cells}²"), drop, DROP, 0.02).in_unit("mm"));
    }
    context.note("resolution: hung sheet, adaptive");
    // A strain of a thousandth is what this sheet has at its upper edge.
    let remesh = "remesh = { size_min = 0.02, size_max = 0.2, refine_strain = 1e-3 }";
    let drop = settle(context, 8, remesh)?;
    rows.push(Row::relative("mean drop, adaptive", drop, DROP, 0.02).in_unit("mm"));
    Ok(rows)
}

/// The swing on each mesh against the finest, where Newton's method has converged, at the same time step; and what
/// Newton's method alone leaves, against the same mesh.
///
/// A sheet that is held by patches bends within millimeters at their ends, and creases from one to the other, to this side or
/// that. This is finer than the cells of 32² and 64², whose rows miss.
fn check_swing(
    context: &Context<'_>,
    settings: &str,
    name: &str,
    support: Support,
) -> Result<Vec<Row>, CheckError> {
    let held = if support == Support::Edges { "by edges" } else { "by patches" };
    let swing = |cells: u32, more: &str| {
        context.note(&format!("resolution: swing {held}, {name}, {cells} × {cells} cells {more}"));
        swing(context, cells, support, &format!("{settings}\n{more}"))
    };
    let rms = |a: &[DVec3], b: &[DVec3]| 1e3 * Deviation::between(a, b).rms;
    let finest = swing(FINEST, SOLVED)?;
    let mut rows = Vec::new();
    for cells in [32, 64, FINEST] {
        let found = swing(cells, "")?;
        let solved = if cells == FINEST { finest.clone() } else { swing(cells, SOLVED)? };
        let case = |to: u32| format!("swing {held}, {name}: {cells}² to solved {to}²");
        rows.push(Row::at_most(case(cells), rms(&found, &solved), 2.0).in_unit("mm"));
        if cells < FINEST {
            rows.push(Row::at_most(case(FINEST), rms(&found, &finest), 2.0).in_unit("mm"));
        }
    }
    Ok(rows)
}

/// The default swing against one with 16 times the substeps.
fn check_time_step(context: &Context<'_>) -> Result<Row, CheckError> {
    context.note("resolution: swing, 16 times the substeps");
    let swing = |settings: &str| swing(context, 32, Support::Patches, settings);
    let fine = swing(&format!("substeps = {}", 16 * DEFAULT_SUBSTEPS))?;
    let rms = 1e3 * Deviation::between(&swing("")?, &fine).rms;
    let case = "swing, default: 32² to 16 times the substeps";
    Ok(Row::at_most(case, rms, 10.0).in_unit("mm"))
}

/// Mean drop of the lower edge \[mm\] of a sheet of 1 m² that hangs by its upper edge, when it has settled.
fn settle(context: &Context<'_>, cells: u32, remesh: &str) -> Result<f64, CheckError> {
    let scene = format!(
        r#"
[simulation]
duration = 1.0
velocity_damping = 20.0
[[cloth]]
grid = {{ cells = [{cells}, {cells}], pattern = "alternating" }}
material = {MATERIAL}
{remesh}
[[cloth.pin]]
where = {{ material_box = [[-1.0, 1.0], [2.0, 1.0]] }}
[air]
density = 0.0
"#
    );
    let mut experiment = context.experiment(&scene)?;
    experiment.run_to_end()?;
    Ok(-1e3 * mean_position(&experiment.world, DVec2::ZERO, DVec2::X)?.y)
}

/// Positions of 21 × 21 material points \[m\] of a sheet that has swung.
fn swing(
    context: &Context<'_>,
    cells: u32,
    support: Support,
    settings: &str,
) -> Result<Vec<DVec3>, CheckError> {
    let mut experiment = context.experiment(&swing_scene(cells, support, settings))?;
    experiment.run(FRAMES)?;
    let points = (0..21 * 21).map(|i| (f64::from(i % 21) / 20.0, f64::from(i / 21) / 20.0));
    points.map(|(u, v)| experiment.at(u, v)).collect()
}
