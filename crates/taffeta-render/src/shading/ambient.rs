//! Light from the sky and from the ground, at the vertices.
//!
//! The sky is replaced by distant lights from many directions, each with a small shadow map. So hollows of folds and
//! the surroundings of a contact are darker than open parts (ambient occlusion), and smoothly so. A screen-space
//! method would be cheaper, but it draws halos around outlines.

use super::shadow::ShadowMap;
use super::surface::Surface;
use crate::bodies::body::BodyKind;
use glam::Vec3;
use taffeta_core::math;

/// Number of directions above the horizon. Fewer show as overlapping shadow edges.
const SKY_DIRECTIONS: u32 = 24;
/// Number of directions below the horizon, where less light comes from.
const GROUND_DIRECTIONS: u32 = 8;
/// Cells along the side of each shadow map.
const MAP_SIZE: usize = 96;
/// Radiance from straight below, relative to that from straight above.
const GROUND: f32 = 0.35;
/// Half the width over which shadows on a floor are averaged \[cells\]. A floor is one large flat face, on which the
/// edges of the single shadows would be seen.
const FLOOR_BLUR: usize = 2;
/// Times that the light on a floor is averaged over neighboring vertices, for the same reason.
const FLOOR_PASSES: usize = 8;

/// The light from all around that reaches each vertex: on the side of its normal, then on the other side. An
/// unobstructed surface that faces up has 1.
pub(crate) fn compute_sky_light(surface: &Surface) -> Vec<[f32; 2]> {
    let mut light = vec![[0.0; 2]; surface.positions.len()];
    let on_floor = find_floor_vertices(surface);
    let mut open_sky = 0.0;
    for k in 0..SKY_DIRECTIONS + GROUND_DIRECTIONS {
        let (direction, solid_angle) = sky_direction(k);
        let radiance = solid_angle * (GROUND + (1.0 - GROUND) * 0.5 * (1.0 + direction.y));
        open_sky += radiance * direction.y.max(0.0);
        let map = ShadowMap::build(surface, direction, MAP_SIZE);
        for (vi, sum) in light.iter_mut().enumerate() {
            let normal = surface.normals[vi];
            let cosine = normal.dot(direction);
            let (side, outward) = if cosine > 0.0 { (0, normal) } else { (1, -normal) };
            let blur = if on_floor[vi] { FLOOR_BLUR } else { 0 };
            sum[side] += radiance * cosine.abs() * map.compute_light(surface.positions[vi], outward, blur);
        }
    }
    for sum in light.as_flattened_mut() {
        *sum /= open_sky;
    }
    for _ in 0..FLOOR_PASSES {
        smooth_floors(surface, &on_floor, &mut light);
    }
    light
}

/// A unit vector, and the share of the sphere for which it stands. The directions follow the spiral of Fibonacci
/// (González, 2010), evenly above the horizon and evenly, but more sparsely, below.
fn sky_direction(k: u32) -> (Vec3, f32) {
    let golden_angle = std::f64::consts::PI * (3.0 - 5.0_f64.sqrt());
    let middle = |k: u32, count: u32| (f64::from(k) + 0.5) / f64::from(count);
    let (y, count) = match k.checked_sub(SKY_DIRECTIONS) {
        None => (1.0 - middle(k, SKY_DIRECTIONS), SKY_DIRECTIONS),
        Some(below) => (-middle(below, GROUND_DIRECTIONS), GROUND_DIRECTIONS),
    };
    let (sin, cos) = math::sin_cos(golden_angle * f64::from(k));
    let ring = (1.0 - y * y).sqrt();
    (Vec3::new((ring * cos) as f32, y as f32, (ring * sin) as f32), 0.5 / count as f32)
}

fn find_floor_vertices(surface: &Surface) -> Vec<bool> {
    let mut on_floor = vec![false; surface.positions.len()];
    for corners in floor_faces(surface) {
        corners.iter().for_each(|corner| on_floor[*corner as usize] = true);
    }
    on_floor
}

fn floor_faces(surface: &Surface) -> impl Iterator<Item = &[u32; 3]> {
    let faces = surface.faces.iter().zip(&surface.kinds);
    faces.filter(|(_, kind)| **kind == BodyKind::Floor).map(|(face, _)| face)
}

/// Replaces the light at each vertex of a floor by the average over the faces around it.
fn smooth_floors(surface: &Surface, on_floor: &[bool], light: &mut [[f32; 2]]) {
    let mut sums = vec![[0.0; 3]; light.len()];
    for corners in floor_faces(surface) {
        let [a, b, c] = corners.map(|corner| light[corner as usize]);
        let total = [a[0] + b[0] + c[0], a[1] + b[1] + c[1], 3.0];
        for corner in corners {
            let sum = &mut sums[*corner as usize];
            (0..3).for_each(|k| sum[k] += total[k]);
        }
    }
    for (vi, sum) in sums.iter().enumerate().filter(|(vi, _)| on_floor[*vi]) {
        light[vi] = [sum[0] / sum[2], sum[1] / sum[2]];
    }
}
