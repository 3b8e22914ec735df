//! Bodies that come and go while a world is under way.
//!
//! All times in the description of a body count from when it comes: keyframes, releases, seams, inflation, sequences of
//! shapes. Names are those of the world as it is: a body that is gone, or a pin that has let go, leaves its name to others.
//!
//! A cloth is built as a world of its own, with all checks, and its mesh, attributes, pins and seams are then added to those of
//! the world. What is checked of the whole is checked before anything is touched.

use crate::api::control::{check_pin_name, find_obstacle, name_obstacle, name_pin};
use crate::api::settings::refuse;
use crate::build::body_parts::keep_parts_apart;
use crate::build::world::build_world;
use crate::derive::rebuild::{put_sheet_at, rebuild};
use crate::derive::world::World;
use crate::model::description::ids::{ClothId, ObstacleId, ObstaclePlace};
use crate::model::description::rules::meeting_mismatch;
use crate::model::description::{ClothDescription, PinDescription, SimulationSettings, WorldDescription};
use crate::model::report::error::BuildError;
use crate::model::report::loads::LoadMemory;
use crate::model::setup::Setup;
use crate::model::setup::follow::Followed;
use crate::model::setup::pin_places::followers_of;
use crate::model::setup::seams::{SeamLaw, SeamState};
use crate::model::state::State;
use crate::model::state::rigid::{RigidState, find_freedom_defect};
use crate::model::state::sheet::KeyedSheet;
use crate::model::workspace::Workspace;
use std::sync::Arc;
use taffeta_contact::{MeshObstacle, Obstacle};
use taffeta_mesh::AppendRecord;
use taffeta_remesh::{FaceAttributes, Hold, VertexAttributes};

/// See [`World::add_cloth`].
pub(crate) fn add_cloth(world: &mut World, description: &ClothDescription) -> Result<ClothId, BuildError> {
    check_cloth_names(world, description)?;
    let followed = find_leaders(world, description)?;
    let mut alone = build_alone(world, description)?;
    for (pin, (described, followed)) in alone.setup.pins.iter_mut().zip(description.pins.iter().zip(followed))
    {
        pin.description.follow.clone_from(&described.follow);
        pin.followed = followed;
    }
    // Surfaces of solids stay the last of the cloths.
    let place = world.setup.cloths.len() - world.setup.solids.len();
    let mut keyed = world.state.sheet.to_keyed(&world.state.motion);
    renumber_cloths(&mut world.setup, &mut keyed, |cloth| cloth + usize::from(cloth >= place));
    add_mesh(&mut keyed, &alone, place, world.setup.pins.len(), world.state.time);
    let World { setup: own, state: own_state, .. } = alone;
    let Setup { cloths, pins, seams, .. } = own;
    world.setup.cloths.splice(place..place, cloths);
    world.setup.pins.extend(pins);
    world.setup.seams.extend(seams.into_iter().map(|law| SeamLaw { cloth: place, ..law }));
    world.state.released.extend(own_state.released);
    world.state.last_passes.insert(place, world.state.time);
    world.state.credits.insert(place, 0.0);
    let id = world.setup.ids.add_cloth(place);
    world.pool.install(|| keep_parts_apart(&mut world.setup));
    world.workspace.placed.forget();
    let old_place = |cloth: usize| match cloth {
        cloth if cloth < place => Some(cloth),
        cloth if cloth == place => None,
        cloth => Some(cloth - 1),
    };
    put_sheet_at(world, keyed, old_place);
    Ok(id)
}

/// Refuses a cloth whose name, or that of one of its pins, is in use in the world.
fn check_cloth_names(world: &World, description: &ClothDescription) -> Result<(), BuildError> {
    let Setup { cloths, bodies, .. } = &world.setup;
    let name = &description.name;
    let mut names = cloths.iter().map(|cloth| &cloth.name).chain(bodies.iter().map(|body| &body.name));
    let reason = names.any(|own| own == name).then(|| "a body of the world has that name already".to_owned());
    refuse(&format!("cloth '{name}'"), reason)?;
    description.pins.iter().try_for_each(|pin| check_pin_name(world, &pin.name))
}

/// The obstacles that the pins of a cloth follow, from where they are now.
fn find_leaders(world: &World, description: &ClothDescription) -> Result<Vec<Option<Followed>>, BuildError> {
    let find = |pin: &PinDescription| {
        let name = pin.follow.as_ref()?;
        let what = format!("cloth '{}'", description.name);
        let found = world.setup.follow(name, world.state.time);
        Some(found.map_err(|reason| BuildError::BadSetting { what, reason }))
    };
    description.pins.iter().map(|pin| find(pin).transpose()).collect()
}

/// The world of a cloth alone, whose times begin now and whose pins follow nothing.
fn build_alone(world: &World, description: &ClothDescription) -> Result<World, BuildError> {
    let mut cloth = description.clone();
    cloth.pins.iter_mut().for_each(|pin| pin.follow = None);
    let mut alone = build_world(&WorldDescription {
        cloths: vec![cloth],
        simulation: SimulationSettings {
            solver: world.derived.choice,
            threads: 1,
            ..world.setup.settings.clone()
        },
        contact_thickness: world.setup.contact_thickness,
        self_contact: Some(world.setup.self_contact),
        ..WorldDescription::bare()
    })?;
    let now = world.state.time;
    alone.setup.cloths.iter_mut().for_each(|cloth| cloth.begin = now);
    alone.setup.pins.iter_mut().for_each(|pin| pin.description.motion.begin(now));
    Ok(alone)
}

/// Adds the mesh of a world of one cloth, as the cloth of a place, whose pins come after so many, at a time \[s\].
fn add_mesh(keyed: &mut KeyedSheet, alone: &World, place: usize, pins: usize, now: f64) {
    let added = alone.state.sheet.to_keyed(&alone.state.motion);
    // So that the keys are the same in a run that has resumed from a checkpoint.
    keyed.mesh.sort_free_slots();
    let AppendRecord { vertices, edges, faces } = keyed.mesh.append(&added.mesh);
    let attributes = &mut keyed.attributes;
    for (v, vertex) in &added.attributes.vertices {
        let hold = vertex.hold.map(|hold| Hold { pin: hold.pin + pins as u32, ..hold });
        attributes.vertices.insert(vertices[v], VertexAttributes { hold, ..*vertex });
    }
    for (e, edge) in &added.attributes.edges {
        attributes.edges.insert(edges[e], *edge);
    }
    for (f, face) in &added.attributes.faces {
        attributes.faces.insert(faces[f], FaceAttributes { cloth: place as u32, ..*face });
    }
    let renamed = |seam: SeamState| SeamState {
        pairs: seam.pairs.iter().map(|pair| pair.map(|v| vertices[v])).collect(),
        closed: seam.closed.map(|time| now + time),
        ..seam
    };
    keyed.sewing.seams.extend(added.sewing.seams.into_iter().map(renamed));
}

/// Gives cloths other numbers, in the setup and in a keyed sheet.
fn renumber_cloths(setup: &mut Setup, keyed: &mut KeyedSheet, number: impl Fn(usize) -> usize) {
    keyed.attributes.faces.values_mut().for_each(|face| face.cloth = number(face.cloth as usize) as u32);
    setup.solids.iter_mut().for_each(|solid| solid.cloth = number(solid.cloth));
    setup.seams.iter_mut().for_each(|law| law.cloth = number(law.cloth));
}

/// See [`World::remove_cloth`].
pub(crate) fn remove_cloth(world: &mut World, id: ClothId) -> Result<(), BuildError> {
    let what = format!("cloth {}", id.0);
    let Some(place) = world.setup.ids.find_cloth(id) else {
        return refuse(&what, Some("it was removed, or its handle is of another world".into()));
    };
    let is_solid = world.setup.solids.iter().any(|solid| solid.cloth == place);
    refuse(&what, is_solid.then(|| "it is the surface of a solid, which cannot be removed".into()))?;
    let mut keyed = world.state.sheet.to_keyed(&world.state.motion);
    let holders = keyed.holders();
    let KeyedSheet { mesh, attributes, sewing, .. } = &mut keyed;
    let is_own = |cloth: u32| cloth as usize == place;
    mesh.remove_parts(|f| is_own(attributes.faces[f].cloth)).expect("cloths share no vertices");
    attributes.faces.retain(|_, face| !is_own(face.cloth));
    attributes.vertices.retain(|v, _| mesh.contains_vertex(v));
    attributes.edges.retain(|e, _| mesh.contains_edge(e));
    let mut laws = world.setup.seams.iter();
    sewing.seams.retain(|_| laws.next().is_some_and(|law| law.cloth != place));
    // A pin that holds something else as well goes on.
    let left = keyed.holders();
    holders.difference(&left).for_each(|pin| world.state.released[*pin as usize] = true);
    world.setup.seams.retain(|law| law.cloth != place);
    renumber_cloths(&mut world.setup, &mut keyed, |cloth| cloth - usize::from(cloth > place));
    world.setup.cloths.remove(place);
    world.setup.ids.cloths.remove(place);
    world.state.last_passes.remove(place);
    world.state.credits.remove(place);
    put_sheet_at(world, keyed, |cloth| Some(cloth + usize::from(cloth >= place)));
    Ok(())
}

/// See [`World::add_obstacle`].
pub(crate) fn add_obstacle(world: &mut World, mut obstacle: Obstacle) -> Result<ObstacleId, BuildError> {
    let reason = obstacle.find_defect().or_else(|| obstacle.friction.find_defect());
    refuse(&format!("{} obstacle {}", obstacle.shape.name(), world.setup.obstacles.len()), reason)?;
    check_obstacle_name(world, &obstacle.name)?;
    let what = format!("obstacle '{}'", obstacle.name);
    refuse(&what, find_freedom_defect(&obstacle, &world.setup.settings, world.derived.choice))?;
    obstacle.begin(world.state.time);
    world.state.rigid.extend(RigidState::begin(world.setup.obstacles.len(), &obstacle, world.state.time));
    world.setup.obstacles.push(obstacle);
    let id = world.setup.ids.add_obstacle();
    forget_obstacles(&mut world.state, &mut world.workspace);
    rebuild(world);
    Ok(id)
}

/// See [`World::add_mesh_obstacle`].
pub(crate) fn add_mesh_obstacle(world: &mut World, mut mesh: MeshObstacle) -> Result<ObstacleId, BuildError> {
    let reason = mesh.find_defect().or_else(|| mesh.friction.find_defect());
    let choice = world.derived.choice;
    let unknown = || meeting_mismatch(choice, "shape", "contact with meshes").map(|found| found.describe());
    let reason = reason.or_else(unknown);
    refuse(&format!("mesh obstacle {}", world.setup.meshes.len()), reason)?;
    check_obstacle_name(world, &mesh.name)?;
    mesh.motion.begin(world.state.time);
    Arc::make_mut(&mut world.setup.meshes).push(mesh);
    let id = world.setup.ids.add_mesh();
    world.pool.install(|| keep_parts_apart(&mut world.setup));
    forget_obstacles(&mut world.state, &mut world.workspace);
    rebuild(world);
    Ok(id)
}

/// See [`World::remove_obstacle`].
pub(crate) fn remove_obstacle(world: &mut World, id: ObstacleId) -> Result<(), BuildError> {
    let place = find_obstacle(&world.setup, id)?;
    let followers = followers_of(&world.setup, &world.state.released, id).next();
    let reason =
        followers.map(|pin| format!("{} follows it: release that first", name_pin(&world.setup, pin)));
    refuse(&name_obstacle(&world.setup, place), reason)?;
    match place {
        ObstaclePlace::Closed(number) => {
            world.setup.obstacles.remove(number);
            world.state.rigid.retain(|body| body.obstacle != number);
            let after = world.state.rigid.iter_mut().filter(|body| body.obstacle > number);
            after.for_each(|body| body.obstacle -= 1);
            world.setup.ids.obstacles.remove(number);
            world.state.friction.remove_body(number as u32);
        }
        ObstaclePlace::Mesh(number) => {
            let own = world.state.sheet.topology.vertex_count;
            let count =
                |meshes: &[MeshObstacle]| meshes.iter().map(MeshObstacle::vertex_count).sum::<usize>();
            let first = (own + count(&world.setup.meshes[..number])) as u32;
            let mesh = Arc::make_mut(&mut world.setup.meshes).remove(number);
            world.setup.ids.meshes.remove(number);
            let end = first + mesh.vertex_count() as u32;
            world.state.friction.renumber(|vertex| match vertex {
                vertex if vertex < first => Some(vertex),
                vertex if vertex < end => None,
                vertex => Some(vertex - (end - first)),
            });
        }
    }
    forget_obstacles(&mut world.state, &mut world.workspace);
    rebuild(world);
    Ok(())
}

/// Refuses a name that an obstacle of the world has.
fn check_obstacle_name(world: &World, name: &str) -> Result<(), BuildError> {
    let Setup { obstacles, meshes, .. } = &world.setup;
    let mut names =
        obstacles.iter().map(|obstacle| &obstacle.name).chain(meshes.iter().map(|mesh| &mesh.name));
    let is_taken = !name.is_empty() && names.any(|own| own == name);
    let reason = is_taken.then(|| "an obstacle of the world has that name already".to_owned());
    refuse(&format!("obstacle '{name}'"), reason)
}

/// Forgets what depends on which obstacles there are. All is to be derived anew then.
fn forget_obstacles(state: &mut State, workspace: &mut Workspace) {
    state.wake();
    state.loads = LoadMemory::default();
    workspace.placed.forget();
}
