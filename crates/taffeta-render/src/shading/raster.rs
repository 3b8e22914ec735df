//! Rasterization with `euc`: which face is nearest at each sample.

use euc::buffer::Buffer2d;
use euc::rasterizer::{BackfaceCullingDisabled, Triangles};
use euc::{Interpolate, Pipeline};
use glam::Vec3;

/// The face number of a sample at which there is none.
pub(crate) const NO_FACE: u32 = u32::MAX;
/// Corners farther out than this are not drawn \[samples\]: `euc` counts in 32-bit integers. No sensible picture has
/// such corners.
const COORDINATE_MAX: f32 = 1e7;
/// Every face grows by this much beyond its corners \[samples\]. `euc` decides for each face by itself whether a sample
/// is inside, so that round-off could leave a sample on a shared edge to neither.
const GROWTH: f32 = 0.02;

/// A corner of a face on the way to the rasterizer.
#[derive(Clone, Copy)]
pub(crate) struct Corner {
    /// x to the right and y down \[samples\], and a depth that is linear on the screen, smaller for nearer points.
    position: Vec3,
    face: u32,
}

/// Adds a face to a list for the rasterizer; `corners` as in [`Corner`].
pub(crate) fn push_face(list: &mut Vec<Corner>, face: usize, corners: [Vec3; 3]) {
    let [a, b, c] = corners.map(Vec3::truncate);
    let (low, high) = (a.min(b).min(c), a.max(b).max(c));
    // Samples lie at halves. Most faces of a fine mesh miss them all in a coarse map.
    let misses = (low - GROWTH - 0.5).ceil().cmpgt((high + GROWTH - 0.5).floor()).any();
    if misses || low.min_element() < -COORDINATE_MAX || high.max_element() > COORDINATE_MAX {
        return;
    }
    let center = (corners[0] + corners[1] + corners[2]) / 3.0;
    list.extend(corners.map(|p| {
        let outward = (p - center).truncate().normalize_or_zero() * GROWTH;
        Corner { position: p + outward.extend(0.0), face: face as u32 }
    }));
}

/// The numbers of the nearest faces, row by row, in a grid of `size` samples. Of faces at equal depth, the last.
pub(crate) fn draw_faces(corners: &[Corner], size: [usize; 2]) -> Buffer2d<u32> {
    let mut faces = Buffer2d::new(size, NO_FACE);
    let mut depth = Buffer2d::new(size, f32::INFINITY);
    FacePass { size }.draw::<Triangles<_, BackfaceCullingDisabled>, _>(corners, &mut faces, Some(&mut depth));
    faces
}

/// The depths of the nearest faces, row by row, in a grid of `size` samples; infinity where there is none.
pub(crate) fn draw_depth(corners: &[Corner], size: [usize; 2]) -> Buffer2d<f32> {
    let mut nothing = Buffer2d::new(size, ());
    let mut depth = Buffer2d::new(size, f32::INFINITY);
    DepthPass { size }.draw::<Triangles<_, BackfaceCullingDisabled>, _>(
        corners,
        &mut nothing,
        Some(&mut depth),
    );
    depth
}

/// A face's number, which is the same all over the face.
#[derive(Clone, Copy)]
struct FaceNumber(u32);

impl Interpolate for FaceNumber {
    #[inline(always)]
    fn lerp2(a: Self, _: Self, _: f32, _: f32) -> Self {
        a
    }
    #[inline(always)]
    fn lerp3(a: Self, _: Self, _: Self, _: f32, _: f32, _: f32) -> Self {
        a
    }
}

/// Clip coordinates of a corner: both axes from −1 to 1, y up.
#[inline(always)]
fn clip_coordinates(p: Vec3, size: [usize; 2]) -> [f32; 4] {
    [2.0 * p.x / size[0] as f32 - 1.0, 1.0 - 2.0 * p.y / size[1] as f32, p.z, 1.0]
}

struct FacePass {
    size: [usize; 2],
}

impl Pipeline for FacePass {
    type Vertex = Corner;
    type VsOut = FaceNumber;
    type Pixel = u32;

    #[inline(always)]
    fn vert(&self, corner: &Corner) -> ([f32; 4], FaceNumber) {
        (clip_coordinates(corner.position, self.size), FaceNumber(corner.face))
    }
    #[inline(always)]
    fn frag(&self, face: &FaceNumber) -> u32 {
        face.0
    }
}

struct DepthPass {
    size: [usize; 2],
}

impl Pipeline for DepthPass {
    type Vertex = Corner;
    type VsOut = ();
    type Pixel = ();

    #[inline(always)]
    fn vert(&self, corner: &Corner) -> ([f32; 4], ()) {
        (clip_coordinates(corner.position, self.size), ())
    }
    #[inline(always)]
    fn frag(&self, (): &()) {}
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_nearest_face_wins_and_the_rest_is_empty() {
        let mut list = Vec::new();
        let triangle = |z: f32| [(0.0, 0.0), (8.0, 0.0), (0.0, 8.0)].map(|(x, y)| Vec3::new(x, y, z));
        push_face(&mut list, 3, triangle(0.5));
        push_face(&mut list, 4, triangle(0.7));
        let [a, b, c] = triangle(0.6);
        push_face(&mut list, 5, [a, c, b]);
        let faces = draw_faces(&list, [10, 9]);
        for (i, face) in faces.as_ref().iter().enumerate() {
            let (x, y) = (i % 10, i / 10);
            match x + y + 1 {
                0..8 => assert_eq!(*face, 3, "{x} {y}"),
                8 => {}
                _ => assert_eq!(*face, NO_FACE, "{x} {y}"),
            }
        }
    }

    #[test]
    fn a_sheet_of_many_small_faces_has_no_holes() {
        let count = 90;
        let corner = |i: usize, j: usize| {
            let (u, v) = (i as f32 / count as f32, j as f32 / count as f32);
            Vec3::new(640.0 * u + 9.0 * (7.0 * v).sin(), 640.0 * v + 11.0 * (5.0 * u).cos(), u * v)
        };
        let mut list = Vec::new();
        for j in 0..count {
            for i in 0..count {
                push_face(&mut list, 0, [corner(i, j), corner(i + 1, j), corner(i + 1, j + 1)]);
                push_face(&mut list, 0, [corner(i, j), corner(i + 1, j + 1), corner(i, j + 1)]);
            }
        }
        let faces = draw_faces(&list, [640, 640]);
        let inside = |i: usize| (20..620).contains(&(i % 640)) && (20..620).contains(&(i / 640));
        let holes = (0..640 * 640).filter(|i| inside(*i) && faces.as_ref()[*i] == NO_FACE).count();
        assert_eq!(holes, 0);
    }
}
