//! Tetrahedra from Gmsh files.

use glam::DVec3;
use std::path::Path;
use taffeta_io::{MshMesh, ObjError, parse_msh};

fn read(text: &str) -> Result<MshMesh, ObjError> {
    parse_msh(text.as_bytes(), Path::new("beam.msh"))
}

const TWO: &str = "$MeshFormat\n2.2 0 8\n$EndMeshFormat\n$PhysicalNames\n1\n3 1 \"beam $x\"\n$EndPhysicalNames\n\
    $Nodes\n6\n10 0 0 0\n20 1 0 0\n7 5 5 5\n30 0 1 0\n40 0 0 1\n50 1 1 1\n$EndNodes\n\
    $Elements\n4\n1 15 2 0 1 10\n2 2 2 0 1 10 20 30\n3 4 2 0 1 10 20 30 40\n4 4 3 0 1 9 50 20 30 40\n$EndElements\n";
const FOUR: &str = "$MeshFormat\n4.1 0 8\n$EndMeshFormat\n$Entities\n0 0 0 1\n1 0 0 0 1 1 1 0 0\n$EndEntities\n\
    $Nodes\n2 6 7 50\n0 1 0 2\n10\n20\n0 0 0\n1 0 0\n3 1 0 4\n7\n30\n40\n50\n5 5 5\n0 1 0\n0 0 1\n1 1 1\n$EndNodes\n\
    $Elements\n2 3 2 4\n2 1 2 1\n2 10 20 30\n3 1 4 2\n3 10 20 30 40\n4 50 20 30 40\n$EndElements\n";

fn refused(text: &str) -> String {
    read(text).unwrap_err().to_string()
}

#[test]
fn both_versions_give_the_same_tetrahedra_with_positive_volumes() {
    let mesh = read(TWO).unwrap();
    assert_eq!(mesh.tetrahedra, [[0, 1, 2, 3], [4, 1, 3, 2]]);
    assert_eq!((mesh.tags.as_slice(), mesh.dropped_vertices, mesh.turned), (&[3, 4][..], 1, 1));
    assert_eq!(mesh.source_vertices, [0, 1, 3, 4, 5]);
    assert_eq!(mesh.positions[4], DVec3::ONE);
    assert_eq!(mesh.lines, [21, 22]);
    let four = MshMesh { lines: vec![30, 31], ..mesh.clone() };
    assert_eq!(read(FOUR).unwrap(), four);
    assert_eq!(read(&FOUR.replace('\n', "\r\n")).unwrap(), four);
    assert_eq!(
        read(&TWO.replace("4 4 3 0 1 9", "4 4 3 0 1 -9")).unwrap(),
        mesh,
        "partitions may be negative"
    );
}

#[test]
fn what_is_wrong_with_an_element_names_file_line_and_element() {
    let flat = TWO.replace("40 0 0 1", "40 2 3 0");
    assert!(refused(&flat).starts_with("beam.msh:21: the tetrahedron 3 is flat"), "{}", refused(&flat));
    let unknown = FOUR.replace("4 50 20", "4 99 20");
    let report = refused(&unknown);
    assert!(
        report.contains("the tetrahedron 4 has the node 99") && report.contains("4 99 20 30 40"),
        "{report}"
    );
    assert!(refused(&TWO.replace("50 20 30 40", "20 20 30 40")).contains("tetrahedron 4 is flat"));
    assert!(refused(&TWO.replace("50 20 30 40", "50 20 30")).contains("tetrahedron 4 has 3 nodes"));
    let brick = FOUR.replace("3 1 4 2", "3 1 5 2");
    assert!(refused(&brick).contains("element 3 is a hexahedron"), "{}", refused(&brick));
    assert!(refused(&TWO.replace("3 4 2 0", "3 11 2 0")).contains("tetrahedron of second order"));
    assert!(refused(&TWO.replace("3 4 2 0", "3 90 2 0")).contains("element 3 is of type 90"));
    assert!(refused(&TWO.replace("7 5 5 5", "7 5 nan 5")).contains("beam.msh:12: three finite coordinates"));
    assert!(refused(&TWO.replace("7 5 5 5", "10 5 5 5")).contains("two nodes have the number 10"));
    assert!(
        refused(&TWO.replace("3 4 2 0", "3 4 18446744073709551615 0")).contains("0 nodes instead of four")
    );
}

#[test]
fn files_that_are_cut_off_anywhere_or_no_gmsh_files_are_refused() {
    for text in [TWO, FOUR] {
        for length in 0..text.trim_end().len() {
            let error = read(&text[..length]);
            assert!(error.is_err(), "{}", &text[..length]);
        }
    }
    assert!(refused("v 0 0 0\n").contains("no Gmsh file"));
    assert!(refused(&TWO.replace("2.2 0 8", "2.2 1 8")).contains("binary"));
    assert!(refused(&TWO.replace("2.2 0 8", "4 0 8")).contains("version 4; supported: 2.2 and 4.1"));
    assert!(refused(&TWO.replace("Nodes\n6", "Nodes\n5")).contains("$EndNodes expected"));
    assert!(
        refused(&TWO.replace("Nodes\n6", "Nodes\n18446744073709551615")).contains("part of it is missing")
    );
    let surface = TWO.replace("3 4 2", "3 2 2").replace("4 4 3", "4 2 3");
    assert!(refused(&surface).contains("no tetrahedra"), "{}", refused(&surface));
}
