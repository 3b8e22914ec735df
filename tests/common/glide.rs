//! A patch of cloth that lies on another body, glides on it or meets it.

use super::{FRAME, build, run, settings, square, stiff};
use glam::{DVec2, DVec3};
use taffeta::contact::{MeshObstacle, Obstacle, Shape};
use taffeta::core::{Friction, Keyframe, KeyframedMotion, Placement, Region};
use taffeta::io::{GridPattern, grid};
use taffeta::remesh::RemeshSettings;
use taffeta::sim::{ClothDescription, PinDescription, SolverChoice, World, WorldDescription, queries};

pub(crate) const GRAVITY: f64 = 9.81;
/// Side of the patch \[m\].
pub(crate) const SIDE: f64 = 0.2;
/// Thickness of contact \[m\].
pub(crate) const THICKNESS: f64 = 1e-3;

/// Body under the patch, level at height zero.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum Ground {
    /// Cloth of which every vertex is held.
    Cloth,
    Plane,
    Box,
    /// Squares of so many meters cut in two.
    Mesh(f64),
}

/// A patch over a ground.
#[derive(Clone, Debug)]
pub(crate) struct Glide {
    pub(crate) ground: Ground,
    /// Velocity of the ground \[m/s\]; the patch has it too.
    pub(crate) carried: DVec3,
    /// Turning rate of the ground about a vertical \[degrees/s\]; the patch has it too.
    pub(crate) turning: f64,
    /// Coefficients of both.
    pub(crate) friction: Friction,
    /// Damping of bending of all cloth \[s\].
    pub(crate) damping: f64,
    /// Gravity \[m/s²\].
    pub(crate) gravity: DVec3,
    /// Velocity of the patch against the ground \[m/s\].
    pub(crate) velocity: DVec3,
    /// Height of the patch above the distance of contact \[m\].
    pub(crate) height: f64,
    /// Corner of the patch with the least x and the largest z \[m\]. No edge of it lies on one of the ground.
    pub(crate) corner: DVec2,
    /// Cells along a side of the patch, and whether it is remeshed.
    pub(crate) cells: u32,
    pub(crate) remesh: Option<RemeshSettings>,
    pub(crate) solver: SolverChoice,
    pub(crate) substeps: Option<u32>,
}

/// Gravity on a slope \[rad\] that falls along x.
pub(crate) fn on_slope(slope: f64) -> DVec3 {
    DVec3::new(slope.sin(), -slope.cos(), 0.0) * GRAVITY
}

/// A key of a motion.
pub(crate) fn key(time: f64, translate: DVec3, degrees: f64) -> Keyframe {
    Keyframe { time, translate, rotate_deg: DVec3::new(0.0, degrees, 0.0) }
}

/// A square patch of `stiff` cloth at a height \[m\] from a corner on.
pub(crate) fn patch(
    name: &str,
    cells: u32,
    friction: Friction,
    side: f64,
    corner: DVec3,
) -> ClothDescription {
    let mut mesh = square(cells, GridPattern::Alternating);
    mesh.positions.iter_mut().for_each(|x| *x = corner + side * DVec3::new(x.x, 0.0, -x.y));
    mesh.material.iter_mut().flatten().flatten().for_each(|u| *u *= side);
    let mut material = stiff();
    (material.friction, material.thickness) = (friction, THICKNESS);
    ClothDescription::new(name, mesh, material)
}

/// Squares of `size` m cut in two, in a plane of 8 m by 2 m.
pub(crate) fn ground_mesh(size: f64) -> MeshObstacle {
    let columns = (8.0 / size).round() as u32;
    let rows = ((2.0 / size).round() as u32).max(1);
    let points = (0..=rows).flat_map(|j| (0..=columns).map(move |i| (i, j)));
    let place = |(i, j): (u32, u32)| {
        let depth = 2.0 / f64::from(rows) * f64::from(j) - 1.0;
        DVec3::new(size * f64::from(i) - 1.0, 0.0, depth + 0.0137)
    };
    let square = |(i, j): (u32, u32)| {
        let a = j * (columns + 1) + i;
        let (b, c, d) = (a + 1, a + columns + 2, a + columns + 1);
        [[a, d, c], [a, c, b]]
    };
    let cells = (0..rows).flat_map(|j| (0..columns).map(move |i| (i, j)));
    MeshObstacle::new(points.map(place).collect(), cells.flat_map(square).collect(), Placement::default())
}

impl Glide {
    /// A patch at rest on a level ground that stands still.
    pub(crate) fn new(ground: Ground, friction: Friction, solver: SolverChoice) -> Self {
        Self {
            ground,
            carried: DVec3::ZERO,
            turning: 0.0,
            friction,
            damping: 0.0,
            gravity: on_slope(0.0),
            velocity: DVec3::ZERO,
            height: 0.0,
            corner: DVec2::new(0.013, 0.007),
            cells: 5,
            remesh: None,
            solver,
            substeps: None,
        }
    }

    fn motion(&self) -> KeyframedMotion {
        if self.carried == DVec3::ZERO && self.turning == 0.0 {
            return KeyframedMotion::default();
        }
        KeyframedMotion::from(vec![
            key(0.0, DVec3::ZERO, 0.0),
            key(10.0, 10.0 * self.carried, 10.0 * self.turning),
        ])
    }

    /// Point about which the ground turns \[m\]: cloth turns about the middle of its pin.
    fn center(&self) -> DVec3 {
        if self.ground == Ground::Cloth { DVec3::new(0.4, 0.0, -0.1) } else { DVec3::ZERO }
    }

    /// Distance of the middle surface of the patch from the ground where they touch \[m\].
    pub(crate) fn touching(&self) -> f64 {
        if self.ground == Ground::Cloth { THICKNESS } else { 0.5 * THICKNESS }
    }

    /// The patch, the first cloth, and the ground.
    pub(crate) fn describe(&self) -> WorldDescription {
        let corner = DVec3::new(self.corner.x, self.touching() + self.height, self.corner.y);
        let mut cloth = patch("patch", self.cells, self.friction, SIDE, corner);
        let turning = DVec3::Y * self.turning.to_radians();
        let middle = corner + 0.5 * SIDE * DVec3::new(1.0, 0.0, -1.0);
        cloth.velocity = self.carried + turning.cross(middle - self.center()) + self.velocity;
        cloth.angular_velocity = turning;
        cloth.remesh = self.remesh;
        let mut description = WorldDescription {
            cloths: vec![cloth],
            simulation: settings(self.solver, self.substeps),
            self_contact: Some(self.ground == Ground::Cloth),
            ..WorldDescription::bare()
        };
        description.simulation.gravity = self.gravity;
        self.put_ground(&mut description);
        description.cloths.iter_mut().for_each(|cloth| cloth.material.bend_damping = self.damping);
        description
    }

    fn put_ground(&self, description: &mut WorldDescription) {
        let Self { friction, .. } = *self;
        let motion = self.motion();
        let solid = |shape, below: f64| Obstacle {
            friction,
            motion: motion.clone(),
            ..Obstacle::new(shape, Placement::at(DVec3::NEG_Y * below))
        };
        match self.ground {
            Ground::Cloth => {
                let mut cloth = patch("ground", 1, friction, 1.0, DVec3::ZERO);
                cloth.mesh = grid(DVec2::new(1.0, 0.6), [20, 12], GridPattern::Alternating, 1);
                let place = |x: &mut DVec3| *x = DVec3::new(x.x - 0.1, 0.0, 0.2 - x.y);
                cloth.mesh.positions.iter_mut().for_each(place);
                let everything = Region::MaterialBox([DVec2::ZERO, DVec2::ONE]);
                cloth.pins = vec![PinDescription { motion, ..PinDescription::new(everything) }];
                description.cloths.push(cloth);
            }
            Ground::Plane => description.obstacles.push(solid(Shape::Plane { normal: DVec3::Y }, 0.0)),
            Ground::Box => {
                let half_size = DVec3::new(4.0, 0.1, 1.0);
                description.obstacles.push(solid(Shape::Box { half_size }, 0.1));
            }
            Ground::Mesh(size) => {
                let mesh = MeshObstacle { friction, motion, ..ground_mesh(size) };
                description.mesh_obstacles.push(mesh);
            }
        }
    }

    pub(crate) fn build(&self) -> World {
        build(&self.describe())
    }

    /// Position of the middle of the patch, seen from the ground \[m\].
    pub(crate) fn place(&self, world: &World) -> DVec3 {
        let pose = self.motion().pose_at(world.time(), self.center());
        pose.rotation.inverse() * (middle(world, 0) - pose.translation)
    }

    /// Positions of the middle of the patch seen from the ground, now and after every so many frames \[m\].
    pub(crate) fn places<const N: usize>(&self, world: &mut World, frames: u32) -> [DVec3; N] {
        std::array::from_fn(|k| {
            if k > 0 {
                run(world, frames);
            }
            self.place(world)
        })
    }
}

/// Position of the middle of a cloth that is a patch \[m\].
pub(crate) fn middle(world: &World, cloth: usize) -> DVec3 {
    let point = queries::material_point(world, cloth, DVec2::splat(0.5 * SIDE));
    point.expect("it is on the patch").position
}

/// Mean velocity \[m/s\] between positions so many frames apart.
pub(crate) fn velocity([before, after]: [DVec3; 2], frames: u32) -> DVec3 {
    (after - before) / (f64::from(frames) * FRAME)
}

/// Mean acceleration \[m/s²\] from three positions so many frames apart.
pub(crate) fn acceleration([first, second, third]: [DVec3; 3], frames: u32) -> DVec3 {
    (first - 2.0 * second + third) / (f64::from(frames) * FRAME).powi(2)
}

/// Values that are not what they should be, to be told all together.
#[derive(Debug, Default)]
pub(crate) struct Misses(Vec<String>);

impl Misses {
    /// Notes a value that differs from another one by more than a tolerance, or is no number.
    pub(crate) fn check(&mut self, case: &str, value: f64, right: f64, tolerance: f64) {
        let is_right = (value - right).abs() <= tolerance;
        if !is_right {
            self.0.push(format!("{case}: {value:.6e} instead of {right:.6} ± {tolerance:.1e}"));
        }
    }

    /// Fails if there are any.
    #[track_caller]
    pub(crate) fn expect_none(self) {
        assert!(self.0.is_empty(), "{} values are wrong:\n{}", self.0.len(), self.0.join("\n"));
    }
}
