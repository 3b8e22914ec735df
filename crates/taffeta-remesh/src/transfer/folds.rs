//! Plastic curvature through edits that replace faces: collapses and flips. A split only copies it.
//!
//! ```text
//!     ┌────────┐      ┌────────┐      before and after the edit the same patch of a chart is covered by faces, on each of
//!     │ ╲  κ₁  │      │  κ₁′ ╱ │      which the field is constant; a new face takes the mean over the part of it that
//!     │   ╲    │  →   │    ╱   │      each old one covers
//!     │  κ₂ ╲  │      │  ╱ κ₂′ │
//!     └────────┘      └────────┘      κ′_f = Σ_g |f ∩ g| κ_g / |f|,   so that  Σ A κ  stays as it is
//! ```
//!
//! The mean over all old faces for all new ones was the alternative: it keeps the sum as well, but smears a fold over the
//! whole patch in every edit.
//!
//! Charts are those of panels. Every face of a rest shape in space is a chart of its own, and faces that an edit replaces do
//! not lie in one plane. There the new faces take the mean of all old ones by area, each turned into the new plane by the
//! shortest way.

use crate::attributes::SheetAttributes;
use crate::attributes::rest::is_in_space;
use crate::attributes::space::{starts, weighted_warp};
use crate::transfer::popping::overlap_area;
use glam::{DQuat, DVec2, DVec3};
use taffeta_core::geometry::doubled_area;
use taffeta_core::math::Sym2;
use taffeta_mesh::{FaceKey, HalfedgeMesh};

/// Plastic curvatures of the faces around an edit before it; empty if there are none.
#[derive(Clone, Debug, Default)]
pub(crate) struct Folds {
    before: Vec<FoldedFace>,
}

/// A face with its plastic curvature.
#[derive(Clone, Copy, Debug)]
struct FoldedFace {
    key: FaceKey,
    panel: u32,
    /// Corners in the chart \[m\].
    material: [DVec2; 3],
    /// The material axes and the normal in space at rest; `None`: the rest shape is flat.
    frame: Option<[DVec3; 3]>,
    /// \[1/m\]
    curvature: Sym2,
}

impl FoldedFace {
    fn read(mesh: &HalfedgeMesh, attributes: &SheetAttributes, key: FaceKey) -> Self {
        let face = &attributes.faces[key];
        Self {
            key,
            panel: face.panel,
            material: attributes.face_material(mesh, key),
            frame: is_in_space(attributes, key).then(|| frame_in_space(mesh, attributes, key)),
            curvature: face.plastic_curvature,
        }
    }

    fn area(&self) -> f64 {
        0.5 * doubled_area(self.material)
    }

    /// The part of another face that this one covers \[m²\]; of a face in space all of it.
    fn cover(&self, other: &Self) -> f64 {
        match self.frame {
            Some(_) => self.area(),
            None if self.panel == other.panel => overlap_area(other.material, self.material),
            None => 0.0,
        }
    }

    /// The curvature in the chart of another face \[1/m\].
    fn curvature_in(&self, other: &Self) -> Sym2 {
        let (Some([x, y, n]), Some([u, v, m])) = (self.frame, other.frame) else { return self.curvature };
        let turn = DQuat::from_rotation_arc(n, m);
        let (x, y) = (turn * x, turn * y);
        let Sym2 { xx, xy, yy } = self.curvature;
        let entry = |a: DVec3, b: DVec3| {
            let (ax, ay, bx, by) = (a.dot(x), a.dot(y), b.dot(x), b.dot(y));
            xx * ax * bx + xy * (ax * by + ay * bx) + yy * ay * by
        };
        Sym2 { xx: entry(u, u), xy: entry(u, v), yy: entry(v, v) }
    }
}

impl Folds {
    /// Reads the plastic curvature of the faces that an edit replaces or removes.
    pub(crate) fn around<I: Iterator<Item = FaceKey>>(
        mesh: &HalfedgeMesh,
        attributes: &SheetAttributes,
        faces: impl Fn() -> I,
    ) -> Self {
        let is_folded = |f: FaceKey| attributes.faces[f].plastic_curvature != Sym2::default();
        if !faces().any(is_folded) {
            return Self::default();
        }
        Self { before: faces().map(|f| FoldedFace::read(mesh, attributes, f)).collect() }
    }

    /// Gives the faces that are still there after the edit what lay where they lie now. To be called when they have their
    /// new corners.
    pub(crate) fn pass_on(&self, mesh: &HalfedgeMesh, attributes: &mut SheetAttributes) {
        let kept = self.before.iter().filter(|old| mesh.contains_face(old.key));
        for new in kept.map(|old| FoldedFace::read(mesh, attributes, old.key)).collect::<Vec<_>>() {
            let (mut covered, mut sum) = (0.0, Sym2::default());
            for old in &self.before {
                let cover = old.cover(&new);
                if cover > 0.0 {
                    covered += cover;
                    sum = sum.plus(cover, &old.curvature_in(&new));
                }
            }
            // Not covered at all: a sliver that round-off has turned. It keeps what it had.
            if covered > 0.0 {
                attributes.faces[new.key].plastic_curvature = Sym2::default().plus(1.0 / covered, &sum);
            }
        }
    }
}

/// The material axes of a face in the rest shape in space, and its normal.
fn frame_in_space(mesh: &HalfedgeMesh, attributes: &SheetAttributes, f: FaceKey) -> [DVec3; 3] {
    let [x0, x1, x2] = starts(attributes, mesh.face_vertices(f));
    let along = weighted_warp(mesh, attributes, f).normalize_or_zero();
    let normal = (x1 - x0).cross(x2 - x0).normalize_or_zero();
    [along, normal.cross(along), normal]
}
