//! Wrinkles of a sheet that is clamped at two ends and pulled.

use crate::reference::wrinkle_wavelength;
use crate::validate::bench::context::{CheckError, Context};
use crate::validate::bench::row::Row;
use glam::{DVec2, DVec3};
use std::f64::consts::{PI, TAU};
use taffeta_core::TriangleMesh;
use taffeta_core::random::SplitMix64;
use taffeta_io::{GridPattern, grid};

/// Length between the clamps and width \[m\].
const LENGTH: f64 = 0.25;
const WIDTH: f64 = 0.125;
/// Cells along and across: nine to a wave. Coarser ones, of which a wave has less than seven, are too soft and choose shorter waves.
const CELLS: [u32; 2] = [200, 100];
/// Strains at which there are wrinkles; at 15 % there are none.
const STRAINS: [f64; 3] = [0.05, 0.075, 0.1];
/// A film: membrane stiffness \[N/m\], Poisson ratio and bending stiffness \[N·m\] of a sheet 0.1 mm thick of 1 GPa.
const STRETCH: f64 = 1e5;
const POISSON: f64 = 0.4;
const BEND: f64 = 1e5 * 1e-8 / (12.0 * (1.0 - POISSON * POISSON));
/// File of the sheet.
const MESH: &str = "film.obj";

/// Wavelength in the middle, and its exponent in the tension.
pub(super) fn check_wrinkles(context: &Context<'_>) -> Result<Vec<Row>, CheckError> {
    let mut rows = Vec::new();
    let mut points = Vec::new();
    for strain in STRAINS {
        context.note(&format!("textile: wrinkles at {} %", 100.0 * strain));
        let stretch = 1.0 + strain;
        let tension = STRETCH * stretch * 0.5 * (stretch * stretch - 1.0);
        let wavelength = measure(context, strain)?;
        let case = format!("wrinkles of a film pulled by {} %: wavelength", 100.0 * strain);
        let expected = 1e3 * wrinkle_wavelength(BEND, tension, LENGTH);
        rows.push(Row::relative(case, 1e3 * wavelength, expected, 0.2).in_unit("mm"));
        points.push([tension.ln(), wavelength.ln()]);
    }
    let [first, last] = [points[0], points[points.len() - 1]];
    let exponent = (last[1] - first[1]) / (last[0] - first[0]);
    rows.push(Row::relative("wrinkles of a film: exponent of the tension", exponent, -0.25, 0.1));
    Ok(rows)
}

/// Distance of the crests in the middle of the sheet \[m\], pulled slowly.
fn measure(context: &Context<'_>, strain: f64) -> Result<f64, CheckError> {
    context.write_mesh(MESH, &sheet())?;
    let column = |first: u32| -> Vec<u32> { (0..=CELLS[1]).map(|k| first + k * (CELLS[0] + 1)).collect() };
    let (near, far) = (column(0), column(CELLS[0]));
    let way = strain * LENGTH;
    let scene = format!(
        r#"
[simulation]
duration = 1.5
velocity_damping = 20.0
gravity = [0.0, 0.0, 0.0]
[[cloth]]
mesh = "{MESH}"
material = {{ density = 0.1, stretch = [{STRETCH}, {STRETCH}], poisson = {POISSON}, bend = [{BEND}, {BEND}] }}
[[cloth.pin]]
where = {{ vertices = {near:?} }}
[[cloth.pin]]
where = {{ vertices = {far:?} }}
motion = [ {{ t = 0.0 }}, {{ t = 1.0, translate = [{way}, 0, 0] }} ]
[contact]
self = false
[air]
density = 0.0
"#
    );
    let mut film = context.experiment(&scene)?;
    film.run_to_end()?;
    let count = 2000;
    let point = |k: i32| film.at(0.5 * LENGTH, WIDTH * f64::from(k) / f64::from(count));
    let points = (1..count).map(point).collect::<Result<Vec<DVec3>, CheckError>>()?;
    let zero = |pair: &[DVec3]| {
        let [a, b] = [pair[0], pair[1]];
        (a.z * b.z < 0.0).then(|| a.y + (b.y - a.y) * a.z / (a.z - b.z))
    };
    let zeros: Vec<f64> = points.windows(2).filter_map(zero).collect();
    match zeros[..] {
        // Half a wave from one to the next.
        [first, .., last] => Ok(2.0 * (last - first) / (zeros.len() - 1) as f64),
        _ => Err(CheckError::Odd("the film has no wrinkles".into())),
    }
}

/// The sheet, with waves of all lengths from twice its width to a few cells. Noise from vertex to vertex would grow to a
/// sawtooth of the mesh, which stays.
fn sheet() -> TriangleMesh {
    const HEIGHT: f64 = 1e-5;
    let mut mesh = grid(DVec2::new(LENGTH, WIDTH), CELLS, GridPattern::Alternating, 1);
    let coords: Vec<DVec2> = mesh.positions.iter().map(|x| x.truncate()).collect();
    let mut random = SplitMix64(5);
    let waves: Vec<[f64; 2]> =
        (1..=16).map(|n| [f64::from(n) * PI / WIDTH, TAU * random.next_unit()]).collect();
    for x in &mut mesh.positions {
        x.z = HEIGHT * waves.iter().map(|[k, phase]| (k * x.y + phase).cos()).sum::<f64>();
    }
    mesh.set_vertex_material(&coords);
    mesh
}
