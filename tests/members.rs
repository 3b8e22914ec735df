//! Bodies that come while a world is under way: their times, their names, their checkpoints.

use crate::common::*;
use glam::{DVec2, DVec3};
use taffeta::contact::{MeshObstacle, Obstacle, Shape};
use taffeta::core::{Keyframe, KeyframedMotion, Placement, Pose, Region, TriangleMesh};
use taffeta::io::{GridPattern, sphere_mesh};
use taffeta::sim::{
    Checkpoint, ClothDescription, EnclosedDescription, PinDescription, RopeDescription, RopeMaterial,
    SeamDescription, SeamSides, SolverChoice, StepInputs, World, WorldDescription, queries,
};

/// Time at which a body comes to the world \[s\].
const LATER: u32 = 30;

fn moved(way: f64, time: f64) -> KeyframedMotion {
    let key = |time, x| Keyframe { time, translate: DVec3::X * x, rotate_deg: DVec3::ZERO };
    vec![key(0.0, 0.0), key(time, way)].into()
}

/// A sheet of 0.4 m at a height, in which nothing moves.
fn sheet(name: &str, height: f64) -> ClothDescription {
    let mut mesh = square(4, GridPattern::Alternating);
    mesh.positions.iter_mut().for_each(|x| *x = DVec3::new(0.4 * x.x, height, -0.4 * x.y));
    mesh.material.iter_mut().flatten().flatten().for_each(|u| *u *= 0.4);
    ClothDescription::new(name, mesh, stiff())
}

/// A world of one sheet in weightlessness, under way for [`LATER`] frames.
fn under_way(solver: SolverChoice) -> World {
    let mut world = build(&start(solver));
    run(&mut world, LATER);
    world
}

fn start(solver: SolverChoice) -> WorldDescription {
    let mut simulation = settings(solver, Some(4));
    simulation.gravity = DVec3::ZERO;
    WorldDescription { cloths: vec![sheet("first", 0.0)], simulation, ..WorldDescription::bare() }
}

/// A ball that is inflated to twice its volume within a second.
fn balloon() -> ClothDescription {
    let TriangleMesh { positions, faces, .. } = sphere_mesh(0.1, 2);
    let positions = positions.into_iter().map(|x| x + DVec3::Y * 3.0).collect();
    ClothDescription {
        volume: Some(EnclosedDescription { ratio: 2.0, inflation: 1.0, bulk: None }),
        ..ClothDescription::new("balloon", TriangleMesh { positions, faces, material: None }, stiff())
    }
}

/// Two panels that are sewn together within half a second.
fn panels() -> ClothDescription {
    let mut mesh = sheet("", 5.0).mesh;
    let (count, other) = (mesh.positions.len() as u32, mesh.clone());
    mesh.positions.extend(other.positions.iter().map(|x| *x + DVec3::X * 0.44));
    mesh.faces.extend(other.faces.iter().map(|face| face.map(|v| v + count)));
    let material = other.material.expect("it has some").into_iter();
    let shifted = material.map(|corners| corners.map(|u| u + DVec2::X * 0.4));
    mesh.material.as_mut().expect("it has some").extend(shifted);
    let seam = SeamDescription { sides: SeamSides::Near(0.05), time: 0.5, ease: false };
    ClothDescription { seams: vec![seam], ..ClothDescription::new("panels", mesh, stiff()) }
}

#[test]
fn an_inflation_counts_from_when_its_cloth_comes() {
    let mut world = under_way(SolverChoice::Block);
    world.add_cloth(&balloon()).expect("it is closed");
    for frame in 1..=3 {
        let before = queries::enclosed_volumes(&world)[0].volume;
        run(&mut world, 1);
        let now = queries::enclosed_volumes(&world)[0];
        // 1.017 after the first frame, where it was 2 at once.
        let mesh = sphere_mesh(0.1, 2);
        let start = volume(&mesh);
        let expected = 1.0 + FRAME * f64::from(frame);
        assert!((now.target / start - expected).abs() < 1e-9, "{frame}: {}", now.target / start);
        assert!((now.volume / start - expected).abs() < 0.01, "{frame}: {before} to {}", now.volume / start);
    }
}

fn volume(mesh: &TriangleMesh) -> f64 {
    let corner = |v: u32| mesh.positions[v as usize];
    mesh.faces.iter().map(|[a, b, c]| corner(*a).dot(corner(*b).cross(corner(*c))) / 6.0).sum()
}

#[test]
fn a_seam_counts_from_when_its_cloth_comes() {
    for solver in [SolverChoice::Global, SolverChoice::Block] {
        let mut later = under_way(solver);
        later.add_cloth(&panels()).expect("it can be sewn");
        let mut from_start =
            build(&WorldDescription { cloths: vec![sheet("first", 0.0), panels()], ..start(solver) });
        for frame in 1..=40 {
            [&mut later, &mut from_start].into_iter().for_each(|world| drop(run(world, 1)));
            let [a, b] = [&later, &from_start].map(|world| queries::seams(world)[0].clone());
            assert!((a.gap - b.gap).abs() < 2e-4, "{solver:?}, frame {frame}: {} and {}", a.gap, b.gap);
            assert_eq!(a.is_late, b.is_late, "{solver:?}, frame {frame}");
            if frame == 1 {
                assert!(a.gap > 0.039, "{solver:?}: it jumps to {}", a.gap);
            }
        }
        let [a, b] = [&later, &from_start].map(|world| queries::seams(world)[0].closed.expect("it is sewn"));
        assert!((a - b - FRAME * f64::from(LATER)).abs() < 2.5 * FRAME, "{solver:?}: {a} and {b}");
    }
}

/// A sheet whose corner is moved by 1 m within a second, and let go after half of it.
fn led(name: &str) -> ClothDescription {
    let corner = Region::MaterialBox([DVec2::ZERO, DVec2::ZERO]);
    let mut cloth = sheet("led", 7.0);
    cloth.pins.push(PinDescription {
        name: name.into(),
        motion: moved(1.0, 1.0),
        release: Some(0.5),
        ..PinDescription::new(corner)
    });
    cloth
}

#[test]
fn keys_and_releases_of_pins_count_from_when_they_come() {
    let mut world = under_way(SolverChoice::Global);
    let id = world.add_cloth(&led("hand")).expect("a cloth");
    let hand = world.find_pin("hand").expect("its name");
    let finger =
        PinDescription { release: Some(0.25), motion: moved(-1.0, 1.0), ..PinDescription::default() };
    let far = world.cloth(id).vertex(0);
    let held = queries::pin_vertices(&world, hand)[0];
    let other = world.cloth(world.cloth_ids()[0]).vertex(3);
    assert_ne!(far, other);
    let finger = world.add_pin(&[other], &finger).expect("it is free");
    let starts = [held, other].map(|vi| world.motion().positions[vi]);
    for frame in 1..=LATER + 2 {
        run(&mut world, 1);
        let age = f64::from(frame) * FRAME;
        let way = [held, other].map(|vi| world.motion().positions[vi]);
        if age < 0.5 - 1e-9 {
            assert!((way[0] - starts[0]).distance(DVec3::X * age) < 1e-12, "frame {frame}: {}", way[0]);
        }
        if age < 0.25 - 1e-9 {
            assert!((way[1] - starts[1]).distance(DVec3::X * -age) < 1e-12, "frame {frame}: {}", way[1]);
        }
        assert_eq!(world.has_released(hand), age > 0.5 + 1e-9, "frame {frame}");
        assert_eq!(world.has_released(finger), age > 0.25 + 1e-9, "frame {frame}");
    }
}

#[test]
fn keys_and_shapes_of_obstacles_count_from_when_they_come() {
    let mut world = under_way(SolverChoice::Global);
    let ball = Obstacle {
        motion: moved(1.0, 1.0),
        ..Obstacle::new(Shape::Sphere { radius: 0.1 }, Placement::at(DVec3::Y * -5.0))
    };
    let mesh = sphere_mesh(0.1, 1);
    let shape = |y: f64| mesh.positions.iter().map(|x| *x + DVec3::Y * y).collect::<Vec<_>>();
    let wave = MeshObstacle {
        shapes: vec![shape(-9.0), shape(-8.0)],
        shape_rate: 1.0,
        ..MeshObstacle::new(shape(-9.0), mesh.faces.clone(), Placement::default())
    };
    world.add_obstacle(ball).expect("a ball");
    world.add_mesh_obstacle(wave.clone()).expect("a mesh");
    for frame in 0..=15 {
        let age = f64::from(frame) * FRAME;
        let x = world.obstacles()[0].pose_at(world.time()).translation.x;
        let y = world.mesh_obstacles()[0].positions_at(world.time())[0].y - wave.shapes[0][0].y;
        assert!((x - age).abs() < 1e-12 && (y - age).abs() < 1e-12, "frame {frame}: {x}, {y}");
        run(&mut world, 1);
    }
}

#[test]
fn times_of_added_bodies_are_in_checkpoints_and_snapshots() {
    let add = |world: &mut World| {
        world.add_cloth(&balloon()).expect("a balloon");
        world.add_cloth(&led("hand")).expect("a cloth");
        world.add_obstacle(Obstacle {
            motion: moved(1.0, 1.0),
            ..Obstacle::new(Shape::Sphere { radius: 0.1 }, Placement::at(DVec3::Y * -5.0))
        })
    };
    let mut whole = under_way(SolverChoice::Block);
    add(&mut whole).expect("an obstacle");
    run(&mut whole, 5);
    let (bytes, snapshot) = (whole.checkpoint().to_bytes(), whole.snapshot());
    let rest = |world: &mut World| (0..6).map(|_| run(world, 1).state_hash).collect::<Vec<_>>();
    let expected = rest(&mut whole);
    // In the world that resumes they come at time 0.
    let mut resumed = build(&start(SolverChoice::Block));
    add(&mut resumed).expect("an obstacle");
    resumed.restore(Checkpoint::from_bytes(&bytes).expect("sound")).expect("of such a world");
    assert_eq!(rest(&mut resumed), expected);
    assert_eq!(resumed.checkpoint_hash(), whole.checkpoint_hash());
    whole.return_to(&snapshot).expect("of this world");
    assert_eq!(rest(&mut whole), expected);
}

#[test]
fn a_name_belongs_to_one_body_and_is_free_when_it_goes() {
    let refused = |change: &dyn Fn(&mut WorldDescription), words: &str| {
        let mut description = start(SolverChoice::Global);
        change(&mut description);
        let error = World::build(&description).expect_err(words).to_string();
        assert!(error.contains(words) && error.contains("has that name already"), "{error}");
    };
    let ball = || Obstacle {
        name: "ball".into(),
        ..Obstacle::new(Shape::Sphere { radius: 0.1 }, Placement::at(DVec3::Y * -5.0))
    };
    let mesh_ball = || {
        let TriangleMesh { positions, faces, .. } = sphere_mesh(0.1, 1);
        MeshObstacle {
            name: "ball".into(),
            ..MeshObstacle::new(positions, faces, Placement::at(DVec3::Y * -9.0))
        }
    };
    let rope = || {
        let points = (0..4).map(|i| DVec3::new(f64::from(i), 9.0, 0.0)).collect();
        RopeDescription::new("first", points, 0.01, RopeMaterial::new(0.05, 1e4, 1e-3))
    };
    refused(&|d| d.cloths.push(sheet("first", 1.0)), "cloth 'first'");
    refused(&|d| d.ropes.push(rope()), "rope 'first'");
    refused(&|d| d.obstacles.extend([ball(), ball()]), "obstacle 'ball'");
    refused(
        &|d| {
            d.obstacles.push(ball());
            d.mesh_obstacles.push(mesh_ball());
        },
        "obstacle 'ball'",
    );
    refused(
        &|d| d.cloths.extend([led("hand"), ClothDescription { name: "other".into(), ..led("hand") }]),
        "pin 'hand'",
    );

    let mut world = under_way(SolverChoice::Global);
    for _ in 0..2 {
        let led_id = world.add_cloth(&led("hand")).expect("the names are free");
        let ball_id = world.add_obstacle(ball()).expect("the name is free");
        let before = world.checkpoint_hash();
        let twice = [
            world.add_cloth(&led("foot")).expect_err("twice").to_string(),
            world
                .add_cloth(&ClothDescription { name: "other".into(), ..led("hand") })
                .expect_err("twice")
                .to_string(),
            world.add_obstacle(ball()).expect_err("twice").to_string(),
            world.add_mesh_obstacle(mesh_ball()).expect_err("twice").to_string(),
            world
                .add_pin(
                    &[world.cloth(world.cloth_ids()[0]).vertex(0)],
                    &PinDescription { name: "hand".into(), ..PinDescription::default() },
                )
                .expect_err("twice")
                .to_string(),
        ];
        for error in twice {
            assert!(error.contains("has that name already"), "{error}");
        }
        assert_eq!(world.checkpoint_hash(), before, "what is refused changes nothing");
        let hand = world.find_pin("hand").expect("the present one");
        assert!(!world.has_released(hand));
        run(&mut world, 1);
        world.remove_cloth(led_id).expect("it is there");
        world.remove_obstacle(ball_id).expect("it is there");
        run(&mut world, 1);
    }
}

#[test]
fn a_checkpoint_of_another_world_says_what_differs() {
    let checkpoint = |change: &dyn Fn(&mut WorldDescription)| {
        let mut description = start(SolverChoice::Block);
        change(&mut description);
        build(&description)
    };
    let ball = || Obstacle::new(Shape::Sphere { radius: 0.1 }, Placement::at(DVec3::Y * -5.0));
    type Change = fn(&mut WorldDescription);
    let cases: [(Change, &str); 4] = [
        (|d| d.cloths[0].pins = led("hand").pins, "it has no pins, but this world has the pins [hand]"),
        (|d| d.cloths[0].name = "other".into(), "the cloths [first], but this world has the cloths [other]"),
        (|d| d.cloths.push(panels()), "the cloths [first], but this world has the cloths [first, panels]"),
        (
            |d| {
                let TriangleMesh { positions, faces, .. } = sphere_mesh(0.1, 1);
                let place = Placement::at(DVec3::Y * -9.0);
                d.mesh_obstacles.push(MeshObstacle::new(positions, faces, place));
            },
            "no mesh obstacles, but this world has the mesh obstacles [one without a name of 42 vertices]",
        ),
    ];
    let saved = checkpoint(&|_| ()).checkpoint();
    for (change, words) in cases {
        let mut world = checkpoint(&|d| change(d));
        let before = world.checkpoint_hash();
        let error = world.restore(saved.clone()).expect_err(words).to_string();
        assert!(error.starts_with("the checkpoint is of another scene or world: "), "{error}");
        assert!(error.contains(words), "{error}");
        assert_eq!(world.checkpoint_hash(), before);
    }
    let error =
        checkpoint(&|d| d.obstacles.push(ball())).restore(saved).expect_err("an obstacle").to_string();
    assert!(error.contains("no obstacles, but this world has the obstacles ["), "{error}");
}

/// A rope along x whose first end is clamped.
fn clamped(release: Option<f64>) -> WorldDescription {
    let points = (0..=8).map(|i| DVec3::X * (0.05 * f64::from(i))).collect();
    let mut rope = RopeDescription::new("rope", points, 0.005, RopeMaterial::new(0.05, 1e4, 1e-2));
    let region = Region::Vertices(vec![0]);
    rope.pins =
        vec![PinDescription { name: "end".into(), clamp: true, release, ..PinDescription::new(region) }];
    WorldDescription { ropes: vec![rope], ..WorldDescription::bare() }
}

#[test]
fn the_guide_of_a_clamped_end_is_no_vertex_of_its_pin() {
    for solver in [SolverChoice::Global, SolverChoice::Block, SolverChoice::Xpbd] {
        let mut world = build(&WorldDescription { simulation: settings(solver, Some(8)), ..clamped(None) });
        let end = world.find_pin("end").expect("its name");
        assert_eq!(queries::pin_vertices(&world, end).len(), 1, "{solver:?}");
        let up = DVec3::Y * 0.01;
        world.set_pin_targets(end, &[up]).expect("one target for one vertex");
        run(&mut world, 20);
        let x = world.loose_state(0).0;
        assert_eq!(x[0], up);
        // It leaves the clamp along x, wherever this went.
        let direction = (x[1] - x[0]).normalize();
        assert!(direction.x > 0.9, "{solver:?}: {direction}");
        let guide = world.motion().positions[world.sheet().topology.vertices().next().expect("the first")];
        assert!(guide.distance(up - DVec3::X * 0.05) < 1e-12, "{solver:?}: the guide goes along: {guide}");
    }
}

#[test]
fn a_clamp_in_a_wall_does_not_touch_it() {
    // The wall begins at the clamp, and the guide is inside of it.
    let shape = Shape::Box { half_size: DVec3::new(0.5, 1.0, 1.0) };
    let wall = Obstacle::new(shape, Placement::at(DVec3::X * -0.506));
    let mut world = build(&WorldDescription { obstacles: vec![wall], ..clamped(None) });
    for _ in 0..10 {
        let report = run(&mut world, 1);
        assert_eq!((report.safeguard.forced, report.contacts), (0, 0));
    }
}

#[test]
fn a_rope_whose_clamp_has_let_go_comes_to_rest() {
    let floor = Obstacle::new(Shape::Plane { normal: DVec3::Y }, Placement::at(DVec3::Y * -0.05));
    let mut world = build(&WorldDescription { obstacles: vec![floor], ..clamped(Some(0.1)) });
    let guide = world.sheet().topology.vertices().next().expect("the first");
    let mut rests = false;
    for _ in 0..tier(600, 1200) {
        let report = world.step(&StepInputs::default(), FRAME).expect("it steps");
        let x = world.motion();
        let end = world.loose_state(0).0[0];
        let away = x.positions[guide].distance(end);
        assert!(away < 0.06, "the guide stays at the end: {away} m");
        rests = report.plan.substeps == 0;
        if rests {
            break;
        }
    }
    assert!(rests, "it sleeps");
    let shifted = Pose { translation: DVec3::Y, ..Pose::IDENTITY };
    assert!(world.set_pin_pose(world.find_pin("end").expect("its name"), shifted).is_err());
    let error = world.add_pin(&[guide], &PinDescription::default()).expect_err("no point").to_string();
    assert!(error.contains("beyond a clamped end"), "{error}");
}
