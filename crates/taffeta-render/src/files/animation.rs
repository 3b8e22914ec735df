//! Animations as GIF files.
//!
//! ```text
//! some of the pictures ──► palette (NeuQuant) ─┐
//! picture by picture ──► ordered dither ──► indices ──► what differs from the picture before ──► file
//! ```
//!
//! All pictures share one palette, made from some of them: with a palette of its own for each, what stands still would
//! flicker. The dither is a fixed pattern for the same reason, and so that what stands still needs no bytes.

use super::write::{find_changes, new_file_in};
use crate::error::RenderError;
use crate::image::Image;
use color_quant::NeuQuant;
use gif::{DisposalMethod, Encoder, Frame, Repeat};
use std::borrow::Cow;
use std::io::BufWriter;
use std::path::{Path, PathBuf};
use tempfile::NamedTempFile;

/// Colors of the palette. One more number is needed for pixels that stay as they are.
const COLORS: usize = 255;
/// The number of such pixels.
const UNCHANGED: u8 = 255;
/// Pixels from which a palette is made. Ten times more change no picture visibly.
const PALETTE_PIXELS: usize = 200_000;
/// The pattern of the dither (Bayer, 1973), 0 to 15.
const PATTERN: [[i32; 4]; 4] = [[0, 8, 2, 10], [12, 4, 14, 6], [3, 11, 1, 9], [15, 7, 13, 5]];
/// Bits per channel of the colors whose place in the palette is remembered.
const TABLE_BITS: u32 = 6;

/// The colors of an animation.
pub struct GifPalette {
    colors: Vec<[u8; 3]>,
    /// Place in the palette by the leading bits of a color; `None`: not asked for so far.
    table: Vec<Option<u8>>,
}

impl GifPalette {
    /// The colors that stand best for those of some pictures of an animation.
    pub fn of(samples: &[Image]) -> Self {
        let count: usize = samples.iter().map(|image| image.pixels().len()).sum();
        // An odd stride meets every column of a picture of even width.
        let stride = (count / PALETTE_PIXELS) | 1;
        let pixels = samples.iter().flat_map(Image::pixels).step_by(stride);
        let bytes: Vec<u8> = pixels.flat_map(|[r, g, b]| [*r, *g, *b, 255]).collect();
        let colors = match bytes.is_empty() {
            true => vec![[0; 3]],
            false => NeuQuant::new(1, COLORS, &bytes).color_map_rgb().as_chunks().0.to_vec(),
        };
        Self { colors, table: vec![None; 1 << (3 * TABLE_BITS)] }
    }

    fn bytes(&self) -> Vec<u8> {
        let mut bytes = self.colors.as_flattened().to_vec();
        bytes.resize(3 * (COLORS + 1), 0);
        bytes
    }

    /// The palette's places for the pixels of a picture.
    fn index(&mut self, image: &Image) -> Vec<u8> {
        let places = (0_u32..).flat_map(|y| (0..image.size()[0]).map(move |x| [x, y]));
        image.pixels().iter().zip(places).map(|(color, place)| self.nearest(*color, place)).collect()
    }

    fn nearest(&mut self, color: [u8; 3], [x, y]: [u32; 2]) -> u8 {
        let shift = 8 - TABLE_BITS;
        // From −4 to 3 levels: as wide as the steps that are left in a smooth background.
        let dither = PATTERN[y as usize % 4][x as usize % 4] / 2 - 4;
        let dithered = color.map(|channel| (i32::from(channel) + dither).clamp(0, 255) as u32 >> shift);
        let place = dithered.iter().fold(0, |place, channel| place << TABLE_BITS | channel);
        if let Some(known) = self.table[place as usize] {
            return known;
        }
        let middle = dithered.map(|channel| ((channel << shift) + (1 << (shift - 1))) as i32);
        let distance = |candidate: &[u8; 3]| -> i32 {
            candidate.iter().zip(middle).map(|(a, b)| (i32::from(*a) - b) * (i32::from(*a) - b)).sum()
        };
        let found = (0..self.colors.len()).min_by_key(|k| distance(&self.colors[*k])).unwrap_or(0) as u8;
        self.table[place as usize] = Some(found);
        found
    }
}

/// A GIF file that is being written. It appears under its name when it is finished.
pub struct GifWriter {
    path: PathBuf,
    encoder: Encoder<BufWriter<NamedTempFile>>,
    size: [u32; 2],
    palette: GifPalette,
    /// The picture before; empty at first.
    before: Vec<u8>,
}

impl GifWriter {
    /// Starts an animation of pictures of one size \[pixels\], at most 65535 on a side, which repeats for ever.
    ///
    /// # Errors
    /// [`RenderError::Write`] if the folder does not exist or cannot be written to; [`RenderError::EncodeGif`] if the
    /// encoder fails; [`RenderError::SizeTooLarge`].
    pub fn create(path: &Path, size: [u32; 2], palette: GifPalette) -> Result<Self, RenderError> {
        let side = |side: u32| {
            let [width, height] = size;
            u16::try_from(side).map_err(|_| RenderError::SizeTooLarge {
                width,
                height,
                side: u16::MAX.into(),
            })
        };
        let file =
            new_file_in(path).map_err(|source| RenderError::Write { path: path.to_owned(), source })?;
        let encode = |source| RenderError::EncodeGif { path: path.to_owned(), source };
        let (width, height) = (side(size[0])?, side(size[1])?);
        let mut encoder =
            Encoder::new(BufWriter::new(file), width, height, &palette.bytes()).map_err(encode)?;
        encoder.set_repeat(Repeat::Infinite).map_err(encode)?;
        Ok(Self { path: path.to_owned(), encoder, size, palette, before: Vec::new() })
    }

    /// Adds a picture that stays for a time \[1/100 s\].
    ///
    /// # Errors
    /// [`RenderError::SizeMismatch`] for a picture of another size; [`RenderError::EncodeGif`] if it cannot be written.
    pub fn add(&mut self, image: &Image, delay: u16) -> Result<(), RenderError> {
        let found = image.size();
        if found != self.size {
            return Err(RenderError::SizeMismatch { expected: self.size, found });
        }
        let indices = self.palette.index(image);
        let [row_length, height] = self.size.map(|side| side as usize);
        let [left, top, width, height] = match self.before.is_empty() {
            true => [0, 0, row_length, height],
            false => find_changes(&indices, &self.before, row_length),
        };
        let rows = (top..top + height).flat_map(|y| (left..left + width).map(move |x| y * row_length + x));
        let changed = |at: usize| match self.before.get(at) {
            Some(before) if *before == indices[at] => UNCHANGED,
            _ => indices[at],
        };
        let frame = Frame {
            delay,
            dispose: DisposalMethod::Keep,
            transparent: Some(UNCHANGED),
            left: left as u16,
            top: top as u16,
            width: width as u16,
            height: height as u16,
            buffer: Cow::Owned(rows.map(changed).collect()),
            ..Frame::default()
        };
        let written = self.encoder.write_frame(&frame);
        self.before = indices;
        written.map_err(|source| RenderError::EncodeGif { path: self.path.clone(), source })
    }

    /// Completes the file; an older one of that name is replaced.
    ///
    /// # Errors
    /// [`RenderError::EncodeGif`] and [`RenderError::Write`] if it cannot be written.
    pub fn finish(self) -> Result<(), RenderError> {
        let Self { path, encoder, .. } = self;
        let write_error = |source| RenderError::Write { path: path.clone(), source };
        let buffer =
            encoder.into_inner().map_err(|source| RenderError::EncodeGif { path: path.clone(), source })?;
        let file = buffer.into_inner().map_err(|error| write_error(error.into_error()))?;
        file.persist(&path).map_err(|error| write_error(error.error))?;
        Ok(())
    }
}

/// Duration of each of some pictures \[1/100 s\] that keeps the times of the frames \[s\], which increase. Round-off does not
/// add up. The last picture stays as long as the one before.
pub fn compute_delays(times: &[f64]) -> Vec<u16> {
    let first = times.first().copied().unwrap_or_default();
    let hundredths = |time: f64| (100.0 * (time - first)).round();
    let mut delays: Vec<u16> =
        times.windows(2).map(|pair| (hundredths(pair[1]) - hundredths(pair[0])) as u16).collect();
    delays.push(delays.last().copied().unwrap_or(100));
    delays
}

#[cfg(test)]
pub(crate) mod tests {
    use super::*;

    /// A gradient, in front of which a square stands at a place.
    pub(crate) fn picture(at: u32) -> Image {
        Image::from_fn(60, 40, |x, y| match (at..at + 8).contains(&x) && (10..18).contains(&y) {
            true => [200, 40, 30],
            false => [240, 230 - y as u8, 220 + (x / 3) as u8],
        })
    }

    /// The pictures that a player would show.
    fn play(path: &Path) -> Vec<(Image, u16)> {
        let mut options = gif::DecodeOptions::new();
        options.set_color_output(gif::ColorOutput::RGBA);
        let mut decoder = options.read_info(std::fs::File::open(path).unwrap()).unwrap();
        let mut canvas = Image::new(u32::from(decoder.width()), u32::from(decoder.height()), [0; 3]);
        let mut shown = Vec::new();
        while let Some(frame) = decoder.read_next_frame().unwrap() {
            for (k, pixel) in frame.buffer.chunks_exact(4).enumerate().filter(|(_, pixel)| pixel[3] > 0) {
                let (x, y) = (k as u32 % u32::from(frame.width), k as u32 / u32::from(frame.width));
                let [x, y] = [x + u32::from(frame.left), y + u32::from(frame.top)];
                *canvas.pixel_mut(x, y).unwrap() = [pixel[0], pixel[1], pixel[2]];
            }
            shown.push((canvas.clone(), frame.delay));
        }
        shown
    }

    #[test]
    fn an_animation_shows_its_pictures_for_their_times() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("a.gif");
        let pictures = [picture(5), picture(6), picture(6), picture(40)];
        let mut writer = GifWriter::create(&path, [60, 40], GifPalette::of(&pictures)).unwrap();
        for (image, delay) in pictures.iter().zip([3, 4, 3, 9]) {
            writer.add(image, delay).unwrap();
        }
        let wrong = writer.add(&Image::new(3, 3, [0; 3]), 1);
        assert!(matches!(wrong, Err(RenderError::SizeMismatch { found: [3, 3], .. })));
        assert!(!path.exists(), "the file appears when it is complete");
        writer.finish().unwrap();
        let shown = play(&path);
        assert_eq!(shown.iter().map(|(_, delay)| *delay).collect::<Vec<_>>(), [3, 4, 3, 9]);
        for ((image, _), expected) in shown.iter().zip(&pictures) {
            let far = |(a, b): (&[u8; 3], &[u8; 3])| (0..3).any(|k| a[k].abs_diff(b[k]) > 14);
            assert_eq!(image.pixels().iter().zip(expected.pixels()).filter(|pair| far(*pair)).count(), 0);
        }
        assert_eq!(std::fs::read_dir(folder.path()).unwrap().count(), 1);
    }

    #[test]
    fn the_same_pictures_give_the_same_bytes() {
        let folder = tempfile::tempdir().unwrap();
        let write = |name: &str| {
            let path = folder.path().join(name);
            let pictures = [picture(5), picture(20)];
            let mut writer = GifWriter::create(&path, [60, 40], GifPalette::of(&pictures)).unwrap();
            pictures.iter().for_each(|image| writer.add(image, 2).unwrap());
            writer.finish().unwrap();
            std::fs::read(path).unwrap()
        };
        assert_eq!(write("a.gif"), write("b.gif"));
    }

    #[test]
    fn delays_keep_time_although_they_are_whole() {
        let times: Vec<f64> = (0..61).map(|k| f64::from(k) / 30.0).collect();
        let delays = compute_delays(&times);
        assert_eq!(delays[..60].iter().map(|d| u32::from(*d)).sum::<u32>(), 200);
        assert!(delays.iter().all(|d| (3..=4).contains(d)));
        assert_eq!(compute_delays(&[2.0]), [100]);
        assert_eq!(compute_delays(&[0.0, 1e9])[0], u16::MAX);
        assert!(compute_delays(&[]).len() == 1);
    }
}
