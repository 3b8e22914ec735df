//! The gallery: a picture of every method, each made by the commands that stand below it.
//!
//! `cargo run --release --example gallery` runs the commands of all entries and writes `docs/gallery.md` and
//! `docs/gallery/`; with names it does so for these entries only. To add a picture, add an entry to `entries.rs`.

mod commands;
mod entries;
mod page;

use entries::{ENTRIES, Entry};
use std::error::Error;
use std::path::{Path, PathBuf};
use std::time::Instant;

/// Folder of the results of the commands.
const RESULTS: &str = "out/gallery";
/// The page, next to the folder of its pictures.
const PAGE: &str = "docs/gallery.md";
const PICTURES: &str = "docs/gallery";
/// Largest picture [bytes]: a gallery should not outweigh the program.
const LARGEST: u64 = 200_000;

fn main() -> Result<(), Box<dyn Error>> {
    let wanted: Vec<String> = std::env::args().skip(1).collect();
    if let Some(name) = wanted.iter().find(|name| ENTRIES.iter().all(|entry| entry.name != name.as_str())) {
        let names: Vec<&str> = ENTRIES.iter().map(|entry| entry.name).collect();
        return Err(format!("no entry {name:?}; there are {}", names.join(", ")).into());
    }
    let is_wanted = |entry: &&Entry| wanted.is_empty() || wanted.iter().any(|name| name == entry.name);
    std::env::set_current_dir(project())?;
    for entry in ENTRIES.iter().filter(is_wanted) {
        let start = Instant::now();
        println!("{}", entry.title);
        make(entry)?;
        println!("  {:.0} s", start.elapsed().as_secs_f64());
    }
    std::fs::write(PAGE, page::page(ENTRIES))?;
    println!("wrote {PAGE}");
    Ok(())
}

/// The folder of the project.
fn project() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}

/// Runs the commands of an entry and takes its pictures.
fn make(entry: &Entry) -> Result<(), Box<dyn Error>> {
    let folder = Path::new(RESULTS).join(entry.name);
    if folder.exists() {
        std::fs::remove_dir_all(&folder)?;
    }
    for command in entry.commands {
        commands::run(command)?;
    }
    std::fs::create_dir_all(PICTURES)?;
    for (made, name) in entry.pictures.iter().zip(entry.picture_names()) {
        let picture = Path::new(PICTURES).join(name);
        let size = std::fs::copy(made, &picture)
            .map_err(|error| format!("{}: its commands made no {made}: {error}", entry.name))?;
        if size > LARGEST {
            return Err(format!("{} has {size} bytes, more than {LARGEST}", picture.display()).into());
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_page_is_that_of_the_entries() {
        let written = std::fs::read_to_string(project().join(PAGE)).expect("the page is part of the project");
        assert!(written == page::page(ENTRIES), "run `cargo run --release --example gallery`");
    }

    #[test]
    fn every_entry_has_its_pictures_and_commands_that_can_run() {
        std::env::set_current_dir(project()).expect("the project exists");
        for entry in ENTRIES {
            assert!(!entry.pictures.is_empty(), "{}", entry.name);
            let folder = format!("{RESULTS}/{}", entry.name);
            for (made, name) in entry.pictures.iter().zip(entry.picture_names()) {
                let picture = Path::new(PICTURES).join(name);
                let size = std::fs::metadata(&picture).expect("the picture is part of the project").len();
                assert!(size > 0 && size <= LARGEST, "{}: {size} bytes", entry.name);
                assert!(made.starts_with(&folder), "{}: {made}", entry.name);
            }
            for command in entry.commands {
                commands::check(command, &folder).unwrap_or_else(|error| panic!("{command}\n{error}"));
            }
        }
    }
}
