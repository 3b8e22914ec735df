//! Room for cloth between the parts of a body that pass into each other.

use crate::model::setup::Setup;
use std::sync::Arc;

/// Distance between parts of a body that overlap, in thicknesses of the thickest cloth. Where two parts meet, each wears a layer of
/// its own, and the skin that shrinks there folds it.
const GAP: f64 = 6.0;

/// Keeps the parts of the bodies that are meshes apart by what the cloths need that there are. Changes the shapes of a body in which
/// parts overlap.
pub(crate) fn keep_parts_apart(setup: &mut Setup) {
    let gap = setup.cloths.iter().map(|cloth| GAP * 2.0 * cloth.surface.offset).fold(0.0, f64::max);
    if setup.meshes.iter().any(|mesh| mesh.parting.gap < gap) {
        let meshes = Arc::make_mut(&mut setup.meshes).iter_mut();
        meshes.filter(|mesh| mesh.parting.gap < gap).for_each(|mesh| mesh.keep_parts_apart(gap));
    }
}
