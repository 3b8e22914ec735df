//! The world: state, steps, remeshing schedule and reports.
//!
//! ```text
//! WorldDescription ──World::build──► World ──World::step──► StepReport
//!
//! step:  before the first step     look ahead and adapt the mesh
//!        for each substep          predict → detect → solve → secure → finish;  rollback and retry on failure
//!        measure                   energies, momenta, residual
//!        close seams
//!        if a pass is due          Sheet::to_keyed → remesh → into_dense        (epoch + 1)
//!
//! World::equilibrate:  the equilibrium, without passing time
//! ```
//!
//! | data | type | lifetime |
//! |---|---|---|
//! | bodies, laws, settings | `Setup` | the world; setters change it |
//! | topology, keys, layout | [`Sheet`] | until the next edit |
//! | positions, velocities, history, rest shape | [`DenseState`] | changes in every substep |
//! | elements, solver, broad phase | `Derived` | until the next edit; rebuilt from the other three |
//!
//! Only this crate knows both the keyed mesh and the dense arrays. Solvers and contact read the dense form, [`Sheet`] and
//! [`DenseState`]. Remeshing, tears and seams edit the keyed form, [`KeyedSheet`]. [`Sheet::to_keyed`] copies the dense form into the
//! keyed one. `KeyedSheet::into_dense` consumes the keyed form and returns a new sheet with the next epoch, so an edited mesh is never
//! stepped with old arrays.
//!
//! The methods of [`World`] are in `api::world`; questions that only read a world are functions of [`queries`].

#![forbid(unsafe_code)]

mod adapt;
mod api;
mod build;
pub mod columns;
mod contact;
mod derive;
mod features;
mod measure;
mod model;
mod run;
mod step;

pub use api::checkpoint::{Checkpoint, CheckpointError, StateHasher};
pub use api::queries;
pub use api::snapshot::WorldSnapshot;
pub use build::checks::find_opening;
pub use build::seams::pair::pair_seams;
pub use build::world::MAX_THREADS;
pub use contact::forced::QuarantinedPair;
pub use derive::world::World;
pub use features::grabs::SubstepStart;
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
pub use model::report::stop_token::StopToken;
pub use model::report::{
    ForcedMeeting, Metrics, RemeshCounts, RemeshJumps, Rough, SafeguardReport, StepReport, SubstepPlan,
    TearCounts,
};
pub use model::setup::Cloth;
pub use model::setup::loose::{LooseBody, LooseVertex};
pub use model::setup::seams::Sewing;
pub use model::setup::solid::Solid;
pub use model::setup::solid_locator::{SolidLocator, SolidPlace};
pub use model::state::dense::DenseState;
pub use model::state::sheet::{KeyedSheet, Sheet, VertexName};
pub use taffeta_core::{PanelError, PanelPoint};
pub use taffeta_remesh::Origin;
pub use taffeta_solve::{
    BendingModel, Compression, Material, MembraneModel, MembraneScaling, ProjectionStiffness, RopeBending,
    RopeMaterial, RowForce, SolidMaterial, StiffnessCorrection, Tearing,
};
