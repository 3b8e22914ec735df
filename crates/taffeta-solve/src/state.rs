//! The rest shape of all cloths of a world.

use crate::model::ClothModel;
use glam::DVec2;
use std::sync::Arc;
use taffeta_core::geometry::doubled_area;
use taffeta_core::index::DenseIndex;
use taffeta_core::math::Sym2;
use taffeta_core::{EdgeIndex, FaceIndex, IndexVec, SurfaceTopology, VertexIndex};

/// The rest shape, one entry per face or edge in dense order. Derived with the dense form, but for what is plastic; clones share what
/// does not change.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct RestShape {
    /// Material coordinates of the corners of each face \[m\].
    pub corners: Arc<IndexVec<FaceIndex, [DVec2; 3]>>,
    /// Material area of each face \[m²\].
    pub areas: Arc<IndexVec<FaceIndex, f64>>,
    /// The cloth of each face.
    pub cloths: Arc<IndexVec<FaceIndex, u32>>,
    /// Rest angle of each edge between its two faces \[rad\]; 0 on the boundary.
    pub angles: Arc<IndexVec<EdgeIndex, f64>>,
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
        Self {
            areas: Arc::new(corners.iter().map(|c| 0.5 * doubled_area(*c)).collect()),
            plastic_curvatures: IndexVec::filled(Sym2::default(), corners.len()),
            last_angles: angles.clone(),
            corners: Arc::new(corners),
            cloths: Arc::new(cloths),
            angles: Arc::new(angles),
        }
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
