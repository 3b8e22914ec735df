//! Grabs: pulls on material points, as by a hand.
//!
//! A grab is a spring without length at rest between a material point and a place. It pulls at the three corners of the
//! face in which the point lies, at each with the share `k w` of its stiffness `k` that the barycentric weight `w` says,
//! toward the place shifted by what lies between point and corner at the start of the substep. The shifts, weighted, add
//! up to zero, so that the force is `k (target − point)`, wherever the corners go; that they are those of the start damps
//! how the face turns. What pulls at a vertex then knows of no other vertex, and goes into its inertia: with mass `m`,
//! step `s`, prediction `x̂` and target `t`
//!
//! `m/2s² |x − x̂|² + K/2 |x − t|² = ½ (m/s² + K) |x − x*|² + const`,   `x* = (m/s² x̂ + K t) / (m/s² + K)`.
//!
//! So it is implicit under every solver that takes inertia vertex by vertex: a vertex with more mass and another
//! prediction. The matrix of projective dynamics has constant masses: it knows no grabs.

use crate::caches::Solver;
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
    /// Where it is pulled to \[m\].
    pub target: DVec3,
    /// Stiffness of the spring \[N/m\].
    pub stiffness: f64,
}

/// A grab on the present mesh.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct GrabbedFace {
    corners: [VertexIndex; 3],
    weights: [f64; 3],
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
    pub(crate) fn find_grabbed(&self, grabs: &[Grab]) -> Result<Vec<GrabbedFace>, StepError> {
        let find = |(number, grab): (usize, &Grab)| {
            if let Some(reason) = self.find_grab_defect(grab) {
                return Err(StepError::BadGrab { number, reason });
            }
            let (corners, weights) = self.find_layout_point(grab.cloth, grab.point).expect("it has faces");
            Ok(GrabbedFace { corners, weights, target: grab.target, stiffness: grab.stiffness })
        };
        grabs.iter().enumerate().map(find).collect()
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
        for face in &self.work.grabbed {
            face.corners.iter().for_each(|vi| self.sheet.history[*vi] = None);
        }
    }

    /// Moves the predictions of the grabbed vertices to where grabs and inertia would take them by themselves.
    pub(crate) fn pull_grabbed(&mut self) {
        self.work.pulls.clear();
        if self.work.grabbed.is_empty() {
            return;
        }
        let state = &self.sheet.state;
        let springs = self.work.grabbed.iter().flat_map(|face| {
            let shift = face.target - mix(gather(face.corners, &state.positions), face.weights);
            let each = face.corners.into_iter().zip(face.weights).filter(|(_, weight)| *weight > 0.0);
            each.map(move |(vi, weight)| {
                (vi.to_usize(), face.stiffness * weight, state.positions[vi] + shift)
            })
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
