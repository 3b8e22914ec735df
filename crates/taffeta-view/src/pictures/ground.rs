//! The ground of a show without a floor: that of pictures, below the lowest point.
//!
//! A picture knows the whole run, and so its lowest point. A show does not: when something sinks below the ground, the ground is put
//! deeper at once, and then stays for a while. It never rises, so that a run that starts anew has the ground of the last one.

use super::bodies::{Obstacles, picture_mesh};
use super::snapshot::{BodyKind, BodyPicture, MeshNumbers, PointCoords};
use glam::{DVec3, Vec3};
use taffeta_contact::Shape;
use taffeta_render::{ground_body, union_bounds};

/// Name of the ground. Bodies of a scene have no dots in theirs.
const NAME: &str = "ground.0";
/// Distance by which the ground is put below what has sunk below it, over the diagonal of the box.
const MARGIN: f64 = 0.25;

/// The ground.
#[derive(Debug)]
pub(crate) struct Ground {
    up: DVec3,
    /// A box that stands on it \[m\].
    bounds: [DVec3; 2],
    /// Its picture, until it is put elsewhere.
    picture: Option<BodyPicture>,
}

impl Ground {
    /// The ground below a box \[m\]; `None`: the scene has a floor, or nothing that stands on one.
    pub(crate) fn below(bounds: [DVec3; 2], up: DVec3, obstacles: &Obstacles) -> Option<Self> {
        let has_floor = obstacles.closed.iter().any(|o| matches!(o.shape, Shape::Plane { .. }));
        let is_needed = !has_floor && bounds[0] != bounds[1];
        is_needed.then(|| Self { up: up.normalize_or(DVec3::Y), bounds, picture: None })
    }

    /// Its picture, below all bodies.
    pub(crate) fn picture(&mut self, bodies: &[BodyPicture], numbers: &mut MeshNumbers) -> BodyPicture {
        let sunk = self.find_lowest(bodies) - self.height();
        if sunk < 0.0 {
            let [low, high] = self.bounds;
            let deep = self.lowest_corner() + self.up * (sunk - MARGIN * low.distance(high));
            self.bounds = union_bounds(self.bounds, [deep; 2]);
            self.picture = None;
            numbers.forget(NAME);
        }
        let (bounds, up) = (self.bounds, self.up);
        let draw = || BodyPicture {
            is_still: true,
            ..picture_mesh(
                NAME.into(),
                BodyKind::Floor,
                &ground_body(bounds, up).mesh,
                PointCoords::default(),
                numbers,
            )
        };
        self.picture.get_or_insert_with(draw).clone()
    }

    fn lowest_corner(&self) -> DVec3 {
        DVec3::select(self.up.cmpge(DVec3::ZERO), self.bounds[0], self.bounds[1])
    }

    /// Height of the lowest corner \[m\].
    fn height(&self) -> f64 {
        self.up.dot(self.lowest_corner())
    }

    /// Height of the lowest point of what moves \[m\]; infinite if nothing does.
    fn find_lowest(&self, bodies: &[BodyPicture]) -> f64 {
        let up = self.up.as_vec3();
        let moving = bodies.iter().filter(|body| !body.is_still && body.kind != BodyKind::Floor);
        let points = moving.flat_map(|body| body.positions.as_chunks::<3>().0);
        let heights = points.map(|x| up.dot(Vec3::from_array(*x))).filter(|height| height.is_finite());
        let lowest = heights.fold(f32::INFINITY, f32::min);
        // The corner has more digits.
        f64::from(lowest) + 1e-6 * self.bounds[0].distance(self.bounds[1])
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::sync::Arc;
    use taffeta_contact::Obstacle;
    use taffeta_core::Placement;

    fn cloth(low: f32) -> BodyPicture {
        let body = picture_mesh(
            "a".into(),
            BodyKind::Cloth,
            &Default::default(),
            PointCoords::default(),
            &mut MeshNumbers::default(),
        );
        BodyPicture { positions: Arc::new(vec![0.0, 0.0, low, 0.0, 0.0, 3.0]), ..body }
    }

    fn height(ground: &BodyPicture) -> f32 {
        ground.positions[2]
    }

    #[test]
    fn the_ground_is_below_all_and_sinks_with_what_falls() {
        let bounds = [DVec3::new(-1.0, -1.0, 1.0), DVec3::new(1.0, 1.0, 2.0)];
        let (none, mut numbers) = (Obstacles::default(), MeshNumbers::default());
        let mut ground = Ground::below(bounds, DVec3::Z, &none).unwrap();
        let first = ground.picture(&[cloth(1.0)], &mut numbers);
        // That of pictures: a thousandth of the diagonal below.
        assert!((height(&first) - 0.997).abs() < 1e-6, "{}", height(&first));
        assert_eq!((first.kind, first.is_still), (BodyKind::Floor, true));
        assert_eq!(ground.picture(&[cloth(1.0)], &mut numbers).mesh.number, first.mesh.number);
        // Deeper than what has sunk, and not with every frame.
        let second = ground.picture(&[cloth(0.9)], &mut numbers);
        assert!(height(&second) < 0.2 && second.mesh.number != first.mesh.number, "{}", height(&second));
        let third = ground.picture(&[cloth(0.5)], &mut numbers);
        assert_eq!((height(&third), third.mesh.number), (height(&second), second.mesh.number));
    }

    #[test]
    fn a_scene_with_a_floor_gets_no_ground() {
        let bounds = [DVec3::ZERO, DVec3::ONE];
        let plane = Obstacle::new(Shape::Plane { normal: DVec3::Y }, Placement::default());
        let floor = Obstacles { closed: vec![plane], meshes: Vec::new() };
        assert!(Ground::below(bounds, DVec3::Y, &floor).is_none());
        assert!(Ground::below([DVec3::ZERO; 2], DVec3::Y, &Obstacles::default()).is_none());
    }
}
