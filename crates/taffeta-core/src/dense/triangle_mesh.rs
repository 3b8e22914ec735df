//! A triangle list as it comes from a file or a generator.

use crate::components::Components;
use glam::{DVec2, DVec3};

/// A triangle mesh in plain arrays: the form in which meshes enter the simulator.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct TriangleMesh {
    /// World positions \[m\].
    pub positions: Vec<DVec3>,
    /// Corners of each face, counter-clockwise, as indices into `positions`.
    pub faces: Vec<[u32; 3]>,
    /// Material coordinates of the corners of each face \[m\], in the order of `faces`; `None`: the rest shape is the
    /// mesh itself, every face flattened by itself.
    pub material: Option<Vec<[DVec2; 3]>>,
}

/// Material coordinates of so many vertices \[m\] from those of the corners of faces, see
/// [`TriangleMesh::vertex_material`]. A corner at a vertex that there is not counts for none.
pub fn vertex_material(count: usize, faces: &[[u32; 3]], material: &[[DVec2; 3]]) -> Vec<DVec2> {
    let mut coords = vec![DVec2::NAN; count];
    // Backward, so that the first face is the last one to write.
    for (face, corners) in faces.iter().zip(material).rev() {
        for (vertex, coord) in face.iter().zip(corners) {
            coords.get_mut(*vertex as usize).into_iter().for_each(|place| *place = *coord);
        }
    }
    coords
}

impl TriangleMesh {
    /// Sets material coordinates given per vertex.
    ///
    /// # Panics
    /// If a face refers to a vertex without a coordinate.
    pub fn set_vertex_material(&mut self, coords: &[DVec2]) {
        self.material = Some(self.faces.iter().map(|f| f.map(|v| coords[v as usize])).collect());
    }

    /// Material coordinates by vertex \[m\]: of a vertex with several, on a seam, those that its first face gives it; of a
    /// vertex that no face has, NaN. `None`: the mesh has no material coordinates.
    pub fn vertex_material(&self) -> Option<Vec<DVec2>> {
        let material = self.material.as_ref()?;
        Some(vertex_material(self.positions.len(), &self.faces, material))
    }

    /// The smallest axis-aligned box around the mesh, `None` if it has no vertices.
    pub fn bounds(&self) -> Option<[DVec3; 2]> {
        let first = *self.positions.first()?;
        Some(self.positions.iter().fold([first, first], |[low, high], p| [low.min(*p), high.max(*p)]))
    }

    /// Returns whether there is one material coordinate per vertex: no seams, one chart.
    pub fn has_one_chart(&self) -> bool {
        let Some(material) = &self.material else { return false };
        let mut known: Vec<Option<DVec2>> = vec![None; self.positions.len()];
        let corners = self.faces.iter().flatten().zip(material.iter().flatten());
        corners.into_iter().all(|(v, u)| *known[*v as usize].get_or_insert(*u) == *u)
    }

    /// The panel of each face: faces that share an edge and agree about the material coordinates of its ends belong to
    /// one. Panels are numbered from 0 in the order of their first faces. Without material coordinates all are one.
    pub fn panels(&self) -> Vec<u32> {
        let Some(material) = &self.material else { return vec![0; self.faces.len()] };
        let mut joined = Components::new(self.faces.len());
        for [a, b] in self.inner_edges() {
            if a.coords(material) == b.coords(material) {
                joined.join(a.face, b.face);
            }
        }
        joined.numbers()
    }

    /// Number of seams: edges whose two faces disagree about the material coordinates of their ends.
    pub fn seam_edge_count(&self) -> usize {
        let Some(material) = &self.material else { return 0 };
        self.inner_edges().iter().filter(|[a, b]| a.coords(material) != b.coords(material)).count()
    }

    /// The two sides of each edge with two faces, in the order of the vertices; of an edge with more the first two.
    fn inner_edges(&self) -> Vec<[EdgeSide; 2]> {
        let mut sides = Vec::with_capacity(3 * self.faces.len());
        for (face, corners) in (0..).zip(&self.faces) {
            for k in 0..3 {
                let (tail, tip) = (corners[k], corners[(k + 1) % 3]);
                let places = if tail < tip { [k, (k + 1) % 3] } else { [(k + 1) % 3, k] };
                sides.push(EdgeSide { low: tail.min(tip), high: tail.max(tip), face, places });
            }
        }
        sides.sort_unstable();
        let edges = sides.chunk_by(|a, b| (a.low, a.high) == (b.low, b.high));
        edges.filter_map(|edge| Some([*edge.first()?, *edge.get(1)?])).collect()
    }
}

/// One side of an edge.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
struct EdgeSide {
    low: u32,
    high: u32,
    face: u32,
    /// The corners of the face at the two ends.
    places: [usize; 2],
}

impl EdgeSide {
    fn coords(&self, material: &[[DVec2; 3]]) -> [DVec2; 2] {
        self.places.map(|k| material[self.face as usize][k])
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn panels_are_what_agrees_across_edges() {
        let square = |shift: f64| [[0.0, 0.0], [1.0, 0.0], [1.0, 1.0]].map(|u| DVec2::from(u) + shift);
        let other = |shift: f64| [[0.0, 0.0], [1.0, 1.0], [0.0, 1.0]].map(|u| DVec2::from(u) + shift);
        let mut mesh = TriangleMesh {
            positions: vec![DVec3::ZERO; 4],
            faces: vec![[0, 1, 2], [0, 2, 3]],
            material: Some(vec![square(0.0), other(0.0)]),
        };
        assert!(mesh.has_one_chart());
        assert_eq!((mesh.panels(), mesh.seam_edge_count()), (vec![0, 0], 0));
        mesh.material = Some(vec![square(0.0), other(3.0)]);
        assert!(!mesh.has_one_chart());
        assert_eq!((mesh.panels(), mesh.seam_edge_count()), (vec![0, 1], 1));
        mesh.material = None;
        assert!(!mesh.has_one_chart());
        assert_eq!((mesh.panels(), mesh.seam_edge_count()), (vec![0, 0], 0));
    }
}
