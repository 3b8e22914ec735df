//! Bodies that pins pull taut, under solvers that sweep: a few sweeps must hold their tension.

use crate::common::run;
use std::path::Path;
use taffeta::scene::Scene;
use taffeta::sim::World;

/// A rope of 1 m and 10 kN, pulled by 50 mm: it takes up `½ EA ε² L = 12.5` J.
const ROPE: &str = r#"
[[rope]]
length = 1.0
segments = 40
material = { density = 0.05, stretch = 1e4, bend = 1e-4 }
[[rope.pin]]
where = { ends = "first" }
[[rope.pin]]
where = { ends = "last" }
motion = [{ t = 0 }, { t = 0.3, translate = [0.05, 0, 0] }]
"#;

/// A bar of 0.4 m, 0.01 m² and 1 MPa, pulled by 0.1 m. Linear elasticity takes up 125 J; the clamped ends are stiffer, and the strain is
/// large: 165 J with 200 substeps.
const BAR: &str = r#"
[[solid]]
box = { size = [0.4, 0.1, 0.1], cells = [8, 2, 2] }
material = { density = 300, young = 1e6, poisson = 0.3 }
[[solid.pin]]
where = { box = [[-1, -1, -1], [0.001, 1, 1]] }
[[solid.pin]]
where = { box = [[0.399, -1, -1], [1, 1, 1]] }
motion = [{ t = 0 }, { t = 0.3, translate = [0.1, 0, 0] }]
"#;

/// A sheet of 0.4 m and 100 kN/m, pulled by 8 mm in 0.2 s and let go in 0.1 s.
const SHEET: &str = r#"
[[cloth]]
grid = { size = [0.4, 0.4], cells = [16, 16] }
material = { density = 0.2, stretch = [1e5, 1e5], bend = [5e-5, 5e-5] }
[[cloth.pin]]
where = { material_box = [[-1, -1], [0.001, 1]] }
[[cloth.pin]]
where = { material_box = [[0.399, -1], [1, 1]] }
motion = [{ t = 0 }, { t = 0.2, translate = [0.008, 0, 0] }, { t = 0.3 }]
"#;

fn world(solver: &str, body: &str) -> World {
    let text = format!(
        "[simulation]\nduration = 1.0\ngravity = [0, 0, 0]\nsolver = \"{solver}\"\n[air]\ndensity = 0.0\n{body}"
    );
    let scene = Scene::from_str(&text, Path::new("scene.toml"), &[]).expect("a scene");
    World::build(&scene.build().expect("it can be built")).expect("it can be built")
}

/// Substeps followed the tension of cloths alone: a rope took up 25 J, a bar 496 J.
#[test]
fn ropes_and_solids_take_up_the_work_of_a_pull() {
    for solver in ["block", "xpbd"] {
        for (body, work) in [(ROPE, 12.5), (BAR, 165.0)] {
            let mut world = world(solver, body);
            run(&mut world, 19);
            let now = world.measure();
            let energy = now.kinetic_energy + now.stretch_energy + now.bend_energy;
            assert!((energy / work - 1.0).abs() < 0.1, "{solver}: {energy} J of {work} J");
        }
    }
}

/// Substeps lasted for as many frames as there were.
#[test]
fn substeps_go_when_tension_goes() {
    let mut world = world("block", SHEET);
    let taut = run(&mut world, 12).plan.substeps;
    run(&mut world, 12);
    let slack = run(&mut world, 40).plan.substeps;
    assert!(taut > 20 && slack <= 6, "{taut} substeps when taut, {slack} when slack");
}
