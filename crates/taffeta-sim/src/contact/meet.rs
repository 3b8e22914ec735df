//! Contacts of cloths with themselves, each other and mesh obstacles.

use crate::contact::path::{contact_path, moving_shapes};
use crate::derive::facts::Facts;
use crate::derive::solver_facts::is_first_stage;
use crate::derive::stages::stage_span;
use crate::model::workspace::Workspace;
use taffeta_contact::Contact;
use taffeta_contact::pair::Pair;
use taffeta_contact::proximity::{ContactFilter, Proximity};
use taffeta_contact::response::stabilize;

/// Looks at a pair that take as long as to find its contact.
pub(crate) const LOOKS_TO_MEET: u64 = 5;

/// Adds the contacts of cloths with each other and with meshes to those of the substep.
pub(crate) fn meet_cloths(
    facts: Facts<'_>,
    proximity: &mut Option<Proximity>,
    work: &mut Workspace,
    h: f64,
    contacts: &mut Vec<Contact>,
) {
    let before = contacts.len();
    let mut pulls = add_meetings(facts, proximity, work, h, &[], contacts);
    work.meetings = contacts.len() - before;
    if !facts.choice.capabilities().is_local() && !pulls.is_empty() {
        move_apart(work, &mut pulls, h);
    }
    contacts.extend(pulls);
}

/// Adds the contacts of cloths with each other and with meshes where the rows are, those of `stopped` pairs in any case. Returns what
/// pulls apart what crosses.
pub(crate) fn add_meetings(
    facts: Facts<'_>,
    proximity: &mut Option<Proximity>,
    work: &mut Workspace,
    h: f64,
    stopped: &[Pair],
    contacts: &mut Vec<Contact>,
) -> Vec<Contact> {
    let mut pulls = Vec::new();
    let Some(proximity) = proximity else { return pulls };
    let path = contact_path(facts, work, h);
    let shapes = moving_shapes(facts, h);
    let step = path.step(&shapes);
    // What stopped in the first stage seems to be at rest in the second, and moves on all the same without its contact.
    let mut bearing = facts.state.friction.names();
    bearing.extend(&work.first_borne);
    bearing.sort_unstable();
    // In the search for an equilibrium nothing slides on; contacts that change places would keep it from its end.
    let which = match facts.inputs.stands_still {
        true => ContactFilter::All,
        false => ContactFilter::Nearest { bearing: &bearing, stopped },
    };
    {
        // One search for both stages.
        let whole = is_first_stage(facts, work).then(|| path.prolonged(stage_span(facts, work, h) / h));
        proximity.follow_ahead(step, whole.as_ref().map_or(step, |whole| whole.step(&shapes)));
        proximity.add_contacts(step, which, contacts);
        proximity.add_pulls(step, &mut pulls);
    };
    work.work_budget.add_pairs(proximity.take_pair_count() + LOOKS_TO_MEET * proximity.pairs().len() as u64);
    pulls
}

/// Pulls apart what crosses, slowly and without giving it velocity, under Newton's method: before the solve, which then keeps the gain.
/// Solvers that sweep take the pulls as contacts. Its springs would drag the surroundings along, with the speed of the pull.
fn move_apart(work: &mut Workspace, pulls: &mut [Contact], h: f64) {
    let before = work.start.clone();
    stabilize(pulls, &mut work.start, &mut work.rows, h);
    let shifts = before.iter().zip(&work.start).map(|(was, is)| *is - *was);
    work.bases.iter_mut().zip(shifts).for_each(|(base, shift)| *base += shift);
    for Contact { row, .. } in pulls {
        let reached = row.interpolate(|vi| work.start[vi.0 as usize]) + row.body_displacement;
        row.offset = row.offset.min(row.normal.dot(reached));
    }
}
