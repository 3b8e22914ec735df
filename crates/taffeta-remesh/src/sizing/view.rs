//! View of a camera: outside its picture and far away a mesh may be coarser (W. Koh, R. Narain, J. F. O'Brien,
//! View-dependent adaptive cloth simulation, 2014).

use glam::DVec3;
use taffeta_core::Pose;
use taffeta_core::math::{atan2, exp, ln};

/// Angle beside the picture over which edges come to their full length \[rad\]: about 14°. Cloth that enters the picture is
/// fine when it gets there.
const RAMP: f64 = 0.25;

/// A camera.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct View {
    /// Its position \[m\].
    eye: DVec3,
    /// To the right of the picture, upward and into it: unit vectors.
    axes: [DVec3; 3],
    /// Half of the angles of view, horizontal and vertical \[rad\].
    half_angles: [f64; 2],
    /// The distance at which sizes hold as they are asked for \[m\].
    focus: f64,
}

impl View {
    /// Camera at a place \[m\] that looks at a target \[m\], with the upward direction of the picture. The angles of the
    /// picture are those from side to side and from bottom to top \[rad\]. At the distance of the target and nearer, cloth is
    /// as fine as it is asked to be.
    ///
    /// `None` if that is no view: the target is at the camera or in the upward direction, an angle is not between 0 and π, or
    /// something is not finite.
    pub fn new([eye, target]: [DVec3; 2], up: DVec3, angles: [f64; 2]) -> Option<Self> {
        let ahead = (target - eye).try_normalize()?;
        let right = ahead.cross(up.try_normalize()?).try_normalize()?;
        let has_angles = angles.iter().all(|angle| *angle > 0.0 && *angle < std::f64::consts::PI);
        has_angles.then(|| Self {
            eye,
            axes: [right, right.cross(ahead), ahead],
            half_angles: angles.map(|angle| 0.5 * angle),
            focus: eye.distance(target),
        })
    }

    /// The point that it looks at \[m\].
    pub fn target(&self) -> DVec3 {
        self.eye + self.focus * self.axes[2]
    }

    /// The camera after a rigid motion.
    pub fn moved(&self, pose: &Pose) -> Self {
        Self { eye: pose.apply(self.eye), axes: self.axes.map(|axis| pose.rotation * axis), ..*self }
    }

    /// Factor by which edges at a point \[m\] may be longer than asked for: from 1, in the picture and not farther than the
    /// target, to `most`.
    pub fn coarsening(&self, point: DVec3, most: f64) -> f64 {
        let way = point - self.eye;
        let [right, up, ahead] = self.axes.map(|axis| way.dot(axis));
        let beside = [right, up].map(|across| atan2(across.abs(), ahead));
        let outside =
            beside.iter().zip(self.half_angles).map(|(angle, half)| angle - half).fold(0.0, f64::max);
        let unseen = exp(ln(most) * (outside / RAMP).min(1.0));
        let far = (way.length() / self.focus).max(1.0);
        (far * unseen).min(most)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use taffeta_core::motion::rotation_xyz;

    fn view() -> View {
        // A right angle from side to side, less from bottom to top; the target is 2 m ahead.
        View::new([DVec3::ZERO, -2.0 * DVec3::Z], DVec3::Y, [1.571, 1.0]).unwrap()
    }

    #[test]
    fn what_is_in_the_picture_and_near_is_as_fine_as_asked() {
        for point in [DVec3::new(0.0, 0.0, -1.0), DVec3::new(0.9, 0.0, -1.0), DVec3::new(0.0, -0.5, -1.0)] {
            assert_eq!(view().coarsening(point, 4.0), 1.0, "{point}");
        }
    }

    #[test]
    fn a_camera_that_is_moved_sees_what_moves_along_as_before() {
        let pose = Pose {
            rotation: rotation_xyz(DVec3::new(20.0, 70.0, -40.0)),
            translation: DVec3::new(1.0, -2.0, 0.5),
        };
        let moved = view().moved(&pose);
        assert!((moved.target() - pose.apply(view().target())).length() < 1e-12);
        for point in [DVec3::new(0.9, 0.3, -1.0), DVec3::new(2.0, 0.0, -1.0), DVec3::new(0.1, 2.0, -5.0)] {
            let (before, after) = (view().coarsening(point, 4.0), moved.coarsening(pose.apply(point), 4.0));
            assert!((before - after).abs() < 1e-9, "{point}: {before} and {after}");
        }
    }

    #[test]
    fn edges_grow_with_the_distance_and_beside_the_picture() {
        let at = |x: f64, y: f64, z: f64| view().coarsening(DVec3::new(x, y, z), 4.0);
        assert!((at(0.0, 0.0, -6.0) - 3.0).abs() < 1e-12);
        assert_eq!(at(0.0, 0.0, -60.0), 4.0);
        // 45° + RAMP/2 beside the middle: halfway, on a logarithmic scale.
        let angle = 0.5 * 1.571 + 0.5 * RAMP;
        assert!((at(angle.sin(), 0.0, -angle.cos()) - 2.0).abs() < 1e-9);
        assert_eq!(at(0.0, 1.0, -1.0), at(0.0, -1.0, -1.0));
        // Behind the camera.
        assert_eq!([at(0.0, 0.0, 1.0), at(1.0, 0.0, 1.0)], [4.0; 2]);
    }

    #[test]
    fn what_is_no_view_is_refused() {
        let ahead = [DVec3::ZERO, DVec3::X];
        assert!(View::new([DVec3::X; 2], DVec3::Y, [1.0; 2]).is_none());
        assert!(View::new(ahead, DVec3::X, [1.0; 2]).is_none());
        assert!(View::new(ahead, DVec3::ZERO, [1.0; 2]).is_none());
        assert!(View::new(ahead, DVec3::Y, [0.0, 1.0]).is_none());
        assert!(View::new([DVec3::NAN, DVec3::X], DVec3::Y, [1.0; 2]).is_none());
    }
}
