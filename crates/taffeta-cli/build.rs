//! Passes the commit that the program is built from to the summaries of runs: `TAFFETA_COMMIT`. It ends with `-dirty` if
//! sources differ from the commit. Outside of a repository of the project, as in an archive of the sources, it is `unknown`.
//!
//! It runs again when a commit is made or a source changes. Sources are those of the packages that this one is built from, so
//! that nothing is compiled for its sake but this package after a commit.

use std::path::Path;
use std::process::Command;

const UNKNOWN: &str = "unknown";

fn main() {
    println!("cargo:rerun-if-changed=build.rs");
    let commit = find_commit().unwrap_or_else(|| UNKNOWN.to_owned());
    println!("cargo:rustc-env=TAFFETA_COMMIT={commit}");
}

/// The commit; `None`: there is no git, or no repository of the project.
fn find_commit() -> Option<String> {
    let root = Path::new("../..").canonicalize().ok()?;
    // Sources that lie in a repository of something else have no commit of their own.
    if Path::new(&git(&["rev-parse", "--show-toplevel"])?).canonicalize().ok()? != root {
        return None;
    }
    for name in ["HEAD", "logs/HEAD"] {
        let path = git(&["rev-parse", "--git-path", name])?;
        // Cargo takes a path that does not exist as one that always changes.
        if Path::new(&path).exists() {
            println!("cargo:rerun-if-changed={path}");
        }
    }
    println!("cargo:rerun-if-changed=../../Cargo.lock");
    for package in std::fs::read_dir("..").ok()?.flatten() {
        let sources = package.path().join("src");
        if sources.is_dir() {
            println!("cargo:rerun-if-changed={}", sources.display());
        }
    }
    let commit = git(&["rev-parse", "HEAD"])?;
    let sources = ["../*/src/*", "../*/Cargo.toml", "build.rs", "../../Cargo.toml", "../../Cargo.lock"];
    let status = ["--no-optional-locks", "status", "--porcelain", "--"];
    let is_clean = git(&[&status[..], &sources[..]].concat())?.is_empty();
    Some(if is_clean { commit } else { format!("{commit}-dirty") })
}

/// Output of git; `None` if it fails.
fn git(arguments: &[&str]) -> Option<String> {
    let output = Command::new("git").args(arguments).output().ok()?;
    let text = String::from_utf8(output.stdout).ok()?;
    output.status.success().then(|| text.trim_end().to_owned())
}
