//! Why something cannot be shown.

use std::path::PathBuf;
use taffeta_io::ObjError;
use taffeta_scene::{OutputError, SceneError};
use taffeta_sim::BuildError;

/// Why something cannot be shown.
#[derive(Debug, thiserror::Error)]
pub enum ViewError {
    /// The port cannot be had.
    #[error(
        "cannot listen on port {port} of 127.0.0.1: {reason}; choose another one, or 0 for any that is free"
    )]
    Port {
        /// The port asked for.
        port: u16,
        /// The system's reason.
        reason: String,
    },
    /// The server broke down.
    #[error("the server of the page stopped: {reason}")]
    Server {
        /// The system's reason.
        reason: String,
    },
    /// The meshes of the scene do not fit it.
    #[error(transparent)]
    Scene(#[from] SceneError),
    /// The world of the scene cannot be built.
    #[error(transparent)]
    World(#[from] BuildError),
    /// The folder cannot be read.
    #[error(transparent)]
    Folder(#[from] OutputError),
    /// The mesh of an obstacle cannot be read.
    #[error(transparent)]
    Obstacle(#[from] ObjError),
    /// There is nothing to play.
    #[error("{} has no frames to show: {reason}", path.display())]
    NoFrames {
        /// The folder.
        path: PathBuf,
        /// Why not.
        reason: String,
    },
}
