//! From a cloth of a scene to a cloth of the world: its mesh is made, placed and checked.

use super::assemble::Assembly;
use super::check::find_mesh_problems;
use super::mirror::{Mirrored, find_mirrored};
use super::pin::{overlapping_panels, resolve_region};
use super::placed::PlacedMesh;
use super::plausible::doubt_cloth;
use super::weld::{is_cut_everywhere, weld};
use crate::scene::bodies::body::SceneCloth;
use crate::scene::bodies::cloth_shape::ClothShape;
use crate::scene::bodies::seam::{SceneRun, SceneSeam, SceneSides};
use std::collections::BTreeMap;
use taffeta_core::PanelPoint;
use taffeta_core::panel_point::PanelSearch;
use taffeta_io::garment::read_garment;
use taffeta_io::grid;
use taffeta_io::obj::read_obj;
use taffeta_io::outline::read_named_outline;
use taffeta_sim::{
    ClothDescription, PinDescription, SeamDescription, SeamError, SeamSides, find_opening, pair_seams,
};

impl Assembly<'_> {
    /// The cloth with its mesh; `None` if it is refused.
    pub(super) fn build_cloth(&mut self, key: &str, cloth: &SceneCloth) -> Option<ClothDescription> {
        let (mut placed, shape_key) = self.make_mesh(key, cloth)?;
        for point in &mut placed.mesh.positions {
            *point = cloth.place.apply(*point);
        }
        let found = find_mesh_problems(&placed);
        for message in &found {
            self.report(&shape_key, format!("{message} (cloth {:?})", cloth.name));
        }
        if !found.is_empty() {
            return None;
        }
        let mirrored = self.find_mirrored(&shape_key, cloth, &placed)?;
        let pins = self.resolve_pins(key, cloth, &placed, &mirrored);
        let seams = self.resolve_seams(key, cloth, &placed)?;
        self.move_probes(cloth, &placed, &mirrored);
        if let Some(panels) = &mut self.panels {
            panels.push(placed.find_panels());
        }
        mirrored.reflect(&mut placed.mesh);
        self.check_rest_shape(key, cloth, &placed);
        self.check_thickness(key, cloth, &placed);
        self.warnings.extend(doubt_cloth(key, cloth, &placed.mesh));
        let (vertices, panels) = (placed.list_names(), placed.name_panels());
        let mut built = ClothDescription {
            mesh: std::mem::take(&mut placed.mesh),
            vertex_names: Some(vertices),
            panel_names: panels,
            pins,
            seams,
            ..cloth.description.clone()
        };
        match pair_seams(&mut built) {
            Ok(()) => {
                self.record_near_seams(cloth, &built);
                Some(built)
            }
            Err(SeamError { seam, defect }) => {
                let side = defect.side().map_or(String::new(), |side| format!(".{side}"));
                let defect = defect.renumber(|vertex| placed.name_vertex(vertex));
                let place = match (&placed.garment, seam.checked_sub(cloth.seams.len())) {
                    (Some(garment), Some(stitch)) => (shape_key, garment.name_stitch(stitch)),
                    _ => (format!("{key}.seam.{seam}{side}"), format!("seam {seam}")),
                };
                self.report(&place.0, format!("{} of the cloth {:?}: {defect}", place.1, cloth.name));
                None
            }
        }
    }

    /// Notes which panels a seam by distance has paired.
    fn record_near_seams(&mut self, cloth: &SceneCloth, built: &ClothDescription) {
        let near =
            cloth.seams.iter().enumerate().filter(|(_, seam)| matches!(seam.sides, SceneSides::Near(_)));
        for (number, _) in near {
            let SeamSides::Pairs(pairs) = &built.seams[number].sides else { continue };
            let panel_of = panels_of_vertices(built);
            let mut counts: BTreeMap<[u32; 2], usize> = BTreeMap::new();
            for pair in pairs {
                let mut panels = pair.map(|v| panel_of[v as usize]);
                panels.sort_unstable();
                *counts.entry(panels).or_default() += 1;
            }
            let name = |panel: u32| match built.panel_names.get(panel as usize) {
                Some(name) => format!("{name:?}"),
                None => panel.to_string(),
            };
            let list = counts.iter().map(|([a, b], count)| {
                format!("panels {} and {} ({count} pairs of vertices)", name(*a), name(*b))
            });
            self.notes.push(format!(
                "seam {number} of the cloth {:?} by distance sews {}",
                cloth.name,
                list.collect::<Vec<_>>().join(", ")
            ));
        }
    }

    /// The mesh of a cloth before it is placed, and the key that says where it comes from.
    fn make_mesh(&mut self, key: &str, cloth: &SceneCloth) -> Option<(PlacedMesh, String)> {
        match &cloth.shape {
            ClothShape::Grid { size, cells, pattern } => {
                self.take_memory(&format!("{key}.grid.cells"), cloth, pattern.face_count(*cells))?;
                let mesh = grid::grid(*size, *cells, *pattern, self.scene.simulation.seed);
                Some((PlacedMesh::generated(mesh), format!("{key}.grid")))
            }
            ClothShape::Ball { radius, level } => {
                self.take_memory(&format!("{key}.ball.level"), cloth, 20 << (2 * level))?;
                let mut mesh = grid::sphere_mesh(1.0, *level);
                mesh.positions.iter_mut().for_each(|point| *point *= *radius);
                Some((PlacedMesh::generated(mesh), format!("{key}.ball")))
            }
            ClothShape::Mesh { .. } => {
                let (placed, shape_key) = (self.load_mesh(key, cloth)?, format!("{key}.mesh"));
                self.take_memory(&shape_key, cloth, placed.mesh.faces.len() as u64)?;
                Some((placed, shape_key))
            }
            ClothShape::Garment { path, edge_length, .. } => {
                let shape_key = format!("{key}.garment");
                match read_garment(path, *edge_length) {
                    Ok(garment) => {
                        self.take_memory(&shape_key, cloth, garment.mesh.faces.len() as u64)?;
                        Some((PlacedMesh::from_garment(garment), shape_key))
                    }
                    Err(error) => {
                        self.report(&shape_key, error.to_string());
                        None
                    }
                }
            }
            ClothShape::Outline { path, edge_length, scale } => {
                let shape_key = format!("{key}.outline");
                match read_named_outline(path, *edge_length, *scale) {
                    Ok((mesh, groups)) => {
                        self.take_memory(&shape_key, cloth, mesh.faces.len() as u64)?;
                        Some((PlacedMesh { groups: Some(groups), ..PlacedMesh::generated(mesh) }, shape_key))
                    }
                    Err(error) => {
                        self.report(&shape_key, error.to_string());
                        None
                    }
                }
            }
        }
    }

    /// The panels that are mirrored in material space, with a warning; `None` if one of them is in part.
    fn find_mirrored(
        &mut self,
        shape_key: &str,
        cloth: &SceneCloth,
        placed: &PlacedMesh,
    ) -> Option<Mirrored> {
        let mirrored = match find_mirrored(placed) {
            Ok(mirrored) => mirrored,
            Err(message) => {
                self.report(shape_key, format!("{message} (cloth {:?})", cloth.name));
                return None;
            }
        };
        let names: Vec<String> = mirrored.panels.iter().map(u32::to_string).collect();
        if !names.is_empty() {
            let (panels, are) = if names.len() == 1 { ("panel", "is") } else { ("panels", "are") };
            self.warnings.push(format!(
                "{panels} {} of the cloth {:?} {are} mirrored (clockwise) in material space: u was reflected within the extent of \
                 the panel; the faces stay as they are",
                names.join(", "),
                cloth.name
            ));
        }
        Some(mirrored)
    }

    /// Takes the probes of a cloth from the coordinates of its file into those of its mesh.
    fn move_probes(&mut self, cloth: &SceneCloth, placed: &PlacedMesh, mirrored: &Mirrored) {
        let Some(material) = placed.mesh.material.as_ref().filter(|_| !mirrored.panels.is_empty()) else {
            return;
        };
        let panels = placed.mesh.panels();
        let probes = self.scene.probes.iter().enumerate();
        for (number, probe) in probes.filter(|(_, probe)| self.scene.cloths[probe.cloth].name == cloth.name) {
            let PanelPoint { panel, material: wanted } = probe.point;
            let corners = material.iter().map(|corners| corners.map(|u| u.extend(0.0)));
            let search = PanelSearch::run(panels.iter().copied().zip(corners), wanted.extend(0.0));
            // A point on several panels is refused when the probe is placed.
            if let Ok(Some(nearest)) = search.choose(panel) {
                let point = mirrored.apply(nearest.face as usize, wanted);
                self.moved_probes.insert(number, PanelPoint::on(nearest.panel, point));
            }
        }
    }

    /// Refuses a volume of a cloth that is open, and a rest curvature of one that is at rest as it comes.
    fn check_rest_shape(&mut self, key: &str, cloth: &SceneCloth, placed: &PlacedMesh) {
        if let Some(reason) = cloth.volume.and_then(|_| find_opening(&placed.mesh)) {
            let message = format!("the cloth {:?} can keep no volume: {reason}", cloth.name);
            self.report(&format!("{key}.volume"), message);
        }
        if cloth.rest_curvature != [0.0; 3] && placed.mesh.material.is_none() {
            let message = format!(
                "the cloth {:?} cannot have a rest curvature: its mesh has no material coordinates (vt), so it is at \
                 rest as it comes",
                cloth.name
            );
            self.report(&format!("{key}.rest_curvature"), message);
        }
    }

    /// Notes the faces of another cloth; `None` if it is refused because the world would not fit in memory.
    fn take_memory(&mut self, key: &str, cloth: &SceneCloth, faces: u64) -> Option<()> {
        let model = self.scene.memory_model();
        let others = self.faces;
        self.faces += faces;
        let needed = model.estimate(self.faces);
        let Some(available) = self.memory.map(|bytes| bytes as f64).filter(|bytes| needed > *bytes) else {
            return Some(());
        };
        let gigabytes = |bytes: f64| format!("{:.1} GB", 1e-9 * bytes);
        let message = format!(
            "the cloth {:?} has {faces} faces: the world needs about {} of memory, {} are available",
            cloth.name,
            gigabytes(needed),
            gigabytes(available)
        );
        let fitting = model.fitting_faces(available).saturating_sub(others);
        let help = match &cloth.shape {
            ClothShape::Grid { cells, .. } if fitting > 0 => {
                let part = (fitting as f64 / faces as f64).sqrt();
                let fewer = cells.map(|count| (f64::from(count) * part).floor().max(1.0) as u32);
                format!("about {fitting} faces fit: cells = {fewer:?}")
            }
            _ => format!("about {fitting} faces fit"),
        };
        self.problems.push(self.scene.document.problem(key, message, Some(help)));
        None
    }

    /// The seams with the numbers that vertices have in the mesh.
    fn resolve_seams(
        &mut self,
        key: &str,
        cloth: &SceneCloth,
        placed: &PlacedMesh,
    ) -> Option<Vec<SeamDescription>> {
        let mut seams = Vec::new();
        let panels = if cloth.seams.is_empty() { Vec::new() } else { placed.find_panels() };
        for (index, SceneSeam { sides, time, ease }) in cloth.seams.iter().enumerate() {
            let sides = match sides {
                SceneSides::Near(distance) => SeamSides::Near(*distance),
                SceneSides::Runs(runs) => {
                    let mut found = [Vec::new(), Vec::new()];
                    for ((run, side), slot) in runs.iter().zip(["a", "b"]).zip(&mut found) {
                        match placed.find_run(run, &panels) {
                            Ok(vertices) => *slot = vertices,
                            Err(reason) => {
                                let message = format!(
                                    "seam {index} of the cloth {:?}, run {side}: {reason}",
                                    cloth.name
                                );
                                let part =
                                    if matches!(run, SceneRun::Vertices(_)) { ".vertices" } else { "" };
                                self.report(&format!("{key}.seam.{index}.{side}{part}"), message);
                                return None;
                            }
                        }
                    }
                    SeamSides::Runs(found)
                }
            };
            seams.push(SeamDescription { sides, time: *time, ease: *ease });
        }
        if let (ClothShape::Garment { sewing_time, .. }, Some(garment)) = (&cloth.shape, &placed.garment) {
            seams.extend(garment.seams(*sewing_time));
        }
        Some(seams)
    }

    /// Refuses a cloth that is thicker than wide, and warns of one that is thicker than its cells.
    fn check_thickness(&mut self, key: &str, cloth: &SceneCloth, placed: &PlacedMesh) {
        let mesh = &placed.mesh;
        let given = self.scene.contact.thickness;
        let thickness = given.unwrap_or(cloth.material.thickness);
        let source = if given.is_some() { "contact.thickness".to_owned() } else { format!("{key}.material") };
        let size = mesh.bounds().map_or(0.0, |[low, high]| (high - low).length());
        if thickness > size {
            let message = format!(
                "the thickness of contact, {thickness} m, is more than the size of the cloth {:?}, {size:.4} m: it must be \
                 smaller; it is in m",
                cloth.name
            );
            self.report(&source, message);
            return;
        }
        let sides = mesh.faces.iter().flat_map(|[a, b, c]| [[a, b], [b, c], [c, a]]);
        let length = |[a, b]: [&u32; 2]| mesh.positions[*a as usize].distance(mesh.positions[*b as usize]);
        let lengths: Vec<f64> = sides.map(length).collect();
        let mean = lengths.iter().sum::<f64>() / lengths.len() as f64;
        let shortest = lengths.iter().copied().fold(f64::INFINITY, f64::min);
        if thickness > mean {
            self.warnings.push(format!(
                "{source}: the thickness of contact, {thickness} m, is more than the mean edge of the cloth {:?}, {mean:.4} m: \
                 contact is slow to converge, and folds are wider than the mesh could make them",
                cloth.name
            ));
        } else if thickness > shortest {
            self.warnings.push(format!(
                "{source}: the thickness of contact, {thickness} m, is more than the shortest edge of the cloth {:?}, \
                 {shortest:.2e} m: what is that close may seem to touch where it does not fold",
                cloth.name
            ));
        }
    }

    fn load_mesh(&mut self, key: &str, cloth: &SceneCloth) -> Option<PlacedMesh> {
        let ClothShape::Mesh { path, uv_scale, weld: distance } = &cloth.shape else { return None };
        let mut file = match read_obj(path) {
            Ok(file) => file,
            Err(error) => {
                self.report(&format!("{key}.mesh"), error.to_string());
                return None;
            }
        };
        if file.dropped_vertices > 0 {
            self.warnings.push(format!(
                "{}: {} vertices that belong to no face are left out of the cloth {:?}",
                path.display(),
                file.dropped_vertices,
                cloth.name
            ));
        }
        for elements in &file.other_elements {
            let path = path.display();
            self.warnings.push(format!("{path}: {elements} are left out of the cloth {:?}", cloth.name));
        }
        if let Some(distance) = distance {
            match weld(&mut file, *distance) {
                Ok(gone) => {
                    self.notes.push(format!("{}: {gone} vertices were welded to others", path.display()));
                }
                Err(face) => {
                    let (path, line) = (path.display(), file.face_lines[face]);
                    let message = format!(
                        "{path}: two corners of face {face} (line {line}) are within {distance} m of each other; choose a `weld` \
                         that is shorter than every edge"
                    );
                    self.report(&format!("{key}.weld"), message);
                    return None;
                }
            }
        } else if is_cut_everywhere(&file.mesh) {
            let message = format!(
                "{}: it is cut at every face, each of which has vertices of its own, so that the cloth would fall apart; `weld = \
                 1e-5` in the cloth joins vertices within 0.01 mm",
                path.display()
            );
            self.report(&format!("{key}.mesh"), message);
            return None;
        }
        for coord in file.mesh.material.iter_mut().flatten().flatten() {
            *coord *= *uv_scale;
        }
        Some(PlacedMesh::from_file(file))
    }

    /// The pins, whose boxes in material space are those of the file.
    fn resolve_pins(
        &mut self,
        key: &str,
        cloth: &SceneCloth,
        placed: &PlacedMesh,
        mirrored: &Mirrored,
    ) -> Vec<PinDescription> {
        let mut pins = Vec::new();
        let panels = if cloth.pins.is_empty() { Vec::new() } else { placed.mesh.panels() };
        for (index, pin) in cloth.pins.iter().enumerate() {
            match resolve_region(&pin.region, placed, &panels) {
                Ok(region) => {
                    let overlap = overlapping_panels(&region, &placed.mesh, &panels);
                    if overlap.len() > 1 {
                        let names = overlap.iter().map(u32::to_string).collect::<Vec<_>>().join(", ");
                        self.warnings.push(format!(
                            "pin {index} of the cloth {:?} holds vertices of several panels, whose material \
                             coordinates overlap: {names}; `panel = {}` beside `material_box` holds one",
                            cloth.name, overlap[0]
                        ));
                    }
                    let region = mirrored.reflect_region(region, &placed.mesh, &panels);
                    pins.push(PinDescription { region, ..pin.clone() });
                }
                Err(reason) => {
                    let message = format!("pin {index} of the cloth {:?}: {reason}", cloth.name);
                    self.report(&format!("{key}.pin.{index}.where"), message);
                }
            }
        }
        pins
    }
}

/// The panel of each vertex of a cloth that is not sewn yet.
fn panels_of_vertices(cloth: &ClothDescription) -> Vec<u32> {
    let mut panel_of = vec![0; cloth.mesh.positions.len()];
    for (face, panel) in cloth.mesh.faces.iter().zip(cloth.mesh.panels()) {
        face.iter().for_each(|v| panel_of[*v as usize] = panel);
    }
    panel_of
}
