//! State of a run that its scene does not determine. A snapshot of it is a clone, and shares with it all that has not
//! changed since. A checkpoint is its serialization by serde, with the sheet by keys.

pub(crate) mod asked;
pub(crate) mod dense;
pub(crate) mod friction;
pub(crate) mod guides;
pub(crate) mod inertia;
pub(crate) mod numbering;
pub(crate) mod rigid;
pub(crate) mod selection;
pub(crate) mod sewing;
pub(crate) mod sheet;

use crate::model::description::WorldDescription;
use crate::model::description::grabs::Pull;
use crate::model::report::Metrics;
use crate::model::report::loads::LoadMemory;
use crate::model::state::asked::Asked;
use crate::model::state::dense::DenseState;
use crate::model::state::friction::FrictionMemory;
use crate::model::state::rigid::RigidState;
use crate::model::state::sheet::Sheet;
use glam::DVec3;
use serde::{Deserialize, Serialize};
use std::sync::Arc;
use taffeta_contact::Contact;
use taffeta_core::VertexIndex;

/// Speeds of a body \[m/s\].
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
pub(crate) struct Speeds {
    /// Root mean square.
    pub mean: f64,
    /// Of the fastest vertex.
    pub fastest: f64,
}

/// A look of a remeshing pass at a cloth that has changed nothing.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub(crate) struct Look {
    /// Time \[s\].
    pub time: f64,
    /// Positions \[m\] of the cloth's vertices, in dense order; none if the pass would have edited something, but had to wait.
    pub positions: Vec<DVec3>,
}

/// See the module page.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub(crate) struct State {
    /// Time \[s\].
    pub time: f64,
    /// Number of steps made.
    pub frame: u64,
    /// Time of the last remeshing pass of each cloth \[s\].
    pub last_passes: Vec<f64>,
    /// The cloths as passes have last found nothing to do on them; see [`crate::adapt::calm`].
    pub looks: Vec<Option<Look>>,
    /// Energy that passes have taken from each cloth, and may give back \[J\]; see [`crate::adapt::energy`].
    pub credits: Vec<f64>,
    /// Which pins have let go. Their vertices are freed at the start of the next substep.
    pub released: Vec<bool>,
    /// Length of the last substep \[s\]; 0 before the first.
    pub last_substep: f64,
    /// Its estimated local error, relative to the size of a body.
    pub error: f64,
    /// Speeds of each body at its start.
    pub start_speeds: Vec<Speeds>,
    /// True if a contact carried a force in it.
    pub was_touched: bool,
    /// Facts about the world if it is about to rest.
    pub still: Option<SleepState>,
    /// Gravity in the last step \[m/s²\].
    pub gravity: DVec3,
    /// Loads on the obstacles.
    pub loads: LoadMemory,
    /// Memory of the groups that the last step was made in, each by itself; empty: in one.
    pub groups: Vec<GroupMemory>,
    /// Memory of the contacts.
    pub friction: FrictionMemory,
    /// The obstacles that move by themselves.
    #[serde(default)]
    pub rigid: Vec<RigidState>,
    /// The mesh and what does not change with it in place; a checkpoint has it by keys.
    #[serde(skip)]
    pub sheet: Arc<Sheet>,
    /// The dense arrays; a checkpoint has them by keys.
    #[serde(skip)]
    pub motion: DenseState,
    /// The sheet before the last step that changed its topology; no part of a checkpoint.
    #[serde(skip)]
    pub before_change: Option<Arc<Sheet>>,
    /// Sizing that passes have asked for in the last step; no part of a checkpoint.
    #[serde(skip)]
    pub asked: Asked,
    /// The balance of the last substep; no part of a checkpoint, for the next substep makes it anew.
    #[serde(skip)]
    pub last: LastSubstep,
}

/// Memory of a group of bodies that is stepped by itself.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub(crate) struct GroupMemory {
    /// The bodies, in order: cloths, then loose bodies.
    pub bodies: Vec<usize>,
    /// See [`State`].
    pub last_substep: f64,
    /// See [`State`].
    pub error: f64,
    /// See [`State`].
    pub was_touched: bool,
    /// Loads on the obstacles, without those of the present step.
    pub loads: LoadMemory,
    /// Facts about the group if it is about to rest.
    pub still: Option<StillGroup>,
    /// True if it rested in the last step.
    pub rests: bool,
}

/// Facts about a group at the end of a step that stay true as long as it rests.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub(crate) struct StillGroup {
    /// Contacts that carry a force.
    pub contacts: usize,
    /// True if a remeshing pass over all its cloths has found nothing to do.
    pub is_adapted: bool,
}

/// The balance that the last substep has ended with: forces of pins and rows, residual and active contacts follow from it.
#[derive(Clone, Debug, Default)]
pub(crate) struct LastSubstep {
    /// Length \[s\]; 0 before the first.
    pub h: f64,
    /// Predicted positions \[m\]; empty after an edit.
    pub predicted: Vec<DVec3>,
    /// The effective step \[s\] of every vertex, see [`crate::step::stages::integrate`].
    pub scales: Vec<f64>,
    /// Velocity damping \[1/s\].
    pub damping: f64,
    /// Forces of drag, and of pressure where it is explicit \[N\]; empty if there are none.
    pub outer: Vec<DVec3>,
    /// Effect of the grabs on vertices, by vertex.
    pub pulls: Vec<Pull>,
    /// Positions that the vertices of pins of limited strength would have without their pins \[m\].
    pub inertial: Vec<(VertexIndex, DVec3)>,
    /// Contacts.
    pub contacts: Vec<Contact>,
    /// True if there were contacts that an edit has discarded.
    pub has_forgotten_contacts: bool,
}

impl LastSubstep {
    /// Inertia of a vertex of some mass \[kg\] against what takes it off its prediction \[N/m\], velocity damping included:
    /// `m (1 + c s)/s²`.
    pub(crate) fn inertia(&self, vertex: usize, mass: f64) -> f64 {
        let scale = self.scales[vertex];
        mass * (1.0 + self.damping * scale) / (scale * scale)
    }

    /// Number of contacts that carried a force.
    pub(crate) fn active_contacts(&self) -> usize {
        self.contacts.iter().filter(|c| c.normal_lambda > 0.0).count()
    }

    /// Forgets contacts and prediction, which an edit leaves without meaning.
    pub(crate) fn forget(&mut self) {
        self.has_forgotten_contacts |= !self.contacts.is_empty();
        self.contacts.clear();
        self.predicted.clear();
        self.outer.clear();
    }
}

impl State {
    /// Begins with a short substep again: after a jump of the forces, the error of the last one tells nothing.
    pub(crate) fn forget_substep(&mut self) {
        self.last_substep = 0.0;
        self.groups.iter_mut().for_each(|group| group.last_substep = 0.0);
    }

    /// Lets nothing rest without being looked at anew.
    pub(crate) fn wake(&mut self) {
        self.still = None;
        self.looks.clear();
        self.groups.iter_mut().for_each(|group| group.still = None);
    }

    /// Returns whether a cloth rested in the last step, and passes have found nothing to do on it.
    pub(crate) fn sleeps(&self, cloth: usize) -> bool {
        let is_asleep =
            |group: &GroupMemory| group.rests && group.still.is_some_and(|still| still.is_adapted);
        self.groups.iter().any(|group| is_asleep(group) && group.bodies.contains(&cloth))
    }

    /// Lets all bodies be one group from now on.
    pub(crate) fn join_groups(&mut self) {
        let mut groups = std::mem::take(&mut self.groups).into_iter();
        let Some(first) = groups.next() else { return };
        let (mut last, mut loads) = (first.last_substep, first.loads);
        (self.was_touched, self.error) = (first.was_touched, first.error);
        for group in groups {
            self.error = self.error.max(group.error);
            last = last.min(group.last_substep);
            self.was_touched |= group.was_touched;
            loads = loads.plus(&group.loads);
        }
        self.last_substep = last;
        self.loads = LoadMemory { wrenches: std::mem::take(&mut self.loads.wrenches), ..loads };
    }

    /// Memory of a group of bodies of this world; `count` is the number of all bodies. Bodies that come together go on with
    /// the shortest of their substeps.
    pub(crate) fn memory_of(&self, bodies: &[usize], count: usize) -> GroupMemory {
        let whole = || GroupMemory {
            bodies: (0..count).collect(),
            last_substep: self.last_substep,
            error: self.error,
            was_touched: self.was_touched,
            loads: LoadMemory { wrenches: Vec::new(), ..self.loads.clone() },
            still: self
                .still
                .map(|still| StillGroup { contacts: still.contacts, is_adapted: still.is_adapted }),
            rests: false,
        };
        let groups = if self.groups.is_empty() { &[whole()][..] } else { &self.groups };
        let shares_body = |group: &&GroupMemory| group.bodies.iter().any(|body| bodies.contains(body));
        let mut memory: Option<GroupMemory> = None;
        for group in groups.iter().filter(shares_body) {
            let is_heir = group.bodies.first().is_some_and(|first| bodies.contains(first));
            let loads = if is_heir { group.loads.clone() } else { LoadMemory::default() };
            memory = Some(match memory {
                None => GroupMemory {
                    bodies: bodies.to_vec(),
                    loads,
                    still: group.still.filter(|_| group.bodies == bodies),
                    ..group.clone()
                },
                Some(other) => GroupMemory {
                    last_substep: other.last_substep.min(group.last_substep),
                    error: other.error.max(group.error),
                    was_touched: other.was_touched || group.was_touched,
                    loads: other.loads.plus(&loads),
                    ..other
                },
            });
        }
        memory.unwrap_or_default()
    }

    /// State of a world that has not begun.
    pub(crate) fn new(description: &WorldDescription, pins: usize, sheet: Sheet, motion: DenseState) -> Self {
        Self {
            sheet: Arc::new(sheet),
            motion,
            last_passes: vec![0.0; description.cloths.len()],
            credits: vec![0.0; description.cloths.len()],
            released: vec![false; pins],
            gravity: description.simulation.gravity,
            rigid: (0..)
                .zip(&description.obstacles)
                .filter_map(|(number, obstacle)| RigidState::begin(number, obstacle, 0.0))
                .collect(),
            ..Self::default()
        }
    }

    /// Why it cannot be that of a world with so many cloths, bodies in all, pins and obstacles, if it cannot.
    pub(crate) fn find_defect(&self, [cloths, bodies, pins, obstacles]: [usize; 4]) -> Option<String> {
        let is_magnitude = |value: f64| value.is_finite() && value >= 0.0;
        if self.last_passes.len() != cloths {
            return Some(format!("it has {} times of remeshing", self.last_passes.len()));
        }
        let is_look = |look: &Look| look.time.is_finite() && look.positions.iter().all(|x| x.is_finite());
        if !self.looks.is_empty() && self.looks.len() != cloths || !self.looks.iter().flatten().all(is_look) {
            return Some("what passes have looked at is not of its cloths, or not finite".to_owned());
        }
        if self.credits.len() != cloths || !self.credits.iter().copied().all(is_magnitude) {
            return Some("what passes have taken is not of its cloths, or not an energy".to_owned());
        }
        if !self.friction.are_sound() {
            return Some("what its contacts remember is out of order or not finite".to_owned());
        }
        if !self.rigid.iter().all(|body| body.obstacle < obstacles && body.is_sound()) {
            return Some("its rigid bodies are not those of the world, or not finite".to_owned());
        }
        if !self.gravity.is_finite() {
            return Some(format!("its gravity is {} m/s²", self.gravity));
        }
        let are_speeds = |speeds: &Speeds| is_magnitude(speeds.mean) && is_magnitude(speeds.fastest);
        if !is_magnitude(self.error) || !self.start_speeds.iter().all(are_speeds) {
            return Some("the error or the speeds of its last substep are not finite".to_owned());
        }
        if !is_magnitude(self.last_substep) {
            return Some(format!("its last substep is {} s", self.last_substep));
        }
        let is_group = |group: &GroupMemory| {
            is_magnitude(group.last_substep)
                && is_magnitude(group.error)
                && group.bodies.iter().all(|body| *body < bodies)
                && group.loads.is_sound(obstacles)
        };
        if !self.groups.iter().all(is_group) {
            return Some("what its groups of bodies remember is not of its bodies, or not finite".to_owned());
        }
        (self.released.len() != pins)
            .then(|| format!("it has {} pins, but the world has {pins}", self.released.len()))
    }
}

/// Facts at the end of a step that stay true as long as the world rests.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub(crate) struct SleepState {
    pub metrics: Metrics,
    /// Contacts that carry a force.
    pub contacts: usize,
    /// True if a remeshing pass over all cloths has found nothing to do.
    pub is_adapted: bool,
}
