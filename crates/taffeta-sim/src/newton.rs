//! The stage of the solve by Newton's method, global or direct.

use crate::caches::Solver;
use crate::description::SolverChoice;
use crate::pins::{along_held, put_back};
use crate::step::StepError;
use crate::world::World;
use glam::DVec3;
use taffeta_contact::Contact;
use taffeta_contact::response::{effective_inverse_mass, take_back_slip};
use taffeta_core::ContactRow;
use taffeta_core::index::DenseIndex;
use taffeta_core::lanes::Row;
use taffeta_solve::drivers::newton::{
    Contacts, NewtonError, NewtonLimits, NewtonProblem, NewtonReport, Touch,
};

/// Stiffness of a contact, relative to `m/h²` of the mass at its point: the depth under gravity is then `g h² / 100`, 2 µm at
/// four substeps per frame.
const RELATIVE_CONTACT_STIFFNESS: f64 = 100.0;
/// Part of the size of the scene that a Newton step may promise to still move it, and count as converged: of the global
/// solver, and of the direct one, which is the reference of all others.
const GLOBAL_TOLERANCE: f64 = 1e-5;
const DIRECT_TOLERANCE: f64 = 1e-10;
const CONVERGED_TOLERANCE: f64 = 1e-9;
/// Newton iterations at most, unless the scene says how many.
const GLOBAL_ITERATIONS: u32 = 8;
const DIRECT_ITERATIONS: u32 = 100;
/// In the search for an equilibrium all tolerances are smaller by this factor, and a step may take so many iterations.
const STATIC_PART: f64 = 0.1;
const STATIC_ITERATIONS: u32 = 40;
/// The factor by which conjugate gradients reduce the residual of a Newton step.
const LINEAR_TOLERANCE: f64 = 1e-2;

/// The largest side of the box around some points \[m\].
pub(crate) fn extent(points: &[DVec3]) -> f64 {
    let low = points.iter().copied().fold(DVec3::INFINITY, DVec3::min);
    let high = points.iter().copied().fold(DVec3::NEG_INFINITY, DVec3::max);
    (high - low).max_element()
}

/// Notes the force of a contact after the solve, and takes back what slip is left where it sticks: the solve knows
/// sticking as a stiff spring. What sticks ends the substep with no velocity of its own.
fn settle_contact(
    contact: &mut Contact,
    touch: &Touch,
    (start, rows, scales): (&[DVec3], &mut [Row], &mut [f64]),
    h: f64,
) {
    let row = contact.row;
    let corners = || row.vertices.into_iter().zip(row.weights).filter(|(_, weight)| *weight != 0.0);
    let scale = corners().map(|(vi, _)| scales[vi.to_usize()]).fold(f64::INFINITY, f64::min);
    let normal_force = touch.force.dot(row.normal);
    let friction = touch.force.reject_from_normalized(row.normal);
    contact.normal_lambda = scale * scale * normal_force;
    contact.friction_lambda = friction * (scale * scale);
    // Points on edges and faces may creep: what they carry is not remembered, and their slip would come back for ever.
    let may_stick = touch.holds && row.vertex().is_some() && normal_force > 0.0;
    if may_stick && friction.length() <= row.static_friction * normal_force {
        contact.sticks = take_back_slip(contact, start, rows);
    }
    if contact.sticks {
        corners().for_each(|(vi, _)| scales[vi.to_usize()] = h);
    }
}

impl World {
    /// Solves the implicit step of the substep: elasticity, pressure, contact, damping.
    pub(crate) fn solve_newton(&mut self, h: f64) -> Result<NewtonReport, StepError> {
        let time = self.time;
        let mut limits = self.newton_limits();
        if self.work.stands_still {
            limits.tolerance *= STATIC_PART;
            limits.linear_tolerance *= STATIC_PART;
            limits.iterations = limits.iterations.max(STATIC_ITERATIONS);
        }
        let normals = self.clamp_normals(self.end_of_substep(h));
        let (state, gravity) = (&self.sheet.state, self.work.gravity);
        let rows: Vec<ContactRow> = self.work.contacts.iter().map(|c| c.row).collect();
        let mean_mass: f64 = state.masses.iter().sum::<f64>() / state.masses.len().max(1) as f64;
        let inertia: Vec<f64> =
            state.masses.iter().zip(&self.work.scales).map(|(m, s)| m / (s * s)).collect();
        let stiffness = |row: &ContactRow| {
            let weight = effective_inverse_mass(row, &self.work.rows);
            RELATIVE_CONTACT_STIFFNESS / (h * h) * if weight > 0.0 { 1.0 / weight } else { mean_mass }
        };
        let stiffnesses: Vec<f64> = rows.iter().map(stiffness).collect();
        let carried = self.carried_friction(&rows);
        // Start from inertia without gravity: from the old position motion would be swallowed, from the prediction a
        // cloth at rest would jitter.
        let held = state.held.raw.clone();
        let guess =
            |((x, held), s): ((&DVec3, &[bool; 3]), &f64)| along_held(*held, *x, *x - gravity * (s * s));
        let mut x: Vec<_> = self.work.predicted.iter().zip(&held).zip(&self.work.scales).map(guess).collect();
        let report = self.in_pool(|caches, work| {
            let Solver::Newton(driver) = &mut caches.solver else { return Ok(NewtonReport::default()) };
            driver.begin_step(&work.start, &caches.plate);
            caches.plate.clamps.clone_from(&normals);
            let contacts =
                Contacts { rows: &rows, start: &work.start, carried: &carried, stiffnesses: &stiffnesses };
            let problem = NewtonProblem {
                inertia: &inertia,
                predicted: &work.predicted,
                held: &held,
                damping_rate: 1.0 / h,
                contacts,
                clamps: &normals,
            };
            driver.solve((&mut x, &mut caches.plate), &problem, limits)
        });
        let report = match report {
            Ok(report) => report,
            Err(NewtonError::NotFinite) => return Err(self.blame_farthest(h)),
            Err(source) => return Err(StepError::Newton { time, source }),
        };
        let work = &mut self.work;
        for (row, x) in work.rows.iter_mut().zip(&x) {
            row.position = x.to_array();
        }
        let Solver::Newton(driver) = &self.caches.solver else { return Ok(report) };
        self.sheet.grips.iter_mut().for_each(|grip| *grip = DVec3::ZERO);
        for (contact, touch) in work.contacts.iter_mut().zip(driver.touches()) {
            settle_contact(contact, touch, (&work.start, &mut work.rows, &mut work.scales), h);
            if let Some(vi) = contact.row.vertex().filter(|_| contact.sticks) {
                self.sheet.grips[vi] += touch.force.reject_from_normalized(contact.row.normal);
            }
        }
        put_back(&work.guided, &mut work.rows);
        Ok(report)
    }

    /// The friction that contacts have borne in the last substep \[N\]: known of vertices; where one touches two things,
    /// the first takes it.
    fn carried_friction(&self, rows: &[ContactRow]) -> Vec<DVec3> {
        let mut grips = self.sheet.grips.clone();
        let mut take =
            |row: &ContactRow| row.vertex().map_or(DVec3::ZERO, |vi| std::mem::take(&mut grips[vi]));
        rows.iter().map(&mut take).collect()
    }

    /// The error for an energy that is not finite: it names the vertex that was to go farthest.
    fn blame_farthest(&self, h: f64) -> StepError {
        let way = |i: usize| {
            let way = self.work.predicted[i].distance(self.work.start[i]);
            if way.is_nan() { f64::INFINITY } else { way }
        };
        let farthest =
            (0..self.work.predicted.len()).fold(0, |best, i| if way(i) > way(best) { i } else { best });
        self.not_finite(farthest, h)
    }

    /// When the Newton iteration stops.
    pub(crate) fn newton_limits(&self) -> NewtonLimits {
        let is_direct = self.caches.choice == SolverChoice::Direct;
        let (part, most) = match self.settings.iterations {
            _ if is_direct => (DIRECT_TOLERANCE, DIRECT_ITERATIONS),
            // Who says how many iterations wants them made.
            Some(_) => (CONVERGED_TOLERANCE, GLOBAL_ITERATIONS),
            None => (GLOBAL_TOLERANCE, GLOBAL_ITERATIONS),
        };
        NewtonLimits {
            iterations: self.settings.iterations.unwrap_or(most),
            tolerance: part * self.extent(),
            linear_tolerance: LINEAR_TOLERANCE,
        }
    }

    /// The largest side of the box around all layouts: the size of the cloth \[m\].
    pub(crate) fn extent(&self) -> f64 {
        extent(&self.sheet.layout.raw)
    }

    /// The directions of the sheet beyond the clamped edges at a time \[s\].
    pub(crate) fn clamp_normals(&self, time: f64) -> Vec<DVec3> {
        let turn = |clamp: &crate::caches::Clamp| {
            let pin = &self.pins[clamp.pin as usize];
            pin.description.motion.pose_at(time, pin.center).rotation * clamp.normal
        };
        self.caches.clamps.iter().map(turn).collect()
    }
}
