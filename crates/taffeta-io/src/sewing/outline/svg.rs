//! The paths of an SVG document, by `usvg`: shapes as paths, references and transforms resolved.

use super::{OutlineDefect, OutlineError};
use glam::DVec2;
use kurbo::{CubicBez, Line, PathSeg, Point, QuadBez};
use std::path::Path;
use usvg::tiny_skia_path::PathSegment;
use usvg::{Group, Node, Transform, Tree, roxmltree};

/// Meters of a pixel of `usvg`, by its 96 pixels per inch.
const PIXEL: f64 = 0.0254 / 96.0;
/// Units of length that give a page a physical size.
const PHYSICAL: [&str; 6] = ["mm", "cm", "Q", "in", "pt", "pc"];
/// Elements, texts and comments of a document, once what it names is put in its place; `usvg` has the same limit for what it
/// makes of them.
const MAX_NODES: u32 = 1_000_000;
/// Largest gap between the ends of a closed path, relative to its size: numbers in files are rounded.
const CLOSED_GAP: f64 = 1e-5;

/// Which of the places that a path winds around are filled.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum FillRule {
    EvenOdd,
    NonZero,
}

/// All closed curves of a document.
pub(super) struct Drawing {
    /// The paths as messages call them.
    pub names: Vec<String>,
    /// Their ids; empty: none.
    pub ids: Vec<String>,
    /// The rule of each path. What has no fill, only a line, is filled by the rule of even and odd: inner lines are holes.
    pub rules: Vec<FillRule>,
    /// Closed curves \[m\], v up.
    pub loops: Vec<Vec<PathSeg>>,
    /// The path of each curve.
    pub path_of: Vec<usize>,
}

/// From pixels of `usvg` to meters.
#[derive(Clone, Copy)]
struct Page {
    meters: f64,
    /// Height of the page \[pixels\].
    height: f64,
}

pub(super) fn read(bytes: &[u8], path: &Path, scale: Option<f64>) -> Result<Drawing, OutlineError> {
    let refuse = |reason: String| OutlineError::NotSvg { path: path.to_owned(), reason };
    if bytes.starts_with(&[0x1f, 0x8b]) {
        return Err(refuse("it is compressed; save it as plain SVG".to_owned()));
    }
    let text = std::str::from_utf8(bytes)
        .map_err(|error| refuse(format!("it is not UTF-8 text (byte {})", error.valid_up_to())))?;
    let options = roxmltree::ParsingOptions { allow_dtd: true, nodes_limit: MAX_NODES, ..Default::default() };
    let document = roxmltree::Document::parse_with_options(text.trim_start_matches('\u{feff}'), options)
        .map_err(|error| refuse(error.to_string()))?;
    // Images do not count: neither files nor data that the document names are read.
    let image_href_resolver = usvg::ImageHrefResolver {
        resolve_data: Box::new(|_, _, _| None),
        resolve_string: Box::new(|_, _| None),
    };
    let options = usvg::Options { image_href_resolver, ..Default::default() };
    let tree = Tree::from_xmltree(&document, &options).map_err(|error| refuse(error.to_string()))?;
    let page = find_page(&document.root_element(), &tree, scale);
    let mut drawing = Drawing {
        names: Vec::new(),
        ids: Vec::new(),
        rules: Vec::new(),
        loops: Vec::new(),
        path_of: Vec::new(),
    };
    collect(tree.root(), page, &mut drawing).map_err(|(name, defect)| OutlineError::Path {
        path: path.to_owned(),
        name,
        defect,
    })?;
    if drawing.loops.is_empty() {
        return Err(OutlineError::NoPath { path: path.to_owned() });
    }
    Ok(drawing)
}

/// Length of a pixel.
fn find_page(root: &roxmltree::Node<'_, '_>, tree: &Tree, scale: Option<f64>) -> Page {
    let size = [tree.size().width(), tree.size().height()].map(f64::from);
    let is_physical = ["width", "height"].into_iter().any(|key| {
        let text = root.attribute(key).unwrap_or_default().trim();
        PHYSICAL.iter().any(|unit| text.ends_with(unit))
    });
    // Without a view box a unit of the drawing is a pixel.
    let pixels_per_unit = root.attribute("viewBox").and_then(|text| {
        let words = text.split(|c: char| c == ',' || c.is_whitespace()).filter(|word| !word.is_empty());
        let numbers: Vec<f64> = words.filter_map(|word| word.parse().ok()).collect();
        let [_, _, width, height] = numbers[..] else { return None };
        Some((size[0] / width).min(size[1] / height)).filter(|ratio| ratio.is_finite() && *ratio > 0.0)
    });
    let meters = match scale {
        None if is_physical => PIXEL,
        given => given.unwrap_or(1.0) / pixels_per_unit.unwrap_or(1.0),
    };
    Page { meters, height: size[1] }
}

impl Page {
    /// The place of a point of a path \[m\].
    fn place(self, transform: Transform, point: usvg::tiny_skia_path::Point) -> Point {
        let (x, y) = (f64::from(point.x), f64::from(point.y));
        let Transform { sx, kx, ky, sy, tx, ty } = transform;
        let [sx, kx, ky, sy, tx, ty] = [sx, kx, ky, sy, tx, ty].map(f64::from);
        let (x, y) = (sx * x + kx * y + tx, ky * x + sy * y + ty);
        Point::new(self.meters * x, self.meters * (self.height - y))
    }
}

/// Goes through the paths in the order in which they are drawn.
fn collect(group: &Group, page: Page, drawing: &mut Drawing) -> Result<(), (String, OutlineDefect)> {
    for node in group.children() {
        match node {
            Node::Group(inner) => collect(inner, page, drawing)?,
            Node::Path(path) if path.is_visible() => {
                let number = drawing.names.len();
                let name = match path.id() {
                    "" => format!("path {}", number + 1),
                    id => format!("the path {id:?}"),
                };
                let loops = find_loops(path, page).map_err(|defect| (name.clone(), defect))?;
                drawing.names.push(name);
                drawing.ids.push(path.id().to_owned());
                drawing.rules.push(match path.fill().map(usvg::Fill::rule) {
                    Some(usvg::FillRule::NonZero) => FillRule::NonZero,
                    Some(usvg::FillRule::EvenOdd) | None => FillRule::EvenOdd,
                });
                drawing.path_of.resize(drawing.loops.len() + loops.len(), number);
                drawing.loops.extend(loops);
            }
            Node::Path(_) | Node::Image(_) | Node::Text(_) => {}
        }
    }
    Ok(())
}

/// The closed curves of a path.
fn find_loops(path: &usvg::Path, page: Page) -> Result<Vec<Vec<PathSeg>>, OutlineDefect> {
    let place = |point| page.place(path.abs_transform(), point);
    let bounds = path.abs_bounding_box();
    let gap = CLOSED_GAP * page.meters * f64::from(bounds.width().max(bounds.height()));
    let mut loops = Vec::new();
    let mut current: Vec<PathSeg> = Vec::new();
    let (mut start, mut at) = (Point::ZERO, Point::ZERO);
    for segment in path.data().segments() {
        let next = match segment {
            PathSegment::MoveTo(to) => {
                finish(&mut current, &mut loops, start, at, gap)?;
                (start, at) = (place(to), place(to));
                continue;
            }
            PathSegment::Close => {
                if start.distance(at) > gap {
                    current.push(PathSeg::Line(Line::new(at, start)));
                }
                at = start;
                finish(&mut current, &mut loops, start, at, gap)?;
                continue;
            }
            PathSegment::LineTo(to) => PathSeg::Line(Line::new(at, place(to))),
            PathSegment::QuadTo(a, to) => PathSeg::Quad(QuadBez::new(at, place(a), place(to))),
            PathSegment::CubicTo(a, b, to) => {
                PathSeg::Cubic(CubicBez::new(at, place(a), place(b), place(to)))
            }
        };
        at = match next {
            PathSeg::Line(line) => line.p1,
            PathSeg::Quad(curve) => curve.p2,
            PathSeg::Cubic(curve) => curve.p3,
        };
        current.push(next);
    }
    finish(&mut current, &mut loops, start, at, gap)?;
    Ok(loops)
}

/// Ends a curve, which must be closed. A start without anything after it is no curve.
fn finish(
    current: &mut Vec<PathSeg>,
    loops: &mut Vec<Vec<PathSeg>>,
    start: Point,
    end: Point,
    gap: f64,
) -> Result<(), OutlineDefect> {
    if current.is_empty() {
        return Ok(());
    }
    if start.distance(end) > gap {
        let point = |p: Point| DVec2::new(p.x, p.y);
        return Err(OutlineDefect::Open { start: point(start), end: point(end) });
    }
    loops.push(std::mem::take(current));
    Ok(())
}
