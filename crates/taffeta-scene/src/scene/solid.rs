//! Solids of a scene: from the shape to the tetrahedra.

use crate::solid_box::solid_box;
use glam::DVec3;
use taffeta_core::Placement;
use taffeta_sim::{PinDescription, SolidDescription, SolidMaterial};

/// One solid.
#[derive(Clone, Debug, PartialEq)]
pub struct SceneSolid {
    /// Name, unique in the scene: letters, digits, `-` and `_`.
    pub name: String,
    /// Lengths of the box along x, y and z, from the origin \[m\].
    pub size: DVec3,
    /// Cells of the box along x, y and z, of five tetrahedra each.
    pub cells: [u32; 3],
    /// The material.
    pub material: SolidMaterial,
    /// Where it is put.
    pub place: Placement,
    /// Initial velocity \[m/s\].
    pub velocity: DVec3,
    /// Initial angular velocity about the center of mass \[rad/s\].
    pub angular_velocity: DVec3,
    /// The pins.
    pub pins: Vec<PinDescription>,
}

/// A point of a solid whose motion is recorded.
#[derive(Clone, Debug, PartialEq)]
pub struct SolidProbe {
    /// Name, unique among all probes of the scene.
    pub name: String,
    /// Index of the solid in the scene.
    pub solid: usize,
    /// The point at rest, before the solid is placed \[m\].
    pub point: DVec3,
}

impl SceneSolid {
    /// The solid in the world.
    pub fn describe(&self) -> SolidDescription {
        let (positions, tetrahedra) = solid_box(self.size, self.cells);
        let positions = positions.into_iter().map(|point| self.place.apply(point)).collect();
        SolidDescription {
            velocity: self.velocity,
            angular_velocity: self.angular_velocity,
            pins: self.pins.clone(),
            ..SolidDescription::new(self.name.clone(), positions, tetrahedra, self.material.clone())
        }
    }
}
