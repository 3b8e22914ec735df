//! Common parts of the checks: from a scene text to a world and its steps.

use glam::{DVec2, DVec3};
use std::path::{Path, PathBuf};
use taffeta_core::TriangleMesh;
use taffeta_io::write_obj;
use taffeta_scene::{Override, Scene, SceneError};
use taffeta_sim::{BuildError, StepError, StepInputs, StepReport, World, queries};
use tempfile::TempDir;

/// Why a check came to no result.
#[derive(Debug, thiserror::Error)]
pub enum CheckError {
    /// Its scene is refused.
    #[error("its scene is refused:\n{0}")]
    Scene(#[from] SceneError),
    /// Its scene makes no world.
    #[error("its scene makes no world: {0}")]
    Build(#[from] BuildError),
    /// The simulation failed.
    #[error("the simulation failed: {0}")]
    Step(#[from] StepError),
    /// A file for it cannot be written.
    #[error("cannot write {}: {reason}", path.display())]
    File {
        /// The file.
        path: PathBuf,
        /// Why not.
        reason: String,
    },
    /// The simulated state makes no sense.
    #[error("{0}")]
    Odd(String),
}

/// Surroundings of checks.
pub struct Context<'a> {
    overrides: Vec<Override>,
    note: &'a dyn Fn(&str),
    folder: TempDir,
}

impl<'a> Context<'a> {
    /// With overrides of the scenes, such as another solver, and somebody who hears of the progress.
    ///
    /// # Errors
    /// If there is no place for temporary files.
    pub fn new(overrides: Vec<Override>, note: &'a dyn Fn(&str)) -> Result<Self, CheckError> {
        let folder = tempfile::tempdir()
            .map_err(|error| CheckError::File { path: std::env::temp_dir(), reason: error.to_string() })?;
        Ok(Self { overrides, note, folder })
    }

    /// Tells what is going on.
    pub fn note(&self, text: &str) {
        (self.note)(text);
    }

    /// Reads a scene and builds its world. Meshes are those of [`Context::write_mesh`].
    pub(crate) fn experiment(&self, text: &str) -> Result<Experiment, CheckError> {
        let scene = Scene::from_str(text, &self.folder.path().join("check.toml"), &self.overrides)?;
        let world = World::build(&scene.build()?)?;
        Ok(Experiment { scene, world })
    }

    /// Reads a scene with one setting changed, `key.path=value`, and builds its world.
    pub(crate) fn varied(&self, text: &str, change: &str) -> Result<Experiment, CheckError> {
        let mut overrides = vec![Override::parse(change)?];
        overrides.extend(self.overrides.iter().cloned());
        let scene = Scene::from_str(text, &self.folder.path().join("check.toml"), &overrides)?;
        let world = World::build(&scene.build()?)?;
        Ok(Experiment { scene, world })
    }

    /// The equilibrium of a static scene. If an override makes it dynamic, its last frame.
    pub(crate) fn equilibrium(&self, text: &str) -> Result<World, CheckError> {
        let mut experiment = self.experiment(text)?;
        if experiment.scene.simulation.is_static() {
            experiment.world.equilibrate()?;
        } else {
            experiment.run_to_end()?;
        }
        Ok(experiment.world)
    }

    /// Writes a mesh for scenes under a name.
    pub(crate) fn write_mesh(&self, name: &str, mesh: &TriangleMesh) -> Result<(), CheckError> {
        let path = self.folder.path().join(name);
        let write = |path: &Path| {
            let mut file = std::fs::File::create(path)?;
            write_obj(&mut file, &mesh.positions, &mesh.faces, mesh.material.as_deref())
        };
        write(&path).map_err(|error| CheckError::File { path, reason: error.to_string() })
    }
}

/// A scene and its world.
pub(crate) struct Experiment {
    pub scene: Scene,
    pub world: World,
}

impl Experiment {
    /// Makes a step of one frame.
    pub(crate) fn step(&mut self) -> Result<StepReport, CheckError> {
        Ok(self.world.step(&StepInputs::default(), self.scene.simulation.frame_time())?)
    }

    /// Makes steps of one frame.
    pub(crate) fn run(&mut self, frames: u32) -> Result<(), CheckError> {
        (0..frames).try_for_each(|_| self.step().map(drop))
    }

    /// Makes all steps of the scene.
    pub(crate) fn run_to_end(&mut self) -> Result<(), CheckError> {
        (self.world.frame()..self.scene.last_frame()).try_for_each(|_| self.step().map(drop))
    }

    /// Makes all steps of the scene; returns a value of its start and of every frame.
    pub(crate) fn record<T>(
        &mut self,
        value: impl Fn(&Self) -> Result<T, CheckError>,
    ) -> Result<Vec<T>, CheckError> {
        let mut values = vec![value(self)?];
        while self.world.frame() < self.scene.last_frame() {
            self.step()?;
            values.push(value(self)?);
        }
        Ok(values)
    }

    /// As [`record`](Self::record), and adds the crossings of every frame.
    pub(crate) fn record_crossings<T>(
        &mut self,
        crossings: &mut usize,
        value: impl Fn(&Self) -> Result<T, CheckError>,
    ) -> Result<Vec<T>, CheckError> {
        let (values, counts): (Vec<T>, Vec<usize>) = self
            .record(|now| Ok((value(now)?, now.world.crossings().map_or(0, |crossings| crossings.len()))))?
            .into_iter()
            .unzip();
        *crossings += counts.iter().sum::<usize>();
        Ok(values)
    }

    /// World position \[m\] of a material point of the first cloth.
    pub(crate) fn at(&self, u: f64, v: f64) -> Result<DVec3, CheckError> {
        position(&self.world, u, v)
    }
}

/// World position \[m\] of a material point of the first cloth.
///
/// # Errors
/// If the cloth has no material coordinates.
pub fn position(world: &World, u: f64, v: f64) -> Result<DVec3, CheckError> {
    let found = queries::material_point(world, 0, DVec2::new(u, v));
    found.map(|point| point.position).map_err(|error| CheckError::Odd(format!("[{u}, {v}]: {error}")))
}

/// Mean world position \[m\] over a straight line in material space, by the trapezoidal rule with 65 points.
///
/// # Errors
/// If the first cloth has no material coordinates.
pub fn mean_position(world: &World, from: DVec2, to: DVec2) -> Result<DVec3, CheckError> {
    let mut sum = DVec3::ZERO;
    for i in 0..=64 {
        let at = from.lerp(to, f64::from(i) / 64.0);
        let weight = if i == 0 || i == 64 { 0.5 } else { 1.0 };
        sum += position(world, at.x, at.y)? * (weight / 64.0);
    }
    Ok(sum)
}
