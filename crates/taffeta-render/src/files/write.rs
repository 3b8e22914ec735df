//! Files.

use crate::error::RenderError;
use crate::image::Image;
use std::io::{BufWriter, Write as _};
use std::path::Path;

/// Writes a picture as PNG. The file appears under its name only when it is complete; an older one is replaced.
///
/// # Errors
/// [`RenderError::Write`] if the folder does not exist or cannot be written to; [`RenderError::Encode`] if the
/// encoder fails.
pub fn write_png(image: &Image, path: &Path) -> Result<(), RenderError> {
    let write_error = |source| RenderError::Write { path: path.to_owned(), source };
    let bytes = encode(image).map_err(|source| RenderError::Encode { path: path.to_owned(), source })?;
    let mut file = BufWriter::new(new_file_in(path).map_err(write_error)?);
    file.write_all(&bytes).map_err(write_error)?;
    let file = file.into_inner().map_err(|error| write_error(error.into_error()))?;
    file.persist(path).map_err(|error| write_error(error.error))?;
    Ok(())
}

fn encode(image: &Image) -> Result<Vec<u8>, png::EncodingError> {
    let mut bytes = Vec::new();
    let [width, height] = image.size();
    let mut encoder = png::Encoder::new(&mut bytes, width, height);
    encoder.set_color(png::ColorType::Rgb);
    encoder.set_compression(png::Compression::Fast);
    encoder.set_filter(png::Filter::Adaptive);
    let mut writer = encoder.write_header()?;
    writer.write_image_data(image.bytes())?;
    writer.finish()?;
    Ok(bytes)
}

/// The box `left, top, width, height` around all that differs in rows of two pictures of one width; one pixel if nothing does.
pub(crate) fn find_changes<T: PartialEq>(new: &[T], before: &[T], width: usize) -> [usize; 4] {
    let height = new.len() / width;
    let (mut low, mut high) = ([width, height], [0, 0]);
    let rows = new.chunks_exact(width).zip(before.chunks_exact(width)).enumerate();
    for (y, (row, before)) in rows.filter(|(_, (row, before))| row != before) {
        let differs = |x: &usize| row[*x] != before[*x];
        low = [low[0].min((0..width).find(differs).unwrap_or(0)), low[1].min(y)];
        high = [high[0].max((0..width).rfind(differs).unwrap_or(0)), y];
    }
    if low[1] == height {
        return [0, 0, 1, 1];
    }
    [low[0], low[1], high[0] + 1 - low[0], high[1] + 1 - low[1]]
}

/// A temporary file with the permissions of an ordinary one, in the folder in which a file is to be.
pub(crate) fn new_file_in(path: &Path) -> std::io::Result<tempfile::NamedTempFile> {
    let folder = path.parent().filter(|folder| *folder != Path::new("")).unwrap_or(Path::new("."));
    let mut builder = tempfile::Builder::new();
    builder.prefix(".picture-");
    #[cfg(unix)]
    builder.permissions(std::os::unix::fs::PermissionsExt::from_mode(0o666));
    builder.tempfile_in(folder)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_picture_survives_the_file_and_leaves_nothing_else_behind() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("picture.png");
        let image = Image::from_fn(7, 5, |x, y| [x as u8 * 30, y as u8 * 40, 9]);
        write_png(&Image::new(3, 3, [0; 3]), &path).unwrap();
        write_png(&image, &path).unwrap();
        let file = std::io::BufReader::new(std::fs::File::open(&path).unwrap());
        let mut reader = png::Decoder::new(file).read_info().unwrap();
        let mut bytes = vec![0; reader.output_buffer_size().unwrap()];
        let header = reader.next_frame(&mut bytes).unwrap();
        assert_eq!((header.color_type, [header.width, header.height]), (png::ColorType::Rgb, image.size()));
        assert_eq!(bytes, image.bytes());
        assert_eq!(std::fs::read_dir(folder.path()).unwrap().count(), 1);
    }

    #[test]
    fn a_missing_folder_is_named() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("nowhere").join("picture.png");
        let message = write_png(&Image::new(1, 1, [0; 3]), &path).unwrap_err().to_string();
        assert!(message.contains("nowhere") && message.contains("could not be written"), "{message}");
    }
}
