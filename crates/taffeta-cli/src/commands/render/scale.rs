//! The scale of the colors of a picture or of a film.

use super::bodies::read_cloths;
use super::colors::{ColorBy, held_by, name};
use super::source::{Source, sample_evenly};
use crate::args::{ColorQuantity, ColorRange};
use crate::failure::Failure;
use taffeta_render::{Palette, Scale, Spacing};

/// Frames of an animation whose values the scale is made from: as even as the cloth moves.
const SCALED_FRAMES: usize = 60;

/// The scale of some frames, with given ends or with those of their values.
pub(super) fn find_scale(
    color: &ColorBy,
    source: &Source,
    frames: &[u64],
    range: Option<ColorRange>,
) -> Result<Scale, Failure> {
    let (title, spacing, palette) = match color.quantity {
        ColorQuantity::Size => ("edge length [m]", Spacing::Logarithmic, Palette::Sequential),
        ColorQuantity::Strain => ("strain", Spacing::Linear, Palette::Sequential),
        ColorQuantity::Curvature => ("curvature [1/m]", Spacing::Linear, Palette::Diverging),
        ColorQuantity::Velocity => ("speed [m/s]", Spacing::Linear, Palette::Sequential),
        ColorQuantity::PlasticCurvature => ("plastic curvature [1/m]", Spacing::Linear, Palette::Sequential),
        ColorQuantity::StrainJump => ("strain jump", Spacing::Linear, Palette::Sequential),
        ColorQuantity::CurvatureJump => ("curvature jump [1/m]", Spacing::Linear, Palette::Sequential),
    };
    if let Some(ColorRange { low, high }) = range {
        let scale = Scale { title, low, high, spacing, palette };
        scale.validate().map_err(|error| Failure::Usage(format!("--range: {error}")))?;
        return Ok(scale);
    }
    let mut values = Vec::new();
    for frame in sample_evenly(frames, SCALED_FRAMES) {
        let bodies = read_cloths(source, frame, Some(color))?;
        values.extend(bodies.into_iter().filter_map(|body| body.values).flatten());
    }
    match Scale::fitting(title, spacing, palette, &mut values) {
        Some(scale) => Ok(scale),
        None => Err(refuse(color, source, frames[frames.len() - 1])?),
    }
}

/// Why no body has a value.
fn refuse(color: &ColorBy, source: &Source, frame: u64) -> Result<Failure, Failure> {
    let (why, help) = match color.quantity {
        ColorQuantity::Size => ("no body is a surface", "ropes can be colored by velocity only"),
        ColorQuantity::Curvature => ("no body is a surface", "ropes can be colored by velocity only"),
        ColorQuantity::Strain => (
            "no cloth has material coordinates (vt) or strains in its frames",
            "name \"npz\" in output.formats, whose frames have the strains of every cloth",
        ),
        ColorQuantity::Velocity => (
            "velocities are neither in the frames nor to be had from the frames before and after",
            "name \"npz\" or \"ply\" in output.formats, whose frames have velocities",
        ),
        ColorQuantity::PlasticCurvature => (
            "no frame has it",
            "name \"npz\" or \"ply\" in output.formats, and give a cloth a material that yields (yield_curvature)",
        ),
        ColorQuantity::StrainJump | ColorQuantity::CurvatureJump => {
            ("no frame has it", "name \"npz\" or \"ply\" in output.formats, whose frames have it")
        }
    };
    let (folder, held) = (source.root().display(), held_by(&source.read_all(frame)?));
    Ok(Failure::Usage(format!(
        "{folder} cannot be colored by {}: {why}\n  = {help}; these frames have {held}",
        name(color.quantity)
    )))
}
