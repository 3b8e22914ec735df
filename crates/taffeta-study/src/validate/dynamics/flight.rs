//! Free flight through forced edits of the mesh.

use crate::validate::bench::context::{CheckError, Context, Experiment};
use crate::validate::bench::row::Row;
use glam::DVec3;
use taffeta_remesh::{EditKind, RandomEdits, random_edits, split_with_transfer};
use taffeta_sim::World;

const GRAVITY: DVec3 = DVec3::new(0.0, -9.81, 0.0);
/// Initial velocity \[m/s\].
const VELOCITY: DVec3 = DVec3::new(0.4, 1.0, -0.2);
/// Attempts to edit after every frame.
const ATTEMPTS: usize = 60;
/// Frames of each flight.
const FRAMES: u32 = 12;
/// Substeps where their number must be known.
const SUBSTEPS: u32 = 10;

/// A spinning sheet in a vacuum, with lines for `[simulation]`.
fn scene(simulation: &str) -> String {
    format!(
        r#"
[simulation]
duration = 0.2
{simulation}
[[cloth]]
grid = {{ cells = [8, 8], pattern = "delaunay" }}
material = {{ density = 0.2, stretch = [2000.0, 2000.0], poisson = 0.3, bend = [5e-5, 5e-5] }}
velocity = [0.4, 1.0, -0.2]
angular_velocity = [0.5, 2.0, 1.0]
[air]
density = 0.0
"#
    )
}

/// Momenta through random edits of all kinds, with the solver of the program's choice and with block updates; the center
/// of mass through splits.
pub(crate) fn check_flight(context: &Context<'_>) -> Result<Vec<Row>, CheckError> {
    let block = format!("solver = \"block\"\nsubsteps = {SUBSTEPS}\n");
    let mut rows = fly_with_edits(context.experiment(&scene(""))?, "default solver")?;
    rows.extend(fly_with_edits(context.experiment(&scene(&block))?, "block solver")?);
    rows.push(fly_with_splits(context.experiment(&scene(&block))?)?);
    Ok(rows)
}

/// The linear momentum of a sheet that nothing edits.
pub(super) fn linear_momentum(context: &Context<'_>) -> Result<Row, CheckError> {
    let mut flight = context.experiment(&scene(""))?;
    let start = flight.world.measure().momentum;
    let errors = flight.record(|flight| Ok(momentum_error(flight, start)))?;
    let worst = errors.into_iter().fold(0.0, f64::max);
    Ok(Row::at_most("free flight: linear momentum, relative", worst, 1e-12))
}

/// Error of the linear momentum \[N·s\] of a flight that began with `start`, as a part of its size.
fn momentum_error(flight: &Experiment, start: DVec3) -> f64 {
    let mass: f64 = flight.world.motion().masses.iter().sum();
    let expected = start + GRAVITY * (mass * flight.world.time());
    // Where the momentum itself passes through zero is no place to compare with it.
    let turned_over = start.length() + (expected - start).length();
    (flight.world.measure().momentum - expected).length() / turned_over
}

fn fly_with_edits(mut flight: Experiment, name: &str) -> Result<Vec<Row>, CheckError> {
    let start = flight.world.measure().momentum;
    let (mut linear, mut angular, mut shift) = (0.0_f64, 0.0_f64, 0.0_f64);
    for frame in 1..=FRAMES {
        flight.step()?;
        let (before, old_center) = (flight.world.measure(), center(&flight.world));
        edit_at_random(&mut flight.world, frame)?;
        let after = flight.world.measure();
        linear = linear.max(momentum_error(&flight, start));
        let spin = before.angular_momentum;
        angular = angular.max((after.angular_momentum - spin).length() / spin.length());
        shift = shift.max(center(&flight.world).distance(old_center));
    }
    Ok(vec![
        Row::at_most(format!("{name}: linear momentum, relative"), linear, 1e-12),
        Row::at_most(format!("{name}: angular momentum of edits, relative"), angular, 1e-10),
        Row::reported(format!("{name}: shift of the center by flips, collapses"), shift).in_unit("m"),
    ])
}

fn edit_at_random(world: &mut World, seed: u32) -> Result<(), CheckError> {
    let mut outcome = Ok(());
    world.edit(|keyed| {
        let kinds = vec![EditKind::Split, EditKind::Collapse, EditKind::Flip];
        let edits = RandomEdits { outline: false, seed: u64::from(seed), attempts: ATTEMPTS, kinds };
        let made = random_edits(&mut keyed.mesh, &mut keyed.attributes, &[], &edits);
        if made.len() < ATTEMPTS / 6 {
            outcome = Err(CheckError::Odd(format!("only {} of {ATTEMPTS} edits were made", made.len())));
        } else if let Err(error) = keyed.mesh.validate() {
            outcome = Err(CheckError::Odd(format!("the mesh is broken after random edits: {error}")));
        }
    });
    outcome
}

/// The largest distance of the center of mass from the discrete parabola of implicit Euler.
fn fly_with_splits(mut flight: Experiment) -> Result<Row, CheckError> {
    let (mut expected, mut velocity) = (center(&flight.world), VELOCITY);
    let h = flight.scene.simulation.frame_time() / f64::from(SUBSTEPS);
    let mut worst = 0.0_f64;
    for frame in 0..FRAMES {
        flight.step()?;
        for _ in 0..SUBSTEPS {
            velocity += GRAVITY * h;
            expected += velocity * h;
        }
        flight.world.edit(|keyed| {
            // Any edge will do, another one each time.
            let edge = keyed.mesh.edge_keys().nth(7 * frame as usize);
            if let Some(edge) = edge {
                split_with_transfer(&mut keyed.mesh, &mut keyed.attributes, edge, &[]).ok();
            }
        });
        worst = worst.max(center(&flight.world).distance(expected));
    }
    Ok(Row::at_most("block solver: center of mass, with splits", worst, 1e-12).in_unit("m"))
}

/// Center of mass \[m\].
fn center(world: &World) -> DVec3 {
    let state = &world.motion();
    let moment: DVec3 = state.positions.iter().zip(state.masses.iter()).map(|(x, m)| *x * *m).sum();
    moment / state.masses.iter().sum::<f64>()
}
