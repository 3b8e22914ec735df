//! Loose vertices: those that belong to no face of a mesh, as the points of a rope or the interior of a solid.
//!
//! They come after the vertices of the meshes, body by body, in the order in which they are given, and are never
//! remeshed. What couples them are blocks that are derived; a loose vertex by itself is a point mass. Everything that
//! goes over vertices holds for them: pins, inertia, contact with obstacles, momentum, checkpoints.

use crate::build::claim::{Selected, claim};
use crate::model::description::{LooseDescription, PinDescription};
use crate::model::report::error::BuildError;
use crate::model::setup::loose::{LooseBody, LooseVertex};
use crate::model::setup::pins::{Pin, along_held};
use glam::DVec3;
use taffeta_core::Region;
use taffeta_remesh::Hold;
use taffeta_solve::RopeModel;
use taffeta_solve::block::rope_angle::turning_angle;

/// A body of loose vertices that is about to be built.
#[derive(Clone, Debug)]
pub(crate) struct LooseInput {
    pub description: LooseDescription,
    /// Vertices that a pin of the body carries along, besides those that it selects: vertex and pin.
    pub guides: Vec<(usize, usize)>,
    /// Rope model and radius \[m\]; `None` if it is no rope.
    pub rope: Option<(RopeModel, f64)>,
}

impl LooseInput {
    /// A body without a rope.
    pub(crate) fn plain(description: LooseDescription) -> Self {
        Self { description, guides: Vec::new(), rope: None }
    }

    /// The turning angle at every vertex \[rad\], for ropes in a plane; 0 elsewhere.
    fn angles(&self) -> Vec<f64> {
        let x = &self.description.positions;
        let plane = self.rope.as_ref().and_then(|(model, _)| model.plane);
        let angle = |i: usize| match plane {
            Some(_) if i > 0 && i + 1 < x.len() => turning_angle(x[i] - x[i - 1], x[i + 1] - x[i], plane),
            _ => 0.0,
        };
        (0..x.len()).map(angle).collect()
    }
}

/// The loose bodies as the world keeps them.
pub(crate) fn world_bodies(inputs: Vec<LooseInput>) -> Vec<LooseBody> {
    let body = |LooseInput { description, rope, .. }| {
        let (rope, radius) = rope.map_or((None, 0.0), |(model, radius)| (Some(model), radius));
        let LooseDescription { name, surface, .. } = description;
        LooseBody { name, surface, rope, radius }
    };
    inputs.into_iter().map(body).collect()
}

/// The vertices of all loose bodies at time 0; their pins are added to `pins`.
pub(crate) fn build_loose(
    inputs: &[LooseInput],
    pins: &mut Vec<Pin>,
) -> Result<Vec<LooseVertex>, BuildError> {
    let mut vertices = Vec::new();
    for (number, input) in inputs.iter().enumerate() {
        let (body, angles, first_pin) = (&input.description, input.angles(), pins.len());
        if let Some(reason) = find_defect(body) {
            return Err(refuse(body, reason));
        }
        let mut holders = vec![None; body.positions.len()];
        for (pin, description) in body.pins.iter().enumerate() {
            let held = select(body, description).map_err(|reason| refuse_pin(body, pin, reason))?;
            let center = held.iter().map(|i| body.positions[*i]).sum::<DVec3>() / held.len() as f64;
            pins.push(Pin::new(description.clone(), center));
            for i in held {
                let name = || format!("body '{}'", body.name);
                let vertex = Selected { body: name, number: i, position: body.positions[i] };
                claim(&mut holders[i], pins, first_pin, vertex)?;
            }
        }
        for (i, pin) in &input.guides {
            holders[*i] = Some(Hold::new((first_pin + pin) as u32, body.positions[*i]));
        }
        let mass: f64 = body.masses.iter().sum();
        let weighted = body.positions.iter().zip(&body.masses).map(|(x, m)| *x * *m);
        let center = weighted.sum::<DVec3>() / mass;
        for (i, (x, hold)) in body.positions.iter().zip(holders).enumerate() {
            let held = hold.map_or([false; 3], |hold: Hold| pins[hold.pin as usize].description.axes);
            let velocity = body.velocity + body.angular_velocity.cross(*x - center);
            vertices.push(LooseVertex {
                body: number as u32,
                mass: body.masses[i],
                position: *x,
                velocity: along_held(held, DVec3::ZERO, velocity),
                start: *x,
                layout: *body.layout.as_ref().map_or(x, |layout| &layout[i]),
                hold,
                angle: angles[i],
            });
        }
    }
    Ok(vertices)
}

fn refuse(body: &LooseDescription, reason: String) -> BuildError {
    BuildError::BadSetting { what: format!("body '{}'", body.name), reason }
}

fn refuse_pin(body: &LooseDescription, pin: usize, reason: String) -> BuildError {
    BuildError::BadSetting { what: format!("body '{}': pin {pin}", body.name), reason }
}

/// Describes what is wrong with a loose body; `None` if it is valid.
fn find_defect(body: &LooseDescription) -> Option<String> {
    let count = body.positions.len();
    if count == 0 {
        return Some("it has no vertices".into());
    }
    let layouts = body.layout.as_ref().map_or(count, Vec::len);
    if body.masses.len() != count || layouts != count {
        return Some(format!(
            "it has {count} vertices, but {} masses and {layouts} places at rest",
            body.masses.len()
        ));
    }
    if let Some(i) = body.masses.iter().position(|m| !m.is_finite() || *m <= 0.0) {
        return Some(format!("vertex {i} has a mass of {} kg; it must be positive", body.masses[i]));
    }
    let places = body.positions.iter().chain(body.layout.iter().flatten());
    if let Some(i) = places.into_iter().position(|x| !x.is_finite()) {
        return Some(format!("the position of vertex {} is not finite", i % count));
    }
    if !body.velocity.is_finite() || !body.angular_velocity.is_finite() {
        return Some("its initial velocity is not finite".into());
    }
    if !(body.surface.offset.is_finite() && body.surface.offset >= 0.0) {
        return Some(format!("it keeps {} m from obstacles; it must be at least 0", body.surface.offset));
    }
    body.surface.friction.find_defect()
}

/// The vertices that a pin holds.
fn select(body: &LooseDescription, pin: &PinDescription) -> Result<Vec<usize>, String> {
    let count = body.positions.len();
    let held: Vec<usize> = match &pin.region {
        Region::Vertices(list) => (0..count).filter(|i| list.contains(&(*i as u32))).collect(),
        Region::Box(_) => {
            (0..count).filter(|i| pin.region.contains_point(body.positions[*i], None)).collect()
        }
        Region::Boundary | Region::MaterialBox(_) | Region::PanelBox { .. } => {
            return Err("it selects by the faces of a mesh, of which there are none".into());
        }
    };
    if held.is_empty() { Err("it selects no vertex".into()) } else { Ok(held) }
}
