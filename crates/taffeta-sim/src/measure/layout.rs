//! Points of bodies by their places in the layout: the same points of the material, whatever their mesh is like.
//!
//! The layout of a cloth is its material plane, or how it was at time 0; that of a rope is how it was at time 0.

use crate::derive::bodies::{body_count, loose_vertices};
use crate::derive::world::World;
use glam::DVec3;
use std::ops::Range;
use taffeta_core::geometry::closest_point_on_triangle;
use taffeta_core::index::DenseIndex;
use taffeta_core::{FaceIndex, VertexIndex};
use taffeta_solve::RopeModel;
use taffeta_solve::block::gather;

/// The face of a cloth and the weights of its corners where a point of the layout \[m\] is nearest, with the lowest
/// number of those that are equally near; of a rope its segment, whose second end is repeated with the weight 0.
/// `None`: the body has neither. Bodies are numbered as in [`Grab::body`](crate::Grab::body).
///
/// # Panics
/// If there is no body of that number.
pub fn find_layout_point(world: &World, body: usize, point: DVec3) -> Option<([VertexIndex; 3], [f64; 3])> {
    assert!(body < body_count(world), "there is no body {body}");
    match rope_of(world, body) {
        Some((_, vertices)) => find_on_rope(world, vertices, point),
        None => find_on_faces(world, body, point),
    }
}

/// Where the point of the layout \[m\] of a body is in the world now \[m\].
///
/// # Panics
/// If there is no body of that number.
pub fn find_layout_position(world: &World, body: usize, point: DVec3) -> Option<DVec3> {
    let (corners, weights) = find_layout_point(world, body, point)?;
    Some(mix(gather(corners, &world.state.motion.positions), weights))
}

/// How far each vertex of a body is in the layout from a point that was [found](Self::find_layout_point) there, squared
/// \[m²\]: of a cloth straight, along a rope by the length of rope between them, because a coil lies beside itself.
pub(crate) fn distances_in_layout(
    world: &World,
    body: usize,
    (corners, weights): ([VertexIndex; 3], [f64; 3]),
) -> Vec<(VertexIndex, f64)> {
    if let Some((model, vertices)) = rope_of(world, body) {
        let first = model.visible().start;
        let mut along = vec![0.0];
        (1..vertices.len()).for_each(|k| along.push(along[k - 1] + model.segment_length(first + k - 1)));
        let place = |k: usize| along[corners[k].to_usize() - vertices.start] * weights[k];
        let middle: f64 = (0..3).map(place).sum();
        let of = |(i, s): (usize, f64)| (VertexIndex::from_usize(i), (s - middle) * (s - middle));
        return vertices.zip(along).map(of).collect();
    }
    let layout = &world.state.sheet.layout;
    let middle = mix(gather(corners, layout), weights);
    let of = |i: usize| (VertexIndex::from_usize(i), layout.raw[i].distance_squared(middle));
    world.state.sheet.vertex_range(body as u32).map(of).collect()
}

/// Returns whether a body has faces, or is a rope, so that a point can be on it.
pub(crate) fn has_layout_points(world: &World, body: usize) -> bool {
    rope_of(world, body).is_some() || world.state.motion.faces_of(body as u32).next().is_some()
}

/// The rope that a body is, and its vertices without those beyond clamped ends.
fn rope_of(world: &World, body: usize) -> Option<(&RopeModel, Range<usize>)> {
    let number = body.checked_sub(world.setup.cloths.len())?;
    let model = world.setup.bodies.get(number)?.rope.as_ref()?;
    Some((model, loose_vertices(world, number)))
}

fn find_on_faces(world: &World, cloth: usize, point: DVec3) -> Option<([VertexIndex; 3], [f64; 3])> {
    let mut best: Option<(f64, FaceIndex, [f64; 3])> = None;
    for fi in world.state.motion.faces_of(cloth as u32) {
        let corners = gather(world.state.sheet.topology.faces[fi], &world.state.sheet.layout);
        let weights = closest_point_on_triangle(point, corners);
        let distance = mix(corners, weights).distance_squared(point);
        if best.is_none_or(|(nearest, ..)| distance < nearest) {
            best = Some((distance, fi, weights));
        }
    }
    best.map(|(_, fi, weights)| (world.state.sheet.topology.faces[fi], weights))
}

fn find_on_rope(world: &World, vertices: Range<usize>, point: DVec3) -> Option<([VertexIndex; 3], [f64; 3])> {
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
    let ends = |i: usize| [i, i + 1, i + 1].map(VertexIndex::from_usize);
    best.map(|(_, i, part)| (ends(i), [1.0 - part, part, 0.0]))
}

/// The point of a triangle by its weights.
fn mix(corners: [DVec3; 3], weights: [f64; 3]) -> DVec3 {
    corners.iter().zip(weights).map(|(x, w)| *x * w).sum()
}
