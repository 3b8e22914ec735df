//! Cloths against obstacles made of triangles.

use crate::common::*;
use glam::{DVec2, DVec3};
use taffeta::contact::{ContactSurface, MeshObstacle, Obstacle, Shape};
use taffeta::core::random::SplitMix64;
use taffeta::core::{Friction, Keyframe, KeyframedMotion, Placement};
use taffeta::io::{GridPattern, sphere_mesh};
use taffeta::remesh::RemeshSettings;
use taffeta::scene::materials;
use taffeta::sim::queries;
use taffeta::sim::{
    Checkpoint, ClothDescription, LooseDescription, Material, Mode, RopeBending, RopeDescription,
    RopeMaterial, SimulationSettings, SolverChoice, SubstepPlan, World, WorldDescription,
};

const SOLVERS: [SolverChoice; 2] = [SolverChoice::Global, SolverChoice::Block];

/// A horizontal sheet of cotton of `size` m around the vertical axis, at a height \[m\].
fn sheet(cells: u32, size: f64, height: f64) -> ClothDescription {
    let cotton = materials::preset("cotton").unwrap().material;
    let mut mesh = square(cells, GridPattern::Alternating);
    let place = |x: &DVec3| DVec3::new(size * (x.x - 0.5), height, size * (0.5 - x.y));
    mesh.positions = mesh.positions.iter().map(place).collect();
    mesh.material.iter_mut().flatten().flatten().for_each(|u| *u *= size);
    ClothDescription::new("sheet", mesh, cotton)
}

fn over(cloth: ClothDescription, mesh: MeshObstacle, solver: SolverChoice) -> WorldDescription {
    WorldDescription {
        cloths: vec![cloth],
        mesh_obstacles: vec![mesh],
        simulation: SimulationSettings { solver, ..SimulationSettings::default() },
        ..WorldDescription::bare()
    }
}

/// A box of 12 triangles around the origin.
fn cuboid(half: DVec3) -> MeshObstacle {
    let corner = |k: u32| {
        let sign = |axis: u32| if k >> axis & 1 == 0 { -1.0 } else { 1.0 };
        half * DVec3::new(sign(0), sign(1), sign(2))
    };
    let side = |[a, b, c, d]: [u32; 4]| [[a, b, c], [a, c, d]];
    let sides = [[0, 4, 6, 2], [1, 3, 7, 5], [0, 1, 5, 4], [2, 6, 7, 3], [0, 2, 3, 1], [4, 5, 7, 6]];
    let faces = sides.into_iter().flat_map(side).collect();
    MeshObstacle::new((0..8).map(corner).collect(), faces, Placement::default())
}

fn ball(radius: f64, level: u32) -> MeshObstacle {
    let mesh = sphere_mesh(radius, level);
    MeshObstacle::new(mesh.positions, mesh.faces, Placement::default())
}

/// Along the vertical from 0 to `way` m in `time` s.
fn lift(way: f64, time: f64) -> KeyframedMotion {
    let key = |time, y| Keyframe { time, translate: DVec3::Y * y, rotate_deg: DVec3::ZERO };
    KeyframedMotion::from(vec![key(0.0, 0.0), key(time, way)])
}

/// Runs and asserts after every frame that nothing crosses. Returns how many motions were shortened, and the impulse lost.
fn run_apart(world: &mut World, frames: u32) -> (u64, f64) {
    let mut lost = (0, 0.0);
    for frame in 0..frames {
        let report = run(world, 1);
        let crossings = world.crossings().expect("there is a mesh");
        assert!(crossings.is_empty(), "frame {frame}: {} crossings", crossings.len());
        assert_eq!(report.safeguard.forced, 0, "frame {frame}");
        lost = (lost.0 + report.safeguard.shortened, lost.1 + report.safeguard.lost_impulse);
    }
    lost
}

fn farthest(a: &[DVec3], b: &[DVec3]) -> f64 {
    a.iter().zip(b).map(|(a, b)| a.distance(*b)).fold(0.0, f64::max)
}

#[test]
fn a_drape_over_a_polyhedron_is_that_over_a_sphere() {
    let radius = 0.15;
    for solver in SOLVERS {
        // Soft enough in its plane and stiff enough against bending not to buckle, where any difference would grow.
        let mut cloth = sheet(10, 0.3, 0.1515);
        cloth.material = Material::isotropic(0.3, 30.0, 0.3, 2e-3);
        let mut description = over(cloth, ball(radius, 3), solver);
        description.mesh_obstacles.clear();
        description.simulation.velocity_damping = 30.0;
        description.obstacles = vec![Obstacle::new(Shape::Sphere { radius }, Placement::default())];
        let mut sphere = build(&description);
        run(&mut sphere, 20);
        assert!(sphere.mesh(0).positions.iter().any(|x| x.y < 0.1), "it must hang down");
        description.obstacles.clear();
        for level in [3, 4, 5] {
            let mesh = ball(radius, level);
            let middle =
                |face: &[u32; 3]| face.map(|v| mesh.shapes[0][v as usize]).iter().sum::<DVec3>() / 3.0;
            let depth = mesh.faces.iter().map(|face| radius - middle(face).length()).fold(0.0, f64::max);
            description.mesh_obstacles = vec![mesh];
            let mut polyhedron = build(&description);
            run_apart(&mut polyhedron, 20);
            let found = farthest(&polyhedron.mesh(0).positions, &sphere.mesh(0).positions);
            // One sweep per substep does not converge: what the block solver leaves is not the polygons'.
            let tolerance = if solver == SolverChoice::Global { 4.0 * depth } else { 0.01 * radius };
            assert!(
                found < tolerance,
                "{solver:?}, level {level}: {found} m, the faces are {depth} m too low"
            );
        }
    }
}

#[test]
fn a_thin_plate_takes_a_sheet_along_at_any_speed() {
    for solver in SOLVERS {
        for speed in [2.0, 10.0, 50.0] {
            let mut plate = cuboid(DVec3::new(0.1, 0.0005, 0.1));
            plate.place = Placement::at(DVec3::Y * -0.01);
            plate.motion = lift(0.5, 0.5 / speed);
            let mut world = build(&over(sheet(8, 0.3, 0.0), plate, solver));
            // To the frame in which it stops.
            let frames = (0.5 / speed / FRAME).ceil() as u32;
            run_apart(&mut world, frames);
            let mesh = world.mesh(0);
            let material = mesh.material.as_ref().expect("a grid has material coordinates");
            let is_middle = |u: &&DVec2| u.distance(DVec2::splat(0.15)) < 1e-9;
            let corner = material.iter().flatten().position(|u| is_middle(&u)).unwrap();
            let height = mesh.positions[mesh.faces[corner / 3][corner % 3] as usize].y;
            assert!(height > 0.49, "{solver:?}, {speed} m/s: the middle of the sheet is at {height}");
        }
    }
}

#[test]
fn substeps_of_a_moving_obstacle_follow_from_the_size_of_the_cloth_and_not_from_its_mesh() {
    let half = DVec3::new(0.1, 0.0005, 0.1);
    let shapes = [
        Shape::Box { half_size: half },
        Shape::Sphere { radius: 0.1 },
        Shape::Capsule { radius: 0.05, half_length: 0.05 },
        Shape::Plane { normal: DVec3::Y },
    ];
    // At 60 frames per second; a sheet of 30 cm by 30 cm has a diagonal of 424 mm, of which a hundredth is a stride.
    for (speed, expected, capped) in [(10.0, 40, false), (50.0, 197, false), (600.0, 400, true)] {
        for cells in tier([3, 6], [4, 6]) {
            let mut description = over(sheet(cells, 0.3, 0.0), cuboid(half), SolverChoice::Global);
            description.mesh_obstacles[0].place = Placement::at(DVec3::Y * -0.15);
            description.mesh_obstacles[0].motion = lift(speed, 1.0);
            let count = |description: &WorldDescription| run(&mut build(description), 1).plan;
            // At 600 m/s the work of a step is used up before its end.
            let is_as_expected = |plan: &SubstepPlan| match plan.hurried_since {
                Some(_) => capped,
                None => plan.substeps == expected,
            };
            let plan = count(&description);
            assert_eq!(plan.capped_stride.is_some(), capped, "mesh, {speed} m/s");
            assert!(is_as_expected(&plan), "mesh, {cells} cells, {speed} m/s: {plan:?}");
            description.mesh_obstacles.clear();
            // A frame of the most substeps takes long.
            let count_of_shapes = if capped { tier(1, 4) } else { 4 };
            for shape in shapes.into_iter().take(count_of_shapes) {
                let place = Placement::at(DVec3::Y * -0.15);
                description.obstacles =
                    vec![Obstacle { motion: lift(speed, 1.0), ..Obstacle::new(shape, place) }];
                let plan = count(&description);
                assert!(is_as_expected(&plan), "{shape:?}, {cells} cells, {speed} m/s: {plan:?}");
            }
            // Far away, or if the scene says how many, the motion does not matter.
            description.obstacles[0].place = Placement::at(DVec3::Y * -15.0);
            let far = count(&description).substeps;
            let obstacles = std::mem::take(&mut description.obstacles);
            assert_eq!(far, count(&description).substeps);
            assert!(far < expected, "{far}");
            description.obstacles = obstacles;
            description.simulation.substeps = Some(3);
            assert_eq!(count(&description).substeps, 3);
        }
    }
}

#[test]
fn a_sequence_pushes_a_sheet() {
    for solver in SOLVERS {
        let mut bump = ball(0.1, 3);
        bump.place = Placement::at(DVec3::Y * -0.102);
        let grown = bump.shapes[0].iter().map(|x| *x * DVec3::new(1.0, 2.0, 1.0)).collect();
        bump.shapes.push(grown);
        bump.shape_rate = 5.0;
        let mut description = over(sheet(8, 0.3, 0.0), bump, solver);
        description.simulation.gravity = DVec3::ZERO;
        let mut world = build(&description);
        run_apart(&mut world, 12);
        // Its top has gone up by 10 cm in 0.2 s.
        let x = world.mesh(0).positions;
        let top = x.iter().map(|x| x.y).fold(f64::NEG_INFINITY, f64::max);
        let bound = 0.5 * 0.098 / FRAME / 12.0;
        let mass: f64 = world.motion().masses.iter().sum();
        let speed = world.measure().momentum.y / mass;
        assert!(top > 0.098 && speed > bound, "{solver:?}: {top} m, {speed} m/s");
    }
}

/// Two balls in one mesh, above and below of the origin, whose surfaces have a distance \[m\]; negative: they overlap.
fn two_balls(distance: f64) -> (Vec<DVec3>, Vec<[u32; 3]>) {
    let one = sphere_mesh(0.06, 3);
    let count = one.positions.len() as u32;
    let moved = |up: f64| one.positions.iter().map(move |x| *x + DVec3::Y * up * (0.06 + 0.5 * distance));
    let second = one.faces.iter().map(|face| face.map(|v| v + count));
    (moved(1.0).chain(moved(-1.0)).collect(), one.faces.iter().copied().chain(second).collect())
}

#[test]
fn parts_of_a_body_that_pass_into_each_other_leave_room_for_cloth() {
    // They overlap by 3 cm from 0.3 s on, and come apart again.
    let distances = [0.04, 0.02, -0.01, -0.03, -0.03, -0.01, 0.02, 0.04];
    for solver in SOLVERS {
        let mut body = MeshObstacle::new(two_balls(0.0).0, two_balls(0.0).1, Placement::default());
        body.shapes = distances.iter().map(|d| two_balls(*d).0).collect();
        body.shape_rate = 10.0;
        let mut description = over(sheet(16, 0.3, 0.0), body.clone(), solver);
        description.simulation.gravity = DVec3::ZERO;
        let mut world = build(&description);
        assert_eq!(world.mesh_obstacles()[0].shapes[0], body.shapes[0], "they are apart there");
        for _ in 0..9 {
            run_apart(&mut world, 5);
            let strain = world.measure().max_strain;
            assert!(strain < 0.02, "{solver:?}: {strain}");
        }

        // A body that comes later makes room as well, and more for a thicker cloth.
        let mut later = build(&WorldDescription { mesh_obstacles: Vec::new(), ..description.clone() });
        later.add_mesh_obstacle(body.clone()).unwrap();
        let parted = world.mesh_obstacles()[0].clone();
        assert_eq!(later.mesh_obstacles()[0].shapes, parted.shapes);
        let mut thick = ClothDescription { name: "thick".into(), ..sheet(4, 0.1, 0.5) };
        thick.material.thickness = 0.002;
        later.add_cloth(&thick).unwrap();
        assert!((later.mesh_obstacles()[0].parting.gap - 0.012).abs() < 1e-15);
        assert_ne!(later.mesh_obstacles()[0].shapes, parted.shapes);

        // The same by a caller who gives positions.
        description.mesh_obstacles[0].shapes.truncate(1);
        let mut world = build(&description);
        let id = world.obstacle_ids().next().expect("it is there");
        for distance in distances {
            world.set_obstacle_mesh(id, &two_balls(distance).0).unwrap();
            run_apart(&mut world, 1);
        }
        assert!(world.measure().max_strain < 0.05, "{solver:?}: {}", world.measure().max_strain);
    }
}

/// Triangles of random shape at random places in a flat box: open, crossing each other, turned any way; some share an
/// edge with two others, one is a line.
fn soup(seed: u64) -> MeshObstacle {
    let mut random = SplitMix64(seed);
    let mut point = |size: f64| DVec3::from_array([0; 3].map(|_| size * (random.next_unit() - 0.5)));
    let (mut positions, mut faces) = (Vec::new(), Vec::new());
    for k in 0..60 {
        let place = point(0.3) * DVec3::new(1.0, 0.1, 1.0);
        let first = positions.len() as u32;
        positions.extend((0..3).map(|_| place + point(0.1)));
        faces.push([first, first + 1, first + 2]);
        if k % 5 == 0 {
            positions.extend([place + point(0.1), place + point(0.1)]);
            faces.extend([[first, first + 1, first + 3], [first + 4, first + 1, first]]);
        }
    }
    faces.push([0, 0, 1]);
    MeshObstacle::new(positions, faces, Placement::at(DVec3::Y * -0.12))
}

#[test]
fn holes_fins_crossings_and_turned_faces_do_not_matter() {
    for solver in SOLVERS {
        let mut description = over(sheet(8, 0.3, 0.0), soup(3), solver);
        let mut world = build(&description);
        assert!(world.crossings().unwrap().is_empty(), "obstacles do not count as crossing each other");
        run_apart(&mut world, 30);
        let highest = world.mesh(0).positions.iter().map(|x| x.y).fold(f64::NEG_INFINITY, f64::max);
        assert!(highest > -0.2, "{solver:?}: it lies on the heap, {highest}");
        for (k, face) in description.mesh_obstacles[0].faces.iter_mut().enumerate() {
            face.rotate_left(k % 3);
            face.swap(0, k % 2);
        }
        let mut turned = build(&description);
        run(&mut turned, 30);
        assert_eq!(turned.state_hash(), world.state_hash(), "contact has two sides");
    }
}

#[test]
fn a_cloth_inside_a_closed_mesh_stays_inside() {
    let mut world = build(&over(sheet(6, 0.1, 0.0), ball(0.12, 2), SolverChoice::Global));
    run_apart(&mut world, 30);
    let x = world.mesh(0).positions;
    assert!(x.iter().all(|x| x.length() < 0.12) && x.iter().all(|x| x.y < -0.05), "it lies at the bottom");
}

#[test]
fn meshes_give_the_same_bits_for_any_number_of_threads_and_after_a_checkpoint() {
    let mut mesh = soup(5);
    mesh.motion = lift(0.05, 0.2);
    let risen = mesh.shapes[0].iter().map(|x| *x + DVec3::Y * 0.02).collect();
    mesh.shapes.push(risen);
    mesh.shape_rate = 4.0;
    for solver in [SolverChoice::Global, SolverChoice::Block] {
        let worlds = [1, 3].map(|threads| {
            let mut description = over(sheet(8, 0.3, 0.0), mesh.clone(), solver);
            description.simulation.threads = threads;
            (description.clone(), build(&description))
        });
        let [(description, mut one), (_, mut three)] = worlds;
        run(&mut one, 10);
        let saved = one.checkpoint().to_bytes();
        run(&mut one, 10);
        run(&mut three, 20);
        assert_eq!(one.state_hash(), three.state_hash(), "{solver:?}: threads");
        let mut resumed = build(&description);
        resumed.restore(Checkpoint::from_bytes(&saved).unwrap()).unwrap();
        run(&mut resumed, 10);
        assert_eq!(one.state_hash(), resumed.state_hash(), "{solver:?}: a checkpoint");
    }
}

#[test]
fn what_crosses_a_mesh_at_the_start_is_told_and_the_run_goes_on() {
    let mut description = over(sheet(8, 0.3, 0.0), ball(0.1, 2), SolverChoice::Global);
    description.mesh_obstacles[0].place = Placement::at(DVec3::new(0.13, -0.05, 0.0));
    let mut world = build(&description);
    let crossings = world.crossings().unwrap();
    assert!(!crossings.is_empty());
    let places = queries::contact_positions(&world);
    let near = |v: &u32| (places[*v as usize] - DVec3::new(0.13, -0.05, 0.0)).length() < 0.2;
    assert!(crossings.iter().all(|crossing| crossing.edge.iter().all(near)));
    run(&mut world, 20);
    assert!(world.mesh(0).positions.iter().all(|x| x.is_finite()));
}

#[test]
fn without_contact_between_cloths_only_the_mesh_is_met() {
    let mut above = sheet(6, 0.2, 0.01);
    above.name = "above".to_owned();
    above.velocity = DVec3::Y * -1.0;
    let mut description = over(sheet(6, 0.2, 0.0), cuboid(DVec3::new(0.2, 0.01, 0.2)), SolverChoice::Global);
    description.cloths.push(above);
    description.mesh_obstacles[0].place = Placement::at(DVec3::Y * -0.05);
    let heights = [false, true].map(|self_contact| {
        let mut world = build(&WorldDescription { self_contact: Some(self_contact), ..description.clone() });
        run_apart(&mut world, 30);
        [0, 1].map(|cloth| world.mesh(cloth).positions.iter().map(|x| x.y).fold(f64::INFINITY, f64::min))
    });
    let thickness = description.cloths[0].material.thickness;
    assert!(heights.iter().flatten().all(|y| *y > -0.04), "{heights:?}");
    let [apart, piled] = heights.map(|[below, above]| above - below);
    assert!(apart.abs() < 0.2 * thickness && piled > 0.8 * thickness, "{apart} {piled}");
}

#[test]
fn ropes_and_points_lie_on_meshes() {
    let material = RopeMaterial {
        density: 0.05,
        stretch: 500.0,
        bend: 1e-4,
        stretch_damping: 0.0,
        bend_damping: 0.0,
        friction: Friction::default(),
    };
    let rope = RopeDescription {
        name: "rope".to_owned(),
        points: (0..=10).map(|i| DVec3::new(0.02 * f64::from(i) - 0.1, 0.05, 0.003)).collect(),
        radius: 0.004,
        material,
        bending: RopeBending::Curvature,
        plane: None,
        rest_curvature: None,
        projection: Default::default(),
        velocity: DVec3::ZERO,
        angular_velocity: DVec3::ZERO,
        pins: Vec::new(),
    };
    let point = LooseDescription {
        name: "point".to_owned(),
        positions: vec![DVec3::new(0.01, 0.05, 0.05)],
        masses: vec![0.01],
        layout: None,
        surface: ContactSurface { offset: 0.006, friction: Friction::default() },
        velocity: DVec3::ZERO,
        angular_velocity: DVec3::ZERO,
        pins: Vec::new(),
    };
    for solver in SOLVERS {
        let mut description = over(sheet(2, 0.1, 0.2), cuboid(DVec3::new(0.2, 0.01, 0.2)), solver);
        description.cloths.clear();
        description.ropes = vec![rope.clone()];
        description.loose = vec![point.clone()];
        let mut world = build(&description);
        run_apart(&mut world, 60);
        let lowest = |body: usize| {
            let x = world.loose_state(body).0;
            x.iter().map(|x| x.y - 0.01).fold(f64::INFINITY, f64::min)
        };
        let (point, rope) = (lowest(0), lowest(1));
        assert!((point - 0.006).abs() < 2e-4 && (rope - 0.004).abs() < 2e-4, "{solver:?}: {point} {rope}");
    }
}

#[test]
fn a_sheet_finds_its_equilibrium_on_a_mesh() {
    let mut description =
        over(sheet(tier(4, 6), 0.3, 0.0106), cuboid(DVec3::new(0.08, 0.01, 0.08)), SolverChoice::Auto);
    description.cloths[0].material = Material::isotropic(0.3, 30.0, 0.3, 2e-3);
    description.simulation.mode = Mode::Static;
    // With friction it creeps on where edges touch edges, and the search does not end.
    description.cloths[0].material.friction = Friction::NONE;
    let mut world = build(&description);
    assert_eq!(world.solver_name(), "direct");
    world.equilibrate().expect("it comes to rest");
    assert!(world.crossings().unwrap().is_empty());
    let low = world.mesh(0).positions.iter().map(|x| x.y).fold(f64::INFINITY, f64::min);
    assert!(low < 0.0, "its edges hang down: {low}");
}

/// Friction is remembered from step to step of the search. Its springs began anew in each, and the sheet crept on for ever.
#[test]
fn a_sheet_finds_its_equilibrium_on_a_mesh_with_friction() {
    let mut description = over(sheet(8, 0.3, 0.1515), ball(0.15, 2), SolverChoice::Auto);
    description.cloths[0].material = Material::isotropic(0.3, 30.0, 0.3, 2e-3);
    description.simulation.mode = Mode::Static;
    let mut world = build(&description);
    world.equilibrate().expect("it comes to rest");
    assert!(world.crossings().unwrap().is_empty());
}

#[test]
fn a_sheet_that_is_remeshed_over_a_mesh_does_not_cross_it() {
    let mut description = over(sheet(5, 0.3, 0.102), ball(0.1, 2), SolverChoice::Global);
    let settings =
        RemeshSettings { size_min: tier(0.03, 0.02), size_max: 0.1, ..RemeshSettings::by_thresholds() };
    description.cloths[0].remesh = Some(settings);
    let mut world = build(&description);
    let mut edits = 0;
    for frame in 0..tier(18, 25) {
        let report = run(&mut world, 1);
        edits += report.remesh.splits + report.remesh.collapses + report.remesh.flips;
        let crossings = world.crossings().unwrap();
        assert!(crossings.is_empty(), "frame {frame}: {} crossings", crossings.len());
    }
    assert!(edits > 50, "{edits} edits");
}

#[test]
fn what_does_not_go_with_meshes_is_refused() {
    let good = over(sheet(3, 0.1, 0.0), ball(0.1, 1), SolverChoice::Global);
    let refused = |harm: &dyn Fn(&mut WorldDescription), words: &str| {
        let mut description = good.clone();
        harm(&mut description);
        let reason = World::build(&description).unwrap_err().to_string();
        assert!(reason.contains(words), "{reason}");
    };
    refused(
        &|d| d.simulation.solver = SolverChoice::Projective,
        "the solver \"projective\" does not know contact with meshes",
    );
    refused(&|d| d.mesh_obstacles[0].faces.push([0, 1, 999]), "mesh obstacle 0: a face has the corners");
    refused(&|d| d.mesh_obstacles[0].friction.kinetic = 9.0, "mesh obstacle 0: kinetic friction");
    refused(&|d| d.mesh_obstacles[0].faces.clear(), "mesh obstacle 0: its mesh has no faces");
}
