//! Cloth that tears.

use super::read_cloth::Surroundings;
use crate::document::Kind;
use crate::reader::{Range, TableReader};
use taffeta_remesh::RemeshSettings;
use taffeta_solve::{Material, MembraneModel, Tearing};

/// Reads strength, one number or two, and length of tearing.
pub(super) fn read_tearing(table: &TableReader<'_>, base: Option<Tearing>) -> Option<Tearing> {
    let length = table.get("tear_length");
    let Some(strength) = table.get("tear_strength") else {
        if let (Some(item), None) = (&length, base) {
            let help = Some("tear_strength = 300.0 (N/m)".to_owned());
            item.report(format!("`{}` says nothing without `tear_strength`", item.key), help);
        }
        let length = length.and_then(|item| item.number(Range::Finite));
        return base.map(|base| Tearing { length: length.unwrap_or(base.length), ..base });
    };
    let strength = match strength.value.kind {
        Kind::Array(_) => strength.numbers(Range::Finite)?,
        _ => [strength.number(Range::Finite)?; 2],
    };
    let default = base.map_or(Tearing::DEFAULT_LENGTH, |base| base.length);
    Some(Tearing { strength, length: table.number("tear_length", default, Range::Finite) })
}

/// What of a cloth matters to whether it can tear.
#[derive(Clone, Copy)]
pub(super) struct TearingParts<'a> {
    pub material: &'a Material,
    pub membrane: MembraneModel,
    pub remesh: Option<RemeshSettings>,
}

/// Refuses a cloth that can tear where nothing could follow it, and warns where the mesh decides when it does.
pub(super) fn check_tearing(
    table: &TableReader<'_>,
    parts: TearingParts<'_>,
    surroundings: Surroundings<'_>,
    warnings: &mut Vec<String>,
) {
    let (Some(item), Some(tearing)) = (table.get("material"), parts.material.tearing) else { return };
    let refuse = |reason: String, help: &str| {
        item.report(
            format!("`{}` can tear (`tear_strength`), but {reason}", item.key),
            Some(help.to_owned()),
        );
    };
    if let Some(solver) = surroundings.solver.filter(|solver| !solver.capabilities().seams) {
        let name = solver.name();
        return refuse(format!("the solver {name:?} cannot"), "solver = \"global\", \"direct\" or \"block\"");
    }
    if surroundings.is_static {
        return refuse(
            "in mode \"static\" no time passes in which it could".to_owned(),
            "mode = \"dynamic\"",
        );
    }
    if table.get("volume").is_some() {
        return refuse("`volume` is of closed cloths".to_owned(), "leave one of them out");
    }
    if !matches!(parts.membrane, MembraneModel::Strain | MembraneModel::Edges | MembraneModel::Energy) {
        return refuse("its `constraint` has no stress".to_owned(), "constraint = \"strain\"");
    }
    warn_of_mesh(&item.key, tearing, parts.remesh, warnings);
}

/// Warns where tears follow the mesh, or the mesh is too coarse for the length over which the stress is averaged.
fn warn_of_mesh(key: &str, tearing: Tearing, remesh: Option<RemeshSettings>, warnings: &mut Vec<String>) {
    let Some(settings) = remesh else {
        return warnings.push(format!(
            "`{key}` can tear, but the cloth is not remeshed: only the edges that it has can open, so that tears follow the \
             mesh; add [cloth.remesh]"
        ));
    };
    if settings.size_min > 0.5 * tearing.length {
        warnings.push(format!(
            "`{key}` can tear, but size_min, {} m, is more than half of tear_length, {} m: when it tears depends on the \
             mesh; use a finer size_min or a larger tear_length",
            settings.size_min, tearing.length
        ));
    }
}
