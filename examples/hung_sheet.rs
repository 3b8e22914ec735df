//! A stiff sheet hangs by its upper edge: how far its lower edge drops, by resolution and solver.
//!
//! The truth is 0.48 mm at every resolution. The block solver stretches the sheet by an excess that falls with the
//! square of the number of substeps; the direct solver does not.
//!
//! `cargo run --release --example hung_sheet` prints the table for 16, 32 and 64 cells a side.

use glam::{DVec2, DVec3};
use taffeta::core::Region;
use taffeta::io::{GridPattern, grid};
use taffeta::sim::{
    ClothDescription, Material, PinDescription, SimulationSettings, SolverChoice, StepError, StepInputs,
    World, WorldDescription,
};

/// A square of 1 m² of 2000 N/m, 0.2 kg/m² and 5e-5 N·m, held by its upper edge.
fn hung_sheet(cells: u32, solver: SolverChoice, substeps: Option<u32>) -> World {
    let mesh = grid(DVec2::ONE, [cells, cells], GridPattern::Alternating, 0);
    let mut sheet = ClothDescription::new("sheet", mesh, Material::isotropic(0.2, 2000.0, 0.3, 5e-5));
    let upper_edge = Region::MaterialBox([DVec2::new(0.0, 1.0), DVec2::ONE]);
    sheet.pins.push(PinDescription::new(upper_edge));
    let simulation =
        SimulationSettings { solver, substeps, velocity_damping: 20.0, ..SimulationSettings::default() };
    let description = WorldDescription { cloths: vec![sheet], simulation, ..WorldDescription::bare() };
    World::build(&description).expect("the description is complete")
}

/// Lets the sheet come to rest and returns the mean drop of its lower edge [m] and the substeps used.
fn settle(mut world: World, seconds: f64) -> Result<(f64, u32), StepError> {
    let mut substeps = 0;
    for _ in 0..(seconds * 60.0) as u32 {
        substeps = world.step(&StepInputs::default(), 1.0 / 60.0)?.plan.substeps;
    }
    let mesh = world.mesh(0);
    let mut lower: Vec<DVec3> = Vec::new();
    for (face, corners) in mesh.faces.iter().zip(mesh.material.iter().flatten()) {
        let on_edge = face.iter().zip(corners).filter(|(_, u)| u.y == 0.0);
        lower.extend(on_edge.map(|(v, _)| mesh.positions[*v as usize]));
    }
    Ok((-lower.iter().map(|x| x.y).sum::<f64>() / lower.len() as f64, substeps))
}

fn print_table(resolutions: &[u32], seconds: f64) -> Result<(), StepError> {
    println!("cells  solver   substeps  drop, mm");
    for &n in resolutions {
        let block = SolverChoice::Block;
        for substeps in [Some(3 * n), Some(6 * n), None] {
            let (drop, used) = settle(hung_sheet(n, block, substeps), seconds)?;
            let choice = if substeps.is_none() { "auto" } else { "" };
            println!("{n:5}  block  {used:6} {choice:4}  {:8.3}", 1e3 * drop);
        }
        let (drop, used) = settle(hung_sheet(n, SolverChoice::Direct, None), seconds)?;
        println!("{n:5}  direct {used:6} auto  {:8.3}", 1e3 * drop);
    }
    Ok(())
}

fn main() -> Result<(), StepError> {
    print_table(&[16, 32, 64], 0.75)
}

#[test]
fn runs_in_a_short_mode() {
    print_table(&[8], 0.1).expect("every step is finite");
}
