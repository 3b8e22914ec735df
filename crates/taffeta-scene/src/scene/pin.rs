//! The vertices that a pin holds.

use super::check::directed_edges;
use super::pin_table::region_text;
use super::placed::PlacedMesh;
use taffeta_core::{Region, TriangleMesh};

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
            if mesh.material.is_none() {
                return Err("a material_box needs material coordinates, but the mesh has no vt".to_owned());
            }
            !select_by_material(region, mesh).is_empty()
        }
        Region::Boundary => {
            let edges = directed_edges(mesh);
            edges.chunk_by(|a, b| (a.low, a.high) == (b.low, b.high)).any(|sides| sides.len() == 1)
        }
    };
    if selects {
        return Ok(region.clone());
    }
    let wanted = region_text(region);
    let extent = match region {
        Region::MaterialBox(_) => material_extent(mesh),
        Region::Boundary => "the mesh is closed".to_owned(),
        Region::Box(_) | Region::Vertices(_) => world_extent(mesh),
    };
    Err(format!("the pin holds nothing: no vertex in {wanted}; {extent}"))
}

/// The vertices of which any corner lies in a region of material space, increasing.
pub(super) fn select_by_material(region: &Region, mesh: &TriangleMesh) -> Vec<u32> {
    let corners = mesh.faces.iter().zip(mesh.material.iter().flatten());
    let corners = corners.flat_map(|(face, coords)| face.iter().zip(coords));
    let inside = corners.filter(|(v, u)| region.contains_point(mesh.positions[**v as usize], Some(**u)));
    let mut selected: Vec<u32> = inside.map(|(v, _)| *v).collect();
    selected.sort_unstable();
    selected.dedup();
    selected
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
