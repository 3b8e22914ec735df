//! Files that hold all frames of a run, written frame by frame.

use crate::frame::FrameData;
use glam::DVec3;
use std::fs::File;
use std::io;
use std::path::PathBuf;
use taffeta_core::motion::Pose;

/// The run that files span.
#[derive(Clone, Debug)]
pub struct Span {
    /// Frames per second \[1/s\].
    pub frame_rate: f64,
    /// Direction that is upward.
    pub up: DVec3,
    /// First and last frame.
    pub frames: [u64; 2],
    /// Folder for temporary files without a name.
    pub scratch: PathBuf,
}

/// Makes a file of a name, which a function writes.
pub type Files<'a> =
    dyn FnMut(&str, Box<dyn FnOnce(&mut File) -> io::Result<()> + '_>) -> io::Result<()> + 'a;

/// A writer of files that hold all frames.
pub trait SpanningWriter {
    /// Adds a frame of a body, whose frames come one after the other.
    ///
    /// # Errors
    /// If a temporary file cannot be written, or a file would become too large.
    fn add(&mut self, body: &str, number: u64, frame: &FrameData) -> io::Result<()>;

    /// Ends a body: its next frame does not come.
    ///
    /// # Errors
    /// If a file cannot be written.
    fn end_body(&mut self, _files: &mut Files<'_>) -> io::Result<()> {
        Ok(())
    }

    /// Writes the remaining files, with the obstacles.
    ///
    /// # Errors
    /// If a file cannot be written.
    fn finish(self: Box<Self>, obstacles: &[RigidBody], files: &mut Files<'_>) -> io::Result<()>;
}

/// A body that keeps its faces: a mesh, and how it moves from there.
#[derive(Clone, Debug)]
pub struct RigidBody {
    /// Its name.
    pub name: String,
    /// The mesh at the first frame \[m\].
    pub mesh: taffeta_core::TriangleMesh,
    /// From there to each frame; empty: it stands still.
    pub poses: Vec<(u64, Pose)>,
    /// Positions \[m\] of its vertices by frame if it changes its shape; then it has no poses.
    pub shapes: Vec<(u64, Vec<DVec3>)>,
}
