//! Why a world cannot be built, and why a step failed.

use crate::model::report::seam_error::SeamError;
use glam::{DVec2, DVec3};
use taffeta_mesh::BuildError as MeshError;
use taffeta_solve::MaterialError;
use taffeta_solve::drivers::newton::{FactorError, NewtonError};

/// Why a world cannot be built.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
pub enum BuildError {
    /// There is nothing to simulate.
    #[error("the world has neither cloths nor ropes nor solids nor other bodies")]
    Empty,
    /// A mesh is not a surface.
    #[error("cloth '{cloth}': {source}")]
    Mesh {
        /// Name of the cloth.
        cloth: String,
        /// The defect, with the numbers of faces and vertices in that cloth's mesh.
        source: MeshError,
    },
    /// A coordinate is not finite.
    #[error("cloth '{cloth}': vertex {vertex} is at {position}, which is not finite")]
    NotFinite {
        /// Name of the cloth.
        cloth: String,
        /// Number of the vertex.
        vertex: usize,
        /// Its position \[m\].
        position: DVec3,
    },
    /// A face has no area at rest.
    #[error("cloth '{cloth}': face {face} has a rest area of {area} m²; it must be positive")]
    NoArea {
        /// Name of the cloth.
        cloth: String,
        /// Number of the face.
        face: usize,
        /// Its signed rest area \[m²\].
        area: f64,
    },
    /// A material is impossible.
    #[error("cloth '{cloth}': {source}")]
    Material {
        /// Name of the cloth.
        cloth: String,
        /// The defect.
        source: MaterialError,
    },
    /// A pin holds nothing.
    #[error("cloth '{cloth}': pin {pin} selects no vertex")]
    EmptyPin {
        /// Name of the cloth.
        cloth: String,
        /// Number of the pin in its cloth.
        pin: usize,
    },
    /// Two pins take a vertex to different places.
    #[error(
        "{body}: pin {} and pin {} both hold vertex {vertex} at {position}, but at {time} s they take it to places that are \
         {distance:.3e} m apart: let their regions not overlap, or give them one motion", pins[0], pins[1]
    )]
    ContradictingPins {
        /// Kind and name of the body, for example "cloth 'sheet'".
        body: String,
        /// Numbers of the pins in their body.
        pins: [usize; 2],
        /// The vertex by its number in the body.
        vertex: usize,
        /// Its position at time 0 \[m\].
        position: DVec3,
        /// When the places are different \[s\].
        time: f64,
        /// Their distance \[m\].
        distance: f64,
    },
    /// A setting of the simulation, of remeshing, of an obstacle or of a pin makes no sense.
    #[error("{what}: {reason}")]
    BadSetting {
        /// Owner of the setting.
        what: String,
        /// Description of the defect.
        reason: String,
    },
    /// A seam makes no sense.
    #[error("cloth '{cloth}': {error}")]
    Seam {
        /// Name of the cloth.
        cloth: String,
        /// The seam and what is wrong with it.
        error: SeamError,
    },
    /// The worker threads could not be started.
    #[error("cannot start {threads} worker threads: {reason}")]
    Threads {
        /// Number of threads asked for.
        threads: usize,
        /// The system's reason.
        reason: String,
    },
}

/// Why a step failed. The world is then as it was before the step.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
pub enum StepError {
    /// A position is not a number.
    #[error(
        "at {time} s a vertex of {body} that was at {last_position}{} is not at a finite position any more; \
         try more substeps, or look for huge stiffness, speed or pressure",
        at_material(material)
    )]
    NotFinite {
        /// Kind and name of the body, for example "cloth 'sheet'".
        body: String,
        /// The vertex's material point \[m\], if the cloth has material coordinates.
        material: Option<DVec2>,
        /// Its position at the start of the step \[m\].
        last_position: DVec3,
        /// Time of the failed substep \[s\].
        time: f64,
    },
    /// A figure is beyond all numbers though the positions are not.
    #[error(
        "at {time} s the {what} is not finite any more; look for huge stiffness, speed or pressure, and for lengths that are \
         not in meters"
    )]
    Overflow {
        /// Name of the quantity, for example "kinetic energy".
        what: &'static str,
        /// Time at the end of the step \[s\].
        time: f64,
    },
    /// Something moves so far in a substep that nobody can tell what it meets on its way.
    #[error(
        "at {time} s {body} moves by {distance:.3e} m in a substep of {substep:.3e} s; contact is found on ways of up to \
         {limit:.0e} m: take more substeps, a higher frame rate or a slower motion"
    )]
    TooFar {
        /// Name of the moving body, for example "cloth 'sheet'" or "sphere obstacle 0".
        body: String,
        /// Its displacement \[m\].
        distance: f64,
        /// Largest displacement \[m\].
        limit: f64,
        /// The length of the substep \[s\].
        substep: f64,
        /// Time at the start of the substep \[s\].
        time: f64,
    },
    /// A body turns so often in a substep that following it would take forever.
    #[error(
        "at {time} s {body} turns {turns:.3e} times in a substep of {substep:.3e} s; up to {limit:.0} turns are followed: take \
         more substeps, a higher frame rate or a slower motion"
    )]
    TurnsTooOften {
        /// Name of the body, for example "box obstacle 0".
        body: String,
        /// Number of turns.
        turns: f64,
        /// Largest number of turns.
        limit: f64,
        /// The length of the substep \[s\].
        substep: f64,
        /// Time at the start of the substep \[s\].
        time: f64,
    },
    /// Contact is thinner than what numbers tell apart so far from the origin.
    #[error(
        "at {time} s {body} is {distance:.3e} m from the origin, where positions are told apart by {resolution:.1e} m only: \
         too little for contact that keeps {separation:.1e} m; move the scene to the origin or take a larger thickness"
    )]
    TooFarOut {
        /// The body, for example "cloth 'sheet'".
        body: String,
        /// Its distance from the origin \[m\].
        distance: f64,
        /// The distance of two numbers there \[m\].
        resolution: f64,
        /// The distance that contact keeps \[m\].
        separation: f64,
        /// Time \[s\].
        time: f64,
    },
    /// The time step is not a positive number, or so long that no number of substeps makes sense.
    #[error("the time step is {dt} s; it must be positive and at most about an hour")]
    BadTimeStep {
        /// The time step \[s\].
        dt: f64,
    },
    /// The budget of wall time is no positive number.
    #[error("the budget of the step is {budget} s; it must be positive")]
    BadBudget {
        /// The budget \[s\].
        budget: f64,
    },
    /// Gravity or wind is not finite.
    #[error("{name} is {value}; it must be finite")]
    BadInput {
        /// `gravity` or `wind`.
        name: &'static str,
        /// Its value \[m/s²\] or \[m/s\].
        value: DVec3,
    },
    /// A keyframe cannot jump.
    #[error("at {time} s a keyframe cannot jump: {source}")]
    Jump {
        /// Time \[s\].
        time: f64,
        /// The obstruction.
        source: BuildError,
    },
    /// Wind in a world without air, or whose air has no density or no drag.
    #[error(
        "wind is {wind}, but the world is a vacuum: give it air, with a density and a drag above 0, or no wind"
    )]
    WindInVacuum {
        /// The wind \[m/s\].
        wind: DVec3,
    },
    /// A grab makes no sense.
    #[error("grab {number}: {reason}")]
    BadGrab {
        /// Its number in the inputs.
        number: usize,
        /// Description of the defect.
        reason: String,
    },
    /// A [`StopToken`](crate::StopToken) has asked the step to end.
    #[error("interrupted at {time} s")]
    Interrupted {
        /// Time of the substep that was not made \[s\].
        time: f64,
    },
    /// Newton's method failed.
    #[error("at {time} s the solver failed: {source}")]
    Newton {
        /// Time of the failed substep \[s\].
        time: f64,
        /// The cause.
        source: NewtonError,
    },
    /// The system of projective dynamics cannot be factorized.
    #[error("at {time} s the system of the solver projective cannot be factorized: {source}")]
    Factorization {
        /// Time of the failed substep \[s\].
        time: f64,
        /// The cause.
        source: FactorError,
    },
    /// No equilibrium was found.
    #[error("no equilibrium was found: {reason}{}", unbalanced(*residual, *tolerance))]
    NoEquilibrium {
        /// Norm of the unbalanced forces \[N\]; infinite if no step of the search has succeeded.
        residual: f64,
        /// The largest residual allowed \[N\].
        tolerance: f64,
        /// Why the search ended.
        reason: String,
    },
}

/// Tells what a search for an equilibrium has left, if that is known.
fn unbalanced(residual: f64, tolerance: f64) -> String {
    match residual.is_finite() {
        true => format!("; forces of {residual:.3e} N are left unbalanced, {tolerance:.3e} N would do"),
        false => String::new(),
    }
}

fn at_material(material: &Option<DVec2>) -> String {
    material.map_or(String::new(), |u| format!(" (material point {u})"))
}
