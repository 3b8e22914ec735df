//! Checkpoints: what is not refused is a state from which the world goes on.
#![no_main]

use libfuzzer_sys::fuzz_target;
use std::cell::RefCell;
use std::path::Path;
use taffeta::scene::Scene;
use taffeta::sim::{Checkpoint, StepInputs, World};

/// The world of the checkpoints among the seeds (`tests/damaged/samples.rs`).
const SCENE: &str = r#"
[simulation]
duration = 1.0
threads = 1

[[cloth]]
name = "sheet"
grid = { size = [1.0, 1.0], cells = [4, 4] }
material = "cotton"
place = { translate = [-0.5, 0.201, 0.5], rotate_deg = [-90, 0, 0] }
remesh = { size_min = 0.08 }

[[obstacle]]
shape = { sphere = { radius = 0.2 } }
"#;

thread_local! {
    static WORLD: RefCell<World> = {
        let scene = Scene::from_str(SCENE, Path::new("scene.toml"), &[]).expect("a good scene");
        RefCell::new(World::build(&scene.build().expect("a good scene")).expect("a good world"))
    };
}

fuzz_target!(|data: &[u8]| {
    let Ok(checkpoint) = Checkpoint::from_bytes(data) else { return };
    WORLD.with_borrow_mut(|world| {
        if world.restore(checkpoint).is_ok() {
            _ = world.step(&StepInputs::default(), 1.0 / 60.0);
        }
    });
});
