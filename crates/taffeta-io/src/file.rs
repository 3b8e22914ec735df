//! Files: read as bytes, up to a size beyond which they are taken for a mistake, and written beside their place.

use std::fs::File;
use std::io::{self, Read};
use std::path::Path;
use tempfile::NamedTempFile;

/// Bytes of a file that is read as a whole: more than any mesh or frame of this program has. Devices and pipes, which tell no
/// size, end there too.
const MAX_FILE: u64 = 4 << 30;

/// Reads a whole file.
///
/// # Errors
/// If it cannot be read, or has more than 4 GiB.
pub fn read_file(path: &Path) -> io::Result<Vec<u8>> {
    read_up_to(path, MAX_FILE)
}

/// Ending of files that are being written.
pub const UNFINISHED: &str = ".tmp";

/// Lets `write` write a temporary file beside a path. It is removed unless it is made to persist under that path.
///
/// # Errors
/// If the file cannot be made or written.
pub fn write_beside(
    path: &Path,
    write: impl FnOnce(&mut File) -> io::Result<()>,
) -> io::Result<NamedTempFile> {
    let folder = path.parent().filter(|folder| *folder != Path::new("")).unwrap_or(Path::new("."));
    let mut builder = tempfile::Builder::new();
    builder.prefix(".taffeta-").suffix(UNFINISHED);
    // Temporary files are private by default; results are as readable as any other file.
    #[cfg(unix)]
    builder.permissions(std::os::unix::fs::PermissionsExt::from_mode(0o666));
    let mut file = builder.tempfile_in(folder)?;
    write(file.as_file_mut())?;
    Ok(file)
}

fn read_up_to(path: &Path, limit: u64) -> io::Result<Vec<u8>> {
    let too_large = || io::Error::other(format!("it has more than {limit} bytes"));
    let file = File::open(path)?;
    let size = file.metadata()?.len();
    if size > limit {
        return Err(too_large());
    }
    let mut bytes = Vec::new();
    bytes.try_reserve_exact(size as usize)?;
    file.take(limit + 1).read_to_end(&mut bytes)?;
    if bytes.len() as u64 > limit { Err(too_large()) } else { Ok(bytes) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn files_are_read_up_to_a_size_also_those_that_tell_none() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("file");
        std::fs::write(&path, [7; 1000]).unwrap();
        assert_eq!(read_file(&path).unwrap(), [7; 1000]);
        assert_eq!(read_up_to(&path, 1000).unwrap().len(), 1000);
        assert!(read_up_to(&path, 999).unwrap_err().to_string().contains("more than 999 bytes"));
        assert_eq!(read_file(&folder.path().join("none")).unwrap_err().kind(), io::ErrorKind::NotFound);
        let endless = Path::new("/dev/zero");
        if endless.exists() {
            assert!(read_up_to(endless, 5000).unwrap_err().to_string().contains("more than 5000 bytes"));
        }
    }
}
