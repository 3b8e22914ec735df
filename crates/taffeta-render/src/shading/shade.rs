//! The color of a point of the surface.

use super::shadow::ShadowMap;
use super::surface::{Surface, View};
use super::weave;
use crate::bodies::body::BodyKind;
use crate::color;
use crate::picture::Coloring;
use glam::{Vec2, Vec3};

/// Cells along the side of the key light's shadow map: about one per pixel of an ordinary picture. Finer cells make the
/// penumbra harder and the map slower.
const KEY_MAP_SIZE: usize = 768;
/// Half the width of the key light's penumbra \[cells\].
const KEY_BLUR: usize = 2;
/// Irradiance of the key light, slightly warm.
const KEY: Vec3 = Vec3::new(0.90, 0.86, 0.80);
/// Irradiance of the fill light, which casts no shadow of its own, slightly cool.
const FILL: Vec3 = Vec3::new(0.13, 0.14, 0.16);
/// Irradiance of the open sky.
const SKY: Vec3 = Vec3::new(0.34, 0.365, 0.40);
/// Tint of the light on surfaces that face down, relative to the sky.
const GROUND_TINT: Vec3 = Vec3::new(1.12, 1.02, 0.90);
/// Share of the key light that passes through a cloth.
const TRANSMISSION: f32 = 0.10;
/// Strength of the light edge of cloth seen at a grazing angle.
const SHEEN: f32 = 0.10;
/// Highlights of cloth and of obstacles.
const CLOTH_GLOSS: Gloss = Gloss { strength: 0.05, squarings: 4 };
const OBSTACLE_GLOSS: Gloss = Gloss { strength: 0.06, squarings: 5 };
/// Color of a floor in full light, relative to the background.
const FLOOR_TINT: Vec3 = Vec3::new(0.93, 0.935, 0.945);
/// Darkness of the key light's shadow on a floor, 0 to 1.
const FLOOR_SHADOW: f32 = 0.42;

/// Cosine of the steepest view for which threads are drawn.
const LEAST_SLOPE: f32 = 0.05;

/// Highlight of a surface (Blinn, 1977).
#[derive(Clone, Copy)]
struct Gloss {
    strength: f32,
    /// Number of times that the cosine is squared: the exponent as a power of two.
    squarings: u32,
}

/// All that the color of a point depends on.
pub(crate) struct Shader<'a> {
    surface: &'a Surface,
    /// Corners on the screen, as [`View::project`] gives them.
    projected: &'a [Vec3],
    sky_light: Vec<[f32; 2]>,
    key: ShadowMap,
    fill_direction: Vec3,
    eye: Vec3,
    cloths: Vec<[Vec3; 2]>,
    obstacle: Vec3,
    /// Albedos along the scale of colors; empty without one.
    tones: Vec<Vec3>,
    /// Length of a crossing of threads \[m\], and of a pixel at a distance of 1 m \[m\].
    pitch: f32,
    pixel: f32,
}

/// A point of a face, as the camera sees it.
struct Point {
    face: usize,
    position: Vec3,
    /// Unit normal on the side that is seen.
    normal: Vec3,
    /// Unit vector to the camera.
    to_eye: Vec3,
    /// Light from all around on the side that is seen.
    sky: f32,
    opacity: f32,
    front: bool,
    /// Corners of the face, and the point's weights in them.
    corners: [usize; 3],
    weights: [f32; 3],
}

impl<'a> Shader<'a> {
    /// Prepares the lights. The key light stands to the left of the camera, the fill light to the right.
    pub(crate) fn new(surface: &'a Surface, view: &View, projected: &'a [Vec3], coloring: Coloring) -> Self {
        let right = Vec3::new(view.right().x, 0.0, view.right().z).normalize_or(Vec3::X);
        let toward = right.cross(Vec3::Y);
        let key_direction = (-0.80 * right + 1.0 * Vec3::Y + 0.42 * toward).normalize();
        Self {
            surface,
            projected,
            sky_light: super::ambient::compute_sky_light(surface),
            key: ShadowMap::build(surface, key_direction, KEY_MAP_SIZE),
            fill_direction: (0.9 * right + 0.25 * Vec3::Y + 0.6 * toward).normalize(),
            eye: view.eye,
            cloths: color::cloth_albedos().to_vec(),
            obstacle: color::obstacle_albedo(),
            pitch: weave::pitch(material_radius(surface)),
            pixel: 1.0 / view.focal as f32,
            tones: match coloring {
                Coloring::Plain => Vec::new(),
                Coloring::Scale(scale) => color::scale_albedos(scale.palette),
            },
        }
    }

    /// The linear light that comes from a face at a point of the screen \[pixels\], in front of a background.
    pub(crate) fn compute_color(&self, face: usize, screen: Vec2, background: Vec3) -> Vec3 {
        let point = self.find_point(face, screen);
        match self.surface.kinds[face] {
            BodyKind::Cloth { index } => {
                let [front, back] = self.cloths[index % self.cloths.len()];
                let plain = if point.front { front } else { back };
                let woven = plain * self.weave(&point);
                self.shade_cloth(&point, if self.tones.is_empty() { woven } else { self.find_tone(&point) })
            }
            BodyKind::Obstacle => {
                let light = self.compute_key_light(&point);
                self.obstacle * self.diffuse(&point, light) + self.highlight(&point, light, OBSTACLE_GLOSS)
            }
            BodyKind::Floor => self.shade_floor(&point, background),
        }
    }

    /// The factor of the threads at a point of a cloth.
    fn weave(&self, point: &Point) -> f32 {
        let coords = self.surface.coords[point.face];
        let place = (0..3).map(|k| coords[k] * point.weights[k]).sum::<Vec2>() / self.pitch;
        // On a slope a pixel covers more threads.
        let slope = point.normal.dot(point.to_eye).max(LEAST_SLOPE);
        weave::tone(place, self.pixel * self.eye.distance(point.position) / (slope * self.pitch))
    }

    /// The albedo of a point by its value; gray if it has none.
    fn find_tone(&self, point: &Point) -> Vec3 {
        let tones = &self.surface.tones;
        let place = (0..3).map(|k| tones[point.corners[k]] * point.weights[k]).sum::<f32>();
        if place.is_nan() {
            return self.obstacle;
        }
        let last = self.tones.len() - 1;
        self.tones[((place * last as f32 + 0.5) as usize).min(last)]
    }

    fn shade_cloth(&self, point: &Point, albedo: Vec3) -> Vec3 {
        let light = self.compute_key_light(point);
        let through = (-point.normal.dot(self.key.direction)).max(0.0) * light * TRANSMISSION;
        let facing = point.normal.dot(point.to_eye).clamp(0.0, 1.0);
        let grazing = (1.0 - facing) * (1.0 - facing) * (1.0 - facing);
        let sheen = albedo.lerp(Vec3::ONE, 0.5) * (SHEEN * grazing * (point.sky + 0.5 * light));
        albedo * (self.diffuse(point, light) + KEY * through)
            + sheen
            + self.highlight(point, light, CLOTH_GLOSS)
    }

    /// A floor is the background, tinted and in shadow: its border cannot be seen.
    fn shade_floor(&self, point: &Point, background: Vec3) -> Vec3 {
        let light = self.compute_key_light(point);
        let shade = (1.0 - FLOOR_SHADOW * (1.0 - light)) * point.sky.min(1.0);
        background * Vec3::ONE.lerp(FLOOR_TINT * shade, point.opacity)
    }

    fn diffuse(&self, point: &Point, light: f32) -> Vec3 {
        let key = point.normal.dot(self.key.direction).max(0.0) * light;
        let fill = 0.5 + 0.5 * point.normal.dot(self.fill_direction);
        let tint = GROUND_TINT.lerp(Vec3::ONE, 0.5 + 0.5 * point.normal.y);
        KEY * key + FILL * (fill * fill * point.sky.min(1.0)) + SKY * tint * point.sky
    }

    fn highlight(&self, point: &Point, light: f32, gloss: Gloss) -> Vec3 {
        let half = (self.key.direction + point.to_eye).normalize_or_zero();
        let mut power = point.normal.dot(half).max(0.0);
        for _ in 0..gloss.squarings {
            power *= power;
        }
        KEY * (gloss.strength * power * light)
    }

    /// The share of the key light that reaches a point on its lit side.
    ///
    /// The facets of a smooth surface shade themselves at grazing light. So the point is first lifted to the surface that the
    /// vertex normals describe (Hanika, Hacking the Shadow Terminator, 2021).
    fn compute_key_light(&self, point: &Point) -> f32 {
        let lit_side = if point.normal.dot(self.key.direction) < 0.0 { -1.0 } else { 1.0 };
        let mut lifted = Vec3::ZERO;
        let normals = self.surface.corner_normals[point.face];
        for ((corner, normal), weight) in point.corners.iter().zip(normals).zip(point.weights) {
            let own_side = if point.front { lit_side } else { -lit_side };
            let normal = own_side * normal;
            let height = (point.position - self.surface.positions[*corner]).dot(normal).min(0.0);
            lifted += weight * (point.position - height * normal);
        }
        self.key.compute_light(lifted, lit_side * point.normal, KEY_BLUR)
    }

    /// The point of a face under a point of the screen.
    fn find_point(&self, face: usize, screen: Vec2) -> Point {
        let corners = self.surface.faces[face].map(|corner| corner as usize);
        let [a, b, c] = corners.map(|corner| self.projected[corner]);
        let [pa, pb, pc] = [a, b, c].map(|corner| corner.truncate() - screen);
        // Areas opposite to the corners; divided by depth, they are the weights in space.
        let areas = [pb.perp_dot(pc), pc.perp_dot(pa), pa.perp_dot(pb)];
        let front = areas[0] + areas[1] + areas[2] < 0.0;
        let raw = [areas[0] * a.z, areas[1] * b.z, areas[2] * c.z];
        let sum = raw[0] + raw[1] + raw[2];
        let weights = if sum == 0.0 { [1.0 / 3.0; 3] } else { raw.map(|w| (w / sum).clamp(0.0, 1.0)) };
        let blend = |field: &[Vec3]| (0..3).map(|k| field[corners[k]] * weights[k]).sum::<Vec3>();
        let scalar =
            |field: &dyn Fn(usize) -> f32| (0..3).map(|k| field(corners[k]) * weights[k]).sum::<f32>();
        let position = blend(&self.surface.positions);
        let normals = self.surface.corner_normals[face];
        let normal = (0..3).map(|k| normals[k] * weights[k]).sum::<Vec3>().normalize_or(Vec3::Y);
        Point {
            face,
            position,
            normal: if front { normal } else { -normal },
            to_eye: (self.eye - position).normalize_or(Vec3::Y),
            sky: scalar(&|vi| self.sky_light[vi][usize::from(!front)]),
            opacity: scalar(&|vi| self.surface.opacity[vi]),
            front,
            corners,
            weights,
        }
    }
}

/// Half the diagonal of a square with the area of the largest cloth \[m\]. It is the same in all frames of a run, in which the
/// framed box changes.
fn material_radius(surface: &Surface) -> f32 {
    let mut areas: Vec<f64> = Vec::new();
    for (kind, coords) in surface.kinds.iter().zip(&surface.coords) {
        let BodyKind::Cloth { index } = kind else { continue };
        let [a, b, c] = coords.map(|u| u.as_dvec2());
        let area = 0.5 * (b - a).perp_dot(c - a).abs();
        areas.resize(areas.len().max(index + 1), 0.0);
        areas[*index] += if area.is_finite() { area } else { 0.0 };
    }
    weave::radius(areas.into_iter().fold(0.0, f64::max))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Body, Picture};
    use glam::{DVec2, DVec3};
    use taffeta_core::TriangleMesh;

    #[test]
    fn threads_are_as_wide_in_every_frame_of_a_run() {
        let coords = [DVec2::ZERO, DVec2::X, DVec2::ONE, DVec2::Y];
        let radius = |width: f64| {
            let positions = coords.iter().map(|u| DVec3::new(u.x * width, u.y, 0.0)).collect();
            let mut mesh =
                TriangleMesh { positions, faces: vec![[0, 1, 2], [0, 2, 3]], ..TriangleMesh::default() };
            mesh.set_vertex_material(&coords);
            let body = Body { mesh, kind: BodyKind::Cloth { index: 1 }, values: None };
            let bounds = [DVec3::ZERO, DVec3::new(width, 1.0, 0.0)];
            material_radius(&Surface::build(&[&body], bounds, &Picture::default()))
        };
        assert_eq!([radius(1.0), radius(0.1)], [std::f32::consts::FRAC_1_SQRT_2; 2]);
    }
}
