//! Materials of cloths: presets, named tables, inline tables.

use super::motion::FrictionTable;
use crate::keys::{
    ABOVE_ZERO, Corner, FINITE, FROM_ZERO, NotNegative, Number, Numbers, Positive, Spread, canonical,
};
use crate::materials::{preset, presets};
use crate::place::Place;
use crate::words::{did_you_mean, quoted_list};
use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde::de::value::MapAccessDeserializer;
use serde::de::{Deserializer, Error, MapAccess, Visitor};
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value, json};
use std::cell::RefCell;
use std::collections::{BTreeMap, BTreeSet};
use std::fmt;
use taffeta_solve::stiffening::LEAST_LINEARITY;
use taffeta_solve::{DEFAULT_HARDENING, Material, MaterialError, Tearing};

/// The material of a cloth that names none.
const DEFAULT_MATERIAL: &str = "cotton";
/// Keys that a material needs if it does not change a preset.
const REQUIRED: [&str; 3] = ["density", "stretch", "bend"];

/// A material of cloth. Without a preset to change it needs density, stretch and bend.
#[derive(Clone, Debug, Default, Serialize, Deserialize, JsonSchema)]
#[serde(rename = "material", deny_unknown_fields)]
#[schemars(extend("dependentRequired" = json!({ "tear_length": ["tear_strength"] })))]
pub(crate) struct MaterialTable {
    /// Areal density \[kg/m²\].
    density: Option<Positive>,
    /// Thickness, for contact \[m\].
    #[schemars(extend("default" = default_material().thickness))]
    thickness: Option<Positive>,
    /// Stiffness along warp and weft \[N/m\]; with a `linearity` below 1 the secant at 490 N/m.
    #[schemars(with = "Option<Numbers<ABOVE_ZERO, 2>>")]
    stretch: Option<Corner>,
    /// Linearity LT of the tensile curve (KES-F1): cloth is the softer at small strains, the lower it is. The solvers `global` and
    /// `direct` know it. Others have `stretch` at any strain, as have `buckling` and `constraint = "edges"`.
    #[schemars(extend("minimum" = LEAST_LINEARITY, "maximum" = 1, "default" = 1.0))]
    linearity: Option<Number>,
    /// Poisson's ratio ν₁₂ of the membrane.
    #[schemars(extend("exclusiveMinimum" = -1, "default" = default_material().poisson))]
    poisson: Option<Number>,
    /// Shear stiffness \[N/m\]. Absent: the isotropic value.
    shear: Option<Positive>,
    /// Plate stiffness D = Eh³/12(1−ν²) along warp and weft \[N·m\].
    #[schemars(with = "Option<Numbers<FROM_ZERO, 2>>")]
    bend: Option<Corner>,
    /// Poisson's ratio of bending. Absent: that of the membrane.
    #[schemars(extend("exclusiveMinimum" = -1, "maximum" = 1))]
    bend_poisson: Option<Number>,
    /// Elastic curvature beyond which a fold stays \[1/m\]. Absent: all bending is elastic.
    yield_curvature: Option<Positive>,
    /// Part of the plastic curvature by which the yield curvature moves along with a fold; with `yield_curvature`.
    #[schemars(extend("default" = DEFAULT_HARDENING))]
    yield_hardening: Option<NotNegative>,
    /// Time constant of damping of the membrane \[s\].
    #[schemars(extend("default" = 0.0))]
    stretch_damping: Option<NotNegative>,
    /// Time constant of damping of bending \[s\].
    #[schemars(extend("default" = 0.0))]
    bend_damping: Option<NotNegative>,
    /// Friction of the surface.
    friction: Option<FrictionTable>,
    /// Force per width at rest above which the cloth tears, along warp and weft or along both \[N/m\]. Absent: it does not
    /// tear.
    #[schemars(with = "Option<Spread<ABOVE_ZERO, 2>>")]
    tear_strength: Option<Spread<FINITE, 2>>,
    /// Radius over which the stress is averaged that is held against `tear_strength` \[m\].
    #[schemars(extend("default" = Tearing::DEFAULT_LENGTH))]
    tear_length: Option<Positive>,
}

/// Defaults of a material that changes no preset.
fn default_material() -> Material {
    Material::isotropic(0.2, 1000.0, 0.3, 1e-5)
}

impl From<&Material> for MaterialTable {
    fn from(material: &Material) -> Self {
        let Material {
            density,
            thickness,
            stretch,
            linearity,
            poisson,
            shear,
            bend,
            bend_poisson,
            yield_curvature,
            yield_hardening,
            stretch_damping,
            bend_damping,
            friction,
            tearing,
        } = *material;
        Self {
            density: Some(Number(density)),
            thickness: Some(Number(thickness)),
            stretch: Some(stretch.into()),
            linearity: (linearity < 1.0).then_some(Number(linearity)),
            poisson: Some(Number(poisson)),
            shear: shear.map(Number),
            bend: Some(bend.into()),
            bend_poisson: bend_poisson.map(Number),
            yield_curvature: yield_curvature.map(Number),
            yield_hardening: yield_curvature.map(|_| Number(yield_hardening)),
            stretch_damping: Some(Number(stretch_damping)),
            bend_damping: Some(Number(bend_damping)),
            friction: Some(friction.into()),
            tear_strength: tearing.map(|tearing| Spread(tearing.strength.into())),
            tear_length: tearing.map(|tearing| Number(tearing.length)),
        }
    }
}

impl MaterialTable {
    /// The material, checked; what is absent comes from the base, or else from the format's defaults.
    fn resolve(&self, base: Option<Material>, at: &Place<'_>) -> Option<Material> {
        let is_complete = base.is_some() || self.is_complete(at);
        let base = base.unwrap_or(default_material());
        let or = |key: Option<NotNegative>, base: f64| key.map_or(base, f64::from);
        let material = Material {
            density: self.density.map_or(base.density, f64::from),
            thickness: self.thickness.map_or(base.thickness, f64::from),
            stretch: self.stretch.map_or(base.stretch, Corner::get),
            linearity: self.linearity.map_or(base.linearity, f64::from),
            poisson: self.poisson.map_or(base.poisson, f64::from),
            shear: self.shear.map(f64::from).or(base.shear),
            bend: self.bend.map_or(base.bend, Corner::get),
            bend_poisson: self.bend_poisson.map(f64::from).or(base.bend_poisson),
            yield_curvature: self.yield_curvature.map(f64::from).or(base.yield_curvature),
            yield_hardening: or(self.yield_hardening, base.yield_hardening),
            stretch_damping: or(self.stretch_damping, base.stretch_damping),
            bend_damping: or(self.bend_damping, base.bend_damping),
            friction: match &self.friction {
                Some(friction) => friction.resolve(base.friction, &at.at("friction")),
                None => base.friction,
            },
            tearing: self.resolve_tearing(base.tearing, at),
        };
        if self.yield_hardening.is_some() && material.yield_curvature.is_none() {
            let message = format!("`{at}.yield_hardening` means nothing without a `yield_curvature`");
            at.at("yield_hardening").refuse(message, "for example yield_curvature = 100.0 (1/m)");
            return None;
        }
        refuse_poisson_of_shear(&material, at)?;
        report_material(material.validate(), at).then_some(())?;
        is_complete.then_some(material)
    }

    /// Returns whether the table has the keys that a material needs, and notes those that are missing.
    fn is_complete(&self, at: &Place<'_>) -> bool {
        let missing = [
            (self.density.is_none(), "density", "density = 0.2 (kg/m²)"),
            (self.stretch.is_none(), "stretch", "stretch = [1000.0, 1000.0] (N/m)"),
            (self.bend.is_none(), "bend", "bend = [1e-5, 1e-5] (N·m)"),
        ];
        let missing = missing.iter().filter(|(is_missing, ..)| *is_missing);
        missing.map(|(_, key, example)| at.miss(key, example)).count() == 0
    }

    fn resolve_tearing(&self, base: Option<Tearing>, at: &Place<'_>) -> Option<Tearing> {
        let length = self.tear_length.map(f64::from);
        if self.tear_strength.is_none() && base.is_none() && length.is_some() {
            let message = format!("`{at}.tear_length` says nothing without `tear_strength`");
            at.at("tear_length").refuse(message, "tear_strength = 300.0 (N/m)");
        }
        let strength = self.tear_strength.map(|Spread(strength)| strength.get());
        let strength = strength.or(base.map(|base| base.strength))?;
        let length = length.or(base.map(|base| base.length)).unwrap_or(Tearing::DEFAULT_LENGTH);
        Some(Tearing { strength, length })
    }
}

/// Refuses a Poisson ratio that leaves the isotropic value of an absent shear stiffness without sense.
fn refuse_poisson_of_shear(material: &Material, at: &Place<'_>) -> Option<()> {
    let poisson = material.poisson;
    if material.shear.is_some() || poisson > -1.0 {
        return Some(());
    }
    at.at("poisson").refuse(
        format!(
            "`{at}.poisson` is {poisson}, but must be greater than -1: the shear stiffness of an isotropic material, \
             which stands for the absent `shear`, is stretch/(2 (1 + poisson))"
        ),
        None,
    );
    None
}

/// Returns whether the material at this place has passed its check. If not, notes a problem at the quantity that failed.
pub(crate) fn report_material(checked: Result<(), MaterialError>, at: &Place<'_>) -> bool {
    let Err(error) = checked else { return true };
    let field = match &error {
        MaterialError::OutOfRange { field, .. } => field,
        MaterialError::Indefinite { .. } => "poisson",
        MaterialError::IndefiniteBending { .. } => "bend_poisson",
    };
    let message = error.to_string().replacen(field, &format!("`{at}.{field}`"), 1);
    at.at(field).refuse(message, None);
    false
}

/// The table of a preset, in canonical form.
pub(crate) fn preset_table(name: &str) -> Option<Value> {
    preset(name).map(|preset| canonical(&MaterialTable::from(&preset.material)))
}

/// The material of a cloth: a name or a table.
#[derive(Clone, Debug, JsonSchema)]
#[schemars(inline, description = "", schema_with = "choice_schema")]
pub(crate) enum MaterialChoice {
    /// The name of a preset or of a table of the scene.
    Name(String),
    /// A table.
    Table(Box<MaterialTable>),
}

impl Default for MaterialChoice {
    fn default() -> Self {
        Self::Name(DEFAULT_MATERIAL.to_owned())
    }
}

struct ChoiceVisitor;

impl<'de> Visitor<'de> for ChoiceVisitor {
    type Value = MaterialChoice;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a material's name or table")
    }

    fn visit_str<E: Error>(self, name: &str) -> Result<MaterialChoice, E> {
        Ok(MaterialChoice::Name(name.to_owned()))
    }

    fn visit_map<A: MapAccess<'de>>(self, map: A) -> Result<MaterialChoice, A::Error> {
        let table = MaterialTable::deserialize(MapAccessDeserializer::new(map))?;
        Ok(MaterialChoice::Table(Box::new(table)))
    }
}

impl<'de> Deserialize<'de> for MaterialChoice {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_any(ChoiceVisitor)
    }
}

impl Serialize for MaterialChoice {
    fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match self {
            Self::Name(name) => serializer.serialize_str(name),
            Self::Table(table) => table.serialize(serializer),
        }
    }
}

/// The schema of a table that changes no preset.
fn complete_table(generator: &mut SchemaGenerator) -> Schema {
    let mut schema = generator.subschema_for::<MaterialTable>();
    schema.insert("required".to_owned(), json!(REQUIRED));
    schema
}

fn choice_schema(generator: &mut SchemaGenerator) -> Schema {
    let names: Vec<&str> = presets().iter().map(|preset| preset.name).collect();
    json_schema!({ "anyOf": [{ "enum": names }, { "type": "string" }, complete_table(generator)] })
}

/// Materials by name. A table with the name of a preset changes that preset; any other stands for itself.
#[derive(Clone, Debug, Default, Serialize, Deserialize, JsonSchema)]
#[schemars(inline, description = "", schema_with = "materials_schema")]
pub(crate) struct MaterialsTable(BTreeMap<String, MaterialTable>);

fn materials_schema(generator: &mut SchemaGenerator) -> Schema {
    let changed = presets().into_iter().map(|preset| {
        let mut table = generator.subschema_for::<MaterialTable>();
        table.insert("description".to_owned(), format!("Changes the preset: {}.", preset.description).into());
        (preset.name.to_owned(), table.to_value())
    });
    let changed: Map<String, Value> = changed.collect();
    json_schema!({
        "type": "object",
        "properties": changed,
        "additionalProperties": complete_table(generator),
    })
}

/// The materials that a scene can name.
pub(crate) struct Library {
    /// `None`: the table has problems, which are noted.
    own: BTreeMap<String, Option<Material>>,
    used: RefCell<BTreeSet<String>>,
}

impl Library {
    /// The materials of a scene, checked.
    pub(crate) fn new(MaterialsTable(tables): &MaterialsTable, at: &Place<'_>) -> Self {
        let resolve = |(name, table): (&String, &MaterialTable)| {
            let base = preset(name).map(|preset| preset.material);
            (name.clone(), table.resolve(base, &at.at(name)))
        };
        Self { own: tables.iter().map(resolve).collect(), used: RefCell::default() }
    }

    /// The material of a cloth.
    pub(crate) fn resolve(&self, choice: &MaterialChoice, at: &Place<'_>) -> Option<Material> {
        let name = match choice {
            MaterialChoice::Name(name) => name,
            MaterialChoice::Table(table) => return table.resolve(None, at),
        };
        self.used.borrow_mut().insert(name.clone());
        if let Some(material) = self.own.get(name) {
            return material.clone();
        }
        let found = preset(name).map(|preset| preset.material);
        if found.is_none() {
            let presets = presets();
            let mut names: Vec<&str> = presets.iter().map(|preset| preset.name).collect();
            // A table of a preset's name changes that preset.
            names.extend(self.own.keys().map(String::as_str).filter(|name| preset(name).is_none()));
            let suggestion = did_you_mean(name, &names).map_or(String::new(), |text| format!("{text} "));
            let help = format!("{suggestion}known materials: {}", quoted_list(&names));
            at.refuse(format!("`{at}` is the unknown material {name:?}"), help.as_str());
        }
        found
    }

    /// Warns of tables that no cloth uses.
    pub(crate) fn warn_of_unused(&self, at: &Place<'_>) {
        let used = self.used.borrow();
        for name in self.own.keys().filter(|name| !used.contains(*name)) {
            at.warn(format!("{at}.{name} is used by no cloth"));
        }
    }
}
