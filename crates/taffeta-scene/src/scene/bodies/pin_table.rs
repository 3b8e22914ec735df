//! Pins as tables of a scene.

use crate::keys::{
    Always, BodyName, Choice, Corner, Count, Fixed, NotNegative, Number, Positive, Vector, Words, exactly_one,
};
use crate::place::Place;
use crate::scene::settings::motion::MotionTable;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::json;
use taffeta_core::{KeyframedMotion, Region};
use taffeta_sim::rules::strength_mismatch;
use taffeta_sim::{PinDescription, SolverChoice};

/// Keys by which pins of cloths, solids and ropes select vertices.
const OF_CLOTHS: [&str; 4] = ["box", "material_box", "boundary", "vertices"];
const OF_SOLIDS: [&str; 3] = ["box", "boundary", "vertices"];
const OF_ROPES: [&str; 3] = ["ends", "vertices", "box"];

/// Place at which a pin of some kind of body holds.
pub(crate) trait Where {
    /// The region of a body whose last vertex has this number.
    fn resolve(&self, last: u32, at: &Place<'_>) -> Option<Region>;
}

/// Vertices that are held.
#[derive(Debug, Serialize, Deserialize, JsonSchema)]
#[serde(rename = "pin", deny_unknown_fields)]
#[schemars(rename = "pin_in_{W}")]
pub(crate) struct PinTable<W> {
    /// Vertices that it holds, by exactly one key.
    #[schemars(example = json!({ "vertices": [0] }))]
    r#where: W,
    /// Which world axes are held.
    #[serde(default)]
    axes: Axes,
    /// Also holds the direction of the body at the edge or end.
    #[serde(default)]
    clamp: bool,
    /// Motion of the pin; rotations are about its centroid.
    #[serde(default)]
    motion: MotionTable,
    /// Name of an obstacle that the vertices follow instead, each with its nearest point at time 0.
    pub follow: Option<BodyName>,
    /// Time at which it lets go \[s\].
    release: Option<NotNegative>,
    /// Force above which a vertex comes loose \[N\].
    strength: Option<Positive>,
    /// Name by which a program finds it, unique among the pins.
    pub name: Option<BodyName>,
}

/// Vertices of a solid that are held.
#[derive(Debug, Serialize, Deserialize, JsonSchema)]
#[serde(rename = "solid_pin", deny_unknown_fields)]
pub(crate) struct SolidPinTable {
    /// Vertices that it holds, by exactly one key.
    #[schemars(example = json!({ "box": [[0, 0, 0], [0, 1, 1]] }))]
    r#where: SolidWhere,
    /// Which world axes are held.
    #[serde(default)]
    axes: Axes,
    /// Motion of the pin; rotations are about its centroid.
    #[serde(default)]
    motion: MotionTable,
    /// Name of an obstacle that the vertices follow instead, each with its nearest point at time 0.
    pub follow: Option<BodyName>,
    /// Time at which it lets go \[s\].
    release: Option<NotNegative>,
    /// Force above which a vertex comes loose \[N\].
    strength: Option<Positive>,
    /// Name by which a program finds it, unique among the pins.
    pub name: Option<BodyName>,
}

impl<W: for<'r> From<&'r Region>> From<&PinDescription> for PinTable<W> {
    fn from(pin: &PinDescription) -> Self {
        let PinDescription { name, region, motion, follow, axes, clamp, release, strength } = pin;
        Self {
            r#where: region.into(),
            axes: Axes(Fixed(*axes)),
            clamp: *clamp,
            motion: motion.into(),
            follow: follow.as_deref().and_then(BodyName::of),
            release: release.map(Number),
            strength: strength.map(Number),
            name: BodyName::of(name),
        }
    }
}

impl<W: Where> PinTable<W> {
    /// The pin of a body whose last vertex has this number, checked.
    pub(crate) fn resolve(&self, last: u32, solver: SolverChoice, at: &Place<'_>) -> Option<PinDescription> {
        let motion = self.motion.resolve(&at.at("motion"));
        check_follow(self.follow.as_ref(), &motion, self.clamp, at);
        let pin = PinDescription {
            name: self.name.clone().unwrap_or_default().0,
            region: self.r#where.resolve(last, &at.at("where"))?,
            motion,
            follow: self.follow.clone().map(|name| name.0),
            axes: self.axes.0.0,
            clamp: self.clamp,
            release: self.release.map(f64::from),
            strength: self.strength.map(f64::from),
        };
        strength_mismatch(&pin, solver).iter().for_each(|found| at.refuse_mismatch(found));
        Some(pin)
    }
}

impl From<&PinDescription> for SolidPinTable {
    fn from(pin: &PinDescription) -> Self {
        let PinTable { r#where, axes, clamp: _, motion, follow, release, strength, name } =
            PinTable::from(pin);
        Self { r#where, axes, motion, follow, release, strength, name }
    }
}

impl SolidPinTable {
    /// The pin, checked.
    pub(crate) fn resolve(&self, solver: SolverChoice, at: &Place<'_>) -> Option<PinDescription> {
        let motion = self.motion.resolve(&at.at("motion"));
        check_follow(self.follow.as_ref(), &motion, false, at);
        let pin = PinDescription {
            name: self.name.clone().unwrap_or_default().0,
            follow: self.follow.clone().map(|name| name.0),
            motion,
            axes: self.axes.0.0,
            release: self.release.map(f64::from),
            strength: self.strength.map(f64::from),
            ..PinDescription::new(self.r#where.resolve(0, &at.at("where"))?)
        };
        strength_mismatch(&pin, solver).iter().for_each(|found| at.refuse_mismatch(found));
        Some(pin)
    }
}

/// Refuses a pin that follows an obstacle and is told otherwise where to go as well.
fn check_follow(follow: Option<&BodyName>, motion: &KeyframedMotion, clamp: bool, at: &Place<'_>) {
    let Some(leader) = follow else { return };
    let moves = (!motion.keys.is_empty()).then_some("motion");
    for key in moves.into_iter().chain(clamp.then_some("clamp")) {
        let message = format!("`{at}.{key}` does not go with `follow = {:?}`", leader.0);
        at.at(key).refuse(message, "the obstacle says where the vertices go: leave one of the two out");
    }
}

/// The axes that a pin holds, at least one.
#[derive(Clone, Copy, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(try_from = "Fixed<bool, 3>")]
#[schemars(inline, description = "", extend("contains" = json!({ "const": true })))]
struct Axes(Fixed<bool, 3>);

impl Default for Axes {
    fn default() -> Self {
        Self(Fixed([true; 3]))
    }
}

impl TryFrom<Fixed<bool, 3>> for Axes {
    type Error = &'static str;

    fn try_from(axes: Fixed<bool, 3>) -> Result<Self, &'static str> {
        let nothing = "has no axis that is true: the pin holds nothing\n\
                       at least one of the axes x, y, z must be true";
        if axes == Fixed([false; 3]) { Err(nothing) } else { Ok(Self(axes)) }
    }
}

/// The number of a vertex, from 0.
pub(crate) type VertexNumber = Count<0>;

/// Numbers of vertices, at least one.
#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(try_from = "Vec<VertexNumber>")]
#[schemars(inline, description = "", extend("minItems" = 1))]
struct Vertices(Vec<VertexNumber>);

impl TryFrom<Vec<VertexNumber>> for Vertices {
    type Error = &'static str;

    fn try_from(numbers: Vec<VertexNumber>) -> Result<Self, &'static str> {
        if numbers.is_empty() { Err("is empty: the pin would hold nothing") } else { Ok(Self(numbers)) }
    }
}

impl Vertices {
    fn resolve(&self) -> Region {
        Region::Vertices(self.0.iter().map(|number| number.to_u32()).collect())
    }
}

impl From<&Vec<u32>> for Vertices {
    fn from(numbers: &Vec<u32>) -> Self {
        Self(numbers.iter().map(|number| (*number).into()).collect())
    }
}

fn resolve_box(Fixed([low, high]): Fixed<Vector, 2>) -> Region {
    Region::Box([low.get(), high.get()])
}

/// Vertices that a pin holds, by exactly one key.
#[derive(Debug, Default, Serialize, Deserialize, JsonSchema)]
#[serde(rename = "cloth_region", deny_unknown_fields)]
#[schemars(extend("oneOf" = exactly_one(&OF_CLOTHS)))]
pub(crate) struct ClothWhere {
    /// Vertices in a box in world space at time 0 \[m\].
    r#box: Option<Fixed<Vector, 2>>,
    /// Vertices in a box in material space \[m\].
    material_box: Option<Fixed<Corner, 2>>,
    /// The panel of the `material_box`. Absent: all panels.
    panel: Option<Count<0>>,
    /// All vertices of the outline.
    boundary: Option<Always>,
    /// Numbers of vertices, from 0.
    vertices: Option<Vertices>,
}

impl From<&Region> for ClothWhere {
    fn from(region: &Region) -> Self {
        let none = Self::default();
        match region {
            Region::Box(corners) => Self { r#box: Some(Fixed(corners.map(Vector::from))), ..none },
            Region::MaterialBox(corners) => {
                Self { material_box: Some(Fixed(corners.map(Corner::from))), ..none }
            }
            Region::PanelBox { panel, corners } => Self {
                material_box: Some(Fixed(corners.map(Corner::from))),
                panel: Some((*panel).into()),
                ..none
            },
            Region::Boundary => Self { boundary: Some(Always::TRUE), ..none },
            Region::Vertices(vertices) => Self { vertices: Some(vertices.into()), ..none },
        }
    }
}

impl Where for ClothWhere {
    fn resolve(&self, _: u32, at: &Place<'_>) -> Option<Region> {
        let key = at.only_one(&OF_CLOTHS, "")?;
        if self.panel.is_some() && key != "material_box" {
            let at = at.at("panel");
            at.refuse(format!("`{at}` is given without `material_box`"), "leave `panel` out");
        }
        match key {
            "box" => self.r#box.map(resolve_box),
            "material_box" => {
                let corners = self.material_box?.0.map(Corner::get);
                Some(match self.panel.map(Count::to_u32) {
                    Some(panel) => Region::PanelBox { panel, corners },
                    None => Region::MaterialBox(corners),
                })
            }
            "boundary" => Some(Region::Boundary),
            _ => self.vertices.as_ref().map(Vertices::resolve),
        }
    }
}

/// Vertices that a pin holds, by exactly one key.
#[derive(Debug, Default, Serialize, Deserialize, JsonSchema)]
#[serde(rename = "solid_region", deny_unknown_fields)]
#[schemars(extend("oneOf" = exactly_one(&OF_SOLIDS)))]
pub(crate) struct SolidWhere {
    /// Vertices in a box in world space at time 0 \[m\].
    r#box: Option<Fixed<Vector, 2>>,
    /// All vertices of the outline.
    boundary: Option<Always>,
    /// Numbers of vertices, from 0.
    vertices: Option<Vertices>,
}

impl From<&Region> for SolidWhere {
    fn from(region: &Region) -> Self {
        let ClothWhere { r#box, boundary, vertices, .. } = region.into();
        Self { r#box, boundary, vertices }
    }
}

impl Where for SolidWhere {
    fn resolve(&self, _: u32, at: &Place<'_>) -> Option<Region> {
        match at.only_one(&OF_SOLIDS, "")? {
            "box" => self.r#box.map(resolve_box),
            "boundary" => Some(Region::Boundary),
            _ => self.vertices.as_ref().map(Vertices::resolve),
        }
    }
}

/// Vertices that a pin holds, by exactly one key.
#[derive(Debug, Default, Serialize, Deserialize, JsonSchema)]
#[serde(rename = "rope_region", deny_unknown_fields)]
#[schemars(extend("oneOf" = exactly_one(&OF_ROPES)))]
pub(crate) struct RopeWhere {
    /// Ends of the rope.
    ends: Option<Choice<Ends>>,
    /// Numbers of vertices, from 0.
    vertices: Option<Vertices>,
    /// Vertices in a box in world space at time 0 \[m\].
    r#box: Option<Fixed<Vector, 2>>,
}

/// Ends of a rope.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Ends {
    First,
    Last,
    Both,
}

impl Words for Ends {
    fn words() -> Vec<(&'static str, Self)> {
        vec![("first", Self::First), ("last", Self::Last), ("both", Self::Both)]
    }
}

/// Ends are written as the vertices that they are.
impl From<&Region> for RopeWhere {
    fn from(region: &Region) -> Self {
        let ClothWhere { r#box, vertices, .. } = region.into();
        Self { ends: None, vertices, r#box }
    }
}

impl Where for RopeWhere {
    fn resolve(&self, last: u32, at: &Place<'_>) -> Option<Region> {
        match at.only_one(&OF_ROPES, "")? {
            "ends" => Some(Region::Vertices(match self.ends?.0 {
                Ends::First => vec![0],
                Ends::Last => vec![last],
                Ends::Both => vec![0, last],
            })),
            "box" => self.r#box.map(resolve_box),
            _ => self.vertices.as_ref().map(Vertices::resolve),
        }
    }
}

/// A region in canonical form, for messages.
pub(crate) fn region_text(region: &Region) -> String {
    crate::keys::canonical(&ClothWhere::from(region)).to_string()
}
