//! The load of faces and, averaged over a disk of the material, of vertices.

use crate::derive::solver_facts::can_tear;
use crate::derive::world::World;
use crate::features::tearing::rules::EXCLUSION;
use crate::measure::fields::face_strain_tensor;
use crate::model::state::State;
use glam::DVec2;
use std::collections::VecDeque;
use std::f64::consts::PI;
use taffeta_core::index::DenseIndex;
use taffeta_core::math::{Sym2, atan2};
use taffeta_core::{FaceIndex, VertexIndex};
use taffeta_mesh::VertexKey;
use taffeta_solve::buckling::elastic_strain;
use taffeta_solve::{Tearing, membrane_stress};

/// Angle of the cloth at a boundary vertex from which on it is a tip \[rad\]: between the boundary as it may wind and the
/// corner of a square hole.
const TIP_ANGLE: f64 = 1.25 * PI;

/// Least radius of the disk, relative to the distances of the middles of the faces at its vertex. On a mesh that is too coarse
/// for the length of the material the mean is that of these faces.
const LEAST_REACH: f64 = 1.5;

/// Radius of the disk from which the direction of a tear follows, relative to that from which its load does.
const DIRECTION_REACH: f64 = 2.0;

/// A vertex at which the load exceeds 1.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Overload {
    pub cloth: u32,
    pub vertex: VertexKey,
    pub at: Place,
    pub load: f64,
    /// Normal of the line along which the cloth gives way, in material space.
    pub normal: DVec2,
    /// True if the vertex is the tip of a tear or of a notch.
    pub is_tip: bool,
}

/// A vertex where the boundary turns back: the end of a tear, of a slit, of a notch.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Tip {
    pub cloth: u32,
    pub vertex: VertexIndex,
    pub at: Place,
}

/// A place in the material of a cloth.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Place {
    /// Panels may lie on each other in their charts.
    panel: u32,
    /// \[m\].
    coord: DVec2,
}

impl Place {
    /// Returns whether another place is on the same panel and nearer than a length \[m\].
    pub(crate) fn is_near(&self, other: &Self, length: f64) -> bool {
        self.panel == other.panel && self.coord.distance(other.coord) < length
    }
}

/// The stress of each face relative to the strength of its cloth, in its chart; zero where cloth does not tear.
pub(crate) fn face_loads(world: &World) -> Vec<Sym2> {
    let stiffness = world.setup.cloths.iter().map(|cloth| {
        let model = cloth.model_under(world.derived.choice);
        let inverse = model.material.membrane_compliance().try_inverse();
        model.material.tearing.map(|tearing| (tearing, inverse.expect("the compliance was checked"), model))
    });
    let stiffness: Vec<_> = stiffness.collect();
    let load = |(fi, cloth): (FaceIndex, &u32)| match &stiffness[*cloth as usize] {
        Some((tearing, stiffness, model)) => {
            let critical = model.critical_stress(world.state.motion.rest.hat_gradients(fi));
            let green = face_strain_tensor(world, fi);
            let strain = elastic_strain(stiffness, critical, &green);
            // What stiffens cloth knows nothing of wrinkles.
            let stiffening = model.material.stiffening().map(|law| law.respond(&green)).unwrap_or_default();
            tearing.load(&membrane_stress(stiffness, &strain, stiffening))
        }
        None => Sym2::default(),
    };
    world.state.motion.rest.cloths.iter_indexed().map(load).collect()
}

/// Finds the places at which cloths are overloaded and may tear in one go. Tips come first, in the order of their load, each
/// with some distance from the others. Vertices at which a tear can begin follow, by their load.
pub(crate) fn find_overloads(world: &World) -> Vec<Overload> {
    if !can_tear(world.facts()) {
        return Vec::new();
    }
    let loads = face_loads(world);
    let mut is_near = vec![false; world.state.sheet.topology.vertex_count];
    for (fi, corners) in world.state.sheet.topology.faces.iter_indexed() {
        let tearing = world.setup.cloths[world.state.motion.rest.cloths[fi] as usize].tearing();
        // A mean exceeds 1 only where a face does.
        if tearing.is_some_and(|tearing| tearing.worst(&loads[fi.to_usize()]).0 > 1.0) {
            corners.iter().for_each(|vi| is_near[vi.to_usize()] = true);
        }
    }
    let mut recovery = Recovery { world, loads: &loads, seen: vec![0; loads.len()], round: 0 };
    let near = world.state.sheet.topology.vertices().filter(|vi| is_near[vi.to_usize()]);
    let mut found: Vec<Overload> = near.filter_map(|vi| recovery.overload_of(vi)).collect();
    if found.is_empty() {
        return found;
    }
    found.sort_by(|a, b| b.is_tip.cmp(&a.is_tip).then(b.load.total_cmp(&a.load)));
    let tips = find_tips(world);
    let mut taken: Vec<Overload> = Vec::new();
    for overload in found {
        let reach = EXCLUSION * tearing_of(world, overload.cloth).length;
        let is_close =
            |(cloth, at): (u32, &Place)| cloth == overload.cloth && at.is_near(&overload.at, reach);
        let beside_tip = !overload.is_tip && tips.iter().any(|tip| is_close((tip.cloth, &tip.at)));
        if !beside_tip && !taken.iter().any(|other| is_close((other.cloth, &other.at))) {
            taken.push(overload);
        }
    }
    taken
}

pub(crate) fn tearing_of(world: &World, cloth: u32) -> &Tearing {
    world.setup.cloths[cloth as usize].tearing().expect("only cloths that tear are asked")
}

/// The tips of the cloths that tear.
pub(crate) fn find_tips(world: &World) -> Vec<Tip> {
    let sheet = &world.state.sheet;
    let tears =
        |cloth: u32| world.setup.cloths.get(cloth as usize).is_some_and(|cloth| cloth.tearing().is_some());
    let surface = sheet.topology.vertices().take(sheet.topology.surface_vertex_count());
    surface
        .filter(|vi| tears(sheet.vertex_cloths[*vi]) && is_tip(world, *vi))
        .filter_map(|vi| Some(Tip { cloth: sheet.vertex_cloths[vi], vertex: vi, at: place_of(world, vi)? }))
        .collect()
}

/// The place of a vertex in the material; `None`: it lies on a seam.
pub(crate) fn place_of(world: &World, vi: VertexIndex) -> Option<Place> {
    let (topology, rest) = (&world.state.sheet.topology, &world.state.motion.rest);
    let panel = world.state.sheet.panels[*topology.faces_around(vi).first()?];
    let mut coords = topology.faces_around(vi).iter().map(|fi| {
        let k = corner_of(topology.faces[*fi], vi);
        rest.corners[*fi][k]
    });
    let first = coords.next()?;
    coords.all(|coord| coord == first).then_some(Place { panel, coord: first })
}

/// Returns whether the boundary turns back at a vertex.
fn is_tip(world: &World, vi: VertexIndex) -> bool {
    let (topology, rest) = (&world.state.sheet.topology, &world.state.motion.rest);
    let (mut angle, mut is_boundary) = (0.0, false);
    for fi in topology.faces_around(vi) {
        let k = corner_of(topology.faces[*fi], vi);
        let corners = rest.corners[*fi];
        let (a, b) = (corners[(k + 1) % 3] - corners[k], corners[(k + 2) % 3] - corners[k]);
        angle += atan2(a.perp_dot(b), a.dot(b));
        // Its edges there are those that begin and end at the corner.
        let edges = [topology.face_edges[*fi][k], topology.face_edges[*fi][(k + 2) % 3]];
        is_boundary |= edges.iter().any(|ei| topology.edges[*ei].is_boundary());
    }
    is_boundary && angle > TIP_ANGLE
}

fn corner_of(corners: [VertexIndex; 3], vi: VertexIndex) -> usize {
    corners.iter().position(|corner| *corner == vi).expect("a corner of the face")
}

/// Means over disks.
struct Recovery<'a> {
    world: &'a World,
    loads: &'a [Sym2],
    /// The last disk that each face was looked at for.
    seen: Vec<u32>,
    round: u32,
}

impl Recovery<'_> {
    /// The overload of a vertex, unless it bears its load. What pins hold, what lies on a seam and what is being sewn does not
    /// tear.
    fn overload_of(&mut self, vi: VertexIndex) -> Option<Overload> {
        let State { sheet, motion, .. } = &self.world.state;
        let (key, cloth) = (sheet.vertex_keys()[vi], sheet.vertex_cloths[vi]);
        if motion.vertex_pins[vi].is_some() || sheet.sewing.pairs_with_threads().flatten().any(|v| *v == key)
        {
            return None;
        }
        let at = place_of(self.world, vi)?;
        let tearing = tearing_of(self.world, cloth);
        let (load, _) = tearing.worst(&self.mean_load(vi, at.coord, tearing.length));
        if load.is_nan() || load <= 1.0 {
            return None;
        }
        // Few faces say how much; it takes more of them to say whither.
        let (_, normal) = tearing.worst(&self.mean_load(vi, at.coord, DIRECTION_REACH * tearing.length));
        Some(Overload { cloth, vertex: key, at, load, normal, is_tip: is_tip(self.world, vi) })
    }

    /// The mean of the load over the disk of radius `length` \[m\] around a vertex, with weights `1 − r²/length²`. It does not
    /// reach over tears, the boundary or seams.
    fn mean_load(&mut self, vi: VertexIndex, at: DVec2, length: f64) -> Sym2 {
        let (topology, rest) = (&self.world.state.sheet.topology, &self.world.state.motion.rest);
        self.round += 1;
        let distance = |fi: FaceIndex| {
            let [a, b, c] = rest.corners[fi];
            ((a + b + c) / 3.0).distance(at)
        };
        let fan = topology.faces_around(vi);
        let least = fan.iter().map(|fi| distance(*fi)).fold(0.0, f64::max);
        let reach = length.max(LEAST_REACH * least);
        let mut queue: VecDeque<FaceIndex> = fan.iter().copied().collect();
        fan.iter().for_each(|fi| self.seen[fi.to_usize()] = self.round);
        let (mut sum, mut weights) = (Sym2::default(), 0.0);
        while let Some(fi) = queue.pop_front() {
            let part = distance(fi) / reach;
            let weight = rest.areas[fi] * (1.0 - part * part);
            sum = sum.plus(weight, &self.loads[fi.to_usize()]);
            weights += weight;
            for ei in topology.face_edges[fi] {
                let edge = &topology.edges[ei];
                let Some(next) = edge.faces.into_iter().flatten().find(|other| *other != fi) else {
                    continue;
                };
                let seen = &mut self.seen[next.to_usize()];
                let agree = |end: &VertexIndex| {
                    let coord = |fi: FaceIndex| rest.corners[fi][corner_of(topology.faces[fi], *end)];
                    coord(fi) == coord(next)
                };
                if *seen != self.round && distance(next) < reach && edge.vertices.iter().all(agree) {
                    *seen = self.round;
                    queue.push_back(next);
                }
            }
        }
        Sym2::default().plus(1.0 / weights, &sum)
    }
}
