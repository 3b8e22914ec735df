//! The seams of a cloth.

use super::pin_table::VertexNumber;
use crate::keys::{Fixed, Number, Positive, exactly_one};
use crate::place::Place;
use glam::DVec2;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::json;

/// Time over which a seam closes unless the scene says how long \[s\].
pub(super) const DEFAULT_TIME: f64 = 1.0;

/// Two runs of the boundary that are sewn together.
#[derive(Debug, Serialize, Deserialize, JsonSchema)]
#[serde(rename = "seam", deny_unknown_fields)]
#[schemars(extend(
    "oneOf" = exactly_one(&["a", "distance"]),
    "dependentRequired" = json!({ "a": ["b"], "b": ["a"] })
))]
pub(crate) struct SeamTable {
    /// One side.
    a: Option<RunTable>,
    /// The other side.
    b: Option<RunTable>,
    /// Instead of a and b: all of the boundary that is this close \[m\].
    distance: Option<Positive>,
    /// Time in which the gap closes \[s\].
    #[serde(default = "default_time")]
    time: Positive,
    /// Gathers the longer side.
    #[schemars(extend("default" = false))]
    ease: Option<bool>,
}

fn default_time() -> Positive {
    Number(DEFAULT_TIME)
}

/// A run of the boundary: by vertices, an edge of a panel, or the way between two of its points.
#[derive(Clone, Debug, PartialEq)]
pub enum SceneRun {
    /// Vertices along it, by their numbers in the file.
    Vertices(Vec<u32>),
    /// An edge of a panel by its number.
    Edge {
        /// Name or number of the panel.
        panel: String,
        /// The edge.
        edge: u32,
    },
    /// The shorter way along the boundary of a panel between two of its points.
    Between {
        /// Name or number of the panel.
        panel: String,
        /// Material coordinates of the ends \[m\].
        ends: [DVec2; 2],
    },
}

/// A seam of a scene.
#[derive(Clone, Debug, PartialEq)]
pub struct SceneSeam {
    /// Its sides.
    pub sides: SceneSides,
    /// Time over which the gap closes \[s\].
    pub time: f64,
    /// True if the longer run is gathered.
    pub ease: bool,
}

/// The two sides of a seam of a scene.
#[derive(Clone, Debug, PartialEq)]
pub enum SceneSides {
    /// Two runs.
    Runs([SceneRun; 2]),
    /// All of the boundary that is this close \[m\].
    Near(f64),
}

/// A run of the boundary: vertices, an edge of a panel, or the way between two points of a panel.
#[derive(Debug, Default, Serialize, Deserialize, JsonSchema)]
#[serde(rename = "run", default, deny_unknown_fields)]
#[schemars(extend(
    "oneOf" = exactly_one(&["vertices", "edge", "from"]),
    "dependentRequired" = json!({ "edge": ["panel"], "from": ["to", "panel"], "to": ["from", "panel"] })
))]
struct RunTable {
    /// Vertices along the boundary of a panel, at least its ends; the shorter way joins them.
    #[schemars(example = json!([0, 20]))]
    vertices: Option<RunVertices>,
    /// The panel: its name, or its number. `taffeta inspect FILE --seams` lists them.
    panel: Option<PanelKey>,
    /// An edge of the panel, by its number.
    edge: Option<VertexNumber>,
    /// A point on the boundary of the panel, by its material coordinates \[m\].
    from: Option<Fixed<Number, 2>>,
    /// The other end; the shorter way joins them \[m\].
    to: Option<Fixed<Number, 2>>,
}

/// Name or number of a panel.
#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(untagged)]
#[schemars(inline, description = "")]
enum PanelKey {
    /// Its number.
    Number(u32),
    /// Its name.
    Name(String),
}

impl PanelKey {
    fn name(&self) -> String {
        match self {
            Self::Number(number) => number.to_string(),
            Self::Name(name) => name.clone(),
        }
    }
}

/// The vertices of a run, by their numbers in the file.
#[derive(Debug, Serialize, Deserialize, JsonSchema)]
#[serde(try_from = "Vec<VertexNumber>")]
#[schemars(inline, description = "", extend("minItems" = 2))]
struct RunVertices(Vec<VertexNumber>);

impl TryFrom<Vec<VertexNumber>> for RunVertices {
    type Error = String;

    fn try_from(vertices: Vec<VertexNumber>) -> Result<Self, String> {
        if vertices.len() >= 2 {
            return Ok(Self(vertices));
        }
        Err(format!(
            "names {} vertices, but must name at least 2: the ends of the run\n\
             a run that ends where it begins is the whole loop",
            vertices.len()
        ))
    }
}

impl From<&SceneRun> for RunTable {
    fn from(run: &SceneRun) -> Self {
        let panel_key = |panel: &String| Some(PanelKey::Name(panel.clone()));
        match run {
            SceneRun::Vertices(vertices) => Self {
                vertices: Some(RunVertices(vertices.iter().map(|number| (*number).into()).collect())),
                ..Self::default()
            },
            SceneRun::Edge { panel, edge } => {
                Self { panel: panel_key(panel), edge: Some((*edge).into()), ..Self::default() }
            }
            SceneRun::Between { panel, ends: [from, to] } => Self {
                panel: panel_key(panel),
                from: Some((*from).into()),
                to: Some((*to).into()),
                ..Self::default()
            },
        }
    }
}

impl RunTable {
    fn resolve(&self, at: &Place<'_>) -> Option<SceneRun> {
        let panel = self.panel.as_ref().map(PanelKey::name);
        match (&self.vertices, panel, self.edge, self.from, self.to) {
            (Some(vertices), None, None, None, None) => {
                Some(SceneRun::Vertices(vertices.0.iter().map(|number| number.to_u32()).collect()))
            }
            (None, Some(panel), Some(edge), None, None) => {
                Some(SceneRun::Edge { panel, edge: edge.to_u32() })
            }
            (None, Some(panel), None, Some(from), Some(to)) => {
                let ends = [from, to].map(|end| DVec2::from_array(end.get()));
                Some(SceneRun::Between { panel, ends })
            }
            _ => {
                at.refuse(
                    format!("`{at}` must have vertices, or panel and edge, or panel, from and to"),
                    "for example { panel = \"front\", edge = 3 }; `taffeta inspect FILE --seams` lists panels and edges",
                );
                None
            }
        }
    }
}

impl From<&SceneSeam> for SeamTable {
    fn from(seam: &SceneSeam) -> Self {
        let table = Self { a: None, b: None, distance: None, time: Number(seam.time), ease: None };
        match &seam.sides {
            SceneSides::Runs([a, b]) => {
                Self { a: Some(a.into()), b: Some(b.into()), ease: Some(seam.ease), ..table }
            }
            SceneSides::Near(distance) => Self { distance: Some(Number(*distance)), ..table },
        }
    }
}

impl SeamTable {
    fn resolve(&self, at: &Place<'_>) -> Option<SceneSeam> {
        let sides = match (&self.a, &self.b, self.distance) {
            (Some(a), Some(b), None) => {
                let [a, b] = [(a, "a"), (b, "b")].map(|(run, side)| run.resolve(&at.at(side)));
                SceneSides::Runs([a?, b?])
            }
            (None, None, Some(distance)) => SceneSides::Near(distance.0),
            (a, b, distance) => {
                let given = [("a", a.is_some()), ("b", b.is_some()), ("distance", distance.is_some())];
                let names: Vec<&str> = given.iter().filter(|(_, is)| *is).map(|(name, _)| *name).collect();
                let found = if names.is_empty() { "none of them".to_owned() } else { names.join(" and ") };
                at.refuse(
                    format!("`{at}` must have a and b, or distance, but has {found}"),
                    "for example a = { panel = \"front\", edge = 1 }, b = { panel = \"back\", edge = 7 }",
                );
                return None;
            }
        };
        if let (SceneSides::Near(_), Some(_)) = (&sides, self.ease) {
            let message = format!("`{at}.ease` belongs to a seam of two runs, a and b");
            at.at("ease").refuse(message, "leave it out");
        }
        Some(SceneSeam { sides, time: self.time.0, ease: self.ease.unwrap_or(false) })
    }
}

/// All seams of a cloth, checked.
pub(crate) fn resolve_seams(tables: &[SeamTable], at: &Place<'_>) -> Vec<SceneSeam> {
    tables.iter().enumerate().filter_map(|(number, table)| table.resolve(&at.at(number))).collect()
}
