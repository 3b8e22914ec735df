//! Strips in equilibrium: hanging, and clamped at one end.

use crate::reference::{GRAVITY, hanging_strip, heavy_elastica};
use crate::validate::bench::context::{CheckError, Context, mean_position};
use crate::validate::bench::row::Row;
use glam::DVec2;

/// Areal density of the strips \[kg/m²\].
const DENSITY: f64 = 0.2;

/// A strip of 1 m, 16 elements long, hung by its upper edge.
pub(crate) fn check_hanging_strip(context: &Context<'_>) -> Result<Vec<Row>, CheckError> {
    let mut rows = Vec::new();
    for (pattern, c) in [("alternating", 0.05), ("crossed", 0.05), ("delaunay", 0.05), ("alternating", 0.5)] {
        let stiffness = DENSITY * GRAVITY / c;
        let scene = format!(
            r#"
[simulation]
mode = "static"
[[cloth]]
grid = {{ size = [0.25, 1.0], cells = [4, 16], pattern = "{pattern}" }}
material = {{ density = {DENSITY}, stretch = [{stiffness}, {stiffness}], poisson = 0.0, bend = [1e-6, 1e-6] }}
[[cloth.pin]]
where = {{ material_box = [[-0.1, 1.0], [0.5, 1.0]] }}
"#
        );
        let world = context.equilibrium(&scene)?;
        let lower = mean_position(&world, DVec2::ZERO, DVec2::new(0.25, 0.0))?;
        let case = format!("length ratio, c = {c}, {pattern}");
        rows.push(Row::relative(case, 1.0 - lower.y, hanging_strip(c), 1e-3));
    }
    Ok(rows)
}

/// Free cells along the cantilever.
const FREE_CELLS: u32 = 32;
/// Length of the cantilever \[m\] and width of the strip \[m\].
const LENGTH: f64 = 0.2;
const WIDTH: f64 = 0.05;

/// A strip whose first cell is held: the clamp acts at the middle of the two held rows of vertices.
pub(crate) fn check_cantilever(context: &Context<'_>) -> Result<Vec<Row>, CheckError> {
    let mut rows = Vec::new();
    for gamma in [1.0, 10.0] {
        for pattern in ["alternating", "diagonal", "crossed"] {
            let value = bend_cantilever(context, pattern, gamma)?;
            let case = format!("drop over reach, Γ = {gamma}, {pattern}");
            rows.push(Row::relative(case, value, heavy_elastica(gamma), 0.02));
        }
    }
    Ok(rows)
}

/// Drop over reach of the tip.
fn bend_cantilever(context: &Context<'_>, pattern: &str, gamma: f64) -> Result<f64, CheckError> {
    let cell = LENGTH / (f64::from(FREE_CELLS) + 0.5);
    let (whole, cells) = (cell * f64::from(FREE_CELLS + 1), FREE_CELLS + 1);
    let across = (WIDTH / cell).round();
    let bend = DENSITY * GRAVITY * LENGTH.powi(3) / gamma;
    // 200 N/m: the weight stretches the strip by 0.1 % at most.
    let scene = format!(
        r#"
[simulation]
mode = "static"
[[cloth]]
grid = {{ size = [{whole}, {WIDTH}], cells = [{cells}, {across}], pattern = "{pattern}" }}
material = {{ density = {DENSITY}, stretch = [200.0, 200.0], poisson = 0.0, bend = [{bend}, {bend}] }}
place = {{ rotate_deg = [-90, 0, 0] }}
bending = "curvature"
[[cloth.pin]]
where = {{ material_box = [[-1.0, -1.0], [{}, 1.0]] }}
"#,
        1.001 * cell
    );
    let world = context.equilibrium(&scene)?;
    let tip = mean_position(&world, DVec2::new(whole, 0.0), DVec2::new(whole, WIDTH))?;
    Ok(-tip.y / (tip.x - 0.5 * cell))
}
