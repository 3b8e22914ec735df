//! Which blocks a cloth gets.

use crate::buckling::critical_stress;
use crate::material::Material;
use glam::DVec2;
use serde::{Deserialize, Serialize};
use taffeta_core::math::{self, Sym2};

/// Membrane law of a cloth: the constraint vector of a triangle, or springs along its edges.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub enum MembraneModel {
    /// Green strain.
    #[default]
    Strain,
    /// Lengths of the three edges, with the same linear elasticity.
    Edges,
    /// The strain energy as one scalar row, in the form whose energy is that of `Strain`.
    Energy,
    /// The strain energy as one scalar row, as published: an energy of the fourth order in the strain.
    EnergyPublished,
    /// No membrane: the surface of a solid, which its tetrahedra hold.
    None,
    /// One spring along each edge, of the mean of the material's stiffness along warp and weft. For drivers of scalar
    /// rows.
    Distance,
}

/// Scaling of the constraints of the membrane.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
pub enum MembraneScaling {
    /// With the square root of the area of each triangle: the sum of the energies approximates that of the continuum.
    #[default]
    ByArea,
    /// With the square root of this area \[m²\], for all triangles, as if the constraint were not scaled at all. Twice as
    /// many triangles make the cloth twice as stiff. For comparison.
    Fixed(f64),
}

impl MembraneScaling {
    /// By what the compliance of a triangle of this area \[m²\] is multiplied. `C = √A₀ E` with the compliance `α` and
    /// `C = √A E` with `α A/A₀` have the same energy and the same updates, so the blocks need no second form.
    pub fn softening(self, area: f64) -> f64 {
        match self {
            Self::ByArea => 1.0,
            Self::Fixed(fixed) => area / fixed,
        }
    }
}

/// Bound on the compression of a triangle. Only for [`MembraneModel::Strain`], scaled by area.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
pub enum Compression {
    /// Any, by the law of the material.
    #[default]
    Full,
    /// As much as the cloth in it bears without buckling, see [`buckling`](crate::buckling).
    Buckling {
        /// The stress at which it buckles, relative to that of half waves as long as the triangle: `factor^(−½)` times as long.
        factor: f64,
    },
}

impl Compression {
    /// Half waves that are as long as the triangle.
    pub const BUCKLING: Self = Self::Buckling { factor: 1.0 };
}

/// Bending law of a cloth.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub enum BendingModel {
    /// Curvature of each face, with one massless scalar per edge: the same on every triangulation.
    #[default]
    Curvature,
    /// Curvature of each face from the halved angles of its edges.
    Averaged,
    /// Angle between the two faces of an edge.
    Hinge,
    /// Laplacian of the positions, for flat rest shapes that bend without stretching.
    Quadratic,
    /// Mean curvature of each inner vertex: bending of projective dynamics, for that solver only.
    MeanCurvature,
    /// No bending resistance.
    None,
}

impl BendingModel {
    /// Returns whether the model knows the curvature of each face as a tensor, of which a part can be plastic.
    pub fn knows_plastic_folds(self) -> bool {
        match self {
            Self::Curvature | Self::Averaged => true,
            Self::Hinge | Self::Quadratic | Self::MeanCurvature | Self::None => false,
        }
    }
}

/// Material and choice of blocks of one cloth.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct ClothModel {
    /// The material.
    pub material: Material,
    /// Constraint of a triangle.
    pub membrane: MembraneModel,
    /// Scaling of that constraint.
    pub scaling: MembraneScaling,
    /// Bound on the compression of a triangle.
    pub compression: Compression,
    /// Constraint of an inner edge.
    pub bending: BendingModel,
    /// Curvature at rest `κ_uu, κ_vv, κ_uv` \[1/m\], positive for a bowl that opens along the face normals.
    pub rest_curvature: [f64; 3],
}

impl ClothModel {
    /// The stress at which the cloth buckles within a triangle of these gradients of the hat functions \[1/m\], see
    /// [`critical_stress`]; `None` where a triangle bears any compression. Zero if nothing resists bending.
    pub fn critical_stress(&self, gradients: [DVec2; 3]) -> Option<Sym2> {
        let Compression::Buckling { factor } = self.compression else { return None };
        let bend = if self.bending == BendingModel::None { [0.0; 2] } else { self.material.bend };
        Some(critical_stress(gradients, bend.map(|stiffness| factor * stiffness)))
    }

    /// Returns whether folds of the cloth stay: its material yields, and its bending model knows the curvature of
    /// faces.
    pub fn yields(&self) -> bool {
        self.material.yield_curvature.is_some() && self.bending.knows_plastic_folds()
    }
}

/// Reference of the stiffness `k` of a projection.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub enum StiffnessCorrection {
    /// Every sweep takes back the part `k`: the more sweeps, the stiffer the cloth.
    #[default]
    Plain,
    /// All sweeps of a substep together take back the part `k` of what is violated, if nothing else moves it: each takes
    /// `k' = 1 − (1 − k)^(1/n)` (Müller et al. 2007, section 3.3).
    PerSubstep,
}

impl StiffnessCorrection {
    /// The part of a violation that one of `sweeps` sweeps takes back, for a stiffness `k` from 0 to 1.
    pub fn part_per_sweep(self, k: f64, sweeps: u32) -> f64 {
        match self {
            Self::Plain => k,
            Self::PerSubstep if k < 1.0 => 1.0 - math::exp(math::ln(1.0 - k) / f64::from(sweeps)),
            Self::PerSubstep => 1.0,
        }
    }
}

/// Stiffness of a cloth under position-based dynamics, which knows no material.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct ProjectionStiffness {
    /// `k` of the lengths of the edges, from 0 to 1.
    pub stretch: f64,
    /// `k` of the angles of the inner edges, from 0 to 1.
    pub bend: f64,
    /// Reference of both.
    pub correction: StiffnessCorrection,
}

impl Default for ProjectionStiffness {
    fn default() -> Self {
        Self { stretch: 1.0, bend: 0.1, correction: StiffnessCorrection::Plain }
    }
}
