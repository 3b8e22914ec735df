//! PLY: binary, little-endian.
//!
//! | element | properties |
//! |---|---|
//! | `vertex` | `double x y z` \[m\]; `double vx vy vz`, the velocity \[m/s\]; `double size` \[m\]; `double vertex_name`, the number in the file that the cloth was made from, −1: added since |
//! | `face` | `list uchar int vertex_indices`; `list uchar double texcoord`, the material coordinates u, v of the three corners \[m\]; `double strain`; `double curvature` \[1/m\]; `double strain_jump`; `double curvature_jump` \[1/m\]; `double plastic_curvature` \[1/m\]; `int panel` |
//! | `edge`, of a rope in place of `face` | `int vertex1 vertex2` |
//!
//! Properties that are not known are absent. The comments `frame N` and `time T` of the header have the number of the frame and
//! its time \[s\]. `panel N NAME` has the name of a panel.

pub(crate) mod file;

use crate::frame::{FACE_SCALARS, FaceGroups, FrameData, ReadError, to_index};
use file::{PlyFile, Table};
use glam::{DVec2, DVec3};
use std::io::{self, Write};

/// Comment in the header of every file.
const COMMENT: &str = "Taffeta; lengths in m, velocities in m/s, curvatures in 1/m";

/// Starts of the comments with the number of the frame and its time \[s\].
const FRAME: &str = "frame ";
const TIME: &str = "time ";
/// Start of a comment with the number and the name of a panel.
const PANEL: &str = "panel ";

/// Writes a frame.
///
/// # Errors
/// Those of the writer.
pub fn write_ply(writer: impl Write, frame: &FrameData) -> io::Result<()> {
    let mut out = io::BufWriter::new(writer);
    out.write_all(header(frame).as_bytes())?;
    let mut row = Vec::new();
    for v in 0..frame.mesh.positions.len() {
        row.clear();
        push_vertex(frame, v, &mut row);
        out.write_all(&row)?;
    }
    let faces =
        if frame.is_curve { frame.mesh.positions.len().saturating_sub(1) } else { frame.mesh.faces.len() };
    for f in 0..faces {
        row.clear();
        push_face(frame, f, &mut row);
        out.write_all(&row)?;
    }
    out.flush()
}

/// The header of a file: what [`push_vertex`] and [`push_face`] append.
fn header(frame: &FrameData) -> String {
    let (vertices, faces) = (frame.mesh.positions.len(), frame.mesh.faces.len());
    let mut text = format!("ply\nformat binary_little_endian 1.0\ncomment {COMMENT}\n");
    if let Some(number) = frame.number {
        text += &format!("comment {FRAME}{number}\n");
    }
    if let Some(time) = frame.time {
        text += &format!("comment {TIME}{time:?}\n");
    }
    for (number, name) in frame.panels.iter().flat_map(|panels| panels.names.iter().enumerate()) {
        text += &format!("comment {PANEL}{number} {name}\n");
    }
    text += &format!("element vertex {vertices}\n");
    let mut add = |names: &[&str], kind: &str| {
        names.iter().for_each(|name| text += &format!("property {kind} {name}\n"));
    };
    add(&["x", "y", "z"], "double");
    if frame.velocities.is_some() {
        add(&["vx", "vy", "vz"], "double");
    }
    if frame.sizes.is_some() {
        add(&["size"], "double");
    }
    if frame.vertex_names.is_some() {
        add(&["vertex_name"], "double");
    }
    if frame.is_curve {
        let edges = vertices.saturating_sub(1);
        return text
            + &format!("element edge {edges}\nproperty int vertex1\nproperty int vertex2\nend_header\n");
    }
    text += &format!("element face {faces}\nproperty list uchar int vertex_indices\n");
    if frame.mesh.material.is_some() {
        text += "property list uchar double texcoord\n";
    }
    for (name, values) in FACE_SCALARS.into_iter().zip(frame.face_scalars()) {
        if values.is_some() {
            text += &format!("property double {name}\n");
        }
    }
    if frame.panels.is_some() {
        text += "property int panel\n";
    }
    text + "end_header\n"
}

/// Appends a vertex.
fn push_vertex(frame: &FrameData, v: usize, row: &mut Vec<u8>) {
    let mut push = |number: f64| row.extend(number.to_le_bytes());
    frame.mesh.positions[v].to_array().into_iter().for_each(&mut push);
    if let Some(velocities) = &frame.velocities {
        velocities[v].to_array().into_iter().for_each(&mut push);
    }
    if let Some(sizes) = &frame.sizes {
        push(sizes[v]);
    }
    if let Some(names) = &frame.vertex_names {
        push(names[v].map_or(-1.0, f64::from));
    }
}

/// Appends a face, or of a rope an edge.
fn push_face(frame: &FrameData, f: usize, row: &mut Vec<u8>) {
    if frame.is_curve {
        [f as i32, f as i32 + 1].iter().for_each(|v| row.extend(v.to_le_bytes()));
        return;
    }
    row.push(3);
    frame.mesh.faces[f].iter().for_each(|v| row.extend((*v as i32).to_le_bytes()));
    if let Some(material) = &frame.mesh.material {
        row.push(6);
        material[f].iter().flat_map(|u| u.to_array()).for_each(|c| row.extend(c.to_le_bytes()));
    }
    let values = frame.face_scalars().into_iter().flatten();
    values.for_each(|list| row.extend(list[f].to_le_bytes()));
    if let Some(panels) = &frame.panels {
        row.extend((panels.of_face[f] as i32).to_le_bytes());
    }
}

/// Reads a frame that [`write_ply`] has written.
///
/// # Errors
/// If the bytes are no PLY file, or one with other elements and types, or its header claims more elements than it has.
pub fn read_ply(bytes: &[u8]) -> Result<FrameData, ReadError> {
    let mut file = PlyFile::open(bytes)?;
    let elements = file.elements.clone();
    let names: Vec<&str> = elements.iter().map(|element| element.name.as_str()).collect();
    let is_curve = names.contains(&"edge");
    if names != ["vertex", if is_curve { "edge" } else { "face" }] {
        return Err(ReadError(format!("it has the elements {names:?}, but vertex and face are expected")));
    }
    let (vertices, faces) = (file.read(&elements[0])?, file.read(&elements[1])?);
    let comment = |start: &str| file.comments.iter().find_map(|text| text.strip_prefix(start));
    // No number of a vertex is as large as what a cast would cut off.
    let name = |name: &f64| (*name >= 0.0).then_some(*name as u32);
    let mut frame = FrameData {
        number: comment(FRAME).and_then(|number| number.parse().ok()),
        time: comment(TIME).and_then(|time| time.parse().ok()),
        is_curve,
        vertex_names: vertices.numbers("vertex_name").map(|names| names.iter().map(name).collect()),
        velocities: read_vectors(&vertices, ["vx", "vy", "vz"]),
        sizes: vertices.numbers("size").map(<[f64]>::to_vec),
        ..FrameData::default()
    };
    for (name, slot) in FACE_SCALARS.into_iter().zip(frame.face_scalars_mut()) {
        *slot = faces.numbers(name).map(<[f64]>::to_vec);
    }
    let positions = read_vectors(&vertices, ["x", "y", "z"]);
    frame.mesh.positions =
        positions.ok_or_else(|| ReadError("its vertices have no x, y and z".to_owned()))?;
    if !is_curve {
        let corners = faces.lists("vertex_indices");
        let corners = corners.ok_or_else(|| ReadError("its faces have no vertex_indices".to_owned()))?;
        frame.mesh.faces = corners.map(read_corners).collect::<Result<_, _>>()?;
        let material =
            faces.lists("texcoord").map(|lists| lists.map(read_material).collect::<Result<_, _>>());
        frame.mesh.material = material.transpose()?;
    }
    if let Some(panels) = faces.numbers("panel") {
        let names = file.comments.iter().filter_map(|text| text.strip_prefix(PANEL)?.split_once(' '));
        frame.panels = Some(FaceGroups {
            names: names.map(|(_, name)| name.to_owned()).collect(),
            of_face: panels.iter().map(|panel| to_index(*panel).unwrap_or(u32::MAX)).collect(),
        });
    }
    frame.find_defect().map_or(Ok(frame), |defect| Err(ReadError(defect)))
}

/// Vectors from three properties; `None`: one of them is not there.
pub(crate) fn read_vectors(table: &Table, names: [&str; 3]) -> Option<Vec<DVec3>> {
    let [x, y, z] = names.map(|name| table.numbers(name));
    let (x, y, z) = (x?, y?, z?);
    Some((0..x.len()).map(|v| DVec3::new(x[v], y[v], z[v])).collect())
}

fn read_corners(corners: &[f64]) -> Result<[u32; 3], ReadError> {
    let indices: Vec<u32> = corners.iter().filter_map(|v| to_index(*v)).collect();
    <[u32; 3]>::try_from(indices)
        .map_err(|_| ReadError(format!("a face has the corners {corners:?}, but must be a triangle")))
}

fn read_material(coords: &[f64]) -> Result<[DVec2; 3], ReadError> {
    match *coords {
        [a, b, c, d, e, f] => Ok([DVec2::new(a, b), DVec2::new(c, d), DVec2::new(e, f)]),
        _ => Err(ReadError(format!("a face has {} texture coordinates, but 6 are expected", coords.len()))),
    }
}
