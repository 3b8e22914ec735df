//! VTP: VTK PolyData in XML, and the PVD file that gives the frames their times.
//!
//! Cell data `panel` are the numbers of panels with names, and the field data `panel_names` are these.
//!
//! Points, polygons or, of a rope, one polyline. Point data are `velocity` \[m/s\] and `size` \[m\]. Cell data are `strain`,
//! `curvature` \[1/m\], their jumps `strain_jump` and `curvature_jump` \[1/m\], and `material`. The last has six numbers per
//! face: the material coordinates u, v of its corners \[m\]. Numbers are little-endian, 64 bits wide, in one appended raw block
//! behind the XML.
//!
//! Written by hand: a writer of a page against a library (`vtkio` 0.6) whose parsers are years behind and that the
//! compiler warns about. This program does not read VTP back.

use crate::frame::{FACE_SCALARS, FaceGroups, FrameData};
use std::io::{self, Write};

/// Bytes before each array in the appended block: its length.
const HEADER: u64 = 8;

/// An array of the file.
struct DataArray {
    name: &'static str,
    kind: &'static str,
    components: usize,
    bytes: Vec<u8>,
}

impl DataArray {
    fn floats(name: &'static str, components: usize, values: impl Iterator<Item = f64>) -> Self {
        Self { name, kind: "Float64", components, bytes: values.flat_map(f64::to_le_bytes).collect() }
    }

    fn integers(name: &'static str, values: impl Iterator<Item = i64>) -> Self {
        Self { name, kind: "Int64", components: 1, bytes: values.flat_map(i64::to_le_bytes).collect() }
    }
}

/// Writes a frame.
///
/// # Errors
/// Those of the writer.
pub fn write_vtp(writer: impl Write, frame: &FrameData) -> io::Result<()> {
    let mut out = io::BufWriter::new(writer);
    let mesh = &frame.mesh;
    let count = |is: bool, n: usize| if is { n } else { 0 };
    let (lines, polys) = (usize::from(frame.is_curve), count(!frame.is_curve, mesh.faces.len()));
    let sections = sections(frame);
    writeln!(out, "<?xml version=\"1.0\"?>")?;
    writeln!(
        out,
        "<VTKFile type=\"PolyData\" version=\"1.0\" byte_order=\"LittleEndian\" header_type=\"UInt64\">\n<PolyData>"
    )?;
    if let Some(FaceGroups { names, .. }) = &frame.panels {
        // Texts are numbers of bytes, each text with a zero at its end.
        let bytes = names.iter().flat_map(|name| name.bytes().chain([0])).map(|byte| byte.to_string());
        writeln!(
            out,
            "<FieldData>\n<DataArray type=\"String\" Name=\"panel_names\" NumberOfTuples=\"{}\" format=\"ascii\">{}\
             </DataArray>\n</FieldData>",
            names.len(),
            bytes.collect::<Vec<_>>().join(" ")
        )?;
    }
    writeln!(
        out,
        "<Piece NumberOfPoints=\"{}\" NumberOfVerts=\"0\" NumberOfLines=\"{lines}\" NumberOfStrips=\"0\" \
         NumberOfPolys=\"{polys}\">",
        mesh.positions.len()
    )?;
    let mut offset = 0;
    for (section, arrays) in &sections {
        writeln!(out, "<{section}>")?;
        for DataArray { name, kind, components, bytes } in arrays {
            writeln!(
                out,
                "<DataArray type=\"{kind}\" Name=\"{name}\" NumberOfComponents=\"{components}\" format=\"appended\" \
                 offset=\"{offset}\"/>"
            )?;
            offset += HEADER + bytes.len() as u64;
        }
        writeln!(out, "</{section}>")?;
    }
    write!(out, "</Piece>\n</PolyData>\n<AppendedData encoding=\"raw\">\n_")?;
    for array in sections.iter().flat_map(|(_, arrays)| arrays) {
        out.write_all(&(array.bytes.len() as u64).to_le_bytes())?;
        out.write_all(&array.bytes)?;
    }
    write!(out, "\n</AppendedData>\n</VTKFile>\n")?;
    out.flush()
}

/// The arrays by the element that holds them.
fn sections(frame: &FrameData) -> Vec<(&'static str, Vec<DataArray>)> {
    let mesh = &frame.mesh;
    let vectors = |list: &[glam::DVec3]| list.iter().flat_map(|x| x.to_array()).collect::<Vec<_>>();
    let scalar = |name, values: &Option<Vec<f64>>| {
        values.as_ref().map(|values| DataArray::floats(name, 1, values.iter().copied()))
    };
    let velocities = frame.velocities.as_ref();
    let velocity = velocities.map(|list| DataArray::floats("velocity", 3, vectors(list).into_iter()));
    let material = mesh.material.as_ref().map(|corners| {
        DataArray::floats("material", 6, corners.iter().flatten().flat_map(|corner| corner.to_array()))
    });
    let (element, corners, ends): (_, Vec<i64>, Vec<i64>) = if frame.is_curve {
        let count = mesh.positions.len() as i64;
        ("Lines", (0..count).collect(), vec![count])
    } else {
        let ends = (1..=mesh.faces.len() as i64).map(|face| 3 * face);
        ("Polys", mesh.faces.iter().flatten().map(|v| i64::from(*v)).collect(), ends.collect())
    };
    let cells = vec![
        DataArray::integers("connectivity", corners.into_iter()),
        DataArray::integers("offsets", ends.into_iter()),
    ];
    let of_faces = FACE_SCALARS.into_iter().zip(frame.face_scalars());
    let panels = frame.panels.as_ref();
    let panel = panels
        .map(|panels| DataArray::integers("panel", panels.of_face.iter().map(|panel| i64::from(*panel))));
    let of_cells = of_faces.map(|(name, values)| scalar(name, values)).chain([material, panel]);
    vec![
        ("PointData", [velocity, scalar("size", &frame.sizes)].into_iter().flatten().collect()),
        ("CellData", of_cells.flatten().collect()),
        ("Points", vec![DataArray::floats("Points", 3, vectors(&mesh.positions).into_iter())]),
        (element, cells),
    ]
}

/// A file of a time series.
#[derive(Clone, Debug, PartialEq)]
pub struct PvdEntry {
    /// The time \[s\].
    pub time: f64,
    /// Number of the body.
    pub part: usize,
    /// Name of the body.
    pub name: String,
    /// Path of the file, relative to the PVD file, with `/`.
    pub file: String,
}

/// Writes a PVD file: which VTP files belong to which time.
///
/// # Errors
/// Those of the writer.
pub fn write_pvd(mut writer: impl Write, entries: &[PvdEntry]) -> io::Result<()> {
    let mut text = String::from(
        "<?xml version=\"1.0\"?>\n<VTKFile type=\"Collection\" version=\"0.1\" byte_order=\"LittleEndian\">\n<Collection>\n",
    );
    for PvdEntry { time, part, name, file } in entries {
        text +=
            &format!("<DataSet timestep=\"{time:?}\" part=\"{part}\" name=\"{name}\" file=\"{file}\"/>\n");
    }
    text += "</Collection>\n</VTKFile>\n";
    writer.write_all(text.as_bytes())?;
    writer.flush()
}
