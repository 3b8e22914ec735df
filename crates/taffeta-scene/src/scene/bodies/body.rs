//! Bodies of a scene: descriptions without points, and where these come from.

use super::cloth_shape::ClothShape;
use super::rope::RopeShape;
use super::seam::SceneSeam;
use super::solid::{ShapeOfSolid, SolidShape};
use glam::DVec3;
use std::ops::Deref;
use taffeta_core::Placement;
use taffeta_sim::{ClothDescription, PinDescription, RopeDescription, SolidDescription};

/// A body of a scene. It dereferences to its description.
#[derive(Clone, Debug, PartialEq)]
pub struct SceneBody<S, D> {
    /// Source of its mesh or points.
    pub shape: S,
    /// Placement of these.
    pub place: Placement,
    /// Seams; cloths alone have some. Vertex numbers are those of the mesh file.
    pub seams: Vec<SceneSeam>,
    /// All else. Vertex numbers of pins are those of the mesh file, and directions are those before it is placed.
    pub description: D,
}

/// A cloth of a scene.
pub type SceneCloth = SceneBody<ClothShape, ClothDescription>;
/// A rope of a scene.
pub type SceneRope = SceneBody<RopeShape, RopeDescription>;
/// A solid of a scene.
pub type SceneSolid = SceneBody<SolidShape, SolidDescription>;

impl<S, D> Deref for SceneBody<S, D> {
    type Target = D;

    fn deref(&self) -> &D {
        &self.description
    }
}

impl SceneRope {
    /// The rope in the world.
    pub fn describe(&self) -> RopeDescription {
        let points = self.shape.points().into_iter().map(|point| self.place.apply(point)).collect();
        let rotation = self.place.pose().rotation;
        let plane = self.plane.map(|normal| rotation * normal);
        RopeDescription { points, plane, ..self.description.clone() }
    }
}

impl SceneSolid {
    /// The solid in the world without its pins.
    pub(crate) fn describe(&self, shape: &ShapeOfSolid) -> SolidDescription {
        let positions = shape.positions.iter().map(|point| self.place.apply(*point)).collect();
        let tetrahedra = shape.tetrahedra.clone();
        SolidDescription { positions, tetrahedra, pins: Vec::new(), ..self.description.clone() }
    }

    /// A pin of the solid in the world, or why it holds nothing.
    pub(crate) fn describe_pin(
        &self,
        pin: &PinDescription,
        shape: &ShapeOfSolid,
        description: &SolidDescription,
    ) -> Result<PinDescription, String> {
        let pin = PinDescription { region: shape.renumber(&pin.region)?, ..pin.clone() };
        match description.find_pin_defect(&pin) {
            Some(reason) => Err(reason),
            None => Ok(pin),
        }
    }

    /// The box \[m\] around the solid at rest before it is placed, from where its vertices are placed \[m\]. `None` without
    /// vertices.
    pub fn bounds(&self, placed: &[DVec3]) -> Option<[DVec3; 2]> {
        // Without the round-off of the way to the place and back.
        if let SolidShape::Box { size, .. } = self.shape {
            return Some([DVec3::ZERO, size]);
        }
        let mut points = placed.iter().map(|point| self.place.apply_inverse(*point));
        let first = points.next()?;
        Some(points.fold([first, first], |[low, high], point| [low.min(point), high.max(point)]))
    }
}
