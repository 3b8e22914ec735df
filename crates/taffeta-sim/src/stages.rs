//! The stages of a substep. [`World::step`] calls them in order; they are public so that the order can be read and
//! instrumented. Each takes what the one before it has left: called in another order they compute nothing of use.

use crate::caches::Solver;
use crate::frozen::Frozen;
use crate::pins::{Guided, Pin, along_held, put_back, put_back_starts};
use crate::report::SubstepPlan;
use crate::step::StepError;
use crate::world::{Workspace, World};
use glam::DVec3;
use taffeta_contact::SubstepView;
use taffeta_contact::response::{effective_inverse_mass, project, rub, stabilize};
use taffeta_core::index::DenseIndex;
use taffeta_core::lanes::Row;
use taffeta_core::math;
use taffeta_core::{ContactRow, VertexIndex};
use taffeta_solve::Substep;
use taffeta_solve::drivers::direct::{NewtonProblem, NewtonReport};

/// Stiffness of a contact in the direct solver, relative to `m/h²` of a mean vertex: the depth under gravity is then
/// `g h² / 100`, 2 µm at four substeps per frame.
const RELATIVE_CONTACT_STIFFNESS: f64 = 100.0;

/// Distance from the origin beyond which a position is taken for a blow-up \[m\]: there f64 resolves tenths of a
/// micrometer and no solver converges any more.
const FARTHEST: f64 = 1e9;

impl World {
    /// Lets go of the pins whose time has come. Moves the free vertices by inertia, gravity, drag and pressure, and the
    /// held ones, along the axes that are held, to where their pin's motion takes them.
    ///
    /// Reads: positions, velocities, pins, air. Writes: velocities, the rows and the start of the substep; everything
    /// that depends on who is held if a pin lets go.
    pub fn predict(&mut self, h: f64) {
        self.release_pins();
        let (decay, gain) = (math::exp(-self.settings.velocity_damping * h), self.work.gravity * h);
        let state = &mut self.sheet.state;
        for (v, w) in state.velocities.iter_mut().zip(state.inverse_masses.iter()) {
            *v = if *w > 0.0 { *v * decay + gain } else { *v };
        }
        let impulses = self.outer_impulses(h);
        let state = &mut self.sheet.state;
        for ((v, impulse), w) in state.velocities.iter_mut().zip(&impulses).zip(state.inverse_masses.iter()) {
            *v += *impulse * *w;
        }
        self.note_inertia(&impulses, |v| v * decay + gain, h);
        self.work.start.clear();
        self.work.start.extend_from_slice(&self.sheet.state.positions);
        self.work.h = h;
        self.place_vertices(h);
    }

    /// Impulses of drag and pressure over a time `h` \[N·s\]; empty if there is neither.
    fn outer_impulses(&self, h: f64) -> Vec<DVec3> {
        let pressed = self.has_pressure() && self.is_pressure_explicit();
        if self.work.air.is_none() && !pressed {
            return Vec::new();
        }
        let state = &self.sheet.state;
        let mut impulses = vec![DVec3::ZERO; state.positions.len()];
        if let Some(air) = self.work.air {
            self.exposed(&self.densities()).add_drag(&air, &state.velocities, h, &mut impulses);
        }
        if pressed {
            self.add_pressure(&state.positions, h, &mut impulses);
        }
        impulses
    }

    /// Puts the vertices where their velocities and their pins take them by the end of the substep.
    fn place_vertices(&mut self, h: f64) {
        let Frozen { state, vertex_pins, starts, .. } = &self.sheet;
        let end = self.time + h;
        let pose = |pin: &Pin| pin.description.motion.pose_at(end, pin.center);
        let poses: Vec<_> = self.pins.iter().map(pose).collect();
        self.work.guided.clear();
        for vi in self.sheet.topology.vertices() {
            let start = state.positions[vi];
            let mut position = start + state.velocities[vi] * h;
            if let Some(pin) = vertex_pins[vi] {
                let (held, target) = (state.held[vi], poses[pin as usize].apply(starts[vi]));
                position = along_held(held, target, position);
                if held.contains(&false) {
                    self.work.guided.push(Guided { vertex: vi, held, start, target });
                }
            }
            self.work.rows[vi.to_usize()].position = position.to_array();
        }
    }

    /// Finds the contacts of the substep and separates those that were violated before it.
    ///
    /// Reads: rows, start, obstacles. Writes: contacts; rows and start where a contact was violated.
    pub fn detect(&mut self, h: f64) {
        let work = &mut self.work;
        let view = SubstepView { start: &work.start, rows: &work.rows, time: self.time, h };
        work.contacts = self.caches.detector.detect(&self.sheet.topology, &self.obstacles, view);
        stabilize(&work.contacts, &mut work.start, &mut work.rows, h);
        put_back(&work.guided, &mut work.rows);
        put_back_starts(&work.guided, &mut work.start);
        work.predicted.clear();
        work.predicted.extend(work.rows.iter().map(Row::position));
    }

    /// Elasticity, and contact after it in every sweep.
    ///
    /// Reads: start, predicted, contacts. Writes: rows, the multipliers of the contacts, the counts of the plan.
    ///
    /// # Errors
    /// If the direct solver cannot factorize its system.
    pub fn solve(&mut self, h: f64, plan: &mut SubstepPlan) -> Result<(), StepError> {
        if matches!(self.caches.solver, Solver::Block(_)) {
            let sweeps = plan.iterations;
            self.in_pool(|caches, work| {
                let Solver::Block(driver) = &mut caches.solver else { return };
                if driver.is_damped() {
                    // Noted here and not before: a contact that was pushed apart has moved the start.
                    driver.begin_substep(&rows_at_start(work));
                }
                for sweep in 0..sweeps {
                    driver.sweep(&mut work.rows, Substep { h, sweep });
                    put_back(&work.guided, &mut work.rows);
                    project(&mut work.contacts, &work.start, &mut work.rows);
                    put_back(&work.guided, &mut work.rows);
                }
            });
            return Ok(());
        }
        let time = self.time;
        let report = self.solve_direct(h).map_err(|source| StepError::Direct { time, source })?;
        plan.iterations = plan.iterations.max(report.iterations);
        plan.not_converged += u32::from(!report.converged);
        Ok(())
    }

    fn solve_direct(&mut self, h: f64) -> Result<NewtonReport, taffeta_solve::drivers::direct::DirectError> {
        let Solver::Direct(driver) = &mut self.caches.solver else { return Ok(NewtonReport::default()) };
        let (state, work) = (&self.sheet.state, &mut self.work);
        let rows: Vec<ContactRow> = work.contacts.iter().map(|c| c.row).collect();
        let free_mass: f64 = state.masses.iter().sum::<f64>() / state.masses.len().max(1) as f64;
        let problem = NewtonProblem {
            h,
            predicted: &work.predicted,
            masses: &state.masses,
            inverse_masses: &state.inverse_masses,
            contacts: &rows,
            contact_stiffness: RELATIVE_CONTACT_STIFFNESS * free_mass / (h * h),
        };
        driver.begin_step(&work.start);
        // Start from inertia without gravity: from the old position motion would be swallowed, from the prediction a
        // cloth at rest would jitter.
        let fall = work.gravity * (h * h);
        let guess = |(x, held): (&DVec3, &[bool; 3])| along_held(*held, *x, *x - fall);
        let mut x: Vec<_> = work.predicted.iter().zip(state.held.iter()).map(guess).collect();
        let report = driver.solve(&mut x, &problem)?;
        for (row, x) in work.rows.iter_mut().zip(&x) {
            row.position = x.to_array();
        }
        for contact in &mut work.contacts {
            let gap = contact.row.gap(contact.row.interpolate(|vi| x[vi.to_usize()]));
            contact.normal_lambda = h * h * problem.contact_stiffness * (-gap).max(0.0);
            let weight = effective_inverse_mass(&contact.row, &work.rows);
            if weight > 0.0 {
                rub(contact, &work.start, &mut work.rows, weight);
            }
        }
        put_back(&work.guided, &mut work.rows);
        Ok(report)
    }

    /// Velocities from the change of position; the guard against numbers that are none; the load of the pins that can
    /// be overloaded.
    ///
    /// Reads: rows, start. Writes: positions, velocities, which pins are to let go.
    ///
    /// # Errors
    /// If a position is not finite: the error names the vertex.
    pub fn finish(&mut self, h: f64) -> Result<(), StepError> {
        let inverse_h = 1.0 / h;
        let state = &mut self.sheet.state;
        let mut bad = None;
        for (i, row) in self.work.rows.iter().enumerate() {
            let position = row.position();
            if !position.is_finite() || position.abs().max_element() > FARTHEST {
                bad = bad.or(Some(i));
            }
            state.velocities.raw[i] = (position - self.work.start[i]) * inverse_h;
            state.positions.raw[i] = position;
        }
        match bad {
            Some(i) => Err(self.not_finite(i, h)),
            None => {
                self.mark_overloaded_pins();
                Ok(())
            }
        }
    }

    fn not_finite(&self, i: usize, h: f64) -> StepError {
        let vi = VertexIndex::from_usize(i);
        let cloth = &self.cloths[self.sheet.vertex_cloths[vi] as usize];
        let corner = self.sheet.topology.faces_around(vi).first().map(|fi| {
            let k = self.sheet.topology.faces[*fi].iter().position(|v| *v == vi).unwrap_or(0);
            self.sheet.rest.corners[*fi][k]
        });
        StepError::NotFinite {
            cloth: cloth.name.clone(),
            material: corner.filter(|_| cloth.has_material),
            last_position: self.work.start[i],
            time: self.time + h,
        }
    }
}

/// The rows with the positions of the start of the substep.
fn rows_at_start(work: &Workspace) -> Vec<Row> {
    let at = |(row, x): (&Row, &DVec3)| Row { position: x.to_array(), ..*row };
    work.rows.iter().zip(&work.start).map(at).collect()
}
