//! A solid of a world: its surface is a cloth, its inside a loose body.

use crate::model::setup::loose::LooseVertex;
use glam::DVec3;
use slotmap::SecondaryMap;
use taffeta_core::VertexIndex;
use taffeta_core::index::DenseIndex;
use taffeta_mesh::{KeyTable, VertexKey};
use taffeta_solve::SolidMaterial;

/// Place of a vertex of a description in the world.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum Place {
    /// To the surface, as the vertex of this number.
    Surface(usize),
    /// Inside, as the loose vertex of this number.
    Inside(usize),
}

/// A solid of a world.
#[derive(Clone, Debug, PartialEq)]
pub struct Solid {
    /// Its name.
    pub name: String,
    /// The number that its surface has among the cloths.
    pub cloth: usize,
    /// The number that its inside has among the loose bodies; `None`: all its vertices are on the surface.
    pub body: Option<usize>,
    /// The material.
    pub material: SolidMaterial,
    /// Corners of the tetrahedra, as numbers of the description's vertices.
    pub tetrahedra: Vec<[u32; 4]>,
    /// Positions at rest \[m\], in the order of the description.
    pub rest: Vec<DVec3>,
    /// Lumped masses \[kg\], in the same order.
    pub masses: Vec<f64>,
    pub(crate) places: Vec<Place>,
    /// The vertices of the surface; filled when the mesh is built.
    pub(crate) keys: Vec<VertexKey>,
}

impl Solid {
    /// The first loose vertex of its inside.
    pub(crate) fn first_inside(&self, loose: &[LooseVertex]) -> usize {
        self.body.map_or(0, |body| loose.partition_point(|vertex| (vertex.body as usize) < body))
    }
}

/// The dense numbers of the vertices of every solid, in the order of its description.
pub(crate) fn number_vertices(
    solids: &[Solid],
    keys: &KeyTable,
    loose: &[LooseVertex],
) -> Vec<Vec<VertexIndex>> {
    let mut numbers: SecondaryMap<VertexKey, VertexIndex> = SecondaryMap::new();
    if !solids.is_empty() {
        numbers.extend(keys.vertices.iter_indexed().map(|(vi, key)| (*key, vi)));
    }
    let of_solid = |solid: &Solid| {
        let first = keys.vertices.len() + solid.first_inside(loose);
        let number = |place: &Place| match place {
            Place::Surface(k) => numbers[solid.keys[*k]],
            Place::Inside(k) => VertexIndex::from_usize(first + k),
        };
        solid.places.iter().map(number).collect()
    };
    solids.iter().map(of_solid).collect()
}
