//! The stage of the solve by Newton's method, global or direct.

use crate::caches::Solver;
use crate::description::SolverChoice;
use crate::pins::{along_held, put_back};
use crate::step::StepError;
use crate::world::World;
use glam::DVec3;
use taffeta_contact::response::{effective_inverse_mass, rub};
use taffeta_core::ContactRow;
use taffeta_core::index::DenseIndex;
use taffeta_solve::drivers::newton::{Contacts, NewtonError, NewtonLimits, NewtonProblem, NewtonReport};

/// Stiffness of a contact, relative to `m/h²` of a mean vertex: the depth under gravity is then `g h² / 100`, 2 µm at
/// four substeps per frame.
const RELATIVE_CONTACT_STIFFNESS: f64 = 100.0;
/// Part of the size of the scene that a Newton step may promise to still move it, and count as converged: of the global
/// solver, and of the direct one, which is the reference of all others.
const GLOBAL_TOLERANCE: f64 = 1e-5;
const DIRECT_TOLERANCE: f64 = 1e-10;
/// Newton iterations at most, unless the scene says how many.
const GLOBAL_ITERATIONS: u32 = 4;
const DIRECT_ITERATIONS: u32 = 100;
/// In the search for an equilibrium all tolerances are smaller by this factor, and a step may take so many iterations.
const STATIC_PART: f64 = 0.1;
const STATIC_ITERATIONS: u32 = 40;
/// The factor by which conjugate gradients reduce the residual of a Newton step.
const LINEAR_TOLERANCE: f64 = 1e-2;

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
        let contacts = Contacts { rows: &rows, stiffness: RELATIVE_CONTACT_STIFFNESS * mean_mass / (h * h) };
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
        for contact in &mut work.contacts {
            let gap = contact.row.gap(contact.row.interpolate(|vi| x[vi.to_usize()]));
            contact.normal_lambda = h * h * contacts.stiffness * (-gap).max(0.0);
            let weight = effective_inverse_mass(&contact.row, &work.rows);
            if weight > 0.0 {
                rub(contact, &work.start, &mut work.rows, weight);
            }
        }
        put_back(&work.guided, &mut work.rows);
        Ok(report)
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
        let (part, most) = if is_direct {
            (DIRECT_TOLERANCE, DIRECT_ITERATIONS)
        } else {
            (GLOBAL_TOLERANCE, GLOBAL_ITERATIONS)
        };
        NewtonLimits {
            iterations: self.settings.iterations.unwrap_or(most),
            tolerance: part * self.extent(),
            linear_tolerance: LINEAR_TOLERANCE,
        }
    }

    /// The largest side of the box around all layouts: the size of the cloth \[m\].
    pub(crate) fn extent(&self) -> f64 {
        let low = self.sheet.layout.iter().copied().fold(DVec3::INFINITY, DVec3::min);
        let high = self.sheet.layout.iter().copied().fold(DVec3::NEG_INFINITY, DVec3::max);
        (high - low).max_element()
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
