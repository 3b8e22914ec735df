//! Writes the mesh that `scenes/panelled_skirt.toml` uses into `meshes/`: two sectors of an annulus with the same material
//! coordinates, sewn together along their straight sides, on the cone that they fit on without strain.
//!
//! `cargo run --example panel_meshes`

use std::f64::consts::{PI, TAU};
use std::fmt::Write;
use std::path::Path;

/// Distance of waist and hem from the apex [m].
const SLANTS: [f64; 2] = [0.22, 0.62];
/// Angle of each panel in its pattern [rad].
const OPENING: f64 = 2.0 * PI / 3.0;
/// Cells of a panel around and down.
const CELLS: [usize; 2] = [16, 6];

/// Distance from the apex at a row [m].
fn slant(row: usize) -> f64 {
    SLANTS[0] + (SLANTS[1] - SLANTS[0]) * row as f64 / CELLS[1] as f64
}

fn main() -> std::io::Result<()> {
    let ([columns, rows], around) = (CELLS, 2 * CELLS[0]);
    // The sine of the angle between the cone and its axis: so much of a full circle are the two panels.
    let sine = 2.0 * OPENING / TAU;
    let cosine = (1.0 - sine * sine).sqrt();
    let mut text = String::from("# A skirt of two panels; made by examples/panel_meshes.rs\n");
    let mut line =
        |arguments: std::fmt::Arguments<'_>| writeln!(text, "{arguments}").expect("strings take all");
    for (row, i) in (0..=rows).flat_map(|row| (0..around).map(move |i| (row, i))) {
        let (turn, s) = (TAU * i as f64 / around as f64, slant(row));
        let [x, y, z] = [s * sine * turn.cos(), 1.0 - (s - SLANTS[0]) * cosine, -s * sine * turn.sin()];
        line(format_args!("v {x:.6} {y:.6} {z:.6}"));
    }
    for (row, i) in (0..=rows).flat_map(|row| (0..=columns).map(move |i| (row, i))) {
        let (angle, s) = (OPENING * (i as f64 / columns as f64 - 0.5), slant(row));
        line(format_args!("vt {:.6} {:.6}", s * angle.sin(), -s * angle.cos()));
    }
    for panel in [0, 1] {
        line(format_args!("g {}", ["front", "back"][panel]));
        for (row, i) in (0..rows).flat_map(|row| (0..columns).map(move |i| (row, i))) {
            let corner = |[down, right]: [usize; 2]| {
                let (row, i) = (row + down, i + right);
                let vertex = row * around + (panel * columns + i) % around;
                format!("{}/{}", vertex + 1, row * (columns + 1) + i + 1)
            };
            let [a, b, c, d] = [[1, 0], [1, 1], [0, 1], [0, 0]].map(corner);
            let halves =
                if (row + i) % 2 == 0 { [[&a, &b, &c], [&a, &c, &d]] } else { [[&a, &b, &d], [&b, &c, &d]] };
            halves.iter().for_each(|[a, b, c]| line(format_args!("f {a} {b} {c}")));
        }
    }
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../meshes/panelled_skirt.obj");
    std::fs::write(path, text)?;
    println!("meshes/panelled_skirt.obj: {} vertices", around * (rows + 1));
    Ok(())
}
