//! Dry friction: a patch on a slope, and one that slides to its stop.

use super::glide::{Glide, Ground, acceleration};
use crate::reference::{sliding_acceleration, sliding_stop};
use crate::validate::bench::context::{CheckError, Context, Experiment};
use crate::validate::bench::row::Row;

/// Coefficients of friction of patch and plane.
const STATIC: f64 = 0.5;
const KINETIC: f64 = 0.4;

/// Meshes of the patch that creeps if any does: three patterns, and one that is remeshed.
const MESHES: [(&str, &str); 4] = [
    ("4 × 4 alternating", "cloth.0.grid.cells=[4, 4]"),
    ("9 × 9 crossed", r#"cloth.0.grid={ size = [0.2, 0.2], cells = [9, 9], pattern = "crossed" }"#),
    ("7 × 7 delaunay", r#"cloth.0.grid={ size = [0.2, 0.2], cells = [7, 7], pattern = "delaunay" }"#),
    ("adaptive", "cloth.0.remesh={ size_min = 0.01, size_max = 0.1 }"),
];

/// A patch of a slope \[degrees\] on a plane.
fn on_slope(slope: f64, duration: f64) -> Glide<'static> {
    Glide::at_rest(Ground::Plane, (STATIC, KINETIC), slope, duration)
}

/// One degree below the limit nothing moves in ten seconds, one degree above and farther it slides by Coulomb's law.
pub(crate) fn check_incline(context: &Context<'_>) -> Result<Vec<Row>, CheckError> {
    let limit = STATIC.atan().to_degrees();
    let below = limit - 1.0;
    context.note("incline: ten seconds at rest");
    let glide = on_slope(below, 11.0);
    let patch = context.experiment(&glide.scene(context)?)?;
    let case = format!("creep in 10 s at {below:.2}°, 1° below the limit");
    let mut rows = vec![check_creep(case, patch, &glide)?];
    let gentle = (0.9 * STATIC).atan().to_degrees();
    for (mesh, change) in MESHES {
        context.note(&format!("incline: ten seconds at rest, {mesh}"));
        let glide = on_slope(gentle, 11.0);
        let patch = context.varied(&glide.scene(context)?, change)?;
        rows.push(check_creep(format!("creep in 10 s at tan θ = 0.9 μ, {mesh}"), patch, &glide)?);
    }
    for slope in [limit + 1.0, 35.0] {
        context.note(&format!("incline: {slope:.2}°"));
        let glide = on_slope(slope, 1.0);
        let mut patch = context.experiment(&glide.scene(context)?)?;
        let path = patch.record(|patch| glide.place(patch))?;
        let acceleration = acceleration(&path, 15, 15);
        let exact = sliding_acceleration(slope.to_radians(), KINETIC);
        let case = format!("acceleration at {slope:.2}°");
        rows.push(Row::relative(case, acceleration, exact, 0.01).in_unit("m/s²"));
    }
    Ok(rows)
}

/// Measures the creep of a patch at rest after the first second, in which contact settles.
fn check_creep(case: String, mut patch: Experiment, glide: &Glide<'_>) -> Result<Row, CheckError> {
    patch.run(60)?;
    let settled = glide.place(&patch)?.x;
    patch.run_to_end()?;
    let creep = 1e6 * (glide.place(&patch)?.x - settled).abs();
    Ok(Row::at_most(case, creep, 1.0).in_unit("µm"))
}

/// A patch of 1 m/s on a level plane.
pub(crate) fn check_stop(context: &Context<'_>) -> Result<Vec<Row>, CheckError> {
    let (speed, kinetic) = (1.0, 0.3);
    let [distance, time] = sliding_stop(speed, kinetic);
    let glide = Glide::moving(Ground::Plane, (kinetic, kinetic), speed, 0.6);
    let mut patch = context.experiment(&glide.scene(context)?)?;
    let path = patch.record(|patch| Ok((patch.world.time(), glide.place(patch)?.x)))?;
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
