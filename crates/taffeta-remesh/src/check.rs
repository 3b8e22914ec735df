//! Which collapses and flips are good for the mesh. Topology is checked by the mesh itself, contact by the veto.

use crate::attributes::SheetAttributes;
use crate::frame::MetricFrame;
use crate::report::Refusals;
use crate::rules::EditRules;
use crate::working::Working;
use glam::{DVec2, DVec3};
use taffeta_core::geometry::doubled_area;
use taffeta_mesh::{CollapseBlocked, EdgeKey, Halfedge, HalfedgeMesh, Side, VertexKey};

/// Sine of the angle at a boundary vertex up to which the boundary counts as straight. Larger: a round outline loses
/// material with every pass; smaller: coordinates read from a file with few digits never count as straight.
const STRAIGHT_SINE: f64 = 1e-3;

/// Cosine of the largest angle between a face's world normal before and after a collapse (45°). Where the mesh is fine
/// enough normals differ far less: beyond, the collapse would turn a fold over.
const NORMAL_TURN_COSINE: f64 = std::f64::consts::FRAC_1_SQRT_2;

/// Cosine of the largest dihedral angle of an edge that may be flipped (40°): beyond, the flip would cut a crease.
const FLIP_DIHEDRAL_COSINE: f64 = 0.766_044_443_118_978;

/// Sine of the sum of opposite angles, below which an edge is flipped. Zero is Delaunay; the margin keeps the diagonals
/// of squares where they are.
const DELAUNAY_MARGIN: f64 = -0.02;

/// Quality below which a triangle is a sliver: about an angle of 15°.
const SLIVER_QUALITY: f64 = 0.55;

/// Why a half-edge is not collapsed.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum CollapseRefusal {
    /// A pin holds the tail.
    Pinned,
    /// The tail is a corner of the outline.
    Corner,
    /// The tail lies on the outline and the edge does not.
    LeavesOutline,
    /// It would make an edge that is too long.
    TooLong,
    /// It would make a bad triangle.
    Quality,
    /// It would turn a face too far.
    TurnsNormal,
    /// The mesh refuses.
    Blocked(CollapseBlocked),
}

impl CollapseRefusal {
    /// How far the checks came: of two refusals the one with the higher rank says more.
    fn rank(&self) -> usize {
        match self {
            Self::TooLong => 0,
            Self::LeavesOutline => 1,
            Self::Corner => 2,
            Self::Pinned => 3,
            Self::TurnsNormal => 4,
            Self::Quality => 5,
            Self::Blocked(_) => 6,
        }
    }

    /// Counts an edge that could be collapsed in neither direction, by what speaks against the direction that came
    /// further; `false`: it is not short enough.
    pub fn count([first, second]: [Self; 2], refusals: &mut Refusals) -> bool {
        if first == Self::TooLong || second == Self::TooLong {
            return false;
        }
        let count = match if first.rank() >= second.rank() { first } else { second } {
            Self::TooLong => unreachable!("checked above"),
            Self::Pinned => &mut refusals.pinned,
            Self::LeavesOutline | Self::Corner => &mut refusals.outline,
            Self::TurnsNormal => &mut refusals.turns_normal,
            Self::Quality => &mut refusals.quality,
            Self::Blocked(_) => &mut refusals.topology,
        };
        *count += 1;
        true
    }
}

/// The faces that a collapse would move, for the veto.
#[derive(Clone, Debug, Default)]
pub(crate) struct Replacement {
    pub before: Vec<[VertexKey; 3]>,
    pub after: Vec<[VertexKey; 3]>,
}

/// The mesh with everything that a check reads.
#[derive(Clone, Copy)]
pub(crate) struct Checker<'a> {
    pub mesh: &'a HalfedgeMesh,
    pub attributes: &'a SheetAttributes,
    pub working: &'a Working,
    pub rules: &'a EditRules<'a>,
}

impl Checker<'_> {
    /// The size that the edges may have that a collapse makes. One that removes a sliver may make longer ones than others, but
    /// none that is split.
    fn size_limit(&self, he: Halfedge) -> f64 {
        let is_sliver = |he: Halfedge| {
            self.mesh.face(he).is_some_and(|f| {
                let corners = self.mesh.face_vertices(f);
                self.frame(corners).quality(corners.map(|v| self.working.material_of(v))) < SLIVER_QUALITY
            })
        };
        let removes_sliver = is_sliver(he) || is_sliver(he.twin());
        if removes_sliver { self.rules.sliver_size } else { self.rules.collapse_size }
    }

    /// Whether the edge that a collapse makes between two vertices is short enough.
    fn is_short(&self, he: Halfedge, [a, b]: [VertexKey; 2]) -> bool {
        let size = self.working.size_between(a, b);
        size <= self.rules.collapse_size || size <= self.rules.sliver_size && size <= self.size_limit(he)
    }

    /// A quick test that almost every collapse of a mesh of the right size fails: whether the edge to a neighbor on the
    /// far side would be short enough; where edges are looked at again after a change around them, those to all.
    pub fn may_collapse(&self, he: Halfedge) -> bool {
        if self.rules.looks_around {
            return !self.makes_too_long(he);
        }
        let j = self.mesh.tip(he);
        let far = self.mesh.rotate(self.mesh.rotate(he));
        // With three edges the second one after `he` leads to an opposite corner, to which an edge exists.
        self.mesh.rotate(far) == he || self.is_short(he, [j, self.mesh.tip(far)])
    }

    /// Whether a collapse would make an edge that is too long. Starts on the far side, where it is decided first.
    fn makes_too_long(&self, he: Halfedge) -> bool {
        let j = self.mesh.tip(he);
        let is_joined =
            |v: VertexKey| v == j || [he, he.twin()].into_iter().any(|he| self.mesh.opposite(he) == Some(v));
        let start = self.mesh.rotate(self.mesh.rotate(he));
        self.mesh.halfedges_around_from(start).any(|out| {
            let v = self.mesh.tip(out);
            !self.is_short(he, [j, v]) && !is_joined(v)
        })
    }

    /// Checks a collapse of the tail into the tip; the worst shape quality that it would make.
    pub fn check_collapse(&self, he: Halfedge) -> Result<f64, CollapseRefusal> {
        let i = self.mesh.tail(he);
        if self.mesh.is_boundary_vertex(i) {
            self.check_outline(he)?;
        }
        if self.makes_too_long(he) {
            return Err(CollapseRefusal::TooLong);
        }
        if self.attributes.vertices[i].pin.is_some() {
            return Err(CollapseRefusal::Pinned);
        }
        let quality = self.check_faces(he)?;
        self.mesh.can_collapse_edge(he).map_err(CollapseRefusal::Blocked)?;
        Ok(quality)
    }

    /// A vertex of the outline may only move along it, where it is straight.
    fn check_outline(&self, he: Halfedge) -> Result<(), CollapseRefusal> {
        if !self.mesh.is_boundary_edge(he.edge) {
            return Err(CollapseRefusal::LeavesOutline);
        }
        let i = self.mesh.tail(he);
        let out = self.mesh.halfedge_from(i);
        let u = |v| self.working.material_of(v);
        let ahead = u(self.mesh.tip(out)) - u(i);
        let behind = u(i) - u(self.mesh.tail(self.mesh.prev(out)));
        let is_straight = ahead.dot(behind) > 0.0
            && ahead.perp_dot(behind).abs() <= STRAIGHT_SINE * ahead.length() * behind.length();
        if is_straight { Ok(()) } else { Err(CollapseRefusal::Corner) }
    }

    /// The faces around the tail that stay: upright, well shaped, and turned little.
    fn check_faces(&self, he: Halfedge) -> Result<f64, CollapseRefusal> {
        let [i, j] = self.mesh.ends(he);
        let (u_i, u_j) = (self.working.material_of(i), self.working.material_of(j));
        let (x_i, x_j) = (self.position_of(i), self.position_of(j));
        let mut worst_before = f64::INFINITY;
        let mut worst_after = f64::INFINITY;
        for out in self.mesh.halfedges_around(i).filter(|&out| !self.mesh.is_boundary_halfedge(out)) {
            let [a, b] = self.mesh.ends(self.mesh.next(out));
            let (u_a, u_b) = (self.working.material_of(a), self.working.material_of(b));
            worst_before = worst_before.min(self.frame([i, a, b]).quality([u_i, u_a, u_b]));
            if a == j || b == j {
                continue;
            }
            worst_after = worst_after.min(self.frame([j, a, b]).quality([u_j, u_a, u_b]));
            let (x_a, x_b) = (self.position_of(a), self.position_of(b));
            if !turns_little(area_vector([x_i, x_a, x_b]), area_vector([x_j, x_a, x_b])) {
                return Err(CollapseRefusal::TurnsNormal);
            }
        }
        // A turned-over triangle has negative quality.
        if worst_after > 0.0 && worst_after >= self.rules.quality.min(worst_before) {
            Ok(worst_after)
        } else {
            Err(CollapseRefusal::Quality)
        }
    }

    /// The metric among some vertices, as a frame.
    fn frame<const N: usize>(&self, vertices: [VertexKey; N]) -> MetricFrame {
        MetricFrame::of(vertices.map(|v| self.working.metric_of(v)))
    }

    fn position_of(&self, v: VertexKey) -> DVec3 {
        self.attributes.vertices[v].position
    }

    /// Whether an edge should be flipped: it is not Delaunay in the metric, and no crease.
    ///
    /// `size_limit` bounds the size of the flipped edge unless it is shorter than the old one.
    pub fn should_flip(&self, e: EdgeKey, size_limit: f64) -> bool {
        let he = Halfedge::new(e, Side::First);
        let (Some(c), Some(d)) = (self.mesh.opposite(he), self.mesh.opposite(he.twin())) else {
            return false;
        };
        let [a, b] = self.mesh.ends(he);
        let [u_a, u_b, u_c, u_d] = [a, b, c, d].map(|v| self.working.material_of(v));
        if !violates_delaunay(&self.frame([a, b, c, d]), [u_a, u_b], [u_c, u_d]) {
            return false;
        }
        let new_size = self.working.size_between(c, d);
        if new_size > size_limit && new_size > self.working.size_between(a, b) {
            return false;
        }
        // A quad with a straight angle would leave a face without area.
        if doubled_area([u_d, u_c, u_a]) <= 0.0 || doubled_area([u_c, u_d, u_b]) <= 0.0 {
            return false;
        }
        let [x_a, x_b, x_c, x_d] = [a, b, c, d].map(|v| self.position_of(v));
        let old = [area_vector([x_a, x_b, x_c]), area_vector([x_b, x_a, x_d])];
        let new = [area_vector([x_d, x_c, x_a]), area_vector([x_c, x_d, x_b])];
        let is_flat = |[n0, n1]: [DVec3; 2]| n0.dot(n1) >= FLIP_DIHEDRAL_COSINE * n0.length() * n1.length();
        let mean = old[0] + old[1];
        is_flat(old)
            && is_flat(new)
            && new.iter().all(|&n| turns_little(mean, n))
            && self.mesh.can_flip_edge(e).is_ok()
    }

    /// The faces around a collapse, before and after.
    pub fn collapse_replacement(&self, he: Halfedge) -> Replacement {
        let [i, j] = self.mesh.ends(he);
        let before: Vec<[VertexKey; 3]> =
            self.mesh.faces_around(i).map(|f| self.mesh.face_vertices(f)).collect();
        let after = before
            .iter()
            .filter(|corners| !corners.contains(&j))
            .map(|corners| corners.map(|v| if v == i { j } else { v }))
            .collect();
        Replacement { before, after }
    }

    /// The faces at a flip, before and after.
    pub fn flip_replacement(&self, e: EdgeKey) -> Replacement {
        let he = Halfedge::new(e, Side::First);
        let [a, b] = self.mesh.ends(he);
        let [c, d] =
            [he, he.twin()].map(|he| self.mesh.opposite(he).expect("an edge that is flipped has two faces"));
        Replacement { before: vec![[a, b, c], [b, a, d]], after: vec![[d, c, a], [c, d, b]] }
    }
}

/// Twice the area of a world triangle along its normal \[m²\].
fn area_vector([a, b, c]: [DVec3; 3]) -> DVec3 {
    (b - a).cross(c - a)
}

/// Whether two normals, of any length but zero, differ by no more than the limit.
fn turns_little(old: DVec3, new: DVec3) -> bool {
    let product = old.length() * new.length();
    product > 0.0 && old.dot(new) >= NORMAL_TURN_COSINE * product
}

/// Whether the angles opposite to edge `a–b` sum to more than 180° by the margin (C. L. Lawson 1977), as the sine of
/// the sum. Angles are those of the frame.
fn violates_delaunay(frame: &MetricFrame, [a, b]: [DVec2; 2], [c, d]: [DVec2; 2]) -> bool {
    let (p, q) = (a - c, b - c);
    let (r, s) = (b - d, a - d);
    let sine = p.perp_dot(q) * frame.dot(r, s) + frame.dot(p, q) * r.perp_dot(s);
    let squared = |u: DVec2| frame.dot(u, u);
    sine < DELAUNAY_MARGIN * (squared(p) * squared(q) * squared(r) * squared(s)).sqrt()
}

#[cfg(test)]
mod tests {
    use super::*;
    use taffeta_core::math::Sym2;

    #[test]
    fn the_diagonal_of_a_square_stays_and_a_long_diagonal_does_not() {
        let violates_delaunay = |edge, corners| violates_delaunay(&MetricFrame::ISOTROPIC, edge, corners);
        let square = [DVec2::new(0.0, 0.0), DVec2::new(1.0, 1.0)];
        assert!(!violates_delaunay(square, [DVec2::new(0.0, 1.0), DVec2::new(1.0, 0.0)]));
        let kite = [DVec2::new(-1.0, 0.0), DVec2::new(1.0, 0.0)];
        assert!(violates_delaunay(kite, [DVec2::new(0.0, 0.5), DVec2::new(0.0, -0.5)]));
        let other = [DVec2::new(0.0, -0.5), DVec2::new(0.0, 0.5)];
        assert!(!violates_delaunay(other, [DVec2::new(-1.0, 0.0), DVec2::new(1.0, 0.0)]));
    }

    #[test]
    fn in_a_metric_delaunay_is_that_of_the_stretched_plane() {
        // A kite whose long diagonal is the short one where u counts a tenth.
        let frame = MetricFrame::of([Sym2 { xx: 0.01, xy: 0.0, yy: 1.0 }; 4]);
        let kite = [DVec2::new(-1.0, 0.0), DVec2::new(1.0, 0.0)];
        let other = [DVec2::new(0.0, -0.5), DVec2::new(0.0, 0.5)];
        assert!(!violates_delaunay(&frame, kite, [other[1], other[0]]));
        assert!(violates_delaunay(&frame, other, kite));
    }
}
