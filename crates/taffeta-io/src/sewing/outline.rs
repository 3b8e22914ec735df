//! Cloth from a drawing: closed paths of an SVG file, meshed.
//!
//! ```text
//! file ──svg──► closed paths of curves [m] ──chords──► polygons ──regions──► outlines and holes ──mesh──► triangles
//! ```
//!
//! Every part that a path fills is a piece, and becomes a panel of the cloth: holes are where the path's fill rule leaves
//! some. Material coordinates are the places on the page from its lower left corner, u to the right and v up.
//!
//! Lengths on a page with a physical size (`width` or `height` in mm, cm, Q, in, pt or pc) are those of the page. Otherwise a
//! unit of the drawing is a meter. A scale, meters per unit of the drawing, goes before both.

pub(crate) mod chords;
pub(crate) mod mesh;
pub(crate) mod regions;
mod svg;
mod too_fine;

pub use too_fine::TooFine;

use crate::frame::FaceGroups;
use crate::read_file;
use glam::DVec2;
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use taffeta_core::TriangleMesh;

/// Why a drawing cannot become a cloth.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
pub enum OutlineError {
    /// The file cannot be read.
    #[error("cannot read the outline {}: {reason}", path.display())]
    Unreadable {
        /// The file.
        path: PathBuf,
        /// Why not.
        reason: String,
    },
    /// The file is no SVG document.
    #[error("{}: it is no SVG document: {reason}", path.display())]
    NotSvg {
        /// The file.
        path: PathBuf,
        /// Why not.
        reason: String,
    },
    /// Nothing is drawn.
    #[error(
        "{}: it has no path; shapes count as paths, but texts, images and what is not drawn (no fill and no stroke) do not",
        path.display()
    )]
    NoPath {
        /// The file.
        path: PathBuf,
    },
    /// Something is wrong with a path.
    #[error("{}: {name} {defect}", path.display())]
    Path {
        /// The file.
        path: PathBuf,
        /// The path by its id, or by its number in the file.
        name: String,
        /// The defect.
        defect: OutlineDefect,
    },
    /// The mesh would be absurdly fine.
    #[error(
        "{}: {why}; {name} is {}: choose a larger edge_length, or say how large the drawing is: outline_scale is the meters of \
         one of its units",
        path.display(), why.show_size()
    )]
    TooFine {
        /// The file.
        path: PathBuf,
        /// The largest path by its id, or by its number in the file.
        name: String,
        /// The number of faces.
        why: TooFine,
    },
}

/// Defect of a path. Places are material coordinates \[m\].
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
pub enum OutlineDefect {
    /// It has an end.
    #[error("is open: it starts at {} and ends at {}; close it with Z", show(*start), show(*end))]
    Open {
        /// Its start.
        start: DVec2,
        /// Its end.
        end: DVec2,
    },
    /// It has no inside.
    #[error("encloses no area (near {})", show(*at))]
    NoArea {
        /// A place on it.
        at: DVec2,
    },
    /// Its outline crosses itself.
    #[error("crosses itself at {}", show(*at))]
    CrossesItself {
        /// The crossing.
        at: DVec2,
    },
    /// Its outline meets itself without crossing.
    #[error("touches itself near {}", show(*at))]
    TouchesItself {
        /// A place near the contact.
        at: DVec2,
    },
    /// Its outline meets that of another one.
    #[error("and {other} cross or touch near {}; pieces must lie apart", show(*at))]
    Crosses {
        /// The other one.
        other: String,
        /// Where.
        at: DVec2,
    },
    /// It lies on another piece.
    #[error("lies inside of {other}; a hole must be part of the same path (in Inkscape: Path, Combine)")]
    Inside {
        /// The other one.
        other: String,
    },
    /// A piece is smaller than the edges that it should have.
    #[error("is {size:.4} m large, which is less than the edge_length of {edge_length} m (near {})", show(*at))]
    SmallerThanEdge {
        /// The larger side of the box around the piece \[m\].
        size: f64,
        /// The edge length asked for \[m\].
        edge_length: f64,
        /// A place on it.
        at: DVec2,
    },
    /// The triangulation does not take its coordinates.
    #[error("cannot be triangulated: {reason}")]
    Untriangulable {
        /// Why not.
        reason: String,
    },
}

pub(crate) fn show(at: DVec2) -> String {
    format!("[{:.5}, {:.5}]", at.x, at.y)
}

/// A drawing as a mesh of triangles with edges of about `edge_length` \[m\]; corners of the paths stay exact. `scale` is
/// the length of a unit of the drawing \[m\]; `None`: as the drawing says. Piece by piece in the order of the file; in the
/// xy-plane, with the same material coordinates.
///
/// # Errors
/// If the file cannot be read or is no SVG document. If it has no paths, or paths that are open, cross or touch, lie in each
/// other or have no area. If pieces are smaller than an edge, or would have more than a million faces.
///
/// # Panics
/// If the edge length or the scale is not positive.
pub fn read_outline(path: &Path, edge_length: f64, scale: Option<f64>) -> Result<TriangleMesh, OutlineError> {
    read_named_outline(path, edge_length, scale).map(|(mesh, _)| mesh)
}

/// Like [`read_outline`], with the path of each face by its id, which is empty for a path without one.
///
/// # Errors
/// As [`read_outline`].
///
/// # Panics
/// If the edge length or the scale is not positive.
pub fn read_named_outline(
    path: &Path,
    edge_length: f64,
    scale: Option<f64>,
) -> Result<(TriangleMesh, FaceGroups), OutlineError> {
    let bytes = read_file(path)
        .map_err(|error| OutlineError::Unreadable { path: path.to_owned(), reason: error.to_string() })?;
    parse_named_outline(&bytes, path, edge_length, scale)
}

/// Like [`read_outline`], from the bytes of a file; the path is for messages.
///
/// # Errors
/// As [`read_outline`].
///
/// # Panics
/// If the edge length or the scale is not positive.
pub fn parse_outline(
    bytes: &[u8],
    path: &Path,
    edge_length: f64,
    scale: Option<f64>,
) -> Result<TriangleMesh, OutlineError> {
    parse_named_outline(bytes, path, edge_length, scale).map(|(mesh, _)| mesh)
}

fn parse_named_outline(
    bytes: &[u8],
    path: &Path,
    edge_length: f64,
    scale: Option<f64>,
) -> Result<(TriangleMesh, FaceGroups), OutlineError> {
    assert!(edge_length > 0.0 && scale.is_none_or(|scale| scale > 0.0), "lengths are positive");
    let drawing = svg::read(bytes, path, scale)?;
    let rough: Vec<Vec<DVec2>> = drawing.loops.iter().map(|drawn| chords::sample_roughly(drawn)).collect();
    TooFine::check(&rough, edge_length).map_err(|why| {
        let name = drawing.names[drawing.path_of[why.largest]].clone();
        OutlineError::TooFine { path: path.to_owned(), name, why }
    })?;
    let defect = |(name, defect): (usize, OutlineDefect)| OutlineError::Path {
        path: path.to_owned(),
        name: drawing.names[name].clone(),
        defect,
    };
    let loops: Vec<Vec<DVec2>> =
        drawing.loops.iter().map(|drawn| chords::divide(drawn, edge_length)).collect();
    let bits = |p: DVec2| p.to_array().map(f64::to_bits);
    let starts =
        loops.iter().zip(&drawing.path_of).filter_map(|(points, path)| Some((bits(*points.first()?), *path)));
    let path_at: BTreeMap<[u64; 2], usize> = starts.collect();
    let kept = regions::find_boundaries(&drawing, loops, edge_length).map_err(defect)?;
    let mesh = mesh::triangulate(&kept, edge_length)
        .map_err(|reason| defect((0, OutlineDefect::Untriangulable { reason })))?;
    let panels = mesh.panels();
    // Every piece has the first point of its outline.
    let mut path_of = vec![0; panels.iter().max().map_or(0, |last| *last as usize + 1)];
    for (v, panel) in mesh.faces.iter().zip(&panels).flat_map(|(face, panel)| face.map(|v| (v, *panel))) {
        if let Some(path) = path_at.get(&bits(mesh.positions[v as usize].truncate())) {
            path_of[panel as usize] = *path as u32;
        }
    }
    let of_face = panels.iter().map(|panel| path_of[*panel as usize]).collect();
    Ok((mesh, FaceGroups { names: drawing.ids, of_face }))
}
