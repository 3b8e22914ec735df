//! Rigid placement and keyframed motion.

use crate::math;
use glam::{DMat3, DQuat, DVec3};
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

    /// Transforms a point \[m\].
    pub fn apply(&self, point: DVec3) -> DVec3 {
        self.pose().apply(point * self.scale)
    }

    /// Transforms a point back \[m\].
    pub fn apply_inverse(&self, point: DVec3) -> DVec3 {
        self.pose().apply_inverse(point) / self.scale
    }
}

/// A rigid transformation `x ↦ R x + t`.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct Pose {
    /// The rotation `R`.
    pub rotation: DMat3,
    /// The translation `t` \[m\].
    pub translation: DVec3,
}

impl Pose {
    /// The identity.
    pub const IDENTITY: Self = Self { rotation: DMat3::IDENTITY, translation: DVec3::ZERO };

    /// A rotation about the origin, then a translation \[m\]. The quaternion need not have unit length.
    pub fn new(rotation: DQuat, translation: DVec3) -> Self {
        Self { rotation: DMat3::from_quat(rotation.normalize()), translation }
    }

    /// Transforms a point \[m\].
    #[inline]
    pub fn apply(&self, point: DVec3) -> DVec3 {
        self.rotation * point + self.translation
    }

    /// Transforms a point back \[m\].
    #[inline]
    pub fn apply_inverse(&self, point: DVec3) -> DVec3 {
        self.rotation.transpose() * (point - self.translation)
    }

    /// This transformation after `first`.
    pub fn after(&self, first: &Pose) -> Pose {
        Pose { rotation: self.rotation * first.rotation, translation: self.apply(first.translation) }
    }

    /// The transformation that undoes this one.
    pub fn inverse(&self) -> Pose {
        Pose { rotation: self.rotation.transpose(), translation: self.apply_inverse(DVec3::ZERO) }
    }

    /// The transformation at a part of the straight way to another one: linear in the translation, at constant angular velocity
    /// about the fixed axis of the shorter way.
    pub fn toward(&self, to: &Pose, part: f64) -> Pose {
        if part == 0.0 || self == to {
            return *self;
        }
        if part == 1.0 {
            return *to;
        }
        let rotation = interpolate_rotation([self.rotation, to.rotation], part);
        Pose { rotation, translation: self.translation.lerp(to.translation, part) }
    }

    /// Angle between its rotation and another one \[rad\], at most half a turn.
    pub fn angle_to(&self, to: &Pose) -> f64 {
        if self.rotation == to.rotation {
            return 0.0;
        }
        let between = DQuat::from_mat3(&(to.rotation * self.rotation.transpose())).normalize();
        2.0 * math::atan2(between.xyz().length(), between.w.abs())
    }

    /// Describes what is wrong with the pose; `None` if it is valid.
    pub fn find_defect(&self) -> Option<String> {
        let Self { rotation, translation } = self;
        if !rotation.is_finite() || !translation.is_finite() {
            return Some(format!("its pose has numbers that are not finite: {translation}, {rotation}"));
        }
        if translation.abs().max_element() > FARTHEST_POSE {
            return Some(format!("it is placed at {translation}, farther than {FARTHEST_POSE:.0e} m"));
        }
        let error = (*rotation * rotation.transpose() - DMat3::IDENTITY).to_cols_array();
        let is_rotation = error.iter().all(|e| e.abs() <= ROTATION_SLACK) && rotation.determinant() > 0.0;
        (!is_rotation).then(|| format!("its rotation is none: {rotation}; make it of a unit quaternion"))
    }
}

/// Distance from the origin up to which a body can be moved \[m\].
const FARTHEST_POSE: f64 = 1e9;

/// Part of a step before its end in which a drive has arrived.
const TIME_SLACK: f64 = 1e-9;

/// Largest error of an entry of `R Rᵀ` of a rotation.
const ROTATION_SLACK: f64 = 1e-6;

/// A value that a caller moves step by step: constant until `begin`, then linear in time, constant from `end` on.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct Drive<T> {
    /// Time at which it sets out \[s\].
    pub begin: f64,
    /// Time at which it arrives \[s\]; infinite until the step begins in which it moves.
    pub end: f64,
    /// Value at the begin.
    pub from: T,
    /// Value at the end.
    pub to: T,
}

impl<T: PartialEq> Drive<T> {
    /// A drive that sets out at a time \[s\], in a step that is to be [scheduled](Self::schedule).
    pub fn new(begin: f64, from: T, to: T) -> Self {
        Self { begin, end: f64::INFINITY, from, to }
    }

    /// Lets a drive that sets out now arrive at the end of the step \[s\].
    pub fn schedule(&mut self, now: f64, end: f64) {
        if self.begin == now {
            self.end = end;
        }
    }

    /// Part of the way done at a time \[s\], in `[0, 1]`.
    pub fn part(&self, time: f64) -> f64 {
        // The last substep of a step ends at its end but for the round-off of times.
        let part = (time - self.begin) / (self.end - self.begin);
        if part >= 1.0 - TIME_SLACK { 1.0 } else { part.max(0.0) }
    }

    /// Returns whether the value stays equal at all times from one to another \[s\].
    pub fn stands_between(&self, start: f64, end: f64) -> bool {
        self.from == self.to || self.part(start) == self.part(end)
    }
}

impl Drive<Pose> {
    /// The pose at a time \[s\]: linear in the translation, at constant angular velocity about a fixed axis.
    pub fn at(&self, time: f64) -> Pose {
        self.from.toward(&self.to, self.part(time))
    }
}

impl Drive<DVec3> {
    /// The point at a time \[s\].
    pub fn at(&self, time: f64) -> DVec3 {
        point_between([self.from, self.to], self.part(time))
    }

    /// Sets the point elsewhere at once, with where it comes from and where it goes.
    pub fn carry(&mut self, by: &Pose) {
        (self.from, self.to) = (by.apply(self.from), by.apply(self.to));
    }
}

/// A part of the straight way between two points, which is exact at its ends.
fn point_between([from, to]: [DVec3; 2], part: f64) -> DVec3 {
    match part {
        0.0 => from,
        1.0 => to,
        part => from.lerp(to, part),
    }
}

/// Points that a caller moves one by one \[m\].
pub type Skin = Drive<Vec<DVec3>>;

impl Skin {
    /// Sets the points elsewhere at once, with where they come from and where they go.
    pub fn carry(&mut self, by: &Pose) {
        self.from.iter_mut().chain(&mut self.to).for_each(|point| *point = by.apply(*point));
    }

    /// All points at a time \[s\].
    pub fn points_at(&self, time: f64) -> Vec<DVec3> {
        let part = self.part(time);
        self.from.iter().zip(&self.to).map(|(from, to)| point_between([*from, *to], part)).collect()
    }
}

/// Moves points from where they are at a time \[s\] to where a transformation takes them, within the step that begins then. They
/// are rigid, moved by `motion` about a center, or have places of their own in `skin`, which are left for the transformation in
/// one step. `place` has the points that a transformation makes.
pub fn drive_points(
    motion: &mut KeyframedMotion,
    skin: &mut Option<Skin>,
    time: f64,
    center: DVec3,
    to: Pose,
    place: impl Fn(&Pose) -> Vec<DVec3>,
) {
    let has_left = |skin: &Skin| skin.part(time) == 1.0 && skin.to == place(&motion.pose_at(time, center));
    match skin.take().filter(|skin| !has_left(skin)) {
        Some(left) => {
            motion.drive = Some(Drive::new(time, to, to));
            *skin = Some(Drive::new(time, left.points_at(time), place(&to)));
        }
        None => motion.drive_to(time, center, to),
    }
}

/// The rotation that has turned by a part of what lies between two, about the fixed axis of the shorter way.
fn interpolate_rotation([from, to]: [DMat3; 2], part: f64) -> DMat3 {
    if from == to {
        return from;
    }
    let between = DQuat::from_mat3(&(to * from.transpose())).normalize();
    let between = if between.w < 0.0 { -between } else { between };
    let axis = between.xyz();
    let sine = axis.length();
    if sine == 0.0 {
        return from;
    }
    let (s, c) = math::sin_cos(part * math::atan2(sine, between.w));
    let axis = axis * (s / sine);
    DMat3::from_quat(DQuat::from_xyzw(axis.x, axis.y, axis.z, c)) * from
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

/// The origin of keys in time and space: they count from a time, and a transformation follows theirs. It differs from the
/// default for a body that came to a world later, or was set elsewhere.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct Anchor {
    /// Time at which the time of the keys is 0 \[s\].
    pub time: f64,
    /// Transformation after that of the keys.
    pub pose: Pose,
    /// Number of jumps that were made; `None`: all whose time is over.
    pub jumps: Option<usize>,
}

impl Default for Anchor {
    fn default() -> Self {
        Self { time: 0.0, pose: Pose::IDENTITY, jumps: None }
    }
}

/// A rigid motion by keys or by a caller. By keys it is linear between them in translation and in the three angles, constant
/// before the first key and after the last; without keys at rest. Once a caller drives it, its keys are without effect.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct KeyframedMotion {
    /// The keys, in increasing order of time.
    pub keys: Vec<Keyframe>,
    /// Numbers of the keys to which the motion jumps at their times, in increasing order; not the first. Before such a key it
    /// stays where the one before has brought it.
    #[serde(default)]
    pub jumps: Vec<usize>,
    /// Origin of the times of the keys.
    #[serde(skip)]
    pub anchor: Anchor,
    /// The last step in which a caller has moved it.
    #[serde(skip)]
    pub drive: Option<Drive<Pose>>,
}

impl From<Vec<Keyframe>> for KeyframedMotion {
    fn from(keys: Vec<Keyframe>) -> Self {
        Self { keys, ..Self::default() }
    }
}

impl KeyframedMotion {
    /// Moves it from where it is at a time \[s\] to another transformation within the step that begins then. `center` is the
    /// center of the rotations of its keys \[m\].
    pub fn drive_to(&mut self, time: f64, center: DVec3, to: Pose) {
        self.drive = Some(Drive::new(time, self.pose_at(time, center), to));
    }

    /// Sets it elsewhere at once, at all times: every transformation of the motion is followed by one more.
    pub fn carry(&mut self, by: &Pose) {
        self.anchor.pose = by.after(&self.anchor.pose);
        if let Some(Drive { from, to, .. }) = &mut self.drive {
            (*from, *to) = (by.after(from), by.after(to));
        }
    }

    /// Lets what a caller moves in the step from one time to another \[s\] arrive at its end.
    pub fn schedule(&mut self, now: f64, end: f64) {
        if let Some(drive) = &mut self.drive {
            drive.schedule(now, end);
        }
    }

    /// Begins at a time \[s\], before any jump. From then on jumps are made by [`jump`](Self::jump), and do not come by
    /// themselves.
    pub fn begin(&mut self, time: f64) {
        (self.anchor.time, self.anchor.jumps) = (time, Some(0));
    }

    /// The transformation by which the next jump follows what was before, if its time \[s\] has come. `center` is the center of
    /// the rotations of the keys \[m\].
    pub fn due_jump(&self, time: f64, center: DVec3) -> Option<Pose> {
        let number = *self.jumps.get(self.anchor.jumps?)?;
        let key = self.keys[number].time;
        if self.drive.is_some() || self.own_time(time) < key - TIME_SLACK * key.abs() {
            return None;
        }
        let mut after = self.clone();
        after.jump();
        Some(after.pose_at(time, center).after(&self.pose_at(time, center).inverse()))
    }

    /// Makes the next jump.
    pub fn jump(&mut self) {
        self.anchor.jumps = self.anchor.jumps.map(|made| made + 1);
    }

    /// The keys between two jumps that count at a time of the keys \[s\].
    fn span(&self, time: f64) -> &[Keyframe] {
        let is_over = |number: &&usize| {
            let key = self.keys[**number].time;
            time >= key - TIME_SLACK * key.abs()
        };
        let made = self.anchor.jumps.unwrap_or_else(|| self.jumps.iter().filter(is_over).count());
        let first = made.checked_sub(1).map_or(0, |last| self.jumps[last]);
        let end = self.jumps.get(made).copied().unwrap_or(self.keys.len());
        &self.keys[first..end]
    }

    /// The time of the keys at a time of the world \[s\].
    pub fn own_time(&self, time: f64) -> f64 {
        time - self.anchor.time
    }

    /// Returns whether the motion never moves anything.
    pub fn is_still(&self) -> bool {
        self.drive.is_none()
            && self.keys.iter().all(|key| key.translate == DVec3::ZERO && key.rotate_deg == DVec3::ZERO)
    }

    /// Returns whether nothing moves from one time to another \[s\].
    pub fn stands_between(&self, start: f64, end: f64) -> bool {
        if let Some(drive) = &self.drive {
            return drive.stands_between(start, end);
        }
        let [start, end] = [start, end].map(|time| self.own_time(time));
        let first = self.sample(start);
        let between = self.span(start).iter().filter(|key| (start..end).contains(&key.time));
        self.sample(end) == first
            && between.map(|key| Some((key.translate, key.rotate_deg))).all(|at| at == first)
    }

    /// Times of the keys that lie between two times \[s\], in order; none once a caller drives it.
    pub fn keys_between(&self, start: f64, end: f64) -> impl Iterator<Item = f64> + '_ {
        let keys: &[Keyframe] = if self.drive.is_some() { &[] } else { &self.keys };
        let times = keys.iter().map(|key| key.time + self.anchor.time);
        times.skip_while(move |time| *time <= start).take_while(move |time| *time < end)
    }

    /// Bound of the displacement of a point from a path between two other times \[s\] along which translation and angles are
    /// linear \[m\]. The point has the given distance from the center of its rotations.
    pub fn bend_at(&self, time: f64, [start, end]: [f64; 2], arm: impl FnOnce() -> f64) -> f64 {
        if self.drive.is_some() {
            return 0.0;
        }
        let [Some(first), Some(now), Some(last)] =
            [start, time, end].map(|time| self.sample(self.own_time(time)))
        else {
            return 0.0;
        };
        let part = (time - start) / (end - start);
        let turned = (now.1 - first.1.lerp(last.1, part)).abs().element_sum().to_radians();
        let turned = if turned > 0.0 { turned * arm() } else { 0.0 };
        now.0.distance(first.0.lerp(last.0, part)) + turned
    }

    /// Angle by which it turns from one time to another \[s\], at most \[rad\]. Turns back are counted too.
    pub fn turn_between(&self, start: f64, end: f64) -> f64 {
        if let Some(drive) = &self.drive {
            return (drive.part(end) - drive.part(start)) * drive.from.angle_to(&drive.to);
        }
        let times = std::iter::once(start).chain(self.keys_between(start, end)).chain([end]);
        let angles: Vec<DVec3> = times.filter_map(|time| Some(self.sample(self.own_time(time))?.1)).collect();
        angles.windows(2).map(|pair| (pair[1] - pair[0]).abs().element_sum().to_radians()).sum()
    }

    /// Describes what is wrong with the keys; `None` if they are valid.
    pub fn find_defect(&self) -> Option<String> {
        let finite =
            |key: &Keyframe| key.time.is_finite() && key.translate.is_finite() && key.rotate_deg.is_finite();
        if let Some(key) = self.keys.iter().find(|key| !finite(key)) {
            return Some(format!("the key at time {} has numbers that are not finite", key.time));
        }
        let is_key = |number: &usize| (1..self.keys.len()).contains(number);
        if !self.jumps.iter().all(is_key) || !self.jumps.is_sorted_by(|a, b| a < b) {
            return Some("a jump needs a key before it, and jumps come in the order of the keys".to_owned());
        }
        let pair = self.keys.windows(2).find(|pair| pair[0].time >= pair[1].time)?;
        Some(format!("the key at time {} does not come after that at {}", pair[1].time, pair[0].time))
    }

    /// The transformation at a time \[s\], with rotations about `center` \[m\].
    pub fn pose_at(&self, time: f64, center: DVec3) -> Pose {
        if let Some(drive) = &self.drive {
            return drive.at(time);
        }
        let Some((translate, rotate_deg)) = self.sample(self.own_time(time)) else { return self.anchor.pose };
        let rotation = rotation_xyz(rotate_deg);
        let keyed = Pose { rotation, translation: center - rotation * center + translate };
        if self.anchor.pose == Pose::IDENTITY { keyed } else { self.anchor.pose.after(&keyed) }
    }

    /// Translation and angles at a time of the keys \[s\].
    fn sample(&self, time: f64) -> Option<(DVec3, DVec3)> {
        let keys = self.span(time);
        let after = keys.partition_point(|key| key.time <= time);
        let last = keys.get(after.saturating_sub(1))?;
        let Some(next) = keys.get(after) else { return Some((last.translate, last.rotate_deg)) };
        // Between equal keys nothing moves, not even by the round-off of the mean.
        if after == 0 || (last.translate, last.rotate_deg) == (next.translate, next.rotate_deg) {
            return Some((next.translate, next.rotate_deg));
        }
        let t = (time - last.time) / (next.time - last.time);
        Some((last.translate.lerp(next.translate, t), last.rotate_deg.lerp(next.rotate_deg, t)))
    }
}

/// The angles about the fixed axes x, then y, then z \[degrees\] of a rotation, see [`rotation_xyz`].
pub fn angles_xyz(rotation: &DMat3) -> DVec3 {
    let [x, _, z] = [rotation.x_axis, rotation.y_axis, rotation.z_axis];
    let across = (x.x * x.x + x.y * x.y).sqrt();
    let about_y = math::atan2(-x.z, across);
    // Looking along y, only the sum or the difference of the others is known.
    let (about_x, about_z) = match across > 1e-9 {
        true => (math::atan2(rotation.y_axis.z, z.z), math::atan2(x.y, x.x)),
        false => (math::atan2(-z.y, rotation.y_axis.y), 0.0),
    };
    DVec3::new(about_x, about_y, about_z).map(f64::to_degrees)
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
    fn the_angles_of_a_rotation_give_it_back() {
        for degrees in
            [[20.0, 50.0, -130.0], [-170.0, 5.0, 90.0], [30.0, 90.0, 20.0], [0.0, -90.0, 70.0], [0.0; 3]]
        {
            let rotation = rotation_xyz(DVec3::from_array(degrees));
            let again = rotation_xyz(angles_xyz(&rotation));
            let apart = (rotation - again).to_cols_array().into_iter().fold(0.0, |a: f64, b| a.max(b.abs()));
            assert!(apart < 1e-12, "{degrees:?}: {apart}");
        }
    }

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
        let motion = KeyframedMotion::from(vec![key(1.0, 0.0), key(2.0, 4.0)]);
        let x_at = |time| motion.pose_at(time, DVec3::ONE).apply(DVec3::ZERO).x;
        assert_eq!([0.0, 1.0, 1.25, 2.0, 9.0].map(x_at), [0.0, 0.0, 1.0, 4.0, 4.0]);
    }

    #[test]
    fn keys_tell_how_far_a_motion_is_from_a_straight_one() {
        let key = |time, x, z| Keyframe { time, translate: DVec3::X * x, rotate_deg: DVec3::Z * z };
        let motion =
            KeyframedMotion::from(vec![key(1.0, 0.0, 0.0), key(2.0, 4.0, 0.0), key(3.0, 0.0, 360.0)]);
        assert_eq!(motion.keys_between(1.0, 3.0).collect::<Vec<_>>(), [2.0]);
        assert_eq!(motion.keys_between(0.5, 3.5).collect::<Vec<_>>(), [1.0, 2.0, 3.0]);
        assert_eq!(motion.bend_at(2.0, [1.0, 2.5], || 0.0), 4.0 - 2.0 * 2.0 / 3.0);
        // Half way it has turned by 180° less than it would have on a straight way to the end.
        let bend = motion.bend_at(2.0, [1.0, 3.0], || 0.1);
        assert!((bend - 4.0 - 0.1 * std::f64::consts::PI).abs() < 1e-12, "{bend}");
        assert_eq!(motion.bend_at(1.5, [1.0, 2.0], || f64::INFINITY), 0.0);
        assert!((motion.turn_between(0.0, 9.0) - std::f64::consts::TAU).abs() < 1e-12);
        assert!((motion.turn_between(2.25, 2.5) - 0.25 * std::f64::consts::TAU).abs() < 1e-12);
        let mut driven = motion;
        driven.drive_to(1.0, DVec3::ZERO, Pose::new(DQuat::from_rotation_y(-3.0), DVec3::X));
        driven.schedule(1.0, 2.0);
        assert_eq!(
            (driven.keys_between(0.0, 9.0).count(), driven.bend_at(1.5, [1.0, 3.0], || 1.0)),
            (0, 0.0)
        );
        assert!((driven.turn_between(1.0, 1.5) - 1.5).abs() < 1e-12);
    }

    #[test]
    fn inverse_takes_points_back() {
        let pose = Pose { rotation: rotation_xyz(DVec3::new(20.0, 30.0, -50.0)), translation: DVec3::ONE };
        let point = DVec3::new(0.3, -0.2, 0.9);
        assert!(pose.apply_inverse(pose.apply(point)).distance(point) < 1e-15);
    }

    #[test]
    fn a_driven_motion_goes_straight_and_turns_evenly() {
        let quarter = rotation_xyz(DVec3::new(0.0, 0.0, 90.0));
        let to = Pose { rotation: quarter, translation: DVec3::new(2.0, 0.0, 0.0) };
        let mut motion = KeyframedMotion::default();
        motion.drive_to(1.0, DVec3::ZERO, to);
        // Where it goes is known, but not yet when.
        assert_eq!(motion.pose_at(7.0, DVec3::ZERO), Pose::IDENTITY);
        motion.drive.as_mut().expect("it is driven").schedule(1.0, 3.0);
        assert_eq!(motion.pose_at(1.0, DVec3::ONE), Pose::IDENTITY);
        assert_eq!((motion.pose_at(3.0, DVec3::ONE), motion.pose_at(9.0, DVec3::ONE)), (to, to));
        let half = motion.pose_at(2.0, DVec3::ZERO);
        let expected = rotation_xyz(DVec3::new(0.0, 0.0, 45.0));
        assert!(half.translation == DVec3::X && half.rotation.abs_diff_eq(expected, 1e-15), "{half:?}");
        assert!(!motion.is_still() && !motion.stands_between(2.0, 4.0) && motion.stands_between(3.0, 4.0));
        // A second target begins where the first has come to.
        motion.drive_to(2.0, DVec3::ZERO, Pose::IDENTITY);
        assert_eq!(motion.pose_at(2.0, DVec3::ZERO), half);
    }

    #[test]
    fn keys_count_from_their_anchor_and_are_carried_along() {
        let key = |time, x| Keyframe { time, translate: DVec3::X * x, rotate_deg: DVec3::ZERO };
        let mut motion = KeyframedMotion::from(vec![key(0.0, 0.0), key(1.0, 2.0)]);
        motion.anchor.time = 5.0;
        let place = |motion: &KeyframedMotion, time| motion.pose_at(time, DVec3::ONE).apply(DVec3::ZERO);
        assert_eq!([4.0, 5.0, 5.5, 6.0].map(|time| place(&motion, time).x), [0.0, 0.0, 1.0, 2.0]);
        assert!(motion.stands_between(3.0, 5.0) && !motion.stands_between(5.0, 5.5));
        let quarter = Pose { rotation: rotation_xyz(DVec3::new(0.0, 0.0, 90.0)), translation: DVec3::Z };
        motion.carry(&quarter);
        assert_eq!(place(&motion, 5.5), DVec3::new(0.0, 1.0, 1.0));
        // A target that was given goes along as well, and later ones count in the world.
        motion.drive_to(5.5, DVec3::ONE, Pose::IDENTITY);
        motion.carry(&quarter);
        motion.schedule(5.5, 6.0);
        assert_eq!(motion.pose_at(6.0, DVec3::ONE), quarter);
        assert_eq!(place(&motion, 5.5), quarter.apply(DVec3::new(0.0, 1.0, 1.0)));
        assert_eq!(
            KeyframedMotion {
                anchor: Anchor { time: 1.0, pose: quarter, jumps: None },
                ..KeyframedMotion::default()
            }
            .pose_at(0.0, DVec3::ONE),
            quarter
        );
    }

    #[test]
    fn a_motion_jumps_where_its_keys_say_and_in_a_world_when_it_is_told() {
        let key = |time, x| Keyframe { time, translate: DVec3::X * x, rotate_deg: DVec3::ZERO };
        let keys = vec![key(0.0, 0.0), key(1.0, 1.0), key(2.0, 10.0), key(3.0, 11.0)];
        let mut motion = KeyframedMotion { jumps: vec![2], ..KeyframedMotion::from(keys) };
        let x_at = |motion: &KeyframedMotion, time| motion.pose_at(time, DVec3::ZERO).translation.x;
        assert_eq!(
            [0.5, 1.5, 2.0, 2.25, 2.5, 4.0].map(|time| x_at(&motion, time)),
            [0.5, 1.0, 10.0, 10.25, 10.5, 11.0]
        );
        motion.begin(5.0);
        // It waits until it is told.
        assert_eq!([5.5, 6.5, 8.0].map(|time| x_at(&motion, time)), [0.5, 1.0, 1.0]);
        assert!(motion.stands_between(6.0, 9.0) && motion.due_jump(6.9, DVec3::ZERO).is_none());
        let way = motion.due_jump(7.0, DVec3::ZERO).expect("its time has come");
        assert_eq!(way, Pose { translation: DVec3::X * 9.0, ..Pose::IDENTITY });
        motion.jump();
        assert_eq!([7.0, 7.5, 9.0].map(|time| x_at(&motion, time)), [10.0, 10.5, 11.0]);
        assert!(motion.due_jump(9.0, DVec3::ZERO).is_none() && motion.find_defect().is_none());
        for jumps in [vec![0], vec![4], vec![2, 2]] {
            assert!(KeyframedMotion { jumps, ..motion.clone() }.find_defect().is_some());
        }
    }

    #[test]
    fn a_driven_translation_has_the_bits_of_keys() {
        let key = |time, x| Keyframe { time, translate: DVec3::new(x, 0.1, -0.3), rotate_deg: DVec3::ZERO };
        let keyed = KeyframedMotion::from(vec![key(0.3, 0.7), key(0.9, 1.9)]);
        let at = |x| Pose { translation: DVec3::new(x, 0.1, -0.3), ..Pose::IDENTITY };
        let mut driven =
            KeyframedMotion { drive: Some(Drive::new(0.3, at(0.7), at(1.9))), ..KeyframedMotion::default() };
        driven.drive.as_mut().expect("it is driven").schedule(0.3, 0.9);
        for k in 0..100 {
            let time = 0.01 * f64::from(k);
            assert_eq!(driven.pose_at(time, DVec3::ZERO), keyed.pose_at(time, DVec3::ZERO), "{time}");
        }
    }

    #[test]
    fn a_pose_that_is_none_is_named() {
        let scaled = Pose { rotation: DMat3::from_diagonal(DVec3::splat(2.0)), ..Pose::IDENTITY };
        let mirror = Pose { rotation: DMat3::from_diagonal(DVec3::new(1.0, 1.0, -1.0)), ..Pose::IDENTITY };
        let lost = Pose { translation: DVec3::new(0.0, f64::NAN, 0.0), ..Pose::IDENTITY };
        let far = Pose { translation: DVec3::splat(1e200), ..Pose::IDENTITY };
        let cases = [
            (scaled, "rotation is none"),
            (mirror, "rotation is none"),
            (lost, "not finite"),
            (far, "farther"),
        ];
        for (pose, words) in cases {
            let reason = pose.find_defect().expect(words);
            assert!(reason.contains(words), "{reason}");
        }
        let turned = Pose::new(DQuat::from_xyzw(0.0, 0.0, 3.0, 3.0), DVec3::X);
        assert_eq!(turned.find_defect(), None);
        let there_and_back = turned.inverse().after(&turned);
        assert!(there_and_back.translation.length() < 1e-15);
        assert!(there_and_back.rotation.abs_diff_eq(DMat3::IDENTITY, 1e-15));
    }
}
