//! Contacts of cloths with themselves, each other and mesh obstacles.

use crate::contact::path::{contact_path, moving_shapes};
use crate::derive::solver_facts::is_first_stage;
use crate::derive::stages::stage_span;
use crate::derive::world::World;
use taffeta_contact::Contact;
use taffeta_contact::pair::Pair;
use taffeta_contact::proximity::Which;
use taffeta_contact::response::stabilize;

/// Looks at a pair that take as long as to find its contact.
pub(crate) const LOOKS_TO_MEET: u64 = 5;

/// Adds the contacts of cloths with each other and with meshes to those of the substep.
pub(crate) fn meet_cloths(world: &mut World, h: f64) {
    let mut contacts = std::mem::take(&mut world.state.last.contacts);
    let before = contacts.len();
    let pulls = add_meetings(world, h, &[], &mut contacts);
    world.scratch.meetings = contacts.len() - before;
    world.state.last.contacts = contacts;
    pull_apart(world, pulls, h);
}

/// Adds the contacts of cloths with each other and with meshes where the rows are, those of `stopped` pairs in any case. Returns what
/// pulls apart what crosses.
pub(crate) fn add_meetings(
    world: &mut World,
    h: f64,
    stopped: &[Pair],
    contacts: &mut Vec<Contact>,
) -> Vec<Contact> {
    let mut pulls = Vec::new();
    let Some(mut proximity) = world.derived.proximity.take() else { return pulls };
    let path = contact_path(world);
    let shapes = moving_shapes(world, h);
    let step = path.step(&shapes);
    // What stopped in the first stage seems to be at rest in the second, and moves on all the same without its contact.
    let mut bearing = world.state.friction.names();
    bearing.extend(&world.scratch.first_borne);
    bearing.sort_unstable();
    // In the search for an equilibrium nothing slides on; contacts that change places would keep it from its end.
    let which = match world.inputs.stands_still {
        true => Which::All,
        false => Which::Nearest { bearing: &bearing, stopped },
    };
    {
        // One search for both stages.
        let whole = is_first_stage(world).then(|| path.prolonged(stage_span(world, h) / h));
        proximity.follow_ahead(step, whole.as_ref().map_or(step, |whole| whole.step(&shapes)));
        proximity.add_contacts(step, which, contacts);
        proximity.add_pulls(step, &mut pulls);
    };
    world.scratch.effort.add_pairs(proximity.take_work() + LOOKS_TO_MEET * proximity.pairs().len() as u64);
    world.derived.proximity = Some(proximity);
    pulls
}

/// Pulls apart what crosses, slowly and without giving it velocity.
///
/// Solvers that sweep take the pulls as contacts. Under Newton's method the vertices are moved before the solve, which then
/// keeps the gain. Its springs would drag the surroundings along, with the speed of the pull.
fn pull_apart(world: &mut World, mut pulls: Vec<Contact>, h: f64) {
    let work = &mut world.scratch;
    if !world.derived.choice.capabilities().is_local() && !pulls.is_empty() {
        let before = work.start.clone();
        stabilize(&pulls, &mut work.start, &mut work.rows, h);
        let shifts = before.iter().zip(&work.start).map(|(was, is)| *is - *was);
        work.bases.iter_mut().zip(shifts).for_each(|(base, shift)| *base += shift);
        for Contact { row, .. } in &mut pulls {
            let reached = row.interpolate(|vi| work.start[vi.0 as usize]) + row.body_displacement;
            row.offset = row.offset.min(row.normal.dot(reached));
        }
    }
    world.state.last.contacts.extend(pulls);
}
