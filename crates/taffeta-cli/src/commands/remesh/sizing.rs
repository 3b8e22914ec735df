//! The sizes that a command line asks for.

use super::input::{Input, is_npz};
use crate::args::RemeshOptions;
use crate::failure::Failure;
use std::path::Path;
use taffeta_io::{NumberArray, read_file, read_npy_numbers, read_npz_numbers};
use taffeta_remesh::{RemeshSettings, SizingField};

/// If it is not given, the smallest size is this part of the largest one.
const SMALLEST: f64 = 0.05;

/// Change of the strain per edge that asks for refinement: none does, as `vt` need not be the shape at rest.
const NO_STRAIN: f64 = 1e12;

/// A sizing field in units of `vt`.
pub(super) enum Field {
    Sizes(Vec<f64>),
    Metrics(Vec<[f64; 3]>),
    Shape(RemeshSettings),
}

impl Field {
    /// The field of the command line; the sizing file is read.
    pub(super) fn of_options(options: &RemeshOptions, input: &Input) -> Result<Self, Failure> {
        let scale = options.uv_scale;
        let RemeshOptions { size, sizing, refine_angle, size_min, size_max, .. } = options;
        if let Some(size) = size {
            check("--size", *size)?;
            return Ok(Self::Sizes(vec![size / scale; input.mesh.positions.len()]));
        }
        if let Some(path) = sizing {
            return read(path, input, scale);
        }
        let angle = refine_angle.expect("the command line asks for one of the three");
        let largest = size_max.expect("the command line asks for it");
        let smallest = size_min.unwrap_or(SMALLEST * largest);
        for (name, value) in [("--refine-angle", angle), ("--size-max", largest), ("--size-min", smallest)] {
            check(name, value)?;
        }
        if smallest > largest {
            let text =
                format!("--size-min is {smallest}, but must be at most --size-max, which is {largest}");
            return Err(Failure::Usage(text));
        }
        Ok(Self::Shape(RemeshSettings {
            size_min: smallest / scale,
            size_max: largest / scale,
            refine_angle: angle,
            refine_strain: NO_STRAIN,
            refine_compression: None,
            refine_velocity: None,
            ..RemeshSettings::by_thresholds()
        }))
    }

    pub(super) fn borrow(&self) -> SizingField<'_> {
        match self {
            Self::Sizes(sizes) => SizingField::Sizes(sizes),
            Self::Metrics(metrics) => SizingField::Metrics(metrics),
            Self::Shape(settings) => SizingField::Shape(*settings),
        }
    }
}

/// Refuses a length or angle that is none.
pub(super) fn check(name: &str, value: f64) -> Result<(), Failure> {
    if value.is_finite() && value > 0.0 {
        return Ok(());
    }
    Err(Failure::Usage(format!("{name} is {value}, but must be finite and greater than 0")))
}

/// Largest difference of the two entries off the diagonal of a tensor, relative to the largest entry.
const ASYMMETRY: f64 = 1e-6;

/// Reads a sizing file: a row for each vertex of the mesh file, also for those that no face uses.
fn read(path: &Path, input: &Input, scale: f64) -> Result<Field, Failure> {
    let shown = path.display();
    let refuse = |text: String| Failure::Usage(format!("{shown}: {text}"));
    let unreadable = |error| Failure::Usage(format!("cannot read the sizing {shown}: {error}"));
    let is_npy = path.extension().is_some_and(|ending| ending.eq_ignore_ascii_case("npy"));
    let rows = if is_npz(path) || is_npy {
        let bytes = read_file(path).map_err(unreadable)?;
        let array = if is_npy {
            read_npy_numbers(&bytes).map_err(|error| refuse(error.to_string()))?
        } else {
            sizing_of(&bytes).map_err(refuse)?
        };
        rows_of(&array).map_err(refuse)?
    } else {
        let text = String::from_utf8(read_file(path).map_err(unreadable)?)
            .map_err(|_| refuse("the file is no text".to_owned()))?;
        parse(&text).map_err(|(line, message)| Failure::Usage(format!("{shown}:{line}: {message}")))?
    };
    let count = input.file_vertex_count();
    if rows.len() != count {
        let of_obj = if input.names.is_some() { " (v)" } else { "" };
        let text = format!("{shown} has {} rows, but the mesh has {count} vertices{of_obj}", rows.len());
        return Err(Failure::Usage(text));
    }
    let vertices = 0..input.mesh.positions.len() as u32;
    let used: Vec<&Vec<f64>> = vertices.map(|v| &rows[input.file_vertex(v) as usize]).collect();
    if used.first().is_some_and(|row| row.len() == 1) {
        return Ok(Field::Sizes(used.iter().map(|row| row[0] / scale).collect()));
    }
    Ok(Field::Metrics(used.iter().map(|row| [row[0], row[1], row[2]].map(|m| m * scale * scale)).collect()))
}

/// The array `sizing` of an NPZ file, or the only one.
fn sizing_of(bytes: &[u8]) -> Result<NumberArray, String> {
    let mut arrays = read_npz_numbers(bytes).map_err(|error| error.to_string())?;
    let names: Vec<&str> = arrays.iter().map(|(name, _)| name.as_str()).collect();
    let at = names.iter().position(|name| *name == "sizing").or((names.len() == 1).then_some(0));
    let at = at.ok_or_else(|| format!("it has no array `sizing`, only {}", names.join(", ")))?;
    let (name, array) = arrays.swap_remove(at);
    array.map_err(|error| format!("`{name}`: {error}"))
}

/// The sizes or the three entries of the tensors of an array.
fn rows_of(array: &NumberArray) -> Result<Vec<Vec<f64>>, String> {
    match array.shape[..] {
        [_] | [_, 1 | 3] => {
            let width = array.shape.get(1).copied().unwrap_or(1);
            Ok(array.values.chunks_exact(width).map(<[f64]>::to_vec).collect())
        }
        [_, 2, 2] => {
            let row = |(vertex, m): (usize, &[f64])| {
                let largest = m.iter().fold(0.0, |largest: f64, entry| largest.max(entry.abs()));
                if (m[1] - m[2]).abs() <= ASYMMETRY * largest || m[1].is_nan() {
                    return Ok(vec![m[0], 0.5 * (m[1] + m[2]), m[3]]);
                }
                Err(format!(
                    "the tensor [[{}, {}], [{}, {}]] at vertex {vertex} (from 0) is not symmetric",
                    m[0], m[1], m[2], m[3]
                ))
            };
            array.values.chunks_exact(4).enumerate().map(row).collect()
        }
        _ => Err(format!(
            "the array has the shape {}, but must have (V,), (V, 3) or (V, 2, 2), with a row per vertex",
            array.shape_text()
        )),
    }
}

/// The rows with their numbers, 1 or 3 in all of them. Empty lines and comments (`#`) do not count.
fn parse(text: &str) -> Result<Vec<Vec<f64>>, (usize, String)> {
    let mut rows: Vec<Vec<f64>> = Vec::new();
    for (number, line) in (1..).zip(text.lines()) {
        let line = line.trim();
        if line.is_empty() || line.starts_with('#') {
            continue;
        }
        let read = |word: &str| {
            word.trim().parse::<f64>().map_err(|_| (number, format!("{:?} is no number", word.trim())))
        };
        let row = line.split(',').map(read).collect::<Result<Vec<f64>, _>>()?;
        let width = rows.first().map_or(row.len(), Vec::len);
        if ![1, 3].contains(&row.len()) || row.len() != width {
            let allowed =
                "a row has 1 number (the size in m) or 3 (m00,m01,m11 in 1/m²), the same in all rows";
            return Err((number, format!("{} numbers; {allowed}", row.len())));
        }
        rows.push(row);
    }
    Ok(rows)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rows_have_one_or_three_numbers_throughout() {
        assert_eq!(parse("# sizes\n0.1\n\n 2e-1 \n").unwrap(), [vec![0.1], vec![0.2]]);
        assert_eq!(parse("1,0,2\r\n3, -1, 4\r\n").unwrap(), [vec![1.0, 0.0, 2.0], vec![3.0, -1.0, 4.0]]);
        for (text, line, part) in [
            ("0.1\n0.1,2\n", 2, "2 numbers"),
            ("1,0,2\n0.1\n", 2, "1 numbers"),
            ("size\n0.1\n", 1, "\"size\""),
            ("0.1,\n", 1, "\"\""),
        ] {
            let (at, message) = parse(text).unwrap_err();
            assert!(at == line && message.contains(part), "{at}: {message}");
        }
    }
}
