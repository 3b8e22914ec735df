//! Groups of bodies as worlds by themselves, and the way of their states there and back.
//!
//! A part has the bodies of its group with all obstacles and pins, in the same order. So every sum, search and solve in it
//! is that of a world of these bodies alone, to the bit.

use crate::derive::clock::clamp_normals;
use crate::derive::crossings::{collect_pairs, crossing_count, record_crossings};
use crate::derive::derived::Derived;
use crate::derive::elements::source::Source;
use crate::derive::rebuild::{rebuild, refill};
use crate::derive::solver::Solver;
use crate::derive::world::{ExpectedBounds, Part, Versions, World};
use crate::model::description::PinDescription;
use crate::model::description::grabs::Pull;
use crate::model::report::loads::LoadMemory;
use crate::model::report::{Metrics, SafeguardReport};
use crate::model::setup::Setup;
use crate::model::setup::pins::Pin;
use crate::model::setup::seams::SeamLaw;
use crate::model::setup::solid::Solid;
use crate::model::state::asked::Asked;
use crate::model::state::dense::DenseState;
use crate::model::state::friction::FrictionMemory;
use crate::model::state::selection::Selection;
use crate::model::state::sheet::Sheet;
use crate::model::state::{GroupMemory, LastSubstep, SleepState, Speeds, State, StillGroup};
use crate::model::workspace::budget::Budget;
use crate::model::workspace::{Inputs, Workspace};
use glam::DVec3;
use std::sync::Arc;
use taffeta_contact::{Contact, ContactName};
use taffeta_core::index::DenseIndex;
use taffeta_core::{ContactRow, VertexIndex};
use taffeta_remesh::Hold;

/// Selects bodies of a world.
fn select(world: &World, bodies: &[usize]) -> Selection {
    let State { sheet, motion, .. } = &world.state;
    Selection::new(bodies, &world.setup, &sheet.topology, &sheet.vertex_cloths, &motion.rest.cloths)
}

/// The part of some bodies in the present state of the world, with what is derived from `old`, the part that they had, if
/// their meshes are the same.
pub(crate) fn bring_part(world: &World, bodies: &[usize], old: Option<Part>) -> Part {
    match old {
        Some(part) if part.is_of(&world.state.sheet) => {
            let mut part = Part { selection: select(world, bodies), ..part };
            fill(world, &mut part);
            part
        }
        old => build(world, bodies, old),
    }
}

/// Builds a part anew.
fn build(world: &World, bodies: &[usize], old: Option<Part>) -> Part {
    let kept = old.map(|mut part| part.world.derived.retire()).unwrap_or_default();
    let (selection, sheet, motion) = pick_present(world, bodies);
    let sheet = Arc::new(sheet);
    let pins = holders(&motion, world.setup.pins.len());
    let setup = pick_setup(world, &selection, &pins);
    let choice = world.derived.choice;
    let source = Source {
        setup: &setup,
        sheet: &sheet,
        motion: &motion,
        time: world.state.time,
        choice,
        solves: true,
    };
    let own = World {
        derived: Derived::build(source, kept),
        state: State { sheet, motion, ..State::default() },
        setup,
        epoch: world.epoch,
        inputs: Inputs::default(),
        safeguard: SafeguardReport::default(),
        workspace: Workspace::default(),
        stop_token: world.stop_token.clone(),
        budget: Budget::default(),
        pool: Arc::clone(&world.pool),
        parts: Vec::new(),
        bounds_of_parts: Vec::new(),
    };
    let versions = Versions::of(&selection.bodies, &world.state.sheet);
    let mut part = Part { selection, versions, pins, rests: false, world: own };
    fill(world, &mut part);
    let own = &mut part.world;
    own.derived.plate.clamps = clamp_normals(&own.setup, &own.derived.clamps, own.state.time);
    refill(&mut own.state, &mut own.workspace);
    record_crossings(&own.setup, &own.state, &mut own.derived);
    let is_own = |known: &&ExpectedBounds| known.versions == part.versions;
    if let Some(known) = world.bounds_of_parts.iter().find(is_own) {
        collect_pairs(&mut part.world.derived.proximity, known.bounds.clone());
    }
    part
}

/// Gives a part the present state of its bodies.
fn fill(world: &World, part: &mut Part) {
    let Part { selection, world: own, pins, .. } = part;
    let State { friction, .. } = &world.state;
    let motion = selection.pick_motion(&world.state.motion);
    *pins = holders(&motion, world.setup.pins.len());
    own.setup = pick_setup(world, selection, pins);
    let count = world.setup.cloths.len() + world.setup.bodies.len();
    let GroupMemory { last_substep, error, was_touched, loads, still, .. } =
        world.state.memory_of(&selection.bodies, count);
    let still = still.map(|StillGroup { contacts, is_adapted }| SleepState {
        metrics: Metrics::default(),
        contacts,
        is_adapted,
    });
    let mut friction = friction.clone();
    friction.renumber(|vertex| selection.own_vertex(vertex));
    own.state = State {
        time: world.state.time,
        frame: world.state.frame,
        last_passes: selection.cloths.iter().map(|cloth| world.state.last_passes[*cloth]).collect(),
        looks: Vec::new(),
        credits: selection.cloths.iter().map(|cloth| world.state.credits[*cloth]).collect(),
        // Those that hold nothing of it are none of its own.
        released: world
            .state
            .released
            .iter()
            .zip(&*pins)
            .map(|(released, is_own)| *released || !is_own)
            .collect(),
        last_substep,
        error,
        start_speeds: selection
            .bodies
            .iter()
            .filter_map(|body| world.state.start_speeds.get(*body).copied())
            .collect(),
        was_touched,
        still,
        gravity: world.state.gravity,
        loads,
        groups: Vec::new(),
        friction,
        rigid: Vec::new(),
        sheet: Arc::clone(&own.state.sheet),
        motion,
        before_change: None,
        asked: Asked::default(),
        last: std::mem::take(&mut own.state.last),
    };
    let Inputs { air, damping, deadline, .. } = world.inputs;
    own.inputs = Inputs { air, damping, deadline, ..Inputs::default() };
    own.safeguard = SafeguardReport::default();
    own.workspace.placed.forget();
    (own.stop_token, own.pool) = (world.stop_token.clone(), Arc::clone(&world.pool));
}

/// Brings the present motion of a part, and what holds it, into the world in the middle of a step. Other bodies are where the
/// step began.
pub(crate) fn put_present(
    setup: &Setup,
    state: &mut State,
    derived: &mut Derived,
    selection: &Selection,
    own: &World,
) {
    selection.put_motion(&mut state.motion, &own.state.motion);
    put_holds(setup, &mut state.motion, &[(selection, own)]);
    state.time = own.state.time;
    if crossing_count(derived) > 0 || crossing_count(&own.derived) > 0 {
        record_crossings(setup, state, derived);
    }
}

/// The places of some bodies in the world, with their sheet and motion there.
pub(crate) fn pick_present(world: &World, bodies: &[usize]) -> (Selection, Sheet, DenseState) {
    let selection = select(world, bodies);
    let sheet = world.state.sheet.select(&selection);
    let motion = selection.pick_motion(&world.state.motion);
    (selection, sheet, motion)
}

/// Gives a part its places in a world whose other bodies have been edited.
pub(crate) fn find_place(world: &World, part: &mut Part) {
    part.selection = select(world, &part.selection.bodies);
}

/// Setup of the bodies of a part.
///
/// Pins keep their numbers; those that hold nothing of the part, for which `pins` is false, do nothing.
fn pick_setup(world: &World, selection: &Selection, pins: &[bool]) -> Setup {
    let whole = &world.setup;
    let pin = |(pin, is_own): (&Pin, &bool)| match is_own {
        true => pin.clone(),
        false => Pin::new(PinDescription::default(), pin.center),
    };
    let cloth = |cloth: usize| selection.body(cloth).expect("a seam or solid is of the cloths of its part");
    let solid = |solid: &usize| {
        let solid = whole.solids[*solid].clone();
        let body = solid.body.and_then(|body| selection.loose_body(body));
        Solid { cloth: cloth(solid.cloth), body, ..solid }
    };
    let seam = |seam: &usize| {
        let law = whole.seams[*seam].clone();
        SeamLaw { cloth: cloth(law.cloth), ..law }
    };
    let mut settings = whole.settings.clone();
    settings.solver = world.derived.choice;
    Setup {
        ids: whole.ids.select(&selection.cloths),
        cloths: selection.cloths.iter().map(|cloth| whole.cloths[*cloth].clone()).collect(),
        bodies: selection.loose_bodies().map(|body| whole.bodies[body].clone()).collect(),
        solids: selection.solids.iter().map(solid).collect(),
        seams: selection.seams.iter().map(seam).collect(),
        pins: whole.pins.iter().zip(pins).map(pin).collect(),
        obstacles: whole.obstacles.clone(),
        meshes: Arc::clone(&whole.meshes),
        contact_thickness: whole.contact_thickness,
        self_contact: whole.self_contact,
        settings,
        sweeps_for_volumes: whole.sweeps_for_volumes,
        air: whole.air,
        view: whole.view,
        view_motion: whole.view_motion.clone(),
    }
}

/// Returns, for each of so many pins, whether it holds a vertex.
fn holders(motion: &DenseState, count: usize) -> Vec<bool> {
    let mut holders = vec![false; count];
    motion.holds.iter().for_each(|(_, hold)| holders[hold.pin as usize] = true);
    holders
}

/// Puts the states of parts, which together have all bodies, back into the world after a step of the length `dt` \[s\]. What is
/// derived for the whole follows.
pub(crate) fn put_parts(world: &mut World, parts: Vec<Part>, dt: f64) {
    let has_let_go = put_released(&world.setup, &mut world.state, &parts);
    let broken = broken_count(&world.state.motion);
    for Part { selection, world: own, .. } in &parts {
        selection.put_motion(&mut world.state.motion, &own.state.motion);
        world.safeguard.add(&own.safeguard);
    }
    if has_let_go {
        let all: Vec<_> = parts.iter().map(|part| (&part.selection, &part.world)).collect();
        put_holds(&world.setup, &mut world.state.motion, &all);
    }
    put_memory(&mut world.state, &parts, dt);
    if broken_count(&world.state.motion) > broken {
        world.derived.switch_off(&world.state.motion.broken);
    }
    if has_let_go {
        rebuild(world);
    } else {
        follow(&world.setup, world.state.time, &mut world.derived, &parts);
    }
    world.state.last = join_balances(&parts, world.state.motion.positions.len());
    world.parts = parts;
    // That of the whole has not followed.
    world.derived.solver = Solver::Idle;
    world.bounds_of_parts.clear();
    if crossing_count(&world.derived) > 0
        || world.parts.iter().any(|part| crossing_count(&part.world.derived) > 0)
    {
        record_crossings(&world.setup, &world.state, &mut world.derived);
    }
}

/// Number of edges whose springs have let go.
fn broken_count(motion: &DenseState) -> usize {
    motion.broken.iter().filter(|broken| **broken).count()
}

/// Takes over which pins have let go. Returns whether any vertex has been let go of.
fn put_released(setup: &Setup, state: &mut State, parts: &[Part]) -> bool {
    let held = holders(&state.motion, setup.pins.len());
    let State { released, time, .. } = state;
    for ((released, held), pin) in released.iter_mut().zip(held).zip(&setup.pins) {
        // Nobody else asks for the time of a pin that holds nothing.
        *released |= !held && pin.is_due(*time);
    }
    for Part { world: own, pins, .. } in parts {
        let own_pins = released.iter_mut().zip(&own.state.released).zip(pins);
        own_pins.filter(|(_, is_own)| **is_own).for_each(|((all, own), _)| *all |= own);
    }
    let count: usize = parts.iter().map(|part| part.world.state.motion.holds.len()).sum();
    count != state.motion.holds.len()
}

/// Lets pins hold what they hold in these parts.
fn put_holds(setup: &Setup, motion: &mut DenseState, parts: &[(&Selection, &World)]) {
    let of_part = |(selection, own): &(&Selection, &World)| {
        let whole = |(vi, hold): &(VertexIndex, Hold)| (VertexIndex(selection.whole_vertex(vi.0)), *hold);
        own.state.motion.holds.iter().map(whole).collect::<Vec<_>>()
    };
    let is_other = |(vi, _): &&(VertexIndex, Hold)| {
        !parts.iter().any(|(selection, _)| selection.own_vertex(vi.0).is_some())
    };
    let others = motion.holds.iter().filter(is_other).copied();
    let mut holds: Vec<_> = others.chain(parts.iter().flat_map(of_part)).collect();
    holds.sort_unstable_by_key(|(vi, _)| *vi);
    let axes: Vec<_> = setup.pins.iter().map(|pin| pin.description.axes).collect();
    motion.hold(holds, &axes);
}

/// Puts the memories of the parts together.
fn put_memory(state: &mut State, parts: &[Part], dt: f64) {
    (state.groups, state.friction) = (Vec::new(), FrictionMemory::default());
    (state.last_substep, state.error, state.was_touched) = (f64::INFINITY, 0.0, false);
    let count = parts.iter().flat_map(|part| &part.selection.bodies).max().map_or(0, |last| last + 1);
    state.start_speeds = vec![Speeds::default(); count];
    let mut sum = LoadMemory { wrenches: std::mem::take(&mut state.loads.wrenches), ..LoadMemory::default() };
    for Part { selection, world: own, rests, .. } in parts {
        let State { last_substep, error, start_speeds, was_touched, loads, friction, still, .. } = &own.state;
        for (body, speeds) in selection.bodies.iter().zip(start_speeds) {
            state.start_speeds[*body] = *speeds;
        }
        let still = still.map(|still| StillGroup { contacts: still.contacts, is_adapted: still.is_adapted });
        state.last_substep = state.last_substep.min(*last_substep);
        state.error = state.error.max(*error);
        state.was_touched |= was_touched;
        sum = sum.plus(loads);
        let mut friction = friction.clone();
        friction.renumber(|vertex| Some(selection.whole_vertex(vertex)));
        state.friction.take_in(friction);
        state.groups.push(GroupMemory {
            bodies: selection.bodies.clone(),
            last_substep: *last_substep,
            error: *error,
            was_touched: *was_touched,
            loads: LoadMemory {
                rates: loads.wrenches.iter().map(|wrench| wrench.scaled(1.0 / dt)).collect(),
                wrenches: Vec::new(),
                ..loads.clone()
            },
            still: still.filter(|_| *rests),
            rests: *rests,
        });
    }
    state.loads = sum;
}

/// The balances of the parts as one of so many vertices. Their substeps may differ in length: multipliers of contacts are
/// given for that of the first.
fn join_balances(parts: &[Part], count: usize) -> LastSubstep {
    let h = parts.first().map_or(0.0, |part| part.world.state.last.h);
    let mut joined = LastSubstep {
        h,
        predicted: vec![DVec3::ZERO; count],
        scales: vec![h; count],
        ..LastSubstep::default()
    };
    let mut is_complete = true;
    for Part { selection, world: own, .. } in parts {
        let last = &own.state.last;
        let vertex = |vi: VertexIndex| VertexIndex(selection.whole_vertex(vi.0));
        is_complete &= last.predicted.len() == selection.vertices.len();
        if is_complete {
            selection.vertices.put(&mut joined.predicted, &last.predicted);
            selection.vertices.put(&mut joined.scales, &last.scales);
        }
        joined.damping = last.damping;
        if last.outer.len() == selection.vertices.len() {
            joined.outer.resize(count, DVec3::ZERO);
            selection.vertices.put(&mut joined.outer, &last.outer);
        }
        let pulls =
            last.pulls.iter().map(|pull| Pull { vertex: selection.vertices.whole(pull.vertex), ..*pull });
        joined.pulls.extend(pulls);
        joined.inertial.extend(last.inertial.iter().map(|(vi, x)| (vertex(*vi), *x)));
        let ratio = if last.h > 0.0 { (h / last.h) * (h / last.h) } else { 0.0 };
        joined.contacts.extend(last.contacts.iter().map(|contact| whole_contact(contact, vertex, ratio)));
        joined.has_forgotten_contacts |= last.has_forgotten_contacts;
    }
    if !is_complete {
        joined.predicted.clear();
    }
    joined
}

/// A contact of a part as one of the world, with its multipliers times a factor.
fn whole_contact(contact: &Contact, vertex: impl Fn(VertexIndex) -> VertexIndex, factor: f64) -> Contact {
    let carrier = |carrier: u32| if carrier == u32::MAX { carrier } else { vertex(VertexIndex(carrier)).0 };
    let name = match contact.name {
        ContactName::Body(vertices, body) => ContactName::Body(vertices.map(&vertex), body),
        ContactName::Pair(sides) => ContactName::Pair(sides.map(|side| side.map(carrier))),
    };
    Contact {
        name,
        row: ContactRow { vertices: contact.row.vertices.map(&vertex), ..contact.row },
        normal_lambda: contact.normal_lambda * factor,
        friction_lambda: contact.friction_lambda * factor,
        ..*contact
    }
}

/// Lets what is derived for the whole follow that of its parts: what energies and forces are measured with.
fn follow(setup: &Setup, time: f64, derived: &mut Derived, parts: &[Part]) {
    derived.plate.clamps = clamp_normals(setup, &derived.clamps, time);
    for Part { selection, world: own, .. } in parts {
        let (from, into) = (&own.derived.blocks, &mut derived.blocks);
        let edges = selection.edges.places_in(&into.plate.edges, |edge| edge.edge.to_usize());
        for (place, scalar) in edges.into_iter().zip(&own.derived.plate.scalars) {
            derived.plate.scalars[place] = *scalar;
        }
        if from.plate.can_yield() {
            let faces = selection.faces.places_in(&into.plate.faces, |face| face.face.to_usize());
            for (place, face) in faces.into_iter().zip(&from.plate.faces) {
                into.plate.faces[place].rest = face.rest;
            }
        }
        let is_own = |place: &[u32; 2]| selection.seams.contains(&(place[0] as usize));
        let stitches =
            into.stitches.iter_mut().zip(&derived.stitch_places).filter(|(_, place)| is_own(place));
        stitches.zip(&from.stitches).for_each(|((whole, _), stitch)| {
            (whole.gap, whole.reach) = (stitch.gap, stitch.reach);
        });
        let volumes = into.enclosed.iter_mut().zip(&derived.enclosed);
        let volumes = volumes.filter(|(_, law)| selection.cloths.contains(&law.cloth));
        volumes.zip(&from.enclosed).for_each(|((whole, _), volume)| {
            (whole.target, whole.pressure) = (volume.target, volume.pressure);
        });
    }
}

/// Notes unwrapped angles and scalars at the end of a step, see [`Derived::keep_bending`].
pub(crate) fn keep_bending(state: &mut State, derived: &mut Derived, parts: &mut [Part]) {
    if parts.is_empty() {
        derived.keep_bending(&state.sheet, &mut state.motion);
        return;
    }
    for Part { selection, world: own, .. } in parts.iter_mut().filter(|part| !part.rests) {
        own.derived.keep_bending(&own.state.sheet, &mut own.state.motion);
        selection.put_angles(&mut state.motion, &own.state.motion);
    }
    derived.follow_bending(&state.motion);
}

/// Number of contacts that carried a force at the end of the step.
pub(crate) fn active_contacts(world: &World) -> usize {
    let of_part = |part: &Part| match part.world.state.still {
        Some(still) if part.rests => still.contacts,
        _ => part.world.state.last.active_contacts(),
    };
    if world.parts.is_empty() {
        return world.state.last.active_contacts();
    }
    world.parts.iter().map(of_part).sum()
}

/// Lets the world be stepped as a whole.
pub(crate) fn join_parts(world: &mut World) {
    if !world.state.groups.is_empty() {
        world.state.join_groups();
        rebuild(world);
    }
    world.bounds_of_parts.clear();
}
