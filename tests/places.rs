//! Places on cloths: points are those of their own panels, also where charts overlap; a grab pulls at its point.

use crate::common::*;
use glam::{DVec2, DVec3};
use taffeta::core::TriangleMesh;
use taffeta::io::{GridPattern, grid};
use taffeta::remesh::RemeshSettings;
use taffeta::sim::{
    BendingModel, BodyPoint, ClothDescription, Grab, PanelError, PanelPoint, PointError, SimulationSettings,
    SolverChoice, StepError, StepInputs, TimeIntegration, World, queries,
};

/// Distance between the two panels of an atlas \[m\].
const APART: f64 = 2.0;

/// Two square panels of so many cells, of 1 m, with the same material coordinates; the second lies 2 m above the first.
fn atlas(cells: u32, pattern: GridPattern) -> TriangleMesh {
    join(square(cells, pattern), APART)
}

/// A mesh, and beyond it the same once more at a distance \[m\] along z.
fn join(one: TriangleMesh, distance: f64) -> TriangleMesh {
    let count = one.positions.len() as u32;
    let above = one.positions.iter().map(|x| *x + DVec3::Z * distance);
    let beyond = one.faces.iter().map(|face| face.map(|v| v + count));
    TriangleMesh {
        positions: one.positions.iter().copied().chain(above).collect(),
        faces: one.faces.iter().copied().chain(beyond).collect(),
        material: one.material.map(|material| [material.clone(), material].concat()),
    }
}

fn weightless(solver: SolverChoice, substeps: u32) -> SimulationSettings {
    SimulationSettings { gravity: DVec3::ZERO, ..settings(solver, Some(substeps)) }
}

fn cloth_for(solver: SolverChoice, mesh: TriangleMesh) -> ClothDescription {
    let mut cloth = ClothDescription::new("sheet", mesh, stiff());
    cloth.material.stretch_damping = 0.002;
    if solver.capabilities().rows {
        cloth.bending = BendingModel::Hinge;
    }
    cloth
}

fn pulled(point: impl Into<BodyPoint>, radius: f64, target: DVec3, stiffness: f64) -> StepInputs {
    let grab = Grab { body: 0, point: point.into(), radius, target, stiffness };
    StepInputs { grabs: vec![grab], ..StepInputs::default() }
}

fn place_of(world: &World, inputs: &StepInputs) -> DVec3 {
    queries::material_point(world, 0, inputs.grabs[0].point).expect("on the sheet").position
}

/// The largest speed \[m/s\] of the vertices at which a question is answered by yes.
fn largest_speed(world: &World, is_asked: impl Fn(DVec3) -> bool) -> f64 {
    let motion = world.motion();
    let starts = world.sheet().starts.iter().zip(motion.velocities.iter());
    starts.filter(|(start, _)| is_asked(**start)).map(|(_, v)| v.length()).fold(0.0, f64::max)
}

const PLACES: [DVec2; 4] =
    [DVec2::new(0.47, 0.53), DVec2::new(0.0, 0.45), DVec2::ZERO, DVec2::new(1.0, 0.97)];

#[test]
fn a_grab_whose_target_is_its_point_moves_nothing() {
    for solver in [SolverChoice::Global, SolverChoice::Block, SolverChoice::Xpbd] {
        for (point, radius) in PLACES.into_iter().flat_map(|point| [0.0, 0.1, 0.3].map(|r| (point, r))) {
            let cloth = cloth_for(solver, square(10, GridPattern::Alternating));
            let mut world = world(cloth, weightless(solver, 4));
            let inputs = pulled(point, radius, point.extend(0.0), 200.0);
            for _ in 0..10 {
                world.step(&inputs, FRAME).expect("the step is finite");
                let speed = largest_speed(&world, |_| true);
                assert!(speed < 1e-9, "{solver:?}, {radius} m around {point}: {speed:.2e} m/s");
            }
        }
    }
}

#[test]
fn the_force_of_a_patch_is_that_of_its_point() {
    for solver in [SolverChoice::Global, SolverChoice::Block] {
        for point in PLACES {
            let euler = SimulationSettings { time: TimeIntegration::Euler, ..weightless(solver, 1) };
            let mut world = world(cloth_for(solver, square(10, GridPattern::Alternating)), euler);
            let inputs = pulled(point, 0.25, DVec3::new(0.3, 0.7, 0.2), 30.0);
            let h = FRAME / 40.0;
            for _ in 0..10 {
                let before = (world.measure().momentum, place_of(&world, &inputs));
                world.step(&inputs, h).expect("the step is finite");
                let gained = (world.measure().momentum - before.0) / h;
                let force = (inputs.grabs[0].target - before.1) * 30.0;
                // Within a substep it falls with the motion of the patch.
                let error = gained.distance(force) / force.length();
                assert!(error < 0.01, "{solver:?}, {point}: {gained} N for {force}");
            }
        }
    }
}

#[test]
fn what_hangs_from_a_patch_at_a_corner_or_an_edge_hangs_from_its_point() {
    let weight = 0.2 * 9.81;
    for solver in [SolverChoice::Global, SolverChoice::Block] {
        for (point, stiffness) in
            [(DVec2::new(0.0, 1.0), 60.0), (DVec2::new(0.45, 1.0), 2e3), (DVec2::new(0.0, 1.0), 2e4)]
        {
            let damped = SimulationSettings { velocity_damping: 4.0, ..settings(solver, Some(8)) };
            let mut world = world(cloth_for(solver, square(8, GridPattern::Alternating)), damped);
            let inputs = pulled(point, 0.25, point.extend(0.0), stiffness);
            for _ in 0..tier(200, 300) {
                world.step(&inputs, FRAME).expect("the step is finite");
            }
            let drop = inputs.grabs[0].target - place_of(&world, &inputs);
            let expected = DVec3::Y * (weight / stiffness);
            assert!(
                drop.distance(expected) < 0.05 * weight / 60.0,
                "{solver:?}, {point}: {drop} for {expected}"
            );
            let speed = largest_speed(&world, |_| true);
            assert!(speed < 0.05, "{solver:?}, {point}: {speed} m/s");
        }
    }
}

#[test]
fn the_place_of_a_grab_is_that_of_its_point() {
    let corner = DVec2::ZERO;
    let mut world = world(
        cloth_for(SolverChoice::Block, square(8, GridPattern::Alternating)),
        weightless(SolverChoice::Block, 4),
    );
    let inputs = pulled(corner, 0.3, DVec3::new(-0.1, 0.0, 0.1), 100.0);
    let mut places = Vec::new();
    for _ in 0..3 {
        let before = place_of(&world, &inputs);
        places.clear();
        world.step_with(&inputs, FRAME, &mut |lead| places.push(lead.places[0])).expect("the step is finite");
        assert!(places[0].distance(before) < 1e-15, "{} for {before}", places[0]);
    }
}

#[test]
fn a_grab_moves_its_own_panel_where_panels_overlap() {
    for solver in [SolverChoice::Global, SolverChoice::Block] {
        for (panel, radius) in [(0, 0.0), (0, 0.3), (1, 0.0), (1, 0.3)] {
            let cloth = cloth_for(solver, atlas(6, GridPattern::Alternating));
            let mut world = world(cloth, weightless(solver, 4));
            let point = PanelPoint::on(panel, DVec2::new(0.45, 0.55));
            let height = f64::from(panel) * APART;
            assert_eq!(queries::material_point(&world, 0, point).expect("on it").position.z, height);
            let inputs = pulled(point, radius, DVec3::new(0.45, 0.55, height + 0.2), 100.0);
            for _ in 0..3 {
                world.step(&inputs, FRAME).expect("the step is finite");
            }
            let own = largest_speed(&world, |start| start.z == height);
            let other = largest_speed(&world, |start| start.z != height);
            assert!(own > 0.1 && other < 1e-12, "{solver:?}, panel {panel}: {own} and {other} m/s");
        }
    }
}

#[test]
fn a_point_on_several_panels_is_refused_with_their_names_and_changes_nothing() {
    let cloth = cloth_for(SolverChoice::Global, atlas(4, GridPattern::Alternating));
    let mut world = world(cloth, weightless(SolverChoice::Global, 2));
    let hash = world.state_hash();
    let middle = DVec2::splat(0.5);
    // On both, and beside both at the same distance.
    for point in [middle, DVec2::new(2.0, 0.5)] {
        let found = queries::find_point(&world, 0, point);
        assert_eq!(found, Err(PointError::Panel(PanelError::Several(vec![0, 1]))));
    }
    for (point, words) in [
        (
            BodyPoint::from(middle),
            "of cloth 'sheet': it is on several panels: 0, 1; say on which, as in `panel = 0`",
        ),
        (
            PanelPoint::on(2, middle).into(),
            "of panel 2 of cloth 'sheet': there is no panel 2, but panels 0 to 1",
        ),
    ] {
        let error = world.step(&pulled(point, 0.1, DVec3::ZERO, 10.0), FRAME).expect_err(words);
        assert!(
            matches!(&error, StepError::BadGrab { number: 0, reason } if reason.contains(words)),
            "{error}"
        );
    }
    assert_eq!((world.state_hash(), world.frame()), (hash, 0));
    // In the world at time 0 there is no question.
    let above = queries::material_point(&world, 0, DVec3::new(0.5, 0.5, 1.9)).expect("near a panel").position;
    assert_eq!(above, DVec3::new(0.5, 0.5, APART));
}

#[test]
fn a_patch_ends_where_its_layer_does() {
    let mut layers = join(square(20, GridPattern::Alternating), 0.01);
    layers.material = None;
    let cloth = cloth_for(SolverChoice::Block, layers);
    let mut world = world(cloth, weightless(SolverChoice::Block, 1));
    world.step(&pulled(DVec3::new(0.5, 0.5, 0.0), 0.1, -DVec3::Z, 10.0), 1e-4).expect("the step is finite");
    let own = largest_speed(&world, |start| start.z == 0.0);
    let other = largest_speed(&world, |start| start.z != 0.0);
    assert!(own > 1e-3 && other < 1e-12, "{own} and {other} m/s");
    let error = queries::find_point(&world, 0, DVec2::splat(0.5)).expect_err("no chart");
    assert_eq!(error, PointError::NoMaterial);
}

#[test]
fn a_patch_ends_at_the_seam_of_its_panel() {
    // The right half has a chart of its own, 5 m away.
    let mut mesh = square(10, GridPattern::Alternating);
    for corners in mesh.material.iter_mut().flatten() {
        if corners.iter().sum::<DVec2>().x > 1.5 {
            corners.iter_mut().for_each(|u| u.x += 5.0);
        }
    }
    let mut world = world(cloth_for(SolverChoice::Block, mesh), weightless(SolverChoice::Block, 1));
    for (point, is_left) in
        [(PanelPoint::on(0, DVec2::new(0.45, 0.5)), true), (DVec2::new(5.55, 0.5).into(), false)]
    {
        let there = queries::material_point(&world, 0, point).expect("on a panel").position;
        assert!(there.distance(DVec3::new(if is_left { 0.45 } else { 0.55 }, 0.5, 0.0)) < 1e-12, "{there}");
    }
    let inputs = pulled(PanelPoint::on(0, DVec2::new(0.45, 0.5)), 0.2, DVec3::Z, 10.0);
    world.step(&inputs, 1e-5).expect("the step is finite");
    let own = largest_speed(&world, |start| start.x < 0.501);
    let beyond = largest_speed(&world, |start| start.x > 0.501);
    assert!(beyond < 0.03 * own, "{own} and {beyond} m/s");
}

/// Checks that every vertex comes from the same point of its own panel of the mesh before; the number of new ones.
fn check_origins(world: &World, before: &(Vec<[DVec2; 3]>, Vec<u32>)) -> usize {
    let cloth = world.cloth(world.cloth_ids()[0]);
    let origins = cloth.origins();
    let faces = cloth.faces().iter().zip(cloth.corners()).zip(cloth.panels());
    for ((face, corners), panel) in faces {
        for (v, point) in face.iter().zip(corners) {
            let origin = origins[*v as usize];
            assert_eq!(before.1[origin.face as usize], panel, "vertex {v} comes from another panel");
            let there = before.0[origin.face as usize].iter().zip(origin.weights);
            let there: DVec2 = there.map(|(u, w)| *u * w).sum();
            assert!(there.distance(point) < 1e-12, "{there} for {point}");
        }
    }
    origins.iter().filter(|origin| !origin.weights.contains(&1.0)).count()
}

#[test]
fn origins_are_on_the_own_panel_where_panels_overlap() {
    let mesh = join(grid(DVec2::ONE, [16, 16], GridPattern::Alternating, 1), APART);
    assert_eq!(mesh.positions.len(), 578);
    let mut cloth = cloth_for(SolverChoice::Global, mesh);
    cloth.pins = swing(4).pins;
    cloth.remesh = Some(RemeshSettings { size_min: 0.02, size_max: 0.05, ..RemeshSettings::by_thresholds() });
    let mut world = world(cloth, settings(SolverChoice::Global, None));
    let id = world.cloth_ids()[0];
    let mut made = 0;
    for _ in 0..tier(5, 30) {
        let cloth = world.cloth(id);
        let before = (cloth.corners().to_vec(), cloth.panels().to_vec());
        let report = world.step(&StepInputs::default(), FRAME).expect("it steps");
        if report.remeshed.contains(&id) {
            made += check_origins(&world, &before);
        }
    }
    assert!(made > 100, "remeshing has made {made} vertices");
}
