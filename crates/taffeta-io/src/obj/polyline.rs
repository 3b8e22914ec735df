//! Polylines: the `l` elements of OBJ files, in which ropes are written.

use super::ObjError;
use super::read_text;
use super::scan::words;
use glam::DVec3;
use std::path::Path;

/// Reads the polylines of an OBJ file: for each `l` element its points \[m\]. `None`: it has none, or has faces too and is
/// a mesh.
///
/// # Errors
/// If the file cannot be read, or a line is malformed, with its number.
pub fn read_polyline(path: &Path) -> Result<Option<Vec<Vec<DVec3>>>, ObjError> {
    parse(&read_text(path)?).map_err(|(line, message, text)| ObjError::Line {
        path: path.to_owned(),
        line,
        message,
        text,
    })
}

/// A line with its number, what is wrong and its text.
type Refusal = (usize, String, String);

fn parse(text: &str) -> Result<Option<Vec<Vec<DVec3>>>, Refusal> {
    let has = |keyword: &str| text.lines().any(|line| words(line).next() == Some(keyword));
    if has("f") || !has("l") {
        return Ok(None);
    }
    let (mut points, mut lines) = (Vec::new(), Vec::new());
    for (number, line) in (1..).zip(text.lines()) {
        let mut words = words(line);
        let refuse = |message: String| (number, message, line.trim_end().to_owned());
        match words.next() {
            Some("v") => {
                let read: Vec<f64> = words.take(3).filter_map(|word| word.parse().ok()).collect();
                let [x, y, z] = read[..] else {
                    return Err(refuse("a vertex needs three numbers".to_owned()));
                };
                if !read.iter().all(|number| number.is_finite()) {
                    return Err(refuse("the numbers of a vertex must be finite".to_owned()));
                }
                points.push(DVec3::new(x, y, z));
            }
            Some("l") => {
                let corner = |word: &str| find(word, &points).map_err(refuse);
                let corners: Result<Vec<DVec3>, Refusal> = words.map(corner).collect();
                let corners = corners?;
                if corners.len() < 2 {
                    return Err(refuse("a line needs two vertices".to_owned()));
                }
                lines.push(corners);
            }
            _ => {}
        }
    }
    Ok(Some(lines))
}

/// The vertex that a word names, from 1 or, if negative, from the last.
fn find(word: &str, points: &[DVec3]) -> Result<DVec3, String> {
    let vertex = word.split('/').next().unwrap_or_default();
    let number: i64 = vertex.parse().map_err(|_| format!("{word:?} is no vertex number"))?;
    let count = points.len() as i64;
    let index = if number < 0 { count + number } else { number - 1 };
    let found = usize::try_from(index).ok().and_then(|index| points.get(index).copied());
    found.ok_or_else(|| format!("vertex {number} is out of range: {count} vertices come before the line"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_are_read_and_meshes_are_not_lines() {
        let read = parse("v 0 0 0\nv 1 0 0\nv 1 2 0\nl 1 2 3\nl -1 -3/1\n").unwrap().unwrap();
        assert_eq!(read[0], [DVec3::ZERO, DVec3::X, DVec3::new(1.0, 2.0, 0.0)]);
        assert_eq!(read[1], [DVec3::new(1.0, 2.0, 0.0), DVec3::ZERO]);
        assert_eq!(parse("v 0 0 0\nv 1 0 0\nv 1 2 0\nl 1 2\nf 1 2 3\n").unwrap(), None);
        assert_eq!(parse("v 0 0 0\n").unwrap(), None);
        let comment = parse("v 0 0 0 # a\nv 1 0 0\nl 1 2 # b\n").unwrap().unwrap();
        assert_eq!(comment, [[DVec3::ZERO, DVec3::X]]);
    }

    #[test]
    fn bad_lines_are_refused_with_their_numbers() {
        for (text, line, message) in [
            ("v 0 0\nl 1 1\n", 1, "three numbers"),
            ("v 0 nan 0\nl 1 1\n", 1, "finite"),
            ("v 0 0 0\nl 1 2\n", 2, "vertex 2 is out of range"),
            ("v 0 0 0\nl 1\n", 2, "two vertices"),
            ("v 0 0 0\nl 1 x\n", 2, "no vertex number"),
        ] {
            let refusal = parse(text).unwrap_err();
            assert!(refusal.0 == line && refusal.1.contains(message), "{refusal:?}");
        }
    }
}
