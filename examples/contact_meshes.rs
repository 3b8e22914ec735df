//! Writes the meshes that the scenes in `scenes/contact` use into `meshes/`: a tube, a funnel, a knotted ribbon, a skirt,
//! a thin plate.
//!
//! `cargo run --example contact_meshes`

use glam::{DVec2, DVec3};
use std::f64::consts::TAU;
use std::fmt::Write;
use std::path::Path;

/// Vertices, material coordinates if there are any, and quads of a grid.
struct Patch {
    points: Vec<DVec3>,
    material: Vec<DVec2>,
    quads: Vec<[usize; 4]>,
}

/// A grid of `columns × rows` cells; around the first direction it closes if `is_closed`. `at` places the point at
/// `[0, 1]²`.
fn grid([columns, rows]: [usize; 2], is_closed: bool, at: impl Fn(f64, f64) -> DVec3) -> Patch {
    let wide = if is_closed { columns } else { columns + 1 };
    let share = |i: usize, n: usize| i as f64 / n as f64;
    let points = (0..=rows).flat_map(|j| (0..wide).map(move |i| (i, j)));
    let quad = |i: usize, j: usize| {
        let next = (i + 1) % wide;
        [j * wide + i, j * wide + next, (j + 1) * wide + next, (j + 1) * wide + i]
    };
    Patch {
        points: points.map(|(i, j)| at(share(i, columns), share(j, rows))).collect(),
        material: Vec::new(),
        quads: (0..rows).flat_map(|j| (0..columns).map(move |i| (i, j))).map(|(i, j)| quad(i, j)).collect(),
    }
}

/// A ring around the y axis.
fn ring(radius: f64, turn: f64, y: f64) -> DVec3 {
    DVec3::new(radius * (TAU * turn).cos(), y, -radius * (TAU * turn).sin())
}

/// A tube of 20 cm across and 40 cm long around the y axis.
fn tube() -> Patch {
    grid([40, 26], true, |u, v| ring(0.1, u, 0.4 * v - 0.2))
}

/// A funnel around the y axis: a cone from 60 cm down to 9 cm across, and a short spout.
fn funnel() -> Patch {
    grid([48, 14], true, |u, v| {
        let down = (1.0 - v) / 0.75;
        if v < 0.25 { ring(0.045, u, 0.4 * v - 0.1) } else { ring(0.3 - 0.255 * down, u, 0.3 - 0.3 * down) }
    })
}

/// A flared skirt: 13 cm from the axis at the waist, 35 cm at the hem, with a slight wave so that it knows where to fold.
fn skirt() -> Patch {
    grid([72, 22], true, |u, v| {
        let down = 1.0 - v;
        let wave = 0.012 * down * (8.0 * TAU * u).cos();
        ring(0.135 + 0.2 * down, u, 1.0 - 0.42 * down + wave)
    })
}

/// A ribbon of 2 cm that is laid into a loose overhand knot. Its line is the polynomial trefoil `(t³ − 3t, t⁴ − 4t², t⁵/10 −
/// t)` of A. R. Shastri (Polynomial representations of knots, 1992), with the last coordinate scaled.
fn knot() -> Patch {
    let curve = |t: f64| {
        DVec3::new(t.powi(3) - 3.0 * t, t.powi(4) - 4.0 * t * t, 0.3 * (t.powi(5) - 10.0 * t)) * 0.06
    };
    let (rows, half) = (220, 2.15);
    // Points at equal distances along the curve.
    let fine: Vec<DVec3> = (0..=20_000).map(|i| curve(half * (f64::from(i) / 10_000.0 - 1.0))).collect();
    let mut lengths = vec![0.0];
    fine.windows(2).for_each(|w| lengths.push(lengths[lengths.len() - 1] + w[0].distance(w[1])));
    let length = lengths[lengths.len() - 1];
    let place = |s: f64| fine[lengths.partition_point(|l| *l < s * length).min(fine.len() - 1)];
    let step = 1.0 / f64::from(rows);
    let tangent = |s: f64| (place((s + step).min(1.0)) - place((s - step).max(0.0))).normalize();
    // The direction across is carried along without twist.
    let mut across = vec![tangent(0.0).cross(DVec3::Y).normalize()];
    for j in 1..=rows {
        let along = tangent(f64::from(j) * step);
        let last = across[across.len() - 1];
        across.push(last.reject_from(along).normalize());
    }
    let width = 0.02;
    let mut patch = grid([4, rows as usize], false, |u, v| {
        place(v) + across[(v * f64::from(rows)).round() as usize] * (width * (u - 0.5))
    });
    let at = |i: usize| DVec2::new((i % 5) as f64 * width / 4.0, (i / 5) as f64 * step * length);
    patch.material = (0..patch.points.len()).map(at).collect();
    patch
}

/// A closed plate of 60 cm by 60 cm by 1 mm around the origin, across z.
fn plate() -> Patch {
    let cells = 4;
    let side = |z: f64| grid([cells; 2], false, move |u, v| DVec3::new(0.6 * u - 0.3, 0.6 * v - 0.3, z));
    let (mut patch, back) = (side(0.0005), side(-0.0005));
    let first = patch.points.len();
    patch.points.extend(back.points);
    patch.quads.extend(back.quads.into_iter().map(|[a, b, c, d]| [d, c, b, a].map(|v| first + v)));
    // Around the rim, counter-clockwise as seen from +z.
    let at = |i: usize, j: usize| j * (cells + 1) + i;
    let rim = (0..cells).map(|k| (at(k, 0), at(k + 1, 0)));
    let rim = rim.chain((0..cells).map(|k| (at(cells, k), at(cells, k + 1))));
    let rim = rim.chain((0..cells).map(|k| (at(cells - k, cells), at(cells - k - 1, cells))));
    let rim = rim.chain((0..cells).map(|k| (at(0, cells - k), at(0, cells - k - 1))));
    patch.quads.extend(rim.map(|(a, b)| [first + a, first + b, b, a]));
    patch
}

fn to_obj(patch: &Patch, title: &str) -> String {
    let mut text = format!("# {title}; made by examples/contact_meshes.rs\n");
    let mut line =
        |arguments: std::fmt::Arguments<'_>| writeln!(text, "{arguments}").expect("strings take all");
    patch.points.iter().for_each(|x| line(format_args!("v {:.6} {:.6} {:.6}", x.x, x.y, x.z)));
    patch.material.iter().for_each(|u| line(format_args!("vt {:.6} {:.6}", u.x, u.y)));
    for (number, quad) in patch.quads.iter().enumerate() {
        let [a, b, c, d] = quad.map(|i| i + 1);
        // The diagonals alternate.
        let halves = if number % 2 == 0 { [[a, b, c], [a, c, d]] } else { [[a, b, d], [b, c, d]] };
        for [a, b, c] in halves {
            if patch.material.is_empty() {
                line(format_args!("f {a} {b} {c}"));
            } else {
                line(format_args!("f {a}/{a} {b}/{b} {c}/{c}"));
            }
        }
    }
    text
}

fn main() -> std::io::Result<()> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../meshes");
    let meshes = [
        ("tube.obj", tube(), "A tube"),
        ("funnel.obj", funnel(), "A funnel"),
        ("skirt.obj", skirt(), "A flared skirt"),
        ("knot.obj", knot(), "A ribbon in a loose overhand knot"),
        ("plate.obj", plate(), "A thin plate"),
    ];
    for (name, patch, title) in meshes {
        std::fs::write(folder.join(name), to_obj(&patch, title))?;
        println!("meshes/{name}: {} vertices", patch.points.len());
    }
    Ok(())
}
