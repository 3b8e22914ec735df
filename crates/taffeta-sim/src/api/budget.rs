//! Steps within a budget of wall time.

use crate::api::jumps::step_with_jumps;
use crate::derive::world::World;
use crate::features::grabs::SubstepCallback;
use crate::model::description::inputs::StepInputs;
use crate::model::report::error::StepError;
use crate::model::report::{Rough, StepReport};
use crate::model::setup::Setup;
use crate::model::workspace::budget::Budget;
use crate::model::workspace::work_budget::Deadline;
use std::time::Instant;
use taffeta_remesh::RemeshSettings;

/// A step, as rough as its budget wants it; without a budget as the scene asks.
pub(crate) fn step_in_budget(
    world: &mut World,
    inputs: &StepInputs,
    dt: f64,
    lead: &mut SubstepCallback<'_>,
) -> Result<StepReport, StepError> {
    let Some(budget) = inputs.budget else {
        world.budget = Budget::default();
        return step_with_jumps(world, inputs, dt, lead);
    };
    if !(budget.is_finite() && budget > 0.0) {
        return Err(StepError::BadBudget { budget });
    }
    let deadline = Deadline { begun: Instant::now(), length: budget };
    let asked = Fineness::of(world);
    let rough = world.budget.rough(asked.accuracy);
    if let Some(rough) = rough {
        asked.roughened(rough).set(&mut world.setup);
    }
    world.inputs.deadline = Some(deadline);
    let outcome = step_with_jumps(world, inputs, dt, lead);
    world.inputs.deadline = None;
    asked.set(&mut world.setup);
    let report = outcome?;
    world.budget.record(deadline.part());
    Ok(StepReport { rough, ..report })
}

/// Settings that a budget makes rougher.
struct Fineness {
    accuracy: f64,
    remesh: Vec<Option<RemeshSettings>>,
}

impl Fineness {
    fn of(world: &World) -> Self {
        let remesh = world.setup.cloths.iter().map(|cloth| cloth.remesh).collect();
        Self { accuracy: world.setup.settings.accuracy, remesh }
    }

    fn roughened(&self, rough: Rough) -> Self {
        let coarsen = |settings: &Option<RemeshSettings>| settings.map(|own| own.coarsened(rough.edges));
        Self { accuracy: rough.accuracy, remesh: self.remesh.iter().map(coarsen).collect() }
    }

    fn set(&self, setup: &mut Setup) {
        setup.settings.accuracy = self.accuracy;
        let cloths = setup.cloths.iter_mut().zip(&self.remesh);
        cloths.for_each(|(cloth, settings)| cloth.remesh = *settings);
    }
}
