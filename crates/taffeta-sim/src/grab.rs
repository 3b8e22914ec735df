//! Grabs: pulls on material points, as by a hand.
//!
//! A grab is a spring without length at rest between a place and what it holds: a material point, or the middle of a patch
//! of cloth around it. It pulls at the vertices there, at each with a share `k w` of its stiffness `k`, where the weights `w`
//! add up to 1, toward the place shifted by what lies between middle and vertex at the start of the substep. The shifts,
//! weighted, add up to zero, so that the force is `k (target − middle)`, wherever the vertices go; that they are those of the
//! start damps how the patch turns. The weights of a point are the barycentric ones in its face. Those of a patch of radius
//! `r` are `m (1 − d²/r²)²` at the distance `d` in the layout, with the masses `m`, so that they do not depend on the mesh: a
//! pull at a point makes a spike of the size of a face. What pulls at a vertex then knows of no other vertex, and goes into its inertia: with mass `m`,
//! step `s`, prediction `x̂` and target `t`
//!
//! `m/2s² |x − x̂|² + K/2 |x − t|² = ½ (m/s² + K) |x − x*|² + const`,   `x* = (m/s² x̂ + K t) / (m/s² + K)`.
//!
//! So it is implicit under every solver that takes inertia vertex by vertex: a vertex with more mass and another
//! prediction. The matrix of projective dynamics has constant masses: it knows no grabs.

use crate::caches::Solver;
use crate::frozen::Frozen;
use crate::pins::along_held;
use crate::step::StepError;
use crate::world::World;
use glam::DVec3;
use taffeta_core::geometry::closest_point_on_triangle;
use taffeta_core::index::DenseIndex;
use taffeta_core::{FaceIndex, VertexIndex};
use taffeta_solve::block::gather;

/// Distance from the origin beyond which nothing is pulled \[m\].
const FARTHEST_TARGET: f64 = 1e6;

/// A pull on a material point of a cloth toward a place, for one step.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Grab {
    /// Number of the cloth; the surfaces of solids come last.
    pub cloth: usize,
    /// The material point by its place in the layout of the cloth \[m\], see [`Frozen::layout`](crate::Frozen::layout): its
    /// material coordinates and 0, or where it was at time 0 if no single chart lays out the cloth. A point off the layout
    /// is taken to the nearest one on it. It names the same point of the cloth after remeshing.
    pub point: DVec3,
    /// Radius of the patch around it that is held, in the layout \[m\]; 0, or less than there are vertices for: the point.
    pub radius: f64,
    /// Where it is pulled to \[m\].
    pub target: DVec3,
    /// Stiffness of the spring \[N/m\].
    pub stiffness: f64,
}

/// A grab on the present mesh.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct GrabbedPatch {
    /// Vertices with their weights.
    vertices: Vec<(VertexIndex, f64)>,
    target: DVec3,
    stiffness: f64,
}

/// What grabs do to a vertex in a substep.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Pull {
    /// The vertex.
    pub vertex: usize,
    /// Stiffness of all its springs together \[N/m\].
    pub stiffness: f64,
    /// Where it would go without them \[m\].
    pub free: DVec3,
}

impl World {
    /// The face of a cloth and the weights of its corners where a point of the layout \[m\] is nearest, with the lowest
    /// number of those that are equally near. `None`: the cloth has no faces.
    ///
    /// # Panics
    /// If there is no cloth of that number.
    pub fn find_layout_point(&self, cloth: usize, point: DVec3) -> Option<([VertexIndex; 3], [f64; 3])> {
        assert!(cloth < self.cloths.len(), "there is no cloth {cloth}");
        let mut best: Option<(f64, FaceIndex, [f64; 3])> = None;
        for fi in self.sheet.faces_of(cloth as u32) {
            let corners = gather(self.sheet.topology.faces[fi], &self.sheet.layout);
            let weights = closest_point_on_triangle(point, corners);
            let distance = mix(corners, weights).distance_squared(point);
            if best.is_none_or(|(nearest, ..)| distance < nearest) {
                best = Some((distance, fi, weights));
            }
        }
        best.map(|(_, fi, weights)| (self.sheet.topology.faces[fi], weights))
    }

    /// Where the point of the layout \[m\] of a cloth is in the world now \[m\].
    ///
    /// # Panics
    /// If there is no cloth of that number.
    pub fn find_layout_position(&self, cloth: usize, point: DVec3) -> Option<DVec3> {
        let (corners, weights) = self.find_layout_point(cloth, point)?;
        Some(mix(gather(corners, &self.sheet.state.positions), weights))
    }

    /// Finds the grabs of a step on the present mesh.
    pub(crate) fn find_grabbed(&self, grabs: &[Grab]) -> Result<Vec<GrabbedPatch>, StepError> {
        let find = |(number, grab): (usize, &Grab)| {
            if let Some(reason) = self.find_grab_defect(grab) {
                return Err(StepError::BadGrab { number, reason });
            }
            let vertices = self.find_patch(grab);
            Ok(GrabbedPatch { vertices, target: grab.target, stiffness: grab.stiffness })
        };
        grabs.iter().enumerate().map(find).collect()
    }

    /// The vertices that a grab holds, with their weights.
    fn find_patch(&self, grab: &Grab) -> Vec<(VertexIndex, f64)> {
        let Frozen { layout, state, .. } = &self.sheet;
        let found = self.find_layout_point(grab.cloth, grab.point);
        let (corners, weights) = found.expect("a cloth that can be grabbed has faces");
        let middle = mix(gather(corners, layout), weights);
        let weight = |i: usize| {
            let part = layout.raw[i].distance_squared(middle) / (grab.radius * grab.radius);
            // Not a number for a patch without radius.
            let fades = if part < 1.0 { (1.0 - part) * (1.0 - part) } else { 0.0 };
            (VertexIndex::from_usize(i), state.masses.raw[i] * fades)
        };
        let mut patch: Vec<_> =
            self.sheet.vertex_range(grab.cloth as u32).map(weight).filter(|(_, w)| *w > 0.0).collect();
        if patch.len() <= corners.len() {
            return corners.into_iter().zip(weights).filter(|(_, weight)| *weight > 0.0).collect();
        }
        let sum: f64 = patch.iter().map(|(_, weight)| *weight).sum();
        patch.iter_mut().for_each(|(_, weight)| *weight /= sum);
        patch
    }

    /// What is wrong with a grab, in words.
    fn find_grab_defect(&self, grab: &Grab) -> Option<String> {
        if matches!(self.caches.solver, Solver::Projective(_)) {
            return Some("the solver projective knows no grabs: pin the cloth instead".into());
        }
        if grab.cloth >= self.cloths.len() {
            return Some(format!("there is no cloth {}; there are {}", grab.cloth, self.cloths.len()));
        }
        if self.sheet.faces_of(grab.cloth as u32).next().is_none() {
            return Some(format!("cloth {} has no faces", grab.cloth));
        }
        if !(grab.stiffness.is_finite() && grab.stiffness > 0.0) {
            return Some(format!("its stiffness is {} N/m; it must be greater than 0", grab.stiffness));
        }
        if !(grab.radius.is_finite() && grab.radius >= 0.0) {
            return Some(format!("its radius is {} m; it must be at least 0", grab.radius));
        }
        let is_near = grab.target.is_finite() && grab.target.abs().max_element() <= FARTHEST_TARGET;
        (!grab.point.is_finite() || !is_near).then(|| {
            format!(
                "point {} and target {} must be finite, and not farther than 1000 km",
                grab.point, grab.target
            )
        })
    }

    /// Lets the grabbed vertices start anew: what pulls at them jumps, and a stiff spring needs implicit Euler.
    pub(crate) fn forget_grabbed(&mut self) {
        for (vi, _) in self.work.grabbed.iter().flat_map(|patch| &patch.vertices) {
            self.sheet.history[*vi] = None;
        }
    }

    /// Moves the predictions of the grabbed vertices to where grabs and inertia would take them by themselves.
    pub(crate) fn pull_grabbed(&mut self) {
        self.work.pulls.clear();
        if self.work.grabbed.is_empty() {
            return;
        }
        let state = &self.sheet.state;
        let springs = self.work.grabbed.iter().flat_map(|patch| {
            let middle: DVec3 =
                patch.vertices.iter().map(|(vi, weight)| state.positions[*vi] * *weight).sum();
            let shift = patch.target - middle;
            let spring = move |(vi, weight): &(VertexIndex, f64)| {
                (vi.to_usize(), patch.stiffness * weight, state.positions[*vi] + shift)
            };
            patch.vertices.iter().map(spring)
        });
        let mut springs: Vec<(usize, f64, DVec3)> = springs.collect();
        springs.sort_by_key(|(vertex, ..)| *vertex);
        let work = &mut self.work;
        for springs in springs.chunk_by(|a, b| a.0 == b.0) {
            let vertex = springs[0].0;
            if state.inverse_masses.raw[vertex] == 0.0 {
                continue;
            }
            let stiffness: f64 = springs.iter().map(|(_, k, _)| *k).sum();
            let toward: DVec3 = springs.iter().map(|(_, k, target)| *target * *k).sum();
            let inertia = state.masses.raw[vertex] / (work.scales[vertex] * work.scales[vertex]);
            let row = &mut work.rows[vertex];
            let free = row.position();
            let pulled = (free * inertia + toward) / (inertia + stiffness);
            row.position = along_held(state.held.raw[vertex], free, pulled).to_array();
            row.inverse_mass = inertia / (inertia + stiffness) * state.inverse_masses.raw[vertex];
            work.pulls.push(Pull { vertex, stiffness, free });
        }
    }

    /// Gives the grabbed vertices their own masses back.
    pub(crate) fn settle_grabbed(&mut self) {
        for pull in &self.work.pulls {
            self.work.rows[pull.vertex].inverse_mass = self.sheet.state.inverse_masses.raw[pull.vertex];
        }
    }
}

/// The point of a triangle by its weights.
fn mix(corners: [DVec3; 3], weights: [f64; 3]) -> DVec3 {
    corners.iter().zip(weights).map(|(x, w)| *x * w).sum()
}
