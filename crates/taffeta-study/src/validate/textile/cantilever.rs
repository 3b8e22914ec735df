//! The cantilever test (ASTM D1388, option A): a strip is pushed over an edge until its tip lies on a plane of 41.5°.

use super::{DIRECTIONS, WIDTH, elastic_part};
use crate::reference::GRAVITY;
use crate::validate::bench::context::{CheckError, Context, mean_position};
use crate::validate::bench::row::Row;
use glam::DVec2;
use taffeta_scene::materials::Preset;

/// Angle of the plane \[degrees\].
const ANGLE: f64 = 41.5;
/// Bending length over the overhang at that angle: `Γ = ρ g L³/D` of the elastica is 8 there (F. T. Peirce, The handle of cloth as
/// a measurable quantity, 1930).
const HALF: f64 = 0.5;
/// Free cells along the strip.
const CELLS: u32 = 24;
/// Rounds of the search for the overhang, each of which leaves a twentieth of its error.
const ROUNDS: usize = 3;

/// The bending stiffness `ρ g c³` of a strip along an axis of the material.
pub(super) fn check_cantilever(
    context: &Context<'_>,
    preset: &Preset,
    axis: usize,
) -> Result<[Row; 2], CheckError> {
    let (density, bend) = (preset.material.density, preset.material.bend[axis]);
    let (slope, material) = (ANGLE.to_radians().tan(), elastic_part(&preset.material));
    let mut length = (bend / (density * GRAVITY)).cbrt() / HALF;
    for _ in 0..ROUNDS {
        // Drop over reach grows with the cube of the length at first, more slowly later.
        length *= (slope / bend_strip(context, &material, axis, length)?).powf(0.4);
    }
    let bending_length = HALF * length;
    let measured = density * GRAVITY * bending_length.powi(3);
    let name = format!("{}, cantilever along {}", preset.name, DIRECTIONS[axis].0);
    Ok([
        Row::relative(format!("{name}: ρ g c³"), measured, bend, 0.03).in_unit("N·m"),
        Row::reported(format!("{name}: bending length c"), 100.0 * bending_length).in_unit("cm"),
    ])
}

/// Drop over reach of the tip. The first cell is held: the clamp acts at its middle.
fn bend_strip(context: &Context<'_>, material: &str, axis: usize, length: f64) -> Result<f64, CheckError> {
    let cell = length / (f64::from(CELLS) + 0.5);
    let whole = cell * f64::from(CELLS + 1);
    let across = (WIDTH / cell).round().clamp(2.0, 12.0);
    let along_axis = |along: f64, across: f64| if axis == 0 { [along, across] } else { [across, along] };
    let [size, cells, held, tip, tip_end] = [
        along_axis(whole, WIDTH),
        along_axis(f64::from(CELLS + 1), across),
        along_axis(1.001 * cell, 1.0),
        along_axis(whole, 0.0),
        along_axis(whole, WIDTH),
    ];
    let scene = format!(
        r#"
[simulation]
mode = "static"
[[cloth]]
grid = {{ size = {size:?}, cells = [{}, {}], pattern = "alternating" }}
material = {material}
place = {{ rotate_deg = [-90, 0, 0] }}
[[cloth.pin]]
where = {{ material_box = [[-1.0, -1.0], {held:?}] }}
[contact]
self = false
"#,
        cells[0], cells[1]
    );
    let world = context.equilibrium(&scene)?;
    let tip = mean_position(&world, DVec2::from_array(tip), DVec2::from_array(tip_end))?;
    // Grids lie in the xy-plane; laid flat, their y is −z.
    let reach = if axis == 0 { tip.x } else { -tip.z };
    Ok(-tip.y / (reach - 0.5 * cell))
}
