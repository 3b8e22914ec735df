//! PLY: binary, little-endian.
//!
//! | element | properties |
//! |---|---|
//! | `vertex` | `double x y z` \[m\]; `double vx vy vz`, the velocity \[m/s\]; `double size` \[m\]; `double vertex_name`, the number in the file that the cloth was made from, −1: added since |
//! | `face` | `list uchar int vertex_indices`; `list uchar double texcoord`, the material coordinates u, v of the three corners \[m\]; `double strain`; `double curvature` \[1/m\]; `double strain_jump`; `double curvature_jump` \[1/m\]; `double plastic_curvature` \[1/m\] |
//! | `edge`, of a rope in place of `face` | `int vertex1 vertex2` |
//!
//! Properties that are not known are absent. The comments `frame N` and `time T` of the header have the number of the frame and
//! its time \[s\].

use crate::claims::check_elements;
use crate::frame::{FACE_SCALAR_COUNT, FACE_SCALARS, FrameData, ReadError};
use glam::{DVec2, DVec3};
use ply_rs_bw::parser::{Parser, Reader};
use ply_rs_bw::ply::{
    Addable, ElementDef, Encoding, Header, PropertyAccess, PropertyAccessResult, PropertyDef, PropertyType,
    ScalarType,
};
use ply_rs_bw::writer::Writer;
use std::io::{self, Write};

/// Comment in the header of every file.
const COMMENT: &str = "Taffeta; lengths in m, velocities in m/s, curvatures in 1/m";

/// Starts of the comments with the number of the frame and its time \[s\].
const FRAME: &str = "frame ";
const TIME: &str = "time ";

/// A vertex: position, velocity, size, name.
#[derive(Clone, Copy, Debug, Default)]
struct PlyVertex([f64; 8]);

const VERTEX_PROPERTIES: [&str; 8] = ["x", "y", "z", "vx", "vy", "vz", "size", "vertex_name"];

impl PropertyAccess for PlyVertex {
    fn new() -> Self {
        Self::default()
    }

    fn set_double(&mut self, name: &str, value: f64) -> PropertyAccessResult {
        let Some(place) = VERTEX_PROPERTIES.iter().position(|known| *known == name) else {
            return PropertyAccessResult::Ignored;
        };
        self.0[place] = value;
        PropertyAccessResult::Set
    }

    fn get_double(&self, name: &str) -> Option<f64> {
        VERTEX_PROPERTIES.iter().position(|known| *known == name).map(|place| self.0[place])
    }
}

/// A face, or with two corners an edge.
#[derive(Clone, Debug, Default)]
struct PlyFace {
    corners: Vec<i32>,
    texcoord: Vec<f64>,
    scalars: [f64; FACE_SCALAR_COUNT],
}

impl PropertyAccess for PlyFace {
    fn new() -> Self {
        Self::default()
    }

    fn set_list_int(&mut self, _: &str, value: Vec<i32>) -> PropertyAccessResult {
        self.corners = value;
        PropertyAccessResult::Set
    }

    fn set_list_double(&mut self, _: &str, value: Vec<f64>) -> PropertyAccessResult {
        self.texcoord = value;
        PropertyAccessResult::Set
    }

    fn set_double(&mut self, name: &str, value: f64) -> PropertyAccessResult {
        let Some(place) = FACE_SCALARS.iter().position(|known| *known == name) else {
            return PropertyAccessResult::Ignored;
        };
        self.scalars[place] = value;
        PropertyAccessResult::Set
    }

    fn set_int(&mut self, _: &str, value: i32) -> PropertyAccessResult {
        self.corners.push(value);
        PropertyAccessResult::Set
    }

    fn get_list_int(&self, _: &str) -> Option<&[i32]> {
        Some(&self.corners)
    }

    fn get_list_double(&self, _: &str) -> Option<&[f64]> {
        Some(&self.texcoord)
    }

    fn get_double(&self, name: &str) -> Option<f64> {
        FACE_SCALARS.iter().position(|known| *known == name).map(|place| self.scalars[place])
    }

    fn get_int(&self, name: &str) -> Option<i32> {
        self.corners.get(usize::from(name == "vertex2")).copied()
    }
}

/// Writes a frame.
///
/// # Errors
/// Those of the writer.
pub fn write_ply(writer: impl Write, frame: &FrameData) -> io::Result<()> {
    let mut out = io::BufWriter::new(writer);
    let mut header = Header::new();
    header.encoding = Encoding::BinaryLittleEndian;
    header.comments.push(COMMENT.to_owned());
    header.comments.extend(frame.number.map(|number| format!("{FRAME}{number}")));
    header.comments.extend(frame.time.map(|time| format!("{TIME}{time:?}")));
    let (vertices, faces) = (collect_vertices(frame), collect_faces(frame));
    header.elements.add(define_vertices(frame, vertices.len()));
    header.elements.add(define_faces(frame, faces.len()));
    let (of_vertices, of_faces) = (Writer::<PlyVertex>::new(), Writer::<PlyFace>::new());
    of_vertices.write_header(&mut out, &header).map_err(io::Error::other)?;
    of_vertices
        .write_payload_of_element(&mut out, &vertices, &header.elements["vertex"], &header)
        .map_err(io::Error::other)?;
    let element = &header.elements[if frame.is_curve { "edge" } else { "face" }];
    of_faces.write_payload_of_element(&mut out, &faces, element, &header).map_err(io::Error::other)?;
    out.flush()
}

fn collect_vertices(frame: &FrameData) -> Vec<PlyVertex> {
    let vertex = |v: usize| {
        let position = frame.mesh.positions[v];
        let velocity = frame.velocities.as_ref().map_or(DVec3::ZERO, |list| list[v]);
        let size = frame.sizes.as_ref().map_or(0.0, |list| list[v]);
        let name = frame.vertex_names.as_ref().and_then(|list| list[v]).map_or(-1.0, f64::from);
        PlyVertex([position.x, position.y, position.z, velocity.x, velocity.y, velocity.z, size, name])
    };
    (0..frame.mesh.positions.len()).map(vertex).collect()
}

fn collect_faces(frame: &FrameData) -> Vec<PlyFace> {
    if frame.is_curve {
        let segments = 1..frame.mesh.positions.len() as i32;
        return segments.map(|v| PlyFace { corners: vec![v - 1, v], ..PlyFace::default() }).collect();
    }
    let face = |f: usize| PlyFace {
        corners: frame.mesh.faces[f].iter().map(|v| *v as i32).collect(),
        texcoord: frame
            .mesh
            .material
            .as_ref()
            .map_or(Vec::new(), |corners| corners[f].iter().flat_map(|u| u.to_array()).collect()),
        scalars: frame.face_scalars().map(|values| values.as_ref().map_or(0.0, |list| list[f])),
    };
    (0..frame.mesh.faces.len()).map(face).collect()
}

fn define_vertices(frame: &FrameData, count: usize) -> ElementDef {
    let known = |name: &&str| match *name {
        "vx" | "vy" | "vz" => frame.velocities.is_some(),
        "size" => frame.sizes.is_some(),
        "vertex_name" => frame.vertex_names.is_some(),
        _ => true,
    };
    let mut element = ElementDef::new("vertex".to_owned());
    element.count = count;
    for name in VERTEX_PROPERTIES.iter().filter(|name| known(name)) {
        element
            .properties
            .add(PropertyDef::new((*name).to_owned(), PropertyType::Scalar(ScalarType::Double)));
    }
    element
}

fn define_faces(frame: &FrameData, count: usize) -> ElementDef {
    let mut element = ElementDef::new(if frame.is_curve { "edge" } else { "face" }.to_owned());
    element.count = count;
    let mut add = |name: &str, kind| element.properties.add(PropertyDef::new(name.to_owned(), kind));
    if frame.is_curve {
        ["vertex1", "vertex2"].iter().for_each(|name| add(name, PropertyType::Scalar(ScalarType::Int)));
        return element;
    }
    add("vertex_indices", PropertyType::List(ScalarType::UChar, ScalarType::Int));
    if frame.mesh.material.is_some() {
        add("texcoord", PropertyType::List(ScalarType::UChar, ScalarType::Double));
    }
    for (name, values) in FACE_SCALARS.into_iter().zip(frame.face_scalars()) {
        if values.is_some() {
            add(name, PropertyType::Scalar(ScalarType::Double));
        }
    }
    element
}

/// Reads a frame that [`write_ply`] has written.
///
/// # Errors
/// If the bytes are no PLY file, or one with other elements and types, or its header claims more elements than it has.
pub fn read_ply(bytes: &[u8]) -> Result<FrameData, ReadError> {
    let mut reader = Reader::new(bytes);
    let (of_vertices, of_faces) = (Parser::<PlyVertex>::new(), Parser::<PlyFace>::new());
    let header = of_vertices.read_header(&mut reader).map_err(ReadError::new)?;
    check_elements(&header, reader.get_ref().len())?;
    let has = |element: &str, name: &str| {
        header.elements.get(element).is_some_and(|element| element.properties.contains_key(name))
    };
    let is_curve = header.elements.contains_key("edge");
    let names: Vec<&str> = header.elements.keys().map(String::as_str).collect();
    if names != ["vertex", if is_curve { "edge" } else { "face" }] {
        return Err(ReadError(format!("it has the elements {names:?}, but vertex and face are expected")));
    }
    let element = |k: usize| &header.elements[k];
    let vertices =
        of_vertices.read_payload_for_element(&mut reader, element(0), &header).map_err(ReadError::new)?;
    let faces =
        of_faces.read_payload_for_element(&mut reader, element(1), &header).map_err(ReadError::new)?;
    let vector =
        |k: usize| vertices.iter().map(move |PlyVertex(x)| DVec3::from_slice(&x[k..k + 3])).collect();
    let comment = |start: &str| header.comments.iter().find_map(|text| text.strip_prefix(start));
    // No number of a vertex is as large as what a cast would cut off.
    let name = |PlyVertex(x): &PlyVertex| (x[7] >= 0.0).then_some(x[7] as u32);
    let mut frame = FrameData {
        number: comment(FRAME).and_then(|number| number.parse().ok()),
        time: comment(TIME).and_then(|time| time.parse().ok()),
        is_curve,
        vertex_names: has("vertex", "vertex_name").then(|| vertices.iter().map(name).collect()),
        velocities: has("vertex", "vx").then(|| vector(3)),
        sizes: has("vertex", "size").then(|| vertices.iter().map(|PlyVertex(x)| x[6]).collect()),
        ..FrameData::default()
    };
    for (place, slot) in frame.face_scalars_mut().into_iter().enumerate() {
        *slot =
            has("face", FACE_SCALARS[place]).then(|| faces.iter().map(|face| face.scalars[place]).collect());
    }
    frame.mesh.positions = vector(0);
    if !is_curve {
        frame.mesh.faces = faces.iter().map(read_corners).collect::<Result<_, _>>()?;
        if has("face", "texcoord") {
            frame.mesh.material = Some(faces.iter().map(read_material).collect::<Result<_, _>>()?);
        }
    }
    frame.find_defect().map_or(Ok(frame), |defect| Err(ReadError(defect)))
}

fn read_corners(face: &PlyFace) -> Result<[u32; 3], ReadError> {
    let corners: Vec<u32> = face.corners.iter().filter_map(|v| u32::try_from(*v).ok()).collect();
    <[u32; 3]>::try_from(corners)
        .map_err(|_| ReadError(format!("a face has the corners {:?}, but must be a triangle", face.corners)))
}

fn read_material(face: &PlyFace) -> Result<[DVec2; 3], ReadError> {
    match face.texcoord.as_slice() {
        [a, b, c, d, e, f] => Ok([DVec2::new(*a, *b), DVec2::new(*c, *d), DVec2::new(*e, *f)]),
        other => {
            Err(ReadError(format!("a face has {} texture coordinates, but 6 are expected", other.len())))
        }
    }
}
