//! All bodies as one triangle surface, and its image on the screen.

use crate::bodies::body::{Body, BodyKind};
use crate::camera::{Camera, compute_upright, half_angle_slope};
use crate::error::RenderError;
use crate::picture::{Coloring, Picture};
use crate::scale::Scale;
use glam::{DMat3, DVec3, Vec2, Vec3};

/// Share of the scene's radius by which obstacles lie deeper than they are, for the visibility of the cloth that
/// rests on them. Without it the two surfaces flicker where the cloth's facets touch the obstacle; ten times more
/// would hide real penetrations.
const OBSTACLE_BIAS: f32 = 1e-3;
/// Cosines of the angles of creases of cloths and of other bodies, across which shading is not smooth: 65° and 85°. Folds of a
/// coarse cloth are flatter, and so are most edges of a coarse body that is meant to be round.
const CREASE_COSINES: [f32; 2] = [0.42, 0.087];
/// The floor begins to fade at this share of its reach, and ends at its reach.
const FLOOR_FADE_START: f32 = 0.25;

/// The bodies in one list of vertices and one of faces. Lengths are relative to the middle of the framed box, so that
/// 32 bits suffice, and turned such that y is up, whatever is up in the world.
pub(crate) struct Surface {
    /// Positions of the vertices, relative to the middle and upright \[m\].
    pub(crate) positions: Vec<Vec3>,
    /// Unit normals of the vertices, weighted by area.
    pub(crate) normals: Vec<Vec3>,
    /// Unit normals at the corners of the faces: smooth, but for creases.
    pub(crate) corner_normals: Vec<[Vec3; 3]>,
    /// Material coordinates of the corners of the faces \[m\]; NaN: none.
    pub(crate) coords: Vec<[Vec2; 3]>,
    /// Opacity of the surface at each vertex, 0 to 1: below 1 only on floors.
    pub(crate) opacity: Vec<f32>,
    /// Place of each vertex on the scale of colors, 0 to 1; NaN: none. Empty without a scale.
    pub(crate) tones: Vec<f32>,
    /// Corners of the faces.
    pub(crate) faces: Vec<[u32; 3]>,
    /// Kind of the body that each face belongs to.
    pub(crate) kinds: Vec<BodyKind>,
    /// The middle of the framed box in the world \[m\].
    pub(crate) middle: DVec3,
    /// From the world's axes to those of the surface, of which y is up.
    pub(crate) upright: DMat3,
    /// Half the diagonal of the framed box \[m\].
    pub(crate) radius: f32,
}

impl Surface {
    /// Joins the bodies, which must be valid.
    pub(crate) fn build(bodies: &[&Body], bounds: [DVec3; 2], picture: &Picture) -> Self {
        let middle = 0.5 * (bounds[0] + bounds[1]);
        let radius = (0.5 * bounds[0].distance(bounds[1])).max(1e-6) as f32;
        let mut surface = Self {
            positions: Vec::new(),
            normals: Vec::new(),
            corner_normals: Vec::new(),
            coords: Vec::new(),
            opacity: Vec::new(),
            tones: Vec::new(),
            faces: Vec::new(),
            kinds: Vec::new(),
            middle,
            upright: compute_upright(picture.up),
            radius,
        };
        for body in bodies {
            surface.append(body);
        }
        if let Coloring::Scale(scale) = picture.coloring {
            surface.tones = bodies.iter().flat_map(|body| tones_of(body, scale)).collect();
        }
        let areas = doubled_areas(&surface.positions, &surface.faces);
        surface.normals = compute_normals(surface.positions.len(), &surface.faces, &areas);
        surface.corner_normals = surface.compute_corner_normals(&areas);
        surface
    }

    fn append(&mut self, body: &Body) {
        let first = self.positions.len() as u32;
        let start = self.positions.len();
        self.positions
            .extend(body.mesh.positions.iter().map(|p| (self.upright * (*p - self.middle)).as_vec3()));
        self.faces.extend(body.mesh.faces.iter().map(|face| face.map(|corner| corner + first)));
        self.kinds.resize(self.faces.len(), body.kind);
        if let (BodyKind::Cloth { .. }, Some(coords)) = (body.kind, &body.mesh.material) {
            self.coords.extend(coords.iter().map(|corners| corners.map(|u| u.as_vec2())));
        }
        self.coords.resize(self.faces.len(), [Vec2::NAN; 3]);
        self.opacity.resize(self.positions.len(), 1.0);
        if body.kind == BodyKind::Floor
            && let Some([low, high]) = body.mesh.bounds()
        {
            let center = (self.upright * (0.5 * (low + high) - self.middle)).as_vec3();
            let distances = self.positions[start..].iter().map(|p| p.distance(center));
            let reach = distances.fold(0.0, f32::max) * std::f32::consts::FRAC_1_SQRT_2;
            for (opacity, p) in self.opacity[start..].iter_mut().zip(&self.positions[start..]) {
                let t = (p.distance(center) / reach - FLOOR_FADE_START) / (1.0 - FLOOR_FADE_START);
                *opacity = 1.0 - smooth_step(t);
            }
        }
    }

    /// Unit normals at the corners of the faces: the sum over the faces around the corner that are not across a crease.
    fn compute_corner_normals(&self, areas: &[Vec3]) -> Vec<[Vec3; 3]> {
        let (count, faces) = (self.positions.len(), &self.faces);
        // The faces around each vertex, one list after the other.
        let mut starts = vec![0; count + 1];
        faces.iter().flatten().for_each(|corner| starts[*corner as usize + 1] += 1);
        (0..count).for_each(|k| starts[k + 1] += starts[k]);
        let (mut around, mut ends) = (vec![0; 3 * faces.len()], starts.clone());
        for (face, corners) in faces.iter().enumerate() {
            for corner in corners {
                around[ends[*corner as usize]] = face;
                ends[*corner as usize] += 1;
            }
        }
        let units: Vec<Vec3> = areas.iter().map(|area| unit(*area).unwrap_or_default()).collect();
        let normal = |face: usize, corner: u32| {
            let crease = CREASE_COSINES[usize::from(!matches!(self.kinds[face], BodyKind::Cloth { .. }))];
            let all = &around[starts[corner as usize]..starts[corner as usize + 1]];
            let smooth = all.iter().filter(|other| units[face].dot(units[**other]) >= crease);
            let sum = smooth.map(|other| areas[*other]).sum::<Vec3>();
            unit(sum).or(unit(areas[face])).unwrap_or(Vec3::Y)
        };
        faces.iter().enumerate().map(|(face, corners)| corners.map(|corner| normal(face, corner))).collect()
    }

    /// Offset by which a face is drawn deeper than it is \[m\].
    pub(crate) fn depth_bias(&self, fi: usize) -> f32 {
        if matches!(self.kinds[fi], BodyKind::Cloth { .. }) { 0.0 } else { OBSTACLE_BIAS * self.radius }
    }
}

/// The places of a body's vertices on a scale.
fn tones_of(body: &Body, scale: Scale) -> Vec<f32> {
    match &body.values {
        Some(values) => values.iter().map(|value| scale.place_of(*value) as f32).collect(),
        None => vec![f32::NAN; body.mesh.positions.len()],
    }
}

/// `3t² − 2t³` of `t` limited to 0 and 1.
pub(crate) fn smooth_step(t: f32) -> f32 {
    let t = t.clamp(0.0, 1.0);
    t * t * (3.0 - 2.0 * t)
}

/// Normals of the faces as long as twice their areas.
fn doubled_areas(positions: &[Vec3], faces: &[[u32; 3]]) -> Vec<Vec3> {
    let area = |corners: &[u32; 3]| {
        let [a, b, c] = corners.map(|corner| positions[corner as usize]);
        (b - a).cross(c - a)
    };
    faces.iter().map(area).collect()
}

/// Unit normals of the vertices: the sum of the normals of the faces around each, weighted by their areas.
fn compute_normals(count: usize, faces: &[[u32; 3]], areas: &[Vec3]) -> Vec<Vec3> {
    let mut normals = vec![Vec3::ZERO; count];
    for (corners, area) in faces.iter().zip(areas) {
        corners.iter().for_each(|corner| normals[*corner as usize] += *area);
    }
    normals.iter().map(|sum| unit(*sum).unwrap_or(Vec3::Y)).collect()
}

/// A vector of length 1. The squares of small areas would underflow in 32 bits: it is scaled by the largest component first.
fn unit(vector: Vec3) -> Option<Vec3> {
    (vector / vector.abs().max_element().max(f32::MIN_POSITIVE)).try_normalize()
}

/// A camera together with a picture's size: from world to screen.
pub(crate) struct View {
    axes: DMat3,
    /// The camera's place, relative to the middle of the surface \[m\].
    pub(crate) eye: Vec3,
    eye_exact: DVec3,
    center: [f64; 2],
    /// Pixels by which a meter at a distance of 1 m is long.
    pub(crate) focal: f64,
    nearest: f64,
}

impl View {
    /// The view of a camera.
    ///
    /// # Errors
    /// [`RenderError::Camera`] if it has none.
    pub(crate) fn new(camera: &Camera, picture: &Picture, surface: &Surface) -> Result<Self, RenderError> {
        let axes = surface.upright * camera.axes()?;
        let center = [0.5 * f64::from(picture.width), 0.5 * f64::from(picture.height)];
        let eye_exact = surface.upright * (camera.eye - surface.middle);
        let focal = center[1] / half_angle_slope(camera.field_of_view);
        let nearest = 1e-3 * f64::from(surface.radius);
        Ok(Self { axes, eye: eye_exact.as_vec3(), eye_exact, center, focal, nearest })
    }

    /// The direction to the right in the picture.
    pub(crate) fn right(&self) -> Vec3 {
        self.axes.x_axis.as_vec3()
    }

    /// A point on the screen: x to the right and y down \[pixels\], and the reciprocal of its depth \[1/m\], which like
    /// them is linear along straight lines. The reciprocal is 0 for points that are too near to be drawn.
    pub(crate) fn project(&self, point: Vec3) -> Vec3 {
        let q = self.axes.transpose() * (point.as_dvec3() - self.eye_exact);
        let depth = -q.z;
        if depth < self.nearest {
            return Vec3::ZERO;
        }
        let x = self.center[0] + self.focal * q.x / depth;
        let y = self.center[1] - self.focal * q.y / depth;
        Vec3::new(x as f32, y as f32, (1.0 / depth) as f32)
    }
}
