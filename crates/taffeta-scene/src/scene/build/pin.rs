//! The vertices that a pin holds.

use super::check::directed_edges;
use super::placed::PlacedMesh;
use crate::scene::bodies::pin_table::region_text;
use glam::DVec2;
use taffeta_core::locate::Locator;
use taffeta_core::{Region, TriangleMesh};

/// Checks that a region selects something, and turns vertex numbers of the file into those of the mesh, whose panels are
/// given by face.
///
/// # Errors
/// A message if the region selects nothing.
pub(super) fn resolve_region(region: &Region, placed: &PlacedMesh, panels: &[u32]) -> Result<Region, String> {
    let mesh = &placed.mesh;
    let selects = match region {
        Region::Vertices(numbers) => return placed.find_vertices(numbers).map(Region::Vertices),
        Region::Box(_) => mesh.positions.iter().any(|point| region.contains_point(*point, None)),
        Region::MaterialBox(_) | Region::PanelBox { .. } => {
            let Some(material) = &mesh.material else {
                return Err("a material_box needs material coordinates, but the mesh has no vt".to_owned());
            };
            let mut corners = panels.iter().zip(material);
            corners.any(|(panel, coords)| coords.iter().any(|u| region.contains_corner(*panel, *u)))
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
        Region::MaterialBox(_) => material_extent(mesh, panels, None),
        Region::PanelBox { panel, .. } => material_extent(mesh, panels, Some(*panel)),
        Region::Boundary => "the mesh is closed".to_owned(),
        Region::Box(_) | Region::Vertices(_) => world_extent(mesh),
    };
    Err(format!("the pin holds nothing: no vertex in {wanted}; {extent}"))
}

fn world_extent(mesh: &TriangleMesh) -> String {
    let [low, high] = mesh.bounds().unwrap_or_default();
    format!(
        "the cloth extends from [{}, {}, {}] to [{}, {}, {}]",
        low.x, low.y, low.z, high.x, high.y, high.z
    )
}

/// Extent of the material, or of that of a panel.
fn material_extent(mesh: &TriangleMesh, panels: &[u32], panel: Option<u32>) -> String {
    let last = panels.iter().max().copied().unwrap_or_default();
    if let Some(panel) = panel.filter(|panel| *panel > last) {
        return format!("there is no panel {panel}, but panels 0 to {last}");
    }
    let faces = panels.iter().zip(mesh.material.iter().flatten());
    let own = faces.filter(|(other, _)| panel.is_none_or(|panel| **other == panel));
    let mut corners = own.flat_map(|(_, corners)| corners).copied();
    let first = corners.next().unwrap_or_default();
    let (low, high) = corners.fold((first, first), |(low, high), u| (low.min(u), high.max(u)));
    let name = panel.map_or("the material".to_owned(), |panel| format!("panel {panel}"));
    format!("{name} extends from [{}, {}] to [{}, {}]", low.x, low.y, high.x, high.y)
}

/// The panels of which a box in material space holds vertices, if their charts overlap there; empty if it means one panel.
pub(super) fn overlapping_panels(region: &Region, mesh: &TriangleMesh, panels: &[u32]) -> Vec<u32> {
    let (Region::MaterialBox(_), Some(material)) = (region, &mesh.material) else { return Vec::new() };
    let locator = if panels.contains(&1) { Locator::build(mesh, panels) } else { None };
    let Some(locator) = locator else { return Vec::new() };
    let held = panels.iter().zip(material).flat_map(|(panel, corners)| corners.map(|u| (*panel, u)));
    let held: Vec<(u32, DVec2)> = held.filter(|(panel, u)| region.contains_corner(*panel, *u)).collect();
    let mut found: Vec<u32> =
        held.iter().map(|(_, u)| locator.panels_at(*u)).filter(|panels| panels.len() > 1).flatten().collect();
    found.sort_unstable();
    found.dedup();
    found.retain(|panel| held.iter().any(|(of, _)| of == panel));
    found
}
