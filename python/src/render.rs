//! Pictures of worlds and results.

use crate::errors::{error, run_error};
use crate::input::vector;
use crate::slot::World;
use glam::DVec3;
use numpy::{PyArray1, PyArray3, PyArrayMethods, PyReadonlyArray3, PyUntypedArrayMethods};
use pyo3::prelude::*;
use pyo3::types::PyBytes;
use std::path::PathBuf;
use taffeta_cli::args::RenderOptions;
use taffeta_render::tube::tube_mesh;
use taffeta_render::{
    Body, BodyKind, Camera, Image, Picture, Viewpoint, compute_framing_bounds, mesh_obstacle_body,
    obstacle_body,
};
use taffeta_scene::Scene;
use taffeta_sim::{World as SimWorld, queries};

/// Vertical angle of view of a camera that is given, as that of the program [degrees].
const VIEW_DEG: f64 = 28.0;

/// The bodies of a world as they are drawn.
fn draw_bodies(world: &SimWorld, scene: &Scene) -> Vec<Body> {
    let cloths = world.cloths().len();
    let cloth = |index: usize| Body::new(world.mesh(index), BodyKind::Cloth { index });
    let mut bodies: Vec<Body> = (0..cloths).map(cloth).collect();
    for (number, (body, _)) in queries::rope_bodies(world).enumerate() {
        let radius = scene.ropes.get(number).map_or(0.005, |rope| rope.radius);
        let mesh = tube_mesh(world.loose_state(body).0, radius);
        bodies.push(Body::new(mesh, BodyKind::Cloth { index: cloths + number }));
    }
    let bounds = compute_framing_bounds(&bodies).unwrap_or_default();
    let time = world.time();
    bodies.extend(world.obstacles().iter().map(|obstacle| obstacle_body(obstacle, time, bounds)));
    bodies.extend(world.mesh_obstacles().iter().map(|mesh| mesh_obstacle_body(mesh, time)));
    bodies
}

/// The camera that sees all cloths and what is near them.
fn frame_all(bodies: &[Body], picture: &Picture) -> Option<Camera> {
    let bounds = compute_framing_bounds(bodies)?;
    let is_cloth = |body: &&Body| matches!(body.kind, BodyKind::Cloth { .. });
    let viewpoint = Viewpoint::choose(picture.up, bodies.iter().filter(is_cloth).map(|body| &body.mesh));
    Some(Camera::framing(bounds, picture.aspect(), viewpoint, picture.covered()))
}

/// The camera of the scene where it is at a time.
fn scene_camera(scene: &Scene, time: f64, middle: DVec3, up: DVec3) -> Option<Camera> {
    let camera = scene.camera.as_ref()?;
    let target = camera.target.unwrap_or(middle);
    let pose = camera.motion.pose_at(time, target);
    let field_of_view = camera.field_of_view_deg.to_radians();
    let up = pose.rotation * camera.up.unwrap_or(up);
    Some(Camera { eye: pose.apply(camera.position), target: pose.apply(target), up, field_of_view })
}

fn to_array(py: Python<'_>, image: Image) -> PyResult<Bound<'_, PyArray3<u8>>> {
    let [width, height] = image.size();
    PyArray1::from_slice(py, image.bytes()).reshape([height as usize, width as usize, 3])
}

/// Draws a world as it is now.
#[pyfunction]
#[pyo3(signature = (world, width, height, wireframe = false, camera = None, target = None))]
pub(crate) fn render_world<'py>(
    py: Python<'py>,
    world: &Bound<'py, World>,
    width: u32,
    height: u32,
    wireframe: bool,
    camera: Option<&Bound<'py, PyAny>>,
    target: Option<&Bound<'py, PyAny>>,
) -> PyResult<Bound<'py, PyArray3<u8>>> {
    let eye = camera.map(|value| vector(value, "camera")).transpose()?;
    let target = target.map(|value| vector(value, "target")).transpose()?;
    let scene = world.get().scene_of();
    let mut picture = Picture { width, height, wireframe, up: scene.upward(), ..Picture::default() };
    picture.validate_size().map_err(|cause| error(py, "RenderError", cause.to_string()))?;
    let (bodies, time) = world.get().with(py, |world| (draw_bodies(world, scene), world.time()))?;
    let middle = compute_framing_bounds(&bodies).map_or(DVec3::ZERO, |[low, high]| 0.5 * (low + high));
    let given = eye.map(|eye| Camera {
        eye,
        target: target.unwrap_or(middle),
        up: picture.up,
        field_of_view: VIEW_DEG.to_radians(),
    });
    picture.camera = given
        .or_else(|| scene_camera(scene, time, middle, picture.up))
        .or_else(|| frame_all(&bodies, &picture));
    let image = py.detach(|| taffeta_render::render(&bodies, &picture));
    to_array(py, image.map_err(|cause| error(py, "RenderError", cause.to_string()))?)
}

/// Draws a frame of a result folder, as the program does.
#[pyfunction]
#[pyo3(signature = (folder, frame, width, height, wireframe = false))]
pub(crate) fn render_result(
    py: Python<'_>,
    folder: PathBuf,
    frame: Option<u64>,
    width: u32,
    height: u32,
    wireframe: bool,
) -> PyResult<Bound<'_, PyArray3<u8>>> {
    let options = RenderOptions {
        folder,
        frame,
        wireframe,
        width: Some(width),
        height: Some(height),
        quiet: true,
        ..RenderOptions::default()
    };
    let image = py.detach(|| taffeta_cli::render::draw_frame(&options));
    to_array(py, image.map_err(|failure| run_error(py, failure))?)
}

/// A picture as a PNG file.
#[pyfunction]
pub(crate) fn encode_png<'py>(
    py: Python<'py>,
    image: PyReadonlyArray3<'py, u8>,
) -> PyResult<Bound<'py, PyBytes>> {
    let refuse = |text: String| error(py, "ArrayError", text);
    let [height, width, channels] = <[usize; 3]>::try_from(image.shape()).expect("it has three axes");
    if channels != 3 || height == 0 || width == 0 {
        return Err(refuse(format!(
            "an image has the shape ({height}, {width}, {channels}), but must have (height, width, 3)"
        )));
    }
    let pixels: Vec<u8> = image.as_array().iter().copied().collect();
    let encode = || {
        let mut bytes = Vec::new();
        let mut encoder = png::Encoder::new(&mut bytes, width as u32, height as u32);
        encoder.set_color(png::ColorType::Rgb);
        encoder.set_compression(png::Compression::Fast);
        encoder.write_header().and_then(|mut writer| {
            writer.write_image_data(&pixels)?;
            writer.finish()
        })?;
        Ok::<Vec<u8>, png::EncodingError>(bytes)
    };
    let bytes = encode().map_err(|cause| refuse(format!("the image cannot be written as PNG: {cause}")))?;
    Ok(PyBytes::new(py, &bytes))
}
