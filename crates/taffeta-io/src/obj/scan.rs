//! Input of tobj, and the place of a refused statement.
//!
//! tobj 4.0 parses all coordinates and polygons. The scan before it does what it cannot:
//! - It names no line, and takes NaN and infinity for coordinates.
//! - It numbers the vertices anew in the order in which faces use them: a first face that uses all of them in order
//!   keeps the numbers of the file.
//! - A corner without `vt`, or with a `vt` number that is 0 or −1 beyond the first, silently gets the coordinate of the corner
//!   before. Numbers further below the first overflow. So the corners are checked here.
//! - Comments behind a statement, colors on some vertices only and bad normals are errors. `l` makes polygons, and the fourth
//!   number of a vertex divides the others. The scan cuts all that away.

use std::fmt::Write;
use std::str::SplitWhitespace;

/// Elements besides faces, with their names: they are counted and left out.
const OTHER_ELEMENTS: [(&str, &str); 5] =
    [("l", "lines"), ("p", "points"), ("curv", "curves"), ("curv2", "curves"), ("surf", "surfaces")];

/// Defect of a file.
pub(super) struct Refusal {
    /// Its line, from 1; `None`: it is in no single one.
    pub(super) line: Option<usize>,
    pub(super) message: String,
}

impl Refusal {
    /// A defect of the whole file.
    pub(super) fn of_all(message: &str) -> Self {
        Self { line: None, message: message.to_owned() }
    }
}

/// Parts `a/b` of a corner of a face.
const PARTS: [Part; 2] = [
    Part { name: "vertex", plural: "vertices" },
    Part { name: "material coordinate", plural: "material coordinates (vt)" },
];

/// Elements that a part of a corner refers to, in messages.
struct Part {
    name: &'static str,
    plural: &'static str,
}

/// Name of the group of faces without one.
const DEFAULT_GROUP: &str = "default";

/// Polygons as they are. The first face may have less than three corners.
const OPTIONS: tobj::LoadOptions =
    tobj::LoadOptions { single_index: false, triangulate: false, ignore_points: false, ignore_lines: false };

/// A text whose faces are sound.
pub(super) struct Scan {
    /// The text for tobj: the face that keeps the numbers, then line by line what is kept of the file.
    kept: String,
    /// The lines with the faces, from 1.
    pub(super) face_lines: Vec<u32>,
    /// The names of groups and objects in which there are faces, and the number of that of each face.
    pub(super) groups: Vec<String>,
    pub(super) face_groups: Vec<u32>,
    /// True if the corners have material coordinates.
    pub(super) with_coords: bool,
    /// Number of elements of each kind in [`OTHER_ELEMENTS`].
    others: [usize; OTHER_ELEMENTS.len()],
}

impl Scan {
    pub(super) fn of(text: &str) -> Result<Self, Refusal> {
        let totals = count_statements(text);
        let kept = String::with_capacity(text.len() + 16 * totals[0].max(totals[1]));
        let mut scan = Self {
            kept,
            face_lines: Vec::new(),
            groups: Vec::new(),
            face_groups: Vec::new(),
            with_coords: false,
            others: Default::default(),
        };
        scan.keep_numbers(totals);
        let mut so_far = [0, 0];
        let mut group: Option<(String, Option<u32>)> = None;
        for (index, line) in text.lines().enumerate() {
            let number = u32::try_from(index + 1)
                .map_err(|_| Refusal::of_all("the file has more lines than 32 bits can count"))?;
            let words = words(line);
            let kept_words = match words.clone().next() {
                Some("v") => {
                    so_far[0] += 1;
                    4
                }
                Some("vt") => {
                    so_far[1] += 1;
                    3
                }
                Some("f") => {
                    scan.check_face(words.clone().skip(1), so_far, totals)
                        .map_err(|message| Refusal { line: Some(index + 1), message })?;
                    scan.face_lines.push(number);
                    let group = scan.number_group(&mut group);
                    scan.face_groups.push(group);
                    usize::MAX
                }
                Some("g" | "o") => {
                    let name: Vec<&str> = words.clone().skip(1).collect();
                    group = Some((name.join(" "), None));
                    0
                }
                other => {
                    scan.count_element(other);
                    0
                }
            };
            for word in words.take(kept_words) {
                scan.kept.push_str(word);
                scan.kept.push(' ');
            }
            scan.kept.push('\n');
        }
        Ok(scan)
    }

    /// The number of the group that the next face is in. Faces before the first group are in the one that the format calls
    /// `default`, if there are others.
    fn number_group(&mut self, group: &mut Option<(String, Option<u32>)>) -> u32 {
        let Some((name, number)) = group else { return 0 };
        if number.is_none() {
            if self.groups.is_empty() && !self.face_groups.is_empty() {
                self.groups.push(DEFAULT_GROUP.to_owned());
            }
            let known = self.groups.iter().position(|known| known == name);
            *number = Some(known.unwrap_or_else(|| {
                self.groups.push(name.clone());
                self.groups.len() - 1
            }) as u32);
        }
        number.unwrap_or_default()
    }

    fn count_element(&mut self, keyword: Option<&str>) {
        let place = OTHER_ELEMENTS.iter().position(|(own, _)| keyword == Some(*own));
        place.into_iter().for_each(|kind| self.others[kind] += 1);
    }

    /// Describes the elements that are no faces, kind by kind.
    pub(super) fn describe_others(&self) -> Vec<String> {
        let kinds = OTHER_ELEMENTS.iter().zip(self.others).filter(|(_, count)| *count > 0);
        kinds.map(|((keyword, name), count)| format!("{count} {name} (`{keyword}`)")).collect()
    }

    /// The first line: a face with all vertices and material coordinates in order. The shorter list repeats its last.
    fn keep_numbers(&mut self, [vertices, coords]: [usize; 2]) {
        if vertices > 0 {
            self.kept.push('f');
            for number in 1..=vertices.max(coords) {
                let _ = write!(self.kept, " {}", number.min(vertices));
                if coords > 0 {
                    let _ = write!(self.kept, "/{}", number.min(coords));
                }
            }
        }
        self.kept.push('\n');
    }

    fn check_face<'a>(
        &mut self,
        face: impl Iterator<Item = &'a str>,
        so_far: [usize; 2],
        totals: [usize; 2],
    ) -> Result<(), String> {
        let (mut corners, mut with) = (0, 0);
        for corner in face {
            corners += 1;
            for (k, number) in corner.split('/').take(2).enumerate().filter(|part| *part != (1, "")) {
                check_number(number, so_far[k], totals[k], &PARTS[k])?;
                with += k;
            }
        }
        if corners < 3 {
            return Err(format!("a face needs at least three corners, not {corners}"));
        }
        if with != 0 && with != corners {
            return Err(
                "some corners of the face have a material coordinate (vt) and others have none".to_owned()
            );
        }
        if self.face_lines.is_empty() {
            self.with_coords = with != 0;
        }
        if self.with_coords != (with != 0) {
            let (here, there) = if self.with_coords { ("no", "some") } else { ("some", "none") };
            return Err(format!(
                "this face has {here} material coordinates (vt), but the first face has {there}: give them to all \
                 faces or to none"
            ));
        }
        Ok(())
    }

    /// The mesh with the vertices and material coordinates of the file in order. Its first face is not in the file.
    pub(super) fn load(&self, text: &str) -> Result<tobj::Mesh, Refusal> {
        let mut rest = self.kept.as_bytes();
        let loaded = tobj::load_obj_buf(&mut rest, &OPTIONS, |_| Err(tobj::LoadError::OpenFileFailed));
        let (mut models, _) = loaded.map_err(|error| {
            // tobj has read to the end of the line that it refuses; the first is not in the file.
            let line = self.kept[..self.kept.len() - rest.len()].lines().count() - 1;
            let message = explain(text.lines().nth(line - 1).unwrap_or_default(), error);
            Refusal { line: Some(line), message }
        })?;
        let mesh = models.pop().expect("without groups tobj makes one model").mesh;
        for (keyword, numbers, size) in [("v", &mesh.positions, 3), ("vt", &mesh.texcoords, 2)] {
            let Some(at) = numbers.iter().position(|number| !number.is_finite()) else { continue };
            let (index, line) = statements(text, keyword).nth(at / size).expect("numbers are in statements");
            let word = words(line).nth(1 + at % size).unwrap_or_default();
            return Err(Refusal {
                line: Some(index + 1),
                message: format!("{word:?} is not a finite number"),
            });
        }
        Ok(mesh)
    }
}

/// The words of a line before the comment.
pub(super) fn words(line: &str) -> SplitWhitespace<'_> {
    line.split('#').next().unwrap_or_default().split_whitespace()
}

/// Number of lines with a vertex, and of lines with a material coordinate.
fn count_statements(text: &str) -> [usize; 2] {
    let mut totals = [0, 0];
    for line in text.lines() {
        // Nearly all lines begin with their keyword; looking for comments in each would take twice as long.
        let statement = line.trim_ascii_start();
        match statement.as_bytes() {
            [b'v', b' ' | b'\t', ..] => totals[0] += 1,
            [b'v', b't', b' ' | b'\t', ..] => totals[1] += 1,
            [b'v', ..] | [0..=0x1f | 0x80..=0xff, ..] => match words(line).next() {
                Some("v") => totals[0] += 1,
                Some("vt") => totals[1] += 1,
                _ => {}
            },
            _ => {}
        }
    }
    totals
}

/// The lines with a statement, and their numbers from 0.
fn statements<'a>(text: &'a str, keyword: &str) -> impl Iterator<Item = (usize, &'a str)> {
    text.lines().enumerate().filter(move |(_, line)| words(line).next() == Some(keyword))
}

/// Negative numbers count back from the elements so far.
fn check_number(text: &str, so_far: usize, total: usize, part: &Part) -> Result<(), String> {
    let Part { name: what, plural } = part;
    let number: i64 = text.parse().map_err(|_| format!("{text:?} is not a {what} number"))?;
    let size = number.unsigned_abs() as usize;
    match number {
        0 => Err(format!("{what} numbers start at 1, not 0")),
        ..0 if size > so_far => Err(format!("{what} {number} is out of range: there are {so_far} so far")),
        1.. if size > total => Err(format!("{what} {number} is out of range: the file has {total} {plural}")),
        _ => Ok(()),
    }
}

/// Why tobj refuses a line.
fn explain(line: &str, error: tobj::LoadError) -> String {
    let mut words = words(line);
    let (count, missing) = match words.next() {
        Some("v") => (3, "a vertex needs three numbers"),
        Some("vt") => (2, "a material coordinate needs two numbers"),
        _ => return format!("the statement cannot be read: {error}"),
    };
    match words.take(count).find(|word| word.parse::<f64>().is_err()) {
        Some(word) => format!("{word:?} is not a number"),
        None => missing.to_owned(),
    }
}
