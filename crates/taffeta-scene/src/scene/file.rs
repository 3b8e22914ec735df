//! A scene as a file: reading, writing, hashing.

use super::Scene;
use super::bodies::body::{SceneCloth, SceneRope};
use super::bodies::cloth_table::ClothTable;
use super::bodies::probe::{BodyNames, ProbeTable, Probes, refuse_duplicates};
use super::bodies::rope_table::RopeTable;
use super::bodies::solid_table::SolidTable;
use super::obstacles::obstacle::SceneObstacle;
use super::obstacles::obstacle_table::ObstacleTable;
use super::settings::camera::CameraTable;
use super::settings::material::{Library, MaterialsTable};
use super::settings::simulation::SimulationTable;
use super::settings::surroundings::{AirTable, ContactTable, OutputTable};
use crate::document::value::Kind;
use crate::document::{Document, SceneSource};
use crate::error::SceneError;
use crate::keys::{BodyName, Ignored, Tables, canonical};
use crate::overrides::{Override, apply_all, apply_one};
use crate::place::{Check, Place, refuse};
use crate::read::read;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::json;
use std::path::Path;
use taffeta_io::read_file;
use taffeta_sim::rules::{meeting_mismatch, solid_mismatch, volume_mismatches};

/// A scene of the Taffeta cloth simulator. All quantities are in SI units.
#[derive(Debug, Default, Serialize, Deserialize, JsonSchema)]
#[serde(rename = "Taffeta scene", default, deny_unknown_fields)]
#[schemars(extend("required" = ["simulation"], "anyOf" = [is_there("cloth"), is_there("rope"), is_there("solid")]))]
pub(crate) struct SceneTable {
    /// The schema of this file, for editors. It is not looked at.
    #[serde(rename = "$schema")]
    #[schemars(with = "Option<String>")]
    schema: Option<Ignored>,
    /// Duration, frames, solver.
    simulation: Option<SimulationTable>,
    /// The cloths.
    cloth: Tables<ClothTable>,
    /// The ropes.
    rope: Option<Tables<RopeTable>>,
    /// The solids.
    solid: Option<Tables<SolidTable>>,
    /// Materials by name.
    materials: Option<MaterialsTable>,
    /// Obstacles that the bodies meet.
    obstacle: Tables<ObstacleTable>,
    /// Contact of all cloths.
    contact: ContactTable,
    /// The surrounding air. A density or drag of 0 is a vacuum.
    air: AirTable,
    /// Points whose motion is recorded in probes.csv.
    probe: Tables<ProbeTable>,
    /// Camera of `taffeta render`, and of coarsen_unseen. Absent: a camera that shows everything.
    camera: Option<CameraTable>,
    /// Files that a run writes.
    output: OutputTable,
}

/// The schema of a scene that has a body of a kind.
fn is_there(key: &str) -> serde_json::Value {
    json!({ "properties": { key: { "minItems": 1 } }, "required": [key] })
}

impl From<&Scene> for SceneTable {
    fn from(scene: &Scene) -> Self {
        let solver = scene.simulation.settings.solver;
        let rope = |rope: &SceneRope| RopeTable::new(rope, solver);
        let probes = Probes {
            cloth: scene.probes.clone(),
            rope: scene.rope_probes.clone(),
            solid: scene.solid_probes.clone(),
        };
        let names = BodyNames {
            cloths: scene.cloths.iter().map(|cloth| cloth.name.as_str()).collect(),
            ropes: scene.ropes.iter().map(|rope| rope.name.as_str()).collect(),
            solids: scene.solids.iter().map(|solid| solid.name.as_str()).collect(),
        };
        Self {
            schema: None,
            simulation: Some((&scene.simulation).into()),
            cloth: scene.cloths.iter().map(|cloth| ClothTable::new(cloth, solver)).collect(),
            rope: (!scene.ropes.is_empty()).then(|| scene.ropes.iter().map(rope).collect()),
            solid: (!scene.solids.is_empty()).then(|| scene.solids.iter().map(SolidTable::from).collect()),
            materials: None,
            obstacle: scene.obstacles.iter().map(ObstacleTable::from).collect(),
            contact: scene.contact.into(),
            air: scene.air.into(),
            probe: probes.tables(&names),
            camera: scene.camera.as_ref().map(CameraTable::from),
            output: (&scene.output).into(),
        }
    }
}

impl SceneTable {
    /// The scene of a document, checked.
    fn resolve(&self, document: &Document) -> Result<Scene, SceneError> {
        let check = Check::new(document);
        let scene = self.resolve_parts(document, &check.root());
        let warnings = check.finish()?;
        let Some(scene) = scene else { unreachable!("a scene that cannot be resolved has a problem") };
        Ok(Scene { warnings, ..scene })
    }

    fn resolve_parts(&self, document: &Document, at: &Place<'_>) -> Option<Scene> {
        let ropes = self.rope.as_ref().map_or(&[][..], |rope| &rope.0);
        let solids = self.solid.as_ref().map_or(&[][..], |solid| &solid.0);
        if self.cloth.0.is_empty() && ropes.is_empty() && solids.is_empty() {
            let help = "for example [[cloth]] with name, grid and material, [[rope]] or [[solid]]";
            at.refuse("the scene has no cloth, no rope and no solid".to_owned(), help);
        }
        let Some(simulation) = &self.simulation else {
            let help = "for example [simulation] with duration = 4.0";
            at.refuse("`simulation.duration` is missing".to_owned(), help);
            return None;
        };
        let has_garment = self.cloth.0.iter().any(|cloth| cloth.garment.is_some());
        let mut simulation = simulation.resolve(has_garment, &at.at("simulation"));
        let settings = &simulation.settings.clone();
        let solver = settings.solver;
        let default = MaterialsTable::default();
        let materials = Library::new(self.materials.as_ref().unwrap_or(&default), &at.at("materials"));
        let names = BodyNames {
            cloths: self.cloth.0.iter().map(|cloth| cloth.name.0.as_str()).collect(),
            ropes: ropes.iter().map(|rope| rope.name.0.as_str()).collect(),
            solids: solids.iter().map(|solid| solid.name.0.as_str()).collect(),
        };
        let cloth = |table: &ClothTable, at: &Place<'_>| table.resolve(&materials, settings, at);
        let cloths = resolve_all(&self.cloth.0, &at.at("cloth"), cloth);
        if !at.at("simulation").given(&["accuracy"]).is_empty() {
            // It says more about the steps; the meshes have the tolerance by now.
            simulation.settings.tolerance = None;
        }
        let ropes = resolve_all(ropes, &at.at("rope"), |table, at| table.resolve(solver, at));
        let solids = resolve_all(solids, &at.at("solid"), |table, at| table.resolve(solver, at));
        let probes = Probes::resolve(&self.probe.0, &names, &at.at("probe"));
        names.refuse_duplicates(at);
        self.refuse_named_twice(at);
        self.check_leaders(at);
        let obstacle = |table: &ObstacleTable, at: &Place<'_>| table.resolve(&simulation, at);
        let obstacles = resolve_all(&self.obstacle.0, &at.at("obstacle"), obstacle);
        materials.warn_of_unused(&at.at("materials"));
        let scene = Scene {
            cloths,
            ropes,
            solids,
            obstacles,
            contact: self.contact.resolve(),
            air: self.air.resolve(),
            probes: probes.cloth,
            rope_probes: probes.rope,
            solid_probes: probes.solid,
            camera: self.camera.as_ref().map(|camera| camera.resolve(&at.at("camera"))),
            output: self.output.resolve(&at.at("output")),
            warnings: Vec::new(),
            document: document.clone(),
            simulation,
        };
        scene.check_volumes(at);
        scene.check_contact(at);
        // With a cloth left out the numbers of the others would be wrong.
        if scene.cloths.len() == self.cloth.0.len() {
            scene.check_view(at);
        }
        Some(scene)
    }
}

impl SceneTable {
    /// Refuses every name of an obstacle or a pin that an earlier one has; most have none.
    fn refuse_named_twice<'a>(&'a self, at: &Place<'a>) {
        let obstacles = self.obstacle.0.iter().enumerate();
        let obstacles =
            obstacles.filter_map(|(k, table)| Some((at.at("obstacle").at(k), table.name.as_ref()?)));
        refuse_second(obstacles.collect());
        let named = |(at, name, _): (Place<'a>, &'a Option<BodyName>, _)| Some((at, name.as_ref()?));
        refuse_second(self.pins(at).into_iter().filter_map(named).collect());
    }

    /// Refuses pins that follow an obstacle which there is not.
    fn check_leaders<'a>(&'a self, at: &Place<'a>) {
        let names = || self.obstacle.0.iter().filter_map(|table| table.name.as_ref());
        for (at, _, follow) in self.pins(at) {
            let Some(leader) = follow.as_ref().filter(|leader| !names().any(|name| name.0 == leader.0))
            else {
                continue;
            };
            let known: Vec<String> = names().map(|name| format!("{:?}", name.0)).collect();
            let help = match known.as_slice() {
                [] => format!("give the obstacle `name = {:?}`", leader.0),
                _ => format!("the obstacles are {}", known.join(", ")),
            };
            let message = format!("`{at}.follow` is {:?}, but no obstacle has that name", leader.0);
            at.at("follow").refuse(message, help.as_str());
        }
    }

    /// The pins of all bodies, each with its place in the scene, its name and the obstacle that it follows.
    fn pins<'a>(&'a self, at: &Place<'a>) -> Vec<(Place<'a>, &'a Option<BodyName>, &'a Option<BodyName>)> {
        let of_cloths = self.cloth.0.iter().enumerate().flat_map(|(body, cloth)| {
            let pins = cloth.pin.0.iter().enumerate();
            pins.map(move |(k, pin)| (("cloth", body, k), &pin.name, &pin.follow))
        });
        let ropes = self.rope.iter().flat_map(|rope| &rope.0).enumerate();
        let of_ropes = ropes.flat_map(|(body, rope)| {
            let pins = rope.pin.0.iter().enumerate();
            pins.map(move |(k, pin)| (("rope", body, k), &pin.name, &pin.follow))
        });
        let solids = self.solid.iter().flat_map(|solid| &solid.0).enumerate();
        let of_solids = solids.flat_map(|(body, solid)| {
            let pins = solid.pin.0.iter().enumerate();
            pins.map(move |(k, pin)| (("solid", body, k), &pin.name, &pin.follow))
        });
        let placed = |((kind, body, k), name, follow): ((&str, usize, usize), _, _)| {
            (at.at(kind).at(body).at("pin").at(k), name, follow)
        };
        of_cloths.chain(of_ropes).chain(of_solids).map(placed).collect()
    }
}

/// Refuses every name that an earlier table has.
fn refuse_second(named: Vec<(Place<'_>, &BodyName)>) {
    let names = named.iter().map(|(_, name)| name.0.as_str());
    refuse_duplicates(names, |number| named[number].0.clone());
}

/// Resolves the tables of an array, each at its place.
fn resolve_all<T, U>(tables: &[T], at: &Place<'_>, resolve: impl Fn(&T, &Place<'_>) -> Option<U>) -> Vec<U> {
    let numbered = tables.iter().enumerate();
    numbered.filter_map(|(number, table)| resolve(table, &at.at(number))).collect()
}

impl BodyNames<'_> {
    /// Refuses every name that an earlier body has.
    fn refuse_duplicates(&self, at: &Place<'_>) {
        let Self { cloths, ropes, solids } = self;
        let places = [("cloth", cloths.len()), ("rope", ropes.len()), ("solid", solids.len())];
        let places = places.into_iter().flat_map(|(key, count)| (0..count).map(move |n| (key, n)));
        let places: Vec<(&str, usize)> = places.collect();
        let names = cloths.iter().chain(ropes).chain(solids).copied();
        refuse_duplicates(names, |number| at.at(places[number].0).at(places[number].1));
    }
}

impl Scene {
    /// Refuses a simulation that does not know solids or enclosed volumes, if there are any.
    fn check_volumes(&self, at: &Place<'_>) {
        let settings = &self.simulation.settings;
        let of_solids = (!self.solids.is_empty())
            .then(|| solid_mismatch(settings.solver, &at.at("solid").at(0).to_string()))
            .flatten();
        let closed = self.cloths.iter().position(|cloth| cloth.volume.is_some());
        let of_volumes = closed.map(|number| {
            let key = at.at("cloth").at(number).at("volume").to_string();
            volume_mismatches(settings, &key)
        });
        // The same key with another remedy would be no help.
        let found = of_solids.map_or_else(|| of_volumes.unwrap_or_default(), |found| vec![found]);
        found.iter().for_each(|found| at.at("simulation").refuse_mismatch(found));
    }

    /// Refuses contact between cloths that is asked for under a solver without it.
    fn check_contact(&self, at: &Place<'_>) {
        if self.contact.self_contact == Some(true) {
            let found = meeting_mismatch(self.simulation.settings.solver, "self", "contact between cloths");
            found.iter().for_each(|found| at.at("contact").refuse_mismatch(found));
        }
    }

    /// Refuses cloths that the camera is to make coarser while it is not said what it looks at.
    fn check_view(&self, at: &Place<'_>) {
        if self.view().is_some() {
            return;
        }
        for (number, cloth) in self.cloths.iter().enumerate() {
            if cloth.remesh.is_some_and(|settings| settings.coarsen_unseen.is_some()) {
                let place = at.at("cloth").at(number).at("remesh.coarsen_unseen");
                place.refuse(
                    format!("`{place}` needs a camera that looks at something"),
                    "give [camera] a position and a target, and a direction up that is not along them",
                );
            }
        }
    }

    /// Reads a scene file: JSON if its name ends in `.json`, TOML otherwise.
    ///
    /// # Errors
    /// If the file cannot be read, and everything that is wrong with the scene, each with its place.
    pub fn from_file(path: &Path, overrides: &[Override]) -> Result<Self, SceneError> {
        let file_error = |reason: String| SceneError::File { path: path.to_owned(), reason };
        let bytes = read_file(path).map_err(|error| file_error(format!("cannot read the scene: {error}")))?;
        let text = String::from_utf8(bytes).map_err(|error| {
            let byte = error.utf8_error().valid_up_to();
            file_error(format!("the scene is not UTF-8 text (byte {byte})"))
        })?;
        Self::from_str(&text, path, overrides)
    }

    /// Reads a scene from a text. The path names it in messages, decides between JSON and TOML by its ending, and
    /// relative paths in the scene are relative to its folder.
    ///
    /// # Errors
    /// Everything that is wrong with the scene, each with its place.
    pub fn from_str(text: &str, path: &Path, overrides: &[Override]) -> Result<Self, SceneError> {
        Self::from_source(with_settings(SceneSource::new(text, path), overrides))
    }

    /// Reads a scene from its source.
    ///
    /// # Errors
    /// Everything that is wrong with the scene, each with its place.
    pub fn from_source(source: SceneSource) -> Result<Self, SceneError> {
        let mut document = Document::parse(source)?;
        apply_all(&mut document)?;
        match read::<SceneTable>(&document) {
            Ok(table) => table.resolve(&document),
            Err(problems) => {
                let refused = refuse(problems, Vec::new());
                Err(refused.expect_err("a document that cannot be read has a problem"))
            }
        }
    }

    /// The source that the scene was read from, its text and not its file.
    pub fn source(&self) -> &SceneSource {
        &self.document.source
    }

    /// The scene with further overrides after those that it was read with. It is read anew from its source.
    ///
    /// # Errors
    /// As those of [`Scene::from_source`].
    pub fn with_overrides(&self, more: &[Override]) -> Result<Self, SceneError> {
        Self::from_source(with_settings(self.source().clone(), more))
    }

    /// One more body, read from its table. Of this scene it has settings and materials, but no bodies. `resolve` is given what
    /// was read and the place of its array.
    ///
    /// # Errors
    /// Everything that is wrong with the table.
    pub(super) fn with_one(
        &self,
        key: &str,
        table: &str,
        resolve: impl FnOnce(&SceneTable, &Place<'_>, &mut Scene),
    ) -> Result<Self, SceneError> {
        let mut document = self.document.clone();
        if let Kind::Table(entries) = &mut document.root.kind {
            entries.retain(|entry| entry.key == "materials");
        }
        apply_one(&mut document, &Override::parse(&format!("{key}.0={table}"))?)?;
        let read = read::<SceneTable>(&document);
        let read = read.map_err(|problems| refuse(problems, Vec::new()).expect_err("it cannot be read"))?;
        let mut scene = Scene {
            cloths: Vec::new(),
            ropes: Vec::new(),
            solids: Vec::new(),
            obstacles: Vec::new(),
            probes: Vec::new(),
            rope_probes: Vec::new(),
            solid_probes: Vec::new(),
            document: document.clone(),
            ..self.clone()
        };
        let check = Check::new(&document);
        resolve(&read, &check.root(), &mut scene);
        scene.warnings = check.finish()?;
        Ok(scene)
    }

    /// The scene with nothing but a cloth, by its table.
    ///
    /// # Errors
    /// Everything that is wrong with the table.
    pub(super) fn with_one_cloth(&self, table: &str) -> Result<Self, SceneError> {
        self.with_one("cloth", table, |read, at, scene| {
            let default = MaterialsTable::default();
            let library = Library::new(read.materials.as_ref().unwrap_or(&default), &at.at("materials"));
            let settings = &scene.simulation.settings;
            scene.cloths = resolve_all(&read.cloth.0, &at.at("cloth"), |table, at| {
                table.resolve(&library, settings, at)
            });
            read.refuse_named_twice(at);
            scene.check_volumes(at);
            scene.check_view(at);
        })
    }

    /// The scene with nothing but an obstacle, by its table.
    ///
    /// # Errors
    /// Everything that is wrong with the table.
    pub(super) fn with_one_obstacle(&self, table: &str) -> Result<Self, SceneError> {
        self.with_one("obstacle", table, |read, at, scene| {
            let simulation = &scene.simulation;
            let resolve = |table: &ObstacleTable, at: &Place<'_>| table.resolve(simulation, at);
            scene.obstacles = resolve_all(&read.obstacle.0, &at.at("obstacle"), resolve);
        })
    }

    /// The path that names the scene in messages.
    pub fn path(&self) -> &Path {
        &self.source().path
    }

    /// The scene as resolved, in canonical JSON: every value explicit, keys in alphabetical order, paths absolute.
    /// Reading it back gives an equal scene, from any folder.
    pub fn to_json(&self) -> serde_json::Value {
        canonical(&SceneTable::from(self))
    }

    /// The identity of the scene: the BLAKE3 hash, in hexadecimal, of the canonical JSON in which the contents of mesh
    /// files stand for their paths. The number of threads and a camera that no cloth is coarsened for do not change the
    /// result, and are left out.
    ///
    /// # Errors
    /// If a mesh file cannot be read.
    pub fn hash(&self) -> Result<String, SceneError> {
        let mut canonical = self.to_json();
        canonical["simulation"]["threads"] = serde_json::Value::Null;
        canonical["output"].as_object_mut().map(|table| table.remove("checkpoint_every"));
        let is_looked_at =
            |cloth: &SceneCloth| cloth.remesh.is_some_and(|remesh| remesh.coarsen_unseen.is_some());
        if let Some(table) = canonical.as_object_mut().filter(|_| !self.cloths.iter().any(is_looked_at)) {
            table.remove("camera");
        }
        for (number, cloth) in self.cloths.iter().enumerate() {
            if let Some((key, path)) = cloth.shape.file() {
                canonical["cloth"][number][key] = hash_file(path, key, &cloth.name)?.into();
            }
        }
        // A scene without solids has always been hashed with this key: its identity must not change.
        if self.solids.is_empty() {
            canonical["solid"] = serde_json::Value::Null;
        }
        for (number, solid) in self.solids.iter().enumerate() {
            if let Some(path) = solid.shape.file() {
                canonical["solid"][number]["mesh"] = hash_file(path, "mesh", &solid.name)?.into();
            }
        }
        for (number, obstacle) in self.obstacles.iter().enumerate() {
            if let Some(key) = obstacle.shape.file_key() {
                canonical["obstacle"][number]["shape"][key] = hash_files(obstacle)?.into();
            }
        }
        Ok(blake3::hash(canonical.to_string().as_bytes()).to_hex().to_string())
    }
}

/// A source with further overrides.
fn with_settings(mut source: SceneSource, overrides: &[Override]) -> SceneSource {
    source.settings.extend(overrides.iter().map(|setting| setting.text().to_owned()));
    source
}

/// The hash of the file of a body.
fn hash_file(path: &Path, key: &str, name: &str) -> Result<String, SceneError> {
    let bytes = read_file(path).map_err(|error| SceneError::File {
        path: path.to_owned(),
        reason: format!("cannot read the {key} of {name:?}: {error}"),
    })?;
    Ok(blake3::hash(&bytes).to_hex().to_string())
}

/// The hash of the files of an obstacle, one after the other.
fn hash_files(obstacle: &SceneObstacle) -> Result<String, SceneError> {
    let error = |path: &Path, reason| SceneError::File { path: path.to_owned(), reason };
    let files = obstacle.shape.files().map_err(|e| error(Path::new("obstacle"), e.to_string()))?;
    let mut hasher = blake3::Hasher::new();
    for path in &files {
        let bytes =
            read_file(path).map_err(|e| error(path, format!("cannot read the mesh of an obstacle: {e}")))?;
        hasher.update(blake3::hash(&bytes).as_bytes());
    }
    Ok(hasher.finalize().to_hex().to_string())
}
