//! A triangle list as it comes from a file or a generator.

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

impl TriangleMesh {
    /// Sets material coordinates given per vertex.
    ///
    /// # Panics
    /// If a face refers to a vertex without a coordinate.
    pub fn set_vertex_material(&mut self, coords: &[DVec2]) {
        self.material = Some(self.faces.iter().map(|f| f.map(|v| coords[v as usize])).collect());
    }

    /// The smallest axis-aligned box around the mesh, `None` if it has no vertices.
    pub fn bounds(&self) -> Option<[DVec3; 2]> {
        let first = *self.positions.first()?;
        Some(self.positions.iter().fold([first, first], |[low, high], p| [low.min(*p), high.max(*p)]))
    }
}
