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
//! | loss of stretch | resilience RT | – | at most (1 − RT)/π: a first pull leaves some set |
//! | loss of bending | hysteresis 2HB | – | (2/π) 2HB/(B κ) at a curvature κ of 1/cm |
//!
//! The loss factor is the energy lost in a cycle over 2π times the energy stored. The loss of friction between yarns hardly
//! depends on the frequency. The model is a viscous stress `τ` times the rate of the elastic one. Its loss is `2πfτ`, which is
//! right at one frequency and the same on every mesh and for every step. Folds that vibrate faster die away sooner than those
//! of real cloth.
//!
//! No preset is one measured specimen. Some figures are measured on a fabric of that kind, most are middle values of the usual
//! ranges: its [`Figure`]s say which.
//! What follows from the definition of a grade or from another figure is derived. What
//! nobody tabulates (Poisson ratio of a weave), and ranges that no source at hand confirms, are marked an estimate.
//! Wang, O'Brien and Ramamoorthi (*Data-driven elastic models for cloth*, 2011) fitted ten fabrics in the same regime;
//! the presets are not copies of their fits.

use serde::Deserialize;
use std::collections::BTreeMap;
use std::f64::consts::TAU;
use std::sync::LazyLock;
use taffeta_core::Friction;
use taffeta_solve::{DEFAULT_HARDENING, Material};

/// Basis of a figure: measured or estimated.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Basis {
    /// Measured on a fabric of that kind, by the publication that is named.
    Measured,
    /// A middle value of what is usually measured on such sheets.
    #[serde(rename = "typical")]
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
            Basis::Measured => "measured",
            Basis::TypicalRange => "typical of measurements",
            Basis::Derived => "derived",
            Basis::Estimate => "estimate",
        }
    }
}

/// The origin of some figures of a preset.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Figure {
    /// The fields, as in scene files.
    pub fields: &'static str,
    /// Their basis.
    pub basis: Basis,
    /// Their source.
    pub source: &'static str,
}

/// A material with a name.
#[derive(Clone, Debug, PartialEq)]
pub struct Preset {
    /// Name, as in scene files.
    pub name: &'static str,
    /// Description of the material.
    pub description: &'static str,
    /// The figures, in SI units.
    pub material: Material,
    /// Sources of the figures.
    pub figures: Vec<Figure>,
}

/// The preset of a name, if there is one.
pub fn preset(name: &str) -> Option<Preset> {
    presets().into_iter().find(|preset| preset.name == name)
}

/// All presets, in the order in which they are listed.
pub fn presets() -> Vec<Preset> {
    static PRESETS: LazyLock<Vec<Preset>> = LazyLock::new(|| {
        let table: Table = toml::from_str(include_str!("materials/presets.toml")).expect("a test reads it");
        table.preset.iter().map(|row| row.preset(&table.shared)).collect()
    });
    PRESETS.clone()
}

/// The file of the presets.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Table {
    /// Origins that several presets name.
    #[serde(borrow)]
    shared: BTreeMap<&'static str, Figure>,
    preset: Vec<Row>,
}

/// The origin of some figures in the file.
#[derive(Deserialize)]
#[serde(untagged)]
enum Origin {
    /// One of those that presets share, by its name.
    Shared(&'static str),
    /// One of its own.
    Own(Figure),
}

/// The frequency at which the loss factors of the presets are taken \[Hz\]: cloth that hangs sways, and its folds open and
/// close, at one to ten.
const LOSS_FREQUENCY: f64 = 3.0;

/// A preset in the file, with what presets have in common left out.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Row {
    name: &'static str,
    description: &'static str,
    /// Areal density \[kg/m²\].
    density: f64,
    /// Thickness \[m\].
    thickness: f64,
    /// Stiffness along warp and weft \[N/m\].
    stretch: [f64; 2],
    /// Linearity of the tensile curve; `None`: 1.
    linearity: Option<f64>,
    poisson: f64,
    /// Shear stiffness \[N/m\].
    shear: f64,
    /// Plate stiffness along warp and weft \[N·m\].
    bend: [f64; 2],
    /// Poisson ratio of bending; `None`: that of the membrane.
    bend_poisson: Option<f64>,
    /// Loss factors of stretch and of bending at [`LOSS_FREQUENCY`].
    loss: [f64; 2],
    /// Elastic curvature beyond which folds stay \[1/m\]; `None`: they do not.
    yield_curvature: Option<f64>,
    /// Static and kinetic coefficient.
    friction: [f64; 2],
    figures: Vec<Origin>,
}

impl Row {
    fn preset(&self, shared: &BTreeMap<&str, Figure>) -> Preset {
        let [static_, kinetic] = self.friction;
        // A sheet with the damping time τ has the loss factor 2πfτ. Digits below a tenth of a millisecond mean nothing.
        let time = |loss: f64| (loss / (TAU * LOSS_FREQUENCY) * 1e4).round() / 1e4;
        let [stretch_damping, bend_damping] = self.loss.map(time);
        let material = Material {
            density: self.density,
            thickness: self.thickness,
            stretch: self.stretch,
            linearity: self.linearity.unwrap_or(1.0),
            poisson: self.poisson,
            shear: Some(self.shear),
            bend: self.bend,
            bend_poisson: self.bend_poisson,
            yield_curvature: self.yield_curvature,
            yield_hardening: DEFAULT_HARDENING,
            stretch_damping,
            bend_damping,
            friction: Friction { static_, kinetic },
            tearing: None,
        };
        let figure = |origin: &Origin| match origin {
            Origin::Shared(name) => shared[name],
            Origin::Own(figure) => *figure,
        };
        let figures = self.figures.iter().map(figure).collect();
        Preset { name: self.name, description: self.description, material, figures }
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
            let has_source = preset.figures.iter().any(|f| f.fields.contains("yield_curvature"));
            assert_eq!(preset.material.yield_curvature.is_some(), has_source, "{}", preset.name);
            let has_source = preset.figures.iter().any(|f| f.fields.contains("linearity"));
            assert_eq!(preset.material.linearity < 1.0, has_source, "{}", preset.name);
        }
        assert!(preset("cotton").is_some() && preset("steel").is_none());
        let names: Vec<&str> = presets().iter().map(|preset| preset.name).collect();
        assert!(names.len() >= 12 && (1..names.len()).all(|k| !names[..k].contains(&names[k])), "{names:?}");
    }

    #[test]
    fn figures_have_the_size_of_sheets_and_not_of_other_units() {
        for Preset { name, material, .. } in presets() {
            // Bulk density of anything between fleece and rubber.
            let bulk = material.density / material.thickness;
            assert!((40.0..1500.0).contains(&bulk), "{name}: {bulk} kg/m³");
            for k in 0..2 {
                // Layers that slide bend more easily than a solid plate of the same stretch, never less.
                let plate = material.stretch[k] * material.thickness.powi(2) / 12.0;
                assert!(material.bend[k] < 1.4 * plate, "{name}: {} against {plate}", material.bend[k]);
                // It hangs by itself a length of some centimeters to decimeters: (D/ρg)^⅓.
                let length = (material.bend[k] / (material.density * 9.81)).cbrt();
                assert!((0.004..0.1).contains(&length), "{name}: {length} m");
            }
        }
    }

    #[test]
    fn every_preset_loses_a_part_of_the_energy_of_a_cycle() {
        for Preset { name, material, .. } in presets() {
            for time in [material.stretch_damping, material.bend_damping] {
                // The energy lost in a cycle over the energy stored: 2π times the loss factor.
                let lost = TAU * TAU * LOSS_FREQUENCY * time;
                // Cotton broad, with 2HB/B of 1.05 per cm, loses most.
                assert!((0.2..4.3).contains(&lost), "{name}: {lost}");
            }
            assert!(material.bend_damping >= material.stretch_damping, "{name}");
        }
    }

    #[test]
    fn a_rubber_sheet_is_a_homogeneous_plate() {
        let rubber = preset("rubber").unwrap().material;
        let (young, h, poisson) = (1.5e6, rubber.thickness, rubber.poisson);
        // Plane stress: stretch = E h, shear = E h/2(1+ν), bend = E h³/12(1−ν²).
        assert!((rubber.stretch[0] / (young * h) - 1.0).abs() < 1e-12);
        assert!((rubber.shear.unwrap() / (young * h / (2.0 * (1.0 + poisson))) - 1.0).abs() < 0.01);
        let plate = young * h.powi(3) / (12.0 * (1.0 - poisson * poisson));
        assert!((rubber.bend[0] / plate - 1.0).abs() < 0.02, "{plate}");
    }

    #[test]
    fn paper_bends_as_a_homogeneous_sheet_does() {
        for paper in ["paper", "origami"].map(|name| preset(name).unwrap().material) {
            let product = paper.poisson * paper.poisson * paper.stretch[1] / paper.stretch[0];
            for k in 0..2 {
                let bend = paper.stretch[k] * paper.thickness * paper.thickness / (12.0 * (1.0 - product));
                assert!((paper.bend[k] / bend - 1.0).abs() < 0.02, "{bend}");
            }
        }
    }
}
