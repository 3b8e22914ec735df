//! The cloth as a thin plate: curvature of each face from the angles of its edges.
//!
//! ```text
//!          b              edge a → b runs counter-clockwise in T₁ (corner c) and clockwise in T₂ (corner d)
//!        / | \            θ > 0 for a bowl that opens along the normals
//!       d  |  c           η = θ/2 + s φ in each face, s = +1 in T₁ and −1 in T₂
//!        \ | /            κ = (1/A) Σ_i L_i η_i (t_x², t_y², 2 t_x t_y),  t the outward unit normals in material space
//!          a              E = ½ (η − η₀)ᵀ K (η − η₀),  K_ij = v_iᵀ D v_j,  v_i = (L_i/√A) (t_x², t_y², 2 t_x t_y)
//! ```
//!
//! The scalar `φ` of an edge has no mass. It turns the normal at the middle of the edge away from the mean of the two
//! faces' normals. It takes the value that minimizes the energy. That makes the element the Morley plate element for small
//! deflections, which converges on every triangulation. For large rotations `θ` is the true angle. With all `φ = 0` it is
//! the averaged curvature tensor. With a diagonal `K` it is a set of hinges, in which form the Newton drivers treat them.
//!
//! Edges are of three kinds:
//! * between two faces: `η = θ/2 ± φ`;
//! * free boundary: its `η` is eliminated exactly, `K ← K − K_b K_bᵀ / K_bb`;
//! * clamped: the sheet's direction is prescribed as a normal `ν` beyond the edge, and `η = θ(n, ν)`.
//!
//! A face of which all corners are held keeps a part of its `K`. The part belongs to the edges that it shares with faces
//! that are not held. The clamp then acts in the middle of the held row of cells, as with hinges.
//!
//! Morley 1968; mid-edge normals for shells: Grinspun et al. 2006.

mod build;
mod measure;
mod plastic;
#[cfg(test)]
mod plastic_tests;
mod scalars;
#[cfg(test)]
mod tests;

pub use build::Supports;
pub(crate) use build::rest_eta;
pub use measure::{angle, angle_gradients};
pub use plastic::PlasticFlow;

use crate::model::BendingModel;
use glam::DVec3;
use nalgebra::{Matrix3, Vector3};
use taffeta_core::{EdgeIndex, FaceIndex, VertexIndex};

/// All bending of a world in terms of curvature.
#[derive(Clone, Debug, Default)]
pub struct Plate {
    /// The faces that bend, in dense order.
    pub faces: Vec<PlateFace>,
    /// The edges about which they bend, in dense order.
    pub edges: Vec<PlateEdge>,
}

/// State that the shape of a plate depends on besides the positions.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct PlateState {
    /// `φ` of every edge of the plate \[rad\].
    pub scalars: Vec<f64>,
    /// The unit normals beyond the clamped edges, in the order of the clamps.
    pub clamps: Vec<DVec3>,
}

impl PlateState {
    /// The state of a plate with all scalars zero.
    pub fn new(plate: &Plate, clamps: Vec<DVec3>) -> Self {
        Self { scalars: vec![0.0; plate.edges.len()], clamps }
    }
}

/// A face that bends.
#[derive(Clone, Debug)]
pub struct PlateFace {
    /// The face in dense order.
    pub face: FaceIndex,
    /// Its corners.
    pub vertices: [VertexIndex; 3],
    /// Edge `k`, from corner `k` to `k + 1`, as a number in [`Plate::edges`]; `None`: without an angle of its own.
    pub edges: [Option<u32>; 3],
    /// `s` of each edge in this face.
    pub signs: [f64; 3],
    /// `K` \[N·m\]; rows and columns of edges that are `None` are zero.
    pub stiffness: Matrix3<f64>,
    /// `η₀` \[rad\].
    pub rest: Vector3<f64>,
    /// Damping time constant \[s\].
    pub damping: f64,
    /// Bending law of its cloth; `K` of hinges is diagonal.
    pub model: BendingModel,
    /// True if its material yields and it is free to.
    pub can_yield: bool,
}

/// An edge about which faces bend.
#[derive(Clone, Debug)]
pub struct PlateEdge {
    /// The edge in dense order.
    pub edge: EdgeIndex,
    /// `a, b, c, d`; a clamped edge has `d = c`, and its face runs along `a → b`.
    pub vertices: [VertexIndex; 4],
    /// The faces `T₁` and `T₂` as numbers in [`Plate::faces`], each with the place of the edge in it. A clamped edge
    /// has only the first.
    pub sides: [Option<(u32, u8)>; 2],
    /// `∂η/∂θ`: ½ between two faces, 1 at a clamp.
    pub share: f64,
    /// True if the edge has a `φ`.
    pub has_scalar: bool,
    /// Number of the clamp; `None`: not clamped.
    pub clamp: Option<u32>,
    /// Angle at the start of the step \[rad\], against which the angle is unwrapped.
    pub reference: f64,
    /// Doubled rest areas of the two faces \[m²\], below a thousandth of which the gradients are kept finite.
    pub doubled_areas: [f64; 2],
}

impl PlateFace {
    /// `η` for the angles `θ` and scalars `φ` of the edges \[rad\].
    pub fn eta(&self, edges: &[PlateEdge], angles: &[f64], scalars: &[f64]) -> Vector3<f64> {
        let eta = |k: usize| match self.edges[k] {
            Some(e) => edges[e as usize].share * angles[e as usize] + self.signs[k] * scalars[e as usize],
            None => self.rest[k],
        };
        Vector3::new(eta(0), eta(1), eta(2))
    }
}
