//! Quarantine of crossing pairs: they cannot be kept apart, only pulled apart.
//!
//! The pairs around a crossing are not certified. Where the curve along which two surfaces meet cuts a part off one of
//! them, the smaller part is pulled back through the other surface (D. Baraff, A. Witkin, M. Kass, Untangling cloth,
//! 2003). Elsewhere the crossing is pulled so that the curve becomes shorter (P. Volino, N. Magnenat-Thalmann, Resolving
//! surface collisions through intersection contour minimization, 2006).

use crate::broad::elements::Elements;
use crate::broad::pair::Pair;
use crate::intersections::crossings::Crossing;
use glam::DVec3;
use taffeta_core::components::Components;
use taffeta_core::geometry::closest_point_on_triangle;

/// The crossings of a state.
#[derive(Clone, Debug, Default)]
pub struct Quarantine {
    crossings: Vec<Crossing>,
    /// A vertex and a crossing that it belongs to, sorted.
    members: Vec<(u32, u32)>,
    /// True for each vertex of a cut-off part that is to go back through the crossing. Empty if nothing crosses.
    cut_off: Vec<bool>,
}

/// Below this sine of the angle between an edge and a face the curve jumps rather than moves.
const GRAZING: f64 = 0.05;

impl Quarantine {
    /// Takes over the crossings of a state. `is_held` tells which vertices nothing can take along.
    pub fn new(elements: &Elements, crossings: Vec<Crossing>, is_held: impl Fn(u32) -> bool) -> Self {
        if crossings.is_empty() {
            return Self::default();
        }
        let mut members = Vec::with_capacity(5 * crossings.len());
        for (number, crossing) in (0..).zip(&crossings) {
            members.extend(crossing.edge.map(|v| (v, number)));
            members.extend(crossing.face.map(|v| (v, number)));
        }
        members.sort_unstable();
        let cut_off = find_cut_off(elements, &cut_edges(&crossings), is_held);
        Self { crossings, members, cut_off }
    }

    fn is_cut_off(&self, v: u32) -> bool {
        self.cut_off[v as usize]
    }

    /// The end of the edge of a crossing that is to go back, if it is one of them.
    fn returning_end(&self, crossing: &Crossing) -> Option<u32> {
        let [p, q] = crossing.edge;
        match [p, q].map(|v| self.is_cut_off(v)) {
            [true, false] => Some(p),
            [false, true] => Some(q),
            _ => None,
        }
    }

    /// The quarantined crossings.
    pub fn crossings(&self) -> &[Crossing] {
        &self.crossings
    }

    /// Returns whether nothing crosses.
    pub fn is_empty(&self) -> bool {
        self.crossings.is_empty()
    }

    /// The crossings of a vertex.
    fn of_vertex(&self, v: u32) -> impl Iterator<Item = u32> + '_ {
        let first = self.members.partition_point(|member| member.0 < v);
        self.members[first..].iter().take_while(move |member| member.0 == v).map(|member| member.1)
    }

    /// Returns whether a pair is at a crossing, so that it may pass. Where one end of the edge is to go back, these
    /// are the primitives of that end and those that touch the face. The other end is kept from following it, or the
    /// crossing would spread. Elsewhere one primitive belongs to the edge and the other one touches the face, or it
    /// is a corner of the face and a face at the edge.
    pub fn holds(&self, pair: &Pair) -> bool {
        if self.is_empty() {
            return false;
        }
        let (first, second) = pair.vertices.split_at(pair.split());
        let among = |side: &[u32], set: &[u32]| side.iter().all(|v| set.contains(v));
        let touches = |side: &[u32], set: &[u32]| side.iter().any(|v| set.contains(v));
        let is_at = |crossing: &Crossing| {
            let Crossing { edge, face } = crossing;
            if let Some(end) = self.returning_end(crossing) {
                return first.contains(&end) && touches(second, face)
                    || second.contains(&end) && touches(first, face);
            }
            among(first, edge) && touches(second, face)
                || among(second, edge) && touches(first, face)
                || among(first, face) && among(edge, second)
        };
        first.iter().any(|v| self.of_vertex(*v).any(|number| is_at(&self.crossings[number as usize])))
    }

    /// Displacements that resolve the crossings at positions `x` \[m\]: for each, the vertex and its direction.
    pub(crate) fn pulls(&self, elements: &Elements, x: &[DVec3]) -> Vec<Pull> {
        if self.is_empty() {
            return Vec::new();
        }
        let around = elements.faces_at(&cut_edges(&self.crossings));
        let mut pulls: Vec<Pull> = Vec::new();
        for crossing in &self.crossings {
            let (of_edge, of_face) = weights(crossing, x);
            let (end, normal, is_through) = match self.returning_end(crossing) {
                Some(end) => {
                    let Some(back) = back_through(crossing, x) else { continue };
                    (end, if end == crossing.edge[0] { back } else { -back }, true)
                }
                None if crossing.face.iter().any(|v| self.is_cut_off(*v)) => continue,
                None => {
                    let direction = shortening(crossing, faces_of(crossing.edge, &around), x);
                    let Some(direction) = direction else { continue };
                    (crossing.edge[usize::from(of_edge[1] > of_edge[0])], direction, false)
                }
            };
            pulls.push(Pull { end, face: crossing.face, weights: of_face, normal, is_through });
        }
        // Several edges of a vertex may go through a face.
        pulls.sort_by_key(|pull| (pull.end, pull.face));
        pulls.dedup_by_key(|pull| (pull.end, pull.face));
        pulls
    }
}

/// A vertex and a point of a face that are to move apart so that a crossing goes away.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Pull {
    /// The vertex: an end of the edge.
    pub end: u32,
    /// The corners of the face, and the weights of its point.
    pub face: [u32; 3],
    pub weights: [f64; 3],
    /// Target of the vertex, as seen from the face.
    pub normal: DVec3,
    /// True if it is to go to the other side of the face, rather than as far as it can.
    pub is_through: bool,
}

/// The edges of crossings, sorted.
fn cut_edges(crossings: &[Crossing]) -> Vec<[u32; 2]> {
    let mut cut: Vec<[u32; 2]> = crossings.iter().map(|crossing| crossing.edge).collect();
    cut.sort_unstable();
    cut.dedup();
    cut
}

/// Which vertices are in the parts that go back. The edges that are `cut`, which are sorted, divide the pieces of cloth
/// into parts. Of a piece that is held somewhere, the parts go back in which nothing is held: what is held cannot. Of
/// another one all parts do but the greatest, of several of the same size but the first.
fn find_cut_off(elements: &Elements, cut: &[[u32; 2]], is_held: impl Fn(u32) -> bool) -> Vec<bool> {
    let count = elements.vertex_count;
    let edges = || elements.list.iter().flat_map(Elements::edges);
    let pieces = join(count, edges());
    let parts = join(count, edges().filter(|edge| cut.binary_search(edge).is_err()));
    let mut sizes = vec![(0_u32, 0_u32); count];
    for (v, part) in (0..).zip(&parts) {
        let size = &mut sizes[*part as usize];
        *size = (size.0 + u32::from(is_held(v)), size.1 + 1);
    }
    // By number of the piece: its most important part, by what is held and then by size.
    let mut leading: Vec<Option<u32>> = vec![None; count];
    let rank = |part: u32| (sizes[part as usize].0 > 0, sizes[part as usize].1);
    for (v, part) in parts.iter().enumerate() {
        let best = &mut leading[pieces[v] as usize];
        if best.is_none_or(|best| rank(*part) > rank(best)) {
            *best = Some(*part);
        }
    }
    let stays = |(piece, part): (&u32, &u32)| leading[*piece as usize] == Some(*part) || rank(*part).0;
    pieces.iter().zip(&parts).map(|ends| !stays(ends)).collect()
}

/// For each vertex the first vertex of its component.
fn join(count: usize, edges: impl Iterator<Item = [u32; 2]>) -> Vec<u32> {
    let mut components = Components::new(count);
    edges.for_each(|[a, b]| components.join(a, b));
    components.labels()
}

/// The weights of the ends of the edge, and those of the corners of the face, at the point where they meet.
fn weights(crossing: &Crossing, x: &[DVec3]) -> ([f64; 2], [f64; 3]) {
    let at = |v: u32| x[v as usize];
    let ([p, q], [a, b, c]) = (crossing.edge.map(at), crossing.face.map(at));
    let normal = (b - a).cross(c - a);
    let (above, below) = (normal.dot(p - a), normal.dot(q - a));
    let t = if above == below { 0.5 } else { (above / (above - below)).clamp(0.0, 1.0) };
    ([1.0 - t, t], closest_point_on_triangle(p.lerp(q, t), [a, b, c]))
}

/// Across the face, the way that takes the first end of the edge to the side of the second one.
fn back_through(crossing: &Crossing, x: &[DVec3]) -> Option<DVec3> {
    let at = |v: u32| x[v as usize];
    let ([p, q], [a, b, c]) = (crossing.edge.map(at), crossing.face.map(at));
    let normal = (b - a).cross(c - a).try_normalize()?;
    Some(if normal.dot(q - p) >= 0.0 { normal } else { -normal })
}

/// The faces of one edge among those of several, which are sorted by edge.
fn faces_of(edge: [u32; 2], around: &[([u32; 2], [u32; 3])]) -> &[([u32; 2], [u32; 3])] {
    let first = around.partition_point(|(other, _)| *other < edge);
    let count = around[first..].partition_point(|(other, _)| *other == edge);
    &around[first..first + count]
}

/// The direction in which an edge must go, as seen from a face, to shorten the curve along which the faces `around` it
/// meet that face.
///
/// The curve comes to the point `P` where the edge meets the face along unit vectors `Rᵢ` in the faces around the edge.
/// If the edge goes by `d`, `P` goes by `d − (d·n)/(e·n) e`, and the curve becomes shorter by `Σ Rᵢ·dP`: most of all along
/// `Σ (Rᵢ − (e·Rᵢ)/(e·n) n)`.
fn shortening(crossing: &Crossing, around: &[([u32; 2], [u32; 3])], x: &[DVec3]) -> Option<DVec3> {
    let at = |v: u32| x[v as usize];
    let ([p, q], [a, b, c]) = (crossing.edge.map(at), crossing.face.map(at));
    let along = (q - p).try_normalize()?;
    let normal = (b - a).cross(c - a).try_normalize()?;
    let sine = along.dot(normal);
    let mut sum = DVec3::ZERO;
    for (_, corners) in around {
        let apex = at(*corners.iter().find(|v| !crossing.edge.contains(v))?);
        let inward = (apex - p).reject_from(along);
        let curve = (q - p).cross(apex - p).cross(normal).normalize_or_zero();
        let curve = if curve.dot(inward) < 0.0 { -curve } else { curve };
        let slant = if sine.abs() > GRAZING { along.dot(curve) / sine } else { 0.0 };
        sum += curve - normal * slant;
    }
    sum.try_normalize()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::intersections::crossings::find_crossings;

    /// A wedge whose ridge pokes through a large face from below, and the curve along which they meet.
    fn wedge(lift: DVec3) -> (Elements, Vec<DVec3>) {
        let mut elements = Elements::default();
        elements.add_triangles(3, &[[0, 1, 2]], |_| 0);
        elements.add_triangles(4, &[[0, 1, 2], [1, 0, 3]], |_| 1);
        let face = [DVec3::new(-3.0, 0.0, -3.0), DVec3::new(3.0, 0.0, -3.0), DVec3::new(0.0, 0.0, 5.0)];
        let ridge = [DVec3::new(-0.4, -0.5, 0.0), DVec3::new(0.1, 0.4, 0.1)];
        let feet = [DVec3::new(0.2, -1.0, 1.2), DVec3::new(0.1, -1.1, -1.0)];
        let moved = ridge.into_iter().chain(feet).map(|x| x + lift);
        (elements, face.into_iter().chain(moved).collect())
    }

    /// The distance from where the ridge meets the face to where the other sides of the wedge do.
    fn length(lift: DVec3) -> f64 {
        let (_, x) = wedge(lift);
        let cut = |p: DVec3, q: DVec3| p.lerp(q, p.y / (p.y - q.y));
        let middle = cut(x[3], x[4]);
        cut(x[4], x[5]).distance(middle) + cut(x[4], x[6]).distance(middle)
    }

    #[test]
    fn the_pull_shortens_the_curve_of_a_crossing() {
        let (elements, x) = wedge(DVec3::ZERO);
        let crossings = find_crossings(&elements, &x, |a, b| a != b);
        let ridge = crossings.iter().find(|c| c.edge == [3, 4]).expect("the ridge goes through the face");
        let direction = shortening(ridge, &elements.faces_at(&[ridge.edge]), &x).unwrap();
        let step = 1e-3;
        assert!(length(direction * step) < length(DVec3::ZERO), "{direction}");
        assert!(length(-direction * step) > length(DVec3::ZERO), "{direction}");
        let pulls = Quarantine::new(&elements, crossings, |_| false).pulls(&elements, &x);
        assert!(pulls.iter().all(|pull| (pull.normal.length() - 1.0).abs() < 1e-12), "{pulls:?}");
        let tip = pulls.iter().find(|pull| pull.end == 4).expect("the tip is cut off");
        assert!(tip.is_through && tip.normal.y < -0.99, "it goes back: {tip:?}");
        assert!((tip.weights.iter().sum::<f64>() - 1.0).abs() < 1e-12);
    }

    #[test]
    fn pairs_at_a_crossing_are_held_and_others_are_not() {
        use crate::broad::pair::PairKind;
        let (elements, x) = wedge(DVec3::ZERO);
        let quarantine = Quarantine::new(&elements, find_crossings(&elements, &x, |a, b| a != b), |_| false);
        let pair = |kind, vertices| Pair { kind, vertices };
        assert!(quarantine.holds(&pair(PairKind::VertexFace, [4, 0, 1, 2])));
        assert!(quarantine.holds(&pair(PairKind::VertexFace, [0, 3, 4, 5])));
        assert!(!quarantine.holds(&pair(PairKind::VertexFace, [4, 9, 10, 11])));
        assert!(!Quarantine::default().holds(&pair(PairKind::VertexFace, [4, 0, 1, 2])));
    }
}
