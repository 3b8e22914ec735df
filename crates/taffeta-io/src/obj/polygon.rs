//! Triangulation of polygons by cutting ears.

use glam::{DVec2, DVec3};

/// Corners beyond which ears are not looked for: a polygon of that size is cut as a fan, in linear time.
const MAX_EAR_CORNERS: usize = 2000;

/// Cuts a polygon into triangles of the same orientation, by the positions of its corners. Concave polygons are cut
/// inside; the best-shaped ear goes first. A polygon that crosses itself or has no area is cut as a fan.
pub(crate) fn triangulate(points: &[DVec3]) -> Vec<[usize; 3]> {
    let mut remaining: Vec<usize> = (0..points.len()).collect();
    let mut triangles = Vec::with_capacity(points.len().saturating_sub(2));
    if points.len() > 3 && points.len() <= MAX_EAR_CORNERS {
        let flat = project(points);
        while remaining.len() > 3 {
            let Some(ear) = find_best_ear(&flat, &remaining) else { break };
            triangles.push(corner_triple(&remaining, ear));
            remaining.remove(ear);
        }
    }
    triangles.extend((1..remaining.len() - 1).map(|k| [remaining[0], remaining[k], remaining[k + 1]]));
    triangles
}

/// The corners in the plane of the polygon's Newell normal, such that it runs counter-clockwise.
fn project(points: &[DVec3]) -> Vec<DVec2> {
    let next = points.iter().cycle().skip(1);
    let normal: DVec3 = points.iter().zip(next).map(|(a, b)| (*a - points[0]).cross(*b - points[0])).sum();
    let normal = normal.try_normalize().unwrap_or(DVec3::Z);
    let (u, v) = normal.any_orthonormal_pair();
    let sign = if u.cross(v).dot(normal) < 0.0 { -1.0 } else { 1.0 };
    points.iter().map(|p| DVec2::new((*p - points[0]).dot(u), sign * (*p - points[0]).dot(v))).collect()
}

fn corner_triple(remaining: &[usize], at: usize) -> [usize; 3] {
    let n = remaining.len();
    [remaining[(at + n - 1) % n], remaining[at], remaining[(at + 1) % n]]
}

/// The position of the ear with the largest area over squared perimeter; `None` if there is no ear.
fn find_best_ear(flat: &[DVec2], remaining: &[usize]) -> Option<usize> {
    let mut best: Option<(f64, usize)> = None;
    for at in 0..remaining.len() {
        let triple = corner_triple(remaining, at);
        let [a, b, c] = triple.map(|k| flat[k]);
        let doubled = (b - a).perp_dot(c - a);
        let perimeter = a.distance(b) + b.distance(c) + c.distance(a);
        if doubled <= 1e-12 * perimeter * perimeter {
            continue;
        }
        let quality = doubled / (perimeter * perimeter);
        let blocked = || {
            let others = remaining.iter().filter(|k| !triple.contains(k)).map(|k| flat[*k]);
            others.into_iter().any(|p| contains([a, b, c], p) && ![a, b, c].contains(&p))
        };
        if best.is_none_or(|(other, _)| quality > other) && !blocked() {
            best = Some((quality, at));
        }
    }
    best.map(|(_, at)| at)
}

fn contains([a, b, c]: [DVec2; 3], p: DVec2) -> bool {
    let left_of = |from: DVec2, to: DVec2| (to - from).perp_dot(p - from) >= 0.0;
    left_of(a, b) && left_of(b, c) && left_of(c, a)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn areas(points: &[DVec3], triangles: &[[usize; 3]]) -> Vec<f64> {
        let area = |t: &[usize; 3]| {
            let [a, b, c] = t.map(|k| points[k]);
            0.5 * (b - a).cross(c - a).z
        };
        triangles.iter().map(area).collect()
    }

    #[test]
    fn concave_polygons_are_cut_inside() {
        // An L and a comb, both counter-clockwise about z.
        let shapes: [&[(f64, f64)]; 2] = [
            &[(0.0, 0.0), (2.0, 0.0), (2.0, 1.0), (1.0, 1.0), (1.0, 2.0), (0.0, 2.0)],
            &[(0.0, 0.0), (5.0, 0.0), (5.0, 3.0), (4.0, 1.0), (3.0, 3.0), (2.0, 1.0), (1.0, 3.0)],
        ];
        for (shape, total) in shapes.iter().zip([3.0, 9.0]) {
            for turn in 0..shape.len() {
                let mut points: Vec<DVec3> = shape.iter().map(|(x, y)| DVec3::new(*x, *y, 0.0)).collect();
                points.rotate_left(turn);
                let triangles = triangulate(&points);
                let areas = areas(&points, &triangles);
                assert_eq!(triangles.len(), points.len() - 2);
                assert!(areas.iter().all(|area| *area > 0.0), "{areas:?}");
                let polygon: f64 =
                    (0..points.len()).map(|k| 0.5 * points[k].cross(points[(k + 1) % points.len()]).z).sum();
                assert!((areas.iter().sum::<f64>() - polygon).abs() < 1e-12, "{total}");
            }
        }
    }

    #[test]
    fn a_polygon_without_area_becomes_a_fan() {
        let points: Vec<DVec3> = (0..5).map(|k| DVec3::X * f64::from(k)).collect();
        assert_eq!(triangulate(&points), vec![[0, 1, 2], [0, 2, 3], [0, 3, 4]]);
    }
}
