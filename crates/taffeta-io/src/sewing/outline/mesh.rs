//! Triangles between polygons: a lattice of points inside, a constrained Delaunay triangulation, refined where angles are
//! small (J. Ruppert, A Delaunay refinement algorithm for quality 2-dimensional mesh generation, 1995).

use super::chords::sides;
use glam::DVec2;
use spade::{AngleLimit, ConstrainedDelaunayTriangulation, Point2, RefinementParameters, Triangulation};
use std::collections::BTreeSet;
use taffeta_core::TriangleMesh;
use taffeta_core::components::Components;

/// Area of an equilateral triangle over the square of its edge.
pub(crate) const FACE_SHARE: f64 = 0.433_012_701_892_219_3;
/// Height of an equilateral triangle over its edge.
const ROW_SHARE: f64 = 0.866_025_403_784_438_6;
/// Points of the lattice keep this distance from the outline, in edges: nearer, and angles at the outline would be small;
/// much farther, and edges there long.
const MARGIN: f64 = 0.6;
/// Smallest angle inside \[degrees\], but for corners that the outline itself makes. Ruppert's method ends for up to 20 by
/// its proof, and for up to 30 or so in practice.
const ANGLE_DEG: f64 = 27.0;
/// Faces are at most this many times as large as an equilateral one.
const AREA_MAX: f64 = 1.6;

/// The triangles between polygons, piece by piece. Inside and outside alternate.
pub(crate) fn triangulate(loops: &[Vec<DVec2>], edge_length: f64) -> Result<TriangleMesh, String> {
    let mut points: Vec<DVec2> = loops.iter().flatten().copied().collect();
    let mut edges = Vec::with_capacity(points.len());
    let mut start = 0;
    for polygon in loops {
        let count = polygon.len();
        edges.extend((0..count).map(|k| [start + k, start + (k + 1) % count]));
        start += count;
    }
    points.extend(lattice(loops, edge_length));
    let most = 4 * points.len() + 1000;
    let vertices = points.iter().map(|p| Point2::new(p.x, p.y)).collect();
    let mut triangulation = ConstrainedDelaunayTriangulation::<Point2<f64>>::bulk_load_cdt(vertices, edges)
        .map_err(|error| error.to_string())?;
    let settings = RefinementParameters::<f64>::new()
        .with_angle_limit(AngleLimit::from_deg(ANGLE_DEG))
        .with_max_allowed_area(AREA_MAX * FACE_SHARE * edge_length * edge_length)
        .with_max_additional_vertices(most)
        .exclude_outer_faces(true);
    let refined = triangulation.refine(settings);
    let outside: BTreeSet<usize> = refined.excluded_faces.iter().map(|face| face.index()).collect();
    let places: Vec<DVec2> = triangulation
        .vertices()
        .map(|vertex| {
            let p = vertex.position();
            DVec2::new(p.x, p.y)
        })
        .collect();
    let faces = triangulation.inner_faces().filter(|face| !outside.contains(&face.fix().index()));
    let faces = faces.map(|face| face.vertices().map(|vertex| vertex.fix().index() as u32)).collect();
    Ok(sort_pieces(&places, faces))
}

/// The points of a triangular lattice that lie inside of polygons and not near their sides.
fn lattice(loops: &[Vec<DVec2>], edge_length: f64) -> Vec<DVec2> {
    let all: Vec<[DVec2; 2]> = loops.iter().flat_map(|points| sides(points)).collect();
    let corners = loops.iter().flatten();
    let (low, high) =
        corners.fold((DVec2::INFINITY, DVec2::NEG_INFINITY), |(low, high), p| (low.min(*p), high.max(*p)));
    let (row_height, margin) = (ROW_SHARE * edge_length, MARGIN * edge_length);
    let rows = ((high.y - low.y) / row_height) as usize + 1;
    // The sides that come near each row, and all that the row crosses.
    let mut near: Vec<Vec<[DVec2; 2]>> = vec![Vec::new(); rows];
    let row_y = |row: usize| low.y + (row as f64 + 0.5) * row_height;
    for side in all {
        let (bottom, top) = (side[0].y.min(side[1].y) - margin, side[0].y.max(side[1].y) + margin);
        let first = ((bottom - low.y) / row_height - 0.5).ceil().max(0.0) as usize;
        (first..rows).take_while(|row| row_y(*row) <= top).for_each(|row| near[row].push(side));
    }
    let mut points = Vec::new();
    for (row, mut sides) in near.into_iter().enumerate() {
        let y = row_y(row);
        let crossing = |[a, b]: &[DVec2; 2]| {
            let x = a.x + (b.x - a.x) * (y - a.y) / (b.y - a.y);
            ((a.y > y) != (b.y > y)).then_some(x)
        };
        let mut crossings: Vec<f64> = sides.iter().filter_map(crossing).collect();
        crossings.sort_unstable_by(f64::total_cmp);
        sides.sort_unstable_by(|s, t| s[0].x.min(s[1].x).total_cmp(&t[0].x.min(t[1].x)));
        let shift = low.x + 0.5 * edge_length * (row % 2) as f64;
        for pair in crossings.as_chunks::<2>().0 {
            let first = ((pair[0] - shift) / edge_length).ceil() as i64;
            let last = ((pair[1] - shift) / edge_length).floor() as i64;
            for k in first..=last {
                let p = DVec2::new(shift + k as f64 * edge_length, y);
                // Sides are no longer than an edge: those that end farther to the left cannot be near.
                let begin = sides.partition_point(|s| s[0].x.min(s[1].x) < p.x - margin - 1.01 * edge_length);
                let mut beside = sides[begin..].iter().take_while(|s| s[0].x.min(s[1].x) <= p.x + margin);
                if beside.all(|side| distance(p, *side) >= margin) {
                    points.push(p);
                }
            }
        }
    }
    points
}

/// The distance of a point from a segment.
fn distance(p: DVec2, [a, b]: [DVec2; 2]) -> f64 {
    let along = (b - a) * ((p - a).dot(b - a) / (b - a).length_squared()).clamp(0.0, 1.0);
    p.distance(a + along)
}

/// A mesh of the vertices that faces use. Pieces come in the order of their first vertices, which are those of the
/// polygons; in a piece, vertices keep their order and faces are sorted by their corners.
fn sort_pieces(places: &[DVec2], mut faces: Vec<[u32; 3]>) -> TriangleMesh {
    let mut joined = Components::new(places.len());
    for [a, b, c] in &faces {
        joined.join(*a, *b);
        joined.join(*b, *c);
    }
    let labels = joined.labels();
    for face in &mut faces {
        let smallest = (0..3).min_by_key(|k| face[*k]).unwrap_or(0);
        face.rotate_left(smallest);
    }
    faces.sort_unstable_by_key(|face| (labels[face[0] as usize], *face));
    let mut used: Vec<u32> = faces.iter().flatten().copied().collect();
    used.sort_unstable_by_key(|v| (labels[*v as usize], *v));
    used.dedup();
    let mut new_from_old = vec![0; places.len()];
    used.iter().zip(0..).for_each(|(old, new)| new_from_old[*old as usize] = new);
    let coords: Vec<DVec2> = used.iter().map(|old| places[*old as usize]).collect();
    let mut mesh = TriangleMesh {
        positions: coords.iter().map(|u| u.extend(0.0)).collect(),
        faces: faces.iter().map(|face| face.map(|v| new_from_old[v as usize])).collect(),
        material: None,
    };
    mesh.set_vertex_material(&coords);
    mesh
}
