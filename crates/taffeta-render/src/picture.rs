//! What a picture should look like.

use crate::camera::Camera;
use crate::error::RenderError;

/// Largest side of a picture \[pixels\]. The image itself then takes 200 MB; a larger number is a slip of the keyboard.
pub const SIDE_MAX: u32 = 8192;

/// The settings of a picture.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Picture {
    /// Width \[pixels\], at most [`SIDE_MAX`].
    pub width: u32,
    /// Height \[pixels\], at most [`SIDE_MAX`].
    pub height: u32,
    /// Whether the edges of the cloths' meshes are drawn, hidden ones removed.
    pub wireframe: bool,
    /// The camera; `None`: one that frames the cloths and the obstacles near them.
    pub camera: Option<Camera>,
    /// What the colors of the cloths mean.
    pub coloring: Coloring,
}

/// What the colors of the cloths mean.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Coloring {
    /// Nothing: each cloth has its own color, and a darker one of another hue on its back.
    #[default]
    Plain,
}

impl Default for Picture {
    fn default() -> Self {
        Self { width: 1280, height: 720, wireframe: false, camera: None, coloring: Coloring::Plain }
    }
}

impl Picture {
    /// Width over height.
    pub fn aspect(&self) -> f64 {
        f64::from(self.width) / f64::from(self.height)
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
