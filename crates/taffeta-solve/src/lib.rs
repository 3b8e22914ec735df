//! Materials, blocks and the solvers that drive them.
//!
//! One time step of length `h` minimizes `W(x) = 1/(2h²) (x−x̄)ᵀ M (x−x̄) + Σ_e ½ C_eᵀ α_e⁻¹ C_e` (variational implicit
//! Euler). Every elastic force is a [`block`]: a constraint vector, its Jacobian, its compliance. Three [`drivers`] run
//! over the same blocks:
//!
//! * The block driver updates the multipliers of one element at a time.
//! * The Newton driver solves for all positions at once. With a factorization, it is the oracle of everything else.
//! * The row driver takes one scalar row at a time, as the older position-based methods do.
//!
//! The driver of projective dynamics has constraints of its own, whose energies are distances to the admissible values.
//!
//! This crate knows dense arrays only: no mesh keys, no contact detection.

#![forbid(unsafe_code)]

pub mod block;
mod blocks;
pub mod buckling;
mod diagonal;
pub mod drivers;
mod energy;
pub mod kinds;
pub mod material;
mod matrices;
pub mod model;
pub mod patch;
pub mod plate;
pub mod rope;
pub mod solid;
pub mod state;
pub mod substeps;
mod sweeping;
#[cfg(test)]
mod testing;

pub use drivers::block::{BlockDriver, Substep};
pub use drivers::projective::{ProjectiveConstraints, ProjectiveDriver, ProjectiveProblem, ProjectiveTimes};
pub use drivers::rows::{ProjectedCloth, RowDriver, RowForce, RowStep};
pub use energy::ElasticEnergy;
pub use kinds::{Blocks, RopeBlocks, SolidBlocks};
pub use material::checks::MaterialError;
pub use material::stiffening::{self, Stiffening};
pub use material::tearing::{Tearing, membrane_stress};
pub use material::{DEFAULT_HARDENING, Material};
pub use model::{
    BendingModel, ClothModel, Compression, MembraneModel, MembraneScaling, ProjectionStiffness,
    StiffnessCorrection,
};
pub use patch::Patch;
pub use plate::{PlasticFlow, Plate, PlateState, Supports};
pub use rope::{PlacedRope, RopeBending, RopeMaterial, RopeModel};
pub use solid::SolidMaterial;
pub use state::RestShape;
pub use sweeping::{Sweeping, Sweeps};
