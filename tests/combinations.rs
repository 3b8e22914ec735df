//! Contact with friction against closed forms, in every combination of touching bodies, their motion, solver and step size.
//! A body that sticks does not creep, and one that slides has Coulomb's acceleration. An impact takes away the normal
//! velocity, and `μ` times of it from the tangential one.

mod impacts;
mod on_cloth;
mod rails;
mod siblings;

use crate::common::glide::*;
use crate::common::*;
use glam::{DVec2, DVec3};
use taffeta::contact::{MeshObstacle, Obstacle, Shape};
use taffeta::core::{Friction, Keyframe, KeyframedMotion, Placement, Region, TriangleMesh};
use taffeta::io::{GridPattern, grid};
use taffeta::remesh::RemeshSettings;
use taffeta::sim::{
    Air, ClothDescription, Material, Metrics, PinDescription, SolverChoice, World, WorldDescription, queries,
};
use taffeta::study::reference::{sliding_acceleration, sliding_stop};
use taffeta::study::validate::capstan_strip;

const SOLVERS: [SolverChoice; 3] = [SolverChoice::Global, SolverChoice::Direct, SolverChoice::Block];
/// Substeps per frame.
const SUBSTEPS: [u32; 2] = [2, 8];
/// Velocity of grounds that move \[m/s\].
const CARRIED: DVec3 = DVec3::new(0.7, 0.2, -0.3);

/// Grounds with their velocities.
const GROUNDS: [(&str, Ground, DVec3); 7] = [
    ("cloth", Ground::Cloth, DVec3::ZERO),
    ("plane", Ground::Plane, DVec3::ZERO),
    ("box", Ground::Box, DVec3::ZERO),
    ("mesh", Ground::Mesh(0.2), DVec3::ZERO),
    ("moving mesh", Ground::Mesh(0.2), CARRIED),
    ("moving box", Ground::Box, CARRIED),
    ("moving cloth", Ground::Cloth, CARRIED),
];

/// Static and kinetic coefficients of slopes: the limit is at 26.57°.
const SLOPED: Friction = Friction { static_: 0.5, kinetic: 0.4 };
const STEEP: f64 = 30.0;
const GENTLE: f64 = 25.0;

fn both(coefficient: f64) -> Friction {
    Friction { static_: coefficient, kinetic: coefficient }
}

/// Relative tolerance of what slides.
fn tolerance(solver: SolverChoice) -> f64 {
    if matches!(solver, SolverChoice::Block) { 0.05 } else { 0.01 }
}

/// Every combination with its name, as a patch at rest.
fn each_combination(friction: Friction) -> impl Iterator<Item = (String, Glide)> {
    GROUNDS.into_iter().flat_map(move |(name, ground, carried)| {
        SOLVERS.into_iter().flat_map(move |solver| {
            SUBSTEPS.into_iter().map(move |substeps| {
                let case = format!("{name}, {solver:?}, {substeps} substeps");
                let substeps = Some(substeps);
                (case, Glide { carried, substeps, ..Glide::new(ground, friction, solver) })
            })
        })
    })
}

/// Way along the ground after half a second in which contact settles, in two seconds.
fn check_stick(misses: &mut Misses, case: &str, glide: &Glide) {
    let mut world = glide.build();
    run(&mut world, 30);
    let [settled, end] = glide.places(&mut world, 120);
    misses.check(&format!("{case}: creep [m]"), (end - settled).with_y(0.0).length(), 0.0, 2e-7);
}

/// Acceleration down a slope, and what moves aside or up.
fn check_slide(misses: &mut Misses, case: &str, glide: &Glide, slope: f64) {
    let mut world = glide.build();
    run(&mut world, 15);
    let places: [DVec3; 3] = glide.places(&mut world, 15);
    let right = sliding_acceleration(slope.to_radians(), glide.friction.kinetic);
    let found = acceleration(places, 15);
    misses.check(&format!("{case}: acceleration [m/s²]"), found.x, right, tolerance(glide.solver) * right);
    let way = places[2] - places[0];
    misses.check(&format!("{case}: way aside [m]"), way.z, 0.0, 0.01 * way.x.abs());
    misses.check(&format!("{case}: way up [m]"), way.y, 0.0, 1e-4);
}

/// Velocity after an oblique impact without gravity.
fn check_impact(misses: &mut Misses, case: &str, glide: &Glide) {
    let mut world = glide.build();
    run(&mut world, 12);
    let found = velocity(glide.places(&mut world, 6), 6);
    let DVec3 { x: along, y: down, .. } = glide.velocity;
    let right = (along + glide.friction.kinetic * down).max(0.0);
    let tolerance = tolerance(glide.solver) * along;
    misses.check(&format!("{case}: velocity along [m/s]"), found.x, right, tolerance);
    misses.check(&format!("{case}: velocity up [m/s]"), found.y, 0.0, tolerance);
    misses.check(&format!("{case}: velocity aside [m/s]"), found.z, 0.0, tolerance);
}

#[test]
#[ignore = "second tier"]
fn what_is_below_the_limit_of_static_friction_sticks_in_every_combination() {
    let mut misses = Misses::default();
    for (case, glide) in each_combination(SLOPED) {
        let gravity = on_slope(GENTLE.to_radians());
        check_stick(&mut misses, &case, &Glide { gravity, ..glide });
    }
    misses.expect_none();
}

#[test]
#[ignore = "second tier"]
fn what_is_above_the_limit_slides_by_the_law_of_coulomb_in_every_combination() {
    let mut misses = Misses::default();
    for (case, glide) in each_combination(SLOPED) {
        let gravity = on_slope(STEEP.to_radians());
        check_slide(&mut misses, &case, &Glide { gravity, ..glide }, STEEP);
    }
    misses.expect_none();
}

#[test]
#[ignore = "second tier"]
fn an_oblique_impact_takes_what_friction_takes_in_every_combination() {
    let mut misses = Misses::default();
    // It goes on sliding, or sticks.
    for coefficient in [0.4, 3.0] {
        for (case, glide) in each_combination(both(coefficient)) {
            let velocity = DVec3::new(1.0, -0.5, 0.0);
            let impact = Glide { gravity: DVec3::ZERO, velocity, height: 0.01, ..glide };
            check_impact(&mut misses, &format!("{case}, μ {coefficient}"), &impact);
        }
    }
    misses.expect_none();
}

/// A prism along z, seen from outside or from within, of 0.6 m.
fn pipe(radius: f64, sides: u32, hollow: bool) -> MeshObstacle {
    let circle = |z: f64| {
        (0..sides).map(move |i| {
            let angle = std::f64::consts::TAU * (f64::from(i) + 0.5) / f64::from(sides);
            DVec3::new(radius * angle.sin(), radius * angle.cos(), z)
        })
    };
    let face = |i: u32| {
        let (a, b) = (i, (i + 1) % sides);
        let (c, d) = (b + sides, a + sides);
        if hollow { [[a, c, d], [a, b, c]] } else { [[a, d, c], [a, c, b]] }
    };
    let positions = circle(-0.3).chain(circle(0.3)).collect();
    MeshObstacle::new(positions, (0..sides).flat_map(face).collect(), Placement::default())
}
