//! The folder `checkpoint/`: the state to resume from.
//!
//! ```text
//! checkpoint/checkpoint.json     the scene's identity, the frame, the totals so far, the name of the state
//! checkpoint/state_00120.gz      the state, compressed
//! ```
//!
//! The state is written under a new name, then `checkpoint.json` is replaced, then older states are removed: at every
//! moment the folder holds a complete checkpoint or none.

use super::prepare::Prepared;
use super::totals::Totals;
use crate::failure::Failure;
use crate::files::{UNFINISHED, replace_file, replace_file_by};
use flate2::Compression;
use flate2::read::GzDecoder;
use flate2::write::GzEncoder;
use serde::{Deserialize, Serialize};
use serde_json::Value;
use std::fs::{self, File};
use std::io::{self, BufWriter, Read};
use std::path::{Path, PathBuf};
use taffeta_sim::{Checkpoint, World};

/// Format of `checkpoint.json`; a change of the format changes it.
const FORMAT: u32 = 2;
/// Keys of the scene that may differ when a run is continued.
const FREE_KEYS: [&str; 2] = ["simulation.duration", "simulation.threads"];
/// Differences of two scenes that a message names.
const NAMED_DIFFERENCES: usize = 5;

/// What is known about a checkpoint.
#[derive(Serialize, Deserialize)]
struct Note {
    format: u32,
    version: String,
    /// Identity of the scene apart from its duration.
    scene: String,
    frame: u64,
    state: String,
    state_hash: String,
    totals: Totals,
}

/// The folder of checkpoints of a run.
pub(super) struct CheckpointFolder {
    root: PathBuf,
}

impl CheckpointFolder {
    /// That of a result folder.
    pub(super) fn of(result: &Path) -> Self {
        Self { root: result.join("checkpoint") }
    }

    fn note_path(&self) -> PathBuf {
        self.root.join("checkpoint.json")
    }

    /// Writes a checkpoint in place of the one before.
    pub(super) fn save(&self, prepared: &Prepared, totals: &Totals) -> Result<(), Failure> {
        self.try_save(prepared, totals).map_err(|error| {
            Failure::Failed(format!("cannot write the checkpoint in {}: {error}", self.root.display()))
        })
    }

    fn try_save(&self, prepared: &Prepared, totals: &Totals) -> io::Result<()> {
        let frame = prepared.world.frame();
        let note = Note {
            format: FORMAT,
            version: env!("CARGO_PKG_VERSION").to_owned(),
            scene: prepared.motion_hash.clone(),
            frame,
            state: format!("state_{frame:05}.gz"),
            state_hash: prepared.world.state_hash(),
            totals: totals.clone(),
        };
        fs::create_dir_all(&self.root)?;
        replace_file_by(&self.root.join(&note.state), |file| pack(&prepared.world, file))?;
        replace_file(&self.note_path(), &serde_json::to_vec_pretty(&note)?)?;
        for entry in fs::read_dir(&self.root)? {
            let entry = entry?;
            let name = entry.file_name().to_string_lossy().into_owned();
            let is_old = name.starts_with("state_") && name != note.state;
            if is_old || name.ends_with(UNFINISHED) {
                fs::remove_file(entry.path())?;
            }
        }
        Ok(())
    }

    fn read_note(&self) -> Result<Note, Failure> {
        let path = self.note_path();
        let bytes = fs::read(&path).map_err(|error| match error.kind() {
            io::ErrorKind::NotFound => Failure::Usage(format!(
                "there is no checkpoint to resume from: {} does not exist\n  = leave out --resume to start a new run, \
                 or name the result folder with --out",
                path.display()
            )),
            _ => Failure::Usage(format!("cannot read {}: {error}", path.display())),
        })?;
        serde_json::from_slice::<Note>(&bytes).map_err(|error| damaged(&path, &error.to_string()))
    }

    fn read_state(&self, note: &Note) -> Result<Checkpoint, Failure> {
        let path = self.root.join(&note.state);
        let bytes = fs::read(&path).and_then(|bytes| unpack(&bytes));
        let bytes = bytes.map_err(|error| damaged(&path, &error.to_string()))?;
        Checkpoint::from_bytes(&bytes).map_err(|error| damaged(&path, &error.to_string()))
    }
}

/// Low, because most of a state are digits of floating-point numbers: more effort gains a few percent.
fn pack(world: &World, file: &mut File) -> io::Result<()> {
    let mut stream = BufWriter::new(GzEncoder::new(file, Compression::fast()));
    world.write_checkpoint(&mut stream)?;
    stream.into_inner().map_err(io::IntoInnerError::into_error)?.finish().map(drop)
}

/// The stream carries a checksum: a state that was cut or changed is an error.
fn unpack(packed: &[u8]) -> io::Result<Vec<u8>> {
    let mut bytes = Vec::new();
    GzDecoder::new(packed).read_to_end(&mut bytes)?;
    Ok(bytes)
}

/// Takes the world of a run to where its folder's checkpoint was taken. Returns the totals so far.
pub(super) fn resume(prepared: &mut Prepared) -> Result<Totals, Failure> {
    let folder = CheckpointFolder::of(&prepared.root);
    let note = folder.read_note()?;
    if note.format != FORMAT {
        return Err(damaged(
            &folder.note_path(),
            &format!("its format is {}, but this program reads format {FORMAT}", note.format),
        ));
    }
    if note.scene != prepared.motion_hash {
        return Err(Failure::Usage(format!(
            "the checkpoint in {} is of another scene{}\n  = undo the changes to resume, or start a new run with \
             another --out",
            folder.root.display(),
            name_differences(prepared)
        )));
    }
    let checkpoint = folder.read_state(&note)?;
    prepared.world.restore(checkpoint).map_err(|error| damaged(&folder.root, &error.to_string()))?;
    if prepared.world.frame() != note.frame || prepared.world.state_hash() != note.state_hash {
        return Err(damaged(&folder.root, "the state is not the one that was saved"));
    }
    Ok(note.totals)
}

fn damaged(path: &Path, reason: &str) -> Failure {
    Failure::Usage(format!(
        "the checkpoint {} cannot be used: {reason}\n  = start a new run with another --out",
        path.display()
    ))
}

/// The keys in which the scene of the folder and that of the run differ, as part of a message.
fn name_differences(prepared: &Prepared) -> String {
    let Ok(text) = fs::read_to_string(prepared.root.join("scene.json")) else { return String::new() };
    let Ok(old) = serde_json::from_str::<Value>(&text) else { return String::new() };
    // Through text, so that both have the numbers that the reader makes of it.
    let Ok(new) = serde_json::from_str::<Value>(&prepared.scene.to_json().to_string()) else {
        return String::new();
    };
    let mut keys = Vec::new();
    collect_differences(&old, &new, String::new(), &mut keys);
    keys.retain(|key| !FREE_KEYS.contains(&key.as_str()));
    if keys.is_empty() {
        return ": a mesh file has changed".to_owned();
    }
    let more = keys.len().saturating_sub(NAMED_DIFFERENCES);
    keys.truncate(NAMED_DIFFERENCES);
    let more = if more > 0 { format!(" and {more} more") } else { String::new() };
    format!(", which differs in {}{more}", keys.join(", "))
}

/// The paths of the values that differ.
fn collect_differences(a: &Value, b: &Value, path: String, keys: &mut Vec<String>) {
    let join = |key: &str| if path.is_empty() { key.to_owned() } else { format!("{path}.{key}") };
    match (a, b) {
        (Value::Object(a), Value::Object(b)) => {
            let mut names: Vec<&String> = a.keys().chain(b.keys()).collect();
            names.sort_unstable();
            names.dedup();
            for name in names {
                let of =
                    |table: &serde_json::Map<String, Value>| table.get(name).cloned().unwrap_or_default();
                collect_differences(&of(a), &of(b), join(name), keys);
            }
        }
        (Value::Array(a), Value::Array(b)) if a.len() == b.len() => {
            for (index, (a, b)) in a.iter().zip(b).enumerate() {
                collect_differences(a, b, join(&index.to_string()), keys);
            }
        }
        _ if a == b => {}
        _ => keys.push(path),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn differences_are_named_by_their_path() {
        let a = json!({ "x": 1, "list": [{ "y": 1 }, 2], "gone": true, "size": [1, 2] });
        let b = json!({ "x": 1, "list": [{ "y": 5 }, 2], "size": [1, 2, 3], "new": 0.5 });
        let mut keys = Vec::new();
        collect_differences(&a, &b, String::new(), &mut keys);
        assert_eq!(keys, ["gone", "list.0.y", "new", "size"]);
    }
}
