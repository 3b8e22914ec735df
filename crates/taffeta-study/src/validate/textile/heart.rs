//! The heart loop (ASTM D1388, option B): the two ends of a strip are gripped side by side, and its loop hangs below.

use super::{DIRECTIONS, WIDTH, elastic_part};
use crate::reference::{GRAVITY, heart_loop, peirce_heart};
use crate::validate::bench::context::{CheckError, Context, position};
use crate::validate::bench::row::Row;
use glam::{DVec2, DVec3};
use taffeta_core::TriangleMesh;
use taffeta_io::{GridPattern, grid};
use taffeta_scene::materials::Preset;

/// Length of the strip over its bending length, at which Peirce's relation is good to 1 %.
const LENGTH: f64 = 3.5;
/// Cells along the strip, an even number, and across.
const CELLS: u32 = 80;
const ACROSS: u32 = 4;
/// File of the strip.
const MESH: &str = "heart.obj";

/// The bending length that Peirce's relation gives for the height of a loop along an axis of the material.
pub(super) fn check_heart(context: &Context<'_>, preset: &Preset, axis: usize) -> Result<Row, CheckError> {
    let (direction, angle) = DIRECTIONS[axis];
    let bending_length = (preset.material.bend[axis] / (preset.material.density * GRAVITY)).cbrt();
    let length = LENGTH * bending_length;
    context.write_mesh(MESH, &heart_mesh(length, angle))?;
    let world = context.equilibrium(&scene(&elastic_part(&preset.material)))?;
    let middle = DVec2::from_angle(angle.to_radians()) * 0.5 * length;
    let height = -position(&world, middle.x, middle.y)?.y / length;
    let case = format!("{}, heart loop along {direction}: bending length c", preset.name);
    let measured = 100.0 * length * peirce_heart(height);
    Ok(Row::relative(case, measured, 100.0 * bending_length, 0.03).in_unit("cm"))
}

/// A strip in the shape of a heart that weighs nothing, at an angle to warp \[degrees\]; its middle line lies at z = 0.
fn heart_mesh(length: f64, angle: f64) -> TriangleMesh {
    let width = WIDTH.min(0.5 * length);
    let mut mesh = grid(DVec2::new(length, width), [CELLS, ACROSS], GridPattern::Alternating, 1);
    let half = heart_loop(0.0, CELLS / 2);
    let turn = DVec2::from_angle(angle.to_radians());
    let place = |x: &DVec3| {
        let number = (x.x / length * f64::from(CELLS)).round() as usize;
        // The second half mirrors the first.
        let last = half.len() - 1;
        let (number, side) = if number <= last { (number, 1.0) } else { (2 * last - number, -1.0) };
        // The first cell is upright: a clamp keeps its direction.
        let aside = if number == 1 { 0.0 } else { half[number][0] };
        DVec3::new(side * length * aside, length * half[number][1], x.y - 0.5 * width)
    };
    let coords: Vec<DVec2> =
        mesh.positions.iter().map(|x| turn.rotate(DVec2::new(x.x, x.y - 0.5 * width))).collect();
    mesh.positions = mesh.positions.iter().map(place).collect();
    mesh.set_vertex_material(&coords);
    mesh
}

/// Both ends are clamped upright.
fn scene(material: &str) -> String {
    let row = |first: u32| (0..=ACROSS).map(move |k| first + k * (CELLS + 1));
    let ends: Vec<u32> = row(0).chain(row(CELLS)).collect();
    format!(
        r#"
[simulation]
mode = "static"
[[cloth]]
mesh = "{MESH}"
material = {material}
[[cloth.pin]]
where = {{ vertices = {ends:?} }}
clamp = true
[contact]
self = false
"#
    )
}
