//! The path of a substep: start and proposed end of everything in contact, sheet and mesh obstacles.

use crate::derive::clock::end_of_substep;
use crate::derive::facts::Facts;
use crate::model::setup::pins::{PartlyHeld, along_held};
use crate::model::state::dense::DenseState;
use crate::model::workspace::Workspace;
use glam::DVec3;
use taffeta_contact::proximity::Step;
use taffeta_contact::shape_limits::MovingShape;
use taffeta_core::index::DenseIndex;

/// The motion of all that can meet over a substep: the sheet, then the obstacles.
pub(crate) struct ContactPath {
    start: Vec<DVec3>,
    end: Vec<DVec3>,
    velocities: Vec<DVec3>,
    prescribed: Vec<bool>,
    /// Time at the start, and length \[s\].
    time: f64,
    h: f64,
}

impl ContactPath {
    /// The path among obstacles in closed form.
    pub(crate) fn step<'a>(&'a self, shapes: &'a [MovingShape<'a>]) -> Step<'a> {
        let Self { start, end, velocities, prescribed, time, h } = self;
        Step { start, end, velocities, prescribed, time: *time, h: *h, shapes }
    }

    /// The path as it goes on for `factor` times as long.
    pub(crate) fn prolonged(&self, factor: f64) -> Self {
        let Self { start, end, velocities, prescribed, time, h } = self;
        let end = start.iter().zip(end).map(|(x, y)| *x + (*y - *x) * factor).collect();
        let (start, velocities, prescribed) = (start.clone(), velocities.clone(), prescribed.clone());
        Self { start, end, velocities, prescribed, time: *time, h: h * factor }
    }

    /// Lets everything that stays where it is be what cannot be moved: stopping others would carry it along with the mean of
    /// all motions.
    pub(crate) fn hold_what_stays(&mut self) {
        let ways = self.start.iter().zip(&self.end).zip(&mut self.prescribed);
        ways.for_each(|((start, end), prescribed)| *prescribed |= start == end);
    }

    /// Lets nothing be stopped.
    pub(crate) fn hold_all(&mut self) {
        self.prescribed.fill(true);
    }

    /// Returns whether anything cannot be stopped.
    pub(crate) fn is_pushed(&self) -> bool {
        self.prescribed.contains(&true)
    }

    /// Prescribed position of a vertex at the end \[m\].
    pub(crate) fn end(&self, vertex: usize) -> DVec3 {
        self.end[vertex]
    }
}

/// The way from the start of the substep to where all are to be at its end.
pub(crate) fn contact_path(facts: Facts<'_>, work: &mut Workspace, h: f64) -> ContactPath {
    let Facts { setup, state, .. } = facts;
    work.placed.place(&setup.meshes, [state.time, end_of_substep(facts, h)]);
    let mut start = state.motion.positions.raw.clone();
    let mut end: Vec<DVec3> = work.rows.iter().map(|row| row.position()).collect();
    let mut prescribed = prescribed(&state.motion, &work.guided);
    start.extend(&work.placed.ends[0]);
    end.extend(&work.placed.ends[1]);
    prescribed.resize(end.len(), true);
    let mut velocities = work.start_velocities.clone();
    velocities.extend(work.placed.ends[0].iter().zip(&work.placed.ends[1]).map(|(x, y)| (*y - *x) / h));
    ContactPath { start, end, velocities, prescribed, time: state.time, h }
}

/// Returns, for each vertex of the sheet, whether it cannot be stopped: it is held along all axes, or a pin moves it
/// along some.
fn prescribed(motion: &DenseState, guided: &[PartlyHeld]) -> Vec<bool> {
    let mut prescribed: Vec<bool> = motion.inverse_masses.iter().map(|w| *w == 0.0).collect();
    for guided in guided {
        let moved = along_held(guided.held, guided.target, guided.start) != guided.start;
        prescribed[guided.vertex.to_usize()] |= moved;
    }
    prescribed
}

/// The obstacles in closed form over the substep. Those of a search for an equilibrium stand still.
pub(crate) fn moving_shapes(facts: Facts<'_>, h: f64) -> Vec<MovingShape<'_>> {
    let h = if facts.inputs.stands_still { 0.0 } else { h };
    facts.setup.obstacles.iter().map(|obstacle| MovingShape::new(obstacle, facts.state.time, h)).collect()
}
