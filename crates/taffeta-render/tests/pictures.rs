//! Requirements on a picture.

use glam::DVec3;
use taffeta_contact::{Obstacle, Shape};
use taffeta_core::{Placement, TriangleMesh};
use taffeta_render::{Body, BodyKind, Camera, Image, Picture, RenderError, obstacle_body, render};

const CLOTH: BodyKind = BodyKind::Cloth { index: 0 };

/// A camera on the z axis at distance 10 that sees y from −1 to 1 in the plane z = 0.
fn camera() -> Camera {
    Camera { eye: DVec3::Z * 10.0, target: DVec3::ZERO, up: DVec3::Y, field_of_view: 2.0 * (0.1_f64).atan() }
}

fn picture(width: u32, height: u32) -> Picture {
    Picture { width, height, camera: Some(camera()), ..Picture::default() }
}

fn triangle(corners: [[f64; 3]; 3], kind: BodyKind) -> Body {
    let positions = corners.map(DVec3::from_array).to_vec();
    Body::new(TriangleMesh { positions, faces: vec![[0, 1, 2]], material: None }, kind)
}

/// A square in the plane z, facing +z.
fn square(half_size: f64, z: f64, index: usize) -> Body {
    let corner = |x: f64, y: f64| DVec3::new(x * half_size, y * half_size, z);
    let positions = vec![corner(-1.0, -1.0), corner(1.0, -1.0), corner(1.0, 1.0), corner(-1.0, 1.0)];
    let mesh = TriangleMesh { positions, faces: vec![[0, 1, 2], [0, 2, 3]], material: None };
    Body::new(mesh, BodyKind::Cloth { index })
}

fn is_colored([r, g, b]: [u8; 3]) -> bool {
    r.max(g).max(b) - r.min(g).min(b) > 40
}

fn luminance(pixel: [u8; 3]) -> f64 {
    let [r, g, b] = pixel.map(f64::from);
    0.2126 * r + 0.7152 * g + 0.0722 * b
}

fn mean_luminance(image: &Image) -> f64 {
    image.pixels().iter().map(|pixel| luminance(*pixel)).sum::<f64>() / image.pixels().len() as f64
}

/// Columns, rows and colors of all pixels.
fn enumerate(image: &Image) -> impl Iterator<Item = (u32, u32, [u8; 3])> {
    let row = |(row, y): (_, u32)| (0..).zip(row).map(move |(x, pixel): (u32, &[u8; 3])| (x, y, *pixel));
    image.rows().zip(0..).flat_map(row)
}

/// In how many pixels the luminance differs by more than a bound.
fn count_differences(a: &Image, b: &Image, bound: f64) -> usize {
    let differs = |(p, q): &(&[u8; 3], &[u8; 3])| (luminance(**p) - luminance(**q)).abs() > bound;
    a.pixels().iter().zip(b.pixels()).filter(differs).count()
}

/// A small scene with everything in it.
fn full_scene() -> Vec<Body> {
    let ball = Obstacle::new(Shape::Sphere { radius: 0.3 }, Placement::at(DVec3::new(0.2, 0.0, 0.4)));
    let ground = Obstacle::new(Shape::Plane { normal: DVec3::Y }, Placement::at(DVec3::Y * -0.8));
    let bounds = [DVec3::splat(-0.7), DVec3::splat(0.7)];
    vec![square(0.7, 0.0, 0), obstacle_body(&ball, 0.0, bounds), obstacle_body(&ground, 0.0, bounds)]
}

#[test]
fn a_triangle_covers_its_pixels_and_no_others() {
    let body = triangle([[-0.5, -0.5, 0.0], [0.5, -0.5, 0.0], [-0.5, 0.5, 0.0]], CLOTH);
    let image = render(&[body], &picture(200, 200)).unwrap();
    // 100 pixels to the metre: legs from x = 50 to 150, the right angle at the lower left.
    for (x, y, pixel) in enumerate(&image) {
        let (x, y) = (f64::from(x) + 0.5, f64::from(y) + 0.5);
        let inside = (x - 50.0).min(150.0 - y).min((y - x) / 2.0_f64.sqrt());
        if inside.abs() > 0.8 {
            assert_eq!(is_colored(pixel), inside > 0.0, "({x}, {y}): {pixel:?}");
        }
    }
}

#[test]
fn an_outline_is_anti_aliased() {
    let body = triangle([[-0.9, -0.9, 0.0], [0.9, -0.8, 0.0], [-0.9, 0.1, 0.0]], CLOTH);
    let image = render(&[body], &picture(160, 160)).unwrap();
    let tones = image.column_tones(80);
    assert!(tones >= 3, "only {tones} tones across the outline");
}

trait ColumnTones {
    /// The number of pixels in a column that are neither like the pixel above nor like the one below.
    fn column_tones(&self, x: u32) -> usize;
}

impl ColumnTones for Image {
    fn column_tones(&self, x: u32) -> usize {
        let at = |y: u32| luminance(self.pixel(x, y));
        let differs = |a: f64, b: f64| (a - b).abs() > 6.0;
        (1..self.size()[1] - 1).filter(|y| differs(at(*y), at(y - 1)) || differs(at(*y), at(y + 1))).count()
    }
}

#[test]
fn the_nearer_body_hides_the_farther_in_either_order() {
    let (near, far) = (square(0.4, 1.0, 1), square(0.9, -1.0, 0));
    let alone = render(std::slice::from_ref(&near), &picture(90, 90)).unwrap();
    let a = render(&[near.clone(), far.clone()], &picture(90, 90)).unwrap();
    let b = render(&[far, near], &picture(90, 90)).unwrap();
    let hue = |image: &Image| {
        let [r, _, b] = image.pixel(45, 45);
        i32::from(b) - i32::from(r)
    };
    assert!(hue(&alone) > 20 && hue(&a) > 20 && hue(&b) > 20, "{} {} {}", hue(&alone), hue(&a), hue(&b));
    let [r, _, blue] = a.pixel(12, 45);
    assert!(r > blue, "the far sheet shows beside the near one");
}

#[test]
fn the_two_sides_of_a_sheet_differ_and_the_back_is_darker() {
    let corners = [[-0.9, -0.9, 0.0], [0.9, -0.9, 0.0], [0.0, 0.9, 0.0]];
    let front = render(&[triangle(corners, CLOTH)], &picture(60, 60)).unwrap();
    let back = render(&[triangle([corners[0], corners[2], corners[1]], CLOTH)], &picture(60, 60)).unwrap();
    let (front, back) = (front.pixel(30, 40), back.pixel(30, 40));
    assert!(front[0] > front[2] && back[2] > back[0], "{front:?} {back:?}");
    assert!(luminance(back) < 0.8 * luminance(front));
}

#[test]
fn wireframe_darkens_the_edges_and_only_them() {
    let body = square(0.8, 0.0, 0);
    let plain = render(std::slice::from_ref(&body), &picture(200, 200)).unwrap();
    let wire = render(&[body], &Picture { wireframe: true, ..picture(200, 200) }).unwrap();
    for (x, y, pixel) in enumerate(&wire) {
        let (px, py) = (f64::from(x) + 0.5, f64::from(y) + 0.5);
        let border = [px - 20.0, 180.0 - px, py - 20.0, 180.0 - py].into_iter().fold(f64::INFINITY, f64::min);
        let diagonal = (px + py - 200.0).abs() / 2.0_f64.sqrt();
        let (before, after) = (luminance(plain.pixel(x, y)), luminance(pixel));
        if border > 3.0 && diagonal < 0.2 {
            assert!(after < 0.6 * before, "({x}, {y}): {before} {after}");
        } else if border.abs().min(diagonal) > 2.0 {
            assert_eq!(before, after, "({x}, {y})");
        }
    }
    assert!(mean_luminance(&wire) < mean_luminance(&plain));
}

#[test]
fn hidden_edges_are_not_drawn() {
    let (near, far) = (square(0.9, 1.0, 0), square(0.6, -1.0, 0));
    let settings = Picture { wireframe: true, ..picture(120, 120) };
    let with = render(&[near.clone(), far], &settings).unwrap();
    let without = render(&[near], &settings).unwrap();
    let difference = count_differences(&with, &without, 12.0);
    assert_eq!(difference, 0);
}

#[test]
fn a_sheet_between_the_light_and_the_floor_casts_a_shadow() {
    let flat = |half: f64, y: f64, kind| {
        let corner = |x: f64, z: f64| DVec3::new(x * half, y, z * half);
        let positions = vec![corner(-1.0, -1.0), corner(-1.0, 1.0), corner(1.0, 1.0), corner(1.0, -1.0)];
        Body::new(TriangleMesh { positions, faces: vec![[0, 1, 2], [0, 2, 3]], material: None }, kind)
    };
    let table = flat(1.0, 0.0, BodyKind::Obstacle);
    let sheet = flat(0.3, 0.5, CLOTH);
    let from_above = Camera { eye: DVec3::new(0.0, 10.0, 0.01), target: DVec3::ZERO, ..camera() };
    let settings = Picture { camera: Some(from_above), ..picture(120, 120) };
    let lit = render(std::slice::from_ref(&table), &settings).unwrap();
    let shaded = render(&[table, sheet], &settings).unwrap();
    // The light comes from the left, so the shadow lies to the right of the sheet, which ends at x = 78.
    assert!(luminance(shaded.pixel(88, 60)) < 0.85 * luminance(lit.pixel(88, 60)));
    assert!(luminance(shaded.pixel(25, 100)) > 0.93 * luminance(lit.pixel(25, 100)));
}

#[test]
fn a_floor_is_seen_from_above_only_and_does_not_change_the_framing() {
    let ground = Obstacle::new(Shape::Plane { normal: DVec3::Y }, Placement::at(DVec3::Y * -0.8));
    let bounds = [DVec3::splat(-0.7), DVec3::splat(0.7)];
    let floor = obstacle_body(&ground, 0.0, bounds);
    let settings = Picture { width: 120, height: 90, ..Picture::default() };
    let without = render(&[square(0.7, 0.0, 0)], &settings).unwrap();
    let with = render(&[square(0.7, 0.0, 0), floor.clone()], &settings).unwrap();
    let outline = |image: &Image| image.pixels().iter().map(|pixel| is_colored(*pixel)).collect::<Vec<_>>();
    // Pixels at the outline, whose hem is mixed with what is behind it, may pass for colored or not.
    let differs = outline(&without).iter().zip(outline(&with)).filter(|(a, b)| **a != *b).count();
    assert!(differs <= 20, "{differs} pixels");
    assert_ne!(without, with);

    let below = Camera { eye: DVec3::new(0.0, -9.0, 4.0), ..camera() };
    let settings = Picture { camera: Some(below), ..settings };
    let hidden = render(&[square(0.7, 0.0, 0), floor], &settings).unwrap();
    assert!(outline(&hidden) == outline(&render(&[square(0.7, 0.0, 0)], &settings).unwrap()));
}

#[test]
fn the_same_scene_gives_the_same_bytes() {
    let settings = Picture { width: 160, height: 90, wireframe: true, ..Picture::default() };
    let first = render(&full_scene(), &settings).unwrap();
    for _ in 0..3 {
        assert_eq!(render(&full_scene(), &settings).unwrap(), first);
    }
}

#[test]
fn a_picture_of_many_bands_has_no_seams() {
    // 72000 samples per row of pixels and at most 4 million per band: bands of 55 rows.
    let settings = Picture { width: 8000, height: 120, ..picture(8000, 120) };
    let image = render(&[square(0.9, 0.0, 0)], &settings).unwrap();
    let column = (8..112).map(|y| luminance(image.pixel(4000, y))).collect::<Vec<_>>();
    assert!(column.windows(2).all(|pair| (pair[0] - pair[1]).abs() < 3.0), "{column:?}");
}

#[test]
fn degenerate_faces_and_faces_behind_the_camera_are_left_out() {
    let point = triangle([[0.1, 0.1, 0.0]; 3], CLOTH);
    let line = triangle([[-0.5, 0.0, 0.0], [0.5, 0.0, 0.0], [0.1, 0.0, 0.0]], CLOTH);
    let behind = triangle([[-50.0, -50.0, 0.0], [50.0, -50.0, 0.0], [0.0, 0.0, 30.0]], CLOTH);
    for body in [point, line, behind] {
        for wireframe in [false, true] {
            let image =
                render(std::slice::from_ref(&body), &Picture { wireframe, ..picture(64, 64) }).unwrap();
            let colored = image.pixels().iter().filter(|pixel| is_colored(**pixel)).count();
            assert!(colored < 40, "{colored}");
        }
    }
}

#[test]
fn scenes_far_from_the_origin_and_of_any_size_look_the_same() {
    let settings = Picture { width: 120, height: 80, ..Picture::default() };
    let near = render(&full_scene(), &settings).unwrap();
    let moved = full_scene().into_iter().map(|mut body| {
        body.mesh.positions.iter_mut().for_each(|p| *p = *p * 1e-3 + DVec3::new(100.0, -50.0, 20.0));
        body
    });
    let far = render(&moved.collect::<Vec<_>>(), &settings).unwrap();
    let changed = count_differences(&near, &far, 8.0);
    assert!(changed < 20);
}

#[test]
fn wrong_input_is_refused_with_a_clear_message() {
    let body = square(0.5, 0.0, 0);
    let message = |bodies: &[Body], settings: &Picture| render(bodies, settings).unwrap_err().to_string();

    assert_eq!(message(&[], &picture(9, 9)), "there is nothing to draw: no body has a face");
    let faceless = Body::new(TriangleMesh::default(), CLOTH);
    assert!(matches!(render(&[faceless], &picture(9, 9)), Err(RenderError::EmptyScene)));

    let mut broken = body.clone();
    broken.mesh.positions[2].y = f64::NAN;
    let text = message(&[body.clone(), broken], &picture(9, 9));
    assert_eq!(text, "vertex 2 of body 1 has no finite position");

    let mut broken = body.clone();
    broken.mesh.faces[1] = [0, 2, 4];
    let text = message(&[broken], &picture(9, 9));
    assert_eq!(text, "face 1 of body 0 refers to vertex 4, but the mesh has 4 vertices");

    let bodies = [body];
    assert_eq!(message(&bodies, &picture(0, 9)), "a picture of 0 × 9 pixels has no pixels");
    let text = message(&bodies, &picture(100_000, 9));
    assert_eq!(text, "a picture of 100000 × 9 pixels is too large: at most 8192 on a side");
    let blind = Camera { target: camera().eye, ..camera() };
    let text = message(&bodies, &Picture { camera: Some(blind), ..picture(9, 9) });
    assert!(text.starts_with("the camera has no view"), "{text}");
}
