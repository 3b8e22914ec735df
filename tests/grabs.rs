//! Grabs, and what else may be changed while a world is under way.

use crate::common::*;
use glam::{DVec2, DVec3};
use taffeta::core::Region;
use taffeta::io::GridPattern;
use taffeta::remesh::RemeshSettings;
use taffeta::sim::queries;
use taffeta::sim::{
    BuildError, ClothDescription, Grab, PinDescription, SimulationSettings, SolverChoice, StepError,
    StepInputs, SubstepStart, World, WorldDescription,
};

const SOLVERS: [SolverChoice; 5] =
    [SolverChoice::Global, SolverChoice::Direct, SolverChoice::Block, SolverChoice::Xpbd, SolverChoice::Pbd];

/// Weight of the square sheet [N].
const WEIGHT: f64 = 0.2 * 9.81;

/// A sheet that suits a solver.
fn sheet_for(solver: SolverChoice) -> ClothDescription {
    let mut cloth = ClothDescription::new("sheet", square(8, GridPattern::Alternating), stiff());
    cloth.material.stretch_damping = 0.002;
    if solver.capabilities().rows {
        cloth.bending = taffeta::sim::BendingModel::Hinge;
    }
    cloth
}

fn pulled(point: [f64; 2], target: DVec3, stiffness: f64) -> StepInputs {
    let point = DVec2::from(point).into();
    StepInputs {
        grabs: vec![Grab { body: 0, point, radius: 0.0, target, stiffness }],
        ..StepInputs::default()
    }
}

/// Makes steps under inputs.
fn run_with(world: &mut World, inputs: &StepInputs, frames: u32) {
    for _ in 0..frames {
        world.step(inputs, FRAME).expect("the step is finite");
    }
}

fn place_of(world: &World, inputs: &StepInputs) -> DVec3 {
    queries::material_point(world, 0, inputs.grabs[0].point).expect("on the sheet").position
}

#[test]
fn a_cloth_that_hangs_from_a_grab_hangs_by_its_weight_under_every_solver() {
    for solver in SOLVERS.into_iter().step_by(tier(2, 1)) {
        let settings = SimulationSettings { velocity_damping: 4.0, ..settings(solver, Some(8)) };
        let mut world = world(sheet_for(solver), settings);
        // Somewhere within a face.
        let inputs = pulled([0.43, 0.55], DVec3::new(0.4, 0.9, 0.1), 50.0);
        run_with(&mut world, &inputs, 180);
        let drop = inputs.grabs[0].target - place_of(&world, &inputs);
        let expected = DVec3::new(0.0, WEIGHT / 50.0, 0.0);
        assert!(drop.distance(expected) < 0.05 * expected.y, "{solver:?}: {drop} for {expected}");
    }
}

#[test]
fn the_force_of_a_grab_is_what_it_gives_to_the_momentum() {
    for solver in [SolverChoice::Global, SolverChoice::Direct, SolverChoice::Block, SolverChoice::Xpbd] {
        let still = SimulationSettings {
            gravity: DVec3::ZERO,
            time: taffeta::sim::TimeIntegration::Euler,
            ..settings(solver, Some(1))
        };
        let still = match !solver.capabilities().second_order {
            true => SimulationSettings { time: taffeta::sim::TimeIntegration::Auto, ..still },
            false => still,
        };
        let mut world = world(sheet_for(solver), still);
        let inputs = pulled([0.21, 0.68], DVec3::new(0.3, 0.7, 0.2), 30.0);
        let h = FRAME / 8.0;
        for _ in 0..20 {
            let before = world.measure().momentum;
            world.step(&inputs, h).expect("the step is finite");
            let gained = (world.measure().momentum - before) / h;
            let force = (inputs.grabs[0].target - place_of(&world, &inputs)) * 30.0;
            assert!(gained.distance(force) < 1e-6 * force.length(), "{solver:?}: {gained} for {force}");
        }
    }
}

#[test]
fn a_patch_is_pulled_as_a_whole_and_alike_on_every_mesh() {
    let mut drops = Vec::new();
    for cells in tier([8, 12], [8, 16]) {
        let mut cloth = sheet_for(SolverChoice::Direct);
        cloth.mesh = square(cells, GridPattern::Alternating);
        let settings =
            SimulationSettings { velocity_damping: 10.0, ..settings(SolverChoice::Direct, Some(4)) };
        let mut world = world(cloth, settings);
        let mut inputs = pulled([0.5, 0.6], DVec3::new(0.5, 0.6, 0.0), 60.0);
        inputs.grabs[0].radius = 0.25;
        run_with(&mut world, &inputs, tier(45, 60));
        // At rest: the mean of the patch hangs by the weight, and the patch is no spike.
        drops.push(place_of(&world, &inputs) - inputs.grabs[0].target);
        let strain = world.measure().max_strain;
        assert!(strain < 0.02, "{cells}: {strain}");
        let weight = world.measure().residual;
        assert!(weight < 0.02 * WEIGHT, "{cells}: {weight}");
    }
    assert!((drops[0].y + WEIGHT / 60.0).abs() < 0.02, "{drops:?}");
    assert!(drops[0].distance(drops[1]) < 0.008, "{drops:?}");
}

#[test]
fn a_stiff_grab_takes_its_point_along_and_lets_go_without_a_jolt() {
    for solver in [SolverChoice::Global, SolverChoice::Block] {
        let mut cloth = sheet_for(solver);
        cloth.pins.push(PinDescription::new(Region::MaterialBox([DVec2::new(0.0, 1.0), DVec2::ONE])));
        let mut world = world(cloth, settings(solver, Some(8)));
        for k in 0..30 {
            let inputs = pulled([0.5, 0.0], DVec3::new(0.5, 0.0, 0.01 * f64::from(k)), 2e3);
            run_with(&mut world, &inputs, 1);
        }
        let inputs = pulled([0.5, 0.0], DVec3::new(0.5, 0.02, 0.29), 2e3);
        run_with(&mut world, &inputs, 10);
        let gap = place_of(&world, &inputs).distance(inputs.grabs[0].target);
        assert!(gap < 0.01, "{solver:?}: {gap}");
        let residual = world.measure().residual;
        assert!(residual < 0.05 * 2e3, "{solver:?}: the pull is part of the balance, {residual}");
        run(&mut world, 30);
        let back = place_of(&world, &inputs);
        assert!(back.z < 0.2 && back.is_finite(), "{solver:?}: it swings back, {back}");
    }
}

#[test]
fn a_grab_holds_the_same_material_point_while_the_mesh_changes() {
    let mut cloth = sheet_for(SolverChoice::Global);
    cloth.remesh =
        Some(RemeshSettings { size_min: tier(0.05, 0.03), size_max: 0.3, ..RemeshSettings::by_thresholds() });
    let mut world = world(cloth, settings(SolverChoice::Global, None));
    let inputs = pulled([0.31, 0.62], DVec3::new(0.31, 0.7, 0.0), 200.0);
    let mut counts = std::collections::BTreeSet::new();
    for _ in 0..tier(20, 40) {
        run_with(&mut world, &inputs, 1);
        counts.insert(world.vertex_count());
        let point =
            queries::material_point(&world, 0, DVec2::new(0.31, 0.62)).expect("on the sheet").position;
        assert!(point.distance(place_of(&world, &inputs)) < 1e-9);
        assert!(point.distance(inputs.grabs[0].target) < 0.15, "{point}");
    }
    assert!(counts.len() > 3, "{counts:?}");
    assert!(world.checkpoint().to_bytes().len() > 1);
}

#[test]
fn grabs_of_one_face_add_up_and_held_vertices_stay() {
    let mut cloth = sheet_for(SolverChoice::Block);
    cloth.pins.push(PinDescription::new(Region::MaterialBox([DVec2::new(0.0, 1.0), DVec2::ONE])));
    let mut both = world(cloth.clone(), settings(SolverChoice::Block, Some(6)));
    let mut one = world(cloth, settings(SolverChoice::Block, Some(6)));
    let target = DVec3::new(0.5, 1.3, 0.4);
    let half = pulled([0.52, 0.97], target, 40.0);
    let twice = StepInputs { grabs: vec![half.grabs[0]; 2], ..StepInputs::default() };
    run_with(&mut both, &twice, 5);
    run_with(&mut one, &pulled([0.52, 0.97], target, 80.0), 5);
    let positions = |world: &World| world.motion().positions.raw.clone();
    let pairs = positions(&both).into_iter().zip(positions(&one));
    assert!(pairs.fold(0.0, |most: f64, (a, b)| most.max(a.distance(b))) < 1e-9);
    for (vi, pin) in both.motion().vertex_pins.iter_indexed() {
        assert!(pin.is_none() || both.motion().positions[vi] == both.sheet().starts[vi]);
    }
}

#[test]
fn grabs_that_make_no_sense_are_refused_and_change_nothing() {
    let mut world = world(sheet_for(SolverChoice::Global), settings(SolverChoice::Global, None));
    let hash = world.state_hash();
    let fine = pulled([0.5, 0.5], DVec3::ONE, 10.0).grabs[0];
    for (bad, words) in [
        (Grab { body: 7, ..fine }, "there is no body 7"),
        (Grab { radius: -1.0, ..fine }, "radius"),
        (Grab { radius: f64::NAN, ..fine }, "radius"),
        (Grab { stiffness: 0.0, ..fine }, "stiffness"),
        (Grab { stiffness: f64::NAN, ..fine }, "stiffness"),
        (Grab { target: DVec3::splat(1e9), ..fine }, "finite"),
        (Grab { point: DVec2::NAN.into(), ..fine }, "finite"),
    ] {
        let inputs = StepInputs { grabs: vec![fine, bad], ..StepInputs::default() };
        let error = world.step(&inputs, FRAME).expect_err(words);
        assert!(
            matches!(&error, StepError::BadGrab { number: 1, reason } if reason.contains(words)),
            "{error}"
        );
        assert_eq!((world.state_hash(), world.frame()), (hash.clone(), 0));
    }
    let mut projective = ClothDescription::new("sheet", square(4, GridPattern::Alternating), stiff());
    projective.bending = taffeta::sim::BendingModel::None;
    let mut projective = crate::common::world(projective, settings(SolverChoice::Projective, None));
    let error = projective.step(&pulled([0.5, 0.5], DVec3::ONE, 1.0), FRAME).expect_err("unknown");
    assert!(error.to_string().contains("projective knows no grabs"), "{error}");
}

#[test]
fn a_vertex_is_pinned_where_it_is_and_let_go_again() {
    for solver in [SolverChoice::Global, SolverChoice::Block] {
        let mut cloth = sheet_for(solver);
        cloth.remesh = Some(RemeshSettings {
            size_min: tier(0.07, 0.04),
            size_max: 0.2,
            ..RemeshSettings::by_thresholds()
        });
        let mut world = world(cloth, settings(solver, None));
        run(&mut world, 6);
        let (corners, weights) = queries::find_point(&world, 0, DVec2::new(0.5, 1.0)).expect("on the sheet");
        let nearest = (0..3).max_by(|a, b| weights[*a].total_cmp(&weights[*b])).expect("three");
        let (vertex, place) = (corners[nearest], world.motion().positions[corners[nearest]]);
        let pin = world.add_pin(&[vertex], &PinDescription::default()).expect("it is free");
        let again = world.add_pin(&[vertex], &PinDescription::default()).expect_err("it is held");
        assert!(again.to_string().contains("already"), "{again}");
        run(&mut world, tier(15, 30));
        let held: Vec<_> = world.motion().vertex_pins.iter_indexed().filter(|(_, p)| p.is_some()).collect();
        assert_eq!(held.len(), 1, "{solver:?}: what is split off is free");
        let kept = world.motion().positions[held[0].0];
        assert!(kept.distance(place) < 1e-12, "{solver:?}: {kept} for {place}");
        world.release_pin(pin).expect("there is one");
        run(&mut world, 10);
        assert!(world.has_released(pin) && world.motion().vertex_pins.iter().all(Option::is_none));
        assert!(world.measure().momentum.y < 0.0, "{solver:?}: it falls");
        assert!(world.release_pin(pin).is_err());
    }
}

#[test]
fn what_is_changed_on_the_way_acts_as_if_the_scene_had_it() {
    for solver in [SolverChoice::Direct, SolverChoice::Block] {
        let described = |change: &dyn Fn(&mut WorldDescription)| {
            let mut description = WorldDescription {
                cloths: vec![hung_sheet(6, GridPattern::Alternating)],
                simulation: settings(solver, Some(10)),
                air: Some(air(DVec3::ZERO)),
                ..WorldDescription::bare()
            };
            change(&mut description);
            build(&description)
        };
        let gravity = DVec3::new(1.0, -5.0, 2.0);
        let wind = air(DVec3::new(0.0, 0.0, 3.0));
        let mut material = stiff();
        (material.density, material.stretch, material.bend) = (0.3, [900.0; 2], [2e-4; 2]);
        let mut changed = described(&|_| {});
        changed.set_gravity(gravity).expect("fine");
        changed.set_air(Some(wind)).expect("fine");
        changed.set_material(changed.cloth_ids()[0], material.clone()).expect("fine");
        let mut direct = described(&|description| {
            description.simulation.gravity = gravity;
            description.air = Some(wind);
            description.cloths[0].material = material.clone();
        });
        let (a, b) = (run(&mut changed, 5), run(&mut direct, 5));
        assert_eq!(a.state_hash, b.state_hash, "{solver:?}");
    }
}

#[test]
fn changes_that_make_no_sense_are_refused_and_change_nothing() {
    let mut world = world(sheet_for(SolverChoice::Global), settings(SolverChoice::Global, None));
    let before = world.cloths().to_vec();
    assert!(world.set_gravity(DVec3::NAN).is_err());
    assert!(world.set_air(Some(taffeta::sim::Air { drag: -1.0, ..air(DVec3::ZERO) })).is_err());
    let mut bad = stiff();
    bad.density = 0.0;
    assert!(matches!(world.set_material(world.cloth_ids()[0], bad), Err(BuildError::Material { .. })));
    let fixed = world
        .set_remesh(world.cloth_ids()[0], RemeshSettings::by_thresholds())
        .expect_err("its mesh is fixed");
    assert!(fixed.to_string().contains("fixed"), "{fixed}");
    assert_eq!(world.cloths(), before);
    run(&mut world, 2);
}

#[test]
fn thresholds_of_remeshing_act_from_the_next_pass_on() {
    let mut cloth = sheet_for(SolverChoice::Global);
    let coarse = RemeshSettings { size_min: 0.05, size_max: 0.25, ..RemeshSettings::by_thresholds() };
    cloth.remesh = Some(coarse);
    let mut world = world(cloth, settings(SolverChoice::Global, None));
    run(&mut world, 3);
    let before = world.vertex_count();
    world.set_remesh(world.cloth_ids()[0], RemeshSettings { size_max: 0.06, ..coarse }).expect("fine");
    run(&mut world, 5);
    assert!(world.vertex_count() > 2 * before, "{before} → {}", world.vertex_count());
    let bad = RemeshSettings { size_min: 1.0, ..coarse };
    assert!(
        world
            .set_remesh(world.cloth_ids()[0], bad)
            .expect_err("above size_max")
            .to_string()
            .contains("size_min")
    );
}

#[test]
fn who_leads_a_grab_is_followed_within_the_step_and_who_moves_nothing_changes_nothing() {
    for solver in [SolverChoice::Global, SolverChoice::Block] {
        let fresh = || world(sheet_for(solver), settings(solver, Some(8)));
        let inputs = pulled([0.5, 0.4], DVec3::new(0.5, 0.4, 0.0), 100.0);
        let (mut still, mut idle, mut led) = (fresh(), fresh(), fresh());
        run_with(&mut still, &inputs, 1);
        let mut places = Vec::new();
        idle.step_with(&inputs, FRAME, &mut |lead| places.push(lead.places[0])).expect("finite");
        assert_eq!(idle.state_hash(), still.state_hash(), "{solver:?}");
        assert_eq!(places.len(), 8, "asked before every substep");
        assert!(places[0].distance(DVec3::new(0.5, 0.4, 0.0)) < 1e-12 && places[7].y < places[0].y);
        led.step_with(&inputs, FRAME, &mut |lead| lead.targets[0].z += 0.1 * lead.h / FRAME).expect("finite");
        let z = |world: &World| place_of(world, &inputs).z;
        assert!(z(&still).abs() < 1e-12 && z(&led) > 1e-3, "{solver:?}: {}", z(&led));
        // Without grabs there is nothing to lead, but to look at.
        let mut asked = 0;
        let mut look = |lead: SubstepStart<'_>| asked += u32::from(lead.targets.is_empty());
        led.step_with(&StepInputs::default(), FRAME, &mut look).expect("finite");
        assert_eq!(asked, 8);
    }
}

#[test]
fn a_lead_to_nowhere_is_refused_and_the_world_is_as_before_the_step() {
    let mut world = world(sheet_for(SolverChoice::Block), settings(SolverChoice::Block, Some(4)));
    let inputs = pulled([0.5, 0.4], DVec3::new(0.5, 0.4, 0.0), 100.0);
    run_with(&mut world, &inputs, 2);
    let (hash, mut asked) = (world.state_hash(), 0);
    let error = world.step_with(&inputs, FRAME, &mut |lead| {
        asked += 1;
        if asked == 3 {
            lead.targets[0].x = f64::NAN;
        }
    });
    let error = error.expect_err("not a place");
    assert!(
        matches!(&error, StepError::BadGrab { number: 0, reason } if reason.contains("finite")),
        "{error}"
    );
    assert_eq!((world.state_hash(), world.frame(), asked), (hash, 2, 3));
    run_with(&mut world, &inputs, 1);
}
