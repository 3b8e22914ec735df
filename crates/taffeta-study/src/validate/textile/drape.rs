//! Cusick's drape test: every preset in the range of its fabric, and one fabric on many meshes.

use crate::textile::{AnnulusPattern, Drape, DrapeSettings, DrapeSizes, drape, published};
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

/// A fabric of which density, bending and drape are published together.
struct Specimen {
    name: &'static str,
    /// Areal density \[kg/m²\] and bending stiffness \[N·m\], one for both directions.
    density: f64,
    bend: f64,
    /// Shear stiffness \[N/m\] of the preset that is nearest, for that is not published.
    shear: f64,
    /// Drape coefficient \[%\] and number of folds.
    coefficient: f64,
    folds: u32,
}

/// M. Matsudaira, T. Masuda, M. Wada, H. Yokura, Shape factor of flared skirts compared with that of circular fabrics, Journal of Textile
/// Engineering 61 (6), 2015, tables 1 and 2. The size of the disk is taken to be that of JIS L 1096.
const SPECIMENS: [Specimen; 4] = [
    Specimen {
        name: "cotton broad",
        density: 0.1238,
        bend: 1.157e-5,
        shear: 90.0,
        coefficient: 82.9,
        folds: 2,
    },
    Specimen {
        name: "wool tropical",
        density: 0.1629,
        bend: 6.57e-6,
        shear: 45.0,
        coefficient: 49.8,
        folds: 5,
    },
    Specimen {
        name: "polyester tropical",
        density: 0.1165,
        bend: 7.55e-6,
        shear: 45.0,
        coefficient: 50.7,
        folds: 5,
    },
    Specimen {
        name: "polyester faille",
        density: 0.1043,
        bend: 1.86e-6,
        shear: 25.0,
        coefficient: 28.3,
        folds: 7,
    },
];
/// Stretch stiffness of all of them \[N/m\] and linearity: that of shirting and suiting.
const STRETCH: [f64; 2] = [9000.0, 6000.0];
const LINEARITY: f64 = 0.7;
/// Points by which a specimen may differ from the fabric: as much as two specimens do.
const SPREAD: f64 = 5.0;

/// The measured specimens, by the means of five starts.
pub(super) fn check_specimens(context: &Context<'_>) -> Result<Vec<Row>, CheckError> {
    let mut rows = Vec::new();
    for specimen in &SPECIMENS {
        let Specimen { name, density, bend, shear, coefficient, folds } = *specimen;
        let material = Material {
            stretch: STRETCH,
            linearity: LINEARITY,
            shear: Some(shear),
            // As long as that of cloth that hangs.
            stretch_damping: 0.005,
            bend_damping: 0.015,
            ..Material::isotropic(density, STRETCH[0], 0.2, bend)
        };
        let (mut sum, mut count) = (0.0, 0.0);
        for start in 0..STARTS {
            context.note(&format!("textile: specimen of {name}, start {}", start + 1));
            let settings = DrapeSettings { sizes: DrapeSizes::JIS, ..DrapeSettings::default() };
            let shadow = run(&material, &settings.start(start))?.shadow;
            (sum, count) = (sum + shadow.coefficient, count + shadow.folds as f64);
        }
        let [mean, mean_folds] = [sum, count].map(|sum| sum / f64::from(STARTS));
        let range = [coefficient - SPREAD, coefficient + SPREAD];
        rows.push(Row::within(format!("{name}, specimen: drape of {coefficient} %"), mean, range));
        rows.push(Row::reported(format!("{name}, specimen: folds, {folds} measured"), mean_folds));
    }
    Ok(rows)
}

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
