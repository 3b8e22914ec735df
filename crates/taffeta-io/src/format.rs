//! The formats by name.

/// A format of frames.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Format {
    /// Wavefront OBJ: positions, material coordinates, faces or lines.
    Obj,
    /// Stanford PLY, binary.
    Ply,
    /// VTK PolyData in XML, with a `.pvd` file that tells the times.
    Vtp,
    /// Universal Scene Description as text, one file per body.
    Usda,
    /// Binary glTF, one file for the whole run.
    Glb,
    /// NumPy arrays.
    Npz,
}

impl Format {
    /// All formats, in the order in which messages name them.
    pub const ALL: [Self; 6] = [Self::Obj, Self::Ply, Self::Vtp, Self::Usda, Self::Glb, Self::Npz];

    /// The name in scenes, which is the ending of the files.
    pub fn name(self) -> &'static str {
        match self {
            Self::Obj => "obj",
            Self::Ply => "ply",
            Self::Vtp => "vtp",
            Self::Usda => "usda",
            Self::Glb => "glb",
            Self::Npz => "npz",
        }
    }

    /// The format of a name.
    pub fn from_name(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|format| format.name() == name)
    }

    /// Returns whether one file holds all frames, so that it can be written only from the files of the single frames.
    pub fn spans_frames(self) -> bool {
        matches!(self, Self::Usda | Self::Glb)
    }

    /// Returns whether its files hold everything of a frame and are read back by this program.
    pub fn is_complete(self) -> bool {
        matches!(self, Self::Ply | Self::Npz)
    }

    /// Describes the data beyond OBJ that files of this format lose, in a sentence; `None` if they lose nothing.
    pub fn loss(self) -> Option<&'static str> {
        match self {
            Self::Glb => Some(
                "scene.glb has numbers of 32 bits and leaves out strains, curvatures and their jumps: glTF has no values of faces",
            ),
            Self::Usda => Some("usda files have numbers of 32 bits, as USD defines points"),
            Self::Obj | Self::Ply | Self::Vtp | Self::Npz => None,
        }
    }
}
