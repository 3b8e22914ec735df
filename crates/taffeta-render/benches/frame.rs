//! The cost of a picture of 1280 × 720 pixels: a sheet with folds over a ball, on a floor.

use criterion::{Criterion, criterion_group, criterion_main};
use glam::DVec3;
use std::hint::black_box;
use std::time::Duration;
use taffeta_contact::{Obstacle, Shape};
use taffeta_core::{Placement, TriangleMesh};
use taffeta_render::{Body, BodyKind, Coloring, Palette, Picture, Scale, Spacing, obstacle_body, render};

/// A sheet of `2 · cells²` faces that lies on a ball of 0.3 m and falls in folds around it.
fn sheet(cells: u32) -> TriangleMesh {
    let mut mesh = TriangleMesh::default();
    for (i, j) in (0..=cells).flat_map(|j| (0..=cells).map(move |i| (i, j))) {
        let [x, z] = [i, j].map(|k| 1.6 * (f64::from(k) / f64::from(cells) - 0.5));
        let radius = x.hypot(z);
        let fall = (radius - 0.3).max(0.0);
        let fold = 0.06 * (8.0 * z.atan2(x)).sin() * fall;
        mesh.positions.push(DVec3::new(
            x * (1.0 + fold),
            0.31 - 0.8 * fall - 0.5 * radius * radius,
            z * (1.0 + fold),
        ));
    }
    let at = |i: u32, j: u32| j * (cells + 1) + i;
    for (i, j) in (0..cells).flat_map(|j| (0..cells).map(move |i| (i, j))) {
        mesh.faces
            .extend([[at(i, j), at(i + 1, j + 1), at(i + 1, j)], [at(i, j), at(i, j + 1), at(i + 1, j + 1)]]);
    }
    mesh
}

fn pictures(criterion: &mut Criterion) {
    let bounds = [DVec3::splat(-0.8), DVec3::splat(0.8)];
    let ball = Obstacle::new(Shape::Sphere { radius: 0.3 }, Placement::default());
    let floor = Obstacle::new(Shape::Plane { normal: DVec3::Y }, Placement::at(DVec3::Y * -1.0));
    let mut group = criterion.benchmark_group("1280 x 720");
    group.sample_size(10).measurement_time(Duration::from_secs(8));
    for cells in [50, 122] {
        let mesh = sheet(cells);
        let faces = mesh.faces.len();
        let values = mesh.positions.iter().map(|x| x.y).collect();
        let cloth = Body { values: Some(values), ..Body::new(mesh, BodyKind::Cloth { index: 0 }) };
        let bodies = [cloth, obstacle_body(&ball, 0.0, bounds), obstacle_body(&floor, 0.0, bounds)];
        let scale = Scale {
            title: "height [m]",
            low: -1.0,
            high: 0.4,
            spacing: Spacing::Linear,
            palette: Palette::Sequential,
        };
        let plain = Picture::default();
        let kinds = [
            ("plain", plain),
            ("wireframe", Picture { wireframe: true, ..plain }),
            ("colors", Picture { coloring: Coloring::Scale(scale), ..plain }),
        ];
        for (name, picture) in kinds {
            group.bench_function(format!("{name}, {faces} faces"), |bencher| {
                bencher.iter(|| render(black_box(&bodies), &picture));
            });
        }
    }
    group.finish();
}

criterion_group!(benches, pictures);
criterion_main!(benches);
