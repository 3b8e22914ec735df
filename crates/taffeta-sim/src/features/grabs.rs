//! Grabs: pulls on material points, as by a hand.
//!
//! A grab is a spring without length at rest between a place and a material point `p`. Its force `k (target − p)` is shared by
//! the vertices of a patch of cloth or rope around the point. Each takes a part `w`, and the parts add up to 1. A pull at the
//! point alone would make a spike of the size of a face.
//!
//! The parts of a patch of radius `r` are proportional to `m (1 − d²/r²)²` at the distance `d` in the panel of the point, with
//! the masses `m`. So they do not depend on the mesh. Without a radius they are the barycentric coordinates of the point in its
//! face.
//!
//! Each vertex of the patch is pulled with the stiffness `K = k w` to `t = x + (target − p)`, where `x` and `p` are taken at
//! the start of the substep. So a grab whose target is where its point is pulls at nothing, wherever the point lies in its
//! patch. What pulls at a vertex then knows of no other vertex, and goes into its inertia: with mass `m`, step `s`,
//! prediction `x̂` and target `t`
//!
//! `m/2s² |x − x̂|² + K/2 |x − t|² = ½ (m/s² + K) |x − x*|² + const`,   `x* = (m/s² x̂ + K t) / (m/s² + K)`.
//!
//! So it is implicit under every solver that takes inertia vertex by vertex: a vertex with more mass and another
//! prediction. Within a substep the force falls with the mean motion of the patch, `k (target − p − Σ w Δx)`: a stiff
//! spring takes the patch to its target and not beyond. That `p` moves otherwise than this mean, where the patch turns or
//! stretches, is felt in the next substep. The matrix of projective dynamics has constant masses: it knows no grabs.

use crate::derive::bodies::{body_count, body_name};
use crate::derive::world::World;
use crate::measure::body_points::{FoundPoint, find_near, locate};
use crate::model::description::Mode;
use crate::model::description::body_point::PointError;
use crate::model::description::grabs::{Grab, GrabbedPatch, Pull};
use crate::model::description::rules::grab_refusal;
use crate::model::report::error::StepError;
use crate::model::setup::pins::along_held;
use crate::model::state::State;
use crate::model::workspace::{Inputs, Workspace};
use glam::DVec3;
use taffeta_core::VertexIndex;

/// Distance from the origin beyond which nothing is pulled \[m\].
const FARTHEST_TARGET: f64 = 1e6;

/// The grabs of a step before one of its substeps, for whoever moves them.
#[derive(Debug)]
pub struct SubstepStart<'a> {
    /// The world at the start of the substep. To look at: its step is not over, so a checkpoint of it is of no frame.
    pub world: &'a World,
    /// Length of the substep \[s\].
    pub h: f64,
    /// Position of the point of each grab \[m\].
    pub places: &'a [DVec3],
    /// Target of each grab \[m\], to be changed.
    pub targets: &'a mut [DVec3],
}

/// Somebody who moves the targets of grabs.
pub(crate) type SubstepCallback<'a> = dyn FnMut(SubstepStart<'_>) + Send + 'a;

/// Finds the grabs of a step on the present mesh.
pub(crate) fn find_grabbed(world: &World, grabs: &[Grab]) -> Result<Vec<GrabbedPatch>, StepError> {
    let find = |(number, grab): (usize, &Grab)| {
        let refuse = |reason| StepError::BadGrab { number, reason };
        find_grab_defect(world, grab).map_or(Ok(()), |reason| Err(refuse(reason)))?;
        let name = body_name(&world.setup, grab.body);
        let found = locate(world, grab.body, grab.point).map_err(|error| match error {
            PointError::NoSurface => {
                refuse(format!("{name} has neither faces nor segments to be grabbed at"))
            }
            other => refuse(format!("the point {} of {name}: {other}", grab.point)),
        })?;
        let vertices = find_patch(world, grab, &found);
        Ok(GrabbedPatch { point: point_of(&found), vertices, target: grab.target, stiffness: grab.stiffness })
    };
    grabs.iter().enumerate().map(find).collect()
}

/// Lets somebody move the targets of the grabs before a substep of length `h` \[s\]. Patches do not follow.
pub(crate) fn lead_grabs(
    world: &World,
    h: f64,
    grabs: &mut [Grab],
    lead: &mut SubstepCallback<'_>,
) -> Result<(), StepError> {
    let place = |patch: &GrabbedPatch| patch.place(&world.state.motion.positions.raw);
    let places: Vec<DVec3> = world.inputs.grabbed.iter().map(place).collect();
    let mut targets: Vec<DVec3> = grabs.iter().map(|grab| grab.target).collect();
    lead(SubstepStart { world, h, places: &places, targets: &mut targets });
    for (number, (grab, target)) in grabs.iter_mut().zip(targets).enumerate() {
        grab.target = target;
        if let Some(reason) = find_place_defect(grab) {
            return Err(StepError::BadGrab { number, reason });
        }
    }
    Ok(())
}

/// The vertices that carry a point, with their weights.
fn point_of(FoundPoint { corners, weights, .. }: &FoundPoint) -> Vec<(VertexIndex, f64)> {
    corners.iter().copied().zip(*weights).filter(|(_, weight)| *weight > 0.0).collect()
}

/// The vertices that share the force of a grab, with their parts: the point alone if there are not more vertices near it
/// than a face has.
fn find_patch(world: &World, grab: &Grab, found: &FoundPoint) -> Vec<(VertexIndex, f64)> {
    let weight = |(vi, squared): (VertexIndex, f64)| {
        let part = squared / (grab.radius * grab.radius);
        (vi, world.state.motion.masses[vi] * ((1.0 - part) * (1.0 - part)))
    };
    let near = find_near(world, grab.body, found, grab.radius).into_iter().map(weight);
    let mut patch: Vec<_> = near.filter(|(_, w)| *w > 0.0).collect();
    if patch.len() <= found.corners.len() {
        return point_of(found);
    }
    let sum: f64 = patch.iter().map(|(_, weight)| *weight).sum();
    patch.iter_mut().for_each(|(_, weight)| *weight /= sum);
    patch
}

/// Describes what is wrong with a grab; `None` if it is valid.
fn find_grab_defect(world: &World, grab: &Grab) -> Option<String> {
    if let Some(reason) = grab_refusal(world.derived.choice, Mode::Dynamic) {
        return Some(reason.into());
    }
    let count = body_count(&world.setup);
    if grab.body >= count {
        return Some(format!("there is no body {}; there are {count}", grab.body));
    }
    if !(grab.stiffness.is_finite() && grab.stiffness > 0.0) {
        return Some(format!("its stiffness is {} N/m; it must be greater than 0", grab.stiffness));
    }
    if !(grab.radius.is_finite() && grab.radius >= 0.0) {
        return Some(format!("its radius is {} m; it must be at least 0", grab.radius));
    }
    find_place_defect(grab)
}

/// Moves the predictions of the grabbed vertices to where grabs and inertia would take them by themselves.
pub(crate) fn pull_grabbed(
    inputs: &Inputs,
    State { motion: state, last, .. }: &mut State,
    work: &mut Workspace,
) {
    last.pulls.clear();
    if inputs.grabbed.is_empty() {
        return;
    }
    let springs = inputs.grabbed.iter().flat_map(|patch| patch.springs(&state.positions.raw));
    let mut springs: Vec<(usize, f64, DVec3)> = springs.collect();
    springs.sort_by_key(|(vertex, ..)| *vertex);
    for springs in springs.chunk_by(|a, b| a.0 == b.0) {
        let vertex = springs[0].0;
        if state.inverse_masses.raw[vertex] == 0.0 {
            continue;
        }
        let stiffness: f64 = springs.iter().map(|(_, k, _)| *k).sum();
        let toward: DVec3 = springs.iter().map(|(_, k, target)| *target * *k).sum();
        let inertia = last.inertia(vertex, state.masses.raw[vertex]);
        let row = &mut work.rows[vertex];
        let free = row.position();
        let pulled = (free * inertia + toward) / (inertia + stiffness);
        row.position = along_held(state.held.raw[vertex], free, pulled).to_array();
        row.inverse_mass *= inertia / (inertia + stiffness);
        last.pulls.push(Pull { vertex, stiffness, free });
    }
}

/// Describes what is wrong with the places of a grab; `None` if they are valid.
fn find_place_defect(grab: &Grab) -> Option<String> {
    let is_near = grab.target.is_finite() && grab.target.abs().max_element() <= FARTHEST_TARGET;
    (!grab.point.is_finite() || !is_near).then(|| {
        format!(
            "point {} and target {} must be finite, and not farther than 1000 km",
            grab.point, grab.target
        )
    })
}
