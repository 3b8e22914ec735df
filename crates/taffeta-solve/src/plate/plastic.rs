//! Folds that stay: which part of the curvature of a face is plastic.
//!
//! ```text
//!   moment                     κ = κ_e + κ_p                      the moment D κ_e follows from the elastic part alone
//!     │   ╭───────  κ_e = κ_Y  ξ = κ_e − H κ_p,  ‖ξ‖ ≤ κ_Y        more than the yield curvature is not borne
//!     │  ╱     ╱               κ_p ← κ_p + (1 − κ_Y/‖ξ‖) ξ/(1+H)   where it were more: the radial return
//!     │ ╱     ╱
//!     └──────┴────────── κ     unloading is elastic: what was bent to κ springs back to (κ − κ_Y)/(1 + H)
//!           κ_p
//! ```
//!
//! The norm is the bending energy. For an orthotropic cloth it has the stiffness of both directions scaled to the same
//! value ([`Material::fold_norm`](crate::Material::fold_norm)). So a sheet that is bent about one line has the norm of its
//! curvature, whatever the direction. The return follows a substep, or a step, and takes the angles and scalars at its end.
//! So it does not depend on the length of substeps as long as the sheet is bent slowly. No solver needs to know of it.
//!
//! The rule is that of R. Narain, T. Pfaff, J. F. O'Brien, Folding and crumpling adaptive sheets, ACM Transactions on
//! Graphics 32 (2013), §4. It differs in two points:
//!
//! * The energy takes the place of the Frobenius norm, so that Poisson's ratio counts.
//! * It has linear kinematic hardening `H` (W. Prager 1949).
//!
//! Without hardening, H = 0, the plate has no unique shape. All faces of a strip bear the same moment. Once the first has
//! reached its limit it takes all further bending, and a smooth bend becomes a kink, on every mesh a different one. With
//! hardening the limit moves along with the fold, and no more state is needed.
//!
//! Folds of more than `κ_Y/H` do not stay, so that a fold cannot get sharper with every refinement. It is as wide as its
//! angle over that, or as two rows of faces where these are wider. It opens by κ_Y times its width when it is let go.
//!
//! Faces of which all corners are held do not yield: they bend only by what the faces beside them do.

use super::build::{curvature_columns, rest_angles};
use super::{Plate, PlateFace};
use crate::model::ClothModel;
use crate::state::RestShape;
use nalgebra::{Matrix3, Vector3};
use taffeta_core::FaceIndex;
use taffeta_core::math::Sym2;

/// Part of the yield curvature by which a face may exceed it: round-off would otherwise let a face that stands at its limit
/// flow on in every substep.
const ROUND_OFF: f64 = 1e-9;

/// Result of a return.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct PlasticFlow {
    /// Number of faces that have yielded.
    pub faces: usize,
    /// By how much that has lowered the elastic energy \[J\]; negative where a fold springs open that is too sharp to stay.
    pub released: f64,
}

impl Plate {
    /// Returns whether anything can yield.
    pub fn can_yield(&self) -> bool {
        self.faces.iter().any(|face| face.can_yield)
    }

    /// Lets the faces yield whose elastic curvature exceeds that of their material, for the given angles and scalars of the
    /// edges \[rad\]. Their plastic curvature in `rest` grows, and their `η₀` follows.
    pub fn yield_faces(
        &mut self,
        rest: &mut RestShape,
        cloths: &[ClothModel],
        angles: &[f64],
        scalars: &[f64],
    ) -> PlasticFlow {
        let mut flow = PlasticFlow::default();
        let Self { faces, edges } = self;
        for face in faces.iter_mut().filter(|face| face.can_yield) {
            let cloth = &cloths[rest.cloths[face.face] as usize];
            let Some(most) = cloth.material.yield_curvature else { continue };
            let known = face.eta(edges, angles, scalars) - face.rest;
            let bent = complete(known, face, rest, cloth);
            let hardening = cloth.material.yield_hardening;
            let Sym2 { xx, xy, yy } = rest.plastic_curvatures[face.face];
            let back = Vector3::new(xx, yy, 2.0 * xy) * hardening;
            let excess = elastic_curvature(&bent, rest, face.face) - back;
            let norm = excess.dot(&(cloth.material.fold_norm() * excess)).sqrt();
            // Not what is not a number, either: the step that has made it fails by itself.
            if !(norm.is_finite() && norm > most * (1.0 + ROUND_OFF)) {
                continue;
            }
            let grown = Sym2 { xx: excess.x, xy: 0.5 * excess.z, yy: excess.y };
            let plastic = &mut rest.plastic_curvatures[face.face];
            *plastic = plastic.plus((1.0 - most / norm) / (1.0 + hardening), &grown);
            face.rest = rest_angles(rest, cloth, face, edges);
            let left = face.eta(edges, angles, scalars) - face.rest;
            let energy = |bent: &Vector3<f64>| 0.5 * bent.dot(&(face.stiffness * bent));
            flow.faces += 1;
            flow.released += energy(&known) - energy(&left);
        }
        flow
    }
}

/// `η − η₀` of all three edges of a face, of which those on a free boundary have the values of least energy: the moment
/// about them is zero.
fn complete(known: Vector3<f64>, face: &PlateFace, rest: &RestShape, cloth: &ClothModel) -> Vector3<f64> {
    if face.edges.iter().all(Option::is_some) {
        return known;
    }
    let v = curvature_columns(rest, face.face);
    let whole = v.transpose() * cloth.material.bending_matrix() * v;
    let (mut system, mut right) = (Matrix3::identity(), known);
    for k in (0..3).filter(|k| face.edges[*k].is_none()) {
        system.set_row(k, &whole.row(k));
        right[k] = 0.0;
    }
    system.lu().solve(&right).unwrap_or(known)
}

/// The elastic curvature `(κ_uu, κ_vv, 2κ_uv)` \[1/m\] of a face with these `η − η₀` \[rad\].
fn elastic_curvature(bent: &Vector3<f64>, rest: &RestShape, fi: FaceIndex) -> Vector3<f64> {
    curvature_columns(rest, fi) * bent / rest.areas[fi].sqrt()
}
