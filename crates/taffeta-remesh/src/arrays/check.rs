//! Checks of arrays before they become a mesh.

use super::error::ArrayError;
use super::input::{MaterialCoords, SheetArrays, SizingField};
use super::options::metric_of;
use crate::attributes::SheetAttributes;
use crate::attributes::rest::is_seam;
use crate::input::chart::Chart;
use crate::input::exact::exact_side;
use crate::input::panels::{BadPanels, Panels};
use crate::metric::{Metric, determinant};
use glam::{DVec2, DVec3};
use taffeta_core::geometry::{doubled_area, flatten_triangle};
use taffeta_core::math::Sym2;
use taffeta_mesh::{BuiltMesh, HalfedgeMesh};

/// Sizes \[m\] beyond which squares of metrics leave the range of the numbers.
const SIZE_RANGE: std::ops::RangeInclusive<f64> = 1e-60..=1e60;

/// The least height of a triangle in space over its longest side, relative to that: below, round-off decides which way it
/// looks.
const HEIGHT_MIN: f64 = 1e-12;

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
    if matches!(sheet.material, MaterialCoords::Positions) {
        let coords = laid_flat(sheet)?;
        let chart = Chart::laid_flat(sheet.faces, coords, Panels::of_pieces(&built));
        return Ok(Checked { built, chart });
    }
    let coords = corner_coords(sheet)?;
    check_areas(&coords)?;
    let panels = Panels::find(&built, &coords)?;
    let chart = Chart::build(sheet.faces, &coords, panels);
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
        MaterialCoords::Indexed { faces, .. } => {
            check_length("material_faces", faces.len(), sheet.faces.len(), PER_FACE)?;
        }
        MaterialCoords::Positions => {}
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
        MaterialCoords::Indexed { coords, .. } => {
            let numbers = coords.as_flattened();
            let Some(at) = numbers.iter().position(|number| !number.is_finite()) else { return Ok(()) };
            Err(ArrayError::PointNotFinite { point: (at / 2) as u32, value: numbers[at] })
        }
        MaterialCoords::Positions => Ok(()),
    }
}

fn all_finite(array: &'static str, numbers: &[f64], width: usize) -> Result<(), ArrayError> {
    match numbers.iter().position(|number| !number.is_finite()) {
        Some(at) => Err(ArrayError::NotFinite { array, vertex: (at / width) as u32, value: numbers[at] }),
        None => Ok(()),
    }
}

/// The material coordinates of the corners of every face \[m\].
fn corner_coords(sheet: &SheetArrays) -> Result<Vec<[DVec2; 3]>, ArrayError> {
    match sheet.material {
        MaterialCoords::PerVertex(coords) => {
            Ok(sheet.faces.iter().map(|face| face.map(|v| coords[v as usize].into())).collect())
        }
        MaterialCoords::PerCorner(corners) => {
            Ok(corners.iter().map(|corners| corners.map(DVec2::from)).collect())
        }
        MaterialCoords::Indexed { coords, faces } => {
            for (face, points) in (0u32..).zip(faces) {
                if let Some(&point) = points.iter().find(|&&point| point as usize >= coords.len()) {
                    return Err(ArrayError::PointOutOfRange { face, point, count: coords.len() });
                }
            }
            Ok(faces.iter().map(|points| points.map(|point| coords[point as usize].into())).collect())
        }
        MaterialCoords::Positions => laid_flat(sheet),
    }
}

/// The faces of a sheet without material coordinates, each laid flat by itself \[m\].
fn laid_flat(sheet: &SheetArrays) -> Result<Vec<[DVec2; 3]>, ArrayError> {
    let lay_flat = |(face, corners): (u32, &[u32; 3])| {
        let x: [DVec3; 3] = corners.map(|v| sheet.positions[v as usize].into());
        let longest = (0..3).map(|k| x[k].distance(x[(k + 1) % 3])).fold(0.0, f64::max);
        let height = (x[1] - x[0]).cross(x[2] - x[0]).length() / longest;
        // Also of a triangle of two equal points, where it is no number.
        if height > HEIGHT_MIN * longest {
            Ok(flatten_triangle(x))
        } else {
            Err(ArrayError::Degenerate { face })
        }
    };
    (0u32..).zip(sheet.faces).map(lay_flat).collect()
}

/// Every face must have an area, by its exact sign, that can be computed with.
fn check_areas(coords: &[[DVec2; 3]]) -> Result<(), ArrayError> {
    for (face, &corners) in (0u32..).zip(coords) {
        let doubled = doubled_area(corners).abs();
        if exact_side(corners) == 0.0 || !(f64::MIN_POSITIVE..f64::INFINITY).contains(&doubled) {
            return Err(ArrayError::Degenerate { face });
        }
    }
    Ok(())
}

impl From<BadPanels> for ArrayError {
    fn from(bad: BadPanels) -> Self {
        match bad {
            BadPanels::Folded { face, inverted, total } => Self::Inverted { face, inverted, total },
            BadPanels::NoReflection { face } => Self::Reflections { face },
        }
    }
}

/// Returns, for each vertex of the input, whether it is on a seam.
pub(super) fn vertices_on_seams(built: &BuiltMesh, attributes: &SheetAttributes) -> Vec<bool> {
    let mut is_on_seam = vec![false; built.vertices.len()];
    for e in built.mesh.edge_keys().filter(|&e| is_seam(&built.mesh, attributes, e)) {
        for v in built.mesh.edge_ends(e) {
            let number = attributes.vertices[v].input.expect("a vertex of the input");
            is_on_seam[number as usize] = true;
        }
    }
    is_on_seam
}

/// Turns tensors of mirrored panels over with them. What is on a seam has the same size in all directions.
pub(super) fn reflect_metrics(chart: &Chart, metrics: &mut [Metric], is_on_seam: &[bool]) {
    let mut is_done = is_on_seam.to_vec();
    for (corners, &panel) in chart.faces.iter().zip(&chart.panels.of_face) {
        for v in corners.iter().map(|&v| v as usize) {
            if chart.panels.mirrored[panel as usize] && !std::mem::replace(&mut is_done[v], true) {
                metrics[v] = chart.panels.reflection.apply_to_tensor(metrics[v]);
            }
        }
    }
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

/// Returns whether a tensor is positive definite with sizes in [`SIZE_RANGE`].
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
