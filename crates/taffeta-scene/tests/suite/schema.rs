//! Every scene that there is fits the schema, as it is written and as it is resolved.

use std::path::{Path, PathBuf};
use taffeta_scene::{Scene, scene_schema};

/// All scenes of the repository, and the one that `taffeta new` writes.
fn scenes() -> Vec<PathBuf> {
    fn collect(folder: &Path, found: &mut Vec<PathBuf>) {
        for entry in std::fs::read_dir(folder).unwrap() {
            let path = entry.unwrap().path();
            if path.is_dir() {
                collect(&path, found);
            } else if path.extension().is_some_and(|ending| ending == "toml" || ending == "json") {
                found.push(path);
            }
        }
    }
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    let mut found = vec![root.join("crates/taffeta-cli/src/commands/starter.toml")];
    collect(&root.join("scenes"), &mut found);
    found
}

#[test]
fn every_scene_fits_the_schema_as_written_and_as_resolved() {
    let validator = jsonschema::validator_for(&scene_schema()).unwrap();
    let check = |value: &serde_json::Value, what: &str| {
        let errors: Vec<String> =
            validator.iter_errors(value).map(|error| format!("{}: {error}", error.instance_path())).collect();
        assert!(errors.is_empty(), "{what}: {errors:#?}");
    };
    let scenes = scenes();
    assert!(scenes.len() > 10);
    for path in scenes {
        let text = std::fs::read_to_string(&path).unwrap();
        check(&toml::from_str(&text).unwrap(), &path.display().to_string());
        let scene = Scene::from_file(&path, &[]).unwrap();
        check(&scene.to_json(), &format!("{} resolved", path.display()));
    }
}
