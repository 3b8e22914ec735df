//! The tests by which the textile industry measures cloth: on materials whose answers are known, then on the presets.

mod bias;
mod cantilever;
mod drape;
mod heart;
mod rim;
mod wrinkles;

use super::bench::context::{CheckError, Context};
use super::bench::row::Row;
use taffeta_scene::materials::presets;
use taffeta_sim::Material;

/// Directions of strips: name, and angle to warp \[degrees\].
const DIRECTIONS: [(&str, f64); 2] = [("warp", 0.0), ("weft", 90.0)];
/// Width of the strips \[m\]: ASTM D1388.
const WIDTH: f64 = 0.025;

/// A material as a scene has it, without folds that stay: strips are compared with elasticity, and an equilibrium knows no way to it.
fn elastic_part(material: &Material) -> String {
    let Material { density, stretch, linearity, poisson, bend, .. } = material;
    let (shear, bend_poisson) = (material.shear_stiffness(), material.bend_poisson.unwrap_or(*poisson));
    format!(
        "{{ density = {density:?}, stretch = {stretch:?}, linearity = {linearity:?}, poisson = {poisson:?}, shear = {shear:?}, bend = {bend:?}, \
         bend_poisson = {bend_poisson:?} }}"
    )
}

/// All of them.
pub(super) fn check_textile(context: &Context<'_>) -> Result<Vec<Row>, CheckError> {
    let mut rows = vec![rim::check_rim(context, 0.005)?];
    rows.extend(wrinkles::check_wrinkles(context)?);
    for preset in presets() {
        context.note(&format!("textile: {}", preset.name));
        for axis in 0..DIRECTIONS.len() {
            rows.extend(cantilever::check_cantilever(context, &preset, axis)?);
            rows.push(heart::check_heart(context, &preset, axis)?);
        }
        for angle in bias::ANGLES {
            for strain in bias::STRAINS {
                rows.push(bias::check_bias(context, &preset, angle, strain)?);
            }
        }
    }
    rows.extend(drape::check_meshes(context)?);
    rows.extend(drape::check_specimens(context)?);
    for preset in presets() {
        rows.extend(drape::check_preset(context, &preset)?);
    }
    Ok(rows)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::validate::bench::row::{Verdict, format_rows};
    use taffeta_scene::materials::preset;

    /// Three presets on a coarse mesh: a few points lower than on a fine one.
    #[test]
    fn three_fabrics_drape_as_they_do() {
        use crate::textile::{AnnulusPattern, DrapeSettings, drape, published};
        let settings = DrapeSettings::uniform(AnnulusPattern::Staggered, 0.0086);
        for name in ["cotton", "jersey", "denim"] {
            let settings = DrapeSettings { lowering: 1.0, ..settings.clone() };
            let draped = drape(&preset(name).unwrap().material, &settings).unwrap();
            let [low, high] = published(name).unwrap().coefficient;
            let found = draped.shadow.coefficient;
            assert!((low..=high).contains(&found), "{name}: {found}");
            assert!((3..=9).contains(&draped.shadow.folds), "{name}: {} folds", draped.shadow.folds);
        }
    }

    /// Three presets, each on a part of the tests.
    #[test]
    fn strips_and_plates_pass() {
        let context = Context::new(Vec::new(), &|_| {}).unwrap();
        let [cotton, jersey, leather, origami] =
            ["cotton", "jersey", "leather", "origami"].map(|name| preset(name).unwrap());
        assert!(origami.material.yield_curvature.is_some());
        let mut rows = vec![rim::check_rim(&context, 0.0075).unwrap()];
        rows.extend(cantilever::check_cantilever(&context, &cotton, 0).unwrap());
        rows.push(heart::check_heart(&context, &leather, 1).unwrap());
        rows.push(bias::check_bias(&context, &jersey, 45.0, 0.05).unwrap());
        // The elastic part of what keeps its folds.
        rows.extend(cantilever::check_cantilever(&context, &origami, 1).unwrap());
        let misses: Vec<Row> = rows.into_iter().filter(|row| row.verdict() == Verdict::Miss).collect();
        assert!(misses.is_empty(), "{}", format_rows("textile", &misses));
    }
}
