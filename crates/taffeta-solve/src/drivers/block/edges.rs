//! The edges of the plate in the block driver: their angles, and the Gauss-Seidel pass over their scalars.
//!
//! The scalar `φ` of an edge has no mass. After each sweep over the faces the angles of all edges are measured, and each
//! `φ` in turn takes the value of least energy, `φ_e = φ_e − Σ_T s (K(η−η₀))_e / Σ_T K_ee` over the two faces. An
//! inverse mass for `φ` and an update together with the positions was tried and rejected: it makes the sheet far too
//! soft.
//!
//! Edges are packed by color like blocks. Edges of one color share no vertex, so they share no face either: the pass
//! over the scalars can use the same order. Clamped edges, which have three vertices, follow one by one.

use super::curvature::{EdgeLanes, Slots, read_edges};
use crate::drivers::lanes::pack;
use crate::model::BendingModel;
use crate::plate::{Plate, PlateEdge, PlateState, angle};
use glam::DVec3;
use std::ops::Range;
use taffeta_core::VertexIndex;
use taffeta_core::color::color_elements;
use taffeta_core::lanes::{F64x4, LANES, LaneBatches, Order, Row, vectorized};
use taffeta_core::tasks::share_out;

/// Batches that one task of a parallel pass over the scalars takes: about ten microseconds.
const BATCHES_PER_TASK: usize = 256;

/// Angles and scalars of the edges of faces that bend by curvature, and of clamped hinges.
#[derive(Clone, Debug)]
pub(super) struct Edges {
    /// Edges with four different vertices.
    batches: LaneBatches<4>,
    /// Angles and scalars: of the batches, then of each odd edge.
    pub states: Vec<EdgeLanes>,
    odd: Vec<OddEdge>,
    /// Batches that the pass over the scalars can update at once, in its order.
    colors: Vec<Range<usize>>,
    /// The numbers of the edges in each batch.
    members: Vec<[usize; LANES]>,
    /// Stencils of the scalars; empty if no edge has one.
    stencils: Vec<Stencil>,
    scratch: Vec<F64x4>,
    /// Place of each edge of the plate: batch × 4 + lane; `u32::MAX`: not here.
    pub slots: Vec<u32>,
    /// Unit normals beyond the clamped edges.
    pub clamps: Vec<DVec3>,
}

/// An edge that the lanes cannot take.
#[derive(Clone, Debug)]
struct OddEdge {
    vertices: [VertexIndex; 4],
    /// With the vertices 0 to 3.
    edge: PlateEdge,
}

/// The scalars of least energy of four edges, given those of their neighbors. Each is a linear form in the angles and
/// scalars of the edge and the four other edges of its faces.
#[derive(Clone, Debug)]
struct Stencil {
    neighbors: [Slots; 4],
    /// Weights of the angles, that of the edge itself first.
    by_angle: [F64x4; 5],
    by_scalar: [F64x4; 4],
    /// \[rad\]
    constant: F64x4,
}

impl Edges {
    pub(super) fn build(plate: &Plate, vertex_count: usize) -> Self {
        let is_here = |edge: &PlateEdge| {
            let bends = |side: &(u32, u8)| plate.faces[side.0 as usize].model != BendingModel::Hinge;
            edge.clamp.is_some() || edge.sides.iter().flatten().any(bends)
        };
        let is_odd = |edge: &PlateEdge| edge.clamp.is_some() || edge.vertices[2] == edge.vertices[3];
        let numbers = || (0..plate.edges.len()).filter(|e| is_here(&plate.edges[*e]));
        let (odd, even): (Vec<_>, Vec<_>) = numbers().partition(|e| is_odd(&plate.edges[*e]));
        let vertices: Vec<_> = even.iter().map(|e| plate.edges[*e].vertices).collect();
        let batches = LaneBatches::build(&vertices, vertex_count);
        let mut colors = Vec::new();
        let mut count = 0;
        for color in color_elements(&vertices, vertex_count) {
            colors.push(count..count + color.len().div_ceil(LANES));
            count = colors[colors.len() - 1].end;
        }
        let mut members = batches.pack(|lanes| lanes.map(|k| even[k]));
        let slots_of_even = batches.unpack(even.len(), |batch, lane| batch * LANES + lane);
        let mut slots = vec![u32::MAX; plate.edges.len()];
        even.iter().zip(slots_of_even).for_each(|(e, slot)| slots[*e] = slot as u32);
        for e in &odd {
            slots[*e] = (members.len() * LANES) as u32;
            colors.push(members.len()..members.len() + 1);
            members.push([*e; LANES]);
        }
        let has_scalars = plate.edges.iter().any(|edge| edge.has_scalar);
        let stencil = |members: &[usize; LANES]| Stencil::pack(members.map(|e| Form::new(plate, e)), &slots);
        let state = |members: &[usize; LANES]| EdgeLanes {
            angle: F64x4(members.map(|e| plate.edges[e].reference)),
            scalar: F64x4::default(),
        };
        let local = |e: &usize| OddEdge {
            vertices: plate.edges[*e].vertices,
            edge: PlateEdge { vertices: [0, 1, 2, 3].map(VertexIndex), ..plate.edges[*e].clone() },
        };
        let clamps = plate.edges.iter().filter_map(|edge| edge.clamp).max().map_or(0, |clamp| clamp + 1);
        Self {
            states: members.iter().map(state).collect(),
            odd: odd.iter().map(local).collect(),
            stencils: if has_scalars { members.iter().map(stencil).collect() } else { Vec::new() },
            scratch: vec![F64x4::default(); members.len()],
            members,
            clamps: vec![DVec3::ZERO; clamps as usize],
            batches,
            colors,
            slots,
        }
    }

    /// Sets the scalars \[rad\] and the normals beyond the clamps.
    pub(super) fn set(&mut self, plate: &PlateState) {
        assert_eq!(plate.scalars.len(), self.slots.len(), "one scalar per edge of the plate");
        for (slot, scalar) in self.slots.iter().zip(&plate.scalars).filter(|(slot, _)| **slot != u32::MAX) {
            self.states[*slot as usize / LANES].scalar.0[*slot as usize % LANES] = *scalar;
        }
        self.set_clamps(&plate.clamps);
    }

    /// Takes over `η₀` of the faces.
    pub(super) fn set_rest(&mut self, plate: &Plate) {
        for (stencil, members) in self.stencils.iter_mut().zip(&self.members) {
            stencil.constant = F64x4(members.map(|e| Form::new(plate, e).constant));
        }
    }

    /// Sets the normals beyond the clamps.
    pub(super) fn set_clamps(&mut self, normals: &[DVec3]) {
        let count = self.clamps.len();
        assert!(normals.len() >= count, "{count} clamps, but {} normals", normals.len());
        self.clamps.copy_from_slice(&normals[..count]);
    }

    /// Angle and scalar of an edge of the plate \[rad\], if it is here.
    pub(super) fn state(&self, number: usize) -> Option<(f64, f64)> {
        let slot = self.slots[number];
        let (batch, lane) = (slot as usize / LANES, slot as usize % LANES);
        (slot != u32::MAX).then(|| (self.states[batch].angle.0[lane], self.states[batch].scalar.0[lane]))
    }

    /// Continues all angles to where the vertices are. Moves nothing.
    pub(super) fn measure(&mut self, rows: &mut [Row]) {
        let (even, odd) = self.states.split_at_mut(self.batches.batch_count());
        self.batches.sweep(
            rows,
            even,
            Order::Forward,
            #[inline(always)]
            |state, x, _| {
                state.update_angle(x);
                *x
            },
        );
        for (state, OddEdge { vertices, edge }) in odd.iter_mut().zip(&mut self.odd) {
            edge.reference = state.angle.0[0];
            let x = vertices.map(|vi| rows[vi.0 as usize].position());
            state.angle = F64x4::splat(angle(edge, &x, &self.clamps));
        }
    }

    /// One exact Gauss-Seidel pass over the scalars with the angles last measured.
    pub(super) fn update_scalars(&mut self) {
        if self.stencils.is_empty() {
            return;
        }
        for color in &self.colors {
            // Written when all of a color are known, so that it can be shared out; no edge is another's neighbor.
            let (out, states) = (&mut self.scratch[color.clone()], &self.states);
            let stencils = &self.stencils[color.clone()];
            share_out(out, BATCHES_PER_TASK, |first, out| {
                find_scalars(&stencils[first..first + out.len()], color.start + first, states, out);
            });
            for (state, scalar) in self.states[color.clone()].iter_mut().zip(&self.scratch[color.clone()]) {
                state.scalar = *scalar;
            }
        }
    }
}

/// The scalars of least energy of a run of batches, of which `first` is the first.
fn find_scalars(stencils: &[Stencil], first: usize, states: &[EdgeLanes], out: &mut [F64x4]) {
    vectorized(
        #[inline(always)]
        || {
            for (k, (stencil, out)) in stencils.iter().zip(out).enumerate() {
                *out = stencil.scalars(states[first + k].angle, states);
            }
        },
    );
}

impl Stencil {
    fn pack(forms: [Form; LANES], slots: &[u32]) -> Self {
        Self {
            neighbors: [0, 1, 2, 3].map(|j| forms.each_ref().map(|form| slots[form.neighbors[j]])),
            by_angle: [0, 1, 2, 3, 4].map(|j| pack(|lane| forms[lane].by_angle[j])),
            by_scalar: [0, 1, 2, 3].map(|j| pack(|lane| forms[lane].by_scalar[j])),
            constant: pack(|lane| forms[lane].constant),
        }
    }

    #[inline(always)]
    fn scalars(&self, angle: F64x4, states: &[EdgeLanes]) -> F64x4 {
        let mut sum = self.constant + self.by_angle[0] * angle;
        for (j, slots) in self.neighbors.iter().enumerate() {
            let state = read_edges(slots, states);
            sum = sum + self.by_angle[j + 1] * state.angle + self.by_scalar[j] * state.scalar;
        }
        sum
    }
}

/// The [`Stencil`] of one edge; all zero if it has no scalar.
struct Form {
    /// Numbers in [`Plate::edges`]; the edge's own where there is no neighbor.
    neighbors: [usize; 4],
    by_angle: [f64; 5],
    by_scalar: [f64; 4],
    constant: f64,
}

impl Form {
    fn new(plate: &Plate, number: usize) -> Self {
        let mut form =
            Self { neighbors: [number; 4], by_angle: [0.0; 5], by_scalar: [0.0; 4], constant: 0.0 };
        let edge = &plate.edges[number];
        if !edge.has_scalar {
            return form;
        }
        let sides =
            || edge.sides.iter().flatten().map(|(face, k)| (&plate.faces[*face as usize], *k as usize));
        // The row of a hinge is not bent by this driver's scalars.
        let sides = || sides().filter(|(face, _)| face.model != BendingModel::Hinge);
        let total: f64 = sides().map(|(face, k)| face.stiffness[(k, k)]).sum();
        if total <= 0.0 {
            return form;
        }
        for (side, (face, k)) in sides().enumerate() {
            for j in 0..3 {
                let Some(other) = face.edges[j] else { continue };
                let weight = -face.signs[k] * face.stiffness[(k, j)] / total;
                let share = plate.edges[other as usize].share;
                form.constant -= weight * face.rest[j];
                if j == k {
                    // The edge's own scalar cancels: the form gives its new value, not the change.
                    form.by_angle[0] += weight * share;
                } else {
                    let place = 2 * side + usize::from(j == (k + 2) % 3);
                    form.neighbors[place] = other as usize;
                    form.by_angle[place + 1] = weight * share;
                    form.by_scalar[place] = weight * face.signs[j];
                }
            }
        }
        form
    }
}
