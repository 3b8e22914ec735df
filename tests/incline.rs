//! Coulomb friction on a slope, at a grid of angles, on a plane in closed form and on planes of triangles.

use crate::common::glide::{GRAVITY, Glide, Ground, acceleration, on_slope};
use crate::common::*;
use glam::{DVec2, DVec3};
use taffeta::contact::{MeshObstacle, Obstacle, Shape};
use taffeta::core::{Friction, Keyframe, KeyframedMotion, Placement};
use taffeta::io::{GridPattern, sphere_mesh};
use taffeta::mesh::EdgeKey;
use taffeta::remesh::split_with_transfer;
use taffeta::sim::queries;
use taffeta::sim::{KeyedSheet, SolverChoice, World, WorldDescription};

const SOLVERS: [SolverChoice; 2] = [SolverChoice::Global, SolverChoice::Block];
const GROUNDS: [Ground; 3] = [Ground::Plane, Ground::Mesh(8.0), Ground::Mesh(0.2)];

/// A patch at rest on the ground.
fn patch(ground: Ground, slope: f64, friction: Friction, solver: SolverChoice) -> Glide {
    Glide { gravity: on_slope(slope), cells: 4, ..Glide::new(ground, friction, solver) }
}

fn with(coefficient: f64) -> Friction {
    Friction { static_: coefficient, kinetic: 0.8 * coefficient }
}

#[test]
fn a_patch_sticks_one_degree_below_the_limit_and_slides_one_degree_above_it() {
    for solver in SOLVERS {
        for ground in GROUNDS {
            for degrees in [5.0, 15.0, 30.0, 45.0, 60.0_f64] {
                let case = format!("{solver:?}, {ground:?}, {degrees}°");
                let slope = degrees.to_radians();
                let rest = patch(ground, slope, with((degrees + 1.0).to_radians().tan()), solver);
                let mut world = rest.build();
                run(&mut world, 15);
                let [settled, end] = rest.places(&mut world, 30);
                let creep = (end - settled).length();
                assert!(creep < 1e-6, "{case}: it creeps by {creep} m in half a second");
                let friction = with((degrees - 1.0).to_radians().tan());
                let slide = patch(ground, slope, friction, solver);
                let mut world = slide.build();
                run(&mut world, 15);
                let found = acceleration(slide.places(&mut world, 15), 15).x;
                let exact = GRAVITY * (slope.sin() - friction.kinetic * slope.cos());
                assert!((found / exact - 1.0).abs() < 0.01, "{case}: {found} m/s² instead of {exact}");
            }
        }
    }
}

#[test]
fn what_sticks_does_not_creep_in_ten_seconds() {
    for solver in SOLVERS {
        for ground in GROUNDS {
            let rest = patch(ground, (0.9 * 0.5_f64).atan(), with(0.5), solver);
            let mut world = rest.build();
            run(&mut world, 60);
            let [settled, end] = rest.places(&mut world, 600);
            let creep = (end - settled).length();
            assert!(creep < 1e-6, "{solver:?}, {ground:?}: it creeps by {creep} m");
        }
    }
}

/// The ball that a patch hangs over.
#[derive(Clone, Copy, Debug)]
enum Ball {
    /// In closed form.
    Round,
    /// Of triangles: an icosahedron subdivided so many times.
    Faceted(u32),
}

/// A patch of 20 cm and `cells` × `cells` squares on a ball of 40 cm with a coefficient of friction of one half. More of it
/// hangs down on one side.
fn hung_over(ball: Ball, cells: u32, motion: &KeyframedMotion, solver: SolverChoice) -> World {
    let mut mesh = square(cells, GridPattern::Alternating);
    let friction = with(0.5);
    let material =
        taffeta::sim::Material { friction, ..taffeta::sim::Material::isotropic(0.3, 300.0, 0.3, 1e-4) };
    mesh.positions.iter_mut().for_each(|x| *x = DVec3::new(0.2 * x.x - 0.06, 0.2005, 0.1 - 0.2 * x.y));
    mesh.material.iter_mut().flatten().flatten().for_each(|u| *u *= 0.2);
    let mut description = WorldDescription {
        cloths: vec![taffeta::sim::ClothDescription::new("patch", mesh, material)],
        simulation: settings(solver, None),
        ..WorldDescription::bare()
    };
    if matches!(solver, SolverChoice::Xpbd) {
        description.cloths[0].bending = taffeta::sim::BendingModel::Hinge;
    }
    let motion = motion.clone();
    match ball {
        Ball::Round => {
            let round = Obstacle::new(Shape::Sphere { radius: 0.2 }, Placement::default());
            description.obstacles = vec![Obstacle { friction, motion, ..round }];
        }
        Ball::Faceted(level) => {
            let faceted = sphere_mesh(0.2, level);
            let faceted = MeshObstacle::new(faceted.positions, faceted.faces, Placement::default());
            description.mesh_obstacles = vec![MeshObstacle { friction, motion, ..faceted }];
        }
    }
    build(&description)
}

/// Limit of the creep of a patch on a ball in two seconds under `block` \[m\]. Sweeps that have not converged leave contacts with
/// loads that change from substep to substep. A contact with a small load slips a little.
const TURNS: f64 = 4e-5;

/// A point of the patch over the top of the ball, seen from the ball \[m\].
fn place_on_ball(world: &World, motion: &KeyframedMotion) -> DVec3 {
    let point = queries::material_point(world, 0, DVec2::new(0.06, 0.1)).expect("a point of it");
    motion.pose_at(world.time(), DVec3::ZERO).rotation.inverse() * point.position
}

#[test]
fn what_hangs_over_a_ball_by_friction_does_not_creep_where_edges_and_faces_touch() {
    let still = KeyframedMotion::default();
    let balls = [
        (Ball::Round, 6),
        (Ball::Faceted(2), 6),
        (Ball::Faceted(3), 6),
        (Ball::Faceted(4), 6),
        // Its faces are small enough to roll on the ball within a substep.
        (Ball::Round, 12),
        (Ball::Round, 16),
    ];
    for solver in [SolverChoice::Global, SolverChoice::Block, SolverChoice::Xpbd] {
        // The test after the next has a round one.
        for (ball, cells) in balls.into_iter().skip(tier(2, 0)).take(tier(1, 6)) {
            let mut world = hung_over(ball, cells, &still, solver);
            run(&mut world, 180);
            let settled = place_on_ball(&world, &still);
            run(&mut world, 120);
            let creep = place_on_ball(&world, &still).distance(settled);
            let case = format!("{solver:?}, {ball:?}, {cells}² cells");
            let most = if solver == SolverChoice::Block { TURNS } else { 2e-6 };
            assert!(creep < most, "{case}: it creeps by {creep} m in two seconds");
        }
    }
}

#[test]
fn a_ball_that_turns_carries_along_what_lies_on_it() {
    let key =
        |time, degrees| Keyframe { time, translate: DVec3::ZERO, rotate_deg: DVec3::new(0.0, degrees, 0.0) };
    let motion = KeyframedMotion::from(vec![key(0.0, 0.0), key(10.0, 60.0)]);
    for solver in SOLVERS {
        for ball in [Ball::Round, Ball::Faceted(3)].into_iter().take(tier(1, 2)) {
            let mut world = hung_over(ball, 6, &motion, solver);
            run(&mut world, 180);
            let settled = place_on_ball(&world, &motion);
            run(&mut world, 120);
            let slip = place_on_ball(&world, &motion).distance(settled);
            // On a way of 8 mm: the cloth, which is half its thickness off the surface, turns with the ball as if it were one.
            let most = if solver == SolverChoice::Block { TURNS } else { 4e-6 };
            assert!(slip < most, "{solver:?}, {ball:?}: it slips by {slip} m in two seconds");
        }
    }
}

#[test]
fn what_hangs_over_a_ball_by_friction_does_not_creep_while_the_mesh_changes_elsewhere() {
    let still = KeyframedMotion::default();
    // Not under sweeps: the needles that splits without flips make are too stiff for them, and move the whole patch.
    let solver = SolverChoice::Global;
    for ball in [Ball::Round, Ball::Faceted(3)].into_iter().take(tier(1, 2)) {
        let mut world = hung_over(ball, 6, &still, solver);
        run(&mut world, 180);
        let settled = place_on_ball(&world, &still);
        for _ in 0..tier(15, 40) {
            world.edit(split_longest_hanging_edge);
            run(&mut world, 3);
        }
        let creep = place_on_ball(&world, &still).distance(settled);
        // The splits move it by up to 1.5e-6 m even under `direct`, by chance. Contacts that forget their loads let it go
        // 1.6e-5 m, and 5e-5 m on the triangles.
        assert!(creep < 3e-6, "{ball:?}: it creeps by {creep} m in two seconds");
    }
}

/// Splits the longest edge of the corner that hangs down farthest: nothing touches it.
fn split_longest_hanging_edge(keyed: &mut KeyedSheet) {
    let KeyedSheet { mesh, attributes, .. } = keyed;
    let ends = |e: EdgeKey| mesh.edge_ends(e).map(|v| attributes.vertices[v].position);
    let hangs = |e: &EdgeKey| ends(*e).iter().all(|x| x.x > 0.11 && x.z > 0.06);
    let length = |e: &EdgeKey| {
        let [a, b] = ends(*e);
        a.distance(b)
    };
    let longest = mesh.edge_keys().filter(hangs).max_by(|a, b| length(a).total_cmp(&length(b)));
    split_with_transfer(mesh, attributes, longest.expect("edges there"), &[]).expect("it can be split");
}
