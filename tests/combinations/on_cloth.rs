//! Cloth on cloth.

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

/// Strongly damped cloth lost a sixth of its speed. Nothing rubs, so Newton's method stopped early, and its linear solves left much.
/// With the preconditioner that knows damping, either stop errs by less than 0.1 %.
#[test]
fn what_glides_down_cloth_without_friction_is_not_braked_by_damping() {
    let mut misses = Misses::default();
    for substeps in [None, Some(4)] {
        let gravity = on_slope(10.0_f64.to_radians());
        let glide = Glide {
            gravity,
            damping: 0.5,
            substeps,
            ..Glide::new(Ground::Cloth, both(0.0), SolverChoice::Global)
        };
        check_slide(&mut misses, &format!("{substeps:?} substeps"), &glide, 10.0);
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
