//! Obstacles of a scene, and the meshes of those that are read from files.

use std::path::{Path, PathBuf};
use taffeta_contact::{Freedom, MeshObstacle, Obstacle, Shape};
use taffeta_core::{Friction, KeyframedMotion, Placement};
use taffeta_io::obj::{FileSequence, ObjError, read_obj_sequence};
use taffeta_io::{mesh_file, read_gltf};

/// An obstacle.
#[derive(Clone, Debug, PartialEq)]
pub struct SceneObstacle {
    /// Name; empty: it has none.
    pub name: String,
    /// Shape of the obstacle.
    pub shape: ObstacleShape,
    /// Its placement at rest.
    pub place: Placement,
    /// Its motion from there.
    pub motion: KeyframedMotion,
    /// Friction of the surface.
    pub friction: Friction,
    /// Freedom to move otherwise than as its motion says.
    pub freedom: Freedom,
}

/// The shape of an obstacle.
#[derive(Clone, Debug, PartialEq)]
pub enum ObstacleShape {
    /// In closed form.
    Closed(Shape),
    /// An OBJ, STL or PLY file.
    Mesh {
        /// Absolute path.
        path: PathBuf,
    },
    /// A glTF file, sampled over the time of an animation, see [`read_gltf`].
    Animated {
        /// Absolute path.
        path: PathBuf,
        /// Shapes per second \[1/s\].
        rate: f64,
        /// Name of the animation; `None`: the first.
        animation: Option<String>,
    },
    /// A sequence of OBJ files.
    Frames {
        /// Absolute path, with `%d` or `%04d` where the number goes.
        pattern: PathBuf,
        /// Files per second \[1/s\].
        rate: f64,
    },
}

impl ObstacleShape {
    /// The key under which a scene has it, if it is read from files.
    pub(crate) fn file_key(&self) -> Option<&'static str> {
        match self {
            Self::Closed(_) => None,
            Self::Mesh { .. } | Self::Animated { .. } => Some("mesh"),
            Self::Frames { .. } => Some("frames"),
        }
    }

    /// The files that it is read from, in their order.
    ///
    /// # Errors
    /// If the files of a sequence are not there or have a gap.
    pub fn files(&self) -> Result<Vec<PathBuf>, ObjError> {
        match self {
            Self::Closed(_) => Ok(Vec::new()),
            Self::Mesh { path } | Self::Animated { path, .. } => Ok(vec![path.clone()]),
            Self::Frames { pattern, .. } => FileSequence::parse(pattern)
                .map_err(|message| ObjError::Whole { path: pattern.clone(), message })?
                .find(),
        }
    }
}

impl SceneObstacle {
    /// The obstacle in closed form; `None`: it is a mesh.
    pub fn closed_form(&self) -> Option<Obstacle> {
        let ObstacleShape::Closed(shape) = self.shape else { return None };
        let Self { name, place, motion, friction, freedom, .. } = self.clone();
        Some(Obstacle { name, shape, place, motion, friction, freedom })
    }

    /// Reads the mesh of the obstacle, with a warning for all that is left out of it; `None`: it is in closed form.
    ///
    /// # Errors
    /// If a file cannot be read as a mesh, no triangle has an area, or the files of a sequence do not fit together.
    pub fn read_mesh(&self) -> Result<Option<(MeshObstacle, Vec<String>)>, ObjError> {
        let files = self.shape.files()?;
        let Some(first) = files.first() else { return Ok(None) };
        let mut notes = Vec::new();
        let (file, shapes, shape_rate) = match &self.shape {
            ObstacleShape::Frames { rate, .. } => {
                let (file, shapes) = read_obj_sequence(&files)?;
                (file, shapes, *rate)
            }
            ObstacleShape::Animated { rate, animation, .. } => {
                let read = read_gltf(first, *rate, animation.as_deref())?;
                notes = read.notes;
                (read.mesh, read.shapes, *rate)
            }
            _ => {
                let file = mesh_file::read_mesh(first)?;
                let shapes = vec![file.mesh.positions.clone()];
                (file, shapes, 0.0)
            }
        };
        let Self { name, place, motion, friction, .. } = self.clone();
        let mut left_out = file.other_elements;
        if file.dropped_vertices > 0 {
            left_out.push(format!("{} vertices that belong to no face", file.dropped_vertices));
        }
        let faces = file.mesh.faces;
        let rest = MeshObstacle::default();
        let mut obstacle = MeshObstacle { name, faces, shapes, shape_rate, place, motion, friction, ..rest };
        let dropped = obstacle.drop_flat_faces();
        if obstacle.faces.is_empty() {
            let message = format!("none of its {dropped} triangles has an area");
            return Err(ObjError::Whole { path: first.clone(), message });
        }
        if let Some(message) = obstacle.find_defect() {
            return Err(ObjError::Whole { path: first.clone(), message });
        }
        if dropped > 0 {
            left_out.push(format!("{dropped} triangles without area"));
        }
        let warn = |what: String| format!("{what} are left out of the obstacle");
        notes.extend(left_out.into_iter().map(warn));
        Ok(Some((obstacle, notes)))
    }

    /// Copy of the obstacle that reads its files from a folder, by its number.
    pub(crate) fn read_from(&self, folder: &Path, number: usize) -> Self {
        let shape = match self.shape {
            ObstacleShape::Closed(shape) => ObstacleShape::Closed(shape),
            ObstacleShape::Mesh { .. } => ObstacleShape::Mesh { path: folder.join(file_name(number, None)) },
            ObstacleShape::Frames { rate, .. } | ObstacleShape::Animated { rate, .. } => {
                ObstacleShape::Frames { pattern: folder.join(format!("obstacle_{number}_%05d.obj")), rate }
            }
        };
        Self { shape, ..self.clone() }
    }
}

/// The name under which a result folder keeps the mesh of an obstacle, or one of its shapes.
pub(crate) fn file_name(number: usize, shape: Option<usize>) -> String {
    match shape {
        Some(shape) => format!("obstacle_{number}_{shape:05}.obj"),
        None => format!("obstacle_{number}.obj"),
    }
}
