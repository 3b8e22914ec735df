//! Writes the mesh that `scenes/pillow.toml` uses into `meshes/`: two square panels, sewn together all around, both with the
//! same material coordinates.
//!
//! `cargo run --example panel_meshes`

use std::f64::consts::PI;
use std::fmt::Write;
use std::path::Path;

/// Side of the panels [m].
const SIDE: f64 = 0.5;
/// Squares along a side.
const CELLS: usize = 10;
/// How far the middles of the panels are apart from the plane between them [m]: they must not touch.
const BULGE: f64 = 0.006;

/// Vertices of the front panel row by row, then those of the back panel that are not on its border.
struct Numbers {
    back: Vec<Vec<usize>>,
    count: usize,
}

fn number() -> Numbers {
    let wide = CELLS + 1;
    let mut count = wide * wide;
    let mut at = |i: usize, j: usize| {
        if i == 0 || j == 0 || i == CELLS || j == CELLS {
            return j * wide + i;
        }
        count += 1;
        count - 1
    };
    let back = (0..wide).map(|j| (0..wide).map(|i| at(i, j)).collect()).collect();
    Numbers { back, count }
}

fn main() -> std::io::Result<()> {
    let wide = CELLS + 1;
    let Numbers { back, count } = number();
    let share = |i: usize| i as f64 / CELLS as f64;
    let bulge = |i: usize, j: usize| BULGE * (PI * share(i)).sin() * (PI * share(j)).sin();
    let mut points = vec![[0.0; 3]; count];
    for (i, j) in (0..wide).flat_map(|j| (0..wide).map(move |i| (i, j))) {
        let [x, y] = [i, j].map(|k| SIDE * (share(k) - 0.5));
        points[back[j][i]] = [x, y, -bulge(i, j)];
        points[j * wide + i] = [x, y, bulge(i, j)];
    }
    let mut text = String::from("# Two panels of a pillow; made by examples/panel_meshes.rs\n");
    let mut line =
        |arguments: std::fmt::Arguments<'_>| writeln!(text, "{arguments}").expect("strings take all");
    points.iter().for_each(|x| line(format_args!("v {:.6} {:.6} {:.6}", x[0], x[1], x[2])));
    // The back is seen from behind: its u runs the other way.
    for reversed in [false, true] {
        for (i, j) in (0..wide).flat_map(|j| (0..wide).map(move |i| (i, j))) {
            let u = if reversed { share(CELLS - i) } else { share(i) };
            line(format_args!("vt {:.6} {:.6}", SIDE * u, SIDE * share(j)));
        }
    }
    let coord = |panel: usize, i: usize, j: usize| panel * wide * wide + j * wide + i + 1;
    for panel in [0, 1] {
        line(format_args!("g {}", ["front", "back"][panel]));
        for (i, j) in (0..CELLS).flat_map(|j| (0..CELLS).map(move |i| (i, j))) {
            let corner = |[di, dj]: [usize; 2]| {
                let (i, j) = (i + di, j + dj);
                let vertex = if panel == 0 { j * wide + i } else { back[j][i] };
                format!("{}/{}", vertex + 1, coord(panel, i, j))
            };
            let mut corners = [[0, 0], [1, 0], [1, 1], [0, 1]].map(corner);
            if panel == 1 {
                corners.reverse();
            }
            let [a, b, c, d] = corners;
            let halves =
                if (i + j) % 2 == 0 { [[&a, &b, &c], [&a, &c, &d]] } else { [[&a, &b, &d], [&b, &c, &d]] };
            halves.iter().for_each(|[a, b, c]| line(format_args!("f {a} {b} {c}")));
        }
    }
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../meshes/pillow.obj");
    std::fs::write(path, text)?;
    println!("meshes/pillow.obj: {count} vertices");
    Ok(())
}
