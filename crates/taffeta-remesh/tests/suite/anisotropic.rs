//! Passes whose metrics are tensors, and the terms that look ahead.

use crate::common::{Sheet, cylinder, disk, flat, grid, settings};
use glam::{DVec2, DVec3};
use taffeta_core::math::Sym2;
use taffeta_mesh::FaceKey;
use taffeta_remesh::{Pass, Plane, RemeshReport, RemeshSettings, Surroundings, remesh};

fn wavy(u: DVec2) -> DVec3 {
    let ridge = 0.06 * (-(u.x - 0.6).powi(2) / 0.01).exp();
    DVec3::new(u.x, u.y, 0.03 * (7.0 * u.x + 3.0 * u.y).sin() + ridge)
}

fn anisotropic(limits: RemeshSettings) -> RemeshSettings {
    RemeshSettings { anisotropic: true, ..limits }
}

/// Passes on a shape until one makes no edits; the reports.
fn run_to_rest(
    sheet: &mut Sheet,
    limits: &RemeshSettings,
    shape: impl Fn(DVec2) -> DVec3,
) -> Vec<RemeshReport> {
    let mut reports = Vec::new();
    for _ in 0..60 {
        let report = sheet.pass(limits);
        if report.edit_count() == 0 {
            return reports;
        }
        reports.push(report);
        sheet.put_on(&shape);
    }
    panic!("the mesh does not come to rest: {} vertices", sheet.mesh.vertex_count());
}

/// The smallest angle of a face \[°\] in the mean metric of its corners.
fn smallest_angle(sheet: &Sheet, f: FaceKey) -> f64 {
    let metrics = sheet.mesh.face_vertices(f).map(|v| sheet.attributes.vertices[v].metric);
    let metric = metrics.iter().fold(Sym2::default(), |sum, metric| sum.plus(1.0 / 3.0, metric));
    let corners = sheet.attributes.face_material(&sheet.mesh, f);
    let dot = |p: DVec2, q: DVec2| {
        let [qx, qy] = [metric.xx * q.x + metric.xy * q.y, metric.xy * q.x + metric.yy * q.y];
        p.x * qx + p.y * qy
    };
    let angle = |k: usize| {
        let (p, q) = (corners[(k + 1) % 3] - corners[k], corners[(k + 2) % 3] - corners[k]);
        (dot(p, q) / (dot(p, p) * dot(q, q)).sqrt()).acos().to_degrees()
    };
    (0..3).map(angle).fold(f64::INFINITY, f64::min)
}

#[test]
fn a_roll_gets_long_edges_along_its_axis() {
    let radius = 0.1;
    let roll = |limits: RemeshSettings| {
        let mut sheet = Sheet::new(grid([1.0; 2], [8; 2], 0.1), cylinder(radius));
        run_to_rest(&mut sheet, &limits, cylinder(radius));
        assert!((sheet.area() - 1.0).abs() < 1e-12);
        sheet
    };
    let limits = settings(0.005, 0.3);
    let (same, stretched) = (roll(limits), roll(anisotropic(limits)));
    let counts = [&same, &stretched].map(|sheet| sheet.mesh.vertex_count());
    assert!(3 * counts[1] < counts[0], "{counts:?}");
    // No edge spans more of the bend than it may; those of the outline see less of it.
    for e in stretched.mesh.edge_keys().filter(|&e| !stretched.mesh.is_boundary_edge(e)) {
        let [a, b] = stretched.attributes.edges[e].corners;
        assert!((b - a).x.abs() <= 1.1 * 0.25 * radius, "{a} to {b}");
    }
}

#[test]
fn meshes_of_tensors_come_to_rest_and_are_well_shaped_in_their_metric() {
    for (cells, jitter) in [(6, 0.0), (12, 0.2)] {
        let mut sheet = Sheet::new(grid([1.0; 2], [cells; 2], jitter), wavy);
        run_to_rest(&mut sheet, &anisotropic(settings(0.01, 0.2)), wavy);
        let mut angles: Vec<f64> = sheet.mesh.face_keys().map(|f| smallest_angle(&sheet, f)).collect();
        angles.sort_by(f64::total_cmp);
        // Beside the outline, where nothing can be flipped, a few slivers stay.
        let few = angles[angles.len() / 100];
        assert!(
            few >= 15.0 && angles[0] >= 10.0,
            "{few}° of {} faces, the smallest {}°",
            angles.len(),
            angles[0]
        );
    }
}

/// Vertices after a cloth of 1 m has come to rest under some settings.
fn count(sheet: &Sheet, limits: &RemeshSettings, shape: impl Fn(DVec2) -> DVec3) -> usize {
    let mut sheet = sheet.clone();
    sheet.put_on(&shape);
    run_to_rest(&mut sheet, limits, shape);
    sheet.mesh.vertex_count()
}

#[test]
fn compression_refines_before_there_is_a_fold() {
    // 2 % shorter along x: folds come across it, 5 mm / √.0396 = 2.5 cm apart.
    let pressed = |u: DVec2| DVec3::new(0.98 * u.x, u.y, 0.0);
    let sheet = Sheet::new(grid([1.0; 2], [8; 2], 0.0), pressed);
    let limits = RemeshSettings { refine_compression: None, ..anisotropic(settings(0.005, 0.2)) };
    let looking = RemeshSettings { refine_compression: Some(0.005), ..limits };
    let counts = [limits, looking].map(|limits| count(&sheet, &limits, pressed));
    assert!(counts[1] > 5 * counts[0], "{counts:?}");
    // What is stretched asks for nothing.
    let stretched = |u: DVec2| DVec3::new(1.02 * u.x, u.y, 0.0);
    assert_eq!(count(&sheet, &looking, stretched), count(&sheet, &limits, stretched));
}

#[test]
fn a_changing_velocity_refines_before_the_cloth_has_moved() {
    let mut sheet = Sheet::new(grid([1.0; 2], [8; 2], 0.0), flat);
    // One half is thrown up: the velocity changes by 6 m/s over 20 cm.
    let speed = |u: DVec2| 6.0 * ((u.x - 0.4) / 0.2).clamp(0.0, 1.0);
    let limits = RemeshSettings { refine_velocity: Some(1.0), ..anisotropic(settings(0.005, 0.2)) };
    for _ in 0..20 {
        sheet.for_each_vertex(|u, vertex| vertex.velocity = DVec3::Z * speed(u));
        sheet.pass(&limits);
    }
    let across = sheet.mesh.edge_keys().map(|e| sheet.attributes.edges[e].corners);
    let steepest = across.map(|[a, b]| (speed(a) - speed(b)).abs()).fold(0.0, f64::max);
    assert!(steepest <= 1.1, "an edge over {steepest} m/s");
    assert!(sheet.mesh.vertex_count() < 400, "{} vertices", sheet.mesh.vertex_count());
}

/// A plane under a sheet, which it meets at `x = 0` under an angle.
#[derive(Debug)]
struct Slope;

impl Surroundings for Slope {
    fn nearest(&self, point: DVec3, reach: f64) -> Option<Plane> {
        let plane = Plane { normal: DVec3::new(0.6, 0.0, 0.8), point: DVec3::ZERO };
        (plane.height(point).abs() <= reach).then_some(plane)
    }
}

#[test]
fn an_obstacle_refines_where_it_is_near() {
    let mut sheet = Sheet::new(grid([1.0; 2], [8; 2], 0.0), flat);
    let limits = RemeshSettings { refine_obstacle: Some(1.0), ..anisotropic(settings(0.01, 0.3)) };
    let mut at_rest = false;
    for _ in 0..60 {
        let settings = [Some(limits)];
        let pass = Pass { settings: &settings, elapsed: 1.0, surroundings: Some(&Slope), ..Pass::default() };
        at_rest = remesh(&mut sheet.mesh, &mut sheet.attributes, &pass, &mut |_| false).edit_count() == 0;
        sheet.check();
        if at_rest {
            break;
        }
    }
    assert!(at_rest);
    let along = |range: std::ops::Range<f64>| {
        let corners = sheet.mesh.edge_keys().map(|e| sheet.attributes.edges[e].corners);
        let ways =
            corners.filter(|[a, b]| range.contains(&(0.5 * (a.x + b.x)))).map(|[a, b]| (b - a).x.abs());
        ways.fold(0.0, f64::max)
    };
    // The height is .6 x, so an edge at x may be x long, but not shorter than .01/.6.
    assert!(along(0.0..0.01) <= 0.02, "{}", along(0.0..0.01));
    assert!(along(0.1..0.12) <= 0.15 && along(0.1..0.12) > 0.03, "{}", along(0.1..0.12));
    assert!(along(0.5..1.0) > 0.15, "{}", along(0.5..1.0));
}

#[test]
fn only_collapses_and_flips_of_a_bent_sheet_move_the_surface() {
    let mut sheet = Sheet::new(grid([1.0; 2], [4; 2], 0.1), cylinder(0.3));
    let coarse = settings(0.005, 0.1);
    let fine = RemeshSettings { size_max: 0.02, ..coarse };
    let reports = run_to_rest(&mut sheet, &fine, cylinder(0.3));
    for report in &reports {
        let [moved] = report.displacements[..] else { panic!("one cloth") };
        assert_eq!(moved > 0.0, report.flips + report.collapses > 0, "{moved}");
    }
    assert!(reports.iter().any(|report| report.splits > 0));
    let reports = run_to_rest(&mut sheet, &coarse, cylinder(0.3));
    assert!(reports[0].collapses > 0);
    // An edge of a cylinder lies below it by s²/8R at most, and the surfaces differ by no more than that of both.
    let bound = 0.1_f64.powi(2) / (8.0 * 0.3);
    let rms = reports[0].displacements[0].sqrt();
    assert!(rms > 1e-5 && rms < bound, "{rms} of {bound}");
    let mut plane = Sheet::new(disk(0.5, 12, 30), flat);
    for report in run_to_rest(&mut plane, &coarse, flat) {
        assert!(report.displacements[0] < 1e-28, "{report:?}");
    }
}
