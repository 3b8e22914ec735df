//! Checkpoints: the state to resume from.
//!
//! A checkpoint holds the data of a run that its scene lacks: the keyed meshes with their attributes, the time, and the
//! released pins. Broken springs are among the attributes. A run that is resumed from it gives the same bits as one that was
//! not interrupted.

use crate::derive::bodies::body_count;
use crate::derive::crossings::{PairBounds, bounds};
use crate::derive::rebuild::put_sheet;
use crate::derive::snapshot::resume;
use crate::derive::world::World;
use crate::model::setup::Setup;
use crate::model::setup::drives::Drives;
use crate::model::setup::loose::LooseVertex;
use crate::model::setup::solid::Solid;
use crate::model::state::State;
use crate::model::state::sheet::{KeyedSheet, WrittenSheet};
use serde::{Deserialize, Serialize};
use std::io::{self, Write};
use std::sync::Arc;
use taffeta_contact::MeshObstacle;
use taffeta_remesh::{Hold, validate_attributes};

/// Format of checkpoints; a change of the format changes it.
const VERSION: u32 = 20;

/// The state of a world.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Checkpoint<Sheet = KeyedSheet> {
    version: u32,
    state: State,
    /// The parts of the world that it is of.
    parts: Parts,
    /// For which motion the pairs that are near each other were collected.
    bounds: PairBounds,
    /// Motions of bodies that a caller has set.
    drives: Drives,
    sheet: Sheet,
}

/// Why a checkpoint cannot be used.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum CheckpointError {
    /// The bytes are no checkpoint.
    #[error("the checkpoint is damaged: {0}")]
    Damaged(String),
    /// It was written by another version.
    #[error("the checkpoint has format {found}, but this program reads format {expected}")]
    Version {
        /// Format found.
        found: u32,
        /// Format expected.
        expected: u32,
    },
    /// It belongs to another world, of other bodies.
    #[error(
        "the checkpoint is of another scene or world: it has {found}, but this world has {expected}; restore it in a world \
         with the same bodies, obstacles and pins, added and removed in the same order"
    )]
    OtherWorld {
        /// Part of the checkpoint that differs, in words.
        found: String,
        /// The corresponding part of the world, in words.
        expected: String,
    },
}

/// Parts of a world by kind, in its order: what a world must have in common with a checkpoint.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
struct Parts {
    cloths: Vec<String>,
    /// Loose bodies by name, with the number of their vertices.
    bodies: Vec<(String, usize)>,
    obstacles: Vec<String>,
    /// Obstacles made of triangles by name, with the number of their vertices.
    meshes: Vec<(String, usize)>,
    /// Solids by name, with the number of their vertices.
    solids: Vec<(String, usize)>,
    pins: Vec<String>,
    /// Seams: the number of the cloth of each, and how many pairs it has.
    seams: Vec<(usize, usize)>,
}

impl Parts {
    fn of(world: &World) -> Self {
        let Setup { cloths, bodies, obstacles, meshes, solids, pins, seams, .. } = &world.setup;
        let size = |number: usize| world.state.sheet.vertex_range((cloths.len() + number) as u32).len();
        Self {
            cloths: cloths.iter().map(|cloth| cloth.name.clone()).collect(),
            bodies: bodies.iter().enumerate().map(|(k, body)| (body.name.clone(), size(k))).collect(),
            obstacles: obstacles.iter().map(|obstacle| obstacle.name.clone()).collect(),
            meshes: meshes.iter().map(|mesh| (mesh.name.clone(), mesh.vertex_count())).collect(),
            solids: solids.iter().map(|solid| (solid.name.clone(), solid.rest.len())).collect(),
            pins: pins.iter().map(|pin| pin.description.name.clone()).collect(),
            seams: seams.iter().map(|seam| (seam.cloth, seam.pair_count())).collect(),
        }
    }

    /// Each kind in words, those with names first.
    fn describe(&self) -> [String; 7] {
        let sized = |(name, count): &(String, usize)| format!("{} of {count} vertices", called(name));
        let sewn = |(cloth, pairs): &(usize, usize)| match self.cloths.get(*cloth) {
            Some(name) => format!("{pairs} pairs in {name}"),
            None => format!("{pairs} pairs"),
        };
        [
            list("cloths", self.cloths.iter().map(|name| called(name))),
            list("other bodies", self.bodies.iter().map(sized)),
            list("solids", self.solids.iter().map(sized)),
            list("obstacles", self.obstacles.iter().map(|name| called(name))),
            list("mesh obstacles", self.meshes.iter().map(sized)),
            list("pins", self.pins.iter().map(|name| called(name))),
            list("seams", self.seams.iter().map(sewn)),
        ]
    }

    /// The first kind of which there are others than in the world; `None`: it is of such a world.
    fn find_difference(&self, expected: &Self) -> Option<CheckpointError> {
        if self == expected {
            return None;
        }
        let pairs = self.describe().into_iter().zip(expected.describe());
        let differing = pairs.into_iter().find(|(found, expected)| found != expected);
        differing.map(|(found, expected)| CheckpointError::OtherWorld { found, expected })
    }
}

/// A name in messages.
fn called(name: &str) -> String {
    if name.is_empty() { "one without a name".to_owned() } else { name.to_owned() }
}

/// A kind of parts and what there are of it.
fn list(kind: &str, parts: impl Iterator<Item = String>) -> String {
    let parts: Vec<String> = parts.collect();
    if parts.is_empty() { format!("no {kind}") } else { format!("the {kind} [{}]", parts.join(", ")) }
}

impl Checkpoint {
    /// Number of steps made when the checkpoint was taken.
    pub fn frame(&self) -> u64 {
        self.state.frame
    }

    /// A hash of the whole state: of everything that the rest of a run depends on, beyond the scene. Equal for runs that were
    /// interrupted any number of times and for any number of threads.
    pub fn hash(&self) -> String {
        blake3::hash(&self.to_bytes()).to_hex().to_string()
    }

    /// The checkpoint as bytes.
    pub fn to_bytes(&self) -> Vec<u8> {
        postcard::to_stdvec(self).expect("a checkpoint has no unbounded or borrowed parts")
    }

    /// Reads a checkpoint back.
    ///
    /// # Errors
    /// If the bytes are damaged or of another format.
    pub fn from_bytes(bytes: &[u8]) -> Result<Self, CheckpointError> {
        let (found, _) = postcard::take_from_bytes::<u32>(bytes).map_err(damaged)?;
        if found != VERSION {
            return Err(CheckpointError::Version { found, expected: VERSION });
        }
        postcard::from_bytes(bytes).map_err(damaged)
    }
}

/// Hashes the bytes of a state on their way to where they are written, as [`Checkpoint::hash`] does.
#[derive(Debug)]
pub struct StateHasher<W> {
    hasher: blake3::Hasher,
    next: W,
}

impl<W: Write> StateHasher<W> {
    /// In front of a writer.
    pub fn before(next: W) -> Self {
        Self { hasher: blake3::Hasher::new(), next }
    }

    /// The writer, and the hash of what went through to it.
    pub fn finish(self) -> (W, String) {
        (self.next, self.hasher.finalize().to_hex().to_string())
    }
}

impl<W: Write> Write for StateHasher<W> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        let count = self.next.write(bytes)?;
        self.hasher.update(&bytes[..count]);
        Ok(count)
    }

    fn flush(&mut self) -> io::Result<()> {
        self.next.flush()
    }
}

fn damaged(error: postcard::Error) -> CheckpointError {
    CheckpointError::Damaged(error.to_string())
}

/// The state to resume from.
pub(crate) fn checkpoint(world: &World) -> Checkpoint {
    checkpoint_of(world, world.state.sheet.to_keyed(&world.state.motion))
}

/// Writes the [bytes](Checkpoint::to_bytes) of a [checkpoint](Self::checkpoint), of which only parts are in memory.
///
/// # Errors
/// If they cannot be written.
pub(crate) fn write_checkpoint(world: &World, out: impl Write) -> io::Result<()> {
    let checkpoint = checkpoint_of(world, WrittenSheet(&world.state.sheet, &world.state.motion));
    let mut out = KeptError { out, error: None };
    let written = postcard::to_io(&checkpoint, &mut out).map(drop);
    written.map_err(|error| out.error.unwrap_or_else(|| io::Error::other(error)))
}

/// A writer that keeps its error, of which the serializer only says that its buffer is full.
struct KeptError<W> {
    out: W,
    error: Option<io::Error>,
}

impl<W> KeptError<W> {
    fn keep<T>(&mut self, result: io::Result<T>) -> io::Result<T> {
        result.map_err(|error| {
            let kind = error.kind();
            self.error = Some(error);
            kind.into()
        })
    }
}

impl<W: Write> Write for KeptError<W> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        let result = self.out.write(bytes);
        self.keep(result)
    }

    fn flush(&mut self) -> io::Result<()> {
        let result = self.out.flush();
        self.keep(result)
    }
}

/// The [hash](Checkpoint::hash) of a [checkpoint](Self::checkpoint), of which only parts are in memory.
pub(crate) fn checkpoint_hash(world: &World) -> String {
    let mut stream = io::BufWriter::new(StateHasher::before(io::sink()));
    write_checkpoint(world, &mut stream).expect("a sink takes everything");
    stream.into_inner().expect("a sink takes everything").finish().1
}

fn checkpoint_of<Sheet>(world: &World, sheet: Sheet) -> Checkpoint<Sheet> {
    Checkpoint {
        version: VERSION,
        state: world.state.clone(),
        parts: Parts::of(world),
        bounds: bounds(world),
        drives: Drives::of(&world.setup),
        sheet,
    }
}

/// Takes over the state of a checkpoint of the same scene.
///
/// # Errors
/// If the checkpoint is of another world or its content makes no sense; the world is then unchanged.
pub(crate) fn restore(world: &mut World, checkpoint: Checkpoint) -> Result<(), CheckpointError> {
    if let Some(difference) = checkpoint.parts.find_difference(&Parts::of(world)) {
        return Err(difference);
    }
    check_content(world, &checkpoint).map_err(CheckpointError::Damaged)?;
    // The present sheet stays until the other one has taken its place, so that the numbers of topologies go on.
    world.state = State { sheet: Arc::clone(&world.state.sheet), ..checkpoint.state };
    checkpoint.drives.put(&mut world.setup);
    world.workspace.placed.forget();
    // They are of the sheet that is put in place, not of the one before.
    let looks = std::mem::take(&mut world.state.looks);
    put_sheet(&world.setup, &mut world.state, &mut world.epoch, checkpoint.sheet);
    world.state.looks = looks;
    resume(world, checkpoint.bounds);
    Ok(())
}

/// Checks that the mesh is valid and that its attributes fit it and this world.
fn check_content(world: &World, checkpoint: &Checkpoint) -> Result<(), String> {
    let KeyedSheet { mesh, attributes, loose, .. } = &checkpoint.sheet;
    mesh.validate().map_err(|e| e.to_string())?;
    validate_attributes(mesh, attributes).map_err(|e| e.to_string())?;
    let has_surface = |solid: &Solid| solid.keys.iter().all(|key| attributes.vertices.contains_key(*key));
    if let Some(solid) = world.setup.solids.iter().find(|solid| !has_surface(solid)) {
        return Err(format!("the surface of the solid {} is not that of the world", solid.name));
    }
    let Setup { cloths, pins, obstacles, meshes, .. } = &world.setup;
    let counts = [cloths.len(), body_count(&world.setup), pins.len(), obstacles.len() + meshes.len()];
    if let Some(reason) = checkpoint.state.find_defect(counts) {
        return Err(reason);
    }
    if !checkpoint.state.loads.is_sound(world.setup.obstacles.len() + world.setup.meshes.len()) {
        return Err("what its obstacles have borne is not of all of them, or not finite".to_owned());
    }
    if let Some(reason) = checkpoint.drives.find_defect(&world.setup) {
        return Err(reason);
    }
    if let Some((_, face)) =
        attributes.faces.iter().find(|(_, f)| f.cloth as usize >= world.setup.cloths.len())
    {
        return Err(format!("a face belongs to cloth {}", face.cloth));
    }
    if let Some(reason) = checkpoint.sheet.sewing.find_defect(&world.setup.seams, &checkpoint.sheet) {
        return Err(reason);
    }
    let obstacles: usize = world.setup.meshes.iter().map(MeshObstacle::vertex_count).sum();
    let counts = checkpoint.sheet.vertex_counts(world.setup.cloths.len(), body_count(&world.setup));
    if !checkpoint.bounds.are_sound(&counts, obstacles) {
        return Err("what it expects of its vertices is not of all of them, or not finite".to_owned());
    }
    let kept: Vec<u32> = loose.iter().map(|vertex| vertex.body).collect();
    let first = world.state.sheet.topology.surface_vertex_count();
    let bodies = world.state.sheet.vertex_cloths.raw[first..]
        .iter()
        .map(|body| body - world.setup.cloths.len() as u32);
    if !bodies.eq(kept.iter().copied()) {
        return Err(format!("its {} loose vertices are not those of the world", kept.len()));
    }
    let is_held = |v: &LooseVertex| v.hold.as_ref().is_none_or(Hold::is_sound);
    let is_sound =
        |v: &LooseVertex| v.position.is_finite() && v.velocity.is_finite() && v.mass > 0.0 && is_held(v);
    if let Some(vertex) = loose.iter().position(|v| !is_sound(v)) {
        return Err(format!("loose vertex {vertex} has a state that is not finite"));
    }
    let holders = attributes.vertices.iter().filter_map(|(_, v)| v.hold);
    let mut holders = holders.chain(loose.iter().filter_map(|v| v.hold)).map(|hold| hold.pin);
    let beyond = holders.find(|pin| *pin as usize >= world.setup.pins.len());
    beyond.map_or(Ok(()), |pin| Err(format!("a vertex is held by pin {pin}")))
}
