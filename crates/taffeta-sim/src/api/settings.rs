//! Changes to a world under way: surroundings, materials, remeshing.
//!
//! Everything is checked before it is touched: a refused change leaves the world as it was. A checkpoint holds the state
//! of a run and not its scene: after such changes it fits only a world that was changed in the same way.

use crate::build::checks::{find_accuracy_defect, find_air_defect, find_gravity_defect};
use crate::derive::rebuild::edit;
use crate::derive::world::World;
use crate::model::description::ids::ClothId;
use crate::model::description::rules::ClothCase;
use crate::model::description::{Air, ClothDescription, SimulationSettings};
use crate::model::report::error::BuildError;
use crate::model::setup::Setup;
use crate::model::state::State;
use glam::DVec3;
use taffeta_core::KeyframedMotion;
use taffeta_remesh::{RemeshSettings, View};
use taffeta_solve::Material;

/// Changes gravity \[m/s²\] for all steps to come.
///
/// # Errors
/// If it is not finite.
pub(crate) fn set_gravity(setup: &mut Setup, gravity: DVec3) -> Result<(), BuildError> {
    refuse("gravity", find_gravity_defect(gravity))?;
    setup.settings.gravity = gravity;
    Ok(())
}

/// Changes the error that a substep may have, relative to the size of a body, for all steps to come. Local solvers do not
/// look at it.
///
/// # Errors
/// If it is outside of [`ACCURACY_RANGE`].
pub(crate) fn set_accuracy(setup: &mut Setup, accuracy: f64) -> Result<(), BuildError> {
    refuse("simulation", find_accuracy_defect(accuracy))?;
    setup.settings.accuracy = accuracy;
    setup.settings.tolerance = None;
    Ok(())
}

/// Changes the surrounding air for all steps to come; `None`: vacuum.
///
/// # Errors
/// If density or drag are negative, or something is not finite.
pub(crate) fn set_air(setup: &mut Setup, air: Option<Air>) -> Result<(), BuildError> {
    refuse("air", air.as_ref().and_then(find_air_defect))?;
    setup.air = air;
    Ok(())
}

/// Changes the camera outside of whose picture cloths may be coarser, for all passes to come; `None`: there is none.
/// It stands still; for one that moves call this before every step, or describe its motion.
/// Only cloths with [`RemeshSettings::coarsen_unseen`] look at it. Checkpoints do not hold it.
pub(crate) fn set_view(setup: &mut Setup, state: &mut State, view: Option<View>) {
    setup.view = view;
    setup.view_motion = KeyframedMotion::default();
    state.wake();
}

/// Changes the material of a cloth. Positions and velocities stay. The thickness counts for contact as long as the
/// scene has not given one of its own.
///
/// # Errors
/// If there is no such cloth, it is the surface of a solid, or the material is impossible or one that the
/// solver does not know.
pub(crate) fn set_material(world: &mut World, cloth: ClothId, material: Material) -> Result<(), BuildError> {
    let cloth = find_sheet(&world.setup, cloth)?;
    let name = &world.setup.cloths[cloth].name;
    material.validate().map_err(|source| BuildError::Material { cloth: name.clone(), source })?;
    let changed = ClothDescription { material, ..world.setup.cloths[cloth].description.clone() };
    let settings = SimulationSettings { solver: world.derived.choice, ..world.setup.settings.clone() };
    let has_material = world.setup.cloths[cloth].has_material;
    let case = ClothCase { cloth: &changed, settings: &settings, sewn: None, has_material };
    let of_material = case.mismatches().find(|found| found.key == "material");
    refuse(&format!("cloth '{name}'"), of_material.map(|found| found.describe()))?;
    let material = changed.material;
    let changed = &mut world.setup.cloths[cloth];
    if changed.surface.offset == 0.5 * changed.material.thickness {
        changed.surface.offset = 0.5 * material.thickness;
    }
    changed.surface.friction = material.friction;
    changed.material = material;
    weigh_anew(world);
    Ok(())
}

/// Gives vertices the masses of the present materials, and lets the forces of these begin.
pub(crate) fn weigh_anew(world: &mut World) {
    // Masses follow from the material when the dense form is made, and the blocks when all is derived anew.
    edit(world, |_| {});
    world.state.forget_substep();
}

/// Changes how a cloth is remeshed from the next pass on.
///
/// # Errors
/// If there is no such cloth, it has not been remeshed so far, or the settings make no sense.
pub(crate) fn set_remesh(
    setup: &mut Setup,
    state: &mut State,
    cloth: ClothId,
    settings: RemeshSettings,
) -> Result<(), BuildError> {
    let cloth = find_sheet(setup, cloth)?;
    let what = format!("cloth '{}'", setup.cloths[cloth].name);
    refuse(&what, settings.validate().err().map(|bad| bad.to_string()))?;
    let is_fixed = setup.cloths[cloth].remesh.is_none();
    refuse(&what, is_fixed.then(|| "its mesh is fixed: the scene says what is remeshed".into()))?;
    setup.cloths[cloth].remesh = Some(settings);
    state.wake();
    Ok(())
}

/// The place of a cloth that is no solid's surface.
fn find_sheet(setup: &Setup, cloth: ClothId) -> Result<usize, BuildError> {
    let place = setup.ids.find_cloth(cloth);
    let reason = match place {
        None => Some("it was removed, or its handle is of another world"),
        Some(place) if setup.solids.iter().any(|solid| solid.cloth == place) => {
            Some("it is the surface of a solid, which has neither")
        }
        Some(_) => None,
    };
    refuse(&format!("material or remeshing of cloth {}", cloth.0), reason.map(Into::into))?;
    Ok(place.expect("it was found"))
}

pub(crate) fn refuse(what: &str, reason: Option<String>) -> Result<(), BuildError> {
    reason.map_or(Ok(()), |reason| Err(BuildError::BadSetting { what: what.to_owned(), reason }))
}
