//! The step of one group of bodies.
//!
//! It is stepped by itself, but two things concern the whole world: whoever leads grabs sees all of it, and tears edit the mesh that
//! all cloths share. So tears are made there, and the group goes on with what has become of its bodies.

use crate::derive::bodies::cloth_boxes;
use crate::derive::parts::{pick_present, put_present};
use crate::derive::rebuild::succeed;
use crate::derive::world::{Part, Versions, World};
use crate::features::grabs::{SubstepCallback, SubstepStart, find_grabbed};
use crate::features::tearing::stress::{Overload, find_overloads};
use crate::features::tearing::tear::tear_at;
use crate::model::description::grabs::Grab;
use crate::model::description::inputs::StepInputs;
use crate::model::report::error::StepError;
use crate::model::report::stage::StageTimes;
use crate::model::report::{SubstepPlan, TearCounts};
use crate::model::state::selection::Selection;
use crate::run::sleep::{find_rest, pass_time};
use crate::step::outside::Outside;
use crate::step::substeps::make_substeps;
use std::sync::Arc;

/// A group that has been stepped.
pub(crate) struct Made {
    pub part: Part,
    pub plan: SubstepPlan,
    pub tears: TearCounts,
}

/// Steps a group by itself, led by somebody or not. Of the world around it only the meshes change, where it tears.
pub(crate) fn step_part(
    whole: &mut World,
    mut part: Part,
    dt: f64,
    grabs: &[Grab],
    lead: Option<&mut SubstepCallback<'_>>,
    times: &mut StageTimes,
) -> Result<Made, StepError> {
    let (motion, time, epoch) = (whole.state.motion.clone(), whole.state.time, whole.epoch);
    let Part { selection, world: own, rests, .. } = &mut part;
    let body = |grab: &Grab| selection.body(grab.body).expect("all that is grabbed is one group");
    let grabs: Vec<Grab> = grabs.iter().map(|grab| Grab { body: body(grab), ..*grab }).collect();
    own.inputs.grabbed = find_grabbed(own, &grabs)?;
    own.workspace.reach = cloth_boxes(own);
    let inputs = StepInputs {
        gravity: Some(own.state.gravity),
        wind: own.inputs.air.map(|air| air.wind),
        grabs,
        budget: None,
    };
    let still = find_rest(own, &inputs, dt);
    *rests = still.is_some();
    let mut around = Around { whole: &mut *whole, selection: selection.clone(), lead };
    let (plan, tears) = match still {
        Some(_) => {
            own.stop_token.pass(own.state.time)?;
            pass_time(&own.setup, &mut own.state, own.derived.choice, dt);
            Default::default()
        }
        None => {
            let (plan, tears) = make_substeps(own, dt, &inputs.grabs, &mut around, times)?;
            (SubstepPlan { groups: 1, ..plan }, tears)
        }
    };
    // Obstacles that are made of triangles are large, and shared; they come again with the next step.
    own.setup.meshes = Arc::default();
    whole.state.time = time;
    if whole.epoch == epoch {
        whole.state.motion = motion;
    } else {
        part.versions = Versions::of(&part.selection.bodies, &whole.state.sheet);
    }
    Ok(Made { part, plan, tears })
}

/// The world around a group, in which only this group has moved since the start of the step.
struct Around<'a, 'b> {
    whole: &'a mut World,
    /// The places of the group there.
    selection: Selection,
    lead: Option<&'a mut SubstepCallback<'b>>,
}

impl Outside for Around<'_, '_> {
    fn lead(&mut self, SubstepStart { world: own, h, places, targets }: SubstepStart<'_>) {
        let Self { whole, selection, lead: Some(lead) } = self else { return };
        selection.put_motion(&mut whole.state.motion, &own.state.motion);
        whole.state.time = own.state.time;
        lead(SubstepStart { world: whole, h, places, targets });
    }

    fn tear(&mut self, own: &mut World, has_moved: bool) -> TearCounts {
        let Self { whole, selection, .. } = self;
        let cloth = |own: u32| selection.cloths[own as usize] as u32;
        let overloads: Vec<Overload> = find_overloads(own)
            .into_iter()
            .map(|overload| Overload { cloth: cloth(overload.cloth), ..overload })
            .collect();
        if overloads.is_empty() {
            return TearCounts::default();
        }
        if has_moved {
            own.derived.keep_bending(&own.state.sheet, &mut own.state.motion);
        }
        put_present(&whole.setup, &mut whole.state, &mut whole.derived, selection, own);
        let epoch = whole.epoch;
        let tears = tear_at(whole, &overloads);
        if whole.epoch != epoch {
            let (edited, sheet, motion) = pick_present(whole, &selection.bodies);
            succeed(own, sheet, motion, whole.epoch);
            *selection = edited;
        }
        tears
    }
}
