//! A stiff specimen of the drape test, whose rim sinks as that of a plate.

use crate::reference::{GRAVITY, annular_plate};
use crate::textile::{AnnulusPattern, DrapeSettings, DrapeSizes, drape};
use crate::validate::bench::context::{CheckError, Context};
use crate::validate::bench::row::Row;
use taffeta_solve::Material;

/// Areal density \[kg/m²\], Poisson ratio and bending stiffness \[N·m\] of the plate.
const DENSITY: f64 = 0.15;
const POISSON: f64 = 0.2;
const BEND: f64 = 0.01;

/// Mean deflection of the rim on a mesh with edges of a length \[m\].
pub(super) fn check_rim(context: &Context<'_>, size: f64) -> Result<Row, CheckError> {
    context.note("textile: rim of a plate");
    let material = Material::isotropic(DENSITY, 800.0, POISSON, BEND);
    let settings = DrapeSettings::uniform(AnnulusPattern::Staggered, size);
    let drape = drape(&material, &DrapeSettings { push: 0.0, lowering: 0.5, ..settings.clone() })
        .map_err(|error| CheckError::Odd(error.to_string()))?;
    let DrapeSizes { support, specimen } = settings.sizes;
    let coords = drape.mesh.vertex_material().unwrap_or_default();
    let rim = coords.iter().zip(&drape.mesh.positions).filter(|(u, _)| u.length() > 0.999 * specimen);
    let heights: Vec<f64> = rim.map(|(_, x)| x.y).collect();
    let sunk = -1e3 * heights.iter().sum::<f64>() / heights.len() as f64;
    let exact = 1e3 * annular_plate([support, specimen], DENSITY * GRAVITY, BEND, POISSON);
    Ok(Row::relative("drape of a plate: deflection of the rim", sunk, exact, 0.03).in_unit("mm"))
}
