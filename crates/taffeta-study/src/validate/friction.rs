//! Dry friction: a patch on a slope, and one that slides to its stop.

use super::context::{CheckError, Context, Experiment};
use super::row::Row;
use crate::reference::{sliding_acceleration, sliding_stop};
use glam::DVec3;

/// Side of the patch \[m\].
const SIDE: f64 = 0.2;
/// Thickness of contact \[m\].
const THICKNESS: f64 = 0.001;
/// Coefficients of friction of patch and plane.
const STATIC: f64 = 0.5;
const KINETIC: f64 = 0.4;

/// Meshes of the patch that creeps if any does: three patterns, and one that is remeshed.
const MESHES: [(&str, &str); 4] = [
    ("4 × 4 alternating", r#"cloth.0.grid.pattern="alternating""#),
    ("9 × 9 crossed", r#"cloth.0.grid={ size = [0.2, 0.2], cells = [9, 9], pattern = "crossed" }"#),
    ("7 × 7 delaunay", r#"cloth.0.grid={ size = [0.2, 0.2], cells = [7, 7], pattern = "delaunay" }"#),
    ("adaptive", "cloth.0.remesh={ size_min = 0.01, size_max = 0.1 }"),
];

/// A patch that lies on a plane of a slope \[degrees\] downhill along x, at the distance of contact.
fn scene(slope: f64, duration: f64, (stat, kinetic): (f64, f64), speed: f64) -> String {
    let normal = normal(slope) * (0.5 * THICKNESS);
    format!(
        r#"
[simulation]
duration = {duration}
[[cloth]]
grid = {{ size = [{SIDE}, {SIDE}], cells = [4, 4], pattern = "alternating" }}
material = {{ density = 0.2, thickness = {THICKNESS}, stretch = [2000.0, 2000.0], poisson = 0.3, bend = [5e-5, 5e-5], friction = {{ static = {stat}, kinetic = {kinetic} }} }}
place = {{ rotate_deg = [-90, 0, -{slope}], translate = [{}, {}, 0.0] }}
velocity = [{speed}, 0.0, 0.0]
[[obstacle]]
shape = {{ plane = {{ normal = [0, 1, 0] }} }}
place = {{ rotate_deg = [0, 0, -{slope}] }}
friction = {{ static = {stat}, kinetic = {kinetic} }}
[air]
density = 0.0
"#,
        normal.x, normal.y
    )
}

/// Upward normal of a plane that falls along x.
fn normal(slope: f64) -> DVec3 {
    let angle = slope.to_radians();
    DVec3::new(angle.sin(), angle.cos(), 0.0)
}

/// Position of the patch down the slope \[m\].
fn along(patch: &Experiment, slope: f64) -> Result<f64, CheckError> {
    let [sin, cos] = [slope.to_radians().sin(), slope.to_radians().cos()];
    Ok(patch.at(0.5 * SIDE, 0.5 * SIDE)?.dot(DVec3::new(cos, -sin, 0.0)))
}

/// One degree below the limit nothing moves in ten seconds, one degree above and farther it slides by Coulomb's law.
pub(super) fn check_incline(context: &Context<'_>) -> Result<Vec<Row>, CheckError> {
    let limit = STATIC.atan().to_degrees();
    let below = limit - 1.0;
    context.note("incline: ten seconds at rest");
    let patch = context.experiment(&scene(below, 11.0, (STATIC, KINETIC), 0.0))?;
    let case = format!("creep in 10 s at {below:.2}°, 1° below the limit");
    let mut rows = vec![check_creep(case, patch, below)?];
    let gentle = (0.9 * STATIC).atan().to_degrees();
    for (mesh, change) in MESHES {
        context.note(&format!("incline: ten seconds at rest, {mesh}"));
        let patch = context.varied(&scene(gentle, 11.0, (STATIC, KINETIC), 0.0), change)?;
        rows.push(check_creep(format!("creep in 10 s at tan θ = 0.9 μ, {mesh}"), patch, gentle)?);
    }
    for slope in [limit + 1.0, 35.0] {
        context.note(&format!("incline: {slope:.2}°"));
        let mut patch = context.experiment(&scene(slope, 1.0, (STATIC, KINETIC), 0.0))?;
        patch.run(15)?;
        let acceleration = measure_acceleration(&mut patch, slope)?;
        let exact = sliding_acceleration(slope.to_radians(), KINETIC);
        let case = format!("acceleration at {slope:.2}°");
        rows.push(Row::relative(case, acceleration, exact, 0.01).in_unit("m/s²"));
    }
    Ok(rows)
}

/// Measures the creep of a patch at rest after the first second, in which contact settles.
fn check_creep(case: String, mut patch: Experiment, slope: f64) -> Result<Row, CheckError> {
    patch.run(60)?;
    let settled = along(&patch, slope)?;
    patch.run_to_end()?;
    let creep = 1e6 * (along(&patch, slope)? - settled).abs();
    Ok(Row::at_most(case, creep, 1.0).in_unit("µm"))
}

/// Mean acceleration down the slope \[m/s²\] over the next half of a second, from three positions.
fn measure_acceleration(patch: &mut Experiment, slope: f64) -> Result<f64, CheckError> {
    let mut positions = [along(patch, slope)?, 0.0, 0.0];
    for position in &mut positions[1..] {
        patch.run(15)?;
        *position = along(patch, slope)?;
    }
    let time = 15.0 * patch.scene.simulation.frame_time();
    let [a, b, c] = positions;
    Ok((a - 2.0 * b + c) / (time * time))
}

/// A patch of 1 m/s on a level plane.
pub(super) fn check_stop(context: &Context<'_>) -> Result<Vec<Row>, CheckError> {
    let (speed, kinetic) = (1.0, 0.3);
    let [distance, time] = sliding_stop(speed, kinetic);
    let mut patch = context.experiment(&scene(0.0, 0.6, (kinetic, kinetic), speed))?;
    let path = patch.record(|patch| Ok((patch.world.time(), along(patch, 0.0)?)))?;
    let [(_, start), .., (_, stop)] = path[..] else { unreachable!("the scene has frames") };
    Ok(vec![
        Row::relative("distance", stop - start, distance, 0.01).in_unit("m"),
        Row::relative("time", find_stop(&path), time, 0.01).in_unit("s"),
    ])
}

/// When a path ends that slows down evenly: `√(distance left)` falls linearly to zero. From two frames on the way.
fn find_stop(path: &[(f64, f64)]) -> f64 {
    let end = path.last().map_or(0.0, |(_, x)| *x);
    let root = |frame: usize| path.get(frame).map_or(0.0, |(_, x)| (end - x).max(0.0).sqrt());
    let (first, second) = (3, 15);
    let time = |frame: usize| path.get(frame).map_or(0.0, |(t, _)| *t);
    let slope = (root(second) - root(first)) / (time(second) - time(first));
    time(first) - root(first) / slope
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_stop_of_an_even_deceleration_is_found() {
        let place = |t: f64| if t < 0.4 { t - 1.25 * t * t } else { 0.2 };
        let path: Vec<_> = (0..40).map(|i| f64::from(i) / 60.0).map(|t| (t, place(t))).collect();
        assert!((find_stop(&path) - 0.4).abs() < 1e-9);
    }
}
