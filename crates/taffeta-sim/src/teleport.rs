//! Bodies that a caller sets elsewhere at once: a character that enters another place with its cape.
//!
//! A rigid transformation takes cloths, with the pins that hold them, and obstacles from where they are to where they are to
//! be. No way leads there: nothing is swept, and nothing has a speed from it. Shapes, velocities, histories and what sticks to
//! each other go along, so that the next step is that of an untouched world, transformed. The transformation follows the
//! keyframes of what was set elsewhere, and where it was told to go. Positions at time 0 stay what they were.
//!
//! Everything is checked before it is touched, also whether something would cross that did not before.

use crate::change::refuse;
use crate::derive::bodies::{body_name, contact_body_name, shape_name};
use crate::derive::crossings::{contact_positions, pairs_meet, shapes};
use crate::derive::rebuild::rebuild;
use crate::derive::world::World;
use crate::drive::{find_obstacle, name_obstacle, name_pin};
use crate::model::error::BuildError;
use crate::model::ids::{BodyId, ObstacleId, ObstaclePlace};
use crate::model::state::State;
use glam::{DMat3, DVec3};
use std::sync::Arc;
use taffeta_contact::ContactName;
use taffeta_core::{Pose, VertexIndex};
use taffeta_remesh::VertexHistory;

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
    let passengers = Passengers::find(world, bodies)?;
    let pins = passengers.find_pins(world, &by)?;
    passengers.check_places(world, &by)?;
    pins.iter().for_each(|pin| world.setup.pins[*pin].description.motion.carry(&by));
    carry_obstacles(world, &passengers, &by);
    carry_seams(world, &passengers, by.rotation);
    carry_memory(world, &passengers, &by);
    carry_vertices(&mut world.state, &passengers, (&by, keep_velocities));
    world.state.still = None;
    world.scratch.placed.forget();
    rebuild(world);
    Ok(())
}

/// See [`World::teleport_obstacle`].
pub(crate) fn teleport_obstacle(world: &mut World, id: ObstacleId, pose: Pose) -> Result<(), BuildError> {
    let place = find_obstacle(world, id)?;
    refuse(&name_obstacle(world, place), pose.find_defect())?;
    let time = world.state.time;
    let now = match place {
        ObstaclePlace::Closed(number) => world.setup.obstacles[number].pose_at(time),
        ObstaclePlace::Mesh(number) => world.setup.meshes[number].pose_at(time),
    };
    teleport(world, &[id.into()], pose.after(&now.inverse()), true)
}

/// What goes along.
struct Passengers {
    /// Places of the cloths and of the obstacles.
    cloths: Vec<usize>,
    obstacles: Vec<ObstaclePlace>,
    /// Which vertices go along: of the sheet, then of the mesh obstacles.
    vertices: Vec<bool>,
}

impl Passengers {
    fn find(world: &World, bodies: &[BodyId]) -> Result<Self, BuildError> {
        let (mut cloths, mut obstacles) = (Vec::new(), Vec::new());
        for body in bodies {
            match body {
                BodyId::Cloth(id) => {
                    let gone = || "it was removed, or its handle is of another world".to_owned();
                    let place = world.setup.ids.find_cloth(*id);
                    refuse(&format!("cloth {}", id.0), place.is_none().then(gone))?;
                    cloths.extend(place);
                }
                BodyId::Obstacle(id) => obstacles.push(find_obstacle(world, *id)?),
            }
        }
        let vertices = mark_vertices(world, &cloths, &obstacles);
        Ok(Self { cloths, obstacles, vertices })
    }

    fn has_vertex(&self, vi: VertexIndex) -> bool {
        self.vertices[vi.0 as usize]
    }

    fn has_shape(&self, number: u32) -> bool {
        self.obstacles.contains(&ObstaclePlace::Closed(number as usize))
    }

    /// The pins that go along: those that hold vertices which do.
    fn find_pins(&self, world: &World, by: &Pose) -> Result<Vec<usize>, BuildError> {
        let mut found = Vec::new();
        for (number, pin) in world.setup.pins.iter().enumerate() {
            let held = world.state.motion.vertex_pins.iter_indexed();
            let held = held.filter(|(_, own)| **own == Some(number as u32)).map(|(vi, _)| vi);
            let (along, others): (Vec<VertexIndex>, Vec<VertexIndex>) =
                held.partition(|vi| self.has_vertex(*vi));
            if along.is_empty() {
                continue;
            }
            let stays = others.first().map(|vi| {
                let body = body_name(world, world.state.sheet.vertex_cloths[*vi] as usize);
                format!("it also holds {body}, which stays: teleport both, or release it first")
            });
            let is_partial = pin.description.axes != [true; 3] && pin.description.axes != [false; 3];
            let is_turned = is_partial && by.rotation != DMat3::IDENTITY;
            let turned =
                || "it holds some axes of the world only, and cannot be turned: release it first".into();
            refuse(&name_pin(world, number), stays.or_else(|| is_turned.then(turned)))?;
            found.push(number);
        }
        Ok(found)
    }

    /// Refuses places that are too far away, or where something crosses that does not now.
    fn check_places(&self, world: &World, by: &Pose) -> Result<(), BuildError> {
        let before = contact_positions(world);
        let mut after = before.clone();
        for (x, _) in after.iter_mut().zip(&self.vertices).filter(|(_, moves)| **moves) {
            *x = by.apply(*x);
        }
        let is_near = |x: &DVec3| x.abs().max_element() <= FARTHEST;
        let far = after.iter().find(|x| !is_near(x));
        refuse("a teleport", far.map(|x| format!("it leads to {x}, farther than {FARTHEST:.0e} m")))?;
        let Some(proximity) = &world.derived.proximity else { return Ok(()) };
        if pairs_meet(world) {
            let known = proximity.count_crossings(&before);
            let mut found = proximity.count_crossings(&after).into_iter();
            let moves = |vertex: u32| self.vertices[vertex as usize];
            let crossing = found
                .find(|new| moves(new.edge[0]) != moves(new.face[0]) && known.binary_search(new).is_err());
            refuse_crossing(crossing.map(|new| {
                let bodies =
                    [new.edge[0], new.face[0]].map(|v| contact_body_name(world, proximity.body_of(v)));
                (bodies, after[new.edge[0] as usize])
            }))?;
        }
        let mut moved = shapes(world);
        let known = proximity.find_sunken(&before, &moved);
        for (number, shape) in moved.iter_mut().enumerate().filter(|(k, _)| self.has_shape(*k as u32)) {
            let mut obstacle = world.setup.obstacles[number].clone();
            obstacle.motion.carry(by);
            *shape = obstacle.over_substep(world.state.time, 0.0).shape;
        }
        let mut found = proximity.find_sunken(&after, &moved).into_iter();
        let sunken = found.find(|new| {
            self.has_shape(new.shape) != self.vertices[new.corners[0] as usize] && !known.contains(new)
        });
        refuse_crossing(sunken.map(|new| {
            let cloth = contact_body_name(world, proximity.body_of(new.corners[0]));
            ([cloth, shape_name(world, new.shape)], after[new.corners[0] as usize])
        }))
    }
}

fn refuse_crossing(found: Option<([String; 2], DVec3)>) -> Result<(), BuildError> {
    let reason = found.map(|([first, second], position)| {
        format!("{first} would cross {second} near {position}: clear the place, or teleport both together")
    });
    refuse("a teleport", reason)
}

/// Which vertices of cloths, of the insides of solids and of mesh obstacles go along.
fn mark_vertices(world: &World, cloths: &[usize], obstacles: &[ObstaclePlace]) -> Vec<bool> {
    let sheet = &world.state.sheet;
    let mut marks = vec![false; sheet.topology.vertex_count];
    for cloth in cloths {
        let inside = world.setup.solids.iter().filter(|solid| solid.cloth == *cloth);
        let inside = inside.filter_map(|solid| Some(world.setup.cloths.len() + solid.body?));
        for body in inside.chain([*cloth]) {
            marks[sheet.vertex_range(body as u32)].fill(true);
        }
    }
    for (number, mesh) in world.setup.meshes.iter().enumerate() {
        let moves = obstacles.contains(&ObstaclePlace::Mesh(number));
        marks.extend(std::iter::repeat_n(moves, mesh.vertex_count()));
    }
    marks
}

fn carry_obstacles(world: &mut World, passengers: &Passengers, by: &Pose) {
    for place in &passengers.obstacles {
        match place {
            ObstaclePlace::Closed(number) => world.setup.obstacles[*number].motion.carry(by),
            ObstaclePlace::Mesh(number) => world.setup.meshes[*number].carry(by),
        }
    }
}

/// Turns the gaps at which open seams keep their sides.
fn carry_seams(world: &mut World, passengers: &Passengers, rotation: DMat3) {
    let laws = world.setup.seams.iter().enumerate();
    let own: Vec<usize> =
        laws.filter(|(_, law)| passengers.cloths.contains(&law.cloth)).map(|(k, _)| k).collect();
    if own.is_empty() || rotation == DMat3::IDENTITY {
        return;
    }
    let sheet = Arc::make_mut(&mut world.state.sheet);
    for seam in own {
        sheet.sewing.seams[seam].gaps.iter_mut().for_each(|gap| *gap = rotation * *gap);
    }
}

/// Lets what is remembered of contacts and loads go along. What touched something that stays is forgotten.
fn carry_memory(world: &mut World, passengers: &Passengers, by: &Pose) {
    let own = world.state.sheet.topology.vertex_count;
    let moves = |vertex: u32| passengers.vertices[vertex as usize];
    let sides = |name: &ContactName| match name {
        ContactName::Body(vertices, body) => [moves(vertices[0].0), passengers.has_shape(*body)],
        ContactName::Pair(sides) => sides.map(|side| moves(side[0])),
    };
    world.state.friction.carry(by.rotation, sides);
    let touching = world.state.friction.vertices();
    for (vi, friction) in world.state.motion.vertex_friction.iter_mut().enumerate() {
        if passengers.vertices[vi] {
            let is_kept = touching.binary_search(&(vi as u32)).is_ok();
            *friction = if is_kept { by.rotation * *friction } else { DVec3::ZERO };
        }
    }
    let loads = &mut world.state.loads;
    let closed = world.setup.obstacles.len();
    for (number, share) in loads.shares.iter_mut().enumerate() {
        let place = if number < closed {
            ObstaclePlace::Closed(number)
        } else {
            ObstaclePlace::Mesh(number - closed)
        };
        if passengers.obstacles.contains(&place) {
            share.point = by.apply(share.point);
        }
    }
    if passengers.vertices[..own].iter().all(|moves| *moves) {
        loads.outside = by.rotation * loads.outside;
    }
}

/// Sets the vertices elsewhere, with their velocities or at rest.
fn carry_vertices(state: &mut State, passengers: &Passengers, (by, keep_velocities): (&Pose, bool)) {
    let motion = &mut state.motion;
    let positions = Arc::make_mut(&mut motion.positions);
    let velocities = Arc::make_mut(&mut motion.velocities);
    for vi in state.sheet.topology.vertices().filter(|vi| passengers.has_vertex(*vi)) {
        positions[vi] = by.apply(positions[vi]);
        velocities[vi] = if keep_velocities { by.rotation * velocities[vi] } else { DVec3::ZERO };
        let history = motion.history[vi].take().filter(|_| keep_velocities);
        motion.history[vi] = history.map(|last| VertexHistory {
            position: by.apply(last.position),
            velocity: by.rotation * last.velocity,
        });
    }
    for (_, hold) in Arc::make_mut(&mut motion.holds).iter_mut().filter(|(vi, _)| passengers.has_vertex(*vi))
    {
        if let Some(path) = &mut hold.path {
            path.carry(by);
        }
    }
}
