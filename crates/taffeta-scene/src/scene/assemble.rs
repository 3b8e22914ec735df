//! From a scene to a world: meshes are made, placed and checked.

use super::Scene;
use super::check::{find_mesh_problems, find_nearest};
use super::cloth::SceneCloth;
use super::cloth_shape::ClothShape;
use super::obstacle::SceneObstacle;
use super::orient::{Turned, turn_mirrored_panels};
use super::pin::resolve_region;
use super::placed::PlacedMesh;
use super::plausible::{doubt_cloth, doubt_scene};
use super::probe::{Probe, RopeProbe, SolidProbe};
use super::rope::SceneRope;
use super::solid::SceneSolid;
use crate::error::{Problem, SceneError};
use crate::grid;
use crate::memory::available_memory;
use crate::obj::read_obj;
use crate::outline::read_outline;
use glam::DVec2;
use taffeta_contact::MeshObstacle;
use taffeta_sim::{
    ClothDescription, PinDescription, SeamDescription, SeamError, SeamSides, SolidDescription, SolverChoice,
    WorldDescription, find_opening, pair_seams,
};

/// How far beside the sheet a probe may lie, relative to the size of the sheet. It is moved onto the sheet.
const PROBE_SLACK: f64 = 1e-6;

/// A scene with its meshes.
#[derive(Clone, Debug, PartialEq)]
pub struct BuiltScene {
    /// The world at time 0.
    pub world: WorldDescription,
    /// The probes, in the order of the scene.
    pub probes: Vec<PlacedProbe>,
    /// The probes on ropes.
    pub rope_probes: Vec<RopeProbe>,
    /// The probes on solids, at points of the placed rest shapes.
    pub solid_probes: Vec<SolidProbe>,
    /// The scene's warnings and those about its meshes.
    pub warnings: Vec<String>,
}

/// A probe on its mesh.
#[derive(Clone, Debug, PartialEq)]
pub struct PlacedProbe {
    /// Name.
    pub name: String,
    /// Index of the cloth in the world.
    pub cloth: usize,
    /// The panel of the cloth.
    pub panel: u32,
    /// The material point \[m\], moved onto the sheet if it lay beside it by round-off.
    pub material: DVec2,
    /// The face of the cloth's mesh that carries it.
    pub face: u32,
    /// Barycentric weights of the corners of that face.
    pub weights: [f64; 3],
}

/// Collects what is wrong while a scene is assembled.
struct Assembly<'a> {
    scene: &'a Scene,
    problems: Vec<Problem>,
    warnings: Vec<String>,
    /// Faces of the cloths so far, and the memory that there is for all \[bytes\].
    faces: u64,
    memory: Option<u64>,
}

/// Makes everything, in an amount of memory \[bytes\].
fn assemble(scene: &Scene, memory: Option<u64>) -> Result<BuiltScene, SceneError> {
    let warnings = scene.warnings.clone();
    let mut assembly = Assembly { scene, problems: Vec::new(), warnings, faces: 0, memory };
    assembly.warnings.extend(doubt_scene(scene));
    let cloths: Vec<Option<ClothDescription>> = scene
        .cloths
        .iter()
        .enumerate()
        .map(|(index, cloth)| assembly.build_cloth(&format!("cloth.{index}"), cloth))
        .collect();
    let mut probes = Vec::new();
    for (index, probe) in scene.probes.iter().enumerate() {
        if let Some(cloth) = &cloths[probe.cloth] {
            probes.extend(assembly.place_probe(&format!("probe.{index}"), probe, cloth));
        }
    }
    let solids = scene.solids.iter().enumerate();
    let solids =
        solids.filter_map(|(index, solid)| assembly.build_solid(&format!("solid.{index}"), solid)).collect();
    let obstacles = scene.obstacles.iter().enumerate();
    let mesh_obstacles = obstacles.filter_map(|(index, o)| assembly.build_obstacle(index, o)).collect();
    if !assembly.problems.is_empty() {
        return Err(SceneError::Invalid { problems: assembly.problems });
    }
    let in_vacuum = scene.air.density == 0.0 || scene.air.drag == 0.0;
    // The default, where the solver knows it.
    let knows_cloths = scene.simulation.settings.solver != SolverChoice::Projective;
    let world = WorldDescription {
        cloths: cloths.into_iter().flatten().collect(),
        loose: Vec::new(),
        ropes: scene.ropes.iter().map(SceneRope::describe).collect(),
        solids,
        obstacles: scene.obstacles.iter().filter_map(SceneObstacle::closed_form).collect(),
        mesh_obstacles,
        simulation: scene.simulation.settings.clone(),
        air: (!in_vacuum).then_some(scene.air),
        self_contact: scene.contact.self_contact.unwrap_or(knows_cloths),
        contact_thickness: scene.contact.thickness,
        view: scene.view(),
        view_motion: scene.camera.as_ref().map(|camera| camera.motion.clone()).unwrap_or_default(),
    };
    let rope_probes = scene.rope_probes.clone();
    let place = |probe: &SolidProbe| SolidProbe {
        point: scene.solids[probe.solid].place.apply(probe.point),
        ..probe.clone()
    };
    let solid_probes = scene.solid_probes.iter().map(place).collect();
    Ok(BuiltScene { world, probes, rope_probes, solid_probes, warnings: assembly.warnings })
}

impl Scene {
    /// Makes the meshes, places them, and checks what can only be checked with them.
    ///
    /// # Errors
    /// Everything that is wrong, each with its place in the scene: files that cannot be read, triangles without area,
    /// pins that hold nothing, probes off the sheet.
    pub fn build(&self) -> Result<WorldDescription, SceneError> {
        self.assemble().map(|built| built.world)
    }

    /// Like [`Scene::build`], with everything that comes to light on the way.
    ///
    /// # Errors
    /// As [`Scene::build`].
    pub fn assemble(&self) -> Result<BuiltScene, SceneError> {
        self.assemble_within(available_memory())
    }

    /// Like [`Scene::assemble`] with a given amount of memory \[bytes\] instead of that of the machine; `None`: any.
    ///
    /// # Errors
    /// As [`Scene::build`], and if the world needs more memory by estimate; then before the mesh in question is made.
    pub fn assemble_within(&self, memory: Option<u64>) -> Result<BuiltScene, SceneError> {
        assemble(self, memory)
    }
}

impl Assembly<'_> {
    fn report(&mut self, key: &str, message: String) {
        self.problems.push(self.scene.document.problem(key, message, None));
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

    fn build_cloth(&mut self, key: &str, cloth: &SceneCloth) -> Option<ClothDescription> {
        let (mut placed, shape_key) = match &cloth.shape {
            ClothShape::Grid { size, cells, pattern } => {
                self.take_memory(&format!("{key}.grid.cells"), cloth, pattern.face_count(*cells))?;
                let mesh = grid::grid(*size, *cells, *pattern, self.scene.simulation.seed);
                (PlacedMesh::generated(mesh), format!("{key}.grid"))
            }
            ClothShape::Ball { radius, level } => {
                self.take_memory(&format!("{key}.ball.level"), cloth, 20 << (2 * level))?;
                let mut mesh = grid::sphere_mesh(1.0, *level);
                mesh.positions.iter_mut().for_each(|point| *point *= *radius);
                (PlacedMesh::generated(mesh), format!("{key}.ball"))
            }
            ClothShape::Mesh { .. } => {
                let (placed, shape_key) = (self.load_mesh(key, cloth)?, format!("{key}.mesh"));
                self.take_memory(&shape_key, cloth, placed.mesh.faces.len() as u64)?;
                (placed, shape_key)
            }
            ClothShape::Outline { path, edge_length, scale } => {
                let shape_key = format!("{key}.outline");
                match read_outline(path, *edge_length, *scale) {
                    Ok(mesh) => {
                        self.take_memory(&shape_key, cloth, mesh.faces.len() as u64)?;
                        (PlacedMesh::generated(mesh), shape_key)
                    }
                    Err(error) => {
                        self.report(&shape_key, error.to_string());
                        return None;
                    }
                }
            }
        };
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
        match turn_mirrored_panels(&mut placed) {
            Ok(Turned { faces, reflected }) => {
                if faces > 0 {
                    self.warnings.push(format!(
                        "{faces} faces of the cloth {:?} are mirrored in material space and were turned over",
                        cloth.name
                    ));
                }
                for panel in reflected {
                    self.warnings.push(format!(
                        "panel {panel} of the cloth {:?} is mirrored against the panels that it is sewn to: its u was \
                         reflected within its own extent",
                        cloth.name
                    ));
                }
            }
            Err(message) => {
                self.report(&shape_key, format!("{message} (cloth {:?})", cloth.name));
                return None;
            }
        }
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
        self.check_thickness(key, cloth, &placed);
        self.warnings.extend(doubt_cloth(key, cloth, &placed.mesh));
        let pins = self.resolve_pins(key, cloth, &placed);
        let seams = self.resolve_seams(key, cloth, &placed)?;
        let mesh = std::mem::take(&mut placed.mesh);
        let mut built = cloth.describe(mesh, pins, seams);
        match pair_seams(&mut built) {
            Ok(()) => Some(built),
            Err(SeamError { seam, defect }) => {
                let side = defect.side().map_or(String::new(), |side| format!(".{side}"));
                let defect = defect.renumber(|vertex| placed.name_vertex(vertex));
                self.report(
                    &format!("{key}.seam.{seam}{side}"),
                    format!("seam {seam} of the cloth {:?}: {defect}", cloth.name),
                );
                None
            }
        }
    }

    /// The seams with the numbers that vertices have in the mesh.
    fn resolve_seams(
        &mut self,
        key: &str,
        cloth: &SceneCloth,
        placed: &PlacedMesh,
    ) -> Option<Vec<SeamDescription>> {
        let mut seams = Vec::new();
        for (index, seam) in cloth.seams.iter().enumerate() {
            let mut resolved = seam.clone();
            if let SeamSides::Runs(runs) = &mut resolved.sides {
                for (run, side) in runs.iter_mut().zip(["a", "b"]) {
                    match placed.find_vertices(run) {
                        Ok(vertices) => *run = vertices,
                        Err(reason) => {
                            let message =
                                format!("seam {index} of the cloth {:?}, run {side}: {reason}", cloth.name);
                            self.report(&format!("{key}.seam.{index}.{side}.vertices"), message);
                            return None;
                        }
                    }
                }
            }
            seams.push(resolved);
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
        let ClothShape::Mesh { path, uv_scale } = &cloth.shape else { return None };
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
        for coord in file.mesh.material.iter_mut().flatten().flatten() {
            *coord *= *uv_scale;
        }
        Some(PlacedMesh::from_file(file))
    }

    fn build_solid(&mut self, key: &str, solid: &SceneSolid) -> Option<SolidDescription> {
        let shape_key = format!("{key}.{}", solid.shape.key());
        let refuse = |reason: &str| format!("the solid {:?} cannot be built: {reason}", solid.name);
        let mut shape = match solid.shape.build() {
            Ok(shape) => shape,
            Err(error) => {
                self.report(&shape_key, refuse(&error.to_string()));
                return None;
            }
        };
        self.warnings.append(&mut shape.warnings);
        let mut built = solid.describe(&shape);
        if let Some(reason) = built.find_named_shape_defect(|number| shape.name_tetrahedron(number)) {
            self.report(&shape_key, refuse(&reason));
            return None;
        }
        for (number, pin) in solid.pins.iter().enumerate() {
            match solid.describe_pin(pin, (&shape, &built)) {
                Ok(pin) => built.pins.push(pin),
                Err(reason) => {
                    let message = refuse(&format!("pin {number}: {reason}"));
                    self.report(&format!("{key}.pin.{number}.where"), message);
                }
            }
        }
        Some(built)
    }

    /// The mesh of an obstacle that has one.
    fn build_obstacle(&mut self, index: usize, obstacle: &SceneObstacle) -> Option<MeshObstacle> {
        let key = format!("obstacle.{index}.shape.{}", obstacle.shape.file_key()?);
        match obstacle.read_mesh() {
            Ok(None) => None,
            Ok(Some((mesh, dropped))) => {
                if dropped > 0 {
                    let message = "triangles without area are left out of the obstacle";
                    self.warnings.push(format!("{key}: {dropped} {message}"));
                }
                Some(mesh)
            }
            Err(error) => {
                self.report(&key, error.to_string());
                None
            }
        }
    }

    fn resolve_pins(&mut self, key: &str, cloth: &SceneCloth, placed: &PlacedMesh) -> Vec<PinDescription> {
        let mut pins = Vec::new();
        for (index, pin) in cloth.pins.iter().enumerate() {
            match resolve_region(&pin.region, placed) {
                Ok(region) => pins.push(PinDescription { region, ..pin.clone() }),
                Err(reason) => {
                    let message = format!("pin {index} of the cloth {:?}: {reason}", cloth.name);
                    self.report(&format!("{key}.pin.{index}.where"), message);
                }
            }
        }
        pins
    }

    fn place_probe(&mut self, key: &str, probe: &Probe, cloth: &ClothDescription) -> Option<PlacedProbe> {
        let Some(material) = &cloth.mesh.material else {
            let message = format!(
                "the probe {:?} needs material coordinates, but the mesh of the cloth {:?} has no vt",
                probe.name, cloth.name
            );
            self.report(&format!("{key}.material"), message);
            return None;
        };
        let panels = cloth.mesh.panels();
        let count = panels.iter().max().map_or(0, |last| last + 1);
        if let Some(panel) = probe.panel.filter(|panel| *panel >= count) {
            let message = format!(
                "the probe {:?} is on panel {panel}, but the cloth {:?} has panels 0 to {}",
                probe.name,
                cloth.name,
                count - 1
            );
            self.report(&format!("{key}.panel"), message);
            return None;
        }
        let is_wanted = |face: usize| probe.panel.is_none_or(|panel| panels[face] == panel);
        let nearest = find_nearest(material, probe.material, is_wanted)?;
        let mut corners = material.iter().flatten().copied();
        let first = corners.next().unwrap_or_default();
        let (low, high) = corners.fold((first, first), |(low, high), u| (low.min(u), high.max(u)));
        let slack = PROBE_SLACK * (high - low).max_element();
        if nearest.distance > slack {
            let message = format!(
                "the probe {:?} at [{}, {}] is not on the cloth {:?}: the nearest point, [{}, {}], is {:.3e} m away",
                probe.name,
                probe.material.x,
                probe.material.y,
                cloth.name,
                nearest.point.x,
                nearest.point.y,
                nearest.distance
            );
            self.report(&format!("{key}.material"), message);
            return None;
        }
        let on_panel = |panel: &u32| {
            let found = find_nearest(material, probe.material, |face| panels[face] == *panel);
            found.is_some_and(|found| found.distance <= slack)
        };
        let candidates: Vec<u32> = match probe.panel {
            Some(panel) => vec![panel],
            None => (0..count).filter(on_panel).collect(),
        };
        if candidates.len() > 1 {
            let names: Vec<String> = candidates.iter().map(u32::to_string).collect();
            let message = format!(
                "the probe {:?} at [{}, {}] is on several panels of the cloth {:?}: {}; say on which, as in `panel = {}`",
                probe.name,
                probe.material.x,
                probe.material.y,
                cloth.name,
                names.join(", "),
                names[0]
            );
            self.report(&format!("{key}.material"), message);
            return None;
        }
        Some(PlacedProbe {
            name: probe.name.clone(),
            cloth: probe.cloth,
            panel: panels[nearest.face],
            material: if nearest.distance > 0.0 { nearest.point } else { probe.material },
            face: nearest.face as u32,
            weights: nearest.weights,
        })
    }
}
