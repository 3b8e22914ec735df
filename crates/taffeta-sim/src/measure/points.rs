//! Material points: places on the cloth that remeshing does not move.

use crate::derive::bodies::loose_state;
use crate::derive::world::World;
use crate::model::solid::Solid;
use crate::model::solid_locator::{SolidPlace, barycentric_of};
use glam::{DVec2, DVec3};
use taffeta_core::FaceIndex;
use taffeta_core::geometry::barycentric;
use taffeta_solve::block::gather;

/// A material point as it is now.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct MaterialPoint {
    /// World position \[m\].
    pub position: DVec3,
    /// World velocity \[m/s\].
    pub velocity: DVec3,
}

/// Where a material point \[m\] of a cloth is now. A point off the sheet is taken to the border of the
/// face in whose barycentric coordinates it is least outside: that of the nearest face, up to faces of other sizes.
/// `None` if the cloth has no material coordinates. Where panels overlap in material space it is a point of one of
/// them; [`material_point_on`] says of which.
///
/// # Panics
/// If there is no cloth of that number.
pub fn material_point(world: &World, cloth: usize, point: DVec2) -> Option<MaterialPoint> {
    find_point(world, cloth, point, |_| true)
}

/// [`material_point`] of one panel of a cloth; `None` also if there is no such panel.
///
/// # Panics
/// If there is no cloth of that number.
pub fn material_point_on(world: &World, cloth: usize, panel: u32, point: DVec2) -> Option<MaterialPoint> {
    find_point(world, cloth, point, |fi| world.state.sheet.panels[fi] == panel)
}

fn find_point(
    world: &World,
    cloth: usize,
    point: DVec2,
    is_wanted: impl Fn(FaceIndex) -> bool,
) -> Option<MaterialPoint> {
    if !world.setup.cloths[cloth].has_material {
        return None;
    }
    // The face in which the point lies deepest; ties go to the first in dense order.
    let mut best: Option<(f64, FaceIndex, [f64; 3])> = None;
    for fi in world.state.motion.faces_of(cloth as u32).filter(|fi| is_wanted(*fi)) {
        let weights = barycentric(point, world.state.motion.rest.corners[fi]);
        let depth = weights.iter().copied().fold(f64::INFINITY, f64::min);
        if best.is_none_or(|(deepest, ..)| depth > deepest) {
            best = Some((depth, fi, weights));
        }
    }
    let (_, fi, weights) = best?;
    let kept = weights.map(|w| w.max(0.0));
    let sum: f64 = kept.iter().sum();
    let state = &world.state.motion;
    let corners = world.state.sheet.topology.faces[fi];
    let mix = |field: [DVec3; 3]| field.iter().zip(kept).map(|(f, w)| *f * w).sum::<DVec3>() / sum;
    Some(MaterialPoint {
        position: mix(gather(corners, &state.positions)),
        velocity: mix(gather(corners, &state.velocities)),
    })
}

/// Position \[m\] and velocity \[m/s\] of a point of a rope, given by the fraction `at` of its rest length from its
/// first end; fractions beyond the ends are those of the ends.
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

/// Where a point of the rest shape \[m\] of a solid is now. A point outside is taken into the tetrahedron in whose
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
