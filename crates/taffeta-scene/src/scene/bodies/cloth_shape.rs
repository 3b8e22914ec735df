//! Sources of the mesh of a cloth.

use crate::keys::{ABOVE_ZERO, Choice, Count, Fixed, Positive, Spread, Words};
use crate::place::Place;
use glam::{DVec2, DVec3};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use std::path::{Path, PathBuf};
use taffeta_io::grid::GridPattern;

/// Cells of a grid: more need over 10 GB and are taken for a mistake.
const MAX_CELLS: u64 = 20_000_000;

/// The keys that say where the mesh of a cloth comes from.
pub(crate) const SHAPES: [&str; 5] = ["grid", "mesh", "ball", "outline", "garment"];
/// Level of a ball: 1.3 million faces.
const MAX_LEVEL: u64 = 8;

/// A rectangle in the xy-plane from the origin.
#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(rename = "grid", default, deny_unknown_fields)]
pub(crate) struct GridTable {
    /// Lengths along u and v \[m\].
    pub size: Fixed<Positive, 2>,
    /// Cells along u and v.
    pub cells: Fixed<Count<1>, 2>,
    /// Pattern of the triangles in the cells.
    pub pattern: Choice<GridPattern>,
}

impl Default for GridTable {
    fn default() -> Self {
        Self {
            size: [1.0; 2].into(),
            cells: Fixed([Count(32); 2]),
            pattern: Choice(GridPattern::Alternating),
        }
    }
}

/// A closed cloth around the origin.
#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(rename = "ball", deny_unknown_fields)]
pub(crate) struct BallTable {
    /// Radius, or three half axes \[m\].
    #[schemars(example = 0.2)]
    pub radius: Spread<ABOVE_ZERO, 3>,
    /// 20·4^level faces.
    #[serde(default = "default_level")]
    pub level: Count<0, MAX_LEVEL>,
}

fn default_level() -> Count<0, MAX_LEVEL> {
    Count(3)
}

impl Words for GridPattern {
    fn words() -> Vec<(&'static str, Self)> {
        Self::ALL.map(|pattern| (pattern.name(), pattern)).to_vec()
    }
}

/// Source of the mesh of a cloth.
#[derive(Clone, Debug, PartialEq)]
pub enum ClothShape {
    /// A rectangle, see [`grid`](taffeta_io::grid::grid).
    Grid {
        /// Lengths along u and v \[m\].
        size: DVec2,
        /// Cells along u and v.
        cells: [u32; 2],
        /// Triangulation of the cells.
        pattern: GridPattern,
    },
    /// An ellipsoid around the origin, closed, without material coordinates, see [`sphere_mesh`](taffeta_io::sphere_mesh).
    Ball {
        /// Half axes \[m\].
        radius: DVec3,
        /// `20 · 4^level` faces.
        level: u32,
    },
    /// An OBJ file.
    Mesh {
        /// Absolute path.
        path: PathBuf,
        /// Factor of its `vt` coordinates: meters per unit.
        uv_scale: f64,
        /// Distance within which vertices become one \[m\]; `None`: none do.
        weld: Option<f64>,
    },
    /// Closed paths of an SVG file, see [`read_outline`](taffeta_io::read_outline).
    Outline {
        /// Absolute path.
        path: PathBuf,
        /// Length of the edges \[m\].
        edge_length: f64,
        /// Meters per unit of the drawing; `None`: as the drawing says.
        scale: Option<f64>,
    },
    /// A sewing pattern, see [`read_garment`](taffeta_io::read_garment).
    Garment {
        /// Absolute path.
        path: PathBuf,
        /// Length of the edges \[m\].
        edge_length: f64,
        /// Time in which its stitches close \[s\].
        sewing_time: f64,
    },
}

impl ClothShape {
    /// The file that it is read from, with its key.
    pub(crate) fn file(&self) -> Option<(&'static str, &Path)> {
        match self {
            Self::Mesh { path, .. } => Some(("mesh", path)),
            Self::Outline { path, .. } => Some(("outline", path)),
            Self::Garment { path, .. } => Some(("garment", path)),
            Self::Grid { .. } | Self::Ball { .. } => None,
        }
    }
}

/// Refuses keys that belong to another shape.
pub(super) fn refuse_foreign_keys(shape: &str, at: &Place<'_>) {
    let refuse = |keys: &[&str], owner: &str, help: &str| {
        for key in at.given(keys) {
            at.at(key).refuse(format!("`{at}.{key}` needs {owner}"), help);
        }
    };
    if shape != "mesh" {
        refuse(&["uv_scale"], "a mesh", "it scales the vt coordinates of `mesh`");
        refuse(&["weld"], "a mesh", "it joins vertices of `mesh`");
    }
    if shape != "outline" {
        let help = "it belongs to `outline`, an SVG file with closed paths";
        refuse(&["outline_scale"], "an outline", help);
    }
    if shape != "garment" {
        refuse(&["sewing_time"], "a garment", "it belongs to `garment`, a sewing pattern");
    }
    if !["outline", "garment"].contains(&shape) {
        let help =
            "it belongs to `outline`, an SVG file with closed paths, and to `garment`, a sewing pattern";
        refuse(&["edge_length"], "an outline or a garment", help);
    }
}

pub(super) fn resolve_grid(table: &GridTable, at: &Place<'_>) -> Option<ClothShape> {
    let GridTable { size, cells: Fixed([u, v]), pattern } = table;
    let count = u.0.saturating_mul(v.0);
    if count > MAX_CELLS {
        at.refuse(format!("`{at}` makes {count} cells"), format!("at most {MAX_CELLS} cells").as_str());
        return None;
    }
    let size = DVec2::from_array(size.get());
    Some(ClothShape::Grid { size, cells: [u.to_u32(), v.to_u32()], pattern: pattern.0 })
}
