//! Cloths that meet themselves, each other and mesh obstacles: contacts before the solve, the safeguard after it.
//!
//! The response makes it look right, the safeguard makes it true: after every substep, motions are shortened until no
//! pair of primitives crosses on the way. Both see the positions at the start of the substep, where nothing crosses but
//! what crossed before.

use crate::caches::{CacheSource, Solver};
use crate::loose::LooseBody;
use crate::mesh_obstacles::ContactPath;
use crate::mesh_obstacles::{contact_path, contact_positions};
use crate::pins::put_back;
use crate::safeguard::note_forced;
use crate::setup::{Cloth, Setup};
use crate::world::World;
use glam::DVec3;
use taffeta_contact::certificate::Truncation;
use taffeta_contact::elements::Elements;
use taffeta_contact::guard::MovingShape;
use taffeta_contact::proximity::{MeshBody, Proximity, Which};
use taffeta_contact::response::{project, stabilize};
use taffeta_contact::{Contact, Rooms, SubstepView};
use taffeta_core::ContactRow;
use taffeta_solve::block::Stitch;

/// How often cloth is moved out of the way of what cannot be stopped before that counts as forced, and sweeps over the
/// contacts each time. Each time other primitives may come to be in the way.
const GIVE_WAY_ROUNDS: u32 = 16;
const GIVE_WAY_PASSES: u32 = 16;
/// Rounds in a row, at most, in which no less is forced than before: where pins and obstacles leave no room, no round helps.
const IDLE_ROUNDS: u32 = 4;
/// Looks at a pair that take as long as to find its contact.
const LOOKS_TO_MEET: u64 = 5;
/// How often the contacts are swept again before motions are shortened that can be, and the part of its thickness that
/// each contact then keeps: a little more than the safeguard asks for.
const SLIDE_ROUNDS: u32 = 4;
const SLIDE_SHARE: f64 = 0.2;

/// Vertices of a cloth, at most, whose winding numbers are asked for: each takes a look at every face of a mesh.
const WINDING_SAMPLES: usize = 64;

/// A motion after which nothing crosses that can be kept apart.
pub(crate) struct Secured {
    /// Where it ends \[m\].
    pub found: Vec<DVec3>,
    pub truncation: Truncation,
    /// The motion as it was proposed.
    path: ContactPath,
}

/// A cloth that starts inside a mesh.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct EnclosedCloth {
    /// The number of the cloth.
    pub cloth: usize,
    /// The number of the obstacle among those made of triangles.
    pub obstacle: usize,
    /// Which part of the vertices that were tried is inside.
    pub part: f64,
    /// One of them \[m\].
    pub position: DVec3,
}

/// A cloth that reaches into an obstacle in closed form.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct SunkenCloth {
    /// The number of the cloth.
    pub cloth: usize,
    /// The number of the obstacle among those in closed form.
    pub obstacle: usize,
    /// How many faces of the cloth reach into it.
    pub faces: usize,
    /// The middle of the first of them \[m\].
    pub position: DVec3,
}

/// Between panels that are not joined, where distances at rest matter \[m\]: more than any contact is thick.
const PANEL_DISTANCE: f64 = 1e3;

/// The cloths of a world, its other bodies and its mesh obstacles, as bodies that can meet.
pub(crate) fn build_proximity(
    source: CacheSource<'_>,
    stitches: &[Stitch],
    places: &[[u32; 2]],
) -> Proximity {
    let CacheSource { setup, sheet, .. } = source;
    let Setup { cloths, bodies, .. } = setup;
    let mut elements = Elements::default();
    let faces: Vec<[u32; 3]> = sheet.topology.faces.iter().map(|face| face.map(|vi| vi.0)).collect();
    elements.add_triangles(sheet.topology.vertex_count, &faces, |i| sheet.vertex_cloths.raw[i]);
    let cloth = |cloth: &Cloth| MeshBody::cloth(cloth.surface, setup.self_contact);
    let body = |body: &LooseBody| MeshBody::cloth(body.surface, false);
    let mut meshes: Vec<MeshBody> = cloths.iter().map(cloth).chain(bodies.iter().map(body)).collect();
    let mut layout = sheet.layout.raw.clone();
    set_panels_apart(source, &mut layout);
    if !source.setup.meshes.is_empty() {
        add_loose(source, &mut elements);
    }
    for obstacle in &source.setup.meshes {
        let number = meshes.len() as u32;
        // Contact is two-sided. Sorted corners give the same bits whichever way a face is turned.
        let sorted = |face: &[u32; 3]| {
            let mut face = *face;
            face.sort_unstable();
            face
        };
        let faces: Vec<[u32; 3]> = obstacle.faces.iter().map(sorted).collect();
        elements.add_triangles(obstacle.vertex_count(), &faces, |_| number);
        meshes.push(MeshBody::obstacle(obstacle.friction));
        layout.resize(elements.vertex_count, DVec3::ZERO);
    }
    let mut proximity = Proximity::new(elements, meshes, layout);
    let joint = |(stitch, [seam, _]): (&Stitch, &[u32; 2])| {
        (stitch.vertices.map(|vi| vi.0), source.setup.seams[*seam as usize].contact())
    };
    proximity.sew(stitches.iter().zip(places).map(joint));
    proximity
}

/// Panels that no seam joins may have the same material coordinates, and are no neighbors for that.
fn set_panels_apart(source: CacheSource<'_>, layout: &mut [DVec3]) {
    let CacheSource { setup: Setup { cloths, .. }, sheet, motion, .. } = source;
    for (fi, panel) in sheet.panels.iter_indexed().filter(|(_, panel)| **panel > 0) {
        if cloths[motion.rest.cloths[fi] as usize].has_one_chart {
            for vi in sheet.topology.faces[fi] {
                layout[vi.0 as usize].z = f64::from(*panel) * PANEL_DISTANCE;
            }
        }
    }
}

/// Adds ropes, as what meets obstacles only, and vertices that belong to nothing. The inside of a solid needs no guard.
fn add_loose(source: CacheSource<'_>, elements: &mut Elements) {
    for (number, body) in source.setup.bodies.iter().enumerate() {
        let owner = (source.setup.cloths.len() + number) as u32;
        let range = source.sheet.vertex_range(owner);
        let visible = body.visible(range.len());
        let vertices = (range.start + visible.start) as u32..(range.start + visible.end) as u32;
        if body.rope.is_some() {
            elements.add_polyline(vertices, owner);
        } else if !source.setup.solids.iter().any(|solid| solid.body == Some(number)) {
            elements.add_points(vertices, owner);
        }
    }
}

/// Which cloths reach into which obstacles in closed form now. They are pushed out by contact.
pub fn sunken_cloths(world: &World) -> Vec<SunkenCloth> {
    let x = &world.state.motion.positions;
    let mut found = Vec::new();
    for (obstacle, body) in world.setup.obstacles.iter().enumerate() {
        let shape = body.over_substep(world.state.time, 0.0).shape;
        let skeleton = shape.skeleton();
        let is_sunken = |corners: &[DVec3; 3]| shape.nearest_of_face(&skeleton, *corners).0 < 0.0;
        for cloth in 0..world.setup.cloths.len() {
            let corners = |fi| world.state.sheet.topology.faces[fi].map(|vi| x[vi]);
            let faces = world.state.motion.faces_of(cloth as u32);
            let sunken: Vec<_> = faces.map(corners).filter(is_sunken).collect();
            if let Some([a, b, c]) = sunken.first() {
                let position = (*a + *b + *c) / 3.0;
                found.push(SunkenCloth { cloth, obstacle, faces: sunken.len(), position });
            }
        }
    }
    found
}

/// Which cloths are inside which meshes now, by the winding numbers of some of their vertices. Contact with a mesh has
/// two sides, so they stay inside.
pub fn enclosed_cloths(world: &World) -> Vec<EnclosedCloth> {
    let mut found = Vec::new();
    for (obstacle, mesh) in world.setup.meshes.iter().enumerate() {
        let x = mesh.positions_at(world.state.time);
        let is_inside = |point: &&DVec3| mesh.winding_number(&x, **point).abs() > 0.5;
        for cloth in 0..world.setup.cloths.len() {
            let vertices = &world.state.motion.positions.raw[world.state.sheet.vertex_range(cloth as u32)];
            let tried = || vertices.iter().step_by(vertices.len().div_ceil(WINDING_SAMPLES).max(1));
            let inside: Vec<_> = tried().filter(is_inside).collect();
            if let Some(position) = inside.first() {
                let part = inside.len() as f64 / tried().count() as f64;
                found.push(EnclosedCloth { cloth, obstacle, part, position: **position });
            }
        }
    }
    found
}

/// Notes what crosses before the first step and after an edit: it is not kept apart.
pub(crate) fn note_crossings(world: &mut World) {
    if world.derived.proximity.is_none() {
        return;
    }
    let positions = contact_positions(world);
    if let Some(proximity) = &mut world.derived.proximity {
        let masses = &world.state.motion.inverse_masses.raw;
        proximity.note_crossings(&positions, |v| masses[v as usize] == 0.0);
    }
}

/// For which motion the pairs that are near each other were collected; `None`: the next substep collects them.
pub(crate) fn rooms(world: &World) -> Option<Rooms> {
    world.derived.proximity.as_ref().and_then(Proximity::rooms).cloned()
}

/// Collects the pairs that were collected for these rooms.
pub(crate) fn resume_pairs(world: &mut World, rooms: Option<Rooms>) {
    let Some(rooms) = rooms else { return };
    let Some(mut proximity) = world.derived.proximity.take() else { return };
    proximity.resume(rooms);
    world.derived.proximity = Some(proximity);
}

/// Adds the contacts of cloths with each other and with meshes to those of the substep.
pub(crate) fn meet_cloths(world: &mut World, h: f64) {
    let Some(mut proximity) = world.derived.proximity.take() else { return };
    let mut contacts = std::mem::take(&mut world.state.last.contacts);
    let path = contact_path(world);
    let shapes = moving_shapes(world, h);
    let step = path.step(&shapes);
    // In the search for an equilibrium nothing slides on; contacts that change places would keep it from its end.
    let which = if world.inputs.stands_still { Which::All } else { Which::Nearest };
    let bearing = world.state.grasps.names();
    let before = contacts.len();
    let mut pulls = Vec::new();
    {
        proximity.follow(step);
        proximity.add_contacts(step, which, &bearing, &mut contacts);
        proximity.add_pulls(step, &mut pulls);
    };
    world.scratch.effort.add_pairs(proximity.take_work() + LOOKS_TO_MEET * proximity.pairs().len() as u64);
    world.derived.proximity = Some(proximity);
    world.scratch.meetings = contacts.len() - before;
    world.state.last.contacts = contacts;
    pull_apart(world, pulls, h);
}

/// Pulls apart what crosses, slowly and without giving it velocity.
///
/// Solvers that sweep take the pulls as contacts. For Newton's method the vertices are moved before the solve, which then
/// keeps what is gained: its springs would drag all that is around along, and give it the speed of the pull.
fn pull_apart(world: &mut World, mut pulls: Vec<Contact>, h: f64) {
    let work = &mut world.scratch;
    if !world.derived.solver.is_local() && !pulls.is_empty() {
        let before = work.start.clone();
        stabilize(&pulls, &mut work.start, &mut work.rows, h);
        let shifts = before.iter().zip(&work.start).map(|(was, is)| *is - *was);
        work.bases.iter_mut().zip(shifts).for_each(|(base, shift)| *base += shift);
        for Contact { row, .. } in &mut pulls {
            let reached = row.interpolate(|vi| work.start[vi.0 as usize]) + row.body_displacement;
            row.offset = row.offset.min(row.normal.dot(reached));
        }
    }
    world.state.last.contacts.extend(pulls);
}

/// Moves what would be in the way of something, without friction, to where there is room along its way: a solver that
/// sweeps, or is cut off, has not brought all of it there, and what is stopped cannot slide either. `share` is the
/// part of its thickness that each contact is to keep.
fn give_way(world: &mut World, proximity: &Proximity, path: &ContactPath, (share, h): (f64, f64)) {
    let moved = if world.inputs.stands_still { 0.0 } else { h };
    let work = &world.scratch;
    let view =
        SubstepView { start: &work.start, rows: &work.rows, rests: false, time: world.state.time, h: moved };
    let mut contacts =
        world.derived.detector.detect(&world.state.sheet.topology, &world.setup.obstacles, view);
    let shapes = moving_shapes(world, h);
    let bearing = world.state.grasps.names();
    let step = path.step(&shapes);
    proximity.add_contacts(step, Which::Nearest, &bearing, &mut contacts);
    world.scratch.effort.add_pairs(LOOKS_TO_MEET * proximity.pairs().len() as u64);
    for Contact { row, .. } in &mut contacts {
        *row = ContactRow { static_friction: 0.0, kinetic_friction: 0.0, ..*row };
        row.offset -= (1.0 - share) * row.thickness;
    }
    let work = &mut world.scratch;
    (0..GIVE_WAY_PASSES).for_each(|_| project(&mut contacts, &work.start, &mut work.rows));
    put_back(&work.guided, &mut work.rows);
}

/// Shortens the motion of the substep where something would cross.
///
/// Reads: rows, the positions at the start. Writes: rows, what the safeguard had to do.
pub(crate) fn secure(world: &mut World, h: f64) {
    world.scratch.shortened.clear();
    let Some(mut proximity) = world.derived.proximity.take() else { return };
    let secured = match world.derived.solver {
        Solver::Projective(_) => watch_motion(world, &mut proximity, h),
        Solver::Block(_) | Solver::Rows(_) | Solver::Newton(_) => secure_motion(world, &mut proximity, h),
    };
    if !secured.truncation.forced.is_empty() || !proximity.crossings().is_empty() {
        let masses = &world.state.motion.inverse_masses.raw;
        proximity.note_crossings(&secured.found, |v| masses[v as usize] == 0.0);
    }
    note_forced(world, &proximity, &secured, h);
    world.derived.proximity = Some(proximity);
    let Secured { found, truncation, path } = secured;
    let work = &mut world.scratch;
    for (i, fraction) in truncation.fractions.iter().enumerate().filter(|(_, t)| **t < 1.0) {
        let lost = path.end(i).distance(found[i]) / h;
        if lost > 0.0 && *fraction < 1.0 {
            world.safeguard.shortened += 1;
            world.safeguard.lost_impulse += world.state.motion.masses.raw[i] * lost;
            work.rows[i].position = found[i].to_array();
            work.stopped[i] = true;
            work.shortened.push(i);
        }
    }
}

/// Lets contacts slide, and what is forced give way, as long as that helps; then shortens what is left.
fn secure_motion(world: &mut World, proximity: &mut Proximity, h: f64) -> Secured {
    let mut path = contact_path(world);
    let (mut found, mut truncation) = keep_apart(world, proximity, &path, h);
    let (mut least_forced, mut idle) = (usize::MAX, 0);
    for round in 0..GIVE_WAY_ROUNDS {
        let is_forced =
            !truncation.forced_faces.is_empty() || !truncation.forced.is_empty() && path.is_pushed();
        let is_stopped = round < SLIDE_ROUNDS && truncation.fractions.iter().any(|t| *t < 1.0);
        if !(is_forced || is_stopped) || world.scratch.effort.is_spent() {
            break;
        }
        if is_forced {
            idle = if truncation.forced_count() < least_forced { 0 } else { idle + 1 };
            least_forced = least_forced.min(truncation.forced_count());
            if idle == IDLE_ROUNDS {
                break;
            }
        }
        let share = if is_forced { 1.0 } else { SLIDE_SHARE };
        give_way(world, proximity, &path, (share, h));
        path = contact_path(world);
        (found, truncation) = keep_apart(world, proximity, &path, h);
    }
    Secured { found, truncation, path }
}

/// Finds out what runs into obstacles, and stops nothing: under projective dynamics contact is a force that gives way.
fn watch_motion(world: &mut World, proximity: &mut Proximity, h: f64) -> Secured {
    let mut path = contact_path(world);
    path.hold_all();
    let (found, truncation) = keep_apart(world, proximity, &path, h);
    Secured { found, truncation, path }
}

/// The end of a motion after which nothing crosses; the pairs are made complete for it before.
pub(crate) fn keep_apart(
    world: &mut World,
    proximity: &mut Proximity,
    path: &ContactPath,
    h: f64,
) -> (Vec<DVec3>, Truncation) {
    let shapes = moving_shapes(world, h);
    let secured = {
        proximity.follow(path.step(&shapes));
        proximity.secure(path.step(&shapes))
    };
    world.scratch.effort.add_pairs(proximity.take_work());
    secured
}

/// The same for a motion of a few vertices, before which all others are held.
pub(crate) fn keep_few_apart(
    world: &mut World,
    proximity: &mut Proximity,
    path: &ContactPath,
    h: f64,
) -> Vec<DVec3> {
    let shapes = moving_shapes(world, h);
    let (ends, _) = proximity.secure_few(path.step(&shapes));
    world.scratch.effort.add_pairs(proximity.take_work());
    ends
}

/// The obstacles in closed form over the substep. Those of a search for an equilibrium stand still.
fn moving_shapes(world: &World, h: f64) -> Vec<MovingShape<'_>> {
    let h = if world.inputs.stands_still { 0.0 } else { h };
    world.setup.obstacles.iter().map(|obstacle| MovingShape::new(obstacle, world.state.time, h)).collect()
}
