//! The camera of pictures.

use super::bodies::read_cloths;
use super::source::{Bounds, Source, sample_evenly};
use crate::args::RenderOptions;
use crate::failure::Failure;
use glam::DVec3;
use taffeta_core::{Motion, TriangleMesh};
use taffeta_render::{Camera, Picture, Viewpoint};
use taffeta_scene::SceneCamera;

/// Frames whose surfaces decide from which side the camera looks. Reading them takes longer than scanning them.
const LOOKED_AT: usize = 5;
/// Vertical angle of view of a camera that is given on the command line \[degrees\].
const VIEW_DEG: f64 = 28.0;

/// A camera and how it moves.
pub(super) struct Shot {
    /// The camera before it moves.
    start: Camera,
    motion: Motion,
}

impl Shot {
    fn still(camera: Camera) -> Self {
        Self { start: camera, motion: Motion::default() }
    }

    /// The camera at a time \[s\].
    pub(super) fn at(&self, time: f64) -> Camera {
        let Camera { eye, target, up, field_of_view } = self.start;
        let pose = self.motion.pose_at(time, target);
        Camera { eye: pose.apply(eye), target: pose.apply(target), up: pose.rotation * up, field_of_view }
    }
}

/// The camera of all frames: that of the command line, that of the scene, or one that sees all that moves. `None`: there
/// is nothing to see.
pub(super) fn choose_camera(
    source: &Source,
    bounds: Option<Bounds>,
    picture: &Picture,
    options: &RenderOptions,
) -> Result<Option<Shot>, Failure> {
    let given = options.camera.map(|position| SceneCamera {
        position,
        target: options.target,
        up: None,
        field_of_view_deg: VIEW_DEG,
        motion: Motion::default(),
    });
    if let Some(camera) = given.or_else(|| source.scene.camera.clone()) {
        let middle = bounds.map_or(DVec3::ZERO, |[low, high]| 0.5 * (low + high));
        let start = Camera {
            eye: camera.position,
            target: camera.target.unwrap_or(middle),
            up: camera.up.unwrap_or(picture.up),
            field_of_view: camera.field_of_view_deg.to_radians(),
        };
        return Ok(Some(Shot { start, motion: camera.motion }));
    }
    let Some(bounds) = bounds else { return Ok(None) };
    let mut meshes: Vec<TriangleMesh> = Vec::new();
    for frame in sample_evenly(&source.frames, LOOKED_AT) {
        meshes.extend(read_cloths(source, frame, None)?.into_iter().map(|body| body.mesh));
    }
    let viewpoint = Viewpoint::choose(picture.up, &meshes);
    Ok(Some(Shot::still(Camera::framing(bounds, picture.aspect(), viewpoint, picture.covered()))))
}
