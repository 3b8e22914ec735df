//! Small sound files of every kind that is read.

use crate::common::{FRAME, build, run, square, stiff};
use glam::DVec3;
use std::io::Cursor;
use std::path::Path;
use taffeta::contact::{Obstacle, Shape};
use taffeta::core::{Placement, TriangleMesh};
use taffeta::io::{
    FrameData, GridPattern, NumberArray, NumberKind, parse_garment, parse_gltf, parse_mesh, parse_msh,
    parse_outline, read_npy_numbers, read_npz, read_npz_numbers, read_ply, write_npz, write_npz_numbers,
    write_ply,
};
use taffeta::remesh::RemeshSettings;
use taffeta::scene::Scene;
use taffeta::sim::{Checkpoint, ClothDescription, StepInputs, World, WorldDescription};
use taffeta_fixtures::garments::{skirt, t_shirt};
use taffeta_fixtures::walk::small_walk_glb;

/// Reads a file: why it is refused, or nothing.
type Reader = Box<dyn FnMut(&[u8]) -> Result<(), String>>;

/// Files of a kind and who reads them.
pub(super) struct Kind {
    /// The name of the fuzzer's target for it too.
    pub name: &'static str,
    pub samples: Vec<Vec<u8>>,
    pub read: Reader,
}

/// A reader whose result and error count no more than that.
fn kind<T, E: ToString>(
    name: &'static str,
    samples: Vec<Vec<u8>>,
    mut read: impl FnMut(&[u8]) -> Result<T, E> + 'static,
) -> Kind {
    Kind { name, samples, read: Box::new(move |bytes| read(bytes).map(drop).map_err(|e| e.to_string())) }
}

/// Everything that is read.
pub(super) fn kinds() -> Vec<Kind> {
    let mesh = |name: &'static str| move |bytes: &[u8]| parse_mesh(bytes, Path::new(name));
    let mut world = build(&description());
    vec![
        kind("scene_toml", scenes(), |bytes| read_scene(bytes, "scene.toml")),
        kind("scene_json", json_scenes(), |bytes| read_scene(bytes, "scene.json")),
        kind("obj", vec![obj().into_bytes(), project_file("meshes/plate.obj")], mesh("a.obj")),
        kind("stl", vec![ascii_stl().into_bytes(), binary_stl()], mesh("a.stl")),
        kind("ply", vec![ASCII_PLY.into(), frame_ply()], mesh("a.ply")),
        kind("msh", vec![MSH_2.into(), MSH_4.into()], |bytes| parse_msh(bytes, Path::new("a.msh"))),
        kind("svg", drawings(), |bytes| parse_outline(bytes, Path::new("a.svg"), 5.0, Some(1.0))),
        kind("gltf", vec![small_walk_glb()], |bytes| parse_gltf(bytes, Path::new("a.glb"), 2.0, None)),
        kind("garment", vec![skirt().into_bytes(), t_shirt(&Default::default()).into_bytes()], |bytes| {
            parse_garment(bytes, Path::new("a.json"), 0.1)
        }),
        kind("frame_ply", vec![frame_ply()], read_ply),
        kind("frame_npz", vec![frame_npz()], read_npz),
        kind("npz", vec![frame_npz(), numbers()], |bytes| {
            let arrays = read_npz_numbers(bytes)?;
            arrays.into_iter().try_for_each(|(_, array)| array.map(drop))
        }),
        kind("npy", arrays(), read_npy_numbers),
        kind("checkpoint", checkpoints(), move |bytes| read_checkpoint(bytes, &mut world)),
    ]
}

fn project_file(name: &str) -> Vec<u8> {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..").join(name);
    std::fs::read(&path).unwrap_or_else(|error| panic!("{}: {error}", path.display()))
}

fn scenes() -> Vec<Vec<u8>> {
    ["drape", "sewn_tunic", "torn_sheet", "contact/bullet", "methods/cushion", "methods/rope_whip"]
        .map(|name| project_file(&format!("scenes/{name}.toml")))
        .to_vec()
}

fn json_scenes() -> Vec<Vec<u8>> {
    let json = |toml: Vec<u8>| {
        let text = String::from_utf8(toml).expect("scenes are text");
        let scene = Scene::from_str(&text, Path::new("scene.toml"), &[]).expect("a good scene");
        scene.to_json().to_string().into_bytes()
    };
    scenes().into_iter().map(json).collect()
}

fn read_scene(bytes: &[u8], name: &str) -> Result<Scene, String> {
    let text = std::str::from_utf8(bytes).map_err(|error| error.to_string())?;
    Scene::from_str(text, Path::new(name), &[]).map_err(|error| error.to_string())
}

fn obj() -> String {
    "# a quad and a triangle\nv 0 0 0\nv 1 0 0\nv 1 1 0\nv 0 1 0.5\nvt 0 0\nvt 1 0\nvt 1 1\nvt 0 1\n\
     f 1/1 2/2 3/3 4/4\nv 2 0 0\nf -1/1 3/2 \\\n2/3\n"
        .to_owned()
}

fn ascii_stl() -> String {
    let facet = |corners: &str| {
        let vertices: String = corners.split(';').map(|corner| format!("vertex {corner}\n")).collect();
        format!("facet normal 0 0 1\nouter loop\n{vertices}endloop\nendfacet\n")
    };
    format!("solid a\n{}{}endsolid a\n", facet("0 0 0;1 0 0;0 1 0"), facet("1 0 0;1 1 0.5;0 1 0"))
}

fn binary_stl() -> Vec<u8> {
    let mut bytes = vec![b' '; 80];
    bytes.extend(2_u32.to_le_bytes());
    for corners in [[[0, 0, 0], [1, 0, 0], [0, 1, 0]], [[1, 0, 0], [1, 1, 0], [0, 1, 0]]] {
        bytes.extend([0; 12]);
        corners.as_flattened().iter().for_each(|number: &i16| bytes.extend(f32::from(*number).to_le_bytes()));
        bytes.extend([0; 2]);
    }
    bytes
}

const ASCII_PLY: &str = "ply\nformat ascii 1.0\nelement vertex 4\nproperty float x\nproperty float y\nproperty float z\n\
                         property uchar red\nelement face 1\nproperty list uchar uint vertex_index\nelement edge 1\n\
                         property int vertex1\nproperty int vertex2\nend_header\n0 0 0 255\n1 0 0 0\n1 1 0 9\n\
                         0 1 0.5 1\n4 0 1 2 3\n0 1\n";

const MSH_2: &str = "$MeshFormat\n2.2 0 8\n$EndMeshFormat\n$Nodes\n5\n1 0 0 0\n2 1 0 0\n3 0 1 0\n4 0 0 1\n9 1 1 1\n$EndNodes\n\
                     $Elements\n3\n1 2 2 0 1 1 2 3\n2 4 2 0 1 1 2 3 4\n3 4 0 2 3 4 9\n$EndElements\n";

const MSH_4: &str = "$MeshFormat\n4.1 0 8\n$EndMeshFormat\n$Nodes\n1 4 1 4\n3 1 0 4\n1\n2\n3\n4\n0 0 0\n1 0 0\n0 1 0\n\
                     0 0 1\n$EndNodes\n$Elements\n1 1 1 1\n3 1 4 1\n1 1 2 3 4\n$EndElements\n";

fn drawings() -> Vec<Vec<u8>> {
    let content = "<defs><g id='g'><rect x='60' y='60' width='20' height='30'/></g></defs>\
                   <path d='M10 10C30 0 70 0 90 10L80 50C60 40 40 40 20 50Z M40 20V30H60V20Z' fill-rule='evenodd'/>\
                   <use href='#g' transform='rotate(5)'/><circle cx='30' cy='75' r='12'/>";
    let page = format!("<svg xmlns='http://www.w3.org/2000/svg' viewBox='0 0 100 100'>{content}</svg>");
    vec![page.into_bytes()]
}

fn frame() -> FrameData {
    let mesh = square(2, GridPattern::Crossed);
    let count = mesh.positions.len();
    FrameData {
        velocities: Some((0..count).map(|v| DVec3::new(0.1, v as f64, -0.0)).collect()),
        sizes: Some(vec![0.25; count]),
        strains: Some(vec![1.0 / 3.0; mesh.faces.len()]),
        ..FrameData::surface(mesh)
    }
}

fn frame_ply() -> Vec<u8> {
    let mut bytes = Vec::new();
    write_ply(&mut bytes, &frame()).expect("memory can be written");
    bytes
}

fn frame_npz() -> Vec<u8> {
    let mut bytes = Cursor::new(Vec::new());
    write_npz(&mut bytes, &frame()).expect("memory can be written");
    bytes.into_inner()
}

fn numbers() -> Vec<u8> {
    let TriangleMesh { positions, faces, .. } = square(1, GridPattern::Diagonal);
    let positions: Vec<[f64; 3]> = positions.iter().map(DVec3::to_array).collect();
    let arrays = [
        ("positions".to_owned(), NumberArray::rows(&positions)),
        ("faces".to_owned(), NumberArray::whole_rows(&faces)),
        ("pinned".to_owned(), NumberArray::list(vec![1.0, 0.0, 0.0, 1.0], NumberKind::Truth)),
    ];
    let mut bytes = Cursor::new(Vec::new());
    write_npz_numbers(&mut bytes, &arrays).expect("memory can be written");
    bytes.into_inner()
}

/// Files of single arrays: the header of each, then 24 bytes of numbers.
fn arrays() -> Vec<Vec<u8>> {
    let array = |(kind, shape, order): (&str, &str, &str)| {
        let mut text = format!("{{'descr': '{kind}', 'fortran_order': {order}, 'shape': {shape}, }}");
        text += &" ".repeat(117 - text.len());
        text.push('\n');
        [b"\x93NUMPY\x01\x00".as_slice(), &118_u16.to_le_bytes(), text.as_bytes(), &[1; 24]].concat()
    };
    [
        ("<f8", "(3,)", "False"),
        (">i4", "(2, 3)", "True"),
        ("|b1", "(24,)", "False"),
        ("|u1", "(2, 3, 4)", "False"),
    ]
    .map(array)
    .to_vec()
}

/// A sheet that is remeshed, on a ball.
fn description() -> WorldDescription {
    let mut mesh = square(4, GridPattern::Alternating);
    mesh.positions.iter_mut().for_each(|x| *x = DVec3::new(x.x - 0.5, 0.201, 0.5 - x.y));
    let mut cloth = ClothDescription::new("sheet", mesh, stiff());
    cloth.remesh = Some(RemeshSettings { size_min: 0.08, ..RemeshSettings::by_thresholds() });
    WorldDescription {
        cloths: vec![cloth],
        obstacles: vec![Obstacle::new(Shape::Sphere { radius: 0.2 }, Placement::default())],
        ..WorldDescription::bare()
    }
}

fn checkpoints() -> Vec<Vec<u8>> {
    let mut world = build(&description());
    let start = world.checkpoint().to_bytes();
    run(&mut world, 3);
    vec![start, world.checkpoint().to_bytes()]
}

/// Goes on from a checkpoint by a step, which may fail but leaves a world.
fn read_checkpoint(bytes: &[u8], world: &mut World) -> Result<(), String> {
    let checkpoint = Checkpoint::from_bytes(bytes).map_err(|error| error.to_string())?;
    world.restore(checkpoint).map_err(|error| error.to_string())?;
    world.step(&StepInputs::default(), FRAME).map(drop).map_err(|error| error.to_string())
}
