//! One step of a tear in the keyed mesh: from a vertex along a line, where an edge is or is made.
//!
//! ```text
//!          q                    q             v  an overloaded vertex, the tip of a tear or a place where one begins
//!        ╱ │ ╲                ╱ │ ╲           ─► the line of the tear, across the strongest pull
//!  ═════v──┼─► r    →   ═════v══m── r         m  the edge that the line meets is split there: splits move nothing
//!        ╲ │ ╱                ╲ │ ╱           ══ open; the next step goes on from m
//!          p                    p
//! ```

use crate::model::report::TearCounts;
use crate::model::setup::Cloth;
use crate::model::state::sheet::KeyedSheet;
use glam::{DVec2, Vec2Swizzles};
use std::f64::consts::{PI, TAU};
use taffeta_core::Region;
use taffeta_core::math::{atan2, sin_cos};
use taffeta_mesh::{EdgeKey, Halfedge, Side, VertexKey};
use taffeta_remesh::{
    MomentumDrift, is_seam, open_with_transfer, restore_delaunay, restore_momenta_of_sheets,
    split_at_with_transfer,
};

/// Least angle between a tear and the boundary that it leaves \[rad\]: less would cut off slivers.
const LEAST_ANGLE: f64 = 40.0 / 180.0 * PI;

/// Angle by which the line of a tear must turn before the tear does \[rad\]. Below it goes straight on: what is straight can be
/// coarsened again, and the line is not known better than that.
const STRAIGHT_ON: f64 = 6.0 / 180.0 * PI;

/// Largest angle by which a tear turns at once \[rad\]. A larger turn becomes a curve, and a single bad direction does no harm.
const MOST_TURN: f64 = 30.0 / 180.0 * PI;

/// Largest angle between the two sides of a tip at rest for which a straight continuation is defined \[rad\].
const SHARP: f64 = 0.1;

/// Part of an edge within which its end is taken in place of a split: less is no triangle for anyone.
const SNAP: f64 = 0.04;

/// Least height of a triangle that a tear makes, and length of its edges, relative to the edge length at which it goes on. A
/// flatter one stays so, for nothing collapses off the line of a tear. The next tear beside it makes still flatter ones, down to
/// zero, and these strain without bound. An edge that is there is then taken in place of the line; if that cannot open, flatter
/// triangles are made, but none that are next to nothing.
const LEAST_EDGE: f64 = 0.1;
const TINIEST_EDGE: f64 = 0.05;

/// Angle between the line and an edge that opens in place of it, where edges are taken as they are \[rad\].
const FARTHEST_EDGE: f64 = 40.0 / 180.0 * PI;

/// Longest edge at a vertex from which a tear goes on, relative to what is wanted there.
const COARSE: f64 = 1.5;

/// Edges that a tear takes in one go at most, a few times as many as it needs: through slivers they can get shorter and shorter.
const MAX_EDGES: u64 = 16;

/// Splits that make the edges at a vertex short enough, at most: every one halves an edge.
const MAX_SPLITS: usize = 64;

/// Continuation of a tear, and the normal of its line in material space.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Line {
    pub vertex: VertexKey,
    pub normal: DVec2,
}

/// Limits of the tears of a cloth.
#[derive(Clone, Copy, Debug)]
pub(crate) struct TearRules {
    /// Edge length at which a tear goes on \[m\], and most vertices of all cloths together; `None`: edges are taken as they
    /// are.
    fine: Option<(f64, usize)>,
    /// Largest length of a tear in one go \[m\].
    run: f64,
}

impl TearRules {
    pub(crate) fn of_cloth(cloth: &Cloth) -> Self {
        Self {
            fine: cloth.tear_size().zip(cloth.remesh.map(|settings| settings.max_vertices)),
            run: cloth.tearing().map_or(0.0, |tearing| tearing.length),
        }
    }
}

impl KeyedSheet {
    /// Lets a tear go on, or begin. Without a count if it cannot, though edges may have been split for it.
    pub(crate) fn tear(&mut self, line: Line, rules: &TearRules, pins: &[Region]) -> TearCounts {
        let cloth = self.attributes.cloth_of_vertex(&self.mesh, line.vertex) as usize;
        let mut drifts = vec![MomentumDrift::default(); cloth + 1];
        let torn = self.tear_along(line, rules, pins, &mut drifts[cloth]);
        restore_momenta_of_sheets(&self.mesh, &mut self.attributes, &drifts);
        torn
    }

    fn tear_along(
        &mut self,
        Line { vertex, normal }: Line,
        rules: &TearRules,
        pins: &[Region],
        drift: &mut MomentumDrift,
    ) -> TearCounts {
        let along = DVec2::new(-normal.y, normal.x);
        if !self.mesh.is_boundary_vertex(vertex) {
            return self.begin_inside(vertex, along, rules, pins, drift).unwrap_or_default();
        }
        let mut torn = TearCounts::default();
        let mut tip = self.way_on(vertex, along).map(|ray| (vertex, ray));
        while let Some((v, ray)) = tip.filter(|_| torn.length < rules.run && torn.count < MAX_EDGES) {
            let Some((length, next)) = self.go_on(v, ray, rules, pins, drift) else { break };
            torn = torn.plus(TearCounts { count: 1, length });
            tip = next.map(|next| (next, ray));
        }
        torn
    }

    /// Opens a slit of two edges in the inside.
    fn begin_inside(
        &mut self,
        v: VertexKey,
        along: DVec2,
        rules: &TearRules,
        pins: &[Region],
        drift: &mut MomentumDrift,
    ) -> Option<TearCounts> {
        let rules = self.refine_at(v, rules, pins, drift);
        let first = self.edge_along(v, along, &rules, pins, drift)?;
        let second = self.edge_along(v, -along, &rules, pins, drift)?;
        let length = self.rest_length(first) + self.rest_length(second);
        let ends = [first, second].map(|e| self.other_end(e, v));
        open_with_transfer(&mut self.mesh, &mut self.attributes, &[first, second]).ok()?;
        ends.into_iter().for_each(|end| self.mend(end, drift));
        Some(TearCounts { count: 1, length })
    }

    /// Opens an edge from a boundary vertex along a ray; its length at rest \[m\], and its end unless that has come apart or
    /// must not.
    fn go_on(
        &mut self,
        v: VertexKey,
        ray: DVec2,
        rules: &TearRules,
        pins: &[Region],
        drift: &mut MomentumDrift,
    ) -> Option<(f64, Option<VertexKey>)> {
        let rules = self.refine_at(v, rules, pins, drift);
        let e = self.edge_along(v, ray, &rules, pins, drift)?;
        let length = self.rest_length(e);
        let end = self.other_end(e, v);
        let goes_on = !self.mesh.is_boundary_vertex(end);
        open_with_transfer(&mut self.mesh, &mut self.attributes, &[e]).ok()?;
        self.mend(end, drift);
        Some((length, Some(end).filter(|end| goes_on && !self.is_firm(*end))))
    }

    /// Returns whether a vertex must not come apart: a pin or a seam holds it together.
    fn is_firm(&self, v: VertexKey) -> bool {
        let vertex = &self.attributes.vertices[v];
        let on_seam =
            || self.mesh.halfedges_around(v).any(|he| is_seam(&self.mesh, &self.attributes, he.edge));
        vertex.hold.is_some() || vertex.is_stitched || on_seam()
    }

    /// Halves the longest edge of the faces around a vertex until no edge at it is too long; what may be done after that. That may
    /// be an edge across from the vertex. Next to a boundary with long edges, halves of the others would make ever shorter steps
    /// toward it.
    fn refine_at(
        &mut self,
        v: VertexKey,
        rules: &TearRules,
        pins: &[Region],
        drift: &mut MomentumDrift,
    ) -> TearRules {
        let Some((size, most)) = rules.fine else { return *rules };
        for _ in 0..MAX_SPLITS {
            let spokes: Vec<Halfedge> = self.mesh.halfedges_around(v).collect();
            if spokes.iter().all(|he| self.rest_length(he.edge) <= COARSE * size) {
                break;
            }
            let across = spokes.iter().filter(|he| self.mesh.face(**he).is_some());
            let across = across.map(|he| self.mesh.next(*he).edge).filter(|e| !self.is_being_sewn(*e));
            let edges = spokes.iter().map(|he| he.edge).chain(across).map(|e| (self.rest_length(e), e));
            let longest = edges.max_by(|a, b| a.0.total_cmp(&b.0).then(a.1.cmp(&b.1)));
            let Some((_, e)) = longest else { break };
            if self.mesh.vertex_count() >= most {
                return TearRules { fine: None, ..*rules };
            }
            let middle = self.split(e, 0.5, pins, drift);
            self.mend(middle, drift);
        }
        *rules
    }

    /// Splits an edge at a part of it from its first end; the new vertex.
    fn split(&mut self, e: EdgeKey, part: f64, pins: &[Region], drift: &mut MomentumDrift) -> VertexKey {
        let split = split_at_with_transfer(&mut self.mesh, &mut self.attributes, e, part, pins);
        let (record, more) = split.expect("an edge of the mesh can be split");
        *drift = drift.plus(&more);
        record.vertex
    }

    /// Returns whether an edge lies on a run that is being sewn: a vertex on it would have no partner on the other side.
    fn is_being_sewn(&self, e: EdgeKey) -> bool {
        let is_stitched = |v: VertexKey| self.attributes.vertices[v].is_stitched;
        self.mesh.is_boundary_edge(e) && self.mesh.edge_ends(e).into_iter().all(is_stitched)
    }

    /// Flips the edges around a vertex that a split made until they are Delaunay. A line that passes near a vertex would leave
    /// triangles of next to no height, which the next split makes flatter still.
    fn mend(&mut self, v: VertexKey, drift: &mut MomentumDrift) {
        *drift = drift.plus(&restore_delaunay(&mut self.mesh, &mut self.attributes, v));
    }

    fn other_end(&self, e: EdgeKey, v: VertexKey) -> VertexKey {
        let [a, b] = self.mesh.edge_ends(e);
        if a == v { b } else { a }
    }

    /// The length of an edge at rest \[m\].
    fn rest_length(&self, e: EdgeKey) -> f64 {
        let first = Halfedge::new(e, Side::First);
        let inside = if self.mesh.is_boundary_halfedge(first) { first.twin() } else { first };
        let [tail, tip] = [inside, self.mesh.next(inside)].map(|he| self.attributes.material_of(he));
        tail.distance(tip)
    }

    /// The vectors at rest from the tail of a half-edge that has a face along it and along the one before it \[m\].
    fn sides(&self, he: Halfedge) -> [DVec2; 2] {
        let [at, p, q] =
            [he, self.mesh.next(he), self.mesh.prev(he)].map(|he| self.attributes.material_of(he));
        [p - at, q - at]
    }

    /// The half-edges with a face that leave a vertex, counter-clockwise; of a boundary vertex from the boundary on.
    fn fan(&self, v: VertexKey) -> Vec<Halfedge> {
        self.mesh.halfedges_around(v).filter(|he| !self.mesh.is_boundary_halfedge(*he)).collect()
    }

    /// The direction in which a tear leaves a boundary vertex along a line, or goes on there; `None`: it would run along the
    /// boundary.
    fn way_on(&self, v: VertexKey, along: DVec2) -> Option<DVec2> {
        let fan = self.fan(v);
        let wedges: Vec<[DVec2; 2]> = fan.iter().map(|he| self.sides(*he)).collect();
        let total: f64 = wedges.iter().map(|[p, q]| angle(*p, *q)).sum();
        // The angle from the boundary to a ray through the faces.
        let turn = |ray: DVec2| {
            let mut before = 0.0;
            for [p, q] in &wedges {
                if p.perp_dot(ray) >= 0.0 && ray.perp_dot(*q) >= 0.0 {
                    return Some(before + angle(*p, ray));
                }
                before += angle(*p, *q);
            }
            None
        };
        let margin = |ray: DVec2| turn(ray).map_or(-1.0, |turn| turn.min(total - turn));
        let ray = if margin(along) >= margin(-along) { along } else { -along };
        let [back, _] = wedges[0];
        let ahead = -back.normalize_or_zero();
        let off = angle(ahead, ray);
        let ray = match off.abs() {
            _ if (total - TAU).abs() > SHARP => ray,
            small if small < STRAIGHT_ON => ahead,
            large if large > MOST_TURN => {
                DVec2::from_array(sin_cos(MOST_TURN * off.signum()).into()).yx().rotate(ahead)
            }
            _ => ray,
        };
        (margin(ray) >= LEAST_ANGLE).then_some(ray)
    }

    /// The edge from a vertex along a ray, one that is there or one that a split makes; `None`: it must not open.
    fn edge_along(
        &mut self,
        v: VertexKey,
        ray: DVec2,
        rules: &TearRules,
        pins: &[Region],
        drift: &mut MomentumDrift,
    ) -> Option<EdgeKey> {
        let fan = self.fan(v);
        let Some((size, _)) = rules.fine else { return self.nearest_edge(v, ray, &fan) };
        let holds = |he: &&Halfedge| {
            let [p, q] = self.sides(**he);
            p.perp_dot(ray) >= 0.0 && ray.perp_dot(q) > 0.0
        };
        let he = *fan.iter().find(holds)?;
        let [p, q] = self.sides(he);
        let (before, after) = (p.perp_dot(ray), ray.perp_dot(q));
        let part = before / (before + after);
        let m = p.lerp(q, part);
        let made = [m.length(), height([DVec2::ZERO, p, m]), height([DVec2::ZERO, m, q])];
        let least = made.into_iter().fold(f64::INFINITY, f64::min) / size;
        let other = if least < LEAST_EDGE { self.nearest_edge(v, ray, &fan) } else { None };
        let across = self.mesh.next(he);
        if self.is_being_sewn(across.edge) {
            return None;
        }
        let e = if part < SNAP {
            he.edge
        } else if part > 1.0 - SNAP {
            self.mesh.prev(he).edge
        } else if let Some(other) = other {
            return Some(other);
        } else if least < TINIEST_EDGE {
            return None;
        } else {
            let part = if across.side == Side::First { part } else { 1.0 - part };
            let m = self.split(across.edge, part, pins, drift);
            self.mesh.find_halfedge(v, m).expect("a split joins its vertex to both opposite corners").edge
        };
        self.may_open(e, v).then_some(e)
    }

    /// The edge from a vertex that is there already and nearest to a ray, if it may open and is not far off.
    fn nearest_edge(&self, v: VertexKey, ray: DVec2, fan: &[Halfedge]) -> Option<EdgeKey> {
        let turn = |he: &Halfedge| angle(self.sides(*he)[0], ray).abs();
        let inner = fan.iter().filter(|he| !self.mesh.is_boundary_edge(he.edge));
        let nearest = inner.min_by(|a, b| turn(a).total_cmp(&turn(b)))?;
        (turn(nearest) < FARTHEST_EDGE && self.may_open(nearest.edge, v)).then_some(nearest.edge)
    }

    /// Returns whether an edge at a vertex that comes apart may open: its other end stays one, or may come apart too.
    fn may_open(&self, e: EdgeKey, v: VertexKey) -> bool {
        let end = self.other_end(e, v);
        let is_held = self.mesh.is_boundary_vertex(end) && self.is_firm(end);
        !is_held && !self.mesh.is_boundary_edge(e) && !is_seam(&self.mesh, &self.attributes, e)
    }
}

/// Height of a triangle over its longest edge \[m\].
fn height([a, b, c]: [DVec2; 3]) -> f64 {
    let longest = a.distance_squared(b).max(b.distance_squared(c)).max(c.distance_squared(a)).sqrt();
    (b - a).perp_dot(c - a).abs() / longest.max(f64::MIN_POSITIVE)
}

/// The angle from one vector to another, counter-clockwise \[rad\].
fn angle(a: DVec2, b: DVec2) -> f64 {
    atan2(a.perp_dot(b), a.dot(b))
}
