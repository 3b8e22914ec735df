//! The constraints of a cloth: which, and how stiff.

use super::ring::{corner_area, half_cotangents};
use super::{EdgeStrain, ProjectiveConstraints, RingBend, TriangleStrain};
use crate::blocks::rest_length;
use crate::material::Material;
use crate::model::{BendingModel, ClothModel, MembraneModel};
use crate::state::RestShape;
use glam::DVec3;
use taffeta_core::{SurfaceTopology, VertexIndex};

/// Rest places of the cloths in the world.
#[derive(Clone, Copy, Debug)]
pub struct RestPlaces<'a> {
    /// The rest positions of all vertices \[m\].
    pub positions: &'a [DVec3],
    /// True for each cloth that is curved there; the others are flat at rest, wherever they start.
    pub is_curved: &'a [bool],
}

/// The stiffness \[N/m\] and the plate stiffness \[N·m\] that projective dynamics takes from a material: the means of warp
/// and weft. It knows one stiffness: Poisson's ratio is 0, the shear stiffness half of the stretch stiffness.
pub fn isotropic_stiffness(material: &Material) -> [f64; 2] {
    [material.stretch, material.bend].map(|[warp, weft]| 0.5 * (warp + weft))
}

/// The constraints of all cloths.
///
/// * Membrane by strain: the singular values of every triangle are 1, `w = k A`.
/// * By edges: every edge keeps its length, `w = k Σ A/L²` over its triangles. On equilateral triangles that is a sheet of
///   stiffness `k` with Poisson ratio 1/3; on others the stiffness depends on the triangulation, as that of every net of
///   springs.
/// * Bending: the mean curvature at every vertex inside, `w = D/a`. Vertices on the boundary do not bend.
pub fn cloth_constraints(
    topology: &SurfaceTopology,
    rest: &RestShape,
    cloths: &[ClothModel],
    places: RestPlaces<'_>,
) -> ProjectiveConstraints {
    let stiffness: Vec<_> = cloths.iter().map(|cloth| isotropic_stiffness(&cloth.material)).collect();
    let mut constraints = ProjectiveConstraints::default();
    for (fi, vertices) in topology.faces.iter_indexed() {
        let cloth = rest.cloths[fi] as usize;
        if cloths[cloth].membrane == MembraneModel::Strain {
            constraints.triangles.push(TriangleStrain {
                vertices: *vertices,
                gradients: rest.hat_gradients(fi),
                limits: [1.0; 2],
                weight: stiffness[cloth][0] * rest.areas[fi],
            });
        }
    }
    for edge in topology.edges.iter() {
        let faces = || edge.faces.into_iter().flatten();
        let Some(first) = faces().next() else { continue };
        let cloth = rest.cloths[first] as usize;
        if cloths[cloth].membrane == MembraneModel::Edges {
            let length = rest_length(topology, rest, edge);
            let area: f64 = faces().map(|fi| rest.areas[fi]).sum();
            let weight = stiffness[cloth][0] * area / (length * length);
            constraints.edges.push(EdgeStrain { vertices: edge.vertices, length, limits: [1.0; 2], weight });
        }
    }
    let inside = find_inside(topology);
    for vi in topology.vertices().filter(|vi| inside[vi.0 as usize]) {
        let cloth = rest.cloths[topology.faces_around(vi)[0]] as usize;
        let stiffness = stiffness[cloth][1];
        if cloths[cloth].bending != BendingModel::None && stiffness > 0.0 {
            constraints.rings.extend(build_ring(topology, rest, vi, stiffness, places));
        }
    }
    constraints
}

/// Which vertices have faces all around.
fn find_inside(topology: &SurfaceTopology) -> Vec<bool> {
    let mut inside: Vec<bool> = topology.vertices().map(|vi| !topology.faces_around(vi).is_empty()).collect();
    for edge in topology.edges.iter().filter(|edge| edge.is_boundary()) {
        edge.vertices.iter().for_each(|vi| inside[vi.0 as usize] = false);
    }
    inside
}

/// The ring of a vertex inside; `None` if its triangles have no area.
fn build_ring(
    topology: &SurfaceTopology,
    rest: &RestShape,
    center: VertexIndex,
    stiffness: f64,
    places: RestPlaces<'_>,
) -> Option<RingBend> {
    let mut entries: Vec<(VertexIndex, f64)> = Vec::new();
    let mut area = 0.0;
    for fi in topology.faces_around(center) {
        let corners = topology.faces[*fi];
        let k = corners.iter().position(|vi| *vi == center)?;
        let [second, third] = [corners[(k + 1) % 3], corners[(k + 2) % 3]];
        let u = [0, 1, 2].map(|i| rest.corners[*fi][(k + i) % 3]);
        let [to_third, to_second] = half_cotangents(u);
        area += corner_area(u);
        for (vi, weight) in [(second, to_second), (third, to_third)] {
            match entries.iter_mut().find(|(other, _)| *other == vi) {
                Some((_, sum)) => *sum += weight,
                None => entries.push((vi, weight)),
            }
        }
    }
    let sum: f64 = entries.iter().map(|(_, weight)| weight).sum();
    let weight = stiffness / area;
    if !(weight.is_finite() && sum.is_finite()) {
        return None;
    }
    let mut ring = RingBend {
        vertices: std::iter::once(center).chain(entries.iter().map(|(vi, _)| *vi)).collect(),
        coefficients: std::iter::once(-sum).chain(entries.iter().map(|(_, weight)| *weight)).collect(),
        length: 0.0,
        weight,
    };
    let cloth = rest.cloths[topology.faces_around(center)[0]] as usize;
    if places.is_curved[cloth] {
        ring.length = ring.apply(|vi| places.positions[vi.0 as usize]).length();
    }
    Some(ring)
}
