//! Edits that carry the attributes along: one function per kind of edit, the attributes destructured exhaustively so
//! that an attribute without a rule does not compile.
//!
//! A split keeps linear momentum exactly; its angular momentum and everything of the other edits is restored on the
//! ring. No vertex moves in any edit, but collapses and flips move lumped mass: their [`MomentumDrift`] is to be collected and
//! given to [`restore_momenta_of_sheets`](crate::restore_momenta_of_sheets) at the end.

pub(crate) mod folds;
pub(crate) mod open;
pub(crate) mod popping;
pub(crate) mod weld;

use crate::attributes::hold::Hold;
use crate::attributes::rest::{is_in_space, span, wedges};
use crate::attributes::space::{relay_of_collapse, relay_of_flip, relay_of_split};
use crate::attributes::{EdgeAttributes, FaceAttributes, SheetAttributes, VertexAttributes};
use crate::conserve::momentum::{MomentumDrift, RingMotion, SpinRule};
use crate::transfer::folds::Folds;
use glam::{DVec2, DVec3};
use taffeta_core::Region;
use taffeta_core::math::Sym2;
use taffeta_mesh::{
    CollapseBlocked, CollapseRecord, EdgeKey, FlipBlocked, FlipRecord, Halfedge, HalfedgeMesh, Side,
    SplitBlocked, SplitRecord, VertexKey,
};

/// Splits an edge at its midpoint. Positions, velocities, start positions, material coordinates and holds are linear, the
/// metric is the mean; `pins` are the regions of the pins by number.
///
/// The new vertex is held if both ends are held by the same pin and the edge lies on the boundary or the midpoint in the pin's
/// region. Pins hold patches and edges, so all points between held points inside them are held as well. A pin of listed
/// vertices has no region; its patches are the faces that it holds at all corners.
///
/// If two pins hold the ends, as at a corner of a sheet held at its sides, one of them must have the whole edge in its region.
///
/// # Errors
/// As [`HalfedgeMesh::split_edge`]; nothing has changed then.
///
/// # Panics
/// If a vertex refers to a pin that does not exist.
pub fn split_with_transfer(
    mesh: &mut HalfedgeMesh,
    attributes: &mut SheetAttributes,
    e: EdgeKey,
    pins: &[Region],
) -> Result<SplitRecord, SplitBlocked> {
    split_with_adjustment(mesh, attributes, e, 0.5, pins, SpinRule::OnRing, |_, _| {})
        .map(|(record, _)| record)
}

/// Like [`split_with_transfer`], with the new vertex at the part `part` of the edge, from the tail of its first side.
/// Moves mass along the edge, so that there is a [`MomentumDrift`] to be [settled](crate::restore_momenta_of_sheets).
///
/// # Errors
/// As [`HalfedgeMesh::split_edge`]; nothing has changed then.
///
/// # Panics
/// If the part is not between 0 and 1, or a vertex refers to a pin that does not exist.
pub fn split_at_with_transfer(
    mesh: &mut HalfedgeMesh,
    attributes: &mut SheetAttributes,
    e: EdgeKey,
    part: f64,
    pins: &[Region],
) -> Result<(SplitRecord, MomentumDrift), SplitBlocked> {
    assert!(0.0 < part && part < 1.0, "a split must be inside the edge, not at {part}");
    split_with_adjustment(mesh, attributes, e, part, pins, SpinRule::OnRing, |_, _| {})
}

/// A split at a part of the edge, with the state of the new vertex and its material coordinates on the two sides adjusted before
/// momentum is restored. With the spin on the ring the drift is that of a vertex that was moved; where nothing is adjusted it is
/// round-off.
pub(crate) fn split_with_adjustment(
    mesh: &mut HalfedgeMesh,
    attributes: &mut SheetAttributes,
    e: EdgeKey,
    part: f64,
    pins: &[Region],
    spin: SpinRule<'_>,
    adjust: impl FnOnce(&mut [DVec2; 2], &mut VertexAttributes),
) -> Result<(SplitRecord, MomentumDrift), SplitBlocked> {
    mesh.can_split_edge(e)?;
    let he = Halfedge::new(e, Side::First);
    let ends = mesh.ends(he);
    let mut ring: Vec<VertexKey> = ends.to_vec();
    ring.extend([he, he.twin()].into_iter().filter_map(|he| mesh.opposite(he)));
    let motion = RingMotion::measure(mesh, attributes, &ring);
    // Coordinates as seen from each side; where there is no face the sides agree.
    let mut middle = Side::BOTH.map(|side| {
        let he = Halfedge::new(e, side);
        let inside = if mesh.is_boundary_halfedge(he) { he.twin() } else { he };
        let [tail, tip] = span(mesh, attributes, inside);
        // Both sides of what is no seam must agree to the bit, so the terms are the same for both.
        let [first, second] = if inside.side == Side::First { [tail, tip] } else { [tip, tail] };
        (1.0 - part) * first + part * second
    });
    let is_boundary = mesh.is_boundary_edge(e);
    let is_within =
        |start, pin: u32| middle.iter().any(|u| pins[pin as usize].contains_point(start, Some(*u)));
    let is_in_patch = |pin: u32| {
        let holds = |v: VertexKey| attributes.vertices[v].hold.is_some_and(|hold| hold.pin == pin);
        matches!(pins[pin as usize], Region::Vertices(_)) && ring[2..].iter().any(|v| holds(*v))
    };
    let held_at = |start, pin| is_boundary || is_within(start, pin) || is_in_patch(pin);
    let mut vertex = interpolate_vertex(ends.map(|v| &attributes.vertices[v]), part, held_at);
    if vertex.hold.is_none() {
        vertex.hold = find_pin_of_whole(mesh, attributes, he, pins).map(|pin| Hold::new(pin, vertex.start));
    }
    let on_edge = vertex.start;
    adjust(&mut middle, &mut vertex);
    let moves_rest_shape = vertex.start != on_edge;

    let record = mesh.split_edge(e)?;
    attributes.vertices.insert(record.vertex, vertex);
    split_edge_attributes(attributes, &record, middle);
    for (side, coord) in record.sides.iter().zip(middle) {
        let Some(side) = side else { continue };
        // The halves lie in the chart of the whole.
        let FaceAttributes { cloth, panel, rest_error, plastic_curvature } = attributes.faces[side.kept_face];
        let half = FaceAttributes { cloth, panel, rest_error, plastic_curvature };
        attributes.faces.insert(side.created_face, half);
        // On either side, what follows the spoke leaves the opposite corner in a face that was there before.
        let corner = attributes.material_of(mesh.next(side.spoke));
        attributes.edges.insert(side.spoke.edge, EdgeAttributes::flat([coord, corner]));
    }
    if moves_rest_shape {
        relay_of_split(mesh, attributes, record.vertex).apply(mesh, attributes);
    }
    ring.push(record.vertex);
    let drift = motion.restore(mesh, attributes, &ring, spin);
    Ok((record, drift))
}

fn interpolate_vertex(
    ends: [&VertexAttributes; 2],
    part: f64,
    held_at: impl FnOnce(DVec3, u32) -> bool,
) -> VertexAttributes {
    let [a, b] = ends;
    let VertexAttributes { position, velocity, start, hold, input: _, metric, is_stitched: _ } = a;
    let between = |a: DVec3, b: DVec3| (1.0 - part) * a + part * b;
    let start = between(*start, b.start);
    let holds = hold.as_ref().zip(b.hold.as_ref());
    let holds = holds.filter(|(a, b)| a.pin == b.pin && held_at(start, a.pin));
    VertexAttributes {
        position: between(*position, b.position),
        velocity: between(*velocity, b.velocity),
        start,
        hold: holds.map(|(a, b)| a.toward(b, part)),
        input: None,
        metric: Sym2::default().plus(1.0 - part, metric).plus(part, &b.metric),
        is_stitched: false,
    }
}

/// Of two pins that hold an end each, the first one whose region has both ends. Only the whole edge counts: pins that move
/// differently have no vertex in common, and what lies between them is free. So is what lies between vertices that a caller
/// has moved or pinned later.
fn find_pin_of_whole(
    mesh: &HalfedgeMesh,
    attributes: &SheetAttributes,
    he: Halfedge,
    pins: &[Region],
) -> Option<u32> {
    let ends = mesh.ends(he).map(|v| &attributes.vertices[v]);
    let [Some(first), Some(second)] = ends.map(|end| end.hold.filter(|hold| hold.is_original(end.start)))
    else {
        return None;
    };
    if first.pin == second.pin {
        return None;
    }
    let has_both = |pin: &u32| {
        [he, he.twin()].into_iter().filter(|he| !mesh.is_boundary_halfedge(*he)).any(|he| {
            let starts = mesh.ends(he).map(|v| attributes.vertices[v].start);
            let mut corners = starts.into_iter().zip(span(mesh, attributes, he));
            corners.all(|(start, u)| pins[*pin as usize].contains_point(start, Some(u)))
        })
    };
    [first.pin, second.pin].into_iter().find(has_both)
}

/// The halves of the split edge.
fn split_edge_attributes(attributes: &mut SheetAttributes, record: &SplitRecord, middle: [DVec2; 2]) {
    // The surface does not move: the halves are folded as the whole was.
    let EdgeAttributes { corners, rest_angle, angle, scalar, broken } = attributes.edges[record.kept.edge];
    let half = |corners: [DVec2; 2]| EdgeAttributes { corners, rest_angle, angle, scalar, broken };
    attributes.edges.insert(record.kept.edge, half([corners[0], middle[1]]));
    attributes.edges.insert(record.created.edge, half([middle[0], corners[1]]));
}

/// Merges the tail of a half-edge into its tip and restores the momentum of the tail's ring.
///
/// A tail on a seam must be merged along it, and lie on no other seam or boundary. Whether the faces stay upright is
/// not checked here.
///
/// # Errors
/// As [`HalfedgeMesh::collapse_edge`]; nothing has changed then.
pub fn collapse_with_transfer(
    mesh: &mut HalfedgeMesh,
    attributes: &mut SheetAttributes,
    he: Halfedge,
) -> Result<(CollapseRecord, MomentumDrift), CollapseBlocked> {
    collapse_with_spin(mesh, attributes, he, SpinRule::OnRing)
}

/// As [`collapse_with_transfer`].
pub(crate) fn collapse_with_spin(
    mesh: &mut HalfedgeMesh,
    attributes: &mut SheetAttributes,
    he: Halfedge,
    spin: SpinRule<'_>,
) -> Result<(CollapseRecord, MomentumDrift), CollapseBlocked> {
    mesh.can_collapse_edge(he)?;
    let [i, j] = mesh.ends(he);
    let mut ring: Vec<VertexKey> = vec![i];
    ring.extend(mesh.neighbors(i));
    let motion = RingMotion::measure(mesh, attributes, &ring);
    let in_space = mesh.faces_around(i).next().is_some_and(|f| is_in_space(attributes, f));
    let relay = in_space.then(|| relay_of_collapse(mesh, attributes, he));
    let moved = if in_space { Vec::new() } else { wedges(mesh, attributes, he) };
    let folds = Folds::around(mesh, attributes, || mesh.faces_around(i));

    let record = mesh.collapse_edge(he)?;
    // What is merged away leaves nothing behind: vertices carry state of their own, faces their cloth and panel.
    attributes.vertices.remove(i);
    attributes.edges.remove(record.removed_edge);
    for merged in record.merged.iter().flatten() {
        attributes.edges.remove(merged.removed.edge);
    }
    for f in record.removed_faces.into_iter().flatten() {
        attributes.faces.remove(f);
    }
    // The other attributes of edges stay: the surface is folded along them as it was, but for what the edit moved.
    for wedge in moved {
        let Some(edge) = attributes.edges.get_mut(wedge.out.edge) else { continue };
        let EdgeAttributes { corners, rest_angle: _, angle: _, scalar: _, broken: _ } = edge;
        corners[wedge.out.side.index()] = wedge.tip;
    }
    match relay {
        Some(relay) => relay.apply(mesh, attributes),
        None => copy_to_outside(mesh, attributes, j),
    }
    folds.pass_on(mesh, attributes);
    ring.remove(0);
    let drift = motion.restore(mesh, attributes, &ring, spin);
    Ok((record, drift))
}

/// Gives the outer sides of the boundary edges at a vertex the coordinates of their inner sides.
fn copy_to_outside(mesh: &HalfedgeMesh, attributes: &mut SheetAttributes, v: VertexKey) {
    let out = mesh.halfedge_from(v);
    if !mesh.is_boundary_halfedge(out) {
        return;
    }
    for outside in [out, mesh.prev(out)] {
        let coord = attributes.material_of(mesh.next(outside.twin()));
        attributes.edges[outside.edge].corners[outside.side.index()] = coord;
    }
}

/// Flips an edge and restores the momentum of its four vertices.
///
/// The edge must not be a seam. Whether the faces stay upright is not checked here.
///
/// # Errors
/// As [`HalfedgeMesh::flip_edge`]; nothing has changed then.
pub fn flip_with_transfer(
    mesh: &mut HalfedgeMesh,
    attributes: &mut SheetAttributes,
    e: EdgeKey,
) -> Result<(FlipRecord, MomentumDrift), FlipBlocked> {
    flip_with_spin(mesh, attributes, e, SpinRule::OnRing)
}

/// As [`flip_with_transfer`].
pub(crate) fn flip_with_spin(
    mesh: &mut HalfedgeMesh,
    attributes: &mut SheetAttributes,
    e: EdgeKey,
    spin: SpinRule<'_>,
) -> Result<(FlipRecord, MomentumDrift), FlipBlocked> {
    mesh.can_flip_edge(e)?;
    let he = Halfedge::new(e, Side::First);
    let opposites = [he.twin(), he].map(|he| mesh.prev(he));
    let [d, c] = opposites.map(|he| mesh.tail(he));
    let [a, b] = mesh.ends(he);
    let ring = [a, b, c, d];
    let motion = RingMotion::measure(mesh, attributes, &ring);
    let corners = opposites.map(|he| attributes.material_of(he));

    let folds = Folds::around(mesh, attributes, || mesh.edge_faces(e).into_iter().flatten());
    let relay =
        mesh.face(he).filter(|&f| is_in_space(attributes, f)).map(|_| relay_of_flip(mesh, attributes, e));

    let record = mesh.flip_edge(e)?;
    // The two faces stay the same elements; they belong to one panel.
    attributes.edges.insert(e, EdgeAttributes::flat(corners));
    if let Some(relay) = relay {
        relay.apply(mesh, attributes);
        // The angle is not known yet; near that at rest it is unwrapped the right way.
        attributes.edges[e].angle = attributes.edges[e].rest_angle;
    }
    folds.pass_on(mesh, attributes);
    let drift = motion.restore(mesh, attributes, &ring, spin);
    Ok((record, drift))
}
