//! What a solver cannot do, and static scenes.

use super::{GOOD, expect, read, replace_line};
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
    let parts = ["\"newton\"", "\"auto\", \"global\", \"block\", \"direct\""];
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
