//! Solids under projective dynamics, whose material differs at large strains.

use super::*;
use taffeta::sim::queries;

fn many_iterations(gravity: DVec3, iterations: u32) -> SimulationSettings {
    let mut settings = simulation(SolverChoice::Projective, 1, gravity);
    (settings.iterations, settings.velocity_damping) = (Some(iterations), 8.0);
    settings
}

/// Strain is `F − 1` there, so that the stress `E (F − 1)` makes `w L²/2E` exact, not only to first order.
#[test]
fn a_bar_under_its_weight_is_longer_by_the_closed_form() {
    let (length, young) = (0.4, 2e5);
    let mut errors = Vec::new();
    for cells in [[4, 1, 1], [8, 2, 2]] {
        let solid = held_at_zero(bar([length, 0.1, 0.1], cells, damped(young, 0.0, 0.0)), 0, [true; 3]);
        let mut world = world(solid, many_iterations(DVec3::X * 9.81, 60));
        run_frames(&mut world, 120);
        let (x, _) = world.solid_state(0);
        let rest = &world.solids()[0].rest;
        let moved = mean_of(&x, |i| rest[i].x == length).x - length;
        let expected = 1000.0 * 9.81 * length * length / (2.0 * young);
        println!("{cells:?}: {moved} m, closed form {expected} m");
        errors.push((moved / expected - 1.0).abs());
    }
    assert!(errors[0] < 5e-3 && errors[1] < 0.5 * errors[0], "{errors:?}");
}

/// Few iterations come to rest at the same place: the matrix is constant, what lags behind are rotations.
#[test]
fn a_cantilever_under_little_weight_bends_as_under_the_block_solver() {
    let (length, height, gravity) = (0.4, 0.1, 0.1);
    let drop = |settings: SimulationSettings, poisson: f64| {
        let material = damped(2e5, poisson, 0.02);
        let solid = held_at_zero(bar([length, height, 0.05], [4, 1, 1], material), 0, [true; 3]);
        let mut world = world(solid, settings);
        run_frames(&mut world, 90);
        let point = queries::solid_point(&world, 0, DVec3::new(length, 0.5 * height, 0.025));
        0.5 * height - point.position.y
    };
    let down = DVec3::NEG_Y * gravity;
    let mut block = simulation(SolverChoice::Block, 20, down);
    (block.iterations, block.velocity_damping) = (Some(8), 12.0);
    for poisson in [0.0, 0.4] {
        let exact = drop(block.clone(), poisson);
        let found = drop(many_iterations(down, 60), poisson);
        println!("ν = {poisson}: {found} m, by blocks {exact} m");
        assert!((found / exact - 1.0).abs() < 0.02, "ν = {poisson}: {found} against {exact}");
    }
}

/// Pulled to 1.3 times its length.
#[test]
fn a_stretched_bar_keeps_its_volume_under_the_volume_constraint() {
    let change = |volume_stiffness: f64| {
        let material = SolidMaterial { volume_stiffness, ..damped(1e4, 0.3, 0.0) };
        let mut world = world(pulled(material), many_iterations(DVec3::ZERO, 100));
        run_frames(&mut world, 60);
        relative_volume(&world) - 1.0
    };
    let (free, kept) = (change(0.0), change(5e6));
    println!("without {free}, with {kept}");
    assert!(free > 0.02 && kept.abs() < 2e-3, "{free}, {kept}");
}

/// `p = 2N/R` as for the others, but with `N = k (s − 1)/s`: strain is `s − 1`, and Poisson's ratio 0.
#[test]
fn a_balloon_reaches_its_volume_under_the_pressure_of_the_closed_form() {
    let mut world = balloon_world(balloon(1.5, 3), SolverChoice::Projective);
    run_frames(&mut world, 75);
    let state = queries::enclosed_volumes(&world)[0];
    assert!((state.volume / state.target - 1.0).abs() < 1e-6, "{state:?}");
    let stretch = 1.5_f64.cbrt();
    let expected = 2.0 * 400.0 * (stretch - 1.0) / (0.2 * stretch * stretch);
    println!("{} Pa, closed form {expected} Pa", state.pressure);
    assert!((state.pressure / expected - 1.0).abs() < 0.01, "{} Pa against {expected} Pa", state.pressure);
}

/// The filling is compressed by its bulk modulus: `p = k (V* − V)/V₀`.
#[test]
fn a_soft_filling_is_in_balance_with_its_pressure() {
    let mut cloth = balloon(1.5, 2);
    cloth.volume = Some(EnclosedDescription { ratio: 1.5, inflation: 0.2, bulk: Some(2000.0) });
    let mut world = balloon_world(cloth, SolverChoice::Projective);
    let start = queries::enclosed_volumes(&world)[0].volume;
    run_frames(&mut world, 75);
    let state = queries::enclosed_volumes(&world)[0];
    let expected = 2000.0 * (state.target - state.volume) / start;
    assert!(state.volume < 0.95 * state.target && state.volume > 1.05 * start, "{state:?}");
    assert!((state.pressure / expected - 1.0).abs() < 1e-6, "{state:?}: {expected}");
    assert!(world.measure().residual < 1e-3, "{:?}", world.measure());
}

/// The responses of two balloons are found together, and do not mix.
#[test]
fn balloons_in_free_flight_keep_their_momentum_and_their_volumes() {
    let mut one = balloon(1.3, 2);
    one.velocity = DVec3::new(1.0, 0.5, -0.2);
    one.angular_velocity = DVec3::new(0.0, 2.0, 1.0);
    let mut other = balloon(0.8, 2);
    other.name = "other".into();
    other.mesh.positions.iter_mut().for_each(|x| x.z += 2.0);
    let simulation = SimulationSettings { threads: 1, ..settings(SolverChoice::Projective, Some(4)) };
    let simulation = SimulationSettings { gravity: DVec3::ZERO, ..simulation };
    let cloths = vec![one, other];
    let mut world = build(&WorldDescription { cloths, simulation, ..WorldDescription::bare() });
    let before = world.measure().momentum;
    run_frames(&mut world, 40);
    assert!((world.measure().momentum - before).length() < 1e-9, "{}", world.measure().momentum);
    for state in queries::enclosed_volumes(&world) {
        assert!((state.volume / state.target - 1.0).abs() < 1e-4, "{state:?}");
    }
}

#[test]
fn a_balloon_has_the_same_bits_for_any_threads_and_after_a_checkpoint() {
    let scene = |threads| {
        let mut cloth = balloon(1.2, 4);
        cloth.velocity = DVec3::new(0.2, -0.5, 0.0);
        let floor = Obstacle::new(
            Shape::Plane { normal: DVec3::Y },
            Placement { translate: DVec3::NEG_Y * 0.21, ..Placement::default() },
        );
        let simulation = SimulationSettings { threads, ..settings(SolverChoice::Projective, None) };
        let (cloths, obstacles) = (vec![cloth], vec![floor]);
        build(&WorldDescription { cloths, obstacles, simulation, ..WorldDescription::bare() })
    };
    let (mut one, mut three) = (scene(1), scene(3));
    run_frames(&mut one, 6);
    run_frames(&mut three, 6);
    assert_eq!(one.state_hash(), three.state_hash());
    let bytes = one.checkpoint().to_bytes();
    let mut resumed = scene(2);
    resumed.restore(Checkpoint::from_bytes(&bytes).unwrap()).unwrap();
    run_frames(&mut one, 6);
    run_frames(&mut resumed, 6);
    assert_eq!(one.state_hash(), resumed.state_hash());
}

#[test]
fn a_block_stays_outside_of_a_ball_and_above_a_floor() {
    let mut world = build(&drop_scene(1, SolverChoice::Projective));
    for _ in 0..tier(10, 90) {
        run_frames(&mut world, 1);
        let (x, _) = world.solid_state(0);
        for x in x {
            assert!(x.y > -1e-4 && x.distance(DVec3::splat(0.1)) > 0.1 - 1e-3, "{x}");
        }
    }
}

/// It is lower than at rest by `w L²/2E`.
#[test]
fn a_block_comes_to_rest_on_a_floor_that_bears_its_weight() {
    let young = 3e4;
    let mut solid = bar([0.1, 0.1, 0.1], [2, 4, 2], damped(young, 0.0, 0.0));
    solid.positions.iter_mut().for_each(|x| x.y += 0.02);
    let floor = Obstacle {
        friction: Friction { static_: 0.5, kinetic: 0.4 },
        ..Obstacle::new(Shape::Plane { normal: DVec3::Y }, Placement::default())
    };
    let simulation = SimulationSettings { threads: 1, ..settings(SolverChoice::Projective, None) };
    let (solids, obstacles) = (vec![solid], vec![floor]);
    let mut world = build(&WorldDescription { solids, obstacles, simulation, ..WorldDescription::bare() });
    run_frames(&mut world, 300);
    let (x, _) = world.solid_state(0);
    let rest = &world.solids()[0].rest;
    let level = |height: f64| mean_of(&x, |i| (rest[i].y - height).abs() < 1e-9).y;
    let (lost, expected) = (0.1 - (level(0.12) - level(0.02)), 1000.0 * 9.81 * 0.01 / (2.0 * young));
    println!("{lost} m, closed form {expected} m");
    assert!((lost / expected - 1.0).abs() < 0.02, "{lost} against {expected}");
    assert!(world.measure().kinetic_energy < 1e-9 && x.iter().all(|x| x.y > -1e-4));
}
