//! Quadratic drag per face and per segment of a rope.
//!
//! The force on a face of area `A` and unit normal `n` is `F = ½ ρ c A |u| u n` with `u = (wind − v)·n`, a third on each
//! corner. The force on a segment of length `l` and radius `r` is that on a cylinder in cross flow, `F = ρ c r l |u| u`. Here
//! `u` is the part of `wind − v` across the segment. Half of the force acts on each end; flow along the segment exerts none.
//!
//! Under Newton's method drag is a term of the objective: `v` is the velocity at the end of the step
//! ([`taffeta_solve::drivers::newton::Drag`]). Local solvers take the force at the velocities of the start. Where the motion is
//! steady these are the velocities of the end, whether elasticity or drag bears the weight. The force would overshoot if it
//! turned the flow around within a substep `h`, as in light cloth in strong wind. It is therefore at most what stops the flow
//! past the mass `m` of the face, `m u/h`.

use crate::model::description::Air;
use crate::model::setup::Setup;
use crate::model::state::State;
use glam::DVec3;
use taffeta_core::index::DenseIndex;
use taffeta_solve::drivers::newton::Drag;

/// A face, of three vertices, or a segment of a rope, of two, that the air acts on.
#[derive(Clone, Copy, Debug, PartialEq)]
struct Exposed<const V: usize> {
    vertices: [u32; V],
    /// Unit normal of a face, unit direction of a segment; zero if it has none.
    axis: DVec3,
    /// Force per square of the flow \[kg/m\].
    coefficient: f64,
    /// Mass \[kg\].
    mass: f64,
}

impl<const V: usize> Exposed<V> {
    /// The flow `u` that acts on it \[m/s\].
    fn flow(&self, air: &Air, velocities: &[DVec3]) -> DVec3 {
        let sum: DVec3 = self.vertices.iter().map(|vertex| velocities[*vertex as usize]).sum();
        Drag::<V>::project(self.axis, air.wind - sum * Drag::<V>::SHARE)
    }

    /// Adds the force at some velocities \[m/s\], bounded for a substep of length `h` \[s\], to the vertices \[N\].
    fn add_force(&self, air: &Air, velocities: &[DVec3], h: f64, forces: &mut [DVec3]) {
        let flow = self.flow(air, velocities);
        let rate = (self.coefficient * flow.length()).min(self.mass / h);
        let share = flow * (rate * Drag::<V>::SHARE);
        self.vertices.iter().for_each(|vertex| forces[*vertex as usize] += share);
    }

    /// Its term in a step `v = (x − X)/s` from bases `X` \[m\] with scales `s` \[s\]. Where the scales of its vertices
    /// differ their mean counts.
    fn term(&self, air: &Air, bases: &[DVec3], scales: &[f64]) -> Drag<V> {
        let each = || self.vertices.iter().map(|vertex| *vertex as usize);
        let scale = each().map(|vertex| scales[vertex]).sum::<f64>() * Drag::<V>::SHARE;
        let base = each().map(|vertex| bases[vertex]).sum::<DVec3>() * Drag::<V>::SHARE;
        Drag {
            vertices: self.vertices,
            axis: self.axis,
            coefficient: self.coefficient / (scale * scale),
            target: base + air.wind * scale,
        }
    }
}

/// All that the air acts on: faces in their order, and segments.
pub(crate) struct Surfaces {
    air: Air,
    faces: Vec<Exposed<3>>,
    segments: Vec<Exposed<2>>,
}

impl Surfaces {
    /// Adds the forces at some velocities \[m/s\], bounded for a substep of length `h` \[s\], to the vertices \[N\].
    pub(crate) fn add_forces(&self, velocities: &[DVec3], h: f64, forces: &mut [DVec3]) {
        self.faces.iter().for_each(|face| face.add_force(&self.air, velocities, h, forces));
        self.segments.iter().for_each(|segment| segment.add_force(&self.air, velocities, h, forces));
    }

    /// The terms of faces and segments in a step from bases \[m\] with scales \[s\].
    pub(crate) fn terms(&self, bases: &[DVec3], scales: &[f64]) -> (Vec<Drag<3>>, Vec<Drag<2>>) {
        let of_faces = self.faces.iter().map(|face| face.term(&self.air, bases, scales));
        let of_segments = self.segments.iter().map(|segment| segment.term(&self.air, bases, scales));
        (of_faces.collect(), of_segments.collect())
    }

    /// Mean size of the acceleration by drag \[m/s²\].
    pub(crate) fn mean_acceleration(&self, velocities: &[DVec3]) -> f64 {
        let size = |flow: DVec3, coefficient: f64, mass: f64| coefficient * flow.length_squared() / mass;
        let of_faces =
            self.faces.iter().map(|face| size(face.flow(&self.air, velocities), face.coefficient, face.mass));
        let of_segments = self
            .segments
            .iter()
            .map(|segment| size(segment.flow(&self.air, velocities), segment.coefficient, segment.mass));
        of_faces.chain(of_segments).sum::<f64>() / (self.faces.len() + self.segments.len()).max(1) as f64
    }
}

/// Faces and segments in air, with areas and lengths as they are and directions as they are at positions `x` \[m\].
pub(crate) fn exposed(setup: &Setup, state: &State, air: Air, x: &[DVec3]) -> Surfaces {
    let (rest, now) = (&state.motion.rest, &state.motion.positions.raw);
    let doubled = |[a, b, c]: [DVec3; 3]| (b - a).cross(c - a);
    let face = |(fi, corners): (_, &[taffeta_core::VertexIndex; 3])| {
        let at = |x: &[DVec3]| doubled(corners.map(|vi| x[vi.to_usize()]));
        Exposed {
            vertices: corners.map(|vi| vi.0),
            axis: at(x).normalize_or_zero(),
            coefficient: 0.25 * air.density * air.drag * at(now).length(),
            mass: setup.cloths[rest.cloths[fi] as usize].material.density * rest.areas[fi],
        }
    };
    let faces = state.sheet.topology.faces.iter_indexed().map(face).collect();
    Surfaces { air, faces, segments: exposed_segments(setup, state, air, x) }
}

/// The segments of all ropes, without those to guides.
fn exposed_segments(setup: &Setup, state: &State, air: Air, x: &[DVec3]) -> Vec<Exposed<2>> {
    let now = &state.motion.positions.raw;
    let mut segments = Vec::new();
    for (number, body) in setup.bodies.iter().enumerate() {
        let Some(model) = &body.rope else { continue };
        let start = state.sheet.vertex_range((setup.cloths.len() + number) as u32).start;
        segments.extend(model.visible().skip(1).map(|end| {
            let ends = [start + end - 1, start + end];
            let length = now[ends[0]].distance(now[ends[1]]);
            Exposed {
                vertices: ends.map(|vertex| vertex as u32),
                axis: (x[ends[1]] - x[ends[0]]).normalize_or_zero(),
                coefficient: air.density * air.drag * body.radius * length,
                mass: model.material.density * model.segment_length(end - 1),
            }
        }));
    }
    segments
}
