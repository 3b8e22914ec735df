//! Writing OBJ files.

use crate::frame::FaceGroups;
use glam::{DVec2, DVec3};
use std::collections::BTreeMap;
use std::io::{self, Write};
use taffeta_core::TriangleMesh;

/// Bytes collected between two writes.
const CHUNK: usize = 1 << 20;

/// Writes a mesh: world positions \[m\], corners of the faces, material coordinates of the corners \[m\]. Each vertex
/// with one material coordinate has one `vt` line; numbers are the shortest that read back to the same bits.
///
/// # Errors
/// Those of the writer.
///
/// # Panics
/// If a face refers to a vertex without a position, or the lengths of `faces` and `material` differ.
pub fn write_obj(
    writer: &mut impl Write,
    positions: &[DVec3],
    faces: &[[u32; 3]],
    material: Option<&[[DVec2; 3]]>,
) -> io::Result<()> {
    write_faces(writer, Arrays { positions, faces, material }, None)
}

/// Like [`write_obj`], with a line `g` before faces that are of another group than those before.
///
/// # Errors
/// Those of the writer.
///
/// # Panics
/// As [`write_obj`].
pub fn write_grouped_obj(
    writer: &mut impl Write,
    mesh: &TriangleMesh,
    groups: Option<&FaceGroups>,
) -> io::Result<()> {
    let arrays =
        Arrays { positions: &mesh.positions, faces: &mesh.faces, material: mesh.material.as_deref() };
    write_faces(writer, arrays, groups)
}

/// Positions, corners of the faces, and their material coordinates.
struct Arrays<'a> {
    positions: &'a [DVec3],
    faces: &'a [[u32; 3]],
    material: Option<&'a [[DVec2; 3]]>,
}

fn write_faces(
    writer: &mut impl Write,
    Arrays { positions, faces, material }: Arrays<'_>,
    groups: Option<&FaceGroups>,
) -> io::Result<()> {
    let group_of = |face: usize| groups.and_then(|groups| groups.of_face.get(face));
    let begun = |face: usize| {
        let group = group_of(face).filter(|group| face == 0 || group_of(face - 1) != Some(group));
        group.and_then(|group| groups?.names.get(*group as usize))
    };
    let mut out = Chunks { writer, buffer: Vec::with_capacity(CHUNK + 256) };
    for p in positions {
        out.line(format_args!("v {:?} {:?} {:?}\n", p.x, p.y, p.z))?;
    }
    let Some(material) = material else {
        for (number, [a, b, c]) in faces.iter().map(|face| face.map(|v| v + 1)).enumerate() {
            out.group(begun(number))?;
            out.line(format_args!("f {a} {b} {c}\n"))?;
        }
        return out.finish();
    };
    assert_eq!(faces.len(), material.len(), "every face has material coordinates");
    let table = CoordTable::build(positions.len(), faces, material);
    for u in &table.coords {
        out.line(format_args!("vt {:?} {:?}\n", u.x, u.y))?;
    }
    for (number, (face, corners)) in faces.iter().zip(material).enumerate() {
        out.group(begun(number))?;
        let [a, b, c] = face.map(|v| v + 1);
        let [ta, tb, tc] = [0, 1, 2].map(|k| table.number(face[k], corners[k]));
        out.line(format_args!("f {a}/{ta} {b}/{tb} {c}/{tc}\n"))?;
    }
    out.finish()
}

/// Material points of a mesh.
#[derive(Clone, Copy, Debug)]
pub struct MaterialPoints<'a> {
    /// Their coordinates \[m\].
    pub coords: &'a [[f64; 2]],
    /// Their numbers at the corners of the faces.
    pub faces: &'a [[u32; 3]],
}

/// Writes a mesh: world positions \[m\], corners of the faces, and material points \[m\] with their numbers at the corners, if
/// there are any. The points are written in their order, a `vt` line each.
///
/// # Errors
/// Those of the writer.
///
/// # Panics
/// If the faces and the faces of material points are not equally many.
pub fn write_indexed_obj(
    writer: &mut impl Write,
    positions: &[DVec3],
    faces: &[[u32; 3]],
    material: Option<MaterialPoints>,
) -> io::Result<()> {
    let Some(material) = material else { return write_obj(writer, positions, faces, None) };
    assert_eq!(faces.len(), material.faces.len(), "every face has material points");
    let mut out = Chunks { writer, buffer: Vec::with_capacity(CHUNK + 256) };
    for p in positions {
        out.line(format_args!("v {:?} {:?} {:?}\n", p.x, p.y, p.z))?;
    }
    for [u, v] in material.coords {
        out.line(format_args!("vt {u:?} {v:?}\n"))?;
    }
    for (face, points) in faces.iter().zip(material.faces) {
        let ([a, b, c], [ta, tb, tc]) = (face.map(|v| v + 1), points.map(|point| point + 1));
        out.line(format_args!("f {a}/{ta} {b}/{tb} {c}/{tc}\n"))?;
    }
    out.finish()
}

/// Writes a polyline: world positions \[m\] and one `l` element through all of them.
///
/// # Errors
/// Those of the writer.
pub fn write_polyline(writer: &mut impl Write, points: &[DVec3]) -> io::Result<()> {
    let mut out = Chunks { writer, buffer: Vec::with_capacity(CHUNK + 256) };
    for p in points {
        out.line(format_args!("v {:?} {:?} {:?}\n", p.x, p.y, p.z))?;
    }
    out.line(format_args!("l"))?;
    for number in 1..=points.len() {
        out.line(format_args!(" {number}"))?;
    }
    out.line(format_args!("\n"))?;
    out.finish()
}

/// The different coordinates, those of a vertex together, in the order of the vertices.
struct CoordTable {
    coords: Vec<DVec2>,
    /// For each vertex the first coordinate that a face gives it, and its number.
    first: Vec<Option<(DVec2, u32)>>,
    /// Numbers of all further coordinates.
    others: BTreeMap<(u32, [u64; 2]), u32>,
}

impl CoordTable {
    fn build(vertex_count: usize, faces: &[[u32; 3]], material: &[[DVec2; 3]]) -> Self {
        let mut first: Vec<Option<(DVec2, u32)>> = vec![None; vertex_count];
        let mut others: BTreeMap<(u32, [u64; 2]), u32> = BTreeMap::new();
        for (face, corners) in faces.iter().zip(material) {
            for (vertex, u) in face.iter().zip(corners) {
                let (known, _) = *first[*vertex as usize].get_or_insert((*u, 0));
                if bits(known) != bits(*u) {
                    others.insert((*vertex, bits(*u)), 0);
                }
            }
        }
        let mut coords = Vec::with_capacity(vertex_count + others.len());
        let mut more = others.iter_mut().peekable();
        for (vertex, slot) in first.iter_mut().enumerate() {
            let Some((u, number)) = slot else { continue };
            coords.push(*u);
            *number = coords.len() as u32;
            while let Some(((_, bits), number)) = more.next_if(|((v, _), _)| *v as usize == vertex) {
                coords.push(DVec2::from_array(bits.map(f64::from_bits)));
                *number = coords.len() as u32;
            }
        }
        Self { coords, first, others }
    }

    fn number(&self, vertex: u32, u: DVec2) -> u32 {
        match self.first[vertex as usize] {
            Some((known, number)) if bits(known) == bits(u) => number,
            _ => self.others[&(vertex, bits(u))],
        }
    }
}

fn bits(u: DVec2) -> [u64; 2] {
    u.to_array().map(f64::to_bits)
}

/// Lines on their way to a writer, in large pieces.
struct Chunks<'a, W: Write> {
    writer: &'a mut W,
    buffer: Vec<u8>,
}

impl<W: Write> Chunks<'_, W> {
    /// Begins a group, if one begins.
    fn group(&mut self, begun: Option<&String>) -> io::Result<()> {
        begun.map_or(Ok(()), |name| self.line(format_args!("g {name}\n")))
    }

    fn line(&mut self, text: std::fmt::Arguments<'_>) -> io::Result<()> {
        self.buffer.write_fmt(text)?;
        if self.buffer.len() >= CHUNK {
            self.writer.write_all(&self.buffer)?;
            self.buffer.clear();
        }
        Ok(())
    }

    fn finish(self) -> io::Result<()> {
        self.writer.write_all(&self.buffer)?;
        self.writer.flush()
    }
}
