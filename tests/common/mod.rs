//! Code that the tests of the whole simulator share.
#![allow(dead_code, reason = "each test file uses its own part")]

use glam::{DVec2, DVec3};
use taffeta::core::{Region, TriangleMesh};
use taffeta::io::{GridPattern, grid};
use taffeta::sim::{
    Air, ClothDescription, Material, PinDescription, SimulationSettings, SolverChoice, StepInputs,
    StepReport, World, WorldDescription,
};
use taffeta::solve::{Blocks, Supports};

pub(crate) mod glide;

pub(crate) use taffeta_fixtures::tier;

/// One output frame [s].
pub(crate) const FRAME: f64 = 1.0 / 60.0;

/// The sheet of the resolution study: 2000 N/m, 0.2 kg/m², 5e-5 N·m.
pub(crate) fn stiff() -> Material {
    Material::isotropic(0.2, 2000.0, 0.3, 5e-5)
}

/// A square sheet of 1 m² in the xy-plane.
pub(crate) fn square(cells: u32, pattern: GridPattern) -> TriangleMesh {
    grid(DVec2::ONE, [cells, cells], pattern, 1)
}

/// A cloth held in a box of material space.
pub(crate) fn pinned(mesh: TriangleMesh, material: Material, held: [[DVec2; 2]; 1]) -> ClothDescription {
    let mut cloth = ClothDescription::new("sheet", mesh, material);
    cloth.pins = held.map(|b| PinDescription::new(Region::MaterialBox(b))).into();
    cloth
}

/// The sheet of the resolution study, held by its upper edge.
pub(crate) fn hung_sheet(cells: u32, pattern: GridPattern) -> ClothDescription {
    pinned(square(cells, pattern), stiff(), [[DVec2::new(0.0, 1.0), DVec2::ONE]])
}

/// A sheet held by two patches of 10 cm at its upper corners, lying horizontally.
pub(crate) fn swing(cells: u32) -> ClothDescription {
    let mut mesh = square(cells, GridPattern::Alternating);
    mesh.positions.iter_mut().for_each(|x| *x = DVec3::new(x.x, 0.0, -x.y));
    let mut cloth = ClothDescription::new("sheet", mesh, stiff());
    let patches = [[DVec2::new(0.0, 0.9), DVec2::new(0.1, 1.0)], [DVec2::new(0.9, 0.9), DVec2::ONE]];
    cloth.pins = patches.map(|b| PinDescription::new(Region::MaterialBox(b))).into();
    cloth
}

/// A world of one cloth in a vacuum.
pub(crate) fn world(cloth: ClothDescription, simulation: SimulationSettings) -> World {
    build(&WorldDescription { cloths: vec![cloth], simulation, ..WorldDescription::bare() })
}

/// Builds a world.
pub(crate) fn build(description: &WorldDescription) -> World {
    World::build(description).expect("the description is complete")
}

/// The blocks of the present sheet of a world.
pub(crate) fn blocks_of(world: &World) -> Blocks {
    let sheet = world.sheet();
    let models: Vec<_> = world.cloths().iter().map(|cloth| cloth.model()).collect();
    Blocks::build(
        &sheet.topology,
        &world.motion().rest,
        &models,
        &Supports::new(&world.motion().inverse_masses),
    )
}

/// Settings with a solver and a fixed number of substeps.
pub(crate) fn settings(solver: SolverChoice, substeps: Option<u32>) -> SimulationSettings {
    SimulationSettings { solver, substeps, ..SimulationSettings::default() }
}

/// Makes steps of one frame; the last report.
pub(crate) fn run(world: &mut World, frames: u32) -> StepReport {
    let mut last = None;
    for _ in 0..frames {
        last = Some(world.step(&StepInputs::default(), FRAME).expect("the step is finite"));
    }
    last.expect("at least one frame")
}

/// Mean height [m] of the vertices on the lower edge of material space.
pub(crate) fn mean_lower_edge(world: &World) -> f64 {
    let mesh = world.mesh(0);
    let mut heights = std::collections::BTreeMap::new();
    for (face, corners) in mesh.faces.iter().zip(mesh.material.as_ref().expect("material coordinates")) {
        for (v, u) in face.iter().zip(corners) {
            if u.y == 0.0 {
                heights.insert(*v, mesh.positions[*v as usize].y);
            }
        }
    }
    heights.values().sum::<f64>() / heights.len() as f64
}

/// Air of the usual density.
pub(crate) fn air(wind: DVec3) -> Air {
    Air { wind, ..Air::default() }
}
