//! Projective dynamics as a solver of worlds.

use crate::common::*;
use glam::{DVec2, DVec3};
use taffeta::contact::{Obstacle, Shape};
use taffeta::core::{Friction, Placement};
use taffeta::io::GridPattern;
use taffeta::remesh::RemeshSettings;
use taffeta::sim::queries;
use taffeta::sim::{
    BendingModel, Checkpoint, ClothDescription, MembraneModel, Mode, PinId, SimulationSettings, SolverChoice,
    StepInputs, TimeIntegration, World, WorldDescription,
};

const PROJECTIVE: SolverChoice = SolverChoice::Projective;

/// A cloth as projective dynamics takes it.
pub(crate) fn projected(mut cloth: ClothDescription) -> ClothDescription {
    cloth.bending = BendingModel::MeanCurvature;
    cloth.material.poisson = 0.0;
    cloth
}

fn iterations(count: u32) -> SimulationSettings {
    SimulationSettings { iterations: Some(count), ..settings(PROJECTIVE, None) }
}

/// Root mean square distance of positions \[m\].
fn distance(a: &[DVec3], b: &[DVec3]) -> f64 {
    let square: f64 = a.iter().zip(b).map(|(a, b)| a.distance_squared(*b)).sum();
    (square / a.len() as f64).sqrt()
}

#[test]
fn automatic_is_one_step_of_fifteen_iterations_per_frame() {
    let mut world = world(projected(hung_sheet(6, GridPattern::Alternating)), settings(PROJECTIVE, None));
    let plan = run(&mut world, 1).plan;
    assert_eq!((plan.substeps, plan.iterations, world.solver_name()), (1, 15, "projective"));
    assert_eq!(world.step(&StepInputs::default(), 0.1).unwrap().plan.substeps, 6);
}

/// At rest a hung sheet is where the exact solution is, on any mesh.
#[test]
fn a_hung_sheet_comes_to_rest_at_its_true_drop_on_every_mesh() {
    for cells in [8, 16, 32] {
        let simulation = SimulationSettings { velocity_damping: 20.0, ..settings(PROJECTIVE, None) };
        let mut world = world(projected(hung_sheet(cells, GridPattern::Alternating)), simulation);
        run(&mut world, 40);
        let drop = -mean_lower_edge(&world);
        // ρ g L²/2k
        let exact = 0.2 * 9.81 / (2.0 * 2000.0);
        println!("{cells}: {drop} of {exact}");
        assert!((drop / exact - 1.0).abs() < 0.02, "{cells}: {drop} of {exact}");
    }
}

#[test]
fn more_iterations_come_closer_to_the_converged_motion() {
    let swung = |count| {
        let mut world = world(projected(swing(12)), iterations(count));
        run(&mut world, 12);
        world.mesh(0).positions
    };
    let exact = swung(1000);
    let errors = [1, 3, 10, 30, 100, 300].map(|count| distance(&swung(count), &exact));
    println!("{errors:?}");
    assert!(errors.windows(2).all(|pair| pair[1] < pair[0]), "{errors:?}");
    assert!(errors[5] < 0.1 * errors[0], "{errors:?}");
}

/// Fifteen iterations give the same shape on meshes of different fineness, up to the cells.
#[test]
fn the_number_of_triangles_does_not_change_the_shape() {
    let shape = |cells| {
        let mut world = world(projected(swing(cells)), iterations(15));
        run(&mut world, 12);
        let at = |i: u32| DVec2::new(f64::from(i % 5), f64::from(i / 5)) / 4.0;
        let point = |i: u32| queries::material_point(&world, 0, at(i)).expect("on the sheet").position;
        (0..25).map(point).collect::<Vec<_>>()
    };
    let fine = shape(40);
    let apart = [10, 20].map(|cells| distance(&shape(cells), &fine));
    println!("{apart:?}");
    assert!(apart[1] < apart[0] && apart[1] < 0.03, "{apart:?}");
}

#[test]
fn any_number_of_threads_gives_the_same_bits() {
    for membrane in [MembraneModel::Strain, MembraneModel::Edges] {
        let hashes = |threads| {
            let mut world = drape(48, threads, membrane);
            (0..4).map(|_| run(&mut world, 1).state_hash).collect::<Vec<_>>()
        };
        let reference = hashes(1);
        for threads in [2, 3, 8] {
            assert_eq!(hashes(threads), reference, "{threads} threads, {membrane:?}");
        }
    }
}

/// A sheet that falls onto a ball in wind; it is about to touch it.
fn drape(cells: u32, threads: usize, membrane: MembraneModel) -> World {
    let mut mesh = square(cells, GridPattern::Alternating);
    mesh.positions.iter_mut().for_each(|x| *x = DVec3::new(x.x - 0.5, 0.21, 0.5 - x.y));
    let mut cloth = projected(ClothDescription::new("sheet", mesh, stiff()));
    cloth.membrane = membrane;
    build(&WorldDescription {
        cloths: vec![cloth],
        obstacles: vec![Obstacle::new(Shape::Sphere { radius: 0.2 }, Placement::default())],
        simulation: SimulationSettings { threads, ..settings(PROJECTIVE, None) },
        air: Some(air(DVec3::new(0.5, 0.0, 0.0))),
        ..WorldDescription::bare()
    })
}

#[test]
fn a_drape_stays_out_of_the_ball_with_one_factorization() {
    let mut world = drape(20, 1, MembraneModel::Strain);
    let mut contacts = 0;
    for _ in 0..300 {
        let report = run(&mut world, 1);
        contacts = contacts.max(report.contacts);
        let lowest = world.mesh(0).positions.iter().map(|x| x.length()).fold(f64::INFINITY, f64::min);
        assert!(lowest > 0.2, "at {} s something is {} in the ball", world.time(), 0.2 - lowest);
    }
    assert!(contacts > 20, "{contacts}");
    assert_eq!(queries::factorizations(&world), 1, "neither contact nor motion changes the system");
}

#[test]
fn the_system_is_factorized_only_when_mesh_pins_or_step_change() {
    let mut cloth = projected(hung_sheet(8, GridPattern::Alternating));
    cloth.pins[0].release = Some(0.2);
    let mut world = world(cloth, settings(PROJECTIVE, None));
    assert_eq!(queries::factorizations(&world), 0);
    run(&mut world, 10);
    assert_eq!(queries::factorizations(&world), 1);
    run(&mut world, 5);
    assert_eq!(queries::factorizations(&world), 2, "the pin has let go");
    world.step(&StepInputs::default(), 0.5 * FRAME).unwrap();
    world.step(&StepInputs::default(), 0.5 * FRAME).unwrap();
    assert_eq!(queries::factorizations(&world), 3, "another step");
    world.edit(|_| {});
    world.step(&StepInputs::default(), 0.5 * FRAME).unwrap();
    assert_eq!(queries::factorizations(&world), 4, "another topology");
}

/// A pin of limited strength: at rest it bears the weight.
#[test]
fn a_pin_bears_the_weight_and_lets_go_above_its_strength() {
    let weight = 0.2 * 9.81;
    for (strength, holds) in [(1.3 * weight, true), (0.8 * weight, false)] {
        let mut cloth = projected(hung_sheet(8, GridPattern::Alternating));
        cloth.material.stretch = [200.0; 2];
        cloth.pins[0].strength = Some(strength);
        let simulation = SimulationSettings { velocity_damping: 20.0, ..iterations(40) };
        let mut world = world(cloth, simulation);
        run(&mut world, 60);
        assert_eq!(!world.has_released(PinId::from_number(0)), holds, "{strength} N");
        if holds {
            // The row of vertices at the pin weighs a sixteenth itself.
            let force = queries::pin_forces(&world)[0].y;
            assert!((force / weight - 1.0).abs() < 0.02, "{force} of {weight}");
        }
    }
}

/// A light sheet falls over a ball on a floor. The forces of contacts follow those of a cloth that is stiff for a step as long
/// as a frame by little in each iteration (`k h²/m` is over a thousand). Corners that had been pressed to the floor stayed
/// there while the cloth was drawn away, and were strained by 1.5. Substeps of an eighth strain it by 0.05 at most.
#[test]
fn contacts_that_are_not_found_in_time_let_go_before_faces_are_torn_apart() {
    let mut mesh = square(24, GridPattern::Alternating);
    mesh.positions.iter_mut().for_each(|x| *x = DVec3::new(x.x - 0.5, 0.45, 0.5 - x.y));
    let friction = Friction { static_: 0.5, kinetic: 0.4 };
    let mut cloth = projected(ClothDescription::new("sheet", mesh, stiff()));
    (cloth.material.density, cloth.material.stretch) = (0.15, [800.0; 2]);
    cloth.material.friction = friction;
    let lift = Placement { translate: DVec3::Y * 0.2, ..Placement::default() };
    let mut obstacles = vec![
        Obstacle::new(Shape::Sphere { radius: 0.2 }, lift),
        Obstacle::new(Shape::Plane { normal: DVec3::Y }, Placement::default()),
    ];
    obstacles.iter_mut().for_each(|obstacle| obstacle.friction = friction);
    let simulation = settings(PROJECTIVE, None);
    let mut world =
        build(&WorldDescription { cloths: vec![cloth], obstacles, simulation, ..WorldDescription::bare() });
    let strain_after_a_frame = |_| {
        run(&mut world, 1);
        world.measure().max_strain
    };
    let worst = (0..300).map(strain_after_a_frame).fold(0.0, f64::max);
    println!("largest strain {worst}");
    assert!(worst < 0.4, "strain {worst}");
}

#[test]
fn it_runs_on_meshes_that_change_and_resumes_from_a_checkpoint() {
    let start = || {
        let mut mesh = square(10, GridPattern::Alternating);
        mesh.positions.iter_mut().for_each(|x| *x = DVec3::new(x.x - 0.5, 0.21, 0.5 - x.y));
        let mut cloth = projected(ClothDescription::new("sheet", mesh, stiff()));
        cloth.remesh =
            Some(RemeshSettings { size_min: 0.05, size_max: 0.16, ..RemeshSettings::by_thresholds() });
        build(&WorldDescription {
            cloths: vec![cloth],
            obstacles: vec![Obstacle::new(Shape::Sphere { radius: 0.2 }, Placement::default())],
            simulation: settings(PROJECTIVE, None),
            ..WorldDescription::bare()
        })
    };
    let mut world = start();
    let splits: u64 = (0..25).map(|_| run(&mut world, 1).remesh.splits).sum();
    assert!(splits > 20 && queries::factorizations(&world) > 5, "{splits} splits");
    let saved = world.checkpoint().to_bytes();
    let mut resumed = start();
    resumed.restore(Checkpoint::from_bytes(&saved).unwrap()).unwrap();
    for _ in 0..3 {
        assert_eq!(run(&mut world, 1).state_hash, run(&mut resumed, 1).state_hash);
    }
}

/// Huge stiffness, tiny weight, crumpled starts and violent motion: every position stays finite.
#[test]
fn hostile_input_stays_finite() {
    let start = |change: &dyn Fn(&mut ClothDescription)| {
        let mut cloth = projected(swing(8));
        change(&mut cloth);
        world(cloth, settings(PROJECTIVE, None))
    };
    let cases: [&dyn Fn(&mut ClothDescription); 5] = [
        &|cloth| cloth.material.stretch = [1e9; 2],
        &|cloth| cloth.material.density = 1e-6,
        &|cloth| cloth.mesh.positions.iter_mut().for_each(|x| *x = DVec3::ZERO),
        &|cloth| cloth.velocity = DVec3::new(0.0, 1e4, 0.0),
        // More than about k/L and the sheet would grow without end, as a balloon does.
        &|cloth| cloth.pressure = 200.0,
    ];
    for (number, case) in cases.into_iter().enumerate() {
        let mut world = start(case);
        run(&mut world, 300);
        assert!(world.mesh(0).positions.iter().all(|x| x.is_finite()), "{number}");
    }
}

/// Something that spoils a description.
type Change = fn(&mut WorldDescription);

#[test]
fn what_it_does_not_know_is_refused_by_name() {
    let cases: [(Change, &str); 6] = [
        (|d| d.cloths[0].bending = BendingModel::Curvature, "mean curvature"),
        (|d| d.cloths[0].rest_curvature = [1.0, 0.0, 0.0], "urvature"),
        (|d| d.cloths[0].pins[0].clamp = true, "clamps"),
        (|d| d.simulation.time = TimeIntegration::TrBdf2, "TR-BDF2"),
        (|d| d.simulation.mode = Mode::Static, "equilibria"),
        (|d| d.simulation.solver = SolverChoice::Global, "projective"),
    ];
    for (change, part) in cases {
        let mut description = WorldDescription {
            cloths: vec![projected(hung_sheet(2, GridPattern::Diagonal))],
            simulation: settings(PROJECTIVE, Some(1)),
            ..WorldDescription::bare()
        };
        assert!(World::build(&description).is_ok());
        change(&mut description);
        let error = World::build(&description).unwrap_err().to_string();
        assert!(error.contains(part), "{error}");
    }
}
