//! Cloths that are sewn together from panels: each keeps its chart, seams and areas stay, sizes agree across seams.

use crate::common::{Sheet, cylinder, flat, grid, settings};
use glam::{DVec2, DVec3};
use taffeta_core::random::SplitMix64;
use taffeta_mesh::{EdgeKey, Halfedge, HalfedgeMesh, Side, VertexKey};
use taffeta_remesh::{
    EditKind, EditRecord, ProposedEdit, RandomEdits, RemeshSettings, SheetAttributes, is_seam, random_edits,
    validate_attributes,
};

/// Placement of a chart against the sheet: turned by an angle, then moved.
#[derive(Clone, Copy)]
struct Chart {
    angle: f64,
    shift: DVec2,
}

impl Chart {
    const SAME: Self = Self { angle: 0.0, shift: DVec2::ZERO };

    fn apply(&self, u: DVec2) -> DVec2 {
        DVec2::from_angle(self.angle).rotate(u) + self.shift
    }
}

/// A sheet of `size` meters in panels side by side along u, each in a chart of its own.
fn panelled(size: [f64; 2], cells: [u32; 2], charts: &[Chart], shape: impl Fn(DVec2) -> DVec3) -> Sheet {
    let (coords, faces) = grid(size, cells, 0.0);
    let built = HalfedgeMesh::from_triangles(coords.len(), &faces).expect("a good mesh");
    let panel_of = |f: &[u32; 3]| {
        let middle = f.iter().map(|&v| coords[v as usize].x).sum::<f64>() / 3.0;
        ((middle / size[0] * charts.len() as f64) as usize).min(charts.len() - 1)
    };
    let corners: Vec<[DVec2; 3]> =
        faces.iter().map(|f| f.map(|v| charts[panel_of(f)].apply(coords[v as usize]))).collect();
    let positions: Vec<DVec3> = coords.iter().map(|&u| shape(u)).collect();
    let attributes = SheetAttributes::from_built(&built, &positions, &corners, &vec![0; faces.len()]);
    Sheet { mesh: built.mesh, attributes }
}

const CHARTS: [Chart; 3] = [
    Chart::SAME,
    Chart { angle: 1.0, shift: DVec2::new(0.1, -0.3) },
    Chart { angle: -2.2, shift: DVec2::new(0.2, 0.4) },
];

fn check(sheet: &Sheet) {
    sheet.mesh.validate().expect("the mesh is valid");
    validate_attributes(&sheet.mesh, &sheet.attributes).expect("the attributes fit");
}

/// Material area of each panel [m²].
fn areas(sheet: &Sheet) -> Vec<f64> {
    let mut areas = Vec::new();
    for f in sheet.mesh.face_keys() {
        let panel = sheet.attributes.faces[f].panel as usize;
        areas.resize(areas.len().max(panel + 1), 0.0);
        areas[panel] += sheet.attributes.material_area(&sheet.mesh, f);
    }
    areas
}

fn seams(sheet: &Sheet) -> Vec<EdgeKey> {
    sheet.mesh.edge_keys().filter(|&e| is_seam(&sheet.mesh, &sheet.attributes, e)).collect()
}

/// Panels change at seams and nowhere else, and all corners at a vertex within a panel agree.
fn check_panels(sheet: &Sheet) {
    let Sheet { mesh, attributes } = sheet;
    for e in mesh.edge_keys() {
        let [Some(f), Some(g)] = mesh.edge_faces(e) else { continue };
        let differ = attributes.faces[f].panel != attributes.faces[g].panel;
        assert_eq!(differ, is_seam(mesh, attributes, e), "{e:?}");
    }
}

/// The length of the seams, as each side sees it [m].
fn seam_lengths(sheet: &Sheet) -> [f64; 2] {
    let Sheet { mesh, attributes } = sheet;
    Side::BOTH.map(|side| {
        let length = |e| {
            let he = Halfedge::new(e, side);
            attributes.material_of(he).distance(attributes.material_of(mesh.next(he)))
        };
        seams(sheet).into_iter().map(length).sum()
    })
}

/// Makes random edits one by one; after each everything must hold.
fn edit_at_random(mut sheet: Sheet, count: usize) {
    let (before, lengths, mass) = (areas(&sheet), seam_lengths(&sheet), sheet.motion());
    let kinds = [EditKind::Split, EditKind::Collapse, EditKind::Flip];
    let mut made = [0usize; 3];
    let mut on_seams = [0usize; 2];
    let mut random = SplitMix64(9);
    let start = sheet.mesh.vertex_count();
    for step in 0..count {
        // The mesh breathes, so that long series end where they began.
        let kind = match sheet.mesh.vertex_count() {
            many if many > 2 * start => 1 + random.below(2),
            few if few < start / 2 => 2 * random.below(2),
            _ => random.below(3),
        };
        let seam_count = seams(&sheet).len();
        let edits = RandomEdits {
            outline: true,
            seed: random.below(1 << 30) as u64,
            attempts: 1,
            kinds: vec![kinds[kind]],
        };
        let log = random_edits(&mut sheet.mesh, &mut sheet.attributes, &[], &edits);
        made[kind] += log.len();
        if log.is_empty() {
            continue;
        }
        match log[0] {
            EditRecord::Split(_) => on_seams[0] += usize::from(seams(&sheet).len() > seam_count),
            EditRecord::Collapse(_) => on_seams[1] += usize::from(seams(&sheet).len() < seam_count),
            EditRecord::Flip(_) => assert_eq!(seams(&sheet).len(), seam_count),
        }
        check(&sheet);
        if step % 64 == 0 && before.len() > 1 {
            check_panels(&sheet);
        }
        for (now, before) in areas(&sheet).into_iter().zip(&before) {
            assert!((now - before).abs() <= 1e-12 * before, "edit {step}: {now} from {before}");
        }
    }
    for (now, before) in seam_lengths(&sheet).into_iter().zip(lengths) {
        assert!((now - before).abs() <= 1e-12 * before.max(1.0), "{now} from {before}");
    }
    assert!(sheet.motion().linear.distance(mass.linear) <= 1e-12);
    assert!(made.iter().all(|&made| made > count / 20), "{made:?}");
    assert!(lengths[0] == 0.0 || on_seams.iter().all(|&made| made > count / 1000), "{on_seams:?}");
}

/// The length of a series of random edits.
fn edit_everything(count: usize) {
    let sample = |charts: &[Chart]| panelled([0.6, 0.2], [6, 2], charts, |u| cylinder(0.3)(u));
    edit_at_random(sample(&CHARTS), count / 2);
    edit_at_random(sample(&[Chart::SAME; 2]), count / 4);
    // A seam within one panel, which ends inside.
    edit_at_random(dart(), count / 4);
}

/// A sheet with a cut that is sewn up again: the sides of one panel meet along a seam that ends inside.
fn dart() -> Sheet {
    let (mut coords, mut faces) = grid([0.6, 0.2], [6, 2], 0.0);
    coords.iter_mut().for_each(|u| *u += DVec2::new(0.0, 0.5));
    let built = HalfedgeMesh::from_triangles(coords.len(), &faces).expect("a good mesh");
    // The corner above the cut, which runs along v = 0.6 from the left to u = 0.3, is lifted on one side.
    let lifted = |f: &[u32; 3], v: u32| {
        let u = coords[v as usize];
        let above = f.iter().map(|&w| coords[w as usize].y).sum::<f64>() / 3.0 > 0.6;
        let lift = if above && (u.y - 0.6).abs() < 1e-9 && u.x < 0.29 { 0.02 * (0.3 - u.x) } else { 0.0 };
        u + DVec2::new(0.0, lift)
    };
    let corners: Vec<[DVec2; 3]> = faces.iter_mut().map(|f| f.map(|v| lifted(f, v))).collect();
    let positions: Vec<DVec3> = coords.iter().map(|&u| flat(u)).collect();
    let attributes = SheetAttributes::from_built(&built, &positions, &corners, &vec![0; faces.len()]);
    Sheet { mesh: built.mesh, attributes }
}

#[test]
fn random_edits_keep_panels_seams_and_areas() {
    edit_everything(20_000);
}

#[test]
#[ignore = "second tier: a million edits"]
fn a_million_random_edits_keep_panels_seams_and_areas() {
    edit_everything(1_000_000);
}

#[test]
fn panels_are_numbered_by_their_first_faces() {
    let sheet = panelled([0.6, 0.2], [6, 2], &CHARTS, flat);
    assert_eq!(areas(&sheet).len(), 3);
    assert!(areas(&sheet).iter().all(|area| (area - 0.04).abs() < 1e-15));
    check_panels(&sheet);
}

/// Pairs of lengths of all edges, sorted: what a mesh looks like whatever its charts.
fn lengths(sheet: &Sheet) -> Vec<f64> {
    let Sheet { mesh, attributes } = sheet;
    let length = |e: EdgeKey| {
        let he =
            Side::BOTH.map(|s| Halfedge::new(e, s)).into_iter().find(|he| !mesh.is_boundary_halfedge(*he));
        let he = he.expect("an edge has a face");
        attributes.material_of(he).distance(attributes.material_of(mesh.next(he)))
    };
    let mut lengths: Vec<f64> = mesh.edge_keys().map(length).collect();
    lengths.sort_by(f64::total_cmp);
    lengths
}

#[test]
fn a_detail_refines_across_seams_as_it_does_without_them() {
    let wave = |u: DVec2| DVec3::new(u.x, u.y, 0.02 * (-((u.x - 0.33) / 0.05).powi(2)).exp());
    let limits = settings(0.01, 0.1);
    let run = |charts: &[Chart]| {
        let mut sheet = panelled([0.6, 0.2], [12, 4], charts, wave);
        for _ in 0..6 {
            pass(&mut sheet, &limits);
        }
        sheet
    };
    let whole = run(&[Chart::SAME]);
    let sewn = run(&[CHARTS[0], CHARTS[1]]);
    assert!(seams(&sewn).len() > 8, "{} edges on the seam", seams(&sewn).len());
    let [whole, sewn] = [whole, sewn].map(|sheet| lengths(&sheet));
    // The seam is a line that stays; beside it the meshes have the same density.
    let ratio = sewn.len() as f64 / whole.len() as f64;
    assert!((0.85..1.25).contains(&ratio), "{} and {} edges", sewn.len(), whole.len());
    assert!(sewn[sewn.len() - 1] <= 0.1 * (1.0 + 1e-9));
}

fn pass(sheet: &mut Sheet, limits: &RemeshSettings) -> taffeta_remesh::RemeshReport {
    let chosen = [Some(*limits)];
    let pass = taffeta_remesh::Pass { settings: &chosen, elapsed: 1.0, ..Default::default() };
    let before = areas(sheet);
    let report = taffeta_remesh::remesh(&mut sheet.mesh, &mut sheet.attributes, &pass, &mut |proposal| {
        if let ProposedEdit::Flip(e) = proposal.edit {
            assert!(!is_seam(proposal.mesh, proposal.attributes, e), "a seam is never flipped");
        }
        false
    });
    check(sheet);
    check_panels(sheet);
    for (now, before) in areas(sheet).into_iter().zip(before) {
        assert!((now - before).abs() <= 1e-12 * before, "{now} from {before}");
    }
    report
}

#[test]
fn a_flat_sheet_of_panels_coarsens_along_its_seams_and_comes_to_rest() {
    let mut sheet = panelled([0.6, 0.2], [24, 8], &CHARTS, flat);
    assert_eq!(seams(&sheet).len(), 16);
    for _ in 0..10 {
        pass(&mut sheet, &settings(0.01, 0.4));
    }
    // Two seams of 0.2 m, in edges of at most 0.32 m.
    assert_eq!(seams(&sheet).len(), 2);
    assert_eq!(pass(&mut sheet, &settings(0.01, 0.4)).edit_count(), 0);
    assert!(sheet.mesh.vertex_count() < 16, "{}", sheet.mesh.vertex_count());
}

#[test]
fn the_ends_of_seams_and_places_where_three_panels_meet_stay() {
    // Left one panel, right two on top of each other.
    let (coords, faces) = grid([0.4, 0.4], [8, 8], 0.0);
    let built = HalfedgeMesh::from_triangles(coords.len(), &faces).expect("a good mesh");
    let corners: Vec<[DVec2; 3]> = faces
        .iter()
        .map(|f| {
            let middle = f.iter().map(|&v| coords[v as usize]).sum::<DVec2>() / 3.0;
            let chart = if middle.x < 0.2 { 0 } else { 1 + usize::from(middle.y > 0.2) };
            f.map(|v| CHARTS[chart].apply(coords[v as usize]))
        })
        .collect();
    let positions: Vec<DVec3> = coords.iter().map(|&u| flat(u)).collect();
    let attributes = SheetAttributes::from_built(&built, &positions, &corners, &vec![0; faces.len()]);
    let at = |u: [f64; 2]| {
        let found = coords.iter().position(|v| v.distance(DVec2::from(u)) < 1e-12);
        built.vertices[found.expect("a vertex there")]
    };
    let corners: Vec<VertexKey> =
        [[0.2, 0.2], [0.2, 0.0], [0.2, 0.4], [0.4, 0.2]].into_iter().map(at).collect();
    let mut sheet = Sheet { mesh: built.mesh, attributes };
    for _ in 0..8 {
        pass(&mut sheet, &settings(0.01, 2.0));
    }
    assert!(corners.iter().all(|v| sheet.mesh.contains_vertex(*v)));
    assert_eq!(seams(&sheet).len(), 3);
    let mut darted = dart();
    let inner = seams(&darted).len();
    for _ in 0..8 {
        pass_without_panels(&mut darted);
    }
    assert_eq!([inner, seams(&darted).len()], [3, 1]);
}

fn pass_without_panels(sheet: &mut Sheet) {
    // The sides of the dart are stretched to meet: strain and compression are not to ask for edges.
    let limits = settings(0.01, 2.0);
    let chosen = [Some(RemeshSettings { refine_strain: 1e3, refine_compression: None, ..limits })];
    let pass = taffeta_remesh::Pass { settings: &chosen, elapsed: 1.0, ..Default::default() };
    let area = sheet.area();
    taffeta_remesh::remesh(&mut sheet.mesh, &mut sheet.attributes, &pass, &mut |_| false);
    check(sheet);
    assert!((sheet.area() - area).abs() < 1e-13);
}
