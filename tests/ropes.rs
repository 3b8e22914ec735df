//! Ropes against closed forms and themselves: statics, dynamics, rest shapes, every solver.

use crate::common::*;
use glam::{DQuat, DVec3};
use taffeta::core::{Keyframe, KeyframedMotion, Region};
use taffeta::sim::queries;
use taffeta::sim::{
    Checkpoint, Mode, PinDescription, RopeBending, RopeDescription, RopeMaterial, SimulationSettings,
    SolverChoice, World, WorldDescription,
};

const SOLVERS: [SolverChoice; 5] =
    [SolverChoice::Global, SolverChoice::Direct, SolverChoice::Block, SolverChoice::Xpbd, SolverChoice::Pbd];

/// A cord of 50 g/m that hardly stretches.
fn cord(bend: f64) -> RopeMaterial {
    RopeMaterial::new(0.05, 1e5, bend)
}

/// A straight rope along x.
fn straight(length: f64, segments: u32, material: RopeMaterial) -> RopeDescription {
    let at = |i: u32| DVec3::X * (length * f64::from(i) / f64::from(segments));
    RopeDescription::new("rope", (0..=segments).map(at).collect(), 0.005, material)
}

fn pin(vertices: &[usize]) -> PinDescription {
    PinDescription::new(Region::Vertices(vertices.iter().map(|i| *i as u32).collect()))
}

fn alone(rope: RopeDescription, simulation: SimulationSettings) -> World {
    build(&WorldDescription { ropes: vec![rope], simulation, ..WorldDescription::bare() })
}

fn statics() -> SimulationSettings {
    SimulationSettings { mode: Mode::Static, ..SimulationSettings::default() }
}

fn weightless(solver: SolverChoice, substeps: u32) -> SimulationSettings {
    SimulationSettings { gravity: DVec3::ZERO, ..settings(solver, Some(substeps)) }
}

/// The parameter `a` \[m\] of the catenary `y = a cosh(x/a)` of a length over a span \[m\]: `length = 2a sinh(span/2a)`.
fn catenary_parameter(length: f64, span: f64) -> f64 {
    let (mut low, mut high) = (1e-3 * span, 1e3 * span);
    for _ in 0..200 {
        let a = 0.5 * (low + high);
        if 2.0 * a * (span / (2.0 * a)).sinh() > length { low = a } else { high = a }
    }
    0.5 * (low + high)
}

#[test]
fn a_hanging_rope_is_a_catenary() {
    let (length, span) = (2.0, 1.4);
    let a = catenary_parameter(length, span);
    let sag = a * ((0.5 * span / a).cosh() - 1.0);
    for segments in [20, 80] {
        let mut rope = straight(length, segments, cord(0.0));
        // Slack between its ends, which are `span` apart.
        let depth = (0.25 * (length * length - span * span)).sqrt();
        for (i, x) in rope.points.iter_mut().enumerate() {
            let s = i as f64 / f64::from(segments);
            *x = DVec3::new(span * s, -2.0 * depth * s.min(1.0 - s), 0.0);
        }
        rope.pins = vec![pin(&[0, segments as usize])];
        let mut world = alone(rope, statics());
        world.equilibrate().expect("it hangs");
        let points = world.loose_state(0).0;
        let lowest = points.iter().map(|x| x.y).fold(0.0, f64::min);
        assert!((-lowest / sag - 1.0).abs() < 0.005, "{segments}: {lowest} of {sag}");
        // The direction of the end segment is that of the curve in its middle.
        let end = (points[1] - points[0]).normalize();
        let half = 0.5 * length * (1.0 - 1.0 / f64::from(segments));
        let expected = DVec3::new(a, -half, 0.0).normalize();
        assert!(end.angle_between(expected) < 0.005, "{segments}: {end} instead of {expected}");
    }
}

#[test]
fn a_loaded_cantilever_sags_as_a_beam() {
    let (length, bend) = (1.0, 1.0);
    // q L⁴/8EI of one percent of the length.
    let load = 0.08;
    let exact = load * length * length * length * length / (8.0 * bend);
    for segments in [10, 40] {
        let material = RopeMaterial::new(load / 9.81, 1e6, bend);
        let mut rope = straight(length, segments, material);
        rope.pins = vec![PinDescription { clamp: true, ..pin(&[0]) }];
        let mut world = alone(rope, statics());
        world.equilibrate().expect("it holds");
        let points = world.loose_state(0).0;
        assert_eq!(points.len(), segments as usize + 1);
        let tip = -points[segments as usize].y;
        let tolerance = if segments == 10 { 0.02 } else { 0.005 };
        assert!((tip / exact - 1.0).abs() < tolerance, "{segments}: {tip} of {exact}");
    }
}

/// An inextensible chain that swings by a small angle: `ω = ½ j₀ √(g/L)` with `j₀ = 2.404826`, the first zero of J₀.
#[test]
fn a_hanging_rope_swings_with_the_frequency_of_the_bessel_function() {
    let (length, segments) = (1.0, 40);
    let mut rope = straight(length, segments, cord(0.0));
    let mode = |s: f64| {
        // J₀(j₀ √(1 − s)) by its series, s from the support.
        let quarter = -0.25 * 2.404_826_f64 * 2.404_826 * (1.0 - s);
        let (mut sum, mut term) = (1.0, 1.0);
        for k in 1..30 {
            term *= quarter / f64::from(k * k);
            sum += term;
        }
        sum
    };
    for (i, x) in rope.points.iter_mut().enumerate() {
        let s = i as f64 / f64::from(segments);
        *x = DVec3::new(0.005 * mode(s), -length * s, 0.0);
    }
    rope.pins = vec![pin(&[0])];
    let mut world = alone(rope, SimulationSettings { substeps: Some(32), ..SimulationSettings::default() });
    let mut previous = world.loose_state(0).0[segments as usize].x;
    let mut crossings = Vec::new();
    for frame in 1..=180 {
        run(&mut world, 1);
        let now = world.loose_state(0).0[segments as usize].x;
        if previous * now < 0.0 {
            crossings.push((f64::from(frame) - now / (now - previous)) * FRAME);
        }
        previous = now;
    }
    let half_period = (crossings[2] - crossings[0]) / 2.0;
    let exact = std::f64::consts::PI / (0.5 * 2.404_826 * (9.81_f64 / length).sqrt());
    assert!((half_period / exact - 1.0).abs() < 0.01, "{half_period} of {exact}");
}

#[test]
fn ten_forty_and_a_hundred_and_sixty_segments_move_alike() {
    let motion = |segments: u32| {
        let mut rope = straight(1.0, segments, RopeMaterial::new(0.05, 2e3, 2e-3));
        rope.pins = vec![PinDescription { clamp: true, ..pin(&[0]) }];
        let mut world = alone(rope, settings(SolverChoice::Direct, Some(16)));
        (0..30)
            .map(|_| {
                run(&mut world, 1);
                queries::rope_point(&world, 0, 1.0).position
            })
            .collect::<Vec<_>>()
    };
    let finest = motion(160);
    let apart = |segments: u32| {
        let other = motion(segments);
        other.iter().zip(&finest).map(|(a, b)| a.distance(*b)).fold(0.0, f64::max)
    };
    let (coarse, fine) = (apart(10), apart(40));
    assert!(coarse < 0.06 && fine < 0.012 && fine < 0.5 * coarse, "{coarse}, {fine}");
}

#[test]
fn ten_forty_and_a_hundred_and_sixty_segments_rest_alike() {
    let shape = |segments: u32| {
        let mut rope = straight(1.0, segments, RopeMaterial::new(0.05, 2e3, 2e-2));
        rope.pins = vec![PinDescription { clamp: true, ..pin(&[0]) }];
        let mut world = alone(rope, statics());
        world.equilibrate().expect("it holds");
        [0.25, 0.5, 0.75, 1.0].map(|at| queries::rope_point(&world, 0, at).position)
    };
    let finest = shape(160);
    let apart = |segments: u32| {
        let pairs = shape(segments).into_iter().zip(finest);
        pairs.map(|(x, y)| x.distance(y)).fold(0.0, f64::max)
    };
    // Within a tenth of a percent of the length at 40 segments, and of second order.
    let (coarse, fine) = (apart(10), apart(40));
    assert!(coarse < 0.01 && fine < 1e-3 && fine < 0.1 * coarse, "{coarse}, {fine}");
}

/// A helix of two turns.
fn helix(segments: u32, radius: f64, pitch: f64) -> RopeDescription {
    let at = |i: u32| {
        let turn = 2.0 * std::f64::consts::TAU * f64::from(i) / f64::from(segments);
        DVec3::new(radius * turn.cos(), -pitch * turn / std::f64::consts::TAU, radius * turn.sin())
    };
    RopeDescription::new("curl", (0..=segments).map(at).collect(), 0.001, RopeMaterial::new(0.01, 1e3, 1e-4))
}

/// Distance of a polyline from another after the best shift and turn: mean difference of their pairwise distances [m].
fn difference_of_shapes(a: &[DVec3], b: &[DVec3]) -> f64 {
    let mut worst: f64 = 0.0;
    for i in 0..a.len() {
        for j in 0..i {
            worst = worst.max((a[i].distance(a[j]) - b[i].distance(b[j])).abs());
        }
    }
    worst
}

#[test]
fn a_curl_that_is_pulled_out_of_shape_returns_to_radius_and_pitch() {
    let solvers = [SolverChoice::Global, SolverChoice::Direct, SolverChoice::Block, SolverChoice::Xpbd];
    // The sweeps take most of the time, under both alike.
    for solver in solvers.into_iter().take(tier(1, 4)) {
        let mut rope = helix(48, 0.03, 0.03);
        let rest = rope.points.clone();
        // Damping of the material slows the sweeps of the local solvers, and with them the way back.
        let is_local = solver == SolverChoice::Block || solver.capabilities().rows;
        rope.material.bend_damping = if is_local { 0.0 } else { 0.02 };
        rope.pins = vec![pin(&[0, 1])];
        let iterations = is_local.then_some(20);
        let simulation = SimulationSettings { velocity_damping: 3.0, iterations, ..weightless(solver, 40) };
        let mut world = alone(rope, simulation);
        world.edit(|keyed| {
            // Pulled to twice its pitch, and wound up by a quarter turn.
            for vertex in keyed.loose.iter_mut().skip(2) {
                let stretched = DVec3::new(vertex.position.x, 1.6 * vertex.position.y, vertex.position.z);
                vertex.position = DQuat::from_rotation_y(10.0 * vertex.position.y) * stretched;
            }
        });
        let before = difference_of_shapes(world.loose_state(0).0, &rest);
        run(&mut world, 240);
        let after = difference_of_shapes(world.loose_state(0).0, &rest);
        assert!(before > 0.02 && after < 0.002, "{solver:?}: {after} of {before}");
    }
}

#[test]
fn a_rope_in_flight_keeps_its_momenta() {
    for solver in SOLVERS {
        let mut rope = straight(1.0, 20, cord(1e-3));
        rope.velocity = DVec3::new(1.0, 2.0, 0.0);
        rope.angular_velocity = DVec3::new(0.0, 1.0, 3.0);
        let mut world = alone(rope, weightless(solver, 16));
        let start = world.measure();
        let end = run(&mut world, 30).metrics;
        assert!((end.momentum - start.momentum).length() < 1e-9 * start.momentum.length(), "{solver:?}");
        let lost = (end.angular_momentum - start.angular_momentum).length() / start.angular_momentum.length();
        let allowed = if solver.capabilities().rows || solver == SolverChoice::Block { 0.05 } else { 1e-3 };
        assert!(lost < allowed, "{solver:?}: {lost}");
    }
}

/// A rope in a plane that rests at turns to the left, pressed to turn to the right at one joint and let go.
fn mirrored(bending: RopeBending) -> World {
    let mut rope = straight(0.4, 8, RopeMaterial::new(0.05, 1e3, 1e-2));
    let at = |k: i32| {
        let (s, c) = (0.3 * f64::from(k)).sin_cos();
        DVec3::new(s, 1.0 - c, 0.0) * (0.05 / 0.3)
    };
    rope.points = (0..9).map(at).collect();
    rope.plane = Some(DVec3::Z);
    rope.bending = bending;
    rope.material.bend_damping = 0.05;
    let simulation = SimulationSettings { velocity_damping: 2.0, ..weightless(SolverChoice::Direct, 16) };
    let mut world = alone(rope, simulation);
    world.edit(|keyed| {
        // The part beyond joint 4 is mirrored: it turns there to the right.
        let (x, along) = (keyed.loose[4].position, keyed.loose[4].position - keyed.loose[3].position);
        let along = along.normalize();
        for vertex in keyed.loose.iter_mut().skip(5) {
            let away = vertex.position - x;
            vertex.position = x + 2.0 * along * along.dot(away) - away;
        }
    });
    run(&mut world, 180);
    world
}

fn turns(points: &[DVec3]) -> Vec<f64> {
    let turn = |x: &[DVec3]| {
        let (a, b) = (x[1] - x[0], x[2] - x[1]);
        a.cross(b).z.atan2(a.dot(b))
    };
    points.windows(3).map(turn).collect()
}

#[test]
fn without_the_remedy_a_planar_rope_stays_flipped_and_with_it_it_turns_back() {
    for bending in [RopeBending::Acos { has_remedy: true }, RopeBending::Curvature] {
        let world = mirrored(bending);
        let turns = turns(world.loose_state(0).0);
        assert!(turns.iter().all(|turn| (turn - 0.3).abs() < 0.02), "{bending:?}: {turns:?}");
    }
    let world = mirrored(RopeBending::Acos { has_remedy: false });
    let flipped = turns(world.loose_state(0).0).iter().filter(|turn| **turn < -0.2).count();
    assert!(flipped >= 3, "{:?}", turns(world.loose_state(0).0));
    // It is at rest there: the published form does not see it.
    assert!(world.measure().bend_energy < 1e-6, "{}", world.measure().bend_energy);
}

#[test]
fn a_planar_rope_curls_to_its_curvature_at_rest() {
    for solver in SOLVERS {
        let mut rope = straight(0.5, 10, RopeMaterial::new(0.05, 1e3, 1e-2));
        (rope.plane, rope.rest_curvature) = (Some(DVec3::Z), Some(-4.0));
        rope.projection.bend = 0.5;
        rope.material.bend_damping = 0.02;
        let simulation = SimulationSettings { velocity_damping: 4.0, ..weightless(solver, 20) };
        let mut world = alone(rope, simulation);
        run(&mut world, 180);
        for turn in turns(world.loose_state(0).0) {
            assert!((turn + 0.2).abs() < 0.01, "{solver:?}: {turn}");
        }
    }
}

/// Largest error of the middle of a rope of two segments that oscillates along itself for 0.25 s, relative to the largest
/// displacement. `ratio` is that of its damping to the critical one.
fn error_of_damped_spring(ratio: f64, substeps: u32) -> f64 {
    let (stretch, speed, mass) = (50.0_f64, 0.05, 0.05);
    let rate = (4.0 * stretch / mass).sqrt();
    let mut rope = straight(1.0, 2, RopeMaterial::new(0.1, stretch, 1e-6));
    rope.material.stretch_damping = 2.0 * ratio / rate;
    rope.velocity = DVec3::X * speed;
    rope.pins = vec![pin(&[0, 2])];
    let mut world = alone(rope, weightless(SolverChoice::Direct, substeps));
    // The roots of the characteristic polynomial are real above the critical damping.
    let root = (ratio * ratio - 1.0).abs().sqrt() * rate;
    let (mut largest, mut error) = (0.0_f64, 0.0_f64);
    for _ in 0..15 {
        run(&mut world, 1);
        let t = world.time();
        let wave = if ratio > 1.0 { (root * t).sinh() } else { (root * t).sin() };
        let exact = speed * (-ratio * rate * t).exp() * wave / root;
        let found = queries::rope_point(&world, 0, 0.5).position.x - 0.5;
        (largest, error) = (largest.max(exact.abs()), error.max((found - exact).abs()));
    }
    error / largest
}

/// Damping has the order of the time integration: it was of first order, and 0.04 off at 16 substeps.
#[test]
fn a_damped_spring_moves_as_in_closed_form_to_second_order() {
    for ratio in [0.3, 1.6, 9.5] {
        let [coarse, fine] = [8, 16].map(|substeps| error_of_damped_spring(ratio, substeps));
        assert!(fine < 2e-3, "{ratio}: {fine}");
        assert!(coarse / fine > 3.5, "{ratio}: {coarse}, {fine}");
    }
}

/// Cracks a whip. No frame may add more than a part of the kinetic energy once the hand rests.
fn crack(accuracy: f64, part: f64) {
    let mut rope = straight(2.0, 60, cord(1e-5));
    let key = |time, translate, turn| Keyframe { time, translate, rotate_deg: DVec3::Z * turn };
    let motion = KeyframedMotion::from(vec![
        key(0.0, DVec3::ZERO, 0.0),
        key(0.15, DVec3::new(-0.3, 0.3, 0.0), 90.0),
        key(0.3, DVec3::new(0.4, 0.2, 0.0), 0.0),
    ]);
    rope.pins = vec![PinDescription { motion, clamp: true, ..pin(&[0]) }];
    let mut world = alone(rope, SimulationSettings { accuracy, ..SimulationSettings::default() });
    let (mut tip, mut handle, mut last) = (0.0_f64, 0.0_f64, None);
    for frame in 0..60 {
        let metrics = run(&mut world, 1).metrics;
        handle = handle.max(queries::rope_point(&world, 0, 0.0).velocity.length());
        tip = tip.max(queries::rope_point(&world, 0, 1.0).velocity.length());
        let energy =
            metrics.kinetic_energy + metrics.stretch_energy + metrics.bend_energy + metrics.gravity_energy;
        // The hand rests from 0.3 s on.
        if frame > 19 {
            let before = last.unwrap_or(energy);
            let most = before + part * metrics.kinetic_energy;
            assert!(energy < most, "{accuracy}, frame {frame}: {energy} after {before}");
            last = Some(energy);
        }
    }
    assert!(tip > 2.0 * handle, "the tip reaches {tip} m/s, the handle {handle}");
}

/// Energy that the time integration adds in a frame goes away with its error.
#[test]
fn the_tip_of_a_whip_outruns_its_handle_and_its_energy_does_not_grow() {
    crack(1e-4, 1e-2);
    crack(2e-6, 1e-3);
}

#[test]
fn the_solvers_agree_on_a_falling_rope() {
    let shape = |solver: SolverChoice, substeps: u32| {
        let mut rope = straight(0.6, 12, RopeMaterial::new(0.05, 50.0, 1e-3));
        rope.pins = vec![pin(&[0])];
        let simulation = SimulationSettings {
            time: taffeta::sim::TimeIntegration::Euler,
            iterations: (solver != SolverChoice::Direct).then_some(30),
            ..settings(solver, Some(substeps))
        };
        let mut world = alone(rope, simulation);
        run(&mut world, 15);
        world.loose_state(0).0.to_vec()
    };
    let exact = shape(SolverChoice::Direct, 60);
    for solver in [SolverChoice::Global, SolverChoice::Block, SolverChoice::Xpbd] {
        let other = shape(solver, 60);
        let apart = other.iter().zip(&exact).map(|(a, b)| a.distance(*b)).fold(0.0, f64::max);
        assert!(apart < 2e-3, "{solver:?}: {apart}");
    }
}

#[test]
fn a_resumed_run_gives_the_same_bits() {
    let rope = || {
        let mut rope = helix(24, 0.03, 0.02);
        rope.pins = vec![PinDescription { clamp: true, release: Some(0.25), ..pin(&[0]) }];
        rope
    };
    for solver in SOLVERS {
        let mut whole = alone(rope(), settings(solver, None));
        let (mut hashes, mut saved) = (Vec::new(), Vec::new());
        for frame in 0..24 {
            hashes.push(run(&mut whole, 1).state_hash);
            if frame == 9 {
                saved = whole.checkpoint().to_bytes();
            }
        }
        let mut resumed = alone(rope(), settings(solver, None));
        resumed.restore(Checkpoint::from_bytes(&saved).expect("a checkpoint")).expect("of this world");
        for expected in &hashes[10..] {
            assert_eq!(&run(&mut resumed, 1).state_hash, expected, "{solver:?}");
        }
    }
}

#[test]
fn impossible_ropes_are_refused() {
    let refused = |change: fn(&mut RopeDescription)| {
        let mut rope = straight(1.0, 4, cord(1e-3));
        change(&mut rope);
        let description = WorldDescription { ropes: vec![rope], ..WorldDescription::bare() };
        World::build(&description).expect_err("impossible").to_string()
    };
    type Spoil = fn(&mut RopeDescription);
    let cases: [(Spoil, &str); 9] = [
        (|r| r.points.truncate(2), "rope 'rope': it has 1 segments; a rope has at least 2"),
        (|r| r.points[2] = r.points[1], "points 1 and 2 coincide"),
        (|r| r.points[3].z = f64::NAN, "point 3 is at"),
        (|r| r.radius = 0.0, "its radius is 0 m"),
        (|r| r.material.stretch = -1.0, "stretch is -1, but must be"),
        (|r| r.plane = Some(DVec3::X), "out of the plane"),
        (|r| r.rest_curvature = Some(1.0), "needs a plane"),
        (|r| r.pins = vec![PinDescription::new(Region::Boundary)], "pin 0: it selects by the faces"),
        (|r| r.pins = vec![PinDescription { clamp: true, ..pin(&[2]) }], "it must hold an end"),
    ];
    for (change, expected) in cases {
        let error = refused(change);
        assert!(error.contains(expected), "{error} instead of {expected}");
    }
}
