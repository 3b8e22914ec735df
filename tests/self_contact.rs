//! Cloths against themselves and each other.

use crate::common::*;
use glam::{DVec2, DVec3};
use std::path::Path;
use taffeta::contact::{Obstacle, Shape};
use taffeta::core::{Placement, Region};
use taffeta::io::{GridPattern, grid};
use taffeta::remesh::{Pass, RemeshSettings, remesh};
use taffeta::scene::{Scene, materials};
use taffeta::sim::{
    ClothDescription, PinDescription, SimulationSettings, SolverChoice, StepInputs, World, WorldDescription,
};

const SOLVERS: [SolverChoice; 3] = [SolverChoice::Global, SolverChoice::Direct, SolverChoice::Block];

/// Sheets of 20 cm by 20 cm of cotton, each placed by itself, above a floor if there is one.
fn sheets(cells: u32, places: &[Placement], floor: bool, solver: SolverChoice) -> WorldDescription {
    let cotton = materials::preset("cotton").unwrap().material;
    let place = |(number, place): (usize, &Placement)| {
        let mut mesh = square(cells, GridPattern::Alternating);
        mesh.positions.iter_mut().for_each(|x| *x = place.apply(*x * 0.2));
        mesh.material.iter_mut().flatten().flatten().for_each(|u| *u *= 0.2);
        ClothDescription::new(format!("sheet_{number}"), mesh, cotton.clone())
    };
    let plane = Obstacle::new(Shape::Plane { normal: DVec3::Y }, Placement::default());
    WorldDescription {
        cloths: places.iter().enumerate().map(place).collect(),
        obstacles: if floor { vec![plane] } else { Vec::new() },
        simulation: SimulationSettings { solver, ..SimulationSettings::default() },
        self_contact: Some(true),
        ..WorldDescription::bare()
    }
}

fn at(translate: [f64; 3], rotate_deg: [f64; 3]) -> Placement {
    Placement { translate: translate.into(), rotate_deg: rotate_deg.into(), scale: 1.0 }
}

/// Runs and asserts after every frame that nothing crosses.
fn run_apart(world: &mut World, frames: u32) {
    for frame in 0..frames {
        run(world, 1);
        let crossings = world.crossings().expect("cloths meet in this world");
        assert!(crossings.is_empty(), "frame {frame}: {} crossings", crossings.len());
    }
}

#[test]
fn a_sheet_that_falls_on_its_edge_crumples_without_crossing_itself() {
    for solver in SOLVERS.into_iter().step_by(tier(2, 1)) {
        let mut description = sheets(tier(5, 8), &[at([0.0, 0.05, 0.0], [5.0, 0.0, 3.0])], true, solver);
        let mut world = build(&description);
        run_apart(&mut world, tier(24, 30));
        assert!(world.mesh(0).positions.iter().all(|x| x.y < 0.2), "it lies");
        description.self_contact = Some(false);
        let mut other = build(&description);
        assert_eq!(other.crossings(), None);
        run(&mut other, tier(24, 30));
        let open = other.mesh(0).positions;
        assert!(open != world.mesh(0).positions, "it must have met itself");
    }
}

#[test]
fn sheets_that_fall_on_each_other_stay_apart() {
    let flat = |y: f64, turn: f64| at([0.0, y, 0.0], [-90.0, turn, 0.0]);
    let places = [flat(0.005, 0.0), flat(0.02, 20.0), flat(0.035, -15.0)];
    for solver in SOLVERS.into_iter().step_by(tier(2, 1)) {
        let mut world = build(&sheets(5, &places, true, solver));
        run_apart(&mut world, 30);
        let mean = |cloth: usize| {
            let x = world.mesh(cloth).positions;
            x.iter().map(|x| x.y).sum::<f64>() / x.len() as f64
        };
        let [low, middle, high] = [mean(0), mean(1), mean(2)];
        assert!(low < middle && middle < high, "{solver:?}: {low} {middle} {high}");
        assert!(high < 0.01, "{solver:?}: the last has come down: {high}");
    }
}

#[test]
fn a_run_resumed_from_any_frame_gives_the_same_bits() {
    let flat = |y: f64, turn: f64| at([0.0, y, 0.0], [-90.0, turn, 0.0]);
    for solver in [SolverChoice::Global, SolverChoice::Block] {
        let description = sheets(5, &[flat(0.002, 0.0), flat(0.01, 20.0), flat(0.02, -15.0)], true, solver);
        let mut world = build(&description);
        let mut resumed = build(&description);
        for frame in 0..30 {
            resumed.restore(world.checkpoint()).expect("of this world");
            let whole = run(&mut world, 1);
            assert_eq!(run(&mut resumed, 1).state_hash, whole.state_hash, "{solver:?}, frame {frame}");
            assert!(frame < 10 || whole.contacts > 36, "{solver:?}: sheets lie on each other");
        }
    }
}

#[test]
fn sheets_that_collide_in_flight_keep_their_momentum() {
    for solver in SOLVERS {
        let places = [at([0.0; 3], [-90.0, 0.0, 0.0]), at([0.03, 0.01, 0.02], [-85.0, 40.0, 0.0])];
        let mut description = sheets(5, &places, false, solver);
        description.cloths[1].velocity = DVec3::new(0.1, -2.0, 0.0);
        description.simulation.gravity = DVec3::ZERO;
        let mut world = build(&description);
        let before = world.measure();
        let mut taken = 0.0;
        for _ in 0..10 {
            taken += run(&mut world, 1).safeguard.lost_impulse;
            assert!(world.crossings().unwrap().is_empty());
        }
        let after = world.measure();
        let lost = (after.momentum - before.momentum).length();
        let size = before.momentum.length();
        // Contact keeps it, as far as the solver converges; what the safeguard takes it tells.
        assert!(lost <= taken + 0.01 * size && taken < 0.01 * size, "{solver:?}: {lost} {taken} of {size}");
        assert!(after.kinetic_energy < before.kinetic_energy, "{solver:?}: they must have met");
    }
}

#[test]
fn contact_between_cloths_gives_the_same_bits_for_any_number_of_threads() {
    let places = [at([0.0, 0.01, 0.0], [-90.0, 0.0, 0.0]), at([0.0, 0.02, 0.02], [-80.0, 30.0, 0.0])];
    let hashes = [1, 3].map(|threads| {
        let mut description = sheets(8, &places, true, SolverChoice::Global);
        description.simulation.threads = threads;
        let mut world = build(&description);
        run(&mut world, 15);
        world.state_hash()
    });
    assert_eq!(hashes[0], hashes[1]);
}

#[test]
fn what_crosses_at_the_start_is_pulled_apart() {
    // The upright sheet pokes through the other one by 2 cm.
    for solver in SOLVERS.into_iter().step_by(tier(2, 1)) {
        let places = [at([0.0, 0.1, 0.0], [-90.0, 0.0, 0.0]), at([0.05, -0.08, -0.1], [0.0, 5.0, 0.0])];
        let mut description = sheets(7, &places, false, solver);
        description.simulation.gravity = DVec3::ZERO;
        let mut world = build(&description);
        let before = world.crossings().unwrap().len();
        assert!(before > 3, "the sheets must cross");
        let is_apart = |world: &mut World| {
            run(world, 1);
            world.crossings().unwrap().is_empty()
        };
        let frames = (0..150).find(|_| is_apart(&mut world));
        assert!(frames.is_some(), "{solver:?}: {before} crossings before, {:?} left", world.crossings());
    }
}

#[test]
fn what_does_not_go_together_is_refused() {
    let projective = sheets(3, &[at([0.0; 3], [0.0; 3])], false, SolverChoice::Projective);
    assert!(World::build(&projective).unwrap_err().to_string().contains("projective"));
}

/// Two fine sheets, bent to arcs of 60° about one axis with .2 mm between them, which may be coarsened.
fn nested_arcs(self_contact: bool) -> WorldDescription {
    let settings = RemeshSettings {
        size_min: 0.03,
        size_max: 0.2,
        refine_angle: 3.0,
        refine_strain: 1.0,
        ..RemeshSettings::by_thresholds()
    };
    let places = [at([0.0; 3], [0.0; 3]); 2];
    let mut description = sheets(24, &places, false, SolverChoice::Global);
    description.cloths[1].mesh = sheets(19, &places, false, SolverChoice::Global).cloths.remove(1).mesh;
    for (cloth, radius) in description.cloths.iter_mut().zip([0.19, 0.1902]) {
        cloth.remesh = Some(settings);
        for x in &mut cloth.mesh.positions {
            let angle = (x.x - 0.1) / 0.19;
            *x = DVec3::new(radius * angle.sin(), x.y, radius * angle.cos());
        }
    }
    description.simulation.gravity = DVec3::ZERO;
    description.self_contact = Some(self_contact);
    description
}

#[test]
fn no_edit_makes_layers_cross() {
    let mut world = build(&nested_arcs(true));
    let (mut refused, mut collapses) = (0, 0);
    // A pass moves the sheets little, so that it takes several until layers would cross.
    for _ in 0..8 {
        let remesh = world.step(&StepInputs::default(), 1e-6).unwrap().remesh;
        (refused, collapses) = (refused + remesh.refused, collapses + remesh.collapses);
        assert_eq!(world.crossings().unwrap(), []);
    }
    assert!(refused > 0 && collapses > 200, "{refused} refused, {collapses} collapses");
    // Without the intersection test the same pass makes them cross.
    let mut careless = build(&nested_arcs(true));
    let settings = careless.cloths().iter().map(|cloth| cloth.remesh).collect::<Vec<_>>();
    careless.edit(|keyed| {
        let pass = Pass { settings: &settings, elapsed: 1.0, ..Pass::default() };
        remesh(&mut keyed.mesh, &mut keyed.attributes, &pass, &mut |_| false);
    });
    assert!(careless.crossings().unwrap().len() > 10);
}

#[test]
fn a_sheet_that_crumples_and_is_remeshed_does_not_cross_itself() {
    let settings =
        RemeshSettings { size_min: tier(0.025, 0.015), size_max: 0.06, ..RemeshSettings::by_thresholds() };
    let mut description = sheets(6, &[at([0.0, 0.005, 0.0], [4.0, 0.0, 3.0])], true, SolverChoice::Global);
    description.cloths[0].remesh = Some(settings);
    let mut world = build(&description);
    let mut edits = 0;
    for frame in 0..tier(16, 20) {
        let report = run(&mut world, 1);
        edits += report.remesh.splits + report.remesh.collapses + report.remesh.flips;
        let crossings = world.crossings().unwrap();
        assert!(crossings.is_empty(), "frame {frame}: {} crossings", crossings.len());
    }
    assert!(edits > 100, "{edits} edits");
}

/// A vertex that the safeguard (CCD) stops is pulled out of the cloth around it. In one substep of a flag that beat against itself that
/// stored more energy than all of its motion had.
#[test]
fn a_flag_that_beats_against_itself_stores_no_energy_of_stretching() {
    let silk = materials::preset("silk").unwrap().material;
    let mesh = grid(DVec2::new(0.9, 0.6), [18, 12], GridPattern::Alternating, 1);
    let mut flag = ClothDescription::new("flag", mesh, silk);
    let pole = [DVec2::new(-0.01, 0.0), DVec2::new(0.01, 0.6)];
    flag.pins.push(PinDescription::new(Region::MaterialBox(pole)));
    let mut world = build(&WorldDescription {
        cloths: vec![flag],
        air: Some(air(DVec3::new(8.0, 0.0, 1.5))),
        self_contact: Some(true),
        ..WorldDescription::bare()
    });
    let (mut touched, mut most) = (0, 0.0_f64);
    for frame in 0..60 {
        touched += run(&mut world, 1).contacts;
        let now = world.measure();
        most = most.max(now.kinetic_energy);
        assert!(now.stretch_energy < 0.5 * most, "frame {frame}: {} of {most} J", now.stretch_energy);
    }
    assert!(touched > 0, "it must meet itself");
    assert!(world.crossings().expect("it meets itself").is_empty());
}

/// A strip of silk whose ends are turned against each other folds sharply. Contacts must hold its layers apart. What the safeguard (CCD)
/// stops instead strains the cloth around it: with 24 by 12 cells and 270°, more than half of the energy came from that.
#[test]
fn contacts_hold_wrung_cloth_apart_and_not_the_safeguard() {
    let scene = r#"
        [simulation]
        duration = 0.2
        frame_rate = 30
        gravity = [0.0, 0.0, 0.0]
        [[cloth]]
        name = "strip"
        material = "silk"
        grid = { size = [0.24, 0.12], cells = [16, 8], pattern = "alternating" }
        place = { translate = [-0.12, -0.06, 0.0] }
        [[cloth.pin]]
        where = { material_box = [[0.0, 0.0], [0.0, 0.12]] }
        motion = [{ t = 0.0 }, { t = 0.2, rotate_deg = [-220, 0, 0], translate = [0.03, 0.0, 0.0] }]
        [[cloth.pin]]
        where = { material_box = [[0.24, 0.0], [0.24, 0.12]] }
        motion = [{ t = 0.0 }, { t = 0.2, rotate_deg = [220, 0, 0], translate = [-0.03, 0.0, 0.0] }]
        [materials.silk]
        linearity = 1.0
    "#;
    let scene = Scene::from_str(scene, Path::new("strip.toml"), &[]).expect("a scene");
    let mut world = World::build(&scene.build().expect("it can be built")).expect("a world");
    let (mut shortened, mut touched) = (0, 0);
    for _ in 0..6 {
        let report = world.step(&StepInputs::default(), 1.0 / 30.0).expect("a step");
        (shortened, touched) = (shortened + report.safeguard.shortened, touched.max(report.contacts));
    }
    assert!(touched > 20, "it must meet itself");
    assert!(world.crossings().expect("it meets itself").is_empty());
    assert!(shortened <= 2, "{shortened} vertices were stopped, and 182 without contacts in the folds");
}
