//! Drape coefficients of real fabrics.

/// Range of the drape of a kind of fabric.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Published {
    /// Name of the preset.
    pub preset: &'static str,
    /// Range of the drape coefficient \[%\].
    pub coefficient: [f64; 2],
    /// True if it falls into folds, of which there are 3 to 8; stiffer sheets hardly do.
    pub has_folds: bool,
    /// The kind of fabric, or of bending length, that the range is of.
    pub kind: &'static str,
}

/// Ranges of kinds of fabric, and of fabrics by their bending length where their kind has none.
const PUBLISHED: [Published; 21] = [
    row("cotton", [40.0, 76.0], "dress and shirting cotton"),
    row("poplin", [60.0, 83.0], "shirting cotton; 82.9 % measured on cotton broad"),
    row("charmeuse", [20.0, 40.0], "silk"),
    row("silk_chiffon", [20.0, 40.0], "silk"),
    row("silk", [20.0, 40.0], "silk"),
    row("denim", [70.0, 90.0], "denim"),
    Published { has_folds: false, ..row("paper", [92.0, 100.0], "c above 5 cm") },
    Published { has_folds: false, ..row("origami", [92.0, 100.0], "c above 5 cm") },
    row("wool", [40.0, 70.0], "wool suiting"),
    row("tropical", [40.0, 70.0], "wool suiting; 49.8 % measured on wool tropical"),
    row("linen", [40.0, 70.0], "c of 1.5 to 2.5 cm"),
    row("canvas", [65.0, 92.0], "c of 2.5 to 4 cm"),
    row("jersey", [15.0, 40.0], "knits"),
    row("chiffon", [15.0, 40.0], "c below 1.5 cm"),
    row("satin", [15.0, 40.0], "c below 1.5 cm; 28.3 % measured on polyester faille"),
    row("taffeta", [40.0, 70.0], "c of 1.5 to 2.5 cm"),
    row("velvet", [40.0, 70.0], "c of 1.5 to 2.5 cm"),
    row("fleece", [40.0, 70.0], "c of 1.5 to 2.5 cm"),
    Published { has_folds: false, ..row("felt", [65.0, 100.0], "c of 2.5 to 5 cm") },
    row("leather", [47.0, 70.0], "garment leather"),
    row("rubber", [40.0, 70.0], "c of 1.5 to 2.5 cm"),
];

const fn row(preset: &'static str, coefficient: [f64; 2], kind: &'static str) -> Published {
    Published { preset, coefficient, has_folds: true, kind }
}

/// The range of the fabric of a preset.
pub fn published(preset: &str) -> Option<&'static Published> {
    PUBLISHED.iter().find(|row| row.preset == preset)
}

#[cfg(test)]
mod tests {
    use super::*;
    use taffeta_scene::materials::presets;

    #[test]
    fn every_preset_has_a_range() {
        let missing: Vec<_> = presets().into_iter().filter(|p| published(p.name).is_none()).collect();
        assert!(missing.is_empty(), "{missing:?}");
        assert_eq!(PUBLISHED.len(), presets().len());
    }
}
