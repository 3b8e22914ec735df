//! The seams of a cloth.

use super::pin_table::VertexNumber;
use crate::keys::{Number, Positive, exactly_one};
use crate::place::Place;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::json;
use taffeta_sim::{Mode, SeamDescription, SeamSides, SimulationSettings};

/// Time over which a seam closes unless the scene says how long \[s\].
pub(super) const DEFAULT_TIME: f64 = 1.0;

/// Two runs of the boundary that are sewn together.
#[derive(Debug, Serialize, Deserialize, JsonSchema)]
#[serde(rename = "seam", deny_unknown_fields)]
#[schemars(extend(
    "oneOf" = exactly_one(&["a", "distance"]),
    "dependentRequired" = json!({ "a": ["b"], "b": ["a"] })
))]
pub(super) struct SeamTable {
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

/// A run of the boundary.
#[derive(Debug, Serialize, Deserialize, JsonSchema)]
#[serde(rename = "run", deny_unknown_fields)]
struct RunTable {
    /// Vertices along the boundary of a panel, at least its ends; the shorter way joins them.
    #[schemars(example = json!([0, 20]))]
    vertices: RunVertices,
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

impl From<&Vec<u32>> for RunTable {
    fn from(vertices: &Vec<u32>) -> Self {
        Self { vertices: RunVertices(vertices.iter().map(|number| (*number).into()).collect()) }
    }
}

impl RunTable {
    fn resolve(&self) -> Vec<u32> {
        self.vertices.0.iter().map(|number| number.to_u32()).collect()
    }
}

impl From<&SeamDescription> for SeamTable {
    fn from(seam: &SeamDescription) -> Self {
        let table = Self { a: None, b: None, distance: None, time: Number(seam.time), ease: None };
        match &seam.sides {
            SeamSides::Runs([a, b]) => {
                Self { a: Some(a.into()), b: Some(b.into()), ease: Some(seam.ease), ..table }
            }
            SeamSides::Near(distance) => Self { distance: Some(Number(*distance)), ..table },
            SeamSides::Pairs(_) => unreachable!("a scene names runs or a distance"),
        }
    }
}

impl SeamTable {
    fn resolve(&self, at: &Place<'_>) -> Option<SeamDescription> {
        let sides = match (&self.a, &self.b, self.distance) {
            (Some(a), Some(b), None) => SeamSides::Runs([a.resolve(), b.resolve()]),
            (None, None, Some(distance)) => SeamSides::Near(distance.0),
            (a, b, distance) => {
                let given = [("a", a.is_some()), ("b", b.is_some()), ("distance", distance.is_some())];
                let names: Vec<&str> = given.iter().filter(|(_, is)| *is).map(|(name, _)| *name).collect();
                let found = if names.is_empty() { "none of them".to_owned() } else { names.join(" and ") };
                at.refuse(
                    format!("`{at}` must have a and b, or distance, but has {found}"),
                    "for example a = { vertices = [0, 20] }, b = { vertices = [40, 60] }",
                );
                return None;
            }
        };
        if let (SeamSides::Near(_), Some(_)) = (&sides, self.ease) {
            let message = format!("`{at}.ease` belongs to a seam of two runs, a and b");
            at.at("ease").refuse(message, "leave it out");
        }
        Some(SeamDescription { sides, time: self.time.0, ease: self.ease.unwrap_or(false) })
    }
}

/// All seams of a cloth, checked.
pub(super) fn resolve_seams(
    tables: &[SeamTable],
    settings: &SimulationSettings,
    at: &Place<'_>,
) -> Vec<SeamDescription> {
    if !tables.is_empty() {
        check_sewing(settings, &at.at(0));
    }
    tables.iter().enumerate().filter_map(|(number, table)| table.resolve(&at.at(number))).collect()
}

/// Refuses sewing under a solver or a mode that cannot.
pub(super) fn check_sewing(settings: &SimulationSettings, at: &Place<'_>) {
    if !settings.solver.capabilities().seams {
        let message = format!("`{at}`: the solver {:?} cannot sew", settings.solver.name());
        at.refuse(message, "take solver = \"global\", \"direct\" or \"block\"");
    }
    if settings.mode == Mode::Static {
        let message = format!("`{at}`: sewing takes time, of which there is none in a static scene");
        at.refuse(message, "mode = \"dynamic\"");
    }
}
