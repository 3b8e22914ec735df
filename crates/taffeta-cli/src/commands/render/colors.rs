//! The quantities by which cloths are colored.
//!
//! | quantity | from a frame that has it | else from the mesh |
//! |---|---|---|
//! | size | the edge length that was wanted | mean length of the edges of a face |
//! | strain | only where there are no material coordinates | largest principal stretch of a face, less 1 |
//! | curvature | mean curvature | the same, from the angles at its edges |
//! | velocity | speed | distance to the same material point in the frame before, over the time between |
//! | plastic_curvature | norm of the plastic curvature | – |
//! | strain_jump, curvature_jump | largest difference from a neighbor | – |
//!
//! Values of faces become those of vertices by means weighted with areas: what is drawn is smooth, and the largest values
//! are a little smaller than those of the faces.

use super::source::Source;
use crate::args::{ColorName, ColorQuantity};
use crate::failure::Failure;
use clap::ValueEnum;
use glam::{DVec2, DVec3};
use taffeta_core::TriangleMesh;
use taffeta_core::geometry::green_strain;
use taffeta_core::locate::Locator;
use taffeta_io::{FrameData, mean_curvatures};

/// The word of a quantity on the command line.
pub(super) fn name(quantity: ColorQuantity) -> String {
    quantity.to_possible_value().map_or_else(String::new, |value| value.get_name().to_owned())
}

/// The quantities that some bodies have in their frames, in words; they need not be computed from the mesh.
pub(super) fn held_by(bodies: &[FrameData]) -> String {
    let has = |quantity: &ColorQuantity| bodies.iter().any(|data| is_held(*quantity, data));
    let names: Vec<String> =
        ColorQuantity::value_variants().iter().copied().filter(|quantity| has(quantity)).map(name).collect();
    if names.is_empty() { "nothing but positions and faces".to_owned() } else { names.join(", ") }
}

/// Returns whether a frame has the values of a quantity.
fn is_held(quantity: ColorQuantity, data: &FrameData) -> bool {
    match quantity {
        ColorQuantity::Size => data.sizes.is_some(),
        ColorQuantity::Velocity => data.velocities.is_some(),
        _ => face_values(quantity, data).is_some(),
    }
}

/// The values of the faces that a frame has of a quantity.
fn face_values(quantity: ColorQuantity, data: &FrameData) -> Option<&Vec<f64>> {
    match quantity {
        ColorQuantity::Strain => data.strains.as_ref(),
        ColorQuantity::Curvature => data.curvatures.as_ref(),
        ColorQuantity::PlasticCurvature => data.plastic_curvatures.as_ref(),
        ColorQuantity::StrainJump => data.strain_jumps.as_ref(),
        ColorQuantity::CurvatureJump => data.curvature_jumps.as_ref(),
        ColorQuantity::Size | ColorQuantity::Velocity => None,
    }
}

/// A way to color cloths.
pub(super) struct ColorBy {
    pub quantity: ColorQuantity,
}

impl ColorBy {
    /// The quantity that was named, of a folder with a frame.
    pub(super) fn of_name(named: &ColorName, source: &Source, frame: u64) -> Result<Self, Failure> {
        let word = match named {
            ColorName::Known(quantity) => return Ok(Self { quantity: *quantity }),
            ColorName::Unknown(word) => word,
        };
        let known: Vec<String> = ColorQuantity::value_variants().iter().copied().map(name).collect();
        let held = held_by(&source.read_all(frame)?);
        Err(Failure::Usage(format!(
            "--color {word}: there is no such quantity\n  = one of {}; the frames of {} have {held}",
            known.join(", "),
            source.root().display()
        )))
    }

    /// The values at the vertices of a body in a frame; `None`: it has none.
    pub(super) fn compute_values(
        &self,
        source: &Source,
        body: &str,
        frame: u64,
        data: &FrameData,
    ) -> Result<Option<Vec<f64>>, Failure> {
        let mesh = &data.mesh;
        if data.is_curve && self.quantity != ColorQuantity::Velocity {
            return Ok(None);
        }
        Ok(match self.quantity {
            ColorQuantity::Size => {
                let sizes = data.sizes.clone();
                Some(sizes.unwrap_or_else(|| to_vertices(mesh, &mean_edges(mesh))))
            }
            ColorQuantity::Strain => {
                let known =
                    || data.strains.as_ref().map(|strains| strains.iter().map(|e| stretch(*e)).collect());
                face_strains(mesh).or_else(known).map(|values| to_vertices(mesh, &values))
            }
            ColorQuantity::Curvature => {
                let computed = || mean_curvatures(&mesh.positions, &mesh.faces);
                let values = data.curvatures.clone().unwrap_or_else(computed);
                Some(to_vertices(mesh, &values))
            }
            ColorQuantity::PlasticCurvature | ColorQuantity::StrainJump | ColorQuantity::CurvatureJump => {
                face_values(self.quantity, data).map(|values| to_vertices(mesh, values))
            }
            ColorQuantity::Velocity => match &data.velocities {
                Some(velocities) => Some(velocities.iter().map(|velocity| velocity.length()).collect()),
                None => speeds_between(source, body, frame, mesh)?,
            },
        })
    }
}

/// From a principal Green strain `E` to the stretch less 1, `√(1 + 2E) − 1`.
fn stretch(green: f64) -> f64 {
    (1.0 + 2.0 * green).max(0.0).sqrt() - 1.0
}

/// The largest principal stretch of each face, less 1; `None` without material coordinates, NaN for faces without area
/// there.
fn face_strains(mesh: &TriangleMesh) -> Option<Vec<f64>> {
    let strain = |(face, [a, b, c]): (&[u32; 3], &[DVec2; 3])| {
        let [x0, x1, x2] = face.map(|v| mesh.positions[v as usize]);
        let (e1, e2) = (*b - *a, *c - *a);
        let doubled_area = e1.perp_dot(e2);
        // The columns of F from F e₁ = x₁ − x₀ and F e₂ = x₂ − x₀.
        let (d1, d2) = ((x1 - x0) / doubled_area, (x2 - x0) / doubled_area);
        let columns = [d1 * e2.y - d2 * e1.y, d2 * e1.x - d1 * e2.x];
        stretch(green_strain(columns).eigen().0[0])
    };
    let material = mesh.material.as_ref()?;
    Some(mesh.faces.iter().zip(material).map(strain).collect())
}

/// The mean of the values of the faces around each vertex, weighted with their areas; NaN for a vertex without faces.
fn to_vertices(mesh: &TriangleMesh, values: &[f64]) -> Vec<f64> {
    let mut sums = vec![(0.0, 0.0); mesh.positions.len()];
    for (face, value) in mesh.faces.iter().zip(values).filter(|(_, value)| value.is_finite()) {
        let [a, b, c] = face.map(|v| mesh.positions[v as usize]);
        let area = (b - a).cross(c - a).length();
        for v in face {
            let (sum, weight) = &mut sums[*v as usize];
            *sum += area * value;
            *weight += area;
        }
    }
    sums.into_iter().map(|(sum, weight)| if weight > 0.0 { sum / weight } else { f64::NAN }).collect()
}

/// The mean length of the edges of each face \[m\]: at rest if there are material coordinates, else as they are. Faces are
/// alike where vertices are not: four edges or eight meet in a regular grid.
fn mean_edges(mesh: &TriangleMesh) -> Vec<f64> {
    let at_rest = |[a, b, c]: [DVec2; 3]| (a.distance(b) + b.distance(c) + c.distance(a)) / 3.0;
    let as_it_is = |[a, b, c]: [DVec3; 3]| (a.distance(b) + b.distance(c) + c.distance(a)) / 3.0;
    match &mesh.material {
        Some(material) => material.iter().map(|corners| at_rest(*corners)).collect(),
        None => {
            let corners = mesh.faces.iter().map(|face| face.map(|v| mesh.positions[v as usize]));
            corners.map(as_it_is).collect()
        }
    }
}

/// Speed of each vertex \[m/s\] from the frame before, for the first frame from the one after. `None`: there is no other frame,
/// or its points cannot be found.
fn speeds_between(
    source: &Source,
    body: &str,
    frame: u64,
    mesh: &TriangleMesh,
) -> Result<Option<Vec<f64>>, Failure> {
    let frames = source.frames_of(body);
    let place = frames.partition_point(|other| *other < frame);
    let Some(other) = place.checked_sub(1).or(Some(place + 1)).and_then(|place| frames.get(place)) else {
        return Ok(None);
    };
    let elapsed = (source.time_of(frame) - source.time_of(*other)).abs();
    let other = source.read(body, *other)?.mesh;
    let distances = match other.faces == mesh.faces && other.positions.len() == mesh.positions.len() {
        // Remeshing that only moves material coordinates does not exist.
        true => mesh.positions.iter().zip(&other.positions).map(|(a, b)| a.distance(*b)).collect(),
        false => match material_distances(mesh, &other) {
            Some(distances) => distances,
            None => return Ok(None),
        },
    };
    Ok(Some(distances.into_iter().map(|distance| distance / elapsed).collect()))
}

/// Distance of each vertex from the same material point of another mesh \[m\]; NaN where that mesh has none. If charts of
/// panels overlap, the nearest of the points counts. `None` without material coordinates.
fn material_distances(mesh: &TriangleMesh, other: &TriangleMesh) -> Option<Vec<f64>> {
    let locator = Locator::build(other, &other.panels())?;
    let mut distances = vec![f64::NAN; mesh.positions.len()];
    for (face, corners) in mesh.faces.iter().zip(mesh.material.as_ref()?) {
        for (v, point) in face.iter().zip(corners) {
            let x = mesh.positions[*v as usize];
            if !distances[*v as usize].is_nan() {
                continue;
            }
            let found = locator.all_on_sheet(*point).map(|place| {
                let corners = other.faces[place.face as usize].map(|v| other.positions[v as usize]);
                let there: DVec3 = corners.iter().zip(place.weights).map(|(p, w)| *p * w).sum();
                x.distance(there)
            });
            distances[*v as usize] = found.fold(f64::NAN, f64::min);
        }
    }
    Some(distances)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A unit square of two faces, stretched.
    fn square(stretch: DVec2) -> TriangleMesh {
        let corners = [DVec2::ZERO, DVec2::X, DVec2::ONE, DVec2::Y];
        let mut mesh = TriangleMesh {
            positions: corners.iter().map(|u| (*u * stretch).extend(0.0)).collect(),
            faces: vec![[0, 1, 2], [0, 2, 3]],
            material: None,
        };
        mesh.set_vertex_material(&corners);
        mesh
    }

    #[test]
    fn strains_are_those_of_the_larger_principal_stretch() {
        for (stretch, expected) in [([1.2, 0.9], 0.2), ([0.8, 0.7], -0.2), ([1.0, 1.0], 0.0)] {
            let mesh = square(DVec2::from(stretch));
            let strains = face_strains(&mesh).unwrap();
            assert!(strains.iter().all(|strain| (strain - expected).abs() < 1e-12), "{strains:?}");
            let values = to_vertices(&mesh, &strains);
            assert!(values.iter().all(|strain| (strain - expected).abs() < 1e-12));
        }
        assert_eq!(face_strains(&TriangleMesh { material: None, ..square(DVec2::ONE) }), None);
        assert!((stretch(0.22) - 0.2).abs() < 1e-12);
    }

    #[test]
    fn edges_are_measured_at_rest() {
        let mean = (2.0 + 2.0_f64.sqrt()) / 3.0;
        let lengths = mean_edges(&square(DVec2::splat(3.0)));
        assert!(lengths.iter().all(|length| (length - mean).abs() < 1e-15));
        let lengths = mean_edges(&TriangleMesh { material: None, ..square(DVec2::splat(3.0)) });
        assert!(lengths.iter().all(|length| (length - 3.0 * mean).abs() < 1e-14));
    }

    #[test]
    fn distances_follow_the_material_across_another_mesh() {
        let (mesh, mut other) = (square(DVec2::ONE), square(DVec2::ONE));
        other.faces = vec![[0, 1, 3], [1, 2, 3]];
        other.set_vertex_material(&[DVec2::ZERO, DVec2::X, DVec2::ONE, DVec2::Y]);
        other.positions.iter_mut().for_each(|x| x.z += 0.25);
        let distances = material_distances(&mesh, &other).unwrap();
        assert!(distances.iter().all(|distance| (distance - 0.25).abs() < 1e-12), "{distances:?}");
    }
}
