//! Colors: linear light inside, sRGB outside.

use crate::scale::Palette;
use glam::Vec3;
use taffeta_core::math;

/// Steps of the table that encodes linear light. One step is less than one level of the output everywhere.
const ENCODE_STEPS: usize = 8192;

/// Front and back colors of the cloths \[sRGB\]. The back is darker and of another hue; cloths beyond the last start over.
const CLOTHS: [[u32; 2]; 6] = [
    [0xd8604a, 0x2f5673],
    [0x2f8f9d, 0x8a5a34],
    [0xe3a83a, 0x5b4a7d],
    [0x6f9e52, 0x7c3f4d],
    [0x8c6fc0, 0x3f6a58],
    [0x4b80c4, 0x8d5541],
];
/// Color of obstacles \[sRGB\].
const OBSTACLE: u32 = 0xaeb4bd;
/// Background at the upper and the lower border \[sRGB\].
const BACKGROUND: [u32; 2] = [0xf7f8fa, 0xd3d9e1];

/// Colors from low to high values \[sRGB\]: viridis (S. van der Walt, N. Smith, 2015), evenly spaced. Its lightness grows
/// evenly, also for those who see fewer hues.
const SEQUENTIAL: [u32; 9] =
    [0x440154, 0x472d7b, 0x3b528b, 0x2c728e, 0x21918c, 0x28ae80, 0x5ec962, 0xaddc30, 0xfde725];
/// Colors from negative values over zero to positive ones \[sRGB\]: the scheme RdBu of ColorBrewer (C. Brewer), turned
/// around, evenly spaced.
const DIVERGING: [u32; 9] =
    [0x2166ac, 0x4393c3, 0x92c5de, 0xd1e5f0, 0xf2f2f2, 0xfddbc7, 0xf4a582, 0xd6604d, 0xb2182b];
/// Steps of a scale of colors.
const SCALE_STEPS: usize = 256;

/// Linear light of an sRGB color.
fn decode(color: u32) -> Vec3 {
    let channel = |shift: u32| {
        let c = f64::from(color >> shift & 0xff) / 255.0;
        if c <= 0.040_45 { c / 12.92 } else { power((c + 0.055) / 1.055, 2.4) }
    };
    Vec3::new(channel(16) as f32, channel(8) as f32, channel(0) as f32)
}

fn power(base: f64, exponent: f64) -> f64 {
    math::exp(exponent * math::ln(base))
}

/// Albedos of the front and the back of each cloth; a cloth takes the entry at its number modulo the length.
pub(crate) fn cloth_albedos() -> [[Vec3; 2]; CLOTHS.len()] {
    CLOTHS.map(|sides| sides.map(decode))
}

/// Albedo of obstacles.
pub(crate) fn obstacle_albedo() -> Vec3 {
    decode(OBSTACLE)
}

/// Linear colors along a palette, evenly spaced.
pub(crate) fn scale_albedos(palette: Palette) -> Vec<Vec3> {
    let anchors = match palette {
        Palette::Sequential => SEQUENTIAL,
        Palette::Diverging => DIVERGING,
    };
    // Between two anchors the bytes are mixed, as the schemes are meant to be.
    let mix = |step: usize| {
        let at = step as f32 * (anchors.len() - 1) as f32 / (SCALE_STEPS - 1) as f32;
        let k = (at as usize).min(anchors.len() - 2);
        let channel = |shift: u32| {
            let [a, b] = [anchors[k], anchors[k + 1]].map(|color| (color >> shift & 0xff) as f32);
            ((a + (b - a) * (at - k as f32)).round() as u32) << shift
        };
        decode(channel(16) | channel(8) | channel(0))
    };
    (0..SCALE_STEPS).map(mix).collect()
}

/// The background of each row of pixels, linear.
pub(crate) fn compute_background(height: u32) -> Vec<Vec3> {
    let [top, bottom] = BACKGROUND.map(decode);
    (0..height).map(|row| top.lerp(bottom, (row as f32 + 0.5) / height as f32)).collect()
}

/// Turns linear light into bytes.
pub(crate) struct Encoder {
    table: Vec<u8>,
}

impl Encoder {
    pub(crate) fn new() -> Self {
        let table = (0..=ENCODE_STEPS).map(|step| {
            let light = step as f64 / ENCODE_STEPS as f64;
            let c =
                if light <= 0.003_130_8 { 12.92 * light } else { 1.055 * power(light, 1.0 / 2.4) - 0.055 };
            (255.0 * c).round() as u8
        });
        Self { table: table.collect() }
    }

    /// The sRGB bytes of linear light. What is brighter than white is white.
    pub(crate) fn encode(&self, light: Vec3) -> [u8; 3] {
        light.to_array().map(|c| self.table[(c.clamp(0.0, 1.0) * ENCODE_STEPS as f32 + 0.5) as usize])
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn encoding_inverts_decoding() {
        let encoder = Encoder::new();
        for level in 0..=255_u32 {
            assert_eq!(encoder.encode(decode(level * 0x01_0101)), [level as u8; 3]);
        }
    }
}
