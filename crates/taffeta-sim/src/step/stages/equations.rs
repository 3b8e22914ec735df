//! Equations of a stage under Newton's method, collected before they are solved.

use crate::contact::stiffness::{JUNCTION, friction_stiffness, stiffnesses};
use crate::derive::air::exposed;
use crate::derive::facts::Facts;
use crate::derive::solver_facts::is_second_order;
use crate::derive::stages::{stage_share, stage_span};
use crate::model::setup::pins::along_held;
use crate::model::state::{LastSubstep, State};
use crate::model::workspace::Workspace;
use crate::step::stages::integrate::led;
use crate::step::stages::rigid_terms::{RigidTerms, collect_terms, expected_loads};
use glam::DVec3;
use taffeta_contact::Contact;
use taffeta_core::index::DenseIndex;
use taffeta_core::lanes::Row;
use taffeta_core::{ContactRow, VertexIndex};
use taffeta_solve::drivers::newton::{Contacts, Drag, Drags, FrictionSpring, NewtonProblem};

/// First guess of the solution of a stage.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Start {
    /// The place to which inertia leads.
    Inertia,
    /// The solution so far, without contacts that have been found since.
    Solution,
}

/// The equations of a stage: of the vertices first, then of the vertices that stand for bodies.
pub(crate) struct Equations {
    /// Inertia \[N/m\] and predictions \[m\], and the axes along which a vertex is held.
    inertia: Vec<f64>,
    predicted: Vec<DVec3>,
    held: Vec<[bool; 3]>,
    /// The contacts, those between bodies last.
    rows: Vec<ContactRow>,
    springs: Vec<FrictionSpring>,
    stiffnesses: Vec<f64>,
    /// The drag of faces and segments.
    faces: Vec<Drag<3>>,
    segments: Vec<Drag<2>>,
    /// The terms of bodies, whose contacts are among those above.
    rigid: RigidTerms,
}

impl Equations {
    /// Those of a stage of length `h` \[s\], and the positions of all vertices from which the solution starts \[m\].
    pub(crate) fn collect(facts: Facts<'_>, work: &Workspace, h: f64, start: Start) -> (Self, Vec<DVec3>) {
        let State { motion, last, .. } = facts.state;
        let mut x = first_guess(facts, work, start);
        let surfaces = facts.inputs.air.map(|air| exposed(facts.setup, facts.state, air, &x));
        let (faces, segments) =
            surfaces.map(|surfaces| surfaces.terms(&work.bases, &last.scales)).unwrap_or_default();
        let mut inertia: Vec<f64> =
            motion.masses.iter().enumerate().map(|(i, mass)| last.inertia(i, *mass)).collect();
        last.pulls.iter().for_each(|pull| inertia[pull.vertex] += pull.stiffness);
        let mut equations = Self {
            inertia,
            predicted: last.predicted.clone(),
            held: motion.held.raw.clone(),
            rows: last.contacts.iter().map(|contact| contact.row).collect(),
            springs: Vec::new(),
            stiffnesses: Vec::new(),
            faces,
            segments,
            rigid: collect_terms(facts, work, h),
        };
        equations.add_springs(facts, work, h);
        equations.add_bodies();
        x.resize(equations.inertia.len(), DVec3::ZERO);
        (equations, x)
    }

    /// Adds the springs of the contacts. Forces act for the effective step of the stage only.
    fn add_springs(&mut self, facts: Facts<'_>, work: &Workspace, h: f64) {
        let (span, share) = (stage_span(facts, work, h), stage_share(facts, work));
        self.stiffnesses = stiffnesses(facts, &expected_loads(facts, work), span);
        self.springs = friction_springs(facts, work, h, &self.stiffnesses);
        for (stiffness, spring) in self.stiffnesses.iter_mut().zip(&mut self.springs) {
            *stiffness /= share;
            spring.stiffness /= share;
            spring.carried /= share;
        }
    }

    /// Adds the unknowns of bodies, and the contacts between them.
    fn add_bodies(&mut self) {
        let Self { inertia, predicted, held, rows, springs, stiffnesses, rigid, .. } = self;
        inertia.extend(&rigid.inertia);
        predicted.extend(&rigid.predicted);
        held.extend(&rigid.held);
        rows.extend(&rigid.rows);
        springs.append(&mut rigid.springs);
        stiffnesses.append(&mut rigid.stiffnesses);
    }

    /// Number of unknown vertices and contacts, by which effort is counted.
    pub(crate) fn size(&self) -> usize {
        self.inertia.len() + self.rows.len()
    }

    /// The forces of drag.
    fn drag(&self) -> Drags<'_> {
        Drags { faces: &self.faces, segments: &self.segments }
    }

    /// The problem as the driver takes it, with a rate of damping \[1/s\] and the normals beyond clamped edges.
    pub(crate) fn problem<'a>(&'a self, damping_rate: f64, clamps: &'a [DVec3]) -> NewtonProblem<'a> {
        let contacts = Contacts {
            rows: &self.rows,
            springs: &self.springs,
            stiffnesses: &self.stiffnesses,
            carriers: &self.rigid.carriers,
            drives: &self.rigid.drives,
        };
        NewtonProblem {
            inertia: &self.inertia,
            predicted: &self.predicted,
            held: &self.held,
            damping_rate,
            drag: self.drag(),
            contacts,
            clamps,
        }
    }

    /// Notes the forces of drag at the solution; the prediction of what is free has them from now on, as that of a local solver.
    pub(crate) fn record_drag(&self, last: &mut LastSubstep, x: &[DVec3]) {
        last.outer = vec![DVec3::ZERO; x.len()];
        self.drag().add_forces(x, &mut last.outer);
        for (i, force) in last.outer.iter().enumerate().filter(|(_, force)| **force != DVec3::ZERO) {
            let predicted = last.predicted[i];
            last.predicted[i] = along_held(self.held[i], predicted, predicted + *force / self.inertia[i]);
        }
    }

    /// The terms of bodies.
    pub(crate) fn into_rigid(self) -> RigidTerms {
        self.rigid
    }
}

/// The positions of the vertices of cloths from which a solution starts \[m\].
///
/// Inertia alone leads there, in the second stage with the velocity of the first. From the old position motion would be swallowed. From
/// the prediction a cloth at rest would jitter, and press much harder than it does.
fn first_guess(facts: Facts<'_>, work: &Workspace, start: Start) -> Vec<DVec3> {
    let State { motion, last, gravity, .. } = facts.state;
    let (held, has_stages) = (&motion.held.raw, is_second_order(facts));
    let fall = |s: f64| *gravity * (s * s / (1.0 + last.damping * s));
    let guess = |(i, s): (usize, &f64)| match has_stages {
        true => along_held(held[i], last.predicted[i], led(last, work, i)),
        false => along_held(held[i], last.predicted[i], last.predicted[i] - fall(*s)),
    };
    let mut x: Vec<_> = match start {
        Start::Inertia => last.scales.iter().enumerate().map(guess).collect(),
        Start::Solution => work.rows.iter().map(Row::position).collect(),
    };
    for pull in &last.pulls {
        // Nor from where a grab would take its vertices by themselves: they would be torn out of the cloth.
        x[pull.vertex] = along_held(held[pull.vertex], pull.free, pull.free - fall(last.scales[pull.vertex]));
    }
    x
}

/// The springs of friction of the contacts in a stage of length `h` \[s\]. A contact that has begun within the substep began where
/// the first stage ended; it slides if its speed takes it far enough.
fn friction_springs(facts: Facts<'_>, work: &Workspace, h: f64, stiffnesses: &[f64]) -> Vec<FrictionSpring> {
    let ahead = 1.0 - stage_share(facts, work);
    let State { motion, last, .. } = facts.state;
    let held = &motion.held;
    let way = |vi: VertexIndex| {
        let i = vi.to_usize();
        let prescribed = last.predicted[i] - work.start[i];
        along_held(held[vi], prescribed, work.start_velocities[i] * h)
    };
    let spring = |(contact, normal): (&Contact, &f64)| {
        let Contact { row, borne, .. } = contact;
        let origin = match contact.touched() {
            true => row.interpolate(|vi| work.start[vi.to_usize()]),
            false => row.interpolate(|vi| work.bases[vi.to_usize()]) - row.body_displacement * ahead,
        };
        let carried = borne.friction.reject_from_normalized(row.normal);
        let stiffness = friction_stiffness(*normal, row, borne.load());
        let slid = match borne.load() > 0.0 {
            true => borne.slid,
            false => {
                (row.interpolate(way) - row.body_displacement).reject_from_normalized(row.normal).length()
            }
        };
        FrictionSpring { origin, carried, stiffness, left: JUNCTION - slid }
    };
    last.contacts.iter().zip(stiffnesses).map(spring).collect()
}
