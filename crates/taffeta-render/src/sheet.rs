//! Several pictures on one sheet, each with a label.

use crate::error::RenderError;
use crate::image::Image;
use crate::labels::legend::{draw_legend, legend_width};
use crate::labels::text::{draw_text, fill, letter_size, text_width};
use crate::picture::SIDE_MAX;
use crate::scale::Scale;

/// Space between pictures \[pixels\].
const GAP: u32 = 4;
/// Color of that space and of the labels \[sRGB\].
const GAP_COLOR: [u8; 3] = [0xff; 3];
const INK: [u8; 3] = [0x22, 0x26, 0x2e];
/// Color of what is below a label \[sRGB\], and how much of the picture it hides.
const PANEL: ([u8; 3], f32) = ([0xff; 3], 0.72);

/// Layout of pictures on a sheet.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct SheetLayout {
    /// Pictures side by side.
    pub columns: u32,
    /// Rows of pictures.
    pub rows: u32,
    /// Width of each picture \[pixels\].
    pub width: u32,
    /// Height of each picture \[pixels\].
    pub height: u32,
    /// The scale of the colors of all pictures, whose legend stands to the right of them.
    pub scale: Option<Scale>,
}

impl SheetLayout {
    /// Layout of `count` pictures on a sheet of about `width` × `height` \[pixels\], in a grid that is as square as it can be.
    /// Each picture then has nearly the shape of the sheet.
    ///
    /// # Errors
    /// [`RenderError::SizeZero`] and [`RenderError::SizeTooLarge`] if the sheet has no pixels for all of them, or too many.
    pub fn fitting(count: u32, width: u32, height: u32, scale: Option<Scale>) -> Result<Self, RenderError> {
        if width > SIDE_MAX || height > SIDE_MAX {
            return Err(RenderError::SizeTooLarge { width, height, side: SIDE_MAX });
        }
        let count = count.max(1);
        let columns = (1..=count).find(|columns| columns * columns >= count).unwrap_or(1);
        let rows = count.div_ceil(columns);
        let part = |whole: u32, parts: u32| whole.saturating_sub((parts - 1) * GAP) / parts;
        let legend = scale.map_or(0, |scale| legend_width(height, scale));
        let width = part(width.saturating_sub(legend), columns);
        let layout = Self { columns, rows, width, height: part(height, rows), scale };
        if layout.width == 0 || layout.height == 0 {
            return Err(RenderError::SizeZero { width: layout.width, height: layout.height });
        }
        Ok(layout)
    }

    /// Puts pictures on a sheet, row by row, each with a label in its upper left corner.
    ///
    /// # Errors
    /// [`RenderError::SizeMismatch`] if a picture is not of the layout's size.
    ///
    /// # Panics
    /// If there are more pictures than places.
    pub fn compose(&self, pictures: &[(Image, String)]) -> Result<Image, RenderError> {
        let Self { columns, rows, width, height, scale } = *self;
        assert!(pictures.len() <= (columns * rows) as usize, "a sheet has no more places than it has");
        let total = |side: u32, parts: u32| parts * side + (parts - 1) * GAP;
        let sheet_height = total(height, rows);
        let legend = scale.map_or(0, |scale| legend_width(sheet_height, scale));
        let mut sheet = Image::new(total(width, columns) + legend, sheet_height, GAP_COLOR);
        if let Some(scale) = scale {
            draw_legend(&mut sheet, scale);
        }
        for ((picture, label), place) in pictures.iter().zip(0..) {
            let found = picture.size();
            if found != [width, height] {
                return Err(RenderError::SizeMismatch { expected: [width, height], found });
            }
            let (x, y) = (place % columns * (width + GAP), place / columns * (height + GAP));
            sheet.paste(picture, [x, y]);
            draw_label(&mut sheet, [x as f32, y as f32], letter_size(height), label);
        }
        Ok(sheet)
    }
}

/// A text on a light panel whose upper left corner is at a place \[pixels\].
fn draw_label(image: &mut Image, [x, y]: [f32; 2], size: f32, text: &str) {
    fill(image, [x, y, text_width(text, size) + size, 1.7 * size], PANEL.0, PANEL.1);
    draw_text(image, [x + 0.5 * size, y + 0.85 * size], size, INK, text);
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_sheet_has_a_place_for_every_picture() {
        for count in 1..40 {
            let layout = SheetLayout::fitting(count, 1280, 720, None).unwrap();
            assert!(layout.columns * layout.rows >= count);
            assert!(layout.columns * (layout.rows - 1) < count, "no row is empty: {layout:?}");
        }
        assert!(SheetLayout::fitting(900, 20, 20, None).is_err());
        assert!(SheetLayout::fitting(4, 1_000_000, 20, None).is_err());
    }

    #[test]
    fn pictures_lie_row_by_row_and_must_have_their_size() {
        let layout = SheetLayout::fitting(3, 204, 104, None).unwrap();
        let picture = |tone: u8| (Image::new(100, 50, [tone; 3]), String::new());
        let sheet = layout.compose(&[picture(10), picture(20), picture(30)]).unwrap();
        assert_eq!(sheet.size(), [204, 104]);
        let tone = |x: u32, y: u32| sheet.pixel(x, y)[0];
        assert_eq!([tone(90, 40), tone(190, 40), tone(90, 90), tone(190, 90)], [10, 20, 30, 255]);
        let wrong = layout.compose(&[(Image::new(9, 9, [0; 3]), String::new())]);
        assert!(matches!(wrong, Err(RenderError::SizeMismatch { found: [9, 9], .. })));
    }
}
