//! Ropes against closed forms: the catenary, the cantilever, the heavy chain, and the same at every resolution.

use super::chain::find_frequency;
use crate::reference::{GRAVITY, heavy_chain, heavy_chain_mode};
use crate::validate::bench::context::{CheckError, Context, Experiment};
use crate::validate::bench::row::Row;
use glam::DVec3;
use taffeta_sim::{World, queries};

/// Segments of the ropes that are compared with closed forms.
const SEGMENTS: u32 = 40;
/// Numbers of segments that are compared with each other, the last of which is the reference.
const RESOLUTIONS: [u32; 3] = [10, 40, 160];
/// Length of the catenary and distance of its ends \[m\].
const LENGTH: f64 = 2.0;
const SPAN: f64 = 1.4;

/// All rows.
pub(crate) fn check_rope(context: &Context<'_>) -> Result<Vec<Row>, CheckError> {
    let mut rows = check_catenary(context)?;
    rows.extend(check_cantilever(context)?);
    rows.push(check_swing(context)?);
    rows.extend(check_resolution(context)?);
    Ok(rows)
}

/// A point of the only rope \[m\].
fn point(world: &World, at: f64) -> Result<DVec3, CheckError> {
    let (number, _) =
        queries::rope_bodies(world).next().ok_or_else(|| CheckError::Odd("the world has no rope".into()))?;
    Ok(queries::rope_point(world, number, at).position)
}

/// The parameter `a` \[m\] of the curve `y = a cosh(x/a)` of a length over a span: `length = 2a sinh(span/2a)`.
fn catenary(length: f64, span: f64) -> f64 {
    let (mut low, mut high) = (1e-3 * span, 1e3 * span);
    for _ in 0..200 {
        let a = 0.5 * (low + high);
        let is_too_long = 2.0 * a * (0.5 * span / a).sinh() > length;
        if is_too_long { low = a } else { high = a }
    }
    0.5 * (low + high)
}

fn check_catenary(context: &Context<'_>) -> Result<Vec<Row>, CheckError> {
    context.note("rope: catenary");
    let depth = (0.25 * (LENGTH * LENGTH - SPAN * SPAN)).sqrt();
    let scene = format!(
        r#"
[simulation]
mode = "static"
[[rope]]
points = [[0, 0, 0], [{}, -{depth}, 0], [{SPAN}, 0, 0]]
segments = {SEGMENTS}
material = {{ density = 0.05, stretch = 1e5 }}
[[rope.pin]]
where = {{ ends = "both" }}
"#,
        0.5 * SPAN
    );
    let world = context.equilibrium(&scene)?;
    let a = catenary(LENGTH, SPAN);
    let sag = a * ((0.5 * SPAN / a).cosh() - 1.0);
    let segment = 1.0 / f64::from(SEGMENTS);
    let end = point(&world, segment)? - point(&world, 0.0)?;
    // A segment has the direction of the curve in its middle.
    let slope = 0.5 * LENGTH * (1.0 - segment) / a;
    Ok(vec![
        Row::relative("catenary, sag", -point(&world, 0.5)?.y, sag, 0.005).in_unit("m"),
        Row::relative("catenary, slope of the end segment", -end.y / end.x, slope, 0.005),
    ])
}

fn check_cantilever(context: &Context<'_>) -> Result<Vec<Row>, CheckError> {
    context.note("rope: cantilever");
    // q L⁴/8EI of a tenth of a percent of the length.
    let load = 0.008;
    let scene = format!(
        r#"
[simulation]
mode = "static"
gravity = [0.0, -{GRAVITY}, 0.0]
[[rope]]
length = 1.0
segments = {SEGMENTS}
material = {{ density = {}, stretch = 1e6, bend = 1.0 }}
[[rope.pin]]
where = {{ ends = "first" }}
clamp = true
"#,
        load / GRAVITY
    );
    let world = context.equilibrium(&scene)?;
    let deflection = -point(&world, 1.0)?.y;
    Ok(vec![Row::relative("cantilever, deflection of the end", deflection, load / 8.0, 0.01).in_unit("m")])
}

fn check_swing(context: &Context<'_>) -> Result<Row, CheckError> {
    context.note("rope: small swing");
    let at = |i: u32| {
        let s = f64::from(i) / f64::from(SEGMENTS);
        format!("[{:?}, {:?}, 0]", 0.004 * heavy_chain_mode(1, 1.0 - s), -s)
    };
    let points: Vec<String> = (0..=SEGMENTS).map(at).collect();
    let scene = format!(
        r#"
[simulation]
duration = 4.0
[[rope]]
points = [{}]
material = {{ density = 0.05, stretch = 1e4 }}
[[rope.pin]]
where = {{ ends = "first" }}
"#,
        points.join(", ")
    );
    let end = |experiment: &Experiment| Ok((experiment.world.time(), point(&experiment.world, 1.0)?.x));
    let signal = context.experiment(&scene)?.record(end)?;
    let frequency = find_frequency(&signal)?;
    Ok(Row::relative("small swing, frequency (zero of J0)", frequency, heavy_chain(1, 1.0), 0.01)
        .in_unit("rad/s"))
}

/// A soft clamped rope that falls and swings, at the same time step, and where it comes to rest.
fn check_resolution(context: &Context<'_>) -> Result<Vec<Row>, CheckError> {
    let scene = |segments: u32, simulation: &str| {
        format!(
            r#"
[simulation]
{simulation}
[[rope]]
length = 1.0
segments = {segments}
material = {{ density = 0.05, stretch = 2e3, bend = 2e-2 }}
[[rope.pin]]
where = {{ ends = "first" }}
clamp = true
"#
        )
    };
    let (mut motions, mut rests) = (Vec::new(), Vec::new());
    for segments in RESOLUTIONS {
        context.note(&format!("rope: {segments} segments"));
        let mut experiment = context.experiment(&scene(segments, "duration = 0.5\nsubsteps = 16"))?;
        motions.push(experiment.record(|experiment| point(&experiment.world, 1.0))?);
        let world = context.equilibrium(&scene(segments, "mode = \"static\"\nduration = 1.0"))?;
        rests.push(vec![point(&world, 0.5)?, point(&world, 1.0)?]);
    }
    let apart = |of: &[Vec<DVec3>], k: usize| {
        of[k].iter().zip(&of[RESOLUTIONS.len() - 1]).map(|(a, b)| a.distance(*b)).fold(0.0, f64::max)
    };
    let mut rows = Vec::new();
    // Of the length of 1 m: a few percent with ten segments, a thousandth at rest with forty.
    for (k, (moving, resting)) in [(0.04, 1e-2), (3e-3, 1e-3)].into_iter().enumerate() {
        let case = |what: &str| format!("{what}, {} against {} segments", RESOLUTIONS[k], RESOLUTIONS[2]);
        rows.push(Row::at_most(case("falling"), apart(&motions, k), moving).in_unit("m"));
        rows.push(Row::at_most(case("at rest"), apart(&rests, k), resting).in_unit("m"));
    }
    Ok(rows)
}
