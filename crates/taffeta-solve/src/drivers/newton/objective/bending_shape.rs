//! The shape of bent faces, from which the gradients of angles follow, and the angles themselves.

#![allow(clippy::needless_range_loop, reason = "a lane is read from many arrays at once")]

use super::bending_rest::EdgeRest;
use super::tiles::{Lane, Lane3, TILE, ZERO, vector};
use glam::DVec3;
use std::f64::consts::TAU;
use taffeta_core::lanes::{F64x4, LANES};

/// The shape of the faces of a tile at the last evaluation, from which [`slopes_of`] makes the `c_kj`.
#[derive(Clone, Debug)]
pub(crate) struct FaceShape {
    /// The dot product of each edge with the next \[m²\].
    pub dots: Lane3,
    /// The length of each edge \[m\].
    pub lengths: Lane3,
}

/// Measures one face with corners `x` \[m\].
#[inline(always)]
pub(super) fn measure_face(shape: &mut FaceShape, x: &[Lane3; 3], k: usize) {
    let [a, b, c] = [vector(&x[0], k), vector(&x[1], k), vector(&x[2], k)];
    let edges = [b - a, c - b, a - c];
    for e in 0..3 {
        shape.dots[e][k] = edges[e].dot(edges[(e + 1) % 3]);
        shape.lengths[e][k] = edges[e].dot(edges[e]).sqrt();
    }
}

/// `N = n/|n|²` \[1/m²\] from a normal \[m²\]; its square does not fall below a floor \[m⁴\].
#[inline(always)]
pub(super) fn scale_normal(normal: DVec3, floor: f64) -> DVec3 {
    let square = normal.dot(normal);
    normal * (1.0 / if square > floor { square } else { floor })
}

/// The `c_kj` of edge `k` \[m\]: at its tail, its tip and the opposite corner.
#[inline(always)]
pub(super) fn slopes_of(shape: &FaceShape, k: usize, lane: usize) -> [f64; 3] {
    let length = shape.lengths[k][lane];
    let inverse = 1.0 / (length + f64::MIN_POSITIVE);
    // The slope at the tail is the projection of the next edge, the tip's that of the one before.
    [shape.dots[k][lane] * inverse, shape.dots[(k + 2) % 3][lane] * inverse, length]
}

/// The unwrapped angles of the edges of a tile.
#[inline(always)]
pub(super) fn angles_of(out: &mut Lane, rest: &EdgeRest, x: &[f64], normals: &[f64], reference: &Lane) {
    let normal = |place: u32| {
        let at = &normals[place as usize..place as usize + 2 * TILE + 1];
        DVec3::new(at[0], at[TILE], at[2 * TILE])
    };
    let point = |offset: u32| {
        let at = &x[offset as usize..offset as usize + 3];
        DVec3::new(at[0], at[1], at[2])
    };
    let (mut sine, mut cosine) = (ZERO, ZERO);
    for k in 0..TILE {
        let (n1, n2) = (normal(rest.normals[0][k]), normal(rest.normals[1][k]));
        let edge = point(rest.ends[1][k]) - point(rest.ends[0][k]);
        let length = edge.dot(edge).sqrt();
        sine[k] = edge.dot(n2.cross(n1)) / (length + f64::MIN_POSITIVE);
        cosine[k] = n1.dot(n2);
    }
    for first in (0..TILE).step_by(LANES) {
        let four =
            |values: &Lane| F64x4([values[first], values[first + 1], values[first + 2], values[first + 3]]);
        let wrapped = F64x4::atan2(four(&sine), four(&cosine));
        let turns = ((four(reference) - wrapped) * F64x4::splat(1.0 / TAU)).round();
        out[first..first + LANES].copy_from_slice(&(wrapped + F64x4::splat(TAU) * turns).0);
    }
}
