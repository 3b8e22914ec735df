//! Cloths of panels and cloths without material coordinates: what they do does not depend on how their rest shape is
//! written down, with fixed and with adaptive meshes.

use crate::common::*;
use glam::{DVec2, DVec3};
use std::f64::consts::TAU;
use taffeta::core::{Region, TriangleMesh};
use taffeta::io::GridPattern;
use taffeta::remesh::RemeshSettings;
use taffeta::sim::queries;
use taffeta::sim::{
    ClothDescription, Material, PanelPoint, PinDescription, SimulationSettings, SolverChoice, StepReport,
    World,
};

/// Gives the right half of a sheet of 1 m² a chart of its own.
fn cut(mut mesh: TriangleMesh, angle: f64, shift: DVec2) -> TriangleMesh {
    for corners in mesh.material.iter_mut().flatten() {
        if corners.iter().sum::<DVec2>().x > 1.5 {
            corners.iter_mut().for_each(|u| *u = DVec2::from_angle(angle).rotate(*u) + shift);
        }
    }
    mesh
}

/// The sheet of the resolution study, held at two corners, in one chart or in two.
fn sheet(cells: u32, chart: Option<(f64, DVec2)>, material: &Material) -> ClothDescription {
    let mesh = square(cells, GridPattern::Alternating);
    let mesh = chart.map_or(mesh.clone(), |(angle, shift)| cut(mesh, angle, shift));
    let mut cloth = ClothDescription::new("sheet", mesh, material.clone());
    let corner = |x: f64| Region::Box([DVec3::new(x - 0.01, 0.99, -1.0), DVec3::new(x + 0.01, 1.01, 1.0)]);
    cloth.pins = [0.0, 1.0].map(|x| PinDescription::new(corner(x))).into();
    cloth.velocity = DVec3::new(0.0, 0.0, 0.5);
    cloth
}

fn orthotropic() -> Material {
    let mut material = stiff();
    (material.stretch, material.bend) = ([2000.0, 500.0], [5e-5, 1e-5]);
    material
}

/// The two ways to lay the right half: over the left one, and turned as well.
const CHARTS: [(f64, DVec2); 2] = [(0.0, DVec2::new(-0.5, 0.0)), (1.0, DVec2::new(0.3, 0.2))];

#[test]
fn a_cut_sheet_moves_as_the_whole_one_to_round_off() {
    for solver in [SolverChoice::Direct, SolverChoice::Block] {
        // Turned charts turn the material, too: only an isotropic one does not mind.
        for (material, charts) in [(stiff(), &CHARTS[..]), (orthotropic(), &CHARTS[..1])] {
            let after = |chart| {
                let mut world = world(sheet(8, chart, &material), settings(solver, Some(4)));
                run(&mut world, 12);
                world.mesh(0).positions
            };
            let whole = after(None);
            for chart in charts {
                let cut = after(Some(*chart));
                let worst = whole.iter().zip(&cut).map(|(a, b)| a.distance(*b)).fold(0.0, f64::max);
                assert!(worst < 1e-7, "{solver:?} {chart:?}: {worst:.2e} m");
            }
        }
    }
}

/// Heights and places of a lattice of points of a cut sheet.
fn lattice(world: &World, chart: Option<(f64, DVec2)>) -> Vec<DVec3> {
    let points = (0..7).flat_map(|j| (0..7).map(move |i| DVec2::new(f64::from(i), f64::from(j)) / 6.0));
    let at = |u: DVec2| match chart {
        None => queries::material_point(world, 0, u),
        Some((angle, shift)) if u.x > 0.5 => {
            queries::material_point(world, 0, PanelPoint::on(1, DVec2::from_angle(angle).rotate(u) + shift))
        }
        Some(_) => queries::material_point(world, 0, PanelPoint::on(0, u)),
    };
    points.map(|u| at(u).expect("on the sheet").position).collect()
}

/// Edits of the last pass.
fn edit_count(report: &StepReport) -> u64 {
    report.remesh.splits + report.remesh.collapses + report.remesh.flips
}

fn rms(a: &[DVec3], b: &[DVec3]) -> f64 {
    (a.iter().zip(b).map(|(a, b)| a.distance_squared(*b)).sum::<f64>() / a.len() as f64).sqrt()
}

#[test]
fn a_cut_sheet_that_is_remeshed_moves_as_the_whole_one_up_to_the_mesh() {
    let after = |chart, size_max: f64, cells| {
        let mut cloth = sheet(cells, chart, &stiff());
        cloth.remesh = Some(RemeshSettings { size_min: 0.02, size_max, ..RemeshSettings::by_thresholds() });
        let mut world = world(cloth, settings(SolverChoice::Global, None));
        let mass = world.motion().masses.iter().sum::<f64>();
        let mut edits = 0;
        for _ in 0..18 {
            let report = run(&mut world, 1);
            edits += edit_count(&report);
            let now = world.motion().masses.iter().sum::<f64>();
            assert!((now - mass).abs() <= 1e-12 * mass, "{now} kg from {mass}");
        }
        assert!(edits > 100, "{edits} edits");
        lattice(&world, chart)
    };
    let whole = after(None, 0.1, 10);
    let other = after(None, 0.08, 12);
    let discretization = rms(&whole, &other);
    for chart in CHARTS {
        let cut = rms(&whole, &after(Some(chart), 0.1, 10));
        assert!(cut < 2.0 * discretization.max(5e-4), "{cut:.2e} m, between two meshes {discretization:.2e}");
    }
}

/// A frustum of a cone about the y axis, its wider end down.
fn frustum(around: u32, rows: u32, [top, bottom]: [f64; 2], height: f64) -> TriangleMesh {
    let mut mesh = TriangleMesh::default();
    for j in 0..=rows {
        let t = f64::from(j) / f64::from(rows);
        for i in 0..around {
            let angle = TAU * f64::from(i) / f64::from(around);
            let radius = top + (bottom - top) * t;
            mesh.positions.push(DVec3::new(radius * angle.sin(), -height * t, radius * angle.cos()));
        }
    }
    let at = |i: u32, j: u32| j * around + i % around;
    for (i, j) in (0..rows).flat_map(|j| (0..around).map(move |i| (i, j))) {
        let [a, b, c, d] = [at(i, j), at(i, j + 1), at(i + 1, j + 1), at(i + 1, j)];
        mesh.faces.extend(if (i + j) % 2 == 0 { [[a, b, c], [a, c, d]] } else { [[a, b, d], [b, c, d]] });
    }
    mesh
}

#[test]
fn a_curved_cloth_that_flies_freely_stays_at_rest_while_its_mesh_changes() {
    let shapes = [
        frustum(32, 10, [0.2, 0.2], 0.4),
        frustum(32, 10, [0.1, 0.25], 0.3),
        taffeta::io::sphere_mesh(0.2, 3),
    ];
    for (number, mesh) in shapes.into_iter().enumerate() {
        let mut cloth = ClothDescription::new("shape", mesh, stiff());
        cloth.remesh =
            Some(RemeshSettings { size_min: 0.02, size_max: 0.03, ..RemeshSettings::by_thresholds() });
        cloth.velocity = DVec3::new(1.0, 2.0, 3.0);
        let still = SimulationSettings { gravity: DVec3::ZERO, ..settings(SolverChoice::Global, Some(2)) };
        let mut world = world(cloth, still);
        let mass = world.motion().masses.iter().sum::<f64>();
        let mut edits = 0;
        for _ in 0..4 {
            edits += edit_count(&run(&mut world, 1));
        }
        assert!(edits > 100, "{number}: {edits} edits");
        let metrics = world.measure();
        // A strain of 1e-9 over the whole shape has about this energy.
        assert!(metrics.stretch_energy < 1e-12, "{number}: {} J", metrics.stretch_energy);
        assert!(metrics.bend_energy < 1e-12, "{number}: {} J", metrics.bend_energy);
        assert!(metrics.max_strain < 1e-7, "{number}: {}", metrics.max_strain);
        let now = world.motion().masses.iter().sum::<f64>();
        assert!((now / mass - 1.0).abs() < 0.01, "{number}: {now} kg from {mass}");
    }
}

#[test]
fn a_skirt_that_hangs_from_its_waist_does_so_on_an_adaptive_mesh_as_on_a_fine_one() {
    let hang = |around, rows, remesh: Option<RemeshSettings>| {
        let mut soft = Material::isotropic(0.2, 60.0, 0.3, 2e-4);
        soft.stretch_damping = 0.05;
        let mut cloth = ClothDescription::new("skirt", frustum(around, rows, [0.15, 0.19], 0.4), soft);
        cloth.pins.push(PinDescription::new(Region::Box([DVec3::new(-1.0, -1e-6, -1.0), DVec3::splat(1.0)])));
        cloth.remesh = remesh;
        let simulation =
            SimulationSettings { velocity_damping: 6.0, ..settings(SolverChoice::Global, Some(4)) };
        let mut world = world(cloth, simulation);
        let mut edits = 0;
        for _ in 0..tier(45, 60) {
            edits += edit_count(&run(&mut world, 1));
        }
        let state = &world.motion();
        let mass: f64 = state.masses.iter().sum();
        let height =
            state.masses.iter().zip(state.positions.iter()).map(|(m, x)| m * x.y).sum::<f64>() / mass;
        (height, mass, edits, state.positions.len())
    };
    let (around, rows) = tier((48, 16), (96, 30));
    let fine = hang(around, rows, None);
    let still = frustum(around, rows, [0.15, 0.19], 0.4);
    let [at_rest, coarse] = [&still, &frustum(32, 10, [0.15, 0.19], 0.4)].map(mean_height);
    let limits = RemeshSettings {
        size_min: 0.01,
        size_max: 0.05,
        refine_strain: 0.02,
        ..RemeshSettings::by_thresholds()
    };
    let adaptive = hang(32, 10, Some(limits));
    let (drop, expected) = (coarse - adaptive.0, at_rest - fine.0);
    assert!(expected > 5e-4, "{expected} m");
    assert!((drop / expected - 1.0).abs() < 0.05, "{drop} m, on the fine mesh {expected} m; {adaptive:?}");
    assert!(adaptive.2 > 20, "{adaptive:?}");
}

/// The mean height of a shape, by area [m].
fn mean_height(mesh: &TriangleMesh) -> f64 {
    let x = |v: u32| mesh.positions[v as usize];
    let face = |f: &[u32; 3]| {
        let [a, b, c] = f.map(x);
        let area = 0.5 * (b - a).cross(c - a).length();
        [area, area * (a.y + b.y + c.y) / 3.0]
    };
    let [area, moment] = mesh.faces.iter().map(face).fold([0.0; 2], |s, f| [s[0] + f[0], s[1] + f[1]]);
    moment / area
}
