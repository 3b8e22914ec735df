//! What a solver cannot do, and static scenes.

use super::{GOOD, expect, only_problem, read, replace_line};
use std::path::Path;
use taffeta_scene::{Override, Scene};

#[test]
fn the_block_solver_refuses_what_it_cannot_do() {
    let parts = ["BDF2 belongs to the global and direct solvers", "\"block\"", "time = \"euler\""];
    expect("solver", "time = \"bdf2\"\nsolver = \"block\"", "\"bdf2\"", &parts);
    let parts = ["`simulation.mode` is \"static\"", "\"block\"", "solver = \"global\" or \"direct\""];
    expect("solver", "mode = \"static\"\nsolver = \"block\"", "\"static\"", &parts);
    let overrides = ["simulation.time=bdf2", "simulation.solver=block"];
    let overrides = overrides.map(|setting| Override::parse(setting).unwrap());
    let report = Scene::from_str(GOOD, Path::new("t.toml"), &overrides).unwrap_err().to_string();
    assert!(report.contains("--set simulation.time=bdf2") && report.contains("BDF2"), "{report}");
    expect("solver", "mode = \"frozen\"", "\"frozen\"", &["\"dynamic\", \"static\""]);
    let parts =
        ["\"newton\"", "\"auto\", \"global\", \"block\", \"direct\", \"xpbd\", \"pbd\", \"projective\""];
    expect("solver", "solver = \"newton\"", "\"newton\"", &parts);
    expect("solver", "time = \"rk4\"", "\"rk4\"", &["\"auto\", \"euler\", \"bdf2\""]);
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
        expect("solver", &with("time = \"bdf2\""), "\"bdf2\"", &[&name, others, "implicit Euler"]);
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
    expect("solver", &with("time = \"bdf2\""), "\"bdf2\"", &[name, others, "implicit Euler"]);
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
