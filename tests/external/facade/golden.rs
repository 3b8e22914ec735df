//! Golden runs by the library with its default features alone, against the states that all of it ends in. Without a reader of
//! scenes the sheet of `tests/golden/scenes/swing.toml` is made here.

#![allow(dead_code, reason = "the module of the states is that of all golden runs")]

#[path = "parts/states.rs"]
mod states;

use states::{Difference, State, States};
use taffeta::prelude::*;
use taffeta::solve::BendingModel;

const CELLS: u32 = 10;
const SIZE: f64 = 0.5;

fn sheet() -> TriangleMesh {
    let side = CELLS + 1;
    let along = |k: u32| SIZE * f64::from(k) / f64::from(CELLS);
    let material: Vec<DVec2> =
        (0..side * side).map(|k| DVec2::new(along(k % side), along(k / side))).collect();
    let cut = |k: u32| {
        let (i, j) = (k % CELLS, k / CELLS);
        let a = j * side + i;
        let (b, c, d) = (a + 1, a + side + 1, a + side);
        if (i + j) % 2 == 0 { [[a, b, c], [a, c, d]] } else { [[a, b, d], [b, c, d]] }
    };
    let place = Placement { rotate_deg: DVec3::new(-80.0, 0.0, 0.0), ..Placement::default() };
    let mut mesh = TriangleMesh {
        positions: material.iter().map(|u| place.apply(u.extend(0.0))).collect(),
        faces: (0..CELLS * CELLS).flat_map(cut).collect(),
        ..TriangleMesh::default()
    };
    mesh.set_vertex_material(&material);
    mesh
}

/// The state of the sheet after some frames.
fn swing(name: &str, solver: SolverChoice, bending: BendingModel, frames: u32) -> State {
    let mut cloth = ClothDescription::new("sheet", sheet(), Material::isotropic(0.2, 800.0, 0.3, 5e-5));
    cloth.bending = bending;
    cloth.pins.push(PinDescription::new(Region::MaterialBox([DVec2::new(0.0, SIZE), DVec2::splat(SIZE)])));
    let simulation = SimulationSettings { solver, threads: 1, ..SimulationSettings::default() };
    let description = WorldDescription { cloths: vec![cloth], simulation, ..WorldDescription::default() };
    let mut world = World::build(&description).expect("it is sound");
    for _ in 0..frames {
        world.step(&StepInputs::default(), 1.0 / 60.0).expect("it is finite");
    }
    State::of(name, &world)
}

fn written() -> String {
    let path = std::env::var_os("TAFFETA_GOLDEN").expect("the path of the golden states");
    std::fs::read_to_string(path).expect("readable")
}

fn compare(found: [State; 2], written: &str) {
    let written: States = written.parse().expect("states");
    let differences: Vec<_> = found.iter().filter_map(|state| written.find_difference(state)).collect();
    assert!(differences.is_empty(), "{}", Difference::table(&differences));
}

#[test]
fn sweeps_have_the_bits_that_are_written_down() {
    let block = swing("swing block", SolverChoice::Block, BendingModel::default(), 30);
    compare([block, swing("swing pbd", SolverChoice::Pbd, BendingModel::Hinge, 30)], &written());
}

#[test]
fn plain_factors_end_in_the_states_that_are_written_down() {
    let global = swing("swing global", SolverChoice::Global, BendingModel::default(), 30);
    let direct = swing("swing direct", SolverChoice::Direct, BendingModel::default(), 8);
    // Factors of another library have other last bits, as those of another processor have.
    let other = |line: &str| {
        if line.starts_with("processor: ") { "processor: another\n".into() } else { format!("{line}\n") }
    };
    compare([global, direct], &written().lines().map(other).collect::<String>());
}
