//! Folds that stay: which part of the curvature of a face is plastic.
//!
//! ```text
//!   moment                       κ = κ_e + κ_p        the moment D κ_e follows from the elastic part alone
//!     │   ╭───────  ‖κ_e‖ = κ_Y  ‖κ_e‖ ≤ κ_Y          more than the yield curvature is not borne
//!     │  ╱     ╱                 κ_p ← κ_p + (1 − κ_Y/‖κ_e‖) κ_e      where it were more: the radial return
//!     │ ╱     ╱
//!     └──────┴────────── κ       unloading is elastic: what was bent to κ springs back to κ − κ_Y
//!           κ_p
//! ```
//!
//! The norm is the bending energy, of an orthotropic cloth with the stiffness of both directions scaled to the same
//! ([`Material::fold_norm`](crate::Material::fold_norm)): a sheet that is bent about one line has the norm of its curvature,
//! whatever the direction. The return is made after a substep, from the angles and scalars that it has ended with; so it
//! does not depend on the length of substeps as long as the sheet is bent slowly, and no solver needs to know of it.
//! It only lowers the energy.
//!
//! The rule is that of R. Narain, T. Pfaff, J. F. O'Brien, Folding and crumpling adaptive sheets, ACM Transactions on
//! Graphics 32 (2013), §4, with the energy in place of the Frobenius norm, so that Poisson's ratio counts. Perfectly plastic:
//! the sheet does not harden. A sharp fold is as wide as two rows of faces, on which its angle is spread; it opens by κ_Y
//! times that width when it is let go, which vanishes with the size of the faces.
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
const ROUND_OFF: f64 = 1e-12;

/// What a return has done.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct PlasticFlow {
    /// How many faces have yielded.
    pub faces: usize,
    /// By how much that has lowered the energy \[J\].
    pub dissipated: f64,
}

impl Plate {
    /// Whether anything can yield.
    pub fn can_yield(&self) -> bool {
        self.faces.iter().any(|face| face.can_yield)
    }

    /// Lets the faces yield whose elastic curvature exceeds that of their material, for the given angles and scalars of the
    /// edges \[rad\]. Their plastic curvature in `rest` grows, and their `η₀` follows.
    pub fn yield_faces(
        &mut self,
        rest: &mut RestShape,
        cloths: &[ClothModel],
        (angles, scalars): (&[f64], &[f64]),
    ) -> PlasticFlow {
        let mut flow = PlasticFlow::default();
        let Self { faces, edges } = self;
        for face in faces.iter_mut().filter(|face| face.can_yield) {
            let cloth = &cloths[rest.cloths[face.face] as usize];
            let Some(most) = cloth.material.yield_curvature else { continue };
            let known = face.eta(edges, angles, scalars) - face.rest;
            let bent = complete(known, face, rest, cloth);
            let curvature = elastic_curvature(&bent, rest, face.face);
            let norm = curvature.dot(&(cloth.material.fold_norm() * curvature)).sqrt();
            // Not what is not a number, either: the step that has made it fails by itself.
            if !(norm.is_finite() && norm > most * (1.0 + ROUND_OFF)) {
                continue;
            }
            let kept = most / norm;
            let energy = 0.5 * known.dot(&(face.stiffness * known));
            flow.faces += 1;
            flow.dissipated += energy * (1.0 - kept * kept);
            let grown = Sym2 { xx: curvature.x, xy: 0.5 * curvature.z, yy: curvature.y };
            let plastic = &mut rest.plastic_curvatures[face.face];
            *plastic = plastic.plus(1.0 - kept, &grown);
            face.rest = rest_angles(rest, cloth, face, edges);
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
