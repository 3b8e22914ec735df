//! Shadow maps: how far light from one direction comes.
//!
//! Williams, Casting Curved Shadows on Curved Surfaces (1978), with the average over neighboring cells of Reeves,
//! Salesin and Cook (1987).

use super::raster;
use super::surface::Surface;
use crate::bodies::body::BodyKind;
use euc::buffer::Buffer2d;
use glam::Vec3;

/// The depths of the surfaces that a distant light sees.
pub(crate) struct ShadowMap {
    /// Unit vector to the light.
    pub(crate) direction: Vec3,
    side: Vec3,
    up: Vec3,
    depth: Buffer2d<f32>,
    size: usize,
    /// Width of a cell \[m\].
    cell: f32,
}

impl ShadowMap {
    /// Draws cloths and obstacles as seen from a direction, in `size` × `size` cells around the framed box.
    pub(crate) fn build(surface: &Surface, direction: Vec3, size: usize) -> Self {
        let (side, up) = direction.any_orthonormal_pair();
        let cell = 2.0 * surface.radius / (size as f32 - 8.0);
        let middle = 0.5 * size as f32;
        let seen = surface.positions.iter();
        let seen = seen
            .map(|p| Vec3::new(middle + side.dot(*p) / cell, middle + up.dot(*p) / cell, -direction.dot(*p)));
        let seen = seen.collect::<Vec<_>>();
        let mut corners = Vec::with_capacity(3 * surface.faces.len());
        for (fi, face) in surface.faces.iter().enumerate() {
            if surface.kinds[fi] != BodyKind::Floor {
                let bias = Vec3::Z * surface.depth_bias(fi);
                raster::push_face(&mut corners, fi, face.map(|corner| seen[corner as usize] + bias));
            }
        }
        Self { direction, side, up, depth: raster::draw_depth(&corners, [size; 2]), size, cell }
    }

    /// The share of the light that reaches a point \[m, relative to the middle\], averaged over a square of
    /// `2 · blur + 1` cells. `normal` is the unit normal on the lit side: the point is moved along it, farther the
    /// more the light grazes, so that a surface does not shade itself.
    pub(crate) fn compute_light(&self, point: Vec3, normal: Vec3, blur: usize) -> f32 {
        let cosine = normal.dot(self.direction).clamp(0.0, 1.0);
        let spread = (blur as f32 + 1.0) * self.cell;
        let point = point + normal * (spread * (1.0 - cosine * cosine).sqrt() + 0.3 * self.cell);
        let depth = -self.direction.dot(point) - 0.5 * self.cell;
        let middle = 0.5 * self.size as f32 - 0.5;
        let x = middle + self.side.dot(point) / self.cell - blur as f32;
        let y = middle + self.up.dot(point) / self.cell - blur as f32;
        let taps = 2 * blur + 2;
        let limit = (self.size - taps) as f32;
        if !(x >= 0.0 && y >= 0.0 && x < limit && y < limit) {
            return 1.0;
        }
        let (column, row) = (x as usize, y as usize);
        let (fx, fy) = (x - column as f32, y - row as f32);
        // A tap at either end counts by the part of its cell that the square covers.
        let weight = |k: usize, f: f32| {
            if k == 0 {
                1.0 - f
            } else if k == taps - 1 {
                f
            } else {
                1.0
            }
        };
        let mut sum = 0.0;
        for j in 0..taps {
            let start = (row + j) * self.size + column;
            let cells = &self.depth.as_ref()[start..start + taps];
            let mut row_sum = 0.0;
            for (i, occluder) in cells.iter().enumerate() {
                row_sum += if depth <= *occluder { weight(i, fx) } else { 0.0 };
            }
            sum += row_sum * weight(j, fy);
        }
        let width = (taps - 1) as f32;
        sum / (width * width)
    }
}
