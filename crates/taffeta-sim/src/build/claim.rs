//! Which pin holds a vertex.

use crate::model::report::error::BuildError;
use crate::model::setup::pins::{Contradiction, Pin, find_contradiction};
use glam::DVec3;
use taffeta_remesh::Hold;

/// A vertex that a pin selects.
pub(crate) struct Selected<F: Fn() -> String> {
    /// Names the body in messages.
    pub body: F,
    /// Number in the body.
    pub number: usize,
    /// Place \[m\].
    pub position: DVec3,
}

/// Gives a vertex of a body to the last of the pins, unless it has a pin already. `first` is the first pin of the body.
pub(crate) fn claim(
    holder: &mut Option<Hold>,
    pins: &[Pin],
    first: usize,
    vertex: Selected<impl Fn() -> String>,
) -> Result<(), BuildError> {
    let Selected { body, number: vertex, position } = vertex;
    let last = pins.len() - 1;
    let Some(holder) = *holder else {
        *holder = Some(Hold::new(last as u32, position));
        return Ok(());
    };
    let holder = holder.pin as usize;
    let leaders = [holder, last].map(|pin| &pins[pin].description.follow);
    if leaders[0] != leaders[1] {
        let reason = format!(
            "pin {} and pin {} both hold vertex {vertex} at {position}, but do not follow the same obstacle: let their \
             regions not overlap",
            holder - first,
            last - first
        );
        return Err(BuildError::BadSetting { what: body(), reason });
    }
    match find_contradiction([&pins[holder], &pins[last]], position) {
        None => Ok(()),
        Some(Contradiction { time, distance }) => Err(BuildError::ContradictingPins {
            body: body(),
            pins: [holder - first, last - first],
            vertex,
            position,
            time,
            distance,
        }),
    }
}
