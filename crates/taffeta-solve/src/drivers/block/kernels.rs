//! The block updates of `formulation`, four elements at a time.
//!
//! Each kernel is the 3×3 (or 1×1) Newton step on the dual function, `(A + α̃) Δλ = −(C + α̃ λ)`, with `A = J M⁻¹ Jᵀ`
//! written out. The scalar [`crate::block::block_update`] is their oracle.

use super::scalar_dual::ScalarDual;
use super::sets::SweptLanes;
use crate::block::hinge::AREA_FLOOR;
use crate::block::{Block, EdgeLengths, GreenStrain, Hinge};
use crate::drivers::lanes::{SweepStep, pack};
use crate::matrices::UPPER;
use nalgebra::Matrix3;
use taffeta_core::lanes::{F64x4, LANES, Vec3x4};

/// The six different entries of a symmetric 3×3 matrix: 00, 01, 02, 11, 12, 22.
pub(super) type Sym3x4 = [F64x4; 6];

/// Packs the upper triangles of four matrices.
pub(super) fn pack_sym3(matrix: impl Fn(usize) -> Matrix3<f64>) -> Sym3x4 {
    UPPER.map(|entry| pack(|lane| matrix(lane)[entry]))
}

/// λ and the damping of a three-row block.
#[derive(Clone, Copy, Debug, Default)]
pub struct Dual3 {
    pub(super) lambda: [F64x4; 3],
    /// Constraint at the start of the substep.
    pub(super) start: [F64x4; 3],
    /// Damping time constant \[s\].
    pub(super) tau: F64x4,
}

impl Dual3 {
    /// λ = 0 and the damping time constants \[s\].
    pub(super) fn new(tau: F64x4) -> Self {
        Self { tau, ..Self::default() }
    }
}

/// Solves `M x = b` for a symmetric positive definite `M` by LDLᵀ.
#[inline(always)]
fn solve_sym3(m: &Sym3x4, b: [F64x4; 3]) -> [F64x4; 3] {
    let one = F64x4::splat(1.0);
    let i0 = one / m[0];
    let (l10, l20) = (m[1] * i0, m[2] * i0);
    let d1 = m[3] - l10 * m[1];
    let t21 = m[4] - l20 * m[1];
    let i1 = one / d1;
    let l21 = t21 * i1;
    let d2 = m[5] - l20 * m[2] - l21 * t21;
    let y1 = b[1] - l10 * b[0];
    let y2 = b[2] - l20 * b[0] - l21 * y1;
    let x2 = y2 / d2;
    let x1 = y1 * i1 - l21 * x2;
    let x0 = b[0] * i0 - l10 * x1 - l20 * x2;
    [x0, x1, x2]
}

/// The step of the dual variable for constraint `c`, matrix `a = J M⁻¹ Jᵀ` and compliance `alpha`; updates λ.
#[inline(always)]
pub(super) fn dual_step<const DAMPED: bool>(
    dual: &mut Dual3,
    c: [F64x4; 3],
    a: Sym3x4,
    alpha: &Sym3x4,
    step: &SweepStep,
) -> [F64x4; 3] {
    let zero = F64x4::splat(0.0);
    let mut at = *alpha;
    for entry in &mut at {
        *entry = *entry * step.inverse_h2;
    }
    let mut rhs = [zero - c[0], zero - c[1], zero - c[2]];
    if !step.first {
        let l = dual.lambda;
        rhs[0] = rhs[0] - (at[0] * l[0] + at[1] * l[1] + at[2] * l[2]);
        rhs[1] = rhs[1] - (at[1] * l[0] + at[3] * l[1] + at[4] * l[2]);
        rhs[2] = rhs[2] - (at[2] * l[0] + at[4] * l[1] + at[5] * l[2]);
    }
    let mut matrix: Sym3x4 = a;
    if DAMPED {
        let ratio = dual.tau * step.inverse_h;
        let scale = F64x4::splat(1.0) / (F64x4::splat(1.0) + ratio);
        for r in 0..3 {
            rhs[r] = (rhs[r] - ratio * (c[r] - dual.start[r])) * scale;
        }
        for k in 0..6 {
            matrix[k] = matrix[k] + at[k] * scale;
        }
    } else {
        for k in 0..6 {
            matrix[k] = matrix[k] + at[k];
        }
    }
    let delta = solve_sym3(&matrix, rhs);
    for (lambda, delta) in dual.lambda.iter_mut().zip(delta) {
        *lambda = if step.first { delta } else { *lambda + delta };
    }
    delta
}

/// Four Green-strain blocks.
#[derive(Clone, Debug)]
pub struct StrainLanes {
    /// Gradients of the hat functions of corners 1 and 2 \[1/m\]; those of corner 0 are minus their sum.
    b1: [F64x4; 2],
    b2: [F64x4; 2],
    /// `√A` \[m\].
    pub(super) root: F64x4,
    pub(super) alpha: Sym3x4,
    pub(super) dual: Dual3,
}

impl SweptLanes<3, 3> for StrainLanes {
    type Block = GreenStrain;

    fn pack(blocks: [&GreenStrain; LANES]) -> Self {
        let gradient = |a: usize| [0, 1].map(|axis| pack(|lane| blocks[lane].gradients[a][axis]));
        Self {
            b1: gradient(1),
            b2: gradient(2),
            root: pack(|lane| blocks[lane].area.sqrt()),
            alpha: pack_sym3(|lane| blocks[lane].compliance()),
            dual: Dual3::new(pack(|lane| blocks[lane].damping)),
        }
    }

    #[inline(always)]
    fn record_start(&mut self, x: &[Vec3x4; 3]) {
        self.dual.start = self.evaluate(x).2;
    }

    #[inline(always)]
    fn update<const DAMPED: bool>(
        &mut self,
        x: &[Vec3x4; 3],
        w: &[F64x4; 3],
        step: &SweepStep,
    ) -> [Vec3x4; 3] {
        let (columns, c, a) = self.linearize(x, w);
        let alpha = self.alpha;
        let d = dual_step::<DAMPED>(&mut self.dual, c, a, &alpha, step);
        self.displace(x, w, columns, d)
    }
}

impl StrainLanes {
    /// Gradients of the hat functions of all corners \[1/m\].
    #[inline(always)]
    pub(super) fn hat_gradients(&self) -> [[F64x4; 2]; 3] {
        let zero = F64x4::splat(0.0);
        let b0 = [zero - self.b1[0] - self.b2[0], zero - self.b1[1] - self.b2[1]];
        [b0, self.b1, self.b2]
    }

    /// The columns of `F`, their dot products, and the constraint.
    #[inline(always)]
    pub(super) fn evaluate(&self, x: &[Vec3x4; 3]) -> ([Vec3x4; 2], [F64x4; 3], [F64x4; 3]) {
        let (e1, e2) = (x[1] - x[0], x[2] - x[0]);
        let f1 = e1 * self.b1[0] + e2 * self.b2[0];
        let f2 = e1 * self.b1[1] + e2 * self.b2[1];
        let gram = [f1.dot(f1), f1.dot(f2), f2.dot(f2)];
        let half_root = F64x4::splat(0.5) * self.root;
        let one = F64x4::splat(1.0);
        let c = [(gram[0] - one) * half_root, (gram[2] - one) * half_root, gram[1] * self.root];
        ([f1, f2], gram, c)
    }

    /// The columns of `F`, the constraint, and `J M⁻¹ Jᵀ`.
    #[inline(always)]
    pub(super) fn linearize(&self, x: &[Vec3x4; 3], w: &[F64x4; 3]) -> ([Vec3x4; 2], [F64x4; 3], Sym3x4) {
        let (columns, [g11, g12, g22], c) = self.evaluate(x);
        let b = self.hat_gradients();
        // S_kl = A Σ_a w_a B_ak B_al
        let sum = |k: usize, l: usize| {
            let s = w[0] * b[0][k] * b[0][l] + w[1] * b[1][k] * b[1][l] + w[2] * b[2][k] * b[2][l];
            s * self.root * self.root
        };
        let (s11, s12, s22) = (sum(0, 0), sum(0, 1), sum(1, 1));
        let a = [
            g11 * s11,
            g12 * s12,
            g12 * s11 + g11 * s12,
            g22 * s22,
            g22 * s12 + g12 * s22,
            g22 * s11 + g12 * s12 + g12 * s12 + g11 * s22,
        ];
        (columns, c, a)
    }

    /// The positions after a step `d` of the multipliers: `x + M⁻¹ Jᵀ d`.
    #[inline(always)]
    pub(super) fn displace(
        &self,
        x: &[Vec3x4; 3],
        w: &[F64x4; 3],
        [f1, f2]: [Vec3x4; 2],
        d: [F64x4; 3],
    ) -> [Vec3x4; 3] {
        let b = self.hat_gradients();
        let mut moved = *x;
        for v in 0..3 {
            let scale = w[v] * self.root;
            let along1 = (d[0] * b[v][0] + d[2] * b[v][1]) * scale;
            let along2 = (d[1] * b[v][1] + d[2] * b[v][0]) * scale;
            moved[v] = x[v] + f1 * along1 + f2 * along2;
        }
        moved
    }
}

/// Four edge-length blocks.
#[derive(Clone, Debug)]
pub struct LengthLanes {
    /// Rest lengths \[m\].
    lengths: [F64x4; 3],
    alpha: Sym3x4,
    dual: Dual3,
}

impl SweptLanes<3, 3> for LengthLanes {
    type Block = EdgeLengths;

    fn pack(blocks: [&EdgeLengths; LANES]) -> Self {
        Self {
            lengths: [0, 1, 2].map(|k| pack(|lane| blocks[lane].lengths[k])),
            alpha: pack_sym3(|lane| blocks[lane].compliance),
            dual: Dual3::new(pack(|lane| blocks[lane].damping)),
        }
    }

    #[inline(always)]
    fn record_start(&mut self, x: &[Vec3x4; 3]) {
        self.dual.start = self.evaluate(x).1;
    }

    #[inline(always)]
    fn update<const DAMPED: bool>(
        &mut self,
        x: &[Vec3x4; 3],
        w: &[F64x4; 3],
        step: &SweepStep,
    ) -> [Vec3x4; 3] {
        let (t, c) = self.evaluate(x);
        let zero = F64x4::splat(0.0);
        let a = [
            w[0] + w[1],
            zero - w[1] * t[0].dot(t[1]),
            zero - w[0] * t[0].dot(t[2]),
            w[1] + w[2],
            zero - w[2] * t[1].dot(t[2]),
            w[2] + w[0],
        ];
        let alpha = self.alpha;
        let d = dual_step::<DAMPED>(&mut self.dual, c, a, &alpha, step);
        [
            x[0] + (t[2] * d[2] - t[0] * d[0]) * w[0],
            x[1] + (t[0] * d[0] - t[1] * d[1]) * w[1],
            x[2] + (t[1] * d[1] - t[2] * d[2]) * w[2],
        ]
    }
}

impl LengthLanes {
    #[inline(always)]
    fn evaluate(&self, x: &[Vec3x4; 3]) -> ([Vec3x4; 3], [F64x4; 3]) {
        let mut units = [x[1] - x[0], x[2] - x[1], x[0] - x[2]];
        let mut c = [F64x4::default(); 3];
        for k in 0..3 {
            let length = units[k].dot(units[k]).sqrt().max(F64x4::splat(f64::MIN_POSITIVE));
            units[k] = units[k] * (F64x4::splat(1.0) / length);
            c[k] = length - self.lengths[k];
        }
        (units, c)
    }
}

/// Four hinge blocks.
#[derive(Clone, Debug)]
pub struct HingeLanes {
    scale: F64x4,
    rest_angle: F64x4,
    /// Squared area floors of the two faces \[m⁴\].
    floors: [F64x4; 2],
    /// The unwrapped angle last seen \[rad\].
    angle: F64x4,
    dual: ScalarDual,
}

impl SweptLanes<1, 4> for HingeLanes {
    type Block = Hinge;

    fn pack(blocks: [&Hinge; LANES]) -> Self {
        let floor = |k: usize| pack(|lane| (AREA_FLOOR * blocks[lane].doubled_areas[k]).powi(2));
        Self {
            scale: pack(|lane| blocks[lane].scale),
            rest_angle: pack(|lane| blocks[lane].rest_angle),
            floors: [floor(0), floor(1)],
            angle: pack(|lane| blocks[lane].reference),
            dual: ScalarDual::new(
                pack(|lane| blocks[lane].compliance()[(0, 0)]),
                pack(|lane| blocks[lane].damping),
            ),
        }
    }

    #[inline(always)]
    fn record_start(&mut self, x: &[Vec3x4; 4]) {
        self.measure(x);
        self.dual.start = self.scale * (self.angle - self.rest_angle);
    }

    #[inline(always)]
    fn update<const DAMPED: bool>(
        &mut self,
        x: &[Vec3x4; 4],
        w: &[F64x4; 4],
        step: &SweepStep,
    ) -> [Vec3x4; 4] {
        let (c, gradients) = self.evaluate(x);
        self.dual.update::<DAMPED, 4>(c, gradients, x, w, step)
    }
}

impl HingeLanes {
    /// The unwrapped angle of one lane \[rad\].
    pub fn angle(&self, lane: usize) -> f64 {
        self.angle.0[lane]
    }

    /// Continues the angle to positions `x` and returns the two normals, the edge's direction and its length.
    #[inline(always)]
    fn measure(&mut self, x: &[Vec3x4; 4]) -> ([Vec3x4; 2], Vec3x4, F64x4) {
        let [p, q, a, b] = *x;
        let (n0, n1) = ((a - p).cross(a - q), (b - q).cross(b - p));
        let edge = q - p;
        let length = edge.dot(edge).sqrt().max(F64x4::splat(f64::MIN_POSITIVE));
        let e = edge * (F64x4::splat(1.0) / length);
        let wrapped = F64x4::atan2(e.dot(n1.cross(n0)), n0.dot(n1));
        let turn = F64x4::splat(std::f64::consts::TAU);
        self.angle =
            wrapped + turn * ((self.angle - wrapped) * F64x4::splat(1.0 / std::f64::consts::TAU)).round();
        ([n0, n1], e, length)
    }

    /// Constraint and gradients; continues the angle to positions `x` \[m\].
    #[inline(always)]
    pub(in crate::drivers) fn evaluate(&mut self, x: &[Vec3x4; 4]) -> (F64x4, [Vec3x4; 4]) {
        let ([n0, n1], e, length) = self.measure(x);
        let [p, q, a, b] = *x;
        let g0 = n0 * (self.scale / n0.dot(n0).max(self.floors[0]));
        let g1 = n1 * (self.scale / n1.dot(n1).max(self.floors[1]));
        let zero = F64x4::splat(0.0);
        let gradients = [
            g0 * (a - q).dot(e) + g1 * (b - q).dot(e),
            g0 * (zero - (a - p).dot(e)) - g1 * (b - p).dot(e),
            g0 * length,
            g1 * length,
        ];
        (self.scale * (self.angle - self.rest_angle), gradients)
    }
}
