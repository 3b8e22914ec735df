//! Material points of bodies: which vertices carry one, and which vertices are near it.
//!
//! A cloth with material coordinates is searched in the charts of its panels. Its panels may overlap there, so a point
//! belongs to one of them. Another cloth, and a rope, is searched as it was at time 0.

use crate::derive::bodies::{body_count, loose_vertices};
use crate::derive::world::World;
use crate::model::description::body_point::{BodyPoint, PointError};
use glam::DVec3;
use std::collections::{BTreeMap, BTreeSet};
use std::ops::Range;
use taffeta_core::index::DenseIndex;
use taffeta_core::panel_point::PanelSearch;
use taffeta_core::{FaceIndex, PanelPoint, VertexIndex};
use taffeta_solve::RopeModel;
use taffeta_solve::block::gather;

/// A material point on the present mesh.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct FoundPoint {
    /// The corners of its face; of a rope the ends of its segment, the second one repeated with the weight 0.
    pub corners: [VertexIndex; 3],
    /// Barycentric weights of the corners.
    pub weights: [f64; 3],
    /// Its face; `None`: it is on a rope.
    face: Option<FaceIndex>,
}

/// Vertices that carry a material point, with their weights: the corners of a face of a cloth, or the ends of a segment of a
/// rope. The second end is repeated with the weight 0. Bodies are numbered as in [`Grab::body`](crate::Grab::body).
///
/// # Errors
/// If the body has no such point, or if several panels cover it and none is named.
///
/// # Panics
/// If there is no body of that number.
pub fn find_point(
    world: &World,
    body: usize,
    point: impl Into<BodyPoint>,
) -> Result<([VertexIndex; 3], [f64; 3]), PointError> {
    let FoundPoint { corners, weights, .. } = locate(world, body, point.into())?;
    Ok((corners, weights))
}

/// See [`find_point`].
pub(crate) fn locate(world: &World, body: usize, point: BodyPoint) -> Result<FoundPoint, PointError> {
    assert!(body < body_count(&world.setup), "there is no body {body}");
    match rope_of(world, body) {
        Some((_, vertices)) => locate_on_rope(world, vertices, point),
        None => locate_on_faces(world, body, point),
    }
}

fn locate_on_faces(world: &World, cloth: usize, point: BodyPoint) -> Result<FoundPoint, PointError> {
    let sheet = &world.state.sheet;
    let has_material = world.setup.cloths.get(cloth).is_some_and(|cloth| cloth.has_material);
    let (panel, wanted) = match point {
        BodyPoint::Panel(_) if !has_material => return Err(PointError::NoMaterial),
        BodyPoint::Panel(PanelPoint { panel, material }) => (panel, material.extend(0.0)),
        // At time 0 panels are where they are, and do not overlap.
        BodyPoint::Start(start) => (None, start),
    };
    let is_start = matches!(point, BodyPoint::Start(_));
    let corners = |fi: FaceIndex| match is_start {
        true => (0, gather(sheet.topology.faces[fi], &sheet.starts)),
        false => (sheet.panels[fi], rest_corners(world, fi)),
    };
    let faces = || world.state.motion.faces_of(cloth as u32);
    let found = PanelSearch::run(faces().map(corners), wanted).choose(panel)?;
    let found = found.ok_or(PointError::NoSurface)?;
    let face = faces().nth(found.face as usize);
    let corners = sheet.topology.faces[face.expect("a face of the search")];
    Ok(FoundPoint { corners, weights: found.weights, face })
}

/// The corners of a face at rest \[m\]: in the chart of its panel, or of a cloth without material coordinates at time 0.
fn rest_corners(world: &World, fi: FaceIndex) -> [DVec3; 3] {
    let (sheet, rest) = (&world.state.sheet, &world.state.motion.rest);
    match world.setup.cloths[rest.cloths[fi] as usize].has_material {
        true => rest.corners[fi].map(|u| u.extend(0.0)),
        false => gather(sheet.topology.faces[fi], &sheet.starts),
    }
}

fn locate_on_rope(world: &World, vertices: Range<usize>, point: BodyPoint) -> Result<FoundPoint, PointError> {
    let BodyPoint::Start(point) = point else { return Err(PointError::NoMaterial) };
    let layout = &world.state.sheet.layout.raw;
    let mut best: Option<(f64, usize, f64)> = None;
    for i in vertices.start..vertices.end.saturating_sub(1) {
        let along = layout[i + 1] - layout[i];
        let part = ((point - layout[i]).dot(along) / along.length_squared()).clamp(0.0, 1.0);
        let distance = (layout[i] + along * part).distance_squared(point);
        if best.is_none_or(|(nearest, ..)| distance < nearest) {
            best = Some((distance, i, part));
        }
    }
    let (_, i, part) = best.ok_or(PointError::NoSurface)?;
    let corners = [i, i + 1, i + 1].map(VertexIndex::from_usize);
    Ok(FoundPoint { corners, weights: [1.0 - part, part, 0.0], face: None })
}

/// The vertices nearer to a point of a body than a radius \[m\], with the squares of their distances \[m²\], in dense
/// order. Along a rope the length of rope counts, because a coil lies beside itself. On a cloth the distance in the chart
/// of the panel counts; vertices are those that the edges of this panel join to the point within the radius. So a patch
/// ends at seams and does not reach a layer beside it.
pub(crate) fn find_near(
    world: &World,
    body: usize,
    found: &FoundPoint,
    radius: f64,
) -> Vec<(VertexIndex, f64)> {
    let near = match (rope_of(world, body), found.face) {
        (Some((model, vertices)), _) => distances_along(model, vertices, found),
        (None, Some(face)) => spread_on_panel(world, face, found.weights, radius),
        (None, None) => Vec::new(),
    };
    near.into_iter().filter(|(_, squared)| *squared < radius * radius).collect()
}

fn distances_along(
    model: &RopeModel,
    vertices: Range<usize>,
    FoundPoint { corners, weights, .. }: &FoundPoint,
) -> Vec<(VertexIndex, f64)> {
    let first = model.visible().start;
    let mut along = vec![0.0];
    (1..vertices.len()).for_each(|k| along.push(along[k - 1] + model.segment_length(first + k - 1)));
    let place = |k: usize| along[corners[k].to_usize() - vertices.start] * weights[k];
    let middle: f64 = (0..3).map(place).sum();
    let of = |(i, s): (usize, f64)| (VertexIndex::from_usize(i), (s - middle) * (s - middle));
    vertices.zip(along).map(of).collect()
}

/// Goes from the face of a point over faces of its panel, through vertices within the radius \[m\]. In a Delaunay
/// triangulation of a convex panel these are all vertices in the circle.
fn spread_on_panel(
    world: &World,
    face: FaceIndex,
    weights: [f64; 3],
    radius: f64,
) -> Vec<(VertexIndex, f64)> {
    let (topology, panels) = (&world.state.sheet.topology, &world.state.sheet.panels);
    let middle = mix(rest_corners(world, face), weights);
    let mut near: BTreeMap<VertexIndex, f64> = BTreeMap::new();
    let (mut seen, mut next) = (BTreeSet::from([face]), vec![face]);
    while let Some(fi) = next.pop() {
        for (vi, corner) in topology.faces[fi].into_iter().zip(rest_corners(world, fi)) {
            let squared = corner.distance_squared(middle);
            if squared >= radius * radius {
                continue;
            }
            near.entry(vi).and_modify(|known| *known = known.min(squared)).or_insert(squared);
            let beyond = topology.faces_around(vi).iter().copied();
            next.extend(beyond.filter(|other| panels[*other] == panels[face] && seen.insert(*other)));
        }
    }
    near.into_iter().collect()
}

/// The rope that a body is, and its vertices without those beyond clamped ends.
fn rope_of(world: &World, body: usize) -> Option<(&RopeModel, Range<usize>)> {
    let number = body.checked_sub(world.setup.cloths.len())?;
    let model = world.setup.bodies.get(number)?.rope.as_ref()?;
    Some((model, loose_vertices(world, number)))
}

/// The point of a triangle by its weights.
fn mix(corners: [DVec3; 3], weights: [f64; 3]) -> DVec3 {
    corners.iter().zip(weights).map(|(x, w)| *x * w).sum()
}
