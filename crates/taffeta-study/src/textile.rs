//! Tests of the textile industry on a material: Cusick's drape.
//!
//! ```text
//! Material, DrapeSettings ──► annulus: the mesh ──► drape: the weight grows slowly ──► shadow: coefficient, folds
//! ```

mod annulus;
mod drape;
mod published;
mod shadow;

pub use annulus::AnnulusPattern;
pub use drape::{Drape, DrapeError, DrapeSettings, drape};
pub use published::{Published, published};
pub use shadow::{Shadow, cast_shadow};

/// Radius of the support \[m\]: BS 5058, ISO 9073-9.
pub const SUPPORT_RADIUS: f64 = 0.09;
/// Radius of the specimen \[m\].
pub const SPECIMEN_RADIUS: f64 = 0.15;
