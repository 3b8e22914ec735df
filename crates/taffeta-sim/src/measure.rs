//! Energies, momenta, residual and hash of a state.

use crate::caches::Solver;
use crate::pins::along_held;
use crate::report::{Metrics, RemeshCounts, RemeshJumps};
use crate::world::World;
use glam::DVec3;
use taffeta_core::math::Sym2;
use taffeta_solve::ElasticEnergy;

impl World {
    /// Energies, momenta and residual of the present state.
    pub fn measure(&self) -> Metrics {
        let state = &self.state.motion;
        let x = &state.positions;
        let elastic = self.elastic_energy();
        let mass: f64 = state.masses.iter().sum();
        let each = || state.masses.iter().zip(x.iter()).zip(state.velocities.iter());
        let center = each().map(|((m, x), _)| *x * *m).sum::<DVec3>() / mass;
        Metrics {
            kinetic_energy: self.kinetic_energy(),
            stretch_energy: elastic.stretch,
            bend_energy: elastic.bend,
            gravity_energy: self.gravity_energy(),
            momentum: each().map(|((m, _), v)| *v * *m).sum(),
            angular_momentum: each().map(|((m, x), v)| (*x - center).cross(*v) * *m).sum(),
            max_strain: self.max_strain(),
            residual: self.residual(),
        }
    }

    /// What a remeshing pass has changed, with its popping, since the state was measured.
    pub(crate) fn measure_jumps(
        &self,
        before: &Metrics,
        (counts, popping): (&RemeshCounts, f64),
    ) -> RemeshJumps {
        if counts.splits + counts.collapses + counts.flips == 0 {
            return RemeshJumps::default();
        }
        let elastic = self.elastic_energy();
        RemeshJumps {
            popping,
            kinetic_energy: self.kinetic_energy() - before.kinetic_energy,
            elastic_energy: elastic.stretch + elastic.bend - (before.stretch_energy + before.bend_energy),
        }
    }

    /// Elastic energies \[J\], by the constraints of projective dynamics where they are in use.
    fn elastic_energy(&self) -> ElasticEnergy {
        let x = &self.state.motion.positions;
        match &self.caches.solver {
            Solver::Projective(driver) => {
                let energy = driver.energy(x);
                let enclosed: f64 = self.caches.blocks.enclosed.iter().map(|block| block.energy(x)).sum();
                ElasticEnergy { stretch: energy.stretch + enclosed, bend: energy.bend }
            }
            Solver::Block(_) | Solver::Rows(_) | Solver::Newton(_) => {
                self.caches.blocks.energy(x, &self.caches.plate)
            }
        }
    }

    /// Kinetic energy \[J\].
    pub(crate) fn kinetic_energy(&self) -> f64 {
        let state = &self.state.motion;
        state.masses.iter().zip(state.velocities.iter()).map(|(m, v)| 0.5 * m * v.length_squared()).sum()
    }

    /// Potential energy in the field of gravity \[J\], zero at the origin.
    fn gravity_energy(&self) -> f64 {
        let state = &self.state.motion;
        let moment: DVec3 = state.masses.iter().zip(state.positions.iter()).map(|(m, x)| *x * *m).sum();
        -self.gravity().dot(moment)
    }

    /// Kinetic, elastic and potential energy together \[J\].
    pub(crate) fn mechanical_energy(&self) -> f64 {
        let elastic = self.elastic_energy();
        self.kinetic_energy() + elastic.stretch + elastic.bend + self.gravity_energy()
    }

    pub(crate) fn gravity(&self) -> DVec3 {
        if self.state.last.h > 0.0 { self.state.gravity } else { self.settings.gravity }
    }

    /// Largest principal Green strain of faces and strain of segments in absolute value. Edge-length cloths are measured by the same strain.
    pub(crate) fn max_strain(&self) -> f64 {
        let mut largest = self.caches.blocks.ropes.max_strain(&self.state.motion.positions);
        largest = largest.max(self.caches.blocks.solids.max_strain(&self.state.motion.positions));
        for (fi, _) in self.state.sheet.topology.faces.iter_indexed() {
            largest = largest.max(self.face_strain(fi).abs());
        }
        largest
    }

    /// Gradient of the elastic energy \[N\].
    pub(crate) fn elastic_gradient(&self) -> Vec<DVec3> {
        let x = &self.state.motion.positions;
        if let Solver::Projective(driver) = &self.caches.solver {
            let mut forces = driver.energy(x).gradient;
            self.caches.blocks.enclosed.iter().for_each(|block| block.add_gradient(x, &mut forces));
            return forces;
        }
        let mut forces = vec![DVec3::ZERO; x.len()];
        self.caches.blocks.add_gradient(x, &self.caches.plate, &mut forces);
        forces
    }

    /// Forces that the last substep left unbalanced \[N\], those that hold vertices included: inertia and elasticity
    /// less contact. `None` before the first substep and after a change of the mesh.
    pub(crate) fn unbalanced_forces(&self) -> Option<Vec<DVec3>> {
        let (last, state) = (&self.state.last, &self.state.motion);
        if last.h == 0.0 || last.predicted.len() != state.positions.len() {
            return None;
        }
        let inverse_h2 = 1.0 / (last.h * last.h);
        let mut forces = self.elastic_gradient();
        for (i, force) in forces.iter_mut().enumerate() {
            let inertia = state.masses.raw[i] / (last.scales[i] * last.scales[i]);
            *force += (state.positions.raw[i] - last.predicted[i]) * inertia;
        }
        for pull in &last.pulls {
            forces[pull.vertex] +=
                (state.positions.raw[pull.vertex] - last.predicted[pull.vertex]) * pull.stiffness;
        }
        if self.has_pressure() && !self.is_pressure_explicit() {
            self.add_pressure(&state.positions, -1.0, &mut forces);
        }
        for contact in &last.contacts {
            let lambda = contact.row.normal * contact.normal_lambda + contact.friction_lambda;
            for (vi, s) in contact.row.vertices.iter().zip(contact.row.weights) {
                forces[vi.0 as usize] -= lambda * (s * inverse_h2);
            }
        }
        Some(forces)
    }

    /// Norm of the forces along the free axes of the vertices that the last substep left unbalanced \[N\].
    fn residual(&self) -> f64 {
        let Some(forces) = self.unbalanced_forces() else { return 0.0 };
        let free = forces
            .iter()
            .zip(self.state.motion.held.iter())
            .map(|(force, held)| along_held(*held, DVec3::ZERO, *force));
        free.map(|force| force.length_squared()).sum::<f64>().sqrt()
    }

    /// A hash of positions, velocities and what is plastic in dense order: a fingerprint of the motion. The whole state, with
    /// all that later steps depend on, has [`Checkpoint::hash`](crate::Checkpoint::hash).
    pub fn state_hash(&self) -> String {
        let mut hasher = blake3::Hasher::new();
        for vector in self.state.motion.positions.iter().chain(self.state.motion.velocities.iter()) {
            vector.to_array().iter().for_each(|c| _ = hasher.update(&c.to_le_bytes()));
        }
        let plastic = self.state.motion.rest.plastic_curvatures.iter();
        if plastic.clone().any(|curvature| *curvature != Sym2::default()) {
            for Sym2 { xx, xy, yy } in plastic {
                [xx, xy, yy].iter().for_each(|c| _ = hasher.update(&c.to_le_bytes()));
            }
        }
        hasher.finalize().to_hex().to_string()
    }
}
