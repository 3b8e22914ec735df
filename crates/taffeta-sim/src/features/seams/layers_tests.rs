//! Three layers in one seam.

use crate::build::seams::pair::pair_seams;
use crate::derive::rebuild::rebuild;
use crate::features::seams::tests::{cloth, is_closed, panel, run, seam, together, validate, world};
use crate::features::seams::threads::{seams, turn_held_threads};
use crate::model::description::SeamSides;
use crate::{Checkpoint, ClothDescription, PinDescription, SolverChoice, World};
use glam::{DVec2, DVec3};
use taffeta_core::{Region, TriangleMesh};
use taffeta_remesh::RemeshSettings;

const GAP: f64 = 0.02;

/// Two sheets side by side in one plane, 0.6 m high, and a pocket of half their height that lies on the right one. All have
/// other cells along the line where they meet. `layer` is the height of the pocket above the plane.
fn three(layer: f64) -> [TriangleMesh; 3] {
    let left = panel([4, 6], DVec2::new(0.4, 0.6), DVec2::ZERO, DVec3::ZERO);
    let right = panel([4, 5], DVec2::new(0.4, 0.6), DVec2::new(0.4, 0.0), DVec3::X * GAP);
    let shift = DVec3::new(GAP - 1.0, 0.0, layer);
    [left, right, panel([3, 4], DVec2::new(0.2, 0.3), DVec2::new(1.4, 0.15), shift)]
}

/// Moves two vertices at the edge of the left sheet to the heights of the corners of the pocket.
fn fit_rows(mesh: &mut TriangleMesh) {
    for (row, y) in [(1, 0.15), (5, 0.45)] {
        let v = 5 * row + 4;
        mesh.positions[v].y = y;
        for (face, corners) in mesh.faces.iter().zip(mesh.material.as_mut().expect("has some")) {
            let at = face.iter().zip(corners).filter(|(other, _)| **other as usize == v);
            at.for_each(|(_, place)| place.y = y);
        }
    }
}

/// The left sheet sewn to the right one, and the pocket to a part of the edge of the left one.
fn pocket(is_pocket_first: bool) -> ClothDescription {
    let [left, right, pocket] = three(0.01);
    let first = left.positions.len() as u32;
    let second = first + right.positions.len() as u32;
    let mut mesh = together(together(left, right), pocket);
    fit_rows(&mut mesh);
    let mut both = vec![
        seam(&[4, 4 + 5 * 6], &[first, first + 5 * 5]),
        seam(&[4 + 5, 4 + 5 * 5], &[second, second + 4 * 4]),
    ];
    if is_pocket_first {
        both.reverse();
    }
    let mut sewn = cloth(mesh, both);
    let held = PinDescription::new(Region::Vertices((30..35).chain(first + 25..first + 30).collect()));
    // Across the seam it may give way.
    sewn.pins.push(PinDescription { axes: [false, true, true], ..held });
    sewn
}

/// The largest distance of two partners from where they belong: beside each other, at the distance of the panels.
fn mismatch(cloth: &ClothDescription) -> f64 {
    let pairs = cloth.seams.iter().flat_map(|seam| match &seam.sides {
        SeamSides::Pairs(pairs) => pairs.clone(),
        _ => panic!("the seams have been paired"),
    });
    let apart = pairs.map(|pair| {
        let [x, y] = pair.map(|v| cloth.mesh.positions[v as usize]);
        (y - x).y.abs()
    });
    apart.fold(0.0, f64::max)
}

#[test]
fn all_layers_get_the_vertices_that_one_of_them_wants() {
    for is_pocket_first in [false, true] {
        let mut sewn = pocket(is_pocket_first);
        pair_seams(&mut sewn).expect("the sides fit");
        assert!(mismatch(&sewn) < 1e-12, "{}", mismatch(&sewn));
        let counts = sewn.seams.iter().map(|seam| match &seam.sides {
            SeamSides::Pairs(pairs) => pairs.len(),
            _ => 0,
        });
        let mut counts: Vec<usize> = counts.collect();
        counts.sort_unstable();
        // Where the pocket is, the whole seam has all of its vertices.
        assert!(counts[0] >= 5 && counts[1] >= counts[0] + 2, "{counts:?}");
    }
}

/// The largest distance of the pocket's edge from its partners; all else has become one.
fn gap_of_pocket(world: &World) -> f64 {
    let reports = seams(world);
    reports.iter().map(|seam| seam.gap).fold(0.0, f64::max)
}

#[test]
fn a_pocket_is_held_in_the_side_seam_whichever_comes_first() {
    for (is_pocket_first, solver) in
        [(false, SolverChoice::Global), (true, SolverChoice::Global), (false, SolverChoice::Block)]
    {
        let mut world = world(pocket(is_pocket_first), |description| {
            description.simulation.gravity = DVec3::new(0.0, -9.81, 0.0);
            description.simulation.solver = solver;
            // At rest there is nothing but the weight of the pocket.
            description.simulation.velocity_damping = 5.0;
            description.self_contact = Some(true);
        });
        run(&mut world, 120);
        assert!(is_closed(&world), "{:?}", seams(&world));
        assert_eq!(world.crossings().map(|crossings| crossings.len()), Some(0));
        validate(&world);
        // The long seam is one, and the pocket a piece of its own.
        assert_eq!(world.keyed().mesh.boundary_loops().len(), 2);
        let gap = gap_of_pocket(&world);
        // The threads are 0.05 mm long.
        let most = if solver == SolverChoice::Global { 1e-4 } else { 3e-4 };
        assert!(gap > 0.0 && gap < most, "{gap}");
    }
}

#[test]
fn a_layer_in_the_middle_is_held_too() {
    let [left, right, mut middle] = three(0.0);
    let first = left.positions.len() as u32;
    let second = first + right.positions.len() as u32;
    // The left sheet folded back over the others, which lie on each other.
    let mut left = left;
    left.positions.iter_mut().for_each(|x| *x = DVec3::new(0.8 - x.x + GAP, x.y, 0.02));
    middle.positions.iter_mut().for_each(|x| x.z = 0.01);
    let mut mesh = together(together(left, right), middle);
    fit_rows(&mut mesh);
    let all = vec![
        seam(&[4, 4 + 5 * 6], &[first, first + 5 * 5]),
        seam(&[4 + 5, 4 + 5 * 5], &[second, second + 4 * 4]),
    ];
    let mut world = world(cloth(mesh, all), |description| description.self_contact = Some(true));
    run(&mut world, 60);
    assert!(is_closed(&world), "{:?}", seams(&world));
    assert_eq!(world.crossings().map(|crossings| crossings.len()), Some(0));
    validate(&world);
    assert!(gap_of_pocket(&world) < 5e-4, "{}", gap_of_pocket(&world));
}

/// Held layers stay where they are while the cloth is remeshed and turned, and a checkpoint knows them.
#[test]
fn a_held_layer_is_remeshed_turned_and_resumed() {
    let build = || {
        let mut sewn = pocket(false);
        sewn.remesh =
            Some(RemeshSettings { size_min: 0.02, size_max: 0.1, ..RemeshSettings::by_thresholds() });
        sewn.pins.clear();
        sewn.angular_velocity = DVec3::Y * 6.0;
        world(sewn, |description| description.self_contact = Some(true))
    };
    let mut whole = build();
    run(&mut whole, 40);
    assert!(is_closed(&whole), "{:?}", seams(&whole));
    let checkpoint = whole.checkpoint();
    run(&mut whole, 20);
    assert!(gap_of_pocket(&whole) > 0.0 && gap_of_pocket(&whole) < 5e-4, "{}", gap_of_pocket(&whole));
    validate(&whole);
    let mut resumed = build();
    let checkpoint = Checkpoint::from_bytes(&checkpoint.to_bytes()).expect("written");
    resumed.restore(checkpoint).expect("of the same scene");
    run(&mut resumed, 20);
    assert_eq!(resumed.state_hash(), whole.state_hash());
}

/// A third layer is held as hard after the world has been derived anew.
#[test]
fn a_rebuilt_world_has_the_same_threads() {
    let mut world = world(pocket(false), |description| description.self_contact = Some(true));
    run(&mut world, 30);
    assert!(is_closed(&world), "{:?}", seams(&world));
    turn_held_threads(&world.setup, &world.state, &mut world.derived);
    let threads = |world: &World| -> Vec<(DVec3, f64, f64)> {
        world.derived.blocks.stitches.iter().map(|s| (s.gap, s.stiffness, s.reach)).collect()
    };
    let before = threads(&world);
    assert!(!before.is_empty());
    rebuild(&mut world);
    assert_eq!(threads(&world), before);
}
