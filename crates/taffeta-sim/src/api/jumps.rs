//! Jumps of keyframes: pins and obstacles that are set elsewhere at a time.
//!
//! They are made at the end of the step in which the time of the key comes. Each key says by which transformation its body
//! jumps; a pin takes along what it holds, and what jumps by the same transformation goes together.

use crate::api::control::name_pin;
use crate::api::settings::refuse;
use crate::api::snapshot;
use crate::api::teleport::{Ride, carry, check_places};
use crate::derive::rebuild::rebuild;
use crate::derive::world::World;
use crate::features::grabs::SubstepCallback;
use crate::measure::energy::state_hash;
use crate::model::description::ids::ObstaclePlace;
use crate::model::description::inputs::StepInputs;
use crate::model::report::StepReport;
use crate::model::report::error::{BuildError, StepError};
use crate::model::setup::Setup;
use crate::model::setup::pin_places::followers_of;
use crate::run::step;
use std::sync::Arc;
use taffeta_core::{KeyframedMotion, Pose};

/// Difference of two transformations that counts as none, relative to how far they lead.
const SAME_WAY: f64 = 1e-9;

/// Makes a step, and in the end the jumps of keyframes whose time has come. If one cannot be made, the step is undone.
pub(crate) fn step_with_jumps(
    world: &mut World,
    inputs: &StepInputs,
    dt: f64,
    lead: &mut SubstepCallback<'_>,
) -> Result<StepReport, StepError> {
    if find_jumps(world, world.state.time + dt).is_empty() {
        return step::step(world, inputs, dt, lead);
    }
    let before = snapshot::take(world);
    let report = step::step(world, inputs, dt, lead)?;
    let time = world.state.time;
    if let Err(source) = jump(world) {
        snapshot::return_to(world, &before).expect("bodies are those of before");
        return Err(StepError::Jump { time, source });
    }
    Ok(StepReport { state_hash: state_hash(world), ..report })
}

/// A body that jumps by its keyframes.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Jumper {
    Pin(usize),
    Obstacle(ObstaclePlace),
}

/// Finds the bodies that have to jump by their keyframes until a time \[s\], each with its transformation.
fn find_jumps(world: &World, time: f64) -> Vec<(Jumper, Pose)> {
    let setup = &world.setup;
    let mut found = Vec::new();
    for (number, pin) in setup.pins.iter().enumerate() {
        let by = pin.description.motion.due_jump(time, pin.center).filter(|_| !is_led(world, number));
        found.extend(by.map(|by| (Jumper::Pin(number), by)));
    }
    for (number, obstacle) in setup.obstacles.iter().enumerate() {
        let by = obstacle.motion.due_jump(time, obstacle.place.translate);
        found.extend(by.map(|by| (Jumper::Obstacle(ObstaclePlace::Closed(number)), by)));
    }
    for (number, mesh) in setup.meshes.iter().enumerate() {
        let by = mesh.motion.due_jump(time, mesh.place.translate).filter(|_| mesh.skin.is_none());
        found.extend(by.map(|by| (Jumper::Obstacle(ObstaclePlace::Mesh(number)), by)));
    }
    found
}

/// Returns whether a caller moves the vertices of a pin one by one.
fn is_led(world: &World, pin: usize) -> bool {
    world.state.motion.holds.iter().any(|(_, hold)| hold.pin as usize == pin && hold.path.is_some())
}

/// Makes the jumps whose time has come, all those of a time together.
fn jump(world: &mut World) -> Result<(), BuildError> {
    loop {
        let jumpers = find_jumps(world, world.state.time);
        if jumpers.is_empty() {
            return Ok(());
        }
        let rides = form_rides(world, &jumpers)?;
        check_places(world, &rides)?;
        for (jumper, _) in &jumpers {
            motion_of(&mut world.setup, *jumper).jump();
        }
        carry(&world.setup, &mut world.state, &rides, true);
        world.workspace.placed.forget();
        rebuild(world);
    }
}

fn motion_of(setup: &mut Setup, jumper: Jumper) -> &mut KeyframedMotion {
    match jumper {
        Jumper::Pin(number) => &mut setup.pins[number].description.motion,
        Jumper::Obstacle(ObstaclePlace::Closed(number)) => &mut setup.obstacles[number].motion,
        Jumper::Obstacle(ObstaclePlace::Mesh(number)) => &mut Arc::make_mut(&mut setup.meshes)[number].motion,
    }
}

/// Collects what jumps by the same transformation, with the bodies that its pins hold.
fn form_rides(world: &World, jumpers: &[(Jumper, Pose)]) -> Result<Vec<Ride>, BuildError> {
    let mut groups: Vec<(Pose, Vec<Jumper>)> = Vec::new();
    for (jumper, by) in jumpers {
        match groups.iter_mut().find(|(own, _)| is_same_way(own, by)) {
            Some((_, members)) => members.push(*jumper),
            None => groups.push((*by, vec![*jumper])),
        }
    }
    let mut rides = Vec::new();
    for (by, members) in groups {
        let (mut bodies, mut obstacles) = (Vec::new(), Vec::new());
        for member in &members {
            match member {
                Jumper::Pin(number) => bodies.extend(held_bodies(world, *number)),
                Jumper::Obstacle(place) => {
                    obstacles.push(*place);
                    let followers = followers_at(world, *place);
                    bodies.extend(followers.into_iter().flat_map(|pin| held_bodies(world, pin)));
                }
            }
        }
        let ride = Ride::new(world, by, bodies, obstacles)?;
        for pin in &ride.pins {
            // Ride has checked that the obstacles which pins follow go along.
            let stays = world.setup.pins[*pin].followed.is_none() && !members.contains(&Jumper::Pin(*pin));
            let reason = || {
                "it holds a body that jumps with another pin, but does not jump to the same place".to_owned()
            };
            refuse(&name_pin(&world.setup, *pin), stays.then(reason))?;
        }
        rides.push(ride);
    }
    Ok(rides)
}

/// Returns whether two transformations lead to the same places, but for round-off.
fn is_same_way(a: &Pose, b: &Pose) -> bool {
    let far = a.translation.length().max(b.translation.length()).max(1.0);
    a.rotation.abs_diff_eq(b.rotation, SAME_WAY) && a.translation.distance(b.translation) <= SAME_WAY * far
}

/// The pins that follow an obstacle.
fn followers_at(world: &World, place: ObstaclePlace) -> Vec<usize> {
    let ids = &world.setup.ids;
    let id = match place {
        ObstaclePlace::Closed(number) => ids.obstacles[number],
        ObstaclePlace::Mesh(number) => ids.meshes[number],
    };
    followers_of(&world.setup, &world.state.released, id).collect()
}

/// The bodies of which a pin holds vertices.
fn held_bodies(world: &World, pin: usize) -> Vec<usize> {
    let held = world.state.motion.vertex_pins.iter_indexed();
    let held = held.filter(|(_, own)| **own == Some(pin as u32));
    let mut bodies: Vec<usize> = held.map(|(vi, _)| world.state.sheet.vertex_cloths[vi] as usize).collect();
    bodies.dedup();
    bodies
}
