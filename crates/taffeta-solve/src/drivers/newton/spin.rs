//! Angular momentum of what flies freely.
//!
//! Implicit steps lose it: internal forces have no torque about the places at which they act, at the end of a stage, and momenta of before
//! are carried to there. A stiff sheet that spins by 20 rad/s lost a tenth of its spin in 2 s.

use super::groups::Groups;
use super::{NewtonDriver, NewtonProblem};
use glam::{DMat3, DQuat, DVec3};

/// The motion of a substep up to its last stage.
#[derive(Clone, Copy, Debug)]
pub struct Flight<'a> {
    /// Masses \[kg\].
    pub masses: &'a [f64],
    /// Places and velocities at the start of the substep \[m\], \[m/s\].
    pub start: [&'a [DVec3]; 2],
    /// Bases of the last stage \[m\], from which its velocities count.
    pub bases: &'a [DVec3],
    /// The end of the first stage; empty if there is none.
    pub first: &'a [Waypoint],
    /// Times \[s\] for which the forces of the first and of the last stage act.
    pub spans: [f64; 2],
    /// Velocity damping \[1/s\].
    pub damping: f64,
}

/// A vertex at the end of the first stage.
#[derive(Clone, Copy, Debug)]
pub struct Waypoint {
    /// Place \[m\].
    pub place: DVec3,
    /// Velocity \[m/s\].
    pub velocity: DVec3,
    /// Force of the air \[N\].
    pub outer: DVec3,
}

/// Sums over a group.
#[derive(Clone, Copy, Debug)]
struct Sums {
    mass: f64,
    /// Moments of places and of velocities at the start, at the end of the first stage, and at the end.
    places: [DVec3; 3],
    velocities: [DVec3; 3],
    /// The angular momentum that the step has added \[kg·m²/s\], and the moment of inertia \[kg·m²\].
    excess: DVec3,
    inertia: DMat3,
}

/// Of nothing. The default of a matrix is the identity.
const NONE: Sums = Sums {
    mass: 0.0,
    places: [DVec3::ZERO; 3],
    velocities: [DVec3::ZERO; 3],
    excess: DVec3::ZERO,
    inertia: DMat3::ZERO,
};

impl Flight<'_> {
    /// Places and velocities of a vertex, which is at `x` at the end, at the start, at the end of the first stage, and at the end.
    fn path(&self, v: usize, x: DVec3) -> [[DVec3; 2]; 3] {
        let first = self.first.get(v).map_or([DVec3::ZERO; 2], |point| [point.place, point.velocity]);
        [[self.start[0][v], self.start[1][v]], first, [x, (x - self.bases[v]) / self.spans[1]]]
    }
}

impl NewtonDriver {
    /// Turns every group of pieces that nothing outside touches or holds. It then has the angular momentum of before about its center of
    /// mass, but for what air and damping take. A turn changes neither elastic energy nor contacts of the group. `x` are the places that
    /// a solve of `problem` has found \[m\].
    pub fn keep_spin(&self, x: &mut [DVec3], problem: &NewtonProblem<'_>, flight: &Flight<'_>) {
        if !self.system.pressure.is_empty() {
            return;
        }
        let groups = Groups::find(&self.pieces, problem);
        let group_of = |v: usize| groups.of_piece[self.pieces.of_vertex[v] as usize];
        let mut is_free: Vec<bool> = groups.is_touched.iter().map(|touched| !touched).collect();
        (0..x.len()).for_each(|v| is_free[group_of(v)] &= problem.held[v] == [false; 3]);
        if (0..x.len()).all(|v| !is_free[group_of(v)]) {
            return;
        }
        let mut air = vec![DVec3::ZERO; x.len()];
        problem.drag.add_forces(x, &mut air);
        let mut sums = vec![NONE; is_free.len()];
        for (v, x) in x.iter().enumerate().filter(|(v, _)| is_free[group_of(*v)]) {
            sums[group_of(v)].add(flight.masses[v], flight.path(v, *x));
        }
        for (v, x) in x.iter().enumerate().filter(|(v, _)| is_free[group_of(*v)]) {
            let outer = [flight.first.get(v).map_or(DVec3::ZERO, |point| point.outer), air[v]];
            sums[group_of(v)].add_spin((flight.masses[v], flight.path(v, *x)), outer, flight);
        }
        let turns: Vec<DQuat> = sums.iter().map(|sum| sum.turn_back(flight.spans[1])).collect();
        for (v, x) in x.iter_mut().enumerate().filter(|(v, _)| is_free[group_of(*v)]) {
            let sum = &sums[group_of(v)];
            let center = sum.places[2] / sum.mass;
            *x = center + turns[group_of(v)] * (*x - center);
        }
    }
}

impl Sums {
    fn add(&mut self, mass: f64, path: [[DVec3; 2]; 3]) {
        self.mass += mass;
        for (k, [place, velocity]) in path.into_iter().enumerate() {
            self.places[k] += place * mass;
            self.velocities[k] += velocity * mass;
        }
    }

    /// Adds the change of the angular momentum of a vertex, without what the forces of the air in both stages \[N\] and damping have
    /// changed.
    fn add_spin(&mut self, (mass, path): (f64, [[DVec3; 2]; 3]), outer: [DVec3; 2], flight: &Flight<'_>) {
        let arms: [DVec3; 3] = std::array::from_fn(|k| path[k][0] - self.places[k] / self.mass);
        let spins: [DVec3; 3] =
            std::array::from_fn(|k| arms[k].cross(path[k][1] - self.velocities[k] / self.mass) * mass);
        self.excess += spins[2] - spins[0];
        for (stage, span) in flight.spans.into_iter().enumerate() {
            let torque = arms[stage + 1].cross(outer[stage]) - spins[stage + 1] * flight.damping;
            self.excess -= torque * span;
        }
        let arm = arms[2];
        let [a, b, c] = arm.to_array();
        let outer = DMat3::from_cols(arm * a, arm * b, arm * c);
        self.inertia += (DMat3::IDENTITY * arm.length_squared() - outer) * mass;
    }

    /// The turn that takes out the angular momentum that a stage of this length \[s\] has added. What lies on a line or in a point has no
    /// moment of inertia about it, and is left alone.
    fn turn_back(&self, length: f64) -> DQuat {
        let size = self.inertia.x_axis.x + self.inertia.y_axis.y + self.inertia.z_axis.z;
        if self.inertia.determinant() <= 1e-9 * size.powi(3) {
            return DQuat::IDENTITY;
        }
        DQuat::from_scaled_axis(self.inertia.inverse() * self.excess * -length)
    }
}
