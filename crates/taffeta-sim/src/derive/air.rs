//! Quadratic drag per face and per segment of a rope.
//!
//! The force on a face of area `A` and unit normal `n` is `F = ½ ρ c A |u| u n` with `u = (wind − v)·n`, a third on each
//! corner. The force on a segment of length `l` and radius `r` is that on a cylinder in cross flow, `F = ρ c r l |u| u`. Here
//! `u` is the part of `wind − v` across the segment. Half of the force acts on each end; flow along the segment exerts none.
//!
//! Both depend on the square of the velocity. Explicit integration would blow up for light cloth in strong wind. `u̇ = −k u|u|`
//! has the exact solution `u(h) = u / (1 + k h |u|)`, which is used instead and cannot overshoot.

use crate::derive::bodies::rope_bodies;
use crate::derive::world::World;
use crate::model::description::Air;
use glam::DVec3;
use taffeta_core::{FaceIndex, IndexVec, VertexIndex};
use taffeta_solve::RestShape;

/// Faces, positions and velocities that the air acts on.
pub(crate) struct Exposed<'a> {
    /// Corners of the faces.
    pub faces: &'a IndexVec<FaceIndex, [VertexIndex; 3]>,
    /// Rest shape, for the masses of faces.
    pub rest: &'a RestShape,
    /// Areal density of each cloth \[kg/m²\].
    pub densities: &'a [f64],
    /// The segments of ropes.
    pub segments: Vec<Segment>,
    /// Positions \[m\].
    pub positions: &'a [DVec3],
}

/// A segment of a rope.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Segment {
    /// The vertex at which it begins; the next one ends it.
    first: usize,
    /// Mass \[kg\].
    mass: f64,
    /// Radius \[m\].
    radius: f64,
}

/// The segments of all ropes, without those to guides.
pub(crate) fn exposed_segments(world: &World) -> Vec<Segment> {
    let mut segments = Vec::new();
    for (number, body) in rope_bodies(world) {
        let Some(model) = &body.rope else { continue };
        let start = world.state.sheet.vertex_range((world.setup.cloths.len() + number) as u32).start;
        segments.extend(model.visible().skip(1).map(|end| Segment {
            first: start + end - 1,
            mass: model.material.density * model.segment_length(end - 1),
            radius: body.radius,
        }));
    }
    segments
}

/// Bodies and surfaces that the air acts on.
pub(crate) fn exposed<'a>(world: &'a World, densities: &'a [f64]) -> Exposed<'a> {
    Exposed {
        faces: &world.state.sheet.topology.faces,
        rest: &world.state.motion.rest,
        densities,
        segments: exposed_segments(world),
        positions: &world.state.motion.positions,
    }
}

/// Areal densities of the cloths \[kg/m²\].
pub(crate) fn densities(world: &World) -> Vec<f64> {
    world.setup.cloths.iter().map(|c| c.model.material.density).collect()
}

impl Exposed<'_> {
    /// Change of the velocity of one segment across it over a time `h` \[s\].
    fn change_across(&self, air: &Air, segment: &Segment, velocities: &[DVec3], h: f64) -> DVec3 {
        let ends = [segment.first, segment.first + 1];
        let [a, b] = ends.map(|i| self.positions[i]);
        let v = (velocities[ends[0]] + velocities[ends[1]]) * 0.5;
        let length = a.distance(b);
        let u = (air.wind - v).reject_from_normalized((b - a).normalize_or_zero());
        let rate = air.density * air.drag * segment.radius * length / segment.mass;
        u - u / (1.0 + rate * h * u.length())
    }

    /// Change of the velocity of one face along its normal over a time `h` \[s\].
    fn velocity_change(
        &self,
        air: &Air,
        (fi, corners): (FaceIndex, &[VertexIndex; 3]),
        v: DVec3,
        h: f64,
    ) -> DVec3 {
        let [a, b, c] = corners.map(|vi| self.positions[vi.0 as usize]);
        let doubled = (b - a).cross(c - a);
        let length = doubled.length();
        if length == 0.0 {
            return DVec3::ZERO;
        }
        let normal = doubled / length;
        let u = (air.wind - v).dot(normal);
        let mass = self.densities[self.rest.cloths[fi] as usize] * self.rest.areas[fi];
        let rate = 0.5 * air.density * air.drag * (0.5 * length) / mass;
        normal * (u - u / (1.0 + rate * h * u.abs()))
    }

    /// Adds the impulses \[N·s\] of the drag over a time `h` \[s\] at the given velocities \[m/s\].
    pub(crate) fn add_drag(&self, air: &Air, velocities: &[DVec3], h: f64, impulses: &mut [DVec3]) {
        for (fi, corners) in self.faces.iter_indexed() {
            let v = corners.iter().map(|vi| velocities[vi.0 as usize]).sum::<DVec3>() / 3.0;
            let change = self.velocity_change(air, (fi, corners), v, h);
            let third = self.densities[self.rest.cloths[fi] as usize] * self.rest.areas[fi] / 3.0;
            corners.iter().for_each(|vi| impulses[vi.0 as usize] += change * third);
        }
        for segment in &self.segments {
            let half = self.change_across(air, segment, velocities, h) * (0.5 * segment.mass);
            impulses[segment.first..segment.first + 2].iter_mut().for_each(|impulse| *impulse += half);
        }
    }

    /// Mean size of the acceleration by drag \[m/s²\].
    pub(crate) fn mean_acceleration(&self, air: &Air, velocities: &[DVec3]) -> f64 {
        const SHORT: f64 = 1e-6;
        let mut sum = 0.0;
        for (fi, corners) in self.faces.iter_indexed() {
            let v = corners.iter().map(|vi| velocities[vi.0 as usize]).sum::<DVec3>() / 3.0;
            sum += self.velocity_change(air, (fi, corners), v, SHORT).length() / SHORT;
        }
        for segment in &self.segments {
            sum += self.change_across(air, segment, velocities, SHORT).length() / SHORT;
        }
        sum / (self.faces.len() + self.segments.len()).max(1) as f64
    }
}
