//! One run at a time writes a folder.

use crate::failure::Failure;
use std::fs::{self, File, OpenOptions, TryLockError};
use std::io::{self, Write};
use std::path::{Path, PathBuf};

/// The lock on a result folder. The operating system lets go of it when the process ends, however it ends, so that a lock that
/// is left behind is taken over.
#[derive(Debug)]
pub(super) struct Lock {
    _file: File,
}

impl Lock {
    /// Takes the lock of a folder, which must exist, and notes who has it.
    ///
    /// # Errors
    /// If another process has it, which the message names, or the file cannot be made.
    pub(super) fn take(root: &Path) -> Result<Self, Failure> {
        let path = lock_path(root);
        let unusable = |error: io::Error| Failure::Usage(format!("cannot lock {}: {error}", path.display()));
        let folder = path.parent().expect("the lock is in a folder");
        fs::create_dir_all(folder).map_err(unusable)?;
        let options = OpenOptions::new().create(true).truncate(false).write(true).open(&path);
        let mut file = options.map_err(unusable)?;
        match file.try_lock() {
            Ok(()) => {}
            Err(TryLockError::WouldBlock) => return Err(held(root)),
            // A file system without locks: two runs in one folder are then up to the user.
            Err(TryLockError::Error(_)) => return Ok(Self { _file: file }),
        }
        // For messages only.
        file.set_len(0).and_then(|()| file.write_all(describe_self().as_bytes())).ok();
        Ok(Self { _file: file })
    }

    /// Refuses a folder that another process writes.
    pub(super) fn refuse_if_held(root: &Path) -> Result<(), Failure> {
        let Ok(file) = File::open(lock_path(root)) else { return Ok(()) };
        match file.try_lock_shared() {
            Err(TryLockError::WouldBlock) => Err(held(root)),
            _ => Ok(()),
        }
    }
}

fn lock_path(root: &Path) -> PathBuf {
    root.join("checkpoint").join("lock")
}

fn held(root: &Path) -> Failure {
    let path = lock_path(root);
    let holder = fs::read_to_string(&path).unwrap_or_default();
    let holder = if holder.trim().is_empty() { "another process" } else { holder.trim() };
    let age = fs::metadata(&path).and_then(|data| data.modified()).ok().and_then(|time| time.elapsed().ok());
    let since = age.map_or(String::new(), |age| format!(", which began {} s ago", age.as_secs()));
    Failure::Usage(format!(
        "{} is being written by {holder}{since}\n  = wait for it or end it, or choose another folder with --out",
        root.display()
    ))
}

/// This process, in words.
fn describe_self() -> String {
    let host = fs::read_to_string("/proc/sys/kernel/hostname").unwrap_or_default();
    let on = if host.trim().is_empty() { String::new() } else { format!(" on {}", host.trim()) };
    format!("process {}{on}\n", std::process::id())
}
