//! Sheets in the air and with damping of velocities: what they come to must not depend on the step.

use crate::reference::{GRAVITY, carried_by_wind, terminal_speed};
use crate::validate::bench::context::{CheckError, Context};
use crate::validate::bench::row::Row;

/// Areal density of the sheet \[kg/m²\], density of the air \[kg/m³\].
const DENSITY: f64 = 0.06;
const AIR: f64 = 1.2;
/// Speed of the wind \[m/s\], and how long it blows \[s\].
const WIND: f64 = 3.0;
const WINDY: f64 = 0.5;
/// Damping of velocities \[1/s\].
const DAMPING: f64 = 10.0;

/// A level sheet falls to its terminal speed by drag and by damping, and a free one is carried by a wind across it: at
/// three frame rates.
pub(super) fn check_steady_states(context: &Context<'_>) -> Result<Vec<Row>, CheckError> {
    let mut rows = Vec::new();
    for rate in [24, 60, 240] {
        context.note(&format!("time: sheets in the air at {rate} frames/s"));
        let air = format!("density = {AIR}\ndrag = 1.0");
        let speed = falling_speed(context, rate, "", &air)?;
        let case = |what: &str| format!("{what}, {rate} frames/s");
        let exact = terminal_speed(DENSITY, AIR, 1.0);
        rows.push(Row::relative(case("terminal speed of a level sheet"), speed, exact, 0.002).in_unit("m/s"));
        let damping = format!("velocity_damping = {DAMPING}");
        let speed = falling_speed(context, rate, &damping, "density = 0.0")?;
        rows.push(
            Row::relative(case("terminal speed by damping"), speed, GRAVITY / DAMPING, 0.002).in_unit("m/s"),
        );
        let simulation = format!("duration = {WINDY}\nframe_rate = {rate}\ngravity = [0, 0, 0]");
        let air = format!("density = {AIR}\nwind = [0, {WIND}, 0]");
        let heights = heights(context, &simulation, &air)?;
        let way = heights[heights.len() - 1] - heights[0];
        let exact = carried_by_wind(DENSITY, AIR, WIND, WINDY);
        rows.push(Row::relative(case("way of a free sheet in wind"), way, exact, 0.002).in_unit("m"));
    }
    Ok(rows)
}

/// Speed of a falling sheet after 1.5 s \[m/s\], over a frame.
fn falling_speed(context: &Context<'_>, rate: u32, simulation: &str, air: &str) -> Result<f64, CheckError> {
    let simulation = format!("duration = 1.5\nframe_rate = {rate}\n{simulation}");
    let heights = heights(context, &simulation, air)?;
    let last = heights.len() - 1;
    Ok((heights[last - 1] - heights[last]) * f64::from(rate))
}

/// Height of a level sheet at the start and after every frame \[m\].
fn heights(context: &Context<'_>, simulation: &str, air: &str) -> Result<Vec<f64>, CheckError> {
    let scene = format!(
        r#"
[simulation]
{simulation}
[[cloth]]
grid = {{ size = [0.2, 0.2], cells = [5, 5], pattern = "alternating" }}
material = {{ density = {DENSITY}, stretch = [2000.0, 2000.0], poisson = 0.3, bend = [5e-5, 5e-5] }}
place = {{ rotate_deg = [-90, 0, 0] }}
[air]
{air}
"#
    );
    context.experiment(&scene)?.record(|sheet| Ok(sheet.at(0.1, 0.1)?.y))
}
