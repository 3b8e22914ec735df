//! What a pin holds.

use super::write::region_json;
use crate::scene::check::directed_edges;
use taffeta_core::{Region, TriangleMesh};
use taffeta_io::obj::ObjMesh;

/// A mesh at time 0 with the numbers that its vertices have in the file.
pub(super) struct PlacedMesh {
    pub mesh: TriangleMesh,
    /// For each vertex its number in the file; `None`: the same number.
    pub source_vertices: Option<Vec<u32>>,
    /// For each face its line in the file; `None`: not from a file.
    pub face_lines: Option<Vec<u32>>,
}

impl PlacedMesh {
    /// A mesh that comes from no file.
    pub(super) fn generated(mesh: TriangleMesh) -> Self {
        Self { mesh, source_vertices: None, face_lines: None }
    }

    /// A mesh from a file.
    pub(super) fn from_file(file: ObjMesh) -> Self {
        Self {
            mesh: file.mesh,
            source_vertices: Some(file.source_vertices),
            face_lines: Some(file.face_lines),
        }
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

/// Checks that a region selects something, and turns vertex numbers of the file into those of the mesh.
///
/// # Errors
/// A message if the region selects nothing.
pub(super) fn resolve_region(region: &Region, placed: &PlacedMesh) -> Result<Region, String> {
    let mesh = &placed.mesh;
    let selects = match region {
        Region::Vertices(numbers) => return placed.find_vertices(numbers).map(Region::Vertices),
        Region::Box(_) => mesh.positions.iter().any(|point| region.contains_point(*point, None)),
        Region::MaterialBox(_) => {
            let Some(material) = &mesh.material else {
                return Err("a material_box needs material coordinates, but the mesh has no vt".to_owned());
            };
            let corners = mesh.faces.iter().zip(material).flat_map(|(face, coords)| face.iter().zip(coords));
            corners.into_iter().any(|(v, u)| region.contains_point(mesh.positions[*v as usize], Some(*u)))
        }
        Region::Boundary => {
            let edges = directed_edges(mesh);
            edges.chunk_by(|a, b| (a.low, a.high) == (b.low, b.high)).any(|sides| sides.len() == 1)
        }
    };
    if selects {
        return Ok(region.clone());
    }
    let region_text = region_json(region).to_string();
    let extent = match region {
        Region::MaterialBox(_) => material_extent(mesh),
        Region::Boundary => "the mesh is closed".to_owned(),
        Region::Box(_) | Region::Vertices(_) => world_extent(mesh),
    };
    Err(format!("the pin holds nothing: no vertex in {region_text}; {extent}"))
}

fn world_extent(mesh: &TriangleMesh) -> String {
    let [low, high] = mesh.bounds().unwrap_or_default();
    format!(
        "the cloth extends from [{}, {}, {}] to [{}, {}, {}]",
        low.x, low.y, low.z, high.x, high.y, high.z
    )
}

fn material_extent(mesh: &TriangleMesh) -> String {
    let mut corners = mesh.material.iter().flatten().flatten().copied();
    let first = corners.next().unwrap_or_default();
    let (low, high) = corners.fold((first, first), |(low, high), u| (low.min(u), high.max(u)));
    format!("the material extends from [{}, {}] to [{}, {}]", low.x, low.y, high.x, high.y)
}
