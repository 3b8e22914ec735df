//! Which cloths are being sewn at a time.

use crate::model::setup::Setup;
use crate::model::state::sheet::Sheet;

/// Time after that of a seam, relative to it, for which a seam that does not close counts as being sewn. Such cloth slides
/// without friction and is computed with a looser tolerance, which must not go on forever.
const PATIENCE: f64 = 2.0;

/// The cloths that are being sewn at a time \[s\]: one of their seams is open, and not late by far.
pub(crate) fn sewn_at(setup: &Setup, sheet: &Sheet, time: f64) -> Vec<bool> {
    let mut are_sewn = vec![false; setup.cloths.len()];
    for (law, state) in setup.seams.iter().zip(&sheet.sewing.seams) {
        let age = setup.cloths[law.cloth].age(time);
        are_sewn[law.cloth] |= state.closed.is_none() && law.lateness(age) < PATIENCE;
    }
    are_sewn
}

/// Those of them that are sewn without gravity.
pub(crate) fn weightless_at(setup: &Setup, sheet: &Sheet, time: f64) -> Vec<bool> {
    if setup.settings.gravity_while_sewing {
        return vec![false; setup.cloths.len()];
    }
    sewn_at(setup, sheet, time)
}
