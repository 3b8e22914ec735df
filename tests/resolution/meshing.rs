//! The meshes of a sheet that are compared.

use glam::{DVec2, DVec3};
use taffeta::core::TriangleMesh;
use taffeta::io::{GridPattern, grid};
use taffeta::remesh::RemeshSettings;
use taffeta::sim::{ClothDescription, World};
use taffeta::study::study::Deviation;
use taffeta::study::validate::position;
use taffeta_fixtures::tier;

/// Mesh of a sheet.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum Meshing {
    /// A grid with so many cells along a side.
    Fixed(GridPattern, u32),
    /// Remeshed with edges of this part of a side at the smallest.
    Adaptive(u32),
}

use Meshing::{Adaptive, Fixed};

/// The patterns that are compared.
pub(super) const PATTERNS: [GridPattern; 3] =
    [GridPattern::Alternating, GridPattern::Diagonal, GridPattern::Crossed];

impl Meshing {
    /// The three patterns and the adaptive mesh at a resolution.
    fn all(cells: u32) -> impl Iterator<Item = Meshing> {
        PATTERNS.into_iter().map(move |pattern| Fixed(pattern, cells)).chain([Adaptive(cells)])
    }

    /// Of these the first tier takes one pattern and the adaptive mesh.
    pub(super) fn some(cells: u32) -> impl Iterator<Item = Meshing> {
        Self::all(cells).step_by(tier(PATTERNS.len(), 1))
    }

    /// A rectangle in the xy-plane, with the lines of the grid at multiples of an eighth of a side.
    pub(super) fn rectangle(self, size: DVec2) -> TriangleMesh {
        match self {
            Fixed(pattern, cells) => grid(size, [cells, cells], pattern, 1),
            Adaptive(_) => grid(size, [8, 8], GridPattern::Alternating, 1),
        }
    }

    /// Remeshes a cloth of a size \[m\] if the mesh is to adapt, with edges up to a multiple of the smallest.
    pub(super) fn adapt(self, cloth: &mut ClothDescription, size: f64, multiple: f64) {
        if let Adaptive(cells) = self {
            let size_min = size / f64::from(cells);
            // A strain of a thousandth is what the stiff sheet has at its upper edge.
            let size_max = multiple * size_min;
            cloth.remesh = Some(RemeshSettings {
                size_min,
                size_max,
                refine_strain: 1e-3,
                ..RemeshSettings::by_thresholds()
            });
        }
    }
}

/// Positions \[m\] of 21 × 21 material points of a rectangle.
pub(super) fn lattice(world: &World, size: DVec2) -> Vec<DVec3> {
    let at = |i: u32| DVec2::new(f64::from(i % 21), f64::from(i / 21)) / 20.0 * size;
    (0..21 * 21).map(at).map(|u| position(world, u.x, u.y).expect("on the sheet")).collect()
}

/// Root of the mean square distance of the same material points \[m\].
pub(super) fn rms(a: &[DVec3], b: &[DVec3]) -> f64 {
    Deviation::between(a, b).rms
}
