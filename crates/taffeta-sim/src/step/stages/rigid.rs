//! Obstacles that move by themselves: rigid bodies with a mass, and bodies that follow a path with a force of no more than a limit.
//!
//! Their displacement and rotation are unknowns of the solve beside the positions of the cloths (`taffeta_solve`, `Carrier`). So cloth
//! and body are in balance at the end of each stage, at any length of a substep. Both have the time integration of vertices, see
//! [`crate::step::stages::integrate`]; the inertia tensor counts as constant within a substep, and the gyroscopic torque as an acceleration.
//!
//! The drive of the motion of such an obstacle is its way in the stage: whoever looks for contacts, or for what would cross, sees an
//! obstacle that moves.

use crate::derive::clock::end_of_substep;
use crate::derive::facts::Changing;
use crate::derive::stages::{first_share, stage_share};
use crate::model::state::inertia::{Inertia, Moving, coast};
use crate::model::state::rigid::{
    FASTEST, Placed, RigidScratch, RigidStage, RigidState, mobility_of, root_of,
};
use crate::step::stages::rigid_terms::{GIVE, RigidTerms};
use glam::{DQuat, DVec3};
use taffeta_contact::{Contact, Freedom, Limit, Obstacle};
use taffeta_core::lanes::Row;
use taffeta_core::{Drive, Pose};
use taffeta_solve::drivers::newton::{Carrier, ContactState};

/// The bodies of a world, with what moves them in a stage.
pub(crate) struct Bodies<'a> {
    states: &'a mut [RigidState],
    workspace: &'a mut RigidScratch,
    obstacles: &'a mut [Obstacle],
    contacts: &'a mut [Contact],
    rows: &'a [Row],
    /// Those that are stopped, by the numbers of their obstacles.
    stopped: &'a [usize],
    stage: Stage,
}

/// A stage, or a substep.
#[derive(Clone, Copy, Debug)]
struct Stage {
    /// Its length, when it begins, and for when obstacles are placed at its end \[s\].
    h: f64,
    time: f64,
    end: f64,
    /// Gravity \[m/s²\], and velocity damping \[1/s\].
    gravity: DVec3,
    damping: f64,
    /// Effective steps, relative to the lengths of the first stage and of this one.
    first_share: f64,
    share: f64,
    /// True if the substep begins with the trapezoidal rule; if its first stage is over.
    is_trapezoidal: bool,
    is_second: bool,
    /// Number of the first vertex that stands for a body.
    first: usize,
}

impl<'a> Bodies<'a> {
    /// Those of a world in a stage, or substep, of length `h` \[s\].
    pub(crate) fn of(parts: Changing<'a>, h: f64) -> Self {
        let facts = parts.facts();
        let stage = Stage {
            h,
            time: facts.state.time,
            end: end_of_substep(facts, h),
            gravity: facts.state.gravity,
            damping: facts.inputs.damping,
            first_share: first_share(parts.workspace),
            share: stage_share(facts, parts.workspace),
            is_trapezoidal: !parts.workspace.accelerations.is_empty(),
            is_second: !parts.workspace.first_stage.is_empty(),
            first: facts.state.sheet.topology.vertex_count,
        };
        let Changing { setup, inputs, state, workspace, .. } = parts;
        Self {
            states: &mut state.rigid,
            workspace: &mut workspace.rigid,
            obstacles: &mut setup.obstacles,
            contacts: &mut state.last.contacts,
            rows: &workspace.rows,
            stopped: &inputs.stopped,
            stage,
        }
    }

    /// Lets them go on as they move for a whole step: how many substeps it takes depends on it.
    pub(crate) fn expect(self) {
        let Stage { h: dt, time, .. } = self.stage;
        for body in &*self.states {
            let obstacle = &mut self.obstacles[body.obstacle];
            let to = match &obstacle.freedom {
                Freedom::Free(_) => turned(&body.pose, body.velocity * dt, body.spin * dt),
                _ => obstacle.path_pose_at(time + dt),
            };
            lead(obstacle, [time, time + dt], [body.pose, to]);
        }
    }

    /// Begins a substep.
    pub(crate) fn begin(self) {
        let begin = |body: &RigidState| {
            let obstacle = &self.obstacles[body.obstacle];
            let is_stopped = self.stopped.contains(&body.obstacle);
            let Freedom::Free(rigid) = &obstacle.freedom else {
                return RigidStage { is_stopped, ..RigidStage::default() };
            };
            let root = root_of(rigid, obstacle, &body.pose);
            let mut stage = RigidStage { is_stopped, root, ..RigidStage::default() };
            stage.velocities = [body.velocity, root.inverse() * body.spin];
            stage.gyration = stage.gyrate(body.spin);
            stage
        };
        self.workspace.stages = self.states.iter().map(begin).collect();
        self.workspace.carriers.clear();
    }

    /// Places them where inertia and gravity, or their paths, lead by the end of the stage.
    pub(crate) fn predict(mut self) {
        let Stage { h, time, end, share, .. } = self.stage;
        for (body, out) in self.states.iter().zip(&mut self.workspace.stages) {
            let obstacle = &self.obstacles[body.obstacle];
            match &obstacle.freedom {
                Freedom::Free(rigid) => out.predict(rigid.mass, &self.stage),
                Freedom::Limited(Limit { force, .. }) => {
                    let [from, to] = [time, end].map(|time| obstacle.path_pose_at(time).translation);
                    // What lags behind feels all of the force already; the motion of the path is to add nothing.
                    let lags = from.distance(body.pose.translation) > 2.0 * GIVE;
                    out.stiffness = force / (FASTEST * h.max(f64::MIN_POSITIVE) * share);
                    out.predicted = [if lags { DVec3::ZERO } else { to - from }, DVec3::ZERO];
                }
                Freedom::Prescribed => {}
            }
            if out.is_stopped {
                out.predicted = [DVec3::ZERO; 2];
            }
            out.reached = out.predicted;
        }
        self.place();
    }

    /// Lets the obstacles move to where their bodies have been placed.
    fn place(&mut self) {
        let Stage { h, time, .. } = self.stage;
        let end = time + h;
        for (body, stage) in self.states.iter().zip(&self.workspace.stages) {
            let obstacle = &mut self.obstacles[body.obstacle];
            let [moved, turn] = stage.reached;
            let to = match &obstacle.freedom {
                Freedom::Free(_) => turned(&body.pose, moved, stage.root * turn),
                _ => Pose {
                    rotation: obstacle.path_pose_at(end).rotation,
                    translation: body.pose.translation + moved,
                },
            };
            lead(obstacle, [time, end], [body.pose, to]);
        }
    }

    /// Moves the predictions of the second stage by what contacts that last do while their normals turn, as
    /// [`turn_loads`](crate::step::stages::integrate::turn_loads) those of the cloths, which they push away.
    pub(crate) fn turn(self) {
        let Stage { h, is_second, first, .. } = self.stage;
        if !is_second || self.states.is_empty() {
            return;
        }
        let placed = Placed { states: self.states, stages: &self.workspace.stages, first };
        let lasting = self.contacts.iter().filter(|contact| contact.borne.load() > 0.0);
        let carried = lasting.filter_map(|contact| {
            let push = (contact.borne.push - contact.row.normal * contact.borne.load()) * (0.5 * h);
            Some((placed.carrier_of(contact, self.rows)?, push))
        });
        let carried: Vec<(Carrier, DVec3)> = carried.collect();
        for (carrier, impulse) in carried {
            let stage = &mut self.workspace.stages[(carrier.vertex as usize - first) / 2];
            let scale = stage.inertia[0].scale;
            // What follows a path has no scale, and keeps no momentum.
            if scale > 0.0 && !stage.is_stopped {
                let give = impulse / (stage.stiffness * scale);
                stage.predicted[0] -= give;
                stage.predicted[1] -= carrier.turn.transpose() * give;
            }
        }
    }

    /// Takes over what a solve has found for the bodies, `moved` \[m\] from where they were placed, and places them there. The contacts
    /// count from there on. `touches` are all contacts of the solve, in their order.
    pub(crate) fn settle(mut self, terms: RigidTerms, moved: &[DVec3], touches: &[ContactState]) {
        for (stage, moved) in self.workspace.stages.iter_mut().zip(moved.chunks_exact(2)) {
            (0..2).for_each(|k| stage.reached[k] += moved[k]);
        }
        for (contact, carriers) in self.contacts.iter_mut().zip(&terms.carriers) {
            for carrier in carriers {
                let k = carrier.vertex as usize - self.stage.first;
                let way = moved[k] + carrier.turn * moved[k + 1];
                contact.row.offset += contact.row.normal.dot(way);
                contact.row.body_displacement += way;
            }
        }
        self.record_borne(&terms, touches);
        self.workspace.carriers = terms.carriers;
        self.place();
    }

    /// Notes the friction between bodies for the next substep.
    fn record_borne(&mut self, terms: &RigidTerms, touches: &[ContactState]) {
        let touches = touches.get(self.contacts.len()..).unwrap_or_default();
        self.states.iter_mut().for_each(|body| body.borne.clear());
        for ((body, other, point), (row, touch)) in terms.names.iter().zip(terms.rows.iter().zip(touches)) {
            if touch.force.dot(row.normal) > 0.0 {
                let friction = touch.force.reject_from_normalized(row.normal) * self.stage.share;
                self.states[*body].borne.push((*other, *point, friction));
            }
        }
    }

    /// Notes how they move at the end of the first of two stages, with these contacts.
    pub(crate) fn record_first(self, touches: &[ContactState]) {
        let mut jolts = vec![DVec3::ZERO; 2 * self.states.len()];
        for (carriers, touch) in self.workspace.carriers.iter().zip(touches) {
            for carrier in carriers {
                let k = carrier.vertex as usize - self.stage.first;
                jolts[k] += touch.force * carrier.sign;
                jolts[k + 1] += carrier.turn.transpose() * touch.force * carrier.sign;
            }
        }
        for (stage, jolts) in self.workspace.stages.iter_mut().zip(jolts.chunks_exact(2)) {
            let free = |k: usize| {
                // The stiffness is the mass over the square of the scale.
                let jolt = jolts[k] / (stage.stiffness * stage.inertia[k].scale);
                (stage.reached[k], stage.velocity(k) - jolt)
            };
            stage.first = Some([0, 1].map(free));
        }
    }

    /// Takes over where they are at the end of a substep, and how they move.
    pub(crate) fn finish(self) {
        let Stage { h, time, .. } = self.stage;
        for (body, stage) in self.states.iter_mut().zip(&self.workspace.stages) {
            let obstacle = &self.obstacles[body.obstacle];
            body.pose = obstacle.pose_at(time + h);
            (body.velocity, body.spin) = match &obstacle.freedom {
                _ if stage.is_stopped => (DVec3::ZERO, DVec3::ZERO),
                Freedom::Free(rigid) => {
                    body.mobility = mobility_of(obstacle, &body.pose);
                    // Without torque the angular momentum stays, whatever the gyroscopic term errs by.
                    let dense = stage.root * (stage.velocity(1) - stage.gyration * h);
                    let (before, after) = (stage.root.inverse(), root_of(rigid, obstacle, &body.pose));
                    (stage.velocity(0), after * (after * (before * (before * dense))))
                }
                _ => (stage.reached[0] / h, DVec3::ZERO),
            };
        }
    }
}

impl RigidStage {
    /// Velocity of a coordinate at the end of the stage.
    fn velocity(&self, k: usize) -> DVec3 {
        let Inertia { position, scale, .. } = self.inertia[k];
        (self.reached[k] - position) / scale
    }

    /// Predicts the motion of a body of this mass \[kg\] under inertia and gravity.
    fn predict(&mut self, mass: f64, stage: &Stage) {
        let Stage { h, gravity, damping, first_share, is_trapezoidal, .. } = *stage;
        let accelerations = [gravity, self.gyration];
        for k in 0..2 {
            let (v, a) = (self.velocities[k], accelerations[k]);
            let inertia = match self.first {
                Some(first) => {
                    let start = Moving { position: DVec3::ZERO, velocity: v };
                    let (position, velocity) = first[k];
                    Inertia::second_stage(start, Moving { position, velocity }, h, first_share)
                }
                None if is_trapezoidal => Inertia::first_stage(DVec3::ZERO, v, a, h),
                None => Inertia::euler(DVec3::ZERO, v, h),
            };
            self.inertia[k] = inertia;
            self.predicted[k] = inertia.position + coast(inertia, a, damping) * inertia.scale;
        }
        let scale = self.inertia[0].scale;
        self.stiffness = mass * (1.0 + damping * scale) / (scale * scale);
    }

    /// Acceleration of the second coordinate of a body that turns by `spin` \[rad/s\], where no torque acts \[m/s²\]: Euler's equations.
    fn gyrate(&self, spin: DVec3) -> DVec3 {
        // With `B² = m I⁻¹`, `φ'' = B⁻¹ I⁻¹ (−ω × I ω) = −B (ω × B⁻² ω)`.
        let inverse = self.root.inverse();
        self.root * -spin.cross(inverse * (inverse * spin))
    }
}

/// Lets an obstacle move from one pose to another between two times \[s\].
fn lead(obstacle: &mut Obstacle, [begin, end]: [f64; 2], poses: [Pose; 2]) {
    let rest = obstacle.place.pose().inverse();
    let [from, to] = poses.map(|pose| pose.after(&rest));
    obstacle.motion.drive = Some(Drive { begin, end, from, to });
}

/// A pose, moved and turned by a rotation vector: by Cayley's map, which takes no function of an angle and is right to third order.
fn turned(pose: &Pose, moved: DVec3, turn: DVec3) -> Pose {
    let half = turn * 0.5;
    let rotation = DQuat::from_xyzw(half.x, half.y, half.z, 1.0).normalize();
    let before = DQuat::from_mat3(&pose.rotation);
    Pose::new((rotation * before).normalize(), pose.translation + moved)
}
