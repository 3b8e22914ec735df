//! Obstacles made of triangles: a rigid surface, or a sequence of shapes.
//!
//! Contact with them is two-sided: cloth stays on the side where it is. So the triangles need not be closed, oriented or
//! manifold, and may cross each other. They are bodies of [`Proximity`](crate::Proximity), whose vertices move on
//! straight lines within a substep.

use crate::meshes::parting::Parting;
use glam::DVec3;
use std::borrow::Cow;
use taffeta_core::{Drive, Friction, KeyframedMotion, Placement, Pose, Skin, drive_points, math};

/// A surface that moves as prescribed.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct MeshObstacle {
    /// Name; empty: it has none.
    pub name: String,
    /// Corners of the faces. Vertices that belong to none are there, but nothing meets them.
    pub faces: Vec<[u32; 3]>,
    /// Positions of the vertices in the obstacle's frame \[m\], shape by shape, at least one. Between two shapes the
    /// vertices move on straight lines; after the last one they stand still.
    pub shapes: Vec<Vec<DVec3>>,
    /// Shapes per second \[1/s\], from time 0 of the keys of its motion on. Of no meaning if there is one shape.
    pub shape_rate: f64,
    /// Placement of the obstacle. Its scale multiplies lengths of the shapes.
    pub place: Placement,
    /// Motion from there, besides that of the shapes; rotations are about the placed origin.
    pub motion: KeyframedMotion,
    /// Friction of the surface.
    pub friction: Friction,
    /// Positions of the vertices in world space \[m\] that a caller has given, in place of shapes and motion.
    pub skin: Option<Skin>,
    /// Keeps its parts apart where shapes, or positions that a caller gives, let them pass into each other.
    pub parting: Parting,
}

/// A triangle whose height is below this part of its longest edge has no area.
const DEGENERATE_HEIGHT: f64 = 1e-12;

impl MeshObstacle {
    /// A surface at rest with the default friction.
    pub fn new(positions: Vec<DVec3>, faces: Vec<[u32; 3]>, place: Placement) -> Self {
        Self { faces, shapes: vec![positions], place, ..Self::default() }
    }

    /// Keeps parts of a valid body apart by so much \[m\] where they pass into each other. Changes the shapes at once, and positions
    /// that a caller gives from now on. A body whose parts overlap leaves cloth between them no room. A world does this for its cloths.
    pub fn keep_parts_apart(&mut self, gap: f64) {
        self.parting = Parting::new(gap);
        self.parting.part_shapes(&self.faces, &mut self.shapes, self.place.scale);
    }

    /// Number of vertices.
    pub fn vertex_count(&self) -> usize {
        self.shapes.first().map_or(0, Vec::len)
    }

    /// Drops the faces that have no area in any of the shapes, and tells how many those are.
    ///
    /// # Panics
    /// If a face refers to a vertex that is not there.
    pub fn drop_flat_faces(&mut self) -> usize {
        let is_flat = |face: &[u32; 3], shape: &Vec<DVec3>| {
            let [a, b, c] = face.map(|v| shape[v as usize]);
            let longest = a.distance(b).max(b.distance(c)).max(c.distance(a));
            (b - a).cross(c - a).length() <= DEGENERATE_HEIGHT * longest * longest
        };
        let before = self.faces.len();
        let shapes = &self.shapes;
        self.faces.retain(|face| !shapes.iter().all(|shape| is_flat(face, shape)));
        before - self.faces.len()
    }

    /// Winding number of the surface around a point \[m\] at a time \[s\]. A closed surface has 0 outside, and 1 or −1
    /// inside by the orientation of its faces; one with holes has values in between. It is the sum of the solid angles of
    /// the faces over 4π (A. Van Oosterom, J. Strackee, The solid angle of a plane triangle, 1983; A. Jacobson, L. Kavan,
    /// O. Sorkine-Hornung, Robust inside-outside segmentation using generalized winding numbers, 2013). `x` are the
    /// positions at that time.
    pub fn winding_number(&self, x: &[DVec3], point: DVec3) -> f64 {
        let half_angle = |face: &[u32; 3]| {
            let [a, b, c] = face.map(|v| x[v as usize] - point);
            let [la, lb, lc] = [a, b, c].map(DVec3::length);
            let denominator = la * lb * lc + a.dot(b) * lc + b.dot(c) * la + c.dot(a) * lb;
            math::atan2(a.dot(b.cross(c)), denominator)
        };
        self.faces.iter().map(half_angle).sum::<f64>() / std::f64::consts::TAU
    }

    /// Describes what is wrong with the obstacle; `None` if it is valid.
    pub fn find_defect(&self) -> Option<String> {
        if self.faces.is_empty() || self.shapes.is_empty() {
            return Some("its mesh has no faces".to_owned());
        }
        let count = self.vertex_count();
        if let Some((number, shape)) = self.shapes.iter().enumerate().find(|(_, shape)| shape.len() != count)
        {
            return Some(format!("shape {number} has {} vertices, but shape 0 has {count}", shape.len()));
        }
        let out = |face: &&[u32; 3]| face.iter().any(|v| *v as usize >= count);
        if let Some(face) = self.faces.iter().find(out) {
            return Some(format!("a face has the corners {face:?}, but there are {count} vertices"));
        }
        let Placement { translate, rotate_deg, scale } = self.place;
        if !(translate.is_finite() && rotate_deg.is_finite() && scale.is_finite() && scale > 0.0) {
            return Some(format!("it is placed at {translate}, turned by {rotate_deg}, scaled by {scale}"));
        }
        let lost = |shape: &Vec<DVec3>| shape.iter().position(|x| !(*x * scale + translate).is_finite());
        if let Some((shape, vertex)) = self.shapes.iter().enumerate().find_map(|(k, x)| Some((k, lost(x)?))) {
            return Some(format!("the position of vertex {vertex} of shape {shape} is not finite"));
        }
        let is_rate = self.shape_rate.is_finite() && self.shape_rate > 0.0;
        if self.shapes.len() > 1 && !is_rate {
            return Some(format!("it has {} shapes per second; it must be positive", self.shape_rate));
        }
        self.motion.find_defect()
    }

    /// Moves the obstacle from where it is at a time \[s\] to another pose within the step that begins then. The pose is the
    /// rigid transformation from the obstacle's frame (already scaled) to world space; a sequence of shapes goes on in it.
    pub fn drive_to(&mut self, time: f64, pose: Pose) {
        let to = pose.after(&self.place.pose().inverse());
        let Self { shapes, place, motion, skin, shape_rate, .. } = self;
        let shape = shape_at(shapes, *shape_rate, motion.own_time(time));
        let rigid = |pose: &Pose| {
            let pose = pose.after(&place.pose());
            shape.iter().map(|x| pose.apply(*x * place.scale)).collect()
        };
        drive_points(motion, skin, time, place.translate, to, rigid);
    }

    /// The rigid transformation from the obstacle's frame (already scaled) to world space at a time \[s\].
    pub fn pose_at(&self, time: f64) -> Pose {
        self.motion.pose_at(time, self.place.translate).after(&self.place.pose())
    }

    /// Moves the vertices from where they are at a time \[s\] to positions in world space \[m\], each on a straight line, within
    /// the step that begins then. Parts that would pass into each other stop short of that if they are kept apart.
    ///
    /// # Panics
    /// If there are not as many positions as vertices.
    pub fn skin_to(&mut self, time: f64, positions: Vec<DVec3>) {
        assert_eq!(positions.len(), self.vertex_count(), "as many positions as vertices");
        let start = self.positions_at(time);
        let Self { parting, shapes, place, faces, .. } = self;
        let rest = || shapes.first().map_or_else(Vec::new, |x| x.iter().map(|x| *x * place.scale).collect());
        let positions = parting.part_skin(faces, rest, &start, positions);
        self.skin = Some(Drive::new(time, start, positions));
    }

    /// Sets it elsewhere at once, with where it goes.
    pub fn carry(&mut self, by: &Pose) {
        self.motion.carry(by);
        if let Some(skin) = &mut self.skin {
            skin.carry(by);
        }
    }

    /// Lets what a caller moves in the step from one time to another \[s\] arrive at its end.
    pub fn schedule(&mut self, now: f64, end: f64) {
        self.motion.schedule(now, end);
        if let Some(skin) = &mut self.skin {
            skin.schedule(now, end);
        }
    }

    /// Returns whether it never moves.
    pub fn is_still(&self) -> bool {
        self.shapes.len() < 2 && self.motion.is_still() && self.skin.is_none()
    }

    /// Returns whether it stands still from one time \[s\] to another.
    pub fn stands_between(&self, start: f64, end: f64) -> bool {
        if let Some(skin) = &self.skin {
            return skin.stands_between(start, end);
        }
        let progress = |time| progress_at(&self.shapes, self.shape_rate, self.motion.own_time(time));
        progress(start) == progress(end) && self.motion.stands_between(start, end)
    }

    /// Times of the keys and of the shapes that lie between two times \[s\], first the keys; none if a caller gives the positions.
    pub fn keys_between(&self, start: f64, end: f64) -> impl Iterator<Item = f64> + '_ {
        let shapes = (1..self.shapes.len()).map(|k| k as f64 / self.shape_rate + self.motion.anchor.time);
        let shapes = shapes.filter(move |time| start < *time && *time < end);
        self.motion.keys_between(start, end).chain(shapes).filter(|_| self.skin.is_none())
    }

    /// Bound of the displacement of a vertex \[m\] at a time \[s\] from its place if everything moved linearly between two
    /// other times \[s\]. It is the sum of the parts of the rigid motion and of the shapes.
    pub fn bend_at(&self, time: f64, [start, end]: [f64; 2]) -> f64 {
        if self.skin.is_some() {
            return 0.0;
        }
        let [first, now, last] = [start, time, end]
            .map(|time| shape_at(&self.shapes, self.shape_rate, self.motion.own_time(time)));
        let arm = || now.iter().map(|x| x.length()).fold(0.0, f64::max) * self.place.scale;
        let rigid = self.motion.bend_at(time, [start, end], arm);
        if self.shapes.len() < 2 {
            return rigid;
        }
        let part = (time - start) / (end - start);
        let way = |v: usize| now[v].distance_squared(first[v].lerp(last[v], part));
        rigid + (0..now.len()).map(way).fold(0.0, f64::max).sqrt() * self.place.scale
    }

    /// Angle by which it turns as a whole from one time to another \[s\], at most \[rad\].
    pub fn turn_between(&self, start: f64, end: f64) -> f64 {
        if self.skin.is_some() { 0.0 } else { self.motion.turn_between(start, end) }
    }

    /// The positions of all vertices at a time \[s\], in world space \[m\].
    pub fn positions_at(&self, time: f64) -> Vec<DVec3> {
        if let Some(skin) = &self.skin {
            return skin.points_at(time);
        }
        let pose = self.pose_at(time);
        let shape = shape_at(&self.shapes, self.shape_rate, self.motion.own_time(time));
        shape.iter().map(|x| pose.apply(*x * self.place.scale)).collect()
    }
}

/// The number of the last shape that is not later than a time \[s\], and how far the next has been reached.
fn progress_at(shapes: &[Vec<DVec3>], rate: f64, time: f64) -> (usize, f64) {
    let last = shapes.len().saturating_sub(1);
    let now = time * rate;
    if last == 0 || now <= 0.0 {
        return (0, 0.0);
    }
    let number = now.floor();
    if number >= last as f64 { (last, 0.0) } else { (number as usize, now - number) }
}

/// The shape of a sequence at a time \[s\].
fn shape_at(shapes: &[Vec<DVec3>], rate: f64, time: f64) -> Cow<'_, [DVec3]> {
    let (number, part) = progress_at(shapes, rate, time);
    match (shapes.get(number), shapes.get(number + 1).filter(|_| part > 0.0)) {
        (Some(shape), Some(next)) => shape.iter().zip(next).map(|(x, y)| x.lerp(*y, part)).collect(),
        (Some(shape), None) => shape.into(),
        (None, _) => Cow::default(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use taffeta_core::Keyframe;

    fn triangle(shapes: &[f64]) -> MeshObstacle {
        let shape = |y: &f64| vec![DVec3::ZERO, DVec3::X, DVec3::new(0.0, *y, 1.0)];
        MeshObstacle {
            faces: vec![[0, 1, 2]],
            shapes: shapes.iter().map(shape).collect(),
            shape_rate: 2.0,
            ..MeshObstacle::default()
        }
    }

    #[test]
    fn a_skin_goes_straight_and_a_pose_makes_it_rigid_again() {
        let mut body = triangle(&[3.0]);
        let (rigid, skin) = (body.positions_at(0.0), vec![DVec3::X, DVec3::Y, DVec3::new(0.0, 9.0, 2.0)]);
        body.skin_to(0.0, skin.clone());
        assert_eq!(body.positions_at(5.0), rigid);
        body.skin.as_mut().expect("it has one").schedule(0.0, 2.0);
        let half: Vec<DVec3> = rigid.iter().zip(&skin).map(|(a, b)| a.lerp(*b, 0.5)).collect();
        assert_eq!((body.positions_at(1.0), body.positions_at(2.0)), (half, skin.clone()));
        assert!(!body.is_still() && !body.stands_between(1.0, 3.0) && body.stands_between(2.0, 3.0));
        // Twice before the same step: the last word counts, and it sets out from where the skin is.
        body.drive_to(2.0, Pose { translation: DVec3::splat(7.0), ..Pose::IDENTITY });
        body.drive_to(2.0, Pose { translation: DVec3::X, ..Pose::IDENTITY });
        assert_eq!(body.positions_at(2.0), skin);
        body.skin.as_mut().expect("it comes from one").schedule(2.0, 3.0);
        let there: Vec<DVec3> = body.positions_at(3.0);
        assert!(
            there.iter().zip(&body.shapes[0]).all(|(x, y)| x.distance(*y + DVec3::X) < 1e-15),
            "{there:?}"
        );
        body.drive_to(3.0, Pose::IDENTITY);
        assert!(body.skin.is_none());
        assert_eq!(body.positions_at(3.0), there);
    }

    #[test]
    fn shapes_are_joined_by_straight_lines_and_the_last_one_stays() {
        let body = triangle(&[0.0, 1.0, 5.0]);
        assert_eq!(body.find_defect(), None);
        let y_at = |time: f64| body.positions_at(time)[2].y;
        assert_eq!([-1.0, 0.0, 0.25, 0.5, 0.75, 1.0, 9.0].map(y_at), [0.0, 0.0, 0.5, 1.0, 3.0, 5.0, 5.0]);
        assert!(!body.is_still() && !body.stands_between(0.5, 0.75) && body.stands_between(1.0, 7.0));
        assert!(triangle(&[3.0]).is_still());
    }

    #[test]
    fn shapes_between_two_times_tell_how_far_they_are_from_straight_lines() {
        let mut body = triangle(&[0.0, 1.0, 5.0, 9.0]);
        body.place.scale = 2.0;
        assert_eq!(body.keys_between(0.0, 1.25).collect::<Vec<_>>(), [0.5, 1.0]);
        // On the straight line from 0 to 5 it would be at 2.5 and not at 1, twice as large.
        assert_eq!(body.bend_at(0.5, [0.0, 1.0]), 3.0);
        assert_eq!(body.bend_at(1.0, [0.5, 1.5]), 0.0);
        body.skin_to(0.0, vec![DVec3::ZERO; 3]);
        assert_eq!((body.keys_between(0.0, 9.0).count(), body.bend_at(0.5, [0.0, 1.0])), (0, 0.0));
    }

    #[test]
    fn it_is_scaled_placed_and_then_moved_about_its_origin() {
        let mut body = triangle(&[0.0]);
        body.place = Placement { translate: DVec3::Y, rotate_deg: DVec3::new(0.0, 0.0, 90.0), scale: 2.0 };
        assert!(body.positions_at(0.0)[1].distance(DVec3::new(0.0, 3.0, 0.0)) < 1e-15);
        let rotate_deg = DVec3::new(0.0, 0.0, 90.0);
        body.motion.keys = vec![Keyframe { time: 1.0, translate: DVec3::Z, rotate_deg }];
        assert!(body.positions_at(1.0)[1].distance(DVec3::new(-2.0, 1.0, 1.0)) < 1e-15);
    }

    #[test]
    fn faces_without_area_are_dropped_and_defects_told() {
        let mut body = triangle(&[0.0, 1.0]);
        body.faces.extend([[0, 0, 1], [2, 1, 2]]);
        body.shapes.iter_mut().for_each(|shape| shape.push(DVec3::X * 0.5));
        body.faces.push([0, 1, 3]);
        assert_eq!((body.drop_flat_faces(), body.faces.len()), (3, 1));
        type Harm = fn(&mut MeshObstacle);
        let harms: [(Harm, &str); 6] = [
            (|b| b.faces.clear(), "no faces"),
            (|b| b.faces.push([0, 1, 9]), "[0, 1, 9], but there are 4"),
            (|b| b.shapes[1].truncate(2), "shape 1 has 2 vertices, but shape 0 has 4"),
            (|b| b.shapes[1][0].x = f64::NAN, "vertex 0 of shape 1"),
            (|b| b.place.scale = 0.0, "scaled by 0"),
            (|b| b.shape_rate = 0.0, "0 shapes per second"),
        ];
        for (harm, words) in harms {
            let mut bad = body.clone();
            harm(&mut bad);
            let reason = bad.find_defect().expect(words);
            assert!(reason.contains(words), "{reason}");
        }
    }

    #[test]
    fn a_closed_surface_winds_once_around_what_is_inside() {
        let corner = |k: u32| DVec3::new(f64::from(k & 1), f64::from(k >> 1 & 1), f64::from(k >> 2));
        let faces = vec![
            [0, 2, 1],
            [1, 2, 3],
            [4, 5, 6],
            [5, 7, 6],
            [0, 1, 4],
            [1, 5, 4],
            [2, 6, 3],
            [3, 6, 7],
            [0, 4, 2],
            [2, 4, 6],
            [1, 3, 5],
            [3, 7, 5],
        ];
        let cube = MeshObstacle::new((0..8).map(corner).collect(), faces, Placement::default());
        let x = cube.positions_at(0.0);
        let winding = |x_: f64, y: f64, z: f64| cube.winding_number(&x, DVec3::new(x_, y, z));
        for (x_, y, z) in [(0.5, 0.5, 0.5), (0.01, 0.9, 0.3), (0.999, 0.999, 0.999)] {
            assert!((winding(x_, y, z) - 1.0).abs() < 1e-12, "{}", winding(x_, y, z));
        }
        for (x_, y, z) in [(1.5, 0.5, 0.5), (-0.01, 0.9, 0.3), (0.5, 0.5, -7.0)] {
            assert!(winding(x_, y, z).abs() < 1e-12, "{}", winding(x_, y, z));
        }
        // Without a face it is less than whole.
        let open = MeshObstacle { faces: cube.faces[1..].to_vec(), ..cube.clone() };
        let part = open.winding_number(&x, DVec3::splat(0.5));
        assert!((part - 11.0 / 12.0).abs() < 1e-12, "{part}");
    }
}
