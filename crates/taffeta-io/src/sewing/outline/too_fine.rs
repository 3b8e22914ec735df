//! A limit on the number of faces of a drawing or a pattern, checked before anything is divided.

use super::chords::perimeter;
use super::mesh::FACE_SHARE;
use super::regions::signed_area;
use glam::DVec2;

/// More faces than this are taken for a mistake.
const MAX_FACES: f64 = 1e6;

/// Why a mesh is not made: it would have too many faces.
#[derive(Clone, Copy, Debug, PartialEq, thiserror::Error)]
#[error(
    "an edge_length of {edge_length} m makes about {faces:.1e} faces of an area of {area:.3e} m², more than {MAX_FACES:.0e}"
)]
pub struct TooFine {
    /// The edge length asked for \[m\].
    pub edge_length: f64,
    /// Expected number of faces.
    pub faces: f64,
    /// The area of all pieces \[m²\].
    pub area: f64,
    /// The piece with the most faces, by its number.
    pub largest: usize,
    /// Sides of the box around it \[m\].
    pub size: DVec2,
}

impl TooFine {
    /// Checks the number of faces between closed polygons \[m\], which may be rough. Thin pieces have a face for each side.
    ///
    /// # Errors
    /// If there would be more than a million.
    pub(crate) fn check(loops: &[Vec<DVec2>], edge_length: f64) -> Result<(), Self> {
        let areas: Vec<f64> = loops.iter().map(|points| signed_area(points).abs()).collect();
        let count = |(points, area): (&Vec<DVec2>, &f64)| {
            let faces =
                (area / (FACE_SHARE * edge_length * edge_length)).max(perimeter(points) / edge_length);
            // What overflows has no value.
            if faces.is_nan() { f64::INFINITY } else { faces }
        };
        let counts: Vec<f64> = loops.iter().zip(&areas).map(count).collect();
        let faces = counts.iter().sum();
        if faces <= MAX_FACES {
            return Ok(());
        }
        let largest = (0..counts.len()).max_by(|a, b| counts[*a].total_cmp(&counts[*b])).unwrap_or(0);
        let (low, high) = loops[largest]
            .iter()
            .fold((DVec2::INFINITY, DVec2::NEG_INFINITY), |(low, high), p| (low.min(*p), high.max(*p)));
        Err(Self { edge_length, faces, area: areas.iter().sum(), largest, size: high - low })
    }

    /// The box around the largest piece, for messages.
    pub(crate) fn show_size(&self) -> String {
        format!("{:.3e} m by {:.3e} m", self.size.x, self.size.y)
    }
}
