//! State of the obstacles that move by themselves, and what a stage has to know of them.

use crate::model::description::rules::freedom_mismatch;
use crate::model::description::{SimulationSettings, SolverChoice};
use crate::model::state::inertia::Inertia;
use glam::{DMat3, DVec3};
use serde::{Deserialize, Serialize};
use taffeta_contact::{Contact, ContactName, Freedom, Limit, Obstacle, RigidBody};
use taffeta_core::Pose;
use taffeta_core::lanes::Row;
use taffeta_solve::drivers::newton::Carrier;

/// Speed with which a body with a largest force makes up for what it lags behind its path, if nothing resists \[m/s\].
pub(crate) const FASTEST: f64 = 5.0;

/// An obstacle that moves by itself, or follows its path with a force of no more than a limit.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub(crate) struct RigidState {
    /// Its number among the obstacles in closed form.
    pub obstacle: usize,
    pub pose: Pose,
    /// Velocity of the center of mass \[m/s\], and angular velocity \[rad/s\].
    pub velocity: DVec3,
    pub spin: DVec3,
    /// Inverses of its mass \[1/kg\] and of its inertia tensor \[1/(kg·m²)\]; zero for what follows a path.
    pub mobility: (f64, DMat3),
    /// Friction that it has borne on other obstacles \[N\]: by the number of the obstacle and that of the point.
    pub borne: Vec<(usize, usize, DVec3)>,
}

/// Number of the obstacles that do not just follow their motion.
pub(crate) fn rigid_count(obstacles: &[Obstacle]) -> usize {
    obstacles.iter().filter(|obstacle| obstacle.freedom != Freedom::Prescribed).count()
}

/// Why an obstacle cannot have the freedom that it has, in words, under a solver.
pub(crate) fn find_freedom_defect(
    obstacle: &Obstacle,
    settings: &SimulationSettings,
    solver: SolverChoice,
) -> Option<String> {
    let key = match obstacle.freedom {
        Freedom::Prescribed => return None,
        Freedom::Limited(_) => "max_force",
        Freedom::Free(_) => "mass",
    };
    let settings = SimulationSettings { solver, ..settings.clone() };
    freedom_mismatch(&settings, key).map(|found| found.describe())
}

impl RigidState {
    /// State of an obstacle at a time \[s\]; `None`: it just follows its motion.
    pub(crate) fn begin(number: usize, obstacle: &Obstacle, time: f64) -> Option<Self> {
        let (velocity, spin) = match &obstacle.freedom {
            Freedom::Prescribed => return None,
            Freedom::Limited(_) => (DVec3::ZERO, DVec3::ZERO),
            Freedom::Free(body) => (body.velocity, body.angular_velocity),
        };
        let pose = obstacle.pose_at(time);
        let mobility = mobility_of(obstacle, &pose);
        Some(Self { obstacle: number, pose, velocity, spin, mobility, borne: Vec::new() })
    }

    /// Takes in an impulse \[N·s\] at a point \[m\].
    pub(crate) fn push(&mut self, impulse: DVec3, point: DVec3) {
        self.velocity += impulse * self.mobility.0;
        self.spin += self.mobility.1 * (point - self.pose.translation).cross(impulse);
    }

    /// Inverse of the mass \[kg\] with which the obstacle that it is resists a push along a unit `normal` at a point \[m\], in a substep of
    /// length `h` \[s\]. What follows a path gives way by the speed with which it makes up for a lag.
    pub(crate) fn mobility_at(&self, obstacle: &Obstacle, point: DVec3, normal: DVec3, h: f64) -> f64 {
        match &obstacle.freedom {
            Freedom::Limited(Limit { force, .. }) => FASTEST / (force * h),
            _ => self.inverse_mass_at(point, normal),
        }
    }

    /// Inverse of the mass \[kg\] with which it resists an impulse along a unit `normal` at a point \[m\].
    pub(crate) fn inverse_mass_at(&self, point: DVec3, normal: DVec3) -> f64 {
        let arm = (point - self.pose.translation).cross(normal);
        self.mobility.0 + arm.dot(self.mobility.1 * arm)
    }

    /// Velocity of its point at a place \[m\].
    pub(crate) fn velocity_at(&self, point: DVec3) -> DVec3 {
        self.velocity + self.spin.cross(point - self.pose.translation)
    }

    /// Returns whether all is finite.
    pub(crate) fn is_sound(&self) -> bool {
        self.pose.find_defect().is_none()
            && self.velocity.is_finite()
            && self.spin.is_finite()
            && self.borne.iter().all(|(_, _, force)| force.is_finite())
    }
}

/// Inverses of the mass \[1/kg\] and of the inertia tensor \[1/(kg·m²)\] of an obstacle at a pose; zero unless it moves freely.
pub(crate) fn mobility_of(obstacle: &Obstacle, pose: &Pose) -> (f64, DMat3) {
    let Freedom::Free(body) = &obstacle.freedom else { return (0.0, DMat3::ZERO) };
    let root = root_of(body, obstacle, pose);
    (1.0 / body.mass, root * root / body.mass)
}

/// The root `B` of a body at a pose, see [`RigidStage`]: `B² = m I⁻¹`.
pub(crate) fn root_of(body: &RigidBody, obstacle: &Obstacle, pose: &Pose) -> DMat3 {
    let moments = body.moments(&obstacle.shape, obstacle.place.scale);
    let scales = DVec3::from_array(moments.to_array().map(|moment| (body.mass / moment).sqrt()));
    pose.rotation * DMat3::from_diagonal(scales) * pose.rotation.transpose()
}

/// A body in a stage. Its coordinates are the displacement of its center since the start of the substep and the rotation vector since
/// then, divided by the root, see [`Carrier`].
#[derive(Clone, Debug, Default)]
pub(crate) struct RigidStage {
    /// True if it is stopped where it is.
    pub is_stopped: bool,
    /// Matrix that takes the second coordinate to the rotation vector.
    pub root: DMat3,
    /// Velocities of both coordinates at the start of the substep.
    pub velocities: [DVec3; 2],
    /// Gyroscopic acceleration of the second coordinate at the start \[m/s²\].
    pub gyration: DVec3,
    /// The end of the first stage, and the velocities there without what contacts did.
    pub first: Option<[(DVec3, DVec3); 2]>,
    /// Inertial state in the present stage.
    pub inertia: [Inertia; 2],
    /// Inertia \[N/m\] of either coordinate.
    pub stiffness: f64,
    /// The coordinates to which inertia and gravity lead.
    pub predicted: [DVec3; 2],
    /// The coordinates at which the body is placed: as predicted before the solution of the stage, and as solved after it.
    pub reached: [DVec3; 2],
}

/// The bodies in a substep, in the order of the state.
#[derive(Clone, Debug, Default)]
pub(crate) struct RigidScratch {
    pub stages: Vec<RigidStage>,
    /// The bodies that move the points of the contacts in the last solution, in their order.
    pub carriers: Vec<Vec<Carrier>>,
}

/// Bodies where they are placed in a stage.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Placed<'a> {
    pub states: &'a [RigidState],
    pub stages: &'a [RigidStage],
    /// Number of the first vertex that stands for a body.
    pub first: usize,
}

impl Placed<'_> {
    /// The body that an obstacle is.
    pub(crate) fn find(&self, obstacle: usize) -> Option<usize> {
        self.states.iter().position(|body| body.obstacle == obstacle)
    }

    /// The first of the two vertices that stand for a body.
    pub(crate) fn vertex(&self, body: usize) -> u32 {
        (self.first + 2 * body) as u32
    }

    /// The motion of a point \[m\] with a body; `sign`: see [`Carrier`].
    pub(crate) fn carrier(&self, body: usize, point: DVec3, sign: f64) -> Carrier {
        let arm = point - (self.states[body].pose.translation + self.stages[body].reached[0]);
        // θ × r = −r × θ.
        let cross = DMat3::from_cols(
            DVec3::new(0.0, -arm.z, arm.y),
            DVec3::new(arm.z, 0.0, -arm.x),
            DVec3::new(-arm.y, arm.x, 0.0),
        );
        Carrier { vertex: self.vertex(body), turn: cross * self.stages[body].root, sign }
    }

    /// The motion of the point of a contact of a cloth with a body; `None`: the contact is with something else.
    pub(crate) fn carrier_of(&self, contact: &Contact, rows: &[Row]) -> Option<Carrier> {
        let ContactName::Body(_, obstacle) = contact.name else { return None };
        let body = self.find(obstacle as usize)?;
        let point = contact.row.interpolate(|vi| rows[vi.0 as usize].position());
        Some(self.carrier(body, point, -1.0))
    }
}
