//! Cloth that stiffens as it is stretched, against closed forms.

use crate::common::*;
use glam::{DVec2, DVec3};
use std::f64::consts::PI;
use taffeta::core::Region;
use taffeta::io::{GridPattern, grid};
use taffeta::sim::{
    ClothDescription, Material, Mode, PinDescription, SimulationSettings, SolverChoice, StepInputs, World,
};

/// Modulus at the load of the tensile test \[N/m\], that load \[N/m\], and the part of the modulus at rest.
const MODULUS: f64 = 4000.0;
const LOAD: f64 = 490.0;
const REST: f64 = 0.1;

fn crimped() -> Material {
    // A linearity of 0.7 leaves a tenth of the modulus at rest.
    Material { linearity: 0.7, ..Material::isotropic(0.2, MODULUS, 0.0, 1e-5) }
}

/// The stress of a yarn at a Green strain below that of the tensile test \[N/m\].
fn stress(strain: f64) -> f64 {
    MODULUS * (REST * strain + (1.0 - REST) * strain * strain * MODULUS / LOAD)
}

/// The length of a strip of 1 m that hangs under a gravity \[m/s²\]: `∫ λ ds` with `λ S((λ² − 1)/2) = ρ g s`.
fn hung_length(gravity: f64) -> f64 {
    let stretch = |load: f64| {
        let (mut low, mut high) = (1.0, 1.2);
        for _ in 0..60 {
            let middle: f64 = 0.5 * (low + high);
            match middle * stress(0.5 * (middle * middle - 1.0)) < load {
                true => low = middle,
                false => high = middle,
            }
        }
        low
    };
    let parts = 20_000;
    let at = |k: u32| (f64::from(k) + 0.5) / f64::from(parts);
    (0..parts).map(|k| stretch(crimped().density * gravity * at(k))).sum::<f64>() / f64::from(parts)
}

fn hung(cells: u32, solver: SolverChoice, gravity: f64, remeshed: bool) -> f64 {
    let mut cloth = ClothDescription { ..hung_sheet(cells, GridPattern::Alternating) };
    cloth.material = crimped();
    cloth.remesh = remeshed.then(Default::default);
    let gravity = DVec3::new(0.0, -gravity, 0.0);
    let settings =
        SimulationSettings { solver, gravity, mode: Mode::Static, ..SimulationSettings::default() };
    let mut world = world(cloth, settings);
    world.equilibrate().expect("it hangs");
    1.0 - mean_lower_edge(&world)
}

#[test]
fn a_sheet_hangs_as_long_as_its_curve_says_under_any_load() {
    // Loads of 0.4, 20 and 100 N/m at the pin: strains of a tenth of a percent to 6 %.
    for gravity in [2.0, 100.0, 500.0] {
        let exact = hung_length(gravity) - 1.0;
        for (cells, solver) in
            [(8, SolverChoice::Global), (16, SolverChoice::Global), (8, SolverChoice::Direct)]
        {
            let found = hung(cells, solver, gravity, false) - 1.0;
            assert!((found / exact - 1.0).abs() < 0.02, "{gravity} {cells} {solver:?}: {found} {exact}");
        }
    }
    let (exact, found) = (hung_length(500.0) - 1.0, hung(8, SolverChoice::Global, 500.0, true) - 1.0);
    assert!((found / exact - 1.0).abs() < 0.02, "remeshed: {found} {exact}");
}

#[test]
fn solvers_have_the_curve_or_its_secant() {
    let strain = 0.03;
    let energy = |solver: SolverChoice| {
        let mut cloth = ClothDescription::new("sheet", square(4, GridPattern::Alternating), crimped());
        let stretch = (1.0_f64 + 2.0 * strain).sqrt();
        cloth.mesh.positions.iter_mut().for_each(|x| x.x *= stretch);
        world(cloth, settings(solver, None)).measure().stretch_energy
    };
    let secant = 0.5 * MODULUS * strain * strain;
    let curve =
        MODULUS * (0.5 * REST * strain * strain + (1.0 - REST) / 3.0 * strain.powi(3) * MODULUS / LOAD);
    assert!(curve < 0.3 * secant);
    for solver in [SolverChoice::Global, SolverChoice::Direct] {
        let found = energy(solver);
        assert!((found / curve - 1.0).abs() < 1e-9, "{solver:?}: {found} {curve}");
    }
    let found = energy(SolverChoice::Block);
    assert!((found / secant - 1.0).abs() < 1e-9, "{found} {secant}");
}

/// Standing waves along the warp of a sheet of 1 m that is held at both ends. In material coordinates the stretch `λ` has the modulus
/// `λ² S' + S`, and damping `τ λ² S'`: a wave of half a meter to its node has `ω² = π² (λ² S' + S)/ρ` and decays by `½ τ π² λ² S'/ρ`.
#[test]
fn taut_cloth_loses_as_much_as_its_stiffness_where_it_is_says() {
    let (modulus, density, tau, strain) = (49_000.0, 20.0, 3e-4, 0.008);
    let end = LOAD / modulus;
    let tangent = modulus * (REST + 2.0 * (1.0 - REST) * strain / end);
    let stress = modulus * (REST * strain + (1.0 - REST) * strain * strain / end);
    let stretch = f64::sqrt(1.0 + 2.0 * strain);
    let mut mesh = grid(DVec2::new(1.0, 0.1), [40, 2], GridPattern::Alternating, 1);
    let wave = |x: f64| (PI * x).sin();
    mesh.positions.iter_mut().for_each(|x| x.x = stretch * x.x + 3e-5 * wave(x.x));
    let material =
        Material { linearity: 0.7, stretch_damping: tau, ..Material::isotropic(density, modulus, 0.0, 1e-5) };
    let mut cloth = ClothDescription::new("sheet", mesh, material);
    let ends = [0.0, 1.0].map(|x| Region::MaterialBox([DVec2::new(x, 0.0), DVec2::new(x, 0.1)]));
    cloth.pins = ends.map(PinDescription::new).into();
    let starts: Vec<f64> = (0..=40).map(|k| f64::from(k) / 40.0).collect();
    let settings = SimulationSettings { gravity: DVec3::ZERO, ..SimulationSettings::default() };
    let mut world = world(cloth, settings);
    let amplitude = |world: &World| {
        let x = world.mesh(0).positions;
        starts.iter().zip(&x).map(|(s, x)| 2.0 / 40.0 * wave(*s) * (x.x - stretch * s)).sum::<f64>()
    };
    let first = amplitude(&world);
    let period = 2.0 / (((stretch * stretch * tangent + stress) / density).sqrt());
    let steps = 5 * 80;
    (0..steps).for_each(|_| drop(world.step(&StepInputs::default(), period / 80.0).expect("it moves")));
    let decay = (first / amplitude(&world)).ln() / (5.0 * period);
    let expected = 0.5 * tau * PI * PI * stretch * stretch * tangent / density;
    assert!((decay / expected - 1.0).abs() < 0.03, "{decay} {expected}");
}
