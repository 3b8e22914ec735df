//! Cloths that meet themselves, each other and mesh obstacles: contacts before the solve, the safeguard after it.
//!
//! The response makes it look right, the safeguard makes it true: after every substep, motions are shortened until no
//! pair of primitives crosses on the way. Both see the positions at the start of the substep, where nothing crosses but
//! what crossed before.

use crate::caches::CacheSource;
use crate::loose::LooseBody;
use crate::mesh_obstacles::ContactPath;
use crate::pins::put_back;
use crate::world::{Cloth, World};
use glam::DVec3;
use taffeta_contact::Contact;
use taffeta_contact::certificate::Truncation;
use taffeta_contact::elements::Elements;
use taffeta_contact::proximity::{MeshBody, Proximity};
use taffeta_contact::response::project;
use taffeta_core::ContactRow;

/// How often cloth is moved out of the way of what cannot be stopped before that counts as forced, and sweeps over the
/// contacts each time. Each time other primitives may come to be in the way.
const GIVE_WAY_ROUNDS: u32 = 16;
const GIVE_WAY_PASSES: u32 = 16;

/// What the safeguard had to do.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct SafeguardReport {
    /// Vertices whose motion was shortened, over all substeps of the step.
    pub shortened: u64,
    /// The impulse that this has taken \[N·s\]: mass times the velocity lost.
    pub lost_impulse: f64,
    /// Pairs that vertices which cannot be stopped have forced together.
    pub forced: u64,
}

/// The cloths of a world, its other bodies and its mesh obstacles, as bodies that can meet.
pub(crate) fn build_proximity(source: CacheSource<'_>) -> Proximity {
    let CacheSource { sheet, cloths, bodies, self_contact, .. } = source;
    let mut elements = Elements::default();
    let faces: Vec<[u32; 3]> = sheet.topology.faces.iter().map(|face| face.map(|vi| vi.0)).collect();
    elements.add_triangles(sheet.topology.vertex_count, &faces, |i| sheet.vertex_cloths.raw[i]);
    let cloth = |cloth: &Cloth| MeshBody::cloth(cloth.surface, self_contact);
    let body = |body: &LooseBody| MeshBody::cloth(body.surface, false);
    let mut meshes: Vec<MeshBody> = cloths.iter().map(cloth).chain(bodies.iter().map(body)).collect();
    let mut layout = sheet.layout.raw.clone();
    if !source.meshes.is_empty() {
        add_loose(source, &mut elements);
    }
    for obstacle in source.meshes {
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
    Proximity::new(elements, meshes, layout)
}

/// Adds ropes, as what meets obstacles only, and vertices that belong to nothing. The inside of a solid needs no guard.
fn add_loose(source: CacheSource<'_>, elements: &mut Elements) {
    for (number, body) in source.bodies.iter().enumerate() {
        let owner = (source.cloths.len() + number) as u32;
        let range = source.sheet.vertex_range(owner);
        let visible = body.visible(range.len());
        let vertices = (range.start + visible.start) as u32..(range.start + visible.end) as u32;
        if body.rope.is_some() {
            elements.add_polyline(vertices, owner);
        } else if !source.solids.iter().any(|solid| solid.body == Some(number)) {
            elements.add_points(vertices, owner);
        }
    }
}

/// Shortens a motion; the pairs are made complete for it before.
fn secure(proximity: &mut Proximity, path: &ContactPath) -> (Vec<DVec3>, Truncation) {
    proximity.follow(path.step());
    proximity.secure(path.step())
}

impl World {
    /// Notes what crosses before the first step and after an edit: it is not kept apart.
    pub(crate) fn note_crossings(&mut self) {
        if self.caches.proximity.is_none() {
            return;
        }
        let positions = self.contact_positions();
        if let Some(proximity) = &mut self.caches.proximity {
            proximity.note_crossings(&positions);
        }
    }

    /// Lets the pairs be collected anew, so that a step depends on its start alone.
    pub(crate) fn forget_pairs(&mut self) {
        if let Some(proximity) = &mut self.caches.proximity {
            proximity.forget();
        }
    }

    /// Adds the contacts of cloths with each other and with meshes to those of the substep.
    pub(crate) fn meet_cloths(&mut self) {
        let Some(mut proximity) = self.caches.proximity.take() else { return };
        let path = self.contact_path();
        let step = path.step();
        let rows = self.in_threads(|| {
            proximity.follow(step);
            proximity.contacts(step)
        });
        self.caches.proximity = Some(proximity);
        self.work.meetings = rows.len();
        self.work.contacts.extend(rows.into_iter().map(Contact::new));
    }

    /// Moves what is in the way of something that cannot be stopped to where that leaves room: a solver that sweeps, or is
    /// cut off, has not brought all of it there, and to be stopped would be of no use.
    fn give_way(&mut self, proximity: &Proximity, path: &ContactPath) {
        let rows = self.in_threads(|| proximity.contacts(path.step()));
        let smooth = |row| Contact::new(ContactRow { static_friction: 0.0, kinetic_friction: 0.0, ..row });
        let mut contacts: Vec<Contact> = rows.into_iter().map(smooth).collect();
        let work = &mut self.work;
        (0..GIVE_WAY_PASSES).for_each(|_| project(&mut contacts, &work.start, &mut work.rows));
        put_back(&work.guided, &mut work.rows);
    }

    /// Shortens the motion of the substep where something would cross.
    pub(crate) fn keep_apart(&mut self, h: f64) {
        self.work.shortened.clear();
        let Some(mut proximity) = self.caches.proximity.take() else { return };
        let mut path = self.contact_path();
        let (mut found, mut truncation) = self.in_threads(|| secure(&mut proximity, &path));
        for _ in 0..GIVE_WAY_ROUNDS {
            if truncation.forced.is_empty() || !path.is_pushed() {
                break;
            }
            self.give_way(&proximity, &path);
            path = self.contact_path();
            (found, truncation) = self.in_threads(|| secure(&mut proximity, &path));
        }
        if !truncation.forced.is_empty() || !proximity.crossings().is_empty() {
            proximity.note_crossings(&found);
        }
        self.caches.proximity = Some(proximity);
        let work = &mut self.work;
        for (i, fraction) in truncation.fractions.iter().enumerate().filter(|(_, t)| **t < 1.0) {
            let lost = path.end(i).distance(found[i]) / h;
            if lost > 0.0 && *fraction < 1.0 {
                work.safeguard.shortened += 1;
                work.safeguard.lost_impulse += self.sheet.state.masses.raw[i] * lost;
                work.rows[i].position = found[i].to_array();
                work.stopped[i] = true;
                work.shortened.push(i);
            }
        }
        work.safeguard.forced += truncation.forced.len() as u64;
    }
}
