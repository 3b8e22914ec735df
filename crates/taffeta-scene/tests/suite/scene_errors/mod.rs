//! Every bad scene is refused with its place and a message that says what is allowed.

mod meshes;
mod pins;
mod ropes;
mod seams;
mod solids;
mod solvers;
mod together;

use std::path::Path;
use taffeta_scene::{Override, Problem, Scene, SceneError};

/// A valid scene. Bad ones replace one of its lines.
const GOOD: &str = r#"[simulation]
duration = 4.0
frame_rate = 60.0
solver = "auto"

[[cloth]]
name = "sheet"
grid = { size = [1.0, 1.0], cells = [8, 8], pattern = "alternating" }
material = "mine"
place = { translate = [0, 0, 1], rotate_deg = [90, 0, 0], scale = 1.0 }

[[cloth.pin]]
where = { box = [[-0.1, -0.1, 0.9], [1.1, 0.1, 1.1]] }
motion = [ { t = 0.0 }, { t = 1.0, translate = [0, 1, 0] } ]

[cloth.remesh]
size_min = 0.01
size_max = 0.10

[materials.mine]
density = 0.2
stretch = [1000.0, 1000.0]
bend = [1e-5, 1e-5]

[[obstacle]]
shape = { sphere = { radius = 0.2 } }

[contact]
thickness = 0.001

[[probe]]
name = "center"
cloth = "sheet"
material = [0.5, 0.5]

[output]
formats = ["obj"]
"#;

fn read(text: &str) -> Result<Scene, SceneError> {
    Scene::from_str(text, Path::new("scenes/test.toml"), &[])
}

/// The only problem of a scene.
fn only_problem(error: SceneError) -> Problem {
    let report = error.to_string();
    match error.problems() {
        [problem] => problem.clone(),
        _ => panic!("one problem expected:\n{report}"),
    }
}

/// The good scene with the line that starts with `old` replaced, and the number of that line, from 1.
fn replace_line(old: &str, new: &str) -> (String, usize) {
    let number =
        GOOD.lines().position(|line| line.starts_with(old)).unwrap_or_else(|| panic!("no line {old}"));
    let lines = GOOD.lines().enumerate().map(|(n, line)| if n == number { new } else { line });
    (lines.map(|line| format!("{line}\n")).collect(), number + 1)
}

/// Common parts of the messages about types, ranges, words and keys. The schema must not let such a scene pass
/// either.
const STRUCTURAL: [&str; 5] =
    ["unknown key", "but must be", "is missing in", "must have exactly one", "is not supported"];
/// Messages of that kind about what no schema can say: that several values do not go together.
const OF_SEVERAL_VALUES: [&str; 4] =
    ["of an isotropic material", "ν₁₂ν₂₁", "below 1", "greater than -1: the shear"];

/// Expects that the schema refuses a scene whose structure is the problem.
fn expect_refused_by_schema(text: &str, message: &str) {
    static VALIDATOR: std::sync::LazyLock<jsonschema::Validator> =
        std::sync::LazyLock::new(|| jsonschema::validator_for(&taffeta_scene::scene_schema()).unwrap());
    let is_structural = STRUCTURAL.iter().any(|part| message.contains(part));
    if is_structural && !OF_SEVERAL_VALUES.iter().any(|part| message.contains(part)) {
        let scene: serde_json::Value = toml::from_str(text).unwrap();
        assert!(!VALIDATOR.is_valid(&scene), "the schema lets this pass: {message}");
    }
}

/// Replaces a line and expects one problem, which stands at the first `at` in the new lines and whose report contains
/// all `parts`.
fn expect(old: &str, new: &str, at: &str, parts: &[&str]) {
    let (text, first_line) = replace_line(old, new);
    let error = read(&text).and_then(|scene| scene.build().map(drop)).expect_err(new);
    let report = error.to_string();
    let problem = only_problem(error);
    expect_refused_by_schema(&text, &problem.message);
    let place = problem.location.unwrap_or_else(|| panic!("no place:\n{report}"));
    let before = &new[..new.find(at).unwrap_or_else(|| panic!("no {at} in {new}"))];
    let column = before.chars().rev().take_while(|c| *c != '\n').count() + 1;
    assert_eq!((place.line, place.column), (first_line + before.matches('\n').count(), column), "{report}");
    let start = format!("scenes/test.toml:{}:{}: ", place.line, place.column);
    assert!(report.starts_with(&start) && report.contains(&place.text) && report.contains('^'), "{report}");
    for part in parts {
        assert!(report.contains(part), "{part:?} missing in:\n{report}");
    }
}

/// Replaces a line and expects one problem in a line that starts with `line`.
fn expect_in_line(old: &str, new: &str, line: &str, parts: &[&str]) {
    let (text, _) = replace_line(old, new);
    let error = read(&text).and_then(|scene| scene.build().map(drop)).expect_err(new);
    let report = error.to_string();
    let problem = only_problem(error);
    expect_refused_by_schema(&text, &problem.message);
    let place = problem.location.unwrap_or_else(|| panic!("no place:\n{report}"));
    assert!(place.text.starts_with(line), "{report}");
    for part in parts {
        assert!(report.contains(part), "{part:?} missing in:\n{report}");
    }
}

/// Replaces the first line of a good scene that starts with `old`. Expects one problem at the first `at` in the new line, or in
/// the line that starts with `at` elsewhere, with all `parts` in its report.
fn expect_in(good: &str, (old, new): (&str, &str), at: &str, parts: &[&str]) {
    let number =
        good.lines().position(|line| line.starts_with(old)).unwrap_or_else(|| panic!("no line {old}"));
    let lines = good.lines().enumerate().map(|(n, line)| if n == number { new } else { line });
    let text: String = lines.map(|line| format!("{line}\n")).collect();
    let error = read(&text).and_then(|scene| scene.build().map(drop)).expect_err(new);
    let report = error.to_string();
    let problem = only_problem(error);
    expect_refused_by_schema(&text, &problem.message);
    let place = problem.location.unwrap_or_else(|| panic!("no place:\n{report}"));
    match new.find(at) {
        Some(start) => {
            let before = &new[..start];
            let column = before.chars().rev().take_while(|c| *c != '\n').count() + 1;
            let line = number + 1 + before.matches('\n').count();
            assert_eq!((place.line, place.column), (line, column), "{report}");
        }
        None => assert!(place.text.starts_with(at), "{report}"),
    }
    for part in parts {
        assert!(report.contains(part), "{part:?} missing in:\n{report}");
    }
}

#[test]
fn the_good_scene_is_good() {
    let world = read(GOOD).unwrap().build().unwrap();
    let validator = jsonschema::validator_for(&taffeta_scene::scene_schema()).unwrap();
    assert!(validator.is_valid(&toml::from_str(GOOD).unwrap()));
    assert_eq!(world.cloths[0].mesh.positions.len(), 81);
}

#[test]
fn unknown_keys_are_refused_with_the_allowed_ones() {
    expect(
        "frame_rate",
        "framerate = 60",
        "framerate",
        &["unknown key", "did you mean `frame_rate`?", "duration"],
    );
    expect("[contact]", "[contacts]", "contacts", &["unknown key", "simulation, cloth"]);
    expect("grid", "grid = { sise = [1, 1] }", "sise", &["did you mean `size`?", "`cloth.0.grid`"]);
    expect("density", "density = 0.2\ndensiti = 1", "densiti", &["unknown key"]);
    expect("motion", "motion = [{ t = 0, move = [0, 0, 0] }]", "move", &["t, translate, rotate_deg"]);
    expect("size_min", "size_minimum = 0.1", "size_minimum", &["unknown key", "refine_angle"]);
    // A key of another table.
    expect(
        "density",
        "density = 0.2\nsize_min = 0.1",
        "size_min",
        &["it is a key of `cloth.remesh`; allowed keys"],
    );
}

#[test]
fn wrong_types_are_refused_with_what_was_found() {
    expect("duration", "duration = \"long\"", "\"long\"", &["the string \"long\"", "must be a number"]);
    expect("duration", "duration = 2020-01-01", "2020", &["the date 2020-01-01"]);
    expect(
        "solver",
        "solver = 3",
        "3",
        &["the whole number 3", "\"auto\", \"global\", \"block\", \"direct\""],
    );
    expect("solver", "substeps = 2.5", "2.5", &["must be \"auto\" or a whole number"]);
    expect("solver", "gravity = [0, 1]", "[0, 1]", &["an array of 2", "an array of 3 numbers"]);
    expect("place", "place = 3", "3", &["must be a table", "translate, rotate_deg, scale"]);
    expect("where", "where = { boundary = 1 }", "1", &["must be true or false"]);
    expect("[[obstacle]]", "[obstacle]", "[obstacle]", &["array of tables", "write [[obstacle]]"]);
    expect("formats", "formats = \"obj\"", "\"obj\"", &["must be an array"]);
    expect("material = \"mine\"", "material = 1", "1", &["a material's name or table"]);
}

#[test]
fn impossible_numbers_are_refused() {
    expect("duration", "duration = -1", "-1", &["`simulation.duration` is -1", "greater than 0"]);
    expect("duration", "duration = nan", "nan", &["NaN", "finite"]);
    expect("duration", "duration = inf", "inf", &["inf", "finite"]);
    expect("duration", "duration = 1e-9", "1e-9", &["less than one frame"]);
    expect("duration", "duration = 1e9", "1e9", &["allowed: 1 to 10000000 frames"]);
    expect("frame_rate", "frame_rate = 0", "0", &["`simulation.frame_rate` is 0", "greater than 0"]);
    expect("solver", "substeps = 0", "0", &["is 0, but must be a whole number from 1"]);
    expect(
        "frame_rate",
        "frame_rate = 1e-9",
        "1e-9",
        &["`simulation.frame_rate` is 0.000000001", "3600 s at most"],
    );
    expect("frame_rate", "frame_rate = nan", "nan", &["`simulation.frame_rate` is NaN", "finite"]);
    expect_in_line("frame_rate", "frame_rate = 1e9", "duration", &["allowed: 1 to 10000000 frames"]);
    for key in ["substeps", "iterations"] {
        let parts = ["is 1000000000, but must be a whole number from 1 to 1000000"];
        expect("solver", &format!("{key} = 1000000000"), "1000000000", &parts);
    }
    expect("solver", "iterations = -3", "-3", &["is -3"]);
    expect("solver", "accuracy = 0.5", "0.5", &["`simulation.accuracy` is 0.5", "\"draft\"", "to 0.01"]);
    expect("solver", "accuracy = \"fin\"", "\"fin\"", &["`simulation.accuracy`", "fine"]);
    expect("solver", "gravity = [0, nan, 0]", "nan", &["`simulation.gravity.1` is NaN", "finite"]);
    expect("solver", "velocity_damping = inf", "inf", &["finite"]);
    expect("place", "velocity = [inf, 0, 0]", "inf", &["`cloth.0.velocity.0` is inf", "finite"]);
    expect("place", "angular_velocity = [0, nan, 0]", "nan", &["`cloth.0.angular_velocity.1`", "finite"]);
    expect("place", "place = { translate = [0, 0, nan] }", "nan", &["`cloth.0.place.translate.2`", "finite"]);
    expect("[contact]", "[air]\nwind = [nan, 0, 0]\n[contact]", "nan", &["`air.wind.0` is NaN", "finite"]);
    expect("solver", "velocity_damping = -0.1", "-0.1", &["at least 0"]);
    expect("solver", "seed = -1", "-1", &["is -1", "at least 0"]);
    expect("thickness", "thickness = 0", "0", &["greater than 0"]);
    expect("shape", "shape = { sphere = { radius = -0.2 } }", "-0.2", &["`obstacle.0.shape.sphere.radius`"]);
    expect("shape", "shape = { plane = { normal = [0, 0, 0] } }", "[0, 0, 0]", &["no direction"]);
    expect(
        "shape",
        "shape = { capsule = { radius = 0.1 } }",
        "{ radius",
        &["`half_length` is missing in `obstacle.0.shape.capsule`"],
    );
    expect(
        "shape",
        "shape = { box = { half_size = [0.1, -1, 0.1] } }",
        "[0.1, -1",
        &["half_size", "positive"],
    );
    expect("place", "place = { scale = 0 }", "0", &["greater than 0"]);
    expect("formats", "every = 0", "0", &["whole number from 1"]);
    expect("[contact]", "[air]\ndensity = -1\n[contact]", "-1", &["at least 0"]);
}

#[test]
fn impossible_grids_are_refused() {
    expect("grid", "grid = { size = [1.0, 0.0] }", "0.0]", &["`cloth.0.grid.size.1` is 0"]);
    expect("grid", "grid = { size = [-1.0, 1.0] }", "-1.0", &["greater than 0"]);
    expect("grid", "grid = { cells = [0, 4] }", "0, 4", &["is 0", "from 1"]);
    expect("grid", "grid = { cells = [4.5, 4] }", "4.5", &["whole number"]);
    expect(
        "grid",
        "grid = { cells = [100000, 100000] }",
        "[100000",
        &["10000000000 cells", "at most 20000000"],
    );
    expect("grid", "grid = { pattern = \"hexagons\" }", "\"hexagons\"", &["\"equilateral\", \"delaunay\""]);
    expect_in_line("grid", "grid = {}\nmesh = \"a.obj\"", "[[cloth]]", &["exactly one of", "grid and mesh"]);
    expect_in_line(
        "grid",
        "",
        "[[cloth]]",
        &["exactly one of grid, mesh, ball, outline, garment, but has none"],
    );
    expect("grid", "grid = {}\nuv_scale = 2", "2", &["needs a mesh"]);
}

#[test]
fn one_error_and_thresholds_exclude_each_other() {
    let scene = |keys: &str| {
        format!(
            "[simulation]\nduration = 1\n[[cloth]]\ngrid = {{}}\n[cloth.remesh]\nrefine_error = 1e-3\n{keys}"
        )
    };
    let report = read(&scene("refine_velocity = 1.0\n")).unwrap_err().to_string();
    assert!(report.contains("`refine_velocity` is given, but `refine_error` takes its place"), "{report}");
    assert!(report.contains(":7:"), "{report}");
    let remesh = |text: &str| read(text).unwrap().cloths[0].remesh.unwrap();
    let good = remesh(&scene("size_max = 0.2\n"));
    assert_eq!((good.refine_error, good.anisotropic), (Some(1e-3), true));
    // Hinges are stiffer on long triangles; and what is said counts.
    assert!(!remesh(&scene("").replace("grid = {}", "grid = {}\nbending = \"hinge\"")).anisotropic);
    assert!(!remesh(&scene("anisotropic = false\n")).anisotropic);
    // One error by default, unless a threshold is given or it is switched off.
    let with = |line: &str| remesh(&scene("").replace("refine_error = 1e-3", line));
    assert_eq!((with("").refine_error, with("").anisotropic), (Some(0.004), true));
    for line in ["refine_angle = 0.3", "refine_error = false"] {
        assert_eq!((with(line).refine_error, with(line).anisotropic), (None, false), "{line}");
    }
}

#[test]
fn popping_is_bounded_by_a_positive_number_or_not_at_all() {
    let scene = |value: &str| {
        read(&format!(
            "[simulation]\nduration = 1\n[[cloth]]\ngrid = {{}}\n[cloth.remesh]\nsize_min = 0.01\n{value}\n"
        ))
    };
    let remesh = |value: &str| scene(value).unwrap().cloths[0].remesh.unwrap().popping;
    assert_eq!(remesh(""), Some(1e-4));
    assert_eq!((remesh("popping = 1e-6"), remesh("popping = false")), (Some(1e-6), None));
    for value in ["0", "0.0", "-1e-4", "nan", "inf", "true", "\"none\""] {
        let report = scene(&format!("popping = {value}")).unwrap_err().to_string();
        assert!(report.contains("cloth.0.remesh.popping") && report.contains(":7:"), "{report}");
    }
}

#[test]
fn what_the_camera_does_not_see_needs_a_camera_that_looks_at_something() {
    let scene = |camera: &str, factor: &str| {
        read(&format!(
            "[simulation]\nduration = 1\n{camera}\n[[cloth]]\ngrid = {{}}\n[cloth.remesh]\ncoarsen_unseen = {factor}\n"
        ))
    };
    for camera in ["", "[camera]\nposition = [1, 1, 1]", "[camera]\nposition = [0, 1, 0]\ntarget = [0, 0, 0]"]
    {
        let report = scene(camera, "4").unwrap_err().to_string();
        assert!(report.contains("needs a camera that looks at something"), "{report}");
        assert!(report.contains("cloth.0.remesh.coarsen_unseen"), "{report}");
    }
    let camera = "[camera]\nposition = [1, 1, 1]\ntarget = [0, 0, 0]";
    assert_eq!(scene(camera, "4").unwrap().cloths[0].remesh.unwrap().coarsen_unseen, Some(4.0));
    assert_eq!(scene("", "false").unwrap().cloths[0].remesh.unwrap().coarsen_unseen, None);
    let report = scene(camera, "0.5").unwrap_err().to_string();
    assert!(report.contains("finite and at least 1"), "{report}");
}

#[test]
fn impossible_remeshing_is_refused() {
    expect("size_min", "size_min = 0.5", "0.5", &["size_min is 0.5 m", "size_max, 0.1 m"]);
    expect("size_min", "refine_angle = 0", "0", &["greater than 0"]);
    expect("size_min", "refine_strain = -1", "-1", &["greater than 0"]);
    expect("size_min", "interval = 0", "0", &["from 1"]);
    expect("size_min", "max_vertices = 0", "0", &["from 1"]);
}

#[test]
fn impossible_materials_are_refused_at_their_field() {
    expect("density", "density = -0.2", "-0.2", &["`materials.mine.density` is -0.2", "greater than 0"]);
    expect("density", "density = nan", "nan", &["finite"]);
    expect("stretch", "stretch = [1000, 0]", "[1000, 0]", &["`materials.mine.stretch` is 0"]);
    expect("bend", "bend = [1e-5, -1e-5]", "[1e-5", &["`materials.mine.bend`", "at least 0"]);
    expect("bend", "bend = [1e-5, 1e-5]\npoisson = 1.5", "1.5", &["ν₁₂ν₂₁"]);
    let parts = ["`materials.mine.poisson` is 0.5", "stretch = [100, 400]", "ν₁₂ν₂₁ = 1 ≥ 1", "below 1"];
    expect("stretch", "stretch = [100, 400]\npoisson = 0.5", "0.5", &parts);
    let parts = ["`materials.mine.bend_poisson`", "is 1", "below 1"];
    expect("bend", "bend_poisson = 1\nbend = [1e-5, 1e-5]", "1", &parts);
    expect(
        "bend",
        "bend = [1e-5, 1e-5]\npoisson = -1",
        "-1",
        &["poisson` is -1", "greater than -1", "shear"],
    );
    expect("bend", "shear = 0\nbend = [1e-5, 1e-5]", "0", &["`materials.mine.shear` is 0", "greater than 0"]);
    expect(
        "bend",
        "tear_strength = 0\nbend = [1, 1]",
        "0",
        &["`materials.mine.tear_strength` is 0", "greater than 0"],
    );
    expect("bend", "tear_strength = [9, -1]\nbend = [1, 1]", "[9", &["`materials.mine.tear_strength` is -1"]);
    expect("bend", "tear_strength = inf\nbend = [1, 1]", "inf", &["finite"]);
    expect("bend", "tear_strength = \"much\"\nbend = [1, 1]", "\"much\"", &["must be a number"]);
    expect(
        "bend",
        "tear_strength = 9\ntear_length = 0\nbend = [1, 1]",
        "0\n",
        &["`materials.mine.tear_length` is 0", "greater than 0"],
    );
    expect("bend", "tear_length = 0.01\nbend = [1, 1]", "0.01", &["says nothing without `tear_strength`"]);
    expect("bend", "thickness = 0\nbend = [1, 1]", "0", &["`materials.mine.thickness` is 0"]);
    expect(
        "bend",
        "bend = [1e-5, 1e-5]\nfriction = { static = 0.1, kinetic = 0.5 }",
        "0.5",
        &["static friction 0.1"],
    );
    expect_in_line("bend", "", "[materials.mine]", &["`bend` is missing in `materials.mine`", "N·m"]);
    expect(
        "material = \"mine\"",
        "material = \"coton\"",
        "\"coton\"",
        &["did you mean `cotton`?", "\"mine\""],
    );
    expect(
        "material = \"mine\"",
        "material = { density = 1, stretch = [1, 1] }",
        "{ density",
        &["`bend` is missing"],
    );
}

#[test]
fn cloth_names_must_be_safe_in_file_names() {
    // The probe names the good cloth, but with a broken cloth its name is not complained about.
    expect("name = \"sheet\"", "name = \"a/b\"", "\"a/b\"", &["file name", "letters, digits, - and _"]);
}

#[test]
fn probes_need_a_known_cloth_and_a_point_on_it() {
    expect("cloth =", "cloth = \"shet\"", "\"shet\"", &["unknown cloth \"shet\"", "\"sheet\""]);
    expect(
        "material = [0.5",
        "material = [0.5, 1.5]",
        "[0.5, 1.5]",
        &["\"center\"", "[0.5, 1]", "5.000e-1 m"],
    );
    expect_in_line("name = \"center\"", "", "[[probe]]", &["`name` is missing"]);
    let (text, _) = replace_line("material = [0.5", "material = [0.5, 1.0000005]");
    assert_eq!(read(&text).unwrap().assemble().unwrap().probes[0].point.material.y, 1.0);
}

#[test]
fn names_of_obstacles_and_of_pins_are_given_once() {
    let ball = "[[obstacle]]\nshape = { sphere = { radius = 0.1 } }\nname = \"ball\"\n";
    let problem = only_problem(read(&format!("{GOOD}{ball}{ball}")).unwrap_err());
    assert_eq!(
        problem.key,
        "obstacle.2.name".replace('2', &(GOOD.matches("[[obstacle]]").count() + 1).to_string())
    );
    assert!(problem.message.contains("the name \"ball\" is used twice"), "{}", problem.message);
    let other = "[[cloth]]\nname = \"other\"\ngrid = {}\n";
    let pin = "[[cloth.pin]]\nwhere = { vertices = [0] }\nname = \"hand\"\n[[cloth.pin]]\nwhere = { vertices = [1] }\n";
    let problem = only_problem(read(&format!("{GOOD}{other}{pin}{pin}")).unwrap_err());
    assert_eq!(problem.key, "cloth.1.pin.2.name");
    let scene = read(&format!("{GOOD}{other}{pin}{ball}")).expect("each name once");
    assert_eq!(scene.cloths[1].pins[0].name, "hand");
    assert_eq!(scene.obstacles.last().expect("there is one").name, "ball");
    assert!(scene.to_json().to_string().contains("\"name\":\"hand\""));
}

#[test]
fn duplicate_names_are_refused() {
    let text = GOOD.replace("[[probe]]", "[[cloth]]\nname = \"sheet\"\ngrid = {}\n[[probe]]");
    let report = read(&text).unwrap_err().to_string();
    assert!(report.contains("the name \"sheet\" is used twice"), "{report}");
    let text = format!("{GOOD}[[probe]]\nname = \"center\"\ncloth = \"sheet\"\nmaterial = [0, 0]\n");
    let problem = only_problem(read(&text).unwrap_err());
    assert_eq!(problem.key, "probe.1.name");
    assert_eq!(problem.location.unwrap().line, GOOD.lines().count() + 2);
}

#[test]
fn a_scene_needs_a_duration_and_a_cloth() {
    expect_in_line("duration", "", "[simulation]", &["`duration` is missing in `simulation`"]);
    let report = read("").unwrap_err().to_string();
    assert!(report.contains("`simulation.duration` is missing") && report.contains("no cloth"), "{report}");
}

#[test]
fn outlines_need_an_edge_length_and_files_that_hold_pieces() {
    let good = "outline = \"a.svg\"\nedge_length = 0.02";
    expect_in_line(
        "grid",
        "outline = \"a.svg\"",
        "[[cloth]]",
        &["`edge_length` is missing", "edge_length = 0.02"],
    );
    expect("grid", "outline = \"\"\nedge_length = 1", "\"\"", &["is empty"]);
    expect("grid", &good.replace("0.02", "0"), "0", &["greater than 0"]);
    expect("grid", &format!("{good}\nuv_scale = 3"), "3", &["needs a mesh"]);
    expect("grid", &format!("{good}\noutline_scale = -1"), "-1", &["greater than 0"]);
    expect_in_line("grid", &format!("{good}\ngrid = {{}}"), "[[cloth]]", &["but has grid and outline"]);
    expect("material", "edge_length = 0.1", "0.1", &["needs an outline or a garment"]);
    expect("grid", "mesh = \"a.STL\"", "\"a.STL\"", &["must be an OBJ file", "for obstacles"]);
    let (text, _) = replace_line("grid", good);
    let report = read(&text).unwrap().build().unwrap_err().to_string();
    assert!(report.contains("cannot read the outline") && report.contains("a.svg"), "{report}");
}

#[test]
fn a_camera_needs_a_position_and_a_view() {
    let expect_camera = |camera: &str, at: &str, parts: &[&str]| {
        expect("[contact]", &format!("[camera]\n{camera}\n[contact]"), at, parts);
    };
    expect_camera("target = [0, 0, 0]", "[camera]", &["`position` is missing", "position = ["]);
    expect_camera("position = [0, 0]", "[0, 0]", &["array of 3 numbers"]);
    expect_camera("position = [1, 1, 1]\nup = [0, 0, 0]", "[0, 0, 0]", &["no direction"]);
    expect_camera("position = [1, 1, 1]\nfield_of_view = 180", "180", &["too wide", "170"]);
    expect_camera("position = [1, 1, 1]\nfov = 18", "fov", &["unknown key", "field_of_view"]);
    let along = "position = [0, 2, 0]\ntarget = [0, 0, 0]";
    expect_camera(&format!("{along}\nup = [0, 1, 0]"), "[0, 0, 0]", &["no view", "one line"]);
    let (text, _) = replace_line("[contact]", &format!("[camera]\n{along}\nup = [0, 0, 1]\n[contact]"));
    let scene = read(&text).unwrap();
    assert_eq!(scene.camera.as_ref().unwrap().field_of_view_deg, 28.0);
    assert_eq!(scene.to_json()["camera"]["up"], serde_json::json!([0.0, 0.0, 1.0]));
    assert_eq!(scene.hash().unwrap(), read(GOOD).unwrap().hash().unwrap(), "cameras do not change results");
}

#[test]
fn formats_are_read_by_their_names_and_each_once() {
    let (text, _) =
        replace_line("formats", "formats = [\"npz\", \"obj\", \"npz\", \"ply\", \"vtp\", \"usda\", \"glb\"]");
    let scene = read(&text).unwrap();
    let names: Vec<&str> = scene.output.formats.iter().map(|format| format.name()).collect();
    assert_eq!(names, ["npz", "obj", "ply", "vtp", "usda", "glb"]);
    assert_eq!(scene.to_json()["output"]["formats"], serde_json::json!(names));
    let allowed = "\"obj\", \"ply\", \"vtp\", \"usda\", \"glb\", \"npz\", \"none\"";
    expect("formats", "formats = [\"obj\", \"stl\"]", "\"stl\"", &["must be one of", allowed]);
    expect("formats", "formats = [\"ply\", \"none\"]", "\"none\"", &["excludes other formats"]);
}

#[test]
fn supported_values_of_restricted_keys_are_read() {
    for (old, new) in [
        (
            "solver",
            "mode = \"dynamic\"\ntime = \"euler\"\nsolver = \"direct\"\nsubsteps = \"auto\"\niterations = 3",
        ),
        ("solver", "mode = \"static\"\nsolver = \"global\"\ntime = \"auto\""),
        ("solver", "solver = \"block\"\ntime = \"auto\""),
        ("place", "pressure = 0\nconstraint = \"edges\"\nbending = \"none\""),
        ("solver", "substeps = 1000000\niterations = 1000000"),
        ("place", "pressure = -3.5\nrest_curvature = [0, 0, 0]\nbending = \"quadratic\""),
        ("place", "rest_curvature = [1.5, 0, -0.5]\nbending = \"averaged\""),
        ("motion", "axes = [true, true, true]\nclamp = false"),
        ("motion", "axes = [false, false, true]\nclamp = true\nrelease = 0\nstrength = 1e-3"),
        ("thickness", "self = false"),
        ("formats", "formats = [\"none\"]\nevery = 5"),
        ("shape", "shape = { plane = { normal = [0, 2, 0] } }"),
    ] {
        let (text, _) = replace_line(old, new);
        read(&text).unwrap_or_else(|error| panic!("{error}"));
    }
}

#[test]
fn syntax_errors_have_a_place() {
    expect("duration", "duration = = 3", "= 3", &["not valid TOML"]);
    expect("duration", "duration = 3\nduration = 4", "duration = 4", &["duplicate key"]);
    let error = Scene::from_str("{\n  \"simulation\": {,}\n}", Path::new("a.json"), &[]).unwrap_err();
    assert!(error.to_string().starts_with("a.json:2:18: not valid JSON"), "{error}");
}

#[test]
fn problems_in_json_have_a_line_and_column() {
    let text = "{\n  \"simulation\": { \"duration\": -1 },\n  \"cloth\": [{ \"gird\": {}, \"grid\": {} }]\n}";
    let error = Scene::from_str(text, Path::new("a.json"), &[]).unwrap_err();
    let places: Vec<_> = error.problems().iter().map(|p| p.location.clone().unwrap()).collect();
    let places: Vec<_> = places.iter().map(|place| (place.line, place.column)).collect();
    assert_eq!(places, [(2, 31), (3, 15)], "{error}");
}

#[test]
fn problems_come_in_the_order_of_the_file_and_all_at_once() {
    let text = GOOD.replace("duration = 4.0", "duration = 0").replace("radius = 0.2", "radius = 0");
    let error = read(&text).unwrap_err();
    let keys: Vec<_> = error.problems().iter().map(|problem| problem.key.as_str()).collect();
    assert_eq!(keys, ["simulation.duration", "obstacle.0.shape.sphere.radius"]);
}

#[test]
fn problems_of_overrides_name_the_override() {
    let message = |setting: &str| {
        let overrides = [Override::parse(setting).unwrap()];
        Scene::from_str(GOOD, Path::new("t.toml"), &overrides).unwrap_err().to_string()
    };
    let report = message("simulation.duration=-3");
    assert!(
        report.starts_with("t.toml: --set simulation.duration=-3: `simulation.duration` is -3"),
        "{report}"
    );
    let report = message("cloth.0.gird.cells=[4,4]");
    assert!(report.contains("--set cloth.0.gird.cells=[4,4]: unknown key `gird`"), "{report}");
    assert!(message("cloth.3.name=b").contains("`cloth` has 1 elements"));
    assert!(message("cloth.first.name=b").contains("must be a number below 1"));
    assert!(message("simulation.duration.x=1").contains("it has no `x`"));
    assert!(message("cloth.0.outline=a.svg").contains("exactly one of grid"));
}

#[test]
fn a_missing_file_is_named() {
    let error = Scene::from_file(Path::new("no/such/scene.toml"), &[]).unwrap_err();
    assert!(error.to_string().starts_with("no/such/scene.toml: cannot read the scene"), "{error}");
    expect("grid", "mesh = \"no/such/mesh.obj\"", "\"no", &["cannot read the mesh", "mesh.obj"]);
}
