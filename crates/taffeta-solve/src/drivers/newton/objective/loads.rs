//! External loads on a sheet: contacts and follower pressure.

use super::carrier::{BodyDrive, Carrier};
use super::elements::{add, at};
use crate::matrices::outer;
use glam::{DMat3, DVec3};
use taffeta_core::{ContactRow, SurfaceTopology, VertexIndex};

/// At a converged iterate friction is settled if it changes by no more than this part of the friction of all contacts. It is
/// settled too if that moves pieces by no more than a part of the error that the solution may leave, squared. Where contacts bear
/// little, the iteration would go on for a friction that moves nothing.
const SETTLED: f64 = 0.01;
const NEGLIGIBLE: f64 = 0.01;

/// Contacts as one-sided springs `½ k min(0, gap)²` with Coulomb friction.
///
/// Friction is an elastic spring with a limit (return mapping; J. C. Simo and T. A. Laursen, An augmented Lagrangian treatment
/// of contact problems involving friction, 1992). With a normal force `N` that stays fixed while `W` is minimized along one
/// step, it has a potential: `½ k |slip|²` up to `|slip| = μN/k`, and `μN (|slip| − μN/2k)` beyond. `μ` is the static
/// coefficient until a contact slides, and the kinetic one afterwards. `N` is read anew before the first Newton iterations;
/// which contacts slide, where these have converged.
///
/// Slip counts from the anchor of the spring. That is the place of the point when the contact began, moved along with the
/// body, and behind the friction that the contact has borne so far.
#[derive(Clone, Copy, Debug, Default)]
pub struct Contacts<'a> {
    /// The rows.
    pub rows: &'a [ContactRow],
    /// The springs of friction, one per row.
    pub springs: &'a [FrictionSpring],
    /// The stiffness of each along its normal \[N/m\].
    pub stiffnesses: &'a [f64],
    /// The rigid bodies that move each point; none where the list ends.
    pub carriers: &'a [Vec<Carrier>],
    /// The drives of bodies along their paths.
    pub drives: &'a [BodyDrive],
}

/// Memory of a contact at the start of a step.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct FrictionSpring {
    /// Place of the contact point from which slip counts \[m\]; the motion of the body is added.
    pub origin: DVec3,
    /// The friction that the contact has borne there \[N\].
    pub carried: DVec3,
    /// The stiffness `k` of the spring \[N/m\].
    pub stiffness: f64,
    /// Slip beyond the give of the spring from which the contact bears kinetic friction \[m\]; below 0, it does from the start.
    pub left: f64,
}

/// A contact at the last evaluation.
#[derive(Clone, Copy, Debug)]
pub struct ContactState {
    /// Derivative of the force at the contact point \[N/m\]; zero where there is none.
    pub hessian: DMat3,
    /// Force at the contact point \[N\].
    pub force: DVec3,
    /// True if friction holds the point where it is, but for the give of its spring.
    pub holds: bool,
    /// True if the contact bears kinetic friction.
    pub slides: bool,
    /// Way that it has slid in the step, beyond the give of its spring \[m\].
    pub slid: f64,
    /// The friction it may bear \[N\].
    bound: f64,
}

impl Default for ContactState {
    /// A contact that does not act.
    fn default() -> Self {
        // Not the default of a matrix, which is the identity: 1 N/m, as much as a light vertex has of inertia.
        let hessian = DMat3::ZERO;
        Self { hessian, force: DVec3::ZERO, holds: false, slides: false, slid: 0.0, bound: 0.0 }
    }
}

impl ContactState {
    /// Returns whether it acts.
    pub fn is_closed(&self) -> bool {
        self.hessian != DMat3::ZERO
    }

    /// Adds friction to force and derivative; returns the energy \[J\].
    fn add_friction(&mut self, normal: DVec3, slip: DVec3, stiffness: f64) -> f64 {
        if self.bound == 0.0 {
            return 0.0;
        }
        let size = slip.length();
        let along = DMat3::IDENTITY - outer(normal, normal);
        if stiffness * size > self.bound {
            let way = slip / size;
            self.force -= way * self.bound;
            self.hessian += (along - outer(way, way)) * (self.bound / size);
            self.slid = size - self.bound / stiffness;
            return self.bound * (size - 0.5 * self.bound / stiffness);
        }
        self.holds = true;
        self.force -= slip * stiffness;
        self.hessian += along * stiffness;
        0.5 * stiffness * size * size
    }
}

impl Contacts<'_> {
    /// The rigid bodies that move the point of a contact.
    pub(crate) fn carriers(&self, number: usize) -> &[Carrier] {
        self.carriers.get(number).map_or(&[], Vec::as_slice)
    }

    /// The contact point at the positions `x` \[m\], without what bodies move it by.
    fn point(&self, number: usize, x: &[f64]) -> DVec3 {
        let carried: DVec3 = self.carriers(number).iter().map(|carrier| carrier.displacement(x)).sum();
        self.rows[number].interpolate(|vi| at(x, vi.0)) + carried
    }

    /// The slip of a contact \[m\]: the length of its spring of friction.
    fn slip(&self, number: usize, point: DVec3) -> DVec3 {
        let (row, spring) = (&self.rows[number], &self.springs[number]);
        let moved = point - spring.origin - row.body_displacement;
        let slip = match spring.carried == DVec3::ZERO {
            true => moved,
            false => moved - spring.carried / spring.stiffness,
        };
        slip - row.normal * row.normal.dot(slip)
    }

    /// Reads at the positions `x` how much friction the contacts may bear, and, at a converged iterate, which of them slide. `converged` is
    /// then the square of the error that the solution may leave \[m²\].
    ///
    /// Returns the square of the way by which the change of the friction moves pieces at most \[m²\], all together, with these
    /// `mobilities`. It is 0 if nothing bears more or less. It is infinite if at a converged iterate the friction of all has
    /// still changed by a good part. That moves the minimum little in one step, and much in many.
    pub fn grip(
        &self,
        x: &[f64],
        mobilities: &[f64],
        converged: Option<f64>,
        touches: &mut Vec<ContactState>,
    ) -> f64 {
        if touches.len() != self.rows.len() {
            touches.clear();
            touches.resize(self.rows.len(), ContactState::default());
        }
        let (mut decrease, mut changed, mut sum) = (0.0, 0.0, 0.0);
        for (number, (row, touch)) in self.rows.iter().zip(touches).enumerate() {
            let point = self.point(number, x);
            let stiffness = self.stiffnesses[number];
            let normal_force = stiffness * (-row.gap(point)).max(0.0);
            let FrictionSpring { stiffness: friction, left, .. } = self.springs[number];
            let slip = self.slip(number, point).length();
            let spring = friction * slip;
            // A contact that has begun to slide does not stick again in the same solve: the two could alternate for ever.
            let slid = slip - row.friction.static_ * normal_force / friction;
            touch.slides |= left < 0.0 || converged.is_some() && slid > left;
            let coefficient = if touch.slides { row.friction.kinetic } else { row.friction.static_ };
            let before = std::mem::replace(&mut touch.bound, coefficient * normal_force);
            let force = spring.min(before) - spring.min(touch.bound);
            let mobility = |(vi, s): (VertexIndex, f64)| s * s * mobilities[vi.0 as usize];
            let pairs = row.vertices.into_iter().zip(row.weights);
            let of_bodies = self.carriers(number).iter().map(|carrier| mobilities[carrier.vertex as usize]);
            decrease += force * force * (pairs.map(mobility).sum::<f64>() + of_bodies.sum::<f64>());
            (changed, sum) = (changed + force.abs(), sum + spring.min(touch.bound));
        }
        let is_settled =
            converged.is_none_or(|enough| changed <= SETTLED * sum || decrease <= NEGLIGIBLE * enough);
        if is_settled { decrease } else { f64::INFINITY }
    }

    /// Adds the gradient, notes forces and their derivatives, returns the energy \[J\].
    pub fn evaluate(&self, x: &[f64], touches: &mut Vec<ContactState>, out: &mut [f64]) -> f64 {
        let mut energy = 0.0;
        touches.resize(self.rows.len(), ContactState::default());
        for (number, (row, touch)) in self.rows.iter().zip(touches).enumerate() {
            *touch = ContactState { slides: touch.slides, bound: touch.bound, ..ContactState::default() };
            let point = self.point(number, x);
            let (depth, stiffness) = (-row.gap(point), self.stiffnesses[number]);
            if depth > 0.0 {
                energy += 0.5 * stiffness * depth * depth;
                touch.force = row.normal * (stiffness * depth);
                touch.hessian = outer(row.normal, row.normal) * stiffness;
            }
            // Even if the contact has opened: friction that vanished there would push it open.
            energy +=
                touch.add_friction(row.normal, self.slip(number, point), self.springs[number].stiffness);
            if touch.force == DVec3::ZERO {
                continue;
            }
            for (vi, s) in row.vertices.iter().zip(row.weights) {
                add(out, vi.0, touch.force * -s);
            }
            self.carriers(number).iter().for_each(|carrier| carrier.add_force(out, -touch.force));
        }
        energy
    }

    /// The closed contacts between vertices and with what no vertex moves.
    pub fn closed<'a>(
        &'a self,
        touches: &'a [ContactState],
    ) -> impl Iterator<Item = (&'a ContactRow, &'a ContactState)> {
        let closed = self.rows.iter().zip(touches).enumerate().filter(|(_, (_, touch))| touch.is_closed());
        closed.filter(|(number, _)| self.carriers(*number).is_empty()).map(|(_, contact)| contact)
    }

    /// The closed contacts of single vertices: the vertex of each, and what it adds to its diagonal block.
    pub fn of_vertices<'a>(
        &'a self,
        touches: &'a [ContactState],
    ) -> impl Iterator<Item = (VertexIndex, DMat3)> + 'a {
        self.closed(touches).filter_map(|(row, touch)| {
            let square = row.weights[0] * row.weights[0];
            row.vertex().map(|vi| (vi, touch.hessian * square))
        })
    }

    /// The closed contacts that couple vertices.
    pub fn couplings<'a>(
        &'a self,
        touches: &'a [ContactState],
    ) -> impl Iterator<Item = ContactCoupling> + 'a {
        self.closed(touches).filter(|(row, _)| row.vertex().is_none()).map(|(row, touch)| ContactCoupling {
            vertices: row.vertices.map(|vi| vi.0),
            weights: row.weights,
            hessian: touch.hessian,
        })
    }
}

/// Contribution of a closed contact to the Hessian: `sₐ s_b H` for any two of its vertices.
#[derive(Clone, Copy, Debug)]
pub struct ContactCoupling {
    /// Its vertices; those that are not needed repeat the first.
    pub vertices: [u32; 4],
    /// Their weights.
    pub weights: [f64; 4],
    /// Derivative of the force at the contact point \[N/m\].
    pub hessian: DMat3,
}

impl ContactCoupling {
    /// Adds the product with `p` to `out`.
    #[inline]
    pub fn add_product(&self, p: &[f64], out: &mut [f64]) {
        let corners = || self.vertices.into_iter().zip(self.weights);
        let force = self.hessian * corners().map(|(v, s)| at(p, v) * s).sum::<DVec3>();
        corners().for_each(|(v, s)| add(out, v, force * s));
    }
}

/// Follower pressure: `−p V` with the volume `V = Σ x₀·(x₁×x₂)/6` over the faces.
///
/// The gradient of the volume is a third of the area vector of the faces around a vertex. At the boundary it also depends
/// on the origin, and the load has no energy. There a correction makes the force exact; the line search takes it as
/// constant.
#[derive(Clone, Debug, Default)]
pub(crate) struct Pressure {
    /// Faces with a pressure: corners and `p/6` \[Pa\].
    faces: Vec<([u32; 3], f64)>,
    /// Boundary edges of those faces, along the faces.
    rim: Vec<([u32; 2], f64)>,
    /// Origin of the measurement of volumes \[m\].
    origin: DVec3,
}

impl Pressure {
    /// The faces of a sheet under the pressures of their cloths \[Pa\].
    pub(crate) fn build(
        topology: &SurfaceTopology,
        face_pressure: impl Fn(taffeta_core::FaceIndex) -> f64,
    ) -> Self {
        let mut out = Self::default();
        for (fi, face) in topology.faces.iter_indexed() {
            let sixth = face_pressure(fi) / 6.0;
            if sixth == 0.0 {
                continue;
            }
            out.faces.push((face.map(|vi| vi.0), sixth));
            for k in 0..3 {
                if topology.edges[topology.face_edges[fi][k]].is_boundary() {
                    out.rim.push(([face[k].0, face[(k + 1) % 3].0], sixth));
                }
            }
        }
        out
    }

    /// Returns whether there is none.
    pub(crate) fn is_empty(&self) -> bool {
        self.faces.is_empty()
    }

    /// Chooses the origin near the sheet, where the volumes are small numbers.
    pub(crate) fn begin_step(&mut self, x: &[f64]) {
        let count = self.faces.len().max(1) as f64;
        self.origin = self.faces.iter().map(|(face, _)| at(x, face[0])).sum::<DVec3>() / count;
    }

    /// Adds the gradient of `−p V` to `out` and returns the energy \[J\].
    pub(crate) fn evaluate(&self, x: &[f64], out: &mut [f64]) -> f64 {
        let mut energy = 0.0;
        for (face, sixth) in &self.faces {
            let [a, b, c] = face.map(|vertex| at(x, vertex) - self.origin);
            energy -= sixth * a.dot(b.cross(c));
            add(out, face[0], b.cross(c) * -sixth);
            add(out, face[1], c.cross(a) * -sixth);
            add(out, face[2], a.cross(b) * -sixth);
        }
        energy
    }

    /// Writes the forces that the volume's gradient misses at the boundary \[N\].
    pub(super) fn write_rim(&self, x: &[f64], out: &mut [f64]) {
        out.fill(0.0);
        for ([a, b], sixth) in &self.rim {
            let force = (at(x, *a) - self.origin).cross(at(x, *b) - self.origin) * *sixth;
            add(out, *a, force);
            add(out, *b, force);
        }
    }

    /// Adds the product of the Hessian of `−p V` at `x` with `p` to `out`. It is not definite.
    pub(crate) fn add_product(&self, x: &[f64], p: &[f64], out: &mut [f64]) {
        for (face, sixth) in &self.faces {
            let [a, b, c] = face.map(|vertex| at(x, vertex) - self.origin);
            let [da, db, dc] = face.map(|vertex| at(p, vertex));
            add(out, face[0], (db.cross(c) + b.cross(dc)) * -sixth);
            add(out, face[1], (dc.cross(a) + c.cross(da)) * -sixth);
            add(out, face[2], (da.cross(b) + a.cross(db)) * -sixth);
        }
    }

    /// The faces with `p/6` \[Pa\] and their positions relative to the origin \[m\].
    pub(crate) fn faces<'a>(
        &'a self,
        x: &'a [f64],
    ) -> impl Iterator<Item = ([u32; 3], f64, [DVec3; 3])> + 'a {
        self.faces.iter().map(|(face, sixth)| (*face, *sixth, face.map(|vertex| at(x, vertex) - self.origin)))
    }
}
