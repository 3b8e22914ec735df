//! `taffeta remesh`.

use crate::common::Desk;
use glam::DVec3;
use std::path::Path;
use taffeta_io::{ObjMesh, parse_obj};
use taffeta_mesh::HalfedgeMesh;

/// A square of 1 m that is raised to a roof, four quads, with a vertex (the first one) that no face uses.
const ROOF: &str = "v 9 9 9
v 0 0 0\nv 0.4 0 0.3\nv 0.8 0 0\nv 0 1 0\nv 0.4 1 0.3\nv 0.8 1 0
vt 0 0\nvt 0.5 0\nvt 1 0\nvt 0 1\nvt 0.5 1\nvt 1 1
f 2/1 3/2 6/5 5/4\nf 3/2 4/3 7/6 6/5\n";

fn desk() -> Desk {
    let desk = Desk::new();
    desk.write("roof.obj", ROOF);
    desk
}

fn mesh(desk: &Desk, name: &str) -> ObjMesh {
    parse_obj(&desk.read(name), Path::new(name)).unwrap()
}

#[test]
fn a_size_gives_edges_of_that_length_and_the_same_sheet() {
    let desk = desk();
    let reply = desk.done(&["remesh", "roof.obj", "fine.obj", "--size", "0.1"]);
    assert_eq!(reply.out, "fine.obj\n");
    let fine = mesh(&desk, "fine.obj").mesh;
    let material = fine.material.as_ref().expect("vt");
    assert!(fine.positions.len() > 150);
    for (face, corners) in fine.faces.iter().zip(material) {
        assert!((0..3).all(|k| corners[k].distance(corners[(k + 1) % 3]) <= 0.1 + 1e-9));
        for (v, u) in face.iter().zip(corners) {
            let x = fine.positions[*v as usize];
            let height = 0.3 * (1.0 - (2.0 * u.x - 1.0).abs());
            assert!((x.x - 0.8 * u.x).abs() < 1e-12 && (x.z - height).abs() < 1e-12, "{x} at {u}");
        }
    }
    let area = |corners: &[glam::DVec2; 3]| 0.5 * (corners[1] - corners[0]).perp_dot(corners[2] - corners[0]);
    assert!((material.iter().map(area).sum::<f64>() - 1.0).abs() < 1e-12);
    // The same through --out, bit for bit; and back again, as coarse as the outline allows.
    desk.done(&["remesh", "roof.obj", "--out", "again.obj", "--size", "0.1"]);
    assert_eq!(desk.read("again.obj"), desk.read("fine.obj"));
    desk.done(&["remesh", "fine.obj", "coarse.obj", "--size", "0.8"]);
    assert!(mesh(&desk, "coarse.obj").mesh.positions.len() < 30);
}

#[test]
fn the_curvature_asks_for_edges_and_the_scale_of_the_coordinates_does_not() {
    let desk = Desk::new();
    // Flat, and half as large as its material coordinates say.
    desk.write(
        "half.obj",
        "v 0 0 0\nv 0.5 0 0\nv 0.5 0.5 0\nv 0 0.5 0\nvt 0 0\nvt 1 0\nvt 1 1\nvt 0 1\nf 1/1 2/2 3/3 4/4\n",
    );
    desk.done(&["remesh", "half.obj", "coarse.obj", "--refine-angle", "0.2", "--size-max", "0.5"]);
    let vertices = mesh(&desk, "coarse.obj").mesh.positions.len();
    assert!((9..30).contains(&vertices), "{vertices} vertices");
}

#[test]
fn the_map_and_the_report_say_what_happened() {
    let desk = desk();
    let arguments = ["remesh", "roof.obj", "fine.obj", "--size", "0.2", "--map", "map.csv", "--report"];
    let reply = desk.done(&arguments);
    for part in ["vertices 6 to ", "faces 4 to ", "splits ", "smallest angle ", "°, ", " s"] {
        assert!(reply.out.contains(part), "{part}: {}", reply.out);
    }
    let fine = mesh(&desk, "fine.obj").mesh;
    let map = desk.read("map.csv");
    let mut rows = map.lines();
    assert_eq!(rows.next(), Some("vertex,face,weight_0,weight_1,weight_2,corner_0,corner_1,corner_2"));
    let source: Vec<glam::DVec3> = ROOF
        .lines()
        .filter_map(|line| line.strip_prefix("v "))
        .map(|line| line.split(' ').map(|x| x.parse().unwrap()).collect::<Vec<f64>>())
        .map(|x| glam::DVec3::from_slice(&x))
        .collect();
    for (number, (x, row)) in fine.positions.iter().zip(rows).enumerate() {
        let row: Vec<f64> = row.split(',').map(|word| word.parse().unwrap()).collect();
        assert_eq!(row[0] as usize, number + 1);
        assert!((1.0..=4.0).contains(&row[1]) && row.len() == 8);
        let sum: glam::DVec3 = (0..3).map(|k| row[2 + k] * source[row[5 + k] as usize - 1]).sum();
        assert!(sum.distance(*x) < 1e-12);
    }
    assert_eq!(map.lines().count(), fine.positions.len() + 1);
}

#[test]
fn sizing_files_and_scales_are_in_meters() {
    let desk = desk();
    // Fine at u = 0; the row of the unused vertex counts.
    desk.write("sizes.csv", "# m\n7\n0.05\n0.3\n0.3\n0.05\n0.3\n0.3\n");
    desk.done(&["remesh", "roof.obj", "a.obj", "--sizing", "sizes.csv"]);
    let positions = mesh(&desk, "a.obj").mesh.positions;
    let count = |low: f64, high: f64| positions.iter().filter(|x| x.x >= low && x.x < high).count();
    assert!(count(0.0, 0.2) > 2 * count(0.6, 0.9), "{} and {}", count(0.0, 0.2), count(0.6, 0.9));
    let rows: String = (0..7).map(|_| "400,0,16\n").collect();
    desk.write("tensors.csv", &rows);
    desk.done(&["remesh", "roof.obj", "b.obj", "--sizing", "tensors.csv"]);
    let tensors = mesh(&desk, "b.obj").mesh;
    for corners in tensors.material.unwrap() {
        for k in 0..3 {
            let u = corners[(k + 1) % 3] - corners[k];
            assert!(400.0 * u.x * u.x + 16.0 * u.y * u.y <= 1.0 + 1e-8, "{u}");
        }
    }
    // A vt that is ten times larger, with a scale that says so, gives the same mesh.
    let large = ROOF.replace("vt 0.5", "vt 5").replace("vt 1", "vt 10").replace(" 1\nvt", " 10\nvt");
    desk.write("large.obj", &large.replace("vt 10 1\n", "vt 10 10\n"));
    desk.done(&["remesh", "large.obj", "c.obj", "--size", "0.1", "--uv-scale", "0.1"]);
    desk.done(&["remesh", "roof.obj", "d.obj", "--size", "0.1"]);
    let (c, d) = (mesh(&desk, "c.obj").mesh, mesh(&desk, "d.obj").mesh);
    assert_eq!(c.positions.len(), d.positions.len());
}

#[test]
fn curvature_refines_the_ridge_and_flat_sheets_need_no_vt() {
    let desk = desk();
    desk.done(&["remesh", "roof.obj", "fine.obj", "--size", "0.08"]);
    let arguments = ["remesh", "fine.obj", "ridge.obj", "--refine-angle", "0.2", "--size-max", "0.5"];
    desk.done(&arguments);
    let positions = mesh(&desk, "ridge.obj").mesh.positions;
    let near = positions.iter().filter(|x| (x.x - 0.4).abs() < 0.1).count();
    assert!(2 * near > positions.len(), "{near} of {}", positions.len());
    desk.write("square.obj", "v 0 0 1\nv 1 0 1\nv 1 1 1\nv 0 1 1\nf 1 2 3 4\n");
    let reply = desk.done(&["remesh", "square.obj", "flat.obj", "--size", "0.3", "--flat"]);
    assert!(reply.err.is_empty() && !desk.read("flat.obj").contains("vt"), "{}", reply.err);
    let bare: String = ROOF
        .lines()
        .filter(|line| !line.starts_with("vt") && !line.starts_with('f'))
        .map(|l| format!("{l}\n"))
        .collect();
    desk.write("bare.obj", &format!("{bare}f 2 3 6 5\nf 3 4 7 6\n"));
    let reply = desk.done(&["remesh", "bare.obj", "projected.obj", "--size", "0.3", "--flat"]);
    assert!(reply.err.contains("not flat") && reply.err.contains("20 %"), "{}", reply.err);
}

/// A closed surface without `vt`: an octahedron of 1 m that is cut into four per face some times, on a ball.
fn ball(times: u32) -> String {
    let corners = [
        [1.0, 0.0, 0.0],
        [0.0, 1.0, 0.0],
        [0.0, 0.0, 1.0],
        [-1.0, 0.0, 0.0],
        [0.0, -1.0, 0.0],
        [0.0, 0.0, -1.0],
    ];
    let mut positions = corners.map(DVec3::from_array).to_vec();
    let mut faces: Vec<[usize; 3]> =
        vec![[0, 1, 2], [1, 3, 2], [3, 4, 2], [4, 0, 2], [1, 0, 5], [3, 1, 5], [4, 3, 5], [0, 4, 5]];
    for _ in 0..times {
        let mut middle = |a: usize, b: usize| {
            let x = (positions[a] + positions[b]).normalize();
            let known = positions.iter().position(|y| y.distance(x) < 1e-9);
            known.unwrap_or_else(|| {
                positions.push(x);
                positions.len() - 1
            })
        };
        let cut = |[a, b, c]: [usize; 3]| {
            let [ab, bc, ca] = [middle(a, b), middle(b, c), middle(c, a)];
            [[a, ab, ca], [ab, b, bc], [ca, bc, c], [ab, bc, ca]]
        };
        faces = faces.into_iter().flat_map(cut).collect();
    }
    let vertices = positions.iter().map(|x| format!("v {} {} {}\n", x.x, x.y, x.z));
    let faces = faces.iter().map(|[a, b, c]| format!("f {} {} {}\n", a + 1, b + 1, c + 1));
    vertices.chain(faces).collect()
}

#[test]
fn a_closed_surface_without_vt_is_remeshed_with_its_own_shape() {
    let desk = desk();
    desk.write("ball.obj", &ball(4));
    let counts = |name: &str| {
        let mesh = mesh(&desk, name).mesh;
        assert!(mesh.material.is_none());
        let built = HalfedgeMesh::from_triangles(mesh.positions.len(), &mesh.faces).expect("a surface").mesh;
        built.validate().expect("a valid mesh");
        assert!(built.edge_keys().all(|e| !built.is_boundary_edge(e)), "{name} is closed");
        assert_eq!(mesh.faces.len(), 2 * mesh.positions.len() - 4);
        mesh.positions.len()
    };
    let input = counts("ball.obj");
    for (name, size, is_finer) in [("fine.obj", "0.06", true), ("coarse.obj", "0.3", false)] {
        let reply = desk.done(&[
            "remesh",
            "ball.obj",
            name,
            "--size",
            size,
            "--map",
            &format!("{name}.csv"),
            "--report",
        ]);
        assert!(reply.err.is_empty(), "{}", reply.err);
        assert_eq!(counts(name) > input, is_finer, "{}", reply.out);
        let percent = |word: &str| {
            let rest = reply.out.split(word).nth(1).expect("it is reported");
            rest.split_whitespace().next().unwrap().parse::<f64>().unwrap()
        };
        assert!(percent("area ").abs() < 1.0 && percent("volume ").abs() < 2.0, "{}", reply.out);
        assert_eq!(desk.read(&format!("{name}.csv")).lines().count(), counts(name) + 1);
    }
    // Through an NPZ file, in another order.
    desk.done(&["remesh", "ball.obj", "ball.npz", "--size", "2", "--tolerance", "1e-9"]);
    desk.done(&["remesh", "ball.npz", "again.obj", "--size", "0.3"]);
    assert!(counts("again.obj").abs_diff(counts("coarse.obj")) < counts("coarse.obj") / 10);
    desk.done(&["remesh", "ball.obj", "coarser.obj", "--size", "0.6", "--tolerance", "0.05"]);
    assert!(counts("coarser.obj") < counts("coarse.obj"));
    desk.done(&["remesh", "ball.obj", "bent.obj", "--refine-angle", "0.15", "--size-max", "0.5"]);
    assert!(counts("bent.obj") > input);
    let rows: String = (0..input).map(|_| "400,0,16\n").collect();
    desk.write("tensors.csv", &rows);
    let refused = |more: &[&str], parts: &[&str]| {
        desk.refused(&[&["remesh", "ball.obj", "out.obj"], more].concat(), parts);
    };
    refused(&["--sizing", "tensors.csv"], &["ball.obj", "tensors", "no vt", "--flat"]);
    refused(&["--size", "0.1", "--flat"], &["--flat", "closed surface"]);
    refused(&["--size", "0.1", "--tolerance", "0"], &["--tolerance is 0"]);
    desk.refused(
        &["remesh", "roof.obj", "out.obj", "--size", "0.1", "--tolerance", "0.01"],
        &["roof.obj", "--tolerance", "with vt"],
    );
}

#[test]
fn a_mesh_that_a_limit_left_coarser_is_written_and_told_by_the_exit_status() {
    let desk = desk();
    for (name, limit, parts) in [
        ("passes", ["--passes", "1"], ["after 1 passes", "--passes"]),
        ("vertices", ["--max-vertices", "40"], ["40 vertices", "--max-vertices"]),
    ] {
        let run = |output: &str, more: &[&str]| {
            let arguments = ["remesh", "roof.obj", output, "--size", "0.01", limit[0], limit[1], "--report"];
            desk.call(&[&arguments, more].concat())
        };
        let (strict, partial) = (format!("{name}.obj"), format!("{name}_partial.obj"));
        let reply = run(&strict, &[]);
        assert_eq!(reply.status, 1, "{}", reply.err);
        assert!(reply.err.starts_with("warning: ") && reply.err.contains("--partial"), "{}", reply.err);
        assert!(parts.iter().all(|part| reply.err.contains(part)), "{}", reply.err);
        assert!(reply.out.contains("vertices 6 to "), "{}", reply.out);
        let reply = run(&partial, &["--partial"]);
        assert_eq!(reply.status, 0, "{}", reply.err);
        assert!(reply.err.starts_with("warning: ") && reply.err.contains(parts[1]), "{}", reply.err);
        assert_eq!(desk.read(&partial), desk.read(&strict));
        assert!(mesh(&desk, &strict).mesh.positions.len() >= 40);
    }
}

#[test]
fn what_cannot_be_remeshed_is_refused_in_the_words_of_the_file() {
    let desk = desk();
    let refused = |text: &str, parts: &[&str]| {
        desk.write("bad.obj", text);
        desk.refused(&["remesh", "bad.obj", "out.obj", "--size", "0.1"], parts);
    };
    refused(&ROOF.replace("vt 0.5 0", "vt 0.5 1"), &["line 14", "no area"]);
    refused(&ROOF.replace("vt 0.5", "vt 1.5"), &["line 15", "clockwise", "2 of the 4", "folded over"]);
    let some_without = ROOF.replace("f 3/2 4/3 7/6 6/5", "f 3 4 7 6");
    refused(&some_without, &["bad.obj:15"]);
    refused(&format!("{ROOF}v 0 0 1\nf 3/2 6/5 8/1\n"), &["edge 3–6", "3 faces", "14, 15, 17"]);
    refused("v 0 0 0\n", &["bad.obj", "no faces"]);
}

#[test]
fn options_that_make_no_sense_and_files_that_exist_are_refused() {
    let desk = desk();
    let refused = |more: &[&str], parts: &[&str]| {
        desk.refused(&[&["remesh", "roof.obj", "out.obj"], more].concat(), parts);
    };
    refused(&[], &["--size", "--sizing", "--refine-angle"]);
    refused(&["--size", "0.1", "--sizing", "a.csv"], &["--sizing"]);
    refused(&["--size", "0"], &["--size is 0"]);
    refused(&["--size", "NaN"], &["--size is NaN"]);
    refused(&["--size", "0.1", "--uv-scale=-1"], &["--uv-scale is -1"]);
    refused(&["--size", "0.1", "--gradation", "0.5"], &["gradation is 0.5"]);
    refused(&["--size", "0.1", "--passes", "0"], &["passes is 0"]);
    refused(&["--size", "0.1", "--flat"], &["--flat", "this one has vt"]);
    refused(&["--size", "0.1", "--map", "out.obj"], &["--map", "file of its own"]);
    refused(&["--refine-angle", "0.2"], &["--size-max"]);
    refused(
        &["--refine-angle", "0.2", "--size-max", "0.1", "--size-min", "0.2"],
        &["--size-min is 0.2", "0.1"],
    );
    refused(&["--sizing", "none.csv"], &["none.csv"]);
    desk.write("short.csv", "0.1\n0.1\n");
    refused(&["--sizing", "short.csv"], &["short.csv has 2 rows", "7 vertices"]);
    desk.write("odd.csv", "0.1\n0.1,2\n");
    refused(&["--sizing", "odd.csv"], &["odd.csv:2: 2 numbers"]);
    desk.write("zero.csv", "0.1\n0.1\n0\n0.1\n0.1\n0.1\n0.1\n");
    refused(&["--sizing", "zero.csv"], &["size at vertex 3 is 0 m"]);
    desk.refused(&["remesh", "roof.obj", "--size", "0.1"], &["OUTPUT"]);
    desk.refused(&["remesh", "none.obj", "out.obj", "--size", "0.1"], &["none.obj"]);
    desk.refused(&["remesh", "roof.obj", "roof.obj", "--size", "0.1"], &["roof.obj exists already"]);
    desk.refused(&["remesh", "roof.obj", "no/out.obj", "--size", "0.1"], &["make the folder"]);
    desk.write("map.csv", "");
    refused(&["--size", "0.1", "--map", "map.csv"], &["map.csv exists already"]);
}

/// Two panels of 1 m that are sewn together along x = 1, as a right angle; the second one is mirrored.
const SEWN: &str = "v 0 0 0\nv 1 0 0\nv 1 1 0\nv 0 1 0\nv 1 0 1\nv 1 1 1
vt 0 0\nvt 1 0\nvt 1 1\nvt 0 1\nvt 3 0\nvt 3 1\nvt 2 1\nvt 2 0
f 1/1 2/2 3/3 4/4\nf 2/5 5/8 6/7 3/6\n";

#[test]
fn split_coordinates_are_seams_and_come_back_split() {
    let desk = Desk::new();
    desk.write("sewn.obj", SEWN);
    let arguments = ["remesh", "sewn.obj", "fine.obj", "--size", "0.1", "--map", "map.npz"];
    desk.done(&arguments);
    let text = desk.read("fine.obj");
    let count = |word: &str| text.lines().filter(|line| line.starts_with(word)).count();
    let fine = mesh(&desk, "fine.obj").mesh;
    let on_seam = fine.positions.iter().filter(|x| x.x == 1.0 && x.z == 0.0).count();
    assert!(on_seam >= 11 && count("vt ") == count("v ") + on_seam, "{on_seam} of {}", count("v "));
    for (face, corners) in fine.faces.iter().zip(fine.material.as_ref().unwrap()) {
        for (v, u) in face.iter().zip(corners) {
            let x = fine.positions[*v as usize];
            // The first panel lies flat, the second one stands on its end, mirrored.
            let expected = if u.x <= 1.0 { (u.x, u.y, 0.0) } else { (1.0, u.y, 3.0 - u.x) };
            assert!(x.distance(expected.into()) < 1e-12, "{x} at {u}");
        }
    }
    // Back to the six corners it had.
    desk.done(&["remesh", "fine.obj", "coarse.obj", "--size", "2"]);
    let coarse = mesh(&desk, "coarse.obj").mesh;
    assert_eq!((coarse.positions.len(), coarse.panels()), (6, vec![0, 0, 1, 1]));
    // A pinned vertex on the seam stays, whatever it is called.
    let pinned = fine.positions.iter().position(|x| x.x == 1.0 && x.z == 0.0 && x.y == 0.5).unwrap();
    desk.write("pins.txt", &format!("# middle\n{pinned}\n"));
    for pins in ["pins.txt", &pinned.to_string()] {
        let output = format!("with_{}.obj", pins.len());
        desk.done(&["remesh", "fine.obj", &output, "--size", "2", "--pin", pins]);
        let positions = mesh(&desk, &output).mesh.positions;
        assert_eq!((positions.len(), positions.contains(&fine.positions[pinned])), (7, true));
    }
    // A texture that is cut into faces is told from a pattern.
    let points: String =
        (0..3).map(|k| format!("vt {0} 0\nvt {1} 0\nvt {0} 1\n", 2 * k, 2 * k + 1)).collect();
    let cut = format!(
        "v 0 0 0\nv 1 0 0\nv 1 1 0\nv 0 1 0\nv 2 0 0\n{points}f 1/1 2/2 3/3\nf 1/4 3/5 4/6\nf 2/7 5/8 3/9\n"
    );
    desk.write("cut.obj", &cut);
    let reply = desk.done(&["remesh", "cut.obj", "cut_fine.obj", "--size", "2"]);
    assert!(reply.err.contains("every face is a panel of its own"), "{}", reply.err);
}
