//! Many passes over a sheet in motion, as a simulation makes them.

use crate::common::{Sheet, flat, grid, settings, tier};
use glam::{DMat3, DVec2, DVec3};
use taffeta_core::Region;
use taffeta_core::geometry::triangle_quality;
use taffeta_remesh::{Hold, lumped_mass};

/// A bump that runs through the sheet on a circle.
fn running_bump(time: f64) -> impl Fn(DVec2) -> DVec3 {
    let center = DVec2::splat(0.5) + 0.3 * DVec2::from_angle(2.0 * time);
    move |u| u.extend(0.08 * (-(u - center).length_squared() / 0.006).exp())
}

#[test]
fn a_running_bump_is_followed_by_a_mesh_of_steady_size() {
    let mut sheet = Sheet::new(grid([1.0; 2], [8; 2], 0.1), running_bump(0.0));
    sheet.for_each_vertex(|u, vertex| vertex.hold = (u.y > 0.99).then(|| Hold::new(0, vertex.start)));
    let pins = [Region::MaterialBox([DVec2::new(0.0, 0.99), DVec2::ONE])];
    let limits = settings(0.01, 0.2);
    let (mut smallest, mut largest) = (usize::MAX, 0);
    for frame in 0..tier(90, 180) {
        let time = f64::from(frame) / 60.0;
        sheet.put_on(running_bump(time));
        sheet.pass_with(&limits, &pins, 1.0 / 60.0);
        if frame > 60 {
            smallest = smallest.min(sheet.mesh.vertex_count());
            largest = largest.max(sheet.mesh.vertex_count());
        }
        assert!((sheet.area() - 1.0).abs() < 1e-12);
        let faces = sheet.mesh.face_keys();
        let worst = faces.map(|f| triangle_quality(sheet.attributes.face_material(&sheet.mesh, f)));
        assert!(worst.fold(1.0, f64::min) > 0.2);
    }
    assert!(largest < 2 * smallest && largest < 6000, "between {smallest} and {largest} vertices");
    sheet.for_each_vertex(|u, vertex| assert_eq!(vertex.hold.is_some(), u.y == 1.0));
}

#[test]
fn the_size_of_a_detail_alone_sets_how_many_vertices_it_gets() {
    let counts = [6, 12, 24].map(|cells| {
        let mut sheet = Sheet::new(grid([1.0; 2], [cells; 2], 0.1), running_bump(0.0));
        for _ in 0..12 {
            sheet.pass(&settings(0.005, 0.15));
            sheet.put_on(running_bump(0.0));
        }
        sheet.mesh.vertex_count() as f64
    });
    let mean = counts.iter().sum::<f64>() / 3.0;
    assert!(counts.iter().all(|count| (count / mean - 1.0).abs() < 0.15), "{counts:?}");
}

#[test]
fn passes_do_not_depend_on_where_the_sheet_is() {
    let shape = |u: DVec2| u.extend(0.05 * (9.0 * u.x).sin());
    let far = |u: DVec2| {
        let DVec3 { x, y, z } = shape(u);
        // A turn about the y axis by a Pythagorean angle, and a shift, both without round-off to speak of.
        DVec3::new(0.6 * x + 0.8 * z, y, 0.6 * z - 0.8 * x) + DVec3::new(4.0, -2.0, 8.0)
    };
    let mut here = Sheet::new(grid([1.0; 2], [12; 2], 0.1), shape);
    let mut there = Sheet::new(grid([1.0; 2], [12; 2], 0.1), far);
    let limits = settings(0.01, 0.2);
    let counts = [here.pass(&limits), there.pass(&limits)].map(|report| [report.splits, report.collapses]);
    let difference = counts[0][0].abs_diff(counts[1][0]);
    assert!(difference <= counts[0][0] / 100, "{counts:?}");
}

/// The kinetic energy of the motion of a sheet that is not rigid, at an areal density of 1 kg/m².
fn non_rigid_energy(sheet: &Sheet) -> f64 {
    let motion = sheet.motion();
    let (mut mass, mut inertia) = (0.0, DMat3::ZERO);
    for v in sheet.mesh.vertex_keys() {
        let m = lumped_mass(&sheet.mesh, &sheet.attributes, v, 1.0);
        let r = sheet.attributes.vertices[v].position - motion.center;
        let outer = DMat3::from_cols(r * r.x, r * r.y, r * r.z);
        mass += m;
        inertia += m * (DMat3::from_diagonal(DVec3::splat(r.length_squared())) - outer);
    }
    let turning = 0.5 * motion.spin.dot(inertia.inverse() * motion.spin);
    motion.kinetic - 0.5 * motion.linear.length_squared() / mass - turning
}

/// A sheet that turns, and moves in waves.
fn rippling_sheet() -> Sheet {
    let mut sheet = Sheet::new(grid([0.6, 0.4], [12, 8], 0.2), flat);
    sheet.for_each_vertex(|u, vertex| {
        let turn = DVec3::new(1.0, 2.0, 3.0).cross(vertex.position);
        vertex.velocity = DVec3::new(0.3, -0.2, 0.1) + turn + 0.3 * ripple(u);
    });
    sheet
}

fn ripple(u: DVec2) -> DVec3 {
    DVec3::new((9.0 * u.y).sin(), (7.0 * u.x).cos(), (13.0 * u.x * u.y).sin())
}

/// Back and forth between sizes, so that every pass has something to do.
fn force_pass(sheet: &mut Sheet, pass: usize) -> usize {
    sheet.pass(&settings(0.02, [0.03, 0.12, 0.05, 0.2][pass % 4])).edit_count()
}

#[test]
fn forced_passes_keep_momentum() {
    let mut sheet = rippling_sheet();
    let start = sheet.motion();
    let (mut edits, mut growth, mut last) = (0, 0.0_f64, non_rigid_energy(&sheet));
    // A thousand in the second tier.
    let passes = tier(100, 1000);
    for pass in 0..passes {
        edits += force_pass(&mut sheet, pass);
        let now = non_rigid_energy(&sheet);
        growth = growth.max((now - last) / start.kinetic);
        last = now;
    }
    let now = sheet.motion();
    assert!(edits > 400 * passes as usize, "{edits} edits");
    assert!(now.linear.distance(start.linear) <= 1e-12 * start.linear.length());
    assert!(now.spin.distance(start.spin) <= 1e-10 * start.spin.length());
    assert!((sheet.area() - 0.24).abs() < 1e-12);
    // Lumped masses have more inertia the coarser the mesh: what turns with the same spin has another energy then. And rings
    // that turn rigidly do not do so together: 0.4 % of the energy at most, where six vertices became 300.
    assert!(growth < 0.005, "{growth}");
    assert!(now.kinetic < start.kinetic);
}

#[test]
fn forced_passes_do_not_raise_the_kinetic_energy_of_what_moves_in_waves() {
    let mut sheet = rippling_sheet();
    let mut checked = 0;
    for pass in 0..100 {
        if pass % 4 == 0 {
            // Waves pay for what rigid turning gains when masses are lumped anew, and are soon used up.
            sheet.for_each_vertex(|u, vertex| vertex.velocity += 0.3 * ripple(u));
        }
        let before = sheet.motion().kinetic;
        force_pass(&mut sheet, pass);
        let is_rigid = non_rigid_energy(&sheet) < 1e-12 * before;
        assert!(is_rigid || sheet.motion().kinetic <= before * (1.0 + 1e-13), "pass {pass}");
        checked += usize::from(!is_rigid);
    }
    assert!(checked > 80, "{checked} passes");
}

#[test]
fn no_pass_raises_the_kinetic_energy_of_any_piece() {
    // Two pieces of one cloth: what one of them loses must not go to the other.
    let (mut coords, mut faces) = grid([0.4, 0.3], [8, 6], 0.2);
    let count = coords.len() as u32;
    coords.extend(coords.clone().into_iter().map(|u| u + DVec2::new(1.0, 0.0)));
    faces.extend(faces.clone().into_iter().map(|face| face.map(|v| v + count)));
    let mut sheet = Sheet::new((coords, faces), flat);
    sheet.for_each_vertex(|u, vertex| {
        let ripple = DVec3::new((9.0 * u.y).sin(), (17.0 * u.x).cos(), (13.0 * u.x * u.y).sin());
        vertex.velocity = if u.x < 0.7 { DVec3::Y + ripple } else { 0.1 * ripple };
    });
    let energies = |sheet: &Sheet| {
        let mut energies = [0.0; 2];
        for v in sheet.mesh.vertex_keys() {
            let vertex = &sheet.attributes.vertices[v];
            let m = lumped_mass(&sheet.mesh, &sheet.attributes, v, 1.0);
            energies[usize::from(vertex.position.x > 0.7)] += 0.5 * m * vertex.velocity.length_squared();
        }
        energies
    };
    let mut last = energies(&sheet);
    for pass in 0..8 {
        let report = sheet.pass(&settings(0.02, [0.03, 0.06][pass % 2]));
        assert!(report.edit_count() > 50, "{}", report.edit_count());
        let now = energies(&sheet);
        assert!((0..2).all(|piece| now[piece] <= last[piece] * (1.0 + 1e-13)), "{now:?} {last:?}");
        last = now;
    }
}
