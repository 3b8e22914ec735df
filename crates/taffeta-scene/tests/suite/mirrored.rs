//! Panels that are mirrored in material space move as others do.

use glam::DVec3;
use std::fmt::Write;
use taffeta_scene::{BuiltScene, Scene};
use taffeta_sim::{StepInputs, World};

/// Vertices along a side of a panel, and its length \[m\].
const SIDE: u32 = 5;
const LENGTH: f64 = 0.3;

/// Two panels that face each other, the faces of both out, with material coordinates that are mirrored or not.
fn two_panels(mirrored: [bool; 2]) -> String {
    let mut text = String::new();
    let vertex = |k: u32| [k % SIDE, k / SIDE].map(|i| LENGTH * f64::from(i) / f64::from(SIDE - 1));
    for (panel, is_mirrored) in mirrored.into_iter().enumerate() {
        for [x, y] in (0..SIDE * SIDE).map(vertex) {
            let z = [0.01, -0.01][panel];
            // Seen from outside, x runs to the left on the second panel.
            let u = if (panel == 1) != is_mirrored { LENGTH - x } else { x };
            _ = writeln!(text, "v {x} {y} {z}\nvt {} {y}", u + panel as f64);
        }
    }
    for panel in 0..2 {
        let first = panel * SIDE * SIDE + 1;
        for k in (0..SIDE * (SIDE - 1)).filter(|k| k % SIDE != SIDE - 1) {
            let mut corners = [k, k + 1, k + SIDE + 1, k + SIDE].map(|k| format!("{0}/{0}", first + k));
            if panel == 1 {
                corners.reverse();
            }
            _ = writeln!(text, "f {}", corners.join(" "));
        }
    }
    text
}

fn build(mirrored: [bool; 2], more: &str) -> BuiltScene {
    let folder = tempfile::tempdir().unwrap();
    std::fs::write(folder.path().join("a.obj"), two_panels(mirrored)).unwrap();
    let text = format!(
        "[simulation]\nduration = 1.0\n[[cloth]]\nname = \"c\"\nmesh = \"a.obj\"\nmaterial = {{ density = 0.2, \
         stretch = [2000, 500], bend = [2e-4, 2e-5], shear = 100 }}\n{more}"
    );
    let scene = Scene::from_str(&text, &folder.path().join("a.toml"), &[]).unwrap();
    scene.assemble().unwrap_or_else(|error| panic!("{error}"))
}

/// Positions after some frames.
fn simulate(mirrored: [bool; 2], more: &str) -> Vec<DVec3> {
    let mut world = World::build(&build(mirrored, more).world).unwrap();
    for _ in 0..8 {
        world.step(&StepInputs::default(), 1.0 / 60.0).unwrap();
    }
    world.mesh(0).positions
}

#[track_caller]
fn expect_same_motion(more: &str) {
    let expected = simulate([false; 2], more);
    for mirrored in [[true, false], [false, true], [true; 2]] {
        let found = simulate(mirrored, more);
        assert_eq!(found.len(), expected.len());
        let nearest = |x: &DVec3| expected.iter().map(|y| x.distance(*y)).fold(f64::INFINITY, f64::min);
        let worst = found.iter().map(nearest).fold(0.0, f64::max);
        assert!(worst < 1e-4, "{mirrored:?}: {worst} m apart");
    }
}

#[test]
fn pressure_pushes_a_mirrored_panel_out() {
    expect_same_motion("pressure = 2.0\n");
    let lifted = simulate([false, true], "pressure = 2.0\n");
    let [low, high] = [-1.0, 1.0].map(|side| lifted.iter().map(|x| side * x.z).fold(0.0, f64::max));
    assert!(low > 0.05 && high > 0.05, "each panel moves out: {low} {high}");
}

#[test]
fn wind_pushes_a_mirrored_panel_as_any_other() {
    let pin = "[[cloth.pin]]\nwhere = { box = [[-1, 0.29, -1], [1, 1, 1]] }\n";
    expect_same_motion(&format!("{pin}[air]\nwind = [1.0, 0.0, 4.0]\n"));
}

#[test]
fn a_mirrored_panel_is_sewn_as_any_other() {
    let last = SIDE - 1;
    let (a, b) = ([0, last], [SIDE * SIDE, SIDE * SIDE + last]);
    expect_same_motion(&format!(
        "[[cloth.seam]]\na = {{ vertices = {a:?} }}\nb = {{ vertices = {b:?} }}\ntime = 0.05\n"
    ));
}

#[test]
fn pins_and_probes_of_a_mirrored_panel_are_where_the_file_says() {
    let more = "[[cloth.pin]]\nwhere = { material_box = [[1.0, 0.0], [1.08, 0.3]] }\n\
                [[probe]]\nname = \"p\"\ncloth = \"c\"\nmaterial = [1.075, 0.15]\n";
    let built = build([false, true], more);
    let held = &built.world.cloths[0].pins[0].region;
    // The first two columns of the second panel.
    let first = SIDE * SIDE;
    let expected: Vec<u32> = (first..2 * first).filter(|k| (k - first) % SIDE < 2).collect();
    let mesh = &built.world.cloths[0].mesh;
    let corners = mesh.faces.iter().zip(mesh.material.iter().flatten()).zip(mesh.panels());
    let corners = corners.flat_map(|((face, coords), panel)| [0, 1, 2].map(|k| (face[k], coords[k], panel)));
    let mut found: Vec<u32> =
        corners.filter(|(_, u, panel)| held.contains_corner(*panel, *u)).map(|(v, ..)| v).collect();
    found.sort_unstable();
    found.dedup();
    assert_eq!(found, expected, "{held:?}");
    let probe = &built.probes[0];
    let corners = mesh.faces[probe.face as usize].map(|v| mesh.positions[v as usize]);
    let place: DVec3 = corners.iter().zip(probe.weights).map(|(x, w)| *x * w).sum();
    assert!(place.distance(DVec3::new(0.075, 0.15, -0.01)) < 1e-12, "{place}");
    assert_eq!(probe.point.panel, Some(1));
}
