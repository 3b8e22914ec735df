//! Look of a picture.

use crate::camera::Camera;
use crate::error::RenderError;
use crate::labels::legend;
use crate::scale::Scale;
use glam::DVec3;

/// Largest side of a picture \[pixels\]. The image itself then takes 200 MB; a larger number is a slip of the keyboard.
pub const SIDE_MAX: u32 = 8192;

/// The settings of a picture.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Picture {
    /// Width \[pixels\], at most [`SIDE_MAX`].
    pub width: u32,
    /// Height \[pixels\], at most [`SIDE_MAX`].
    pub height: u32,
    /// True if the edges of the cloths' meshes are drawn, hidden ones removed.
    pub wireframe: bool,
    /// The camera; `None`: one that frames the cloths and the obstacles near them.
    pub camera: Option<Camera>,
    /// The direction from which light comes and which is upward where the camera is chosen: against gravity.
    pub up: DVec3,
    /// Meaning of the colors of the cloths.
    pub coloring: Coloring,
    /// Place of their legend.
    pub legend: LegendPlace,
}

/// Meaning of the colors of the cloths.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub enum Coloring {
    /// Nothing: each cloth has its own color, and a darker one of another hue on its back.
    #[default]
    Plain,
    /// The values of the bodies ([`Body::values`](crate::Body::values)); the picture has a legend.
    Scale(Scale),
}

/// Place of the legend of a scale.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum LegendPlace {
    /// In the picture, at the right border.
    #[default]
    Inside,
    /// Somewhere else, as for the pictures of a sheet: see [`SheetLayout`](crate::SheetLayout).
    Apart,
}

impl Default for Picture {
    fn default() -> Self {
        Self {
            width: 1280,
            height: 720,
            wireframe: false,
            camera: None,
            up: DVec3::Y,
            coloring: Coloring::Plain,
            legend: LegendPlace::Inside,
        }
    }
}

impl Picture {
    /// Width over height.
    pub fn aspect(&self) -> f64 {
        f64::from(self.width) / f64::from(self.height)
    }

    /// The share of the width that the legend covers at the right border.
    pub fn covered(&self) -> f64 {
        match (self.coloring, self.legend) {
            (Coloring::Scale(scale), LegendPlace::Inside) => {
                (f64::from(legend::legend_width(self.height, scale)) / f64::from(self.width)).min(0.5)
            }
            _ => 0.0,
        }
    }

    /// Checks the size.
    ///
    /// # Errors
    /// [`RenderError::SizeZero`] and [`RenderError::SizeTooLarge`].
    pub fn validate_size(&self) -> Result<(), RenderError> {
        let Self { width, height, .. } = *self;
        if width == 0 || height == 0 {
            return Err(RenderError::SizeZero { width, height });
        }
        if width > SIDE_MAX || height > SIDE_MAX {
            return Err(RenderError::SizeTooLarge { width, height, side: SIDE_MAX });
        }
        Ok(())
    }
}
