//! Pins: what they hold, where they take it, and when they let go.
//!
//! A pin holds its vertices along its axes: there they follow its motion exactly, along the other axes they move freely.
//! The state of a vertex in a pin is its [`Hold`]. A vertex that several pins select belongs to the first; when that lets
//! go, the vertex is free. Pins that take a vertex to different places are refused. Vertices of which a pin has let go are
//! ordinary ones, which remeshing refines and coarsens as any other.
//!
//! The force of a pin is the force that its vertices lack for balance along the held axes. Elasticity, inertia, drag and
//! contact count, but not damping of the material. It is as exact as the solution. Measured on a hung sheet of 2000 N/m, 16
//! × 16 cells:
//!
//! * The direct solver is right to round-off.
//! * The block solver errs by the excess of its extension, which in a stiff cloth is a large part of the strain. It gives
//!   5.6 times the weight with the 7 substeps per frame of `auto`, and 1.006 times with 96.

use crate::derive::derived::Derived;
use crate::derive::facts::Facts;
use crate::derive::world::World;
use crate::measure::energy::unbalanced_forces;
use crate::model::description::ids::PinId;
use crate::model::setup::Setup;
use crate::model::setup::pins::{Pin, along_held};
use crate::model::state::State;
use crate::model::state::guides::{RopeGuide, rope_guides};
use crate::model::state::inertia::{Inertia, coast};
use glam::DVec3;
use taffeta_core::index::DenseIndex;
use taffeta_core::{FaceIndex, VertexIndex};
use taffeta_remesh::Hold;

/// The vertices that a pin holds now, in the order in which their cloth numbers them; none if it has let go. What it carries along beyond a clamped end of a
/// rope is not among them.
pub fn pin_vertices(world: &World, pin: PinId) -> Vec<VertexIndex> {
    held_vertices(&world.setup, &world.state, pin)
}

/// The vertices that a pin holds in a state, see [`pin_vertices`].
pub(crate) fn held_vertices(setup: &Setup, state: &State, pin: PinId) -> Vec<VertexIndex> {
    let has_let_go = state.released.get(pin.number()) == Some(&true);
    let guides: Vec<_> = guides_of(setup, state, pin).iter().map(|guide| guide.vertex).collect();
    let is_own = |(vi, hold): &&(VertexIndex, Hold)| hold.pin == pin.0 && !guides.contains(vi);
    let holds = state.motion.holds.iter().filter(|_| !has_let_go);
    let mut vertices: Vec<VertexIndex> = holds.filter(is_own).map(|(vi, _)| *vi).collect();
    vertices.sort_unstable_by_key(|vi| state.sheet.own_place(*vi));
    vertices
}

/// The guides beyond clamped ends of ropes that a pin carries along.
pub(crate) fn guides_of(setup: &Setup, state: &State, pin: PinId) -> Vec<RopeGuide> {
    let is_own = |guide: &RopeGuide| state.motion.vertex_pins[guide.vertex] == Some(pin.0);
    rope_guides(setup, &state.sheet).into_iter().filter(is_own).collect()
}

/// The axes that each pin holds.
pub(crate) fn pin_axes(setup: &Setup) -> Vec<[bool; 3]> {
    setup.pins.iter().map(|pin| pin.description.axes).collect()
}

/// Returns whether a pin that holds is to let go by a time \[s\], or was too weak and has to be freed.
pub(crate) fn is_release_due(world: &World, time: f64) -> bool {
    world.state.motion.holds.iter().any(|(_, hold)| lets_go(world, hold, time))
}

/// Returns whether a vertex is free from a time \[s\] on: its pin has let go, or its time has come.
pub(crate) fn lets_go(world: &World, hold: &Hold, time: f64) -> bool {
    let pin = hold.pin as usize;
    world.state.released[pin] || world.setup.pins[pin].is_due(time)
}

/// Frees the vertices of the pins whose time has come and of those that were too weak. Returns whether there are any; then all is to be
/// derived anew.
pub(crate) fn release_pins(setup: &Setup, state: &mut State, derived: &mut Derived) -> bool {
    for (pin, released) in setup.pins.iter().zip(&mut state.released) {
        *released |= pin.is_due(state.time);
    }
    let still_holds = |(_, hold): &(VertexIndex, Hold)| !state.released[hold.pin as usize];
    let kept: Vec<_> = state.motion.holds.iter().copied().filter(still_holds).collect();
    let lets_go = kept.len() < state.motion.holds.len();
    if lets_go {
        hold_anew(setup, state, derived, kept);
    }
    lets_go
}

/// Lets pins hold other vertices than before, in the order of the vertices. All is to be derived anew then.
pub(crate) fn hold_anew(
    setup: &Setup,
    state: &mut State,
    derived: &mut Derived,
    holds: Vec<(VertexIndex, Hold)>,
) {
    // What is let go of may be removed by a pass.
    state.looks.clear();
    // Rebuilt blocks continue from the angles that the sheet remembers.
    derived.keep_bending(&state.sheet, &mut state.motion);
    let axes = pin_axes(setup);
    state.motion.hold(holds, &axes);
    state.forget_substep();
}

/// Unit normals of the present sheet at vertices that a pin is to hold, which are in order. They are those of the faces that
/// the pin holds whole, or else of all faces around a vertex. Zero at loose vertices.
pub(crate) fn normals_at(world: &World, vertices: &[VertexIndex]) -> Vec<DVec3> {
    let (topology, x) = (&world.state.sheet.topology, &world.state.motion.positions);
    let is_whole = |fi: &FaceIndex| topology.faces[*fi].iter().all(|vi| vertices.binary_search(vi).is_ok());
    let area_vector = |fi: &FaceIndex| {
        let [a, b, c] = topology.faces[*fi].map(|vi| x[vi]);
        (b - a).cross(c - a)
    };
    let normal = |vi: &VertexIndex| {
        let around = || topology.faces_around(*vi).iter();
        let has_whole = around().any(is_whole);
        let counted = around().filter(|fi| !has_whole || is_whole(fi));
        counted.map(area_vector).sum::<DVec3>().normalize_or_zero()
    };
    vertices.iter().map(normal).collect()
}

/// Returns whether any pin that still holds is of limited strength.
pub(crate) fn has_weak_pins(setup: &Setup, state: &State) -> bool {
    let is_weak = |(pin, released): (&Pin, &bool)| pin.description.strength.is_some() && !released;
    setup.pins.iter().zip(&state.released).any(is_weak)
}

/// Notes where the vertices of pins of limited strength would go without their pins, under velocity damping \[1/s\].
pub(crate) fn record_inertia(setup: &Setup, state: &mut State, inertia: &[Inertia], damping: f64) {
    state.last.inertial.clear();
    if !has_weak_pins(setup, state) {
        return;
    }
    let State { motion, last, gravity, .. } = state;
    for (vi, pin) in motion.vertex_pins.iter_indexed() {
        if pin.is_none_or(|pin| setup.pins[pin as usize].description.strength.is_none()) {
            continue;
        }
        let inertia = inertia[vi.to_usize()];
        last.inertial.push((vi, inertia.position + coast(inertia, *gravity, damping) * inertia.scale));
    }
}

/// The pins that the substep has overloaded; they are to let go in the next one.
pub(crate) fn overloaded_pins(facts: Facts<'_>, derived: &Derived) -> Vec<usize> {
    if !has_weak_pins(facts.setup, facts.state) {
        return Vec::new();
    }
    let forces = forces_of_pins(facts, derived);
    let is_overloaded = |pin: &usize| {
        let strength = facts.setup.pins[*pin].description.strength;
        strength.is_some_and(|strength| forces[*pin].length() > strength)
    };
    (0..forces.len()).filter(is_overloaded).collect()
}

/// Total force \[N\] of each pin on its vertices in the last substep, in the order of the pins; zero for pins of unlimited
/// strength, whose forces are not needed.
pub fn pin_forces(world: &World) -> Vec<DVec3> {
    forces_of_pins(world.facts(), &world.derived)
}

fn forces_of_pins(facts: Facts<'_>, derived: &Derived) -> Vec<DVec3> {
    let mut totals = vec![DVec3::ZERO; facts.setup.pins.len()];
    let (state, last) = (&facts.state.motion, &facts.state.last);
    let Some(unbalanced) = unbalanced_forces(facts, derived) else { return totals };
    for (vi, inertial) in &last.inertial {
        let Some(pin) = state.vertex_pins[*vi] else { continue };
        // The unbalanced force takes the vertex for one that would have come to where it is by itself.
        let i = vi.to_usize();
        let inertia = (last.predicted[i] - *inertial) * last.inertia(i, state.masses[*vi]);
        let outer = last.outer.get(i).copied().unwrap_or(DVec3::ZERO);
        totals[pin as usize] += along_held(state.held[*vi], unbalanced[i] + inertia - outer, DVec3::ZERO);
    }
    totals
}
