//! The Python package of the Taffeta cloth simulator: what of it is compiled.
//!
//! ```text
//! scene ──► world ──► cloth, rope, moved ──► arrays  (numpy views of a state that keep it alive)
//!             ├─► stepping, many                (worlds leave their slots for a step; the interpreter is free)
//!             └─► render
//! run, remesh, program                          (commands of the program, without its terminal)
//! textile                                       (tests of materials)
//! errors                                        (exceptions, defined in `taffeta/_errors.py`)
//! ```
//!
//! A world is in its slot, or away for a step: a second thread that asks for it then gets an exception and does not wait.
//! Python code runs on the thread that called it and on no other: callbacks and signal handlers too.

mod arrays;
mod board;
mod cloth;
mod convert;
mod errors;
mod grabs;
mod handle;
mod input;
mod many;
mod members;
mod moved;
mod program;
mod remesh;
mod render;
mod report;
mod result;
mod rope;
mod run;
mod scene;
mod slot;
mod spelling;
mod stepping;
mod teleport;
mod textile;
mod topology;
mod view;
mod world;

use pyo3::prelude::*;

/// The compiled part of the package.
#[pymodule]
mod _taffeta {
    use pyo3::prelude::*;

    #[pymodule_export]
    use crate::arrays::Owner;
    #[pymodule_export]
    use crate::board::Substep;
    #[pymodule_export]
    use crate::cloth::Cloth;
    #[pymodule_export]
    use crate::grabs::Grab;
    #[pymodule_export]
    use crate::many::Crew;
    #[pymodule_export]
    use crate::many::{step_worlds, time_steps};
    #[pymodule_export]
    use crate::moved::{Obstacle, Pin};
    #[pymodule_export]
    use crate::program::run_program;
    #[pymodule_export]
    use crate::remesh::remesh;
    #[pymodule_export]
    use crate::render::{encode_png, render_result, render_world};
    #[pymodule_export]
    use crate::report::StepReport;
    #[pymodule_export]
    use crate::result::{list_frames, read_frame};
    #[pymodule_export]
    use crate::rope::Rope;
    #[pymodule_export]
    use crate::run::run_scene;
    #[pymodule_export]
    use crate::scene::Scene;
    #[pymodule_export]
    use crate::slot::World;
    #[pymodule_export]
    use crate::textile::drape_material;
    #[pymodule_export]
    use crate::view::View;
    #[pymodule_export]
    use crate::world::Snapshot;

    /// Attributes of reports, one for each column.
    #[pymodule_init]
    fn init(module: &Bound<'_, PyModule>) -> PyResult<()> {
        crate::report::add_attributes(module)
    }

    /// Version of the package.
    #[pymodule_export]
    #[allow(non_upper_case_globals)]
    const __version__: &str = env!("CARGO_PKG_VERSION");
}
