//! The mesh of a cloth where it is put.

use taffeta_core::TriangleMesh;
use taffeta_io::garment::{Garment, GarmentPanel, Stitch};
use taffeta_io::obj::ObjMesh;
use taffeta_sim::{SeamDescription, SeamSides};

/// A mesh at time 0 with the numbers that its vertices have in the file.
pub(super) struct PlacedMesh {
    pub mesh: TriangleMesh,
    /// For each vertex its number in the file; `None`: the same number.
    pub source_vertices: Option<Vec<u32>>,
    /// For each face its line in the file; `None`: not from a file.
    pub face_lines: Option<Vec<u32>>,
    /// The panels and stitches of a garment.
    pub garment: Option<Pattern>,
}

/// The panels and stitches of a garment.
pub(super) struct Pattern {
    pub panels: Vec<GarmentPanel>,
    pub stitches: Vec<Stitch>,
}

impl Pattern {
    /// The stitches as seams that close in a time \[s\].
    pub(super) fn seams(&self, time: f64) -> impl Iterator<Item = SeamDescription> + '_ {
        let run = |[panel, edge]: [usize; 2]| self.panels[panel].edges[edge].clone();
        self.stitches.iter().map(move |stitch| SeamDescription {
            sides: SeamSides::Runs(stitch.sides.map(run)),
            time,
            ease: true,
        })
    }

    /// A stitch in messages.
    pub(super) fn name_stitch(&self, number: usize) -> String {
        let [a, b] = self.stitches[number].sides;
        let name = |[panel, edge]: [usize; 2]| format!("edge {edge} of panel {:?}", self.panels[panel].name);
        format!("stitch {number} ({} to {})", name(a), name(b))
    }
}

impl PlacedMesh {
    /// A mesh that comes from no file.
    pub(super) fn generated(mesh: TriangleMesh) -> Self {
        Self { mesh, source_vertices: None, face_lines: None, garment: None }
    }

    /// A mesh from a file.
    pub(super) fn from_file(file: ObjMesh) -> Self {
        Self {
            mesh: file.mesh,
            source_vertices: Some(file.source_vertices),
            face_lines: Some(file.face_lines),
            garment: None,
        }
    }

    /// The panels of a garment.
    pub(super) fn from_garment(Garment { mesh, panels, stitches }: Garment) -> Self {
        Self { garment: Some(Pattern { panels, stitches }), ..Self::generated(mesh) }
    }

    /// The number in the file of each vertex.
    pub(super) fn list_names(&self) -> Vec<u32> {
        self.source_vertices.clone().unwrap_or_else(|| (0..self.mesh.positions.len() as u32).collect())
    }

    /// The names of the panels, by their numbers; empty: they have none.
    pub(super) fn name_panels(&self) -> Vec<String> {
        let panels = self.garment.iter().flat_map(|garment| &garment.panels);
        panels.map(|panel| panel.name.clone()).collect()
    }

    /// The number in the file of a vertex; what was added to the mesh has none, and keeps its number.
    pub(super) fn name_vertex(&self, vertex: u32) -> u32 {
        let source = self.source_vertices.as_ref().and_then(|sources| sources.get(vertex as usize));
        source.copied().unwrap_or(vertex)
    }

    /// The vertices of given numbers in the file.
    pub(super) fn find_vertices(&self, numbers: &[u32]) -> Result<Vec<u32>, String> {
        let count = self.mesh.positions.len();
        let Some(sources) = &self.source_vertices else {
            return match numbers.iter().find(|number| **number as usize >= count) {
                Some(number) => {
                    Err(format!("vertex {number} is out of range: the cloth has vertices 0 to {}", count - 1))
                }
                None => Ok(numbers.to_vec()),
            };
        };
        let find = |number: &u32| match sources.binary_search(number) {
            Ok(vertex) => Ok(vertex as u32),
            Err(_) => {
                let last = sources.last().copied().unwrap_or(0);
                let reason = if *number > last { "is out of range" } else { "belongs to no face" };
                Err(format!("vertex {number} {reason}: the mesh uses vertices up to {last}, counted from 0"))
            }
        };
        numbers.iter().map(find).collect()
    }
}
