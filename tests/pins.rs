//! Pins that hold some axes, that let go at a time or by a force, and what becomes of the vertices then.

use crate::common::*;
use glam::{DVec2, DVec3};
use taffeta::core::{Keyframe, KeyframedMotion, Region};
use taffeta::io::GridPattern;
use taffeta::remesh::RemeshSettings;
use taffeta::sim::queries;
use taffeta::sim::{
    BuildError, Checkpoint, ClothDescription, PinDescription, PinId, SimulationSettings, SolverChoice,
    StepInputs, World, WorldDescription,
};

/// Gravity of the tests \[m/s²\].
const G: f64 = 9.81;

/// The upper edge of the square sheet.
fn upper_edge() -> Region {
    Region::MaterialBox([DVec2::new(0.0, 1.0), DVec2::ONE])
}

/// A square sheet with the given pins.
fn sheet(cells: u32, pins: Vec<PinDescription>) -> ClothDescription {
    let mut cloth = ClothDescription::new("sheet", square(cells, GridPattern::Alternating), stiff());
    cloth.pins = pins;
    cloth
}

/// A pin on the upper edge that holds the height only.
fn rail() -> PinDescription {
    PinDescription { axes: [false, true, false], ..PinDescription::new(upper_edge()) }
}

/// Number of vertices that a pin holds.
fn held_count(world: &World) -> usize {
    world.motion().vertex_pins.iter().flatten().count()
}

/// Runs frames under another gravity \[m/s²\].
fn run_under(world: &mut World, gravity: DVec3, frames: u32) {
    for _ in 0..frames {
        let inputs = StepInputs { gravity: Some(gravity), ..StepInputs::default() };
        world.step(&inputs, FRAME).expect("the step is finite");
    }
}

#[test]
fn a_vertex_held_in_height_slides_sideways_and_keeps_its_height() {
    let mut world = world(sheet(8, vec![rail()]), settings(SolverChoice::Block, Some(10)));
    let gravity = DVec3::new(3.0, -G, 0.5);
    run_under(&mut world, gravity, 30);
    let state = &world.motion();
    for (vi, pin) in world.motion().vertex_pins.iter_indexed() {
        assert_eq!(state.held[vi], if pin.is_some() { [false, true, false] } else { [false; 3] });
        assert!(state.inverse_masses[vi] > 0.0, "free along two axes");
        if pin.is_some() {
            assert!((state.positions[vi].y - 1.0).abs() < 1e-12, "{}", state.positions[vi]);
            assert!(state.velocities[vi].y.abs() < 1e-9, "{}", state.velocities[vi]);
            assert!(state.positions[vi].x > 0.3, "it slides: {}", state.positions[vi]);
        }
    }
    // Nothing acts along x and z but gravity.
    let [mass, momentum] = [0.2, 0.2 * world.time()];
    let p = world.measure().momentum;
    assert!((p.x - momentum * 3.0).abs() < 1e-9 && (p.z - momentum * 0.5).abs() < 1e-9, "{p}");
    // The sheet hangs: it has hardly moved down.
    assert!((mean_lower_edge(&world)).abs() < 0.02, "{}", mean_lower_edge(&world));
    assert!(p.y.abs() < 0.02 * mass * G * world.time(), "{p}");
}

#[test]
fn a_moving_pin_takes_along_what_it_holds_and_leaves_the_rest_to_inertia() {
    let key = |time, y| Keyframe { time, translate: DVec3::new(0.7, y, -0.4), rotate_deg: DVec3::ZERO };
    let motion = KeyframedMotion::from(vec![key(0.0, 0.0), key(0.2, 0.3)]);
    let mut cloth = sheet(6, vec![PinDescription { motion, ..rail() }]);
    cloth.velocity = DVec3::new(0.5, 2.0, 0.0);
    let still = SimulationSettings { gravity: DVec3::ZERO, ..settings(SolverChoice::Block, Some(4)) };
    let mut world = world(cloth, still);
    for (vi, pin) in world.motion().vertex_pins.iter_indexed() {
        let expected = if pin.is_some() { DVec3::new(0.5, 0.0, 0.0) } else { DVec3::new(0.5, 2.0, 0.0) };
        assert_eq!(world.motion().velocities[vi], expected, "held components start at rest");
    }
    run(&mut world, 6);
    let corner = queries::material_point(&world, 0, DVec2::ONE).expect("on the sheet");
    assert!((corner.position.y - 1.15).abs() < 1e-12 && (corner.velocity.y - 1.5).abs() < 1e-9, "{corner:?}");
    run(&mut world, 12);
    let corner = queries::material_point(&world, 0, DVec2::ONE).expect("on the sheet");
    assert!((corner.position.y - 1.3).abs() < 1e-12 && corner.velocity.y.abs() < 1e-9, "{corner:?}");
    // The motion along the free axes is not followed: the mean goes on as it began.
    let p = world.measure().momentum;
    assert!((p.x - 0.2 * 0.5).abs() < 1e-9 && p.z.abs() < 1e-9, "{p}");
}

#[test]
fn a_released_cloth_falls_freely_with_the_velocity_it_has() {
    for solver in [SolverChoice::Block, SolverChoice::Direct] {
        let pin = PinDescription { release: Some(0.1), ..PinDescription::new(upper_edge()) };
        let mut world = world(sheet(6, vec![pin]), settings(solver, Some(5)));
        run(&mut world, 6);
        assert!(
            !world.has_released(PinId::from_number(0)) && held_count(&world) == 7,
            "{solver:?}: it holds until 0.1 s"
        );
        let before = world.measure().momentum;
        assert!(before.y.abs() < 0.1 * 0.2 * G * 0.1, "{solver:?}: {before}");
        let report = run(&mut world, 1);
        assert!(world.has_released(PinId::from_number(0)) && held_count(&world) == 0, "{solver:?}");
        assert!(world.motion().inverse_masses.iter().all(|w| *w > 0.0));
        assert!(world.motion().held.iter().all(|held| *held == [false; 3]));
        assert_eq!(report.plan.not_converged, 0);
        run(&mut world, 11);
        let gained = world.measure().momentum - before;
        let expected = -0.2 * G * (world.time() - 0.1);
        assert!((gained.y / expected - 1.0).abs() < 1e-9, "{solver:?}: {gained} for {expected}");
        assert!(gained.x.abs() + gained.z.abs() < 1e-9, "{solver:?}: {gained}");
    }
}

/// A soft hung sheet under slowly growing gravity, settled at the end: whether its pin has let go, and the force on it.
fn load_slowly(solver: SolverChoice, strength: f64) -> (bool, DVec3) {
    let pin = PinDescription { strength: Some(strength), ..PinDescription::new(upper_edge()) };
    let mut cloth = sheet(4, vec![pin]);
    cloth.material.stretch = [100.0; 2];
    cloth.material.poisson = 0.0;
    let substeps = if solver == SolverChoice::Block { 60 } else { 4 };
    let calm = SimulationSettings { velocity_damping: 10.0, ..settings(solver, Some(substeps)) };
    let mut world = world(cloth, calm);
    for frame in 0..90 {
        let part = (f64::from(frame) / 60.0).min(1.0);
        run_under(&mut world, DVec3::new(0.0, -G * part, 0.0), 1);
    }
    (world.has_released(PinId::from_number(0)), queries::pin_forces(&world)[0])
}

#[test]
fn a_pin_lets_go_just_below_the_weight_of_the_cloth_and_not_just_above() {
    let weight = 0.2 * G;
    for solver in [SolverChoice::Block, SolverChoice::Direct] {
        let (released, force) = load_slowly(solver, 1.03 * weight);
        assert!(!released, "{solver:?}: {force}");
        assert!((force.y / weight - 1.0).abs() < 0.02 && force.x.abs() < 0.01, "{solver:?}: {force}");
        let (released, _) = load_slowly(solver, 0.97 * weight);
        assert!(released, "{solver:?}");
    }
}

#[test]
fn only_the_force_along_held_axes_loads_a_pin() {
    // On a rail that runs along gravity nothing pulls at the pin.
    let pin = PinDescription { axes: [true, false, false], strength: Some(1e-3), ..rail() };
    let mut world = world(sheet(4, vec![pin]), settings(SolverChoice::Block, Some(10)));
    run(&mut world, 20);
    assert!(!world.has_released(PinId::from_number(0)), "{:?}", queries::pin_forces(&world));
}

#[test]
fn a_vertex_of_two_pins_belongs_to_the_first_and_is_free_when_that_lets_go() {
    let corner = Region::MaterialBox([DVec2::ONE, DVec2::ONE]);
    let first = PinDescription { release: Some(0.05), ..PinDescription::new(corner) };
    let mut world = world(
        sheet(4, vec![first, PinDescription::new(upper_edge())]),
        settings(SolverChoice::Block, Some(8)),
    );
    assert_eq!(held_count(&world), 5);
    run(&mut world, 12);
    assert_eq!(
        (
            world.has_released(PinId::from_number(0)),
            world.has_released(PinId::from_number(1)),
            held_count(&world)
        ),
        (true, false, 4)
    );
    let corner = queries::material_point(&world, 0, DVec2::ONE).expect("on the sheet").position;
    assert!(corner.y < 1.0 - 1e-4, "{corner}");
}

/// Pins of every kind on a sheet that remeshes; the weak one breaks on the way.
fn varied() -> WorldDescription {
    let corner = |u: f64| Region::MaterialBox([DVec2::new(u, 1.0), DVec2::new(u + 0.26, 1.0)]);
    let mut cloth = sheet(
        8,
        vec![
            PinDescription { release: Some(0.12), ..PinDescription::new(corner(0.0)) },
            PinDescription { axes: [false, true, true], ..PinDescription::new(corner(0.4)) },
            PinDescription { strength: Some(0.6), ..PinDescription::new(corner(0.74)) },
        ],
    );
    cloth.material.stretch = [200.0; 2];
    cloth.remesh = Some(RemeshSettings { size_min: 0.05, size_max: 0.2, ..RemeshSettings::by_thresholds() });
    let simulation = settings(SolverChoice::Block, Some(3));
    WorldDescription { cloths: vec![cloth], simulation, ..WorldDescription::bare() }
}

#[test]
fn a_run_resumed_around_releases_gives_the_same_bits() {
    let mut whole = build(&varied());
    let mut saved = Vec::new();
    let mut hashes = Vec::new();
    for _ in 0..20 {
        saved.push(whole.checkpoint().to_bytes());
        hashes.push(run(&mut whole, 1).state_hash);
    }
    assert_eq!([0, 1, 2].map(|pin| whole.has_released(PinId::from_number(pin))), [true, false, true]);
    for (start, bytes) in saved.iter().enumerate() {
        let mut resumed = build(&varied());
        resumed.restore(Checkpoint::from_bytes(bytes).expect("a checkpoint")).expect("of this world");
        for expected in hashes[start..].iter().take(4) {
            assert_eq!(&run(&mut resumed, 1).state_hash, expected, "from frame {start}");
        }
    }
}

#[test]
fn a_pin_that_broke_in_the_last_substep_is_saved_as_broken() {
    let pin = PinDescription { strength: Some(1e-6), ..PinDescription::new(upper_edge()) };
    let description = WorldDescription {
        cloths: vec![sheet(4, vec![pin])],
        simulation: settings(SolverChoice::Block, Some(1)),
        ..WorldDescription::bare()
    };
    let mut whole = build(&description);
    run(&mut whole, 1);
    assert!(
        whole.has_released(PinId::from_number(0)) && held_count(&whole) == 5,
        "broken, and let go of in the next substep"
    );
    let mut resumed = build(&description);
    let bytes = whole.checkpoint().to_bytes();
    resumed.restore(Checkpoint::from_bytes(&bytes).expect("a checkpoint")).expect("of this world");
    assert_eq!(run(&mut resumed, 1).state_hash, run(&mut whole, 1).state_hash);
    assert_eq!((held_count(&whole), held_count(&resumed)), (0, 0));
}

#[test]
fn a_failed_step_holds_again_what_it_let_go() {
    let [mut failing, mut sound] = [(); 2].map(|()| build(&varied()));
    for _ in 0..14 {
        let crushing = StepInputs { gravity: Some(DVec3::new(1e14, 1e200, 0.0)), ..StepInputs::default() };
        let before = held_count(&failing);
        assert!(failing.step(&crushing, FRAME).is_err());
        assert_eq!(held_count(&failing), before);
        let released = |world: &World| [0, 1, 2].map(|pin| world.has_released(PinId::from_number(pin)));
        assert_eq!(released(&failing), released(&sound));
        assert_eq!(run(&mut failing, 1).state_hash, run(&mut sound, 1).state_hash);
    }
    assert!(failing.has_released(PinId::from_number(0)));
}

#[test]
fn a_rail_stays_a_rail_when_the_mesh_is_refined() {
    let mut cloth = sheet(4, vec![rail()]);
    cloth.remesh = Some(RemeshSettings { size_min: 0.05, size_max: 0.06, ..RemeshSettings::by_thresholds() });
    let mut world = world(cloth, settings(SolverChoice::Block, Some(8)));
    run_under(&mut world, DVec3::new(2.0, -G, 0.0), 10);
    assert!(held_count(&world) > 10, "{} held vertices from 5", held_count(&world));
    let state = &world.motion();
    for (vi, pin) in world.motion().vertex_pins.iter_indexed().filter(|(_, pin)| pin.is_some()) {
        assert_eq!((state.held[vi], pin), ([false, true, false], &Some(0)));
        assert!((state.positions[vi].y - 1.0).abs() < 1e-12, "{}", state.positions[vi]);
    }
    let momentum = world.measure().momentum;
    assert!((momentum.x / (0.2 * 2.0 * world.time()) - 1.0).abs() < 1e-6, "{momentum}");
}

#[test]
fn what_a_pin_let_go_of_is_refined_and_coarsened_as_any_cloth() {
    let all = Region::MaterialBox([DVec2::ZERO, DVec2::ONE]);
    let pin = PinDescription { release: Some(0.05), ..PinDescription::new(all) };
    let mut cloth = sheet(8, vec![pin]);
    cloth.remesh = Some(RemeshSettings { size_min: 0.05, size_max: 0.5, ..RemeshSettings::by_thresholds() });
    let mut coarse = world(cloth.clone(), settings(SolverChoice::Block, Some(4)));
    run(&mut coarse, 3);
    assert_eq!((coarse.vertex_count(), held_count(&coarse)), (81, 81), "held vertices are not removed");
    run(&mut coarse, 6);
    assert!(coarse.vertex_count() < 60 && held_count(&coarse) == 0, "{}", coarse.vertex_count());
    cloth.remesh = Some(RemeshSettings { size_min: 0.02, size_max: 0.08, ..RemeshSettings::by_thresholds() });
    cloth.pins[0].release = Some(0.0);
    let mut fine = world(cloth, settings(SolverChoice::Block, Some(4)));
    run(&mut fine, 3);
    assert!(fine.vertex_count() > 120 && held_count(&fine) == 0, "{}", fine.vertex_count());
    assert!((fine.measure().momentum.y / (-0.2 * G * fine.time()) - 1.0).abs() < 1e-6);
}

#[test]
fn impossible_pins_and_loads_are_refused_by_name() {
    let refused = |change: &dyn Fn(&mut ClothDescription)| {
        let mut description = varied();
        change(&mut description.cloths[0]);
        World::build(&description).unwrap_err()
    };
    for (change, expected) in [
        ((|c| c.pins[1].axes = [false; 3]) as fn(&mut ClothDescription), "pin 1: it holds nothing"),
        (|c| c.pins[0].release = Some(-1.0), "pin 0: release is -1 s"),
        (|c| c.pins[0].release = Some(f64::NAN), "pin 0: release is NaN s"),
        (|c| c.pins[2].strength = Some(0.0), "pin 2: strength is 0 N"),
        (|c| c.pins[2].strength = Some(f64::INFINITY), "pin 2: strength is inf N"),
        (|c| c.pressure = f64::NAN, "the pressure is NaN Pa"),
        (|c| c.rest_curvature[1] = f64::NAN, "rest_curvature is [0.0, NaN, 0.0]"),
        (
            |c| (c.mesh.material, c.rest_curvature) = (None, [1.0, 0.0, 0.0]),
            "rest_curvature needs material coordinates",
        ),
        (
            |c| (c.bending, c.rest_curvature) = (taffeta::sim::BendingModel::None, [1.0, 0.0, 0.0]),
            "`rest_curvature` means nothing",
        ),
    ] {
        let error = refused(&change);
        assert!(matches!(error, BuildError::BadSetting { .. }), "{error}");
        let text = error.to_string();
        assert!(text.contains("cloth 'sheet'") && text.contains(expected), "{text} instead of {expected}");
    }
}
