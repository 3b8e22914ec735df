//! Sewing patterns as cloth.

use glam::{DVec2, DVec3};
use std::path::Path;
use taffeta_core::geometry::doubled_area;
use taffeta_fixtures::garments::{TShirt, skirt, t_shirt, tunic};
use taffeta_io::garment::{Chart, Garment, GarmentError, parse_garment};
use taffeta_mesh::HalfedgeMesh;

const SIDES: &str = r#"{"vertices": [[0, 0], [40, 0], [40, 30], [0, 30]], "edges": [
    {"endpoints": [0, 1]}, {"endpoints": [1, 2]}, {"endpoints": [2, 3]}, {"endpoints": [3, 0]}]"#;

/// Two rectangles of 40 by 30 cm, the second of which is turned and shifted, with stitches.
fn pattern(stitches: &str) -> String {
    format!(
        "{{\"pattern\": {{\"panels\": {{\"front\": {SIDES}}}, \"back\": {SIDES}, \"rotation\": [0, 90, 0], \"translation\": [10, 0, 50]}}}}, \
         \"stitches\": [{stitches}]}}, \"properties\": {{\"units_in_meter\": 100}}}}"
    )
}

fn parse(text: &str, edge_length: f64) -> Result<Garment, GarmentError> {
    parse_garment(text.as_bytes(), Path::new("a.json"), edge_length)
}

#[track_caller]
fn refuse(text: &str, parts: &[&str]) {
    let message = parse(text, 0.05).unwrap_err().to_string();
    for part in parts.iter().chain(&["a.json"]) {
        assert!(message.contains(part), "{part:?} is not in {message}");
    }
}

/// One panel of which the last edge but two has a curvature.
fn curved(curvature: &str) -> String {
    let edge = r#"{"endpoints": [1, 2]}"#;
    pattern("").replacen(edge, &format!(r#"{{"endpoints": [1, 2], "curvature": {curvature}}}"#), 2)
}

fn area(garment: &Garment, panel: u32) -> f64 {
    let panels = garment.mesh.panels();
    let corners = panels.iter().zip(garment.mesh.material.as_ref().unwrap());
    corners.filter(|(of, _)| **of == panel).map(|(_, corners)| 0.5 * doubled_area(*corners)).sum()
}

/// The mean normal of a panel in space.
fn normal(garment: &Garment, panel: usize) -> DVec3 {
    let panels = garment.mesh.panels();
    let faces = garment.mesh.faces.iter().zip(panels).filter(|(_, of)| *of as usize == panel);
    let x = |v: u32| garment.mesh.positions[v as usize];
    faces.map(|([a, b, c], _)| (x(*b) - x(*a)).cross(x(*c) - x(*a))).sum::<DVec3>().normalize()
}

fn panel(garment: &Garment, name: &str) -> usize {
    garment.panels.iter().position(|panel| panel.name == name).unwrap()
}

#[test]
fn panels_have_their_size_place_and_edges() {
    let garment = parse(&pattern(""), 0.05).unwrap();
    let [back, front] = [&garment.panels[0], &garment.panels[1]];
    assert_eq!((back.name.as_str(), front.name.as_str()), ("back", "front"));
    for number in [0, 1] {
        assert!((area(&garment, number) - 0.12).abs() < 1e-12);
    }
    let ends = |run: &Vec<u32>| [run[0], run[run.len() - 1]].map(|v| garment.mesh.positions[v as usize]);
    assert_eq!(ends(&front.edges[1]), [DVec3::new(0.4, 0.0, 0.0), DVec3::new(0.4, 0.3, 0.0)]);
    // Turned by 90° about y: x of the panel is −z of the world.
    let [a, b] = ends(&back.edges[1]);
    assert!(a.distance(DVec3::new(0.1, 0.0, 0.1)) < 1e-12 && b.distance(DVec3::new(0.1, 0.3, 0.1)) < 1e-12);
    assert_eq!(front.edges[0].len(), 9);
    assert!(front.edges[0].windows(2).all(|pair| {
        let [a, b] = [pair[0], pair[1]].map(|v| garment.mesh.positions[v as usize]);
        (a.distance(b) - 0.05).abs() < 1e-12
    }));
    let count = garment.mesh.positions.len();
    HalfedgeMesh::from_triangles(count, &garment.mesh.faces).unwrap().mesh.validate().unwrap();
}

#[test]
fn angles_turn_about_x_then_y_then_z_of_the_world() {
    let text = pattern("").replace("[0, 90, 0]", "[90, 0, 90]");
    let garment = parse(&text, 0.1).unwrap();
    let at = |edge: usize| garment.mesh.positions[garment.panels[0].edges[edge][0] as usize];
    // (40, 30) cm ─x─► (40, 0, 30) ─z─► (0, 40, 30), and the translation.
    assert!(at(2).distance(DVec3::new(0.1, 0.4, 0.8)) < 1e-12, "{}", at(2));
}

#[test]
fn curves_go_through_the_points_of_their_formulas() {
    let point_on = |curvature: &str, expected: DVec2| {
        let garment = parse(&curved(curvature), 0.01).unwrap();
        let edge = &garment.panels[panel(&garment, "front")].edges[1];
        let nearest = edge.iter().map(|v| garment.mesh.positions[*v as usize].truncate().distance(expected));
        let nearest = nearest.fold(f64::INFINITY, f64::min);
        assert!(nearest < 0.006, "{curvature}: {nearest}");
    };
    // The edge goes up from (40, 0) to (40, 30) cm: its left is −x. Points at the half of the parameter.
    point_on(r#"{"type": "quadratic", "params": [[0.5, 0.2]]}"#, DVec2::new(0.37, 0.15));
    point_on("[0.5, 0.2]", DVec2::new(0.37, 0.15));
    point_on(r#"{"type": "cubic", "params": [[0.3, 0.4], [0.7, 0.4]]}"#, DVec2::new(0.31, 0.15));
    // A half circle on the right; a quarter and three quarters of one.
    point_on(r#"{"type": "circle", "params": [15, 0, 1]}"#, DVec2::new(0.55, 0.15));
    let radius = 15.0 * 2f64.sqrt();
    let (near, far) = (0.01 * (radius - 15.0), 0.01 * (radius + 15.0));
    point_on(&format!(r#"{{"type": "circle", "params": [{radius}, 0, 1]}}"#), DVec2::new(0.4 + near, 0.15));
    point_on(&format!(r#"{{"type": "circle", "params": [{radius}, 0, 0]}}"#), DVec2::new(0.4 - near, 0.15));
    point_on(&format!(r#"{{"type": "circle", "params": [{radius}, 1, 1]}}"#), DVec2::new(0.4 + far, 0.15));
}

#[test]
fn absolute_control_points_and_other_units_give_the_same_garment() {
    let relative = curved(r#"{"type": "quadratic", "params": [[0.5, 0.2]]}"#);
    let absolute = curved(r#"{"type": "quadratic", "params": [[34, 15]]}"#)
        .replace("\"units_in_meter\": 100", "\"units_in_meter\": 100, \"curvature_coords\": \"absolute\"");
    let [relative, absolute] = [relative, absolute].map(|text| parse(&text, 0.05).unwrap());
    let pairs = relative.mesh.positions.iter().zip(&absolute.mesh.positions);
    assert!(pairs.clone().count() > 100 && pairs.clone().all(|(a, b)| a.distance(*b) < 1e-12));
    let millimeters = parse(&pattern("").replace("100}", "1000}"), 0.005).unwrap();
    assert!((area(&millimeters, 0) - 0.0012).abs() < 1e-12);
    let unsaid = parse(&pattern("").replace(", \"properties\": {\"units_in_meter\": 100}", ""), 0.05);
    assert_eq!(unsaid.unwrap(), parse(&pattern(""), 0.05).unwrap());
}

#[test]
fn the_direction_of_the_edges_says_which_side_is_out() {
    let garment = parse(&t_shirt(&TShirt::default()), 0.05).unwrap();
    for (name, z) in [("front", 1.0), ("back", -1.0), ("left_sleeve_front", 1.0), ("right_sleeve_back", -1.0)]
    {
        let number = panel(&garment, name);
        assert!((normal(&garment, number) - DVec3::new(0.0, 0.0, z)).length() < 1e-9, "{name}");
        assert!(area(&garment, number as u32) > 0.0);
    }
    // Panels lie beside each other in material space.
    let mut extents: Vec<[f64; 2]> = vec![[f64::INFINITY, f64::NEG_INFINITY]; garment.panels.len()];
    let corners = garment.mesh.panels().into_iter().zip(garment.mesh.material.as_ref().unwrap());
    for (panel, corner) in corners.flat_map(|(panel, corners)| corners.map(|u| (panel, u))) {
        let [low, high] = &mut extents[panel as usize];
        (*low, *high) = (low.min(corner.x), high.max(corner.x));
    }
    assert!(extents.windows(2).all(|pair| pair[0][1] < pair[1][0]), "{extents:?}");
}

#[test]
fn right_wrong_turns_a_panel_over() {
    let [a, b] = ["front", "back"].map(|panel| format!(r#"{{"panel": "{panel}", "edge": 1}}"#));
    let plain = parse(&pattern(&format!("[{a}, {b}]")), 0.05).unwrap();
    let turned = parse(&pattern(&format!("[{a}, {b}, \"right_wrong\"]")), 0.05).unwrap();
    let normals = |garment: &Garment| [0, 1].map(|number| normal(garment, number));
    let ([a0, b0], [a1, b1]) = (normals(&plain), normals(&turned));
    assert_eq!([a0.dot(a1) > 0.0, b0.dot(b1) > 0.0].iter().filter(|same| **same).count(), 1);
    let both = format!("[{a}, {b}, \"right_wrong\"], [{}, {}]", a.replace('1', "3"), b.replace('1', "3"));
    refuse(&pattern(&both), &["stitch 1", "Möbius", "right_wrong"]);
}

#[test]
fn both_edges_of_a_stitch_have_equally_many_parts() {
    for text in [t_shirt(&TShirt::default()), tunic(), skirt()] {
        let garment = parse(&text, 0.04).unwrap();
        assert!(!garment.stitches.is_empty());
        for stitch in &garment.stitches {
            let [a, b] = stitch.sides.map(|[panel, edge]| garment.panels[panel].edges[edge].len());
            assert_eq!(a, b);
        }
    }
}

#[test]
fn bad_patterns_are_refused_with_file_panel_edge_and_remedy() {
    refuse("", &["the file is empty", "JSON"]);
    refuse("[1, 2]", &["cannot be read", "GarmentCode"]);
    refuse("{\"pattern\": {", &["line 1", "GarmentCode"]);
    refuse("{\"patterns\": {}}", &["missing field `pattern`"]);
    refuse("{\"pattern\": {\"panels\": {}}}", &["no panels"]);
    let good = pattern("");
    refuse(&good.replace("100}", "0}"), &["`units_in_meter` is 0", "100 for lengths in cm"]);
    refuse(
        &good.replace("100}", "100, \"curvature_coords\": \"x\"}"),
        &["\"x\"", "\"relative\" or \"absolute\""],
    );
    let front = |from: &str, to: &str| good.replacen(from, to, 1);
    refuse(
        &front("{\"endpoints\": [1, 2]}, {\"endpoints\": [2, 3]}, ", ""),
        &["panel \"front\"", "2 edges", "at least 3"],
    );
    refuse(&front("[1, 2]", "[1, 7]"), &["panel \"front\", edge 1", "vertex 7", "0 to 3"]);
    refuse(&front("[1, 2]", "[1, 1]"), &["panel \"front\", edge 1", "both ends", "remove the edge"]);
    refuse(&front("[1, 2]", "[1, 3]"), &["panel \"front\", edge 1", "edge 2 starts at", "closed loop"]);
    refuse(&front("\"vertices\"", "\"points\""), &["panel \"front\"", "missing field `vertices`"]);
    refuse(
        &front("[40, 0], [40, 30]", "[40, 30], [40, 0]"),
        &["panel \"front\", edge 0", "meets edge 2", "move a vertex"],
    );
    refuse(&front("[40, 30], [0, 30]", "[80, 0], [60, 0]"), &["panel \"front\""]);
    refuse(
        &front("[0, 0], [40, 0], [40, 30], [0, 30]", "[0, 0], [4, 0], [4, 3], [0, 3]"),
        &["0.0400 m large", "edge_length"],
    );
    let with = |curvature: &str| curved(curvature);
    refuse(&with(r#"{"type": "spiral", "params": []}"#), &["edge 1", "\"spiral\" is unknown", "\"cubic\""]);
    refuse(&with(r#"{"type": "cubic", "params": [[0.5, 0.1]]}"#), &["edge 1", "\"cubic\"", "two points"]);
    refuse(&with(r#"{"type": "circle", "params": [10, 0]}"#), &["edge 1", "\"circle\"", "two flags"]);
    refuse(&with(r#"{"type": "circle", "params": [5, 0, 1]}"#), &["radius 0.0500 m", "0.3000 m apart"]);
    refuse(&with(r#"{"type": "quadratic", "params": [[0.5, 3.0]]}"#), &["edge 1", "meets edge 3", "flatter"]);
}

#[test]
fn absurd_sizes_are_refused_before_anything_is_made() {
    for edge_length in [1e-5, 1e-9, 1e-300, f64::MIN_POSITIVE] {
        let message = parse(&pattern(""), edge_length).unwrap_err().to_string();
        assert!(message.contains("more than 1e6") && message.contains("a larger edge_length"), "{message}");
    }
    let round = curved(r#"{"type": "circle", "params": [40, 0, 1]}"#);
    for text in [pattern(""), round] {
        let with =
            |units: &str| text.replace("\"units_in_meter\": 100", &format!("\"units_in_meter\": {units}"));
        refuse(&with("1e-7"), &["more than 1e6", "panel \"front\" is", "correct `units_in_meter`"]);
        for units in ["1e-8", "1e-150", "1e-300"] {
            refuse(&with(units), &["panel \"back\": a vertex is", "m away: correct `units_in_meter`"]);
        }
    }
    // One panel is too large.
    let wide = pattern("").replacen("[40, 0], [40, 30]", "[4e9, 0], [4e9, 30]", 1);
    refuse(&wide, &["panel \"front\" is 4.000e7 m by 3.000e-1 m"]);
}

#[test]
fn places_of_panels_in_material_space_can_be_undone() {
    let garment = parse(&pattern(""), 0.05).unwrap();
    let mirrored = Chart { is_mirrored: true, shift: DVec2::new(0.3, -0.7) };
    for chart in garment.panels.iter().map(|panel| panel.chart).chain([mirrored]) {
        let point = DVec2::new(0.11, 0.23);
        assert!(chart.apply_inverse(chart.apply(point)).distance(point) < 1e-15);
    }
}

#[test]
fn stitches_that_do_not_fit_are_refused_with_their_number() {
    let side = |panel: &str, edge: usize| format!(r#"{{"panel": "{panel}", "edge": {edge}}}"#);
    let stitched =
        |a: String, b: String| pattern(&format!("[{}, {}], [{a}, {b}]", side("front", 0), side("back", 0)));
    refuse(
        &stitched(side("front", 1), side("side", 1)),
        &["stitch 1", "no panel \"side\"", "\"back\", \"front\"", "remove the stitch"],
    );
    refuse(&stitched(side("front", 1), side("back", 4)), &["stitch 1", "\"back\" has no edge 4", "0 to 3"]);
    refuse(&stitched(side("front", 1), side("front", 1)), &["stitch 1", "sewn to itself"]);
    refuse(&stitched(side("front", 1), "3".to_owned()), &["stitch 1", "3 has no `panel`", "for example"]);
    refuse(&pattern("[{}]"), &["stitch 0", "it has 1 members"]);
    refuse(
        &pattern(&format!("[{}, {}, \"x\"]", side("front", 1), side("back", 1))),
        &["stitch 0", "right_wrong"],
    );
    let long = pattern(&format!("[{}, {}]", side("front", 1), side("back", 1)));
    let long = long.replacen("[40, 30]", "[40, 10]", 1).replacen("[0, 30]", "[0, 10]", 1);
    refuse(&long, &["stitch 0", "edge 1 of panel", "\"front\"", "1 : 3.0", "1 : 2.5", "several edges"]);
}
