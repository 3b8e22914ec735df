//! `taffeta remesh`: an OBJ file with another mesh of the same sheet.
//!
//! ```text
//! OBJ file ──► arrays, in units of vt ──► passes ──► OBJ file, map
//! sizes ───────┘
//! ```
//!
//! The work is done in units of `vt`, so that the coordinates of vertices that stay are kept to the bit; sizes are scaled.
//! Vertices of files are counted from 1 and faces named by their lines, as the files themselves do.

mod names;
mod plane;
mod sizing;

use crate::args::RemeshOptions;
use crate::failure::Failure;
use crate::files::{create_file, refuse_file};
use glam::{DVec2, DVec3};
use names::explain;
use sizing::Field;
use std::fmt::Write;
use std::io;
use std::path::Path;
use std::time::Instant;
use taffeta_remesh::{
    FieldOptions, FieldReport, MaterialCoords, OutputArrays, Remeshed, SheetArrays, remesh_arrays,
};
use taffeta_scene::{ObjMesh, read_obj, write_obj};

/// A static mesh is not remeshed again as it moves: no gap is needed that keeps edges from coming and going.
const COLLAPSE_SIZE: f64 = 1.0;

/// Remeshes an OBJ file; the path of the new one, or the report that was asked for.
///
/// # Errors
/// If an option is out of range, the mesh cannot be remeshed, the sizing does not fit it, or a file exists already.
pub fn remesh(options: &RemeshOptions) -> Result<String, Failure> {
    let output = options.output.as_ref().or(options.out.as_ref()).expect("the command line asks for one");
    let outputs = [Some(output), options.map.as_ref()];
    for path in outputs.into_iter().flatten() {
        if path.symlink_metadata().is_ok() {
            return Err(refuse_file(path, &io::ErrorKind::AlreadyExists.into()));
        }
    }
    if options.map.as_ref() == Some(output) {
        return Err(Failure::Usage("--map needs a file of its own".to_owned()));
    }
    if !options.uv_scale.is_finite() || options.uv_scale <= 0.0 {
        let text = format!("--uv-scale is {}, but must be finite and greater than 0", options.uv_scale);
        return Err(Failure::Usage(text));
    }
    let file = read_obj(&options.input).map_err(|error| Failure::usage(&error))?;
    let start = Instant::now();
    let result = remesh_file(options, &file)?;
    let seconds = start.elapsed().as_secs_f64();
    write(output, &obj_bytes(&result.arrays, file.mesh.material.is_some()))?;
    if let Some(path) = &options.map {
        write(path, map_text(&result, &file).as_bytes())?;
    }
    if !result.report.settled {
        eprintln!("warning: {}", unsettled(&result.report, options));
    }
    let text = if options.report { describe(&result, &file, seconds) } else { output.display().to_string() };
    Ok(text)
}

fn write(path: &Path, bytes: &[u8]) -> Result<(), Failure> {
    create_file(path, bytes).map_err(|error| refuse_file(path, &error))
}

fn remesh_file(options: &RemeshOptions, file: &ObjMesh) -> Result<Remeshed, Failure> {
    let mesh = &file.mesh;
    let corners: Vec<[[f64; 2]; 3]> = match (&mesh.material, options.flat) {
        (Some(_), true) => {
            let text = "--flat is for meshes without material coordinates; this one has vt";
            return Err(Failure::Usage(format!("{}: {text}", options.input.display())));
        }
        (Some(material), false) => material.iter().map(|corners| corners.map(|u| u.to_array())).collect(),
        (None, true) => plane::project(mesh, &options.input)?,
        (None, false) => {
            let text = "the mesh has no material coordinates (vt), in which sizes are measured\n  = --flat takes the \
                        positions, if the sheet lies almost in a plane; others need a program for parametrization";
            return Err(Failure::Usage(format!("{}: {text}", options.input.display())));
        }
    };
    let positions: Vec<[f64; 3]> = mesh.positions.iter().map(DVec3::to_array).collect();
    let sheet = SheetArrays::new(MaterialCoords::PerCorner(&corners), &positions, &mesh.faces);
    let field = Field::of_options(options, file)?;
    let settings = FieldOptions {
        passes: options.passes,
        max_vertices: options.max_vertices,
        gradation: (options.gradation != 0.0).then_some(options.gradation),
        aspect: options.aspect,
        collapse_size: COLLAPSE_SIZE,
        ..FieldOptions::default()
    };
    remesh_arrays(&sheet, field.borrow(), &settings, &mut |_| false)
        .map_err(|error| Failure::Usage(format!("{}: {}", options.input.display(), explain(&error, file))))
}

fn obj_bytes(arrays: &OutputArrays, with_coords: bool) -> Vec<u8> {
    let positions: Vec<DVec3> = arrays.positions.iter().map(|&x| x.into()).collect();
    let corner = |v: u32| DVec2::from(arrays.material[v as usize]);
    let material: Vec<[DVec2; 3]> = arrays.faces.iter().map(|face| face.map(corner)).collect();
    let mut bytes = Vec::new();
    write_obj(&mut bytes, &positions, &arrays.faces, with_coords.then_some(&material))
        .expect("memory can be written");
    bytes
}

/// The map as CSV, everything counted from 1: triangles in the order of the file, polygons as they are cut.
fn map_text(result: &Remeshed, file: &ObjMesh) -> String {
    let mut text = String::from("vertex,face,weight_0,weight_1,weight_2,corner_0,corner_1,corner_2\n");
    for (vertex, origin) in (1..).zip(&result.origins) {
        let [a, b, c] = file.mesh.faces[origin.face as usize].map(|v| file.source_vertices[v as usize] + 1);
        let (face, [wa, wb, wc]) = (origin.face + 1, origin.weights);
        writeln!(text, "{vertex},{face},{wa:?},{wb:?},{wc:?},{a},{b},{c}").expect("text can be written");
    }
    text
}

fn unsettled(report: &FieldReport, options: &RemeshOptions) -> String {
    if report.at_vertex_limit {
        return format!(
            "a piece has {} vertices and cannot be refined; --max-vertices",
            options.max_vertices
        );
    }
    format!("after {} passes there is more to do; --passes", report.passes)
}

fn describe(result: &Remeshed, file: &ObjMesh, seconds: f64) -> String {
    let (arrays, report) = (&result.arrays, &result.report);
    format!(
        "vertices {} to {}, faces {} to {}, splits {}, collapses {}, flips {}, passes {}, smallest angle {:.2}°, \
         {seconds:.3} s",
        file.mesh.positions.len(),
        arrays.positions.len(),
        file.mesh.faces.len(),
        arrays.faces.len(),
        report.splits,
        report.collapses,
        report.flips,
        report.passes,
        smallest_angle(arrays).to_degrees(),
    )
}

/// The smallest angle of a face in material space \[rad\].
fn smallest_angle(arrays: &OutputArrays) -> f64 {
    let angles = arrays.faces.iter().flat_map(|face| {
        let corners = face.map(|v| DVec2::from(arrays.material[v as usize]));
        [0, 1, 2].map(|k| {
            let (p, q) = (corners[(k + 1) % 3] - corners[k], corners[(k + 2) % 3] - corners[k]);
            p.angle_to(q).abs()
        })
    });
    angles.fold(f64::INFINITY, f64::min)
}
