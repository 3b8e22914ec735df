//! Limits of the solvers, and static scenes.

use super::{GOOD, expect, only_problem, read, replace_line};
use std::path::Path;
use taffeta_scene::{Override, Scene};

#[test]
fn the_block_solver_refuses_what_it_cannot_do() {
    let parts = ["TR-BDF2 belongs to the global and direct solvers", "\"block\"", "time = \"euler\""];
    expect("solver", "time = \"tr_bdf2\"\nsolver = \"block\"", "\"tr_bdf2\"", &parts);
    let parts = ["`simulation.mode` is \"static\"", "\"block\"", "solver = \"global\" or \"direct\""];
    expect("solver", "mode = \"static\"\nsolver = \"block\"", "\"static\"", &parts);
    let overrides = ["simulation.time=tr_bdf2", "simulation.solver=block"];
    let overrides = overrides.map(|setting| Override::parse(setting).unwrap());
    let report = Scene::from_str(GOOD, Path::new("t.toml"), &overrides).unwrap_err().to_string();
    assert!(report.contains("--set simulation.time=tr_bdf2") && report.contains("TR-BDF2"), "{report}");
    expect("solver", "mode = \"frozen\"", "\"frozen\"", &["\"dynamic\", \"static\""]);
    let parts =
        ["\"newton\"", "\"auto\", \"global\", \"block\", \"direct\", \"xpbd\", \"pbd\", \"projective\""];
    expect("solver", "solver = \"newton\"", "\"newton\"", &parts);
    expect(
        "solver",
        "time = \"bdf2\"",
        "\"bdf2\"",
        &["`simulation.time`", "has been replaced by", "write \"tr_bdf2\""],
    );
    let parts = ["mode \"static\"", "no time passes", "\"dynamic\""];
    expect("solver", "mode = \"static\"\ntime = \"tr_bdf2\"", "\"tr_bdf2\"", &parts);
    expect("solver", "time = \"rk4\"", "\"rk4\"", &["\"auto\", \"euler\", \"tr_bdf2\""]);
}

#[test]
fn a_static_scene_needs_no_duration() {
    let (text, _) = replace_line("duration", "mode = \"static\"");
    let scene = read(&text).unwrap();
    assert_eq!((scene.last_frame(), scene.simulation.duration), (1, 0.0));
    let (text, _) = replace_line("duration", "mode = \"static\"\nduration = 3.0");
    assert_eq!(read(&text).unwrap().hash().unwrap(), scene.hash().unwrap());
    expect("duration", "mode = \"static\"\nduration = -1", "-1", &["greater than 0"]);
}

#[test]
fn solvers_of_scalar_rows_refuse_what_they_do_not_know() {
    for solver in ["xpbd", "pbd"] {
        let name = format!("{solver:?}");
        let with = |line: &str| format!("{line}\nsolver = {name}");
        let others = "solver = \"global\" or \"direct\"";
        expect("solver", &with("time = \"tr_bdf2\""), "\"tr_bdf2\"", &[&name, others, "implicit Euler"]);
        expect("solver", &with("mode = \"static\""), "\"static\"", &[&name, others]);
        let refused = |key: &str, line: &str, at: &str, parts: &[&str]| {
            let (text, first) = replace_line(key, line);
            let text = text.replace("solver = \"auto\"", &format!("solver = {name}"));
            let error = read(&text).unwrap_err();
            let [problem] = error.problems() else { panic!("one problem expected:\n{error}") };
            let place = problem.location.as_ref().unwrap();
            let column = line.find(at).unwrap() + 1;
            assert_eq!((place.line, place.column), (first, column), "{error}");
            let report = error.to_string();
            assert!(parts.iter().chain(&[name.as_str()]).all(|part| report.contains(part)), "{report}");
        };
        for model in ["curvature", "quadratic", "averaged"] {
            let line = format!("bending = \"{model}\"");
            let parts = [model, "bends by hinges only", "bending = \"hinge\" or \"none\""];
            refused("place", &line, &format!("\"{model}\""), &parts);
        }
        refused("place", "rest_curvature = [1, 0, 0]", "[1", &["rest_curvature", "solver = \"block\""]);
        let (text, first) = replace_line("where", "where = { boundary = true }\nclamp = true");
        let text = text.replace("solver = \"auto\"", &format!("solver = {name}"));
        let error = read(&text).unwrap_err();
        assert_eq!(error.problems()[0].location.as_ref().unwrap().line, first + 1, "{error}");
        assert!(error.to_string().contains("clamp") && error.to_string().contains(&name), "{error}");
    }
}

#[test]
fn projective_dynamics_refuses_what_it_does_not_know() {
    let others = "solver = \"global\" or \"direct\"";
    let name = "\"projective\"";
    let with = |line: &str| format!("{line}\nsolver = {name}");
    expect("solver", &with("time = \"tr_bdf2\""), "\"tr_bdf2\"", &[name, others, "implicit Euler"]);
    expect("solver", &with("mode = \"static\""), "\"static\"", &[name, others]);
    let refused = |(key, line, place): (&str, &str, (usize, &str)), parts: &[&str]| {
        let (text, first) = replace_line(key, line);
        let error = read(&text.replace("solver = \"auto\"", "solver = \"projective\"")).unwrap_err();
        let report = error.to_string();
        let found = only_problem(error).location.unwrap();
        let column = line.lines().nth(place.0).unwrap().find(place.1).unwrap() + 1;
        assert_eq!((found.line, found.column), (first + place.0, column), "{report}");
        assert!(parts.iter().chain(&[name]).all(|part| report.contains(part)), "{report}");
    };
    for model in ["curvature", "hinge", "quadratic", "averaged"] {
        let line = format!("bending = \"{model}\"");
        let at = format!("\"{model}\"");
        refused(("place", &line, (0, &at)), &[model, "bending = \"mean_curvature\" or \"none\""]);
    }
    refused(("place", "rest_curvature = [1, 0, 0]", (0, "[1")), &["rest_curvature", "solver = \"block\""]);
    let clamp = "where = { boundary = true }\nclamp = true";
    refused(("where", clamp, (1, "true")), &["clamp"]);
    let parts = ["mean_curvature", "solver = \"projective\""];
    expect("place", "bending = \"mean_curvature\"", "\"mean_curvature\"", &parts);
}

#[test]
fn a_pin_has_no_strength_where_there_are_no_forces() {
    let (text, first) = replace_line("where", "where = { boundary = true }\nstrength = 2.0");
    let problem =
        |solver: &str| read(&text.replace("\"auto\"", &format!("{solver:?}"))).err().map(only_problem);
    let place = problem("pbd").unwrap().location.unwrap();
    assert_eq!((place.line, place.column), (first + 1, 12));
    assert!(problem("xpbd").is_none() && problem("block").is_none());
}

/// A line in the place of `place`, under a solver: the problem that it makes, if any.
fn problem_under(solver: &str, lines: &str) -> Option<(usize, usize, String)> {
    let (text, first) = replace_line("place", lines);
    let error = read(&text.replace("\"auto\"", &format!("{solver:?}"))).err()?;
    let report = error.to_string();
    let place = only_problem(error).location.unwrap();
    Some((place.line - first, place.column, report))
}

#[test]
fn the_energy_as_a_constraint_belongs_to_solvers_that_sweep() {
    for constraint in ["energy", "energy_published"] {
        let line = format!("constraint = {constraint:?}");
        for solver in ["auto", "global", "direct", "pbd"] {
            let (line, column, report) = problem_under(solver, &line).unwrap();
            assert_eq!((line, column), (0, 14), "{report}");
            let parts = [constraint, &format!("solver {solver:?}"), "solver = \"block\" or \"xpbd\""];
            assert!(parts.iter().all(|part| report.contains(part)), "{report}");
            let has_same = report.contains("constraint = \"strain\" has the same energy");
            assert_eq!(has_same, constraint == "energy", "{report}");
        }
        for solver in ["block", "xpbd"] {
            assert_eq!(problem_under(solver, &line), None, "{solver}");
        }
    }
    let names = "\"strain\", \"edges\", \"energy\", \"energy_published\"";
    expect("place", "constraint = \"energi\"", "\"energi\"", &[names, "did you mean `energy`?"]);
}

#[test]
fn a_scaling_needs_an_area_and_a_solver_that_sweeps() {
    let unscaled = "scaling = false\nscaling_area = 0.002";
    for solver in ["auto", "global", "direct", "pbd"] {
        let (line, column, report) = problem_under(solver, unscaled).unwrap();
        assert_eq!((line, column), (0, 11), "{report}");
        assert!(report.contains(&format!("solver {solver:?}")) && report.contains("\"xpbd\""), "{report}");
        assert_eq!(problem_under(solver, "scaling = true"), None);
    }
    for solver in ["block", "xpbd"] {
        assert_eq!(problem_under(solver, unscaled), None, "{solver}");
        let (line, column, report) = problem_under(solver, "scaling = false").unwrap();
        assert_eq!((line, column), (0, 11), "{report}");
        assert!(report.contains("`scaling_area` is missing"), "{report}");
        for area in ["-0.1", "0", "inf", "\"large\""] {
            let lines = format!("scaling = false\nscaling_area = {area}");
            let (line, column, report) = problem_under(solver, &lines).unwrap();
            assert_eq!((line, column), (1, 16), "{report}");
            assert!(report.contains("scaling_area"), "{report}");
        }
        for lines in ["scaling_area = 0.1", "scaling_area = 0.1\nscaling = true"] {
            let (line, column, report) = problem_under(solver, lines).unwrap();
            assert_eq!((line, column), (0, 16), "{report}");
            assert!(report.contains("has no effect") && report.contains("scaling = false"), "{report}");
        }
    }
    expect("place", "scaling = 1", "1", &["cloth.0.scaling", "true or false"]);
}

#[test]
fn triangles_buckle_under_solvers_that_know_stress_only() {
    for solver in ["xpbd", "pbd"] {
        let (line, column, report) = problem_under(solver, "buckling = true").unwrap();
        assert_eq!((line, column), (0, 12), "{report}");
        assert!(report.contains(&format!("solver {solver:?}")) && report.contains("\"direct\""), "{report}");
    }
    for solver in ["auto", "global", "direct", "block"] {
        assert_eq!(problem_under(solver, "buckling = true"), None, "{solver}");
    }
    for solver in ["xpbd", "pbd", "global"] {
        assert_eq!(problem_under(solver, "buckling = false"), None, "{solver}");
    }
    let (_, _, report) = problem_under("global", "buckling = true\nconstraint = \"edges\"").unwrap();
    assert!(report.contains("constraint = \"strain\""), "{report}");
    let unscaled = "buckling = true\nscaling = false\nscaling_area = 0.002";
    assert!(problem_under("block", unscaled).unwrap().2.contains("leave one of them out"));
    for value in ["0", "-1.5", "inf", "nan"] {
        expect("place", &format!("buckling = {value}"), value, &["cloth.0.buckling", "greater than 0"]);
    }
    expect("place", "buckling = \"on\"", "\"on\"", &["cloth.0.buckling", "a number"]);
    expect("place", "bukling = true", "bukling", &["did you mean `buckling`?"]);
}

#[test]
fn stiffness_is_a_part_of_one() {
    for key in ["stiffness", "bend_stiffness"] {
        for value in ["1.5", "-0.1", "nan"] {
            expect("place", &format!("{key} = {value}"), value, &[key, "from 0 to 1"]);
        }
        expect("place", &format!("{key} = \"stiff\""), "\"stiff\"", &[key, "a number"]);
    }
    expect("place", "stiffness_correction = 1", "1", &["stiffness_correction", "true or false"]);
}

/// Returns the problems of the good scene under a solver, with other lines for its `place`, before its meshes are
/// made.
fn problems(solver: &str, lines: &str) -> Option<String> {
    let (text, _) = replace_line("place", lines);
    let text = text.replace("\"auto\"", &format!("{solver:?}"));
    read(&text).err().map(|error| error.to_string())
}

#[test]
fn springs_along_edges_belong_to_solvers_of_scalar_rows() {
    for solver in ["auto", "global", "direct", "block"] {
        let line = format!("constraint = \"distance\"\nsolver = {solver:?}");
        let (text, first) = replace_line("place", line.lines().next().unwrap());
        let error = read(&text.replace("\"auto\"", &format!("{solver:?}"))).unwrap_err();
        let place = only_problem(error).location.unwrap();
        assert_eq!((place.line, place.column), (first, 14));
        let report = problems(solver, "constraint = \"distance\"").unwrap();
        assert!(report.contains(solver) && report.contains("solver = \"xpbd\" or \"pbd\""), "{report}");
        assert!(report.contains("constraint = \"edges\""), "{report}");
    }
    for solver in ["xpbd", "pbd"] {
        assert_eq!(problems(solver, "constraint = \"distance\""), None);
    }
    expect("place", "constraint = \"springs\"", "\"springs\"", &["\"strain\", \"edges\"", "\"distance\""]);
}

#[test]
fn a_break_force_needs_springs_that_stay() {
    // The good scene is remeshed.
    let both = "constraint = \"distance\"\nbreak_force = 2.5";
    let report = problems("xpbd", both).unwrap();
    assert!(report.contains("`remesh` exclude") && report.contains("test.toml:11:15"), "{report}");
    let report = problems("pbd", both).unwrap();
    assert!(report.contains("not known to the solver \"pbd\"") && report.contains("\"xpbd\""), "{report}");
    let report = problems("block", "break_force = 2.5").unwrap();
    assert!(report.contains("not known to the solver \"block\""), "{report}");
    let report = problems("xpbd", "break_force = 2.5").unwrap();
    assert!(report.contains("constraint = \"distance\""), "{report}");
    for value in ["0", "-1", "nan", "inf"] {
        let (text, first) =
            replace_line("place", &format!("constraint = \"distance\"\nbreak_force = {value}"));
        let error = read(&text.replace("\"auto\"", "\"xpbd\"")).unwrap_err();
        assert!(error.to_string().contains("greater than 0"), "{error}");
        let place = only_problem(error).location.unwrap();
        assert_eq!((place.line, place.column), (first + 1, 15));
    }
}

#[test]
fn folds_that_stay_are_refused_where_nothing_knows_them() {
    let (yielding, _) = replace_line("density", "density = 0.2\nyield_curvature = 50");
    let line = GOOD.lines().position(|line| line.starts_with("material = ")).unwrap() + 1;
    let refused = |old: &str, new: &str, parts: &[&str]| {
        let error = read(&yielding.replace(old, new)).unwrap_err();
        let report = error.to_string();
        let place = only_problem(error).location.unwrap();
        assert_eq!((place.line, place.column), (line, 12), "{report}");
        assert!(parts.iter().all(|part| report.contains(part)), "{report}");
        assert!(report.contains("`cloth.0.material` has a yield_curvature"), "{report}");
    };
    let others = "solver = \"global\", \"direct\" or \"block\"";
    for solver in ["xpbd", "pbd", "projective"] {
        refused("\"auto\"", &format!("{solver:?}"), &[solver, "does not know", others]);
    }
    for bending in ["hinge", "quadratic", "none"] {
        let model = format!("material = \"mine\"\nbending = {bending:?}");
        refused("material = \"mine\"", &model, &[bending, "bending = \"curvature\""]);
    }
    refused("duration = 4.0", "mode = \"static\"", &["the search for an equilibrium", "mode = \"dynamic\""]);
    for good in ["global", "direct", "block"] {
        assert!(read(&yielding.replace("\"auto\"", &format!("{good:?}"))).is_ok());
    }
    let averaged = yielding.replace("material = \"mine\"", "material = \"mine\"\nbending = \"averaged\"");
    assert!(read(&averaged).is_ok());
    // The solver's own bending model is not the scene's mistake: one problem is enough.
    expect("material = ", "material = \"origami\"\nbending = \"none\"", "\"origami\"", &["\"none\""]);
    for bad in ["-3", "0.0", "-1e29"] {
        let lines = format!("density = 0.2\nyield_curvature = {bad}");
        expect("density", &lines, bad, &["`materials.mine.yield_curvature` is", "greater than 0"]);
    }
    let parts = ["`materials.mine.yield_hardening` means nothing without a `yield_curvature`"];
    expect("density", "density = 0.2\nyield_hardening = 0.3", "0.3", &parts);
    let lines = "density = 0.2\nyield_curvature = 9\nyield_hardening = -0.3";
    expect("density", lines, "-0.3", &["`materials.mine.yield_hardening` is -0.3", "at least 0"]);
    for bad in ["nan", "inf", "\"much\"", "[1, 2]"] {
        let (text, first) = replace_line("density", &format!("density = 0.2\nyield_curvature = {bad}"));
        let error = read(&text).unwrap_err();
        let place = only_problem(error).location.unwrap();
        assert_eq!((place.line, place.column), (first + 1, 19), "{bad}");
    }
}
