//! `taffeta remesh`: an OBJ or NPZ file with another mesh of the same sheet or closed surface.
//!
//! ```text
//! OBJ or NPZ file ──► arrays, in units of vt ──► passes ──► OBJ or NPZ file, map
//! sizes, pins ──────────┘
//! ```
//!
//! Units are those of `vt`, or of the positions without `vt`, so that the coordinates of vertices that stay are kept to the
//! bit. Sizes are scaled. A result that is coarser than asked because of a limit is written all the same. Vertices of OBJ files
//! are counted from 1 and faces named by their lines, as the files themselves do; those of NPZ files are counted from 0.

mod input;
mod measure;
mod names;
mod output;
mod pins;
mod plane;
mod sizing;

use crate::args::RemeshOptions;
use crate::failure::Failure;
use crate::files::{create_file, refuse_file};
use crate::log::say;
use input::{Input, is_npz};
use names::explain;
use sizing::Field;
use std::io;
use std::path::Path;
use std::time::Instant;
use taffeta_remesh::{FieldOptions, FieldReport, MaterialCoords, Remeshed, SheetArrays, remesh_arrays};

/// A static mesh is not remeshed again as it moves: no gap is needed that keeps edges from coming and going.
const COLLAPSE_SIZE: f64 = 1.0;

/// Remeshes an OBJ file; the path of the new one, or the report that was asked for.
///
/// # Errors
/// If an option is out of range, the mesh cannot be remeshed, the sizing does not fit it, or a file exists already. If a
/// limit ended the work early, unless that is accepted: the files are written then.
pub fn remesh(options: &RemeshOptions) -> Result<String, Failure> {
    let output = options.output.as_ref().or(options.out.as_ref()).expect("the command line asks for one");
    let outputs = [Some(output), options.map.as_ref()];
    if !is_npz(output) && output.extension().is_none_or(|ending| !ending.eq_ignore_ascii_case("obj")) {
        let text = format!("{} is to be an OBJ or NPZ file, by its ending", output.display());
        return Err(Failure::Usage(text));
    }
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
    let mut input = Input::read(&options.input)?;
    if let Some(words) = &options.pin {
        pins::pin(&mut input, words)?;
    }
    let start = Instant::now();
    let result = remesh_input(options, &input)?;
    let seconds = start.elapsed().as_secs_f64();
    let with_coords = input.mesh.material.is_some();
    let bytes = match is_npz(output) {
        true => output::npz_bytes(&result, &input, with_coords),
        false => output::obj_bytes(&result.arrays, with_coords),
    };
    write(output, &bytes)?;
    if let Some(path) = &options.map {
        let bytes = match is_npz(path) {
            true => output::map_npz(&result, with_coords),
            false => output::map_text(&result, &input).into_bytes(),
        };
        write(path, &bytes)?;
    }
    for text in notes(&input, output, &result) {
        say(format!("note: {text}"));
    }
    let shown = output.display();
    let text = if options.report { describe(&result, &input, seconds) } else { shown.to_string() };
    let Some(reason) = early_end(&result.report, options) else { return Ok(text) };
    if options.partial {
        say(format!("warning: {reason}"));
        return Ok(text);
    }
    Err(Failure::Partial {
        text,
        reason: format!("{reason}\n  = {shown} is written; --partial accepts it as it is"),
    })
}

fn write(path: &Path, bytes: &[u8]) -> Result<(), Failure> {
    create_file(path, bytes).map_err(|error| refuse_file(path, &error))
}

/// Notes on data that are missing in the output.
fn notes(input: &Input, output: &Path, result: &Remeshed) -> Vec<String> {
    let mut notes = Vec::new();
    let mut left_out = input.left_out.clone();
    if !is_npz(output) {
        let velocities = input.velocities.as_ref().map(|_| "`velocities`".to_owned());
        left_out.extend(velocities);
        left_out.extend(input.fields.iter().map(|field| format!("`{}`", field.name)));
    }
    if !left_out.is_empty() {
        let how = if is_npz(output) {
            "the map says where each vertex comes from"
        } else {
            "NPZ files can hold more"
        };
        notes.push(format!("not carried over: {}; {how}", left_out.join(", ")));
    }
    // A texture that is cut into single faces is no pattern.
    let faces = result.arrays.faces.len();
    if faces > 2 && result.arrays.material.len() >= 3 * faces {
        notes.push(
            "every face is a panel of its own, sewn to its neighbors: nothing can be coarsened".to_owned(),
        );
    }
    notes
}

fn remesh_input(options: &RemeshOptions, input: &Input) -> Result<Remeshed, Failure> {
    let mesh = &input.mesh;
    let refuse = |text: &str| Err(Failure::Usage(format!("{}: {text}", options.input.display())));
    let corners: Option<Vec<[[f64; 2]; 3]>> = match &mesh.material {
        Some(_) if options.flat => {
            return refuse("--flat is for meshes without material coordinates; this one has vt");
        }
        Some(_) if options.tolerance.is_some() => {
            return refuse(
                "--tolerance is for meshes without material coordinates; with vt nothing moves off the sheet",
            );
        }
        Some(material) => Some(material.iter().map(|corners| corners.map(|u| u.to_array())).collect()),
        None if options.flat => Some(plane::project(mesh, &options.input)?),
        None => None,
    };
    let material = match &corners {
        Some(corners) => MaterialCoords::PerCorner(corners),
        None => MaterialCoords::Positions,
    };
    let positions = input.positions();
    let attribute_width: usize = input.fields.iter().map(input::Field::width).sum();
    let attributes: Vec<f64> = (0..positions.len())
        .flat_map(|v| input.fields.iter().map(move |field| (v * field.width(), field)))
        .flat_map(|(start, field)| field.values[start..start + field.width()].iter().copied())
        .collect();
    let sheet = SheetArrays {
        pinned: Some(&input.pinned),
        velocities: input.velocities.as_deref(),
        attributes: &attributes,
        attribute_width,
        ..SheetArrays::new(material, &positions, &mesh.faces)
    };
    let field = Field::of_options(options, input)?;
    if let Some(tolerance) = options.tolerance {
        sizing::check("--tolerance", tolerance)?;
    }
    let settings = FieldOptions {
        passes: options.passes,
        max_vertices: options.max_vertices,
        gradation: (options.gradation != 0.0).then_some(options.gradation),
        aspect: options.aspect,
        collapse_size: COLLAPSE_SIZE,
        rest_tolerance: options.tolerance.map(|tolerance| tolerance / options.uv_scale),
        ..FieldOptions::default()
    };
    remesh_arrays(&sheet, field.borrow(), &settings, &mut |_| false)
        .map_err(|error| Failure::Usage(format!("{}: {}", options.input.display(), explain(&error, input))))
}

/// Why the mesh is not as fine as was asked; `None`: it is.
fn early_end(report: &FieldReport, options: &RemeshOptions) -> Option<String> {
    if report.at_vertex_limit {
        let most = options.max_vertices;
        return Some(format!(
            "a piece has {most} vertices, and its edges are longer than asked: take a larger size or more --max-vertices"
        ));
    }
    (!report.settled)
        .then(|| format!("after {} passes there is more to do: allow more --passes", report.passes))
}

fn describe(result: &Remeshed, input: &Input, seconds: f64) -> String {
    let (arrays, report) = (&result.arrays, &result.report);
    let moved = if arrays.material.is_empty() { measure::changes(arrays, input) } else { String::new() };
    format!(
        "vertices {} to {}, faces {} to {}, splits {}, collapses {}, flips {}, passes {}, smallest angle {:.2}°, \
         {moved}{seconds:.3} s",
        input.mesh.positions.len(),
        arrays.positions.len(),
        input.mesh.faces.len(),
        arrays.faces.len(),
        report.splits,
        report.collapses,
        report.flips,
        report.passes,
        measure::smallest_angle(arrays).to_degrees(),
    )
}
