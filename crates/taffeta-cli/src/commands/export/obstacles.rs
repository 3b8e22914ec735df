//! The obstacles of a run as meshes that move.

use crate::failure::Failure;
use glam::DVec3;
use std::collections::BTreeSet;
use taffeta_contact::MeshObstacle;
use taffeta_core::TriangleMesh;
use taffeta_core::motion::Pose;
use taffeta_io::RigidBody;
use taffeta_io::usda::prim_name;
use taffeta_render::{mesh_obstacle_body, obstacle_mesh};
use taffeta_scene::{ResultFolder, Scene, SceneObstacle};

/// The obstacles in their order, with where they are at the given frames and times \[s\]. Planes become squares around
/// `bounds` \[m\].
pub(super) fn collect_obstacles(
    folder: &ResultFolder,
    scene: &Scene,
    times: &[(u64, f64)],
    bounds: [DVec3; 2],
) -> Result<Vec<RigidBody>, Failure> {
    let meshes = folder.read_mesh_obstacles(scene).map_err(|error| Failure::failed(&error))?;
    let mut meshes = meshes.into_iter();
    let start = times.first().map_or(0.0, |(_, time)| *time);
    let mut bodies = Vec::new();
    for (obstacle, name) in scene.obstacles.iter().zip(name_obstacles(folder, scene)) {
        bodies.push(match (obstacle.closed_form(), &mut meshes) {
            (Some(closed), _) => rigid_body(name, obstacle_mesh(&closed, start, bounds), obstacle, times),
            (None, meshes) => {
                let Some(mesh) = meshes.next() else { continue };
                if mesh.shapes.len() > 1 {
                    changing_body(name, &mesh, times)
                } else {
                    rigid_body(name, mesh_obstacle_body(&mesh, start).mesh, obstacle, times)
                }
            }
        });
    }
    Ok(bodies)
}

/// The name of each obstacle in the files: its own, or its number among the obstacles. Where a body or an earlier obstacle has
/// that name already, a number is added.
fn name_obstacles(folder: &ResultFolder, scene: &Scene) -> Vec<String> {
    let mut taken: BTreeSet<String> = folder.cloth_names().into_iter().map(prim_name).collect();
    let obstacles = scene.obstacles.iter().enumerate();
    let name = |(number, obstacle): (usize, &SceneObstacle)| {
        // Names of bodies have no dots.
        let own = if obstacle.name.is_empty() { format!("obstacle.{number}") } else { obstacle.name.clone() };
        let others = (1..).map(|more: u32| format!("{own}.{more}"));
        let mut names = std::iter::once(own.clone()).chain(others);
        names.find(|name| taken.insert(prim_name(name))).expect("there is a number that is free")
    };
    obstacles.map(name).collect()
}

fn rigid_body(name: String, mesh: TriangleMesh, obstacle: &SceneObstacle, times: &[(u64, f64)]) -> RigidBody {
    let SceneObstacle { motion, place, .. } = obstacle;
    let pose_at = |time: f64| motion.pose_at(time, place.translate).after(&place.pose());
    let start = pose_at(times.first().map_or(0.0, |(_, time)| *time));
    let back = Pose {
        rotation: start.rotation.transpose(),
        translation: -(start.rotation.transpose() * start.translation),
    };
    let poses = match motion.is_still() {
        true => Vec::new(),
        false => times.iter().map(|(number, time)| (*number, pose_at(*time).after(&back))).collect(),
    };
    RigidBody { name, mesh, poses, shapes: Vec::new() }
}

fn changing_body(name: String, obstacle: &MeshObstacle, times: &[(u64, f64)]) -> RigidBody {
    let shapes = times.iter().map(|(number, time)| (*number, obstacle.positions_at(*time))).collect();
    let mesh = mesh_obstacle_body(obstacle, 0.0).mesh;
    RigidBody { name, mesh, poses: Vec::new(), shapes }
}
