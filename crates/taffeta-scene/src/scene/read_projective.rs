//! What projective dynamics makes of a cloth and of a solid.

use crate::reader::TableReader;
use taffeta_solve::{Material, SolidMaterial};

/// Warns of what projective dynamics leaves out of a material, and of what remeshing costs it.
pub(super) fn warn_of_projective(
    table: &TableReader<'_>,
    (material, is_remeshed): (Option<&Material>, bool),
    warnings: &mut Vec<String>,
) {
    let key = &table.item.key;
    if is_remeshed {
        warnings.push(format!(
            "`{key}.remesh`: the solver \"projective\" factorizes its system anew after every pass; a longer \
             `interval` or the solver \"global\" is faster"
        ));
    }
    let Some(material) = material else { return };
    let differs = |pair: [f64; 2]| pair[0] != pair[1];
    let ignored: Vec<&str> = [
        ("the difference of warp and weft in `stretch`", differs(material.stretch)),
        ("the difference of warp and weft in `bend`", differs(material.bend)),
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
        warnings.push(format!(
            "`{key}.material`: the solver \"projective\" knows one stiffness and one bending stiffness, the means of warp \
             and weft, and leaves out {}",
            ignored.join(", ")
        ));
    }
}

/// Warns of what projective dynamics leaves out of the material of a solid.
pub(super) fn warn_of_projective_solid(
    table: &TableReader<'_>,
    material: &SolidMaterial,
    warnings: &mut Vec<String>,
) {
    let key = &table.item.key;
    if material.damping != 0.0 {
        warnings.push(format!(
            "`{key}.material.damping`: the solver \"projective\" knows no damping of a material and leaves it out"
        ));
    }
    if material.poisson < 0.0 {
        let poisson = material.poisson;
        warnings.push(format!(
            "`{key}.material.poisson` is {poisson}: the solver \"projective\" knows no negative ratio and takes 0"
        ));
    }
}
