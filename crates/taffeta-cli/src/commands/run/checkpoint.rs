//! The folder `checkpoint/`: the state to resume from.
//!
//! ```text
//! checkpoint/checkpoint.json     the scene's identity, the frame, the totals so far, the name of the state
//! checkpoint/state_00120.gz      the state, compressed
//! checkpoint/lock                who writes the folder
//! ```
//!
//! The disk holds a complete checkpoint, with everything written before it, at every moment after the first one. The order of
//! writes ensures it:
//!
//! 1. Frames and tables are on the disk before the state.
//!
//! 2. The state is written under a new name.
//!
//! 3. When it is on the disk, `checkpoint.json` is replaced.
//!
//! 4. Older states are removed.

use super::lock::Lock;
use super::prepare::Prepared;
use super::totals::Totals;
use crate::failure::Failure;
use crate::files::{replace_file, replace_file_by};
use flate2::Compression;
use flate2::read::GzDecoder;
use flate2::write::GzEncoder;
use serde::{Deserialize, Serialize};
use serde_json::Value;
use std::fs::{self, File};
use std::io::{self, BufWriter, Read};
use std::path::{Path, PathBuf};
use taffeta_io::UNFINISHED;
use taffeta_scene::{MetricsRow, OutputFolder};
use taffeta_sim::{Checkpoint, StateHasher, World};

/// Format of `checkpoint.json`; a change of the format changes it.
const FORMAT: u32 = 3;
/// Keys of the scene that may differ when a run is continued.
const FREE_KEYS: [&str; 3] = ["simulation.duration", "simulation.threads", "output.checkpoint_every"];
/// Largest ratio of the length of a state to that of its packed form.
const MAX_RATIO: u64 = 64;
/// Differences of two scenes that a message names.
const NAMED_DIFFERENCES: usize = 5;

/// Note on a checkpoint.
#[derive(Serialize, Deserialize)]
struct Note {
    format: u32,
    version: String,
    /// Identity of the scene apart from its duration.
    scene: String,
    frame: u64,
    /// The frame's row of the table if the frame could not be written, as on a full disk.
    unwritten: Option<MetricsRow>,
    state: String,
    state_hash: String,
    totals: Totals,
}

/// State that a run goes on from.
pub(super) struct Resumed {
    /// The totals so far.
    pub totals: Totals,
    /// The row of the present frame if it is still to be written.
    pub unwritten: Option<MetricsRow>,
    frame: u64,
}

impl Resumed {
    /// The last frame that is written; `None`: not even frame 0.
    pub(super) fn last_recorded(&self) -> Option<u64> {
        if self.unwritten.is_some() { self.frame.checked_sub(1) } else { Some(self.frame) }
    }
}

/// Moment of a run at which a checkpoint is taken.
pub(super) struct Moment<'a> {
    pub prepared: &'a Prepared,
    pub totals: &'a Totals,
    /// The row of the present frame if it could not be written.
    pub unwritten: Option<&'a MetricsRow>,
}

/// The folder of checkpoints of a run, which nobody else writes.
pub(super) struct CheckpointFolder {
    root: PathBuf,
    /// The last frame that is known to be on the disk.
    synced: Option<u64>,
    _lock: Lock,
}

impl CheckpointFolder {
    /// Claims the checkpoints of a result folder, which is locked for others as long as this lives.
    ///
    /// # Errors
    /// If another process has it.
    pub(super) fn claim(result: &Path) -> Result<Self, Failure> {
        let lock = Lock::take(result)?;
        Ok(Self { root: result.join("checkpoint"), synced: None, _lock: lock })
    }

    fn record_path(&self) -> PathBuf {
        self.root.join("checkpoint.json")
    }

    /// Writes a checkpoint in place of the one before, which stays if the disk is full. Returns the hash of the state.
    pub(super) fn save(&mut self, folder: &OutputFolder, moment: &Moment<'_>) -> Result<String, Failure> {
        self.try_save(folder, moment).map_err(|error| {
            Failure::Failed(format!("cannot write the checkpoint in {}: {error}", self.root.display()))
        })
    }

    fn try_save(&mut self, folder: &OutputFolder, moment: &Moment<'_>) -> io::Result<String> {
        let Moment { prepared, totals, unwritten } = moment;
        let frame = prepared.world.frame();
        let state = format!("state_{frame:05}.gz");
        let path = self.root.join(&state);
        folder.sync(self.synced).map_err(io::Error::other)?;
        let mut state_hash = String::new();
        replace_file_by(&path, |file| {
            state_hash = pack(&prepared.world, file)?;
            Ok(())
        })?;
        let note = Note {
            format: FORMAT,
            version: env!("CARGO_PKG_VERSION").to_owned(),
            scene: prepared.motion_hash.clone(),
            frame,
            unwritten: unwritten.cloned(),
            state,
            state_hash,
            totals: (*totals).clone(),
        };
        replace_file(&self.record_path(), &serde_json::to_vec_pretty(&note)?)?;
        self.synced = if unwritten.is_some() { frame.checked_sub(1) } else { Some(frame) };
        for entry in fs::read_dir(&self.root)? {
            let entry = entry?;
            let name = entry.file_name().to_string_lossy().into_owned();
            let is_old = name.starts_with("state_") && name != note.state;
            if is_old || name.ends_with(UNFINISHED) {
                fs::remove_file(entry.path())?;
            }
        }
        Ok(note.state_hash)
    }

    /// `None` if there is no checkpoint.
    fn read_note(&self) -> Result<Option<Note>, Failure> {
        let path = self.record_path();
        match fs::read(&path) {
            Ok(bytes) => {
                serde_json::from_slice(&bytes).map(Some).map_err(|error| damaged(&path, &error.to_string()))
            }
            Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(None),
            Err(error) => Err(Failure::Usage(format!("cannot read {}: {error}", path.display()))),
        }
    }

    fn read_state(&self, note: &Note) -> Result<Checkpoint, Failure> {
        let path = self.root.join(&note.state);
        let bytes = fs::read(&path).and_then(|bytes| unpack(&bytes));
        let bytes = bytes.map_err(|error| damaged(&path, &error.to_string()))?;
        Checkpoint::from_bytes(&bytes).map_err(|error| damaged(&path, &error.to_string()))
    }

    /// Takes the world of a run to where the checkpoint was taken; `None`: there is none, and the world stays at its start.
    ///
    /// # Errors
    /// If the folder is one of another scene, or the checkpoint cannot be used.
    pub(super) fn resume(&mut self, prepared: &mut Prepared) -> Result<Option<Resumed>, Failure> {
        let Some(note) = self.read_note()? else {
            let differences = find_differences(prepared);
            return if differences.is_empty() { Ok(None) } else { Err(self.other_scene(&differences)) };
        };
        if note.format != FORMAT {
            let reason = format!("its format is {}, but this program reads format {FORMAT}", note.format);
            return Err(damaged(&self.record_path(), &reason));
        }
        if note.scene != prepared.motion_hash {
            return Err(self.other_scene(&find_differences(prepared)));
        }
        let checkpoint = self.read_state(&note)?;
        let is_sound = checkpoint.frame() == note.frame && checkpoint.hash() == note.state_hash;
        if !is_sound {
            return Err(damaged(&self.root, "the state is not the one that was saved"));
        }
        prepared.world.restore(checkpoint).map_err(|error| damaged(&self.root, &error.to_string()))?;
        let resumed = Resumed { totals: note.totals, unwritten: note.unwritten, frame: note.frame };
        self.synced = resumed.last_recorded();
        Ok(Some(resumed))
    }

    fn other_scene(&self, differences: &[String]) -> Failure {
        Failure::Usage(format!(
            "the checkpoint in {} is of another scene{}\n  = undo the changes to resume, or start a new run with \
             another --out",
            self.root.display(),
            name_differences(differences)
        ))
    }
}

/// Writes the state of a world, packed, and returns its hash. The compression is low, because most of a state are digits of
/// floating-point numbers: more effort gains a few percent.
fn pack(world: &World, file: &mut File) -> io::Result<String> {
    let packer = GzEncoder::new(file, Compression::fast());
    let mut stream = BufWriter::new(StateHasher::before(packer));
    world.write_checkpoint(&mut stream)?;
    let (packer, hash) = stream.into_inner().map_err(io::IntoInnerError::into_error)?.finish();
    packer.finish()?;
    Ok(hash)
}

/// The stream carries a checksum: a state that was cut or changed is an error, and so is one that unpacks to far more than
/// states do.
fn unpack(packed: &[u8]) -> io::Result<Vec<u8>> {
    let limit = MAX_RATIO * packed.len() as u64;
    let mut bytes = Vec::new();
    GzDecoder::new(packed).take(limit + 1).read_to_end(&mut bytes)?;
    if bytes.len() as u64 > limit {
        return Err(io::Error::other(format!("it unpacks to more than {MAX_RATIO} times its size")));
    }
    Ok(bytes)
}

fn damaged(path: &Path, reason: &str) -> Failure {
    Failure::Usage(format!(
        "the checkpoint {} cannot be used: {reason}\n  = start a new run with another --out",
        path.display()
    ))
}

/// The keys in which the scene of the folder and that of the run differ.
fn find_differences(prepared: &Prepared) -> Vec<String> {
    let mut keys = Vec::new();
    let Ok(text) = fs::read_to_string(prepared.root.join("scene.json")) else { return keys };
    let Ok(old) = serde_json::from_str::<Value>(&text) else { return keys };
    // Through text, so that both have the numbers that the reader makes of it.
    let Ok(new) = serde_json::from_str::<Value>(&prepared.scene.to_json().to_string()) else { return keys };
    collect_differences(&old, &new, String::new(), &mut keys);
    keys.retain(|key| !FREE_KEYS.contains(&key.as_str()));
    keys
}

/// Differences of scenes as part of a message.
fn name_differences(keys: &[String]) -> String {
    if keys.is_empty() {
        return ": a mesh file has changed".to_owned();
    }
    let more = keys.len().saturating_sub(NAMED_DIFFERENCES);
    let named = keys[..keys.len().min(NAMED_DIFFERENCES)].join(", ");
    let more = if more > 0 { format!(" and {more} more") } else { String::new() };
    format!(", which differs in {named}{more}")
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
