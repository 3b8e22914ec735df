//! Panels of a cloth by name, and their edges: runs of the boundary between corners.

use super::garment::GarmentPanel;
use crate::frame::FaceGroups;
use glam::{DVec2, DVec3};
use std::collections::BTreeMap;
use taffeta_core::{TriangleMesh, math};

/// The boundary has a corner where it turns by more than this in material space \[rad\]: 30°.
const CORNER: f64 = std::f64::consts::FRAC_PI_6;

/// A panel.
#[derive(Clone, Debug, PartialEq)]
pub struct Panel {
    /// Its name; without one, its number.
    pub name: String,
    /// Its edges, each by the vertices along it.
    pub edges: Vec<Vec<u32>>,
}

/// The panels of a mesh in the order of [`TriangleMesh::panels`], with the names of the groups of faces that are exactly one
/// panel. Edges are runs of the boundary between corners, loop by loop; each loop starts at the corner with the smallest number.
pub fn find_panels(mesh: &TriangleMesh, groups: Option<&FaceGroups>) -> Vec<Panel> {
    let of_face = mesh.panels();
    let names = name_panels(&of_face, groups);
    let mut panels: Vec<Panel> = names.into_iter().map(|name| Panel { name, edges: Vec::new() }).collect();
    for (face, run) in find_edges(mesh) {
        panels[of_face[face as usize] as usize].edges.push(run);
    }
    panels
}

/// The panels of a garment.
pub fn garment_panels(panels: &[GarmentPanel]) -> Vec<Panel> {
    panels.iter().map(|panel| Panel { name: panel.name.clone(), edges: panel.edges.clone() }).collect()
}

/// The names of panels that are groups, by number; the others are called by their numbers.
fn name_panels(of_face: &[u32], groups: Option<&FaceGroups>) -> Vec<String> {
    let count = of_face.iter().max().map_or(0, |last| *last as usize + 1);
    let mut names: Vec<String> = (0..count).map(|panel| panel.to_string()).collect();
    let Some(groups) = groups else { return names };
    // For each group its panel, and for each panel its group; `None`: there are several.
    let (mut panels, mut owners) = (BTreeMap::new(), BTreeMap::new());
    for (panel, group) in of_face.iter().zip(&groups.of_face) {
        panels
            .entry(*group)
            .and_modify(|known: &mut Option<u32>| {
                *known = known.filter(|known| known == panel);
            })
            .or_insert(Some(*panel));
        owners
            .entry(*panel)
            .and_modify(|known: &mut Option<u32>| {
                *known = known.filter(|known| known == group);
            })
            .or_insert(Some(*group));
    }
    for (panel, group) in owners {
        let Some(group) = group.filter(|group| panels[group] == Some(panel)) else { continue };
        let name = &groups.names[group as usize];
        if !name.is_empty() {
            names[panel as usize].clone_from(name);
        }
    }
    names
}

/// The runs between corners of all boundary loops, each with a face beside it.
fn find_edges(mesh: &TriangleMesh) -> Vec<(u32, Vec<u32>)> {
    // The next vertex on the boundary and the face of the edge to it.
    let next = boundary(mesh);
    let coord = |face: u32, v: u32| -> DVec2 {
        let k = mesh.faces[face as usize].iter().position(|corner| *corner == v).unwrap_or_default();
        match &mesh.material {
            Some(material) => material[face as usize][k],
            None => mesh.positions[v as usize].truncate(),
        }
    };
    let mut runs = Vec::new();
    let mut is_known = vec![false; mesh.positions.len()];
    for first in 0..mesh.positions.len() as u32 {
        if is_known[first as usize] || !next.contains_key(&first) {
            continue;
        }
        let mut ring = Vec::new();
        let mut v = first;
        while let Some((to, face)) = next.get(&v).filter(|_| !is_known[v as usize]) {
            is_known[v as usize] = true;
            ring.push((v, *face));
            v = *to;
        }
        let count = ring.len();
        let way = |k: usize| {
            let ((a, face), (b, _)) = (ring[k % count], ring[(k + 1) % count]);
            coord(face, b) - coord(face, a)
        };
        let is_corner = |k: &usize| {
            let (back, forth) = (way(k + count - 1), way(*k));
            math::atan2(back.perp_dot(forth), back.dot(forth)).abs() > CORNER
        };
        let mut corners: Vec<usize> = (0..count).filter(is_corner).collect();
        if corners.is_empty() {
            corners.push(0);
        }
        for (place, start) in corners.iter().enumerate() {
            let end = corners.get(place + 1).copied().unwrap_or(corners[0] + count);
            runs.push((ring[*start].1, (*start..=end).map(|k| ring[k % count].0).collect()));
        }
    }
    runs
}

/// For each vertex of the boundary the next one, and the face of the edge between them.
fn boundary(mesh: &TriangleMesh) -> BTreeMap<u32, (u32, u32)> {
    let mut sides: BTreeMap<[u32; 2], u32> = BTreeMap::new();
    for (face, [a, b, c]) in (0..).zip(&mesh.faces) {
        for side in [[*a, *b], [*b, *c], [*c, *a]] {
            sides.insert(side, face);
        }
    }
    let open = sides.iter().filter(|([a, b], _)| !sides.contains_key(&[*b, *a]));
    open.map(|([a, b], face)| (*a, (*b, *face))).collect()
}

/// Lengths at rest of the edges of panels \[m\], panel by panel. The edges are runs along the boundary of the mesh.
pub fn edge_lengths(mesh: &TriangleMesh, panels: &[Panel]) -> Vec<Vec<f64>> {
    let next = boundary(mesh);
    let length = |pair: &[u32]| {
        let (a, b) = (pair[0], pair[1]);
        let side =
            next.get(&a).filter(|(to, _)| *to == b).or_else(|| next.get(&b).filter(|(to, _)| *to == a));
        let Some(((_, face), material)) = side.zip(mesh.material.as_ref()) else {
            return mesh.positions[a as usize].distance(mesh.positions[b as usize]);
        };
        let corner =
            |v: u32| mesh.faces[*face as usize].iter().position(|corner| *corner == v).unwrap_or_default();
        material[*face as usize][corner(a)].distance(material[*face as usize][corner(b)])
    };
    let along = |run: &Vec<u32>| run.windows(2).map(length).sum();
    panels.iter().map(|panel| panel.edges.iter().map(along).collect()).collect()
}

/// A proposed seam: two edges by panel and number, and how far their ends are apart \[m\].
#[derive(Clone, Debug, PartialEq)]
pub struct ProposedSeam {
    /// The panel and the edge of each side.
    pub sides: [[usize; 2]; 2],
    /// Lengths of the edges \[m\].
    pub lengths: [f64; 2],
    /// Mean distance of the ends that would meet \[m\].
    pub apart: f64,
}

/// Lengths that differ by less than this part are equal.
const EQUAL: f64 = 0.02;

/// Pairs of edges of equal length, the nearest in space first. Every edge is in one pair at most.
pub fn propose_seams(mesh: &TriangleMesh, panels: &[Panel]) -> Vec<ProposedSeam> {
    let lengths = edge_lengths(mesh, panels);
    let edges: Vec<([usize; 2], &Vec<u32>, f64)> = panels
        .iter()
        .enumerate()
        .flat_map(|(panel, of)| of.edges.iter().enumerate().map(move |(edge, run)| ([panel, edge], run)))
        .map(|(name, run)| (name, run, lengths[name[0]][name[1]]))
        .collect();
    let x = |v: u32| -> DVec3 { mesh.positions[v as usize] };
    let mut found = Vec::new();
    for (k, (first, a, long)) in edges.iter().enumerate() {
        for (second, b, other) in &edges[k + 1..] {
            if first[0] == second[0] || (long - other).abs() > EQUAL * long.max(*other) {
                continue;
            }
            let ends = [x(a[0]).distance(x(b[b.len() - 1])), x(a[a.len() - 1]).distance(x(b[0]))];
            let apart = 0.5 * (ends[0] + ends[1]);
            found.push(ProposedSeam { sides: [*first, *second], lengths: [*long, *other], apart });
        }
    }
    found.sort_by(|a, b| a.apart.total_cmp(&b.apart).then(a.sides.cmp(&b.sides)));
    let mut taken: Vec<[usize; 2]> = Vec::new();
    found.retain(|seam| {
        let is_free = seam.sides.iter().all(|side| !taken.contains(side));
        if is_free {
            taken.extend(seam.sides);
        }
        is_free
    });
    found
}
