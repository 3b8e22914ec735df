//! Which vertices of two runs are sewn together: those at the same part of their lengths.
//!
//! If both runs have a vertex at almost the same part, one of the two slides along the boundary to the place of the other. If
//! only one has, the edge on the other side is split there, which changes nothing. To pair vertices that do not match was tried
//! on paper only: edges sewn to longer or shorter ones would be strained for ever.

use crate::build::seams::runs::{Outline, Run, corner_of};
use crate::model::report::seam_error::{LENGTH_TOLERANCE, SeamDefect};
use glam::DVec2;
use taffeta_core::TriangleMesh;
use taffeta_core::geometry::doubled_area;

/// Largest slide of a vertex, relative to the shortest edge beside it or its partner.
const SLIDE: f64 = 0.3;

/// Sine of the largest angle of the boundary at a vertex that slides: at a corner the outline would be cut off.
const STRAIGHT: f64 = 0.3;

/// Part of the area of a face that is left at least when one of its corners slides.
const LEAST_AREA: f64 = 0.3;

/// Difference of two parts of a length that is round-off.
const SAME: f64 = 1e-9;

/// The ends that belong together are nearer to each other than those that do not, by this factor, or a panel is turned over.
const NEARER: f64 = 4.0;

/// Match of two lists of numbers between 0 and 1.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Match {
    /// An entry of the first and one of the second list.
    Both(usize, usize),
    /// One of the first list alone.
    First(usize),
    /// One of the second list alone.
    Second(usize),
}

/// Pairs two runs, `b` against its direction. Vertices may slide, but for those that are `fixed`, and edges may be split.
pub(crate) fn pair_runs(
    mesh: &mut TriangleMesh,
    outline: &mut Outline,
    runs: [Run; 2],
    ease: bool,
    fixed: &[bool],
) -> Result<Vec<[u32; 2]>, SeamDefect> {
    check_runs(mesh, outline, &runs, ease)?;
    let [a, mut b] = runs;
    let mut of_a = parts(&outline.distances(mesh, &a));
    let mut of_b: Vec<f64> = parts(&outline.distances(mesh, &b)).into_iter().rev().map(|t| 1.0 - t).collect();
    b.vertices.reverse();
    let may_slide = |i: usize, j: usize| !(fixed[a.vertices[i] as usize] && fixed[b.vertices[j] as usize]);
    let matches = match_parts(&of_a, &of_b, may_slide);
    for found in &matches {
        let Match::Both(i, j) = *found else { continue };
        if (of_a[i] - of_b[j]).abs() <= SAME {
            continue;
        }
        let [v, w] = [a.vertices[i], b.vertices[j]].map(|v| v as usize);
        if !fixed[w] && slide(mesh, &b.vertices, &of_b, j, of_a[i]) {
            of_b[j] = of_a[i];
        } else if !fixed[v] && slide(mesh, &a.vertices, &of_a, i, of_b[j]) {
            of_a[i] = of_b[j];
        }
    }
    let mut pairs = insert_missing(mesh, outline, [&a.vertices, &b.vertices], [&of_a, &of_b], &matches);
    if a.is_closed {
        pairs.pop();
    }
    // The tip of a dart is one vertex already.
    pairs.retain(|[a, b]| a != b);
    Ok(pairs)
}

/// Checks that two runs can be sewn together.
fn check_runs(mesh: &TriangleMesh, outline: &Outline, runs: &[Run; 2], ease: bool) -> Result<(), SeamDefect> {
    let [a, b] = runs;
    if a.is_closed != b.is_closed {
        return Err(SeamDefect::Closed { side: if a.is_closed { 'a' } else { 'b' } });
    }
    let inner = |run: &Run| run.vertices[1..run.vertices.len() - 1].to_vec();
    let mut of_b = b.vertices.clone();
    of_b.sort_unstable();
    let mut ends = [b.vertices[0], b.vertices[b.vertices.len() - 1]];
    ends.sort_unstable();
    let shared = inner(a).into_iter().find(|v| of_b.binary_search(v).is_ok());
    let at_ends = inner(b).into_iter().find(|v| a.vertices.contains(v));
    if let Some(vertex) = shared.or(at_ends) {
        return Err(SeamDefect::Shared { vertex });
    }
    let names = [outline.name(mesh, 'a', a), outline.name(mesh, 'b', b)];
    let [short, long] = [names[0].length.min(names[1].length), names[0].length.max(names[1].length)];
    if !ease && short < (1.0 - LENGTH_TOLERANCE) * long {
        return Err(SeamDefect::Lengths { runs: names });
    }
    let x = |v: u32| mesh.positions[v as usize];
    let ([a0, a1], [b0, b1]) = (names[0].ends.map(x), names[1].ends.map(x));
    // Along the one and against the other.
    let sewn = a0.distance_squared(b1) + a1.distance_squared(b0);
    let crosswise = a0.distance_squared(b0) + a1.distance_squared(b1);
    if !a.is_closed && NEARER * crosswise < sewn {
        return Err(SeamDefect::TurnedOver { panels: names.map(|name| name.panel) });
    }
    Ok(())
}

/// Distances as parts of the last one.
fn parts(distances: &[f64]) -> Vec<f64> {
    let total = distances[distances.len() - 1];
    let mut parts: Vec<f64> = distances.iter().map(|distance| distance / total).collect();
    *parts.last_mut().expect("a run has two ends") = 1.0;
    parts
}

/// Matches two increasing lists from 0 to 1, entry by entry. `may_slide` tells whether one of two may slide to the other.
fn match_parts(a: &[f64], b: &[f64], may_slide: impl Fn(usize, usize) -> bool) -> Vec<Match> {
    let room = |list: &[f64], k: usize| (list[k] - list[k - 1]).min(list[k + 1] - list[k]);
    let (mut i, mut j) = (1, 1);
    let mut matches = vec![Match::Both(0, 0)];
    while i + 1 < a.len() || j + 1 < b.len() {
        let (has_a, has_b) = (i + 1 < a.len(), j + 1 < b.len());
        let may_meet = has_a && has_b && {
            let apart = (a[i] - b[j]).abs();
            let is_nearest = (b[j + 1] - a[i]).abs() >= apart && (a[i + 1] - b[j]).abs() >= apart;
            apart <= SAME || is_nearest && may_slide(i, j) && apart <= SLIDE * room(a, i).min(room(b, j))
        };
        let next = match (may_meet, has_a && (!has_b || a[i] <= b[j])) {
            (true, _) => Match::Both(i, j),
            (false, true) => Match::First(i),
            (false, false) => Match::Second(j),
        };
        i += usize::from(!matches!(next, Match::Second(_)));
        j += usize::from(!matches!(next, Match::First(_)));
        matches.push(next);
    }
    matches.push(Match::Both(a.len() - 1, b.len() - 1));
    matches
}

/// Slides a vertex of a run along it to a part of its length. Returns `false`, without a change, if the boundary has a corner
/// there, several panels meet, or a face would lose its area.
fn slide(mesh: &mut TriangleMesh, run: &[u32], parts: &[f64], k: usize, to: f64) -> bool {
    let v = run[k];
    let toward = if to < parts[k] { k - 1 } else { k + 1 };
    let part = (to - parts[k]) / (parts[toward] - parts[k]);
    let around: Vec<usize> = (0..mesh.faces.len()).filter(|face| mesh.faces[*face].contains(&v)).collect();
    let coords: Vec<DVec2> = around.iter().map(|face| corner_of(mesh, *face, v)).collect();
    if coords.windows(2).any(|pair| pair[0] != pair[1]) {
        return false;
    }
    let seen = |other: u32| {
        let face = around.iter().find(|face| mesh.faces[**face].contains(&other));
        face.map(|face| corner_of(mesh, *face, other))
    };
    let (Some(before), Some(after), Some(target)) = (seen(run[k - 1]), seen(run[k + 1]), seen(run[toward]))
    else {
        return false;
    };
    let (ahead, behind) = (after - coords[0], coords[0] - before);
    let is_straight = ahead.dot(behind) > 0.0
        && ahead.perp_dot(behind).abs() <= STRAIGHT * ahead.length() * behind.length();
    let moved = coords[0].lerp(target, part);
    let material = mesh.material.as_mut().expect("panels have material coordinates");
    let keeps_area = around.iter().all(|face| {
        let before = material[*face];
        let after: [DVec2; 3] =
            std::array::from_fn(|c| if mesh.faces[*face][c] == v { moved } else { before[c] });
        doubled_area(after) >= LEAST_AREA * doubled_area(before)
    });
    if !(is_straight && keeps_area) {
        return false;
    }
    for face in around {
        let c = mesh.faces[face].iter().position(|corner| *corner == v).expect("a face around the vertex");
        material[face][c] = moved;
    }
    mesh.positions[v as usize] = mesh.positions[v as usize].lerp(mesh.positions[run[toward] as usize], part);
    true
}

/// Splits edges where a run lacks a vertex; the vertices of both, pair by pair. `a` runs along the boundary, `b` against it.
fn insert_missing(
    mesh: &mut TriangleMesh,
    outline: &mut Outline,
    [a, b]: [&[u32]; 2],
    [of_a, of_b]: [&[f64]; 2],
    matches: &[Match],
) -> Vec<[u32; 2]> {
    let mut pairs: Vec<[u32; 2]> = Vec::with_capacity(matches.len());
    // How far along each run the last pair is.
    let (mut at_a, mut at_b) = (0.0, 0.0);
    let (mut i, mut j) = (0, 0);
    for found in matches {
        let pair = match *found {
            Match::Both(k, l) => {
                (i, j) = (k, l);
                [a[k], b[l]]
            }
            Match::First(k) => {
                i = k;
                let [_, last] = pairs[pairs.len() - 1];
                let end = b[j + 1];
                // Seen along the boundary the edge begins at its far end.
                let part = (of_b[j + 1] - of_a[k]) / (of_b[j + 1] - at_b);
                debug_assert_eq!(outline.next(end), last);
                [a[k], outline.split_after(mesh, end, part)]
            }
            Match::Second(l) => {
                j = l;
                let [last, _] = pairs[pairs.len() - 1];
                let part = (of_b[l] - at_a) / (of_a[i + 1] - at_a);
                [outline.split_after(mesh, last, part), b[l]]
            }
        };
        (at_a, at_b) = match *found {
            Match::Both(k, l) => (of_a[k], of_b[l]),
            Match::First(k) => (of_a[k], of_a[k]),
            Match::Second(l) => (of_b[l], of_b[l]),
        };
        pairs.push(pair);
    }
    pairs
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lists_of_one_length_match_entry_by_entry() {
        let a = [0.0, 0.26, 0.5, 0.74, 1.0];
        let b = [0.0, 0.25, 0.5, 0.75, 1.0];
        let expected: Vec<Match> = (0..5).map(|k| Match::Both(k, k)).collect();
        assert_eq!(match_parts(&a, &b, |_, _| true), expected);
    }

    #[test]
    fn what_has_no_partner_stands_alone() {
        let matches = match_parts(&[0.0, 0.5, 1.0], &[0.0, 0.3, 0.7, 1.0], |_, _| true);
        assert_eq!(
            matches,
            [Match::Both(0, 0), Match::Second(1), Match::First(1), Match::Second(2), Match::Both(2, 3)]
        );
    }
}
