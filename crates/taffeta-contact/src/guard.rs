//! The safeguard of faces against obstacles in closed form: the counterpart of the pair certificate.
//!
//! The shapes are convex, so a face that is outside has a plane between itself and the shape. A face stays outside on
//! the whole path if its motion relative to the shape is shorter than their distance, if it can be followed to the end
//! by strides that are, or if a plane that moves with the surface of the shape stays between them.

use crate::certificate::{Path, keep};
use crate::obstacle::Obstacle;
use crate::shape::{Skeleton, WorldShape};
use glam::DVec3;
use rayon::prelude::*;

/// The share of the free distance that one stride may use up.
const STRIDE_SHARE: f64 = 0.9;
/// Strides in which a face is followed at most.
const STRIDES: usize = 64;
/// The path of a point on an arc of up to half a turn, relative to its chord.
const ARC: f64 = std::f64::consts::FRAC_PI_2;

/// An obstacle over a substep.
#[derive(Clone, Debug)]
pub struct MovingShape<'a> {
    obstacle: &'a Obstacle,
    time: f64,
    h: f64,
    start: WorldShape,
    end: WorldShape,
    skeleton: Skeleton,
    /// Displacement of its middle over the substep \[m\], and how far its points may move beside that.
    shift: DVec3,
    turn: f64,
}

impl<'a> MovingShape<'a> {
    /// An obstacle from a time on for a while \[s\].
    pub fn new(obstacle: &'a Obstacle, time: f64, h: f64) -> Self {
        let (start, end) = (obstacle.over_substep(time, 0.0).shape, obstacle.over_substep(time, h).shape);
        let skeleton = start.skeleton();
        let (then, now) = (&skeleton.points, end.skeleton().points);
        let moved = |(x, y): (&DVec3, &DVec3)| *y - *x;
        let count = now.len().max(1) as f64;
        let mut shift = then.iter().zip(&now).map(moved).sum::<DVec3>() / count;
        let mut turn = ARC * then.iter().zip(&now).map(|p| moved(p).distance(shift)).fold(0.0, f64::max);
        if let (WorldShape::Plane { normal, offset }, WorldShape::Plane { normal: turned, offset: moved }) =
            (start, end)
        {
            // A half-space has no middle; one that turns has points that move any distance.
            shift = normal * (moved - offset);
            turn = if turned == normal { 0.0 } else { f64::INFINITY };
        }
        Self { obstacle, time, h, start, end, skeleton, shift, turn }
    }

    fn at(&self, t: f64) -> WorldShape {
        if self.shift == DVec3::ZERO && self.turn == 0.0 {
            return self.start;
        }
        self.obstacle.over_substep(self.time + t * self.h, 0.0).shape
    }
}

/// A face that may run into an obstacle.
#[derive(Clone, Debug)]
pub(crate) struct GuardedFace {
    pub corners: [u32; 3],
    shape: u32,
    /// The distance at the start and the one to keep \[m\].
    distance: f64,
    separation: f64,
    /// Out of the shape where the face is nearest at the start.
    normal: DVec3,
    /// The normal of the plane that guards it.
    plane: Option<DVec3>,
    is_settled: bool,
}

/// What a face asks for.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum Verdict {
    /// Nothing.
    Clear,
    /// Smaller fractions of its corners.
    Lower([f64; 3]),
    /// What cannot be stopped forces it into the obstacle.
    Forced,
}

/// Whether faces are inside a shape or cross its surface, in order.
pub fn find_sunken<'a>(shape: &'a WorldShape, faces: impl ParallelIterator<Item = [DVec3; 3]> + 'a) -> usize {
    let skeleton = shape.skeleton();
    faces.filter(|x| shape.nearest_of_face(&skeleton, *x).0 < 0.0).count()
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
        let way = relative_way(shape, &moves);
        let middle = (x[0] + x[1] + x[2]) / 3.0;
        let radius = x.map(|x| x.distance_squared(middle)).into_iter().fold(0.0, f64::max).sqrt();
        let separation = separation(corners[0]);
        if STRIDE_SHARE * (shape.start.signed_distance(middle).0 - radius - separation) > way {
            return None;
        }
        let (distance, point) = shape.start.nearest_of_face(&shape.skeleton, x);
        let is_sunken = distance.is_nan() || distance <= 0.0;
        if is_sunken || STRIDE_SHARE * (distance - separation) > way {
            return None;
        }
        let (_, normal) = shape.start.signed_distance(point);
        let separation = keep(separation, distance);
        Some(GuardedFace {
            corners,
            shape: number,
            distance,
            separation,
            normal,
            plane: None,
            is_settled: false,
        })
    };
    let of_shape = |(number, shape)| {
        faces.par_iter().filter_map(move |corners| watch(number, shape, *corners)).collect::<Vec<_>>()
    };
    (0..).zip(shapes).flat_map(of_shape).collect()
}

/// How far a face and a shape can come closer to each other \[m\].
fn relative_way(shape: &MovingShape<'_>, moves: &[DVec3; 3]) -> f64 {
    moves.iter().map(|m| m.distance(shape.shift)).fold(0.0, f64::max) + shape.turn
}

impl GuardedFace {
    /// What it takes to keep the face outside, with the fractions as they are.
    pub fn judge(&mut self, shapes: &[MovingShape<'_>], fractions: &[f64], path: Path<'_>) -> Verdict {
        if self.is_settled {
            return Verdict::Clear;
        }
        let shape = &shapes[self.shape as usize];
        let moves = self.corners.map(|v| path.moves[v as usize] * fractions[v as usize]);
        let way = relative_way(shape, &moves);
        if way <= STRIDE_SHARE * (self.distance - self.separation) {
            return Verdict::Clear;
        }
        let x = self.corners.map(|v| path.start[v as usize]);
        let Some(blocked) = self.follow(shape, (&x, &moves), way) else { return Verdict::Clear };
        let normals = match self.plane {
            Some(normal) => [normal; 2],
            None => [self.normal, blocked],
        };
        let kept = |fractions: &[f64; 3]| fractions.iter().sum::<f64>();
        let mut best: Option<([f64; 3], DVec3)> = None;
        for normal in normals {
            if let Some(offer) = self.ask(shape, normal, (&x, &moves))
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
            _ => {
                self.is_settled = true;
                Verdict::Forced
            }
        }
    }

    /// Follows the face to the end of its path; the normal of the shape where it comes too close.
    fn follow(
        &self,
        shape: &MovingShape<'_>,
        (x, moves): (&[DVec3; 3], &[DVec3; 3]),
        way: f64,
    ) -> Option<DVec3> {
        let (mut t, mut distance, mut normal) = (0.0, self.distance, self.normal);
        for _ in 0..STRIDES {
            if distance.is_nan() || distance < self.separation {
                return Some(normal);
            }
            t += STRIDE_SHARE * (distance - 0.5 * self.separation) / way;
            if t >= 1.0 {
                return None;
            }
            let now = shape.at(t);
            let (found, point) =
                now.nearest_of_face(&now.skeleton(), std::array::from_fn(|k| x[k] + moves[k] * t));
            (distance, normal) = (found, now.signed_distance(point).1);
        }
        Some(normal)
    }

    /// The factors by which the motions must be shortened so that a plane across `normal`, which moves along with the
    /// surface of the shape, stays below the face; `None` if shortening does not help.
    fn ask(
        &self,
        shape: &MovingShape<'_>,
        normal: DVec3,
        (x, moves): (&[DVec3; 3], &[DVec3; 3]),
    ) -> Option<[f64; 3]> {
        // While it turns the surface may bulge beyond the line from its start to its end.
        let first = shape.start.support(normal) + shape.turn;
        let rise = shape.end.support(normal) + shape.turn - first;
        let heights = x.map(|x| normal.dot(x) - first);
        let width = heights.into_iter().fold(f64::INFINITY, f64::min);
        let kept = keep(self.separation, width);
        if !(width > 0.0 && rise.is_finite()) {
            return None;
        }
        let mut factors = [1.0; 3];
        for k in 0..3 {
            let (along, least) = (normal.dot(moves[k]), rise - (heights[k] - kept));
            if along >= least {
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
    use crate::certificate::truncate_among;
    use crate::obstacle::Shape;
    use taffeta_core::random::SplitMix64;
    use taffeta_core::{Keyframe, Placement};

    fn point(random: &mut SplitMix64) -> DVec3 {
        DVec3::from_array([0; 3].map(|_| 2.0 * random.next_unit() - 1.0))
    }

    /// An obstacle of any kind that moves by up to a meter and turns by up to 90° in one second; every fourth one rests.
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
            let turn = if kind % 4 == 3 { DVec3::ZERO } else { point(random) * 90.0 };
            let key = |time, translate, rotate_deg| Keyframe { time, translate, rotate_deg };
            obstacle.motion.keys = vec![key(0.0, DVec3::ZERO, DVec3::ZERO), key(1.0, point(random), turn)];
        }
        obstacle
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
            let path = Path { start: &start, moves: &moves, prescribed: &[false; 3] };
            let faces = watch_faces(&shapes, &[[0, 1, 2]], |_| 1e-3, path);
            let found = truncate_among(&[], |_| 0.0, path, (&shapes, faces));
            let is_outside = |fractions: &[f64], t: f64| {
                let now = std::array::from_fn(|k| x[k] + moves[k] * (fractions[k] * t));
                shapes[0].at(t).distance_of_face(now) > 0.0
            };
            let times = || (1..=40).map(|k| f64::from(k) / 40.0);
            let hits = times().any(|t| !is_outside(&[1.0; 3], t));
            hit += u32::from(hits);
            shortened += u32::from(found.fractions != [1.0; 3]);
            forced += found.forced_faces;
            assert!(
                found.forced_faces > 0 || times().all(|t| is_outside(&found.fractions, t)),
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
        let path = Path { start: &start, moves: &moves, prescribed: &[false; 3] };
        let faces = watch_faces(&shapes, &[[0, 1, 2]], |_| 1e-4, path);
        let found = truncate_among(&[], |_| 0.0, path, (&shapes, faces));
        assert_eq!(found.fractions, [1.0; 3]);
    }
}
