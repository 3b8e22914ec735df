//! The dense state of all cloths of a world, and its rest shape.

use crate::model::ClothModel;
use glam::{DVec2, DVec3};
use taffeta_core::geometry::doubled_area;
use taffeta_core::index::DenseIndex;
use taffeta_core::math::Sym2;
use taffeta_core::{EdgeIndex, FaceIndex, IndexVec, SurfaceTopology, VertexIndex};

/// Positions, velocities and masses, one entry per vertex in dense order.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct DenseState {
    /// World positions \[m\].
    pub positions: IndexVec<VertexIndex, DVec3>,
    /// Velocities \[m/s\].
    pub velocities: IndexVec<VertexIndex, DVec3>,
    /// Lumped masses \[kg\]: `m_i = Σ ρ A_f / 3` over the faces around the vertex.
    pub masses: IndexVec<VertexIndex, f64>,
    /// Inverse masses \[1/kg\]; 0 exactly for a vertex that is held in all three axes.
    pub inverse_masses: IndexVec<VertexIndex, f64>,
    /// Which world axes of each vertex are held: its position along them is given and not solved for.
    pub held: IndexVec<VertexIndex, [bool; 3]>,
}

/// The rest shape, one entry per face or edge in dense order. Derived at freeze, but for what is plastic.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct RestShape {
    /// Material coordinates of the corners of each face \[m\].
    pub corners: IndexVec<FaceIndex, [DVec2; 3]>,
    /// Material area of each face \[m²\].
    pub areas: IndexVec<FaceIndex, f64>,
    /// The cloth of each face.
    pub cloths: IndexVec<FaceIndex, u32>,
    /// Rest angle of each edge between its two faces \[rad\]; 0 on the boundary.
    pub angles: IndexVec<EdgeIndex, f64>,
    /// Plastic curvature of each face in its chart \[1/m\], positive as [`ClothModel::rest_curvature`]; zero where nothing has
    /// yielded. Not derived: a state of the cloth.
    pub plastic_curvatures: IndexVec<FaceIndex, Sym2>,
    /// Angle of each edge when it was last measured \[rad\]; new angles are unwrapped against it.
    pub last_angles: IndexVec<EdgeIndex, f64>,
}

impl RestShape {
    /// The rest shape, without any fold, of faces with the given corners \[m\], cloth numbers and rest angles \[rad\].
    pub fn new(
        corners: IndexVec<FaceIndex, [DVec2; 3]>,
        cloths: IndexVec<FaceIndex, u32>,
        angles: IndexVec<EdgeIndex, f64>,
    ) -> Self {
        let areas = corners.iter().map(|c| 0.5 * doubled_area(*c)).collect();
        let plastic_curvatures = IndexVec::filled(Sym2::default(), corners.len());
        Self { corners, areas, cloths, plastic_curvatures, last_angles: angles.clone(), angles }
    }

    /// A flat sheet of one cloth with the given material coordinates \[m\] of its vertices.
    pub fn flat(topology: &SurfaceTopology, material: &[DVec2]) -> Self {
        let corners = topology.faces.iter().map(|f| f.map(|vi| material[vi.to_usize()])).collect();
        let cloths = IndexVec::filled(0, topology.face_count());
        Self::new(corners, cloths, IndexVec::filled(0.0, topology.edge_count()))
    }

    /// Lumped masses `m_i = Σ ρ A_f / 3` \[kg\] with the densities of the cloths.
    pub fn lumped_masses(
        &self,
        topology: &SurfaceTopology,
        cloths: &[ClothModel],
    ) -> IndexVec<VertexIndex, f64> {
        let mut masses = IndexVec::filled(0.0, topology.vertex_count);
        for (fi, corners) in topology.faces.iter_indexed() {
            let third = cloths[self.cloths[fi] as usize].material.density * self.areas[fi] / 3.0;
            for vi in corners {
                masses[*vi] += third;
            }
        }
        masses
    }

    /// Gradients `B_a` of the three hat functions of a face in material space \[1/m\]; they add up to zero.
    pub fn hat_gradients(&self, fi: FaceIndex) -> [DVec2; 3] {
        let [a, b, c] = self.corners[fi];
        let doubled = 2.0 * self.areas[fi];
        [(c - b).perp() / doubled, (a - c).perp() / doubled, (b - a).perp() / doubled]
    }
}
