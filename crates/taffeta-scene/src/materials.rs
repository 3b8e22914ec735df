//! Material presets with the origin of their figures.
//!
//! Textile laboratories measure fabrics at small loads with two families of instruments. Their figures convert to SI as
//! follows:
//!
//! | quantity | Kawabata KES-F (1980) | FAST (1989) | here |
//! |---|---|---|---|
//! | stretch | extension EMT at 500 gf/cm = 490 N/m | extension E100 at 100 gf/cm = 98 N/m | load / extension \[N/m\] |
//! | shear | G: 1 gf/(cm·degree) = 56.2 N/m | G \[N/m\] | G per radian \[N/m\] |
//! | bending | B: 1 gf·cm²/cm = 98.1 µN·m | B \[µN·m\] | B \[N·m\] |
//!
//! No preset is one measured specimen: each is a middle value of the ranges that are usual for its kind of fabric, and
//! its [`Figure`]s say which are so. What nobody tabulates (Poisson ratio of a weave, damping) is marked an estimate.
//! Wang, O'Brien and Ramamoorthi (*Data-driven elastic models for cloth*, 2011) fitted ten fabrics in the same regime;
//! the presets are not copies of their fits.

use taffeta_core::Friction;
use taffeta_solve::Material;

/// How far a figure can be trusted.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Basis {
    /// A middle value of what is usually measured on such sheets.
    TypicalRange,
    /// Computed from other figures.
    Derived,
    /// An estimate without a measurement behind it.
    Estimate,
}

impl Basis {
    /// The basis in words.
    pub fn words(self) -> &'static str {
        match self {
            Basis::TypicalRange => "typical of measurements",
            Basis::Derived => "derived",
            Basis::Estimate => "estimate",
        }
    }
}

/// The origin of some figures of a preset.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Figure {
    /// The fields, as in scene files.
    pub fields: &'static str,
    /// How far they can be trusted.
    pub basis: Basis,
    /// Where they come from.
    pub source: &'static str,
}

/// A material with a name.
#[derive(Clone, Debug, PartialEq)]
pub struct Preset {
    /// Name, as in scene files.
    pub name: &'static str,
    /// What it is.
    pub description: &'static str,
    /// The figures, in SI units.
    pub material: Material,
    /// Where the figures come from.
    pub figures: &'static [Figure],
}

/// The preset of a name, if there is one.
pub fn preset(name: &str) -> Option<Preset> {
    presets().into_iter().find(|preset| preset.name == name)
}

/// All presets.
pub fn presets() -> Vec<Preset> {
    vec![cotton(), silk(), denim(), paper()]
}

/// What the weaves have in common: damping and Poisson ratio are estimates.
const WEAVE: Figure = Figure {
    fields: "poisson, stretch_damping, bend_damping",
    basis: Basis::Estimate,
    source: "KES and FAST report neither; woven fabrics at small strain contract little across the load",
};
const FABRIC_FRICTION: Figure = Figure {
    fields: "friction",
    basis: Basis::Estimate,
    source: "between the KES-F4 surface coefficient MIU (0.15 to 0.3, metal on fabric) and fabric on fabric (0.3 to 0.7)",
};

fn cotton() -> Preset {
    Preset {
        name: "cotton",
        description: "plain-woven cotton shirting, 150 g/m²",
        material: Material {
            density: 0.15,
            thickness: 0.0004,
            stretch: [8000.0, 4000.0],
            poisson: 0.2,
            shear: Some(60.0),
            bend: [1.0e-5, 6.0e-6],
            bend_poisson: None,
            stretch_damping: 0.0,
            bend_damping: 0.0,
            friction: Friction { static_: 0.4, kinetic: 0.3 },
        },
        figures: &[
            Figure {
                fields: "density, thickness",
                basis: Basis::TypicalRange,
                source: "shirting of 100 to 180 g/m², 0.25 to 0.5 mm at low pressure",
            },
            Figure {
                fields: "stretch",
                basis: Basis::TypicalRange,
                source: "KES-F1 extension at 490 N/m of about 6 % in warp and 12 % in weft",
            },
            Figure {
                fields: "shear",
                basis: Basis::TypicalRange,
                source: "KES-F1 G of 0.5 to 2 gf/(cm·degree)",
            },
            Figure {
                fields: "bend",
                basis: Basis::TypicalRange,
                source: "KES-F2 B of 0.05 to 0.15 gf·cm²/cm",
            },
            WEAVE,
            FABRIC_FRICTION,
        ],
    }
}

fn silk() -> Preset {
    Preset {
        name: "silk",
        description: "light plain-woven silk (habotai), 70 g/m²",
        material: Material {
            density: 0.07,
            thickness: 0.00018,
            stretch: [10_000.0, 6000.0],
            poisson: 0.2,
            shear: Some(18.0),
            bend: [3.0e-6, 2.0e-6],
            bend_poisson: None,
            stretch_damping: 0.0,
            bend_damping: 0.0,
            friction: Friction { static_: 0.25, kinetic: 0.2 },
        },
        figures: &[
            Figure {
                fields: "density, thickness",
                basis: Basis::TypicalRange,
                source: "habotai of 16 momme (1 momme = 4.34 g/m²), 0.15 to 0.25 mm",
            },
            Figure {
                fields: "stretch",
                basis: Basis::TypicalRange,
                source: "KES-F1 extension at 490 N/m of about 5 % in warp and 8 % in weft",
            },
            Figure {
                fields: "shear",
                basis: Basis::TypicalRange,
                source: "KES-F1 G of 0.2 to 0.5 gf/(cm·degree)",
            },
            Figure {
                fields: "bend",
                basis: Basis::TypicalRange,
                source: "KES-F2 B of 0.01 to 0.05 gf·cm²/cm",
            },
            WEAVE,
            FABRIC_FRICTION,
        ],
    }
}

fn denim() -> Preset {
    Preset {
        name: "denim",
        description: "cotton twill for jeans, 400 g/m² (12 oz)",
        material: Material {
            density: 0.40,
            thickness: 0.0009,
            stretch: [15_000.0, 8000.0],
            poisson: 0.25,
            shear: Some(170.0),
            bend: [8.0e-5, 4.0e-5],
            bend_poisson: None,
            stretch_damping: 0.0,
            bend_damping: 0.0,
            friction: Friction { static_: 0.5, kinetic: 0.4 },
        },
        figures: &[
            Figure {
                fields: "density, thickness",
                basis: Basis::TypicalRange,
                source: "12 oz/yd² = 407 g/m², 0.7 to 1.1 mm",
            },
            Figure {
                fields: "stretch",
                basis: Basis::TypicalRange,
                source: "KES-F1 extension at 490 N/m of about 3 % in warp and 6 % in weft",
            },
            Figure {
                fields: "shear",
                basis: Basis::TypicalRange,
                source: "KES-F1 G of 2 to 5 gf/(cm·degree)",
            },
            Figure { fields: "bend", basis: Basis::TypicalRange, source: "KES-F2 B of 0.3 to 1 gf·cm²/cm" },
            WEAVE,
            FABRIC_FRICTION,
        ],
    }
}

fn paper() -> Preset {
    Preset {
        name: "paper",
        description: "office paper, 80 g/m²; warp is the machine direction",
        material: Material {
            density: 0.08,
            thickness: 0.0001,
            stretch: [5.0e5, 3.0e5],
            poisson: 0.3,
            shear: Some(1.5e5),
            bend: [4.4e-4, 2.6e-4],
            bend_poisson: None,
            stretch_damping: 0.0,
            bend_damping: 0.0,
            friction: Friction { static_: 0.5, kinetic: 0.4 },
        },
        figures: &[
            Figure {
                fields: "density, thickness",
                basis: Basis::TypicalRange,
                source: "80 g/m² is the grade's definition; about 0.1 mm",
            },
            Figure {
                fields: "stretch",
                basis: Basis::Derived,
                source: "E·h with E of about 5 GPa along and 3 GPa across the machine direction",
            },
            Figure {
                fields: "shear",
                basis: Basis::Derived,
                source: "G ≈ 0.387 √(E₁E₂) for machine-made paper (Baum, Brennan and Habeger 1981)",
            },
            Figure {
                fields: "bend",
                basis: Basis::Derived,
                source: "E·h³/12(1−ν₁₂ν₂₁), a homogeneous sheet",
            },
            Figure {
                fields: "poisson, stretch_damping, bend_damping, friction",
                basis: Basis::Estimate,
                source: "Poisson ratios of paper scatter from 0.1 to 0.45; paper on paper slides at 0.4 to 0.6",
            },
        ],
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_preset_is_a_valid_material_with_sources_for_all_fields() {
        for preset in presets() {
            preset.material.validate().unwrap();
            for field in
                ["density", "thickness", "stretch", "poisson", "shear", "bend", "damping", "friction"]
            {
                assert!(preset.figures.iter().any(|f| f.fields.contains(field)), "{} {field}", preset.name);
            }
        }
        assert!(preset("cotton").is_some() && preset("steel").is_none());
    }

    #[test]
    fn paper_bends_as_a_homogeneous_sheet_does() {
        let paper = preset("paper").unwrap().material;
        let product = paper.poisson * paper.poisson * paper.stretch[1] / paper.stretch[0];
        for k in 0..2 {
            let bend = paper.stretch[k] * paper.thickness * paper.thickness / (12.0 * (1.0 - product));
            assert!((paper.bend[k] / bend - 1.0).abs() < 0.02, "{bend}");
        }
    }
}
