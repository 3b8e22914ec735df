//! Solids: materials, and the blocks of their tetrahedra.

use crate::block::tetrahedron::{NormalStrain, ShearStrain, Tetrahedron, VolumeStrain};
use crate::block::{Block, gather};
use crate::diagonal::diagonalize;
use crate::kinds::SolidBlocks;
use crate::material::checks::{MaterialError, check, check_friction, check_not_negative, check_positive};
use glam::DVec3;
use nalgebra::Matrix3;
use serde::{Deserialize, Serialize};
use taffeta_core::{Friction, VertexIndex};

/// An isotropic elastic solid.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct SolidMaterial {
    /// Density \[kg/m³\].
    pub density: f64,
    /// Young's modulus \[Pa\].
    pub young: f64,
    /// Poisson's ratio, above −1 and below ½.
    pub poisson: f64,
    /// Damping time constant \[s\].
    pub damping: f64,
    /// Modulus of a resistance to changes of volume on top of that of `young` and `poisson` \[Pa\]; 0: none. Other than the
    /// strains it resists being turned inside out.
    pub volume_stiffness: f64,
    /// Friction on obstacles.
    pub friction: Friction,
}

impl SolidMaterial {
    /// A material without damping and extra resistance to changes of volume.
    pub fn new(density: f64, young: f64, poisson: f64) -> Self {
        let friction = Friction::default();
        Self { density, young, poisson, damping: 0.0, volume_stiffness: 0.0, friction }
    }

    /// Checks the ranges.
    ///
    /// # Errors
    /// The first field that is out of its range.
    pub fn validate(&self) -> Result<(), MaterialError> {
        check_positive(&[("density", self.density), ("young", self.young)])?;
        check_not_negative(&[("damping", self.damping), ("volume_stiffness", self.volume_stiffness)])?;
        let allowed = "greater than -1 and less than 0.5, at which nothing could be compressed";
        check(allowed, &[("poisson", self.poisson)], |v| v > -1.0 && v < 0.5)?;
        check_friction(self.friction)
    }

    /// Shear modulus `E/(2(1+ν))` \[Pa\].
    pub fn shear_modulus(&self) -> f64 {
        self.young / (2.0 * (1.0 + self.poisson))
    }

    /// The block of the normal strains of a tetrahedron.
    pub fn normal_block(&self, shape: &Tetrahedron) -> NormalStrain {
        let (e, nu) = (self.young, self.poisson);
        let scale = e / ((1.0 + nu) * (1.0 - 2.0 * nu));
        let symmetric = |on: f64, off: f64| Matrix3::from_fn(|i, j| if i == j { on } else { off });
        NormalStrain {
            shape: shape.clone(),
            compliance: symmetric(1.0 / e, -nu / e),
            stiffness: symmetric((1.0 - nu) * scale, nu * scale),
            damping: self.damping,
        }
    }

    /// The block of the shear strains of a tetrahedron.
    pub fn shear_block(&self, shape: &Tetrahedron) -> ShearStrain {
        ShearStrain { shape: shape.clone(), modulus: self.shear_modulus(), damping: self.damping }
    }

    /// The block of the volume of a tetrahedron; `None` without an extra resistance.
    pub fn volume_block(&self, shape: &Tetrahedron) -> Option<VolumeStrain> {
        (self.volume_stiffness > 0.0).then(|| VolumeStrain {
            shape: shape.clone(),
            modulus: self.volume_stiffness,
            damping: self.damping,
        })
    }
}

impl SolidBlocks {
    /// Adds the blocks of one tetrahedron.
    pub fn push(&mut self, shape: &Tetrahedron, material: &SolidMaterial) {
        self.normal.push(material.normal_block(shape));
        self.shear.push(material.shear_block(shape));
        self.volume.extend(material.volume_block(shape));
    }

    /// Largest principal Green strain in absolute value.
    pub fn max_strain(&self, x: &[DVec3]) -> f64 {
        let strain = |b: &NormalStrain| {
            let (_, values) = diagonalize(&b.shape.strain(&gather(b.vertices(), x)));
            values.into_iter().fold(0.0, |largest: f64, value| largest.max(value.abs()))
        };
        self.normal.iter().map(strain).fold(0.0, f64::max)
    }

    /// The edges of all tetrahedra, an edge as often as it has tetrahedra, each with its rest length \[m\] and its sixth of
    /// the volume \[m³\].
    pub fn edges(&self) -> impl Iterator<Item = ([VertexIndex; 2], f64, f64)> + '_ {
        const PAIRS: [[usize; 2]; 6] = [[0, 1], [0, 2], [0, 3], [1, 2], [1, 3], [2, 3]];
        self.normal.iter().flat_map(|block| {
            let shape = &block.shape;
            // `F = I` maps the rest shape: its corners follow from the gradients.
            let rest = rest_corners(shape);
            PAIRS.into_iter().map(move |[a, b]| {
                ([shape.vertices[a], shape.vertices[b]], rest[a].distance(rest[b]), shape.volume / 6.0)
            })
        })
    }
}

/// The corners of a tetrahedron at rest, the first at the origin \[m\]: the inverse of its gradients.
fn rest_corners(shape: &Tetrahedron) -> [DVec3; 4] {
    let [_, b, c, d] = shape.gradients;
    let sixfold = 6.0 * shape.volume;
    [DVec3::ZERO, c.cross(d) * sixfold, d.cross(b) * sixfold, b.cross(c) * sixfold]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_stiffness_is_the_inverse_of_the_compliance() {
        let x = [DVec3::ZERO, DVec3::X, DVec3::Y, DVec3::Z];
        let shape = Tetrahedron::new([0, 1, 2, 3].map(VertexIndex), x);
        for poisson in [-0.5, 0.0, 0.3, 0.49] {
            let block = SolidMaterial::new(1.0, 3e4, poisson).normal_block(&shape);
            assert!((block.stiffness * block.compliance - Matrix3::identity()).norm() < 1e-12);
        }
    }

    #[test]
    fn rest_corners_come_back_from_the_gradients() {
        let x = [(0.1, 0.0, 0.2), (0.5, 0.1, 0.1), (0.2, 0.4, 0.0), (0.3, 0.2, 0.5)].map(DVec3::from);
        let shape = Tetrahedron::new([0, 1, 2, 3].map(VertexIndex), x);
        for (found, x1) in rest_corners(&shape).into_iter().zip(x) {
            assert!((found - (x1 - x[0])).length() < 1e-14);
        }
    }

    #[test]
    fn impossible_materials_are_refused() {
        let good = SolidMaterial::new(1000.0, 1e5, 0.3);
        assert!(good.validate().is_ok());
        for bad in [
            SolidMaterial { density: 0.0, ..good.clone() },
            SolidMaterial { young: f64::NAN, ..good.clone() },
            SolidMaterial { poisson: 0.5, ..good.clone() },
            SolidMaterial { poisson: -1.0, ..good.clone() },
            SolidMaterial { damping: -1.0, ..good.clone() },
            SolidMaterial { volume_stiffness: f64::INFINITY, ..good.clone() },
        ] {
            assert!(bad.validate().is_err(), "{bad:?}");
        }
    }
}
