//! Which panels are turned over, so that the whole cloth has a right and a wrong side.
//!
//! Stitches sew edges against each other's direction: both panels have the same side out. `right_wrong` sews them along each
//! other: one of the two panels is turned over. Of the panels that hang together the fewer are.

use super::error::{GarmentDefect, GarmentPlace, Refusal};
use super::spec::{Pattern, StitchSpec};
use std::collections::VecDeque;

/// For each panel, true if it is turned over.
pub(super) fn find_flips(pattern: &Pattern) -> Result<Vec<bool>, Refusal> {
    let mut flips: Vec<Option<bool>> = vec![None; pattern.panels.len()];
    for first in 0..flips.len() {
        if flips[first].is_none() {
            turn_together(pattern, &mut flips, first)?;
        }
    }
    Ok(flips.into_iter().map(Option::unwrap_or_default).collect())
}

/// Decides for all panels that hang together with one.
fn turn_together(pattern: &Pattern, flips: &mut [Option<bool>], first: usize) -> Result<(), Refusal> {
    let mut together = vec![first];
    let mut waiting = VecDeque::from([first]);
    flips[first] = Some(false);
    while let Some(panel) = waiting.pop_front() {
        let own = flips[panel] == Some(true);
        for (number, stitch) in pattern.stitches.iter().enumerate() {
            let Some(other) = beyond(stitch, panel) else { continue };
            let wanted = own != stitch.is_along;
            match flips[other] {
                None => {
                    flips[other] = Some(wanted);
                    together.push(other);
                    waiting.push_back(other);
                }
                Some(is) if is != wanted => {
                    let defect = GarmentDefect::OneSided { is_marked: stitch.is_along };
                    return Err((GarmentPlace::stitch(number), defect));
                }
                Some(_) => {}
            }
        }
    }
    let turned = together.iter().filter(|panel| flips[**panel] == Some(true)).count();
    if 2 * turned > together.len() {
        together.iter().for_each(|panel| flips[*panel] = flips[*panel].map(|is| !is));
    }
    Ok(())
}

/// The panel on the other side of a stitch of a panel; `None`: it is not of the panel.
fn beyond(stitch: &StitchSpec, panel: usize) -> Option<usize> {
    let [a, b] = stitch.sides.map(|side| side.panel);
    match () {
        () if a == panel => Some(b),
        () if b == panel => Some(a),
        () => None,
    }
}
