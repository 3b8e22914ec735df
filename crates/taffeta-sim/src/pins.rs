//! Pins: what they hold, where they take it, and when they let go.
//!
//! A pin holds its vertices along its axes: there they follow its motion exactly, along the other axes they move
//! freely. A vertex that several pins select belongs to the first; when that lets go, the vertex is free. Pins that take a
//! vertex to different places are refused. What a pin
//! has let go of are ordinary vertices, which remeshing refines and coarsens as any other.
//!
//! The force of a pin is what its vertices lack for balance along the held axes: elasticity, inertia and contact, but
//! not damping. It is as exact as the solution is. Measured on a hung sheet of 2000 N/m, 16 × 16 cells: the direct
//! solver is right to round-off. The block solver errs by the excess of its extension, which in a stiff cloth is a large
//! part of the strain: 5.6 times the weight with the 7 substeps per frame of `auto`, 1.006 times with 96.

use crate::description::PinDescription;
use crate::integrate::forget_history;
use crate::integrate::{Inertia, coast};
use crate::measure::unbalanced_forces;
use crate::rebuild::rebuild;
use crate::world::World;
use glam::{BVec3, DVec3};
use taffeta_core::index::DenseIndex;
use taffeta_core::lanes::Row;
use taffeta_core::{IndexVec, VertexIndex};

/// Part of the release time by which a substep may start too early and still count as at that time: round-off of times.
const TIME_SLACK: f64 = 1e-9;

/// Distance of two targets that counts as none, relative to how far they are away.
const SAME_PLACE: f64 = 1e-9;

/// A pin with what it needs to move.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Pin {
    /// As described. `clamp` is only carried along: the solvers that know the direction of the sheet act on it.
    pub description: PinDescription,
    /// Centroid of the pinned vertices at time 0 \[m\].
    pub center: DVec3,
}

impl Pin {
    /// Whether it lets go in a substep that starts at a time \[s\].
    fn is_due(&self, time: f64) -> bool {
        self.description.release.is_some_and(|release| time >= release * (1.0 - TIME_SLACK))
    }
}

/// Where two pins contradict each other.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Contradiction {
    /// When they first take a vertex to different places \[s\].
    pub time: f64,
    /// How far apart these are \[m\].
    pub distance: f64,
}

/// Whether two pins that both select a vertex at `x` \[m\] take it to different places along an axis that both hold, while
/// neither has let go. Looked for at their keys and halfway between.
pub(crate) fn find_contradiction(pins: [&Pin; 2], x: DVec3) -> Option<Contradiction> {
    let descriptions = pins.map(|pin| &pin.description);
    let end = descriptions.iter().filter_map(|pin| pin.release).fold(f64::INFINITY, f64::min);
    let keys = descriptions.iter().flat_map(|pin| pin.motion.keys.iter().map(|key| key.time));
    let mut times: Vec<f64> = keys.chain([0.0]).filter(|time| *time >= 0.0 && *time < end).collect();
    times.sort_unstable_by(f64::total_cmp);
    let halves: Vec<f64> = times.windows(2).map(|pair| 0.5 * (pair[0] + pair[1])).collect();
    times.extend(halves);
    times.sort_unstable_by(f64::total_cmp);
    times.into_iter().find_map(|time| {
        let [a, b] = pins.map(|pin| pin.description.motion.pose_at(time, pin.center).apply(x));
        let both: [bool; 3] = std::array::from_fn(|axis| descriptions.iter().all(|pin| pin.axes[axis]));
        let distance = along_held(both, a - b, DVec3::ZERO).length();
        let slack = SAME_PLACE * a.distance(x).max(b.distance(x)).max(x.length());
        (distance > slack).then_some(Contradiction { time, distance })
    })
}

/// `given` along the held axes, `free` along the others.
pub(crate) fn along_held(held: [bool; 3], given: DVec3, free: DVec3) -> DVec3 {
    DVec3::select(BVec3::from_array(held), given, free)
}

/// A vertex that is held along some axes only. Solvers that know nothing of axes move it; it is then put back.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Guided {
    pub vertex: VertexIndex,
    pub held: [bool; 3],
    /// Where it was at the start of the substep \[m\]; counts along the held axes.
    pub start: DVec3,
    /// Where it goes \[m\]; counts along the held axes.
    pub target: DVec3,
}

/// Puts vertices back to where they are held.
pub(crate) fn put_back(guided: &[Guided], rows: &mut [Row]) {
    for Guided { vertex, held, target, .. } in guided {
        let row = &mut rows[vertex.to_usize()];
        row.position = along_held(*held, *target, row.position()).to_array();
    }
}

/// Puts the starts of vertices back along their held axes.
pub(crate) fn put_back_starts(guided: &[Guided], starts: &mut [DVec3]) {
    for Guided { vertex, held, start, .. } in guided {
        let x = &mut starts[vertex.to_usize()];
        *x = along_held(*held, *start, *x);
    }
}

/// The axes that each pin holds.
pub(crate) fn pin_axes(world: &World) -> Vec<[bool; 3]> {
    world.setup.pins.iter().map(|pin| pin.description.axes).collect()
}

/// Whether a pin that holds is to let go by a time \[s\], or has to be freed.
pub(crate) fn is_release_due(world: &World, time: f64) -> bool {
    let is_held =
        |pin: usize| world.state.motion.vertex_pins.iter().flatten().any(|held| *held == pin as u32);
    let lets_go = |pin: &usize| world.state.released[*pin] || world.setup.pins[*pin].is_due(time);
    (0..world.setup.pins.len()).filter(lets_go).any(is_held)
}

/// Frees the vertices of the pins whose time has come and of those that were too weak.
pub(crate) fn release_pins(world: &mut World) {
    for (pin, released) in world.setup.pins.iter().zip(&mut world.state.released) {
        *released |= pin.is_due(world.state.time);
    }
    let still_holds = |pin: &u32| !world.state.released[*pin as usize];
    if world.state.motion.vertex_pins.iter().flatten().all(still_holds) {
        return;
    }
    let kept = world.state.motion.vertex_pins.iter().map(|pin| pin.filter(still_holds)).collect();
    hold_anew(world, kept);
}

/// Lets pins hold other vertices than before: `vertex_pins` has the pin of each vertex.
pub(crate) fn hold_anew(world: &mut World, vertex_pins: IndexVec<VertexIndex, Option<u32>>) {
    // Rebuilt caches continue from the angles that the sheet remembers.
    world.derived.keep_bending(&world.state.sheet, &mut world.state.motion);
    let axes = pin_axes(world);
    world.state.motion.hold(vertex_pins, &axes);
    forget_history(world);
    rebuild(world);
}

/// Whether any pin that still holds is of limited strength.
pub(crate) fn has_weak_pins(world: &World) -> bool {
    let is_weak = |(pin, released): (&Pin, &bool)| pin.description.strength.is_some() && !released;
    world.setup.pins.iter().zip(&world.state.released).any(is_weak)
}

/// Notes where the vertices of pins of limited strength would go without their pins. `outside` is gravity \[m/s²\] and
/// velocity damping \[1/s\]; free velocities are past that and the outer impulses already.
pub(crate) fn note_inertia(world: &mut World, inertia: &[Inertia], outside: (DVec3, f64)) {
    world.state.last.inertial.clear();
    if !has_weak_pins(world) {
        return;
    }
    let (state, work, last) = (&world.state.motion, &world.scratch, &mut world.state.last);
    for (vi, pin) in world.state.motion.vertex_pins.iter_indexed() {
        if pin.is_none_or(|pin| world.setup.pins[pin as usize].description.strength.is_none()) {
            continue;
        }
        let inertia = inertia[vi.to_usize()];
        let mut v = state.velocities[vi];
        if state.inverse_masses[vi] == 0.0 {
            let impulse = work.impulses.get(vi.to_usize()).copied().unwrap_or(DVec3::ZERO);
            let share = inertia.scale / work.impulse_time;
            v = coast(inertia, outside) + impulse * (share / state.masses[vi]);
        }
        last.inertial.push((vi, inertia.position + v * inertia.scale));
    }
}

/// Marks the pins that the substep has overloaded; they let go in the next one.
pub(crate) fn mark_overloaded_pins(world: &mut World) {
    if !has_weak_pins(world) {
        return;
    }
    let forces = pin_forces(world);
    for ((pin, released), force) in world.setup.pins.iter().zip(&mut world.state.released).zip(forces) {
        *released |= pin.description.strength.is_some_and(|strength| force.length() > strength);
    }
}

/// The total force \[N\] of each pin on its vertices in the last substep, in the order of the pins; zero for those of
/// unlimited strength, whose forces nobody asks for.
pub fn pin_forces(world: &World) -> Vec<DVec3> {
    let mut totals = vec![DVec3::ZERO; world.setup.pins.len()];
    let (state, last) = (&world.state.motion, &world.state.last);
    let Some(unbalanced) = unbalanced_forces(world) else { return totals };
    for (vi, inertial) in &last.inertial {
        let Some(pin) = world.state.motion.vertex_pins[*vi] else { continue };
        // The unbalanced force takes the vertex for one that would have come to where it is by itself.
        let i = vi.to_usize();
        let inertia =
            (last.predicted[i] - *inertial) * (state.masses[*vi] / (last.scales[i] * last.scales[i]));
        totals[pin as usize] += along_held(state.held[*vi], unbalanced[i] + inertia, DVec3::ZERO);
    }
    totals
}
