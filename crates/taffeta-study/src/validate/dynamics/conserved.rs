//! Quantities that motion without losses must keep: angular momentum and energy, by solver, integrator and time step.

use crate::validate::bench::context::{CheckError, Context};
use crate::validate::bench::row::Row;
use crate::validate::bench::swing::{MATERIAL, Support, swing_scene};
use glam::DVec3;

/// Solver of the motion, with its settings.
#[derive(Clone, Copy, Debug)]
struct Method {
    /// Lines of `[simulation]`.
    settings: &'static str,
    /// Its name in the rows.
    name: &'static str,
}

/// The default, then every solver with each of its integrators.
const DEFAULT: Method = Method { settings: "", name: "default" };
const METHODS: [Method; 5] = [
    Method { settings: "solver = \"global\"\ntime = \"tr_bdf2\"", name: "global, tr_bdf2" },
    Method { settings: "solver = \"global\"\ntime = \"euler\"", name: "global, euler" },
    Method { settings: "solver = \"direct\"\ntime = \"tr_bdf2\"", name: "direct, tr_bdf2" },
    Method { settings: "solver = \"direct\"\ntime = \"euler\"", name: "direct, euler" },
    Method { settings: "solver = \"block\"", name: "block, euler" },
];
/// Substeps per frame of 1/60 s.
const SUBSTEPS: [u32; 3] = [1, 4, 16];

/// Angular velocity of the free sheet \[rad/s\].
const SPIN: f64 = 3.0;
/// Largest growth of the energy, as a part of what was released.
const GROWTH: f64 = 1e-3;

/// Every method at every time step: name and settings.
fn each_method() -> impl Iterator<Item = (String, String)> {
    let with_steps = |method: Method| {
        SUBSTEPS.map(|substeps| {
            let step = 1e3 / (60.0 * f64::from(substeps));
            let settings = format!("{}\nsubsteps = {substeps}", method.settings);
            (format!("{}, Δt = {step:.2} ms", method.name), settings)
        })
    };
    METHODS.into_iter().flat_map(with_steps)
}

/// Part of its angular momentum that a free sheet in a vacuum loses in two seconds. By default it turns about its normal and
/// about an axis in its plane; by each method about its normal.
pub(crate) fn check_spin(context: &Context<'_>) -> Result<Vec<Row>, CheckError> {
    let mut rows = default_spin(context)?;
    for (name, settings) in each_method() {
        context.note(&format!("spin: {name}"));
        let value = spin_loss(context, &settings, DVec3::Z * SPIN)?;
        rows.push(Row::reported(format!("{name}: loss about the normal"), value));
    }
    Ok(rows)
}

/// The loss of angular momentum by default.
pub(super) fn default_spin(context: &Context<'_>) -> Result<Vec<Row>, CheckError> {
    let row = |(axis, direction): (&str, DVec3)| {
        let value = spin_loss(context, DEFAULT.settings, direction * SPIN)?;
        Ok(Row::at_most(format!("{}: loss about {axis}", DEFAULT.name), value, 0.01))
    };
    [("an axis in the plane", DVec3::X), ("the normal", DVec3::Z)].into_iter().map(row).collect()
}

fn spin_loss(context: &Context<'_>, settings: &str, spin: DVec3) -> Result<f64, CheckError> {
    let mut flight = context.experiment(&spinning_scene(settings, spin))?;
    let start = flight.world.measure().angular_momentum;
    flight.run_to_end()?;
    Ok((flight.world.measure().angular_momentum - start).length() / start.length())
}

fn spinning_scene(settings: &str, spin: DVec3) -> String {
    format!(
        r#"
[simulation]
duration = 2.0
gravity = [0.0, 0.0, 0.0]
{settings}
[[cloth]]
grid = {{ cells = [12, 12], pattern = "alternating" }}
material = {MATERIAL}
angular_velocity = [{}, {}, {}]
[air]
density = 0.0
"#,
        spin.x, spin.y, spin.z
    )
}

/// The energy of an undamped swing, relative to what gravity has released: how much it grows at most, and how much is
/// lost at the end.
pub(crate) fn check_energy(context: &Context<'_>) -> Result<Vec<Row>, CheckError> {
    let mut rows = default_energy(context)?;
    for (name, settings) in each_method() {
        rows.extend(energy_rows(context, &name, &settings)?);
    }
    Ok(rows)
}

/// The rows of the energy by default.
pub(super) fn default_energy(context: &Context<'_>) -> Result<Vec<Row>, CheckError> {
    energy_rows(context, DEFAULT.name, DEFAULT.settings)
}

fn energy_rows(context: &Context<'_>, name: &str, settings: &str) -> Result<Vec<Row>, CheckError> {
    context.note(&format!("energy: {name}"));
    let course = swing_energies(context, settings)?;
    let (case, growth) = (format!("{name}: growth of the energy"), largest_growth(&course));
    // Long steps of block updates stretch the cloth.
    let is_bound = !settings.contains("block");
    let growth = if is_bound { Row::at_most(case, growth, GROWTH) } else { Row::reported(case, growth) };
    Ok(vec![growth, Row::reported(format!("{name}: decay of the energy in 1 s"), decay(&course))])
}

/// The energies of a moment \[J\].
#[derive(Clone, Copy, Debug)]
struct Energies {
    total: f64,
    gravity: f64,
}

/// A sheet that swings from two patches at its corners, frame by frame.
fn swing_energies(context: &Context<'_>, settings: &str) -> Result<Vec<Energies>, CheckError> {
    let scene = swing_scene(20, Support::Patches, settings);
    context.experiment(&scene)?.record(|experiment| {
        let now = experiment.world.measure();
        let elastic = now.stretch_energy + now.bend_energy;
        let total = now.kinetic_energy + elastic + now.gravity_energy;
        Ok(Energies { total, gravity: now.gravity_energy })
    })
}

/// Energy that gravity has released at most \[J\]: the scale of the motion.
fn released(course: &[Energies]) -> f64 {
    course[0].gravity - course.iter().map(|e| e.gravity).fold(f64::INFINITY, f64::min)
}

/// The largest rise of the energy above what it was at any time before, as a part of what was released.
fn largest_growth(course: &[Energies]) -> f64 {
    let mut least = f64::INFINITY;
    let mut growth = 0.0_f64;
    for now in course {
        least = least.min(now.total);
        growth = growth.max(now.total - least);
    }
    growth / released(course)
}

/// Energy lost at the end, as a part of that released.
fn decay(course: &[Energies]) -> f64 {
    let last = course.last().map_or(0.0, |e| e.total);
    (course[0].total - last) / released(course)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn growth_is_measured_from_the_lowest_energy_before() {
        let course = [(0.0, 5.0), (-1.0, 4.0), (-0.7, 3.0), (-0.8, 3.0), (-0.9, 3.5)]
            .map(|(total, gravity)| Energies { total, gravity });
        assert!((largest_growth(&course) - 0.15).abs() < 1e-12);
        assert!((decay(&course) - 0.45).abs() < 1e-12);
    }
}
