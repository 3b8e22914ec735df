//! Tetrahedra from Gmsh files (`.msh`): ASCII, versions 2 to 2.2 and 4.1.
//!
//! Written by hand: the library for it (`mshio` 0.4) reads version 4.1 only, while many mesh generators write 2.2, and tells
//! byte offsets instead of lines. Sections other than nodes and elements are skipped, as are points, lines and surface
//! elements. Elements of volume that are no tetrahedra with four corners are refused: leaving them out would leave holes.
//!
//! Format: Gmsh reference manual, “MSH file format”.

use crate::obj::ObjError;
use crate::read_file;
use glam::DVec3;
use std::path::Path;
use taffeta_core::geometry::{is_flat, sixfold_volume};

/// Gmsh's number for a tetrahedron with four corners.
const TETRAHEDRON: u64 = 4;
/// Gmsh's numbers for common elements of volume that are none, with their names.
const OTHER_VOLUMES: [(u64, &str); 15] = [
    (5, "a hexahedron"),
    (6, "a prism"),
    (7, "a pyramid"),
    (11, "a tetrahedron of second order"),
    (12, "a hexahedron of second order"),
    (13, "a prism of second order"),
    (14, "a pyramid of second order"),
    (17, "a hexahedron of second order"),
    (18, "a prism of second order"),
    (19, "a pyramid of second order"),
    (29, "a tetrahedron of third order"),
    (30, "a tetrahedron of fourth order"),
    (31, "a tetrahedron of fifth order"),
    (92, "a hexahedron of third order"),
    (93, "a hexahedron of fourth order"),
];
/// Returns whether an element, by Gmsh's number, is a point, a line or a surface (`GmshDefines.h`).
fn is_flat_kind(kind: u64) -> bool {
    matches!(kind, 1..=3 | 8..=10 | 15 | 16 | 20..=28 | 34 | 36..=70 | 84..=86 | 133..=135 | 138)
}

/// Tetrahedra of a file, all with positive volumes.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct MshMesh {
    /// Positions of the nodes that tetrahedra have \[m\], in the order of the file.
    pub positions: Vec<DVec3>,
    /// Corners of the tetrahedra, in the order of the file.
    pub tetrahedra: Vec<[u32; 4]>,
    /// The place of every vertex among all nodes of the file, from 0.
    pub source_vertices: Vec<u32>,
    /// The number that each tetrahedron has in the file.
    pub tags: Vec<u64>,
    /// The line of the file that each tetrahedron is in, from 1.
    pub lines: Vec<usize>,
    /// Nodes that belong to no tetrahedron and were left out.
    pub dropped_vertices: usize,
    /// Tetrahedra whose corners ran the other way round than those of most, and were turned.
    pub turned: usize,
}

/// Reads the tetrahedra of a Gmsh file.
///
/// # Errors
/// If the file cannot be read, is malformed or ends early; if it has no tetrahedra, or other elements of volume. If a
/// tetrahedron has an unknown node, one node twice, or no volume.
pub fn read_msh(path: &Path) -> Result<MshMesh, ObjError> {
    let unreadable = |reason: String| ObjError::Unreadable { path: path.to_owned(), reason };
    let bytes = read_file(path).map_err(|error| unreadable(error.to_string()))?;
    parse_msh(&bytes, path)
}

/// Reads the bytes of a Gmsh file; the path is for messages.
///
/// # Errors
/// As [`read_msh`].
pub fn parse_msh(bytes: &[u8], path: &Path) -> Result<MshMesh, ObjError> {
    parse(bytes).map_err(|refusal| refusal.at(path, bytes))
}

/// Reason of a refusal, with its line from 1 if it is in one line.
#[derive(Debug)]
struct Refusal {
    line: Option<usize>,
    message: String,
}

impl Refusal {
    fn whole(message: impl Into<String>) -> Self {
        Self { line: None, message: message.into() }
    }

    fn at(self, path: &Path, bytes: &[u8]) -> ObjError {
        let (path, message) = (path.to_owned(), self.message);
        match self.line {
            None => ObjError::Whole { path, message },
            Some(line) => {
                let text = bytes.split(|byte| *byte == b'\n').nth(line - 1).unwrap_or_default();
                let text = String::from_utf8_lossy(text).trim().chars().take(80).collect();
                ObjError::Line { path, line, message, text }
            }
        }
    }
}

fn refuse<T>(line: usize, message: impl Into<String>) -> Result<T, Refusal> {
    Err(Refusal { line: Some(line), message: message.into() })
}

/// The lines of a file that are not blank, with their numbers from 1.
struct Lines<'a> {
    lines: std::iter::Enumerate<std::str::Lines<'a>>,
    section: String,
}

impl<'a> Lines<'a> {
    fn next(&mut self) -> Option<(usize, &'a str)> {
        let mut rest = self.lines.by_ref().map(|(number, line)| (number + 1, line.trim()));
        rest.find(|(_, line)| !line.is_empty())
    }

    /// The next line within a section.
    fn inside(&mut self) -> Result<(usize, &'a str), Refusal> {
        match self.next() {
            None => Err(Refusal::whole(format!("it ends within {}: part of it is missing", self.section))),
            Some((line, text)) if text.starts_with('$') => refuse(
                line,
                format!("{} ends before all that its head counts: part of it is missing", self.section),
            ),
            Some(found) => Ok(found),
        }
    }

    /// The whole numbers of the next line within a section, at least `count` of them.
    fn integers(&mut self, count: usize, what: &str) -> Result<(usize, Vec<u64>), Refusal> {
        let (line, text) = self.inside()?;
        let read = text.split_whitespace().map(|word| word.parse().ok());
        match read.collect::<Option<Vec<u64>>>() {
            Some(numbers) if numbers.len() >= count => Ok((line, numbers)),
            _ => refuse(line, format!("{what} expected: {count} whole numbers from 0")),
        }
    }

    /// A node's coordinates behind `skip` words of a line.
    fn point(&mut self, skip: usize) -> Result<(usize, &'a str, DVec3), Refusal> {
        let (line, text) = self.inside()?;
        let read = text.split_whitespace().skip(skip).take(3).map(|word| word.parse::<f64>().ok());
        match read.collect::<Option<Vec<f64>>>().as_deref() {
            Some([x, y, z]) if x.is_finite() && y.is_finite() && z.is_finite() => {
                Ok((line, text, DVec3::new(*x, *y, *z)))
            }
            _ => refuse(line, "three finite coordinates of a node expected"),
        }
    }

    fn end(&mut self) -> Result<(), Refusal> {
        let end = self.section.replacen('$', "$End", 1);
        match self.next() {
            Some((_, text)) if text == end => Ok(()),
            Some((line, _)) => refuse(line, format!("{end} expected: there is more than its head counts")),
            None => Err(Refusal::whole(format!("it ends before {end}: part of it is missing"))),
        }
    }
}

/// An element of a file: its number, its line and the numbers of its nodes.
struct Element {
    tag: u64,
    line: usize,
    nodes: [u64; 4],
}

/// The nodes in the order of the file, each with its number, and the tetrahedra.
#[derive(Default)]
struct Content {
    nodes: Vec<(u64, DVec3)>,
    tetrahedra: Vec<Element>,
}

fn parse(bytes: &[u8]) -> Result<MshMesh, Refusal> {
    // The head of a binary file is text, and says that it is one.
    let head = String::from_utf8_lossy(&bytes[..bytes.len().min(256)]);
    let mut lines = Lines { lines: head.lines().enumerate(), section: "$MeshFormat".to_owned() };
    let is_four = read_head(&mut lines)?;
    let text = String::from_utf8_lossy(bytes);
    let mut lines = Lines { lines: text.lines().enumerate(), section: String::new() };
    let mut content = Content::default();
    while let Some((_, word)) = lines.next() {
        lines.section = word.to_owned();
        match word {
            "$Nodes" if is_four => read_node_blocks(&mut lines, &mut content)?,
            "$Nodes" => read_nodes(&mut lines, &mut content)?,
            "$Elements" if is_four => read_element_blocks(&mut lines, &mut content)?,
            "$Elements" => read_elements(&mut lines, &mut content)?,
            _ => continue,
        }
        lines.end()?;
    }
    assemble(&content)
}

/// Reads the head, and returns whether the file is of version 4.1 and not of 2.
fn read_head(lines: &mut Lines<'_>) -> Result<bool, Refusal> {
    let is_head = |(_, word): (usize, &str)| word.trim_start_matches('\u{feff}') == "$MeshFormat";
    if !lines.next().is_some_and(is_head) {
        return Err(Refusal::whole("it is no Gmsh file: those start with $MeshFormat"));
    }
    let (line, text) = lines.inside()?;
    let mut words = text.split_whitespace();
    let version = words.next().unwrap_or_default();
    if words.next() != Some("0") {
        return refuse(
            line,
            "it is binary: save it as ASCII (Mesh.Binary = 0 in Gmsh, `meshio ascii FILE` for any other file)",
        );
    }
    match version {
        "4.1" => Ok(true),
        "2" | "2.0" | "2.1" | "2.2" => Ok(false),
        _ => refuse(line, format!("version {version}; supported: 2.2 and 4.1 (Mesh.MshFileVersion in Gmsh)")),
    }
}

/// Nodes of version 2: `tag x y z` each.
fn read_nodes(lines: &mut Lines<'_>, content: &mut Content) -> Result<(), Refusal> {
    let (_, head) = lines.integers(1, "the number of nodes")?;
    for _ in 0..head[0] {
        let (line, text, point) = lines.point(1)?;
        match text.split_whitespace().next().and_then(|word| word.parse().ok()) {
            Some(tag) => content.nodes.push((tag, point)),
            None => return refuse(line, "the number of a node expected"),
        }
    }
    Ok(())
}

/// Nodes of version 4.1, block by block: first all numbers, then all coordinates.
fn read_node_blocks(lines: &mut Lines<'_>, content: &mut Content) -> Result<(), Refusal> {
    let (_, head) = lines.integers(4, "blocks, nodes, least and greatest number")?;
    for _ in 0..head[0] {
        let (_, block) = lines.integers(4, "dimension, entity, parametric, nodes")?;
        let mut tags = Vec::new();
        for _ in 0..block[3] {
            tags.push(lines.integers(1, "the number of a node")?.1[0]);
        }
        for tag in tags {
            content.nodes.push((tag, lines.point(0)?.2));
        }
    }
    Ok(())
}

/// Elements of version 2: `tag type count-of-tags tags.. nodes..` each.
fn read_elements(lines: &mut Lines<'_>, content: &mut Content) -> Result<(), Refusal> {
    let (_, head) = lines.integers(1, "the number of elements")?;
    for _ in 0..head[0] {
        let (line, text) = lines.inside()?;
        let words: Vec<&str> = text.split_whitespace().collect();
        let head = words.get(..3).and_then(whole).unwrap_or_default();
        let [tag, kind, tags] = head[..] else {
            return refuse(line, "number, type and tags of an element expected: 3 whole numbers from 0");
        };
        // The tags themselves may be negative: partitions of ghost cells are.
        let nodes = usize::try_from(tags).ok().and_then(|tags| whole(words[3..].get(tags..)?));
        push_element(content, tag, kind, &nodes.unwrap_or_default(), line)?;
    }
    Ok(())
}

/// Elements of version 4.1, block by block: `tag nodes..` each.
fn read_element_blocks(lines: &mut Lines<'_>, content: &mut Content) -> Result<(), Refusal> {
    let (_, head) = lines.integers(4, "blocks, elements, least and greatest number")?;
    for _ in 0..head[0] {
        let (_, block) = lines.integers(4, "dimension, entity, type, elements")?;
        for _ in 0..block[3] {
            let (line, numbers) = lines.integers(2, "number and nodes of an element")?;
            push_element(content, numbers[0], block[2], &numbers[1..], line)?;
        }
    }
    Ok(())
}

fn whole(words: &[&str]) -> Option<Vec<u64>> {
    words.iter().map(|word| word.parse().ok()).collect()
}

fn push_element(
    content: &mut Content,
    tag: u64,
    kind: u64,
    nodes: &[u64],
    line: usize,
) -> Result<(), Refusal> {
    if is_flat_kind(kind) {
        return Ok(());
    }
    if kind != TETRAHEDRON {
        let known = OTHER_VOLUMES.iter().find(|(number, _)| *number == kind);
        let name = known.map_or_else(|| format!("of type {kind}"), |(_, name)| (*name).to_owned());
        return refuse(
            line,
            format!("element {tag} is {name}; a solid has tetrahedra with four corners only"),
        );
    }
    match <[u64; 4]>::try_from(nodes) {
        Ok(nodes) => content.tetrahedra.push(Element { tag, line, nodes }),
        Err(_) => {
            return refuse(line, format!("the tetrahedron {tag} has {} nodes instead of four", nodes.len()));
        }
    }
    Ok(())
}

/// From numbers to indices, without nodes that no tetrahedron has.
fn assemble(content: &Content) -> Result<MshMesh, Refusal> {
    let Content { nodes, tetrahedra } = content;
    if tetrahedra.is_empty() {
        return Err(Refusal::whole("it has no tetrahedra: was only the surface meshed?"));
    }
    if u32::try_from(nodes.len()).is_err() {
        return Err(Refusal::whole(format!("it has {} nodes, more than can be numbered", nodes.len())));
    }
    let mut by_tag: Vec<(u64, u32)> =
        nodes.iter().zip(0..).map(|((tag, _), number)| (*tag, number)).collect();
    by_tag.sort_unstable();
    if let Some([(tag, _), _]) = by_tag.array_windows().find(|[a, b]| a.0 == b.0) {
        return Err(Refusal::whole(format!("two nodes have the number {tag}")));
    }
    let mut mesh = MshMesh::default();
    let mut is_used = vec![false; nodes.len()];
    let mut mirrored = 0;
    for Element { tag, line, nodes: corners } in tetrahedra {
        let find =
            |node: &u64| by_tag.binary_search_by_key(node, |(tag, _)| *tag).ok().map(|at| by_tag[at].1);
        if let Some(unknown) = corners.iter().find(|node| find(node).is_none()) {
            return refuse(
                *line,
                format!("the tetrahedron {tag} has the node {unknown}, which is not in $Nodes"),
            );
        }
        let mut found = corners.map(|node| find(&node).unwrap_or_default());
        let x = found.map(|number| nodes[number as usize].1);
        if is_flat(x) {
            let volume = sixfold_volume(x) / 6.0;
            return refuse(*line, format!("the tetrahedron {tag} is flat: its volume is {volume:.3e} m³"));
        }
        if sixfold_volume(x) < 0.0 {
            found.swap(2, 3);
            mirrored += 1;
        }
        found.iter().for_each(|number| is_used[*number as usize] = true);
        mesh.tetrahedra.push(found);
        mesh.tags.push(*tag);
        mesh.lines.push(*line);
    }
    mesh.turned = mirrored.min(tetrahedra.len() - mirrored);
    mesh.keep_used(nodes, &is_used);
    Ok(mesh)
}

impl MshMesh {
    fn keep_used(&mut self, nodes: &[(u64, DVec3)], is_used: &[bool]) {
        let mut numbers = vec![0; nodes.len()];
        for (source, (_, position)) in nodes.iter().enumerate().filter(|(source, _)| is_used[*source]) {
            numbers[source] = self.positions.len() as u32;
            self.positions.push(*position);
            self.source_vertices.push(source as u32);
        }
        self.tetrahedra.iter_mut().flatten().for_each(|corner| *corner = numbers[*corner as usize]);
        self.dropped_vertices = nodes.len() - self.positions.len();
    }
}
