//! Cloths that start inside of something.

use crate::derive::world::World;
use glam::DVec3;

/// Vertices of a cloth, at most, whose winding numbers are asked for: each takes a look at every face of a mesh.
const WINDING_SAMPLES: usize = 64;

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
    /// Number of faces of the cloth that reach into it.
    pub faces: usize,
    /// The middle of the first of them \[m\].
    pub position: DVec3,
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
