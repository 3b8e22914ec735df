//! Faces and material coordinates of cloths, which stay the same until a mesh changes.

use glam::DVec2;
use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, PoisonError};
use taffeta_core::triangle_mesh::vertex_material;
use taffeta_sim::{ClothId, ClothView};

/// Faces and material coordinates of a cloth, which stay the same until its mesh changes.
#[derive(Clone)]
pub(crate) struct Topology {
    version: u64,
    pub faces: Arc<Vec<[u32; 3]>>,
    pub material: Option<Arc<Vec<[DVec2; 3]>>>,
    /// Material coordinates of the vertices \[m\].
    pub vertex_material: Option<Arc<Vec<DVec2>>>,
}

impl Topology {
    fn of(cloth: &ClothView<'_>) -> Self {
        let (faces, has_material) = (cloth.faces(), cloth.cloth().has_material);
        let corners = has_material.then(|| cloth.corners());
        let by_vertex = |corners: &Vec<[DVec2; 3]>| vertex_material(cloth.vertex_count(), faces, corners);
        Self {
            version: cloth.topology_version(),
            faces: Arc::new(faces.to_vec()),
            vertex_material: corners.as_ref().map(|corners| Arc::new(by_vertex(corners))),
            material: corners.map(Arc::new),
        }
    }
}

/// The topologies of the cloths of a world, as they were last asked for.
#[derive(Default)]
pub(crate) struct Topologies {
    kept: Mutex<BTreeMap<ClothId, Topology>>,
}

impl Topologies {
    /// That of a cloth as it is now.
    pub(crate) fn find(&self, id: ClothId, cloth: &ClothView<'_>) -> Topology {
        let mut kept = self.kept.lock().unwrap_or_else(PoisonError::into_inner);
        match kept.get(&id).filter(|topology| topology.version == cloth.topology_version()) {
            Some(topology) => topology.clone(),
            None => {
                let topology = Topology::of(cloth);
                kept.insert(id, topology.clone());
                topology
            }
        }
    }
}
