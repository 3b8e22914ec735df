//! The mannequin with a skeleton that walks, as a binary glTF file. It stands for a while, sets out and walks along +z.

use crate::mannequin::{Bone, bone_distances, mannequin};
use std::f64::consts::TAU;
use std::fmt::Write;

/// A point \[m\].
type Point = [f64; 3];

/// When the figure sets out, how long it takes to its full stride, and when the animation ends \[s\].
const SETS_OUT: f64 = 1.2;
const GETS_GOING: f64 = 0.6;
const END: f64 = 4.0;
/// Keys per second, double steps per second, and speed \[m/s\].
const KEYS: f64 = 30.0;
const PACE: f64 = 0.9;
const SPEED: f64 = 0.9;
/// Distance over which the influence of a bone ends \[m\].
const REACH: f64 = 0.07;

/// A joint: its bone, its parent and its place in the rest pose \[m\].
const JOINTS: [(Bone, Option<usize>, Point); 12] = [
    (Bone::Hips, None, [0.0, 0.94, -0.01]),
    (Bone::Spine, Some(0), [0.0, 1.06, 0.0]),
    (Bone::UpperArm(1), Some(1), [0.17, 1.40, -0.01]),
    (Bone::Forearm(1), Some(2), [0.38, 1.20, -0.01]),
    (Bone::UpperArm(-1), Some(1), [-0.17, 1.40, -0.01]),
    (Bone::Forearm(-1), Some(4), [-0.38, 1.20, -0.01]),
    (Bone::Thigh(1), Some(0), [0.095, 0.88, -0.01]),
    (Bone::Shin(1), Some(6), [0.10, 0.50, 0.0]),
    (Bone::Foot(1), Some(7), [0.10, 0.08, -0.02]),
    (Bone::Thigh(-1), Some(0), [-0.095, 0.88, -0.01]),
    (Bone::Shin(-1), Some(9), [-0.10, 0.50, 0.0]),
    (Bone::Foot(-1), Some(10), [-0.10, 0.08, -0.02]),
];

/// From 0 before the start to 1 at full stride.
fn stride(time: f64) -> f64 {
    let part = ((time - SETS_OUT) / GETS_GOING).clamp(0.0, 1.0);
    part * part * (3.0 - 2.0 * part)
}

/// Angles of a joint about x, then about z, then about y at a time \[degrees\].
fn angles(bone: Bone, time: f64) -> [f64; 3] {
    let (part, phase) = (stride(time), TAU * PACE * (time - SETS_OUT).max(0.0));
    let side = |side: i8| phase + if side > 0 { 0.0 } else { 0.5 * TAU };
    let thigh = |own: i8| -22.0 * side(own).sin();
    let knee = |own: i8| 5.0 + 40.0 * side(own).cos().max(0.0).powi(2);
    let [x, z, y] = match bone {
        Bone::Hips => [0.0, 0.0, -5.0 * phase.sin()],
        Bone::Spine => [2.0, 0.0, 9.0 * phase.sin()],
        Bone::UpperArm(own) => [16.0 * side(own).sin(), -16.0 * f64::from(own), 0.0],
        Bone::Forearm(own) => [-12.0 - 8.0 * side(own).cos(), 0.0, 0.0],
        Bone::Thigh(own) => [thigh(own), 0.0, 0.0],
        Bone::Shin(own) => [knee(own), 0.0, 0.0],
        Bone::Foot(own) => [-0.6 * (thigh(own) + knee(own)), 0.0, 0.0],
    };
    [part * x, part * z, part * y]
}

/// The rotation about x, then z, then y as a quaternion x, y, z, w, rounded so that it is the same everywhere.
fn quaternion([x, z, y]: [f64; 3]) -> [f64; 4] {
    let half = |angle: f64| (0.5 * angle.to_radians()).sin_cos();
    let [(sx, cx), (sz, cz), (sy, cy)] = [x, z, y].map(half);
    let product = |[ax, ay, az, aw]: [f64; 4], [bx, by, bz, bw]: [f64; 4]| {
        [
            aw * bx + ax * bw + ay * bz - az * by,
            aw * by - ax * bz + ay * bw + az * bx,
            aw * bz + ax * by - ay * bx + az * bw,
            aw * bw - ax * bx - ay * by - az * bz,
        ]
    };
    let turned = product([0.0, sy, 0.0, cy], product([0.0, 0.0, sz, cz], [sx, 0.0, 0.0, cx]));
    turned.map(|number| (1e5 * number).round() / 1e5)
}

/// Translations of the hips at all keys \[m\].
fn ways(times: &[f64], rate: f64) -> Vec<Point> {
    let mut along = 0.0;
    let place = |time: &f64| {
        along += stride(*time) * SPEED / rate;
        let bob = 0.02 * stride(*time) * (2.0 * TAU * PACE * (time - SETS_OUT)).cos();
        let [x, y, z] = JOINTS[0].2;
        [x, y - 0.02 * stride(*time) + bob, z + along].map(|number| (1e5 * number).round() / 1e5)
    };
    times.iter().map(place).collect()
}

/// The four joints that a vertex follows most, with weights of the sum 255.
fn weigh(vertex: Point) -> ([u8; 4], [u8; 4]) {
    let distances = bone_distances(vertex);
    let own = |bone: Bone| {
        distances.iter().filter(|(other, _)| *other == bone).map(|(_, d)| *d).fold(9.0, f64::min)
    };
    let nearest = JOINTS.iter().map(|(bone, ..)| own(*bone)).fold(9.0, f64::min);
    let weight = |bone: Bone| (1.0 - (own(bone) - nearest) / REACH).max(0.0).powi(2);
    let mut weights: Vec<(f64, u8)> =
        JOINTS.iter().zip(0..).map(|((bone, ..), k)| (weight(*bone), k)).collect();
    weights.sort_by(|a, b| b.0.total_cmp(&a.0).then(a.1.cmp(&b.1)));
    weights.truncate(4);
    let sum: f64 = weights.iter().map(|(weight, _)| weight).sum();
    let mut parts: [u8; 4] = std::array::from_fn(|k| (255.0 * weights[k].0 / sum) as u8);
    parts[0] += 255 - parts.iter().sum::<u8>();
    (std::array::from_fn(|k| if parts[k] > 0 { weights[k].1 } else { 0 }), parts)
}

/// A binary file that grows: its numbers, and the JSON of their views and accessors.
#[derive(Default)]
struct Numbers {
    bytes: Vec<u8>,
    views: Vec<String>,
    accessors: Vec<String>,
}

impl Numbers {
    /// Appends rows of bytes as an accessor, whose number it returns. `more` goes into the JSON.
    fn add(&mut self, bytes: &[u8], count: usize, component: u32, kind: &str, more: &str) -> usize {
        self.bytes.resize(self.bytes.len().next_multiple_of(4), 0);
        let (start, view) = (self.bytes.len(), self.views.len());
        self.views.push(format!("{{\"buffer\":0,\"byteOffset\":{start},\"byteLength\":{}}}", bytes.len()));
        self.accessors.push(format!(
            "{{\"bufferView\":{view},\"componentType\":{component},\"count\":{count},\"type\":\"{kind}\"{more}}}"
        ));
        self.bytes.extend_from_slice(bytes);
        view
    }

    fn floats<const N: usize>(&mut self, rows: &[[f64; N]], kind: &str, has_bounds: bool) -> usize {
        let bytes: Vec<u8> =
            rows.iter().flatten().flat_map(|number| (*number as f32).to_le_bytes()).collect();
        let bound = |pick: fn(f32, f32) -> f32, from: f32| {
            let of = |axis: usize| rows.iter().map(|row| row[axis] as f32).fold(from, pick);
            (0..N).map(|axis| of(axis).to_string()).collect::<Vec<_>>().join(",")
        };
        let bounds = || {
            let (low, high) = (bound(f32::min, f32::INFINITY), bound(f32::max, f32::NEG_INFINITY));
            format!(",\"min\":[{low}],\"max\":[{high}]")
        };
        let more = if has_bounds { bounds() } else { String::new() };
        self.add(&bytes, rows.len(), 5126, kind, &more)
    }
}

/// The walking mannequin as the bytes of a `.glb` file.
pub fn walk_glb() -> Vec<u8> {
    let (vertices, faces) = mannequin();
    figure_glb(&vertices, &faces, KEYS)
}

/// A double pyramid that walks as the mannequin does, in a small file.
pub fn small_walk_glb() -> Vec<u8> {
    let vertices = [
        [0.3, 0.9, 0.0],
        [-0.3, 0.9, 0.0],
        [0.0, 0.9, 0.2],
        [0.0, 0.9, -0.2],
        [0.0, 1.6, 0.0],
        [0.1, 0.1, 0.0],
    ];
    let faces = [[0, 2, 5], [2, 1, 5], [1, 3, 5], [3, 0, 5], [2, 0, 4], [1, 2, 4], [3, 1, 4], [0, 3, 4]];
    figure_glb(&vertices, &faces, 2.0)
}

/// A figure, by its vertices \[m\] and faces, with so many keys per second.
fn figure_glb(vertices: &[Point], faces: &[[u32; 3]], rate: f64) -> Vec<u8> {
    let mut numbers = Numbers::default();
    let positions = numbers.floats(vertices, "VEC3", true);
    let (joints, weights): (Vec<[u8; 4]>, Vec<[u8; 4]>) = vertices.iter().map(|x| weigh(*x)).unzip();
    let joints = numbers.add(joints.as_flattened(), vertices.len(), 5121, "VEC4", "");
    let weights = numbers.add(weights.as_flattened(), vertices.len(), 5121, "VEC4", ",\"normalized\":true");
    let corners: Vec<u8> = faces.iter().flatten().flat_map(|v| (*v as u16).to_le_bytes()).collect();
    let corners = numbers.add(&corners, 3 * faces.len(), 5123, "SCALAR", "");
    let bind = |[x, y, z]: Point| [1., 0., 0., 0., 0., 1., 0., 0., 0., 0., 1., 0., -x, -y, -z, 1.];
    let binds: Vec<[f64; 16]> = JOINTS.iter().map(|(.., place)| bind(*place)).collect();
    let binds = numbers.floats(&binds, "MAT4", false);
    let times: Vec<f64> = (0..=(END * rate) as usize).map(|k| k as f64 / rate).collect();
    let input = numbers.floats(&times.iter().map(|time| [*time]).collect::<Vec<_>>(), "SCALAR", true);
    let mut samplers = vec![numbers.floats(&ways(&times, rate), "VEC3", false)];
    for (bone, ..) in JOINTS {
        let turns: Vec<[f64; 4]> = times.iter().map(|time| quaternion(angles(bone, *time))).collect();
        samplers.push(numbers.floats(&turns, "VEC4", false));
    }
    let attributes = format!("{{\"POSITION\":{positions},\"JOINTS_0\":{joints},\"WEIGHTS_0\":{weights}}}");
    pack(&numbers, &[attributes, corners.to_string(), binds.to_string()], input, &samplers)
}

/// The JSON and the numbers as one file. The figure is node 0, its joints are the nodes after it.
fn pack(
    numbers: &Numbers,
    [attributes, corners, binds]: &[String; 3],
    input: usize,
    samplers: &[usize],
) -> Vec<u8> {
    let mut nodes = "{\"name\":\"mannequin\",\"mesh\":0,\"skin\":0}".to_owned();
    for (number, (bone, parent, place)) in JOINTS.iter().enumerate() {
        let children = JOINTS.iter().zip(1..).filter(|((_, parent, _), _)| *parent == Some(number));
        let children: Vec<String> = children.map(|(_, node): (_, usize)| node.to_string()).collect();
        let origin = parent.map_or([0.0; 3], |parent| JOINTS[parent].2);
        let [x, y, z] = std::array::from_fn(|k| (1e5 * (place[k] - origin[k])).round() / 1e5);
        let list = if children.is_empty() {
            String::new()
        } else {
            format!(",\"children\":[{}]", children.join(","))
        };
        let _ = write!(nodes, ",{{\"name\":\"{bone:?}\",\"translation\":[{x},{y},{z}]{list}}}");
    }
    let joints: Vec<String> = (1..=JOINTS.len()).map(|node| node.to_string()).collect();
    let sampler = |output: &usize| format!("{{\"input\":{input},\"output\":{output}}}");
    let outputs: Vec<String> = samplers.iter().map(sampler).collect();
    let mut channels = "{\"sampler\":0,\"target\":{\"node\":1,\"path\":\"translation\"}}".to_owned();
    for node in 1..=JOINTS.len() {
        let _ =
            write!(channels, ",{{\"sampler\":{node},\"target\":{{\"node\":{node},\"path\":\"rotation\"}}}}");
    }
    let mut json = format!(
        "{{\"asset\":{{\"version\":\"2.0\",\"generator\":\"cargo run --example garments\"}},\"scene\":0,\
         \"scenes\":[{{\"nodes\":[0,1]}}],\"nodes\":[{nodes}],\
         \"meshes\":[{{\"primitives\":[{{\"attributes\":{attributes},\"indices\":{corners}}}]}}],\
         \"skins\":[{{\"joints\":[{}],\"inverseBindMatrices\":{binds},\"skeleton\":1}}],\
         \"animations\":[{{\"name\":\"walk\",\"samplers\":[{}],\"channels\":[{channels}]}}],\
         \"accessors\":[{}],\"bufferViews\":[{}],\"buffers\":[{{\"byteLength\":{}}}]}}",
        joints.join(","),
        outputs.join(","),
        numbers.accessors.join(","),
        numbers.views.join(","),
        numbers.bytes.len()
    );
    while !json.len().is_multiple_of(4) {
        json.push(' ');
    }
    let mut binary = numbers.bytes.clone();
    binary.resize(binary.len().next_multiple_of(4), 0);
    let whole = 12 + 8 + json.len() + 8 + binary.len();
    let mut file = b"glTF".to_vec();
    for number in [2, whole as u32, json.len() as u32, 0x4E4F_534A] {
        file.extend(number.to_le_bytes());
    }
    file.extend(json.as_bytes());
    for number in [binary.len() as u32, 0x004E_4942] {
        file.extend(number.to_le_bytes());
    }
    file.extend(binary);
    file
}
