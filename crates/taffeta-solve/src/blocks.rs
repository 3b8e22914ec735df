//! All blocks of a world, built from the rest shape.

use crate::block::distance::spring_constant;
use crate::block::{
    Distance, EdgeLengths, Elasticity, EnergyForm, GreenStrain, Hinge, QuadraticBend, StrainEnergy,
};
use crate::kinds::Blocks;
use crate::material::Material;
use crate::model::{BendingModel, ClothModel, MembraneModel};
use crate::plate::{Plate, Supports, rest_eta};
use crate::state::RestShape;
use std::sync::Arc;
use taffeta_core::topology::Edge;
use taffeta_core::{EdgeIndex, FaceIndex, SurfaceTopology, VertexIndex};

impl Blocks {
    /// Builds the blocks of every face and inner edge.
    pub fn build(
        topology: &SurfaceTopology,
        rest: &RestShape,
        cloths: &[ClothModel],
        supports: &Supports<'_>,
    ) -> Self {
        let elasticity: Vec<_> = cloths.iter().map(ClothElasticity::new).collect();
        let mut blocks = Self::default();
        let sources = Sources { topology, rest, cloths };
        for fi in topology.faces.indices() {
            blocks.push_membrane(&sources, fi, &elasticity[rest.cloths[fi] as usize]);
        }
        for ei in topology.edges.indices() {
            blocks.distances.extend(sources.build_distance(ei));
            blocks.hinges.extend(sources.build_hinge(ei));
            blocks.quadratic.extend(sources.build_quadratic(ei));
        }
        blocks.plate = Plate::build(topology, rest, cloths, supports);
        blocks
    }

    /// The membrane block of a face.
    fn push_membrane(&mut self, sources: &Sources<'_>, fi: FaceIndex, elasticity: &ClothElasticity) {
        let Sources { topology, rest, cloths } = *sources;
        let (vertices, cloth) = (topology.faces[fi], &cloths[rest.cloths[fi] as usize]);
        let area = rest.areas[fi];
        let softening = cloth.scaling.softening(area);
        let damping = cloth.material.stretch_damping;
        let strain = |softening: f64| GreenStrain {
            vertices,
            gradients: rest.hat_gradients(fi),
            area,
            elasticity: elasticity.softened(softening),
            damping,
            critical: cloth.critical_stress(rest.hat_gradients(fi)),
        };
        // The energy's compliance is its own: the elasticity is part of the constraint.
        let energy = |form| StrainEnergy { strain: strain(1.0), form, compliance: softening };
        match cloth.membrane {
            MembraneModel::Strain => self.strain.push(strain(softening)),
            MembraneModel::Edges => {
                let compliance = elasticity.0.compliance * softening;
                self.lengths.push(EdgeLengths::new(vertices, rest.corners[fi], &compliance, damping));
            }
            MembraneModel::Energy => self.energies.push(energy(EnergyForm::Root)),
            MembraneModel::EnergyPublished => self.energies.push(energy(EnergyForm::Published)),
            // The springs of the one belong to the edges, the other has none.
            MembraneModel::Distance | MembraneModel::None => {}
        }
    }
}

/// The elasticity of one cloth.
struct ClothElasticity(Arc<Elasticity>);

impl ClothElasticity {
    fn new(cloth: &ClothModel) -> Self {
        let compliance = cloth.material.membrane_compliance();
        let stiffness =
            compliance.try_inverse().expect("a validated material has a positive definite compliance");
        Self(Arc::new(Elasticity { compliance, stiffness, stiffening: cloth.material.stiffening() }))
    }

    /// The elasticity of a face that is softer by a factor.
    fn softened(&self, softening: f64) -> Arc<Elasticity> {
        if softening == 1.0 {
            return self.0.clone();
        }
        let Elasticity { compliance, stiffness, stiffening } = *self.0;
        Arc::new(Elasticity {
            compliance: compliance * softening,
            stiffness: stiffness / softening,
            stiffening,
        })
    }
}

/// The sources of the blocks of faces and edges.
#[derive(Clone, Copy)]
struct Sources<'a> {
    topology: &'a SurfaceTopology,
    rest: &'a RestShape,
    cloths: &'a [ClothModel],
}

impl Sources<'_> {
    /// The spring along an edge of a cloth of such springs.
    fn build_distance(&self, ei: EdgeIndex) -> Option<Distance> {
        let Self { topology, rest, cloths } = *self;
        let edge = &topology.edges[ei];
        let faces = || edge.faces.iter().flatten();
        let cloth = &cloths[rest.cloths[*faces().next()?] as usize];
        if cloth.membrane != MembraneModel::Distance {
            return None;
        }
        let Material { stretch: [warp, weft], stretch_damping: damping, .. } = cloth.material;
        let length = rest_length(topology, rest, edge);
        let area = faces().map(|fi| rest.areas[*fi]).sum();
        let compliance = 1.0 / spring_constant(0.5 * (warp + weft), area, length);
        Some(Distance { edge: ei, vertices: edge.vertices, length, compliance, damping })
    }

    /// The hinge of an inner edge; `None` on the boundary and without bending stiffness.
    fn build_hinge(&self, ei: EdgeIndex) -> Option<Hinge> {
        let Self { topology, rest, cloths } = *self;
        let cloth = &cloths[rest.cloths[topology.edges[ei].faces[0]?] as usize];
        let hinge = hinge_of_edge(topology, rest, cloth, ei)?;
        (cloth.bending == BendingModel::Hinge && hinge.stiffness > 0.0).then_some(hinge)
    }

    /// The quadratic bending block of an inner edge; `None` on the boundary and without bending stiffness.
    fn build_quadratic(&self, ei: EdgeIndex) -> Option<QuadraticBend> {
        let Self { topology, rest, cloths } = *self;
        let edge = &topology.edges[ei];
        let [Some(face0), Some(face1)] = edge.faces else { return None };
        let [Some(a), Some(b)] = edge.opposites else { return None };
        let cloth = &cloths[rest.cloths[face0] as usize];
        if cloth.bending != BendingModel::Quadratic || !cloth.material.bends() {
            return None;
        }
        let [p, q] = edge.vertices;
        let wing = |fi: FaceIndex, tip: VertexIndex| {
            let [p, q] = material_edge(topology, rest, fi, [p, q]);
            let [tip, _] = material_edge(topology, rest, fi, [tip, tip]);
            [p, q, tip]
        };
        let stiffness = stiffness_across(topology, rest, cloth, edge);
        let damping = cloth.material.bend_damping;
        Some(QuadraticBend::new([p, q, a, b], [wing(face0, a), wing(face1, b)], stiffness, damping))
    }
}

/// The hinge of an inner edge, whatever its stiffness; `None` on the boundary.
pub(crate) fn hinge_of_edge(
    topology: &SurfaceTopology,
    rest: &RestShape,
    cloth: &ClothModel,
    ei: EdgeIndex,
) -> Option<Hinge> {
    let edge = &topology.edges[ei];
    let [Some(face0), Some(face1)] = edge.faces else { return None };
    let [Some(a), Some(b)] = edge.opposites else { return None };
    let areas = [rest.areas[face0], rest.areas[face1]];
    // The angle at which the curvatures of both faces are those at rest.
    let curved = |fi| {
        let place = topology.face_edges[fi].iter().position(|other| *other == ei);
        place.map_or(0.0, |k| rest_eta(rest, cloth, fi)[k])
    };
    Some(Hinge {
        vertices: [edge.vertices[0], edge.vertices[1], a, b],
        scale: rest_length(topology, rest, edge) / (areas[0] + areas[1]).sqrt(),
        rest_angle: rest.angles[ei] + curved(face0) + curved(face1),
        stiffness: stiffness_across(topology, rest, cloth, edge),
        damping: cloth.material.bend_damping,
        doubled_areas: areas.map(|area| 2.0 * area),
        edge: ei,
        reference: rest.last_angles[ei],
    })
}

/// The plate stiffness \[N·m\] across an inner edge, along the normal of its material direction. It is the mean of those of
/// its faces, since beyond a seam a face may lie differently in its chart.
fn stiffness_across(topology: &SurfaceTopology, rest: &RestShape, cloth: &ClothModel, edge: &Edge) -> f64 {
    let [first, second] = edge.faces.map(|fi| {
        let fi = fi.expect("an inner edge has two faces");
        let [p, q] = material_edge(topology, rest, fi, edge.vertices);
        let direction = (q - p).normalize();
        cloth.material.bending_stiffness([-direction.y, direction.x])
    });
    0.5 * (first + second)
}

/// The rest length of an edge \[m\]: the mean of what its faces say, which along a seam may differ.
pub(crate) fn rest_length(topology: &SurfaceTopology, rest: &RestShape, edge: &Edge) -> f64 {
    let lengths = edge.faces.iter().flatten().map(|fi| {
        let [p, q] = material_edge(topology, rest, *fi, edge.vertices);
        p.distance(q)
    });
    let count = edge.faces.iter().flatten().count();
    lengths.sum::<f64>() / count as f64
}

/// Material coordinates \[m\] of two corners of a face.
fn material_edge(
    topology: &SurfaceTopology,
    rest: &RestShape,
    fi: FaceIndex,
    ends: [VertexIndex; 2],
) -> [glam::DVec2; 2] {
    ends.map(|end| {
        let corner = topology.faces[fi].iter().position(|vi| *vi == end);
        rest.corners[fi][corner.expect("an edge's ends are corners of its faces")]
    })
}
