//! Cloths that meet themselves and each other: contacts before the solve, the safeguard after it.
//!
//! The response makes it look right, the safeguard makes it true: after every substep, motions are shortened until no
//! pair of primitives crosses on the way. Both see the positions at the start of the substep, where nothing crosses but
//! what crossed before.

use crate::caches::CacheSource;
use crate::pins::along_held;
use crate::world::World;
use glam::DVec3;
use taffeta_contact::Contact;
use taffeta_contact::crossings::Crossing;
use taffeta_contact::elements::Elements;
use taffeta_contact::guard::MovingShape;
use taffeta_contact::proximity::{MeshBody, Proximity, Step};
use taffeta_core::index::DenseIndex;

/// Speed at which what crosses is pulled apart \[m/s\].
const PULL_SPEED: f64 = 1.0;

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

/// An edge and a face that cross, so that they cannot be kept apart.
#[derive(Clone, Debug, PartialEq)]
pub struct QuarantinedPair {
    /// The bodies of edge and face.
    pub bodies: [String; 2],
    /// The dense numbers of the ends of the edge and of the corners of the face, and the first vertex of a cloth among them \[m\].
    pub edge: [u32; 2],
    /// See `edge`.
    pub face: [u32; 3],
    /// See `edge`.
    pub position: DVec3,
}

/// The cloths of a world as bodies that can meet.
pub(crate) fn build_proximity(source: CacheSource<'_>) -> Proximity {
    let CacheSource { sheet, cloths, bodies, .. } = source;
    let mut elements = Elements::default();
    let faces: Vec<[u32; 3]> = sheet.topology.faces.iter().map(|face| face.map(|vi| vi.0)).collect();
    elements.add_triangles(sheet.topology.vertex_count, &faces, |i| sheet.vertex_cloths.raw[i]);
    let surfaces = cloths.iter().map(|cloth| cloth.surface).chain(bodies.iter().map(|body| body.surface));
    let meshes = surfaces.map(|surface| MeshBody { surface, is_cloth: true }).collect();
    Proximity::new(elements, meshes, sheet.layout.raw.clone())
}

impl World {
    /// Whether cloths meet themselves and each other, so that crossings can be counted.
    pub fn counts_crossings(&self) -> bool {
        self.caches.proximity.is_some()
    }

    /// Edges that go through faces, exactly; `None` if cloths do not meet in this world.
    pub fn crossings(&self) -> Option<Vec<Crossing>> {
        let proximity = self.caches.proximity.as_ref()?;
        Some(proximity.count_crossings(&self.sheet.state.positions.raw))
    }

    /// What the safeguard knows to cross, and so pulls apart rather than keeps apart.
    pub fn quarantine(&self) -> Vec<QuarantinedPair> {
        let x = &self.sheet.state.positions.raw;
        let body = |v: u32| self.sheet.vertex_cloths.raw.get(v as usize);
        let name = |v: u32| body(v).map_or("obstacle".to_owned(), |body| self.body_name(*body as usize));
        let describe = |crossing: &Crossing| QuarantinedPair {
            bodies: [name(crossing.edge[0]), name(crossing.face[0])],
            edge: crossing.edge,
            face: crossing.face,
            position: crossing
                .edge
                .iter()
                .chain(&crossing.face)
                .find_map(|v| x.get(*v as usize))
                .copied()
                .unwrap_or_default(),
        };
        let crossings = self.caches.proximity.iter().flat_map(|proximity| proximity.crossings());
        crossings.map(describe).collect()
    }

    /// How many faces of cloths reach into obstacles in closed form; `None` if cloths do not meet in this world.
    pub fn sunken_faces(&self) -> Option<usize> {
        let proximity = self.caches.proximity.as_ref()?;
        let shapes = self.obstacles.iter().map(|obstacle| obstacle.over_substep(self.time, 0.0).shape);
        Some(proximity.count_sunken(&self.sheet.state.positions.raw, &shapes.collect::<Vec<_>>()))
    }

    /// Notes what crosses before the first step and after an edit: it is not kept apart.
    pub(crate) fn note_crossings(&mut self) {
        if let Some(proximity) = &mut self.caches.proximity {
            proximity.note_crossings(&self.sheet.state.positions.raw);
        }
    }

    /// Lets the pairs be collected anew, so that a step depends on its start alone.
    pub(crate) fn forget_pairs(&mut self) {
        if let Some(proximity) = &mut self.caches.proximity {
            proximity.forget();
        }
    }

    /// Adds the contacts between cloths to those of the substep.
    pub(crate) fn meet_cloths(&mut self, h: f64) {
        let Some(mut proximity) = self.caches.proximity.take() else { return };
        let end = self.proposed();
        let prescribed = self.prescribed();
        let shapes = self.moving_shapes(h);
        let start = &self.sheet.state.positions.raw;
        let step = Step { start, end: &end, prescribed: &prescribed, shapes: &shapes };
        let rows = self.in_threads(|| {
            proximity.follow(step);
            proximity.contacts(step)
        });
        self.caches.proximity = Some(proximity);
        self.work.meetings = rows.len();
        self.work.contacts.extend(rows.into_iter().map(Contact::new));
    }

    /// Pulls apart what crosses, slowly and without giving it velocity.
    pub(crate) fn pull_apart(&mut self, h: f64) {
        let Some(proximity) = &self.caches.proximity else { return };
        if proximity.crossings().is_empty() {
            return;
        }
        let work = &mut self.work;
        for (v, direction) in proximity.pull_apart(&self.sheet.state.positions.raw) {
            let i = v as usize;
            if i < work.rows.len() && self.sheet.state.held.raw[i] == [false; 3] {
                let shift = direction * (PULL_SPEED * h);
                work.start[i] += shift;
                work.bases[i] += shift;
                work.rows[i].position = (work.rows[i].position() + shift).to_array();
            }
        }
    }

    /// Shortens the motion of the substep where something would cross.
    ///
    /// Reads: rows, the positions at the start. Writes: rows, what the safeguard had to do.
    pub fn secure(&mut self, h: f64) {
        self.work.shortened.clear();
        let Some(mut proximity) = self.caches.proximity.take() else { return };
        let end = self.proposed();
        let prescribed = self.prescribed();
        let shapes = self.moving_shapes(h);
        let start = &self.sheet.state.positions.raw;
        let step = Step { start, end: &end, prescribed: &prescribed, shapes: &shapes };
        let (found, truncation) = self.in_threads(|| {
            proximity.follow(step);
            proximity.secure(step)
        });
        if !truncation.forced.is_empty() || !proximity.crossings().is_empty() {
            proximity.note_crossings(&found);
        }
        self.caches.proximity = Some(proximity);
        let work = &mut self.work;
        for (i, fraction) in truncation.fractions.iter().enumerate().filter(|(_, t)| **t < 1.0) {
            let lost = end[i].distance(found[i]) / h;
            if lost > 0.0 && *fraction < 1.0 {
                work.safeguard.shortened += 1;
                work.safeguard.lost_impulse += self.sheet.state.masses.raw[i] * lost;
                work.rows[i].position = found[i].to_array();
                work.stopped[i] = true;
                work.shortened.push(i);
            }
        }
        work.safeguard.forced += (truncation.forced.len() + truncation.forced_faces) as u64;
    }

    /// The obstacles over the substep. Those of a search for an equilibrium stand still.
    fn moving_shapes(&self, h: f64) -> Vec<MovingShape<'_>> {
        let h = if self.work.stands_still { 0.0 } else { h };
        self.obstacles.iter().map(|obstacle| MovingShape::new(obstacle, self.time, h)).collect()
    }

    /// Where the vertices are to be at the end of the substep \[m\].
    fn proposed(&self) -> Vec<DVec3> {
        self.work.rows.iter().map(|row| row.position()).collect()
    }

    /// Who cannot be stopped: what is held altogether, and what a pin moves along some axes.
    fn prescribed(&self) -> Vec<bool> {
        let mut prescribed: Vec<bool> = self.sheet.state.inverse_masses.iter().map(|w| *w == 0.0).collect();
        for guided in &self.work.guided {
            let moved = along_held(guided.held, guided.target, guided.start) != guided.start;
            prescribed[guided.vertex.to_usize()] |= moved;
        }
        prescribed
    }
}
