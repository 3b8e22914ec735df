//! Small geometry: closest points, areas, rest frames.

use crate::math::{self, Sym2};
use glam::{DVec2, DVec3};

/// The barycentric weights of the point of triangle `abc` that is closest to `p`.
///
/// Ericson, Real-Time Collision Detection (2005), §5.1.5. Weights of corners that do not carry the point are exactly
/// zero, so the region (vertex, edge or face) can be read off them.
pub fn closest_point_on_triangle(p: DVec3, [a, b, c]: [DVec3; 3]) -> [f64; 3] {
    let (ab, ac, ap) = (b - a, c - a, p - a);
    let (d1, d2) = (ab.dot(ap), ac.dot(ap));
    if d1 <= 0.0 && d2 <= 0.0 {
        return [1.0, 0.0, 0.0];
    }
    let bp = p - b;
    let (d3, d4) = (ab.dot(bp), ac.dot(bp));
    if d3 >= 0.0 && d4 <= d3 {
        return [0.0, 1.0, 0.0];
    }
    let vc = d1 * d4 - d3 * d2;
    // Where `a` and `b` coincide, `ac` is all there is.
    if vc <= 0.0 && d1 >= 0.0 && d3 <= 0.0 && d1 > d3 {
        let t = d1 / (d1 - d3);
        return [1.0 - t, t, 0.0];
    }
    let cp = p - c;
    let (d5, d6) = (ab.dot(cp), ac.dot(cp));
    if d6 >= 0.0 && d5 <= d6 {
        return [0.0, 0.0, 1.0];
    }
    let vb = d5 * d2 - d1 * d6;
    if vb <= 0.0 && d2 >= 0.0 && d6 <= 0.0 {
        let t = d2 / (d2 - d6);
        return [1.0 - t, 0.0, t];
    }
    let va = d3 * d6 - d5 * d4;
    if va <= 0.0 && d4 >= d3 && d5 >= d6 {
        let t = (d4 - d3) / ((d4 - d3) + (d5 - d6));
        return [0.0, 1.0 - t, t];
    }
    let scale = 1.0 / (va + vb + vc);
    let (v, w) = (vb * scale, vc * scale);
    [1.0 - v - w, v, w]
}

/// The Green strain `E = ½(FᵀF − I)` of a deformation gradient given by its columns.
#[inline]
pub fn green_strain([f1, f2]: [DVec3; 2]) -> Sym2 {
    Sym2 { xx: 0.5 * (f1.dot(f1) - 1.0), xy: 0.5 * f1.dot(f2), yy: 0.5 * (f2.dot(f2) - 1.0) }
}

/// Twice the signed area of a triangle in material space \[m²\], positive if counter-clockwise.
#[inline]
pub fn doubled_area(corners: [DVec2; 3]) -> f64 {
    (corners[1] - corners[0]).perp_dot(corners[2] - corners[0])
}

/// Barycentric weights of a material point in a material triangle. Negative weights: it lies outside.
///
/// Not finite if the triangle has no area.
pub fn barycentric(point: DVec2, [a, b, c]: [DVec2; 3]) -> [f64; 3] {
    let doubled = doubled_area([a, b, c]);
    let v = (point - a).perp_dot(c - a) / doubled;
    let w = (b - a).perp_dot(point - a) / doubled;
    [1.0 - v - w, v, w]
}

/// Lays a world triangle flat: the first corner at the origin, the second on the positive u axis.
pub fn flatten_triangle([a, b, c]: [DVec3; 3]) -> [DVec2; 3] {
    let (ab, ac) = (b - a, c - a);
    let length = ab.length();
    let u = ab.dot(ac) / length;
    let v = ab.cross(ac).length() / length;
    [DVec2::ZERO, DVec2::new(length, 0.0), DVec2::new(u, v)]
}

/// Angle between two faces \[rad\] in `[−π, π]`, 0 if they are flat. The edge is `p–q`, with the face of `a` on its left and
/// that of `b` on its right (R. Bridson, S. Marino, R. Fedkiw, Simulation of clothing with folds and wrinkles, 2003).
pub fn hinge_angle([p, q, a, b]: [DVec3; 4]) -> f64 {
    let (n0, n1) = ((a - p).cross(a - q), (b - q).cross(b - p));
    let e = (q - p).normalize_or_zero();
    math::atan2(e.dot(n1.cross(n0)), n0.dot(n1))
}

/// The shape quality `12√3 · A / perimeter²` of a triangle: 1 for an equilateral one, 0 for a degenerate one.
/// Negative if the triangle is clockwise.
pub fn triangle_quality([a, b, c]: [DVec2; 3]) -> f64 {
    let perimeter = a.distance(b) + b.distance(c) + c.distance(a);
    6.0 * 3.0_f64.sqrt() * doubled_area([a, b, c]) / (perimeter * perimeter)
}

/// Six times the volume of a tetrahedron \[m³\], positive if its last corner lies on the side to which the normal of the
/// first three points.
pub fn sixfold_volume([a, b, c, d]: [DVec3; 4]) -> f64 {
    (b - a).cross(c - a).dot(d - a)
}

/// A tetrahedron of less than this part of the cube of its longest edge has no volume.
const FLATNESS: f64 = 1e-9;

/// Returns whether a tetrahedron with these corners \[m\] has no usable volume.
pub fn is_flat(x: [DVec3; 4]) -> bool {
    let longest = x.iter().flat_map(|a| x.iter().map(|b| a.distance(*b))).fold(0.0, f64::max);
    sixfold_volume(x).abs() <= FLATNESS * longest * longest * longest
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn closest_point_equals_a_dense_search() {
        let corners = [DVec3::new(0.0, 0.0, 0.0), DVec3::new(2.0, 0.3, 0.1), DVec3::new(0.4, 1.5, -0.2)];
        let at = |w: [f64; 3]| corners[0] * w[0] + corners[1] * w[1] + corners[2] * w[2];
        for k in 0..60 {
            let k = f64::from(k);
            let p = DVec3::new((k * 0.7).sin() * 2.0, (k * 1.3).cos() * 2.0, (k * 0.37).sin());
            let found = at(closest_point_on_triangle(p, corners)).distance(p);
            let mut best = f64::INFINITY;
            for i in 0..=200 {
                for j in 0..=(200 - i) {
                    let (v, w) = (f64::from(i) / 200.0, f64::from(j) / 200.0);
                    best = best.min(at([1.0 - v - w, v, w]).distance(p));
                }
            }
            assert!(found <= best + 1e-12 && found > best - 0.02, "{found} against {best}");
        }
    }

    #[test]
    fn corners_that_coincide_leave_a_segment() {
        let (p, q, x) = (DVec3::ZERO, DVec3::new(2.0, 0.0, 0.0), DVec3::new(0.5, 1.0, 0.0));
        for corners in [[p, p, q], [p, q, p], [q, p, p], [p, q, q], [q, q, p], [q, p, q]] {
            let w = closest_point_on_triangle(x, corners);
            let found = corners[0] * w[0] + corners[1] * w[1] + corners[2] * w[2];
            assert!(found.distance(DVec3::new(0.5, 0.0, 0.0)) < 1e-15, "{corners:?}: {found}");
        }
        assert_eq!(closest_point_on_triangle(x, [p; 3]).iter().sum::<f64>(), 1.0);
    }

    #[test]
    fn flattening_keeps_lengths_and_orientation() {
        let world = [DVec3::new(1.0, 2.0, 3.0), DVec3::new(1.5, 2.0, 3.7), DVec3::new(0.8, 2.9, 3.2)];
        let flat = flatten_triangle(world);
        for k in 0..3 {
            let j = (k + 1) % 3;
            assert!((flat[k].distance(flat[j]) - world[k].distance(world[j])).abs() < 1e-14);
        }
        assert!(doubled_area(flat) > 0.0);
    }

    #[test]
    fn quality_of_an_equilateral_triangle_is_one() {
        let corners = [DVec2::ZERO, DVec2::new(1.0, 0.0), DVec2::new(0.5, 3.0_f64.sqrt() / 2.0)];
        assert!((triangle_quality(corners) - 1.0).abs() < 1e-14);
    }
}
