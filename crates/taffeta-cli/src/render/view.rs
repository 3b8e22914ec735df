//! Where pictures are taken from.

use super::source::{Bounds, Source, sample_evenly};
use crate::args::RenderOptions;
use crate::failure::Failure;
use glam::DVec3;
use taffeta_core::TriangleMesh;
use taffeta_render::{Camera, Picture, Viewpoint};
use taffeta_scene::SceneCamera;

/// Frames whose surfaces decide from which side the camera looks. Reading them takes longer than scanning them.
const LOOKED_AT: usize = 5;
/// Vertical angle of view of a camera that is given on the command line \[degrees\].
const VIEW_DEG: f64 = 28.0;

/// The camera of all frames: that of the command line, that of the scene, or one that sees all that moves. `None`: there
/// is nothing to see.
pub(super) fn choose_camera(
    source: &Source,
    bounds: Option<Bounds>,
    picture: &Picture,
    options: &RenderOptions,
) -> Result<Option<Camera>, Failure> {
    let given = options.camera.map(|position| SceneCamera {
        position,
        target: options.target,
        up: None,
        field_of_view_deg: VIEW_DEG,
    });
    if let Some(camera) = given.or(source.scene.camera) {
        let middle = bounds.map_or(DVec3::ZERO, |[low, high]| 0.5 * (low + high));
        return Ok(Some(Camera {
            eye: camera.position,
            target: camera.target.unwrap_or(middle),
            up: camera.up.unwrap_or(picture.up),
            field_of_view: camera.field_of_view_deg.to_radians(),
        }));
    }
    let Some(bounds) = bounds else { return Ok(None) };
    let mut meshes: Vec<TriangleMesh> = Vec::new();
    for frame in sample_evenly(&source.frames, LOOKED_AT) {
        meshes.extend(source.read_cloths(frame, None)?.into_iter().map(|body| body.mesh));
    }
    let viewpoint = Viewpoint::choose(picture.up, &meshes);
    Ok(Some(Camera::framing(bounds, picture.aspect(), viewpoint, picture.covered())))
}
