//! Panels as polygons whose sides follow their edges. Stitched edges have equally many sides.

use super::error::{EdgeInMessage, GarmentDefect, GarmentPlace, Refusal};
use super::spec::{EdgeName, PanelSpec, Pattern};
use crate::sewing::outline::chords::{Chain, perimeter};
use crate::sewing::outline::regions::{AREA_MIN, find_meeting, signed_area};
use glam::DVec2;
use taffeta_core::components::Components;

/// Largest ratio of the lengths of two edges that are sewn together.
const GATHER_MAX: f64 = 2.5;

/// A panel as a polygon.
pub(super) struct Outline {
    pub points: Vec<DVec2>,
    /// The first point of each edge.
    starts: Vec<usize>,
}

impl Outline {
    /// The points along each edge, both ends included.
    pub(super) fn edges(&self) -> impl Iterator<Item = Vec<usize>> + '_ {
        let count = self.points.len();
        let ends = self.starts[1..].iter().copied().chain([count]);
        self.starts.iter().zip(ends).map(move |(start, end)| (*start..=end).map(|k| k % count).collect())
    }

    /// The edge that a side belongs to.
    fn edge_of(&self, side: usize) -> usize {
        self.starts.partition_point(|start| *start <= side) - 1
    }
}

/// The polygons of all panels, checked.
pub(super) fn divide(pattern: &Pattern, edge_length: f64) -> Result<Vec<Outline>, Refusal> {
    let chains = |panel: &PanelSpec| panel.edges.iter().map(|edge| edge.chain(edge_length)).collect();
    let chains: Vec<Vec<Chain>> = pattern.panels.iter().map(chains).collect();
    check_lengths(pattern, &chains)?;
    let parts = count_parts(pattern, &chains, edge_length);
    let mut outlines = Vec::new();
    for ((panel, chains), parts) in pattern.panels.iter().zip(&chains).zip(parts) {
        let mut outline = Outline { points: Vec::new(), starts: Vec::new() };
        for (chain, parts) in chains.iter().zip(parts) {
            outline.starts.push(outline.points.len());
            chain.divide(parts, &mut outline.points);
        }
        check(&outline, edge_length).map_err(|(edge, defect)| {
            let place = GarmentPlace::panel(&panel.name);
            (GarmentPlace { edge, ..place }, defect)
        })?;
        outlines.push(outline);
    }
    Ok(outlines)
}

fn check_lengths(pattern: &Pattern, chains: &[Vec<Chain>]) -> Result<(), Refusal> {
    for (number, stitch) in pattern.stitches.iter().enumerate() {
        let sides = stitch.sides.map(|EdgeName { panel, edge }| EdgeInMessage {
            panel: pattern.panels[panel].name.clone(),
            edge,
            length: chains[panel][edge].length,
        });
        let [a, b] = [sides[0].length, sides[1].length];
        if a.max(b) > GATHER_MAX * a.min(b) {
            let defect = GarmentDefect::Lengths { sides: Box::new(sides), limit: GATHER_MAX };
            return Err((GarmentPlace::stitch(number), defect));
        }
    }
    Ok(())
}

/// For each edge of each panel the number of its sides: what the longest edge needs that it is sewn to.
fn count_parts(pattern: &Pattern, chains: &[Vec<Chain>], edge_length: f64) -> Vec<Vec<usize>> {
    let mut offsets = vec![0];
    for chains in chains {
        offsets.push(offsets[offsets.len() - 1] + chains.len());
    }
    let number = |name: EdgeName| (offsets[name.panel] + name.edge) as u32;
    let mut sewn = Components::new(offsets[chains.len()]);
    for stitch in &pattern.stitches {
        let [a, b] = stitch.sides.map(number);
        sewn.join(a, b);
    }
    let mut parts: Vec<usize> = chains.iter().flatten().map(|chain| chain.part_count(edge_length)).collect();
    for together in sewn.lists() {
        let most = together.iter().map(|edge| parts[*edge as usize]).max().unwrap_or(1);
        together.iter().for_each(|edge| parts[*edge as usize] = most);
    }
    offsets.windows(2).map(|ends| parts[ends[0]..ends[1]].to_vec()).collect()
}

/// Checks that a polygon can be a panel. The error has the edge that is to blame.
fn check(outline: &Outline, edge_length: f64) -> Result<(), (Option<usize>, GarmentDefect)> {
    let points = &outline.points;
    find_meeting(std::slice::from_ref(points), 0..1, edge_length, |meeting| {
        let [edge, other] = meeting.sides.map(|side| outline.edge_of(side));
        let (edge, other) = (edge.min(other), edge.max(other));
        Err(match edge == other {
            true => (Some(edge), GarmentDefect::EdgeMeetsItself(meeting.at)),
            false => (Some(edge), GarmentDefect::EdgesMeet { other, at: meeting.at }),
        })
    })?;
    if points.len() < 3 || signed_area(points).abs() <= AREA_MIN * perimeter(points).powi(2) {
        return Err((None, GarmentDefect::NoArea));
    }
    let (low, high) = points
        .iter()
        .fold((DVec2::INFINITY, DVec2::NEG_INFINITY), |(low, high), p| (low.min(*p), high.max(*p)));
    let size = (high - low).max_element();
    if size < edge_length {
        return Err((None, GarmentDefect::SmallerThanEdge { size, edge_length }));
    }
    Ok(())
}
