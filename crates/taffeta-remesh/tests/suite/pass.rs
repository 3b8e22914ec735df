//! Whole passes: invariants, what they must not touch, and that they come to rest.

use crate::common::{Sheet, cylinder, disk, flat, grid, settings, tier};
use glam::{DVec2, DVec3};
use taffeta_core::Region;
use taffeta_core::geometry::triangle_quality;
use taffeta_mesh::{HalfedgeMesh, VertexKey, slot_of};
use taffeta_remesh::{
    EditRecord, Hold, Pass, Plane, ProposedEdit, RemeshReport, RemeshSettings, SheetAttributes, Surroundings,
    remesh, validate_attributes,
};

/// Two waves and a fold.
fn wavy(u: DVec2) -> DVec3 {
    let ridge = 0.06 * (-(u.x - 0.6).powi(2) / 0.01).exp();
    DVec3::new(u.x, u.y, 0.03 * (7.0 * u.x + 3.0 * u.y).sin() + ridge)
}

/// A sheet in waves whose vertices slide and ripple.
fn moving_sheet() -> Sheet {
    let mut sheet = Sheet::new(grid([1.0; 2], [10; 2], 0.2), wavy);
    sheet.for_each_vertex(|u, vertex| {
        vertex.velocity = DVec3::new((5.0 * u.y).sin(), (4.0 * u.x).cos(), u.x * u.y);
    });
    sheet
}

fn worst_quality(sheet: &Sheet) -> f64 {
    let faces = sheet.mesh.face_keys();
    faces
        .map(|f| triangle_quality(sheet.attributes.face_material(&sheet.mesh, f)))
        .fold(f64::INFINITY, f64::min)
}

#[test]
fn a_wavy_sheet_is_refined_and_keeps_area_and_shape_quality() {
    let mut sheet = moving_sheet();
    let vertices = sheet.mesh.vertex_count();
    for _ in 0..6 {
        let report = sheet.pass(&settings(0.01, 0.2));
        assert_eq!(report.log.len(), report.edit_count());
        sheet.put_on(wavy);
    }
    assert!(sheet.mesh.vertex_count() > 3 * vertices);
    assert!((sheet.area() - 1.0).abs() < 1e-12);
    assert!(worst_quality(&sheet) > 0.3, "worst quality {}", worst_quality(&sheet));
}

/// Runs passes until one makes no edits; how many it took.
fn passes_to_rest(sheet: &mut Sheet, limits: &RemeshSettings, shape: Option<fn(DVec2) -> DVec3>) -> usize {
    for pass in 0..40 {
        if sheet.pass(limits).edit_count() == 0 {
            return pass;
        }
        if let Some(shape) = shape {
            sheet.put_on(shape);
        }
    }
    panic!("the mesh does not come to rest: {} vertices", sheet.mesh.vertex_count());
}

#[test]
fn passes_on_a_shape_at_rest_come_to_rest() {
    let shapes: [fn(DVec2) -> DVec3; 4] =
        [flat, wavy, |u| cylinder(0.15)(u), |u| flat(u) + DVec3::X * 0.3 * u.y * u.x * u.x];
    for (number, shape) in shapes.into_iter().enumerate() {
        for (cells, jitter) in
            tier(&[(4, 0.0), (11, 0.25)][..], &[(4, 0.0), (11, 0.25), (30, 0.1)]).iter().copied()
        {
            let start = Sheet::new(grid([1.0; 2], [cells; 2], jitter), shape);
            let mut smooth = start.clone();
            let passes = passes_to_rest(&mut smooth, &settings(0.015, 0.15), Some(shape));
            println!(
                "shape {number}, {cells} cells: {passes} passes, {} vertices",
                smooth.mesh.vertex_count()
            );
            // Without putting new vertices onto the shape every edge of the first mesh is a crease, which is refined
            // from pass to pass until the edges reach the smallest size.
            let mut faceted = start.clone();
            passes_to_rest(&mut faceted, &settings(0.015, 0.15), None);
        }
    }
}

#[test]
fn edges_of_a_mesh_at_rest_have_the_wanted_length() {
    let radius = 0.15;
    let mut sheet = Sheet::new(grid([1.0; 2], [6; 2], 0.1), cylinder(radius));
    for _ in 0..12 {
        sheet.pass(&settings(0.001, 0.5));
        sheet.put_on(cylinder(radius));
    }
    let wanted = 0.25 * radius;
    let lengths = sheet.lengths();
    let mean = lengths.iter().sum::<f64>() / lengths.len() as f64;
    // Less of the curvature is seen in the row of faces along a free edge.
    assert!(lengths.iter().all(|&length| length <= 1.1 * wanted), "longest of {wanted}");
    assert!(mean > 0.4 * wanted, "mean {mean} of {wanted}");
}

#[test]
fn a_flat_sheet_coarsens_to_the_largest_size() {
    let mut sheet = Sheet::square(40);
    passes_to_rest(&mut sheet, &settings(0.005, 0.25), None);
    assert!(sheet.mesh.vertex_count() < 80, "{} vertices", sheet.mesh.vertex_count());
    assert!(sheet.lengths().into_iter().all(|length| length <= 0.25));
    assert!((sheet.area() - 1.0).abs() < 1e-12);
    assert!(worst_quality(&sheet) > 0.35);
}

#[test]
fn refining_and_coarsening_again_returns_near_the_coarse_count() {
    let mut sheet = Sheet::new(grid([1.0; 2], [6; 2], 0.0), flat);
    let limits = settings(0.01, 0.2);
    passes_to_rest(&mut sheet, &limits, Some(flat));
    let coarse = sheet.mesh.vertex_count();
    sheet.put_on(wavy);
    passes_to_rest(&mut sheet, &limits, Some(wavy));
    let fine = sheet.mesh.vertex_count();
    sheet.put_on(flat);
    passes_to_rest(&mut sheet, &limits, Some(flat));
    let again = sheet.mesh.vertex_count();
    assert!(fine > 4 * coarse, "{coarse} to {fine}");
    // Splits stop above half of the wanted size and collapses at 0.8 of it, so the way back ends somewhat finer.
    assert!(again >= coarse && again < 2 * coarse, "{coarse} to {fine} to {again}");
}

fn digest(report: &RemeshReport) -> u64 {
    use std::hash::{DefaultHasher, Hash, Hasher};
    let mut hasher = DefaultHasher::new();
    report.log.hash(&mut hasher);
    hasher.finish()
}

#[test]
fn the_same_input_gives_the_same_edits() {
    let run = || {
        let mut sheet = moving_sheet();
        let digests = [(); 4].map(|()| digest(&sheet.pass(&settings(0.01, 0.2))));
        (digests, sheet)
    };
    let ((first, sheet), (second, again)) = (run(), run());
    assert_eq!(first, second);
    for v in sheet.mesh.vertex_keys() {
        assert_eq!(sheet.attributes.vertices[v], again.attributes.vertices[v]);
    }
}

#[test]
fn a_restored_checkpoint_continues_with_the_same_edits() {
    let mut sheet = moving_sheet();
    let limits = settings(0.01, 0.2);
    sheet.pass(&limits);
    sheet.put_on(flat);
    sheet.pass(&limits);
    let written = postcard::to_stdvec(&(&sheet.mesh, &sheet.attributes)).expect("can be written");
    let (mesh, attributes) = postcard::from_bytes(&written).expect("can be read");
    let mut restored = Sheet { mesh, attributes };
    for copy in [&mut sheet, &mut restored] {
        copy.put_on(wavy);
    }
    let reports = [sheet.pass(&limits), restored.pass(&limits)];
    assert!(reports[0].edit_count() > 0);
    assert_eq!(reports[0], reports[1]);
}

#[test]
fn the_log_replays_to_the_same_mesh() {
    let mut sheet = moving_sheet();
    sheet.pass(&settings(0.01, 0.2));
    sheet.put_on(flat);
    let mut copy = sheet.mesh.clone();
    copy.sort_free_slots();
    let report = sheet.pass(&settings(0.01, 0.2));
    assert!(report.collapses > 0);
    for record in report.log {
        let again = match record {
            EditRecord::Split(made) => copy.split_edge(made.kept.edge).map(EditRecord::Split).ok(),
            EditRecord::Flip(made) => copy.flip_edge(made.halfedge.edge).map(EditRecord::Flip).ok(),
            EditRecord::Collapse(made) => {
                let [i, j] = [made.removed_vertex, made.kept_vertex];
                let he = copy.find_halfedge(i, j).expect("the edge exists");
                copy.collapse_edge(he).map(EditRecord::Collapse).ok()
            }
        };
        assert_eq!(again, Some(record));
    }
    let ends = |mesh: &HalfedgeMesh| {
        let mut ends: Vec<_> = mesh.edge_keys().map(|e| (e, mesh.edge_ends(e))).collect();
        ends.sort_unstable();
        ends
    };
    assert_eq!(ends(&copy), ends(&sheet.mesh));
}

#[test]
fn held_vertices_and_corners_stay_and_the_outline_keeps_its_shape() {
    let mut sheet = Sheet::new(grid([1.0; 2], [16; 2], 0.1), flat);
    sheet.for_each_vertex(|u, vertex| {
        vertex.hold = (u.x < 0.3 && u.y > 0.7).then(|| Hold::new(0, vertex.start))
    });
    let held: Vec<VertexKey> =
        sheet.mesh.vertex_keys().filter(|&v| sheet.attributes.vertices[v].hold.is_some()).collect();
    let pins = [Region::MaterialBox([DVec2::new(0.0, 0.7), DVec2::new(0.3, 1.0)])];
    let limits = settings(0.01, 0.4);
    for _ in 0..6 {
        sheet.pass_with(&limits, &pins, 1.0);
    }
    assert!(held.iter().all(|&v| sheet.mesh.contains_vertex(v)));
    let corners = [[0.0, 0.0], [1.0, 0.0], [1.0, 1.0], [0.0, 1.0]].map(DVec2::from);
    let mut found = [false; 4];
    let mut on_boundary = 0;
    for he in sheet.mesh.boundary_loops().concat() {
        let u = sheet.attributes.material_of(he);
        assert!(u.x == 0.0 || u.y == 0.0 || u.x == 1.0 || u.y == 1.0, "{u} left the outline");
        on_boundary += 1;
        for (found, corner) in found.iter_mut().zip(corners) {
            *found |= u == corner;
        }
    }
    assert_eq!(found, [true; 4]);
    assert!(on_boundary < 30, "the straight outline coarsens: {on_boundary} vertices");
}

#[test]
fn a_round_outline_loses_no_material() {
    let mut sheet = Sheet::new(disk(0.5, 12, 48), flat);
    let (area, boundary) = (sheet.area(), sheet.mesh.boundary_loops()[0].len());
    let vertices = sheet.mesh.vertex_count();
    passes_to_rest(&mut sheet, &settings(0.01, 0.4), None);
    assert!((sheet.area() - area).abs() < 1e-12);
    assert_eq!(sheet.mesh.boundary_loops()[0].len(), boundary);
    assert!(sheet.mesh.vertex_count() < vertices / 3, "{vertices} to {}", sheet.mesh.vertex_count());
}

#[test]
fn a_refined_round_outline_coarsens_to_its_first_vertices() {
    let mut sheet = Sheet::new(disk(0.5, 3, 24), cylinder(0.1));
    let limits = settings(0.01, 0.2);
    passes_to_rest(&mut sheet, &limits, Some(|u| cylinder(0.1)(u)));
    assert!(sheet.mesh.boundary_loops()[0].len() > 100);
    sheet.put_on(flat);
    passes_to_rest(&mut sheet, &limits, Some(flat));
    assert!(sheet.mesh.boundary_loops()[0].len() < 36);
}

/// Waves that are high on one side of the middle, or on both.
fn waves_on_left(u: DVec2) -> DVec3 {
    let off = (0.5 - u.x).max(0.0);
    DVec3::new(u.x, u.y, off * off * (20.0 * u.y).sin())
}

fn waves_on_both(u: DVec2) -> DVec3 {
    let off = 0.5 - u.x;
    DVec3::new(u.x, u.y, off * off * (20.0 * u.y).sin())
}

#[test]
fn the_vertex_limit_of_a_cloth_holds_and_leaves_room_for_folds_that_come_later() {
    let free = settings(0.02, 0.5);
    let limits = RemeshSettings { max_vertices: 800, ..free };
    let mut unlimited = Sheet::new(grid([1.0; 2], [8; 2], 0.0), waves_on_left);
    passes_to_rest(&mut unlimited, &free, Some(waves_on_left));
    assert!(unlimited.mesh.vertex_count() > 1200, "{}", unlimited.mesh.vertex_count());
    let mut sheet = Sheet::new(grid([1.0; 2], [8; 2], 0.0), waves_on_left);
    for (shape, least, most) in [(waves_on_left as fn(DVec2) -> DVec3, 0.0, 0.25), (waves_on_both, 0.4, 0.6)]
    {
        for _ in 0..30 {
            sheet.put_on(shape);
            sheet.pass(&limits);
        }
        assert_eq!(sheet.pass(&limits).at_vertex_limit, vec![0]);
        let count = sheet.mesh.vertex_count();
        assert!((450..=800).contains(&count), "{count}");
        let mut on_right = 0;
        sheet.for_each_vertex(|u, _| on_right += usize::from(u.x > 0.5));
        let part = on_right as f64 / count as f64;
        assert!((least..most).contains(&part), "{part}");
        sheet.check();
    }
}

#[test]
fn the_budget_spreads_work_over_passes() {
    let mut sheet = Sheet::new(grid([1.0; 2], [2; 2], 0.0), flat);
    let limits = settings(0.001, 0.02);
    let report = sheet.pass(&limits);
    assert!(report.unfinished);
    assert_eq!(report.splits + report.collapses, taffeta_remesh::BUDGET_MIN);
    let passes = passes_to_rest(&mut sheet, &limits, None);
    assert!(passes > 1 && !sheet.pass(&limits).unfinished);
}

#[test]
fn the_veto_is_asked_before_every_collapse_and_flip() {
    let mut sheet = moving_sheet();
    let limits = [Some(settings(0.01, 0.2))];
    let pass = Pass { settings: &limits, elapsed: 1.0, ..Pass::default() };
    let mut asked = 0;
    let mut veto = |proposal: &taffeta_remesh::Proposal| {
        asked += 1;
        assert_eq!(proposal.before.len() - proposal.after.len(), removed_faces(proposal));
        let areas = |faces: &[[VertexKey; 3]]| -> f64 {
            let at = |v| proposal.attributes.material_of(proposal.mesh.halfedge_from(v));
            faces.iter().map(|f| 0.5 * taffeta_core::geometry::doubled_area(f.map(at))).sum()
        };
        assert!((areas(proposal.before) - areas(proposal.after)).abs() < 1e-14);
        asked % 2 == 0
    };
    let report = remesh(&mut sheet.mesh, &mut sheet.attributes, &pass, &mut veto);
    sheet.check();
    assert_eq!(asked, report.collapses + report.flips + report.vetoed);
    assert!(report.vetoed > 0 && report.flips > 0);
    let mut strict = moving_sheet();
    let report = remesh(&mut strict.mesh, &mut strict.attributes, &pass, &mut |_| true);
    assert_eq!((report.collapses, report.flips), (0, 0));
    assert!(report.splits > 0);
}

fn removed_faces(proposal: &taffeta_remesh::Proposal) -> usize {
    match proposal.edit {
        ProposedEdit::Flip(_) => 0,
        ProposedEdit::Collapse(he) => proposal.mesh.edge_faces(he.edge).iter().flatten().count(),
    }
}

/// Two squares side by side, as cloths 0 and 1.
fn two_cloths() -> Sheet {
    let (coords, faces) = grid([1.0; 2], [6; 2], 0.0);
    let count = coords.len() as u32;
    let all_faces: Vec<[u32; 3]> =
        faces.iter().copied().chain(faces.iter().map(|f| f.map(|v| v + count))).collect();
    let positions: Vec<DVec3> =
        coords.iter().map(|&u| wavy(u)).chain(coords.iter().map(|&u| wavy(u) + 2.0 * DVec3::Z)).collect();
    let built = HalfedgeMesh::from_triangles(positions.len(), &all_faces).expect("a good mesh");
    let corners: Vec<[DVec2; 3]> =
        faces.iter().chain(&faces).map(|f| f.map(|v| coords[v as usize])).collect();
    let cloths: Vec<u32> = (0..all_faces.len()).map(|f| u32::from(f >= faces.len())).collect();
    let attributes = SheetAttributes::from_built(&built, &positions, &corners, &cloths);
    Sheet { mesh: built.mesh, attributes }
}

#[test]
fn cloths_without_settings_are_left_alone() {
    let vertices_of = |sheet: &Sheet, cloth: u32| {
        let mut keys: Vec<_> = sheet
            .mesh
            .vertex_keys()
            .filter(|&v| sheet.attributes.cloth_of_vertex(&sheet.mesh, v) == cloth)
            .collect();
        keys.sort_unstable_by_key(|&v| slot_of(v));
        keys
    };
    let limits = settings(0.01, 0.3);
    let mut sheet = two_cloths();
    let before = vertices_of(&sheet, 1);
    let pass = Pass { settings: &[Some(limits), None], elapsed: 1.0, ..Pass::default() };
    let report = remesh(&mut sheet.mesh, &mut sheet.attributes, &pass, &mut |_| false);
    sheet.mesh.validate().expect("valid");
    validate_attributes(&sheet.mesh, &sheet.attributes).expect("complete");
    assert!(report.edit_count() > 0);
    assert_eq!(vertices_of(&sheet, 1), before);
    let mut idle = two_cloths();
    let pass = Pass { settings: &[None, None], elapsed: 1.0, ..Pass::default() };
    let report = remesh(&mut idle.mesh, &mut idle.attributes, &pass, &mut |_| panic!("nothing to ask"));
    assert_eq!(report, RemeshReport::default());
}

#[test]
fn passes_keep_momentum() {
    let mut sheet = moving_sheet();
    let before = sheet.motion();
    for _ in 0..3 {
        sheet.pass(&settings(0.01, 0.2));
    }
    let before_flat = sheet.motion();
    sheet.put_on(flat);
    let moved = sheet.motion();
    let report = sheet.pass(&settings(0.01, 0.2));
    assert!(report.collapses > 10 && report.flips > 10);
    let after = sheet.motion();
    for (before, after) in [(before, before_flat), (moved, after)] {
        assert!(after.linear.distance(before.linear) <= 1e-12 * before.linear.length());
        assert!(after.spin.distance(before.spin) <= 1e-10 * before.spin.length());
    }
}

/// A ball below the sheet, whose tangent planes it knows.
#[derive(Debug)]
struct Ball;

impl Surroundings for Ball {
    fn nearest(&self, point: DVec3, reach: f64) -> Option<Plane> {
        let (center, radius) = (DVec3::new(0.5, 0.5, -0.4), 0.35);
        let normal = (point - center).normalize();
        let plane = Plane { normal, point: center + radius * normal };
        (plane.height(point).abs() <= reach).then_some(plane)
    }
}

#[test]
fn the_bits_of_a_pass_do_not_depend_on_the_number_of_threads() {
    // Enough faces for all threads.
    let mut start = Sheet::new(grid([1.0; 2], [72; 2], 0.2), wavy);
    start.for_each_vertex(|u, vertex| vertex.velocity = DVec3::new(u.y, -u.x, 0.4 * u.x * u.y));
    let limits = [
        RemeshSettings { refine_obstacle: Some(0.5), ..settings(0.005, 0.1) },
        RemeshSettings { refine_error: Some(2e-4), anisotropic: true, ..settings(0.005, 0.1) },
    ];
    let run = |threads: usize, limits: &RemeshSettings| {
        let mut sheet = start.clone();
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().expect("some threads");
        let settings = [Some(*limits)];
        let pass = Pass {
            settings: &settings,
            elapsed: 1.0 / 60.0,
            surroundings: Some(&Ball),
            displacements: &[1e-4],
            ..Pass::default()
        };
        let passes = || remesh(&mut sheet.mesh, &mut sheet.attributes, &pass, &mut |_| false);
        let report = pool.install(passes);
        let mut keys: Vec<VertexKey> = sheet.mesh.vertex_keys().collect();
        keys.sort_unstable();
        let state: Vec<_> = keys.iter().map(|&v| sheet.attributes.vertices[v]).collect();
        (report, state)
    };
    for limits in &limits {
        let one = run(1, limits);
        assert!(one.0.splits > 100 && one.0.collapses + one.0.flips > 100, "{:?}", one.0.edit_count());
        for threads in [2, 8] {
            assert!(run(threads, limits) == one, "{threads} threads");
        }
    }
}
