//! `taffeta new`: a scene to start from.

use crate::failure::Failure;
use crate::files::{create_file, refuse_file, shell_word};
use std::path::{Path, PathBuf};

/// The starter scene. It names every key that matters for a first try and runs as it is.
const STARTER: &str = include_str!("starter.toml");

/// Writes the starter scene as NAME.toml and says what to do with it.
///
/// # Errors
/// If the name is empty, the file exists or cannot be written.
pub fn write_starter(name: &Path) -> Result<String, Failure> {
    let path = scene_path(name)?;
    let shown = path.display();
    create_file(&path, STARTER.as_bytes()).map_err(|error| refuse_file(&path, &error))?;
    Ok(format!("{shown}\nto simulate it: taffeta run {}", shell_word(&path.to_string_lossy())))
}

/// The name with the ending of scene files.
fn scene_path(name: &Path) -> Result<PathBuf, Failure> {
    let text = name.to_string_lossy();
    if name.file_name().is_none() || text.ends_with(std::path::MAIN_SEPARATOR) {
        return Err(Failure::Usage(format!(
            "{text:?} is not the name of a scene, as in `taffeta new drape`"
        )));
    }
    Ok(if text.ends_with(".toml") { name.to_owned() } else { PathBuf::from(format!("{text}.toml")) })
}

#[cfg(test)]
mod tests {
    use super::*;
    use taffeta_scene::Scene;

    #[test]
    fn the_starter_scene_has_no_problems_and_no_warnings() {
        let scene = Scene::from_str(STARTER, Path::new("starter.toml"), &[]).unwrap();
        let built = scene.assemble().unwrap();
        assert!(built.warnings.is_empty(), "{:?}", built.warnings);
        assert!(scene.cloths[0].remesh.is_some() && scene.obstacles.len() == 2);
    }

    #[test]
    fn names_get_their_ending_once() {
        assert_eq!(scene_path(Path::new("a/drape")).unwrap(), Path::new("a/drape.toml"));
        assert_eq!(scene_path(Path::new("drape.toml")).unwrap(), Path::new("drape.toml"));
        assert_eq!(scene_path(Path::new("v1.2")).unwrap(), Path::new("v1.2.toml"));
        assert!(scene_path(Path::new("")).is_err());
    }
}
