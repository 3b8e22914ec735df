//! Green strain of all faces at once: energy, gradient and the blocks of the Hessian.
//!
//! `H = Σ Jᵀ D J + Bᵀ S₊ B` with `dE = J dx = sym(Fᵀ dF)`; `S₊` is the positive part of the stress, which keeps the
//! Hessian positive semidefinite. The scalar [`crate::block::GreenStrain`] is the oracle.
//!
//! Where compression is bounded ([`crate::buckling`]) a second pass takes the faces that wrinkle one by one. It adds the
//! wrinkle strain to `E`, and replaces `D` by the derivative of the stress. A third pass adds what stiffens stretched faces
//! ([`crate::material::stiffening`]).

#![allow(clippy::needless_range_loop, reason = "a lane is read from many arrays at once")]

use super::face_state::FaceState;
use super::tiles::{
    CornerTile, FaceTiles, IndexLane, Lane, Lane3, TILE, ZERO, for_tiles, lead, load_corners, multiply,
    set_vector, split, vector,
};
use crate::block::{Curvature, GreenStrain};
use crate::buckling::{Stiffness, find_wrinkles};
use crate::material::stiffening::respond;
use crate::matrices::{Mat3, UPPER};
use glam::{DVec2, DVec3};
use taffeta_core::lanes::vectorized;
use taffeta_core::tasks::share_out;
use taffeta_core::{FaceIndex, SurfaceTopology};

/// The membrane of all faces.
#[derive(Clone, Debug)]
pub(crate) struct Membrane {
    rest: Vec<RestTile>,
    state: Vec<StateTile>,
    /// Strain (Voigt) at the start of the step; empty if nothing is damped.
    starts: Vec<Lane3>,
    /// Of the tiles, if any face wrinkles or stiffens; empty otherwise.
    laws: Vec<LawTile>,
}

/// Deviation of faces from a linear law, and its effect on their stiffness.
#[derive(Clone, Debug)]
struct LawTile {
    /// Critical stress times area \[N·m\]: 11, 22, 12. Infinite on the diagonal where any compression is borne.
    critical: Lane3,
    /// Stiffening in tension along warp and weft: slope times area \[N·m\], and the strain at which it ends.
    slope: [Lane; 2],
    end: [Lane; 2],
    /// As the stiffness of the face, at the last evaluation.
    tangent: [Lane; 6],
}

/// Constant data of a tile: rest gradients and stiffness.
#[derive(Clone, Debug)]
struct RestTile {
    /// Gradients of the hat functions of corners 1 and 2 \[1/m\].
    b1: [Lane; 2],
    b2: [Lane; 2],
    /// Stiffness times area \[N·m\]: entries 00, 01, 02, 11, 12, 22.
    stiffness: [Lane; 6],
    /// Damping time constant \[s\].
    tau: Lane,
}

/// The critical stress of faces that bear any compression.
const UNBOUNDED: Lane = [f64::INFINITY; TILE];

/// The state at which the membrane was last evaluated.
#[derive(Clone, Debug)]
struct StateTile {
    /// The columns of the deformation gradient.
    f1: Lane3,
    f2: Lane3,
    /// Stress times area for the Hessian \[N·m\]: 11, 22, 12.
    stress: Lane3,
    energy: Lane,
}

impl Default for StateTile {
    fn default() -> Self {
        let zero = [ZERO; 3];
        Self { f1: zero, f2: zero, stress: zero, energy: ZERO }
    }
}

impl Membrane {
    /// Packs the blocks, which stand in the order of the faces; faces without one have no stiffness.
    pub(crate) fn build(tiles: &FaceTiles, topology: &SurfaceTopology, blocks: &[GreenStrain]) -> Self {
        let zero = RestTile { b1: [ZERO; 2], b2: [ZERO; 2], stiffness: [ZERO; 6], tau: ZERO };
        let mut rest = vec![zero; tiles.tile_count()];
        let none = LawTile {
            critical: [UNBOUNDED, UNBOUNDED, ZERO],
            slope: [ZERO; 2],
            end: [[1.0; TILE]; 2],
            tangent: [ZERO; 6],
        };
        let is_linear =
            |block: &GreenStrain| block.critical.is_none() && block.elasticity.stiffening.is_none();
        let mut laws = vec![none; if blocks.iter().all(is_linear) { 0 } else { rest.len() }];
        let mut faces = topology.faces.iter_indexed();
        for block in blocks {
            let Some((fi, _)) = faces.find(|(_, face)| **face == block.vertices) else { break };
            let (number, lane) = split(fi.0 as usize);
            let tile = &mut rest[number];
            for axis in 0..2 {
                tile.b1[axis][lane] = block.gradients[1][axis];
                tile.b2[axis][lane] = block.gradients[2][axis];
            }
            for (k, entry) in UPPER.into_iter().enumerate() {
                tile.stiffness[k][lane] = block.elasticity.stiffness[entry] * block.area;
            }
            tile.tau[lane] = block.damping;
            if let Some(critical) = block.critical {
                let critical = DVec3::new(critical.xx, critical.yy, critical.xy) * block.area;
                set_vector(&mut laws[number].critical, lane, critical);
            }
            if let Some(stiffening) = block.elasticity.stiffening {
                for axis in 0..2 {
                    laws[number].slope[axis][lane] = stiffening.slope[axis] * block.area;
                    laws[number].end[axis][lane] = stiffening.end[axis];
                }
            }
        }
        let is_damped = blocks.iter().any(|block| block.damping > 0.0);
        let starts = vec![[ZERO; 3]; if is_damped { rest.len() } else { 0 }];
        Self { state: vec![StateTile::default(); rest.len()], starts, rest, laws }
    }

    /// Notes the strain at the start of a step.
    pub(crate) fn begin_step(&mut self, corners: &[[IndexLane; 3]], x: &[f64]) {
        let rest = &self.rest;
        for_tiles(
            &mut self.starts,
            #[inline(always)]
            |tile, start| {
                let x = load_corners(&corners[tile], x);
                for k in 0..TILE {
                    let [f1, f2] = deform(&rest[tile], &x, k);
                    set_vector(start, k, strain(f1, f2));
                }
            },
        );
        for ((start, rest), law) in self.starts.iter_mut().zip(&self.rest).zip(&self.laws) {
            let is_bounded = |k: usize| law.critical[0][k].is_finite();
            for k in (0..TILE).filter(|k| rest.tau[*k] > 0.0 && is_bounded(*k)) {
                let e = vector(start, k);
                let trial = multiply(&rest.stiffness, e, k, 1.0) + vector(&law.critical, k);
                if let Some(wrinkles) = find_wrinkles(&rest.stiffness.map(|entry| entry[k]), trial) {
                    set_vector(start, k, e + wrinkles.strain);
                }
            }
        }
    }

    /// Moves the strain at the start on to what it comes to if it goes on as it has changed until `x`, by a part of that.
    pub(crate) fn continue_step(&mut self, corners: &[[IndexLane; 3]], x: &[f64], part: f64) {
        let before = self.starts.clone();
        self.begin_step(corners, x);
        lead(&mut self.starts, &before, part);
    }

    /// Evaluates energy, gradient and the state of the Hessian at `x`; writes the gradient on the corners \[N\] and returns
    /// the energy \[J\]. `rate` is `1/h`, by which the damping time is multiplied.
    pub(crate) fn evaluate(
        &mut self,
        corners: &[[IndexLane; 3]],
        x: &[f64],
        rate: f64,
        curvature: Curvature,
        gradient: &mut [CornerTile],
    ) -> f64 {
        match self.starts.is_empty() {
            true => self.evaluate_tiles::<false>(corners, x, rate, curvature, gradient),
            false => self.evaluate_tiles::<true>(corners, x, rate, curvature, gradient),
        }
        self.state.iter().map(|state| state.energy.iter().sum::<f64>()).sum()
    }

    /// [`Membrane::evaluate`] without the sum of the energies.
    fn evaluate_tiles<const DAMPED: bool>(
        &mut self,
        corners: &[[IndexLane; 3]],
        x: &[f64],
        rate: f64,
        curvature: Curvature,
        gradient: &mut [CornerTile],
    ) {
        let (rest, starts) = (&self.rest, &self.starts);
        let mut laws = self.laws.iter_mut();
        let tiles = self.state.iter_mut().zip(gradient);
        let mut tiles: Vec<_> = tiles.map(|(state, gradient)| (state, gradient, laws.next())).collect();
        for_tiles(
            &mut tiles,
            #[inline(always)]
            |tile, (state, gradient, law)| {
                let (rest, start) = (&rest[tile], if DAMPED { &starts[tile] } else { &[ZERO; 3] });
                let x = load_corners(&corners[tile], x);
                for k in 0..TILE {
                    evaluate_face::<DAMPED>(state, gradient, rest, start, &x, k, rate);
                }
                if let Some(law) = law {
                    law.tangent = rest.stiffness;
                    for k in 0..TILE {
                        wrinkle_face(state, gradient, law, rest, start, k, rate);
                    }
                    for k in 0..TILE {
                        stiffen_face(state, gradient, law, rest, start, k, rate);
                    }
                }
                if curvature == Curvature::Clamped {
                    for k in 0..TILE {
                        clamp_stress(state, k);
                    }
                }
            },
        );
    }

    /// Stiffness times area of the faces of a tile, without damping, at the last evaluation \[N·m\].
    fn stiffness(&self, tile: usize) -> &[Lane; 6] {
        self.laws.get(tile).map_or(&self.rest[tile].stiffness, |law| &law.tangent)
    }

    /// Faces of all tiles, those that no face fills included.
    pub(crate) fn face_limit(&self) -> usize {
        self.rest.len() * TILE
    }

    /// Writes the Hessian's blocks between the corners `k` (rows) and `k + 1` (columns) of the faces from a tile on \[N/m\].
    pub(crate) fn couple_corners(&self, first_tile: usize, rate: f64, out: &mut [[Mat3; 3]]) {
        let (rest, state) = (&self.rest, &self.state);
        let stiffness = |tile: usize| self.stiffness(tile);
        let faces_per_task = TILE * 64;
        share_out(out, faces_per_task, |first, out| {
            for (k, out) in out.chunks_mut(TILE).enumerate() {
                let tile = first_tile + first / TILE + k;
                vectorized(
                    #[inline(always)]
                    || couple_tile(&rest[tile], &state[tile], stiffness(tile), rate, out),
                );
            }
        });
    }

    /// The state of one face, for those who assemble: gradients of the hat functions, `F`, stiffness and stress.
    pub(crate) fn face(&self, fi: FaceIndex, rate: f64) -> FaceState {
        let (tile, k) = split(fi.0 as usize);
        let (rest, state) = (&self.rest[tile], &self.state[tile]);
        let b1 = DVec2::new(rest.b1[0][k], rest.b1[1][k]);
        let b2 = DVec2::new(rest.b2[0][k], rest.b2[1][k]);
        let scale = 1.0 + rest.tau[k] * rate;
        FaceState {
            gradients: [-b1 - b2, b1, b2],
            columns: [vector(&state.f1, k), vector(&state.f2, k)],
            stiffness: self.stiffness(tile).map(|entry| entry[k] * scale),
            stress: [0, 1, 2].map(|r| state.stress[r][k]),
        }
    }
}

/// The columns of `F` of one face.
#[inline(always)]
fn deform(rest: &RestTile, x: &[Lane3; 3], k: usize) -> [DVec3; 2] {
    let x0 = vector(&x[0], k);
    let (e1, e2) = (vector(&x[1], k) - x0, vector(&x[2], k) - x0);
    let f1 = e1 * rest.b1[0][k] + e2 * rest.b2[0][k];
    let f2 = e1 * rest.b1[1][k] + e2 * rest.b2[1][k];
    [f1, f2]
}

/// The Green strain in Voigt form.
#[inline(always)]
fn strain(f1: DVec3, f2: DVec3) -> DVec3 {
    DVec3::new(0.5 * (f1.dot(f1) - 1.0), 0.5 * (f2.dot(f2) - 1.0), f1.dot(f2))
}

/// Writes the forces of the stresses `p1`, `p2` along the two material axes to the corners.
#[inline(always)]
fn scatter(out: &mut CornerTile, rest: &RestTile, [p1, p2]: [DVec3; 2], k: usize) {
    let at1 = p1 * rest.b1[0][k] + p2 * rest.b1[1][k];
    let at2 = p1 * rest.b2[0][k] + p2 * rest.b2[1][k];
    set_vector(&mut out[0..3], k, -at1 - at2);
    set_vector(&mut out[3..6], k, at1);
    set_vector(&mut out[6..9], k, at2);
}

/// Evaluates a face that bears any compression.
#[inline(always)]
fn evaluate_face<const DAMPED: bool>(
    state: &mut StateTile,
    gradient: &mut CornerTile,
    rest: &RestTile,
    start: &Lane3,
    x: &[Lane3; 3],
    k: usize,
    rate: f64,
) {
    let [f1, f2] = deform(rest, x, k);
    let e = strain(f1, f2);
    let mut s = multiply(&rest.stiffness, e, k, 1.0);
    state.energy[k] = 0.5 * e.dot(s);
    if DAMPED {
        let change = e - vector(start, k);
        let viscous = multiply(&rest.stiffness, change, k, 1.0) * (rest.tau[k] * rate);
        state.energy[k] = 0.5 * (e.dot(s) + change.dot(viscous));
        s += viscous;
    }
    set_vector(&mut state.f1, k, f1);
    set_vector(&mut state.f2, k, f2);
    set_vector(&mut state.stress, k, s);
    scatter(gradient, rest, [f1 * s.x + f2 * s.z, f2 * s.y + f1 * s.z], k);
}

/// Lets an evaluated face wrinkle if it is compressed by more than it bears. Damping acts on the strain without wrinkles:
/// the viscous stress is part of what makes it buckle.
#[inline(always)]
fn wrinkle_face(
    state: &mut StateTile,
    gradient: &mut CornerTile,
    law: &mut LawTile,
    rest: &RestTile,
    start: &Lane3,
    k: usize,
    rate: f64,
) {
    let trial = vector(&state.stress, k) + vector(&law.critical, k);
    let spread = (trial.x - trial.y) * (trial.x - trial.y) + 4.0 * trial.z * trial.z;
    // The common case first; whoever wrinkles decides by the same test in other words.
    if trial.x + trial.y < 0.0 || (trial.x + trial.y) * (trial.x + trial.y) < spread {
        wrinkle_compressed_face(state, gradient, law, rest, start, k, rate);
    }
}

/// [`wrinkle_face`] where it may be.
#[inline(never)]
fn wrinkle_compressed_face(
    state: &mut StateTile,
    gradient: &mut CornerTile,
    law: &mut LawTile,
    rest: &RestTile,
    start: &Lane3,
    k: usize,
    rate: f64,
) {
    let ratio = rest.tau[k] * rate;
    let stiffness: Stiffness = rest.stiffness.map(|entry| entry[k] * (1.0 + ratio));
    let (stress, critical) = (vector(&state.stress, k), vector(&law.critical, k));
    let Some(wrinkles) = find_wrinkles(&stiffness, stress + critical) else { return };
    let (f1, f2) = (vector(&state.f1, k), vector(&state.f2, k));
    let p = wrinkles.strain;
    let e = strain(f1, f2) + p;
    let change = e - vector(start, k);
    let (elastic, viscous) =
        (multiply(&rest.stiffness, e, k, 1.0), multiply(&rest.stiffness, change, k, 1.0) * ratio);
    state.energy[k] = 0.5 * (e.dot(elastic) + change.dot(viscous)) + critical.dot(p);
    let s = elastic + viscous;
    set_vector(&mut state.stress, k, s);
    scatter(gradient, rest, [f1 * s.x + f2 * s.z, f2 * s.y + f1 * s.z], k);
    let tangent = wrinkles.tangent(&stiffness);
    for (lane, entry) in law.tangent.iter_mut().zip(tangent) {
        lane[k] = entry / (1.0 + ratio);
    }
}

/// Adds what stiffens an evaluated face. Damping resists the change of the stress `S`, whatever the stiffness is where it changes: in a
/// step from `E₀` by `τ/h (S(E) − S(E₀))`, which is the gradient of `τ/h (W(E) − W(E₀) − S(E₀) (E − E₀))`.
#[inline(always)]
fn stiffen_face(
    state: &mut StateTile,
    gradient: &mut CornerTile,
    law: &mut LawTile,
    rest: &RestTile,
    start: &Lane3,
    k: usize,
    rate: f64,
) {
    let (f1, f2) = (vector(&state.f1, k), vector(&state.f2, k));
    let (e, begun, ratio) = (strain(f1, f2), vector(start, k), rest.tau[k] * rate);
    let mut s = vector(&state.stress, k);
    for axis in 0..2 {
        let (slope, end) = (law.slope[axis][k], law.end[axis][k]);
        let (now, before) = (respond(e[axis], slope, end), respond(begun[axis], slope, end));
        let work = now.energy - before.energy - before.stress * (e[axis] - begun[axis]);
        state.energy[k] += now.energy + ratio * work;
        s[axis] += now.stress + ratio * (now.stress - before.stress);
        // As all of it, it is multiplied by `1 + τ/h` later.
        law.tangent[3 * axis][k] += now.tangent;
    }
    set_vector(&mut state.stress, k, s);
    scatter(gradient, rest, [f1 * s.x + f2 * s.z, f2 * s.y + f1 * s.z], k);
}

/// Replaces the stress by its positive part.
#[inline(always)]
fn clamp_stress(state: &mut StateTile, k: usize) {
    let [s11, s22, s12] = &mut state.stress;
    let (mean, half) = (0.5 * (s11[k] + s22[k]), 0.5 * (s11[k] - s22[k]));
    let radius = (half * half + s12[k] * s12[k]).sqrt();
    let (high, low) = (mean + radius, mean - radius);
    let (high, low) = (if high > 0.0 { high } else { 0.0 }, if low > 0.0 { low } else { 0.0 });
    // S₊ = low I + (high − low) u uᵀ with 2 u uᵀ = I + (S − mean I)/radius.
    let scale = 0.5 * (high - low) / (radius + f64::MIN_POSITIVE);
    let base = 0.5 * (high + low);
    s11[k] = base + scale * half;
    s22[k] = base - scale * half;
    s12[k] *= scale;
}

/// The blocks between the corners of the faces of a tile.
#[inline(always)]
fn couple_tile(rest: &RestTile, state: &StateTile, stiffness: &[Lane; 6], rate: f64, out: &mut [[Mat3; 3]]) {
    let mut blocks = [[ZERO; 9]; 3];
    for k in 0..TILE {
        couple_face(&mut blocks, rest, state, stiffness, k, rate);
    }
    for (k, out) in out.iter_mut().enumerate() {
        for pair in 0..3 {
            (0..9).for_each(|e| out[pair][e] = blocks[pair][e][k]);
        }
    }
}

/// The blocks of one face: `J_aᵀ D J_b = Σ m_kl f_k f_lᵀ` plus the stress. [`FaceState::couple`] is the same for one face; by it
/// the compiler does not take the lanes together, and an iteration takes a third longer.
#[inline(always)]
fn couple_face(
    out: &mut [[Lane; 9]; 3],
    rest: &RestTile,
    state: &StateTile,
    stiffness: &[Lane; 6],
    k: usize,
    rate: f64,
) {
    let scale = 1.0 + rest.tau[k] * rate;
    let [d00, d01, d02, d11, d12, d22] = stiffness;
    let (d00, d01, d02) = (d00[k] * scale, d01[k] * scale, d02[k] * scale);
    let (d11, d12, d22) = (d11[k] * scale, d12[k] * scale, d22[k] * scale);
    let (f1, f2) = (vector(&state.f1, k), vector(&state.f2, k));
    let (b1x, b1y, b2x, b2y) = (rest.b1[0][k], rest.b1[1][k], rest.b2[0][k], rest.b2[1][k]);
    let gradients = [(-b1x - b2x, -b1y - b2y), (b1x, b1y), (b2x, b2y)];
    for pair in 0..3 {
        let ((ax, ay), (bx, by)) = (gradients[pair], gradients[(pair + 1) % 3]);
        let m11 = ax * (d00 * bx + d02 * by) + ay * (d02 * bx + d22 * by);
        let m12 = ax * (d01 * by + d02 * bx) + ay * (d12 * by + d22 * bx);
        let m21 = ay * (d01 * bx + d12 * by) + ax * (d02 * bx + d22 * by);
        let m22 = ay * (d11 * by + d12 * bx) + ax * (d12 * by + d22 * bx);
        let [s11, s22, s12] = [state.stress[0][k], state.stress[1][k], state.stress[2][k]];
        let geometric = ax * (s11 * bx + s12 * by) + ay * (s12 * bx + s22 * by);
        let (left, right) = (f1 * m11 + f2 * m21, f1 * m12 + f2 * m22);
        let columns = [left * f1.x + right * f2.x, left * f1.y + right * f2.y, left * f1.z + right * f2.z];
        for c in 0..3 {
            set_vector(&mut out[pair][3 * c..3 * c + 3], k, columns[c]);
            out[pair][4 * c][k] += geometric;
        }
    }
}
