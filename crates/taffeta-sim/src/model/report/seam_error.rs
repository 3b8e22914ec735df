//! Defects of a seam.

use std::fmt;
use taffeta_mesh::{BuildError as MeshError, WeldBlocked};

/// Part by which the lengths of two runs may differ.
pub const LENGTH_TOLERANCE: f64 = 0.05;

/// A seam that makes no sense.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[error("seam {seam}: {defect}")]
pub struct SeamError {
    /// The seam, by its number in its cloth.
    pub seam: usize,
    /// Why not.
    pub defect: SeamDefect,
}

/// A run in messages.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct RunName {
    /// `a` or `b`.
    pub side: char,
    /// Its first and its last vertex.
    pub ends: [u32; 2],
    /// The panel that it bounds.
    pub panel: u32,
    /// Its length at rest \[m\].
    pub length: f64,
}

impl fmt::Display for RunName {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { side, ends: [first, last], panel, length } = self;
        write!(f, "run {side} (panel {panel}, vertices {first} to {last}) is {length:.4} m long")
    }
}

/// Why a seam makes no sense. Vertices are numbered as in the mesh.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
pub enum SeamDefect {
    /// The time is not positive.
    #[error("the gap closes in {time} s; the time must be greater than 0")]
    Time {
        /// The time \[s\].
        time: f64,
    },
    /// The mesh is no surface.
    #[error("{0}")]
    Mesh(MeshError),
    /// There are no panels.
    #[error(
        "its panels have no material coordinates (vt): a cloth without them is at rest as it comes, with its gaps"
    )]
    NoMaterial,
    /// A run has too few vertices.
    #[error("run {side} names {count} vertices; it takes at least 2, its ends")]
    Short {
        /// `a` or `b`.
        side: char,
        /// Their number.
        count: usize,
    },
    /// There is no such vertex.
    #[error("vertex {vertex} of run {side} is out of range: the mesh has vertices 0 to {last}")]
    OutOfRange {
        /// `a` or `b`.
        side: char,
        /// Its number.
        vertex: u32,
        /// The last one.
        last: u32,
    },
    /// A vertex is inside a panel.
    #[error("vertex {vertex} of run {side} is not on the boundary of a panel")]
    Inside {
        /// `a` or `b`.
        side: char,
        /// The vertex.
        vertex: u32,
    },
    /// Vertices of a run lie on different loops.
    #[error("vertices {} and {} of run {side} lie on different boundary loops, so that no run joins them",
        vertices[0], vertices[1])]
    Apart {
        /// `a` or `b`.
        side: char,
        /// Two that follow each other.
        vertices: [u32; 2],
    },
    /// A run meets itself.
    #[error(
        "run {side} passes vertex {vertex} twice: its vertices must be in order along the boundary, and close enough \
         that the shorter way between them is the one that is meant"
    )]
    Twice {
        /// `a` or `b`.
        side: char,
        /// The vertex.
        vertex: u32,
    },
    /// The two runs meet between their ends.
    #[error("both runs pass vertex {vertex}: they can share their ends only")]
    Shared {
        /// The vertex.
        vertex: u32,
    },
    /// A run is a whole loop, the other is not.
    #[error("run {side} is a whole loop and the other one is not: both or none must end where they begin")]
    Closed {
        /// The one that is.
        side: char,
    },
    /// The runs are of different lengths.
    #[error(
        "{} and {}: they differ by {:.1} %, more than {:.0} %; `ease = true` gathers the longer one",
        runs[0], runs[1], 100.0 * (1.0 - runs[0].length.min(runs[1].length) / runs[0].length.max(runs[1].length)),
        100.0 * LENGTH_TOLERANCE
    )]
    Lengths {
        /// The two runs.
        runs: [RunName; 2],
    },
    /// The panels face opposite ways.
    #[error(
        "the ends that are near each other would not be sewn together: panels {} and {} face opposite ways, so that one \
         of them must be turned over: reverse the order of the corners of all its faces (flip its normals), or place it \
         the other way round",
        panels[0], panels[1]
    )]
    TurnedOver {
        /// The panels.
        panels: [u32; 2],
    },
    /// There is nothing to sew.
    #[error("no two runs of the boundary are within {distance} m of each other")]
    NothingNear {
        /// The distance \[m\].
        distance: f64,
    },
    /// The distance is not positive.
    #[error("the distance is {distance} m; it must be greater than 0")]
    Distance {
        /// The distance \[m\].
        distance: f64,
    },
    /// The result would be no surface.
    #[error("sewn together, the cloth would be no surface at vertex {vertex}: {}", explain(reason))]
    NoSurface {
        /// The vertex where it goes wrong.
        vertex: u32,
        /// Reason why the vertices cannot be welded.
        reason: WeldBlocked,
    },
}

fn explain(reason: &WeldBlocked) -> &'static str {
    match reason {
        WeldBlocked::Missing(_) => "it is gone",
        WeldBlocked::FlatFace(_) => "two corners of a face would be one",
        WeldBlocked::CrowdedEdge(..) => "more than two faces would share an edge",
        WeldBlocked::TurnedOver(..) => "the faces on the two sides are turned against each other",
        WeldBlocked::DoubledFace(_) => "two faces would have the same corners",
        WeldBlocked::BowTie(_) => "faces that share no edge would meet in it alone",
    }
}

impl SeamDefect {
    /// The run that is to blame, `a` or `b`, if it is one.
    pub fn side(&self) -> Option<char> {
        match self {
            Self::Short { side, .. }
            | Self::OutOfRange { side, .. }
            | Self::Inside { side, .. }
            | Self::Apart { side, .. }
            | Self::Twice { side, .. }
            | Self::Closed { side } => Some(*side),
            _ => None,
        }
    }

    /// Renumbers the vertices that the defect names.
    pub fn renumber(mut self, number: impl Fn(u32) -> u32) -> Self {
        match &mut self {
            Self::OutOfRange { last: v, .. } => *v = number(*v),
            Self::Inside { vertex, .. }
            | Self::Twice { vertex, .. }
            | Self::Shared { vertex }
            | Self::NoSurface { vertex, .. } => *vertex = number(*vertex),
            Self::Apart { vertices, .. } => *vertices = vertices.map(number),
            Self::Lengths { runs } => runs.iter_mut().for_each(|run| run.ends = run.ends.map(&number)),
            _ => {}
        }
        self
    }
}
