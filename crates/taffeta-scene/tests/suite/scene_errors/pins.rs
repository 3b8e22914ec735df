//! Pins, loads, rest shapes.

use super::{expect, expect_in_line, read, replace_line};
use std::path::Path;
use taffeta_scene::Scene;

#[test]
fn impossible_pins_are_refused() {
    expect(
        "where",
        "where = {}",
        "{}",
        &["exactly one of box, material_box, boundary, vertices, but has none"],
    );
    expect("where", "where = { boundary = false }", "false", &["must be true"]);
    expect("where", "where = { vertices = [] }", "[]", &["hold nothing"]);
    expect("where", "where = { vertices = [-1] }", "-1", &["is -1"]);
    expect("where", "where = { vertices = [0, 81] }", "{", &["vertex 81 is out of range", "0 to 80"]);
    expect(
        "where",
        "where = { box = [[5, 5, 5], [6, 6, 6]] }",
        "{",
        &[
            "pin 0 of the cloth \"sheet\"",
            "holds nothing",
            "{\"box\":[[5.0,5.0,5.0],[6.0,6.0,6.0]]}",
            "from [0, 0, 1] to [1, 0, 2]",
        ],
    );
    expect(
        "where",
        "where = { material_box = [[2, 2], [3, 3]] }",
        "{",
        &["material extends from [0, 0] to [1, 1]"],
    );
    expect_in_line("where", "", "[[cloth.pin]]", &["`where` is missing in `cloth.0.pin.0`"]);
}

#[test]
fn a_pin_holds_an_axis_and_lets_go_at_possible_times_and_forces() {
    let parts = ["`cloth.0.pin.0.axes`", "the pin holds nothing", "at least one"];
    expect("motion", "axes = [false, false, false]", "[false", &parts);
    expect("motion", "axes = [true, true]", "[true", &["an array of 2", "an array of 3 booleans"]);
    expect("motion", "axes = [true, 1, true]", "1", &["`cloth.0.pin.0.axes.1`", "true or false"]);
    expect("motion", "axes = true", "true", &["an array of 3 booleans"]);
    expect("motion", "clamp = 1", "1", &["true or false"]);
    expect("motion", "release = -0.1", "-0.1", &["`cloth.0.pin.0.release` is -0.1", "at least 0"]);
    expect("motion", "release = inf", "inf", &["finite"]);
    expect("motion", "release = \"late\"", "\"late\"", &["must be a number"]);
    expect("motion", "strength = 0", "0", &["`cloth.0.pin.0.strength` is 0", "greater than 0"]);
    expect("motion", "strength = -5.0", "-5.0", &["greater than 0"]);
}

#[test]
fn pins_follow_obstacles_that_there_are() {
    let parts = ["`cloth.0.pin.0.follow` is \"body\", but no obstacle has that name"];
    expect("motion", "follow = \"body\"", "\"body\"", &parts);
    for (key, line) in [("motion", "motion = [{ t = 0 }]"), ("clamp", "clamp = true")] {
        let (text, _) = replace_line("motion", &format!("{line}\nfollow = \"body\""));
        let named = text.replacen("[[obstacle]]", "[[obstacle]]\nname = \"body\"", 1);
        let message = read(&named).unwrap_err().to_string();
        let expected = format!("`cloth.0.pin.0.{key}` does not go with `follow = \"body\"`");
        assert!(message.contains(&expected) && message.contains("leave one of the two out"), "{message}");
    }
    let (text, _) = replace_line("motion", "follow = \"body\"");
    let scene = read(&text.replacen("[[obstacle]]", "[[obstacle]]\nname = \"body\"", 1)).unwrap();
    assert_eq!(scene.cloths[0].pins[0].follow.as_deref(), Some("body"));
    let again = Scene::from_str(&scene.to_json().to_string(), Path::new("scene.json"), &[]).unwrap();
    assert_eq!(again.cloths, scene.cloths);
    expect("motion", "follow = 3", "3", &["`cloth.0.pin.0.follow`"]);
}

#[test]
fn impossible_loads_and_rest_shapes_are_refused() {
    expect("place", "pressure = nan", "nan", &["`cloth.0.pressure`", "finite"]);
    expect("place", "pressure = [1]", "[1]", &["must be a number"]);
    expect("place", "bending = \"stiff\"", "\"stiff\"", &["\"curvature\", \"hinge\", \"quadratic\""]);
    expect("place", "rest_curvature = [1, 2]", "[1, 2]", &["an array of 2", "an array of 3 numbers"]);
    expect("place", "rest_curvature = [1, inf, 0]", "inf", &["`cloth.0.rest_curvature.1`", "finite"]);
    for model in ["quadratic", "none"] {
        let lines = format!("bending = \"{model}\"\nrest_curvature = [1, 0, 0]");
        expect("place", &lines, "[1, 0, 0]", &["means nothing", model, "\"curvature\""]);
    }
}

#[test]
fn keyframes_must_increase() {
    let parts = ["keyframe times must increase", "t = 1 follows t = 1"];
    expect("motion", "motion = [{ t = 0 }, { t = 1 }, { t = 1.0 }]", "1.0", &parts);
    expect_in_line("motion", "motion = [{ translate = [0, 0, 0] }]", "motion", &["`t` is missing"]);
    let parts = ["the first keyframe cannot teleport", "put a keyframe before it"];
    expect("motion", "motion = [{ t = 0, teleport = true }, { t = 1 }]", "true", &parts);
}
