//! Patch test, refinement invariance, free flight.

use crate::common::*;
use glam::{DMat3, DVec2, DVec3};
use taffeta::core::motion::rotation_xyz;
use taffeta::core::{EdgeIndex, SurfaceTopology, VertexIndex};
use taffeta::io::GridPattern;
use taffeta::remesh::{EditKind, RandomEdits, random_edits};
use taffeta::sim::{Air, ClothDescription, RopeDescription, RopeMaterial, SolverChoice, WorldDescription};
use taffeta::solve::{
    BendingModel, Blocks, ClothModel, Compression, MembraneModel, MembraneScaling, PlateState, RestShape,
    Supports,
};

/// Topology and material coordinates of a random Delaunay sheet.
fn irregular_sheet(cells: u32) -> (SurfaceTopology, Vec<DVec2>) {
    let mesh = square(cells, GridPattern::Delaunay);
    let faces = mesh.faces.iter().map(|f| f.map(VertexIndex)).collect();
    let coords = mesh.positions.iter().map(|x| DVec2::new(x.x, x.y)).collect::<Vec<_>>();
    (SurfaceTopology::from_faces(coords.len(), faces), coords)
}

fn model(membrane: MembraneModel) -> ClothModel {
    let mut material = stiff();
    (material.stretch, material.shear) = ([2000.0, 900.0], Some(500.0));
    ClothModel {
        material,
        membrane,
        scaling: MembraneScaling::ByArea,
        compression: Compression::Full,
        bending: BendingModel::Hinge,
        rest_curvature: [0.0; 3],
    }
}

/// The blocks of a flat sheet that nothing holds.
fn free_blocks(topology: &SurfaceTopology, coords: &[DVec2], model: ClothModel) -> Blocks {
    let free = vec![1.0; coords.len()];
    Blocks::build(topology, &RestShape::flat(topology, coords), &[model], &Supports::new(&free))
}

/// Three affine maps of the sheet into space: stretched in the plane, sheared, and turned in three dimensions.
fn affine_maps() -> [DMat3; 3] {
    let plane = |a, b, c, d| DMat3::from_cols(DVec3::new(a, c, 0.0), DVec3::new(b, d, 0.0), DVec3::Z);
    let stretched = plane(1.03, 0.0, 0.0, 0.98);
    let sheared = plane(1.01, 0.04, 0.02, 0.99);
    [stretched, sheared, rotation_xyz(DVec3::new(25.0, -40.0, 110.0)) * sheared]
}

#[test]
fn patch_of_strain_blocks_has_the_exact_energy_and_no_inner_forces() {
    let (topology, coords) = irregular_sheet(9);
    let model = model(MembraneModel::Strain);
    let stiffness = model.material.membrane_compliance().try_inverse().expect("positive definite");
    let blocks = free_blocks(&topology, &coords, model);
    for map in affine_maps() {
        let x: Vec<_> = coords.iter().map(|u| map * u.extend(0.0)).collect();
        let (f1, f2) = (map.x_axis, map.y_axis);
        let strain = nalgebra::Vector3::new(0.5 * (f1.dot(f1) - 1.0), 0.5 * (f2.dot(f2) - 1.0), f1.dot(f2));
        let exact = 0.5 * strain.dot(&(stiffness * strain));
        let energy = blocks.energy(&x, &PlateState::new(&blocks.plate, Vec::new()));
        assert!((energy.stretch / exact - 1.0).abs() < 1e-12, "{} against {exact}", energy.stretch);
        assert!(energy.bend < 1e-20, "{}", energy.bend);
        assert_inner_forces_vanish(&topology, &blocks, &x);
    }
}

fn assert_inner_forces_vanish(topology: &SurfaceTopology, blocks: &Blocks, x: &[DVec3]) {
    let mut forces = vec![DVec3::ZERO; x.len()];
    blocks.add_gradient(x, &PlateState::new(&blocks.plate, Vec::new()), &mut forces);
    let mut on_boundary = vec![false; x.len()];
    for edge in topology.edges.iter().filter(|edge| edge.is_boundary()) {
        edge.vertices.iter().for_each(|vi| on_boundary[vi.0 as usize] = true);
    }
    let largest = forces.iter().map(|f| f.length()).fold(0.0, f64::max);
    for (force, _) in forces.iter().zip(&on_boundary).filter(|(_, boundary)| !**boundary) {
        assert!(force.length() < 1e-12 * largest, "{force} of {largest}");
    }
}

/// Every face in four; positions and material coordinates of the new vertices at the middles of the edges.
fn refine(
    topology: &SurfaceTopology,
    coords: &[DVec2],
    x: &[DVec3],
) -> (SurfaceTopology, Vec<DVec2>, Vec<DVec3>) {
    let n = coords.len() as u32;
    let middle = |ei: EdgeIndex| VertexIndex(n + ei.0);
    let mut faces = Vec::new();
    for (fi, [a, b, c]) in topology.faces.iter_indexed() {
        let [ab, bc, ca] = topology.face_edges[fi].map(middle);
        faces.extend([[*a, ab, ca], [ab, *b, bc], [ca, bc, *c], [ab, bc, ca]]);
    }
    let (mut coords, mut x) = (coords.to_vec(), x.to_vec());
    for edge in topology.edges.iter() {
        let [a, b] = edge.vertices.map(|vi| vi.0 as usize);
        coords.push(0.5 * (coords[a] + coords[b]));
        x.push(0.5 * (x[a] + x[b]));
    }
    (SurfaceTopology::from_faces(coords.len(), faces), coords, x)
}

/// A bent and stretched state keeps the energy of every membrane block. A hinge of angle θ over `|e|²/(A₁+A₂)` becomes two of
/// the same angle with half the length over a quarter of the area. Their weight is twice as large: the crease of the refined
/// surface is as sharp but its triangles are half as wide. New edges inside old faces are flat.
#[test]
fn splitting_every_face_in_four_keeps_the_energies() {
    let (topology, coords) = irregular_sheet(6);
    let bend = |u: &DVec2| DVec3::new(1.02 * u.x, (2.0 * u.y).sin() / 2.0, 0.1 * (3.0 * u.x + u.y).cos());
    let x: Vec<_> = coords.iter().map(bend).collect();
    let (fine, fine_coords, fine_x) = refine(&topology, &coords, &x);
    let all =
        [MembraneModel::Strain, MembraneModel::Edges, MembraneModel::Energy, MembraneModel::EnergyPublished];
    // Constraints that are not scaled by area count every face as much as the others: four are four times as stiff.
    let scalings = [(MembraneScaling::ByArea, 1.0), (MembraneScaling::Fixed(0.003), 4.0)];
    for (membrane, (scaling, ratio)) in all.into_iter().flat_map(|m| scalings.map(|s| (m, s))) {
        let energy = |topology: &SurfaceTopology, coords: &[DVec2], x: &[DVec3]| {
            let mut isotropic = ClothModel { scaling, ..model(membrane) };
            isotropic.material = stiff();
            let blocks = free_blocks(topology, coords, isotropic);
            blocks.energy(x, &PlateState::new(&blocks.plate, Vec::new()))
        };
        let (before, after) = (energy(&topology, &coords, &x), energy(&fine, &fine_coords, &fine_x));
        assert!((after.stretch / before.stretch - ratio).abs() < 4e-12, "{membrane:?}: {before:?} {after:?}");
        assert!((after.bend / before.bend - 2.0).abs() < 1e-9, "{membrane:?}: {before:?} {after:?}");
    }
}

/// A spinning sheet without support, in a vacuum.
fn spinning(solver: SolverChoice) -> WorldDescription {
    let mut cloth = ClothDescription::new("sheet", square(8, GridPattern::Delaunay), stiff());
    cloth.velocity = DVec3::new(0.4, 1.0, -0.2);
    cloth.angular_velocity = DVec3::new(0.5, 2.0, 1.0);
    WorldDescription {
        cloths: vec![cloth],
        simulation: settings(solver, Some(10)),
        ..WorldDescription::bare()
    }
}

#[test]
fn free_flight_keeps_linear_momentum_through_forced_remeshing() {
    fly_through_edits(SolverChoice::Block);
    fly_through_edits(SolverChoice::Global);
}

fn fly_through_edits(solver: SolverChoice) {
    let mut world = build(&spinning(solver));
    let mass: f64 = world.motion().masses.iter().sum();
    let gravity = DVec3::new(0.0, -9.81, 0.0);
    let first = world.measure();
    for frame in 1..=12u32 {
        run(&mut world, 1);
        let before = world.measure();
        world.edit(|keyed| {
            let kinds = vec![EditKind::Split, EditKind::Collapse, EditKind::Flip];
            let edits = RandomEdits { outline: false, seed: u64::from(frame), attempts: 60, kinds };
            let made = random_edits(&mut keyed.mesh, &mut keyed.attributes, &[], &edits);
            assert!(made.len() > 10, "frame {frame}: {} edits", made.len());
            keyed.mesh.validate().expect("a valid mesh");
        });
        let after = world.measure();
        let expected = first.momentum + gravity * (mass * world.time());
        // Round-off of positions, over the step: the second stage goes on with the acceleration of the first.
        let lost = (after.momentum - expected).length() / (expected.length() + mass);
        assert!(lost < 1e-10, "frame {frame}: {lost}");
        let spin = before.angular_momentum.length();
        let lost = (after.angular_momentum - before.angular_momentum).length();
        assert!(lost < 1e-10 * spin, "frame {frame}: {lost} of {spin}");
        let (old, new) = (before.kinetic_energy, after.kinetic_energy);
        // Lumping the masses of other triangles changes the inertia a little; with the spin kept, the energy of the
        // rigid rotation follows. More than that would be energy out of nothing.
        assert!(new < 1.005 * old, "frame {frame}: {new} from {old}");
    }
}

/// Mass-weighted mean position [m].
fn center(world: &taffeta::sim::World) -> DVec3 {
    let state = &world.motion();
    let moment: DVec3 = state.positions.iter().zip(state.masses.iter()).map(|(x, m)| *x * *m).sum();
    moment / state.masses.iter().sum::<f64>()
}

#[test]
fn center_of_mass_follows_the_discrete_parabola_through_splits() {
    let mut world = build(&spinning(SolverChoice::Block));
    let (mut expected, mut velocity) = (center(&world), DVec3::new(0.4, 1.0, -0.2));
    let (substeps, gravity) = (10, DVec3::new(0.0, -9.81, 0.0));
    let h = FRAME / f64::from(substeps);
    for frame in 0..6u32 {
        run(&mut world, 1);
        for _ in 0..substeps {
            velocity += gravity * h;
            expected += velocity * h;
        }
        world.edit(|keyed| {
            let longest = keyed.mesh.edge_keys().nth(7 * frame as usize).expect("an edge");
            let no_pins = [];
            taffeta::remesh::split_with_transfer(&mut keyed.mesh, &mut keyed.attributes, longest, &no_pins)
                .expect("every edge can be split");
        });
        let distance = center(&world).distance(expected);
        assert!(distance < 1e-12, "frame {frame}: {distance}");
    }
}

#[test]
fn a_sheet_in_air_falls_more_slowly_and_reaches_its_terminal_speed() {
    let mut mesh = square(4, GridPattern::Alternating);
    mesh.positions.iter_mut().for_each(|x| *x = DVec3::new(x.x, 0.0, -x.y));
    let mut description = WorldDescription {
        cloths: vec![ClothDescription::new("sheet", mesh, stiff())],
        air: Some(Air { drag: 2.0, ..Air::default() }),
        ..WorldDescription::bare()
    };
    description.simulation = settings(SolverChoice::Block, Some(8));
    let mut world = build(&description);
    run(&mut world, 120);
    // ½ ρ c A v² = m g
    let terminal = (2.0 * 0.2 * 9.81 / (1.2 * 2.0_f64)).sqrt();
    let speed = -world.measure().momentum.y / 0.2;
    assert!((speed / terminal - 1.0).abs() < 0.01, "{speed} against {terminal}");
}

/// A rope that falls across its length is a cylinder in cross flow, one that falls along it has no drag.
#[test]
fn a_rope_in_air_reaches_the_terminal_speed_of_a_cylinder() {
    let speed = |along: DVec3, solver: SolverChoice| {
        let points = (0..=10).map(|i| along * (0.1 * f64::from(i))).collect();
        let rope = RopeDescription::new("rope", points, 0.01, RopeMaterial::new(0.02, 1e3, 1e-4));
        let mut description = WorldDescription {
            ropes: vec![rope],
            air: Some(Air { drag: 1.1, ..Air::default() }),
            ..WorldDescription::bare()
        };
        description.simulation = settings(solver, Some(64));
        let mut world = build(&description);
        run(&mut world, 240);
        -world.measure().momentum.y / 0.02
    };
    // ρ c r l v² = m g
    let terminal = (0.02 * 9.81 / (1.2 * 1.1 * 0.01_f64)).sqrt();
    for solver in [SolverChoice::Block, SolverChoice::Global] {
        let across = speed(DVec3::X, solver);
        println!("{solver:?}: {across} m/s, closed form {terminal} m/s");
        assert!((across / terminal - 1.0).abs() < 1e-3, "{solver:?}: {across} against {terminal}");
        let along = speed(DVec3::Y, solver);
        assert!((along / (9.81 * 4.0) - 1.0).abs() < 1e-8, "{solver:?}: {along}");
    }
}

/// Wind carries a rope away across its length only: drag is along no segment.
#[test]
fn wind_pushes_a_rope_across_its_length() {
    let direction = DVec3::new(1.0, 1.0, 0.0).normalize();
    let points = (0..=10).map(|i| direction * (0.1 * f64::from(i))).collect();
    let rope = RopeDescription::new("rope", points, 0.01, RopeMaterial::new(0.02, 1e3, 1e-4));
    // A local solver takes the force of the start of each substep.
    let mut simulation = settings(SolverChoice::Block, Some(256));
    simulation.gravity = DVec3::ZERO;
    let mut world = build(&WorldDescription {
        ropes: vec![rope],
        air: Some(air(DVec3::X * 10.0)),
        simulation,
        ..WorldDescription::bare()
    });
    run(&mut world, 1);
    let momentum = world.measure().momentum;
    // u̇ = −k u² with k = ρ c r l/m from u = 10/√2.
    let (k, u) = (1.2 * 0.01 / 0.02, 50.0_f64.sqrt());
    let gained = 0.02 * (u - u / (1.0 + k * u / 60.0));
    assert!(momentum.dot(direction).abs() < 1e-12, "{momentum}");
    assert!((momentum.length() / gained - 1.0).abs() < 1e-3, "{momentum}, {gained}");
}

#[test]
fn cloths_of_two_kinds_have_their_own_masses() {
    let heavy = ClothDescription::new("heavy", square(2, GridPattern::Diagonal), stiff());
    let mut light = ClothDescription::new("light", square(3, GridPattern::Diagonal), stiff());
    light.material.density = 0.05;
    let world = build(&WorldDescription { cloths: vec![heavy, light], ..WorldDescription::bare() });
    let masses = &world.motion().masses.raw;
    assert!((masses[..9].iter().sum::<f64>() - 0.2).abs() < 1e-15);
    assert!((masses[9..].iter().sum::<f64>() - 0.05).abs() < 1e-15);
}
