//! Material points: places on the cloth that remeshing does not move.

use crate::derive::bodies::loose_state;
use crate::derive::world::World;
use crate::measure::body_points::find_point;
use crate::model::description::body_point::{BodyPoint, PointError};
use crate::model::setup::solid::Solid;
use crate::model::setup::solid_locator::{SolidPlace, barycentric_of};
use glam::DVec3;
use taffeta_solve::block::gather;

/// A material point as it is now.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct MaterialPoint {
    /// World position \[m\].
    pub position: DVec3,
    /// World velocity \[m/s\].
    pub velocity: DVec3,
}

/// A material point of a cloth or rope as it is now. Bodies are numbered as in [`Grab::body`](crate::Grab::body): first the
/// cloths.
///
/// # Errors
/// If the body has no such point, or if several panels cover it and none is named.
///
/// # Panics
/// If there is no body of that number.
pub fn material_point(
    world: &World,
    body: usize,
    point: impl Into<BodyPoint>,
) -> Result<MaterialPoint, PointError> {
    let (corners, weights) = find_point(world, body, point)?;
    let state = &world.state.motion;
    let mix = |field: [DVec3; 3]| field.iter().zip(weights).map(|(f, w)| *f * w).sum::<DVec3>();
    Ok(MaterialPoint {
        position: mix(gather(corners, &state.positions)),
        velocity: mix(gather(corners, &state.velocities)),
    })
}

/// Position \[m\] and velocity \[m/s\] of a point of a rope, given by the fraction `at` of its rest length from its first end.
/// Fractions beyond the ends are those of the ends.
///
/// # Panics
/// If the loose body of that number is no rope.
pub fn rope_point(world: &World, body: usize, at: f64) -> crate::MaterialPoint {
    let model = world.setup.bodies[body].rope.as_ref().expect("the body is a rope");
    let (positions, velocities) = loose_state(world, body);
    let first = model.visible().start;
    let mut left = at.clamp(0.0, 1.0) * model.length();
    let segments = positions.len() - 1;
    let mut i = 0;
    while i + 1 < segments && left > model.segment_length(first + i) {
        left -= model.segment_length(first + i);
        i += 1;
    }
    let part = (left / model.segment_length(first + i)).min(1.0);
    let mix = |field: &[DVec3]| field[i] * (1.0 - part) + field[i + 1] * part;
    crate::MaterialPoint { position: mix(positions), velocity: mix(velocities) }
}

/// Positions \[m\] and velocities \[m/s\] of the vertices of a solid, in the order of its description.
///
/// # Panics
/// If there is no solid of that number.
pub(crate) fn solid_state(world: &World, solid: usize) -> (Vec<DVec3>, Vec<DVec3>) {
    let (numbers, state) = (&world.state.sheet.solid_vertices[solid], &world.state.motion);
    let each = numbers.iter().map(|vi| (state.positions[*vi], state.velocities[*vi]));
    each.unzip()
}

/// Present state of a point of the rest shape \[m\] of a solid. A point outside is taken into the tetrahedron in whose
/// barycentric coordinates it is least outside.
///
/// # Panics
/// If there is no solid of that number.
pub fn solid_point(world: &World, solid: usize, point: DVec3) -> MaterialPoint {
    let (positions, velocities) = solid_state(world, solid);
    let place = world.setup.solids[solid].locate(point);
    MaterialPoint { position: place.mix(&positions), velocity: place.mix(&velocities) }
}

impl Solid {
    /// The tetrahedron in which a point of the rest shape lies deepest.
    fn locate(&self, point: DVec3) -> SolidPlace {
        let mut best = (f64::NEG_INFINITY, self.tetrahedra[0], [0.25; 4]);
        for corners in &self.tetrahedra {
            let weights = barycentric_of(corners.map(|v| self.rest[v as usize]), point);
            let depth = weights.into_iter().fold(f64::INFINITY, f64::min);
            if depth > best.0 {
                best = (depth, *corners, weights);
            }
        }
        let kept = best.2.map(|w| w.max(0.0));
        let sum: f64 = kept.iter().sum();
        SolidPlace { corners: best.1, weights: kept.map(|w| w / sum) }
    }
}
