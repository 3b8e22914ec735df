//! USDA: Universal Scene Description as text, one file per body, all frames.
//!
//! A surface is a `Mesh` without subdivision, a rope a linear `BasisCurves`. Time codes are the numbers of the frames. These
//! attributes are sampled at every frame:
//!
//! * points, topology, `primvars:st` (the material coordinates \[m\], by corner), velocities (per second), and `primvars:size`;
//! * the faces of panels with names, each a `GeomSubset` of the family `panel`;
//! * values of faces: `primvars:strain`, `curvature`, `strain_jump`, `curvature_jump` and `plastic_curvature`.
//!
//! USD gives points 32 bits.
//!
//! Written by hand as a stream: the attributes of a prim stand one after the other, each with all its frames. So each
//! attribute goes to a temporary file of its own, and [`UsdaWriter::finish`] puts them together; a run of any length
//! takes no more memory than a frame. (`openusd` 0.6 writes a whole layer from memory.)

use crate::frame::{FaceGroups, FrameData};
use crate::spanning::{Files, RigidBody, Span, SpanningWriter};
use glam::DVec3;
use std::collections::BTreeMap;
use std::collections::btree_map::Entry;
use std::fs::File;
use std::io::{self, BufWriter, Seek, Write};
use std::path::{Path, PathBuf};
use taffeta_core::motion::Pose;

/// A body with frames on its way to a file.
pub struct UsdaWriter {
    prim: String,
    rate: f64,
    up: DVec3,
    scratch: PathBuf,
    frames: Option<[u64; 2]>,
    kind: &'static str,
    attributes: BTreeMap<usize, BufWriter<File>>,
    /// The faces of the panels, by their names.
    panels: BTreeMap<String, BufWriter<File>>,
}

/// An attribute that is sampled: its declaration and its metadata.
struct Attribute(&'static str, &'static str);

/// The attributes in the order of the file.
const ATTRIBUTES: [Attribute; 14] = [
    Attribute("float3[] extent", ""),
    Attribute("int[] faceVertexCounts", ""),
    Attribute("int[] faceVertexIndices", ""),
    Attribute("int[] curveVertexCounts", ""),
    Attribute("point3f[] points", ""),
    Attribute("vector3f[] velocities", ""),
    Attribute("texCoord2f[] primvars:st", "interpolation = \"faceVarying\""),
    Attribute("float[] primvars:size", "interpolation = \"vertex\""),
    Attribute("float[] primvars:strain", "interpolation = \"uniform\""),
    Attribute("float[] primvars:curvature", "interpolation = \"uniform\""),
    Attribute("float[] primvars:strain_jump", "interpolation = \"uniform\""),
    Attribute("float[] primvars:curvature_jump", "interpolation = \"uniform\""),
    Attribute("float[] primvars:plastic_curvature", "interpolation = \"uniform\""),
    Attribute("matrix4d xformOp:transform", ""),
];
const EXTENT: usize = 0;
const FACE_COUNTS: usize = 1;
const FACE_INDICES: usize = 2;
const CURVE_COUNTS: usize = 3;
const POINTS: usize = 4;
const VELOCITIES: usize = 5;
const MATERIAL: usize = 6;
const SIZES: usize = 7;
/// The first of those that have a number per face.
const FACE_VALUES: usize = 8;
const TRANSFORM: usize = 13;

/// The file of the obstacles. Names of bodies have no dots.
pub const OBSTACLES: &str = "scene.obstacles.usda";

/// The files of a run: one for each body, and one for the obstacles.
pub struct UsdaFiles {
    span: Span,
    /// The body whose frames come now.
    open: Option<(String, UsdaWriter)>,
}

impl UsdaFiles {
    /// Starts the files of a run.
    ///
    /// # Errors
    /// None.
    pub fn start(span: Span) -> io::Result<Box<dyn SpanningWriter>> {
        Ok(Box::new(Self { span, open: None }))
    }
}

impl SpanningWriter for UsdaFiles {
    fn add(&mut self, body: &str, number: u64, frame: &FrameData) -> io::Result<()> {
        let Span { frame_rate, up, scratch, .. } = &self.span;
        let start = || (body.to_owned(), UsdaWriter::new(body, *frame_rate, scratch).upward(*up));
        self.open.get_or_insert_with(start).1.add(number, frame)
    }

    fn end_body(&mut self, files: &mut Files<'_>) -> io::Result<()> {
        let Some((body, writer)) = self.open.take() else { return Ok(()) };
        files(&format!("{body}.usda"), Box::new(|file| writer.finish(file)))
    }

    fn finish(self: Box<Self>, obstacles: &[RigidBody], files: &mut Files<'_>) -> io::Result<()> {
        if obstacles.is_empty() {
            return Ok(());
        }
        let Span { frame_rate, up, frames, .. } = self.span;
        files(OBSTACLES, Box::new(|file| write_usda_bodies(file, frame_rate, up, frames, obstacles)))
    }
}

impl UsdaWriter {
    /// Starts a body of a name, with so many frames per second \[1/s\]. Temporary files without a name go to the folder
    /// `scratch`.
    pub fn new(name: &str, frame_rate: f64, scratch: &Path) -> Self {
        Self {
            prim: prim_name(name),
            rate: frame_rate,
            up: DVec3::Y,
            scratch: scratch.to_owned(),
            frames: None,
            kind: "Mesh",
            attributes: BTreeMap::new(),
            panels: BTreeMap::new(),
        }
    }

    /// Sets the direction that is upward; USD knows y and z. By default it is y.
    #[must_use]
    pub fn upward(self, up: DVec3) -> Self {
        Self { up, ..self }
    }

    /// Adds a frame. Numbers must increase.
    ///
    /// # Errors
    /// If a temporary file cannot be written.
    pub fn add(&mut self, number: u64, frame: &FrameData) -> io::Result<()> {
        let first = self.frames.map_or(number, |[first, _]| first);
        self.frames = Some([first, number]);
        let mesh = &frame.mesh;
        self.sample(EXTENT, number, extent(&mesh.positions).iter().map(|x| vector(*x)))?;
        if frame.is_curve {
            self.kind = "BasisCurves";
            self.sample(CURVE_COUNTS, number, [mesh.positions.len().to_string()].into_iter())?;
        } else {
            self.sample(FACE_COUNTS, number, mesh.faces.iter().map(|_| "3".to_owned()))?;
            self.sample(FACE_INDICES, number, mesh.faces.iter().flatten().map(u32::to_string))?;
        }
        self.sample(POINTS, number, mesh.positions.iter().map(|x| vector(*x)))?;
        if let Some(velocities) = &frame.velocities {
            self.sample(VELOCITIES, number, velocities.iter().map(|v| vector(*v)))?;
        }
        if let Some(material) = &mesh.material {
            let pairs = material.iter().flatten().map(|u| format!("({}, {})", u.x as f32, u.y as f32));
            self.sample(MATERIAL, number, pairs)?;
        }
        let of_faces = (FACE_VALUES..).zip(frame.face_scalars());
        for (which, values) in [(SIZES, &frame.sizes)].into_iter().chain(of_faces) {
            if let Some(values) = values {
                self.sample(which, number, values.iter().map(|value| (*value as f32).to_string()))?;
            }
        }
        for (name, faces) in frame.panels.iter().flat_map(FaceGroups::lists) {
            let out = temporary(&mut self.panels, prim_name(name), &self.scratch)?;
            write_sample(out, number, faces.iter().map(u32::to_string))?;
        }
        Ok(())
    }

    /// Appends a frame to an attribute.
    fn sample(&mut self, which: usize, number: u64, values: impl Iterator<Item = String>) -> io::Result<()> {
        write_sample(temporary(&mut self.attributes, which, &self.scratch)?, number, values)
    }

    /// Writes the file.
    ///
    /// # Errors
    /// Those of the writer and of the temporary files.
    pub fn finish(self, writer: impl Write) -> io::Result<()> {
        let mut out = BufWriter::new(writer);
        let prim = &self.prim;
        write_header(&mut out, prim, self.rate, self.up, self.frames.unwrap_or_default())?;
        writeln!(out, "\ndef {} \"{prim}\"\n{{", self.kind)?;
        match self.kind {
            "Mesh" => writeln!(
                out,
                "    uniform token subdivisionScheme = \"none\"\n    uniform token orientation = \"rightHanded\"\n    \
                 uniform bool doubleSided = 1"
            )?,
            _ => writeln!(
                out,
                "    uniform token type = \"linear\"\n    uniform token wrap = \"nonperiodic\""
            )?,
        }
        for (which, temporary) in self.attributes {
            let mut file = temporary.into_inner().map_err(io::IntoInnerError::into_error)?;
            file.rewind()?;
            let Attribute(declaration, metadata) = &ATTRIBUTES[which];
            if !metadata.is_empty() {
                writeln!(out, "    {declaration} (\n        {metadata}\n    )")?;
            }
            writeln!(out, "    {declaration}.timeSamples = {{")?;
            io::copy(&mut file, &mut out)?;
            writeln!(out, "    }}")?;
        }
        for (name, temporary) in self.panels {
            let mut file = temporary.into_inner().map_err(io::IntoInnerError::into_error)?;
            file.rewind()?;
            writeln!(
                out,
                "\n    def GeomSubset \"{name}\"\n    {{\n    uniform token elementType = \"face\"\n    uniform token familyName = \
                 \"panel\"\n    int[] indices.timeSamples = {{"
            )?;
            io::copy(&mut file, &mut out)?;
            writeln!(out, "    }}\n    }}")?;
        }
        writeln!(out, "}}")?;
        out.flush()
    }
}

/// The temporary file of an attribute.
fn temporary<'a, K: Ord>(
    files: &'a mut BTreeMap<K, BufWriter<File>>,
    key: K,
    scratch: &Path,
) -> io::Result<&'a mut BufWriter<File>> {
    Ok(match files.entry(key) {
        Entry::Occupied(entry) => entry.into_mut(),
        Entry::Vacant(entry) => entry.insert(BufWriter::new(tempfile::tempfile_in(scratch)?)),
    })
}

fn write_sample(out: &mut impl Write, number: u64, values: impl Iterator<Item = String>) -> io::Result<()> {
    write!(out, "            {number}: [")?;
    for (place, value) in values.enumerate() {
        write!(out, "{}{value}", if place > 0 { ", " } else { "" })?;
    }
    writeln!(out, "],")
}

/// Writes several rigid bodies, or bodies that keep their faces, into one file: the obstacles of a run. `up` is the direction
/// that is upward.
///
/// # Errors
/// Those of the writer.
pub fn write_usda_bodies(
    writer: impl Write,
    frame_rate: f64,
    up: DVec3,
    range: [u64; 2],
    bodies: &[RigidBody],
) -> io::Result<()> {
    let mut out = BufWriter::new(writer);
    write_header(&mut out, "obstacles", frame_rate, up, range)?;
    writeln!(out, "\ndef Xform \"obstacles\"\n{{")?;
    for body in bodies {
        writeln!(out, "    def Mesh \"{}\"\n    {{", prim_name(&body.name))?;
        writeln!(out, "        uniform token subdivisionScheme = \"none\"")?;
        let list = |values: &mut dyn Iterator<Item = String>| values.collect::<Vec<_>>().join(", ");
        let counts = list(&mut body.mesh.faces.iter().map(|_| "3".to_owned()));
        writeln!(out, "        int[] faceVertexCounts = [{counts}]")?;
        let indices = list(&mut body.mesh.faces.iter().flatten().map(u32::to_string));
        writeln!(out, "        int[] faceVertexIndices = [{indices}]")?;
        let points = |positions: &[DVec3]| list(&mut positions.iter().map(|x| vector(*x)));
        let box_of = |positions: &[DVec3]| list(&mut extent(positions).iter().map(|x| vector(*x)));
        if body.shapes.is_empty() {
            writeln!(out, "        float3[] extent = [{}]", box_of(&body.mesh.positions))?;
            writeln!(out, "        point3f[] points = [{}]", points(&body.mesh.positions))?;
        } else {
            for (name, of) in [
                ("float3[] extent", &box_of as &dyn Fn(&[DVec3]) -> String),
                ("point3f[] points", &points as &dyn Fn(&[DVec3]) -> String),
            ] {
                writeln!(out, "        {name}.timeSamples = {{")?;
                for (number, positions) in &body.shapes {
                    writeln!(out, "            {number}: [{}],", of(positions))?;
                }
                writeln!(out, "        }}")?;
            }
        }
        if !body.poses.is_empty() {
            let Attribute(declaration, _) = &ATTRIBUTES[TRANSFORM];
            writeln!(out, "        {declaration}.timeSamples = {{")?;
            for (number, pose) in &body.poses {
                writeln!(out, "            {number}: {},", matrix(pose))?;
            }
            writeln!(out, "        }}\n        uniform token[] xformOpOrder = [\"xformOp:transform\"]")?;
        }
        writeln!(out, "    }}")?;
    }
    writeln!(out, "}}")?;
    out.flush()
}

fn write_header(
    out: &mut impl Write,
    prim: &str,
    rate: f64,
    up: DVec3,
    [first, last]: [u64; 2],
) -> io::Result<()> {
    let axis = if up.z.abs() > up.y.abs() { "Z" } else { "Y" };
    writeln!(
        out,
        "#usda 1.0\n(\n    defaultPrim = \"{prim}\"\n    endTimeCode = {last}\n    framesPerSecond = {rate}\n    \
         metersPerUnit = 1\n    startTimeCode = {first}\n    timeCodesPerSecond = {rate}\n    upAxis = \"{axis}\"\n)"
    )
}

/// A pose as USD has it: rows are the images of the axes and the translation.
fn matrix(pose: &Pose) -> String {
    let [x, y, z] = [pose.rotation.x_axis, pose.rotation.y_axis, pose.rotation.z_axis];
    let row = |v: DVec3, w: u8| format!("({}, {}, {}, {w})", v.x, v.y, v.z);
    format!("( {}, {}, {}, {} )", row(x, 0), row(y, 0), row(z, 0), row(pose.translation, 1))
}

fn vector(x: DVec3) -> String {
    format!("({}, {}, {})", x.x as f32, x.y as f32, x.z as f32)
}

/// The corners of the box around points, at the origin if there are none.
fn extent(points: &[DVec3]) -> [DVec3; 2] {
    let first = points.first().copied().unwrap_or_default();
    points.iter().fold([first, first], |[low, high], x| [low.min(*x), high.max(*x)])
}

/// A name that USD takes for a prim: letters, digits and `_`, not starting with a digit.
pub fn prim_name(name: &str) -> String {
    let clean: String = name.chars().map(|c| if c.is_ascii_alphanumeric() { c } else { '_' }).collect();
    if clean.starts_with(|c: char| c.is_ascii_digit()) || clean.is_empty() {
        format!("_{clean}")
    } else {
        clean
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_become_identifiers() {
        assert_eq!(["sheet", "a-b", "2nd", ""].map(prim_name), ["sheet", "a_b", "_2nd", "_"]);
    }
}
