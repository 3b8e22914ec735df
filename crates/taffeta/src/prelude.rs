//! The types of a simulation of one's own, for `use taffeta::prelude::*`.
//!
//! ```
//! use taffeta::prelude::*;
//!
//! // A square of 1 m, held by two corners.
//! let corners = [DVec2::ZERO, DVec2::X, DVec2::ONE, DVec2::Y];
//! let mut mesh = TriangleMesh {
//!     positions: corners.iter().map(|u| u.extend(0.0)).collect(),
//!     faces: vec![[0, 1, 2], [0, 2, 3]],
//!     ..TriangleMesh::default()
//! };
//! mesh.set_vertex_material(&corners);
//! let mut cloth = ClothDescription::new("flag", mesh, Material::isotropic(0.2, 2000.0, 0.3, 5e-5));
//! cloth.pins.push(PinDescription::new(Region::Vertices(vec![0, 3])));
//! let mut world = World::build(&WorldDescription { cloths: vec![cloth], ..WorldDescription::default() })?;
//! world.step(&StepInputs::default(), 1.0 / 60.0)?;
//! assert!(world.mesh(0).positions[1].y < 0.0, "it falls");
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

pub use glam::{DMat3, DQuat, DVec2, DVec3};
pub use taffeta_contact::{MeshObstacle, Obstacle, Shape};
pub use taffeta_core::{Friction, Keyframe, KeyframedMotion, Placement, Pose, Region, TriangleMesh};
pub use taffeta_remesh::RemeshSettings;
pub use taffeta_sim::{
    Air, BodyPoint, BuildError, ClothDescription, ClothId, ClothView, Grab, Material, Mode, ObstacleId,
    ObstacleLoad, Origin, PanelPoint, PinDescription, PinId, SimulationSettings, SolverChoice, StepError,
    StepInputs, StepReport, VertexName, World, WorldDescription, WorldSnapshot, queries,
};
