//! Contact, air and output.

use crate::keys::{Choice, Count, NotNegative, Number, Positive, Vector, Words};
use crate::place::Place;
use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde::{Deserialize, Serialize};
use serde_json::json;
use taffeta_io::Format;
use taffeta_sim::Air;

/// Contact of all cloths.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct ContactSettings {
    /// Contact of cloths with each other and themselves; `None`: the scene does not say.
    pub self_contact: Option<bool>,
    /// Thickness \[m\]; `None`: from the material.
    pub thickness: Option<f64>,
}

/// Contact of all cloths.
#[derive(Debug, Default, Serialize, Deserialize, JsonSchema)]
#[serde(rename = "contact", deny_unknown_fields)]
#[schemars(inline)]
pub(crate) struct ContactTable {
    /// Contact of cloths with themselves and each other. Absent: true under every solver but "projective".
    #[serde(rename = "self")]
    self_contact: Option<bool>,
    /// Thickness of the cloths \[m\]. Absent: from the material.
    thickness: Option<Positive>,
}

impl From<ContactSettings> for ContactTable {
    fn from(ContactSettings { self_contact, thickness }: ContactSettings) -> Self {
        Self { self_contact, thickness: thickness.map(Number) }
    }
}

impl ContactTable {
    /// The settings.
    pub(crate) fn resolve(&self) -> ContactSettings {
        ContactSettings { self_contact: self.self_contact, thickness: self.thickness.map(f64::from) }
    }
}

/// The surrounding air. A density or drag of 0 is a vacuum.
#[derive(Debug, Serialize, Deserialize, JsonSchema)]
#[serde(rename = "air", default, deny_unknown_fields)]
#[schemars(inline)]
pub(crate) struct AirTable {
    /// Density \[kg/m³\].
    density: NotNegative,
    /// Wind \[m/s\].
    wind: Vector,
    /// Coefficient of drag.
    drag: NotNegative,
}

impl Default for AirTable {
    fn default() -> Self {
        Self::from(Air::default())
    }
}

impl From<Air> for AirTable {
    fn from(Air { density, wind, drag }: Air) -> Self {
        Self { density: Number(density), wind: wind.into(), drag: Number(drag) }
    }
}

impl AirTable {
    /// The air.
    pub(crate) fn resolve(&self) -> Air {
        let Self { density, wind, drag } = self;
        Air { density: density.0, wind: wind.get(), drag: drag.0 }
    }
}

/// Files that a run writes.
#[derive(Clone, Debug, PartialEq)]
pub struct OutputSettings {
    /// Formats of the frames; empty: none are written.
    pub formats: Vec<Format>,
    /// Frames from one written frame to the next, at least 1.
    pub every: u32,
    /// Wall time from one checkpoint of a run to the next \[s\], at least 0: what a loss of power may cost.
    pub checkpoint_every: f64,
}

/// Files that a run writes.
#[derive(Debug, Serialize, Deserialize, JsonSchema)]
#[serde(rename = "output", default, deny_unknown_fields)]
#[schemars(inline)]
pub(crate) struct OutputTable {
    /// Formats of the frames: files per frame (obj, ply, vtp, npz), per body (usda), or one for all (glb).
    formats: Formats,
    /// Frames from one written frame to the next.
    every: Count<1>,
    /// Wall time from one checkpoint of a run to the next \[s\].
    checkpoint_every: NotNegative,
}

impl Default for OutputTable {
    fn default() -> Self {
        let formats = vec![Format::Obj];
        Self::from(&OutputSettings { formats, every: 1, checkpoint_every: 30.0 })
    }
}

impl From<&OutputSettings> for OutputTable {
    fn from(output: &OutputSettings) -> Self {
        let OutputSettings { formats, every, checkpoint_every } = output;
        let mut named: Vec<_> = formats.iter().map(|format| Choice(Some(*format))).collect();
        if named.is_empty() {
            named.push(Choice(None));
        }
        Self { formats: Formats(named), every: (*every).into(), checkpoint_every: Number(*checkpoint_every) }
    }
}

impl OutputTable {
    /// The settings, checked.
    pub(crate) fn resolve(&self, at: &Place<'_>) -> OutputSettings {
        let mut formats = Vec::new();
        for (number, Choice(format)) in self.formats.0.iter().enumerate() {
            match format {
                Some(format) if !formats.contains(format) => formats.push(*format),
                None if self.formats.0.len() > 1 => {
                    at.at("formats").at(number).refuse("`none` excludes other formats".to_owned(), None);
                }
                Some(_) | None => {}
            }
        }
        OutputSettings { formats, every: self.every.to_u32(), checkpoint_every: self.checkpoint_every.0 }
    }
}

/// The name of a format, or none for `None`.
impl Words for Option<Format> {
    fn words() -> Vec<(&'static str, Self)> {
        let named = Format::ALL.map(|format| (format.name(), Some(format)));
        named.into_iter().chain([("none", None)]).collect()
    }
}

/// The formats that a scene names.
#[derive(Debug, Serialize, Deserialize, JsonSchema)]
#[schemars(inline, description = "", schema_with = "formats_schema")]
struct Formats(Vec<Choice<Option<Format>>>);

fn formats_schema(_: &mut SchemaGenerator) -> Schema {
    let format = json!({ "enum": Format::ALL.map(Format::name) });
    json_schema!({
        "anyOf": [
            { "type": "array", "items": format },
            { "type": "array", "items": { "const": "none" }, "maxItems": 1 },
        ],
    })
}
