//! The safeguard of faces against obstacles in closed form: the counterpart of the step limits of pairs.
//!
//! The shapes are convex, so a face that is outside has a plane between itself and the shape. A face stays outside on the
//! whole path in three cases:
//!
//! * its motion relative to the shape is shorter than their distance;
//! * it can be followed to the end by strides that are shorter;
//! * a plane that moves with the surface of the shape stays between them.

use crate::ccd::advance::{Pursuit, STRIDE_SHARE, advance};
use crate::ccd::path::{Path, keep};
use crate::shapes::obstacle::Obstacle;
use crate::shapes::shape::{Skeleton, WorldShape};
use glam::DVec3;
use taffeta_core::Pose;
use taffeta_core::tasks::collect;

/// An angle of up to half a turn relative to its chord on the unit circle, at most.
const ARC: f64 = std::f64::consts::FRAC_PI_2;
/// Part of what a face was allowed before by which it may go beyond that: round-off.
const ROUND_OFF: f64 = 1e-9;
/// Sine of the angle from which on its axis is known.
const LEAST_SINE: f64 = 1e-6;
/// Part of its distance that a face that cannot keep its separation must be left with on its path to count as outside.
const SPARED_SHARE: f64 = 1e-6;
/// Faces that one task takes.
const FACES_PER_TASK: usize = 256;

/// An obstacle over a substep, on the straight way between its ends.
#[derive(Clone, Debug)]
pub struct MovingShape<'a> {
    obstacle: &'a Obstacle,
    /// Its poses at both ends; it turns about their origins.
    poses: [Pose; 2],
    start: WorldShape,
    end: WorldShape,
    skeleton: Skeleton,
    /// The angle by which it turns at most, about which axis, and how far its corners are from the center. What a ball turns by does
    /// not matter. Without an axis it turns by nothing or by half a turn.
    angle: f64,
    axis: Option<DVec3>,
    reach: f64,
}

impl<'a> MovingShape<'a> {
    /// An obstacle from a time on for a while \[s\].
    pub fn new(obstacle: &'a Obstacle, time: f64, h: f64) -> Self {
        let poses = [time, time + h].map(|time| obstacle.pose_at(time));
        let [first, last] = poses;
        let [start, end] = poses.map(|pose| obstacle.shape.placed(&pose, obstacle.place.scale));
        let turned = last.rotation - first.rotation;
        let squared: f64 = turned.to_cols_array().iter().map(|r| r * r).sum();
        let is_ball = matches!(start, WorldShape::Sphere { .. });
        // The norm of the difference of two rotations is √2 times the chord of the angle between them.
        let angle = if is_ball { 0.0 } else { ARC * (0.5 * squared).sqrt() };
        let [x, y, z] = (last.rotation * first.rotation.transpose()).to_cols_array_2d();
        let twice_sine = DVec3::new(y[2] - z[1], z[0] - x[2], x[1] - y[0]);
        let axis = (twice_sine.length() > LEAST_SINE).then(|| twice_sine.normalize());
        let skeleton = start.skeleton();
        let reach = skeleton.points.iter().map(|x| x.distance(first.translation)).fold(0.0, f64::max);
        Self { obstacle, poses, start, end, skeleton, angle, axis, reach }
    }

    /// The displacement of a point that moves along with the shape \[m\].
    pub(crate) fn displacement(&self, point: DVec3) -> DVec3 {
        let [first, last] = &self.poses;
        if first == last { DVec3::ZERO } else { last.apply(first.apply_inverse(point)) - point }
    }

    /// Distance that a vertex moves as the shape sees it \[m\], and its greatest distance from where the shape turns. A point of
    /// a face moves no farther than one of the corners.
    fn way_of(&self, x: DVec3, moved: DVec3) -> (f64, f64) {
        let [first, last] = self.poses.map(|pose| pose.translation);
        let arm = x.distance(first).max((x + moved).distance(last));
        (moved.distance(last - first) + self.angle * arm, arm)
    }

    /// Bound on how much closer a face and the shape can come \[m\]. No point of the shape turns farther than its farthest one: what
    /// is far away from it does not see it turn.
    fn relative_way(&self, FaceMotion { x, moves }: &FaceMotion) -> f64 {
        let shift = self.poses[1].translation - self.poses[0].translation;
        let turned = match self.start {
            WorldShape::Plane { .. } => f64::INFINITY,
            _ => self.angle * (self.reach + self.start.rounding()),
        };
        let way = |k: usize| self.way_of(x[k], moves[k]).0.min(moves[k].distance(shift) + turned);
        (0..3).map(way).fold(0.0, f64::max)
    }

    /// The normals, at both ends, of a plane that moves along with the surface: those of a half-space are its own.
    fn normals(&self, normal: DVec3) -> [DVec3; 2] {
        match (self.start, self.end) {
            (WorldShape::Plane { normal: first, .. }, WorldShape::Plane { normal: last, .. }) => {
                [first, last]
            }
            _ => [normal; 2],
        }
    }

    fn at(&self, t: f64) -> WorldShape {
        if self.start == self.end {
            return self.start;
        }
        let [first, last] = self.poses;
        self.obstacle.shape.placed(&first.toward(&last, t), self.obstacle.place.scale)
    }
}

/// A face that may run into an obstacle.
#[derive(Clone, Debug)]
pub(crate) struct GuardedFace {
    pub corners: [u32; 3],
    shape: u32,
    /// The distance at the start, the one asked for, and the one to keep \[m\].
    distance: f64,
    wanted: f64,
    separation: f64,
    /// Out of the shape where the face is nearest at the start.
    normal: DVec3,
    /// The normal of the plane that guards it.
    plane: Option<DVec3>,
    is_settled: bool,
    /// The displacement that its corners keep however much they are shortened \[m\].
    frame: DVec3,
}

/// The corners of a face at the start \[m\], and their displacements as far as they are not shortened \[m\].
struct FaceMotion {
    x: [DVec3; 3],
    moves: [DVec3; 3],
}

impl FaceMotion {
    fn at(&self, t: f64) -> [DVec3; 3] {
        std::array::from_fn(|k| self.x[k] + self.moves[k] * t)
    }
}

/// Demand of a face.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum Verdict {
    /// Nothing.
    Clear,
    /// Smaller fractions of its corners.
    Lower([f64; 3]),
    /// Vertices that cannot be stopped force it into the obstacle.
    Forced,
}

/// A face of a cloth and the number of an obstacle in closed form.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct FaceAtShape {
    /// The corners of the face.
    pub corners: [u32; 3],
    /// The number of the obstacle.
    pub shape: u32,
}

/// Returns whether a face is inside a shape or crosses its surface. `skeleton` is that of the shape.
pub(crate) fn is_sunken(shape: &WorldShape, skeleton: &Skeleton, x: [DVec3; 3]) -> bool {
    let (middle, radius) = ball_around(&x);
    // A distance is that of the nearest point: no point of the face is nearer than its middle by more than the radius.
    shape.signed_distance(middle).0 <= radius && shape.nearest_of_face(skeleton, x).0 < 0.0
}

/// The middle of a face \[m\], and its greatest distance from there \[m\].
fn ball_around(x: &[DVec3; 3]) -> (DVec3, f64) {
    let middle = (x[0] + x[1] + x[2]) / 3.0;
    (middle, x.map(|x| x.distance_squared(middle)).into_iter().fold(0.0, f64::max).sqrt())
}

/// The faces whose paths may meet the shapes, in order. `separation` gives the distance to keep \[m\] by a vertex.
pub(crate) fn watch_faces(
    shapes: &[MovingShape<'_>],
    faces: &[[u32; 3]],
    separation: impl Fn(u32) -> f64 + Sync,
    path: Path<'_>,
) -> Vec<GuardedFace> {
    let watch = |number: u32, shape: &MovingShape<'_>, corners: [u32; 3]| {
        let x = corners.map(|v| path.start[v as usize]);
        let moves = corners.map(|v| path.moves[v as usize]);
        let ways =
            [moves, corners.map(|v| path.kept(v))].map(|moves| shape.relative_way(&FaceMotion { x, moves }));
        let way = ways[0].max(ways[1]);
        let (middle, radius) = ball_around(&x);
        let wanted = separation(corners[0]);
        if STRIDE_SHARE * (shape.start.signed_distance(middle).0 - radius - wanted) > way {
            return None;
        }
        let (distance, point) = shape.start.nearest_of_face(&shape.skeleton, x);
        // One that only touches is outside, and is not to go in.
        let is_sunken = distance.is_nan() || distance < 0.0;
        if is_sunken || STRIDE_SHARE * (distance - wanted) > way {
            return None;
        }
        let (_, normal) = shape.start.signed_distance(point);
        Some(GuardedFace {
            corners,
            shape: number,
            distance,
            wanted,
            separation: keep(wanted, distance),
            normal,
            plane: None,
            is_settled: false,
            // Of a patch that has yet to be found it is of no use.
            frame: path.frame(&corners).unwrap_or_default(),
        })
    };
    let of_shape = |(number, shape)| {
        collect(faces.len(), FACES_PER_TASK, |range, out| {
            out.extend(faces[range].iter().filter_map(|corners| watch(number, shape, *corners)));
        })
    };
    (0..).zip(shapes).flat_map(of_shape).collect()
}

impl GuardedFace {
    /// Computes the fractions that keep the face outside, given the present ones.
    pub(crate) fn judge(&mut self, shapes: &[MovingShape<'_>], fractions: &[f64], path: Path<'_>) -> Verdict {
        if self.is_settled {
            return Verdict::Clear;
        }
        let shape = &shapes[self.shape as usize];
        let kept = |v: u32| self.frame + (path.moves[v as usize] - self.frame) * fractions[v as usize];
        let x = self.corners.map(|v| path.start[v as usize]);
        let motion = FaceMotion { x, moves: self.corners.map(kept) };
        let way = shape.relative_way(&motion);
        if way <= STRIDE_SHARE * (self.distance - self.separation) {
            return Verdict::Clear;
        }
        let Some(blocked) = self.follow(shape, &motion, way) else { return Verdict::Clear };
        let normals = match self.plane {
            Some(normal) => [normal; 2],
            None => [self.normal, blocked],
        };
        let kept = |fractions: &[f64; 3]| fractions.iter().sum::<f64>();
        let mut best: Option<([f64; 3], DVec3)> = None;
        for normal in normals {
            if let Some(offer) = self.ask(shape, normal, &motion)
                && best.as_ref().is_none_or(|(most, _)| kept(&offer) > kept(most))
            {
                best = Some((offer, normal));
            }
        }
        let is_held = |k: usize| path.prescribed[self.corners[k] as usize];
        match best {
            Some((factors, normal)) if (0..3).all(|k| factors[k] == 1.0 || !is_held(k)) => {
                self.plane = Some(normal);
                Verdict::Lower(std::array::from_fn(|k| fractions[self.corners[k] as usize] * factors[k]))
            }
            // Nothing keeps its separation. It may pass by the obstacle all the same, as long as nobody else is stopped.
            _ if self.stays_outside(shape, &motion, way) => Verdict::Clear,
            _ => {
                self.is_settled = true;
                Verdict::Forced
            }
        }
    }

    /// Names the face and the obstacle.
    pub(crate) fn name(&self) -> FaceAtShape {
        FaceAtShape { corners: self.corners, shape: self.shape }
    }

    /// Returns whether the face stays outside on its path, however near.
    fn stays_outside(&self, shape: &MovingShape<'_>, motion: &FaceMotion, way: f64) -> bool {
        let distance = |t: f64| {
            let now = shape.at(t);
            now.nearest_of_face(&now.skeleton(), motion.at(t)).0
        };
        if self.distance == 0.0 {
            // What touches cannot be followed.
            return distance(1.0) >= 0.0;
        }
        let limit = SPARED_SHARE * self.distance;
        let pursuit = Pursuit { way, limit, floor: 0.5 * limit };
        advance(pursuit, (self.distance, ()), |t| (distance(t), ())).is_none()
    }

    /// Follows the face to the end of its path; the normal of the shape where it comes too close.
    fn follow(&self, shape: &MovingShape<'_>, motion: &FaceMotion, way: f64) -> Option<DVec3> {
        let pursuit = Pursuit { way, limit: self.separation, floor: 0.5 * self.separation };
        advance(pursuit, (self.distance, self.normal), |t| {
            let now = shape.at(t);
            let (distance, point) = now.nearest_of_face(&now.skeleton(), motion.at(t));
            (distance, now.signed_distance(point).1)
        })
    }

    /// The factors by which the motions relative to the frame must be shortened so that a plane across `normal` stays below the
    /// face. It moves along with the surface of the shape. `None`: shortening does not help.
    fn ask(
        &self,
        shape: &MovingShape<'_>,
        normal: DVec3,
        FaceMotion { x, moves }: &FaceMotion,
    ) -> Option<[f64; 3]> {
        let [first, last] = shape.normals(normal);
        let height = |normal: DVec3, shape: &WorldShape, x: DVec3| normal.dot(x) - shape.support(normal);
        // While the shape turns, the height of a vertex above it is no linear function of time. Its second derivative is up
        // to `ω² r + 2 ω v`, and the height sags below the line between its ends by at most an eighth of that. All of it is
        // across the axis: a plane that turns in itself does not sag.
        let across = shape.axis.map_or(1.0, |axis| axis.cross(first).length());
        let sags: [f64; 3] = std::array::from_fn(|k| {
            let (way, arm) = shape.way_of(x[k], moves[k]);
            let way = way.max(shape.way_of(x[k], self.frame).0);
            let bend = shape.angle * shape.angle * arm.max(shape.reach) + 2.0 * shape.angle * way;
            0.125 * across * bend
        });
        let widths: [f64; 3] = std::array::from_fn(|k| height(first, &shape.start, x[k]) - sags[k]);
        let width = widths.into_iter().fold(f64::INFINITY, f64::min);
        if width.is_nan() || width < 0.0 {
            return None;
        }
        let kept = keep(self.wanted, width);
        let mut factors = [1.0; 3];
        for k in 0..3 {
            let along = last.dot(moves[k] - self.frame);
            let least = kept + sags[k] - height(last, &shape.end, x[k] + self.frame);
            if along >= least.min(least * (1.0 + ROUND_OFF)) {
                continue;
            }
            if least > 0.0 {
                return None;
            }
            factors[k] = least / along;
        }
        Some(factors)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ccd::pair_limits::truncate_among;
    use crate::shapes::shape::Shape;
    use taffeta_core::random::SplitMix64;
    use taffeta_core::{Keyframe, Placement};

    fn point(random: &mut SplitMix64) -> DVec3 {
        DVec3::from_array([0; 3].map(|_| 2.0 * random.next_unit() - 1.0))
    }

    /// An obstacle of any kind that moves by up to a meter and turns by up to 90°, a plane 10°, in one second; every fourth
    /// one rests.
    fn obstacle(kind: u64, random: &mut SplitMix64) -> Obstacle {
        let shape = match kind % 4 {
            0 => Shape::Sphere { radius: 0.3 },
            1 => Shape::Capsule { radius: 0.1, half_length: 0.4 },
            2 => Shape::Box { half_size: DVec3::new(0.3, 0.01, 0.2) },
            _ => Shape::Plane { normal: point(random).normalize() },
        };
        let rotate_deg = point(random) * 180.0;
        let mut obstacle = Obstacle::new(shape, Placement { rotate_deg, ..Placement::default() });
        if random.next_unit() < 0.75 {
            let turn = point(random) * if kind % 4 == 3 { 10.0 } else { 90.0 };
            let key = |time, translate, rotate_deg| Keyframe { time, translate, rotate_deg };
            obstacle.motion.keys = vec![key(0.0, DVec3::ZERO, DVec3::ZERO), key(1.0, point(random), turn)];
        }
        obstacle
    }

    #[test]
    fn a_shape_that_stops_early_has_met_what_lay_on_its_way() {
        let key = |time, y| Keyframe { time, translate: DVec3::Y * y, rotate_deg: DVec3::ZERO };
        let start = [DVec3::new(-0.1, 0.0, -0.1), DVec3::new(0.1, 0.0, -0.1), DVec3::new(0.0, 0.0, 0.1)];
        for stop in [1.0, 0.05, 0.001] {
            let mut ball = Obstacle::new(Shape::Sphere { radius: 0.05 }, Placement::default());
            ball.motion.keys = vec![key(0.0, -0.6), key(stop, 0.6)];
            let shapes = [MovingShape::new(&ball, 0.0, 1.0)];
            let path = Path { start: &start, moves: &[DVec3::ZERO; 3], frames: &[], prescribed: &[true; 3] };
            let faces = watch_faces(&shapes, &[[0, 1, 2]], |_| 1e-3, path);
            let found = truncate_among(&[], |_| 0.0, path, &shapes, faces);
            assert_eq!(found.forced_faces.len(), 1, "{stop}");
        }
    }

    #[test]
    fn what_the_guard_lets_through_stays_outside() {
        let mut random = SplitMix64(5);
        let (mut hit, mut shortened, mut forced) = (0, 0, 0);
        for trial in 0..20_000 {
            let obstacle = obstacle(trial, &mut random);
            let shapes = [MovingShape::new(&obstacle, 0.0, 1.0)];
            let corner = point(&mut random);
            let start: Vec<_> = (0..3).map(|_| corner + point(&mut random) * 0.4).collect();
            let toward = point(&mut random) * 0.5 - corner;
            let moves: Vec<_> =
                (0..3).map(|_| toward * (3.0 * random.next_unit()) + point(&mut random) * 0.2).collect();
            let x: [DVec3; 3] = [start[0], start[1], start[2]];
            if shapes[0].start.distance_of_face(x) <= 0.0 {
                continue;
            }
            // In every other trial what is stopped goes on, by half of how the shape moves or by anything.
            let frame = match trial % 4 {
                0 | 2 => DVec3::ZERO,
                1 => 0.5 * shapes[0].displacement(corner),
                _ => 0.2 * point(&mut random),
            };
            let path = Path { start: &start, moves: &moves, frames: &[frame; 3], prescribed: &[false; 3] };
            let faces = watch_faces(&shapes, &[[0, 1, 2]], |_| 1e-3, path);
            let found = truncate_among(&[], |_| 0.0, path, &shapes, faces);
            let is_outside = |fractions: &[f64], t: f64| {
                let moved = |k: usize| frame + (moves[k] - frame) * fractions[k];
                let now = std::array::from_fn(|k| x[k] + moved(k) * t);
                shapes[0].at(t).distance_of_face(now) > 0.0
            };
            let times = || (1..=40).map(|k| f64::from(k) / 40.0);
            let hits = times().any(|t| !is_outside(&[1.0; 3], t));
            hit += u32::from(hits);
            shortened += u32::from(found.fractions != [1.0; 3]);
            forced += found.forced_faces.len();
            assert!(
                !found.forced_faces.is_empty() || times().all(|t| is_outside(&found.fractions, t)),
                "trial {trial}: {obstacle:?} {start:?} {moves:?} {:?}",
                found.fractions
            );
        }
        assert!(hit > 4_000 && shortened > 3_000, "{hit} hit, {shortened} shortened, {forced} forced");
    }

    #[test]
    fn a_sheet_in_free_fall_beside_a_wall_is_not_shortened() {
        let wall = Obstacle::new(Shape::Plane { normal: DVec3::X }, Placement::default());
        let shapes = [MovingShape::new(&wall, 0.0, 1.0)];
        let start = [0.0, 1.0, 2.0].map(|y| DVec3::new(1e-4, y, y * y));
        let moves = [DVec3::new(0.0, -5.0, 0.0); 3];
        let path = Path { start: &start, moves: &moves, frames: &[], prescribed: &[false; 3] };
        let faces = watch_faces(&shapes, &[[0, 1, 2]], |_| 1e-4, path);
        let found = truncate_among(&[], |_| 0.0, path, &shapes, faces);
        assert_eq!(found.fractions, [1.0; 3]);
    }

    #[test]
    fn a_face_that_is_pressed_on_gives_up_less_and_less_of_its_distance() {
        let shape = Shape::Box { half_size: DVec3::splat(0.2) };
        let table = Obstacle::new(shape, Placement::default());
        let shapes = [MovingShape::new(&table, 0.0, 1.0)];
        // Over the corner, tilted.
        let (corner, normal) = (DVec3::splat(0.2), DVec3::new(0.1, 1.0, 0.08).normalize());
        let (along, across) =
            (normal.any_orthonormal_vector(), normal.cross(normal.any_orthonormal_vector()));
        let foot = corner + normal * 1e-6;
        let mut x =
            [foot + along * 0.02, foot - along * 0.01 + across * 0.02, foot - along * 0.01 - across * 0.02];
        for _ in 0..200 {
            let moves = [DVec3::new(0.0, -1e-3, 0.0); 3];
            let path = Path { start: &x, moves: &moves, frames: &[], prescribed: &[false; 3] };
            let faces = watch_faces(&shapes, &[[0, 1, 2]], |_| 2e-5, path);
            let found = truncate_among(&[], |_| 0.0, path, &shapes, faces);
            assert_eq!(found.forced_faces, []);
            x = std::array::from_fn(|k| x[k] + moves[k] * found.fractions[k]);
        }
        // Every time d loses ½ d² / (d + s): in the limit of small d, 1/d grows by 1/(2 s).
        let expected = 1.0 / (1e6 + 200.0 * 0.5 / 2e-5);
        let distance = shapes[0].start.distance_of_face(x);
        assert!((distance / expected - 1.0).abs() < 0.1, "{distance:e} against {expected:e}");
    }
}
