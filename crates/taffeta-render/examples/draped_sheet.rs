//! Draws a synthetic sheet, draped over a ball, at several mesh densities, and measures the time.
//!
//! `cargo run --release -p taffeta-render --example draped_sheet -- FOLDER`

use glam::{DVec2, DVec3};
use std::path::PathBuf;
use std::time::Instant;
use taffeta_contact::{Obstacle, Shape};
use taffeta_core::{Placement, TriangleMesh};
use taffeta_render::{Body, BodyKind, Picture, compute_framing_bounds, obstacle_body, render, write_png};

/// Radius of the ball [m].
const RADIUS: f64 = 0.22;

/// The place of a material point, from −½ to ½ [m]: over the ball, then hanging in folds.
fn drape(u: DVec2) -> DVec3 {
    let radius = RADIUS + 0.004;
    let (angle, distance) = (u.y.atan2(u.x), u.length());
    let polar = (distance / radius).min(1.35);
    let below = (distance - 1.35 * radius).max(0.0);
    let depth = below * below / (below + 0.06);
    let fold = 0.30 * depth * (1.0 + (8.0 * angle).cos()) + 0.09 * depth * (1.0 + (17.0 * angle + 1.0).sin());
    let ring = radius * polar.sin() + 0.22 * below + fold;
    DVec3::new(ring * angle.cos(), radius * polar.cos() - 0.94 * below, -ring * angle.sin())
}

/// A hanging sheet, from −½ to ½ [m], that shows both sides.
fn hang(u: DVec2, index: usize) -> DVec3 {
    let swing = 0.5 - u.y;
    let phase = 11.0 * u.x + 1.3 * index as f64;
    let depth = 0.10 * phase.sin() * (0.4 + swing) + 0.35 * swing * swing * (u.x + 0.2);
    let x = 0.85 * u.x + 0.05 * phase.cos() * swing;
    let curl = 0.6 * (swing - 0.6).max(0.0) * (4.0 * u.x).sin();
    DVec3::new(x + 1.05 * index as f64, u.y + curl * 0.3, depth + curl)
}

/// A sheet with `cells` squares along each side.
fn sheet(cells: u32, place: impl Fn(DVec2) -> DVec3) -> TriangleMesh {
    let row = cells + 1;
    let mut mesh = TriangleMesh::default();
    for j in 0..row {
        for i in 0..row {
            let u = DVec2::new(f64::from(i), f64::from(j)) / f64::from(cells) - 0.5;
            mesh.positions.push(place(u));
        }
    }
    for j in 0..cells {
        for i in 0..cells {
            let a = j * row + i;
            let (b, c, d) = (a + 1, a + row + 1, a + row);
            let split = if (i + j) % 2 == 0 { [[a, b, c], [a, c, d]] } else { [[a, b, d], [b, c, d]] };
            mesh.faces.extend(split);
        }
    }
    mesh
}

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let folder = PathBuf::from(std::env::args().nth(1).ok_or("usage: draped_sheet FOLDER")?);
    std::fs::create_dir_all(&folder)?;
    for (cells, wireframe) in [(122, false), (122, true), (56, false), (56, true), (24, true), (24, false)] {
        let mut bodies = vec![Body::new(sheet(cells, drape), BodyKind::Cloth { index: 0 })];
        let bounds = compute_framing_bounds(&bodies).ok_or("no sheet")?;
        let floor = Obstacle::new(Shape::Plane { normal: DVec3::Y }, Placement::at(DVec3::Y * -0.5));
        bodies.push(obstacle_body(
            &Obstacle::new(Shape::Sphere { radius: RADIUS }, Placement::default()),
            0.0,
            bounds,
        ));
        bodies.push(obstacle_body(&floor, 0.0, bounds));
        let start = Instant::now();
        let image = render(&bodies, &Picture { wireframe, ..Picture::default() })?;
        let name = format!("sheet_{cells}{}.png", if wireframe { "_wire" } else { "" });
        eprintln!("{name}: {} faces, {:.3} s", bodies[0].mesh.faces.len(), start.elapsed().as_secs_f64());
        write_png(&image, &folder.join(name))?;
    }
    let hanging = (0..3).map(|index| {
        let cells = [20, 40, 80][index];
        Body::new(sheet(cells, |u| hang(u, index)), BodyKind::Cloth { index })
    });
    let mut bodies = hanging.collect::<Vec<_>>();
    let bounds = compute_framing_bounds(&bodies).ok_or("no sheet")?;
    let ball = Obstacle::new(Shape::Sphere { radius: 0.3 }, Placement::at(DVec3::new(1.6, -0.4, 0.45)));
    let floor = Obstacle::new(Shape::Plane { normal: DVec3::Y }, Placement::at(DVec3::Y * -0.7));
    bodies.push(obstacle_body(&ball, 0.0, bounds));
    bodies.push(obstacle_body(&floor, 0.0, bounds));
    let image = render(&bodies, &Picture { wireframe: true, ..Picture::default() })?;
    write_png(&image, &folder.join("hanging.png"))?;
    Ok(())
}
