//! Nothing passes unseen: what contact cannot keep apart is reported, at any speed, and takes no forever.

use crate::common::*;
use glam::{DVec2, DVec3};
use taffeta::contact::{MeshObstacle, Obstacle, Shape};
use taffeta::core::{Keyframe, KeyframedMotion, Placement, Region, TriangleMesh};
use taffeta::io::{GridPattern, sphere_mesh};
use taffeta::scene::materials;
use taffeta::sim::queries;
use taffeta::sim::{
    BendingModel, ClothDescription, PinDescription, SimulationSettings, SolverChoice, StepError, StepInputs,
    World, WorldDescription,
};

/// Side of the sheets \[m\].
const SIZE: f64 = 0.3;

/// A horizontal sheet around the origin, held along its boundary.
fn held_sheet(cells: u32) -> ClothDescription {
    let mut mesh = square(cells, GridPattern::Alternating);
    mesh.positions.iter_mut().for_each(|x| *x = DVec3::new(x.x - 0.5, 0.0, 0.5 - x.y) * SIZE);
    mesh.material.iter_mut().flatten().flatten().for_each(|u| *u *= SIZE);
    let mut cloth = ClothDescription::new("sheet", mesh, materials::preset("cotton").unwrap().material);
    cloth.pins = vec![PinDescription::new(Region::Boundary)];
    cloth
}

fn world_of(cloth: ClothDescription, solver: SolverChoice, substeps: Option<u32>) -> WorldDescription {
    WorldDescription {
        cloths: vec![cloth],
        simulation: SimulationSettings { solver, substeps, ..SimulationSettings::default() },
        ..WorldDescription::bare()
    }
}

/// Along the vertical between two heights \[m\].
fn between(from: f64, to: f64, time: f64) -> KeyframedMotion {
    let key = |time, y| Keyframe { time, translate: DVec3::Y * y, rotate_deg: DVec3::ZERO };
    KeyframedMotion::from(vec![key(0.0, from), key(time, to)])
}

fn moving(shape: Shape, motion: KeyframedMotion) -> Obstacle {
    Obstacle { motion, ..Obstacle::new(shape, Placement::default()) }
}

mod at_any_speed {
    use super::*;

    /// A body, which a half of it reaches beyond its origin at most \[m\].
    const REACH: f64 = 0.07;

    enum Body {
        Closed(Shape),
        Mesh,
    }

    /// Drives a body upward through a held sheet; in how many cases it is through in the end and nobody has said so.
    fn count_unseen(body: &Body, self_contact: bool) -> Vec<String> {
        let mut unseen = Vec::new();
        for speed in [1.0, 10.0, 100.0, 1e3, 1e4] {
            // Frames of the most substeps take long.
            let with_auto = speed <= tier(10.0, 1e4);
            for substeps in [Some(1), Some(4), None].into_iter().take(if with_auto { 3 } else { 2 }) {
                let lead = f64::max(0.2, 0.7 * speed * FRAME);
                let mut description = world_of(held_sheet(3), SolverChoice::Global, substeps);
                description.self_contact = Some(self_contact);
                let motion = between(-lead, lead, 2.0 * lead / speed);
                match body {
                    Body::Closed(shape) => description.obstacles = vec![moving(*shape, motion)],
                    Body::Mesh => {
                        let mesh = sphere_mesh(0.05, 1);
                        let mesh = MeshObstacle::new(mesh.positions, mesh.faces, Placement::default());
                        description.mesh_obstacles = vec![MeshObstacle { motion, ..mesh }];
                    }
                }
                let mut world = build(&description);
                let frames = (2.0 * lead / speed / FRAME).ceil() as u32 + 1;
                let mut is_told = false;
                for _ in 0..frames {
                    let report = run(&mut world, 1);
                    assert_eq!(report.safeguard.forced > 0, !report.safeguard.meetings.is_empty());
                    is_told |= report.safeguard.forced > 0 || !world.quarantine().is_empty();
                }
                let top = world.mesh(0).positions.iter().map(|x| x.y).fold(f64::NEG_INFINITY, f64::max);
                if top < lead - REACH && !is_told {
                    unseen.push(format!("{speed} m/s, {substeps:?} substeps: the sheet is at {top} m"));
                }
            }
        }
        unseen
    }

    #[track_caller]
    fn nothing_goes_through_unseen(body: &Body) {
        for self_contact in tier(vec![false], vec![false, true]) {
            let unseen = count_unseen(body, self_contact);
            assert!(unseen.is_empty(), "self contact {self_contact}: {unseen:#?}");
        }
    }

    #[test]
    fn a_sphere_does_not_go_through_a_held_sheet_unseen() {
        nothing_goes_through_unseen(&Body::Closed(Shape::Sphere { radius: 0.05 }));
    }

    #[test]
    fn a_capsule_does_not_go_through_a_held_sheet_unseen() {
        nothing_goes_through_unseen(&Body::Closed(Shape::Capsule { radius: 0.03, half_length: 0.04 }));
    }

    #[test]
    fn a_box_does_not_go_through_a_held_sheet_unseen() {
        let half_size = DVec3::new(0.05, 0.02, 0.04);
        nothing_goes_through_unseen(&Body::Closed(Shape::Box { half_size }));
    }

    #[test]
    fn a_plane_does_not_go_through_a_held_sheet_unseen() {
        nothing_goes_through_unseen(&Body::Closed(Shape::Plane { normal: DVec3::Y }));
    }

    #[test]
    fn a_mesh_does_not_go_through_a_held_sheet_unseen() {
        nothing_goes_through_unseen(&Body::Mesh);
    }

    #[test]
    fn projective_dynamics_tells_what_goes_through() {
        let mut description = world_of(held_sheet(3), SolverChoice::Projective, Some(1));
        description.cloths[0].material.poisson = 0.0;
        description.cloths[0].bending = BendingModel::None;
        description.obstacles = vec![moving(Shape::Sphere { radius: 0.05 }, between(-1.0, 1.0, 1.5 * FRAME))];
        let mut world = build(&description);
        let forced: u64 = (0..2).map(|_| run(&mut world, 1).safeguard.passed).sum();
        assert!(forced > 0 && world.quarantine().is_empty());
    }
}

#[test]
fn planes_that_close_on_a_sheet_are_named_and_the_run_goes_on() {
    let mut sheet = held_sheet(4);
    for is_pinned in [true, false] {
        if !is_pinned {
            sheet.pins.clear();
        }
        for self_contact in [true, false] {
            let mut description = world_of(sheet.clone(), SolverChoice::Global, None);
            description.self_contact = Some(self_contact);
            let plane = |normal: DVec3| {
                moving(Shape::Plane { normal }, between(-0.02 * normal.y, 0.01 * normal.y, 3.0 * FRAME))
            };
            description.obstacles = vec![plane(DVec3::Y), plane(-DVec3::Y)];
            let mut world = build(&description);
            let mut meetings = Vec::new();
            let mut given_up = 0;
            for _ in 0..6 {
                let report = run(&mut world, 1);
                given_up += report.safeguard.given_up;
                meetings.extend(report.safeguard.meetings);
            }
            assert!(given_up > 0, "halving is of no use");
            let names = meetings[0].bodies.clone();
            assert!(names[0].starts_with("plane obstacle ") && names[1] == "cloth 'sheet'", "{names:?}");
            assert!(meetings[0].position.length() < SIZE && meetings[0].time <= 4.0 * FRAME, "{meetings:?}");
            let listed = world.quarantine();
            assert_eq!(listed.len(), queries::sunken_faces(&world).unwrap());
            assert!(listed.len() >= 32, "all faces are in one of the planes: {}", listed.len());
            assert!(listed.iter().all(|pair| pair.edge.is_none() && pair.bodies[1] == "cloth 'sheet'"));
        }
    }
}

#[test]
fn what_moves_too_far_in_a_substep_is_refused_and_named() {
    let ball = Shape::Sphere { radius: 0.05 };
    let far = || between(-1.0, 1e8, FRAME);
    let mut cases = Vec::new();
    let base = || world_of(held_sheet(3), SolverChoice::Global, Some(4));
    cases.push(("sphere obstacle 0", WorldDescription { obstacles: vec![moving(ball, far())], ..base() }));
    let mesh = sphere_mesh(0.05, 0);
    let mesh = MeshObstacle::new(mesh.positions, mesh.faces, Placement::default());
    let meshes = vec![MeshObstacle { motion: far(), ..mesh }];
    cases.push(("mesh obstacle 0", WorldDescription { mesh_obstacles: meshes, ..base() }));
    let mut pinned = WorldDescription { self_contact: Some(true), ..base() };
    pinned.cloths[0].pins[0].motion = far();
    cases.push(("cloth 'sheet'", pinned));
    let mut thrown = WorldDescription { self_contact: Some(true), ..base() };
    thrown.cloths[0].pins.clear();
    thrown.cloths[0].velocity = DVec3::X * 1e8;
    cases.push(("cloth 'sheet'", thrown));
    for (name, description) in cases {
        let mut world = build(&description);
        let before = (world.state_hash(), world.time(), world.frame());
        let error = world.step(&StepInputs::default(), FRAME).unwrap_err();
        let StepError::TooFar { body, distance, limit, .. } = &error else { panic!("{name}: {error}") };
        assert!(body == name && distance > limit, "{error}");
        assert!(error.to_string().contains("take more substeps"), "{error}");
        assert_eq!((world.state_hash(), world.time(), world.frame()), before, "{name}");
    }
}

#[test]
fn contact_thinner_than_the_numbers_far_away_is_refused() {
    let mut description = world_of(held_sheet(3), SolverChoice::Global, None);
    description.self_contact = Some(true);
    let shift = DVec3::X * 1e8;
    description.cloths[0].mesh.positions.iter_mut().for_each(|x| *x += shift);
    description.contact_thickness = Some(1e-7);
    let mut world = build(&description);
    let error = world.step(&StepInputs::default(), FRAME).unwrap_err();
    assert!(matches!(&error, StepError::TooFarOut { body, .. } if body == "cloth 'sheet'"), "{error}");
}

mod strips {
    use super::*;

    const LENGTH: f64 = 0.6;
    const WIDTH: f64 = 0.1;

    /// A point of a curve that crosses itself: a straight line, three quarters of a circle, a straight line.
    fn loop_at(u: f64) -> DVec2 {
        const RADIUS: f64 = 0.05;
        let (s, half_arc) = (u - 0.5 * LENGTH, 0.75 * std::f64::consts::PI * RADIUS);
        let angle = s.clamp(-half_arc, half_arc) / RADIUS - std::f64::consts::FRAC_PI_2;
        let (sin, cos) = angle.sin_cos();
        DVec2::new(cos, sin) * RADIUS + DVec2::new(-sin, cos) * (s - s.clamp(-half_arc, half_arc))
    }

    /// A strip along that curve, held at its first end or at both.
    fn strip(place: impl Fn(DVec2, f64) -> DVec3, pins: usize) -> ClothDescription {
        let cells = [24, 4];
        let at = |i: u32, j: u32| i * (cells[1] + 1) + j;
        let (mut mesh, mut coords) = (TriangleMesh::default(), Vec::new());
        for (i, j) in (0..=cells[0]).flat_map(|i| (0..=cells[1]).map(move |j| (i, j))) {
            let u = DVec2::new(
                LENGTH * f64::from(i) / f64::from(cells[0]),
                WIDTH * f64::from(j) / f64::from(cells[1]),
            );
            coords.push(u);
            mesh.positions.push(place(loop_at(u.x), u.y));
        }
        for (i, j) in (0..cells[0]).flat_map(|i| (0..cells[1]).map(move |j| (i, j))) {
            let [a, b, c, d] = [at(i, j), at(i + 1, j), at(i + 1, j + 1), at(i, j + 1)];
            let halves = if (i + j) % 2 == 0 { [[a, b, c], [a, c, d]] } else { [[a, b, d], [b, c, d]] };
            mesh.faces.extend(halves);
        }
        mesh.set_vertex_material(&coords);
        let mut cloth = ClothDescription::new("strip", mesh, materials::preset("cotton").unwrap().material);
        let ends = [[DVec2::ZERO, DVec2::new(0.0, 1.0)], [DVec2::new(LENGTH, 0.0), DVec2::ONE]];
        cloth.pins = ends[..pins].iter().map(|end| PinDescription::new(Region::MaterialBox(*end))).collect();
        cloth
    }

    /// Lets a strip go until nothing crosses; how much crosses at the start, at most afterwards, and at the end.
    fn untangle(description: &WorldDescription, frames: u32) -> [usize; 3] {
        let mut world = build(description);
        let count = |world: &World| world.crossings().expect("it meets itself").len();
        let start = count(&world);
        let mut most = 0;
        for _ in 0..frames {
            run(&mut world, 1);
            let now = count(&world);
            most = most.max(now);
            if now == 0 {
                break;
            }
        }
        [start, most, count(&world)]
    }

    #[track_caller]
    fn comes_free(cloth: ClothDescription, floor: bool) {
        for solver in [SolverChoice::Global, SolverChoice::Block] {
            let mut description = world_of(cloth.clone(), solver, None);
            description.self_contact = Some(true);
            if floor {
                let plane = Obstacle::new(Shape::Plane { normal: DVec3::Y }, Placement::default());
                description.obstacles = vec![plane];
            }
            let [start, most, end] = untangle(&description, 90);
            let told = format!("{solver:?}: {start} at the start, {most} at most, {end} at the end");
            // On a floor the strip crumples, and may cross itself more on the way.
            assert!(start > 20 && (floor || most <= start) && end == 0, "{told}");
        }
    }

    fn hung(x: DVec2, v: f64) -> DVec3 {
        DVec3::new(x.x, x.y, v)
    }

    #[test]
    fn a_strip_that_crosses_itself_and_hangs_by_one_end_comes_free_and_gets_no_worse_on_the_way() {
        comes_free(strip(hung, 1), false);
    }

    #[test]
    fn the_loop_between_ends_that_are_held_is_pulled_through_itself() {
        comes_free(strip(hung, 2), false);
    }

    #[test]
    fn a_strip_that_falls_on_a_floor_on_its_edge_comes_free() {
        comes_free(strip(|x, v| DVec3::new(x.x, 0.1 + v, x.y), 0), true);
    }
}
