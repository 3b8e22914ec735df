//! Springs along edges that let go above a force.
//!
//! After every substep the force of each spring, `|λ|/h²` of its row, is compared with the strength of its cloth. An overloaded
//! spring is switched off for good, together with the hinge of its edge. Not within the sweeps: there the order of the rows
//! would decide. The mesh stays as it is: the faces beside the edge still have mass, air and contact.
//!
//! The force is as exact as the substep has converged. It tells tension from compression as little as `|λ|` does.

use crate::derive::derived::Derived;
use crate::derive::world::World;
use crate::model::setup::Setup;
use crate::model::state::State;
use std::sync::Arc;
use taffeta_core::EdgeIndex;

/// Number of edges whose spring has let go so far.
pub fn broken_edge_count(world: &World) -> usize {
    world.state.motion.broken.iter().filter(|broken| **broken).count()
}

/// Switches off the springs that the substep of length `h` \[s\] has overloaded.
pub(crate) fn break_overloaded_edges(setup: &Setup, state: &mut State, derived: &mut Derived, h: f64) {
    if setup.cloths.iter().all(|cloth| cloth.break_force.is_none()) {
        return;
    }
    let is_overloaded = |(edge, force): &(EdgeIndex, f64)| {
        let end = state.sheet.topology.edges[*edge].vertices[0];
        let cloth = &setup.cloths[state.sheet.vertex_cloths[end] as usize];
        !state.motion.broken[*edge] && cloth.break_force.is_some_and(|most| *force > most)
    };
    let overloaded: Vec<_> = derived.solver.edge_forces(h).into_iter().filter(is_overloaded).collect();
    if overloaded.is_empty() {
        return;
    }
    let broken = Arc::make_mut(&mut state.motion.broken);
    overloaded.iter().for_each(|(edge, _)| broken[*edge] = true);
    derived.switch_off(&state.motion.broken);
}
