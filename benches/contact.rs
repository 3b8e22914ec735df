//! What contact costs: the stages that find contacts and keep primitives apart, one thread, in milliseconds of CPU time per
//! frame of 1/60 s, for a sheet at rest on a ball and for six sheets upon each other.
//!
//! `cargo bench --bench contact [-- NAME]`

use cpu_time::ProcessTime;
use std::fmt::Write as _;
use std::path::Path;
use taffeta::scene::Scene;
use taffeta::sim::{Stage, StageTimes, StepInputs, World};

/// Frames before the measurement, and frames measured.
const SETTLING: u32 = 20;
const FRAMES: u32 = 10;

fn main() {
    let filter = std::env::args().skip(1).find(|argument| !argument.starts_with('-'));
    let cases = [
        ("drape-10k", drape(72)),
        ("layers-10k", layers(29)),
        ("layers-50k", layers(65)),
    ];
    for (name, scene) in cases {
        if filter.as_deref().is_none_or(|filter| name.contains(filter)) {
            measure(name, &scene);
        }
    }
}

/// A sheet of `2 cells²` triangles on a ball.
fn drape(cells: u32) -> String {
    format!(
        "[simulation]\nthreads = 1\nduration = 1.0\ngravity = [0.0, 0.0, -9.81]\n\n[[cloth]]\nname = \"sheet\"\n\
         grid = {{ size = [0.5, 0.5], cells = [{cells}, {cells}] }}\nmaterial = \"cotton\"\n\
         place = {{ translate = [-0.25, -0.25, 0.153] }}\n\n\
         [[obstacle]]\nshape = {{ sphere = {{ radius = 0.15 }} }}\nfriction = {{ static = 0.4, kinetic = 0.3 }}\n"
    )
}

/// Six sheets of `2 cells²` triangles, each on the one below and turned against it.
fn layers(cells: u32) -> String {
    let mut scene = String::from(
        "[simulation]\nthreads = 1\nduration = 1.0\ngravity = [0.0, 0.0, -9.81]\n\n[[obstacle]]\n\
         shape = { plane = { normal = [0, 0, 1] } }\nfriction = { static = 0.4, kinetic = 0.3 }\n",
    );
    for (layer, turn) in [0, 17, -9, 25, -20, 8].into_iter().enumerate() {
        let height = 0.0005 + 0.0006 * layer as f64;
        write!(
            scene,
            "\n[[cloth]]\nname = \"sheet_{layer}\"\ngrid = {{ size = [0.3, 0.3], cells = [{cells}, {cells}] }}\n\
             material = \"cotton\"\nplace = {{ translate = [0, 0, {height}], rotate_deg = [0, 0, {turn}] }}\n"
        )
        .expect("strings take everything");
    }
    scene
}

fn measure(name: &str, scene: &str) {
    let scene = Scene::from_str(scene, Path::new(name), &[]).expect("a scene");
    let mut world = World::build(&scene.build().expect("complete")).expect("complete");
    let (dt, mut times, mut substeps) = (scene.simulation.frame_time(), StageTimes::default(), 0);
    let (mut shortened, mut cpu) = (0, ProcessTime::now());
    for frame in 0..SETTLING + FRAMES {
        if frame == SETTLING {
            cpu = ProcessTime::now();
        }
        let report = world.step(&StepInputs::default(), dt).expect("every step is finite");
        if frame >= SETTLING {
            times.add(&report.times);
            substeps += report.plan.substeps;
            shortened += report.safeguard.shortened;
        }
    }
    // Wall times of one thread are those of the processor but for what others take from it, in all stages alike.
    let all: f64 = Stage::ALL.iter().map(|stage| times.of(*stage).as_secs_f64()).sum();
    let scale = 1e3 * cpu.elapsed().as_secs_f64() / all / f64::from(FRAMES);
    let per_frame = |stage: Stage| scale * times.of(stage).as_secs_f64();
    let faces = world.sheet().topology.faces.len();
    println!(
        "{name}: {faces} triangles, {:.1} substeps per frame, {shortened} motions shortened",
        f64::from(substeps) / f64::from(FRAMES)
    );
    println!("{:8.1} ms of contact per frame", per_frame(Stage::Detect) + per_frame(Stage::Secure));
    for stage in Stage::ALL {
        println!("{:8.1} ms per frame in {stage:?}", per_frame(stage));
    }
}
