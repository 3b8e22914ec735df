//! Scenes.

use crate::convert::{Syntax, to_python, write_value};
use crate::errors::{error, scene_error};
use crate::slot::World;
use pyo3::exceptions::PyKeyError;
use pyo3::prelude::*;
use pyo3::types::PyDict;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};
use taffeta_cli::run::{choose_threads, refuse_world};
use taffeta_scene::{Override, Scene as SimScene, SceneSource};
use taffeta_sim::World as SimWorld;

/// Names of scenes that no file holds, as messages show them. The ending says how the text is read.
const DICT_NAME: &str = "<dict>.json";
const TEXT_NAME: &str = "<text>.toml";

/// Path, folder, text and overrides of a scene: its source as Python pickles it.
type Parts = (PathBuf, PathBuf, String, Vec<String>);

/// Cloths whose names the short text of a scene has.
const NAMED_CLOTHS: usize = 5;

/// A checked scene: what is simulated, and how.
#[pyclass(frozen, module = "taffeta")]
pub(crate) struct Scene {
    scene: Mutex<Arc<SimScene>>,
}

impl Scene {
    /// The scene as it is now.
    pub(crate) fn current(&self) -> Arc<SimScene> {
        Arc::clone(&self.scene.lock().unwrap_or_else(PoisonError::into_inner))
    }

    fn replace(&self, scene: SimScene) {
        *self.scene.lock().unwrap_or_else(PoisonError::into_inner) = Arc::new(scene);
    }

    fn of(scene: SimScene) -> Self {
        Self { scene: Mutex::new(Arc::new(scene)) }
    }

    fn change(&self, py: Python<'_>, changes: Vec<(String, Bound<'_, PyAny>)>) -> PyResult<()> {
        let scene = self.current();
        let parse = |(key, value): (String, Bound<'_, PyAny>)| {
            let text = format!("{key}={}", write_value(&value, &key, Syntax::Toml)?);
            Override::parse(&text).map_err(|error| scene_error(py, scene.path(), &error))
        };
        let overrides: Vec<Override> = changes.into_iter().map(parse).collect::<PyResult<_>>()?;
        self.replace(
            scene.with_overrides(&overrides).map_err(|error| scene_error(py, scene.path(), &error))?,
        );
        Ok(())
    }
}

/// A file name in a folder, or by itself.
fn named(base: Option<PathBuf>, name: &str) -> PathBuf {
    base.map_or_else(|| PathBuf::from(name), |base| base.join(name))
}

#[pymethods]
impl Scene {
    #[new]
    #[pyo3(signature = (content, *, base = None))]
    fn new(content: &Bound<'_, PyDict>, base: Option<PathBuf>) -> PyResult<Self> {
        let path = named(base, DICT_NAME);
        let text = write_value(content, "", Syntax::Json)?;
        let scene = SimScene::from_str(&text, &path, &[]);
        scene.map(Self::of).map_err(|error| scene_error(content.py(), &path, &error))
    }

    #[staticmethod]
    #[pyo3(signature = (path, **changes))]
    fn load(py: Python<'_>, path: PathBuf, changes: Option<&Bound<'_, PyDict>>) -> PyResult<Self> {
        if let Some(name) = changes.and_then(|changes| changes.keys().get_item(0).ok()) {
            let text =
                format!("load takes a path only, not {name}; change the scene with scene[key] = value");
            return Err(error(py, "ArrayTypeError", text));
        }
        let scene = SimScene::from_file(&path, &[]);
        scene.map(Self::of).map_err(|error| scene_error(py, &path, &error))
    }

    #[staticmethod]
    #[pyo3(signature = (text, *, base = None))]
    fn from_toml(py: Python<'_>, text: &str, base: Option<PathBuf>) -> PyResult<Self> {
        let path = named(base, TEXT_NAME);
        let scene = SimScene::from_str(text, &path, &[]);
        scene.map(Self::of).map_err(|error| scene_error(py, &path, &error))
    }

    fn __getitem__<'py>(&self, py: Python<'py>, key: &str) -> PyResult<Bound<'py, PyAny>> {
        let canonical = self.current().to_json();
        let mut value = &canonical;
        let mut so_far = String::from("the scene");
        for segment in key.split('.') {
            let child = match value {
                serde_json::Value::Array(items) => {
                    segment.parse().ok().and_then(|number: usize| items.get(number))
                }
                _ => value.get(segment),
            };
            value = child.ok_or_else(|| {
                let allowed = match value {
                    serde_json::Value::Object(entries) => {
                        format!("it has {}", entries.keys().cloned().collect::<Vec<_>>().join(", "))
                    }
                    serde_json::Value::Array(items) => format!("it has the numbers below {}", items.len()),
                    _ => "it is no table".to_owned(),
                };
                PyKeyError::new_err(format!("{key}: {so_far} has no {segment}; {allowed}"))
            })?;
            so_far = segment.to_owned();
        }
        to_python(py, value)
    }

    fn __setitem__(&self, key: String, value: Bound<'_, PyAny>) -> PyResult<()> {
        self.change(value.py(), vec![(key, value)])
    }

    /// Changes several values together: only the result must make sense.
    fn update(&self, changes: &Bound<'_, PyDict>) -> PyResult<()> {
        let changes = changes.iter().map(|(key, value)| Ok((key.extract::<String>()?, value)));
        let changes: Vec<_> = changes.collect::<PyResult<_>>()?;
        changes.first().map(|(_, value)| value.py()).map_or(Ok(()), |py| self.change(py, changes))
    }

    /// The scene as resolved: every value explicit.
    fn to_dict<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        to_python(py, &self.current().to_json())
    }

    /// A scene that is changed independently.
    fn copy(&self) -> Self {
        Self { scene: Mutex::new(self.current()) }
    }

    /// Pickles the scene as its source, so that relative paths lead to the same files in any process.
    fn __reduce__<'py>(slf: &Bound<'py, Self>) -> PyResult<(Bound<'py, PyAny>, Parts)> {
        let SceneSource { path, folder, text, settings } = slf.get().current().source().clone();
        Ok((slf.get_type().getattr("_from_parts")?, (path, folder, text, settings)))
    }

    /// The scene of a pickle.
    #[staticmethod]
    fn _from_parts(
        py: Python<'_>,
        path: PathBuf,
        folder: PathBuf,
        text: String,
        settings: Vec<String>,
    ) -> PyResult<Self> {
        let scene = SimScene::from_source(SceneSource { path: path.clone(), folder, text, settings });
        scene.map(Self::of).map_err(|error| scene_error(py, &path, &error))
    }

    fn __copy__(&self) -> Self {
        self.copy()
    }

    fn __deepcopy__(&self, _memo: &Bound<'_, PyAny>) -> Self {
        self.copy()
    }

    /// Builds the world at time 0.
    #[pyo3(signature = (threads = None))]
    fn build(&self, py: Python<'_>, threads: Option<usize>) -> PyResult<World> {
        let scene = self.current();
        build_world(py, scene, threads)
    }

    /// The file that the scene was read from, or the name that stands for it.
    #[getter]
    fn path(&self) -> PathBuf {
        self.current().path().to_owned()
    }

    /// Time between two frames.
    #[getter]
    fn frame_time(&self) -> f64 {
        self.current().simulation.frame_time()
    }

    /// Number of the last frame.
    #[getter]
    fn last_frame(&self) -> u64 {
        self.current().last_frame()
    }

    /// Identity of the scene: equal for scenes that give equal results.
    fn hash(&self, py: Python<'_>) -> PyResult<String> {
        let scene = self.current();
        scene.hash().map_err(|error| scene_error(py, scene.path(), &error))
    }

    fn __eq__(&self, other: &Self) -> bool {
        self.current().to_json() == other.current().to_json()
    }

    fn __repr__(&self) -> String {
        let scene = self.current();
        let names = scene.cloths.iter().take(NAMED_CLOTHS).map(|cloth| cloth.name.as_str());
        let mut names: Vec<&str> = names.collect();
        if scene.cloths.len() > NAMED_CLOTHS {
            names.push("…");
        }
        format!("<Scene {} with cloths [{}]>", scene.path().display(), names.join(", "))
    }
}

/// Builds the world of a scene, without the interpreter.
fn build_world(py: Python<'_>, scene: Arc<SimScene>, threads: Option<usize>) -> PyResult<World> {
    enum Refusal {
        Scene(taffeta_scene::SceneError),
        World(String, Vec<String>),
    }
    let built = py.detach(|| {
        let built = scene.assemble().map_err(Refusal::Scene)?;
        let mut warnings = built.warnings;
        let mut description = built.world;
        let asked = threads.unwrap_or(description.simulation.threads);
        description.simulation.threads = choose_threads(asked, &mut warnings);
        match SimWorld::build(&description) {
            Ok(world) => Ok((world, warnings)),
            Err(error) => {
                let text = refuse_world(scene.path(), &scene, &error).into_reason();
                Err(Refusal::World(text, warnings))
            }
        }
    });
    match built {
        Ok((world, warnings)) => {
            warn_all(py, &warnings)?;
            Ok(World::new(world, scene))
        }
        Err(Refusal::Scene(problem)) => {
            warn_all(py, problem.warnings())?;
            Err(scene_error(py, scene.path(), &problem))
        }
        Err(Refusal::World(text, warnings)) => {
            warn_all(py, &warnings)?;
            Err(error(py, "BuildError", text))
        }
    }
}

/// Gives warnings as Python does.
pub(crate) fn warn_all(py: Python<'_>, warnings: &[String]) -> PyResult<()> {
    if warnings.is_empty() {
        return Ok(());
    }
    let class = py.import("taffeta._errors")?.getattr("TaffetaWarning")?;
    let warn = py.import("warnings")?.getattr("warn")?;
    for text in warnings {
        warn.call1((text.as_str(), &class))?;
    }
    Ok(())
}

/// Why a scene that was to run has failed to be assembled, if that is why.
pub(crate) fn find_scene_error(py: Python<'_>, scene: &SimScene, path: &Path) -> Option<PyErr> {
    scene.assemble().err().map(|problem| scene_error(py, path, &problem))
}
