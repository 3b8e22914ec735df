//! Frames are written and read back to the bit, whatever they have, and the same frame gives the same bytes.

use glam::{DVec2, DVec3};
use std::io::{Cursor, Write};
use std::path::Path;
use taffeta_core::{Pose, TriangleMesh};
use taffeta_io::RigidBody;
use taffeta_io::usda::write_usda_bodies;
use taffeta_io::{
    FaceGroups, FrameData, GlbWriter, UsdaWriter, mean_curvatures, parse_obj, read_npy_numbers, read_npz,
    read_npz_numbers, read_ply, read_ply_polygons, write_grouped_obj, write_npz, write_ply, write_vtp,
};

/// A wavy strip with a seam, of so many cells; numbers that have no short decimal form.
fn strip(cells: u32) -> FrameData {
    let mut mesh = TriangleMesh::default();
    for i in 0..=cells {
        let x = f64::from(i) / 3.0;
        let z = 0.1 * x * (1.0 - x);
        mesh.positions.extend([DVec3::new(x, 0.0, z), DVec3::new(x, 0.7, -z)]);
    }
    let mut material = Vec::new();
    for i in 0..cells {
        let [a, b, c, d] = [2 * i, 2 * i + 2, 2 * i + 3, 2 * i + 1];
        // Past the middle the material lies elsewhere, as beyond a seam.
        let shift = if 2 * i >= cells { 10.0 } else { 0.0 };
        let at = |v: u32| mesh.positions[v as usize].truncate() + DVec2::new(shift, 0.0);
        mesh.faces.extend([[a, b, c], [a, c, d]]);
        material.extend([[a, b, c].map(at), [a, c, d].map(at)]);
    }
    mesh.material = Some(material);
    let (vertices, faces) = (mesh.positions.len(), mesh.faces.len());
    FrameData {
        number: Some(12),
        time: Some(0.1 + 0.2),
        vertex_names: Some((0..vertices as u32).map(|v| (v % 3 > 0).then_some(7 * v)).collect()),
        velocities: Some((0..vertices).map(|v| DVec3::new(1.0 / (v + 3) as f64, -0.0, 1e-300)).collect()),
        sizes: Some((0..vertices).map(|v| 0.1 / (v + 7) as f64).collect()),
        strains: Some((0..faces).map(|f| 0.01 * f as f64 - 1.0 / 3.0).collect()),
        curvatures: Some(mean_curvatures(&mesh.positions, &mesh.faces)),
        strain_jumps: Some((0..faces).map(|f| 1.0 / (f + 3) as f64).collect()),
        curvature_jumps: Some((0..faces).map(|f| 7.0 / (f + 9) as f64).collect()),
        plastic_curvatures: Some((0..faces).map(|f| 5.0 / (f + 6) as f64).collect()),
        ..FrameData::surface(mesh)
    }
}

/// A strip whose panels have names.
fn with_panels() -> FrameData {
    let frame = strip(4);
    let names = ["front left", "bäck"].map(str::to_owned).to_vec();
    FrameData { panels: Some(FaceGroups { names, of_face: frame.mesh.panels() }), ..frame }
}

fn rope() -> FrameData {
    let points: Vec<DVec3> = (0..9).map(|k| DVec3::new(0.1 * f64::from(k), -0.2, 0.3)).collect();
    let velocities = Some(vec![DVec3::X / 3.0; 9]);
    FrameData { number: Some(0), time: Some(0.0), velocities, ..FrameData::curve(points) }
}

/// Everything that a frame may be: complete, bare, without material coordinates, a rope, empty.
fn frames() -> Vec<FrameData> {
    let bare = FrameData::surface(strip(3).mesh);
    let mut foreign = strip(2);
    foreign.mesh.material = None;
    foreign.curvatures = None;
    foreign.strain_jumps = None;
    foreign.plastic_curvatures = None;
    vec![
        strip(5),
        with_panels(),
        bare,
        foreign,
        rope(),
        FrameData::curve(rope().mesh.positions),
        FrameData::default(),
    ]
}

fn npz(frame: &FrameData) -> Vec<u8> {
    let mut bytes = Cursor::new(Vec::new());
    write_npz(&mut bytes, frame).unwrap();
    bytes.into_inner()
}

fn ply(frame: &FrameData) -> Vec<u8> {
    let mut bytes = Vec::new();
    write_ply(&mut bytes, frame).unwrap();
    bytes
}

/// Debug texts differ where bits do, also for −0.
fn text(frame: &FrameData) -> String {
    format!("{frame:?}")
}

#[test]
fn npz_and_ply_files_are_read_back_to_the_bit() {
    for frame in frames() {
        assert_eq!(frame.find_defect(), None);
        assert_eq!(text(&read_npz(&npz(&frame)).unwrap()), text(&frame));
        assert_eq!(text(&read_ply(&ply(&frame)).unwrap()), text(&frame));
    }
}

#[test]
fn npz_frames_have_their_number_their_time_and_material_coordinates_by_vertex() {
    let frame = strip(5);
    let arrays = read_npz_numbers(&npz(&frame)).unwrap();
    let array = |name: &str| arrays.iter().find(|(found, _)| found == name).unwrap().1.clone().unwrap();
    assert_eq!((array("frame").shape, array("frame").values), (vec![], vec![12.0]));
    assert_eq!((array("time").shape, array("time").values), (vec![], vec![0.1 + 0.2]));
    // The seam of the strip is behind its vertices 6 and 7, which the faces before it name first.
    let by_vertex = array("vertex_material");
    let expected = frame.mesh.positions.iter().enumerate();
    let expected = expected.flat_map(|(v, x)| [x.x + if v > 7 { 10.0 } else { 0.0 }, x.y]);
    assert_eq!((by_vertex.shape, by_vertex.values), (vec![12, 2], expected.collect::<Vec<f64>>()));
    let bare =
        read_npz_numbers(&npz(&FrameData::surface(TriangleMesh { material: None, ..frame.mesh }))).unwrap();
    let names: Vec<&str> = bare.iter().map(|(name, _)| name.as_str()).collect();
    assert_eq!(names, ["positions", "faces"]);
}

#[test]
fn the_same_frame_gives_the_same_bytes_at_any_time() {
    let frame = strip(4);
    let vtp = || {
        let mut bytes = Vec::new();
        write_vtp(&mut bytes, &frame).unwrap();
        bytes
    };
    let first = [npz(&frame), ply(&frame), vtp(), usda(), glb()];
    // Zip archives have times in steps of two seconds.
    std::thread::sleep(std::time::Duration::from_millis(2100));
    assert!(first == [npz(&frame), ply(&frame), vtp(), usda(), glb()]);
}

#[test]
fn damaged_files_are_refused_with_a_reason() {
    let (npz, ply) = (npz(&strip(3)), ply(&strip(3)));
    for cut in [0, 10, npz.len() / 2, npz.len() - 1] {
        assert!(read_npz(&npz[..cut]).is_err(), "{cut}");
    }
    for cut in [0, 10, ply.len() / 2, ply.len() - 1] {
        assert!(read_ply(&ply[..cut]).is_err(), "{cut}");
    }
    let text = String::from_utf8_lossy(&ply).into_owned();
    assert!(text.starts_with("ply\nformat binary_little_endian 1.0\ncomment Taffeta"), "{}", &text[..200]);
    let mut wrong = strip(3);
    wrong.mesh.faces[0] = [0, 1, 99];
    let report = read_npz(&self::npz(&wrong)).unwrap_err().to_string();
    assert!(report.contains("[0, 1, 99]") && report.contains("8 vertices"), "{report}");
    wrong.mesh.faces[0] = [0, 1, 2];
    wrong.sizes = Some(vec![0.1]);
    let report = read_npz(&self::npz(&wrong)).unwrap_err().to_string();
    assert!(report.contains("1 sizes") && report.contains('8'), "{report}");
}

/// An archive with one array, whose header is given and whose numbers are zeros.
fn archive(kind: &str, shape: &str, bytes: usize) -> Vec<u8> {
    let mut zip = zip::ZipWriter::new(Cursor::new(Vec::new()));
    let options = zip::write::SimpleFileOptions::default().compression_level(Some(1));
    zip.start_file("faces.npy", options).unwrap();
    let mut header = format!("{{'descr': '{kind}', 'fortran_order': False, 'shape': {shape}, }}");
    header += &" ".repeat(117 - header.len());
    let numbers = vec![0; bytes];
    for part in [b"\x93NUMPY\x01\x00\x76\x00", header.as_bytes(), b"\n", &numbers] {
        zip.write_all(part).unwrap();
    }
    zip.finish().unwrap().into_inner()
}

#[test]
fn arrays_that_claim_more_than_they_have_are_refused_before_there_is_room_for_them() {
    for (kind, shape) in [
        ("<f8", "(99999999999, 3)"),
        ("<i4", "(2305843009213693951, 4)"),
        ("|u1", "(1, 4000000000)"),
        ("<f8", "(0, 9223372036854775807, 9223372036854775807)"),
        ("<f8", "(3, 3)"),
    ] {
        let bytes = archive(kind, shape, 24);
        let [(name, array)] = &read_npz_numbers(&bytes).unwrap()[..] else { panic!("one array") };
        let report = array.as_ref().unwrap_err().to_string();
        assert!(name == "faces" && report.contains("but 24 bytes follow"), "{report}");
    }
    let frame = npz(&strip(1));
    let mut huge = frame.clone();
    let at = huge.windows(4).position(|word| word == b"(4, ").expect("the shape of the positions");
    huge[at + 1] = b'9';
    assert!(read_npz(&huge).is_err());
    assert!(read_npz(&frame).is_ok());
}

#[test]
fn headers_of_arrays_that_nest_deeply_or_claim_a_length_are_refused() {
    let nested = |text: &[u8]| {
        let length = text.len() as u16;
        [b"\x93NUMPY\x01\x00", length.to_le_bytes().as_slice(), text].concat()
    };
    let report = read_npy_numbers(&nested("(".repeat(9000).as_bytes())).unwrap_err().to_string();
    assert!(report.contains("malformed at `(((("), "{report}");
    let report = read_npy_numbers(&nested(&[b' '; 20_000])).unwrap_err().to_string();
    assert!(report.contains("20000 bytes"), "{report}");
    let report = read_npy_numbers(b"\x93NUMPY\x02\x00\xff\xff\xff\xff{}").unwrap_err().to_string();
    assert!(report.contains("4294967295 bytes"), "{report}");
}

#[test]
fn archives_that_unpack_to_far_more_than_the_file_are_refused() {
    let numbers = 1 << 26;
    let bytes = archive("|u1", &format!("({},)", numbers + 1), numbers + 1);
    assert!(bytes.len() < 1 << 20);
    let report = read_npz_numbers(&bytes).unwrap()[0].1.clone().unwrap_err().to_string();
    assert!(report.contains("536870920 bytes, but 536870912 are left"), "{report}");
    // The sizes that an archive claims to have, at both places where it does.
    let mut bytes = archive("<f8", "(3,)", 24);
    let size = (128 + 24_u32).to_le_bytes();
    let places: Vec<usize> = (0..bytes.len() - 4).filter(|at| bytes[*at..at + 4] == size).collect();
    assert_eq!(places.len(), 2);
    for (claimed, reason) in [(1 << 30, "which are not in"), (160, "but has others"), (140, "")] {
        places.iter().for_each(|at| bytes[*at..at + 4].copy_from_slice(&u32::to_le_bytes(claimed)));
        let report = read_npz_numbers(&bytes).unwrap()[0].1.clone().unwrap_err().to_string();
        assert!(report.contains(reason), "{claimed}: {report}");
    }
}

#[test]
fn elements_of_ply_files_that_cannot_be_there_are_refused_before_there_is_room_for_them() {
    let file =
        |elements: &str| format!("ply\nformat binary_little_endian 1.0\n{elements}end_header\n").into_bytes();
    let place = "property double x\nproperty double y\nproperty double z\n";
    let lists = "element face 1000\nproperty list uint int vertex_indices\n";
    for (elements, reason) in [
        (format!("element vertex 4000000000\n{place}"), "4000000000 vertex elements of at least 24 bytes"),
        ("element vertex 4000000000\n".to_owned(), "its vertex elements have no properties"),
        (format!("element vertex 0\n{place}{lists}"), "1000 face elements of at least 4 bytes, but 0 bytes"),
        (format!("element vertex 18446744073709551615\n{place}{lists}"), "vertex elements"),
    ] {
        for report in
            [read_ply(&file(&elements)).unwrap_err(), read_ply_polygons(&file(&elements)).unwrap_err()]
        {
            assert!(report.0.contains(reason), "{report}");
        }
    }
    let ascii = "ply\nformat ascii 1.0\nelement vertex 100\nproperty float x\nend_header\n1\n2\n";
    let report = read_ply_polygons(ascii.as_bytes()).unwrap_err().to_string();
    assert!(report.contains("no x, y and z") || report.contains("100 vertex elements"), "{report}");
}

/// Three frames with two topologies.
fn usda() -> Vec<u8> {
    let mut writer = UsdaWriter::new("my-sheet", 30.0, &std::env::temp_dir());
    for (number, cells) in [(0, 2), (1, 2), (4, 3)] {
        writer.add(number, &strip(cells)).unwrap();
    }
    let mut bytes = Vec::new();
    writer.finish(&mut bytes).unwrap();
    bytes
}

fn glb() -> Vec<u8> {
    let mut writer = GlbWriter::new(30.0, &std::env::temp_dir()).unwrap();
    for (number, cells) in [(0, 2), (1, 2), (4, 3)] {
        writer.add("sheet", number, &strip(cells)).unwrap();
        writer.add("cord", number, &rope()).unwrap();
    }
    for body in obstacles() {
        writer.add_rigid(&body).unwrap();
    }
    let mut bytes = Vec::new();
    writer.finish(&mut bytes).unwrap();
    bytes
}

fn obstacles() -> [RigidBody; 3] {
    let mesh = TriangleMesh { material: None, ..strip(1).mesh };
    let pose = Pose { translation: DVec3::Y, ..Pose::IDENTITY };
    let shapes = vec![(0, mesh.positions.clone()), (4, mesh.positions.iter().map(|x| *x * 2.0).collect())];
    let body =
        |name: &str| RigidBody { name: name.into(), mesh: mesh.clone(), poses: vec![], shapes: vec![] };
    [
        body("obstacle.0"),
        RigidBody { poses: vec![(0, Pose::IDENTITY), (4, pose)], ..body("obstacle.1") },
        RigidBody { shapes, ..body("obstacle.2") },
    ]
}

#[test]
fn a_usd_file_has_every_frame_of_every_attribute() {
    let text = String::from_utf8(usda()).unwrap();
    assert!(
        text.starts_with("#usda 1.0\n(\n    defaultPrim = \"my_sheet\"\n    endTimeCode = 4\n"),
        "{text}"
    );
    for part in
        ["timeCodesPerSecond = 30", "upAxis = \"Y\"", "metersPerUnit = 1", "subdivisionScheme = \"none\""]
    {
        assert!(text.contains(part), "{part}");
    }
    // Twelve attributes with three samples each.
    for number in [0, 1, 4] {
        assert_eq!(text.matches(&format!("\n            {number}: [")).count(), 12, "{number}");
    }
    let mut bytes = Vec::new();
    write_usda_bodies(&mut bytes, 30.0, DVec3::Y, [0, 4], &obstacles()).unwrap();
    let text = String::from_utf8(bytes).unwrap();
    assert_eq!((text.matches("def Mesh").count(), text.matches("xformOpOrder").count()), (3, 1));
    assert!(text.contains("4: ( (1, 0, 0, 0), (0, 1, 0, 0), (0, 0, 1, 0), (0, 1, 0, 1) ),"), "{text}");
}

#[test]
fn a_glb_file_shows_one_frame_at_a_time() {
    let bytes = glb();
    let word = |at: usize| u32::from_le_bytes(bytes[at..at + 4].try_into().unwrap()) as usize;
    assert_eq!((&bytes[..4], word(4), word(8)), (&b"glTF"[..], 2, bytes.len()));
    let json: serde_json::Value = serde_json::from_slice(&bytes[20..20 + word(12)]).unwrap();
    assert_eq!(word(20 + word(12)), json["buffers"][0]["byteLength"].as_u64().unwrap() as usize);
    let named = |name: &str| {
        let nodes = json["nodes"].as_array().unwrap();
        nodes.iter().position(|node| node["name"] == name).unwrap_or_else(|| panic!("no node {name}"))
    };
    // Of each body all frames but the first are hidden where there is no animation.
    assert!(json["nodes"][named("sheet_00000")].get("scale").is_none());
    assert_eq!(json["nodes"][named("sheet_00004")]["scale"], serde_json::json!([0.0, 0.0, 0.0]));
    let animation = &json["animations"][0];
    let numbers = |accessor: &serde_json::Value| -> Vec<f32> {
        let accessor = &json["accessors"][accessor.as_u64().unwrap() as usize];
        let view = &json["bufferViews"][accessor["bufferView"].as_u64().unwrap() as usize];
        let start = 28 + word(12) + view["byteOffset"].as_u64().unwrap() as usize;
        let end = start + view["byteLength"].as_u64().unwrap() as usize;
        bytes[start..end].chunks_exact(4).map(|b| f32::from_le_bytes(b.try_into().unwrap())).collect()
    };
    let keys = |name: &str| {
        let node = named(name);
        let mut channels = animation["channels"].as_array().unwrap().iter();
        let channel = channels.find(|channel| channel["target"]["node"] == node).unwrap();
        assert_eq!(channel["target"]["path"], "scale");
        let sampler = &animation["samplers"][channel["sampler"].as_u64().unwrap() as usize];
        assert_eq!(sampler["interpolation"], "STEP");
        (numbers(&sampler["input"]), numbers(&sampler["output"]).into_iter().step_by(3).collect::<Vec<_>>())
    };
    let third = 1.0 / 30.0;
    assert_eq!(keys("sheet_00000"), (vec![0.0, third], vec![1.0, 0.0]));
    assert_eq!(keys("sheet_00001"), (vec![0.0, third, (4.0 / 30.0) as f32], vec![0.0, 1.0, 0.0]));
    assert_eq!(keys("cord_00004"), (vec![0.0, (4.0 / 30.0) as f32], vec![0.0, 1.0]));
}

#[test]
fn names_of_panels_are_groups_in_every_format() {
    let frame = with_panels();
    let mut obj = Vec::new();
    write_grouped_obj(&mut obj, &frame.mesh, frame.panels.as_ref()).unwrap();
    let obj = String::from_utf8(obj).unwrap();
    let read = parse_obj(&obj, Path::new("a.obj")).unwrap();
    assert_eq!((read.groups, read.mesh), (frame.panels.clone(), frame.mesh.clone()));
    let mut vtp = Vec::new();
    write_vtp(&mut vtp, &frame).unwrap();
    let vtp = String::from_utf8_lossy(&vtp).into_owned();
    assert!(vtp.contains("Name=\"panel\""), "{vtp}");
    assert!(vtp.contains("NumberOfTuples=\"2\" format=\"ascii\">102 114 111 110 116 32"), "{vtp}");
    let folder = tempfile::tempdir().unwrap();
    let mut writer = UsdaWriter::new("shirt", 24.0, folder.path());
    writer.add(0, &frame).unwrap();
    let mut usda = Vec::new();
    writer.finish(&mut usda).unwrap();
    let usda = String::from_utf8(usda).unwrap();
    for part in
        ["def GeomSubset \"front_left\"", "familyName = \"panel\"", "0: [0, 1, 2, 3],", "0: [4, 5, 6, 7],"]
    {
        assert!(usda.contains(part), "{part} is not in {usda}");
    }
    let mut writer = GlbWriter::new(24.0, folder.path()).unwrap();
    writer.add("shirt", 0, &frame).unwrap();
    writer.add("shirt", 1, &frame).unwrap();
    let mut glb = Vec::new();
    writer.finish(&mut glb).unwrap();
    let length = u32::from_le_bytes(glb[12..16].try_into().unwrap()) as usize;
    let json: serde_json::Value = serde_json::from_slice(&glb[20..20 + length]).unwrap();
    assert_eq!(json["materials"][1]["name"], "front left");
    let used: Vec<u64> = json["meshes"][1]["primitives"]
        .as_array()
        .unwrap()
        .iter()
        .map(|p| p["material"].as_u64().unwrap())
        .collect();
    assert_eq!((used, json["materials"].as_array().unwrap().len()), (vec![1, 2], 3));
}

#[test]
fn faces_know_the_last_group_or_object_before_them() {
    let text = "v 0 0 0\nv 1 0 0\nv 1 1 0\nv 0 1 0\nf 1 2 3\no shirt\ng left  front # a comment\nf 1 2 3 4\ng empty\ng cuff\nf 1 3 4\n\
                g left front\nf 2 3 4\n";
    let groups = parse_obj(text, Path::new("a.obj")).unwrap().groups.unwrap();
    assert_eq!(groups.names, ["default", "left front", "cuff"]);
    assert_eq!(groups.of_face, [0, 1, 1, 2, 1]);
    assert_eq!(parse_obj("v 0 0 0\nv 1 0 0\nv 1 1 0\nf 1 2 3\n", Path::new("a.obj")).unwrap().groups, None);
}

#[test]
fn files_know_what_is_upward() {
    let folder = tempfile::tempdir().unwrap();
    let usda = |up: DVec3| {
        let mut bytes = Vec::new();
        UsdaWriter::new("a", 24.0, folder.path()).upward(up).finish(&mut bytes).unwrap();
        write_usda_bodies(&mut bytes, 24.0, up, [0, 0], &[]).unwrap();
        String::from_utf8(bytes).unwrap()
    };
    for (up, axis) in [(DVec3::Y, "Y"), (DVec3::Z, "Z")] {
        assert_eq!(usda(up).matches(&format!("upAxis = \"{axis}\"")).count(), 2);
    }
    let roots = |up: DVec3| {
        let mut writer = GlbWriter::new(24.0, folder.path()).unwrap();
        writer.set_upward(up);
        writer.add("a", 0, &strip(1)).unwrap();
        let mut glb = Vec::new();
        writer.finish(&mut glb).unwrap();
        let length = u32::from_le_bytes(glb[12..16].try_into().unwrap()) as usize;
        let json: serde_json::Value = serde_json::from_slice(&glb[20..20 + length]).unwrap();
        let root = json["scenes"][0]["nodes"][0].as_u64().unwrap() as usize;
        json["nodes"][root]["rotation"].clone()
    };
    assert!(roots(DVec3::Y).is_null());
    // z becomes y by a turn of −90° about x.
    let turn: Vec<f64> = serde_json::from_value(roots(DVec3::Z)).unwrap();
    let half = 0.5f64.sqrt();
    assert!(turn.iter().zip([-half, 0.0, 0.0, half]).all(|(a, b)| (a - b).abs() < 1e-6), "{turn:?}");
}
