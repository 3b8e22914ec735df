//! A thousand passes that nothing asks for: what they add to the error of a swing, and what they do to momenta and energy.
//!
//! Passes are forced by sizes that go back and forth, so that every second pass splits the edges of the whole sheet and the
//! next one collapses them. Between two substeps the mesh is then what it was, but for what the allowance of a pass
//! ([`RemeshSettings::popping`]) leaves for later ones.
//!
//! Every edit lumps masses anew. The angular momentum that a one-ring then lacks is shared with what is around it, which smooths kinks of
//! the velocities a little. A thousand passes in 0.7 s add them up; two passes a frame, as a run makes them at most, do not.

use crate::study::Deviation;
use crate::validate::bench::context::{CheckError, Context, Experiment};
use crate::validate::bench::row::Row;
use glam::DVec3;
use taffeta_remesh::RemeshSettings;
use taffeta_sim::Metrics;

/// Number of passes that are forced, and of those after each substep.
const PASSES: u32 = 1000;
const PASSES_PER_SUBSTEP: u32 = 6;
/// Passes that are forced after every frame, as often as a run makes them at most.
const PASSES_PER_FRAME: u32 = 2;
/// Substeps of a frame of 1/60 s.
const SUBSTEPS: u32 = 4;
/// Time after which wanted sizes have forgotten what they were \[s\].
const LONG: f64 = 10.0;

/// Cells along a side of the sheet that swings, and of the reference.
const CELLS: u32 = 24;
const FINEST: u32 = 96;
/// Wanted lengths \[m\] that make a pass split the diagonals of these cells, and collapse them again.
const SIZES: [f64; 2] = [1.2 / CELLS as f64, 1.8 / CELLS as f64];
/// Points along a side at which positions are compared, and substeps from one comparison to the next.
const POINTS: u32 = 33;
const EVERY: u32 = 24;

/// See the module page.
pub(crate) fn check_passes(context: &Context<'_>) -> Result<Vec<Row>, CheckError> {
    let mut rows = check_swing(context)?;
    rows.extend(check_free(context)?);
    Ok(rows)
}

/// Effect of the forced passes of a run.
#[derive(Clone, Copy, Debug, Default)]
struct Tally {
    passes: u32,
    /// Passes that have edited something, and their edits.
    edited: u32,
    edits: u64,
    /// Largest popping of a pass.
    popping: f64,
    /// Sums of what passes have added to the momenta, and the least momenta before one.
    linear: DVec3,
    angular: DVec3,
    least: Option<[f64; 2]>,
    /// Energy that all passes so far have added, the most that this ever was, and the least and the greatest change
    /// by one \[J\].
    added: f64,
    most: f64,
    range: [f64; 2],
}

impl Tally {
    /// Forces so many passes with sizes that go back and forth.
    fn force(&mut self, experiment: &mut Experiment, sizes: &[f64], count: u32) -> Result<(), CheckError> {
        for _ in 0..count.min(PASSES - self.passes) {
            let size = sizes[self.passes as usize % sizes.len()];
            let world = &mut experiment.world;
            if let Some(settings) = world.cloths()[0].remesh {
                world.set_remesh(world.cloth_ids()[0], RemeshSettings { size_max: size, ..settings })?;
            }
            let before = world.measure();
            let (counts, jumps) = world.remesh_now(LONG);
            let after = world.measure();
            let edits = counts.splits + counts.collapses + counts.flips;
            self.passes += 1;
            self.edited += u32::from(edits > 0);
            self.edits += edits;
            self.popping = self.popping.max(jumps.popping);
            self.note(&before, &after);
        }
        Ok(())
    }

    fn note(&mut self, before: &Metrics, after: &Metrics) {
        self.linear += after.momentum - before.momentum;
        self.angular += after.angular_momentum - before.angular_momentum;
        let now = [before.momentum.length(), before.angular_momentum.length()];
        let least = self.least.unwrap_or(now);
        self.least = Some([0, 1].map(|k| least[k].min(now[k])));
        let change = energy(after) - energy(before);
        self.added += change;
        self.most = self.most.max(self.added);
        self.range = [self.range[0].min(change), self.range[1].max(change)];
    }

    fn rows(&self, name: &str) -> Vec<Row> {
        vec![
            Row::reported(format!("{name}: passes that edit"), f64::from(self.edited)),
            Row::reported(format!("{name}: edits"), self.edits as f64),
            Row::at_most(format!("{name}: popping of a pass"), self.popping, 1e-4 * (1.0 + 1e-9)),
            Row::reported(format!("{name}: energy that all passes take"), -self.added).in_unit("J"),
            Row::reported(format!("{name}: most that one of them takes"), -self.range[0]).in_unit("J"),
            Row::reported(format!("{name}: most that one of them gives back"), self.range[1]).in_unit("J"),
        ]
    }
}

/// All of it \[J\].
fn energy(metrics: &Metrics) -> f64 {
    metrics.kinetic_energy + metrics.stretch_energy + metrics.bend_energy + metrics.gravity_energy
}

/// Lines for a sheet that is remeshed only when a check says so, to the largest size.
fn forced(size_max: f64) -> String {
    format!("remesh = {{ size_max = {size_max}, size_min = 0.001, refine_error = 1.0, interval = 1000000 }}")
}

/// Cotton that swings from one edge, let go where it is horizontal: with forced passes and without.
fn check_swing(context: &Context<'_>) -> Result<Vec<Row>, CheckError> {
    let finest = follow(context, FINEST, None)?.0;
    let (plain, _) = follow(context, CELLS, None)?;
    let (remeshed, tally) = follow(context, CELLS, Some(Rhythm { every: 1, count: PASSES_PER_SUBSTEP }))?;
    let (usual, _) = follow(context, CELLS, Some(Rhythm { every: SUBSTEPS, count: PASSES_PER_FRAME }))?;
    let distance =
        |a: &[Vec<DVec3>], b: &[Vec<DVec3>]| 1e3 * Deviation::between(&a.concat(), &b.concat()).rms;
    let [without, with, usual] = [&plain, &remeshed, &usual].map(|run| distance(run, &finest));
    let mut rows = tally.rows("swing");
    rows.extend([
        Row::reported("swing: error without passes", without).in_unit("mm"),
        Row::reported("swing: error with passes", with).in_unit("mm"),
        Row::at_most("swing: error that two passes a frame add", (usual - without).max(0.0), 0.5)
            .in_unit("mm"),
        Row::at_most("swing: error that passes add", (with - without).max(0.0), 0.5).in_unit("mm"),
        Row::at_most("swing: distance to the run without passes", distance(&plain, &remeshed), 0.5)
            .in_unit("mm"),
    ]);
    Ok(rows)
}

/// When passes are forced.
#[derive(Clone, Copy, Debug)]
struct Rhythm {
    /// After every so many substeps.
    every: u32,
    /// So many of them.
    count: u32,
}

/// Places of material points, time by time, of a sheet of such cells, with forced passes or without.
fn follow(
    context: &Context<'_>,
    cells: u32,
    rhythm: Option<Rhythm>,
) -> Result<(Vec<Vec<DVec3>>, Tally), CheckError> {
    let remesh = rhythm.map_or(String::new(), |_| forced(SIZES[1]));
    context.note(&format!("passes: swing, {cells} × {cells} cells {remesh}"));
    let rate = 60 * SUBSTEPS;
    let mut experiment = context.experiment(&format!(
        "[simulation]\nduration = 2.0\nthreads = 1\nframe_rate = {rate}\nsubsteps = 1\n[[cloth]]\nmaterial = \"cotton\"\n{remesh}\n\
         grid = {{ size = [1.0, 1.0], cells = [{cells}, {cells}], pattern = \"alternating\" }}\n\
         place = {{ rotate_deg = [-90, 0, 0] }}\n\
         [[cloth.pin]]\nwhere = {{ material_box = [[0.0, 1.0], [1.0, 1.0]] }}\n"
    ))?;
    let (mut places, mut tally) = (Vec::new(), Tally::default());
    for substep in 1..=PASSES.div_ceil(PASSES_PER_SUBSTEP) {
        experiment.step()?;
        if let Some(Rhythm { count, .. }) = rhythm.filter(|rhythm| substep.is_multiple_of(rhythm.every)) {
            tally.force(&mut experiment, &SIZES, count)?;
        }
        if substep % EVERY == 0 {
            let part = |k: u32| f64::from(k) / f64::from(POINTS - 1);
            let points = (0..POINTS * POINTS).map(|i| experiment.at(part(i % POINTS), part(i / POINTS)));
            places.push(points.collect::<Result<Vec<_>, _>>()?);
        }
    }
    Ok((places, tally))
}

/// A sheet that turns and waves in a vacuum, on which nothing acts but gravity.
fn check_free(context: &Context<'_>) -> Result<Vec<Row>, CheckError> {
    context.note("passes: free flight");
    let remesh = forced(0.08);
    let rate = 60 * SUBSTEPS;
    let mut flight = context.experiment(&format!(
        r#"
[simulation]
duration = 2.0
threads = 1
frame_rate = {rate}
substeps = 1
[[cloth]]
grid = {{ cells = [16, 16], pattern = "delaunay" }}
material = {{ density = 0.2, stretch = [2000.0, 2000.0], poisson = 0.3, bend = [5e-5, 5e-5] }}
velocity = [0.4, 10.0, -0.2]
angular_velocity = [0.5, 2.0, 1.0]
{remesh}
[air]
density = 0.0
[contact]
self = false
"#
    ))?;
    let mut tally = Tally::default();
    // Before its first step a mesh is adapted to what comes: while the sheet is flat that is nothing.
    flight.step()?;
    stir(&mut flight, 0.5);
    let start = flight.world.measure();
    while tally.passes < PASSES {
        // The integration in time damps waves, and a sheet without any lets passes wait.
        stir(&mut flight, 0.05);
        flight.step()?;
        tally.force(&mut flight, &[0.06, 0.12, 0.08, 0.16], PASSES_PER_SUBSTEP)?;
    }
    let [linear, angular] = tally.least.unwrap_or_default();
    let within = start.kinetic_energy - 0.5 * start.momentum.length_squared() / mass(&flight);
    let mut rows = tally.rows("free flight");
    rows.extend([
        Row::at_most("free flight: linear momentum, relative", tally.linear.length() / linear, 1e-10),
        Row::at_most("free flight: angular momentum, relative", tally.angular.length() / angular, 1e-10),
        Row::at_most("free flight: energy that passes add, relative", tally.most / within, 1e-10),
        Row::reported("free flight: energy within the sheet at the start", within).in_unit("J"),
    ]);
    Ok(rows)
}

/// Adds waves to the velocities of a sheet, so high \[m/s\].
fn stir(experiment: &mut Experiment, height: f64) {
    experiment.world.edit(|keyed| {
        for vertex in keyed.attributes.vertices.values_mut() {
            let [a, b, _] = vertex.start.to_array();
            vertex.velocity +=
                height * DVec3::new((9.0 * b).sin(), (7.0 * a).cos(), (13.0 * a + 5.0 * b).sin());
        }
    });
}

fn mass(experiment: &Experiment) -> f64 {
    experiment.world.motion().masses.iter().sum()
}
