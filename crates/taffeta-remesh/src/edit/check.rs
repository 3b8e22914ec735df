//! Which collapses and flips are good for the mesh. Topology is checked by the mesh itself, contact by the veto.

use crate::attributes::rest::{OffLine, Wedge, check_line, is_feature, span, unroll, wedges};
use crate::attributes::space::{collapse_error, flip_error, lay_against, starts, unfold};
use crate::attributes::{SheetAttributes, VertexAttributes};
use crate::edit::folding::{Corner, corner, keeps_unfolded};
use crate::edit::refusal::CollapseRefusal;
use crate::edit::rules::EditRules;
use crate::input::samples::InputSamples;
use crate::metric::frame::MetricFrame;
use crate::sizing::working::{RestKind, Working};
use crate::transfer::popping::{Displacement, Patch};
use glam::{DVec2, DVec3};
use taffeta_core::geometry::{doubled_area, flatten_triangle};
use taffeta_mesh::{EdgeKey, FaceKey, Halfedge, HalfedgeMesh, Side, VertexKey, slot_of};

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

/// The faces that a collapse would move, for the veto.
#[derive(Clone, Debug, Default)]
pub(crate) struct Replacement {
    pub before: Vec<[VertexKey; 3]>,
    pub after: Vec<[VertexKey; 3]>,
    /// The corners in one plane \[m\].
    pub layout: Vec<(VertexKey, DVec2)>,
}

/// The mesh with everything that a check reads.
#[derive(Clone, Copy)]
pub(crate) struct Checker<'a> {
    pub mesh: &'a HalfedgeMesh,
    pub attributes: &'a SheetAttributes,
    pub working: &'a Working,
    pub rules: &'a EditRules<'a>,
    /// Witnesses that bound the edits of a rest shape in space whose input is at hand; `None`: the moves of all edits
    /// are added up.
    pub samples: Option<&'a InputSamples>,
}

impl Checker<'_> {
    /// Returns whether an edge that a collapse makes in a cloth of one chart is short enough. A collapse that removes
    /// a sliver may make longer ones than others, but none that would be split.
    fn is_short(&self, he: Halfedge, size: f64) -> bool {
        let is_sliver = |he: Halfedge| {
            self.mesh.face(he).is_some_and(|f| {
                let corners = self.mesh.face_vertices(f);
                self.frame(corners).quality(corners.map(|v| self.working.material_of(v))) < SLIVER_QUALITY
            })
        };
        size <= self.rules.collapse_size
            || size <= self.rules.sliver_size && (is_sliver(he) || is_sliver(he.twin()))
    }

    /// Quick test that almost every collapse of a mesh of the right size fails: the edge to a neighbor on the far side must be
    /// short enough. Edges that are tested again after a change around them are compared with all neighbors.
    pub(crate) fn may_collapse(&self, he: Halfedge) -> bool {
        let [i, j] = self.mesh.ends(he);
        if self.rules.looks_around || self.working.kind_of(i) != RestKind::Flat {
            return !self.makes_too_long(he);
        }
        let far = self.mesh.rotate(self.mesh.rotate(he));
        // With three edges the second one after `he` leads to an opposite corner, to which an edge exists.
        self.mesh.rotate(far) == he || self.is_short(he, self.working.size_between(j, self.mesh.tip(far)))
    }

    /// Returns whether a collapse would make an edge that is too long. Starts on the far side, where most collapses
    /// are decided.
    fn makes_too_long(&self, he: Halfedge) -> bool {
        let [i, j] = self.mesh.ends(he);
        let is_joined =
            |v: VertexKey| v == j || [he, he.twin()].into_iter().any(|he| self.mesh.opposite(he) == Some(v));
        let kind = self.working.kind_of(i);
        let is_short = |size: f64| match kind {
            RestKind::Flat => self.is_short(he, size),
            RestKind::Panels | RestKind::Space => size <= self.rules.collapse_size,
        };
        let is_too_long = |size: f64, v: VertexKey| !is_short(size) && !is_joined(v);
        if kind == RestKind::Panels {
            return wedges(self.mesh, self.attributes, he).iter().any(|wedge| {
                let ends = [self.mesh.next(wedge.out), self.mesh.prev(wedge.out)];
                ends.into_iter().any(|end| {
                    let v = self.mesh.tail(end);
                    is_too_long(
                        self.working.size_in_chart(self.attributes.material_of(end) - wedge.tip, j, v),
                        v,
                    )
                })
            });
        }
        let size = |v: VertexKey| match kind {
            RestKind::Space => self.working.size_in_space(self.attributes, j, v),
            RestKind::Flat | RestKind::Panels => self.working.size_between(j, v),
        };
        let start = self.mesh.rotate(self.mesh.rotate(he));
        self.mesh.halfedges_around_from(start).any(|out| {
            let v = self.mesh.tip(out);
            is_too_long(size(v), v)
        })
    }

    /// Checks a collapse of the tail into the tip; the worst shape quality that it would make.
    pub(crate) fn check_collapse(&self, he: Halfedge) -> Result<f64, CollapseRefusal> {
        let i = self.mesh.tail(he);
        let kind = self.working.kind_of(i);
        // In one chart there are no lines but the boundary.
        if kind == RestKind::Panels || self.mesh.is_boundary_vertex(i) {
            check_line(self.mesh, self.attributes, he, STRAIGHT_SINE).map_err(|off| match off {
                OffLine::Leaves => CollapseRefusal::LeavesOutline,
                OffLine::Corner => CollapseRefusal::Corner,
            })?;
        }
        if self.makes_too_long(he) {
            return Err(CollapseRefusal::TooLong);
        }
        let VertexAttributes { hold, is_stitched, .. } = &self.attributes.vertices[i];
        if hold.is_some() {
            return Err(CollapseRefusal::Pinned);
        }
        if *is_stitched {
            return Err(CollapseRefusal::Stitched);
        }
        if kind == RestKind::Space && !self.collapse_keeps_rest_shape(he) {
            return Err(CollapseRefusal::RestShape);
        }
        let quality = self.check_faces(he, kind)?;
        self.mesh.can_collapse_edge(he).map_err(CollapseRefusal::Blocked)?;
        Ok(quality)
    }

    fn rest_tolerance(&self, v: VertexKey) -> f64 {
        let cloth = self.working.cloths[slot_of(v)].expect("edits stay within the gathered cloths");
        self.rules.rest_tolerances[cloth as usize].at(&self.working.metric_of(v))
    }

    fn collapse_keeps_rest_shape(&self, he: Halfedge) -> bool {
        let Self { mesh, attributes, .. } = self;
        let [i, j] = mesh.ends(he);
        let tolerance = self.rest_tolerance(i);
        let Some(samples) = self.samples else {
            return collapse_error(mesh, attributes, he) <= tolerance;
        };
        let before: Vec<FaceKey> = mesh.faces_around(i).collect();
        let faces = before.iter().map(|&f| mesh.face_vertices(f)).filter(|corners| !corners.contains(&j));
        let moved = |corners: [VertexKey; 3]| corners.map(|v| corner(attributes, if v == i { j } else { v }));
        let after: Vec<[Corner; 3]> = faces.map(moved).collect();
        samples.allow_collapse(mesh, attributes, he, tolerance)
            && keeps_unfolded(mesh, attributes, &before, &after)
    }

    fn flip_keeps_rest_shape(&self, e: EdgeKey, [a, b, c, d]: [VertexKey; 4]) -> bool {
        let Self { mesh, attributes, .. } = self;
        let tolerance = self.rest_tolerance(a);
        let Some(samples) = self.samples else { return flip_error(mesh, attributes, e) <= tolerance };
        let before: Vec<FaceKey> = mesh.edge_faces(e).into_iter().flatten().collect();
        let after = [[d, c, a], [c, d, b]].map(|corners| corners.map(|v| corner(attributes, v)));
        samples.allow_flip(mesh, attributes, e, tolerance)
            && keeps_unfolded(mesh, attributes, &before, &after)
    }

    /// The faces around the tail that stay: upright, well shaped, and turned little.
    fn check_faces(&self, he: Halfedge, kind: RestKind) -> Result<f64, CollapseRefusal> {
        let [i, j] = self.mesh.ends(he);
        let (x_i, x_j) = (self.position_of(i), self.position_of(j));
        let mut worst_before = f64::INFINITY;
        let mut worst_after = f64::INFINITY;
        for MovedFace { ends: [a, b], before, after } in self.moved_faces(he, kind) {
            worst_before = worst_before.min(self.frame([i, a, b]).quality(before));
            if a == j || b == j {
                continue;
            }
            worst_after = worst_after.min(self.frame([j, a, b]).quality(after));
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

    /// The rest shapes of the faces around the tail of a half-edge, before and after a collapse.
    fn moved_faces(&self, he: Halfedge, kind: RestKind) -> Vec<MovedFace> {
        let [i, j] = self.mesh.ends(he);
        let ends = |out: Halfedge| self.mesh.ends(self.mesh.next(out));
        let faces = || self.mesh.halfedges_around(i).filter(|&out| !self.mesh.is_boundary_halfedge(out));
        match kind {
            RestKind::Flat => {
                let [u_i, u_j] = [i, j].map(|v| self.working.material_of(v));
                let place = |out| {
                    let [u_a, u_b] = ends(out).map(|v| self.working.material_of(v));
                    MovedFace { ends: ends(out), before: [u_i, u_a, u_b], after: [u_j, u_a, u_b] }
                };
                faces().map(place).collect()
            }
            RestKind::Panels => {
                let place = |Wedge { out, tip }: Wedge| {
                    let [u_i, u_a] = span(self.mesh, self.attributes, out);
                    let u_b = self.attributes.material_of(self.mesh.prev(out));
                    MovedFace { ends: ends(out), before: [u_i, u_a, u_b], after: [tip, u_a, u_b] }
                };
                wedges(self.mesh, self.attributes, he).into_iter().map(place).collect()
            }
            RestKind::Space => {
                let place = |out| {
                    let [a, b] = ends(out);
                    let before = starts(self.attributes, [i, a, b]);
                    let after = starts(self.attributes, [j, a, b]);
                    MovedFace {
                        ends: [a, b],
                        before: flatten_triangle(before),
                        after: if a == j || b == j { [DVec2::ZERO; 3] } else { lay_against(before, after) },
                    }
                };
                faces().map(place).collect()
            }
        }
    }

    /// The metric among some vertices, as a frame.
    fn frame<const N: usize>(&self, vertices: [VertexKey; N]) -> MetricFrame {
        MetricFrame::of(vertices.map(|v| self.working.metric_of(v)))
    }

    fn position_of(&self, v: VertexKey) -> DVec3 {
        self.attributes.vertices[v].position
    }

    /// Returns whether an edge should be flipped: it is not Delaunay in the metric, and no crease.
    ///
    /// `size_limit` bounds the size of the flipped edge unless it is shorter than the old one.
    pub(crate) fn should_flip(&self, e: EdgeKey, size_limit: f64) -> bool {
        let he = Halfedge::new(e, Side::First);
        let (Some(c), Some(d)) = (self.mesh.opposite(he), self.mesh.opposite(he.twin())) else {
            return false;
        };
        let [a, b] = self.mesh.ends(he);
        let kind = self.working.kind_of(a);
        let Some([u_a, u_b, u_c, u_d]) = self.lay_out(e, kind) else { return false };
        let x = [a, b, c, d].map(|v| self.position_of(v));
        if !flip_improves(&self.frame([a, b, c, d]), [u_a, u_b, u_c, u_d], x) {
            return false;
        }
        let new_size = match kind {
            RestKind::Space => self.working.size_in_space(self.attributes, c, d),
            RestKind::Flat | RestKind::Panels => self.working.size_in_chart(u_d - u_c, c, d),
        };
        if new_size > size_limit && new_size > self.working.size_of(self.mesh, self.attributes, e) {
            return false;
        }
        if kind == RestKind::Space
            && (!keeps_flat(starts(self.attributes, [a, b, c, d]))
                || !self.flip_keeps_rest_shape(e, [a, b, c, d]))
        {
            return false;
        }
        self.mesh.can_flip_edge(e).is_ok()
    }

    /// Material coordinates of the ends of an edge and of its opposite corners in one chart \[m\]; `None` if there is
    /// no such chart.
    fn lay_out(&self, e: EdgeKey, kind: RestKind) -> Option<[DVec2; 4]> {
        let he = Halfedge::new(e, Side::First);
        let corner = |he: Halfedge| self.attributes.material_of(self.mesh.prev(he));
        match kind {
            RestKind::Flat => {
                let [a, b] = self.mesh.ends(he);
                let (c, d) = (self.mesh.opposite(he)?, self.mesh.opposite(he.twin())?);
                Some([a, b, c, d].map(|v| self.working.material_of(v)))
            }
            RestKind::Panels if is_feature(self.mesh, self.attributes, e) => None,
            RestKind::Panels => {
                let [u_a, u_b] = span(self.mesh, self.attributes, he);
                Some([u_a, u_b, corner(he), corner(he.twin())])
            }
            RestKind::Space => unfold(self.mesh, self.attributes, e),
        }
    }

    /// The faces around a collapse, before and after.
    pub(crate) fn collapse_replacement(&self, he: Halfedge) -> Replacement {
        let [i, j] = self.mesh.ends(he);
        let before: Vec<[VertexKey; 3]> =
            self.mesh.faces_around(i).map(|f| self.mesh.face_vertices(f)).collect();
        let after = before
            .iter()
            .filter(|corners| !corners.contains(&j))
            .map(|corners| corners.map(|v| if v == i { j } else { v }))
            .collect();
        let layout = match self.working.kind_of(i) {
            RestKind::Flat => {
                self.mesh.neighbors(i).chain([i]).map(|v| (v, self.working.material_of(v))).collect()
            }
            RestKind::Panels | RestKind::Space => unroll(self.mesh, self.attributes, i),
        };
        Replacement { before, after, layout }
    }

    /// The faces at a flip, before and after.
    pub(crate) fn flip_replacement(&self, e: EdgeKey) -> Replacement {
        let he = Halfedge::new(e, Side::First);
        let [a, b] = self.mesh.ends(he);
        let [c, d] =
            [he, he.twin()].map(|he| self.mesh.opposite(he).expect("an edge that is flipped has two faces"));
        let corners = [a, b, c, d];
        let places = self.lay_out(e, self.working.kind_of(a)).expect("both faces know the edge");
        Replacement {
            before: vec![[a, b, c], [b, a, d]],
            after: vec![[d, c, a], [c, d, b]],
            layout: corners.into_iter().zip(places).collect(),
        }
    }

    /// Displacement of the material points by an edit that is yet to be made.
    pub(crate) fn displacement(&self, Replacement { before, after, layout }: &Replacement) -> Displacement {
        let place = |v: &VertexKey| layout.iter().find(|(w, _)| w == v).expect("the corners are laid out").1;
        let patch = |corners: &[VertexKey; 3]| Patch {
            material: corners.each_ref().map(place),
            positions: corners.map(|v| self.position_of(v)),
        };
        let patches = |faces: &[[VertexKey; 3]]| faces.iter().map(patch).collect::<Vec<_>>();
        Displacement::between(&patches(before), &patches(after))
    }
}

/// A face at a collapse.
struct MovedFace {
    /// The ends of its side opposite to the tail.
    ends: [VertexKey; 2],
    /// Corners in a chart \[m\], that of the tail first.
    before: [DVec2; 3],
    /// Corners after the collapse: those of `before` with the tip in place of the tail. Meaningless in a face that
    /// has both.
    after: [DVec2; 3],
}

/// Returns whether the faces of an edge `a–b` with opposite corners `c` and `d` are no crease, before and after a
/// flip.
fn keeps_flat([x_a, x_b, x_c, x_d]: [DVec3; 4]) -> bool {
    let old = [area_vector([x_a, x_b, x_c]), area_vector([x_b, x_a, x_d])];
    let new = [area_vector([x_d, x_c, x_a]), area_vector([x_c, x_d, x_b])];
    let is_flat = |[n0, n1]: [DVec3; 2]| n0.dot(n1) >= FLIP_DIHEDRAL_COSINE * n0.length() * n1.length();
    let mean = old[0] + old[1];
    is_flat(old) && is_flat(new) && new.iter().all(|&n| turns_little(mean, n))
}

/// Returns whether a split with the new vertex at a place \[m\] of a rest shape in space keeps the faces unfolded.
/// Each new face may turn against the whole one as little as at a collapse, and nothing may fold over.
pub(crate) fn split_stays_unfolded(
    mesh: &HalfedgeMesh,
    attributes: &SheetAttributes,
    e: EdgeKey,
    x: DVec3,
) -> bool {
    let place = |v: VertexKey| attributes.vertices[v].start;
    let mut halves: Vec<[Corner; 3]> = Vec::new();
    for he in Side::BOTH.map(|side| Halfedge::new(e, side)) {
        let Some(c) = mesh.opposite(he) else { continue };
        let [a, b] = mesh.ends(he);
        let whole = area_vector([a, b, c].map(place));
        let parts = [[place(a), x, place(c)], [x, place(b), place(c)]];
        if !parts.into_iter().all(|part| turns_little(whole, area_vector(part))) {
            return false;
        }
        let [a, b, c] = [a, b, c].map(|v| corner(attributes, v));
        let middle = (u32::MAX, x);
        halves.extend([[a, middle, c], [middle, b, c]]);
    }
    let faces: Vec<FaceKey> = mesh.edge_faces(e).into_iter().flatten().collect();
    keeps_unfolded(mesh, attributes, &faces, &halves)
}

/// Twice the area of a world triangle along its normal \[m²\].
fn area_vector([a, b, c]: [DVec3; 3]) -> DVec3 {
    (b - a).cross(c - a)
}

/// Returns whether two normals, of any length but zero, differ by no more than the limit.
fn turns_little(old: DVec3, new: DVec3) -> bool {
    let product = old.length() * new.length();
    product > 0.0 && old.dot(new) >= NORMAL_TURN_COSINE * product
}

/// Returns whether a flip of edge `a–b` between corners `c` and `d` improves the mesh: the edge is not Delaunay, and no face loses
/// its area or folds over. `u` are material coordinates in one chart, `x` positions, of `a, b, c, d`.
pub(crate) fn flip_improves(frame: &MetricFrame, u: [DVec2; 4], x: [DVec3; 4]) -> bool {
    let [a, b, c, d] = u;
    // A quad with a straight angle would leave a face without area.
    let keeps_area = || doubled_area([d, c, a]) > 0.0 && doubled_area([c, d, b]) > 0.0;
    violates_delaunay(frame, [a, b], [c, d]) && keeps_area() && keeps_flat(x)
}

/// Returns whether the angles opposite to edge `a–b` sum to more than 180° by the margin (C. L. Lawson 1977), as the
/// sine of the sum. Angles are those of the frame.
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
