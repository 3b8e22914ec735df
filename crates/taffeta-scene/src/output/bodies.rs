//! The bodies of a world in its present frame.

use taffeta_io::{FaceGroups, FrameData, mean_curvatures};
use taffeta_sim::{World, queries};

/// A cloth as it is now, with everything that is known of it.
///
/// # Panics
/// If there is no cloth of that number.
pub fn cloth_frame(world: &World, number: usize) -> FrameData {
    let mesh = world.mesh(number);
    let jumps = queries::face_jumps(world, number);
    FrameData {
        number: Some(world.frame()),
        time: Some(world.time()),
        velocities: Some(world.velocities(number)),
        vertex_names: Some(world.cloth(world.cloth_ids()[number]).vertex_names()),
        sizes: Some(queries::vertex_sizes(world, number)),
        strains: Some(queries::face_strains(world, number)),
        curvatures: Some(mean_curvatures(&mesh.positions, &mesh.faces)),
        strain_jumps: Some(jumps.strains),
        curvature_jumps: Some(jumps.curvatures),
        plastic_curvatures: queries::plastic_curvatures(world, number),
        ..cloth_surface(world, number)
    }
}

/// A cloth as it is now: its mesh, and its panels if they have names.
///
/// # Panics
/// If there is no cloth of that number.
pub fn cloth_surface(world: &World, number: usize) -> FrameData {
    let cloth = world.cloth(world.cloth_ids()[number]);
    let names = &cloth.cloth().panel_names;
    let groups = || FaceGroups { names: names.clone(), of_face: cloth.panels() };
    FrameData { panels: (!names.is_empty()).then(groups), ..FrameData::surface(world.mesh(number)) }
}

/// A rope as it is now, by the number of its body, see [`rope_bodies`](taffeta_sim::queries::rope_bodies).
///
/// # Panics
/// If there is no body of that number.
pub fn rope_frame(world: &World, number: usize) -> FrameData {
    let (positions, velocities) = world.loose_state(number);
    FrameData {
        number: Some(world.frame()),
        time: Some(world.time()),
        velocities: Some(velocities.to_vec()),
        ..FrameData::curve(positions.to_vec())
    }
}
