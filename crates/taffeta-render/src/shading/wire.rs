//! The edges of the mesh, at their distance in pixels.

use glam::{Vec2, Vec3};

/// Width of a line in a picture of [`REFERENCE_HEIGHT`] rows or fewer \[pixels\]. Larger pictures have wider lines.
const LINE_WIDTH: f32 = 1.0;
/// Height of the picture from which lines grow \[pixels\].
const REFERENCE_HEIGHT: f32 = 720.0;
/// Opacity of a line over the cloth's color.
const LINE_OPACITY: f32 = 0.78;
/// Faces whose inscribed circle is smaller than this many line widths have paler lines. A mesh too fine for the picture then
/// becomes a tone instead of a black patch.
const FADE_RADIUS: f32 = 2.2;
/// Opacity that is left for the smallest faces, relative to [`LINE_OPACITY`].
const FADE_LIMIT: f32 = 0.2;

/// The width of a line in a picture of a height \[pixels\].
pub(crate) fn line_width(height: u32) -> f32 {
    LINE_WIDTH * (height as f32 / REFERENCE_HEIGHT).max(1.0)
}

/// The three edges of a face on the screen.
#[derive(Clone, Copy)]
pub(crate) struct FaceLines {
    /// Each edge as `(a, b, c)`: the distance of `(x, y)` is `a x + b y + c` \[pixels\], positive inside.
    edges: [Vec3; 3],
    half_width: f32,
    opacity: f32,
}

impl FaceLines {
    /// The edges of the triangle with these corners \[pixels\].
    pub(crate) fn new(corners: [Vec2; 3], width: f32) -> Self {
        let [a, b, c] = corners;
        let doubled_area = (b - a).perp_dot(c - a);
        let turn = doubled_area.signum();
        let perimeter = a.distance(b) + b.distance(c) + c.distance(a);
        let edges = [0, 1, 2].map(|k| {
            let (tail, tip) = (corners[k], corners[(k + 1) % 3]);
            let inward = (tip - tail).perp().normalize_or_zero() * turn;
            inward.extend(-inward.dot(tail))
        });
        let inscribed = doubled_area.abs() / perimeter.max(f32::MIN_POSITIVE);
        let fade = (inscribed / (FADE_RADIUS * width)).clamp(FADE_LIMIT, 1.0);
        Self { edges, half_width: 0.5 * width, opacity: LINE_OPACITY * fade }
    }

    /// Part of the color at a point \[pixels\] that a line hides, 0 to 1, smooth over the width `softness` \[pixels\].
    pub(crate) fn compute_coverage(&self, point: Vec2, softness: f32) -> f32 {
        let point = point.extend(1.0);
        let distance = self.edges.iter().map(|edge| edge.dot(point).abs()).fold(f32::INFINITY, f32::min);
        self.opacity * ((self.half_width - distance) / softness + 0.5).clamp(0.0, 1.0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_have_their_width_in_pixels_whatever_the_size_of_the_face() {
        for size in [20.0, 200.0] {
            let lines = FaceLines::new([Vec2::ZERO, Vec2::new(0.0, size), Vec2::new(size, 0.0)], 2.0);
            let at = |x: f32| lines.compute_coverage(Vec2::new(x, 0.3 * size), 0.1);
            assert_eq!(at(0.9), LINE_OPACITY);
            assert_eq!(at(1.1), 0.0);
        }
    }

    #[test]
    fn tiny_faces_have_pale_lines() {
        let lines = FaceLines::new([Vec2::ZERO, Vec2::new(0.0, 1.0), Vec2::new(1.0, 0.0)], 1.0);
        assert!(lines.compute_coverage(Vec2::splat(0.1), 0.1) < 0.3 * LINE_OPACITY);
    }
}
