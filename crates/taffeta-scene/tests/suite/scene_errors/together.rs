//! Several problems at once, and what follows from them.

use super::{GOOD, only_problem, read};

/// The key paths of all problems of a scene, in their order.
fn keys(text: &str) -> Vec<String> {
    let error = read(text).unwrap_err();
    error.problems().iter().map(|problem| problem.key.clone()).collect()
}

#[test]
fn all_values_that_do_not_fit_are_found_at_once() {
    let text = GOOD
        .replace("frame_rate = 60.0", "frame_rate = \"fast\"")
        .replace("cells = [8, 8]", "cells = [8, 0], colour = 1")
        .replace("t = 1.0", "t = nan")
        .replace("size_max = 0.10", "size_max = true")
        .replace("density = 0.2", "density = 0.2\npoison = 0.3")
        .replace("radius = 0.2", "radius = [1]")
        .replace("material = [0.5, 0.5]", "material = [0.5]\nrope = 3");
    let expected = [
        "simulation.frame_rate",
        "cloth.0.grid.cells.1",
        "cloth.0.grid.colour",
        "cloth.0.pin.0.motion.1.t",
        "cloth.0.remesh.size_max",
        "materials.mine.poison",
        "obstacle.0.shape.sphere.radius",
        "probe.0.material",
        "probe.0.rope",
    ];
    assert_eq!(keys(&text), expected);
}

#[test]
fn what_follows_from_a_problem_is_no_problem_of_its_own() {
    for (old, new, key) in [
        ("duration = 4.0", "durations = 4.0", "simulation.durations"),
        ("grid = ", "gird = ", "cloth.0.gird"),
        ("where = ", "were = ", "cloth.0.pin.0.were"),
        ("where = { box = [[-0.1", "where = { box = [[nan", "cloth.0.pin.0.where.box.0.0"),
        ("sphere = { radius", "sphere = { radios", "obstacle.0.shape.sphere.radios"),
        ("stretch = [1000.0, 1000.0]", "strech = [1000.0, 1000.0]", "materials.mine.strech"),
        ("name = \"sheet\"", "name = 3", "cloth.0.name"),
        ("[[probe]]\nname", "[[probe]]\nnam", "probe.0.nam"),
    ] {
        assert_eq!(only_problem(read(&GOOD.replace(old, new)).unwrap_err()).key, key, "{new}");
    }
}

#[test]
fn a_missing_key_is_shown_with_an_example_and_its_meaning() {
    let report = read(&GOOD.replace("radius = 0.2", "")).unwrap_err().to_string();
    assert!(report.contains("`radius` is missing in `obstacle.0.shape.sphere`"), "{report}");
    assert!(report.contains("for example radius = 0.2: Radius [m]."), "{report}");
    let report = read(&GOOD.replace("{ sphere = { radius = 0.2 } }", "{}")).unwrap_err().to_string();
    assert!(report.contains("exactly one of sphere, plane"), "{report}");
    let report = read(&GOOD.replace("shape = { sphere = { radius = 0.2 } }", "")).unwrap_err().to_string();
    assert!(report.contains("for example shape = { sphere = { radius = 0.2 } }: "), "{report}");
}

#[test]
fn hundreds_of_problems_are_cut_off() {
    let obstacle = "[[obstacle]]\nshape = { sphere = { radius = 0 } }\n";
    let found = keys(&format!("{GOOD}{}", obstacle.repeat(500))).len();
    assert_eq!(found, 200);
}
