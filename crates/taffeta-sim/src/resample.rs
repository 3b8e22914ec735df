//! Material points: places on the cloth that remeshing does not move.

use crate::world::World;
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
/// them; [`material_point_on`](Self::material_point_on) says of which.
///
/// # Panics
/// If there is no cloth of that number.
pub fn material_point(world: &World, cloth: usize, point: DVec2) -> Option<MaterialPoint> {
    find_point(world, cloth, point, |_| true)
}

/// [`material_point`](Self::material_point) of one panel of a cloth; `None` also if there is no such panel.
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
