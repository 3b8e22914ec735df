//! Quantities that pictures are colored by.

use clap::ValueEnum;
use clap::builder::{PossibleValue, StringValueParser, TypedValueParser};
use std::ffi::OsStr;

/// Quantities that the colors of a picture can show.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum ColorQuantity {
    /// Edge length that was wanted, or else that of the mesh
    Size,
    /// Largest principal stretch, less 1
    Strain,
    /// Mean curvature
    Curvature,
    /// Speed
    Velocity,
    /// Curvature of the folds that stay, of cloths whose material yields
    #[value(name = "plastic_curvature", alias = "plastic-curvature")]
    PlasticCurvature,
    /// Largest difference of the strain between a face and its neighbors: where the mesh is too coarse for it
    #[value(name = "strain_jump", alias = "strain-jump")]
    StrainJump,
    /// Difference of the curvature to that of neighboring faces
    #[value(name = "curvature_jump", alias = "curvature-jump")]
    CurvatureJump,
}

/// A quantity, or a word that is none: what else there is depends on the frames, which are not read yet.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ColorName {
    /// It is known.
    Known(ColorQuantity),
    /// It is not.
    Unknown(String),
}

/// Reads the name of a quantity; words that are none are left to the command.
#[derive(Clone, Copy, Debug)]
pub(super) struct QuantityParser;

impl TypedValueParser for QuantityParser {
    type Value = ColorName;

    fn parse_ref(
        &self,
        command: &clap::Command,
        argument: Option<&clap::Arg>,
        value: &OsStr,
    ) -> Result<ColorName, clap::Error> {
        let word = StringValueParser::new().parse_ref(command, argument, value)?;
        Ok(ColorQuantity::from_str(&word, true).map_or(ColorName::Unknown(word), ColorName::Known))
    }

    fn possible_values(&self) -> Option<Box<dyn Iterator<Item = PossibleValue> + '_>> {
        let quantities = ColorQuantity::value_variants().iter();
        Some(Box::new(quantities.filter_map(ValueEnum::to_possible_value)))
    }
}
