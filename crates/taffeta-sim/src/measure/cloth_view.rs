//! A cloth as other programs read it: arrays in the cloth's own numbers, and buffers to be filled.

use crate::derive::world::World;
use crate::measure::asked::find_asked;
use crate::measure::origins::find_origins;
use crate::model::setup::Cloth;
use crate::model::state::numbering::Numbering;
use crate::model::state::sheet::VertexName;
use glam::{DVec2, DVec3, Vec3A};
use std::ops::Range;
use taffeta_core::index::DenseIndex;
use taffeta_core::{Region, VertexIndex};
use taffeta_remesh::{Metric, Origin};

/// A cloth of a world. Vertices and faces are numbered from 0. Vertices of the input mesh come first, in its order, then those
/// that were added. As long as the topology does not change, all numbers are those of that mesh.
#[derive(Clone, Copy, Debug)]
pub struct ClothView<'a> {
    world: &'a World,
    number: usize,
}

impl<'a> ClothView<'a> {
    pub(crate) fn new(world: &'a World, number: usize) -> Self {
        Self { world, number }
    }

    /// Name, material and settings.
    pub fn cloth(&self) -> &'a Cloth {
        &self.world.setup.cloths[self.number]
    }

    /// Number of the cloth among those of its world.
    pub fn number(&self) -> usize {
        self.number
    }

    /// Positions of the vertices \[m\].
    pub fn positions(&self) -> Vec<DVec3> {
        self.sort_vertices(&self.world.state.motion.positions.raw)
    }

    /// Velocities of the vertices \[m/s\].
    pub fn velocities(&self) -> Vec<DVec3> {
        self.sort_vertices(&self.world.state.motion.velocities.raw)
    }

    /// Masses of the vertices \[kg\].
    pub fn masses(&self) -> Vec<f64> {
        self.sort_vertices(&self.world.state.motion.masses.raw)
    }

    /// Number of vertices.
    pub fn vertex_count(&self) -> usize {
        self.vertex_range().len()
    }

    /// For each vertex its number in the file or mesh that the cloth was made from; `None`: it was added since, by a split, a
    /// tear or a seam. Numbers of files count the vertices that were left out because no face uses them.
    pub fn vertex_names(&self) -> Vec<Option<u32>> {
        self.world.state.sheet.input_numbers(self.number)
    }

    fn numbering(&self) -> &'a Numbering {
        self.world.state.sheet.numbering(self.number)
    }

    /// Values of the vertices, from those of all vertices of the world in dense order.
    fn sort_vertices<T: Copy>(&self, dense: &[T]) -> Vec<T> {
        self.numbering().sort_vertices(&dense[self.vertex_range()])
    }

    /// Corners of the faces, counter-clockwise.
    pub fn faces(&self) -> &'a [[u32; 3]] {
        self.world.state.sheet.own_faces(self.number)
    }

    /// Material coordinates of the corners of the faces \[m\]. A cloth that came without any has each of its faces laid flat.
    pub fn corners(&self) -> Vec<[DVec2; 3]> {
        let range = self.world.state.sheet.face_range(self.number);
        self.numbering().sort_corners(&self.world.state.motion.rest.corners.raw[range])
    }

    /// The panel of each face, by its number in the cloth: faces that share an edge and agree about the material
    /// coordinates of its ends are of one panel. Of a cloth without any all faces are of panel 0.
    pub fn panels(&self) -> Vec<u32> {
        let range = self.world.state.sheet.face_range(self.number);
        self.numbering().sort_faces(&self.world.state.sheet.panels.raw[range])
    }

    /// Number of the present topology. It rises with every change, also by [`World::return_to`] and [`World::restore`],
    /// and no two topologies of a world have the same. Arrays that were read under another number do not fit these.
    pub fn topology_version(&self) -> u64 {
        self.world.state.sheet.version(self.number)
    }

    /// The vertices among all of the world, whose dense arrays are those of [`World::motion`], in another order.
    pub fn vertex_range(&self) -> Range<usize> {
        self.world.state.sheet.vertex_range(self.number as u32)
    }

    /// The number of a vertex among all of the world.
    ///
    /// # Panics
    /// If there is no such vertex.
    pub fn vertex(&self, number: usize) -> VertexIndex {
        let range = self.vertex_range();
        assert!(number < range.len(), "there is no vertex {number}; there are {}", range.len());
        VertexIndex::from_usize(range.start + self.numbering().place(number))
    }

    /// The name of a vertex, which stays the same through remeshing for as long as the vertex is there. A
    /// [pin without axes](World::add_pin) keeps it there.
    ///
    /// # Panics
    /// If there is no such vertex.
    pub fn name_of(&self, number: usize) -> VertexName {
        self.world.state.sheet.vertex_name(self.vertex(number))
    }

    /// The present number of a vertex; `None`: remeshing has removed it, or it is of another body.
    pub fn find(&self, name: VertexName) -> Option<usize> {
        let (found, range) = (self.world.state.sheet.find_vertex(name)?.to_usize(), self.vertex_range());
        range.contains(&found).then(|| self.numbering().number(found - range.start) as usize)
    }

    /// The vertices that a region selects: a box of the world selects by present positions \[m\], a list by present numbers.
    pub fn select(&self, region: &Region) -> Vec<VertexIndex> {
        let mut selected = vec![false; self.vertex_count()];
        match region {
            Region::Box(_) => {
                let points = self.positions().into_iter();
                selected = points.map(|x| region.contains_point(x, None)).collect();
            }
            Region::MaterialBox(_) | Region::PanelBox { .. } => {
                let faces = self.faces().iter().zip(self.corners()).zip(self.panels());
                for ((face, corners), panel) in faces {
                    for (v, u) in face.iter().zip(corners) {
                        selected[*v as usize] |= region.contains_corner(panel, u);
                    }
                }
            }
            Region::Boundary => {
                let (first, sheet) = (self.vertex_range().start, &self.world.state.sheet);
                for edge in sheet.topology.edges.iter().filter(|edge| edge.is_boundary()) {
                    for place in edge.vertices.map(|vi| vi.to_usize().wrapping_sub(first)) {
                        if place < selected.len() {
                            selected[self.numbering().number(place) as usize] = true;
                        }
                    }
                }
            }
            Region::Vertices(list) => {
                for number in list {
                    selected
                        .get_mut(*number as usize)
                        .into_iter()
                        .for_each(|is_selected| *is_selected = true);
                }
            }
        }
        let numbers = selected.iter().enumerate().filter(|(_, is_selected)| **is_selected);
        numbers.map(|(number, _)| self.vertex(number)).collect()
    }

    /// Place of each vertex on the mesh that the cloth had before its topology last changed, in the numbers of that mesh. A
    /// cloth whose topology did not change in the last step that changed any has each vertex at itself.
    pub fn origins(&self) -> Vec<Origin> {
        find_origins(self.world, self.number)
    }

    /// Metric \[1/m²\] that remeshing has asked for at each vertex of the mesh that the cloth had before the last step, in the
    /// numbers of that mesh. Of several passes the last one counts that knows the vertex. A cloth that no pass was made for keeps
    /// its earlier metrics, or has those of the mean lengths of its edges.
    pub fn asked_metrics(&self) -> Vec<Metric> {
        find_asked(self.world, self.number)
    }

    /// Fills a buffer with the positions \[m\], in single precision.
    pub fn positions_f32_into(&self, out: &mut Vec<[f32; 3]>) {
        out.resize(self.vertex_count(), [0.0; 3]);
        self.fill_positions(out);
    }

    /// Fills a buffer with the unit normals of the vertices, weighted by the areas of the faces, in single precision. A vertex
    /// whose faces have no area has the normal zero.
    pub fn normals_into(&self, out: &mut Vec<[f32; 3]>) {
        out.resize(self.vertex_count(), [0.0; 3]);
        self.fill_normals(out);
    }

    /// Fills a slice as [`positions_f32_into`](Self::positions_f32_into) does.
    ///
    /// # Panics
    /// If it has another length than [`positions`](Self::positions).
    pub fn fill_positions(&self, out: &mut [[f32; 3]]) {
        let positions = self.positions();
        assert_eq!(out.len(), positions.len(), "one entry for each vertex");
        for (out, x) in out.iter_mut().zip(positions) {
            *out = x.as_vec3().to_array();
        }
    }

    /// Fills a slice as [`normals_into`](Self::normals_into) does.
    ///
    /// # Panics
    /// If it has another length than [`positions`](Self::positions).
    pub fn fill_normals(&self, out: &mut [[f32; 3]]) {
        let positions = self.positions();
        assert_eq!(out.len(), positions.len(), "one entry for each vertex");
        // Relative to a vertex: far from the origin single precision would lose the differences. In lanes of four a sum is one
        // addition.
        let origin = positions.first().copied().unwrap_or_default();
        let x: Vec<Vec3A> = positions.iter().map(|x| (*x - origin).as_vec3a()).collect();
        let mut sums = vec![Vec3A::ZERO; positions.len()];
        for face in self.faces() {
            let [a, b, c] = face.map(|v| x[v as usize]);
            let doubled_area = (b - a).cross(c - a);
            for v in face {
                sums[*v as usize] += doubled_area;
            }
        }
        // Roots and quotients by themselves, so that the compiler takes several at once. A face of a micrometer has 1e-12 m²,
        // whose square single precision still holds.
        let mut scales: Vec<f32> = sums.iter().map(|sum| sum.length_squared()).collect();
        scales.iter_mut().for_each(|square| *square = 1.0 / square.max(f32::MIN_POSITIVE).sqrt());
        for ((normal, sum), scale) in out.iter_mut().zip(sums).zip(scales) {
            *normal = (sum * scale).to_array();
        }
    }
}
