//! Loads of cloths on obstacles, for a rigid-body engine that moves these.
//!
//! The contacts give the distribution of the load. Its size follows from the momentum of the cloths, wherever nothing else can
//! take it: obstacles receive the loss beyond gravity, air, grabs and damping. This holds to round-off. The forces of contacts
//! are only as exact as the solver, lack the motion that CCD stops, and count for a whole substep if a contact begins within it.
//! Momentum that is lost while no contact is closed belongs to the obstacles that were touched last.
//!
//! If pins hold something, or pressure is part of the solve, only the sum of the forces and of the impulse of CCD is known.

use crate::derive::facts::Facts;
use crate::derive::pressure::has_pressure;
use crate::model::description::SolverChoice;
use crate::model::report::loads::{LoadMemory, ObstacleLoad, Share, Wrench};
use crate::model::setup::Setup;
use crate::model::state::State;
use crate::model::workspace::Workspace;
use glam::DVec3;
use taffeta_contact::{Contact, ContactName, MeshObstacle};

/// Momentum that obstacles have received, and how much has gone elsewhere than contacts tell \[N·s\].
pub(crate) struct Received {
    each: Vec<(Wrench, Share)>,
    rest: DVec3,
}

impl Received {
    /// That of each obstacle, where cloths have lost so much or, if that is not known, the safeguard has given them so much.
    fn new(each: Vec<(Wrench, Share)>, lost: Option<DVec3>, secured: DVec3) -> Self {
        let told: DVec3 = each.iter().map(|(wrench, _)| wrench.impulse).sum();
        Self { rest: lost.map_or(-secured, |lost| lost - told), each }
    }
}

/// Momentum that obstacles have received in a substep of length `h` \[s\], at whose end positions and velocities are in place;
/// `None` without obstacles.
pub(crate) fn received(facts: Facts<'_>, work: &Workspace, h: f64) -> Option<Received> {
    let Facts { setup, state, choice, .. } = facts;
    if count(setup) == 0 {
        return None;
    }
    let outside = outer_momentum(facts, work, h);
    let lost = is_isolated(setup, state, choice).then(|| outside - gained_momentum(state, work, h));
    Some(Received::new(of_contacts(setup, state, h), lost, work.secured))
}

/// Momentum that obstacles receive in a step of length `dt` \[s\] of a world at rest; `None` without obstacles.
pub(crate) fn received_at_rest(
    setup: &Setup,
    state: &State,
    choice: SolverChoice,
    dt: f64,
) -> Option<Received> {
    if count(setup) == 0 {
        return None;
    }
    let mass: f64 = state.motion.masses.iter().sum();
    let lost = is_isolated(setup, state, choice).then(|| state.gravity * (mass * dt));
    let mut each = vec![(Wrench::default(), Share::default()); count(setup)];
    for ((wrench, _), rate) in each.iter_mut().zip(&state.loads.rates) {
        *wrench = rate.scaled(dt);
    }
    Some(Received::new(each, lost, DVec3::ZERO))
}

/// Number of all obstacles.
fn count(setup: &Setup) -> usize {
    setup.obstacles.len() + setup.meshes.len()
}

/// Adds what contacts have handed to obstacles, made up to what these have received.
pub(crate) fn record_obstacle_loads(loads: &mut LoadMemory, Received { each: mut received, rest }: Received) {
    if received.iter().any(|(_, share)| share.weight > 0.0) {
        loads.shares = received.iter().map(|(_, share)| *share).collect();
    }
    let total: f64 = loads.shares.iter().map(|share| share.weight).sum();
    if total == 0.0 {
        // It can be pushed by a contact that is open in the end.
        loads.owed += if received.iter().any(|(_, share)| share.is_near) { rest } else { DVec3::ZERO };
    } else {
        let rest = rest + std::mem::take(&mut loads.owed);
        for ((wrench, _), share) in received.iter_mut().zip(&loads.shares) {
            wrench.add(rest * (share.weight / total), share.point);
        }
    }
    loads.wrenches.resize(received.len(), Wrench::default());
    for (sum, (wrench, _)) in loads.wrenches.iter_mut().zip(received) {
        *sum = sum.plus(wrench);
    }
}

/// The loads of a step of length `dt` \[s\], whose sums are then forgotten.
pub(crate) fn take_loads(setup: &Setup, state: &mut State, dt: f64) -> Vec<ObstacleLoad> {
    let mut wrenches = std::mem::take(&mut state.loads.wrenches);
    wrenches.resize(count(setup), Wrench::default());
    state.loads.rates = wrenches.iter().map(|wrench| wrench.scaled(1.0 / dt)).collect();
    describe(setup, state.time, &wrenches, dt)
}

/// The loads of an equilibrium.
pub(crate) fn loads_at_rest(setup: &Setup, state: &mut State) -> Vec<ObstacleLoad> {
    let h = state.last.h;
    state.loads.wrenches.clear();
    let wrenches: Vec<Wrench> = of_contacts(setup, state, h).into_iter().map(|(wrench, _)| wrench).collect();
    describe(setup, state.time, &wrenches, h)
}

fn describe(setup: &Setup, time: f64, wrenches: &[Wrench], dt: f64) -> Vec<ObstacleLoad> {
    let load = |((wrench, obstacle), point): ((&Wrench, _), DVec3)| ObstacleLoad {
        obstacle,
        force: wrench.impulse / dt,
        torque: (wrench.angular - point.cross(wrench.impulse)) / dt,
        point,
    };
    wrenches.iter().zip(setup.ids.all_obstacles()).zip(reference_points(setup, time)).map(load).collect()
}

/// The points of the obstacles about which torques are told \[m\].
fn reference_points(setup: &Setup, time: f64) -> Vec<DVec3> {
    let closed = setup.obstacles.iter().map(|obstacle| obstacle.pose_at(time).translation);
    let of_mesh = |mesh: &MeshObstacle| match &mesh.skin {
        Some(skin) => {
            let positions = skin.points_at(time);
            positions.iter().sum::<DVec3>() / positions.len() as f64
        }
        None => mesh.pose_at(time).translation,
    };
    closed.chain(setup.meshes.iter().map(of_mesh)).collect()
}

/// Momentum that the contacts have handed to each obstacle in a substep of length `h` \[s\], about the origin.
/// Returns also by how much and where it was pressed.
fn of_contacts(setup: &Setup, state: &State, h: f64) -> Vec<(Wrench, Share)> {
    let mut received = vec![(Wrench::default(), Share::default()); count(setup)];
    let ends = mesh_ends(setup, state);
    for contact in &state.last.contacts {
        let Some(number) = obstacle_of(setup, state, contact, &ends) else { continue };
        // Weights of cloth add up to 1, or to −1 where the row measures the obstacle against the cloth.
        let row = &contact.row;
        let side: f64 = row.weights.iter().sum();
        let point = row.interpolate(|vi| state.motion.positions[vi]) * side;
        let push = (row.normal * contact.normal_lambda + contact.friction_lambda) * (-side / h);
        let (wrench, share) = &mut received[number];
        wrench.add(push, point);
        share.is_near = true;
        share.add(contact.normal_lambda / h, point);
    }
    received
}

/// The number of the last vertex and one of each mesh obstacle, counted with those of the sheet.
fn mesh_ends(setup: &Setup, state: &State) -> Vec<u32> {
    let first = state.sheet.topology.vertex_count;
    let ends = setup.meshes.iter().scan(first, |end, mesh| {
        *end += mesh.vertex_count();
        Some(*end as u32)
    });
    ends.collect()
}

/// The obstacle that a contact is with, those in closed form first; `None`: with another cloth.
fn obstacle_of(setup: &Setup, state: &State, contact: &Contact, ends: &[u32]) -> Option<usize> {
    let own = state.sheet.topology.vertex_count as u32;
    match contact.name {
        ContactName::Body(_, number) => Some(number as usize),
        ContactName::Pair(sides) => {
            let vertex = sides.iter().map(|side| side[0]).find(|vertex| *vertex >= own)?;
            Some(setup.obstacles.len() + ends.partition_point(|end| *end <= vertex))
        }
    }
}

/// Returns whether no vertex is held and no pressure is implicit, so that the momentum of the cloths can only go to
/// obstacles and known forces.
fn is_isolated(setup: &Setup, state: &State, choice: SolverChoice) -> bool {
    let is_free = state.motion.held.iter().all(|held| *held == [false; 3]);
    is_free && (!has_pressure(setup) || choice.capabilities().is_local())
}

/// Momentum that the cloths have gained in a substep of length `h` \[s\] beyond that of gravity \[N·s\].
fn gained_momentum(state: &State, work: &Workspace, h: f64) -> DVec3 {
    let (motion, fall) = (&state.motion, state.gravity * h);
    let starts = work.start_velocities.iter();
    let gain = |((m, v), start): ((&f64, &DVec3), &DVec3)| (*v - *start - fall) * *m;
    motion.masses.iter().zip(motion.velocities.iter()).zip(starts).map(gain).sum()
}

/// Momentum that air, grabs and damping have given in a substep of length `h` \[s\] \[N·s\].
fn outer_momentum(facts: Facts<'_>, work: &Workspace, h: f64) -> DVec3 {
    let (motion, last) = (&facts.state.motion, &facts.state.last);
    let mut sum = DVec3::ZERO;
    for (i, (m, scale)) in motion.masses.iter().zip(&last.scales).enumerate() {
        let outer = last.outer.get(i).copied().unwrap_or(DVec3::ZERO);
        sum += (outer - motion.velocities.raw[i] * (last.damping * m)) * *scale;
        if let Some(first) = work.first_stage.get(i) {
            sum += (first.outer - first.drift * (last.damping * m)) * (h - scale);
        }
    }
    for (vertex, stiffness, target) in
        facts.inputs.grabbed.iter().flat_map(|patch| patch.springs(&work.start))
    {
        sum += (target - motion.positions.raw[vertex]) * (stiffness * last.scales[vertex]);
    }
    sum
}
