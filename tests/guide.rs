//! The scenes in the guide are scenes.

use std::path::Path;
use taffeta::scene::Scene;
use taffeta::sim::{StepInputs, World};

/// The blocks of a language in a Markdown text.
fn blocks<'a>(text: &'a str, language: &str) -> Vec<&'a str> {
    let fence = format!("```{language}\n");
    let after = text.split(fence.as_str()).skip(1);
    after.map(|rest| rest.split("```").next().expect("a split has a first part")).collect()
}

#[test]
fn the_scenes_of_the_guide_can_be_simulated() {
    let text = include_str!("../docs/guide.md");
    let scenes = blocks(text, "toml");
    assert!(scenes.len() >= 3, "{}", scenes.len());
    // Files are found as from a scene of the project.
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../scenes/guide.toml");
    for text in scenes {
        let scene = Scene::from_str(text, &path, &[]).unwrap_or_else(|e| panic!("{e}\n{text}"));
        let mut world = World::build(&scene.build().unwrap()).unwrap();
        for _ in 0..3 {
            world.step(&StepInputs::default(), scene.simulation.frame_time()).unwrap();
        }
        assert!(world.measure().max_strain < 0.1, "{text}");
    }
}
