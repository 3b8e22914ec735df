//! Accuracy of a step: one rule for the length of its substeps and the tolerance of their solution.
//!
//! From one substep to the next, positions and velocities fit each other up to the error of the time integration:
//!
//! `e = xⁿ⁺¹ − xⁿ − h (vⁿ + vⁿ⁺¹)/2`
//!
//! is of third order in `h` like the local error of TR-BDF2, and about twice as large. After an Euler step it is `h²/2`
//! times the acceleration, which is the local error of that step. So `e` estimates either (Hairer, Nørsett and Wanner,
//! Solving Ordinary Differential Equations I, sections II.4 and III.5) and costs nothing. Where a contact has stopped
//! something, `e` tells of the contact, and does not count.
//!
//! Substeps are so long that the estimate stays below the bound that the scene sets, relative to the size of the body.
//! Newton's method stops where its error is no more than the estimate.

use crate::derive::bodies::{body_count, extent};
use crate::derive::derived::Derived;
use crate::derive::facts::Facts;
use crate::derive::sewing::sewn_cloths;
use crate::derive::solver_facts::can_tear;
use crate::derive::world::World;
use crate::features::tearing::rules::ROUND;
use crate::model::setup::Setup;
use crate::model::state::{Speeds, State};
use crate::model::workspace::Workspace;
use glam::DVec3;
use taffeta_core::index::DenseIndex;

/// Longest substep \[s\].
const LONGEST: f64 = 1.0 / 60.0;
/// Longest substep while something moves that touches something \[s\]: nothing announces that it will come to a stop, or get loose.
const LONGEST_TOUCHED: f64 = 1.0 / 120.0;
/// First substep, at the start and after the forces have jumped \[s\].
const FIRST: f64 = 1.0 / 960.0;

/// Shortest substep that the error asks for \[s\].
pub(crate) const SHORTEST: f64 = 1.0 / 2000.0;

/// Growth of each substep over the one before, at most.
const GROWTH: f64 = 2.0;

/// Part of the error allowed that a substep aims at, and that its solution may leave. At all of it the trapezoidal rule adds a thousandth of the energy to a sheet that
/// snaps.
const AIM: f64 = 0.5;

/// Part of the length that the energy of the safeguard is worth, by which it counts as error. With all of it more substeps are done
/// again, and a flag stores no less.
const SAFEGUARD: f64 = 0.5;

/// Speed at which a contact is an impact, relative to what gravity makes of a substep.
const IMPACT: f64 = 2.0;

/// The part of the error allowed to which the solution of the longest substep goes even where the estimate is smaller, as
/// at rest. In shorter ones it goes as far in terms of forces, by which friction decides what sticks.
const LEAST_PART: f64 = 0.01;

/// Judges a substep of length `h` \[s\] for the next substep and for rest. Returns its error, and the speeds of each body
/// at its start. The estimated local errors of a body relative to its size have a root mean square. The error is the
/// largest of these over the bodies, or that of the safeguard if it is larger.
pub(crate) fn judge(facts: Facts<'_>, derived: &Derived, work: &Workspace, h: f64) -> (f64, Vec<Speeds>) {
    let Facts { setup, state, .. } = facts;
    let errors = local_errors(state, work, h);
    let error = largest_part(setup, state, |i| errors[i]).max(error_of_safeguard(facts, derived, work, h));
    let of_body = |body| Speeds::of(state, body, &work.start_velocities);
    let speeds = (0..body_count(setup)).map(of_body).collect();
    (error, speeds)
}

/// The estimated local error of each vertex \[m\]; none where a contact has begun that stops it, or the safeguard.
fn local_errors(state: &State, work: &Workspace, h: f64) -> Vec<Option<DVec3>> {
    let stopped = stopped_vertices(state, work, h);
    let state = &state.motion;
    let error = |i: usize| {
        let (x, v) = (state.positions.raw[i], state.velocities.raw[i]);
        let middle = (v + work.start_velocities[i]) * (0.5 * h);
        (!stopped[i]).then_some(x - work.start[i] - middle)
    };
    let mut errors: Vec<_> = (0..work.rows.len()).map(error).collect();
    work.displaced.iter().for_each(|(i, _)| errors[*i] = None);
    errors
}

/// Energy that the safeguard has stored in a substep of length `h` \[s\], as an error relative to the size of a body. It is part of the
/// length by which moving everything against inertia is worth as much. Newton's method measures its error like that. A single vertex that is
/// pulled out of a stiff cloth is nothing in the mean. It holds more energy than all of the motion.
fn error_of_safeguard(facts: Facts<'_>, derived: &Derived, work: &Workspace, h: f64) -> f64 {
    let displaced = &work.displaced;
    // Threads press sewn cloth against what is in the way, however short the substep; its motion is not part of the result.
    if displaced.is_empty() || sewn_cloths(facts).contains(&true) {
        return 0.0;
    }
    let (state, sheet) = (&facts.state.motion, &facts.state.sheet);
    let Derived { solver, blocks, plate, .. } = derived;
    let energy = |x: &[DVec3]| {
        let energy = solver.energy(blocks, x, plate);
        energy.stretch + energy.bend
    };
    let mut solved = state.positions.raw.clone();
    displaced.iter().for_each(|(i, by)| solved[*i] -= *by);
    let stored = (energy(&state.positions) - energy(&solved)).max(0.0);
    let size =
        |(i, _): &(usize, DVec3)| extent(&sheet.layout.raw[sheet.vertex_range(sheet.vertex_cloths.raw[*i])]);
    let least = displaced.iter().map(size).fold(f64::INFINITY, f64::min);
    let mass = state.moving_mass();
    if least > 0.0 && mass > 0.0 { SAFEGUARD * h * (stored / mass).sqrt() / least } else { 0.0 }
}

/// Returns, for each vertex, whether a contact that began has stopped it in the substep.
fn stopped_vertices(state: &State, work: &Workspace, h: f64) -> Vec<bool> {
    let mut stopped = vec![false; work.rows.len()];
    let slowest = IMPACT * state.gravity.length() * h;
    for contact in state.last.contacts.iter().filter(|contact| contact.normal_lambda > 0.0) {
        let row = &contact.row;
        let speed = row.interpolate(|vi| work.start_velocities[vi.to_usize()]) - row.body_displacement / h;
        if contact.sticks || speed.dot(row.normal) < -slowest {
            let corners = row.vertices.into_iter().zip(row.weights).filter(|(_, s)| *s != 0.0);
            corners.for_each(|(vi, _)| stopped[vi.to_usize()] = true);
        }
    }
    stopped
}

impl Speeds {
    /// The speeds of a body with these velocities \[m/s\] of all vertices.
    pub(crate) fn of(State { sheet, motion, .. }: &State, body: usize, velocities: &[DVec3]) -> Self {
        let (mut mass, mut square, mut fastest) = (0.0, 0.0, 0.0_f64);
        for i in sheet.vertex_range(body as u32) {
            let (m, squared) = (motion.masses.raw[i], velocities[i].length_squared());
            (mass, square, fastest) = (mass + m, square + m * squared, fastest.max(squared));
        }
        let mean = if mass > 0.0 { (square / mass).sqrt() } else { 0.0 };
        Self { mean, fastest: fastest.sqrt() }
    }
}

/// The estimated local error of the last substep, relative to the size of a body. 0 before the first substep.
pub(crate) fn local_error(world: &World) -> f64 {
    world.state.error
}

/// The largest of the root mean squares over the bodies of what their vertices have, relative to their sizes.
fn largest_part(setup: &Setup, state: &State, of_vertex: impl Fn(usize) -> Option<DVec3>) -> f64 {
    let of_body = |body: usize| {
        let range = state.sheet.vertex_range(body as u32);
        let (mut mass, mut square) = (0.0, 0.0);
        for i in range.clone() {
            let m = state.motion.masses.raw[i];
            mass += m;
            square += of_vertex(i).map_or(0.0, |vector| m * vector.length_squared());
        }
        let size = extent(&state.sheet.layout.raw[range]);
        if mass > 0.0 && size > 0.0 { (square / mass).sqrt() / size } else { 0.0 }
    };
    (0..body_count(setup)).map(of_body).fold(0.0, f64::max)
}

/// Longest next substep \[s\].
pub(crate) fn next_substep(world: &World) -> f64 {
    if world.state.last_substep == 0.0 {
        return FIRST;
    }
    // Local errors are of third order; what contacts and snaps leave is less smooth, and asks again.
    let ratio = (AIM * world.setup.settings.accuracy / local_error(world)).cbrt().min(GROWTH);
    (world.state.last_substep * ratio).clamp(SHORTEST, longest_substep(world))
}

fn longest_substep(world: &World) -> f64 {
    if can_tear(world.facts()) {
        return ROUND;
    }
    let may_stop = || {
        let speed = largest_part(&world.setup, &world.state, |i| Some(world.state.motion.velocities.raw[i]));
        speed * LONGEST > world.setup.settings.accuracy
    };
    if world.state.was_touched && may_stop() { LONGEST_TOUCHED } else { LONGEST }
}

/// Error that the solution of a substep of length `h` \[s\] may leave, relative to the size of the body. It is an error of the velocity
/// too, by `1/h` of it, which moves the body from then on: so many short substeps go further than few long ones.
pub(crate) fn solution_error(setup: &Setup, work: &Workspace, h: f64) -> f64 {
    let allowed = setup.settings.accuracy;
    let part = (h / LONGEST).min(1.0);
    part * work.error.clamp(LEAST_PART * allowed * part, AIM * allowed)
}
