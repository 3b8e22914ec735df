//! The membrane of one face at a point: the blocks of the Hessian between its corners.

use glam::{DMat3, DVec2, DVec3};

/// The state of the membrane of one face.
#[derive(Clone, Copy, Debug)]
pub(crate) struct FaceState {
    /// Gradients of the hat functions \[1/m\].
    pub gradients: [DVec2; 3],
    /// The columns of the deformation gradient.
    pub columns: [DVec3; 2],
    /// Stiffness times area \[N·m\], damping included: entries 00, 01, 02, 11, 12, 22.
    pub stiffness: [f64; 6],
    /// Stress times area \[N·m\]: 11, 22, 12.
    pub stress: [f64; 3],
}

impl FaceState {
    /// Returns whether the face does not resist at all.
    pub(crate) fn is_zero(&self) -> bool {
        self.stiffness[0] == 0.0
    }

    /// The 3×3 block of the Hessian \[N/m\] between two vertices, or two functions, of given gradients \[1/m\].
    #[inline]
    pub(crate) fn couple(&self, a: DVec2, b: DVec2) -> DMat3 {
        let [f1, f2] = self.columns;
        let [d00, d01, d02, d11, d12, d22] = self.stiffness;
        // Rows of J: f1 a.x, f2 a.y, f1 a.y + f2 a.x, so J_aᵀ D J_b = Σ m_kl f_k f_lᵀ.
        let m11 = a.x * (d00 * b.x + d02 * b.y) + a.y * (d02 * b.x + d22 * b.y);
        let m12 = a.x * (d01 * b.y + d02 * b.x) + a.y * (d12 * b.y + d22 * b.x);
        let m21 = a.y * (d01 * b.x + d12 * b.y) + a.x * (d02 * b.x + d22 * b.y);
        let m22 = a.y * (d11 * b.y + d12 * b.x) + a.x * (d12 * b.y + d22 * b.x);
        let [s11, s22, s12] = self.stress;
        let geometric = a.x * (s11 * b.x + s12 * b.y) + a.y * (s12 * b.x + s22 * b.y);
        let (left, right) = (f1 * m11 + f2 * m21, f1 * m12 + f2 * m22);
        let mut block = DMat3::from_cols(
            left * f1.x + right * f2.x,
            left * f1.y + right * f2.y,
            left * f1.z + right * f2.z,
        );
        block.x_axis.x += geometric;
        block.y_axis.y += geometric;
        block.z_axis.z += geometric;
        block
    }
}
