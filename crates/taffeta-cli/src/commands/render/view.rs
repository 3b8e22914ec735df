//! The camera of pictures.

use super::bodies::read_cloths;
use super::source::{Bounds, Source, sample_evenly};
use crate::args::RenderOptions;
use crate::failure::Failure;
use glam::DVec3;
use taffeta_core::math::{atan2, sin_cos};
use taffeta_core::{KeyframedMotion, TriangleMesh};
use taffeta_render::{Body, Camera, Picture, Viewpoint, compute_framing_bounds};
use taffeta_scene::SceneCamera;

/// Frames whose surfaces decide from which side the camera looks. Reading them takes longer than scanning them.
const LOOKED_AT: usize = 5;
/// Vertical angle of view of a camera that is given on the command line \[degrees\].
const VIEW_DEG: f64 = 28.0;

/// A camera and how it moves.
pub(super) struct Shot {
    /// The camera before it moves.
    start: Camera,
    motion: KeyframedMotion,
    /// The side from which each frame is framed by itself; `None`: the camera moves by its motion.
    fits: Option<Viewpoint>,
    /// Factor by which everything is larger.
    zoom: f64,
}

impl Shot {
    /// The camera at a time \[s\], at which there are some bodies.
    pub(super) fn at(&self, time: f64, bodies: &[Body], picture: &Picture) -> Camera {
        let pose = self.motion.pose_at(time, self.start.target);
        let camera = match (self.fits, compute_framing_bounds(bodies)) {
            (Some(viewpoint), Some(bounds)) => {
                Camera::framing(bounds, picture.aspect(), viewpoint, picture.covered())
            }
            _ => Camera {
                eye: pose.apply(self.start.eye),
                target: pose.apply(self.start.target),
                up: pose.rotation * self.start.up,
                ..self.start
            },
        };
        let (sine, cosine) = sin_cos(0.5 * camera.field_of_view);
        Camera { field_of_view: 2.0 * atan2(sine, self.zoom * cosine), ..camera }
    }
}

/// A camera that is turned to the right about its upward direction \[degrees\].
fn turn(camera: Camera, azimuth: f64) -> Camera {
    let axis = camera.up.normalize_or(DVec3::Y);
    let (sine, cosine) = sin_cos(azimuth.to_radians());
    let arm = camera.eye - camera.target;
    let along = axis * axis.dot(arm);
    let turned = along + cosine * (arm - along) + sine * axis.cross(arm);
    Camera { eye: camera.target + turned, ..camera }
}

/// The camera of all frames: that of the command line, that of the scene, or one that sees all that moves. `None`: there
/// is nothing to see.
pub(super) fn choose_camera(
    source: &Source,
    bounds: Option<Bounds>,
    picture: &Picture,
    options: &RenderOptions,
) -> Result<Option<Shot>, Failure> {
    let zoom = options.zoom.unwrap_or(1.0);
    let given = options.camera.map(|position| SceneCamera {
        position,
        target: options.target,
        up: None,
        field_of_view_deg: VIEW_DEG,
        motion: KeyframedMotion::default(),
    });
    if let Some(camera) = given.or_else(|| source.scene.camera.clone()) {
        let middle = bounds.map_or(DVec3::ZERO, |[low, high]| 0.5 * (low + high));
        let start = Camera {
            eye: camera.position,
            target: camera.target.unwrap_or(middle),
            up: camera.up.unwrap_or(picture.up),
            field_of_view: camera.field_of_view_deg.to_radians(),
        };
        if !options.fit {
            let start = turn(start, options.azimuth.unwrap_or(0.0));
            return Ok(Some(Shot { start, motion: camera.motion, fits: None, zoom }));
        }
    }
    let Some(bounds) = bounds else { return Ok(None) };
    let mut meshes: Vec<TriangleMesh> = Vec::new();
    for frame in sample_evenly(&source.frames, LOOKED_AT) {
        meshes.extend(read_cloths(source, frame, None)?.into_iter().map(|body| body.mesh));
    }
    let mut viewpoint = Viewpoint::choose(picture.up, &meshes);
    viewpoint.right_deg += options.azimuth.unwrap_or(0.0);
    let start = Camera::framing(bounds, picture.aspect(), viewpoint, picture.covered());
    let fits = options.fit.then_some(viewpoint);
    Ok(Some(Shot { start, motion: KeyframedMotion::default(), fits, zoom }))
}
