//! Description of a world: the plain input from which [`World`](crate::World) is built.

pub(crate) mod body_point;
pub(crate) mod capabilities;
pub(crate) mod grabs;
pub(crate) mod ids;
pub(crate) mod inputs;
pub mod rules;

pub(crate) use capabilities::SolverChoice;

use glam::DVec3;
use serde::{Deserialize, Serialize};
use taffeta_contact::{ContactSurface, MeshObstacle, Obstacle};
use taffeta_core::{KeyframedMotion, Region, TriangleMesh};
use taffeta_remesh::{RemeshSettings, View};
use taffeta_solve::{
    BendingModel, Compression, Material, MembraneModel, MembraneScaling, ProjectionStiffness, RopeBending,
    RopeMaterial, SolidMaterial,
};

/// A whole world at time 0. By default it is what an empty scene file is: air at rest, and cloths that meet themselves and
/// each other.
#[derive(Clone, Debug, PartialEq)]
pub struct WorldDescription {
    /// The cloths.
    pub cloths: Vec<ClothDescription>,
    /// The bodies of vertices that belong to no face.
    pub loose: Vec<LooseDescription>,
    /// The ropes.
    pub ropes: Vec<RopeDescription>,
    /// The solids.
    pub solids: Vec<SolidDescription>,
    /// The obstacles in closed form.
    pub obstacles: Vec<Obstacle>,
    /// The obstacles made of triangles.
    pub mesh_obstacles: Vec<MeshObstacle>,
    /// Settings of the simulation.
    pub simulation: SimulationSettings,
    /// The surrounding air; `None`: vacuum.
    pub air: Option<Air>,
    /// True if cloths meet themselves and each other; `None`: where the solver [supports
    /// it](crate::Capabilities::meetings).
    pub self_contact: Option<bool>,
    /// Contact thickness of all cloths \[m\]; `None`: from the material.
    pub contact_thickness: Option<f64>,
    /// The camera, for cloths that may be coarser where it does not see them
    /// ([`RemeshSettings::coarsen_unseen`](taffeta_remesh::RemeshSettings::coarsen_unseen)).
    pub view: Option<View>,
    /// Motion of the camera; it turns about its target.
    pub view_motion: KeyframedMotion,
}

impl Default for WorldDescription {
    fn default() -> Self {
        Self { air: Some(Air::default()), self_contact: None, ..Self::bare() }
    }
}

impl WorldDescription {
    /// A world in which nothing acts but gravity: a vacuum, in which cloths go through each other.
    pub fn bare() -> Self {
        Self {
            cloths: Vec::new(),
            loose: Vec::new(),
            ropes: Vec::new(),
            solids: Vec::new(),
            obstacles: Vec::new(),
            mesh_obstacles: Vec::new(),
            simulation: SimulationSettings::default(),
            air: None,
            self_contact: Some(false),
            contact_thickness: None,
            view: None,
            view_motion: KeyframedMotion::default(),
        }
    }

    /// Returns whether cloths meet themselves and each other.
    pub fn has_self_contact(&self) -> bool {
        self.self_contact.unwrap_or(self.simulation.solver.capabilities().meetings)
    }
}

/// One cloth at time 0.
#[derive(Clone, Debug, PartialEq)]
pub struct ClothDescription {
    /// Name, unique in the world.
    pub name: String,
    /// The mesh at time 0, placed in the world.
    pub mesh: TriangleMesh,
    /// Numbers by which [`ClothView::vertex_names`](crate::ClothView::vertex_names) calls the first vertices of the mesh, as
    /// those of a file, increasing; further ones have none. `None`: all by their numbers in the mesh.
    pub vertex_names: Option<Vec<u32>>,
    /// Names of the panels, in the order of [`TriangleMesh::panels`]. Empty: they have none.
    pub panel_names: Vec<String>,
    /// The material.
    pub material: Material,
    /// Initial velocity \[m/s\].
    pub velocity: DVec3,
    /// Initial angular velocity about the center of mass \[rad/s\].
    pub angular_velocity: DVec3,
    /// Pressure along the face normals, following them \[Pa\].
    pub pressure: f64,
    /// Curvature at rest `κ_uu, κ_vv, κ_uv` \[1/m\] of a cloth with material coordinates, positive for a bowl that
    /// opens along the face normals. Only for bending models that know curvature or angles.
    pub rest_curvature: [f64; 3],
    /// The volume that it keeps if it is closed; where [`solids`](crate::Capabilities::solids). `None`: it keeps none.
    pub volume: Option<EnclosedDescription>,
    /// The pins.
    pub pins: Vec<PinDescription>,
    /// Seams that are sewn together while the cloth is simulated. Only with material coordinates, and where the
    /// solver has [`seams`](crate::Capabilities::seams).
    pub seams: Vec<SeamDescription>,
    /// Remeshing; `None`: fixed topology.
    pub remesh: Option<RemeshSettings>,
    /// Constraint of a triangle, or springs along the edges for solvers that take scalar rows.
    pub membrane: MembraneModel,
    /// Scaling of that constraint; other than by area only where
    /// [`membrane_forms`](crate::Capabilities::membrane_forms).
    pub scaling: MembraneScaling,
    /// Compression that a triangle bears; other than full only for [`MembraneModel::Strain`], scaled by area, where
    /// [`buckling`](crate::Capabilities::buckling).
    pub compression: Compression,
    /// Constraint of an inner edge.
    pub bending: BendingModel,
    /// The force along an edge above which its spring lets go, and its hinge with it \[N\]; for
    /// [`MembraneModel::Distance`] under the solver `xpbd`, without remeshing. `None`: at no force.
    pub break_force: Option<f64>,
    /// Stiffness under position-based dynamics; other solvers take the stiffness from the material.
    pub projection: ProjectionStiffness,
}

/// Vertices that belong to no face, at time 0. By themselves they are point masses.
#[derive(Clone, Debug, PartialEq)]
pub struct LooseDescription {
    /// Name, unique in the world.
    pub name: String,
    /// Positions at time 0, placed in the world \[m\].
    pub positions: Vec<DVec3>,
    /// Mass of each vertex \[kg\].
    pub masses: Vec<f64>,
    /// Positions in the rest shape \[m\], which say how large the body is; `None`: as at time 0.
    pub layout: Option<Vec<DVec3>>,
    /// Contact of the vertices with obstacles.
    pub surface: ContactSurface,
    /// Initial velocity \[m/s\].
    pub velocity: DVec3,
    /// Initial angular velocity about the center of mass \[rad/s\].
    pub angular_velocity: DVec3,
    /// The pins, whose regions name vertices or a box of the world.
    pub pins: Vec<PinDescription>,
}

/// One rope at time 0, at rest in the shape in which it comes.
#[derive(Clone, Debug, PartialEq)]
pub struct RopeDescription {
    /// Name, unique in the world.
    pub name: String,
    /// The vertices along the rope at time 0, placed in the world \[m\]: at least three.
    pub points: Vec<DVec3>,
    /// Radius: the distance that the middle of the rope keeps from obstacles \[m\].
    pub radius: f64,
    /// The material.
    pub material: RopeMaterial,
    /// Bending model.
    pub bending: RopeBending,
    /// Normal of a plane in which the rope lies and its turning angles have signs; `None`: it bends in space.
    pub plane: Option<DVec3>,
    /// Curvature at rest about the normal of the plane \[1/m\]; `None`: that of the shape at time 0.
    pub rest_curvature: Option<f64>,
    /// Stiffness under position-based dynamics; other solvers take the stiffness from the material.
    pub projection: ProjectionStiffness,
    /// Initial velocity \[m/s\].
    pub velocity: DVec3,
    /// Initial angular velocity about the center of mass \[rad/s\].
    pub angular_velocity: DVec3,
    /// The pins, whose regions name vertices or a box of the world. One that clamps holds the direction of an end.
    pub pins: Vec<PinDescription>,
}

/// One solid at time 0, at rest in the shape in which it comes.
#[derive(Clone, Debug, PartialEq)]
pub struct SolidDescription {
    /// Name, unique in the world.
    pub name: String,
    /// The vertices at time 0, placed in the world \[m\]. Each belongs to a tetrahedron.
    pub positions: Vec<DVec3>,
    /// Corners of the tetrahedra, all the same way round.
    pub tetrahedra: Vec<[u32; 4]>,
    /// The material.
    pub material: SolidMaterial,
    /// Initial velocity \[m/s\].
    pub velocity: DVec3,
    /// Initial angular velocity about the center of mass \[rad/s\].
    pub angular_velocity: DVec3,
    /// The pins, whose regions name vertices, a box of the world or the whole surface.
    pub pins: Vec<PinDescription>,
}

/// The volume that every closed component of a cloth keeps.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct EnclosedDescription {
    /// The volume relative to that at time 0 of the cloth, when it comes into the world.
    pub ratio: f64,
    /// Time in which the volume goes from that at time 0 of the cloth to the one asked for \[s\].
    pub inflation: f64,
    /// Bulk modulus of what is inside \[Pa\]; `None`: it cannot be compressed.
    pub bulk: Option<f64>,
}

impl WorldDescription {
    /// Returns whether there are volumes inside closed cloths, which only some solvers know
    /// ([`volumes`](crate::Capabilities::volumes)). Then the program takes the solver that sweeps over the blocks.
    pub fn needs_sweeps(&self) -> bool {
        self.cloths.iter().any(|cloth| cloth.volume.is_some())
    }
}

/// Returns whether a bending model can have a curvature at rest: it must know curvature or angles.
pub fn knows_rest_curvature(bending: BendingModel) -> bool {
    match bending {
        BendingModel::Curvature | BendingModel::Averaged | BendingModel::Hinge => true,
        BendingModel::Quadratic | BendingModel::MeanCurvature | BendingModel::None => false,
    }
}

impl ClothDescription {
    /// A free cloth at rest with fixed topology.
    pub fn new(name: impl Into<String>, mesh: TriangleMesh, material: Material) -> Self {
        Self {
            name: name.into(),
            mesh,
            vertex_names: None,
            panel_names: Vec::new(),
            material,
            velocity: DVec3::ZERO,
            angular_velocity: DVec3::ZERO,
            pressure: 0.0,
            volume: None,
            rest_curvature: [0.0; 3],
            pins: Vec::new(),
            seams: Vec::new(),
            remesh: None,
            membrane: MembraneModel::default(),
            scaling: MembraneScaling::default(),
            compression: Compression::default(),
            bending: BendingModel::default(),
            break_force: None,
            projection: ProjectionStiffness::default(),
        }
    }

    /// Takes the constraints that a scene file gives to cloths under a solver where it says nothing.
    pub fn under(self, solver: SolverChoice) -> Self {
        Self { membrane: solver.default_membrane(), bending: solver.default_bending(), ..self }
    }
}

/// Vertices that follow a motion exactly, along the axes that the pin holds. A vertex that several pins of a cloth
/// select belongs to the first; when that one lets go, the vertex is free.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct PinDescription {
    /// Name; empty: it has none.
    pub name: String,
    /// The vertices it holds.
    pub region: Region,
    /// Their motion from the positions at time 0; rotations are about the centroid of the pinned vertices.
    pub motion: KeyframedMotion,
    /// Which world axes are held, at least one. Along the others the vertices move freely.
    pub axes: [bool; 3],
    /// Name of the obstacle that the vertices follow instead, each with its nearest point when the pin takes hold.
    pub follow: Option<String>,
    /// True if the sheet's direction along the pinned boundary is held too: that at time 0, or when the pin was added. Only for
    /// solvers that know that direction.
    pub clamp: bool,
    /// When it lets go \[s\]: a substep begins then. `None`: never. Like the times of the keyframes it counts from when the
    /// pin, or its body, comes into the world.
    pub release: Option<f64>,
    /// The total force above which it lets go \[N\], in the substep after the one that exceeds it; `None`: at no force.
    pub strength: Option<f64>,
}

impl PinDescription {
    /// A pin that holds all axes, stands still and never lets go.
    pub fn new(region: Region) -> Self {
        Self {
            name: String::new(),
            region,
            motion: KeyframedMotion::default(),
            follow: None,
            axes: [true; 3],
            clamp: false,
            release: None,
            strength: None,
        }
    }
}

impl Default for PinDescription {
    /// A pin of no region, for vertices that are named when it is [added](crate::World::add_pin).
    fn default() -> Self {
        Self::new(Region::Vertices(Vec::new()))
    }
}

/// Settings of the simulation.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct SimulationSettings {
    /// Goal of the run: the motion, by calling `World::step`, or the equilibrium, by calling `World::equilibrate`.
    pub mode: Mode,
    /// The solver.
    pub solver: SolverChoice,
    /// Time integration of the global and the direct solver.
    pub time: TimeIntegration,
    /// The error that a substep of the global and the direct solver may have, relative to the size of a body (root mean
    /// square); see [`ACCURACIES`]. It chooses substeps and tolerances, as far as nobody sets them.
    pub accuracy: f64,
    /// Error that positions may have by the steps \[m\]. It takes the place of `accuracy`, by the size of
    /// the largest body.
    pub tolerance: Option<f64>,
    /// Substeps per call of `step`; `None`: chosen automatically. One in which a pin or an obstacle does not move straight, or
    /// turns by more than 30°, or a pin lets go, is cut there.
    pub substeps: Option<u32>,
    /// Iterations per substep; `None`: chosen automatically.
    pub iterations: Option<u32>,
    /// Gravity \[m/s²\].
    pub gravity: DVec3,
    /// Gravity acts while a cloth is sewn. Otherwise there is none until all seams have closed, or are late by twice
    /// their time, and the motion until then is damped.
    pub gravity_while_sewing: bool,
    /// Rate `c` at which velocities decay as `e^(−ct)` \[1/s\].
    pub velocity_damping: f64,
    /// Threads, 256 at most; 0: all cores. The result does not depend on it.
    pub threads: usize,
}

impl Default for SimulationSettings {
    fn default() -> Self {
        Self {
            mode: Mode::Dynamic,
            solver: SolverChoice::Auto,
            time: TimeIntegration::Auto,
            accuracy: STANDARD_ACCURACY,
            tolerance: None,
            substeps: None,
            iterations: None,
            gravity: DVec3::new(0.0, -9.81, 0.0),
            gravity_while_sewing: true,
            velocity_damping: 0.0,
            threads: 0,
        }
    }
}

/// Accuracies by name: for a first look, for scenes that say nothing, and for references.
pub const ACCURACIES: [(&str, f64); 3] = [("draft", 1e-3), ("standard", STANDARD_ACCURACY), ("fine", 1e-5)];

/// Range of accuracies that may be asked for. No motion looks right with errors above a percent, and below the least
/// the solution stalls.
pub const ACCURACY_RANGE: (f64, f64) = (1e-7, 1e-2);
const STANDARD_ACCURACY: f64 = 1e-4;

/// Error of positions at the standard accuracy, relative to the size of a body. A swing of 1 m is 2.6 mm off after 40 frames.
const STANDARD_TOLERANCE: f64 = 4e-3;

/// The accuracy at which the positions of a body of some size \[m\] are right to a tolerance \[m\]. Errors of substeps are of third
/// order in their length; their sum is of second order.
pub(crate) fn accuracy_for(tolerance: f64, size: f64) -> f64 {
    let (least, most) = ACCURACY_RANGE;
    (STANDARD_ACCURACY * (tolerance / (STANDARD_TOLERANCE * size)).powf(1.5)).clamp(least, most)
}

/// The inverse of [`accuracy_for`]: how far positions of a body of some size \[m\] may be off at an accuracy \[m\].
pub(crate) fn tolerance_of(accuracy: f64, size: f64) -> f64 {
    STANDARD_TOLERANCE * size * (accuracy / STANDARD_ACCURACY).powf(1.0 / 1.5)
}

/// Goal of a run.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub enum Mode {
    /// The motion.
    #[default]
    Dynamic,
    /// The equilibrium.
    Static,
}

/// Integration of velocities and positions. The solvers `block`, `xpbd`, `pbd` and `projective` always use implicit Euler.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub enum TimeIntegration {
    /// The program chooses.
    #[default]
    Auto,
    /// Implicit Euler: first order, damps motion.
    Euler,
    /// TR-BDF2, of two stages: second order, also where something touches. Where cloth is grabbed or can tear, implicit Euler.
    TrBdf2,
}

/// The surrounding air.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct Air {
    /// Density \[kg/m³\].
    pub density: f64,
    /// Wind velocity \[m/s\].
    pub wind: DVec3,
    /// Drag coefficient: of a face for flow along its normal, of a rope for flow across it.
    pub drag: f64,
}

impl Air {
    /// Returns whether it exerts no force: without density or drag.
    pub fn is_vacuum(&self) -> bool {
        self.density == 0.0 || self.drag == 0.0
    }
}

impl Default for Air {
    fn default() -> Self {
        Self { density: 1.2, wind: DVec3::ZERO, drag: 1.0 }
    }
}

/// A seam of a cloth.
#[derive(Clone, Debug, PartialEq)]
pub struct SeamDescription {
    /// The sides that are sewn together.
    pub sides: SeamSides,
    /// Time over which the gap closes, from when the cloth comes into the world \[s\].
    pub time: f64,
    /// True if the runs may be of different lengths: the longer one is then gathered evenly.
    pub ease: bool,
}

/// The two sides of a seam.
#[derive(Clone, Debug, PartialEq)]
pub enum SeamSides {
    /// Two runs of the boundary, each by vertices along it in order. Those that are no neighbors are joined along the shorter
    /// way; a run that ends where it begins is the whole loop. Which ends belong together follows from the panels' sides.
    Runs([Vec<u32>; 2]),
    /// All of the boundary that is this close at the start \[m\], and not only beside itself.
    Near(f64),
    /// Vertices, pair by pair, with the same number of them on both sides.
    Pairs(Vec<[u32; 2]>),
}
