//! Projective dynamics by numbers of triangles and of iterations, printed as Markdown.
//!
//! `cargo run --release --example projective_study` runs both studies at full size; a number of seconds is not promised:
//! the largest mesh has 65 536 triangles.

use glam::{DVec2, DVec3};
use std::time::{Duration, Instant};
use taffeta::core::Region;
use taffeta::io::{GridPattern, grid};
use taffeta::sim::queries;
use taffeta::sim::{
    BendingModel, ClothDescription, Material, PinDescription, SimulationSettings, SolverChoice, Stage,
    StepInputs, World, WorldDescription,
};

const FRAME: f64 = 1.0 / 60.0;
/// Frames of the swing that are compared.
const FRAMES: u32 = 12;
/// Cells of two triangles along the sides, and the number of triangles.
const SIZES: [[u32; 2]; 6] = [[8, 4], [16, 8], [32, 16], [64, 32], [128, 64], [256, 128]];

/// A sheet of 2 m by 1 m that swings from patches at two corners of a long side.
fn swing(cells: [u32; 2], iterations: u32) -> World {
    let mut mesh = grid(DVec2::new(2.0, 1.0), cells, GridPattern::Alternating, 0);
    mesh.positions.iter_mut().for_each(|x| *x = DVec3::new(x.x, 0.0, -x.y));
    let mut cloth = ClothDescription::new("sheet", mesh, Material::isotropic(0.2, 2000.0, 0.0, 5e-5));
    cloth.bending = BendingModel::MeanCurvature;
    let patch = |low: f64, high: f64| Region::MaterialBox([DVec2::new(low, 0.74), DVec2::new(high, 1.01)]);
    cloth.pins = [patch(-0.01, 0.26), patch(1.74, 2.01)].map(PinDescription::new).into();
    let simulation = SimulationSettings {
        solver: SolverChoice::Projective,
        iterations: Some(iterations),
        threads: 1,
        ..SimulationSettings::default()
    };
    let description = WorldDescription { cloths: vec![cloth], simulation, ..WorldDescription::bare() };
    World::build(&description).expect("the description is complete")
}

/// Positions of 9 × 5 material points \[m\].
fn shape(world: &World) -> Vec<DVec3> {
    let at = |i: u32| DVec2::new(f64::from(i % 9), f64::from(i / 9)) / 4.0;
    (0..45).map(|i| queries::material_point(world, 0, at(i)).expect("on the sheet").position).collect()
}

/// Root mean square distance \[mm\].
fn distance(a: &[DVec3], b: &[DVec3]) -> f64 {
    let square: f64 = a.iter().zip(b).map(|(a, b)| a.distance_squared(*b)).sum();
    1e3 * (square / a.len() as f64).sqrt()
}

/// Milliseconds of the solve of one step.
fn solve(world: &mut World) -> f64 {
    let report = world.step(&StepInputs::default(), FRAME).expect("the step is finite");
    1e3 * report.times.of(Stage::Solve).as_secs_f64()
}

/// Times of a run.
struct Run {
    /// Building the world, of which the analysis of the system is a part, and factorization \[ms\].
    initialization: f64,
    /// Of it: analysis and factorization \[ms\].
    system: f64,
    /// Local steps, global steps and all of the solve, of the fastest frame after the first \[ms\]: what others do on the
    /// machine only ever adds.
    frame: [f64; 3],
}

/// Times of a swing and the shape at its end.
fn measure(cells: [u32; 2], iterations: u32) -> (Run, World) {
    let begun = Instant::now();
    let mut world = swing(cells, iterations);
    let built = 1e3 * begun.elapsed().as_secs_f64();
    solve(&mut world);
    let times = |world: &World| queries::projective_times(world).expect("the solver is projective");
    let start = times(&world);
    let milliseconds = |time: Duration| 1e3 * time.as_secs_f64();
    let mut frame = [f64::INFINITY; 3];
    for _ in 1..FRAMES {
        let before = times(&world);
        let whole = solve(&mut world);
        let spent = times(&world).since(&before);
        if whole < frame[2] {
            frame = [milliseconds(spent.local), milliseconds(spent.global), whole];
        }
    }
    let factorization = milliseconds(start.factorization);
    let run = Run {
        initialization: built + factorization,
        system: milliseconds(start.analysis) + factorization,
        frame,
    };
    (run, world)
}

fn study_sizes(sizes: &[[u32; 2]]) -> Vec<Vec<DVec3>> {
    println!(
        "| triangles | initialization, ms | of it the system, ms | local steps, ms | global steps, ms | frame, ms | frame of 1 iteration, ms |"
    );
    println!("|---|---|---|---|---|---|---|");
    let mut shapes = Vec::new();
    for cells in sizes {
        let (run, world) = measure(*cells, 15);
        let Run { initialization, system, frame: [local, global, whole] } = run;
        let (one, _) = measure(*cells, 1);
        println!(
            "| {} | {initialization:.1} | {system:.1} | {local:.3} | {global:.3} | {whole:.3} | {:.3} |",
            world.face_count(),
            one.frame[2]
        );
        assert!(local > 0.0 && global > 0.0 && local + global <= whole, "the parts make up the frame");
        shapes.push(shape(&world));
    }
    println!("\n| triangles | distance of the shape to that of the finest mesh, mm |\n|---|---|");
    let finest = shapes.last().expect("there are sizes");
    for (cells, shape) in sizes.iter().zip(&shapes) {
        println!("| {} | {:.2} |", 2 * cells[0] * cells[1], distance(shape, finest));
    }
    shapes
}

fn study_iterations(cells: [u32; 2], counts: &[u32], exact: u32) -> Vec<f64> {
    let swung = |iterations| {
        let mut world = swing(cells, iterations);
        (0..FRAMES).for_each(|_| _ = solve(&mut world));
        shape(&world)
    };
    let reference = swung(exact);
    println!("\n| iterations | distance to {exact} iterations, mm |\n|---|---|");
    let distances = counts.iter().map(|count| distance(&swung(*count), &reference));
    let distances: Vec<f64> = distances.collect();
    counts.iter().zip(&distances).for_each(|(count, mm)| println!("| {count} | {mm:.2} |"));
    distances
}

fn main() {
    study_sizes(&SIZES);
    study_iterations([128, 64], &[1, 2, 5, 10, 15, 20, 50, 100], 1000);
}

/// Runs the study at small size.
#[test]
fn small_studies_converge() {
    let shapes = study_sizes(&SIZES[..4]);
    let apart = [distance(&shapes[1], &shapes[3]), distance(&shapes[2], &shapes[3])];
    assert!(apart[1] < apart[0], "{apart:?}");
    let distances = study_iterations([16, 8], &[1, 2, 5, 10, 20, 50, 100], 1000);
    // One and two iterations are equally far away: both hardly swing.
    assert!(distances[1..].windows(2).all(|pair| pair[1] < pair[0]), "{distances:?}");
    assert!(distances[6] < 0.2 * distances[0], "{distances:?}");
}
