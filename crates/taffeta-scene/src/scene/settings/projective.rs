//! Warnings of properties that projective dynamics leaves out.

use crate::place::Place;
use taffeta_solve::{Material, SolidMaterial};

/// Warns of what projective dynamics leaves out of a material, and of what remeshing costs it.
pub(super) fn warn_of_projective(material: &Material, is_remeshed: bool, at: &Place<'_>) {
    if is_remeshed {
        at.warn(format!(
            "`{at}.remesh`: the solver \"projective\" factorizes its system anew after every pass; a longer \
             `interval` or the solver \"global\" is faster"
        ));
    }
    let differs = |pair: [f64; 2]| pair[0] != pair[1];
    let ignored: Vec<&str> = [
        ("the difference of warp and weft in `stretch`", differs(material.stretch)),
        ("the difference of warp and weft in `bend`", differs(material.bend)),
        ("`linearity`", material.linearity < 1.0),
        ("`poisson`", material.poisson != 0.0),
        ("`shear`", material.shear.is_some()),
        ("`bend_poisson`", material.bend_poisson.is_some_and(|ratio| ratio != 0.0)),
        ("`stretch_damping`", material.stretch_damping != 0.0),
        ("`bend_damping`", material.bend_damping != 0.0),
    ]
    .into_iter()
    .filter_map(|(what, is_given)| is_given.then_some(what))
    .collect();
    if !ignored.is_empty() {
        at.warn(format!(
            "`{at}.material`: the solver \"projective\" knows one stiffness and one bending stiffness, the means of warp \
             and weft, and leaves out {}",
            ignored.join(", ")
        ));
    }
}

/// Warns of what projective dynamics leaves out of the material of a solid.
pub(crate) fn warn_of_projective_solid(material: &SolidMaterial, at: &Place<'_>) {
    if material.damping != 0.0 {
        at.warn(format!(
            "`{at}.material.damping`: the solver \"projective\" knows no damping of a material and leaves it out"
        ));
    }
    if material.poisson < 0.0 {
        let poisson = material.poisson;
        at.warn(format!(
            "`{at}.material.poisson` is {poisson}: the solver \"projective\" knows no negative ratio and takes 0"
        ));
    }
}
