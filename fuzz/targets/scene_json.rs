//! Scenes as JSON.
#![no_main]

use libfuzzer_sys::fuzz_target;
use std::path::Path;
use taffeta::scene::Scene;

fuzz_target!(|data: &[u8]| {
    let Ok(text) = std::str::from_utf8(data) else { return };
    if let Ok(scene) = Scene::from_str(text, Path::new("scene.json"), &[]) {
        // What a scene is written down as reads back to the same scene.
        let written = scene.to_json().to_string();
        let again = Scene::from_str(&written, Path::new("scene.json"), &[]).expect("what was written is a scene");
        assert_eq!(again.to_json().to_string(), written);
    }
});
