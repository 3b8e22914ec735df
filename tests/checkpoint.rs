//! Resuming from a checkpoint, and what a failed step leaves behind.

use crate::common::*;
use glam::DVec3;
use std::path::Path;
use taffeta::contact::{Obstacle, Shape};
use taffeta::core::Placement;
use taffeta::io::GridPattern;
use taffeta::remesh::RemeshSettings;
use taffeta::scene::Scene;
use taffeta::sim::{
    Air, BuildError, Checkpoint, ClothDescription, SolverChoice, StepError, StepInputs, World,
    WorldDescription,
};

fn description() -> WorldDescription {
    let mut mesh = square(8, GridPattern::Alternating);
    mesh.positions.iter_mut().for_each(|x| *x = DVec3::new(x.x - 0.5, 0.21, 0.5 - x.y));
    let mut cloth = ClothDescription::new("sheet", mesh, stiff());
    cloth.remesh = Some(RemeshSettings { size_min: tier(0.1, 0.04), ..RemeshSettings::by_thresholds() });
    WorldDescription {
        cloths: vec![cloth],
        obstacles: vec![Obstacle::new(Shape::Sphere { radius: 0.2 }, Placement::default())],
        ..WorldDescription::bare()
    }
}

#[test]
fn a_resumed_run_gives_the_same_bits_as_one_that_was_not_interrupted() {
    for remesh in [true, false] {
        let mut description = description();
        if !remesh {
            description.cloths[0].remesh = None;
        }
        let mut whole = build(&description);
        let mut hashes = Vec::new();
        let mut saved = Vec::new();
        for frame in 0..24 {
            hashes.push(run(&mut whole, 1).state_hash);
            if frame == 11 {
                saved = whole.checkpoint().to_bytes();
            }
        }
        let mut resumed = build(&description);
        resumed.restore(Checkpoint::from_bytes(&saved).expect("a checkpoint")).expect("of this world");
        assert_eq!(resumed.frame(), 12);
        for expected in &hashes[12..] {
            assert_eq!(&run(&mut resumed, 1).state_hash, expected, "remeshed: {remesh}");
        }
        assert_eq!(resumed.checkpoint().hash(), whole.checkpoint_hash(), "remeshed: {remesh}");
    }
}

#[test]
fn the_hash_of_a_checkpoint_tells_states_apart_that_only_later_steps_tell_apart() {
    let mut description = description();
    description.simulation.gravity = DVec3::ZERO;
    description.obstacles.clear();
    let settings = RemeshSettings { size_min: 0.1, size_max: 0.2, ..RemeshSettings::by_thresholds() };
    description.cloths[0].remesh = Some(settings);
    let (mut often, mut seldom) = (build(&description), build(&description));
    seldom
        .set_remesh(seldom.cloth_ids()[0], RemeshSettings { interval: 2, ..settings })
        .expect("settings that make sense");
    let [a, b] = [&mut often, &mut seldom].map(|world| run(world, 1));
    assert_eq!(a.remesh.splits + a.remesh.collapses + a.remesh.flips, 0, "the pass has nothing to do");
    assert_eq!(a.state_hash, b.state_hash);
    assert_ne!(often.checkpoint().hash(), seldom.checkpoint().hash(), "one was looked at later");
}

#[test]
fn a_step_that_is_asked_to_stop_leaves_the_world_as_it_was_and_can_be_made_again() {
    for solver in [SolverChoice::Global, SolverChoice::Block] {
        let description = WorldDescription { simulation: settings(solver, Some(4)), ..description() };
        let (mut stopped, mut whole) = (build(&description), build(&description));
        for world in [&mut stopped, &mut whole] {
            run(world, 4);
        }
        let (stop_token, before) = (stopped.stop_token(), stopped.checkpoint().hash());
        stop_token.request_stop();
        let error = stopped.step(&StepInputs::default(), 0.02).expect_err("it is asked to stop");
        assert_eq!(error, StepError::Interrupted { time: stopped.time() });
        assert_eq!((stopped.checkpoint().hash(), stopped.frame()), (before, 4), "{solver:?}");
        assert_eq!(stop_token.time(), stopped.time());
        stop_token.allow();
        for world in [&mut stopped, &mut whole] {
            run(world, 2);
        }
        assert_eq!(stopped.checkpoint().hash(), whole.checkpoint().hash(), "{solver:?}");
    }
}

/// A writer without any room.
struct FullDisk;

impl std::io::Write for FullDisk {
    fn write(&mut self, _: &[u8]) -> std::io::Result<usize> {
        Err(std::io::ErrorKind::StorageFull.into())
    }

    fn flush(&mut self) -> std::io::Result<()> {
        Ok(())
    }
}

#[test]
fn damaged_and_foreign_checkpoints_are_refused() {
    let world = build(&description());
    let mut bytes = world.checkpoint().to_bytes();
    assert!(Checkpoint::from_bytes(&bytes[..10]).is_err());
    let error = world.write_checkpoint(FullDisk).unwrap_err();
    assert_eq!(error.kind(), std::io::ErrorKind::StorageFull, "the error of the writer: {error}");
    bytes[0] = 99;
    let error = Checkpoint::from_bytes(&bytes).unwrap_err().to_string();
    assert!(error.contains("format 99"), "{error}");
    let mut other = description();
    other.cloths[0].name = "curtain".into();
    let error = build(&other).restore(world.checkpoint()).unwrap_err().to_string();
    assert!(error.contains("[sheet]") && error.contains("[curtain]"), "{error}");
}

#[test]
fn a_step_that_blows_up_names_the_vertex_and_leaves_the_world_as_it_was() {
    let mut world = build(&description());
    run(&mut world, 2);
    let (hash, time) = (world.state_hash(), world.time());
    let crushing = StepInputs { gravity: Some(DVec3::new(0.0, -1e300, 0.0)), ..StepInputs::default() };
    let error = world.step(&crushing, FRAME).unwrap_err();
    assert!(matches!(error, StepError::NotFinite { .. }), "{error}");
    assert!(error.to_string().contains("cloth 'sheet'"), "{error}");
    assert_eq!((world.state_hash(), world.time()), (hash, time));
}

/// Everything that a step remembers is put back: the steps after a failed one are those of a world that never failed.
#[test]
fn a_failed_step_leaves_no_trace() {
    for solver in [SolverChoice::Block, SolverChoice::Direct] {
        let mut description = description();
        description.simulation = settings(solver, Some(2));
        if solver == SolverChoice::Direct {
            description.cloths[0].remesh = None;
        }
        description.air = Some(air(DVec3::X));
        let [mut failing, mut sound] = [(); 2].map(|()| build(&description));
        for inputs in [
            StepInputs { gravity: Some(DVec3::NAN), ..StepInputs::default() },
            StepInputs { wind: Some(DVec3::splat(1e200)), ..StepInputs::default() },
            StepInputs { gravity: Some(DVec3::new(1e14, 1e200, 0.0)), ..StepInputs::default() },
        ] {
            run(&mut failing, 2);
            run(&mut sound, 2);
            assert!(failing.step(&inputs, FRAME).is_err(), "{solver:?}, {inputs:?}");
            assert!(failing.step(&StepInputs::default(), f64::NAN).is_err());
            assert_eq!(failing.measure(), sound.measure(), "{solver:?}, {inputs:?}");
        }
        let hashes = |world: &mut World| (0..4).map(|_| run(world, 1).state_hash).collect::<Vec<_>>();
        assert_eq!(hashes(&mut failing), hashes(&mut sound), "{solver:?}");
    }
}

#[test]
fn wind_in_a_vacuum_is_refused() {
    let wind = DVec3::X * 3.0;
    let blow = |wind| StepInputs { wind: Some(wind), ..StepInputs::default() };
    let still = Air { drag: 0.0, ..air(DVec3::ZERO) };
    for vacuum in [None, Some(still), Some(Air { density: 0.0, ..air(DVec3::ZERO) })] {
        let mut world = build(&WorldDescription { air: vacuum, ..description() });
        let before = world.state_hash();
        let error = world.step(&blow(wind), FRAME).unwrap_err();
        assert_eq!(error, StepError::WindInVacuum { wind });
        assert!(error.to_string().contains("the world is a vacuum"), "{error}");
        assert_eq!(world.state_hash(), before);
        world.step(&blow(DVec3::ZERO), FRAME).expect("no wind is in a vacuum");
        let windy = Air { wind, ..still };
        assert!(world.set_air(Some(windy)).unwrap_err().to_string().contains("a vacuum has no wind"));
        world.set_air(Some(air(DVec3::ZERO))).expect("air");
        world.step(&blow(wind), FRAME).expect("there is air");
        let refused = World::build(&WorldDescription { air: Some(windy), ..description() }).unwrap_err();
        assert!(refused.to_string().contains("a vacuum has no wind"), "{refused}");
    }
}

#[test]
fn wind_of_a_scene_that_has_no_effect_is_told_of() {
    let warnings = |simulation: &str, air: &str| {
        let cloth = "[[cloth]]\ngrid = { size = [1.0, 1.0], cells = [2, 2] }\n\
                     [[cloth.pin]]\nwhere = { material_box = [[0.0, 1.0], [1.0, 1.0]] }\n";
        let text = format!("[simulation]\n{simulation}\n{cloth}[air]\nwind = [3, 0, 0]\n{air}");
        let scene = Scene::from_str(&text, Path::new("scene.toml"), &[]).expect("a scene");
        scene.assemble().expect("a world").warnings
    };
    assert_eq!(warnings("duration = 1.0", ""), Vec::<String>::new());
    for (mode, air, expected) in [
        ("duration = 1.0", "density = 0", "no effect, for a density or a drag of 0 is a vacuum"),
        ("duration = 1.0", "drag = 0", "no effect, for a density or a drag of 0 is a vacuum"),
        ("mode = \"static\"", "", "no effect on an equilibrium"),
    ] {
        let found = warnings(mode, air);
        assert!(found.len() == 1 && found[0].contains(expected), "{mode}, {air}: {found:?}");
        assert!(found[0].starts_with("air.wind: the wind [3, 0, 0]"), "{found:?}");
    }
}

#[test]
fn an_empty_world_is_in_equilibrium_and_makes_steps() {
    for solver in [SolverChoice::Global, SolverChoice::Direct, SolverChoice::Block] {
        for has_ball in [false, true] {
            let mut full = WorldDescription { simulation: settings(solver, None), ..description() };
            full.cloths[0].remesh = None;
            full.obstacles.truncate(usize::from(has_ball));
            let mut world = build(&full);
            world.remove_cloth(world.cloth_ids()[0]).expect("it is there");
            if solver != SolverChoice::Block {
                let report = world.equilibrate().expect("nothing is to be moved");
                assert_eq!((report.metrics.residual, report.plan.not_converged), (0.0, 0));
            }
            let report = run(&mut world, 1);
            assert_eq!((report.plan.not_converged, report.time), (0, FRAME), "{solver:?}");
        }
    }
}

#[test]
fn a_search_that_made_no_step_does_not_tell_of_infinite_forces() {
    let error = |residual| StepError::NoEquilibrium { residual, tolerance: 1e-6, reason: "why".into() };
    assert_eq!(error(f64::INFINITY).to_string(), "no equilibrium was found: why");
    let told = "no equilibrium was found: why; forces of 2.000e0 N are left unbalanced, 1.000e-6 N would do";
    assert_eq!(error(2.0).to_string(), told);
}

#[test]
fn absurd_time_steps_are_refused() {
    for dt in [0.0, -1.0, f64::NAN, f64::INFINITY, 1e9] {
        let error = build(&description()).step(&StepInputs::default(), dt).unwrap_err();
        assert!(matches!(error, StepError::BadTimeStep { .. }), "{dt}: {error}");
    }
}

#[test]
fn impossible_worlds_are_refused_by_name() {
    let refused = |change: &dyn Fn(&mut WorldDescription)| {
        let mut description = description();
        change(&mut description);
        World::build(&description).unwrap_err()
    };
    assert_eq!(refused(&|d| d.cloths.clear()), BuildError::Empty);
    let error = refused(&|d| d.cloths[0].material.density = -1.0).to_string();
    assert!(error.contains("cloth 'sheet': density is -1"), "{error}");
    let error = refused(&|d| d.cloths[0].mesh.positions[3].x = f64::NAN).to_string();
    assert!(error.contains("vertex 3"), "{error}");
    let error = refused(&|d| d.cloths[0].mesh.faces[5][1] = 999).to_string();
    assert!(error.contains("face 5") && error.contains("999"), "{error}");
    for (change, expected) in [
        ((|d| d.simulation.substeps = Some(0)) as fn(&mut WorldDescription), "simulation: substeps"),
        (|d| d.simulation.gravity.y = f64::NAN, "simulation: gravity"),
        (|d| d.cloths[0].remesh.as_mut().unwrap().size_min = 0.2, "cloth 'sheet': size_min is 0.2"),
        (|d| d.cloths[0].material.friction.kinetic = 0.9, "friction.kinetic is 0.9"),
        (|d| d.obstacles[0].friction.kinetic = 0.9, "obstacle 0: kinetic friction"),
        (|d| d.obstacles[0].shape = Shape::Plane { normal: DVec3::ZERO }, "obstacle 0: the plane's normal"),
        (|d| d.obstacles[0].shape = Shape::Sphere { radius: -1.0 }, "obstacle 0: the sphere's radius is -1"),
    ] {
        let error = refused(&change).to_string();
        assert!(error.contains(expected), "{error} instead of {expected}");
    }
    let error = refused(&|d| {
        let region = taffeta::core::Region::Vertices(vec![5000]);
        d.cloths[0].pins.push(taffeta::sim::PinDescription::new(region));
    });
    assert_eq!(error, BuildError::EmptyPin { cloth: "sheet".into(), pin: 0 });
}

#[test]
fn the_direct_solver_takes_the_same_worlds() {
    let mut description = description();
    description.cloths[0].remesh = None;
    description.simulation = settings(SolverChoice::Direct, Some(2));
    let report = run(&mut build(&description), 10);
    assert!(report.contacts > 0 && report.plan.not_converged == 0, "{report:?}");
}
