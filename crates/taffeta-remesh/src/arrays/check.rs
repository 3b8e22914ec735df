//! Checks of arrays before they become a mesh.

use super::options::metric_of;
use super::{ArrayError, MaterialCoords, SheetArrays, SizingField};
use crate::chart::{Chart, exact_side};
use crate::metric::{Metric, determinant};
use glam::DVec2;
use taffeta_core::geometry::doubled_area;
use taffeta_core::math::Sym2;
use taffeta_mesh::{BuiltMesh, HalfedgeMesh};

/// Sizes \[m\] beyond which squares of metrics leave the range of the numbers.
const SIZE_RANGE: std::ops::RangeInclusive<f64> = 1e-60..=1e60;

const PER_VERTEX: &str = "one per vertex";
const PER_FACE: &str = "one per face";

/// A sheet that can be remeshed.
pub(super) struct Checked {
    pub built: BuiltMesh,
    pub chart: Chart,
}

pub(super) fn check_sheet(sheet: &SheetArrays) -> Result<Checked, ArrayError> {
    check_lengths(sheet)?;
    let built = HalfedgeMesh::from_triangles(sheet.positions.len(), sheet.faces)?;
    check_finite(sheet)?;
    let material = single_valued(sheet)?;
    check_areas(sheet.faces, &material)?;
    let chart = Chart::build(&built, sheet.faces, material);
    match chart.find_overlap() {
        Some(faces) => Err(ArrayError::Overlap { faces }),
        None => Ok(Checked { built, chart }),
    }
}

fn check_lengths(sheet: &SheetArrays) -> Result<(), ArrayError> {
    let vertex_count = sheet.positions.len();
    match sheet.material {
        MaterialCoords::PerVertex(coords) => {
            check_length("material", coords.len(), vertex_count, PER_VERTEX)?;
        }
        MaterialCoords::PerCorner(corners) => {
            check_length("material", corners.len(), sheet.faces.len(), PER_FACE)?;
        }
    }
    if let Some(pinned) = sheet.pinned {
        check_length("pinned", pinned.len(), vertex_count, PER_VERTEX)?;
    }
    if let Some(velocities) = sheet.velocities {
        check_length("velocities", velocities.len(), vertex_count, PER_VERTEX)?;
    }
    let expected = vertex_count.saturating_mul(sheet.attribute_width);
    check_length("attributes", sheet.attributes.len(), expected, "attribute_width per vertex")
}

fn check_length(
    array: &'static str,
    found: usize,
    expected: usize,
    per: &'static str,
) -> Result<(), ArrayError> {
    if found == expected { Ok(()) } else { Err(ArrayError::Length { array, found, expected, per }) }
}

fn check_finite(sheet: &SheetArrays) -> Result<(), ArrayError> {
    all_finite("the position", sheet.positions.as_flattened(), 3)?;
    all_finite("the velocity", sheet.velocities.unwrap_or_default().as_flattened(), 3)?;
    all_finite("an attribute", sheet.attributes, sheet.attribute_width)?;
    match sheet.material {
        MaterialCoords::PerVertex(coords) => all_finite("the material coordinate", coords.as_flattened(), 2),
        MaterialCoords::PerCorner(corners) => {
            let numbers = corners.as_flattened().as_flattened();
            let Some(at) = numbers.iter().position(|number| !number.is_finite()) else { return Ok(()) };
            let (face, corner) = ((at / 6) as u32, at % 6 / 2);
            Err(ArrayError::CornerNotFinite { face, corner, value: numbers[at] })
        }
    }
}

fn all_finite(array: &'static str, numbers: &[f64], width: usize) -> Result<(), ArrayError> {
    match numbers.iter().position(|number| !number.is_finite()) {
        Some(at) => Err(ArrayError::NotFinite { array, vertex: (at / width) as u32, value: numbers[at] }),
        None => Ok(()),
    }
}

/// The material coordinate of every vertex \[m\].
fn single_valued(sheet: &SheetArrays) -> Result<Vec<DVec2>, ArrayError> {
    let corners = match sheet.material {
        MaterialCoords::PerVertex(coords) => return Ok(coords.iter().map(|&u| u.into()).collect()),
        MaterialCoords::PerCorner(corners) => corners,
    };
    let mut known: Vec<Option<(DVec2, u32)>> = vec![None; sheet.positions.len()];
    for ((face, vertices), coords) in (0u32..).zip(sheet.faces).zip(corners) {
        for (&vertex, &u) in vertices.iter().zip(coords) {
            let (first, other) = *known[vertex as usize].get_or_insert((u.into(), face));
            if first != DVec2::from(u) {
                return Err(ArrayError::Seam { vertex, faces: [other, face] });
            }
        }
    }
    Ok(known.into_iter().map(|known| known.expect("every vertex of a surface has a face").0).collect())
}

/// Every face must be upright, by its exact sign, and have an area that can be computed with.
fn check_areas(faces: &[[u32; 3]], material: &[DVec2]) -> Result<(), ArrayError> {
    let mut inverted = faces.iter().map(|face| face.map(|v| material[v as usize])).map(exact_side);
    let first = inverted.position(|side| side < 0.0);
    let count = usize::from(first.is_some()) + inverted.filter(|side| *side < 0.0).count();
    if let Some(face) = first {
        return Err(ArrayError::Inverted { face: face as u32, inverted: count, total: faces.len() });
    }
    for (face, corners) in (0u32..).zip(faces) {
        let corners = corners.map(|v| material[v as usize]);
        let doubled = doubled_area(corners);
        if exact_side(corners) == 0.0 || !(f64::MIN_POSITIVE..f64::INFINITY).contains(&doubled) {
            return Err(ArrayError::Degenerate { face });
        }
    }
    Ok(())
}

/// The metric of every vertex of a field that is given.
pub(super) fn check_field(field: &SizingField, vertex_count: usize) -> Result<Vec<Metric>, ArrayError> {
    match field {
        SizingField::Sizes(sizes) => {
            check_length("sizes", sizes.len(), vertex_count, PER_VERTEX)?;
            let check = |(vertex, &value): (u32, &f64)| {
                let is_fine = SIZE_RANGE.contains(&value);
                if is_fine { Ok(metric_of(value)) } else { Err(ArrayError::Size { vertex, value }) }
            };
            (0u32..).zip(*sizes).map(check).collect()
        }
        SizingField::Metrics(metrics) => {
            check_length("metrics", metrics.len(), vertex_count, PER_VERTEX)?;
            let check = |(vertex, &metric): (u32, &[f64; 3])| {
                let [xx, xy, yy] = metric;
                let tensor = Sym2 { xx, xy, yy };
                if is_positive_definite(&tensor) {
                    Ok(tensor)
                } else {
                    Err(ArrayError::Metric { vertex, metric })
                }
            };
            (0u32..).zip(*metrics).map(check).collect()
        }
        SizingField::Shape(_) => unreachable!("the shape has a field of its own"),
    }
}

/// Whether a tensor is positive definite with sizes in [`SIZE_RANGE`].
fn is_positive_definite(metric: &Metric) -> bool {
    let largest = metric.xx + metric.yy;
    let determinant = determinant(metric);
    // The smaller eigenvalue is at least the determinant over the trace.
    let (fine, coarse) = (SIZE_RANGE.start(), SIZE_RANGE.end());
    metric.xx > 0.0
        && metric.yy > 0.0
        && largest <= 1.0 / (fine * fine)
        && determinant / largest >= 1.0 / (coarse * coarse)
}
