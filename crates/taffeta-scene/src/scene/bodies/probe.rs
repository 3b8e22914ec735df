//! Points whose motion is recorded.

use crate::keys::{Corner, Count, Number, Part, ReadableName, Tables, Vector};
use crate::place::Place;
use crate::words::quoted_list;
use glam::DVec3;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::json;
use taffeta_core::PanelPoint;

/// A material point whose motion is recorded.
#[derive(Clone, Debug, PartialEq)]
pub struct Probe {
    /// Name, unique in the scene.
    pub name: String,
    /// Index of the cloth in the scene.
    pub cloth: usize,
    /// The material point.
    pub point: PanelPoint,
}

/// A point of a rope whose motion is recorded.
#[derive(Clone, Debug, PartialEq)]
pub struct RopeProbe {
    /// Name, unique among all probes of the scene.
    pub name: String,
    /// Index of the rope in the scene.
    pub rope: usize,
    /// Place along the rope, as a fraction of its length at rest from the first end.
    pub at: f64,
}

/// A point of a solid whose motion is recorded.
#[derive(Clone, Debug, PartialEq)]
pub struct SolidProbe {
    /// Name, unique among all probes of the scene.
    pub name: String,
    /// Index of the solid in the scene.
    pub solid: usize,
    /// The point at rest, before the solid is placed \[m\].
    pub point: DVec3,
}

/// A point whose motion is recorded: on a cloth, a rope or a solid.
#[derive(Debug, Serialize, Deserialize, JsonSchema)]
#[serde(rename = "probe", deny_unknown_fields)]
#[schemars(extend("oneOf" = json!([
    { "required": ["cloth", "material"] },
    { "required": ["rope", "at"] },
    { "required": ["solid", "point"] },
])))]
pub(crate) struct ProbeTable {
    /// Name, unique among the probes.
    #[schemars(example = &"center")]
    name: ReadableName,
    /// Name of the cloth.
    cloth: Option<String>,
    /// The material point \[m\].
    material: Option<Corner>,
    /// The panel on which the material point lies, if it lies on several.
    panel: Option<Count<0>>,
    /// Name of the rope.
    rope: Option<String>,
    /// Place along the rope, as a part of its length at rest.
    at: Option<Part>,
    /// Name of the solid.
    solid: Option<String>,
    /// A point of the box before it is placed \[m\].
    point: Option<Vector>,
}

impl ProbeTable {
    fn named(name: &str) -> Self {
        let name = ReadableName(name.to_owned());
        Self {
            name,
            cloth: None,
            material: None,
            panel: None,
            rope: None,
            at: None,
            solid: None,
            point: None,
        }
    }
}

/// The names of the bodies that probes can be on, in the order of the scene.
pub(crate) struct BodyNames<'a> {
    pub cloths: Vec<&'a str>,
    pub ropes: Vec<&'a str>,
    pub solids: Vec<&'a str>,
}

/// All probes by kind.
#[derive(Default)]
pub(crate) struct Probes {
    pub cloth: Vec<Probe>,
    pub rope: Vec<RopeProbe>,
    pub solid: Vec<SolidProbe>,
}

impl Probes {
    /// The keys of all probes.
    pub(crate) fn tables(&self, names: &BodyNames<'_>) -> Tables<ProbeTable> {
        let cloth = self.cloth.iter().map(|probe| ProbeTable {
            cloth: Some(names.cloths[probe.cloth].to_owned()),
            material: Some(probe.point.material.into()),
            panel: probe.point.panel.map(Count::from),
            ..ProbeTable::named(&probe.name)
        });
        let rope = self.rope.iter().map(|probe| ProbeTable {
            rope: Some(names.ropes[probe.rope].to_owned()),
            at: Some(Number(probe.at)),
            ..ProbeTable::named(&probe.name)
        });
        let solid = self.solid.iter().map(|probe| ProbeTable {
            solid: Some(names.solids[probe.solid].to_owned()),
            point: Some(probe.point.into()),
            ..ProbeTable::named(&probe.name)
        });
        cloth.chain(rope).chain(solid).collect()
    }

    /// The probes of tables, checked.
    pub(crate) fn resolve(tables: &[ProbeTable], names: &BodyNames<'_>, at: &Place<'_>) -> Self {
        let mut all = Self::default();
        for (number, table) in tables.iter().enumerate() {
            all.add(table, names, &at.at(number));
        }
        refuse_duplicates(tables.iter().map(|table| table.name.0.as_str()), |number| at.at(number));
        all
    }

    fn add(&mut self, table: &ProbeTable, names: &BodyNames<'_>, at: &Place<'_>) -> Option<()> {
        let name = table.name.0.clone();
        table.refuse_foreign_keys(at);
        if let Some(solid) = &table.solid {
            if table.point.is_none() {
                at.miss("point", "point = [0.1, 0.1, 0.1]");
            }
            let solid = find_body(solid, "solid", &names.solids, &at.at("solid"));
            self.solid.push(SolidProbe { name, solid: solid?, point: table.point?.get() });
        } else if let Some(rope) = &table.rope {
            if table.at.is_none() {
                at.miss("at", "at = 0.5");
            }
            let rope = find_body(rope, "rope", &names.ropes, &at.at("rope"));
            self.rope.push(RopeProbe { name, rope: rope?, at: table.at?.0 });
        } else {
            if table.material.is_none() {
                at.miss("material", "material = [0.5, 0.5]");
            }
            let Some(cloth) = &table.cloth else {
                at.miss("cloth", "cloth = \"sheet\"");
                return None;
            };
            let cloth = find_body(cloth, "cloth", &names.cloths, &at.at("cloth"));
            let point = PanelPoint { panel: table.panel.map(Count::to_u32), material: table.material?.get() };
            self.cloth.push(Probe { name, cloth: cloth?, point });
        }
        Some(())
    }
}

impl ProbeTable {
    /// Refuses the keys of probes on other bodies.
    fn refuse_foreign_keys(&self, at: &Place<'_>) {
        let (kind, others): (_, &[&str]) = match (&self.solid, &self.rope) {
            (Some(_), _) => ("solid", &["cloth", "material", "panel", "rope", "at"]),
            (None, Some(_)) => ("rope", &["cloth", "material", "panel", "solid", "point"]),
            (None, None) => ("cloth", &["rope", "at", "solid", "point"]),
        };
        for key in at.given(others) {
            at.at(key).refuse(
                format!("`{at}.{key}` does not go with a probe on a {kind}"),
                "a probe has cloth and material = [u, v], rope and at = 0 to 1, or solid and point = [x, y, z]",
            );
        }
    }
}

fn find_body(name: &str, kind: &str, names: &[&str], at: &Place<'_>) -> Option<usize> {
    let found = names.iter().position(|other| *other == name);
    if found.is_none() {
        let help = format!("{kind}s of the scene: {}", quoted_list(names));
        at.refuse(format!("`{at}` names the unknown {kind} {name:?}"), help.as_str());
    }
    found
}

/// Refuses every name that an earlier table has; `place` is that of a table.
pub(crate) fn refuse_duplicates<'a, 'p>(
    names: impl Iterator<Item = &'a str>,
    place: impl Fn(usize) -> Place<'p>,
) {
    let names: Vec<&str> = names.collect();
    for (number, name) in names.iter().enumerate() {
        if names[..number].contains(name) {
            let message = format!("the name {name:?} is used twice");
            place(number).at("name").refuse(message, "every name must be given once");
        }
    }
}
