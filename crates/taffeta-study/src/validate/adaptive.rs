//! What adaptive meshes are for: the same error with fewer vertices, in less time.
//!
//! Each case is run on uniform meshes of several sizes and on adaptive ones of several tolerances, from five starts each, of which
//! the medians count: where friction catches a sheet, or which way it folds, is decided by little. Errors are distances of
//! material points to a much finer uniform mesh with the same substeps, root mean square over points and times. A gain is how many times as many vertices,
//! or as much time, the uniform mesh takes that errs as much: between the sizes that were run, powers are interpolated.

use super::context::{CheckError, Context};
use super::row::Row;
use crate::study::Deviation;
use glam::DVec3;
use std::time::Instant;

/// How many starts there are, an odd number, and how much higher each is than the last \[m\].
const STARTS: u32 = 5;
const STEP: f64 = 1e-5;
/// Points along a side at which positions are compared.
const POINTS: u32 = 33;

/// A sheet, what happens to it, and the meshes on which it is tried.
struct Case {
    name: &'static str,
    /// Length and width \[m\].
    size: [f64; 2],
    /// Lines of the scene but for grid, place and remeshing.
    cloth: &'static str,
    rest: &'static str,
    settings: &'static str,
    /// Where the sheet lies \[m\], and how it is turned \[°\].
    place: [f64; 3],
    turn: f64,
    /// The frames after which positions are compared.
    frames: &'static [u32],
    finest: [u32; 2],
    uniform: &'static [[u32; 2]],
    /// The mesh that adaptive ones start from.
    coarse: [u32; 2],
    /// Tolerances \[mm\], and the gains in vertices, in the mean and at the end, below which the check fails: floors below what was
    /// measured.
    errors: &'static [(f64, [f64; 2])],
}

const CASES: [Case; 3] = [
    // A strip, because a wide sheet folds over a ball in many ways, and which of them it finds is decided by its history. Even
    // numbers of cells across: with odd ones no vertices lie on the top of the ball, and the mesh errs more.
    Case {
        name: "strip over a ball",
        size: [2.0, 0.2],
        cloth: "material = { density = 0.3, stretch = [3000.0, 3000.0], poisson = 0.3, bend = [3e-4, 3e-4] }",
        rest: "[[obstacle]]\nshape = { sphere = { radius = 0.05 } }\nfriction = { static = 0.5, kinetic = 0.4 }",
        settings: "velocity_damping = 4.0",
        place: [-1.0, 0.055, 0.1],
        turn: -90.0,
        frames: &[90],
        finest: [240, 24],
        uniform: &[[40, 4], [60, 6], [80, 8], [120, 12], [160, 16]],
        coarse: [40, 4],
        errors: &[(1.3, [3.5, 5.0])],
    },
    Case {
        name: "swing from one edge",
        size: [1.0, 1.0],
        cloth: "material = \"cotton\"",
        rest: "[[cloth.pin]]\nwhere = { material_box = [[0.0, 1.0], [1.0, 1.0]] }",
        settings: "substeps = 4",
        place: [0.0, 0.0, 0.0],
        turn: -90.0,
        frames: &[8, 16, 24, 32, 40],
        finest: [96, 96],
        uniform: &[[8, 8], [12, 12], [16, 16], [24, 24], [32, 32], [48, 48]],
        coarse: [8, 8],
        errors: &[(4.0, [2.5, 2.0]), (2.0, [5.0, 4.0]), (1.0, [5.0, 3.0])],
    },
    // Damped, as the strip is: else it comes to rest where friction happens to catch it.
    Case {
        name: "sheet laid over a capsule",
        size: [1.0, 1.0],
        cloth: "material = \"cotton\"",
        rest: "[[obstacle]]\nshape = { capsule = { radius = 0.15, half_length = 0.6 } }\n\
               place = { translate = [0.0, -0.151, 0.0], rotate_deg = [0, 0, 90] }\n\
               friction = { static = 0.5, kinetic = 0.4 }",
        settings: "velocity_damping = 4.0",
        place: [-0.5, 0.001, 0.5],
        turn: -90.0,
        frames: &[90],
        finest: [96, 96],
        uniform: &[[16, 16], [24, 24], [32, 32], [48, 48]],
        coarse: [8, 8],
        errors: &[(4.0, [2.0, 2.5]), (2.0, [3.0, 4.0])],
    },
];

/// What a run has come to.
struct Run {
    /// At all times that are compared, one after the other.
    points: Vec<DVec3>,
    /// Mean over the frames, and after the last one.
    vertices: f64,
    last: f64,
    /// Time of all steps on one thread \[s\].
    time: f64,
}

/// The medians of a mesh.
#[derive(Clone, Copy, Debug)]
struct Cost {
    /// Root mean square \[mm\].
    error: f64,
    vertices: f64,
    last: f64,
    time: f64,
}

/// Every case; see the module page.
pub(super) fn check_adaptive(context: &Context<'_>) -> Result<Vec<Row>, CheckError> {
    let mut rows = Vec::new();
    for case in &CASES {
        let finest = follow(context, case, case.finest, "", 0)?.points;
        let measure = |cells: [u32; 2], remesh: &str| -> Result<Cost, CheckError> {
            let runs = (0..STARTS).map(|start| follow(context, case, cells, remesh, start));
            let runs = runs.collect::<Result<Vec<_>, _>>()?;
            let error = |run: &Run| 1e3 * Deviation::between(&run.points, &finest).rms;
            Ok(Cost {
                error: median(&runs, error),
                vertices: median(&runs, |run| run.vertices),
                last: median(&runs, |run| run.last),
                time: median(&runs, |run| run.time),
            })
        };
        let uniform = case.uniform.iter().map(|cells| measure(*cells, "")).collect::<Result<Vec<_>, _>>()?;
        for (cells, cost) in case.uniform.iter().zip(&uniform) {
            rows.extend(report(&format!("{}, uniform {} × {}", case.name, cells[0], cells[1]), cost));
        }
        for (tolerance, least) in case.errors {
            let remesh = format!("remesh = {{ size_max = 0.25, refine_error = {} }}", 1e-3 * tolerance);
            let cost = measure(case.coarse, &remesh)?;
            let name = format!("{}, adaptive {tolerance} mm", case.name);
            rows.extend(report(&name, &cost));
            let [vertices, last, time] = gains(&uniform, &cost);
            for (when, gain, least) in [("in the mean", vertices, least[0]), ("at the end", last, least[1])] {
                let part = format!("{name}: part of the vertices of a uniform mesh, {when}");
                rows.push(Row::at_most(part, 1.0 / gain, 1.0 / least));
                rows.push(Row::reported(format!("{name}: gain in vertices, {when}"), gain));
            }
            rows.push(Row::reported(format!("{name}: gain in time"), time));
        }
    }
    Ok(rows)
}

/// The figures of a mesh.
fn report(name: &str, cost: &Cost) -> [Row; 4] {
    [
        Row::reported(format!("{name}: error"), cost.error).in_unit("mm"),
        Row::reported(format!("{name}: vertices, mean"), cost.vertices),
        Row::reported(format!("{name}: vertices, at the end"), cost.last),
        Row::reported(format!("{name}: time"), cost.time).in_unit("s"),
    ]
}

/// The one in the middle of what the runs, an odd number of them, have.
fn median(runs: &[Run], of: impl Fn(&Run) -> f64) -> f64 {
    let mut values: Vec<f64> = runs.iter().map(of).collect();
    values.sort_by(f64::total_cmp);
    values[values.len() / 2]
}

/// How many times as many vertices, in the mean and at the end, and as much time, a uniform mesh takes that errs as much as an
/// adaptive one: the coarsest such mesh. If none that was run does, the finest is taken, so that no more is claimed than was seen.
fn gains(uniform: &[Cost], adaptive: &Cost) -> [f64; 3] {
    let reached = uniform.iter().position(|cost| cost.error <= adaptive.error);
    let [vertices, time] = match reached {
        Some(0) => [uniform[0].vertices, uniform[0].time],
        None => uniform.last().map_or([0.0; 2], |cost| [cost.vertices, cost.time]),
        Some(k) => {
            let (coarse, fine) = (&uniform[k - 1], &uniform[k]);
            let part = (coarse.error / adaptive.error).ln() / (coarse.error / fine.error).ln();
            let between = |a: f64, b: f64| a * (b / a).powf(part);
            [between(coarse.vertices, fine.vertices), between(coarse.time, fine.time)]
        }
    };
    [vertices / adaptive.vertices, vertices / adaptive.last, time / adaptive.time]
}

/// Runs a case on a mesh of such cells from one of the starts.
fn follow(
    context: &Context<'_>,
    case: &Case,
    [along, across]: [u32; 2],
    remesh: &str,
    start: u32,
) -> Result<Run, CheckError> {
    context.note(&format!("adaptive: {}, {along} × {across} cells, start {start} {remesh}", case.name));
    let Case { size: [length, width], cloth, rest, settings, place: [x, y, z], turn, .. } = case;
    let height = y + STEP * f64::from(start);
    let mut experiment = context.experiment(&format!(
        "[simulation]\nduration = 2.0\nthreads = 1\n{settings}\n[[cloth]]\n{cloth}\n{remesh}\n\
         grid = {{ size = [{length}, {width}], cells = [{along}, {across}], pattern = \"alternating\" }}\n\
         place = {{ translate = [{x}, {height}, {z}], rotate_deg = [{turn}, 0, 0] }}\n{rest}\n"
    ))?;
    let mut run = Run { points: Vec::new(), vertices: 0.0, last: 0.0, time: 0.0 };
    let last = case.frames.last().copied().unwrap_or(0);
    for frame in 1..=last {
        let clock = Instant::now();
        run.last = experiment.step()?.vertices as f64;
        run.vertices += run.last / f64::from(last);
        run.time += clock.elapsed().as_secs_f64();
        if case.frames.contains(&frame) {
            let part = |k: u32| f64::from(k) / f64::from(POINTS - 1);
            let places = (0..POINTS * POINTS).map(|i| [length * part(i % POINTS), width * part(i / POINTS)]);
            for [u, v] in places {
                run.points.push(experiment.at(u, v)?);
            }
        }
    }
    Ok(run)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn gains_are_measured_against_the_coarsest_uniform_mesh_that_is_as_good() {
        let cost =
            |error: f64, vertices: f64, time: f64| Cost { error, vertices, last: 0.5 * vertices, time };
        // Error by 1/vertices, time by vertices.
        let uniform = [cost(8.0, 100.0, 1.0), cost(4.0, 200.0, 2.0), cost(2.0, 400.0, 4.0)];
        let [vertices, _, time] = gains(&uniform, &cost(3.0, 50.0, 4.0));
        assert!((vertices - 800.0 / 3.0 / 50.0).abs() < 1e-12 && (time - 8.0 / 3.0 / 4.0).abs() < 1e-12);
        // Worse than the coarsest, and better than the finest that was run.
        assert_eq!(gains(&uniform, &cost(10.0, 50.0, 1.0)), [2.0, 4.0, 1.0]);
        assert_eq!(gains(&uniform, &cost(0.1, 50.0, 1.0)), [8.0, 16.0, 4.0]);
    }
}
