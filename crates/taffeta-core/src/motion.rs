//! Rigid placement and keyframed motion.

use crate::math;
use glam::{DMat3, DVec3};
use serde::{Deserialize, Serialize};

/// A fixed placement: scale, then rotate about the world's axes x, y and z in turn, then translate.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct Placement {
    /// Translation \[m\].
    pub translate: DVec3,
    /// Rotation about x, then y, then z, through the origin \[degrees\].
    pub rotate_deg: DVec3,
    /// Uniform scale.
    pub scale: f64,
}

impl Default for Placement {
    fn default() -> Self {
        Self { translate: DVec3::ZERO, rotate_deg: DVec3::ZERO, scale: 1.0 }
    }
}

impl Placement {
    /// A pure translation \[m\].
    pub fn at(translate: DVec3) -> Self {
        Self { translate, ..Self::default() }
    }

    /// The rigid part of the placement.
    pub fn pose(&self) -> Pose {
        Pose { rotation: rotation_xyz(self.rotate_deg), translation: self.translate }
    }

    /// Where a point goes \[m\].
    pub fn apply(&self, point: DVec3) -> DVec3 {
        self.pose().apply(point * self.scale)
    }

    /// Where a point came from \[m\].
    pub fn apply_inverse(&self, point: DVec3) -> DVec3 {
        self.pose().apply_inverse(point) / self.scale
    }
}

/// A rigid transformation `x ↦ R x + t`.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Pose {
    /// The rotation `R`.
    pub rotation: DMat3,
    /// The translation `t` \[m\].
    pub translation: DVec3,
}

impl Pose {
    /// The identity.
    pub const IDENTITY: Self = Self { rotation: DMat3::IDENTITY, translation: DVec3::ZERO };

    /// Where a point goes \[m\].
    #[inline]
    pub fn apply(&self, point: DVec3) -> DVec3 {
        self.rotation * point + self.translation
    }

    /// Where a point came from \[m\].
    #[inline]
    pub fn apply_inverse(&self, point: DVec3) -> DVec3 {
        self.rotation.transpose() * (point - self.translation)
    }

    /// This transformation after `first`.
    pub fn after(&self, first: &Pose) -> Pose {
        Pose { rotation: self.rotation * first.rotation, translation: self.apply(first.translation) }
    }
}

/// One key of a motion.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct Keyframe {
    /// Time \[s\].
    pub time: f64,
    /// Translation from the rest pose \[m\].
    pub translate: DVec3,
    /// Rotation about x, then y, then z \[degrees\].
    pub rotate_deg: DVec3,
}

/// A keyframed rigid motion: linear between keys in translation and in the three angles, constant before the first
/// key and after the last. No keys: at rest.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Motion {
    /// The keys, in increasing order of time.
    pub keys: Vec<Keyframe>,
}

impl Motion {
    /// Whether the motion never moves anything.
    pub fn is_still(&self) -> bool {
        self.keys.iter().all(|key| key.translate == DVec3::ZERO && key.rotate_deg == DVec3::ZERO)
    }

    /// Whether nothing moves from one time to another \[s\].
    pub fn stands_between(&self, start: f64, end: f64) -> bool {
        let first = self.sample(start);
        let between = self.keys.iter().filter(|key| (start..end).contains(&key.time));
        self.sample(end) == first
            && between.map(|key| Some((key.translate, key.rotate_deg))).all(|at| at == first)
    }

    /// What is wrong with the keys, in words; `None`: nothing.
    pub fn find_defect(&self) -> Option<String> {
        let finite =
            |key: &Keyframe| key.time.is_finite() && key.translate.is_finite() && key.rotate_deg.is_finite();
        if let Some(key) = self.keys.iter().find(|key| !finite(key)) {
            return Some(format!("the key at time {} has numbers that are not finite", key.time));
        }
        let pair = self.keys.windows(2).find(|pair| pair[0].time >= pair[1].time)?;
        Some(format!("the key at time {} does not come after that at {}", pair[1].time, pair[0].time))
    }

    /// The transformation at a time \[s\], with rotations about `center` \[m\].
    pub fn pose_at(&self, time: f64, center: DVec3) -> Pose {
        let Some((translate, rotate_deg)) = self.sample(time) else { return Pose::IDENTITY };
        let rotation = rotation_xyz(rotate_deg);
        Pose { rotation, translation: center - rotation * center + translate }
    }

    fn sample(&self, time: f64) -> Option<(DVec3, DVec3)> {
        let after = self.keys.partition_point(|key| key.time <= time);
        let last = self.keys.get(after.saturating_sub(1))?;
        let Some(next) = self.keys.get(after) else { return Some((last.translate, last.rotate_deg)) };
        // Between equal keys nothing moves, not even by the round-off of the mean.
        if after == 0 || (last.translate, last.rotate_deg) == (next.translate, next.rotate_deg) {
            return Some((next.translate, next.rotate_deg));
        }
        let t = (time - last.time) / (next.time - last.time);
        Some((last.translate.lerp(next.translate, t), last.rotate_deg.lerp(next.rotate_deg, t)))
    }
}

/// The rotation about the fixed axes x, then y, then z \[degrees\]. Quarter turns are exact.
pub fn rotation_xyz(degrees: DVec3) -> DMat3 {
    let [x, y, z] = degrees.to_array().map(sin_cos_degrees);
    let about_x = DMat3::from_cols(DVec3::X, DVec3::new(0.0, x.1, x.0), DVec3::new(0.0, -x.0, x.1));
    let about_y = DMat3::from_cols(DVec3::new(y.1, 0.0, -y.0), DVec3::Y, DVec3::new(y.0, 0.0, y.1));
    let about_z = DMat3::from_cols(DVec3::new(z.1, z.0, 0.0), DVec3::new(-z.0, z.1, 0.0), DVec3::Z);
    about_z * about_y * about_x
}

/// Sine and cosine of an angle in degrees, exact at multiples of 90° so that a sheet turned upright has no round-off.
fn sin_cos_degrees(degrees: f64) -> (f64, f64) {
    let quarter = (degrees / 90.0).round();
    let (s, c) = math::sin_cos((degrees - 90.0 * quarter).to_radians());
    match quarter.rem_euclid(4.0) as u8 {
        0 => (s, c),
        1 => (c, -s),
        2 => (-s, -c),
        _ => (-c, s),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn quarter_turns_are_exact() {
        assert_eq!(rotation_xyz(DVec3::new(90.0, 0.0, 0.0)) * DVec3::Y, DVec3::Z);
        assert_eq!(rotation_xyz(DVec3::new(-90.0, 0.0, 0.0)) * DVec3::Z, DVec3::Y);
        assert_eq!(rotation_xyz(DVec3::new(0.0, 90.0, 90.0)) * DVec3::Z, DVec3::Y);
    }

    #[test]
    fn rotations_apply_about_x_first() {
        let turned = rotation_xyz(DVec3::new(90.0, 0.0, 90.0)) * DVec3::Y;
        assert_eq!(turned, DVec3::Z);
        let turned = rotation_xyz(DVec3::new(90.0, 0.0, 90.0)) * DVec3::X;
        assert_eq!(turned, DVec3::Y);
    }

    #[test]
    fn motion_is_linear_between_keys_and_constant_outside() {
        let key = |time, x| Keyframe { time, translate: DVec3::new(x, 0.0, 0.0), rotate_deg: DVec3::ZERO };
        let motion = Motion { keys: vec![key(1.0, 0.0), key(2.0, 4.0)] };
        let x_at = |time| motion.pose_at(time, DVec3::ONE).apply(DVec3::ZERO).x;
        assert_eq!([0.0, 1.0, 1.25, 2.0, 9.0].map(x_at), [0.0, 0.0, 1.0, 4.0, 4.0]);
    }

    #[test]
    fn inverse_takes_points_back() {
        let pose = Pose { rotation: rotation_xyz(DVec3::new(20.0, 30.0, -50.0)), translation: DVec3::ONE };
        let point = DVec3::new(0.3, -0.2, 0.9);
        assert!(pose.apply_inverse(pose.apply(point)).distance(point) < 1e-15);
    }
}
