//! Garments from sewing patterns: the JSON specification of GarmentCode (M. Korosteleva, O. Sorkine-Hornung, GarmentCode:
//! Programming Parametric Sewing Patterns, 2023).
//!
//! ```text
//! JSON ──spec──► panels, stitches ──curve──► chains of points [m] ──outlines──► polygons ──mesh──► triangles
//!                        └──sides──► which panels are turned over, so that the cloth has two sides
//! ```
//!
//! * A panel is a loop of straight, quadratic, cubic or circular edges. Control points are relative to their edge.
//! * The direction of the loop says which side of a panel is out: seen from there it runs counter-clockwise.
//! * A stitch sews an edge against the direction of another one. With `right_wrong` it sews along the direction.
//! * Both edges of a stitch are divided into equally many parts, so that the longer one is gathered evenly.
//! * Panels lie beside each other in material space. A panel whose loop is clockwise in the file is mirrored there.

mod curve;
mod error;
mod outlines;
mod sides;
mod spec;

pub use error::{GarmentDefect, GarmentError, GarmentPlace};

use super::outline::mesh::triangulate;
use super::outline::{TooFine, regions};
use crate::read_file;
use error::Refusal;
use glam::DVec2;
use outlines::Outline;
use spec::{EdgeName, PanelSpec};
use std::path::Path;
use taffeta_core::{Placement, TriangleMesh};

/// A garment whose panels are placed, but not sewn yet.
#[derive(Clone, Debug, PartialEq)]
pub struct Garment {
    /// All panels. In material space they lie beside each other.
    pub mesh: TriangleMesh,
    /// The panels, in the order of their names: that of [`TriangleMesh::panels`].
    pub panels: Vec<GarmentPanel>,
    /// The stitches, in the order of the file.
    pub stitches: Vec<Stitch>,
}

/// A panel of a garment.
#[derive(Clone, Debug, PartialEq)]
pub struct GarmentPanel {
    /// Its name.
    pub name: String,
    /// For each edge the vertices along it, in its direction.
    pub edges: Vec<Vec<u32>>,
    /// Its place in material space.
    pub chart: Chart,
}

/// The place of a panel in material space.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Chart {
    /// True if `u` changes its sign.
    pub is_mirrored: bool,
    /// Shift, after that \[m\].
    pub shift: DVec2,
}

impl Chart {
    /// Material coordinates of a point of the panel in the file \[m\].
    pub fn apply(&self, point: DVec2) -> DVec2 {
        let x = if self.is_mirrored { -point.x } else { point.x };
        DVec2::new(x, point.y) + self.shift
    }

    /// The point of the panel in the file with some material coordinates \[m\].
    pub fn apply_inverse(&self, coords: DVec2) -> DVec2 {
        let point = coords - self.shift;
        DVec2::new(if self.is_mirrored { -point.x } else { point.x }, point.y)
    }
}

/// Two edges that are sewn together.
#[derive(Clone, Debug, PartialEq)]
pub struct Stitch {
    /// The panel and the edge of each side, by their numbers.
    pub sides: [[usize; 2]; 2],
}

/// Reads a garment as triangles with edges of about `edge_length` \[m\].
///
/// # Errors
/// If the file cannot be read or is no sewing pattern. If a panel or an edge makes no sense, or a stitch does not fit. If
/// there would be more than a million faces.
///
/// # Panics
/// If the edge length is not positive.
pub fn read_garment(path: &Path, edge_length: f64) -> Result<Garment, GarmentError> {
    let bytes = read_file(path)
        .map_err(|error| GarmentError::Unreadable { path: path.to_owned(), reason: error.to_string() })?;
    parse_garment(&bytes, path, edge_length)
}

/// Like [`read_garment`], from the bytes of a file; the path is for messages.
///
/// # Errors
/// As [`read_garment`].
///
/// # Panics
/// If the edge length is not positive.
pub fn parse_garment(bytes: &[u8], path: &Path, edge_length: f64) -> Result<Garment, GarmentError> {
    assert!(edge_length > 0.0, "lengths are positive");
    let name = |(place, defect): Refusal| GarmentError::Pattern {
        path: path.to_owned(),
        place,
        defect: Box::new(defect),
    };
    let pattern = spec::read(bytes).map_err(name)?;
    TooFine::check(&pattern.sample_roughly(), edge_length).map_err(|why| {
        let panel = pattern.panels[why.largest].name.clone();
        GarmentError::TooFine { path: path.to_owned(), panel, why }
    })?;
    let outlines = outlines::divide(&pattern, edge_length).map_err(name)?;
    let flips = sides::find_flips(&pattern).map_err(name)?;
    let mut garment = Garment { mesh: TriangleMesh::default(), panels: Vec::new(), stitches: Vec::new() };
    garment.mesh.material = Some(Vec::new());
    let mut left = 0.0;
    for ((panel, outline), is_flipped) in pattern.panels.iter().zip(&outlines).zip(flips) {
        garment.add_panel(panel, outline, is_flipped, &mut left, edge_length).map_err(name)?;
    }
    let number = |EdgeName { panel, edge }: EdgeName| [panel, edge];
    garment.stitches = pattern.stitches.iter().map(|s| Stitch { sides: s.sides.map(number) }).collect();
    Ok(garment)
}

impl Garment {
    /// Appends a panel to the right of the others, which end at `left` \[m\] in material space.
    fn add_panel(
        &mut self,
        panel: &PanelSpec,
        outline: &Outline,
        is_flipped: bool,
        left: &mut f64,
        edge_length: f64,
    ) -> Result<(), Refusal> {
        let polygon = std::slice::from_ref(&outline.points);
        let flat = triangulate(polygon, edge_length)
            .map_err(|reason| (GarmentPlace::panel(&panel.name), GarmentDefect::Untriangulable { reason }))?;
        let is_clockwise = regions::signed_area(&outline.points) < 0.0;
        let mut chart = Chart { is_mirrored: is_clockwise != is_flipped, shift: DVec2::ZERO };
        let coords = flat.positions.iter().map(|p| chart.apply(p.truncate()));
        let corners =
            coords.fold([DVec2::INFINITY, DVec2::NEG_INFINITY], |[low, high], u| [low.min(u), high.max(u)]);
        chart.shift.x = *left - corners[0].x;
        *left += corners[1].x - corners[0].x + edge_length;

        let pose = Placement { translate: panel.translation, rotate_deg: panel.rotation, scale: 1.0 }.pose();
        let first = self.mesh.positions.len() as u32;
        self.mesh.positions.extend(flat.positions.iter().map(|p| pose.apply(*p)));
        let material = self.mesh.material.get_or_insert_default();
        for mut face in flat.faces {
            if chart.is_mirrored {
                face.swap(1, 2);
            }
            material.push(face.map(|v| chart.apply(flat.positions[v as usize].truncate())));
            self.mesh.faces.push(face.map(|v| first + v));
        }
        let edges = outline.edges().map(|edge| edge.into_iter().map(|k| first + k as u32).collect());
        self.panels.push(GarmentPanel { name: panel.name.clone(), edges: edges.collect(), chart });
        Ok(())
    }
}
