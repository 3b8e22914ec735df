//! A mesh that changes its shape: one OBJ file per shape, numbered.

use super::{ObjError, ObjMesh, load, read_text, refuse, to_mesh};
use glam::DVec3;
use std::path::{Path, PathBuf};

/// Numbers in names are not wider than this.
const WIDEST: usize = 18;

/// The name of a numbered file, as `body_%04d.obj`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FileSequence {
    folder: PathBuf,
    prefix: String,
    /// Digits at least; 0 and 1: no leading zeros.
    width: usize,
    suffix: String,
}

impl FileSequence {
    /// Reads the path of a sequence, whose file name has one `%d` or `%04d` where the number goes.
    ///
    /// # Errors
    /// What is wrong with the name, in words.
    pub fn parse(pattern: &Path) -> Result<Self, String> {
        let name = pattern.file_name().and_then(|name| name.to_str()).unwrap_or_default();
        let refusal = || format!("{name:?} must have one %d or %04d where the number of the frame goes");
        let (prefix, rest) = name.split_once('%').ok_or_else(refusal)?;
        let (width, suffix) = rest.split_once('d').ok_or_else(refusal)?;
        let is_padded = width.starts_with('0') && width.len() > 1;
        let digits = match width {
            "" => 0,
            _ if is_padded => width.parse().ok().filter(|width| *width <= WIDEST).ok_or_else(refusal)?,
            _ => return Err(refusal()),
        };
        if suffix.contains('%') {
            return Err(refusal());
        }
        let folder = pattern.parent().unwrap_or(Path::new("")).to_owned();
        Ok(Self { folder, prefix: prefix.to_owned(), width: digits, suffix: suffix.to_owned() })
    }

    fn name(&self, number: u64) -> String {
        format!("{}{number:0width$}{}", self.prefix, self.suffix, width = self.width)
    }

    /// The file with a number.
    pub fn path(&self, number: u64) -> PathBuf {
        self.folder.join(self.name(number))
    }

    /// The files that there are, from the lowest number on, without a gap.
    ///
    /// # Errors
    /// If there is none, or a later file after one that is missing: the error names the missing one.
    pub fn find(&self) -> Result<Vec<PathBuf>, ObjError> {
        let numbers = self.list_numbers();
        if numbers.is_empty() {
            let message = format!("there is no file of the sequence, as {}", self.name(1001));
            return Err(ObjError::Whole { path: self.path(0), message });
        }
        if let Some(gap) = numbers.windows(2).find(|pair| pair[0] + 1 < pair[1]) {
            let message = format!(
                "the file is missing, but {} is there: the numbers of a sequence must be consecutive",
                self.name(gap[1])
            );
            return Err(ObjError::Whole { path: self.path(gap[0] + 1), message });
        }
        Ok(numbers.into_iter().map(|number| self.path(number)).collect())
    }

    /// The numbers for which there is a file, increasing.
    fn list_numbers(&self) -> Vec<u64> {
        let folder = if self.folder.as_os_str().is_empty() { Path::new(".") } else { &self.folder };
        let number = |entry: std::fs::DirEntry| {
            let name = entry.file_name().into_string().ok()?;
            let digits = name.strip_prefix(&self.prefix)?.strip_suffix(&self.suffix)?;
            let number: u64 = digits.parse().ok()?;
            (self.name(number) == name && entry.path().is_file()).then_some(number)
        };
        let entries = std::fs::read_dir(folder).into_iter().flatten();
        let mut numbers: Vec<u64> = entries.filter_map(|entry| number(entry.ok()?)).collect();
        numbers.sort_unstable();
        numbers
    }
}

/// Reads files that have the same vertices and faces: the first one as a mesh, and the positions of its vertices in each
/// of them. Polygons are cut into triangles as in the first.
///
/// # Errors
/// If a file cannot be read as a mesh, or differs from the first in more than positions; the error names it.
pub fn read_obj_sequence(paths: &[PathBuf]) -> Result<(ObjMesh, Vec<Vec<DVec3>>), ObjError> {
    let read = |path: &PathBuf| {
        let text = read_text(path)?;
        load(&text).map_err(|refusal| refuse(path, &text, refusal))
    };
    let Some((first_path, others)) = paths.split_first() else { return Ok(Default::default()) };
    let first_name = first_path.file_name().unwrap_or_default().to_string_lossy();
    let (scan, first) = read(first_path)?;
    let mesh = to_mesh(&scan, &first);
    let mut shapes = vec![mesh.mesh.positions.clone()];
    for path in others {
        let (_, source) = read(path)?;
        let differs = |message| ObjError::Whole { path: path.clone(), message };
        let (found, expected) = (source.positions.len() / 3, first.positions.len() / 3);
        if found != expected {
            let message = format!(
                "it has {found} vertices, but {first_name}, the first of the sequence, has {expected}"
            );
            return Err(differs(message));
        }
        if source.indices != first.indices || source.face_arities != first.face_arities {
            let message = format!("its faces are not those of {first_name}, the first of the sequence");
            return Err(differs(message));
        }
        let at = |v: &u32| DVec3::from_slice(&source.positions[3 * *v as usize..]);
        shapes.push(mesh.source_vertices.iter().map(at).collect());
    }
    Ok((mesh, shapes))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_have_one_number() {
        let parse = |text: &str| FileSequence::parse(Path::new(text));
        assert_eq!(parse("a/body_%04d.obj").unwrap().path(7), Path::new("a/body_0007.obj"));
        assert_eq!(parse("%d.obj").unwrap().path(12), Path::new("12.obj"));
        for bad in ["body.obj", "body_%04.obj", "b_%4d.obj", "b_%d_%d.obj", "%04d/b.obj", "%0d", "%099d", ""]
        {
            assert!(parse(bad).unwrap_err().contains("%04d"), "{bad}");
        }
    }
}
