//! A patch that lies on another body, glides on it or passes over it: on cloth, planes, boxes and meshes.

use crate::reference::{sliding_acceleration, sliding_stop};
use crate::validate::bench::context::{CheckError, Context, Experiment};
use crate::validate::bench::row::Row;
use glam::{DMat3, DVec2, DVec3};
use taffeta_io::{GridPattern, grid};

/// Side of the patch \[m\].
const SIDE: f64 = 0.2;
/// Thickness of contact \[m\].
const THICKNESS: f64 = 0.001;
/// Material of the patch and of cloth below it, but for its friction.
const MATERIAL: &str =
    "density = 0.2, thickness = 0.001, stretch = [2000.0, 2000.0], poisson = 0.3, bend = [5e-5, 5e-5]";
/// File of a ground of triangles.
const MESH: &str = "ground.obj";

/// Body below the patch.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum Ground {
    /// Cloth of which every vertex is held.
    Cloth,
    /// A half-space.
    Plane,
    /// A box.
    Box,
    /// Squares of 4 m divided by so many, cut into triangles.
    Mesh(u32),
}

/// Grounds whose contact with cloth is that of an obstacle, with their names.
const OBSTACLES: [(Ground, &str); 4] = [
    (Ground::Plane, "plane"),
    (Ground::Box, "box"),
    (Ground::Mesh(1), "mesh of 4 m"),
    (Ground::Mesh(20), "mesh of 0.2 m"),
];

/// A patch above a ground that falls along x.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Glide<'a> {
    /// The body below.
    pub ground: Ground,
    /// Lines for `[simulation]`.
    pub settings: &'a str,
    /// Coefficients of friction of both, static and kinetic.
    pub friction: (f64, f64),
    /// Slope \[degrees\].
    pub slope: f64,
    /// Speed of the patch at the start, down the slope \[m/s\].
    pub speed: f64,
    /// Height of the patch above the distance of contact at the start \[m\].
    pub height: f64,
    /// Gravity, downward \[m/s²\].
    pub gravity: f64,
    /// Duration \[s\].
    pub duration: f64,
}

impl Glide<'_> {
    /// A patch at rest on a slope \[degrees\], at the distance of contact.
    pub(super) fn at_rest(ground: Ground, friction: (f64, f64), slope: f64, duration: f64) -> Self {
        let (settings, speed, height, gravity) = ("", 0.0, 0.0, crate::reference::GRAVITY);
        Self { ground, settings, friction, slope, speed, height, gravity, duration }
    }

    /// A patch that moves on a level ground at a speed \[m/s\].
    pub(crate) fn moving(ground: Ground, friction: (f64, f64), speed: f64, duration: f64) -> Self {
        Self { speed, ..Self::at_rest(ground, friction, 0.0, duration) }
    }

    /// Turns the level ground to the slope.
    fn turned(&self, level: DVec3) -> DVec3 {
        DMat3::from_rotation_z(-self.slope.to_radians()) * level
    }

    /// Scene text. Writes the mesh of the ground if there is one.
    pub(crate) fn scene(&self, context: &Context<'_>) -> Result<String, CheckError> {
        let Self { settings, slope, gravity, duration, .. } = *self;
        let friction = self.friction_table();
        // Neither edges of the patch nor its vertices lie on those of the ground.
        let contact = if self.ground == Ground::Cloth { THICKNESS } else { 0.5 * THICKNESS };
        let [x, y, z] = self.turned(DVec3::new(0.013, contact + self.height, 0.007)).to_array();
        let [vx, vy, vz] = self.turned(DVec3::X * self.speed).to_array();
        let ground = self.ground_table(context)?;
        Ok(format!(
            r#"
[simulation]
duration = {duration}
gravity = [0.0, -{gravity}, 0.0]
{settings}
[[cloth]]
name = "patch"
grid = {{ size = [{SIDE}, {SIDE}], cells = [5, 5], pattern = "alternating" }}
material = {{ {MATERIAL}, {friction} }}
place = {{ rotate_deg = [-90, 0, -{slope}], translate = [{x}, {y}, {z}] }}
velocity = [{vx}, {vy}, {vz}]
{ground}
[air]
density = 0.0
"#
        ))
    }

    fn friction_table(&self) -> String {
        let (static_, kinetic) = self.friction;
        format!("friction = {{ static = {static_}, kinetic = {kinetic} }}")
    }

    fn ground_table(&self, context: &Context<'_>) -> Result<String, CheckError> {
        let friction = self.friction_table();
        let place = |turn: &str, level: DVec3| {
            let [x, y, z] = self.turned(level).to_array();
            format!("place = {{ rotate_deg = [{turn}, 0, -{}], translate = [{x}, {y}, {z}] }}", self.slope)
        };
        let obstacle = |shape: &str, place: String| {
            format!("[[obstacle]]\nshape = {{ {shape} }}\n{place}\n{friction}\n")
        };
        Ok(match self.ground {
            Ground::Cloth => format!(
                "[[cloth]]\nname = \"ground\"\n\
                 grid = {{ size = [1.8, 0.4], cells = [36, 8], pattern = \"alternating\" }}\n\
                 material = {{ {MATERIAL}, {friction} }}\n{}\n\
                 [[cloth.pin]]\nwhere = {{ material_box = [[0.0, 0.0], [1.8, 0.4]] }}\n",
                place("-90", DVec3::new(-0.3, 0.0, 0.1))
            ),
            Ground::Plane => obstacle("plane = { normal = [0, 1, 0] }", place("0", DVec3::ZERO)),
            Ground::Box => {
                obstacle("box = { half_size = [2.0, 0.1, 1.0] }", place("0", DVec3::new(0.0, -0.1, 0.0)))
            }
            Ground::Mesh(squares) => {
                let cells = [squares, squares.div_ceil(2)];
                context.write_mesh(MESH, &grid(DVec2::new(4.0, 2.0), cells, GridPattern::Alternating, 1))?;
                let place = place("-90", DVec3::new(-1.0, 0.0, 1.0137));
                obstacle(&format!("mesh = \"{MESH}\""), place)
            }
        })
    }

    /// Position of the middle of the patch down the slope and above it \[m\].
    pub(crate) fn place(&self, patch: &Experiment) -> Result<DVec2, CheckError> {
        let place = patch.at(0.5 * SIDE, 0.5 * SIDE)?;
        Ok(DVec2::new(place.dot(self.turned(DVec3::X)), place.dot(self.turned(DVec3::Y))))
    }

    /// Positions of the middle of the patch, at the start and after every frame. Adds crossings in any of them.
    fn follow(&self, context: &Context<'_>, crossings: &mut usize) -> Result<Vec<DVec2>, CheckError> {
        let mut patch = context.experiment(&self.scene(context)?)?;
        patch.record_crossings(crossings, |patch| self.place(patch))
    }
}

/// Mean acceleration \[m/s²\] from a frame on, over twice so many frames of 1/60 s.
pub(super) fn acceleration(path: &[DVec2], from: usize, frames: usize) -> f64 {
    let at = |k: usize| path[from + k * frames].x;
    (at(0) - 2.0 * at(1) + at(2)) * (60.0 / frames as f64).powi(2)
}

/// Velocity over the last frame \[m/s\].
fn last_velocity(path: &[DVec2]) -> DVec2 {
    match path {
        [.., before, last] => (*last - *before) * 60.0,
        _ => DVec2::NAN,
    }
}

/// Way down the slope \[m\].
fn way(path: &[DVec2]) -> f64 {
    path.last().map_or(f64::NAN, |last| last.x - path[0].x)
}

/// A patch on held cloth: stops by friction, slides down a slope, keeps its speed without friction and where it does not
/// touch. By default and under `block`.
pub(super) fn check_cloth_on_cloth(
    context: &Context<'_>,
    crossings: &mut usize,
) -> Result<Vec<Row>, CheckError> {
    let mut rows = Vec::new();
    let solvers = [("", "", [0.01, 0.001]), ("block: ", "solver = \"block\"", [0.05, 0.05])];
    for (solver, settings, [coulomb, smooth]) in solvers {
        let mut follow = |case: &str, glide: Glide<'_>| {
            context.note(&format!("contact: {solver}cloth on cloth, {case}"));
            Glide { settings, ..glide }.follow(context, crossings)
        };
        let name = |case: &str| format!("{solver}cloth on cloth: {case}");
        let stop = follow("stop", Glide::moving(Ground::Cloth, (0.3, 0.3), 1.0, 0.6))?;
        let [distance, _] = sliding_stop(1.0, 0.3);
        let case = name("stop from 1 m/s, μ 0.3");
        rows.push(Row::relative(case, way(&stop), distance, coulomb).in_unit("m"));
        let slope = follow("slope", Glide::at_rest(Ground::Cloth, (0.5, 0.4), 30.0, 1.0))?;
        let distance = 0.5 * sliding_acceleration(30_f64.to_radians(), 0.4);
        let case = name("slope of 30°, μ 0.4, 1 s");
        rows.push(Row::relative(case, way(&slope), distance, coulomb).in_unit("m"));
        let smoothly = follow("no friction", Glide::moving(Ground::Cloth, (0.0, 0.0), 1.0, 0.5))?;
        let case = name("no friction, 0.5 s at 1 m/s");
        rows.push(Row::relative(case, way(&smoothly), 0.5, smooth).in_unit("m"));
        let passing = Glide {
            height: 0.003 - THICKNESS,
            gravity: 0.0,
            ..Glide::moving(Ground::Cloth, (0.3, 0.3), 5.0, 0.2)
        };
        let velocity = last_velocity(&follow("passing", passing)?);
        // What does not touch is not moved, by no solver.
        let case = name("passes 3 mm above at 5 m/s: along");
        rows.push(Row::relative(case, velocity.x, 5.0, 1e-4).in_unit("m/s"));
        let case = name("passes 3 mm above at 5 m/s: upward");
        rows.push(Row::at_most(case, velocity.y, 5e-4).in_unit("m/s"));
    }
    Ok(rows)
}

/// A patch on obstacles of every kind: below the limit of static friction it does not creep, above it slides by Coulomb's
/// law.
pub(super) fn check_obstacles(context: &Context<'_>, crossings: &mut usize) -> Result<Vec<Row>, CheckError> {
    let mut rows = Vec::new();
    for (ground, name) in OBSTACLES {
        context.note(&format!("contact: incline, {name}"));
        let rest = Glide::at_rest(ground, (0.5, 0.4), 25.0, 2.0).follow(context, crossings)?;
        let creep = 1e6 * way(&rest[30..]).abs();
        rows.push(Row::at_most(format!("incline, {name}: creep, 0.5 to 2 s"), creep, 1.0).in_unit("µm"));
        let slide = Glide::at_rest(ground, (0.5, 0.4), 30.0, 1.0).follow(context, crossings)?;
        let exact = sliding_acceleration(30_f64.to_radians(), 0.4);
        let case = format!("incline, {name}: acceleration at 30°");
        rows.push(Row::relative(case, acceleration(&slide, 15, 15), exact, 0.0015).in_unit("m/s²"));
    }
    Ok(rows)
}
