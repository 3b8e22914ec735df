//! Animations as APNG files: PNG with several pictures, in all colors. Programs that do not know it show the first one.
//!
//! Of each picture only the box is stored in which it differs from the one before.

use super::write::{find_changes, new_file_in};
use crate::error::RenderError;
use crate::image::Image;
use std::fs::File;
use std::io::BufWriter;
use std::path::{Path, PathBuf};
use tempfile::NamedTempFile;

/// An APNG file that is being written. It appears under its name when it is finished.
pub struct ApngWriter {
    path: PathBuf,
    writer: png::Writer<BufWriter<File>>,
    file: NamedTempFile,
    size: [u32; 2],
    before: Option<Image>,
}

impl ApngWriter {
    /// Starts an animation of so many pictures of one size \[pixels\], which repeats for ever.
    ///
    /// # Errors
    /// [`RenderError::Write`] if the folder does not exist or cannot be written to; [`RenderError::Encode`] if the encoder
    /// fails, as without pictures.
    pub fn create(path: &Path, size: [u32; 2], count: u32) -> Result<Self, RenderError> {
        let write = |source| RenderError::Write { path: path.to_owned(), source };
        let file = new_file_in(path).map_err(write)?;
        let encode = |source| RenderError::Encode { path: path.to_owned(), source };
        let out = BufWriter::new(file.as_file().try_clone().map_err(write)?);
        let mut encoder = png::Encoder::new(out, size[0], size[1]);
        encoder.set_color(png::ColorType::Rgb);
        encoder.set_compression(png::Compression::Balanced);
        encoder.set_filter(png::Filter::Adaptive);
        encoder.set_animated(count, 0).map_err(encode)?;
        let writer = encoder.write_header().map_err(encode)?;
        Ok(Self { path: path.to_owned(), writer, file, size, before: None })
    }

    /// Adds a picture that stays for a time \[1/100 s\].
    ///
    /// # Errors
    /// [`RenderError::SizeMismatch`] for a picture of another size; [`RenderError::Encode`] if it cannot be written, as beyond the
    /// number of pictures.
    pub fn add(&mut self, image: &Image, delay: u16) -> Result<(), RenderError> {
        let found = image.size();
        if found != self.size {
            return Err(RenderError::SizeMismatch { expected: self.size, found });
        }
        let changes = |before: &Image| {
            find_changes(image.pixels(), before.pixels(), found[0] as usize).map(|side| side as u32)
        };
        let area = self.before.as_ref().map_or([0, 0, found[0], found[1]], changes);
        let written = write(&mut self.writer, image, area, delay);
        self.before = Some(image.clone());
        written.map_err(|source| RenderError::Encode { path: self.path.clone(), source })
    }

    /// Completes the file; an older one of that name is replaced.
    ///
    /// # Errors
    /// [`RenderError::Encode`] and [`RenderError::Write`] if it cannot be written, or pictures are missing.
    pub fn finish(self) -> Result<(), RenderError> {
        let Self { path, writer, file, .. } = self;
        writer.finish().map_err(|source| RenderError::Encode { path: path.clone(), source })?;
        file.persist(&path)
            .map_err(|error| RenderError::Write { path: path.clone(), source: error.error })?;
        Ok(())
    }
}

/// Writes a part of a picture: left, top, width, height.
fn write(
    writer: &mut png::Writer<BufWriter<File>>,
    image: &Image,
    [left, top, width, height]: [u32; 4],
    delay: u16,
) -> Result<(), png::EncodingError> {
    // The box before may lie where the new one would leave the picture.
    writer.reset_frame_position()?;
    writer.set_frame_dimension(width, height)?;
    writer.set_frame_position(left, top)?;
    writer.set_frame_delay(delay, 100)?;
    let rows = image.rows().skip(top as usize).take(height as usize);
    let part = rows.flat_map(|row| &row[left as usize..(left + width) as usize]);
    writer.write_image_data(part.copied().collect::<Vec<_>>().as_flattened())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::files::animation::tests::picture;

    /// The pictures that a player would show, and their delays.
    fn play(path: &Path) -> Vec<(Image, u16)> {
        let mut reader =
            png::Decoder::new(std::io::BufReader::new(File::open(path).unwrap())).read_info().unwrap();
        let count = reader.info().animation_control.unwrap().num_frames;
        let mut canvas = Image::new(60, 40, [0; 3]);
        let mut bytes = vec![0; reader.output_buffer_size().unwrap()];
        let show = |_| {
            reader.next_frame(&mut bytes).unwrap();
            let control = *reader.info().frame_control().unwrap();
            for y in 0..control.height {
                for x in 0..control.width {
                    let k = 3 * (y * control.width + x) as usize;
                    let pixel = canvas.pixel_mut(control.x_offset + x, control.y_offset + y).unwrap();
                    pixel.copy_from_slice(&bytes[k..k + 3]);
                }
            }
            assert_eq!(control.delay_den, 100);
            (canvas.clone(), control.delay_num)
        };
        (0..count).map(show).collect()
    }

    #[test]
    fn an_animation_shows_exactly_its_pictures_for_their_times() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("a.png");
        let pictures = [picture(5), picture(6), picture(6), picture(40), picture(5)];
        let mut writer = ApngWriter::create(&path, [60, 40], 5).unwrap();
        for (image, delay) in pictures.iter().zip([3, 4, 3, 9, 2]) {
            writer.add(image, delay).unwrap();
        }
        assert!(matches!(writer.add(&Image::new(3, 3, [0; 3]), 1), Err(RenderError::SizeMismatch { .. })));
        assert!(!path.exists(), "the file appears when it is complete");
        writer.finish().unwrap();
        let shown = play(&path);
        assert_eq!(shown.iter().map(|(_, delay)| *delay).collect::<Vec<_>>(), [3, 4, 3, 9, 2]);
        assert!(shown.iter().zip(&pictures).all(|((image, _), expected)| image == expected));
        assert_eq!(std::fs::read_dir(folder.path()).unwrap().count(), 1);
        assert!(ApngWriter::create(&path, [60, 40], 0).is_err());
        assert!(ApngWriter::create(&folder.path().join("no/a.png"), [60, 40], 1).is_err());
    }
}
