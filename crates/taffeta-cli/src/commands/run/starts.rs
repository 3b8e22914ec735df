//! Cloths that start inside obstacles: warnings, and a list for the summary.

use schemars::JsonSchema;
use serde::Serialize;
use taffeta_scene::Scene;
use taffeta_sim::{EnclosedCloth, SunkenCloth, World, queries};

/// A cloth that starts inside an obstacle, or reaches into it.
#[derive(Clone, Debug, PartialEq, Serialize, JsonSchema)]
#[schemars(rename = "starts_inside")]
pub(super) struct StartInside {
    /// Name of the cloth.
    pub cloth: String,
    /// Number of the obstacle in the scene, from 0.
    pub obstacle: usize,
    /// Number of faces inside it; `null` for a mesh.
    pub faces: Option<usize>,
    /// Position of one intersection \[m\].
    pub position: [f64; 3],
    /// The whole of it in words.
    #[serde(skip)]
    pub warning: String,
}

/// All cloths that start inside obstacles.
pub(super) fn find_starts_inside(scene: &Scene, world: &World) -> Vec<StartInside> {
    let numbers = |is_closed: bool| -> Vec<usize> {
        let is_such = |number: &usize| scene.obstacles[*number].closed_form().is_some() == is_closed;
        (0..scene.obstacles.len()).filter(is_such).collect()
    };
    let (closed, meshes) = (numbers(true), numbers(false));
    let name = |cloth: usize| world.cloths()[cloth].name.clone();
    let sunken = queries::sunken_cloths(world)
        .into_iter()
        .map(|sunken| of_closed_form(&sunken, &closed, name(sunken.cloth)));
    let enclosed = queries::enclosed_cloths(world)
        .into_iter()
        .map(|enclosed| of_mesh(&enclosed, &meshes, name(enclosed.cloth)));
    sunken.chain(enclosed).collect()
}

fn of_closed_form(sunken: &SunkenCloth, numbers: &[usize], cloth: String) -> StartInside {
    let SunkenCloth { obstacle, faces, position: at, .. } = *sunken;
    let obstacle = numbers[obstacle];
    let warning = format!(
        "the cloth {cloth:?} reaches into obstacle.{obstacle} at the start, with {faces} faces (near [{:.4}, {:.4}, {:.4}]): it \
         is pushed out to the nearest side, which may stretch it; move one of them with `place`",
        at.x, at.y, at.z
    );
    StartInside { cloth, obstacle, faces: Some(faces), position: at.to_array(), warning }
}

fn of_mesh(enclosed: &EnclosedCloth, numbers: &[usize], cloth: String) -> StartInside {
    let EnclosedCloth { obstacle, part, position: at, .. } = *enclosed;
    let obstacle = numbers[obstacle];
    let how_much =
        if part == 1.0 { String::new() } else { format!(" with about {:.0} % of it", 100.0 * part) };
    let warning = format!(
        "the cloth {cloth:?} starts inside obstacle.{obstacle}{how_much} (near [{:.4}, {:.4}, {:.4}]): contact with a mesh has \
         two sides, so what is inside stays inside; move one of them with `place` if that is not wanted",
        at.x, at.y, at.z
    );
    StartInside { cloth, obstacle, faces: None, position: at.to_array(), warning }
}
