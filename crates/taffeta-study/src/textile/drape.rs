//! Cusick's drape test (BS 5058, ISO 9073-9): a disk of 30 cm hangs over a support of 18 cm, between two plates.
//!
//! The part between the plates lies flat. What hangs over them is an annulus that is clamped level at its inner rim. The
//! specimen is lowered: its weight grows from nothing in [`DrapeSettings::lowering`] seconds. A weight that acts at once makes
//! more folds, of a higher energy, than one that grows slowly. A random push at the start decides which folds come.

use super::DrapeSizes;
use super::annulus::{AnnulusPattern, annulus_mesh};
use super::shadow::{Shadow, cast_shadow};
use crate::reference::GRAVITY;
use glam::{DVec2, DVec3};
use std::f64::consts::TAU;
use taffeta_core::random::SplitMix64;
use taffeta_core::{Region, TriangleMesh};
use taffeta_remesh::RemeshSettings;
use taffeta_sim::{
    BuildError, ClothDescription, PinDescription, SimulationSettings, StepError, StepInputs, World,
    WorldDescription,
};
use taffeta_solve::Material;

/// Length of a frame \[s\].
const FRAME: f64 = 1.0 / 60.0;
/// Damping of velocities \[1/s\]: folds that form hardly swing.
const DAMPING: f64 = 8.0;
/// Speed of rest \[m/s\], root mean square: the accuracy of a step leaves about this, and within the time of damping it is a
/// tenth of a millimeter.
const REST: f64 = 1e-3;
/// Time in which the mesh still adapts once the whole weight acts \[s\]. Edits that come and go would keep it moving.
const ADAPTS: f64 = 0.5;
/// The longest wait for rest once the whole weight acts \[s\].
const PATIENCE: f64 = 4.0;
/// Limits of the edges of an adaptive mesh \[m\].
const ADAPTIVE_SIZES: [f64; 2] = [0.001, 0.02];
/// Allowed radii of the support \[m\], and widths of what hangs over it, relative to the radius.
const RADII: std::ops::RangeInclusive<f64> = 0.01..=1.0;
const WIDTHS: [f64; 2] = [0.2, 3.0];
/// Waves around the rim that a random push mixes.
const WAVES: std::ops::RangeInclusive<u32> = 2..=9;

/// Settings of the test.
#[derive(Clone, Debug, PartialEq)]
pub struct DrapeSettings {
    /// Sizes of support and specimen.
    pub sizes: DrapeSizes,
    /// Arrangement of the triangles, at the start.
    pub pattern: AnnulusPattern,
    /// Length of the edges, at the start \[m\].
    pub size: f64,
    /// Remeshing, with this distance between faces and smooth cloth \[m\]; `None`: the mesh stays.
    pub refine_error: Option<f64>,
    /// Angle of the mesh against warp \[rad\].
    pub turn: f64,
    /// Seed of the push.
    pub seed: u64,
    /// Number of waves of the push around the rim, which the folds then follow; `None`: a random mixture.
    pub waves: Option<u32>,
    /// Height of the push \[m\].
    pub push: f64,
    /// Time in which the weight grows \[s\].
    pub lowering: f64,
}

impl Default for DrapeSettings {
    /// An adaptive mesh, to about a point of the drape coefficient.
    fn default() -> Self {
        Self {
            sizes: DrapeSizes::CUSICK,
            pattern: AnnulusPattern::Staggered,
            size: 0.0075,
            refine_error: Some(4e-4),
            turn: 0.0,
            seed: 1,
            waves: None,
            push: 1e-3,
            lowering: 2.0,
        }
    }
}

impl DrapeSettings {
    /// A mesh that stays.
    pub fn uniform(pattern: AnnulusPattern, size: f64) -> Self {
        Self { pattern, size, refine_error: None, ..Self::default() }
    }

    /// One of several starts: by its number they differ in the turn of the mesh and in the push.
    pub fn start(self, number: u32) -> Self {
        Self { turn: 0.1 * f64::from(number), seed: u64::from(number) + 1, ..self }
    }
}

/// A draped specimen.
#[derive(Clone, Debug)]
pub struct Drape {
    /// Its shadow.
    pub shadow: Shadow,
    /// The part that hangs over, y up, the support at a height of 0, warp along x and weft against z at the start.
    pub mesh: TriangleMesh,
    /// Its elastic energy and that of its height \[J\].
    pub energy: f64,
    /// Pairs of faces that cross: folds that went through each other, as the test has no contact.
    pub crossings: usize,
    /// Time until it was at rest \[s\].
    pub time: f64,
}

/// Why a specimen was not draped.
#[derive(Debug, thiserror::Error)]
pub enum DrapeError {
    /// A setting is refused.
    #[error("{name} is {value}, but must be {allowed}")]
    Setting {
        /// Its name.
        name: &'static str,
        /// Its value.
        value: f64,
        /// The allowed values.
        allowed: &'static str,
    },
    /// The material is refused.
    #[error(transparent)]
    Build(#[from] BuildError),
    /// A step failed.
    #[error(transparent)]
    Step(#[from] StepError),
    /// It still moves.
    #[error("the specimen is not at rest {PATIENCE} s after it was lowered: it moves at {0} m/s")]
    Restless(f64),
}

/// Drapes a material.
///
/// # Errors
/// A material or a setting that makes no sense, a step that fails, or no rest.
pub fn drape(material: &Material, settings: &DrapeSettings) -> Result<Drape, DrapeError> {
    check(settings)?;
    let mut world = build(material, settings)?;
    let lowered = (settings.lowering / FRAME).ceil().max(1.0) as u32;
    let fixed = lowered + (ADAPTS / FRAME) as u32;
    let mass: f64 = world.cloth(world.cloth_ids()[0]).masses().iter().sum();
    let last = fixed + (PATIENCE / FRAME) as u32;
    for frame in 1..=last {
        let part = (f64::from(frame) / f64::from(lowered)).min(1.0);
        world.set_gravity(DVec3::new(0.0, -GRAVITY * part, 0.0))?;
        if frame == fixed {
            fix_mesh(&mut world)?;
        }
        let metrics = world.step(&StepInputs::default(), FRAME)?.metrics;
        let speed = (2.0 * metrics.kinetic_energy / mass).sqrt();
        if frame >= fixed && speed <= REST {
            return Ok(measure(&world, settings.sizes.support));
        }
        if frame == last {
            return Err(DrapeError::Restless(speed));
        }
    }
    Ok(measure(&world, settings.sizes.support))
}

/// Ends remeshing.
fn fix_mesh(world: &mut World) -> Result<(), BuildError> {
    let (id, remesh) = (world.cloth_ids()[0], world.cloths()[0].remesh);
    remesh.map_or(Ok(()), |remesh| world.set_remesh(id, RemeshSettings { interval: u32::MAX, ..remesh }))
}

fn check(settings: &DrapeSettings) -> Result<(), DrapeError> {
    let refuse = |name, value, allowed| Err(DrapeError::Setting { name, value, allowed });
    let DrapeSettings { sizes, size, refine_error, turn, push, lowering, waves, .. } = *settings;
    if !RADII.contains(&sizes.support) {
        return refuse("support", sizes.support, "from 0.01 to 1 m");
    }
    // The ends are allowed, up to round-off.
    let width = sizes.width() / sizes.support;
    if !(WIDTHS[0] - 1e-9..=WIDTHS[1] + 1e-9).contains(&width) {
        return refuse("specimen", sizes.specimen, "from 1.2 to 4 times the radius of the support");
    }
    if !(5e-4..=0.5 * sizes.width()).contains(&size) {
        return refuse("size", size, "at least 0.0005 m, and at most half of the width that hangs over");
    }
    if let Some(error) = refine_error.filter(|error| !(1e-5..=0.01).contains(error)) {
        return refuse("refine_error", error, "from 0.00001 to 0.01 m");
    }
    if !turn.is_finite() {
        return refuse("turn", turn, "finite");
    }
    if !(0.0..=0.01).contains(&push) {
        return refuse("push", push, "from 0 to 0.01 m");
    }
    if let Some(waves) = waves.filter(|waves| *waves > 100) {
        return refuse("waves", f64::from(waves), "at most 100");
    }
    if !(0.0..=60.0).contains(&lowering) {
        return refuse("lowering", lowering, "from 0 to 60 s");
    }
    Ok(())
}

fn build(material: &Material, settings: &DrapeSettings) -> Result<World, BuildError> {
    let (mut mesh, held) = annulus_mesh(settings.sizes, settings.pattern, settings.size, settings.turn);
    lay_level(&mut mesh, settings);
    let mut cloth = ClothDescription::new("specimen", mesh, material.clone());
    let rim = PinDescription::new(Region::Vertices((0..held).collect()));
    cloth.pins.push(PinDescription { clamp: true, ..rim });
    let [size_min, size_max] = ADAPTIVE_SIZES;
    cloth.remesh = settings.refine_error.map(|error| RemeshSettings {
        refine_error: Some(error),
        size_min,
        size_max,
        anisotropic: false,
        ..RemeshSettings::default()
    });
    let simulation = SimulationSettings { velocity_damping: DAMPING, ..SimulationSettings::default() };
    World::build(&WorldDescription { cloths: vec![cloth], simulation, ..WorldDescription::bare() })
}

/// Lays the specimen level, but for waves around its rim.
fn lay_level(mesh: &mut TriangleMesh, settings: &DrapeSettings) {
    let mut random = SplitMix64(settings.seed);
    let waves = settings.waves.map_or(WAVES, |waves| waves..=waves);
    let terms: Vec<[f64; 3]> = waves
        .map(|waves| [f64::from(waves), 2.0 * random.next_unit() - 1.0, TAU * random.next_unit()])
        .map(|[waves, height, phase]| [waves, if settings.waves.is_some() { 1.0 } else { height }, phase])
        .collect();
    for x in &mut mesh.positions {
        let flat = x.truncate();
        let part = ((flat.length() - settings.sizes.support) / settings.sizes.width()).max(0.0);
        let angle = flat.to_angle();
        let wave: f64 = terms.iter().map(|[n, height, phase]| height * (n * angle + phase).cos()).sum();
        *x = level(flat, settings.push * part * part * wave);
    }
}

/// A point of the level specimen, by its material coordinates and its height.
fn level(material: DVec2, height: f64) -> DVec3 {
    DVec3::new(material.x, height, -material.y)
}

/// The specimen over a support of a radius \[m\].
fn measure(world: &World, support: f64) -> Drape {
    let mesh = world.mesh(0);
    let metrics = world.measure();
    let flat: Vec<DVec3> = mesh.vertex_material().iter().flatten().map(|u| level(*u, 0.0)).collect();
    Drape {
        shadow: cast_shadow(&mesh.positions, &flat, &mesh.faces, support),
        mesh,
        energy: metrics.stretch_energy + metrics.bend_energy + metrics.gravity_energy,
        crossings: world.crossings().map_or(0, |crossings| crossings.len()),
        time: world.time(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn impossible_settings_are_refused_by_name() {
        let settings = DrapeSettings::default;
        let bad = [
            ("support", DrapeSettings { sizes: DrapeSizes { support: 0.0, specimen: 0.15 }, ..settings() }),
            ("specimen", DrapeSettings { sizes: DrapeSizes { support: 0.09, specimen: 0.09 }, ..settings() }),
            (
                "specimen",
                DrapeSettings { sizes: DrapeSizes { support: 0.09, specimen: f64::NAN }, ..settings() },
            ),
            ("size", DrapeSettings { size: 0.2, ..settings() }),
            ("refine_error", DrapeSettings { refine_error: Some(f64::NAN), ..settings() }),
            ("turn", DrapeSettings { turn: f64::INFINITY, ..settings() }),
            ("push", DrapeSettings { push: -1.0, ..settings() }),
            ("lowering", DrapeSettings { lowering: f64::NAN, ..settings() }),
            ("waves", DrapeSettings { waves: Some(1000), ..settings() }),
        ];
        assert!(check(&settings()).is_ok());
        for sizes in [[1.0, 1.2], [0.05, 0.2]].map(|[support, specimen]| DrapeSizes { support, specimen }) {
            assert!(check(&DrapeSettings { sizes, ..settings() }).is_ok(), "{sizes:?}");
        }
        for (name, settings) in bad {
            let error = check(&settings).unwrap_err().to_string();
            assert!(error.starts_with(&format!("{name} is ")), "{error}");
        }
    }
}
