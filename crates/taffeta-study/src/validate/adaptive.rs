//! What adaptive meshes are for: the same error with fewer vertices, in less time.

use super::context::{CheckError, Context};
use super::row::Row;
use crate::study::Deviation;
use glam::DVec3;
use std::time::Instant;

/// Length and width of the strip \[m\].
const SIZE: [f64; 2] = [2.0, 0.2];
/// Cells along and across it: of the reference, and of a uniform mesh whose error an adaptive one has to reach. Even
/// numbers across: with odd ones no vertices lie on the top of the ball, and the mesh errs more.
const FINEST: [u32; 2] = [240, 24];
const UNIFORM: [u32; 2] = [120, 12];
/// The mesh that the adaptive one starts from.
const COARSE: [u32; 2] = [40, 4];
const REMESH: &str = "remesh = { size_max = 0.2, refine_error = 0.0013 }";
/// Part of the vertices of the uniform mesh that the adaptive one may have.
const PART: f64 = 1.0 / 5.0;

/// How many starts there are, an odd number, and how much higher each is than the last \[m\]: where friction catches a strip is
/// decided by little, so that one start alone tells little.
const STARTS: u32 = 5;
const STEP: f64 = 1e-5;

/// A mesh at the end of the run.
struct Draped {
    points: Vec<DVec3>,
    vertices: f64,
    /// Time that it took on one thread \[s\].
    time: f64,
}

/// A long strip that comes to rest over a small ball. A strip, because a wide sheet folds over a ball in many ways, and
/// which of them it finds is decided by its history.
pub(super) fn check_adaptive(context: &Context<'_>) -> Result<Vec<Row>, CheckError> {
    let finest = drape(context, FINEST, "", 0)?;
    let from_starts = |cells: [u32; 2], remesh: &str| {
        (0..STARTS).map(|start| drape(context, cells, remesh, start)).collect::<Result<Vec<_>, _>>()
    };
    let (uniform, adaptive) = (from_starts(UNIFORM, "")?, from_starts(COARSE, REMESH)?);
    let error = |draped: &Draped| 1e3 * Deviation::between(&draped.points, &finest.points).rms;
    let vertices = |draped: &Draped| draped.vertices;
    let over = |of: &dyn Fn(&Draped) -> f64| median(&adaptive, of) / median(&uniform, of);
    let reported = |name: &str, value: f64| Row::reported(name.to_owned(), value);
    Ok(vec![
        reported("uniform: vertices", median(&uniform, vertices)),
        reported("uniform: RMS distance to four times the cells, median", median(&uniform, error))
            .in_unit("mm"),
        reported("adaptive: vertices, median", median(&adaptive, vertices)),
        reported("adaptive: RMS distance to the same, median", median(&adaptive, error)).in_unit("mm"),
        reported("adaptive: largest", adaptive.iter().map(error).fold(0.0, f64::max)).in_unit("mm"),
        Row::at_most("error, adaptive over uniform", over(&error), 1.0),
        Row::at_most("vertices, adaptive over uniform", over(&vertices), PART),
        Row::reported("time, adaptive over uniform", over(&|draped| draped.time)),
    ])
}

/// The one in the middle of what the runs, an odd number of them, have.
fn median(runs: &[Draped], of: impl Fn(&Draped) -> f64) -> f64 {
    let mut values: Vec<f64> = runs.iter().map(of).collect();
    values.sort_by(f64::total_cmp);
    values[values.len() / 2]
}

/// Runs a mesh of such cells from one of the starts.
fn drape(
    context: &Context<'_>,
    [along, across]: [u32; 2],
    remesh: &str,
    start: u32,
) -> Result<Draped, CheckError> {
    context.note(&format!("adaptive: {along} × {across} cells, start {start} {remesh}"));
    let [length, width] = SIZE;
    let height = 0.055 + STEP * f64::from(start);
    let mut experiment = context.experiment(&format!(
        r#"
[simulation]
duration = 1.5
velocity_damping = 4.0
threads = 1
[[cloth]]
grid = {{ size = [{length}, {width}], cells = [{along}, {across}], pattern = "alternating" }}
material = {{ density = 0.3, stretch = [3000.0, 3000.0], poisson = 0.3, bend = [3e-4, 3e-4] }}
place = {{ translate = [-1.0, {height}, 0.1], rotate_deg = [-90, 0, 0] }}
{remesh}
[[obstacle]]
shape = {{ sphere = {{ radius = 0.05 }} }}
friction = {{ static = 0.5, kinetic = 0.4 }}
"#
    ))?;
    let clock = Instant::now();
    experiment.run_to_end()?;
    let time = clock.elapsed().as_secs_f64();
    let at = |i: u32| experiment.at(length * f64::from(i % 81) / 80.0, width * f64::from(i / 81) / 8.0);
    let points = (0..81 * 9).map(at).collect::<Result<_, _>>()?;
    Ok(Draped { points, vertices: experiment.world.vertex_count() as f64, time })
}
