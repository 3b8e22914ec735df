//! The scenes of contact in short: nothing crosses in any frame.

use std::path::Path;
use taffeta::core::random::SplitMix64;
use taffeta::scene::{Override, Scene};
use taffeta::sim::queries;
use taffeta::sim::{StepInputs, World};

/// A scene, what makes it short, and how many frames it then has.
struct Case {
    name: &'static str,
    overrides: &'static [&'static str],
    frames: u64,
}

/// The plate behind the bullet as triangles instead of a box in closed form.
const MESH_PLATE: &str = r#"obstacle.0.shape={ mesh = "../../meshes/plate.obj" }"#;

const CASES: &[Case] = &[
    Case {
        name: "rotating_sphere",
        overrides: &["cloth.0.remesh.size_min=0.05", "cloth.0.grid.cells=[8,8]"],
        frames: 40,
    },
    Case {
        name: "twisted_tube",
        overrides: &["cloth.0.pin.0.motion.1.t=0.6", "cloth.0.pin.1.motion.1.t=0.6"],
        frames: 20,
    },
    Case { name: "funnel", overrides: &[], frames: 20 },
    Case { name: "stack", overrides: &[], frames: 20 },
    Case { name: "knot", overrides: &[], frames: 60 },
    Case { name: "tablecloth_pull", overrides: &["cloth.0.remesh.size_min=0.05"], frames: 50 },
    Case { name: "bullet", overrides: &["cloth.0.velocity=[0,0,-1]"], frames: 12 },
    Case { name: "bullet", overrides: &["cloth.0.velocity=[0,0,-10]"], frames: 6 },
    Case { name: "bullet", overrides: &[], frames: 6 },
    Case { name: "bullet", overrides: &["cloth.0.velocity=[0,0,-1000]"], frames: 6 },
    Case { name: "bullet", overrides: &[MESH_PLATE, "cloth.0.velocity=[0,0,-1]"], frames: 12 },
    Case { name: "bullet", overrides: &[MESH_PLATE, "cloth.0.velocity=[0,0,-10]"], frames: 6 },
    Case { name: "bullet", overrides: &[MESH_PLATE], frames: 6 },
    Case { name: "bullet", overrides: &[MESH_PLATE, "cloth.0.velocity=[0,0,-1000]"], frames: 6 },
    Case { name: "tilted_plane", overrides: &[], frames: 30 },
    Case { name: "skirt", overrides: &["cloth.0.pin.0.motion.0.t=0.1"], frames: 20 },
];

/// Largest shift of a start at random \[m\].
const JITTER: f64 = 2e-4;

fn read(case: &Case, more: &[String]) -> Scene {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join(format!("../../scenes/contact/{}.toml", case.name));
    let texts = case.overrides.iter().map(|text| (*text).to_owned()).chain(more.iter().cloned());
    let overrides: Vec<_> = texts.map(|text| Override::parse(&text).unwrap()).collect();
    Scene::from_file(&path, &overrides).unwrap_or_else(|error| panic!("{}: {error}", case.name))
}

/// Runs a scene; in how many frames something was touched.
fn run_apart(scene: &Scene, what: &str, frames: u64) -> usize {
    let mut world = World::build(&scene.build().unwrap()).unwrap();
    let mut touched = 0;
    for frame in 0..=frames {
        let crossings = world.crossings().expect("cloths meet").len();
        let sunken = queries::sunken_faces(&world).expect("cloths meet");
        assert_eq!([crossings, sunken], [0; 2], "{what}: crossings and sunken faces in frame {frame}");
        if frame < frames {
            let report = world.step(&StepInputs::default(), scene.simulation.frame_time()).unwrap();
            touched += usize::from(report.contacts > 0);
        }
    }
    touched
}

/// Runs the cases of a scene for so many frames each at most.
fn nothing_crosses(name: &str, frames: u64) {
    let cases = CASES.iter().filter(|case| case.name == name);
    let touched: usize = cases.map(|case| run_apart(&read(case, &[]), name, case.frames.min(frames))).sum();
    assert!(touched > 0, "{name}: nothing touches in {frames} frames");
}

mod scenes {
    use super::*;

    /// A whole scene ten times from starts that are shifted a little.
    fn nothing_crosses_in_ten_repeats(name: &str) {
        let mut random = SplitMix64(1);
        for case in CASES.iter().filter(|case| case.name == name) {
            let case = Case { overrides: if name == "bullet" { case.overrides } else { &[] }, ..*case };
            for repeat in 0..10 {
                let scene = read(&case, &[]);
                let shift = |_| (2.0 * random.next_unit() - 1.0) * JITTER;
                let [x, y, z] = [0; 3].map(shift);
                let place = scene.cloths[0].place.translate;
                // Up, so that nothing starts in the ground.
                let moved = [place.x + x, place.y + y.abs(), place.z + z];
                let scene = read(&case, &[format!("cloth.0.place.translate={moved:?}")]);
                let what = format!("{name}, repeat {repeat}");
                run_apart(&scene, &what, scene.last_frame());
                // It takes long: says with `--nocapture` how far it is.
                eprintln!("{what}: {} frames, nothing crosses", scene.last_frame());
            }
        }
    }

    /// The first frames of a scene, in which something touches; all frames of the cases; and the whole scene, ten times.
    macro_rules! scenes {
        ($($scene:ident: $frames:literal),* $(,)?) => {
            $(
                mod $scene {
                    #[test]
                    fn nothing_crosses_at_first() {
                        super::super::nothing_crosses(stringify!($scene), $frames);
                    }

                    #[test]
                    #[ignore = "second tier"]
                    fn nothing_crosses() {
                        super::super::nothing_crosses(stringify!($scene), u64::MAX);
                    }

                    #[test]
                    #[ignore = "second tier: hours"]
                    fn nothing_crosses_in_ten_repeats() {
                        super::nothing_crosses_in_ten_repeats(stringify!($scene));
                    }
                }
            )*

            #[test]
            fn every_scene_is_run() {
                let mut run = vec![$(stringify!($scene)),*];
                let mut named: Vec<_> = CASES.iter().map(|case| case.name).collect();
                run.sort_unstable();
                named.sort_unstable();
                named.dedup();
                assert_eq!(run, named);
            }
        };
    }

    scenes! {
        rotating_sphere: 12,
        twisted_tube: 3,
        funnel: 14,
        stack: 4,
        knot: 60,
        tablecloth_pull: 6,
        bullet: 2,
        tilted_plane: 10,
        skirt: 18,
    }
}
