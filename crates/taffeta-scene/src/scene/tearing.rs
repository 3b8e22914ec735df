//! Cloth that tears or yields: where that can be simulated.

use crate::keys::name_of;
use crate::place::Place;
use taffeta_remesh::RemeshSettings;
use taffeta_sim::{BendingModel, MembraneModel, Mode, SimulationSettings};
use taffeta_solve::{Material, Tearing};

/// Properties of a cloth that decide whether it can tear.
#[derive(Clone, Copy)]
pub(super) struct TearingParts<'a> {
    pub material: &'a Material,
    pub membrane: MembraneModel,
    pub remesh: Option<&'a RemeshSettings>,
    pub has_volume: bool,
}

/// Refuses a cloth that can tear where nothing could follow it, and warns where the mesh decides when it does. The place
/// is that of its material.
pub(super) fn check_tearing(parts: TearingParts<'_>, settings: &SimulationSettings, at: &Place<'_>) {
    let Some(tearing) = parts.material.tearing else { return };
    let refuse = |reason: &str, help: &str| {
        at.refuse(format!("`{at}` can tear (`tear_strength`), but {reason}"), help);
    };
    if !settings.solver.capabilities().seams {
        let reason = format!("the solver {:?} cannot", settings.solver.name());
        return refuse(&reason, "solver = \"global\", \"direct\" or \"block\"");
    }
    if settings.mode == Mode::Static {
        return refuse("in mode \"static\" no time passes in which it could", "mode = \"dynamic\"");
    }
    if parts.has_volume {
        return refuse("`volume` is of closed cloths", "leave one of them out");
    }
    if !matches!(parts.membrane, MembraneModel::Strain | MembraneModel::Edges | MembraneModel::Energy) {
        return refuse("its `constraint` has no stress", "constraint = \"strain\"");
    }
    warn_of_mesh(tearing, parts.remesh, at);
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

/// Refuses a material that yields where folds cannot stay. The place is that of the material.
pub(super) fn check_folds(
    material: &Material,
    bending: BendingModel,
    settings: &SimulationSettings,
    at: &Place<'_>,
) {
    if material.yield_curvature.is_none() {
        return;
    }
    let refuse =
        |reason: &str, help: &str| at.refuse(format!("`{at}` has a yield_curvature, {reason}"), help);
    if settings.mode == Mode::Static {
        refuse(
            "which makes folds that depend on the way to them; the search for an equilibrium knows no way",
            "mode = \"dynamic\", or a material without it",
        );
    } else if !settings.solver.capabilities().folds {
        refuse(
            &format!("which the solver {:?} does not know", settings.solver.name()),
            "solver = \"global\", \"direct\" or \"block\", or a material without it",
        );
    } else if !bending.knows_plastic_folds() {
        refuse(
            &format!("which means nothing to the bending model {:?}", name_of(bending)),
            "bending = \"curvature\", or a material without it",
        );
    }
}
