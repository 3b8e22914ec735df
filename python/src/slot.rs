//! Worlds in their slots.
//!
//! A world is in its slot, where it is looked at, or away for something that takes its time. A second thread that asks for it
//! meanwhile gets an exception at once.

use crate::errors::error;
use crate::topology::Topologies;
use pyo3::prelude::*;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use taffeta_scene::Scene as SimScene;
use taffeta_sim::World as SimWorld;

/// State of the slot.
enum Slot {
    Ready(Box<SimWorld>),
    /// Another thread has it, for what.
    Away(&'static str),
    /// Its last operation has panicked.
    Lost,
}

/// A simulated world. One thread at a time uses it.
#[pyclass(frozen, module = "taffeta")]
pub(crate) struct World {
    slot: Mutex<Slot>,
    scene: Arc<SimScene>,
    topologies: Topologies,
}

/// A world that is away from its slot. It goes back when this is dropped, unless the thread panics.
pub(crate) struct Away<'a> {
    owner: &'a World,
    world: Option<Box<SimWorld>>,
}

impl Away<'_> {
    pub(crate) fn world(&mut self) -> &mut SimWorld {
        self.world.as_mut().expect("it is here until it is dropped")
    }
}

impl Drop for Away<'_> {
    fn drop(&mut self) {
        let back = match self.world.take() {
            Some(world) if !std::thread::panicking() => Slot::Ready(world),
            _ => Slot::Lost,
        };
        *self.owner.lock() = back;
    }
}

impl World {
    pub(crate) fn new(world: SimWorld, scene: Arc<SimScene>) -> Self {
        let slot = Mutex::new(Slot::Ready(Box::new(world)));
        Self { slot, scene, topologies: Topologies::default() }
    }

    pub(crate) fn scene_of(&self) -> &Arc<SimScene> {
        &self.scene
    }

    fn lock(&self) -> MutexGuard<'_, Slot> {
        self.slot.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Lets `look` look at the world, or change it in no time. It must not call Python: other threads of the interpreter
    /// would wait for the slot with nobody to run them.
    pub(crate) fn with<R>(&self, py: Python<'_>, look: impl FnOnce(&mut SimWorld) -> R) -> PyResult<R> {
        let found = match &mut *self.lock() {
            Slot::Ready(world) => Ok(look(world)),
            Slot::Away(doing) => Err(Some(*doing)),
            Slot::Lost => Err(None),
        };
        found.map_err(|doing| refuse(py, doing))
    }

    /// Takes the world away for something that takes its time.
    pub(crate) fn take(&self, py: Python<'_>, doing: &'static str) -> PyResult<Away<'_>> {
        let found = {
            let mut slot = self.lock();
            match std::mem::replace(&mut *slot, Slot::Away(doing)) {
                Slot::Ready(world) => Ok(Away { owner: self, world: Some(world) }),
                other => {
                    *slot = other;
                    Err(if let Slot::Away(doing) = &*slot { Some(*doing) } else { None })
                }
            }
        };
        found.map_err(|doing| refuse(py, doing))
    }

    /// Faces and material coordinates of the cloths, as they were last asked for.
    pub(crate) fn topologies(&self) -> &Topologies {
        &self.topologies
    }
}

/// The exception of a world that another thread uses, for what; `None`: that is lost.
fn refuse(py: Python<'_>, doing: Option<&str>) -> PyErr {
    let text = match doing {
        Some(doing) => format!(
            "another thread is using this world to {doing}: wait until it is done, or give each thread a world of its own \
             (scene.build())"
        ),
        None => {
            "this world was lost in an internal error: build it anew and restore a saved state".to_owned()
        }
    };
    error(py, "WorldBusyError", text)
}
