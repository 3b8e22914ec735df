//! Bodies from glTF files.

use glam::{DMat3, DVec3};
use std::path::Path;
use taffeta_fixtures::mannequin::mannequin;
use taffeta_fixtures::walk::walk_glb;
use taffeta_io::{AnimatedMesh, is_gltf, parse_gltf, read_gltf};

/// A binary file of a JSON and numbers.
fn glb(json: &str, numbers: &[u8]) -> Vec<u8> {
    let mut json = json.as_bytes().to_vec();
    json.resize(json.len().next_multiple_of(4), b' ');
    let mut file = b"glTF".to_vec();
    let whole = 28 + json.len() + numbers.len();
    [2, whole as u32, json.len() as u32, 0x4E4F_534A].iter().for_each(|n: &u32| file.extend(n.to_le_bytes()));
    file.extend(json);
    [numbers.len() as u32, 0x004E_4942].iter().for_each(|n: &u32| file.extend(n.to_le_bytes()));
    file.extend(numbers);
    file
}

fn floats(numbers: &[f32]) -> Vec<u8> {
    numbers.iter().flat_map(|number| number.to_le_bytes()).collect()
}

/// A strip of two triangles from joint 0 at the origin to joint 1 at y = 1, whose upper corners follow joint 1; the
/// middle follows both. Joint 1 turns about z by 90° in one second, and the root moves by 2 m along x.
fn strip() -> (String, Vec<u8>) {
    strip_along("LINEAR", &[0.0, 0.0, 0.0, 2.0, 0.0, 0.0])
}

/// The strip with other translations of the root.
fn strip_along(interpolation: &str, ways: &[f32]) -> (String, Vec<u8>) {
    let mut bytes = Vec::new();
    let mut views = Vec::new();
    let mut add = |more: Vec<u8>| {
        views.push(format!("{{\"buffer\":0,\"byteOffset\":{},\"byteLength\":{}}}", bytes.len(), more.len()));
        bytes.extend(more);
    };
    // Positions, joints, weights, corners, inverse bind matrices, times, turns, ways.
    add(floats(&[0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 2.0, 0.0, 1.0, 1.0, 0.0]));
    add(vec![0, 0, 0, 0, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0, 0]);
    add(floats(&[1.0, 0.0, 0.0, 0.0, 2.0, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 0.25, 0.75, 0.0, 0.0]));
    add([0_u16, 1, 2, 2, 1, 3].iter().flat_map(|v| v.to_le_bytes()).collect());
    let bind = |y: f32| [1., 0., 0., 0., 0., 1., 0., 0., 0., 0., 1., 0., 0., -y, 0., 1.];
    add(floats(&[bind(0.0), bind(1.0)].concat()));
    add(floats(&[0.0, 1.0]));
    let half = std::f32::consts::FRAC_1_SQRT_2;
    add(floats(&[0.0, 0.0, 0.0, 1.0, 0.0, 0.0, half, half]));
    add(floats(ways));
    let count = ways.len() / 3;
    let json = format!(
        r#"{{"asset": {{"version": "2.0"}}, "scene": 0, "scenes": [{{"nodes": [0, 1]}}],
        "nodes": [{{"mesh": 0, "skin": 0, "translation": [9, 9, 9]}}, {{"children": [2]}}, {{"translation": [0, 1, 0], "name": "tip"}}],
        "meshes": [{{"primitives": [{{"attributes": {{"POSITION": 0, "JOINTS_0": 1, "WEIGHTS_0": 2}}, "indices": 3}}]}}],
        "skins": [{{"joints": [1, 2], "inverseBindMatrices": 4}}],
        "animations": [
            {{"name": "bend", "samplers": [{{"input": 5, "output": 6}}, {{"input": 5, "output": 7, "interpolation": "{interpolation}"}}],
              "channels": [{{"sampler": 0, "target": {{"node": 2, "path": "rotation"}}}},
                           {{"sampler": 1, "target": {{"node": 1, "path": "translation"}}}}]}},
            {{"name": "rest", "samplers": [{{"input": 5, "output": 7}}],
              "channels": [{{"sampler": 0, "target": {{"node": 2, "path": "weights"}}}}]}}],
        "accessors": [
            {{"bufferView": 0, "componentType": 5126, "count": 4, "type": "VEC3"}},
            {{"bufferView": 1, "componentType": 5121, "count": 4, "type": "VEC4"}},
            {{"bufferView": 2, "componentType": 5126, "count": 4, "type": "VEC4"}},
            {{"bufferView": 3, "componentType": 5123, "count": 6, "type": "SCALAR"}},
            {{"bufferView": 4, "componentType": 5126, "count": 2, "type": "MAT4"}},
            {{"bufferView": 5, "componentType": 5126, "count": 2, "type": "SCALAR"}},
            {{"bufferView": 6, "componentType": 5126, "count": 2, "type": "VEC4"}},
            {{"bufferView": 7, "componentType": 5126, "count": {count}, "type": "VEC3"}}],
        "bufferViews": [{}], "buffers": [{{"byteLength": {}}}]}}"#,
        views.join(", "),
        bytes.len()
    );
    (json, bytes)
}

fn parse(bytes: &[u8], animation: Option<&str>) -> Result<AnimatedMesh, String> {
    parse_gltf(bytes, Path::new("walk.glb"), 4.0, animation).map_err(|error| error.to_string())
}

#[test]
fn skins_follow_their_joints_in_closed_form() {
    let (json, bytes) = strip();
    let body = parse(&glb(&json, &bytes), None).unwrap();
    assert_eq!(body.mesh.mesh.faces, [[0, 1, 2], [2, 1, 3]]);
    assert_eq!(body.shapes.len(), 5);
    for (k, shape) in body.shapes.iter().enumerate() {
        let part = 0.25 * k as f64;
        let (way, turn) = (DVec3::X * 2.0 * part, DMat3::from_rotation_z(std::f64::consts::FRAC_PI_2 * part));
        let tip = |x: DVec3| DVec3::Y + turn * (x - DVec3::Y) + way;
        let last = DVec3::new(1.0, 1.0, 0.0);
        let expected = [way, DVec3::X + way, tip(DVec3::Y * 2.0), 0.25 * (last + way) + 0.75 * tip(last)];
        for (x, expected) in shape.iter().zip(expected) {
            assert!(x.distance(expected) < 1e-6, "shape {k}: {x} is not at {expected}");
        }
    }
    assert_eq!(
        body.notes,
        ["it has the animations \"bend\", \"rest\": \"bend\" is taken; `animation` chooses another"]
    );
    let chosen = parse(&glb(&json, &bytes), Some("rest")).unwrap();
    assert_eq!((chosen.shapes.len(), chosen.notes.len()), (1, 0));
    assert!(chosen.shapes[0][2].distance(DVec3::Y * 2.0) < 1e-12);
}

#[test]
fn animations_step_and_follow_splines() {
    let at = |interpolation: &str, ways: &[f32]| {
        let (json, bytes) = strip_along(interpolation, ways);
        let body = parse(&glb(&json, &bytes), None).unwrap();
        body.shapes.iter().map(|shape| shape[0].x).collect::<Vec<_>>()
    };
    assert_eq!(at("STEP", &[0.0, 0.0, 0.0, 2.0, 0.0, 0.0]), [0.0, 0.0, 0.0, 0.0, 2.0]);
    // Tangents 0 at both ends: 2 (3 t² − 2 t³). With the tangents 2 it is a line.
    let flat = at(
        "CUBICSPLINE",
        &[0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 2.0, 0.0, 0.0, 0.0, 0.0, 0.0],
    );
    for (k, x) in flat.iter().enumerate() {
        let t = 0.25 * k as f64;
        assert!((x - 2.0 * (3.0 * t * t - 2.0 * t * t * t)).abs() < 1e-6);
    }
    let line = at(
        "CUBICSPLINE",
        &[0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 2.0, 0.0, 0.0, 2.0, 0.0, 0.0, 2.0, 0.0, 0.0, 0.0, 0.0, 0.0],
    );
    for (k, x) in line.iter().enumerate() {
        assert!((x - 0.5 * k as f64).abs() < 1e-6);
    }
}

#[test]
fn the_walking_mannequin_begins_as_the_standing_one_and_stays_whole() {
    let body = parse(&walk_glb(), None).unwrap();
    let (vertices, faces) = mannequin();
    assert_eq!((body.mesh.mesh.faces.len(), body.shapes.len()), (faces.len(), 17));
    for (x, expected) in body.shapes[0].iter().zip(&vertices) {
        assert!(x.distance(DVec3::from_array(*expected)) < 2e-5, "{x} {expected:?}");
    }
    // It walks; its edges are hardly longer or shorter.
    let [first, last] = [&body.shapes[0], &body.shapes[16]];
    let way = last.iter().zip(first).map(|(x, y)| x.z - y.z).sum::<f64>() / last.len() as f64;
    assert!((1.5..3.0).contains(&way), "{way} m");
    for [a, b, _] in &body.mesh.mesh.faces {
        let length = |x: &Vec<DVec3>| x[*a as usize].distance(x[*b as usize]);
        assert!((0.3..3.0).contains(&(length(last) / length(first))));
    }
}

#[test]
fn what_is_wrong_with_a_file_is_told() {
    let (json, bytes) = strip();
    let refuse = |from: &str, to: &str, part: &str| {
        assert!(json.contains(from), "{from}");
        let message = parse(&glb(&json.replacen(from, to, 1), &bytes), None).unwrap_err();
        assert!(message.contains(part) && message.contains("walk.glb"), "{message}");
    };
    refuse(
        "\"joints\": [1, 2]",
        "\"joints\": [1]",
        "vertex 2 follows joint 1, but skin 0 has 1 joints: export all bones",
    );
    refuse(
        "\"joints\": [1, 2]",
        "\"joints\": [1, 7]",
        "skin 0: joint 1 is missing: node 7 is missing: there are 3; export the armature",
    );
    refuse("\"skin\": 0", "\"skin\": 3", "skin 3 is missing");
    refuse(", \"WEIGHTS_0\": 2", "", "vertex 0 follows no joint of skin 0: paint weights");
    refuse(
        "\"count\": 2, \"type\": \"MAT4\"",
        "\"count\": 1, \"type\": \"MAT4\"",
        "2 joints, but 1 inverse bind matrices",
    );
    refuse("\"indices\": 3", "\"indices\": 3, \"mode\": 1", "no triangles: nothing can meet it");
    refuse("\"mesh\": 0, ", "", "no triangles");
    refuse("\"count\": 6", "\"count\": 7", "7 elements do not fit");
    refuse("\"count\": 6", "\"count\": 18446744073709551615", "do not fit");
    refuse("\"bufferView\": 0", "\"bufferView\": 90", "buffer view 90 is missing");
    refuse("\"componentType\": 5123", "\"componentType\": 9", "component type 9 is unknown");
    refuse("\"version\": \"2.0\"", "\"version\": \"1.0\"", "version \"1.0\"");
    refuse(
        "\"scene\": 0",
        "\"scene\": 0, \"extensionsRequired\": [\"KHR_draco_mesh_compression\"]",
        "KHR_draco_mesh_compression, which is not read",
    );
    refuse("\"children\": [2]", "\"children\": [1]", "is its own parent");
    refuse("\"children\": [2]", "\"children\": [8]", "node 8 is missing");
    refuse("\"scene\": 0", "\"scene\" 0", "cannot be read as glTF");
    let whole = glb(&json, &bytes);
    for (bytes, part) in [
        (&b""[..], "cannot be read as glTF"),
        (&whole[..11], "no JSON part"),
        (&whole[..40], "cut off"),
        (&whole[..whole.len() - 8], "cut off"),
    ] {
        let message = parse(bytes, None).unwrap_err();
        assert!(message.contains(part), "{message}");
    }
    let message = parse(&whole, Some("run")).unwrap_err();
    assert!(message.contains("no animation \"run\"; there are \"bend\", \"rest\""), "{message}");
    let message = parse_gltf(&whole, Path::new("a.glb"), 1e9, None).unwrap_err().to_string();
    assert!(message.contains("lower `frame_rate`"), "{message}");
}

#[test]
fn buffers_may_be_in_other_files_or_in_the_text() {
    let (json, bytes) = strip();
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("body.gltf");
    let length = format!("\"byteLength\": {}}}]}}", bytes.len());
    let with = |uri: &str| json.replacen(&length, &format!("\"uri\": \"{uri}\", {length}"), 1);
    let text: String = bytes.iter().map(|byte| format!("%{byte:02x}")).collect();
    std::fs::write(folder.path().join("my numbers.bin"), &bytes).unwrap();
    for uri in ["my%20numbers.bin", &format!("data:application/octet-stream,{text}")] {
        std::fs::write(&path, with(uri)).unwrap();
        assert_eq!(read_gltf(&path, 4.0, None).unwrap(), parse(&glb(&json, &bytes), None).unwrap());
    }
    std::fs::write(&path, with("absent.bin")).unwrap();
    let message = read_gltf(&path, 4.0, None).unwrap_err().to_string();
    assert!(message.contains("buffer 0: cannot read") && message.contains("absent.bin"), "{message}");
    assert!(is_gltf(&path) && is_gltf(Path::new("A.GLB")) && !is_gltf(Path::new("glb")));
}
