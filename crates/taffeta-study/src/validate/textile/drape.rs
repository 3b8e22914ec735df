//! Cusick's drape test: every preset in the range of its fabric, and one fabric on many meshes.

use crate::textile::{AnnulusPattern, Drape, DrapeSettings, drape, published};
use crate::validate::bench::context::{CheckError, Context};
use crate::validate::bench::row::Row;
use taffeta_scene::materials::{Preset, preset};
use taffeta_solve::Material;

/// Starts of every preset.
const STARTS: u32 = 5;
/// Folds of real fabrics.
const FOLDS: [f64; 2] = [3.0, 8.0];
/// Edges of the uniform meshes \[m\].
const SIZES: [f64; 3] = [0.006, 0.0042, 0.003];
/// The fabric that is draped on many meshes, and the waves of its push: as many folds, so that chance has no part in it.
const FABRIC: &str = "cotton";
const WAVES: u32 = 6;

/// Drape coefficient and folds of five starts.
pub(super) fn check_preset(context: &Context<'_>, preset: &Preset) -> Result<Vec<Row>, CheckError> {
    let mut found = Vec::new();
    for start in 0..STARTS {
        context.note(&format!("textile: drape of {}, start {}", preset.name, start + 1));
        found.push(run(&preset.material, &DrapeSettings::default().start(start))?);
    }
    let name = preset.name;
    let mean = |value: fn(&Drape) -> f64| found.iter().map(value).sum::<f64>() / f64::from(STARTS);
    let coefficients = || found.iter().map(|drape| drape.shadow.coefficient);
    let mut rows = match published(name) {
        Some(known) => {
            let [low, high] = known.coefficient;
            let case = format!("{name}, drape: {low} to {high} % ({})", known.kind);
            let mut rows = vec![Row::within(case, mean(|drape| drape.shadow.coefficient), known.coefficient)];
            if known.has_folds {
                let folds = mean(|drape| drape.shadow.folds as f64);
                rows.push(Row::within(format!("{name}, drape: folds"), folds, FOLDS));
            }
            rows
        }
        None => vec![Row::reported(format!("{name}, drape"), mean(|drape| drape.shadow.coefficient))],
    };
    let most = coefficients().fold(f64::NEG_INFINITY, f64::max);
    let spread = most - coefficients().fold(f64::INFINITY, f64::min);
    rows.push(Row::reported(format!("{name}, drape: spread of {STARTS} starts"), spread));
    let crossings: usize = found.iter().map(|drape| drape.crossings).sum();
    rows.push(Row::reported(format!("{name}, drape: crossings"), crossings as f64));
    Ok(rows)
}

/// One fabric with a given number of folds on uniform meshes, on adaptive ones, and with ten times the stiffness against
/// stretch.
pub(super) fn check_meshes(context: &Context<'_>) -> Result<Vec<Row>, CheckError> {
    let material = preset(FABRIC).map(|preset| preset.material);
    let material = material.ok_or_else(|| CheckError::Odd(format!("there is no preset {FABRIC}")))?;
    let folded = |settings: DrapeSettings| DrapeSettings { waves: Some(WAVES), push: 0.002, ..settings };
    let mut rows = Vec::new();
    let adaptive = run(&material, &folded(DrapeSettings::default()))?.shadow.coefficient;
    rows.push(Row::reported(format!("{FABRIC}, {WAVES} waves: adaptive"), adaptive));
    for pattern in AnnulusPattern::ALL {
        for size in SIZES {
            let case =
                format!("{FABRIC}, {WAVES} waves: {}, {} mm, off adaptive", pattern.name(), 1e3 * size);
            context.note(&format!("textile: {case}"));
            let found = run(&material, &folded(DrapeSettings::uniform(pattern, size)))?;
            rows.push(Row::at_most(case, found.shadow.coefficient - adaptive, 2.0));
        }
    }
    let stiff = Material { stretch: material.stretch.map(|k| 10.0 * k), ..material };
    let found = run(&stiff, &folded(DrapeSettings::default()))?;
    // Without a bound: a sheet that cannot stretch stays flat around the support, so each fold stretches the cloth.
    let case = format!("{FABRIC}, {WAVES} waves: stretch × 10, change");
    rows.push(Row::reported(case, found.shadow.coefficient - adaptive));
    Ok(rows)
}

fn run(material: &Material, settings: &DrapeSettings) -> Result<Drape, CheckError> {
    drape(material, settings).map_err(|error| CheckError::Odd(error.to_string()))
}
