//! Coulomb friction coefficients.

use serde::{Deserialize, Serialize};

/// The friction of one body. A pair has the geometric mean of the two.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct Friction {
    /// Coefficient of static friction.
    #[serde(rename = "static")]
    pub static_: f64,
    /// Coefficient of kinetic friction, at most the static one.
    pub kinetic: f64,
}

impl Default for Friction {
    fn default() -> Self {
        Self { static_: 0.4, kinetic: 0.3 }
    }
}

impl Friction {
    /// No friction.
    pub const NONE: Self = Self { static_: 0.0, kinetic: 0.0 };

    /// Describes what is wrong with the coefficients; `None` if they are valid.
    pub fn find_defect(&self) -> Option<String> {
        let Self { static_, kinetic } = *self;
        if !static_.is_finite() || !kinetic.is_finite() || kinetic < 0.0 {
            return Some(format!(
                "friction is {static_} static, {kinetic} kinetic; both must be finite and at least 0"
            ));
        }
        let reversed = kinetic > static_;
        reversed.then(|| format!("kinetic friction is {kinetic}, more than the static friction {static_}"))
    }

    /// The coefficients of two bodies in contact: the geometric mean.
    pub fn pair(self, other: Self) -> Self {
        Self {
            static_: (self.static_ * other.static_).sqrt(),
            kinetic: (self.kinetic * other.kinetic).sqrt(),
        }
    }
}
