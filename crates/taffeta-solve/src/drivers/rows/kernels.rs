//! The rows of the blocks, four elements at a time.

use super::batches::RowKernel;
use super::element::RowElement;
use crate::block::{Distance, EdgeLengths, GreenStrain, Hinge, StrainEnergy};
use crate::drivers::block::energy::EnergyLanes;
use crate::drivers::block::kernels::HingeLanes;
use crate::drivers::block::sets::SweptLanes;
use crate::drivers::lanes::pack;
use taffeta_core::lanes::{F64x4, LANES, Vec3x4};

/// `Q` of four elements: column `r` makes row `r`.
type Basis = [[F64x4; 3]; 3];

/// Packs `Q`, scaled element by element.
fn pack_basis<B>(elements: &[&RowElement<B, 3>; LANES], scale: impl Fn(&B) -> f64) -> Basis {
    let entry =
        |r: usize, row: usize| pack(|lane| scale(&elements[lane].block) * elements[lane].basis[(r, row)]);
    [0, 1, 2].map(|row| [0, 1, 2].map(|r| entry(r, row)))
}

/// Direction and length \[m\] of an edge; no direction where its ends coincide.
#[inline(always)]
fn measure(edge: Vec3x4) -> (Vec3x4, F64x4) {
    let length = edge.dot(edge).sqrt();
    (edge * (F64x4::splat(1.0) / length.max(F64x4::splat(f64::MIN_POSITIVE))), length)
}

#[inline(always)]
fn minus(x: Vec3x4) -> Vec3x4 {
    Vec3x4 { x: -x.x, y: -x.y, z: -x.z }
}

/// Four lengths.
#[derive(Clone, Debug)]
pub struct DistanceRows {
    /// Rest lengths \[m\].
    lengths: F64x4,
}

impl RowKernel<1, 2> for DistanceRows {
    type Block = Distance;

    fn pack(elements: [&RowElement<Distance, 1>; LANES]) -> Self {
        Self { lengths: pack(|lane| elements[lane].block.length) }
    }

    #[inline(always)]
    fn row(&mut self, _row: usize, x: &[Vec3x4; 2]) -> (F64x4, [Vec3x4; 2]) {
        let (direction, length) = measure(x[1] - x[0]);
        (length - self.lengths, [minus(direction), direction])
    }
}

/// Four Green strains.
#[derive(Clone, Debug)]
pub struct StrainRows {
    /// Gradients of the hat functions of corners 1 and 2 \[1/m\]; those of corner 0 are minus their sum.
    b: [[F64x4; 2]; 2],
    /// `√A Q` \[m\].
    basis: Basis,
}

impl RowKernel<3, 3> for StrainRows {
    type Block = GreenStrain;

    fn pack(elements: [&RowElement<GreenStrain, 3>; LANES]) -> Self {
        let b = |v: usize, axis: usize| pack(|lane| elements[lane].block.gradients[v][axis]);
        Self {
            b: [[b(1, 0), b(1, 1)], [b(2, 0), b(2, 1)]],
            basis: pack_basis(&elements, |block| block.area.sqrt()),
        }
    }

    /// With `q` a column of `√A Q`: `C = q · (E₁₁, E₂₂, 2E₁₂)`, and the gradient of corner `a` is
    /// `F₁ (q₁ B_a1 + q₃ B_a2) + F₂ (q₂ B_a2 + q₃ B_a1)`.
    #[inline(always)]
    fn row(&mut self, row: usize, x: &[Vec3x4; 3]) -> (F64x4, [Vec3x4; 3]) {
        let [b1, b2] = self.b;
        let q = self.basis[row];
        let (e1, e2) = (x[1] - x[0], x[2] - x[0]);
        let f1 = e1 * b1[0] + e2 * b2[0];
        let f2 = e1 * b1[1] + e2 * b2[1];
        let (half, one) = (F64x4::splat(0.5), F64x4::splat(1.0));
        let normal = half * (q[0] * (f1.dot(f1) - one) + q[1] * (f2.dot(f2) - one));
        let gradient = |b: [F64x4; 2]| f1 * (q[0] * b[0] + q[2] * b[1]) + f2 * (q[1] * b[1] + q[2] * b[0]);
        let (g1, g2) = (gradient(b1), gradient(b2));
        (normal + q[2] * f1.dot(f2), [minus(g1 + g2), g1, g2])
    }
}

/// The lengths of the edges of four triangles.
#[derive(Clone, Debug)]
pub struct LengthRows {
    /// Rest lengths \[m\].
    lengths: [F64x4; 3],
    basis: Basis,
}

impl RowKernel<3, 3> for LengthRows {
    type Block = EdgeLengths;

    fn pack(elements: [&RowElement<EdgeLengths, 3>; LANES]) -> Self {
        Self {
            lengths: [0, 1, 2].map(|k| pack(|lane| elements[lane].block.lengths[k])),
            basis: pack_basis(&elements, |_| 1.0),
        }
    }

    #[inline(always)]
    fn row(&mut self, row: usize, x: &[Vec3x4; 3]) -> (F64x4, [Vec3x4; 3]) {
        let q = self.basis[row];
        let [(a, la), (b, lb), (c, lc)] = [measure(x[1] - x[0]), measure(x[2] - x[1]), measure(x[0] - x[2])];
        let l = &self.lengths;
        let (a, b, c) = (a * q[0], b * q[1], c * q[2]);
        (q[0] * (la - l[0]) + q[1] * (lb - l[1]) + q[2] * (lc - l[2]), [c - a, a - b, b - c])
    }
}

impl RowKernel<1, 3> for EnergyLanes {
    type Block = StrainEnergy;

    fn pack(elements: [&RowElement<StrainEnergy, 1>; LANES]) -> Self {
        SweptLanes::pack(elements.map(|element| &element.block))
    }

    #[inline(always)]
    fn row(&mut self, _row: usize, x: &[Vec3x4; 3]) -> (F64x4, [Vec3x4; 3]) {
        self.linearize(x)
    }
}

impl RowKernel<1, 4> for HingeLanes {
    type Block = Hinge;

    fn pack(elements: [&RowElement<Hinge, 1>; LANES]) -> Self {
        SweptLanes::pack(elements.map(|element| &element.block))
    }

    #[inline(always)]
    fn row(&mut self, _row: usize, x: &[Vec3x4; 4]) -> (F64x4, [Vec3x4; 4]) {
        self.evaluate(x)
    }
}
