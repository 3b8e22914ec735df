//! Second stage of a substep: contacts.

use crate::contact::meet::meet_cloths;
use crate::contact::memory::recall_contacts;
use crate::derive::world::World;
use crate::features::seams::threads::drop_friction_while_sewn;
use crate::model::capabilities::ContactLaw;
use crate::model::pins::{along_held, put_back, put_back_starts};
use crate::step::integrate::keep_bases_out;
use taffeta_contact::SubstepView;
use taffeta_contact::response::{relieve, stabilize};
use taffeta_core::lanes::Row;

/// Finds the contacts of the substep. Those that were violated before it are separated under a local solver, and
/// asked for less under Newton's method.
///
/// Reads: rows, start, obstacles. Writes: contacts; under a local solver rows and start where one was violated.
pub(crate) fn detect(world: &mut World, h: f64) {
    let (work, last) = (&mut world.scratch, &mut world.state.last);
    // Pins and obstacles that stand still are those of a substep without length.
    let moved = if world.inputs.stands_still { 0.0 } else { h };
    let law = world.derived.choice.capabilities().contact;
    let rests = law != ContactLaw::Forces;
    let view = SubstepView { start: &work.start, rows: &work.rows, rests, time: world.state.time, h: moved };
    let found = world.derived.detector.detect(&world.state.sheet.topology, &world.setup.obstacles, view);
    // Its memory is used again: contacts of folded cloth take tens of megabytes.
    last.contacts.clear();
    last.contacts.extend(found);
    last.has_forgotten_contacts = false;
    meet_cloths(world, h);
    drop_friction_while_sewn(world);
    recall_contacts(world);
    keep_bases_out(world);
    let (work, last) = (&mut world.scratch, &mut world.state.last);
    match law {
        ContactLaw::Passes | ContactLaw::Forces => {
            stabilize(&last.contacts, &mut work.start, &mut work.rows, h)
        }
        // The search for an equilibrium wants the depth of the end, and no blow moves what begins each step at rest.
        ContactLaw::Equations if world.inputs.stands_still => {}
        ContactLaw::Equations => relieve(&mut last.contacts, &work.start, h),
    }
    put_back(&work.guided, &mut work.rows);
    put_back_starts(&work.guided, &mut work.start);
    let velocities = &world.state.motion.velocities;
    // Contacts of the second stage were looked for where the first leads; its prediction is another place.
    let predicted = |(i, row): (usize, &Row)| match work.first_stage.get(i) {
        Some(_) => {
            let free = work.bases[i] + velocities.raw[i] * last.scales[i];
            along_held(world.state.motion.held.raw[i], row.position(), free)
        }
        _ => row.position(),
    };
    last.predicted = work.rows.iter().enumerate().map(predicted).collect();
}
