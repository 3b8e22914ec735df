//! The shadow of a draped specimen under parallel light from above.

use glam::{DVec2, DVec3};
use std::f64::consts::{PI, TAU};

/// Rays from the center.
const RAYS: usize = 1440;

/// A fold stands out of the troughs beside it by at least this part of the largest and least radius' difference.
const PROMINENCE: f64 = 0.15;

/// A fold stands out by at least this \[m\].
const LEAST_PROMINENCE: f64 = 1e-3;

/// Measures of the shadow.
#[derive(Clone, Debug, PartialEq)]
pub struct Shadow {
    /// Drape coefficient \[%\]: `100 (A_shadow − A_support)/(A_specimen − A_support)`.
    pub coefficient: f64,
    /// Number of folds: maxima of the outline that stand out.
    pub folds: usize,
    /// Standard deviation of the radii of the folds over their mean \[1\].
    pub asymmetry: f64,
    /// The outline: its radius \[m\] at angles in equal steps from warp toward weft, beginning with warp.
    pub outline: Vec<f64>,
}

/// The shadow of a specimen around the y-axis that lies at `flat` before it drapes, over a support of this radius \[m\].
pub fn cast_shadow(positions: &[DVec3], flat: &[DVec3], faces: &[[u32; 3]], support: f64) -> Shadow {
    let (area, outline) = measure(positions, faces, support);
    // Not the circle: its polygon has a little less.
    let specimen = measure(flat, faces, support).0;
    let support = PI * support * support;
    let peaks = peaks(&outline);
    let count = peaks.len().max(1) as f64;
    let mean = peaks.iter().sum::<f64>() / count;
    let variance = peaks.iter().map(|r| (r - mean).powi(2)).sum::<f64>() / count;
    Shadow {
        coefficient: 100.0 * (area - support) / (specimen - support),
        folds: peaks.len(),
        asymmetry: if peaks.is_empty() { 0.0 } else { variance.sqrt() / mean },
        outline,
    }
}

/// Area of the shadow of a cloth and its support \[m²\], and its outline \[m\].
fn measure(positions: &[DVec3], faces: &[[u32; 3]], support: f64) -> (f64, Vec<f64>) {
    let mut rays: Vec<Vec<[f64; 2]>> = vec![vec![[0.0, support]]; RAYS];
    for face in faces {
        let corners = face.map(|v| positions[v as usize]).map(|x| DVec2::new(x.x, -x.z));
        cut(corners, &mut rays);
    }
    let mut area = 0.0;
    let mut outline = Vec::with_capacity(RAYS);
    for ray in &mut rays {
        ray.sort_by(|a, b| a[0].total_cmp(&b[0]));
        let mut reached: f64 = 0.0;
        for [from, to] in ray.iter() {
            let from = from.max(reached);
            if *to > from {
                area += 0.5 * (TAU / RAYS as f64) * (to * to - from * from);
                reached = *to;
            }
        }
        outline.push(reached);
    }
    (area, outline)
}

/// Adds the part of every ray that lies in a triangle beside the center.
fn cut(corners: [DVec2; 3], rays: &mut [Vec<[f64; 2]>]) {
    let step = TAU / RAYS as f64;
    let first = corners[0].to_angle();
    // Angles against the first corner: a triangle beside the center takes less than half a turn.
    let turns = corners.map(|c| DVec2::from_angle(-first).rotate(c).to_angle());
    let low = first + turns.iter().copied().fold(f64::INFINITY, f64::min);
    let high = first + turns.iter().copied().fold(f64::NEG_INFINITY, f64::max);
    for number in (low / step).ceil() as i64..=(high / step).floor() as i64 {
        let direction = DVec2::from_angle(number as f64 * step);
        let mut span = [f64::INFINITY, f64::NEG_INFINITY];
        for k in 0..3 {
            let (a, b) = (corners[k], corners[(k + 1) % 3]);
            let [side_a, side_b] = [a, b].map(|c| direction.perp_dot(c));
            if side_a * side_b <= 0.0 && side_a != side_b {
                let radius = a.lerp(b, side_a / (side_a - side_b)).dot(direction);
                span = [span[0].min(radius), span[1].max(radius)];
            }
        }
        if span[1] > span[0] {
            rays[number.rem_euclid(RAYS as i64) as usize].push(span);
        }
    }
}

/// Radii of the maxima of a closed outline that stand out of what lies between them and a higher one, on both sides.
fn peaks(outline: &[f64]) -> Vec<f64> {
    let count = outline.len();
    let at = |i: usize| outline[i % count];
    let lowest = outline.iter().copied().fold(f64::INFINITY, f64::min);
    let highest = outline.iter().copied().fold(f64::NEG_INFINITY, f64::max);
    let least = (PROMINENCE * (highest - lowest)).max(LEAST_PROMINENCE);
    // The lowest point until the outline rises above a radius, on one side.
    let descent = |i: usize, step: usize| {
        let mut low = at(i);
        for k in 1..count {
            let radius = at(i + k * step);
            if radius > at(i) {
                return low;
            }
            low = low.min(radius);
        }
        low
    };
    let is_peak = |i: &usize| {
        let radius = at(*i);
        // Of a flat top the first point counts.
        at(i + count - 1) < radius
            && at(i + 1) <= radius
            && [1, count - 1].iter().all(|step| radius - descent(*i, *step) >= least)
    };
    let mut found: Vec<usize> = (0..count).filter(is_peak).collect();
    // Points of the same height on one top.
    found.dedup_by(|b, a| at(*a) == at(*b) && (*a..*b).all(|i| at(*a) - at(i) < least));
    found.into_iter().map(at).collect()
}

#[cfg(test)]
mod tests {
    use super::super::DrapeSizes;
    use super::super::annulus::{AnnulusPattern, annulus_mesh};
    use super::*;

    const SUPPORT: f64 = DrapeSizes::CUSICK.support;

    /// Shadow of an annulus whose points go elsewhere, by their radius and angle.
    fn shadow(place: impl Fn(f64, f64) -> DVec3) -> Shadow {
        let (mesh, _) = annulus_mesh(DrapeSizes::CUSICK, AnnulusPattern::Staggered, 0.002, 0.0);
        let flat: Vec<DVec3> = mesh.positions.iter().map(|x| DVec3::new(x.x, 0.0, -x.y)).collect();
        let draped: Vec<DVec3> = mesh.positions.iter().map(|x| place(x.length(), x.y.atan2(x.x))).collect();
        cast_shadow(&draped, &flat, &mesh.faces, SUPPORT)
    }

    fn polar(radius: f64, angle: f64) -> DVec3 {
        DVec3::new(radius * angle.cos(), 0.0, -radius * angle.sin())
    }

    #[test]
    fn a_flat_specimen_covers_all_and_one_that_hangs_straight_down_nothing() {
        let flat = shadow(polar);
        assert!((flat.coefficient - 100.0).abs() < 1e-9 && flat.folds == 0, "{}", flat.coefficient);
        let hung = shadow(|radius, angle| polar(SUPPORT, angle) - DVec3::Y * radius);
        assert!(hung.coefficient.abs() < 1e-9 && hung.folds == 0, "{}", hung.coefficient);
    }

    #[test]
    fn waves_of_the_rim_are_folds_and_the_area_is_theirs() {
        // r = 0.12 + 0.01 cos 5φ covers π (0.12² + 0.01²/2).
        let rim = |angle: f64| 0.12 + 0.01 * (5.0 * angle).cos();
        let waved = shadow(|radius, angle| {
            let part = (radius - SUPPORT) / 0.06;
            polar(SUPPORT + part * (rim(angle) - SUPPORT), angle)
        });
        assert_eq!(waved.folds, 5);
        assert!(waved.asymmetry < 1e-3, "{}", waved.asymmetry);
        let exact = 100.0 * (0.12 * 0.12 + 0.5e-4 - 0.0081) / (0.0225 - 0.0081);
        assert!((waved.coefficient - exact).abs() < 0.02, "{} {exact}", waved.coefficient);
        assert!((waved.outline[0] - 0.13).abs() < 1e-5, "{}", waved.outline[0]);
        // Weft is at a quarter of the turn.
        assert!((waved.outline[RAYS / 4] - rim(0.5 * PI)).abs() < 1e-4);
    }

    #[test]
    fn cloth_that_is_folded_over_counts_once() {
        // Out to 0.12 and back again.
        let folded = shadow(|radius, angle| polar(0.12 - (radius - 0.12).abs(), angle));
        let exact = 100.0 * (0.0144 - 0.0081) / (0.0225 - 0.0081);
        assert!((folded.coefficient - exact).abs() < 0.1, "{} {exact}", folded.coefficient);
    }
}
