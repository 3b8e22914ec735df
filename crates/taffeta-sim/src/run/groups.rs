//! Groups of bodies that can touch each other within a step. Each is stepped by itself.
//!
//! What is computed for one group (when its iteration stops, how long its substeps are, what is done again) depends on no
//! other. The velocities of the cloths give a guess of the groups, which is checked afterwards. If two groups have come
//! near each other all the same, they are stepped again as one.

use crate::derive::bodies::{body_count, cloth_boxes, extent, offset_of_body};
use crate::derive::parts::{bring_part, find_place, join_parts, put_parts};
use crate::derive::snapshot::{go_back, note};
use crate::derive::solver_facts::can_tear;
use crate::derive::world::{Part, World};
use crate::features::grabs::SubstepCallback;
use crate::model::description::grabs::Grab;
use crate::model::description::{Mode, SolverChoice};
use crate::model::report::error::StepError;
use crate::model::report::stage::StageTimes;
use crate::model::report::{SubstepPlan, TearCounts};
use crate::model::setup::pin_places::PinPlaces;
use crate::model::state::{GroupMemory, State};
use crate::run::group_step::{Made, step_part};
use crate::step::outside::Whole;
use crate::step::substeps::make_substeps;
use glam::DVec3;
use taffeta_contact::boxes::Aabb;
use taffeta_core::VertexIndex;
use taffeta_core::components::Components;

/// Part of the way that its velocities take a cloth in a step by which it may go elsewhere before that is a surprise.
const SURPRISE: f64 = 0.25;

/// Distance, relative to the size of the smaller one, up to which cloths that were one group stay one: groups whose members
/// change are built anew.
const PARTING: f64 = 0.02;

/// All substeps of a step of the length `dt` \[s\], group by group.
pub(crate) fn make_grouped_substeps(
    world: &mut World,
    dt: f64,
    grabs: &[Grab],
    lead: &mut SubstepCallback<'_>,
    times: &mut StageTimes,
) -> Result<(SubstepPlan, TearCounts), StepError> {
    let mut groups = find_groups(world, grabs, dt);
    let start = (groups.len() > 1 && can_tear(world.facts())).then(|| note(world));
    let mut made: Vec<Made> = Vec::new();
    loop {
        if groups.len() == 1 {
            join_parts(world);
            let (plan, tears) = make_substeps(world, dt, grabs, &mut Whole(lead), times)?;
            return Ok((SubstepPlan { groups: 1, ..plan }, tears));
        }
        let epoch = world.epoch;
        for (number, bodies) in groups.iter().enumerate() {
            if made.iter().any(|made| made.part.selection.bodies == *bodies) {
                continue;
            }
            let old = take_part(&mut world.parts, bodies);
            let part = bring_part(world, bodies, old);
            let is_led = grabs.first().map_or(number == 0, |grab| bodies.contains(&grab.body));
            made.push(if is_led {
                step_part(world, part, dt, grabs, Some(&mut *lead), times)?
            } else {
                step_part(world, part, dt, &[], None, times)?
            });
        }
        let Some(joined) = join_met(&groups, &made) else { break };
        groups = joined;
        made.retain(|made| groups.contains(&made.part.selection.bodies));
        // What tore may not have, now that it meets something.
        if let Some(start) = start.as_ref().filter(|_| world.epoch != epoch) {
            made.clear();
            go_back(world, start.clone());
        }
    }
    made.sort_unstable_by_key(|made| made.part.selection.bodies[0]);
    for made in &mut made {
        made.part.world.state.time = world.state.time + dt;
        find_place(world, &mut made.part);
    }
    let plan = made.iter().fold(SubstepPlan::default(), |sum, made| sum.plus(made.plan));
    let tears = made.iter().fold(TearCounts::default(), |sum, made| sum.plus(made.tears));
    world.state.time += dt;
    put_parts(world, made.into_iter().map(|made| made.part).collect(), dt);
    Ok((plan, tears))
}

/// The part that a group had in the last step.
fn take_part(parts: &mut Vec<Part>, bodies: &[usize]) -> Option<Part> {
    let place = parts.iter().position(|part| part.selection.bodies == *bodies);
    place.map(|place| parts.remove(place))
}

/// The groups of a step of the length `dt` \[s\]: lists of bodies in their order.
fn find_groups(world: &World, grabs: &[Grab], dt: f64) -> Vec<Vec<usize>> {
    let count = body_count(&world.setup);
    let mut joined = Components::new(count);
    if !may_part(world) {
        return vec![(0..count).collect()];
    }
    for solid in &world.setup.solids {
        if let Some(inside) = solid.body {
            joined.join(solid.cloth as u32, (world.setup.cloths.len() + inside) as u32);
        }
    }
    // A pin of limited strength bears all that it holds, and one hand leads all grabs.
    for bodies in bodies_of_weak_pins(world).into_iter().chain([grabs.iter().map(|grab| grab.body).collect()])
    {
        bodies.windows(2).for_each(|pair| joined.join(pair[0] as u32, pair[1] as u32));
    }
    if world.setup.self_contact {
        let reaches: Vec<Aabb> = expected_boxes(world, dt);
        for (a, b) in pairs(reaches.len()) {
            let apart =
                if were_together(world, a, b) { PARTING * size(world, a).min(size(world, b)) } else { 0.0 };
            if reaches[a].inflated(apart).overlaps(&reaches[b]) {
                joined.join(a as u32, b as u32);
            }
        }
    }
    to_bodies(joined)
}

/// Returns whether the bodies of a world can be stepped one by one. Projective dynamics has a fixed number of iterations over a
/// constant matrix, whose blocks know nothing of each other.
fn may_part(world: &World) -> bool {
    body_count(&world.setup) > 1
        // What moves by itself may touch any of them.
        && world.state.rigid.is_empty()
        && world.derived.choice != SolverChoice::Projective
        && world.setup.settings.mode == Mode::Dynamic
}

/// All pairs of so many cloths.
fn pairs(count: usize) -> impl Iterator<Item = (usize, usize)> {
    (0..count).flat_map(move |a| (a + 1..count).map(move |b| (a, b)))
}

fn to_bodies(joined: Components) -> Vec<Vec<usize>> {
    let lists = joined.lists().into_iter();
    lists.map(|list| list.into_iter().map(|body| body as usize).collect()).collect()
}

/// The bodies that each pin of limited strength holds.
fn bodies_of_weak_pins(world: &World) -> Vec<Vec<usize>> {
    let mut bodies = vec![Vec::new(); world.setup.pins.len()];
    for (vi, hold) in world.state.motion.holds.iter() {
        if world.setup.pins[hold.pin as usize].description.strength.is_some() {
            bodies[hold.pin as usize].push(world.state.sheet.vertex_cloths[*vi] as usize);
        }
    }
    bodies
}

/// Returns whether two cloths were one group in the last step.
fn were_together(world: &World, a: usize, b: usize) -> bool {
    let State { groups, frame, .. } = &world.state;
    let has_both = |group: &GroupMemory| group.bodies.contains(&a) && group.bodies.contains(&b);
    groups.iter().any(has_both) || groups.is_empty() && *frame > 0
}

/// The size of a cloth at rest \[m\].
fn size(world: &World, cloth: usize) -> f64 {
    extent(&world.state.sheet.layout.raw[world.state.sheet.vertex_range(cloth as u32)])
}

/// The boxes in which the cloths are expected to stay over a step of the length `dt` \[s\], contact included.
fn expected_boxes(world: &World, dt: f64) -> Vec<Aabb> {
    let State { sheet, motion, gravity, time, .. } = &world.state;
    let places = PinPlaces::at(&world.setup, time + dt);
    let (mut boxes, mut longest) = (cloth_boxes(world), vec![0.0_f64; sheet.cloth_count()]);
    let mut reach = |vi: VertexIndex, way: DVec3| {
        let cloth = sheet.vertex_cloths[vi] as usize;
        if let Some(area) = boxes.get_mut(cloth) {
            *area = area.with(motion.positions[vi] + way);
            longest[cloth] = longest[cloth].max(way.length());
        }
    };
    for (vi, v) in motion.velocities.iter_indexed() {
        reach(vi, *v * dt);
        reach(vi, (*v + *gravity * dt) * dt);
    }
    for (vi, hold) in motion.holds.iter() {
        reach(*vi, places.target(hold) - motion.positions[*vi]);
    }
    let margin = |cloth: usize| offset_of_body(&world.setup, cloth) + SURPRISE * longest[cloth];
    boxes.iter().enumerate().map(|(cloth, area)| area.inflated(margin(cloth))).collect()
}

/// The groups joined where cloths have come near each other; `None` if none have.
fn join_met(groups: &[Vec<usize>], made: &[Made]) -> Option<Vec<Vec<usize>>> {
    let boxes_of = |made: &Made| {
        let Part { selection, world, .. } = &made.part;
        let around = |(own, area): (usize, &Aabb)| area.inflated(offset_of_body(&world.setup, own));
        let boxes = world.workspace.reach.iter().enumerate().map(around);
        selection.cloths.iter().copied().zip(boxes).collect::<Vec<_>>()
    };
    let boxes: Vec<_> = made.iter().map(boxes_of).collect();
    let count = groups.iter().map(Vec::len).sum();
    let mut joined = Components::new(count);
    groups
        .iter()
        .for_each(|group| group.windows(2).for_each(|pair| joined.join(pair[0] as u32, pair[1] as u32)));
    let mut has_joined = false;
    for (a, b) in pairs(boxes.len()) {
        for ((one, first), (other, second)) in
            boxes[a].iter().flat_map(|a| boxes[b].iter().map(move |b| (a, b)))
        {
            if made[a].part.world.setup.self_contact && first.overlaps(second) {
                joined.join(*one as u32, *other as u32);
                has_joined = true;
            }
        }
    }
    has_joined.then(|| to_bodies(joined))
}
