//! Obstacles as tables of a scene.

use super::obstacle::{ObstacleShape, SceneObstacle};
use crate::keys::{BodyName, FilePath, Number, Positive, Vector, exactly_one};
use crate::place::Place;
use crate::scene::settings::motion::{FrictionTable, MotionTable, PlaceTable};
use crate::scene::settings::simulation::Simulation;
use glam::DVec3;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::json;
use std::path::Path;
use taffeta_contact::{Freedom, Limit, RigidBody, Shape};
use taffeta_core::Friction;
use taffeta_io::is_gltf;
use taffeta_io::mesh_file::MeshFormat;
use taffeta_io::obj::FileSequence;
use taffeta_sim::rules::{freedom_mismatch, meeting_mismatch};
use taffeta_sim::{SimulationSettings, SolverChoice};

/// The keys that say what an obstacle looks like.
const SHAPES: [&str; 6] = ["sphere", "plane", "capsule", "box", "mesh", "frames"];

/// A rigid body that the cloths meet, or a sequence of shapes.
#[derive(Debug, Serialize, Deserialize, JsonSchema)]
#[serde(rename = "obstacle", deny_unknown_fields)]
pub(crate) struct ObstacleTable {
    /// Its shape: exactly one.
    #[schemars(example = json!({ "sphere": { "radius": 0.2 } }))]
    shape: ShapeTable,
    /// Placement of the obstacle.
    #[serde(default)]
    place: PlaceTable,
    /// Motion from there.
    #[serde(default)]
    motion: MotionTable,
    /// Friction of its surface.
    #[serde(default)]
    friction: FrictionTable,
    /// Name by which a program finds it, unique among the obstacles.
    pub name: Option<BodyName>,
    /// Mass \[kg\]: it falls, and moves as cloth and other obstacles push it, in balance with them. A sphere, capsule or box, under
    /// the solver `global`. Between obstacles it meets those in closed form only.
    pub mass: Option<Positive>,
    /// Moments of inertia about its own axes \[kg·m²\]. Absent: those of a solid of even density.
    #[schemars(with = "Option<crate::keys::Fixed<Positive, 3>>")]
    pub inertia: Option<Vector>,
    /// Velocity of what has a mass at the start \[m/s\].
    pub velocity: Option<Vector>,
    /// Angular velocity of what has a mass at the start \[rad/s\].
    pub angular_velocity: Option<Vector>,
    /// Largest force with which it follows its motion \[N\]: it stops where cloth resists more, and goes on when it can. Its turns
    /// have no limit. A sphere, capsule or box, under the solver `global`.
    pub max_force: Option<Positive>,
}

impl From<&SceneObstacle> for ObstacleTable {
    fn from(obstacle: &SceneObstacle) -> Self {
        let SceneObstacle { name, shape, place, motion, friction, freedom } = obstacle;
        let body = match freedom {
            Freedom::Free(body) => Some(*body),
            _ => None,
        };
        let given = |vector: DVec3| Some(vector.into()).filter(|_| vector != DVec3::ZERO);
        Self {
            mass: body.map(|body| Number(body.mass)),
            inertia: body.and_then(|body| body.inertia).map(Vector::from),
            velocity: body.and_then(|body| given(body.velocity)),
            angular_velocity: body.and_then(|body| given(body.angular_velocity)),
            max_force: match freedom {
                Freedom::Limited(limit) => Some(Number(limit.force)),
                _ => None,
            },
            shape: shape.into(),
            place: place.into(),
            motion: motion.into(),
            friction: (*friction).into(),
            name: BodyName::of(name),
        }
    }
}

impl ObstacleTable {
    /// The obstacle, checked.
    pub(crate) fn resolve(&self, simulation: &Simulation, at: &Place<'_>) -> Option<SceneObstacle> {
        // Everything is looked at, so that all problems are noted.
        let motion = self.motion.resolve(&at.at("motion"));
        let friction = self.friction.resolve(Friction::default(), &at.at("friction"));
        let (solver, rate) = (simulation.settings.solver, simulation.frame_rate);
        let shape = self.shape.resolve(solver, rate, &at.at("shape"))?;
        if motion.keys.first().is_some_and(|key| key.time < 0.0) {
            at.warn(format!("{at}.motion has keyframes before time 0"));
        }
        let name = self.name.clone().unwrap_or_default().0;
        let freedom = self.resolve_freedom(at)?;
        let found = SceneObstacle { name, shape, place: self.place.resolve(), motion, friction, freedom };
        found.check_freedom(&simulation.settings, at)?;
        Some(found)
    }

    fn resolve_freedom(&self, at: &Place<'_>) -> Option<Freedom> {
        let keys = at.given(&["mass", "max_force"]);
        let of_bodies = at.given(&["inertia", "velocity", "angular_velocity"]);
        if keys.len() == 2 {
            at.refuse(
                format!("`{at}` has a `mass` and a `max_force`"),
                "`max_force` is for what follows its motion, `mass` for what moves by itself: leave one of them out",
            );
            return None;
        }
        if let (Some(key), None) = (of_bodies.first(), &self.mass) {
            at.refuse(
                format!("`{at}.{key}` is given without `mass`"),
                "only what has a `mass` moves by itself",
            );
            return None;
        }
        let vector = |given: Option<Vector>| given.map_or(DVec3::ZERO, Vector::get);
        Some(match (&self.mass, &self.max_force) {
            (Some(mass), _) => Freedom::Free(RigidBody {
                mass: mass.0,
                inertia: self.inertia.map(Vector::get),
                velocity: vector(self.velocity),
                angular_velocity: vector(self.angular_velocity),
            }),
            (None, Some(force)) => Freedom::Limited(Limit::new(force.0)),
            (None, None) => Freedom::Prescribed,
        })
    }
}

impl SceneObstacle {
    /// Refuses a mass or largest force that the shape, the motion or the solver does not allow.
    fn check_freedom(&self, settings: &SimulationSettings, at: &Place<'_>) -> Option<()> {
        let key = match self.freedom {
            Freedom::Prescribed => return Some(()),
            Freedom::Free(_) => "mass",
            Freedom::Limited(_) => "max_force",
        };
        let Some(obstacle) = self.closed_form() else {
            at.refuse(
                format!("`{at}.{key}` is given for a mesh"),
                "it belongs to a sphere, capsule or box; a mesh can be moved by a program in each step",
            );
            return None;
        };
        if let Some(found) = freedom_mismatch(settings, key) {
            at.refuse_mismatch(&found);
            return None;
        }
        if let Some(reason) = obstacle.find_defect() {
            at.refuse(format!("`{at}.{key}`: {reason}"), None);
            return None;
        }
        Some(())
    }
}

/// A ball around the origin.
#[derive(Debug, Serialize, Deserialize, JsonSchema)]
#[serde(rename = "sphere", deny_unknown_fields)]
struct SphereTable {
    /// Radius \[m\].
    #[schemars(example = 0.2)]
    radius: Positive,
}

/// The half-space below a plane through the origin.
#[derive(Debug, Serialize, Deserialize, JsonSchema)]
#[serde(rename = "plane", default, deny_unknown_fields)]
struct PlaneTable {
    /// Normal, out of the half-space.
    normal: Vector,
}

impl Default for PlaneTable {
    fn default() -> Self {
        Self { normal: DVec3::Y.into() }
    }
}

/// All points near a segment along the local y axis.
#[derive(Debug, Serialize, Deserialize, JsonSchema)]
#[serde(rename = "capsule", deny_unknown_fields)]
struct CapsuleTable {
    /// Radius \[m\].
    #[schemars(example = 0.1)]
    radius: Positive,
    /// Half the length of the segment \[m\].
    #[schemars(example = 0.2)]
    half_length: Positive,
}

/// A box around the origin.
#[derive(Debug, Serialize, Deserialize, JsonSchema)]
#[serde(rename = "box_obstacle", deny_unknown_fields)]
struct BoxTable {
    /// Half its sides \[m\].
    #[schemars(with = "crate::keys::Fixed<Positive, 3>", example = json!([0.1, 0.1, 0.1]))]
    half_size: Vector,
}

/// Its shape: exactly one.
#[derive(Debug, Default, Serialize, Deserialize, JsonSchema)]
#[serde(rename = "shape", deny_unknown_fields)]
#[schemars(extend(
    "oneOf" = exactly_one(&SHAPES),
    "dependentRequired" = json!({ "frames": ["frame_rate"], "animation": ["mesh"] })
))]
struct ShapeTable {
    /// A ball around the origin.
    sphere: Option<SphereTable>,
    /// The half-space below a plane through the origin.
    plane: Option<PlaneTable>,
    /// All points near a segment along the local y axis.
    capsule: Option<CapsuleTable>,
    /// A box around the origin.
    r#box: Option<BoxTable>,
    /// An OBJ, STL, PLY or glTF file, relative to the scene. A glTF file (`.glb`, `.gltf`) may have a skin and an animation.
    mesh: Option<FilePath>,
    /// Name of the animation of a glTF file. Absent: the first one.
    animation: Option<BodyName>,
    /// OBJ files of one topology, as body_%04d.obj, relative to the scene.
    frames: Option<FilePath>,
    /// Files of `frames` per second, or shapes per second of a glTF file \[1/s\]. Absent: for glTF that of the simulation.
    frame_rate: Option<Positive>,
}

impl From<&ObstacleShape> for ShapeTable {
    fn from(shape: &ObstacleShape) -> Self {
        let none = Self::default();
        match shape {
            ObstacleShape::Mesh { path } => Self { mesh: Some(path.into()), ..none },
            ObstacleShape::Animated { path, rate, animation } => Self {
                mesh: Some(path.into()),
                animation: animation.as_deref().and_then(BodyName::of),
                frame_rate: Some(Number(*rate)),
                ..none
            },
            ObstacleShape::Frames { pattern, rate } => {
                Self { frames: Some(pattern.into()), frame_rate: Some(Number(*rate)), ..none }
            }
            ObstacleShape::Closed(Shape::Sphere { radius }) => {
                Self { sphere: Some(SphereTable { radius: Number(*radius) }), ..none }
            }
            ObstacleShape::Closed(Shape::Plane { normal }) => {
                Self { plane: Some(PlaneTable { normal: (*normal).into() }), ..none }
            }
            ObstacleShape::Closed(Shape::Capsule { radius, half_length }) => {
                let (radius, half_length) = (Number(*radius), Number(*half_length));
                Self { capsule: Some(CapsuleTable { radius, half_length }), ..none }
            }
            ObstacleShape::Closed(Shape::Box { half_size }) => {
                Self { r#box: Some(BoxTable { half_size: (*half_size).into() }), ..none }
            }
        }
    }
}

impl ShapeTable {
    /// The shape, checked. `default_rate` is that of the shapes of a glTF file \[1/s\].
    fn resolve(&self, solver: SolverChoice, default_rate: f64, at: &Place<'_>) -> Option<ObstacleShape> {
        let Self { sphere, plane, capsule, r#box, mesh, animation, frames, frame_rate } = self;
        let help = "give exactly one shape: sphere = { radius = 0.2 }, plane = { normal = [0, 1, 0] }, \
                    capsule = { radius = 0.1, half_length = 0.2 }, box = { half_size = [0.1, 0.1, 0.1] }, \
                    mesh = \"body.obj\" or \"body.glb\", frames = \"body_%04d.obj\" with frame_rate";
        at.only_one(&SHAPES, help)?;
        let gltf = mesh.as_ref().filter(|path| is_gltf(Path::new(&path.0)));
        if frame_rate.is_some() && frames.is_none() && gltf.is_none() {
            let help = "it tells how many files of a sequence, frames = \"body_%04d.obj\", or shapes of mesh = \"body.glb\" go \
                        into a second";
            at.at("frame_rate").refuse(format!("`{at}.frame_rate` needs frames, or a glTF file"), help);
            return None;
        }
        if animation.is_some() && gltf.is_none() {
            let help = "it names an animation of mesh = \"body.glb\"";
            at.at("animation").refuse(format!("`{at}.animation` needs a glTF file"), help);
            return None;
        }
        if let Some(pattern) = frames {
            return self.resolve_frames(pattern, solver, at);
        }
        if let Some(path) = mesh {
            check_solver(solver, &at.at("mesh"))?;
            if gltf.is_some() {
                let rate = frame_rate.map_or(default_rate, f64::from);
                let animation = animation.clone().map(|name| name.0);
                return Some(ObstacleShape::Animated { path: at.absolute(&path.0), rate, animation });
            }
            return Some(ObstacleShape::Mesh { path: at.absolute(&path.0) });
        }
        let closed = match (sphere, plane, capsule, r#box) {
            (Some(sphere), ..) => Shape::Sphere { radius: sphere.radius.0 },
            (_, Some(plane), ..) => resolve_plane(plane.normal.get(), &at.at("plane.normal"))?,
            (.., Some(capsule), _) => {
                Shape::Capsule { radius: capsule.radius.0, half_length: capsule.half_length.0 }
            }
            (.., block) => resolve_box(block.as_ref()?.half_size.get(), &at.at("box.half_size"))?,
        };
        Some(ObstacleShape::Closed(closed))
    }

    fn resolve_frames(
        &self,
        pattern: &FilePath,
        solver: SolverChoice,
        at: &Place<'_>,
    ) -> Option<ObstacleShape> {
        if self.frame_rate.is_none() {
            at.miss("frame_rate", "frame_rate = 30");
        }
        check_solver(solver, &at.at("frames"))?;
        let pattern = at.absolute(&pattern.0);
        if let Err(message) = FileSequence::parse(&pattern) {
            let help = "for example frames = \"body_%04d.obj\" for body_0000.obj, body_0001.obj, …";
            at.at("frames").refuse(format!("`{at}.frames`: {message}"), help);
            return None;
        }
        if MeshFormat::of(&pattern) != Ok(MeshFormat::Obj) {
            let message = format!("`{at}.frames`: the files of a sequence must be OBJ files");
            at.at("frames").refuse(message, "a single file can be OBJ, STL or PLY: mesh = \"body.stl\"");
            return None;
        }
        Some(ObstacleShape::Frames { pattern, rate: self.frame_rate?.0 })
    }
}

/// Refuses meshes under a solver that does not meet them.
fn check_solver(solver: SolverChoice, at: &Place<'_>) -> Option<()> {
    let Some(found) = meeting_mismatch(solver, "", "contact with meshes") else { return Some(()) };
    let help = format!("{}, or an obstacle that is a sphere, plane, capsule or box", found.help);
    at.refuse(found.sentence(&at.to_string()), help.as_str());
    None
}

fn resolve_plane(normal: DVec3, at: &Place<'_>) -> Option<Shape> {
    let length = normal.length();
    if !(length > 1e-12 && length.is_finite()) {
        at.refuse(format!("`{at}` has no direction"), "must not be zero");
        return None;
    }
    // A unit normal keeps its bits, so that a scene that is written and read again stays the same.
    let unit = (length - 1.0).abs() < 1e-15;
    Some(Shape::Plane { normal: if unit { normal } else { normal / length } })
}

fn resolve_box(half_size: DVec3, at: &Place<'_>) -> Option<Shape> {
    if !(half_size.min_element() > 0.0 && half_size.is_finite()) {
        let help = "all three must be positive: half the sides of the box in m";
        at.refuse(format!("`{at}` is {:?}", half_size.to_array()), help);
        return None;
    }
    Some(Shape::Box { half_size })
}
