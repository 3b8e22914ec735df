//! Worlds stepped by the library with its default features alone: Newton's method over the plain factorization.

use taffeta::prelude::*;

/// A sheet of 0.5 m, held by an edge, that hangs 10° off the vertical.
fn hung(cells: u32, simulation: SimulationSettings) -> World {
    let side = cells + 1;
    let points = (0..side * side).map(|k| DVec2::new(f64::from(k % side), f64::from(k / side)));
    let material: Vec<DVec2> = points.map(|u| u * (0.5 / f64::from(cells))).collect();
    let corners = (0..cells * cells).map(|k| k / cells * side + k % cells);
    let tilt = DMat3::from_rotation_x(10.0_f64.to_radians());
    let mut mesh = TriangleMesh {
        positions: material.iter().map(|u| tilt * u.extend(0.0)).collect(),
        faces: corners.flat_map(|a| [[a, a + 1, a + 1 + side], [a, a + 1 + side, a + side]]).collect(),
        ..TriangleMesh::default()
    };
    mesh.set_vertex_material(&material);
    let mut sheet = ClothDescription::new("sheet", mesh, Material::isotropic(0.2, 800.0, 0.3, 5e-5));
    sheet.pins.push(PinDescription::new(Region::MaterialBox([DVec2::new(0.0, 0.5), DVec2::splat(0.5)])));
    let description = WorldDescription { cloths: vec![sheet], simulation, ..WorldDescription::default() };
    World::build(&description).expect("it is sound")
}

/// Largest distance of a vertex of one world from that of the other \[m\].
fn distance(a: &World, b: &World) -> f64 {
    let pairs = a.mesh(0).positions.into_iter().zip(b.mesh(0).positions);
    pairs.map(|(x, y)| x.distance(y)).fold(0.0, f64::max)
}

#[test]
fn newton_with_grids_and_with_a_factor_takes_the_same_way() {
    // As many cells as a coarse grid needs that is factorized.
    let mut worlds = [SolverChoice::Global, SolverChoice::Direct]
        .map(|solver| hung(20, SimulationSettings { solver, ..SimulationSettings::default() }));
    let start = worlds[0].mesh(0).positions;
    for world in &mut worlds {
        for _ in 0..4 {
            world.step(&StepInputs::default(), 1.0 / 60.0).expect("it is finite");
        }
    }
    let [global, direct] = &worlds;
    assert_eq!([global.solver_name(), direct.solver_name()], ["global", "direct"]);
    let moved = global.mesh(0).positions.iter().zip(&start).map(|(x, y)| x.distance(*y)).fold(0.0, f64::max);
    let apart = distance(global, direct);
    assert!(moved > 1e-3 && apart < 1e-3 * moved, "they move by {moved} m and are {apart} m apart");
}

#[test]
fn an_equilibrium_is_found_with_grids_and_with_a_factor() {
    let worlds = [SolverChoice::Auto, SolverChoice::Direct].map(|solver| {
        let settings = SimulationSettings { solver, mode: Mode::Static, ..SimulationSettings::default() };
        let mut world = hung(12, settings);
        world.equilibrate().expect("it hangs");
        world
    });
    let [auto, direct] = &worlds;
    // With the package `faer` it would be `direct`.
    assert_eq!([auto.solver_name(), direct.solver_name()], ["global", "direct"]);
    let apart = distance(auto, direct);
    assert!(apart < 1e-4, "{apart} m");
}
