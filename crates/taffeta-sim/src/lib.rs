//! The world: state, steps, remeshing schedule and reports.
//!
//! ```text
//! WorldDescription ──World::build──► World ──World::step──► StepReport
//!
//! step:  before the first step     look ahead and adapt the mesh
//!        for each substep          predict → detect → solve → secure → finish;  rollback and retry on failure
//!        measure                   energies, momenta, residual
//!        close seams
//!        if a pass is due          Sheet::thaw → remesh → freeze        (epoch + 1)
//!
//! World::equilibrate:  the equilibrium, without passing time
//! ```
//!
//! | data | type | lifetime |
//! |---|---|---|
//! | bodies, laws, settings | `Setup` | the world; setters change it |
//! | topology, keys, layout | [`Sheet`] | until the next edit |
//! | positions, velocities, history, rest shape | [`Motion`] | changes in every substep |
//! | elements, solver, broad phase | `Derived` | until the next edit; rebuilt from the other three |
//!
//! Only this crate knows both the keyed mesh and the dense arrays. Solvers and contact read the dense form, [`Sheet`] and
//! [`Motion`]. Remeshing, tears and seams edit the keyed form, [`Thawed`]. [`Sheet::thaw`] copies the dense form into the
//! keyed one. `Thawed::freeze` consumes the keyed form and returns a new sheet with the next epoch, so an edited mesh is never
//! stepped with old arrays.
//!
//! The methods of [`World`] are in `door`; questions that only read a world are functions of [`ask`].

#![forbid(unsafe_code)]

mod adapt;
pub mod ask;
mod budget;
mod build;
mod change;
mod checkpoint;
pub mod columns;
mod contact;
mod derive;
mod door;
mod drive;
mod features;
mod jumps;
mod measure;
mod members;
mod model;
mod run;
mod snapshot;
mod step;
mod teleport;

pub use build::checks::find_opening;
pub use build::seams::pair::pair_seams;
pub use build::world::MAX_THREADS;
pub use checkpoint::{Checkpoint, CheckpointError, StateHasher};
pub use contact::forced::QuarantinedPair;
pub use derive::world::World;
pub use features::grabs::Lead;
pub use features::seams::threads::SeamReport;
pub use features::volumes::EnclosedState;
pub use measure::cloth_view::ClothView;
pub use measure::jumps::FaceJumps;
pub use measure::points::MaterialPoint;
pub use measure::starts::{EnclosedCloth, SunkenCloth};
pub use model::description::body_point::{BodyPoint, PointError};
pub use model::description::capabilities::{BENDINGS, CAPABILITIES, Capabilities, MEMBRANES, SolverChoice};
pub use model::description::grabs::Grab;
pub use model::description::ids::{BodyId, ClothId, ObstacleId, PinId};
pub use model::description::inputs::StepInputs;
pub use model::description::rules;
pub use model::description::{
    ACCURACIES, ACCURACY_RANGE, Air, ClothDescription, EnclosedDescription, LooseDescription, Mode,
    PinDescription, RopeDescription, SeamDescription, SeamSides, SimulationSettings, SolidDescription,
    TimeIntegration, WorldDescription, knows_rest_curvature,
};
pub use model::report::error::{BuildError, StepError};
pub use model::report::loads::ObstacleLoad;
pub use model::report::seam_error::{LENGTH_TOLERANCE as SEAM_LENGTH_TOLERANCE, SeamDefect, SeamError};
pub use model::report::stage::{Stage, StageTimes};
pub use model::report::watch::Watch;
pub use model::report::{
    ForcedMeeting, Metrics, RemeshCounts, RemeshJumps, Rough, SafeguardReport, StepReport, SubstepPlan,
    TearCounts,
};
pub use model::setup::Cloth;
pub use model::setup::loose::{LooseBody, LooseVertex};
pub use model::setup::seams::Sewing;
pub use model::setup::solid::Solid;
pub use model::setup::solid_locator::{SolidLocator, SolidPlace};
pub use model::state::motion::Motion;
pub use model::state::sheet::{Sheet, Thawed, VertexName};
pub use snapshot::WorldSnapshot;
pub use taffeta_core::{PanelError, PanelPoint};
pub use taffeta_remesh::Origin;
pub use taffeta_solve::{
    BendingModel, Compression, Material, MembraneModel, MembraneScaling, ProjectionStiffness, RopeBending,
    RopeMaterial, RowForce, SolidMaterial, StiffnessCorrection, Tearing,
};
