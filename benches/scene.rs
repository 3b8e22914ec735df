//! Scene benchmark: the adaptive drape with all stages on one thread. It prints milliseconds per frame, and microseconds of CPU
//! per vertex and 5 ms of simulated time. The latter is the unit in which the reference adaptive code was measured (108).
//!
//! `cargo bench --bench scene`

use std::path::Path;
use taffeta::scene::{Override, Scene};
use taffeta::sim::{Stage, StageTimes, StepInputs, World};

fn main() {
    let file = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../scenes/drape.toml");
    let one_thread = Override::parse("simulation.threads=1").expect("an override");
    let scene = Scene::from_file(&file, &[one_thread]).expect("the project ships it");
    let mut world = World::build(&scene.build().expect("complete")).expect("complete");
    let (dt, frames) = (scene.simulation.frame_time(), scene.last_frame());
    let (mut times, mut vertices) = (StageTimes::default(), 0.0);
    let cpu = cpu_time::ProcessTime::now();
    for _ in 0..frames {
        let report = world.step(&StepInputs::default(), dt).expect("every step is finite");
        times.add(&report.times);
        vertices += report.vertices as f64;
    }
    let cpu = cpu.elapsed().as_secs_f64();
    let per_frame = |seconds: f64| 1e3 * seconds / frames as f64;
    println!("adaptive drape, {frames} frames, one thread, mean of {:.0} vertices", vertices / frames as f64);
    println!("{:8.2} ms of CPU per frame", per_frame(cpu));
    println!("{:8.2} µs of CPU per vertex and 5 ms of simulated time", 1e6 * cpu / (vertices * dt / 0.005));
    for stage in Stage::ALL {
        println!("{:8.2} ms per frame in {stage:?}", per_frame(times.of(stage).as_secs_f64()));
    }
}
