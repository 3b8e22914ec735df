//! The obstacles made of triangles: where they stand, as those need it who compare them with the cloths.
//!
//! Their vertices come after those of the sheet. Within a substep they move on straight lines; where they are at its ends
//! follows from the time alone, so that nothing of it is part of a checkpoint.

use crate::pins::along_held;
use crate::report::SubstepPlan;
use crate::world::World;
use glam::DVec3;
use taffeta_contact::MeshObstacle;
use taffeta_contact::boxes::Aabb;
use taffeta_contact::crossings::Crossing;
use taffeta_contact::guard::MovingShape;
use taffeta_contact::proximity::Step;
use taffeta_core::index::DenseIndex;

/// The mesh obstacles of a world.
#[derive(Clone, Debug, Default)]
pub(crate) struct MeshObstacles {
    pub list: Vec<MeshObstacle>,
    /// The times \[s\] for which the positions below hold: those of a substep.
    times: Option<[f64; 2]>,
    /// Positions of the vertices of all at both times \[m\], obstacle by obstacle.
    ends: [Vec<DVec3>; 2],
}

/// The motion of all that can meet over a substep: the sheet, then the obstacles.
pub(crate) struct ContactPath {
    start: Vec<DVec3>,
    end: Vec<DVec3>,
    prescribed: Vec<bool>,
    /// Time at the start, and length \[s\].
    time: f64,
    h: f64,
}

impl ContactPath {
    /// The path among obstacles in closed form.
    pub fn step<'a>(&'a self, shapes: &'a [MovingShape<'a>]) -> Step<'a> {
        let Self { start, end, prescribed, time, h } = self;
        Step { start, end, prescribed, time: *time, h: *h, shapes }
    }

    /// Whether anything cannot be stopped.
    pub fn is_pushed(&self) -> bool {
        self.prescribed.contains(&true)
    }

    /// Where a vertex is to be at the end \[m\].
    pub fn end(&self, vertex: usize) -> DVec3 {
        self.end[vertex]
    }
}

impl MeshObstacles {
    pub fn new(list: Vec<MeshObstacle>) -> Self {
        Self { list, ..Self::default() }
    }

    /// Puts them where they are at two times \[s\]. What stands still is put once.
    fn place(&mut self, times: [f64; 2]) {
        if self.times == Some(times) {
            return;
        }
        let is_first = self.times.is_none();
        let mut first = 0;
        for obstacle in &self.list {
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
}

/// The part of the mean edge of the cloths by which a mesh obstacle may move in a substep. The contacts of a substep are
/// found where primitives first touch; a plate that moves by more than an edge is met by others on its way.
const STRIDE: f64 = 0.25;
/// Substeps that moving meshes ask for at most: a body at 50 m/s moves by 2 mm.
const MOST_SUBSTEPS: f64 = 400.0;
/// Parts of a step in which the speed of a mesh is measured: it may move in some of them only.
const LOOKS: u32 = 8;

impl World {
    /// Takes more substeps, unless the scene says how many, where a mesh moves fast near a cloth.
    pub(crate) fn follow_meshes(&self, plan: SubstepPlan, dt: f64) -> SubstepPlan {
        if self.settings.substeps.is_some() {
            return plan;
        }
        let end = if self.work.stands_still { self.time } else { self.time + dt };
        let moving = self.meshes.list.iter().filter(|mesh| !mesh.stands_between(self.time, end));
        let way = moving.map(|mesh| self.way_near_cloths(mesh, dt)).fold(0.0, f64::max);
        let asked = (way / (STRIDE * self.mean_edge())).min(MOST_SUBSTEPS).ceil();
        SubstepPlan { substeps: plan.substeps.max(asked as u32), ..plan }
    }

    /// How far any vertex of a mesh would move in a step at its greatest speed \[m\]; 0 if no cloth is near its way.
    fn way_near_cloths(&self, mesh: &MeshObstacle, dt: f64) -> f64 {
        let looks: Vec<Vec<DVec3>> = (0..=LOOKS)
            .map(|k| mesh.positions_at(self.time + dt * f64::from(k) / f64::from(LOOKS)))
            .collect();
        let area = Aabb::around(looks.iter().flatten().copied());
        let state = &self.sheet.state;
        let speed = state.velocities.iter().map(|v| v.length_squared()).fold(0.0, f64::max).sqrt();
        let cloths = Aabb::around(state.positions.iter().copied());
        if !cloths.inflated(speed * dt + self.mean_edge()).overlaps(&area) {
            return 0.0;
        }
        let paths = looks.windows(2).flat_map(|pair| pair[0].iter().zip(&pair[1]));
        let farthest = paths.map(|(x, y)| x.distance_squared(*y)).fold(0.0, f64::max).sqrt();
        farthest * f64::from(LOOKS)
    }

    /// The mean length of the edges of all cloths \[m\]; infinite if there are none.
    fn mean_edge(&self) -> f64 {
        let (x, edges) = (&self.sheet.state.positions, &self.sheet.topology.edges);
        let lengths = edges.iter().map(|edge| x[edge.vertices[0]].distance(x[edge.vertices[1]]));
        match edges.len() {
            0 => f64::INFINITY,
            count => lengths.sum::<f64>() / count as f64,
        }
    }

    /// The obstacles that are made of triangles.
    pub fn mesh_obstacles(&self) -> &[MeshObstacle] {
        &self.meshes.list
    }

    /// The faces of all mesh obstacles at the present time \[m\].
    pub(crate) fn mesh_faces(&self) -> Vec<[DVec3; 3]> {
        let of_mesh = |mesh: &MeshObstacle| {
            let x = mesh.positions_at(self.time);
            mesh.faces.iter().map(|face| face.map(|v| x[v as usize])).collect::<Vec<_>>()
        };
        self.meshes.list.iter().flat_map(of_mesh).collect()
    }

    /// Whether there is anything for cloths to come to rest upon.
    pub(crate) fn has_obstacles(&self) -> bool {
        !self.obstacles.is_empty() || !self.meshes.list.is_empty()
    }

    /// The way from the start of the substep to where all are to be at its end.
    pub(crate) fn contact_path(&mut self) -> ContactPath {
        let times = [self.time, self.end_of_substep(self.work.h)];
        self.meshes.place(times);
        let mut start = self.sheet.state.positions.raw.clone();
        let mut end: Vec<DVec3> = self.work.rows.iter().map(|row| row.position()).collect();
        let mut prescribed = self.prescribed();
        start.extend(&self.meshes.ends[0]);
        end.extend(&self.meshes.ends[1]);
        prescribed.resize(end.len(), true);
        ContactPath { start, end, prescribed, time: self.time, h: self.work.h }
    }

    /// Who of the sheet cannot be stopped: what is held altogether, and what a pin moves along some axes.
    fn prescribed(&self) -> Vec<bool> {
        let mut prescribed: Vec<bool> = self.sheet.state.inverse_masses.iter().map(|w| *w == 0.0).collect();
        for guided in &self.work.guided {
            let moved = along_held(guided.held, guided.target, guided.start) != guided.start;
            prescribed[guided.vertex.to_usize()] |= moved;
        }
        prescribed
    }

    /// Positions of the vertices of the sheet, then of those of the mesh obstacles, at the present time \[m\]: what the
    /// vertices of crossings refer to.
    pub fn contact_positions(&self) -> Vec<DVec3> {
        let mut positions = self.sheet.state.positions.raw.clone();
        positions.extend(self.meshes.list.iter().flat_map(|mesh| mesh.positions_at(self.time)));
        positions
    }

    /// Whether crossings can be counted in this world: cloths meet each other, or mesh obstacles.
    pub fn counts_crossings(&self) -> bool {
        self.caches.proximity.is_some()
    }

    /// Edges that go through faces, exactly; `None` if neither cloths nor meshes meet in this world. Obstacles do not
    /// cross each other. Vertices are those of [`World::contact_positions`].
    pub fn crossings(&self) -> Option<Vec<Crossing>> {
        let proximity = self.caches.proximity.as_ref()?;
        Some(self.in_threads(|| proximity.count_crossings(&self.contact_positions())))
    }
}
