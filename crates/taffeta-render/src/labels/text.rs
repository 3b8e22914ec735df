//! Short texts in pictures.
//!
//! Glyphs are drawn by `ab_glyph` from the font Hack (MIT license), which comes with a crate, so that pictures are the
//! same on every machine.

use crate::image::Image;
use ab_glyph::{Font, FontRef, PxScale, ScaleFont, point};
use std::sync::LazyLock;

/// Letters of a picture are its height over this \[pixels\] …
const LINES: f32 = 40.0;
/// … but never smaller than this \[pixels\]: they could not be read.
const SMALLEST: f32 = 11.0;

static FONT: LazyLock<FontRef<'static>> = LazyLock::new(|| {
    FontRef::try_from_slice(epaint_default_fonts::HACK_REGULAR).expect("the font is part of the program")
});

/// The height of the letters of a picture with a height \[pixels\].
pub(crate) fn letter_size(height: u32) -> f32 {
    (height as f32 / LINES).max(SMALLEST).round()
}

/// The width of a text \[pixels\].
pub(crate) fn text_width(text: &str, size: f32) -> f32 {
    let font = FONT.as_scaled(PxScale::from(size));
    text.chars().map(|letter| font.h_advance(font.glyph_id(letter))).sum()
}

/// Writes a text whose left end and vertical middle are at a place \[pixels\]. What lies outside of the picture is left
/// out.
pub(crate) fn draw_text(image: &mut Image, [x, y]: [f32; 2], size: f32, color: [u8; 3], text: &str) {
    let font = FONT.as_scaled(PxScale::from(size));
    let baseline = y + 0.5 * (font.ascent() + font.descent());
    let mut pen = x;
    for letter in text.chars() {
        let glyph = font.glyph_id(letter).with_scale_and_position(size, point(pen, baseline));
        pen += font.h_advance(glyph.id);
        let Some(outline) = font.outline_glyph(glyph) else { continue };
        let corner = outline.px_bounds().min;
        outline.draw(|i, j, coverage| {
            let (column, row) = (corner.x + i as f32, corner.y + j as f32);
            if column >= 0.0 && row >= 0.0 {
                blend(image, [column as u32, row as u32], color, coverage);
            }
        });
    }
}

/// Mixes a color into a pixel, if the picture has it.
pub(crate) fn blend(image: &mut Image, [x, y]: [u32; 2], color: [u8; 3], opacity: f32) {
    if let Some(pixel) = image.pixel_mut(x, y) {
        for (channel, new) in pixel.iter_mut().zip(color) {
            let mixed =
                f32::from(*channel) + (f32::from(new) - f32::from(*channel)) * opacity.clamp(0.0, 1.0);
            *channel = mixed.round() as u8;
        }
    }
}

/// Mixes a color into a rectangle, `x, y, width, height` \[pixels\], as far as the picture reaches.
pub(crate) fn fill(image: &mut Image, rectangle: [f32; 4], color: [u8; 3], opacity: f32) {
    let [x, y, width, height] = rectangle;
    let [columns, rows] = image.size();
    let (left, right) = (x.max(0.0) as u32, ((x + width).max(0.0) as u32).min(columns));
    let (top, bottom) = (y.max(0.0) as u32, ((y + height).max(0.0) as u32).min(rows));
    for row in top..bottom {
        (left..right).for_each(|column| blend(image, [column, row], color, opacity));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn texts_leave_dark_pixels_in_their_rectangle_and_nowhere_else() {
        let mut image = Image::new(120, 60, [255; 3]);
        let (size, text) = (20.0, "0.25 m");
        draw_text(&mut image, [10.0, 30.0], size, [0; 3], text);
        let width = text_width(text, size);
        let dark = |x: u32, y: u32| image.pixel(x, y)[0] < 128;
        let mut count = 0;
        for (x, y) in (0..60).flat_map(|y| (0..120).map(move |x| (x, y))) {
            let (fx, fy) = (x as f32, y as f32);
            let inside = (9.0..10.0 + width + 1.0).contains(&fx) && (fy - 30.0).abs() <= 0.5 * size + 1.0;
            assert!(inside || !dark(x, y), "({x}, {y})");
            count += usize::from(dark(x, y));
        }
        assert!(count > 60, "{count}");
    }

    #[test]
    fn texts_beyond_the_borders_are_cut_off() {
        let mut image = Image::new(4, 4, [0; 3]);
        for place in [[-50.0, -50.0], [3.0, 2.0], [1e9, 1e9], [-1e9, 2.0]] {
            draw_text(&mut image, place, 30.0, [255; 3], "W");
        }
        fill(&mut image, [-5.0, -5.0, 1e9, 1e9], [9, 8, 7], 1.0);
        assert!(image.pixels().iter().all(|pixel| *pixel == [9, 8, 7]));
    }
}
