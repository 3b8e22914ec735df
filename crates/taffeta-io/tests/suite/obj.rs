//! OBJ files are read and written faithfully, and bad ones are refused with the line.

use glam::{DVec2, DVec3};
use std::path::Path;
use taffeta_io::{ObjMesh, parse_obj, read_obj, write_obj};

fn parse(text: &str) -> ObjMesh {
    parse_obj(text, Path::new("m.obj")).unwrap_or_else(|error| panic!("{error}"))
}

fn refuse(text: &str, parts: &[&str]) {
    let report = parse_obj(text, Path::new("m.obj")).expect_err(text).to_string();
    for part in parts {
        assert!(report.contains(part), "{part:?} missing in: {report}");
    }
}

#[test]
fn groups_statements_of_other_programs_and_line_ends_are_no_trouble() {
    let text = "# made by\r\n\r\nmtllib x.mtl\r\no body\r\ng left\r\nv 1.892435e-002 -8.3e-2 4.1e+0 1.0\r\nv 1 0 0 0.5 0.5 0.5\r\n\
                v 0 1 0\r\nvn 0 0 1\r\nvt 1.939161e+000 1.0 0\r\nvt 1 0\r\nvt 0 1\r\ns off\r\nf 1/1/1 2/2/1 3/3/1 # face\r\n\
                g right\r\nv 1 1 0\r\nusemtl red\r\nf -1/1 3/3/1 2/2\r\nseam 58\r\nstitch 56 37 704 0.0\r\n";
    let file = parse(text);
    assert_eq!(file.mesh.faces, [[0, 1, 2], [3, 2, 1]]);
    assert_eq!(file.mesh.positions[0], DVec3::new(0.01892435, -0.083, 4.1));
    assert_eq!(file.mesh.material.as_ref().unwrap()[0][0], DVec2::new(1.939161, 1.0));
    assert_eq!(file.face_lines, [14, 18]);
}

#[test]
fn negative_numbers_count_back_from_the_line() {
    let file = parse("v 0 0 0\nv 1 0 0\nv 0 1 0\nf -3 -2 -1\nv 1 1 0\nf -3 -1 -2\n");
    assert_eq!(file.mesh.faces, [[0, 1, 2], [1, 3, 2]]);
    assert!(file.mesh.material.is_none());
}

#[test]
fn all_groups_objects_and_materials_form_one_mesh_with_the_numbers_of_the_file() {
    let text = "mtllib no/such.mtl\no a\nusemtl red\nf 5 3 2\ng b\nusemtl blue\nv 0 0 0\nv 1 0 0\nv 0 1 0\nv 9 9 9\n\
                v 1 1 0\no c\nusemtl\nf 3/ 1// 2//4\nvn bad\n";
    let file = parse(text);
    assert_eq!(file.mesh.faces, [[3, 2, 1], [2, 0, 1]]);
    assert_eq!((file.source_vertices, file.face_lines), (vec![0, 1, 2, 4], vec![4, 14]));
}

#[test]
fn weights_colors_and_lines_are_skipped() {
    let text = "v 0 0 0 0\nv 2 0 0 0.5\nv 0 2 0 1 1 1\nv 2 2 0 1 0\nvt 0 0\nl 1 2 3 4\nl 1/1 2/1\nf 1 2 3\nf 2 4 3# one\n";
    let file = parse(text);
    assert_eq!(file.mesh.faces, [[0, 1, 2], [1, 3, 2]]);
    assert_eq!(file.mesh.positions[1], DVec3::new(2.0, 0.0, 0.0));
    assert!(file.mesh.material.is_none());
}

#[test]
fn polygons_are_triangulated_with_their_coordinates() {
    let text = "v 0 0 0\nv 2 0 0\nv 2 2 0\nv 1 0.5 0\nv 0 2 0\n\
                vt 0 0\nvt 2 0\nvt 2 2\nvt 1 0.5\nvt 0 2\nf 1/1 2/2 3/3 4/4 5/5\n";
    let mesh = parse(text).mesh;
    assert_eq!(mesh.faces.len(), 3);
    for (face, corners) in mesh.faces.iter().zip(mesh.material.as_ref().unwrap()) {
        let [a, b, c] = *corners;
        assert!((b - a).perp_dot(c - a) > 0.0);
        for (vertex, u) in face.iter().zip(corners) {
            assert_eq!(mesh.positions[*vertex as usize], u.extend(0.0));
        }
    }
}

#[test]
fn unused_vertices_are_dropped_and_counted() {
    let file = parse("v 9 9 9\nv 0 0 0\nv 1 0 0\nv 0 1 0\nv 7 7 7\nf 2 3 4\n");
    assert_eq!(
        (file.mesh.faces, file.source_vertices, file.dropped_vertices),
        (vec![[0, 1, 2]], vec![1, 2, 3], 2)
    );
}

#[test]
fn bad_files_are_refused_with_their_line() {
    let v = "v 0 0 0\nv 1 0 0\nv 0 1 0\n";
    refuse("", &["m.obj: the file is empty"]);
    refuse(v, &["m.obj: the file has no faces"]);
    refuse("v 0 0\n", &["m.obj:1: a vertex needs three numbers", "v 0 0"]);
    refuse("v 0 0 1,5\n", &["m.obj:1: \"1,5\" is not a number"]);
    refuse("v 0 nan 0\n", &["m.obj:1: \"nan\" is not a finite number"]);
    refuse("v 0 0 0\nv 1e999 0 0\n", &["m.obj:2: \"1e999\" is not a finite number"]);
    refuse("vt 0\n", &["m.obj:1: a material coordinate needs two numbers"]);
    refuse(&format!("{v}f 1 2\n"), &["m.obj:4: a face needs at least three corners, not 2"]);
    refuse(
        &format!("{v}f 1 2 4\n"),
        &["m.obj:4: vertex 4 is out of range: the file has 3 vertices", "f 1 2 4"],
    );
    refuse(&format!("{v}f 1 2 -4\n"), &["m.obj:4: vertex -4 is out of range"]);
    refuse(&format!("{v}f 0 1 2\n"), &["m.obj:4: vertex numbers start at 1"]);
    refuse(&format!("{v}f 1 2 x\n"), &["m.obj:4: \"x\" is not a vertex number"]);
    refuse(&format!("{v}vt 0 0\nf 1/1 2/1 3/2\n"), &["m.obj:5: material coordinate 2 is out of range"]);
    refuse(&format!("{v}vt 0 0\nf 1/1 2/1 3\n"), &["m.obj:5: some corners of the face"]);
    refuse(
        &format!("{v}vt 0 0\nf 1/1 2/1 3/1\nf 1 2 3\n"),
        &["m.obj:6: this face has no material", "to none"],
    );
    refuse(&format!("{v}vt 0 0\nf 1 2 3\nf 1/1 2/1 3/1\n"), &["m.obj:6: this face has some material"]);
    refuse(&format!("g a\n{v}vt 0 0\nvt 0 inf\n"), &["m.obj:6: \"inf\" is not a finite number", "vt 0 inf"]);
    refuse(&format!("{v}vt 0 0\nf 1/1 2/1 3/0\n"), &["m.obj:5: material coordinate numbers start at 1"]);
    for number in ["-2", "-3", "-9223372036854775808"] {
        let range = format!("m.obj:5: material coordinate {number} is out of range: there are 1 so far");
        refuse(&format!("{v}vt 0 0\nf 1/1 2/1 3/{number}\n"), &[&range]);
    }
    refuse(
        &format!("{v}f 1/1 2/1 3/1\n"),
        &["m.obj:4: material coordinate 1 is out of range: the file has 0"],
    );
    refuse(&format!("{v}f 1//1 2//1 3//x\n"), &["m.obj:4: the statement cannot be read", "3//x"]);
    let report = read_obj(Path::new("no/such.obj")).unwrap_err().to_string();
    assert!(report.starts_with("cannot read the mesh no/such.obj"), "{report}");
}

#[test]
fn statements_may_go_on_in_the_next_line_and_errors_still_name_theirs() {
    let file = parse("v 0 0 \\\n 0\nv 1 0 0\nv 0 1 0\nf 1 \\\n 2 \\\n 3\n");
    assert_eq!((file.mesh.faces, file.face_lines), (vec![[0, 1, 2]], vec![5]));
    refuse(
        "v 0 0 \\\n 0\nv 1 0 0\nv 0 1 0\nf 1 \\\n 2\nf 1 2 3\n",
        &["m.obj:5: a face needs at least three corners"],
    );
}

fn write(file: &ObjMesh) -> String {
    let mut out = Vec::new();
    write_obj(&mut out, &file.mesh.positions, &file.mesh.faces, file.mesh.material.as_deref()).unwrap();
    String::from_utf8(out).unwrap()
}

#[test]
fn written_files_read_back_to_the_same_bits() {
    let mut mesh = taffeta_io::grid(DVec2::new(0.1, 1.0 / 3.0), [7, 5], taffeta_io::GridPattern::Delaunay, 5);
    mesh.positions[3] = DVec3::new(1e-300, -0.1 - 0.2, 1.0 / 3.0e7);
    let file = ObjMesh { mesh, ..ObjMesh::default() };
    let text = write(&file);
    assert_eq!(parse(&text).mesh, file.mesh);
    // One coordinate per vertex: as many vt lines as v lines, in the same order.
    assert_eq!(text.lines().filter(|line| line.starts_with("vt ")).count(), file.mesh.positions.len());
    assert!(text.lines().filter(|line| line.starts_with("f ")).all(|line| {
        line.split(' ').skip(1).all(|corner| corner.split_once('/').is_some_and(|(v, vt)| v == vt))
    }));
}

#[test]
fn every_finite_number_reads_back_to_the_same_bits() {
    let hard = [-0.0, 5e-324, f64::MIN_POSITIVE, f64::MAX, 9007199254740993.0, 0.1 + 0.2, 1.0 / 3.0e307];
    let mut state = 1u64;
    let random = std::iter::repeat_with(|| {
        state = state.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
        f64::from_bits(state ^ (state >> 29))
    });
    let numbers: Vec<f64> = hard.into_iter().chain(random.filter(|x| x.is_finite()).take(29_993)).collect();
    let positions: Vec<DVec3> = numbers.chunks_exact(3).map(DVec3::from_slice).collect();
    let faces: Vec<[u32; 3]> = (0..positions.len() as u32 - 2).rev().map(|v| [v, v + 1, v + 2]).collect();
    let coord = |v: u32| positions[v as usize].truncate();
    let material: Vec<[DVec2; 3]> = faces.iter().map(|face| face.map(coord)).collect();
    let mut out = Vec::new();
    write_obj(&mut out, &positions, &faces, Some(&material)).unwrap();
    let mesh = parse(std::str::from_utf8(&out).unwrap()).mesh;
    let bits = |numbers: &[f64]| numbers.iter().map(|x| x.to_bits()).collect::<Vec<_>>();
    assert_eq!(mesh.faces, faces);
    for (read, written) in mesh.positions.iter().zip(&positions) {
        assert_eq!(bits(&read.to_array()), bits(&written.to_array()));
    }
    for (read, written) in mesh.material.unwrap().iter().flatten().zip(material.iter().flatten()) {
        assert_eq!(bits(&read.to_array()), bits(&written.to_array()));
    }
}

#[test]
fn seams_are_written_with_a_coordinate_per_side() {
    let text = "v 0 0 0\nv 1 0 0\nv 1 1 0\nv 0 1 0\nvt 0 0\nvt 1 0\nvt 1 1\nvt 0 1\nvt 5 5\nvt 6 6\n\
                f 1/1 2/2 3/3\nf 1/5 3/6 4/4\n";
    let file = parse(text);
    let again = write(&file);
    assert_eq!(parse(&again).mesh, file.mesh);
    assert_eq!(again.lines().filter(|line| line.starts_with("vt ")).count(), 6);
    let plain = parse("v 0 0 0\nv 1 0 0\nv 1 1 0\nf 1 2 3\n");
    assert_eq!(write(&plain), "v 0.0 0.0 0.0\nv 1.0 0.0 0.0\nv 1.0 1.0 0.0\nf 1 2 3\n");
}
