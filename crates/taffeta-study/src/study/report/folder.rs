//! The folder that a study writes.

use super::page;
use super::standalone;
use super::tables;
use crate::study::StudyReport;
use std::fs;
use std::io::{self, Write};
use std::path::{Path, PathBuf};
use taffeta_scene::{OutputError, OutputFolder};

/// The page with the plots.
pub(super) const PAGE: &str = "report.html";
/// The folder with the plots as pictures, named after their anchors in the page.
pub(super) const FIGURES: &str = "figures";

/// The folder of a study.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct StudyFolder {
    root: PathBuf,
}

impl StudyFolder {
    /// Makes the folder. An empty folder is taken as it is.
    ///
    /// # Errors
    /// If it exists and is not empty, or cannot be made or written.
    pub fn create(root: &Path) -> Result<Self, OutputError> {
        if root.exists() && !root.is_dir() {
            return Err(OutputError::NotAFolder { path: root.to_owned() });
        }
        fs::create_dir_all(root).map_err(|error| io_error("make the output folder", root, &error))?;
        let mut entries = fs::read_dir(root).map_err(|error| io_error("read the folder", root, &error))?;
        match entries.next() {
            Some(_) => Err(OutputError::NotEmpty { path: root.to_owned() }),
            None => Ok(Self { root: root.to_owned() }),
        }
    }

    /// The folder itself.
    pub fn root(&self) -> &Path {
        &self.root
    }

    /// Writes the tables, the figures and the page. Returns the path of the page.
    ///
    /// # Errors
    /// If a file cannot be written.
    pub fn write(&self, report: &StudyReport) -> Result<PathBuf, OutputError> {
        self.write_file("study.csv", &tables::study_csv(report))?;
        self.write_file("frames.csv", &tables::frames_csv(report))?;
        self.write_file("trajectories.csv", &tables::trajectories_csv(report))?;
        if let Some(check) = &report.check {
            self.write_file("check.csv", &tables::check_csv(check))?;
        }
        let figures = self.root.join(FIGURES);
        fs::create_dir_all(&figures).map_err(|error| io_error("make the folder", &figures, &error))?;
        for (name, svg) in standalone::pictures(report) {
            self.write_file(&format!("{FIGURES}/{name}.svg"), &svg)?;
        }
        self.write_file(PAGE, &page::page(report))
    }

    /// Writes a file, which appears under its name when it is complete.
    fn write_file(&self, name: &str, text: &str) -> Result<PathBuf, OutputError> {
        OutputFolder::existing(&self.root).write_file(name, |file| file.write_all(text.as_bytes()))
    }
}

fn io_error(action: &'static str, path: &Path, error: &io::Error) -> OutputError {
    OutputError::Io { action, path: path.to_owned(), reason: error.to_string() }
}
