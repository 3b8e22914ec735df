//! The obstacles made of triangles: where they stand, as those need it who compare them with the cloths.
//!
//! Their vertices come after those of the sheet. Within a substep they move on straight lines; where they are at its ends
//! follows from the time alone, so that nothing of it is part of a checkpoint.

use crate::pins::along_held;
use crate::stages::end_of_substep;
use crate::world::World;
use glam::DVec3;
use taffeta_contact::MeshObstacle;
use taffeta_contact::crossings::Crossing;
use taffeta_contact::guard::MovingShape;
use taffeta_contact::proximity::Step;
use taffeta_core::index::DenseIndex;

/// The mesh obstacles at the ends of a substep.
#[derive(Clone, Debug, Default)]
pub(crate) struct PlacedMeshes {
    /// The times \[s\] for which the positions below hold.
    times: Option<[f64; 2]>,
    /// Positions of the vertices of all at both times \[m\], obstacle by obstacle.
    ends: [Vec<DVec3>; 2],
}

/// The motion of all that can meet over a substep: the sheet, then the obstacles.
pub(crate) struct ContactPath {
    start: Vec<DVec3>,
    end: Vec<DVec3>,
    velocities: Vec<DVec3>,
    prescribed: Vec<bool>,
    /// Time at the start, and length \[s\].
    time: f64,
    h: f64,
}

impl ContactPath {
    /// The path among obstacles in closed form.
    pub(crate) fn step<'a>(&'a self, shapes: &'a [MovingShape<'a>]) -> Step<'a> {
        let Self { start, end, velocities, prescribed, time, h } = self;
        Step { start, end, velocities, prescribed, time: *time, h: *h, shapes }
    }

    /// Lets everything that stays where it is be what cannot be moved: stopping others would carry it along with the mean of
    /// all motions.
    pub(crate) fn hold_what_stays(&mut self) {
        let ways = self.start.iter().zip(&self.end).zip(&mut self.prescribed);
        ways.for_each(|((start, end), prescribed)| *prescribed |= start == end);
    }

    /// Lets nothing be stopped.
    pub(crate) fn hold_all(&mut self) {
        self.prescribed.fill(true);
    }

    /// Whether anything cannot be stopped.
    pub(crate) fn is_pushed(&self) -> bool {
        self.prescribed.contains(&true)
    }

    /// Where a vertex is to be at the end \[m\].
    pub(crate) fn end(&self, vertex: usize) -> DVec3 {
        self.end[vertex]
    }
}

impl PlacedMeshes {
    /// Puts them where they are at two times \[s\]. What stands still is put once.
    fn place(&mut self, list: &[MeshObstacle], times: [f64; 2]) {
        if self.times == Some(times) {
            return;
        }
        let is_first = self.times.is_none();
        let mut first = 0;
        for obstacle in list {
            let range = first..first + obstacle.vertex_count();
            first = range.end;
            for (end, time) in self.ends.iter_mut().zip(times) {
                if is_first {
                    end.extend(obstacle.positions_at(time));
                } else if !obstacle.is_still() {
                    end[range.clone()].copy_from_slice(&obstacle.positions_at(time));
                }
            }
        }
        self.times = Some(times);
    }

    /// How far the farthest vertex of each moves between two times \[m\].
    pub(crate) fn longest_ways(&mut self, list: &[MeshObstacle], times: [f64; 2]) -> Vec<f64> {
        self.place(list, times);
        let [start, end] = &self.ends;
        let mut first = 0;
        let way_of = |obstacle: &MeshObstacle| {
            let range = first..first + obstacle.vertex_count();
            first = range.end;
            let ways = start[range.clone()].iter().zip(&end[range]).map(|(x, y)| x.distance_squared(*y));
            ways.fold(0.0, f64::max).sqrt()
        };
        list.iter().map(way_of).collect()
    }
}

/// The faces of all mesh obstacles at the present time \[m\].
pub(crate) fn mesh_faces(world: &World) -> Vec<[DVec3; 3]> {
    let of_mesh = |mesh: &MeshObstacle| {
        let x = mesh.positions_at(world.state.time);
        mesh.faces.iter().map(|face| face.map(|v| x[v as usize])).collect::<Vec<_>>()
    };
    world.setup.meshes.iter().flat_map(of_mesh).collect()
}

/// Whether there is anything for cloths to come to rest upon.
pub(crate) fn has_obstacles(world: &World) -> bool {
    !world.setup.obstacles.is_empty() || !world.setup.meshes.is_empty()
}

/// The way from the start of the substep to where all are to be at its end.
pub(crate) fn contact_path(world: &mut World) -> ContactPath {
    let times = [world.state.time, end_of_substep(world, world.state.last.h)];
    world.scratch.placed.place(&world.setup.meshes, times);
    let mut start = world.state.motion.positions.raw.clone();
    let mut end: Vec<DVec3> = world.scratch.rows.iter().map(|row| row.position()).collect();
    let mut prescribed = prescribed(world);
    start.extend(&world.scratch.placed.ends[0]);
    end.extend(&world.scratch.placed.ends[1]);
    prescribed.resize(end.len(), true);
    let h = world.state.last.h;
    let mut velocities = world.scratch.start_velocities.clone();
    velocities.extend(
        world.scratch.placed.ends[0].iter().zip(&world.scratch.placed.ends[1]).map(|(x, y)| (*y - *x) / h),
    );
    ContactPath { start, end, velocities, prescribed, time: world.state.time, h }
}

/// Who of the sheet cannot be stopped: what is held altogether, and what a pin moves along some axes.
fn prescribed(world: &World) -> Vec<bool> {
    let mut prescribed: Vec<bool> = world.state.motion.inverse_masses.iter().map(|w| *w == 0.0).collect();
    for guided in &world.scratch.guided {
        let moved = along_held(guided.held, guided.target, guided.start) != guided.start;
        prescribed[guided.vertex.to_usize()] |= moved;
    }
    prescribed
}

/// Positions of the vertices of the sheet, then of those of the mesh obstacles, at the present time \[m\]: what the
/// vertices of crossings refer to.
pub fn contact_positions(world: &World) -> Vec<DVec3> {
    let mut positions = world.state.motion.positions.raw.clone();
    positions.extend(world.setup.meshes.iter().flat_map(|mesh| mesh.positions_at(world.state.time)));
    positions
}

/// Whether anything in this world can cross something else: cloths each other, or an obstacle.
pub fn counts_crossings(world: &World) -> bool {
    world.derived.proximity.is_some()
}

/// Whether edges can go through faces: cloths meet each other, or mesh obstacles.
pub(crate) fn pairs_meet(world: &World) -> bool {
    world.setup.self_contact && !world.state.sheet.topology.faces.is_empty() || !world.setup.meshes.is_empty()
}

/// Edges that go through faces, exactly; `None` if neither cloths nor meshes meet in this world. Obstacles do not
/// cross each other. Vertices are those of [`World::contact_positions`].
pub(crate) fn crossings(world: &World) -> Option<Vec<Crossing>> {
    let proximity = world.derived.proximity.as_ref().filter(|_| pairs_meet(world))?;
    Some(proximity.count_crossings(&contact_positions(world)))
}
