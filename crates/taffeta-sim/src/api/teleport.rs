//! Bodies that are set elsewhere at once: a character that enters another place with its cape.
//!
//! A rigid transformation takes cloths, with the pins that hold them, and obstacles from where they are to where they are to
//! be. No way leads there: nothing is swept, and nothing has a speed from it. Shapes, velocities and what sticks to
//! each other go along, so that the next step is that of an untouched world, transformed. The transformation follows the
//! keyframes of what was set elsewhere, and where it was told to go. Positions at time 0 stay what they were.
//!
//! A caller does so between two steps, or [keyframes](crate::api::jumps) do at the end of one.
//!
//! Everything is checked before it is touched, also whether something would cross that did not before.

use crate::api::control::{find_obstacle, name_obstacle, name_pin};
use crate::api::settings::refuse;
use crate::derive::bodies::{body_name, contact_body_name, shape_name};
use crate::derive::crossings::{contact_positions, pairs_meet, shapes};
use crate::derive::rebuild::rebuild;
use crate::derive::world::World;
use crate::model::description::ids::{BodyId, ClothId, ObstacleId, ObstaclePlace};
use crate::model::report::error::BuildError;
use crate::model::setup::Setup;
use crate::model::state::{Look, State};
use glam::{DMat3, DVec3};
use std::sync::Arc;
use taffeta_contact::{ContactName, Freedom};
use taffeta_core::{Pose, VertexIndex};

/// Distance from the origin up to which bodies can be set \[m\].
const FARTHEST: f64 = 1e9;

/// See [`World::teleport`].
pub(crate) fn teleport(
    world: &mut World,
    bodies: &[BodyId],
    by: Pose,
    keep_velocities: bool,
) -> Result<(), BuildError> {
    refuse("the transformation of a teleport", by.find_defect())?;
    let (mut numbers, mut obstacles) = (Vec::new(), Vec::new());
    for body in bodies {
        match body {
            BodyId::Cloth(id) => numbers.push(find_cloth(world, *id)?),
            BodyId::Loose(number) => {
                let count = world.setup.bodies.len();
                let unknown = || format!("there are {count} loose bodies");
                refuse(&format!("loose body {number}"), (*number >= count).then(unknown))?;
                numbers.push(world.setup.cloths.len() + number);
            }
            BodyId::Obstacle(id) => obstacles.push(find_carried(world, *id)?),
        }
    }
    let ride = Ride::new(world, by, numbers, obstacles)?;
    check_places(world, std::slice::from_ref(&ride))?;
    ride.pins.iter().for_each(|pin| world.setup.pins[*pin].description.motion.carry(&by));
    for place in &ride.obstacles {
        match place {
            ObstaclePlace::Closed(number) => world.setup.obstacles[*number].motion.carry(&by),
            ObstaclePlace::Mesh(number) => Arc::make_mut(&mut world.setup.meshes)[*number].carry(&by),
        }
    }
    carry(&world.setup, &mut world.state, &[ride], keep_velocities);
    world.workspace.placed.forget();
    rebuild(world);
    Ok(())
}

/// An obstacle that can be set elsewhere.
fn find_carried(world: &World, id: ObstacleId) -> Result<ObstaclePlace, BuildError> {
    let place = find_obstacle(&world.setup, id)?;
    let is_bound = match place {
        ObstaclePlace::Closed(number) => world.setup.obstacles[number].freedom != Freedom::Prescribed,
        ObstaclePlace::Mesh(_) => false,
    };
    let reason = "what has a mass or a largest force moves by itself, and cannot be set elsewhere";
    refuse(&name_obstacle(&world.setup, place), is_bound.then(|| reason.to_owned()))?;
    Ok(place)
}

/// See [`World::teleport_obstacle`].
pub(crate) fn teleport_obstacle(world: &mut World, id: ObstacleId, pose: Pose) -> Result<(), BuildError> {
    let place = find_carried(world, id)?;
    refuse(&name_obstacle(&world.setup, place), pose.find_defect())?;
    let time = world.state.time;
    let now = match place {
        ObstaclePlace::Closed(number) => world.setup.obstacles[number].pose_at(time),
        ObstaclePlace::Mesh(number) => world.setup.meshes[number].pose_at(time),
    };
    teleport(world, &[id.into()], pose.after(&now.inverse()), true)
}

/// The place of a cloth.
fn find_cloth(world: &World, id: ClothId) -> Result<usize, BuildError> {
    let gone = || "it was removed, or its handle is of another world".to_owned();
    let place = world.setup.ids.find_cloth(id);
    refuse(&format!("cloth {}", id.0), place.is_none().then(gone))?;
    Ok(place.expect("it was found"))
}

/// Bodies that a transformation takes along.
pub(crate) struct Ride {
    pub by: Pose,
    /// Numbers of the bodies: cloths, then loose bodies.
    bodies: Vec<usize>,
    obstacles: Vec<ObstaclePlace>,
    /// The pins that hold the bodies.
    pub pins: Vec<usize>,
    /// Which vertices go along: of the sheet, then of the mesh obstacles.
    vertices: Vec<bool>,
}

impl Ride {
    /// Some bodies and obstacles; a solid goes along as a whole.
    pub(crate) fn new(
        world: &World,
        by: Pose,
        mut bodies: Vec<usize>,
        obstacles: Vec<ObstaclePlace>,
    ) -> Result<Self, BuildError> {
        let cloths = world.setup.cloths.len();
        for solid in &world.setup.solids {
            let parts =
                || [Some(solid.cloth), solid.body.map(|inside| cloths + inside)].into_iter().flatten();
            if parts().any(|part| bodies.contains(&part)) {
                bodies.extend(parts());
            }
        }
        bodies.sort_unstable();
        bodies.dedup();
        for body in bodies.iter().filter_map(|body| body.checked_sub(cloths)) {
            let rope = world.setup.bodies[body].rope.as_ref();
            let is_flat = rope.is_some_and(|rope| rope.plane.is_some()) && by.rotation != DMat3::IDENTITY;
            let reason = || "it lies in a plane of the world, and cannot be turned".to_owned();
            refuse(&body_name(&world.setup, cloths + body), is_flat.then(reason))?;
        }
        let vertices = mark_vertices(world, &bodies, &obstacles);
        let pins = find_pins(world, &by, &vertices)?;
        check_leaders(world, &pins, &obstacles)?;
        Ok(Self { by, bodies, obstacles, pins, vertices })
    }

    fn has_vertex(&self, vertex: u32) -> bool {
        self.vertices[vertex as usize]
    }

    fn has_shape(&self, number: u32) -> bool {
        self.obstacles.contains(&ObstaclePlace::Closed(number as usize))
    }
}

/// Which vertices of bodies and of mesh obstacles go along.
fn mark_vertices(world: &World, bodies: &[usize], obstacles: &[ObstaclePlace]) -> Vec<bool> {
    let sheet = &world.state.sheet;
    let mut marks = vec![false; sheet.topology.vertex_count];
    for body in bodies {
        marks[sheet.vertex_range(*body as u32)].fill(true);
    }
    for (number, mesh) in world.setup.meshes.iter().enumerate() {
        let moves = obstacles.contains(&ObstaclePlace::Mesh(number));
        marks.extend(std::iter::repeat_n(moves, mesh.vertex_count()));
    }
    marks
}

/// The pins that go along: those that hold vertices which do.
fn find_pins(world: &World, by: &Pose, vertices: &[bool]) -> Result<Vec<usize>, BuildError> {
    let mut found = Vec::new();
    for (number, pin) in world.setup.pins.iter().enumerate() {
        let held = world.state.motion.vertex_pins.iter_indexed();
        let held = held.filter(|(_, own)| **own == Some(number as u32)).map(|(vi, _)| vi);
        let (along, others): (Vec<VertexIndex>, Vec<VertexIndex>) =
            held.partition(|vi| vertices[vi.0 as usize]);
        if along.is_empty() {
            continue;
        }
        let stays = others.first().map(|vi| {
            let body = body_name(&world.setup, world.state.sheet.vertex_cloths[*vi] as usize);
            format!("it also holds {body}, which stays: teleport both, or release it first")
        });
        let is_partial = pin.description.axes != [true; 3] && pin.description.axes != [false; 3];
        let is_turned = is_partial && by.rotation != DMat3::IDENTITY;
        let turned = || "it holds some axes of the world only, and cannot be turned: release it first".into();
        refuse(&name_pin(&world.setup, number), stays.or_else(|| is_turned.then(turned)))?;
        found.push(number);
    }
    Ok(found)
}

/// Refuses pins that go elsewhere without the obstacle that they follow, and obstacles without the pins that follow them.
fn check_leaders(world: &World, pins: &[usize], obstacles: &[ObstaclePlace]) -> Result<(), BuildError> {
    for (number, pin) in world.setup.pins.iter().enumerate() {
        let Some(followed) = pin.followed.as_ref().filter(|_| !world.state.released[number]) else {
            continue;
        };
        let place = find_obstacle(&world.setup, followed.obstacle)?;
        if pins.contains(&number) != obstacles.contains(&place) {
            let leader = name_obstacle(&world.setup, place);
            let reason = format!("it follows {leader}: teleport both together, or release it first");
            refuse(&name_pin(&world.setup, number), Some(reason))?;
        }
    }
    Ok(())
}

/// Refuses places that are too far away, or where something crosses that does not now.
pub(crate) fn check_places(world: &World, rides: &[Ride]) -> Result<(), BuildError> {
    let before = contact_positions(world);
    let mut after = before.clone();
    for ride in rides {
        for (x, _) in after.iter_mut().zip(&ride.vertices).filter(|(_, moves)| **moves) {
            *x = ride.by.apply(*x);
        }
    }
    let is_near = |x: &DVec3| x.abs().max_element() <= FARTHEST;
    let far = after.iter().find(|x| !is_near(x));
    refuse("a teleport", far.map(|x| format!("it leads to {x}, farther than {FARTHEST:.0e} m")))?;
    let Some(proximity) = &world.derived.proximity else { return Ok(()) };
    // What goes along with each other stays as it is to each other.
    let ride_of = |vertex: u32| rides.iter().position(|ride| ride.has_vertex(vertex));
    if pairs_meet(world) {
        let known = proximity.count_crossings(&before);
        let mut found = proximity.count_crossings(&after).into_iter();
        let crossing = found
            .find(|new| ride_of(new.edge[0]) != ride_of(new.face[0]) && known.binary_search(new).is_err());
        refuse_crossing(crossing.map(|new| {
            let bodies =
                [new.edge[0], new.face[0]].map(|v| contact_body_name(&world.setup, proximity.body_of(v)));
            (bodies, after[new.edge[0] as usize])
        }))?;
    }
    let mut moved = shapes(&world.setup, world.state.time);
    let known = proximity.find_sunken(&before, &moved);
    let ride_of_shape = |number: u32| rides.iter().position(|ride| ride.has_shape(number));
    for (number, shape) in moved.iter_mut().enumerate() {
        let Some(ride) = ride_of_shape(number as u32) else { continue };
        let mut obstacle = world.setup.obstacles[number].clone();
        obstacle.motion.carry(&rides[ride].by);
        *shape = obstacle.over_substep(world.state.time, 0.0).shape;
    }
    let mut found = proximity.find_sunken(&after, &moved).into_iter();
    let sunken =
        found.find(|new| ride_of_shape(new.shape) != ride_of(new.corners[0]) && !known.contains(new));
    refuse_crossing(sunken.map(|new| {
        let cloth = contact_body_name(&world.setup, proximity.body_of(new.corners[0]));
        ([cloth, shape_name(&world.setup, new.shape)], after[new.corners[0] as usize])
    }))
}

fn refuse_crossing(found: Option<([String; 2], DVec3)>) -> Result<(), BuildError> {
    let reason = found.map(|([first, second], position)| {
        format!("{first} would cross {second} near {position}: clear the place, or teleport both together")
    });
    refuse("a teleport", reason)
}

/// Sets the state of what rides elsewhere, after pins and obstacles were told. All is to be derived anew then.
pub(crate) fn carry(setup: &Setup, state: &mut State, rides: &[Ride], keep_velocities: bool) {
    for ride in rides {
        carry_seams(setup, state, ride);
        carry_memory(setup, state, ride);
        carry_vertices(state, ride, keep_velocities);
    }
    let looks = carry_looks(state, rides);
    state.wake();
    state.looks = looks;
}

/// The looks of passes at the cloths, whose shapes stay.
fn carry_looks(state: &mut State, rides: &[Ride]) -> Vec<Option<Look>> {
    let mut looks = std::mem::take(&mut state.looks);
    for ride in rides {
        let own = looks.iter_mut().enumerate().filter(|(cloth, _)| ride.bodies.contains(cloth));
        let positions = own.filter_map(|(_, look)| look.as_mut()).flat_map(|look| &mut look.positions);
        positions.for_each(|x| *x = ride.by.apply(*x));
    }
    looks
}

/// Turns the gaps at which open seams keep their sides.
fn carry_seams(setup: &Setup, state: &mut State, ride: &Ride) {
    let laws = setup.seams.iter().enumerate();
    let own: Vec<usize> = laws.filter(|(_, law)| ride.bodies.contains(&law.cloth)).map(|(k, _)| k).collect();
    if own.is_empty() || ride.by.rotation == DMat3::IDENTITY {
        return;
    }
    let sheet = Arc::make_mut(&mut state.sheet);
    for seam in own {
        sheet.sewing.seams[seam].gaps.iter_mut().for_each(|gap| *gap = ride.by.rotation * *gap);
    }
}

/// Lets what is remembered of contacts and loads go along. What touched something that stays is forgotten.
fn carry_memory(setup: &Setup, state: &mut State, ride: &Ride) {
    let by = &ride.by;
    state.friction.carry(by.rotation, |name| match name {
        ContactName::Body(vertices, body) => [ride.has_vertex(vertices[0].0), ride.has_shape(*body)],
        ContactName::Pair(sides) => sides.map(|side| ride.has_vertex(side[0])),
    });
    let loads = &mut state.loads;
    let closed = setup.obstacles.len();
    for (number, share) in loads.shares.iter_mut().enumerate() {
        let mesh = number.checked_sub(closed).map(ObstaclePlace::Mesh);
        if ride.obstacles.contains(&mesh.unwrap_or(ObstaclePlace::Closed(number))) {
            share.point = by.apply(share.point);
        }
    }
}

/// Sets the vertices elsewhere, with their velocities or at rest.
fn carry_vertices(state: &mut State, ride: &Ride, keep_velocities: bool) {
    let (by, motion) = (&ride.by, &mut state.motion);
    let positions = Arc::make_mut(&mut motion.positions);
    let velocities = Arc::make_mut(&mut motion.velocities);
    for vi in state.sheet.topology.vertices().filter(|vi| ride.has_vertex(vi.0)) {
        positions[vi] = by.apply(positions[vi]);
        velocities[vi] = if keep_velocities { by.rotation * velocities[vi] } else { DVec3::ZERO };
    }
    for (_, hold) in Arc::make_mut(&mut motion.holds).iter_mut().filter(|(vi, _)| ride.has_vertex(vi.0)) {
        if let Some(path) = &mut hold.path {
            path.carry(by);
        }
    }
}
