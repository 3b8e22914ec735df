//! Files that appear under their name only when they are complete.

use crate::failure::Failure;
use std::fs::File;
use std::io::{self, ErrorKind, Write};
use std::path::Path;
use taffeta_io::write_beside;

/// Writes a file, which is on the disk then; an older one of that name is replaced.
pub(crate) fn replace_file(path: &Path, bytes: &[u8]) -> io::Result<()> {
    replace_file_by(path, |file| file.write_all(bytes))
}

/// Lets `write` write a file, which is on the disk then; an older one of that name is replaced.
pub(crate) fn replace_file_by(
    path: &Path,
    write: impl FnOnce(&mut File) -> io::Result<()>,
) -> io::Result<()> {
    write_through(path, write)?.persist(path)?;
    sync_folder(path)
}

/// Writes a file, which is on the disk then; an older one of that name is left alone, and that is an error.
pub(crate) fn create_file(path: &Path, bytes: &[u8]) -> io::Result<()> {
    write_through(path, |file| file.write_all(bytes))?.persist_noclobber(path)?;
    sync_folder(path)
}

/// Waits until the name of a file is on the disk, where folders can be waited for.
fn sync_folder(path: &Path) -> io::Result<()> {
    let folder = path.parent().filter(|folder| *folder != Path::new("")).unwrap_or(Path::new("."));
    if cfg!(unix) { File::open(folder)?.sync_all() } else { Ok(()) }
}

/// Why a new file could not be made: bad usage, as nothing was written.
pub(crate) fn refuse_file(path: &Path, error: &io::Error) -> Failure {
    let shown = path.display();
    Failure::Usage(match error.kind() {
        ErrorKind::AlreadyExists => format!("{shown} exists already; choose another name, or delete it"),
        ErrorKind::NotFound => {
            format!("cannot write {shown}: its folder does not exist; make the folder first")
        }
        _ => format!("cannot write {shown}: {error}"),
    })
}

/// Writes a temporary file beside a path, which is on the disk then.
fn write_through(
    path: &Path,
    write: impl FnOnce(&mut File) -> io::Result<()>,
) -> io::Result<tempfile::NamedTempFile> {
    write_beside(path, |file| {
        write(file)?;
        file.sync_all()
    })
}

/// A path as a word that a shell reads back.
pub(crate) fn shell_word(text: &str) -> String {
    let plain = |c: char| c.is_ascii_alphanumeric() || "/._-+=:,@%".contains(c);
    if !text.is_empty() && text.chars().all(plain) {
        return text.to_owned();
    }
    format!("'{}'", text.replace('\'', r"'\''"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_new_file_never_replaces_an_old_one() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("a.txt");
        create_file(&path, b"first").unwrap();
        assert_eq!(create_file(&path, b"second").unwrap_err().kind(), io::ErrorKind::AlreadyExists);
        assert_eq!(std::fs::read(&path).unwrap(), b"first");
        replace_file(&path, b"third").unwrap();
        assert_eq!(std::fs::read(&path).unwrap(), b"third");
        assert_eq!(std::fs::read_dir(folder.path()).unwrap().count(), 1);
    }

    #[test]
    fn words_are_quoted_only_where_a_shell_needs_it() {
        assert_eq!(shell_word("out/drape_2.toml"), "out/drape_2.toml");
        assert_eq!(shell_word("cloth.0.grid.cells=[8,8]"), "'cloth.0.grid.cells=[8,8]'");
        assert_eq!(shell_word("it's"), r"'it'\''s'");
    }
}
