//! Panels that are mirrored in material space.
//!
//! Patterns of garments give the left and the right piece the same material coordinates, one of them mirrored. The order of
//! the corners of a face tells which side is out: pressure, wind and seams go by it, so it stays. A panel whose faces are
//! clockwise in material space is reflected there, `u` within its own extent: axes of the material, lengths and the place
//! on the pattern stay. Within a panel all faces must agree; where they do not, it is folded over in material space.
//!
//! Pins and probes of the scene refer to the coordinates of the file.

use super::check::name_face;
use super::placed::PlacedMesh;
use glam::DVec2;
use taffeta_core::geometry::doubled_area;
use taffeta_core::{Region, TriangleMesh};

/// The panels of a cloth that were reflected.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct Mirrored {
    /// For each face the sum of a `u` of the file and of what it became \[m\]; `None`: its panel was not mirrored. Empty:
    /// no panel was.
    sums: Vec<Option<f64>>,
    /// The panels, in their order.
    pub panels: Vec<u32>,
}

impl Mirrored {
    /// A material point of a face in the coordinates of the file, or the other way round \[m\].
    pub(crate) fn apply(&self, face: usize, u: DVec2) -> DVec2 {
        let sum = self.sums.get(face).copied().flatten();
        sum.map_or(u, |sum| DVec2::new(sum - u.x, u.y))
    }

    /// A region of the file in the coordinates of the mesh, which is still that of the file. A box on one panel is reflected with
    /// it. One that holds corners of several panels becomes a list of its vertices, for each panel has its own reflection.
    pub(super) fn reflect_region(&self, region: Region, mesh: &TriangleMesh, panels: &[u32]) -> Region {
        let corners = match &region {
            Region::MaterialBox(corners) | Region::PanelBox { corners, .. } if !self.panels.is_empty() => {
                *corners
            }
            _ => return region,
        };
        let faces = mesh.faces.iter().zip(mesh.material.iter().flatten()).zip(panels).enumerate();
        let held = faces.flat_map(|(number, ((face, coords), panel))| {
            let inside = face.iter().zip(coords).filter(|(_, u)| region.contains_corner(*panel, **u));
            inside.map(move |(v, _)| (*v, number, *panel))
        });
        let held: Vec<(u32, usize, u32)> = held.collect();
        match held.first() {
            Some((_, face, panel)) if held.iter().all(|(_, _, other)| other == panel) => {
                Region::PanelBox { panel: *panel, corners: corners.map(|u| self.apply(*face, u)) }
            }
            _ => {
                let mut vertices: Vec<u32> = held.iter().map(|(v, ..)| *v).collect();
                vertices.sort_unstable();
                vertices.dedup();
                Region::Vertices(vertices)
            }
        }
    }

    /// Takes all corners of a mesh into the coordinates of the file, or the other way round.
    pub(super) fn reflect(&self, mesh: &mut TriangleMesh) {
        for (face, corners) in mesh.material.iter_mut().flatten().enumerate() {
            *corners = corners.map(|u| self.apply(face, u));
        }
    }
}

/// Finds the panels that are mirrored.
///
/// # Errors
/// A message with panel and face if a panel is mirrored in part.
pub(super) fn find_mirrored(placed: &PlacedMesh) -> Result<Mirrored, String> {
    let Some(material) = &placed.mesh.material else { return Ok(Mirrored::default()) };
    let mirrored: Vec<bool> = material.iter().map(|corners| doubled_area(*corners) < 0.0).collect();
    if !mirrored.contains(&true) {
        return Ok(Mirrored::default());
    }
    let panels = placed.mesh.panels();
    check_panels(placed, &mirrored, &panels)?;
    let count = panels.iter().max().map_or(0, |last| *last as usize + 1);
    let mut extents = vec![None; count];
    for (face, corners) in material.iter().enumerate().filter(|(face, _)| mirrored[*face]) {
        for u in corners.map(|corner| corner.x) {
            let [low, high]: &mut [f64; 2] = extents[panels[face] as usize].get_or_insert([u, u]);
            (*low, *high) = (low.min(u), high.max(u));
        }
    }
    let sums: Vec<Option<f64>> = extents.into_iter().map(|extent| Some(extent?.iter().sum())).collect();
    let is_mirrored = |panel: &u32| sums[*panel as usize].is_some();
    Ok(Mirrored {
        sums: panels.iter().map(|panel| sums[*panel as usize]).collect(),
        panels: (0..count as u32).filter(is_mirrored).collect(),
    })
}

/// Finds a panel of which some faces are mirrored and others are not.
fn check_panels(placed: &PlacedMesh, mirrored: &[bool], panels: &[u32]) -> Result<(), String> {
    let mut firsts: Vec<Option<usize>> = vec![None; mirrored.len()];
    for (face, panel) in panels.iter().enumerate() {
        let first = *firsts[*panel as usize].get_or_insert(face);
        if mirrored[face] == mirrored[first] {
            continue;
        }
        let [clockwise, other] = if mirrored[face] { [face, first] } else { [first, face] };
        return Err(format!(
            "panel {panel} is folded over in material space: {} is mirrored (clockwise), but {} is not; if two halves share their \
             texture coordinates, move those of one half aside in the UV editor, so that vt differ along the line between them",
            name_face(placed, clockwise),
            name_face(placed, other)
        ));
    }
    Ok(())
}
