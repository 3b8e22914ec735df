//! From a scene to a world: meshes are made, placed and checked.

use super::plausible::doubt_scene;
use crate::error::{Problem, SceneError};
use crate::memory::available_memory;
use crate::scene::Scene;
use crate::scene::bodies::body::{SceneRope, SceneSolid};
use crate::scene::bodies::probe::{Probe, RopeProbe, SolidProbe};
use crate::scene::obstacles::obstacle::SceneObstacle;
use std::collections::BTreeMap;
use std::mem::take;
use taffeta_contact::{MeshObstacle, Obstacle};
use taffeta_core::PanelPoint;
use taffeta_io::panels::Panel;
use taffeta_sim::{ClothDescription, SolidDescription, WorldDescription};

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
    /// Panels that seams by distance sew.
    pub notes: Vec<String>,
}

/// A probe on its mesh.
#[derive(Clone, Debug, PartialEq)]
pub struct PlacedProbe {
    /// Name.
    pub name: String,
    /// Index of the cloth in the world.
    pub cloth: usize,
    /// The material point with its panel, moved onto the sheet if it lay beside it by round-off.
    pub point: PanelPoint,
    /// The face of the cloth's mesh that carries it.
    pub face: u32,
    /// Barycentric weights of the corners of that face.
    pub weights: [f64; 3],
}

/// An obstacle that is ready for a world.
#[derive(Clone, Debug, PartialEq)]
pub enum BuiltObstacle {
    /// In closed form.
    Closed(Obstacle),
    /// Made of triangles.
    Mesh(MeshObstacle),
}

/// Collects what is wrong while a scene is assembled.
pub(crate) struct Assembly<'a> {
    pub scene: &'a Scene,
    pub problems: Vec<Problem>,
    pub warnings: Vec<String>,
    pub notes: Vec<String>,
    /// Faces of the cloths so far, and the memory that there is for all \[bytes\].
    pub faces: u64,
    pub memory: Option<u64>,
    /// Places of probes, by their numbers, that are others in the mesh than in its file.
    pub moved_probes: BTreeMap<usize, PanelPoint>,
    /// The panels of each cloth, in their order; `None`: they are not wanted, and take time.
    pub panels: Option<Vec<Vec<Panel>>>,
}

/// Makes everything. What else is wanted of the cloths is then in the assembly.
fn assemble(assembly: &mut Assembly<'_>) -> Result<BuiltScene, SceneError> {
    let scene = assembly.scene;
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
            let moved = assembly.moved_probes.get(&index).copied();
            let probe = Probe { point: moved.unwrap_or(probe.point), ..probe.clone() };
            probes.extend(assembly.place_probe(&format!("probe.{index}"), &probe, cloth));
        }
    }
    let solids = scene.solids.iter().enumerate();
    let solids =
        solids.filter_map(|(index, solid)| assembly.build_solid(&format!("solid.{index}"), solid)).collect();
    let obstacles = scene.obstacles.iter().enumerate();
    let mesh_obstacles = obstacles.filter_map(|(index, o)| assembly.build_obstacle(index, o)).collect();
    if !assembly.problems.is_empty() {
        let (problems, warnings) = (take(&mut assembly.problems), take(&mut assembly.warnings));
        return Err(SceneError::Invalid { problems, warnings });
    }
    let world = WorldDescription {
        cloths: cloths.into_iter().flatten().collect(),
        loose: Vec::new(),
        ropes: scene.ropes.iter().map(SceneRope::describe).collect(),
        solids,
        obstacles: scene.obstacles.iter().filter_map(SceneObstacle::closed_form).collect(),
        mesh_obstacles,
        simulation: scene.simulation.settings.clone(),
        air: (!scene.air.is_vacuum()).then_some(scene.air),
        self_contact: scene.contact.self_contact,
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
    let (warnings, notes) = (take(&mut assembly.warnings), take(&mut assembly.notes));
    Ok(BuiltScene { world, probes, rope_probes, solid_probes, warnings, notes })
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
        assemble(&mut Assembly::of(self, memory))
    }

    /// Like [`Scene::assemble`], with the panels of each cloth of the world: their names and edges, as seams name them. Vertices
    /// have the numbers of the cloth's mesh, in which seams may have put more along the edges.
    ///
    /// # Errors
    /// As [`Scene::assemble`].
    pub fn assemble_with_panels(&self) -> Result<(BuiltScene, Vec<Vec<Panel>>), SceneError> {
        let mut assembly = Assembly { panels: Some(Vec::new()), ..Assembly::of(self, available_memory()) };
        let built = assemble(&mut assembly)?;
        Ok((built, assembly.panels.unwrap_or_default()))
    }
}

impl Scene {
    /// One more cloth for a world of this scene, with the warnings about it. The table is in TOML, as that of a cloth in a scene
    /// file; in messages it is `cloth.0`. Of the scene it has settings and materials; its bodies do not count, for others may
    /// be in the world by now. `faces` is how many faces the cloths of the world have.
    ///
    /// # Errors
    /// Everything that is wrong with the table or with its mesh.
    pub fn describe_cloth(
        &self,
        table: &str,
        faces: usize,
    ) -> Result<(ClothDescription, Vec<String>), SceneError> {
        let scene = self.with_one_cloth(table)?;
        let mut assembly = Assembly::of(&scene, available_memory());
        assembly.faces = faces as u64;
        let cloth = scene.cloths.first().and_then(|cloth| assembly.build_cloth("cloth.0", cloth));
        assembly.finish(cloth)
    }

    /// One more obstacle for a world of this scene, with the warnings about it. The table is in TOML, as that of an obstacle in a
    /// scene file; in messages it is `obstacle.0`.
    ///
    /// # Errors
    /// Everything that is wrong with the table or with its mesh.
    pub fn describe_obstacle(&self, table: &str) -> Result<(BuiltObstacle, Vec<String>), SceneError> {
        let scene = self.with_one_obstacle(table)?;
        let mut assembly = Assembly::of(&scene, None);
        let built = scene.obstacles.first().and_then(|obstacle| match obstacle.closed_form() {
            Some(closed) => Some(BuiltObstacle::Closed(closed)),
            None => assembly.build_obstacle(0, obstacle).map(BuiltObstacle::Mesh),
        });
        assembly.finish(built)
    }
}

impl<'a> Assembly<'a> {
    /// Begins, with the warnings that the scene has already.
    fn of(scene: &'a Scene, memory: Option<u64>) -> Self {
        Self {
            scene,
            problems: Vec::new(),
            warnings: scene.warnings.clone(),
            notes: Vec::new(),
            faces: 0,
            memory,
            moved_probes: BTreeMap::new(),
            panels: None,
        }
    }

    /// Ends with a part and all warnings, or with the problems for which it was not made.
    fn finish<T>(self, part: Option<T>) -> Result<(T, Vec<String>), SceneError> {
        match part {
            Some(part) if self.problems.is_empty() => Ok((part, self.warnings)),
            _ => Err(SceneError::Invalid { problems: self.problems, warnings: self.warnings }),
        }
    }
}

impl Assembly<'_> {
    /// Notes a problem at a key path.
    pub(crate) fn report(&mut self, key: &str, message: String) {
        self.problems.push(self.scene.document.problem(key, message, None));
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
            match solid.describe_pin(pin, &shape, &built) {
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
            Ok(Some((mesh, warnings))) => {
                self.warnings.extend(warnings.into_iter().map(|warning| format!("{key}: {warning}")));
                Some(mesh)
            }
            Err(error) => {
                self.report(&key, error.to_string());
                None
            }
        }
    }
}
