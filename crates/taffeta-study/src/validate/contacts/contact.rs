//! Contact: combinations of bodies and motions, random trials of the safeguard, a fall without collisions, a ball that
//! takes a sheet along.

use super::capstan::check_capstan;
use super::glide::{check_cloth_on_cloth, check_obstacles};
use super::grip::check_grip;
use super::unrelated::check_unrelated;
use crate::validate::bench::context::{CheckError, Context, Experiment};
use crate::validate::bench::row::Row;
use crate::validate::bench::trials::run_trials;
use glam::DVec3;

/// Random trials of the certificate.
const TRIALS: u64 = 1_000_000;
/// Seed of the trials.
const SEED: u64 = 2026;

/// Cloth far from, on and over cloth; on obstacles, over a rail and between fingers. Nothing crosses in any of them.
pub(crate) fn check_contact(context: &Context<'_>) -> Result<Vec<Row>, CheckError> {
    let mut crossings = 0;
    let mut rows = check_unrelated(context)?;
    rows.extend(check_cloth_on_cloth(context, &mut crossings)?);
    rows.extend(check_obstacles(context, &mut crossings)?);
    rows.extend(check_capstan(context, &mut crossings)?);
    rows.extend(check_grip(context, &mut crossings)?);
    rows.push(Row::at_most("crossings in all frames with contact", crossings as f64, 0.0));
    Ok(rows)
}

/// Checks that motions which the certificate of the safeguard lets through do not cross, neither at the end nor on
/// the way.
pub(crate) fn check_certificate(context: &Context<'_>) -> Result<Vec<Row>, CheckError> {
    context.note("certificate: a million random pairs of hinged quads");
    let report = run_trials(TRIALS, SEED);
    let count = |case: &str, count: u64| Row::at_most(case, count as f64, 0.0);
    let part = |count: u64| 100.0 * count as f64 / report.trials as f64;
    Ok(vec![
        Row::reported("trials that cross as they were proposed", part(report.crossed_before)).in_unit("%"),
        count("trials that cross at the end", report.crossed_after),
        count("trials that cross on the way", report.crossed_on_path),
        count("trials that were given up", report.forced),
        Row::reported("motion that is kept", 100.0 * report.kept).in_unit("%"),
    ])
}

/// Three layers that fall together by two edge lengths per substep lose nothing.
pub(crate) fn check_fall(context: &Context<'_>) -> Result<Vec<Row>, CheckError> {
    let sheet = |number: u32| {
        let height = 1e-3 * f64::from(number);
        format!(
            "[[cloth]]\nname = \"sheet_{number}\"\ngrid = {{ size = [0.2, 0.2], cells = [10, 10] }}\n\
             place = {{ translate = [0.0, {height}, 0.0], rotate_deg = [-90, 0, 0] }}\nvelocity = [0.0, -9.6, 0.0]\n"
        )
    };
    let sheets: String = (0..3).map(sheet).collect();
    let text = format!(
        "[simulation]\nduration = 0.5\nsubsteps = 4\ngravity = [0, 0, 0]\n{sheets}[air]\ndensity = 0.0\n"
    );
    let mut fall = context.experiment(&text)?;
    let before = fall.world.measure().momentum;
    let (mut shortened, mut taken) = (0, 0.0);
    while fall.world.frame() < fall.scene.last_frame() {
        let report = fall.step()?.safeguard;
        shortened += report.shortened;
        taken += report.lost_impulse;
    }
    let kept = fall.world.measure().momentum.length() / before.length();
    Ok(vec![
        Row::at_most("motions that are shortened", shortened as f64, 0.0),
        Row::at_most("impulse that is taken", taken, 0.0).in_unit("N·s"),
        Row::relative("part of the momentum that is kept", kept, 1.0, 1e-9),
    ])
}

/// Rate of the ball \[degrees/s\].
const RATE: f64 = 120.0;

/// A sheet that hangs down all around a ball, which turns: with friction it follows, without it stays.
pub(crate) fn check_ball(context: &Context<'_>) -> Result<Vec<Row>, CheckError> {
    let mut rows = Vec::new();
    for friction in [0.4, 0.0] {
        context.note(&format!("rotating-sphere: friction {friction}"));
        let scene = ball_scene(friction);
        let mut ball = context.experiment(&scene)?;
        ball.run(165)?;
        let mut rate = 0.0;
        for _ in 0..15 {
            ball.step()?;
            rate += turning_rate(&ball) / 15.0;
        }
        let part = rate / RATE.to_radians();
        rows.push(if friction > 0.0 {
            Row::at_most("rate of the ball that the sheet lacks after 3 s, friction 0.4", 1.0 - part, 0.5)
        } else {
            Row::at_most("rate of the sheet after 3 s, friction 0, relative to the ball's", part, 0.05)
        });
    }
    Ok(rows)
}

fn ball_scene(friction: f64) -> String {
    let turned = 3.0 * RATE;
    format!(
        r#"
[simulation]
duration = 3.0
[[cloth]]
grid = {{ size = [1.0, 1.0], cells = [20, 20] }}
material = {{ density = 0.15, thickness = 0.0005, stretch = [1000.0, 1000.0], poisson = 0.3, bend = [1e-5, 1e-5], friction = {{ static = {friction}, kinetic = {friction} }} }}
place = {{ translate = [-0.5, 0.2005, 0.5], rotate_deg = [-90, 0, 0] }}
[[obstacle]]
shape = {{ sphere = {{ radius = 0.2 }} }}
motion = [ {{ t = 0.0 }}, {{ t = 3.0, rotate_deg = [0, {turned}, 0] }} ]
friction = {{ static = {friction}, kinetic = {friction} }}
# A sheet that slides off is turned by the air.
[air]
density = 0.0
"#
    )
}

/// Mean rate at which the cloth turns about the vertical axis through its center of mass \[rad/s\].
fn turning_rate(experiment: &Experiment) -> f64 {
    let state = &experiment.world.motion();
    let vertices = || state.positions.iter().zip(state.masses.iter());
    let center = vertices().map(|(x, m)| *x * *m).sum::<DVec3>() / vertices().map(|(_, m)| *m).sum::<f64>();
    let (mut angular, mut inertia) = (0.0, 0.0);
    for ((x, m), v) in vertices().zip(state.velocities.iter()) {
        let arm = *x - center;
        angular += m * arm.cross(*v).dot(DVec3::Y);
        inertia += m * (arm.x * arm.x + arm.z * arm.z);
    }
    angular / inertia
}
