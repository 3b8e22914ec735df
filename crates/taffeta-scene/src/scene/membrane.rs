//! Resistance of a cloth to stretching and bending: models, scaling, and limits.

use super::cloth_table::ClothTable;
use crate::keys::{Number, Part, name_of};
use crate::place::Place;
use taffeta_sim::{
    BendingModel, Compression, MembraneModel, MembraneScaling, ProjectionStiffness, SolverChoice,
    StiffnessCorrection, knows_rest_curvature,
};

/// The constraint of a triangle, or springs along the edges. PBD has neither: it keeps the lengths of the edges, and
/// energies are measured in them.
pub(super) fn resolve_membrane(table: &ClothTable, solver: SolverChoice, at: &Place<'_>) -> MembraneModel {
    let is_pbd = solver == SolverChoice::Pbd;
    let Some(membrane) = table.constraint.map(|constraint| constraint.0) else {
        return solver.default_membrane();
    };
    let at = at.at("constraint");
    if matches!(membrane, MembraneModel::Energy | MembraneModel::EnergyPublished) {
        let is_published = membrane == MembraneModel::EnergyPublished;
        let other = if is_published { "" } else { "constraint = \"strain\" has the same energy; " };
        refuse_unless_swept((&format!("is {:?}", name_of(membrane)), other), solver, &at);
        return membrane;
    }
    if membrane == MembraneModel::Distance {
        refuse_unless_rows(solver, &at);
    }
    if !is_pbd {
        return membrane;
    }
    if membrane == MembraneModel::Strain {
        at.warn(format!(
            "`{at}` is \"strain\", but the solver \"pbd\" keeps the lengths of the edges: it has no effect"
        ));
    }
    MembraneModel::Edges
}

/// Scaling of the constraint. `scaling = false` needs a `scaling_area` and a solver that sweeps.
pub(super) fn resolve_scaling(table: &ClothTable, solver: SolverChoice, at: &Place<'_>) -> MembraneScaling {
    let (scaling, area) = (at.at("scaling"), at.at("scaling_area"));
    if table.scaling != Some(false) {
        if table.scaling_area.is_some() {
            let message = format!("`{area}` has no effect where the constraints are scaled by area");
            area.refuse(message, "it belongs to scaling = false");
        }
        return MembraneScaling::ByArea;
    }
    if !refuse_unless_swept(("is false", ""), solver, &scaling) {
        return MembraneScaling::ByArea;
    }
    if table.scaling_area.is_none() {
        let help = "the area of a triangle that is as stiff as the material says, for example scaling_area = 0.002, \
                    in m²";
        scaling.refuse(format!("`{scaling}` is false, but `scaling_area` is missing"), help);
    }
    table.scaling_area.map_or(MembraneScaling::ByArea, |area| MembraneScaling::Fixed(area.0))
}

/// Compression that triangles bear: any, or a multiple of that at which the cloth in them buckles.
pub(super) fn resolve_buckling(
    table: &ClothTable,
    membrane: MembraneModel,
    solver: SolverChoice,
    at: &Place<'_>,
) -> Compression {
    let Some(factor) = table.buckling.0 else { return Compression::Full };
    let at = at.at("buckling");
    let refuse = |reason: &str, help: &str| {
        at.refuse(format!("`{at}` is given, but {reason}"), help);
        Compression::Full
    };
    if !solver.capabilities().buckling {
        let reason = format!("the solver {:?} has no stress that it could bound", solver.name());
        return refuse(&reason, "solver = \"global\", \"direct\" or \"block\"");
    }
    if membrane != MembraneModel::Strain {
        let reason = format!("`constraint` is {:?}", name_of(membrane));
        return refuse(&reason, "constraint = \"strain\"");
    }
    if table.scaling == Some(false) {
        return refuse("`scaling` is false", "leave one of them out");
    }
    Compression::Buckling { factor }
}

/// Returns whether the solver sweeps over the membrane blocks. If not, refuses the key at this place: its value in words,
/// and the beginning of the help.
fn refuse_unless_swept((what, instead): (&str, &str), solver: SolverChoice, at: &Place<'_>) -> bool {
    if solver.capabilities().membrane_forms {
        return true;
    }
    let reason = match solver {
        SolverChoice::Pbd => "keeps lengths and knows no compliance",
        SolverChoice::Projective => "projects strains or lengths",
        _ => "solves for the energy of the strain itself",
    };
    at.refuse(
        format!("`{at}` {what}, but the solver {:?} {reason}", solver.name()),
        format!("{instead}it belongs to solver = \"block\" or \"xpbd\"").as_str(),
    );
    false
}

/// Refuses springs along edges under a solver that takes faces as a whole.
fn refuse_unless_rows(solver: SolverChoice, at: &Place<'_>) {
    if solver.capabilities().rows {
        return;
    }
    at.refuse(
        format!(
            "`{at}` is \"distance\", one scalar row per edge, but the solver {:?} takes faces as a whole",
            solver.name()
        ),
        "constraint = \"edges\" or \"strain\", or solver = \"xpbd\" or \"pbd\"",
    );
}

/// A force above which edges let go. It needs one row per edge whose force is known, and edges that stay.
pub(super) fn resolve_break_force(
    table: &ClothTable,
    membrane: MembraneModel,
    solver: SolverChoice,
    at: &Place<'_>,
) -> Option<f64> {
    let force = table.break_force?.0;
    let at = at.at("break_force");
    if solver != SolverChoice::Xpbd {
        at.refuse(
            format!("`{at}` is not known to the solver {:?}: its edges have no force", solver.name()),
            "solver = \"xpbd\" with constraint = \"distance\"",
        );
    } else if membrane != MembraneModel::Distance {
        at.refuse(
            format!("`{at}` needs one row per edge, but `constraint` is not \"distance\""),
            "constraint = \"distance\"",
        );
    } else if table.remesh.is_some() {
        at.refuse(
            format!("`{at}` and `remesh` exclude each other: the edges that break are those of the mesh"),
            "leave one of them out",
        );
    }
    Some(force)
}

/// Warns where pressure has no material to work against.
pub(super) fn warn_of_pressure(table: &ClothTable, solver: SolverChoice, at: &Place<'_>) {
    if table.pressure.0 != 0.0 && solver == SolverChoice::Pbd {
        at.warn(format!(
            "`{at}.pressure` under the solver \"pbd\" moves the vertices before the projections, which take that back as \
             far as `stiffness` and `iterations` go: how far the cloth bulges does not follow from the pressure; use \
             solver = \"xpbd\", \"block\" or \"global\""
        ));
    }
}

/// The only bending model that an older method has, beside none.
fn own_bending(solver: SolverChoice) -> Option<BendingModel> {
    let own = solver.default_bending();
    (own != BendingModel::default()).then_some(own)
}

/// The bending model. The older methods have one each, unless the scene says that nothing bends.
pub(super) fn resolve_bending(table: &ClothTable, solver: SolverChoice, at: &Place<'_>) -> BendingModel {
    let given = table.bending.map(|bending| bending.0);
    let at = at.at("bending");
    let Some(own) = own_bending(solver) else {
        if given == Some(BendingModel::MeanCurvature) {
            let message = format!("`{at}` is \"mean_curvature\", which belongs to projective dynamics");
            at.refuse(message, "bending = \"curvature\", or solver = \"projective\"");
        }
        return given.unwrap_or_default();
    };
    if let Some(model) = given.filter(|model| !solver.capabilities().bends_by(*model)) {
        let (solver, model, own) = (solver.name(), name_of(model), name_of(own));
        let kind = if own == "hinge" { "hinges" } else { "the mean curvature at vertices" };
        at.refuse(
            format!("`{at}` is {model:?}, but the solver {solver:?} bends by {kind} only"),
            format!("bending = {own:?} or \"none\", or solver = \"block\", \"global\" or \"direct\"")
                .as_str(),
        );
    }
    if given == Some(BendingModel::None) { BendingModel::None } else { own }
}

/// Returns whether the solver is one of the older methods. If so, refuses the key at this place.
pub(super) fn refuse_under_older(solver: SolverChoice, at: &Place<'_>) -> bool {
    let is_older = own_bending(solver).is_some();
    if is_older {
        let message = format!("`{at}` means nothing to the solver {:?}", solver.name());
        at.refuse(message, "it belongs to solver = \"block\", \"global\" or \"direct\"");
    }
    is_older
}

/// The curvature at rest.
pub(super) fn resolve_rest_curvature(
    table: &ClothTable,
    bending: BendingModel,
    solver: SolverChoice,
    at: &Place<'_>,
) -> [f64; 3] {
    let curvature = table.rest_curvature.get();
    let at = at.at("rest_curvature");
    if curvature == [0.0; 3] || refuse_under_older(solver, &at) || knows_rest_curvature(bending) {
        return curvature;
    }
    let message = format!("`{at}` means nothing to the bending model {:?}", name_of(bending));
    at.refuse(message, "for example bending = \"curvature\"");
    curvature
}

/// Keys of a cloth or a rope for its stiffness under PBD.
#[derive(Clone, Copy)]
pub(super) struct ProjectionKeys {
    pub stiffness: Option<Part>,
    pub bend_stiffness: Option<Part>,
    pub stiffness_correction: Option<bool>,
}

impl ProjectionKeys {
    /// The keys of a stiffness; none under solvers that have none.
    pub(super) fn new(projection: ProjectionStiffness, solver: SolverChoice) -> Self {
        let ProjectionStiffness { stretch, bend, correction } = projection;
        let is_pbd = solver == SolverChoice::Pbd;
        let is_corrected = correction == StiffnessCorrection::PerSubstep;
        Self {
            stiffness: is_pbd.then_some(Number(stretch)),
            bend_stiffness: is_pbd.then_some(Number(bend)),
            stiffness_correction: is_pbd.then_some(is_corrected),
        }
    }

    /// The stiffness under PBD; under other solvers a warning says where it comes from.
    pub(super) fn resolve(self, solver: SolverChoice, at: &Place<'_>) -> ProjectionStiffness {
        let Self { stiffness, bend_stiffness, stiffness_correction } = self;
        let default = ProjectionStiffness::default();
        if solver == SolverChoice::Pbd {
            let is_corrected = stiffness_correction == Some(true);
            return ProjectionStiffness {
                stretch: stiffness.map_or(default.stretch, f64::from),
                bend: bend_stiffness.map_or(default.bend, f64::from),
                correction: if is_corrected { StiffnessCorrection::PerSubstep } else { default.correction },
            };
        }
        for key in at.given(&["stiffness", "bend_stiffness", "stiffness_correction"]) {
            at.warn(format!(
                "`{at}.{key}` belongs to the solver \"pbd\" and has no effect here: stiffness comes from the material"
            ));
        }
        default
    }
}
