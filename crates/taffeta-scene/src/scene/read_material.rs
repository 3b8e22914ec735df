//! Materials: presets, named tables, inline tables.

use super::read_cloth::{Surroundings, bending_name};
use super::read_motion::read_friction;
use super::read_tearing::read_tearing;
use crate::document::Kind;
use crate::materials;
use crate::reader::{Item, Range, TableReader, did_you_mean, join_key, quoted_list};
use std::cell::RefCell;
use std::collections::{BTreeMap, BTreeSet};
use taffeta_solve::{BendingModel, Material, MaterialError};

const KEYS: &[&str] = &[
    "density",
    "thickness",
    "stretch",
    "poisson",
    "shear",
    "bend",
    "bend_poisson",
    "yield_curvature",
    "yield_hardening",
    "stretch_damping",
    "bend_damping",
    "friction",
    "tear_strength",
    "tear_length",
];

/// The materials that a scene can name.
pub(super) struct MaterialLibrary {
    /// `None`: the table has problems, which are noted.
    own: BTreeMap<String, Option<Material>>,
    used: RefCell<BTreeSet<String>>,
}

impl MaterialLibrary {
    /// Reads `[materials]`. A table with the name of a preset changes that preset; any other stands for itself.
    pub(super) fn read(top: &TableReader<'_>) -> Self {
        let mut own = BTreeMap::new();
        if let Some(item) = top.get("materials") {
            match &item.value.kind {
                Kind::Table(entries) => {
                    for entry in entries {
                        let key = format!("materials.{}", entry.key);
                        let table = Item { context: item.context, value: &entry.value, key };
                        let base = materials::preset(&entry.key).map(|preset| preset.material);
                        own.insert(entry.key.clone(), read_table(&table, base));
                    }
                }
                _ => item.report("`materials` must be a table of tables, [materials.NAME]".to_owned(), None),
            }
        }
        Self { own, used: RefCell::default() }
    }

    /// The material of a cloth: a name or an inline table.
    pub(super) fn resolve(&self, item: &Item<'_>) -> Option<Material> {
        let name = match &item.value.kind {
            Kind::String(name) => name,
            Kind::Table(_) => return read_table(item, None),
            _ => {
                let found = item.value.describe();
                item.report(
                    format!("`{}` is {found}, but must be a material's name or table", item.key),
                    None,
                );
                return None;
            }
        };
        self.used.borrow_mut().insert(name.clone());
        if let Some(material) = self.own.get(name) {
            return material.clone();
        }
        let preset = materials::preset(name).map(|preset| preset.material);
        if preset.is_none() {
            let presets = materials::presets();
            let mut names: Vec<&str> = presets.iter().map(|preset| preset.name).collect();
            names.extend(self.own.keys().map(String::as_str));
            let suggestion = did_you_mean(name, &names).map_or(String::new(), |text| format!("{text} "));
            let help = format!("{suggestion}known materials: {}", quoted_list(&names));
            item.report(format!("`{}` is the unknown material {name:?}", item.key), Some(help));
        }
        preset
    }

    /// Warnings about tables that no cloth uses.
    pub(super) fn unused(&self) -> Vec<String> {
        let used = self.used.borrow();
        let unused = self.own.keys().filter(|name| !used.contains(*name));
        unused.map(|name| format!("materials.{name} is used by no cloth")).collect()
    }
}

/// Reads a material table; what is absent comes from the base, or else from the format's defaults.
fn read_table(item: &Item<'_>, base: Option<Material>) -> Option<Material> {
    let table = item.table(KEYS)?;
    let mut complete = true;
    if base.is_none() {
        for (key, example) in [
            ("density", "density = 0.2 (kg/m²)"),
            ("stretch", "stretch = [1000.0, 1000.0] (N/m)"),
            ("bend", "bend = [1e-5, 1e-5] (N·m)"),
        ] {
            complete &= table.require(key, example).is_some();
        }
    }
    let base = base.unwrap_or(Material::isotropic(0.2, 1000.0, 0.3, 1e-5));
    let optional = |key: &str| table.get(key).and_then(|item| item.number(Range::Finite));
    let pair =
        |key: &str, default| table.get(key).and_then(|item| item.numbers(Range::Finite)).unwrap_or(default);
    let material = Material {
        density: table.number("density", base.density, Range::Finite),
        thickness: table.number("thickness", base.thickness, Range::Finite),
        stretch: pair("stretch", base.stretch),
        poisson: table.number("poisson", base.poisson, Range::Finite),
        shear: optional("shear").or(base.shear),
        bend: pair("bend", base.bend),
        bend_poisson: optional("bend_poisson").or(base.bend_poisson),
        yield_curvature: optional("yield_curvature").or(base.yield_curvature),
        yield_hardening: table.number("yield_hardening", base.yield_hardening, Range::Finite),
        stretch_damping: table.number("stretch_damping", base.stretch_damping, Range::Finite),
        bend_damping: table.number("bend_damping", base.bend_damping, Range::Finite),
        friction: read_friction(&table, base.friction),
        tearing: read_tearing(&table, base.tearing),
    };
    if let (Some(hardening), None) = (table.get("yield_hardening"), material.yield_curvature) {
        let message = format!("`{}` means nothing without a `yield_curvature`", hardening.key);
        hardening.report(message, Some("for example yield_curvature = 100.0 (1/m)".to_owned()));
        return None;
    }
    if let Some(message) = refuse_poisson_of_shear(&material, &item.key) {
        item.context.report(&format!("{}.poisson", item.key), message, None);
        return None;
    }
    report_material(item, material.validate()).then_some(())?;
    complete.then_some(material)
}

/// Whether the material at `item` has passed its check; reports at the quantity that has not.
pub(super) fn report_material(item: &Item<'_>, checked: Result<(), MaterialError>) -> bool {
    let Err(error) = checked else { return true };
    let field = match &error {
        MaterialError::OutOfRange { field, .. } => field,
        MaterialError::Indefinite { .. } => "poisson",
        MaterialError::IndefiniteBending { .. } => "bend_poisson",
    };
    let message = error.to_string().replacen(field, &format!("`{}.{field}`", item.key), 1);
    item.context.report(&join_key(&item.key, field), message, None);
    false
}

/// Refuses a material that yields where folds cannot stay.
pub(super) fn refuse_folds(
    table: &TableReader<'_>,
    (material, bending): (&Material, BendingModel),
    surroundings: Surroundings<'_>,
) {
    let Surroundings { solver, is_static, .. } = surroundings;
    let Some(item) = table.get("material").filter(|_| material.yield_curvature.is_some()) else { return };
    let key = &item.key;
    let reported = if is_static {
        (
            "which makes folds that depend on the way to them; the search for an equilibrium knows no way"
                .to_owned(),
            "mode = \"dynamic\", or a material without it",
        )
    } else if let Some(solver) = solver.filter(|solver| !solver.capabilities().folds) {
        (
            format!("which the solver {:?} does not know", solver.name()),
            "solver = \"global\", \"direct\" or \"block\", or a material without it",
        )
    } else if !bending.knows_plastic_folds() {
        (
            format!("which means nothing to the bending model {:?}", bending_name(bending)),
            "bending = \"curvature\", or a material without it",
        )
    } else {
        return;
    };
    let (reason, help) = reported;
    item.report(format!("`{key}` has a yield_curvature, {reason}"), Some(help.to_owned()));
}

/// Reports under a key of a body, such as "rope" or "solid", why it cannot be built.
pub(super) fn report_body(table: &TableReader<'_>, (kind, name): (&str, &str), key: &str, reason: &str) {
    let message = format!("the {kind} {name:?} cannot be built: {reason}");
    table.item.context.report(&join_key(&table.item.key, key), message, None);
}

/// Refuses a Poisson ratio that leaves the isotropic value of an absent shear stiffness without sense.
fn refuse_poisson_of_shear(material: &Material, key: &str) -> Option<String> {
    let poisson = material.poisson;
    let is_bad = material.shear.is_none() && poisson.is_finite() && poisson <= -1.0;
    is_bad.then(|| {
        format!(
            "`{key}.poisson` is {poisson}, but must be greater than -1: the shear stiffness of an isotropic material, \
             which stands for the absent `shear`, is stretch/(2 (1 + poisson))"
        )
    })
}
