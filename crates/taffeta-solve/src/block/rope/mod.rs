//! Blocks of ropes: their stretch, their torsion, and three ways to bend them.

pub mod acos;
pub mod angle;
pub mod bend;
pub mod stretch;
pub mod torsion;

pub use acos::AcosAngle;
pub use angle::RopeAngle;
pub use bend::RopeBend;
pub use stretch::RopeStretch;
pub use torsion::RopeTorsion;
