//! Attributes that do not fit are found.

use crate::common::Sheet;
use glam::{DVec2, DVec3};
use taffeta_mesh::Side;
use taffeta_remesh::{BadAttributes, is_single_valued, lumped_mass, validate_attributes};

fn offense(damage: impl FnOnce(&mut Sheet)) -> BadAttributes {
    let mut sheet = Sheet::square(3);
    damage(&mut sheet);
    validate_attributes(&sheet.mesh, &sheet.attributes).expect_err("damaged")
}

#[test]
fn every_offense_is_named() {
    let sheet = Sheet::square(3);
    sheet.check();
    let v = sheet.mesh.vertex_keys().min().expect("a vertex");
    let f = sheet.mesh.face_keys().min().expect("a face");
    let e = sheet.mesh.edge_keys().min().expect("an edge");
    let boundary = sheet.mesh.boundary_loops()[0][0];
    let inner =
        sheet.mesh.edge_keys().filter(|&e| !sheet.mesh.is_boundary_edge(e)).min().expect("an inner edge");
    let neighbors = sheet.mesh.edge_faces(inner).map(|f| f.expect("two faces"));

    assert_eq!(offense(|s| _ = s.attributes.vertices.remove(v)), BadAttributes::MissingVertex(v));
    assert_eq!(offense(|s| _ = s.attributes.edges.remove(e)), BadAttributes::MissingEdge(e));
    assert_eq!(offense(|s| _ = s.attributes.faces.remove(f)), BadAttributes::MissingFace(f));
    let infinite = offense(|s| s.attributes.vertices[v].velocity = DVec3::new(f64::NAN, 0.0, 0.0));
    assert_eq!(infinite, BadAttributes::NotFinite(v));
    let torn = offense(|s| s.attributes.edges[boundary.edge].corners[boundary.side.index()].x += 1e-9);
    assert_eq!(torn, BadAttributes::BoundaryCorner(boundary.edge));
    let mixed = offense(|s| s.attributes.faces[neighbors[0]].cloth = 1);
    assert!(matches!(mixed, BadAttributes::MixedCloths(_)));
    let turned = offense(|s| {
        let [a, b, _] = s.mesh.face_halfedges(f);
        s.attributes.edges[a.edge].corners[a.side.index()] = s.attributes.material_of(b);
    });
    assert_eq!(turned, BadAttributes::Area { face: f, area: 0.0 });
    let left_over = offense(|s| {
        let mut larger = s.mesh.clone();
        let record = larger.split_edge(boundary.edge).expect("can be split");
        let copy = s.attributes.vertices[v];
        s.attributes.vertices.insert(record.vertex, copy);
    });
    assert_eq!(left_over, BadAttributes::Leftover { vertices: 1, edges: 0, faces: 0 });
}

#[test]
fn a_seam_is_seen() {
    let mut sheet = Sheet::square(3);
    assert!(is_single_valued(&sheet.mesh, &sheet.attributes, 0));
    let inner =
        sheet.mesh.edge_keys().filter(|&e| !sheet.mesh.is_boundary_edge(e)).min().expect("an inner edge");
    sheet.attributes.edges[inner].corners[Side::First.index()] += DVec2::new(1e-12, 0.0);
    assert!(!is_single_valued(&sheet.mesh, &sheet.attributes, 0));
    assert!(is_single_valued(&sheet.mesh, &sheet.attributes, 1), "a cloth without faces has no seam");
}

#[test]
fn lumped_masses_add_up_to_the_mass_of_the_sheet() {
    let sheet = Sheet::square(5);
    let masses = sheet.mesh.vertex_keys().map(|v| lumped_mass(&sheet.mesh, &sheet.attributes, v, 0.3));
    assert!((masses.sum::<f64>() - 0.3).abs() < 1e-15);
}
