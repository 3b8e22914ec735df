//! The sizing field against shapes whose curvature and strain are known.

use crate::common::{Sheet, cylinder, flat, grid, settings};
use glam::{DVec2, DVec3};
use taffeta_core::Region;
use taffeta_remesh::{GRADATION, Pass, RemeshSettings, View, isotropic_size, remesh};

/// The wanted sizes [m] with their material coordinates, on a mesh that is not edited.
fn sizes(sheet: &Sheet, settings: RemeshSettings) -> Vec<(DVec2, f64)> {
    let mut copy = sheet.clone();
    // The metric is written before the edits; on the vertices that were there before it can be read after them.
    let pins: [Region; 0] = [];
    let pass = Pass { settings: &[Some(settings)], pins: &pins, elapsed: 10.0, ..Pass::default() };
    remesh(&mut copy.mesh, &mut copy.attributes, &pass, &mut |_| true);
    let mut found = Vec::new();
    for v in sheet.mesh.vertex_keys().filter(|&v| copy.mesh.contains_vertex(v)) {
        let u = sheet.attributes.material_of(sheet.mesh.halfedge_from(v));
        found.push((u, isotropic_size(&copy.attributes.vertices[v].metric)));
    }
    found
}

/// The wanted size of every inner vertex after so many passes that edit nothing, a camera in front of them [m].
fn seen(
    sheet: &mut Sheet,
    settings: RemeshSettings,
    (view, passes): (Option<&View>, usize),
) -> Vec<(DVec2, f64)> {
    let settings = [Some(settings)];
    let pass = Pass { settings: &settings, elapsed: 0.02, view, ..Pass::default() };
    for _ in 0..passes {
        // The mesh stays what it is: only what is wanted is taken over.
        let mut copy = sheet.clone();
        remesh(&mut copy.mesh, &mut copy.attributes, &pass, &mut |_| true);
        for (v, vertex) in &mut sheet.attributes.vertices {
            vertex.metric = copy.attributes.vertices[v].metric;
        }
    }
    let coord = |v| sheet.attributes.material_of(sheet.mesh.halfedge_from(v));
    // Less of the curvature is seen at the outline.
    let keys = sheet.mesh.vertex_keys().filter(|v| is_inside(coord(*v), DVec2::new(2.0, 0.2)));
    keys.map(|v| (coord(v), isotropic_size(&sheet.attributes.vertices[v].metric))).collect()
}

#[test]
fn cloth_that_the_camera_does_not_see_may_be_coarser() {
    // A strip of 2 m in front of the camera, which sees .4 m of it to both sides of the middle.
    let mut sheet = Sheet::new(grid([2.0, 0.2], [80, 8], 0.0), cylinder(1e3));
    let limits = RemeshSettings { refine_angle: 2e-5, coarsen_unseen: Some(3.0), ..wide_limits() };
    let wanted = 2e-5 * 1e3;
    let front = |eye: f64| {
        let middle = sheet_point(1.0);
        View::new([middle + DVec3::Z * eye, middle], DVec3::Y, [2.0 * 0.4_f64.atan(), 1.0]).unwrap()
    };
    let view = front(1.0);
    for (u, size) in seen(&mut sheet.clone(), limits, (Some(&view), 1)) {
        let off = (u.x - 1.0).abs();
        if off < 0.3 {
            assert!((size / wanted - 1.0).abs() < 0.1, "{u}: {size}");
        }
        assert!(off < 0.9 || (size / wanted - 3.0).abs() < 0.2, "{u}: {size}");
    }
    // Without a camera, or where the cloth does not ask for it, nothing changes.
    for (limits, view) in [(limits, None), (RemeshSettings { coarsen_unseen: None, ..limits }, Some(&view))] {
        for (u, size) in seen(&mut sheet.clone(), limits, (view, 1)) {
            assert!((size / wanted - 1.0).abs() < 0.1, "{u}: {size}");
        }
    }
    // When the camera turns away the cloth coarsens little by little, when it turns back it is fine at once.
    let away =
        View::new([sheet_point(1.0) + DVec3::Z, sheet_point(1.0) + 2.0 * DVec3::Z], DVec3::Y, [0.5; 2]);
    let middle = |found: Vec<(DVec2, f64)>| {
        found.into_iter().find(|(u, _)| u.distance(DVec2::new(1.0, 0.1)) < 1e-9).expect("a grid point").1
    };
    let mut last = middle(seen(&mut sheet, limits, (Some(&view), 1)));
    for _ in 0..5 {
        let size = middle(seen(&mut sheet, limits, (away.as_ref(), 1)));
        assert!(size > 1.02 * last && size < 1.1 * last, "{last} → {size}");
        last = size;
    }
    assert!((middle(seen(&mut sheet, limits, (Some(&view), 1))) / wanted - 1.0).abs() < 0.1);
}

/// The world position of the middle line of the strip [m].
fn sheet_point(u: f64) -> DVec3 {
    cylinder(1e3)(DVec2::new(u, 0.1))
}

fn wide_limits() -> RemeshSettings {
    settings(1e-4, 10.0)
}

/// Returns whether a point of a sheet from (0, 0) to `extent` [m] is more than 6 cm from its outline.
fn is_inside(u: DVec2, extent: DVec2) -> bool {
    u.min(extent - u).min_element() > 0.06
}

#[test]
fn a_cylinder_wants_edges_that_span_the_angle() {
    let radius = 0.3;
    for jitter in [0.0, 0.15] {
        let sheet = Sheet::new(grid([0.8, 0.4], [32, 16], jitter), cylinder(radius));
        let wanted = 0.25 * radius;
        for (u, size) in sizes(&sheet, wide_limits()) {
            // Hinges overestimate the curvature on irregular meshes. In the row of faces along a free edge less of it
            // is seen, and corners have no inner neighbor to ask.
            let low = if jitter == 0.0 { 0.99 } else { 0.6 };
            let is_inner = is_inside(u, DVec2::new(0.8, 0.4));
            let high = if is_inner { 1.01 + jitter / 2.0 } else { 1.15 };
            assert!(size >= low * wanted && size <= high * wanted, "{u}: {size} instead of {wanted}");
        }
    }
}

#[test]
fn the_wanted_size_follows_the_angle_that_was_asked_for() {
    let sheet = Sheet::new(grid([0.8, 0.4], [32, 16], 0.0), cylinder(0.3));
    let coarse = sizes(&sheet, RemeshSettings { refine_angle: 0.4, ..wide_limits() });
    let fine = sizes(&sheet, RemeshSettings { refine_angle: 0.1, ..wide_limits() });
    for ((u, coarse), (_, fine)) in coarse.into_iter().zip(fine) {
        if !is_inside(u, DVec2::new(0.8, 0.4)) {
            continue;
        }
        assert!((coarse / fine - 4.0).abs() < 0.05, "{coarse} {fine}");
    }
}

#[test]
fn a_flat_sheet_wants_the_largest_size_however_it_lies() {
    let turned = |u: DVec2| DVec3::new(0.6 * u.x, u.y, 0.8 * u.x) + DVec3::splat(3.0);
    for (_, size) in sizes(&Sheet::new(grid([1.0; 2], [12; 2], 0.2), turned), settings(0.001, 0.2)) {
        assert_eq!(size, 0.2);
    }
    for (_, size) in sizes(&Sheet::new(grid([1.0; 2], [12; 2], 0.2), |u| 1.3 * flat(u)), settings(0.001, 0.2))
    {
        assert!((size - 0.2).abs() < 1e-9, "uniform strain needs no vertices: {size}");
    }
}

#[test]
fn a_strain_gradient_wants_edges_that_span_the_strain() {
    // Stretch 1 + a x along x: E_xx = ((1 + a x)² − 1)/2, so its gradient is a (1 + a x).
    let rate = 0.5;
    let stretch = |u: DVec2| DVec3::new(u.x + 0.5 * rate * u.x * u.x, u.y, 0.0);
    let sheet = Sheet::new(grid([1.0, 0.5], [64, 32], 0.0), stretch);
    for (u, size) in sizes(&sheet, wide_limits()) {
        let wanted = 0.05 / (rate * (1.0 + rate * u.x));
        // The recovered strain is one-sided at the ends of the sheet.
        if u.x > 0.05 && u.x < 0.95 {
            assert!((size / wanted - 1.0).abs() < 0.05, "{u}: {size} instead of {wanted}");
        }
    }
}

/// One error in place of all thresholds \[m\].
fn one_error(error: f64) -> RemeshSettings {
    RemeshSettings { refine_error: Some(error), ..wide_limits() }
}

#[test]
fn one_error_bounds_the_distance_of_the_faces_from_a_cylinder() {
    let radius = 0.3;
    let shape = cylinder(radius);
    for error in [4e-3, 1e-3, 2.5e-4] {
        let mut sheet = Sheet::new(grid([0.8, 0.4], [8, 4], 0.0), &shape);
        for _ in 0..12 {
            sheet.pass(&one_error(error));
            // New vertices lie on chords; put them on the surface that the faces stand for.
            sheet.for_each_vertex(|u, vertex| vertex.position = shape(u));
        }
        let farthest = sheet.mesh.face_keys().fold(0.0, |most: f64, f| {
            let [a, b, c] = sheet.mesh.face_vertices(f).map(|v| sheet.attributes.vertices[v].position);
            let points = [(a + b + c) / 3.0, 0.5 * (a + b), 0.5 * (b + c), 0.5 * (c + a)];
            points.into_iter().fold(most, |most, p| most.max(radius - p.with_y(0.0).length()))
        });
        // Edges are between half and all of what is allowed, and triangles seldom lie at their worst.
        assert!(farthest <= error && farthest >= 0.2 * error, "{farthest} m for {error} m");
    }
}

#[test]
fn one_error_looks_ahead_to_where_the_velocities_lead() {
    // After the ten seconds of `sizes` the flat sheet has the curvature 10 s · 0.05 /(m s).
    let mut sheet = Sheet::new(grid([1.0, 0.5], [32, 16], 0.0), flat);
    sheet.for_each_vertex(|u, vertex| vertex.velocity = DVec3::Z * 0.5 * 0.05 * (u.x - 0.5).powi(2));
    let wanted = (9.0 * 1e-3 / (2.0 * 0.5_f64)).sqrt();
    for (u, size) in sizes(&sheet, one_error(1e-3)) {
        if is_inside(u, DVec2::new(1.0, 0.5)) {
            // The slopes, up to a quarter, turn the normals less.
            assert!((0.98..1.12).contains(&(size / wanted)), "{u}: {size} instead of {wanted}");
        }
    }
}

#[test]
fn one_error_takes_the_place_of_the_thresholds() {
    let sheet = Sheet::new(grid([0.8, 0.4], [32, 16], 0.0), cylinder(0.3));
    let other = RemeshSettings { refine_angle: 0.01, refine_strain: 1e-6, ..one_error(1e-3) };
    assert_eq!(sizes(&sheet, other), sizes(&sheet, one_error(1e-3)));
}

#[test]
fn sizes_grow_gently_along_edges() {
    let bump = |u: DVec2| u.extend(0.05 * (-(u - DVec2::splat(0.5)).length_squared() / 0.002).exp());
    let sheet = Sheet::new(grid([1.0; 2], [40; 2], 0.1), bump);
    let mut finest = f64::INFINITY;
    let mut coarsest: f64 = 0.0;
    let found = sizes(&sheet, settings(0.002, 0.5));
    for &(_, size) in &found {
        finest = finest.min(size);
        coarsest = coarsest.max(size);
    }
    assert!(finest < 0.02 && coarsest > 0.1, "{finest} to {coarsest}");
    // Vertices that the pass left in place, pairwise. The bound along edges makes it Lipschitz along any path, and paths on
    // this mesh are at most half as long again as the distance.
    for (k, &(u, size)) in found.iter().enumerate() {
        for &(other_u, other_size) in &found[..k] {
            let bound = 1.5 * GRADATION.ln() * u.distance(other_u) + 1e-12;
            assert!((size - other_size).abs() <= bound, "{u} {other_u}: {size} {other_size}");
        }
    }
}

#[test]
fn refinement_is_immediate_and_coarsening_takes_time() {
    let mut sheet = Sheet::new(grid([0.4; 2], [16; 2], 0.0), cylinder(0.2));
    let limits = settings(0.001, 0.2);
    let finest = |sheet: &Sheet| {
        let metrics = sheet.mesh.vertex_keys().map(|v| sheet.attributes.vertices[v].metric);
        metrics.map(|metric| isotropic_size(&metric)).fold(f64::INFINITY, f64::min)
    };
    sheet.pass_with(&limits, &[], 1.0 / 60.0);
    assert!((finest(&sheet) - 0.05).abs() < 0.005);
    sheet.put_on(flat);
    sheet.pass_with(&limits, &[], 1.0 / 60.0);
    let relaxed = finest(&sheet);
    assert!(relaxed < 0.06, "coarsens in one frame to {relaxed}");
    for _ in 0..60 {
        sheet.pass_with(&limits, &[], 1.0 / 60.0);
    }
    assert!((finest(&sheet) - 0.2).abs() < 1e-12);
}
