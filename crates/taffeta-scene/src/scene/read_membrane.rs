//! How a cloth resists stretching, what that is scaled with, and when it stops to.

use super::read_cloth::Surroundings;
use crate::document::Kind;
use crate::reader::{Item, Range, TableReader};
use taffeta_sim::{Compression, MembraneModel, MembraneScaling, SolverChoice};

/// The membrane by names.
pub(crate) const MEMBRANE_MODELS: [(&str, MembraneModel); 5] = [
    ("strain", MembraneModel::Strain),
    ("edges", MembraneModel::Edges),
    ("energy", MembraneModel::Energy),
    ("energy_published", MembraneModel::EnergyPublished),
    ("distance", MembraneModel::Distance),
];
/// The solvers that sweep over the membrane blocks.
const SOLVERS_THAT_SWEEP: &str = "solver = \"block\" or \"xpbd\"";

/// The name of a constraint.
pub(super) fn membrane_name(membrane: MembraneModel) -> &'static str {
    let found = MEMBRANE_MODELS.iter().find(|(_, model)| *model == membrane);
    found.expect("every model has a name").0
}

/// The constraint of a triangle, or springs along the edges. PBD has neither: it keeps the lengths of the edges, and
/// energies are measured in them.
pub(super) fn read_membrane(
    table: &TableReader<'_>,
    surroundings: Surroundings<'_>,
    warnings: &mut Vec<String>,
) -> MembraneModel {
    let Some(item) = table.get("constraint") else {
        return match surroundings.solver {
            Some(SolverChoice::Pbd) => MembraneModel::Edges,
            _ => MembraneModel::default(),
        };
    };
    let Some(read) = item.choice(&MEMBRANE_MODELS) else { return MembraneModel::default() };
    if matches!(read, MembraneModel::Energy | MembraneModel::EnergyPublished) {
        let is_published = read == MembraneModel::EnergyPublished;
        let other = if is_published { "" } else { "constraint = \"strain\" has the same energy; " };
        refuse_unless_swept(&item, (&format!("is {:?}", membrane_name(read)), other), surroundings);
        return read;
    }
    if read == MembraneModel::Distance {
        refuse_unless_rows(&item, surroundings);
    }
    if surroundings.solver != Some(SolverChoice::Pbd) {
        return read;
    }
    if read == MembraneModel::Strain {
        warnings.push(format!(
            "`{}` is \"strain\", but the solver \"pbd\" keeps the lengths of the edges: it has no effect",
            item.key
        ));
    }
    MembraneModel::Edges
}

/// What the constraint is scaled with: `scaling = false` goes with a `scaling_area`, and both with solvers that sweep.
pub(super) fn read_scaling(table: &TableReader<'_>, surroundings: Surroundings<'_>) -> MembraneScaling {
    let is_scaled = table.get("scaling").map(|item| (item.boolean(), item));
    let area = table.get("scaling_area");
    let Some((Some(false), scaling)) = is_scaled else {
        if let Some(area) = area {
            let message = format!("`{}` has no effect where the constraints are scaled by area", area.key);
            area.report(message, Some("it belongs to scaling = false".to_owned()));
        }
        return MembraneScaling::ByArea;
    };
    if !refuse_unless_swept(&scaling, ("is false", ""), surroundings) {
        return MembraneScaling::ByArea;
    }
    let Some(area) = area else {
        let message = format!("`{}` is false, but `scaling_area` is missing", scaling.key);
        let help = "the area of a triangle that is as stiff as the material says, for example scaling_area = 0.002, \
                    in m²";
        scaling.report(message, Some(help.to_owned()));
        return MembraneScaling::ByArea;
    };
    area.number(Range::Positive).map_or(MembraneScaling::ByArea, MembraneScaling::Fixed)
}

/// Whether triangles bear no more compression than the cloth in them does without buckling.
pub(super) fn read_buckling(
    table: &TableReader<'_>,
    membrane: MembraneModel,
    surroundings: Surroundings<'_>,
) -> Compression {
    let Some(item) = table.get("buckling") else { return Compression::default() };
    let read = match item.value.kind {
        Kind::Boolean(true) => Some(Compression::BUCKLING),
        _ => item.number_or_off(Range::Positive).flatten().map(|factor| Compression::Buckling { factor }),
    };
    let Some(read) = read else { return Compression::Full };
    let refuse = |reason: &str, help: &str| {
        item.report(format!("`{}` is given, but {reason}", item.key), Some(help.to_owned()));
        Compression::Full
    };
    if let Some(solver) = surroundings.solver.filter(|solver| !solver.capabilities().buckling) {
        let reason = format!("the solver {:?} has no stress that it could bound", solver.name());
        return refuse(&reason, "solver = \"global\", \"direct\" or \"block\"");
    }
    if membrane != MembraneModel::Strain {
        let reason = format!("`constraint` is {:?}", membrane_name(membrane));
        return refuse(&reason, "constraint = \"strain\"");
    }
    // A wrong type is reported where it is read.
    if table.get("scaling").is_some_and(|item| matches!(item.value.kind, Kind::Boolean(false))) {
        return refuse("`scaling` is false", "leave one of them out");
    }
    read
}

/// Whether the scene's solver sweeps over the membrane blocks; if not, reports a key that needs one: what it is, and what
/// to write instead, if anything.
fn refuse_unless_swept(
    item: &Item<'_>,
    (what, instead): (&str, &str),
    surroundings: Surroundings<'_>,
) -> bool {
    let Some(solver) = surroundings.solver.filter(|solver| !solver.capabilities().membrane_forms) else {
        return true;
    };
    let reason = match solver {
        SolverChoice::Pbd => "keeps lengths and knows no compliance",
        SolverChoice::Projective => "projects strains or lengths",
        _ => "solves for the energy of the strain itself",
    };
    let message = format!("`{}` {what}, but the solver {:?} {reason}", item.key, solver.name());
    item.report(message, Some(format!("{instead}it belongs to {SOLVERS_THAT_SWEEP}")));
    false
}

/// Reports springs along edges under a solver that takes faces as a whole.
fn refuse_unless_rows(item: &Item<'_>, surroundings: Surroundings<'_>) {
    let Some(solver) = surroundings.solver.filter(|solver| !solver.capabilities().rows) else { return };
    let message = format!(
        "`{}` is \"distance\", one scalar row per edge, but the solver {:?} takes faces as a whole",
        item.key,
        solver.name()
    );
    let help = "constraint = \"edges\" or \"strain\", or solver = \"xpbd\" or \"pbd\"";
    item.report(message, Some(help.to_owned()));
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
