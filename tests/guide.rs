//! The scenes in the guide are scenes.

use std::path::Path;
use taffeta::io::obj::write_grouped_obj;
use taffeta::scene::Scene;
use taffeta::sim::{StepInputs, World, queries};

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

#[test]
fn the_scenes_from_a_pattern_to_a_film_follow_each_other() {
    let text = include_str!("../docs/film.md");
    let [sew, walk] = blocks(text, "toml")[..] else { panic!("two scenes") };
    let project = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    let folder = tempfile::tempdir().unwrap();
    // Coarser, which makes no other files.
    let sew = sew.replacen("edge_length = 0.04", "edge_length = 0.06", 1);
    let with_meshes = |text: &str| text.replace("\"meshes/", &format!("\"{}/meshes/", project.display()));
    let read = |name: &str, text: &str| {
        let mut scene = Scene::from_str(&with_meshes(text), &folder.path().join(name), &[]).unwrap();
        scene.make_draft();
        scene
    };
    let scene = read("sew.toml", &sew);
    let mut world = World::build(&scene.build().unwrap()).unwrap();
    for _ in 0..48 {
        world.step(&StepInputs::default(), scene.simulation.frame_time()).unwrap();
    }
    assert!(queries::seams(&world).iter().all(|seam| seam.closed.is_some()));
    // As the program writes a frame.
    let frame = folder.path().join("out/sew/frames/skirt_00048.obj");
    std::fs::create_dir_all(frame.parent().unwrap()).unwrap();
    let mut bytes = Vec::new();
    write_grouped_obj(&mut bytes, &world.mesh(0), None).unwrap();
    std::fs::write(&frame, bytes).unwrap();
    let scene = read("walk.toml", walk);
    let mut world = World::build(&scene.build().unwrap()).unwrap();
    for _ in 0..4 {
        world.step(&StepInputs::default(), scene.simulation.frame_time()).unwrap();
        assert_eq!(world.crossings().map(|found| found.len()), Some(0));
    }
}
