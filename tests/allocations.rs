//! Allocations of a step. A single test in a binary of its own, because it counts for the whole process.

use stats_alloc::{INSTRUMENTED_SYSTEM, Region, StatsAlloc};
use std::alloc::System;
use std::path::Path;
use taffeta::scene::Scene;
use taffeta::sim::{StepInputs, SubstepPlan, World};

#[global_allocator]
static ALLOCATOR: &StatsAlloc<System> = &INSTRUMENTED_SYSTEM;

/// Allocations of each of some frames of a sheet of `2 cells²` triangles that falls from a pinned edge.
fn count(cells: u32) -> Vec<(SubstepPlan, usize)> {
    let scene = format!(
        "[simulation]\nthreads = 1\nduration = 1.0\n\n[[cloth]]\nname = \"sheet\"\nmaterial = \"cotton\"\n\
         grid = {{ size = [1.0, 1.0], cells = [{cells}, {cells}] }}\nplace = {{ rotate_deg = [-90, 0, 0] }}\n\n\
         [[cloth.pin]]\nwhere = {{ material_box = [[0.0, 0.9], [1.0, 1.0]] }}\n"
    );
    let scene = Scene::from_str(&scene, Path::new("sheet.toml"), &[]).unwrap();
    let mut world = World::build(&scene.build().unwrap()).unwrap();
    let mut frame = || {
        let region = Region::new(ALLOCATOR);
        let report = world.step(&StepInputs::default(), 1.0 / 60.0).unwrap();
        (report.plan, region.change().allocations)
    };
    (0..8).map(|_| frame()).collect()
}

#[test]
fn a_step_does_not_allocate_for_each_vertex() {
    let [coarse, fine] = [12, 48].map(count);
    for (plan, allocations) in coarse.iter().chain(&fine) {
        assert!(plan.substeps > 0 && *allocations < 1500 * plan.substeps as usize, "{plan:?}: {allocations}");
    }
    let per_substep = |frames: &[(SubstepPlan, usize)]| -> f64 {
        let (substeps, allocations) =
            frames.iter().fold((0, 0), |sum, (plan, count)| (sum.0 + plan.substeps, sum.1 + count));
        allocations as f64 / f64::from(substeps)
    };
    let (coarse, fine) = (per_substep(&coarse), per_substep(&fine));
    // Sixteen times the vertices, and more Newton iterations, each of which allocates.
    assert!(fine < 2.0 * coarse, "{coarse} and {fine} allocations in a substep");
    println!("{coarse:.0} and {fine:.0} allocations in a substep");
}
