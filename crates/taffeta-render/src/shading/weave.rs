//! A plain weave, by the material coordinates of a cloth.

use super::surface::smooth_step;
use glam::Vec2;
use taffeta_core::TriangleMesh;

/// Threads across half the diagonal of a square cloth. Those of real cloth are finer than a pixel.
const THREADS: f32 = 70.0;
/// Strength of the pattern, and difference of the two threads.
const RELIEF: f32 = 0.22;
const TINT: f32 = 0.03;
/// Pixels per thread at which the pattern begins to show, and at which it shows fully: finer, it would make moiré.
const FADE: [f32; 2] = [2.2, 4.0];

/// Length of a crossing of threads in pictures of some cloths \[m\], by their sizes at rest; `None`: none has material coordinates.
pub fn thread_pitch<'a>(cloths: impl Iterator<Item = &'a TriangleMesh>) -> Option<f64> {
    let area = |mesh: &TriangleMesh| -> Option<f64> {
        let faces = mesh.material.as_ref()?.iter();
        Some(
            faces
                .map(|[a, b, c]| 0.5 * (*b - *a).perp_dot(*c - *a).abs())
                .filter(|area| area.is_finite())
                .sum(),
        )
    };
    let largest = cloths.filter_map(area).fold(0.0, f64::max);
    (largest > 0.0).then(|| f64::from(pitch(radius(largest))))
}

/// Half the diagonal of a square with the area of the largest cloth \[m\], given that area \[m²\].
pub(crate) fn radius(area: f64) -> f32 {
    (0.5 * area).sqrt() as f32
}

/// Length of a thread's crossing for half the diagonal of a square cloth \[m\]: 1, 2 or 5 times a power of ten. So it is the same for
/// similar scenes.
pub(crate) fn pitch(radius: f32) -> f32 {
    let wanted = f64::from(radius / THREADS).max(f64::from(f32::MIN_POSITIVE));
    let mut power = 1.0;
    while power > wanted {
        power *= 0.1;
    }
    while 10.0 * power <= wanted {
        power *= 10.0;
    }
    let step = [5.0, 2.0, 1.0].into_iter().find(|step| step * power <= wanted).unwrap_or(1.0);
    (step * power) as f32
}

/// The factor by which a cloth is lighter at a point of its material, in threads. `pixel` is the size of a pixel there \[threads\].
pub(crate) fn tone(coords: Vec2, pixel: f32) -> f32 {
    let shown = smooth_step((1.0 / pixel - FADE[0]) / (FADE[1] - FADE[0]));
    if shown.is_nan() || shown <= 0.0 || !coords.is_finite() {
        return 1.0;
    }
    let cell = coords.floor();
    let within = 2.0 * (coords - cell) - 1.0;
    let is_warp = (cell.x + cell.y).rem_euclid(2.0) < 1.0;
    let [across, along] = if is_warp { [within.x, within.y] } else { [within.y, within.x] };
    // The thread on top is round, and dives under the next one. The mean of each factor is 2/3.
    let height = 0.65 * (1.0 - across * across) + 0.35 * (1.0 - along * along);
    let tint = if is_warp { TINT } else { -TINT };
    1.0 + shown * (RELIEF * (height - 2.0 / 3.0) + tint)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn threads_are_as_wide_as_the_largest_cloth_wants() {
        let square = |size: f64| {
            let corners =
                [[0.0, 0.0], [1.0, 0.0], [1.0, 1.0], [0.0, 1.0]].map(|u| size * glam::DVec2::from(u));
            let positions = corners.iter().map(|u| u.extend(0.0)).collect();
            let mut mesh = TriangleMesh { positions, faces: vec![[0, 1, 2], [0, 2, 3]], material: None };
            mesh.set_vertex_material(&corners);
            mesh
        };
        let bare = TriangleMesh { material: None, ..square(9.0) };
        let pitch_of = |meshes: &[TriangleMesh]| thread_pitch(meshes.iter());
        assert_eq!(
            pitch_of(&[square(0.1), square(1.0), bare.clone()]),
            Some(f64::from(pitch(0.5_f32.sqrt())))
        );
        assert_eq!(pitch_of(&[bare]), None);
    }

    #[test]
    fn the_weave_is_as_light_as_plain_cloth_and_fades_where_it_is_fine() {
        let count = 400;
        let at =
            |k: usize| Vec2::new((k % count) as f32 + 0.5, (k / count) as f32 + 0.5) * (4.0 / count as f32);
        let mean: f32 = (0..count * count).map(|k| tone(at(k), 0.1)).sum::<f32>() / (count * count) as f32;
        assert!((mean - 1.0).abs() < 1e-3, "{mean}");
        assert!(tone(Vec2::new(0.5, 0.5), 0.1) > 1.05 && tone(Vec2::new(0.02, 0.02), 0.1) < 0.95);
        assert!(tone(Vec2::new(0.5, 1.5), 0.1) < tone(Vec2::new(0.5, 0.5), 0.1));
        assert_eq!([tone(Vec2::splat(0.3), 0.5), tone(Vec2::NAN, 0.1)], [1.0, 1.0]);
        assert_eq!([pitch(0.72), pitch(1.3), pitch(3.6)], [0.01, 0.01, 0.05]);
        assert!(pitch(0.0) > 0.0 && pitch(1e9).is_finite());
    }
}
