//! Cost of contact: the stages that find contacts and keep primitives apart, on one thread, in milliseconds per frame of 1/60
//! s. The benchmark prints the fastest of ten frames and their mean, since not every frame searches. The scenes are a sheet at
//! rest on a ball, a falling sheet, and six sheets upon each other.
//!
//! `cargo bench --bench contact [-- NAME]`

use std::fmt::Write as _;
use std::path::Path;
use std::time::Duration;
use taffeta::scene::Scene;
use taffeta::sim::{Stage, StageTimes, StepInputs, World};

/// Frames measured.
const FRAMES: u32 = 10;

fn main() {
    let filter = std::env::args().skip(1).find(|argument| !argument.starts_with('-'));
    // With the frames before the measurement.
    let cases = [
        ("fall-10k", drape(72, 1.0), 20),
        ("drape-10k", drape(72, 0.153), 20),
        ("idle-10k", drape(72, 0.153), 120),
        ("layers-10k", layers(29), 20),
        ("layers-50k", layers(65), 20),
    ];
    for (name, scene, settling) in cases {
        if filter.as_deref().is_none_or(|filter| name.contains(filter)) {
            measure(name, &scene, settling);
        }
    }
}

/// A sheet of `2 cells²` triangles at some height \[m\] over the center of a ball.
fn drape(cells: u32, height: f64) -> String {
    format!(
        "[simulation]\nthreads = 1\nduration = 1.0\ngravity = [0.0, 0.0, -9.81]\n\n[[cloth]]\nname = \"sheet\"\n\
         grid = {{ size = [0.5, 0.5], cells = [{cells}, {cells}] }}\nmaterial = \"cotton\"\n\
         place = {{ translate = [-0.25, -0.25, {height}] }}\n\n\
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

fn measure(name: &str, scene: &str, settling: u32) {
    let scene = Scene::from_str(scene, Path::new(name), &[]).expect("a scene");
    let mut world = World::build(&scene.build().expect("complete")).expect("complete");
    let dt = scene.simulation.frame_time();
    let mut run = || world.step(&StepInputs::default(), dt).expect("every step is finite");
    (0..settling).for_each(|_| drop(run()));
    let reports: Vec<_> = (0..FRAMES).map(|_| run()).collect();
    // The fastest frame, as others take time too.
    let fastest = |time: &dyn Fn(&StageTimes) -> Duration| {
        let times = reports.iter().map(|report| time(&report.times));
        1e3 * times.min().unwrap_or_default().as_secs_f64()
    };
    let substeps = reports.iter().map(|report| report.plan.substeps).max().unwrap_or_default();
    let shortened: u64 = reports.iter().map(|report| report.safeguard.shortened).sum();
    let faces = reports.iter().map(|report| report.faces).max().unwrap_or_default();
    let linear: u32 = reports.iter().map(|report| report.plan.linear_iterations).sum();
    let newton = reports.iter().map(|report| report.plan.iterations).max().unwrap_or_default();
    let unfinished: u32 = reports.iter().map(|report| report.plan.not_converged).sum();
    println!("{name}: {faces} triangles, {substeps} substeps per frame, {shortened} motions shortened");
    println!(
        "{newton:8} Newton iterations in a substep at most, {unfinished} substeps not converged, {} linear iterations \
         per frame",
        linear / FRAMES
    );
    let of_contact = |times: &StageTimes| times.of(Stage::Detect) + times.of(Stage::Secure);
    let mean = reports.iter().map(|report| of_contact(&report.times)).sum::<Duration>() / FRAMES;
    println!(
        "{:8.1} ms of contact per frame, {:.1} on average",
        fastest(&of_contact),
        1e3 * mean.as_secs_f64()
    );
    for stage in Stage::ALL {
        println!("{:8.1} ms per frame in {stage:?}", fastest(&|times| times.of(stage)));
    }
}
