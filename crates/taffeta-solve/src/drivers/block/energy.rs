//! Strain energies, four triangles at a time. [`crate::block::StrainEnergy`] is the oracle.

use super::kernels::{StrainLanes, Sym3x4, pack_sym3};
use super::scalar_dual::ScalarDual;
use super::sets::SweptLanes;
use crate::block::{EnergyForm, StrainEnergy};
use crate::drivers::lanes::{SweepStep, pack};
use taffeta_core::lanes::{F64x4, LANES, Vec3x4};

/// Four strain-energy blocks.
#[derive(Clone, Debug)]
pub struct EnergyLanes {
    strain: StrainLanes,
    /// Membrane stiffness \[N/m\].
    stiffness: Sym3x4,
    /// 1 where the constraint is the published one, 0 where it is the root.
    published: F64x4,
    dual: ScalarDual,
}

/// Constraint, its derivatives by the rows of the strain, and the columns of `F`.
struct Evaluation {
    constraint: F64x4,
    slope: [F64x4; 3],
    columns: [Vec3x4; 2],
}

impl SweptLanes<1, 3> for EnergyLanes {
    type Block = StrainEnergy;

    fn pack(blocks: [&StrainEnergy; LANES]) -> Self {
        let is_published = |lane: usize| blocks[lane].form == EnergyForm::Published;
        let alpha = pack(|lane| blocks[lane].compliance);
        Self {
            strain: StrainLanes::pack(blocks.map(|block| &block.strain)),
            stiffness: pack_sym3(|lane| blocks[lane].strain.elasticity.stiffness),
            published: pack(|lane| f64::from(u8::from(is_published(lane)))),
            dual: ScalarDual::new(alpha, pack(|lane| blocks[lane].strain.damping)),
        }
    }

    #[inline(always)]
    fn record_start(&mut self, x: &[Vec3x4; 3]) {
        self.dual.start = self.evaluate(x).constraint;
    }

    #[inline(always)]
    fn update<const DAMPED: bool>(
        &mut self,
        x: &[Vec3x4; 3],
        w: &[F64x4; 3],
        step: &SweepStep,
    ) -> [Vec3x4; 3] {
        let (c, gradients) = self.linearize(x);
        self.dual.update::<DAMPED, 3>(c, gradients, x, w, step)
    }
}

impl EnergyLanes {
    #[inline(always)]
    fn evaluate(&self, x: &[Vec3x4; 3]) -> Evaluation {
        let (columns, _, c) = self.strain.evaluate(x);
        let k = &self.stiffness;
        let stress = [
            k[0] * c[0] + k[1] * c[1] + k[2] * c[2],
            k[1] * c[0] + k[3] * c[1] + k[4] * c[2],
            k[2] * c[0] + k[4] * c[1] + k[5] * c[2],
        ];
        let (zero, one, half) = (F64x4::splat(0.0), F64x4::splat(1.0), F64x4::splat(0.5));
        let doubled = (c[0] * stress[0] + c[1] * stress[1] + c[2] * stress[2]).max(zero);
        let root = doubled.sqrt();
        // At rest the root has no gradient; there is nothing to correct there either.
        let slope = root.select_greater(zero, one / root.max(F64x4::splat(f64::MIN_POSITIVE)), zero);
        let inverse = one / self.strain.root;
        let slope = self.published.select_greater(half, inverse + inverse, slope);
        Evaluation {
            constraint: self.published.select_greater(half, doubled * inverse, root),
            slope: stress.map(|s| s * slope),
            columns,
        }
    }

    /// Constraint and gradients.
    #[inline(always)]
    pub(crate) fn linearize(&self, x: &[Vec3x4; 3]) -> (F64x4, [Vec3x4; 3]) {
        let Evaluation { constraint, slope, columns: [f1, f2] } = self.evaluate(x);
        let gradients = self.strain.hat_gradients().map(|b| {
            let along1 = (slope[0] * b[0] + slope[2] * b[1]) * self.strain.root;
            let along2 = (slope[1] * b[1] + slope[2] * b[0]) * self.strain.root;
            f1 * along1 + f2 * along2
        });
        (constraint, gradients)
    }
}
