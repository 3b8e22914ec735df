//! A perspective camera, and how it frames a box.
//!
//! ```text
//!            up (y)
//!            │   ○ eye: from the front (+z), 30° to the right (+x), 24° above
//!            │  ╱
//!            │ ╱
//!            └──────── right (x)
//!           ╱
//!          front (z)
//! ```
//!
//! Where z is up, the front is −y; where x is up, the front is z and −y is to the right.

use crate::error::{CameraDefect, RenderError};
use glam::{DMat3, DVec3};
use taffeta_core::{TriangleMesh, math};

/// Vertical angle of view of a framing camera \[degrees\]. Wider distorts the near side, narrower looks flat.
const FRAMING_VIEW_DEG: f64 = 28.0;
/// Default azimuth of a framing camera: degrees to the right of the front.
const FRAMING_RIGHT_DEG: f64 = 30.0;
/// Other azimuths of a framing camera. All on the front side, so that a front stays one.
const OTHER_RIGHT_DEG: [f64; 6] = [-30.0, 60.0, -60.0, 0.0, 90.0, -90.0];
/// Ratio by which more of a cloth must be seen from another azimuth for the camera to take it. Lower, and folds that come and
/// go would move the camera; higher, and a flag may be seen edge-on.
const OTHER_GAIN_MIN: f64 = 1.3;
/// Elevation of a framing camera: degrees above the horizon.
const FRAMING_ABOVE_DEG: f64 = 24.0;
/// The framed box fills this share of the picture in the direction that limits it.
const FRAMING_FILL: f64 = 0.94;

/// A perspective camera.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Camera {
    /// Its position \[m\].
    pub eye: DVec3,
    /// A point in the middle of the picture \[m\].
    pub target: DVec3,
    /// A direction that is upward in the picture.
    pub up: DVec3,
    /// The angle of view from the lower to the upper border of the picture \[rad\].
    pub field_of_view: f64,
}

/// From where a framing camera looks.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Viewpoint {
    /// The direction that is upward in the picture: against gravity.
    pub up: DVec3,
    /// Angle from the front to the right \[degrees\].
    pub right_deg: f64,
}

impl Default for Viewpoint {
    fn default() -> Self {
        Self { up: DVec3::Y, right_deg: FRAMING_RIGHT_DEG }
    }
}

impl Viewpoint {
    /// The viewpoint from which surfaces are not seen edge-on: the usual one, unless their faces show much more of their
    /// area from another one.
    pub fn choose<'a>(up: DVec3, meshes: impl IntoIterator<Item = &'a TriangleMesh>) -> Self {
        let usual = Self { up, ..Self::default() };
        let all = [FRAMING_RIGHT_DEG].into_iter().chain(OTHER_RIGHT_DEG);
        let viewpoints: Vec<Self> = all.map(|right_deg| Self { right_deg, ..usual }).collect();
        let backs: Vec<DVec3> = viewpoints.iter().map(|viewpoint| viewpoint.axes().z_axis).collect();
        let mut seen = vec![0.0; backs.len()];
        for mesh in meshes {
            for face in &mesh.faces {
                let [a, b, c] = face.map(|corner| mesh.positions[corner as usize]);
                let doubled_area = (b - a).cross(c - a);
                seen.iter_mut().zip(&backs).for_each(|(sum, back)| *sum += doubled_area.dot(*back).abs());
            }
        }
        let mut best = 0;
        for k in 1..seen.len() {
            if seen[k] > OTHER_GAIN_MIN * seen[0] && seen[k] > seen[best] {
                best = k;
            }
        }
        viewpoints[best]
    }

    /// The axes of a camera there, as columns: right, up, back.
    fn axes(self) -> DMat3 {
        let upright = compute_upright(self.up);
        let (sin, cos) = math::sin_cos(self.right_deg.to_radians());
        let right = upright.transpose() * DVec3::new(cos, 0.0, -sin);
        let up = upright.transpose() * DVec3::Y;
        let (sin_above, cos_above) = math::sin_cos(FRAMING_ABOVE_DEG.to_radians());
        let back = right.cross(up) * cos_above + up * sin_above;
        DMat3::from_cols(right, back.cross(right), back)
    }
}

/// The rotation after which `up` is y. The identity if it is so already, or has no direction.
pub(crate) fn compute_upright(up: DVec3) -> DMat3 {
    let up = up.normalize_or(DVec3::Y);
    let right = if up.x.abs() > 0.9 { -DVec3::Y * up.x.signum() } else { DVec3::X };
    let right = right.reject_from_normalized(up).normalize_or(DVec3::X);
    DMat3::from_cols(right, up, right.cross(up)).transpose()
}

impl Camera {
    /// The camera that sees a box \[m\] from a viewpoint, as large as the picture allows. `aspect` is the picture's width
    /// over its height, and `covered` the share of its width at the right border that is kept free, 0 to 0.5. The result
    /// depends on nothing else, so that a sequence whose frames share their bounds stands still.
    pub fn framing(bounds: [DVec3; 2], aspect: f64, viewpoint: Viewpoint, covered: f64) -> Self {
        let axes = viewpoint.axes();
        let (right, up, back) = (axes.x_axis, axes.y_axis, axes.z_axis);
        let field_of_view = FRAMING_VIEW_DEG.to_radians();
        let slope_y = half_angle_slope(field_of_view) * FRAMING_FILL;
        let slope_left = slope_y * aspect;
        let slope_right = slope_left * (1.0 - 2.0 * covered.clamp(0.0, 0.5)).max(0.05);

        let center = 0.5 * (bounds[0] + bounds[1]);
        // A box without extent would be looked at from distance zero.
        let half = (0.5 * (bounds[1] - bounds[0])).max(DVec3::splat(1e-6 * (1.0 + center.length())));
        let mut reach = [f64::NEG_INFINITY; 4];
        for corner in 0..8 {
            let sign = |bit: u32| if corner >> bit & 1 == 1 { 1.0 } else { -1.0 };
            let p = half * DVec3::new(sign(0), sign(1), sign(2));
            let (x, y, z) = (p.dot(right), p.dot(up), p.dot(back));
            let sides = [x + slope_right * z, -x + slope_left * z, y + slope_y * z, -y + slope_y * z];
            for k in 0..4 {
                reach[k] = reach[k].max(sides[k]);
            }
        }
        // Each side of the view is a plane that touches the box; opposite planes meet where the eye must be.
        let distance_x = (reach[0] + reach[1]) / (slope_right + slope_left);
        let distance_y = (reach[2] + reach[3]) / (2.0 * slope_y);
        let distance = distance_x.max(distance_y);
        let shift = right * (0.5 * (reach[0] - reach[1] - (slope_right - slope_left) * distance))
            + up * (0.5 * (reach[2] - reach[3]));
        let target = center + shift;
        Self { eye: target + back * distance, target, up: viewpoint.up, field_of_view }
    }

    /// The camera's axes as columns: right, up, back.
    pub(crate) fn axes(&self) -> Result<DMat3, RenderError> {
        let Self { eye, target, up, field_of_view } = *self;
        if !(eye.is_finite() && target.is_finite() && up.is_finite()) {
            return Err(RenderError::Camera(CameraDefect::NotFinite));
        }
        if !(field_of_view > 0.0 && field_of_view < std::f64::consts::PI) {
            return Err(RenderError::Camera(CameraDefect::FieldOfView));
        }
        let collinear = RenderError::Camera(CameraDefect::Collinear);
        let Some(back) = (eye - target).try_normalize() else { return Err(collinear) };
        let Some(right) = up.normalize_or_zero().cross(back).try_normalize() else { return Err(collinear) };
        Ok(DMat3::from_cols(right, back.cross(right), back))
    }
}

/// The direction to the right in the picture of a framing camera at the usual viewpoint, y up.
pub(crate) fn framing_right() -> DVec3 {
    Viewpoint::default().axes().x_axis
}

/// The tangent of half an angle \[rad\].
pub(crate) fn half_angle_slope(angle: f64) -> f64 {
    let (sin, cos) = math::sin_cos(0.5 * angle);
    sin / cos
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn framing_fills_the_picture_and_nothing_sticks_out() {
        for (size, aspect) in [(DVec3::ONE, 16.0 / 9.0), (DVec3::new(4.0, 0.1, 1.0), 0.5), (DVec3::Y, 1.0)] {
            let bounds = [DVec3::splat(5.0), DVec3::splat(5.0) + size];
            let camera = Camera::framing(bounds, aspect, Viewpoint::default(), 0.0);
            let axes = camera.axes().unwrap();
            let slope = half_angle_slope(camera.field_of_view);
            let mut widest: f64 = 0.0;
            for corner in 0..8 {
                let sign = |bit: u32| f64::from(corner >> bit & 1);
                let p = bounds[0] + size * DVec3::new(sign(0), sign(1), sign(2)) - camera.eye;
                let q = axes.transpose() * p;
                assert!(q.z < 0.0);
                let (x, y) = (q.x / (-q.z * slope * aspect), q.y / (-q.z * slope));
                widest = widest.max(x.abs()).max(y.abs());
            }
            assert!((widest - FRAMING_FILL).abs() < 1e-3, "{widest}");
        }
    }

    #[test]
    fn impossible_cameras_are_refused_with_the_reason() {
        let good = Camera::framing([DVec3::ZERO, DVec3::ONE], 1.0, Viewpoint::default(), 0.0);
        let message = |camera: Camera| camera.axes().unwrap_err().to_string();
        assert!(message(Camera { eye: DVec3::NAN, ..good }).contains("not finite"));
        assert!(message(Camera { eye: good.target, ..good }).contains("one line"));
        assert!(message(Camera { up: good.eye - good.target, ..good }).contains("one line"));
        assert!(message(Camera { field_of_view: 4.0, ..good }).contains("angle of view"));
    }

    #[test]
    fn the_right_border_is_kept_free_if_asked_for() {
        let bounds = [DVec3::ZERO, DVec3::new(2.0, 1.0, 0.5)];
        for aspect in [0.5, 1.0, 2.0] {
            let camera = Camera::framing(bounds, aspect, Viewpoint::default(), 0.2);
            let axes = camera.axes().unwrap();
            let slope = half_angle_slope(camera.field_of_view) * aspect;
            let corner = |k: u32| DVec3::new(f64::from(k & 1), f64::from(k >> 1 & 1), f64::from(k >> 2));
            let x = (0..8)
                .map(|k| axes.transpose() * (corner(k) * bounds[1] - camera.eye))
                .map(|q| q.x / (-q.z * slope));
            let (low, high) = x.fold((1.0, -1.0), |(low, high): (f64, f64), x| (low.min(x), high.max(x)));
            assert!(low >= -FRAMING_FILL - 1e-9 && high <= 0.6 * FRAMING_FILL + 1e-9, "{low} {high}");
        }
    }

    #[test]
    fn whatever_is_up_is_upward_in_the_picture_and_the_front_is_seen() {
        for up in [DVec3::Y, DVec3::Z, DVec3::X, -DVec3::Z, DVec3::new(0.3, -0.2, 0.9)] {
            let upright = compute_upright(up);
            assert!((upright * up.normalize()).distance(DVec3::Y) < 1e-15, "{up}");
            assert!((upright.determinant() - 1.0).abs() < 1e-15, "{up}");
            let viewpoint = Viewpoint { up, ..Viewpoint::default() };
            let camera = Camera::framing([-DVec3::ONE, DVec3::ONE], 1.0, viewpoint, 0.0);
            assert!(camera.axes().unwrap().y_axis.dot(up) > 0.9 * up.length());
            assert!((camera.eye - camera.target).dot(up) > 0.0);
        }
        assert_eq!(compute_upright(DVec3::Y), DMat3::IDENTITY);
        let eye =
            Camera::framing([-DVec3::ONE, DVec3::ONE], 1.0, Viewpoint { up: DVec3::Z, right_deg: 0.0 }, 0.0)
                .eye;
        assert!(eye.y < -3.0 && eye.x.abs() < 1e-9, "where z is up, the front is −y: {eye}");
    }

    #[test]
    fn a_sheet_that_would_be_seen_edge_on_is_looked_at_from_elsewhere() {
        let sheet = |along: DVec3| TriangleMesh {
            positions: vec![DVec3::ZERO, along, along + DVec3::Y, DVec3::Y],
            faces: vec![[0, 1, 2], [0, 2, 3]],
            material: None,
        };
        let back = Viewpoint::default().axes().z_axis.with_y(0.0).normalize();
        let chosen = Viewpoint::choose(DVec3::Y, [&sheet(back)]);
        assert!(chosen.right_deg <= -30.0, "{}", chosen.right_deg);
        assert_eq!(Viewpoint::choose(DVec3::Y, [&sheet(DVec3::X)]), Viewpoint::default());
        assert_eq!(Viewpoint::choose(DVec3::Y, []), Viewpoint::default());
    }
}
