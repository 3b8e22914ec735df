//! The objective `W` of a step with its gradient and its Hessian, over positions and scalars in one flat vector.

pub(super) mod bending;
pub(super) mod bending_product;
pub(super) mod bending_rest;
pub(super) mod bending_shape;
pub(super) mod carrier;
pub(super) mod drag;
pub(super) mod elements;
pub(super) mod face_state;
pub(super) mod held;
pub(super) mod loads;
pub(super) mod membrane;
pub(super) mod tiles;

use crate::block::Curvature;
use crate::kinds::Blocks;
use bending::Bending;
use drag::{Displacements, Drags};
use elements::{AllElements, Evaluate, add, at};
use glam::{DMat3, DVec3};
use held::mask;
use loads::{ContactState, Contacts, Pressure};
use membrane::Membrane;
use taffeta_core::{FaceIndex, SurfaceTopology};
use tiles::{CornerTile, FaceTiles, ZERO};

/// One implicit step: minimize `W` over the free components.
#[derive(Clone, Copy, Debug)]
pub struct NewtonProblem<'a> {
    /// Inertia of each vertex \[N/m\]: mass over the square of the effective time step.
    pub inertia: &'a [f64],
    /// Predicted positions `x̄` \[m\].
    pub predicted: &'a [DVec3],
    /// Which axes of each vertex keep the value that they come with.
    pub held: &'a [[bool; 3]],
    /// `1/h` of the step \[1/s\], by which damping times are multiplied; 0: no damping.
    pub damping_rate: f64,
    /// Drag; its vertices are those of faces and of rope segments.
    pub drag: Drags<'a>,
    /// Contacts.
    pub contacts: Contacts<'a>,
    /// Unit normals beyond the clamped edges, in the order of the clamps.
    pub clamps: &'a [DVec3],
}

/// All elements of one topology, and the state in which they were last evaluated.
#[derive(Clone, Debug)]
pub(crate) struct System {
    pub tiles: FaceTiles,
    pub membrane: Membrane,
    pub bending: Bending,
    /// The other kinds, one by one.
    pub elements: AllElements,
    pub pressure: Pressure,
    /// The drag at the last evaluation.
    pub displacements: Displacements,
    /// The contacts at the last evaluation.
    pub touches: Vec<ContactState>,
    /// Derivatives of the forces of the drives of bodies \[N/m\], at the last evaluation.
    pub drives: Vec<DMat3>,
    corners: Vec<CornerTile>,
    /// Number of vertices of the topology; those of the bodies follow them.
    own_count: usize,
    body_count: usize,
}

/// `W` at a point.
#[derive(Clone, Debug, Default)]
pub(crate) struct Evaluation {
    /// `W` without the work of the pressure at the rim \[J\].
    pub energy: f64,
    /// Its gradient, the forces at the rim included.
    pub gradient: Vec<f64>,
    /// The forces at the rim, which have no energy \[N\]; empty without pressure.
    pub rim: Vec<f64>,
}

impl System {
    /// Packs all elements. `face_pressure` is in Pa.
    pub(super) fn build(
        topology: &SurfaceTopology,
        blocks: &Blocks,
        face_pressure: impl Fn(FaceIndex) -> f64,
    ) -> Self {
        let tiles = FaceTiles::build(topology);
        Self {
            membrane: Membrane::build(&tiles, topology, &blocks.strain),
            bending: Bending::build(topology, &tiles, &blocks.plate),
            elements: AllElements::new(blocks),
            pressure: Pressure::build(topology, face_pressure),
            displacements: Displacements::default(),
            touches: Vec::new(),
            corners: vec![[ZERO; 9]; tiles.tile_count()],
            drives: Vec::new(),
            own_count: topology.vertex_count,
            body_count: 0,
            tiles,
        }
    }

    /// Makes room for rigid bodies, two vertices each, see [`Carrier`](super::Carrier).
    pub(super) fn with_bodies(self, count: usize) -> Self {
        Self { body_count: count, ..self }
    }

    /// Number of vertices, those of the bodies included.
    pub(super) fn vertex_count(&self) -> usize {
        self.own_count + 2 * self.body_count
    }

    /// The vertices of each body.
    pub(super) fn bodies(&self) -> impl Iterator<Item = [u32; 2]> {
        let first = self.own_count as u32;
        (0..self.body_count as u32).map(move |body| [first + 2 * body, first + 2 * body + 1])
    }

    /// Number of coordinates of positions; the scalars follow them.
    pub(super) fn coordinate_count(&self) -> usize {
        3 * self.vertex_count()
    }

    /// Length of the vector of unknowns.
    pub(super) fn unknown_count(&self) -> usize {
        self.coordinate_count() + self.bending.scalar_count()
    }

    /// The scalars in a vector of unknowns.
    pub(super) fn scalars<'a>(&self, z: &'a [f64]) -> &'a [f64] {
        &z[self.coordinate_count()..]
    }

    /// Notes the state at the start of a step, for damping and for unwrapped angles.
    pub(super) fn begin_step(&mut self, z: &[f64], clamps: &[DVec3]) {
        let (x, scalars) = (&z[..self.coordinate_count()], self.scalars(z));
        self.membrane.begin_step(&self.tiles.corners, x);
        self.bending.begin_step(&self.tiles.corners, x, scalars, clamps);
        self.elements.begin_step(x);
        self.pressure.begin_step(x);
    }

    /// Moves what elements had at the start on to what it comes to if it goes on as it has changed until `z`, by a part of that.
    pub(super) fn continue_step(&mut self, z: &[f64], clamps: &[DVec3], part: f64) {
        let (x, scalars) = (&z[..self.coordinate_count()], self.scalars(z));
        self.membrane.continue_step(&self.tiles.corners, x, part);
        self.bending.continue_step(&self.tiles.corners, x, scalars, clamps, part);
        self.elements.continue_step(x, part);
    }

    /// Reads at `z` how much friction the contacts may bear; returns how far that moves the minimum of `W`, see
    /// [`Contacts::grip`].
    pub(super) fn grip(
        &mut self,
        z: &[f64],
        problem: &NewtonProblem<'_>,
        mobilities: &[f64],
        converged: Option<f64>,
    ) -> f64 {
        let x = &z[..self.coordinate_count()];
        problem.contacts.grip(x, mobilities, converged, &mut self.touches)
    }

    /// Measures the contacts at `z`, and nothing else.
    pub(super) fn touch(&mut self, z: &[f64], problem: &NewtonProblem<'_>) {
        if !problem.contacts.rows.is_empty() {
            let x = &z[..self.coordinate_count()];
            problem.contacts.evaluate(x, &mut self.touches, &mut vec![0.0; x.len()]);
        }
    }

    /// Evaluates `W` and its gradient at `z`, and keeps what products with the Hessian need.
    pub(super) fn evaluate(
        &mut self,
        z: &[f64],
        problem: &NewtonProblem<'_>,
        curvature: Curvature,
        out: &mut Evaluation,
    ) {
        let (x, scalars) = (&z[..self.coordinate_count()], self.scalars(z));
        out.gradient.clear();
        out.gradient.resize(z.len(), 0.0);
        let (gradient, by_scalar) = out.gradient.split_at_mut(x.len());
        let rate = problem.damping_rate;
        let mut energy = 0.0;
        for (i, inertia) in problem.inertia.iter().enumerate() {
            let away = at(x, i as u32) - problem.predicted[i];
            let free = problem.held[i].map(|held| if held { 0.0 } else { 1.0 });
            energy += 0.5 * inertia * (away * away).dot(DVec3::from_array(free));
            add(gradient, i as u32, away * *inertia);
        }
        let (faces, corners) = (&self.tiles.corners, &mut self.corners);
        energy += self.membrane.evaluate(faces, x, rate, curvature, corners);
        energy += self.bending.evaluate(faces, x, scalars, problem.clamps, rate, corners);
        self.bending.write_scalar_gradient(by_scalar);
        self.tiles.gather(corners, &mut gradient[..3 * self.own_count]);
        let mut pass = Evaluate { x, rate, curvature, energy, gradient };
        self.elements.evaluate(&mut pass);
        let Evaluate { mut energy, gradient, .. } = pass;
        energy += problem.contacts.evaluate(x, &mut self.touches, gradient);
        energy += problem.contacts.drive(x, &mut self.drives, gradient);
        energy += problem.drag.evaluate(x, &mut self.displacements, gradient);
        if !self.pressure.is_empty() {
            energy += self.pressure.evaluate(x, gradient);
            out.rim.resize(x.len(), 0.0);
            self.pressure.write_rim(x, &mut out.rim);
            gradient.iter_mut().zip(&out.rim).for_each(|(g, f)| *g -= f);
            mask(problem.held, &mut out.rim);
        }
        mask(problem.held, gradient);
        out.energy = energy;
    }
}
