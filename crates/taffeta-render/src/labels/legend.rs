//! The legend of a scale of colors: a bar with numbers, on a light panel at the right border.
//!
//! ```text
//!   edge length [m]
//!     ┌──┐ 0.1
//!     │  │
//!     │  │ 0.05
//!     └──┘ 0.02
//! ```

use super::text::{draw_text, fill, letter_size, text_width};
use crate::color::{self, Encoder};
use crate::image::Image;
use crate::scale::Scale;

/// Color of texts and lines \[sRGB\].
const INK: [u8; 3] = [0x22, 0x26, 0x2e];
/// Color of the panel below them \[sRGB\], and how much of the picture it hides.
const PANEL: ([u8; 3], f32) = ([0xff; 3], 0.72);
/// Height of the bar, in letters; less in a low picture.
const BAR_LETTERS: f32 = 13.0;

/// The width of the legend of a scale in a picture with a height, with the space beside it \[pixels\].
pub(crate) fn legend_width(height: u32, scale: Scale) -> u32 {
    let size = letter_size(height);
    (inner_width(size, scale) + 2.8 * size).ceil() as u32
}

/// The width of bar, numbers and title.
fn inner_width(size: f32, scale: Scale) -> f32 {
    let numbers = scale.ticks().into_iter().map(|(_, text)| text_width(&text, size)).fold(0.0, f32::max);
    (size.round() + 0.8 * size + numbers).max(text_width(scale.title, size))
}

/// Draws the legend of a scale at the right border, in the middle of the picture's height. Where a picture is too small,
/// the legend is cut off.
pub(crate) fn draw_legend(image: &mut Image, scale: Scale) {
    let [columns, rows] = image.size().map(|side| side as f32);
    let size = letter_size(image.size()[1]);
    let bar_width = size.round();
    let bar_height = (BAR_LETTERS * size).min(rows - 5.0 * size).max(size).round();
    let panel = [inner_width(size, scale) + 1.4 * size, bar_height + 3.6 * size];
    let left = (columns - panel[0] - 0.7 * size).round();
    let top = (0.5 * (rows - panel[1])).round();
    fill(image, [left, top, panel[0], panel[1]], PANEL.0, PANEL.1);
    let (x, y) = ((left + 0.7 * size).round(), (top + 2.4 * size).round());
    draw_text(image, [x, top + 1.1 * size], size, INK, scale.title);
    draw_bar(image, [x, y, bar_width, bar_height], scale);
    for (place, text) in scale.ticks() {
        let at = y + (1.0 - place as f32) * (bar_height - 1.0);
        fill(image, [x + bar_width, at.round(), 0.35 * size, 1.0], INK, 1.0);
        draw_text(image, [x + bar_width + 0.7 * size, at + 0.5], size, INK, &text);
    }
}

/// The colors, the high values above, with a thin border.
fn draw_bar(image: &mut Image, [x, y, width, height]: [f32; 4], scale: Scale) {
    let encoder = Encoder::new();
    let colors = color::scale_albedos(scale.palette);
    let last = (colors.len() - 1) as f32;
    fill(image, [x - 1.0, y - 1.0, width + 2.0, height + 2.0], INK, 1.0);
    for row in 0..height as u32 {
        let place = 1.0 - (row as f32 + 0.5) / height;
        let color = encoder.encode(colors[(place * last + 0.5) as usize]);
        fill(image, [x, y + row as f32, width, 1.0], color, 1.0);
    }
}
