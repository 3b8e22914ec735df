//! The older position-based methods as solvers of worlds: PBD and XPBD beside the block driver.

use crate::common::*;
use crate::projective::projected;
use glam::{DVec2, DVec3};
use taffeta::contact::{Obstacle, Shape};
use taffeta::core::{Friction, Keyframe, KeyframedMotion, Placement, Region, TriangleMesh};
use taffeta::io::GridPattern;
use taffeta::remesh::RemeshSettings;
use taffeta::sim::queries;
use taffeta::sim::{
    BendingModel, Checkpoint, ClothDescription, Compression, MembraneModel, Mode, PinDescription,
    ProjectionStiffness, RowForce, SimulationSettings, SolverChoice, StepInputs, TimeIntegration, World,
    WorldDescription,
};

const METHODS: [SolverChoice; 2] = [SolverChoice::Xpbd, SolverChoice::Pbd];
use taffeta::solve::RowDriver;

/// A cloth that bends by hinges, as these methods do.
fn hinged(mut cloth: ClothDescription) -> ClothDescription {
    cloth.bending = BendingModel::Hinge;
    cloth
}

/// The methods with projective dynamics, and substeps of a frame.
const COMPARED: [(SolverChoice, u32); 3] =
    [(SolverChoice::Xpbd, 8), (SolverChoice::Pbd, 8), (SolverChoice::Projective, 2)];

/// A cloth as a solver takes it.
fn fitted(cloth: ClothDescription, solver: SolverChoice) -> ClothDescription {
    if solver == SolverChoice::Projective { projected(cloth) } else { hinged(cloth) }
}

/// A cloth as `ClothDescription::new` makes it, under each solver: it is built, or the refusal names the call that fits it.
#[test]
fn a_refusal_of_a_default_cloth_names_the_call_that_fits_it_to_the_solver() {
    let mut refused = Vec::new();
    for solver in [
        SolverChoice::Global,
        SolverChoice::Block,
        SolverChoice::Direct,
        SolverChoice::Xpbd,
        SolverChoice::Pbd,
        SolverChoice::Projective,
    ] {
        let mut cloth = hung_sheet(2, GridPattern::Alternating);
        (cloth.bending, cloth.membrane) = (BendingModel::default(), MembraneModel::default());
        let build = |cloth: ClothDescription| {
            let simulation = SimulationSettings { solver, ..SimulationSettings::default() };
            World::build(&WorldDescription { cloths: vec![cloth], simulation, ..WorldDescription::default() })
        };
        if let Err(error) = build(cloth.clone()) {
            let text = error.to_string();
            assert!(text.contains(&format!("`ClothDescription::under(SolverChoice::{solver:?})`")), "{text}");
            refused.push(solver);
        }
        assert!(build(cloth.under(solver)).is_ok(), "{solver:?}");
    }
    assert_eq!(refused, [SolverChoice::Xpbd, SolverChoice::Pbd, SolverChoice::Projective]);
}

/// Drop of a hung sheet of 100 N/m and 6 × 6 cells, with strong velocity damping \[m\].
fn settled_drop(solver: SolverChoice, (substeps, iterations): (u32, u32), stiffness: f64) -> f64 {
    drop_of(hung_sheet(6, GridPattern::Alternating), solver, (substeps, iterations), stiffness)
}

/// Drop of a hung sheet of 100 N/m, with strong velocity damping \[m\].
fn drop_of(
    cloth: ClothDescription,
    solver: SolverChoice,
    (substeps, iterations): (u32, u32),
    stiffness: f64,
) -> f64 {
    let mut cloth = hinged(cloth);
    cloth.material.stretch = [100.0; 2];
    cloth.projection.stretch = stiffness;
    let simulation = SimulationSettings {
        velocity_damping: 20.0,
        iterations: Some(iterations),
        ..settings(solver, Some(substeps))
    };
    let mut world = world(cloth, simulation);
    run(&mut world, 60);
    -mean_lower_edge(&world)
}

/// Equal rows under both methods, one per edge: those of PBD stiffen with the sweeps, those of XPBD are springs.
#[test]
fn the_stiffness_of_pbd_climbs_with_the_iterations_and_that_of_xpbd_does_not() {
    let iterations = [20, 40, 80, 160];
    let drops = |solver| {
        iterations.map(|n| {
            let mut cloth = hung_sheet(6, GridPattern::Alternating);
            cloth.membrane = MembraneModel::Distance;
            drop_of(cloth, solver, (4, n), 0.1)
        })
    };
    let [pbd, xpbd] = [SolverChoice::Pbd, SolverChoice::Xpbd].map(drops);
    println!("pbd {pbd:?}\nxpbd {xpbd:?}");
    assert!(pbd.windows(2).all(|pair| pair[1] < 0.7 * pair[0]) && pbd[3] < 0.25 * pbd[0], "{pbd:?}");
    assert!(xpbd.iter().all(|drop| (drop / xpbd[3] - 1.0).abs() < 0.01), "{xpbd:?}");
}

#[test]
fn xpbd_comes_to_rest_where_the_direct_solver_does() {
    let exact = settled_drop(SolverChoice::Direct, (2, 100), 1.0);
    for (substeps, iterations) in [(40, 10), (4, 200)] {
        let drop = settled_drop(SolverChoice::Xpbd, (substeps, iterations), 1.0);
        assert!((drop / exact - 1.0).abs() < 0.01, "{substeps} × {iterations}: {drop} against {exact}");
    }
}

#[test]
fn xpbd_moves_as_the_block_solver_does() {
    let swung = |solver, iterations| {
        let simulation = SimulationSettings { iterations: Some(iterations), ..settings(solver, Some(20)) };
        let mut cloth = hinged(swing(8));
        cloth.material.stretch = [200.0; 2];
        let mut world = world(cloth, simulation);
        run(&mut world, 12);
        world.mesh(0).positions
    };
    let (rows, blocks) = (swung(SolverChoice::Xpbd, 40), swung(SolverChoice::Block, 40));
    let apart = rows.iter().zip(&blocks).map(|(a, b)| a.distance(*b)).fold(0.0, f64::max);
    let moved = rows.iter().zip(&swing(8).mesh.positions).map(|(a, b)| a.distance(*b)).fold(0.0, f64::max);
    println!("{apart} of {moved}");
    assert!(moved > 0.1 && apart < 2e-3, "{apart} of {moved}");
}

#[test]
fn a_free_sheet_keeps_its_momentum() {
    for (solver, substeps) in COMPARED {
        let cloth = ClothDescription::new("sheet", square(6, GridPattern::Alternating), stiff());
        let mut cloth = fitted(cloth, solver);
        cloth.velocity = DVec3::new(1.0, 0.5, -2.0);
        cloth.angular_velocity = DVec3::new(0.0, 3.0, 1.0);
        // Bent, so that it also changes its shape.
        cloth.mesh.positions.iter_mut().for_each(|x| x.z = 0.2 * x.x * x.x);
        let still = SimulationSettings { gravity: DVec3::ZERO, ..settings(solver, Some(substeps)) };
        let mut world = world(cloth, still);
        let before = world.measure();
        let shape = world.mesh(0).positions;
        run(&mut world, 30);
        assert!((world.measure().momentum - before.momentum).length() < 1e-12, "{solver:?}");
        let drift = before.momentum / 0.2 * world.time();
        let now = world.mesh(0).positions;
        let change = now.iter().zip(&shape).map(|(a, b)| (*a - *b - drift).length()).fold(0.0, f64::max);
        assert!(change > 0.05, "{solver:?}: it turns: {change}");
    }
}

/// The forces of the rows hold up the sheet: those on the held vertices add up to its weight.
#[test]
fn the_forces_of_the_rows_carry_the_weight() {
    let mut cloth = hinged(hung_sheet(4, GridPattern::Alternating));
    cloth.material.stretch = [100.0; 2];
    let simulation = SimulationSettings {
        velocity_damping: 20.0,
        iterations: Some(100),
        ..settings(SolverChoice::Xpbd, Some(10))
    };
    let mut world = world(cloth, simulation);
    assert!(queries::row_forces(&world).is_empty(), "no substep yet");
    run(&mut world, 70);
    let state = &world.motion();
    let mut on_held = DVec3::ZERO;
    for force in queries::row_forces(&world) {
        let pairs = force.vertices.iter().zip(&force.forces);
        on_held += pairs.filter(|(vi, _)| state.inverse_masses[**vi] == 0.0).map(|(_, f)| *f).sum::<DVec3>();
    }
    let free = |(m, w): (&f64, &f64)| if *w > 0.0 { *m } else { 0.0 };
    let weight = 9.81 * state.masses.iter().zip(state.inverse_masses.iter()).map(free).sum::<f64>();
    assert!((on_held + DVec3::Y * weight).length() < 1e-3 * weight, "{on_held} against {weight}");
}

/// A sheet that falls onto a ball in wind and is remeshed.
fn drape(solver: SolverChoice, cells: u32, threads: usize) -> World {
    let mut mesh = square(cells, GridPattern::Alternating);
    mesh.positions.iter_mut().for_each(|x| *x = DVec3::new(x.x - 0.5, 0.21, 0.5 - x.y));
    let mut cloth = hinged(ClothDescription::new("sheet", mesh, stiff()));
    // The usual tenth per sweep makes a board of it.
    cloth.projection.bend = 1e-3;
    let size = 1.0 / f64::from(cells);
    cloth.remesh = Some(RemeshSettings {
        size_min: 0.5 * size,
        size_max: 1.6 * size,
        ..RemeshSettings::by_thresholds()
    });
    build(&WorldDescription {
        cloths: vec![cloth],
        obstacles: vec![Obstacle::new(Shape::Sphere { radius: 0.2 }, Placement::default())],
        simulation: SimulationSettings { threads, ..settings(solver, Some(6)) },
        air: Some(air(DVec3::new(0.5, 0.0, 0.0))),
        ..WorldDescription::bare()
    })
}

/// Returns whether the sweeps over the present sheet share out work among threads.
fn sweeps_in_parallel(world: &World) -> bool {
    RowDriver::xpbd(&world.sheet().topology, &blocks_of(world)).sweeps_in_parallel()
}

#[test]
fn one_and_three_threads_give_the_same_bits() {
    for solver in METHODS {
        let hashes = |threads| {
            let mut world = drape(solver, 90, threads);
            let hashes: Vec<_> = (0..2).map(|_| run(&mut world, 1).state_hash).collect();
            assert!(sweeps_in_parallel(&world), "the sheet is large enough for the threads to share it");
            hashes
        };
        assert_eq!(hashes(1), hashes(3), "{solver:?}");
    }
}

#[test]
fn both_run_on_meshes_that_change_and_resume_from_a_checkpoint() {
    for solver in METHODS {
        let mut world = drape(solver, 10, 1);
        let (mut splits, mut contacts) = (0, 0);
        for _ in 0..25 {
            let report = run(&mut world, 1);
            (splits, contacts) = (splits + report.remesh.splits, contacts + report.contacts);
        }
        assert!(splits > 20 && contacts > 20, "{solver:?}: {splits} splits, {contacts} contacts");
        let lowest = world.mesh(0).positions.iter().map(|x| x.length()).fold(f64::INFINITY, f64::min);
        assert!(lowest > 0.2, "{solver:?}: nothing is in the ball: {lowest}");
        let saved = world.checkpoint().to_bytes();
        let mut resumed = drape(solver, 10, 1);
        resumed.restore(Checkpoint::from_bytes(&saved).unwrap()).unwrap();
        for _ in 0..3 {
            assert_eq!(run(&mut world, 1).state_hash, run(&mut resumed, 1).state_hash, "{solver:?}");
        }
    }
}

#[test]
fn friction_holds_a_patch_on_a_slope_and_lets_it_slide_on_a_steeper_one() {
    let friction = Friction { static_: 0.5, kinetic: 0.4 };
    let slid = |solver, substeps, slope: f64| {
        let turn = DVec3::new(0.0, 0.0, -slope.atan().to_degrees());
        let turn = Placement { rotate_deg: turn, ..Placement::default() };
        let mut mesh = square(4, GridPattern::Alternating);
        let place = |x: &DVec3| turn.apply(DVec3::new(0.2 * x.x, 0.00025, -0.2 * x.y));
        mesh.positions = mesh.positions.iter().map(place).collect();
        mesh.material.iter_mut().flatten().flatten().for_each(|u| *u *= 0.2);
        let mut cloth = fitted(ClothDescription::new("patch", mesh, stiff()), solver);
        cloth.material.friction = friction;
        let mut plane = Obstacle::new(Shape::Plane { normal: DVec3::Y }, turn);
        plane.friction = friction;
        let mut world = build(&WorldDescription {
            cloths: vec![cloth],
            obstacles: vec![plane],
            simulation: settings(solver, Some(substeps)),
            ..WorldDescription::bare()
        });
        let mean = |world: &World| world.mesh(0).positions.iter().map(|x| x.x).sum::<f64>() / 25.0;
        run(&mut world, 15);
        let before = mean(&world);
        run(&mut world, 30);
        mean(&world) - before
    };
    for (solver, substeps) in COMPARED {
        let (held, sliding) = (slid(solver, substeps, 0.45), slid(solver, substeps, 0.6));
        assert!(held.abs() < 1e-7 && sliding > 0.1, "{solver:?}: {held} {sliding}");
    }
}

#[test]
fn pins_are_followed_exactly_also_along_some_axes_only() {
    for (solver, substeps) in COMPARED {
        let cloth = ClothDescription::new("sheet", square(6, GridPattern::Diagonal), stiff());
        let mut cloth = fitted(cloth, solver);
        let key = |time, y| Keyframe { time, translate: DVec3::new(0.0, y, 0.0), rotate_deg: DVec3::ZERO };
        let upper = Region::MaterialBox([DVec2::new(0.0, 1.0), DVec2::ONE]);
        let motion = KeyframedMotion::from(vec![key(0.0, 0.0), key(0.2, 0.3)]);
        cloth.pins.push(PinDescription { motion, axes: [false, true, true], ..PinDescription::new(upper) });
        let mut world = world(cloth, settings(solver, Some(substeps)));
        run(&mut world, 6);
        let corner = queries::material_point(&world, 0, DVec2::ONE).expect("on the sheet").position;
        assert!((corner.y - 1.15).abs() < 1e-12 && corner.z.abs() < 1e-12, "{solver:?}: {corner}");
        assert!((corner.x - 1.0).abs() > 1e-9, "{solver:?}: it is free along x");
    }
}

/// Ten sweeps per substep, and substeps by the law of the block solver: a stiff sheet stays within a few percent.
#[test]
fn auto_chooses_substeps_that_hold_a_stiff_sheet() {
    for solver in METHODS {
        let mut world = world(
            hinged(hung_sheet(12, GridPattern::Alternating)),
            SimulationSettings { velocity_damping: 20.0, ..settings(solver, None) },
        );
        let report = run(&mut world, 40);
        let drop = -mean_lower_edge(&world);
        println!(
            "{solver:?}: {} substeps of {} sweeps, {drop} m",
            report.plan.substeps, report.plan.iterations
        );
        assert_eq!(report.plan.iterations, 10, "{solver:?}");
        assert!(drop < 0.02 && drop > -1e-6, "{solver:?}: {drop}");
    }
}

/// Something that spoils a description.
type Change = fn(&mut WorldDescription);

#[test]
fn what_the_methods_do_not_know_is_refused_by_name() {
    let refused = |solver: SolverChoice, change: Change| {
        let mut description = WorldDescription {
            cloths: vec![hinged(hung_sheet(2, GridPattern::Diagonal))],
            simulation: settings(solver, Some(1)),
            ..WorldDescription::bare()
        };
        assert!(World::build(&description).is_ok());
        change(&mut description);
        World::build(&description).unwrap_err().to_string()
    };
    let error = refused(SolverChoice::Pbd, |d| d.cloths[0].pins[0].strength = Some(2.0));
    assert!(error.contains("strength"), "{error}");
    for (solver, name) in METHODS.into_iter().zip(["xpbd", "pbd"]) {
        let cases: [(Change, &str); 6] = [
            (|d| d.cloths[0].bending = BendingModel::Curvature, "hinge"),
            (|d| d.cloths[0].rest_curvature = [1.0, 0.0, 0.0], "rest_curvature"),
            (|d| d.cloths[0].pins[0].clamp = true, "clamps"),
            (|d| d.simulation.time = TimeIntegration::TrBdf2, "TR-BDF2"),
            (|d| d.simulation.mode = Mode::Static, "equilibria"),
            (|d| d.cloths[0].projection.stretch = 1.5, "1.5"),
        ];
        for (change, part) in cases {
            let error = refused(solver, change);
            assert!(error.contains(part) && (error.contains(name) || part == "1.5"), "{error}");
        }
    }
}

/// PBD knows no material: only the masses, here all the same, could tell one from another.
#[test]
fn pbd_does_not_know_the_material_and_knows_its_stiffness() {
    let hash = |stretch: f64, projection: ProjectionStiffness| {
        let mut cloth = hinged(hung_sheet(4, GridPattern::Alternating));
        cloth.membrane = MembraneModel::Edges;
        cloth.material.stretch = [stretch; 2];
        cloth.projection = projection;
        let mut world = world(cloth, settings(SolverChoice::Pbd, Some(2)));
        run(&mut world, 3);
        world.state_hash()
    };
    let usual = ProjectionStiffness::default();
    assert_eq!(hash(100.0, usual), hash(900.0, usual));
    assert_ne!(hash(100.0, usual), hash(100.0, ProjectionStiffness { stretch: 0.5, ..usual }));
}

/// A mass of a thirtieth of a kilogram on two springs that hang from corners a meter apart.
fn hung_mass(break_force: Option<f64>) -> World {
    let corners = [DVec2::new(-0.5, 0.0), DVec2::new(0.0, -1.0), DVec2::new(0.5, 0.0)];
    let mesh = TriangleMesh {
        positions: corners.map(|u| u.extend(0.0)).into(),
        faces: vec![[0, 1, 2]],
        material: Some(vec![corners]),
    };
    let mut cloth = ClothDescription::new("mass", mesh, stiff());
    (cloth.membrane, cloth.bending) = (MembraneModel::Distance, BendingModel::None);
    cloth.break_force = break_force;
    cloth.pins.push(PinDescription::new(Region::MaterialBox([corners[0], corners[2]])));
    let simulation = SimulationSettings {
        velocity_damping: 20.0,
        iterations: Some(50),
        ..settings(SolverChoice::Xpbd, Some(4))
    };
    world(cloth, simulation)
}

/// Gravity grows from nothing to its full size, slowly enough to be statics; then the mass hangs there.
fn load_slowly(world: &mut World, frames: u32) -> usize {
    let mut broken = 0;
    for frame in 0..frames + 30 {
        let part = (f64::from(frame) / f64::from(frames)).min(1.0);
        let inputs =
            StepInputs { gravity: Some(DVec3::new(0.0, -9.81 * part, 0.0)), ..StepInputs::default() };
        broken += world.step(&inputs, FRAME).expect("the step is finite").broken_edges;
    }
    broken
}

#[test]
fn a_mass_lets_go_exactly_where_its_weight_exceeds_what_the_springs_bear() {
    let weight = 9.81 * hung_mass(None).motion().masses.iter().sum::<f64>() / 3.0;
    // Half of the weight on each, along √5/2 m for 1 m of height. The springs are stiff: 0.03 % of extension.
    let force = 0.5 * weight * 1.25_f64.sqrt();
    for (strength, expected) in [(1.01, 0), (0.99, 2)] {
        let mut world = hung_mass(Some(strength * force));
        assert_eq!(load_slowly(&mut world, 300), expected, "{strength}");
        assert_eq!(queries::broken_edge_count(&world), expected);
        let fallen = world.mesh(0).positions.iter().any(|x| x.y < -1.1);
        assert_eq!(fallen, expected > 0, "{strength}");
    }
}

/// The largest force in a hung sheet is found without a limit, then asked for.
#[test]
fn a_sheet_holds_what_its_springs_bear_and_no_more() {
    let hung = |break_force| {
        let mut cloth = hinged(hung_sheet(6, GridPattern::Alternating));
        cloth.membrane = MembraneModel::Distance;
        (cloth.material.stretch, cloth.break_force) = ([100.0; 2], break_force);
        let simulation = SimulationSettings {
            velocity_damping: 20.0,
            iterations: Some(100),
            ..settings(SolverChoice::Xpbd, Some(4))
        };
        let mut world = world(cloth, simulation);
        let broken = load_slowly(&mut world, 200);
        (world, broken)
    };
    let (whole, _) = hung(None);
    let is_edge = |force: &RowForce| force.vertices.len() == 2;
    let forces =
        queries::row_forces(&whole).into_iter().filter(is_edge).map(|force| force.forces[0].length());
    let largest = forces.fold(0.0, f64::max);
    assert_eq!(hung(Some(1.01 * largest)).1, 0);
    let (torn, broken) = hung(Some(0.99 * largest));
    assert!(broken > 6 && mean_lower_edge(&torn) < -0.1, "{broken} edges, {}", mean_lower_edge(&torn));
}

/// A free sheet that turns so fast that it flies apart.
fn spinning(cells: u32, threads: usize) -> World {
    let mut cloth = hinged(ClothDescription::new("sheet", square(cells, GridPattern::Alternating), stiff()));
    (cloth.membrane, cloth.break_force) = (MembraneModel::Distance, Some(10.0 / f64::from(cells)));
    cloth.velocity = DVec3::new(0.3, -0.2, 0.5);
    cloth.angular_velocity = DVec3::new(0.0, 0.0, 30.0);
    let simulation =
        SimulationSettings { gravity: DVec3::ZERO, threads, ..settings(SolverChoice::Xpbd, Some(8)) };
    world(cloth, simulation)
}

#[test]
fn what_flies_apart_keeps_its_momentum_and_stays_apart() {
    let mut world = spinning(10, 1);
    let before = world.measure().momentum;
    let mut last = 0;
    for _ in 0..20 {
        let report = run(&mut world, 1);
        assert_eq!(queries::broken_edge_count(&world), last + report.broken_edges, "no edge comes back");
        last = queries::broken_edge_count(&world);
    }
    let edges = world.sheet().topology.edge_count();
    assert!(last > 20 && last < edges, "{last} of {edges}");
    assert!((world.measure().momentum - before).length() < 1e-12);
    // A broken edge bears nothing.
    let broken = |force: &RowForce| {
        let edges = world.sheet().topology.edges.iter_indexed();
        let [a, b] = [force.vertices[0], force.vertices[1]];
        let mut own = edges.filter(|(_, edge)| edge.vertices.contains(&a) && edge.vertices.contains(&b));
        own.any(|(ei, _)| world.motion().broken[ei])
    };
    let forces = queries::row_forces(&world);
    let bear = forces.iter().filter(|force| force.vertices.len() == 2 && broken(force));
    assert!(bear.map(|force| force.lambda.abs()).fold(0.0, f64::max) == 0.0);
}

#[test]
fn breaking_gives_the_same_bits_for_any_threads_and_from_a_checkpoint() {
    let hash = |threads| {
        let mut world = spinning(90, threads);
        let report = run(&mut world, 3);
        (report.state_hash, queries::broken_edge_count(&world))
    };
    let one = hash(1);
    assert!(one.1 > 100, "{} broken", one.1);
    assert_eq!(one, hash(3));
    let mut world = spinning(10, 1);
    run(&mut world, 6);
    assert!(queries::broken_edge_count(&world) > 0);
    let mut resumed = spinning(10, 1);
    resumed.restore(Checkpoint::from_bytes(&world.checkpoint().to_bytes()).unwrap()).unwrap();
    assert_eq!(queries::broken_edge_count(&resumed), queries::broken_edge_count(&world));
    for _ in 0..4 {
        let (a, b) = (run(&mut world, 1), run(&mut resumed, 1));
        assert_eq!((a.state_hash, a.broken_edges, a.metrics), (b.state_hash, b.broken_edges, b.metrics));
    }
}

#[test]
fn springs_along_edges_and_their_limit_are_refused_where_they_mean_nothing() {
    let refused = |solver: SolverChoice, change: Change| {
        let mut cloth = hinged(hung_sheet(2, GridPattern::Diagonal));
        (cloth.membrane, cloth.break_force) = (MembraneModel::Distance, Some(1.0));
        let mut description = WorldDescription {
            cloths: vec![cloth],
            simulation: settings(SolverChoice::Xpbd, Some(1)),
            ..WorldDescription::bare()
        };
        assert!(World::build(&description).is_ok());
        description.simulation.solver = solver;
        change(&mut description);
        World::build(&description).unwrap_err().to_string()
    };
    for solver in [SolverChoice::Auto, SolverChoice::Global, SolverChoice::Direct, SolverChoice::Block] {
        let error = refused(solver, |_| ());
        assert!(error.contains("\"edges\"") && error.contains("xpbd"), "{error}");
    }
    let cases: [(SolverChoice, Change, &str); 5] = [
        (SolverChoice::Pbd, |_| (), "`break_force` is not known to"),
        (
            SolverChoice::Xpbd,
            |d| d.cloths[0].membrane = MembraneModel::Strain,
            "`constraint` is not \"distance\"",
        ),
        (
            SolverChoice::Xpbd,
            |d| d.cloths[0].remesh = Some(RemeshSettings::by_thresholds()),
            "`remesh` exclude",
        ),
        (SolverChoice::Xpbd, |d| d.cloths[0].break_force = Some(-1.0), "-1 N"),
        (SolverChoice::Xpbd, |d| d.cloths[0].break_force = Some(f64::NAN), "NaN N"),
    ];
    for (solver, change, part) in cases {
        let error = refused(solver, change);
        assert!(error.contains(part), "{error}");
    }
}

#[test]
fn triangles_that_buckle_are_refused_where_there_is_no_stress() {
    let mut cloth = hinged(hung_sheet(2, GridPattern::Diagonal));
    cloth.compression = Compression::BUCKLING;
    let built = |solver: SolverChoice, cloth: &ClothDescription| {
        World::build(&WorldDescription {
            cloths: vec![cloth.clone()],
            simulation: settings(solver, Some(1)),
            ..WorldDescription::bare()
        })
        .map(|_| ())
    };
    for solver in [SolverChoice::Xpbd, SolverChoice::Pbd] {
        let error = built(solver, &cloth).unwrap_err().to_string();
        assert!(
            error.contains(solver.name()) && error.contains("\"global\", \"direct\" or \"block\""),
            "{error}"
        );
    }
    assert!(built(SolverChoice::Block, &cloth).is_ok());
    cloth.membrane = MembraneModel::Edges;
    let error = built(SolverChoice::Block, &cloth).unwrap_err().to_string();
    assert!(error.contains("constraint = \"strain\""), "{error}");
}
