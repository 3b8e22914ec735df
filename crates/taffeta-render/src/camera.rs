//! A perspective camera, and how it frames a box.
//!
//! ```text
//!            y up
//!            │   ○ eye: from the front (+z), 30° to the right (+x), 24° above
//!            │  ╱
//!            │ ╱
//!            └──────── x
//!           ╱
//!          z
//! ```

use crate::error::{CameraDefect, RenderError};
use glam::{DMat3, DVec3};
use taffeta_core::math;

/// Vertical angle of view of a framing camera \[degrees\]. Wider distorts the near side, narrower looks flat.
const FRAMING_VIEW_DEG: f64 = 28.0;
/// Where a framing camera stands: degrees to the right of the front.
const FRAMING_RIGHT_DEG: f64 = 30.0;
/// Where a framing camera stands: degrees above the horizon.
const FRAMING_ABOVE_DEG: f64 = 24.0;
/// The framed box fills this share of the picture in the direction that limits it.
const FRAMING_FILL: f64 = 0.94;

/// A perspective camera.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Camera {
    /// Where it stands \[m\].
    pub eye: DVec3,
    /// A point in the middle of the picture \[m\].
    pub target: DVec3,
    /// A direction that is upward in the picture.
    pub up: DVec3,
    /// The angle of view from the lower to the upper border of the picture \[rad\].
    pub field_of_view: f64,
}

impl Camera {
    /// The camera that sees a box \[m\] from the front, the right and above, as large as the picture allows.
    /// `aspect` is the picture's width over its height. The result depends on nothing else, so that a sequence whose
    /// frames share their bounds stands still.
    pub fn framing(bounds: [DVec3; 2], aspect: f64) -> Self {
        let right = framing_right();
        let (sin_above, cos_above) = math::sin_cos(FRAMING_ABOVE_DEG.to_radians());
        let back = right.cross(DVec3::Y) * cos_above + DVec3::Y * sin_above;
        let up = back.cross(right);
        let field_of_view = FRAMING_VIEW_DEG.to_radians();
        let slope_y = half_angle_slope(field_of_view) * FRAMING_FILL;
        let slope_x = slope_y * aspect;

        let center = 0.5 * (bounds[0] + bounds[1]);
        // A box without extent would be looked at from distance zero.
        let half = (0.5 * (bounds[1] - bounds[0])).max(DVec3::splat(1e-6 * (1.0 + center.length())));
        let mut reach = [f64::NEG_INFINITY; 4];
        for corner in 0..8 {
            let sign = |bit: u32| if corner >> bit & 1 == 1 { 1.0 } else { -1.0 };
            let p = half * DVec3::new(sign(0), sign(1), sign(2));
            let (x, y, z) = (p.dot(right), p.dot(up), p.dot(back));
            let sides = [x + slope_x * z, -x + slope_x * z, y + slope_y * z, -y + slope_y * z];
            for k in 0..4 {
                reach[k] = reach[k].max(sides[k]);
            }
        }
        // Each side of the view is a plane that touches the box; opposite planes meet where the eye must be.
        let distance_x = (reach[0] + reach[1]) / (2.0 * slope_x);
        let distance_y = (reach[2] + reach[3]) / (2.0 * slope_y);
        let shift = right * (0.5 * (reach[0] - reach[1])) + up * (0.5 * (reach[2] - reach[3]));
        let target = center + shift;
        Self { eye: target + back * distance_x.max(distance_y), target, up: DVec3::Y, field_of_view }
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

/// The direction to the right in a framing camera's picture.
pub(crate) fn framing_right() -> DVec3 {
    let (sin, cos) = math::sin_cos(FRAMING_RIGHT_DEG.to_radians());
    DVec3::new(cos, 0.0, -sin)
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
            let camera = Camera::framing(bounds, aspect);
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
        let good = Camera::framing([DVec3::ZERO, DVec3::ONE], 1.0);
        let message = |camera: Camera| camera.axes().unwrap_err().to_string();
        assert!(message(Camera { eye: DVec3::NAN, ..good }).contains("not finite"));
        assert!(message(Camera { eye: good.target, ..good }).contains("one line"));
        assert!(message(Camera { up: good.eye - good.target, ..good }).contains("one line"));
        assert!(message(Camera { field_of_view: 4.0, ..good }).contains("angle of view"));
    }
}
