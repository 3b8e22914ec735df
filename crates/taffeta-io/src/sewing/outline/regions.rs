//! Which of the polygons of a drawing bound what is filled, and what is wrong with them.

use super::OutlineDefect;
use super::chords::sides;
use super::svg::{Drawing, FillRule};
use glam::DVec2;
use robust::{Coord, orient2d};
use std::collections::BTreeMap;
use std::ops::Range;

/// A polygon has an area if it is at least this part of the square of its perimeter.
pub(crate) const AREA_MIN: f64 = 1e-9;

/// Sine of the angle between two sides below which they lie along each other: the rest is round-off.
const SLOPE_MIN: f64 = 1e-6;

/// Columns into which polygons are sorted at most.
const MOST_COLUMNS: usize = 1024;

/// A path by its number, and what is wrong with it.
type Refusal = (usize, OutlineDefect);

/// The area inside of a polygon \[m²\], positive if it runs counter-clockwise.
pub(crate) fn signed_area(points: &[DVec2]) -> f64 {
    let origin = points.first().copied().unwrap_or_default();
    0.5 * sides(points).map(|[a, b]| (a - origin).perp_dot(b - origin)).sum::<f64>()
}

/// The polygons of the curves of a drawing, each with the box around it, and sorted into columns: what winds around a
/// point stands in the column of the point. With thousands of pieces, to look at all pairs would take minutes.
struct Polygons<'a> {
    drawing: &'a Drawing,
    loops: &'a [Vec<DVec2>],
    bounds: Vec<[DVec2; 2]>,
    columns: Vec<Vec<usize>>,
    /// The left border of the first column, and the width of each \[m\].
    left: f64,
    width: f64,
}

/// The polygons that bound what is filled: even and odd tell inside and outside. `loops` are the polygons of the curves of
/// the drawing.
pub(super) fn find_boundaries(
    drawing: &Drawing,
    loops: Vec<Vec<DVec2>>,
    edge_length: f64,
) -> Result<Vec<Vec<DVec2>>, Refusal> {
    for (number, points) in loops.iter().enumerate() {
        let perimeter = super::chords::perimeter(points);
        if points.len() < 3 || signed_area(points).abs() <= AREA_MIN * perimeter * perimeter {
            // The lobes of a bow tie cancel.
            find_meeting(&loops, number..number + 1, edge_length, |meeting| match meeting.crossing {
                Some(at) => Err((drawing.path_of[number], OutlineDefect::CrossesItself { at })),
                None => Ok(()),
            })?;
            let at = points.first().copied().unwrap_or_default();
            return Err((drawing.path_of[number], OutlineDefect::NoArea { at }));
        }
    }
    find_meeting(&loops, 0..loops.len(), edge_length, |meeting| Err(refuse_meeting(drawing, meeting)))?;
    let all = Polygons::sort(drawing, &loops);
    let is_kept: Vec<bool> = (0..loops.len()).map(|number| all.is_boundary(number)).collect();
    let kept: Vec<usize> = (0..loops.len()).filter(|number| is_kept[*number]).collect();
    for number in &kept {
        all.check_place(&is_kept, *number, edge_length)?;
    }
    Ok(loops.into_iter().zip(is_kept).filter_map(|(points, kept)| kept.then_some(points)).collect())
}

impl<'a> Polygons<'a> {
    fn sort(drawing: &'a Drawing, loops: &'a [Vec<DVec2>]) -> Self {
        let bounds = |points: &Vec<DVec2>| {
            points.iter().fold([points[0], points[0]], |[low, high], p| [low.min(*p), high.max(*p)])
        };
        let bounds: Vec<[DVec2; 2]> = loops.iter().map(bounds).collect();
        let left = bounds.iter().map(|[low, _]| low.x).fold(f64::INFINITY, f64::min);
        let right = bounds.iter().map(|[_, high]| high.x).fold(f64::NEG_INFINITY, f64::max);
        let count = loops.len().clamp(1, MOST_COLUMNS);
        let columns = vec![Vec::new(); count];
        let width = (right - left) / count as f64;
        let mut sorted = Self { drawing, loops, bounds, columns, left, width };
        for number in 0..loops.len() {
            let [low, high] = sorted.bounds[number];
            for column in sorted.column_of(low.x)..=sorted.column_of(high.x) {
                sorted.columns[column].push(number);
            }
        }
        sorted
    }

    fn column_of(&self, x: f64) -> usize {
        // A cast takes what is negative, and what has no value, to zero.
        (((x - self.left) / self.width) as usize).min(self.columns.len() - 1)
    }

    /// The polygons that wind around one, which does not meet them.
    fn around(&self, inner: usize) -> impl Iterator<Item = usize> + '_ {
        let p = self.loops[inner][0];
        let near = self.columns[self.column_of(p.x)].iter().copied().filter(move |outer| *outer != inner);
        near.filter(move |outer| {
            let [low, high] = self.bounds[*outer];
            low.cmple(p).all() && p.cmple(high).all() && contains(&self.loops[*outer], p)
        })
    }

    /// Returns whether one side of a polygon is filled and the other is not, by the rule of its path.
    fn is_boundary(&self, number: usize) -> bool {
        let path = self.drawing.path_of[number];
        if self.drawing.rules[path] == FillRule::EvenOdd {
            // One more polygon always changes even to odd.
            return true;
        }
        let direction = |other: usize| if signed_area(&self.loops[other]) > 0.0 { 1 } else { -1 };
        let of_path = self.around(number).filter(|other| self.drawing.path_of[*other] == path);
        let winding: i32 = of_path.map(direction).sum();
        (winding == 0) != (winding + direction(number) == 0)
    }

    /// Refuses what lies on another path's piece, and pieces smaller than an edge.
    fn check_place(&self, is_kept: &[bool], number: usize, edge_length: f64) -> Result<(), Refusal> {
        let path = self.drawing.path_of[number];
        // How many polygons of each path are around it.
        let mut around: BTreeMap<usize, usize> = BTreeMap::new();
        for other in self.around(number).filter(|other| is_kept[*other]) {
            *around.entry(self.drawing.path_of[other]).or_default() += 1;
        }
        let other = around.iter().find(|(other, count)| **other != path && **count % 2 == 1);
        if let Some((other, _)) = other {
            return Err((path, OutlineDefect::Inside { other: self.drawing.names[*other].clone() }));
        }
        let [low, high] = self.bounds[number];
        let size = (high - low).max_element();
        let is_hole = around.get(&path).is_some_and(|count| count % 2 == 1);
        if !is_hole && size < edge_length {
            let at = self.loops[number][0];
            return Err((path, OutlineDefect::SmallerThanEdge { size, edge_length, at }));
        }
        Ok(())
    }
}

/// Returns whether a polygon winds around a point that is not on it.
fn contains(points: &[DVec2], p: DVec2) -> bool {
    let crossed = sides(points).filter(|[a, b]| {
        let is_left = orientation(*a, *b, p) > 0.0;
        (a.y > p.y) != (b.y > p.y) && is_left == (b.y > a.y)
    });
    crossed.count() % 2 == 1
}

/// Positive if three points run counter-clockwise, exactly.
fn orientation(a: DVec2, b: DVec2, c: DVec2) -> f64 {
    let coord = |p: DVec2| Coord { x: p.x, y: p.y };
    orient2d(coord(a), coord(b), coord(c))
}

/// A side of a polygon.
struct Side {
    polygon: usize,
    ends: [DVec2; 2],
    /// Its place in the polygon.
    place: usize,
}

/// Two sides that have a point in common.
pub(crate) struct Meeting {
    /// Their polygons.
    polygons: [usize; 2],
    /// Their places in the polygons.
    pub(crate) sides: [usize; 2],
    /// A place near the point.
    pub(crate) at: DVec2,
    /// The point, if the sides cross there and not only touch.
    crossing: Option<DVec2>,
}

/// Takes a look at the places where some of the polygons meet, until one is refused.
pub(crate) fn find_meeting<R>(
    loops: &[Vec<DVec2>],
    polygons: Range<usize>,
    edge_length: f64,
    mut look: impl FnMut(Meeting) -> Result<(), R>,
) -> Result<(), R> {
    let of_polygon = |polygon: usize| {
        sides(&loops[polygon]).enumerate().map(move |(place, ends)| Side { polygon, ends, place })
    };
    let all: Vec<Side> = polygons.flat_map(of_polygon).collect();
    // Sides are no longer than an edge: each lies in at most four squares of that size.
    let mut cells: Vec<([i64; 2], usize)> = Vec::new();
    for (number, side) in all.iter().enumerate() {
        let cell = |p: DVec2| (p / edge_length).floor().to_array().map(|c| c as i64);
        let [a, b] = side.ends;
        let (low, high) = (cell(a.min(b)), cell(a.max(b)));
        for y in low[1]..=high[1] {
            (low[0]..=high[0]).for_each(|x| cells.push(([x, y], number)));
        }
    }
    cells.sort_unstable();
    for group in cells.chunk_by(|a, b| a.0 == b.0) {
        for (k, (_, first)) in group.iter().enumerate() {
            for (_, second) in &group[k + 1..] {
                let meeting = meet(loops, &all[*first], &all[*second]);
                meeting.map_or(Ok(()), &mut look)?;
            }
        }
    }
    Ok(())
}

/// The place where two sides meet; `None`: they do not.
fn meet(loops: &[Vec<DVec2>], s: &Side, t: &Side) -> Option<Meeting> {
    let count = loops[s.polygon].len();
    let is_next = |s: &Side, t: &Side| s.polygon == t.polygon && (s.place + 1) % count == t.place;
    let meets = if is_next(s, t) || is_next(t, s) {
        // Neighbors share a corner; they meet otherwise only if the polygon turns back on itself.
        let [before, after] = if is_next(s, t) { [s, t] } else { [t, s] };
        let ([a, b], [_, c]) = (before.ends, after.ends);
        orientation(a, b, c) == 0.0 && (b - a).dot(c - b) < 0.0
    } else {
        do_meet(s.ends, t.ends)
    };
    if !meets {
        return None;
    }
    let [along_s, along_t] = [s, t].map(|side| side.ends[1] - side.ends[0]);
    let is_steep = along_s.perp_dot(along_t).abs() > SLOPE_MIN * along_s.length() * along_t.length();
    let crossing = || cross_inside(s.ends, t.ends).or_else(|| cross_at_corner(loops, s, t));
    let crossing = is_steep.then(crossing).flatten();
    let at = crossing.unwrap_or(0.5 * (s.ends[0] + s.ends[1]));
    Some(Meeting { polygons: [s.polygon, t.polygon], sides: [s.place, t.place], at, crossing })
}

/// The point inside of two segments in which they cross.
fn cross_inside([a, b]: [DVec2; 2], [c, d]: [DVec2; 2]) -> Option<DVec2> {
    let [of_a, of_b] = [orientation(c, d, a), orientation(c, d, b)];
    let [of_c, of_d] = [orientation(a, b, c), orientation(a, b, d)];
    let crosses = of_a * of_b < 0.0 && of_c * of_d < 0.0;
    crosses.then(|| a.lerp(b, of_a / (of_a - of_b)))
}

/// The end of one of two sides that lies on the other one, if the polygons cross there.
fn cross_at_corner(loops: &[Vec<DVec2>], s: &Side, t: &Side) -> Option<DVec2> {
    let ends = s.ends.iter().chain(&t.ends);
    let at = *ends.into_iter().find(|end| [s, t].iter().all(|side| do_meet(side.ends, [**end, **end])))?;
    let ([back, forth], [from, to]) = (directions(loops, s, at), directions(loops, t, at));
    // The directions from `forth` counter-clockwise to `back` are on one side of the first polygon.
    let is_beside = |d: DVec2| match forth.perp_dot(back) >= 0.0 {
        true => forth.perp_dot(d) > 0.0 && d.perp_dot(back) > 0.0,
        false => forth.perp_dot(d) > 0.0 || d.perp_dot(back) > 0.0,
    };
    let is_along = |d: DVec2| [back, forth].iter().any(|own| own.perp_dot(d) == 0.0 && own.dot(d) > 0.0);
    let crosses = is_beside(from) != is_beside(to) && !is_along(from) && !is_along(to);
    crosses.then_some(at)
}

/// The directions from a point on a side back and forth along its polygon.
fn directions(loops: &[Vec<DVec2>], side: &Side, at: DVec2) -> [DVec2; 2] {
    let (points, place) = (&loops[side.polygon], side.place);
    let [mut back, mut forth] = side.ends;
    if at == back {
        back = points[(place + points.len() - 1) % points.len()];
    } else if at == forth {
        forth = points[(place + 2) % points.len()];
    }
    [back - at, forth - at]
}

fn refuse_meeting(drawing: &Drawing, meeting: Meeting) -> Refusal {
    let Meeting { polygons: [first, second], at, crossing, .. } = meeting;
    let [first, second] = [first, second].map(|polygon| drawing.path_of[polygon]);
    let defect = match crossing {
        _ if first != second => OutlineDefect::Crosses { other: drawing.names[second].clone(), at },
        Some(at) => OutlineDefect::CrossesItself { at },
        None => OutlineDefect::TouchesItself { at },
    };
    (first, defect)
}

/// Returns whether two segments have a point in common, exactly.
fn do_meet([a, b]: [DVec2; 2], [c, d]: [DVec2; 2]) -> bool {
    let apart = a.max(b).cmplt(c.min(d)).any() || c.max(d).cmplt(a.min(b)).any();
    let splits = |a, b, c, d| {
        let (left, right) = (orientation(a, b, c), orientation(a, b, d));
        (left >= 0.0 && right <= 0.0) || (left <= 0.0 && right >= 0.0)
    };
    // Of segments on one line, the boxes decide.
    !apart && splits(a, b, c, d) && splits(c, d, a, b)
}
