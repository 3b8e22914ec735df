//! The vertices that a command line pins.

use super::input::Input;
use crate::failure::Failure;
use std::path::Path;
use taffeta_io::{NumberKind, read_file, read_npy_numbers};

/// Marks the vertices of `--pin`: numbers of the file from 0 with commas between, or a file with them.
pub(super) fn pin(input: &mut Input, words: &str) -> Result<(), Failure> {
    let numbers = match parse(words) {
        Some(numbers) => numbers,
        None => read(Path::new(words), input.file_vertex_count())?,
    };
    let count = input.file_vertex_count();
    for number in numbers {
        let refuse = |text: String| Err(Failure::Usage(format!("--pin: {text}")));
        if number as usize >= count {
            return refuse(format!("there is no vertex {number}: there are {count}, counted from 0"));
        }
        let vertex = match &input.names {
            Some(names) => names.vertices.binary_search(&number).ok(),
            None => Some(number as usize),
        };
        match vertex {
            Some(vertex) => input.pinned[vertex] = true,
            None => return refuse(format!("vertex {number} (counted from 0) is in no face")),
        }
    }
    Ok(())
}

/// Numbers with commas or spaces between; `None`: there is something else.
fn parse(text: &str) -> Option<Vec<u32>> {
    let words = text.split([',', ' ', '\t', '\r', '\n']).filter(|word| !word.is_empty());
    let numbers: Option<Vec<u32>> = words.map(|word| word.parse().ok()).collect();
    numbers.filter(|numbers| !numbers.is_empty())
}

fn read(path: &Path, vertex_count: usize) -> Result<Vec<u32>, Failure> {
    let shown = path.display();
    let refuse = |text: String| Failure::Usage(format!("--pin {shown}: {text}"));
    let bytes = read_file(path).map_err(|error| {
        refuse(format!("{error}\n  = give numbers of vertices with commas between, as 0,5,9, or a file"))
    })?;
    if path.extension().is_none_or(|ending| !ending.eq_ignore_ascii_case("npy")) {
        let text = String::from_utf8(bytes).map_err(|_| refuse("the file is no text".to_owned()))?;
        let lines = text.lines().map(|line| line.split('#').next().unwrap_or_default());
        let text: Vec<&str> = lines.collect();
        return parse(&text.join(" ")).ok_or_else(|| {
            refuse("the file must have numbers of vertices with commas, spaces or lines between".to_owned())
        });
    }
    let array = read_npy_numbers(&bytes).map_err(|error| refuse(error.to_string()))?;
    let is_mask = array.kind == NumberKind::Truth;
    if is_mask && array.shape != [vertex_count] || array.shape.len() != 1 {
        let shown = array.shape_text();
        return Err(refuse(format!(
            "the array has the shape {shown}, but must be a list of numbers, or of {vertex_count} truth values"
        )));
    }
    if is_mask {
        let held = array.values.iter().enumerate().filter(|(_, value)| **value != 0.0);
        return Ok(held.map(|(vertex, _)| vertex as u32).collect());
    }
    let number = |&value: &f64| {
        let is_number = array.kind == NumberKind::Whole && (0.0..=f64::from(u32::MAX)).contains(&value);
        is_number.then_some(value as u32).ok_or_else(|| refuse(format!("{value} is no number of a vertex")))
    };
    array.values.iter().map(number).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_have_commas_or_spaces_between() {
        assert_eq!(parse("0,5,9"), Some(vec![0, 5, 9]));
        assert_eq!(parse(" 0, 5\n9 "), Some(vec![0, 5, 9]));
        for text in ["", "a.txt", "1,-2", "1.5", "1;2"] {
            assert_eq!(parse(text), None, "{text}");
        }
    }
}
