//! Files.

use crate::error::RenderError;
use image::{ImageFormat, RgbImage};
use std::io::{BufWriter, Write as _};
use std::path::Path;

/// Writes a picture as PNG. The file appears under its name only when it is complete; an older one is replaced.
///
/// # Errors
/// [`RenderError::Write`] if the folder does not exist or cannot be written to; [`RenderError::Encode`] if the
/// encoder fails.
pub fn write_png(image: &RgbImage, path: &Path) -> Result<(), RenderError> {
    let write_error = |source| RenderError::Write { path: path.to_owned(), source };
    let mut bytes = std::io::Cursor::new(Vec::new());
    image
        .write_to(&mut bytes, ImageFormat::Png)
        .map_err(|source| RenderError::Encode { path: path.to_owned(), source })?;
    let mut file = BufWriter::new(new_file_in(path)?);
    file.write_all(bytes.get_ref()).map_err(write_error)?;
    let file = file.into_inner().map_err(|error| write_error(error.into_error()))?;
    file.persist(path).map_err(|error| write_error(error.error))?;
    Ok(())
}

/// A temporary file with the permissions of an ordinary one, in the folder in which a file is to be.
pub(crate) fn new_file_in(path: &Path) -> Result<tempfile::NamedTempFile, RenderError> {
    let folder = match path.parent() {
        Some(folder) if folder != Path::new("") => folder,
        _ => Path::new("."),
    };
    let mut builder = tempfile::Builder::new();
    builder.prefix(".picture-");
    #[cfg(unix)]
    let builder = {
        use std::os::unix::fs::PermissionsExt as _;
        builder.permissions(std::fs::Permissions::from_mode(0o666))
    };
    builder.tempfile_in(folder).map_err(|source| RenderError::Write { path: path.to_owned(), source })
}

#[cfg(test)]
mod tests {
    use super::*;
    use image::Rgb;

    #[test]
    fn a_picture_survives_the_file_and_leaves_nothing_else_behind() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("picture.png");
        let image = RgbImage::from_fn(7, 5, |x, y| Rgb([x as u8 * 30, y as u8 * 40, 9]));
        write_png(&RgbImage::new(3, 3), &path).unwrap();
        write_png(&image, &path).unwrap();
        assert_eq!(image::open(&path).unwrap().to_rgb8(), image);
        assert_eq!(std::fs::read_dir(folder.path()).unwrap().count(), 1);
    }

    #[test]
    fn a_missing_folder_is_named() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("nowhere").join("picture.png");
        let message = write_png(&RgbImage::new(1, 1), &path).unwrap_err().to_string();
        assert!(message.contains("nowhere") && message.contains("could not be written"), "{message}");
    }
}
