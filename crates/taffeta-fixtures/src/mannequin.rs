//! A body to sew garments on: a smooth union of capsules, meshed by surface nets (S. Gibson, Constrained elastic surface nets,
//! 1998). It stands on the ground, faces +z and holds its arms away.

use std::collections::BTreeMap;

/// A point \[m\].
type Point = [f64; 3];

/// Radius over which capsules blend into each other \[m\].
const BLEND: f64 = 0.05;
/// Length of a cell of the grid \[m\].
const CELL: f64 = 0.031;
/// Corners of the grid \[m\].
const LOW: Point = [-0.75, -0.06, -0.24];
const HIGH: Point = [0.75, 1.80, 0.30];
/// Steps by which vertices go to the surface.
const STEPS: usize = 8;

/// A part of the body that moves as a whole; 1: on the side of +x, −1: on the other.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Bone {
    /// The pelvis.
    Hips,
    /// Trunk and head.
    Spine,
    /// From the shoulder to the elbow.
    UpperArm(i8),
    /// From the elbow on.
    Forearm(i8),
    /// From the hip to the knee.
    Thigh(i8),
    /// From the knee to the ankle.
    Shin(i8),
    /// From the ankle on.
    Foot(i8),
}

/// Ends, radius \[m\] and bone of each capsule; those beside the middle are there twice.
const CAPSULES: [(Point, Point, f64, Bone); 11] = [
    ([-0.07, 0.94, -0.01], [0.07, 0.94, -0.01], 0.11, Bone::Hips),
    ([-0.06, 1.10, 0.0], [0.06, 1.10, 0.0], 0.09, Bone::Spine),
    ([-0.08, 1.27, 0.01], [0.08, 1.27, 0.01], 0.105, Bone::Spine),
    ([-0.14, 1.41, -0.01], [0.14, 1.41, -0.01], 0.045, Bone::Spine),
    ([0.0, 1.42, -0.015], [0.0, 1.55, 0.0], 0.05, Bone::Spine),
    ([0.0, 1.62, 0.01], [0.0, 1.66, 0.01], 0.085, Bone::Spine),
    ([0.17, 1.40, -0.01], [0.38, 1.20, -0.01], 0.042, Bone::UpperArm(1)),
    ([0.38, 1.20, -0.01], [0.55, 1.03, 0.02], 0.034, Bone::Forearm(1)),
    ([0.095, 0.88, -0.01], [0.10, 0.50, 0.0], 0.075, Bone::Thigh(1)),
    ([0.10, 0.50, 0.0], [0.10, 0.08, -0.02], 0.05, Bone::Shin(1)),
    ([0.10, 0.035, -0.03], [0.11, 0.035, 0.13], 0.038, Bone::Foot(1)),
];

impl Bone {
    /// The bone on the other side.
    fn mirrored(self) -> Self {
        match self {
            Self::Hips | Self::Spine => self,
            Self::UpperArm(side) => Self::UpperArm(-side),
            Self::Forearm(side) => Self::Forearm(-side),
            Self::Thigh(side) => Self::Thigh(-side),
            Self::Shin(side) => Self::Shin(-side),
            Self::Foot(side) => Self::Foot(-side),
        }
    }
}

/// The distance of a point from each capsule of both sides \[m\], negative inside, with its bone.
pub fn bone_distances(p: Point) -> Vec<(Bone, f64)> {
    let of_side = |mirror: bool| {
        let p = if mirror { [-p[0], p[1], p[2]] } else { p };
        CAPSULES.iter().map(move |(a, b, radius, bone)| {
            (if mirror { bone.mirrored() } else { *bone }, from_capsule(p, *a, *b, *radius))
        })
    };
    of_side(false).chain(of_side(true)).collect()
}

fn sub(a: Point, b: Point) -> Point {
    std::array::from_fn(|k| a[k] - b[k])
}

fn dot(a: Point, b: Point) -> f64 {
    a[0] * b[0] + a[1] * b[1] + a[2] * b[2]
}

/// The distance of a point from a capsule \[m\], negative inside.
fn from_capsule(p: Point, a: Point, b: Point, radius: f64) -> f64 {
    let along = sub(b, a);
    let part = (dot(sub(p, a), along) / dot(along, along)).clamp(0.0, 1.0);
    let nearest = std::array::from_fn(|k| a[k] + part * along[k]);
    let to = sub(p, nearest);
    dot(to, to).sqrt() - radius
}

/// The distance of a point from the body \[m\], negative inside.
fn distance(p: Point) -> f64 {
    // Both sides are alike.
    let p = [p[0].abs(), p[1], p[2]];
    let mut united = f64::INFINITY;
    for (a, b, radius, _) in CAPSULES {
        let own = from_capsule(p, a, b, radius);
        let overlap = (BLEND - (own - united).abs()).max(0.0);
        united = own.min(united) - 0.25 * overlap * overlap / BLEND;
    }
    united
}

fn gradient(p: Point) -> Point {
    std::array::from_fn(|k| {
        let at = |h: f64| distance(std::array::from_fn(|c| p[c] + if c == k { h } else { 0.0 }));
        (at(1e-5) - at(-1e-5)) / 2e-5
    })
}

/// Vertices \[m\] and faces of the mannequin.
pub fn mannequin() -> (Vec<Point>, Vec<[u32; 3]>) {
    let count: [usize; 3] = std::array::from_fn(|k| ((HIGH[k] - LOW[k]) / CELL) as usize);
    let corner = |i: [usize; 3]| -> Point { std::array::from_fn(|k| LOW[k] + CELL * i[k] as f64) };
    let cells = |k: usize| 0..count[k];
    let mut numbers = BTreeMap::new();
    let mut vertices = Vec::new();
    let all = cells(0).flat_map(|x| cells(1).flat_map(move |y| (0..count[2]).map(move |z| [x, y, z])));
    let all: Vec<[usize; 3]> = all.collect();
    for cell in &all {
        let inside = (0..8).filter(|k| {
            distance(corner([cell[0] + (k & 1), cell[1] + (k >> 1 & 1), cell[2] + (k >> 2)])) < 0.0
        });
        if (1..8).contains(&inside.count()) {
            numbers.insert(*cell, vertices.len() as u32);
            vertices.push(to_surface(corner(*cell).map(|c| c + 0.5 * CELL)));
        }
    }
    let mut faces = Vec::new();
    for cell in &all {
        for axis in 0..3 {
            faces.extend(quad(*cell, axis, &numbers, &corner));
        }
    }
    (vertices, faces)
}

/// Moves a point along the gradient onto the surface.
fn to_surface(mut p: Point) -> Point {
    for _ in 0..STEPS {
        let (d, g) = (distance(p), gradient(p));
        let step = d / dot(g, g).max(0.1);
        p = std::array::from_fn(|k| p[k] - step * g[k]);
    }
    // Fewer digits make a smaller file.
    p.map(|c| (1e4 * c).round() / 1e4)
}

/// The two triangles across an edge of the grid that the surface crosses.
fn quad(
    cell: [usize; 3],
    axis: usize,
    numbers: &BTreeMap<[usize; 3], u32>,
    corner: &impl Fn([usize; 3]) -> Point,
) -> Vec<[u32; 3]> {
    let (u, v) = ((axis + 1) % 3, (axis + 2) % 3);
    if cell[u] == 0 || cell[v] == 0 {
        return Vec::new();
    }
    let mut end = cell;
    end[axis] += 1;
    let [first, second] = [cell, end].map(|i| distance(corner(i)) < 0.0);
    if first == second {
        return Vec::new();
    }
    let around = [[1, 1], [0, 1], [0, 0], [1, 0]].map(|[a, b]| {
        let mut other = cell;
        other[u] -= a;
        other[v] -= b;
        numbers[&other]
    });
    let [a, b, c, d] = around;
    if first { vec![[a, b, c], [a, c, d]] } else { vec![[a, c, b], [a, d, c]] }
}

/// The mannequin as an OBJ file.
pub fn mannequin_obj() -> String {
    let (vertices, faces) = mannequin();
    let vertices = vertices.iter().map(|[x, y, z]| format!("v {x} {y} {z}\n"));
    let faces = faces.iter().map(|face| {
        let [a, b, c] = face.map(|v| v + 1);
        format!("f {a} {b} {c}\n")
    });
    let first = "# A mannequin: cargo run --example garments\n".to_owned();
    std::iter::once(first).chain(vertices).chain(faces).collect()
}
