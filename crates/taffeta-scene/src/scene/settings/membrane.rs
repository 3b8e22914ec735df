//! Resistance of a cloth to stretching and bending: models, scaling, and warnings.

use super::projective::warn_of_projective;
use crate::keys::{Number, Part, Positive};
use crate::place::Place;
use taffeta_remesh::RemeshSettings;
use taffeta_sim::{
    ClothDescription, MembraneModel, MembraneScaling, ProjectionStiffness, SolverChoice, StiffnessCorrection,
};
use taffeta_solve::Tearing;

/// The constraint of a triangle, or springs along the edges. PBD has neither: it keeps the lengths of the edges, and
/// energies are measured in them.
pub(crate) fn resolve_membrane(
    given: Option<MembraneModel>,
    solver: SolverChoice,
    at: &Place<'_>,
) -> MembraneModel {
    let Some(membrane) = given else { return solver.default_membrane() };
    let is_energy = matches!(membrane, MembraneModel::Energy | MembraneModel::EnergyPublished);
    // An energy is refused for itself.
    if solver != SolverChoice::Pbd || is_energy {
        return membrane;
    }
    if membrane == MembraneModel::Strain {
        let at = at.at("constraint");
        at.warn(format!(
            "`{at}` is \"strain\", but the solver \"pbd\" keeps the lengths of the edges: it has no effect"
        ));
    }
    MembraneModel::Edges
}

/// Scaling of the constraint. `scaling = false` needs a `scaling_area`.
pub(crate) fn resolve_scaling(
    scaling: Option<bool>,
    area: Option<Positive>,
    solver: SolverChoice,
    at: &Place<'_>,
) -> MembraneScaling {
    let (key, of_area) = (at.at("scaling"), at.at("scaling_area"));
    match (scaling, area) {
        (Some(false), Some(area)) => MembraneScaling::Fixed(area.0),
        // Under other solvers it is refused for itself.
        (Some(false), None) if !solver.capabilities().membrane_forms => MembraneScaling::Fixed(1.0),
        (Some(false), None) => {
            let help = "the area of a triangle that is as stiff as the material says, for example scaling_area = 0.002, \
                        in m²";
            key.refuse(format!("`{key}` is false, but `scaling_area` is missing"), help);
            MembraneScaling::ByArea
        }
        (_, Some(_)) => {
            let message = format!("`{of_area}` has no effect where the constraints are scaled by area");
            of_area.refuse(message, "it belongs to scaling = false");
            MembraneScaling::ByArea
        }
        (_, None) => MembraneScaling::ByArea,
    }
}

/// Warns where pressure has no material to work against, where tears follow the mesh, and of what projective dynamics leaves out.
pub(crate) fn warn_of_cloth(cloth: &ClothDescription, solver: SolverChoice, at: &Place<'_>) {
    if cloth.pressure != 0.0 && solver == SolverChoice::Pbd {
        at.warn(format!(
            "`{at}.pressure` under the solver \"pbd\" moves the vertices before the projections, which take that back as \
             far as `stiffness` and `iterations` go: how far the cloth bulges does not follow from the pressure; use \
             solver = \"xpbd\", \"block\" or \"global\""
        ));
    }
    if let Some(tearing) = cloth.material.tearing {
        warn_of_mesh(tearing, cloth.remesh.as_ref(), &at.at("material"));
    }
    if solver == SolverChoice::Projective {
        warn_of_projective(&cloth.material, cloth.remesh.is_some(), at);
    }
}

/// Warns where tears follow the mesh, or the mesh is too coarse for the length over which the stress is averaged.
fn warn_of_mesh(tearing: Tearing, remesh: Option<&RemeshSettings>, at: &Place<'_>) {
    let Some(settings) = remesh else {
        return at.warn(format!(
            "`{at}` can tear, but the cloth is not remeshed: only the edges that it has can open, so that tears follow the \
             mesh; add [cloth.remesh]"
        ));
    };
    if settings.size_min > 0.5 * tearing.length {
        at.warn(format!(
            "`{at}` can tear, but size_min, {} m, is more than half of tear_length, {} m: when it tears depends on the \
             mesh; use a finer size_min or a larger tear_length",
            settings.size_min, tearing.length
        ));
    }
}

/// Keys of a cloth or a rope for its stiffness under PBD.
#[derive(Clone, Copy)]
pub(crate) struct ProjectionKeys {
    pub stiffness: Option<Part>,
    pub bend_stiffness: Option<Part>,
    pub stiffness_correction: Option<bool>,
}

impl ProjectionKeys {
    /// The keys of a stiffness; none under solvers that have none.
    pub(crate) fn new(projection: ProjectionStiffness, solver: SolverChoice) -> Self {
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
    pub(crate) fn resolve(self, solver: SolverChoice, at: &Place<'_>) -> ProjectionStiffness {
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
