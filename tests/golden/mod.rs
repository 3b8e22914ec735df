//! Golden runs: small scenes whose states after some frames are written down bit for bit, so that no change of the
//! numbers goes unseen.
//!
//! `states.txt` holds a line per run. Where the lines differ the test fails with a table that tells a change of digits
//! from a change of topology. A change that is meant is written down with
//!
//! ```sh
//! cargo run -p xtask -- golden
//! ```
//!
//! and needs a line in CHANGELOG.md under *Numerics*.
//!
//! Factors of sparse matrices come from a library that chooses its instructions by the processor. On a processor
//! with the features that `states.txt` names, all runs are compared bit for bit; on another one, those with factors are
//! compared with a tolerance.

mod cases;
mod states;

use cases::{CASES, Case};
use states::{Difference, State, States};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicUsize, Ordering};
use taffeta::scene::{Override, Scene};
use taffeta::sim::{Checkpoint, StepInputs, World};

/// The variable that makes the test write the states anew.
const WRITE: &str = "TAFFETA_WRITE_GOLDEN";

fn folder() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../tests/golden")
}

/// The world of a case on one thread, and the time of a frame \[s\].
fn build(case: &Case) -> (World, f64) {
    let texts = case.overrides.iter().copied().chain(["simulation.threads=1"]);
    let overrides: Vec<_> = texts.map(|text| Override::parse(text).expect("an override")).collect();
    let path = folder().join("scenes").join(case.scene).with_extension("toml");
    let scene = Scene::from_file(&path, &overrides).unwrap_or_else(|e| panic!("{}: {e}", case.name));
    let description = scene.build().unwrap_or_else(|e| panic!("{}: {e}", case.name));
    let world = World::build(&description).unwrap_or_else(|e| panic!("{}: {e}", case.name));
    (world, scene.simulation.frame_time())
}

/// Simulates a case; the state at its end.
fn simulate(case: &Case) -> State {
    let (mut world, frame_time) = build(case);
    if case.frames == 0 {
        world.equilibrate().unwrap_or_else(|e| panic!("{}: {e}", case.name));
    }
    for frame in 0..case.frames {
        if case.is_resumed && frame == case.frames / 2 {
            let saved = world.checkpoint().to_bytes();
            let mut written = Vec::new();
            world.write_checkpoint(&mut written).expect("a vector takes everything");
            assert!(written == saved, "{}: a checkpoint is another if it is written part by part", case.name);
            world = build(case).0;
            let checkpoint = Checkpoint::from_bytes(&saved).expect("a checkpoint");
            world.restore(checkpoint).expect("a checkpoint of this world");
        }
        world.step(&StepInputs::default(), frame_time).unwrap_or_else(|e| panic!("{}: {e}", case.name));
    }
    State::of(case.name, &world)
}

/// The states of all cases. Threads take the next case when they are done with one. Worlds have threads of their own, and in a
/// pool a thread that waits for its world would begin another case.
fn simulate_all() -> Vec<State> {
    let next = AtomicUsize::new(0);
    let take = || std::iter::from_fn(|| CASES.get(next.fetch_add(1, Ordering::Relaxed)));
    let work = || take().map(simulate).collect::<Vec<_>>();
    let mut states = std::thread::scope(|scope| {
        let count = std::thread::available_parallelism().map_or(1, usize::from);
        let threads: Vec<_> = (0..count).map(|_| scope.spawn(work)).collect();
        threads.into_iter().flat_map(|thread| thread.join().expect("no case panics")).collect::<Vec<_>>()
    });
    states.sort_by_key(|state| CASES.iter().position(|case| case.name == state.name));
    states
}

#[test]
fn golden_runs_end_in_the_states_that_are_written_down() {
    let found = simulate_all();
    let path = folder().join("states.txt");
    if std::env::var_os(WRITE).is_some() {
        std::fs::write(&path, States::new(found).to_string()).expect("writable");
        return;
    }
    let written: States = std::fs::read_to_string(&path).expect("readable").parse().expect("states");
    let differences = found.iter().filter_map(|state| written.find_difference(state));
    let differences: Vec<_> = differences.chain(written.find_surplus(&found)).collect();
    assert!(
        differences.is_empty(),
        "{} of {} runs differ:\n\n{}\nIf that is meant: `cargo run -p xtask -- golden`, and a line in CHANGELOG.md under Numerics.",
        differences.len(),
        CASES.len(),
        Difference::table(&differences)
    );
}

#[test]
fn a_resumed_run_is_written_down_as_the_one_that_was_not_interrupted() {
    let written: States =
        std::fs::read_to_string(folder().join("states.txt")).expect("readable").parse().expect("states");
    let resumed: Vec<_> = CASES.iter().filter(|case| case.is_resumed).collect();
    assert!(!resumed.is_empty());
    for case in resumed {
        let same = |other: &&Case| {
            let key = |case: &Case| (case.scene, case.overrides, case.frames);
            !other.is_resumed && key(other) == key(case)
        };
        let whole = CASES.iter().find(same).unwrap_or_else(|| panic!("{} has no whole run", case.name));
        let hash = |name: &str| written.find(name).map(|state| state.hash.clone());
        assert_eq!(hash(case.name), hash(whole.name), "{}", case.name);
    }
}
