//! Contact with friction in every combination of what touches what, what it does, solver and step size, against closed
//! forms: what sticks does not creep, what slides has Coulomb's acceleration, and an impact takes the normal velocity and `μ`
//! times of it from the tangential one.

use crate::common::glide::*;
use crate::common::*;
use glam::{DVec2, DVec3};
use taffeta::contact::{MeshObstacle, Obstacle, Shape};
use taffeta::core::{Friction, Keyframe, Motion, Placement, Region, TriangleMesh};
use taffeta::remesh::RemeshSettings;
use taffeta::sim::{
    Air, ClothDescription, Material, Metrics, PinDescription, SolverChoice, World, WorldDescription, ask,
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

mod impacts {
    use super::*;

    /// Heights from which a patch falls \[m\], so that it lands at every phase of a substep.
    fn heights(count: u32) -> impl Iterator<Item = f64> {
        (0..count).map(move |i| 0.05 + 0.0167 * f64::from(i) / f64::from(count))
    }

    /// Momentum and kinetic energy of all that moves, relative to those at the start.
    fn left_over(world: &mut World, frames: u32) -> (f64, f64) {
        let moving = |world: &World| {
            let all = world.measure();
            (all.momentum.y, all.kinetic_energy + all.stretch_energy + all.bend_energy)
        };
        let before = moving(world);
        run(world, frames);
        let after = moving(world);
        (after.0 / before.0, after.1 / before.1)
    }

    /// Cloths on which nothing acts but each other.
    fn free(cloths: Vec<ClothDescription>, solver: SolverChoice, substeps: Option<u32>) -> World {
        let simulation = settings(solver, substeps);
        let self_contact = Some(cloths.len() > 1);
        let mut description =
            WorldDescription { cloths, simulation, self_contact, ..WorldDescription::bare() };
        description.simulation.gravity = DVec3::ZERO;
        build(&description)
    }

    /// A patch that is remeshed.
    fn adaptive(cloth: ClothDescription) -> ClothDescription {
        let settings = RemeshSettings { refine_error: Some(2e-3), ..RemeshSettings::default() };
        ClothDescription { remesh: Some(settings), ..cloth }
    }

    fn check(solvers: &[SolverChoice], count: u32) {
        let mut misses = Misses::default();
        let grounds = GROUNDS.into_iter().filter(|(_, _, carried)| *carried == DVec3::ZERO);
        for (name, ground, _) in grounds {
            for solver in solvers {
                for (substeps, height) in
                    [None, Some(4), Some(8)].into_iter().flat_map(|n| heights(count).map(move |y| (n, y)))
                {
                    let velocity = DVec3::NEG_Y;
                    let gravity = DVec3::ZERO;
                    let glide = Glide {
                        gravity,
                        velocity,
                        height,
                        substeps,
                        ..Glide::new(ground, both(0.3), *solver)
                    };
                    let mut world = glide.build();
                    let (momentum, energy) = left_over(&mut world, 12);
                    let case = format!("{name}, {solver:?}, {substeps:?} substeps, from {height:.4} m");
                    misses.check(&format!("{case}: momentum"), momentum, 0.0, 0.02);
                    misses.check(&format!("{case}: energy"), energy, 0.0, 0.02);
                }
            }
        }
        misses.expect_none();
    }

    #[test]
    fn what_falls_flat_does_not_bounce() {
        check(&[SolverChoice::Global], 5);
    }

    #[test]
    #[ignore = "second tier"]
    fn what_falls_flat_does_not_bounce_under_any_solver() {
        check(&SOLVERS, 12);
    }

    /// Elastic energy that a spinning sheet has at most, of its kinetic energy at the start. `block` leaves elements strained; with
    /// sweeps that all go forward this energy grew without bounds.
    fn most_elastic_energy(cells: u32, remeshes: bool) -> f64 {
        let mut sheet = patch("sheet", cells, both(0.3), 0.3, DVec3::ZERO);
        sheet.velocity = DVec3::X * 0.3;
        sheet.angular_velocity = DVec3::new(6.0, 8.0, 10.0);
        let sheet = if remeshes { adaptive(sheet) } else { sheet };
        let mut world = free(vec![sheet], SolverChoice::Block, None);
        let before = world.measure().kinetic_energy;
        let most = (0..30).map(|_| {
            run(&mut world, 1);
            let now = world.measure();
            assert!(now.kinetic_energy < 1.001 * before, "{} J of {before} J", now.kinetic_energy);
            (now.stretch_energy + now.bend_energy) / before
        });
        most.fold(0.0, f64::max)
    }

    #[test]
    fn spinning_sheets_stay_in_shape_under_block_at_every_resolution() {
        let mut misses = Misses::default();
        for (cells, remeshes) in [(8, false), (16, false), (8, true), (16, true)] {
            let case = format!("{cells}² cells, remeshing {remeshes}: elastic energy");
            misses.check(&case, most_elastic_energy(cells, remeshes), 0.0, 1.0);
        }
        misses.expect_none();
    }

    /// Two adaptive cloths that meet with spin: under `block`, 0.009 J became 50 kJ.
    #[test]
    fn adaptive_cloths_that_meet_stay_in_shape_under_block() {
        let mut misses = Misses::default();
        for coefficient in [0.0, 0.4] {
            let cloth = |name: &str, cells, side, corner| {
                adaptive(patch(name, cells, both(coefficient), side, corner))
            };
            let lower = cloth("lower", 8, 0.3, DVec3::ZERO);
            let mut upper = cloth("upper", 7, 0.25, DVec3::new(0.05, 0.05, 0.03));
            upper.velocity = DVec3::new(0.3, -1.0, 0.0);
            upper.angular_velocity = DVec3::new(3.0, 4.0, 5.0);
            let mut world = free(vec![lower, upper], SolverChoice::Block, None);
            let before = world.measure().kinetic_energy;
            run(&mut world, 30);
            let after = world.measure();
            let case = |what: &str| format!("friction {coefficient}: {what}");
            misses.check(&case("kinetic energy"), after.kinetic_energy / before, 0.0, 1.0);
            misses.check(&case("largest strain"), after.max_strain, 0.0, 0.3);
        }
        misses.expect_none();
    }

    /// A patch that meets a box smaller than itself at a speed \[m/s\]: its largest strain, and its most energy relative to that
    /// at the start.
    fn most_on_box(speed: f64, solver: SolverChoice, [substeps, iterations]: [Option<u32>; 2]) -> [f64; 2] {
        let mut patch = patch("patch", 16, both(0.4), 0.3, DVec3::new(-0.15, 0.05, 0.15));
        patch.velocity = DVec3::NEG_Y * speed;
        let half_size = DVec3::splat(0.05);
        let place = Placement { rotate_deg: DVec3::Y * 25.0, ..Placement::at(DVec3::NEG_Y * 0.05) };
        let mut description = WorldDescription {
            cloths: vec![patch],
            obstacles: vec![Obstacle {
                friction: both(0.4),
                ..Obstacle::new(Shape::Box { half_size }, place)
            }],
            simulation: settings(solver, substeps),
            ..WorldDescription::bare()
        };
        description.simulation.gravity = DVec3::ZERO;
        description.simulation.iterations = iterations;
        let mut world = build(&description);
        let before = world.measure().kinetic_energy;
        (0..8).fold([0.0; 2], |[strain, energy]: [f64; 2], _| {
            let now = run(&mut world, 1).metrics;
            let part = (now.kinetic_energy + now.stretch_energy + now.bend_energy) / before;
            [strain.max(now.max_strain), energy.max(part)]
        })
    }

    /// The substep in which an impact falls is done again if it was far too long. In one of 8 ms Newton's method did not converge, and
    /// the strain was 5 at 5 m/s.
    #[test]
    fn what_hangs_over_when_cloth_meets_a_box_stays_in_shape_at_every_speed() {
        let mut misses = Misses::default();
        for speed in [1.0, 2.0, 3.0, 5.0, 10.0] {
            let [strain, energy] = most_on_box(speed, SolverChoice::Global, [None; 2]);
            misses.check(&format!("{speed} m/s: largest strain"), strain, 0.0, 0.1);
            misses.check(&format!("{speed} m/s: most energy"), energy, 0.0, 1.02);
        }
        misses.expect_none();
    }

    /// Contact takes part in each sweep: after all of them it took back what they had moved on the box, and more sweeps did not help.
    /// Substeps follow the rate at which velocities stretch the cloth beside the box.
    #[test]
    fn what_hangs_over_when_cloth_meets_a_box_stays_in_shape_under_block() {
        let mut misses = Misses::default();
        misses.check(
            "automatic substeps: largest strain",
            most_on_box(2.0, SolverChoice::Block, [None; 2])[0],
            0.0,
            0.15,
        );
        let [few, many] =
            [4, 16].map(|iterations| most_on_box(2.0, SolverChoice::Block, [Some(8), Some(iterations)])[0]);
        misses.check("strain with four times the sweeps", many / few, 0.0, 0.6);
        misses.expect_none();
    }

    /// A sheet that is held all around and falls into its pins: its energy never rises. Sweeps that do not converge leave it with a
    /// false strain, whose energy was 1.7 J with as many substeps as its weight asks for.
    #[test]
    fn a_taut_sheet_hardly_gains_energy_under_solvers_that_sweep() {
        let mut misses = Misses::default();
        for solver in [SolverChoice::Block, SolverChoice::Xpbd] {
            for cells in [8, tier(16, 32)] {
                let mut sheet = patch("sheet", cells, both(0.3), 0.5, DVec3::ZERO);
                sheet.pins.push(PinDescription::new(Region::Boundary));
                let cloths = vec![sheet.under(solver)];
                let mut description = WorldDescription { cloths, ..WorldDescription::bare() };
                description.simulation = settings(solver, None);
                let mut world = build(&description);
                let energy =
                    |m: Metrics| m.kinetic_energy + m.stretch_energy + m.bend_energy + m.gravity_energy;
                let before = energy(world.measure());
                let most = (0..60).map(|_| energy(run(&mut world, 1).metrics) - before).fold(0.0, f64::max);
                misses.check(&format!("{solver:?}, {cells}² cells: most gain [J]"), most, 0.0, 0.15);
            }
        }
        misses.expect_none();
    }

    /// Angular momentum after half a second, of a damped sheet that spins so fast \[rad/s\], relative to that at the start.
    fn spin_left(solver: SolverChoice, substeps: Option<u32>, spin: DVec3, [drag, damping]: [f64; 2]) -> f64 {
        let mut sheet = patch("sheet", 6, both(0.3), 0.4, DVec3::ZERO);
        (sheet.material.stretch_damping, sheet.material.bend_damping) = (0.01, 0.01);
        sheet.angular_velocity = spin;
        let mut description = WorldDescription {
            cloths: vec![sheet],
            simulation: settings(solver, substeps),
            ..WorldDescription::bare()
        };
        description.simulation.gravity = DVec3::ZERO;
        description.simulation.velocity_damping = damping;
        description.air = (drag > 0.0).then(|| Air { drag, ..Air::default() });
        let mut world = build(&description);
        let before = world.measure().angular_momentum;
        run(&mut world, 30);
        world.measure().angular_momentum.dot(before) / before.length_squared()
    }

    #[test]
    fn what_flies_keeps_its_spin_but_for_what_air_and_damping_take() {
        let mut misses = Misses::default();
        let (flat, over) = (DVec3::Y * 20.0, DVec3::X * 6.0);
        for solver in [SolverChoice::Global, SolverChoice::Direct] {
            for substeps in [None, Some(8)] {
                let case = format!("{solver:?}, {substeps:?} substeps: spin");
                misses.check(&case, spin_left(solver, substeps, flat, [0.0; 2]), 1.0, 1e-4);
            }
        }
        let damped = spin_left(SolverChoice::Global, None, flat, [0.0, 0.5]);
        misses.check("spin under velocity damping of 0.5/s", damped, (-0.25_f64).exp(), 2e-3);
        let [found, fine] = [None, Some(64)].map(|n| spin_left(SolverChoice::Global, n, over, [1.0, 0.0]));
        assert!(fine < 0.9, "the air brakes it: {fine}");
        misses.check("spin in air, against 64 substeps", found, fine, 0.01);
        misses.expect_none();
    }

    /// A patch that falls flat on one like it that is free: they go on together with half of the velocity.
    #[test]
    fn free_cloths_that_meet_flat_go_on_together() {
        let mut misses = Misses::default();
        for (substeps, height) in [None, Some(8)].into_iter().flat_map(|n| heights(5).map(move |y| (n, y))) {
            let place = |y: f64| DVec3::new(0.0, y, 0.0);
            let mut upper = patch("upper", 5, both(0.3), SIDE, place(THICKNESS + height));
            upper.velocity = DVec3::NEG_Y;
            let lower = patch("lower", 5, both(0.3), SIDE, place(0.0));
            let mut world = free(vec![upper, lower], SolverChoice::Global, substeps);
            let (momentum, energy) = left_over(&mut world, 12);
            let case = format!("{substeps:?} substeps, from {height:.4} m");
            misses.check(&format!("{case}: momentum"), momentum, 1.0, 1e-6);
            misses.check(&format!("{case}: energy"), energy, 0.5, 0.02);
        }
        misses.expect_none();
    }
}

mod on_cloth {
    use super::*;

    #[test]
    fn what_glides_on_cloth_stops_by_friction() {
        let velocity = DVec3::X;
        let glide = Glide { velocity, ..Glide::new(Ground::Cloth, both(0.3), SolverChoice::Auto) };
        let [start, end] = glide.places(&mut glide.build(), 24);
        let [right, _] = sliding_stop(1.0, 0.3);
        let mut misses = Misses::default();
        misses.check("way [m]", (end - start).x, right, 0.01 * right);
        misses.expect_none();
    }

    #[test]
    fn what_glides_down_cloth_has_the_acceleration_of_coulomb() {
        let glide = Glide::new(Ground::Cloth, SLOPED, SolverChoice::Auto);
        let mut misses = Misses::default();
        let gravity = on_slope(STEEP.to_radians());
        check_slide(&mut misses, "slope", &Glide { gravity, ..glide }, STEEP);
        misses.expect_none();
    }

    #[test]
    fn what_glides_on_cloth_without_friction_keeps_its_speed() {
        let mut misses = Misses::default();
        for solver in [SolverChoice::Global, SolverChoice::Direct, SolverChoice::Block] {
            let velocity = DVec3::X;
            let glide = Glide { velocity, ..Glide::new(Ground::Cloth, both(0.0), solver) };
            let [start, end] = glide.places(&mut glide.build(), 30);
            misses.check(&format!("{solver:?}: way [m]"), (end - start).x, 0.5, 5e-4);
            misses.check(&format!("{solver:?}: height [m]"), (end - start).y, 0.0, 0.1 * THICKNESS);
        }
        misses.expect_none();
    }

    #[test]
    fn what_passes_over_cloth_is_not_moved() {
        let glide = Glide {
            gravity: DVec3::ZERO,
            velocity: DVec3::X * 5.0,
            height: 0.003 - THICKNESS,
            ..Glide::new(Ground::Cloth, both(0.3), SolverChoice::Auto)
        };
        let found = velocity(glide.places(&mut glide.build(), 8), 8);
        let mut misses = Misses::default();
        misses.check("velocity along [m/s]", found.x, 5.0, 5e-4);
        misses.check("velocity up [m/s]", found.y, 0.0, 5e-4);
        misses.expect_none();
    }
}

/// Strips over rails.
mod rails {
    use super::*;

    #[derive(Clone, Copy, Debug)]
    enum Rail {
        /// In closed form.
        Round,
        /// A prism of so many sides.
        Prism(u32),
    }

    /// A strip whose weights on both sides are in so many times the limiting ratio of friction 0.3. Below the limit it is damped: it
    /// starts without tension, and would swing about the tension that it hangs with.
    fn strip(part: f64, rail: Rail, solver: SolverChoice, substeps: Option<u32>) -> World {
        let mut material = Material::isotropic(0.06, 300.0, 0.0, 1e-6);
        (material.friction, material.thickness) = (both(0.3), THICKNESS);
        let mut description = WorldDescription {
            cloths: vec![ClothDescription::new("strip", capstan_strip(part), material)],
            simulation: settings(solver, substeps),
            ..WorldDescription::bare()
        };
        description.simulation.velocity_damping = if part < 1.0 { 20.0 } else { 0.0 };
        match rail {
            Rail::Round => {
                let place = Placement { rotate_deg: DVec3::X * 90.0, ..Placement::at(DVec3::Z * 0.025) };
                let capsule = Shape::Capsule { radius: 0.05, half_length: 0.1 };
                let rail = Obstacle { friction: both(0.3), ..Obstacle::new(capsule, place) };
                description.obstacles.push(rail);
            }
            Rail::Prism(sides) => {
                let rail = pipe(0.05, sides, false);
                description.mesh_obstacles.push(MeshObstacle { friction: both(0.3), ..rail });
            }
        }
        build(&description)
    }

    /// How far the heavy end goes down in so many frames after the first `settling` \[m\].
    fn sinking(world: &mut World, settling: u32, frames: u32) -> f64 {
        let height = |world: &World| {
            ask::material_point(world, 0, DVec2::new(0.98, 0.025)).expect("it is on the strip").position.y
        };
        if settling > 0 {
            run(world, settling);
        }
        let before = height(world);
        run(world, frames);
        before - height(world)
    }

    #[test]
    fn a_strip_over_a_rail_does_not_creep_below_the_limit() {
        let mut misses = Misses::default();
        let creep = sinking(&mut strip(0.85, Rail::Round, SolverChoice::Auto, None), 30, 60);
        misses.check("creep at 85 % [m]", creep, 0.0, 2e-5);
        misses.expect_none();
    }

    /// Tension \[N/m\] of a strip in the middle of the side that is held at its end, as it is and as it should be. The round rail turns
    /// \[degrees/s\], toward the free side if that is positive.
    fn tension_over_turning_rail(rate: f64, coefficient: f64) -> [f64; 2] {
        let (radius, density, stiffness) = (0.05 + 0.5 * THICKNESS, 0.06, 300.0);
        let mut material = Material::isotropic(density, stiffness, 0.0, 1e-6);
        (material.friction, material.thickness) = (both(coefficient), THICKNESS);
        let mut strip = ClothDescription::new("strip", capstan_strip(0.5), material);
        strip.pins.push(PinDescription::new(Region::MaterialBox([DVec2::ZERO, DVec2::new(0.0, 1.0)])));
        let place = Placement { rotate_deg: DVec3::X * 90.0, ..Placement::at(DVec3::Z * 0.025) };
        let key =
            |time: f64| Keyframe { rotate_deg: DVec3::NEG_Z * rate * time, ..key(time, DVec3::ZERO, 0.0) };
        let rail = Obstacle {
            friction: both(coefficient),
            motion: Motion::from(vec![key(0.0), key(2.0)]),
            ..Obstacle::new(Shape::Capsule { radius: 0.05, half_length: 0.1 }, place)
        };
        let mut description = WorldDescription {
            cloths: vec![strip],
            obstacles: vec![rail],
            simulation: settings(SolverChoice::Global, None),
            ..WorldDescription::bare()
        };
        description.simulation.velocity_damping = 5.0;
        let mut world = build(&description);
        run(&mut world, 120);
        let height = |world: &World, u: f64| {
            ask::material_point(world, 0, DVec2::new(u, 0.025)).expect("it is on the strip").position.y
        };
        let stretch = (height(&world, 0.2) - height(&world, 0.1)) / 0.1;
        let found = 0.5 * stiffness * (stretch * stretch - 1.0) * stretch;
        // From the free side to the held one: capstan with weight.
        let sides = capstan_sides_of(&description.cloths[0].mesh);
        let steps = 10_000;
        let step = std::f64::consts::PI / f64::from(steps);
        let weight = density * GRAVITY;
        let mut tension = weight * sides[1];
        for i in 0..steps {
            let (sin, cos) = (step * (f64::from(i) + 0.5)).sin_cos();
            let drag = rate.signum() * coefficient * (tension + weight * radius * sin);
            tension += step * (drag + weight * radius * cos);
        }
        [found, tension - weight * (sides[0] - 0.15)]
    }

    /// Lengths of the two sides of a strip that hang down \[m\].
    fn capstan_sides_of(mesh: &TriangleMesh) -> [f64; 2] {
        let side = |sign: f64| {
            let own = mesh.positions.iter().filter(|x| sign * x.x > 0.0);
            own.map(|x| -x.y).fold(0.0, f64::max)
        };
        [side(-1.0), side(1.0)]
    }

    /// A contact that slips on a body that turns was measured where the body would have carried it: normals leaned by as much as
    /// it turns in a substep.
    #[test]
    fn a_rail_that_turns_drags_by_its_friction_alone() {
        let mut misses = Misses::default();
        for (rate, coefficient) in [(180.0, 0.0), (-180.0, 0.0), (360.0, 0.3)] {
            let [found, right] = tension_over_turning_rail(rate, coefficient);
            let case = format!("{rate} °/s, μ {coefficient}: tension [N/m]");
            misses.check(&case, found, right, 0.02 * right);
        }
        misses.expect_none();
    }

    #[test]
    #[ignore = "second tier"]
    fn strips_over_rails_of_every_kind_creep_below_no_limit_and_slip_above_it() {
        let mut misses = Misses::default();
        // Sweeps do not carry the tension of a long strip: more of the limit creeps under `block`.
        let loads: [(SolverChoice, Option<u32>, &[f64]); 3] = [
            (SolverChoice::Global, None, &[0.5, 0.85, 0.95]),
            (SolverChoice::Global, Some(8), &[0.5, 0.85, 0.95]),
            (SolverChoice::Block, Some(32), &[0.5]),
        ];
        for (solver, substeps, parts) in loads {
            for rail in [Rail::Round, Rail::Prism(96)] {
                let case =
                    |part: f64| format!("{solver:?}, {substeps:?} substeps, {rail:?}, {part} of the limit");
                for part in parts {
                    let creep = sinking(&mut strip(*part, rail, solver, substeps), 30, 90);
                    misses.check(&format!("{}: creep [m]", case(*part)), creep, 0.0, 2e-5);
                }
                let lack = 0.01 - sinking(&mut strip(1.05, rail, solver, substeps), 0, 60);
                misses.check(
                    &format!("{}: lacks to a slip of 10 mm [m]", case(1.05)),
                    lack.max(0.0),
                    0.0,
                    0.0,
                );
            }
        }
        misses.expect_none();
    }
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

/// Combinations with more than two bodies, grounds that turn or start, meshes that change, and ground that bends.
mod siblings {
    use super::*;

    const SOLVERS: [SolverChoice; 2] = [SolverChoice::Global, SolverChoice::Block];

    /// Two patches, one on the other, on a ground; the lower one is larger.
    fn stack(ground: Ground, slope: f64, solver: SolverChoice, substeps: Option<u32>) -> (Glide, World) {
        let gravity = on_slope(slope.to_radians());
        let glide = Glide { gravity, substeps, ..Glide::new(ground, SLOPED, solver) };
        let mut description = glide.describe();
        let below = DVec3::new(-0.009, glide.touching(), 0.031);
        let lower = patch("lower", 5, SLOPED, 0.25, below);
        description.cloths[0].mesh.positions.iter_mut().for_each(|x| x.y += THICKNESS);
        description.cloths.push(lower);
        description.self_contact = Some(true);
        (glide, build(&description))
    }

    #[test]
    #[ignore = "second tier"]
    fn two_layers_stick_or_slide_as_one() {
        let mut misses = Misses::default();
        for solver in SOLVERS {
            for ground in [Ground::Plane, Ground::Mesh(0.2)] {
                for substeps in [None, Some(8)] {
                    let case = |what: &str| format!("{solver:?}, {ground:?}, {substeps:?} substeps: {what}");
                    let (glide, mut world) = stack(ground, GENTLE, solver, substeps);
                    run(&mut world, 30);
                    let [settled, end]: [DVec3; 2] = glide.places(&mut world, 60);
                    misses.check(&case("creep of the upper one [m]"), end.x - settled.x, 0.0, 1e-6);
                    let (glide, mut world) = stack(ground, STEEP, solver, substeps);
                    run(&mut world, 15);
                    let between = |world: &World| middle(world, 0).x - lower_middle(world).x;
                    let before = between(&world);
                    let places = glide.places(&mut world, 15);
                    let (found, way) = (acceleration(places, 15).x, (places[2] - places[0]).x);
                    let right = sliding_acceleration(STEEP.to_radians(), SLOPED.kinetic);
                    misses.check(&case("acceleration [m/s²]"), found, right, tolerance(solver) * right);
                    let part = (between(&world) - before) / way;
                    misses.check(&case("part of the way that they slip"), part, 0.0, 0.1 * tolerance(solver));
                }
            }
        }
        misses.expect_none();
    }

    /// Layers take on their load from below, and unevenly: some contacts slip on the way.
    #[test]
    fn layers_hold_up_to_the_limit_and_slide_above_it() {
        let mut misses = Misses::default();
        for count in [3, 6] {
            for part in [0.9, 0.93, 0.95, 0.97, 1.05] {
                let gravity = on_slope((part * SLOPED.static_).atan());
                let glide = Glide { gravity, ..Glide::new(Ground::Plane, SLOPED, SolverChoice::Global) };
                let layer = |layer: u32| {
                    let ahead = 0.01 * f64::from(layer);
                    let corner = DVec3::new(ahead, THICKNESS * (0.5 + f64::from(layer)), -ahead);
                    patch(&format!("layer {layer}"), 8 - layer, SLOPED, 0.3 - 2.0 * ahead, corner)
                };
                let cloths = (0..count).map(layer).collect();
                let description = WorldDescription { cloths, self_contact: Some(true), ..glide.describe() };
                let mut world = build(&description);
                let place = |world: &World| middle(world, count as usize - 1).x;
                let start = place(&world);
                run(&mut world, 36);
                let way = place(&world) - start;
                let case = format!("{count} layers at {part} of the limit: way [m]");
                match part < 1.0 {
                    true => misses.check(&case, way, 0.0, 1e-4),
                    false => misses.check(&case, way, 0.19, 0.01),
                }
            }
        }
        misses.expect_none();
    }

    fn lower_middle(world: &World) -> DVec3 {
        let lower = world.cloths().len() - 1;
        ask::material_point(world, lower, DVec2::splat(0.125)).expect("it is on the cloth").position
    }

    #[test]
    #[ignore = "second tier"]
    fn what_is_held_between_two_bodies_goes_with_the_rougher_one() {
        let mut misses = Misses::default();
        for solver in super::SOLVERS {
            for part in [0.1, 0.5, 0.9] {
                // The cloth has a coefficient of 0.5, a pair the geometric mean.
                for (floor, lid, right) in [(0.3, 0.6, 0.1), (0.6, 0.3, 0.0)] {
                    let rough = |mean: f64| both(mean * mean / 0.5);
                    let glide = Glide::new(Ground::Plane, both(0.5), solver);
                    let mut description = glide.describe();
                    description.obstacles[0].friction = rough(floor);
                    let gap = part * THICKNESS;
                    description.cloths[0].mesh.positions.iter_mut().for_each(|x| x.y = 0.5 * gap);
                    let shape = Shape::Box { half_size: DVec3::new(0.3, 0.1, 0.3) };
                    let place = Placement::at(DVec3::new(0.1, 0.1 + gap, -0.1));
                    let motion = Motion::from(vec![key(0.0, DVec3::ZERO, 0.0), key(10.0, DVec3::X, 0.0)]);
                    let lid_body = Obstacle { friction: rough(lid), motion, ..Obstacle::new(shape, place) };
                    description.obstacles.push(lid_body);
                    let mut world = build(&description);
                    // Contacts that begin in depth take on their load in the first milliseconds.
                    run(&mut world, 6);
                    let [start, end]: [DVec3; 2] = glide.places(&mut world, 60);
                    let case =
                        format!("{solver:?}, gap {part} of the thickness, floor {floor}, lid {lid}: way [m]");
                    misses.check(&case, end.x - start.x, right, 3e-4);
                }
            }
        }
        misses.expect_none();
    }

    /// Cloth that begins pressed together bears no load yet. Loads were to grow from those before, and stayed at nothing.
    #[test]
    fn what_begins_between_two_bodies_is_held() {
        let mut misses = Misses::default();
        for (solver, part) in [
            (SolverChoice::Global, 0.5),
            (SolverChoice::Global, 0.8),
            (SolverChoice::Global, 0.9),
            (SolverChoice::Direct, 0.8),
            (SolverChoice::Block, 0.8),
        ] {
            let gap = part * THICKNESS;
            let mut cloth = patch("cloth", 4, both(0.5), 0.1, DVec3::ZERO);
            cloth.mesh.positions.iter_mut().for_each(|x| *x = DVec3::new(x.x, -x.z, 0.0));
            let half_size = DVec3::new(0.2, 0.03, 0.02);
            let jaw = |side: f64| {
                let place = Placement::at(DVec3::new(0.05, 0.08, side * (half_size.z + 0.5 * gap)));
                Obstacle { friction: both(0.5), ..Obstacle::new(Shape::Box { half_size }, place) }
            };
            let mut world = build(&WorldDescription {
                cloths: vec![cloth],
                obstacles: vec![jaw(1.0), jaw(-1.0)],
                simulation: settings(solver, None),
                ..WorldDescription::bare()
            });
            let height = |world: &World| middle_of(world, 0, 0.09).y;
            let before = height(&world);
            run(&mut world, 30);
            let case = format!("{solver:?}, gap {part} of the thickness: fall [m]");
            misses.check(&case, before - height(&world), 0.0, 1e-3);
        }
        misses.expect_none();
    }

    /// The point of a cloth 0.1 m wide at its middle line and a height \[m\] in the material.
    fn middle_of(world: &World, cloth: usize, height: f64) -> DVec3 {
        ask::material_point(world, cloth, DVec2::new(0.05, height)).expect("it is on the cloth").position
    }

    /// Newton's method stopped by its error in the mean over both: what is wrong with the light one is nothing to the heavy one.
    #[test]
    fn a_light_cloth_that_meets_a_heavy_one_rubs_by_the_law_of_coulomb() {
        let mut misses = Misses::default();
        for (density, solver) in [
            (0.02, SolverChoice::Global),
            (0.2, SolverChoice::Global),
            (0.02, SolverChoice::Direct),
            (0.02, SolverChoice::Block),
        ] {
            let mut light = patch("light", 8, both(0.3), 0.2, DVec3::new(-0.1, 0.02, 0.1));
            light.material = Material {
                friction: both(0.3),
                thickness: 5e-4,
                ..Material::isotropic(density, 1000.0, 0.3, 1e-3)
            };
            light.velocity = DVec3::new(0.5, -1.0, 0.0);
            let mut heavy = patch("heavy", 9, both(0.3), 0.42, DVec3::new(-0.21, 0.0, 0.21));
            heavy.material = Material { density: 2.0, ..light.material.clone() };
            let mut description = WorldDescription {
                cloths: vec![light, heavy],
                simulation: settings(solver, None),
                self_contact: Some(true),
                ..WorldDescription::bare()
            };
            description.simulation.gravity = DVec3::ZERO;
            let mut world = build(&description);
            let velocity_of = |world: &World| {
                let velocities = world.cloth(world.cloth_ids()[0]).velocities().to_vec();
                velocities.iter().sum::<DVec3>() / velocities.len() as f64
            };
            run(&mut world, 12);
            let found = velocity_of(&world);
            let right = 0.5 - 0.3 * (1.0 + found.y);
            let case = format!("{solver:?}, {density} kg/m²: velocity along [m/s]");
            misses.check(&case, found.x, right, 0.05 * 0.3);
        }
        misses.expect_none();
    }

    /// Places of a cloth on a ball after a time, with another body that moves far away or not \[m\].
    fn on_ball_with(other: Option<Obstacle>) -> Vec<DVec3> {
        let cloth = patch("cloth", 8, both(0.3), 0.3, DVec3::new(-0.12, 0.11, 0.17));
        let ball = Obstacle {
            friction: both(0.3),
            ..Obstacle::new(Shape::Sphere { radius: 0.1 }, Placement::default())
        };
        let mut world = build(&WorldDescription {
            cloths: vec![cloth],
            obstacles: std::iter::once(ball).chain(other).collect(),
            simulation: settings(SolverChoice::Global, None),
            self_contact: Some(true),
            ..WorldDescription::bare()
        });
        run(&mut world, 15);
        world.mesh(0).positions.clone()
    }

    #[test]
    fn what_moves_far_away_changes_nothing() {
        let alone = on_ball_with(None);
        let away = Placement::at(DVec3::new(50.0, 2.0, 5.0));
        let body = Obstacle::new(Shape::Box { half_size: DVec3::new(0.3, 0.1, 0.2) }, away);
        for motion in [
            vec![key(0.0, DVec3::ZERO, 0.0), key(1.0, DVec3::ZERO, 3600.0)],
            vec![key(0.0, DVec3::ZERO, 0.0), key(0.123, DVec3::X, 0.0), key(0.131, DVec3::ZERO, 0.0)],
        ] {
            let moving = Obstacle { motion: Motion::from(motion), ..body.clone() };
            assert_eq!(on_ball_with(Some(moving)), alone, "every bit");
        }
    }

    #[test]
    #[ignore = "second tier"]
    fn a_ground_that_starts_takes_along_what_lies_on_it() {
        let mut misses = Misses::default();
        let (speed, coefficient) = (1.0, 0.4);
        for solver in SOLVERS {
            for ground in [Ground::Cloth, Ground::Plane, Ground::Box, Ground::Mesh(0.2)] {
                let corner = DVec2::new(0.313, 0.007);
                let glide = Glide { corner, ..Glide::new(ground, both(coefficient), solver) };
                let mut description = glide.describe();
                let start = [key(0.0, DVec3::ZERO, 0.0), key(0.2, DVec3::ZERO, 0.0)];
                let motion = Motion::from([&start[..], &[key(10.2, DVec3::X * 10.0 * speed, 0.0)]].concat());
                let obstacles = description.obstacles.iter_mut().map(|obstacle| &mut obstacle.motion);
                let meshes = description.mesh_obstacles.iter_mut().map(|mesh| &mut mesh.motion);
                let pins = description.cloths.iter_mut().skip(1).map(|cloth| &mut cloth.pins[0].motion);
                obstacles.chain(meshes).chain(pins).for_each(|own| *own = motion.clone());
                let mut world = build(&description);
                let places: [DVec3; 2] = glide.places(&mut world, 48);
                let slip = speed * (48.0 * FRAME - 0.2) - (places[1] - places[0]).x;
                let [right, _] = sliding_stop(speed, coefficient);
                let case = format!("{solver:?}, {ground:?}: slip [m]");
                misses.check(&case, slip, right, tolerance(solver) * right);
                let now = velocity(glide.places(&mut world, 6), 6).x;
                misses.check(&format!("{solver:?}, {ground:?}: velocity [m/s]"), now, speed, 1e-3);
            }
        }
        misses.expect_none();
    }

    #[test]
    #[ignore = "second tier"]
    fn what_lies_on_a_turning_ground_turns_with_it() {
        let mut misses = Misses::default();
        for solver in SOLVERS {
            for ground in [Ground::Cloth, Ground::Plane, Ground::Box, Ground::Mesh(0.2)] {
                for substeps in [None, Some(1), Some(2)] {
                    // It needs a coefficient of 0.13 at most.
                    let glide = Glide {
                        turning: 120.0,
                        corner: DVec2::new(0.2, 0.1),
                        substeps,
                        ..Glide::new(ground, both(0.5), solver)
                    };
                    let mut world = glide.build();
                    run(&mut world, 30);
                    let [settled, end] = glide.places(&mut world, 60);
                    let slip = (end - settled).with_y(0.0).length();
                    let case = format!("{solver:?}, {ground:?}, {substeps:?} substeps: slip in 1 s [m]");
                    misses.check(&case, slip, 0.0, 2e-7);
                }
            }
        }
        misses.expect_none();
    }

    #[test]
    #[ignore = "second tier"]
    fn cloths_that_fall_together_do_not_rub() {
        let mut misses = Misses::default();
        for solver in [SolverChoice::Global, SolverChoice::Direct, SolverChoice::Block] {
            for substeps in [None, Some(8)] {
                let upper = patch("upper", 5, both(0.5), SIDE, DVec3::new(0.0, THICKNESS, 0.0));
                let lower = patch("lower", 12, both(0.5), 0.8, DVec3::new(-0.2, 0.0, 0.3));
                let description = WorldDescription {
                    cloths: vec![ClothDescription { velocity: DVec3::X, ..upper }, lower],
                    simulation: settings(solver, substeps),
                    self_contact: Some(true),
                    ..WorldDescription::bare()
                };
                let mut world = build(&description);
                run(&mut world, 20);
                let between = |world: &World| middle(world, 0) - middle(world, 1);
                let before = between(&world);
                run(&mut world, 10);
                let found = velocity([before, between(&world)], 10);
                let case = |what: &str| format!("{solver:?}, {substeps:?} substeps: {what} [m/s]");
                misses.check(&case("velocity along"), found.x, 1.0, 1e-3);
                misses.check(&case("velocity apart"), found.y, 0.0, 1e-3);
            }
        }
        misses.expect_none();
    }

    #[test]
    #[ignore = "second tier"]
    fn friction_holds_and_slides_through_remeshing() {
        let mut misses = Misses::default();
        let remesh = Some(RemeshSettings { size_min: 0.01, size_max: 0.1, ..RemeshSettings::default() });
        for ground in [Ground::Cloth, Ground::Plane, Ground::Mesh(0.2)] {
            let glide = Glide { remesh, cells: 8, ..Glide::new(ground, SLOPED, SolverChoice::Global) };
            let of = |slope: f64| Glide { gravity: on_slope(slope.to_radians()), ..glide.clone() };
            check_stick(&mut misses, &format!("adaptive on {ground:?}"), &of(GENTLE));
            check_slide(&mut misses, &format!("adaptive on {ground:?}"), &of(STEEP), STEEP);
        }
        misses.expect_none();
    }

    /// Angle from the lowest line of a half pipe \[rad\] of a point that slides in it with kinetic friction, after a time \[s\].
    fn sliding_in_pipe(radius: f64, start: f64, friction: f64, time: f64) -> f64 {
        let steps = 100_000;
        let step = time / f64::from(steps);
        let (mut angle, mut rate) = (start, 0.0_f64);
        for _ in 0..steps {
            let normal = GRAVITY / radius * angle.cos() + rate * rate;
            // It sets out from rest to falling angles, and is observed before it turns back.
            let pull = -GRAVITY / radius * angle.sin() + friction * normal;
            rate += step * pull;
            angle += step * rate;
        }
        angle
    }

    #[test]
    #[ignore = "second tier"]
    fn what_slides_from_face_to_face_in_a_half_pipe_has_the_motion_of_a_point() {
        let mut misses = Misses::default();
        let (radius, side) = (0.5, 0.02);
        let start = 60_f64.to_radians();
        for solver in [SolverChoice::Global, SolverChoice::Direct, SolverChoice::Block] {
            for substeps in [None, Some(8), Some(32)] {
                for coefficient in [0.0, 0.2] {
                    let friction = both(coefficient);
                    let mut cloth = patch("patch", 3, friction, side, DVec3::ZERO);
                    let distance = radius - 0.5 * THICKNESS;
                    let (sin, cos) = start.sin_cos();
                    for x in &mut cloth.mesh.positions {
                        let along = x.x - 0.5 * side;
                        *x = DVec3::new(distance * sin + along * cos, along * sin - distance * cos, x.z);
                    }
                    let mut description = WorldDescription {
                        cloths: vec![cloth],
                        simulation: settings(solver, substeps),
                        ..WorldDescription::bare()
                    };
                    // So many sides that their corners take no energy that counts.
                    let pipe = MeshObstacle { friction, ..pipe(radius, 1000, true) };
                    description.mesh_obstacles.push(pipe);
                    let mut world = build(&description);
                    run(&mut world, 30);
                    let point = ask::material_point(&world, 0, DVec2::splat(0.5 * side)).expect("its middle");
                    let angle = point.position.x.atan2(-point.position.y).to_degrees();
                    let right = sliding_in_pipe(distance, start, coefficient, 0.5).to_degrees();
                    let case = format!("{solver:?}, {substeps:?} substeps, μ {coefficient}: angle [°]");
                    // Of the 68 to 89 degrees that it has come. Sweeps of the first order lose energy.
                    let allowed = if matches!(solver, SolverChoice::Block) { 1.0 } else { 0.5 };
                    misses.check(&case, angle, right, allowed);
                }
            }
        }
        misses.expect_none();
    }
}
