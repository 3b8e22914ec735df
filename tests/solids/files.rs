//! Solids whose tetrahedra come from a file.

use super::*;
use std::fmt::Write;
use std::path::Path;
use taffeta::io::read_msh;
use taffeta::scene::Scene;

/// Tetrahedra as a Gmsh file, whose numbers are those of a line from 1.
fn msh(positions: &[DVec3], tetrahedra: &[[u32; 4]]) -> String {
    let mut text = format!("$MeshFormat\n2.2 0 8\n$EndMeshFormat\n$Nodes\n{}\n", positions.len());
    for (number, x) in (1..).zip(positions) {
        writeln!(text, "{number} {:?} {:?} {:?}", x.x, x.y, x.z).unwrap();
    }
    write!(text, "$EndNodes\n$Elements\n{}\n", tetrahedra.len()).unwrap();
    for (number, corners) in (1..).zip(tetrahedra) {
        let [a, b, c, d] = corners.map(|v| v + 1);
        writeln!(text, "{number} 4 2 0 1 {a} {b} {c} {d}").unwrap();
    }
    text + "$EndElements\n"
}

const SCENE: &str = r#"
[simulation]
duration = 1.0
solver = "SOLVER"
substeps = 5
[[solid]]
name = "beam"
box = { size = [0.4, 0.1, 0.1], cells = [8, 2, 2] }
material = { density = 1000.0, young = 1e5, poisson = 0.3 }
volume_stiffness = 1e4
place = { translate = [0.0, 0.1, 0.0], rotate_deg = [0, 30, 0], scale = 1.5 }
[[solid.pin]]
where = { box = [[-0.2, 0.0, -1.0], [0.05, 1.0, 1.0]] }
[[obstacle]]
shape = { sphere = { radius = 0.1 } }
place = { translate = [0.6, 0.0, -0.2] }
[[probe]]
name = "tip"
solid = "beam"
point = [0.4, 0.05, 0.05]
"#;

#[test]
fn a_box_from_a_file_has_the_bits_of_the_box() {
    let (positions, tetrahedra) = solid_box(DVec3::new(0.4, 0.1, 0.1), [8, 2, 2]);
    let folder = tempfile::tempdir().unwrap();
    std::fs::write(folder.path().join("beam.msh"), msh(&positions, &tetrahedra)).unwrap();
    let shape = SCENE.lines().find(|line| line.starts_with("box")).unwrap();
    let of_file = SCENE.replace(shape, "mesh = \"beam.msh\"");
    for solver in ["block", "xpbd", "projective"] {
        let hash = |text: &str| {
            let text = text.replace("SOLVER", solver);
            let scene = Scene::from_str(&text, &folder.path().join("scene.toml"), &[]).unwrap();
            let mut world = World::build(&scene.build().unwrap()).unwrap();
            let steps = (0..8).map(|_| world.step(&StepInputs::default(), 1.0 / 60.0).unwrap());
            let last = steps.last().unwrap();
            assert!(last.contacts > 0, "it touches the ball");
            last.state_hash
        };
        assert_eq!(hash(SCENE), hash(&of_file), "{solver}");
    }
}

/// A bar whose vertices do not lie in rows: those within are moved by up to a fifth of a cell, those on a side along it.
fn write_uneven_bar(path: &Path, size: DVec3, cells: [u32; 3]) {
    let (mut positions, tetrahedra) = solid_box(size, cells);
    let cell = size / DVec3::from_array(cells.map(f64::from));
    let mut state = 1_u64;
    for x in &mut positions {
        for c in 0..3 {
            state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            let part = (state >> 33) as f64 / f64::from(1_u32 << 31) - 0.5;
            if x[c] > 0.0 && x[c] < size[c] {
                x[c] += 0.4 * part * cell[c];
            }
        }
    }
    std::fs::write(path, msh(&positions, &tetrahedra)).unwrap();
}

#[test]
fn an_uneven_bar_under_its_weight_is_longer_by_the_closed_form() {
    let (length, young) = (0.4, 2e5);
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("bar.msh");
    write_uneven_bar(&path, DVec3::new(length, 0.1, 0.1), [8, 2, 2]);
    let file = read_msh(&path).unwrap();
    let bar = SolidDescription::new("bar", file.positions, file.tetrahedra, damped(young, 0.0, 0.02));
    let mut settings = simulation(SolverChoice::Block, 60, DVec3::X * 9.81);
    (settings.iterations, settings.velocity_damping) = (Some(4), 4.0);
    let mut world = world(held_at_zero(bar, 0, [true; 3]), settings);
    run_frames(&mut world, 90);
    let (x, _) = world.solid_state(0);
    let rest = &world.solids()[0].rest;
    let moved = mean_of(&x, |i| rest[i].x == length).x - length;
    let expected = elongation(length, young, 1000.0 * 9.81);
    println!("{moved} m, closed form {expected} m");
    assert!((moved / expected - 1.0).abs() < 0.01, "{moved} against {expected}");
}

#[test]
fn tetrahedra_that_overlap_or_touch_along_an_edge_are_refused() {
    let (positions, mut tetrahedra) = solid_box(DVec3::splat(0.1), [1, 1, 1]);
    tetrahedra.push(tetrahedra[2]);
    let solid = SolidDescription::new("box", positions, tetrahedra, damped(1e5, 0.3, 0.0));
    let reason = solid.find_shape_defect().unwrap();
    assert!(reason.contains("tetrahedron 2 and tetrahedron 5 lie on the same side"), "{reason}");
    let positions = [DVec3::ZERO, DVec3::X, DVec3::Y, DVec3::Z, DVec3::NEG_Y, DVec3::NEG_Z];
    let tetrahedra = vec![[0, 1, 2, 3], [0, 1, 4, 5]];
    let pair = SolidDescription::new("pair", positions.to_vec(), tetrahedra, damped(1e5, 0.3, 0.0));
    let reason = pair.find_shape_defect().unwrap();
    assert!(reason.contains("along the edge between the vertices 0 and 1"), "{reason}");
}
