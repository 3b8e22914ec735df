//! Writes meshes of panels into `meshes/`.
//!
//! That of `scenes/panelled_skirt.toml`: two sectors of an annulus with the same material coordinates, sewn together along
//! their straight sides, on the cone that they fit on without strain. That of `scenes/sewn_tunic.toml`: front and back of a
//! tunic, flat, with different numbers of cells, in front of and behind whom they are sewn on.
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

/// Cells of the front and of the back of the tunic across and up. The shoulders are a quarter of the width on either side, and
/// the sides are sewn up to two thirds.
const TUNIC_CELLS: [[usize; 2]; 2] = [[12, 15], [8, 12]];
/// Width of the tunic at the hem and at the shoulders, and its height [m].
const TUNIC_WIDTHS: [f64; 2] = [0.62, 0.46];
const TUNIC_HEIGHT: f64 = 0.78;
/// Height of the hem above the ground, and distance of the panels from the middle [m].
const TUNIC_PLACE: [f64; 2] = [0.68, 0.17];

fn main() -> std::io::Result<()> {
    for (name, text) in [("panelled_skirt", skirt()), ("tunic_panels", tunic())] {
        let path = Path::new(env!("CARGO_MANIFEST_DIR")).join(format!("../../meshes/{name}.obj"));
        let count = text.lines().filter(|line| line.starts_with("v ")).count();
        std::fs::write(path, text)?;
        println!("meshes/{name}.obj: {count} vertices");
    }
    Ok(())
}

/// Two panels, each a trapezoid; their vertices row by row from the hem, along u.
fn tunic() -> String {
    let mut text = String::from("# Front and back of a tunic; made by examples/panel_meshes.rs\n");
    let mut line =
        |arguments: std::fmt::Arguments<'_>| writeln!(text, "{arguments}").expect("strings take all");
    let mut first = 1;
    for ([columns, rows], side) in TUNIC_CELLS.into_iter().zip([1.0, -1.0]) {
        for (row, i) in (0..=rows).flat_map(|row| (0..=columns).map(move |i| (row, i))) {
            let up = row as f64 / rows as f64;
            let width = TUNIC_WIDTHS[0] + (TUNIC_WIDTHS[1] - TUNIC_WIDTHS[0]) * up;
            let (u, v) = (width * (i as f64 / columns as f64 - 0.5), TUNIC_HEIGHT * up);
            // Seen from outside both panels have u to the right.
            line(format_args!("v {:.6} {:.6} {:.6}", side * u, TUNIC_PLACE[0] + v, side * TUNIC_PLACE[1]));
            line(format_args!("vt {u:.6} {v:.6}"));
        }
        line(format_args!("g {}", if side > 0.0 { "front" } else { "back" }));
        for (row, i) in (0..rows).flat_map(|row| (0..columns).map(move |i| (row, i))) {
            let corner = |[up, right]: [usize; 2]| first + (row + up) * (columns + 1) + i + right;
            let [a, b, c, d] = [[0, 0], [0, 1], [1, 1], [1, 0]].map(corner);
            let halves = if (row + i) % 2 == 0 { [[a, b, c], [a, c, d]] } else { [[a, b, d], [b, c, d]] };
            halves.iter().for_each(|[a, b, c]| line(format_args!("f {a}/{a} {b}/{b} {c}/{c}")));
        }
        first += (rows + 1) * (columns + 1);
    }
    text
}

fn skirt() -> String {
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
    text
}
