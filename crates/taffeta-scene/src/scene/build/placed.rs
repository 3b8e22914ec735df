//! The mesh of a cloth where it is put.

use crate::scene::bodies::seam::SceneRun;
use glam::DVec2;
use taffeta_core::TriangleMesh;
use taffeta_io::FaceGroups;
use taffeta_io::garment::{Garment, GarmentPanel, Stitch};
use taffeta_io::obj::ObjMesh;
use taffeta_io::panels::{Panel, edge_lengths, find_panels, garment_panels};
use taffeta_sim::{SeamDescription, SeamSides};

/// A mesh at time 0 with the numbers that its vertices have in the file.
pub(crate) struct PlacedMesh {
    pub mesh: TriangleMesh,
    /// For each vertex its number in the file; `None`: the same number.
    pub source_vertices: Option<Vec<u32>>,
    /// For each face its line in the file; `None`: not from a file.
    pub face_lines: Option<Vec<u32>>,
    /// The panels and stitches of a garment.
    pub garment: Option<Pattern>,
    /// Groups of the faces in the file.
    pub groups: Option<FaceGroups>,
}

/// The panels and stitches of a garment.
pub(crate) struct Pattern {
    pub panels: Vec<GarmentPanel>,
    pub stitches: Vec<Stitch>,
}

impl Pattern {
    /// The stitches as seams that close in a time \[s\].
    pub(crate) fn seams(&self, time: f64) -> impl Iterator<Item = SeamDescription> + '_ {
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
        Self { mesh, source_vertices: None, face_lines: None, garment: None, groups: None }
    }

    /// A mesh from a file.
    pub(crate) fn from_file(file: ObjMesh) -> Self {
        Self {
            mesh: file.mesh,
            source_vertices: Some(file.source_vertices),
            face_lines: Some(file.face_lines),
            garment: None,
            groups: file.groups,
        }
    }

    /// The panels of a garment.
    pub(super) fn from_garment(Garment { mesh, panels, stitches }: Garment) -> Self {
        Self { garment: Some(Pattern { panels, stitches }), ..Self::generated(mesh) }
    }

    /// The number in the file of each vertex.
    pub(crate) fn list_names(&self) -> Vec<u32> {
        self.source_vertices.clone().unwrap_or_else(|| (0..self.mesh.positions.len() as u32).collect())
    }

    /// The names of the panels, by their numbers; empty: they have none.
    pub(super) fn name_panels(&self) -> Vec<String> {
        if self.garment.is_none() && self.groups.is_none() {
            return Vec::new();
        }
        let panels = self.find_panels();
        let are_named = panels.iter().zip(0..).all(|(panel, number)| panel.name != u32::to_string(&number));
        if !are_named || panels.len() < 2 {
            return Vec::new();
        }
        panels.into_iter().map(|panel| panel.name).collect()
    }

    /// The panels with their names and edges.
    pub(super) fn find_panels(&self) -> Vec<Panel> {
        match &self.garment {
            Some(garment) => garment_panels(&garment.panels),
            None => find_panels(&self.mesh, self.groups.as_ref()),
        }
    }

    /// The vertices of a run of a seam.
    pub(super) fn find_run(&self, run: &SceneRun, panels: &[Panel]) -> Result<Vec<u32>, String> {
        let find = |name: &String| {
            let number = panels.iter().position(|panel| panel.name == *name);
            let number = number.or_else(|| name.parse().ok().filter(|number| *number < panels.len()));
            number.ok_or_else(|| {
                let names: Vec<String> = panels.iter().map(|panel| format!("{:?}", panel.name)).collect();
                format!("there is no panel {name:?}; the panels are {}", names.join(", "))
            })
        };
        match run {
            SceneRun::Vertices(numbers) => self.find_vertices(numbers),
            SceneRun::Edge { panel, edge } => {
                let found = &panels[find(panel)?];
                found.edges.get(*edge as usize).cloned().ok_or_else(|| {
                    let last = found.edges.len().saturating_sub(1);
                    format!("panel {panel:?} has no edge {edge}, but edges 0 to {last}")
                })
            }
            SceneRun::Between { panel, ends } => {
                let number = find(panel)?;
                let [a, b] = *ends;
                Ok(vec![self.nearest(panels, number, a)?, self.nearest(panels, number, b)?])
            }
        }
    }

    /// The vertex on the boundary of a panel that is nearest to a point of it in the coordinates of the file \[m\].
    fn nearest(&self, panels: &[Panel], number: usize, point: DVec2) -> Result<u32, String> {
        let chart = self.garment.as_ref().map(|garment| garment.panels[number].chart);
        let wanted = chart.map_or(point, |chart| chart.apply(point));
        let of_face = self.mesh.panels();
        let mut on_boundary: Vec<u32> = panels[number].edges.iter().flatten().copied().collect();
        on_boundary.sort_unstable();
        let faces = self.mesh.faces.iter().zip(self.mesh.material.iter().flatten()).zip(of_face);
        let corners = faces
            .filter(|(_, of)| *of as usize == number)
            .flat_map(|((face, coords), _)| face.iter().copied().zip(coords.iter().copied()));
        let near = corners.filter(|(v, _)| on_boundary.binary_search(v).is_ok());
        let measured = near.map(|(v, u)| (u.distance(wanted), v));
        let (distance, v) =
            measured.min_by(|a, b| a.0.total_cmp(&b.0).then(a.1.cmp(&b.1))).ok_or_else(|| {
                format!("panel {:?} has no boundary with material coordinates", panels[number].name)
            })?;
        let length = edge_lengths(&self.mesh, &panels[number..=number])[0].iter().sum::<f64>();
        let vertices = panels[number].edges.iter().map(|run| run.len() - 1).sum::<usize>();
        if distance > length / vertices as f64 {
            return Err(format!(
                "[{}, {}] is {distance:.4} m from the boundary of panel {:?}",
                point.x, point.y, panels[number].name
            ));
        }
        Ok(v)
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
