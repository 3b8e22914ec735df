//! Start of a run: anew, or from the checkpoint of its folder.

use super::checkpoint::{CheckpointFolder, Resumed};
use super::lock::Lock;
use super::prepare::Prepared;
use super::record::missing_files;
use crate::failure::Failure;
use std::path::Path;
use taffeta_scene::OutputFolder;

/// A folder that is open for a run.
pub(super) struct Opening {
    pub folder: OutputFolder,
    pub checkpoints: CheckpointFolder,
    /// State that the run goes on from; `None`: it begins.
    pub resumed: Option<Resumed>,
    /// Remark for the user about it.
    pub remark: Option<String>,
}

impl Opening {
    /// Opens the folder of a run and, if it is to go on from a checkpoint, takes the world there.
    ///
    /// # Errors
    /// If another process writes the folder; if it is not empty and no run is to go on in it; if its checkpoint is damaged or
    /// of another scene.
    pub(super) fn find(prepared: &mut Prepared, resume: bool) -> Result<Self, Failure> {
        let root = prepared.root.clone();
        Lock::refuse_if_held(&root)?;
        if !(resume && holds_run(&root)) {
            let folder = OutputFolder::create(&root).map_err(|error| Failure::usage(&error))?;
            let remark = resume.then(|| format!("{} holds no run yet: this one begins", root.display()));
            return Ok(Self { folder, checkpoints: CheckpointFolder::claim(&root)?, resumed: None, remark });
        }
        let mut checkpoints = CheckpointFolder::claim(&root)?;
        let resumed = checkpoints.resume(prepared)?;
        let last = resumed.as_ref().and_then(Resumed::last_recorded);
        let folder = OutputFolder::reopen(&root, last).map_err(|error| Failure::usage(&error))?;
        let remark = match last {
            None if resumed.is_none() => {
                Some(format!("the run in {} has not left a checkpoint yet: it starts over", root.display()))
            }
            None => None,
            Some(last) => {
                let rows = folder.missing_rows(last).map_err(|error| Failure::usage(&error))?;
                let files = missing_files(prepared, last);
                (rows > 0 || files > 0).then(|| {
                    format!(
                        "{} is incomplete up to frame {last}, where the run goes on: rows of metrics.csv that are \
                         missing: {rows}; files in frames that are missing: {files}",
                        root.display()
                    )
                })
            }
        };
        Ok(Self { folder, checkpoints, resumed, remark })
    }
}

/// Returns whether a folder holds what a run writes first.
fn holds_run(root: &Path) -> bool {
    root.join("scene.json").exists() || root.join("checkpoint").exists()
}
