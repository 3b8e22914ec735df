//! Volumes inside closed cloths under the solvers that sweep: one scalar row each, on all vertices of a component.
//!
//! Such a row is dense: it is taken by one thread, after everything else of a sweep.

use crate::block::EnclosedVolume;
use taffeta_core::index::DenseIndex;
use taffeta_core::lanes::Row;

/// The volumes with their multipliers.
#[derive(Clone, Debug, Default)]
pub(crate) struct EnclosedSweeps {
    volumes: Vec<EnclosedVolume>,
    lambdas: Vec<f64>,
}

impl EnclosedSweeps {
    pub(super) fn new(volumes: &[EnclosedVolume]) -> Self {
        Self { volumes: volumes.to_vec(), lambdas: vec![0.0; volumes.len()] }
    }

    /// The volumes with their targets and pressures.
    pub(super) fn volumes_mut(&mut self) -> &mut [EnclosedVolume] {
        &mut self.volumes
    }

    /// Updates every row once in a substep of length `h` \[s\]; in its first sweep the multipliers are zero.
    pub(super) fn sweep(&mut self, rows: &mut [Row], h: f64, is_first: bool) {
        for (volume, lambda) in self.volumes.iter_mut().zip(&mut self.lambdas) {
            if is_first {
                *lambda = 0.0;
            }
            let row = |vi: &taffeta_core::VertexIndex| rows[vi.to_usize()];
            let x: Vec<_> = volume.vertices.iter().map(|vi| row(vi).position()).collect();
            let inverse_masses: Vec<_> = volume.vertices.iter().map(|vi| row(vi).inverse_mass).collect();
            let (change, moved) = volume.update(&x, &inverse_masses, *lambda, h);
            *lambda += change;
            volume.pressure = *lambda / (h * h);
            for ((vi, x), moved) in volume.vertices.iter().zip(&x).zip(moved) {
                rows[vi.to_usize()].position = (*x + moved).to_array();
            }
        }
    }
}
