//! Content of a picture, and the part of it that the camera frames.

use crate::error::RenderError;
use glam::DVec3;
use taffeta_core::TriangleMesh;

/// An obstacle is framed only if its diagonal is at most this multiple of the cloths' diagonal. Larger, and the
/// cloths would shrink to a speck in front of a wall.
const FRAMED_SIZE_MAX: f64 = 3.0;
/// … and if its distance from the cloths is at most this multiple of their diagonal.
const FRAMED_GAP_MAX: f64 = 0.5;

/// One body of a picture.
#[derive(Clone, Debug, PartialEq)]
pub struct Body {
    /// Its surface in world space \[m\].
    pub mesh: TriangleMesh,
    /// Kind of the body, which decides how it is drawn.
    pub kind: BodyKind,
    /// A value for each vertex, by which a cloth is colored if the picture has a [`Scale`](crate::Scale); a vertex whose
    /// value is not finite is gray. `None`: the whole body is.
    pub values: Option<Vec<f64>>,
}

/// Kind of a body.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum BodyKind {
    /// A sheet with two sides, in a color of its own.
    Cloth {
        /// The number of the cloth in its scene, which chooses the color.
        index: usize,
    },
    /// A solid, drawn in gray.
    Obstacle,
    /// A piece of an infinite plane: fades into the background, is never framed, casts no shadow, and is not seen
    /// from below.
    Floor,
}

impl Body {
    /// A body without values.
    pub fn new(mesh: TriangleMesh, kind: BodyKind) -> Self {
        Self { mesh, kind, values: None }
    }

    /// Checks that positions are finite and that faces refer to vertices of the mesh. `body` is the place in the list,
    /// for the message.
    pub(crate) fn validate(&self, body: usize) -> Result<(), RenderError> {
        if let Some(vertex) = self.mesh.positions.iter().position(|p| !p.is_finite()) {
            return Err(RenderError::PositionNotFinite { body, vertex });
        }
        let vertex_count = self.mesh.positions.len();
        for (face, corners) in self.mesh.faces.iter().enumerate() {
            if let Some(corner) = corners.iter().copied().find(|corner| *corner as usize >= vertex_count) {
                return Err(RenderError::CornerOutOfRange { body, face, corner, vertex_count });
            }
        }
        if let Some(values) = self.values.as_ref().filter(|values| values.len() != vertex_count) {
            return Err(RenderError::ValueCount { body, value_count: values.len(), vertex_count });
        }
        Ok(())
    }
}

/// The smallest box around two boxes \[m\].
pub fn union_bounds(a: [DVec3; 2], b: [DVec3; 2]) -> [DVec3; 2] {
    [a[0].min(b[0]), a[1].max(b[1])]
}

/// The box that the camera should frame \[m\]: all cloths, and the obstacles near them that are not much larger.
/// Without cloths: all obstacles; without these: the floors. `None` if there are no vertices.
///
/// For a sequence, take the union over its frames ([`union_bounds`]) and give one [`Camera`](crate::Camera) to all
/// pictures.
pub fn compute_framing_bounds(bodies: &[Body]) -> Option<[DVec3; 2]> {
    let union = |wanted: fn(BodyKind) -> bool| {
        let boxes = bodies.iter().filter(|body| wanted(body.kind)).filter_map(|body| body.mesh.bounds());
        boxes.reduce(union_bounds)
    };
    let Some(cloths) = union(|kind| matches!(kind, BodyKind::Cloth { .. })) else {
        return union(|kind| kind == BodyKind::Obstacle).or_else(|| union(|_| true));
    };
    let diagonal = cloths[0].distance(cloths[1]);
    let mut framed = cloths;
    for body in bodies.iter().filter(|body| body.kind == BodyKind::Obstacle) {
        let Some(bounds) = body.mesh.bounds() else { continue };
        let gap = (bounds[0] - cloths[1]).max(cloths[0] - bounds[1]).max(DVec3::ZERO).length();
        if bounds[0].distance(bounds[1]) <= FRAMED_SIZE_MAX * diagonal && gap <= FRAMED_GAP_MAX * diagonal {
            framed = union_bounds(framed, bounds);
        }
    }
    Some(framed)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn square(center: DVec3, half_size: f64, kind: BodyKind) -> Body {
        let corner = |x: f64, z: f64| center + DVec3::new(x, 0.0, z) * half_size;
        let positions = vec![corner(-1.0, -1.0), corner(1.0, -1.0), corner(1.0, 1.0), corner(-1.0, 1.0)];
        let mesh = TriangleMesh { positions, faces: vec![[0, 2, 1], [0, 3, 2]], material: None };
        Body::new(mesh, kind)
    }

    #[test]
    fn only_near_obstacles_of_similar_size_are_framed() {
        let cloth = square(DVec3::ZERO, 1.0, BodyKind::Cloth { index: 0 });
        let near = square(DVec3::new(0.0, -1.0, 0.0), 0.5, BodyKind::Obstacle);
        let far = square(DVec3::new(9.0, 0.0, 0.0), 0.5, BodyKind::Obstacle);
        let huge = square(DVec3::new(0.0, -1.5, 0.0), 50.0, BodyKind::Obstacle);
        let floor = square(DVec3::new(0.0, -2.0, 0.0), 1.0, BodyKind::Floor);
        let framed = compute_framing_bounds(&[cloth, near, far, huge, floor]);
        assert_eq!(framed, Some([DVec3::new(-1.0, -1.0, -1.0), DVec3::new(1.0, 0.0, 1.0)]));
    }

    #[test]
    fn a_scene_without_cloths_frames_what_there_is() {
        let floor = square(DVec3::ZERO, 3.0, BodyKind::Floor);
        let solid = square(DVec3::ONE, 1.0, BodyKind::Obstacle);
        assert_eq!(compute_framing_bounds(std::slice::from_ref(&floor)), floor.mesh.bounds());
        assert_eq!(compute_framing_bounds(&[floor, solid.clone()]), solid.mesh.bounds());
        assert_eq!(compute_framing_bounds(&[]), None);
    }
}
