//! Drawings as cloth.

use glam::DVec2;
use std::path::Path;
use taffeta_core::TriangleMesh;
use taffeta_core::geometry::doubled_area;
use taffeta_io::{OutlineError, parse_outline};
use taffeta_mesh::HalfedgeMesh;

/// A page of 100 × 100 units, each a meter, with something on it.
fn page(content: &str) -> String {
    format!(
        "<svg xmlns='http://www.w3.org/2000/svg' viewBox='0 0 100 100' width='100' height='100'>{content}</svg>"
    )
}

fn parse(content: &str, edge_length: f64) -> Result<TriangleMesh, OutlineError> {
    parse_outline(page(content).as_bytes(), Path::new("a.svg"), edge_length, None)
}

#[track_caller]
fn refuse(content: &str, parts: &[&str]) {
    let message = parse(content, 5.0).unwrap_err().to_string();
    for part in parts {
        assert!(message.contains(part), "{part:?} is not in {message}");
    }
}

fn corners(mesh: &TriangleMesh) -> &[[DVec2; 3]] {
    mesh.material.as_deref().unwrap()
}

fn area(mesh: &TriangleMesh) -> f64 {
    corners(mesh).iter().map(|face| 0.5 * doubled_area(*face)).sum()
}

/// The smallest angle \[degrees\].
fn smallest_angle(mesh: &TriangleMesh) -> f64 {
    let angle = |[a, b, c]: [DVec2; 3]| (b - a).angle_to(c - a).abs().to_degrees();
    let of_face = |[a, b, c]: [DVec2; 3]| angle([a, b, c]).min(angle([b, c, a])).min(angle([c, a, b]));
    corners(mesh).iter().map(|face| of_face(*face)).fold(180.0, f64::min)
}

fn count_panels(mesh: &TriangleMesh) -> u32 {
    mesh.panels().into_iter().max().map_or(0, |last| last + 1)
}

/// Checks that a mesh is sound and of the shape that was asked for.
#[track_caller]
fn check(mesh: &TriangleMesh, expected_area: f64, tolerance: f64, edge_length: f64) {
    assert!((area(mesh) / expected_area - 1.0).abs() < tolerance, "area {}", area(mesh));
    assert!(corners(mesh).iter().all(|face| doubled_area(*face) > 0.0));
    assert!(smallest_angle(mesh) > 25.0, "angle {}", smallest_angle(mesh));
    let lengths = corners(mesh).iter().flat_map(|[a, b, c]| [a.distance(*b), b.distance(*c), c.distance(*a)]);
    let lengths: Vec<f64> = lengths.collect();
    let mean = lengths.iter().sum::<f64>() / lengths.len() as f64;
    assert!((0.75..1.1).contains(&(mean / edge_length)), "mean edge {mean}");
    assert!(lengths.iter().all(|length| *length < 2.0 * edge_length));
    HalfedgeMesh::from_triangles(mesh.positions.len(), &mesh.faces).unwrap().mesh.validate().unwrap();
}

#[test]
fn a_rectangle_keeps_its_corners_and_stands_upright() {
    let mesh = parse("<path d='M10 20 H60 V50 H10 Z'/>", 4.0).unwrap();
    check(&mesh, 1500.0, 1e-6, 4.0);
    for corner in [[10.0, 80.0], [60.0, 80.0], [60.0, 50.0], [10.0, 50.0]] {
        let found = mesh.positions.iter().any(|x| x.truncate().distance(DVec2::from(corner)) < 1e-5);
        assert!(found, "the corner {corner:?} on the page, v up");
    }
    assert!(corners(&mesh).iter().zip(&mesh.faces).all(|(coords, face)| {
        face.iter().zip(coords).all(|(v, u)| mesh.positions[*v as usize] == u.extend(0.0))
    }));
}

#[test]
fn a_circle_has_chords_of_the_edge_length() {
    let mesh = parse("<circle cx='50' cy='50' r='30'/>", 3.0).unwrap();
    check(&mesh, std::f64::consts::PI * 900.0, 3e-3, 3.0);
    let rim = |x: &glam::DVec3| (x.truncate().distance(DVec2::splat(50.0)) - 30.0).abs() < 0.02;
    // Round-off aside, 2π·30/3 = 62.8 chords.
    assert_eq!(mesh.positions.iter().filter(|x| rim(x)).count(), 63);
    let small = parse("<circle cx='50' cy='50' r='3'/>", 5.0).unwrap();
    assert_eq!(small.positions.len(), 6, "a small circle stays round");
}

#[test]
fn holes_follow_the_rule_of_their_path() {
    let square = "M10 10H90V90H10Z";
    // The inner square runs the other way round, the same way, the same way by the other rule, and without a fill.
    let hole =
        |inner: &str, style: &str| parse(&format!("<path {style} d='{square} {inner}'/>"), 6.0).unwrap();
    check(&hole("M30 30V70H70V30Z", ""), 4800.0, 1e-6, 6.0);
    check(&hole("M30 30H70V70H30Z", ""), 6400.0, 1e-6, 6.0);
    check(&hole("M30 30H70V70H30Z", "fill-rule='evenodd'"), 4800.0, 1e-6, 6.0);
    check(&hole("M30 30H70V70H30Z", "fill='none' stroke='red'"), 4800.0, 1e-6, 6.0);
    let island = hole("M30 30H70V70H30Z M40 40H60V60H40Z", "fill-rule='evenodd'");
    check(&island, 5200.0, 1e-6, 6.0);
    assert_eq!(count_panels(&island), 2);
}

#[test]
fn pieces_are_panels_in_the_order_of_the_file() {
    let content = "<g transform='translate(50 0)'><rect x='5' y='5' width='30' height='30'/></g>\
                   <path d='M5 5H35V35H5Z M5 55H35V95H5Z'/>";
    let mesh = parse(content, 5.0).unwrap();
    let panels = mesh.panels();
    assert_eq!(count_panels(&mesh), 3);
    assert!(panels.is_sorted());
    let middle = |panel: u32| {
        let faces = panels.iter().zip(corners(&mesh)).filter(|(p, _)| **p == panel);
        let (sum, count) = faces.fold((DVec2::ZERO, 0.0), |(sum, n), (_, face)| (sum + face[0], n + 1.0));
        sum / count
    };
    for (panel, expected) in [[70.0, 80.0], [20.0, 80.0], [20.0, 25.0]].into_iter().enumerate() {
        assert!(middle(panel as u32).distance(DVec2::from(expected)) < 3.0);
    }
}

#[test]
fn lengths_are_physical_where_the_page_is_and_can_be_scaled() {
    let file = |attributes: &str| {
        let text =
            format!("<svg xmlns='http://www.w3.org/2000/svg' {attributes}><path d='M0 0H50V50H0Z'/></svg>");
        move |scale| area(&parse_outline(text.as_bytes(), Path::new("a.svg"), 0.5, scale).unwrap())
    };
    let close =
        |found: f64, expected: f64| assert!((found / expected - 1.0).abs() < 1e-5, "{found} {expected}");
    // Half a page that is 4 m wide.
    close(file("viewBox='0 0 100 100' width='400cm' height='400cm'")(None), 4.0);
    close(file("viewBox='0 0 100 100' width='4000mm' height='4000mm'")(Some(0.1)), 25.0);
    close(file("viewBox='0 0 100 100'")(Some(0.05)), 6.25);
    close(file("viewBox='0 0 100 100' width='700' height='700'")(Some(0.05)), 6.25);
    close(file("viewBox='0 0 10 10'")(Some(0.2)), 100.0);
}

#[test]
fn what_is_no_piece_is_refused_with_the_path() {
    refuse(
        "<path id='sleeve' d='M10 10H50V50'/>",
        &["a.svg: the path \"sleeve\" is open", "[50.00000, 50.00000]", "Z"],
    );
    refuse("<path d='M10 10 L70 50 H10 L50 10 Z'/>", &["path 1 crosses itself at [34.00000, 74.00000]"]);
    // A bow tie whose lobes have the same area, and one that is drawn twice as wide.
    refuse("<path d='M10 10 L40 40 L40 10 L10 40 Z'/>", &["path 1 crosses itself at [25.00000, 75.00000]"]);
    refuse("<path d='M10 10 L70 40 V10 L10 40 Z'/>", &["path 1 crosses itself at [40.00000, 75.00000]"]);
    refuse("<path d='M10 10H50V50H30V10H28V50H10Z'/>", &["path 1 touches itself near"]);
    refuse("<path d='M10 10H50V50L10 10Z M50 50H90V90Z'/>", &["path 1 touches itself near [50"]);
    refuse("<path d='M10 10H50L30 10Z'/>", &["path 1 encloses no area"]);
    refuse("<path d='M10 10L50 50L10 10Z'/>", &["path 1 encloses no area"]);
    refuse("<path d='M10 10H14V13H10Z'/>", &["path 1 is 4.0000 m large", "edge_length of 5 m"]);
    let square = "<path id='a' d='M10 10H50V50H10Z'/>";
    refuse(
        &format!("{square}<path id='b' d='M20 20H90V40H20Z'/>"),
        &["the path \"a\" and the path \"b\" cross"],
    );
    refuse(&format!("{square}<path id='b' d='M50 10H90V50H50Z'/>"), &["cross or touch"]);
    refuse(
        &format!("{square}<circle id='b' cx='30' cy='30' r='9'/>"),
        &["\"b\" lies inside of the path \"a\"", "Combine"],
    );
    refuse("", &["it has no path"]);
    refuse("<path d='M10 10H50V50Z' fill='none'/>", &["it has no path"]);
    refuse("<text>abc</text>", &["it has no path"]);
}

#[test]
fn a_thousand_pieces_are_no_trouble() {
    let circles = |count: u32| -> String {
        (0..count)
            .map(|k| format!("<circle cx='{}' cy='{}' r='1'/>", 3 * (k % 32) + 2, 3 * (k / 32) + 2))
            .collect()
    };
    let mesh = parse(&circles(1000), 1.0).unwrap();
    assert_eq!(count_panels(&mesh), 1000);
    assert!(mesh.panels().is_sorted());
}

#[test]
fn absurd_edges_are_refused_before_anything_is_made() {
    for edge_length in [1e-3, 1e-9, 1e-300, f64::MIN_POSITIVE] {
        let message = parse("<circle cx='50' cy='50' r='40'/>", edge_length).unwrap_err().to_string();
        assert!(message.contains("more than 1e6") && message.contains("outline_scale"), "{message}");
        assert!(message.contains("path 1 is 8.000e1 m by 8.000e1 m"), "{message}");
    }
    let message = parse("<circle cx='50' cy='50' r='40'/>", 1e300).unwrap_err().to_string();
    assert!(message.contains("less than the edge_length"), "{message}");
}

/// Levels of definitions, each of which names the one before ten times.
fn levels(count: u32, define: impl Fn(u32, &str) -> String, name: impl Fn(u32) -> String) -> String {
    (1..=count).map(|level| define(level, &name(level - 1).repeat(10))).collect()
}

#[test]
fn drawings_that_nest_deeply_or_multiply_are_refused() {
    let square = "<path id='l0' d='M10 10H50V50H10Z'/>";
    let refused = |content: &str| parse(content, 5.0).unwrap_err().to_string();
    let deep = |depth: usize| format!("{}{square}{}", "<g>".repeat(depth), "</g>".repeat(depth));
    assert!(parse(&deep(500), 5.0).is_ok());
    assert!(refused(&deep(3_000)).contains("SVG"));
    let entities = levels(
        9,
        |level, inside| format!("<!ENTITY e{level} \"{inside}\">"),
        |level| if level == 0 { square.to_owned() } else { format!("&e{level};") },
    );
    let document = format!("<!DOCTYPE svg [{entities}]>{}", page("&e9;"));
    assert!(parse_outline(document.as_bytes(), Path::new("a.svg"), 5.0, None).is_err());
}

#[test]
#[ignore = "second tier: a million elements"]
fn drawings_that_name_elements_a_billion_times_are_refused() {
    let square = "<path id='l0' d='M10 10H50V50H10Z'/>";
    let refused = |content: &str| parse(content, 5.0).unwrap_err().to_string();
    let uses = levels(
        9,
        |level, inside| format!("<defs><g id='l{level}'>{inside}</g></defs>"),
        |level| format!("<use href='#l{level}'/>"),
    );
    assert!(refused(&format!("<defs>{square}</defs>{uses}<use href='#l9'/>")).contains("limit"));
}

#[test]
fn images_that_a_drawing_names_are_not_read() {
    let square = "<path d='M10 10H50V50H10Z'/>";
    let inside = page("<path d='M60 60H90V90H60Z'/>");
    let folder = tempfile::tempdir().unwrap();
    std::fs::write(folder.path().join("b.svg"), &inside).unwrap();
    let path = folder.path().join("b.svg");
    let data = format!("data:image/svg+xml;utf8,{}", inside.replace('<', "%3C").replace('>', "%3E"));
    for href in [path.display().to_string(), data] {
        let mesh = parse(&format!("{square}<image width='9' height='9' href=\"{href}\"/>"), 5.0).unwrap();
        assert_eq!(count_panels(&mesh), 1);
    }
}

#[test]
fn files_that_are_no_drawings_are_refused() {
    for bytes in
        [&b""[..], b"v 0 0 0\n", b"\xff\xfe<\0s\0", b"<svg", b"<html></html>", b"\x1f\x8b\x08", &[0; 99]]
    {
        let error = parse_outline(bytes, Path::new("a.svg"), 1.0, None).unwrap_err();
        assert!(matches!(error, OutlineError::NotSvg { .. } | OutlineError::NoPath { .. }), "{error}");
    }
    let huge = page("<path d='M0 0H1e30V1e30H0Z'/>");
    assert!(parse_outline(huge.as_bytes(), Path::new("a.svg"), 1.0, None).is_err());
}

#[test]
fn the_same_drawing_gives_the_same_mesh() {
    let content = "<path d='M10 10C30 0 70 0 90 10L80 90C60 70 40 70 20 90Z M40 30V50H60V30Z'/>";
    let mesh = parse(content, 4.0).unwrap();
    assert!(smallest_angle(&mesh) > 25.0);
    assert_eq!(parse(content, 4.0).unwrap(), mesh);
}
