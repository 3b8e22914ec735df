//! The keys of a rope.

use super::body::SceneRope;
use super::pin_table::{PinTable, RopeWhere};
use super::rope::RopeShape;
use crate::keys::{
    BodyName, Choice, Count, Ignored, NotNegative, Number, Part, Positive, Tables, Vector, Words, exactly_one,
};
use crate::place::Place;
use crate::scene::settings::material::report_material;
use crate::scene::settings::membrane::ProjectionKeys;
use crate::scene::settings::motion::{FrictionTable, PlaceTable};
use glam::DVec3;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::json;
use taffeta_core::Friction;
use taffeta_sim::rules::rope_mismatch;
use taffeta_sim::{
    PinDescription, ProjectionStiffness, RopeBending, RopeDescription, RopeMaterial, SolverChoice,
};

/// The keys that say how long a rope is.
const SHAPES: [&str; 2] = ["length", "points"];
/// Segments of a rope: more are taken for a mistake.
const MAX_SEGMENTS: u64 = 1_000_000;

/// A rope. Exactly one of length and points.
#[derive(Debug, Serialize, Deserialize, JsonSchema)]
#[serde(rename = "rope", deny_unknown_fields)]
#[schemars(extend(
    "oneOf" = exactly_one(&SHAPES),
    "dependentRequired" = json!({ "length": ["segments"] })
))]
pub(crate) struct RopeTable {
    /// Name, unique in the scene; files are named after it.
    #[serde(default = "default_name")]
    pub name: BodyName,
    /// Length, straight along x from the origin \[m\]; with `segments`.
    length: Option<Positive>,
    /// Number of segments.
    segments: Option<Count<2, MAX_SEGMENTS>>,
    /// Points at rest \[m\].
    #[schemars(extend("minItems" = 2))]
    points: Option<Vec<Vector>>,
    /// Distance from obstacles \[m\].
    #[serde(default = "default_radius")]
    radius: Positive,
    /// Its material.
    #[schemars(example = json!({ "density": 0.05, "stretch": 1e4, "bend": 1e-4 }))]
    material: RopeMaterialTable,
    /// Placement of the rope.
    #[serde(default)]
    place: PlaceTable,
    /// Initial velocity \[m/s\].
    #[serde(default)]
    velocity: Vector,
    /// Initial angular velocity about the center of mass \[rad/s\].
    #[serde(default)]
    angular_velocity: Vector,
    /// Bending model.
    #[serde(default)]
    bending: Choice<RopeModel>,
    /// With bending = "acos": without the published flips.
    #[schemars(extend("default" = true))]
    remedy: Option<bool>,
    /// Normal of the plane in which turning angles have signs, before `place`.
    plane: Option<Vector>,
    /// Curvature at rest in its plane \[1/m\].
    rest_curvature: Option<Number>,
    /// Solver "pbd": stiffness against stretch.
    #[schemars(extend("default" = ProjectionStiffness::default().stretch))]
    stiffness: Option<Part>,
    /// Solver "pbd": stiffness against bending.
    #[schemars(extend("default" = ProjectionStiffness::default().bend))]
    bend_stiffness: Option<Part>,
    /// Solver "pbd": stiffnesses are those of all sweeps of a substep together.
    #[schemars(extend("default" = false))]
    stiffness_correction: Option<bool>,
    /// Pins.
    #[serde(default)]
    pub pin: Tables<PinTable<RopeWhere>>,
    /// Not supported: a rope keeps its segments.
    remesh: Option<Ignored>,
}

fn default_name() -> BodyName {
    BodyName("rope".to_owned())
}

fn default_radius() -> Positive {
    Number(0.005)
}

/// The material of a rope, which has other quantities than cloth.
#[derive(Debug, Serialize, Deserialize, JsonSchema)]
#[serde(rename = "rope_material", deny_unknown_fields)]
struct RopeMaterialTable {
    /// Mass per length \[kg/m\].
    #[schemars(example = 0.05)]
    density: Positive,
    /// Stiffness EA \[N\].
    #[schemars(example = 1e4)]
    stretch: Positive,
    /// Bending stiffness EI \[N·m²\].
    #[serde(default)]
    bend: NotNegative,
    /// Time constant of damping of stretch \[s\].
    #[serde(default)]
    stretch_damping: NotNegative,
    /// Time constant of damping of bending \[s\].
    #[serde(default)]
    bend_damping: NotNegative,
    /// Friction of the surface.
    #[serde(default)]
    friction: FrictionTable,
}

impl From<&RopeMaterial> for RopeMaterialTable {
    fn from(material: &RopeMaterial) -> Self {
        let RopeMaterial { density, stretch, bend, stretch_damping, bend_damping, friction } = *material;
        Self {
            density: Number(density),
            stretch: Number(stretch),
            bend: Number(bend),
            stretch_damping: Number(stretch_damping),
            bend_damping: Number(bend_damping),
            friction: friction.into(),
        }
    }
}

impl RopeMaterialTable {
    fn resolve(&self, at: &Place<'_>) -> Option<RopeMaterial> {
        let material = RopeMaterial {
            density: self.density.0,
            stretch: self.stretch.0,
            bend: self.bend.0,
            stretch_damping: self.stretch_damping.0,
            bend_damping: self.bend_damping.0,
            friction: self.friction.resolve(Friction::default(), &at.at("friction")),
        };
        report_material(material.validate(), at).then_some(material)
    }
}

/// Bending model of a rope; `remedy` says which form of the published model.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
enum RopeModel {
    #[default]
    Curvature,
    Acos,
    None,
}

impl Words for RopeModel {
    fn words() -> Vec<(&'static str, Self)> {
        vec![("curvature", Self::Curvature), ("acos", Self::Acos), ("none", Self::None)]
    }
}

impl RopeTable {
    /// The keys of a rope under a solver.
    pub(crate) fn new(rope: &SceneRope, solver: SolverChoice) -> Self {
        let projection = ProjectionKeys::new(rope.projection, solver);
        let (bending, remedy) = match rope.bending {
            RopeBending::Curvature => (RopeModel::Curvature, None),
            RopeBending::Acos { has_remedy } => (RopeModel::Acos, Some(has_remedy)),
            RopeBending::None => (RopeModel::None, None),
        };
        let (length, points, segments) = match &rope.shape {
            RopeShape::Straight { length, segments } => (Some(*length), None, Some(*segments)),
            RopeShape::Points { points, segments } => (None, Some(points), *segments),
        };
        Self {
            name: BodyName(rope.name.clone()),
            length: length.map(Number),
            segments: segments.map(Count::from),
            points: points.map(|points| points.iter().map(|point| (*point).into()).collect()),
            radius: Number(rope.radius),
            material: (&rope.material).into(),
            place: (&rope.place).into(),
            velocity: rope.velocity.into(),
            angular_velocity: rope.angular_velocity.into(),
            bending: Choice(bending),
            remedy,
            plane: rope.plane.map(Vector::from),
            rest_curvature: rope.rest_curvature.map(Number),
            stiffness: projection.stiffness,
            bend_stiffness: projection.bend_stiffness,
            stiffness_correction: projection.stiffness_correction,
            pin: rope.pins.iter().map(PinTable::from).collect(),
            remesh: None,
        }
    }

    /// The rope, checked.
    pub(crate) fn resolve(&self, solver: SolverChoice, at: &Place<'_>) -> Option<SceneRope> {
        if let Some(found) = rope_mismatch(solver) {
            at.refuse(found.sentence(&at.to_string()), found.help.as_str());
        }
        if self.remesh.is_some() {
            let help = "choose the number of `segments`, or give more `points`";
            let message = format!("`{at}.remesh` is not supported: a rope keeps its segments");
            at.at("remesh").refuse(message, help);
        }
        let shape = self.resolve_shape(at);
        let material = self.material.resolve(&at.at("material"));
        let bending = self.resolve_bending(at);
        let plane = self.resolve_plane(&at.at("plane"));
        let (stiffness, bend_stiffness) = (self.stiffness, self.bend_stiffness);
        let keys =
            ProjectionKeys { stiffness, bend_stiffness, stiffness_correction: self.stiffness_correction };
        let projection = keys.resolve(solver, at);
        let last = u32::try_from(shape.as_ref()?.segment_count()).unwrap_or(u32::MAX);
        let description = RopeDescription {
            velocity: self.velocity.get(),
            angular_velocity: self.angular_velocity.get(),
            bending,
            plane,
            rest_curvature: self.rest_curvature.map(f64::from),
            projection,
            pins: self.resolve_pins(last, solver, at),
            ..RopeDescription::new(self.name.0.clone(), Vec::new(), self.radius.0, material?)
        };
        let rope = SceneRope { shape: shape?, place: self.place.resolve(), seams: Vec::new(), description };
        self.check(&rope, at);
        Some(rope)
    }

    fn resolve_pins(&self, last: u32, solver: SolverChoice, at: &Place<'_>) -> Vec<PinDescription> {
        let pins = self.pin.0.iter().enumerate();
        pins.filter_map(|(number, pin)| pin.resolve(last, solver, &at.at("pin").at(number))).collect()
    }

    fn resolve_shape(&self, at: &Place<'_>) -> Option<RopeShape> {
        let segments = self.segments.map(Count::to_u32);
        let help =
            "for example length = 2.0 and segments = 40, or points = [[0, 0, 0], [1, 0, 0], [1, 1, 0]]";
        at.only_one(&SHAPES, help)?;
        if let Some(length) = self.length {
            if segments.is_none() {
                at.miss("segments", "segments = 40");
            }
            return Some(RopeShape::Straight { length: length.0, segments: segments? });
        }
        let points: Vec<DVec3> = self.points.as_ref()?.iter().map(|point| point.get()).collect();
        let least = if segments.is_some() { 2 } else { 3 };
        if points.len() < least {
            let message = format!("`{at}.points` has {} points, but needs at least {least}", points.len());
            at.at("points").refuse(message, "a rope has at least 2 segments");
            return None;
        }
        Some(RopeShape::Points { points, segments })
    }

    fn resolve_bending(&self, at: &Place<'_>) -> RopeBending {
        if self.remedy.is_some() && self.bending.0 != RopeModel::Acos {
            at.at("remedy").refuse(
                format!("`{at}.remedy` means nothing without bending = \"acos\""),
                "other models tell left from right turns without it",
            );
        }
        match self.bending.0 {
            RopeModel::Curvature => RopeBending::Curvature,
            RopeModel::Acos => RopeBending::Acos { has_remedy: self.remedy.unwrap_or(true) },
            RopeModel::None => RopeBending::None,
        }
    }

    fn resolve_plane(&self, at: &Place<'_>) -> Option<DVec3> {
        let normal: DVec3 = self.plane?.get();
        if normal.length() == 0.0 {
            let message = format!("`{at}` is [0, 0, 0], which is no direction");
            at.refuse(message, "the normal of the plane, for example [0, 0, 1]");
            return None;
        }
        Some(normal)
    }

    /// Checks that the rope is one and that its pins hold something.
    fn check(&self, rope: &SceneRope, at: &Place<'_>) {
        let description = rope.describe();
        let refuse = |at: &Place<'_>, reason: &str| {
            at.refuse(format!("the rope {:?} cannot be built: {reason}", rope.name), None);
        };
        if let Some(reason) = description.find_shape_defect() {
            let key = match reason.contains("plane") {
                true if self.plane.is_some() => "plane",
                true if self.rest_curvature.is_some() => "rest_curvature",
                true => "bending",
                false if self.points.is_some() => "points",
                false => "length",
            };
            return refuse(&at.at(key), &reason);
        }
        for (number, pin) in description.pins.iter().enumerate() {
            if let Some(reason) = description.find_pin_defect(pin) {
                let key = if reason.contains("clamp") { "clamp" } else { "where" };
                refuse(&at.at("pin").at(number).at(key), &format!("pin {number}: {reason}"));
            }
        }
    }
}
