//! Random edits with transfer, to test what must survive remeshing.

use crate::attributes::SheetAttributes;
use crate::attributes::rest::{Wedge, check_line, is_in_space, is_seam, span, wedges};
use crate::attributes::space::{collapse_error, flip_error, lay_against, starts, unfold};
use crate::conserve::momentum::{MomentumDrift, restore_momenta_of_sheets};
use crate::edit::report::EditRecord;
use crate::transfer::{collapse_with_transfer, flip_with_transfer, split_with_transfer};
use taffeta_core::Region;
use taffeta_core::geometry::triangle_quality;
use taffeta_core::random::SplitMix64;
use taffeta_mesh::{EdgeKey, Halfedge, HalfedgeMesh, Side};

/// Least shape quality of a face that a random collapse or flip makes.
const QUALITY_MIN: f64 = 0.1;

/// Sine of the angle up to which boundaries and seams count as straight: round-off.
const STRAIGHT_SINE: f64 = 1e-9;

/// Largest displacement of a rest shape in space \[m\]: round-off.
const REST_TOLERANCE: f64 = 1e-9;

/// Kinds of edits.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum EditKind {
    /// Splits.
    Split,
    /// Collapses.
    Collapse,
    /// Flips.
    Flip,
}

/// Which random edits to make.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RandomEdits {
    /// Start of the pseudo-random numbers.
    pub seed: u64,
    /// Number of attempts. An edit that would turn a face over, remove a held vertex, or change the outline, a seam or
    /// the rest shape is not made.
    pub attempts: usize,
    /// True if vertices of the outline may go where it is straight; otherwise they all stay.
    pub outline: bool,
    /// The kinds to choose from, with equal chances.
    pub kinds: Vec<EditKind>,
}

/// Makes random edits everywhere, whatever the sizing field says; the edits that were made.
///
/// Splits prefer long edges and collapses short ones, so that the mesh stays decent. The drift of each cloth is settled
/// at the end, so linear momentum and the angular momentum about the center of mass are kept.
///
/// # Panics
/// If no kinds are given.
pub fn random_edits(
    mesh: &mut HalfedgeMesh,
    attributes: &mut SheetAttributes,
    pins: &[Region],
    edits: &RandomEdits,
) -> Vec<EditRecord> {
    assert!(!edits.kinds.is_empty(), "random edits need a kind to choose from");
    let mut random = SplitMix64(edits.seed);
    mesh.sort_free_slots();
    let mut edges: Vec<EdgeKey> = mesh.edge_keys().collect();
    edges.sort_unstable();
    let mut log = Vec::new();
    let cloth_count = attributes.faces.values().map(|face| face.cloth + 1).max().unwrap_or_default();
    let mut drifts = vec![MomentumDrift::default(); cloth_count as usize];
    for _ in 0..edits.attempts {
        let kind = edits.kinds[random.below(edits.kinds.len())];
        let mut drawn = [(); 3].map(|()| draw_edge(mesh, &mut edges, &mut random));
        drawn.sort_by(|&a, &b| length_of(mesh, attributes, a).total_cmp(&length_of(mesh, attributes, b)));
        let side = Side::BOTH[random.below(2)];
        let made = match kind {
            EditKind::Split => try_split(mesh, attributes, drawn[2], pins),
            EditKind::Collapse => {
                let he = Halfedge::new(drawn[0], side);
                let may_go = edits.outline || !mesh.is_boundary_vertex(mesh.tail(he));
                may_go.then(|| try_collapse(mesh, attributes, he)).flatten()
            }
            EditKind::Flip => try_flip(mesh, attributes, drawn[1]),
        };
        let Some(Made { record, cloth, drift }) = made else { continue };
        if let EditRecord::Split(record) = record {
            edges.extend(record.sides.iter().flatten().map(|side| side.spoke.edge));
            edges.push(record.created.edge);
        }
        let sum = &mut drifts[cloth as usize];
        *sum = sum.plus(&drift);
        log.push(record);
    }
    restore_momenta_of_sheets(mesh, attributes, &drifts);
    log
}

/// An edit that was made.
struct Made {
    record: EditRecord,
    cloth: u32,
    drift: MomentumDrift,
}

/// One of the edges that still exist. Those that do not are dropped when they are drawn.
fn draw_edge(mesh: &HalfedgeMesh, edges: &mut Vec<EdgeKey>, random: &mut SplitMix64) -> EdgeKey {
    loop {
        let position = random.below(edges.len());
        if mesh.contains_edge(edges[position]) {
            return edges[position];
        }
        edges.swap_remove(position);
    }
}

/// Length of an edge in material space \[m\]; along a seam that on the first side.
fn length_of(mesh: &HalfedgeMesh, attributes: &SheetAttributes, e: EdgeKey) -> f64 {
    let mut sides = Side::BOTH.map(|side| Halfedge::new(e, side)).into_iter();
    let he = sides.find(|he| !mesh.is_boundary_halfedge(*he)).expect("an edge has a face");
    let [tail, tip] = span(mesh, attributes, he);
    tail.distance(tip)
}

fn cloth_of(mesh: &HalfedgeMesh, attributes: &SheetAttributes, e: EdgeKey) -> u32 {
    attributes.cloth_of_vertex(mesh, mesh.edge_ends(e)[0])
}

fn try_split(
    mesh: &mut HalfedgeMesh,
    attributes: &mut SheetAttributes,
    e: EdgeKey,
    pins: &[Region],
) -> Option<Made> {
    let cloth = cloth_of(mesh, attributes, e);
    let record = split_with_transfer(mesh, attributes, e, pins).ok()?;
    Some(Made { record: EditRecord::Split(record), cloth, drift: MomentumDrift::default() })
}

fn try_collapse(mesh: &mut HalfedgeMesh, attributes: &mut SheetAttributes, he: Halfedge) -> Option<Made> {
    let i = mesh.tail(he);
    if attributes.vertices[i].hold.is_some() || check_line(mesh, attributes, he, STRAIGHT_SINE).is_err() {
        return None;
    }
    if !keeps_upright(mesh, attributes, he) {
        return None;
    }
    let cloth = cloth_of(mesh, attributes, he.edge);
    let (record, drift) = collapse_with_transfer(mesh, attributes, he).ok()?;
    Some(Made { record: EditRecord::Collapse(record), cloth, drift })
}

/// Returns whether the faces that a collapse would change are well shaped afterwards, and a rest shape in space stays
/// as it was.
fn keeps_upright(mesh: &HalfedgeMesh, attributes: &SheetAttributes, he: Halfedge) -> bool {
    let [i, j] = mesh.ends(he);
    let in_space = mesh.faces_around(i).next().is_some_and(|f| is_in_space(attributes, f));
    if in_space && collapse_error(mesh, attributes, he) > REST_TOLERANCE {
        return false;
    }
    wedges(mesh, attributes, he).into_iter().all(|Wedge { out, tip }| {
        let [a, b] = mesh.ends(mesh.next(out));
        if a == j || b == j {
            return true;
        }
        let after = if in_space {
            lay_against(starts(attributes, [i, a, b]), starts(attributes, [j, a, b]))
        } else {
            let [u_a, u_b] = [mesh.next(out), mesh.prev(out)].map(|he| attributes.material_of(he));
            [tip, u_a, u_b]
        };
        triangle_quality(after) > QUALITY_MIN
    })
}

fn try_flip(mesh: &mut HalfedgeMesh, attributes: &mut SheetAttributes, e: EdgeKey) -> Option<Made> {
    mesh.can_flip_edge(e).ok()?;
    let he = Halfedge::new(e, Side::First);
    let in_space = mesh.face(he).is_some_and(|f| is_in_space(attributes, f));
    if is_seam(mesh, attributes, e) || in_space && flip_error(mesh, attributes, e) > REST_TOLERANCE {
        return None;
    }
    let [a, b, c, d] = if in_space {
        unfold(mesh, attributes, e)?
    } else {
        let ([a, b], [c, d]) =
            (span(mesh, attributes, he), [he, he.twin()].map(|he| attributes.material_of(mesh.prev(he))));
        [a, b, c, d]
    };
    if triangle_quality([d, c, a]) <= QUALITY_MIN || triangle_quality([c, d, b]) <= QUALITY_MIN {
        return None;
    }
    let cloth = cloth_of(mesh, attributes, e);
    let (record, drift) = flip_with_transfer(mesh, attributes, e).ok()?;
    Some(Made { record: EditRecord::Flip(record), cloth, drift })
}
