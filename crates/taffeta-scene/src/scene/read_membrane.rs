//! How a cloth resists stretching, and when it stops to.

use super::read_cloth::Surroundings;
use crate::reader::{Item, Range, TableReader};
use taffeta_sim::{MembraneModel, SolverChoice};

/// The membrane by names.
const MEMBRANE_MODELS: [(&str, MembraneModel); 3] = [
    ("strain", MembraneModel::Strain),
    ("edges", MembraneModel::Edges),
    ("distance", MembraneModel::Distance),
];

/// The constraint of a triangle, or springs along the edges. PBD has neither: it keeps the lengths of the edges, and
/// energies are measured in them.
pub(super) fn read_membrane(
    table: &TableReader<'_>,
    surroundings: Surroundings<'_>,
    warnings: &mut Vec<String>,
) -> MembraneModel {
    let given = table.get("constraint");
    let read = given.as_ref().and_then(|item| item.choice(&MEMBRANE_MODELS));
    if let (Some(item), Some(MembraneModel::Distance), Some(solver)) = (&given, read, surroundings.solver)
        && !solver.takes_rows()
    {
        let message = format!(
            "`{}` is \"distance\", one scalar row per edge, but the solver {:?} takes faces as a whole",
            item.key,
            solver.name()
        );
        let help = "constraint = \"edges\" or \"strain\", or solver = \"xpbd\" or \"pbd\"";
        item.report(message, Some(help.to_owned()));
    }
    if surroundings.solver != Some(SolverChoice::Pbd) {
        return read.unwrap_or_default();
    }
    if let (Some(item), Some(MembraneModel::Strain)) = (given, read) {
        warnings.push(format!(
            "`{}` is \"strain\", but the solver \"pbd\" keeps the lengths of the edges: it has no effect",
            item.key
        ));
    }
    MembraneModel::Edges
}

/// A force above which edges let go. It needs one row per edge whose force is known, and edges that stay.
pub(super) fn read_break_force(
    item: &Item<'_>,
    (membrane, is_remeshed): (MembraneModel, bool),
    surroundings: Surroundings<'_>,
) -> Option<f64> {
    let force = item.number(Range::Positive)?;
    let refuse = |message: &str, help: &str| item.report(message.to_owned(), Some(help.to_owned()));
    match surroundings.solver {
        Some(solver) if solver != SolverChoice::Xpbd => refuse(
            &format!(
                "`{}` is not known to the solver {:?}: its edges have no force",
                item.key,
                solver.name()
            ),
            "solver = \"xpbd\" with constraint = \"distance\"",
        ),
        _ if membrane != MembraneModel::Distance => refuse(
            &format!("`{}` needs one row per edge, but `constraint` is not \"distance\"", item.key),
            "constraint = \"distance\"",
        ),
        _ if is_remeshed => refuse(
            &format!(
                "`{}` and `remesh` exclude each other: the edges that break are those of the mesh",
                item.key
            ),
            "leave one of them out",
        ),
        _ => {}
    }
    Some(force)
}

/// Warns where pressure has no material to work against.
pub(super) fn warn_of_pressure(
    table: &TableReader<'_>,
    surroundings: Surroundings<'_>,
    warnings: &mut Vec<String>,
) {
    if let (Some(item), Some(SolverChoice::Pbd)) = (table.get("pressure"), surroundings.solver) {
        warnings.push(format!(
            "`{}` under the solver \"pbd\" moves the vertices before the projections, which take that back as far as \
             `stiffness` and `iterations` go: how far the cloth bulges does not follow from the pressure; use solver = \
             \"xpbd\", \"block\" or \"global\"",
            item.key
        ));
    }
}
