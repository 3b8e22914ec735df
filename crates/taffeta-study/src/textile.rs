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

/// Sizes of the drape test. They differ between standards, and coefficients with them.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct DrapeSizes {
    /// Radius of the support \[m\].
    pub support: f64,
    /// Radius of the specimen \[m\].
    pub specimen: f64,
}

impl DrapeSizes {
    /// BS 5058 and ISO 9073-9, the specimen of medium size.
    pub const CUSICK: Self = Self { support: 0.09, specimen: 0.15 };
    /// JIS L 1096.
    pub const JIS: Self = Self { support: 0.0635, specimen: 0.127 };

    /// Width of what hangs over \[m\].
    pub fn width(self) -> f64 {
        self.specimen - self.support
    }
}
