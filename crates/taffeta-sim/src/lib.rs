//! The world: state, steps, remeshing schedule and reports.
//!
//! ```text
//! WorldDescription ──build──► World ──step──► StepReport
//!
//! step:  for each substep   predict → detect → solve → secure → finish   → guard
//!        if a pass is due   thaw → remesh → freeze              (epoch + 1)
//!        measure
//!
//! equilibrate:  the world at rest, without passing time
//! ```
//!
//! Only this crate knows both the keyed mesh and the dense arrays, and one of them has the authority at a time: while
//! simulating, positions and velocities are dense ([`Sheet`]); while remeshing they are keyed ([`Thawed`]). `thaw` and
//! `freeze` consume their receiver, so a stale array cannot be named.

#![forbid(unsafe_code)]

mod accuracy;
mod air;
pub mod ask;
mod bound;
mod breaking;
mod build;
mod caches;
mod change;
pub mod checkpoint;
mod checks;
mod collide;
pub mod description;
mod door;
mod effort;
mod enclosed;
mod equilibrium;
mod fields;
mod follow;
mod gate;
mod grab;
mod grips;
mod integrate;
mod jumps;
mod layout;
mod ledger;
mod loose;
mod measure;
mod mesh_obstacles;
mod motion;
mod newton;
mod outlook;
mod pinched;
mod pins;
mod plastic;
mod pressure;
mod projective;
mod rebuild;
pub mod report;
mod resample;
mod rest;
mod rope;
mod safeguard;
mod schedule;
mod scratch;
pub mod seams;
mod setup;
mod sheet;
mod smooth;
mod solid;
mod solid_locator;
mod solver_facts;
mod stage;
mod stages;
mod state;
mod step;
mod stiffness;
mod surroundings;
mod tearing;
mod watch;
mod world;

pub use build::{BuildError, MAX_THREADS};
pub use checkpoint::{Checkpoint, CheckpointError};
pub use collide::{EnclosedCloth, SunkenCloth};
pub use description::{
    ACCURACIES, ACCURACY_RANGE, Air, ClothDescription, EnclosedDescription, LooseDescription, Mode,
    PinDescription, RopeDescription, SimulationSettings, SolidDescription, SolverChoice, TimeIntegration,
    WorldDescription, knows_rest_curvature,
};
pub use enclosed::{EnclosedState, find_opening};
pub use grab::{Grab, Lead};
pub use jumps::FaceJumps;
pub use loose::{LooseBody, LooseVertex};
pub use motion::Motion;
pub use report::{Metrics, RemeshCounts, StepReport, SubstepPlan, TearCounts};
pub use resample::MaterialPoint;
pub use safeguard::{ForcedMeeting, QuarantinedPair, SafeguardReport};
pub use seams::{SeamDefect, SeamDescription, SeamError, SeamReport, SeamSides, Sewing, pair_seams};
pub use setup::Cloth;
pub use sheet::{Sheet, Thawed};
pub use solid::Solid;
pub use solid_locator::{SolidLocator, SolidPlace};
pub use stage::{Stage, StageTimes};
pub use step::{StepError, StepInputs};
pub use taffeta_solve::{
    BendingModel, Compression, Material, MembraneModel, MembraneScaling, ProjectionStiffness, RopeBending,
    RopeMaterial, RowForce, SolidMaterial, StiffnessCorrection, Tearing,
};
pub use watch::Watch;
pub use world::World;
