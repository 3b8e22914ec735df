//! From bodies to pixels.

use crate::bodies::body::{Body, BodyKind, compute_framing_bounds};
use crate::bodies::hem::hem;
use crate::camera::{Camera, Viewpoint};
use crate::color::{self, Encoder};
use crate::error::RenderError;
use crate::image::Image;
use crate::labels::legend;
use crate::picture::{Coloring, LegendPlace, Picture};
use crate::shading::raster::{self, NO_FACE};
use crate::shading::shade::Shader;
use crate::shading::surface::{Surface, View};
use crate::shading::wire::{self, FaceLines};
use glam::{Vec2, Vec3};

/// Samples along a side of a pixel. With 2 outlines of dark cloth still have visible steps.
const SAMPLES: usize = 3;
const SAMPLE_COUNT: usize = SAMPLES * SAMPLES;
/// Samples that are rasterized at a time. Bounds the memory (32 MB) whatever the size of the picture.
const BAND_SAMPLES: usize = 4_000_000;

/// Thickness of hems, relative to the diagonal of the framed box: two to three pixels.
const HEM: f64 = 3.5e-3;

/// Draws the bodies.
///
/// # Errors
/// [`RenderError::SizeZero`] and [`RenderError::SizeTooLarge`]. [`RenderError::EmptyScene`] if no body has a face.
/// [`RenderError::PositionNotFinite`], [`RenderError::CornerOutOfRange`] and [`RenderError::ValueCount`] for a broken body.
/// [`RenderError::Camera`] for a camera without a view. [`RenderError::Scale`] for a scale without extent.
pub fn render(bodies: &[Body], picture: &Picture) -> Result<Image, RenderError> {
    picture.validate_size()?;
    for (number, body) in bodies.iter().enumerate() {
        body.validate(number)?;
    }
    if bodies.iter().all(|body| body.mesh.faces.is_empty()) {
        return Err(RenderError::EmptyScene);
    }
    let bounds = compute_framing_bounds(bodies).ok_or(RenderError::EmptyScene)?;
    if let Coloring::Scale(scale) = picture.coloring {
        scale.validate()?;
    }
    let thickness = HEM * bounds[0].distance(bounds[1]);
    let hems: Vec<Body> = match picture.wireframe {
        true => Vec::new(),
        false => bodies.iter().filter_map(|body| hem(body, 0.5 * thickness)).collect(),
    };
    let all: Vec<&Body> = bodies.iter().chain(&hems).collect();
    let surface = Surface::build(&all, bounds, picture);
    let camera = picture.camera.unwrap_or_else(|| {
        let cloths = bodies.iter().filter(|body| matches!(body.kind, BodyKind::Cloth { .. }));
        let viewpoint = Viewpoint::choose(picture.up, cloths.map(|body| &body.mesh));
        Camera::framing(bounds, picture.aspect(), viewpoint, picture.covered())
    });
    let view = View::new(&camera, picture, &surface)?;
    let projected = surface.positions.iter().map(|p| view.project(*p)).collect::<Vec<_>>();
    let frame = Frame {
        shader: Shader::new(&surface, &view, &projected, picture.coloring),
        surface: &surface,
        projected: &projected,
        background: color::compute_background(picture.height),
        line_width: picture.wireframe.then(|| wire::line_width(picture.height)),
        encoder: Encoder::new(),
    };
    let mut image = Image::new(picture.width, picture.height, [0; 3]);
    let row_samples = picture.width as usize * SAMPLE_COUNT;
    let band_height = (BAND_SAMPLES / row_samples).max(1) as u32;
    for first_row in (0..picture.height).step_by(band_height as usize) {
        frame.draw_band(&mut image, first_row, band_height.min(picture.height - first_row));
    }
    if let (Coloring::Scale(scale), LegendPlace::Inside) = (picture.coloring, picture.legend) {
        legend::draw_legend(&mut image, scale);
    }
    Ok(image)
}

/// Data that all bands of a picture share.
struct Frame<'a> {
    shader: Shader<'a>,
    surface: &'a Surface,
    projected: &'a [Vec3],
    background: Vec<Vec3>,
    /// Width of the lines \[pixels\], `None`: no wireframe.
    line_width: Option<f32>,
    encoder: Encoder,
}

/// The samples of a pixel that see one face.
#[derive(Clone, Copy)]
struct Group {
    face: u32,
    count: f32,
    /// Sum of the samples' places \[pixels\].
    places: Vec2,
    /// Sum of the lines' coverages.
    lines: f32,
    edges: Option<FaceLines>,
}

impl Frame<'_> {
    /// Draws some rows of the picture.
    fn draw_band(&self, image: &mut Image, first_row: u32, row_count: u32) {
        let size = [image.size()[0] as usize * SAMPLES, row_count as usize * SAMPLES];
        let corners = self.collect_corners(first_row, row_count);
        let faces = raster::draw_faces(&corners, size);
        let rows = image.rows_mut().skip(first_row as usize).take(row_count as usize);
        for (row, pixels) in rows.enumerate() {
            let y = first_row as usize + row;
            for (x, pixel) in pixels.iter_mut().enumerate() {
                let start = row * SAMPLES * size[0] + x * SAMPLES;
                let seen =
                    std::array::from_fn(|k| faces.as_ref()[start + (k / SAMPLES) * size[0] + k % SAMPLES]);
                let light = self.average(seen, Vec2::new(x as f32, y as f32), self.background[y]);
                *pixel = self.encoder.encode(light);
            }
        }
    }

    /// The faces that may be seen in some rows, for the rasterizer.
    fn collect_corners(&self, first_row: u32, row_count: u32) -> Vec<raster::Corner> {
        let mut list = Vec::new();
        let (low, high) = (first_row as f32 - 1.0, (first_row + row_count) as f32 + 1.0);
        for (fi, face) in self.surface.faces.iter().enumerate() {
            let [a, b, c] = face.map(|corner| self.projected[corner as usize]);
            let behind = a.z == 0.0 || b.z == 0.0 || c.z == 0.0;
            let outside = a.y.max(b.y).max(c.y) < low || a.y.min(b.y).min(c.y) > high;
            let from_below = self.surface.kinds[fi] == BodyKind::Floor && (b - a).cross(c - a).z >= 0.0;
            let faded = face.iter().all(|corner| self.surface.opacity[*corner as usize] == 0.0);
            if behind || outside || from_below || faded {
                continue;
            }
            let bias = self.surface.depth_bias(fi);
            let samples = SAMPLES as f32;
            let place = |p: Vec3| {
                Vec3::new(p.x * samples, (p.y - first_row as f32) * samples, -p.z / (1.0 + bias * p.z))
            };
            raster::push_face(&mut list, fi, [place(a), place(b), place(c)]);
        }
        list
    }

    /// The light of a pixel from the faces that its samples see. Each face is shaded once, in the middle of its
    /// samples.
    fn average(&self, seen: [u32; SAMPLE_COUNT], pixel: Vec2, background: Vec3) -> Vec3 {
        if seen == [NO_FACE; SAMPLE_COUNT] {
            return background;
        }
        if seen.iter().all(|face| *face == seen[0]) && !self.has_lines(seen[0]) {
            return self.shader.compute_color(seen[0] as usize, pixel + 0.5, background);
        }
        let mut groups: [Option<Group>; SAMPLE_COUNT] = [None; SAMPLE_COUNT];
        for (k, face) in seen.into_iter().enumerate() {
            let offset = Vec2::new((k % SAMPLES) as f32 + 0.5, (k / SAMPLES) as f32 + 0.5) / SAMPLES as f32;
            let place = pixel + offset;
            for slot in &mut groups {
                let group = slot.get_or_insert_with(|| self.new_group(face));
                if group.face == face {
                    group.count += 1.0;
                    group.places += place;
                    if let Some(edges) = &group.edges {
                        group.lines += edges.compute_coverage(place, 1.0 / SAMPLES as f32);
                    }
                    break;
                }
            }
        }
        let mut sum = Vec3::ZERO;
        for group in groups.iter().flatten() {
            let light = match group.face {
                NO_FACE => background,
                face => self.shader.compute_color(face as usize, group.places / group.count, background),
            };
            sum += light * (group.count - group.lines);
        }
        sum / SAMPLE_COUNT as f32
    }

    fn new_group(&self, face: u32) -> Group {
        let edges = self.line_width.filter(|_| self.has_lines(face)).map(|width| {
            let corners = self.surface.faces[face as usize];
            FaceLines::new(corners.map(|corner| self.projected[corner as usize].truncate()), width)
        });
        Group { face, count: 0.0, places: Vec2::ZERO, lines: 0.0, edges }
    }

    /// Returns whether the edges of a face are drawn.
    fn has_lines(&self, face: u32) -> bool {
        self.line_width.is_some()
            && face != NO_FACE
            && matches!(self.surface.kinds[face as usize], BodyKind::Cloth { .. })
    }
}
